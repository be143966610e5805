/* Kernels of the guess who will be a member (covered_guess.c): loops over the nodes of a window as those of
 * covered_kernels.h. */
#ifndef RILL_FLOW_GUESS_KERNELS_H
#define RILL_FLOW_GUESS_KERNELS_H

#include "flow/covered_kernels.h"

/* Planes per node. Red and black as on a chessboard; the first node of a window is red. */
typedef struct rill_guess {
    float *x[2]; /* what is added to pi, of red and of black nodes, at least `least`; 0 for nodes of the other colour */
    float *least;   /* -pi */
    float *push;    /* by how much x grows in a sweep if no neighbour's does */
    float *inverse; /* of the weights around the node, over-relaxed; 0 if it cannot be a member */
} rill_guess;

typedef struct rill_guess_kernels {
    const char *name;
    /* x = 0, and what it will be made from. */
    void (*begin)(int32_t n, const rill_covered_nodes *nodes, int32_t stride, const rill_covered_faces *west,
                  const rill_covered_faces *south, const double *excess, const rill_guess *guess);
    /* Half a sweep: the nodes of a colour. */
    void (*relax)(int32_t rows, int32_t stride, int32_t colour, const rill_covered_faces *west,
                  const rill_covered_faces *south, const rill_guess *guess);
    /* 1 if members would be others than they are; and makes them so. */
    int32_t (*differs)(int32_t n, const rill_covered_nodes *nodes, const rill_guess *guess);
    void (*accept)(int32_t n, const rill_covered_nodes *nodes, const rill_guess *guess);
} rill_guess_kernels;

/* The best variant for this processor, or the scalar one. */
const rill_guess_kernels *rill_guess_kernels_pick(bool scalar);
/* All variants this processor can run, for tests that compare them; the count is returned. */
int32_t rill_guess_kernels_all(const rill_guess_kernels *out[4]);

#endif
