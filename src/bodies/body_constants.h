/* Tuning numbers of the room: each with its unit, and what it is for. Some stand for a length of a film or gap; they are not the
 * same length, because what goes wrong beyond each of them is not the same either. */
#ifndef RILL_BODIES_BODY_CONSTANTS_H
#define RILL_BODIES_BODY_CONSTANTS_H

#include "bed/bed.h"

/* ------------------------------------------------------------------------------------------ heads (head_solve.c) */

/* Steps of Newton, and iterations in all of them, before a solve is given up. */
enum { RILL_HEAD_PASSES = 40, RILL_HEAD_ITERATIONS = 600 };
/* If these whole steps do not do, they may be going round in circles: later ones are cut short, and halved so many times to
 * find where. */
enum { RILL_HEAD_WHOLE_STEPS = 12, RILL_HEAD_HALVINGS = 6 };
/* Quanta, and as a share of what is off to begin with: what remains is made good in the next sub-step. */
#define RILL_HEAD_TOLERANCE 4.0
#define RILL_HEAD_TOLERANCE_SHARE 1e-3
#define RILL_HEAD_TOLERANCE_MOST 1024.0
/* How much a column without a free surface gives, of what one with it does, so that a sealed one stays solvable: under a body,
 * under one in a flooded passage, and there under a ceiling alone. */
#define RILL_HEAD_SOFT (1.0 / 4096.0)
#define RILL_HEAD_FIRM 0x1p-14
#define RILL_HEAD_HARD 0x1p-26
/* Cells: gaps as thin as this give as much as a free surface, lest they bear all. */
#define RILL_HEAD_THIN (1.0 / 32.0)
/* Of what a free surface gives: more than this is much. */
#define RILL_HEAD_MUCH (1.0 / 64.0)
/* The part of the fill-in that the preconditioner lumps (Gustafsson 1978). */
#define RILL_HEAD_MODIFIED 0.97

/* ---------------------------------------------------------------------------------- added mass (added_mass.c) */

#define RILL_ADDED_SHARE 0.5    /* of what is displaced: a sphere's, in liquid without bounds */
#define RILL_ADDED_LAYER 0.5    /* of g dt^2 */
#define RILL_ADDED_TURNING 2.0  /* layers, against turning */
#define RILL_ADDED_SMALL 4.0    /* cells: bodies over fewer are small */
#define RILL_ADDED_LIGHT 4.0    /* g dt^2: a layer of what is light */
#define RILL_ADDED_SHALLOW 0.05 /* of the root of the area that it is over: another */
#define RILL_ADDED_DISC 0.4244  /* 4 / (3 pi): of the radius of what is wet; a disc's, on the surface */
#define RILL_ADDED_FOAM 0.1     /* of the density of the liquid: what is lighter bobs within sub-steps */
#define RILL_ADDED_FADE 16.0    /* times what is missing to weigh as much as that */

/* ---------------------------------------------------------------------------------- motion (drag.c, body_jumps.c) */

#define RILL_DRAG_SKIN 0.01    /* C_f */
#define RILL_DRAG_BLADE 0.0849 /* 4 / (15 pi): of a disc that turns about its diameter */
/* Cells: of jumps that are longer the rest is jumped; shorter ones are, whole. */
#define RILL_JUMP_MOST 16.0
#define RILL_JUMP_LEAST 0.25
enum { RILL_RISES = 64 }; /* steps in which the level is sought that carries a body (coupling.c) */

/* ---------------------------------------------------------------------------------------------- rest (body_rest.c) */

#define RILL_BODY_REST_SPEED 1e-4 /* m/s */
#define RILL_BODY_REST_HEAD 1e-7  /* m */
#define RILL_BODY_REST_PUSH 1e-4  /* of g */

/* -------------------------------------------------------------------- decks (deck_flow.c, deck_flooding.c, draw_levels.c) */

#define RILL_DECK_SHARE 0.125            /* of a difference of levels that goes over a side in a sub-step */
#define RILL_DECK_LEAST 0x1p-12          /* of a cell: as much of it at least counts as wet */
#define RILL_DECK_THIN (1.0 / 16.0)      /* cells: what is less below a level is wet, or will be at once */
#define RILL_DECK_WHOLE 0.999            /* of a cell or quarter: more than this is all of it, but for rounding */
#define RILL_DECK_MOST 0x1p29            /* quanta that move over a face in a sub-step: the range */
enum { RILL_DECK_NEWTON = 16 };          /* steps in which the level of what lies in a hold is sought */
#define RILL_DECK_SLIVER (1.0f / 256.0f) /* of a cell: too little of a body for liquid to come over */
#define RILL_DECK_SUNKEN (1.0 / 16.0)    /* cells: how far contacts let a body into what it lies on */
#define RILL_DECK_MEETS (1.0 / 16.0)     /* cells: levels on a body and beside it that are as near as this have met */
#define RILL_DECK_DRAWN                                                                                                \
    (1.0 / 16.0) /* cells: what is thinner is not drawn, lest it be seen to hang down beside the body */

/* ----------------------------------------------------------------- near the ground and at walls (grounding.c and others) */

#define RILL_GROUND_FILM (1.0 / 128.0) /* cells: thinner, and a body stands on the ground */
#define RILL_GROUND_LAST (1.0 / 8.0)   /* cells: a film under open sky and a body that comes down whatever that takes */
#define RILL_GROUND_LEAST (1.0 / 128.0) /* cells: less than this stays where it is */
#define RILL_WALL_TOUCHES (1.0 / 64.0)  /* cells: as near to a wall as this counts as touching it (passage_faces.c) */

/* ------------------------------------------------------------------------------------- lifted bases (lifted_bases.c) */

#define RILL_LIFT_STEP (1.0 / 16.0) /* of the lesser depth: levels shown of two columns differ no more */
#define RILL_LIFT_START 4.0         /* times that: how far they must differ somewhere for it to matter */
#define RILL_LIFT_THIN (1.0 / 32.0) /* cells: where there is less than that, it is right that nothing flows */
enum { RILL_LIFT_HIGHEST = RILL_TOP - RILL_TOP / 16 }; /* quanta: the range is for liquid, not for pressure */

#endif
