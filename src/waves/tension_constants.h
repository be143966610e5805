/* The tuning numbers of this room, each with its unit and its reason. */
#ifndef RILL_WAVES_TENSION_CONSTANTS_H
#define RILL_WAVES_TENSION_CONSTANTS_H

/* c: the height of a drop's foot in cells, per s. Below 1 the contact line is pinned by the grid (out of round by 4 to
 * 23 %), above it drops become too low; at 1.6 they are round and high enough at all angles. */
#define RILL_FOOT 1.6
/* h_min in cells: a opening of no more is closed. With less, columns that are nearly dry hand quanta to and fro for ever and
 * nothing sleeps; it is what stays behind a drop at least, 1 micrometre on cells of 0.5 mm. */
#define RILL_LEAST_FILM 0.002
/* Slip in the foot, in cells: it sets how much a drop leaves behind. Without slip 30 % of it stay on 60 mm of a pane. */
#define RILL_SLIP 0.2
/* The lowest void in which tension acts, in cells: lower ones hold menisci that columns cannot represent, and flooded
 * patches between them circulate. */
#define RILL_LEAST_VOID 8.0
/* Longest sub-step in units of dx^2 / (4 sqrt(G H)), the explicit limit. */
#define RILL_TENSION_STRIDE 12.0
/* The solve ends after so many iterations, or where the error has fallen by so much: with 1e-3 drops tremble for ever. */
#define RILL_TENSION_ITERATIONS 6
#define RILL_TENSION_TOLERANCE 1e-5
/* Hardly driven: so many quanta of dither, each of which curvature turns into (l_c / dx)^2 quanta of head. */
#define RILL_TENSION_CALM 128.0

/* Films around a drop that has splashed, or behind one that has run: those of at most so many h_min that would go at less
 * than so many m/s stay, as what is left on a wetted surface does. They would gather for minutes and keep drops awake as long:
 * with a tenth of the speed drops that have merged never slept. Gravity alone moves films so thin at a fifth of it. */
#define RILL_RESIDUE 8
#define RILL_RESIDUE_SPEED 1e-3f

#endif
