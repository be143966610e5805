/* The motion of bodies by themselves: inertia, sub-steps, and how long these may be. */
#include "bodies/bodies_internal.h"

#include "base/simd.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------------------- inertia */

/* Rotates an inertia, or its inverse: R I R^T, row by row. */
static void rotate_inertia(const double rotation[9], const double local[9], double out[9]) {
    double half[9];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            half[3 * i + j] =
                rotation[3 * i] * local[j] + rotation[3 * i + 1] * local[3 + j] + rotation[3 * i + 2] * local[6 + j];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[3 * i + j] = half[3 * i] * rotation[3 * j] + half[3 * i + 1] * rotation[3 * j + 1] +
                             half[3 * i + 2] * rotation[3 * j + 2];
}

static void world_inertia_of(const rill_body *body, const rill_pose *pose, double out[9]) {
    const double *i = body->inertia, local[9] = { i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2] };
    rotate_inertia(pose->turn, local, out);
}

void rill_body_invert_matrix(const double m[9], double out[9]) {
    const double a = m[4] * m[8] - m[5] * m[7], b = m[5] * m[6] - m[3] * m[8], c = m[3] * m[7] - m[4] * m[6];
    const double one = 1.0 / (m[0] * a + m[1] * b + m[2] * c);
    const double inverse[9] = { a * one, (m[2] * m[7] - m[1] * m[8]) * one, (m[1] * m[5] - m[2] * m[4]) * one,
                                b * one, (m[0] * m[8] - m[2] * m[6]) * one, (m[2] * m[3] - m[0] * m[5]) * one,
                                c * one, (m[1] * m[6] - m[0] * m[7]) * one, (m[0] * m[4] - m[1] * m[3]) * one };
    memcpy(out, inverse, sizeof inverse);
}

static void multiply_vector(const double m[9], const double v[3], double out[3]) {
    for (int i = 0; i < 3; ++i) out[i] = m[3 * i] * v[0] + m[3 * i + 1] * v[1] + m[3 * i + 2] * v[2];
}

/* ----------------------------------------------------------------------------------------------------------- motion */

static void begin_body(rill_body *body, double dt, bool steady) {
    const bool prescribed = isinf(body->mass);
    RILL_ASSERT(dt > 0.0 && body->mass > 0.0);
    RILL_ASSERT(rill_body_is_unit(body->state.orientation));
    const double last = fmax(body->last_dt, 1e-3 * dt); /* however short it was, what follows from it is finite */
    const rill_pose pose = rill_pose_of(body->state.position, body->state.orientation);
    memset(body->world_inertia, 0, sizeof body->world_inertia);
    memset(body->inverse_inertia, 0, sizeof body->inverse_inertia);
    if (!prescribed) {
        world_inertia_of(body, &pose, body->world_inertia);
        RILL_ASSERT(body->world_inertia[0] > 0.0 && body->world_inertia[4] > 0.0 && body->world_inertia[8] > 0.0);
        rill_body_invert_matrix(body->world_inertia, body->inverse_inertia);
    }
    memcpy(body->effective_inertia, body->world_inertia, sizeof body->effective_inertia);
    body->mass_along = body->mass_upright = body->mass_stiff = body->mass;
    body->deck_load = (rill_deck_load){ 0 };
    body->small = false;
    for (int i = 0; i < 3; ++i) {
        body->predicted_twist[i] = body->state.velocity[i] + (prescribed ? 0.0 : dt * body->state.acceleration[i]);
        body->predicted_twist[3 + i] = body->state.angular_velocity[i];
    }
    memcpy(body->new_twist, body->predicted_twist, sizeof body->new_twist);
    memset(body->wrench, 0, sizeof body->wrench);
    for (int i = 0; i < 6; ++i) {
        const double now = i < 3 ? body->state.velocity[i] : body->state.angular_velocity[i - 3];
        body->expected_twist[i] = now + (steady ? 0.0 : (now - body->last_twist[i]) * dt / last);
        body->last_twist[i] = now;
    }
    RILL_ASSERT(rill_body_are_finite(body->expected_twist, 6));
    body->fresh = body->last_dt == 0.0;
    body->last_dt = dt;
}

void rill_bodies_begin(const rill_body_stage *stage) {
    double last = 0.0;
    for (size_t i = 0; i < stage->bodies->list.count; ++i) {
        const rill_body *body = rill_body_at(stage->bodies, (int32_t)i);
        if (body->alive) last = fmax(last, body->last_dt);
    }
    stage->bodies->last_dt_ratio = last > 0.0 ? (float)(last / stage->dt) : 1.0f;
    for (size_t i = 0; i < stage->bodies->list.count; ++i) {
        rill_body *body = rill_body_at(stage->bodies, (int32_t)i);
        if (!body->alive) continue;
        const bool steady = body->last_dt == 0.0 || isinf(body->mass) || rill_body_in_passage(stage, body);
        begin_body(body, stage->dt, steady);
    }
}

