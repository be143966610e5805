/* From solids to vertical lines: what the files that make columns share.
 *
 *   scan.c         triangles -> cuts: where each triangle crosses the vertical plane through the centres of a row of cells
 *   raster.c       cuts and exact forms -> spans: the solid parts of the line through each cell's centre
 *   walls.c        cuts -> thin_walls: walls that stand between the centres of two cells
 *   row_voids.c    spans -> columns of a row
 *   columns.c      rows -> columns of an area
 *   close_walls.c  thin_walls -> columns without them
 *
 * A row runs along x (axis 0) or along y (axis 1). Everything is worked off one row at a time, over the whole grid or
 * over an area of it: rows and cells are then those of the area. */
#ifndef RILL_BED_RASTER_INTERNAL_H
#define RILL_BED_RASTER_INTERNAL_H

#include "base/array.h"
#include "base/assert.h"
#include "bed/bed.h"
#include "shape/solid.h"

/* Cell centres along one axis of an area of the grid. Cells are counted from the area's first on, but a centre is the
 * same to the bit whatever the area. */
typedef struct rill_lattice {
    double origin, cell, inverse; /* inverse = 1 / cell */
    double shift;                 /* 0.5 - first */
    double doubt;                 /* cells: a place computed with the inverse may be off by less than this */
    double end;                   /* count */
    int32_t first, count;
} rill_lattice;

rill_lattice rill_lattice_of(const rill_grid *grid, const rill_area *area, int axis);
static inline double rill_lattice_at(const rill_lattice *lattice, int32_t i) {
    return lattice->origin + ((double)(lattice->first + i) + 0.5) * lattice->cell;
}
/* Where a value lies among the centres: the whole part is the first cell whose centre is not below it, if the rest is
 * sure not to be rounding. */
static inline double rill_lattice_guess(const rill_lattice *lattice, double value) {
    double guess = (value - lattice->origin) * lattice->inverse + lattice->shift;
    guess = guess > 0.0 ? guess : 0.0;
    return guess < lattice->end ? guess : lattice->end;
}
static inline bool rill_lattice_sure(const rill_lattice *lattice, double rest) {
    return rest > lattice->doubt && rest < 1.0 - lattice->doubt;
}
/* Near a centre the comparison with the centre itself decides, from a cell nearby on. */
int32_t rill_lattice_settle(const rill_lattice *lattice, double value, int32_t i);
/* The first cell whose centre is not below `value`; `count` when there is none. */
static inline int32_t rill_lattice_reach(const rill_lattice *lattice, double value) {
    const double guess = rill_lattice_guess(lattice, value);
    const int32_t i = (int32_t)guess;
    return rill_lattice_sure(lattice, guess - (double)i) ? i : rill_lattice_settle(lattice, value, i);
}

/* Where a triangle that may be the face of a thin wall crosses the plane of a row: from `up`, on the edge that runs
 * (seen along the triangle's own orientation) towards higher rows, to `down`, on the edge that runs back. */
typedef struct rill_cut {
    double up[2], down[2];      /* position along the row, z */
    int32_t up_cell, down_cell; /* first cell at or beyond it */
    uint32_t triangle;
    uint16_t solid;
} rill_cut;

/* Where the line through a cell's centre crosses a triangle of a mesh. */
typedef struct rill_crossing {
    double z;
    uint32_t part;
    int32_t next; /* of the same cell, from 1 on; 0: none */
    uint16_t solid;
    int8_t sign; /* by orientation */
} rill_crossing;

/* Cells: what is nearer to the line through a centre may be on either side of it. */
#define RILL_NEAR_LINE 1e-6

/* A triangle that crosses the rows from <= i < until. */
typedef struct rill_scan_entry {
    uint32_t triangle, solid;
    int32_t from, until;
} rill_scan_entry;

/* The entries of one solid, all of which lie in the rows from <= i < until. */
typedef struct rill_scan_group {
    size_t first, end;
    int32_t from, until;
} rill_scan_group;

typedef struct rill_scan_list {
    rill_scan_entry *entries; /* solid by solid */
    size_t count, capacity;
    rill_array groups; /* rill_scan_group */
} rill_scan_list;

enum { RILL_SCAN_BAND = 256 };

