/* Edges that change while there is a bed. Beside each column at an open or still edge stands a ghost (bed/bed.h): another
 * kind of edge is other ghosts, and the same that a bed needs whose solids have moved, along one side. Whatever can fail
 * comes before the flow notices. */
#include "bed/sheets.h"
#include "bed/update.h"
#include "flow/column.h"
#include "flow/stages.h"
#include "kandemir/kandemir.h"
#include "passages/passages.h"
#include "world/method.h"

/* Tiles of a sheet: those at one side whose description may depend on the ghosts there, the outermost two. */
static rill_area tiles_along(const rill_sheet *sheet, int32_t side) {
    const int32_t count[2] = { sheet->tiles_x, sheet->tiles_y }, axis = side / 2;
    rill_area area = { { 0, 0 }, { count[0], count[1] } };
    if (side == RILL_WEST || side == RILL_SOUTH)
        area.high[axis] = rill_min_i(2, count[axis]);
    else
        area.low[axis] = rill_max_i(0, count[axis] - 2);
    return area;
}

/* Cells along a side of the grid. */
static rill_area cells_along(const rill_grid *grid, int32_t side) {
    const int32_t axis = side / 2;
    rill_area area = { { 0, 0 }, { grid->cells[0], grid->cells[1] } };
    if (side == RILL_WEST || side == RILL_SOUTH)
        area.high[axis] = 1;
    else
        area.low[axis] = grid->cells[axis] - 1;
    return area;
}

/* ------------------------------------------------------------------------------------------------------- what can fail */

/* Everything that an edge of another kind takes. */
typedef struct edge_change {
    int32_t side;
    rill_edge edges[4];
    rill_ghost *old;
    int32_t old_count;
    size_t old_capacity;
    uint8_t *roofed; /* per tile; NULL under open sky */
    rill_passage_solver *passages;
} edge_change;

static void exchange_lists(rill_bed *bed, edge_change *change) {
    rill_ghost *const ghosts = bed->ghosts;
    const int32_t count = bed->ghost_count;
    const size_t capacity = bed->ghost_capacity;
    rill_lists_clear(bed, ghosts, count);
    bed->ghosts = change->old, bed->ghost_count = change->old_count, bed->ghost_capacity = change->old_capacity;
    change->old = ghosts, change->old_count = count, change->old_capacity = capacity;
}

/* Finds the tiles that have a ceiling now, ghosts' ceilings included. */
static void find_roofs(const rill_flow *flow, int32_t side, uint8_t *roofed) {
    const rill_bed *bed = flow->bed;
    const uint8_t *known = rill_passages_roofs(flow);
    for (int32_t i = 0; i < bed->tile_count; ++i) roofed[i] = known[i];
    for (int32_t s = 0; s < bed->sheet_count; ++s) {
        const rill_sheet *sheet = &bed->sheets[s];
        const rill_area tiles = tiles_along(sheet, side);
        for (int32_t ty = tiles.low[1]; ty < tiles.high[1]; ++ty)
            for (int32_t tx = tiles.low[0]; tx < tiles.high[0]; ++tx)
                roofed[sheet->first_tile + ty * sheet->tiles_x + tx] = rill_passages_has_ceiling(bed, sheet, tx, ty);
    }
}

static bool take_memory(rill_world *world, edge_change *change) {
    rill_flow *flow = &world->flow;
    if (!rill_flow_reserve_ghosts(flow, &world->allocator)) return false;
    if (!flow->passages) return true;
    change->roofed = rill_alloc_zeroed(&world->allocator, (size_t)world->bed.tile_count, 1);
    if (!change->roofed) return false;
    find_roofs(flow, change->side, change->roofed);
    return rill_passages_reserve(flow, change->roofed, &change->passages, &world->allocator);
}

/* Lists the ghosts of the new edges in the bed; on failure it is as it was. */
static rill_result prepare(rill_world *world, edge_change *change) {
    rill_bed *bed = &world->bed;
    const int32_t count = rill_ghosts_list(bed, change->edges, NULL);
    change->old = rill_alloc_zeroed(&world->allocator, (size_t)count, sizeof *change->old);
    change->old_count = count;
    change->old_capacity = (size_t)count;
    bool good = change->old != NULL;
    if (good) {
        exchange_lists(bed, change);
        rill_ghosts_list(bed, change->edges, bed->ghosts);
        good = take_memory(world, change);
        if (!good) {
            exchange_lists(bed, change);
            rill_ghosts_list(bed, world->def.edges, bed->ghosts);
        }
    }
    return good
               ? RILL_OK
               : rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for the %d columns outside of the edges", count);
}

static void free_change(const rill_world *world, edge_change *change) {
    rill_free(&world->allocator, change->old, change->old_capacity, sizeof *change->old);
    rill_free(&world->allocator, change->roofed, (size_t)world->bed.tile_count, 1);
}

/* ------------------------------------------------------------------------------------------------------------- commit */

