/* LINKS: which levels are joined to one surface. */
#ifndef RILL_WAVES_TENSION_LINK_H
#define RILL_WAVES_TENSION_LINK_H

#include "base/simd.h"
#include "flow/drive.h"
#include "flow/move.h"
#include "waves/tension_kernels.h"

static inline rill_face rill_tension_face(const rill_tension_planes *p, int32_t l, int32_t r) {
    return rill_face_at(p->b[l], p->b[r], p->H[l], p->H[r]);
}

/* Whether levels are joined over a face of a sheet: where the drive does not clip heads to the sill (flow/drive.h), no lintel
 * stands in the liquid, and both columns have a surface of their own. */
static inline int32_t rill_tension_linked(const rill_tension_planes *p, const rill_face *f, int32_t l, int32_t r,
                                          int32_t five_dx) {
    const int32_t low = rill_min_i(f->l, f->r), high = rill_max_i(p->b[l] + p->H[l], p->b[r] + p->H[r]);
    const int32_t lintel = rill_min_i(p->c[l], p->c[r]);
    return (int32_t)(low >= rill_drive_clip(f, five_dx)) & (int32_t)(high <= lintel) &
           (int32_t)(rill_min_f(p->acting[l], p->acting[r]) >= 0.0f);
}

/* Returns on how many sides of a column, along an axis, a wall stands at its level: there is nothing else, or the bed of the
 * column there is higher. */
static inline int32_t rill_tension_walls(const rill_tension_planes *p, int32_t place, int32_t axis, int32_t step) {
    const int32_t low = axis == 0 ? RILL_SHUT_WEST : RILL_SHUT_SOUTH,
                  high = axis == 0 ? RILL_SHUT_EAST : RILL_SHUT_NORTH;
    const int32_t level = p->b[place] + p->H[place], before = p->b[place - step], beyond = p->b[place + step];
    if (p->H[place] == 0) return 0;
    return ((p->sides[place] & low) != 0 || (before < RILL_WALL && before >= level)) +
           ((p->sides[place] & high) != 0 || (beyond < RILL_WALL && beyond >= level));
}

/* Returns the opening of a face for a velocity u over it, in quanta; where it is 0 the larger of both ways, or mirror images
 * would differ. */
static inline int32_t rill_tension_opening(const rill_face *f, float u) {
    const int32_t forth = rill_move_opening(f, 1.0f), back = rill_move_opening(f, -1.0f);
    return u > 0.0f ? forth : u < 0.0f ? back : rill_max_i(forth, back);
}

/* Returns the square of twice the depth over which the bed drags on liquid that climbs a step: all of it has to pass through
 * what stands above the sill, however deep both columns are. Tension drives such flows where levels alone never do. */
static inline float rill_tension_climbing(const rill_face *f, float u, int32_t open) {
    const float twice = 2.0f * (float)open;
    return u * (float)f->step < 0.0f ? twice * twice : FLT_MAX;
}

#endif
