/* Loads a snapshot: the format is in snapshot.h. Nothing in it is believed: the checksum finds damage, and as anybody
 * can compute a checksum, every count is compared with the bytes that are left before memory is taken for it, every
 * value with its range, and the finished world is validated as a whole. */
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "bed/sheets.h"
#include "kandemir/kandemir.h"
#include "passages/passages.h"
#include "snapshot/snapshot.h"
#include "wang/wang.h"
#include "waves/theta.h"

rill_result rill_loading_refuse(rill_loading *load, const char *what) {
    return rill_fail(load->message, RILL_INVALID_DATA, "snapshot, near byte %zu of %zu: %s", load->reader.at,
                     load->reader.size, what);
}

rill_result rill_loading_starved(rill_loading *load, const char *what) {
    return rill_fail(load->message, RILL_OUT_OF_MEMORY, "no memory for the %s of a snapshot", what);
}

rill_result rill_loading_result(rill_result result) {
    return result == RILL_OUT_OF_MEMORY || result == RILL_OK ? result : RILL_INVALID_DATA;
}

int32_t rill_loading_i32(rill_reader *reader) {
    const uint32_t value = rill_get_u32(reader);
    if (value > INT32_MAX) reader->failed = true;
    return reader->failed ? 0 : (int32_t)value;
}

int64_t rill_loading_i64(rill_reader *reader) {
    const uint64_t value = rill_get_u64(reader);
    if (value > INT64_MAX) reader->failed = true;
    return reader->failed ? 0 : (int64_t)value;
}

void rill_loading_angles(rill_reader *reader, rill_contact_angle *angle) {
    angle->advancing = rill_get_f64(reader);
    angle->receding = rill_get_f64(reader);
}

/* -------------------------------------------------------------------------------------------------------- sections */

static rill_result get_header(rill_loading *load) {
    rill_reader *reader = &load->reader;
    if (reader->size < RILL_SNAPSHOT_HEADER || rill_get_u64(reader) != RILL_SNAPSHOT_MAGIC)
        return rill_loading_refuse(load, "this is no snapshot");
    const uint32_t version = rill_get_u32(reader);
    if (version != RILL_SNAPSHOT_VERSION)
        return rill_fail(load->message, RILL_INVALID_DATA, "snapshot of format version %u; expected %d", version,
                         RILL_SNAPSHOT_VERSION);
    if (rill_get_u32(reader) != 0) return rill_loading_refuse(load, "the reserved word is not zero");
    const uint64_t length = rill_get_u64(reader);
    if (length != reader->size)
        return rill_fail(load->message, RILL_INVALID_DATA,
                         "snapshot of %llu bytes; expected %llu, the length it states",
                         (unsigned long long)reader->size, (unsigned long long)length);
    if (rill_get_u64(reader) != rill_snapshot_checksum(reader->memory, reader->size))
        return rill_loading_refuse(load, "the checksum does not fit the content: it is damaged");
    return RILL_OK;
}

static void get_settings(rill_reader *reader, rill_world_def *def) {
    def->grid.cells[0] = rill_loading_i32(reader);
    def->grid.cells[1] = rill_loading_i32(reader);
    def->grid.cell_size = rill_get_f64(reader);
    rill_get_f64s(reader, def->grid.origin, 3);
    def->headroom = rill_get_f64(reader);
    def->min_opening = rill_get_f64(reader);
    for (int side = 0; side < 4; ++side) {
        def->edges[side].kind = (rill_edge_kind)rill_get_u8(reader);
        def->edges[side].level = rill_get_f64(reader);
    }
    rill_get_f64s(reader, def->gravity, 3);
    def->liquid.density = rill_get_f64(reader);
    def->liquid.viscosity = rill_get_f64(reader);
    def->liquid.surface_tension = rill_get_f64(reader);
    def->solver.pipe_area = (rill_pipe_area)rill_get_u8(reader);
    def->solver.passages = (rill_passages)rill_get_u8(reader);
    def->solver.advection = rill_get_bool(reader);
    def->solver.rest = rill_get_bool(reader);
    def->solver.skip_idle = rill_get_bool(reader);
    def->solver.orifice = rill_get_f64(reader);
    def->solver.friction = rill_get_f64(reader);
    def->solver.max_substeps = rill_loading_i32(reader);
    def->solver.method = (rill_method)rill_get_u8(reader);
    rill_kandemir *kandemir = &def->solver.kandemir;
    double *const controls[] = { &kandemir->pipe_length, &kandemir->pipe_area, &kandemir->time_step,
                                 &kandemir->vanishing,   &kandemir->viscosity, &kandemir->atmosphere };
    for (size_t i = 0; i < sizeof controls / sizeof controls[0]; ++i) *controls[i] = rill_get_f64(reader);
    rill_waves *waves = &def->solver.waves;
    waves->theta = rill_get_f64(reader);
    waves->time_step = rill_get_f64(reader);
    waves->iterations = rill_loading_i32(reader);
    waves->tolerance = rill_get_f64(reader);
    rill_wang *wang = &def->solver.wang;
    def->solver.papers = (rill_papers)rill_get_u8(reader);
    wang->viscosity = rill_get_f64(reader);
    wang->friction = rill_get_f64(reader);
    wang->time_step = rill_get_f64(reader);
    wang->iterations = rill_loading_i32(reader);
    wang->tolerance = rill_get_f64(reader);
    wang->tension = (rill_wang_tension)rill_get_u8(reader);
    wang->preconditioner = (rill_wang_preconditioner)rill_get_u8(reader);
    wang->front = (rill_wang_front)rill_get_u8(reader);
    wang->angular = rill_get_bool(reader);
    def->solver.falls = (rill_falls_mode)rill_get_u8(reader);
    rill_loading_angles(reader, &def->liquid.contact_angle);
    def->liquid.drying = rill_get_f64(reader);
    def->solver.tension = (rill_tension)rill_get_u8(reader);
    def->solver.wall_tension = rill_get_bool(reader);
}

