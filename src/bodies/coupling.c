/* How bodies and heads push each other: B and the forces, see bodies.h.
 *
 *   upright    part of a column that is in contact: room opens by part * (v + w x r)_z, force rho g A D
 *   sideways   a body that moves along x takes D_f with it over each face, the mean of both columns: room opens by
 *              D_f / dx (v + w x r)_x on one side and closes on the other, and the heads push with
 *              rho g dx D_f (e_l - e_r)
 *
 * The same numbers go both ways, so that no energy is made. And what a slope of the heads does to body and liquid
 * together is what it does to a whole depth of liquid, e: it sums up to nothing but pressure on walls. */
#include "bodies/bodies_internal.h"
#include "bodies/body_constants.h"

#include "base/simd.h"

#include <math.h>
#include <string.h>

/* Columns, which know the body only by quarters of cells, would find such a torque; nothing resists the spin, and so it
 * would grow. */
void rill_body_remove_axial_torque(const rill_body *body, double wrench[6]) {
    const double *turn = body->shades_pose.turn, *middle = body->form.middle;
    double m[3], about[3];
    for (int i = 0; i < 3; ++i)
        m[i] = turn[3 * i] * middle[0] + turn[3 * i + 1] * middle[1] + turn[3 * i + 2] * middle[2];
    about[0] = m[1] * wrench[2] - m[2] * wrench[1] - wrench[3];
    about[1] = m[2] * wrench[0] - m[0] * wrench[2] - wrench[4];
    about[2] = m[0] * wrench[1] - m[1] * wrench[0] - wrench[5];
    const double axis[3] = { turn[2], turn[5], turn[8] };
    const double along = axis[0] * about[0] + axis[1] * about[1] + axis[2] * about[2];
    for (int i = 0; i < 3; ++i) wrench[3 + i] += body->form.shape == RILL_SHAPE_SPHERE ? about[i] : along * axis[i];
}

/* ---------------------------------------------------------------------------------------------------------- upright */

/* Returns how far a piece comes up in the sub-step with a motion, quanta; `scale` is dt / q. */
static inline double lift_of(const rill_body_piece *piece, const double motion[6], double scale) {
    return (motion[2] + motion[3] * (double)piece->arm[1] - motion[4] * (double)piece->arm[0]) * scale;
}

/* Returns the underside of a piece when it has come up by `lift`, quanta. It does not go below the base: no pressure
 * builds up where there is no liquid between. */
static inline double underside_of(const rill_body_piece *piece, double lift) {
    const double low = (double)piece->low + lift;
    return low > 0.0 ? low : 0.0;
}

/* Returns how deep a piece that has come up by `lift` is in liquid with a head, quanta. */
static inline double depth_of(const rill_body_piece *piece, double e, double lift) {
    const double low = underside_of(piece, lift), high = (double)piece->high + lift;
    return e > low ? (e < high ? e : high) - low : 0.0;
}

/* Tells whether a piece in a full column is against the ceiling: going up or down it takes or leaves no room. */
static inline bool is_at_ceiling(const rill_body_piece *piece, double roof) {
    return (double)piece->high >= roof && piece->high < RILL_NO_TOPSIDE;
}

/* Finds what a body that has come up by `lift` displaces at heads changed by pi, as upright components; returns the
 * part that is in contact with a level, cells, if that is asked for. None of it turns a `ball`. */
static inline double find_immersion_as(const rill_body_stage *stage, const rill_body *body, const double *pi,
                                       double lift, double wrench[6], bool ask, bool ball) {
    const rill_body_touch *touches = stage->bodies->touches.data;
    const rill_body_piece *pieces = stage->bodies->pieces.data;
    const rill_body_node *nodes = stage->bodies->nodes.data;
    double contact = 0.0, up = 0.0, about_x = 0.0, about_y = 0.0;
    for (int32_t i = body->first_touch; i < body->end_touch; ++i) {
        const rill_body_touch *touch = &touches[i];
        const double e = nodes[touch->node].e + pi[touch->node];
        for (int32_t k = touch->first_piece; k < touch->end_piece; ++k) {
            const rill_body_piece *piece = &pieces[k];
            const double low = underside_of(piece, lift), high = (double)piece->high + lift;
            if (!(e > low)) continue;
            const double part = (double)piece->part, deep = (e < high ? e : high) - low, amount = part * deep;
            up += amount;
            about_x += ball ? 0.0 : amount * (double)piece->arm[1];
            about_y -= ball ? 0.0 : amount * (double)piece->arm[0];
            if (ask && deep > 0.0 && e < high) contact += part;
        }
    }
    const double sum[6] = { 0.0, 0.0, up, about_x, about_y, 0.0 };
    memcpy(wrench, sum, sizeof sum);
    return contact;
}

