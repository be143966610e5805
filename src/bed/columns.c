/* Columns: the voids between the solid parts of each cell's line, in whole quanta.
 *
 * Of a new bed the rows are passed over twice. The first pass finds how low the lowest floor and how high the highest
 * solid is; from that follow quantum and datum. The second stores the columns. Then walls thinner than a cell are
 * filled in (walls.c).
 *
 *   quantum   the smallest power of two (m) with which everything up to the headroom fits below RILL_TOP quanta, and a
 *             cell is at most 2^26 quanta wide (so that slopes stay exact in float)
 *   datum     the lowest floor (beyond open edges), rounded down to a whole quantum: its multiples stay exact
 *
 * Quantum and datum of a bed stay what they are. When solids move, the columns of an area are built anew in that
 * range, and what leaves it is clipped: a floor below the datum lies on it, a solid above the top is none. Whether a
 * thin wall is filled in depends on the cells around it, so that the area is built with a ring of cells, which is
 * then dropped. */
#include "bed/raster_internal.h"

#include "base/assert.h"
#include "base/message.h"

#include <math.h>
#include <string.h>

static const double CELL_QUANTA = 67108864.0; /* 2^26 */
static const double SLIVER = 1.0 / 32.0;      /* cells: lower openings come from sampling rather than from the model */

typedef struct builder {
    rill_raster raster;
    const rill_world_def *def;
    const rill_allocator *allocator;
    rill_columns raw;        /* of the area and the ring around it, without thin_walls */
    rill_array b, c, floors; /* its arrays while they grow */
    rill_row_voids row_voids;
    int32_t opening;  /* lowest void that is kept, quanta */
    uint8_t *touched; /* per solid: it reaches the line or the wall of some cell */
    rill_walls walls;
    rill_array thin_walls;
} builder;

static rill_area whole_grid(const rill_grid *grid) {
    return (rill_area){ { 0, 0 }, { grid->cells[0], grid->cells[1] } };
}

static rill_result check_def(const rill_world_def *def, size_t solid_count, rill_message *message) {
    const rill_grid *grid = &def->grid;
    for (int i = 0; i < 2; ++i)
        if (grid->cells[i] < 1 || grid->cells[i] > 32768)
            return rill_fail(message, RILL_INVALID_ARGUMENT, "bed: grid.cells[%d] is %d, expected 1 to 32768", i,
                             (int)grid->cells[i]);
    const rill_area whole = whole_grid(grid);
    if (rill_area_cells(&whole) > (size_t)1 << 28)
        return rill_fail(message, RILL_TOO_LARGE, "bed: grid has %zu cells, expected at most 2^28",
                         rill_area_cells(&whole));
    if (!(grid->cell_size >= 1e-9 && grid->cell_size <= 1e9))
        return rill_fail(message, RILL_INVALID_ARGUMENT, "bed: grid.cell_size is %g, expected 1e-9 to 1e9",
                         grid->cell_size);
    for (int i = 0; i < 3; ++i)
        if (!(fabs(grid->origin[i]) <= 1e9))
            return rill_fail(message, RILL_INVALID_ARGUMENT,
                             "bed: grid.origin[%d] is %g, expected a finite number within 1e9", i, grid->origin[i]);
    if (!(def->headroom > 0.0 && def->headroom <= 1e9))
        return rill_fail(message, RILL_INVALID_ARGUMENT, "bed: headroom is %g, expected more than 0, at most 1e9",
                         def->headroom);
    if (!(def->min_opening == RILL_OPENING_AUTO || (def->min_opening >= 0.0 && def->min_opening <= 1e9)))
        return rill_fail(message, RILL_INVALID_ARGUMENT, "bed: min_opening is %g, expected 0 to 1e9", def->min_opening);
    if (solid_count > 65535)
        return rill_fail(message, RILL_TOO_LARGE, "bed: %zu solids, expected at most 65535", solid_count);
    return RILL_OK;
}

/* ---------------------------------------------------------------------------------------------- first pass: extent */

typedef struct measures {
    double lowest, highest; /* floor, solid */
    int64_t voids;
} measures;

/* The spans of a cell in order: its own, and the runs that pass it. */
typedef struct walk {
    const rill_span *spans, *end;
    const rill_span_run *runs, *runs_end;
    int32_t x;
} walk;

