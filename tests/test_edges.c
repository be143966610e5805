/* Edges that change at run time: as if they had been so from the beginning, no quantum lost, and the same bits over threads,
 * kernels and snapshots. */
#include "body_shapes.h"
#include "snapshots.h"

#include <math.h>

static const rill_edge WALL = { .kind = RILL_EDGE_WALL }, OPEN = { .kind = RILL_EDGE_OPEN };

static rill_edge still(double level) {
    return (rill_edge){ .kind = RILL_EDGE_STILL, .level = level };
}

static uint32_t rolled(uint32_t *dice, uint32_t sides) {
    *dice = *dice * 1664525u + 1013904223u;
    return (*dice >> 8) % sides;
}

static rill_edge random_edge(uint32_t *dice) {
    const uint32_t kind = rolled(dice, 3);
    return kind == 0 ? WALL : kind == 1 ? OPEN : still(0.0005 * (double)rolled(dice, 14));
}

static int64_t columns(const rill_world *world) {
    rill_ledger ledger;
    assert_int_equal(rill_world_get_ledger(world, &ledger), RILL_OK);
    assert_int_equal(ledger.error, 0);
    return ledger.columns;
}

static double level_at(const rill_world *world, double x, double y) {
    rill_sample sample;
    assert_int_equal(rill_query_points(world, (double[]){ x, y, 0.0 }, 1, &sample), RILL_OK);
    return sample.level;
}

/* ---------------------------------------------------------------------------------------------------- what is refused */

static void test_refuses(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    rill_edge edge = still(0.001);
    assert_int_equal(rill_world_set_edge(NULL, RILL_WEST, &edge), RILL_INVALID_ARGUMENT);
    assert_int_equal(rill_world_get_edge(NULL, RILL_WEST, &edge), RILL_INVALID_ARGUMENT);
    must_refuse(world, rill_world_set_edge(world, RILL_WEST, NULL), RILL_INVALID_ARGUMENT, "edge is NULL");
    must_refuse(world, rill_world_get_edge(world, RILL_WEST, NULL), RILL_INVALID_ARGUMENT, "out is NULL");
    must_refuse(world, rill_world_set_edge(world, 4, &edge), RILL_INVALID_ARGUMENT, "side is 4");
    must_refuse(world, rill_world_get_edge(world, -1, &edge), RILL_INVALID_ARGUMENT, "side is -1");
    edge.level = (double)NAN;
    must_refuse(world, rill_world_set_edge(world, RILL_SOUTH, &edge), RILL_INVALID_ARGUMENT, "edges[RILL_SOUTH]");
    edge.kind = (rill_edge_kind)3;
    must_refuse(world, rill_world_set_edge(world, RILL_EAST, &edge), RILL_INVALID_ARGUMENT, "edges[RILL_EAST]");
    for (int32_t side = 0; side < 4; ++side) {
        must(world, rill_world_get_edge(world, side, &edge));
        assert_int_equal(edge.kind, RILL_EDGE_WALL);
    }
    rill_world_destroy(world);
}

/* ----------------------------------------------------------------------------------------------------- what they do */

/* A gate is opened, shut and opened to a lake whose level goes up and down. */
static void test_gate(void **state) {
    (void)state;
    rill_world_def def = house_def();
    def.liquid.viscosity = 1e-5; /* waves between edge and walls die out */
    rill_world *world = make_house(&def);
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.002, NULL));
    const int64_t full = columns(world);
    run(world, 5, 0.01);
    assert_int_equal(columns(world), full);
    must(world, rill_world_set_edge(world, RILL_WEST, &OPEN));
    run(world, 100, 0.01);
    const int64_t half = columns(world);
    assert_true(half < full / 2 && half > 0);
    must(world, rill_world_set_edge(world, RILL_WEST, &WALL));
    run(world, 20, 0.01);
    assert_int_equal(columns(world), half);
    for (int i = 0; i < 3; ++i) {
        const rill_edge lake = still(i == 1 ? 0.0015 : 0.0025);
        must(world, rill_world_set_edge(world, RILL_WEST, &lake));
        run(world, 200, 0.01);
        assert_true(fabs(level_at(world, 0.003, 0.003) - lake.level) < 2e-5);
        columns(world);
        must_be_valid(world);
    }
    rill_account account;
    must(world, rill_world_get_account(world, 1, &account));
    assert_string_equal(account.name, "west");
    assert_true(account.poured > 0 && account.drained > full - half);
    rill_world_destroy(world);
}

