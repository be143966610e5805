/* Drag: liquid that slides past a body drags it along, and is held back by it. See bodies.h.
 *
 *   skin    between body and bed liquid is sheared: 9 mu / gap per area, beside 3 mu / gap that the flow has by the bed
 *           in any case (both together, 12 between walls at rest); and the turbulent 1/2 rho C_f |w| besides
 *   form    where its cross-section grows or ends: 1/2 rho C_d |w|, half of it before and half behind; and upright
 *           1/2 rho C_d |w| + 6 mu / reach per area, which the bed bears
 *   turning 8 mu reach per area, as of a sphere (Kirchhoff), and of bodies too small for columns to tell of it the form
 *           drag of a disc about its diameter: 1/2 rho C_d |w| times the mean of r^3 over it, 8 / (15 pi) reach^3
 *           or so
 *
 * w is the difference of speeds. With rates k taken from the speeds there are, all faces of a body are one implicit
 * problem for its six components,
 *
 *     (M + dt sum k' b b^T) v = M v* + dt sum k' b u,      k' = k / (1 + k dt / m),   m the liquid of the face,
 *
 * and each face gets what the body loses there: momentum is kept, and energy only ever lost. */
#include "bodies/bodies_internal.h"
#include "bodies/body_constants.h"

#include "base/simd.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------------ rates */

static double mass_of(const rill_body_stage *stage, const rill_body_face *face) {
    const double dx = stage->flow->bed->grid.cell_size;
    return stage->density * (double)face->opening * stage->flow->bed->quantum * dx * dx;
}

/* Returns k' of an overlap, kg/s. */
static double face_rate(const rill_body_stage *stage, const rill_body *body, const rill_body_overlap *overlap,
                        const rill_body_face *face, double slip) {
    const double q = stage->flow->bed->quantum, dx = stage->flow->bed->grid.cell_size, gap = (double)face->opening * q;
    const double share = 0.5 * ((double)overlap->l->share + (double)overlap->r->share);
    const double skin = share * dx * dx * (9.0 * stage->settings->viscosity / gap + 0.5 * RILL_DRAG_SKIN * slip);
    const double k = stage->density * (skin + 0.25 * body->drag * slip * overlap->difference * q * dx);
    RILL_ASSERT(k >= 0.0 && gap > 0.0);
    return k / (1.0 + k * stage->dt / mass_of(stage, face));
}

/* ------------------------------------------------------------------------------------------------------------ solve */

/* Adds k b b^T to the lower half of a body's matrix, and k b u to what it is given: of b, these three are not zero. */
static inline void add_drag(rill_body *body, int axis, const double arm[3], double rate, double u) {
    static const int places[3][3] = { { 0, 4, 5 }, { 1, 3, 5 }, { 2, 3, 4 } };
    const int *at = places[axis];
    const double all[3][3] = { { 1.0, arm[2], -arm[1] }, { 1.0, -arm[2], arm[0] }, { 1.0, arm[1], -arm[0] } };
    const double *b = all[axis];
    for (int i = 0; i < 3; ++i) {
        body->drag_momentum[at[i]] += rate * b[i] * u;
        for (int j = 0; j <= i; ++j) body->drag_matrix[6 * at[i] + at[j]] += rate * b[i] * b[j];
    }
}

/* Solves m x = y for a symmetric positive definite m, in place: Cholesky. Where drag is so strong that rounding takes a
 * pivot away, a little of it stays. */