static walk walk_cell(const rill_raster *raster, int32_t x) {
    const rill_span_run *runs = raster->runs.data;
    return (walk){ raster->row + raster->span_first[x], raster->row + raster->span_first[x + 1], runs,
                   raster->runs.count > 0 ? runs + raster->runs.count : runs, x };
}

/* NULL at the end. */
static const rill_span *next_span(walk *w) {
    while (w->runs < w->runs_end && !(w->x >= w->runs->from && w->x < w->runs->until)) w->runs += 1;
    if (w->runs < w->runs_end && (w->spans == w->end || rill_span_before(&w->runs->span, w->spans)))
        return &(w->runs++)->span;
    return w->spans < w->end ? w->spans++ : NULL;
}

static void measure_void(measures *extent, double floor, bool lowest) {
    extent->voids += 1;
    if (lowest && floor < extent->lowest) extent->lowest = floor;
    if (floor > extent->highest) extent->highest = floor;
}

static void measure_cell(measures *extent, const rill_raster *raster, int32_t x) {
    walk w = walk_cell(raster, x);
    const rill_span *span = next_span(&w);
    if (!span) return;
    double top = span->high;
    bool lowest = true;
    while ((span = next_span(&w))) {
        if (span->low > top) {
            measure_void(extent, top, lowest);
            lowest = false;
            top = span->high;
        } else if (span->high > top)
            top = span->high;
    }
    measure_void(extent, top, lowest);
}

static rill_result measure(builder *build, measures *extent, rill_message *message) {
    *extent = (measures){ .lowest = INFINITY, .highest = rill_raster_highest(&build->raster) };
    for (int32_t y = 0; y < build->raster.y.count; ++y) {
        if (!rill_raster_row(&build->raster, y))
            return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory for row %d", (int)y);
        for (int32_t x = 0; x < build->raster.x.count; ++x) measure_cell(extent, &build->raster, x);
    }
    if (extent->voids == 0) extent->lowest = extent->highest = build->def->grid.origin[2]; /* walls all over */
    if (extent->voids > INT32_MAX)
        return rill_fail(message, RILL_TOO_LARGE, "bed: %lld columns, expected less than 2^31",
                         (long long)extent->voids);
    return RILL_OK;
}

/* Beyond an open edge the floor may go on falling by a cell's size (ghost_base in bed.c): the range begins that much
 * lower. */
static double lowest_needed(const rill_world_def *def, const measures *extent) {
    for (int side = 0; side < 4; ++side)
        if (def->edges[side].kind == RILL_EDGE_OPEN) return extent->lowest - def->grid.cell_size;
    return extent->lowest;
}

static rill_result choose_quantum(builder *build, const measures *extent, rill_message *message) {
    /* Two quanta are kept free for rounding the datum down and for a void above the highest solid. */
    double lowest = lowest_needed(build->def, extent), height = extent->highest + build->def->headroom - lowest;
    double need = fmax(height / (double)(RILL_TOP - 2), build->def->grid.cell_size / CELL_QUANTA);
    int exponent;
    if (frexp(need, &exponent) == 0.5) exponent -= 1;
    double quantum = ldexp(1.0, exponent);
    if (!(quantum <= build->def->grid.cell_size))
        return rill_fail(message, RILL_INVALID_DATA,
                         "bed: solids and headroom are %g m high, expected at most %g m over cells of %g m", height,
                         build->def->grid.cell_size * (double)RILL_TOP, build->def->grid.cell_size);
    RILL_ASSERT(frexp(quantum, &exponent) == 0.5); /* multiplying by its inverse is exact then */
    build->raw.quantum = quantum;
    build->raw.datum = floor(lowest / quantum) * quantum;
    RILL_ASSERT(build->raw.datum <= lowest && (extent->highest - build->raw.datum) / quantum <= (double)RILL_TOP);
    return RILL_OK;
}

int32_t rill_columns_opening(const rill_world_def *def, double quantum) {
    const double least = def->min_opening < 0.0 ? SLIVER * def->grid.cell_size : def->min_opening;
    const double opening = ceil(least / quantum);
    return opening < 1.0 ? 1 : opening > (double)RILL_TOP ? RILL_TOP : (int32_t)opening;
}

/* --------------------------------------------------------------------------------------------- second pass: columns */