/* Liquid that rests is woken by a gate that opens, and by nothing that does not change. */
static void test_wakes(void **state) {
    (void)state;
    rill_world_def def = house_def();
    def.edges[RILL_EAST] = still(0.002);
    def.liquid.viscosity = 1e-5;
    rill_world *world = make_house(&def);
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.002, NULL));
    run(world, 300, 0.01);
    rill_step_info info;
    must(world, rill_world_get_step_info(world, &info));
    assert_int_equal(info.awake_columns, 0);
    const uint64_t rests = rill_world_hash(world);
    must(world, rill_world_set_edge(world, RILL_EAST, &def.edges[RILL_EAST]));
    must(world, rill_world_set_edge(world, RILL_NORTH, &(rill_edge){ .kind = RILL_EDGE_WALL, .level = 7.0 }));
    const rill_edge wall = WALL;
    must(world, rill_world_set_edge(world, RILL_NORTH, &wall)); /* a wall has no level */
    assert_int_equal(rill_world_hash(world), rests);
    const int64_t before = columns(world);
    must(world, rill_world_set_edge(world, RILL_SOUTH, &OPEN));
    run(world, 20, 0.01);
    assert_true(columns(world) < before - before / 20);
    rill_world_destroy(world);
}

/* ------------------------------------------------------------------------------------------ as if from the beginning */

static rill_world *filled_house(const rill_edge edges[4], bool late, rill_method method, bool alone) {
    rill_world_def def = house_def();
    if (alone)
        def.grid.cells[0] = 31, def.grid.cells[1] = 11; /* what is beyond two of the edges has tiles of its own */
    def.solver.method = method;
    for (int i = 0; i < 4; ++i)
        def.edges[i] = late ? edges[(i + 1) % 4] : edges[i]; /* the range is that of open ones */
    rill_world *world = NULL;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    if (method == RILL_METHOD_PIPES)
        must(world, add_house_solids(world));
    else {
        const rill_solid_def floor = box_def("floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
        must(world, rill_solid_create(world, &floor, NULL));
    }
    must(world, rill_bed_build(world));
    for (int32_t i = 0; i < 4 && late; ++i) must(world, rill_world_set_edge(world, i, &edges[i]));
    must_be_valid(world);
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.0045, NULL));
    return world;
}

static void test_as_from_the_beginning(void **state) {
    (void)state;
    uint32_t dice = 3;
    for (int i = 0; i < 24; ++i) {
        const rill_method method = i % 4 == 3 ? RILL_METHOD_KANDEMIR : RILL_METHOD_PIPES;
        rill_edge edges[4];
        for (int k = 0; k < 4; ++k) edges[k] = k == i / 4 % 4 ? OPEN : random_edge(&dice);
        rill_world *early = filled_house(edges, false, method, i % 2), *late = filled_house(edges, true, method, i % 2);
        for (int k = 0; k < 20; ++k) {
            run(early, 1, 0.005);
            run(late, 1, 0.005);
            assert_int_equal(rill_world_hash(early), rill_world_hash(late));
        }
        rill_world_destroy(early);
        rill_world_destroy(late);
    }
}

/* Before the bed is built an edge is part of the definition. */
static void test_before_the_bed(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = NULL;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    must(world, rill_world_set_edge(world, RILL_NORTH, &OPEN));
    must(world, add_house_solids(world));
    must(world, rill_bed_build(world));
    rill_world_def open = def;
    open.edges[RILL_NORTH] = OPEN;
    rill_world *other = make_house(&open);
    assert_int_equal(rill_world_hash(world), rill_world_hash(other));
    rill_world_destroy(world);
    rill_world_destroy(other);
}

/* --------------------------------------------------------------------------------------- everything else goes on, too */

/* A house with sources, a boat and a platform that goes up and down: edges beside what is flooded, moved and lifted. */
static rill_world *lively_house(const rill_runtime *runtime) {
    rill_world *world = make_busy_house(runtime);
    rill_body_def boat = rill_default_body_def();
    boat.shape.type = RILL_SHAPE_BOX;
    set_size(&boat.shape, 0.003, 0.003, 0.0015);
    memcpy(boat.state.position, (double[]){ 0.002, 0.0075, 0.002 }, sizeof boat.state.position);
    must(world, rill_body_create(world, &boat, NULL));
    return world;
}

