/* Velocities of Wang's height field: what they carry (Eq. 4), and what drives them (Eq. 1). */
#include <math.h>

#include "wang/wang_internal.h"

double rill_heights_pressure(const rill_heights_work *work, size_t at) {
    const rill_push *push = &work->flow->push;
    if (!push->on) return 0.0;
    return push->unit * (push->potential[work->heights->place[at]] - push->lowest);
}

double rill_heights_push(const rill_heights_work *work, size_t at, int axis) {
    const rill_push *push = &work->flow->push;
    if (!push->on) return work->step->tangent[axis];
    const int32_t here = work->heights->place[at];
    const int32_t back = work->heights->place[at - (axis ? (size_t)work->heights->stride : 1)];
    return work->step->tangent[axis] +
           push->unit / work->dx * ((double)push->half[axis][back] + (double)push->half[axis][here]);
}

/* ------------------------------------------------------------------------------------------------------------ Eq. 4 */

/* Returns the velocity of a cell along an axis: the mean of its faces that are open. */
static double velocity_of(const rill_heights_work *work, size_t at, int axis) {
    const rill_heights *heights = work->heights;
    const size_t step = axis ? (size_t)heights->stride : 1;
    const float *plane = axis ? work->flow->v : work->flow->u;
    double sum = 0.0, count = 0.0;
    if (rill_height_open(heights, at - step, at)) sum += (double)plane[heights->place[at]], count += 1.0;
    if (rill_height_open(heights, at, at + step)) sum += (double)plane[heights->place[at + step]], count += 1.0;
    return count > 0.0 ? sum / count : 0.0;
}

/* Returns the level, or the head that a column under a body had. */
static double level_of(const rill_heights *heights, size_t at) {
    return heights->has_bodies && heights->held[at] ? heights->head[at] : heights->h[at];
}

/* Returns h at a point between cells, from those of the four around it that are defined. */
static double level_at(const rill_heights *heights, double x, double y, size_t otherwise) {
    const int32_t x0 = (int32_t)floor(x), y0 = (int32_t)floor(y);
    const double fx = x - x0, fy = y - y0;
    double sum = 0.0, all = 0.0;
    for (int i = 0; i < 4; ++i) {
        const double weight = (i & 1 ? fx : 1.0 - fx) * (i & 2 ? fy : 1.0 - fy);
        if (!(weight > 0.0)) continue;
        const size_t at = rill_heights_at(heights, x0 + (i & 1), y0 + (i >> 1));
        if (!rill_height_defined(heights, at)) continue;
        sum += weight * level_of(heights, at);
        all += weight;
    }
    return all > 0.0 ? sum / all : heights->h[otherwise];
}

void rill_heights_advect(const rill_heights_work *work) {
    rill_heights *heights = work->heights;
    const double cells = work->step->dt / work->dx;
    for (int32_t y = 0; y < heights->cells[1]; ++y)
        for (int32_t x = 0; x < heights->cells[0]; ++x) {
            const size_t at = rill_heights_at(heights, x, y);
            heights->carried[at] = heights->h[at];
            if (!rill_height_defined(heights, at) || rill_height_pressed(heights, at)) continue;
            const double u = velocity_of(work, at, 0) * cells, v = velocity_of(work, at, 1) * cells;
            if (u == 0.0 && v == 0.0) continue;
            const double from_x = fmin(fmax((double)x - u, 0.0), (double)(heights->cells[0] - 1));
            const double from_y = fmin(fmax((double)y - v, 0.0), (double)(heights->cells[1] - 1));
            heights->carried[at] = level_at(heights, from_x, from_y, at);
        }
}

/* ------------------------------------------------------------------------------------------------------------ Eq. 1 */

/* Drives the face between a cell and that west (axis 0) or south of it. */
static float driven(const rill_heights_work *work, size_t at, int axis, float velocity) {
    const rill_heights *heights = work->heights;
    const size_t back = at - (axis ? (size_t)heights->stride : 1);
    if (!rill_height_open(heights, back, at)) return 0.0f;
    const double g = work->step->gravity, friction = work->step->controls.friction;
    const double film = work->step->film / (work->dx * work->dx);
    const bool edge = heights->kind[back] == RILL_HEIGHT_RESERVOIR || heights->kind[at] == RILL_HEIGHT_RESERVOIR;
    const double bent = film > 0.0 && !edge ? film * (heights->K[at] - heights->K[back]) : 0.0;
    const double drop = bent + g * (level_of(heights, back) - level_of(heights, at)) +
                        rill_heights_pressure(work, back) - rill_heights_pressure(work, at);
    const double u = (double)velocity + work->step->dt * (drop / work->dx + rill_heights_push(work, at, axis));
    const double mean = rill_height_mean(heights, back, at);
    const double kept = friction > 0.0 ? mean / (mean + friction) * u : u;
    return (float)fmin(fmax(kept, -RILL_HEIGHTS_SPEED), RILL_HEIGHTS_SPEED);
}

void rill_heights_accelerate(const rill_heights_work *work) {
    const rill_heights *heights = work->heights;
    for (int32_t y = 0; y <= heights->cells[1]; ++y)
        for (int32_t x = 0; x <= heights->cells[0]; ++x) {
            const size_t at = rill_heights_at(heights, x, y);
            const int32_t place = heights->place[at];
            if (place < 0) continue;
            if (y < heights->cells[1]) work->flow->u[place] = driven(work, at, 0, work->flow->u[place]);
            if (x < heights->cells[0]) work->flow->v[place] = driven(work, at, 1, work->flow->v[place]);
        }
}
