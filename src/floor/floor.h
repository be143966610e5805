/* The floor of the surface: how low it may lie over each column, so that the solids' real triangles never show through
 * it.
 *
 * Based on: Dagenais et al. 2018, section 4.4, Eqs. 5 and 6. Per column k the least height is b_k + l_k: l_k is at
 * least 0.05 dx, and as much more as the terrain between the columns needs.
 *
 *       column i      column i+1         *  a point of the terrain, h_v high, between the columns of a quartet.
 *     z    |     *     |                    The surface must pass above it: sum(a_k (b_k + l_k)) >= h_v + epsilon,
 *     h ---|----/-\----|---                 a_k the weights of the interpolation there
 *          |   /   \   |
 *     b ___|__/     \__|___
 *
 * Of all l_k that do, those with the least sum(w_k l_k^2), w_k = dx / (h_v - b_k), within least <= l_k <= dx. What
 * cannot be reached by lifting columns by a cell size is left out: the brink of a cliff would pull what flows at its
 * foot up to its top. That includes the paper's own exclusion (nothing higher than dx above the quartet's highest
 * base).
 *
 * Beyond the paper, so that nothing at all shows through:
 *     points    besides vertices, places where edges of the terrain cross the edges and diagonals of quartets
 *     weights   besides the bilinear ones, those of the two triangles that may hold the point: shores have single triangles
 *     layers    the columns of a quartet are those to whose range [m, c) the point belongs, as in the link test
 *
 * Heights depend on solids and bed alone: they are found anew only where those have changed. */
#ifndef RILL_SURFACE_FLOOR_H
#define RILL_SURFACE_FLOOR_H

#include "base/alloc.h"
#include "base/array.h"
#include "base/assert.h"
#include "base/message.h"
#include "bed/bed.h"
#include "shape/solid.h"

enum { RILL_FLOOR_RECENT = 4096 };

/* The input of a floor: solids as they stand in the bed, and where they have changed. */
typedef struct rill_floor_view {
    const rill_bed *bed;
    const rill_solid *const *solids; /* by slot; NULL for none */
    size_t solid_count;
    const rill_area *changed; /* cells whose solids have changed since the floor was last followed */
    size_t changed_count;
    bool all_changed; /* everything has: the first time, or places have moved */
    rill_message *message;
} rill_floor_view;

/* The face of a solid beside a column, in the direction of an axis (wall_faces.c). */
typedef struct rill_wall_face {
    uint8_t distance; /* 255ths of the way from centre to centre */
    uint8_t share;    /* 255ths of its height that are found to stand there */
} rill_wall_face;

/* A vertex of the terrain where the surface may end before it (outline_points.c). */
typedef struct rill_outline_point {
    float at[2];  /* cells, from the centre of the quartet's SW cell */
    int32_t z;    /* quanta */
    int32_t next; /* the next point of its quartet; -1: none */
} rill_outline_point;

/* A quartet that has points: one of a sheet, or one where sheets meet. */
typedef struct rill_outline_spot {
    int32_t x, y, corner;  /* its SW cell, and its number as a corner of the grid */
    int32_t place, stride; /* of the SW column, which may be in the padding; -1: sheets meet */
    int32_t row;           /* index of the SW column's row among those of a surface */
    int32_t low, high;     /* heights of the lowest and the highest point, quanta */
} rill_outline_spot;

