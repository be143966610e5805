/* MOVE: the volume that crosses a face in a sub-step, and its rounding to whole quanta.
 *
 * Based on: Dagenais et al. 2018 Eq. 1 and the height update after it (section 3.1); f dt / dx^2 is our q, in quanta.
 *   physical pipe   q = u (dt/dx) O,   O = liquid of the donor above the sill zb and below the lintel zt. Where the sill is
 *                   drowned on both sides the depth is measured at the face instead: from the mean bed, to the donor's
 *                   level less half of what the level drops along with the bed. On a lake that adds half the bed step, for
 *                   a film of even depth nothing (half a step always made a film thicker than the step 29 % too fast)
 *   paper pipe      A = dx^2, so O = dx whatever the depth
 * Whole quanta: t = trunc(q + phase) away from zero, with one phase for all faces of a sub-step, a golden-ratio
 * sequence over the sub-steps. Unbiased without any memory: plain truncation freezes honey, carried remainders pump
 * energy. */
#ifndef RILL_FLOW_MOVE_H
#define RILL_FLOW_MOVE_H

#include "base/simd.h"
#include "bed/bed.h"
#include "flow/face.h"

/* O in quanta. Where something hangs over the face, the levels must be cut to the lintel zt first. */
static inline int32_t rill_move_opening(const rill_face *face, float u) {
    int32_t back = u < 0.0f;
    int32_t above_sill = rill_max_i(0, back ? face->r : face->l);
    int32_t drowned = rill_max_i(0, rill_min_i(face->l, face->r));
    int32_t along = rill_max_i(rill_min_i(face->l - face->r, rill_max_i(face->step, 0)), rill_min_i(face->step, 0));
    int32_t downhill = back ? -along : along;
    return above_sill + rill_min_i(drowned, (rill_abs_i(face->step) >> 1) - (downhill >> 1));
}

/* The dither phase of a sub-step, 0 <= phase < 1: 24 bits, so that it is exact in float. A golden-ratio sequence whose
 * order is shuffled within each 32 sub-steps: in plain order one of its harmonics shakes a pool at rest, at the
 * frequency of its shortest wave. */
static inline float rill_move_phase(uint64_t substep) {
    uint32_t shuffle = ((uint32_t)(substep >> 5) * 0x9e3779b1u) >> 27;
    return (float)((((uint32_t)substep ^ shuffle) * 2654435769u) >> 8) * (1.0f / 16777216.0f);
}

/* A phase of 0 truncates, which is what limited faces need. */
static inline float rill_move_whole(float q, float phase) {
    return (float)(int32_t)(q + (q < 0.0f ? -phase : phase));
}

#endif