static double find_immersion(const rill_body_stage *stage, const rill_body *body, const double *pi, double lift,
                             double wrench[6], bool ask) {
    if (!rill_body_is_ball(body)) return find_immersion_as(stage, body, pi, lift, wrench, ask, false);
    return ask ? find_immersion_as(stage, body, pi, lift, wrench, true, true)
               : find_immersion_as(stage, body, pi, lift, wrench, false, true);
}

/* Finds how fast a small body comes up by the buoyancy that it will have where that takes it: the higher, the less, so
 * there is just one speed. Newton's method between two bounds. */
static double find_rise(const rill_body_stage *stage, rill_body *body, const double *pi, double unit,
                        double wrench[6]) {
    const double scale = stage->dt / stage->flow->bed->quantum, push = stage->dt * unit / body->mass_upright,
                 least = body->predicted_twist[2];
    double v = least, low = least,
           contact = find_immersion(stage, body, pi, (v - body->expected_twist[2]) * scale, wrench, true);
    double high = least + push * wrench[2];
    RILL_ASSERT(push >= 0.0 && contact >= 0.0 && isfinite(wrench[2]));
    for (int32_t i = 0; i < RILL_RISES; ++i) {
        const double off = v - least - push * wrench[2], next = v - off / (1.0 + push * contact * scale);
        if (fabs(off) * scale < 1e-3) break;
        *(off > 0.0 ? &high : &low) = v;
        v = next > low && next < high && i % 3 != 2 ? next : 0.5 * (low + high);
        contact = find_immersion(stage, body, pi, (v - body->expected_twist[2]) * scale, wrench, true);
    }
    body->mass_stiff = body->mass_upright * (1.0 + push * contact * scale);
    RILL_ASSERT(body->mass_stiff >= body->mass_upright);
    return v;
}

/* Finds the upright wrench on a body at heads changed by pi. Heave is integrated from where the body is, which neither
 * adds to it nor takes away, but for small bodies; roll and pitch from where it will be, which damps them a little:
 * columns know a body by quarters of cells, and what they say about one that rocks would otherwise make it
 * rock more. */
static void press_up(const rill_body_stage *stage, rill_body *body, const double *pi) {
    const double dx = stage->flow->bed->grid.cell_size,
                 unit = stage->density * stage->gravity * stage->flow->bed->quantum * dx * dx;
    double wrench[6], rise = 0.0;
    if (body->small)
        rise = find_rise(stage, body, pi, unit, wrench);
    else
        find_immersion(stage, body, pi, -body->expected_twist[2] * stage->dt / stage->flow->bed->quantum, wrench,
                       false);
    rill_body_remove_round_torque(body, wrench);
    for (int k = 0; k < 6; ++k) body->wrench[k] = wrench[k] * unit;
    if (body->small) body->wrench[2] = body->mass_stiff * (rise - body->predicted_twist[2]) / stage->dt;
    RILL_ASSERT(rill_body_are_finite(body->wrench, 6));
}

void rill_bodies_press_up(const rill_body_stage *stage, const double *pi) {
    for (size_t i = stage->island->first_body; i < stage->island->end_body; ++i)
        press_up(stage, rill_body_in_order(stage->bodies, i), pi);
}

/* Returns what a body takes of a column with a head when it has moved `beyond` where it was expected, quanta; and finds
 * how much of it is in contact there, as upright components. A ball comes up by as much everywhere, however
 * it spins. */
