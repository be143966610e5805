/* Walls that push and pull, through the public API: levels before and behind them against Rankine and Hugoniot and the
 * simple wave (Stoker 1957, chapter 10), how even they are, and what becomes of liquid on its way when a wall stops,
 * turns back or is saved. Of the ledger in random moves see test_solids.c. */
#include "worlds.h"

#include <math.h>

static const double GRAVITY = 9.81, DEPTH = 0.005, CELL = 1e-3, FRAME = 1.0 / 60.0;
enum { HALF = 10 }; /* cells: half the thickness of a wall */

typedef struct channel {
    rill_world *world;
    rill_solid_id wall;
    double start; /* where the middle of the wall is at first, m */
} channel;

static rill_solid_def wall_def(bool mesh, double start) {
    static float vertices[24];
    static const uint32_t indices[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                          2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5 };
    rill_solid_def def = box_def("wall", start - HALF * CELL, -1.0, -0.005, start + HALF * CELL, 1.0, 0.1);
    if (!mesh) return def;
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 3; ++k) vertices[3 * i + k] = (float)(i >> k & 1 ? def.shape.max[k] : def.shape.min[k]);
    def.shape.type = RILL_SHAPE_MESH;
    def.shape.vertices = vertices;
    def.shape.vertex_count = 8;
    def.shape.indices = indices;
    def.shape.triangle_count = 12;
    return def;
}

/* A channel one cell wide with a wall across its middle, `offset` cells off the grid. */
static channel make_channel(int32_t cells, double offset, bool mesh) {
    rill_world_def def = plain_world_def();
    def.grid.cells[0] = cells;
    def.grid.cells[1] = 1;
    def.grid.cell_size = CELL;
    def.headroom = 0.04;
    def.liquid.viscosity = 0.0;
    def.solver.rest = false;
    def.solver.friction = 1.0;
    channel flume = { .start = (cells / 2 + offset) * CELL };
    rill_message message = { "" };
    if (rill_world_create(&def, &flume.world, &message)) fail_msg("%s", message.text);
    const rill_solid_def floor = box_def("floor", -1.0, -1.0, -0.01, 10.0, 1.0, 0.0),
                         wall = wall_def(mesh, flume.start);
    rill_solid_id id;
    must(flume.world, rill_solid_create(flume.world, &floor, &id));
    must(flume.world, rill_solid_create(flume.world, &wall, &flume.wall));
    must(flume.world, rill_bed_build(flume.world));
    for (int side = 0; side < 2; ++side) {
        const double at[3] = { side == 0 ? CELL : (cells - 1) * CELL, 0.5 * CELL, 0.0 };
        must(flume.world, rill_world_fill_level(flume.world, at, DEPTH, NULL));
    }
    return flume;
}

static void move_wall(const channel *flume, double by) {
    must(flume->world,
         rill_solid_set_pose(flume->world, flume->wall, (double[]){ by, 0.0, 0.0 }, (double[]){ 0.0, 0.0, 0.0 }));
}

static void step(const channel *flume) {
    assert_int_equal(rill_world_step(flume->world, FRAME), RILL_OK);
    assert_false(rill_world_status(flume->world) & RILL_STATUS_SQUEEZED);
    assert_int_equal(ledger_error(flume->world), 0);
}

static double depth_at(const channel *flume, double x) {
    rill_sample found;
    must(flume->world, rill_query_points(flume->world, (double[]){ x, 0.5 * CELL, 1e-4 }, 1, &found));
    return found.depth;
}

static int64_t in_transit(const channel *flume) {
    rill_ledger ledger;
    must(flume->world, rill_world_get_ledger(flume->world, &ledger));
    return ledger.in_transit;
}

/* ---------------------------------------------------------------------------------------------------------- levels */

static double depth_before(double speed) {
    double low = DEPTH, high = 100.0 * DEPTH;
    for (int i = 0; i < 100; ++i) {
        const double h = 0.5 * (low + high);
        *((h - DEPTH) * sqrt(GRAVITY * (h + DEPTH) / (2.0 * DEPTH * h)) < speed ? &low : &high) = h;
    }
    return low;
}

static double depth_behind(double speed) {
    const double root = sqrt(GRAVITY * DEPTH) - 0.5 * speed;
    return root * root / GRAVITY;
}

typedef struct series {
    double count, sum, squares;
} series;

static void note(series *values, double value) {
    values->count += 1.0;
    values->sum += value;
    values->squares += value * value;
}

/* The mean of the change of level, as a part of what it should be, and the deviation in parts of the depth at rest. */
static void must_be_even(const char *what, const series *values, double exact, double tolerance, double ripple) {
    const double mean = values->sum / values->count,
                 deviation = sqrt(fmax(0.0, values->squares / values->count - mean * mean)) / DEPTH;
    const double off = (mean - DEPTH) / (exact - DEPTH) - 1.0;
    if (!(fabs(off) <= tolerance)) fail_msg("%s: off by %.2f %%", what, 100.0 * off);
    if (!(deviation <= ripple)) fail_msg("%s: ripple %.2f %% of the depth", what, 100.0 * deviation);
}

