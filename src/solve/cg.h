/* Conjugate gradients: the one loop, for whoever has an operator and a preconditioner. Knows neither, nor where vectors
 * are kept, nor in which precision or order they are summed.
 *
 * Based on: M. R. Hestenes, E. Stiefel, "Methods of conjugate gradients for solving linear systems", 1952, in the
 * preconditioned form of Y. Saad, "Iterative methods for sparse linear systems", algorithm 9.1:
 *
 *      z = M^-1 r           rho = r z
 *      p = z + beta p       beta = rho / rho of the step before; 0 in the first
 *      q = A p              alpha = rho / (p q)
 *      x += alpha p         r -= alpha q
 *
 * for a symmetric, positive semidefinite A and a symmetric, positive definite M. */
#ifndef RILL_SOLVE_CG_H
#define RILL_SOLVE_CG_H

#include "rill/rill.h"

/* A problem. Its vectors x, r, z, p and q are the caller's, behind `context`. */
typedef struct rill_cg_problem {
    void *context;
    double (*precondition)(void *context);          /* z = M^-1 r; returns r z */
    void (*turn)(void *context, double beta);       /* p = z + beta p; for beta = 0, p may hold anything */
    double (*apply)(void *context);                 /* q = A p; returns p q */
    double (*advance)(void *context, double alpha); /* x += alpha p, r -= alpha q; returns how large r is */
    double longest; /* alpha is below; it is about 1 with a good M, and larger by far only where A makes nothing of p */
} rill_cg_problem;

/* How far the iteration is. */
typedef struct rill_cg_state {
    double rho;     /* r z of the step before; 0: begin with a new direction */
    double largest; /* how large r is: max |r|, or what else the caller measures it by */
    bool stuck;     /* there is nowhere to go any more */
    bool broken;    /* and that because numbers have run out of range */
} rill_cg_state;

/* Steps until r is as small as `goal`, or `most` of them are taken, or there is nowhere to go; returns how many. May be
 * called again to go on in the same directions, with r replaced by b - A x in between. */
int32_t rill_cg_iterate(const rill_cg_problem *problem, rill_cg_state *state, double goal, int32_t most);

#endif
