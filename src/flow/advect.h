/* ADVECT: momentum carried by the volumes just moved.
 *
 * Based on: Stelling & Duinmeijer 2003 (momentum-conserving upwind on a staggered grid), with the cross terms. Written as
 * a convex combination: u_new = u + s / (H_l + H_r), where
 *     s = min(Q+, 0) (u - u+) + max(Q-, 0) (u- - u)      summed over both axes,
 * Q is the volume (whole quanta, both columns) moved over the sides of the face's control volume and H the depths after the
 * move. The control volume's outflow is at most half of what the limiter lets both columns lose, so the weights are >= 0
 * and sum to at most 1: advection never raises the largest speed, at any dt, wet or dry. That holds only for the volumes
 * actually moved and the depths actually reached. */
#ifndef RILL_FLOW_ADVECT_H
#define RILL_FLOW_ADVECT_H

#include "base/simd.h"

/* One axis: q_minus, q_plus over the two sides, u_minus, u_plus the velocities beyond them. */
static inline float rill_advect_axis(float u, float q_minus, float q_plus, float u_minus, float u_plus) {
    return rill_below_zero(q_plus) * (u - u_plus) + rill_above_zero(q_minus) * (u_minus - u);
}

#endif
