/* Bodies in flooded passages: both are solved for together. Two wells and a passage between them,
 *
 *     z ^  level ~~~~~~~~|################|~~~~~~~~         60 x 6 cells of 1 mm, the same in every y; the passage is 20 mm
 *       |                |################|                 long and 6 mm high, the wells are 20 mm long each
 *   6mm |                +----------------+
 *       |                      [body]
 *     0 +----------------------------------------> x
 *
 * and an L-bent pipe for the ball. Contacts are the test's: it holds bodies by setting their state, as an engine
 * would. */
#include "snapshots.h"
#include "tanks_afloat.h"

static const double WELL = 20, PASSAGE = 20, HEIGHT = 6, WIDTH = 6, LEVEL = 20; /* mm */
static const double DENSITY = 998.2, GRAVITY = 9.81;
static const rill_status CAPPED = RILL_STATUS_BODIES_CAPPED | RILL_STATUS_PASSAGES_CAPPED | RILL_STATUS_SUBSTEPS_CAPPED;

static rill_world *make_wells(const rill_runtime *runtime) {
    rill_world_def def = tank_def(60, 6, RILL_PASSAGES_ANY);
    def.liquid.density = DENSITY;
    if (runtime) def.runtime = *runtime;
    rill_world *world = make_tank(&def);
    add_slab(world, WELL, HEIGHT, WELL + PASSAGE, 40);
    build(world);
    return world;
}

static rill_body_def box_body(double x, double y, double z, double sx, double sy, double sz, double relative) {
    rill_body_def def = rill_default_body_def();
    def.shape.type = RILL_SHAPE_BOX;
    set_size(&def.shape, sx * MM, sy * MM, sz * MM);
    memcpy(def.state.position, (double[]){ x * MM, y * MM, z * MM }, sizeof def.state.position);
    def.density = relative * DENSITY;
    def.drag = 0.0;
    def.state.acceleration[2] = -GRAVITY / relative; /* neither floats nor sinks: something bears the difference */
    return def;
}

/* Only along the passage, and upright. */
static rill_body_state guide(rill_world *world, rill_body_id id, double y, double z) {
    rill_body_state s = state_of(world, id);
    for (int k = 0; k < 3; ++k) s.angular_velocity[k] = 0.0, s.orientation[k] = 0.0;
    s.orientation[3] = 1.0;
    s.position[1] = y * MM;
    s.position[2] = z * MM;
    s.velocity[1] = s.velocity[2] = 0.0;
    must(world, rill_body_set_state(world, id, &s));
    return s;
}

/* ----------------------------------------------------------------------------------------------------------- piston */

/* It fills the passage. What it pushes arrives in the far well at once, and what it draws leaves the near one, cell
 * after cell; there and back. */
static void test_piston(void **state) {
    (void)state;
    const double dt = 1.0 / 240, speed = 0.04, area = HEIGHT * WIDTH * MM * MM;
    rill_world *world = make_wells(NULL);
    rill_body_def def = box_body(27, 3, 3, 8, 10, 10, 1.0);
    def.mass = (double)INFINITY;
    const rill_body_id id = add_body(world, &def);
    fill(world, 1, 3, 1, LEVEL);
    double total = 0.0;
    const double start = volume(world, WELL + PASSAGE, 60, 100);
    for (int i = 0; i < 80; ++i) {
        const double v = speed * sin(2.0 * 3.141592653589793 * (i + 0.5) / 80.0), before = volume(world, 40, 60, 100);
        const double near = volume(world, 0, WELL, 100);
        rill_body_state s = state_of(world, id);
        s.velocity[0] = v;
        must(world, rill_body_set_state(world, id, &s));
        assert_false(step(world, dt) & CAPPED);
        total += area * v * dt;
        const double arrived = volume(world, 40, 60, 100) - before, left = near - volume(world, 0, WELL, 100);
        assert_true(fabs(arrived - area * v * dt) < 0.005 * area * speed * dt);
        assert_true(fabs(left - area * v * dt) < 0.005 * area * speed * dt);
        assert_true(step_info(world).max_speed < 2.0 * speed);
    }
    assert_true(fabs(volume(world, 40, 60, 100) - start - total) < 1e-3 * area * MM);
    check(world);
    rill_world_destroy(world);
}

