/* Coincident geometry: vertices in one place (weld.c), surfaces that meet in an edge, and surfaces that are the same
 * (coincident.c). */
#ifndef RILL_SHAPE_COINCIDENT_H
#define RILL_SHAPE_COINCIDENT_H

#include "shape/solid.h"

/* The first vertex in the place of each. False when there is no memory. */
bool rill_vertices_weld(const double *vertices, size_t count, const rill_allocator *allocator, uint32_t *same);

/* Puts those sides of triangles at an edge (the higher vertex, the triangle, and whether it runs up from `low`; see
 * mesh_parts.c) next to each other that go on beyond it as one surface; returns how many pairs there are. The rest
 * comes last. `open`, of each side: what its triangle belongs to has a border elsewhere; it is put in the same order.
 * Not for more than RILL_SIDES_MOST. */
enum { RILL_SIDES_MOST = 32 };
size_t rill_sides_pair(const rill_solid *solid, const uint32_t *welds, uint32_t low, uint64_t *sides, bool *open,
                       size_t count);

/* Where a closed surface is, and how large. */
typedef struct rill_extent {
    double low[3], high[3];
    double volume; /* less than nothing: it is inside out; nothing: it is no volume */
    double surface;
    uint32_t number;
    bool mirrored; /* it is another one inside out */
} rill_extent;

rill_extent rill_extent_of(double volume, double surface, uint32_t number);
void rill_extent_add(rill_extent *extent, const double point[3]);
/* Says which are mirrored, and puts them in another order. */
void rill_extents_match(rill_extent *extents, size_t count);

#endif
