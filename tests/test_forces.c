/* Forces from outside: fields of pressure and of acceleration, and brushes. Rest in a potential, the speed of
 * films, flooded passages, layers, tanks; bits, snapshots, memory, refusals. */
#include "snapshots.h"

#include <math.h>

enum { NX = 40, NY = 24, CELLS = NX * NY };

#define DX 0.001
#define G 9.81

static rill_world *make_tray(const rill_world_def *def, double depth) {
    rill_world *world = NULL;
    rill_message message = { "" };
    if (rill_world_create(def, &world, &message) != RILL_OK) fail_msg("%s", message.text);
    const rill_solid_def floor = box_def("floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
    rill_solid_id id;
    must(world, rill_solid_create(world, &floor, &id));
    must(world, rill_bed_build(world));
    if (depth > 0.0) must(world, rill_world_fill_level(world, (double[]){ 0.5 * DX, 0.5 * DX, 0.0 }, depth, NULL));
    return world;
}

static rill_world_def tray_def(void) {
    rill_world_def def = rill_default_world_def();
    def.grid.cells[0] = NX;
    def.grid.cells[1] = NY;
    def.grid.cell_size = DX;
    def.headroom = 0.02;
    def.solver.tension = RILL_TENSION_OFF; /* heads alone have known answers */
    return def;
}

static void set_field(rill_world *world, int32_t layer, const double *pressures, const double *accelerations) {
    rill_grid grid;
    must(world, rill_world_get_grid(world, &grid));
    const size_t cells = (size_t)grid.cells[0] * (size_t)grid.cells[1];
    must(world, rill_world_set_force_field(world, &(rill_force_field){ layer, pressures, accelerations, cells }));
}

static void read(const rill_world *world, rill_field field, double *out) {
    const size_t count = field == RILL_FIELD_FACES ? 2 * CELLS : CELLS;
    assert_int_equal(rill_world_read_field(world, field, 0, out, count), RILL_OK);
}

static int awake(const rill_world *world) {
    double field[CELLS];
    int count = 0;
    read(world, RILL_FIELD_AWAKE, field);
    for (int i = 0; i < CELLS; ++i) count += field[i] > 0.0;
    return count;
}

static void near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance)) fail_msg("%.9g is not %.9g within %g", value, expected, tolerance);
}

/* Pa: hills and valleys of up to 1.5 mm of water. */
static void bumps(double *pressures) {
    for (int i = 0; i < CELLS; ++i)
        pressures[i] = 998.0 * G * 0.00075 * (1.0 + sin(0.31 * (i % NX)) * cos(0.23 * (i / NX)));
}

/* ------------------------------------------------------------------------------------------------------------- rest */

/* A lake in a potential comes to rest where level and pressure balance, and sleeps; other fields wake it. */
static void test_rest(void **state) {
    (void)state;
    static const bool modes[] = { true, false };
    for (int mode = 0; mode < 2; ++mode) {
        rill_world_def def = tray_def();
        def.liquid.viscosity = 1e-4;
        def.solver.advection = modes[mode];
        rill_world *world = make_tray(&def, 0.003);
        double pressures[CELLS], depths[CELLS];
        bumps(pressures);
        for (int i = 0; i < CELLS; ++i) pressures[i] += 101325.0; /* only differences matter */
        run(world, 200, 0.01);
        assert_int_equal(awake(world), 0);
        set_field(world, RILL_ALL_LAYERS, pressures, NULL);
        assert_true(awake(world) > CELLS / 2);
        run(world, 600, 0.01);
        assert_int_equal(awake(world), 0);
        read(world, RILL_FIELD_DEPTH, depths);
        const double head = depths[0] + pressures[0] / (998.0 * G);
        for (int i = 0; i < CELLS; ++i) near(depths[i] + pressures[i] / (998.0 * G), head, 1e-6);
        assert_int_equal(ledger_error(world), 0);
        const uint64_t still = rill_world_hash(world);
        set_field(world, RILL_ALL_LAYERS, pressures, NULL); /* again: nobody wakes */
        assert_int_equal(awake(world), 0);
        assert_true(rill_world_hash(world) == still);
        must(world, rill_world_set_force_field(world, NULL));
        run(world, 600, 0.01);
        read(world, RILL_FIELD_DEPTH, depths);
        for (int i = 0; i < CELLS; ++i) near(depths[i], 0.003, 1e-6);
        assert_int_equal(awake(world), 0);
        rill_world_destroy(world);
    }
}

