/* Direct elimination of problems of any shape: what is left of the right-hand side, on grids with holes and links all over
 * them, on parts that are singular, and with one pattern for many matrices; no entries are added where none need be. */
#include <math.h>

#include "solve/elimination.h"
#include "worlds.h"

enum { NODES = 3000, EDGES = 9000, SIDE = 40 };

static rill_elimination problem;
static test_memory memory;
static double weights[EDGES], held[NODES], f[NODES], rest[NODES];

static int make_problem(void **state) {
    (void)state;
    memory = (test_memory){ 0 };
    const rill_allocator allocator = test_allocator(&memory);
    return rill_elimination_make(&problem, NODES, EDGES, &allocator) ? 0 : 1;
}

static int free_problem(void **state) {
    (void)state;
    const rill_allocator allocator = test_allocator(&memory);
    rill_elimination_free(&problem, &allocator);
    return memory.live == 0 ? 0 : 1;
}

static uint32_t seed;
static uint32_t next(void) {
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}
static double real(double low, double high) {
    return low + (high - low) * (double)next() / 16777216.0;
}

static void join(int32_t a, int32_t b) {
    assert_true(problem.edge_count < EDGES && a != b);
    problem.edges[problem.edge_count++] = (rill_elimination_edge){ .a = a, .b = b };
}

/* A grid of which some nodes have no edges, `across` nodes wide, and links between any two nodes, some of them twice. */
static void make_pattern(int32_t count, int32_t across, int32_t links, double holes) {
    static bool hole[NODES];
    problem.count = count;
    problem.edge_count = 0;
    for (int32_t n = 0; n < count; ++n) hole[n] = real(0.0, 1.0) < holes;
    for (int32_t n = 0; n < count; ++n) {
        if (n % across > 0 && !hole[n] && !hole[n - 1]) join(n - 1, n);
        if (n >= across && !hole[n] && !hole[n - across]) join(n, n - across);
    }
    for (int32_t i = 0; i < links && count > 1; ++i) {
        const int32_t a = (int32_t)(next() % (uint32_t)count), b = (int32_t)(next() % (uint32_t)count);
        if (a != b) join(a, b);
        if (a != b && next() % 4 == 0) join(b, a);
    }
}

/* Weights of any size, of which some are zero. Nodes are held by a little here and there; with `loose` by nothing. */
static void fill_matrix(bool loose) {
    memset(problem.entry, 0, (size_t)problem.entries * sizeof *problem.entry);
    for (int32_t n = 0; n < problem.count; ++n) {
        held[n] = !loose && next() % 8 == 0 ? pow(10.0, real(-3.0, 2.0)) : 0.0;
        problem.diagonal[n] = held[n];
    }
    for (int32_t i = 0; i < problem.edge_count; ++i) {
        const rill_elimination_edge *edge = &problem.edges[i];
        weights[i] = next() % 5 == 0 ? 0.0 : pow(10.0, real(-3.0, 2.0));
        problem.diagonal[edge->a] += weights[i];
        problem.diagonal[edge->b] += weights[i];
        problem.entry[edge->at] -= weights[i];
    }
}

/* Finds f - A x, with A as it was given: into `rest`. Returns the largest of it. */
static double find_rest(const double *x) {
    double largest = 0.0;
    for (int32_t n = 0; n < problem.count; ++n) rest[n] = f[n] - held[n] * x[n];
    for (int32_t i = 0; i < problem.edge_count; ++i) {
        const rill_elimination_edge *edge = &problem.edges[i];
        const double flow = weights[i] * (x[edge->a] - x[edge->b]);
        rest[edge->a] -= flow;
        rest[edge->b] += flow;
    }
    for (int32_t n = 0; n < problem.count; ++n) largest = fmax(largest, fabs(rest[n]));
    return largest;
}

/* Parts that nothing holds are given what adds up to zero: what flows for some x. */
static void make_right_side(void) {
    static double x[NODES];
    memset(f, 0, sizeof f);
    for (int32_t n = 0; n < problem.count; ++n) x[n] = real(-1.0, 1.0);
    find_rest(x);
    for (int32_t n = 0; n < problem.count; ++n) problem.y[n] = f[n] = -rest[n];
}

static void solve_once(bool loose) {
    fill_matrix(loose);
    make_right_side();
    rill_elimination_factorise(&problem);
    rill_elimination_solve(&problem);
    for (int32_t n = 0; n < problem.count; ++n) assert_true(isfinite(problem.y[n]));
    assert_true(find_rest(problem.y) < 1e-8);
}

