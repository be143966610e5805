/* The kernels of the sparse pipes: every variant gives the same bits as the scalar one, on random and on hostile pipes,
 * and what they give is bounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flow/sparse_kernels.h"

enum { FROM = 3, N = 101, ALL = FROM + N + 5 }; /* runs begin and end anywhere */

static uint32_t seed;
static uint32_t next(void) {
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}
static float real(float low, float high) {
    return low + (high - low) * (float)next() / 16777216.0f;
}

typedef struct pipes {
    int32_t bl[ALL], br[ALL], cl[ALL], cr[ALL], axis[ALL], awake[ALL], Hl[ALL], Hr[ALL], restless[ALL];
    float ul[ALL], ur[ALL], u[ALL], q[ALL];
} pipes;

static rill_pipe_arrays see_pipes(pipes *p) {
    return (rill_pipe_arrays){ .bl = p->bl,
                               .br = p->br,
                               .cl = p->cl,
                               .cr = p->cr,
                               .axis = p->axis,
                               .awake = p->awake,
                               .Hl = p->Hl,
                               .Hr = p->Hr,
                               .restless = p->restless,
                               .ul = p->ul,
                               .ur = p->ur,
                               .u = p->u,
                               .q = p->q };
}

/* A column: floor, depth, ceiling; dry, thin, full and far below its ceiling. */
static void fill_end(int32_t *b, int32_t *H, int32_t *c) {
    *b = (int32_t)(next() % 40000000u);
    *H = next() % 4 ? (int32_t)(next() % (next() % 3 ? 60000000u : 60u)) : 0;
    *c = next() % 3 ? RILL_TOP : *b + *H + (int32_t)(next() % 4u ? next() : 0);
}

static void fill_pipes(pipes *p, uint32_t from) {
    seed = from;
    for (int i = 0; i < ALL; ++i) {
        fill_end(&p->bl[i], &p->Hl[i], &p->cl[i]);
        fill_end(&p->br[i], &p->Hr[i], &p->cr[i]);
        p->axis[i] = next() % 2;
        p->awake[i] = next() % 5 != 0;
        p->restless[i] = 7;
        p->u[i] = next() % 4 ? real(-0.9f, 0.9f) : next() % 2 ? 0.0f : -0.0f;
        p->ul[i] = real(-0.5f, 0.5f);
        p->ur[i] = real(-0.5f, 0.5f);
        p->q[i] = 5.0f;
    }
}

static const rill_kernel_constants CONSTANTS = {
    .lambda = 0.9f,
    .drive = 1.1e-9f,
    .drag = 9e11f,
    .keep = 0.997f,
    .top_speed = 1.0f,
    .fall = 1.8e-5f,
    .speed_head = 6e6f,
    .paper_opening = 8589934.0f,
    .tilt = { 123456, -98765 },
    .thin = 200000,
};

typedef struct outputs {
    pipes raw[2], drive[2], unrest[2]; /* [paper] */
    float fastest[2];
} outputs;

static void run_kernels(const rill_sparse_kernels *k, const pipes *p, outputs *o) {
    for (int paper = 0; paper < 2; ++paper) {
        o->raw[paper] = o->drive[paper] = o->unrest[paper] = *p;
        rill_pipe_arrays raw = see_pipes(&o->raw[paper]), drive = see_pipes(&o->drive[paper]),
                         unrest = see_pipes(&o->unrest[paper]);
        k->raw(FROM, N, &raw, paper, &CONSTANTS);
        o->fastest[paper] = k->drive(FROM, N, &drive, paper, &CONSTANTS);
        k->unrest(FROM, N, &unrest, paper, &CONSTANTS, 800);
    }
}

static void variants_agree(void **state) {
    (void)state;
    const rill_sparse_kernels *all[4];
    int32_t count = rill_sparse_kernels_all(all);
    pipes *p = malloc(sizeof *p);
    outputs *expected = malloc(sizeof *expected), *found = malloc(sizeof *found);
    assert_true(p && expected && found && count >= 2);
    for (uint32_t round = 0; round < 500; ++round) {
        fill_pipes(p, round * 7919u + 1u);
        run_kernels(all[0], p, expected);
        for (int32_t i = 1; i < count; ++i) {
            run_kernels(all[i], p, found);
            if (memcmp(expected, found, sizeof *found) != 0) fail_msg("variant %d differs in round %u", (int)i, round);
        }
    }
    free(p), free(expected), free(found);
}

/* Pipes outside the run and pipes that sleep keep their velocity and move nothing; others obey the cap and what is
 * wet. */
static void pipes_are_bounded(void **state) {
    (void)state;
    pipes p;
    outputs o;
    for (uint32_t round = 0; round < 500; ++round) {
        fill_pipes(&p, round * 104729u + 3u);
        run_kernels(rill_sparse_kernels_pick(true), &p, &o);
        for (int i = 0; i < 2 * ALL; ++i) {
            int paper = i / ALL, at = i % ALL;
            bool inside = at >= FROM && at < FROM + N, awake = inside && p.awake[at];
            int32_t sill = p.bl[at] > p.br[at] ? p.bl[at] : p.br[at];
            bool wet = p.bl[at] + p.Hl[at] - sill > RILL_DRY || p.br[at] + p.Hr[at] - sill > RILL_DRY;
            float u = o.drive[paper].u[at], speed = u < 0.0f ? -u : u;
            assert_true(speed <= CONSTANTS.top_speed);
            if (!awake) assert_memory_equal(&u, &p.u[at], sizeof u);
            if (awake && !wet) assert_true(u == 0.0f);
            if (awake && (p.Hl[at] > CONSTANTS.thin || p.Hr[at] > CONSTANTS.thin))
                assert_true(speed <= o.fastest[paper]);
            if (!inside) assert_true(o.raw[paper].q[at] == 5.0f && o.unrest[paper].restless[at] == 7);
            if (inside && !awake) assert_true(o.raw[paper].q[at] == 0.0f && o.unrest[paper].restless[at] == 0);
            if (awake && (p.u[at] >= 1e-4f || p.u[at] <= -1e-4f)) assert_true(o.unrest[paper].restless[at] == 1);
            assert_true(o.raw[paper].q[at] * p.u[at] >= 0.0f || !inside); /* nothing flows back */
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variants_agree),
        cmocka_unit_test(pipes_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
