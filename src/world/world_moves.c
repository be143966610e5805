/* Solids that move: the bed follows them, and the liquid follows the bed.
 *
 *   1  where:    the cells under each changed solid, as it stands in the bed and as it is now, joined to areas
 *   2  columns:  each area is rasterised anew; cells that differ from the bed are an update (bed/update.h)
 *   3  apply:    the bed gets them. The first time, and when a cell has no place left, in a copy that has more room
 *   4  prepare:  everything the liquid needs to follow, index of pipes, columns of sources
 *   5  commit:   cannot fail
 *
 * Whatever fails before 5 is undone, and the changes wait. The same calls give the same bits: the order of slots
 * decides, never an address or a time. */
#include "base/blocks.h"
#include "base/order.h"
#include "bed/sheets.h"
#include "bed/update.h"
#include "kandemir/kandemir.h"
#include "motion/remap_flow.h"
#include "passages/passages.h"
#include "world/method.h"

#include <string.h>

enum { AREAS_MAX = 64 }; /* beyond that, areas are joined also if they do not overlap */

/* The columns of a source that is looked for anew. */
typedef struct refit {
    size_t index;
    rill_source source; /* its places and tiles alone */
} refit;

struct rill_moves {
    rill_update update;
    rill_remap remap;
    rill_blocks blocks;               /* what rasterising takes, frame by frame */
    rill_array areas;                 /* rill_area */
    rill_array moving_solids;         /* rill_moving_solid: those of the world once this has happened */
    rill_array solids, touched;       /* const rill_solid *, uint8_t: per slot */
    rill_array by_r, fresh, renumber; /* int32_t: for rill_faces_renew */
    rill_array refits;
};

/* A bed with more room and the flow over it, until they take the place of the world's. */
typedef struct roomier {
    bool used;
    rill_bed bed;
    rill_flow flow;
} roomier;

static rill_moves *moves_of(rill_world *world) {
    if (world->moves) return world->moves;
    rill_moves *moves = rill_alloc_zeroed(&world->allocator, 1, sizeof *moves);
    if (!moves) return NULL;
    *moves = (rill_moves){ .update = rill_update_make(),
                           .remap = rill_remap_make(),
                           .blocks = rill_blocks_make(&world->allocator),
                           .areas = rill_array_make(sizeof(rill_area)),
                           .moving_solids = rill_array_make(sizeof(rill_moving_solid)),
                           .solids = rill_array_make(sizeof(const rill_solid *)),
                           .touched = rill_array_make(1),
                           .by_r = rill_array_make(sizeof(int32_t)),
                           .fresh = rill_array_make(sizeof(int32_t)),
                           .renumber = rill_array_make(sizeof(int32_t)),
                           .refits = rill_array_make(sizeof(refit)) };
    world->moves = moves;
    return moves;
}

void rill_moves_free(rill_world *world) {
    rill_moves *moves = world->moves;
    rill_free(&world->allocator, world->cell_times, rill_world_cells(world), sizeof *world->cell_times);
    world->cell_times = NULL;
    rill_array_free(&world->moving_solids, &world->allocator);
    if (!moves) return;
    rill_update_free(&moves->update, &world->allocator);
    rill_remap_free(&moves->remap, &world->allocator);
    rill_blocks_free(&moves->blocks);
    rill_array *const arrays[] = { &moves->areas, &moves->moving_solids, &moves->solids,   &moves->touched,
                                   &moves->by_r,  &moves->fresh,         &moves->renumber, &moves->refits };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) rill_array_free(arrays[i], &world->allocator);
    rill_free(&world->allocator, moves, 1, sizeof *moves);
    world->moves = NULL;
}

bool rill_world_time_cells(rill_world *world) {
    if (world->cell_times) return true;
    const size_t cells = rill_world_cells(world);
    rill_cell_times *times = rill_alloc_zeroed(&world->allocator, cells, sizeof *times);
    for (size_t i = 0; times && i < cells; ++i) times[i] = (rill_cell_times){ -1.0, -1.0, -1.0 };
    world->cell_times = times;
    return times != NULL;
}

