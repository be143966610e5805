/* Flooded passages, through the API: rest, oscillation, siphons, filling and slamming, sealed cavities, sleep. */
#include "tanks.h"

static const double G = 9.81, PI = 3.14159265358979323846;

/* ------------------------------------------------------------------------------------------------------------- rest */

/* Some tanks in which a lake at rest reaches under ceilings. */
static rill_world *tank_at_rest(int scene, rill_passages passages) {
    rill_world_def def = tank_def(24, 12, passages);
    def.solver.rest = false; /* nothing may hide behind the rest rule */
    rill_world *world = make_tank(&def);
    dice d = { 4711 };
    double level = 5.0;
    if (scene == 0) add_slab(world, 8, 5.0, 17, 30); /* just full */
    if (scene == 1)                                  /* many ceilings below the level, one cell each */
        for (int k = 0; k < 40; ++k) {
            double x = floor(between(&d, 0, 24)), y = floor(between(&d, 0, 12)), z = between(&d, 0.3, 4.9);
            add_box(world, x, y, z, x + 1, y + 1, z + between(&d, 3, 5));
        }
    if (scene == 2) { /* also above the slab */
        add_slab(world, 8, 2.5, 17, 3.5);
        level = 4.2;
    }
    if (scene == 3) { /* slabs over slabs with holes */
        for (int k = 0; k < 16; ++k) {
            double x = floor(between(&d, 0, 20)), y = floor(between(&d, 0, 9)), z = between(&d, 0.5, 4.5);
            add_box(world, x, y, z, x + 4, y + 4, z + 0.3);
        }
    }
    build(world);
    if (scene == 1 || scene == 3) assert_true(bed_info(world).sparse_pipes > 20);
    fill(world, 0.5, 0.5, 0.1, level);
    return world;
}

/* Not one quantum moves, and no velocity arises. */
static void rest_is_exact(void **state) {
    (void)state;
    for (int scene = 0; scene < 4; ++scene)
        for (int mode = 0; mode < 2; ++mode) {
            rill_world *world = tank_at_rest(scene, mode ? RILL_PASSAGES_STRAIGHT : RILL_PASSAGES_ANY);
            picture before = take_picture(world);
            int64_t substeps = 0;
            while (substeps < 2000) {
                assert_true(step(world, 0.05) == 0);
                substeps += step_info(world).substeps;
            }
            picture after = take_picture(world);
            if (largest(&after, &before) != 0.0 || largest(&after, NULL) != 0.0)
                fail_msg("scene %d, mode %d: a depth moved by %g quanta, a velocity is %g m/s", scene, mode,
                         largest(&after, &before) / bed_info(world).quantum, largest(&after, NULL));
            check(world);
            free(before.values);
            free(after.values);
            rill_world_destroy(world);
        }
}

/* ---------------------------------------------------------------------------------------------------------- U-tubes */

enum { WELL = 6, LEG = 20 };

/* Two wells of WELL cells, joined by a passage 1 mm high through LEG cells: straight along x, or with a bend. The
 * levels are `low` and `high` mm. */
static rill_world *u_tube(rill_passages passages, bool bent, double low, double high) {
    int32_t n = 2 * WELL + LEG;
    rill_world_def def = tank_def(bent ? WELL + LEG / 2 : n, bent ? 1 + LEG / 2 + WELL : 1, passages);
    rill_world *world = make_tank(&def);
    if (bent) { /* along y = 0 to the corner, then north; solid everywhere else */
        double corner = WELL + LEG / 2 - 1, end = LEG / 2 + 1;
        add_box(world, WELL, 0, 1, corner + 1, 1, 60);
        add_box(world, corner, 1, 1, corner + 1, end, 60);
        add_box(world, -1, 1, 0, corner, 100, 60);
    } else {
        add_slab(world, WELL, 1, WELL + LEG, 60);
    }
    build(world);
    double far_x = bent ? WELL + LEG / 2 - 0.5 : n - 0.5, far_y = bent ? LEG / 2 + WELL + 0.5 : 0.5;
    fill(world, 0.5, 0.5, 0.5, low);
    rill_bed_info info = bed_info(world);
    size_t cells = (size_t)info.cells[0] * (size_t)info.cells[1];
    double *depths = malloc(cells * sizeof *depths);
    assert_non_null(depths);
    for (size_t i = 0; i < cells; ++i) {
        double x = (double)(i % (size_t)info.cells[0]) + 0.5, y = (double)(i / (size_t)info.cells[0]) + 0.5;
        bool far = bent ? x == far_x && y > LEG / 2 + 1 : x > WELL + LEG;
        depths[i] = far ? high * MM : (double)NAN;
    }
    must(world, rill_world_fill_depths(world, 0, depths, cells, NULL));
    free(depths);
    assert_true(fabs(sample(world, far_x, far_y, 0.5).level - high * MM) < 1e-8);
    return world;
}

