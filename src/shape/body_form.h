/* The form of a body: what it is made of, in its own frame, and which part of each cell it shades from above.
 *
 * A *shade* is a cell with part of the body over it. Each of its four quarters (south-west, south-east, north-west,
 * north-east) has the part of it that is covered, 0 to 1, and the mean height of the body's underside and topside over
 * that part. So the volume in the cell is the sum over quarters of part * (over - under) * dx^2 / 4.
 *
 * Given the level of the liquid in each cell, what is covered is told apart: where the surface passes through the body,
 * where the body is sunk below it, and where it is clear of it. What is displaced up to that level is exact then: a
 * steep side half of which is in the air does not count with its mean height. */
#ifndef RILL_SHAPE_BODY_FORM_H
#define RILL_SHAPE_BODY_FORM_H

#include "base/alloc.h"
#include "base/message.h"
#include "shape/area.h"
#include "shape/ray_tree.h"

typedef struct rill_pose {
    double position[3]; /* of the centre of mass */
    double turn[9];     /* rotation matrix, row by row: world = position + turn * own */
} rill_pose;

/* From a unit quaternion x, y, z, w. */
rill_pose rill_pose_of(const double position[3], const double orientation[4]);

typedef struct rill_body_form {
    rill_shape shape;
    double radius, length, size[3]; /* of a round shape or a box; else 0, as is */
    double defined_at[3];           /* its middle in the frame of the definition */
    double centre[3]; /* centre of mass in the frame of the definition; everything below is relative to it */
    double *vertices; /* x, y, z each; for drawing, and what a hull or mesh is */
    size_t vertex_count;
    uint32_t *indices; /* counter-clockwise seen from outside */
    size_t triangle_count;
    double volume;     /* m3 */
    double middle[3];  /* centre of volume */
    double inertia[6]; /* of a body of mass 1 that fills it evenly, about the centre of mass: xx, yy, zz, xy, xz, yz;
                          those of its matrix, so that xy is the mean of -x y */
    double reach;      /* no point is farther from the centre of mass */
    /* Box, hull and mesh: room that rill_body_shades works in (triangle_sections.c), so one call at a time for each
     * form. */
    double *turned;            /* 3 per vertex */
    struct rill_slice *slices; /* one per triangle, like the others */
    struct rill_cut *cuts;
    int32_t *heads, *follow, *active;
    rill_ray_tree rays; /* around its triangles; made when a ray is first cast at it */
} rill_body_form;

/* Checks the geometry of a definition (not its mass or state) and copies it. On failure nothing is kept, and the
 * message names the member, what was found and what was expected. */
rill_result rill_body_form_make(const rill_body_def *def, const rill_allocator *allocator, rill_body_form *out,
                                rill_message *message);
/* Room for vertices and triangles; false, and nothing lost that rill_body_form_free would not find, when there is no
 * memory. */
bool rill_body_form_alloc(rill_body_form *form, const rill_allocator *allocator, size_t vertices, size_t triangles);
/* Makes a form again of which shape, centre and measures are known, or of a hull or mesh centre, arrays, volume, middle
 * and inertia: checks them, and finds the rest. Its arrays are freed as those of any other form, also on failure. */
rill_result rill_body_form_complete(rill_body_form *form, const rill_allocator *allocator, rill_message *message);
void rill_body_form_free(rill_body_form *form, const rill_allocator *allocator);

typedef struct rill_quarter {
    float under, over; /* m, absolute; 0 where part is 0 */
    float part;        /* 0 to 1 */
    /* Centre of the part, m, from the centre of mass; at[0] is summed with the three numbers above it at once. */
    float at[2];
} rill_quarter;

enum { RILL_THROUGH = 0, RILL_SUNK, RILL_CLEAR, RILL_PARTS };

typedef struct rill_shade {
    int32_t x, y;   /* cell */
    uint32_t there; /* bit 4 * kind + quarter: its part is more than 0 */
    rill_quarter quarter[RILL_PARTS][4];
} rill_shade;

/* The cells that a body may shade, inside of the grid. */
rill_area rill_body_area(const rill_body_form *form, const rill_pose *pose, const rill_grid *grid);
/* The shades of a body, row by row from the south, west to east; only cells with part > 0. `levels` are those of the
 * liquid in all cells of the area, row by row, m; NULL: everything counts as passed through. `out` has room for all
 * cells of the area. Allocates nothing. Returns how many. */
int32_t rill_body_shades(const rill_body_form *form, const rill_pose *pose, const rill_grid *grid, rill_area area,
                         const float *levels, rill_shade *out);

#endif
