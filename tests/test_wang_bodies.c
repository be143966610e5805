/* Bodies with papers wang (Eq. 20): columns under them are as high as their undersides, they float as deep as Archimedes says,
 * waves push them, and the ledger is exact. */
#include "snapshots.h"

#include <math.h>

enum { SIDE = 40, CELLS = SIDE * SIDE };

#define DX 0.005
#define DEPTH 0.05

static rill_world *make_tank(void) {
    rill_world_def def = plain_world_def();
    def.grid.cells[0] = def.grid.cells[1] = SIDE;
    def.grid.cell_size = DX;
    def.headroom = 0.2;
    def.solver.papers = RILL_PAPERS_WANG;
    def.solver.wang.viscosity = 0.05;
    def.solver.wang.friction = 0.002;
    def.solver.max_substeps = 1000;
    rill_world *world = NULL;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    const rill_solid_def floor = box_def("floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
    must(world, rill_solid_create(world, &floor, NULL));
    must(world, rill_bed_build(world));
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.001 }, DEPTH, NULL));
    return world;
}

/* A box of 12 x 12 cells and 40 mm, with its edges on those of cells and its bottom at z. */
static rill_body_def box_at(double density, double z) {
    rill_body_def def = rill_default_body_def();
    def.shape.type = RILL_SHAPE_BOX;
    for (int axis = 0; axis < 3; ++axis) {
        def.shape.max[axis] = axis == 2 ? 0.02 : 6.0 * DX;
        def.shape.min[axis] = -def.shape.max[axis];
    }
    def.density = density;
    def.state.position[0] = def.state.position[1] = 0.5 * SIDE * DX;
    def.state.position[2] = z + 0.02;
    def.state.acceleration[2] = -9.81;
    return def;
}

/* A float that is let go finds the depth at which it displaces what it weighs, and stays there. */
static void settle(double density, double from) {
    rill_world *world = make_tank();
    rill_body_id id;
    rill_body_forces forces;
    rill_body_state state;
    const double draft = 0.04 * density / 998.0;
    rill_body_def def = box_at(density, DEPTH - draft + from);
    must(world, rill_body_create(world, &def, &id));
    double highest = 0.0;
    for (int i = 0; i < 300; ++i) {
        run(world, 1, 1.0 / 60.0);
        must(world, rill_body_get_state(world, id, &state));
        highest = fmax(highest, state.position[2]);
        assert_int_equal(ledger_error(world), 0);
    }
    must_be_valid(world);
    must(world, rill_body_get_forces(world, id, &forces));
    const double found = forces.level - (state.position[2] - 0.02);
    if (!(fabs(found - draft) < 0.04 * draft + 1e-4)) fail_msg("density %g draws %g m, not %g", density, found, draft);
    const double displaced = forces.submerged_volume / (144.0 * DX * DX);
    if (!(fabs(displaced - draft) < 0.04 * draft + 1e-4)) fail_msg("density %g displaces %g m", density, displaced);
    if (!(fabs(state.velocity[2]) < 5e-3)) fail_msg("density %g moves at %g m/s", density, state.velocity[2]);
    if (!(highest < DEPTH + 0.06)) fail_msg("density %g was thrown to %g m", density, highest);
    rill_world_destroy(world);
}

static void test_floats(void **state) {
    (void)state;
    settle(500.0, 0.0);
    settle(500.0, 0.004);
    settle(250.0, -0.004);
    settle(900.0, 0.002);
    settle(100.0, 0.0);
}

/* Under a body that is held the liquid is as high as its underside, and beside it higher by what it has pressed away. */
static void test_held(void **state) {
    (void)state;
    rill_world *world = make_tank();
    rill_body_def def = box_at(500.0, DEPTH - 0.01);
    def.mass = (double)INFINITY;
    def.state.acceleration[2] = 0.0;
    must(world, rill_body_create(world, &def, NULL));
    run(world, 600, 1.0 / 60.0);
    static double depths[CELLS];
    must(world, rill_world_read_field(world, RILL_FIELD_DEPTH, 0, depths, CELLS));
    double beside = 0.0, least = 1.0, most = 0.0;
    for (int i = 0; i < CELLS; ++i) {
        const int x = i % SIDE - SIDE / 2, y = i / SIDE - SIDE / 2;
        if (x >= -6 && x < 6 && y >= -6 && y < 6)
            assert_true(fabs(depths[i] - (DEPTH - 0.01)) < 1e-6);
        else
            beside += depths[i] / (CELLS - 144), least = fmin(least, depths[i]), most = fmax(most, depths[i]);
    }
    assert_true(most - least < 1e-3);
    if (!(beside > DEPTH)) fail_msg("%g m beside it: what it has pressed away is gone", beside);
    assert_int_equal(ledger_error(world), 0);
    rill_world_destroy(world);
}

/* A wave from the west takes a float along to the east. */
static void test_pushed(void **state) {
    (void)state;
    rill_world *world = make_tank();
    rill_body_id id;
    rill_body_state start, end;
    rill_body_def def = box_at(500.0, DEPTH - 0.02);
    must(world, rill_body_create(world, &def, &id));
    static double depths[CELLS];
    must(world, rill_world_read_field(world, RILL_FIELD_DEPTH, 0, depths, CELLS));
    for (int i = 0; i < CELLS; ++i)
        if (i % SIDE < 8) depths[i] += 0.01;
    must(world, rill_world_fill_depths(world, 0, depths, CELLS, NULL));
    must(world, rill_body_get_state(world, id, &start));
    run(world, 15, 1.0 / 60.0);
    must(world, rill_body_get_state(world, id, &end));
    if (!(end.position[0] > start.position[0] + 1e-4)) fail_msg("went %g m", end.position[0] - start.position[0]);
    assert_true(fabs(end.position[1] - start.position[1]) < 1e-9);
    rill_world_destroy(world);
}

/* A body far too light is thrown about: numbers stay numbers, and the ledger is exact. */
static void test_thrown(void **state) {
    (void)state;
    rill_world *world = make_tank();
    const rill_body_def def = box_at(5.0, DEPTH - 0.02);
    must(world, rill_body_create(world, &def, NULL));
    for (int i = 0; i < 200; ++i) {
        run(world, 1, i % 10 ? 1.0 / 60.0 : 0.5);
        assert_int_equal(ledger_error(world), 0);
        must_be_valid(world);
    }
    rill_world_destroy(world);
}

/* A saved world goes on as if nothing had been. */
static void test_go_on(void **state) {
    (void)state;
    rill_world *world = make_tank();
    const rill_body_def def = box_at(300.0, DEPTH + 0.01);
    must(world, rill_body_create(world, &def, NULL));
    run(world, 20, 1.0 / 60.0);
    const saved s = save(world);
    run(world, 20, 1.0 / 60.0);
    rill_world *again = load(s, NULL);
    run(again, 20, 1.0 / 60.0);
    assert_true(rill_world_hash(world) == rill_world_hash(again));
    free(s.bytes);
    rill_world_destroy(world);
    rill_world_destroy(again);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floats), cmocka_unit_test(test_held),  cmocka_unit_test(test_pushed),
        cmocka_unit_test(test_thrown), cmocka_unit_test(test_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
