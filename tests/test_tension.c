/* Surface tension in a world's life: what it asks of memory and when, what happens when there is none, and that it comes and
 * goes with a setting. */
#include "drops.h"

static rill_world *make_slope(test_memory *memory) {
    rill_world_def def = plate_def(96, 48, 5e-4, 60, 30);
    const drop three[] = { { 0.010, 0.0090, 0.002, 2e-8 },
                           { 0.020, 0.0160, 0.004, 5e-8 },
                           { 0.024, 0.0165, 0.001, 1e-8 } };
    def.runtime.allocator = test_allocator(memory);
    def.runtime.tasks.threads = 1;
    tilt(&def, 30);
    rill_world *world = make_plate(&def);
    add_drops(world, &def.grid, 0, three, 3);
    return world;
}

static void steps_ask_for_no_memory(void **state) {
    (void)state;
    test_memory memory = { 0 };
    rill_world *world = make_slope(&memory);
    must(world, rill_world_step(world, 1.0 / 60));
    const long count = memory.count;
    for (int step = 0; step < 60; ++step) must(world, rill_world_step(world, 1.0 / 60));
    assert_int_equal(memory.count, count);
    rill_world_destroy(world);
    assert_int_equal(memory.live, 0);
}

/* The first step asks for memory: without it nothing has happened, and the step can be tried again. */
static void steps_without_memory_are_refused(void **state) {
    (void)state;
    test_memory memory = { 0 };
    uint64_t expected = 0;
    for (long n = 0;; ++n) {
        rill_world *world = make_slope(&memory);
        const uint64_t before = rill_world_hash(world);
        memory.fail_at = n > 0 ? memory.count + n : 0;
        const rill_result result = rill_world_step(world, 1.0 / 60);
        memory.fail_at = 0;
        if (result != RILL_OK) {
            assert_int_equal(result, RILL_OUT_OF_MEMORY);
            assert_true(rill_world_hash(world) == before && rill_world_time(world) == 0.0);
            must_be_valid(world);
            must(world, rill_world_step(world, 1.0 / 60));
        }
        if (n == 0) expected = rill_world_hash(world);
        assert_true(rill_world_hash(world) == expected);
        rill_world_destroy(world);
        assert_int_equal(memory.live, 0);
        if (n > 0 && result == RILL_OK) {
            assert_true(n > 10);
            return;
        }
    }
}

/* Off, a world is one that never had any; on again, it begins anew. */
static void tension_comes_and_goes(void **state) {
    (void)state;
    test_memory memory = { 0 };
    rill_world *world = make_slope(&memory);
    rill_solver solver;
    rill_energy energy;
    must(world, rill_world_get_solver(world, &solver));
    for (int turn = 0; turn < 3; ++turn) {
        solver.tension = RILL_TENSION_ON;
        must(world, rill_world_set_solver(world, &solver));
        for (int step = 0; step < 10; ++step) must(world, rill_world_step(world, 1.0 / 60));
        must(world, rill_world_get_energy(world, &energy));
        assert_true(energy.surface != 0.0);
        const long live = memory.live;
        solver.tension = RILL_TENSION_OFF;
        must(world, rill_world_set_solver(world, &solver));
        for (int step = 0; step < 3; ++step) must(world, rill_world_step(world, 1.0 / 60));
        must(world, rill_world_get_energy(world, &energy));
        assert_true(energy.surface == 0.0 && memory.live < live);
        assert_true(ledger_error(world) == 0);
        must_be_valid(world);
    }
    const saved s = save(world);
    rill_world *again = load(s, NULL);
    assert_true(rill_world_hash(again) == rill_world_hash(world));
    rill_world_destroy(again);
    free(s.bytes);
    rill_world_destroy(world);
    assert_int_equal(memory.live, 0);
}

/* A plate that comes up elsewhere leaves a drop asleep, and what it has wetted wet: the line does not creep back. */
static void wet_floors_outlast_moving_solids(void **state) {
    (void)state;
    enum { N = 48 };
    static double before[N * N], after[N * N];
    const rill_world_def def = plate_def(N, N, 5e-4, 70, 40);
    const drop one = { 0.009, 0.012, 0.004, 1.5e-8 };
    rill_world *world = make_plate(&def);
    add_block(world, "plate", 19, 3, -3, 22, 6, -1);
    must(world, rill_bed_build(world));
    add_drops(world, &def.grid, 0, &one, 1);
    for (int step = 0; step < 600 && (step < 2 || info_of(world).awake_columns > 0); ++step)
        must(world, rill_world_step(world, 1.0 / 60));
    assert_int_equal(info_of(world).awake_columns, 0);
    must(world, rill_world_read_field(world, RILL_FIELD_DEPTH, 0, before, N * N));
    for (int step = 0; step < 90; ++step) {
        const rill_solid_id plate = rill_solid_find(world, "plate");
        must(world, rill_solid_set_pose(world, plate, (double[]){ -1e-4 * step, 0.0, 5e-5 * step }, (double[3]){ 0 }));
        must(world, rill_world_step(world, 1.0 / 60));
    }
    must(world, rill_world_read_field(world, RILL_FIELD_DEPTH, 0, after, N * N));
    for (int i = 0; i < N * N; ++i)
        if (fabs(before[i] - after[i]) > 2e-6) fail_msg("cell %d: %g becomes %g", i, before[i], after[i]);
    assert_true(ledger_error(world) == 0);
    rill_world_destroy(world);
}

/* A bed of more layers has more places: what tension keeps of them goes along before anybody looks at it, and a snapshot
 * taken then goes on with the same bits. */
static void a_bed_of_more_layers_has_its_tension(void **state) {
    (void)state;
    const rill_world_def def = plate_def(48, 48, 5e-4, 70, 40);
    const drop one = { 0.009, 0.012, 0.004, 1.5e-8 };
    rill_world *world = make_plate(&def), *copy = NULL;
    rill_energy energy;
    add_drops(world, &def.grid, 0, &one, 1);
    must(world, rill_world_step(world, 1.0 / 60));
    add_block(world, "shelf", 2, 2, 6, 22, 22, 7);
    must(world, rill_bed_build(world));
    must(world, rill_world_get_energy(world, &energy));
    assert_true(isfinite(energy.surface) && energy.surface != 0.0);
    size_t size = rill_snapshot_size(world);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    must(world, rill_snapshot_save(world, bytes, size, &size));
    assert_int_equal(rill_snapshot_load(bytes, size, NULL, &copy, NULL), RILL_OK);
    for (int step = 0; step < 5; ++step) {
        assert_true(rill_world_hash(world) == rill_world_hash(copy));
        must(world, rill_world_step(world, 1.0 / 60));
        must(copy, rill_world_step(copy, 1.0 / 60));
    }
    free(bytes);
    rill_world_destroy(copy);
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit_test_alone(steps_ask_for_no_memory),
        unit_test_alone(steps_without_memory_are_refused),
        cmocka_unit_test(tension_comes_and_goes),
        unit_test_alone(wet_floors_outlast_moving_solids),
        cmocka_unit_test(a_bed_of_more_layers_has_its_tension),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