static inline double room_taken(const rill_body_stage *stage, const rill_body_touch *touch, const rill_body_node *node,
                                double e, const double beyond[6], bool ball, bool full, double upright[6]) {
    const rill_body_piece *pieces = stage->bodies->pieces.data;
    const double scale = stage->dt / stage->flow->bed->quantum, level = full ? node->roof : e,
                 whole = beyond[2] * scale;
    double up = 0.0, about_x = 0.0, about_y = 0.0, taken = 0.0;
    for (int32_t k = touch->first_piece; k < touch->end_piece; ++k) {
        const rill_body_piece *piece = &pieces[k];
        const bool held = full && is_at_ceiling(piece, node->roof);
        const double part = (double)piece->part, lift = held ? 0.0 : ball ? whole : lift_of(piece, beyond, scale);
        const double low = underside_of(piece, lift), high = (double)piece->high + lift;
        taken += level > low ? part * ((level < high ? level : high) - low) : 0.0;
        if (held || !(e > low && e < high)) continue;
        up += part;
        if (ball) continue;
        about_x += part * (double)piece->arm[1];
        about_y -= part * (double)piece->arm[0];
    }
    const double sum[6] = { 0.0, 0.0, up, about_x, about_y, 0.0 };
    memcpy(upright, sum, sizeof sum);
    return taken;
}

static inline void find_room_under(const rill_body_stage *stage, const rill_body *body, const double *pi, bool ball,
                                   double *stiff, double *room) {
    rill_body_touch *touches = stage->bodies->touches.data;
    const rill_body_node *nodes = stage->bodies->nodes.data;
    double beyond[6], upright[6];
    for (int k = 0; k < 6; ++k) beyond[k] = body->new_twist[k] - body->expected_twist[k];
    for (int32_t n = body->first_touch; n < body->end_touch; ++n) {
        rill_body_touch *touch = &touches[n];
        const rill_body_node *node = &nodes[touch->node];
        const double e = node->e + pi[touch->node];
        RILL_ASSERT(node->e >= 0.0 && isfinite(pi[touch->node]));
        room[touch->node] -= e < node->roof ? room_taken(stage, touch, node, e, beyond, ball, false, upright)
                                            : room_taken(stage, touch, node, e, beyond, ball, true, upright);
        if (!ball) rill_body_remove_round_torque(body, upright);
        if (node->grounded) memset(upright, 0, sizeof upright);
        for (int c = 0; c < (ball ? 3 : 6); ++c) touch->b[c] = touch->b_sideways[c] + (float)upright[c];
        stiff[touch->node] += upright[2];
    }
}

void rill_bodies_find_room(const rill_body_stage *stage, const double *pi, double *stiff, double *room) {
    const rill_body_node *nodes = stage->bodies->nodes.data;
    bool any_full = false;
    for (size_t n = stage->island->first_node; n < stage->island->end_node; ++n) {
        const double e = nodes[n].e + pi[n];
        stiff[n] = 0.0;
        room[n] = rill_body_node_level(&nodes[n], e);
        any_full |= e >= nodes[n].roof;
    }
    for (size_t i = stage->island->first_body; i < stage->island->end_body; ++i) {
        const rill_body *body = rill_body_in_order(stage->bodies, i);
        if (rill_body_is_ball(body))
            find_room_under(stage, body, pi, true, stiff, room);
        else
            find_room_under(stage, body, pi, false, stiff, room);
    }
    for (size_t n = stage->island->first_node; any_full && n < stage->island->end_node; ++n)
        if (nodes[n].e + pi[n] >= nodes[n].roof) stiff[n] = 1.0;
}

/* --------------------------------------------------------------------------------------------------------- sideways */

static rill_body_touch *touch_of(const rill_bodies *bodies, const rill_body_node *node, int32_t body) {
    rill_body_touch *touches = bodies->touches.data;
    for (int32_t i = node->first_touch; i >= 0; i = touches[i].next)
        if (touches[i].body == body) return &touches[i];
    return NULL;
}

