/* Saves, rewinds and hashes worlds. The format is described in snapshot.h, reading it is in snapshot_load.c; both go
 * through the members in the same order, one function per section. */
#include "snapshot/snapshot.h"

#include "base/assert.h"
#include "base/hash.h"
#include "kandemir/kandemir.h"
#include "shape/contact_angle.h"
#include "wang/wang.h"
#include "waves/theta.h"
#include "world/world_shells.h"

/* Decides nothing as long as another method is in use. */
static void put_waves(rill_writer *writer, const rill_solver *solver) {
    const rill_waves *waves = &solver->waves;
    if (writer->mode == RILL_HASH_VALUES && solver->method != RILL_METHOD_WAVES) return;
    rill_put_f64(writer, waves->theta);
    rill_put_f64(writer, waves->time_step);
    rill_put_u32(writer, (uint32_t)waves->iterations);
    rill_put_f64(writer, waves->tolerance);
}

/* Neither do papers that are in no use. */
static void put_papers(rill_writer *writer, const rill_solver *solver) {
    const rill_wang *wang = &solver->wang;
    if (writer->mode == RILL_HASH_VALUES && solver->papers == RILL_PAPERS_NONE) return;
    rill_put_u8(writer, (uint8_t)solver->papers);
    rill_put_f64(writer, wang->viscosity);
    rill_put_f64(writer, wang->friction);
    rill_put_f64(writer, wang->time_step);
    rill_put_u32(writer, (uint32_t)wang->iterations);
    rill_put_f64(writer, wang->tolerance);
    rill_put_u8(writer, (uint8_t)wang->tension);
    rill_put_u8(writer, (uint8_t)wang->preconditioner);
    rill_put_u8(writer, (uint8_t)wang->front);
    rill_put_u8(writer, wang->angular);
}

/* Settings of tension decide nothing while it does not act: then hashes are what they are without them. */
static bool wants_tension(const rill_writer *writer, const rill_world *world) {
    return writer->mode != RILL_HASH_VALUES || rill_world_tension(world);
}

static void put_angles(rill_writer *writer, const rill_contact_angle *angle) {
    rill_put_f64(writer, angle->advancing);
    rill_put_f64(writer, angle->receding);
}

static void put_settings(rill_writer *writer, const rill_world *world) {
    const rill_world_def *def = &world->def;
    rill_put_u32(writer, (uint32_t)def->grid.cells[0]);
    rill_put_u32(writer, (uint32_t)def->grid.cells[1]);
    rill_put_f64(writer, def->grid.cell_size);
    rill_put_f64s(writer, def->grid.origin, 3);
    rill_put_f64(writer, def->headroom);
    rill_put_f64(writer, def->min_opening);
    for (int side = 0; side < 4; ++side) {
        rill_put_u8(writer, (uint8_t)def->edges[side].kind);
        rill_put_f64(writer, def->edges[side].level);
    }
    rill_put_f64s(writer, def->gravity, 3);
    rill_put_f64(writer, def->liquid.density);
    rill_put_f64(writer, def->liquid.viscosity);
    rill_put_f64(writer, def->liquid.surface_tension);
    if (writer->mode == RILL_HASH_VALUES)
        rill_put_f64(writer, rill_contact_angle_mean(&def->liquid.contact_angle)); /* as the surface is drawn */
    rill_put_u8(writer, (uint8_t)def->solver.pipe_area);
    rill_put_u8(writer, (uint8_t)def->solver.passages);
    rill_put_u8(writer, def->solver.advection);
    rill_put_u8(writer, def->solver.rest);
    rill_put_u8(writer, def->solver.skip_idle);
    rill_put_f64(writer, def->solver.orifice);
    rill_put_f64(writer, def->solver.friction);
    rill_put_u32(writer, (uint32_t)def->solver.max_substeps);
    rill_put_u8(writer, (uint8_t)def->solver.method);
    const rill_kandemir *kandemir = &def->solver.kandemir;
    const double controls[] = { kandemir->pipe_length, kandemir->pipe_area, kandemir->time_step,
                                kandemir->vanishing,   kandemir->viscosity, kandemir->atmosphere };
    rill_put_f64s(writer, controls, sizeof controls / sizeof controls[0]);
    put_waves(writer, &def->solver);
    put_papers(writer, &def->solver);
    if (writer->mode != RILL_HASH_VALUES) rill_put_u8(writer, (uint8_t)def->solver.falls);
    if (!wants_tension(writer, world)) return;
    put_angles(writer, &def->liquid.contact_angle);
    rill_put_f64(writer, def->liquid.drying);
    rill_put_u8(writer, (uint8_t)def->solver.tension);
    rill_put_u8(writer, def->solver.wall_tension);
}

