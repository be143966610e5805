/* The energy of a world, pipe by pipe: what rill_world_get_energy sums up, and what tests look at one by one. */
#ifndef RILL_WORLD_ENERGY_H
#define RILL_WORLD_ENERGY_H

#include "world/world.h"

/* A pipe between two columns of the world; edges have none. */
typedef struct rill_moving {
    int32_t l, r; /* plane indices: the west or south column, and the other */
    bool sparse;  /* between sheets */
    bool waits;   /* its velocity is that of the last move: the next sub-step drives it before it moves (passages.h) */
    double u;     /* m/s, from l to r */
    double opening; /* m: what it moves in a second is u times this times the cell size */
    double mass;    /* kg: its kinetic energy is mass u^2 / 2 */
} rill_moving;

typedef void rill_moving_visit(void *user, const rill_moving *pipe);
/* Shows all pipes, always in the same order as long as the bed is the same. */
void rill_world_each_pipe(const rill_world *world, rill_moving_visit *visit, void *user);

/* Returns the energy of rill_world_get_energy without the share of pipes. */
rill_energy rill_world_still_energy(const rill_world *world);

/* The slope along an axis of a bed that stands in for tilted gravity, as whole quanta per cell: what the flow is driven
 * by. */
int32_t rill_world_tilt(const rill_world *world, int axis);

#endif
