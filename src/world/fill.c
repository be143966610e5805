/* Liquid put in from outside: flooding to a level, depths from an array, and velocities to begin with.
 *
 * Flooding joins the columns that liquid at that level could flow between (union-find over the faces, one int32 per
 * plane element) and then sets every column of the starting point's set. Whatever may fail happens before the first
 * column is changed. */
#include <math.h>

#include "base/simd.h"
#include "flow/column.h"
#include "kandemir/kandemir.h"
#include "passages/passages.h"
#include "world/method.h"

/* ---------------------------------------------------------------------------------------------------- setting depth */

typedef struct filling {
    int64_t columns, cut, poured, drained, quanta;
} filling;

/* How deep a column can be filled. */
static int32_t full_depth(const rill_world *world, int32_t place) {
    const rill_bed *bed = &world->bed;
    return world->def.solver.passages != RILL_PASSAGES_OFF ? rill_ceiling_full(bed, place)
                                                           : bed->c[place] - bed->b[place];
}

/* `full`: up to the ceiling, be it liquid or a body. */
static void set_depth(rill_world *world, int32_t place, int32_t depth, bool full, filling *sum) {
    const int32_t change = depth - world->flow.H[place];
    const bool roofed = world->flow.pressure && world->bed.c[place] < RILL_TOP;
    if (roofed && world->def.solver.passages != RILL_PASSAGES_OFF) rill_passages_fill(&world->flow, place, full);
    sum->columns += 1;
    sum->quanta += depth;
    if (change == 0) return;
    *(change > 0 ? &sum->poured : &sum->drained) += change > 0 ? change : -(int64_t)change;
    rill_column_set(&world->flow, place, depth);
    rill_flow_wake(&world->flow, place);
}

/* Columns under bodies are filled last: how much of a depth they displace depends on where liquid stands on them, which
 * is known once all others have theirs. Till then they only get their heads. True if this is the time for a column. */
static bool is_turn(const rill_world *world, int32_t place, int32_t depth, bool last) {
    rill_body_node *node = rill_bodies_node(&world->bodies, place);
    if (node && !last) {
        node->e = (double)depth;
        node->pi = 0.0;
    }
    return last == (node != NULL);
}

/* Fills a column up to a depth, or up to its ceiling; but for what bodies displace there. */
static void fill_column(rill_world *world, int32_t place, int32_t depth, filling *sum) {
    const int32_t full = full_depth(world, place), level = rill_min_i(depth, full);
    rill_body_node *node = rill_bodies_node(&world->bodies, place);
    if (node) node->displaced_before = rill_body_node_displaced(&world->bodies, node, (double)level);
    const double left = node ? (double)level - node->displaced_before : (double)level;
    set_depth(world, place, left > 0.0 ? (int32_t)(left + 0.5) : 0, level == full, sum);
}

static void finish(rill_world *world, const filling *sum, rill_fill_report *report) {
    rill_book_change(world, RILL_BOOK_FILL, sum->poured);
    rill_book_change(world, RILL_BOOK_FILL, -sum->drained);
    rill_world_measure_flow(world);
    if (sum->cut > 0)
        rill_world_log(world, RILL_LOG_NOTE,
                       "fill: %lld of %lld columns were cut to full under a ceiling or at the top", (long long)sum->cut,
                       (long long)sum->columns);
    if (!report) return;
    *report = (rill_fill_report){ .columns = sum->columns,
                                  .columns_cut = sum->cut,
                                  .volume = (double)sum->quanta * rill_quantum_volume(&world->bed) };
}

/* ------------------------------------------------------------------------------------------------------ to a level */

static int32_t root_of(int32_t *parents, int32_t place) {
    while (parents[place] != place) {
        parents[place] = parents[parents[place]]; /* halve the path on the way */
        place = parents[place];
    }
    return place;
}

static void join(const rill_bed *bed, int32_t *parents, int32_t low, int32_t high, int32_t level) {
    if (level <= bed->b[low] || level <= bed->b[high] || !rill_face_joined(bed, low, high)) return;
    const int32_t a = root_of(parents, low), b = root_of(parents, high);
    if (a < b)
        parents[b] = a;
    else
        parents[a] = b;
}

