/* Snapshots: resuming gives the same bits, wherever and however it is resumed; damage is refused, forgery never
 * crashes. Those with bodies are in test_snapshot_bodies.c. */
#include "snapshots.h"

/* -------------------------------------------------------------------------------------------------------- resuming */

static void test_resume(void **state) {
    (void)state;
    rill_world *world = make_busy_house(NULL);
    run(world, 50, 0.004);
    const saved first = save(world);
    const uint64_t middle = rill_world_hash(world);
    run(world, 50, 0.004);
    const uint64_t end = rill_world_hash(world);
    assert_true(end != middle);
    for (int32_t threads = 1; threads <= 4; threads += threads) {
        for (int scalar = 0; scalar < 2; ++scalar) {
            rill_runtime runtime = rill_default_world_def().runtime;
            runtime.tasks.threads = threads;
            runtime.scalar = scalar;
            rill_world *again = load(first, &runtime);
            assert_true(rill_world_hash(again) == middle);
            assert_true(rill_world_time(again) > 0.19);
            run(again, 50, 0.004);
            assert_true(rill_world_hash(again) == end);
            assert_int_equal(ledger_error(again), 0);
            rill_world_destroy(again);
        }
    }
    free(first.bytes);
    rill_world_destroy(world);
}

/* Large enough for the work to be shared: saved by one thread, resumed by four, and the other way round. */
static void test_resume_shared(void **state) {
    (void)state;
    enum { SIDE = 200, CELLS = SIDE * SIDE };
    rill_world_def def = plain_world_def();
    def.grid.cells[0] = def.grid.cells[1] = SIDE;
    def.headroom = 0.02;
    def.runtime.tasks.threads = 4;
    rill_world *world = NULL;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    const rill_solid_def floor = box_def("floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
    const rill_solid_def slab = box_def("slab", 0.05, 0.05, 0.004, 0.1, 0.12, 0.006);
    rill_solid_id id;
    must(world, rill_solid_create(world, &floor, &id));
    must(world, rill_solid_create(world, &slab, &id));
    must(world, rill_bed_build(world));
    double *depths = malloc(CELLS * sizeof *depths);
    for (int i = 0; i < CELLS; ++i) depths[i] = 0.002 + 0.004 * ((i % SIDE) / 40 % 2) + 1e-5 * (i * 7919 % 101);
    must(world, rill_world_fill_depths(world, 0, depths, CELLS, NULL));
    free(depths);
    run(world, 10, 0.005);
    const saved first = save(world);
    run(world, 10, 0.005);
    rill_world *alone = load(first, NULL);
    run(alone, 10, 0.005);
    assert_true(rill_world_hash(alone) == rill_world_hash(world));
    assert_int_equal(ledger_error(alone), 0);
    must_be_valid(world);
    free(first.bytes);
    rill_world_destroy(alone);
    rill_world_destroy(world);
}

/* Saved after each of many single sub-steps: whatever phase tiles, sources and dither are in. */
static void test_resume_anywhere(void **state) {
    (void)state;
    enum { SAVES = 24, BEYOND = 24 };
    rill_world *world = make_busy_house(NULL);
    saved saves[SAVES];
    uint64_t hashes[SAVES + BEYOND];
    for (int i = 0; i < SAVES + BEYOND; ++i) {
        if (i < SAVES) saves[i] = save(world);
        hashes[i] = rill_world_hash(world);
        if (i == 10) must(world, rill_world_fill_level(world, (double[]){ 0.019, 0.001, 0.0 }, 0.001, NULL));
        run(world, 1, 1e-3);
    }
    for (int i = 0; i < SAVES; ++i) {
        rill_world *again = load(saves[i], NULL);
        for (int k = i; k < i + BEYOND; ++k) {
            if (rill_world_hash(again) != hashes[k]) fail_msg("saved after step %d, differs after step %d", i, k);
            if (k == 10) must(again, rill_world_fill_level(again, (double[]){ 0.019, 0.001, 0.0 }, 0.001, NULL));
            run(again, 1, 1e-3);
        }
        rill_world_destroy(again);
        free(saves[i].bytes);
    }
    rill_world_destroy(world);
}

/* A pool that has gone to sleep stays asleep, and one that is put to rest later does so at the same sub-step. */
static void test_resume_asleep(void **state) {
    (void)state;
    rill_world_def def = house_def();
    rill_liquid_preset("glycerol", &def.liquid);
    rill_world *world = make_house(&def);
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.002, NULL));
    run(world, 200, 0.005);
    rill_step_info info;
    must(world, rill_world_get_step_info(world, &info));
    assert_int_equal(info.awake_columns, 0);
    const saved first = save(world);
    rill_world *again = load(first, NULL);
    run(world, 20, 0.005);
    run(again, 20, 0.005);
    must(again, rill_world_get_step_info(again, &info));
    assert_int_equal(info.awake_columns, 0);
    assert_true(rill_world_hash(again) == rill_world_hash(world));
    must(world, rill_world_set_gravity(world, (double[]){ 1.0, 0.0, -9.81 }));
    must(again, rill_world_set_gravity(again, (double[]){ 1.0, 0.0, -9.81 }));
    run(world, 20, 0.005);
    run(again, 20, 0.005);
    must(again, rill_world_get_step_info(again, &info));
    assert_true(info.awake_columns > 0);
    assert_true(rill_world_hash(again) == rill_world_hash(world));
    free(first.bytes);
    rill_world_destroy(again);
    rill_world_destroy(world);
}

