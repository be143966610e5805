/* Events of a step: each change is told once, at its time; the same over threads, kernels and snapshots; and what is told about
 * solids is what a search through all columns finds. */
#include "snapshots.h"

#include <math.h>

static rill_event event_at(rill_world *world, int32_t index) {
    rill_event event;
    must(world, rill_world_get_event(world, index, &event));
    return event;
}

/* Steps until something of a kind happens; how many steps that took, or 0. */
static int step_until(rill_world *world, rill_event_kind kind, int most, double dt, rill_event *out) {
    for (int i = 1; i <= most; ++i) {
        must(world, rill_world_step(world, dt));
        for (int32_t k = 0; k < rill_world_event_count(world); ++k) {
            *out = event_at(world, k);
            if (out->kind == kind) return i;
        }
    }
    return 0;
}

static int32_t count_of(rill_world *world, rill_event_kind kind) {
    int32_t count = 0;
    for (int32_t k = 0; k < rill_world_event_count(world); ++k) count += event_at(world, k).kind == kind;
    return count;
}

static void test_refuses(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    rill_event event;
    assert_int_equal(rill_world_event_count(NULL), 0);
    assert_int_equal(rill_world_event_count(world), 0);
    assert_int_equal(rill_world_get_event(NULL, 0, &event), RILL_INVALID_ARGUMENT);
    must_refuse(world, rill_world_get_event(world, 0, NULL), RILL_INVALID_ARGUMENT, "out is NULL");
    must_refuse(world, rill_world_get_event(world, 0, &event), RILL_INVALID_ARGUMENT, "event 0");
    must_refuse(world, rill_world_get_event(world, -1, &event), RILL_INVALID_ARGUMENT, "event -1");
    for (int kind = 0; kind <= RILL_EVENT_SOLID_DRY; ++kind)
        assert_non_null(rill_event_kind_name((rill_event_kind)kind));
    assert_null(rill_event_kind_name((rill_event_kind)(RILL_EVENT_SOLID_DRY + 1)));
    rill_world_destroy(world);
}

/* A tap fills a house to the top, a sink that is opened lets it go on. */
static void test_source(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    rill_source_def tap = point_source("tap", 0.002, 0.005, 0.0, 5e-6);
    rill_source_def sink = point_source("sink", 0.003, 0.005, 0.0, 0.0);
    tap.shape = sink.shape = RILL_SOURCE_DISC;
    tap.radius = sink.radius = 0.002;
    sink.sink = true;
    rill_source_id id, drain;
    rill_event event;
    must(world, rill_source_create(world, &tap, &id));
    must(world, rill_source_create(world, &sink, &drain));
    assert_true(step_until(world, RILL_EVENT_SOURCE_REFUSED, 400, 0.01, &event) > 1);
    assert_true(event.source.value == id.value && event.body.value == 0 && event.solid.value == 0);
    assert_true(event.time > 0.0 && event.time <= 0.01);
    assert_true(rill_world_status(world) & RILL_STATUS_SOURCE_REFUSED);
    assert_int_equal(step_until(world, RILL_EVENT_SOURCE_REFUSED, 5, 0.01, &event), 0); /* it is known */
    must(world, rill_source_set_rate(world, drain, 1e-3));
    assert_int_equal(step_until(world, RILL_EVENT_SINK_REACHED, 1, 0.01, &event), 1);
    assert_true(event.source.value == drain.value);
    must(world, rill_source_set_rate(world, id, 1e-7));
    assert_true(count_of(world, RILL_EVENT_SOURCE_ACCEPTED) == 1 ||
                step_until(world, RILL_EVENT_SOURCE_ACCEPTED, 20, 0.01, &event) > 0);
    rill_world_destroy(world);
}