double rill_body_node_displaced(const rill_bodies *bodies, const rill_body_node *node, double e) {
    const rill_body_touch *touches = bodies->touches.data;
    const rill_body_piece *pieces = bodies->pieces.data;
    double sum = 0.0;
    for (int32_t i = node->first_touch; i >= 0; i = touches[i].next)
        for (int32_t k = touches[i].first_piece; k < touches[i].end_piece; ++k)
            sum += (double)pieces[k].part * depth_of(&pieces[k], e, 0.0);
    return sum;
}

double rill_body_node_will_displace(const rill_body_stage *stage, const rill_body_node *node, double e) {
    const rill_body_touch *touches = stage->bodies->touches.data;
    const rill_body_piece *pieces = stage->bodies->pieces.data;
    const double scale = stage->dt / stage->flow->bed->quantum;
    double sum = 0.0, beyond[6];
    for (int32_t i = node->first_touch; i >= 0; i = touches[i].next) {
        const rill_body_touch *touch = &touches[i];
        if (touch->first_piece == touch->end_piece) continue; /* beside it */
        const rill_body *body = rill_body_at(stage->bodies, touch->body);
        const bool ball = rill_body_is_ball(body); /* see take_room */
        for (int k = 2; k < (ball ? 3 : 5); ++k) beyond[k] = body->new_twist[k] - body->expected_twist[k];
        const double whole = beyond[2] * scale;
        for (int32_t k = touch->first_piece; k < touch->end_piece; ++k) {
            const rill_body_piece *piece = &pieces[k];
            sum += (double)piece->part * depth_of(piece, e, ball ? whole : lift_of(piece, beyond, scale));
        }
    }
    return sum;
}

double rill_body_node_displaced_after(const rill_body_stage *stage, const rill_body_node *node) {
    const rill_body_touch *touches = stage->bodies->touches.data;
    const double scale = stage->dt / stage->flow->bed->quantum, level = rill_body_node_level(node, node->e);
    double sum = rill_body_node_will_displace(stage, node, level);
    for (int32_t i = node->first_touch; i >= 0; i = touches[i].next) {
        const rill_body *body = rill_body_at(stage->bodies, touches[i].body);
        for (int k = 0; k < 6; ++k)
            sum -= (double)touches[i].b_sideways[k] * (body->new_twist[k] - body->expected_twist[k]) * scale;
    }
    RILL_ASSERT(isfinite(sum));
    return rill_max_d(sum, 0.0);
}

/* Finds a body at a face between two nodes; false if it is above the liquid. */
static bool find_overlap(const rill_body_stage *stage, int32_t index, rill_body_touch *at_l,
                         rill_body_overlap *overlap) {
    const rill_bed *bed = stage->flow->bed;
    const rill_body_face *face = (const rill_body_face *)stage->bodies->faces.data + index;
    const rill_body_node *nodes = stage->bodies->nodes.data, *l = &nodes[face->node_l], *r = &nodes[face->node_r];
    rill_body_touch *at_r = touch_of(stage->bodies, r, at_l->body);
    if (!at_r || !(at_l->displaced + at_r->displaced > 0.0f)) return false;
    if (face->in_passage && rill_body_at(stage->bodies, at_l->body)->wedged >> face->axis & 1) return false;
    const double z = rill_body_at(stage->bodies, at_l->body)->expected_position[2], base_l = (double)l->base,
                 base_r = (double)r->base;
    const double share_l = (double)at_l->share, share_r = (double)at_r->share;
    const double under = (share_l * (base_l + (double)at_l->underside) + share_r * (base_r + (double)at_r->underside)) /
                         (share_l + share_r);
    const double top = face->in_passage
                           ? under + ((double)at_l->displaced + (double)at_r->displaced) / (share_l + share_r)
                           : 0.5 * (base_l + rill_body_node_lifted_head(stage->flow, l) + base_r +
                                    rill_body_node_lifted_head(stage->flow, r));
    *overlap = (rill_body_overlap){ .face = index, .body = at_l->body, .l = at_l, .r = at_r };
    overlap->displaced = face->in_passage ? rill_body_blocked_depth(stage, face, at_l, at_r)
                                          : 0.5 * ((double)at_l->displaced + (double)at_r->displaced);
    RILL_ASSERT(share_l + share_r > 0.0 && isfinite(overlap->displaced));
    overlap->difference = fabs((double)at_l->displaced - (double)at_r->displaced);
    for (int i = 0; i < 2; ++i)
        overlap->arm[i] = (share_l * (double)at_l->arm[i] + share_r * (double)at_r->arm[i]) / (share_l + share_r);
    overlap->underside = bed->datum + under * bed->quantum - z;
    overlap->arm[2] = bed->datum + 0.5 * (under + top) * bed->quantum - z;
    return true;
}