static rill_result no_memory(const rill_world *world) {
    return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for solids that move");
}

/* ------------------------------------------------------------------------------------------------ where and columns */

static rill_area union_of(const rill_area *a, const rill_area *b) {
    rill_area all = *a;
    for (int i = 0; i < 2; ++i) {
        if (b->low[i] < all.low[i]) all.low[i] = b->low[i];
        if (b->high[i] > all.high[i]) all.high[i] = b->high[i];
    }
    return all;
}

/* Adds an area, joined with all that overlap it. */
static bool add_area(rill_world *world, rill_area area) {
    rill_array *areas = &world->moves->areas;
    if (rill_area_empty(&area)) return true;
    for (;;) {
        rill_area *all = areas->data;
        size_t i = 0;
        while (i < areas->count && !rill_area_overlaps(&all[i], &area)) ++i;
        if (i == areas->count && areas->count < AREAS_MAX) break;
        if (i == areas->count) i = 0;
        area = union_of(&area, &all[i]);
        all[i] = all[--areas->count];
    }
    return rill_array_push(areas, &world->allocator, &area) != NULL;
}

static bool find_areas(rill_world *world) {
    const rill_solid_slot *slots = world->solids.data;
    world->moves->areas.count = 0;
    for (size_t i = 0; i < world->solids.count; ++i)
        if (slots[i].changed &&
            (!add_area(world, slots[i].built) || !add_area(world, rill_world_reach(world, &slots[i]))))
            return false;
    return true;
}

/* A solid that changes now, of which it may be known how it moved before. */
static rill_moving_solid moving_solid_of(const rill_world *world, size_t slot, const rill_moving_solid *before) {
    const rill_solid_slot *at = (const rill_solid_slot *)world->solids.data + slot;
    const rill_area reach = rill_world_reach(world, at);
    rill_moving_solid moving = { .area = rill_area_empty(&reach) ? at->built : reach,
                                 .since = before ? before->since : world->time,
                                 .last = world->time,
                                 .slot = (int32_t)slot };
    if (!rill_area_empty(&reach) && !rill_area_empty(&at->built)) moving.area = union_of(&at->built, &reach);
    if (!at->solid) return moving;
    const rill_solid_def *def = &at->solid->def;
    memcpy(moving.pose[0], def->translate, sizeof moving.pose[0]);
    memcpy(moving.pose[1], def->rotate, sizeof moving.pose[1]);
    if (!before || def->shape.type == RILL_SHAPE_MESH || def->shape.type == RILL_SHAPE_HEIGHTMAP) return moving;
    moving.solid = at->solid;
    memcpy(moving.former, before->pose, sizeof moving.former);
    moving.interval = world->time - before->last;
    return moving;
}

/* The movers there were and those that change now, all by slot. What has rested begins anew. */
static bool find_moving_solids(rill_world *world) {
    const rill_solid_slot *slots = world->solids.data;
    const rill_moving_solid *known = world->moving_solids.data;
    size_t next = 0;
    rill_array *moving_solids = &world->moves->moving_solids;
    moving_solids->count = 0;
    if (!rill_array_reserve(moving_solids, &world->allocator, world->moving_solids.count + world->changes))
        return false;
    rill_moving_solid *all = moving_solids->data;
    for (size_t i = 0; i < world->solids.count; ++i) {
        const rill_moving_solid *before =
            next < world->moving_solids.count && known[next].slot == (int32_t)i ? &known[next++] : NULL;
        if (before && world->time - before->last > RILL_MOVING_PATIENCE) before = NULL;
        if (slots[i].changed)
            all[moving_solids->count++] = moving_solid_of(world, i, before);
        else if (before)
            all[moving_solids->count++] = *before;
    }
    return true;
}

rill_motion rill_world_motion(const rill_world *world) {
    return (rill_motion){ world->moving_solids.data, world->moving_solids.count, world->time };
}

