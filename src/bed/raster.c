/* Solid parts of the vertical line through each cell's centre, one row of cells at a time.
 *
 * Meshes: the crossings of a cell are sorted by solid, by part of the mesh, and downwards; what is solid then follows
 * from the kind of the part (see rill_part_kind). Mostly there are two, of which nothing needs sorting. Primitives are
 * asked for their exact ranges, heightmaps are sampled. */
#include "bed/raster_internal.h"

#include "base/assert.h"
#include "base/simd.h"
#include "base/sort.h"
#include "shape/stretch.h"

#include <math.h>

enum { MOST_KEPT = 1 << 20 }; /* spans */

static bool crossing_before(const rill_crossing *a, const rill_crossing *b) {
    if (a->solid != b->solid) return a->solid < b->solid;
    if (a->part != b->part) return a->part < b->part;
    if (a->z != b->z) return a->z > b->z;
    return a->sign < b->sign;
}

static bool run_before(const rill_span_run *a, const rill_span_run *b) {
    return rill_span_before(&a->span, &b->span);
}

RILL_SORT(sort_crossings, rill_crossing, crossing_before)
RILL_SORT(sort_spans, rill_span, rill_span_before)
RILL_SORT(sort_runs, rill_span_run, run_before)

bool rill_raster_make(rill_raster *raster, const rill_grid *grid, const rill_area *area,
                      const rill_solid *const *solids, size_t solid_count, const rill_allocator *allocator) {
    *raster = (rill_raster){ .allocator = allocator,
                             .grid = *grid,
                             .solids = solids,
                             .solid_count = solid_count,
                             .x = rill_lattice_of(grid, area, 0),
                             .y = rill_lattice_of(grid, area, 1),
                             .loose = rill_array_make(sizeof(rill_span)),
                             .spans = rill_array_make(sizeof(rill_span)),
                             .runs = rill_array_make(sizeof(rill_span_run)),
                             .crossings = rill_array_make(sizeof(rill_crossing)) };
    raster->meshes_alone = true;
    for (size_t s = 0; s < solid_count; ++s)
        raster->meshes_alone &=
            !solids[s] || solids[s]->primitive.aligned || solids[s]->def.shape.type == RILL_SHAPE_MESH;
    if (!rill_scans_make(raster->scans, grid, area, solids, solid_count, allocator)) return false;
    raster->span_first = rill_alloc_zeroed(allocator, (size_t)raster->x.count + 1, sizeof(int32_t));
    raster->row_first = rill_alloc_zeroed(allocator, (size_t)raster->y.count + 1, sizeof(size_t));
    bool reserved = rill_array_resize(&raster->spans, allocator, 1); /* rows without spans have an address too */
    raster->spans.count = 0;
    return raster->span_first && raster->row_first && reserved;
}

void rill_raster_free(rill_raster *raster) {
    const rill_allocator *allocator = raster->allocator;
    if (!allocator) return;
    rill_free(allocator, raster->span_first, (size_t)raster->x.count + 1, sizeof(int32_t));
    rill_free(allocator, raster->row_first, (size_t)raster->y.count + 1, sizeof(size_t));
    rill_array_free(&raster->loose, allocator);
    rill_array_free(&raster->spans, allocator);
    rill_array_free(&raster->runs, allocator);
    rill_array_free(&raster->crossings, allocator);
    rill_scans_free(raster->scans);
}

double rill_raster_highest(const rill_raster *raster) {
    double highest = -INFINITY, low[2], high[2];
    for (int i = 0; i < 2; ++i) {
        low[i] = raster->grid.origin[i];
        high[i] = low[i] + (double)raster->grid.cells[i] * raster->grid.cell_size;
    }
    for (size_t s = 0; s < raster->solid_count; ++s) {
        const rill_solid *solid = raster->solids[s];
        for (size_t t = 0; solid && t < solid->triangle_count; ++t) {
            const double *p = solid->vertices + 3 * (size_t)solid->indices[3 * t];
            const double *q = solid->vertices + 3 * (size_t)solid->indices[3 * t + 1];
            const double *r = solid->vertices + 3 * (size_t)solid->indices[3 * t + 2];
            double top = p[2] > q[2] ? p[2] : q[2];
            if (r[2] > top) top = r[2];
            if (!(top > highest)) continue;
            bool beside = false;
            for (int i = 0; i < 2; ++i)
                beside = beside || (p[i] < low[i] && q[i] < low[i] && r[i] < low[i]) ||
                         (p[i] > high[i] && q[i] > high[i] && r[i] > high[i]);
            if (!beside) highest = top;
        }
    }
    return highest;
}

