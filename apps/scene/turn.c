/* q = (v sin(a/2), cos(a/2)) turns by a about v; a product turns by its right factor first. */
#include "turn.h"

#include <math.h>
#include <string.h>

static void multiply(const double a[4], const double b[4], double out[4]) {
    double q[4] = { a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
                    a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2],
                    a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0],
                    a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2] };
    memcpy(out, q, sizeof q);
}

void rill_turn_of(const double rotate[3], double out[4]) {
    double q[4] = { 0, 0, 0, 1 };
    for (int axis = 0; axis < 3; ++axis) {
        double half = rotate[axis] * acos(-1.0) / 360, about[4] = { 0, 0, 0, cos(half) };
        about[axis] = sin(half);
        multiply(about, q, q);
    }
    memcpy(out, q, sizeof q);
}

void rill_turn_vector(const double turn[4], const double v[3], double out[3]) {
    const double pure[4] = { v[0], v[1], v[2], 0 }, back[4] = { -turn[0], -turn[1], -turn[2], turn[3] };
    double turned[4];
    multiply(turn, pure, turned);
    multiply(turned, back, turned);
    memcpy(out, turned, 3 * sizeof *out);
}

void rill_turn_angular_velocity(const double from[4], const double to[4], double dt, double out[3]) {
    const double back[4] = { -from[0], -from[1], -from[2], from[3] };
    double q[4];
    multiply(to, back, q);
    double sine = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    double angle = 2 * atan2(sine, fabs(q[3]));
    double factor = sine > 0 ? copysign(angle, q[3]) / (sine * dt) : 0;
    for (int i = 0; i < 3; ++i) out[i] = factor * q[i];
}
