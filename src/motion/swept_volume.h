/* SWEPT VOLUME: what a moving wall gives to the flow or takes from it over time. It is the term -B.v of a prescribed
 * body in the equation of a column's volume, with the mean velocity of the last move, for the bed jumps from pose to
 * pose, but the wall in it moves steadily.
 *
 * EXPELLED: what a move presses out of the place of a solid (displace.h) is kept at a column and given to it over the
 * time T in which the solid has swept it,
 *
 *     dV/dt = amount / T.
 *
 * A column under a ceiling that came down is full: what it is given above that the pressure solve pushes on
 * (passages.h). Liquid that leaves the wall has its velocity: that of the face between them, which is closed, is what
 * the momentum of the column begins with (Stelling & Duinmeijer 2003). Else it would have to be driven off by a heap
 * before the wall.
 *
 * WITHDRAWN: the opposite sign, where a wall goes back.
 *
 *     wall      | front                  The bed opens a cell at once, when the wall leaves its centre; but the wall
 *     ##########|~~~~~~~~~~~~~           leaves it bit by bit. So the column at the front gives as much, steadily, as
 *     ##########|:::::::::::::           the wall makes room for in T, the time in which it passes a cell,
 *     ##########|:::::::::::::
 *      next     |                             dV/dt = -H / T,
 *
 * and when the next cell opens it is filled with that, up to the level of the front (opened_columns.c). When the wall
 * stops, what was withdrawn is given back as if it were expelled.
 *
 * Amounts are whole quanta and belong to the ledger (in_transit). A sub-step gives the part of what is left that its
 * length is of the time left, rounded down: after T nothing is left. What a column does not take is tried again until
 * then, and then goes wherever there is room, at last through solids. */
#ifndef RILL_MOTION_SWEPT_VOLUME_H
#define RILL_MOTION_SWEPT_VOLUME_H

#include "base/alloc.h"
#include "flow/flow.h"
#include "motion/wall_speed.h"

/* Sums up both lists, quanta. */
int64_t rill_swept_volume_total(const rill_flow *flow);
/* Copies both lists to the same columns of another bed. False without memory. */
bool rill_swept_volume_transfer(const rill_flow *from, rill_flow *to, const rill_allocator *allocator);
/* Copies a list of in_transit.h to the columns of another bed that are the same; it is in order no more. False without
 * memory. */
bool rill_in_transit_copy(const rill_array *from, const rill_bed *from_bed, rill_array *to, const rill_bed *to_bed,
                          const rill_allocator *allocator);

/* Makes room for so many more, and once more for each column: then adding cannot fail. */
bool rill_expelled_reserve(rill_flow *flow, size_t more, const rill_allocator *allocator);
/* Adds liquid at a column, pressed out by a wall whose time per cell is known, or NULL. */
void rill_expelled_add(rill_flow *flow, int32_t place, int64_t amount, double seconds, const rill_wall_speed *wall);
/* Puts the list in order by place, one of each, once all is added. */
void rill_expelled_order(rill_flow *flow);
/* Finds what is expelled at a column, in a list that is in order; NULL if nothing is. */
rill_expelled *rill_expelled_at(const rill_flow *flow, int32_t place);
/* Returns the mean time of two amounts. */
double rill_expelled_mean(int64_t a, double seconds_a, int64_t b, double seconds_b);
/* Returns the speed at which it raises the fastest column, m/s. */
double rill_expelled_rise(const rill_flow *flow);

/* Begins a step: what is due within it is given evenly over it, and where solids rest all will be soon. */
void rill_expelled_begin(rill_flow *flow, double dt, const rill_motion *motion);
/* Gives what is due in a sub-step; as long as something flows faster than `fastest`, m/s, no column is pushed. `slack`
 * quanta below ceilings are not filled where it has to look for room itself. True if it found room only beyond
 * solids. */
bool rill_expelled_release(rill_flow *flow, double dt, double fastest, int32_t slack);
/* Takes back what flooded passages have refused of that. To be called after each release. */
void rill_expelled_return(rill_flow *flow, int64_t refused);
/* Gives closed faces before which liquid is expelled the velocity of the wall, for the sweep. */
void rill_expelled_push(rill_flow *flow, double dt);
/* Takes that velocity from the faces that the sweep has not stopped. */
void rill_expelled_stop(rill_flow *flow, double dt);

/* Makes room for so many more: each column of an update adds one at most. */
bool rill_withdrawn_reserve(rill_flow *flow, size_t more, const rill_allocator *allocator);
/* Puts the list in order by place. */
void rill_withdrawn_order(rill_flow *flow);
/* Begins a step: where solids rest, what was withdrawn is given back. */
void rill_withdrawn_begin(rill_flow *flow, const rill_motion *motion);
/* Draws what is due in a sub-step. */
void rill_withdrawn_take(rill_flow *flow, double dt);

#endif
