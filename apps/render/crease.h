/* Triangles with normals that are smooth over gentle bends and sharp over edges. */
#ifndef RILL_RENDER_CREASE_H
#define RILL_RENDER_CREASE_H

#include "rill/rill.h"

typedef struct rill_draw_mesh {
    float *vertices; /* position and normal: six numbers each */
    size_t vertex_count;
    uint32_t *indices;
    size_t index_count;
} rill_draw_mesh;

/* Faces that meet at a vertex share their normals if they differ by less than the angle (degrees). False: no memory. */
bool rill_crease_mesh(const rill_solid_mesh *mesh, double degrees, rill_draw_mesh *out);
/* Walls below the edges that an open sheet has along the borders of the grid, down to z: what is solid all the way
 * down has a side, too. Adds to a mesh that was made; false: no memory, and nothing was added. */
bool rill_draw_mesh_wall(rill_draw_mesh *mesh, const rill_grid *grid, double z);
void rill_draw_mesh_free(rill_draw_mesh *mesh);

#endif