/* Rests where tension acts, too: its solve knows of potentials and of accelerations, so that what hangs together rests on them.
 * 1 m/s2 along x, and a potential whose slope takes half of it away. */
static void test_rest_with_tension(void **state) {
    (void)state;
    rill_world_def def = tray_def();
    def.liquid.viscosity = 2e-5;
    def.solver.tension = RILL_TENSION_ON;
    rill_world *world = make_tray(&def, 0.004);
    double pressures[CELLS], accelerations[2 * CELLS], depths[CELLS];
    for (int i = 0; i < CELLS; ++i) {
        pressures[i] = 998.0 * 0.5 * DX * (i % NX);
        accelerations[2 * i] = 1.0;
        accelerations[2 * i + 1] = 0.0;
    }
    assert_true(rill_world_has_tension(world, NULL));
    set_field(world, RILL_ALL_LAYERS, pressures, accelerations);
    run(world, 1500, 0.01);
    read(world, RILL_FIELD_DEPTH, depths);
    near((depths[NY / 2 * NX + 30] - depths[NY / 2 * NX + 10]) / (20 * DX), 0.5 / G, 1e-3);
    assert_int_equal(awake(world), 0);
    assert_int_equal(ledger_error(world), 0);
    rill_world_destroy(world);
}

/* Levels that are laid in balance with the field move no quantum: what is a potential for the flow is exact. */
static void test_exact_rest(void **state) {
    (void)state;
    const rill_world_def def = tray_def();
    rill_world *world = make_tray(&def, 0.003);
    double pressures[CELLS], depths[CELLS], after[CELLS];
    bumps(pressures);
    for (int i = 0; i < CELLS; ++i) depths[i] = 0.004 - pressures[i] / (998.0 * G);
    must(world, rill_world_fill_depths(world, 0, depths, CELLS, NULL));
    set_field(world, 0, pressures, NULL);
    read(world, RILL_FIELD_DEPTH, depths);
    run(world, 300, 0.01);
    read(world, RILL_FIELD_DEPTH, after);
    for (int i = 0; i < CELLS; ++i) near(after[i], depths[i], 5e-9); /* a quantum is 1e-10 m */
    assert_int_equal(awake(world), 0);
    rill_world_destroy(world);
}

/* ------------------------------------------------------------------------------------------------------------ speed */

/* A film under an acceleration runs at Nusselt's a H^2 / (3 nu), as down a slope; the same along y. */
static void test_films(void **state) {
    (void)state;
    for (int axis = 0; axis < 2; ++axis) {
        rill_world_def def = tray_def();
        def.liquid.viscosity = 1e-4;
        rill_world *world = make_tray(&def, 0.0005);
        double accelerations[2 * CELLS], faces[2 * CELLS];
        for (int i = 0; i < 2 * CELLS; ++i) accelerations[i] = i % 2 == axis ? 1.0 : 0.0;
        set_field(world, RILL_ALL_LAYERS, NULL, accelerations);
        run(world, 10, 0.01);
        read(world, RILL_FIELD_FACES, faces);
        near(faces[2 * (NY / 2 * NX + NX / 2) + axis], 0.0005 * 0.0005 / 3e-4, 1e-6);
        near(faces[2 * (NY / 2 * NX + NX / 2) + 1 - axis], 0.0, 1e-9);
        rill_world_destroy(world);
    }
}

