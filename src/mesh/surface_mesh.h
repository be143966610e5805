/* SURFACE MESH: planes over the columns, the links between them, where they end, and the mesh.
 *
 * Based on: Dagenais et al. 2018, sections 4 and 5.
 *
 * Everything about columns is in planes over the bed's places (bed.h): one plane index names a column here too.
 *
 *        NW  N  NE        Directions are numbered counter-clockwise: E 0, NE 1, N 2, NW 3, W 4, SW 5, S 6, SE 7. The
 *          \ | /          opposite of d is (d + 4) & 7, axes are even. A set of directions is a byte, bit d for d.
 *       W -- i -- E       A *quartet* is four cells around a corner of the grid, taken in the order SW, SE, NE, NW:
 *          / | \          counter-clockwise, like triangles seen from above.
 *        SW  S  SE
 *
 * A column is *wet* here if it has a free surface: deeper than a film that does not count, below its ceiling, and not
 * flooded. It is *dry* if it exists and is not deeper than that: than RILL_DRY or, where surface tension acts, than what
 * drops leave behind, which would be drawn as a jagged brim around them. Columns i, j of neighbouring cells, one of them wet, are *linked*
 * if
 *        m_j < h_i < c_j   and   m_i < h_j < c_i        m underside of the solid below a column: the ceiling of the
 *                                                       column below it in its cell, or -infinity
 * As the ranges (m, c) of a cell's columns do not overlap, a column has at most one link in each direction. Links
 * between places of one sheet are bits of a plane; those between sheets are *joints*, a short list. */
#ifndef RILL_MESH_SURFACE_MESH_H
#define RILL_MESH_SURFACE_MESH_H

#include "base/array.h"
#include "base/assert.h"
#include "bed/bed.h"
#include "falls/falls.h"
#include "floor/floor.h"
#include "flow/flow.h"
#include "tasks/tasks.h"

enum { RILL_DIRECTIONS = 8, RILL_AXES = 0x55 };
static const int8_t RILL_STEP_X[RILL_DIRECTIONS] = { 1, 1, 0, -1, -1, -1, 0, 1 };
static const int8_t RILL_STEP_Y[RILL_DIRECTIONS] = { 0, 1, 1, 1, 0, -1, -1, -1 };

/* A column whose surface is drawn at another level than that of its head, quanta: one at a body (bodies/bodies.h). */
typedef struct rill_draw_level {
    int32_t place, level;
    int32_t depth; /* quanta of liquid on a body there, which hides the column; 0: nothing lies on it */
} rill_draw_level;

/* The input of a build; put together by the world. */
typedef struct rill_surface_view {
    const rill_bed *bed;
    const rill_flow *flow;
    const rill_solid *const *solids; /* as they stand in the bed, by slot; NULL for none */
    size_t solid_count;
    const rill_draw_level *draw_levels; /* each place once */
    size_t draw_level_count;
    rill_liquid liquid;
    int32_t film;      /* quanta: columns that are no deeper are dry */
    bool tension;      /* surface tension acts: liquid meets floors at its contact angle by itself, */
    bool wall_tension; /* and walls too */
    double gravity[3];
    const rill_falls *falls; /* what is in the air; NULL: nothing */
    rill_falls_gravity falls_gravity;
    double time; /* of the world, s */
    bool flies;  /* what runs off edges does, and hangs from no lip */
    const rill_runtime *runtime;
    rill_pool *pool;
    rill_message *message;
    const rill_area *changed; /* cells whose solids have changed since the last build of this surface */
    size_t changed_count;
    bool all_changed; /* everything has: the first build, or places have moved */
} rill_surface_view;

/* How a wet column's surface ends towards a neighbouring cell. */
typedef enum rill_rim_kind {
    RILL_RIM_SHORE = 0, /* at a dry column it is linked to */
    RILL_RIM_WALL,      /* at something solid, or at liquid that has no free surface */
    RILL_RIM_LIP,       /* in the air: the edge of an overhang */
    RILL_RIM_BORDER     /* at the border of the grid */
} rill_rim_kind;

