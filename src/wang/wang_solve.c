/* The solve of Wang's height field (section 8): conjugate gradients where the system is symmetric, else Bi-CGSTAB; with a Jacobi
 * preconditioner, or modified incomplete factors. */
#include <math.h>

#include "flow/stages.h"
#include "solve/bicgstab.h"
#include "solve/cg.h"
#include "wang/wang_internal.h"

/* alpha is at most 1 / the smallest eigenvalue of D^-1 A, which has 1 / (1 + what flows) for its diagonal. */
static const double LONGEST = 1e12;

/* ----------------------------------------------------------------------------------------------- conjugate gradients */

static double dot(const double *a, const double *b, int32_t count) {
    double sum = 0.0;
    for (int32_t i = 0; i < count; ++i) sum += a[i] * b[i];
    return sum;
}

/* A solve under way. */
typedef struct heights_solve {
    rill_heights *heights;
    bool factored;
} heights_solve;

/* z = M^-1 r. */
static void lighten(void *context, const double *r, double *z) {
    const heights_solve *solve = context;
    const rill_heights *heights = solve->heights;
    if (solve->factored) {
        rill_milu_solve(&heights->factors, &heights->matrix, r, z);
    } else {
        for (int32_t i = 0; i < heights->matrix.rows; ++i) z[i] = r[i] / heights->diagonal[i];
    }
}

static double precondition(void *context) {
    const rill_heights *heights = ((const heights_solve *)context)->heights;
    lighten(context, heights->r, heights->z);
    return dot(heights->r, heights->z, heights->matrix.rows);
}

static void turn(void *context, double beta) {
    const rill_heights *heights = ((const heights_solve *)context)->heights;
    for (int32_t i = 0; i < heights->matrix.rows; ++i)
        heights->p[i] = beta > 0.0 ? heights->z[i] + beta * heights->p[i] : heights->z[i];
}

static double apply(void *context) {
    const rill_heights *heights = ((const heights_solve *)context)->heights;
    rill_csr_apply(&heights->matrix, heights->p, heights->q);
    return dot(heights->p, heights->q, heights->matrix.rows);
}

static double advance(void *context, double alpha) {
    const rill_heights *heights = ((const heights_solve *)context)->heights;
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
            sums[edge] += rill_heights_weight(work, at, in) * (heights->h[at] - heights->x[heights->row[in]]);
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

static void multiply(void *context, const double *x, double *y) {
    rill_csr_apply(&((const heights_solve *)context)->heights->matrix, x, y);
}

/* Returns iterations; `largest` begins and ends as the largest residual. */
static int32_t iterate(heights_solve *solve, bool symmetric, double goal, int32_t most, double *largest) {
    const rill_heights *h = solve->heights;
    if (!symmetric) {
        const rill_bicgstab problem = { solve,     lighten, multiply, h->matrix.rows, h->x,  h->r,
                                        h->shadow, h->p,    h->q,     h->t,           h->mp, h->ms };
        return rill_bicgstab_iterate(&problem, goal, most, largest);
    }
    const rill_cg_problem problem = { solve, precondition, turn, apply, advance, LONGEST };
    rill_cg_state state = { .largest = *largest };
    const int32_t iterations = rill_cg_iterate(&problem, &state, goal, most);
    *largest = state.largest;
    return iterations;
}

int32_t rill_heights_solve(const rill_heights_work *work, bool *capped, rill_edge_flow *flows) {
    rill_heights *heights = work->heights;
    const rill_wang *controls = &work->step->controls;
    const bool symmetric = !(work->step->film > 0.0) || controls->tension == RILL_WANG_INCOMPLETE;
    heights_solve solve = { heights, controls->preconditioner == RILL_WANG_FACTORED };
    rill_heights_assemble(work);
    double largest = begin(heights);
    const double goal = fmax(controls->tolerance * largest, 1e-6 * work->flow->bed->quantum);
    if (solve.factored && largest > goal) rill_milu_factor(&heights->factors, &heights->matrix);
    const int32_t iterations = iterate(&solve, symmetric, goal, controls->iterations, &largest);
    *capped = !(largest <= goal);
    book_edges(work, flows);
    for (int32_t i = 0; i < heights->matrix.rows; ++i) {
        const size_t at = (size_t)heights->cell[i];
        heights->before[at] = heights->carried[at] - heights->b[at];
        const bool pressed = rill_height_pressed(heights, at);
        heights->held[at] = pressed;
        if (pressed) heights->head[at] = heights->x[i];
        heights->h[at] = pressed ? heights->pressed[at] : heights->x[i];
        heights->d[at] = heights->h[at] - heights->b[at];
    }
    return iterations;
}
