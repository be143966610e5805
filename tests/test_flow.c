/* The flow as a whole, through the API: the same bits however it is run, bounds that always hold, rest and waking. */
#include "worlds.h"

#include <math.h>

typedef struct variant {
    int32_t threads;
    bool scalar, sweep_all;
} variant;

enum { CELLS = 96 };
static const double DX = 1e-3;

static void add(rill_world *world, const rill_solid_def *def) {
    rill_solid_id id;
    rill_result result = rill_solid_create(world, def, &id);
    if (result != RILL_OK) fail_msg("%s", rill_world_message(world));
}

/* Rough ground, two platforms with holes over it, a ball: sheets, sparse pipes, ceilings, islands. */
static rill_world *layered_world(const rill_world_def *def) {
    rill_world *world;
    rill_message message;
    if (rill_world_create(def, &world, &message) != RILL_OK) fail_msg("%s", message.text);
    static double heights[CELLS * CELLS];
    for (int i = 0; i < CELLS * CELLS; ++i) {
        double x = i % CELLS, y = (double)(i / CELLS);
        heights[i] = 0.003 * (sin(x * 0.21) * cos(y * 0.17) + sin(x * 1.9 + y) * 0.2 + 1.3);
    }
    rill_solid_def ground = rill_default_solid_def();
    ground.shape.type = RILL_SHAPE_HEIGHTMAP;
    ground.shape.heights = heights;
    ground.shape.heights_size[0] = ground.shape.heights_size[1] = CELLS;
    add(world, &ground);
    for (int k = 0; k < 12; ++k) {
        double x = 0.008 * (k % 6) + 0.02, y = 0.02 + 0.03 * (k / 6), z = 0.009 + 0.004 * (k % 3);
        rill_solid_def slab = box_def(NULL, x, y, z, x + 0.0071, y + 0.0253, z + 0.0012);
        add(world, &slab);
    }
    rill_solid_def ball = rill_default_solid_def();
    ball.shape.type = RILL_SHAPE_SPHERE;
    memcpy(ball.shape.centre, (double[]){ 0.07, 0.07, 0.012 }, sizeof ball.shape.centre);
    ball.shape.radius = 0.009;
    add(world, &ball);
    if (rill_bed_build(world) != RILL_OK) fail_msg("%s", rill_world_message(world));
    return world;
}

static rill_world_def base_def(const variant *v) {
    rill_world_def def = plain_world_def();
    def.grid.cells[0] = def.grid.cells[1] = CELLS;
    def.grid.cell_size = DX;
    def.edges[RILL_EAST].kind = RILL_EDGE_OPEN;
    def.edges[RILL_NORTH] = (rill_edge){ RILL_EDGE_STILL, 0.006 };
    def.gravity[0] = 0.7;
    def.solver.skip_idle = !v->sweep_all;
    def.solver.rest = false;
    def.runtime.tasks.threads = v->threads;
    def.runtime.scalar = v->scalar;
    return def;
}

static void add_sources(rill_world *world) {
    rill_source_def wound = rill_default_source_def();
    wound.name = "wound";
    wound.shape = RILL_SOURCE_DISC;
    memcpy(wound.at, (double[]){ 0.045, 0.045, 0.04 }, sizeof wound.at);
    wound.radius = 0.004;
    wound.rate = 2e-5;
    rill_source_id id;
    assert_int_equal(rill_source_create(world, &wound, &id), RILL_OK);
    rill_source_def drain = rill_default_source_def();
    drain.name = "drain";
    drain.sink = true;
    memcpy(drain.at, (double[]){ 0.02, 0.03, 0.04 }, sizeof drain.at);
    drain.rate = 2e-6;
    assert_int_equal(rill_source_create(world, &drain, &id), RILL_OK);
}

static void check_world(rill_world *world) {
    rill_message message;
    if (rill_world_validate(world, &message) != RILL_OK) fail_msg("%s", message.text);
    rill_ledger ledger;
    assert_int_equal(rill_world_get_ledger(world, &ledger), RILL_OK);
    assert_true(ledger.error == 0);
}

