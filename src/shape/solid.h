/* Solids: what the bed is made from. A solid is its definition (arrays copied, name owned) plus its boundary as
 * triangles in world space. Curved primitives keep their exact form for vertical lines; their triangles serve walls
 * thinner than a cell, rendering and export. */
#ifndef RILL_SHAPE_SOLID_H
#define RILL_SHAPE_SOLID_H

#include "shape/area.h"
#include "shape/ray_tree.h"

/* How a connected part of a mesh counts along a vertical line. */
typedef enum rill_part_kind {
    RILL_PART_VOLUME = 0, /* closed and oriented: inside = nonzero winding, all such parts of the solid together */
    RILL_PART_PARITY,     /* closed, but its triangles disagree on orientation: inside = odd number of crossings */
    RILL_PART_PUNCTURED,  /* open, but its holes are small: a volume, except on lines that pass through a hole */
    RILL_PART_SHEET       /* open or flat: it has no inside, every crossing is a thin floor */
} rill_part_kind;

/* The part of a triangle that is ignored because two of its corners coincide, or because it is there already. */
#define RILL_NO_PART UINT32_MAX

/* The exact form of a primitive in world space. */
typedef struct rill_primitive {
    double low[3], high[3]; /* bounds of the solid, of a mesh too; infinite where it is */
    bool aligned;           /* box: parallel to the grid, so that low and high say it all */
    double centre[3];       /* of a box, sphere, cylinder or torus; a point of a plane */
    double axes[3][3];      /* unit vectors: a box's edges; [2] is the axis of a cylinder, torus or plane */
    double half[3];         /* box: half its edges; cylinder: half[2] is half its length */
    double radius, tube;
} rill_primitive;

typedef struct rill_solid {
    rill_solid_def def; /* arrays and name owned */
    rill_primitive primitive;
    double *vertices; /* world space, 3 per vertex; NULL for planes and heightmaps */
    size_t vertex_count;
    uint32_t *indices; /* 3 per triangle; of a mesh also def.indices */
    size_t triangle_count;

    /* Meshes only: connected parts, see rill_part_kind. Part 0 holds all the volumes. They follow from the vertices as
     * they were given: placing a mesh somewhere else changes nothing. */
    uint32_t *welds; /* first vertex with the same position as each */
    uint32_t *parts; /* part of each triangle, or RILL_NO_PART */
    uint8_t *part_kinds;
    size_t part_count;
    uint8_t *thin; /* per triangle: it may be the face of a thin wall; NULL: any may. See thickness.c */
    bool soft;     /* its vertices have been set, so that this is not known */
    int64_t closed_components, open_components, degenerate_triangles, doubled_triangles;

    /* Planes and heightmaps only: triangles over the grid, made when they are first asked for (bed/terrain_mesh.c). */
    double *terrain_vertices;
    size_t terrain_vertex_count;
    uint32_t *terrain_indices;
    size_t terrain_triangle_count;

    rill_ray_tree rays; /* around its triangles, or those over the grid; made when a ray is first cast at it */
} rill_solid;

/* Checks the definition (finite, in range, indices in bounds) and copies it. */
rill_result rill_solid_make(const rill_solid_def *def, const rill_allocator *allocator, rill_solid **out,
                            rill_message *message);
void rill_solid_free(rill_solid *solid, const rill_allocator *allocator);

/* Another place and turn, or other vertices for the same triangles. On failure the solid is as it was. */
rill_result rill_solid_repose(rill_solid *solid, const double translate[3], const double rotate[3],
                              const rill_allocator *allocator, rill_message *message);
rill_result rill_solid_reshape(rill_solid *solid, const float *vertices, size_t vertex_count,
                               const rill_allocator *allocator, rill_message *message);

/* The cells whose columns it has to do with: those under it, and as far around them as walls thinner than a cell have
 * an influence. Empty: none. */
rill_area rill_solid_reach(const rill_solid *solid, const rill_grid *grid);

/* Scale, then rotation about x, y and z in that order, then translation (line_cuts.c). */
typedef struct rill_placing {
    double scale, turn[3][3], shift[3];
} rill_placing;
rill_placing rill_placing_of(const rill_solid_def *def);
void rill_placing_point(const rill_placing *placing, const double in[3], double out[3]);

/* Sine and cosine of degrees by plain arithmetic: exact at multiples of 90, the same on every platform. */
void rill_sin_cos(double degrees, double *sine, double *cosine);

/* Fills in the exact form of a primitive from its definition (line_cuts.c). */
void rill_primitive_make(rill_solid *solid);
/* The parts of the vertical line at (x, y) inside a primitive, from below: 0 to 2 ranges. Not for meshes and
 * heightmaps. */
int rill_line_cuts(const rill_solid *solid, double x, double y, double low[2], double high[2]);

/* Makes the triangles of a primitive from its form (tessellate.c). False when there is no memory. */
bool rill_solid_tessellate(rill_solid *solid, const rill_allocator *allocator);

/* Finds out which triangles of a mesh are where it is thinner than cells of that size (thickness.c). False when there
 * is no memory. */
bool rill_solid_measure(rill_solid *solid, double cell_size, const rill_allocator *allocator);

/* Finds the connected parts of a mesh and whether they are closed (mesh_parts.c), from `vertices`, whose place does not
 * matter. False when there is no memory. */
bool rill_solid_find_parts(rill_solid *solid, const rill_allocator *allocator);

/* Takes the triangles that are there already out of the parts; welds must be there (doubled_triangles.c). `two_sided`
 * is set to 1 for triangles of which one that runs the other way was taken out. False when there is no memory. */
bool rill_solid_drop_doubled(rill_solid *solid, uint8_t *two_sided, const rill_allocator *allocator);

#endif
