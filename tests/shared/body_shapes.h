/* Shapes that bodies may have, and their measures about the zero of the body's frame. Members of other shapes may be set
 * too: nobody reads them. */
#ifndef TESTS_BODY_SHAPES_H
#define TESTS_BODY_SHAPES_H

#include <rill/rill.h>

enum { PLAIN_SHAPES = 4, BODY_SHAPES = 6 }; /* the plain ones come first, and have no arrays */
static const rill_shape body_shapes[BODY_SHAPES] = { RILL_SHAPE_SPHERE,   RILL_SHAPE_BOX,  RILL_SHAPE_CAPSULE,
                                                     RILL_SHAPE_CYLINDER, RILL_SHAPE_HULL, RILL_SHAPE_MESH };

/* Sets an edge of a box. */
static inline void set_edge(rill_shape_def *shape, int axis, double length) {
    shape->min[axis] = -0.5 * length;
    shape->max[axis] = 0.5 * length;
}

/* Sets the edges of a box. */
static inline void set_size(rill_shape_def *shape, double x, double y, double z) {
    set_edge(shape, 0, x);
    set_edge(shape, 1, y);
    set_edge(shape, 2, z);
}

/* Sets the length of a cylinder or capsule. */
static inline void set_length(rill_shape_def *shape, double length) {
    shape->from[2] = -0.5 * length;
    shape->to[2] = 0.5 * length;
}

#endif
