/* Taking and giving back the working memory of the flow. */
#include "flow/flow_internal.h"

#include "base/alloc.h"
#include "base/message.h"
#include "base/simd.h"

enum { RINGS = 18, HALO_ROWS = 9 };

static int32_t widest_row(const rill_bed *bed) {
    int32_t widest = 0;
    for (int32_t i = 0; i < bed->sheet_count; ++i)
        if (bed->sheets[i].stride > widest) widest = bed->sheets[i].stride;
    return widest + 2 * RILL_PAD_X;
}

static bool ring_make(rill_ring *ring, int32_t width, const rill_allocator *allocator) {
    size_t row = (size_t)width, one = RILL_RING * row;
    ring->width = width;
    ring->segments = width / RILL_SEGMENT + 3;
    ring->memory = rill_alloc_zeroed(allocator, RINGS * one, sizeof(float));
    ring->flags = rill_alloc_zeroed(allocator, RILL_RING * (size_t)ring->segments, 1);
    ring->halo_H = rill_alloc_zeroed(allocator, HALO_ROWS * row, sizeof(int32_t));
    ring->halo_u = rill_alloc_zeroed(allocator, HALO_ROWS * row, sizeof(float));
    ring->halo_v = rill_alloc_zeroed(allocator, HALO_ROWS * row, sizeof(float));
    if (!ring->memory || !ring->flags || !ring->halo_H || !ring->halo_u || !ring->halo_v) return false;
    for (int32_t i = 0; i < RILL_RING; ++i) {
        rill_slot *slot = &ring->slots[i];
        float **const parts[RINGS] = { &slot->row.qx, &slot->row.qy, &slot->row.ux, &slot->row.vy, &slot->row.px,
                                       &slot->row.py, &slot->row.wx, &slot->row.wy, &slot->row.ex, &slot->row.ey,
                                       &slot->row.gx, &slot->row.gy, &slot->row.Ko, &slot->row.Ki, &slot->row.kx,
                                       &slot->row.ky, &slot->row.tx, &slot->row.ty };
        for (int32_t k = 0; k < RINGS; ++k) *parts[k] = ring->memory + ((size_t)(k * RILL_RING + i) * row + RILL_PAD_X);
        slot->flags = ring->flags + (size_t)i * (size_t)ring->segments + 1;
        for (int32_t k = -RILL_PAD_X; k < width - RILL_PAD_X; ++k) slot->row.Ko[k] = slot->row.Ki[k] = 1.0f;
    }
    return true;
}

static void ring_free(rill_ring *ring, const rill_allocator *allocator) {
    size_t row = (size_t)ring->width;
    rill_free(allocator, ring->memory, RINGS * RILL_RING * row, sizeof(float));
    rill_free(allocator, ring->flags, RILL_RING * (size_t)ring->segments, 1);
    rill_free(allocator, ring->halo_H, HALO_ROWS * row, sizeof(int32_t));
    rill_free(allocator, ring->halo_u, HALO_ROWS * row, sizeof(float));
    rill_free(allocator, ring->halo_v, HALO_ROWS * row, sizeof(float));
}

/* The lowest ceiling over a tile, the columns just west and south of it, which its faces touch, and just east and
 * north, whose inflow is limited together with its own. Liquid below it may be swept as under open sky, unless a pair
 * is closed. */
static int32_t tile_lintel(const rill_bed *bed, const rill_sheet *sheet, int32_t tx, int32_t ty) {
    const int32_t row = ty * RILL_TILE_H - 1, place = rill_sheet_place(sheet, tx * RILL_TILE_W - 1, row);
    const int32_t rows = rill_min_i(RILL_TILE_H + 2, rill_sheet_rows(sheet) + 1 - row);
    return rill_kernels_pick(false)->lintel(rows, sheet->stride, bed->b + place, bed->c + place);
}

/* Columns in a tile, those outside the edges too. */
static int32_t tile_columns(const rill_bed *bed, const rill_sheet *sheet, int32_t tx, int32_t ty) {
    int32_t count = 0;
    for (int32_t row = ty * RILL_TILE_H; row < (ty + 1) * RILL_TILE_H && row < rill_sheet_rows(sheet); ++row) {
        const int32_t *b = bed->b + rill_sheet_place(sheet, tx * RILL_TILE_W, row);
        RILL_NOT_UNROLLED
        for (int32_t i = 0; i < RILL_TILE_W; ++i) count += b[i] < RILL_WALL;
    }
    return count;
}

