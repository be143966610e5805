/* Sparse matrices: products, incomplete factors of matrices without fill-in, and both Krylov loops on matrices whose solution is
 * known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/alloc.h"
#include "solve/bicgstab.h"
#include "solve/milu.h"

enum { SIDE = 20, COUNT = SIDE * SIDE };

typedef struct system {
    rill_csr matrix;
    rill_milu factors;
    bool factored;
} system_of;

/* -div(k grad) + 1 on a square, and what goes with a wind: as much less from the west as more to the east. */
static void fill_square(rill_csr *matrix, double wind) {
    rill_csr_clear(matrix);
    for (int i = 0; i < COUNT; ++i) {
        const int x = i % SIDE, y = i / SIDE;
        const double k = 3.0 + sin(0.7 * x) * cos(0.4 * y), all = (y > 0) + (y < SIDE - 1) + (x > 0) + (x < SIDE - 1);
        if (y > 0) rill_csr_add(matrix, i - SIDE, -k);
        if (x > 0) rill_csr_add(matrix, i - 1, -k - wind);
        rill_csr_add(matrix, i, 1.0 + all * k);
        if (x < SIDE - 1) rill_csr_add(matrix, i + 1, -k + wind);
        if (y < SIDE - 1) rill_csr_add(matrix, i + SIDE, -k);
        rill_csr_end_row(matrix);
    }
}

static void fill_line(rill_csr *matrix) {
    rill_csr_clear(matrix);
    for (int i = 0; i < COUNT; ++i) {
        if (i > 0) rill_csr_add(matrix, i - 1, -1.0 - 0.01 * (i % 7));
        rill_csr_add(matrix, i, 2.5);
        if (i < COUNT - 1) rill_csr_add(matrix, i + 1, -0.5);
        rill_csr_end_row(matrix);
    }
}

static system_of make(void) {
    system_of all = { .factored = true };
    const rill_allocator allocator = rill_alloc_default();
    assert_true(rill_csr_make(&all.matrix, COUNT, 5 * COUNT, &allocator));
    assert_true(rill_milu_make(&all.factors, &all.matrix, &allocator));
    return all;
}

static void drop(system_of *all) {
    const rill_allocator allocator = rill_alloc_default();
    rill_milu_free(&all->factors, &allocator);
    rill_csr_free(&all->matrix, &allocator);
}

static double wanted(int i) {
    return sin(0.3 * i) + 0.01 * i;
}

/* Where nothing is dropped the factors are those of the matrix. */
static void test_exact(void **state) {
    (void)state;
    system_of all = make();
    double x[COUNT], b[COUNT], z[COUNT];
    fill_line(&all.matrix);
    for (int i = 0; i < COUNT; ++i) x[i] = wanted(i);
    rill_csr_apply(&all.matrix, x, b);
    rill_milu_factor(&all.factors, &all.matrix);
    rill_milu_solve(&all.factors, &all.matrix, b, z);
    for (int i = 0; i < COUNT; ++i) assert_true(fabs(z[i] - x[i]) < 1e-9);
    drop(&all);
}

/* Modified factors keep row sums: L U and A do the same to what is the same everywhere. */
static void test_row_sums(void **state) {
    (void)state;
    system_of all = make();
    double ones[COUNT], b[COUNT], z[COUNT];
    fill_square(&all.matrix, 0.0);
    for (int i = 0; i < COUNT; ++i) ones[i] = 1.0;
    rill_csr_apply(&all.matrix, ones, b);
    rill_milu_factor(&all.factors, &all.matrix);
    rill_milu_solve(&all.factors, &all.matrix, b, z);
    for (int i = 0; i < COUNT; ++i) assert_true(fabs(z[i] - 1.0) < 1e-10);
    drop(&all);
}

static void apply(void *context, const double *x, double *y) {
    rill_csr_apply(&((const system_of *)context)->matrix, x, y);
}

static void precondition(void *context, const double *r, double *z) {
    const system_of *all = context;
    for (int i = 0; i < COUNT; ++i) z[i] = r[i];
    if (all->factored) rill_milu_solve(&all->factors, &all->matrix, r, z);
}

static int32_t solve(system_of *all, double *error) {
    static double x[COUNT], b[COUNT], work[7][COUNT];
    for (int i = 0; i < COUNT; ++i) x[i] = wanted(i);
    rill_csr_apply(&all->matrix, x, b);
    for (int i = 0; i < COUNT; ++i) x[i] = 0.0, work[0][i] = b[i];
    const rill_bicgstab problem = { all,     precondition, apply,   COUNT,   x,       work[0],
                                    work[1], work[2],      work[3], work[4], work[5], work[6] };
    double largest;
    const int32_t steps = rill_bicgstab_iterate(&problem, 1e-10, 500, &largest);
    assert_true(largest <= 1e-10);
    *error = 0.0;
    for (int i = 0; i < COUNT; ++i) *error = fmax(*error, fabs(x[i] - wanted(i)));
    return steps;
}

/* Bi-CGSTAB finds what is known, with wind too, and in fewer steps with factors. */
static void test_bicgstab(void **state) {
    (void)state;
    system_of all = make();
    for (int i = 0; i < 2; ++i) {
        double plain, error;
        fill_square(&all.matrix, 1.5 * i);
        rill_milu_factor(&all.factors, &all.matrix);
        all.factored = false;
        const int32_t without = solve(&all, &plain);
        all.factored = true;
        const int32_t with = solve(&all, &error);
        assert_true(plain < 1e-8 && error < 1e-8);
        assert_true(2 * with < without);
    }
    drop(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_row_sums),
        cmocka_unit_test(test_bicgstab),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
