/* Solids that move in snapshots: what they have expelled and withdrawn, which ceilings open, and when they did what. */
#include <math.h>

#include "base/assert.h"
#include "motion/opening_ceilings.h"
#include "motion/swept_volume.h"
#include "snapshot/snapshot.h"

/* Bytes of an item. */
enum {
    EXPELLED_BYTES = 37,
    WITHDRAWN_BYTES = 29,
    OPENING_BYTES = 16,
    MOVING_SOLID_BYTES = 84,
    CELL_TIMES_BYTES = 28,
};

/* ---------------------------------------------------------------------------------------------------------- writing */

/* Returns a time, or -1 if it is so long ago that it is of no more interest. */
static double lately(const rill_world *world, double time) {
    return world->time - time < RILL_EXPELLED_SLOWEST ? time : -1.0;
}

static rill_cell_times times_of(const rill_world *world, size_t cell) {
    const rill_cell_times *times = &world->cell_times[cell];
    return (rill_cell_times){ lately(world, times->moved), lately(world, times->pressed),
                              lately(world, times->opened) };
}

static bool touched_lately(const rill_cell_times *times) {
    return times->moved >= 0.0 || times->pressed >= 0.0 || times->opened >= 0.0;
}

static void put_times(rill_writer *writer, const rill_world *world) {
    const size_t cells = world->cell_times ? rill_world_cells(world) : 0;
    uint32_t count = 0;
    for (size_t i = 0; i < cells; ++i) {
        const rill_cell_times times = times_of(world, i);
        count += touched_lately(&times);
    }
    rill_put_u32(writer, count);
    for (size_t i = 0; i < cells; ++i) {
        const rill_cell_times times = times_of(world, i);
        if (!touched_lately(&times)) continue;
        rill_put_u32(writer, (uint32_t)i);
        rill_put_f64(writer, times.moved);
        rill_put_f64(writer, times.pressed);
        rill_put_f64(writer, times.opened);
    }
}

static bool still_moves(const rill_world *world, const rill_moving_solid *moving) {
    return world->time - moving->last <= RILL_MOVING_PATIENCE;
}

static void put_moving_solids(rill_writer *writer, const rill_world *world) {
    const rill_moving_solid *moving_solids = world->moving_solids.data;
    uint32_t count = 0;
    for (size_t i = 0; i < world->moving_solids.count; ++i) count += still_moves(world, &moving_solids[i]);
    rill_put_u32(writer, count);
    for (size_t i = 0; i < world->moving_solids.count; ++i) {
        if (!still_moves(world, &moving_solids[i])) continue;
        RILL_ASSERT(i == 0 || moving_solids[i - 1].slot < moving_solids[i].slot);
        RILL_ASSERT(moving_solids[i].since <= world->time && moving_solids[i].last <= world->time);
        rill_put_u32(writer, (uint32_t)moving_solids[i].slot);
        rill_snapshot_put_area(writer, &moving_solids[i].area);
        rill_put_f64(writer, moving_solids[i].since);
        rill_put_f64(writer, moving_solids[i].last);
        for (int k = 0; k < 2; ++k) rill_put_f64s(writer, moving_solids[i].pose[k], 3);
    }
}

void rill_snapshot_put_moves(rill_writer *writer, const rill_world *world) {
    const rill_expelled *expelled = world->flow.expelled.data;
    const rill_withdrawn *withdrawn = world->flow.withdrawn.data;
    rill_put_u32(writer, (uint32_t)world->flow.expelled.count);
    for (size_t i = 0; i < world->flow.expelled.count; ++i) {
        RILL_ASSERT(expelled[i].amount > 0 && expelled[i].pushed == 0);
        RILL_ASSERT(i == 0 || expelled[i - 1].place < expelled[i].place);
        rill_put_u64(writer, (uint64_t)expelled[i].amount);
        rill_put_f64(writer, expelled[i].seconds);
        rill_put_f64s(writer, expelled[i].wall, 2);
        rill_put_u8(writer, (uint8_t)(expelled[i].side + 1));
        rill_put_u32(writer, (uint32_t)expelled[i].place);
    }
    rill_put_u32(writer, (uint32_t)world->flow.withdrawn.count);
    for (size_t i = 0; i < world->flow.withdrawn.count; ++i) {
        RILL_ASSERT(withdrawn[i].amount >= 0 && withdrawn[i].claims == 0 && withdrawn[i].before == 0);
        RILL_ASSERT(i == 0 || withdrawn[i - 1].place < withdrawn[i].place);
        rill_put_u64(writer, (uint64_t)withdrawn[i].amount);
        rill_put_f64(writer, withdrawn[i].seconds);
        rill_put_f64(writer, withdrawn[i].most);
        rill_put_u32(writer, (uint32_t)withdrawn[i].place);
        rill_put_u8(writer, (uint8_t)withdrawn[i].side);
    }
    const rill_opening *openings = world->flow.openings.data;
    rill_put_u32(writer, (uint32_t)world->flow.openings.count);
    for (size_t i = 0; i < world->flow.openings.count; ++i) {
        RILL_ASSERT(openings[i].room > 0 && (i == 0 || openings[i - 1].place < openings[i].place));
        rill_put_u32(writer, (uint32_t)openings[i].place);
        rill_put_u32(writer, (uint32_t)openings[i].room);
        rill_put_f64(writer, openings[i].seconds);
    }
    put_moving_solids(writer, world);
    put_times(writer, world);
}

