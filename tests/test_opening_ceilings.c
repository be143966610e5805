/* Ceilings that are lifted off liquid, through the public API. As long as there is pressure liquid follows them, as
 * steadily as it goes before one that is pressed down; where there is none they leave a void, and pull nothing up. */
#include "tanks.h"

static const double FRAME = 1.0 / 60.0;

static rill_solid_id add_moving_box(rill_world *world, const char *name, double x0, double y0, double z0, double x1,
                                    double y1, double z1) {
    const rill_solid_def def = box_def(name, x0 * MM, y0 * MM, z0 * MM, x1 * MM, y1 * MM, z1 * MM);
    rill_solid_id id = { 0 };
    must(world, rill_solid_create(world, &def, &id));
    return id;
}

static void lift(rill_world *world, rill_solid_id id, double z) {
    must(world, rill_solid_set_pose(world, id, (double[]){ 0.0, 0.0, z * MM }, (double[]){ 0.0, 0.0, 0.0 }));
}

/* Two wells of 16 x 16 mm, a passage 8 mm wide and 4 mm high between them. A piston fills the western well down to 6
 * mm; the eastern one stands at 10 mm. */
typedef struct piston_pump {
    rill_world *world;
    rill_solid_id piston;
} piston_pump;

static piston_pump make_pump(const rill_runtime *runtime) {
    rill_world_def def = tank_def(48, 16, RILL_PASSAGES_ANY);
    if (runtime) def.runtime = *runtime;
    piston_pump pump = { .world = make_tank(&def) };
    add_slab(pump.world, 16, 4, 32, 40);
    add_box(pump.world, 16, -1, -1, 32, 4, 5);
    add_box(pump.world, 16, 12, -1, 32, 17, 5);
    pump.piston = add_moving_box(pump.world, "piston", -1, -1, 6, 16, 17, 40);
    build(pump.world);
    fill(pump.world, 40, 8, 0.5, 10);
    return pump;
}

static const double SPEED = 2.0; /* mm/s */

/* It gathers speed over twenty frames. */
static void lift_pump(const piston_pump *pump, int frame) {
    lift(pump->world, pump->piston, SPEED * FRAME * (frame < 20 ? frame * frame / 40.0 : frame - 10.0));
}

/* At the end of each frame, and within it, the passage runs at the speed that the piston asks for, and the well is
 * full. */
static void liquid_follows_a_piston(void **state) {
    (void)state;
    const piston_pump pump = make_pump(NULL);
    const double expected = -SPEED * MM * 256.0 / 32.0;
    double east = sample(pump.world, 46.5, 8.5, 0.5).level;
    for (int frame = 1; frame <= 50; ++frame) {
        lift_pump(&pump, frame);
        for (int part = 0; part < 4; ++part) {
            assert_int_equal(step(pump.world, FRAME / 4), 0);
            const double u = sample(pump.world, 24.5, 8.5, 1).velocity[0];
            if (frame > 21 && !(fabs(u / expected - 1.0) < 0.03))
                fail_msg("frame %d, part %d: %g m/s, expected %g", frame, part, u, expected);
        }
        const rill_sample under = sample(pump.world, 8.5, 8.5, 1);
        assert_true(under.ceiling - under.depth < 1e-7);
        const double now = sample(pump.world, 46.5, 8.5, 0.5).level, fell = east - now;
        if (!(fabs(fell) < 0.006 * now)) fail_msg("frame %d: the open well jumps by %g mm", frame, fell / MM);
        east = now;
        check(pump.world);
    }
    rill_world_destroy(pump.world);
}

/* Above the level that both wells come to there is a void under the piston, and nothing goes on. */
static void a_piston_pulls_nothing_up(void **state) {
    (void)state;
    const piston_pump pump = make_pump(NULL);
    rill_liquid oil;
    must(pump.world, rill_world_get_liquid(pump.world, &oil));
    oil.viscosity = 2e-5;
    must(pump.world, rill_world_set_liquid(pump.world, &oil));
    double highest = 0.0;
    for (int frame = 1; frame <= 130; ++frame) { /* up to 10 mm, with liquid for 8 */
        lift_pump(&pump, frame);
        step(pump.world, FRAME);
        highest = fmax(highest, sample(pump.world, 8.5, 8.5, 1).level);
    }
    assert_true(highest < 8.2 * MM);
    for (int i = 0; i < 60; ++i) step(pump.world, FRAME);
    const rill_sample under = sample(pump.world, 8.5, 8.5, 1), east = sample(pump.world, 46.5, 8.5, 0.5);
    assert_true(fabs(under.ceiling - 10.0 * MM) < 1e-8);
    if (!(fabs(under.level - east.level) < 2e-5 && fabs(under.level - 8.0 * MM) < 2e-5))
        fail_msg("levels %g and %g mm", under.level / MM, east.level / MM);
    for (int frame = 129; frame >= 0; frame -= 3) { /* and all the way down again */
        lift_pump(&pump, frame);
        step(pump.world, FRAME);
    }
    for (int i = 0; i < 90; ++i) step(pump.world, FRAME);
    assert_true(fabs(sample(pump.world, 40.5, 8.5, 0.5).level - 10.0 * MM) < 2e-5);
    check(pump.world);
    rill_world_destroy(pump.world);
}

