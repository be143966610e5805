/* The tuning numbers of this room beside those of waves/tension_constants.h, each with its unit and its reason. */
#ifndef RILL_FILMS_FILMS_CONSTANTS_H
#define RILL_FILMS_FILMS_CONSTANTS_H

/* Longest sub-step in units of l^2 / (5.5 sqrt(G H)), which is what an explicit step could take on columns of mean size. With
 * twice as much, a solve of few iterations slows drops that run by a third. */
#define RILL_FILMS_STRIDE 6.0
#define RILL_FILMS_EIGENVALUE 5.5
/* Iterations and relative error at which the solve ends: more accurate ones move drops no farther. */
#define RILL_FILMS_ITERATIONS 10
#define RILL_FILMS_TOLERANCE 1e-2
/* The share of a column that may leave it in a sub-step. */
#define RILL_FILMS_OUTFLOW 0.5
/* Of the explicit limit for waves of gravity: 1.05 of it is unstable. */
#define RILL_FILMS_WAVES 0.9
/* Sub-steps between two looks at what may rest, and looks through which it must have been calm. */
#define RILL_FILMS_LOOK 16
#define RILL_FILMS_LOOKS 8
/* How stiff the limit of depth is, of |g| + G / l^2: liquid presses 1 % of its depth beyond. */
#define RILL_FILMS_HARDNESS 100.0

#endif