/* ---------------------------------------------------------------------------------------------------------- reading */

/* Reads what is expelled. Places, times and sides are checked with the whole world, amounts against each other: all of
 * them are in the ledger. */
static rill_result get_expelled(rill_loading *load, int64_t *left) {
    rill_reader *reader = &load->reader;
    rill_flow *flow = &load->world->flow;
    const uint32_t count = rill_get_u32(reader);
    if (count > (uint64_t)flow->bed->info.columns || !rill_get_room(reader, count, EXPELLED_BYTES))
        return rill_loading_refuse(load, "what solids have pressed out makes no sense");
    if (!rill_array_resize(&flow->expelled, &load->world->allocator, count))
        return rill_loading_starved(load, "liquid");
    rill_expelled *expelled = flow->expelled.data;
    const size_t start = reader->at;
    for (uint32_t i = 0; i < count; ++i) {
        expelled[i] = (rill_expelled){ .amount = rill_loading_i64(reader) };
        expelled[i].seconds = rill_get_f64(reader);
        rill_get_f64s(reader, expelled[i].wall, 2);
        expelled[i].side = (int32_t)rill_get_u8(reader) - 1;
        expelled[i].place = rill_loading_i32(reader);
        if (reader->failed || expelled[i].amount > *left)
            return rill_loading_refuse(load, "what solids have pressed out makes no sense");
        *left -= expelled[i].amount;
    }
    RILL_ASSERT(reader->at - start == (size_t)count * EXPELLED_BYTES && *left >= 0);
    return RILL_OK;
}

static rill_result get_withdrawn(rill_loading *load, int64_t *left) {
    rill_reader *reader = &load->reader;
    rill_flow *flow = &load->world->flow;
    const uint32_t count = rill_get_u32(reader);
    if (count > (uint64_t)flow->bed->info.columns || !rill_get_room(reader, count, WITHDRAWN_BYTES))
        return rill_loading_refuse(load, "what solids have withdrawn makes no sense");
    if (count > 0 && !rill_expelled_reserve(flow, 0, &load->world->allocator))
        return rill_loading_starved(load, "liquid");
    if (!rill_array_resize(&flow->withdrawn, &load->world->allocator, count))
        return rill_loading_starved(load, "liquid");
    rill_withdrawn *withdrawn = flow->withdrawn.data;
    const size_t start = reader->at;
    for (uint32_t i = 0; i < count; ++i) {
        withdrawn[i] = (rill_withdrawn){ .amount = rill_loading_i64(reader) };
        withdrawn[i].seconds = rill_get_f64(reader);
        withdrawn[i].most = rill_get_f64(reader);
        withdrawn[i].place = rill_loading_i32(reader);
        withdrawn[i].side = rill_get_u8(reader);
        if (reader->failed || withdrawn[i].amount > *left)
            return rill_loading_refuse(load, "what solids have withdrawn makes no sense");
        *left -= withdrawn[i].amount;
    }
    RILL_ASSERT(reader->at - start == (size_t)count * WITHDRAWN_BYTES && *left >= 0);
    return RILL_OK;
}

