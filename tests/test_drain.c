/* Worlds that are emptied: nothing is left and nothing is lost, what stays stays, and everything goes on. */
#include "snapshots.h"

#include <math.h>

static rill_ledger ledger_of(const rill_world *world) {
    rill_ledger ledger;
    assert_int_equal(rill_world_get_ledger(world, &ledger), RILL_OK);
    assert_int_equal(ledger.error, 0);
    return ledger;
}

static int64_t emptied(const rill_world *world) {
    for (int32_t i = 0; i < rill_world_account_count(world); ++i) {
        rill_account account;
        assert_int_equal(rill_world_get_account(world, i, &account), RILL_OK);
        if (strcmp(account.name, "emptied") != 0) continue;
        assert_int_equal(account.poured, 0);
        return account.drained;
    }
    fail_msg("nothing is booked as emptied");
    return 0;
}

static void check_still(const rill_world *world, bool dry) {
    rill_bed_info info;
    assert_int_equal(rill_bed_get_info(world, &info), RILL_OK);
    const size_t cells = (size_t)info.cells[0] * (size_t)info.cells[1];
    double *faces = calloc(2 * cells, sizeof *faces);
    for (int32_t layer = 0; layer < info.layers; ++layer) {
        assert_int_equal(rill_world_read_field(world, RILL_FIELD_FACES, layer, faces, 2 * cells), RILL_OK);
        for (size_t i = 0; i < 2 * cells; ++i) assert_false(faces[i] != 0.0 && faces[i] == faces[i]);
        assert_int_equal(rill_world_read_field(world, RILL_FIELD_DEPTH, layer, faces, cells), RILL_OK);
        for (size_t i = 0; i < cells && dry; ++i) assert_false(faces[i] != 0.0 && faces[i] == faces[i]);
    }
    free(faces);
}

/* Edges, sources, a boat that is poured on, liquid under a roof and a roof that moves in it. */
static rill_world *crowded_house(const rill_runtime *runtime) {
    rill_world_def def = house_def();
    if (runtime) def.runtime = *runtime;
    def.edges[RILL_EAST].kind = RILL_EDGE_OPEN;
    def.edges[RILL_NORTH] = (rill_edge){ .kind = RILL_EDGE_STILL, .level = 0.0015 };
    rill_world *world = make_house(&def);
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.0045, NULL));
    rill_body_def boat = rill_default_body_def();
    boat.shape.type = RILL_SHAPE_BOX;
    boat.name = "boat";
    memcpy(boat.shape.min, (double[]){ -0.002, -0.003, -0.001 }, sizeof boat.shape.min);
    memcpy(boat.shape.max, (double[]){ 0.002, 0.003, 0.001 }, sizeof boat.shape.max);
    memcpy(boat.state.position, (double[]){ 0.0025, 0.005, 0.005 }, sizeof boat.state.position);
    boat.mass = (double)INFINITY;
    must(world, rill_body_create(world, &boat, NULL));
    const rill_source_def tap = point_source("tap", 0.0025, 0.005, 0.008, 1e-6);
    must(world, rill_source_create(world, &tap, NULL));
    return world;
}

static void go_on(rill_world *world, int steps) {
    for (int i = 0; i < steps; ++i) {
        const double height = 0.00015 * (double)(i % 4);
        must(world, rill_solid_set_pose(world, rill_solid_find(world, "platform"), (double[]){ 0.0, 0.0, -height },
                                        (double[]){ 0.0, 0.0, 0.0 }));
        must(world, rill_world_step(world, 0.004));
        assert_int_equal(ledger_error(world), 0);
    }
}