static void any_shape_is_solved(void **state) {
    (void)state;
    int32_t solved = 0;
    for (uint32_t round = 1; round < 400u; round += 3u) {
        seed = round;
        const int32_t across = 1 + (int32_t)(next() % 12u);
        make_pattern(1 + (int32_t)(next() % 700u), across, (int32_t)(next() % 40u), real(0.0, 0.4));
        if (rill_elimination_find_order(&problem)) {
            for (int i = 0; i < 3; ++i) solve_once(i == 2); /* one pattern, three matrices */
            solved += 1;
        }
    }
    assert_true(solved > 100);
}

/* Every node once in the order, and rows and columns that hold the same entries. */
static void pattern_is_sound(void **state) {
    (void)state;
    seed = 5;
    make_pattern(900, 6, 30, 0.2);
    assert_true(rill_elimination_find_order(&problem));
    for (int32_t i = 0; i < problem.count; ++i) assert_int_equal(problem.rank[problem.order[i]], i);
    int32_t listed = 0;
    for (int32_t i = 0; i < problem.count; ++i)
        for (int32_t q = problem.row[i]; q < problem.row[i + 1]; ++q, ++listed) {
            const int32_t column = problem.across[q], at = problem.at[q];
            assert_true(column < i && problem.below[at] == i);
            assert_true(at >= problem.column[column] && at < problem.column[column + 1]);
            assert_true(q == problem.row[i] || problem.across[q - 1] < column);
        }
    assert_int_equal(listed, problem.entries);
}

/* Passages that branch and never join: no entry but those of the edges. */
static void trees_take_no_more(void **state) {
    (void)state;
    for (uint32_t round = 1; round < 60u; round += 7u) {
        seed = round;
        problem.count = 2000;
        problem.edge_count = 0;
        for (int32_t n = 1; n < problem.count; ++n) join(n, (int32_t)(next() % (uint32_t)n));
        assert_true(rill_elimination_find_order(&problem));
        assert_int_equal(problem.entries, problem.edge_count);
        solve_once(false);
    }
}

/* Long and thin is cheap, however it is joined; wide is left to others. */
static void wide_patches_are_refused(void **state) {
    (void)state;
    seed = 9;
    make_pattern(3000, 4, 0, 0.0);
    assert_true(rill_elimination_find_order(&problem));
    assert_true(problem.entries < 6 * problem.count);
    make_pattern(2500, 50, 0, 0.0);
    assert_false(rill_elimination_find_order(&problem));
    make_pattern(900, 30, 900, 0.0);
    assert_false(rill_elimination_find_order(&problem));
    make_pattern(50, 5, 5, 0.0);
    assert_true(rill_elimination_find_order(&problem)); /* and nothing of that is left */
    solve_once(false);
}

static void nothing_at_all(void **state) {
    (void)state;
    problem.count = problem.edge_count = 0;
    assert_true(rill_elimination_find_order(&problem));
    assert_int_equal(problem.entries, 0);
    problem.count = 3;
    assert_true(rill_elimination_find_order(&problem));
    for (int32_t n = 0; n < 3; ++n) problem.diagonal[n] = 1.0 + n, problem.y[n] = 6.0;
    rill_elimination_factorise(&problem);
    rill_elimination_solve(&problem);
    for (int32_t n = 0; n < 3; ++n) assert_true(problem.y[n] == 6.0 / (1.0 + n));
}

static void memory_may_be_refused(void **state) {
    (void)state;
    for (long call = 1; call < 30; ++call) {
        test_memory own = { .fail_at = call };
        const rill_allocator allocator = test_allocator(&own);
        rill_elimination other;
        const bool made = rill_elimination_make(&other, 100, 100, &allocator);
        assert_int_equal(made, own.refused == 0);
        if (made) rill_elimination_free(&other, &allocator);
        assert_int_equal(own.live, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_shape_is_solved), cmocka_unit_test(pattern_is_sound),
        cmocka_unit_test(trees_take_no_more),  cmocka_unit_test(wide_patches_are_refused),
        cmocka_unit_test(nothing_at_all),      cmocka_unit_test(memory_may_be_refused),
    };
    return cmocka_run_group_tests(tests, make_problem, free_problem);
}
