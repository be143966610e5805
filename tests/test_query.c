/* Questions about a world: points, boxes, solids, fields. The house of worlds.h gives exact answers. */
#include "worlds.h"

#include <math.h>

static const double CELL = 1e-6; /* m2 */

static rill_world *make_filled(void) {
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.002, NULL));
    double depths[200];
    for (int i = 0; i < 200; ++i) depths[i] = 0.001;
    must(world, rill_world_fill_depths(world, 1, depths, 200, NULL));
    return world;
}

static void near(double found, double expected) {
    if (!(fabs(found - expected) <= 1e-8 * (1.0 + fabs(expected)))) fail_msg("%.12g is not %.12g", found, expected);
}

static void test_points(void **state) {
    (void)state;
    rill_world *world = make_filled();
    const double points[] = {
        0.0015, 0.0015, 0.001,  /* in the pool */
        0.0105, 0.0055, 0.001,  /* under the platform */
        0.0105, 0.0055, 0.0055, /* on it */
        0.0105, 0.0055, 0.0045, /* inside it: the first floor below */
        0.0185, 0.0055, 0.1,    /* high above dry floor */
        0.0175, 0.0055, 0.001,  /* inside the wall: nothing below but solid */
        0.5,    0.0055, 0.001,  /* off the grid */
    };
    rill_sample s[7];
    must(world, rill_query_points(world, points, 7, s));
    assert_true(s[0].found && s[0].wet && s[0].layer == 0 && isinf(s[0].ceiling));
    near(s[0].base, 0.0);
    near(s[0].level, 0.002);
    near(s[0].depth, 0.002);
    assert_true(s[1].found && s[1].layer == 0);
    near(s[1].ceiling, 0.004);
    near(s[1].level, 0.002);
    assert_true(s[2].found && s[2].wet && s[2].layer == 1 && isinf(s[2].ceiling));
    near(s[2].base, 0.005);
    near(s[2].level, 0.006);
    assert_true(s[3].found && s[3].layer == 0); /* the first floor below */
    assert_true(s[4].found && !s[4].wet && s[4].depth == 0.0 && s[4].level == s[4].base);
    assert_false(s[5].found);
    assert_false(s[6].found);
    assert_true(s[6].base == 0.0 && s[6].level == 0.0 && s[6].layer == 0);
    must(world, rill_query_points(world, NULL, 0, NULL)); /* none asked, none answered */
    rill_world_destroy(world);
}

static void test_velocity_at_points(void **state) {
    (void)state;
    rill_world *world = make_filled();
    double velocities[400] = { 0.0 };
    velocities[2 * (5 * 20 + 2)] = 0.2;     /* west face of cell (2, 5) */
    velocities[2 * (5 * 20 + 3)] = 0.4;     /* its east face */
    velocities[2 * (6 * 20 + 2) + 1] = 0.1; /* its north face */
    must(world, rill_world_set_velocities(world, 0, velocities, 400));
    rill_sample sample;
    must(world, rill_query_points(world, (double[]){ 0.0025, 0.0055, 0.001 }, 1, &sample));
    near(sample.velocity[0], 0.5 * ((double)0.2f + (double)0.4f));
    near(sample.velocity[1], 0.5 * (double)0.1f);
    rill_world_destroy(world);
}

static double box_volume(rill_world *world, double x0, double y0, double z0, double x1, double y1, double z1) {
    double volume = -1.0;
    must(world, rill_query_box_volume(world, (double[]){ x0, y0, z0 }, (double[]){ x1, y1, z1 }, &volume));
    return volume;
}

static void test_boxes(void **state) {
    (void)state;
    rill_world *world = make_filled();
    const double inf = (double)INFINITY, pool = 170 * CELL * 0.002, deck = 100 * CELL * 0.001;
    rill_ledger ledger;
    must(world, rill_world_get_ledger(world, &ledger));
    const double all = box_volume(world, -inf, -inf, -inf, inf, inf, inf);
    assert_true(all == (double)ledger.columns * ledger.quantum_volume); /* exactly */
    near(1e6 * all, 1e6 * (pool + deck));
    near(1e6 * box_volume(world, -1.0, -1.0, -1.0, 1.0, 1.0, 0.0045), 1e6 * pool);
    near(1e6 * box_volume(world, -1.0, -1.0, 0.0045, 1.0, 1.0, 1.0), 1e6 * deck);
    near(1e6 * box_volume(world, -1.0, -1.0, 0.0005, 1.0, 1.0, 0.0015), 1e6 * pool / 2); /* a slice */
    near(1e6 * box_volume(world, -1.0, -1.0, 0.0055, 1.0, 1.0, 1.0), 1e6 * deck / 2);
    near(1e6 * box_volume(world, 0.0, 0.0, 0.0, 0.002, 0.003, 1.0), 1e6 * 6 * CELL * 0.002);    /* 2 x 3 cells */
    near(1e6 * box_volume(world, 0.0006, 0.0, 0.0, 0.0014, 1.0, 1.0), 0.0);                     /* between centres */
    near(1e6 * box_volume(world, 0.0005, 0.0, 0.0, 0.0005, 1.0, 1.0), 1e6 * 10 * CELL * 0.002); /* on them */
    assert_true(box_volume(world, 5.0, 5.0, 5.0, 6.0, 6.0, 6.0) == 0.0);
    rill_world_destroy(world);
}

