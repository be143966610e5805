/* How bodies and heads push each other: B and the forces, see bodies.h.
 *
 *   upright    part of a column that is in contact: room opens by part * (v + spin x r)_z, force rho g A D
 *   sideways   a body that moves along x takes D_f with it over each face, the mean of both columns: room opens by
 *              D_f / dx (v + spin x r)_x on one side and closes on the other, and the heads push with rho g dx D_f (e_l - e_r)
 * The same numbers go both ways, so that no energy is made. And what a slope of the heads does to body and liquid together
 * is what it does to a whole depth of liquid, e: it sums up to nothing but pressure on walls. */
#include "bodies/bodies.h"

#include "base/simd.h"

#include <math.h>
#include <string.h>

enum { RISES = 64 }; /* the most that are tried to find one */

/* Columns, which know the body only by quarters of cells, would say otherwise by a little; nothing resists such a spin, and so
 * it would grow. */
void rill_body_unturn(const rill_body *body, double six[6]) {
    const double *turn = body->shaded_at.turn, *middle = body->form.middle;
    double m[3], about[3];
    for (int i = 0; i < 3; ++i)
        m[i] = turn[3 * i] * middle[0] + turn[3 * i + 1] * middle[1] + turn[3 * i + 2] * middle[2];
    about[0] = m[1] * six[2] - m[2] * six[1] - six[3];
    about[1] = m[2] * six[0] - m[0] * six[2] - six[4];
    about[2] = m[0] * six[1] - m[1] * six[0] - six[5];
    const double axis[3] = { turn[2], turn[5], turn[8] };
    const double along = axis[0] * about[0] + axis[1] * about[1] + axis[2] * about[2];
    for (int i = 0; i < 3; ++i) six[3 + i] += body->form.shape == RILL_BODY_SPHERE ? about[i] : along * axis[i];
}

/* ------------------------------------------------------------------------------------------------------------- upright */

/* How far a piece comes up in the sub-step with a motion, quanta; `scale` is dt / q. */
static inline double lift_of(const rill_piece *p, const double motion[6], double scale) {
    return (motion[2] + motion[3] * (double)p->arm[1] - motion[4] * (double)p->arm[0]) * scale;
}

/* The underside of a piece when it has come up by `lift`, quanta. It does not go below the base: no pressure builds up where
 * there is no liquid between. */
static inline double underside_of(const rill_piece *p, double lift) {
    const double low = (double)p->low + lift;
    return low > 0.0 ? low : 0.0;
}

/* How deep it is in liquid with a head then. */
static inline double depth_of(const rill_piece *p, double e, double lift) {
    const double low = underside_of(p, lift), high = (double)p->high + lift;
    return e > low ? (e < high ? e : high) - low : 0.0;
}

/* Whether a piece in a full column is against the ceiling: going up or down it takes or leaves no room. */
static inline bool is_held(const rill_piece *p, double roof) {
    return (double)p->high >= roof && p->high < RILL_NO_TOPSIDE;
}

/* What a body that has come up by `lift` displaces at heads changed by pi, as upright components; returns the part that is in
 * contact with a level, cells, if that is asked for. None of it turns a `ball`. */
static inline double immerse_form(const rill_body_stage *s, const rill_body *body, const double *pi, double lift,
                                  double six[6], bool ask, bool ball) {
    const rill_touch *touches = s->bodies->touches.data;
    const rill_piece *pieces = s->bodies->pieces.data;
    const rill_node *nodes = s->bodies->nodes.data;
    double contact = 0.0, up = 0.0, about_x = 0.0, about_y = 0.0;
    for (int32_t i = body->first; i < body->end; ++i) {
        const rill_touch *t = &touches[i];
        const double e = nodes[t->node].e + pi[t->node];
        for (int32_t k = t->first; k < t->end; ++k) {
            const rill_piece *p = &pieces[k];
            const double low = underside_of(p, lift), high = (double)p->high + lift;
            if (!(e > low)) continue;
            const double part = (double)p->part, deep = (e < high ? e : high) - low, amount = part * deep;
            up += amount;
            about_x += ball ? 0.0 : amount * (double)p->arm[1];
            about_y -= ball ? 0.0 : amount * (double)p->arm[0];
            if (ask && deep > 0.0 && e < high) contact += part;
        }
    }
    const double sum[6] = { 0.0, 0.0, up, about_x, about_y, 0.0 };
    memcpy(six, sum, sizeof sum);
    return contact;
}

