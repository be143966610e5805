/* Keeping the floor of the surface up to date with the solids (floor.h). */
#include "floor/floor.h"

#include "base/message.h"

#include <math.h>
#include <string.h>

static const double LEAST = 0.05, EPSILON = 0.01; /* of a cell's size */

rill_floor *rill_floor_make(const rill_allocator *allocator) {
    rill_floor *floor = rill_alloc_zeroed(allocator, 1, sizeof *floor);
    if (floor)
        *floor = (rill_floor){ .allocator = *allocator,
                               .bins = rill_array_make(sizeof(rill_floor_bins)),
                               .points = rill_array_make(sizeof(rill_outline_point)),
                               .points_other = rill_array_make(sizeof(rill_outline_point)),
                               .mixed_spots = rill_array_make(sizeof(rill_outline_spot)),
                               .corners = rill_array_make(sizeof(int32_t)),
                               .corners_other = rill_array_make(sizeof(int32_t)),
                               .looked_at = rill_array_make(sizeof(rill_outline_spot)),
                               .moved = rill_array_make(sizeof(int32_t)),
                               .sheet_spots = rill_array_make(sizeof(rill_outline_spot)) };
    return floor;
}

void rill_floor_free(rill_floor *floor) {
    if (!floor) return;
    const rill_allocator allocator = floor->allocator;
    rill_floor_bins *bins = floor->bins.data;
    for (size_t i = 0; i < floor->bins.count; ++i) rill_floor_bins_free(&bins[i], &allocator);
    rill_array_free(&floor->bins, &allocator);
    rill_outline_points_free(floor);
    rill_free(&allocator, floor, 1, sizeof *floor);
}

static void set_units(rill_floor *floor, const rill_bed *bed) {
    const double size = bed->grid.cell_size, quanta = size / bed->quantum;
    floor->least = (int32_t)fmax(1.0, ceil(LEAST * quanta));
    floor->above = (int32_t)fmax(1.0, ceil(EPSILON * quanta));
    floor->most = (int32_t)fmin(fmax(2.0, trunc(quanta)), (double)RILL_TOP);
    for (int i = 0; i < 2; ++i) {
        floor->zero[i] = bed->grid.origin[i] + 0.5 * size;
        floor->scale[i] = 1.0 / size;
    }
    floor->zero[2] = bed->datum;
    floor->scale[2] = 1.0 / bed->quantum;
    RILL_ASSERT(floor->least >= 1 && floor->above >= 1 && floor->most >= 2);
    RILL_ASSERT(isfinite(floor->scale[0]) && isfinite(floor->scale[2]));
}

/* ------------------------------------------------------------------------------------------------------------ bins */

static bool contains(const rill_area *area, const rill_area *part) {
    return part->low[0] >= area->low[0] && part->high[0] <= area->high[0] && part->low[1] >= area->low[1] &&
           part->high[1] <= area->high[1];
}

/* Tells whether a solid may have changed: one that has is inside of what is said to have changed, as it was and as it
 * is. Others inside lose their bins too, but then they are small. */
static bool may_have_changed(const rill_floor_view *view, const rill_area *reach) {
    for (size_t i = 0; i < view->changed_count; ++i)
        if (contains(&view->changed[i], reach)) return true;
    return view->all_changed;
}

/* Forgets bins of solids that may have changed, and makes room for new solids. */
static bool check_bins(rill_floor *floor, const rill_floor_view *view) {
    rill_floor_bins *bins = floor->bins.data;
    for (size_t i = 0; i < floor->bins.count; ++i)
        if (bins[i].solid && (floor->stale || i >= view->solid_count || bins[i].solid != view->solids[i] ||
                              may_have_changed(view, &bins[i].reach)))
            bins[i].solid = NULL;
    while (floor->bins.count < view->solid_count) {
        const rill_floor_bins none = rill_floor_bins_make();
        if (!rill_array_push(&floor->bins, &floor->allocator, &none)) return false;
    }
    return true;
}

/* ----------------------------------------------------------------------------------------------------------- areas */

