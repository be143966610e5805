/* Rays that meet liquid: see ray_liquid.c. */
#ifndef RILL_WORLD_RAY_LIQUID_H
#define RILL_WORLD_RAY_LIQUID_H

#include "shape/ray_tree.h"
#include "world/world.h"

/* Finds where a ray, whose direction has length 1, meets the surface of liquid or the side of it, if that is nearer than
 * `*distance`; sets that, the normal and the layer. */
bool rill_ray_liquid(const rill_world *world, const rill_ray_line *line, double *distance, double normal[3],
                     int32_t *layer);

#endif
