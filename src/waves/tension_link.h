/* LINKS: which levels are joined to one surface. */
#ifndef RILL_WAVES_TENSION_LINK_H
#define RILL_WAVES_TENSION_LINK_H

#include "base/simd.h"
#include "flow/drive.h"
#include "flow/move.h"
#include "waves/tension_kernels.h"

static inline rill_face rill_tension_face(const rill_tension_planes *planes, int32_t l, int32_t r) {
    return rill_face_at(planes->b[l], planes->b[r], planes->H[l], planes->H[r]);
}

/* Whether levels are joined over a face of a sheet: where the drive does not clip heads to the sill (flow/drive.h), no lintel
 * stands in the liquid, and both columns have a surface of their own. */
static inline int32_t rill_tension_linked(const rill_tension_planes *planes, const rill_face *face, int32_t l,
                                          int32_t r, int32_t five_dx) {
    const int32_t low = rill_min_i(face->l, face->r),
                  high = rill_max_i(planes->b[l] + planes->H[l], planes->b[r] + planes->H[r]);
    const int32_t lintel = rill_min_i(planes->c[l], planes->c[r]);
    return (int32_t)(low >= rill_drive_clip(face, five_dx)) & (int32_t)(high <= lintel) &
           (int32_t)(rill_min_f(planes->acting[l], planes->acting[r]) >= 0.0f);
}

/* Returns on how many sides of a column, along an axis, a wall stands at its level: there is nothing else, or the bed of the
 * column there is higher. */
static inline int32_t rill_tension_walls(const rill_tension_planes *planes, int32_t place, int32_t axis, int32_t step) {
    const int32_t low = axis == 0 ? RILL_SHUT_WEST : RILL_SHUT_SOUTH,
                  high = axis == 0 ? RILL_SHUT_EAST : RILL_SHUT_NORTH;
    const int32_t level = planes->b[place] + planes->H[place], before = planes->b[place - step],
                  beyond = planes->b[place + step];
    if (planes->H[place] == 0) return 0;
    return ((planes->sides[place] & low) != 0 || (before < RILL_WALL && before >= level)) +
           ((planes->sides[place] & high) != 0 || (beyond < RILL_WALL && beyond >= level));
}

/* Returns the opening of a face for a velocity u over it, in quanta; where it is 0 the larger of both ways, or mirror images
 * would differ. */
static inline int32_t rill_tension_opening(const rill_face *face, float u) {
    const int32_t forth = rill_move_opening(face, 1.0f), back = rill_move_opening(face, -1.0f);
    return u > 0.0f ? forth : u < 0.0f ? back : rill_max_i(forth, back);
}

/* Returns the square of twice the depth over which the bed drags on liquid that climbs a step: all of it has to pass through
 * what stands above the sill, however deep both columns are. Tension drives such flows where levels alone never do. */
static inline float rill_tension_climbing(const rill_face *face, float u, int32_t open) {
    const float twice = 2.0f * (float)open;
    return u * (float)face->step < 0.0f ? twice * twice : FLT_MAX;
}

#endif
