/* Faces under ceilings, where bodies and a flooded passage are solved for together: see bodies.h.
 *
 * As in passages/passages.h, and with the same expressions: a face with a flooded column at an end is moved over here, in whole
 * quanta, and the sweep does not see it; its velocity is that of the last move, and is driven at the start of the next
 * sub-step. So the passages' own solve goes on from this one, and this one from it, as bodies come and go. */
#include "bodies/bodies.h"

#include "base/simd.h"
#include "bed/sheets.h"
#include "passages/passages.h"
#include <math.h>

static const double TOUCHES = 1.0 / 64.0; /* cells: as near to a wall as this counts as touching it */

/* A body in a quarter of a flooded column beside a face. */
typedef struct quarter {
    double part;  /* of the quarter that it covers, */
    double deep;  /* and how deep where it does, quanta */
    double reach; /* the mean distance from the face, cells */
} quarter;

/* The two quarters of a column that lie at the face ahead of it along an axis, or behind it. */
static void quarters_at(const rill_body_stage *s, const rill_touch *t, int32_t axis, bool ahead, quarter out[2]) {
    const rill_piece *pieces = s->bodies->pieces.data;
    const rill_node *node = (const rill_node *)s->bodies->nodes.data + t->node;
    const rill_bed *bed = s->flow->bed;
    const double middle = rill_node_at(bed, node, axis) - rill_body_at(s->bodies, t->body)->expected[axis];
    out[0] = out[1] = (quarter){ 0 };
    for (int32_t k = t->first; k < t->end; ++k) {
        const double along = ((double)pieces[k].arm[axis] - middle) / bed->grid.cell_size;
        const double high = rill_node_level(node, (double)pieces[k].high), low = (double)pieces[k].low;
        if ((pieces[k].quarter >> axis & 1) != (int32_t)ahead || !(high > low)) continue;
        quarter *q = &out[pieces[k].quarter >> (1 - axis) & 1];
        const double part = 4.0 * (double)pieces[k].part;
        q->part += part;
        q->deep += part * (high - low);
        q->reach += part * (0.5 - fabs(along));
    }
    for (int i = 0; i < 2; ++i) {
        if (!(out[i].part > 0.0)) continue;
        out[i].deep /= out[i].part;
        out[i].reach /= out[i].part;
    }
}

/* The part of a face that is covered, by the quarter at one side: of a body that ends in it at a straight edge, the distance
 * tells where. */
static double covers(const quarter *q) {
    const double along = fmin(4.0 * q->reach, 1.0);
    return fmin(q->part / fmax(along, 1e-6), 1.0);
}

/* Whether a body reaches all the way to a wall that is ahead of a column, or behind it. */
static bool leans(const rill_body_stage *s, const rill_touch *t, int32_t axis, bool ahead) {
    const rill_node *node = (const rill_node *)s->bodies->nodes.data + t->node;
    const int32_t step = axis ? node->stride : 1, beyond = ahead ? node->place + step : node->place - step;
    if (rill_body_is_open(s->flow->bed, node->place, beyond)) return false;
    quarter at[2];
    quarters_at(s, t, axis, ahead, at);
    return (at[0].part > 0.0 && at[0].reach - 0.25 * at[0].part < TOUCHES) ||
           (at[1].part > 0.0 && at[1].reach - 0.25 * at[1].part < TOUCHES);
}

/* A body between two walls that it touches is held by them, and what liquid does to it sideways does not matter: where there
 * is no gap there is no pressure either. */
void rill_bodies_wedge(const rill_body_stage *s) {
    const rill_touch *touches = s->bodies->touches.data;
    const rill_node *nodes = s->bodies->nodes.data;
    for (size_t i = s->island->first_body; i < s->island->end_body; ++i) {
        rill_body *body = rill_body_in(s->bodies, i);
        body->wedged = 0;
        for (int32_t axis = 0; s->bodies->roofed && axis < 2; ++axis) {
            bool behind = false, ahead = false;
            for (int32_t t = body->first; t < body->end; ++t) {
                if (!nodes[touches[t].node].flooded || touches[t].first == touches[t].end) continue;
                behind = behind || leans(s, &touches[t], axis, false);
                ahead = ahead || leans(s, &touches[t], axis, true);
            }
            body->wedged |= (uint8_t)((behind && ahead) << axis);
        }
    }
}

