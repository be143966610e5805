/* Blows: what bodies that strike the liquid, or the bed below it, do to it in a moment. Heads are high then, and must
 * neither be taken for levels nor hold back what is to get away. */
#include "tanks_afloat.h"

/* A puddle on a tray of 60 x 50 cells of 1 mm. */
static rill_world *make_puddle(double level) {
    return make_open_pond(60, 50, 0.1, level, 1);
}

static rill_body_def plate_def(double bottom, double wide, double high) {
    rill_body_def def = rill_default_body_def();
    def.shape.type = RILL_SHAPE_BOX;
    set_size(&def.shape, wide * MM, wide * MM, high * MM);
    def.state.position[0] = 30.3 * MM;
    def.state.position[1] = 25.2 * MM;
    def.state.position[2] = (bottom + 0.5 * high) * MM;
    return def;
}

/* The deepest column, mm. */
static double deepest(const rill_world *world) {
    double most = 0.0;
    for (int y = 0; y < 50; ++y)
        for (int x = 0; x < 60; ++x) most = fmax(most, sample(world, x + 0.5, y + 0.5, 1).depth / MM);
    return most;
}

/* A plate that falls flat into a puddle, and leans a little, comes to rest in it without being thrown, and what it
 * strikes does not reach the top of the range. */
static void test_slap(void **state) {
    (void)state;
    for (int lean = 0; lean < 3; ++lean) {
        rill_world *world = make_puddle(3.0);
        rill_body_def def = plate_def(7.0, 20.0, 4.0);
        rill_body_id id;
        def.density = 1400.0;
        def.state.velocity[2] = -0.5;
        def.state.angular_velocity[1] = 12.0 * lean;
        def.state.acceleration[2] = -9.81;
        must(world, rill_body_create(world, &def, &id));
        for (int i = 0; i < 24; ++i) {
            rill_body_state now = state_of(world, id);
            assert_true(!(step(world, (i % 3 + 1) * 5e-4) & (RILL_STATUS_RANGE | RILL_STATUS_SUBSTEPS_CAPPED)));
            assert_true(ledger_error(world) == 0);
            now = state_of(world, id);
            assert_true(length(now.velocity) < 0.65 && length(now.angular_velocity) < 80.0);
        }
        assert_true(fabs(state_of(world, id).velocity[2]) < 0.4); /* it was braked */
        assert_true(deepest(world) < 12.0);
        check(world);
        rill_world_destroy(world);
    }
}

/* How high the middle of a plate is, mm, that fell flat into liquid 30 ms ago, in steps of which every other is
 * shorter. What it strikes gives way: heavy as it is, it is never thrown up. */
static double fall(double level, double turning, double shorter, double longer) {
    rill_world *world = make_puddle(level);
    rill_body_def def = plate_def(level + 4.0, 20.0, 4.0);
    rill_body_id id;
    def.density = 1400.0;
    def.state.velocity[2] = -0.5;
    def.state.angular_velocity[1] = turning;
    def.state.acceleration[2] = -9.81;
    must(world, rill_body_create(world, &def, &id));
    for (int i = 0; i < 30; ++i) {
        step(world, i % 2 ? longer : shorter);
        assert_true(state_of(world, id).velocity[2] < 0.0);
    }
    const double height = state_of(world, id).position[2] / MM;
    check(world);
    rill_world_destroy(world);
    return height;
}

static void test_never_thrown_up(void **state) {
    (void)state;
    for (int i = 0; i < 2; ++i)
        for (double level = 3.0; level < 7.0; level += 3.0) assert_true(fall(level, 25.0 * i, 1e-3, 1e-3) < level);
}

/* However long the steps are: what heads do in one must not go on for as long in the next. */
static void test_uneven_steps(void **state) {
    (void)state;
    assert_true(fabs(fall(9.0, 0.0, 1e-3, 1e-3) - fall(9.0, 0.0, 2e-4, 1.8e-3)) < 0.2);
}

/* A stamp is lowered flat onto the bed: it squeezes out all but a film, which has the head of what is around it
 * then. */
