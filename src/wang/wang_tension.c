/* Surface tension of Wang's height field: curvature, the virtual surface beyond contact fronts, and what is explicit of the incomplete
 * scheme. */
#include <math.h>

#include "wang/wang_internal.h"

/* cos of 80 degrees: the tangent of larger angles counts as theirs. */
static const double LEAST_COSINE = 0.17364817766693033;

/* Returns tan(theta) from 2 sin(theta / 2). */
static double tangent_of(double s) {
    const double cosine = fmax(1.0 - 0.5 * s * s, LEAST_COSINE);
    return sqrt(1.0 - cosine * cosine) / cosine;
}

/* Returns tan of the contact angle of a cell, by its wetness. */
static double contact_of(const rill_heights_work *work, size_t at) {
    const rill_heights *heights = work->heights;
    return tangent_of((double)work->step->angles[heights->wet[at]][heights->place[at]]);
}

/* Finds |N_b|: the direction in which the depths of water around a cell fall most. */
static void normal_of(const rill_heights *heights, size_t at, double N[2]) {
    const size_t stride = (size_t)heights->stride;
    double g[2] = { 0.0, 0.0 };
    for (int i = -1; i <= 1; ++i) {
        const double weight = i ? 1.0 : 2.0;
        const size_t row = at + (size_t)((ptrdiff_t)stride * i), column = at + (size_t)i;
        g[0] += weight * (rill_height_depth(heights, row + 1) - rill_height_depth(heights, row - 1));
        g[1] += weight * (rill_height_depth(heights, column + stride) - rill_height_depth(heights, column - stride));
    }
    const double length = sqrt(g[0] * g[0] + g[1] * g[1]);
    for (int axis = 0; axis < 2; ++axis) N[axis] = length > 0.0 ? fabs(g[axis]) / length : sqrt(0.5);
}

/* Returns how far the surface falls in all towards the dry cells beside a boundary cell: alpha dx tan(theta) (Eq. 18), or Eq. 17 for
 * each of them. */
static double fall_beyond(const rill_heights_work *work, size_t at) {
    const rill_heights *heights = work->heights;
    const size_t stride = (size_t)heights->stride, near[4] = { at - 1, at + 1, at - stride, at + stride };
    double w[4], wet = 0.0, dry = 0.0, N[2];
    for (int i = 0; i < 4; ++i) {
        w[i] = heights->kind[near[i]] == RILL_HEIGHT_WATER ? 1.0 : 0.0;
        wet += w[i];
        dry += heights->kind[near[i]] == RILL_HEIGHT_DRY ? 1.0 : 0.0;
    }
    if (dry == 0.0) return 0.0;
    const double fall = work->dx * contact_of(work, at);
    if (!work->step->controls.angular) return dry * fall;
    normal_of(heights, at, N);
    return (wet == 1.0 ? N[0] + N[1] : (w[0] + w[1]) * N[0] + (w[2] + w[3]) * N[1]) * fall;
}

static void curve_cell(const rill_heights_work *work, size_t at) {
    rill_heights *heights = work->heights;
    const size_t stride = (size_t)heights->stride, near[4] = { at - stride, at - 1, at + 1, at + stride };
    double along[2] = { 0.0, 0.0 };
    for (int i = 0; i < 4; ++i)
        if (rill_height_defined(heights, near[i])) along[i == 1 || i == 2] += heights->h[near[i]] - heights->h[at];
    heights->beyond[at] = heights->kind[at] == RILL_HEIGHT_BOUNDARY ? -fall_beyond(work, at) : 0.0;
    heights->K[at] = along[0] + along[1] + heights->beyond[at];
}

void rill_heights_curve(const rill_heights_work *work) {
    const rill_heights *heights = work->heights;
    if (!(work->step->film > 0.0)) return;
    for (int32_t y = 0; y < heights->cells[1]; ++y)
        for (int32_t x = 0; x < heights->cells[0]; ++x) {
            const size_t at = rill_heights_at(heights, x, y);
            if (rill_height_defined(heights, at)) curve_cell(work, at);
        }
}

double rill_heights_explicit_tension(const rill_heights_work *work, size_t at) {
    const rill_heights *heights = work->heights;
    const size_t stride = (size_t)heights->stride, near[4] = { at - stride, at - 1, at + 1, at + stride };
    const double cells = work->step->dt / (work->dx * work->dx);
    double sum = 0.0;
    for (int i = 0; i < 4; ++i) {
        const size_t j = near[i];
        if (!rill_height_open(heights, at, j) || heights->kind[j] == RILL_HEIGHT_RESERVOIR) continue;
        const double both = 2.0 * rill_height_mean(heights, at, j);
        sum += both * (0.5 * (heights->K[j] - heights->K[at]) + (heights->h[j] - heights->h[at]));
    }
    return -cells * cells * work->step->film * sum;
}