/* A vertex beside the columns' own: where the surface of a wet column ends, on the way to the centre of the next cell
 * along an axis. Position, normal and so on are in the mesh, under the number of the vertex. */
typedef struct rill_rim {
    int32_t place;   /* the wet column */
    int32_t stride;  /* places from row to row of the sheet */
    int32_t beyond;  /* the column over there: the dry one of a shore, the one below a lip; -1: none */
    int32_t rise;    /* by how much the bed is higher beyond a shore, quanta */
    int32_t skirt;   /* liquid runs over this lip: the vertex straight below it; -1: it does not */
    float along;     /* how far it is from centre to centre, 0 to 1 */
    float unclipped; /* how far it would be if it were not drawn back (outline_clip.c) */
    float top, end;  /* quanta: heights of the surface at its column and, not drawn back, at the rim */
    float raised;    /* quanta by which it is raised above points of the terrain (outline_clip.c) */
    uint8_t direction, kind;
    bool cut; /* it is the first end of three columns between whose ends nothing is (quartets.c) */
} rill_rim;

/* Columns of different sheets that may be linked: from `place` in `direction` to `other`. Each pair is there twice,
 * once from either end; sorted by place and direction. */
typedef struct rill_joint {
    int32_t place, other;
    int32_t twin;   /* the joint from the other end */
    int32_t pipe;   /* the sparse pipe between them; -1: none, as along diagonals */
    int32_t stride; /* of the sheet of `place` */
    int32_t row;    /* index of the row of `place` in `rows` */
    int32_t corner; /* index into `mixed`: the quartet whose SW cell is that of `place` */
    uint8_t direction;
    bool linked; /* both columns are linked now */
    bool opened; /* the surface of `place` goes on here, where its row has found that it ends */
} rill_joint;

/* A pair of joints, with all that the test needs but the levels: ends are in the ranges (m, c) of each other. */
typedef struct rill_joint_pair {
    int32_t ends[2], m[2], c[2];
    int32_t joint; /* index of the joint from ends[0] to ends[1] */
} rill_joint_pair;

/* A sparse pipe on a side of a column where there is no dense one: the kernels do not see what flows there. Sorted by
 * place. */
typedef struct rill_pipe_side {
    int32_t place, pipe;
    float share;   /* weight of the pipe's velocity in that of the column */
    uint8_t which; /* east, west, north, south */
} rill_pipe_side;

/* A row of a sheet, in the order of places; the rows of padding below and above a sheet are in the list too. Ranges of
 * places count from `start`, and are multiples of 16: what is dry now and was dry in the build before is not looked
 * at. */
typedef struct rill_surface_row {
    int32_t sheet, stride, x0, y; /* x of its first column, and y, in cells of the grid */
    int32_t start, count;         /* the run of places that holds it, from x0 - 1 on */
    int32_t first_mark;           /* the first of its words in `marks` */
    int32_t first_joint, end_joint, first_side, end_side;
    bool inside, above;                /* no padding; padding above */
    int32_t covered_low, covered_high; /* outside of this range columns are the only ones of their cells */

    int32_t low, high;             /* all that is wet */
    int32_t from, until;           /* where levels have been looked at: all that is or was wet */
    int32_t near_low, near_high;   /* all that is wet, and what is beside it: links and quads are there */
    int32_t near_from, near_until; /* near_low to near_high of this build and of the one before */
    int32_t wet, rims, full, odd;  /* counts of wet columns, rims, full quads and odd quartets */
    int32_t lifted;                /* columns that the floor has raised */
    int32_t walls, skirts;         /* counts of rims at walls, and of rims with a skirt */
    int32_t saddles;               /* count of quartets that are saddles (saddles.c) */
    int32_t triangles, skirt_triangles, tears;
    size_t first_vertex, first_rim, first_skirt, first_triangle;
    size_t saddle_vertex; /* the first of the two vertices of the row's first saddle */
    size_t first_odd;     /* index into `odd_triangles`, where triangles are kept until the mesh has room for them */
    /* Changes since the build before: */
    bool changed;    /* other columns are wet */
    bool relinked;   /* it or the next row has changed, or has other links to the east and the north */
    bool renumbered; /* vertices have other numbers */
    bool reshaped;   /* quads are full that were not, or the other way round */
    bool flipped;    /* it is not reshaped, but diagonals have changed, or odd quads */
    bool moved;      /* triangles are elsewhere in the mesh */
    bool rerimmed;   /* there are other rims, or they have other numbers; see also rill_surface.rerimmed */
    bool same_odd;   /* odd quartets have the same triangles */
    int32_t full_before, odd_before; /* counts of the build before */
    int32_t level_bound;             /* odd quartets, when they were last found, whose triangles depend on levels */
    uint64_t quad_hash;              /* hash of the quads */
    uint64_t hash;                   /* hash of the triangles */
} rill_surface_row;