/* The root of every place: places with one root hold one body of liquid at that level. */
static void find_bodies(const rill_bed *bed, int32_t level, int32_t *parents) {
    for (int32_t i = 0; i < bed->plane_size; ++i) parents[i] = i;
    const rill_sheet *sheet = NULL;
    for (int64_t i = 0; i < bed->info.columns; ++i) {
        const int32_t place = bed->places[i];
        sheet = rill_face_sheet(bed, place, sheet);
        join(bed, parents, place - 1, place, level);
        join(bed, parents, place - sheet->stride, place, level);
    }
    for (int32_t i = 0; i < bed->pipe_count; ++i) join(bed, parents, bed->pipe_l[i], bed->pipe_r[i], level);
}

/* Liquid that is put in is at rest, whatever flowed there before. */
static void stop_column(rill_world *world, const rill_sheet *sheet, int32_t place) {
    for (int side = RILL_WEST; side <= RILL_NORTH; ++side) rill_face_set(world, sheet, place, side, 0.0f);
    int32_t x, y;
    rill_bed_sheet_of(&world->bed, place, &x, &y);
    rill_world_method(world)->stop_cell(world, x, y);
}

static rill_result check_fill(const rill_world *world, const double at[3], double level) {
    if (!at) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "at is NULL; expected three numbers");
    for (int axis = 0; axis < 3; ++axis) {
        if (!isfinite(at[axis]))
            return rill_fail(world->note, RILL_INVALID_ARGUMENT, "at[%d] is %g; expected a finite number", axis,
                             at[axis]);
    }
    if (!isfinite(level))
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "level is %g; expected a finite number", level);
    return rill_world_need_bed(world, "rill_world_fill_level");
}

/* A level in quanta; one quantum above the range when it is anywhere above, so that columns count as cut. */
static int32_t level_in_quanta(const rill_bed *bed, double level) {
    const double quanta = (level - bed->datum) / bed->quantum + 0.5;
    return quanta <= 0.0 ? 0 : quanta >= (double)RILL_TOP + 1.0 ? RILL_TOP + 1 : (int32_t)quanta;
}

/* Sets the depths of the columns in one set with a place; first those beside bodies, last those under them. */
static void flood(rill_world *world, int32_t *parents, int32_t start, int32_t top, bool last, filling *sum) {
    const rill_bed *bed = &world->bed;
    const int32_t body = root_of(parents, start);
    const rill_sheet *sheet = NULL;
    for (int64_t i = 0; i < bed->info.columns; ++i) {
        const int32_t place = bed->places[i], depth = top - bed->b[place];
        if (root_of(parents, place) != body || !is_turn(world, place, depth, last)) continue;
        sheet = rill_face_sheet(bed, place, sheet);
        sum->cut += top > bed->c[place];
        fill_column(world, place, depth, sum);
        stop_column(world, sheet, place);
    }
}

rill_result rill_world_fill_level(rill_world *world, const double at[3], double level, rill_fill_report *report) {
    if (!world) return RILL_INVALID_ARGUMENT;
    const rill_result result = check_fill(world, at, level);
    if (result) return result;
    const rill_bed *bed = &world->bed;
    const int32_t start = rill_bed_find(bed, at, NULL);
    if (start < 0)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT,
                         "no column at (%g, %g, %g); expected a point above a floor of the grid", at[0], at[1], at[2]);
    const int32_t top = level_in_quanta(bed, level);
    if (top <= bed->b[bed->places[start]])
        return rill_fail(world->note, RILL_INVALID_ARGUMENT,
                         "level is %g; expected more than the floor at (%g, %g, %g), %g", level, at[0], at[1], at[2],
                         rill_bed_z(bed, bed->b[bed->places[start]]));
    int32_t *parents = rill_alloc_zeroed(&world->allocator, (size_t)bed->plane_size, sizeof *parents);
    if (!parents) return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory to flood %d places", bed->plane_size);

    find_bodies(bed, top, parents);
    filling sum = { 0 };
    rill_world_cover(world, true);
    flood(world, parents, bed->places[start], top, false, &sum);
    rill_world_cover(world, true);
    flood(world, parents, bed->places[start], top, true, &sum);
    rill_free(&world->allocator, parents, (size_t)bed->plane_size, sizeof *parents);
    finish(world, &sum, report);
    return RILL_OK;
}

/* ----------------------------------------------------------------------------------------------------- from arrays */

