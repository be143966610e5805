/* Bodies at rest: they come to rest with the liquid they float in, all of it falls asleep then, and wakes when anything
 * happens to one of them. With H the depth, all is still after 20 s or 20 H^2 / nu, whichever is longer. */
#include "tanks_afloat.h"

static const double DEPTH = 4.0, NU = 2e-5; /* mm, m2/s: 16 s */

static rill_world *make_pond(rill_passages passages) {
    rill_world_def def = tank_def(26, 22, passages);
    def.liquid.viscosity = NU;
    def.headroom = 0.05;
    rill_world *world = make_tank(&def);
    if (passages != RILL_PASSAGES_OFF) add_box(world, 20, -1, 3, 30, 30, 20); /* a shelf that dips into the liquid */
    build(world);
    return world;
}

static rill_body_def float_def(rill_shape shape, double x, double y, double z) {
    rill_body_def def = rill_default_body_def();
    def.shape.type = shape;
    def.shape.radius = (shape == RILL_SHAPE_CYLINDER ? 1.6 : 2.6) * MM;
    set_length(&def.shape, 7.0 * MM);
    def.density = 450.0;
    set_size(&def.shape, 7.0 * MM, 7.0 * MM, 2.0 * MM);
    def.state.position[0] = x * MM;
    def.state.position[1] = y * MM;
    def.state.position[2] = z * MM;
    def.state.orientation[0] = shape == RILL_SHAPE_CYLINDER ? sqrt(0.5) : 0.05; /* lying, or leaning a little */
    def.state.orientation[3] = shape == RILL_SHAPE_CYLINDER ? sqrt(0.5) : sqrt(1.0 - 0.0025);
    def.state.acceleration[2] = -9.81;
    return def;
}

static void run(rill_world *world, double seconds) {
    for (int i = 0; i < (int)(30 * seconds); ++i) step(world, 1.0 / 30);
}

static bool rests(const rill_world *world, rill_body_id id) {
    const rill_body_state now = state_of(world, id);
    bool still = true;
    for (int k = 0; k < 3; ++k) still = still && now.velocity[k] == 0.0 && now.angular_velocity[k] == 0.0;
    return still;
}

static void test_all_sleep(void **state) {
    (void)state;
    static const rill_passages passages[] = { RILL_PASSAGES_ANY, RILL_PASSAGES_STRAIGHT, RILL_PASSAGES_OFF };
    for (int i = 0; i < 3; ++i) {
        rill_world *world = make_pond(passages[i]);
        const rill_body_def box = float_def(RILL_SHAPE_BOX, 6.3, 6.2, 5),
                            ball = float_def(RILL_SHAPE_SPHERE, 14.1, 15.2, 6),
                            log = float_def(RILL_SHAPE_CYLINDER, 15.3, 6.4, 5);
        const rill_body_id ids[] = { add_body(world, &box), add_body(world, &ball), add_body(world, &log) };
        fill(world, 1, 1, 1, DEPTH);
        run(world, 6);
        for (int k = 0; k < 3; ++k) assert_true(rests(world, ids[k]));
        assert_int_equal(step_info(world).awake_columns, 0);
        rill_body_forces forces;
        must(world, rill_body_get_forces(world, ids[0], &forces)); /* it is borne all the same */
        assert_true(fabs(forces.impulse[2] * 30 / (box.density * 98e-9 * 9.81) - 1.0) < 1e-3);
        check(world);
        rill_world_destroy(world);
    }
}

static rill_world *make_asleep(rill_body_id *id) {
    rill_world *world = make_pond(RILL_PASSAGES_OFF);
    const rill_body_def box = float_def(RILL_SHAPE_BOX, 10.3, 10.2, 4.2);
    *id = add_body(world, &box);
    fill(world, 1, 1, 1, DEPTH);
    run(world, 8);
    assert_true(rests(world, *id));
    return world;
}

/* A short cylinder that lies askew turns for ever, by what columns that know it by quarters of cells make of it: at
 * 1e-3 rad/s, far below what counts as rest. It was stopped again and again, which was taken for a push that wakes. */
