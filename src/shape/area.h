/* Rectangles of cells. */
#ifndef RILL_SHAPE_AREA_H
#define RILL_SHAPE_AREA_H

#include "rill/rill.h"

/* A rectangle of cells: low <= cell < high on each axis. */
typedef struct rill_area {
    int32_t low[2], high[2];
} rill_area;

static inline size_t rill_area_cells(const rill_area *area) {
    return (size_t)(area->high[0] - area->low[0]) * (size_t)(area->high[1] - area->low[1]);
}
static inline bool rill_area_empty(const rill_area *area) {
    return area->low[0] >= area->high[0] || area->low[1] >= area->high[1];
}
static inline bool rill_area_overlaps(const rill_area *a, const rill_area *b) {
    return !rill_area_empty(a) && !rill_area_empty(b) && a->low[0] < b->high[0] && b->low[0] < a->high[0] &&
           a->low[1] < b->high[1] && b->low[1] < a->high[1];
}

#endif
