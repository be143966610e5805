/* Shared by the stages of a build. */
#ifndef RILL_SURFACE_SURFACE_INTERNAL_H
#define RILL_SURFACE_SURFACE_INTERNAL_H

#include <string.h>

#include "surface/surface.h"
#include "surface/surface_kernels.h"

typedef struct rill_build {
    rill_surface *surface;
    const rill_surface_view *view;
    int32_t dx, thin; /* quanta: the cell size, and the depth from which liquid reaches all the way to where it ends */
    bool fresh;       /* the mesh has nothing of the build before */
    bool redrawn;     /* states are, or were in the build before, not only what levels say */
    rill_vertex_constants vertices;
} rill_build;

/* A stage for one row. */
typedef void rill_row_task(const rill_build *build, rill_surface_row *row);

/* Eight bytes of a row, the first in the lowest bits; and the lowest bit of each. */
#define RILL_ONES 0x0101010101010101u
static inline uint64_t rill_eight(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Finds where quads are full, eight at a time, as lowest bits of bytes. */
static inline uint64_t rill_full_eight(const uint8_t *quads) {
    const uint64_t word = rill_eight(quads);
    return (word ^ word >> 1) & RILL_ONES;
}

/* Marks of a row, of a kind. */
static inline uint64_t *rill_marks(const rill_surface *surface, const rill_surface_row *row, int32_t kind) {
    return (uint64_t *)surface->marks.data + row->first_mark + kind * ((row->count + 63) / 64);
}

/* Finds the next place from i on that is marked, or with all bits as `turned` that is not; n if there is none. */
static inline int32_t rill_next_mark(const uint64_t *marks, uint64_t turned, int32_t i, int32_t n) {
    for (; i < n; i = (i | 63) + 1) {
        const uint64_t found = (marks[i / 64] ^ turned) >> (i & 63);
        if (!found) continue;
        i += __builtin_ctzll(found);
        return i < n ? i : n;
    }
    return n;
}

/* Finds the next place from i on where something is so, or with RILL_ONES as `turned` where it is not; n if there is
 * none. Up to seven bytes behind are read: they are in the padding. */
static inline int32_t rill_next(uint64_t (*eight)(const uint8_t *), const uint8_t *bytes, uint64_t turned, int32_t i,
                                int32_t n) {
    for (; i < n; i += 8) {
        const uint64_t found = eight(bytes + i) ^ turned;
        if (!found) continue;
        i += __builtin_ctzll(found) / 8;
        return i < n ? i : n;
    }
    return n;
}

/* Numbers the vertex where the surface of a wet column ends in the direction of an axis. The bits of up to three axes
 * before it are digits to the base of four: the product has their sum as its fourth. */
static inline uint32_t rill_rim_vertex(const rill_surface *surface, int32_t place, int32_t direction) {
    const uint32_t before = (surface->rim[place] & ((1u << direction) - 1)) * 0x55u >> 6 & 3u;
    return (uint32_t)surface->column_vertices + (uint32_t)surface->rim_first[place] + before;
}

/* Tells whether a column is full up to its ceiling, and has no surface. */
static inline bool rill_column_is_full(const rill_surface *surface, int32_t place) {
    return surface->lid[place] > INT32_MIN && !(surface->state[place] & RILL_HERE);
}

/* surface.c. Makes planes and lists for a bed when it is not the one that was looked at last. */
rill_result rill_surface_fit(rill_surface *surface, const rill_surface_view *view);
/* surface_build.c. Frees the arrays of the mesh. */
void rill_surface_free_mesh(rill_surface *surface);
/* layer_grids.c. Makes the mesh as one grid per layer, whose triangles never change; false without memory. */
bool rill_grids_make(rill_surface *surface, const rill_surface_view *view);
void rill_grids_free(rill_surface *surface);

/* level_rows.c. Finds which columns are wet, and how high; links to neighbours in the sheet; rims and quads, and how
 * many there are. */
rill_row_task rill_row_level, rill_row_link, rill_row_shape;
/* Gives columns at bodies their draw levels, after the levels of all rows. */
void rill_draw_levels_apply(const rill_build *build);
/* surface_vertices.c. Writes how deep the liquid on bodies is. */
void rill_draw_depths_apply(const rill_build *build);

/* sheet_joints.c. Finds which columns of different sheets may be linked; false without memory. */
bool rill_joints_find(rill_surface *surface, const rill_bed *bed);
/* Makes rims what their rows have found, as before rill_joints_close: the first stage of a build. */
void rill_joints_undo(rill_surface *surface);
/* Tests which joints are linked. */
void rill_joints_test(const rill_build *build);
/* Opens rims at joints where the surface goes on in another sheet, and marks corners where sheets meet. */
void rill_joints_close(const rill_build *build);
/* Mends slopes and velocities of columns that have joints, whose neighbours are not where the kernels look. */
rill_row_task rill_row_mend;

/* surface_vertices.c. Finds the constants that all vertices share. */
rill_vertex_constants rill_vertices_begin(const rill_surface *surface, const rill_bed *bed);
/* Number the vertices of columns, by place, and write them. */
rill_row_task rill_row_number, rill_row_vertices;
/* Mends normal and upward velocity of a column that is not linked to all its neighbours in the sheet. */
void rill_column_mend(const rill_build *build, int32_t place, int32_t stride);

/* Finds the column of the cell (x, y) whose range a level is in; -1: none. `beside` is the place it most likely is. */
int32_t rill_column_at_level(const rill_build *build, int32_t level, int32_t beside, int32_t x, int32_t y);

/* Tells whether a column that is not linked to the cell (x, y) beside it ends at something solid there, and not in the
 * air. */
bool rill_ends_at_wall(const rill_build *build, int32_t place, int32_t beside, int32_t x, int32_t y);

/* rims.c. Find rims, once they are numbered; number the vertices below them; and write their vertices, once columns
 * have theirs. */
rill_row_task rill_row_find_rims, rill_row_number_skirts, rill_row_place_rims;
/* A rim is never quite at a centre: neither at that of its own column, nor where the rims of other columns end. But
 * shores come so near that nothing is seen to jump when a column becomes wet. */
#define RILL_RIM_NEAREST (1.0f / 256.0f)
#define RILL_RIM_FARTHEST (255.0f / 256.0f)
/* Tells how much deeper liquid is when it gets to the next column, where the bed rises so far. What rises by less than
 * a twentieth of `thin` is almost flat. */
static inline int32_t rill_way_up(const rill_build *build, int32_t rise) {
    return rise > build->thin / 20 ? rise : build->thin - 19 * (rise > 0 ? rise : 0);
}
/* Finds the height of a rim, quanta. One that is drawn back stays on the way to where it would be. */
static inline float rill_rim_height(const rill_rim *rim) {
    const float along = rim->along / rim->unclipped;
    return (rim->along < rim->unclipped ? rim->top + along * (rim->end - rim->top) : rim->end) + rim->raised;
}

/* quartets.c. Triangles of a row of quartets, and of corners where sheets meet: the odd ones are found first, and
 * counted, and kept at first_odd, where there is room for so many. */
enum {
    RILL_ODD_MOST = 12
}; /* per quartet of a sheet: four columns that are on their own, with skirts; per column: 3 */
rill_row_task rill_row_count_triangles;
/* Marks a column that is named by its place, as its vertex does not say where it is. */
#define RILL_NAMED_COLUMN 0x80000000u
/* Writes the triangles of one odd quartet of a sheet, or of a corner where sheets meet, with named columns; returns how
 * many. */
size_t rill_quartet_write(const rill_build *build, const rill_outline_spot *spot, uint32_t *out);
void rill_mixed_count(const rill_build *build, int32_t row);
void rill_mixed_triangles(const rill_build *build, int32_t row);

/* Finds where odd triangles are kept until there is room for them in the mesh. */
static inline uint32_t *rill_odd_triangles(const rill_surface *surface, size_t first) {
    return (uint32_t *)surface->odd_triangles.data + 3 * first;
}
/* Writes the triangles of a row's odd quartets to where they are kept, once more. */
void rill_row_put_odd(const rill_build *build, const rill_surface_row *row);

/* quads.c. Writes the triangles of a row. */
rill_row_task rill_row_triangles;
/* Hashes like rill_hash_bytes, for memory of this machine alone: whole words of 4 bytes, two at a time, in four strands
 * that do not wait for each other. */
uint64_t rill_hash_words(uint64_t hash, const void *data, size_t words);

/* saddles.c. Two opposite wet columns of a quartet that are linked, and end towards the other two of its cells. */
typedef struct rill_saddle {
    int32_t first, second; /* the first one is SW, or with `turn` SE */
    int32_t turn;
    float share; /* how far it is on its way from two columns that are apart to three that are not */
} rill_saddle;
#define RILL_SADDLE_JOINED 0.5f /* the share from which on they are joined */
/* Tells whether a column, which is wet, is the first one of a saddle around a corner of the grid. */
bool rill_saddle_find(const rill_build *build, int32_t place, int32_t turn, int32_t corner, rill_saddle *out);
/* Rules out most columns that are no first one of a saddle: with no end to the north and to the side of a wet column
 * across. */
static inline bool rill_may_be_saddle(const rill_surface *surface, int32_t place, int32_t stride) {
    const uint32_t ends = surface->rim[place], west = surface->state[place + stride - 1],
                   east = surface->state[place + stride + 1];
    return ((ends & east >> 1) | (ends >> 4 & west >> 1)) & ends >> 2 & 1;
}
/* Finds saddles of a sheet in the quartets NW and NE of a column, in this order; returns how many. */
int32_t rill_saddles_beside(const rill_build *build, const rill_surface_row *row, int32_t place, rill_saddle out[2]);
/* Value of `mixed` at corners with a saddle. */
enum { RILL_MIXED_SADDLE = 2 };
/* Tells whether a column is a corner of a full quad, 0 to 3 from the south-west around: then its row writes it, also
 * where sheets meet. */
static inline bool rill_in_full_quad(const rill_surface *surface, int32_t place, int32_t corner) {
    const int32_t stride = surface->stride[place];
    const int32_t sw = place - (corner == 1 || corner == 2 ? 1 : 0) - (corner >= 2 ? stride : 0);
    return surface->quads[sw] == RILL_QUAD_RISING || surface->quads[sw] == RILL_QUAD_FALLING;
}
/* Counts the saddles of a row of corners where sheets meet, and marks these corners. */
int32_t rill_mixed_saddles(const rill_build *build, int32_t row);
/* Place the vertices of saddles, once rims are where they stay. */
rill_row_task rill_row_place_saddles;
void rill_mixed_place_saddles(const rill_build *build, int32_t row);

/* outline_clip.c. Draws rims back from what would show through the surface beside them, once rims are found. */
void rill_outline_clip(const rill_build *build);

/* fall_sheets.c. Makes the mesh of what is in the air; false without memory. Begins and frees what that takes. */
bool rill_fall_sheets_make(rill_surface *surface, const rill_surface_view *view);
void rill_fall_sheets_begin(rill_surface *surface);
void rill_fall_sheets_free(rill_surface *surface);

/* shore_paper.c. Shores as in the paper, instead of rims, quartets and saddles. */
enum { RILL_SHORE_PAPER_TAKEN = 64 };
typedef struct rill_shore_paper_writer {
    uint32_t *out;
    size_t triangles;
    int32_t taken[RILL_SHORE_PAPER_TAKEN], taken_count; /* vertices of the quartet that have a triangle */
} rill_shore_paper_writer;
/* Numbers the vertices beside those of wet columns; false without memory. */
bool rill_shore_paper_number(const rill_build *build, size_t *count);
/* Places these vertices. */
void rill_shore_paper_place(const rill_build *build);
/* Writes the triangles of a quartet that is not full. */
void rill_shore_paper_quartet(const rill_build *build, rill_shore_paper_writer *writer, int32_t x, int32_t y);

#endif
