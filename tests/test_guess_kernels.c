/* The kernels of the guess who will be a member: every variant gives the same bits as the scalar one, on hostile problems too,
 * and sweeps lead to the solution. Of that problem is known: pressures p >= 0 and what is too much, r = f - A (p - pi), are
 * complementary: r = 0 where p > 0, r <= 0 where p = 0. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flow/guess_kernels.h"

enum {
    NX = 29,
    NY = 23,
    STRIDE = 32,
    ROW = STRIDE,
    N = NY * STRIDE,
    ALL = N + 2 * STRIDE
}; /* a row more on both sides */

static uint32_t seed;
static double real(double low, double high) {
    seed = seed * 1664525u + 1013904223u;
    return low + (high - low) * (double)(seed >> 8) / 16777216.0;
}

typedef struct window {
    int32_t fill[ALL], ever[ALL];
    float active[ALL], west[ALL], south[ALL];
    double pi[ALL], excess[ALL];
    float red[ALL / 2], black[ALL / 2];                /* with half a row more on both sides */
    rill_guess_block blocks[2][N / RILL_COVERED_UNIT]; /* by colour */
} window;

/* Some columns cannot be members; some faces are closed or, if it is hostile, all but closed; members have any pressure. */
static window *make_window(uint32_t from, bool hostile) {
    window *w = calloc(1, sizeof *w);
    assert_non_null(w);
    seed = from;
    for (int i = 0; i < ALL; ++i) w->fill[i] = RILL_NO_ROOF;
    for (int y = 0; y < NY; ++y)
        for (int x = 0; x < NX; ++x) {
            const int i = ROW + y * STRIDE + x;
            if (real(0, 1) < 0.9 && x > 0 && y > 0 && x + 1 < NX && y + 1 < NY) w->fill[i] = -(int32_t)real(0, 1e6);
            w->active[i] = w->fill[i] > RILL_NO_ROOF / 2 && real(0, 1) < 0.4 ? 1.0f : 0.0f;
            w->pi[i] = w->active[i] > 0.0f ? real(-1e5, 1e6) : 0.0;
            if (w->pi[i] < 0.0) w->pi[i] = 0.0;
            w->excess[i] = real(-1e5, 6e4);
            w->west[i] = x > 0 && real(0, 1) < 0.9 ? (float)real(0.1, 1.0) : 0.0f;
            w->south[i] = y > 0 && real(0, 1) < 0.9 ? (float)real(0.1, 1.0) : 0.0f;
            if (hostile && real(0, 1) < 0.3) w->west[i] *= 1e-30f;
            if (hostile && real(0, 1) < 0.3) w->south[i] *= 1e-30f, w->excess[i] *= 1e4;
        }
    return w;
}

/* Columns that can be no members, and in whose middle none has one beside it: kernels need not look there. */
static void make_hole(window *w) {
    for (int y = 4; y < 15; ++y)
        for (int x = 15; x < STRIDE; ++x) {
            const int i = ROW + y * STRIDE + x;
            w->fill[i] = RILL_NO_ROOF;
            w->active[i] = 0.0f;
            w->pi[i] = 0.0;
        }
}

/* Begins and sweeps so many times; members and pressures change if `accepted`. Returns whether members would be others. In several areas if
 * `holed`, that leave out what lies in the middle of the hole. */
static int32_t run_areas(const rill_guess_kernels *kernels, window *w, int sweeps, bool accepted, bool holed) {
    const rill_covered_nodes nodes = {
        .fill = w->fill + ROW, .ever = w->ever + ROW, .active = w->active + ROW, .pi = w->pi + ROW
    };
    const rill_covered_faces west = { .w = w->west + ROW }, south = { .w = w->south + ROW };
    const rill_guess guess = { { w->blocks[0], w->blocks[1] }, { w->red + ROW / 2, w->black + ROW / 2 } };
    const rill_guess_area all[1] = { { 0, 0, STRIDE, NY, STRIDE } };
    const rill_guess_area parts[4] = { { 0, 0, STRIDE, 5, STRIDE },
                                       { 0, 5, 16, 9, STRIDE },
                                       { 0, 14, 16, NY - 14, STRIDE },
                                       { 16, 14, 16, NY - 14, STRIDE } };
    const rill_guess_area *areas = holed ? parts : all;
    const int count = holed ? 4 : 1;
    int32_t differs = 0;
    for (int k = 0; k < count; ++k) kernels->begin(areas[k], &nodes, &west, &south, w->excess + ROW, &guess);
    for (int i = 0; i < 2 * sweeps; ++i)
        for (int k = 0; k < count; ++k) kernels->relax(areas[k], i % 2, 1.6f, &guess);
    for (int k = 0; k < count; ++k) differs |= kernels->differs(areas[k], &nodes, &guess);
    for (int k = 0; k < count && accepted; ++k) kernels->accept(areas[k], &nodes, &guess);
    return differs;
}

static int32_t run(const rill_guess_kernels *kernels, window *w, int sweeps, bool accepted) {
    return run_areas(kernels, w, sweeps, accepted, false);
}

