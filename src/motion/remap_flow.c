/* Lets the flow follow an update of the bed: see remap_flow.h. */
#include "motion/remap_flow.h"

#include "base/assert.h"
#include "base/message.h"
#include "bed/sheets.h"
#include "flow/column.h"
#include "flow/stages.h"
#include "motion/opening_ceilings.h"
#include "motion/swept_volume.h"
#include "passages/passages.h"

#include <string.h>

/* Marks of tiles. END and the eight after it: a column at its west end, its east end or between them changes, at its
 * south end; between that and its north end; at its north end. Those that faces reach over count as at the end. */
enum { DESCRIBE = 1 << 0, WAKE = 1 << 1, END = 1 << 2 };

rill_remap rill_remap_make(void) {
    return (rill_remap){ .displace = rill_displace_make(), .tiles = rill_array_make(sizeof(int32_t)) };
}

void rill_remap_free(rill_remap *remap, const rill_allocator *allocator) {
    rill_displace_free(&remap->displace, allocator);
    rill_sparse_free(&remap->sparse, allocator);
    rill_free(allocator, remap->pipe_u, remap->pipe_capacity, sizeof *remap->pipe_u);
    rill_free(allocator, remap->roofed, remap->roofed_capacity, 1);
    rill_free(allocator, remap->tile_marks, remap->tile_capacity, sizeof *remap->tile_marks);
    rill_array_free(&remap->tiles, allocator);
    *remap = rill_remap_make();
}

/* ------------------------------------------------------------------------------------------------------- preparing */

/* Makes room for at least `count` elements that are zero; those there were may go. */
static bool take_zeros(void **array, size_t *capacity, size_t count, size_t size, const rill_allocator *allocator) {
    if (*array && count <= *capacity) return true;
    void *fresh = rill_alloc_zeroed(allocator, count, size);
    if (!fresh) return false;
    rill_free(allocator, *array, *capacity, size);
    *array = fresh;
    *capacity = count;
    return true;
}

static void mark_tile(rill_remap *remap, int32_t tile, uint16_t mark) {
    RILL_ASSERT(tile >= 0 && (size_t)tile < remap->tile_capacity && mark != 0);
    RILL_ASSERT(remap->tile_marks[tile] || remap->tiles.count < remap->tiles.capacity);
    if (!remap->tile_marks[tile]) ((int32_t *)remap->tiles.data)[remap->tiles.count++] = tile;
    remap->tile_marks[tile] |= mark;
}

/* The tile of a cell, from its sheet's first on, and at which end of it the cell is. */
typedef struct cell_in_tile {
    int32_t tile;
    uint16_t end;
} cell_in_tile;

static inline cell_in_tile cell_at(const rill_bed *bed, int32_t x, int32_t y) {
    const uint32_t column = (uint32_t)x + 1, row = (uint32_t)y + 1, in_x = column % RILL_TILE_W,
                   in_y = row % RILL_TILE_H;
    const uint32_t tiles_x = (uint32_t)bed->sheets[0].tiles_x; /* in a roomy bed, of all sheets */
    const int32_t end_x = (in_x >= 1) + (in_x >= RILL_TILE_W - 2), end_y = (in_y >= 1) + (in_y >= RILL_TILE_H - 2);
    return (cell_in_tile){ .tile = (int32_t)(row / RILL_TILE_H * tiles_x + column / RILL_TILE_W),
                           .end = (uint16_t)(END << (3 * end_y + end_x)) };
}

/* Marks the tiles of columns that change; in a roomy bed all sheets are of one size. */
static void mark_changes(rill_remap *remap, const rill_bed *bed, const rill_update *update) {
    const rill_cell_change *changes = update->changes.data;
    const uint32_t size = (uint32_t)rill_sheet_area(bed->grid.cells[0], bed->grid.cells[1]);
    for (size_t i = 0; i < update->changes.count; ++i) {
        const rill_cell_change at = changes[i];
        const rill_old_column *old = (const rill_old_column *)update->old.data + at.old_first;
        const rill_new_column *fresh = (const rill_new_column *)update->fresh.data + at.new_first;
        const cell_in_tile cell = cell_at(bed, at.x, at.y);
        const uint16_t mark = DESCRIBE | WAKE | cell.end;
        for (int32_t k = 0; k < at.old_count; ++k)
            mark_tile(remap, bed->sheets[(uint32_t)old[k].place / size].first_tile + cell.tile, mark);
        for (int32_t k = 0; k < at.new_count; ++k)
            if (fresh[k].from < 0)
                mark_tile(remap, bed->sheets[(uint32_t)fresh[k].place / size].first_tile + cell.tile, mark);
    }
}

/* A tile by its number: which of its sheet's. */
typedef struct tile_place {
    int32_t sheet, tx, ty;
} tile_place;

