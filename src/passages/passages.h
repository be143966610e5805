/* PASSAGES: columns that are full to a ceiling, and what flows between them.
 *
 * Based on: Dagenais et al. 2018 section 3.3, replaced by one statement that holds for any shape of passage: for every
 * column with a ceiling, over-pressure pi (quanta of head) and room are complementary at the END of the sub-step,
 *
 *     0 <= pi   _|_   full - H(n+1) >= 0,      head of the column: h + pi.
 *
 * A column that would end overfull gets just the pressure that makes it end full; one whose pressure would be negative
 * has none and loses liquid. Filling, emptying, bends, branches, siphons that break: all are this one statement.
 *
 *     flooded column    has a pressure in the pressure plane of the flow: it was active when the last sub-step ended
 *     active column     belongs to the active set of this sub-step: it has a pressure, and should end full
 *     flooded face      has had an active column at one end at least in this sub-step; so does a flooded pipe, and a
 *                       flooded edge is either
 *
 * Flooded faces are the business of this room alone: it drives them, solves for pi, moves whole quanta over them before
 * the sparse pipes and the sweep move everything else, and keeps them out of those (their velocity is zero meanwhile).
 * The velocity u of a flooded face is that of the last move, without the drive that the next sub-step will give it
 * together with pi: at rest both cancel exactly.
 *
 * A column counts as full from FULL_LOW to FULL_HIGH quanta below its ceiling: each of its faces may be rounded by a
 * quantum, and within the band no flow is made to correct that, so that a flooded passage comes to rest.
 *
 * Air is not simulated: a column that is not full has a free surface at pressure zero, whether or not it has a way to
 * the sky. */
#ifndef RILL_PASSAGES_PASSAGES_H
#define RILL_PASSAGES_PASSAGES_H

#include "flow/ceiling.h"
#include "solve/poisson.h"

/* ----------------------------------------------------------------------------------------------------------- memory */

/* Makes the solver of a flow, with working memory for what its bed has; NULL in beds under open sky. False without
 * memory. */
bool rill_passages_make(rill_flow *flow, const rill_allocator *allocator);
void rill_passages_free(rill_flow *flow, const rill_allocator *allocator);

/* Says, per tile of the bed, whether it has a ceiling in it, as of the last refit. */
const uint8_t *rill_passages_roofs(const rill_flow *flow);
/* Says whether a tile of a sheet has a ceiling in it. */
bool rill_passages_has_ceiling(const rill_bed *bed, const rill_sheet *sheet, int32_t tx, int32_t ty);
/* Takes memory for a bed that has changed, in which `roofed` says per tile whether it has a ceiling: `*out` is the
 * solver there is if it is large enough, else a new one. False without memory. */
bool rill_passages_reserve(const rill_flow *flow, const uint8_t *roofed, rill_passage_solver **out,
                           const rill_allocator *allocator);
/* Fits the flow to the changed bed with the solver that was reserved. Cannot fail. */
void rill_passages_refit(rill_flow *flow, const uint8_t *roofed, rill_passage_solver *passages,
                         const rill_allocator *allocator);
/* Takes memory before a step for the nodes that its first sub-steps will find, which move liquid by `lambda` cells at 1
 * m/s: what fills, solids and snapshots have flooded may be more than ever was. False without memory, and nothing is
 * done. */
bool rill_passages_take_memory(rill_flow *flow, float lambda, bool scalar);
/* Says whether there was no memory in this step for what is flooded: it grows with that. */
bool rill_passages_out_of_memory(const rill_flow *flow);

/* ---------------------------------------------------------------------------------------------------- in a sub-step */

/* The report of a solve. */
typedef struct rill_passage_report {
    bool capped;     /* stopped before it had converged; the rest was moved by the repair */
    int64_t refused; /* quanta that sources had put into flooded columns and that found no room: taken out again */
    int32_t passes, iterations;
} rill_passage_report;

/* Solves for the pressures and moves what crosses flooded faces, before the sweep; hides these faces from it. */
rill_passage_report rill_passages_move(rill_flow *flow, const rill_flow_settings *settings,
                                       const rill_kernel_constants *constants);
/* Moves what crosses flooded faces by the paper's extended pipes instead of pressures (extended_pipes.c). */
rill_passage_report rill_passages_move_extended(rill_flow *flow, const rill_flow_settings *settings,
                                                const rill_kernel_constants *constants);
/* Keeps flooded pipes out of the drive of sparse pipes: they have a velocity already. */
void rill_passages_hide_pipes(rill_flow *flow);
/* Gives the flooded faces their velocities again after the sweep, and widens the extent by them. */
void rill_passages_restore(rill_flow *flow, const rill_kernel_constants *constants);

/* Takes what stands above the ceiling of a column, and `surplus` more, to the nearest columns that have room, through
 * those that are full. Returns what found none. */
int64_t rill_passages_find_room(rill_flow *flow, int32_t place, int64_t surplus);
/* Takes what stands above the ceiling of a column to where there is room; what finds none is taken back from what
 * sources have pushed in this sub-step, and added to `*refused`. Returns whether more than a hair stood there. */
bool rill_passages_repair_column(rill_flow *flow, int32_t place, int64_t *refused);

/* --------------------------------------------------------------------------------------------- changes from outside */

/* Floods a column with an over-pressure, quanta, or lets it have a free surface if that is negative. */
void rill_passages_set_pressure(rill_flow *flow, int32_t place, double pressure);
/* Notes that a column was filled by hand, up to its ceiling or not. */
void rill_passages_fill(rill_flow *flow, int32_t place, bool full);
/* Counts the flooded columns of a tile whose pressures, or whose bed, were changed. */
void rill_passages_count_flooded(rill_flow *flow, int32_t sheet, int32_t tx, int32_t ty);
/* Counts all flooded columns: the pressures were loaded. */
void rill_passages_resume(rill_flow *flow);
/* Lets no column be flooded until the next solve says so: the method was switched. */
void rill_passages_forget(rill_flow *flow);
/* Has the nodes searched for anew in the next sub-step, as each step begins. */
void rill_passages_search_anew(rill_flow *flow);
/* Has the nodes searched for anew if a column, which is flooded now, is none of them. */
void rill_passages_search_for(rill_flow *flow, int32_t place);

#endif