/* Room for as many columns more; a cell never has more of them than spans. */
static bool reserve(builder *build, size_t more) {
    rill_columns *columns = &build->raw;
    size_t count = (size_t)columns->count + more;
    RILL_ASSERT(columns->count >= 0 && columns->count <= INT32_MAX);
    build->b.count = build->c.count = build->floors.count = (size_t)columns->count; /* what is there moves along */
    const bool good = rill_array_reserve(&build->b, build->allocator, count) &&
                      rill_array_reserve(&build->c, build->allocator, count) &&
                      rill_array_reserve(&build->floors, build->allocator, count);
    columns->b = build->b.data, columns->c = build->c.data, columns->floors = build->floors.data;
    return good;
}

/* Once the first row is there: room for as many in all others, so that the arrays do not have to grow bit by bit. It
 * does not matter if there is none. */
static void foresee(builder *build, size_t cells) {
    const size_t rows = (size_t)build->raster.y.count, first = (size_t)build->raw.count;
    const size_t most = 8 * cells, likely = first < most / rows ? first * rows : most;
    if (likely > 2 * cells) (void)reserve(build, likely + likely / 4 - first);
}

/* Stores the columns, and on the way, if the rows are passed over for the first time, collects walls. */
static rill_result store(builder *build, bool walls, rill_message *message) {
    rill_columns *columns = &build->raw;
    const size_t cells = rill_area_cells(&columns->area);
    columns->cell_first = rill_alloc(build->allocator, cells + 1, sizeof(int32_t));
    columns->notes = rill_alloc_zeroed(build->allocator, cells, sizeof(rill_notes));
    if (!columns->cell_first || !columns->notes)
        return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory for %zu cells", cells);
    if (!reserve(build, 2 * cells)) return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory for columns");
    const int32_t width = build->raster.x.count;
    size_t cell = 0;
    for (int32_t y = 0; y < build->raster.y.count; ++y, cell += (size_t)width) {
        if (!rill_raster_row(&build->raster, y))
            return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory for row %d", (int)y);
        const size_t spans = (size_t)build->raster.span_first[width];
        const size_t most = spans + build->raster.runs.count * (size_t)width;
        if (most > (size_t)(INT32_MAX - columns->count))
            return rill_fail(message, RILL_TOO_LARGE, "bed: more than 2^31 columns up to row %d", (int)y);
        if (!reserve(build, most + RILL_VOIDS_COPIED) ||
            !rill_row_voids_begin(&build->row_voids, &build->raster, build->touched))
            return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory for row %d", (int)y);
        rill_row_voids_row(&build->row_voids, &build->raster, cell);
        RILL_ASSERT((size_t)columns->count <= build->b.capacity && build->b.capacity <= (size_t)INT32_MAX * 2);
        if (y == 0) foresee(build, cells);
        for (size_t i = 0; i < spans; ++i) build->touched[build->raster.row[i].solid] = 1;
        if (walls && !rill_walls_row(&build->walls, &build->raster.scans[0], y))
            return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory to find thin walls");
    }
    return RILL_OK;
}

static rill_result find_walls(builder *build, bool collected, rill_message *message) {
    rill_scan *scans = build->raster.scans;
    const bool done = (collected || rill_walls_collect(&build->walls, &scans[0])) &&
                      rill_walls_collect(&build->walls, &scans[1]) &&
                      rill_walls_find(&build->walls, &build->thin_walls);
    return done ? RILL_OK : rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory to find thin walls");
}

/* ------------------------------------------------------------------------------------------------ all */

/* Of a whole grid without a range yet, or of an area in the range of `out`. */
static rill_result run(builder *build, const rill_solid *const *solids, size_t solid_count, bool choose,
                       rill_columns *out, rill_message *message) {
    const rill_grid *grid = &build->def->grid;
    build->raw = *out;
    for (int i = 0; i < 2; ++i) {
        build->raw.area.low[i] -= out->area.low[i] > 0;
        build->raw.area.high[i] += out->area.high[i] < grid->cells[i];
    }
    if (!rill_raster_make(&build->raster, grid, &build->raw.area, solids, solid_count, build->allocator))
        return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory to sort the triangles");
    if (!choose) build->raster.kept_rows = -1; /* there is no second time round */
    if (choose) {
        measures extent;
        rill_result result = measure(build, &extent, message);
        if (!result) result = choose_quantum(build, &extent, message);
        if (result) return result;
    }
    build->opening = rill_columns_opening(build->def, build->raw.quantum);
    build->walls = rill_walls_make(&build->raw, build->allocator);
    build->row_voids = rill_row_voids_make(&build->raw, build->opening, build->allocator);
    rill_result result = store(build, !choose, message);
    if (!result) result = find_walls(build, !choose, message);
    if (result) return result;
    const rill_thin_wall *thin_walls = build->thin_walls.data;
    for (size_t i = 0; i < build->thin_walls.count; ++i) build->touched[thin_walls[i].solid] = 1;
    const rill_area area = out->area;
    return rill_columns_close_walls(&build->raw, build->opening, &build->thin_walls, &area, build->allocator, out,
                                    message);
}

