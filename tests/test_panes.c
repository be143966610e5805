/* Panes: beds that gravity runs along and does not press on, or pulls off: nothing flows that gravity does not drive, films hang,
 * what hangs too deep drips, and no quantum is lost. */
#include "drops.h"

enum { N = 96, CELLS = N * N };
static const double DX = 5e-4;

/* Degrees exactly: the sine and the cosine of right angles are whole. */
static void turn(rill_world_def *def, int degrees) {
    tilt(def, degrees);
    if (degrees % 90 != 0) return;
    def->gravity[0] = degrees == 90 ? 9.81 : 0.0;
    def->gravity[2] = degrees == 180 ? 9.81 : degrees == 90 ? 0.0 : -9.81;
}

static rill_world_def pane_def(int degrees, bool tension) {
    rill_world_def def = plate_def(N, N, DX, 60, 30);
    def.solver.tension = tension ? RILL_TENSION_ON : RILL_TENSION_OFF;
    turn(&def, degrees);
    return def;
}

static rill_world *make_pane(const rill_world_def *def) {
    rill_world_def with = *def;
    with.solver.tension = RILL_TENSION_ON; /* which make_plate asks for */
    rill_world *world = make_plate(&with);
    must(world, rill_world_set_solver(world, &def->solver));
    return world;
}

static void fill_evenly(rill_world *world, double depth) {
    static double depths[CELLS];
    for (int i = 0; i < CELLS; ++i) depths[i] = depth;
    must(world, rill_world_fill_depths(world, 0, depths, CELLS, NULL));
}

/* The liquid on the pane: volume (m3), its middle, and the deepest column. */
typedef struct sight {
    double volume, x, y, deepest;
} sight;

static sight look(const rill_world *world) {
    static double depths[CELLS];
    sight seen = { 0 };
    assert_int_equal(rill_world_read_field(world, RILL_FIELD_DEPTH, 0, depths, CELLS), RILL_OK);
    for (int i = 0; i < CELLS; ++i) {
        assert_true(isfinite(depths[i]) && depths[i] >= 0.0);
        seen.volume += depths[i] * DX * DX;
        seen.x += depths[i] * DX * DX * (i % N + 0.5) * DX;
        seen.y += depths[i] * DX * DX * (i / N + 0.5) * DX;
        seen.deepest = fmax(seen.deepest, depths[i]);
    }
    if (seen.volume > 0.0) seen.x /= seen.volume, seen.y /= seen.volume;
    return seen;
}

/* Returns the volume that an account has drained, m3; 0 if there is none of that name. */
static double drained(const rill_world *world, const char *name) {
    rill_ledger ledger;
    assert_int_equal(rill_world_get_ledger(world, &ledger), RILL_OK);
    for (int32_t i = 0; i < rill_world_account_count(world); ++i) {
        rill_account account;
        assert_int_equal(rill_world_get_account(world, i, &account), RILL_OK);
        if (strcmp(account.name, name) == 0) return (double)account.drained * ledger.quantum_volume;
    }
    return 0.0;
}

static void step_for(rill_world *world, double seconds) {
    for (int i = 0; i < (int)lrint(seconds * 120.0); ++i) {
        must(world, rill_world_step(world, 1.0 / 120));
        assert_true((rill_world_status(world) & RILL_STATUS_GRAVITY_LIFTED) == 0);
        assert_true(ledger_error(world) == 0);
    }
}

/* A film on a wall runs at Nusselt's speed, g H^2 / (3 nu), as if it was the steepest of slopes: its depth is the same
 * everywhere, so that levels drive nothing, to the last bit. */
