/* Triangles of the solids that lie under the whole grid, for drawing them. */
#ifndef RILL_BED_TERRAIN_MESH_H
#define RILL_BED_TERRAIN_MESH_H

#include "shape/solid.h"

/* Makes the triangles over the grid of a plane or heightmap, if it has none yet. False when there is no memory. */
bool rill_terrain_mesh_make(rill_solid *solid, const rill_grid *grid, const rill_allocator *allocator);

#endif