/* Counts the places of a tile that lie outside the edges. */
static int32_t tile_ghosts(const rill_bed *bed, const rill_sheet *sheet, int32_t tx, int32_t ty) {
    const int32_t x = tx * RILL_TILE_W, y = ty * RILL_TILE_H;
    if (x >= 1 && x + RILL_TILE_W <= sheet->nx + 1 && y >= 1 && y + RILL_TILE_H <= sheet->ny + 1) return 0;
    int32_t count = 0;
    for (int32_t row = y; row < y + RILL_TILE_H && row < rill_sheet_rows(sheet); ++row)
        for (int32_t column = x; column < x + RILL_TILE_W; ++column) {
            const bool outside = row < 1 || row > sheet->ny || column < 1 || column > sheet->nx;
            count += outside && bed->b[rill_sheet_place(sheet, column, row)] < RILL_WALL;
        }
    return count;
}

/* Returns the wake bits of all columns and ghosts of a tile together. Two of them in opposite corners count as all. */
static uint16_t tile_most(const rill_bed *bed, const rill_sheet *sheet, int32_t tx, int32_t ty) {
    uint16_t most = 0;
    int32_t first = rill_sheet_place(sheet, tx * RILL_TILE_W, ty * RILL_TILE_H);
    int32_t last = first + (RILL_TILE_H - 1) * sheet->stride + RILL_TILE_W - 1;
    if (bed->b[first] < RILL_WALL && bed->b[last] < RILL_WALL) return RILL_TILE_WAKE_ALL;
    for (int32_t row = ty * RILL_TILE_H; row < (ty + 1) * RILL_TILE_H && row < rill_sheet_rows(sheet); ++row)
        for (int32_t column = tx * RILL_TILE_W; column < (tx + 1) * RILL_TILE_W; ++column)
            if (bed->b[rill_sheet_place(sheet, column, row)] < RILL_WALL) most |= rill_tile_wake_bits(column, row);
    return most;
}

void rill_scratch_describe(rill_flow_scratch *scratch, const rill_bed *bed, int32_t sheet, int32_t tx, int32_t ty) {
    const rill_sheet *at = &bed->sheets[sheet];
    int32_t tile = at->first_tile + ty * at->tiles_x + tx;
    scratch->lintel[tile] = tile_lintel(bed, at, tx, ty);
    const int32_t columns = tile_columns(bed, at, tx, ty);
    scratch->columns[tile] = (uint8_t)(columns - tile_ghosts(bed, at, tx, ty));
    scratch->empty[tile] = columns == 0;
    scratch->most[tile] = tile_most(bed, at, tx, ty);
}

void rill_scratch_find_roofs(rill_flow_scratch *scratch, const rill_bed *bed) {
    for (int32_t i = 0; i < bed->sheet_count; ++i) {
        const int32_t *lintel = scratch->lintel + bed->sheets[i].first_tile;
        int32_t tiles = bed->sheets[i].tiles_x * bed->sheets[i].tiles_y, lowest = RILL_WALL;
        for (int32_t tile = 0; tile < tiles; ++tile) lowest = rill_min_i(lowest, lintel[tile]);
        scratch->roofed[i] = lowest < RILL_WALL;
    }
}

static void describe_tiles(rill_flow_scratch *scratch, const rill_bed *bed) {
    for (int32_t i = 0; i < bed->sheet_count; ++i)
        for (int32_t ty = 0; ty < bed->sheets[i].tiles_y; ++ty)
            for (int32_t tx = 0; tx < bed->sheets[i].tiles_x; ++tx) rill_scratch_describe(scratch, bed, i, tx, ty);
    rill_scratch_find_roofs(scratch, bed);
}

