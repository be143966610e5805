/* Surface tension gives the same bits whatever computes it: any number of threads, any kernels, idle tiles skipped or
 * swept, from the start or from a snapshot. */
#include "drops.h"

static rill_runtime runtime_of(int32_t threads, bool scalar) {
    rill_runtime runtime = rill_default_world_def().runtime;
    runtime.tasks.threads = threads;
    runtime.scalar = scalar;
    return runtime;
}

/* ---------------------------------------------------------------------------------------------------------- threads */

enum { RUNTIMES = 3 };

static void make_runtimes(rill_runtime out[RUNTIMES]) {
    out[0] = runtime_of(1, false);
    out[1] = runtime_of(3, false);
    out[2] = runtime_of(1, true);
}

static void workshop_knows_no_runtime(void **state) {
    (void)state;
    enum { STEPS = ALONE_PART > 1 ? 24 : 60 };
    rill_runtime runtimes[RUNTIMES];
    rill_world *worlds[RUNTIMES];
    make_runtimes(runtimes);
    for (int k = 0; k < RUNTIMES; ++k) {
        rill_world_def def = workshop_def();
        def.runtime = runtimes[k];
        worlds[k] = make_workshop(&def);
    }
    for (int i = 0; i < STEPS; ++i)
        for (int k = 0; k < RUNTIMES; ++k) {
            work(worlds[k], i);
            if (rill_world_hash(worlds[k]) != rill_world_hash(worlds[0])) fail_msg("runtime %d, step %d", k, i);
        }
    const rill_step_info info = info_of(worlds[0]);
    assert_true(info.max_speed > 0.01 && info.awake_columns > 1000); /* mid-motion */
    assert_true(ledger_error(worlds[0]) == 0);
    must_be_valid(worlds[0]);
    for (int k = 0; k < RUNTIMES; ++k) rill_world_destroy(worlds[k]);
}

/* A pool wide enough for every pass of the solve to be shared. */
static void wide_pool_knows_no_runtime(void **state) {
    (void)state;
    enum { NX = 256, NY = 200, STEPS = ALONE_PART > 1 ? 2 : 8 };
    rill_runtime runtimes[RUNTIMES];
    uint64_t hashes[RUNTIMES][STEPS];
    make_runtimes(runtimes);
    double *depths = malloc(NX * NY * sizeof *depths);
    assert_non_null(depths);
    for (int i = 0; i < NX * NY; ++i) depths[i] = i * 37 % 101 < 3 ? 0.0 : 1e-3 + 4e-6 * (i * 29 % 83);
    for (int k = 0; k < RUNTIMES; ++k) {
        rill_world_def def = plate_def(NX, NY, 5e-4, 80, 20);
        def.runtime = runtimes[k];
        rill_world *world = make_plate(&def);
        must(world, rill_world_fill_depths(world, 0, depths, NX * NY, NULL));
        for (int i = 0; i < STEPS; ++i) {
            must(world, rill_world_step(world, 1.0 / 240));
            hashes[k][i] = rill_world_hash(world);
        }
        assert_true(info_of(world).max_speed > 1e-3 && ledger_error(world) == 0);
        rill_world_destroy(world);
    }
    for (int k = 1; k < RUNTIMES; ++k) assert_memory_equal(hashes[k], hashes[0], sizeof hashes[0]);
    free(depths);
}

/* -------------------------------------------------------------------------------------------------------- snapshots */

/* Saved in mid-motion at several steps, and gone on from in worlds of other runtimes and in the one that was saved. */
static void snapshots_go_on(void **state) {
    (void)state;
    enum { STEPS = 40, BEYOND = 14 };
    const rill_world_def def = workshop_def();
    rill_world *world = make_workshop(&def);
    saved saves[STEPS];
    uint64_t hashes[STEPS + 1];
    for (int i = 0; i < STEPS; ++i) {
        hashes[i] = rill_world_hash(world);
        saves[i] = save(world);
        work(world, i);
    }
    hashes[STEPS] = rill_world_hash(world);
    for (int i = 0; i < STEPS; i += 13 * NEXT_CASE) {
        const rill_runtime runtime = runtime_of(i % 2 ? 3 : 1, i % 3 == 0);
        rill_world *again = load(saves[i], &runtime);
        must(world, rill_snapshot_restore(world, saves[i].bytes, saves[i].size));
        for (int k = i; k < STEPS && k < i + BEYOND; ++k) {
            if (rill_world_hash(again) != hashes[k]) fail_msg("loaded at step %d, differs at %d", i, k);
            if (rill_world_hash(world) != hashes[k]) fail_msg("restored at step %d, differs at %d", i, k);
            work(again, k);
            work(world, k);
        }
        rill_world_destroy(again);
    }
    for (int i = 0; i < STEPS; ++i) free(saves[i].bytes);
    rill_world_destroy(world);
}