/* By less than the rest rule stops: what opens is filled all the same. */
static void slow_pistons_are_followed(void **state) {
    (void)state;
    const piston_pump pump = make_pump(NULL);
    for (int i = 1; i <= 8 * 12; ++i) {
        if (i % 12 == 0) lift(pump.world, pump.piston, 0.001 * (i / 12)); /* 5 micrometres in a second */
        step(pump.world, FRAME);
    }
    const rill_sample under = sample(pump.world, 8.5, 8.5, 1);
    assert_true(under.ceiling > 6.007 * MM && under.ceiling - under.depth < 1.1e-6);
    for (int i = 0; i < 30; ++i) step(pump.world, FRAME);
    assert_true(sample(pump.world, 8.5, 8.5, 1).ceiling - sample(pump.world, 8.5, 8.5, 1).depth < 1e-7);
    check(pump.world);
    rill_world_destroy(pump.world);
}

/* Four walls of a cell around a square, from one height to another, mm. */
static void add_tube(rill_world *world, double from, double to, double low, double high) {
    add_box(world, from, from, low, to, from + 1, high);
    add_box(world, from, to - 1, low, to, to, high);
    add_box(world, from, from, low, from + 1, to, high);
    add_box(world, to - 1, from, low, to, to, high);
}

/* A tube stands in a pool, its mouth below the level; the piston in it is drawn up. Liquid comes after it as far as the
 * pool is high, and no farther. */
static void a_tube_fills_to_the_level_outside(void **state) {
    (void)state;
    rill_world_def def = tank_def(24, 24, RILL_PASSAGES_ANY);
    def.liquid.viscosity = 1e-5;
    rill_world *world = make_tank(&def);
    add_tube(world, 8, 16, 2, 30);
    const rill_solid_id piston = add_moving_box(world, "piston", 9, 9, 4, 15, 15, 30);
    build(world);
    fill(world, 1, 1, 0.5, 8);
    for (int frame = 1; frame <= 150; ++frame) { /* 3 mm/s, up to 11.5 mm */
        const double outside = sample(world, 1.5, 1.5, 0.5).level, piston_at = (4.0 + 3.0 * FRAME * frame) * MM;
        lift(world, piston, 3.0 * FRAME * frame);
        step(world, FRAME);
        const rill_sample inside = sample(world, 12.5, 12.5, 1);
        if (piston_at < outside - 0.5 * MM && frame > 2) assert_true(inside.ceiling - inside.depth < 1e-7);
        assert_true(inside.level < outside + 0.1 * MM);
        assert_true(fabs(sample(world, 1.5, 1.5, 0.5).level - outside) < 0.01 * outside);
    }
    for (int i = 0; i < 120; ++i) step(world, FRAME);
    const double rest =
        8.0 * MM - 4.0 * MM * 36.0 / (24.0 * 24.0 - 28.0); /* the piston has left 36 cells; walls stand on 28 */
    assert_true(fabs(sample(world, 12.5, 12.5, 1).level - sample(world, 1.5, 1.5, 0.5).level) < 2e-5);
    assert_true(fabs(sample(world, 1.5, 1.5, 0.5).level - rest) < 2e-5);
    check(world);
    rill_world_destroy(world);
}

/* A room that is closed and full: lifting its lid leaves a void and moves nothing; put back, it fits. */
static void a_lid_leaves_a_closed_room_alone(void **state) {
    (void)state;
    rill_world_def def = tank_def(14, 14, RILL_PASSAGES_ANY);
    rill_world *world = make_tank(&def);
    add_tube(world, 3, 11, 0, 20);
    const rill_solid_id lid = add_moving_box(world, "lid", 4, 4, 5, 10, 10, 20);
    build(world);
    fill(world, 7, 7, 1, 5);
    const double depth = sample(world, 7.5, 7.5, 1).depth;
    assert_true(depth > 5.0 * MM - 1e-7);
    for (int frame = 1; frame <= 80; ++frame) {
        lift(world, lid, 2.0 - 0.05 * abs(frame - 40));
        assert_int_equal(step(world, FRAME), 0);
        assert_true(sample(world, 7.5, 7.5, 1).depth == depth && step_info(world).max_speed == 0.0);
    }
    assert_true(sample(world, 7.5, 7.5, 1).ceiling - depth < 1e-7);
    check(world);
    rill_world_destroy(world);
}

/* The flow through a gate that is being raised does not depend on how often it is moved: between two frames it does
 * not shut. */