/* The triangles of all solids, and their cuts and crossings with a band of rows. Only those that may be the face of a
 * thin wall have cuts; only meshes have crossings, as primitives have exact forms, and only with rows along x. */
typedef struct rill_scan {
    const rill_solid *const *solids;
    size_t solid_count;
    const rill_allocator *allocator;
    rill_lattice along, across;
    int axis;
    const struct rill_scan_kernels *kernels;
    double near[2];                /* what is farther out along the rows is beside the grid */
    rill_scan_list walls, others;  /* triangles that have cuts, and those that have none */
    int32_t band_from, band_until; /* rows */
    rill_array band;               /* rill_cut: of the band, row by row */
    size_t cut_first[RILL_SCAN_BAND + 1], cut_end[RILL_SCAN_BAND]; /* of each row */
    double planes[RILL_SCAN_BAND];
    rill_array crossings; /* rill_crossing: of the band */
    int32_t *last;        /* per cell of the band: its last crossing, from 1 on; 0: none. NULL: there are none at all */
    size_t last_count;
    struct {
        const rill_cut *data;
        size_t count;
    } cuts; /* of the row last asked for */
} rill_scan;

/* The scans of rows along x and along y. False when there is no memory; free them in any case. */
bool rill_scans_make(rill_scan scans[2], const rill_grid *grid, const rill_area *area, const rill_solid *const *solids,
                     size_t solid_count, const rill_allocator *allocator);
void rill_scans_free(rill_scan scans[2]);
void rill_scan_rewind(rill_scan *scan);
/* Finds the cuts of a row; rows must be asked for in ascending order, from 0, without a gap. */
bool rill_scan_row(rill_scan *scan, int32_t row);
/* The last crossing of each cell of that row; NULL without any. */
static inline const int32_t *rill_scan_last(const rill_scan *scan, int32_t row) {
    return scan->last ? scan->last + (size_t)(row - scan->band_from) * (size_t)scan->along.count : NULL;
}

/* A solid part of a cell's line. A sheet has no thickness of its own: low = high. */
typedef struct rill_span {
    double low, high;
    int32_t cell;
    uint16_t solid;
    bool sheet;
} rill_span;

/* A span that is the same in all cells from <= x < until of a row. */
typedef struct rill_span_run {
    rill_span span;
    int32_t from, until;
} rill_span_run;

typedef struct rill_raster {
    const rill_allocator *allocator;
    rill_scan scans[2]; /* of rows along x, and along y for walls */
    rill_grid grid;
    const rill_solid *const *solids;
    size_t solid_count;
    rill_lattice x, y;
    bool meshes_alone;           /* but for boxes parallel to the grid */
    rill_array loose, crossings; /* scratch of a row, and of a cell */
    rill_array spans;            /* rill_span: of the rows that are kept, or of the row last asked for alone */
    size_t *row_first;           /* y.count + 1: first span of each kept row */
    int32_t kept_rows;           /* -1: there are too many spans to keep */
    const rill_span *row;        /* spans of the row last asked for, by cell and then by low */
    rill_array runs;             /* rill_span_run: of that row, by low; not among its spans */
    int32_t *span_first;         /* x.count + 1: first of them in each cell */
} rill_raster;

bool rill_raster_make(rill_raster *raster, const rill_grid *grid, const rill_area *area,
                      const rill_solid *const *solids, size_t solid_count, const rill_allocator *allocator);
void rill_raster_free(rill_raster *raster);
/* Finds the spans of a row; rows ascending from 0. Row 0 may be asked for at any time. False: no memory. */
bool rill_raster_row(rill_raster *raster, int32_t row);
/* The order of spans in a cell: by low, then by high. */
static inline bool rill_span_before(const rill_span *a, const rill_span *b) {
    if (a->low != b->low) return a->low < b->low;
    if (a->high != b->high) return a->high < b->high;
    return a->solid < b->solid;
}
/* The top of all triangles over the grid: a wall between the centres may be higher than any line shows; -infinity
 * without any. */
double rill_raster_highest(const rill_raster *raster);

/* Solid to be added to a cell, in quanta. */
typedef struct rill_thin_wall {
    int32_t cell;
    int32_t low, high;
    uint16_t solid;
} rill_thin_wall;