/* The solids that have to do with an area, the ring around it included; NULL for all others. */
static void list_near(const rill_world *world, const rill_area *area) {
    const rill_solid_slot *slots = world->solids.data;
    const rill_solid **solids = world->moves->solids.data;
    const rill_area window = { { area->low[0] - 1, area->low[1] - 1 }, { area->high[0] + 1, area->high[1] + 1 } };
    for (size_t i = 0; i < world->solids.count; ++i) {
        const rill_area reach = rill_world_reach(world, &slots[i]);
        solids[i] = rill_area_overlaps(&reach, &window) ? slots[i].solid : NULL;
    }
}

static rill_result find_changes(rill_world *world) {
    rill_moves *moves = world->moves;
    const rill_solid_slot *slots = world->solids.data;
    const rill_range range = { world->bed.quantum, world->bed.datum };
    const size_t count = world->solids.count;
    if (!find_areas(world) || !find_moving_solids(world) ||
        !rill_array_resize(&moves->solids, &world->allocator, count) ||
        !rill_array_resize(&moves->touched, &world->allocator, count))
        return no_memory(world);
    uint8_t *touched = moves->touched.data;
    for (size_t i = 0; i < count; ++i) touched[i] = slots[i].touched && !slots[i].changed;
    const rill_area *areas = moves->areas.data;
    const rill_allocator blocks = rill_blocks_allocator(&moves->blocks);
    for (size_t i = 0; i < moves->areas.count; ++i) {
        rill_columns columns;
        list_near(world, &areas[i]);
        rill_result result = rill_columns_rebuild(&world->def, &range, &areas[i], moves->solids.data, count, touched,
                                                  &blocks, &columns, world->note);
        if (!result)
            result =
                rill_update_compare(&moves->update, &world->bed, &columns, &blocks, &world->allocator, world->note);
        if (result) return result;
    }
    return RILL_OK;
}

/* ----------------------------------------------------------------------------------------------------------- apply */

static void free_room(rill_world *world, roomier *room) {
    if (!room->used) return;
    rill_world_free_flow(world, &room->flow);
    rill_bed_free(&room->bed, &world->allocator);
    room->used = false;
}

/* Finds a bed in which the new columns have a place, and gives it the liquid. */
static rill_result make_room(rill_world *world, roomier *room) {
    rill_update *update = &world->moves->update;
    const rill_allocator *allocator = &world->allocator;
    bool full = true;
    for (int32_t spare = 1; full; ++spare) {
        free_room(world, room);
        rill_result result =
            rill_bed_make_roomy(&world->bed, spare, world->def.edges, allocator, &room->bed, world->note);
        if (result) return result;
        room->used = true;
        result = rill_update_apply(update, &room->bed, world->def.edges, allocator, &full, world->note);
        if (result && !full) return result;
    }
    rill_update_undo(update, &room->bed, world->def.edges);
    rill_result result = rill_world_make_flow(world, &room->bed, &room->flow, world->note);
    if (!result) result = rill_flow_transfer(&world->flow, &room->flow, allocator, world->note);
    if (!result) result = rill_update_apply(update, &room->bed, world->def.edges, allocator, &full, world->note);
    return result;
}

static rill_result apply(rill_world *world, roomier *room) {
    bool full = !world->bed.roomy;
    rill_result result = RILL_OK;
    if (!full)
        result = rill_update_apply(&world->moves->update, &world->bed, world->def.edges, &world->allocator, &full,
                                   world->note);
    return full ? make_room(world, room) : result;
}

/* --------------------------------------------------------------------------------------------------------- prepare */

