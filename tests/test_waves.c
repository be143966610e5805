/* The method `waves`: rest, symmetry, exact volumes, the damping of its waves, large steps, snapshots, and what it
 * refuses. */
enum { SIDE = 40 };

#include "one_layer_pools.h"
#include "snapshots.h"

#include <math.h>

#define DX 0.001
#define PI 3.14159265358979323846

static rill_world_def waves_def(void) {
    rill_world_def def = rill_default_world_def();
    def.grid.cells[0] = def.grid.cells[1] = SIDE;
    def.grid.cell_size = DX;
    def.headroom = 0.05;
    def.solver.method = RILL_METHOD_WAVES;
    def.solver.max_substeps = 100000;
    def.liquid.surface_tension = 0.0;
    return def;
}

/* Some pillars stand out of anything. */
static double rough(int32_t x, int32_t y) {
    return noise(x, y, 1) > 0.95 ? 0.02 : 0.004 * noise(x, y, 2);
}
static double uneven(int32_t x, int32_t y) {
    return 0.004 * noise(x, y, 2);
}
static double puddles(int32_t x, int32_t y) {
    return noise(x / 3, y / 3, 3) < 0.4 ? 0.006 * noise(x, y, 4) : 0.0;
}
static double dam(int32_t x, int32_t y) {
    (void)y;
    return x < SIDE / 2 ? 0.01 : 0.0;
}

/* ----------------------------------------------------------------------------------------------- rest and symmetry */

static void test_still(void **state) {
    (void)state;
    const double steps[] = { 1.0 / 240.0, 1.0 / 60.0, 1.0 };
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i) {
        const rill_world_def def = waves_def();
        rill_world *world = make_pool(&def, rough, nothing);
        must(world, rill_world_fill_level(world, (double[]){ 0.5 * DX, 0.5 * DX, 0.03 }, 0.006, NULL));
        double before[CELLS], after[CELLS], faces[2 * CELLS];
        read(world, RILL_FIELD_DEPTH, before);
        run(world, 50, steps[i]);
        read(world, RILL_FIELD_DEPTH, after);
        read(world, RILL_FIELD_FACES, faces);
        assert_memory_equal(before, after, sizeof before);
        for (int k = 0; k < 2 * CELLS; ++k) assert_true(faces[k] == 0.0);
        assert_int_equal(rill_world_status(world), 0);
        rill_world_destroy(world);
    }
}

/* A surface level under tilted gravity, to a quantum: nothing starts to move. */
static void test_tilted_still(void **state) {
    (void)state;
    rill_world_def def = waves_def();
    def.gravity[0] = 0.98;
    rill_world *world = make_pool(&def, uneven, nothing);
    rill_bed_info info;
    must(world, rill_bed_get_info(world, &info));
    double depths[CELLS], after[CELLS], bed[CELLS];
    read(world, RILL_FIELD_BASE, bed);
    const double tilt = round(0.98 / 9.81 * DX / info.quantum) * info.quantum;
    for (int32_t i = 0; i < CELLS; ++i)
        depths[i] = round(0.005 / info.quantum) * info.quantum + tilt * (i % SIDE) - (bed[i] - info.lowest);
    must(world, rill_world_fill_depths(world, 0, depths, CELLS, NULL));
    read(world, RILL_FIELD_DEPTH, depths);
    run(world, 50, 1.0 / 60.0);
    read(world, RILL_FIELD_DEPTH, after);
    assert_memory_equal(depths, after, sizeof depths);
    rill_world_destroy(world);
}

static void test_symmetry(void **state) {
    (void)state;
    rill_world_def def = waves_def();
    judge_symmetry(&def, rough, puddles, 0.01);
    def.liquid.surface_tension = 0.0728;
    judge_symmetry(&def, rough, puddles, 0.01);
}

/* ----------------------------------------------------------------------------------------------------------- volume */

/* Dry ground, open and still edges, a source, a sink, gravity in any direction, hardly any headroom and steps far too long: the
 * ledger is exact, depths stay in their voids, and neither vector code nor threads change anything. */