/* A floor, from build to build. */
typedef struct rill_floor {
    rill_allocator allocator;
    int32_t *heights;                  /* the surface's plane while it is worked on, quanta */
    rill_wall_face (*walls)[4];        /* the surface's plane of wall faces while it is worked on */
    rill_array bins;                   /* rill_floor_bins of each solid */
    bool stale;                        /* the last time failed: nothing of it can be trusted */
    int32_t least, above, most;        /* quanta: least l, epsilon, largest l */
    rill_array points;                 /* rill_outline_point, in lists, and spare ones */
    int32_t *point_first;              /* the first point of each quartet, by corners of the grid; -1: none */
    int32_t point_spare;               /* the first of the spare points; -1: none */
    rill_array corners, corners_other; /* int32_t: numbers of corners that have points, and room for such a list */
    rill_array sheet_spots;            /* rill_outline_spot: in one sheet */
    rill_array mixed_spots;            /* rill_outline_spot: one per corner, for where sheets meet */
    rill_array points_other;           /* room for a list of points */
    rill_array looked_at; /* rill_outline_spot, for a build; there is room for all, and for all corners once more */
    rill_array moved;     /* int32_t: corners where rims were drawn back; as much room */
    uint8_t *revisit;     /* by corners: whether to look again; all 0 between builds */
    size_t corner_count;
    rill_area cells;          /* cells whose wall faces are being found */
    rill_area quartets;       /* SW cells of the quartets whose points are being added */
    bool lost;                /* there was no memory for a point */
    double zero[3], scale[3]; /* (p - zero) * scale is in cells, 0 at the first centre, and in quanta */
    /* vertices and edges of the solid in hand that were looked at lately, by hash */
    uint64_t recent[RILL_FLOOR_RECENT];
} rill_floor;

/* Makes an empty floor; NULL: no memory. */
rill_floor *rill_floor_make(const rill_allocator *allocator);
void rill_floor_free(rill_floor *floor); /* NULL is allowed */
/* Brings planes of heights and of walls up to date where the view says that solids have changed. On
 * failure, for want of memory, everything is found anew the next time. */
rill_result rill_floor_follow(rill_floor *floor, const rill_floor_view *view, int32_t *heights,
                              rill_wall_face (*walls)[4]);

/* ----------------------------------------------------------------------------------------------- parts of the above */

/* Raises the columns around a point of the terrain (cells, cells, quanta) as it needs; false when it is out of their
 * reach (floor_solve.c). */
bool rill_floor_cover(rill_floor *floor, const rill_bed *bed, const double point[3]);

/* Returns the column of a cell to whose range a height in quanta belongs; -1: none. */
int32_t rill_floor_column(const rill_bed *bed, int32_t x, int32_t y, double z);

/* outline_points.c. Removes the points of some quartets, which are to be found anew; false without memory. */
bool rill_outline_points_remove(rill_floor *floor, const rill_bed *bed, const rill_area *quartets);
/* Adds a vertex of the terrain as a point, if it may be one and is in the quartets that were cleared last. */
void rill_outline_point_add(rill_floor *floor, const rill_bed *bed, const double point[3]);
/* Lists the corners that have points, once all are added; false without memory. */
bool rill_outline_points_list(rill_floor *floor, const rill_bed *bed);
/* Finds where listed corners are in sheets; false without memory. */
bool rill_outline_points_find_spots(rill_floor *floor, const rill_bed *bed);
void rill_outline_points_free(rill_floor *floor);

/* A part of the grid, in cells, 0 at the first centre; half a cell more along its borders, as far as the surface
 * goes. */
typedef struct rill_floor_window {
    double low[2], high[2];
} rill_floor_window;

/* The triangles of a solid, by tiles of quartets. */
typedef struct rill_floor_bins {
    const rill_solid *solid; /* NULL: none are made */
    rill_area reach;
    rill_array first; /* size_t: first item of each tile, and the end of the last */
    rill_array items; /* uint32_t: triangles */
    rill_array large; /* uint32_t: triangles in more tiles than it is worth to list them in */
    int32_t tiles[2];
} rill_floor_bins;

rill_floor_bins rill_floor_bins_make(void);
void rill_floor_bins_free(rill_floor_bins *bins, const rill_allocator *allocator);
bool rill_floor_bins_fill(rill_floor_bins *bins, const rill_floor *floor, const rill_bed *bed, const rill_solid *solid);
/* Covers all points of a solid in a window of quartets. Bins may be NULL (floor_terrain.c). */
void rill_floor_cover_solid(rill_floor *floor, const rill_bed *bed, const rill_solid *solid,
                            const rill_floor_bins *bins, const rill_floor_window *window);

/* Notes a triangle that stands, in cells and quanta, as a wall face of the columns beside it; one without orientation
 * looks both ways (wall_faces.c). */
void rill_wall_faces_cover(rill_floor *terrain, const rill_bed *bed, const rill_floor_window *window,
                           const double p[3][3], bool oriented);

#endif
