/* A guess who will be a member, before and between the exact solves of covered.c.
 *
 * Based on: C. W. Cryer, "The solution of a quadratic programming problem using systematic overrelaxation", SIAM J.
 * Control 9, 1971: sweeps of over-relaxation in which no pressure is let below zero. Red and black nodes in turn, so
 * that the result does not depend on an order.
 *
 * An exact solve for the wrong members says little about the right ones: where a solid has moved, it makes pressures
 * negative far beyond the columns that have come free, and those that were dropped too much come back a ring of
 * columns each pass. A sweep costs a hundredth of a solve, carries what has changed a few columns further, and lets
 * members come and go on its way. It does not find pressures, which are the same over long distances: they are left
 * to the solve. Sparse pipes count as they flow now. */
#include "flow/covered_parts.h"

enum { SWEEPS = 16 };

static void begin(const rill_covered *covered, const rill_guess_kernels *kernels) {
    for (int32_t i = 0; i < covered->window_count; ++i) {
        const int32_t node = covered->windows[i].node;
        const rill_covered_run run = rill_covered_run_of(covered, &covered->windows[i]);
        const rill_guess guess = rill_covered_guess_at(covered, node);
        kernels->begin(run.n, &run.nodes, run.stride, &run.west, &run.south, covered->poisson.f + node, &guess);
    }
}

static void sweep(const rill_covered *covered, const rill_guess_kernels *kernels) {
    for (int32_t i = 0; i < covered->window_count; ++i) {
        const rill_covered_run run = rill_covered_run_of(covered, &covered->windows[i]);
        const rill_guess guess = rill_covered_guess_at(covered, covered->windows[i].node);
        for (int32_t colour = 0; colour < 2; ++colour)
            kernels->relax(covered->windows[i].ny, run.stride, colour, &run.west, &run.south, &guess);
    }
}

static bool differs(const rill_covered *covered, const rill_guess_kernels *kernels) {
    int32_t any = 0;
    for (int32_t i = 0; i < covered->window_count; ++i) {
        const rill_covered_run run = rill_covered_run_of(covered, &covered->windows[i]);
        const rill_guess guess = rill_covered_guess_at(covered, covered->windows[i].node);
        any |= kernels->differs(run.n, &run.nodes, &guess);
    }
    return any != 0;
}

bool rill_covered_guess_members(const rill_covered_stage *s) {
    rill_covered *covered = s->flow->covered;
    const rill_guess_kernels *kernels = rill_guess_kernels_pick(s->settings->scalar);
    rill_covered_find_excess(covered);
    begin(covered, kernels);
    sweep(covered, kernels);
    if (!differs(covered, kernels)) return false;
    for (int32_t i = 1; i < SWEEPS; ++i) sweep(covered, kernels);
    for (int32_t i = 0; i < covered->window_count; ++i) {
        const rill_covered_run run = rill_covered_run_of(covered, &covered->windows[i]);
        const rill_guess guess = rill_covered_guess_at(covered, covered->windows[i].node);
        kernels->accept(run.n, &run.nodes, &guess);
    }
    rill_covered_flow_faces(s);
    return true;
}