static uint64_t run_wild(const double gravity[3], double tension, bool scalar, int32_t threads) {
    rill_world_def def = waves_def();
    def.liquid.surface_tension = tension;
    def.liquid.contact_angle = (rill_contact_angle){ .advancing = 70.0, .receding = 40.0 };
    def.liquid.drying = 0.1;
    def.headroom = 0.005;
    for (int axis = 0; axis < 3; ++axis) def.gravity[axis] = gravity[axis];
    def.edges[RILL_EAST].kind = RILL_EDGE_OPEN;
    def.edges[RILL_NORTH] = (rill_edge){ .kind = RILL_EDGE_STILL, .level = 0.005 };
    def.runtime.scalar = scalar;
    def.runtime.tasks.threads = threads;
    rill_world *world = make_pool(&def, rough, puddles);
    const rill_source_def well = point_source("well", 0.02, 0.02, 0.2, 1e-5);
    rill_source_def drain = point_source("drain", 0.005, 0.005, 0.2, 1e-6);
    drain.sink = true;
    must(world, rill_source_create(world, &well, NULL));
    must(world, rill_source_create(world, &drain, NULL));
    const double steps[] = { 1.0 / 240.0, 1.0 / 60.0, 1.0 / 15.0, 1.0 };
    for (int32_t i = 0; i < 80; ++i) {
        run(world, 1, steps[i % 4]);
        assert_int_equal(ledger_error(world), 0);
        must_be_valid(world);
    }
    const uint64_t hash = rill_world_hash(world);
    rill_world_destroy(world);
    return hash;
}

/* On a tray that is tilted, on a pane that stands upright, and on one that hangs over. */
static void test_volume(void **state) {
    (void)state;
    static const double gravities[][3] = { { 1.0, 0.0, -9.81 }, { 0.0, -9.81, 0.0 }, { 3.0, 2.0, 5.0 } };
    for (int i = 0; i < 6; ++i) {
        const double tension = 0.0728 * (i & 1);
        const uint64_t hash = run_wild(gravities[i / 2], tension, false, 1);
        assert_true(run_wild(gravities[i / 2], tension, true, 1) == hash);
        assert_true(run_wild(gravities[i / 2], tension, false, 3) == hash);
    }
}

/* ------------------------------------------------------------------------------------------------------------ waves */

static double wave(int32_t x, int32_t y) {
    (void)y;
    return 0.005 + 1e-6 * cos(PI * (x + 0.5) / SIDE);
}

/* Returns the amplitude of the lowest mode along x. */
static double amplitude(const rill_world *world) {
    double depths[CELLS], sum = 0.0;
    read(world, RILL_FIELD_DEPTH, depths);
    for (int32_t i = 0; i < CELLS; ++i) sum += (depths[i] - 0.005) * cos(PI * (i % SIDE + 0.5) / SIDE);
    return sum * 2.0 / CELLS;
}

/* The theta scheme of one mode, h cos(k x) and u sin(k x): u' = u + dt g k (h + theta dh), dh = -dt k d (theta u' +
 * (1 - theta) u). */
static void test_scheme(void **state) {
    (void)state;
    const double dts[] = { 1e-3, 1.0 / 60.0, 1.0 / 15.0 }, thetas[] = { 0.5, 0.55, 1.0 };
    for (int i = 0; i < 9; ++i) {
        rill_world_def def = waves_def();
        const double dt = dts[i / 3], theta = thetas[i % 3];
        def.liquid.viscosity = 0.0;
        def.solver.advection = false;
        def.solver.waves.theta = theta;
        def.solver.waves.tolerance = 1e-6;
        rill_world *world = make_pool(&def, nothing, wave);
        const double k = 2.0 / DX * sin(0.5 * PI / SIDE), stiffness = 9.81 * k, depth = 0.005;
        double h = amplitude(world), u = 0.0, worst = 0.0;
        const double begun = h;
        for (int step = 0; step < 20; ++step) {
            const double before = u;
            u = (u + dt * stiffness * (h - theta * (1.0 - theta) * dt * k * depth * u)) /
                (1.0 + dt * dt * theta * theta * stiffness * k * depth);
            h -= dt * k * depth * (theta * u + (1.0 - theta) * before);
            run(world, 1, dt);
            worst = fmax(worst, fabs(amplitude(world) - h));
        }
        if (worst > 2e-3 * begun) fail_msg("dt %g, theta %g: off by %g of %g", dt, theta, worst, begun);
        assert_int_equal(rill_world_status(world), 0);
        rill_world_destroy(world);
    }
}