static rill_result get_world(rill_loading *load, const rill_runtime *runtime) {
    char name[RILL_NAME_LENGTH + 1];
    rill_world_def def = rill_default_world_def();
    get_settings(&load->reader, &def);
    rill_get_text(&load->reader, name, sizeof name);
    if (load->reader.failed) return rill_loading_refuse(load, "the settings make no sense");
    def.name = name;
    def.runtime = *runtime;
    const rill_result result = rill_loading_result(rill_check_world_def(&def, load->message));
    return result ? result : rill_world_make(&def, &load->world, load->message);
}

static bool get_column(rill_reader *reader, rill_world *world, int32_t place) {
    rill_flow *flow = &world->flow;
    RILL_ASSERT(place >= 0 && place < flow->bed->plane_size);
    flow->H[place] = rill_loading_i32(reader);
    flow->u[place] = rill_get_f32(reader);
    flow->v[place] = rill_get_f32(reader);
    const int32_t code = flow->pressure ? (int32_t)rill_get_u32(reader) : 0;
    if (flow->pressure) flow->pressure[place] = code;
    return flow->H[place] <= flow->bed->c[place] - flow->bed->b[place] && code >= RILL_PRESSURE_NEW;
}

static rill_result get_state(rill_loading *load) {
    rill_reader *reader = &load->reader;
    rill_world *world = load->world;
    const rill_bed *bed = &world->bed;
    rill_flow *flow = &world->flow;
    if (rill_loading_i32(reader) != bed->ghost_count || rill_loading_i32(reader) != bed->pipe_count ||
        rill_loading_i32(reader) != bed->tile_count)
        return rill_loading_refuse(load, "edges, pipes or tiles are not those of the bed");
    bool good = true;
    for (int64_t i = 0; good && i < bed->info.columns; ++i) good = get_column(reader, world, bed->places[i]);
    for (int32_t i = 0; good && i < bed->ghost_count; ++i) good = get_column(reader, world, bed->ghosts[i].place);
    for (int32_t i = 0; i < bed->pipe_count; ++i) flow->pipe_u[i] = rill_get_f32(reader);
    for (int32_t i = 0; i < bed->tile_count; ++i) flow->tiles[i] = rill_get_u16(reader);
    flow->stale = rill_get_bool(reader);
    flow->substep = rill_get_u64(reader);
    flow->extent.depth = rill_loading_i32(reader);
    flow->extent.level = rill_loading_i32(reader);
    flow->extent.speed = rill_get_f32(reader);
    flow->extent.rush = rill_get_f32(reader);
    flow->extent.dash = rill_get_f32(reader);
    world->time = rill_get_f64(reader);
    if (reader->failed || !good) return rill_loading_refuse(load, "depths or velocities make no sense");
    rill_passages_resume(flow);
    flow->tension = rill_world_tension(world);
    rill_flow_resume(flow);
    return RILL_OK;
}

/* Reads a tank; values are checked with the whole world. */
static rill_result get_tank(rill_loading *load) {
    rill_reader *reader = &load->reader;
    rill_tank *tank = load->world->method.tank;
    if (!tank) return RILL_OK;
    for (int32_t y = -1; y <= tank->cells[1]; ++y) {
        for (int32_t x = -1; x <= tank->cells[0]; ++x) {
            const size_t at = rill_tank_at(tank, x, y);
            float *const values[] = { &tank->ne[at], &tank->nw[at], &tank->set[at], &tank->bodies[at] };
            for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i) *values[i] = rill_get_f32(reader);
            tank->has_set |= tank->set[at] != 0.0f;
            tank->has_bodies |= tank->bodies[at] != 0.0f;
        }
    }
    return reader->failed ? rill_loading_refuse(load, "the flows of diagonal pipes end early") : RILL_OK;
}