/* Of a node, counted with the row before the window. */
static float inverse_of(const window *w, int i) {
    const int node = i - ROW, colour = (node % STRIDE + node / STRIDE) & 1;
    return w->blocks[colour][node / RILL_COVERED_UNIT].of[RILL_GUESS_INVERSE][node % RILL_COVERED_UNIT / 2];
}

static void variants_agree(void **state) {
    (void)state;
    const rill_guess_kernels *all[4];
    const int32_t count = rill_guess_kernels_all(all);
    for (uint32_t k = 0; k < 20; ++k) {
        window *scalar = make_window(k, k % 2);
        const int32_t differs = run(all[0], scalar, 7, true);
        for (int i = 0; i < ALL; ++i)
            assert_true(isfinite(scalar->red[i / 2]) && isfinite(scalar->pi[i]) && scalar->pi[i] >= 0.0);
        for (int32_t v = 1; v < count; ++v) {
            window *other = make_window(k, k % 2);
            assert_int_equal(run(all[v], other, 7, true), differs);
            assert_memory_equal(other, scalar, sizeof *scalar);
            free(other);
        }
        free(scalar);
    }
}

/* What would be too much in a column with the pressures of the guess, and what it takes to see that: the excess itself. */
static double left_over(const window *w, const double *before, int i) {
    const int step[4] = { -1, 1, -STRIDE, STRIDE };
    const float weight[4] = { w->west[i], w->west[i + 1], w->south[i], w->south[i + STRIDE] };
    double sum = w->excess[i];
    for (int k = 0; k < 4; ++k) {
        const int j = i + step[k];
        sum -= (double)weight[k] * ((w->pi[i] - before[i]) - (w->pi[j] - before[j]));
    }
    return sum;
}

static void sweeps_find_the_solution(void **state) {
    (void)state;
    for (uint32_t k = 100; k < 110; ++k) {
        window *w = make_window(k, false);
        double before[ALL];
        memcpy(before, w->pi, sizeof before);
        assert_true(run(rill_guess_kernels_pick(false), w, 300, true));
        int members = 0;
        for (int i = ROW; i < ROW + N; ++i) {
            if (inverse_of(w, i) == 0.0f) continue;
            const double rest = left_over(w, before, i), small = 2.0;
            members += w->active[i] > 0.0f;
            if (w->active[i] > 0.0f ? fabs(rest) > small : rest > small || w->pi[i] != 0.0)
                fail_msg("window %u, node %d: pressure %g, too much by %g", k, i, w->pi[i], rest);
            if (w->active[i] > 0.0f) assert_true(w->ever[i]);
        }
        assert_true(members > 20 && members < N / 2);
        free(w);
    }
}

/* How far red nodes are off after some sweeps is the same in every variant: much at first, and hardly anything in the end. */
static void sweeps_know_when_to_end(void **state) {
    (void)state;
    const rill_guess_kernels *all[4];
    const int32_t count = rill_guess_kernels_all(all);
    for (uint32_t k = 300; k < 305; ++k)
        for (int sweeps = 2; sweeps <= 200; sweeps += 198) {
            float first = 0.0f;
            for (int32_t i = 0; i < count; ++i) {
                window *w = make_window(k, false);
                const rill_guess guess = { { w->blocks[0], w->blocks[1] }, { w->red + ROW / 2, w->black + ROW / 2 } };
                run(all[i], w, sweeps, false);
                const float off = all[i]->miss((rill_guess_area){ 0, 0, STRIDE, NY, STRIDE }, 0, &guess);
                if (i == 0) first = off;
                assert_memory_equal(&off, &first, sizeof off);
                assert_true(sweeps == 2 ? off > 1000.0f : off < 2.0f);
                free(w);
            }
        }
}

/* Once they are found, another guess sees no other members. */
static void members_stay(void **state) {
    (void)state;
    window *w = make_window(7, false);
    run(rill_guess_kernels_pick(false), w, 300, true);
    for (int i = ROW; i < ROW + N; ++i) w->excess[i] = w->active[i] > 0.0f ? 0.0 : -10.0;
    window before = *w;
    assert_int_equal(run(rill_guess_kernels_pick(false), w, 5, true), 0);
    assert_memory_equal(w->active, before.active, sizeof before.active);
    free(w);
}

/* What no member can reach makes no difference. */
static void areas_give_the_same(void **state) {
    (void)state;
    for (uint32_t k = 200; k < 210; ++k) {
        window *whole = make_window(k, k % 2), *holed = make_window(k, k % 2);
        make_hole(whole);
        make_hole(holed);
        const int32_t differs = run_areas(rill_guess_kernels_pick(false), whole, 9, true, false);
        assert_int_equal(run_areas(rill_guess_kernels_pick(false), holed, 9, true, true), differs);
        assert_memory_equal(whole->pi, holed->pi, sizeof whole->pi);
        assert_memory_equal(whole->active, holed->active, sizeof whole->active);
        assert_memory_equal(whole->ever, holed->ever, sizeof whole->ever);
        free(whole);
        free(holed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variants_agree),
        cmocka_unit_test(areas_give_the_same),
        cmocka_unit_test(sweeps_find_the_solution),
        cmocka_unit_test(sweeps_know_when_to_end),
        cmocka_unit_test(members_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
