/* Conjugate gradients with a multigrid cycle as preconditioner.
 *
 * Based on: M. R. Hestenes, E. Stiefel, "Methods of conjugate gradients for solving linear systems", 1952, in the
 * preconditioned form of Y. Saad, "Iterative methods for sparse linear systems", algorithm 9.1.
 *
 * x is double; directions and the residual that is carried along are float, like the cycle: half the memory to read. Rounding
 * makes that residual drift away from b - A x, so this is computed in double and put in its place at the end, and before
 * the drift can matter, while the directions go on (H. A. van der Vorst, Q. Ye, "Residual replacement strategies for Krylov
 * subspace iterative methods", SIAM J. Sci. Comput. 22, 2000).
 *
 * On a sealed component A is singular: constants are added to x at no cost, which does not matter to b - A x. */
#include <math.h>
#include <string.h>

#include "solve/levels.h"

#define TRUST 1e-4      /* the carried residual is replaced after it has been reduced by this */
#define SAFETY 0.984375 /* it is made a little smaller than asked for */

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
static double compare(const solver *s) {
    const rill_vectors *v = s->levels->vectors;
    const int32_t links = s->level->link_count;
    int64_t lanes[RILL_LANES] = { 0 }, most = 0;
    for (rill_level_link *link = s->level->links; link < s->level->links + links; ++link) {
        const rill_link_end *a = &link->end[0], *b = &link->end[1];
        double flow = (double)link->w * (v[a->colour].x[a->node] - v[b->colour].x[b->node]);
        link->kept[0] = v[a->colour].b[a->node];
        v[a->colour].b[a->node] -= flow;
        link->kept[1] = v[b->colour].b[b->node];
        v[b->colour].b[b->node] += flow;
    }
    for (int32_t c = 0; c < 2; ++c) s->kernels->compare(s->count, s->runs, s->level->colour, c, v, lanes);
    for (const rill_level_link *link = s->level->links + links; link-- > s->level->links;) {
        v[link->end[1].colour].b[link->end[1].node] = link->kept[1];
        v[link->end[0].colour].b[link->end[0].node] = link->kept[0];
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

/* q = A p; returns p q. */
static double apply(const solver *s) {
    const rill_vectors *v = s->levels->vectors;
    double lanes[RILL_LANES] = { 0 };
    for (int32_t c = 0; c < 2; ++c) s->kernels->apply(s->count, s->runs, s->level->colour, c, v, lanes);
    double sum = sum_lanes(lanes);
    for (const rill_level_link *link = s->level->links; link < s->level->links + s->level->link_count; ++link) {
        const rill_link_end *a = &link->end[0], *b = &link->end[1];
        float difference = v[a->colour].p[a->node] - v[b->colour].p[b->node], flow = link->w * difference;
        v[a->colour].q[a->node] += flow;
        v[b->colour].q[b->node] -= flow;
        sum += (double)flow * (double)difference;
    }
    return sum;
}

/* One step along a new direction. *rz is the product of residual and preconditioned residual of the step before, 0 at
 * first. False if there is nowhere to go: numbers have run out of range, or f - A x is as good as it gets. */
static bool advance(const solver *s, double *rz, double *largest) {
    const rill_vectors *v = s->levels->vectors;
    double lanes[RILL_LANES] = { 0 };
    rill_multigrid_cycle(s->levels, s->kernels);
    for (int32_t c = 0; c < 2; ++c) s->kernels->dot(s->count, s->runs, &s->level->colour[c], lanes);
    double product = sum_lanes(lanes), beta = *rz > 0.0 ? product / *rz : 0.0;
    if (!(product > 0.0) || !isfinite(beta)) return false;
    for (int32_t c = 0; c < 2; ++c) s->kernels->turn(s->count, s->runs, (float)beta, &s->level->colour[c], &v[c]);
    double energy = apply(s), alpha = product / energy;
    if (!(energy > 0.0) || !isfinite(alpha)) return false;
    *rz = product;
    int32_t most[RILL_LANES] = { 0 };
    for (int32_t c = 0; c < 2; ++c)
        s->kernels->advance(s->count, s->runs, (float)alpha, &s->level->colour[c], &v[c], most);
    *largest = largest_of(most);
    return true;
}

/* Until `goal` is reached or `most` steps are done; returns how many. *moving becomes false when no more can be had. */
static int32_t iterate(const solver *s, double goal, int32_t most, double *rz, double *largest, bool *moving) {
    int32_t steps = 0;
    while (*largest > goal && steps < most && (*moving = advance(s, rz, largest))) ++steps;
    return steps;
}

int32_t rill_poisson_solve(rill_poisson *poisson, bool scalar, double tolerance, int32_t max_iterations,
                           double *residual) {
    rill_poisson_levels *levels = poisson->levels;
    const rill_level *level = &levels->level[0];
    const solver s = { .levels = levels,
                       .kernels = rill_solve_kernels_pick(scalar),
                       .level = level,
                       .count = level->run_count,
                       .runs = level->runs };
    const bool direct = levels->count == 1 && levels->bottom.count >= 0;
    s.kernels->load(s.count, s.runs, poisson, levels->vectors);
    double largest = compare(&s), rz = 0.0;
    int32_t iterations = 0;
    for (bool moving = true; moving && largest > tolerance && iterations < max_iterations;) {
        double before = largest;
        if (direct) {
            rill_bottom_correct(levels);
            ++iterations;
        } else {
            double goal = fmax(SAFETY * tolerance, TRUST * largest);
            iterations += iterate(&s, goal, max_iterations - iterations, &rz, &largest, &moving);
        }
        largest = compare(&s);
        moving = moving && largest < before;
    }
    *residual = largest;
    if (isfinite(largest) && iterations > 0) s.kernels->store(s.count, s.runs, levels->vectors, poisson->x);
    if (!isfinite(largest)) rill_levels_wipe(levels, poisson->node_capacity, poisson->patch_capacity);
    return iterations;
}
