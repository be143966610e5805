/* ADVECT: momentum carried by the volumes just moved.
 *
 * Based on: Stelling & Duinmeijer 2003 (momentum-conserving upwind on a staggered grid), with the cross terms. Written
 * as a convex combination: u_new = u + s / (H_l + H_r), where
 *     s = min(Q+, 0) (u - u+) + max(Q-, 0) (u- - u)      summed over both axes,
 * Q is the volume (whole quanta, both columns) moved over the sides of the face's control volume and H the depths after
 * the move. The control volume's outflow is at most half of what the limiter lets both columns lose, so the weights are
 * >= 0 and sum to at most 1: advection never raises the largest speed, at any dt, wet or dry. That holds only for the
 * volumes actually moved and the depths actually reached.
 *
 * Liquid that is carried across a face's axis takes along what its velocity gains by heads and loses by viscosity
 * within the sub-step, too. Let A be what upwinding makes of a wave in a sub-step, |A| <= 1, and s^2 = -4 (sin^2 +
 * sin^2) of its two half wave numbers: move and drive have the trace 2 A + C^2 s^2 if gains stay where they are, and
 * waves across a stream grow; with gains carried it is A (2 + C^2 s^2), and all of them decay as A does. Along the axis
 * there is no need: waves along a stream decay in either case, and at a shock gains are to stay. */
#ifndef RILL_FLOW_ADVECT_H
#define RILL_FLOW_ADVECT_H

#include "base/simd.h"

/* One axis: q_minus, q_plus over the two sides, u_minus, u_plus the velocities beyond them. */
static inline float rill_advect_axis(float u, float q_minus, float q_plus, float u_minus, float u_plus) {
    return rill_below_zero(q_plus) * (u - u_plus) + rill_above_zero(q_minus) * (u_minus - u);
}

/* Returns the gain of a velocity in this sub-step after advection across its axis: liquid that flows out takes its gain
 * along, no more than `both` depths of it, and liquid that flows in brings that of where it was. */
static inline float rill_advect_gain(float gain, float both, float q_minus, float q_plus, float gain_minus,
                                     float gain_plus) {
    float in_minus = rill_above_zero(q_minus), in_plus = -rill_below_zero(q_plus);
    float out = rill_above_zero(q_plus) - rill_below_zero(q_minus);
    return (in_minus * gain_minus + in_plus * gain_plus) - rill_min_f(out, both) * gain;
}

#endif
