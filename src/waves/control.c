/* Shapes that liquid is drawn into: their cells, and how far others are from them. */
#include "waves/control.h"

#include <math.h>

#include "base/alloc.h"
#include "waves/distance_transform.h"

/* ------------------------------------------------------------------------------------------------------------ shape */

/* Where an edge crosses the middle of a row of cells, all to the east of that change sides. */
static void cross_row(const double from[2], const double to[2], double y, const rill_grid *grid, uint8_t *row) {
    if ((from[1] <= y) == (to[1] <= y)) return;
    const double x = from[0] + (y - from[1]) / (to[1] - from[1]) * (to[0] - from[0]);
    const double first = ceil((x - grid->origin[0]) / grid->cell_size - 0.5); /* whose centre lies at x or beyond */
    if (first < grid->cells[0]) row[first > 0.0 ? (size_t)first : 0] ^= 1;
}

/* Inside is what an odd number of polygons' edges lies around, so that a polygon in another is a hole. */
static void draw_polygons(const rill_control_def *def, const rill_grid *grid, uint8_t *inside) {
    const size_t width = (size_t)grid->cells[0];
    for (int32_t y = 0; y < grid->cells[1]; ++y) {
        const double *points = def->points, at = grid->origin[1] + ((double)y + 0.5) * grid->cell_size;
        uint8_t *row = inside + (size_t)y * width;
        for (size_t x = 0; x < width; ++x) row[x] = 0;
        for (int32_t i = 0; i < def->polygon_count; points += 2 * (size_t)def->corners[i++])
            for (int32_t k = 0, before = def->corners[i] - 1; k < def->corners[i]; before = k++)
                cross_row(points + 2 * (size_t)before, points + 2 * (size_t)k, at, grid, row);
        for (size_t x = 1; x < width; ++x) row[x] ^= row[x - 1];
    }
}

rill_result rill_control_draw(const rill_control_def *def, const rill_grid *grid, uint8_t *inside,
                              rill_message *message) {
    const size_t cells = (size_t)grid->cells[0] * (size_t)grid->cells[1];
    size_t count = 0;
    if (def->mask)
        for (size_t i = 0; i < cells; ++i) inside[i] = def->mask[i] != 0;
    else
        draw_polygons(def, grid, inside);
    for (size_t i = 0; i < cells; ++i) count += inside[i];
    if (count > 0) return RILL_OK;
    return rill_fail(message, RILL_INVALID_ARGUMENT,
                     "control.%s has no cell of the grid whose centre is inside; expected one at least",
                     def->mask ? "mask" : "points");
}

/* -------------------------------------------------------------------------------------------------------- distances */

bool rill_control_measure(const uint8_t *inside, const rill_grid *grid, float *slide, const rill_allocator *allocator) {
    const size_t cells = (size_t)grid->cells[0] * (size_t)grid->cells[1];
    int64_t *squares = rill_alloc(allocator, cells, sizeof *squares);
    const bool good = squares && rill_distance_transform(inside, 1, grid->cells[0], grid->cells[1], squares, allocator);
    for (size_t i = 0; good && i < cells; ++i)
        slide[i] = (float)((sqrt((double)squares[i] + 1.0) - 1.0) * grid->cell_size);
    rill_free(allocator, squares, cells, sizeof *squares);
    return good;
}

void rill_control_free(rill_control *control, const rill_allocator *allocator) {
    rill_string_free(allocator, control->name);
    rill_free(allocator, control->inside, control->cells, sizeof *control->inside);
    rill_free(allocator, control->slide, control->cells, sizeof *control->slide);
    control->name = NULL;
    control->inside = NULL;
    control->slide = NULL;
    control->user = NULL;
    control->alive = control->active = false;
}