static void put_solid(rill_writer *writer, const rill_solid_def *def) {
    if (writer->mode != RILL_HASH_VALUES) rill_put_text(writer, def->name); /* names decide nothing */
    rill_put_u8(writer, (uint8_t)def->shape.type);
    const double *vectors[] = { def->shape.min,  def->shape.max,   def->shape.centre, def->shape.from, def->shape.to,
                                def->shape.axis, def->shape.point, def->rotate,       def->translate };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) rill_put_f64s(writer, vectors[i], 3);
    rill_put_f64(writer, def->shape.radius);
    rill_put_f64(writer, def->shape.tube);
    rill_put_f64(writer, def->scale);
    if (def->shape.type == RILL_SHAPE_MESH) {
        rill_put_u64(writer, def->shape.vertex_count);
        rill_put_u64(writer, def->shape.triangle_count);
        for (size_t i = 0; i < 3 * def->shape.vertex_count; ++i) rill_put_f32(writer, def->shape.vertices[i]);
        for (size_t i = 0; i < 3 * def->shape.triangle_count; ++i) rill_put_u32(writer, def->shape.indices[i]);
    }
    if (def->shape.type == RILL_SHAPE_HEIGHTMAP) {
        rill_put_u32(writer, (uint32_t)def->shape.heights_size[0]);
        rill_put_u32(writer, (uint32_t)def->shape.heights_size[1]);
        rill_put_f64s(writer, def->shape.heights,
                      (size_t)def->shape.heights_size[0] * (size_t)def->shape.heights_size[1]);
    }
}

/* A map of no size is none. */
static void put_wettability(rill_writer *writer, const rill_solid_def *def) {
    put_angles(writer, &def->contact_angle);
    for (int axis = 0; axis < 2; ++axis)
        rill_put_u32(writer, def->wettability ? (uint32_t)def->wettability_size[axis] : 0);
    rill_put_f64s(writer, def->wettability, rill_wettability_count(def));
}

static uint8_t slot_bits(const rill_solid_slot *slot) {
    return (uint8_t)((slot->solid ? RILL_SLOT_ALIVE : 0) | (slot->hidden ? RILL_SLOT_HIDDEN : 0) |
                     (slot->changed ? RILL_SLOT_CHANGED : 0) | (slot->touched ? RILL_SLOT_TOUCHED : 0) |
                     (slot->solid && slot->solid->soft ? RILL_SLOT_SOFT : 0));
}

void rill_snapshot_put_area(rill_writer *writer, const rill_area *area) {
    for (int axis = 0; axis < 2; ++axis) {
        RILL_ASSERT(area->low[axis] >= 0 && area->high[axis] >= 0);
        rill_put_u32(writer, (uint32_t)area->low[axis]);
        rill_put_u32(writer, (uint32_t)area->high[axis]);
    }
}

static void put_solids(rill_writer *writer, const rill_world *world) {
    const rill_solid_slot *slots = world->solids.data;
    rill_put_u32(writer, (uint32_t)world->solids.count);
    for (size_t i = 0; i < world->solids.count; ++i) {
        rill_put_u16(writer, slots[i].generation);
        rill_put_u8(writer, slot_bits(&slots[i]));
        if (slots[i].changed) rill_snapshot_put_area(writer, &slots[i].built);
        if (!slots[i].solid) continue;
        put_solid(writer, &slots[i].solid->def);
        if (wants_tension(writer, world)) put_wettability(writer, &slots[i].solid->def);
    }
}