static void describe_tiles(rill_flow *flow, int32_t side) {
    const rill_bed *bed = flow->bed;
    for (int32_t s = 0; s < bed->sheet_count; ++s) {
        const rill_area tiles = tiles_along(&bed->sheets[s], side);
        for (int32_t ty = tiles.low[1]; ty < tiles.high[1]; ++ty)
            for (int32_t tx = tiles.low[0]; tx < tiles.high[0]; ++tx) {
                rill_flow_describe_tile(flow, s, tx, ty);
                if (flow->passages) rill_passages_count_flooded(flow, s, tx, ty);
            }
    }
    rill_flow_described(flow);
}

/* Bodies lift bases of columns; those of ghosts are what they are. */
static void follow_bases(rill_world *world, const rill_ghost *ghosts, int32_t count) {
    if (world->bodies.plane_size != (size_t)world->bed.plane_size) return;
    for (int32_t i = 0; i < count; ++i) world->bodies.lifted[ghosts[i].place] = world->bed.b[ghosts[i].place];
}

/* Stops the diagonal pipes of Kandemir's tank beyond an edge that is a wall now. */
static void stop_diagonals(rill_world *world, const edge_change *change) {
    if (change->edges[change->side].kind != RILL_EDGE_WALL) return;
    for (int32_t i = 0; i < change->old_count; ++i) {
        int32_t x, y;
        if (change->old[i].edge != change->side) continue;
        rill_bed_sheet_of(&world->bed, change->old[i].place, &x, &y);
        rill_world_method(world)->stop_cell(world, x, y);
    }
}

/* Wakes what stands along a side; what was flooded and sealed there may have a way out now. */
static void wake_side(rill_world *world, int32_t side) {
    const rill_bed *bed = &world->bed;
    rill_flow *flow = &world->flow;
    const rill_area cells = cells_along(&bed->grid, side);
    for (int32_t y = cells.low[1]; y < cells.high[1]; ++y)
        for (int32_t x = cells.low[0]; x < cells.high[0]; ++x) {
            const size_t cell = (size_t)y * (size_t)bed->grid.cells[0] + (size_t)x;
            for (int32_t k = bed->cell_first[cell]; k < bed->cell_first[cell + 1]; ++k) {
                const int32_t place = bed->places[k];
                if (flow->H[place] > 0) rill_flow_wake(flow, place);
                if (flow->pressure && flow->pressure[place] < 0) rill_passages_fill(flow, place, true);
            }
        }
    flow->stale = true;
}

static void commit(rill_world *world, const edge_change *change) {
    rill_flow *flow = &world->flow;
    if (flow->passages) rill_passages_refit(flow, change->roofed, change->passages, &world->allocator);
    rill_flow_exchange_ghosts(flow, change->old, change->old_count, 1u << change->side);
    describe_tiles(flow, change->side);
    follow_bases(world, change->old, change->old_count);
    follow_bases(world, world->bed.ghosts, world->bed.ghost_count);
    stop_diagonals(world, change);
    world->wetting.filled = false;         /* ghosts have contact angles, too, */
    rill_world_apply_forces(world, false); /* and are pushed */
}

/* ---------------------------------------------------------------------------------------------------------- the calls */

static bool same_edge(const rill_edge *a, const rill_edge *b) {
    return a->kind == b->kind && (a->kind != RILL_EDGE_STILL || a->level == b->level);
}

/* Gives a still edge another level: its ghosts stay where they are. */
static void raise_level(rill_world *world, const edge_change *change) {
    rill_bed *bed = &world->bed;
    rill_ghosts_list(bed, change->edges, bed->ghosts);
    rill_flow_exchange_ghosts(&world->flow, bed->ghosts, bed->ghost_count, 1u << change->side);
}

rill_result rill_world_set_edge(rill_world *world, int32_t side, const rill_edge *edge) {
    if (!world) return RILL_INVALID_ARGUMENT;
    if (!edge) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "edge is NULL; expected an edge");
    rill_result result = rill_check_edge(side, edge, world->note);
    if (result) return result;
    edge_change change = { .side = side };
    for (int i = 0; i < 4; ++i) change.edges[i] = i == side ? *edge : world->def.edges[i];
    rill_edge *live = &world->def.edges[side];
    if (world->built && !same_edge(edge, live)) {
        if (edge->kind == live->kind)
            raise_level(world, &change);
        else {
            result = prepare(world, &change);
            if (!result) commit(world, &change);
            free_change(world, &change);
        }
        if (result) return result;
        wake_side(world, side);
        rill_world_measure_flow(world);
    }
    *live = *edge;
    return RILL_OK;
}

rill_result rill_world_get_edge(const rill_world *world, int32_t side, rill_edge *out) {
    if (!world) return RILL_INVALID_ARGUMENT;
    if (!out) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "out is NULL; expected a place for the answer");
    if (side < RILL_WEST || side > RILL_NORTH)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "side is %d; expected %d to %d", side, RILL_WEST,
                         RILL_NORTH);
    *out = world->def.edges[side];
    return RILL_OK;
}
