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
 * Quantum and datum of a bed stay what they are. When solids move, the columns of an area are built anew in that range,
 * and what leaves it is clipped: a floor below the datum lies on it, a solid above the top is none. Whether a thin wall
 * is filled in depends on the cells around it, so that the area is built with a ring of cells, which is then dropped. */
#include "bed/raster.h"

#include "base/message.h"

#include <math.h>
#include <string.h>

static const double CELL_QUANTA = 67108864.0; /* 2^26 */
/* A solid part thinner than this share of a quantum is rounding, not geometry. */
static const double NOTHING = 1.0 / 1024.0;
/* Quanta: nothing can stand on a floor that is nearer to the top of the range. */
enum { LEAST_SKY = 64 };

typedef struct builder {
    rill_raster raster;
    const rill_world_def *def;
    const rill_allocator *allocator;
    rill_columns raw;        /* of the area and the ring around it, without fills */
    rill_array b, c, floors; /* its arrays while they grow */
    int32_t opening;         /* lowest void that is kept, quanta */
    uint8_t *touched;        /* per solid: it reaches the line or the wall of some cell */
    rill_walls walls;
    rill_array fills;
} builder;

static size_t area_cells(const rill_area *area) {
    return (size_t)(area->high[0] - area->low[0]) * (size_t)(area->high[1] - area->low[1]);
}

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
    if (area_cells(&whole) > (size_t)1 << 28)
        return rill_fail(message, RILL_TOO_LARGE, "bed: grid has %zu cells, expected at most 2^28", area_cells(&whole));
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
    if (!(def->min_opening >= 0.0 && def->min_opening <= 1e9))
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

static void measure_cell(measures *extent, const rill_span *spans, int32_t count) {
    double top = spans[0].high;
    bool lowest = true;
    for (int32_t i = 1; i <= count; ++i) {
        if (i < count && spans[i].low <= top) {
            if (spans[i].high > top) top = spans[i].high;
            continue;
        }
        extent->voids += 1;
        if (lowest && top < extent->lowest) extent->lowest = top;
        if (top > extent->highest) extent->highest = top;
        lowest = false;
        if (i < count) top = spans[i].high;
    }
}

static rill_result measure(builder *build, measures *extent, rill_message *message) {
    *extent = (measures){ .lowest = INFINITY, .highest = rill_raster_highest(&build->raster) };
    for (int32_t y = 0; y < build->raster.y.count; ++y) {
        if (!rill_raster_row(&build->raster, y))
            return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory for row %d", (int)y);
        const rill_span *spans = build->raster.row;
        const int32_t *first = build->raster.span_first;
        for (int32_t x = 0; x < build->raster.x.count; ++x) {
            if (first[x] < first[x + 1]) measure_cell(extent, spans + first[x], first[x + 1] - first[x]);
        }
    }
    if (extent->voids == 0) extent->lowest = extent->highest = build->def->grid.origin[2]; /* walls all over */
    if (extent->voids > INT32_MAX)
        return rill_fail(message, RILL_TOO_LARGE, "bed: %lld columns, expected less than 2^31",
                         (long long)extent->voids);
    return RILL_OK;
}

/* Beyond an open edge the floor may go on falling by a cell's size (ghost_base in bed.c): the range begins that much lower. */
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
    build->raw.quantum = quantum;
    build->raw.datum = floor(lowest / quantum) * quantum;
    return RILL_OK;
}

static void choose_opening(builder *build) {
    double opening = ceil(build->def->min_opening / build->raw.quantum);
    build->opening = opening < 1.0 ? 1 : opening > (double)RILL_TOP ? RILL_TOP : (int32_t)opening;
}

/* --------------------------------------------------------------------------------------------- second pass: columns */

/* Rounded to nearest. A quantum is a power of two: multiplying by its inverse is dividing by it. */
static int32_t quantise(const rill_columns *columns, double inverse, double z) {
    double height = (z - columns->datum) * inverse + 0.5;
    if (!(height > -(double)RILL_WALL)) return -RILL_WALL;
    if (height >= (double)RILL_TOP) return RILL_TOP;
    int32_t whole = (int32_t)height;
    return whole - (height < (double)whole);
}

static void count_up(uint8_t *counter) {
    if (*counter < UINT8_MAX) *counter += 1;
}

static void put_column(rill_columns *columns, int32_t b, int32_t c, uint16_t solid) {
    columns->b[columns->count] = b;
    columns->c[columns->count] = c;
    columns->floors[columns->count] = solid;
    columns->count += 1;
}

/* A void, cut to the range: only one that was chosen for other solids can cut anything. Counts it alone while `out` has
 * no arrays. */