static rill_pipe pipe_at(const rill_bed *bed, int32_t index) {
    int32_t l = bed->pipe_l[index], r = bed->pipe_r[index], xl, xr;
    rill_bed_sheet_of(bed, l, &xl, NULL);
    int32_t stride = rill_bed_sheet_of(bed, r, &xr, NULL)->stride;
    return (rill_pipe){
        .l = l,
        .r = r,
        .bl = bed->b[l],
        .br = bed->b[r],
        .cl = bed->c[l],
        .cr = bed->c[r],
        .tile_l = rill_bed_tile_of(bed, l),
        .tile_r = rill_bed_tile_of(bed, r),
        .wake_l = rill_flow_wake_bits(bed, l),
        .wake_r = rill_flow_wake_bits(bed, r),
        .beyond_r = xl == xr ? r + stride : r + 1,
        .axis = xl == xr,
    };
}

enum { PIPE_INTS = 10, PIPE_FLOATS = 3 };

static void arrays_make(rill_sparse *sparse, size_t pipes, float *u) {
    rill_pipe_arrays *arrays = &sparse->arrays;
    int32_t **const ints[PIPE_INTS] = { &arrays->bl,    &arrays->br, &arrays->cl, &arrays->cr,       &arrays->axis,
                                        &arrays->awake, &arrays->Hl, &arrays->Hr, &arrays->restless, &arrays->push };
    float **const floats[PIPE_FLOATS] = { &arrays->ul, &arrays->ur, &arrays->q };
    for (size_t i = 0; i < PIPE_INTS; ++i) *ints[i] = sparse->ints + i * sparse->capacity;
    for (size_t i = 0; i < PIPE_FLOATS; ++i) *floats[i] = sparse->floats + i * sparse->capacity;
    arrays->u = u;
    for (size_t i = 0; i < pipes; ++i) {
        const rill_pipe *pipe = &sparse->pipes[i];
        arrays->bl[i] = pipe->bl;
        arrays->br[i] = pipe->br;
        arrays->cl[i] = pipe->cl;
        arrays->cr[i] = pipe->cr;
        arrays->axis[i] = pipe->axis;
        arrays->push[i] = 0; /* until rill_push_find */
    }
}

void rill_sparse_free(rill_sparse *sparse, const rill_allocator *allocator) {
    const size_t pipes = sparse->capacity;
    rill_free(allocator, sparse->pipes, pipes, sizeof *sparse->pipes);
    rill_free(allocator, sparse->ints, PIPE_INTS * pipes, sizeof *sparse->ints);
    rill_free(allocator, sparse->floats, PIPE_FLOATS * pipes, sizeof *sparse->floats);
    rill_free(allocator, sparse->active, pipes, sizeof *sparse->active);
    rill_free(allocator, sparse->runs, pipes, sizeof *sparse->runs);
    rill_free(allocator, sparse->moving, pipes, sizeof *sparse->moving);
    rill_free(allocator, sparse->out, 2 * pipes, sizeof *sparse->out);
    rill_free(allocator, sparse->in, 2 * pipes, sizeof *sparse->in);
    *sparse = (rill_sparse){ 0 };
}

static bool sparse_reserve(rill_sparse *sparse, size_t wanted, const rill_allocator *allocator) {
    if (wanted <= sparse->capacity) return true;
    const size_t pipes = sparse->pipes ? wanted + wanted / 4 : wanted;
    rill_sparse fresh = { .capacity = pipes };
    fresh.pipes = rill_alloc_zeroed(allocator, pipes, sizeof *fresh.pipes);
    fresh.ints = rill_alloc_zeroed(allocator, PIPE_INTS * pipes, sizeof *fresh.ints);
    fresh.floats = rill_alloc_zeroed(allocator, PIPE_FLOATS * pipes, sizeof *fresh.floats);
    fresh.active = rill_alloc_zeroed(allocator, pipes, sizeof *fresh.active);
    fresh.runs = rill_alloc_zeroed(allocator, pipes, sizeof *fresh.runs);
    fresh.moving = rill_alloc_zeroed(allocator, pipes, sizeof *fresh.moving);
    fresh.out = rill_alloc_zeroed(allocator, 2 * pipes, sizeof *fresh.out);
    fresh.in = rill_alloc_zeroed(allocator, 2 * pipes, sizeof *fresh.in);
    bool good = fresh.pipes && fresh.ints && fresh.floats && fresh.active && fresh.runs && fresh.moving && fresh.out &&
                fresh.in;
    rill_sparse_free(good ? sparse : &fresh, allocator);
    if (good) *sparse = fresh;
    return good;
}

