/* Columns: the voids between the solid parts of each cell's line, in whole quanta.
 *
 * Two passes over the rows. The first finds how low the lowest floor and how high the highest solid is and how many
 * voids there can be; from that follow the quantum, the datum and the size of the arrays. The second stores the
 * columns. Then walls thinner than a cell are filled in (walls.c) and the arrays are cut to size.
 *
 *   quantum   the smallest power of two (m) with which everything up to the headroom fits below RILL_TOP quanta, and a
 *             cell is at most 2^26 quanta wide (so that slopes stay exact in float)
 *   datum     the lowest floor (beyond open edges), rounded down to a whole quantum: its multiples stay exact */
#include "bed/raster.h"

#include "base/message.h"

#include <math.h>

static const double CELL_QUANTA = 67108864.0; /* 2^26 */
/* A solid part thinner than this share of a quantum is rounding, not geometry. */
static const double NOTHING = 1.0 / 1024.0;

typedef struct builder {
    rill_raster raster;
    const rill_world_def *def;
    const rill_allocator *allocator;
    rill_columns columns;
    size_t capacity;  /* of b, c and floors while they are filled */
    int32_t opening;  /* lowest void that is kept, quanta */
    uint8_t *touched; /* per solid: it reaches the line or the wall of some cell */
    rill_array fills;
    rill_bed_info *info;
} builder;

static size_t cell_count(const rill_grid *grid) {
    return (size_t)grid->cells[0] * (size_t)grid->cells[1];
}