/* `more` elements behind those there are, to be written. NULL when there is no memory. */
static void *extend(rill_array *array, const rill_allocator *allocator, size_t more) {
    size_t count = array->count;
    if (!rill_array_reserve(array, allocator, count + more)) return NULL;
    array->count = count + more;
    return (char *)array->data + count * array->element;
}

/* Turns counts per cell into the place of each cell's first element; returns their sum. */
static int32_t sum_counts(int32_t *first, int32_t cells) {
    int32_t sum = 0;
    for (int32_t x = 0; x <= cells; ++x) {
        int32_t count = first[x];
        first[x] = sum;
        sum += count;
    }
    return sum;
}

/* Where the spans of a cell go to; there is room for as many as it has crossings. */
typedef struct sink {
    rill_array *spans;
    int32_t cell;
} sink;

static inline void push_span(const sink *to, uint16_t solid, double low, double high, bool sheet) {
    ((rill_span *)to->spans->data)[to->spans->count++] =
        (rill_span){ .low = low, .high = high, .cell = to->cell, .solid = solid, .sheet = sheet };
}

/* The crossings of one part (or of all volumes of one solid) by one line, downwards. */
static void spans_of_part(const sink *to, rill_crossing *c, size_t count, rill_part_kind kind) {
    const uint16_t solid = c->solid;
    if (kind == RILL_PART_VOLUME) {
        int winding = 0;
        double top = 0.0;
        for (size_t i = 0; i < count; ++i) {
            if (winding == 0) top = c[i].z;
            winding += c[i].sign;
            if (winding == 0) push_span(to, solid, c[i].z, top, false);
        }
        return;
    }
    if (kind == RILL_PART_PARITY) {
        for (size_t i = 0; i + 1 < count; i += 2) push_span(to, solid, c[i + 1].z, c[i].z, false);
        return;
    }
    /* A punctured part: opposite crossings pair up like brackets; what finds no partner is a sheet. */
    size_t open = 0;
    for (size_t i = 0; i < count; ++i) {
        if (kind == RILL_PART_PUNCTURED && open > 0 && c[open - 1].sign != c[i].sign) {
            push_span(to, solid, c[i].z, c[open - 1].z, false);
            open -= 1;
        } else
            c[open++] = c[i];
    }
    for (size_t i = 0; i < open; ++i) push_span(to, solid, c[i].z, c[i].z, true);
}

static rill_part_kind kind_of(const rill_raster *raster, const rill_crossing *c) {
    return (rill_part_kind)raster->solids[c->solid]->part_kinds[c->part];
}

/* Any crossings: listed from the last on. */
static bool spans_of_line(rill_raster *raster, const sink *to, int32_t last) {
    const rill_crossing *crossings = raster->scans[0].crossings.data;
    raster->crossings.count = 0;
    for (; last; last = crossings[last - 1].next)
        if (!rill_array_push(&raster->crossings, raster->allocator, &crossings[last - 1])) return false;
    rill_crossing *all = raster->crossings.data;
    const size_t count = raster->crossings.count;
    if (!rill_array_reserve(to->spans, raster->allocator, to->spans->count + count)) return false;
    sort_crossings(all, count);
    for (size_t start = 0, stop; start < count; start = stop) {
        for (stop = start + 1;
             stop < count && all[stop].solid == all[start].solid && all[stop].part == all[start].part;)
            ++stop;
        spans_of_part(to, all + start, stop - start, kind_of(raster, &all[start]));
    }
    return true;
}

/* Two crossings in opposite directions by the same part of a mesh that is closed, and nothing else. */
static inline bool is_simple(const rill_raster *raster, const rill_crossing *a, const rill_crossing *b) {
    return !b->next && a->solid == b->solid && a->part == b->part && a->sign != b->sign &&
           kind_of(raster, a) <= RILL_PART_PARITY;
}