/* Liquid comes to a sink, and runs out. */
static void test_sink(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    rill_source_def tap = point_source("tap", 0.001, 0.005, 0.0, 1e-6),
                    sink = point_source("sink", 0.013, 0.005, 0.0, 1e-4);
    sink.sink = true;
    sink.shape = RILL_SOURCE_DISC;
    sink.radius = 0.0015;
    rill_source_id id;
    rill_event event;
    must(world, rill_source_create(world, &tap, NULL));
    must(world, rill_source_create(world, &sink, &id));
    must(world, rill_world_step(world, 0.001));
    assert_int_equal(count_of(world, RILL_EVENT_SINK_DRY), 0); /* it has never been reached */
    assert_true(step_until(world, RILL_EVENT_SINK_REACHED, 500, 0.002, &event) > 3);
    assert_true(event.source.value == id.value && event.time <= 0.002);
    assert_int_equal(step_until(world, RILL_EVENT_SINK_DRY, 20, 0.002, &event), 0); /* though it takes all that comes */
    must(world, rill_world_drain(world));
    must(world, rill_source_set_rate(world, rill_source_find(world, "tap"), 0.0));
    assert_int_equal(step_until(world, RILL_EVENT_SINK_DRY, 5, 0.002, &event), 1);
    assert_true(event.source.value == id.value);
    assert_int_equal(step_until(world, RILL_EVENT_SINK_DRY, 5, 0.002, &event), 0);
    rill_world_destroy(world);
}

static void test_body(void **state) {
    (void)state;
    for (int kandemir = 0; kandemir < 2; ++kandemir) {
        rill_world_def def = house_def();
        if (kandemir) def.solver.method = RILL_METHOD_KANDEMIR;
        rill_world *world = NULL;
        assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
        const rill_solid_def floor = box_def("floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
        must(world, rill_solid_create(world, &floor, NULL));
        must(world, rill_bed_build(world));
        must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.004, NULL));
        rill_body_def ball = rill_default_body_def();
        ball.shape.radius = 0.002;
        memcpy(ball.state.position, (double[]){ 0.01, 0.005, 0.008 }, sizeof ball.state.position);
        rill_body_id id;
        rill_event event;
        must(world, rill_body_create(world, &ball, &id));
        must(world, rill_world_step(world, 0.001));
        assert_int_equal(count_of(world, RILL_EVENT_BODY_ENTERED), 0);
        assert_true(step_until(world, RILL_EVENT_BODY_ENTERED, 200, 0.001, &event) > 5);
        assert_true(event.body.value == id.value && event.time == 0.001);
        assert_int_equal(step_until(world, RILL_EVENT_BODY_ENTERED, 20, 0.001, &event), 0);
        must(world, rill_body_set_state(world, id, &ball.state));
        assert_true(step_until(world, RILL_EVENT_BODY_LEFT, 3, 0.001, &event) > 0);
        assert_true(event.body.value == id.value);
        rill_world_destroy(world);
    }
}

static void test_solids(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    const rill_solid_id floor = rill_solid_find(world, "floor"), platform = rill_solid_find(world, "platform"),
                        wall = rill_solid_find(world, "wall");
    rill_event event;
    must(world, rill_world_step(world, 0.01));
    assert_int_equal(rill_world_event_count(world), 0);
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.002, NULL));
    must(world, rill_world_step(world, 0.01));
    assert_int_equal(rill_world_event_count(world), 1);
    event = event_at(world, 0);
    assert_true(event.kind == RILL_EVENT_SOLID_WET && event.solid.value == floor.value && event.time == 0.01);
    const rill_source_def tap = point_source("tap", 0.010, 0.005, 0.006, 1e-6);
    must(world, rill_source_create(world, &tap, NULL));
    assert_int_equal(step_until(world, RILL_EVENT_SOLID_WET, 1, 0.01, &event), 1);
    assert_true(event.solid.value == platform.value);
    assert_int_equal(step_until(world, RILL_EVENT_SOLID_WET, 20, 0.01, &event), 0);
    must(world, rill_world_fill_level(world, (double[]){ 0.019, 0.001, 0.0 }, 0.0035, NULL)); /* over the wall */
    must(world, rill_world_step(world, 0.01));
    assert_true(count_of(world, RILL_EVENT_SOLID_WET) == 1);
    assert_true(event_at(world, 0).solid.value == wall.value);
    must(world, rill_source_destroy(world, rill_source_find(world, "tap")));
    must(world, rill_world_drain(world));
    must(world, rill_world_step(world, 0.01));
    assert_int_equal(rill_world_event_count(world), 3);
    const rill_solid_id ids[3] = { floor, platform, wall };
    for (int32_t i = 0; i < 3; ++i) {
        event = event_at(world, i);
        assert_true(event.kind == RILL_EVENT_SOLID_DRY && event.solid.value == ids[i].value);
    }
    rill_world_destroy(world);
}

