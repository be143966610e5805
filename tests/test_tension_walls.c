/* The wall term of surface tension: liquid rises at walls to the height that statics gives, only where it is asked for. */
#include "worlds.h"

#include <math.h>

enum { SIDE = 48 };

#define DX 5e-4

/* A square tank of 24 mm with 6 mm of thick water in it that meets walls at this angle. */
static rill_world *make_tank(double angle, bool walls) {
    rill_world_def def = rill_default_world_def();
    def.grid = (rill_grid){ .cells = { SIDE, SIDE }, .cell_size = DX };
    def.headroom = 0.02;
    def.liquid.contact_angle = (rill_contact_angle){ angle, angle };
    def.liquid.viscosity = 2e-4;
    def.solver.tension = RILL_TENSION_ON;
    def.solver.wall_tension = walls;
    rill_world *world = NULL;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    rill_solid_def floor = rill_default_solid_def();
    floor.shape.type = RILL_SHAPE_PLANE;
    floor.shape.axis[2] = 1.0;
    assert_int_equal(rill_solid_create(world, &floor, NULL), RILL_OK);
    assert_int_equal(rill_bed_build(world), RILL_OK);
    assert_int_equal(rill_world_fill_level(world, (double[]){ DX, DX, 0.0 }, 0.006, NULL), RILL_OK);
    return world;
}

/* Returns how far the level at the middle of a wall, as the cells before it tell, is above that in the middle of the tank. */
static double rise(const rill_world *world) {
    double depths[SIDE * SIDE];
    assert_int_equal(rill_world_read_field(world, RILL_FIELD_DEPTH, 0, depths, SIDE * SIDE), RILL_OK);
    const double *row = depths + SIDE / 2 * SIDE;
    const double slope = row[0] - row[1], bend = row[0] - 2.0 * row[1] + row[2];
    return row[0] + 0.5 * slope + 0.375 * bend - row[SIDE / 2];
}

static void expect_rise(double angle) {
    rill_world *world = make_tank(angle, true);
    rill_ledger ledger;
    rill_liquid liquid;
    for (int i = 0; i < 300; ++i) assert_int_equal(rill_world_step(world, 1.0 / 60.0), RILL_OK);
    assert_int_equal(rill_world_get_liquid(world, &liquid), RILL_OK);
    const double length = sqrt(liquid.surface_tension / (liquid.density * 9.81));
    const double exact = sqrt(2.0 * (1.0 - sin(angle * acos(-1.0) / 180.0))) * length;
    const double found = rise(world) * (angle > 90.0 ? -1.0 : 1.0);
    if (!(fabs(found / exact - 1.0) < 0.05)) fail_msg("at %g degrees %g m, not %g", angle, found, exact);
    assert_int_equal(rill_world_get_ledger(world, &ledger), RILL_OK);
    assert_int_equal(ledger.error, 0);
    rill_world_destroy(world);
}

static void test_rise(void **state) {
    (void)state;
    expect_rise(30.0);
    expect_rise(60.0);
    expect_rise(120.0);
}

static void test_level_without(void **state) {
    (void)state;
    rill_world *world = make_tank(30.0, false);
    for (int i = 0; i < 30; ++i) assert_int_equal(rill_world_step(world, 1.0 / 60.0), RILL_OK);
    assert_true(rise(world) == 0.0);
    rill_world_destroy(world);
}

/* Liquid rises at walls because that lowers the sum of all energies. */
static void test_energy(void **state) {
    (void)state;
    rill_world *world = make_tank(30.0, true);
    rill_energy before, after;
    assert_int_equal(rill_world_step(world, 1e-4), RILL_OK);
    assert_int_equal(rill_world_get_energy(world, &before), RILL_OK);
    for (int i = 0; i < 120; ++i) assert_int_equal(rill_world_step(world, 1.0 / 60.0), RILL_OK);
    assert_int_equal(rill_world_get_energy(world, &after), RILL_OK);
    assert_true(after.potential > before.potential);
    assert_true(after.potential + after.kinetic + after.surface < before.potential + before.kinetic + before.surface);
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit_test_long(test_rise),
        cmocka_unit_test(test_level_without),
        cmocka_unit_test(test_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