/* Reads ceilings that open; all of it is checked with the whole world. */
static rill_result get_openings(rill_loading *load) {
    rill_reader *reader = &load->reader;
    rill_flow *flow = &load->world->flow;
    const uint32_t count = rill_get_u32(reader);
    if (count > (uint64_t)flow->bed->info.columns || !rill_get_room(reader, count, OPENING_BYTES))
        return rill_loading_refuse(load, "more ceilings open than there are");
    if (!rill_array_resize(&flow->openings, &load->world->allocator, count))
        return rill_loading_starved(load, "ceilings");
    rill_opening *openings = flow->openings.data;
    const size_t start = reader->at;
    for (uint32_t i = 0; i < count; ++i) {
        openings[i].place = rill_loading_i32(reader);
        openings[i].room = rill_loading_i32(reader);
        openings[i].seconds = rill_get_f64(reader);
    }
    RILL_ASSERT(reader->failed || reader->at - start == (size_t)count * OPENING_BYTES);
    return reader->failed ? rill_loading_refuse(load, "the ceilings that open end early") : RILL_OK;
}

/* Tells whether a time is one that may be stored; NaN is not. */
static bool good_time(const rill_world *world, double time) {
    return time == -1.0 || (time >= 0.0 && time <= world->time);
}

static bool finite_pose(const rill_moving_solid *moving) {
    bool finite = true;
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < 3; ++i) finite = finite && isfinite(moving->pose[k][i]);
    return finite;
}

static rill_result get_moving_solids(rill_loading *load) {
    rill_reader *reader = &load->reader;
    rill_world *world = load->world;
    const uint32_t count = rill_get_u32(reader);
    if (count > world->solids.count || !rill_get_room(reader, count, MOVING_SOLID_BYTES))
        return rill_loading_refuse(load, "more solids move than there are");
    if (!rill_array_resize(&world->moving_solids, &world->allocator, count))
        return rill_loading_starved(load, "solids");
    rill_moving_solid *moving_solids = world->moving_solids.data;
    const size_t start = reader->at;
    for (uint32_t i = 0; i < count; ++i) {
        rill_moving_solid *moving = &moving_solids[i];
        moving->slot = rill_loading_i32(reader);
        const bool area = rill_loading_area(reader, &world->def.grid, &moving->area);
        moving->since = rill_get_f64(reader);
        moving->last = rill_get_f64(reader);
        for (int k = 0; k < 2; ++k) rill_get_f64s(reader, moving->pose[k], 3);
        if (!area || reader->failed || moving->slot >= (int32_t)world->solids.count ||
            (i > 0 && moving->slot <= moving_solids[i - 1].slot) || !good_time(world, moving->since) ||
            !good_time(world, moving->last) || !finite_pose(moving))
            return rill_loading_refuse(load, "how a solid moves makes no sense");
    }
    RILL_ASSERT(reader->at - start == (size_t)count * MOVING_SOLID_BYTES);
    return RILL_OK;
}

static rill_result get_times(rill_loading *load) {
    rill_reader *reader = &load->reader;
    rill_world *world = load->world;
    const uint32_t count = rill_get_u32(reader);
    if (count > rill_world_cells(world) || !rill_get_room(reader, count, CELL_TIMES_BYTES))
        return rill_loading_refuse(load, "solids have moved in more cells than there are");
    if (count > 0 && !rill_world_time_cells(world)) return rill_loading_starved(load, "cells");
    const size_t start = reader->at;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t cell = rill_get_u32(reader);
        rill_cell_times times = { .moved = rill_get_f64(reader) };
        times.pressed = rill_get_f64(reader);
        times.opened = rill_get_f64(reader);
        if (reader->failed || cell >= rill_world_cells(world) || !good_time(world, times.moved) ||
            !good_time(world, times.pressed) || !good_time(world, times.opened))
            return rill_loading_refuse(load, "when a solid moved in a cell makes no sense");
        world->cell_times[cell] = times;
    }
    RILL_ASSERT(reader->failed || reader->at - start == (size_t)count * CELL_TIMES_BYTES);
    return reader->failed ? rill_loading_refuse(load, "the times of cells end early") : RILL_OK;
}

rill_result rill_loading_moves(rill_loading *load) {
    int64_t left = INT64_C(1) << 60; /* as of the accounts */
    rill_result result = get_expelled(load, &left);
    if (!result) result = get_withdrawn(load, &left);
    if (!result) result = get_openings(load);
    if (!result) result = get_moving_solids(load);
    if (!result) result = get_times(load);
    return result;
}