/* Cell by cell into `spans`; span_first says where. */
static bool spans_of_meshes(rill_raster *raster, int32_t row, rill_array *spans) {
    const int32_t *last = rill_scan_last(&raster->scans[0], row);
    const rill_crossing *crossings = raster->scans[0].crossings.data;
    const size_t start = spans->count;
    for (int32_t x = 0; x < raster->x.count; ++x) {
        raster->span_first[x] = (int32_t)(spans->count - start);
        if (!last || !last[x]) continue;
        const sink to = { spans, x };
        const rill_crossing *a = &crossings[last[x] - 1], *b = a->next ? &crossings[a->next - 1] : NULL;
        if (b && is_simple(raster, a, b)) {
            if (!rill_array_reserve(spans, raster->allocator, spans->count + 1)) return false;
            const bool above = a->z > b->z;
            push_span(&to, a->solid, above ? b->z : a->z, above ? a->z : b->z, false);
        } else if (!spans_of_line(raster, &to, last[x]))
            return false;
    }
    if (spans->count - start > INT32_MAX) return false;
    raster->span_first[raster->x.count] = (int32_t)(spans->count - start);
    return true;
}

/* A box parallel to the grid is the same all along. As in rill_line_cuts, of two boxes side by side exactly one owns a
 * centre on their common face. */
static bool push_run(rill_raster *raster, uint16_t index, double y) {
    const rill_primitive *primitive = &raster->solids[index]->primitive;
    if (!(y >= primitive->low[1] && y < primitive->high[1])) return true;
    const rill_span_run run = { .span = { .low = primitive->low[2], .high = primitive->high[2], .solid = index },
                                .from = rill_lattice_reach(&raster->x, primitive->low[0]),
                                .until = rill_lattice_reach(&raster->x, primitive->high[0]) };
    return run.from >= run.until || rill_array_push(&raster->runs, raster->allocator, &run) != NULL;
}

static bool make_runs(rill_raster *raster, int32_t row) {
    const double y = rill_lattice_at(&raster->y, row);
    raster->runs.count = 0;
    for (size_t s = 0; s < raster->solid_count; ++s)
        if (raster->solids[s] && raster->solids[s]->primitive.aligned && !push_run(raster, (uint16_t)s, y))
            return false;
    sort_runs(raster->runs.data, raster->runs.count);
    return true;
}

static bool spans_of_form(rill_raster *raster, uint16_t index, double y) {
    const rill_solid *solid = raster->solids[index];
    const rill_primitive *primitive = &solid->primitive;
    if (!(y >= primitive->low[1] && y <= primitive->high[1])) return true;
    int32_t from = rill_lattice_reach(&raster->x, primitive->low[0]),
            until = rill_lattice_reach(&raster->x, primitive->high[0]);
    if (until < raster->x.count) until += 1; /* a centre exactly on the bound */
    for (int32_t x = from; x < until; ++x) {
        double low[2], high[2];
        int count = rill_line_cuts(solid, rill_lattice_at(&raster->x, x), y, low, high);
        for (int i = 0; i < count; ++i) {
            rill_span span = { .low = low[i], .high = high[i], .cell = x, .solid = index };
            if (!rill_array_push(&raster->loose, raster->allocator, &span)) return false;
        }
    }
    return true;
}

static bool spans_of_heightmap(rill_raster *raster, uint16_t index, int32_t row) {
    const rill_solid_def *def = &raster->solids[index]->def;
    int32_t cells = raster->x.count, nx = def->shape.heights_size[0], ny = def->shape.heights_size[1];
    rill_span *out = extend(&raster->loose, raster->allocator, (size_t)cells);
    if (!out) return false;
    double fy;
    int32_t y0 = rill_stretch(raster->y.first + row, raster->grid.cells[1], ny, &fy), y1 = y0 + 1 < ny ? y0 + 1 : y0;
    const double *south = def->shape.heights + (size_t)y0 * (size_t)nx,
                 *north = def->shape.heights + (size_t)y1 * (size_t)nx;
    for (int32_t x = 0; x < cells; ++x) {
        double fx;
        int32_t x0 = rill_stretch(raster->x.first + x, raster->grid.cells[0], nx, &fx), x1 = x0 + 1 < nx ? x0 + 1 : x0;
        double low = south[x0] + fx * (south[x1] - south[x0]), high = north[x0] + fx * (north[x1] - north[x0]);
        double z = raster->grid.origin[2] + (low + fy * (high - low));
        *out++ = (rill_span){ .low = -INFINITY, .high = z, .cell = x, .solid = index };
    }
    return true;
}