static void test_nothing_is_left(void **state) {
    (void)state;
    rill_world *world = crowded_house(NULL);
    go_on(world, 10);
    must(world, rill_solid_set_pose(world, rill_solid_find(world, "wall"), (double[]){ -0.001, 0.0, 0.0 },
                                    (double[]){ 0.0, 0.0, 0.0 }));
    must(world, rill_bed_build(world));
    rill_body_forces forces;
    rill_body_state before, after;
    const rill_body_id boat = rill_body_find(world, "boat");
    must(world, rill_body_get_forces(world, boat, &forces));
    must(world, rill_body_get_state(world, boat, &before));
    const rill_ledger full = ledger_of(world);
    assert_true(full.columns > 0 && full.in_transit > 0 && forces.deck_volume > 0.0);
    must(world, rill_world_drain(world));
    must_be_valid(world);
    const rill_ledger empty = ledger_of(world);
    assert_int_equal(empty.columns, 0);
    assert_int_equal(empty.in_transit, 0);
    assert_int_equal(emptied(world), full.columns + full.in_transit);
    check_still(world, true);
    must(world, rill_body_get_state(world, boat, &after));
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_equal(rill_world_solid_count(world), 3);
    must(world, rill_world_drain(world)); /* once more takes nothing */
    assert_int_equal(emptied(world), full.columns + full.in_transit);
    go_on(world, 10);
    must_be_valid(world);
    assert_true(ledger_of(world).columns > 0); /* from the tap and from the north */
    rill_world_destroy(world);
}

/* Without sources and reservoirs it is as when the bed was built. */
static void test_as_built(void **state) {
    (void)state;
    for (int kandemir = 0; kandemir < 2; ++kandemir) {
        rill_world_def def = house_def();
        if (kandemir) def.solver.method = RILL_METHOD_KANDEMIR;
        rill_world *world = NULL;
        assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
        const rill_solid_def floor = box_def("floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
        must(world, kandemir ? rill_solid_create(world, &floor, NULL) : add_house_solids(world));
        must_refuse(world, rill_world_drain(world), RILL_INVALID_STATE, "rill_world_drain");
        must(world, rill_bed_build(world));
        const uint64_t built = rill_world_hash(world);
        must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.0045, NULL));
        double velocities[2 * 20 * 10];
        for (size_t i = 0; i < 400; ++i) velocities[i] = 0.1;
        must(world, rill_world_set_velocities(world, 0, velocities, 400));
        assert_int_not_equal(rill_world_hash(world), built);
        must(world, rill_world_drain(world));
        assert_int_equal(rill_world_hash(world), built);
        if (!kandemir) {
            must(world, rill_world_step(world, 0.1));
            rill_step_info info;
            must(world, rill_world_get_step_info(world, &info));
            assert_int_equal(info.awake_columns, 0);
        }
        rill_world_destroy(world);
    }
    assert_int_equal(rill_world_drain(NULL), RILL_INVALID_ARGUMENT);
}

/* Nothing remembers what has been there: neither velocities nor pressures, nor what surface tension knows to be wet. */
static void test_as_never_filled(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; ++kind) {
        rill_world_def def = house_def();
        def.solver.method = kind == 2 ? RILL_METHOD_WAVES : kind == 3 ? RILL_METHOD_KANDEMIR : RILL_METHOD_PIPES;
        def.solver.tension = kind == 1 || kind == 2 ? RILL_TENSION_ON : RILL_TENSION_OFF;
        def.liquid.drying = 1.0;
        rill_world *worlds[2];
        for (int i = 0; i < 2; ++i) {
            assert_int_equal(rill_world_create(&def, &worlds[i], NULL), RILL_OK);
            const rill_solid_def floor = box_def("floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
            must(worlds[i], kind > 1 ? rill_solid_create(worlds[i], &floor, NULL) : add_house_solids(worlds[i]));
            must(worlds[i], rill_bed_build(worlds[i]));
        }
        double depths[200];
        for (int i = 0; i < 200; ++i) depths[i] = i % 20 < 7 ? 0.003 : 0.0;
        must(worlds[0], rill_world_fill_depths(worlds[0], 0, depths, 200, NULL));
        for (int k = 0; k < 40; ++k) {
            if (k == 30) must(worlds[0], rill_world_drain(worlds[0]));
            for (int i = 0; i < 2; ++i) {
                rill_step_info info;
                must(worlds[i], rill_world_step(worlds[i], 1e-4));
                must(worlds[i], rill_world_get_step_info(worlds[i], &info));
                assert_int_equal(info.substeps, 1); /* they are counted, and part of the hash */
            }
            assert_int_equal(rill_world_hash(worlds[0]) == rill_world_hash(worlds[1]), k >= 30);
        }
        for (int i = 0; i < 2; ++i) rill_world_destroy(worlds[i]);
    }
}