/* An even acceleration is as good as tilted gravity, also over an edge. */
static void test_tilt(void **state) {
    (void)state;
    double tilted[CELLS], driven[CELLS], accelerations[2 * CELLS];
    for (int i = 0; i < 2 * CELLS; ++i) accelerations[i] = i % 2 ? -0.4 : 0.7;
    rill_world_def def = tray_def();
    def.edges[RILL_EAST].kind = RILL_EDGE_OPEN;
    rill_world *world = make_tray(&def, 0.002);
    set_field(world, RILL_ALL_LAYERS, NULL, accelerations);
    run(world, 30, 0.01);
    read(world, RILL_FIELD_DEPTH, driven);
    assert_int_equal(ledger_error(world), 0);
    rill_world_destroy(world);
    def.gravity[0] = 0.7;
    def.gravity[1] = -0.4;
    world = make_tray(&def, 0.002);
    run(world, 30, 0.01);
    read(world, RILL_FIELD_DEPTH, tilted);
    for (int i = 0; i < CELLS; ++i) near(driven[i], tilted[i], 1e-6);
    rill_world_destroy(world);
}

/* Sub-steps become as short as a strong field asks for, and nothing is capped. */
static void test_strong(void **state) {
    (void)state;
    const rill_world_def def = tray_def();
    rill_world *world = make_tray(&def, 0.002);
    double pressures[CELLS];
    for (int i = 0; i < CELLS; ++i) pressures[i] = i % NX == 20 ? 300.0 : 0.0;
    set_field(world, RILL_ALL_LAYERS, pressures, NULL);
    for (int i = 0; i < 50; ++i) {
        run(world, 1, 0.01);
        assert_int_equal(rill_world_status(world), 0);
        assert_int_equal(ledger_error(world), 0);
    }
    for (int i = 0; i < CELLS; ++i) pressures[i] = i % NX > 20 ? 1e9 : -1e9;
    set_field(world, RILL_ALL_LAYERS, pressures, NULL);
    run(world, 5, 0.001);
    must_be_valid(world);
    assert_int_equal(ledger_error(world), 0);
    rill_world_destroy(world);
}

/* ---------------------------------------------------------------------------------------------- passages and layers */

/* Two wells joined by a slit under a wall that is flooded: pressure on one raises the other. */
static void test_passage(void **state) {
    (void)state;
    static const rill_passages kinds[] = { RILL_PASSAGES_ANY, RILL_PASSAGES_STRAIGHT };
    for (int kind = 0; kind < 2; ++kind) {
        rill_world_def def = tray_def();
        def.liquid.viscosity = 1e-5;
        def.solver.passages = kinds[kind];
        rill_world *world = make_tray(&def, 0.0);
        const rill_solid_def wall = box_def("wall", 0.014, -1.0, 0.001, 0.026, 1.0, 0.012);
        rill_solid_id id;
        must(world, rill_solid_create(world, &wall, &id));
        must(world, rill_bed_build(world));
        must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.005, NULL));
        double pressures[CELLS], depths[CELLS];
        for (int i = 0; i < CELLS; ++i) pressures[i] = i % NX < 20 ? 998.0 * G * 0.002 : 0.0;
        set_field(world, 0, pressures, NULL);
        run(world, 1500, 0.01);
        read(world, RILL_FIELD_DEPTH, depths);
        near(depths[NX - 1] - depths[0], 0.002, 2e-6);
        assert_int_equal(ledger_error(world), 0);
        must_be_valid(world);
        if (kinds[kind] == RILL_PASSAGES_ANY) assert_int_equal(awake(world), 0);
        rill_world_destroy(world);
    }
}

enum { HOUSE = 20 * 10 };

/* Returns what is left on the platform of a house after a second with a field along x on some layer. */
static double left_on_top(int32_t layer, double acceleration, double *below) {
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    double accelerations[2 * HOUSE], volume;
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.001, NULL));
    for (int i = 0; i < HOUSE; ++i) below[i] = i % 20 >= 5 && i % 20 < 15 ? 0.0002 : (double)NAN;
    must(world, rill_world_fill_depths(world, 1, below, HOUSE, NULL));
    for (int i = 0; i < 2 * HOUSE; ++i) accelerations[i] = i % 2 ? 0.0 : acceleration;
    set_field(world, layer, NULL, accelerations);
    run(world, 10, 0.01);
    assert_int_equal(rill_world_read_field(world, RILL_FIELD_DEPTH, 0, below, HOUSE), RILL_OK);
    must(world,
         rill_query_box_volume(world, (double[]){ 0.005, 0.0, 0.005 }, (double[]){ 0.015, 0.01, 0.01 }, &volume));
    assert_int_equal(ledger_error(world), 0);
    must_be_valid(world);
    rill_world_destroy(world);
    return volume;
}

