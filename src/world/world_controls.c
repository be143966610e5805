/* Controls of a world, by id (waves/control.h). */
#include <math.h>
#include <string.h>

#include "world/ids.h"

enum { POLYGONS_LIMIT = 1000000 };

static rill_control_id id_of(const rill_world *world, size_t index, uint16_t generation) {
    return (rill_control_id){ rill_id_of(world, index, generation) };
}

/* The control of an id, or NULL with a message. */
static rill_control *control_of(const rill_world *world, rill_control_id id) {
    const size_t index = rill_id_slot(id.value);
    if (index < world->forces.controls.count) {
        rill_control *control = (rill_control *)world->forces.controls.data + index;
        if (control->alive && rill_id_names(world, id.value, control->generation)) return control;
    }
    rill_id_refuse(world, "control", id.value, world->forces.controls.count);
    return NULL;
}

rill_control_id rill_control_find(const rill_world *world, const char *name) {
    if (!world || !name || !*name) return (rill_control_id){ 0 };
    const rill_control *controls = world->forces.controls.data;
    for (size_t i = 0; i < world->forces.controls.count; ++i)
        if (controls[i].alive && strcmp(controls[i].name, name) == 0) return id_of(world, i, controls[i].generation);
    return (rill_control_id){ 0 };
}

const char *rill_control_name(const rill_world *world, rill_control_id id) {
    const rill_control *control = world ? control_of(world, id) : NULL;
    return control ? control->name : NULL;
}

int32_t rill_world_control_count(const rill_world *world) {
    const rill_control *controls = world ? world->forces.controls.data : NULL;
    int32_t count = 0;
    for (size_t i = 0; world && i < world->forces.controls.count; ++i) count += controls[i].alive;
    return count;
}

rill_control_id rill_world_control_at(const rill_world *world, int32_t index) {
    const rill_control *controls = world ? world->forces.controls.data : NULL;
    for (size_t i = 0; world && index >= 0 && i < world->forces.controls.count; ++i)
        if (controls[i].alive && index-- == 0) return id_of(world, i, controls[i].generation);
    return (rill_control_id){ 0 };
}

void *rill_control_user_data(const rill_world *world, rill_control_id id) {
    const rill_control *control = world ? control_of(world, id) : NULL;
    return control ? control->user : NULL;
}

rill_result rill_control_set_user_data(rill_world *world, rill_control_id id, void *user) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_control *control = control_of(world, id);
    if (!control) return RILL_INVALID_ID;
    control->user = user;
    return RILL_OK;
}

/* ----------------------------------------------------------------------------------------------------------- checks */

static rill_result check_polygons(const rill_control_def *def, rill_message *message) {
    size_t points = 0;
    if (!def->points || !def->corners)
        return rill_fail(message, RILL_INVALID_ARGUMENT, "control.%s is NULL; expected %d polygons",
                         def->points ? "corners" : "points", def->polygon_count);
    for (int32_t i = 0; i < def->polygon_count; points += (size_t)def->corners[i++])
        if (def->corners[i] < 3)
            return rill_fail(message, RILL_INVALID_ARGUMENT, "control.corners[%d] is %d; expected 3 at least", i,
                             def->corners[i]);
    for (size_t i = 0; i < 2 * points; ++i)
        if (!(fabs(def->points[i]) <= 1e7))
            return rill_fail(message, RILL_INVALID_ARGUMENT, "control.points[%zu] is %g; expected -1e7 to 1e7", i,
                             def->points[i]);
    return RILL_OK;
}

static rill_result check_shape(const rill_world *world, const rill_control_def *def) {
    rill_message *message = world->note;
    if (def->polygon_count < 0 || def->polygon_count > POLYGONS_LIMIT ||
        (def->polygon_count > 0) == (def->mask != NULL))
        return rill_fail(message, RILL_INVALID_ARGUMENT,
                         "control.polygon_count is %d and there is %s mask; expected 1 to %d polygons, or a mask",
                         def->polygon_count, def->mask ? "a" : "no", POLYGONS_LIMIT);
    if (!def->mask) return check_polygons(def, message);
    if (def->mask_count == rill_world_cells(world)) return RILL_OK;
    return rill_fail(message, RILL_INVALID_ARGUMENT, "control.mask_count is %zu; expected %zu, one per cell",
                     def->mask_count, rill_world_cells(world));
}

static rill_result check_new(const rill_world *world, const rill_control_def *def) {
    if (!def) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "def is NULL; expected a definition");
    rill_result result = rill_world_need_bed(world, "rill_control_create");
    if (!result) result = rill_check_control_def(def, world->note);
    if (!result) result = check_shape(world, def);
    if (result) return result;
    if (rill_control_find(world, def->name).value)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT,
                         "control.name is \"%.64s\", which another control has already", def->name);
    if (world->forces.controls_free == 0 && world->forces.controls.count >= RILL_SLOTS_MAX)
        return rill_fail(world->note, RILL_TOO_LARGE, "there are %zu controls; expected at most %d",
                         world->forces.controls.count, RILL_SLOTS_MAX);
    return RILL_OK;
}

