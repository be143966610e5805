/* What slides past a body drags it along, and is held back by it: see bodies.h.
 *
 *   skin    between body and bed liquid is sheared: 9 mu / gap per area, beside 3 mu / gap that the flow has by the bed in
 *           any case (both together, 12 between walls at rest); and the turbulent 1/2 rho C_f |w| besides
 *   form    where its cross-section grows or ends: 1/2 rho C_d |w|, half of it before and half behind; and upright
 *           1/2 rho C_d |w| + 6 mu / reach per area, which the bed bears
 *   turning 8 mu reach per area, as of a sphere (Kirchhoff), and of bodies too small for columns to tell of it the form drag of a
 *           disc about its diameter: 1/2 rho C_d |spin| times the mean of r^3 over it, 8 / (15 pi) reach^3 or so
 * w is the difference of speeds. With rates k taken from the speeds there are, all faces of a body are one implicit
 * problem for its six components,
 *
 *     (M + dt sum k' b b^T) v = M v* + dt sum k' b u,      k' = k / (1 + k dt / m),   m the liquid of the face,
 *
 * and each face gets what the body loses there: momentum is kept, and energy only ever lost. */
#include "bodies/bodies.h"

#include "base/simd.h"

#include <math.h>
#include <string.h>

static const double SKIN = 0.01;    /* C_f */
static const double BLADE = 0.0849; /* 4 / (15 pi) */

/* ------------------------------------------------------------------------------------------------------------- rates */

static double mass_of(const rill_body_stage *s, const rill_body_face *face) {
    const double dx = s->flow->bed->grid.cell_size;
    return s->density * (double)face->open * s->flow->bed->quantum * dx * dx;
}

/* k' of a grip, kg/s. */
static double face_rate(const rill_body_stage *s, const rill_body *body, const rill_body_grip *grip,
                        const rill_body_face *face, double slip) {
    const double q = s->flow->bed->quantum, dx = s->flow->bed->grid.cell_size, gap = (double)face->open * q;
    const double share = 0.5 * ((double)grip->l->share + (double)grip->r->share);
    const double skin = share * dx * dx * (9.0 * s->settings->viscosity / gap + 0.5 * SKIN * slip);
    const double k = s->density * (skin + 0.25 * body->drag * slip * grip->ends * q * dx);
    return k / (1.0 + k * s->dt / mass_of(s, face));
}

/* -------------------------------------------------------------------------------------------------------------- solve */

/* Adds k b b^T to the lower half of a body's matrix, and k b u to what it is given: of b, these three are not zero. */
static inline void grasp(rill_body *body, int axis, const double arm[3], double rate, double u) {
    static const int places[3][3] = { { 0, 4, 5 }, { 1, 3, 5 }, { 2, 3, 4 } };
    const int *at = places[axis];
    const double all[3][3] = { { 1.0, arm[2], -arm[1] }, { 1.0, -arm[2], arm[0] }, { 1.0, arm[1], -arm[0] } };
    const double *b = all[axis];
    for (int i = 0; i < 3; ++i) {
        body->given[at[i]] += rate * b[i] * u;
        for (int j = 0; j <= i; ++j) body->grasp[6 * at[i] + at[j]] += rate * b[i] * b[j];
    }
}

/* Solves m x = y for a symmetric positive definite m, in place: Cholesky. Where drag is so strong that rounding takes a pivot
 * away, a little of it stays. */
static void solve_six(double m[36], double y[6]) {
    for (int j = 0; j < 6; ++j) {
        const double least = 1e-12 * m[7 * j];
        for (int k = 0; k < j; ++k)
            for (int i = j; i < 6; ++i) m[6 * i + j] -= m[6 * i + k] * m[6 * j + k];
        if (!(m[7 * j] > least)) m[7 * j] = least;
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
        body->grasp[7 * i] = i == 2 ? body->upright : body->along;
        body->given[i] = body->grasp[7 * i] * body->moved[i];
        for (int j = 0; j < 3; ++j) {
            body->grasp[6 * (3 + i) + 3 + j] = body->heavier[3 * i + j];
            body->given[3 + i] += body->heavier[3 * i + j] * body->moved[3 + j];
        }
    }
}