/* Each column with a sparse pipe becomes a port, in the order of the pipes. */
bool rill_sparse_make(rill_sparse *sparse, const rill_bed *bed, float *u, const rill_sparse *old, const int32_t *from,
                      const uint8_t *marks, int32_t *ports, const rill_allocator *allocator) {
    const int32_t *l = bed->pipe_l, *r = bed->pipe_r;
    int32_t count = 0;
    if (!sparse_reserve(sparse, (size_t)bed->pipe_count, allocator)) return false;
    for (int32_t i = 0; i < bed->pipe_count; ++i) {
        if (!ports[l[i]]) ports[l[i]] = ++count;
        if (!ports[r[i]]) ports[r[i]] = ++count;
        bool known = from && from[i] >= 0 && !(marks[l[i]] | marks[r[i]]);
        sparse->pipes[i] = known ? old->pipes[from[i]] : pipe_at(bed, i);
        sparse->pipes[i].port_l = ports[l[i]] - 1;
        sparse->pipes[i].port_r = ports[r[i]] - 1;
    }
    for (int32_t i = 0; i < bed->pipe_count; ++i) ports[l[i]] = ports[r[i]] = 0;
    if (bed->pipe_count > 0) arrays_make(sparse, (size_t)bed->pipe_count, u);
    sparse->active_count = sparse->run_count = sparse->moving_count = 0;
    return true;
}

static bool make_pipes(rill_sparse *sparse, const rill_bed *bed, float *u, const rill_allocator *allocator) {
    if (bed->pipe_count == 0) return true;
    int32_t *ports = rill_alloc_zeroed(allocator, (size_t)bed->plane_size, sizeof *ports);
    bool good = ports && rill_sparse_make(sparse, bed, u, NULL, NULL, NULL, ports, allocator);
    rill_free(allocator, ports, (size_t)bed->plane_size, sizeof *ports);
    return good;
}

static int32_t row_total(const rill_bed *bed) {
    int32_t rows = 0;
    for (int32_t i = 0; i < bed->sheet_count; ++i) rows += rill_sheet_rows(&bed->sheets[i]);
    return rows;
}

rill_result rill_scratch_make(rill_flow *flow, const rill_runtime *runtime, rill_message *message) {
    const rill_bed *bed = flow->bed;
    const rill_allocator *allocator = &runtime->allocator;
    rill_flow_scratch *scratch = rill_alloc_zeroed(allocator, 1, sizeof *scratch);
    if (!scratch) return rill_fail(message, RILL_OUT_OF_MEMORY, "out of memory for the flow's working memory");
    flow->scratch = scratch;
    flow->sparse = &scratch->sparse;
    scratch->task_count = rill_tasks_width(runtime);
    scratch->row_count = row_total(bed);
    size_t tasks = (size_t)scratch->task_count, rows = (size_t)scratch->row_count, tiles = (size_t)bed->tile_count;
    scratch->rings = rill_alloc_zeroed(allocator, tasks, sizeof *scratch->rings);
    scratch->bands = rill_alloc_zeroed(allocator, tasks, sizeof *scratch->bands);
    scratch->lintel = rill_alloc_zeroed(allocator, tiles, sizeof *scratch->lintel);
    scratch->roofed = rill_alloc_zeroed(allocator, (size_t)bed->sheet_count, sizeof *scratch->roofed);
    scratch->columns = rill_alloc_zeroed(allocator, tiles, 1);
    scratch->empty = rill_alloc_zeroed(allocator, tiles, 1);
    scratch->most = rill_alloc_zeroed(allocator, tiles, sizeof *scratch->most);
    scratch->tile_idle = rill_alloc_zeroed(allocator, tiles, sizeof *scratch->tile_idle);
    scratch->frozen = rill_alloc_zeroed(allocator, 2 * tiles, sizeof *scratch->frozen);
    scratch->row_first = rill_alloc_zeroed(allocator, rows + 1, sizeof *scratch->row_first);
    scratch->spans = rill_alloc_zeroed(allocator, RILL_TILE_H * tiles, sizeof *scratch->spans);
    scratch->busy = rill_alloc_zeroed(allocator, tiles, 1);
    scratch->swept = rill_alloc_zeroed(allocator, tiles, sizeof *scratch->swept);
    scratch->needed = rill_alloc_zeroed(allocator, tiles, 1);
    bool good = scratch->rings && scratch->bands && scratch->lintel && scratch->roofed && scratch->columns &&
                scratch->empty && scratch->most && scratch->tile_idle && scratch->frozen && scratch->row_first &&
                scratch->spans && scratch->busy && scratch->swept && scratch->needed;
    for (size_t i = 0; good && i < tasks; ++i) good = ring_make(&scratch->rings[i], widest_row(bed), allocator);
    if (good)
        good = make_pipes(&scratch->sparse, bed, flow->pipe_u, allocator) &&
               rill_edges_make(&scratch->edges, bed, allocator);
    if (!good) {
        rill_scratch_free(flow, allocator);
        return rill_fail(message, RILL_OUT_OF_MEMORY, "out of memory for the flow's working memory");
    }
    flow->busy = scratch->busy;
    describe_tiles(scratch, bed);
    return RILL_OK;
}