/* A field of one layer leaves the others alone; pipes between layers are driven, too. */
static void test_layers(void **state) {
    (void)state;
    double below[HOUSE];
    const double calm = left_on_top(RILL_ALL_LAYERS, 0.0, below);
    const double only_below = left_on_top(0, 0.5, below), all = left_on_top(RILL_ALL_LAYERS, 20.0, below);
    near(only_below, calm, 0.1 * calm); /* the pipes over the brink are half pushed */
    assert_true(all < 0.5 * calm);
    left_on_top(0, 0.5, below);
    assert_true(below[16] > below[0] + 0.0003);
}

/* In a tank the level slopes by a / g under an even acceleration, along a diagonal as well. */
static void test_tank(void **state) {
    (void)state;
    rill_world_def def = tray_def();
    def.solver.method = RILL_METHOD_KANDEMIR;
    def.solver.kandemir.vanishing = 1e-4;
    rill_world *world = make_tray(&def, 0.005);
    double accelerations[2 * CELLS], depths[CELLS];
    for (int i = 0; i < 2 * CELLS; ++i) accelerations[i] = i % 2 ? 0.2 : -0.3;
    set_field(world, 0, NULL, accelerations);
    run(world, 300, 0.01);
    read(world, RILL_FIELD_DEPTH, depths);
    near(depths[CELLS - 1] - depths[0], (0.2 * (NY - 1) - 0.3 * (NX - 1)) * DX / G, 1e-6);
    assert_int_equal(ledger_error(world), 0);
    rill_solver solver = def.solver;
    solver.method = RILL_METHOD_PIPES; /* the field goes with it */
    must(world, rill_world_set_solver(world, &solver));
    run(world, 1000, 0.01);
    read(world, RILL_FIELD_DEPTH, depths);
    near(depths[CELLS - 1] - depths[0], (0.2 * (NY - 1) - 0.3 * (NX - 1)) * DX / G, 1e-5);
    rill_world_destroy(world);
}

/* The method `waves` has forces in its solve: pressures and accelerations, and both without gravity, too. */
static void test_waves(void **state) {
    (void)state;
    rill_world_def def = tray_def();
    def.solver.method = RILL_METHOD_WAVES;
    def.liquid.viscosity = 1e-4;
    def.liquid.surface_tension = 0.0;
    rill_world *world = make_tray(&def, 0.004);
    double pressures[CELLS], accelerations[2 * CELLS], depths[CELLS], faces[2 * CELLS];
    bumps(pressures);
    for (int i = 0; i < CELLS; ++i) {
        pressures[i] += 998.0 * 0.5 * DX * (i % NX);
        accelerations[2 * i] = 1.0;
        accelerations[2 * i + 1] = 0.0;
    }
    set_field(world, 0, pressures, accelerations);
    run(world, 300, 0.02);
    read(world, RILL_FIELD_DEPTH, depths);
    const double head = depths[0] + pressures[0] / (998.0 * G);
    for (int i = 0; i < CELLS; ++i) near(depths[i] + pressures[i] / (998.0 * G) - i % NX * DX / G, head, 2e-5);
    assert_int_equal(ledger_error(world), 0);
    must(world, rill_world_set_gravity(world, (double[3]){ 0.0 }));
    set_field(world, 0, NULL, accelerations);
    run(world, 1, 0.01);
    read(world, RILL_FIELD_FACES, faces);
    assert_true(faces[2 * (12 * NX + 20)] > 0.003);
    must_be_valid(world);
    rill_world_destroy(world);
}

/* ------------------------------------------------------------------------------------------------------------ brush */

