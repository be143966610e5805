/* Solves a Poisson problem: directly if it is small, else by conjugate gradients (cg.h) with a multigrid cycle as
 * preconditioner.
 *
 * x is double; directions and the residual that is carried along are float, like the cycle: half the memory to read.
 * Rounding makes that residual drift away from b - A x, so this is computed in double and put in its place at the
 * end, and before the drift can matter, while the directions go on (H. A. van der Vorst, Q. Ye, "Residual
 * replacement strategies for Krylov subspace iterative methods for the convergence of true residuals", SIAM J. Sci.
 * Comput. 22, 2000). A level that is small enough is solved directly instead, which leaves nothing but rounding.
 *
 * On a sealed component A is singular: constants are added to x at no cost, which does not matter to b - A x. The mean
 * of its residual no x can take away; it is left out of the iteration, which would otherwise run after it. */
#include <math.h>
#include <string.h>

#include "solve/cg.h"
#include "solve/levels.h"

#define TRUST 1e-4       /* the carried residual is replaced after it has been reduced by this */
#define SAFETY 0.984375  /* it is made a little smaller than asked for */
#define ROUND_ENOUGH 0.9 /* what remains after a round of steps; else rounding is all there is */
#define FUTILE 100.0     /* see rill_cg_problem */

typedef struct solver {
    rill_poisson_levels *levels;
    const rill_solve_kernels *kernels;
    const rill_level *level;
    int32_t count;
    const rill_run *runs;
} solver;

static double sum_lanes(const double *s) {
    double pair[RILL_LANES / 2], four[RILL_LANES / 4];
    for (int32_t i = 0; i < RILL_LANES / 2; ++i) pair[i] = s[2 * i] + s[2 * i + 1];
    for (int32_t i = 0; i < RILL_LANES / 4; ++i) four[i] = pair[2 * i] + pair[2 * i + 1];
    return (four[0] + four[1]) + (four[2] + four[3]);
}

/* f = b - A x, computed in double; returns the largest entry. What links bring is taken off b for the time being. */
static double compare(const solver *work) {
    const rill_vectors *vectors = work->levels->vectors;
    const int32_t links = work->level->link_count;
    int64_t lanes[RILL_LANES] = { 0 }, most = 0;
    double *kept = work->levels->kept;
    for (int32_t i = 0; i < links; ++i) {
        const rill_link_end *left = &work->level->links[i].end[0], *right = &work->level->links[i].end[1];
        double flow = (double)work->level->links[i].w *
                      (vectors[left->colour].x[left->node] - vectors[right->colour].x[right->node]);
        kept[2 * i] = vectors[left->colour].b[left->node];
        vectors[left->colour].b[left->node] -= flow;
        kept[2 * i + 1] = vectors[right->colour].b[right->node];
        vectors[right->colour].b[right->node] += flow;
    }
    for (int32_t c = 0; c < 2; ++c)
        work->kernels->compare(work->count, work->runs, work->level->colour, c, vectors, lanes);
    for (int32_t i = links - 1; i >= 0; --i) {
        const rill_link_end *left = &work->level->links[i].end[0], *right = &work->level->links[i].end[1];
        vectors[right->colour].b[right->node] = kept[2 * i + 1];
        vectors[left->colour].b[left->node] = kept[2 * i];
    }
    for (int32_t i = 0; i < RILL_LANES; ++i) most = lanes[i] > most ? lanes[i] : most;
    double largest;
    memcpy(&largest, &most, sizeof largest);
    return largest;
}

static double largest_of(const int32_t *lanes) {
    int32_t most = 0;
    float largest;
    for (int32_t i = 0; i < RILL_LANES; ++i) most = lanes[i] > most ? lanes[i] : most;
    memcpy(&largest, &most, sizeof largest);
    return (double)largest;
}

static double precondition(void *context) {
    const solver *work = context;
    double lanes[RILL_LANES] = { 0 };
    rill_multigrid_cycle(work->levels, work->kernels);
    for (int32_t c = 0; c < 2; ++c) work->kernels->dot(work->count, work->runs, &work->level->colour[c], lanes);
    return sum_lanes(lanes);
}

static void turn(void *context, double beta) {
    const solver *work = context;
    const rill_vectors *vectors = work->levels->vectors;
    for (int32_t c = 0; c < 2; ++c)
        work->kernels->turn(work->count, work->runs, (float)beta, &work->level->colour[c], &vectors[c]);
}

static double apply(void *context) {
    const solver *work = context;
    const rill_vectors *vectors = work->levels->vectors;
    double lanes[RILL_LANES] = { 0 };
    for (int32_t c = 0; c < 2; ++c)
        work->kernels->apply(work->count, work->runs, work->level->colour, c, vectors, lanes);
    double sum = sum_lanes(lanes);
    for (const rill_level_link *link = work->level->links; link < work->level->links + work->level->link_count;
         ++link) {
        const rill_link_end *left = &link->end[0], *right = &link->end[1];
        float difference = vectors[left->colour].p[left->node] - vectors[right->colour].p[right->node],
              flow = link->w * difference;
        vectors[left->colour].q[left->node] += flow;
        vectors[right->colour].q[right->node] -= flow;
        sum += (double)flow * (double)difference;
    }
    return sum;
}

static double advance(void *context, double alpha) {
    const solver *work = context;
    const rill_vectors *vectors = work->levels->vectors;
    int32_t most[RILL_LANES] = { 0 };
    for (int32_t c = 0; c < 2; ++c)
        work->kernels->advance(work->count, work->runs, (float)alpha, &work->level->colour[c], &vectors[c], most);
    return largest_of(most);
}

int32_t rill_poisson_solve_by_cg(rill_poisson *poisson, const rill_solve_kernels *kernels, double tolerance,
                                 int32_t max_iterations, double *residual) {
    rill_poisson_levels *levels = poisson->levels;
    const rill_level *level = &levels->level[0];
    const solver work = {
        .levels = levels, .kernels = kernels, .level = level, .count = level->run_count, .runs = level->runs
    };
    const rill_cg_problem problem = { (void *)&work, precondition, turn, apply, advance, FUTILE };
    rill_cg_state state = { 0 };
    kernels->load(work.count, work.runs, poisson, levels->vectors);
    double largest = compare(&work);
    int32_t iterations = 0;
    while (!state.stuck && largest > tolerance && iterations < max_iterations) {
        const double before = state.largest = largest;
        if (levels->bottom.fits && levels->bottom.sky.any_sealed) rill_bottom_balance(levels, poisson->patch_count);
        iterations +=
            rill_cg_iterate(&problem, &state, fmax(SAFETY * tolerance, TRUST * largest), max_iterations - iterations);
        largest = compare(&work);
        if (largest > 2.0 * state.largest)
            state.rho = 0.0; /* they have drifted apart: the old directions lead nowhere */
        state.stuck |= !(largest < ROUND_ENOUGH * before);
    }
    *residual = largest;
    if (isfinite(largest) && iterations > 0) kernels->store(work.count, work.runs, levels->vectors, poisson->x);
    if (state.broken || !isfinite(largest)) rill_levels_wipe(levels);
    return iterations;
}

int32_t rill_poisson_solve(rill_poisson *poisson, bool scalar, double tolerance, int32_t max_iterations,
                           double *residual) {
    if (poisson->levels->direct.fits) return rill_direct_solve(poisson, tolerance, max_iterations, residual);
    return rill_poisson_solve_by_cg(poisson, rill_solve_kernels_pick(scalar), tolerance, max_iterations, residual);
}
