/* A guess who will be a member, before and between the exact solves of active_set.c.
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
#include "passages/passages_internal.h"

/* Some sweeps, and by how much they over-relax. */
typedef struct sweeps {
    int32_t count;
    float over;
} sweeps;

enum { NEARBY = 8 }; /* columns: as far as sweeps carry what has changed */
static const sweeps FIRST = { 1, 1.6f }, NEXT = { 3, 1.6f }, NEAR = { 10, 1.25f }, FAR = { 10, 1.6f };

/* Appends a node to the list, unless it is there or cannot be a member. */
static void list_node(rill_passage_solver *passages, int32_t node) {
    if (!passages->nodes.inner[node] || passages->number[node] > 0) return;
    passages->number[node] = passages->guess.count;
    passages->guess.node[passages->guess.count++] = node;
}

/* Lists the nodes that are not settled, from place 1 on, and what is within NEARBY columns of them. `number` gets the places; 0 for
 * others. */
static void list_nodes(rill_passage_solver *passages) {
    const rill_passage_nodes *a = &passages->nodes;
    rill_passage_prediction *guess = &passages->guess;
    guess->count = 1;
    for (int32_t n = 0; n < passages->node_count; ++n) passages->number[n] = 0;
    for (int32_t n = 1; n < passages->node_count; ++n) {
        if (!(passages->marks[n] & RILL_NODE_UNSETTLED)) continue;
        passages->marks[n] &= (uint8_t)~RILL_NODE_UNSETTLED;
        list_node(passages, n);
    }
    for (int32_t depth = 0, first = 1; depth < NEARBY; ++depth) {
        const int32_t end = guess->count;
        for (int32_t i = first; i < end; ++i) {
            const int32_t n = guess->node[i], faces[4] = { a->west[n], a->east[n], a->south[n], a->north[n] };
            for (int32_t k = 0; k < 4; ++k) list_node(passages, rill_edge_other(&passages->faces, faces[k], n));
        }
        first = end;
    }
}

static void begin_node(const rill_passage_solver *passages, int32_t i) {
    const rill_prediction_nodes *g = &passages->guess.at;
    const rill_passage_nodes *a = &passages->nodes;
    const rill_passage_edges *e = &passages->faces;
    const int32_t n = passages->guess.node[i];
    const int32_t faces[4] = { a->west[n], a->east[n], a->south[n], a->north[n] };
    float sum[2] = { 0.0f, 0.0f };
    for (int32_t k = 0; k < 4; ++k) {
        g->near[k][i] = passages->number[rill_edge_other(e, faces[k], n)];
        g->w[k][i] = e->gain[faces[k]] * e->reach[faces[k]];
        sum[k / 2] += g->w[k][i];
    }
    const float around = sum[0] + sum[1];
    const bool joins = rill_passages_roofed(passages, n) && around > 1e-30f;
    g->inverse[i] = joins ? 1.0f / around : 0.0f;
    g->push[i] = g->inverse[i] * (float)a->f[n];
    g->least[i] = -(float)a->pi[n];
    g->colour[i] = (a->column[n] + a->row[n]) & 1;
    g->x[i] = 0.0f;
}

static void sweep(const rill_passage_solver *passages, sweeps how) {
    for (int32_t half = 0; half < 2 * how.count; ++half)
        passages->kernels->relax(1, passages->guess.count, half % 2, how.over, &passages->guess.at);
}

/* Whether a node would be a member. One that is just full, without pressure, stays what it is. */
static bool guessed_member(const rill_passage_solver *passages, int32_t i) {
    const rill_prediction_nodes *g = &passages->guess.at;
    const bool member = passages->nodes.active[passages->guess.node[i]];
    const bool held = member && g->least[i] >= 0.0f && g->push[i] == 0.0f;
    return g->inverse[i] > 0.0f ? g->x[i] > g->least[i] || held : member;
}

static bool differs(const rill_passage_solver *passages) {
    for (int32_t i = 1; i < passages->guess.count; ++i)
        if (guessed_member(passages, i) != passages->nodes.active[passages->guess.node[i]]) return true;
    return false;
}

static void accept(rill_passage_solver *passages, int32_t *added) {
    const rill_prediction_nodes *g = &passages->guess.at;
    const rill_passage_nodes *a = &passages->nodes;
    for (int32_t i = 1; i < passages->guess.count; ++i) {
        const int32_t n = passages->guess.node[i];
        const bool member = guessed_member(passages, i), above = g->x[i] > g->least[i];
        a->pi[n] = above ? a->pi[n] + (double)g->x[i] : 0.0;
        if (member && !a->active[n]) passages->queue[(*added)++] = n;
        a->active[n] = member;
        a->ever[n] |= member;
    }
}

bool rill_passages_predict_members(const rill_passage_stage *s, double tolerance, int32_t *added) {
    rill_passage_solver *passages = s->flow->passages;
    list_nodes(passages);
    if (passages->guess.count == 1) return false;
    rill_passages_find_excess(passages);
    passages->guess.at.x[0] = 0.0f;
    for (int32_t i = 1; i < passages->guess.count; ++i) begin_node(passages, i);
    sweep(passages, FIRST);
    if (!differs(passages)) return false;
    sweep(passages, NEXT);
    sweep(passages, NEAR);
    if ((double)passages->kernels->miss(1, passages->guess.count, &passages->guess.at) > tolerance) sweep(passages, FAR);
    accept(passages, added);
    rill_passages_flow(passages);
    return true;
}
