/* A world from creation to destruction, and its live settings. Whatever can fail is done before anything is changed. */
#include "world/method.h"
#include "world/world_shells.h"

#include "passages/passages.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT_OF(x) #x
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *rill_version(void) {
    return VERSION_TEXT(RILL_VERSION_MAJOR, RILL_VERSION_MINOR, RILL_VERSION_PATCH);
}

const char *rill_result_name(rill_result result) {
    switch (result) {
    case RILL_OK: return "ok";
    case RILL_INVALID_ARGUMENT: return "invalid argument";
    case RILL_INVALID_ID: return "invalid id";
    case RILL_INVALID_DATA: return "invalid data";
    case RILL_INVALID_STATE: return "invalid state";
    case RILL_OUT_OF_MEMORY: return "out of memory";
    case RILL_TOO_LARGE: return "too large";
    }
    return "unknown result";
}

/* ------------------------------------------------------------------------------------------------ creation and end */

rill_result rill_world_make(const rill_world_def *def, rill_world **out, rill_message *message) {
    const rill_allocator allocator = def->runtime.allocator.allocate ? def->runtime.allocator : rill_alloc_default();
    rill_world *world = rill_alloc_zeroed(&allocator, 1, sizeof *world);
    if (!world) return rill_fail(message, RILL_OUT_OF_MEMORY, "no memory for a world");
    world->def = *def;
    world->def.name = NULL;
    world->def.runtime.allocator = allocator;
    world->allocator = allocator;
    world->note = &world->message;
    world->solids = rill_array_make(sizeof(rill_solid_slot));
    world->moving_solids = rill_array_make(sizeof(rill_moving_solid));
    world->sources = rill_array_make(sizeof(rill_source));
    world->source_work = rill_source_work_make();
    world->books = rill_array_make(sizeof(rill_book));
    world->bodies = rill_bodies_make();
    world->events = rill_events_make();
    world->forces = rill_forces_make(&def->grid);
    world->shells = rill_array_make(sizeof(rill_shell_slot));

    world->name = rill_string_copy(&allocator, def->name);
    if (!world->name || rill_books_make(world) != RILL_OK) {
        rill_world_destroy(world);
        return rill_fail(message, RILL_OUT_OF_MEMORY, "no memory for a world's name and ledger");
    }
    world->def.name = world->name;
    *out = world;
    return RILL_OK;
}

rill_result rill_world_start(rill_world *world, rill_world **out, rill_message *message) {
    rill_result result = rill_pool_start(&world->def.runtime, &world->pool, message);
    if (result) {
        rill_world_destroy(world);
        return result;
    }
    *out = world;
    return RILL_OK;
}

rill_result rill_world_create(const rill_world_def *def, rill_world **out, rill_message *message) {
    if (!def || !out)
        return rill_fail(message, RILL_INVALID_ARGUMENT, "%s is NULL; expected %s", def ? "out" : "def",
                         def ? "a place for the world" : "a definition");
    rill_result result = rill_check_world_def(def, message);
    if (result) return result;
    rill_world *world = NULL;
    result = rill_world_make(def, &world, message);
    if (result) return result;
    return rill_world_start(world, out, message);
}

void rill_world_destroy(rill_world *world) {
    if (!world) return;
    const rill_allocator allocator = world->allocator; /* the world itself goes back to it last */
    if (world->pool) rill_pool_stop(world->pool, &allocator);

    rill_source *sources = world->sources.data;
    for (size_t i = 0; i < world->sources.count; ++i) rill_world_drop_source(world, &sources[i]);
    rill_array_free(&world->sources, &allocator);
    rill_source_detach(&world->found_source, &allocator);
    rill_source_work_free(&world->source_work, &allocator);
    rill_books_free(world);
    rill_events_free(&world->events, &allocator);
    rill_world_free_bodies(world);
    rill_world_free_shells(world);
    rill_forces_free(&world->forces, &allocator);
    rill_moves_free(world);
    rill_method_memory_free(&world->method, &allocator);
    rill_tension_free(world->tension, &allocator);
    rill_falls_free(world->falls, &allocator);
    rill_wetting_free(&world->wetting, &allocator);
    if (world->built) {
        rill_faces_free(world);
        rill_world_free_flow(world, &world->flow);
        rill_bed_free(&world->bed, &allocator);
    }
    rill_solid_slot *slots = world->solids.data;
    for (size_t i = 0; i < world->solids.count; ++i) {
        if (slots[i].solid) rill_solid_free(slots[i].solid, &allocator);
    }
    rill_array_free(&world->solids, &allocator);
    rill_string_free(&allocator, world->name);
    rill_free(&allocator, world, 1, sizeof *world);
}

/* -------------------------------------------------------------------------------------------------------- messages */

const char *rill_world_message(const rill_world *world) {
    return world ? world->message.text : "";
}

const char *rill_world_name(const rill_world *world) {
    return world ? world->name : "";
}

rill_result rill_world_need_bed(const rill_world *world, const char *call) {
    if (world->built) return RILL_OK;
    if (!rill_world_has_grid(world))
        return rill_fail(world->note, RILL_INVALID_STATE,
                         "%s: the world has no bed, for grid.cells are 0; expected a grid", call);
    return rill_fail(world->note, RILL_INVALID_STATE, "%s: the bed is not built; call rill_bed_build first", call);
}

void rill_world_log(const rill_world *world, rill_log_level level, const char *format, ...) {
    if (!world->def.runtime.log) return;
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    world->def.runtime.log(level, text, world->def.runtime.log_user);
}