/* w^2 = (g / I) (1 / S + 1 / S): the passage's inertance with half a cell of each well, and the wells' own, of which
 * the k-th face carries k / n of the flow. */
static double u_tube_period(double level) {
    double D = MM, H = level * MM, W = MM, S = WELL * MM * W, I = (LEG * MM + D / H * MM) / (W * D);
    for (int k = 1; k < WELL; ++k) I += 2.0 * ((double)k / WELL) * ((double)k / WELL) * MM / (W * H);
    return 2.0 * PI / sqrt(G / I * 2.0 / S);
}

/* Steps until the near well has gone through its mean level `crossings` times; the largest deviation since the last
 * crossing in `*amplitude` (m3). Returns the time of the last crossing. */
static double swing(rill_world *world, double level, int crossings, double *amplitude) {
    double mean = WELL * MM * MM * level * MM, before = 0.0, at = 0.0, most = 0.0;
    for (int i = 0, seen = 0; seen < crossings; ++i) {
        if (i > 20000) fail_msg("the tube does not swing: %d crossings", seen);
        const double dt = 1e-3;
        double now = volume(world, 0, WELL, 100) - mean;
        if (i > 0 && now * before < 0.0) {
            at = rill_world_time(world) - dt * now / (now - before);
            seen += 1;
            *amplitude = most;
            most = 0.0;
        }
        if (fabs(now) > most) most = fabs(now);
        before = now;
        step(world, dt);
    }
    return at;
}

static void u_tube_swings(void **state) {
    (void)state;
    for (int mode = 0; mode < 2; ++mode) {
        rill_world *world = u_tube(mode ? RILL_PASSAGES_STRAIGHT : RILL_PASSAGES_ANY, false, 19.5, 20.5);
        double first, last, start = swing(world, 20, 2, &first), end = swing(world, 20, 8, &last);
        double found = (end - start) / 4.0, expected = u_tube_period(20.0);
        if (fabs(found / expected - 1.0) > 0.005)
            fail_msg("mode %d: period %.6f s, expected %.6f", mode, found, expected);
        if (fabs(last / first - 1.0) > 0.01) fail_msg("mode %d: amplitude %g, then %g m3", mode, first, last);
        check(world);
        rill_world_destroy(world);
    }
}

/* The bend costs nothing in `any`; the extended pipes of `straight` end at it. */
static void bends_are_for_any(void **state) {
    (void)state;
    rill_world *world = u_tube(RILL_PASSAGES_ANY, true, 19.5, 20.5);
    double first, last, start = swing(world, 20, 2, &first), end = swing(world, 20, 4, &last);
    double found = (end - start) / 2.0, expected = u_tube_period(20.0);
    if (fabs(found / expected - 1.0) > 0.01) fail_msg("period %.6f s, expected %.6f", found, expected);
    check(world);
    rill_world_destroy(world);

    world = u_tube(RILL_PASSAGES_STRAIGHT, true, 19.5, 20.5);
    double before = volume(world, 0, WELL, 100), after;
    for (int i = 0; i < 100; ++i) step(world, 5e-3);
    after = volume(world, 0, WELL, 100);
    assert_true(fabs(after - before) < 1e-3 * before);
    check(world);
    rill_world_destroy(world);
}

/* ---------------------------------------------------------------------------------------------------------- siphons */

/* ______________          wells of 8 cells at both ends; between them a duct 2 mm high that begins at the floor, climbs
 *     /  ________    \         2 mm per cell to a crest at 12 mm, runs level for 8 cells and falls again
 *  | /  /        \   \ |
 *  |/__/          \___\| */