static void test_restore(void **state) {
    (void)state;
    rill_runtime runtime = rill_default_world_def().runtime;
    test_memory memory = { 0 };
    runtime.allocator = test_allocator(&memory);
    runtime.tasks.threads = 2;
    rill_world *world = make_busy_house(&runtime);
    run(world, 20, 0.004);
    const saved first = save(world);
    const uint64_t middle = rill_world_hash(world);
    const rill_source_id well = rill_source_find(world, "well");
    run(world, 20, 0.004);
    const uint64_t end = rill_world_hash(world);
    must(world, rill_source_destroy(world, well));
    must(world, rill_world_set_gravity(world, (double[]){ 2.0, 0.0, -9.0 }));
    for (int i = 0; i < 3; ++i) {
        must(world, rill_snapshot_restore(world, first.bytes, first.size));
        must_be_valid(world);
        assert_true(rill_world_hash(world) == middle);
        assert_int_equal(rill_source_find(world, "well").value, well.value);
        assert_string_equal(rill_world_name(world), "house");
        run(world, 20, 0.004);
        assert_true(rill_world_hash(world) == end);
    }
    /* A world that has no bed yet can be rewound too, and a bad snapshot leaves it alone. */
    rill_world_def def = plain_world_def();
    rill_world *empty = NULL;
    assert_int_equal(rill_world_create(&def, &empty, NULL), RILL_OK);
    const uint64_t before = rill_world_hash(empty);
    first.bytes[40] ^= 1;
    must_refuse(empty, rill_snapshot_restore(empty, first.bytes, first.size), RILL_INVALID_DATA, "checksum");
    assert_true(rill_world_hash(empty) == before);
    first.bytes[40] ^= 1;
    must(empty, rill_snapshot_restore(empty, first.bytes, first.size));
    assert_true(rill_world_hash(empty) == middle);
    rill_world_destroy(empty);
    rill_world_destroy(world);
    assert_int_equal(memory.live, 0);
    free(first.bytes);
}

/* --------------------------------------------------------------------------------------------------------- content */

