/* The solve of Wang's height field: Eqs. 5 to 7 and 10, by conjugate gradients with a Jacobi preconditioner (section 8). */
#include <math.h>

#include "flow/stages.h"
#include "solve/cg.h"
#include "wang/wang_internal.h"

/* alpha is at most 1 / the smallest eigenvalue of D^-1 A, which has 1 / (1 + what flows) for its diagonal. */
static const double LONGEST = 1e12;

/* --------------------------------------------------------------------------------------------------------- assembly */

static void number_rows(rill_heights *heights) {
    int32_t rows = 0;
    for (size_t at = 0; at < heights->size; ++at) {
        const bool unknown = heights->kind[at] == RILL_HEIGHT_BOUNDARY || heights->kind[at] == RILL_HEIGHT_WATER;
        heights->row[at] = unknown ? rows : -1;
        if (unknown) heights->cell[rows++] = (int32_t)at;
    }
}

/* Returns dt^2 (d_i + d_j) (g_i + g_j) / (4 dx^2): -a_ij of Eq. 10. */
static double gravity_weight(const rill_heights_work *work, size_t a, size_t b) {
    const double cells = work->step->dt / work->dx;
    return rill_height_open(work->heights, a, b)
               ? cells * cells * work->step->gravity * rill_height_mean(work->heights, a, b)
               : 0.0;
}

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

/* Returns b of Eq. 7, of Eq. 5 what is explicit, and what boundaries of Dirichlet add. */
static double prospect(const rill_heights_work *work, size_t at) {
    const rill_heights *heights = work->heights;
    const double risen = heights->d[at] - heights->before[at], last = heights->last;
    const double in_proportion = last > 0.0 ? work->step->dt / last : 0.0;
    return heights->carried[at] + (1.0 - work->step->controls.viscosity) * in_proportion * risen + external(work, at);
}

static void add_row(const rill_heights_work *work, size_t at) {
    rill_heights *heights = work->heights;
    const size_t stride = (size_t)heights->stride, near[4] = { at - stride, at - 1, at + 1, at + stride };
    const int32_t row = heights->row[at];
    double weights[4], sum = 0.0, right = prospect(work, at);
    for (int i = 0; i < 4; ++i) {
        weights[i] = gravity_weight(work, at, near[i]);
        sum += weights[i];
        if (heights->row[near[i]] < 0) right += weights[i] * heights->h[near[i]];
    }
    for (int i = 0; i < 5; ++i) {
        const int k = i < 2 ? i : i - 1;
        if (i == 2)
            rill_csr_add(&heights->matrix, row, 1.0 + sum);
        else if (heights->row[near[k]] >= 0 && weights[k] > 0.0)
            rill_csr_add(&heights->matrix, heights->row[near[k]], -weights[k]);
    }
    rill_csr_end_row(&heights->matrix);
    heights->right[row] = right;
    heights->x[row] = heights->carried[at];
}

static void assemble(const rill_heights_work *work) {
    rill_heights *heights = work->heights;
    number_rows(heights);
    rill_csr_clear(&heights->matrix);
    for (size_t at = 0; at < heights->size; ++at)
        if (heights->row[at] >= 0) add_row(work, at);
    rill_csr_diagonal(&heights->matrix, heights->diagonal);
}

/* ----------------------------------------------------------------------------------------------- conjugate gradients */

static double dot(const double *a, const double *b, int32_t count) {
    double sum = 0.0;
    for (int32_t i = 0; i < count; ++i) sum += a[i] * b[i];
    return sum;
}

static double precondition(void *context) {
    rill_heights *heights = context;
    for (int32_t i = 0; i < heights->matrix.rows; ++i) heights->z[i] = heights->r[i] / heights->diagonal[i];
    return dot(heights->r, heights->z, heights->matrix.rows);
}

static void turn(void *context, double beta) {
    rill_heights *heights = context;
    for (int32_t i = 0; i < heights->matrix.rows; ++i)
        heights->p[i] = beta > 0.0 ? heights->z[i] + beta * heights->p[i] : heights->z[i];
}

static double apply(void *context) {
    rill_heights *heights = context;
    rill_csr_apply(&heights->matrix, heights->p, heights->q);
    return dot(heights->p, heights->q, heights->matrix.rows);
}

static double advance(void *context, double alpha) {
    rill_heights *heights = context;
    double largest = 0.0;
    for (int32_t i = 0; i < heights->matrix.rows; ++i) {
        heights->x[i] += alpha * heights->p[i];
        heights->r[i] -= alpha * heights->q[i];
        largest = fmax(largest, fabs(heights->r[i]));
    }
    return largest;
}

/* Finds the residual; returns the largest. */
static double begin(rill_heights *heights) {
    double largest = 0.0;
    rill_csr_apply(&heights->matrix, heights->x, heights->q);
    for (int32_t i = 0; i < heights->matrix.rows; ++i) {
        heights->r[i] = heights->right[i] - heights->q[i];
        largest = fmax(largest, fabs(heights->r[i]));
    }
    return largest;
}

/* ------------------------------------------------------------------------------------------------------------ edges */

/* Books what the matrix lets cross the faces between cells and reservoirs; no more than all columns could hold, which steps far too
 * long may ask for. */
static void book_edges(const rill_heights_work *work, rill_edge_flow *flows) {
    const rill_heights *heights = work->heights;
    const rill_bed *bed = work->flow->bed;
    double sums[4] = { 0.0 };
    for (int32_t i = 0; i < bed->ghost_count; ++i) {
        int32_t x, y;
        const int edge = bed->ghosts[i].edge;
        rill_bed_sheet_of(bed, bed->ghosts[i].place, &x, &y);
        const size_t at = rill_heights_at(heights, x, y), stride = (size_t)heights->stride;
        const size_t inside[] = {
            [RILL_WEST] = at + 1, [RILL_EAST] = at - 1, [RILL_SOUTH] = at + stride, [RILL_NORTH] = at - stride
        };
        const size_t in = inside[edge];
        if (heights->row[in] >= 0)
            sums[edge] += gravity_weight(work, at, in) * (heights->h[at] - heights->x[heights->row[in]]);
    }
    const double most = (double)bed->info.columns * (double)RILL_TOP;
    for (int edge = 0; edge < 4; ++edge) {
        const int64_t quanta = (int64_t)fmin(fmax(floor(sums[edge] / bed->quantum + 0.5), -most), most);
        if (quanta > 0)
            flows[edge].entered += quanta;
        else
            flows[edge].left -= quanta;
    }
}

/* ------------------------------------------------------------------------------------------------------------ solve */

int32_t rill_heights_solve(const rill_heights_work *work, bool *capped, rill_edge_flow *flows) {
    rill_heights *heights = work->heights;
    const rill_wang *controls = &work->step->controls;
    assemble(work);
    const rill_cg_problem problem = { heights, precondition, turn, apply, advance, LONGEST };
    rill_cg_state state = { .largest = begin(heights) };
    const double goal = fmax(controls->tolerance * state.largest, 1e-6 * work->flow->bed->quantum);
    const int32_t iterations = rill_cg_iterate(&problem, &state, goal, controls->iterations);
    *capped = !(state.largest <= goal);
    book_edges(work, flows);
    for (int32_t i = 0; i < heights->matrix.rows; ++i) {
        const size_t at = (size_t)heights->cell[i];
        heights->before[at] = heights->carried[at] - heights->b[at];
        heights->h[at] = heights->x[i];
        heights->d[at] = heights->h[at] - heights->b[at];
    }
    return iterations;
}