static void test_short_cylinder(void **state) {
    (void)state;
    rill_world *world = make_pond(RILL_PASSAGES_OFF);
    rill_body_def def = float_def(RILL_SHAPE_CYLINDER, 16.7325, 11.6566, 5.32131);
    def.shape.radius = 3.3778 * MM;
    set_length(&def.shape, 5.73996 * MM);
    def.density = 217.141;
    memcpy(def.state.orientation, (double[]){ -0.1316822, 0.6947371, 0.1316834, 0.6947371 },
           sizeof def.state.orientation);
    const rill_body_id id = add_body(world, &def);
    fill(world, 1, 1, 1, 4.57984);
    run(world, 12);
    assert_true(rests(world, id));
    assert_int_equal(step_info(world).awake_columns, 0);
    check(world);
    rill_world_destroy(world);
}

/* A body at rest wakes when it is pushed down, let go of gravity, hit by a wave, or poured on. */
static void test_wakes(void **state) {
    (void)state;
    rill_body_id id;
    rill_world *world = make_asleep(&id);
    rill_body_state at_rest = state_of(world, id), now = at_rest;
    now.position[2] -= 0.05 * MM;
    must(world, rill_body_set_state(world, id, &now));
    step(world, 1.0 / 30);
    assert_false(rests(world, id));
    run(world, 6);
    assert_true(rests(world, id) && fabs(state_of(world, id).position[2] - at_rest.position[2]) < 1e-3 * MM);
    now = state_of(world, id);
    now.acceleration[2] *= 0.9;
    must(world, rill_body_set_state(world, id, &now));
    step(world, 1.0 / 30);
    assert_false(rests(world, id));
    now = state_of(world, id);
    now.acceleration[2] = -9.81;
    must(world, rill_body_set_state(world, id, &now));
    run(world, 6);
    assert_true(rests(world, id));
    pour(world, 24, 20, 6, 1, 1e-6);
    run(world, 0.5);
    assert_false(rests(world, id));
    check(world);
    rill_world_destroy(world);
}

/* A world that is loaded goes on as it would have, also while it falls asleep: who rests follows from what is saved. */
static void test_saved(void **state) {
    (void)state;
    rill_world *world = make_pond(RILL_PASSAGES_OFF);
    const rill_body_def ball = float_def(RILL_SHAPE_SPHERE, 10.1, 11.2, 4.4);
    add_body(world, &ball);
    fill(world, 1, 1, 1, DEPTH);
    for (int i = 0; i < 10; ++i) {
        size_t size = rill_snapshot_size(world);
        unsigned char *bytes = malloc(size);
        rill_world *other = NULL;
        rill_message message = { "" };
        assert_int_equal(rill_snapshot_save(world, bytes, size, &size), RILL_OK);
        if (rill_snapshot_load(bytes, size, NULL, &other, &message)) fail_msg("%s", message.text);
        free(bytes);
        run(world, 0.5);
        run(other, 0.5);
        assert_true(rill_world_hash(world) == rill_world_hash(other));
        rill_world_destroy(other);
    }
    assert_int_equal(step_info(world).awake_columns, 0);
    rill_world_destroy(world);
}

/* A plate that draws less than g dt^2 / 4, in sub-steps as long as waves allow: it rocked to and fro in each of them,
 * for ever. */
static void test_thin_plate(void **state) {
    (void)state;
    rill_world_def def = tank_def(14, 12, RILL_PASSAGES_OFF);
    def.grid.cell_size = 3.3 * MM;
    def.liquid.viscosity = 1e-6;
    rill_world *world = make_tank(&def);
    build(world);
    rill_body_def plate = float_def(RILL_SHAPE_BOX, 23.0, 20.0, 1.65);
    set_size(&plate.shape, 12.4 * MM, 7.7 * MM, 0.42 * MM);
    plate.density = 584.0;
    plate.state.orientation[0] = 0.01, plate.state.orientation[3] = sqrt(1.0 - 1e-4);
    const rill_body_id id = add_body(world, &plate);
    fill(world, 1, 1, 1, 1.7);
    for (int i = 0; i < 300; ++i) step(world, 0.0105);
    assert_int_equal(step_info(world).substeps, 1);
    const rill_body_state now = state_of(world, id);
    if (!(fabs(now.angular_velocity[0]) < 0.05 && fabs(now.angular_velocity[1]) < 0.05))
        fail_msg("%g, %g rad/s", now.angular_velocity[0], now.angular_velocity[1]);
    check(world);
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_all_sleep), cmocka_unit_test(test_short_cylinder),
                                        cmocka_unit_test(test_wakes), cmocka_unit_test(test_saved),
                                        cmocka_unit_test(test_thin_plate) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
