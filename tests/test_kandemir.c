/* Kandemir's method: rest, symmetry, exact volumes, the speed of its waves, each control, and what it refuses. */
enum { SIDE = 24 };

#include "body_shapes.h"
#include "one_layer_pools.h"

#include <math.h>

#define DX 0.01
#define GRAVITY 9.81
#define PI 3.14159265358979323846

static rill_world_def tank_def(void) {
    rill_world_def def = plain_world_def();
    def.grid.cells[0] = def.grid.cells[1] = SIDE;
    def.grid.cell_size = DX;
    def.headroom = 0.1;
    def.solver.method = RILL_METHOD_KANDEMIR;
    def.solver.kandemir.vanishing = 1.0;
    def.solver.max_substeps = 100000;
    return def;
}

static rill_result press(rill_world *world, const double *pressures, size_t count) {
    return rill_world_set_force_field(
        world, &(rill_force_field){ .layer = RILL_ALL_LAYERS, .pressures = pressures, .count = count });
}

static void run(rill_world *world, double dt, int steps) {
    for (int i = 0; i < steps; ++i)
        if (rill_world_step(world, dt) != RILL_OK) fail_msg("%s", rill_world_message(world));
}

static double even(int32_t x, int32_t y) {
    (void)x, (void)y;
    return 0.05;
}
/* Some pillars stand out of anything. */
static double rough(int32_t x, int32_t y) {
    return noise(x, y, 1) > 0.9 ? 0.09 : 0.03 * noise(x, y, 2);
}
static double puddles(int32_t x, int32_t y) {
    return noise(x, y, 3) < 0.4 ? 0.06 * noise(x, y, 4) : 0.0;
}
static double mound(int32_t x, int32_t y) {
    const int32_t r2 = (x - 8) * (x - 8) + (y - 14) * (y - 14);
    return 0.05 + (r2 < 20 ? 0.02 : 0.0);
}

/* ----------------------------------------------------------------------------------------------- rest and symmetry */

static void test_still(void **state) {
    (void)state;
    const rill_world_def def = tank_def();
    rill_world *world = make_pool(&def, rough, nothing);
    must(world, rill_world_fill_level(world, (double[]){ 0.5 * DX, 0.5 * DX, 0.1 }, 0.05, NULL));
    double before[CELLS], after[CELLS], faces[2 * CELLS];
    read(world, RILL_FIELD_DEPTH, before);
    run(world, 0.05, 40);
    read(world, RILL_FIELD_DEPTH, after);
    read(world, RILL_FIELD_FACES, faces);
    assert_memory_equal(before, after, sizeof before);
    for (int i = 0; i < 2 * CELLS; ++i) assert_true(faces[i] == 0.0);
    rill_world_destroy(world);
}

static void test_symmetry(void **state) {
    (void)state;
    rill_world_def def = tank_def();
    def.solver.kandemir.viscosity = 1e-5;
    judge_symmetry(&def, rough, puddles, 0.02);
}

/* ----------------------------------------------------------------------------------------------------------- volume */

/* Dry ground, open and still edges, a source, a sink, tilted gravity, pressure that pushes columns dry, and hardly any
 * headroom: the ledger is exact, depths stay in their voids, and vector code changes nothing. */
