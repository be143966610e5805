/* Jumps: an engine may put a body somewhere else at once. What it displaces there cannot get away at once: it would be
 * shot off, and all that floats beside it. So the liquid sees it lag behind, by what was jumped, and catch up evenly
 * until the end of the next step:
 *
 *     seen = where it is + lag,    lag *= (time left after the sub-step) / (time left before it)
 *
 * Turning lags by a vector m along the axis of length tan(angle / 4), whose parts are nearly those of the angle, and
 * whose quaternion is (2 m, 1 - m^2) / (1 + m^2).
 *
 * Sub-steps follow half a cell each. What was put farther away than it is wide has left where it was, and did not pass
 * what lies between: it comes down from above. Of more than RILL_JUMP_MOST cells the first part is jumped. So is what is less
 * than RILL_JUMP_LEAST, as contacts do at each step: a body that is kept at a ceiling must not be seen in it. */
#include "bodies/bodies_internal.h"
#include "bodies/body_constants.h"

#include <math.h>
#include <string.h>

/* Multiplies quaternions: out = a b, or a b^-1. */
static void multiply(const double a[4], const double b[4], bool inverse, double out[4]) {
    const double x = inverse ? -b[0] : b[0], y = inverse ? -b[1] : b[1], z = inverse ? -b[2] : b[2], w = b[3];
    out[0] = (a[3] * x + a[0] * w) + (a[1] * z - a[2] * y);
    out[1] = (a[3] * y + a[1] * w) + (a[2] * x - a[0] * z);
    out[2] = (a[3] * z + a[2] * w) + (a[0] * y - a[1] * x);
    out[3] = a[3] * w - (a[0] * x + a[1] * y + a[2] * z);
}

void rill_body_add_lag(const double lag[6], double part, double position[3], double orientation[4]) {
    const double m[3] = { part * lag[3], part * lag[4], part * lag[5] };
    const double square = m[0] * m[0] + m[1] * m[1] + m[2] * m[2];
    for (int i = 0; i < 3; ++i) position[i] += part * lag[i];
    if (square == 0.0) return;
    RILL_ASSERT(part >= 0.0 && part <= 1.0 && isfinite(square));
    const double one = 1.0 / (1.0 + square);
    const double turn[4] = { 2.0 * m[0] * one, 2.0 * m[1] * one, 2.0 * m[2] * one, (1.0 - square) * one };
    double from[4];
    memcpy(from, orientation, sizeof from);
    multiply(turn, from, false, orientation);
}

void rill_body_lagging_pose(const rill_body *body, double position[3], double orientation[4]) {
    memcpy(position, body->state.position, sizeof body->state.position);
    memcpy(orientation, body->state.orientation, sizeof body->state.orientation);
    rill_body_add_lag(body->lag, 1.0, position, orientation);
}

void rill_body_lagging_twist(const rill_body_stage *stage, const rill_body *body, double motion[6]) {
    RILL_ASSERT(stage->dt > 0.0 && stage->lag_left >= 0.0 && stage->lag_left <= 1.0);
    const double rate = (stage->lag_left - 1.0) / stage->dt;
    for (int i = 0; i < 6; ++i) motion[i] = body->expected_twist[i] + (i < 3 ? rate : 4.0 * rate) * body->lag[i];
}

double rill_body_lag_length(const rill_body *body) {
    const double *lag = body->lag;
    const double far = sqrt(lag[0] * lag[0] + lag[1] * lag[1] + lag[2] * lag[2]);
    const double turn = 4.0 * sqrt(lag[3] * lag[3] + lag[4] * lag[4] + lag[5] * lag[5]);
    return far + (body->form.shape == RILL_SHAPE_SPHERE ? 0.0 : turn * body->form.reach);
}

/* Returns how far a body has to be lifted to be above all liquid, m. */
static double height_above(const rill_body_form *form, const rill_body_state *to, const rill_flow *flow) {
    const rill_pose pose = rill_pose_of(to->position, to->orientation);
    const double *up = pose.turn + 6;
    double low = 0.0;
    for (size_t i = 0; i < form->vertex_count; ++i) {
        const double *vertex = form->vertices + 3 * i;
        low = fmin(low, up[0] * vertex[0] + up[1] * vertex[1] + up[2] * vertex[2]);
    }
    return fmax(rill_bed_z(flow->bed, flow->extent.level) - to->position[2] - low, 0.0);
}

void rill_body_jump(rill_body *body, const rill_body_state *to, const rill_flow *flow) {
    double position[3], orientation[4], turn[4], square = 0.0;
    rill_body_lagging_pose(body, position, orientation);
    memset(body->lag, 0, sizeof body->lag);
    if (body->last_dt == 0.0) return; /* no liquid has seen it yet */
    for (int i = 0; i < 3; ++i) {
        body->lag[i] = position[i] - to->position[i];
        square += body->lag[i] * body->lag[i];
    }
    if (square > 4.0 * body->form.reach * body->form.reach) {
        body->lag[0] = body->lag[1] = 0.0;
        body->lag[2] = height_above(&body->form, to, flow);
    } else {
        multiply(orientation, to->orientation, true, turn);
        const double one = 1.0 / (1.0 + fabs(turn[3]));
        for (int i = 0; i < 3; ++i) body->lag[3 + i] = (turn[3] < 0.0 ? -one : one) * turn[i];
    }
    RILL_ASSERT(rill_body_are_finite(body->lag, 6));
    const double cells = rill_body_lag_length(body) / flow->bed->grid.cell_size;
    const double keep = cells < RILL_JUMP_LEAST ? 0.0 : cells > RILL_JUMP_MOST ? RILL_JUMP_MOST / cells : 1.0;
    RILL_ASSERT(keep >= 0.0 && keep <= 1.0);
    for (int i = 0; i < 6; ++i) body->lag[i] = keep > 0.0 ? keep * body->lag[i] : 0.0;
}
