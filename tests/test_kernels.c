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

/* Everything a kernel may read or write, of a row and the rows south and north of it. */
typedef struct rows {
    int32_t b[3][ROW], H[3][ROW], c[3][ROW];
    float q[6][ROW], u[8][ROW], p[6][ROW], w[6][ROW], e[6][ROW], g[6][ROW], K[6][ROW], k[2][ROW];
} rows;

/* Views of them as kernels take them: south, here, north. Factors of faces exist here only. */
static void see_rows(rows *r, rill_row out[3]) {
    for (int i = 0; i < 3; ++i)
        out[i] = (rill_row){
            .b = r->b[i] + PAD,
            .c = r->c[i] + PAD,
            .H = r->H[i] + PAD,
            .u = r->u[6] + PAD,
            .v = r->u[7] + PAD,
            .qx = r->q[2 * i] + PAD,
            .qy = r->q[2 * i + 1] + PAD,
            .ux = r->u[2 * i] + PAD,
            .vy = r->u[2 * i + 1] + PAD,
            .px = r->p[2 * i] + PAD,
            .py = r->p[2 * i + 1] + PAD,
            .wx = r->w[2 * i] + PAD,
            .wy = r->w[2 * i + 1] + PAD,
            .ex = r->e[2 * i] + PAD,
            .ey = r->e[2 * i + 1] + PAD,
            .gx = r->g[2 * i] + PAD,
            .gy = r->g[2 * i + 1] + PAD,
            .Ko = r->K[2 * i] + PAD,
            .Ki = r->K[2 * i + 1] + PAD,
            .kx = r->k[0] + PAD,
            .ky = r->k[1] + PAD,
        };
}

