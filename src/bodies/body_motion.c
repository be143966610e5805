/* The motion of bodies by themselves, and what is told about them. */
#include "bodies/bodies.h"

#include "base/simd.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------------ inertia */

/* R I R^T, or with the inverse of I, row by row. */
static void turned(const double turn[9], const double own[9], double out[9]) {
    double half[9];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            half[3 * i + j] = turn[3 * i] * own[j] + turn[3 * i + 1] * own[3 + j] + turn[3 * i + 2] * own[6 + j];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[3 * i + j] =
                half[3 * i] * turn[3 * j] + half[3 * i + 1] * turn[3 * j + 1] + half[3 * i + 2] * turn[3 * j + 2];
}

static void inertia_of(const rill_body *body, const rill_pose *pose, double out[9]) {
    const double *i = body->inertia, own[9] = { i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2] };
    turned(pose->turn, own, out);
}

void rill_body_invert(const double m[9], double out[9]) {
    const double a = m[4] * m[8] - m[5] * m[7], b = m[5] * m[6] - m[3] * m[8], c = m[3] * m[7] - m[4] * m[6];
    const double one = 1.0 / (m[0] * a + m[1] * b + m[2] * c);
    const double inverse[9] = { a * one, (m[2] * m[7] - m[1] * m[8]) * one, (m[1] * m[5] - m[2] * m[4]) * one,
                                b * one, (m[0] * m[8] - m[2] * m[6]) * one, (m[2] * m[3] - m[0] * m[5]) * one,
                                c * one, (m[1] * m[6] - m[0] * m[7]) * one, (m[0] * m[4] - m[1] * m[3]) * one };
    memcpy(out, inverse, sizeof inverse);
}

static void times(const double m[9], const double v[3], double out[3]) {
    for (int i = 0; i < 3; ++i) out[i] = m[3 * i] * v[0] + m[3 * i + 1] * v[1] + m[3 * i + 2] * v[2];
}

/* ------------------------------------------------------------------------------------------------------------- motion */

static void begin_body(rill_body *body, double dt, bool steady) {
    const bool told = isinf(body->mass);
    const double last = fmax(body->before_dt, 1e-3 * dt); /* however short it was, what follows from it is finite */
    const rill_pose pose = rill_pose_of(body->state.position, body->state.orientation);
    memset(body->own, 0, sizeof body->own);
    memset(body->lighter, 0, sizeof body->lighter);
    if (!told) {
        inertia_of(body, &pose, body->own);
        rill_body_invert(body->own, body->lighter);
    }
    memcpy(body->heavier, body->own, sizeof body->heavier);
    body->along = body->upright = body->stiff = body->mass;
    body->freight = (rill_freight){ 0 };
    body->small = false;
    for (int i = 0; i < 3; ++i) {
        body->free[i] = body->state.velocity[i] + (told ? 0.0 : dt * body->state.acceleration[i]);
        body->free[3 + i] = body->state.spin[i];
    }
    memcpy(body->moved, body->free, sizeof body->moved);
    memset(body->load, 0, sizeof body->load);
    for (int i = 0; i < 6; ++i) {
        const double now = i < 3 ? body->state.velocity[i] : body->state.spin[i - 3];
        body->guess[i] = now + (steady ? 0.0 : (now - body->before[i]) * dt / last);
        body->before[i] = now;
    }
    body->fresh = body->before_dt == 0.0;
    body->before_dt = dt;
}

void rill_bodies_begin(const rill_body_stage *s) {
    double last = 0.0;
    for (size_t i = 0; i < s->bodies->list.count; ++i) {
        const rill_body *body = rill_body_at(s->bodies, (int32_t)i);
        if (body->alive) last = fmax(last, body->before_dt);
    }
    s->bodies->lasted = last > 0.0 ? (float)(last / s->dt) : 1.0f;
    for (size_t i = 0; i < s->bodies->list.count; ++i) {
        rill_body *body = rill_body_at(s->bodies, (int32_t)i);
        if (!body->alive) continue;
        const bool steady = body->before_dt == 0.0 || isinf(body->mass) || rill_body_in_passage(s, body);
        begin_body(body, s->dt, steady);
    }
}