/* Reads what the method `waves` keeps; values are checked with the whole world. */
static rill_result get_theta(rill_loading *load) {
    rill_theta *theta = load->world->method.theta;
    if (!theta) return RILL_OK;
    for (int32_t y = -1; y <= theta->cells[1]; ++y)
        for (int32_t x = -1; x <= theta->cells[0]; ++x) {
            theta->E[rill_theta_at(theta, x, y)] = rill_get_f32(&load->reader);
            theta->wet[rill_theta_at(theta, x, y)] = rill_loading_i32(&load->reader);
        }
    return load->reader.failed ? rill_loading_refuse(load, "the pressures of waves end early") : RILL_OK;
}

/* Reads the heights of wang; values are checked with the whole world. */
static rill_result get_heights(rill_loading *load) {
    rill_heights *heights = load->world->method.heights;
    if (!heights) return RILL_OK;
    heights->last = rill_get_f64(&load->reader);
    for (int32_t y = 0; y < heights->cells[1]; ++y)
        for (int32_t x = 0; x < heights->cells[0]; ++x) {
            const size_t at = rill_heights_at(heights, x, y);
            heights->d[at] = rill_get_f64(&load->reader);
            heights->before[at] = rill_get_f64(&load->reader);
            heights->kind[at] = rill_get_u8(&load->reader);
            heights->wet[at] = rill_get_u8(&load->reader);
            heights->held[at] = rill_get_u8(&load->reader);
            heights->head[at] = rill_get_f64(&load->reader);
        }
    return load->reader.failed ? rill_loading_refuse(load, "the heights end early") : RILL_OK;
}

/* Reads what tension remembers. */
static rill_result get_tension(rill_loading *load) {
    rill_reader *reader = &load->reader;
    rill_world *world = load->world;
    const rill_bed *bed = &world->bed;
    if (!rill_get_bool(reader)) return RILL_OK;
    if (!rill_world_tension(world)) return rill_loading_refuse(load, "there is tension where none acts");
    if (rill_world_ready_tension(world)) return rill_loading_starved(load, "tension");
    const rill_tension_memory memory = rill_tension_remembered(world->tension);
    bool good = true;
    for (int64_t i = 0; i < bed->info.columns; ++i) {
        const int32_t place = bed->places[i];
        memory.change[place] = rill_get_f32(reader);
        memory.wet[place] = rill_loading_i32(reader);
        memory.flowing[place] = rill_get_u8(reader);
        good &= fabsf(memory.change[place]) < RILL_SPEED_BOUND && memory.flowing[place] <= 3;
    }
    for (int32_t i = 0; i < bed->pipe_count; ++i) memory.pipe_flowing[i] = rill_get_u8(reader) != 0;
    return reader->failed || !good ? rill_loading_refuse(load, "what tension remembers makes no sense") : RILL_OK;
}

static rill_result get_books(rill_loading *load) {
    rill_reader *reader = &load->reader;
    rill_world *world = load->world;
    const uint32_t count = rill_get_u32(reader);
    if (count < RILL_BOOK_FIXED || count > INT32_MAX || !rill_get_room(reader, count, 20))
        return rill_loading_refuse(load, "the number of accounts makes no sense");
    int64_t poured = 0, drained = 0;
    for (uint32_t i = 0; i < count; ++i) {
        char name[RILL_NAME_LENGTH + 1];
        rill_get_text(reader, name, sizeof name);
        rill_book book = { .poured = rill_loading_i64(reader) };
        book.drained = rill_loading_i64(reader);
        const int64_t most = INT64_C(1) << 60; /* leaves room to go on booking */
        if (reader->failed || book.poured > most - poured || book.drained > most - drained)
            return rill_loading_refuse(load, "an account makes no sense");
        poured += book.poured;
        drained += book.drained;
        if (i < RILL_BOOK_FIXED) { /* is there already */
            rill_book *fixed = (rill_book *)world->books.data + i;
            if (strcmp(name, fixed->name) != 0)
                return rill_loading_refuse(load, "an account has another name than it should");
            fixed->poured = book.poured;
            fixed->drained = book.drained;
            continue;
        }
        book.name = rill_string_copy(&world->allocator, name);
        if (!book.name || !rill_array_push(&world->books, &world->allocator, &book)) {
            rill_string_free(&world->allocator, book.name);
            return rill_loading_starved(load, "accounts");
        }
    }
    return RILL_OK;
}