static void films_run_down_walls(void **state) {
    (void)state;
    static double faces[2 * CELLS];
    for (int method = 0; method < 2; ++method) {
        rill_world_def def = pane_def(90, false);
        def.solver.method = method ? RILL_METHOD_WAVES : RILL_METHOD_PIPES;
        def.liquid.viscosity = 2e-5;
        def.edges[RILL_EAST].kind = RILL_EDGE_OPEN;
        rill_world *world = make_pane(&def);
        const double deep = 3e-4, nusselt = 9.81 * deep * deep / (3.0 * def.liquid.viscosity);
        fill_evenly(world, deep);
        step_for(world, 0.05);
        assert_int_equal(rill_world_read_field(world, RILL_FIELD_FACES, 0, faces, 2 * CELLS), RILL_OK);
        const double speed = faces[2 * (N / 2 * N + 3 * N / 4)];
        if (fabs(speed / nusselt - 1.0) > 2e-3) fail_msg("method %d: %g m/s, not %g", method, speed, nusselt);
        for (int i = 0; i < CELLS; ++i) assert_true(faces[2 * i + 1] == 0.0); /* nor is it driven aside */
        rill_world_destroy(world);
    }
}

/* Without gravity along a wall nothing moves at all, however steep its film is: levels are worth nothing there. */
static void levels_are_worth_nothing_without_gravity_into_the_bed(void **state) {
    (void)state;
    rill_world_def def = pane_def(90, false);
    def.gravity[0] = 0.0;
    rill_world *world = make_pane(&def);
    const drop heap[] = { { 0.02, 0.02, 0.01, 1e-6 } };
    add_drops(world, &def.grid, 0, heap, 1);
    const sight before = look(world);
    step_for(world, 0.1);
    const sight after = look(world);
    assert_true(info_of(world).max_speed == 0.0);
    assert_true(memcmp(&before, &after, sizeof before) == 0);
    rill_world_destroy(world);
}

/* A drop that hangs on a pane overhead by its contact angle is as high as Young and Laplace say of a pendant one: more than
 * the same drop on a table. It rests, and sleeps. */
static void drops_hang(void **state) {
    (void)state;
    double high[2];
    for (int over = 0; over < 2; ++over) {
        rill_world_def def = pane_def(over ? 180 : 0, true);
        rill_world *world = make_pane(&def);
        const drop one[] = { { 0.024, 0.024, 0.0034, 1.5e-8 } };
        add_drops(world, &def.grid, 0, one, 1);
        step_for(world, 4.0);
        const sight seen = look(world);
        high[over] = seen.deepest;
        assert_true(info_of(world).awake_columns == 0);
        assert_true(fabs(seen.x - 0.024) < 1e-5 && fabs(seen.y - 0.024) < 1e-5);
        assert_true(drained(world, "dripped") == 0.0);
        rill_world_destroy(world);
    }
    if (!(high[1] > 1.05 * high[0] && high[1] < 2.0 * high[0])) fail_msg("%g and %g m high", high[0], high[1]);
}

/* Films stay on panes overhead, and gather to drops there; of deep ones what tension cannot hold leaves. */
static void films_hang_and_drip(void **state) {
    (void)state;
    static const int turned[] = { 90, 120, 180 };
    for (int k = 0; k < 3; ++k)
        for (int tension = 0; tension < 2; ++tension) {
            rill_world_def def = pane_def(turned[k], tension);
            const double pull = 9.81 * -cos(turned[k] * acos(-1.0) / 180.0);
            const double most = k ? 2.0 * sqrt(def.liquid.surface_tension / (def.liquid.density * pull)) : INFINITY;
            def.edges[RILL_EAST].kind = RILL_EDGE_OPEN;
            rill_world *world = make_pane(&def);
            fill_evenly(world, 3e-4);
            step_for(world, 0.1);
            assert_true(drained(world, "dripped") == 0.0);
            fill_evenly(world, 9e-3);
            for (int i = 0; i < 60; ++i) {
                step_for(world, 1.0 / 120);
                must_be_valid(world);
            }
            const sight seen = look(world);
            assert_true(k == 0 ? drained(world, "dripped") == 0.0 : drained(world, "dripped") > 1e-6);
            /* Liquid that flows together in the last sub-step drips in the next. */
            if (!(seen.deepest < 1.6 * most && seen.volume > 1e-8))
                fail_msg("%d degrees: %g m deep, %g m3 left", turned[k], seen.deepest, seen.volume);
            rill_world_destroy(world);
        }
}