static double immerse(const rill_body_stage *s, const rill_body *body, const double *pi, double lift, double six[6],
                      bool ask) {
    if (!rill_body_is_ball(body)) return immerse_form(s, body, pi, lift, six, ask, false);
    return ask ? immerse_form(s, body, pi, lift, six, true, true) : immerse_form(s, body, pi, lift, six, false, true);
}

/* The speed up of a small body by the buoyancy that it will have where that takes it: the higher, the less, so there is just
 * one. Newton's method between two bounds. */
static double find_rise(const rill_body_stage *s, rill_body *body, const double *pi, double unit, double six[6]) {
    const double scale = s->dt / s->flow->bed->quantum, push = s->dt * unit / body->upright, least = body->free[2];
    double v = least, low = least, contact = immerse(s, body, pi, (v - body->guess[2]) * scale, six, true);
    double high = least + push * six[2];
    for (int32_t i = 0; i < RISES; ++i) {
        const double off = v - least - push * six[2], next = v - off / (1.0 + push * contact * scale);
        if (fabs(off) * scale < 1e-3) break;
        *(off > 0.0 ? &high : &low) = v;
        v = next > low && next < high && i % 3 != 2 ? next : 0.5 * (low + high);
        contact = immerse(s, body, pi, (v - body->guess[2]) * scale, six, true);
    }
    body->stiff = body->upright * (1.0 + push * contact * scale);
    return v;
}

/* The upright forces on a body at heads changed by pi. Heave is integrated from where the body is, which neither adds to it
 * nor takes away, but for small bodies; roll and pitch from where it will be, which damps them a little: columns know a body
 * by quarters of cells, and what they say about one that rocks would otherwise make it rock more. */
static void press(const rill_body_stage *s, rill_body *body, const double *pi) {
    const double dx = s->flow->bed->grid.cell_size, unit = s->density * s->gravity * s->flow->bed->quantum * dx * dx;
    double six[6], rise = 0.0;
    if (body->small)
        rise = find_rise(s, body, pi, unit, six);
    else
        immerse(s, body, pi, -body->guess[2] * s->dt / s->flow->bed->quantum, six, false);
    rill_body_keep_round(body, six);
    for (int k = 0; k < 6; ++k) body->load[k] = six[k] * unit;
    if (body->small) body->load[2] = body->stiff * (rise - body->free[2]) / s->dt;
}

void rill_bodies_press(const rill_body_stage *s, const double *pi) {
    for (size_t i = s->island->first_body; i < s->island->end_body; ++i) press(s, rill_body_in(s->bodies, i), pi);
}

/* What a body takes of a column with a head when it has moved `beyond` where it was expected, quanta, and how much of it is in
 * contact there: upright components. A ball comes up by the same everywhere, however it spins. */
static inline double take_room(const rill_body_stage *s, const rill_touch *t, const rill_node *node, double e,
                               const double beyond[6], bool ball, bool full, double upright[6]) {
    const rill_piece *pieces = s->bodies->pieces.data;
    const double scale = s->dt / s->flow->bed->quantum, level = full ? node->roof : e, whole = beyond[2] * scale;
    double up = 0.0, about_x = 0.0, about_y = 0.0, taken = 0.0;
    for (int32_t k = t->first; k < t->end; ++k) {
        const rill_piece *p = &pieces[k];
        const bool held = full && is_held(p, node->roof);
        const double part = (double)p->part, lift = held ? 0.0 : ball ? whole : lift_of(p, beyond, scale);
        const double low = underside_of(p, lift), high = (double)p->high + lift;
        taken += level > low ? part * ((level < high ? level : high) - low) : 0.0;
        if (held || !(e > low && e < high)) continue;
        up += part;
        if (ball) continue;
        about_x += part * (double)p->arm[1];
        about_y -= part * (double)p->arm[0];
    }
    const double sum[6] = { 0.0, 0.0, up, about_x, about_y, 0.0 };
    memcpy(upright, sum, sizeof sum);
    return taken;
}

static inline void meet(const rill_body_stage *s, const rill_body *body, const double *pi, bool ball, double *stiff,
                        double *room) {
    rill_touch *touches = s->bodies->touches.data;
    const rill_node *nodes = s->bodies->nodes.data;
    double beyond[6], upright[6];
    for (int k = 0; k < 6; ++k) beyond[k] = body->moved[k] - body->guess[k];
    for (int32_t n = body->first; n < body->end; ++n) {
        rill_touch *t = &touches[n];
        const rill_node *node = &nodes[t->node];
        const double e = node->e + pi[t->node];
        room[t->node] -= e < node->roof ? take_room(s, t, node, e, beyond, ball, false, upright)
                                        : take_room(s, t, node, e, beyond, ball, true, upright);
        if (!ball) rill_body_keep_round(body, upright);
        if (node->grounded) memset(upright, 0, sizeof upright);
        for (int c = 0; c < (ball ? 3 : 6); ++c) t->b[c] = t->sideways[c] + (float)upright[c];
        stiff[t->node] += upright[2];
    }
}