static uint64_t run_variant(variant v, rill_pipe_area area, bool advection, int steps) {
    rill_world_def def = base_def(&v);
    def.solver.pipe_area = area;
    def.solver.advection = advection;
    rill_world *world = layered_world(&def);
    add_sources(world);
    for (int i = 0; i < steps; ++i) {
        assert_int_equal(rill_world_step(world, 1.0 / 60.0), RILL_OK);
    }
    check_world(world);
    rill_solver solver;
    rill_world_get_solver(world, &solver);
    solver.skip_idle = true; /* how it was swept is not part of what is compared */
    rill_world_set_solver(world, &solver);
    static double depth[CELLS * CELLS], faces[2 * CELLS * CELLS];
    uint64_t hash = 14695981039346656037ull;
    rill_bed_info info;
    rill_bed_get_info(world, &info);
    for (int32_t layer = 0; layer < info.layers; ++layer) {
        rill_world_read_field(world, RILL_FIELD_DEPTH, layer, depth, CELLS * CELLS);
        rill_world_read_field(world, RILL_FIELD_FACES, layer, faces, 2 * CELLS * CELLS);
        for (int i = 0; i < CELLS * CELLS; ++i) {
            double values[3] = { depth[i], faces[2 * i], faces[2 * i + 1] };
            for (int k = 0; k < 3; ++k) {
                uint64_t bits;
                values[k] += 0.0;
                memcpy(&bits, &values[k], sizeof bits);
                hash = (hash ^ bits) * 1099511628211ull;
            }
        }
    }
    rill_world_destroy(world);
    return hash;
}

static void same_bits_however_run(void **state) {
    (void)state;
    static const variant variants[] = { { 2, false, false }, { 3, false, false }, { 8, false, true },
                                        { 1, true, false },  { 1, false, true },  { 5, true, true } };
    static const struct {
        rill_pipe_area area;
        bool advection;
    } schemes[] = { { RILL_PIPE_AREA_PHYSICAL, true },
                    { RILL_PIPE_AREA_PHYSICAL, false },
                    { RILL_PIPE_AREA_PAPER, false } };
    const int frames = ALONE_PART > 1 ? 8 : 20;
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; ++s) {
        uint64_t expected = run_variant((variant){ 1, false, false }, schemes[s].area, schemes[s].advection, frames);
        for (size_t i = 0; i < sizeof variants / sizeof *variants; ++i) {
            uint64_t found = run_variant(variants[i], schemes[s].area, schemes[s].advection, frames);
            if (found != expected)
                fail_msg("scheme %zu: other bits with %d threads, scalar %d, sweep all %d", s, variants[i].threads,
                         variants[i].scalar, variants[i].sweep_all);
        }
    }
}

/* The user's own scheduler, backwards and on the caller. */
static void backwards(void *user, int32_t count, rill_task *task, void *context) {
    *(int *)user += 1;
    for (int32_t i = count; i-- > 0;) task(context, i);
}

static void user_scheduler_is_used(void **state) {
    (void)state;
    int calls = 0;
    variant plain = { 1, false, false };
    uint64_t hash[2];
    for (int k = 0; k < 2; ++k) {
        rill_world_def def = base_def(&plain);
        if (k) {
            def.runtime.tasks.threads = 4;
            def.runtime.tasks.parallel_for = backwards;
            def.runtime.tasks.user = &calls;
        }
        rill_world *world = layered_world(&def);
        add_sources(world);
        for (int i = 0; i < 10; ++i) rill_world_step(world, 1.0 / 60.0);
        hash[k] = rill_world_hash(world);
        rill_world_destroy(world);
    }
    assert_true(calls > 0);
    assert_true(hash[0] == hash[1]);
}

/* -------------------------------------------------------------------------------------------------------- rest */

static rill_world *tray(double slope) {
    rill_world_def def = plain_world_def();
    def.grid.cells[0] = 80;
    def.grid.cells[1] = 60;
    rill_world *world;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    rill_solid_def floor = box_def("floor", -1, -1, -0.01, 1, 1, 0);
    floor.rotate[1] = slope;
    add(world, &floor);
    assert_int_equal(rill_bed_build(world), RILL_OK);
    return world;
}

static int64_t awake(const rill_world *world) {
    rill_step_info info;
    rill_world_get_step_info(world, &info);
    return info.awake_columns;
}