/* Liquid that drips from a pane that leans over falls aside as it falls: onto a ledge that sticks out of the pane further down, on
 * whose side it lands, or past the end of the pane. */
static void drips_land_below(void **state) {
    (void)state;
    for (int ledge = 0; ledge < 2; ++ledge) {
        rill_world_def def = pane_def(100, false);
        rill_world *world = NULL;
        rill_message message = { "" };
        if (rill_world_create(&def, &world, &message)) fail_msg("%s", message.text);
        add_block(world, "pane", -1, -1, -1, 49, 49, 0);
        if (ledge) add_block(world, "ledge", 30, -1, -1, 34, 49, 30);
        must(world, rill_bed_build(world));
        const drop heap[] = { { 0.012, 0.024, 0.004, 4e-7 } };
        add_drops(world, &def.grid, 0, heap, 1);
        must(world, rill_world_step(world, 1e-5));
        const double left = drained(world, "dripped");
        static double depths[CELLS];
        assert_int_equal(rill_world_read_field(world, RILL_FIELD_DEPTH, 0, depths, CELLS), RILL_OK);
        double landed = 0.0;
        for (int i = 0; i < CELLS; ++i)
            if (i % N >= 60 && i % N < 68) landed += depths[i] * DX * DX;
        assert_true(ledge ? left == 0.0 && landed > 1e-8 : left > 1e-8 && landed == 0.0);
        assert_true(ledger_error(world) == 0);
        rill_world_destroy(world);
    }
}

static rill_world *restored(rill_world *world, const rill_runtime *runtime) {
    const saved bytes = save(world);
    rill_world_destroy(world);
    world = load(bytes, runtime);
    free(bytes.bytes);
    return world;
}

/* Turned step by step from the floor to the ceiling and back, with or without tension: the same bits for any number of threads,
 * for scalar kernels and from snapshots. */
static void turned_panes_know_no_runtime(void **state) {
    (void)state;
    for (int tension = 0; tension < 2; ++tension) {
        rill_world *worlds[4];
        for (int k = 0; k < 4; ++k) {
            rill_world_def def = pane_def(0, tension);
            def.runtime.tasks.threads = k == 1 ? 3 : 1;
            def.runtime.scalar = k == 2;
            worlds[k] = make_pane(&def);
            const drop drops[] = { { 0.010, 0.020, 0.006, 3e-7 }, { 0.030, 0.012, 0.002, 1e-8 } };
            add_drops(worlds[k], &def.grid, 0, drops, 2);
        }
        for (int step = 0; step < 48; ++step) {
            for (int k = 0; k < 4; ++k) {
                rill_world_def def = pane_def((step < 24 ? step : 48 - step) * 180 / 24, true);
                must(worlds[k], rill_world_set_gravity(worlds[k], def.gravity));
                if (k == 3 && step % 10 == 5) worlds[k] = restored(worlds[k], &def.runtime);
                must(worlds[k], rill_world_step(worlds[k], 1.0 / 120));
                if (rill_world_hash(worlds[k]) != rill_world_hash(worlds[0]))
                    fail_msg("tension %d, step %d, runtime %d", tension, step, k);
            }
            must_be_valid(worlds[0]);
            assert_true(ledger_error(worlds[0]) == 0);
        }
        for (int k = 0; k < 4; ++k) rill_world_destroy(worlds[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit_test_alone(films_run_down_walls), unit_test_alone(levels_are_worth_nothing_without_gravity_into_the_bed),
        unit_test_alone(drops_hang),           unit_test_alone(films_hang_and_drip),
        unit_test_alone(drips_land_below),     unit_test_long(turned_panes_know_no_runtime)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
