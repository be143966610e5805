/* Falls: when and where what runs off an edge comes down, that nothing of it is lost, and that it is the same on any threads
 * and after any snapshot. */
#include "fall_worlds.h"

#include <math.h>

#include "falls/falls.h"
#include "world/world.h"

static const double G = 9.81;

static const shelf STEADY = {
    .cells = { 120, 6 }, .length = 40, .cell_size = 1e-3, .drop = 0.05, .rate = 1e-4, .until = INFINITY
};

/* ---------------------------------------------------------------------------------------------------------- flight */

/* REFERENCE: 50 mm take 0.100964 s, and u of it along the bed. */
static void a_fall_takes_as_long_as_it_must(void **state) {
    (void)state;
    rill_world *world = make_shelf(&STEADY, NULL);
    const rill_falls_gravity gravity = rill_world_falls_gravity(world);
    const double base = -world->bed.datum, T = sqrt(2 * 0.05 / G);
    rill_parcel parcel = { .from = { 0.0400f, 0.0035f, (float)(0.05 + base) }, .velocity = { 0.3f, 0, 0 } };
    rill_falls_trace(&world->flow, &gravity, 40, 3, &parcel);
    assert_true(fabs((double)parcel.flight - 0.100964) < 1e-6);
    assert_true(fabs((double)parcel.flight - T) < 1e-7 && parcel.hit == parcel.flight);
    int32_t x, y;
    rill_bed_sheet_of(&world->bed, parcel.place, &x, &y);
    assert_int_equal(x, (int32_t)((0.04 + 0.3 * T) / 1e-3));
    assert_int_equal(y, 3);
    double position[3], velocity[3];
    rill_parcel_at(&parcel, &gravity, T, position, velocity);
    assert_true(fabs(position[0] - (0.04 + 0.3 * T)) < 1e-7 && fabs(position[2] - base) < 1e-6);
    assert_true(fabs(velocity[2] + G * T) < 1e-6 && fabs(velocity[0] - 0.3) < 1e-6);
    rill_world_destroy(world);
}

static void a_wall_lets_it_fall_straight_down(void **state) {
    (void)state;
    shelf s = STEADY;
    s.wall = true;
    rill_world *world = make_shelf(&s, NULL);
    const rill_falls_gravity gravity = rill_world_falls_gravity(world);
    rill_parcel parcel = { .from = { 0.0400f, 0.0035f, (float)(0.05 - world->bed.datum) }, .velocity = { 0.3f, 0, 0 } };
    rill_falls_trace(&world->flow, &gravity, 40, 3, &parcel);
    int32_t x;
    rill_bed_sheet_of(&world->bed, parcel.place, &x, NULL);
    assert_int_equal(x, 42);
    assert_true(fabs((double)parcel.hit - 0.01) < 1e-6 && fabs((double)parcel.flight - sqrt(2 * 0.05 / G)) < 1e-6);
    double position[3], velocity[3];
    rill_parcel_at(&parcel, &gravity, 0.05, position, velocity);
    assert_true(fabs(position[0] - 0.043) < 1e-6 && velocity[0] == 0.0 && velocity[2] < -0.4);
    rill_world_destroy(world);
}

static void it_leaves_over_an_open_edge(void **state) {
    (void)state;
    shelf s = STEADY;
    s.open = true;
    s.cells[0] = 50;
    s.until = 0.8;
    rill_world *world = make_shelf(&s, NULL);
    run(world, 48, 1.0 / 60);
    const rill_ledger flowing = ledger_of(world);
    assert_true(flowing.airborne > 0 && flowing.drained > 0);
    run(world, 600, 1.0 / 60);
    assert_true(ledger_of(world).airborne < flowing.airborne / 10);
    rill_world_destroy(world);
}

/* ------------------------------------------------------------------------------------------------------------ steady */

