/* The stages of a sub-step, as step.c calls them, and what follows the bed when it changes. */
#ifndef RILL_FLOW_STAGES_H
#define RILL_FLOW_STAGES_H

#include "flow/flow.h"
#include "flow/kernels.h"

/* Bits 1 << RILL_WEST ... of all of them. */
#define RILL_ALL_SIDES 0xfu

/* Volume that crossed an edge, quanta. */
typedef struct rill_edge_flow {
    int64_t left, entered;
} rill_edge_flow;

/* Tiles (tiles.c): decides which tiles sleep, when a check is due, and has the spans made anew where that changes
 * them. */
void rill_tiles_update(rill_flow *flow, const rill_flow_settings *settings, const rill_kernel_constants *constants,
                       bool near_top);
/* Sparse pipes (sparse.c): move before the sweep, drive after it. */
void rill_sparse_move(rill_flow *flow, const rill_flow_settings *settings, const rill_kernel_constants *constants);
void rill_sparse_drive(rill_flow *flow, const rill_flow_settings *settings, const rill_kernel_constants *constants);
/* Dense sweep (sweep.c): moves, limits, deposits and drives all swept columns; adds what crossed the edges to
 * flows[4]. */
void rill_sweep(rill_flow *flow, const rill_flow_settings *settings, const rill_kernel_constants *constants,
                rill_edge_flow *flows);
/* Restores all ghosts, swept or not, and adds what crossed the edges to flows[4]. */
void rill_edges_restore_all(const rill_flow *flow, rill_edge_flow *flows);
/* Does so for methods without a sweep, and widens the extent by how high liquid stands behind the edges. */
void rill_edges_restore_widening(rill_flow *flow, rill_edge_flow *flows);

/* Columns of the tiles that are swept. */
int64_t rill_flow_swept_columns(const rill_flow *flow);
/* A run of columns of a row to sweep. */
typedef struct rill_span {
    int32_t from, count; /* columns, multiples of RILL_RUN */
    int32_t lintel;      /* below this level nothing in the run meets a ceiling; RILL_WALL: there is none */
} rill_span;
/* Returns the spans of a row, all sheets counted through, in order; and how often spans have been made, from 1 on: lists that
 * follow from them hold as long as that stays the same. */
const rill_span *rill_flow_row_spans(const rill_flow *flow, int32_t row, int32_t *count);
uint64_t rill_flow_spans_made(const rill_flow *flow);

/* --------------------------------------------------------------------------------------------- when the bed changes */

/* Takes memory for other ghosts; false without, and nothing is done. */
bool rill_flow_reserve_ghosts(rill_flow *flow, const rill_allocator *allocator);
/* Goes on to the bed's ghosts from the `old` ones there were: those of `sides` (bits 1 << RILL_WEST ...) that went are
 * emptied, those that came filled, and faces that lead nowhere now stopped. All are dealt out to the rows. */
void rill_flow_exchange_ghosts(rill_flow *flow, const rill_ghost *old, int32_t old_count, uint32_t sides);
/* Looks anew at a tile of the bed, which falls asleep if nothing is left in it. Returns whether there is. */
bool rill_flow_describe_tile(rill_flow *flow, int32_t sheet, int32_t tx, int32_t ty);
/* Finds the sheets with ceilings and lists the sparse pipes to move, once all tiles are described. */
void rill_flow_described(rill_flow *flow);

#endif
