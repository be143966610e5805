/* A face, seen from its sill zb = max(b_l, b_r).
 *
 * Levels above the sill and the bed step are all that opening, head and viscous depth depend on; taken once, they are
 * shared by all three. The column with the higher bed stands on the sill: its level is its depth, and never
 * negative. */
#ifndef RILL_FLOW_FACE_H
#define RILL_FLOW_FACE_H

#include "base/simd.h"

typedef struct rill_face {
    int32_t step; /* b_l - b_r, quanta */
    int32_t l, r; /* levels h - zb of the two columns, quanta; negative below the sill */
} rill_face;

static inline rill_face rill_face_at(int32_t bl, int32_t br, int32_t Hl, int32_t Hr) {
    int32_t step = bl - br;
    return (rill_face){ step, Hl + rill_min_i(step, 0), Hr - rill_max_i(step, 0) };
}

/* The face with its levels cut to the lintel, which lies `opening` above the sill. */
static inline rill_face rill_face_under(rill_face face, int32_t opening) {
    return (rill_face){ face.step, rill_min_i(face.l, opening), rill_min_i(face.r, opening) };
}

#endif
