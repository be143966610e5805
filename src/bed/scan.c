/* Triangles cut by the planes of rows.
 *
 * An edge crosses the plane of a row when one of its ends is above it and the other is not ("above" is y > row, so a
 * vertex on the plane counts as below: the plane is thought to lie a hair higher). The crossing is computed from the
 * lower to the upper end, hence from positions alone: every triangle that has the edge finds the same point to the
 * bit. A triangle is crossed by none or by two of its edges, one going up and one going down, and covers the cells
 * between the two crossings. So, whatever is rounded on the way, each edge of a closed mesh adds +1 and -1 to the
 * same cells: no line ever has an odd number of crossings, or a winding number that does not return to zero. */
#include "bed/raster.h"

#include <math.h>

rill_lattice rill_lattice_of(const rill_grid *grid, const rill_area *area, int axis) {
    return (rill_lattice){ .origin = grid->origin[axis],
                           .cell = grid->cell_size,
                           .inverse = 1.0 / grid->cell_size,
                           .first = area->low[axis],
                           .count = area->high[axis] - area->low[axis] };
}

int32_t rill_lattice_reach(const rill_lattice *lattice, double value) {
    double guess = (value - lattice->origin) * lattice->inverse + (0.5 - (double)lattice->first);
    if (!(guess > 0.0)) guess = 0.0;
    if (guess > (double)lattice->count) guess = (double)lattice->count;
    int32_t i = (int32_t)guess;
    /* The guess is off by one on a centre, or by rounding; the comparison with the centre itself decides. */
    while (i > 0 && rill_lattice_at(lattice, i - 1) >= value) --i;
    while (i < lattice->count && rill_lattice_at(lattice, i) < value) ++i;
    return i;
}

/* The rows a triangle crosses; false when it lies beside the grid or between two rows. */
static bool item_of(const rill_scan *scan, const rill_solid *solid, rill_scan_item *item) {
    if (solid->parts && solid->parts[item->triangle] == RILL_NO_PART) return false;
    double low[2], high[2];
    const uint32_t *corner = solid->indices + 3 * (size_t)item->triangle;
    for (int k = 0; k < 3; ++k) {
        const double *p = solid->vertices + 3 * (size_t)corner[k];
        for (int i = 0; i < 2; ++i) {
            low[i] = k == 0 || p[i] < low[i] ? p[i] : low[i];
            high[i] = k == 0 || p[i] > high[i] ? p[i] : high[i];
        }
    }
    int along = scan->axis, across = 1 - scan->axis;
    const rill_lattice *cells = &scan->along;
    double near = RILL_NEAR_LINE * cells->cell; /* what stands beside a line may count on both sides of it (walls.c) */
    if (high[along] < rill_lattice_at(cells, 0) - near || low[along] > rill_lattice_at(cells, cells->count - 1) + near)
        return false;
    item->from = rill_lattice_reach(&scan->across, low[across]);
    item->until = rill_lattice_reach(&scan->across, high[across]);
    return item->from < item->until;
}

/* Finds all triangles that cross a row, in the order of the solids, and how many begin in each. */
static size_t list_items(rill_scan *scan, size_t solid_count, rill_scan_item *items) {
    size_t count = 0;
    for (uint32_t s = 0; s < solid_count; ++s) {
        const rill_solid *solid = scan->solids[s];
        for (uint32_t t = 0; solid && t < solid->triangle_count; ++t) {
            rill_scan_item item = { .triangle = t, .solid = s };
            if (!item_of(scan, solid, &item)) continue;
            items[count++] = item;
            scan->row_first[item.from + 1] += 1;
        }
    }
    return count;
}

/* Deals them out to the rows they begin in. */
static bool sort_items(rill_scan *scan, const rill_scan_item *items) {
    size_t rows = (size_t)scan->across.count;
    for (size_t r = 0; r < rows; ++r) scan->row_first[r + 1] += scan->row_first[r];
    scan->items = rill_memory_take(scan->allocator, scan->count, sizeof(rill_scan_item));
    scan->active = rill_memory_take(scan->allocator, scan->count, sizeof(uint32_t));
    if (!scan->items || !scan->active) return false;
    for (size_t i = 0; i < scan->count; ++i) scan->items[scan->row_first[items[i].from]++] = items[i];
    for (size_t r = rows; r > 0; --r) scan->row_first[r] = scan->row_first[r - 1]; /* each start has moved to its end */
    scan->row_first[0] = 0;
    return true;
}