static rill_result prepare_faces(rill_world *world, const rill_bed *bed, bool anew) {
    rill_moves *moves = world->moves;
    const size_t count = (size_t)bed->pipe_count, old = anew ? 0 : (size_t)moves->update.other.pipe_count;
    if (!rill_array_resize(&moves->by_r, &world->allocator, count) ||
        !rill_array_resize(&moves->fresh, &world->allocator, count) ||
        !rill_array_resize(&moves->renumber, &world->allocator, old))
        return no_memory(world);
    int32_t *by_r = moves->by_r.data;
    if (!anew) {
        rill_faces_renew(bed, moves->update.pipe_from.data, world->pipes_by_r, (int32_t)old, by_r, moves->fresh.data,
                         moves->renumber.data);
        return RILL_OK;
    }
    for (size_t i = 0; i < count; ++i) by_r[i] = (int32_t)i;
    rill_order_items(by_r, count, bed->pipe_r);
    return RILL_OK;
}

static void drop_refits(rill_world *world) {
    refit *refits = world->moves->refits.data;
    for (size_t i = 0; i < world->moves->refits.count; ++i) rill_source_detach(&refits[i].source, &world->allocator);
    world->moves->refits.count = 0;
}

/* The cells that have changed, all together. */
static rill_area changed_cells(const rill_update *update) {
    const rill_cell_change *changes = update->changes.data;
    rill_area all = { { changes[0].x, changes[0].y }, { changes[0].x + 1, changes[0].y + 1 } };
    for (size_t i = 1; i < update->changes.count; ++i) {
        const rill_area cell = { { changes[i].x, changes[i].y }, { changes[i].x + 1, changes[i].y + 1 } };
        all = union_of(&all, &cell);
    }
    return all;
}

static rill_result prepare_sources(rill_world *world, const rill_bed *bed, bool anew) {
    const rill_area changed = changed_cells(&world->moves->update);
    const rill_source *sources = world->sources.data;
    for (size_t i = 0; i < world->sources.count; ++i) {
        const rill_area area = rill_source_area(&sources[i].def, &bed->grid);
        if (!sources[i].alive || (!anew && !rill_area_overlaps(&area, &changed))) continue;
        refit found = { .index = i, .source = { .def = sources[i].def } };
        const rill_result result = rill_source_attach(&found.source, bed, &world->allocator, world->note);
        if (result) return result;
        if (!rill_array_push(&world->moves->refits, &world->allocator, &found)) {
            rill_source_detach(&found.source, &world->allocator);
            return no_memory(world);
        }
    }
    return RILL_OK;
}

static rill_result prepare(rill_world *world, rill_flow *flow, bool anew, const rill_displace_how *how) {
    rill_result result = anew ? rill_world_ready_forces(world, flow) : RILL_OK;
    if (!result) result = prepare_faces(world, flow->bed, anew);
    if (!result) result = prepare_sources(world, flow->bed, anew);
    if (!result && world->bodies.alive > 0 && !rill_bodies_prepare(&world->bodies, flow->bed, &world->allocator))
        result = no_memory(world);
    if (!result)
        result =
            rill_remap_prepare(&world->moves->remap, flow, &world->moves->update, how, &world->allocator, world->note);
    return result;
}

/* ---------------------------------------------------------------------------------------------------------- commit */

static void commit_faces(rill_world *world) {
    rill_array *by_r = &world->moves->by_r;
    int32_t *const held = world->pipes_by_r;
    const size_t capacity = world->by_r_capacity;
    world->pipes_by_r = by_r->data;
    world->by_r_capacity = by_r->capacity;
    by_r->data = held;
    by_r->capacity = capacity;
    by_r->count = 0;
}

static void commit_sources(rill_world *world) {
    rill_source *sources = world->sources.data;
    const refit *refits = world->moves->refits.data;
    for (size_t i = 0; i < world->moves->refits.count; ++i) {
        rill_source *source = &sources[refits[i].index];
        const rill_source *found = &refits[i].source;
        rill_source_detach(source, &world->allocator);
        source->places = found->places, source->place_count = found->place_count;
        source->place_capacity = found->place_capacity;
        source->tiles = found->tiles, source->wakes = found->wakes, source->tile_count = found->tile_count;
        source->tile_capacity = found->tile_capacity;
        source->turn = source->place_count > 0 ? source->turn % source->place_count : 0;
    }
    world->moves->refits.count = 0;
}

