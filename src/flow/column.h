/* COLUMN: the door to the volume of columns.
 *
 * Whoever is not a vector kernel, or loads a world, changes a depth here and nowhere else (tools/check_names.py looks).
 * So there is one place that says what a depth may be, and where to look when the sum is wrong. Builds with asserts
 * count every column after each stage of a sub-step and compare with the ledger (world/audit.c): that finds the stage
 * that lost a quantum, in kernels too.
 *
 * None of these wake anything: some callers know the tile, some wake many columns at once, and what moved by itself
 * does not wake as what was put there does (flow.h). A ghost is a column like others until the edges take it back. */
#ifndef RILL_FLOW_COLUMN_H
#define RILL_FLOW_COLUMN_H

#include "base/assert.h"
#include "base/simd.h"
#include "flow/flow.h"

/* Gives a column some quanta. */
static inline void rill_column_give(rill_flow *flow, int32_t place, int32_t quanta) {
    RILL_ASSERT(place >= 0 && place < flow->bed->plane_size);
    RILL_ASSERT(quanta >= 0 && flow->H[place] <= INT32_MAX - quanta);
    flow->H[place] += quanta;
}

/* Takes some quanta that it has. */
static inline void rill_column_take(rill_flow *flow, int32_t place, int32_t quanta) {
    RILL_ASSERT(place >= 0 && place < flow->bed->plane_size);
    RILL_ASSERT(quanta >= 0 && quanta <= flow->H[place]);
    flow->H[place] -= quanta;
}

/* Moves some quanta from one column to another, or, if they are negative, back. */
static inline void rill_column_move(rill_flow *flow, int32_t from, int32_t to, int32_t quanta) {
    RILL_ASSERT(from != to);
    RILL_ASSERT(quanta <= flow->H[from] && -quanta <= flow->H[to]);
    flow->H[from] -= quanta;
    flow->H[to] += quanta;
}

/* Changes a column by what crosses all of its faces: one of many that exchange quanta in the same loop. */
static inline void rill_column_exchange(rill_flow *flow, int32_t place, int32_t by) {
    RILL_ASSERT(place >= 0 && place < flow->bed->plane_size);
    RILL_ASSERT(by >= -flow->H[place] && flow->H[place] <= INT32_MAX - rill_max_i(by, 0));
    flow->H[place] += by;
}

/* Changes columns side by side, all by the same: a loop that vectorises. */
static inline void rill_column_exchange_run(rill_flow *flow, int32_t place, int32_t count, int32_t by) {
    int32_t *restrict H = flow->H + place;
    RILL_ASSERT(place >= 0 && count >= 0 && place <= flow->bed->plane_size - count);
    for (int32_t i = 0; i < count; ++i) {
        RILL_ASSERT(by >= -H[i] && H[i] <= INT32_MAX - rill_max_i(by, 0));
        H[i] += by;
    }
}

/* Lowers the depth of a column of a row that the sweep has in flight, which may be a copy beside a task's band. */
static inline void rill_column_lower(int32_t *depth, int32_t quanta) {
    RILL_ASSERT(quanta >= 0 && quanta <= *depth);
    *depth -= quanta;
}

/* Sets a depth, and returns by how much that changed it: to be booked, or to be found elsewhere. */
static inline int32_t rill_column_set(rill_flow *flow, int32_t place, int32_t depth) {
    RILL_ASSERT(place >= 0 && place < flow->bed->plane_size && depth >= 0);
    const int32_t change = depth - flow->H[place];
    flow->H[place] = depth;
    return change;
}

#endif
