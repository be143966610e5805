/* Bodies on the bed, and what is left of liquid under them: see bodies.h.
 *
 *   grounded   Where nothing but a film is left under a body, liquid neither gets away nor in within a sub-step, and whatever
 *              pressure would be needed to keep the body from coming down that last bit, it would have. That is the business of
 *              the bed, or of an engine's contacts. So such a column is left out of the solve: its head is that of what is
 *              around the film, which is what it passes on in the long run, and a body that lies on the bed has its buoyancy.
 *
 *   excess     Through a film nothing flows, and no pressure that a column can have would press it out within a sub-step. But
 *              where a body has come to lie, liquid may be left that there is no room for. It is put outside at once, ring by
 *              ring of columns, in whole quanta, and is neither pressed nor moved by that:
 *
 *        ~~~~~~~~~~+-------------+~~~~~~~~~      2 gives to 1, which gives to 0: what is not on the bed
 *                  |             |
 *        :::::0::::+-1--2--2--1--+::::0::::
 *
 *   rings      Faces between ring 0 and ring 1 are listed first, then those between 1 and 2. What is passed on from ring to ring
 *              looks at each of them once.
 *
 *        0  0  0  0  0  0
 *        0  1  1  1  1  0
 *        0  1  2  2  1  0
 *        0  1  1  1  1  0
 *        0  0  0  0  0  0 */
#include "bodies/bodies.h"

#include "base/simd.h"

#include <math.h>

static const double FILM = 1.0 / 128.0; /* cells */
static const double LAST =
    1.0 / 8.0; /* the same under open sky and a body that goes as it is told, whatever that takes */
static const double LEAST = 1.0 / 128.0; /* cells: less than this stays where it is */

/* ------------------------------------------------------------------------------------------------------------- rings */

/* Passes over faces that may yet lie between rings; each leaves fewer. */
int32_t rill_island_rings(const rill_body_stage *s, int32_t *ring) {
    const rill_island *island = s->island;
    const rill_body_face *faces = s->bodies->faces.data;
    int32_t *listed = rill_island_between(s), *open = listed + (island->end_face - island->first_face);
    int32_t count = 0, left = 0;
    for (int32_t i = (int32_t)island->first_face; i < (int32_t)island->end_face; ++i)
        if (rill_ring_at(ring, faces[i].node_l) == RILL_NO_RING || rill_ring_at(ring, faces[i].node_r) == RILL_NO_RING)
            open[left++] = i;
    for (int32_t last = 0, before = -1; count > before; ++last) {
        int32_t kept = 0;
        before = count;
        for (int32_t k = 0; k < left; ++k) {
            const rill_body_face *face = &faces[open[k]];
            const int32_t l = rill_ring_at(ring, face->node_l), r = rill_ring_at(ring, face->node_r);
            if (l == last || r == last) {
                const int32_t inner = l == last ? face->node_r : face->node_l;
                if (rill_ring_at(ring, inner) == RILL_NO_RING) ring[inner] = last + 1;
                if (rill_ring_at(ring, inner) == last + 1) listed[count++] = open[k];
            } else if (l == RILL_NO_RING || r == RILL_NO_RING) {
                open[kept++] = open[k];
            }
        }
        left = kept;
    }
    return count;
}

int32_t rill_island_ring_of(const rill_body_stage *s, const int32_t *ring, int32_t listed) {
    const rill_body_face *faces = s->bodies->faces.data, *face = &faces[rill_island_between(s)[listed]];
    return rill_max_i(rill_ring_at(ring, face->node_l), rill_ring_at(ring, face->node_r));
}

/* ------------------------------------------------------------------------------------------------------------- films */

double rill_node_film(const rill_bed *bed, const rill_node *node) {
    return (node->yields || !isinf(node->roof) ? FILM : LAST) * bed->grid.cell_size / bed->quantum;
}

/* How a body lies in a column with a level. */
static void measure(const rill_bodies *bodies, rill_touch *t, double e) {
    const rill_piece *pieces = bodies->pieces.data;
    double deep = 0.0, share = 0.0, under = 0.0, moment[2] = { 0.0, 0.0 };
    for (int32_t k = t->first; k < t->end; ++k) {
        const double part = (double)pieces[k].part, low = (double)pieces[k].low, high = (double)pieces[k].high;
        if (e <= low) continue;
        deep += part * ((e < high ? e : high) - low);
        share += part;
        under += part * low;
        for (int i = 0; i < 2; ++i) moment[i] += part * (double)pieces[k].arm[i];
    }
    t->deep = (float)deep;
    t->share = (float)share;
    t->under = share > 0.0 ? (float)(under / share) : 0.0f;
    for (int i = 0; i < 2; ++i) t->arm[i] = share > 0.0 ? (float)(moment[i] / share) : 0.0f;
}