void rill_bodies_contact(const rill_body_stage *s, const double *pi, double *stiff, double *room) {
    const rill_node *nodes = s->bodies->nodes.data;
    bool any_full = false;
    for (size_t n = s->island->first_node; n < s->island->end_node; ++n) {
        const double e = nodes[n].e + pi[n];
        stiff[n] = 0.0;
        room[n] = rill_node_level(&nodes[n], e);
        any_full |= e >= nodes[n].roof;
    }
    for (size_t i = s->island->first_body; i < s->island->end_body; ++i) {
        const rill_body *body = rill_body_in(s->bodies, i);
        if (rill_body_is_ball(body))
            meet(s, body, pi, true, stiff, room);
        else
            meet(s, body, pi, false, stiff, room);
    }
    for (size_t n = s->island->first_node; any_full && n < s->island->end_node; ++n)
        if (nodes[n].e + pi[n] >= nodes[n].roof) stiff[n] = 1.0;
}

/* ------------------------------------------------------------------------------------------------------------ sideways */

static rill_touch *touch_of(const rill_bodies *bodies, const rill_node *node, int32_t body) {
    rill_touch *touches = bodies->touches.data;
    for (int32_t i = node->first; i >= 0; i = touches[i].next)
        if (touches[i].body == body) return &touches[i];
    return NULL;
}

double rill_node_displaced(const rill_bodies *bodies, const rill_node *node, double e) {
    const rill_touch *touches = bodies->touches.data;
    const rill_piece *pieces = bodies->pieces.data;
    double sum = 0.0;
    for (int32_t i = node->first; i >= 0; i = touches[i].next)
        for (int32_t k = touches[i].first; k < touches[i].end; ++k)
            sum += (double)pieces[k].part * depth_of(&pieces[k], e, 0.0);
    return sum;
}

double rill_node_will_displace(const rill_body_stage *s, const rill_node *node, double e) {
    const rill_touch *touches = s->bodies->touches.data;
    const rill_piece *pieces = s->bodies->pieces.data;
    const double scale = s->dt / s->flow->bed->quantum;
    double sum = 0.0, beyond[6];
    for (int32_t i = node->first; i >= 0; i = touches[i].next) {
        const rill_touch *t = &touches[i];
        if (t->first == t->end) continue; /* beside it */
        const rill_body *body = rill_body_at(s->bodies, t->body);
        const bool ball = rill_body_is_ball(body); /* see take_room */
        for (int k = 2; k < (ball ? 3 : 5); ++k) beyond[k] = body->moved[k] - body->guess[k];
        const double whole = beyond[2] * scale;
        for (int32_t k = t->first; k < t->end; ++k) {
            const rill_piece *p = &pieces[k];
            sum += (double)p->part * depth_of(p, e, ball ? whole : lift_of(p, beyond, scale));
        }
    }
    return sum;
}

double rill_node_keeps(const rill_body_stage *s, const rill_node *node) {
    const rill_touch *touches = s->bodies->touches.data;
    const double scale = s->dt / s->flow->bed->quantum, level = rill_node_level(node, node->e);
    double sum = rill_node_will_displace(s, node, level);
    for (int32_t i = node->first; i >= 0; i = touches[i].next) {
        const rill_body *body = rill_body_at(s->bodies, touches[i].body);
        for (int k = 0; k < 6; ++k) sum -= (double)touches[i].sideways[k] * (body->moved[k] - body->guess[k]) * scale;
    }
    return rill_max_d(sum, 0.0);
}

