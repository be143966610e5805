/* Finds what lies under the pointer: rays against the triangles of liquid, solids and bodies. */
#ifndef RILL_VIEWER_PICK_H
#define RILL_VIEWER_PICK_H

#include "rill/rill.h"

typedef struct rill_ray {
    double from[3], along[3]; /* m; any length */
} rill_ray;

typedef struct rill_hit {
    double at[3];        /* m */
    double distance;     /* in lengths of `along` */
    rill_solid_id solid; /* null: liquid, or a body */
    rill_body_id body;   /* null: none */
} rill_hit;

/* Finds the nearest triangle; `surface` may be NULL (or never built): solids and bodies only. False: none. */
bool rill_pick(const rill_world *world, const rill_surface *surface, const rill_ray *ray, rill_hit *out);

#endif