/* Nothing gives way in a cavity that is full and closed: the piston goes where it is told, and all stays finite. */
static void test_closed_cavity(void **state) {
    (void)state;
    rill_world_def settings = tank_def(30, 6, RILL_PASSAGES_ANY);
    rill_world *world = make_tank(&settings);
    add_slab(world, -10, HEIGHT, 100, 40);
    build(world);
    rill_body_def def = box_body(5, 3, 3, 8, 10, 10, 1.0);
    def.mass = (double)INFINITY;
    const rill_body_id id = add_body(world, &def);
    fill(world, 20, 3, 1, 30);
    const double before = volume(world, -1, 31, 100);
    for (int i = 0; i < 60; ++i) {
        rill_body_state s = state_of(world, id);
        s.velocity[0] = i < 30 ? 0.03 : -0.03;
        must(world, rill_body_set_state(world, id, &s));
        step(world, 1.0 / 120);
        assert_true(ledger_error(world) == 0);
    }
    assert_true(fabs(volume(world, -1, 31, 100) - before) < 1e-15);
    check(world);
    rill_world_destroy(world);
}

/* ------------------------------------------------------------------------------------------------------------- plug */

/* The inertance of the way from well to well, kg/m4: the liquid of the passage, the body with the gap beside it, and
 * the wells, in which speed falls off from cell to cell. */
static double inertance(double relative, double filled, double length) {
    const double area = HEIGHT * WIDTH * MM * MM;
    const double beside = DENSITY * length * MM / (area * (filled / relative + (1.0 - filled)));
    double sum = DENSITY * (PASSAGE - length) * MM / area + beside;
    for (int k = 1; k <= (int)WELL; ++k)
        sum += 2.0 * DENSITY * (k / WELL) * (k / WELL) * MM / (WIDTH * LEVEL * MM * MM);
    return sum;
}

/* A body that fills a part of the passage's section swings with the liquid. Half a period, against theory. */
static void swing(double relative, double filled) {
    const double length = 8, dt = 2e-3, a = 0.3, pi = 3.141592653589793;
    const double stiffness = 2.0 * DENSITY * GRAVITY / (WELL * WIDTH * MM * MM);
    const double half = pi * sqrt(inertance(relative, filled, length) / stiffness);
    rill_world *world = make_wells(NULL);
    const rill_body_def def = box_body(30.3, 3, 3, length, WIDTH, filled * HEIGHT, relative);
    const rill_body_id id = add_body(world, &def);
    fill(world, 1, 3, 1, LEVEL);
    double depths[60 * 6];
    for (int i = 0; i < 60 * 6; ++i)
        depths[i] = i % 60 < WELL ? (LEVEL + a) * MM : i % 60 >= WELL + PASSAGE ? (LEVEL - a) * MM : (double)NAN;
    must(world, rill_world_fill_depths(world, 0, depths, 60 * 6, NULL));
    double crossed[2], before = 1.0, farthest = 0.0;
    for (int i = 1, found = 0; found < 2; ++i) {
        assert_true(i * dt < 2.0 * half);
        assert_false(step(world, dt) & CAPPED);
        const double x = guide(world, id, 3, 3).position[0] / MM - 30.3;
        farthest = fmax(farthest, x);
        const double apart = volume(world, 0, WELL, 100) - volume(world, WELL + PASSAGE, 60, 100);
        if (before * apart < 0.0) crossed[found++] = dt * (i - apart / (apart - before));
        before = apart;
    }
    assert_true(fabs((crossed[1] - crossed[0]) / half - 1.0) < 0.03);
    /* It goes as far as the liquid of the wells takes it, less what passes beside it. */
    const double all = 2.0 * a * WELL / HEIGHT, share = 1.0 / (filled + relative * (1.0 - filled));
    assert_true(farthest > 0.9 * all * share && farthest < 1.1 * all * share);
    check(world);
    rill_world_destroy(world);
}

static void test_plug_with_gap(void **state) {
    (void)state;
    swing(0.1, 0.9);
    swing(1.0, 0.9);
    swing(5.0, 0.9);
}

static void test_cork(void **state) {
    (void)state;
    swing(0.1, 1.0);
    swing(5.0, 1.0);
}

/* -------------------------------------------------------------------------------------------------- under a ceiling */