static void test_solids(void **state) {
    (void)state;
    rill_world *world = make_filled();
    double floor, platform, wall;
    must(world, rill_query_solid_volume(world, rill_solid_find(world, "floor"), &floor));
    must(world, rill_query_solid_volume(world, rill_solid_find(world, "platform"), &platform));
    must(world, rill_query_solid_volume(world, rill_solid_find(world, "wall"), &wall));
    near(1e6 * floor, 1e6 * 170 * CELL * 0.002);
    near(1e6 * platform, 1e6 * 100 * CELL * 0.001);
    assert_true(wall == 0.0);
    must_refuse(world, rill_query_solid_volume(world, (rill_solid_id){ 0 }, &wall), RILL_INVALID_ID, "null");
    must_refuse(
        world,
        rill_query_solid_volume(world, (rill_solid_id){ rill_solid_find(world, "floor").value + 0x10000 }, &wall),
        RILL_INVALID_ID, "stale");
    rill_world_destroy(world);
}

static void test_fields(void **state) {
    (void)state;
    rill_world *world = make_filled();
    double base[2][200], ceiling[2][200], depth[2][200];
    for (int32_t layer = 0; layer < 2; ++layer) {
        must(world, rill_world_read_field(world, RILL_FIELD_BASE, layer, base[layer], 200));
        must(world, rill_world_read_field(world, RILL_FIELD_CEILING, layer, ceiling[layer], 200));
        must(world, rill_world_read_field(world, RILL_FIELD_DEPTH, layer, depth[layer], 200));
    }
    for (int i = 0; i < 200; ++i) {
        const int x = i % 20;
        const bool under = x >= 5 && x < 15;
        near(base[0][i], x == 17 ? 0.003 : 0.0);
        if (under)
            near(ceiling[0][i], 0.004);
        else
            assert_true(isinf(ceiling[0][i]));
        near(depth[0][i], x < 17 ? 0.002 : 0.0);
        if (under)
            near(base[1][i], 0.005);
        else
            assert_true(isnan(base[1][i]) && isnan(ceiling[1][i]) && isnan(depth[1][i]));
        if (under) assert_true(isinf(ceiling[1][i]));
        if (under) near(depth[1][i], 0.001);
    }
    rill_world_destroy(world);
}

/* Awake is what has just been filled, and nothing any more when it has come to rest. */
static void test_awake(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    double awake[200];
    must(world, rill_world_read_field(world, RILL_FIELD_AWAKE, 0, awake, 200));
    for (int i = 0; i < 200; ++i) assert_true(awake[i] == 0.0);
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.002, NULL));
    for (int turn = 0; turn < 2; ++turn) { /* before and after it is swept for the first time */
        must(world, rill_world_read_field(world, RILL_FIELD_AWAKE, 0, awake, 200));
        for (int i = 0; i < 200; ++i) assert_true(awake[i] == 1.0 || i % 20 > 16);
        must(world, rill_world_read_field(world, RILL_FIELD_AWAKE, 1, awake, 200));
        for (int i = 0; i < 200; ++i)
            assert_true(i % 20 >= 5 && i % 20 < 15 ? awake[i] == 0.0 : isnan(awake[i])); /* dry platform */
        rill_world_step(world, 0.001);
    }
    rill_step_info info = { .awake_columns = 1 };
    for (int turn = 0; turn < 200 && info.awake_columns > 0; ++turn) {
        rill_world_step(world, 0.05);
        must(world, rill_world_get_step_info(world, &info));
    }
    must(world, rill_world_read_field(world, RILL_FIELD_AWAKE, 0, awake, 200));
    for (int i = 0; i < 200; ++i) assert_true(awake[i] == 0.0);
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points), cmocka_unit_test(test_velocity_at_points),
        cmocka_unit_test(test_boxes),  cmocka_unit_test(test_solids),
        cmocka_unit_test(test_fields), cmocka_unit_test(test_awake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