/* Loose spans into cells. */
static bool gather_spans(rill_raster *raster) {
    int32_t cells = raster->x.count, *first = raster->span_first;
    size_t count = raster->loose.count;
    rill_span *out = count > INT32_MAX ? NULL : extend(&raster->spans, raster->allocator, count);
    if (!out) return false;
    const rill_span *in = raster->loose.data;
    for (int32_t x = 0; x <= cells; ++x) first[x] = 0;
    for (size_t i = 0; i < count; ++i) first[in[i].cell] += 1;
    sum_counts(first, cells);
    for (size_t i = 0; i < count; ++i) out[first[in[i].cell]++] = in[i];
    for (int32_t x = cells; x > 0; --x) first[x] = first[x - 1];
    RILL_ASSERT((size_t)first[cells] == count);
    first[0] = 0;
    return true;
}

static bool spans_of_others(rill_raster *raster, int32_t row) {
    double y = rill_lattice_at(&raster->y, row);
    for (size_t s = 0; s < raster->solid_count; ++s) {
        if (!raster->solids[s]) continue;
        rill_shape shape = raster->solids[s]->def.shape.type;
        if (shape == RILL_SHAPE_MESH || raster->solids[s]->primitive.aligned) continue;
        bool done = shape == RILL_SHAPE_HEIGHTMAP ? spans_of_heightmap(raster, (uint16_t)s, row)
                                                  : spans_of_form(raster, (uint16_t)s, y);
        if (!done) return false;
    }
    return true;
}

/* Up within each cell. */
static bool make_row(rill_raster *raster, int32_t row) {
    const int32_t *first = raster->span_first;
    const size_t start = raster->spans.count;
    raster->loose.count = 0;
    if (!rill_scan_row(&raster->scans[0], row)) return false;
    if (!spans_of_meshes(raster, row, raster->meshes_alone ? &raster->spans : &raster->loose)) return false;
    if (!raster->meshes_alone && (!spans_of_others(raster, row) || !gather_spans(raster))) return false;
    rill_span *const spans = (rill_span *)raster->spans.data + start;
    RILL_ASSERT(first[0] == 0 && (size_t)first[raster->x.count] == raster->spans.count - start);
    for (int32_t x = 0; x < raster->x.count; ++x) sort_spans(spans + first[x], (size_t)(first[x + 1] - first[x]));
    raster->row = spans;
    return true;
}

static void recall_row(rill_raster *raster, int32_t row) {
    int32_t cells = raster->x.count, *first = raster->span_first;
    raster->row = (const rill_span *)raster->spans.data + raster->row_first[row];
    size_t count = raster->row_first[row + 1] - raster->row_first[row];
    for (int32_t x = 0; x <= cells; ++x) first[x] = 0;
    RILL_ASSERT(raster->row_first[row + 1] <= raster->spans.count);
    for (size_t i = 0; i < count; ++i) first[raster->row[i].cell] += 1;
    sum_counts(first, cells);
}

/* Rows are kept for the second time round, from the first on, until there are too many spans: then none are. */
bool rill_raster_row(rill_raster *raster, int32_t row) {
    RILL_ASSERT(row >= 0 && row < raster->y.count && raster->kept_rows <= raster->y.count);
    if (!make_runs(raster, row)) return false;
    if (row < raster->kept_rows) {
        recall_row(raster, row);
        return true;
    }
    if (row == 0) rill_scan_rewind(&raster->scans[0]);
    bool keep = row == raster->kept_rows && raster->spans.count <= MOST_KEPT;
    if (!keep) raster->kept_rows = -1, raster->spans.count = 0;
    if (!make_row(raster, row)) return false;
    if (keep) raster->kept_rows += 1, raster->row_first[row + 1] = raster->spans.count;
    return true;
}