static void gates_let_through_while_they_rise(void **state) {
    (void)state;
    const double seconds = 0.3, low = 2.0, high = 5.0; /* s, mm */
    double passed[3];
    for (int kind = 0; kind < 3; ++kind) {
        const int rate = 60 << kind;
        rill_world_def def = tank_def(110, 3, RILL_PASSAGES_ANY);
        def.solver.orifice = 0.61;
        def.edges[RILL_EAST].kind = RILL_EDGE_OPEN;
        rill_world *world = make_tank(&def);
        const rill_solid_id gate = add_moving_box(world, "gate", 60, -1, low, 64, 4, 60);
        build(world);
        fill(world, 30, 1, 0.5, 30);
        const double before = volume(world, 0, 60, 100);
        for (int i = 1; i <= seconds * rate; ++i) {
            lift(world, gate, (high - low) * i / (seconds * rate));
            step(world, 1.0 / rate);
        }
        passed[kind] = before - volume(world, 0, 60, 100);
        check(world);
        rill_world_destroy(world);
    }
    assert_true(passed[0] > 0.15 * 30 * 60 * 3 * MM * MM * MM);
    for (int kind = 1; kind < 3; ++kind)
        if (!(fabs(passed[kind] / passed[0] - 1.0) < 0.005))
            fail_msg("%g mm3, then %g", passed[0] * 1e9, passed[kind] * 1e9);
}

/* High above a free surface it does not matter what a lid does. */
static void lids_over_films_change_nothing(void **state) {
    (void)state;
    picture pictures[2];
    for (int moves = 0; moves < 2; ++moves) {
        const rill_world_def def = tank_def(40, 6, RILL_PASSAGES_ANY);
        rill_world *world = make_tank(&def);
        const rill_solid_id lid = add_moving_box(world, "lid", -1, -1, 9, 30, 7, 20);
        build(world);
        double depths[240];
        for (int i = 0; i < 240; ++i) depths[i] = i % 40 < 15 ? 4 * MM : 1 * MM;
        must(world, rill_world_fill_depths(world, 0, depths, 240, NULL));
        lift(world, lid, -0.5); /* from where it is lifted, or not */
        for (int frame = 1; frame <= 20; ++frame) {
            if (moves) lift(world, lid, -0.5 + 0.1 * frame);
            step(world, FRAME);
        }
        pictures[moves] = take_picture(world);
        rill_world_destroy(world);
    }
    assert_true(largest(&pictures[0], &pictures[1]) == 0.0);
    for (int i = 0; i < 2; ++i) free(pictures[i].values);
}

/* Saved in the middle of a frame, and on any number of threads: the same bits. */
static void lifting_is_saved(void **state) {
    (void)state;
    piston_pump pump = make_pump(NULL);
    for (int frame = 1; frame <= 6; ++frame) {
        lift_pump(&pump, frame);
        step(pump.world, frame % 2 ? FRAME : 0.4 * FRAME); /* every other time room is left to open */
    }
    assert_true(sample(pump.world, 8.5, 8.5, 1).ceiling - sample(pump.world, 8.5, 8.5, 1).depth > 1e-6);
    const size_t size = rill_snapshot_size(pump.world);
    void *bytes = malloc(size);
    size_t written = 0;
    assert_non_null(bytes);
    must(pump.world, rill_snapshot_save(pump.world, bytes, size, &written));
    uint64_t expected = 0;
    for (int kind = 0; kind < 4; ++kind) { /* the world itself, and copies with other runtimes */
        rill_runtime runtime = rill_default_world_def().runtime;
        runtime.tasks.threads = kind == 2 ? 3 : 1;
        runtime.scalar = kind == 3;
        piston_pump copy = pump;
        rill_message message = { "" };
        if (kind > 0 && rill_snapshot_load(bytes, size, &runtime, &copy.world, &message)) fail_msg("%s", message.text);
        copy.piston = rill_solid_find(copy.world, "piston");
        for (int frame = 7; frame <= 20; ++frame) {
            lift_pump(&copy, frame < 14 ? frame : 28 - frame);
            build(copy.world);
            check(copy.world);
            step(copy.world, frame % 2 ? FRAME : 0.4 * FRAME);
            check(copy.world);
        }
        if (kind == 0) expected = rill_world_hash(copy.world);
        assert_true(rill_world_hash(copy.world) == expected);
        if (kind > 0) rill_world_destroy(copy.world);
    }
    free(bytes);
    rill_world_destroy(pump.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit_test_alone(liquid_follows_a_piston),          unit_test_alone(a_piston_pulls_nothing_up),
        unit_test_alone(slow_pistons_are_followed),        unit_test_alone(a_tube_fills_to_the_level_outside),
        unit_test_alone(a_lid_leaves_a_closed_room_alone), unit_test_alone(gates_let_through_while_they_rise),
        unit_test_alone(lids_over_films_change_nothing),   cmocka_unit_test(lifting_is_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