/* -------------------------------------------------------------------------------------------------------- settings */

/* Wakes all that rested under the old setting: it may move under the new one. */
static void wake_all(rill_world *world) {
    if (world->built) rill_flow_wake_all(&world->flow);
}

static bool same_liquid(const rill_liquid *a, const rill_liquid *b) {
    return a->density == b->density && a->viscosity == b->viscosity && a->surface_tension == b->surface_tension &&
           a->contact_angle.advancing == b->contact_angle.advancing &&
           a->contact_angle.receding == b->contact_angle.receding && a->drying == b->drying;
}

static bool same_kandemir(const rill_kandemir *a, const rill_kandemir *b) {
    return a->pipe_length == b->pipe_length && a->pipe_area == b->pipe_area && a->time_step == b->time_step &&
           a->vanishing == b->vanishing && a->viscosity == b->viscosity && a->atmosphere == b->atmosphere;
}

static bool same_waves(const rill_waves *a, const rill_waves *b) {
    return a->theta == b->theta && a->time_step == b->time_step && a->iterations == b->iterations &&
           a->tolerance == b->tolerance;
}

static bool same_wang(const rill_wang *a, const rill_wang *b) {
    return a->viscosity == b->viscosity && a->friction == b->friction && a->time_step == b->time_step &&
           a->iterations == b->iterations && a->tolerance == b->tolerance && a->tension == b->tension &&
           a->preconditioner == b->preconditioner && a->front == b->front && a->angular == b->angular;
}

static bool same_solver(const rill_solver *a, const rill_solver *b) {
    return a->method == b->method && a->papers == b->papers && same_kandemir(&a->kandemir, &b->kandemir) &&
           same_waves(&a->waves, &b->waves) && same_wang(&a->wang, &b->wang) && a->pipe_area == b->pipe_area &&
           a->passages == b->passages && a->advection == b->advection && a->rest == b->rest &&
           a->skip_idle == b->skip_idle && a->orifice == b->orifice && a->friction == b->friction &&
           a->max_substeps == b->max_substeps && a->tension == b->tension && a->wall_tension == b->wall_tension &&
           a->falls == b->falls;
}

/* Programs set gravity in every frame: setting the same again must not wake what sleeps. */
rill_result rill_world_set_gravity(rill_world *world, const double gravity[3]) {
    if (!world) return RILL_INVALID_ARGUMENT;
    if (!gravity) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "gravity is NULL; expected three numbers");
    const rill_result result = rill_check_gravity(gravity, world->note);
    if (result) return result;
    double *live = world->def.gravity;
    if (live[0] == gravity[0] && live[1] == gravity[1] && live[2] == gravity[2]) return RILL_OK;
    memcpy(live, gravity, sizeof world->def.gravity);
    rill_world_apply_forces(world, false);
    wake_all(world);
    return RILL_OK;
}

rill_result rill_world_set_liquid(rill_world *world, const rill_liquid *liquid) {
    if (!world) return RILL_INVALID_ARGUMENT;
    if (!liquid) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "liquid is NULL; expected a liquid");
    const rill_result result = rill_check_liquid(liquid, world->note);
    if (result || same_liquid(liquid, &world->def.liquid)) return result;
    world->def.liquid = *liquid;
    rill_world_apply_forces(world, false);
    wake_all(world);
    return RILL_OK;
}

rill_result rill_world_set_solver(rill_world *world, const rill_solver *solver) {
    if (!world) return RILL_INVALID_ARGUMENT;
    if (!solver) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "solver is NULL; expected solver settings");
    rill_result result = rill_check_solver(solver, world->note);
    if (result || same_solver(solver, &world->def.solver)) return result;
    const rill_method_entry *method = rill_method_of(solver);
    if (method != rill_world_method(world) && world->built) {
        rill_method_memory memory = { 0 };
        result = method->make(world, &memory, world->note);
        if (result) return result;
        rill_method_memory_free(&world->method, &world->allocator);
        world->method = memory;
        if (!method->layered) rill_bodies_uncover(&world->bodies, &world->flow);
        rill_world_book_lost(world);
    }
    if (solver->passages != world->def.solver.passages) rill_passages_forget(&world->flow);
    world->def.solver = *solver;
    rill_world_apply_forces(world, false);
    wake_all(world);
    return RILL_OK;
}

static rill_result check_getter(const rill_world *world, const void *out) {
    if (!world) return RILL_INVALID_ARGUMENT;
    return out ? RILL_OK
               : rill_fail(world->note, RILL_INVALID_ARGUMENT, "out is NULL; expected a place for the answer");
}

rill_result rill_world_get_gravity(const rill_world *world, double out[3]) {
    const rill_result result = check_getter(world, out);
    if (!result) memcpy(out, world->def.gravity, sizeof world->def.gravity);
    return result;
}

rill_result rill_world_get_liquid(const rill_world *world, rill_liquid *out) {
    const rill_result result = check_getter(world, out);
    if (!result) *out = world->def.liquid;
    return result;
}

rill_result rill_world_get_solver(const rill_world *world, rill_solver *out) {
    const rill_result result = check_getter(world, out);
    if (!result) *out = world->def.solver;
    return result;
}

rill_result rill_world_get_grid(const rill_world *world, rill_grid *out) {
    const rill_result result = check_getter(world, out);
    if (!result) *out = world->def.grid;
    return result;
}
