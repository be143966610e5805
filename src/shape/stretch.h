/* Maps of samples stretched over the cells of a grid: samples sit at the middle of their own cells, and beyond the outermost
 * ones their value holds. */
#ifndef RILL_SHAPE_STRETCH_H
#define RILL_SHAPE_STRETCH_H

#include <stdint.h>

/* Returns the place of cell i of n in a map of m samples over the same length: the sample before it, and in `*fraction` how far
 * it is from there to the next. */
static inline int32_t rill_stretch(int32_t i, int32_t n, int32_t m, double *fraction) {
    double place = ((double)i + 0.5) * ((double)m / (double)n) - 0.5;
    if (place < 0.0) place = 0.0;
    if (place > (double)(m - 1)) place = (double)(m - 1);
    const int32_t left = (int32_t)place;
    *fraction = place - (double)left;
    return left;
}

#endif