/* ------------------------------------------------------------------------------------------------------------ tiles */

/* Compares depths and velocities of two worlds, to the bit. */
static void must_look_the_same(const rill_world *a, const rill_world *b, int step) {
    rill_bed_info info;
    assert_int_equal(rill_bed_get_info(a, &info), RILL_OK);
    const size_t cells = cells_of(a);
    double *values = malloc(4 * cells * sizeof *values);
    assert_non_null(values);
    for (int32_t layer = 0; layer < info.layers; ++layer)
        for (int k = 0; k < 2; ++k) {
            const rill_field field = k ? RILL_FIELD_FACES : RILL_FIELD_DEPTH;
            const size_t count = k ? 2 * cells : cells;
            assert_int_equal(rill_world_read_field(a, field, layer, values, count), RILL_OK);
            assert_int_equal(rill_world_read_field(b, field, layer, values + count, count), RILL_OK);
            for (size_t i = 0; i < count; ++i)
                if (values[i] != values[count + i] && values[i] == values[i])
                    fail_msg("step %d, layer %d, %s %zu: %.9g and %.9g", step, (int)layer, k ? "face" : "cell", i,
                             values[i], values[count + i]);
        }
    free(values);
}

/* Runs two worlds that differ in the skipping of idle tiles alone. */
static void compare_skipping(rill_world *worlds[2], int steps, void (*go)(rill_world *world, int step)) {
    for (int k = 0; k < 2; ++k) {
        rill_solver solver;
        must(worlds[k], rill_world_get_solver(worlds[k], &solver));
        solver.skip_idle = k == 0;
        solver.rest = false;
        must(worlds[k], rill_world_set_solver(worlds[k], &solver));
    }
    for (int i = 0; i < steps; ++i) {
        for (int k = 0; k < 2; ++k) go(worlds[k], i);
        must_look_the_same(worlds[0], worlds[1], i);
    }
    for (int k = 0; k < 2; ++k) rill_world_destroy(worlds[k]);
}

static void slide(rill_world *world, int step) {
    (void)step;
    must(world, rill_world_step(world, 1.0 / 120));
}

static rill_world *make_slide(const drop *drops, size_t count, double degrees, double advancing, double receding) {
    rill_world_def def = plate_def(128, 64, 5e-4, advancing, receding);
    tilt(&def, degrees);
    def.gravity[1] = 0.5;
    rill_world *world = make_plate(&def);
    add_drops(world, &def.grid, 0, drops, count);
    return world;
}

static void sliding_drop_knows_no_tiles(void **state) {
    (void)state;
    const drop one = { 0.012, 0.0147, 0.0042, 5e-8 };
    rill_world *worlds[2];
    for (int k = 0; k < 2; ++k) worlds[k] = make_slide(&one, 1, 40, 55, 45);
    compare_skipping(worlds, ALONE_PART > 1 ? 12 : 60, slide);
}

static void splashes_know_no_tiles(void **state) {
    (void)state;
    const drop three[] = { { 0.010, 0.0090, 0.0012, 2e-8 },
                           { 0.020, 0.0160, 0.0040, 5e-8 },
                           { 0.024, 0.0165, 0.0011, 1e-8 } };
    rill_world *worlds[2];
    for (int k = 0; k < 2; ++k) worlds[k] = make_slide(three, 3, 15, 50, 20);
    compare_skipping(worlds, ALONE_PART > 1 ? 12 : 60, slide);
}

static void workshop_knows_no_tiles(void **state) {
    (void)state;
    const rill_world_def def = workshop_def();
    rill_world *worlds[2];
    for (int k = 0; k < 2; ++k) worlds[k] = make_workshop(&def);
    compare_skipping(worlds, ALONE_PART > 1 ? 12 : 48, work);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit_test_threads(workshop_knows_no_runtime),
        cmocka_unit_test(wide_pool_knows_no_runtime),
        unit_test_alone(snapshots_go_on),
        unit_test_alone(sliding_drop_knows_no_tiles),
        unit_test_alone(splashes_know_no_tiles),
        unit_test_long(workshop_knows_no_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
