/* L D L^T of symmetric matrices whose rows begin late. */
#include "solve/skyline.h"

#include "base/assert.h"

bool rill_skyline_lay(rill_skyline *sky, int32_t work) {
    RILL_ASSERT(sky->count >= 0 && sky->count <= RILL_SKYLINE_NODES);
    int32_t entries = 0;
    for (int32_t i = 0; i < sky->count; ++i) {
        const int32_t length = i - sky->first[i];
        RILL_ASSERT(sky->first[i] >= 0 && length >= 0);
        work -= length * length;
        if (work < 0 || entries + length > RILL_SKYLINE_ENTRIES) return false;
        sky->row[i] = entries;
        entries += length;
    }
    sky->entries = entries;
    for (int32_t i = sky->count - 1; i >= 0; --i) {
        const bool goes_on = i + 1 < sky->count && sky->first[i + 1] == sky->first[i] + 1;
        sky->alike[i] = goes_on ? sky->alike[i + 1] + 1 : 1;
        RILL_ASSERT(i + sky->alike[i] <= sky->count);
    }
    return true;
}

/* Four partial sums where it pays. */
static inline double dot(const double *a, const double *b, int32_t n) {
    double sum = 0.0;
    if (n >= 4) {
        double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
        for (; n >= 4; n -= 4, a += 4, b += 4) {
            s0 += a[0] * b[0];
            s1 += a[1] * b[1];
            s2 += a[2] * b[2];
            s3 += a[3] * b[3];
        }
        sum = (s0 + s1) + (s2 + s3);
    }
    for (; n > 0; --n) sum += *a++ * *b++;
    return sum;
}

/* Finds the members of sealed components: all that is eliminated into the node held at zero. */
static void find_sealed(rill_skyline *sky) {
    for (int32_t i = 0; i < sky->count; ++i) sky->sealed[i] = sky->inverse[i] == 0.0 ? i : -1;
    for (int32_t i = sky->count - 1; i >= 0; --i)
        for (int32_t j = sky->first[i]; j < i; ++j)
            if (sky->entry[sky->row[i] + j - sky->first[i]] != 0.0) sky->sealed[j] = sky->sealed[i];
}

/* ------------------------------------------------------------------------------------------------ runs of like rows */

/* In a tunnel as wide as `n` nodes rows have n entries, one like the other. With n known to the compiler, several times
 * faster than one by one. */
enum { WIDEST = 12 };
#define INLINE static inline __attribute__((always_inline))
#define EACH_WIDTH(CASE)                                                                                               \
    CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10) CASE(11) CASE(12)

/* The u of row `row`: L u = a, with n rows like it before it. `pivot` is what is left of the diagonal. */
INLINE double eliminate(double *row, const double *inverse, double pivot, const int32_t n) {
    double u[WIDEST];
    for (int32_t j = 0; j < n; ++j) {
        const double *above = row - (n - j) * (n - 1);
        double rest = row[j];
        for (int32_t k = 0; k < j; ++k) rest -= above[k] * u[k];
        u[j] = rest;
    }
    for (int32_t j = 0; j < n; ++j) {
        double scaled = u[j] * inverse[j];
        pivot -= u[j] * scaled;
        row[j] = scaled;
    }
    return pivot;
}

INLINE void forward(const double *row, double *y, int32_t count, const int32_t n) {
    for (int32_t i = 0; i < count; ++i, ++y, row += n) {
        double rest = *y;
        for (int32_t k = 0; k < n; ++k) rest -= row[k] * y[k - n];
        *y = rest;
    }
}

/* From the last row back: `row` and `y` are those behind it. */
INLINE void backward(const double *row, double *y, int32_t count, const int32_t n) {
    for (int32_t i = 0; i < count; ++i) {
        row -= n;
        y -= 1;
        for (int32_t k = 0; k < n; ++k) y[k - n] -= row[k] * *y;
    }
}

/* --------------------------------------------------------------------------------------------------------- all rows */

/* Eliminates one row of any shape; returns the rest of its diagonal. */
static double eliminate_row(rill_skyline *sky, int32_t i, double pivot) {
    const int32_t first = sky->first[i];
    double *row = sky->entry + sky->row[i];
    for (int32_t j = first + 1; j < i; ++j) {
        const double *above = sky->entry + sky->row[j];
        int32_t k = sky->first[j] > first ? sky->first[j] : first;
        row[j - first] -= dot(row + (k - first), above + (k - sky->first[j]), j - k);
    }
    for (int32_t j = first; j < i; ++j) {
        double scaled = row[j - first] * sky->inverse[j];
        pivot -= row[j - first] * scaled;
        row[j - first] = scaled;
    }
    return pivot;
}