static void pool_falls_asleep_and_wakes(void **state) {
    (void)state;
    rill_world *world = tray(0);
    double at[3] = { 0.04, 0.03, 0.001 };
    assert_int_equal(rill_world_fill_level(world, at, 0.004, NULL), RILL_OK);
    rill_source_def drop = rill_default_source_def();
    memcpy(drop.at, at, sizeof at);
    drop.rate = 1e-6;
    drop.until = 0.1;
    rill_source_id id;
    assert_int_equal(rill_source_create(world, &drop, &id), RILL_OK);
    rill_liquid oil; /* water would slosh for a minute */
    rill_liquid_preset("olive oil", &oil);
    assert_int_equal(rill_world_set_liquid(world, &oil), RILL_OK);
    rill_world_step(world, 0.05);
    assert_true(awake(world) > 0);
    for (int i = 0; i < 40 * 60 && awake(world) > 0; ++i) rill_world_step(world, 1.0 / 60.0);
    assert_true(awake(world) == 0);
    rill_ledger before, after;
    rill_world_get_ledger(world, &before);
    for (int i = 0; i < 60; ++i) rill_world_step(world, 1.0 / 60.0);
    rill_world_get_ledger(world, &after);
    assert_true(before.columns == after.columns && after.error == 0);
    double gravity[3] = { 0.5, 0, -9.8 };
    assert_int_equal(rill_world_set_gravity(world, gravity), RILL_OK);
    rill_world_step(world, 1.0 / 60.0);
    assert_true(awake(world) > 0);
    check_world(world);
    rill_world_destroy(world);
}

/* Of honey down a slope of 10 %: 0.2 mm run at 2 micrometres a second, 20 micrometres at a hundredth of that. */
static void film_on_a_slope_sleeps_only_if_it_creeps(void **state) {
    (void)state;
    for (int creeps = 0; creeps < 2; ++creeps) {
        rill_world *world = tray(10);
        static double depths[80 * 60];
        for (int i = 0; i < 80 * 60; ++i) depths[i] = creeps ? 2e-5 : 2e-4;
        assert_int_equal(rill_world_fill_depths(world, 0, depths, 80 * 60, NULL), RILL_OK);
        rill_liquid honey;
        rill_liquid_preset("honey", &honey);
        rill_world_set_liquid(world, &honey);
        for (int i = 0; i < 300; ++i) rill_world_step(world, 1.0 / 60.0);
        assert_true(creeps ? awake(world) < 80 * 60 / 10 : awake(world) > 80 * 60 / 2);
        check_world(world);
        rill_world_destroy(world);
    }
}

/* A pool 1 mm deep whose level slopes by 1e-5, too little at each face to be called driven: glycerol levels it at 28
 * nanometres a second, oil at 0.4 micrometres, ten times as thin a liquid at 4. */
static void sloping_pool_sleeps_only_if_it_creeps(void **state) {
    (void)state;
    const double viscosities[] = { 1.18e-3, 8.2e-5, 8.2e-6 };
    for (int k = 0; k < 3; ++k) {
        rill_world *world = tray(0);
        static double depths[80 * 60];
        for (int i = 0; i < 80 * 60; ++i) depths[i] = 1e-3 + 1e-8 * (i % 80);
        assert_int_equal(rill_world_fill_depths(world, 0, depths, 80 * 60, NULL), RILL_OK);
        rill_liquid liquid = rill_default_world_def().liquid;
        liquid.viscosity = viscosities[k];
        rill_world_set_liquid(world, &liquid);
        for (int i = 0; i < 120; ++i) rill_world_step(world, 1.0 / 60.0);
        assert_true(k < 2 ? awake(world) == 0 : awake(world) > 80 * 60 / 2);
        check_world(world);
        rill_world_destroy(world);
    }
}

static void dry_world_costs_nothing(void **state) {
    (void)state;
    rill_world *world = tray(0);
    assert_int_equal(rill_world_step(world, 1.0 / 60.0), RILL_OK);
    assert_int_equal(rill_world_status(world), 0);
    assert_true(awake(world) == 0);
    rill_world_destroy(world);
}

/* --------------------------------------------------------------------------------------------------------- bounds */