/* A node of the next ring of a film gets what there is beside it. */
static void add_around(const rill_body_stage *s, rill_node *node, int32_t other, int32_t place, double *count) {
    const rill_node *nodes = s->bodies->nodes.data;
    const double head = other < 0               ? (double)(s->flow->bed->b[place] + s->flow->H[place])
                        : nodes[other].grounded ? (double)nodes[other].base + nodes[other].around
                                                : (double)nodes[other].base + nodes[other].e;
    node->around += head - (double)node->base;
    *count += 1.0;
}

/* The heads of films: ring by ring, each the mean of those of the ring before; their own if there is none. */
static void find_around(const rill_body_stage *s) {
    rill_bodies *bodies = s->bodies;
    rill_node *nodes = bodies->nodes.data;
    const rill_body_face *faces = bodies->faces.data;
    const size_t first = s->island->first_node, last = s->island->end_node;
    double *count = bodies->vectors.data;
    /* Other islands may be in their solve already: its vectors have other strides. */
    int32_t *ring = (int32_t *)(void *)(count + RILL_RING_VECTOR * bodies->nodes.count);
    bool any = false;
    for (size_t i = first; i < last; ++i) {
        ring[i] = nodes[i].grounded ? RILL_NO_RING : 0;
        any |= nodes[i].grounded;
        count[i] = nodes[i].around = 0.0;
    }
    if (!any) return;
    const int32_t listed = rill_island_rings(s, ring), *between = rill_island_between(s);
    for (int32_t from = 0, end; from < listed; from = end) {
        const int32_t here = rill_island_ring_of(s, ring, from);
        for (end = from; end < listed && rill_island_ring_of(s, ring, end) == here; ++end) {
            const rill_body_face *face = &faces[between[end]];
            if (rill_ring_at(ring, face->node_l) == here)
                add_around(s, &nodes[face->node_l], face->node_r, face->r, &count[face->node_l]);
            else
                add_around(s, &nodes[face->node_r], face->node_l, face->l, &count[face->node_r]);
        }
        for (int32_t k = from; k < end; ++k) {
            const rill_body_face *face = &faces[between[k]];
            const int32_t inner = rill_ring_at(ring, face->node_l) == here ? face->node_l : face->node_r;
            if (count[inner] > 0.0) nodes[inner].around = rill_max_d(nodes[inner].around / count[inner], 0.0);
            count[inner] = 0.0;
        }
    }
    for (size_t i = first; i < last; ++i)
        if (ring[i] == RILL_NO_RING) nodes[i].around = nodes[i].e;
}

void rill_bodies_measure(const rill_body_stage *s) {
    rill_bodies *bodies = s->bodies;
    rill_island *island = s->island;
    rill_touch *touches = bodies->touches.data;
    rill_node *nodes = bodies->nodes.data;
    for (size_t i = island->first_node; i < island->end_node; ++i) nodes[i].deep = 0.0, nodes[i].yields = false;
    for (size_t i = island->first_touch; i < island->end_touch; ++i) {
        const rill_body *body = rill_body_at(bodies, touches[i].body);
        rill_node *node = &nodes[touches[i].node];
        const double shown = rill_node_shown(s->flow, node);
        measure(bodies, &touches[i], node->e);
        node->deep += (double)touches[i].deep;
        if (shown < node->e - 1.0) measure(bodies, &touches[i], shown);
        node->yields |= !isinf(body->mass);
        if (body->fresh && node->kept == 0.0) node->kept = (double)touches[i].deep; /* unless a fill has left it out */
    }
    island->pressed = rill_island_is_pressed(s);
}

void rill_bodies_ground(const rill_body_stage *s) {
    rill_node *nodes = s->bodies->nodes.data;
    for (size_t i = s->island->first_node; i < s->island->end_node; ++i) {
        rill_node *node = &nodes[i];
        const double gap = rill_node_level(node, node->e) - node->deep, film = rill_node_film(s->flow->bed, node);
        node->grounded = node->shut == 15 && gap < film && (double)s->flow->H[node->place] < film;
    }
    find_around(s);
}

/* ------------------------------------------------------------------------------------------------------------ excess */

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