/* ------------------------------------------------------------------------------------------------- lively worlds */

static uint32_t rolled(uint32_t *dice, uint32_t sides) {
    *dice = *dice * 1664525u + 1013904223u;
    return (*dice >> 8) % sides;
}

static rill_world *lively_house(const rill_runtime *runtime) {
    rill_world_def def = house_def();
    if (runtime) def.runtime = *runtime;
    def.headroom = 0.004;
    rill_world *world = make_house(&def);
    const rill_source_def tap = point_source("tap", 0.010, 0.005, 0.006, 3e-6);
    rill_source_def sink = point_source("sink", 0.002, 0.005, 0.001, 1e-5);
    sink.sink = true;
    must(world, rill_source_create(world, &tap, NULL));
    must(world, rill_source_create(world, &sink, NULL));
    rill_body_def ball = rill_default_body_def();
    ball.shape.radius = 0.0015;
    ball.name = "ball";
    memcpy(ball.state.position, (double[]){ 0.004, 0.005, 0.006 }, sizeof ball.state.position);
    must(world, rill_body_create(world, &ball, NULL));
    return world;
}

/* Something that makes events: taps, fills, floods, moves, and starting over. */
static void change_something(rill_world *world, uint32_t *dice) {
    const rill_source_id tap = rill_source_find(world, "tap"), sink = rill_source_find(world, "sink");
    rill_body_state at;
    const double height = -0.0038 + 0.0001 * (double)rolled(dice, 10);
    switch (rolled(dice, 10)) {
    case 0: must(world, rill_world_drain(world)); break;
    case 1: must(world, rill_source_set_rate(world, tap, rolled(dice, 2) ? 1e-4 : 0.0)); break;
    case 2: must(world, rill_source_set_rate(world, sink, rolled(dice, 2) ? 1e-4 : 0.0)); break;
    case 3: must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.0035, NULL)); break;
    case 4:
        must(world, rill_solid_set_pose(world, rill_solid_find(world, "platform"), (double[]){ 0.0, 0.0, height },
                                        (double[]){ 0.0, 0.0, 0.0 }));
        break;
    case 5: must(world, rill_solid_set_visible(world, rill_solid_find(world, "wall"), rolled(dice, 2))); break;
    case 6:
        must(world, rill_body_get_state(world, rill_body_find(world, "ball"), &at));
        at.position[2] = 0.002 + 0.001 * (double)rolled(dice, 8);
        must(world, rill_body_set_state(world, rill_body_find(world, "ball"), &at));
        break;
    default: break;
    }
}

/* Events of one world are those of another; ids differ by their worlds. */
static void check_same_events(rill_world *one, rill_world *other) {
    assert_int_equal(rill_world_event_count(one), rill_world_event_count(other));
    for (int32_t i = 0; i < rill_world_event_count(one); ++i) {
        const rill_event a = event_at(one, i), b = event_at(other, i);
        assert_true(a.kind == b.kind && a.time == b.time);
        assert_int_equal((uint32_t)a.source.value, (uint32_t)b.source.value);
        assert_int_equal((uint32_t)a.body.value, (uint32_t)b.body.value);
        assert_int_equal((uint32_t)a.solid.value, (uint32_t)b.solid.value);
    }
}

static void test_same_bits(void **state) {
    (void)state;
    rill_runtime runtimes[3];
    for (int i = 0; i < 3; ++i) runtimes[i] = rill_default_world_def().runtime;
    runtimes[1].tasks.threads = 3;
    runtimes[2].scalar = true;
    int32_t happened = 0;
    for (int k = 1; k < 3; ++k) {
        rill_world *one = lively_house(&runtimes[0]), *other = lively_house(&runtimes[k]);
        uint32_t dice[2] = { 5, 5 };
        for (int i = 0; i < 150; ++i) {
            change_something(one, &dice[0]);
            change_something(other, &dice[1]);
            run(one, 1, 0.004);
            run(other, 1, 0.004);
            check_same_events(one, other);
            happened += rill_world_event_count(one);
        }
        rill_world_destroy(one);
        rill_world_destroy(other);
    }
    assert_true(happened > 60);
}