/* Eliminates a row with `n` rows like it before it; returns the rest of its diagonal. */
static double eliminate_like(rill_skyline *sky, int32_t i, int32_t n, double pivot) {
    double *row = sky->entry + sky->row[i];
    const double *inverse = sky->inverse + sky->first[i];
    switch (n) {
#define CASE(N)                                                                                                        \
    case N: return eliminate(row, inverse, pivot, N);
        EACH_WIDTH(CASE)
#undef CASE
    default: return eliminate_row(sky, i, pivot);
    }
}

/* Row by row. The last pivot of a sealed component is zero but for rounding; its node is held at zero. */
void rill_skyline_factorise(rill_skyline *sky, const double *diagonal) {
    bool sealed = false;
    for (int32_t i = 0; i < sky->count; ++i) {
        const int32_t n = i - sky->first[i];
        RILL_ASSERT(!(diagonal[i] < 0.0));
        const bool like = n <= i && sky->alike[i - n] > n;
        double pivot = like ? eliminate_like(sky, i, n, diagonal[i]) : eliminate_row(sky, i, diagonal[i]);
        sky->inverse[i] = pivot > 1e-10 * diagonal[i] ? 1.0 / pivot : 0.0;
        sealed = sealed || sky->inverse[i] == 0.0;
    }
    sky->any_sealed = sealed;
    if (sealed) find_sealed(sky);
}

/* Takes the mean off the members of each sealed component. Of f, as A x = f has no solution if it is not zero: what
 * little there is of it would all be drained at the node held at zero. Of x likewise, for symmetry. */
static void level_out(const rill_skyline *sky, double *y) {
    double sum[RILL_SKYLINE_NODES], members[RILL_SKYLINE_NODES];
    for (int32_t i = 0; i < sky->count; ++i) sum[i] = members[i] = 0.0;
    for (int32_t i = 0; i < sky->count; ++i)
        if (sky->sealed[i] >= 0) {
            sum[sky->sealed[i]] += y[i];
            RILL_ASSERT(sky->sealed[i] >= i); /* the last of its component */
            members[sky->sealed[i]] += 1.0;
        }
    for (int32_t i = 0; i < sky->count; ++i)
        if (sky->sealed[i] >= 0) y[i] -= sum[sky->sealed[i]] / members[sky->sealed[i]];
}

/* Substitutes forwards through `count` rows of n entries, from row i on. */
static void forward_run(const rill_skyline *sky, double *y, int32_t i, int32_t count, int32_t n) {
    const double *row = sky->entry + sky->row[i];
    switch (n) {
    case 0: return;
#define CASE(N)                                                                                                        \
    case N: forward(row, y + i, count, N); return;
        EACH_WIDTH(CASE)
#undef CASE
    default:
        for (int32_t end = i + count; i < end; ++i, row += n) y[i] -= dot(row, y + i - n, n);
    }
}

/* Substitutes backwards through `count` rows of n entries that end before row i. */
static void backward_run(const rill_skyline *sky, double *y, int32_t i, int32_t count, int32_t n) {
    const double *row = sky->entry + sky->row[i - 1] + n;
    switch (n) {
    case 0: return;
#define CASE(N)                                                                                                        \
    case N: backward(row, y + i, count, N); return;
        EACH_WIDTH(CASE)
#undef CASE
    default:
        for (int32_t end = i - count; i > end; --i) {
            row -= n;
            for (int32_t k = 0; k < n; ++k) y[i - 1 - n + k] -= row[k] * y[i - 1];
        }
    }
}

void rill_skyline_solve(const rill_skyline *sky, double *y) {
    if (sky->any_sealed) level_out(sky, y);
    for (int32_t i = 0; i < sky->count; i += sky->alike[i]) forward_run(sky, y, i, sky->alike[i], i - sky->first[i]);
    for (int32_t i = 0; i < sky->count; ++i) y[i] *= sky->inverse[i];
    for (int32_t i = sky->count; i > 0;) {
        const int32_t n = i - 1 - sky->first[i - 1];
        int32_t start = i - 1;
        while (start > 0 && sky->alike[start - 1] == sky->alike[start] + 1) --start;
        backward_run(sky, y, i, i - start, n);
        i = start;
    }
    if (sky->any_sealed) level_out(sky, y);
}
