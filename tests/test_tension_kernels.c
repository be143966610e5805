/* Every variant of the kernels of surface tension gives the same bits as the scalar one, on random and on hostile planes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/simd.h"
#include "bed/bed.h"
#include "waves/tension_kernels.h"

enum { COUNT = 208, PAD = 16, STRIDE = COUNT + 2 * PAD, ROWS = 7, PLACES = ROWS * STRIDE };
enum { FLOATS = 20, SOLVERS = 10 };

static uint64_t seed;
static uint32_t next(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33);
}
static float real(float low, float high) {
    return low + (high - low) * (float)(next() >> 7) / 16777216.0f;
}

/* All that kernels read and write, and what they return. */
typedef struct stage {
    int32_t b[PLACES], c[PLACES], H[PLACES], wet[PLACES];
    uint8_t flowing[PLACES];
    float planes[FLOATS][PLACES];
    rill_tension_outcome found[SOLVERS];
} stage;

static rill_tension_planes planes_of(stage *s) {
    float(*f)[PLACES] = s->planes;
    return (rill_tension_planes){ .b = s->b,
                                  .c = s->c,
                                  .H = s->H,
                                  .wet = s->wet,
                                  .flowing = s->flowing,
                                  .u = f[0],
                                  .v = f[1],
                                  .advancing = f[2],
                                  .receding = f[3],
                                  .acting = f[4],
                                  .ax = f[5],
                                  .ay = f[6],
                                  .mx = f[7],
                                  .my = f[8],
                                  .gx = f[9],
                                  .gy = f[10],
                                  .fx = f[11],
                                  .fy = f[12],
                                  .hollow = f[13],
                                  .potential = f[14],
                                  .change = f[15],
                                  .force = f[16],
                                  .sharp = f[17],
                                  .moved = f[18] };
}

/* Cells of 0.5 mm, quanta of 2^-33 m: a foot at 60 degrees is 6.9e6 quanta high, a film of h_min 8590. */
static const rill_tension_constants CONSTANTS = { .slope = 2.328e-7f,
                                                  .bend = 0.1459f,
                                                  .stiff = 291.8f,
                                                  .foot = 6.872e6f,
                                                  .edge = 0.0912f,
                                                  .hollow = -57.0f,
                                                  .weight = 1.142e-9f,
                                                  .drive = 1.1e-9f,
                                                  .drag = 9e11f,
                                                  .keep = 0.997f,
                                                  .slip = 1.03e7f,
                                                  .push = 1.0f,
                                                  .reach = 1.164e-10f,
                                                  .tip = 5.7e-10f,
                                                  .quantum = 1.164e-10f,
                                                  .strength = 7.295e-5f,
                                                  .top_speed = 1.0f,
                                                  .five_dx = 21474836,
                                                  .least = 8590,
                                                  .residue = 68719,
                                                  .level = 31000000,
                                                  .tilt = { 123456, -98765 },
                                                  .now = 5000,
                                                  .dries = 8001 };

/* `smooth` planes are mostly linked; the others have walls, low ceilings, cliffs and films. */
static void fill(stage *s, uint64_t from, bool smooth) {
    memset(s, 0, sizeof *s);
    seed = from;
    for (int i = 0; i < PLACES; ++i) {
        const bool wall = !smooth && next() % 17 == 0, dry = next() % (smooth ? 9 : 3) == 0;
        const uint32_t most = smooth || next() % 2 ? 12000000u : 40000u;
        s->b[i] = wall ? RILL_WALL : (int32_t)(next() % (smooth ? 600000u : 20000000u));
        s->H[i] = wall || dry ? 0 : (int32_t)(next() % most);
        s->c[i] = wall                   ? RILL_WALL
                  : smooth || next() % 3 ? RILL_TOP
                                         : s->b[i] + s->H[i] + (int32_t)(next() % 50000000u);
        s->wet[i] = next() % 3 ? 0 : (int32_t)(next() % 10000u);
        s->flowing[i] = (uint8_t)(next() % 4 ? 0 : next() % 4);
        for (int k = 0; k < FLOATS; ++k) s->planes[k][i] = real(-1e-3f, 1e-3f);
        for (int k = 0; k < 2; ++k)
            s->planes[k][i] = next() % 5 ? real(-0.5f, 0.5f) : next() % 2 ? 0.0f : -0.0f; /* u, v */
        s->planes[2][i] = next() % 9 ? real(0.4f, 1.8f) : next() % 2 ? 0.0f : 2.0f;
        s->planes[3][i] = s->planes[2][i] * real(0.0f, 1.0f);
        s->planes[4][i] = wall ? -1.0f : smooth || next() % 6 ? 1.0f : next() % 2 ? 0.0f : -1.0f;
    }
}

