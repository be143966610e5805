/* Results do not depend on how long a step is asked for: edges, sleeping pools, tilted films, brinks. Each case once
 * went wrong with long steps. */
#include "worlds.h"

#include <math.h>

enum { NX = 100, NY = 8 };

static void add(rill_world *world, const rill_solid_def *def) {
    rill_solid_id id;
    must(world, rill_solid_create(world, def, &id));
}

/* A channel of 100 x 8 cells of 1 mm. */
static rill_world *channel(const rill_world_def *def) {
    rill_world *world;
    rill_message message = { "" };
    if (rill_world_create(def, &world, &message) != RILL_OK) fail_msg("%s", message.text);
    rill_solid_def floor = box_def("floor", -1, -1, -0.01, 1, 1, 0);
    add(world, &floor);
    must(world, rill_bed_build(world));
    return world;
}

static rill_world_def channel_def(void) {
    rill_world_def def = plain_world_def();
    def.grid.cells[0] = NX;
    def.grid.cells[1] = NY;
    def.grid.cell_size = 0.001;
    def.solver.max_substeps = 100000;
    return def;
}

static rill_sample sample(const rill_world *world, double x, double z) {
    rill_sample here;
    const double at[3] = { x, 0.0045, z };
    assert_int_equal(rill_query_points(world, at, 1, &here), RILL_OK);
    return here;
}

static void run(rill_world *world, double seconds, double dt) {
    for (int i = 0; i < (int)lrint(seconds / dt); ++i) rill_world_step(world, dt);
    must_be_valid(world);
    assert_true(ledger_error(world) == 0);
}

/* Between two reservoirs the level beside each is its own, whatever the step. */
static void still_edges_hold_their_level(void **state) {
    (void)state;
    double speed[2];
    for (int k = 0; k < 2; ++k) {
        rill_world_def def = channel_def();
        def.edges[RILL_WEST] = (rill_edge){ RILL_EDGE_STILL, 0.010 };
        def.edges[RILL_EAST] = (rill_edge){ RILL_EDGE_STILL, 0.008 };
        rill_world *world = channel(&def);
        must(world, rill_world_fill_level(world, (double[]){ 0.05, 0.004, 0.001 }, 0.009, NULL));
        run(world, 4.0, k ? 0.0005 : 0.5);
        speed[k] = sample(world, 0.0505, 0.001).velocity[0];
        assert_true(fabs(sample(world, 0.0995, 0.001).level - 0.008) < 2e-5);
        rill_world_destroy(world);
    }
    assert_true(speed[0] > 0.1 && fabs(speed[0] - speed[1]) < 0.01 * speed[1]);
}

/* A reservoir beside a dry floor pours in from the first step on. */
static void still_edge_floods_a_dry_floor(void **state) {
    (void)state;
    double volume[2];
    for (int k = 0; k < 2; ++k) {
        rill_world_def def = channel_def();
        def.edges[RILL_WEST] = (rill_edge){ RILL_EDGE_STILL, 0.020 };
        rill_world *world = channel(&def);
        run(world, 0.1, k ? 0.001 : 0.1);
        rill_ledger ledger;
        rill_world_get_ledger(world, &ledger);
        volume[k] = (double)ledger.columns * ledger.quantum_volume;
        rill_world_destroy(world);
    }
    assert_true(volume[1] > 0 && fabs(volume[0] - volume[1]) < 0.02 * volume[1]);
}

/* A sink in a deep pool that sleeps wakes it gently, even in one long step. */
static void sink_wakes_a_deep_pool(void **state) {
    (void)state;
    rill_world_def def = channel_def();
    rill_world *world = channel(&def);
    must(world, rill_world_fill_level(world, (double[]){ 0.05, 0.004, 0.001 }, 0.020, NULL));
    run(world, 2.0, 0.1);
    rill_step_info info;
    rill_world_get_step_info(world, &info);
    assert_true(info.awake_columns == 0);
    rill_source_def drain = point_source("drain", 0.05, 0.004, 0.01, 2e-8);
    drain.sink = true;
    rill_source_id id;
    must(world, rill_source_create(world, &drain, &id));
    run(world, 0.5, 0.5);
    rill_world_get_step_info(world, &info);
    assert_true(info.substeps > 100 && info.max_speed < 0.01);
    assert_true(fabs(sample(world, 0.0505, 0.01).depth - 0.020) < 1e-4);
    rill_world_destroy(world);
}