static tile_place tile_at(const rill_bed *bed, int32_t tile) {
    const int32_t tiles_x = bed->sheets[0].tiles_x, per_sheet = tiles_x * bed->sheets[0].tiles_y;
    const int32_t inside = tile % per_sheet;
    return (tile_place){ tile / per_sheet, inside % tiles_x, inside / tiles_x };
}

/* Marks the tiles around one whose lintel depends on the columns that changed in it. */
static void mark_around(rill_remap *remap, const rill_bed *bed, int32_t tile) {
    const int32_t tiles_x = bed->sheets[0].tiles_x, tiles_y = bed->sheets[0].tiles_y;
    const tile_place at = tile_at(bed, tile);
    const unsigned ends = remap->tile_marks[tile] / END;
    for (int32_t dy = -1; dy <= 1; ++dy)
        for (int32_t dx = -1; dx <= 1; ++dx) {
            /* A column at an end also reaches the tile beyond it, and that in the corner if it is at both. */
            const unsigned rows = dy < 0   ? 7u
                                  : dy > 0 ? 7u << 6
                                           : 0777u,
                           columns = dx < 0   ? 0111u
                                     : dx > 0 ? 0444u
                                              : 0777u;
            const bool inside = at.tx + dx >= 0 && at.tx + dx < tiles_x && at.ty + dy >= 0 && at.ty + dy < tiles_y;
            if (inside && (ends & rows & columns)) mark_tile(remap, tile + dy * tiles_x + dx, DESCRIBE);
        }
}

/* Finds the tiles that an update has to do with: those of what changes, and those whose lintel depends on it. */
static void find_tiles(rill_remap *remap, const rill_bed *bed, const rill_update *update) {
    for (size_t i = 0; i < remap->tile_capacity; ++i) RILL_ASSERT(remap->tile_marks[i] == 0);
    remap->tiles.count = 0;
    mark_changes(remap, bed, update);
    const size_t count = remap->tiles.count;
    for (size_t i = 0; i < count; ++i) mark_around(remap, bed, ((const int32_t *)remap->tiles.data)[i]);
}

/* Finds the tiles that have a ceiling now: only those that are marked may differ. */
static void find_roofs(rill_remap *remap, const rill_flow *flow) {
    const rill_bed *bed = flow->bed;
    const int32_t *tiles = remap->tiles.data;
    memcpy(remap->roofed, rill_passages_roofs(flow), (size_t)bed->tile_count);
    for (size_t i = 0; i < remap->tiles.count; ++i) {
        const tile_place at = tile_at(bed, tiles[i]);
        remap->roofed[tiles[i]] = rill_passages_has_ceiling(bed, &bed->sheets[at.sheet], at.tx, at.ty);
    }
}

static bool reserve(rill_remap *remap, rill_flow *flow, const rill_update *update, const rill_allocator *allocator) {
    const rill_bed *bed = flow->bed;
    const size_t tiles = (size_t)bed->tile_count, pipes = (size_t)bed->pipe_count;
    rill_displace *displace = &remap->displace;
    if (!rill_displace_reserve_nodes(displace, bed, update, allocator) ||
        !take_zeros((void **)&remap->pipe_u, &remap->pipe_capacity, pipes, sizeof(float), allocator) ||
        !take_zeros((void **)&remap->tile_marks, &remap->tile_capacity, tiles, sizeof(uint16_t), allocator) ||
        !take_zeros((void **)&remap->roofed, &remap->roofed_capacity, tiles, 1, allocator) ||
        !rill_array_resize(&remap->tiles, allocator, tiles) ||
        !rill_sparse_make(&remap->sparse, bed, remap->pipe_u, flow->sparse, update->pipe_from.data, update->marks,
                          displace->entry_of, allocator) ||
        !rill_flow_reserve_ghosts(flow, allocator))
        return false;
    for (size_t i = 0; i < displace->node_capacity; ++i) RILL_ASSERT(displace->entry_of[i] == 0);
    find_tiles(remap, bed, update);
    find_roofs(remap, flow);
    return true;
}

static void forget_tiles(rill_remap *remap) {
    const int32_t *tiles = remap->tiles.data;
    for (size_t i = 0; i < remap->tiles.count; ++i) remap->tile_marks[tiles[i]] = 0;
    remap->tiles.count = 0;
}

rill_result rill_remap_prepare(rill_remap *remap, rill_flow *flow, const rill_update *update,
                               const rill_displace_how *how, const rill_allocator *allocator, rill_message *message) {
    rill_result result = RILL_OUT_OF_MEMORY;
    if (reserve(remap, flow, update, allocator))
        result = rill_displace_prepare(&remap->displace, flow, update, how, allocator, message);
    else
        rill_fail(message, result, "no memory for the flow over a bed that changes");
    /* Last, as nothing that fails must come after it: what it takes is not kept for another time. */
    if (!result && !rill_passages_reserve(flow, remap->roofed, &remap->passages, allocator))
        result = rill_fail(message, RILL_OUT_OF_MEMORY, "no memory for the pressures of covered columns");
    if (result) forget_tiles(remap);
    return result;
}