static void put_columns(rill_writer *writer, const rill_bed *bed) {
    const size_t cells = (size_t)bed->grid.cells[0] * (size_t)bed->grid.cells[1];
    const size_t columns = (size_t)bed->info.columns;
    rill_put_f64(writer, bed->quantum);
    rill_put_f64(writer, bed->datum);
    const int64_t findings[] = { bed->info.degenerate_triangles, bed->info.doubled_triangles, bed->info.open_components,
                                 bed->info.closed_components, bed->info.outside_solids };
    for (size_t i = 0; i < sizeof findings / sizeof findings[0]; ++i) rill_put_u64(writer, (uint64_t)findings[i]);
    for (size_t i = 0; i < cells; ++i) {
        RILL_ASSERT(bed->cell_first[i + 1] >= bed->cell_first[i]);
        rill_put_u32(writer, (uint32_t)(bed->cell_first[i + 1] - bed->cell_first[i]));
    }
    RILL_ASSERT((size_t)bed->cell_first[cells] == columns);
    for (size_t i = 0; i < cells; ++i) {
        const rill_notes *notes = &bed->notes[i];
        rill_put_u32(writer, (uint32_t)notes->slivers | (uint32_t)notes->walls << 8 | (uint32_t)notes->sheets << 16 |
                                 (uint32_t)notes->clipped << 24);
    }
    for (size_t i = 0; i < columns; ++i) rill_put_u32(writer, (uint32_t)bed->b[bed->places[i]]);
    for (size_t i = 0; i < columns; ++i) rill_put_u32(writer, (uint32_t)bed->c[bed->places[i]]);
    for (size_t i = 0; i < columns; ++i) rill_put_u16(writer, bed->floors[i]);
}

static void put_sheets(rill_writer *writer, const rill_bed *bed) {
    const rill_sheet *sheet = NULL;
    rill_put_u8(writer, bed->roomy);
    rill_put_u32(writer, (uint32_t)bed->sheet_count);
    for (int32_t i = 0; i < bed->sheet_count; ++i) {
        rill_put_u32(writer, (uint32_t)bed->sheets[i].x0);
        rill_put_u32(writer, (uint32_t)bed->sheets[i].y0);
        rill_put_u32(writer, (uint32_t)bed->sheets[i].nx);
        rill_put_u32(writer, (uint32_t)bed->sheets[i].ny);
    }
    for (int64_t i = 0; i < bed->info.columns; ++i) {
        sheet = rill_face_sheet(bed, bed->places[i], sheet);
        RILL_ASSERT(sheet >= bed->sheets && sheet < bed->sheets + bed->sheet_count);
        rill_put_u32(writer, (uint32_t)(sheet - bed->sheets));
    }
}

static void put_column(rill_writer *writer, const rill_flow *flow, int32_t place) {
    RILL_ASSERT(place >= 0 && place < flow->bed->plane_size && flow->H[place] >= 0);
    rill_put_u32(writer, (uint32_t)flow->H[place]);
    rill_put_f32(writer, flow->u[place]);
    rill_put_f32(writer, flow->v[place]);
    if (flow->pressure) rill_put_u32(writer, (uint32_t)flow->pressure[place]);
}

static void put_state(rill_writer *writer, const rill_world *world) {
    const rill_bed *bed = &world->bed;
    const rill_flow *flow = &world->flow;
    rill_put_u32(writer, (uint32_t)bed->ghost_count);
    rill_put_u32(writer, (uint32_t)bed->pipe_count);
    rill_put_u32(writer, (uint32_t)bed->tile_count);
    for (int64_t i = 0; i < bed->info.columns; ++i) put_column(writer, flow, bed->places[i]);
    for (int32_t i = 0; i < bed->ghost_count; ++i) put_column(writer, flow, bed->ghosts[i].place);
    for (int32_t i = 0; i < bed->pipe_count; ++i) rill_put_f32(writer, flow->pipe_u[i]);
    for (int32_t i = 0; i < bed->tile_count; ++i) rill_put_u16(writer, flow->tiles[i]);
    rill_put_u8(writer, flow->stale);
    rill_put_u64(writer, flow->substep);
    rill_put_u32(writer, (uint32_t)flow->extent.depth);
    rill_put_u32(writer, (uint32_t)flow->extent.level);
    rill_put_f32(writer, flow->extent.speed);
    rill_put_f32(writer, flow->extent.rush);
    rill_put_f32(writer, flow->extent.dash);
    rill_put_f64(writer, world->time);
}

