/* Cells of Wang's height field: what they are, and how they and the columns of the flow follow each other. */
#include <math.h>

#include "base/simd.h"
#include "flow/column.h"
#include "wang/wang_internal.h"

/* Steps to the four neighbours: west, east, south, north. */
static void neighbours(const rill_heights *heights, ptrdiff_t out[4]) {
    out[0] = -1, out[1] = 1, out[2] = -(ptrdiff_t)heights->stride, out[3] = heights->stride;
}

/* -------------------------------------------------------------------------------------------------------- take over */

static int32_t whole(const rill_bed *bed, double depth) {
    return depth > 0.0 ? (int32_t)fmin(floor(depth / bed->quantum + 0.5), (double)RILL_TOP) : 0;
}

/* Finds the places of all columns; reservoirs stand outside of edges. */
static void find_places(const rill_heights_work *work) {
    rill_heights *heights = work->heights;
    const rill_bed *bed = work->flow->bed;
    for (size_t i = 0; i < heights->size; ++i) heights->place[i] = -1;
    for (int32_t y = 0; y < heights->cells[1]; ++y)
        for (int32_t x = 0; x < heights->cells[0]; ++x) {
            const int32_t column = rill_bed_column(bed, x, y, 0);
            if (column >= 0) heights->place[rill_heights_at(heights, x, y)] = bed->places[column];
        }
}

static void take_reservoirs(const rill_heights_work *work) {
    rill_heights *heights = work->heights;
    const rill_bed *bed = work->flow->bed;
    for (int32_t i = 0; i < bed->ghost_count; ++i) {
        int32_t x, y;
        rill_bed_sheet_of(bed, bed->ghosts[i].place, &x, &y);
        const size_t at = rill_heights_at(heights, x, y);
        heights->place[at] = bed->ghosts[i].place;
        heights->kind[at] = RILL_HEIGHT_RESERVOIR;
        heights->b[at] = (double)bed->b[bed->ghosts[i].place] * bed->quantum;
        heights->d[at] = heights->before[at] = (double)bed->ghosts[i].still * bed->quantum;
        heights->h[at] = heights->b[at] + heights->d[at];
    }
}

/* Lets the height of a column follow what others have put in or taken. */
static void take_column(const rill_heights_work *work, size_t at) {
    rill_heights *heights = work->heights;
    const rill_bed *bed = work->flow->bed;
    const int32_t place = heights->place[at], H = work->flow->H[place];
    if (heights->kind[at] == RILL_HEIGHT_WALL) heights->kind[at] = RILL_HEIGHT_DRY;
    const int32_t change = H - whole(bed, heights->d[at]);
    if (change != 0) {
        const double there = rill_height_depth(heights, at), d = there + (double)change * bed->quantum;
        heights->before[at] += d - heights->d[at];
        heights->d[at] = d;
        if (d > 0.0) heights->kind[at] = RILL_HEIGHT_WATER;
    }
    heights->b[at] = (double)bed->b[place] * bed->quantum;
    heights->h[at] = heights->b[at] + heights->d[at];
}

void rill_heights_take(const rill_heights_work *work) {
    rill_heights *heights = work->heights;
    find_places(work);
    for (size_t at = 0; at < heights->size; ++at) {
        if (heights->place[at] >= 0) {
            take_column(work, at);
        } else {
            heights->kind[at] = RILL_HEIGHT_WALL;
            heights->d[at] = heights->before[at] = 0.0;
        }
    }
    take_reservoirs(work);
    rill_heights_classify(work);
}

/* --------------------------------------------------------------------------------------------------------- classify */

static bool is_column(const rill_heights *heights, size_t at) {
    return heights->kind[at] != RILL_HEIGHT_WALL && heights->kind[at] != RILL_HEIGHT_RESERVOIR;
}

static bool beside_water(const rill_heights *heights, size_t at, const ptrdiff_t steps[4]) {
    for (int i = 0; i < 4; ++i)
        if (heights->kind[at + (size_t)steps[i]] == RILL_HEIGHT_WATER) return true;
    return false;
}

/* Returns the level to which water beside a cell goes on with C1 continuity. */
static double continued(const rill_heights *heights, size_t at, const ptrdiff_t steps[4]) {
    double sum = 0.0, count = 0.0;
    for (int i = 0; i < 4; ++i) {
        const size_t near = at + (size_t)steps[i];
        if (heights->kind[near] != RILL_HEIGHT_WATER) continue;
        const size_t far = near + (size_t)steps[i];
        sum += rill_height_defined(heights, far) && far != at ? 2.0 * heights->h[near] - heights->h[far]
                                                              : heights->h[near];
        count += 1.0;
    }
    return sum / count;
}