/* ------------------------------------------------------------------------------------------------------ committing */

static bool joined(const rill_bed *bed, int32_t low, int32_t high) {
    return rill_overlap(bed->b[low], bed->c[low], bed->b[high], bed->c[high]) > 0;
}

/* Stops the faces of a place: all if it has another column now, else those that lead nowhere. */
static inline void stop_faces(const rill_flow *flow, int32_t place, int32_t stride, bool kept) {
    const int32_t *const b = flow->bed->b + place, *const c = flow->bed->c + place;
    float *const u = flow->u + place, *const v = flow->v + place;
    const int32_t base = kept ? b[0] : RILL_WALL, ceiling = kept ? c[0] : RILL_WALL;
    if (!((base < c[-1]) & (b[-1] < ceiling))) u[0] = 0.0f;
    if (!((base < c[1]) & (b[1] < ceiling))) u[1] = 0.0f;
    if (!((base < c[-stride]) & (b[-stride] < ceiling))) v[0] = 0.0f;
    if (!((base < c[stride]) & (b[stride] < ceiling))) v[stride] = 0.0f;
}

static void carry_velocities(const rill_remap *remap, rill_flow *flow, const rill_update *update) {
    const rill_old_column *old = update->old.data;
    const rill_new_column *fresh = update->fresh.data;
    const int32_t stride = flow->bed->sheets[0].stride, *from = update->pipe_from.data;
    for (size_t i = 0; i < update->old.count; ++i)
        stop_faces(flow, old[i].place, stride, update->marks[old[i].place] & RILL_PLACE_KEPT);
    for (size_t i = 0; i < update->fresh.count; ++i)
        if (fresh[i].from < 0) stop_faces(flow, fresh[i].place, stride, false);
    RILL_ASSERT(remap->pipe_capacity >= (size_t)flow->bed->pipe_count);
    for (int32_t i = 0; i < flow->bed->pipe_count; ++i) remap->pipe_u[i] = from[i] < 0 ? 0.0f : flow->pipe_u[from[i]];
}

/* Keeps the pressures of columns that are full, or will be as soon as their ceiling lets them, or have too much: they
 * are in the active set of the next pressure solve. */
static void carry_pressures(rill_flow *flow, const rill_update *update, bool passages) {
    const rill_old_column *old = update->old.data;
    const rill_new_column *fresh = update->fresh.data;
    int32_t *pressure = flow->pressure;
    for (size_t i = 0; i < update->old.count; ++i)
        if (!(update->marks[old[i].place] & RILL_PLACE_KEPT)) pressure[old[i].place] = 0;
    for (size_t i = 0; i < update->fresh.count; ++i) {
        const int32_t place = fresh[i].place;
        const bool full = passages && fresh[i].c < RILL_TOP && flow->H[place] >= rill_ceiling_full(flow->bed, place);
        /* Below a ceiling that opens a column has pressure without being full. */
        if (!full && (pressure[place] == 0 || !rill_opening_is(flow, place)))
            pressure[place] = 0;
        else if (pressure[place] <= 0) /* a space that was sealed may not be any more */
            pressure[place] = RILL_PRESSURE_NEW;
    }
}

static void refit_tiles(rill_remap *remap, rill_flow *flow) {
    const rill_bed *bed = flow->bed;
    const int32_t *tiles = remap->tiles.data;
    for (size_t i = 0; i < remap->tiles.count; ++i) {
        const tile_place at = tile_at(bed, tiles[i]);
        const bool inhabited = rill_flow_describe_tile(flow, at.sheet, at.tx, at.ty);
        rill_passages_count_flooded(flow, at.sheet, at.tx, at.ty);
        if (inhabited && remap->tile_marks[tiles[i]] & WAKE) rill_flow_wake_tile(flow, tiles[i], RILL_TILE_WAKE_ALL);
    }
    rill_flow_described(flow);
    forget_tiles(remap);
    flow->stale = true;
}

/* Puts the new pipes in the place of the old ones. */
static void exchange_pipes(rill_remap *remap, rill_flow *flow) {
    const rill_sparse sparse = *flow->sparse;
    float *const pipe_u = flow->pipe_u;
    const size_t pipe_capacity = flow->pipe_capacity;
    *flow->sparse = remap->sparse;
    flow->pipe_u = remap->pipe_u;
    flow->pipe_capacity = remap->pipe_capacity;
    remap->sparse = sparse;
    remap->pipe_u = pipe_u;
    remap->pipe_capacity = pipe_capacity;
}