static void test_brush(void **state) {
    (void)state;
    const rill_world_def def = tray_def();
    rill_world *world = make_tray(&def, 0.001);
    const rill_brush brush = { { 0.020, 0.012, 0.001 }, 0.005, { 3.0, 0.0 } };
    double faces[2 * CELLS];
    run(world, 200, 0.01);
    assert_int_equal(awake(world), 0);
    must(world, rill_world_brush(world, &brush));
    run(world, 1, 0.01);
    read(world, RILL_FIELD_FACES, faces);
    assert_true(faces[2 * (12 * NX + 20)] > 0.003); /* 0.03 m/s, less what has run against the rest */
    assert_true(faces[2 * (12 * NX + 5)] < 1e-4);
    assert_true(awake(world) > 0);
    run(world, 1500, 0.01); /* only one step long */
    assert_int_equal(awake(world), 0);
    assert_int_equal(ledger_error(world), 0);
    for (int i = 0; i < 30; ++i) { /* no hand is too strong */
        const rill_brush wild = { { 0.020, 0.012, 0.001 }, 0.008, { i % 2 ? 1e20 : -1e20, 1e30 } };
        must(world, rill_world_brush(world, &wild));
        must(world, rill_world_brush(world, &wild));
        run(world, 1, 0.01);
        rill_step_info info;
        must(world, rill_world_get_step_info(world, &info));
        assert_int_equal(info.status, 0);
        assert_true(info.max_speed < 10.0 && info.substeps < 64);
        must_be_valid(world);
        assert_int_equal(ledger_error(world), 0);
    }
    rill_world_destroy(world);
}

/* ------------------------------------------------------------------------------------------------------------- bits */

/* A busy world: fields, a control in its window, brushes, a solid that moves into a bed with more room. */
static void play(rill_world *world, int from, int to) {
    const rill_solid_id wall = rill_solid_find(world, "wall");
    for (int i = from; i < to; ++i) {
        const rill_brush brush = { { 0.003 + 0.0002 * i, 0.005, 0.001 }, 0.003, { 4.0, 1.0 } };
        if (i % 3 == 0) must(world, rill_world_brush(world, &brush));
        if (i > 10)
            must(world, rill_solid_set_pose(world, wall, (double[]){ -2e-4 * (i - 10), 0.0, 0.0 }, (double[3]){ 0 }));
        run(world, 1, 0.01);
        assert_int_equal(ledger_error(world), 0);
    }
}

static rill_world *make_driven_house(const rill_runtime *runtime) {
    rill_world *world = make_busy_house(runtime);
    double pressures[HOUSE], accelerations[2 * HOUSE];
    for (int i = 0; i < HOUSE; ++i) pressures[i] = 10.0 * sin(0.7 * (i % 20)) * cos(0.5 * (i / 20));
    for (int i = 0; i < 2 * HOUSE; ++i) accelerations[i] = 0.5 * sin(0.3 * i);
    set_field(world, RILL_ALL_LAYERS, pressures, NULL);
    set_field(world, 1, NULL, accelerations);
    rill_control_def control = rill_default_control_def();
    control.name = "pond";
    control.points = (double[]){ 0.002, 0.002, 0.008, 0.003, 0.005, 0.008 };
    control.corners = (int32_t[]){ 3 };
    control.polygon_count = 1;
    control.strength = 2.0;
    control.from = 0.05;
    control.until = 0.155;
    must(world, rill_control_create(world, &control, NULL));
    return world;
}

static void test_bits(void **state) {
    (void)state;
    rill_runtime plain = rill_default_world_def().runtime, other = plain;
    other.scalar = true;
    other.tasks.threads = 3;
    rill_world *one = make_driven_house(&plain), *two = make_driven_house(&other);
    play(one, 0, 30);
    play(two, 0, 30);
    assert_true(rill_world_hash(one) == rill_world_hash(two));
    must_be_valid(one);
    rill_world_destroy(one);
    rill_world_destroy(two);
}