static void couple_overlap(const rill_body_stage *stage, const rill_body_overlap *overlap) {
    const rill_bed *bed = stage->flow->bed;
    const rill_body_face *face = (const rill_body_face *)stage->bodies->faces.data + overlap->face;
    const double dx = bed->grid.cell_size, q = bed->quantum;
    const rill_body_node *nodes = stage->bodies->nodes.data, *l = &nodes[face->node_l], *r = &nodes[face->node_r];
    const double slope = (double)l->base + l->e - (double)r->base - r->e;
    rill_body *body = rill_body_at(stage->bodies, overlap->body);
    const double force = stage->density * stage->gravity * q * q * dx * overlap->displaced * slope;
    if (rill_body_is_ball(body)) {
        const float taken = (float)(overlap->displaced * q / dx);
        overlap->l->b_sideways[face->axis] += taken;
        overlap->r->b_sideways[face->axis] -= taken;
        body->sideways_wrench[face->axis] += force;
        return;
    }
    double wrench[6] = { 0 };
    rill_body_add_at_arm(face->axis, overlap->arm, overlap->displaced * q / dx, wrench);
    rill_body_remove_round_torque(body, wrench);
    float taken[6];
    for (int k = 0; k < 6; ++k) taken[k] = (float)wrench[k];
    for (int k = 0; k < 6; ++k) overlap->l->b_sideways[k] += taken[k];
    for (int k = 0; k < 6; ++k) overlap->r->b_sideways[k] -= taken[k];
    rill_body_add_at_arm(face->axis, overlap->arm, force, body->sideways_wrench);
}

static bool lies_on_bed(const rill_body_node *node) {
    return node->grounded && node->proxy < 0;
}

void rill_bodies_couple(const rill_body_stage *stage) {
    const rill_bodies *bodies = stage->bodies;
    rill_body_island *island = stage->island;
    rill_body_touch *touches = bodies->touches.data;
    rill_body_overlap *overlaps = bodies->overlaps.data;
    const rill_body_face *faces = bodies->faces.data;
    const rill_body_node *nodes = bodies->nodes.data;
    for (size_t i = island->first_touch; i < island->end_touch; ++i) {
        const rill_body_node *node = &nodes[touches[i].node];
        touches[i].acts_on = node->proxy >= 0 ? node->proxy : touches[i].node;
        RILL_ASSERT(touches[i].acts_on >= 0 && (size_t)touches[i].acts_on < bodies->nodes.count);
        memset(touches[i].b_sideways, 0, sizeof touches[i].b_sideways);
    }
    for (size_t i = island->first_body; i < island->end_body; ++i)
        memset(rill_body_in_order(bodies, i)->sideways_wrench, 0, sizeof(double[6]));
    rill_bodies_find_wedged(stage);
    island->end_overlap = island->first_overlap;
    for (size_t f = island->first_face; f < island->end_face; ++f) {
        if (faces[f].node_l < 0 || faces[f].node_r < 0) continue;
        if (lies_on_bed(&nodes[faces[f].node_l]) || lies_on_bed(&nodes[faces[f].node_r])) continue;
        for (int32_t i = nodes[faces[f].node_l].first_touch; i >= 0; i = touches[i].next)
            if (island->end_overlap < island->most_overlap &&
                find_overlap(stage, (int32_t)f, &touches[i], &overlaps[island->end_overlap]))
                couple_overlap(stage, &overlaps[island->end_overlap++]);
    }
    for (size_t i = island->first_body; i < island->end_body; ++i) {
        rill_body *body = rill_body_in_order(bodies, i);
        rill_body_remove_round_torque(body, body->sideways_wrench);
    }
}
