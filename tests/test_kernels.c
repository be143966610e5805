/* Every variant of the row kernels gives the same bits as the scalar one, on random and on hostile rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flow/kernels.h"

enum { N = 208, PAD = 16, ROW = N + 2 * PAD };

static uint32_t seed;
static uint32_t next(void) {
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}
static float real(float low, float high) {
    return low + (high - low) * (float)next() / 16777216.0f;
}

/* A row of everything a kernel may read. */
typedef struct rows {
    int32_t b[2][ROW], H[2][ROW], c[2][ROW];
    float q[4][ROW], u[5][ROW], K[2][ROW];
} rows;

static void fill_rows(rows *r, uint32_t from) {
    seed = from;
    for (int i = 0; i < ROW; ++i) {
        for (int k = 0; k < 2; ++k) {
            bool wall = next() % 13 == 0, dry = next() % 5 == 0;
            r->b[k][i] = wall ? RILL_WALL : (int32_t)(next() % 40000000u);
            r->H[k][i] = wall || dry ? 0 : (int32_t)(next() % (next() % 3 ? 60000000u : 60u));
            r->c[k][i] = wall         ? RILL_WALL
                         : next() % 3 ? RILL_TOP
                                      : r->b[k][i] + r->H[k][i] + (int32_t)(next() % 4u ? next() : 0);
            r->K[k][i] = next() % 2 ? 1.0f : real(0.0f, 1.0f);
        }
        for (int k = 0; k < 4; ++k) r->q[k][i] = next() % 4 ? real(-2e6f, 2e6f) : next() % 2 ? 0.0f : -0.0f;
        for (int k = 0; k < 5; ++k) r->u[k][i] = next() % 6 ? real(-0.5f, 0.5f) : next() % 2 ? 0.0f : -0.0f;
    }
}

static const rill_kernel_constants CONSTANTS = {
    .lambda = 0.9f,
    .phase = 0.381966f,
    .drive = 1.1e-9f,
    .drag = 9e11f,
    .keep = 0.997f,
    .top_speed = 1.0f,
    .fall = 1.8e-5f,
    .paper_opening = 8589934.0f,
    .five_dx = 42949672,
    .tilt = { 123456, -98765 },
    .thin = 200000,
};

typedef struct outputs {
    float raw[2][ROW], copy[2][ROW], limit[2][ROW], scaled[3][ROW], whole[3][ROW], drive[12][ROW];
    int32_t H[ROW];
    rill_flow_extent extent;
    uint8_t flags[2][8];
    bool flagged[2];
} outputs;

static void run_drives(const rill_kernels *k, const rows *r, outputs *o) {
    rill_face_columns open = { r->b[0] + PAD, r->b[1] + PAD, r->H[0] + PAD, r->H[1] + PAD, NULL, NULL }, covered = open;
    covered.cl = r->c[0] + PAD;
    covered.cr = r->c[1] + PAD;
    rill_face_flows f = { r->q[0] + PAD,     r->q[0] + PAD - 1, r->q[0] + PAD + 1, r->q[1] + PAD,
                          r->q[1] + PAD + 1, r->q[2] + PAD,     r->q[2] + PAD + 1, r->u[0] + PAD,
                          r->u[0] + PAD - 1, r->u[0] + PAD + 1, r->u[1] + PAD,     r->u[2] + PAD };
    for (int i = 0; i < 12; ++i) {
        rill_drive_kernel *drive = i < 8 ? k->drive[i & 1][(i >> 1) & 1] : k->drive_paper[i & 1];
        const rill_face_columns *at = i < 8 ? ((i >> 2) & 1 ? &covered : &open) : i < 10 ? &open : &covered;
        drive(N, at, &f, &CONSTANTS, CONSTANTS.tilt[0], o->drive[i] + PAD);
    }
}