static rill_result build_area(const rill_world_def *def, const rill_solid *const *solids, size_t solid_count,
                              uint8_t *touched, const rill_allocator *allocator, bool choose, rill_columns *out,
                              rill_message *message) {
    builder build = { .def = def,
                      .allocator = allocator,
                      .b = rill_array_make(sizeof(int32_t)),
                      .c = rill_array_make(sizeof(int32_t)),
                      .floors = rill_array_make(sizeof(uint16_t)),
                      .touched = touched,
                      .thin_walls = rill_array_make(sizeof(rill_thin_wall)) };
    const rill_result result = run(&build, solids, solid_count, choose, out, message);
    const size_t cells = rill_area_cells(&build.raw.area);
    rill_raster_free(&build.raster);
    if (build.walls.allocator) rill_walls_free(&build.walls);
    if (build.row_voids.allocator) rill_row_voids_free(&build.row_voids);
    rill_array *const arrays[] = { &build.thin_walls, &build.b, &build.c, &build.floors };
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; ++k) rill_array_free(arrays[k], allocator);
    rill_free(allocator, build.raw.cell_first, cells + 1, sizeof(int32_t));
    rill_free(allocator, build.raw.notes, cells, sizeof(rill_notes));
    return result;
}

void rill_columns_describe(const rill_columns *columns, rill_bed_info *info) {
    const size_t cells = rill_area_cells(&columns->area);
    int32_t lowest = columns->count > 0 ? RILL_TOP : 0;
    for (int i = 0; i < 2; ++i) info->cells[i] = columns->grid.cells[i];
    info->columns = columns->count;
    info->quantum = columns->quantum;
    info->highest = columns->datum + (double)RILL_TOP * columns->quantum;
    for (size_t i = 0; i < cells; ++i) {
        int32_t layers = columns->cell_first[i + 1] - columns->cell_first[i];
        if (layers > info->layers) info->layers = layers;
        if (layers == 0)
            info->wall_cells += 1;
        else if (columns->b[columns->cell_first[i]] < lowest)
            lowest = columns->b[columns->cell_first[i]];
        rill_notes_count(&columns->notes[i], 1, info);
    }
    info->lowest = columns->datum + (double)lowest * columns->quantum;
}

void rill_solids_describe(const rill_solid *const *solids, size_t solid_count, const uint8_t *touched,
                          rill_bed_info *info) {
    info->degenerate_triangles = info->doubled_triangles = info->outside_solids = 0;
    info->open_components = info->closed_components = 0;
    for (size_t s = 0; s < solid_count; ++s) {
        if (!solids[s]) continue;
        info->degenerate_triangles += solids[s]->degenerate_triangles;
        info->doubled_triangles += solids[s]->doubled_triangles;
        info->open_components += solids[s]->open_components;
        info->closed_components += solids[s]->closed_components;
        info->outside_solids += !touched[s];
    }
}

rill_result rill_columns_build(const rill_world_def *def, const rill_solid *const *solids, size_t solid_count,
                               uint8_t *touched, const rill_allocator *allocator, rill_columns *out,
                               rill_message *message) {
    rill_result result = check_def(def, solid_count, message);
    if (result) return result;
    rill_columns columns = { .grid = def->grid, .area = whole_grid(&def->grid) };
    memset(touched, 0, solid_count);
    result = build_area(def, solids, solid_count, touched, allocator, true, &columns, message);
    if (!result) *out = columns;
    return result;
}

rill_result rill_columns_rebuild(const rill_world_def *def, const rill_range *range, const rill_area *area,
                                 const rill_solid *const *solids, size_t solid_count, uint8_t *touched,
                                 const rill_allocator *allocator, rill_columns *out, rill_message *message) {
    rill_columns columns = { .grid = def->grid, .area = *area, .quantum = range->quantum, .datum = range->datum };
    const rill_result result = build_area(def, solids, solid_count, touched, allocator, false, &columns, message);
    if (!result) *out = columns;
    return result;
}
