/* Triangles cut by the planes of rows.
 *
 * An edge crosses the plane of a row when one of its ends is above it and the other is not ("above" is y > row, so a
 * vertex on the plane counts as below: the plane is thought to lie a hair higher). The crossing is computed from the
 * lower to the upper end, hence from positions alone: every triangle that has the edge finds the same point to the
 * bit. A triangle is crossed by none or by two of its edges, one going up and one going down, and covers the cells
 * between the two crossings. So, whatever is rounded on the way, each edge of a closed mesh adds +1 and -1 to the
 * same cells: no line ever has an odd number of crossings, or a winding number that does not return to zero. */
#include "bed/raster.h"

#include "base/simd.h"

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
                           .end = (double)(area->high[axis] - area->low[axis]),
                           .first = area->low[axis],
                           .count = area->high[axis] - area->low[axis] };
}

int32_t rill_lattice_settle(const rill_lattice *lattice, double value, int32_t i) {
    while (i > 0 && rill_lattice_at(lattice, i - 1) >= value) --i;
    while (i < lattice->count && rill_lattice_at(lattice, i) < value) ++i;
    return i;
}

/* ----------------------------------------------------------------------------------------------------------- ranges */

/* How a vertex lies: of the rows of either axis the first that it is not above, and beside which borders of the grid. */
typedef struct mark {
    int32_t rows[2];
    uint32_t beside;
} mark;

static mark mark_of(const rill_scan scans[2], const double *vertex) {
    mark m = { { rill_lattice_reach(&scans[0].across, vertex[1]), rill_lattice_reach(&scans[1].across, vertex[0]) },
               0 };
    for (int i = 0; i < 2; ++i)
        m.beside |= (uint32_t)(vertex[i] < scans[i].near[0]) << (2 * i) | (uint32_t)(vertex[i] > scans[i].near[1])
                                                                              << (2 * i + 1);
    return m;
}

/* Lists a triangle if it crosses some row: not if it lies beside the grid or between two rows. There is room for it. */
static void enter_triangle(rill_scan *scan, uint32_t solid, uint32_t triangle, const mark *const corners[3]) {
    const int32_t a = corners[0]->rows[scan->axis], b = corners[1]->rows[scan->axis], c = corners[2]->rows[scan->axis];
    const int32_t from = rill_min_i(rill_min_i(a, b), c), until = rill_max_i(rill_max_i(a, b), c);
    scan->entries[scan->entry_count] = (rill_scan_entry){ triangle, solid, from, until };
    scan->entry_count += (size_t)((from < until) & !(corners[0]->beside & corners[1]->beside & corners[2]->beside));
}

/* Whether nobody will ask for a triangle. Primitives have exact forms, so that theirs are looked at as walls alone: floors and
 * ceilings block no height. */
static bool is_idle(const rill_solid *solid, uint32_t triangle, const uint32_t *index) {
    if (solid->parts) return solid->parts[triangle] == RILL_NO_PART;
    const double *z = solid->vertices + 2;
    return z[3 * (size_t)index[0]] == z[3 * (size_t)index[1]] && z[3 * (size_t)index[0]] == z[3 * (size_t)index[2]];
}

/* `marks` has room for the vertices of any solid. */
static void enter_triangles(rill_scan scans[2], mark *marks) {
    for (uint32_t s = 0; s < scans->solid_count; ++s) {
        const rill_solid *solid = scans->solids[s];
        const size_t triangles = solid ? solid->triangle_count : 0, vertices = triangles > 0 ? solid->vertex_count : 0;
        for (size_t v = 0; v < vertices; ++v) marks[v] = mark_of(scans, solid->vertices + 3 * v);
        for (uint32_t t = 0; t < triangles; ++t) {
            const uint32_t *index = solid->indices + 3 * (size_t)t;
            const mark *const corners[3] = { &marks[index[0]], &marks[index[1]], &marks[index[2]] };
            if (is_idle(solid, t, index)) continue;
            enter_triangle(&scans[0], s, t, corners);
            if (!solid->thin || solid->thin[t]) enter_triangle(&scans[1], s, t, corners); /* these serve walls alone */
        }
    }
}