static rill_world *siphon(void) {
    rill_world_def def = tank_def(36, 1, RILL_PASSAGES_ANY);
    def.liquid.viscosity = 1e-5; /* it should come to rest in time */
    rill_world *world = make_tank(&def);
    for (int x = 8; x < 28; ++x) {
        int rise = x < 14 ? x - 8 : x > 21 ? 27 - x : 6;
        if (rise > 0) add_slab(world, x, -1, x + 1, 2.0 * rise);
        add_slab(world, x, 2.0 * rise + 2.0 + (rise < 6 ? 2.0 : 0.0), x + 1, 40);
    }
    build(world);
    fill(world, 0.5, 0.5, 0.5, 8.0);
    fill(world, 35.5, 0.5, 0.5, 5.0);
    return world;
}

static void siphons_do_not_flow(void **state) {
    (void)state;
    rill_world *world = siphon();
    picture before = take_picture(world);
    for (int i = 0; i < 50; ++i) step(world, 0.02);
    picture after = take_picture(world);
    assert_true(largest(&after, &before) == 0.0); /* the crest stands above both levels */
    free(before.values);
    free(after.values);

    /* Primed: the duct is full. It breaks at its crest, and the wells keep their levels but for what falls back. */
    double depths[36];
    for (int i = 0; i < 36; ++i) depths[i] = i >= 8 && i < 28 ? 1.0 : (double)NAN;
    must(world, rill_world_fill_depths(world, 0, depths, 36, NULL));
    assert_true(sample(world, 17.5, 0.5, 13).depth > 1.99 * MM);
    for (int i = 0; i < 100; ++i) step(world, 0.02);
    check(world);
    double left = sample(world, 0.5, 0.5, 0.5).level, right = sample(world, 35.5, 0.5, 0.5).level;
    if (!(sample(world, 17.5, 0.5, 13).depth < 0.5 * MM)) fail_msg("the crest is still full");
    if (!(left > 8.0 * MM && right > 5.0 * MM && left - right > 2.0 * MM)) fail_msg("levels %g, %g", left, right);
    rill_world_destroy(world);
}

/* --------------------------------------------------------------------------------------------- filling and slamming */

/* A tank with a slab in its middle third: two wells and a wide passage under a soffit at 5 mm. */
static rill_world *slab_tank(rill_passages passages, int32_t ny) {
    rill_world_def def = tank_def(48, ny, passages);
    rill_world *world = make_tank(&def);
    add_slab(world, 16, 5, 32, 30);
    build(world);
    return world;
}

/* The level rises slowly past the soffit: in no well does anything jump. */
static void filling_makes_no_ripple(void **state) {
    (void)state;
    rill_world *world = slab_tank(RILL_PASSAGES_ANY, 1);
    fill(world, 0.5, 0.5, 0.5, 4.8);
    rill_source_def rain = rill_default_source_def(); /* over both wells alike */
    rain.shape = RILL_SOURCE_BOX;
    const double speed = 1e-3; /* m/s in the wells, once the passage is full */
    for (int side = 0; side < 2; ++side) {
        memcpy(rain.min, (double[]){ side * 0.032, 0.0, 0.0 }, sizeof rain.min);
        memcpy(rain.max, (double[]){ side * 0.032 + 0.016, 1.0, 0.001 }, sizeof rain.max);
        rain.rate = 16.0 * MM * MM * speed;
        rill_source_id id;
        must(world, rill_source_create(world, &rain, &id));
    }
    const double dt = 1e-3;
    double worst = 0.0, highest = 0.0, fastest = 0.0, before[48], now[48];
    assert_int_equal(rill_world_read_field(world, RILL_FIELD_DEPTH, 0, before, 48), RILL_OK);
    for (int i = 0; i < 600; ++i) {
        step(world, dt);
        assert_int_equal(rill_world_read_field(world, RILL_FIELD_DEPTH, 0, now, 48), RILL_OK);
        for (int x = 0; x < 48; ++x) {
            if (x >= 16 && x < 32) continue;
            worst = fmax(worst, fabs(now[x] - before[x]));
            highest = fmax(highest, now[x]);
        }
        memcpy(before, now, sizeof now);
        fastest = fmax(fastest, step_info(world).max_speed);
    }
    assert_true(sample(world, 24.5, 0.5, 1).depth > 5.0 * MM - 1e-8); /* it has filled */
    assert_true(highest > 5.1 * MM);
    if (worst > 0.002 * highest)
        fail_msg("a well column changed by %g mm in a step, %g from the source", worst / MM, speed * dt / MM);
    check(world);
    rill_world_destroy(world);
}

