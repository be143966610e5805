/* Bodies in a rig. */
#include "body_rig.h"

#include <math.h>

#define PI 3.14159265358979323846

bool rill_rig_tank(rill_rig *rig, double depth) {
    if (!rill_rig_build(rig)) return false;
    for (size_t i = 0; i < rig->cells; ++i) rig->depth[i] = depth;
    return rill_rig_fill(rig);
}

bool rill_rig_put(rill_rig *rig, const rill_body_def *def, rill_body_id *out) {
    return rig->ok && rill_rig_expect(rig, rill_body_create(rig->world, def, out), "rill_body_create");
}

rill_body_state rill_rig_body(rill_rig *rig, rill_body_id id) {
    rill_body_state state = { { 0 }, { 0 }, { 0 }, { 0 }, { 0 } };
    if (rig->ok) rill_rig_expect(rig, rill_body_get_state(rig->world, id, &state), "rill_body_get_state");
    return state;
}

bool rill_rig_set_body(rill_rig *rig, rill_body_id id, const rill_body_state *state) {
    return rig->ok && rill_rig_expect(rig, rill_body_set_state(rig->world, id, state), "rill_body_set_state");
}

bool rill_rig_heave(rill_rig *rig, rill_body_id id, double dt) {
    rill_rig_step(rig, dt);
    rill_body_state state = rill_rig_body(rig, id);
    state.velocity[0] = state.velocity[1] = 0;
    return rill_rig_set_body(rig, id, &state);
}

double rill_rig_level(rill_rig *rig) {
    if (!rill_rig_look(rig)) return 0;
    double sum = 0;
    for (int32_t x = 0; x < rig->nx; ++x)
        sum += rig->depth[rill_rig_cell(rig, x, 0)] + rig->depth[rill_rig_cell(rig, x, rig->ny - 1)];
    return sum / (2 * rig->nx);
}

double rill_rig_body_speed(const rill_body_state *state, double reach) {
    const double *v = state->velocity, *w = state->angular_velocity;
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + reach * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
}

void rill_rig_turn(double orientation[4], int axis, double degrees) {
    const double half = degrees * PI / 360;
    for (int k = 0; k < 4; ++k) orientation[k] = k == 3 ? cos(half) : k == axis ? sin(half) : 0;
}

double rill_rig_heading(const rill_body_state *state) {
    const double *q = state->orientation;
    return atan2(2 * (q[0] * q[1] + q[3] * q[2]), 1 - 2 * (q[1] * q[1] + q[2] * q[2])) * 180 / PI;
}

double rill_rig_lean(const rill_body_state *state) {
    const double *q = state->orientation;
    return 2 * atan2(hypot(q[0], q[1]), hypot(q[2], q[3])) * 180 / PI;
}
