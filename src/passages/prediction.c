/* Prediction of the nodes that will be active, before and between the exact solves of active_set.c.
 *
 * Based on: C. W. Cryer, "The solution of a quadratic programming problem using systematic overrelaxation", SIAM J.
 * Control 9, 1971: sweeps of over-relaxation in which no pressure is let below zero. Red and black nodes in turn, so
 * that the result does not depend on an order.
 *
 * An exact solve for the wrong active set says little about the right ones: where a solid has moved, it makes pressures
 * negative far beyond the columns that have come free, and columns that were dropped too much come back a ring each
 * pass. A sweep costs a fraction of a solve, carries changes a few columns further, and switches nodes on its way. It
 * does not find pressures that are the same over long distances: they are left to the solve. It does find those of a
 * few nodes beside a free surface, the sooner the less it over-relaxes: that is tried after the first sweeps, and if
 * nothing moves any more the other sweeps are not needed. Sparse pipes count as they flow now, and nodes far from
 * any that were switched are left alone. */
#include <math.h>

#include "passages/passages_internal.h"

/* A number of sweeps, and by how much they over-relax. */
typedef struct relaxation {
    int32_t count;
    float over;
} relaxation;

enum { NEARBY = 8 }; /* columns: as far as sweeps carry a change */
static const relaxation FIRST = { 1, 1.6f }, NEXT = { 3, 1.6f }, NEAR = { 10, 1.25f }, FAR = { 10, 1.6f };

/* Appends a node to the list, unless it is there or cannot be active. */
static void list_node(rill_passage_solver *passages, int32_t node) {
    RILL_ASSERT(node >= 0 && node < passages->node_count);
    if (!passages->nodes.inner[node] || passages->number[node] > 0) return;
    RILL_ASSERT(passages->prediction.count < passages->node_count); /* each node once, and place 0 */
    passages->number[node] = passages->prediction.count;
    passages->prediction.node[passages->prediction.count++] = node;
}

/* Lists the nodes that were switched, from place 1 on, and those within NEARBY columns of them. `number` gets the
 * places; 0 for others. */
static void list_nodes(rill_passage_solver *passages) {
    const rill_passage_nodes *nodes = &passages->nodes;
    rill_passage_prediction *prediction = &passages->prediction;
    prediction->count = 1;
    for (int32_t n = 0; n < passages->node_count; ++n) passages->number[n] = 0;
    for (int32_t n = 1; n < passages->node_count; ++n) {
        if (!(passages->marks[n] & RILL_NODE_SWITCHED)) continue;
        passages->marks[n] &= (uint8_t)~RILL_NODE_SWITCHED;
        list_node(passages, n);
    }
    for (int32_t depth = 0, first = 1; depth < NEARBY; ++depth) {
        const int32_t end = prediction->count;
        for (int32_t i = first; i < end; ++i) {
            const int32_t n = prediction->node[i],
                          faces[4] = { nodes->west[n], nodes->east[n], nodes->south[n], nodes->north[n] };
            for (int32_t k = 0; k < 4; ++k) list_node(passages, rill_edge_other(&passages->faces, faces[k], n));
        }
        first = end;
    }
}

static void begin_node(const rill_passage_solver *passages, int32_t i) {
    const rill_prediction_nodes *list = &passages->prediction.nodes;
    const rill_passage_nodes *nodes = &passages->nodes;
    const rill_passage_edges *faces = &passages->faces;
    const int32_t n = passages->prediction.node[i];
    const int32_t around[4] = { nodes->west[n], nodes->east[n], nodes->south[n], nodes->north[n] };
    float sum[2] = { 0.0f, 0.0f };
    for (int32_t k = 0; k < 4; ++k) {
        RILL_ASSERT(faces->gain[around[k]] >= 0.0f && faces->reach[around[k]] >= 0.0f);
        list->neighbour[k][i] = passages->number[rill_edge_other(faces, around[k], n)];
        list->w[k][i] = faces->gain[around[k]] * faces->reach[around[k]];
        sum[k / 2] += list->w[k][i];
    }
    const float weight = sum[0] + sum[1];
    RILL_ASSERT(passages->number[n] == i);
    RILL_ASSERT(isfinite(weight) && weight >= 0.0f);
    const bool joins = rill_passages_roofed(passages, n) && weight > 1e-30f;
    list->inverse[i] = joins ? 1.0f / weight : 0.0f;
    list->push[i] = list->inverse[i] * (float)nodes->f[n];
    list->least[i] = -(float)nodes->pi[n];
    list->colour[i] = (nodes->column[n] + nodes->row[n]) & 1;
    list->x[i] = 0.0f;
}

static void sweep(const rill_passage_solver *passages, relaxation sweeps) {
    for (int32_t half = 0; half < 2 * sweeps.count; ++half)
        passages->kernels->relax(1, passages->prediction.count, half % 2, sweeps.over, &passages->prediction.nodes);
}

/* Says whether a node would be active. One that is just full, without pressure, stays what it is. */
static bool will_be_active(const rill_passage_solver *passages, int32_t i) {
    const rill_prediction_nodes *list = &passages->prediction.nodes;
    const bool is_active = passages->nodes.active[passages->prediction.node[i]];
    const bool held = is_active && list->least[i] >= 0.0f && list->push[i] == 0.0f;
    return list->inverse[i] > 0.0f ? list->x[i] > list->least[i] || held : is_active;
}

static bool differs(const rill_passage_solver *passages) {
    for (int32_t i = 1; i < passages->prediction.count; ++i)
        if (will_be_active(passages, i) != passages->nodes.active[passages->prediction.node[i]]) return true;
    return false;
}

static void accept(rill_passage_solver *passages, int32_t *added) {
    const rill_prediction_nodes *list = &passages->prediction.nodes;
    const rill_passage_nodes *nodes = &passages->nodes;
    for (int32_t i = 1; i < passages->prediction.count; ++i) {
        const int32_t n = passages->prediction.node[i];
        const bool is_active = will_be_active(passages, i), above = list->x[i] > list->least[i];
        RILL_ASSERT(isfinite(list->x[i]) && list->x[i] >= list->least[i]);
        nodes->pi[n] = above ? nodes->pi[n] + (double)list->x[i] : 0.0;
        if (is_active && !nodes->active[n]) passages->queue[(*added)++] = n;
        nodes->active[n] = is_active;
        nodes->ever_active[n] |= is_active;
    }
}

bool rill_passages_predict(const rill_passage_stage *stage, double tolerance, int32_t *added) {
    rill_passage_solver *passages = stage->flow->passages;
    list_nodes(passages);
    if (passages->prediction.count == 1) return false;
    rill_passages_find_excess(passages);
    passages->prediction.nodes.x[0] = 0.0f;
    for (int32_t i = 1; i < passages->prediction.count; ++i) begin_node(passages, i);
    sweep(passages, FIRST);
    RILL_ASSERT(passages->prediction.nodes.x[0] == 0.0f);
    if (!differs(passages)) return false;
    sweep(passages, NEXT);
    sweep(passages, NEAR);
    if ((double)passages->kernels->residual(1, passages->prediction.count, &passages->prediction.nodes) > tolerance)
        sweep(passages, FAR);
    accept(passages, added);
    rill_passages_flow(passages);
    return true;
}
