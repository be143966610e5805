/* The bed: where columns stand and which are joined.
 *
 *   z ^      solid
 *     |   ############   c   ceiling of the column = underside of the solid above (top of the range under open sky)
 *     |                      void: liquid may stand between b and c
 *     |   ~~~~~~~~~~~~   h = b + H   level
 *     |   ::::::::::::       H   depth
 *     |   ############   b   base of the column = top of the solid below
 *
 * All heights are int32 counts of one quantum (a power of two in metres) above `datum`:
 *     0 <= b <= c <= RILL_TOP for a column,   b = c = RILL_WALL, H = 0 for "no column".
 * With that, general formulas give no flow through walls and no special case is needed.
 *
 * A *sheet* is a dense rectangle of cells, at most one column per cell, stored in padded planes:
 *
 *     row   y = -PAD_Y          . . . . . . . . . .      plane index of cell (x, y) of the grid in sheet s:
 *           ...                 . . . . . . . . . .        s->first + (y - s->y0) * s->stride + (x - s->x0)
 *     row   y0                  . . W W W W W W . .      where x0 <= x < x0 + nx, y0 <= y < y0 + ny.
 *           ...                 . . W W W W W W . .      Padding (.) is RILL_WALL, except that along open and
 *     row   y0 + ny - 1         . . W W W W W W . .      still edges the first padding cell is a ghost column
 *           ...                 . . . . . . . . . .      (bed->ghosts). The u of a cell is the velocity through its
 *     x:                     -PAD_X  x0 ... x0+nx-1      WEST face, the v through its SOUTH face.
 *
 * Neighbours in one sheet whose voids overlap are joined by an implicit *dense pipe*; all other neighbours whose voids
 * overlap by at least `opening` are listed as *sparse pipes*, and what overlaps by less is never in one sheet. All
 * sheets share one set of planes, so one plane index names any column.
 *
 * A *tile* is RILL_TILE_W x RILL_TILE_H cells of a sheet. Tiles include the ring of ghosts: cell (x, y) of a sheet
 * belongs to tile ((x - x0 + 1) / RILL_TILE_W, (y - y0 + 1) / RILL_TILE_H), so tiles_x = ceil((nx + 2) /
 * RILL_TILE_W). */
#ifndef RILL_BED_BED_H
#define RILL_BED_BED_H

#include "shape/area.h"

#define RILL_WALL (1 << 30)
#define RILL_TOP (1 << 29)

enum {
    RILL_PAD_X = 16, /* padding columns at least left and right: a vector's width */
    RILL_PAD_Y = 4,  /* padding rows below and above */
    RILL_TILE_W = 16,
    RILL_TILE_H = 4,
    RILL_LEAST_OPENING = 2 /* quanta: voids that overlap by one are not joined, whatever is asked for */
};

typedef struct rill_sheet {
    int32_t x0, y0, nx, ny; /* rectangle of the grid it covers */
    int32_t stride;         /* plane elements per row, padding included; a multiple of 16 */
    int32_t first;          /* plane index of cell (x0, y0); first - 1 is a multiple of 16, so that tiles are aligned */
    int32_t tiles_x, tiles_y; /* ghosts included */
    int32_t first_tile;       /* tile (tx, ty) has index first_tile + ty * tiles_x + tx */
} rill_sheet;

/* A column outside an open or still edge, one per edge column. */
typedef struct rill_ghost {
    int32_t place; /* plane index, in the padding */
    int32_t still; /* depth (quanta) that is restored after each sub-step; 0 for open edges */
    int32_t edge;  /* RILL_WEST ... */
} rill_ghost;

/* Counts, up to 255, of what could not be represented in a cell as it was drawn; the bed's info has the sums. */
typedef struct rill_notes {
    uint8_t slivers; /* voids that were filled */
    uint8_t walls;   /* 1: closed, or raised, by a wall thinner than a cell */
    uint8_t sheets;  /* 1: an open mesh became a sheet one quantum thick or more */
    uint8_t clipped; /* floors and solids outside of the range */
} rill_notes;

static inline void rill_notes_count(const rill_notes *notes, int64_t times, rill_bed_info *info) {
    info->slivers_merged += times * notes->slivers;
    info->walls_thickened += times * notes->walls;
    info->sheet_cells += times * notes->sheets;
    info->out_of_range += times * notes->clipped;
}

/* The unit and the zero of heights: chosen when a bed is first built, and never changed. */
typedef struct rill_range {
    double quantum, datum; /* m */
} rill_range;

typedef struct rill_bed {
    rill_grid grid;
    rill_bed_info info;
    double quantum;  /* m */
    double datum;    /* z of height 0, m */
    int32_t opening; /* quanta: voids that overlap by less are not joined */

    /* Cells: columns of cell i = y * cells[0] + x are places[cell_first[i]] .. places[cell_first[i + 1] - 1], from
     * below. */
    int32_t *cell_first; /* cells + 1 */
    int32_t *places;     /* plane index of each column; info.columns of them */
    uint16_t *floors;    /* which solid is the floor of each column: index into the world's solids */
    rill_notes *notes;   /* per cell */

    bool roomy; /* every sheet spans the whole grid: columns come and go without moving any other (bed/update.c) */
    int32_t sheet_count;
    rill_sheet *sheets;
    int32_t plane_size; /* elements of one plane, all sheets */
    int32_t *b, *c;     /* planes: base and ceiling */

    int32_t pipe_count; /* sparse pipes, sorted by (west/south place, east/north place) */
    int32_t *pipe_l;    /* plane index of the west or south column */
    int32_t *pipe_r;    /* plane index of the east or north column */

    int32_t tile_count;
    int32_t ghost_count;
    rill_ghost *ghosts;

    size_t column_capacity, pipe_capacity, ghost_capacity; /* of the arrays; counts are above */
} rill_bed;