static void run_kernels(const rill_kernels *k, const rows *r, outputs *o) {
    memset(o, 0, sizeof *o);
    rill_face_columns at = { r->b[0] + PAD, r->b[1] + PAD, r->H[0] + PAD, r->H[1] + PAD, NULL, NULL };
    k->raw(N, &at, r->u[0] + PAD, &CONSTANTS, o->raw[0] + PAD, o->copy[0] + PAD);
    at.cl = r->c[0] + PAD;
    at.cr = r->c[1] + PAD;
    k->raw(N, &at, r->u[0] + PAD, &CONSTANTS, o->raw[1] + PAD, o->copy[1] + PAD);
    const float *w = r->q[0] + PAD, *s = r->q[1] + PAD, *n = r->q[2] + PAD;
    const int32_t *b = r->b[0] + PAD, *H = r->H[0] + PAD, *c = r->c[0] + PAD;
    o->flagged[0] = k->flag(0, N, w, s, n, b, H, NULL, o->flags[0]);
    o->flagged[1] = k->flag(0, N, w, s, n, b, H, c, o->flags[1]);
    k->limit_out(N, w, s, n, H, o->limit[0] + PAD);
    k->limit_in(N, w, s, n, b, H, c, o->limit[1] + PAD);
    memcpy(o->scaled[0], r->q[0], sizeof o->scaled[0]);
    memcpy(o->scaled[1], r->u[0], sizeof o->scaled[1]);
    k->scale_out(N, r->K[0] + PAD, r->K[1] + PAD, o->scaled[0] + PAD, o->scaled[1] + PAD, o->scaled[2] + PAD);
    memcpy(o->whole[0], o->scaled[0], sizeof o->whole[0]);
    memcpy(o->whole[1], r->q[1], sizeof o->whole[1]);
    memcpy(o->whole[2], r->q[2], sizeof o->whole[2]);
    k->whole_scaled(N, o->scaled[2] + PAD, 0.7f, o->whole[0] + PAD);
    k->whole(N, 0.7f, o->whole[1] + PAD, o->whole[2] + PAD);
    k->scale_in(N, r->K[1] + PAD, r->K[0] + PAD, o->scaled[2] + PAD, 0.3f, o->scaled[0] + PAD, o->scaled[1] + PAD);
    /* The sign of a transfer of nothing is free: compilers may truncate to -0. Nothing downstream can tell. */
    for (int i = 0; i < ROW; ++i) {
        o->scaled[0][i] += 0.0f;
        for (int j = 0; j < 3; ++j) o->whole[j][i] += 0.0f;
    }
    memcpy(o->H, r->H[0], sizeof o->H);
    rill_cell_flows flows = { o->whole[0] + PAD, o->whole[1] + PAD, o->whole[2] + PAD,
                              r->u[0] + PAD,     r->u[1] + PAD,     r->u[2] + PAD };
    k->deposit(N, &flows, b, CONSTANTS.thin, o->H + PAD, &o->extent);
    run_drives(k, r, o);
}

static void variants_agree(void **state) {
    (void)state;
    const rill_kernels *all[4];
    int32_t count = rill_kernels_all(all);
    rows *r = malloc(sizeof *r);
    outputs *expected = malloc(sizeof *expected), *found = malloc(sizeof *found);
    assert_true(r && expected && found && count >= 2);
    for (uint32_t round = 0; round < 200; ++round) {
        fill_rows(r, round * 7919u + 1u);
        run_kernels(all[0], r, expected);
        for (int32_t i = 1; i < count; ++i) {
            run_kernels(all[i], r, found);
            if (memcmp(expected, found, sizeof *found) != 0) fail_msg("%s differs in round %u", all[i]->name, round);
        }
    }
    free(r), free(expected), free(found);
}

/* New velocities are finite and within the cap for any input, dry, wall or full. */
static void drive_is_bounded(void **state) {
    (void)state;
    const rill_kernels *k = rill_kernels_pick(true);
    rows *r = malloc(sizeof *r);
    outputs *o = malloc(sizeof *o);
    assert_true(r && o);
    for (uint32_t round = 0; round < 200; ++round) {
        fill_rows(r, round * 104729u + 3u);
        run_kernels(k, r, o);
        for (int d = 0; d < 12; ++d)
            for (int i = PAD; i < PAD + N; ++i) {
                float u = o->drive[d][i];
                bool guarded = d >= 8 ? d & 1 : (d >> 1) & 1;
                float bound = guarded ? CONSTANTS.top_speed : 1e3f;
                assert_true(u >= -bound && u <= bound);
                if (r->b[0][i] == RILL_WALL || r->b[1][i] == RILL_WALL) assert_true(u == 0.0f);
            }
    }
    free(r), free(o);
}

/* A column never gives more than it has, whatever the flows. */
static void limited_outflow_fits(void **state) {
    (void)state;
    const rill_kernels *k = rill_kernels_pick(false);
    for (uint32_t round = 0; round < 500; ++round) {
        rows r;
        fill_rows(&r, round * 31u + 5u);
        float K[ROW], q[3][ROW], u[ROW] = { 0 }, factor[ROW];
        for (int i = 0; i < ROW; ++i) K[i] = 1.0f;
        k->limit_out(N, r.q[0] + PAD, r.q[1] + PAD, r.q[2] + PAD, r.H[0] + PAD, K + PAD);
        memcpy(q, r.q, sizeof q);
        /* Each face scaled by this column where it is the donor, by 1 where it is not. */
        float ones[ROW];
        for (int i = 0; i < ROW; ++i) ones[i] = 1.0f;
        k->scale_out(N, K + PAD - 1, K + PAD, q[0] + PAD, u + PAD, factor + PAD);
        k->whole_scaled(N, factor + PAD, 0.999f, q[0] + PAD);
        k->scale_out(N, ones + PAD, K + PAD, q[1] + PAD, u + PAD, factor + PAD);
        k->whole_scaled(N, factor + PAD, 0.999f, q[1] + PAD);
        k->scale_out(N, K + PAD, ones + PAD, q[2] + PAD, u + PAD, factor + PAD);
        k->whole_scaled(N, factor + PAD, 0.999f, q[2] + PAD);
        for (int i = PAD; i < PAD + N - 1; ++i) {
            double out = 0;
            out += q[0][i] < 0 ? -(double)q[0][i] : 0;
            out += q[0][i + 1] > 0 ? (double)q[0][i + 1] : 0;
            out += q[1][i] < 0 ? -(double)q[1][i] : 0;
            out += q[2][i] > 0 ? (double)q[2][i] : 0;
            assert_true(out <= (double)r.H[0][i]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variants_agree),
        cmocka_unit_test(drive_is_bounded),
        cmocka_unit_test(limited_outflow_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