static void test_stamp(void **state) {
    (void)state;
    rill_world *world = make_puddle(3.0);
    rill_body_def def = plate_def(4.0, 24.0, 12.0);
    rill_body_id id;
    def.mass = INFINITY;
    def.state.velocity[2] = -0.02;
    must(world, rill_body_create(world, &def, &id));
    int32_t substeps = 0;
    for (int i = 0; i < 40; ++i) {
        rill_body_state now = state_of(world, id);
        now.velocity[2] = i < 20 ? -0.02 : 0.0;
        must(world, rill_body_set_state(world, id, &now));
        assert_true(!(step(world, 0.01) & (RILL_STATUS_RANGE | RILL_STATUS_SUBSTEPS_CAPPED)));
        assert_true(ledger_error(world) == 0);
        substeps += step_info(world).substeps;
    }
    assert_true(substeps < 400);
    const rill_sample below = sample(world, 30.3, 25.2, 1);
    assert_true(below.depth < 0.02 * MM && below.level < 5.0 * MM);
    assert_true(deepest(world) < 5.0);
    rill_body_forces forces;
    must(world, rill_body_get_forces(world, id, &forces));
    assert_true(forces.level < 5.0 * MM);
    check(world);
    rill_world_destroy(world);
}

/* A leaning tile comes down on a film, and the bed bears it: it meets the film quarter by quarter of a cell, and where
 * it does there is hardly any liquid to give way. The solve finds its way through all of that. */
static void test_tile_on_film(void **state) {
    (void)state;
    static const double films[] = { 0.03, 0.05, 0.2, 0.5 }, speeds[] = { -0.1, -0.1, -0.1, -0.3 };
    static const double leans[] = { 3, 6, 6, 2 }, spins[] = { 8, 0, 8, 0 };
    const double degree = acos(-1.0) / 180.0;
    for (int k = 0; k < 4; ++k) {
        rill_world *world = make_puddle(films[k]);
        rill_body_def def = plate_def(0.0, 13.0, 2.0);
        rill_body_id id;
        set_edge(&def.shape, 1, 7.0 * MM);
        def.density = 1400.0;
        def.state.orientation[1] = sin(0.5 * leans[k] * degree);
        def.state.orientation[3] = cos(0.5 * leans[k] * degree);
        def.state.position[2] =
            (cos(leans[k] * degree) + 6.5 * sin(leans[k] * degree) + films[k] + 0.05) * MM; /* just above it */
        def.state.velocity[2] = speeds[k];
        def.state.angular_velocity[1] = spins[k];
        must(world, rill_body_create(world, &def, &id));
        for (int i = 0; i < 30; ++i) {
            assert_true(!(step(world, k == 0 ? 0.005 : 0.0025) & RILL_STATUS_BODIES_CAPPED));
            rill_body_state now = state_of(world, id);
            const double lean = 2.0 * asin(now.orientation[1]);
            const double low = now.position[2] - (cos(lean) + 6.5 * fabs(sin(lean))) * MM;
            if (!(low < 0.0)) continue;
            now.position[2] -= low;
            now.velocity[2] = fmax(now.velocity[2], 0.0);
            must(world, rill_body_set_state(world, id, &now));
        }
        check(world);
        rill_world_destroy(world);
    }
}

/* A body that weighs next to nothing, and is let go half sunk, comes up and stays on the liquid: it is not thrown. */
static void test_weightless(void **state) {
    (void)state;
    static const double wide[] = { 20.0, 6.0, 20.0 }, density[] = { 0.01, 0.01, 0.3 };
    for (int k = 0; k < 3; ++k) {
        rill_world *world = make_puddle(1.0);
        rill_body_def def = plate_def(30.0 - 0.5 * wide[k], wide[k], wide[k]);
        rill_body_id id;
        def.shape.type = k == 1 ? RILL_SHAPE_SPHERE : RILL_SHAPE_BOX;
        def.shape.radius = 0.5 * wide[k] * MM;
        def.density = density[k];
        def.state.acceleration[2] = -9.81;
        must(world, rill_body_create(world, &def, &id));
        fill(world, 1, 1, 1, 30.0);
        for (int i = 0; i < 30; ++i) {
            step(world, 1.0 / 60);
            assert_true(state_of(world, id).position[2] < (30.0 + wide[k]) * MM);
        }
        check(world);
        rill_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slap),  cmocka_unit_test(test_never_thrown_up), cmocka_unit_test(test_uneven_steps),
        cmocka_unit_test(test_stamp), cmocka_unit_test(test_tile_on_film),    cmocka_unit_test(test_weightless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