static void keep_void(const builder *build, rill_columns *out, int32_t b, int32_t c, uint16_t floor,
                      rill_notes *notes) {
    if (b < 0 || b > RILL_TOP - LEAST_SKY) {
        count_up(&notes->clipped);
        if (b > 0) return;
        b = 0;
    }
    if (c <= b) return;
    if (c - b < build->opening && c != RILL_TOP)
        count_up(&notes->slivers);
    else if (out->b)
        put_column(out, b, c, floor);
    else
        out->count += 1;
}

/* Merges a cell's spans and stores the voids above them. */
static void store_cell(builder *build, const rill_span *spans, int32_t count, rill_notes *notes) {
    rill_columns *columns = &build->raw;
    const double inverse = 1.0 / columns->quantum;
    bool any = false;
    int32_t top = 0;
    uint16_t floor = 0;
    for (int32_t i = 0; i < count; ++i) {
        int32_t low = quantise(columns, inverse, spans[i].low), high = quantise(columns, inverse, spans[i].high);
        if (spans[i].sheet) notes->sheets = 1;
        if (!spans[i].sheet && !(spans[i].high - spans[i].low > NOTHING * columns->quantum)) continue;
        if (low >= RILL_TOP) {
            count_up(&notes->clipped);
            continue;
        }
        if (low >= high) low = high - 1;
        if (any && low > top) keep_void(build, columns, top, low, floor, notes);
        if (!any || high > top) {
            top = high;
            floor = spans[i].solid;
        }
        any = true;
    }
    if (any) keep_void(build, columns, top, RILL_TOP, floor, notes);
}

/* Room for as many columns more; a cell never has more of them than spans. */
static bool reserve(builder *build, size_t more) {
    rill_columns *columns = &build->raw;
    size_t count = (size_t)columns->count + more;
    build->b.count = build->c.count = build->floors.count = (size_t)columns->count; /* what is there moves along */
    if (!rill_array_reserve(&build->b, build->allocator, count) ||
        !rill_array_reserve(&build->c, build->allocator, count) ||
        !rill_array_reserve(&build->floors, build->allocator, count))
        return false;
    columns->b = build->b.data, columns->c = build->c.data, columns->floors = build->floors.data;
    return true;
}

/* Stores the columns, and on the way, if the rows are passed over for the first time, collects walls. */
static rill_result store(builder *build, bool walls, rill_message *message) {
    rill_columns *columns = &build->raw;
    const size_t cells = area_cells(&columns->area);
    columns->cell_first = rill_memory_claim(build->allocator, cells + 1, sizeof(int32_t));
    columns->notes = rill_memory_take(build->allocator, cells, sizeof(rill_notes));
    if (!columns->cell_first || !columns->notes)
        return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory for %zu cells", cells);
    if (!reserve(build, 2 * cells)) return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory for columns");
    size_t cell = 0;
    for (int32_t y = 0; y < build->raster.y.count; ++y) {
        const int32_t *first = build->raster.span_first;
        if (!rill_raster_row(&build->raster, y) || !reserve(build, (size_t)first[build->raster.x.count]))
            return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory for row %d", (int)y);
        if (columns->count > INT32_MAX - first[build->raster.x.count])
            return rill_fail(message, RILL_TOO_LARGE, "bed: more than 2^31 columns up to row %d", (int)y);
        const rill_span *spans = build->raster.row;
        for (int32_t x = 0; x < build->raster.x.count; ++x, ++cell) {
            columns->cell_first[cell] = (int32_t)columns->count;
            if (first[x] < first[x + 1])
                store_cell(build, spans + first[x], first[x + 1] - first[x], &columns->notes[cell]);
        }
        columns->cell_first[cell] = (int32_t)columns->count;
        for (int32_t i = 0; i < first[build->raster.x.count]; ++i) build->touched[spans[i].solid] = 1;
        if (walls && !rill_walls_row(&build->walls, &build->raster.scans[0], y))
            return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory to find thin walls");
    }
    return RILL_OK;
}

/* ------------------------------------------------------------------------------------------------ fills */

/* The columns of a cell with its fills taken out of their voids. */
static void copy_cell(const builder *build, rill_columns *out, size_t cell, const rill_fill *fills, size_t fill_count,
                      rill_notes *notes) {
    const rill_columns *in = &build->raw;
    for (int32_t k = in->cell_first[cell]; k < in->cell_first[cell + 1]; ++k) {
        int32_t b = in->b[k];
        uint16_t floor = in->floors[k];
        for (size_t f = 0; f < fill_count; ++f) {
            if (fills[f].low >= in->c[k] || fills[f].high <= b) continue;
            keep_void(build, out, b, fills[f].low, floor, notes);
            b = fills[f].high;
            floor = fills[f].solid;
        }
        keep_void(build, out, b, in->c[k], floor, notes);
    }
}

