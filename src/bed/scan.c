/* Triangles cut by the planes of rows.
 *
 * An edge crosses the plane of a row when one of its ends is above it and the other is not ("above" is y > row, so a
 * vertex on the plane counts as below: the plane is thought to lie a hair higher). The crossing is computed from the
 * lower to the upper end, hence from positions alone: every triangle that has the edge finds the same point to the
 * bit. A triangle is crossed by none or by two of its edges, one going up and one going down, and covers the cells
 * between the two crossings. So, whatever is rounded on the way, each edge of a closed mesh adds +1 and -1 to the
 * same cells: no line ever has an odd number of crossings, or a winding number that does not return to zero. */
#include "bed/scan_kernels.h"

#include "base/assert.h"
#include "base/dispatch.h"
#include "base/simd.h"

#include <float.h>
#include <math.h>
#include <string.h>

RILL_DISPATCH(rill_scan_kernels)

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
    RILL_ASSERT(i >= 0 && i <= lattice->count);
    return i;
}

/* ----------------------------------------------------------------------------------------------------------- ranges */

/* Near a centre the comparison with the centre itself decides. */
static void mark_vertices(const rill_scan scans[2], const rill_solid *solid, rill_scan_mark *marks) {
    enum { UNSURE = 3 << 4 };
    scans->kernels->mark(scans, solid->vertices, solid->vertex_count, marks);
    for (size_t v = 0; v < solid->vertex_count; ++v) {
        rill_scan_mark *m = &marks[v];
        if (!(m->beside & UNSURE)) continue;
        for (int axis = 0; axis < 2; ++axis)
            m->rows[axis] =
                rill_lattice_settle(&scans[axis].across, solid->vertices[3 * v + 1 - (size_t)axis], m->rows[axis]);
        m->beside &= ~(uint32_t)UNSURE;
    }
}

/* Lists a triangle if it crosses some row: not if it lies beside the grid or between two rows. There is room for it. */
static inline void enter_triangle(rill_scan_list *list, int axis, uint32_t solid, uint32_t triangle,
                                  const rill_scan_mark *const corners[3], bool wanted) {
    const int32_t a = corners[0]->rows[axis], b = corners[1]->rows[axis], c = corners[2]->rows[axis];
    const int32_t from = rill_min_i(rill_min_i(a, b), c), until = rill_max_i(rill_max_i(a, b), c);
    list->entries[list->count] = (rill_scan_entry){ triangle, solid, from, until };
    RILL_ASSERT(list->count < list->capacity);
    list->count += (size_t)(wanted & (from < until) & !(corners[0]->beside & corners[1]->beside & corners[2]->beside));
}

/* Whether a triangle lies between two lines of any row. */
static inline bool is_between(const rill_scan_mark *const corners[3]) {
    const int32_t column = corners[0]->column;
    return (column >= 0) & (column == corners[1]->column) & (column == corners[2]->column);
}

/* Whether nobody will ask for a triangle. Primitives have exact forms, so that theirs are looked at as walls alone:
 * floors and ceilings block no height. */
static bool is_idle(const rill_solid *solid, uint32_t triangle, const uint32_t *index) {
    if (solid->parts) return solid->parts[triangle] == RILL_NO_PART;
    const double *z = solid->vertices + 2;
    return z[3 * (size_t)index[0]] == z[3 * (size_t)index[1]] && z[3 * (size_t)index[0]] == z[3 * (size_t)index[2]];
}

static void free_list(rill_scan_list *list, const rill_allocator *allocator) {
    rill_free(allocator, list->entries, list->capacity, sizeof *list->entries);
    rill_array_free(&list->groups, allocator);
}

/* Room for as many triangles more, and for one that is written behind the last. Most of a solid whose triangles are
 * smaller than cells cross no row: so there is never room for all of them. */
