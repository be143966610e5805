/* Memory of the method `waves`; which columns a sub-step is about; and passes over them. */
#include "base/alloc.h"
#include "base/dispatch.h"
#include "waves/theta_internal.h"

RILL_DISPATCH(rill_theta_kernels)

enum { MARGIN = 2 * RILL_PAD_X + 2, TABLE_BEFORE = 2, TABLE_BEYOND = 2, AROUND = 2 };

/* ----------------------------------------------------------------------------------------------------------- memory */

static size_t block_count(const rill_theta *theta) {
    return (size_t)theta->room[0] * (size_t)theta->room[1];
}

static void name_planes(rill_theta *theta) {
    float **const planes[RILL_THETA_PLANES] = { &theta->P,  &theta->E,  &theta->X,  &theta->R,  &theta->Y,
                                                &theta->S,  &theta->D,  &theta->Q,  &theta->ax, &theta->ay,
                                                &theta->C,  &theta->ox, &theta->oy, &theta->lx, &theta->ly,
                                                &theta->mx, &theta->my, &theta->K,  &theta->sx, &theta->s };
    for (size_t i = 0; i < RILL_THETA_PLANES; ++i) *planes[i] = theta->memory + i * theta->size;
    theta->sy = theta->X; /* slopes are done with before Pi is begun */
    for (size_t i = 0; i < theta->size; ++i) theta->K[i] = 1.0f;
}

rill_theta *rill_theta_make(const rill_grid *grid, const rill_allocator *allocator) {
    rill_theta *theta = rill_alloc_zeroed(allocator, 1, sizeof *theta);
    if (!theta) return NULL;
    for (int axis = 0; axis < 2; ++axis) theta->cells[axis] = grid->cells[axis];
    theta->room[0] = (grid->cells[0] + 2 + RILL_THETA_BLOCK - 1) / RILL_THETA_BLOCK;
    theta->room[1] = grid->cells[1] + 2;
    theta->stride = (grid->cells[0] + MARGIN + RILL_TILE_W - 1) / RILL_TILE_W * RILL_TILE_W + RILL_PAD_X;
    theta->size = (size_t)theta->stride * (size_t)(grid->cells[1] + 2 * RILL_THETA_ROWS);
    theta->run_room = theta->room[1] * ((theta->room[0] + 1) / 2);
    theta->memory = rill_alloc_zeroed(allocator, RILL_THETA_PLANES * theta->size, sizeof *theta->memory);
    theta->busy = rill_alloc_zeroed(allocator, block_count(theta), 1);
    theta->any = rill_alloc_zeroed(allocator, (size_t)theta->room[0], 1);
    theta->table =
        rill_alloc_zeroed(allocator, (size_t)theta->room[1] + TABLE_BEFORE + TABLE_BEYOND, sizeof *theta->table);
    theta->runs = rill_alloc_zeroed(allocator, (size_t)theta->run_room, sizeof *theta->runs);
    theta->wet = rill_alloc_zeroed(allocator, theta->size, sizeof *theta->wet);
    if (!theta->memory || !theta->busy || !theta->wet || !theta->any || !theta->table || !theta->runs) {
        rill_theta_free(theta, allocator);
        return NULL;
    }
    name_planes(theta);
    RILL_ASSERT(theta->stride >= RILL_THETA_BLOCK * theta->room[0] + RILL_PAD_X + RILL_THETA_BLOCK);
    return theta;
}

void rill_theta_free(rill_theta *theta, const rill_allocator *allocator) {
    if (!theta) return;
    rill_free(allocator, theta->memory, RILL_THETA_PLANES * theta->size, sizeof *theta->memory);
    rill_free(allocator, theta->wet, theta->size, sizeof *theta->wet);
    rill_free(allocator, theta->busy, block_count(theta), 1);
    rill_free(allocator, theta->any, (size_t)theta->room[0], 1);
    rill_free(allocator, theta->table, (size_t)theta->room[1] + TABLE_BEFORE + TABLE_BEYOND, sizeof *theta->table);
    rill_free(allocator, theta->runs, (size_t)theta->run_room, sizeof *theta->runs);
    rill_free(allocator, theta, 1, sizeof *theta);
}

void rill_theta_forget(rill_theta *theta) {
    for (size_t i = 0; i < theta->size; ++i) {
        theta->E[i] = 0.0f;
        theta->wet[i] = 0;
    }
}

/* ------------------------------------------------------------------------------------------------------------- rows */

/* Points to a row, of which 0 is that of the ghosts south of the grid. */
static rill_theta_row row_of(const rill_theta_work *work, int32_t row) {
    const rill_theta *theta = work->theta;
    const rill_flow *flow = work->flow;
    const rill_bed *bed = flow->bed;
    const rill_wetting *wetting = work->tension ? work->step->wetting : NULL;
    const rill_sheet *sheet = bed->sheets;
    const int32_t place = rill_sheet_place(sheet, 0, row);
    const size_t at = rill_theta_at(theta, sheet->x0 - 1, sheet->y0 + row - 1);
    return (rill_theta_row){ .y = row - 1,
                             .b = bed->b + place,
                             .c = bed->c + place,
                             .H = flow->H + place,
                             .u = flow->u + place,
                             .v = flow->v + place,
                             .advancing = wetting ? wetting->advancing + place : NULL,
                             .receding = wetting ? wetting->receding + place : NULL,
                             .wet = theta->wet + at,
                             .s = theta->s + at,
                             .P = theta->P + at,
                             .E = theta->E + at,
                             .X = theta->X + at,
                             .R = theta->R + at,
                             .Y = theta->Y + at,
                             .S = theta->S + at,
                             .D = theta->D + at,
                             .Q = theta->Q + at,
                             .sx = theta->sx + at,
                             .sy = theta->sy + at,
                             .ax = theta->ax + at,
                             .ay = theta->ay + at,
                             .C = theta->C + at,
                             .ox = theta->ox + at,
                             .oy = theta->oy + at,
                             .lx = theta->lx + at,
                             .ly = theta->ly + at,
                             .mx = theta->mx + at,
                             .my = theta->my + at,
                             .K = theta->K + at };
}