void rill_scratch_free(rill_flow *flow, const rill_allocator *allocator) {
    rill_flow_scratch *scratch = flow->scratch;
    if (!scratch) return;
    for (int32_t i = 0; scratch->rings && i < scratch->task_count; ++i) ring_free(&scratch->rings[i], allocator);
    rill_free(allocator, scratch->rings, (size_t)scratch->task_count, sizeof *scratch->rings);
    rill_free(allocator, scratch->bands, (size_t)scratch->task_count, sizeof *scratch->bands);
    rill_free(allocator, scratch->lintel, (size_t)flow->bed->tile_count, sizeof *scratch->lintel);
    rill_free(allocator, scratch->roofed, (size_t)flow->bed->sheet_count, sizeof *scratch->roofed);
    rill_free(allocator, scratch->columns, (size_t)flow->bed->tile_count, 1);
    rill_free(allocator, scratch->empty, (size_t)flow->bed->tile_count, 1);
    rill_free(allocator, scratch->most, (size_t)flow->bed->tile_count, sizeof *scratch->most);
    rill_free(allocator, scratch->tile_idle, (size_t)flow->bed->tile_count, sizeof *scratch->tile_idle);
    rill_edges_free(&scratch->edges, flow->bed, allocator);
    rill_free(allocator, scratch->frozen, 2 * (size_t)flow->bed->tile_count, sizeof *scratch->frozen);
    rill_free(allocator, scratch->row_first, (size_t)scratch->row_count + 1, sizeof *scratch->row_first);
    rill_free(allocator, scratch->spans, RILL_TILE_H * (size_t)flow->bed->tile_count, sizeof *scratch->spans);
    rill_free(allocator, scratch->busy, (size_t)flow->bed->tile_count, 1);
    rill_free(allocator, scratch->swept, (size_t)flow->bed->tile_count, sizeof *scratch->swept);
    rill_free(allocator, scratch->needed, (size_t)flow->bed->tile_count, 1);
    rill_sparse_free(&scratch->sparse, allocator);
    rill_free(allocator, scratch, 1, sizeof *scratch);
    flow->scratch = NULL;
    flow->sparse = NULL;
    flow->busy = NULL;
}

/* --------------------------------------------------------------------------------------------- when the bed changes */

bool rill_flow_reserve_ghosts(rill_flow *flow, const rill_allocator *allocator) {
    return rill_edges_reserve(&flow->scratch->edges, flow->bed, allocator);
}

bool rill_flow_describe_tile(rill_flow *flow, int32_t sheet, int32_t tx, int32_t ty) {
    const rill_sheet *at = &flow->bed->sheets[sheet];
    const int32_t tile = at->first_tile + ty * at->tiles_x + tx;
    rill_scratch_describe(flow->scratch, flow->bed, sheet, tx, ty);
    if (!flow->scratch->empty[tile]) return true;
    flow->tiles[tile] = 0;
    flow->busy[tile] = 0;
    return false;
}

void rill_flow_described(rill_flow *flow) {
    rill_scratch_find_roofs(flow->scratch, flow->bed);
    rill_spans_list_pipes(flow);
}

int64_t rill_flow_swept_columns(const rill_flow *flow) {
    return flow->scratch->swept_columns;
}
