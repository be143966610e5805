/* CSR: a sparse matrix of doubles, row by row.
 *
 *      entries of row i      first[i] <= e < first[i + 1],   a_(i, column[e]) = value[e]
 *
 * Rows are begun and filled in order, and memory for all that may come is taken once. */
#ifndef RILL_SOLVE_CSR_H
#define RILL_SOLVE_CSR_H

#include "rill/rill.h"

typedef struct rill_csr {
    int32_t rows;
    int32_t *first; /* rows + 1 */
    int32_t *column;
    double *value;
    size_t row_room, entry_room;
} rill_csr;

/* Takes memory for so many rows and entries; false, and nothing taken, without. */
bool rill_csr_make(rill_csr *matrix, size_t rows, size_t entries, const rill_allocator *allocator);
void rill_csr_free(rill_csr *matrix, const rill_allocator *allocator);

/* Forgets all rows. */
void rill_csr_clear(rill_csr *matrix);
/* Adds an entry to the row that is not ended yet, columns in order. */
void rill_csr_add(rill_csr *matrix, int32_t column, double value);
void rill_csr_end_row(rill_csr *matrix);

/* y = A x. */
void rill_csr_apply(const rill_csr *matrix, const double *x, double *y);
/* Finds a_(i, i) of all rows; 0 where there is none. */
void rill_csr_diagonal(const rill_csr *matrix, double *out);

#endif