/* Nothing but speed depends on what is skipped. */
static void test_idle(void **state) {
    (void)state;
    uint64_t hashes[2];
    for (int i = 0; i < 2; ++i) {
        rill_world *world = make_driven_house(NULL);
        rill_solver solver;
        must(world, rill_world_get_solver(world, &solver));
        solver.skip_idle = i == 0;
        must(world, rill_world_set_solver(world, &solver));
        play(world, 0, 30);
        solver.skip_idle = true;
        must(world, rill_world_set_solver(world, &solver));
        double depths[200];
        must(world, rill_world_read_field(world, RILL_FIELD_DEPTH, 0, depths, 200));
        hashes[i] = 0;
        for (int k = 0; k < 200; ++k) hashes[i] = hashes[i] * 31 + (uint64_t)llrint(depths[k] * 0x1p33);
        rill_world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

static void test_snapshots(void **state) {
    (void)state;
    for (int when = 0; when <= 24; when += 6) {
        rill_world *world = make_driven_house(NULL);
        play(world, 0, when);
        const rill_brush waiting = { { 0.003, 0.005, 0.001 }, 0.003, { -4.0, 1.0 } };
        must(world, rill_world_brush(world, &waiting));
        const saved s = save(world);
        rill_world *copy = load(s, NULL);
        assert_true(rill_world_hash(copy) == rill_world_hash(world));
        play(world, when, 30);
        play(copy, when, 30);
        assert_true(rill_world_hash(copy) == rill_world_hash(world));
        must(world, rill_snapshot_restore(world, s.bytes, s.size));
        play(world, when, 30);
        assert_true(rill_world_hash(copy) == rill_world_hash(world));
        assert_int_equal(rill_world_control_count(copy), 1);
        assert_string_equal(rill_control_name(copy, rill_world_control_at(copy, 0)), "pond");
        rill_world_destroy(copy);
        rill_world_destroy(world);
        free(s.bytes);
    }
}

/* A world that is asleep in its field is so when it is loaded. */
static void test_asleep(void **state) {
    (void)state;
    rill_world_def def = tray_def();
    def.liquid.viscosity = 1e-4;
    rill_world *world = make_tray(&def, 0.003);
    double pressures[CELLS];
    bumps(pressures);
    set_field(world, RILL_ALL_LAYERS, pressures, NULL);
    run(world, 600, 0.01);
    const saved s = save(world);
    rill_world *copy = load(s, NULL);
    assert_int_equal(awake(copy), 0);
    run(copy, 10, 0.01);
    run(world, 10, 0.01);
    assert_true(rill_world_hash(copy) == rill_world_hash(world));
    rill_world_destroy(copy);
    rill_world_destroy(world);
    free(s.bytes);
}

static void test_damage(void **state) {
    (void)state;
    rill_world *world = make_driven_house(NULL);
    const rill_brush waiting = { { 0.003, 0.005, 0.001 }, 0.003, { -4.0, 1.0 } };
    must(world, rill_world_brush(world, &waiting));
    check_truncations(world);
    rill_world_destroy(world);
}

/* ------------------------------------------------------------------------------------------------ memory, refusals */

static void test_no_memory(void **state) {
    (void)state;
    test_memory memory = { 0 };
    rill_world_def def = house_def();
    def.runtime.allocator = test_allocator(&memory);
    rill_world *world = make_house(&def);
    double pressures[200] = { 1.0 }, accelerations[400] = { 1.0 };
    const rill_force_field field = { 0, pressures, accelerations, 200 };
    const rill_brush brush = { { 0.003, 0.005, 0.001 }, 0.003, { -4.0, 1.0 } };
    rill_control_def control = rill_default_control_def();
    control.points = (double[]){ 0.002, 0.002, 0.008, 0.003, 0.005, 0.008 };
    control.corners = (int32_t[]){ 3 };
    control.polygon_count = 1;
    for (int call = 0; call < 3; ++call) {
        rill_result result = RILL_OUT_OF_MEMORY;
        for (int fails = 1; result; ++fails) {
            const uint64_t before = rill_world_hash(world);
            memory.fail_at = memory.count + fails;
            result = call == 0   ? rill_world_set_force_field(world, &field)
                     : call == 1 ? rill_world_brush(world, &brush)
                                 : rill_control_create(world, &control, NULL);
            memory.fail_at = 0;
            if (result) must_refuse(world, result, RILL_OUT_OF_MEMORY, "no memory");
            if (result) assert_true(rill_world_hash(world) == before);
            must_be_valid(world);
        }
    }
    run(world, 3, 0.01);
    const long count = memory.count;
    for (int i = 0; i < 5; ++i) { /* drags on without any more */
        must(world, rill_world_brush(world, &brush));
        run(world, 1, 0.01);
    }
    assert_int_equal(memory.count, count);
    rill_world_destroy(world);
    assert_int_equal(memory.live, 0);
}

static void test_refusals(void **state) {
    (void)state;
    rill_world_def def = house_def();
    rill_world *bare = NULL;
    assert_int_equal(rill_world_create(&def, &bare, NULL), RILL_OK);
    double pressures[200] = { 0.0 }, accelerations[400] = { 0.0 };
    rill_force_field field = { 0, pressures, accelerations, 200 };
    rill_brush brush = { { 0.0 }, 0.003, { 1.0, 1.0 } };
    must_refuse(bare, rill_world_set_force_field(bare, &field), RILL_INVALID_STATE, "rill_bed_build");
    must_refuse(bare, rill_world_brush(bare, &brush), RILL_INVALID_STATE, "rill_bed_build");
    rill_world_destroy(bare);
    assert_int_equal(rill_world_set_force_field(NULL, &field), RILL_INVALID_ARGUMENT);
    assert_int_equal(rill_world_brush(NULL, &brush), RILL_INVALID_ARGUMENT);
    rill_world *world = make_house(&def);
    field.layer = 2;
    must_refuse(world, rill_world_set_force_field(world, &field), RILL_INVALID_ARGUMENT, "expected RILL_ALL_LAYERS");
    field.layer = -2;
    must_refuse(world, rill_world_set_force_field(world, &field), RILL_INVALID_ARGUMENT, "field.layer is -2");
    field.layer = 1;
    field.count = 199;
    must_refuse(world, rill_world_set_force_field(world, &field), RILL_INVALID_ARGUMENT, "expected 200");
    field.count = 200;
    pressures[43] = (double)NAN;
    must_refuse(world, rill_world_set_force_field(world, &field), RILL_INVALID_ARGUMENT, "pressure on cell (3, 2)");
    pressures[43] = 0.0;
    accelerations[87] = 2e4;
    must_refuse(world, rill_world_set_force_field(world, &field), RILL_INVALID_ARGUMENT, "acceleration on cell (3, 2)");
    must_refuse(world, rill_world_brush(world, NULL), RILL_INVALID_ARGUMENT, "brush is NULL");
    brush.radius = 0.0;
    must_refuse(world, rill_world_brush(world, &brush), RILL_INVALID_ARGUMENT, "brush.radius");
    brush.radius = 0.01;
    brush.acceleration[1] = (double)INFINITY;
    must_refuse(world, rill_world_brush(world, &brush), RILL_INVALID_ARGUMENT, "brush.acceleration[1]");
    brush.acceleration[1] = 0.0;
    for (int i = 0; i < 1024; ++i) must(world, rill_world_brush(world, &brush));
    must_refuse(world, rill_world_brush(world, &brush), RILL_TOO_LARGE, "1024");
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest),   cmocka_unit_test(test_exact_rest), unit_test_long(test_rest_with_tension),
        cmocka_unit_test(test_films),  cmocka_unit_test(test_tilt),       cmocka_unit_test(test_strong),
        unit_test_long(test_passage),  cmocka_unit_test(test_layers),     cmocka_unit_test(test_tank),
        cmocka_unit_test(test_waves),  cmocka_unit_test(test_brush),      cmocka_unit_test(test_bits),
        cmocka_unit_test(test_idle),   cmocka_unit_test(test_snapshots),  cmocka_unit_test(test_asleep),
        cmocka_unit_test(test_damage), cmocka_unit_test(test_no_memory),  cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
