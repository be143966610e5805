/* Bodies on the bed: see bodies.h.
 *
 * Where nothing but a film is left under a body, liquid neither gets away nor in within a sub-step, and whatever pressure
 * would be needed to keep the body from coming down that last bit, it would have. That is the business of the bed, or of an
 * engine's contacts. So such a column is left out of the solve: its head is the mean of those around it, which is what a film
 * passes on in the long run, and a body that lies on the bed has its buoyancy. */
#include "bodies/bodies.h"

#include <math.h>

static const double FILM = 1.0 / 128.0; /* cells */

/* How a body lies in a column. */
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

/* The mean head of the columns beside a node, above its base; its own if there is none. */
static double head_around(const rill_body_stage *s, const rill_node *node) {
    const rill_bed *bed = s->flow->bed;
    const int32_t beside[4] = { node->place - 1, node->place + 1, node->place - node->stride,
                                node->place + node->stride };
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < 4; ++i) {
        const int32_t place = beside[i];
        const rill_node *other = rill_bodies_node(s->bodies, place);
        if (bed->b[place] == RILL_WALL) continue;
        sum += other ? (double)other->base + other->e : (double)(bed->b[place] + s->flow->H[place]);
        count += 1;
    }
    const double head = count > 0 ? sum / (double)count - (double)node->base : node->e;
    return head > 0.0 ? head : 0.0;
}

void rill_bodies_measure(const rill_body_stage *s) {
    rill_bodies *bodies = s->bodies;
    rill_touch *touches = bodies->touches.data;
    rill_node *nodes = bodies->nodes.data;
    const double film = FILM * s->flow->bed->grid.cell_size / s->flow->bed->quantum;
    for (size_t i = 0; i < bodies->nodes.count; ++i) nodes[i].deep = 0.0, nodes[i].yields = false;
    for (size_t i = 0; i < bodies->touches.count; ++i) {
        const rill_body *body = rill_body_at(bodies, touches[i].body);
        rill_node *node = &nodes[touches[i].node];
        measure(bodies, &touches[i], node->e);
        node->deep += (double)touches[i].deep;
        node->yields |= !isinf(body->mass);
        if (body->fresh && node->kept == 0.0) node->kept = (double)touches[i].deep; /* unless a fill has left it out */
    }
    for (size_t i = 0; i < bodies->nodes.count; ++i) {
        rill_node *node = &nodes[i];
        const double gap = rill_node_level(node, node->e) - node->deep;
        node->grounded = node->shut == 15 && gap < film && (double)s->flow->H[node->place] < film;
        if (node->grounded) node->around = head_around(s, node);
    }
}