/* Lowers columns to the heights they have with nothing between or beside them. */
static void lower_columns(rill_floor *floor, const rill_bed *bed, const rill_area *cells) {
    for (int32_t y = cells->low[1]; y < cells->high[1]; ++y) {
        const size_t row = (size_t)y * (size_t)bed->grid.cells[0];
        const int32_t end = bed->cell_first[row + (size_t)cells->high[0]];
        for (int32_t i = bed->cell_first[row + (size_t)cells->low[0]]; i < end; ++i) {
            const int32_t place = bed->places[i], b = bed->b[place], room = bed->c[place] - b - 1;
            RILL_ASSERT(b >= 0 && b <= bed->c[place] && bed->c[place] <= RILL_TOP);
            floor->heights[place] = b + (room < floor->least ? room : floor->least);
            memset(floor->walls[place], 0, sizeof floor->walls[place]);
        }
    }
}

/* Bins are worth their while if the solid stands still and only part of it is looked at: when it may have changed
 * itself, it is looked at as a whole anyway. */
static bool wants_bins(const rill_floor_view *view, const rill_solid *solid, const rill_area *reach) {
    return solid->triangle_count > 64 && !may_have_changed(view, reach);
}

static bool follow_area(rill_floor *floor, const rill_floor_view *view, const rill_area *changed) {
    const rill_bed *bed = view->bed;
    rill_area cells, near, quartets;
    rill_floor_window window;
    for (int i = 0; i < 2; ++i) { /* a column has to do with all cells around it */
        const int32_t count = bed->grid.cells[i];
        cells.low[i] = changed->low[i] > 1 ? changed->low[i] - 1 : 0;
        cells.high[i] = changed->high[i] < count - 1 ? changed->high[i] + 1 : count;
        window.low[i] = cells.low[i] > 0 ? (double)(cells.low[i] - 1) : -0.5;
        window.high[i] = cells.high[i] < count ? (double)cells.high[i] : (double)count - 0.5;
        quartets.low[i] = cells.low[i] - 1;
        quartets.high[i] = cells.high[i];
        near.low[i] = cells.low[i] - 2;
        near.high[i] = cells.high[i] + 2;
    }
    if (rill_area_empty(changed)) return true;
    floor->cells = cells;
    RILL_ASSERT(cells.low[0] >= 0 && cells.low[1] >= 0);
    RILL_ASSERT(cells.high[0] <= bed->grid.cells[0] && cells.high[1] <= bed->grid.cells[1]);
    lower_columns(floor, bed, &cells);
    if (!rill_outline_points_remove(floor, bed, &quartets)) return false;
    rill_floor_bins *const bins = floor->bins.data;
    RILL_ASSERT(floor->bins.count >= view->solid_count);
    for (size_t i = 0; i < view->solid_count; ++i) {
        const rill_solid *solid = view->solids[i];
        if (!solid) continue;
        const rill_area reach = rill_solid_reach(solid, &bed->grid);
        if (!rill_area_overlaps(&reach, &near)) continue;
        if (!bins[i].solid && wants_bins(view, solid, &reach) && !rill_floor_bins_fill(&bins[i], floor, bed, solid))
            return false;
        rill_floor_cover_solid(floor, bed, solid, bins[i].solid ? &bins[i] : NULL, &window);
    }
    return !floor->lost && rill_outline_points_list(floor, bed);
}

rill_result rill_floor_follow(rill_floor *floor, const rill_floor_view *view, int32_t *heights,
                              rill_wall_face (*walls)[4]) {
    if (!view->all_changed && view->changed_count == 0 && !floor->stale) return RILL_OK;
    const rill_bed *bed = view->bed;
    const rill_area all = { { 0, 0 }, { bed->grid.cells[0], bed->grid.cells[1] } };
    RILL_ASSERT(heights && walls);
    floor->heights = heights;
    floor->walls = walls;
    floor->lost = false;
    set_units(floor, bed);
    const bool any = view->all_changed || floor->stale || view->changed_count > 0;
    bool done = check_bins(floor, view);
    if (view->all_changed || floor->stale)
        done = done && follow_area(floor, view, &all);
    else
        for (size_t i = 0; done && i < view->changed_count; ++i) done = follow_area(floor, view, &view->changed[i]);
    if (any) done = done && rill_outline_points_find_spots(floor, bed);
    floor->stale = !done;
    return done ? RILL_OK : rill_fail(view->message, RILL_OUT_OF_MEMORY, "no memory for the floor of a surface");
}