void rill_remap_commit(rill_remap *remap, rill_flow *flow, const rill_update *update, const rill_displace_how *how,
                       const rill_allocator *allocator) {
    rill_passages_refit(flow, remap->roofed, remap->passages, allocator);
    RILL_ASSERT(remap->displace.fronts == 0 && remap->displace.node_capacity >= (size_t)flow->bed->plane_size);
    rill_displace_run(&remap->displace, flow, update, how);
    carry_velocities(remap, flow, update);
    carry_pressures(flow, update, how->slack > 0);
    exchange_pipes(remap, flow);
    if (update->ghosts_moved)
        rill_flow_exchange_ghosts(flow, update->other.ghosts, update->other.ghost_count, RILL_ALL_SIDES);
    refit_tiles(remap, flow);
}

/* ---------------------------------------------------------------------------------------------------- transferring */

/* Finds where the column of each place was, ghosts too; -1 for walls. */
static void find_origins(const rill_bed *from, const rill_bed *to, int32_t *origins) {
    for (int32_t i = 0; i < to->plane_size; ++i) origins[i] = -1;
    for (int64_t k = 0; k < to->info.columns; ++k) origins[to->places[k]] = from->places[k];
    for (int32_t i = 0; i < to->ghost_count; ++i) origins[to->ghosts[i].place] = from->ghosts[i].place;
}

/* Returns the velocity between two columns, whichever kind of pipe joined them; `step` is that from one to the other in
 * a sheet. */
static float velocity_between(const rill_flow *flow, int32_t l, int32_t r, const float *faces, int32_t step) {
    const rill_bed *bed = flow->bed;
    if (l < 0 || r < 0) return 0.0f;
    if (r - l == step) return faces[r];
    const int32_t pipe = rill_bed_find_pipe(bed, l, r);
    return pipe >= 0 ? flow->pipe_u[pipe] : 0.0f;
}

static void transfer_faces(const rill_flow *from, rill_flow *to, const int32_t *origins) {
    const rill_bed *bed = to->bed;
    for (int32_t i = 0; i < bed->sheet_count; ++i) {
        const rill_sheet *sheet = &bed->sheets[i];
        for (int32_t row = 0; row < rill_sheet_rows(sheet); ++row)
            for (int32_t column = 0; column < sheet->nx + 2; ++column) {
                const int32_t place = rill_sheet_place(sheet, column, row), south = place - sheet->stride;
                const int32_t origin = origins[place];
                if (origin < 0) continue;
                const int32_t stride = rill_bed_sheet_of(from->bed, origin, NULL, NULL)->stride;
                if (joined(bed, place - 1, place))
                    to->u[place] = velocity_between(from, origins[place - 1], origin, from->u, 1);
                if (joined(bed, south, place))
                    to->v[place] = velocity_between(from, origins[south], origin, from->v, stride);
                if (to->u[place] != 0.0f || to->v[place] != 0.0f) rill_flow_wake(to, place);
            }
    }
    for (int32_t i = 0; i < bed->pipe_count; ++i) {
        const rill_pipe *pipe = &to->sparse->pipes[i];
        const int32_t l = origins[pipe->l], r = origins[pipe->r];
        const int32_t stride = rill_bed_sheet_of(from->bed, r, NULL, NULL)->stride;
        to->pipe_u[i] = velocity_between(from, l, r, pipe->axis ? from->v : from->u, pipe->axis ? stride : 1);
    }
}

rill_result rill_flow_transfer(const rill_flow *from, rill_flow *to, const rill_allocator *allocator,
                               rill_message *message) {
    const rill_bed *bed = to->bed;
    int32_t *origins = rill_alloc_zeroed(allocator, (size_t)bed->plane_size, sizeof *origins);
    if (!origins || !rill_swept_volume_transfer(from, to, allocator) || !rill_opening_transfer(from, to, allocator)) {
        rill_free(allocator, origins, (size_t)bed->plane_size, sizeof *origins);
        return rill_fail(message, RILL_OUT_OF_MEMORY, "no memory to move liquid into a roomier bed");
    }
    RILL_ASSERT(from->bed->info.columns == bed->info.columns && from->bed->ghost_count == bed->ghost_count);
    find_origins(from->bed, bed, origins);
    for (int64_t k = 0; k < bed->info.columns; ++k) {
        rill_column_set(to, bed->places[k], from->H[from->bed->places[k]]);
        if (from->pressure) to->pressure[bed->places[k]] = from->pressure[from->bed->places[k]];
    }
    rill_passages_resume(to);
    transfer_faces(from, to, origins);
    rill_free(allocator, origins, (size_t)bed->plane_size, sizeof *origins);
    to->solves_passages = from->solves_passages;
    to->tension = from->tension;
    to->substep = from->substep;
    to->extent = from->extent;
    rill_flow_wake_all(to);
    return RILL_OK;
}