/* A body at a face between two nodes; false if it is above the liquid. */
static bool find_grip(const rill_body_stage *s, int32_t index, rill_touch *at_l, rill_body_grip *grip) {
    const rill_bed *bed = s->flow->bed;
    const rill_body_face *face = (const rill_body_face *)s->bodies->faces.data + index;
    const rill_node *nodes = s->bodies->nodes.data, *l = &nodes[face->node_l], *r = &nodes[face->node_r];
    rill_touch *at_r = touch_of(s->bodies, r, at_l->body);
    if (!at_r || !(at_l->deep + at_r->deep > 0.0f)) return false;
    if (face->covered && rill_body_at(s->bodies, at_l->body)->wedged >> face->axis & 1) return false;
    const double z = rill_body_at(s->bodies, at_l->body)->expected[2], base_l = (double)l->base,
                 base_r = (double)r->base;
    const double share_l = (double)at_l->share, share_r = (double)at_r->share;
    const double under =
        (share_l * (base_l + (double)at_l->under) + share_r * (base_r + (double)at_r->under)) / (share_l + share_r);
    const double top = face->covered
                           ? under + ((double)at_l->deep + (double)at_r->deep) / (share_l + share_r)
                           : 0.5 * (base_l + rill_node_shown(s->flow, l) + base_r + rill_node_shown(s->flow, r));
    *grip = (rill_body_grip){ .face = index, .body = at_l->body, .l = at_l, .r = at_r };
    grip->displaced =
        face->covered ? rill_body_blocks(s, face, at_l, at_r) : 0.5 * ((double)at_l->deep + (double)at_r->deep);
    grip->ends = fabs((double)at_l->deep - (double)at_r->deep);
    for (int i = 0; i < 2; ++i)
        grip->arm[i] = (share_l * (double)at_l->arm[i] + share_r * (double)at_r->arm[i]) / (share_l + share_r);
    grip->under = bed->datum + under * bed->quantum - z;
    grip->arm[2] = bed->datum + 0.5 * (under + top) * bed->quantum - z;
    return true;
}

static void couple_grip(const rill_body_stage *s, const rill_body_grip *grip) {
    const rill_bed *bed = s->flow->bed;
    const rill_body_face *face = (const rill_body_face *)s->bodies->faces.data + grip->face;
    const double dx = bed->grid.cell_size, q = bed->quantum;
    const rill_node *nodes = s->bodies->nodes.data, *l = &nodes[face->node_l], *r = &nodes[face->node_r];
    const double slope = (double)l->base + l->e - (double)r->base - r->e;
    rill_body *body = rill_body_at(s->bodies, grip->body);
    const double force = s->density * s->gravity * q * q * dx * grip->displaced * slope;
    if (rill_body_is_ball(body)) {
        const float taken = (float)(grip->displaced * q / dx);
        grip->l->sideways[face->axis] += taken;
        grip->r->sideways[face->axis] -= taken;
        body->pushed[face->axis] += force;
        return;
    }
    double six[6] = { 0 };
    rill_along(face->axis, grip->arm, grip->displaced * q / dx, six);
    rill_body_keep_round(body, six);
    float taken[6];
    for (int k = 0; k < 6; ++k) taken[k] = (float)six[k];
    for (int k = 0; k < 6; ++k) grip->l->sideways[k] += taken[k];
    for (int k = 0; k < 6; ++k) grip->r->sideways[k] -= taken[k];
    rill_along(face->axis, grip->arm, force, body->pushed);
}

static bool lies_on_bed(const rill_node *node) {
    return node->grounded && node->proxy < 0;
}

void rill_bodies_couple(const rill_body_stage *s) {
    const rill_bodies *bodies = s->bodies;
    rill_island *island = s->island;
    rill_touch *touches = bodies->touches.data;
    rill_body_grip *grips = bodies->grips.data;
    const rill_body_face *faces = bodies->faces.data;
    const rill_node *nodes = bodies->nodes.data;
    for (size_t i = island->first_touch; i < island->end_touch; ++i) {
        const rill_node *node = &nodes[touches[i].node];
        touches[i].acts = node->proxy >= 0 ? node->proxy : touches[i].node;
        memset(touches[i].sideways, 0, sizeof touches[i].sideways);
    }
    for (size_t i = island->first_body; i < island->end_body; ++i)
        memset(rill_body_in(bodies, i)->pushed, 0, sizeof(double[6]));
    rill_bodies_wedge(s);
    island->end_grip = island->first_grip;
    for (size_t f = island->first_face; f < island->end_face; ++f) {
        if (faces[f].node_l < 0 || faces[f].node_r < 0) continue;
        if (lies_on_bed(&nodes[faces[f].node_l]) || lies_on_bed(&nodes[faces[f].node_r])) continue;
        for (int32_t i = nodes[faces[f].node_l].first; i >= 0; i = touches[i].next)
            if (island->end_grip < island->most_grip && find_grip(s, (int32_t)f, &touches[i], &grips[island->end_grip]))
                couple_grip(s, &grips[island->end_grip++]);
    }
    for (size_t i = island->first_body; i < island->end_body; ++i) {
        rill_body *body = rill_body_in(bodies, i);
        rill_body_keep_round(body, body->pushed);
    }
}
