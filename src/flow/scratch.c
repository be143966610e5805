/* Taking and giving back the working memory of the flow. */
#include "flow/scratch.h"

#include "base/memory.h"
#include "base/message.h"
#include "base/simd.h"

enum { RINGS = 8, HALO_ROWS = 7 };

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
    ring->memory = rill_memory_take(allocator, RINGS * one, sizeof(float));
    ring->flags = rill_memory_take(allocator, RILL_RING * (size_t)ring->segments, 1);
    ring->halo_H = rill_memory_take(allocator, HALO_ROWS * row, sizeof(int32_t));
    ring->halo_u = rill_memory_take(allocator, HALO_ROWS * row, sizeof(float));
    ring->halo_v = rill_memory_take(allocator, HALO_ROWS * row, sizeof(float));
    if (!ring->memory || !ring->flags || !ring->halo_H || !ring->halo_u || !ring->halo_v) return false;
    for (int32_t i = 0; i < RILL_RING; ++i) {
        rill_slot *slot = &ring->slots[i];
        float **const parts[RINGS] = { &slot->row.qx, &slot->row.qy, &slot->row.ux, &slot->row.vy,
                                       &slot->row.Ko, &slot->row.Ki, &slot->row.kx, &slot->row.ky };
        for (int32_t k = 0; k < RINGS; ++k) *parts[k] = ring->memory + ((size_t)(k * RILL_RING + i) * row + RILL_PAD_X);
        slot->flags = ring->flags + (size_t)i * (size_t)ring->segments + 1;
        for (int32_t k = -RILL_PAD_X; k < width - RILL_PAD_X; ++k) slot->row.Ko[k] = slot->row.Ki[k] = 1.0f;
    }
    return true;
}

static void ring_free(rill_ring *ring, const rill_allocator *allocator) {
    size_t row = (size_t)ring->width;
    rill_memory_give(allocator, ring->memory, RINGS * RILL_RING * row, sizeof(float));
    rill_memory_give(allocator, ring->flags, RILL_RING * (size_t)ring->segments, 1);
    rill_memory_give(allocator, ring->halo_H, HALO_ROWS * row, sizeof(int32_t));
    rill_memory_give(allocator, ring->halo_u, HALO_ROWS * row, sizeof(float));
    rill_memory_give(allocator, ring->halo_v, HALO_ROWS * row, sizeof(float));
}

/* Two columns of a sheet side by side between which nothing can pass. */
static bool closed_pair(const rill_bed *bed, int32_t l, int32_t r) {
    if (bed->b[l] == RILL_WALL || bed->b[r] == RILL_WALL) return false;
    return rill_min_i(bed->c[l], bed->c[r]) <= rill_max_i(bed->b[l], bed->b[r]);
}

/* The lowest ceiling over a tile, the columns just west and south of it, which its faces touch, and just east and north,
 * whose inflow is limited together with its own. Liquid below it may be swept as under open sky, unless a pair is closed. */
static int32_t tile_lintel(const rill_bed *bed, const rill_sheet *sheet, int32_t tx, int32_t ty) {
    int32_t lintel = RILL_WALL;
    for (int32_t row = ty * RILL_TILE_H - 1; row <= (ty + 1) * RILL_TILE_H && row <= rill_sheet_rows(sheet); ++row)
        for (int32_t i = -1; i <= RILL_TILE_W; ++i) {
            int32_t place = rill_sheet_place(sheet, tx * RILL_TILE_W + i, row);
            if (bed->c[place] < RILL_TOP) lintel = rill_min_i(lintel, bed->c[place]);
            if (closed_pair(bed, place - 1, place) || closed_pair(bed, place - sheet->stride, place)) return 0;
        }
    return lintel;
}

/* Columns in a tile, and with `ghosts` those outside the edges too. */
static int32_t tile_columns(const rill_bed *bed, const rill_sheet *sheet, int32_t tx, int32_t ty, bool ghosts) {
    int32_t count = 0;
    for (int32_t row = ty * RILL_TILE_H; row < (ty + 1) * RILL_TILE_H && row < rill_sheet_rows(sheet); ++row)
        for (int32_t column = tx * RILL_TILE_W; column < (tx + 1) * RILL_TILE_W; ++column) {
            bool outside = row < 1 || row > sheet->ny || column < 1 || column > sheet->nx;
            if (outside && !ghosts) continue;
            count += bed->b[rill_sheet_place(sheet, column, row)] < RILL_WALL;
        }
    return count;
}