static void test_volume(void **state) {
    (void)state;
    uint64_t hashes[2];
    for (int scalar = 0; scalar < 2; ++scalar) {
        rill_world_def def = tank_def();
        def.headroom = 0.005;
        def.gravity[0] = 1.0;
        def.edges[RILL_EAST].kind = RILL_EDGE_OPEN;
        def.edges[RILL_NORTH] = (rill_edge){ .kind = RILL_EDGE_STILL, .level = 0.04 };
        def.runtime.scalar = scalar;
        rill_world *world = make_pool(&def, rough, puddles);
        rill_source_id id;
        const rill_source_def well = point_source("well", 0.1, 0.1, 0.2, 1e-3);
        rill_source_def drain = point_source("drain", 0.02, 0.02, 0.2, 2e-4);
        drain.sink = true;
        must(world, rill_source_create(world, &well, &id));
        must(world, rill_source_create(world, &drain, &id));
        double pressures[CELLS] = { 0.0 };
        for (int32_t i = 0; i < 40; ++i) {
            for (int32_t k = 0; k < CELLS; ++k)
                pressures[k] =
                    noise(k % SIDE, k / SIDE, (uint32_t)i) < 0.1 ? 3000.0 * noise(k % SIDE, k / SIDE, 9) : 0.0;
            must(world, press(world, i % 2 ? pressures : NULL, CELLS));
            run(world, 0.01, 1);
            assert_int_equal(ledger_error(world), 0);
            must_be_valid(world);
        }
        hashes[scalar] = rill_world_hash(world);
        rill_world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

/* ------------------------------------------------------------------------------------------------------------ waves */

static void near(double found, double expected, double tolerance) {
    if (!(fabs(found - expected) <= tolerance * fabs(expected))) fail_msg("%.9g is not %.9g", found, expected);
}

static double swell(int32_t x, int32_t y) {
    return 0.05 + 1e-3 * noise(x, y, 5);
}

/* The first sub-step from rest: dh = dt^2 (A g / L dx^2) times the sum over eight neighbours of their differences in
 * level. */
static void test_pipes(void **state) {
    (void)state;
    const double dt = 0.002, area = 7e-5, length = 0.013;
    rill_world_def def = tank_def();
    def.solver.kandemir.pipe_area = area;
    def.solver.kandemir.pipe_length = length;
    rill_world *world = make_pool(&def, nothing, swell);
    double before[CELLS], after[CELLS];
    read(world, RILL_FIELD_DEPTH, before);
    run(world, dt, 1);
    read(world, RILL_FIELD_DEPTH, after);
    for (int32_t i = 0; i < CELLS; ++i) {
        double sum = 0.0;
        for (int32_t y = i / SIDE - 1; y <= i / SIDE + 1; ++y)
            for (int32_t x = i % SIDE - 1; x <= i % SIDE + 1; ++x)
                if (x >= 0 && y >= 0 && x < SIDE && y < SIDE) sum += before[y * SIDE + x] - before[i];
        const double change = dt * dt * area * GRAVITY / (length * DX * DX) * sum;
        assert_true(fabs(after[i] - before[i] - change) < 8.0 * 0x1p-31 + 1e-6 * fabs(change));
    }
    rill_world_destroy(world);
}

static int mode;
static double wave(int32_t x, int32_t y) {
    (void)y;
    return 0.05 + 1e-4 * cos(PI * mode * (x + 0.5) / SIDE);
}

static double amplitude(const rill_world *world) {
    double depths[CELLS], sum = 0.0;
    read(world, RILL_FIELD_DEPTH, depths);
    for (int32_t i = 0; i < CELLS; ++i) sum += (depths[i] - 0.05) * (wave(i % SIDE, i / SIDE) - 0.05);
    return sum;
}

/* Angular frequency of a standing wave, from the times of its zero crossings in 400 steps; and what is left of it
 * then. */
static double frequency(const rill_world_def *def, double dt, double *kept) {
    rill_world *world = make_pool(def, nothing, wave);
    double first = 0.0, last = 0.0, before = amplitude(world), most = 0.0;
    const double start = before;
    int crossings = 0;
    for (int i = 0; i < 400; ++i) {
        run(world, dt, 1);
        const double now = amplitude(world);
        if ((now < 0.0) != (before < 0.0)) {
            last = rill_world_time(world) - dt * now / (now - before);
            if (crossings++ == 0) first = last;
            *kept = most / start;
            most = 0.0;
        }
        most = fmax(most, fabs(now));
        before = now;
    }
    rill_world_destroy(world);
    return PI * (crossings - 1) / (last - first);
}

/* Leapfrog in time, sin(w dt / 2) = W dt / 2, of W^2 = (A g / L dx^2) n 2 (1 - cos(k dx)): of the eight pipes three
 * lead on in the wave's direction, two from the columns beside a wall, n in the mean. */
static double exact_frequency(const rill_kandemir *k, double dt) {
    const double area = k->pipe_area > 0.0 ? k->pipe_area : DX * DX,
                 length = k->pipe_length > 0.0 ? k->pipe_length : DX;
    const double n = (3.0 * (SIDE - 2) + 2.0 * 2) / SIDE;
    const double W = sqrt(area * GRAVITY / (length * DX * DX) * n * 2.0 * (1.0 - cos(PI * mode / SIDE)));
    return 2.0 / dt * asin(0.5 * W * dt);
}

static void test_waves(void **state) {
    (void)state;
    static const struct {
        int mode;
        double length, area, dt;
    } cases[] = { { 1, 0.0, 0.0, 0.008 }, { 2, 0.04, 0.0, 0.012 }, { 1, 0.0, 4e-4, 0.004 }, { 2, 0.02, 1e-3, 0.004 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        rill_world_def def = tank_def();
        mode = cases[i].mode;
        def.solver.kandemir.pipe_length = cases[i].length;
        def.solver.kandemir.pipe_area = cases[i].area;
        double kept;
        near(frequency(&def, cases[i].dt, &kept), exact_frequency(&def.solver.kandemir, cases[i].dt), 2e-3);
        near(kept, 1.0, 0.02);
    }
}

/* The vanishing quotient is a rate: the same with any sub-step. A flow that keeps D per second damps waves by
 * sqrt(D). */
static void test_vanishing(void **state) {
    (void)state;
    mode = 1;
    rill_world_def def = tank_def();
    def.solver.kandemir.vanishing = 0.5;
    for (int fine = 0; fine < 2; ++fine) {
        def.solver.kandemir.time_step = fine ? 0.002 : 0.0;
        double kept;
        const double w = frequency(&def, 0.008, &kept),
                     last = floor(3.2 * w / PI - 0.5) * PI / w; /* swing that was ended */
        near(kept, pow(0.5, 0.5 * last), 0.01);
        rill_world *world = make_pool(&def, nothing, wave);
        rill_step_info info;
        run(world, 0.008, 1);
        must(world, rill_world_get_step_info(world, &info));
        assert_int_equal(info.substeps, fine ? 4 : 1);
        rill_world_destroy(world);
    }
}

static double spread(const rill_kandemir *controls) {
    rill_world_def def = tank_def();
    def.solver.kandemir = *controls;
    rill_world *world = make_pool(&def, nothing, mound);
    run(world, 0.01, 4);
    double depths[CELLS];
    read(world, RILL_FIELD_DEPTH, depths);
    rill_world_destroy(world);
    return depths[14 * SIDE + 8];
}

/* Fig. 7 and 8: a viscous liquid answers less. Where dP > 1 / sqrt(V), 200 Pa at the foot of the mound, nothing
 * moves. */
static void test_viscosity(void **state) {
    (void)state;
    rill_kandemir controls = tank_def().solver.kandemir;
    double before = spread(&controls);
    for (int i = 0; i < 4; ++i) {
        static const double quotients[] = { 4e-6, 1e-5, 2e-5, 1e-4 };
        controls.viscosity = quotients[i];
        const double now = spread(&controls);
        assert_true(i == 3 ? fabs(now - 0.07) < 1e-9 : now > before);
        before = now;
    }
}

/* ------------------------------------------------------------------------------------------------ external pressure */

/* In equilibrium the total pressure is the same everywhere (section 5.1), whatever the density. */
static void test_pressure(void **state) {
    (void)state;
    rill_world_def def = tank_def();
    def.solver.kandemir.vanishing = 1e-4;
    def.liquid.density = 800.0;
    rill_world *world = make_pool(&def, nothing, even);
    double pressures[CELLS] = { 0.0 }, depths[CELLS], total[CELLS];
    for (int32_t i = 0; i < CELLS; ++i) pressures[i] = i % SIDE < 6 ? 100.0 : 0.0;
    must(world, press(world, pressures, CELLS));
    run(world, 0.05, 100);
    read(world, RILL_FIELD_DEPTH, depths);
    read(world, RILL_FIELD_PRESSURE, total);
    near(depths[CELLS - 1] - depths[0], 100.0 / (800.0 * GRAVITY), 1e-5);
    for (int32_t i = 1; i < CELLS; ++i) near(total[i], total[0], 1e-7);
    near(total[0], 101325.0 + 800.0 * GRAVITY * 0.05 + 25.0, 1e-6);

    must_refuse(world, press(world, pressures, CELLS - 1), RILL_INVALID_ARGUMENT, "count is");
    pressures[30] = (double)NAN;
    must_refuse(world, press(world, pressures, CELLS), RILL_INVALID_ARGUMENT, "cell (6, 1)");
    must(world, rill_world_set_force_field(world, NULL));
    run(world, 0.05, 100);
    read(world, RILL_FIELD_DEPTH, depths);
    near(depths[CELLS - 1], depths[0], 1e-6);
    rill_world_destroy(world);
}

static void test_control_points(void **state) {
    (void)state;
    enum { POINTS = (SIDE + 1) * (SIDE + 1) };
    const rill_world_def def = tank_def();
    rill_world *world = make_pool(&def, nothing, puddles);
    double points[POINTS], h[CELLS];
    read(world, RILL_FIELD_DEPTH, h);
    must(world, rill_world_read_control_points(world, points, POINTS));
    near(points[0], h[0], 1e-12);
    near(points[3], 0.5 * (h[2] + h[3]), 1e-12);
    near(points[5 * (SIDE + 1) + 7], 0.25 * (h[4 * SIDE + 6] + h[4 * SIDE + 7] + h[5 * SIDE + 6] + h[5 * SIDE + 7]),
         1e-12);
    must_refuse(world, rill_world_read_control_points(world, NULL, POINTS), RILL_INVALID_ARGUMENT, "out is NULL");
    must_refuse(world, rill_world_read_control_points(world, points, CELLS), RILL_INVALID_ARGUMENT, "expected 625");
    rill_world_destroy(world);
}

/* Controls that are legal and absurd: pipes that single precision knows nothing of move nothing. */
static void test_absurd(void **state) {
    (void)state;
    static const rill_kandemir controls[] = {
        { .pipe_area = 1e-300 },
        { .pipe_area = 1e-40 },
        { .pipe_area = 1e14 },
        { .pipe_length = 1e-300 },
        { .pipe_length = 1e-40 },
        { .pipe_length = 1e7 },
        { .viscosity = 1.0 },
        { .viscosity = 1e-300 },
        { .vanishing = 1e-300 },
        { .time_step = 1e-300 },
        { .pipe_length = 1e-308, .pipe_area = 1e14 },
    };
    for (size_t i = 0; i < sizeof controls / sizeof controls[0]; ++i) {
        rill_world_def def = tank_def();
        def.solver.kandemir = controls[i];
        if (controls[i].vanishing == 0.0) def.solver.kandemir.vanishing = 1.0;
        def.solver.max_substeps = 4;
        rill_world *world = make_pool(&def, rough, puddles);
        run(world, 0.01, 5);
        assert_int_equal(ledger_error(world), 0);
        must_be_valid(world);
        rill_world_destroy(world);
    }
}

/* A floor under part of the cells, `from` of them left out at the west and south; the grid ends where it does if
 * `alone`. */
static rill_world *make_ledge(const int32_t from[2], const int32_t size[2], bool alone) {
    rill_world_def def = tank_def();
    rill_world *world = NULL;
    rill_solid_def ground = rill_default_solid_def();
    ground.shape.type = RILL_SHAPE_BOX;
    for (int i = 0; i < 2; ++i) {
        ground.shape.min[i] = from[i] * DX;
        ground.shape.max[i] = (from[i] + size[i]) * DX;
        if (!alone) continue;
        def.grid.origin[i] = ground.shape.min[i];
        def.grid.cells[i] = size[i];
    }
    ground.shape.min[2] = -DX;
    ground.shape.max[2] = 0.0;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    must(world, rill_solid_create(world, &ground, NULL));
    must(world, rill_bed_build(world));
    return world;
}

/* Beside a floor that ends before the grid does there is a wall, as where the grid ends. */
static void test_narrow(void **state) {
    (void)state;
    const int32_t from[2] = { 7, 3 }, size[2] = { 15, 19 };
    rill_world *world = make_ledge(from, size, false), *alone = make_ledge(from, size, true);
    double all[CELLS], part[15 * 19];
    for (int32_t i = 0; i < CELLS; ++i) all[i] = mound(i % SIDE, i / SIDE);
    for (int32_t i = 0; i < 15 * 19; ++i) part[i] = all[(from[1] + i / 15) * SIDE + from[0] + i % 15];
    must(world, rill_world_fill_depths(world, 0, all, CELLS, NULL));
    must(alone, rill_world_fill_depths(alone, 0, part, 15 * 19, NULL));
    run(world, 0.01, 100);
    run(alone, 0.01, 100);
    read(world, RILL_FIELD_DEPTH, all);
    must(alone, rill_world_read_field(alone, RILL_FIELD_DEPTH, 0, part, 15 * 19));
    for (int32_t i = 0; i < 15 * 19; ++i) assert_true(part[i] == all[(from[1] + i / 15) * SIDE + from[0] + i % 15]);
    assert_int_equal(ledger_error(world), 0);
    must_be_valid(world);
    rill_world_destroy(world);
    rill_world_destroy(alone);
}

/* ----------------------------------------------------------------------------------------------------------- bodies */

static rill_body_id add_body(rill_world *world, rill_shape shape, double density, double height) {
    rill_body_def def = rill_default_body_def();
    rill_body_id id;
    def.shape.type = shape;
    def.density = density;
    def.shape.radius = 0.04;
    set_size(&def.shape, 0.08, 0.08, 0.04);
    memcpy(def.state.position, (double[]){ 0.115, 0.117, height }, sizeof def.state.position);
    must(world, rill_body_create(world, &def, &id));
    return id;
}

/* Dropped bodies come to rest, also very light ones, where Archimedes says; and then the pressure is even again. */
static void test_floating(void **state) {
    (void)state;
    for (int i = 0; i < 4; ++i) {
        static const double densities[] = { 10.0, 100.0, 500.0, 700.0 };
        rill_world_def def = tank_def();
        def.solver.kandemir.vanishing = 0.02;
        rill_world *world = make_pool(&def, nothing, even);
        const rill_body_id id = add_body(world, RILL_SHAPE_BOX, densities[i], 0.08);
        rill_body_state body;
        rill_body_forces forces;
        run(world, 0.02, 400);
        must(world, rill_body_get_state(world, id, &body));
        must(world, rill_body_get_forces(world, id, &forces));
        const double draft = forces.level - (body.position[2] - 0.02);
        near(draft, 0.04 * densities[i] / def.liquid.density, 0.02);
        near(forces.submerged_volume, draft * 0.08 * 0.08, 0.02);
        near(forces.impulse[2], 0.02 * densities[i] * 0.08 * 0.08 * 0.04 * GRAVITY, 0.01);
        assert_true(fabs(body.velocity[2]) < 1e-3 && body.orientation[3] > 0.9999);
        double total[CELLS];
        read(world, RILL_FIELD_PRESSURE, total);
        for (int k = 1; k < CELLS; ++k) near(total[k], total[0], 2e-5);
        assert_int_equal(ledger_error(world), 0);
        must_be_valid(world);
        must(world, rill_body_destroy(world, id)); /* what it had pressed down comes up again */
        run(world, 0.02, 400);
        double depths[CELLS];
        read(world, RILL_FIELD_DEPTH, depths);
        for (int k = 0; k < CELLS; ++k) near(depths[k], 0.05, 1e-4);
        rill_world_destroy(world);
    }
}

static void test_light_ball(void **state) {
    (void)state;
    rill_world_def def = tank_def();
    def.grid.cell_size = 0.004; /* a ball of twenty columns: those at its rim come and go */
    def.solver.kandemir.vanishing = 0.1;
    rill_world *world = make_pool(&def, nothing, even);
    rill_body_def ball = rill_default_body_def();
    rill_body_id id;
    rill_body_forces forces;
    ball.shape.radius = 0.02;
    ball.density = 150.0;
    memcpy(ball.state.position, (double[]){ 0.045, 0.05, 0.08 }, sizeof ball.state.position);
    must(world, rill_body_create(world, &ball, &id));
    run(world, 0.01, 500);
    must(world, rill_body_get_forces(world, id, &forces));
    near(forces.submerged_volume, 150.0 / def.liquid.density * 4.0 / 3.0 * PI * 8e-6, 0.02);
    rill_step_info info;
    must(world, rill_world_get_step_info(world, &info));
    assert_true(info.max_speed < 1e-3);
    rill_world_destroy(world);
}

/* Figs. 5 to 8: a heavy ball makes more of a splash than a light one, and a viscous liquid less. */
static double splash(double density, double viscosity) {
    rill_world_def def = tank_def();
    def.solver.kandemir.vanishing = 0.163;
    def.solver.kandemir.viscosity = viscosity;
    rill_world *world = make_pool(&def, nothing, even);
    add_body(world, RILL_SHAPE_SPHERE, density, 0.11);
    double highest = 0.0, depths[CELLS];
    for (int i = 0; i < 20; ++i) {
        run(world, 0.01, 1);
        read(world, RILL_FIELD_DEPTH, depths);
        for (int y = 0; y < SIDE; ++y)
            highest = fmax(highest, depths[y * SIDE + 4]); /* what arrives 3 cells beside it */
    }
    assert_int_equal(ledger_error(world), 0);
    rill_world_destroy(world);
    return highest - 0.05;
}

static void test_splash(void **state) {
    (void)state;
    const double light = splash(100.0, 0.0), heavy = splash(2000.0, 0.0), thick = splash(2000.0, 1e-4);
    assert_true(light > 1e-4 && heavy > 2.0 * light && thick < 0.5 * heavy);
}

/* -------------------------------------------------------------------------------------------------- life of a world */

static void test_snapshot(void **state) {
    (void)state;
    rill_world_def def = tank_def();
    def.edges[RILL_WEST] = (rill_edge){ .kind = RILL_EDGE_STILL, .level = 0.05 };
    rill_world *world = make_pool(&def, nothing, mound), *copy = NULL;
    double pressures[CELLS] = { [77] = 50.0 };
    must(world, press(world, pressures, CELLS));
    run(world, 0.01, 5);
    size_t size = rill_snapshot_size(world);
    unsigned char *memory = malloc(size);
    rill_message message = { "" };
    assert_non_null(memory);
    must(world, rill_snapshot_save(world, memory, size, &size));
    if (rill_snapshot_load(memory, size, NULL, &copy, &message) != RILL_OK) fail_msg("%s", message.text);
    assert_true(rill_world_hash(copy) == rill_world_hash(world));
    run(world, 0.01, 5);
    assert_false(rill_world_hash(copy) == rill_world_hash(world));
    run(copy, 0.01, 5);
    assert_true(rill_world_hash(copy) == rill_world_hash(world));
    must(world, rill_snapshot_restore(world, memory, size));
    run(world, 0.01, 5);
    assert_true(rill_world_hash(copy) == rill_world_hash(world));
    rill_world_destroy(copy);
    rill_world_destroy(world);
    free(memory);
}

/* The method may change at any time; without memory it stays as it is. */
static void test_switching(void **state) {
    (void)state;
    test_memory memory = { 0 };
    rill_world_def def = tank_def();
    def.runtime.allocator = test_allocator(&memory);
    def.solver.method = RILL_METHOD_PIPES;
    rill_world *world = make_pool(&def, nothing, mound);
    double points[(SIDE + 1) * (SIDE + 1)], field[CELLS];
    must_refuse(world, rill_world_read_control_points(world, points, (SIDE + 1) * (SIDE + 1)), RILL_INVALID_STATE,
                "RILL_METHOD_KANDEMIR");
    must_refuse(world, rill_world_read_field(world, RILL_FIELD_PRESSURE, 0, field, CELLS), RILL_INVALID_STATE,
                "RILL_METHOD_KANDEMIR");
    run(world, 0.01, 3);
    rill_solver solver = def.solver;
    solver.method = RILL_METHOD_KANDEMIR;
    for (int fails = 1; fails <= 3; ++fails) {
        memory.fail_at = memory.count + fails;
        must_refuse(world, rill_world_set_solver(world, &solver), RILL_OUT_OF_MEMORY, "no memory");
        must_be_valid(world);
    }
    memory.fail_at = 0;
    for (int i = 0; i < 4; ++i) {
        solver.method = i % 2 ? RILL_METHOD_PIPES : RILL_METHOD_KANDEMIR;
        must(world, rill_world_set_solver(world, &solver));
        const long count = memory.count;
        run(world, 0.01, 3);
        assert_true(memory.count == count); /* nothing is allocated while stepping */
        assert_int_equal(ledger_error(world), 0);
        must_be_valid(world);
    }
    rill_world_destroy(world);
    assert_int_equal(memory.live, 0);
}

/* Without memory there is no bed, and nothing is lost. */
static void test_no_memory(void **state) {
    (void)state;
    test_memory memory = { 0 };
    rill_world_def def = tank_def();
    def.runtime.allocator = test_allocator(&memory);
    rill_world *world = NULL;
    rill_solid_id id;
    const rill_solid_def floor = box_def("floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    must(world, rill_solid_create(world, &floor, &id));
    rill_result result = RILL_OUT_OF_MEMORY;
    for (long fails = 1; result != RILL_OK; ++fails) {
        memory.fail_at = memory.count + fails;
        result = rill_bed_build(world);
        if (result != RILL_OK) must_refuse(world, result, RILL_OUT_OF_MEMORY, "memory");
        assert_true(fails < 200);
    }
    memory.fail_at = 0;
    fill(world, mound);
    run(world, 0.01, 2);
    assert_int_equal(ledger_error(world), 0);
    rill_world_destroy(world);
    assert_int_equal(memory.live, 0);
}

static void test_refusals(void **state) {
    (void)state;
    rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    rill_solver solver = def.solver;
    solver.method = RILL_METHOD_KANDEMIR;
    must_refuse(world, rill_world_set_solver(world, &solver), RILL_INVALID_STATE, "the bed has 2 layers");
    rill_world_destroy(world);

    def.solver.method = RILL_METHOD_KANDEMIR;
    rill_message message = { "" };
    assert_int_equal(rill_world_create(&def, &world, &message), RILL_OK);
    must(world, add_house_solids(world));
    must_refuse(world, rill_bed_build(world), RILL_INVALID_STATE, "a plain tank");
    must(world, rill_solid_destroy(world, rill_solid_find(world, "platform")));
    must(world, rill_bed_build(world));
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.002, NULL));
    run(world, 0.01, 2);

    /* A solid that moves: pushed through the liquid it is a wall, lifted off the floor it is a second layer. */
    const rill_solid_id wall = rill_solid_find(world, "wall");
    for (int i = 1; i <= 10; ++i) {
        must(world, rill_solid_set_pose(world, wall, (double[]){ -0.0005 * i, 0.0, 0.0 }, (double[3]){ 0.0 }));
        run(world, 0.01, 1);
        assert_int_equal(ledger_error(world), 0);
        must_be_valid(world);
    }
    must(world, rill_solid_set_pose(world, wall, (double[]){ 0.0, 0.0, 0.004 }, (double[3]){ 0.0 }));
    const uint64_t before = rill_world_hash(world);
    assert_true(rill_world_hash(world) == before);
    must_refuse(world, rill_world_step(world, 0.01), RILL_INVALID_STATE, "expected one");
    must_be_valid(world);
    must(world, rill_solid_set_pose(world, wall, (double[3]){ 0.0 }, (double[3]){ 0.0 }));
    run(world, 0.01, 2);
    assert_int_equal(ledger_error(world), 0);
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_still),     cmocka_unit_test(test_symmetry),  cmocka_unit_test(test_volume),
        cmocka_unit_test(test_pipes),     cmocka_unit_test(test_waves),     cmocka_unit_test(test_vanishing),
        cmocka_unit_test(test_viscosity), cmocka_unit_test(test_floating),  cmocka_unit_test(test_light_ball),
        cmocka_unit_test(test_splash),    cmocka_unit_test(test_pressure),  cmocka_unit_test(test_control_points),
        cmocka_unit_test(test_snapshot),  cmocka_unit_test(test_switching), cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_absurd),    cmocka_unit_test(test_narrow),    cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
