/* A guess who will be a member, before and between the exact solves of covered.c.
 *
 * Based on: C. W. Cryer, "The solution of a quadratic programming problem using systematic overrelaxation", SIAM J.
 * Control 9, 1971: sweeps of over-relaxation in which no pressure is let below zero. Red and black nodes in turn, so
 * that the result does not depend on an order.
 *
 * An exact solve for the wrong members says little about the right ones: where a solid has moved, it makes pressures
 * negative far beyond the columns that have come free, and those that were dropped too much come back a ring of
 * columns each pass. A sweep costs a fraction of a solve, carries what has changed a few columns further, and lets
 * members come and go on its way. Pressures that are the same over long distances it does not find: they are left to
 * the solve. Those of a few members beside a free surface it does, and the sooner the less it over-relaxes: that is
 * tried after the first sweeps, and if nothing moves any more the rest is not needed. Sparse pipes count as they flow
 * now, and a window in which the first sweep sees no other members is left alone. */
#include "flow/covered_parts.h"

/* Some sweeps, and by how much they over-relax. */
typedef struct sweeps {
    int32_t count;
    float over;
} sweeps;

static const sweeps FIRST = { 1, 1.6f }, NEXT = { 3, 1.6f }, NEAR = { 10, 1.25f }, FAR = { 10, 1.6f };

static rill_guess_area area_of(const rill_window *w, const rill_strip *strip) {
    return (rill_guess_area){ strip->x, strip->y, strip->n, strip->rows, w->stride };
}

/* The black nodes of a window follow the red ones, half a row behind them. */
static rill_guess guess_of(const rill_covered *covered, const rill_window *w) {
    float *const x = covered->guess.x[0] + w->node;
    const int32_t block = w->node / RILL_COVERED_UNIT;
    return (rill_guess){ { covered->guess.blocks[0] + block, covered->guess.blocks[1] + block },
                         { x, x + (w->ny + 1) * w->stride / 2 } };
}

static void begin(const rill_covered *covered, const rill_window *w, const rill_guess_kernels *kernels) {
    const rill_covered_nodes nodes = rill_covered_nodes_at(covered, w->node);
    const rill_covered_faces west = rill_covered_faces_at(&covered->west, w->node);
    const rill_covered_faces south = rill_covered_faces_at(&covered->south, w->node);
    const rill_guess guess = guess_of(covered, w);
    EACH_STRIP(covered, w, strip)
        kernels->begin(area_of(w, strip), &nodes, &west, &south, covered->poisson.f + w->node, &guess);
}

static void sweep(const rill_covered *covered, const rill_window *w, const rill_guess_kernels *kernels, sweeps how) {
    const rill_guess guess = guess_of(covered, w);
    for (int32_t half = 0; half < 2 * how.count; ++half)
        EACH_STRIP(covered, w, strip) kernels->relax(area_of(w, strip), half % 2, how.over, &guess);
}

/* Whether red nodes would end further from full than they may, as the black ones have left them that were relaxed last. */
static bool is_far(const rill_covered *covered, const rill_window *w, const rill_guess_kernels *kernels,
                   double tolerance) {
    const rill_guess guess = guess_of(covered, w);
    float most = 0.0f;
    EACH_STRIP(covered, w, strip) most = rill_max_f(most, kernels->miss(area_of(w, strip), 0, &guess));
    return (double)most > tolerance;
}

/* Whether a window's members would be others than they are; and making them so. */
static bool differs(const rill_covered *covered, const rill_window *w, const rill_guess_kernels *kernels) {
    const rill_covered_nodes nodes = rill_covered_nodes_at(covered, w->node);
    const rill_guess guess = guess_of(covered, w);
    int32_t any = 0;
    EACH_STRIP(covered, w, strip) any |= kernels->differs(area_of(w, strip), &nodes, &guess);
    return any != 0;
}

static void accept(const rill_covered *covered, const rill_window *w, const rill_guess_kernels *kernels) {
    const rill_covered_nodes nodes = rill_covered_nodes_at(covered, w->node);
    const rill_guess guess = guess_of(covered, w);
    EACH_STRIP(covered, w, strip) kernels->accept(area_of(w, strip), &nodes, &guess);
}

bool rill_covered_guess_members(const rill_covered_stage *s, double tolerance) {
    rill_covered *covered = s->flow->covered;
    const rill_guess_kernels *kernels = rill_guess_kernels_pick(s->settings->scalar);
    bool any = false;
    rill_covered_find_excess(covered);
    for (const rill_window *w = covered->windows; w < covered->windows + covered->window_count; ++w) {
        begin(covered, w, kernels);
        sweep(covered, w, kernels, FIRST);
        if (!differs(covered, w, kernels)) continue;
        sweep(covered, w, kernels, NEXT);
        sweep(covered, w, kernels, NEAR);
        if (is_far(covered, w, kernels, tolerance)) sweep(covered, w, kernels, FAR);
        accept(covered, w, kernels);
        any = true;
    }
    if (any) rill_covered_flow_faces(s);
    return any;
}