static void fill_rows(rows *r, uint32_t from) {
    seed = from;
    for (int i = 0; i < ROW; ++i) {
        for (int k = 0; k < 3; ++k) {
            bool wall = next() % 13 == 0, dry = next() % 5 == 0;
            r->b[k][i] = wall ? RILL_WALL : (int32_t)(next() % 40000000u);
            r->H[k][i] = wall || dry ? 0 : (int32_t)(next() % (next() % 3 ? 60000000u : 60u));
            r->c[k][i] = wall         ? RILL_WALL
                         : next() % 3 ? RILL_TOP
                                      : r->b[k][i] + r->H[k][i] + (int32_t)(next() % 4u ? next() : 0);
        }
        for (int k = 0; k < 6; ++k) r->K[k][i] = next() % 2 ? 1.0f : real(0.0f, 1.0f);
        for (int k = 0; k < 2; ++k) r->k[k][i] = next() % 2 ? 1.0f : real(0.0f, 1.0f);
        for (int k = 0; k < 6; ++k) r->q[k][i] = next() % 4 ? real(-2e6f, 2e6f) : next() % 2 ? 0.0f : -0.0f;
        for (int k = 0; k < 6; ++k) r->p[k][i] = r->w[k][i] = 0.0f;
        for (int k = 0; k < 6; ++k) r->e[k][i] = real(-0.5f, 0.5f), r->g[k][i] = real(-0.01f, 0.01f);
        for (int k = 0; k < 8; ++k) r->u[k][i] = next() % 6 ? real(-0.5f, 0.5f) : next() % 2 ? 0.0f : -0.0f;
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
    .slack = 48,
    .thin = 200000,
};

enum { RAW = 0, LIMIT = 3, SCALE, WHOLE, WHOLE_SCALED, DEPOSIT, DRIVE, STAGES = DRIVE + 12 };

/* The content of all rows after each kernel, and what kernels return. */
typedef struct outputs {
    rows after[STAGES];
    rill_flow_extent extent;
    int32_t flags[2], level;
} outputs;

/* The sign of a transfer of nothing is free: compilers may truncate to -0. Nothing downstream can tell. */
static void drop_signs_of_zero(rows *r) {
    for (int k = 0; k < 6; ++k)
        for (int i = 0; i < ROW; ++i) r->q[k][i] += 0.0f;
}

static void run_drives(const rill_kernels *k, const rows *r, outputs *o) {
    for (int i = 0; i < 12; ++i) {
        rill_drive_kernel *drive = i < 8 ? k->drive[i & 1][(i >> 1) & 1] : k->drive_paper[i & 1];
        bool covered = i < 8 ? (i >> 2) & 1 : i >= 10;
        rill_row row[3];
        o->after[DRIVE + i] = *r;
        see_rows(&o->after[DRIVE + i], row);
        for (int s = 1; s < 3 && i < 8; ++s) k->force(0, N, &row[s], &row[s - 1], covered, (i >> 1) & 1, &CONSTANTS);
        drive(0, N, &row[1], &row[0], &row[2], covered, &CONSTANTS);
    }
}

static void run_kernels(const rill_kernels *k, const rows *r, outputs *o) {
    memset(o, 0, sizeof *o);
    rill_row row[3];
    for (int i = 0; i < DRIVE; ++i) {
        o->after[i] = *r;
        see_rows(&o->after[i], row);
        switch (i) {
        case LIMIT:
            o->flags[0] = k->flag(0, N, &row[1], &row[2], false);
            o->flags[1] = k->flag(0, N, &row[1], &row[2], true);
            o->level = k->level(0, N, &row[1]);
            k->limit_out(0, N, &row[1], &row[2]);
            k->limit_in(0, N, &row[1], &row[2]);
            break;
        case SCALE:
            k->scale_out(0, N, &row[1], &row[0]);
            k->scale_in(0, N, &row[1], &row[0], 0.3f);
            break;
        case WHOLE: k->whole(0, N, &row[1], 0.7f); break;
        case WHOLE_SCALED: k->whole_scaled(0, N, &row[1], 0.7f); break;
        case DEPOSIT:
            for (int s = 0; s < 3; ++s) k->whole(0, N, &row[s], 0.7f);
            k->deposit(0, N, &row[1], &row[2], &CONSTANTS, &o->extent);
            break;
        default: (i == 2 ? k->raw_paper : k->raw)(0, N, &row[1], &row[0], i == 1, &CONSTANTS);
        }
        drop_signs_of_zero(&o->after[i]);
    }
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
                float u = o->after[DRIVE + d].u[6][i], v = o->after[DRIVE + d].u[7][i];
                bool guarded = d >= 8 ? d & 1 : (d >> 1) & 1;
                float bound = guarded ? CONSTANTS.top_speed : 1e3f;
                assert_true(u >= -bound && u <= bound && v >= -bound && v <= bound);
                if (r->b[1][i] == RILL_WALL || r->b[1][i - 1] == RILL_WALL) assert_true(u == 0.0f);
                if (r->b[1][i] == RILL_WALL || r->b[0][i] == RILL_WALL) assert_true(v == 0.0f);
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
        rill_row row[3];
        fill_rows(&r, round * 31u + 5u);
        see_rows(&r, row);
        for (int i = 0; i < ROW; ++i)
            for (int s = 0; s < 3; ++s) r.K[2 * s][i] = 1.0f;
        k->limit_out(0, N, &row[1], &row[2]);
        for (int s = 1; s < 3; ++s) { /* its own faces, and the south faces of the row north */
            k->scale_out(0, N, &row[s], &row[s - 1]);
            k->whole_scaled(0, N, &row[s], 0.999f);
        }
        for (int i = 0; i < N - 1; ++i) {
            double out = 0, w = row[1].qx[i], e = row[1].qx[i + 1], s = row[1].qy[i], n = row[2].qy[i];
            out += (w < 0 ? -w : 0) + (e > 0 ? e : 0);
            out += (s < 0 ? -s : 0) + (n > 0 ? n : 0);
            assert_true(out <= (double)row[1].H[i]);
        }
    }
}