/* Turns an orientation by an angular velocity for a time. */
static void rotate_orientation(double q[4], const double angular[3], double dt) {
    const double x = 0.5 * dt * angular[0], y = 0.5 * dt * angular[1], z = 0.5 * dt * angular[2];
    const double turned_q[4] = { q[0] + (x * q[3] + y * q[2] - z * q[1]), q[1] + (y * q[3] + z * q[0] - x * q[2]),
                                 q[2] + (z * q[3] + x * q[1] - y * q[0]), q[3] - (x * q[0] + y * q[1] + z * q[2]) };
    double length = 0.0;
    for (int i = 0; i < 4; ++i) length += turned_q[i] * turned_q[i];
    length = sqrt(length);
    RILL_ASSERT(length > 0.0);
    for (int i = 0; i < 4; ++i) q[i] = turned_q[i] / length;
}

void rill_body_advance(double position[3], double orientation[4], const double motion[6], double dt) {
    for (int i = 0; i < 3; ++i) position[i] += dt * motion[i];
    if (motion[3] != 0.0 || motion[4] != 0.0 || motion[5] != 0.0) rotate_orientation(orientation, motion + 3, dt);
}

/* Moves a body; its angular momentum stays while it turns under it. */
static void end_body(rill_body *body, double dt, double lags) {
    rill_body_state *state = &body->state;
    const bool prescribed = isinf(body->mass);
    double momentum[3], faster[3], turn[3];
    RILL_ASSERT(rill_body_are_finite(body->new_twist, 6));
    RILL_ASSERT(lags >= 0.0 && lags <= 1.0);
    for (int i = 0; i < 3; ++i) faster[i] = body->new_twist[3 + i] - state->angular_velocity[i];
    multiply_vector(body->world_inertia, faster, turn);
    for (int i = 0; i < 3; ++i) {
        const double change = body->new_twist[i] - state->velocity[i] - dt * state->acceleration[i];
        body->forces.impulse[i] += prescribed ? dt * body->wrench[i] : body->mass * change;
        body->forces.angular_impulse[i] += prescribed ? dt * body->wrench[3 + i] : turn[i];
        state->velocity[i] = body->new_twist[i];
        state->angular_velocity[i] = body->new_twist[3 + i];
    }
    for (int i = 0; i < 6; ++i) body->lag[i] *= lags;
    if (!prescribed) multiply_vector(body->effective_inertia, state->angular_velocity, momentum);
    rill_body_advance(state->position, state->orientation, body->new_twist, dt);
    RILL_ASSERT(rill_body_is_unit(state->orientation) && rill_body_are_finite(state->position, 3));
    if (prescribed) return;
    double before[9];
    memcpy(before, body->world_inertia, sizeof before);
    const rill_pose pose = rill_pose_of(state->position, state->orientation);
    world_inertia_of(body, &pose, body->world_inertia);
    for (int i = 0; i < 9; ++i) body->effective_inertia[i] += body->world_inertia[i] - before[i];
    RILL_ASSERT(body->effective_inertia[0] > 0.0 && body->effective_inertia[4] > 0.0 &&
                body->effective_inertia[8] > 0.0);
    rill_body_invert_matrix(body->effective_inertia, body->inverse_inertia);
    multiply_vector(body->inverse_inertia, momentum, state->angular_velocity);
}

void rill_bodies_end(const rill_body_stage *stage) {
    for (size_t i = 0; i < stage->bodies->list.count; ++i) {
        rill_body *body = rill_body_at(stage->bodies, (int32_t)i);
        if (body->alive) end_body(body, stage->dt, stage->lag_left);
    }
}

/* Returns how far a body may move before it matters where it is exactly: half a cell, and to the liquid before
 * that, m. */
static double leeway(const rill_body *body, const rill_flow *flow) {
    const rill_bed *bed = flow->bed;
    const rill_grid *grid = &bed->grid;
    const double reach = body->form.reach;
    double at[3], orientation[4];
    rill_body_lagging_pose(body, at, orientation);
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
        double speed = 0.0, angular = 0.0, falls = 0.0;
        for (int k = 0; k < 3; ++k) {
            speed += body->state.velocity[k] * body->state.velocity[k];
            angular += body->state.angular_velocity[k] * body->state.angular_velocity[k];
            falls += body->state.acceleration[k] * body->state.acceleration[k];
        }
        /* (speed + falls dt) dt <= leeway */
        const double moving =
            sqrt(speed) + (body->form.shape == RILL_SHAPE_SPHERE ? 0.0 : sqrt(angular) * body->form.reach);
        const double all = moving + rill_body_lag_length(body) / left;
        const double far = leeway(body, flow), twice = all + sqrt(all * all + 4.0 * sqrt(falls) * far);
        if (twice > 0.0) limit = fmin(limit, 2.0 * far / twice);
    }
    RILL_ASSERT(limit > 0.0);
    return limit;
}