/* Once steady, what is in the air is q T: of the launch's height over what stands below. */
static void what_is_in_the_air_is_flow_times_time(void **state) {
    (void)state;
    for (int plate = 0; plate < 2; ++plate) {
        shelf s = STEADY;
        s.plate = plate;
        s.open = true;
        rill_world *world = make_shelf(&s, NULL);
        run(world, 240, 1.0 / 60);
        double sum = 0;
        for (int i = 0; i < 60; ++i) {
            run(world, 1, 1.0 / 60);
            const rill_ledger ledger = ledger_of(world);
            sum += (double)ledger.airborne * ledger.quantum_volume / 60;
        }
        const double expected = s.rate * s.cells[1] * s.cell_size * 0.100964;
        assert_true(fabs(sum / expected - 1) < 0.02);
        rill_world_destroy(world);
    }
}

/* Nothing is below before its time: a flight long after the first liquid has left. */
static void it_comes_down_in_its_time(void **state) {
    (void)state;
    rill_world *world = make_shelf(&STEADY, NULL);
    double left = -1, landed = -1;
    for (int i = 0; i < 4000 && landed < 0; ++i) {
        run(world, 1, 1e-3);
        if (left < 0 && ledger_of(world).airborne > 0) left = rill_world_time(world);
        int64_t below = 0;
        for (int64_t k = 0; k < world->bed.info.columns; ++k) {
            int32_t x;
            rill_bed_sheet_of(&world->bed, world->bed.places[k], &x, NULL);
            if (x >= STEADY.length) below += world->flow.H[world->bed.places[k]];
        }
        if (below > 0) landed = rill_world_time(world);
    }
    assert_true(left > 0 && landed > 0);
    assert_true(landed - left > 0.099 && landed - left < 0.1 + RILL_FALLS_PATIENCE + 0.01); /* the first are drops */
    rill_world_destroy(world);
}

/* Off is what it was: nothing is ever in the air. */
static void off_is_at_once(void **state) {
    (void)state;
    rill_world *world = make_shelf(&STEADY, NULL);
    run(world, 60, 1.0 / 60);
    assert_true(ledger_of(world).airborne > 0);
    rill_solver solver;
    solver = world->def.solver;
    solver.falls = RILL_FALLS_OFF;
    must(world, rill_world_set_solver(world, &solver));
    run(world, 20, 1.0 / 60);
    assert_int_equal(ledger_of(world).airborne, 0);
    assert_null(world->falls);
    must_be_valid(world);
    rill_world_destroy(world);
}

/* -------------------------------------------------------------------------------------------------------------- mesh */