typedef struct wall_ride {
    const char *name;
    double cells_per_frame, offset;
    int frames, warm; /* how long it goes; from when on it is looked at */
    bool mesh;
    double front, back; /* tolerances */
} wall_ride;

static void go(const wall_ride *ride) {
    const double by = ride->cells_per_frame * CELL, speed = fabs(by) / FRAME, way = by > 0.0 ? 1.0 : -1.0;
    const double wave = sqrt(GRAVITY * DEPTH) + speed;
    const int32_t cells = 2 * (int32_t)((wave * ride->frames * FRAME + 0.03) / CELL);
    const channel flume = make_channel(cells, ride->offset, ride->mesh);
    series near = { 0 }, front = { 0 }, back = { 0 };
    for (int i = 1; i <= ride->frames; ++i) {
        move_wall(&flume, by * i);
        step(&flume);
        const double at = flume.start + by * i, probe = way * (HALF + 10) * CELL;
        if (i <= ride->warm) continue;
        note(&near, depth_at(&flume, at + way * (HALF + 3) * CELL));
        note(&front, depth_at(&flume, at + probe));
        note(&back, depth_at(&flume, at - probe));
    }
    must_be_valid(flume.world);
    char name[64];
    snprintf(name, sizeof name, "%s, before it", ride->name);
    must_be_even(name, &front, depth_before(speed), ride->front, 0.01);
    must_be_even(name, &near, depth_before(speed), 0.1, 0.05); /* no heap at the wall */
    snprintf(name, sizeof name, "%s, behind it", ride->name);
    must_be_even(name, &back, depth_behind(speed), ride->back, 0.02);
    rill_world_destroy(flume.world);
}

/* A few frames per cell, a few cells per frame, and many frames per cell; forth and back. */
static void a_wall_pushes_and_pulls_evenly(void **state) {
    (void)state;
    const wall_ride rides[] = { { "0.3 cells a frame", 0.3, 0.1, 60, 25, false, 0.03, 0.05 },
                                { "-0.3 cells a frame", -0.3, 0.1, 60, 25, false, 0.03, 0.05 },
                                { "1.85 cells a frame", 1.85, 0.1, 60, 25, false, 0.03, 0.05 },
                                { "a cell in 30 frames", 1.0 / 30.0, 0.48, 90, 40, false, 0.03, 0.05 },
                                { "a cell in 100 frames", 0.01, 0.48, 180, 60, false, 0.03, 0.05 },
                                { "a mesh, 0.3 cells a frame", 0.3, 0.1, 60, 30, true, 0.03, 0.05 },
                                { "a mesh, a cell in 20 frames", 0.05, 0.1, 120, 70, true, 0.05, 0.08 } };
    for (size_t i = 0; i < sizeof rides / sizeof rides[0]; ++i) go(&rides[i]);
}

