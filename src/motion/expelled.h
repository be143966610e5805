/* HELD: liquid that a moving solid has pressed out of its place and that is on its way into the flow.
 *
 * The bed jumps from pose to pose, but the wall in it moves steadily. So what a move presses out (displace.h) does not
 * enter the flow at once: it is held at a column and given to it over the time T in which the solid has swept it,
 *
 *     dV/dt = amount / T,
 *
 * the term -B.v of a prescribed body in the equation of the column's volume, with the mean velocity of the last move. A
 * column under a ceiling that came down is full: what it is given above that the pressure solve pushes on (passages.h).
 *
 * Liquid that leaves the wall has its velocity: that of the face between them, which is closed, is what the momentum of the
 * column begins with (Stelling & Duinmeijer 2003). Else it would have to be driven off by a heap before the wall.
 *
 * Amounts are whole quanta and belong to the ledger (in_transit). A sub-step gives the part of what is left that its
 * length is of the time left, rounded down: after T nothing is left. What a column does not take is tried again until
 * then, and then goes wherever there is room, at last through solids. */
#ifndef RILL_MOTION_EXPELLED_H
#define RILL_MOTION_EXPELLED_H

#include "base/alloc.h"
#include "flow/flow.h"
#include "motion/wall_speed.h"

/* Room for so many more, and once more for each column: then adding cannot fail. */
bool rill_expelled_reserve(rill_flow *flow, size_t more, const rill_allocator *allocator);
/* Holds more at a column; `pace` is that of a wall whose time per cell is known, or NULL. Once all is added, the list is put
 * in order: by place, one of each. */
void rill_expelled_add(rill_flow *flow, int32_t place, int64_t amount, double seconds, const rill_wall_speed *wall);
void rill_expelled_order(rill_flow *flow);
/* What is held at a column, or NULL. The list is in order. */
rill_expelled *rill_expelled_at(const rill_flow *flow, int32_t place);
/* The mean time of two amounts. */
double rill_expelled_mean(int64_t a, double seconds_a, int64_t b, double seconds_b);

/* Quanta, all together. */
int64_t rill_expelled_total(const rill_flow *flow);
/* The fastest that it raises any column, m/s. */
double rill_expelled_rise(const rill_flow *flow);

/* A step begins: what is due within it is given evenly over it, and where solids rest all will be soon. */
void rill_expelled_begin(rill_flow *flow, double dt, const rill_motion *motion);
/* Gives what is due in a sub-step; as long as something flows faster than `fastest`, m/s, no column is pushed. `slack`
 * quanta below ceilings are not filled where it has to look for room itself. True if it found room only beyond
 * solids. */
bool rill_expelled_release(rill_flow *flow, double dt, double fastest, int32_t slack);
/* Flooded passages have refused so much of that. After each release, in any case. */
void rill_expelled_return(rill_flow *flow, int64_t refused);

/* Gives closed faces before which liquid is held the velocity of the wall, for the sweep; and takes it from those that the
 * sweep has not stopped. */
void rill_expelled_push(rill_flow *flow, double dt);
void rill_expelled_stop(rill_flow *flow, double dt);

/* The place that the column of a place has in another bed, whose columns are the same. */
int32_t rill_expelled_same_column(const rill_bed *from, int32_t place, const rill_bed *to);
/* The same at the same columns of another bed. False without memory. */
bool rill_expelled_transfer(const rill_flow *from, rill_flow *to, const rill_allocator *allocator);

#endif