bool rill_scans_make(rill_scan scans[2], const rill_grid *grid, const rill_area *area, const rill_solid *const *solids,
                     size_t solid_count, const rill_allocator *allocator) {
    size_t total = 0, most = 0;
    for (size_t s = 0; s < solid_count; ++s) {
        total += solids[s] ? solids[s]->triangle_count : 0;
        if (solids[s] && solids[s]->vertex_count > most) most = solids[s]->vertex_count;
    }
    mark *marks = rill_memory_claim(allocator, most, sizeof *marks);
    bool good = marks != NULL;
    for (int axis = 0; axis < 2; ++axis) {
        rill_scan *scan = &scans[axis];
        *scan = (rill_scan){ .solids = solids,
                             .solid_count = solid_count,
                             .allocator = allocator,
                             .along = rill_lattice_of(grid, area, axis),
                             .across = rill_lattice_of(grid, area, 1 - axis),
                             .axis = axis,
                             .entry_capacity = total + 1, /* one is written behind the last */
                             .band = rill_array_make(sizeof(rill_cut)) };
        const double near = RILL_NEAR_LINE * grid->cell_size; /* may count on both sides of a line (walls.c) */
        scan->near[0] = rill_lattice_at(&scan->along, 0) - near;
        scan->near[1] = rill_lattice_at(&scan->along, scan->along.count - 1) + near;
        scan->entries = rill_memory_claim(allocator, scan->entry_capacity, sizeof *scan->entries);
        good = good && scan->entries;
    }
    if (good) enter_triangles(scans, marks);
    rill_memory_give(allocator, marks, most, sizeof *marks);
    return good;
}

void rill_scans_free(rill_scan scans[2]) {
    if (!scans->allocator) return;
    for (int axis = 0; axis < 2; ++axis) {
        rill_scan *scan = &scans[axis];
        rill_memory_give(scan->allocator, scan->entries, scan->entry_capacity, sizeof *scan->entries);
        rill_array_free(&scan->band, scan->allocator);
    }
}

/* ------------------------------------------------------------------------------------------------------------ cuts */

enum { BATCH = 64 }; /* cuts that are computed together */

/* Edges crossed by planes, those of a cut that run up and down side by side: `low` is not above the plane, `high` is.
 * Positions are those across the rows, along them, and z. */
typedef struct edge_batch {
    double plane[2 * BATCH], low[3][2 * BATCH], high[3][2 * BATCH];
    double along[2 * BATCH], z[2 * BATCH], rest[2 * BATCH]; /* found: where, and how far into the cell in units of it */
    int32_t cell[2 * BATCH];
} edge_batch;

/* Looked up instead of branched on: which way a triangle lies is anybody's guess. */
static inline void load_edges(edge_batch *batch, int32_t at, const double *vertices, const uint32_t *index, int axis,
                              double plane) {
    /* By the bits of those above: the corners below and above of the edge that runs up, and of that which runs down. */
    static const uint8_t edges[8][2][2] = { { { 0, 0 }, { 0, 0 } }, { { 2, 0 }, { 1, 0 } }, { { 0, 1 }, { 2, 1 } },
                                            { { 2, 0 }, { 2, 1 } }, { { 1, 2 }, { 0, 2 } }, { { 1, 2 }, { 1, 0 } },
                                            { { 0, 1 }, { 0, 2 } }, { { 0, 0 }, { 0, 0 } } };
    const double *const across = vertices + (1 - axis);
    const unsigned above = (unsigned)(across[3 * (size_t)index[0]] > plane) |
                           (unsigned)(across[3 * (size_t)index[1]] > plane) << 1 |
                           (unsigned)(across[3 * (size_t)index[2]] > plane) << 2;
    for (int k = 0; k < 2; ++k) {
        const double *low = vertices + 3 * (size_t)index[edges[above][k][0]];
        const double *high = vertices + 3 * (size_t)index[edges[above][k][1]];
        batch->plane[at + k] = plane;
        batch->low[0][at + k] = low[1 - axis], batch->high[0][at + k] = high[1 - axis];
        batch->low[1][at + k] = low[axis], batch->high[1][at + k] = high[axis];
        batch->low[2][at + k] = low[2], batch->high[2][at + k] = high[2];
    }
}

/* From positions alone, hence the same for all triangles that have the edge. */
static void cross_edges(const rill_lattice *lattice, edge_batch *batch, int32_t count) {
    const rill_lattice along = *lattice;
    RILL_EACH_ALONE
    for (int32_t i = 0; i < count; ++i) {
        const double a = batch->low[0][i], t = (batch->plane[i] - a) / (batch->high[0][i] - a);
        const double x = batch->low[1][i] + t * (batch->high[1][i] - batch->low[1][i]);
        const double guess = rill_lattice_guess(&along, x);
        const int32_t cell = (int32_t)guess;
        batch->z[i] = batch->low[2][i] + t * (batch->high[2][i] - batch->low[2][i]);
        batch->along[i] = x;
        batch->rest[i] = guess - (double)cell;
        batch->cell[i] = cell;
    }
}

static inline int32_t settled_cell(const rill_lattice *lattice, const edge_batch *batch, int32_t i) {
    return rill_lattice_sure(lattice, batch->rest[i]) ? batch->cell[i]
                                                      : rill_lattice_settle(lattice, batch->along[i], batch->cell[i]);
}

/* ----------------------------------------------------------------------------------------------------------- bands */

void rill_scan_rewind(rill_scan *scan) {
    scan->band_from = scan->band_until = 0;
}

/* The rows of the band that a triangle crosses, counted from the band's first. */
typedef struct rows {
    int32_t from, until;
} rows;