static bool grow_list(rill_scan_list *list, size_t more, const rill_allocator *allocator) {
    const size_t need = list->count + more + 1, half_more = list->capacity + list->capacity / 2;
    if (need <= list->capacity) return true;
    const size_t capacity = need > half_more ? need : half_more;
    rill_scan_entry *entries = rill_alloc(allocator, capacity, sizeof *entries);
    if (!entries) return false;
    if (list->count) memcpy(entries, list->entries, list->count * sizeof *entries);
    rill_free(allocator, list->entries, list->capacity, sizeof *list->entries);
    list->entries = entries;
    list->capacity = capacity;
    return true;
}

static bool grow_lists(rill_scan scans[2], const rill_solid *solid) {
    const size_t more = solid ? solid->triangle_count : 0, thick = solid && solid->thin ? more : 0;
    return grow_list(&scans[0].walls, more, scans->allocator) && grow_list(&scans[1].walls, more, scans->allocator) &&
           grow_list(&scans[0].others, thick, scans->allocator);
}

/* Notes what was listed last as a group. */
static bool close_group(rill_scan_list *list, const rill_allocator *allocator) {
    const rill_scan_group *groups = list->groups.data;
    const size_t count = list->groups.count, first = count ? groups[count - 1].end : 0;
    if (first == list->count) return true;
    rill_scan_group group = { first, list->count, INT32_MAX, 0 };
    for (size_t i = first; i < list->count; ++i) {
        group.from = rill_min_i(group.from, list->entries[i].from);
        group.until = rill_max_i(group.until, list->entries[i].until);
    }
    return rill_array_push(&list->groups, allocator, &group) != NULL;
}

static bool close_groups(rill_scan scans[2]) {
    return close_group(&scans[0].walls, scans->allocator) && close_group(&scans[1].walls, scans->allocator) &&
           close_group(&scans[0].others, scans->allocator);
}

/* `marks` has room for the vertices of any solid. Rows along y serve walls alone. False: no memory. */
static bool enter_triangles(rill_scan scans[2], rill_scan_mark *marks) {
    for (uint32_t s = 0; s < scans->solid_count; ++s) {
        const rill_solid *solid = scans->solids[s];
        const size_t triangles = solid ? solid->triangle_count : 0;
        if (!grow_lists(scans, solid)) return false;
        if (triangles > 0) mark_vertices(scans, solid, marks);
        for (uint32_t t = 0; t < triangles; ++t) {
            const uint32_t *index = solid->indices + 3 * (size_t)t;
            const rill_scan_mark *const corners[3] = { &marks[index[0]], &marks[index[1]], &marks[index[2]] };
            if (is_idle(solid, t, index)) continue;
            if (!solid->thin || solid->thin[t]) {
                enter_triangle(&scans[0].walls, 0, s, t, corners, true);
                enter_triangle(&scans[1].walls, 1, s, t, corners, true);
            } else
                enter_triangle(&scans[0].others, 0, s, t, corners, !is_between(corners));
        }
        if (!close_groups(scans)) return false;
    }
    return true;
}

/* Room for the crossings of a band, if there are meshes. */
static bool make_crossings(rill_scan *scan) {
    bool meshes = false;
    for (size_t s = 0; s < scan->solid_count; ++s) meshes = meshes || (scan->solids[s] && scan->solids[s]->parts);
    if (!meshes) return true;
    const size_t rows = (size_t)rill_min_i(scan->across.count, RILL_SCAN_BAND);
    scan->last_count = rows * (size_t)scan->along.count;
    scan->last = rill_alloc(scan->allocator, scan->last_count, sizeof *scan->last);
    return scan->last != NULL;
}

