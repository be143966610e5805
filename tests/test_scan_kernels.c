/* The kernels of the scan: every version gives the same bits as the definition, edge by edge and vertex by vertex, for
 * triangles that lie anyhow and for such whose corners are on the planes and lines of the lattice. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bed/scan_kernels.h"

enum { CORNERS = 3 * RILL_SCAN_BATCH };

static uint32_t seed;
static uint32_t next(void) {
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

static double vertices[3 * CORNERS];
static const rill_grid GRID = { .cells = { 40, 30 }, .cell_size = 0.25, .origin = { -3.0, 1.0, 0.0 } };
static const rill_area AREA = { { 3, 2 }, { 37, 29 } };

/* Anywhere in and around the grid, or on the centres of cells. */
static void fill_vertices(bool aligned) {
    for (int v = 0; v < CORNERS; ++v)
        for (int i = 0; i < 3; ++i) {
            const double any = 60.0 * (double)next() / 16777216.0 - 10.0, whole = (double)(next() % 60) - 9.5;
            vertices[3 * v + i] = (i < 2 ? GRID.origin[i] : 0.0) + GRID.cell_size * (aligned ? whole : any);
        }
}

/* A plane that is not below all corners of a triangle and below some. */
static double plane_between(const double *p, int across, bool aligned) {
    double low = p[across], high = p[across];
    for (int k = 1; k < 3; ++k) {
        low = p[3 * k + across] < low ? p[3 * k + across] : low;
        high = p[3 * k + across] > high ? p[3 * k + across] : high;
    }
    return aligned ? low : low + 0.999 * (high - low) * (double)next() / 16777216.0;
}

static void expect_edge(const rill_scan_batch *batch, const rill_lattice *lattice, int i, int k, int axis,
                        const double *low, const double *high) {
    const double t = (batch->plane[i] - low[1 - axis]) / (high[1 - axis] - low[1 - axis]);
    const double along = low[axis] + t * (high[axis] - low[axis]), z = low[2] + t * (high[2] - low[2]);
    assert_memory_equal(&batch->along[k][i], &along, sizeof along);
    assert_memory_equal(&batch->z[k][i], &z, sizeof z);
    if (rill_lattice_sure(lattice, batch->rest[k][i]))
        assert_int_equal(batch->cell[k][i], rill_lattice_settle(lattice, along, 0));
    else
        assert_in_range(batch->cell[k][i] + 1 - rill_lattice_settle(lattice, along, 0), 0, 2);
}

/* The edge that runs up is first, that which runs down second; returns how many rests are not sure. */
static int32_t expect_triangle(const rill_scan_batch *batch, const rill_lattice *lattice, int i, int axis) {
    int found[2] = { 0, 0 };
    for (int k = 0; k < 3; ++k) {
        const double *p = vertices + batch->corner[k][i], *q = vertices + batch->corner[(k + 1) % 3][i];
        const bool from = p[1 - axis] > batch->plane[i], to = q[1 - axis] > batch->plane[i];
        if (from == to) continue;
        expect_edge(batch, lattice, i, from, axis, from ? q : p, from ? p : q);
        found[from] += 1;
    }
    assert_true(found[0] == 1 && found[1] == 1);
    return !rill_lattice_sure(lattice, batch->rest[0][i]) + !rill_lattice_sure(lattice, batch->rest[1][i]);
}

static void versions_agree(void **state) {
    (void)state;
    const rill_scan_kernels *all[4];
    const int32_t versions = rill_scan_kernels_all(all);
    assert_in_range(versions, 2, 4);
    assert_ptr_equal(rill_scan_kernels_pick(false), all[versions - 1]);
    int32_t unsure = 0;
    for (int32_t round = 0; round < 200; ++round) {
        const int axis = round % 2, count = round % RILL_SCAN_BATCH + 1;
        const bool aligned = round % 4 >= 2;
        const rill_lattice lattice = rill_lattice_of(&GRID, &AREA, axis);
        seed = (uint32_t)round;
        fill_vertices(aligned);
        rill_scan_batch batch;
        for (int i = 0; i < count; ++i) {
            double *p = vertices + 9 * i;
            if (p[1 - axis] == p[4 - axis] && p[1 - axis] == p[7 - axis]) p[1 - axis] += GRID.cell_size;
            batch.plane[i] = plane_between(p, 1 - axis, aligned);
            for (int k = 0; k < 3; ++k) batch.corner[k][i] = 9 * i + 3 * k;
        }
        for (int32_t v = 0; v < versions; ++v) {
            int32_t expected = 0;
            const int32_t found = all[v]->cross(&lattice, vertices, axis, count, &batch);
            for (int i = 0; i < count; ++i) expected += expect_triangle(&batch, &lattice, i, axis);
            assert_int_equal(found, expected);
            unsure += found;
        }
    }
    assert_true(unsure > 1000); /* corners on the lattice were there */
}

static void expect_mark(const rill_scan scans[2], const double *vertex, const rill_scan_mark *m) {
    const double guesses[2] = { rill_lattice_guess(&scans[0].across, vertex[1]),
                                rill_lattice_guess(&scans[1].across, vertex[0]) };
    for (int axis = 0; axis < 2; ++axis) {
        const double rest = guesses[axis] - (double)(int32_t)guesses[axis];
        const bool sure = rill_lattice_sure(&scans[axis].across, rest);
        assert_int_equal(m->rows[axis], (int32_t)guesses[axis]);
        assert_int_equal(m->beside >> (4 + axis) & 1, !sure);
        if (sure) assert_int_equal(m->rows[axis], rill_lattice_settle(&scans[axis].across, vertex[1 - axis], 0));
        assert_int_equal(m->beside >> (2 * axis) & 1, vertex[axis] < scans[axis].near[0]);
        assert_int_equal(m->beside >> (2 * axis + 1) & 1, vertex[axis] > scans[axis].near[1]);
    }
    assert_true(m->column == m->rows[1] || (m->column == -1 && fabs(guesses[1] - round(guesses[1])) < 1e-9));
    if (m->beside >> 5 & 1) assert_int_equal(m->column, -1);
}

static void marks_agree(void **state) {
    (void)state;
    const rill_scan_kernels *all[4];
    const int32_t versions = rill_scan_kernels_all(all);
    rill_scan scans[2];
    for (int axis = 0; axis < 2; ++axis)
        scans[axis] = (rill_scan){ .along = rill_lattice_of(&GRID, &AREA, axis),
                                   .across = rill_lattice_of(&GRID, &AREA, 1 - axis),
                                   .near = { GRID.origin[axis] + 1.0, GRID.origin[axis] + 6.0 } };
    for (int32_t round = 0; round < 20; ++round) {
        const size_t count = (size_t)(CORNERS - round);
        seed = (uint32_t)round;
        fill_vertices(round % 2 == 1);
        for (int32_t v = 0; v < versions; ++v) {
            rill_scan_mark marks[CORNERS];
            all[v]->mark(scans, vertices, count, marks);
            for (size_t i = 0; i < count; ++i) expect_mark(scans, vertices + 3 * i, &marks[i]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(versions_agree), cmocka_unit_test(marks_agree) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
