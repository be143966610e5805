/* RISING: ceilings that are lifted off flooded columns.
 *
 *     #######  the bed's ceiling         The bed lifts a ceiling at once, but a piston rises steadily, and liquid under
 *     - - - -  where the piston is       pressure stays at it. If all of the room were there at once it would shoot in and
 *     ~~~~~~~  level                     stop, in every frame. So the room opens over the time T in which the solid has made
 *     :::::::                            it: until then the column counts as full that much lower,
 *
 *                 full - room <= depth,     d room/dt = -room / (time left),
 *
 * and its openings end that much lower. Whether liquid follows is for the pressure solve to say (passages.h). Where there is no
 * pressure left the column is free like any other, with a void below its ceiling. What is pressed out (expelled.h) is the same with
 * the other sign; but nothing is on its way here, so that the ledger knows nothing of it. */
#ifndef RILL_MOTION_OPENING_CEILINGS_H
#define RILL_MOTION_OPENING_CEILINGS_H

#include "motion/displace.h"

/* Room for so many more: each column of an update adds one at most. */
bool rill_opening_reserve(rill_flow *flow, size_t more, const rill_allocator *allocator);

/* The bed has changed. Those at columns that did are forgotten; before these get their depths. */
void rill_opening_forget(const rill_displace_job *job);
/* A column that goes on has its depth: if it was under pressure and has room now, that will open. Once all is noted, the list is
 * put in order. */
void rill_opening_note(const rill_displace_job *job, const rill_cell_change *at, const rill_new_column *fresh);
void rill_opening_order(rill_flow *flow);
/* Whether the ceiling of a column rises. The list is in order. */
bool rill_opening_is(const rill_flow *flow, int32_t place);

/* A step begins: what opens within it does so evenly over it. */
void rill_opening_begin(rill_flow *flow, double dt);
/* Opens what is due in a sub-step; all, where passages are not solved for. */
void rill_opening_open(rill_flow *flow, double dt);

/* The same at the same columns of another bed. False without memory. */
bool rill_opening_transfer(const rill_flow *from, rill_flow *to, const rill_allocator *allocator);

#endif