bool rill_scans_make(rill_scan scans[2], const rill_grid *grid, const rill_area *area, const rill_solid *const *solids,
                     size_t solid_count, const rill_allocator *allocator) {
    size_t most = 0;
    for (size_t s = 0; s < solid_count; ++s)
        if (solids[s] && solids[s]->vertex_count > most) most = solids[s]->vertex_count;
    rill_scan_mark *marks = rill_alloc(allocator, most, sizeof *marks);
    bool good = marks != NULL;
    for (int axis = 0; axis < 2; ++axis) {
        rill_scan *scan = &scans[axis];
        *scan = (rill_scan){ .solids = solids,
                             .solid_count = solid_count,
                             .allocator = allocator,
                             .along = rill_lattice_of(grid, area, axis),
                             .across = rill_lattice_of(grid, area, 1 - axis),
                             .axis = axis,
                             .kernels = rill_scan_kernels_pick(false),
                             .walls.groups = rill_array_make(sizeof(rill_scan_group)),
                             .others.groups = rill_array_make(sizeof(rill_scan_group)),
                             .band = rill_array_make(sizeof(rill_cut)),
                             .crossings = rill_array_make(sizeof(rill_crossing)) };
        const double near = RILL_NEAR_LINE * grid->cell_size; /* may count on both sides of a line (walls.c) */
        scan->near[0] = rill_lattice_at(&scan->along, 0) - near;
        scan->near[1] = rill_lattice_at(&scan->along, scan->along.count - 1) + near;
    }
    good = good && make_crossings(&scans[0]) && enter_triangles(scans, marks);
    rill_free(allocator, marks, most, sizeof *marks);
    return good;
}