/* What a body displaces in both quarters, as a depth over them, quanta. */
static double half_of(const quarter q[2]) {
    return 0.5 * (q[0].part * q[0].deep + q[1].part * q[1].deep);
}

double rill_body_blocks(const rill_body_stage *s, const rill_body_face *face, const rill_touch *l,
                        const rill_touch *r) {
    quarter at_l[2], at_r[2];
    double sum = 0.0;
    quarters_at(s, l, face->axis, true, at_l);
    quarters_at(s, r, face->axis, false, at_r);
    for (int i = 0; i < 2; ++i) {
        if (!(at_l[i].part > 0.0 && at_r[i].part > 0.0)) continue;
        sum += 0.5 * sqrt(covers(&at_l[i]) * covers(&at_r[i]) * at_l[i].deep * at_r[i].deep);
    }
    return sum;
}

/* How much of a face bodies keep liquid from, quanta. That begins, and ends, little by little, as the body gets to it: what is
 * left in a column that it is about to fill has to get out. */
static double shuts(const rill_body_stage *s, const rill_body_face *face, const rill_touch *l, const rill_touch *r) {
    quarter at_l[2], at_r[2];
    quarters_at(s, l, face->axis, true, at_l);
    quarters_at(s, r, face->axis, false, at_r);
    return fmin(half_of(at_l), half_of(at_r));
}

static int32_t blocked(const rill_body_stage *s, const rill_body_face *face) {
    const rill_bodies *bodies = s->bodies;
    const rill_node *nodes = bodies->nodes.data;
    const rill_touch *touches = bodies->touches.data;
    double sum = 0.0;
    if (face->node_l < 0 || face->node_r < 0) return 0;
    for (int32_t i = nodes[face->node_l].first; i >= 0; i = touches[i].next)
        for (int32_t k = nodes[face->node_r].first; k >= 0; k = touches[k].next)
            if (touches[i].body == touches[k].body) sum += shuts(s, face, &touches[i], &touches[k]);
    return (int32_t)fmin(sum, (double)RILL_TOP);
}

/* The columns at the ends of a face, on bases that are lifted by what bodies displace. Those that are full are full where the
 * body is going to be too: it may just be about to leave them. */
static rill_face_ends ends_of(const rill_body_stage *s, const rill_body_face *face) {
    const rill_flow *flow = s->flow;
    const int32_t *b = rill_flow_bases(flow), *c = flow->bed->c, l = face->l, r = face->r;
    const rill_node *nodes = s->bodies->nodes.data;
    const int32_t lift = blocked(s, face);
    rill_face_ends ends = { b[l], b[r], c[l], c[r], flow->H[l], flow->H[r] };
    if (face->node_l >= 0 && nodes[face->node_l].flooded) {
        ends.bl = flow->bed->b[l] + lift;
        ends.Hl = rill_max_i((int32_t)nodes[face->node_l].roof - lift, 0);
    }
    if (face->node_r >= 0 && nodes[face->node_r].flooded) {
        ends.br = flow->bed->b[r] + lift;
        ends.Hr = rill_max_i((int32_t)nodes[face->node_r].roof - lift, 0);
    }
    return ends;
}

/* By how much the head of a column is above its level, quanta. */
static double pressure_at(const rill_body_stage *s, int32_t node, int32_t place) {
    if (node < 0) return rill_pressure_of(s->flow->pressure[place]);
    const rill_node *at = (const rill_node *)s->bodies->nodes.data + node;
    return at->flooded ? at->e - rill_node_level(at, at->e) : 0.0;
}

