/* From solids to vertical lines: what the files that make columns share.
 *
 *   scan.c    triangles -> cuts: where each triangle crosses the vertical plane through the centres of a row of cells
 *   raster.c  cuts and exact forms -> spans: the solid parts of the line through each cell's centre
 *   walls.c   cuts -> fills: walls that stand between the centres of two cells
 *   columns.c spans and fills -> columns
 *
 * A row runs along x (axis 0) or along y (axis 1). Everything is worked off one row at a time, over the whole grid or
 * over an area of it: rows and cells are then those of the area. */
#ifndef RILL_BED_RASTER_H
#define RILL_BED_RASTER_H

#include "base/memory.h"
#include "bed/solid.h"

/* Cell centres along one axis of an area of the grid. Cells are counted from the area's first on, but a centre is the
 * same to the bit whatever the area. */
typedef struct rill_lattice {
    double origin, cell, inverse; /* inverse = 1 / cell */
    int32_t first, count;
} rill_lattice;

rill_lattice rill_lattice_of(const rill_grid *grid, const rill_area *area, int axis);
static inline double rill_lattice_at(const rill_lattice *lattice, int32_t i) {
    return lattice->origin + ((double)(lattice->first + i) + 0.5) * lattice->cell;
}
/* The first cell whose centre is not below `value`; `count` when there is none. */
int32_t rill_lattice_reach(const rill_lattice *lattice, double value);

/* Where a triangle crosses the plane of a row: from `up`, on the edge that runs (seen along the triangle's own
 * orientation) towards higher rows, to `down`, on the edge that runs back. */
typedef struct rill_cut {
    double up[2], down[2];      /* position along the row, z */
    int32_t up_cell, down_cell; /* first cell at or beyond it */
    uint32_t triangle;
    uint32_t solid;
} rill_cut;

/* Cells: what is nearer to the line through a centre may be on either side of it. */
#define RILL_NEAR_LINE 1e-6

typedef struct rill_scan_item {
    uint32_t triangle, solid;
    int32_t from, until; /* rows it crosses */
} rill_scan_item;

/* The triangles of all solids, sorted by the first row they cross. */
typedef struct rill_scan {
    const rill_solid *const *solids;
    const rill_allocator *allocator;
    rill_lattice along, across;
    int axis;
    rill_scan_item *items;
    size_t count;
    size_t *row_first; /* rows + 1 */
    uint32_t *active;  /* items crossing the row last asked for; `count` places */
    size_t active_count;
    rill_array cuts; /* rill_cut: of the row last asked for */
} rill_scan;

/* False when there is no memory; free it in any case. */
bool rill_scan_make(rill_scan *scan, const rill_grid *grid, const rill_area *area, int axis,
                    const rill_solid *const *solids, size_t solid_count, const rill_allocator *allocator);
void rill_scan_free(rill_scan *scan);
void rill_scan_rewind(rill_scan *scan);
/* Finds the cuts of a row; rows must be asked for in ascending order, from 0, without a gap. */
bool rill_scan_row(rill_scan *scan, int32_t row);

/* A solid part of a cell's line. A sheet has no thickness of its own: low = high. */
typedef struct rill_span {
    double low, high;
    int32_t cell;
    uint16_t solid;
    bool sheet;
} rill_span;

typedef struct rill_crossing {
    double z;
    int32_t cell;
    uint32_t part;
    uint16_t solid;
    int8_t sign; /* by orientation */
} rill_crossing;

typedef struct rill_raster {
    rill_scan scan;
    rill_grid grid;
    const rill_solid *const *solids;
    size_t solid_count;
    rill_lattice x, y;
    rill_array loose, crossings, sorted_crossings; /* scratch of a row */
    rill_array spans;     /* rill_span: of the rows that are kept, or of the row last asked for alone */
    size_t *row_first;    /* y.count + 1: first span of each kept row */
    int32_t kept_rows;    /* -1: there are too many spans to keep */
    const rill_span *row; /* spans of the row last asked for, by cell and then by low */
    int32_t *span_first;  /* x.count + 1: first of them in each cell */
} rill_raster;

bool rill_raster_make(rill_raster *raster, const rill_grid *grid, const rill_area *area,
                      const rill_solid *const *solids, size_t solid_count, const rill_allocator *allocator);
void rill_raster_free(rill_raster *raster);
/* Finds the spans of a row; rows ascending from 0. Row 0 may be asked for at any time. False: no memory. */
bool rill_raster_row(rill_raster *raster, int32_t row);
/* The top of all triangles over the grid: a wall between the centres may be higher than any line shows; -infinity
 * without any. */
double rill_raster_highest(const rill_raster *raster);

/* Solid to be added to a cell, in quanta. */
typedef struct rill_fill {
    int32_t cell;
    int32_t low, high;
    uint16_t solid;
} rill_fill;

/* Finds walls thinner than a cell that the columns do not show and says what to fill so that nothing leaks through
 * them. `scan` is that of axis 0. Fills are appended to `fills`, sorted by cell and low. False: no memory. */
bool rill_walls_find(const rill_columns *columns, rill_scan *scan, size_t solid_count, rill_array *fills);

#endif
