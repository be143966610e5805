/* DRAWN: liquid that a wall which goes back has taken from the flow, before the bed opens the cell that it leaves.
 *
 *     wall      | front                  The bed opens a cell at once, when the wall leaves its centre; but the wall leaves
 *     ##########|~~~~~~~~~~~~~           it bit by bit. So the column at the front gives as much, steadily, as the wall
 *     ##########|:::::::::::::           makes room for,
 *     ##########|:::::::::::::
 *      next     |                             dV/dt = H / T,     T the time in which the wall passes a cell (wall_speed.c),
 *
 * and when the next cell opens it is filled with that, up to the level of the front. What is pressed out (expelled.h) is the
 * same with the other sign: the term -B.v of a prescribed body in the equation of the column's volume.
 *
 * Amounts are whole quanta and belong to the ledger (in_transit). When the wall stops they are given back, by way of expelled.h. */
#ifndef RILL_MOTION_DRAWN_H
#define RILL_MOTION_DRAWN_H

#include "motion/displace.h"

/* Room for so many more: each column of an update adds one at most. */
bool rill_drawn_reserve(rill_flow *flow, size_t more, const rill_allocator *allocator);
/* Quanta, all together. */
int64_t rill_drawn_total(const rill_flow *flow);

/* A step begins: where solids rest, what was drawn is given back. */
void rill_drawn_begin(rill_flow *flow, const rill_motion *motion);
/* Draws what is due in a sub-step. */
void rill_drawn_take(rill_flow *flow, double dt);

/* The bed has changed. What was drawn at columns that did is held there instead; before anything is displaced. */
void rill_drawn_release(const rill_displace_job *job);
/* Fills the columns that a wall has left, and draws at its new front. Columns have their depths. */
void rill_drawn_follow(const rill_displace_job *job);

/* The same at the same columns of another bed. False without memory. */
bool rill_drawn_transfer(const rill_flow *from, rill_flow *to, const rill_allocator *allocator);

#endif