/* Diagonal flows of that method would come out of nothing. */
static void test_kandemir_stops(void **state) {
    (void)state;
    rill_world_def def = house_def();
    def.solver.method = RILL_METHOD_KANDEMIR;
    rill_world *world = NULL;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    const rill_solid_def floor = box_def("floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
    must(world, rill_solid_create(world, &floor, NULL));
    must(world, rill_bed_build(world));
    double depths[200] = { 0.0 };
    depths[0] = 0.005;
    must(world, rill_world_fill_depths(world, 0, depths, 200, NULL));
    run(world, 10, 0.002);
    must(world, rill_world_drain(world));
    for (int i = 0; i < 200; ++i) depths[i] = 0.002;
    must(world, rill_world_fill_depths(world, 0, depths, 200, NULL));
    run(world, 10, 0.002);
    check_still(world, false);
    rill_world_destroy(world);
}

/* Without memory for its account nothing leaves; later drains go on in it. */
static void test_memory_refused(void **state) {
    (void)state;
    test_memory memory = { 0 };
    rill_runtime runtime = rill_default_world_def().runtime;
    runtime.allocator = test_allocator(&memory);
    rill_world *world = crowded_house(&runtime);
    go_on(world, 3);
    const uint64_t hash = rill_world_hash(world);
    const int32_t accounts = rill_world_account_count(world);
    memory.fail_at = memory.count + 1;
    must_refuse(world, rill_world_drain(world), RILL_OUT_OF_MEMORY, "emptied");
    memory.fail_at = 0;
    assert_int_equal(rill_world_hash(world), hash);
    for (int i = 0; i < 3; ++i) {
        must(world, rill_world_drain(world));
        go_on(world, 2);
        assert_int_equal(rill_world_account_count(world), accounts + 1);
    }
    rill_world_destroy(world);
    assert_int_equal(memory.live, 0);
}

static void test_same_bits(void **state) {
    (void)state;
    rill_runtime runtimes[3];
    for (int i = 0; i < 3; ++i) runtimes[i] = rill_default_world_def().runtime;
    runtimes[1].tasks.threads = 3;
    runtimes[2].scalar = true;
    uint64_t hashes[3];
    for (int i = 0; i < 3; ++i) {
        rill_world *world = crowded_house(&runtimes[i]);
        go_on(world, 6);
        must(world, rill_world_drain(world));
        go_on(world, 2);
        must(world, rill_bed_build(world));
        must(world, rill_world_drain(world));
        const saved s = save(world);
        rill_world *loaded = load(s, NULL);
        must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.003, NULL));
        must(loaded, rill_world_fill_level(loaded, (double[]){ 0.001, 0.001, 0.0 }, 0.003, NULL));
        go_on(world, 5);
        go_on(loaded, 5);
        hashes[i] = rill_world_hash(world);
        assert_int_equal(rill_world_hash(loaded), hashes[i]);
        assert_int_equal(emptied(loaded), emptied(world));
        rill_world_destroy(world);
        rill_world_destroy(loaded);
        free(s.bytes);
    }
    assert_int_equal(hashes[0], hashes[1]);
    assert_int_equal(hashes[0], hashes[2]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_left), cmocka_unit_test(test_as_built),
        cmocka_unit_test(test_as_never_filled), cmocka_unit_test(test_kandemir_stops),
        cmocka_unit_test(test_memory_refused),  cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