/* A dam breaks over rough ground in steps in which waves pass many cells: energy falls, and the pool comes to rest. */
static void test_large_steps(void **state) {
    (void)state;
    const double steps[] = { 1.0 / 60.0, 1.0 / 15.0 };
    for (int i = 0; i < 2; ++i) {
        const rill_world_def def = waves_def();
        rill_world *world = make_pool(&def, uneven, dam);
        rill_energy energy;
        must(world, rill_world_get_energy(world, &energy));
        double most = energy.potential + energy.kinetic, levels[CELLS], bed[CELLS], lowest = 1.0, highest = 0.0;
        const double begun = most;
        rill_status seen = 0;
        for (int step = 0; step * steps[i] < 20.0; ++step) {
            run(world, 1, steps[i]);
            seen |= rill_world_status(world);
            must(world, rill_world_get_energy(world, &energy));
            assert_true(energy.potential + energy.kinetic < begun);
        }
        read(world, RILL_FIELD_DEPTH, levels);
        read(world, RILL_FIELD_BASE, bed);
        for (int32_t k = 0; k < CELLS; ++k) {
            lowest = fmin(lowest, levels[k] + bed[k]);
            highest = fmax(highest, levels[k] + bed[k]);
        }
        assert_true(highest - lowest < 2e-4);
        assert_true(seen & RILL_STATUS_SPEED_CAPPED);
        assert_int_equal(ledger_error(world), 0);
        rill_world_destroy(world);
    }
}

/* The sub-step is the user's wish; a solve that is stopped early says so. */
static void test_controls(void **state) {
    (void)state;
    rill_world_def def = waves_def();
    def.solver.waves.time_step = 0.003;
    def.solver.waves.iterations = 2;
    def.solver.waves.tolerance = 1e-6;
    rill_world *world = make_pool(&def, nothing, puddles);
    run(world, 1, 0.01);
    rill_step_info info;
    must(world, rill_world_get_step_info(world, &info));
    assert_int_equal(info.substeps, 4);
    assert_true(info.status & RILL_STATUS_WAVES_CAPPED);
    assert_string_equal(rill_status_name(RILL_STATUS_WAVES_CAPPED), "waves capped");
    assert_string_equal(rill_status_name(RILL_STATUS_SPEED_CAPPED), "speed capped");
    rill_world_destroy(world);
}

/* ------------------------------------------------------------------------------------------------------------ drops */

#define DROP_DX 0.0004

static double flat_drop(int32_t x, int32_t y) {
    const double dx = (x - 19.63) * DROP_DX, dy = (y - 19.28) * DROP_DX, r2 = dx * dx + dy * dy, R2 = 3.0e-3 * 3.0e-3;
    return r2 < R2 ? 1.4e-3 * (1.0 - r2 / R2) : 0.0;
}

static rill_world_def drop_def(double advancing, double receding) {
    rill_world_def def = waves_def();
    def.grid.cell_size = DROP_DX;
    rill_liquid_preset("water", &def.liquid);
    def.liquid.contact_angle = (rill_contact_angle){ advancing, receding };
    return def;
}

/* Returns the middle of the liquid along x, m, and how high it stands. */
static double middle(const rill_world *world, double *highest) {
    double depths[CELLS], sum = 0.0, moment = 0.0;
    *highest = 0.0;
    read(world, RILL_FIELD_DEPTH, depths);
    for (int32_t i = 0; i < CELLS; ++i) {
        sum += depths[i];
        moment += depths[i] * (i % SIDE + 0.5) * DROP_DX;
        *highest = fmax(*highest, depths[i]);
    }
    return moment / sum;
}

/* A drop of 20 microlitres at 60 degrees is 1.45 mm high (Young & Laplace), and loses energy until it rests. */
static void test_drop(void **state) {
    (void)state;
    rill_world_def def = drop_def(60.0, 60.0);
    def.solver.waves.theta = 1.0;
    rill_world *world = make_pool(&def, nothing, flat_drop);
    assert_true(rill_world_has_tension(world, NULL));
    rill_energy energy;
    double before = INFINITY, high;
    for (int i = 0; i < 120; ++i) {
        run(world, 1, 1.0 / 60.0);
        must(world, rill_world_get_energy(world, &energy));
        const double all = energy.potential + energy.kinetic + energy.surface;
        assert_true(energy.surface > 0.0 && all < before + 1e-9);
        before = all;
    }
    middle(world, &high);
    if (!(high > 1.32e-3 && high < 1.46e-3)) fail_msg("%g mm high", 1e3 * high);
    rill_step_info info;
    must(world, rill_world_get_step_info(world, &info));
    assert_true(info.max_speed < 1e-3);
    assert_int_equal(ledger_error(world), 0);
    rill_world_destroy(world);
}

