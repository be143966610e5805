/* COVERED: columns that are full to a ceiling, and faces under a lintel.
 *
 * The plain method (`passages = off`; Dagenais et al. 2018, left half of Fig. 3): a full column takes nothing more, whatever
 * stands above its mouth, so the velocity of a face that points into it is zero. Its level is not its head: without this
 * rule a flooded pocket at rest would carry a velocity for ever. A face whose lintel lies below its sill is closed. */
#ifndef RILL_FLOW_COVERED_H
#define RILL_FLOW_COVERED_H

#include "base/simd.h"

/* 1 where a velocity u over the face meets a full column or no opening. */
static inline int32_t rill_covered_blocks(int32_t cl, int32_t cr, int32_t hl, int32_t hr, int32_t zb, float u) {
    int32_t room = u >= 0.0f ? cr - hr : cl - hl;
    int32_t open = rill_min_i(cl, cr) - zb;
    return (int32_t)(room <= 0) | (int32_t)(open <= 0);
}

#endif
