/* What is left under bodies that lie on the bed, and does not fit there: see bodies.h.
 *
 * Through a film nothing flows, and no pressure that a column can have would press it out within a sub-step. But where a body
 * has come to lie, liquid may be left that there is no room for. It is put outside at once, ring by ring of columns, in whole
 * quanta, and is neither pressed nor moved by that:
 *
 *        ~~~~~~~~~~+-------------+~~~~~~~~~      2 gives to 1, which gives to 0: what is not on the bed
 *                  |             |
 *        :::::0::::+-1--2--2--1--+::::0::::
 */
#include "bodies/bodies.h"

#include "base/simd.h"

static const double LEAST = 1.0 / 128.0; /* cells: less than this stays where it is */

typedef struct squeeze {
    const rill_body_stage *stage;
    rill_node *nodes;
    const rill_body_face *faces;
    size_t first, end; /* nodes */
    int32_t *ring;   /* per node: 0 outside */
    int32_t *excess; /* per node: what does not fit, quanta */
} squeeze;

/* Whether a body is on the bed in all of a column, and no liquid over it: else that is where the rest of it is. */
static bool is_closed(const squeeze *q, const rill_node *node) {
    const rill_bodies *bodies = q->stage->bodies;
    const rill_touch *touches = bodies->touches.data;
    const rill_piece *pieces = bodies->pieces.data;
    if (node->shut != 15 || node->over || q->stage->flow->bed->c[node->place] < RILL_TOP) return false;
    const double film = rill_node_film(q->stage->flow->bed, node);
    uint32_t on_bed = 0;
    for (int32_t i = node->first; i >= 0; i = touches[i].next)
        for (int32_t k = touches[i].first; k < touches[i].end; ++k)
            on_bed |= (uint32_t)((double)pieces[k].low < film) << pieces[k].quarter;
    return on_bed == 15;
}

/* Moves quanta, as far as there is room. */
static void give(const squeeze *q, int32_t from, int32_t node, int32_t place, int32_t amount) {
    const rill_bed *bed = q->stage->flow->bed;
    int32_t *H = q->stage->flow->H;
    const int32_t room = bed->c[place] < RILL_TOP ? 0 : RILL_TOP - RILL_TOP / 16 - bed->b[place] - H[place];
    const int32_t part = rill_max_i(rill_min_i(amount, room), 0);
    H[q->nodes[from].place] -= part;
    H[place] += part;
    q->excess[from] -= part;
    if (node >= 0) q->excess[node] += part;
    rill_flow_wake(q->stage->flow, place);
}

/* All that the columns of a ring have too much of goes to those of the ring outside, over the faces listed. */
static void empty_ring(const squeeze *q, const int32_t *listed, int32_t count, int32_t *ways) {
    for (int32_t pass = 0; pass < 2; ++pass)
        for (int32_t k = 0; k < count; ++k) {
            const rill_body_face *face = &q->faces[listed[k]];
            const bool from_l = rill_ring_at(q->ring, face->node_l) > rill_ring_at(q->ring, face->node_r);
            const int32_t from = from_l ? face->node_l : face->node_r;
            if (q->excess[from] <= 0) continue;
            if (pass == 0) {
                ways[from] += 1; /* out of it */
                continue;
            }
            give(q, from, from_l ? face->node_r : face->node_l, from_l ? face->r : face->l,
                 q->excess[from] / ways[from]);
            ways[from] -= ways[from] > 1;
        }
}

/* From the innermost ring outwards. */
static void empty_rings(const squeeze *q, int32_t *ways) {
    const int32_t listed = rill_island_rings(q->stage, q->ring), *between = rill_island_between(q->stage);
    for (size_t i = q->first; i < q->end; ++i) ways[i] = 0;
    for (int32_t end = listed, from; end > 0; end = from) {
        const int32_t ring = rill_island_ring_of(q->stage, q->ring, end - 1);
        for (from = end - 1; from > 0 && rill_island_ring_of(q->stage, q->ring, from - 1) == ring;) from -= 1;
        empty_ring(q, between + from, end - from, ways);
    }
}

/* What does not fit into a column, quanta; next to nothing if no body lies on the bed there. */
static double excess_of(const squeeze *q, const rill_node *node) {
    const double fits = node->e - node->deep;
    return (double)q->stage->flow->H[node->place] - (fits > 0.0 ? fits : 0.0);
}

static squeeze make_squeeze(const rill_body_stage *s) {
    const size_t n = s->bodies->nodes.count;
    double *v = s->bodies->vectors.data;
    return (squeeze){ .stage = s,
                      .nodes = s->bodies->nodes.data,
                      .faces = s->bodies->faces.data,
                      .first = s->island->first_node,
                      .end = s->island->end_node,
                      .ring = (int32_t *)(void *)v,
                      .excess = (int32_t *)(void *)(v + n) + n };
}

static double least_of(const rill_body_stage *s) {
    return LEAST * s->flow->bed->grid.cell_size / s->flow->bed->quantum;
}

bool rill_island_is_pressed(const rill_body_stage *s) {
    const squeeze q = make_squeeze(s);
    bool any = false;
    for (size_t i = q.first; i < q.end && !any; ++i)
        any = excess_of(&q, &q.nodes[i]) > least_of(s) && is_closed(&q, &q.nodes[i]);
    return any;
}

void rill_island_squeeze(const rill_body_stage *s) {
    const squeeze q = make_squeeze(s);
    for (size_t i = q.first; i < q.end; ++i) {
        const double excess = excess_of(&q, &q.nodes[i]);
        const bool closed = is_closed(&q, &q.nodes[i]);
        q.ring[i] = closed ? RILL_NO_RING : 0;
        q.excess[i] = closed && excess > least_of(s) ? (int32_t)excess : 0;
    }
    empty_rings(&q, (int32_t *)(void *)((double *)s->bodies->vectors.data + s->bodies->nodes.count));
}