/* Whether tension remembers anything: a memory that is empty decides as little as none. */
static bool remembers_tension(const rill_world *world) {
    const rill_bed *bed = &world->bed;
    const rill_tension_memory memory = rill_tension_remembered(world->tension);
    for (int64_t i = 0; i < bed->info.columns; ++i) {
        const int32_t place = bed->places[i];
        if (memory.change[place] != 0.0f || memory.wet[place] != 0 || memory.flowing[place] != 0) return true;
    }
    for (int32_t i = 0; i < bed->pipe_count; ++i)
        if (memory.pipe_flowing[i]) return true;
    return false;
}

/* Whether there is any says the first byte; in a hash there is none unless there is some. */
static void put_tension(rill_writer *writer, const rill_world *world) {
    if (writer->mode != RILL_HASH_VALUES) rill_put_u8(writer, world->tension != NULL);
    if (!world->tension || (writer->mode == RILL_HASH_VALUES && !remembers_tension(world))) return;
    const rill_bed *bed = &world->bed;
    const rill_tension_memory memory = rill_tension_remembered(world->tension);
    for (int64_t i = 0; i < bed->info.columns; ++i) {
        rill_put_f32(writer, memory.change[bed->places[i]]);
        rill_put_u32(writer, (uint32_t)memory.wet[bed->places[i]]);
        rill_put_u8(writer, memory.flowing[bed->places[i]]);
    }
    for (int32_t i = 0; i < bed->pipe_count; ++i) rill_put_u8(writer, memory.pipe_flowing[i]);
}

static void put_tank(rill_writer *writer, const rill_tank *tank) {
    if (!tank) return;
    for (int32_t y = -1; y <= tank->cells[1]; ++y) {
        for (int32_t x = -1; x <= tank->cells[0]; ++x) {
            const size_t at = rill_tank_at(tank, x, y);
            const float values[] = { tank->ne[at], tank->nw[at], tank->set[at], tank->bodies[at] };
            for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i) rill_put_f32(writer, values[i]);
        }
    }
}

static void put_theta(rill_writer *writer, const rill_theta *theta) {
    if (!theta) return;
    for (int32_t y = -1; y <= theta->cells[1]; ++y)
        for (int32_t x = -1; x <= theta->cells[0]; ++x) {
            rill_put_f32(writer, theta->E[rill_theta_at(theta, x, y)]);
            rill_put_u32(writer, (uint32_t)theta->wet[rill_theta_at(theta, x, y)]);
        }
}

static void put_heights(rill_writer *writer, const rill_heights *heights) {
    if (!heights) return;
    rill_put_f64(writer, heights->last);
    for (int32_t y = 0; y < heights->cells[1]; ++y)
        for (int32_t x = 0; x < heights->cells[0]; ++x) {
            const size_t at = rill_heights_at(heights, x, y);
            rill_put_f64(writer, heights->d[at]);
            rill_put_f64(writer, heights->before[at]);
            rill_put_u8(writer, heights->kind[at]);
            rill_put_u8(writer, heights->wet[at]);
            rill_put_u8(writer, heights->held[at]);
            rill_put_f64(writer, heights->head[at]);
        }
}

static void put_books(rill_writer *writer, const rill_world *world) {
    const rill_book *books = world->books.data;
    rill_put_u32(writer, (uint32_t)world->books.count);
    for (size_t i = 0; i < world->books.count; ++i) {
        rill_put_text(writer, books[i].name);
        RILL_ASSERT(books[i].poured >= 0 && books[i].drained >= 0);
        rill_put_u64(writer, (uint64_t)books[i].poured);
        rill_put_u64(writer, (uint64_t)books[i].drained);
    }
}

static void put_source(rill_writer *writer, const rill_source *source) {
    const rill_source_def *def = &source->def;
    rill_put_text(writer, source->name);
    rill_put_u8(writer, (uint8_t)def->shape);
    rill_put_u8(writer, def->sink);
    rill_put_f64s(writer, def->at, 3);
    rill_put_f64(writer, def->radius);
    rill_put_f64s(writer, def->min, 3);
    rill_put_f64s(writer, def->max, 3);
    rill_put_f64(writer, rill_source_strength(def));
    rill_put_f64(writer, def->from);
    rill_put_f64(writer, def->until);
    rill_put_u32(writer, (uint32_t)source->book);
    rill_put_f64(writer, source->pending);
    rill_put_u64(writer, source->turn);
}