/* What waking all columns and ghosts of a tile means for it. Two of them in opposite corners count as all. */
static uint16_t tile_most(const rill_bed *bed, const rill_sheet *sheet, int32_t tx, int32_t ty) {
    uint16_t most = 0;
    int32_t first = rill_sheet_place(sheet, tx * RILL_TILE_W, ty * RILL_TILE_H);
    int32_t last = first + (RILL_TILE_H - 1) * sheet->stride + RILL_TILE_W - 1;
    if (bed->b[first] < RILL_WALL && bed->b[last] < RILL_WALL) return RILL_TILE_WAKE_ALL;
    for (int32_t row = ty * RILL_TILE_H; row < (ty + 1) * RILL_TILE_H && row < rill_sheet_rows(sheet); ++row)
        for (int32_t column = tx * RILL_TILE_W; column < (tx + 1) * RILL_TILE_W; ++column) {
            int32_t place = rill_sheet_place(sheet, column, row);
            if (bed->b[place] < RILL_WALL) most |= rill_flow_wake_bits(bed, place);
        }
    return most;
}

static void describe_tiles(rill_flow_scratch *scratch, const rill_bed *bed) {
    for (int32_t i = 0; i < bed->sheet_count; ++i) {
        const rill_sheet *sheet = &bed->sheets[i];
        for (int32_t ty = 0; ty < sheet->tiles_y; ++ty)
            for (int32_t tx = 0; tx < sheet->tiles_x; ++tx) {
                int32_t tile = sheet->first_tile + ty * sheet->tiles_x + tx;
                scratch->lintel[tile] = tile_lintel(bed, sheet, tx, ty);
                scratch->roofed[i] |= scratch->lintel[tile] < RILL_WALL;
                scratch->columns[tile] = (uint8_t)tile_columns(bed, sheet, tx, ty, false);
                scratch->empty[tile] = tile_columns(bed, sheet, tx, ty, true) == 0;
                scratch->most[tile] = tile_most(bed, sheet, tx, ty);
            }
    }
}

static rill_pipe pipe_at(const rill_bed *bed, int32_t index, const int32_t *port) {
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
        .port_l = port[l] - 1,
        .port_r = port[r] - 1,
        .tile_l = rill_bed_tile_of(bed, l),
        .tile_r = rill_bed_tile_of(bed, r),
        .wake_l = rill_flow_wake_bits(bed, l),
        .wake_r = rill_flow_wake_bits(bed, r),
        .beyond_r = xl == xr ? r + stride : r + 1,
        .axis = xl == xr,
    };
}

enum { PIPE_INTS = 9, PIPE_FLOATS = 3 };

static void arrays_make(rill_sparse *sparse, size_t pipes, float *u) {
    rill_pipe_arrays *a = &sparse->arrays;
    int32_t **const ints[PIPE_INTS] = { &a->bl,    &a->br, &a->cl, &a->cr,      &a->axis,
                                        &a->awake, &a->Hl, &a->Hr, &a->restless };
    float **const floats[PIPE_FLOATS] = { &a->ul, &a->ur, &a->q };
    for (size_t i = 0; i < PIPE_INTS; ++i) *ints[i] = sparse->ints + i * pipes;
    for (size_t i = 0; i < PIPE_FLOATS; ++i) *floats[i] = sparse->floats + i * pipes;
    a->u = u;
    for (size_t i = 0; i < pipes; ++i) {
        const rill_pipe *p = &sparse->pipes[i];
        a->bl[i] = p->bl;
        a->br[i] = p->br;
        a->cl[i] = p->cl;
        a->cr[i] = p->cr;
        a->axis[i] = p->axis;
    }
}