/* It reaches from the brink to the floor, over all of the width, in both sides of a sheet; and no skirt hangs from the lip. */
static void a_surface_gives_the_falls(void **state) {
    (void)state;
    shelf s = STEADY;
    s.plate = s.open = true;
    rill_world *world = make_shelf(&s, NULL);
    const rill_surface_def def = rill_default_surface_def();
    rill_surface *surface = NULL;
    must(world, rill_surface_create(world, &def, &surface));
    rill_surface_mesh falls = { 0 };
    must(world, rill_surface_build(surface));
    must(world, rill_surface_get_falls(surface, &falls));
    assert_int_equal(falls.triangle_count, 0);
    run(world, 120, 1.0 / 60);
    must(world, rill_surface_build(surface));
    must(world, rill_surface_get_falls(surface, &falls));
    assert_true(falls.triangle_count > 100 && falls.vertex_count > 100);
    float low[3] = { 1, 1, 1 }, high[3] = { -1, -1, -1 };
    for (size_t v = 0; v < falls.vertex_count; ++v) {
        const float *p = falls.positions + 3 * v, *n = falls.normals + 3 * v;
        for (int i = 0; i < 3; ++i) low[i] = fminf(low[i], p[i]), high[i] = fmaxf(high[i], p[i]);
        assert_true(fabsf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-4f);
        assert_true(falls.depths[v] > 0 && falls.depths[v] <= 1e-3f);
    }
    assert_true(high[2] > 0.05f && high[2] < 0.052f && low[2] < 0.003f);
    assert_true(low[0] > 0.039f && high[0] > 0.045f && low[1] < 5e-4f && high[1] > 5.5e-3f);
    for (size_t i = 0; i < 3 * falls.triangle_count; ++i) assert_true(falls.indices[i] < falls.vertex_count);
    rill_surface_info info;
    must(world, rill_surface_get_info(surface, &info));
    assert_int_equal(info.skirt_triangles, 0);
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

/* ------------------------------------------------------------------------------------------------------ random worlds */

static uint64_t run_random(uint32_t seed, int32_t threads, bool scalar, int64_t *flown) {
    rill_runtime runtime = rill_default_world_def().runtime;
    runtime.tasks.threads = threads;
    runtime.scalar = scalar;
    rill_world *world = make_random_shelves(seed, &runtime);
    for (int i = 0; i < 40; ++i) {
        run(world, 1, 1.0 / 60);
        *flown += ledger_of(world).airborne;
    }
    must_be_valid(world);
    const uint64_t hash = rill_world_hash(world);
    rill_world_destroy(world);
    return hash;
}

static void random_worlds_are_exact_on_any_threads(void **state) {
    (void)state;
    int64_t flown = 0;
    for (uint32_t seed = 1; seed <= 60; seed += NEXT_CASE) {
        const uint64_t one = run_random(seed, 1, false, &flown);
        if (run_random(seed, 3, false, &flown) != one || run_random(seed, 1, true, &flown) != one)
            fail_msg("seed %u differs", seed);
    }
    assert_true(flown > 0);
}

static void snapshots_resume_in_mid_air(void **state) {
    (void)state;
    int flying = 0;
    for (uint32_t seed = 1; seed <= 40; seed += NEXT_CASE) {
        rill_world *world = make_random_shelves(seed, NULL);
        run(world, 20, 1.0 / 60);
        flying += ledger_of(world).airborne > 0;
        const saved s = save(world);
        rill_world *again = load(s, NULL);
        assert_true(rill_world_hash(again) == rill_world_hash(world));
        assert_true(ledger_of(again).airborne == ledger_of(world).airborne);
        for (int i = 0; i < 20; ++i) {
            run(world, 1, 1.0 / 60);
            run(again, 1, 1.0 / 60);
            if (rill_world_hash(again) != rill_world_hash(world)) fail_msg("seed %u differs in step %d", seed, i);
        }
        rill_world_destroy(again);
        rill_world_destroy(world);
        free(s.bytes);
    }
    assert_true(flying >= 10 / NEXT_CASE);
}

/* A block is moved through the fall, and the shelf from under the liquid. */
static void solids_move_through_falls(void **state) {
    (void)state;
    for (int k = 0; k < 4; ++k) {
        shelf s = STEADY;
        s.plate = k % 2;
        rill_world *world = make_shelf(&s, NULL);
        const rill_solid_def block = box_def("block", 0.0, 0.0, 0.0, 0.01, 0.006, 0.02);
        rill_solid_id id;
        must(world, rill_solid_create(world, &block, &id));
        const double from[3] = { 0.09, 0, 0.01 };
        must(world, rill_solid_set_pose(world, id, from, (double[]){ 0, 0, 0 }));
        const rill_solid_id moved = k < 2 ? id : rill_solid_find(world, "shelf");
        for (int i = 0; i < 120; ++i) {
            const double x = k < 2 ? 0.09 - 0.0005 * i : -0.0002 * i, z = k < 2 ? 0.01 : 0.0;
            must(world, rill_solid_set_pose(world, moved, (double[]){ x, 0, z }, (double[]){ 0, 0, 0 }));
            if (i % 10 == 0) must(world, rill_bed_build(world));
            if (i % 20 == 0) {
                const saved copy = save(world);
                rill_world *again = load(copy, NULL);
                assert_true(rill_world_hash(again) == rill_world_hash(world));
                rill_world_destroy(again);
                free(copy.bytes);
            }
            run(world, 1, 1.0 / 60);
            ledger_of(world);
            must_be_valid(world);
        }
        assert_true(ledger_of(world).airborne > 0);
        rill_world_destroy(world);
    }
}

static void a_fall_onto_a_sleeping_pool_wakes_it(void **state) {
    (void)state;
    shelf s = STEADY;
    s.until = 0;
    rill_world *world = make_shelf(&s, NULL);
    must(world, rill_world_fill_level(world, (double[]){ 0.1, 0.003, 0.0 }, 0.01, NULL));
    run(world, 120, 1.0 / 60);
    rill_step_info info;
    must(world, rill_world_get_step_info(world, &info));
    assert_int_equal(info.awake_columns, 0);
    rill_source_def more = point_source("more", 0.036, 0.003, 0.06, 2e-6);
    rill_source_id id;
    must(world, rill_source_create(world, &more, &id));
    run(world, 60, 1.0 / 60);
    float fastest = 0;
    for (int64_t k = 0; k < world->bed.info.columns; ++k) {
        int32_t x;
        const int32_t place = world->bed.places[k];
        rill_bed_sheet_of(&world->bed, place, &x, NULL);
        if (x > STEADY.length && fabsf(world->flow.u[place]) > fastest) fastest = fabsf(world->flow.u[place]);
    }
    assert_true(ledger_of(world).airborne > 0 && fastest > 0.001f);
    rill_world_destroy(world);
}

static void draining_takes_what_is_in_the_air(void **state) {
    (void)state;
    rill_world *world = make_shelf(&STEADY, NULL);
    run(world, 60, 1.0 / 60);
    assert_true(ledger_of(world).airborne > 0);
    must(world, rill_world_drain(world));
    assert_true(ledger_of(world).airborne == 0 && ledger_of(world).columns == 0);
    must_be_valid(world);
    run(world, 60, 1.0 / 60);
    rill_world_destroy(world);
}

/* -------------------------------------------------------------------------------------------------------------- memory */

static void steps_ask_for_no_memory(void **state) {
    (void)state;
    test_memory memory = { 0 };
    rill_runtime runtime = rill_default_world_def().runtime;
    runtime.allocator = test_allocator(&memory);
    rill_world *world = make_shelf(&STEADY, &runtime);
    run(world, 120, 1.0 / 60);
    const long count = memory.count;
    run(world, 240, 1.0 / 60);
    assert_int_equal(memory.count, count);
    rill_world_destroy(world);
    assert_int_equal(memory.live, 0);
}

static void steps_without_memory_are_refused(void **state) {
    (void)state;
    test_memory memory = { 0 };
    rill_runtime runtime = rill_default_world_def().runtime;
    runtime.allocator = test_allocator(&memory);
    uint64_t expected = 0;
    for (long n = 0;; ++n) {
        rill_world *world = make_shelf(&STEADY, &runtime);
        memory.fail_at = n > 0 ? memory.count + n : 0;
        const uint64_t before = rill_world_hash(world);
        rill_result result = rill_world_step(world, 1.0 / 60);
        memory.fail_at = 0;
        const bool done = result == RILL_OK && n > 0;
        if (result != RILL_OK) {
            assert_int_equal(result, RILL_OUT_OF_MEMORY);
            assert_true(rill_world_hash(world) == before);
            must(world, rill_world_step(world, 1.0 / 60));
        }
        run(world, 60, 1.0 / 60);
        if (n == 0) expected = rill_world_hash(world);
        assert_true(rill_world_hash(world) == expected && ledger_of(world).airborne > 0);
        rill_world_destroy(world);
        assert_int_equal(memory.live, 0);
        if (done) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fall_takes_as_long_as_it_must),
        cmocka_unit_test(a_wall_lets_it_fall_straight_down),
        cmocka_unit_test(it_leaves_over_an_open_edge),
        cmocka_unit_test(what_is_in_the_air_is_flow_times_time),
        cmocka_unit_test(it_comes_down_in_its_time),
        cmocka_unit_test(off_is_at_once),
        cmocka_unit_test(a_surface_gives_the_falls),
        cmocka_unit_test(random_worlds_are_exact_on_any_threads),
        cmocka_unit_test(snapshots_resume_in_mid_air),
        cmocka_unit_test(solids_move_through_falls),
        cmocka_unit_test(a_fall_onto_a_sleeping_pool_wakes_it),
        cmocka_unit_test(draining_takes_what_is_in_the_air),
        cmocka_unit_test(steps_ask_for_no_memory),
        cmocka_unit_test(steps_without_memory_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
