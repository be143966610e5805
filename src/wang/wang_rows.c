/* The system of Wang's height field: matrix and right side of Eqs. 5 to 7, 10 and 14 to 16. */
#include "wang/wang_internal.h"

static void number_rows(rill_heights *heights) {
    int32_t rows = 0;
    for (size_t at = 0; at < heights->size; ++at) {
        const bool unknown = heights->kind[at] == RILL_HEIGHT_BOUNDARY || heights->kind[at] == RILL_HEIGHT_WATER;
        heights->row[at] = unknown ? rows : -1;
        if (unknown) heights->cell[rows++] = (int32_t)at;
    }
}

static bool complete(const rill_heights_work *work) {
    return work->step->film > 0.0 && work->step->controls.tension == RILL_WANG_COMPLETE;
}

/* ------------------------------------------------------------------------------------------------------- right side */

/* Returns what external forces add to b in Eq. 5: dt^2 (div(d grad P) / rho - d div a). */
static double external(const rill_heights_work *work, size_t at) {
    const rill_heights *heights = work->heights;
    const double dt = work->step->dt;
    double flux = 0.0, spread = 0.0;
    for (int axis = 0; axis < 2; ++axis) {
        const size_t step = axis ? (size_t)heights->stride : 1;
        if (rill_height_open(heights, at - step, at)) {
            flux += rill_height_mean(heights, at - step, at) *
                    (rill_heights_pressure(work, at - step) - rill_heights_pressure(work, at));
            spread -= rill_heights_push(work, at, axis);
        }
        if (rill_height_open(heights, at, at + step)) {
            flux += rill_height_mean(heights, at, at + step) *
                    (rill_heights_pressure(work, at + step) - rill_heights_pressure(work, at));
            spread += rill_heights_push(work, at + step, axis);
        }
    }
    return dt * dt * (flux / (work->dx * work->dx) - rill_height_depth(heights, at) * spread / work->dx);
}

/* Returns b of Eq. 7, and of Eqs. 5 and 16 what is explicit. */
static double prospect(const rill_heights_work *work, size_t at) {
    const rill_heights *heights = work->heights;
    const double risen = heights->d[at] - heights->before[at], last = heights->last;
    const double in_proportion = last > 0.0 ? work->step->dt / last : 0.0;
    const double b = heights->carried[at] + (1.0 - work->step->controls.viscosity) * in_proportion * risen;
    const bool incomplete = work->step->film > 0.0 && !complete(work);
    return b + external(work, at) + (incomplete ? rill_heights_explicit_tension(work, at) : 0.0);
}

/* ------------------------------------------------------------------------------------------------------------- rows */

double rill_heights_weight(const rill_heights_work *work, size_t a, size_t b) {
    const rill_heights *heights = work->heights;
    if (!rill_height_open(heights, a, b)) return 0.0;
    const double cells = work->step->dt / work->dx, mean = rill_height_mean(heights, a, b);
    const double gravity = cells * cells * work->step->gravity * mean;
    const bool edge = heights->kind[a] == RILL_HEIGHT_RESERVOIR || heights->kind[b] == RILL_HEIGHT_RESERVOIR;
    if (!(work->step->film > 0.0) || complete(work) || edge) return gravity;
    return gravity + 2.0 * cells * cells * work->step->film * mean / (work->dx * work->dx);
}

/* Coefficients of a row, by steps of -2 to 2 cells along y and x. */
typedef struct row_stencil {
    double a[5][5];
    double right;
} row_stencil;

static size_t near_of(const rill_heights *heights, size_t at, int dx, int dy) {
    return at + (size_t)((ptrdiff_t)heights->stride * dy + dx);
}

/* Adds `factor` K of a cell, some steps away, but for what is known of it, which goes to the right. */
static void add_curvature(const rill_heights *heights, size_t at, int dx, int dy, double factor, row_stencil *row) {
    static const int steps[4][2] = { { 0, -1 }, { -1, 0 }, { 1, 0 }, { 0, 1 } };
    const size_t here = near_of(heights, at, dx, dy);
    row->right -= factor * heights->beyond[here];
    for (int i = 0; i < 4; ++i) {
        if (!rill_height_defined(heights, near_of(heights, here, steps[i][0], steps[i][1]))) continue;
        row->a[2 + dy + steps[i][1]][2 + dx + steps[i][0]] += factor;
        row->a[2 + dy][2 + dx] -= factor;
    }
}

/* Adds Eq. 14. */
static void add_complete(const rill_heights_work *work, size_t at, row_stencil *row) {
    static const int steps[4][2] = { { 0, -1 }, { -1, 0 }, { 1, 0 }, { 0, 1 } };
    const rill_heights *heights = work->heights;
    bool open[4];
    double depth = 0.0, faces = 0.0;
    for (int i = 0; i < 4; ++i) {
        const size_t j = near_of(heights, at, steps[i][0], steps[i][1]);
        open[i] = rill_height_open(heights, at, j) && heights->kind[j] != RILL_HEIGHT_RESERVOIR;
        if (open[i]) depth += rill_height_mean(heights, at, j), faces += 1.0;
    }
    if (faces == 0.0) return;
    depth = heights->kind[at] == RILL_HEIGHT_WATER ? heights->d[at] : depth / faces;
    const double cells = work->step->dt / (work->dx * work->dx), factor = cells * cells * work->step->film * depth;
    for (int i = 0; i < 4; ++i) {
        if (!open[i]) continue;
        add_curvature(heights, at, steps[i][0], steps[i][1], factor, row);
        add_curvature(heights, at, 0, 0, -factor, row);
    }
}

static void add_neighbours(const rill_heights_work *work, size_t at, row_stencil *row) {
    static const int steps[4][2] = { { 0, -1 }, { -1, 0 }, { 1, 0 }, { 0, 1 } };
    for (int i = 0; i < 4; ++i) {
        const double weight = rill_heights_weight(work, at, near_of(work->heights, at, steps[i][0], steps[i][1]));
        row->a[2][2] += weight;
        row->a[2 + steps[i][1]][2 + steps[i][0]] -= weight;
    }
}

/* Ends a row: unknowns go into the matrix, heights of reservoirs to the right. */
static void end_row(rill_heights *heights, size_t at, const row_stencil *row) {
    double right = row->right;
    for (int y = -2; y <= 2; ++y)
        for (int x = -2; x <= 2; ++x) {
            const double a = row->a[2 + y][2 + x];
            if (a == 0.0) continue;
            const size_t j = near_of(heights, at, x, y);
            if (heights->row[j] >= 0)
                rill_csr_add(&heights->matrix, heights->row[j], a);
            else
                right -= a * heights->h[j];
        }
    rill_csr_end_row(&heights->matrix);
    heights->right[heights->row[at]] = right;
    heights->x[heights->row[at]] = heights->carried[at];
}

void rill_heights_assemble(const rill_heights_work *work) {
    rill_heights *heights = work->heights;
    number_rows(heights);
    rill_csr_clear(&heights->matrix);
    for (size_t at = 0; at < heights->size; ++at) {
        if (heights->row[at] < 0) continue;
        const bool pressed = rill_height_pressed(heights, at);
        row_stencil row = { .a[2][2] = pressed ? 0.0 : 1.0, .right = prospect(work, at) };
        if (pressed) row.right -= heights->pressed[at];
        add_neighbours(work, at, &row);
        if (complete(work)) add_complete(work, at, &row);
        end_row(heights, at, &row);
    }
    rill_csr_diagonal(&heights->matrix, heights->diagonal);
}