/* Wild velocities into every corner of a layered world: nothing goes below empty or above full. */
static void wild_velocities_keep_bounds(void **state) {
    (void)state;
    for (int round = 0; round < 6; ++round) {
        variant v = { 1 + round % 3, round % 2 == 1, false };
        rill_world_def def = base_def(&v);
        def.solver.pipe_area = round == 5 ? RILL_PIPE_AREA_PAPER : RILL_PIPE_AREA_PHYSICAL;
        def.solver.advection = round != 4;
        rill_world *world = layered_world(&def);
        double at[3] = { 0.05, 0.012, 0.04 };
        assert_int_equal(rill_world_fill_level(world, at, 0.0115, NULL), RILL_OK);
        static double faces[2 * CELLS * CELLS];
        uint32_t seed = 77u + (uint32_t)round;
        for (int step = 0; step < (ALONE_PART > 1 ? 5 : 12); ++step) {
            for (int i = 0; i < 2 * CELLS * CELLS; ++i) {
                seed = seed * 1664525u + 1013904223u;
                faces[i] = ((double)(seed >> 8) / 16777216.0 - 0.5) * 4.0;
            }
            for (int32_t layer = 0; layer < 2; ++layer)
                assert_int_equal(rill_world_set_velocities(world, layer, faces, 2 * CELLS * CELLS), RILL_OK);
            rill_world_step(world, 1e-3 * (1 << step % 5));
            check_world(world);
        }
        rill_world_destroy(world);
    }
}

/* Beyond the cap on sub-steps the world slows down instead of blowing up, and says so. */
static void capped_substeps_stay_stable(void **state) {
    (void)state;
    rill_world *world = tray(0);
    static double depths[80 * 60];
    for (int i = 0; i < 80 * 60; ++i) depths[i] = i % 80 < 30 ? 0.03 : 0.001;
    assert_int_equal(rill_world_fill_depths(world, 0, depths, 80 * 60, NULL), RILL_OK);
    rill_solver solver;
    rill_world_get_solver(world, &solver);
    solver.max_substeps = 2;
    assert_int_equal(rill_world_set_solver(world, &solver), RILL_OK);
    double highest = 0;
    for (int i = 0; i < 600; ++i) {
        assert_int_equal(rill_world_step(world, 0.05), RILL_OK);
        if (i < 10) assert_true(rill_world_status(world) & RILL_STATUS_SUBSTEPS_CAPPED);
        static double now[80 * 60];
        rill_world_read_field(world, RILL_FIELD_DEPTH, 0, now, 80 * 60);
        for (int k = 0; k < 80 * 60; ++k) highest = now[k] > highest ? now[k] : highest;
    }
    assert_true(highest <= 0.031);
    check_world(world);
    rill_world_destroy(world);
}

enum {
    LONG = 400,
    WIDE = 24,
    FROM = 160,
    TO = 240
}; /* a channel, and its middle, where nothing gets from the ends for a while */

static rill_world *make_channel(void) {
    rill_world_def def = plain_world_def();
    def.grid = (rill_grid){ .cells = { LONG, WIDE }, .cell_size = 0.01 };
    def.headroom = 0.3;
    def.edges[RILL_WEST] = def.edges[RILL_EAST] = (rill_edge){ RILL_EDGE_STILL, 0.15 };
    rill_world *world;
    rill_message message;
    if (rill_world_create(&def, &world, &message) != RILL_OK) fail_msg("%s", message.text);
    rill_solid_def ground = rill_default_solid_def();
    ground.shape.type = RILL_SHAPE_PLANE;
    add(world, &ground);
    if (rill_bed_build(world) != RILL_OK) fail_msg("%s", rill_world_message(world));
    return world;
}

/* Waves across a stream must not grow in it: zigzags from bank to bank did, twelve cells long, as long as only
 * velocities were carried along and not what heads had just added to them. */
static void streams_stay_smooth(void **state) {
    (void)state;
    static double depths[LONG * WIDE], faces[2 * LONG * WIDE];
    rill_world *world = make_channel();
    const double height = 1e-6, pi = 3.14159265358979;
    for (int i = 0; i < LONG * WIDE; ++i) {
        depths[i] = 0.15 + height * cos(i % LONG * pi / 6.0) * (i / LONG % 2 ? 1.0 : -1.0);
        faces[2 * i] = 0.45;
    }
    assert_int_equal(rill_world_fill_depths(world, 0, depths, LONG * WIDE, NULL), RILL_OK);
    assert_int_equal(rill_world_set_velocities(world, 0, faces, 2 * LONG * WIDE), RILL_OK);
    for (int i = 0; i < 48; ++i) rill_world_step(world, 1.0 / 60.0);
    rill_world_read_field(world, RILL_FIELD_DEPTH, 0, depths, LONG * WIDE);
    for (int y = 1; y < WIDE; ++y)
        for (int x = FROM; x < TO; ++x) {
            const double zigzag = fabs(depths[y * LONG + x] - depths[(y - 1) * LONG + x]);
            if (!(zigzag <= 2.0 * height)) fail_msg("%g m at %d, %d", zigzag, x, y);
        }
    check_world(world);
    rill_world_destroy(world);
}

