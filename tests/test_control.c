/* Controls: exact distances, shapes, liquid that gathers in them, time windows, contact angles, ids and refusals. */
#include "snapshots.h"

#include <math.h>

#include "base/alloc.h"
#include "shape/contact_angle.h"
#include "waves/distance_transform.h"
#include "waves/forces.h"

enum { NX = 60, NY = 48, CELLS = NX * NY };

#define DX 0.001

static rill_world *make_tray(double depth, double tension) {
    rill_world_def def = rill_default_world_def();
    def.grid.cells[0] = NX;
    def.grid.cells[1] = NY;
    def.grid.cell_size = DX;
    def.headroom = 0.02;
    def.liquid.surface_tension = tension;
    rill_world *world = NULL;
    rill_message message = { "" };
    if (rill_world_create(&def, &world, &message) != RILL_OK) fail_msg("%s", message.text);
    const rill_solid_def floor = box_def("floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
    rill_solid_id id;
    must(world, rill_solid_create(world, &floor, &id));
    must(world, rill_bed_build(world));
    if (depth > 0.0) must(world, rill_world_fill_level(world, (double[]){ 0.5 * DX, 0.5 * DX, 0.0 }, depth, NULL));
    return world;
}

/* A square ring: a polygon in another is a hole. */
static const double RING[] = { 0.018, 0.012, 0.042, 0.012, 0.042, 0.036, 0.018, 0.036,
                               0.026, 0.020, 0.034, 0.020, 0.034, 0.028, 0.026, 0.028 };
static const int32_t RING_CORNERS[] = { 4, 4 };

static rill_control_def ring(void) {
    rill_control_def def = rill_default_control_def();
    def.name = "ring";
    def.points = RING;
    def.corners = RING_CORNERS;
    def.polygon_count = 2;
    return def;
}

static bool in_ring(int32_t i) {
    const int32_t x = i % NX, y = i / NX;
    return x >= 18 && x < 42 && y >= 12 && y < 36 && !(x >= 26 && x < 34 && y >= 20 && y < 28);
}

/* The share of the volume that is in the ring. */
static double share_inside(const rill_world *world) {
    double depths[CELLS], inside = 0.0, all = 0.0;
    assert_int_equal(rill_world_read_field(world, RILL_FIELD_DEPTH, 0, depths, CELLS), RILL_OK);
    for (int32_t i = 0; i < CELLS; ++i) {
        all += depths[i];
        inside += in_ring(i) ? depths[i] : 0.0;
    }
    return inside / all;
}

/* -------------------------------------------------------------------------------------------------------- distances */

static uint32_t random_bits(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Against the nearest of all cells, on grids of any proportions, with few and with many cells in the shape. */
static void test_distances(void **state) {
    (void)state;
    const rill_allocator allocator = rill_alloc_default();
    uint32_t seed = 1;
    for (int round = 0; round < 300; ++round) {
        const int32_t nx = 1 + (int32_t)(random_bits(&seed) % 20), ny = 1 + (int32_t)(random_bits(&seed) % 20);
        const uint32_t rarity = 1 + random_bits(&seed) % 60;
        uint8_t inside[400];
        int64_t squares[400];
        for (int32_t i = 0; i < nx * ny; ++i) inside[i] = random_bits(&seed) % rarity == 0;
        assert_true(rill_distance_transform(inside, 1, nx, ny, squares, &allocator));
        for (int32_t i = 0; i < nx * ny; ++i) {
            int64_t least = RILL_DISTANCE_NONE;
            for (int32_t k = 0; k < nx * ny; ++k) {
                const int64_t x = k % nx - i % nx, y = k / nx - i / nx;
                if (inside[k] && x * x + y * y < least) least = x * x + y * y;
            }
            assert_true(squares[i] == least);
        }
    }
}

/* ------------------------------------------------------------------------------------------------------------ shapes */

static void test_shapes(void **state) {
    (void)state;
    rill_world *world = make_tray(0.0, 0.0);
    rill_control_id polygons, masked;
    rill_control_def def = ring();
    uint8_t mask[CELLS], read[CELLS];
    must(world, rill_control_create(world, &def, &polygons));
    must(world, rill_control_read_mask(world, polygons, mask, CELLS));
    for (int32_t i = 0; i < CELLS; ++i) assert_int_equal(mask[i], in_ring(i));
    def.name = NULL;
    def.polygon_count = 0;
    def.points = NULL;
    def.mask = mask;
    def.mask_count = CELLS;
    must(world, rill_control_create(world, &def, &masked));
    must(world, rill_control_read_mask(world, masked, read, CELLS));
    assert_memory_equal(mask, read, CELLS);
    /* A triangle with slanted sides, that reaches out of the grid. */
    def.points = (double[]){ -0.010, 0.010, 0.030, 0.010, -0.010, 0.050 };
    def.corners = (int32_t[]){ 3 };
    def.polygon_count = 1;
    def.mask = NULL;
    must(world, rill_control_create(world, &def, &masked));
    must(world, rill_control_read_mask(world, masked, read, CELLS));
    for (int32_t i = 0; i < CELLS; ++i) {
        const double x = (i % NX + 0.5) * DX, y = (i / NX + 0.5) * DX;
        if (fabs(x + y - 0.040) > 1e-9) assert_int_equal(read[i], y > 0.010 && x + y < 0.040);
    }
    rill_world_destroy(world);
}

/* ------------------------------------------------------------------------------------------------------------ gather */

/* Liquid on a flat tray gathers in the shape, and stays there at rest; without a control it spreads evenly. */
static void test_gather(void **state) {
    (void)state;
    double shares[2];
    for (int with = 0; with < 2; ++with) {
        rill_world *world = make_tray(0.0003, 0.0);
        const rill_control_def def = ring();
        if (with) must(world, rill_control_create(world, &def, NULL));
        for (int i = 0; i < 300; ++i) {
            must(world, rill_world_step(world, 0.01));
            assert_int_equal(ledger_error(world), 0);
            assert_int_equal(rill_world_status(world), 0);
        }
        must_be_valid(world);
        shares[with] = share_inside(world);
        rill_world_destroy(world);
    }
    double cells = 0.0;
    for (int32_t i = 0; i < CELLS; ++i) cells += in_ring(i);
    if (fabs(shares[0] - cells / CELLS) > 0.01) fail_msg("%g of it was there without control", shares[0]);
    if (shares[1] < 0.8) fail_msg("only %g of it has gathered", shares[1]);
}

/* Where tension acts, contact angles fill the shape and clear what is around it. */
static void test_gather_drops(void **state) {
    (void)state;
    rill_world *world = make_tray(0.0002, 0.0728);
    rill_solver solver;
    must(world, rill_world_get_solver(world, &solver));
    solver.tension = RILL_TENSION_ON;
    must(world, rill_world_set_solver(world, &solver));
    rill_control_def def = ring();
    def.inside = (rill_contact_angle){ 15.0, 15.0 };
    def.outside = (rill_contact_angle){ 60.0, 60.0 };
    must(world, rill_control_create(world, &def, NULL));
    for (int i = 0; i < 200; ++i) {
        must(world, rill_world_step(world, 0.01));
        assert_int_equal(ledger_error(world), 0);
    }
    must_be_valid(world);
    if (share_inside(world) < 0.8) fail_msg("only %g of it has gathered", share_inside(world));
    rill_world_destroy(world);
}

/* Controls act in their time, wake what sleeps, and let go. */
static void test_window(void **state) {
    (void)state;
    rill_world *world = make_tray(0.001, 0.0);
    rill_control_def def = ring();
    def.from = 0.5;
    def.until = 1.0;
    must(world, rill_control_create(world, &def, NULL));
    run(world, 50, 0.01);
    const double before = share_inside(world);
    run(world, 20, 0.01);
    const double during = share_inside(world);
    run(world, 30, 0.01);
    run(world, 2000, 0.02);
    const double after = share_inside(world);
    if (!(during > before + 0.1 && fabs(after - before) < 0.001))
        fail_msg("%g before, %g in its time, %g after", before, during, after);
    assert_int_equal(ledger_error(world), 0);
    rill_world_destroy(world);
}

/* One step that is longer than a window and one that ends with it: it acts as long in both. */
static void test_within_a_step(void **state) {
    (void)state;
    rill_world *world = make_tray(0.002, 0.0);
    rill_control_def def = ring();
    def.from = 0.02;
    must(world, rill_control_create(world, &def, NULL));
    run(world, 1, 0.5);
    assert_true(share_inside(world) > 0.25);
    rill_world_destroy(world);
}

/* ---------------------------------------------------------------------------------------------------- contact angles */

static const rill_contact_angle *angle_at(const rill_world *world, int32_t x, int32_t y) {
    return rill_forces_contact_angle(&world->forces, (size_t)y * NX + (size_t)x);
}

static void plane_has(const rill_world *world, int32_t x, int32_t y, double angle) {
    const int32_t place = world->bed.places[rill_bed_column(&world->bed, x, y, 0)];
    assert_true(fabs((double)world->wetting.advancing[place] - rill_wetting_s(angle)) < 1e-6);
    assert_true(fabs((double)world->wetting.receding[place] - rill_wetting_s(angle)) < 1e-6);
}

static void test_angles(void **state) {
    (void)state;
    rill_world *world = make_tray(0.001, 0.0728);
    rill_solver solver;
    rill_liquid liquid;
    must(world, rill_world_get_solver(world, &solver));
    solver.tension = RILL_TENSION_ON;
    must(world, rill_world_set_solver(world, &solver));
    must(world, rill_world_get_liquid(world, &liquid));
    liquid.contact_angle = (rill_contact_angle){ 90.0, 90.0 };
    must(world, rill_world_set_liquid(world, &liquid));
    rill_control_def def = ring();
    rill_control_id first, second;
    def.inside = (rill_contact_angle){ 15.0, 15.0 };
    def.outside = (rill_contact_angle){ 60.0, 60.0 };
    def.from = 0.02;
    must(world, rill_control_create(world, &def, &first));
    assert_null(angle_at(world, 20, 15)); /* it is not time yet */
    run(world, 1, 0.01);
    plane_has(world, 20, 15, 90.0);
    run(world, 2, 0.01);
    assert_true(angle_at(world, 20, 15)->advancing == 15.0 && angle_at(world, 30, 24)->receding == 60.0);
    plane_has(world, 20, 15, 15.0);
    plane_has(world, 30, 24, 60.0);
    def.name = "other";
    def.inside = rill_default_control_def().inside;
    def.outside = (rill_contact_angle){ 70.0, 70.0 };
    must(world, rill_control_create(world, &def, &second));
    run(world, 1, 0.01);
    plane_has(world, 20, 15, 15.0); /* where the later one has no say */
    plane_has(world, 30, 24, 70.0);
    must(world, rill_control_destroy(world, first));
    must(world, rill_control_destroy(world, second));
    run(world, 1, 0.01);
    plane_has(world, 20, 15, 90.0);
    rill_world_destroy(world);
}

/* --------------------------------------------------------------------------------------------------------- ids, state */

static void test_ids(void **state) {
    (void)state;
    rill_world *world = make_tray(0.001, 0.0);
    rill_control_def def = ring(), got;
    rill_control_id first, second;
    int data;
    must(world, rill_control_create(world, &def, &first));
    must_refuse(world, rill_control_create(world, &def, &second), RILL_INVALID_ARGUMENT, "\"ring\"");
    def.name = NULL;
    must(world, rill_control_create(world, &def, &second));
    assert_int_equal(rill_world_control_count(world), 2);
    assert_true(rill_world_control_at(world, 0).value == first.value);
    assert_true(rill_control_find(world, "ring").value == first.value);
    assert_true(rill_control_find(world, "letters").value == 0);
    assert_string_equal(rill_control_name(world, second), "");
    must(world, rill_control_set_user_data(world, first, &data));
    assert_ptr_equal(rill_control_user_data(world, first), &data);
    must(world, rill_control_set_strength(world, first, 3.5));
    must(world, rill_control_get_def(world, first, &got));
    assert_true(got.strength == 3.5 && got.polygon_count == 0 && !got.mask && got.until > 1e300);
    must_refuse(world, rill_control_set_strength(world, first, -1.0), RILL_INVALID_ARGUMENT, "control.strength is -1");
    must(world, rill_control_destroy(world, first));
    must_refuse(world, rill_control_destroy(world, first), RILL_INVALID_ID, "stale");
    assert_null(rill_control_name(world, first));
    must(world, rill_control_destroy(world, second));
    assert_int_equal(rill_world_control_count(world), 0);
    must(world, rill_control_create(world, &def, &second));
    assert_true(second.value != first.value && rill_world_control_at(world, 0).value == second.value);
    rill_world_destroy(world);
}

/* Destroying the last control gives a world the bits that it had without. */
static void test_gone(void **state) {
    (void)state;
    rill_world *world = make_tray(0.001, 0.0);
    const rill_control_def def = ring();
    rill_control_id id;
    run(world, 100, 0.01);
    const saved s = save(world);
    rill_world *copy = load(s, NULL);
    must(world, rill_control_create(world, &def, &id));
    must(world, rill_control_destroy(world, id));
    run(world, 100, 0.01);
    run(copy, 100, 0.01);
    double depths[2][CELLS];
    must(world, rill_world_read_field(world, RILL_FIELD_DEPTH, 0, depths[0], CELLS));
    must(copy, rill_world_read_field(copy, RILL_FIELD_DEPTH, 0, depths[1], CELLS));
    assert_memory_equal(depths[0], depths[1], sizeof depths[0]);
    rill_world_destroy(copy);
    rill_world_destroy(world);
    free(s.bytes);
}

static void test_refusals(void **state) {
    (void)state;
    rill_world *world = make_tray(0.0, 0.0);
    rill_control_def def = ring();
    uint8_t mask[CELLS] = { 0 };
    assert_int_equal(rill_control_create(NULL, &def, NULL), RILL_INVALID_ARGUMENT);
    must_refuse(world, rill_control_create(world, NULL, NULL), RILL_INVALID_ARGUMENT, "def is NULL");
#define REFUSE(CHANGE, WORD)                                                                                           \
    do {                                                                                                               \
        def = ring();                                                                                                  \
        CHANGE;                                                                                                        \
        must_refuse(world, rill_control_create(world, &def, NULL), RILL_INVALID_ARGUMENT, WORD);                       \
    } while (0)
    REFUSE(def.polygon_count = 0, "there is no mask");
    REFUSE(def.mask = mask, "there is a mask");
    REFUSE(def.points = NULL, "control.points is NULL");
    REFUSE(def.corners = ((int32_t[]){ 4, 2 }), "control.corners[1] is 2");
    REFUSE(def.points = ((double[16]){ 1.0, (double)NAN }), "control.points[1]");
    REFUSE(def.points = ((double[16]){ 1.0, 2.0 }), "no cell of the grid");
    REFUSE((def.polygon_count = 0, def.mask = mask, def.mask_count = CELLS), "control.mask has no cell");
    REFUSE((def.polygon_count = 0, def.mask = mask, def.mask_count = 3), "control.mask_count is 3");
    REFUSE(def.strength = (double)NAN, "control.strength");
    REFUSE(def.inside.advancing = 200.0, "control.inside.");
    REFUSE(def.outside = ((rill_contact_angle){ 20.0, 30.0 }), "control.outside.");
    REFUSE((def.from = 2.0, def.until = 1.0), "control.until is 1");
    assert_int_equal(rill_world_control_count(world), 0);
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distances),    cmocka_unit_test(test_shapes), cmocka_unit_test(test_gather),
        cmocka_unit_test(test_gather_drops), cmocka_unit_test(test_window), cmocka_unit_test(test_within_a_step),
        cmocka_unit_test(test_angles),       cmocka_unit_test(test_ids),    cmocka_unit_test(test_gone),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