/* A source inside the passage pushes as much out of its mouths as it pours. */
static void source_pushes_through_mouths(void **state) {
    (void)state;
    rill_world *world = slab_tank(RILL_PASSAGES_ANY, 1);
    fill(world, 0.5, 0.5, 0.5, 8.0);
    const double rate = 2e-7; /* 2e-7 m3/s: 6 mm/s in the wells */
    double left = volume(world, 0, 16, 100), right = volume(world, 32, 48, 100);
    pour(world, 24.0, 0.5, 1, 1.5, rate);
    for (int i = 0; i < 60; ++i) assert_true(!(step(world, 1.0 / 120) & RILL_STATUS_SOURCE_REFUSED));
    double poured = rate * 0.5, to_left = volume(world, 0, 16, 100) - left,
           to_right = volume(world, 32, 48, 100) - right;
    if (fabs(to_left / poured - 0.5) > 0.01 || fabs(to_right / poured - 0.5) > 0.01)
        fail_msg("poured %g, %g went left and %g right", poured, to_left, to_right);
    for (int x = 16; x < 32; ++x) assert_true(sample(world, x + 0.5, 0.5, 1).depth > 5.0 * MM - 1e-8);
    check(world);
    rill_world_destroy(world);
}

/* A wall of liquid falls into a dry tunnel, which ends in a well or at a wall. */
static void slam_keeps_bounds(void **state) {
    (void)state;
    for (int round = 0; round < 4; ++round) {
        rill_world_def def = tank_def(round % 2 ? 56 : 76, 3, round < 2 ? RILL_PASSAGES_ANY : RILL_PASSAGES_STRAIGHT);
        rill_world *world = make_tank(&def);
        add_slab(world, 16, 3, 56, 40);
        build(world);
        double depths[76 * 3];
        size_t cells = (size_t)def.grid.cells[0] * 3;
        for (size_t i = 0; i < cells; ++i) depths[i] = i % (size_t)def.grid.cells[0] < 16 ? 20 * MM : 0.0;
        must(world, rill_world_fill_depths(world, 0, depths, cells, NULL));
        double fullest = 0.0;
        for (int i = 0; i < 120; ++i) {
            step(world, 2e-3);
            fullest = fmax(fullest, sample(world, 54.5, 0.5, 1).depth);
            if (i % 4 == 0) check(world);
            assert_true(step_info(world).max_speed < 4.0); /* twice sqrt(2 g h) and more is noise */
        }
        if (round < 2 && fullest < 2.99 * MM) fail_msg("round %d: the tunnel never filled: %g", round, fullest);
        check(world);
        rill_world_destroy(world);
    }
}

/* --------------------------------------------------------------------------------------------------------- cavities */

/* A closed room, 10 x 8 cells, 3 mm high, in a block with open sky around it. */
static rill_world *cavity(rill_passages passages) {
    rill_world_def def = tank_def(20, 14, passages);
    def.liquid.viscosity = 1e-4;
    rill_world *world = make_tank(&def);
    add_box(world, 4, 2, 3, 16, 12, 6);
    add_box(world, 4, 2, 0, 5, 12, 3);
    add_box(world, 15, 2, 0, 16, 12, 3);
    add_box(world, 4, 2, 0, 16, 3, 3);
    add_box(world, 4, 11, 0, 16, 12, 3);
    build(world);
    return world;
}

/* It fills to its ceiling and then refuses, slowly or all at once; a sink empties it again. */
static void sealed_cavity_fills_and_empties(void **state) {
    (void)state;
    const double room = 10 * 8 * 3 * MM * MM * MM;
    for (int round = 0; round < 6; ++round) {
        rill_world *world = cavity((rill_passages)(round / 2));
        rill_source_id id = pour(world, 8.5, 6.5, 1, 3, room * (round % 2 ? 1000.0 : 2.0));
        rill_status seen = 0;
        for (int i = 0; i < 80; ++i) {
            seen = step(world, 0.01);
            if (i % 8 == 0) check(world);
        }
        double held = volume(world, 5, 15, 3);
        assert_true(seen & RILL_STATUS_SOURCE_REFUSED);
        if (fabs(held / room - 1.0) > 1e-5) fail_msg("round %d: holds %.9g of %.9g", round, held, room);
        assert_true(step_info(world).max_speed < 1.0);
        must(world, rill_source_destroy(world, id));
        pour(world, 8.5, 6.5, 1, 3, -2.0 * room);
        for (int i = 0; i < 20; ++i) step(world, 0.01);
        double left = volume(world, 5, 15, 3) / held;
        if (fabs(left - 0.6) > 0.01) fail_msg("round %d: %g left after a sink took 0.4", round, left);
        assert_true(step_info(world).max_speed < 1.0);
        for (int i = 0; i < 60; ++i) seen = step(world, 0.01);
        assert_true(seen & RILL_STATUS_SINK_DRY);
        check(world);
        rill_world_destroy(world);
    }
}