/* Every shape, so that every array is stored: what is loaded and saved again is the same to the byte. */
static rill_world *make_small(bool shapes) {
    rill_world_def def = plain_world_def();
    def.name = "small";
    def.grid.cells[0] = 3;
    def.grid.cells[1] = 2;
    def.headroom = 0.01;
    def.edges[RILL_WEST].kind = RILL_EDGE_OPEN;
    rill_world *world = NULL;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    rill_solid_id id, gone;
    const rill_solid_def floor = box_def("floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
    const rill_solid_def second = box_def(NULL, 0.001, -1.0, 0.002, 0.002, 1.0, 0.003);
    must(world, rill_solid_create(world, &second, &gone));
    must(world, rill_solid_create(world, &floor, &id));
    must(world, rill_solid_destroy(world, gone));
    if (shapes) {
        static const double heights[6] = { 0.0, 0.0005, 0.0, 0.0, 0.0, 0.001 };
        rill_solid_def ground = rill_default_solid_def();
        ground.shape.type = RILL_SHAPE_HEIGHTMAP;
        ground.shape.heights = heights;
        ground.shape.heights_size[0] = 3;
        ground.shape.heights_size[1] = 2;
        must(world, rill_solid_create(world, &ground, &id));
        static const float vertices[] = { 0.0f, 0.0f, 0.004f, 0.003f, 0.0f, 0.004f, 0.0f, 0.002f, 0.005f };
        static const uint32_t indices[] = { 0, 1, 2 };
        rill_solid_def roof = rill_default_solid_def();
        roof.name = "roof";
        roof.shape.type = RILL_SHAPE_MESH;
        roof.shape.vertices = vertices;
        roof.shape.vertex_count = 3;
        roof.shape.indices = indices;
        roof.shape.triangle_count = 1;
        must(world, rill_solid_create(world, &roof, &id));
    }
    must(world, rill_bed_build(world));
    must(world, rill_world_fill_level(world, (double[]){ 0.0005, 0.0005, 0.0005 }, 0.0015, NULL));
    rill_source_def well = point_source("well", 0.0015, 0.0005, 0.001, 1e-7);
    rill_source_id source;
    must(world, rill_source_create(world, &well, &source));
    run(world, 3, 0.002);
    return world;
}

static void test_same_bytes(void **state) {
    (void)state;
    rill_world *world = make_small(true);
    const saved first = save(world);
    rill_world *again = load(first, NULL);
    const saved second = save(again);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.bytes, second.bytes, first.size);
    rill_bed_info a, b;
    must(world, rill_bed_get_info(world, &a));
    must(again, rill_bed_get_info(again, &b));
    assert_true(a.columns == b.columns && a.layers == b.layers && a.sheets == b.sheets && a.quantum == b.quantum);
    assert_true(a.lowest == b.lowest && a.highest == b.highest && a.wall_cells == b.wall_cells);
    assert_true(a.open_components == b.open_components && a.sheet_cells == b.sheet_cells);
    assert_string_equal(rill_solid_name(again, rill_solid_find(again, "roof")), "roof");
    /* Ids: slots keep their generations, so what was stale stays stale. */
    assert_null(rill_solid_name(again, (rill_solid_id){ 0x10000 }));
    size_t size;
    must_refuse(world, rill_snapshot_save(world, first.bytes, first.size - 1, &size), RILL_INVALID_ARGUMENT,
                "capacity is");
    free(first.bytes);
    free(second.bytes);
    rill_world_destroy(again);
    rill_world_destroy(world);
}

/* ---------------------------------------------------------------------------------------------------------- damage */

static void test_truncations(void **state) {
    (void)state;
    rill_world *world = make_small(true);
    check_truncations(world);
    rill_world_destroy(world);
}

static void test_bit_flips(void **state) {
    (void)state;
    rill_world *world = make_small(false);
    check_bit_flips(world);
    rill_world_destroy(world);
}

static void test_forgeries(void **state) {
    (void)state;
    rill_world *world = make_small(true);
    check_forgeries(world, RILL_SNAPSHOT_HEADER, rill_snapshot_size(world), 4000 / ALONE_PART);
    rill_world_destroy(world);
}

static void test_arguments(void **state) {
    (void)state;
    rill_world *world = make_small(false), *out = NULL;
    const saved first = save(world);
    rill_message message = { "" };
    assert_int_equal(rill_snapshot_load(NULL, first.size, NULL, &out, &message), RILL_INVALID_ARGUMENT);
    assert_int_equal(rill_snapshot_load(first.bytes, first.size, NULL, NULL, &message), RILL_INVALID_ARGUMENT);
    rill_runtime runtime = rill_default_world_def().runtime;
    runtime.tasks.threads = 0;
    assert_int_equal(rill_snapshot_load(first.bytes, first.size, &runtime, &out, &message), RILL_INVALID_ARGUMENT);
    assert_non_null(strstr(message.text, "runtime.tasks.threads is 0"));
    assert_int_equal(rill_snapshot_load(first.bytes, first.size, &runtime, &out, NULL), RILL_INVALID_ARGUMENT);
    assert_null(out);
    first.bytes[8] = 99;
    forge(first);
    assert_int_equal(rill_snapshot_load(first.bytes, first.size, NULL, &out, &message), RILL_INVALID_DATA);
    assert_non_null(strstr(message.text, "format version 99; expected"));
    assert_int_equal(rill_snapshot_load("not a snapshot, but long enough for a header", 44, NULL, &out, &message),
                     RILL_INVALID_DATA);
    assert_non_null(strstr(message.text, "no snapshot"));
    free(first.bytes);
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resume),         cmocka_unit_test(test_resume_shared),
        unit_test_alone(test_resume_anywhere), unit_test_alone(test_resume_asleep),
        cmocka_unit_test(test_restore),        unit_test_alone(test_same_bytes),
        unit_test_alone(test_truncations),     unit_test_alone(test_bit_flips),
        unit_test_alone(test_forgeries),       cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