bool rill_scan_make(rill_scan *scan, const rill_grid *grid, const rill_area *area, int axis,
                    const rill_solid *const *solids, size_t solid_count, const rill_allocator *allocator) {
    *scan = (rill_scan){ .solids = solids,
                         .allocator = allocator,
                         .along = rill_lattice_of(grid, area, axis),
                         .across = rill_lattice_of(grid, area, 1 - axis),
                         .axis = axis,
                         .cuts = rill_array_make(sizeof(rill_cut)) };
    size_t total = 0;
    for (size_t s = 0; s < solid_count; ++s) total += solids[s] ? solids[s]->triangle_count : 0;
    rill_scan_item *items = rill_memory_take(allocator, total, sizeof(rill_scan_item));
    scan->row_first = rill_memory_take(allocator, (size_t)scan->across.count + 1, sizeof(size_t));
    bool done = items && scan->row_first && total <= UINT32_MAX;
    if (done) {
        scan->count = list_items(scan, solid_count, items);
        done = sort_items(scan, items);
    }
    rill_memory_give(allocator, items, total, sizeof(rill_scan_item));
    return done;
}

void rill_scan_free(rill_scan *scan) {
    rill_memory_give(scan->allocator, scan->row_first, (size_t)scan->across.count + 1, sizeof(size_t));
    rill_memory_give(scan->allocator, scan->items, scan->count, sizeof(rill_scan_item));
    rill_memory_give(scan->allocator, scan->active, scan->count, sizeof(uint32_t));
    rill_array_free(&scan->cuts, scan->allocator);
}

void rill_scan_rewind(rill_scan *scan) {
    scan->active_count = 0;
}

/* Where an edge crosses the plane; it is not above at `low` and above at `high`. */
static void cross_edge(const double *low, const double *high, int axis, double plane, double point[2]) {
    double t = (plane - low[1 - axis]) / (high[1 - axis] - low[1 - axis]);
    point[0] = low[axis] + t * (high[axis] - low[axis]);
    point[1] = low[2] + t * (high[2] - low[2]);
}

static void cut_triangle(const rill_scan *scan, const rill_scan_item *item, double plane, rill_cut *cut) {
    /* One corner is alone on its side; by the bits of those above. The edge before it and the edge after it cross. */
    static const uint8_t alone[8] = { 0, 0, 1, 2, 2, 1, 0, 0 }, after[3] = { 1, 2, 0 }, before[3] = { 2, 0, 1 };
    const rill_solid *solid = scan->solids[item->solid];
    const uint32_t *corner = solid->indices + 3 * (size_t)item->triangle;
    const double *p[3];
    unsigned above = 0;
    for (int k = 0; k < 3; ++k) {
        p[k] = solid->vertices + 3 * (size_t)corner[k];
        above |= (unsigned)(p[k][1 - scan->axis] > plane) << k;
    }
    int k = alone[above];
    bool up = above >> k & 1;
    const double *self = p[k], *last = p[before[k]], *next = p[after[k]];
    cross_edge(up ? last : self, up ? self : last, scan->axis, plane, up ? cut->up : cut->down);
    cross_edge(up ? next : self, up ? self : next, scan->axis, plane, up ? cut->down : cut->up);
    cut->up_cell = rill_lattice_reach(&scan->along, cut->up[0]);
    cut->down_cell = rill_lattice_reach(&scan->along, cut->down[0]);
    cut->triangle = item->triangle;
    cut->solid = item->solid;
}

bool rill_scan_row(rill_scan *scan, int32_t row) {
    size_t first = scan->row_first[row], end = scan->row_first[row + 1], left = 0;
    scan->cuts.count = 0;
    if (!rill_array_resize(&scan->cuts, scan->allocator, scan->active_count + (end - first))) return false;
    for (size_t i = first; i < end; ++i) scan->active[scan->active_count++] = (uint32_t)i;
    double plane = rill_lattice_at(&scan->across, row);
    rill_cut *cuts = scan->cuts.data;
    for (size_t i = 0; i < scan->active_count; ++i) {
        const rill_scan_item *item = &scan->items[scan->active[i]];
        cut_triangle(scan, item, plane, &cuts[i]);
        if (item->until > row + 1) scan->active[left++] = scan->active[i];
    }
    scan->active_count = left;
    return true;
}