/* A sum over columns, and how many they are. */
typedef struct rill_mean {
    float z, normal[3], velocity[3];
    int32_t count;
} rill_mean;

/* A vertex in a wall, without smooth shores (shore_paper.c): the mean of the wet columns that meet it. */
typedef struct rill_wall_vertex {
    int32_t key; /* number of the wall */
    int32_t vertex, layer, cell[2];
    rill_mean mean;
} rill_wall_vertex;

/* A row of corners of the grid where sheets meet. */
typedef struct rill_corner_row {
    int32_t count; /* corners where sheets meet */
    int32_t saddles;
    int32_t triangles, skirt_triangles, tears;
    size_t first_triangle, first_odd, saddle_vertex;
    uint64_t hash;
} rill_corner_row;

/* Bits of a column's state, from the levels alone. */
enum {
    RILL_HERE = 1 << 0, /* it is wet or dry: links may end here */
    RILL_WET = 1 << 1
};

/* Marks of a row, a bit for each place from its start on: wet columns, columns that have rims, full and odd quads. */
enum { RILL_MARK_WET, RILL_MARK_RIM, RILL_MARK_FULL, RILL_MARK_ODD, RILL_MARKS };

typedef struct rill_surface_kernels rill_surface_kernels;

typedef struct rill_contact_band rill_contact_band; /* meniscus/meniscus.h */

struct rill_surface {
    rill_surface_def def;
    rill_allocator allocator;
    const rill_world *world;
    const rill_surface_kernels *kernels;
    uint64_t bed_number;   /* of the world's bed when it was last looked at */
    uint64_t build_number; /* counts builds; some are left out where the one before does not say what was wet */

    /* Planes that change with the bed only. */
    size_t plane_size;
    void *block;     /* in which all planes are */
    int32_t *m;      /* underside of the solid below; RILL_WALL where there is no column */
    int32_t *lid;    /* the column's ceiling; INT32_MIN where there is no column */
    int32_t *layer;  /* which void of its cell a column is, from below */
    int32_t *stride; /* places from row to row of the sheet */
    int32_t *floor;  /* quanta: least level of the vertex of a wet column, section 4.4; 0 if def.floor is false */
    rill_wall_face (*walls)[4]; /* by axes, in the order of directions; 0 if def.floor is false */

    /* Planes of a build. */
    uint8_t *state;  /* RILL_HERE, RILL_WET */
    int32_t *h;      /* level as links see it: b of a dry column; RILL_WALL where no link may end */
    int32_t *top;    /* quanta: where the vertex of a wet column is: h, or its floor if that is higher; else as h */
    uint8_t *half;   /* bits of directions 0 to 3: linked with the neighbour in the same sheet */
    uint8_t *links;  /* bits by direction: linked with the neighbour in the same sheet */
    uint8_t *joints; /* bits by direction: linked with a column of another sheet */
    uint8_t *rim;    /* bits of axes: a wet column's surface ends there, see `rims` */
    uint8_t *quads;  /* kind of quad over the quartet whose SW corner this is (surface_kernels.h) */
    uint8_t *quads_other; /* kind of quad in the build before, in rows where something has changed */
    int32_t *vertex;      /* number of a wet column's vertex in the mesh */
    int32_t *joint_first; /* number of the first joint of a column that has any */
    int32_t *rim_first;   /* number of the first rim of a column that has any; the others follow by direction */