/* Calls on `change` for all columns. */
typedef void change_cell(const rill_heights_work *work, size_t at, const ptrdiff_t steps[4]);
static void for_columns(const rill_heights_work *work, change_cell *change) {
    const rill_heights *heights = work->heights;
    ptrdiff_t steps[4];
    neighbours(heights, steps);
    for (int32_t y = 0; y < heights->cells[1]; ++y)
        for (int32_t x = 0; x < heights->cells[0]; ++x) {
            const size_t at = rill_heights_at(heights, x, y);
            if (is_column(heights, at)) change(work, at, steps);
        }
}

static void judge_water(const rill_heights_work *work, size_t at, const ptrdiff_t steps[4]) {
    rill_heights *heights = work->heights;
    (void)steps;
    if (heights->d[at] > 0.0)
        heights->kind[at] = RILL_HEIGHT_WATER, heights->wet[at] = 1;
    else if (heights->kind[at] == RILL_HEIGHT_WATER)
        heights->kind[at] = RILL_HEIGHT_BOUNDARY;
}

static void drop_boundary(const rill_heights_work *work, size_t at, const ptrdiff_t steps[4]) {
    rill_heights *heights = work->heights;
    if (heights->kind[at] == RILL_HEIGHT_WATER || beside_water(heights, at, steps)) return;
    heights->kind[at] = RILL_HEIGHT_DRY;
    heights->d[at] = heights->before[at] = 0.0;
    heights->h[at] = heights->b[at];
}

/* A dry cell beside water becomes a boundary cell, and one that a sealed front leaves without water begins anew. */
static bool begins(const rill_heights *heights, size_t at) {
    return heights->kind[at] == RILL_HEIGHT_DRY || (heights->sealed && heights->kind[at] == RILL_HEIGHT_BOUNDARY);
}

/* Finds the height of a boundary cell among those that were defined before. */
static void begin_boundary(const rill_heights_work *work, size_t at, const ptrdiff_t steps[4]) {
    rill_heights *heights = work->heights;
    if (!begins(heights, at) || !beside_water(heights, at, steps)) return;
    heights->d[at] = heights->before[at] = fmin(continued(heights, at, steps) - heights->b[at], 0.0);
}

static void name_boundary(const rill_heights_work *work, size_t at, const ptrdiff_t steps[4]) {
    rill_heights *heights = work->heights;
    if (!begins(heights, at) || !beside_water(heights, at, steps)) return;
    heights->kind[at] = RILL_HEIGHT_BOUNDARY;
    heights->h[at] = heights->b[at] + heights->d[at];
}

void rill_heights_classify(const rill_heights_work *work) {
    for_columns(work, judge_water);
    for_columns(work, drop_boundary);
    for_columns(work, begin_boundary);
    for_columns(work, name_boundary);
}

/* ----------------------------------------------------------------------------------------------------------- bodies */

/* Tells whether a body is in contact with a column: it reaches below the level, or has been pressed up and still is. */
static bool in_contact(const rill_heights *heights, size_t at) {
    if (heights->kind[at] != RILL_HEIGHT_WATER) return false;
    return heights->under[at] < heights->h[at] || (heights->held[at] && heights->under[at] < heights->head[at]);
}

static void press(const rill_heights_work *work, size_t at, const ptrdiff_t steps[4]) {
    rill_heights *heights = work->heights;
    const double paced = work->step->dt * sqrt(work->step->gravity * rill_height_depth(heights, at));
    bool open = false;
    heights->pressed[at] = (double)INFINITY;
    for (int i = 0; i < 4; ++i) open |= rill_height_open(heights, at, at + (size_t)steps[i]);
    if (open && in_contact(heights, at))
        heights->pressed[at] = fmax(fmax(heights->under[at], heights->h[at] - paced), heights->b[at]);
}

void rill_heights_press(const rill_heights_work *work) {
    if (work->heights->has_bodies) for_columns(work, press);
}

/* ------------------------------------------------------------------------------------------------------------- give */

/* Cuts a depth to what the range holds; true if it was outside. */
static bool cut(rill_heights *heights, const rill_bed *bed, size_t at) {
    const double most = (double)(bed->c[heights->place[at]] - bed->b[heights->place[at]]) * bed->quantum;
    const double least = -(double)RILL_TOP * bed->quantum, d = heights->d[at];
    if (d >= least && d <= most) return false;
    heights->d[at] = heights->before[at] = d > most ? most : d < least ? least : 0.0;
    heights->h[at] = heights->b[at] + heights->d[at];
    return true;
}

int64_t rill_heights_give(const rill_heights_work *work, bool *out_of_range) {
    rill_heights *heights = work->heights;
    const rill_bed *bed = work->flow->bed;
    int64_t sum = 0;
    *out_of_range = false;
    for (int32_t y = 0; y < heights->cells[1]; ++y)
        for (int32_t x = 0; x < heights->cells[0]; ++x) {
            const size_t at = rill_heights_at(heights, x, y);
            if (heights->place[at] < 0) continue;
            *out_of_range |= cut(heights, bed, at);
            sum += rill_column_set(work->flow, heights->place[at], whole(bed, heights->d[at]));
        }
    return sum;
}
