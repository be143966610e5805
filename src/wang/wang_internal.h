/* Shared by the files of src/wang: the sub-step under way, and what is open between cells. */
#ifndef RILL_WANG_WANG_INTERNAL_H
#define RILL_WANG_WANG_INTERNAL_H

#include <math.h>

#include "wang/wang.h"

typedef struct rill_heights_work {
    rill_heights *heights;
    rill_flow *flow;
    const rill_heights_step *step;
    double dx;
} rill_heights_work;

/* Whether water passes between two cells side by side: one of them has some (section 3.2), both where the front is sealed. */
static inline bool rill_height_open(const rill_heights *heights, size_t a, size_t b) {
    const uint8_t one = heights->kind[a], other = heights->kind[b];
    if (one < RILL_HEIGHT_BOUNDARY || other < RILL_HEIGHT_BOUNDARY) return false;
    const bool both = one >= RILL_HEIGHT_WATER && other >= RILL_HEIGHT_WATER;
    return (one == RILL_HEIGHT_WATER || other == RILL_HEIGHT_WATER) && (both || !heights->sealed);
}

/* Whether a body presses on a cell: its height in the system is a head then. */
static inline bool rill_height_pressed(const rill_heights *heights, size_t at) {
    return heights->has_bodies && heights->pressed[at] < (double)INFINITY;
}

/* Returns (d_i + d_j) / 2. */
static inline double rill_height_mean(const rill_heights *heights, size_t a, size_t b) {
    return 0.5 * (rill_height_depth(heights, a) + rill_height_depth(heights, b));
}

/* wang_cells.c: which cells are what. Takes over what others have changed in the columns, and gives what heights have come to. */
void rill_heights_take(const rill_heights_work *work);
int64_t rill_heights_give(const rill_heights_work *work, bool *out_of_range);
/* Water cells are those with water; boundary cells come and go beside them. */
void rill_heights_classify(const rill_heights_work *work);

/* Finds which columns bodies press on, and how far down. */
void rill_heights_press(const rill_heights_work *work);

/* wang_velocity.c: Eq. 4, and Eq. 1 with friction. */
void rill_heights_advect(const rill_heights_work *work);
void rill_heights_accelerate(const rill_heights_work *work);
/* External pressure over density of a cell, m2/s2; acceleration over the face between a cell and that west (0) or south of it. */
double rill_heights_pressure(const rill_heights_work *work, size_t at);
double rill_heights_push(const rill_heights_work *work, size_t at, int axis);

/* wang_tension.c: Eqs. 12, 13, 17 and 18: K and what of it is beyond the front; zeros without tension. What Eq. 16 adds to b. */
void rill_heights_curve(const rill_heights_work *work);
double rill_heights_explicit_tension(const rill_heights_work *work, size_t at);
/* wang_rows.c: the matrix and the right side. */
void rill_heights_assemble(const rill_heights_work *work);
/* Returns dt^2 (d_i + d_j) (g_i + g_j) / (4 dx^2), -a_ij of Eq. 10, and with it that of Eq. 15. */
double rill_heights_weight(const rill_heights_work *work, size_t a, size_t b);

/* wang_solve.c: Eqs. 5 to 7. What crosses edges is added to flows[4]. */
int32_t rill_heights_solve(const rill_heights_work *work, bool *capped, struct rill_edge_flow *flows);

#endif