/* A world that was loaded tells what the one that was saved does. */
static void test_snapshots(void **state) {
    (void)state;
    rill_world *world = lively_house(NULL);
    uint32_t dice = 9;
    for (int i = 0; i < 150; i += NEXT_CASE) {
        change_something(world, &dice);
        const saved s = save(world);
        rill_world *loaded = load(s, NULL);
        assert_int_equal(rill_world_event_count(loaded), 0);
        assert_int_equal(rill_world_hash(loaded), rill_world_hash(world));
        run(world, 1, 0.004);
        run(loaded, 1, 0.004);
        check_same_events(world, loaded);
        must(loaded, rill_snapshot_restore(loaded, s.bytes, s.size));
        assert_int_equal(rill_world_event_count(loaded), 0);
        run(loaded, 1, 0.004);
        check_same_events(world, loaded);
        rill_world_destroy(loaded);
        free(s.bytes);
    }
    rill_world_destroy(world);
}

static bool is_wet(const rill_world *world, size_t slot) {
    for (int64_t k = 0; k < world->bed.info.columns; ++k)
        if (world->bed.floors[k] == slot && world->flow.H[world->bed.places[k]] > RILL_DRY) return true;
    return false;
}

/* Wet is what is told to be wet, step by step; over worlds with tiles that sleep, too. */
static void test_against_search(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 8; seed += NEXT_CASE) {
        rill_world *world = lively_house(NULL);
        bool wet[8] = { false };
        uint32_t dice = seed;
        for (int i = 0; i < 200; ++i) {
            if (i % 40 < 20) change_something(world, &dice);
            run(world, 1, i % 7 == 0 ? 0.2 : 0.004);
            for (int32_t k = 0; k < rill_world_event_count(world); ++k) {
                const rill_event event = event_at(world, k);
                if (event.kind < RILL_EVENT_SOLID_WET) continue;
                bool *known = &wet[event.solid.value & 0xff];
                assert_int_equal(*known, event.kind == RILL_EVENT_SOLID_DRY);
                *known = !*known;
            }
            for (size_t slot = 0; slot < world->solids.count; ++slot) assert_int_equal(wet[slot], is_wet(world, slot));
        }
        rill_world_destroy(world);
    }
}

/* Once warm, events take no memory; without memory for them a step is not made. */
static void test_memory_used(void **state) {
    (void)state;
    test_memory memory = { 0 };
    rill_runtime runtime = rill_default_world_def().runtime;
    runtime.allocator = test_allocator(&memory);
    rill_world *world = lively_house(&runtime);
    const uint64_t hash = rill_world_hash(world);
    rill_result result = RILL_OUT_OF_MEMORY;
    for (long at = 1; result && at < 100; ++at) {
        memory.fail_at = memory.count + at;
        result = rill_world_step(world, 0.004);
        memory.fail_at = 0;
        if (result) assert_int_equal(rill_world_hash(world), hash);
    }
    long before = 0;
    int32_t happened = 0;
    for (int i = 0; i < 80; ++i) { /* the same twice: what is flooded takes memory, too */
        if (i == 40) before = memory.count;
        if (i % 40 == 0) must(world, rill_world_drain(world));
        if (i % 20 == 0) must(world, rill_source_set_rate(world, rill_source_find(world, "tap"), i % 40 ? 0.0 : 1e-4));
        run(world, 1, 0.004);
        happened += rill_world_event_count(world);
    }
    assert_int_equal(memory.count, before);
    assert_true(happened >= 3);
    rill_world_destroy(world);
    assert_int_equal(memory.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refuses),   cmocka_unit_test(test_source),        cmocka_unit_test(test_sink),
        cmocka_unit_test(test_body),      cmocka_unit_test(test_solids),        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_snapshots), unit_test_alone(test_against_search), cmocka_unit_test(test_memory_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