/* On a pane tilted by 15 degrees a drop stays where angles differ by 30 degrees, and runs where they do not. */
static void test_hold(void **state) {
    (void)state;
    double shifts[2], high;
    for (int holds = 0; holds < 2; ++holds) {
        rill_world_def def = drop_def(holds ? 70.0 : 50.0, holds ? 40.0 : 50.0);
        def.gravity[0] = 2.54, def.gravity[2] = -9.48;
        def.solver.waves.time_step = 1.0 / 240.0;
        rill_world *world = make_pool(&def, nothing, flat_drop);
        run(world, holds ? 60 : 4, 1.0 / 60.0); /* until it has its shape */
        const double begun = middle(world, &high);
        run(world, 12, 1.0 / 60.0);
        shifts[holds] = middle(world, &high) - begun;
        rill_world_destroy(world);
    }
    if (!(fabs(shifts[1]) < 2e-6)) fail_msg("went %g mm", 1e3 * shifts[1]);
    if (!(shifts[0] > 2e-4)) fail_msg("went only %g mm", 1e3 * shifts[0]);
}

/* -------------------------------------------------------------------------------------------------------- snapshots */

static void test_go_on(void **state) {
    (void)state;
    rill_world_def def = waves_def();
    def.liquid.surface_tension = 0.0728;
    def.liquid.drying = 0.2;
    rill_world *world = make_pool(&def, rough, puddles);
    run(world, 10, 1.0 / 60.0);
    const saved s = save(world);
    run(world, 10, 1.0 / 60.0);
    rill_world *again = load(s, NULL);
    run(again, 10, 1.0 / 60.0);
    assert_true(rill_world_hash(world) == rill_world_hash(again));
    must(world, rill_snapshot_restore(world, s.bytes, s.size));
    run(world, 10, 1.0 / 60.0);
    assert_true(rill_world_hash(world) == rill_world_hash(again));
    free(s.bytes);
    rill_world_destroy(world);
    rill_world_destroy(again);
}

/* --------------------------------------------------------------------------------------------------------- refusals */

static void test_refusals(void **state) {
    (void)state;
    rill_world_def def = waves_def();
    rill_world *world = make_pool(&def, nothing, puddles);
    const rill_body_def body = rill_default_body_def();
    must_refuse(world, rill_body_create(world, &body, NULL), RILL_INVALID_STATE, "RILL_METHOD_WAVES");
    rill_solver solver = def.solver;
    solver.waves.theta = 0.4;
    must_refuse(world, rill_world_set_solver(world, &solver), RILL_INVALID_ARGUMENT, "solver.waves.theta is 0.4");
    rill_solid_id id;
    const rill_solid_def roof = box_def("roof", 0.01, 0.01, 0.02, 0.02, 0.02, 0.03);
    must(world, rill_solid_create(world, &roof, &id));
    must_refuse(world, rill_bed_build(world), RILL_INVALID_STATE, "method waves is for one layer");
    must(world, rill_solid_destroy(world, id));
    must(world, rill_bed_build(world));
    run(world, 2, 0.01);
    rill_world_destroy(world);
}

/* To the method and back, with what flows; without memory nothing changes. */
static void test_changing(void **state) {
    (void)state;
    test_memory memory = { 0 };
    rill_world_def def = waves_def();
    def.runtime.allocator = test_allocator(&memory);
    def.solver.method = RILL_METHOD_PIPES;
    rill_world *world = make_pool(&def, nothing, puddles);
    run(world, 5, 0.01);
    rill_solver solver = def.solver;
    solver.method = RILL_METHOD_WAVES;
    const uint64_t hash = rill_world_hash(world);
    rill_result result;
    for (long failing = 1;; ++failing) {
        memory.count = 0;
        memory.fail_at = failing;
        result = rill_world_set_solver(world, &solver);
        memory.fail_at = 0;
        if (result == RILL_OK) break;
        assert_int_equal(result, RILL_OUT_OF_MEMORY);
        assert_true(rill_world_hash(world) == hash && failing < 20);
    }
    run(world, 5, 0.01);
    must_be_valid(world);
    must(world, rill_world_set_solver(world, &def.solver));
    run(world, 5, 0.01);
    must_be_valid(world);
    assert_int_equal(ledger_error(world), 0);
    rill_world_destroy(world);
    assert_int_equal(memory.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_still),    cmocka_unit_test(test_tilted_still), cmocka_unit_test(test_symmetry),
        cmocka_unit_test(test_volume),   cmocka_unit_test(test_scheme),       cmocka_unit_test(test_large_steps),
        cmocka_unit_test(test_controls), cmocka_unit_test(test_drop),         cmocka_unit_test(test_hold),
        cmocka_unit_test(test_go_on),    cmocka_unit_test(test_refusals),     cmocka_unit_test(test_changing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