/* The world ends not far above: a passage does not push liquid beyond the top of the range. */
static void nothing_leaves_the_range(void **state) {
    (void)state;
    rill_world_def def = tank_def(40, 3, RILL_PASSAGES_ANY);
    def.headroom = 1 * MM;
    rill_world *world = make_tank(&def);
    add_slab(world, 8, 1, 32, 20);
    build(world);
    fill(world, 0.5, 1.5, 0.5, 15);
    pour(world, 20.5, 1.5, 0.5, 3, 1e-4);
    pour(world, 3.5, 1.5, 0.5, 3, 1e-4);
    rill_status seen = 0;
    for (int i = 0; i < 40; ++i) {
        seen |= step(world, 2e-3);
        check(world);
    }
    assert_true(seen & RILL_STATUS_RANGE);
    assert_true(seen & RILL_STATUS_SOURCE_REFUSED);
    rill_world_destroy(world);
}

/* ------------------------------------------------------------------------------------------------------------ sleep */

/* Pressure knows no distance: what sleeps in a passage wakes with the far end. */
static void passages_sleep_and_wake(void **state) {
    (void)state;
    enum { LENGTH = 112 };
    rill_world_def def = tank_def(LENGTH + 24, 1, RILL_PASSAGES_ANY);
    rill_liquid_preset("olive oil", &def.liquid);
    rill_world *world = make_tank(&def);
    add_slab(world, 12, 3, 12 + LENGTH, 30);
    build(world);
    fill(world, 0.5, 0.5, 0.5, 6.0);
    double depths[LENGTH + 24], far = LENGTH + 22.5;
    for (int i = 0; i < LENGTH + 24; ++i) depths[i] = i < 12 ? 6.2 * MM : (double)NAN;
    must(world, rill_world_fill_depths(world, 0, depths, LENGTH + 24, NULL));
    step(world, 0.01);
    assert_true(step_info(world).awake_columns > 0);
    for (int i = 0; i < 3000 && step_info(world).awake_columns > 0; ++i) step(world, 0.02);
    assert_true(step_info(world).awake_columns == 0);
    double first = sample(world, 4.5, 0.5, 0.5).depth, rested = sample(world, far, 0.5, 0.5).depth;
    if (rested < 6.09 * MM || fabs(first - rested) > 3e-3 * MM) fail_msg("rests at %g and %g m", first, rested);
    picture still = take_picture(world);
    step(world, 0.02);
    picture later = take_picture(world);
    assert_true(largest(&still, &later) == 0.0 && largest(&later, NULL) == 0.0);
    free(still.values);
    free(later.values);

    for (int i = 0; i < 12; ++i) depths[i] = first + 0.5 * MM;
    must(world, rill_world_fill_depths(world, 0, depths, LENGTH + 24, NULL));
    step(world, 1e-3);
    assert_true(step_info(world).substeps == 1);
    assert_true(step_info(world).awake_columns == LENGTH + 24);
    double middle = sample(world, LENGTH / 2 + 12.5, 0.5, 0.5).velocity[0];
    if (!(middle > 0.0 && fabs(sample(world, LENGTH + 10.5, 0.5, 0.5).velocity[0] / middle - 1.0) < 0.01))
        fail_msg("the middle of the passage flows at %g m/s", middle);
    check(world);
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_is_exact),
        cmocka_unit_test(u_tube_swings),
        cmocka_unit_test(bends_are_for_any),
        cmocka_unit_test(siphons_do_not_flow),
        cmocka_unit_test(filling_makes_no_ripple),
        cmocka_unit_test(source_pushes_through_mouths),
        cmocka_unit_test(slam_keeps_bounds),
        cmocka_unit_test(sealed_cavity_fills_and_empties),
        cmocka_unit_test(nothing_leaves_the_range),
        cmocka_unit_test(passages_sleep_and_wake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
