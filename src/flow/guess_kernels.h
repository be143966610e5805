/* Kernels of the guess who will be a member (covered_guess.c): loops over the nodes of a window as those of
 * covered_kernels.h.
 *
 * Nodes are kept by colour, as on a chessboard: node (x, y) is red if x + y is even. A plane of one colour holds node x of row y at
 * (y stride + x) / 2, so that what a sweep over one colour needs lies side by side (solve_kernels.h has a drawing). What does not change from sweep to
 * sweep is kept in blocks, one of each colour for RILL_COVERED_UNIT nodes of a row: RILL_GUESS_NODES weights to the west, as many to the
 * east, and so on. */
#ifndef RILL_FLOW_GUESS_KERNELS_H
#define RILL_FLOW_GUESS_KERNELS_H

#include "flow/covered_kernels.h"

enum { RILL_GUESS_NODES = RILL_COVERED_UNIT / 2 }; /* of a colour in a block */

/* What a block holds of each node. */
enum {
    RILL_GUESS_WEST, /* weights */
    RILL_GUESS_EAST,
    RILL_GUESS_SOUTH,
    RILL_GUESS_NORTH,
    RILL_GUESS_INVERSE, /* of the weights around the node; 0 if it cannot be a member */
    RILL_GUESS_PUSH,    /* what x would be if no neighbour's were more than 0 */
    RILL_GUESS_LEAST,   /* -pi */
    RILL_GUESS_ITEMS
};

typedef struct rill_guess_block {
    float of[RILL_GUESS_ITEMS][RILL_GUESS_NODES];
} rill_guess_block;

/* Of the red nodes and of the black ones. */
typedef struct rill_guess {
    rill_guess_block *blocks[2];
    /* What is added to pi, at least -pi. Beyond the window's rows there is half a row more on either side, whatever is in it. */
    float *x[2];
} rill_guess;

/* Rows of n nodes of a window, n and x multiples of RILL_COVERED_UNIT, from (x, y) on; `stride` is the window's. */
typedef struct rill_guess_area {
    int32_t x, y, n, rows, stride;
} rill_guess_area;

/* Nodes, faces and excess are given from the first of the window on. */
typedef struct rill_guess_kernels {
    const char *name;
    /* x = 0, and what it will be made from. */
    void (*begin)(rill_guess_area at, const rill_covered_nodes *nodes, const rill_covered_faces *west,
                  const rill_covered_faces *south, const double *excess, const rill_guess *guess);
    /* Half a sweep: the nodes of a colour go `over` times as far as would be right if no neighbour moved. */
    void (*relax)(rill_guess_area at, int32_t colour, float over, const rill_guess *guess);
    /* How far from full the nodes of a colour would end, at most, quanta; not those that have no pressure and room. */
    float (*miss)(rill_guess_area at, int32_t colour, const rill_guess *guess);
    /* 1 if members would be others than they are; and makes them so. */
    int32_t (*differs)(rill_guess_area at, const rill_covered_nodes *nodes, const rill_guess *guess);
    void (*accept)(rill_guess_area at, const rill_covered_nodes *nodes, const rill_guess *guess);
} rill_guess_kernels;

/* The best variant for this processor, or the scalar one. */
const rill_guess_kernels *rill_guess_kernels_pick(bool scalar);
/* All variants this processor can run, for tests that compare them; the count is returned. */
int32_t rill_guess_kernels_all(const rill_guess_kernels *out[4]);

#endif