static rill_result get_source(rill_loading *load, rill_source *source) {
    rill_reader *reader = &load->reader;
    rill_world *world = load->world;
    rill_source_def *def = &source->def;
    char name[RILL_NAME_LENGTH + 1];
    rill_get_text(reader, name, sizeof name);
    def->shape = (rill_source_shape)rill_get_u8(reader);
    def->sink = rill_get_bool(reader);
    rill_get_f64s(reader, def->at, 3);
    def->radius = rill_get_f64(reader);
    rill_get_f64s(reader, def->min, 3);
    rill_get_f64s(reader, def->max, 3);
    *(def->shape == RILL_SOURCE_RAIN ? &def->rain : &def->rate) = rill_get_f64(reader);
    def->from = rill_get_f64(reader);
    def->until = rill_get_f64(reader);
    source->book = rill_loading_i32(reader);
    source->pending = rill_get_f64(reader);
    source->turn = rill_get_u64(reader);
    if (reader->failed) return rill_loading_refuse(load, "a source makes no sense");
    rill_result result = rill_loading_result(rill_check_source_def(def, load->message));
    if (result) return result;

    source->name = rill_string_copy(&world->allocator, name);
    if (!source->name) return rill_loading_starved(load, "sources");
    def->name = source->name;
    result = rill_loading_result(rill_source_attach(source, &world->bed, &world->allocator, load->message));
    if (result) return result;
    if (source->book < RILL_BOOK_FIXED || (size_t)source->book >= world->books.count || !(source->pending >= 0.0) ||
        source->pending >= 1.0 || (source->turn > 0 && source->turn >= source->place_count))
        return rill_loading_refuse(load, "what a source owes makes no sense");
    rill_book *book = (rill_book *)world->books.data + source->book;
    if (book->used) return rill_loading_refuse(load, "two sources have one account");
    book->used = true;
    return RILL_OK;
}

static rill_result get_sources(rill_loading *load) {
    rill_reader *reader = &load->reader;
    rill_world *world = load->world;
    const uint32_t count = rill_get_u32(reader);
    if (count > RILL_SLOTS_MAX || !rill_get_room(reader, count, 3))
        return rill_loading_refuse(load, "there are too many sources");
    if (!rill_array_resize(&world->sources, &world->allocator, count)) return rill_loading_starved(load, "sources");
    rill_source *sources = world->sources.data;
    for (uint32_t i = 0; i < count; ++i) {
        sources[i].generation = rill_get_u16(reader);
        sources[i].alive = rill_get_bool(reader);
        if (sources[i].generation == 0) return rill_loading_refuse(load, "a source has no generation");
        if (sources[i].alive) {
            const rill_result result = get_source(load, &sources[i]);
            if (result) return result;
        } else if (sources[i].generation < RILL_GENERATION_MAX) {
            world->sources_free += 1;
        }
    }
    return reader->failed ? rill_loading_refuse(load, "the sources end early") : RILL_OK;
}

/* ----------------------------------------------------------------------------------------------------- all of them */

/* Of a world that has a grid. */
static rill_result get_grid(rill_loading *load) {
    rill_result result = rill_loading_solids(load);
    if (!result) result = rill_loading_bed(load);
    if (!result) result = rill_loading_bodies(load); /* levels stand on the bases that they lift */
    if (!result) result = get_state(load);
    if (!result) result = get_tank(load);
    if (!result) result = get_theta(load);
    if (!result) result = get_heights(load);
    if (!result) result = get_tension(load);
    if (!result) result = rill_loading_falls(load);
    if (!result) result = rill_loading_moves(load);
    if (!result) result = get_books(load);
    if (!result) result = get_sources(load);
    if (!result) result = rill_loading_events(load);
    return result ? result : rill_loading_forces(load);
}

static rill_result get_shells_alone(rill_loading *load) {
    load->world->time = rill_get_f64(&load->reader);
    return get_books(load); /* the time is checked with the whole world */
}

static rill_result get_contents(rill_loading *load, const rill_runtime *runtime) {
    rill_result result = get_header(load);
    if (!result) result = get_world(load, runtime);
    if (!result) result = rill_world_has_grid(load->world) ? get_grid(load) : get_shells_alone(load);
    if (!result) result = rill_loading_shells(load);
    RILL_ASSERT(load->reader.at <= load->reader.size);
    if (!result && load->reader.at != load->reader.size)
        result = rill_loading_refuse(load, "more bytes follow than belong to it");
    if (!result) result = rill_loading_result(rill_world_validate(load->world, load->message));
    return result;
}

rill_result rill_snapshot_read(const void *memory, size_t size, const rill_runtime *runtime, rill_world **out,
                               rill_message *message) {
    rill_loading load = { .reader = { .memory = memory, .size = size }, .message = message };
    const rill_result result = get_contents(&load, runtime);
    if (result)
        rill_world_destroy(load.world);
    else
        *out = load.world;
    return result;
}
