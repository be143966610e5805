/* DRIVE: the head that accelerates the liquid in a pipe.
 *
 * Based on: Dagenais et al. 2018 Eq. 1, u += dt g (h_l - h_r) / dx, on layered ground. On gentle slopes the plain
 * difference of levels is right (a film's drive is the slope of its bed), at a cliff it is not: there liquid below the
 * sill must not pull at the brink. Heads are clipped from below at
 *     zc = zb - max(0, min(db, (5 dx - db) / 4)),   zb = max(b_l, b_r),   db = |b_l - b_r|,
 * i.e. not at all up to 45 degrees, wholly to the sill from slope 5 on, fading between.
 * Tilted gravity enters as a whole number of quanta per cell, S = g_t dx / g_n: a tilted lake rests exactly.
 *
 * On beds steeper than 83 degrees g_n is too small to count in, and beyond 90 it pulls off: heads are counted in g = max(|g_n|,
 * |g_t| / 8) there, and a difference of levels is worth g_n / g of itself: nothing on a wall, and less than nothing below one
 * that hangs over. */
#ifndef RILL_FLOW_DRIVE_H
#define RILL_FLOW_DRIVE_H

#include "flow/face.h"

/* The clip level above the sill. `five_dx` is five cell sizes in quanta. */
static inline int32_t rill_drive_clip(const rill_face *face, int32_t five_dx) {
    int32_t db = rill_abs_i(face->step);
    return -rill_max_i(0, rill_min_i(db, (five_dx - db) >> 2));
}

static inline int32_t rill_drive_head(const rill_face *face, int32_t clip) {
    return rill_max_i(face->l, clip) - rill_max_i(face->r, clip);
}

/* Returns what a difference of levels is worth. */
static inline int32_t rill_drive_upright(int32_t levels, double upright) {
    return (int32_t)((double)levels * upright);
}

#endif