/* At an angle to the grid each row and column of cells has its own time; in the middle, before the ends are felt. */
static void a_slanting_wall_pushes_and_pulls(void **state) {
    (void)state;
    enum { CELLS = 140, FRAMES = 14, WARM = 7 };
    const double turn = 30.0, along[2] = { 0.86602540378443865, 0.5 }, speed = 0.2 * sqrt(GRAVITY * DEPTH);
    rill_world_def def = plain_world_def();
    def.grid.cells[0] = def.grid.cells[1] = CELLS;
    def.grid.cell_size = CELL;
    def.headroom = 0.04;
    def.liquid.viscosity = 0.0;
    channel flume = { .start = 0.5 * CELLS * CELL };
    rill_message message = { "" };
    if (rill_world_create(&def, &flume.world, &message)) fail_msg("%s", message.text);
    const rill_solid_def floor = box_def("floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
    rill_solid_def wall = box_def("wall", -HALF * CELL, -0.055, -0.005, HALF * CELL, 0.055, 0.1);
    wall.translate[0] = wall.translate[1] = flume.start;
    wall.rotate[2] = turn;
    rill_solid_id id;
    must(flume.world, rill_solid_create(flume.world, &floor, &id));
    must(flume.world, rill_solid_create(flume.world, &wall, &flume.wall));
    must(flume.world, rill_bed_build(flume.world));
    must(flume.world, rill_world_fill_level(flume.world, (double[]){ 0.002, 0.002, 0.0 }, DEPTH, NULL));
    series sides[2] = { { 0 } };
    for (int i = 1; i <= FRAMES; ++i) {
        const double gone = speed * FRAME * i;
        const double place[3] = { flume.start + gone * along[0], flume.start + gone * along[1], 0.0 };
        must(flume.world, rill_solid_set_pose(flume.world, flume.wall, place, (double[]){ 0.0, 0.0, turn }));
        step(&flume);
        for (int k = 6; i > WARM && k <= 10; ++k)
            for (int aside = -6; aside <= 6; ++aside)
                for (int side = 0; side < 2; ++side) {
                    const double away = (side == 0 ? HALF + k : -HALF - k) * CELL;
                    const double at[3] = { place[0] + away * along[0] - aside * CELL * along[1],
                                           place[1] + away * along[1] + aside * CELL * along[0], 1e-4 };
                    rill_sample found;
                    must(flume.world, rill_query_points(flume.world, at, 1, &found));
                    note(&sides[side], found.depth);
                }
    }
    must_be_even("slanting, before it", &sides[0], depth_before(speed), 0.03, 0.02);
    must_be_even("slanting, behind it", &sides[1], depth_behind(speed), 0.05, 0.02);
    must_be_valid(flume.world);
    rill_world_destroy(flume.world);
}

/* ------------------------------------------------------------------------------------------------ stopping, turning */

/* Liquid that is on its way when a wall stops, however slow it was, is in the flow a quarter of a second later and a patience
 * before that; levels are then those that the columns left have room for. */
static void a_wall_that_stops_keeps_nothing(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        const double by = (kind == 0 ? 0.4 : 0.02) * CELL;
        const channel flume = make_channel(80, 0.48, false);
        int64_t most = 0;
        for (int i = 1; i <= 65; ++i) {
            move_wall(&flume, by * i);
            step(&flume);
            if (in_transit(&flume) > most) most = in_transit(&flume);
        }
        assert_true(most > 0 && in_transit(&flume) > 0);
        for (int i = 0; i < 10; ++i) step(&flume); /* it still counts as moving */
        if (kind == 1) assert_true(in_transit(&flume) > 0);
        for (int i = 0; i < 24; ++i) step(&flume);
        assert_int_equal(in_transit(&flume), 0);
        must_be_valid(flume.world);
        rill_world_destroy(flume.world);
    }
}

/* To and fro by less than a cell and by several, and it is where it was: so is the liquid. */
static void a_wall_that_comes_back_leaves_no_trace(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        const channel flume = make_channel(80, 0.1, false);
        const double reach = (kind == 0 ? 0.7 : 6.0) * CELL;
        for (int i = 1; i <= 120; ++i) {
            move_wall(&flume, reach * sin(2.0 * 3.14159265358979 * i / 40.0));
            step(&flume);
        }
        move_wall(&flume, 0.0);
        rill_liquid oil;
        must(flume.world, rill_world_get_liquid(flume.world, &oil));
        oil.viscosity = 1e-4;
        must(flume.world, rill_world_set_liquid(flume.world, &oil));
        for (int i = 0; i < 400; ++i) step(&flume);
        assert_int_equal(in_transit(&flume), 0);
        assert_true(fabs(depth_at(&flume, 0.01) - DEPTH) < 1e-6);
        assert_true(fabs(depth_at(&flume, 0.07) - DEPTH) < 1e-6);
        must_be_valid(flume.world);
        rill_world_destroy(flume.world);
    }
}

/* In the middle of a push and a pull a copy is made, which goes on in the same way. */
static void what_is_on_its_way_is_saved(void **state) {
    (void)state;
    const double by = 0.13 * CELL;
    const channel flume = make_channel(80, 0.1, false);
    for (int i = 1; i <= 40; ++i) {
        move_wall(&flume, by * i);
        step(&flume);
    }
    const size_t size = rill_snapshot_size(flume.world);
    void *bytes = malloc(size);
    size_t written = 0;
    must(flume.world, rill_snapshot_save(flume.world, bytes, size, &written));
    channel copy = flume;
    rill_message message = { "" };
    if (rill_snapshot_load(bytes, size, NULL, &copy.world, &message)) fail_msg("%s", message.text);
    copy.wall = rill_solid_find(copy.world, "wall");
    for (int i = 41; i <= 100; ++i) {
        const double at = by * (i <= 70 ? i : 140 - i); /* and back again */
        move_wall(&flume, at);
        move_wall(&copy, at);
        step(&flume);
        step(&copy);
        assert_true(rill_world_hash(flume.world) == rill_world_hash(copy.world));
    }
    for (size_t cut = size - 1; cut > size - 600; cut -= 7) /* nor does a part of it do harm */
        assert_int_not_equal(rill_snapshot_restore(copy.world, bytes, cut), RILL_OK);
    free(bytes);
    rill_world_destroy(copy.world);
    rill_world_destroy(flume.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wall_pushes_and_pulls_evenly),  cmocka_unit_test(a_slanting_wall_pushes_and_pulls),
        cmocka_unit_test(a_wall_that_stops_keeps_nothing), cmocka_unit_test(a_wall_that_comes_back_leaves_no_trace),
        cmocka_unit_test(what_is_on_its_way_is_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
