/* Liquid on its way between moving solids and the flow: a part of the state, which the room `motion` keeps up to date.
 * Each list is in order, by place. */
#ifndef RILL_FLOW_IN_TRANSIT_H
#define RILL_FLOW_IN_TRANSIT_H

#include <stdint.h>

/* The longest that liquid is held where solids rest, s. */
#define RILL_EXPELLED_LONGEST 0.25
/* s: solids that take longer to pass a cell move in jerks, and it is of no more interest when one moved in a cell. */
#define RILL_EXPELLED_SLOWEST 10.0

typedef struct rill_expelled {
    int32_t place;  /* first: they are found by it */
    int32_t side;   /* to which `wall` goes: of rill_beside; -1: not known */
    int64_t amount; /* quanta; > 0 between sub-steps */
    int64_t pushed; /* of what it gave in this sub-step, above a ceiling */
    double seconds; /* until all is given */
    double wall[2]; /* velocity of what presses, m/s */
} rill_expelled;

#define RILL_WITHDRAWN_MOST 1024.0

typedef struct rill_withdrawn {
    int32_t place;  /* first: they are found by it */
    int32_t side;   /* on which the wall is: index of rill_beside */
    int64_t amount; /* quanta */
    double seconds; /* T */
    double most;    /* times what the column holds: more is not withdrawn; at most RILL_WITHDRAWN_MOST */
    int32_t claims; /* of an update: so many columns that have opened are filled with it, */
    int64_t before; /* and this is what it was then; zero between updates */
} rill_withdrawn;

typedef struct rill_opening {
    int32_t place;  /* first: they are found by it */
    int32_t room;   /* quanta; > 0 */
    double seconds; /* until all of it is open */
} rill_opening;

#endif
