/* BICGSTAB: stabilised bi-conjugate gradients, for matrices that are not symmetric. Knows no matrix.
 *
 * Based on: H. A. van der Vorst, "Bi-CGSTAB: a fast and smoothly converging variant of Bi-CG", 1992, with a preconditioner M from
 * the right:
 *
 *      p = r + beta (p - omega v)      beta = (rho / rho before) (alpha / omega),  rho = r0 r
 *      v = A M^-1 p                    alpha = rho / (r0 v)
 *      s = r - alpha v                 t = A M^-1 s
 *      x += alpha M^-1 p + omega M^-1 s          omega = (t s) / (t t)
 *      r = s - omega t */
#ifndef RILL_SOLVE_BICGSTAB_H
#define RILL_SOLVE_BICGSTAB_H

#include "rill/rill.h"

/* A problem of `count` unknowns; all vectors are the caller's. */
typedef struct rill_bicgstab {
    void *context;
    void (*precondition)(void *context, const double *r, double *z); /* z = M^-1 r */
    void (*apply)(void *context, const double *x, double *y);        /* y = A x */
    int32_t count;
    double *x, *r;                        /* the start and its residual b - A x; then the solution and its own */
    double *shadow, *p, *v, *t, *mp, *ms; /* working memory; s takes the place of r */
} rill_bicgstab;

/* Steps until max |r| is at most `goal`, or `most` of them are taken, or numbers break down; returns how many. `*largest` is
 * max |r|, as carried along. */
int32_t rill_bicgstab_iterate(const rill_bicgstab *problem, double goal, int32_t most, double *largest);

#endif