/* Each column with a sparse pipe becomes a port; ports are numbered by marking the plane once. */
static bool sparse_make(rill_sparse *sparse, const rill_bed *bed, float *u, const rill_allocator *allocator) {
    size_t pipes = (size_t)bed->pipe_count;
    if (pipes == 0) return true;
    int32_t *port = rill_memory_take(allocator, (size_t)bed->plane_size, sizeof *port);
    if (!port) return false;
    for (size_t i = 0; i < pipes; ++i) port[bed->pipe_l[i]] = port[bed->pipe_r[i]] = 1;
    for (int32_t i = 0; i < bed->plane_size; ++i)
        if (port[i]) port[i] = ++sparse->port_count;
    sparse->pipes = rill_memory_take(allocator, pipes, sizeof *sparse->pipes);
    sparse->ints = rill_memory_take(allocator, PIPE_INTS * pipes, sizeof *sparse->ints);
    sparse->floats = rill_memory_take(allocator, PIPE_FLOATS * pipes, sizeof *sparse->floats);
    sparse->active = rill_memory_take(allocator, pipes, sizeof *sparse->active);
    sparse->runs = rill_memory_take(allocator, pipes, sizeof *sparse->runs);
    sparse->moving = rill_memory_take(allocator, pipes, sizeof *sparse->moving);
    sparse->out = rill_memory_take(allocator, (size_t)sparse->port_count, sizeof *sparse->out);
    sparse->in = rill_memory_take(allocator, (size_t)sparse->port_count, sizeof *sparse->in);
    bool good = sparse->pipes && sparse->ints && sparse->floats && sparse->active && sparse->runs && sparse->moving &&
                sparse->out && sparse->in;
    for (int32_t i = 0; good && i < bed->pipe_count; ++i) sparse->pipes[i] = pipe_at(bed, i, port);
    if (good) arrays_make(sparse, pipes, u);
    rill_memory_give(allocator, port, (size_t)bed->plane_size, sizeof *port);
    return good;
}

static void sparse_free(rill_sparse *sparse, size_t pipes, const rill_allocator *allocator) {
    rill_memory_give(allocator, sparse->pipes, pipes, sizeof *sparse->pipes);
    rill_memory_give(allocator, sparse->ints, PIPE_INTS * pipes, sizeof *sparse->ints);
    rill_memory_give(allocator, sparse->floats, PIPE_FLOATS * pipes, sizeof *sparse->floats);
    rill_memory_give(allocator, sparse->active, pipes, sizeof *sparse->active);
    rill_memory_give(allocator, sparse->runs, pipes, sizeof *sparse->runs);
    rill_memory_give(allocator, sparse->moving, pipes, sizeof *sparse->moving);
    rill_memory_give(allocator, sparse->out, (size_t)sparse->port_count, sizeof *sparse->out);
    rill_memory_give(allocator, sparse->in, (size_t)sparse->port_count, sizeof *sparse->in);
}

static int32_t row_total(const rill_bed *bed) {
    int32_t rows = 0;
    for (int32_t i = 0; i < bed->sheet_count; ++i) rows += rill_sheet_rows(&bed->sheets[i]);
    return rows;
}