static void put_sources(rill_writer *writer, const rill_world *world) {
    const rill_source *sources = world->sources.data;
    rill_put_u32(writer, (uint32_t)world->sources.count);
    for (size_t i = 0; i < world->sources.count; ++i) {
        rill_put_u16(writer, sources[i].generation);
        rill_put_u8(writer, sources[i].alive);
        if (sources[i].alive) put_source(writer, &sources[i]);
    }
}

/* ---------------------------------------------------------------------------------------------------------- saving */

static void put_shells_alone(rill_writer *writer, const rill_world *world) {
    rill_put_f64(writer, world->time);
    put_books(writer, world);
    rill_snapshot_put_shells(writer, world);
}

static void put_world(rill_writer *writer, const rill_world *world, size_t length) {
    rill_put_u64(writer, RILL_SNAPSHOT_MAGIC);
    rill_put_u32(writer, RILL_SNAPSHOT_VERSION);
    rill_put_u32(writer, 0);
    rill_put_u64(writer, length);
    rill_put_u64(writer, 0); /* the checksum, once the rest is there */
    RILL_ASSERT(writer->mode == RILL_HASH_VALUES || writer->size == RILL_SNAPSHOT_HEADER);
    put_settings(writer, world);
    rill_put_text(writer, world->name);
    if (!rill_world_has_grid(world)) {
        put_shells_alone(writer, world);
        return;
    }
    put_solids(writer, world);
    put_columns(writer, &world->bed);
    put_sheets(writer, &world->bed);
    rill_snapshot_put_bodies(writer, world);
    put_state(writer, world);
    put_tank(writer, world->method.tank);
    put_theta(writer, world->method.theta);
    put_heights(writer, world->method.heights);
    put_tension(writer, world);
    rill_snapshot_put_falls(writer, world);
    rill_snapshot_put_moves(writer, world);
    put_books(writer, world);
    put_sources(writer, world);
    rill_snapshot_put_events(writer, world);
    rill_snapshot_put_forces(writer, world);
    rill_snapshot_put_shells(writer, world);
}

uint64_t rill_snapshot_checksum(const unsigned char *memory, size_t size) {
    RILL_ASSERT(size >= RILL_SNAPSHOT_HEADER);
    const uint64_t hash = rill_hash_bytes(RILL_HASH_START, memory, RILL_SNAPSHOT_CHECKSUM_AT);
    return rill_hash_bytes(hash, memory + RILL_SNAPSHOT_HEADER, size - RILL_SNAPSHOT_HEADER);
}

size_t rill_snapshot_size(const rill_world *world) {
    if (!world || (!world->built && rill_world_has_grid(world))) return 0;
    rill_writer writer = { .mode = RILL_COUNT_BYTES };
    put_world(&writer, world, 0);
    return writer.size;
}

rill_result rill_snapshot_save(const rill_world *world, void *memory, size_t capacity, size_t *size) {
    if (!world) return RILL_INVALID_ARGUMENT;
    if (!memory || !size)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "%s is NULL; expected %s", memory ? "size" : "memory",
                         memory ? "a place for the size" : "room for a snapshot");
    const rill_result result = rill_world_has_grid(world) ? rill_world_need_bed(world, "rill_snapshot_save") : RILL_OK;
    if (result) return result;
    const size_t length = rill_snapshot_size(world);
    if (capacity < length)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "capacity is %zu; expected at least %zu", capacity,
                         length);
    rill_writer writer = { .mode = RILL_STORE_BYTES, .memory = memory };
    put_world(&writer, world, length);
    RILL_ASSERT(writer.size == length && length > RILL_SNAPSHOT_HEADER);
    rill_writer checksum = { .mode = RILL_STORE_BYTES, .memory = memory, .size = RILL_SNAPSHOT_CHECKSUM_AT };
    rill_put_u64(&checksum, rill_snapshot_checksum(memory, length));
    *size = length;
    return RILL_OK;
}

/* -------------------------------------------------------------------------------------------- loading and rewinding */

