/* Limits of what a world may be asked for, and of its time steps: each with its unit and reason. Beyond most of them nothing
 * makes sense; they keep products finite, so that nothing behind them has to ask. */
#ifndef RILL_WORLD_LIMITS_H
#define RILL_WORLD_LIMITS_H

#include "rill/rill.h"

/* ------------------------------------------------------------------------------------------------------ definitions */

#define RILL_MOST_LENGTH 1e7 /* m: positions and levels; of motions also m/s, rad/s and m/s2: finite when multiplied */
#define RILL_LEAST_CELL 1e-6 /* m */
#define RILL_MOST_CELL 1e4   /* m */
#define RILL_MOST_CELLS ((int64_t)1 << 28) /* so that plane indices fit 32 bits */
enum { RILL_MOST_CELLS_PER_SIDE = 32768, RILL_MOST_THREADS = 256, RILL_MOST_SUBSTEPS = 1000000 };
enum { RILL_MOST_ITERATIONS = 100000 }; /* of the solver of waves */
#define RILL_MOST_GRAVITY 1e4           /* m/s2 */
#define RILL_LEAST_DENSITY                                                                                             \
    1e-3 /* kg/m3 of liquids: a hundredth of the lightest gas; what bodies weigh is divided by it */
#define RILL_MOST_DENSITY 1e6   /* kg/m3 */
#define RILL_MOST_VISCOSITY 1e6 /* m2/s */
#define RILL_MOST_TENSION 1e3   /* N/m */
#define RILL_LEAST_ORIFICE 1e-3 /* what is lost grows with one over its square */
#define RILL_MOST_RATE 1e9      /* m3/s */
#define RILL_MOST_RAIN 1e9      /* mm/h */
#define RILL_MOST_TIME 1e15     /* s */
#define RILL_MOST_PRESSURE 1e9  /* Pa */

/* ----------------------------------------------------------------------------------------------------------- bodies */

#define RILL_MOST_MASS 1e15          /* kg */
#define RILL_MOST_DRAG 1000.0        /* of the coefficient */
#define RILL_LEAST_BODY_DENSITY 1e-9 /* kg/m3: a vacuum; what is lighter would be thrown about by rounding */

/* ------------------------------------------------------------------------------------------------------------ steps */

/* s. In less than the shortest, liquid would pass nothing at all of a cell in single precision, and what has moved since would
 * be infinitely fast. */
#define RILL_SHORTEST_STEP 1e-12
#define RILL_LONGEST_STEP 3600.0
/* Cells that waves pass in a sub-step, at most, and that fast liquid does which outruns them. */
#define RILL_COURANT 0.7
#define RILL_COURANT_FAST 0.885
/* Cells that waves in Kandemir's tank pass. */
#define RILL_COURANT_KANDEMIR 0.7

#endif