/* A light body that is pressed against the ceiling stays there, and disturbs nothing. */
static void test_under_ceiling(void **state) {
    (void)state;
    rill_world *world = make_wells(NULL);
    rill_body_def def = box_body(30.3, 3.2, 4.65, 6, 4, 2.7, 0.1);
    def.state.acceleration[2] = -GRAVITY;
    const rill_body_id id = add_body(world, &def);
    fill(world, 1, 3, 1, LEVEL);
    for (int i = 0; i < 100; ++i) {
        assert_false(step(world, 1.0 / 240) & CAPPED);
        const rill_body_state s = state_of(world, id);
        assert_true(s.velocity[2] > 0.0); /* up, against it */
        guide(world, id, 3.2, 4.65);
    }
    const rill_body_state s = state_of(world, id);
    assert_true(fabs(s.position[0] - 30.3 * MM) < 1e-3 * MM && fabs(s.velocity[0]) < 1e-5);
    assert_true(step_info(world).max_speed < 1e-5);
    check(world);
    rill_world_destroy(world);
}

/* ------------------------------------------------------------------------------------------------------------- pipe */

/* Where the centre of the ball may be: in the one leg of the pipe or in the other, mm. */
static const double LEGS[2][4] = { { 0, 20, 6, 8 }, { 18, 20, 6, 40 } };

/* Pushes the ball back into the pipe. */
static void keep_inside(rill_world *world, rill_body_id id) {
    rill_body_state s = state_of(world, id);
    double best = 1e9, at[2] = { 0, 0 };
    for (int k = 0; k < 2; ++k) {
        const double x = fmin(fmax(s.position[0] / MM, LEGS[k][0]), LEGS[k][1]);
        const double y = fmin(fmax(s.position[1] / MM, LEGS[k][2]), LEGS[k][3]);
        const double far = hypot(x - s.position[0] / MM, y - s.position[1] / MM);
        if (far < best) best = far, at[0] = x, at[1] = y;
    }
    for (int i = 0; i < 2 && best > 0.0; ++i) {
        const double push = at[i] * MM - s.position[i];
        s.position[i] = at[i] * MM;
        if (push * s.velocity[i] < 0.0) s.velocity[i] = 0.0;
    }
    s.position[2] = 3 * MM;
    s.velocity[2] = 0.0;
    must(world, rill_body_set_state(world, id, &s));
}

static rill_world *make_pipe(const rill_runtime *runtime, rill_body_id *id) {
    rill_world_def settings = tank_def(30, 34, RILL_PASSAGES_ANY);
    settings.liquid.density = DENSITY;
    if (runtime) settings.runtime = *runtime;
    rill_world *world = make_tank(&settings);
    add_box(world, 8, -10, HEIGHT, 40, 24, 40); /* the ceiling; wells are west and north of it */
    add_box(world, 8, -10, -1, 40, 4, 7);       /* walls: the pipe goes east between y = 4 and 10, */
    add_box(world, 8, 10, -1, 16, 24, 7);       /* and north between x = 16 and 22 */
    add_box(world, 22, -10, -1, 40, 24, 7);
    add_box(world, -10, 10, -1, 8, 24, 40);
    add_box(world, -10, 24, -1, 8, 60, 40);
    build(world);
    rill_body_def def = rill_default_body_def();
    def.shape.radius = 2 * MM;
    def.density = DENSITY;
    memcpy(def.state.position, (double[]){ 11 * MM, 7 * MM, 3 * MM }, sizeof def.state.position);
    def.state.acceleration[2] = -GRAVITY;
    *id = add_body(world, &def);
    fill(world, 2, 7, 1, 15);
    pour(world, 3, 3, 1, 2, 3e-6);
    pour(world, 25, 30, 1, 2, -3e-6);
    return world;
}

/* The stream carries a ball through the bend, about as fast as it goes itself. */
static void test_ball(void **state) {
    (void)state;
    rill_body_id id;
    rill_world *world = make_pipe(NULL, &id);
    const double dt = 1.0 / 480, mean = 3e-6 / (HEIGHT * WIDTH * MM * MM);
    int frames = 0, capped = 0;
    double fastest = 0.0;
    while (state_of(world, id).position[1] < 23 * MM) {
        capped += (step(world, dt) & CAPPED) != 0;
        assert_true(ledger_error(world) == 0);
        keep_inside(world, id);
        const rill_body_state s = state_of(world, id);
        fastest = fmax(fastest, hypot(s.velocity[0], s.velocity[1]));
        assert_true(++frames < 300);
    }
    assert_true(frames * dt > 0.6 * 25 * MM / mean && frames * dt < 2.0 * 25 * MM / mean);
    assert_true(fastest < 2.0 * mean);
    assert_true(capped <= 2); /* when it meets the wall */
    check(world);
    rill_world_destroy(world);
}

