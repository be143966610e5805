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
 * now, and what is far from members that have changed is left alone. */
#include "flow/covered_parts.h"

/* Some sweeps, and by how much they over-relax. */
typedef struct sweeps {
    int32_t count;
    float over;
} sweeps;

enum { NEARBY = 8 }; /* columns: as far as sweeps carry what has changed */
static const sweeps FIRST = { 1, 1.6f }, NEXT = { 3, 1.6f }, NEAR = { 10, 1.25f }, FAR = { 10, 1.6f };

/* Appends a node to the list, unless it is there or cannot be a member. */
static void list_node(rill_covered *covered, int32_t node) {
    if (!covered->nodes.inner[node] || covered->number[node] > 0) return;
    covered->number[node] = covered->guess.count;
    covered->guess.node[covered->guess.count++] = node;
}

/* Lists the nodes that are not settled, from place 1 on, and what is within NEARBY columns of them. `number` gets the places; 0 for
 * others. */
static void list_nodes(rill_covered *covered) {
    const rill_covered_nodes *a = &covered->nodes;
    rill_covered_guess *guess = &covered->guess;
    guess->count = 1;
    for (int32_t n = 0; n < covered->node_count; ++n) covered->number[n] = 0;
    for (int32_t n = 1; n < covered->node_count; ++n) {
        if (!(covered->marks[n] & RILL_NODE_UNSETTLED)) continue;
        covered->marks[n] &= (uint8_t)~RILL_NODE_UNSETTLED;
        list_node(covered, n);
    }
    for (int32_t depth = 0, first = 1; depth < NEARBY; ++depth) {
        const int32_t end = guess->count;
        for (int32_t i = first; i < end; ++i) {
            const int32_t n = guess->node[i], faces[4] = { a->west[n], a->east[n], a->south[n], a->north[n] };
            for (int32_t k = 0; k < 4; ++k) list_node(covered, rill_edge_other(&covered->faces, faces[k], n));
        }
        first = end;
    }
}

static void begin_node(const rill_covered *covered, int32_t i) {
    const rill_guess_nodes *g = &covered->guess.at;
    const rill_covered_nodes *a = &covered->nodes;
    const rill_covered_edges *e = &covered->faces;
    const int32_t n = covered->guess.node[i];
    const int32_t faces[4] = { a->west[n], a->east[n], a->south[n], a->north[n] };
    float sum[2] = { 0.0f, 0.0f };
    for (int32_t k = 0; k < 4; ++k) {
        g->near[k][i] = covered->number[rill_edge_other(e, faces[k], n)];
        g->w[k][i] = e->gain[faces[k]] * e->reach[faces[k]];
        sum[k / 2] += g->w[k][i];
    }
    const float around = sum[0] + sum[1];
    const bool joins = rill_covered_roofed(covered, n) && around > 1e-30f;
    g->inverse[i] = joins ? 1.0f / around : 0.0f;
    g->push[i] = g->inverse[i] * (float)a->f[n];
    g->least[i] = -(float)a->pi[n];
    g->colour[i] = (a->column[n] + a->row[n]) & 1;
    g->x[i] = 0.0f;
}

static void sweep(const rill_covered *covered, sweeps how) {
    for (int32_t half = 0; half < 2 * how.count; ++half)
        covered->kernels->relax(1, covered->guess.count, half % 2, how.over, &covered->guess.at);
}

/* Whether a node would be a member. One that is just full, without pressure, stays what it is. */
static bool guessed_member(const rill_covered *covered, int32_t i) {
    const rill_guess_nodes *g = &covered->guess.at;
    const bool member = covered->nodes.active[covered->guess.node[i]];
    const bool held = member && g->least[i] >= 0.0f && g->push[i] == 0.0f;
    return g->inverse[i] > 0.0f ? g->x[i] > g->least[i] || held : member;
}

static bool differs(const rill_covered *covered) {
    for (int32_t i = 1; i < covered->guess.count; ++i)
        if (guessed_member(covered, i) != covered->nodes.active[covered->guess.node[i]]) return true;
    return false;
}

static void accept(rill_covered *covered, int32_t *added) {
    const rill_guess_nodes *g = &covered->guess.at;
    const rill_covered_nodes *a = &covered->nodes;
    for (int32_t i = 1; i < covered->guess.count; ++i) {
        const int32_t n = covered->guess.node[i];
        const bool member = guessed_member(covered, i), above = g->x[i] > g->least[i];
        a->pi[n] = above ? a->pi[n] + (double)g->x[i] : 0.0;
        if (member && !a->active[n]) covered->queue[(*added)++] = n;
        a->active[n] = member;
        a->ever[n] |= member;
    }
}

bool rill_covered_guess_members(const rill_covered_stage *s, double tolerance, int32_t *added) {
    rill_covered *covered = s->flow->covered;
    list_nodes(covered);
    if (covered->guess.count == 1) return false;
    rill_covered_find_excess(covered);
    covered->guess.at.x[0] = 0.0f;
    for (int32_t i = 1; i < covered->guess.count; ++i) begin_node(covered, i);
    sweep(covered, FIRST);
    if (!differs(covered)) return false;
    sweep(covered, NEXT);
    sweep(covered, NEAR);
    if ((double)covered->kernels->miss(1, covered->guess.count, &covered->guess.at) > tolerance) sweep(covered, FAR);
    accept(covered, added);
    rill_covered_flow(covered);
    return true;
}