static rill_result check_layer(const rill_world *world, const char *call, int32_t layer, const void *values,
                               size_t per_cell, size_t count) {
    const rill_result result = rill_world_need_bed(world, call);
    if (result) return result;
    const size_t expected = (size_t)world->bed.grid.cells[0] * (size_t)world->bed.grid.cells[1] * per_cell;
    if (!values)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "%s: the array is NULL; expected %zu values", call,
                         expected);
    if (count != expected)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "%s: count is %zu; expected %zu, %zu per cell of %d x %d",
                         call, count, expected, per_cell, world->bed.grid.cells[0], world->bed.grid.cells[1]);
    if (layer < 0 || layer >= world->bed.info.layers)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "%s: layer is %d; expected 0 to %d", call, layer,
                         world->bed.info.layers - 1);
    return RILL_OK;
}

/* First the columns beside bodies, last those under them. */
static void set_layer(rill_world *world, int32_t layer, const double *depths, bool last, filling *sum) {
    const rill_bed *bed = &world->bed;
    const size_t cells = (size_t)bed->grid.cells[0] * (size_t)bed->grid.cells[1];
    for (size_t i = 0; i < cells; ++i) {
        if (isnan(depths[i]) || layer >= bed->cell_first[i + 1] - bed->cell_first[i]) continue;
        const int32_t place = bed->places[bed->cell_first[i] + layer], room = bed->c[place] - bed->b[place];
        const double quanta = depths[i] / bed->quantum + 0.5;
        const int32_t depth = quanta >= (double)room ? room : (int32_t)quanta;
        if (!is_turn(world, place, depth, last)) continue;
        sum->cut += quanta >= (double)room + 1.0;
        fill_column(world, place, depth, sum);
    }
}

rill_result rill_world_fill_depths(rill_world *world, int32_t layer, const double *depths, size_t count,
                                   rill_fill_report *report) {
    if (!world) return RILL_INVALID_ARGUMENT;
    const rill_result result = check_layer(world, "rill_world_fill_depths", layer, depths, 1, count);
    if (result) return result;
    const int32_t nx = world->bed.grid.cells[0];
    for (size_t i = 0; i < count; ++i) {
        if (depths[i] < 0.0 || isinf(depths[i]))
            return rill_fail(world->note, RILL_INVALID_ARGUMENT,
                             "depth of cell (%d, %d) is %g; expected at least 0, finite, or NaN to leave it alone",
                             (int)(i % (size_t)nx), (int)(i / (size_t)nx), depths[i]);
    }
    filling sum = { 0 };
    rill_world_cover(world, true);
    set_layer(world, layer, depths, false, &sum);
    rill_world_cover(world, true);
    set_layer(world, layer, depths, true, &sum);
    finish(world, &sum, report);
    return RILL_OK;
}

rill_result rill_world_set_velocities(rill_world *world, int32_t layer, const double *velocities, size_t count) {
    if (!world) return RILL_INVALID_ARGUMENT;
    const rill_result result = check_layer(world, "rill_world_set_velocities", layer, velocities, 2, count);
    if (result) return result;
    const rill_bed *bed = &world->bed;
    const int32_t nx = bed->grid.cells[0];
    for (size_t i = 0; i < count; ++i) {
        if (fabs(velocities[i]) > RILL_SPEED_LIMIT) /* false for NaN, which leaves a face alone */
            return rill_fail(world->note, RILL_INVALID_ARGUMENT,
                             "velocity %c of cell (%d, %d) is %g; expected %g to %g", i % 2 ? 'v' : 'u',
                             (int)(i / 2 % (size_t)nx), (int)(i / 2 / (size_t)nx), velocities[i], -RILL_SPEED_LIMIT,
                             RILL_SPEED_LIMIT);
    }
    const rill_sheet *sheet = NULL;
    for (size_t i = 0; i < count / 2; ++i) {
        if (layer >= bed->cell_first[i + 1] - bed->cell_first[i]) continue;
        const int32_t place = bed->places[bed->cell_first[i] + layer];
        sheet = rill_face_sheet(bed, place, sheet);
        bool touched = false;
        if (!isnan(velocities[2 * i]))
            touched |= rill_face_set(world, sheet, place, RILL_WEST, (float)velocities[2 * i]);
        if (!isnan(velocities[2 * i + 1]))
            touched |= rill_face_set(world, sheet, place, RILL_SOUTH, (float)velocities[2 * i + 1]);
        if (touched) rill_flow_wake(&world->flow, place);
    }
    rill_world_measure_flow(world);
    return RILL_OK;
}
