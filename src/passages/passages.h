/* COVERED: columns that are full to a ceiling, and faces under a lintel.
 *
 * Based on: Dagenais et al. 2018 section 3.3, replaced by one statement that holds for any shape of passage: for every column
 * with a ceiling, over-pressure pi (quanta of head) and room are complementary at the END of the sub-step,
 *
 *     0 <= pi   _|_   full - H(n+1) >= 0,      head of the column: h + pi.
 *
 * A column that would end overfull gets just the pressure that makes it end full; one whose pressure would be negative has
 * none and loses liquid. Filling, emptying, bends, branches, siphons that break: all are this one statement.
 *
 * A *member* is a column with pressure; a *covered face* has a member at one end at least. Covered faces are the business of
 * this stage alone: it drives them, solves for pi, moves whole quanta over them before the sparse pipes and the sweep move
 * everything else, and keeps them out of those (their velocity is zero meanwhile). The velocity u of a covered face is that
 * of the last move, without the drive that the next sub-step will give it together with pi: at rest both cancel exactly.
 *
 * A column counts as full from FULL_LOW to FULL_HIGH quanta below its ceiling: each of its faces may be rounded by a quantum,
 * and within the band no flow is made to correct that, so that a flooded passage comes to rest.
 *
 * Air is not simulated: a column that is not full has a free surface at pressure zero, whether or not it has a way to the
 * sky. */
#ifndef RILL_PASSAGES_PASSAGES_H
#define RILL_PASSAGES_PASSAGES_H

#include "flow/ceiling.h"
#include "solve/poisson.h"

/* Working memory; NULL in beds under open sky. */
bool rill_passages_make(rill_flow *flow, const rill_allocator *allocator);
void rill_passages_free(rill_flow *flow, const rill_allocator *allocator);

/* The bed has changed. Tiles with a ceiling in them are `roofed` (per tile; so far: rill_passages_roofs): reserving takes the memory for them, and for the
 * bed's pipes, if there is not enough; refitting uses what was reserved and cannot fail. */
const uint8_t *rill_passages_roofs(const rill_flow *flow);
bool rill_passages_has_ceiling(const rill_bed *bed, const rill_sheet *sheet, int32_t tx, int32_t ty);
bool rill_passages_reserve(const rill_flow *flow, const uint8_t *roofed, rill_passage_solver **out,
                          const rill_allocator *allocator);
void rill_passages_refit(rill_flow *flow, const uint8_t *roofed, rill_passage_solver *passages, const rill_allocator *allocator);
/* The pressures of a tile were changed. */
void rill_passages_count_flooded(rill_flow *flow, int32_t sheet, int32_t tx, int32_t ty);

/* What a solve has to say. */
typedef struct rill_passage_report {
    bool capped;     /* stopped before it had converged; the rest was moved by the repair */
    int64_t refused; /* quanta that sources had put into flooded columns and that found no room: taken out again */
    int32_t passes, iterations;
} rill_passage_report;

/* Solves for the pressures and moves what crosses covered faces; hides these faces from the sweep. Before it. */
rill_passage_report rill_passages_move(rill_flow *flow, const rill_flow_settings *settings,
                                      const rill_kernel_constants *constants);
/* The same with the paper's extended pipes instead of pressures (extended_pipes.c). */
rill_passage_report rill_passages_move_extended(rill_flow *flow, const rill_flow_settings *settings,
                                       const rill_kernel_constants *constants);
/* Takes what stands above the ceiling of a column, and `surplus` more, to the nearest columns that have room, through those
 * that are full. Returns what found none. */
int64_t rill_passages_find_room(rill_flow *flow, int32_t place, int64_t surplus);
/* The same for what stands above the ceiling alone; what finds no room is taken back from what sources have pushed in this
 * sub-step, and added to `*refused`. Whether it was more than a hair. */
bool rill_passages_repair_column(rill_flow *flow, int32_t place, int64_t *refused);
/* A column is flooded with an over-pressure, quanta, or, if that is negative, not. */
void rill_passages_set_pressure(rill_flow *flow, int32_t place, double pressure);
/* Keeps covered pipes out of the drive of sparse pipes: they have a velocity already. */
void rill_passages_hide_pipes(rill_flow *flow);
/* Gives the covered faces their velocities again, and widens the extent by them. After the sweep. */
void rill_passages_restore(rill_flow *flow, const rill_kernel_constants *constants);
/* A step begins: where columns may be covered is looked for anew. */
void rill_passages_search_anew(rill_flow *flow);
/* The same if that would be in vain for a column that is flooded now. */
void rill_passages_search_for(rill_flow *flow, int32_t place);
/* Before a step whose first sub-steps move liquid by `lambda` cells at 1 m/s: memory for what fills, solids and
 * snapshots have flooded. False without, and nothing is done. */
bool rill_passages_take_memory(rill_flow *flow, float lambda, bool scalar);
/* Whether there was no memory in this step for what is flooded: it grows with that. */
bool rill_passages_out_of_memory(const rill_flow *flow);
/* The pressures were loaded. */
void rill_passages_resume(rill_flow *flow);
/* A column was filled by hand, up to its ceiling or not. */
void rill_passages_fill(rill_flow *flow, int32_t place, bool full);
/* The passages were switched: nothing is flooded until the next solve says so. */
void rill_passages_forget(rill_flow *flow);

#endif
