/* A ball as triangles: an icosahedron whose faces are cut into four again and again, and put on the sphere. */
#ifndef RILL_SCENE_BALL_MESH_H
#define RILL_SCENE_BALL_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rill_ball_mesh {
    float *vertices; /* x, y, z each, about the origin; three of its own for every triangle */
    uint32_t *indices;
    size_t triangle_count; /* 20 * 4^cuts, counter-clockwise seen from outside; 10 * 4^cuts + 2 places */
} rill_ball_mesh;

/* Makes one of 0 to 10 cuts; false without memory. */
bool rill_ball_mesh_make(double radius, int cuts, rill_ball_mesh *out);
void rill_ball_mesh_free(rill_ball_mesh *ball);

#endif