static rill_result check_def(const rill_world_def *def, size_t solid_count, rill_message *message) {
    const rill_grid *grid = &def->grid;
    for (int i = 0; i < 2; ++i)
        if (grid->cells[i] < 1 || grid->cells[i] > 32768)
            return rill_fail(message, RILL_INVALID_ARGUMENT, "bed: grid.cells[%d] is %d, expected 1 to 32768", i,
                             (int)grid->cells[i]);
    if (cell_count(grid) > (size_t)1 << 28)
        return rill_fail(message, RILL_TOO_LARGE, "bed: grid has %zu cells, expected at most 2^28", cell_count(grid));
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
    *extent = (measures){ .lowest = INFINITY, .highest = build->raster.highest };
    for (int32_t y = 0; y < build->raster.y.count; ++y) {
        if (!rill_raster_row(&build->raster, y))
            return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory for row %d", (int)y);
        const rill_span *spans = build->raster.row;
        const int32_t *first = build->raster.span_first;
        for (int32_t x = 0; x < build->raster.x.count; ++x) {
            if (first[x] < first[x + 1]) measure_cell(extent, spans + first[x], first[x + 1] - first[x]);
        }
        for (int32_t i = 0; i < first[build->raster.x.count]; ++i) build->touched[spans[i].solid] = 1;
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
    build->columns.quantum = quantum;
    build->columns.datum = floor(lowest / quantum) * quantum;
    double opening = ceil(build->def->min_opening / quantum);
    build->opening = opening < 1.0 ? 1 : opening > (double)RILL_TOP ? RILL_TOP : (int32_t)opening;
    return RILL_OK;
}

/* --------------------------------------------------------------------------------------------- second pass: columns */

static int32_t quantise(const rill_columns *columns, double z) {
    double height = floor((z - columns->datum) / columns->quantum + 0.5);
    if (!(height > -(double)RILL_WALL)) return -RILL_WALL;
    return height > (double)RILL_TOP ? RILL_TOP : (int32_t)height;
}

static void store_column(rill_columns *columns, int32_t b, int32_t c, uint16_t solid) {
    columns->b[columns->count] = b;
    columns->c[columns->count] = c;
    columns->floors[columns->count] = solid;
    columns->count += 1;
}

/* Merges a cell's spans and stores the voids above them. Rounding is monotonic, so that there are never more voids than
 * were counted before rounding. */
static void store_cell(builder *build, const rill_span *spans, int32_t count) {
    rill_columns *columns = &build->columns;
    bool any = false, sheet = false;
    int32_t top = 0;
    uint16_t floor = 0;
    for (int32_t i = 0; i < count; ++i) {
        int32_t low = quantise(columns, spans[i].low), high = quantise(columns, spans[i].high);
        sheet = sheet || spans[i].sheet;
        if (!spans[i].sheet && !(spans[i].high - spans[i].low > NOTHING * columns->quantum)) continue;
        if (low >= high) low = high - 1;
        if (any && low - top >= build->opening) {
            store_column(columns, top, low, floor);
        } else if (any && low > top) {
            build->info->slivers_merged += 1;
        }
        if (!any || high > top) {
            top = high;
            floor = spans[i].solid;
        }
        any = true;
    }
    if (any) store_column(columns, top, RILL_TOP, floor);
    build->info->sheet_cells += sheet;
}

static rill_result store(builder *build, rill_message *message) {
    rill_columns *columns = &build->columns;
    columns->b = rill_memory_take(build->allocator, build->capacity, sizeof(int32_t));
    columns->c = rill_memory_take(build->allocator, build->capacity, sizeof(int32_t));
    columns->floors = rill_memory_take(build->allocator, build->capacity, sizeof(uint16_t));
    columns->cell_first = rill_memory_take(build->allocator, cell_count(&columns->grid) + 1, sizeof(int32_t));
    if (!columns->b || !columns->c || !columns->floors || !columns->cell_first)
        return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory for %zu columns", build->capacity);
    int32_t *cell_first = columns->cell_first;
    for (int32_t y = 0; y < build->raster.y.count; ++y) {
        if (!rill_raster_row(&build->raster, y))
            return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory for row %d", (int)y);
        const rill_span *spans = build->raster.row;
        const int32_t *first = build->raster.span_first;
        for (int32_t x = 0; x < build->raster.x.count; ++x) {
            *cell_first++ = (int32_t)columns->count;
            if (first[x] < first[x + 1]) store_cell(build, spans + first[x], first[x + 1] - first[x]);
        }
    }
    *cell_first = (int32_t)columns->count;
    return RILL_OK;
}

/* ------------------------------------------------------------------------------------------------ fills */

static void keep_void(const builder *build, rill_columns *out, int32_t b, int32_t c, uint16_t floor, int64_t *slivers) {
    if (c <= b) return;
    if (c - b < build->opening && c != RILL_TOP)
        *slivers += 1;
    else if (out->b)
        store_column(out, b, c, floor);
    else
        out->count += 1;
}

/* Copies the columns with the fills taken out of their voids; only counts while `out` has no arrays. Returns the voids
 * that were left too low. */
static int64_t copy_filled(const builder *build, rill_columns *out) {
    const rill_columns *in = &build->columns;
    const rill_fill *fills = build->fills.data;
    size_t next = 0, cells = cell_count(&in->grid);
    int64_t slivers = 0;
    out->count = 0;
    for (size_t cell = 0; cell < cells; ++cell) {
        if (out->cell_first) out->cell_first[cell] = (int32_t)out->count;
        size_t end = next;
        while (end < build->fills.count && (size_t)fills[end].cell == cell) ++end;
        for (int32_t k = in->cell_first[cell]; k < in->cell_first[cell + 1]; ++k) {
            int32_t b = in->b[k];
            uint16_t floor = in->floors[k];
            for (size_t f = next; f < end; ++f) {
                if (fills[f].low >= in->c[k] || fills[f].high <= b) continue;
                keep_void(build, out, b, fills[f].low, floor, &slivers);
                b = fills[f].high;
                floor = fills[f].solid;
            }
            keep_void(build, out, b, in->c[k], floor, &slivers);
        }
        next = end;
    }
    if (out->cell_first) out->cell_first[cells] = (int32_t)out->count;
    return slivers;
}

static void free_arrays(const rill_columns *columns, size_t capacity, const rill_allocator *allocator) {
    rill_memory_give(allocator, columns->b, capacity, sizeof(int32_t));
    rill_memory_give(allocator, columns->c, capacity, sizeof(int32_t));
    rill_memory_give(allocator, columns->floors, capacity, sizeof(uint16_t));
    rill_memory_give(allocator, columns->cell_first, cell_count(&columns->grid) + 1, sizeof(int32_t));
}

static rill_result apply_fills(builder *build, rill_message *message) {
    rill_columns *old = &build->columns;
    if (build->fills.count == 0 && (size_t)old->count == build->capacity) return RILL_OK;
    rill_columns fresh = { .grid = old->grid, .quantum = old->quantum, .datum = old->datum };
    build->info->slivers_merged += copy_filled(build, &fresh);
    size_t count = (size_t)fresh.count;
    fresh.b = rill_memory_take(build->allocator, count, sizeof(int32_t));
    fresh.c = rill_memory_take(build->allocator, count, sizeof(int32_t));
    fresh.floors = rill_memory_take(build->allocator, count, sizeof(uint16_t));
    fresh.cell_first = rill_memory_take(build->allocator, cell_count(&old->grid) + 1, sizeof(int32_t));
    if (fresh.count > INT32_MAX || !fresh.b || !fresh.c || !fresh.floors || !fresh.cell_first) {
        free_arrays(&fresh, count, build->allocator);
        return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory for %zu columns", count);
    }
    copy_filled(build, &fresh);
    free_arrays(old, build->capacity, build->allocator);
    *old = fresh;
    build->capacity = count;
    const rill_fill *fills = build->fills.data;
    for (size_t i = 0; i < build->fills.count; ++i) {
        build->touched[fills[i].solid] = 1;
        if (i == 0 || fills[i].cell != fills[i - 1].cell) build->info->walls_thickened += 1;
    }
    return RILL_OK;
}

static void describe(const builder *build, const rill_solid *const *solids, size_t solid_count) {
    const rill_columns *columns = &build->columns;
    rill_bed_info *info = build->info;
    for (int i = 0; i < 2; ++i) info->cells[i] = columns->grid.cells[i];
    info->columns = columns->count;
    info->quantum = columns->quantum;
    info->highest = columns->datum + (double)RILL_TOP * columns->quantum;
    int32_t lowest = columns->count > 0 ? RILL_TOP : 0;
    for (size_t i = 0; i < cell_count(&columns->grid); ++i) {
        int32_t layers = columns->cell_first[i + 1] - columns->cell_first[i];
        if (layers > info->layers) info->layers = layers;
        if (layers == 0)
            info->wall_cells += 1;
        else if (columns->b[columns->cell_first[i]] < lowest)
            lowest = columns->b[columns->cell_first[i]];
    }
    info->lowest = columns->datum + (double)lowest * columns->quantum;
    for (size_t s = 0; s < solid_count; ++s) {
        if (!solids[s]) continue;
        info->degenerate_triangles += solids[s]->degenerate_triangles;
        info->open_components += solids[s]->open_components;
        info->closed_components += solids[s]->closed_components;
        info->outside_solids += !build->touched[s];
    }
}

static rill_result run(builder *build, const rill_solid *const *solids, size_t solid_count, rill_message *message) {
    build->touched = rill_memory_take(build->allocator, solid_count, 1);
    if (!rill_raster_make(&build->raster, &build->def->grid, solids, solid_count, build->allocator) || !build->touched)
        return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory to sort the triangles");
    measures extent;
    rill_result result = measure(build, &extent, message);
    if (!result) result = choose_quantum(build, &extent, message);
    if (result) return result;
    build->capacity = (size_t)extent.voids;
    result = store(build, message);
    if (result) return result;
    if (!rill_walls_find(&build->columns, &build->raster.scan, solid_count, &build->fills))
        return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory to find thin walls");
    result = apply_fills(build, message);
    if (!result) describe(build, solids, solid_count);
    return result;
}

rill_result rill_columns_build(const rill_world_def *def, const rill_solid *const *solids, size_t solid_count,
                               const rill_allocator *allocator, rill_columns *out, rill_bed_info *info,
                               rill_message *message) {
    rill_bed_info found = { 0 };
    rill_result result = check_def(def, solid_count, message);
    if (result) return result;
    builder build = { .def = def,
                      .allocator = allocator,
                      .columns.grid = def->grid,
                      .fills = rill_array_make(sizeof(rill_fill)),
                      .info = &found };
    result = run(&build, solids, solid_count, message);
    rill_raster_free(&build.raster);
    rill_array_free(&build.fills, allocator);
    rill_memory_give(allocator, build.touched, solid_count, 1);
    if (result) {
        free_arrays(&build.columns, build.capacity, allocator);
        return result;
    }
    *out = build.columns;
    *info = found;
    return RILL_OK;
}

void rill_columns_free(rill_columns *columns, const rill_allocator *allocator) {
    free_arrays(columns, (size_t)columns->count, allocator);
    *columns = (rill_columns){ 0 };
}
