/* DISTANCES: how far each cell of a grid is from a shape, exactly.
 *
 * Based on: Meijster, Roerdink & Hesselink 2000, and Felzenszwalb & Huttenlocher 2004: the squared distance to the
 * nearest cell of a shape is the lower envelope of parabolas, first along columns, then along rows,
 *
 *     g(x, y) = min over y' in the shape of |y - y'|,        D(x, y) = min over x' of (x - x')^2 + g(x', y)^2,
 *
 * in time that grows with the number of cells alone. All in whole numbers: cells squared. */
#ifndef RILL_WAVES_DISTANCE_TRANSFORM_H
#define RILL_WAVES_DISTANCE_TRANSFORM_H

#include "base/alloc.h"

/* Of a cell when the shape has none. */
#define RILL_DISTANCE_NONE INT64_MAX

/* Writes for each of nx * ny cells the squared distance between its centre and that of the nearest cell whose byte in
 * `inside` is `sought`, cells squared. False without memory. */
bool rill_distance_transform(const uint8_t *inside, uint8_t sought, int32_t nx, int32_t ny, int64_t *out,
                             const rill_allocator *allocator);

#endif
