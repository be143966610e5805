/* LINKS: which levels are joined to one surface. */
#ifndef RILL_WAVES_TENSION_LINK_H
#define RILL_WAVES_TENSION_LINK_H

#include "base/simd.h"
#include "flow/drive.h"
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

#endif
