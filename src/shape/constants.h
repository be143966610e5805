/* Tuning numbers of the room. */
#ifndef RILL_SHAPE_CONSTANTS_H
#define RILL_SHAPE_CONSTANTS_H

/* Limits of definitions, m. Coordinates of solids are sampled, those of bodies are multiplied by each other. */
#define RILL_SOLID_FARTHEST 1e9
#define RILL_BODY_FARTHEST 1e6
#define RILL_SHAPE_SMALLEST 1e-9 /* of radii and edges */

/* Heights, angles of a map, vertices and triangles of a solid, and vertices and triangles of a body: what they lead to is
 * counted in 32 bits. */
#define RILL_SHAPE_ELEMENTS ((size_t)1 << 28)
#define RILL_BODY_ELEMENTS ((size_t)1 << 24)

/* Holes together may have this share of the surface in a part that still counts as a volume: scans are often
 * punctured. */
#define RILL_MESH_PUNCTURE (1.0 / 32.0)

/* A closed part with less volume than this share of its surface to the power 3/2 is flat: a plate of a thousandth of
 * its width has 300 times as much, and rounding places to floats gives less than a tenth. */
#define RILL_MESH_FLAT 1e-6

/* Cosine of the angle between triangles that lie on each other: 0.08 degrees, far more than rounding. */
#define RILL_MESH_FOLDED 0.999999

/* Closed surfaces lie on each other if their bounds differ by less than this share of their size, ... */
#define RILL_MESH_SAME 1e-6

/* ... if, too, their volumes and areas differ by less than this share of themselves: quadrangles need not be flat. */
#define RILL_MESH_ALIKE 0.05

/* Cells: faces of a thin wall are not farther apart. More than the diagonal of a square of four centres. */
#define RILL_THIN_NEAR 2.0

/* Cells: of meshes with triangles of a larger radius nothing is said. */
#define RILL_THIN_LARGEST 4.0

/* Steps of the lattice of a hull: thinner ones may be inside out where they were given. */
#define RILL_HULL_THINNEST 16.0

#endif
