/* One multigrid V-cycle, as a preconditioner: symmetric and positive definite, in float.
 *
 *     down   sweep red, black; ... ; the residual, summed over 2 x 2 nodes, is f of the next level
 *     up     add the correction; sweep black, red; ...
 *
 * The order of colours is reversed on the way up, and what goes up is the transpose of what goes down: hence the
 * symmetry that conjugate gradients need. After a sweep over black nodes their residual is zero, before one their
 * values do not matter: so only residuals of red nodes go down, and only red nodes are corrected. Links (few) are
 * the exception to both. */
#include <string.h>

#include "solve/levels.h"

#include "base/assert.h"

/* Sweeps before and after each visit of coarser levels. Those are cheap, and piecewise constant transfer leaves them
 * work. */
static int32_t sweeps_on(int32_t k) {
    return k < 2 ? 2 : 4;
}
enum { BOTTOM_SWEEPS = 8 };

/* ------------------------------------------------------------------------------------------------------------ links */

/* The values that the relaxed colour had before. */
typedef enum start_from { FROM_ZERO, FROM_X, FROM_CORRECTED_X } start_from;

static bool of_colour(const rill_level_link *link, int32_t colour) {
    return link->end[0].colour == colour && link->end[1].colour == colour;
}

static float value(const rill_level *level, const rill_link_end *end) {
    return level->colour[end->colour].x[end->node];
}

/* Before a sweep: links within the colour act with the values before it. */
static void take_terms(const rill_level *level, int32_t colour, start_from from) {
    const float *correction = level[1].natural;
    for (rill_level_link *link = level->links; link < level->links + level->link_count; ++link) {
        if (!of_colour(link, colour)) continue;
        float sum = value(level, &link->end[0]) + value(level, &link->end[1]);
        if (from == FROM_CORRECTED_X) sum += correction[link->end[0].coarse] + correction[link->end[1].coarse];
        link->term = from == FROM_ZERO ? 0.0f : link->w * sum;
    }
}

/* After it: all links of the colour's nodes. */
static void add_terms(const rill_level *level, int32_t colour) {
    const rill_colour *own = &level->colour[colour];
    for (const rill_level_link *link = level->links; link < level->links + level->link_count; ++link) {
        bool within = of_colour(link, colour);
        for (int32_t i = 0; i < 2; ++i) {
            const rill_link_end *end = &link->end[i], *far = &link->end[1 - i];
            if (end->colour != colour) continue;
            own->x[end->node] += (within ? link->term : link->w * value(level, far)) * own->inverse[end->node];
        }
    }
}

static void sweep(const rill_level *level, int32_t colour, start_from from, const rill_solve_kernels *kernels) {
    if (level->link_count > 0) take_terms(level, colour, from);
    kernels->relax(level->run_count, level->runs, level->colour, colour);
    if (level->link_count > 0) add_terms(level, colour);
}

/* The share of links in the residual. */
static void descend_links(const rill_level *level, float *coarse) {
    for (const rill_level_link *link = level->links; link < level->links + level->link_count; ++link) {
        const rill_link_end *left = &link->end[0], *right = &link->end[1];
        float xa = value(level, left), xb = value(level, right);
        if (of_colour(link, RILL_BLACK)) { /* only what has changed since the sweep has not been relaxed away */
            float change = link->w * (xa + xb) - link->term;
            coarse[left->coarse] += change;
            coarse[right->coarse] += change;
        } else {
            if (left->colour == RILL_RED) coarse[left->coarse] += link->w * (xb - xa);
            if (right->colour == RILL_RED) coarse[right->coarse] += link->w * (xa - xb);
        }
    }
}

/* -------------------------------------------------------------------------------------------------------- the cycle */

static void sweep_down(const rill_level *level, int32_t sweeps, const rill_solve_kernels *kernels) {
    kernels->start(level->run_count, level->runs, &level->colour[RILL_RED]);
    sweep(level, RILL_BLACK, FROM_ZERO, kernels);
    for (int32_t i = 1; i < sweeps; ++i) {
        sweep(level, RILL_RED, FROM_X, kernels);
        sweep(level, RILL_BLACK, FROM_X, kernels);
    }
}

static void sweep_up(const rill_level *level, int32_t sweeps, start_from from, const rill_solve_kernels *kernels) {
    for (int32_t i = 0; i < sweeps; ++i) {
        sweep(level, RILL_BLACK, i == 0 ? from : FROM_X, kernels);
        sweep(level, RILL_RED, FROM_X, kernels);
    }
}

static void descend(const rill_level *level, const rill_solve_kernels *kernels) {
    const rill_level *coarse = level + 1;
    for (const rill_run *run = coarse->runs; run < coarse->runs + coarse->run_count; ++run)
        memset(coarse->natural + run->natural, 0, 2 * (size_t)run->n * sizeof(float));
    kernels->descend(level->run_count, level->runs, level->colour, coarse->natural);
    descend_links(level, coarse->natural);
    kernels->part(coarse->run_count, coarse->runs, coarse->natural, coarse->colour);
}

static void ascend(const rill_level *level, const rill_solve_kernels *kernels) {
    const rill_level *coarse = level + 1;
    kernels->join(coarse->run_count, coarse->runs, coarse->colour, coarse->natural);
    kernels->ascend(level->run_count, level->runs, coarse->natural, level->colour);
}

void rill_multigrid_cycle(rill_poisson_levels *levels, const rill_solve_kernels *kernels) {
    int32_t last = levels->count - 1;
    RILL_ASSERT(last >= 0 && last < RILL_LEVELS_MOST);
    for (int32_t k = 0; k < last; ++k) {
        sweep_down(&levels->level[k], sweeps_on(k), kernels);
        descend(&levels->level[k], kernels);
    }
    if (levels->bottom.fits) {
        rill_bottom_solve(levels);
    } else {
        sweep_down(&levels->level[last], BOTTOM_SWEEPS, kernels);
        sweep_up(&levels->level[last], BOTTOM_SWEEPS, FROM_X, kernels);
    }
    for (int32_t k = last - 1; k >= 0; --k) {
        ascend(&levels->level[k], kernels);
        sweep_up(&levels->level[k], sweeps_on(k), FROM_CORRECTED_X, kernels);
    }
}