/* -------------------------------------------------------------------------------------------------------- same bits */

static uint64_t pipe_hash(int32_t threads, bool scalar) {
    rill_runtime runtime = rill_default_world_def().runtime;
    runtime.tasks.threads = threads;
    runtime.scalar = scalar;
    rill_body_id id;
    rill_world *world = make_pipe(&runtime, &id);
    for (int i = 0; i < 20; ++i) step(world, 1.0 / 120);
    const uint64_t hash = rill_world_hash(world);
    rill_world_destroy(world);
    return hash;
}

static void test_same_bits(void **state) {
    (void)state;
    const uint64_t hash = pipe_hash(1, false);
    assert_true(pipe_hash(3, false) == hash);
    assert_true(pipe_hash(1, true) == hash);
}

/* A snapshot taken while a body is in a passage goes on as the world does; and so does a world when the body is
 * gone. */
static void test_saved_and_removed(void **state) {
    (void)state;
    rill_body_id id;
    rill_world *world = make_pipe(NULL, &id);
    for (int i = 0; i < 10; ++i) step(world, 1.0 / 120);
    const saved s = save(world);
    rill_world *other = load(s, NULL);
    for (int i = 0; i < 10; ++i) {
        step(world, 1.0 / 120);
        step(other, 1.0 / 120);
        assert_true(rill_world_hash(world) == rill_world_hash(other));
    }
    must(world, rill_body_destroy(world, id));
    for (int i = 0; i < 20; ++i) {
        step(world, 1.0 / 120);
        assert_true(ledger_error(world) == 0);
    }
    assert_true(step_info(world).max_speed < 0.5);
    check(world);
    free(s.bytes);
    rill_world_destroy(other);
    rill_world_destroy(world);
}

/* After the first step nothing is asked for, however much of a passage joins. */
static void test_no_memory_in_steps(void **state) {
    (void)state;
    test_memory memory = { 0 };
    rill_runtime runtime = rill_default_world_def().runtime;
    runtime.allocator = test_allocator(&memory);
    rill_body_id id;
    rill_world *world = make_pipe(&runtime, &id);
    step(world, 1.0 / 120);
    const long count = memory.count;
    for (int i = 0; i < 30; ++i) {
        rill_body_state s = state_of(world, id);
        s.position[0] = (4 + i % 15) * MM;
        must(world, rill_body_set_state(world, id, &s));
        step(world, 1.0 / 120);
        assert_int_equal(memory.count, count);
        assert_true(ledger_error(world) == 0);
    }
    check(world);
    rill_world_destroy(world);
    assert_int_equal(memory.live, 0);
}

/* Sources push into flooded passages. When a body leaves one, or is gone, the passages' own solve knows at once what is
 * flooded there, and nothing is left standing in ceilings. */
static void test_left_under_tap(void **state) {
    (void)state;
    for (int gone = 0; gone < 2; ++gone) {
        rill_world *world = make_wells(NULL);
        const rill_body_def def = box_body(30, 3, 3, 4, 3, 3, 1.0);
        const rill_body_id id = add_body(world, &def);
        fill(world, 1, 3, 1, LEVEL);
        pour(world, 30, 3, 1, 3, 2e-6);
        for (int i = 0; i < 16; ++i) {
            if (i == 3 && gone) must(world, rill_body_destroy(world, id));
            if (i >= 3 && !gone) { /* it is put elsewhere, now here and now there */
                rill_body_state s = state_of(world, id);
                s.position[0] = (i % 2 ? 10 : 30) * MM;
                must(world, rill_body_set_state(world, id, &s));
            }
            step(world, 1.0 / 960);
            check(world);
        }
        rill_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit_test_alone(test_piston),
        unit_test_alone(test_closed_cavity),
        unit_test_alone(test_plug_with_gap),
        unit_test_alone(test_cork),
        unit_test_alone(test_under_ceiling),
        unit_test_alone(test_ball),
        cmocka_unit_test(test_same_bits),
        unit_test_alone(test_saved_and_removed),
        unit_test_alone(test_no_memory_in_steps),
        unit_test_alone(test_left_under_tap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
