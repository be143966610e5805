/* Row kernels of the pressure solve: plain C loops over runs of nodes, compiled once per instruction set
 * (solve_kernels.c) and chosen at run time. Every variant gives the same bits: sums run in
 * RILL_LANES fixed lanes.
 *
 * Nodes are kept by colour, as on a chessboard: node (x, y) is red if x + y is even. A plane of one colour holds
 * node x of row y at y * stride + x / 2, so that what a sweep over one colour needs lies side by side:
 *
 *     row 1 (odd)    b0 r0 b1 r1 b2 r2       the neighbours of red node i of an even row: black i - 1 and i in its row,
 *     row 0 (even)   r0 b0 r1 b1 r2 b2       black i in the rows above and below; of an odd row: black i and i + 1
 *
 * and the four nodes that make up coarse node i are red and black i of two rows. "Natural" order is the usual one. */
#ifndef RILL_SOLVE_SOLVE_KERNELS_H
#define RILL_SOLVE_SOLVE_KERNELS_H

#include "solve/poisson.h"

enum {
    RILL_LANES = 16, /* runs are multiples of this, the widest vector; and sums have as many partial sums */
    RILL_RED = 0,
    RILL_BLACK = 1
};

/* Part of a row that holds active nodes, the same for both colours. */
typedef struct rill_run {
    int32_t at, n;   /* nodes of a colour's plane; multiples of RILL_LANES */
    int32_t west;    /* the west neighbour of red node i is black node i + west: -1 in even rows, 0 in odd ones */
    int32_t stride;  /* of a colour's plane */
    int32_t natural; /* the first node in natural order */
    int32_t width;   /* of the finest level: as many nodes as there are in natural order; at most 2 n */
    int32_t coarse;  /* the coarse node of node `at`, in the natural order of the coarse level */
} rill_run;

/* One colour of a level. Weights are zero unless both ends are active; what leads to inactive nodes is in `extra`. */
typedef struct rill_colour {
    float *w[4]; /* RILL_WEST to RILL_NORTH */
    float *extra;
    float *inverse; /* of the diagonal: of extra and weights together; 0 for nodes without any pipe */
    float *f, *x;
} rill_colour;

/* One colour of the finest level: what conjugate gradients need besides. */
typedef struct rill_vectors {
    double *extra, *b, *x;
    float *p, *q;
} rill_vectors;

typedef struct rill_solve_kernels {
    const char *name;

    /* Matrices. Of the finest level, from the caller's planes; `stride` is that of natural order. In `work` there is
     * room for five rows in natural order, in `exact` for one. */
    void (*weigh)(int32_t count, const rill_run *runs, int32_t stride, const rill_poisson *poisson, float *work,
                  double *exact, const rill_colour *colours, const rill_vectors *vectors);
    /* Of a run of a coarse level, from `width` fine nodes of each colour and of two rows: `row` tells where they
     * begin, and the same two rows below and above the lower one. */
    void (*coarsen)(const rill_run *run, const rill_colour *fine, const int32_t row[4], int32_t width, float *work,
                    const rill_colour *coarse);

    /* The cycle. x = f / diagonal: a sweep that starts from zero. */
    void (*start)(int32_t count, const rill_run *runs, const rill_colour *own);
    /* A Gauss-Seidel sweep over one colour. */
    void (*relax)(int32_t count, const rill_run *runs, const rill_colour *colours, int32_t colour);
    /* Adds the residual of the red nodes to `coarse`. */
    void (*descend)(int32_t count, const rill_run *runs, const rill_colour *colours, float *coarse);
    /* f of both colours from natural order; x of both colours to natural order. */
    void (*part)(int32_t count, const rill_run *runs, const float *natural, const rill_colour *colours);
    void (*join)(int32_t count, const rill_run *runs, const rill_colour *colours, float *natural);
    /* Adds the coarse correction to the red nodes. */
    void (*ascend)(int32_t count, const rill_run *runs, const float *coarse, const rill_colour *colours);

    /* Conjugate gradients. b and x by colour from natural order, 0 where inactive; x back. */
    void (*load)(int32_t count, const rill_run *runs, const rill_poisson *poisson, const rill_vectors *vectors);
    void (*store)(int32_t count, const rill_run *runs, const rill_vectors *vectors, double *x);
    /* f = b - A x of one colour, computed in double, links left out; raises the lanes to the bits of |f|. */
    void (*compare)(int32_t count, const rill_run *runs, const rill_colour *colours, int32_t colour,
                    const rill_vectors *vectors, int64_t *lanes);
    /* Adds f x to the lanes. */
    void (*dot)(int32_t count, const rill_run *runs, const rill_colour *own, double *lanes);
    /* p = x + beta p. */
    void (*turn)(int32_t count, const rill_run *runs, float beta, const rill_colour *own, const rill_vectors *vectors);
    /* q = A p of one colour, links left out; adds p q to the lanes. */
    void (*apply)(int32_t count, const rill_run *runs, const rill_colour *colours, int32_t colour,
                  const rill_vectors *vectors, double *lanes);
    /* The double x += alpha p, f -= alpha q; raises the lanes to the bits of |f|. */
    void (*advance)(int32_t count, const rill_run *runs, float alpha, const rill_colour *own,
                    const rill_vectors *vectors, int32_t *lanes);
} rill_solve_kernels;

/* The best variant for this processor, or the scalar one. */
const rill_solve_kernels *rill_solve_kernels_pick(bool scalar);
/* All variants this processor can run, for tests that compare them; the count is returned. */
int32_t rill_solve_kernels_all(const rill_solve_kernels *out[4]);

#endif