/* Ripples of any kind do not grow on a stream from slower to much faster than waves: these and the liquid together must
 * not pass a cell in a sub-step. Until anything has come from the ends there are some 120 of these. */
static void check_fast_stream(double fast) {
    static double depths[LONG * WIDE], faces[2 * LONG * WIDE];
    rill_world *world = make_channel();
    const double height = 1e-6, waves = 1.2, seconds = 1.1 / (fast + waves);
    uint32_t seed = 1;
    for (int i = 0; i < LONG * WIDE; ++i) {
        seed = seed * 1664525u + 1013904223u;
        const bool up = i / LONG < WIDE / 2 ? i % 2 != 0 : seed >> 31 != 0; /* zigzags along the stream, and noise */
        depths[i] = 0.15 + (up ? height : -height);
        faces[2 * i] = fast;
    }
    assert_int_equal(rill_world_fill_depths(world, 0, depths, LONG * WIDE, NULL), RILL_OK);
    assert_int_equal(rill_world_set_velocities(world, 0, faces, 2 * LONG * WIDE), RILL_OK);
    for (int i = 0; i < 8; ++i) rill_world_step(world, seconds / 8.0);
    rill_world_read_field(world, RILL_FIELD_DEPTH, 0, depths, LONG * WIDE);
    for (int y = 0; y < WIDE; ++y)
        for (int x = FROM; x < TO; ++x) {
            const double ripple = fabs(depths[y * LONG + x] - 0.15);
            if (!(ripple <= height)) fail_msg("at %g m/s: %g m at %d, %d", fast, ripple, x, y);
        }
    check_world(world);
    rill_world_destroy(world);
}

static void fast_streams_stay_smooth(void **state) {
    (void)state;
    const double speeds[] = { 0.6, 1.2, 1.8, 2.2, 3.0, 4.8, 9.6 }; /* m/s */
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i += NEXT_CASE) check_fast_stream(speeds[i]);
}

/* Liquid that is at rest along the channel, and has no head along it, takes up what comes from beside. */
static void still_liquid_is_carried_along(void **state) {
    (void)state;
    static double depths[LONG * WIDE], faces[2 * LONG * WIDE];
    rill_world *world = make_channel();
    for (int i = 0; i < LONG * WIDE; ++i) {
        depths[i] = 0.15;
        faces[2 * i] = i / LONG < WIDE / 2 ? 0.3 : 0.0;
        faces[2 * i + 1] = i / LONG > 0 ? 0.1 : 0.0;
    }
    assert_int_equal(rill_world_fill_depths(world, 0, depths, LONG * WIDE, NULL), RILL_OK);
    assert_int_equal(rill_world_set_velocities(world, 0, faces, 2 * LONG * WIDE), RILL_OK);
    for (int i = 0; i < 6; ++i) rill_world_step(world, 1.0 / 60.0);
    rill_world_read_field(world, RILL_FIELD_FACES, 0, faces, 2 * LONG * WIDE);
    const double u = faces[2 * (WIDE / 2 * LONG + LONG / 2)];
    if (!(u > 0.1 && u < 0.3)) fail_msg("%g m/s", u);
    check_world(world);
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest threaded[] = { cmocka_unit_test(same_bits_however_run),
                                           cmocka_unit_test(user_scheduler_is_used) };
    const struct CMUnitTest alone[] = {
        unit_test_alone(pool_falls_asleep_and_wakes),
        unit_test_alone(film_on_a_slope_sleeps_only_if_it_creeps),
        unit_test_alone(sloping_pool_sleeps_only_if_it_creeps),
        unit_test_alone(dry_world_costs_nothing),
        cmocka_unit_test(wild_velocities_keep_bounds),
        unit_test_alone(capped_substeps_stay_stable),
        unit_test_alone(streams_stay_smooth),
        unit_test_alone(fast_streams_stay_smooth),
        unit_test_alone(still_liquid_is_carried_along),
    };
    int failed = cmocka_run_group_tests(threaded, NULL, NULL);
    if (ALONE_PART < 10)
        failed += cmocka_run_group_tests(alone, NULL, NULL); /* the thread sanitizer sees nothing in them */
    return failed;
}