/* Returns the height in metres of a count of quanta. */
static inline double rill_bed_z(const rill_bed *bed, int32_t height) {
    return bed->datum + (double)height * bed->quantum;
}

/* Tells whether anything hangs over some column. */
bool rill_bed_roofed(const rill_bed *bed);

/* Columns as they come out of the rasteriser, cell by cell and from below: what the bed is made from, what a snapshot
 * stores, and all that sheets, pipes and tiles are derived from. */
typedef struct rill_columns {
    rill_grid grid;
    rill_area area; /* the cells it is about, row by row */
    double quantum, datum;
    int32_t opening; /* quanta, at least RILL_LEAST_OPENING: voids that overlap by less are not joined */
    int64_t count;
    int32_t *cell_first; /* cells + 1 */
    int32_t *b, *c;      /* quanta */
    uint16_t *floors;
    rill_notes *notes; /* per cell */
} rill_columns;

/* A solid as the world keeps it: its definition with owned arrays, and its triangles in world space (none for planes
 * and heightmaps). Defined in shape/solid.h. */
typedef struct rill_solid rill_solid;

/* Rasterises the solids (bed/raster.c, bed/columns.c) and chooses a range for them. `solids` may contain NULL holes;
 * floors[] indexes this array. `touched` has a place for each solid: 1 if it reaches some cell, else 0. On failure
 * nothing is kept. */
rill_result rill_columns_build(const rill_world_def *def, const rill_solid *const *solids, size_t solid_count,
                               uint8_t *touched, const rill_allocator *allocator, rill_columns *out,
                               rill_message *message);
/* Rasterises an area alone, in a range that was chosen before; `touched` is only ever set to 1. What comes out for a
 * cell does not depend on the area. Solids whose reach (shape/solid.h) ends more than a cell away from the area may be
 * left out. */
rill_result rill_columns_rebuild(const rill_world_def *def, const rill_range *range, const rill_area *area,
                                 const rill_solid *const *solids, size_t solid_count, uint8_t *touched,
                                 const rill_allocator *allocator, rill_columns *out, rill_message *message);
/* Returns the lowest opening that is kept, in quanta: of voids, and of faces where it is at least
 * RILL_LEAST_OPENING. */
int32_t rill_columns_opening(const rill_world_def *def, double quantum);
/* Fills in what columns, or solids, tell about a bed. */
void rill_columns_describe(const rill_columns *columns, rill_bed_info *info);
void rill_solids_describe(const rill_solid *const *solids, size_t solid_count, const uint8_t *touched,
                          rill_bed_info *info);
void rill_columns_free(rill_columns *columns, const rill_allocator *allocator);

/* Numbers the columns into sheets, finds pipes, tiles and ghosts (bed/sheets.c). Takes over cell_first, floors and
 * notes of `columns` on success. Deterministic: the same columns always give the same bed. */
rill_result rill_bed_make(rill_columns *columns, const rill_edge edges[4], const rill_allocator *allocator,
                          rill_bed *out, rill_message *message);
void rill_bed_free(rill_bed *bed, const rill_allocator *allocator);

/* Finds the column at a point: the one whose void holds it, else the first floor below it. Returns the index into
 * places[], or -1; `layer` (may be NULL) gets its number from below. */
int32_t rill_bed_find(const rill_bed *bed, const double at[3], int32_t *layer);
/* Returns the index into places[] of a layer's column in a cell, or -1. */
int32_t rill_bed_column(const rill_bed *bed, int32_t x, int32_t y, int32_t layer);
/* Finds the sheet a plane index belongs to, and its cell. Valid for ghosts, too. */
const rill_sheet *rill_bed_sheet_of(const rill_bed *bed, int32_t place, int32_t *x, int32_t *y);
/* Returns the tile of a column's plane index; ghosts have one like any column. */
int32_t rill_bed_tile_of(const rill_bed *bed, int32_t place);
/* Finds the first of the pipes whose end is `place` or lies behind it: among those in order of pipe_l, or, as a
 * position in `by_r`, which lists them in order of pipe_r. `by_r` may be NULL. */
int32_t rill_bed_first_pipe(const rill_bed *bed, const int32_t *by_r, int32_t place);
/* Finds the sparse pipe from l to r; -1: there is none. */
int32_t rill_bed_find_pipe(const rill_bed *bed, int32_t l, int32_t r);

/* Checks that a bed is one layer under open sky; RILL_INVALID_STATE if not, with a message that ends in `expected`. */
rill_result rill_bed_need_plain(const rill_bed *bed, const char *expected, rill_message *message);

/* Checks all of the above; break it on purpose in a test. */
rill_result rill_bed_validate(const rill_bed *bed, rill_message *message);

#endif