/* Copies what is in the area, cell by cell; only counts while `out` has no arrays. */
static void copy_filled(const builder *build, rill_columns *out) {
    const rill_columns *in = &build->raw;
    const rill_fill *fills = build->fills.data;
    size_t next = 0, width = (size_t)(in->area.high[0] - in->area.low[0]), to = 0;
    out->count = 0;
    for (int32_t y = out->area.low[1]; y < out->area.high[1]; ++y)
        for (int32_t x = out->area.low[0]; x < out->area.high[0]; ++x, ++to) {
            size_t cell = (size_t)(y - in->area.low[1]) * width + (size_t)(x - in->area.low[0]);
            while (next < build->fills.count && (size_t)fills[next].cell < cell) ++next;
            size_t end = next;
            while (end < build->fills.count && (size_t)fills[end].cell == cell) ++end;
            rill_notes notes = in->notes[cell];
            notes.walls = end > next;
            if (out->cell_first) out->cell_first[to] = (int32_t)out->count;
            copy_cell(build, out, cell, end > next ? fills + next : NULL, end - next, &notes);
            if (out->notes) out->notes[to] = notes;
        }
    if (out->cell_first) out->cell_first[to] = (int32_t)out->count;
}

static void free_arrays(const rill_columns *columns, const rill_allocator *allocator) {
    const size_t count = (size_t)columns->count, cells = area_cells(&columns->area);
    rill_memory_give(allocator, columns->b, count, sizeof(int32_t));
    rill_memory_give(allocator, columns->c, count, sizeof(int32_t));
    rill_memory_give(allocator, columns->floors, count, sizeof(uint16_t));
    rill_memory_give(allocator, columns->cell_first, cells + 1, sizeof(int32_t));
    rill_memory_give(allocator, columns->notes, cells, sizeof(rill_notes));
}

static rill_result apply_fills(builder *build, const rill_area *area, rill_columns *out, rill_message *message) {
    rill_columns fresh = build->raw;
    fresh.area = *area;
    fresh.b = fresh.c = fresh.cell_first = NULL;
    fresh.floors = NULL;
    fresh.notes = NULL;
    copy_filled(build, &fresh);
    const size_t count = (size_t)fresh.count, cells = area_cells(area);
    if (fresh.count > INT32_MAX)
        return rill_fail(message, RILL_TOO_LARGE, "bed: %zu columns, expected less than 2^31", count);
    fresh.b = rill_memory_claim(build->allocator, count, sizeof(int32_t));
    fresh.c = rill_memory_claim(build->allocator, count, sizeof(int32_t));
    fresh.floors = rill_memory_claim(build->allocator, count, sizeof(uint16_t));
    fresh.cell_first = rill_memory_claim(build->allocator, cells + 1, sizeof(int32_t));
    fresh.notes = rill_memory_claim(build->allocator, cells, sizeof(rill_notes));
    if (!fresh.b || !fresh.c || !fresh.floors || !fresh.cell_first || !fresh.notes) {
        free_arrays(&fresh, build->allocator);
        return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory for %zu columns", count);
    }
    copy_filled(build, &fresh);
    const rill_fill *fills = build->fills.data;
    for (size_t i = 0; i < build->fills.count; ++i) build->touched[fills[i].solid] = 1;
    *out = fresh;
    return RILL_OK;
}

static rill_result find_walls(builder *build, bool collected, rill_message *message) {
    rill_scan *scans = build->raster.scans;
    const bool done = (collected || rill_walls_collect(&build->walls, &scans[0])) &&
                      rill_walls_collect(&build->walls, &scans[1]) && rill_walls_find(&build->walls, &build->fills);
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
    choose_opening(build);
    build->walls = rill_walls_make(&build->raw, build->allocator);
    rill_result result = store(build, !choose, message);
    if (!result) result = find_walls(build, !choose, message);
    return result ? result : apply_fills(build, &out->area, out, message);
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
                      .fills = rill_array_make(sizeof(rill_fill)) };
    const rill_result result = run(&build, solids, solid_count, choose, out, message);
    const size_t cells = area_cells(&build.raw.area);
    rill_raster_free(&build.raster);
    if (build.walls.allocator) rill_walls_free(&build.walls);
    rill_array_free(&build.fills, allocator);
    rill_array_free(&build.b, allocator);
    rill_array_free(&build.c, allocator);
    rill_array_free(&build.floors, allocator);
    rill_memory_give(allocator, build.raw.cell_first, cells + 1, sizeof(int32_t));
    rill_memory_give(allocator, build.raw.notes, cells, sizeof(rill_notes));
    return result;
}

void rill_columns_describe(const rill_columns *columns, rill_bed_info *info) {
    const size_t cells = area_cells(&columns->area);
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
    info->degenerate_triangles = info->open_components = info->closed_components = info->outside_solids = 0;
    for (size_t s = 0; s < solid_count; ++s) {
        if (!solids[s]) continue;
        info->degenerate_triangles += solids[s]->degenerate_triangles;
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

void rill_columns_free(rill_columns *columns, const rill_allocator *allocator) {
    free_arrays(columns, allocator);
    *columns = (rill_columns){ 0 };
}