/* Walls thinner than a cell that the columns do not show (walls.c). */
typedef struct rill_walls {
    const rill_columns *columns;
    const rill_allocator *allocator;
    int32_t cells[2];               /* of the columns' area */
    double inverse;                 /* of the quantum: exact, as that is a power of two */
    rill_array pieces[2], edges[2]; /* of rows along x and along y; edges ascending */
    rill_array row;                 /* pieces of the row being collected */
    rill_array cover, held[2];      /* ranges: scratch of supported_ranges */
    rill_array *thin_walls;
} rill_walls;

/* Row by row: what stands between the lines of a row, from the cuts that `scan` has found in it. The row's columns, or
 * for a row along y all columns, must be there. Or all rows of a scan at once. False: no memory. */
rill_walls rill_walls_make(const rill_columns *columns, const rill_allocator *allocator);
void rill_walls_free(rill_walls *walls);
bool rill_walls_row(rill_walls *walls, const rill_scan *scan, int32_t row);
bool rill_walls_collect(rill_walls *walls, rill_scan *scan);
/* Once rows along both axes are collected: says what to fill so that nothing leaks through the walls. These are
 * appended to `thin_walls`, sorted by cell and low. False: no memory. */
bool rill_walls_find(rill_walls *walls, rill_array *thin_walls);

/* Quanta: nothing can stand on a floor that is nearer to the top of the range. */
enum { RILL_LEAST_SKY = 64 };

static inline void rill_notes_up(uint8_t *counter) {
    if (*counter < UINT8_MAX) *counter += 1;
}

/* Appends a void to the columns, cut to the range, unless it is lower than `opening`. Only a range that was chosen for
 * other solids can cut anything. While the columns have no arrays it is only counted. */
static inline void rill_columns_keep(rill_columns *out, int32_t opening, int32_t b, int32_t c, uint16_t floor,
                                     rill_notes *notes) {
    if (b < 0 || b > RILL_TOP - RILL_LEAST_SKY) {
        rill_notes_up(&notes->clipped);
        if (b > 0) return;
        b = 0;
    }
    if (c <= b) return;
    if (c - b < opening && c != RILL_TOP) {
        rill_notes_up(&notes->slivers);
        return;
    }
    if (out->b) {
        RILL_ASSERT(b >= 0 && b < c && c <= RILL_TOP);
        out->b[out->count] = b;
        out->c[out->count] = c;
        out->floors[out->count] = floor;
    }
    out->count += 1;
}
/* The columns of rows while they are stored (row_voids.c). */
typedef struct rill_row_voids {
    rill_columns *columns;
    const rill_allocator *allocator;
    int32_t opening;    /* lowest void that is kept, quanta */
    double inverse;     /* of the quantum: exact, as that is a power of two */
    rill_array bars;    /* the runs of a row, in quanta */
    bool even;          /* all of them pass all cells of it: */
    rill_columns plain; /* the columns that cells without spans of their own have then, */
    rill_notes plain_notes;
    rill_array steps;        /* and how they come about */
    rill_array b, c, floors; /* of `plain` */
} rill_row_voids;

/* Columns that are written at a time, whether there are as many or not. */
enum { RILL_VOIDS_COPIED = 8 };

rill_row_voids rill_row_voids_make(rill_columns *columns, int32_t opening, const rill_allocator *allocator);
void rill_row_voids_free(rill_row_voids *voids);
/* The runs of the raster's row; `touched` is set to 1 for their solids. False: no memory. */
bool rill_row_voids_begin(rill_row_voids *voids, const rill_raster *raster, uint8_t *touched);
/* Stores the columns of that row, of which `cell` is the first. There is room for one to each span and to each cell of
 * a run, and for RILL_VOIDS_COPIED more. */
void rill_row_voids_row(rill_row_voids *voids, const rill_raster *raster, size_t cell);

/* The columns of an area, which is part of that of `raw`, with the thin_walls taken out of their voids. */
rill_result rill_columns_close_walls(const rill_columns *raw, int32_t opening, const rill_array *thin_walls,
                                     const rill_area *area, const rill_allocator *allocator, rill_columns *out,
                                     rill_message *message);

#endif