static void change_something(rill_world *world, uint32_t *dice, int step) {
    const rill_edge edge = random_edge(dice);
    must(world, rill_world_set_edge(world, (int32_t)rolled(dice, 4), &edge));
    if (step % 5 != 2) return;
    const double height = -0.0038 + 0.0001 * (double)rolled(dice, 10);
    must(world, rill_solid_set_pose(world, rill_solid_find(world, "platform"), (double[]){ 0.0, 0.0, height },
                                    (double[]){ 0.0, 0.0, 0.0 }));
}

static void check_same_bits(const rill_runtime *a, const rill_runtime *b, uint32_t seed) {
    rill_world *one = lively_house(a), *other = lively_house(b);
    uint32_t dice[2] = { seed, seed };
    for (int i = 0; i < 30; ++i) {
        change_something(one, &dice[0], i);
        change_something(other, &dice[1], i);
        must_be_valid(one);
        run(one, 1, 0.004);
        run(other, 1, 0.004);
        assert_int_equal(rill_world_hash(one), rill_world_hash(other));
        assert_int_equal(ledger_error(one), 0);
    }
    rill_world_destroy(one);
    rill_world_destroy(other);
}

static void test_threads(void **state) {
    (void)state;
    rill_runtime one = rill_default_world_def().runtime, three = one, scalar = one;
    three.tasks.threads = 3;
    scalar.scalar = true;
    for (uint32_t seed = 1; seed <= 6; seed += NEXT_CASE) {
        check_same_bits(&one, &three, seed);
        check_same_bits(&one, &scalar, seed);
    }
}

/* A world that is loaded after each change goes on as the one that was saved. */
static void test_snapshots(void **state) {
    (void)state;
    rill_world *world = lively_house(NULL);
    uint32_t dice = 11;
    for (int i = 0; i < 20; ++i) {
        change_something(world, &dice, i);
        if (i % 5 == 2) must(world, rill_bed_build(world));
        const saved s = save(world);
        rill_world *loaded = load(s, NULL);
        for (int32_t side = 0; side < 4; ++side) {
            rill_edge a, b;
            must(world, rill_world_get_edge(world, side, &a));
            must(loaded, rill_world_get_edge(loaded, side, &b));
            assert_true(a.kind == b.kind && a.level == b.level);
        }
        run(world, 2, 0.003);
        run(loaded, 2, 0.003);
        assert_int_equal(rill_world_hash(world), rill_world_hash(loaded));
        rill_world_destroy(loaded);
        free(s.bytes);
    }
    rill_world_destroy(world);
}

/* ------------------------------------------------------------------------------------------------------------- memory */

/* Whatever request for memory is refused, the world is as it was; tides take none. */
static void test_memory_refused(void **state) {
    (void)state;
    test_memory memory = { 0 };
    rill_runtime runtime = rill_default_world_def().runtime;
    runtime.allocator = test_allocator(&memory);
    rill_world *world = lively_house(&runtime);
    run(world, 3, 0.004);
    const uint64_t hash = rill_world_hash(world);
    const rill_edge lake = still(0.005);
    rill_result result = RILL_OUT_OF_MEMORY;
    int refusals = 0;
    for (long at = 1; result && at < 100; ++at) {
        memory.fail_at = memory.count + at;
        result = rill_world_set_edge(world, RILL_SOUTH, &lake);
        memory.fail_at = 0;
        if (!result) break;
        assert_int_equal(result, RILL_OUT_OF_MEMORY);
        assert_int_equal(rill_world_hash(world), hash);
        must_be_valid(world);
        refusals += 1;
    }
    assert_true(refusals >= 2);
    run(world, 3, 0.004);
    const long before = memory.count;
    for (int i = 0; i < 10; ++i) {
        const rill_edge tide = still(0.004 + 0.0002 * (double)(i % 5));
        must(world, rill_world_set_edge(world, RILL_SOUTH, &tide));
        run(world, 1, 0.004);
    }
    assert_int_equal(memory.count, before);
    rill_world_destroy(world);
    assert_int_equal(memory.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refuses),        cmocka_unit_test(test_gate),
        cmocka_unit_test(test_wakes),          cmocka_unit_test(test_as_from_the_beginning),
        cmocka_unit_test(test_before_the_bed), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_snapshots),      cmocka_unit_test(test_memory_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
