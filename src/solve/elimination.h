/* Symmetric problems of any shape, solved directly: A = L D L^T, where nodes with few neighbours are eliminated first
 * (elimination_order.c), so that few entries of L are added to those of A. Thin passages that branch and join cost a
 * few multiplications per node, however many there are; wide patches are cheaper by multigrid (poisson.h). The pattern
 * is found once for all matrices with the same edges: a node without an edge that counts, or with a diagonal of one and
 * no entries, is no hindrance. */
#ifndef RILL_SOLVE_ELIMINATION_H
#define RILL_SOLVE_ELIMINATION_H

#include "rill/rill.h"

enum { RILL_ELIMINATION_FILL = 12 }; /* entries of L per node, at most: more cost more than multigrid does */

/* An edge of the pattern, between two different nodes. There may be several between the same two. */
typedef struct rill_elimination_edge {
    int32_t a, b;
    int32_t name; /* what the caller knows it by */
    int32_t at;   /* where its entry of A, and later of L, is; found with the pattern */
} rill_elimination_edge;

typedef struct rill_elimination {
    int32_t node_room, edge_room;
    int32_t count, edge_count;    /* nodes; edges, which the caller fills in */
    rill_elimination_edge *edges; /* of the pattern */
    int32_t entries;              /* of L below its diagonal */
    int32_t *order, *rank;        /* the node that is eliminated i-th, and its inverse */
    int32_t *column;              /* per step: where the entries of L's column begin; and where all end */
    int32_t *below;               /* per entry: its row */
    int32_t *row;                 /* per step: where the row begins in `across`; and where all end */
    int32_t *across;              /* per entry, row by row: its column */
    int32_t *at;                  /* per entry, row by row: where it is, column by column */
    double *entry;                /* A's below the diagonal, then L's */
    double *diagonal;             /* per node: A's */
    double *inverse;              /* per step: of D; 0 where a component ends that is singular */
    double *y;                    /* per node: the right-hand side, then the solution */
    double *rest;                 /* per step: a row that is being eliminated, or what y is within */
    /* While an order is sought, by node: */
    int32_t *begin, *elements, *variables; /* what is beside it: so many elements, then so many nodes */
    int32_t *beside;                       /* both, from `begin` on */
    int32_t *degree, *head, *next, *previous, *mark, *left;
} rill_elimination;

/* False without memory; nothing is kept then. */
bool rill_elimination_make(rill_elimination *problem, int32_t nodes, int32_t edges, const rill_allocator *allocator);
void rill_elimination_free(rill_elimination *problem, const rill_allocator *allocator);

/* Finds the pattern for `count` nodes and the edges. False if L has too many entries. */
bool rill_elimination_find_order(rill_elimination *problem);
/* Takes the entries of A, zero where no edge is, and its diagonal; leaves L and D. */
void rill_elimination_factorise(rill_elimination *problem);
/* y = A^-1 y. Of a singular component, whose y should add up to zero, one node is held at zero. */
void rill_elimination_solve(rill_elimination *problem);

#endif