void rill_scans_free(rill_scan scans[2]) {
    if (!scans->allocator) return;
    for (int axis = 0; axis < 2; ++axis) {
        rill_scan *scan = &scans[axis];
        free_list(&scan->walls, scan->allocator);
        free_list(&scan->others, scan->allocator);
        rill_array_free(&scan->band, scan->allocator);
        rill_array_free(&scan->crossings, scan->allocator);
        rill_free(scan->allocator, scan->last, scan->last_count, sizeof *scan->last);
    }
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

static bool is_in_band(const rill_scan *scan, const rill_scan_group *group) {
    return group->from < scan->band_until && group->until > scan->band_from;
}

/* Where the cuts of each row of the band begin. */
static void count_cuts(rill_scan *scan) {
    const rill_scan_group *groups = scan->walls.groups.data;
    size_t *first = scan->cut_first, here = 0, sum = 0;
    for (int32_t r = 0; r <= RILL_SCAN_BAND; ++r) first[r] = 0;
    for (size_t g = 0; g < scan->walls.groups.count; ++g) {
        if (!is_in_band(scan, &groups[g])) continue;
        for (size_t i = groups[g].first; i < groups[g].end; ++i) { /* how many more there are in a row than before it */
            const rows in = rows_of(scan, &scan->walls.entries[i]);
            const size_t any = in.from < in.until;
            first[any ? in.from : 0] += any;
            first[any ? in.until : 0] -= any;
        }
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

enum { MOST_SLICES = 2 * RILL_SCAN_BAND, USUAL_SLICES = 4, FEW_CUTS = 1 << 15 };

/* Lists slices of the entries from `*at` on, as many as there is room for; returns their number. */
static int32_t list_slices(const rill_scan *scan, const rill_scan_list *list, size_t *at, size_t end,
                           slice slices[MOST_SLICES + USUAL_SLICES]) {
    int32_t count = 0;
    for (; *at < end && count <= MOST_SLICES - RILL_SCAN_BAND; ++*at) {
        const rill_scan_entry *entry = &list->entries[*at];
        const rows in = rows_of(scan, entry);
        const int32_t more = rill_max_i(in.until - in.from, 0);
        /* A few are written whether they are there or not: nobody could guess how many there are. */
        for (int32_t i = 0; i < USUAL_SLICES; ++i) slices[count + i] = (slice){ entry->triangle, in.from + i };
        for (int32_t i = USUAL_SLICES; i < more; ++i) slices[count + i] = (slice){ entry->triangle, in.from + i };
        count += more;
    }
    RILL_ASSERT(count <= MOST_SLICES);
    return count;
}

static void keep_cuts(rill_scan *scan, uint32_t s, const slice *slices, int32_t count, const rill_scan_batch *batch) {
    for (int32_t i = 0; i < count; ++i)
        ((rill_cut *)scan->band.data)[scan->cut_end[slices[i].row]++] =
            (rill_cut){ .up = { batch->along[0][i], batch->z[0][i] },
                        .down = { batch->along[1][i], batch->z[1][i] },
                        .up_cell = batch->cell[0][i],
                        .down_cell = batch->cell[1][i],
                        .triangle = slices[i].triangle,
                        .solid = (uint16_t)s };
}

/* Which cuts of a batch cover some cell; `*cells` is how many they cover. */
static int32_t find_covering(const rill_scan_batch *batch, int32_t count, uint8_t covering[RILL_SCAN_BATCH],
                             int32_t *cells) {
    int32_t found = 0, sum = 0;
    for (int32_t i = 0; i < count; ++i) {
        const int32_t more = rill_abs_i(batch->cell[1][i] - batch->cell[0][i]);
        covering[found] = (uint8_t)i;
        found += more > 0;
        sum += more;
    }
    *cells = sum;
    return found;
}

/* Every cell that a cut covers gets a crossing. Heights run along the cut from edge to edge, so that they neither
 * overshoot the triangle, however steep it is, nor differ between neighbours at their common edge. */
static bool keep_crossings(rill_scan *scan, uint32_t s, const slice *slices, int32_t count,
                           const rill_scan_batch *batch) {
    const rill_lattice along = scan->along;
    const uint32_t *parts = scan->solids[s]->parts;
    rill_array *all = &scan->crossings;
    uint8_t covering[RILL_SCAN_BATCH];
    int32_t cells;
    count = find_covering(batch, count, covering, &cells);
    if (all->count > (size_t)(INT32_MAX - cells) ||
        !rill_array_reserve(all, scan->allocator, all->count + (size_t)cells))
        return false;
    rill_crossing *const data = all->data;
    int32_t *const lasts = scan->last, end = (int32_t)all->count;
    for (int32_t k = 0; k < count; ++k) {
        const int32_t i = covering[k], back = batch->cell[1][i] < batch->cell[0][i];
        const double a = batch->along[back][i], run = batch->along[1 - back][i] - a;
        const double low = batch->z[back][i], rise = batch->z[1 - back][i] - low;
        const uint32_t part = parts[slices[i].triangle];
        const int32_t until = batch->cell[1 - back][i];
        RILL_ASSERT(batch->cell[back][i] >= 0 && until <= along.count);
        int32_t *const last = lasts + (size_t)slices[i].row * (size_t)along.count;
        for (int32_t x = batch->cell[back][i]; x < until; ++x) {
            const double t = (rill_lattice_at(&along, x) - a) / run;
            data[end] = (rill_crossing){ low + t * rise, part, last[x], (uint16_t)s, (int8_t)(1 - 2 * back) };
            last[x] = ++end;
        }
    }
    RILL_ASSERT((size_t)end <= all->capacity);
    all->count = (size_t)end;
    return true;
}

static void cross_edges(const rill_scan *scan, uint32_t s, const slice *slices, int32_t count, rill_scan_batch *batch) {
    const rill_solid *solid = scan->solids[s];
    for (int32_t i = 0; i < count; ++i) {
        const uint32_t *index = solid->indices + 3 * (size_t)slices[i].triangle;
        batch->plane[i] = scan->planes[slices[i].row];
        for (int k = 0; k < 3; ++k) batch->corner[k][i] = 3 * (int64_t)index[k];
    }
    if (scan->kernels->cross(&scan->along, solid->vertices, scan->axis, count, batch) == 0) return;
    for (int k = 0; k < 2; ++k)
        for (int32_t i = 0; i < count; ++i)
            if (!rill_lattice_sure(&scan->along, batch->rest[k][i]))
                batch->cell[k][i] = rill_lattice_settle(&scan->along, batch->along[k][i], batch->cell[k][i]);
}

static bool cut_slices(rill_scan *scan, uint32_t s, const slice *slices, int32_t count, bool walls) {
    rill_scan_batch batch;
    cross_edges(scan, s, slices, count, &batch);
    if (walls) keep_cuts(scan, s, slices, count, &batch);
    return !scan->last || !scan->solids[s]->parts || keep_crossings(scan, s, slices, count, &batch);
}

static bool cut_triangles(rill_scan *scan, const rill_scan_list *list, bool walls) {
    slice slices[MOST_SLICES + USUAL_SLICES];
    const rill_scan_group *groups = list->groups.data;
    for (size_t g = 0; g < list->groups.count; ++g) {
        if (!is_in_band(scan, &groups[g])) continue;
        const uint32_t solid = list->entries[groups[g].first].solid;
        for (size_t at = groups[g].first; at < groups[g].end;) {
            const int32_t count = list_slices(scan, list, &at, groups[g].end, slices);
            for (int32_t i = 0; i < count; i += RILL_SCAN_BATCH)
                if (!cut_slices(scan, solid, slices + i, rill_min_i(count - i, RILL_SCAN_BATCH), walls)) return false;
        }
    }
    return true;
}

/* A band has no more cuts than a quarter of the cells, unless these are few beside the triangles, which are all looked
 * at for each band, or it is a single row. */
static void choose_band(rill_scan *scan) {
    const size_t cells = (size_t)scan->along.count * (size_t)scan->across.count;
    const size_t some = cells / 4 > scan->walls.count / 8 ? cells / 4 : scan->walls.count / 8;
    const size_t most = some > FEW_CUTS ? some : FEW_CUTS;
    const int32_t before = scan->band_until - scan->band_from; /* the next will be about as high; 0: there was none */
    const int32_t high = before == 0 || 2 * before > RILL_SCAN_BAND ? RILL_SCAN_BAND : 2 * before;
    scan->band_from = scan->band_until;
    scan->band_until = rill_min_i(scan->band_from + high, scan->across.count);
    RILL_ASSERT(scan->band_from < scan->band_until && scan->band_until - scan->band_from <= RILL_SCAN_BAND);
    count_cuts(scan);
    while (scan->band_until > scan->band_from + 1 && scan->cut_first[scan->band_until - scan->band_from] > most)
        scan->band_until -= 1;
}

/* Cuts all triangles that cross the rows of the next band. */
static bool next_band(rill_scan *scan) {
    choose_band(scan);
    if (!rill_array_reserve(&scan->band, scan->allocator, scan->cut_first[scan->band_until - scan->band_from]))
        return false;
    for (int32_t r = 0; r < RILL_SCAN_BAND; ++r) {
        scan->cut_end[r] = scan->cut_first[r];
        scan->planes[r] = rill_lattice_at(&scan->across, scan->band_from + r);
    }
    if (scan->last) {
        memset(scan->last, 0, scan->last_count * sizeof *scan->last);
        scan->crossings.count = 0; /* as many as there are triangles is a fair guess */
        if (!rill_array_reserve(&scan->crossings, scan->allocator, scan->walls.count + scan->others.count))
            return false;
    }
    return cut_triangles(scan, &scan->walls, true) && cut_triangles(scan, &scan->others, false);
}

bool rill_scan_row(rill_scan *scan, int32_t row) {
    while (row >= scan->band_until)
        if (!next_band(scan)) return false;
    RILL_ASSERT(row >= scan->band_from && row < scan->across.count); /* rows come in ascending order */
    const size_t first = scan->cut_first[row - scan->band_from];
    RILL_ASSERT(scan->cut_end[row - scan->band_from] == scan->cut_first[row - scan->band_from + 1]);
    scan->cuts.data = (const rill_cut *)scan->band.data + first;
    scan->cuts.count = scan->cut_end[row - scan->band_from] - first;
    return true;
}
