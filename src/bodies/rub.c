/* What slides past a body drags it along, and is held back by it: see bodies.h.
 *
 *   skin    between body and bed liquid is sheared: 9 mu / gap per area, beside 3 mu / gap that the flow has by the bed in
 *           any case (both together, 12 between walls at rest); and the turbulent 1/2 rho C_f |w| besides
 *   form    where its cross-section grows or ends: 1/2 rho C_d |w|, half of it before and half behind; and upright
 *           1/2 rho C_d |w| + 6 mu / reach per area, which the bed bears
 * w is the difference of speeds. With rates k taken from the speeds there are, all faces of a body are one implicit
 * problem for its six components,
 *
 *     (M + dt sum k' b b^T) v = M v* + dt sum k' b u,      k' = k / (1 + k dt / m),   m the liquid of the face,
 *
 * and each face gets what the body loses there: momentum is kept, and energy only ever lost. */
#include "bodies/bodies.h"

#include <math.h>
#include <string.h>

static const double SKIN = 0.01; /* C_f */

/* ------------------------------------------------------------------------------------------------------------- rates */

/* The part of a column in which a body is in the liquid; in `*afloat`, where it is not below it. */
static double share_of(const rill_body_stage *s, const rill_touch *t, double *afloat) {
    const double e = ((const rill_node *)s->bodies->nodes.data)[t->node].e;
    const rill_piece *pieces = s->bodies->pieces.data;
    double sum = 0.0;
    *afloat = 0.0;
    for (int32_t k = t->first; k < t->end; ++k) {
        if (e <= (double)pieces[k].low) continue;
        sum += (double)pieces[k].part;
        if (e < (double)pieces[k].high) *afloat += (double)pieces[k].part;
    }
    return sum;
}

static double mass_of(const rill_body_stage *s, const rill_body_face *face) {
    const double dx = s->flow->bed->grid.cell_size;
    return s->density * (double)face->open * s->flow->bed->quantum * dx * dx;
}

/* k' of a grip, kg/s. */
static double face_rate(const rill_body_stage *s, const rill_body_grip *grip, const double arm[3]) {
    const rill_bed *bed = s->flow->bed;
    const rill_body_face *face = (const rill_body_face *)s->bodies->faces.data + grip->face;
    const rill_body *body = rill_body_at(s->bodies, grip->body);
    if (!(face->open > 1.0f)) return 0.0;
    const double q = bed->quantum, dx = bed->grid.cell_size, gap = (double)face->open * q;
    const double slip = fabs(rill_body_speed_at(body->moved, face->axis, arm) - (double)face->u);
    double afloat;
    const double share = 0.5 * (share_of(s, grip->l, &afloat) + share_of(s, grip->r, &afloat));
    const double skin = share * dx * dx * s->density * (9.0 * s->settings->viscosity / gap + 0.5 * SKIN * slip);
    const double form = 0.25 * s->density * body->drag * slip * grip->ends * q * dx;
    return (skin + form) / (1.0 + (skin + form) * s->dt / mass_of(s, face));
}

static double column_rate(const rill_body_stage *s, const rill_touch *t, const double arm[3]) {
    const double dx = s->flow->bed->grid.cell_size;
    const rill_body *body = rill_body_at(s->bodies, t->body);
    double part;
    share_of(s, t, &part);
    const double viscous = 6.0 * s->settings->viscosity / body->form.reach;
    return part * dx * dx * s->density *
           (viscous + 0.5 * body->drag * fabs(rill_body_speed_at(body->moved, 2, arm)));
}

/* -------------------------------------------------------------------------------------------------------------- solve */

/* Adds dt k b b^T to a body's matrix, and dt k b u to what it is given. */
static void grasp(rill_body *body, int axis, const double arm[3], double rate, double u) {
    double b[6] = { 0 };
    rill_along(axis, arm, 1.0, b);
    for (int i = 0; i < 6; ++i) {
        body->given[i] += rate * b[i] * u;
        for (int j = 0; j < 6; ++j) body->grasp[6 * i + j] += rate * b[i] * b[j];
    }
}