rill_result rill_scratch_make(rill_flow *flow, const rill_runtime *runtime, rill_message *message) {
    const rill_bed *bed = flow->bed;
    const rill_allocator *allocator = &runtime->allocator;
    rill_flow_scratch *scratch = rill_memory_take(allocator, 1, sizeof *scratch);
    if (!scratch) return rill_fail(message, RILL_OUT_OF_MEMORY, "out of memory for the flow's working memory");
    flow->scratch = scratch;
    scratch->task_count = rill_tasks_width(runtime);
    scratch->row_count = row_total(bed);
    size_t tasks = (size_t)scratch->task_count, rows = (size_t)scratch->row_count, tiles = (size_t)bed->tile_count;
    scratch->rings = rill_memory_take(allocator, tasks, sizeof *scratch->rings);
    scratch->bands = rill_memory_take(allocator, tasks, sizeof *scratch->bands);
    scratch->lintel = rill_memory_take(allocator, tiles, sizeof *scratch->lintel);
    scratch->roofed = rill_memory_take(allocator, (size_t)bed->sheet_count, sizeof *scratch->roofed);
    scratch->columns = rill_memory_take(allocator, tiles, 1);
    scratch->empty = rill_memory_take(allocator, tiles, 1);
    scratch->most = rill_memory_take(allocator, tiles, sizeof *scratch->most);
    scratch->tile_idle = rill_memory_take(allocator, tiles, sizeof *scratch->tile_idle);
    scratch->frozen = rill_memory_take(allocator, 2 * tiles, sizeof *scratch->frozen);
    scratch->row_first = rill_memory_take(allocator, rows + 1, sizeof *scratch->row_first);
    scratch->spans = rill_memory_take(allocator, RILL_TILE_H * tiles, sizeof *scratch->spans);
    scratch->busy = rill_memory_take(allocator, tiles, 1);
    scratch->swept = rill_memory_take(allocator, tiles, sizeof *scratch->swept);
    scratch->needed = rill_memory_take(allocator, tiles, 1);
    bool good = scratch->rings && scratch->bands && scratch->lintel && scratch->roofed && scratch->columns &&
                scratch->empty && scratch->most && scratch->tile_idle && scratch->frozen && scratch->row_first &&
                scratch->spans && scratch->busy && scratch->swept && scratch->needed;
    for (size_t i = 0; good && i < tasks; ++i) good = ring_make(&scratch->rings[i], widest_row(bed), allocator);
    if (good)
        good = sparse_make(&scratch->sparse, bed, flow->pipe_u, allocator) &&
               rill_edges_make(&scratch->edges, bed, allocator);
    if (!good) {
        rill_scratch_free(flow, allocator);
        return rill_fail(message, RILL_OUT_OF_MEMORY, "out of memory for the flow's working memory");
    }
    describe_tiles(scratch, bed);
    return RILL_OK;
}

void rill_scratch_free(rill_flow *flow, const rill_allocator *allocator) {
    rill_flow_scratch *scratch = flow->scratch;
    if (!scratch) return;
    for (int32_t i = 0; scratch->rings && i < scratch->task_count; ++i) ring_free(&scratch->rings[i], allocator);
    rill_memory_give(allocator, scratch->rings, (size_t)scratch->task_count, sizeof *scratch->rings);
    rill_memory_give(allocator, scratch->bands, (size_t)scratch->task_count, sizeof *scratch->bands);
    rill_memory_give(allocator, scratch->lintel, (size_t)flow->bed->tile_count, sizeof *scratch->lintel);
    rill_memory_give(allocator, scratch->roofed, (size_t)flow->bed->sheet_count, sizeof *scratch->roofed);
    rill_memory_give(allocator, scratch->columns, (size_t)flow->bed->tile_count, 1);
    rill_memory_give(allocator, scratch->empty, (size_t)flow->bed->tile_count, 1);
    rill_memory_give(allocator, scratch->most, (size_t)flow->bed->tile_count, sizeof *scratch->most);
    rill_memory_give(allocator, scratch->tile_idle, (size_t)flow->bed->tile_count, sizeof *scratch->tile_idle);
    rill_edges_free(&scratch->edges, flow->bed, allocator);
    rill_memory_give(allocator, scratch->frozen, 2 * (size_t)flow->bed->tile_count, sizeof *scratch->frozen);
    rill_memory_give(allocator, scratch->row_first, (size_t)scratch->row_count + 1, sizeof *scratch->row_first);
    rill_memory_give(allocator, scratch->spans, RILL_TILE_H * (size_t)flow->bed->tile_count, sizeof *scratch->spans);
    rill_memory_give(allocator, scratch->busy, (size_t)flow->bed->tile_count, 1);
    rill_memory_give(allocator, scratch->swept, (size_t)flow->bed->tile_count, sizeof *scratch->swept);
    rill_memory_give(allocator, scratch->needed, (size_t)flow->bed->tile_count, 1);
    sparse_free(&scratch->sparse, (size_t)flow->bed->pipe_count, allocator);
    rill_memory_give(allocator, scratch, 1, sizeof *scratch);
    flow->scratch = NULL;
}