/* ----------------------------------------------------------------------------------------------------------- create */

static rill_result no_memory(const rill_world *world) {
    return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for a control");
}

rill_result rill_control_make(const rill_world *world, const rill_control_def *def, rill_control *out) {
    const size_t cells = rill_world_cells(world);
    rill_control control = { .def = *def, .cells = cells, .alive = true };
    control.name = rill_string_copy(&world->allocator, def->name);
    control.inside = rill_alloc(&world->allocator, cells, sizeof *control.inside);
    control.slide = rill_alloc(&world->allocator, cells, sizeof *control.slide);
    rill_result result = RILL_OUT_OF_MEMORY;
    if (control.name && control.inside && control.slide)
        result = rill_control_draw(def, &world->def.grid, control.inside, world->note);
    else
        no_memory(world);
    if (!result && !rill_control_measure(control.inside, &world->def.grid, control.slide, &world->allocator))
        result = no_memory(world);
    if (result) {
        rill_control_free(&control, &world->allocator);
        return result;
    }
    control.def.name = control.name;
    control.def.points = NULL;
    control.def.corners = NULL;
    control.def.polygon_count = 0;
    control.def.mask = NULL;
    control.def.mask_count = 0;
    *out = control;
    return RILL_OK;
}

/* The slot that the next control takes: one that may be used again, else one behind the last. */
static size_t next_slot(const rill_world *world) {
    const rill_control *controls = world->forces.controls.data;
    for (size_t i = 0; world->forces.controls_free > 0 && i < world->forces.controls.count; ++i)
        if (!controls[i].alive && controls[i].generation < RILL_GENERATION_MAX) return i;
    return world->forces.controls.count;
}

/* Lets what has changed about controls act from now on. */
static void follow_controls(rill_world *world) {
    rill_forces_switch(&world->forces, world->time);
    rill_world_follow_controls(world);
}

rill_result rill_control_create(rill_world *world, const rill_control_def *def, rill_control_id *out) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_result result = check_new(world, def);
    if (result) return result;
    rill_control control;
    result = rill_control_make(world, def, &control);
    if (result) return result;
    const size_t index = next_slot(world);
    const bool again = index < world->forces.controls.count;
    if (!rill_push_make(&world->flow, &world->allocator) ||
        (!again && !rill_array_push(&world->forces.controls, &world->allocator, NULL))) {
        rill_control_free(&control, &world->allocator);
        return no_memory(world);
    }
    rill_control *slot = (rill_control *)world->forces.controls.data + index;
    control.generation = (uint16_t)(slot->generation + 1);
    *slot = control;
    world->forces.controls_free -= again;
    if (out) *out = id_of(world, index, control.generation);
    follow_controls(world);
    return RILL_OK;
}

rill_result rill_control_destroy(rill_world *world, rill_control_id id) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_control *control = control_of(world, id);
    if (!control) return RILL_INVALID_ID;
    rill_control_free(control, &world->allocator);
    if (control->generation < RILL_GENERATION_MAX) world->forces.controls_free += 1;
    follow_controls(world);
    return RILL_OK;
}

rill_result rill_control_set_strength(rill_world *world, rill_control_id id, double strength) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_control *control = control_of(world, id);
    if (!control) return RILL_INVALID_ID;
    rill_control_def changed = control->def;
    changed.strength = strength;
    const rill_result result = rill_check_control_def(&changed, world->note);
    if (result) return result;
    control->def.strength = strength;
    follow_controls(world);
    return RILL_OK;
}

rill_result rill_control_get_def(const rill_world *world, rill_control_id id, rill_control_def *out) {
    if (!world) return RILL_INVALID_ARGUMENT;
    const rill_control *control = control_of(world, id);
    if (!control) return RILL_INVALID_ID;
    if (!out) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "out is NULL; expected a place for the answer");
    *out = control->def;
    return RILL_OK;
}

rill_result rill_control_read_mask(const rill_world *world, rill_control_id id, uint8_t *out, size_t count) {
    if (!world) return RILL_INVALID_ARGUMENT;
    const rill_control *control = control_of(world, id);
    if (!control) return RILL_INVALID_ID;
    if (!out || count != control->cells)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "out is %s for %zu cells; expected room for %zu",
                         out ? "an array" : "NULL", count, control->cells);
    memcpy(out, control->inside, count);
    return RILL_OK;
}