/* Solves m x = y for a symmetric positive definite m, in place: Cholesky. */
static void solve_six(double m[36], double y[6]) {
    for (int j = 0; j < 6; ++j) {
        for (int k = 0; k < j; ++k)
            for (int i = j; i < 6; ++i) m[6 * i + j] -= m[6 * i + k] * m[6 * j + k];
        const double pivot = sqrt(m[7 * j]);
        for (int i = j; i < 6; ++i) m[6 * i + j] /= pivot;
    }
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < i; ++k) y[i] -= m[6 * i + k] * y[k];
        y[i] /= m[7 * i];
    }
    for (int i = 5; i >= 0; --i) {
        for (int k = i + 1; k < 6; ++k) y[i] -= m[6 * k + i] * y[k];
        y[i] /= m[7 * i];
    }
}

/* M on the diagonal, and M v. */
static void begin_body(rill_body *body) {
    memset(body->grasp, 0, sizeof body->grasp);
    memset(body->given, 0, sizeof body->given);
    memcpy(body->moved, body->state.velocity, sizeof body->state.velocity);
    memcpy(body->moved + 3, body->state.spin, sizeof body->state.spin);
    if (isinf(body->mass)) return;
    for (int i = 0; i < 3; ++i) {
        body->grasp[7 * i] = body->mass;
        body->given[i] = body->mass * body->moved[i];
        for (int j = 0; j < 3; ++j) {
            body->grasp[6 * (3 + i) + 3 + j] = body->heavier[3 * i + j];
            body->given[3 + i] += body->heavier[3 * i + j] * body->moved[3 + j];
        }
    }
}

static void touch_arm(const rill_touch *t, double arm[3]) {
    arm[0] = (double)t->arm[0];
    arm[1] = (double)t->arm[1];
    arm[2] = 0.0;
}

/* Adds an impulse to what is told of a body. */
static void tell(rill_body *body, int axis, const double arm[3], double impulse) {
    double load[6] = { 0 };
    rill_along(axis, arm, impulse, load);
    for (int i = 0; i < 3; ++i) body->forces.impulse[i] += load[i], body->forces.turn[i] += load[3 + i];
}

void rill_bodies_rub(const rill_body_stage *s) {
    rill_bodies *bodies = s->bodies;
    const rill_touch *touches = bodies->touches.data;
    rill_body_grip *grips = bodies->grips.data;
    rill_body_face *faces = bodies->faces.data;
    double arm[3];
    for (size_t i = 0; i < bodies->list.count; ++i) begin_body(rill_body_at(bodies, (int32_t)i));
    for (size_t i = 0; i < bodies->grips.count; ++i) {
        const double at[3] = { grips[i].arm[0], grips[i].arm[1], grips[i].under };
        const rill_body_face *face = &faces[grips[i].face];
        grips[i].rate = face_rate(s, &grips[i], at) * s->dt;
        grasp(rill_body_at(bodies, grips[i].body), face->axis, at, grips[i].rate, (double)face->u);
    }
    for (size_t i = 0; i < bodies->touches.count; ++i) {
        touch_arm(&touches[i], arm);
        grasp(rill_body_at(bodies, touches[i].body), 2, arm, column_rate(s, &touches[i], arm) * s->dt, 0.0);
    }
    for (size_t i = 0; i < bodies->touches.count; ++i) {
        rill_body *body = rill_body_at(bodies, touches[i].body);
        touch_arm(&touches[i], arm);
        tell(body, 2, arm, -column_rate(s, &touches[i], arm) * s->dt * rill_body_speed_at(body->moved, 2, arm));
    }
    for (size_t i = 0; i < bodies->list.count; ++i) {
        rill_body *body = rill_body_at(bodies, (int32_t)i);
        if (!body->alive || isinf(body->mass)) continue;
        solve_six(body->grasp, body->given);
        memcpy(body->moved, body->given, sizeof body->moved);
        memcpy(body->state.velocity, body->moved, sizeof body->state.velocity);
        memcpy(body->state.spin, body->moved + 3, sizeof body->state.spin);
    }
    for (size_t i = 0; i < bodies->grips.count; ++i) {
        const double at[3] = { grips[i].arm[0], grips[i].arm[1], grips[i].under };
        rill_body_face *face = &faces[grips[i].face];
        rill_body *body = rill_body_at(bodies, grips[i].body);
        if (grips[i].rate == 0.0) continue;
        const double give = grips[i].rate * (rill_body_speed_at(body->moved, face->axis, at) - (double)face->u);
        face->u += (float)(give / mass_of(s, face));
        tell(body, face->axis, at, -give);
    }
}