static const rill_theta_row *row_at(const rill_theta *theta, int32_t row) {
    return theta->table + row + TABLE_BEFORE;
}

/* ------------------------------------------------------------------------------------------------------------- runs */

/* Marks the blocks of a row that are to be swept because of what is in them, beside them, and in two rows to either
 * side: curvature at the edge of a drop looks that far. */
static void mark_blocks(rill_theta *theta, int32_t row) {
    const int32_t from = row < AROUND ? 0 : row - AROUND, blocks = theta->blocks;
    const int32_t to = row + AROUND >= theta->rows ? theta->rows - 1 : row + AROUND;
    for (int32_t i = 0; i < blocks; ++i) theta->any[i] = 0;
    for (int32_t near = from; near <= to; ++near) {
        const uint8_t *wet = theta->busy + (size_t)near * (size_t)blocks;
        for (int32_t i = 0; i < blocks; ++i) {
            if (!wet[i]) continue;
            theta->any[i] = 1;
            if (wet[i] & 2 && i > 0) theta->any[i - 1] = 1;
            if (wet[i] & 4 && i + 1 < blocks) theta->any[i + 1] = 1;
        }
    }
}

/* Adds the runs of a row. */
static void add_runs(rill_theta *theta, int32_t row) {
    for (int32_t i = 0; i < theta->blocks; ++i) {
        if (!theta->any[i]) continue;
        int32_t end = i + 1;
        while (end < theta->blocks && theta->any[end]) ++end;
        RILL_ASSERT(theta->run_count < theta->run_room);
        theta->runs[theta->run_count++] = (rill_theta_run){ row, i * RILL_THETA_BLOCK, (end - i) * RILL_THETA_BLOCK };
        i = end;
    }
}

void rill_theta_find_runs(rill_theta_work *work) {
    rill_theta *theta = work->theta;
    theta->blocks = work->flow->bed->sheets->tiles_x; /* a tile is a block wide */
    theta->rows = rill_sheet_rows(work->flow->bed->sheets);
    RILL_ASSERT(theta->blocks <= theta->room[0] && theta->rows <= theta->room[1]);
    for (int32_t row = -TABLE_BEFORE; row < theta->rows + TABLE_BEYOND; ++row)
        theta->table[row + TABLE_BEFORE] = row_of(work, row);
    for (int32_t row = 0; row < theta->rows; ++row) {
        uint8_t *wet = theta->busy + (size_t)row * (size_t)theta->blocks;
        for (int32_t i = 0; i < theta->blocks; ++i)
            wet[i] = (uint8_t)work->kernels->look(i * RILL_THETA_BLOCK, row_at(theta, row));
    }
    theta->run_count = 0;
    work->columns = 0;
    for (int32_t row = 0; row < theta->rows; ++row) {
        mark_blocks(theta, row);
        add_runs(theta, row);
    }
    for (int32_t i = 0; i < theta->run_count; ++i) work->columns += theta->runs[i].count;
}

/* ----------------------------------------------------------------------------------------------------------- passes */

typedef struct pass {
    const rill_theta_work *work;
    rill_theta_visit *visit;
    int32_t bands;
    rill_theta_sums sums[RILL_THETA_BANDS];
} pass;

static void visit_band(void *context, int32_t band) {
    pass *running = context;
    const rill_theta *theta = running->work->theta;
    const int32_t from = (int32_t)((int64_t)theta->run_count * band / running->bands);
    const int32_t to = (int32_t)((int64_t)theta->run_count * (band + 1) / running->bands);
    rill_theta_sums sums = { 0 };
    for (int32_t i = from; i < to; ++i)
        running->visit(running->work, &theta->runs[i], row_at(theta, theta->runs[i].row), &sums);
    running->sums[band] = sums;
}

static int32_t larger(int32_t a, int32_t b) {
    return a > b ? a : b;
}

rill_theta_sums rill_theta_pass(const rill_theta_work *work, rill_theta_visit *visit) {
    const int32_t width = rill_tasks_width(work->step->runtime);
    pass running = { .work = work, .visit = visit, .bands = width < RILL_THETA_BANDS ? width : RILL_THETA_BANDS };
    rill_parallel_for(work->step->runtime, work->step->pool, running.bands, visit_band, &running);
    rill_theta_sums all = running.sums[0];
    for (int32_t i = 1; i < running.bands; ++i) {
        all.dot += running.sums[i].dot;
        all.most.first = larger(all.most.first, running.sums[i].most.first);
        all.most.second = larger(all.most.second, running.sums[i].most.second);
        all.flags |= running.sums[i].flags;
        rill_flow_widen(&all.extent, &running.sums[i].extent);
    }
    return all;
}
