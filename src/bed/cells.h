/* Which cells of a grid lie in a range, by their centres: shared by sources and queries. */
#ifndef RILL_BED_CELLS_H
#define RILL_BED_CELLS_H

#include "rill/rill.h"

/* Centre of cell i along an axis (0: x, 1: y), m. */
static inline double rill_cell_centre(const rill_grid *grid, int axis, int32_t i) {
    return grid->origin[axis] + ((double)i + 0.5) * grid->cell_size;
}

/* The cells first <= i < end along an axis whose centres lie in low..high; infinities are allowed, NaN is not. */
static inline void rill_cells_between(const rill_grid *grid, int axis, double low, double high, int32_t *first,
                                      int32_t *end) {
    const double count = (double)grid->cells[axis];
    double from = (low - grid->origin[axis]) / grid->cell_size - 1.0;
    double to = (high - grid->origin[axis]) / grid->cell_size + 1.0;
    from = from < 0.0 ? 0.0 : from > count ? count : from;
    to = to < 0.0 ? 0.0 : to > count ? count : to;
    int32_t a = (int32_t)from, b = (int32_t)to;
    /* The estimate is a cell too wide on either side; the centres decide. */
    while (a < b && rill_cell_centre(grid, axis, a) < low) a += 1;
    while (b > a && rill_cell_centre(grid, axis, b - 1) > high) b -= 1;
    *first = a;
    *end = b;
}

#endif