static void solve_cholesky(double m[36], double y[6]) {
    for (int j = 0; j < 6; ++j) {
        const double least = 1e-12 * m[7 * j];
        for (int k = 0; k < j; ++k)
            for (int i = j; i < 6; ++i) m[6 * i + j] -= m[6 * i + k] * m[6 * j + k];
        RILL_ASSERT(least >= 0.0);
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

/* Begins with M on the diagonal, and M v. */
static void begin_matrix(rill_body *body) {
    memset(body->drag_matrix, 0, sizeof body->drag_matrix);
    memset(body->drag_momentum, 0, sizeof body->drag_momentum);
    memcpy(body->new_twist, body->state.velocity, sizeof body->state.velocity);
    memcpy(body->new_twist + 3, body->state.angular_velocity, sizeof body->state.angular_velocity);
    if (isinf(body->mass)) return;
    for (int i = 0; i < 3; ++i) {
        body->drag_matrix[7 * i] = i == 2 ? body->mass_upright : body->mass_along;
        body->drag_momentum[i] = body->drag_matrix[7 * i] * body->new_twist[i];
        for (int j = 0; j < 3; ++j) {
            body->drag_matrix[6 * (3 + i) + 3 + j] = body->effective_inertia[3 * i + j];
            body->drag_momentum[3 + i] += body->effective_inertia[3 * i + j] * body->new_twist[3 + j];
        }
    }
}

/* Sets the rates of a body's overlaps, and of its columns upright. */
static void add_face_drag(const rill_body_stage *stage) {
    rill_bodies *bodies = stage->bodies;
    rill_body_overlap *overlaps = bodies->overlaps.data;
    const rill_body_face *faces = bodies->faces.data;
    for (size_t i = stage->island->first_overlap; i < stage->island->end_overlap; ++i) {
        rill_body *body = rill_body_at(bodies, overlaps[i].body);
        const double at[3] = { overlaps[i].arm[0], overlaps[i].arm[1], overlaps[i].underside };
        const rill_body_face *face = &faces[overlaps[i].face];
        const double slip = fabs(rill_body_speed_at(body->new_twist, face->axis, at) - (double)face->u);
        overlaps[i].drag_rate =
            face->opening > 1.0f ? face_rate(stage, body, &overlaps[i], face, slip) * stage->dt : 0.0;
        if (face->axis)
            add_drag(body, 1, at, overlaps[i].drag_rate, (double)face->u);
        else
            add_drag(body, 0, at, overlaps[i].drag_rate, (double)face->u);
    }
}

static void add_column_drag(const rill_body_stage *stage, rill_body *body) {
    const rill_body_touch *touches = stage->bodies->touches.data;
    const double dx = stage->flow->bed->grid.cell_size, viscous = 6.0 * stage->settings->viscosity / body->form.reach;
    double wet = 0.0;
    for (int32_t i = body->first_touch; i < body->end_touch; ++i) {
        const double arm[3] = { (double)touches[i].arm[0], (double)touches[i].arm[1], 0.0 };
        const double speed = fabs(rill_body_speed_at(body->new_twist, 2, arm));
        RILL_ASSERT(touches[i].share >= 0.0f && isfinite(touches[i].share));
        const double k = (double)touches[i].share * dx * dx * stage->density * (viscous + 0.5 * body->drag * speed);
        if (k > 0.0) add_drag(body, 2, arm, k * stage->dt, 0.0);
        wet += (double)touches[i].share * dx * dx;
    }
    /* Within a cell, columns know nothing of how a body turns. */
    const double *w = body->new_twist + 3, reach = body->form.reach,
                 angular = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    const double form = body->small ? RILL_DRAG_BLADE * body->drag * reach * reach * angular : 0.0;
    const double turning = wet * stage->density * reach * (8.0 * stage->settings->viscosity + form);
    for (int i = 3; i < 6; ++i) body->drag_matrix[7 * i] += turning * stage->dt;
}

/* Finds the new motion of a body, and books what it has lost by it. */
static void apply_drag(rill_body *body) {
    double change[6];
    solve_cholesky(body->drag_matrix, body->drag_momentum);
    RILL_ASSERT(rill_body_are_finite(body->drag_momentum, 6));
    for (int i = 0; i < 6; ++i) change[i] = body->drag_momentum[i] - body->new_twist[i];
    for (int i = 0; i < 3; ++i) {
        const double *row = body->world_inertia + 3 * i;
        body->forces.impulse[i] += body->mass * change[i];
        body->forces.angular_impulse[i] += row[0] * change[3] + row[1] * change[4] + row[2] * change[5];
        body->state.velocity[i] = body->drag_momentum[i];
        body->state.angular_velocity[i] = body->drag_momentum[3 + i];
    }
    memcpy(body->new_twist, body->drag_momentum, sizeof body->new_twist);
}

void rill_bodies_apply_drag(const rill_body_stage *stage) {
    const rill_bodies *bodies = stage->bodies;
    const rill_body_island *island = stage->island;
    const rill_body_overlap *overlaps = bodies->overlaps.data;
    rill_body_face *faces = bodies->faces.data;
    for (size_t i = island->first_body; i < island->end_body; ++i) begin_matrix(rill_body_in_order(bodies, i));
    add_face_drag(stage);
    for (size_t i = island->first_body; i < island->end_body; ++i) {
        rill_body *body = rill_body_in_order(bodies, i);
        if (isinf(body->mass)) continue;
        add_column_drag(stage, body);
        apply_drag(body);
    }
    for (size_t i = island->first_overlap; i < island->end_overlap; ++i) {
        const double at[3] = { overlaps[i].arm[0], overlaps[i].arm[1], overlaps[i].underside };
        rill_body_face *face = &faces[overlaps[i].face];
        rill_body *body = rill_body_at(bodies, overlaps[i].body);
        RILL_ASSERT(overlaps[i].drag_rate >= 0.0 && isfinite(overlaps[i].drag_rate));
        if (overlaps[i].drag_rate == 0.0) continue;
        const double give =
            overlaps[i].drag_rate * (rill_body_speed_at(body->new_twist, face->axis, at) - (double)face->u);
        const double most = (double)stage->constants->top_speed, u = (double)face->u + give / mass_of(stage, face);
        face->u = (float)rill_max_d(rill_min_d(u, most), -most);
        if (!isinf(body->mass)) continue;
        double wrench[6] = { 0 };
        rill_body_add_at_arm(face->axis, at, -give, wrench);
        for (int k = 0; k < 3; ++k)
            body->forces.impulse[k] += wrench[k], body->forces.angular_impulse[k] += wrench[3 + k];
    }
}
