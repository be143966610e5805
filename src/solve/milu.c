/* Incomplete factors: see milu.h. */
#include "solve/milu.h"

#include "base/alloc.h"
#include "base/assert.h"

/* A pivot is at least this part of the diagonal. */
static const double LEAST_PIVOT = 0.25;

bool rill_milu_make(rill_milu *milu, const rill_csr *matrix, const rill_allocator *allocator) {
    *milu = (rill_milu){ .value = rill_alloc(allocator, matrix->entry_room, sizeof *milu->value),
                         .diagonal = rill_alloc(allocator, matrix->row_room, sizeof *milu->diagonal),
                         .at = rill_alloc(allocator, matrix->row_room, sizeof *milu->at),
                         .row_room = matrix->row_room,
                         .entry_room = matrix->entry_room };
    if (milu->value && milu->diagonal && milu->at) return true;
    rill_milu_free(milu, allocator);
    return false;
}

void rill_milu_free(rill_milu *milu, const rill_allocator *allocator) {
    rill_free(allocator, milu->value, milu->entry_room, sizeof *milu->value);
    rill_free(allocator, milu->diagonal, milu->row_room, sizeof *milu->diagonal);
    rill_free(allocator, milu->at, milu->row_room, sizeof *milu->at);
    *milu = (rill_milu){ 0 };
}

/* Eliminates entry e of row i; what falls outside of the pattern is returned. */
static double eliminate(rill_milu *milu, const rill_csr *matrix, int32_t e) {
    const int32_t k = matrix->column[e], pivot = milu->diagonal[k];
    const double factor = milu->value[e] / milu->value[pivot];
    double dropped = 0.0;
    milu->value[e] = factor;
    for (int32_t f = pivot + 1; f < matrix->first[k + 1]; ++f) {
        const int32_t at = milu->at[matrix->column[f]];
        const double fill = factor * milu->value[f];
        if (at >= 0)
            milu->value[at] -= fill;
        else
            dropped += fill;
    }
    return dropped;
}

void rill_milu_factor(rill_milu *milu, const rill_csr *matrix) {
    for (int32_t i = 0; i < matrix->rows; ++i) milu->at[i] = -1;
    for (int32_t i = 0; i < matrix->rows; ++i) {
        const int32_t from = matrix->first[i], to = matrix->first[i + 1];
        double dropped = 0.0, own = 0.0;
        for (int32_t e = from; e < to; ++e) {
            milu->value[e] = matrix->value[e];
            milu->at[matrix->column[e]] = e;
            if (matrix->column[e] != i) continue;
            milu->diagonal[i] = e;
            own = matrix->value[e];
        }
        RILL_ASSERT(own > 0.0);
        for (int32_t e = from; e < to && matrix->column[e] < i; ++e) dropped += eliminate(milu, matrix, e);
        double *pivot = &milu->value[milu->diagonal[i]];
        *pivot -= dropped;
        if (!(*pivot >= LEAST_PIVOT * own)) *pivot = own;
        for (int32_t e = from; e < to; ++e) milu->at[matrix->column[e]] = -1;
    }
}

void rill_milu_solve(const rill_milu *milu, const rill_csr *matrix, const double *r, double *z) {
    for (int32_t i = 0; i < matrix->rows; ++i) {
        double sum = r[i];
        for (int32_t e = matrix->first[i]; e < milu->diagonal[i]; ++e) sum -= milu->value[e] * z[matrix->column[e]];
        z[i] = sum;
    }
    for (int32_t i = matrix->rows; i-- > 0;) {
        double sum = z[i];
        for (int32_t e = milu->diagonal[i] + 1; e < matrix->first[i + 1]; ++e)
            sum -= milu->value[e] * z[matrix->column[e]];
        z[i] = sum / milu->value[milu->diagonal[i]];
    }
}
