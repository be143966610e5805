/* Triangles cut by the planes of rows.
 *
 * An edge crosses the plane of a row when one of its ends is above it and the other is not ("above" is y > row, so a
 * vertex on the plane counts as below: the plane is thought to lie a hair higher). The crossing is computed from the
 * lower to the upper end, hence from positions alone: every triangle that has the edge finds the same point to the
 * bit. A triangle is crossed by none or by two of its edges, one going up and one going down, and covers the cells
 * between the two crossings. So, whatever is rounded on the way, each edge of a closed mesh adds +1 and -1 to the
 * same cells: no line ever has an odd number of crossings, or a winding number that does not return to zero. */
#include "bed/raster.h"

#include <float.h>
#include <math.h>

rill_lattice rill_lattice_of(const rill_grid *grid, const rill_area *area, int axis) {
    /* Rounding of coordinates, in cells: both of the centres and of the guess. */
    const double reach = fabs(grid->origin[axis]) + (double)grid->cells[axis] * grid->cell_size;
    const double rounding = 16.0 * DBL_EPSILON * (reach / grid->cell_size);
    return (rill_lattice){ .origin = grid->origin[axis],
                           .cell = grid->cell_size,
                           .inverse = 1.0 / grid->cell_size,
                           .shift = 0.5 - (double)area->low[axis],
                           .doubt = rounding < 1.0 ? rounding : 1.0,
                           .first = area->low[axis],
                           .count = area->high[axis] - area->low[axis] };
}

/* ----------------------------------------------------------------------------------------------------------- ranges */

/* The rows of either axis that a triangle crosses: none if it lies beside the grid or between two rows. */
static rill_scan_range range_of(const rill_scan scans[2], const rill_solid *solid, uint32_t triangle) {
    const uint32_t *corner = solid->indices + 3 * (size_t)triangle;
    const double *p = solid->vertices + 3 * (size_t)corner[0], *q = solid->vertices + 3 * (size_t)corner[1];
    const double *r = solid->vertices + 3 * (size_t)corner[2];
    rill_scan_range range = { { 0, 0 }, { 0, 0 } };
    double low[2], high[2];
    for (int i = 0; i < 2; ++i) {
        double least = p[i] < q[i] ? p[i] : q[i], most = p[i] < q[i] ? q[i] : p[i];
        low[i] = r[i] < least ? r[i] : least;
        high[i] = r[i] > most ? r[i] : most;
        if (high[i] < scans[i].near[0] || low[i] > scans[i].near[1]) return range;
    }
    /* Rows along y serve walls alone. */
    for (int axis = 0; axis < 2 - (solid->thin && !solid->thin[triangle]); ++axis) {
        range.from[axis] = rill_lattice_reach(&scans[axis].across, low[1 - axis]);
        range.until[axis] = rill_lattice_reach(&scans[axis].across, high[1 - axis]);
    }
    return range;
}

static void find_ranges(const rill_scan scans[2], rill_scan_range *ranges) {
    for (size_t s = 0; s < scans->solid_count; ++s) {
        const rill_solid *solid = scans->solids[s];
        for (uint32_t t = 0; solid && t < solid->triangle_count; ++t, ++ranges)
            *ranges = solid->parts && solid->parts[t] == RILL_NO_PART ? (rill_scan_range){ { 0, 0 }, { 0, 0 } }
                                                                      : range_of(scans, solid, t);
    }
}

bool rill_scans_make(rill_scan scans[2], const rill_grid *grid, const rill_area *area, const rill_solid *const *solids,
                     size_t solid_count, const rill_allocator *allocator) {
    size_t total = 0;
    for (size_t s = 0; s < solid_count; ++s) total += solids[s] ? solids[s]->triangle_count : 0;
    rill_scan_range *ranges = rill_memory_claim(allocator, total, sizeof *ranges);
    for (int axis = 0; axis < 2; ++axis) {
        rill_scan *scan = &scans[axis];
        *scan = (rill_scan){ .solids = solids,
                             .solid_count = solid_count,
                             .allocator = allocator,
                             .along = rill_lattice_of(grid, area, axis),
                             .across = rill_lattice_of(grid, area, 1 - axis),
                             .axis = axis,
                             .ranges = ranges,
                             .triangle_count = total,
                             .band = rill_array_make(sizeof(rill_cut)) };
        const double near = RILL_NEAR_LINE * grid->cell_size; /* may count on both sides of a line (walls.c) */
        scan->near[0] = rill_lattice_at(&scan->along, 0) - near;
        scan->near[1] = rill_lattice_at(&scan->along, scan->along.count - 1) + near;
    }
    if (ranges) find_ranges(scans, ranges);
    return ranges != NULL;
}

void rill_scans_free(rill_scan scans[2]) {
    if (!scans->allocator) return;
    rill_memory_give(scans->allocator, scans->ranges, scans->triangle_count, sizeof *scans->ranges);
    for (int axis = 0; axis < 2; ++axis) rill_array_free(&scans[axis].band, scans->allocator);
}

/* ------------------------------------------------------------------------------------------------------------ cuts */

/* An edge that crosses a plane: it is not above at `low` and above at `high`. */
typedef struct edge {
    const double *low, *high;
} edge;

/* How far up the edge the plane is, and which cell that is in. Computed from positions alone. */
static double cross_edge(const rill_scan *scan, const edge *e, double plane, double *along, int32_t *cell) {
    const int axis = scan->axis;
    const double t = (plane - e->low[1 - axis]) / (e->high[1 - axis] - e->low[1 - axis]);
    *along = e->low[axis] + t * (e->high[axis] - e->low[axis]);
    *cell = rill_lattice_reach(&scan->along, *along);
    return t;
}