/* A patch of film under tilted gravity has moved as far in one long step as in many short ones. */
static void tilted_film_moves_the_same(void **state) {
    (void)state;
    double centre[2];
    for (int k = 0; k < 2; ++k) {
        rill_world_def def = channel_def();
        def.gravity[0] = 9.81 * 0.866;
        def.gravity[2] = -9.81 * 0.5;
        rill_world *world = channel(&def);
        static double depths[NX * NY];
        for (int i = 0; i < NX * NY; ++i) depths[i] = i % NX >= 10 && i % NX < 40 ? 0.0005 : 0;
        must(world, rill_world_fill_depths(world, 0, depths, NX * NY, NULL));
        run(world, 0.1, k ? 0.0005 : 0.1);
        must(world, rill_world_read_field(world, RILL_FIELD_DEPTH, 0, depths, NX * NY));
        double sum = 0, moment = 0;
        for (int i = 0; i < NX * NY; ++i) {
            sum += depths[i];
            moment += depths[i] * (i % NX);
        }
        centre[k] = moment / sum - 24.5;
        rill_world_destroy(world);
    }
    assert_true(centre[1] > 20 && fabs(centre[0] - centre[1]) < 0.05 * centre[1]);
}

/* A fast film leaves an overhanging edge as thin as it came: the pipe over the brink is sparse. */
static void film_does_not_pile_up_at_a_brink(void **state) {
    (void)state;
    rill_world_def def = channel_def();
    def.gravity[0] = 9.81 * 0.5;
    def.gravity[2] = -9.81 * 0.866;
    def.edges[RILL_EAST].kind = RILL_EDGE_OPEN;
    rill_world *world;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    rill_solid_def floor = box_def("floor", -1, -1, -0.01, 1, 1, 0);
    rill_solid_def platform = box_def("platform", -1, -1, 0.020, 0.05, 1, 0.021);
    add(world, &floor);
    add(world, &platform);
    must(world, rill_bed_build(world));
    rill_source_def spring = rill_default_source_def();
    spring.shape = RILL_SOURCE_BOX;
    memcpy(spring.min, (double[]){ 0, 0, 0.021 }, sizeof spring.min);
    memcpy(spring.max, (double[]){ 0.002, 1, 0.022 }, sizeof spring.max);
    spring.rate = 2e-4 * NY * 0.001;
    rill_source_id id;
    must(world, rill_source_create(world, &spring, &id));
    run(world, 3.0, 1.0 / 60.0);
    double film = sample(world, 0.0405, 0.0215).depth, brink = sample(world, 0.0495, 0.0215).depth;
    assert_true(film > 3e-4 && film < 7e-4);
    assert_true(brink > 0.5 * film && brink < 1.2 * film);
    rill_world_destroy(world);
}

/* Velocities that were set count for the first time step the same way seen from either side. */
static void mirrored_velocities_give_mirrored_bits(void **state) {
    (void)state;
    enum { N = 24 };
    static double depth[2][N * N];
    for (int k = 0; k < 2; ++k) {
        rill_world_def def = channel_def();
        def.grid.cells[0] = def.grid.cells[1] = N;
        rill_world *world = channel(&def);
        must(world, rill_world_fill_level(world, (double[]){ 0.01, 0.01, 0.001 }, 0.004, NULL));
        static double faces[2 * N * N];
        for (int y = 0; y < N; ++y)
            for (int x = 0; x < N; ++x) {
                int face = k ? N - x : x; /* the west face of x is the east face of N - 1 - x */
                bool inner = face > 0 && face < N;
                faces[2 * (y * N + x)] = inner ? (k ? -1 : 1) * 0.3 * sin(0.7 * face + y) : 0;
                faces[2 * (y * N + x) + 1] = 0;
            }
        must(world, rill_world_set_velocities(world, 0, faces, 2 * N * N));
        run(world, 0.2, 0.02);
        must(world, rill_world_read_field(world, RILL_FIELD_DEPTH, 0, depth[k], N * N));
        rill_world_destroy(world);
    }
    for (int y = 0; y < N; ++y)
        for (int x = 0; x < N; ++x) assert_true(depth[0][y * N + x] == depth[1][y * N + N - 1 - x]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(still_edges_hold_their_level),     cmocka_unit_test(still_edge_floods_a_dry_floor),
        cmocka_unit_test(sink_wakes_a_deep_pool),           cmocka_unit_test(tilted_film_moves_the_same),
        cmocka_unit_test(film_does_not_pile_up_at_a_brink), cmocka_unit_test(mirrored_velocities_give_mirrored_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
