/* VISCOSITY: drag of the bed on a film, implicit.
 *
 * Based on: Dagenais et al. 2018 Eq. 4, u *= H^2 / (H^2 + 3 dt nu), from the parabolic profile of Eq. 3. Steady flow on
 * an incline is then exactly Nusselt's g S H^2 / (3 nu). H is the depth of the flow at the face:
 *     2 H_v = min(H_l + H_r, H_up + max(H_up, o) + min(db, 2 o)),   o = max(0, H_lo - db),
 * `up` the column with the higher bed, db the bed step: the mean of both on flat or drowned ground, the film's own
 * depth where it drops over a sill (the mean would be the pool's, and such faces would run free for a minute). */
#ifndef RILL_FLOW_VISCOSITY_H
#define RILL_FLOW_VISCOSITY_H

#include "flow/face.h"

/* Twice the viscous depth, quanta; `depths` is H_l + H_r. */
static inline int32_t rill_viscosity_depth(const rill_face *face, int32_t depths) {
    int32_t up = face->step < 0 ? face->r : face->l, lo = face->step < 0 ? face->l : face->r, o = rill_max_i(0, lo);
    return rill_min_i(depths, up + rill_max_i(face->l, face->r) + rill_min_i(rill_abs_i(face->step), 2 * o));
}

#endif
