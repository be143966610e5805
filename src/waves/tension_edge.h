/* EDGES: what of a drop's pressure holds it back where the bed falls away.
 *
 * A contact line that comes to an edge passes it only where the liquid meets the face beyond at the advancing angle: seen
 * from the bed before the edge, at the angle theta_e = theta + phi, turned by phi, the angle of the drop less that of the
 * rise behind it, and at most 180 degrees. Until then the liquid stands up to a height at which
 *     g_n up^2 / 2 + up u^2 = G (1 - cos theta_e).
 * What runs over the edge already, or meets liquid below, only has to recede. */
#ifndef RILL_WAVES_TENSION_EDGE_H
#define RILL_WAVES_TENSION_EDGE_H

#include "base/simd.h"
#include "waves/tension_kernels.h"

/* Columns at an edge: the one behind the upper one may be none. */
typedef struct rill_tension_edge {
    int32_t upper, lower, behind;
} rill_tension_edge;

/* Returns cos theta_e of a column with s, at an edge whose slopes down and behind are these. */
static inline float rill_tension_turned(float s, float drop, float rise) {
    const float cos_drop = 1.0f / __builtin_sqrtf(1.0f + drop * drop), sin_drop = drop * cos_drop;
    const float cos_rise = 1.0f / __builtin_sqrtf(1.0f + rise * rise), sin_rise = rise * cos_rise;
    const float cos_phi = cos_drop * cos_rise + sin_drop * sin_rise;
    const float sin_phi = sin_drop * cos_rise - cos_drop * sin_rise;
    const float cos_theta = 1.0f - 0.5f * s * s;
    const float sin_theta = s * __builtin_sqrtf(rill_max_f(1.0f - 0.25f * s * s, 0.0f));
    const float sum = cos_theta * cos_phi - sin_theta * sin_phi;
    if (sin_theta * cos_phi + cos_theta * sin_phi >= 0.0f) return sum;
    return sin_phi > 0.0f ? -1.0f : 1.0f;
}

/* Tells whether an edge holds back the liquid of its upper column, which would pass it at the speed u. */
static inline int32_t rill_tension_holds(const rill_tension_planes *planes, const rill_tension_constants *constants,
                                         const rill_tension_edge *edge, float u, int32_t runs) {
    const int32_t upper = edge->upper, lower = edge->lower, rise = planes->b[edge->behind] - planes->b[upper];
    const float up = (float)planes->H[upper], drop = (float)(planes->b[upper] - planes->b[lower]) * constants->slope;
    const float climbs = rill_abs_i(rise) < constants->five_dx ? (float)rise * constants->slope : 0.0f;
    const float receding = 1.0f - 0.5f * planes->receding[upper] * planes->receding[upper];
    const int32_t wet =
        planes->wet[lower] != 0 && (planes->H[lower] > constants->least || planes->wet[lower] > constants->now);
    const float cosine = runs || wet ? receding : rill_tension_turned(planes->advancing[upper], drop, climbs);
    const float pushes = (constants->tip * up + u * u) * (up * constants->quantum);
    return planes->H[upper] <= constants->least || pushes < constants->strength * (1.0f - cosine);
}

#endif
