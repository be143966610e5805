/* A sparse matrix, row by row: see csr.h. */
#include "solve/csr.h"

#include "base/alloc.h"
#include "base/assert.h"

bool rill_csr_make(rill_csr *matrix, size_t rows, size_t entries, const rill_allocator *allocator) {
    *matrix = (rill_csr){ .first = rill_alloc_zeroed(allocator, rows + 1, sizeof *matrix->first),
                          .column = rill_alloc(allocator, entries, sizeof *matrix->column),
                          .value = rill_alloc(allocator, entries, sizeof *matrix->value),
                          .row_room = rows,
                          .entry_room = entries };
    if (matrix->first && matrix->column && matrix->value) return true;
    rill_csr_free(matrix, allocator);
    return false;
}

void rill_csr_free(rill_csr *matrix, const rill_allocator *allocator) {
    rill_free(allocator, matrix->first, matrix->row_room + 1, sizeof *matrix->first);
    rill_free(allocator, matrix->column, matrix->entry_room, sizeof *matrix->column);
    rill_free(allocator, matrix->value, matrix->entry_room, sizeof *matrix->value);
    *matrix = (rill_csr){ 0 };
}

void rill_csr_clear(rill_csr *matrix) {
    matrix->rows = 0;
    matrix->first[0] = matrix->first[1] = 0;
}

void rill_csr_add(rill_csr *matrix, int32_t column, double value) {
    int32_t *end = &matrix->first[matrix->rows + 1];
    RILL_ASSERT((size_t)matrix->rows < matrix->row_room && (size_t)*end < matrix->entry_room);
    RILL_ASSERT(*end == matrix->first[matrix->rows] || matrix->column[*end - 1] < column);
    matrix->column[*end] = column;
    matrix->value[*end] = value;
    *end += 1;
}

void rill_csr_end_row(rill_csr *matrix) {
    RILL_ASSERT((size_t)matrix->rows < matrix->row_room);
    matrix->rows += 1;
    if ((size_t)matrix->rows < matrix->row_room) matrix->first[matrix->rows + 1] = matrix->first[matrix->rows];
}

void rill_csr_apply(const rill_csr *matrix, const double *x, double *y) {
    for (int32_t i = 0; i < matrix->rows; ++i) {
        double sum = 0.0;
        for (int32_t e = matrix->first[i]; e < matrix->first[i + 1]; ++e)
            sum += matrix->value[e] * x[matrix->column[e]];
        y[i] = sum;
    }
}

void rill_csr_diagonal(const rill_csr *matrix, double *out) {
    for (int32_t i = 0; i < matrix->rows; ++i) {
        out[i] = 0.0;
        for (int32_t e = matrix->first[i]; e < matrix->first[i + 1]; ++e)
            if (matrix->column[e] == i) out[i] = matrix->value[e];
    }
}
