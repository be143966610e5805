/* RAY TREE: boxes around triangles, and around boxes, by which a ray finds the nearest of many triangles.
 *
 * Triangles are put in order along a Morton curve; each 8 of them in that order share a box, each 8 such boxes the next
 * larger one, and so on, up to one around all. So the tree is an array of boxes, level by level, and building it is one sort
 * and one pass. */
#ifndef RILL_SHAPE_RAY_TREE_H
#define RILL_SHAPE_RAY_TREE_H

#include "base/alloc.h"

typedef struct rill_triangles {
    const double *vertices;  /* x, y, z each */
    const uint32_t *indices; /* three per triangle */
    size_t count;
} rill_triangles;

typedef struct rill_ray_box {
    double low[3], high[3];
} rill_ray_box;

typedef struct rill_ray_tree {
    bool known; /* the boxes are those of the triangles as they are */
    uint32_t *order;
    rill_ray_box *boxes;
    size_t triangle_count, box_count;
} rill_ray_tree;

/* Builds the tree, unless it is known already. False without memory. */
bool rill_ray_tree_make(rill_ray_tree *tree, const rill_triangles *triangles, const rill_allocator *allocator);
void rill_ray_tree_free(rill_ray_tree *tree, const rill_allocator *allocator);

/* A ray from a point; distances count in lengths of its direction. */
typedef struct rill_ray_line {
    double origin[3], direction[3];
} rill_ray_line;

/* Finds the nearest triangle that the ray meets, from either side, if it is nearer than `*distance`, which it then sets. */
bool rill_ray_tree_cast(const rill_ray_tree *tree, const rill_triangles *triangles, const rill_ray_line *line,
                        double *distance, uint32_t *triangle);

#endif
