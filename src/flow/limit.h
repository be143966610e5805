/* LIMIT: no column gives more than it has, none takes more than it has room for.
 *
 * Based on: Mei et al. 2007 (outflow scaled by donor, K = min(1, V / sum_out)) and Kellomaki 2014 (inflow scaled by
 * receiver), the second recomputed from fluxes already scaled by the first: both bounds then hold, and more flow passes
 * than with the product of the two. The margins of 8 quanta and 2^-20 make the bounds hold in float arithmetic, for
 * whole quanta: each of a column's four faces may round up by one, and sums and conversions err by less than 2^-22. */
#ifndef RILL_FLOW_LIMIT_H
#define RILL_FLOW_LIMIT_H

#include "base/simd.h"

#define RILL_LIMIT_OVER (1.0f + 0x1p-20f)
#define RILL_LIMIT_UNDER (1.0f - 0x1p-20f)
#define RILL_LIMIT_SLACK 8.0f

/* Sums by axis first: a mirrored scene then has the same bits. w, e, s, n: transfers over a column's faces, eastward
 * and northward positive. */
static inline float rill_limit_outflow(float w, float e, float s, float n) {
    return (rill_above_zero(e) - rill_below_zero(w)) + (rill_above_zero(n) - rill_below_zero(s));
}
static inline float rill_limit_inflow(float w, float e, float s, float n) {
    return (rill_above_zero(w) - rill_below_zero(e)) + (rill_above_zero(s) - rill_below_zero(n));
}

/* Positive where K is below 1. A column with no flow never needs limiting, however little it has. */
static inline float rill_limit_excess(float flow, int32_t available) {
    return (flow * RILL_LIMIT_OVER + RILL_LIMIT_SLACK) - (float)rill_max_i(available, (int32_t)RILL_LIMIT_SLACK);
}
/* The factor K; 1 where nothing needs limiting. */
static inline float rill_limit_factor(float flow, float available) {
    float k = available * RILL_LIMIT_UNDER / rill_max_f(flow, available + 1.0f);
    return flow * RILL_LIMIT_OVER + RILL_LIMIT_SLACK > available ? k : 1.0f;
}

#endif