rill_result rill_snapshot_load(const void *memory, size_t size, const rill_runtime *runtime, rill_world **out,
                               rill_message *message) {
    if (!memory || !out)
        return rill_fail(message, RILL_INVALID_ARGUMENT, "%s is NULL; expected %s", memory ? "out" : "memory",
                         memory ? "a place for the world" : "a snapshot");
    const rill_runtime standard = rill_default_world_def().runtime;
    if (!runtime) runtime = &standard;
    rill_result result = rill_check_runtime(runtime, message);
    if (result) return result;
    rill_world *world = NULL;
    result = rill_snapshot_read(memory, size, runtime, &world, message);
    if (result) return result;
    return rill_world_start(world, out, message);
}

/* Mends the pointers of a world into itself, after it was copied. */
static void mend(rill_world *world) {
    world->note = &world->message;
    world->flow.bed = &world->bed;
}

/* Hands on what the program keeps beside objects whose ids name something in both worlds. */
static void keep_user_data(rill_world *world, const rill_world *old) {
    rill_solid_slot *solids = world->solids.data;
    const rill_solid_slot *old_solids = old->solids.data;
    for (size_t i = 0; i < world->solids.count && i < old->solids.count; ++i)
        if (solids[i].solid && solids[i].generation == old_solids[i].generation) solids[i].user = old_solids[i].user;
    rill_source *sources = world->sources.data;
    const rill_source *old_sources = old->sources.data;
    for (size_t i = 0; i < world->sources.count && i < old->sources.count; ++i)
        if (sources[i].alive && sources[i].generation == old_sources[i].generation)
            sources[i].user = old_sources[i].user;
    rill_control *controls = world->forces.controls.data;
    const rill_control *old_controls = old->forces.controls.data;
    for (size_t i = 0; i < world->forces.controls.count && i < old->forces.controls.count; ++i)
        if (controls[i].alive && controls[i].generation == old_controls[i].generation)
            controls[i].user = old_controls[i].user;
    for (size_t i = 0; i < world->shells.count && i < old->shells.count; ++i) {
        rill_shell_slot *shell = rill_shell_slot_at(world, i);
        const rill_shell_slot *before = rill_shell_slot_at(old, i);
        if (shell->alive && shell->generation == before->generation) shell->user = before->user;
    }
    for (size_t i = 0; i < world->bodies.list.count && i < old->bodies.list.count; ++i) {
        rill_body *body = rill_body_at(&world->bodies, (int32_t)i);
        const rill_body *before = rill_body_at(&old->bodies, (int32_t)i);
        if (body->alive && body->generation == before->generation) body->user = before->user;
    }
}

rill_result rill_snapshot_restore(rill_world *world, const void *memory, size_t size) {
    if (!world) return RILL_INVALID_ARGUMENT;
    if (!memory) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "memory is NULL; expected a snapshot");
    rill_world *loaded = NULL;
    const rill_result result = rill_snapshot_read(memory, size, &world->def.runtime, &loaded, world->note);
    if (result) return result;
    const rill_world old = *world;
    *world = *loaded;
    world->pool = old.pool;
    world->message = old.message;
    keep_user_data(world, &old);
    world->bed_log = old.bed_log;
    rill_bed_log_change(&world->bed_log, NULL, 0);
    mend(world);
    *loaded = old;
    loaded->pool = NULL;
    mend(loaded);
    rill_world_destroy(loaded);
    return RILL_OK;
}

/* ----------------------------------------------------------------------------------------------------------- hash */

/* Leaves books out: they decide nothing. */
uint64_t rill_world_hash(const rill_world *world) {
    if (!world) return 0;
    rill_writer writer = { .mode = RILL_HASH_VALUES, .hash = RILL_HASH_START };
    put_settings(&writer, world);
    put_solids(&writer, world);
    if (world->built) {
        put_columns(&writer, &world->bed);
        put_sheets(&writer, &world->bed);
        rill_snapshot_put_bodies(&writer, world);
        put_state(&writer, world);
        put_tank(&writer, world->method.tank);
        put_theta(&writer, world->method.theta);
        put_heights(&writer, world->method.heights);
        put_tension(&writer, world);
        rill_snapshot_put_moves(&writer, world);
    }
    put_sources(&writer, world);
    rill_snapshot_put_forces(&writer, world);
    if (!rill_world_has_grid(world)) rill_put_f64(&writer, world->time); /* that of others is in the state */
    rill_snapshot_put_shells(&writer, world);
    return writer.hash;
}