static rows rows_of(const rill_scan *scan, const rill_scan_entry *entry) {
    return (rows){ rill_max_i(entry->from, scan->band_from) - scan->band_from,
                   rill_min_i(entry->until, scan->band_until) - scan->band_from };
}

/* Where the cuts of each row of the band begin, if all of them are kept. */
static void count_cuts(rill_scan *scan) {
    size_t *first = scan->cut_first, here = 0, sum = 0;
    for (int32_t r = 0; r <= RILL_SCAN_BAND; ++r) first[r] = 0;
    for (size_t i = 0; i < scan->entry_count; ++i) { /* how many more there are in a row than in that before it */
        const rows in = rows_of(scan, &scan->entries[i]);
        const size_t any = in.from < in.until;
        first[any ? in.from : 0] += any;
        first[any ? in.until : 0] -= any;
    }
    for (int32_t r = 0; r <= RILL_SCAN_BAND; ++r) {
        here += first[r];
        first[r] = sum;
        sum += here;
    }
}

/* A triangle and a row of the band. */
typedef struct slice {
    uint32_t triangle;
    int32_t row;
} slice;

enum { MOST_SLICES = 2 * RILL_SCAN_BAND, USUAL_SLICES = 4 };

/* Lists slices of one solid, of the entries from `*at` on, as many as there is room for; returns their number. */
static int32_t list_slices(const rill_scan *scan, size_t *at, slice slices[MOST_SLICES + USUAL_SLICES]) {
    const uint32_t solid = scan->entries[*at].solid;
    int32_t count = 0;
    for (; *at < scan->entry_count && count <= MOST_SLICES - RILL_SCAN_BAND; ++*at) {
        const rill_scan_entry *entry = &scan->entries[*at];
        const rows in = rows_of(scan, entry);
        const int32_t more = rill_max_i(in.until - in.from, 0);
        if (entry->solid != solid) break;
        /* A few are written whether they are there or not: nobody could guess how many there are. */
        for (int32_t i = 0; i < USUAL_SLICES; ++i) slices[count + i] = (slice){ entry->triangle, in.from + i };
        for (int32_t i = USUAL_SLICES; i < more; ++i) slices[count + i] = (slice){ entry->triangle, in.from + i };
        count += more;
    }
    return count;
}

/* Cuts that neither pass a centre nor are to be looked at as walls are overwritten by the next. */
static void keep_cuts(rill_scan *scan, uint32_t s, const slice *slices, int32_t count, const edge_batch *batch) {
    const rill_solid *solid = scan->solids[s];
    for (int32_t i = 0; i < count; ++i) {
        size_t *const end = &scan->cut_end[slices[i].row];
        rill_cut *const cut = (rill_cut *)scan->band.data + *end;
        *cut = (rill_cut){ .up = { batch->along[2 * i], batch->z[2 * i] },
                           .down = { batch->along[2 * i + 1], batch->z[2 * i + 1] },
                           .up_cell = settled_cell(&scan->along, batch, 2 * i),
                           .down_cell = settled_cell(&scan->along, batch, 2 * i + 1),
                           .triangle = slices[i].triangle,
                           .solid = (uint16_t)s,
                           .wall = !solid->thin || solid->thin[slices[i].triangle] };
        *end += (size_t)(cut->wall | (cut->up_cell != cut->down_cell));
    }
}

static void cut_slices(rill_scan *scan, uint32_t s, const slice *slices, int32_t count) {
    const rill_solid *solid = scan->solids[s];
    edge_batch batch;
    for (int32_t i = 0; i < count; ++i)
        load_edges(&batch, 2 * i, solid->vertices, solid->indices + 3 * (size_t)slices[i].triangle, scan->axis,
                   scan->planes[slices[i].row]);
    cross_edges(&scan->along, &batch, 2 * count);
    keep_cuts(scan, s, slices, count, &batch);
}

/* Cuts all triangles that cross the rows of the next band. */
static bool next_band(rill_scan *scan) {
    scan->band_from = scan->band_until;
    scan->band_until = rill_min_i(scan->band_from + RILL_SCAN_BAND, scan->across.count);
    count_cuts(scan);
    if (!rill_array_reserve(&scan->band, scan->allocator, scan->cut_first[RILL_SCAN_BAND])) return false;
    for (int32_t r = 0; r < RILL_SCAN_BAND; ++r) {
        scan->cut_end[r] = scan->cut_first[r];
        scan->planes[r] = rill_lattice_at(&scan->across, scan->band_from + r);
    }
    slice slices[MOST_SLICES + USUAL_SLICES];
    for (size_t at = 0; at < scan->entry_count;) {
        const uint32_t solid = scan->entries[at].solid;
        const int32_t count = list_slices(scan, &at, slices);
        for (int32_t i = 0; i < count; i += BATCH) cut_slices(scan, solid, slices + i, rill_min_i(count - i, BATCH));
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
