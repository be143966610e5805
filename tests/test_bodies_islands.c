/* Bodies that have nothing to do with each other within a sub-step: islands. They are worked at on any thread, with the
 * same bits, and know nothing of each other. */
#include "tanks_afloat.h"

static rill_world *make_pond(int32_t threads) {
    return make_open_pond(60, 60, 0.05, 0, threads);
}

static rill_body_def ball_def(double x, double y, double z) {
    rill_body_def def = rill_default_body_def();
    def.shape.type = RILL_SHAPE_SPHERE;
    def.shape.radius = 4.2 * MM;
    def.density = 400.0;
    def.state.position[0] = x * MM;
    def.state.position[1] = y * MM;
    def.state.position[2] = z * MM;
    def.state.acceleration[2] = -9.81;
    return def;
}

/* Balls and cylinders that fall and float, two that are over the same columns, and plates on the ground, under which
 * there is a film and no more. */
static uint64_t hash_of(int32_t threads) {
    rill_world *world = make_pond(threads);
    fill(world, 1, 1, 1, 6.0);
    for (int i = 0; i < 9; ++i) {
        rill_body_def def = ball_def(9.3 + 20 * (i % 3), 9.8 + 20 * (i / 3), 9.0 + i);
        def.shape.type = i % 4 == 1 ? RILL_SHAPE_CYLINDER : i % 4 == 2 ? RILL_SHAPE_BOX : RILL_SHAPE_SPHERE;
        set_length(&def.shape, 5 * MM);
        set_size(&def.shape, 9 * MM, 9 * MM, 3 * MM);
        if (i % 4 == 2) def.density = 6000.0, def.state.position[2] = 1.5 * MM, def.state.acceleration[2] = 0.0;
        def.state.velocity[0] = 0.05 * (i - 4);
        add_body(world, &def);
    }
    const rill_body_def beside = ball_def(16, 12, 14);
    add_body(world, &beside);
    for (int i = 0; i < 40; ++i) step(world, 1.0 / 120);
    check(world);
    const uint64_t hash = rill_world_hash(world);
    rill_world_destroy(world);
    return hash;
}

static void test_threads(void **state) {
    (void)state;
    const uint64_t hash = hash_of(1);
    assert_true(hash_of(2) == hash);
    assert_true(hash_of(4) == hash);
}

/* A ball that was put into the liquid half sunk begins to move as if there were no other, to the bit. */
static rill_body_state begin_with(int others) {
    rill_world *world = make_pond(1);
    const rill_body_def ball = ball_def(15, 14, 7);
    const rill_body_id id = add_body(world, &ball);
    for (int i = 0; i < others; ++i) {
        rill_body_def other = ball_def(45, 15 + 15 * i, 8 - i);
        other.density = 900.0;
        add_body(world, &other);
    }
    fill(world, 1, 1, 1, 8.0);
    step(world, 1e-3);
    rill_body_state found;
    assert_int_equal(rill_body_get_state(world, id, &found), RILL_OK);
    rill_world_destroy(world);
    return found;
}

static void test_alone(void **state) {
    (void)state;
    const rill_body_state alone = begin_with(0), beside = begin_with(3);
    assert_true(alone.velocity[2] != 0.0);
    assert_memory_equal(&alone, &beside, sizeof alone);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_threads), cmocka_unit_test(test_alone) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