/* The orientation after turning by a spin for a time. */
static void rotate(double q[4], const double spin[3], double dt) {
    const double x = 0.5 * dt * spin[0], y = 0.5 * dt * spin[1], z = 0.5 * dt * spin[2];
    const double turned_q[4] = { q[0] + (x * q[3] + y * q[2] - z * q[1]), q[1] + (y * q[3] + z * q[0] - x * q[2]),
                                 q[2] + (z * q[3] + x * q[1] - y * q[0]), q[3] - (x * q[0] + y * q[1] + z * q[2]) };
    double length = 0.0;
    for (int i = 0; i < 4; ++i) length += turned_q[i] * turned_q[i];
    length = sqrt(length);
    for (int i = 0; i < 4; ++i) q[i] = turned_q[i] / length;
}

void rill_body_advance(double position[3], double orientation[4], const double motion[6], double dt) {
    for (int i = 0; i < 3; ++i) position[i] += dt * motion[i];
    if (motion[3] != 0.0 || motion[4] != 0.0 || motion[5] != 0.0) rotate(orientation, motion + 3, dt);
}

/* Angular momentum stays while the body turns under it. */
static void end_body(rill_body *body, double dt, double lags) {
    rill_body_state *state = &body->state;
    const bool told = isinf(body->mass);
    double momentum[3], faster[3], turn[3];
    for (int i = 0; i < 3; ++i) faster[i] = body->moved[3 + i] - state->spin[i];
    times(body->own, faster, turn);
    for (int i = 0; i < 3; ++i) {
        const double change = body->moved[i] - state->velocity[i] - dt * state->acceleration[i];
        body->forces.impulse[i] += told ? dt * body->load[i] : body->mass * change;
        body->forces.turn[i] += told ? dt * body->load[3 + i] : turn[i];
        state->velocity[i] = body->moved[i];
        state->spin[i] = body->moved[3 + i];
    }
    for (int i = 0; i < 6; ++i) body->lag[i] *= lags;
    if (!told) times(body->heavier, state->spin, momentum);
    rill_body_advance(state->position, state->orientation, body->moved, dt);
    if (told) return;
    double before[9];
    memcpy(before, body->own, sizeof before);
    const rill_pose pose = rill_pose_of(state->position, state->orientation);
    inertia_of(body, &pose, body->own);
    for (int i = 0; i < 9; ++i) body->heavier[i] += body->own[i] - before[i];
    rill_body_invert(body->heavier, body->lighter);
    times(body->lighter, momentum, state->spin);
}

void rill_bodies_end(const rill_body_stage *s) {
    for (size_t i = 0; i < s->bodies->list.count; ++i) {
        rill_body *body = rill_body_at(s->bodies, (int32_t)i);
        if (body->alive) end_body(body, s->dt, s->lags);
    }
}

/* How far a body may move before it matters where it is exactly: half a cell, and to the liquid before that, m. */
static double leeway(const rill_body *body, const rill_flow *flow) {
    const rill_bed *bed = flow->bed;
    const rill_grid *grid = &bed->grid;
    const double reach = body->form.reach;
    double at[3], orientation[4];
    rill_body_seen(body, at, orientation);
    double gap = fmax(at[2] - reach - rill_bed_z(bed, flow->extent.level), rill_bed_z(bed, 0) - at[2] - reach);
    for (int i = 0; i < 2; ++i) {
        const double low = grid->origin[i], high = low + (double)grid->cells[i] * grid->cell_size;
        gap = fmax(gap, fmax(low - at[i] - reach, at[i] - reach - high));
    }
    return 0.5 * grid->cell_size + fmax(gap, 0.0);
}

double rill_bodies_limit(const rill_bodies *bodies, const rill_flow *flow, double left) {
    double limit = (double)INFINITY;
    for (size_t i = 0; i < bodies->list.count; ++i) {
        const rill_body *body = rill_body_at(bodies, (int32_t)i);
        if (!body->alive) continue;
        double speed = 0.0, spin = 0.0, falls = 0.0;
        for (int k = 0; k < 3; ++k) {
            speed += body->state.velocity[k] * body->state.velocity[k];
            spin += body->state.spin[k] * body->state.spin[k];
            falls += body->state.acceleration[k] * body->state.acceleration[k];
        }
        /* (speed + falls dt) dt <= leeway */
        const double own = sqrt(speed) + (body->form.shape == RILL_BODY_SPHERE ? 0.0 : sqrt(spin) * body->form.reach);
        const double all = own + rill_body_lag_length(body) / left;
        const double far = leeway(body, flow), twice = all + sqrt(all * all + 4.0 * sqrt(falls) * far);
        if (twice > 0.0) limit = fmin(limit, 2.0 * far / twice);
    }
    return limit;
}