/* False when the cut neither passes a centre nor is to be looked at as a wall. Looked up instead of branched on: which way a
 * triangle lies is anybody's guess. */
static bool cut_triangle(const rill_scan *scan, const double *const corners[3], double plane, bool wall,
                         rill_cut *cut) {
    /* One corner is alone on its side; by the bits of those above. The edge before it and the edge after it cross. */
    static const uint8_t alone[8] = { 0, 0, 1, 2, 2, 1, 0, 0 }, after[3] = { 1, 2, 0 }, before[3] = { 2, 0, 1 };
    const int across = 1 - scan->axis;
    const unsigned above = (unsigned)(corners[0][across] > plane) | (unsigned)(corners[1][across] > plane) << 1 |
                           (unsigned)(corners[2][across] > plane) << 2;
    const int k = alone[above];
    const unsigned up = above >> k & 1; /* the edge before it runs up, then, and the edge after it down */
    const double *const last[2] = { corners[k], corners[before[k]] }, *const next[2] = { corners[k],
                                                                                         corners[after[k]] };
    const edge edges[2] = { { last[up], last[!up] }, { next[up], next[!up] } };
    const unsigned ends[2] = { !up, up };
    double t[2], along[2];
    int32_t cells[2];
    for (int i = 0; i < 2; ++i) t[i] = cross_edge(scan, &edges[i], plane, &along[i], &cells[i]);
    if (cells[0] == cells[1] && !wall) return false;
    for (int i = 0; i < 2; ++i) {
        cut->ends[ends[i]][0] = along[i];
        cut->ends[ends[i]][1] = edges[i].low[2] + t[i] * (edges[i].high[2] - edges[i].low[2]);
        cut->cells[ends[i]] = cells[i];
    }
    return true;
}

/* ----------------------------------------------------------------------------------------------------------- bands */

void rill_scan_rewind(rill_scan *scan) {
    scan->band_from = scan->band_until = 0;
}

/* The rows of the band that a triangle crosses, counted from the band's first. */
typedef struct rows {
    int32_t from, until;
} rows;

static rows rows_of(const rill_scan *scan, const rill_scan_range *range) {
    const int32_t from = range->from[scan->axis], until = range->until[scan->axis];
    return (rows){ (from > scan->band_from ? from : scan->band_from) - scan->band_from,
                   (until < scan->band_until ? until : scan->band_until) - scan->band_from };
}

/* Where the cuts of each row of the band begin, if all of them are kept. */
static void count_cuts(rill_scan *scan) {
    size_t *first = scan->cut_first;
    for (int32_t r = 0; r <= RILL_SCAN_BAND; ++r) first[r] = 0;
    for (size_t t = 0; t < scan->triangle_count; ++t) {
        const rows here = rows_of(scan, &scan->ranges[t]);
        for (int32_t r = here.from; r < here.until; ++r) first[r + 1] += 1;
    }
    for (int32_t r = 0; r < RILL_SCAN_BAND; ++r) first[r + 1] += first[r];
}

static void cut_solid(rill_scan *scan, uint32_t s, const rill_scan_range *ranges) {
    const rill_solid *solid = scan->solids[s];
    rill_cut *cuts = scan->band.data;
    for (uint32_t t = 0; t < solid->triangle_count; ++t) {
        const rows here = rows_of(scan, &ranges[t]);
        if (here.from >= here.until) continue;
        const uint32_t *index = solid->indices + 3 * (size_t)t;
        const double *const corners[3] = { solid->vertices + 3 * (size_t)index[0],
                                           solid->vertices + 3 * (size_t)index[1],
                                           solid->vertices + 3 * (size_t)index[2] };
        const bool wall = !solid->thin || solid->thin[t];
        for (int32_t r = here.from; r < here.until; ++r) {
            rill_cut *cut = &cuts[scan->cut_end[r]];
            cut->triangle = t;
            cut->solid = (uint16_t)s;
            cut->wall = wall;
            const double plane = rill_lattice_at(&scan->across, scan->band_from + r);
            scan->cut_end[r] += cut_triangle(scan, corners, plane, wall, cut);
        }
    }
}

/* Cuts all triangles that cross the rows of the next band. */
static bool next_band(rill_scan *scan) {
    scan->band_from = scan->band_until;
    scan->band_until += RILL_SCAN_BAND;
    if (scan->band_until > scan->across.count) scan->band_until = scan->across.count;
    count_cuts(scan);
    if (!rill_array_reserve(&scan->band, scan->allocator, scan->cut_first[RILL_SCAN_BAND])) return false;
    const rill_scan_range *ranges = scan->ranges;
    for (int32_t r = 0; r < RILL_SCAN_BAND; ++r) scan->cut_end[r] = scan->cut_first[r];
    for (uint32_t s = 0; s < scan->solid_count; ++s) {
        if (!scan->solids[s]) continue;
        cut_solid(scan, s, ranges);
        ranges += scan->solids[s]->triangle_count;
    }
    return true;
}

bool rill_scan_row(rill_scan *scan, int32_t row) {
    while (row >= scan->band_until)
        if (!next_band(scan)) return false;
    const size_t first = scan->cut_first[row - scan->band_from];
    scan->cuts.data = (const rill_cut *)scan->band.data + first;
    scan->cuts.count = scan->cut_end[row - scan->band_from] - first;
    return true;
}
