/* OPENING CEILINGS: those that are lifted off flooded columns.
 *
 *     #######  the bed's ceiling         The bed lifts a ceiling at once, but a piston rises steadily, and liquid under
 *     - - - -  where the piston is       pressure stays at it. If all of the room were there at once it would shoot in
 *     ~~~~~~~  level                     and stop, in every frame. So the room opens over the time T in which the solid
 *     :::::::                            has made it: until then the column counts as full that much lower,
 *
 *                 full - room <= depth,     d room/dt = -room / (time left),
 *
 * and its mouths end that much lower. Whether liquid follows is for the pressure solve to say (passages.h). Where there
 * is no pressure left the column is free like any other, with a void below its ceiling. Nothing is on its way here as
 * it is where a ceiling comes down (swept_volume.h), so that the ledger knows nothing of it. */
#ifndef RILL_MOTION_OPENING_CEILINGS_H
#define RILL_MOTION_OPENING_CEILINGS_H

#include "flow/flow.h"

/* Makes room for so many more: each column of an update adds one at most. */
bool rill_opening_reserve(rill_flow *flow, size_t more, const rill_allocator *allocator);
/* Puts the list in order by place, once all is noted. */
void rill_opening_order(rill_flow *flow);
/* Tells whether the ceiling of a column is opening. The list is in order. */
bool rill_opening_is(const rill_flow *flow, int32_t place);

/* Begins a step: what opens within it does so evenly over it. */
void rill_opening_begin(rill_flow *flow, double dt);
/* Opens what is due in a sub-step; all, where passages are not solved for. */
void rill_opening_open(rill_flow *flow, double dt);

/* Copies the list to the same columns of another bed. False without memory. */
bool rill_opening_transfer(const rill_flow *from, rill_flow *to, const rill_allocator *allocator);

#endif