    /* per corner of the grid, row by row from its SW one, not 0: wet columns of different sheets are linked */
    uint8_t *mixed;
    size_t corner_count;          /* corners of the grid, and eight more, as whole words are read */
    bool any_mixed, mixed_before; /* some corner is mixed, now and in the build before */

    rill_array joint_list;               /* rill_joint */
    rill_array pairs;                    /* rill_joint_pair: every pair, by its joint in the directions 0 to 3 */
    rill_array linked;                   /* int32_t: the joints that are linked now, one of each pair */
    rill_array sides;                    /* rill_pipe_side */
    rill_array rows;                     /* rill_surface_row */
    rill_array marks;                    /* uint64_t: for each row and kind of mark, as many words as it takes */
    rill_array corners;                  /* rill_corner_row: from below the first row of cells */
    rill_array odd_triangles;            /* uint32_t[3] */
    rill_array wall_vertices, wall_keys; /* rill_wall_vertex, by keys; int32_t */
    rill_array solids, draw_levels;      /* const rill_solid *, rill_draw_level: for the view */
    bool drawn_before;                   /* there were draw levels in the build before */
    rill_array rims;                     /* rill_rim; rim r is vertex column_vertices + r */
    bool rerimmed;                       /* all rims may have other numbers than in the build before */
    size_t column_vertices;
    size_t saddles;
    size_t skirts_before, columns_before; /* vertices below rims and of columns, in the build before */
    size_t tears;                         /* edges that end at a column, see quartets.c */
    rill_floor *terrain;                  /* what `floor` is made from; NULL if def.floor is false */
    rill_contact_band *band;              /* working memory of the meniscus; NULL for RILL_MENISCUS_NONE */
    rill_array distances;                 /* float, per vertex, if def.distances wants them */

    rill_surface_mesh mesh; /* the last build's: vertices of columns, then of rims, of saddles, of skirts */
    size_t vertex_capacity, triangle_capacity;
    rill_surface_mesh grids;                      /* handed out instead of `mesh` if def.form wants grids */
    size_t grids_room[2];                         /* capacity: vertices and triangles */
    rill_surface_mesh falls;                      /* what is in the air (fall_sheets.c), all but `distances`, */
    size_t falls_room[2];                         /* and its capacity */
    rill_array fall_ends, fall_paths, fall_slots; /* working memory for it */
    rill_surface_info info;
    bool built;
};

/* Finds the column linked to `place` in a direction; -1: none. `stride` is that of its sheet. */
int32_t rill_surface_neighbour(const rill_surface *surface, int32_t place, int32_t direction, int32_t stride);

/* Tells how low the surface may be at a shore, quanta, so far on the way to the next cell. */
float rill_rim_floor(const rill_surface *surface, const rill_bed *bed, const rill_rim *rim, float along);

/* Tells whether a rim is at a solid, and not in the air or at the border. */
static inline bool rill_rim_is_contact(const rill_rim *rim) {
    return rim->kind == RILL_RIM_SHORE || rim->kind == RILL_RIM_WALL;
}

/* Allocates arrays for so many vertices and triangles, all but `distances`; false without memory, and the mesh is
 * empty. */
bool rill_mesh_arrays_alloc(rill_surface_mesh *mesh, const rill_allocator *allocator, size_t vertices,
                            size_t triangles);
/* Frees the arrays of a mesh, with the counts they were allocated for; the mesh is empty then. */
void rill_mesh_arrays_free(rill_surface_mesh *mesh, const rill_allocator *allocator, size_t vertices, size_t triangles);

/* Allocates planes for another bed; false without memory, and the old ones stay. */
bool rill_surface_alloc_planes(rill_surface *surface, const rill_bed *bed);
void rill_surface_free_planes(rill_surface *surface);

#endif
