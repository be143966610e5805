/* REST: what is so slow that it may be stopped (tiles.c says when it is).
 *
 * A face may rest if it is slow and hardly driven: pools come to rest. Or if it creeps, however it is driven: a face
 * that stays below a micrometre per second over all the checks it takes to fall asleep does not speed up any more,
 * because viscosity holds it: the last film on a slope, or what seeps through a hair's breadth. */
#ifndef RILL_FLOW_REST_H
#define RILL_FLOW_REST_H

#include "base/simd.h"

#define RILL_REST_SPEED 1e-4f  /* m/s */
#define RILL_CREEP_SPEED 1e-6f /* m/s */
#define RILL_REST_HEAD 1e-7    /* m: hardly driven */

/* 1 for a face of velocity u that may not be stopped; `driven`: by more than RILL_REST_HEAD. */
static inline int32_t rill_restless(float u, int32_t driven) {
    const float speed = __builtin_fabsf(u);
    return (speed >= RILL_REST_SPEED) | ((speed >= RILL_CREEP_SPEED) & driven);
}

#endif
