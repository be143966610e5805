/* MILU: incomplete factors of a sparse matrix, A ~ L U on A's own pattern, as a preconditioner. What fill-in outside of the pattern
 * would be is taken off the diagonal instead, so that row sums are kept: "modified". Of a symmetric matrix U is D L^T, and
 * this the modified incomplete Cholesky decomposition.
 *
 * Based on: I. Gustafsson, "A class of first order factorization methods", 1978; Y. Saad, "Iterative methods for sparse linear
 * systems", 10.3.5. */
#ifndef RILL_SOLVE_MILU_H
#define RILL_SOLVE_MILU_H

#include "solve/csr.h"

typedef struct rill_milu {
    double *value;     /* as those of the matrix: L below the diagonal, which is 1 there, U from it on */
    int32_t *diagonal; /* entries on the diagonal */
    int32_t *at;       /* working memory: the entry of each column in the row at hand, or -1 */
    size_t row_room, entry_room;
} rill_milu;

/* Takes memory for matrices as large as this one may become; false, and nothing taken, without. */
bool rill_milu_make(rill_milu *milu, const rill_csr *matrix, const rill_allocator *allocator);
void rill_milu_free(rill_milu *milu, const rill_allocator *allocator);

/* Factors a matrix whose diagonal is all there and positive. Where a pivot would be small or negative the row's own diagonal takes
 * its place. */
void rill_milu_factor(rill_milu *milu, const rill_csr *matrix);
/* z = (L U)^-1 r, for the matrix that was factored; they may be the same. */
void rill_milu_solve(const rill_milu *milu, const rill_csr *matrix, const double *r, double *z);

#endif
