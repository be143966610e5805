/* Bodies on the bed: see bodies.h.
 *
 * Where nothing but a film is left under a body, liquid neither gets away nor in within a sub-step, and whatever pressure
 * would be needed to keep the body from coming down that last bit, it would have. That is the business of the bed, or of an
 * engine's contacts. So such a column is left out of the solve: its head is that of what is around the film, which is what it
 * passes on in the long run, and a body that lies on the bed has its buoyancy. */
#include "bodies/bodies.h"

#include "base/simd.h"

#include <math.h>

static const double FILM = 1.0 / 128.0; /* cells */
static const double LAST =
    1.0 / 8.0; /* the same under open sky and a body that goes as it is told, whatever that takes */

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