/* Sets the rates of a body's grips, and of its columns upright. */
static void grasp_faces(const rill_body_stage *s) {
    rill_bodies *bodies = s->bodies;
    rill_body_grip *grips = bodies->grips.data;
    const rill_body_face *faces = bodies->faces.data;
    for (size_t i = s->island->first_grip; i < s->island->end_grip; ++i) {
        rill_body *body = rill_body_at(bodies, grips[i].body);
        const double at[3] = { grips[i].arm[0], grips[i].arm[1], grips[i].under };
        const rill_body_face *face = &faces[grips[i].face];
        const double slip = fabs(rill_body_speed_at(body->moved, face->axis, at) - (double)face->u);
        grips[i].rate = face->open > 1.0f ? face_rate(s, body, &grips[i], face, slip) * s->dt : 0.0;
        if (face->axis)
            grasp(body, 1, at, grips[i].rate, (double)face->u);
        else
            grasp(body, 0, at, grips[i].rate, (double)face->u);
    }
}

static void grasp_columns(const rill_body_stage *s, rill_body *body) {
    const rill_touch *touches = s->bodies->touches.data;
    const double dx = s->flow->bed->grid.cell_size, viscous = 6.0 * s->settings->viscosity / body->form.reach;
    double wet = 0.0;
    for (int32_t i = body->first; i < body->end; ++i) {
        const double arm[3] = { (double)touches[i].arm[0], (double)touches[i].arm[1], 0.0 };
        const double speed = fabs(rill_body_speed_at(body->moved, 2, arm));
        const double k = (double)touches[i].share * dx * dx * s->density * (viscous + 0.5 * body->drag * speed);
        if (k > 0.0) grasp(body, 2, arm, k * s->dt, 0.0);
        wet += (double)touches[i].share * dx * dx;
    }
    /* Within a cell, columns know nothing of how a body turns. */
    const double *w = body->moved + 3, reach = body->form.reach, spin = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    const double form = body->small ? BLADE * body->drag * reach * reach * spin : 0.0;
    const double turning = wet * s->density * reach * (8.0 * s->settings->viscosity + form);
    for (int i = 3; i < 6; ++i) body->grasp[7 * i] += turning * s->dt;
}

/* The new motion, and what the body has lost by it. */
static void slow_down(rill_body *body) {
    double change[6];
    solve_six(body->grasp, body->given);
    for (int i = 0; i < 6; ++i) change[i] = body->given[i] - body->moved[i];
    for (int i = 0; i < 3; ++i) {
        const double *row = body->own + 3 * i;
        body->forces.impulse[i] += body->mass * change[i];
        body->forces.turn[i] += row[0] * change[3] + row[1] * change[4] + row[2] * change[5];
        body->state.velocity[i] = body->given[i];
        body->state.spin[i] = body->given[3 + i];
    }
    memcpy(body->moved, body->given, sizeof body->moved);
}

void rill_bodies_rub(const rill_body_stage *s) {
    const rill_bodies *bodies = s->bodies;
    const rill_island *island = s->island;
    const rill_body_grip *grips = bodies->grips.data;
    rill_body_face *faces = bodies->faces.data;
    for (size_t i = island->first_body; i < island->end_body; ++i) begin_body(rill_body_in(bodies, i));
    grasp_faces(s);
    for (size_t i = island->first_body; i < island->end_body; ++i) {
        rill_body *body = rill_body_in(bodies, i);
        if (isinf(body->mass)) continue;
        grasp_columns(s, body);
        slow_down(body);
    }
    for (size_t i = island->first_grip; i < island->end_grip; ++i) {
        const double at[3] = { grips[i].arm[0], grips[i].arm[1], grips[i].under };
        rill_body_face *face = &faces[grips[i].face];
        rill_body *body = rill_body_at(bodies, grips[i].body);
        if (grips[i].rate == 0.0) continue;
        const double give = grips[i].rate * (rill_body_speed_at(body->moved, face->axis, at) - (double)face->u);
        const double most = (double)s->k->top_speed, u = (double)face->u + give / mass_of(s, face);
        face->u = (float)rill_max_d(rill_min_d(u, most), -most);
        if (!isinf(body->mass)) continue;
        double load[6] = { 0 };
        rill_along(face->axis, at, -give, load);
        for (int k = 0; k < 3; ++k) body->forces.impulse[k] += load[k], body->forces.turn[k] += load[3 + k];
    }
}