static rill_tension_run run_of(int row) {
    return (rill_tension_run){ .place = row * STRIDE + PAD, .count = COUNT, .stride = STRIDE, .x = 3, .y = row + 11 };
}

/* A whole sub-step with one iteration, in which the solve sees rows in pieces. */
static void run_kernels(const rill_tension_kernels *k, stage *s, int piece) {
    const rill_tension_planes p = planes_of(s);
    const rill_tension_constants *c = &CONSTANTS;
    rill_tension_run runs[ROWS];
    for (int y = 0; y < ROWS; ++y) runs[y] = run_of(y);
    for (int y = 1; y < ROWS - 1; ++y) k->slopes(&runs[y], &p, c);
    for (int y = 1; y < ROWS - 1; ++y) k->corners(&runs[y], &p, c);
    for (int y = 1; y < ROWS - 1; ++y) k->weights(&runs[y], &p, c);
    for (int y = 2; y < ROWS - 2; ++y) k->pressures(&runs[y], &p, c);
    for (int y = 2; y < ROWS - 2; ++y) k->mobilities(&runs[y], &p, c);
    rill_tension_solver *const solvers[SOLVERS] = { k->start, k->fly,  k->probe, k->weigh,   k->begin,
                                                    k->look,  k->turn, k->apply, k->advance, k->remember };
    const rill_tension_factors factors = {
        .stiff = c->stiff, .of_a = 0.7f, .of_b = -0.3f, .scales = { 0x1p40, 0x1p41, 0x1p38, 0x1p39, 0x1p40 }
    };
    for (int i = 0; i < SOLVERS; ++i)
        for (int y = 2; y < ROWS - 2; ++y)
            for (int from = 0; from < COUNT; from += piece) {
                rill_tension_run run = runs[y];
                run.place += from, run.x += from, run.count = piece;
                solvers[i](&run, &p, &factors, &s->found[i]);
            }
    for (int y = 2; y < ROWS - 2; ++y) k->drive(&runs[y], &p, c);
}

static void compare(const stage *plain, const stage *other, const char *what) {
    for (int plane = 0; plane < FLOATS; ++plane)
        for (int i = 0; i < PLACES; ++i)
            if (rill_float_bits(plain->planes[plane][i] + 0.0f) != rill_float_bits(other->planes[plane][i] + 0.0f))
                fail_msg("%s: plane %d at %d is %.9g, expected %.9g", what, plane, i, (double)other->planes[plane][i],
                         (double)plain->planes[plane][i]);
    assert_memory_equal(plain->wet, other->wet, sizeof plain->wet);
    assert_memory_equal(plain->flowing, other->flowing, sizeof plain->flowing);
    for (int i = 0; i < SOLVERS; ++i) {
        assert_memory_equal(plain->found[i].most, other->found[i].most, sizeof plain->found[i].most);
        assert_memory_equal(plain->found[i].sums, other->found[i].sums, sizeof plain->found[i].sums);
    }
}

static void variants_give_the_same_bits(void **state) {
    (void)state;
    static stage plain, other;
    const rill_tension_kernels *all[4];
    const int32_t count = rill_tension_kernels_all(all);
    assert_true(count >= 1 && all[0] == rill_tension_kernels_pick(true));
    int64_t open = 0, held = 0, wet = 0;
    for (uint64_t from = 1; from <= 60; ++from) {
        fill(&plain, from, from % 2);
        run_kernels(all[0], &plain, COUNT);
        for (int i = 0; i < PLACES; ++i) {
            open += plain.planes[7][i] > 1e-9f;
            held += plain.flowing[i] != 0;
            wet += plain.wet[i] == CONSTANTS.dries;
        }
        for (int32_t k = 1; k < count; ++k) {
            fill(&other, from, from % 2);
            run_kernels(all[k], &other, COUNT);
            compare(&plain, &other, "another variant");
        }
    }
    assert_true(open > 1000 && held > 1000 && wet > 1000); /* planes on which much happens */
}

/* Scalar products are the same however a run is cut. */
static void pieces_give_the_same_bits(void **state) {
    (void)state;
    static stage whole, cut;
    const rill_tension_kernels *k = rill_tension_kernels_pick(false);
    for (uint64_t from = 1; from <= 20; ++from) {
        fill(&whole, from, true);
        fill(&cut, from, true);
        run_kernels(k, &whole, COUNT);
        run_kernels(k, &cut, 16);
        compare(&whole, &cut, "pieces");
        assert_true(whole.found[5].sums[0] != 0 && whole.found[3].sums[4] != 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(variants_give_the_same_bits),
                                        cmocka_unit_test(pieces_give_the_same_bits) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