/* The roomier bed and its flow take the place of the world's. */
static void move_in(rill_world *world, roomier *room) {
    if (!room->used) return;
    rill_world_free_flow(world, &world->flow);
    rill_bed_free(&world->bed, &world->allocator);
    world->bed = room->bed;
    world->flow = room->flow;
    world->flow.bed = &world->bed;
    rill_bed_log_change(&world->bed_log, NULL, 0); /* every place is another one */
    room->used = false;
}

static rill_result remap(rill_world *world) {
    const rill_passages passages = world->def.solver.passages;
    rill_moves *moves = world->moves;
    roomier room = { 0 };
    if (!rill_world_time_cells(world)) return no_memory(world);
    const rill_displace_how how = { .slack = passages == RILL_PASSAGES_OFF ? 0 : RILL_FULL,
                                    .pushes = passages == RILL_PASSAGES_ANY,
                                    .motion = { moves->moving_solids.data, moves->moving_solids.count, world->time },
                                    .times = world->cell_times };
    rill_result result = apply(world, &room);
    if (result) {
        free_room(world, &room);
        return result;
    }
    rill_flow *flow = room.used ? &room.flow : &world->flow;
    if (room.used) flow->bed = &room.bed;
    result = rill_world_method(world)->check_bed(flow->bed, world->note);
    if (!result) result = prepare(world, flow, room.used, &how);
    if (result) {
        drop_refits(world);
        rill_update_undo(&moves->update, room.used ? &room.bed : &world->bed, world->def.edges);
        free_room(world, &room);
        return result;
    }
    rill_remap_commit(&moves->remap, flow, &moves->update, &how, &world->allocator);
    move_in(world, &room);
    if (world->bodies.alive > 0) rill_bodies_commit(&world->bodies, &world->flow, &world->allocator);
    commit_faces(world);
    commit_sources(world);
    rill_world_apply_forces(world, false);
    world->squeezed |= moves->remap.displace.squeezed;
    world->bed.info.state_bytes = rill_flow_state_bytes(&world->bed);
    return RILL_OK;
}

/* The solids are as they stand in the bed. */
static void settle_slots(rill_world *world) {
    rill_solid_slot *slots = world->solids.data;
    const uint8_t *touched = world->moves->touched.data;
    const rill_solid **solids = world->moves->solids.data;
    for (size_t i = 0; i < world->solids.count; ++i) {
        solids[i] = slots[i].hidden ? NULL : slots[i].solid;
        slots[i].touched = touched[i];
        if (!slots[i].changed) continue;
        slots[i].built = rill_world_reach(world, &slots[i]);
        slots[i].changed = false;
        if (rill_slot_free(&slots[i])) world->solids_free += 1;
    }
    world->changes = 0;
    const rill_array moving_solids = world->moving_solids;
    world->moving_solids = world->moves->moving_solids;
    world->moves->moving_solids = moving_solids;
    rill_moving_solid *all = world->moving_solids.data;
    for (size_t i = 0; i < world->moving_solids.count; ++i) all[i].solid = NULL;
    rill_solids_describe(solids, world->solids.count, touched, &world->bed.info);
}

rill_result rill_world_follow(rill_world *world) {
    if (world->changes == 0) return RILL_OK;
    rill_moves *moves = moves_of(world);
    if (!moves) return no_memory(world);
    const rill_bed_info before = world->bed.info;
    rill_result result = find_changes(world);
    if (!result && moves->update.changes.count > 0)
        result = remap(world);
    else if (!result)
        rill_update_touch(&moves->update, &world->bed);
    const rill_allocator blocks = rill_blocks_allocator(&moves->blocks);
    rill_update_end(&moves->update, &blocks);
    if (!result) {
        settle_slots(world);
        if (moves->areas.count > 0) rill_bed_log_change(&world->bed_log, moves->areas.data, moves->areas.count);
        rill_bodies_refit(&world->bodies, &world->flow);
        rill_world_book_lost(world);
        rill_world_log_bed(world, &before);
    }
    return result;
}