void rill_body_face_look_covered(const rill_body_stage *s, rill_body_face *face) {
    const rill_face_ends ends = ends_of(s, face);
    const float u = *rill_body_face_velocity(s->flow, face);
    const rill_pressed_face driven = rill_ceiling_drive(&ends, u, s->k->tilt[face->axis], s->k);
    const double drop = pressure_at(s, face->node_l, face->l) - pressure_at(s, face->node_r, face->r);
    face->u = driven.base + driven.gain * (float)((double)driven.head + drop);
    face->gain = driven.gain;
    face->open = (float)rill_ceiling_opening(&ends, face->u);
    if (s->settings->paper && face->open > 0.0f) face->open = s->k->paper_opening;
    if (rill_body_face_shut(s->bodies, face)) face->u = face->gain = face->open = 0.0f;
}

static bool is_flooded(const rill_bodies *bodies, const rill_body_face *face) {
    const rill_node *nodes = bodies->nodes.data;
    return (face->node_l >= 0 && nodes[face->node_l].flooded) || (face->node_r >= 0 && nodes[face->node_r].flooded);
}

float rill_body_face_after(const rill_body_stage *s, const rill_body_face *face) {
    if (is_flooded(s->bodies, face)) return face->u;
    const rill_face_ends ends = ends_of(s, face);
    const rill_pressed_face driven = rill_ceiling_drive(&ends, face->u, s->k->tilt[face->axis], s->k);
    return driven.base + driven.gain * (float)driven.head;
}

/* Which nodes are full now, and under which pressure. */
static void note_pressures(const rill_body_stage *s) {
    rill_bodies *bodies = s->bodies;
    rill_node *nodes = bodies->nodes.data;
    int32_t *claimed = bodies->claimed.data;
    bodies->claimed.count = 0;
    for (size_t i = 0; bodies->roofed && i < bodies->nodes.count; ++i) {
        rill_node *node = &nodes[i];
        if (!(node->roof < (double)RILL_TOP)) continue;
        node->flooded = node->e >= node->roof;
        claimed[bodies->claimed.count++] = node->place;
        rill_passages_press(s->flow, node->place, node->flooded ? node->e - node->roof : -1.0);
    }
    s->flow->claimed = claimed;
    s->flow->claimed_count = (int32_t)bodies->claimed.count;
}

/* Whole quanta over a face, no more than the donor has. */
static void pass(const rill_body_stage *s, const rill_body_face *face) {
    int32_t *H = s->flow->H;
    const double most = (double)RILL_TOP, real = (double)s->k->lambda * (double)face->open * (double)face->u;
    const double q = real > most ? most : real < -most ? -most : real;
    int32_t t = (int32_t)(q + (double)(q < 0.0 ? -s->k->phase : s->k->phase));
    t = rill_max_i(rill_min_i(t, H[face->l]), -H[face->r]);
    H[face->l] -= t;
    H[face->r] += t;
    *rill_body_face_velocity(s->flow, face) = 0.0f;
}

/* What stands above a ceiling is carried on. Whether it was more than comes of cutting bodies into quarters of cells. */
static bool settle(rill_flow *flow, int32_t place, int64_t *refused) {
    const int32_t height = flow->bed->c[place] - flow->bed->b[place], above = flow->H[place] - height;
    return rill_passages_settle(flow, place, refused) && above > height / 256;
}

int64_t rill_bodies_pass(const rill_body_stage *s, bool *capped) {
    rill_bodies *bodies = s->bodies;
    rill_body_face *faces = bodies->faces.data;
    const rill_node *nodes = bodies->nodes.data;
    int64_t refused = 0;
    note_pressures(s);
    if (bodies->claimed.count == 0) return 0;
    for (size_t i = 0; i < bodies->faces.count; ++i) {
        faces[i].covered |= is_flooded(bodies, &faces[i]);
        if (faces[i].covered) pass(s, &faces[i]);
    }
    for (size_t i = 0; i < bodies->faces.count; ++i) {
        if (!faces[i].covered) continue;
        const bool l = settle(s->flow, faces[i].l, &refused), r = settle(s->flow, faces[i].r, &refused);
        *capped |= l || r;
    }
    for (size_t i = 0; i < bodies->nodes.count; ++i) {
        if (!nodes[i].flooded) continue;
        rill_bodies_lift(bodies, s->flow, nodes[i].place, (double)nodes[i].base + nodes[i].roof);
    }
    s->flow->pushed -= refused;
    return refused;
}