/* Looks at a tile see what is in it, whichever variant looks. */
static void tiles_are_seen(void **state) {
    (void)state;
    const rill_kernels *all[4];
    int32_t count = rill_kernels_all(all);
    for (uint32_t round = 0; round < 200; ++round) {
        rows r;
        fill_rows(&r, round * 17u + 9u);
        int at = PAD + (int)(round % 10u) * RILL_TILE_W, height = 1 + (int)(round % 3u);
        const int32_t *H = r.H[0] + at;
        float *u = r.u[0] + at, *v = r.u[4] + at, fastest = 0.0f;
        int32_t wet_rows = 0, columns = 0;
        for (int y = 0; y < 3; ++y)
            for (int x = 0; x < RILL_TILE_W; ++x) {
                bool wet = next() % 16u == 0; /* most of a tile is dry and at rest, or every side would be reached */
                if (!wet) r.H[y][at + x] = (int32_t)(next() % 40u);
                if (!wet) u[y * ROW + x] = v[y * ROW + x] = 0.0f;
                float speed_u = u[y * ROW + x] < 0 ? -u[y * ROW + x] : u[y * ROW + x];
                float speed_v = v[y * ROW + x] < 0 ? -v[y * ROW + x] : v[y * ROW + x];
                if (y >= height) continue;
                if (speed_u > fastest) fastest = speed_u;
                if (speed_v > fastest) fastest = speed_v;
                if (r.H[y][at + x] <= RILL_DRY && speed_u == 0.0f && speed_v == 0.0f) continue;
                wet_rows |= 1 << y;
                columns |= 1 << x;
            }
        for (int32_t i = 0; i < count; ++i) {
            rill_tile_look seen = all[i]->look(height, ROW, H, u, v);
            assert_int_equal(seen.rows, wet_rows);
            assert_int_equal(seen.west, (columns & ((1 << RILL_TILE_CHECK) - 1)) != 0);
            assert_int_equal(seen.east, columns >> (RILL_TILE_W - RILL_TILE_CHECK) != 0);
            assert_true(seen.fastest == fastest);
        }
    }
}

static bool is_closed(const int32_t *b, const int32_t *c, int l, int r) {
    return (b[l] < RILL_WALL && c[r] <= b[l]) || (b[r] < RILL_WALL && c[l] <= b[r]);
}

/* The lintel of a tile is the lowest ceiling in it and around it, and 0 if two columns meet and do not open to each
 * other. */
static void lintels_are_found(void **state) {
    (void)state;
    enum { WIDE = RILL_TILE_W + 2, ROWS = 3, WIDTH = WIDE + 1, COLUMNS = (ROWS + 1) * WIDTH };
    const rill_kernels *all[4];
    int32_t count = rill_kernels_all(all), seen[3] = { 0 };
    seed = 5u;
    for (uint32_t round = 0; round < 300; ++round) {
        int32_t b[COLUMNS], c[COLUMNS], height = 1 + (int32_t)(round % ROWS), lowest = RILL_WALL;
        bool closed = false;
        for (int i = 0; i < COLUMNS; ++i) {
            b[i] = next() % 20 ? (int32_t)(next() % 1000u) : RILL_WALL;
            c[i] = b[i] == RILL_WALL ? RILL_WALL : next() % 60 ? RILL_TOP : 1000 + (int32_t)(next() % 9u);
            if (round % 4 == 0 && next() % 90 == 0 && b[i] < RILL_WALL) c[i] = b[i] + (int32_t)(next() % 300u);
        }
        for (int y = 1; y <= height; ++y)
            for (int x = 1; x <= WIDE; ++x) {
                const int i = y * WIDTH + x;
                if (c[i] < lowest && c[i] < RILL_TOP) lowest = c[i];
                closed = closed || is_closed(b, c, i - 1, i) || is_closed(b, c, i - WIDTH, i);
            }
        seen[closed ? 0 : lowest == RILL_WALL ? 1 : 2] += 1;
        for (int32_t i = 0; i < count; ++i)
            assert_int_equal(all[i]->lintel(height, WIDTH, b + WIDTH + 1, c + WIDTH + 1), closed ? 0 : lowest);
    }
    assert_true(seen[0] > 10 && seen[1] > 10 && seen[2] > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lintels_are_found),    cmocka_unit_test(variants_agree), cmocka_unit_test(drive_is_bounded),
        cmocka_unit_test(limited_outflow_fits), cmocka_unit_test(tiles_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
