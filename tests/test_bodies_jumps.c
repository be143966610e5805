/* Jumps: an engine puts a body elsewhere at once. The liquid is pressed aside over the step that follows, not at once,
 * so that nothing is shot off; what the body does is what was set. */
#include "snapshots.h"
#include "tanks_afloat.h"

static const double DT = 1.0 / 60;

static rill_world *make_pond(int32_t threads) {
    return make_open_pond(60, 50, 0.1, 10, threads);
}

static rill_body_def body_def(rill_shape shape, double x, double y, double z, double size, double density) {
    rill_body_def def = rill_default_body_def();
    def.shape.type = shape;
    def.shape.radius = 0.5 * size * MM;
    set_size(&def.shape, size * MM, size * MM, 0.5 * size * MM);
    def.density = density;
    memcpy(def.state.position, (double[]){ x * MM, y * MM, z * MM }, sizeof def.state.position);
    return def;
}

/* Puts a body so many mm away, and it is there. */
static void put(rill_world *world, rill_body_id id, double x, double z) {
    rill_body_state now = state_of(world, id), then;
    now.position[0] += x * MM;
    now.position[2] += z * MM;
    must(world, rill_body_set_state(world, id, &now));
    then = state_of(world, id);
    assert_memory_equal(&now, &then, sizeof now);
}

/* Along the bed, at one go: liquid is as fast as it takes to make room within a step, and not faster, and a ball that
 * floats is not thrown. */
static void test_along(void **state) {
    (void)state;
    static const double far[] = { 1, 3, 10 };
    for (int i = 0; i < 6; i += NEXT_CASE) {
        rill_world *world = make_pond(1);
        rill_body_def def = body_def(RILL_SHAPE_SPHERE, 20.3, 25.2, 8, 14, 500);
        if (i < 3) def.mass = (double)INFINITY;
        const rill_body_id id = add_body(world, &def);
        for (int k = 0; k < 6; ++k) step(world, DT);
        put(world, id, far[i % 3], 0);
        double fastest = 0.0, highest = 0.0;
        for (int k = 0; k < 10; ++k) {
            assert_false(step(world, DT) & (RILL_STATUS_SUBSTEPS_CAPPED | RILL_STATUS_BODIES_CAPPED));
            fastest = fmax(fastest, step_info(world).max_speed);
            highest = fmax(highest, state_of(world, id).position[2] / MM);
        }
        assert_true(fastest < 4.0 * far[i % 3] * MM / DT);
        assert_true(highest < 12.0);
        check(world);
        rill_world_destroy(world);
    }
}

/* A large body is put among small light ones, or right over them, from just above them and from far away: they ride the
 * wave that it makes, or are caught between it and the liquid, and are not shot off. */
static void test_onto(void **state) {
    (void)state;
    for (int way = 0; way < 4; ++way) {
        const bool far = way & 1, right_over = way & 2;
        const double aside = right_over ? 4.0 : 18.0, density = right_over ? 10 : 50;
        rill_world *world = make_pond(1);
        rill_body_id small[4];
        for (int i = 0; i < 4; ++i) {
            const rill_body_def def =
                body_def(RILL_SHAPE_SPHERE, 29.3 + (i % 2 ? aside : -aside), i / 2 ? 32.2 : 18.4, 11.5, 4.4, density);
            small[i] = add_body(world, &def);
        }
        rill_body_def def = body_def(RILL_SHAPE_BOX, 29.3, 25.2, far ? 60 : 18, 24, 600);
        def.state.acceleration[2] = 1e-9; /* held */
        const rill_body_id large = add_body(world, &def);
        for (int i = 0; i < 6; ++i) step(world, DT);
        put(world, large, 0, far ? -49 : -7);
        double energy = (double)INFINITY;
        for (int i = 0; i < 20; ++i) {
            step(world, DT);
            assert_true(energy_of(world) <= energy);
            energy = i == 0 ? energy_of(world) : energy; /* the jump has done its work */
            for (int k = 0; k < 4; ++k) {
                const rill_body_state s = state_of(world, small[k]);
                assert_true(s.position[2] < 18 * MM && length(s.velocity) < 0.4);
            }
            assert_true(length(state_of(world, large).velocity) < 0.4);
        }
        check(world);
        rill_world_destroy(world);
    }
}

/* A flooded passage of 6 x 6 mm between two wells. */
static rill_world *make_passage(void) {
    rill_world_def def = tank_def(40, 6, RILL_PASSAGES_ANY);
    def.liquid.viscosity = 1e-6;
    rill_world *world = make_tank(&def);
    add_slab(world, 10, 6, 30, 40);
    build(world);
    return world;
}

/* As an engine keeps a ball between its walls. */
static void keep_inside(rill_body_state *s, double radius) {
    const double most = 6 * MM - radius;
    for (int a = 1; a < 3; ++a) {
        if (s->position[a] < radius) s->position[a] = radius, s->velocity[a] = fmax(s->velocity[a], 0.0);
        if (s->position[a] > most) s->position[a] = most, s->velocity[a] = fmin(s->velocity[a], 0.0);
    }
}

/* Balls of a twentieth of the density in a flooded passage that they nearly fill. An engine keeps them between its
 * walls, and where they are to be, by up to a millimetre each step. */
static void test_passage(void **state) {
    (void)state;
    rill_world *world = make_passage();
    const double radius = 2.8 * MM;
    rill_body_id ids[2];
    for (int i = 0; i < 2; ++i) {
        const rill_body_def ball = body_def(RILL_SHAPE_SPHERE, 16.3 + 7 * i, 3, 3, 5.6, 50);
        ids[i] = add_body(world, &ball);
    }
    fill(world, 1, 3, 1, 20);
    double trembles = 0.0, flows = 0.0;
    for (int i = 0; i < 200; ++i) {
        step(world, DT);
        for (int k = 0; k < 2; ++k) {
            rill_body_state s = state_of(world, ids[k]);
            keep_inside(&s, radius);
            s.position[0] += fmax(-MM, fmin((16.3 + 7 * k) * MM - s.position[0], MM));
            must(world, rill_body_set_state(world, ids[k], &s));
            if (i > 180) trembles = fmax(trembles, length(s.velocity));
        }
        if (i > 180) flows = fmax(flows, step_info(world).max_speed);
    }
    assert_true(trembles < 1e-3 && flows < 1.5e-3);
    check(world);
    rill_world_destroy(world);
}

/* Balls that nearly fill a passage are put aside in it once, by less than a cell. What is light is pushed back rather
 * than all the liquid in the passage; either way it is over at once. Columns were held to what the ball displaced where
 * it had been expected, which it overshot farther in each sub-step, for good. */
static void test_jolt(void **state) {
    (void)state;
    static const double density[] = { 20, 50, 200, 998 }, wide[] = { 4.2, 5.6, 5.9 }, far[] = { 0.2, 0.5, 1.0 };
    for (int i = 0; i < 36; i += NEXT_CASE) {
        rill_world *world = make_passage();
        const rill_body_def ball = body_def(RILL_SHAPE_SPHERE, 17.3, 3, 3, wide[i / 4 % 3], density[i % 4]);
        const rill_body_id id = add_body(world, &ball);
        fill(world, 1, 3, 1, 20);
        double fastest = 0.0;
        for (int k = 0; k < 30; ++k) {
            const rill_status status = step(world, DT);
            rill_body_state now = state_of(world, id);
            keep_inside(&now, ball.shape.radius);
            now.position[0] += k == 5 ? far[i / 12] * MM : 0.0;
            must(world, rill_body_set_state(world, id, &now));
            fastest = fmax(fastest, step_info(world).max_speed);
            if (k > 20 && (!(step_info(world).max_speed < 0.05) || status & RILL_STATUS_BODIES_CAPPED))
                fail_msg("%g mm, %g kg/m3: %g m/s, status %x", wide[i / 4 % 3], density[i % 4],
                         step_info(world).max_speed, (unsigned)status);
        }
        if (!(fastest < 0.5)) fail_msg("%g mm, %g kg/m3: %g m/s", wide[i / 4 % 3], density[i % 4], fastest);
        check(world);
        rill_world_destroy(world);
    }
}

/* Near and far, turned, and twice in a row, with a snapshot between that and the step. */
static uint64_t hash_of(int32_t threads, bool again) {
    rill_world *world = make_pond(threads);
    const rill_body_def box = body_def(RILL_SHAPE_BOX, 15.3, 14.2, 11, 14, 300),
                        ball = body_def(RILL_SHAPE_SPHERE, 40.1, 30.7, 12, 9, 200);
    rill_body_id ids[2] = { add_body(world, &box), add_body(world, &ball) };
    for (int i = 0; i < 6; ++i) {
        step(world, DT);
        put(world, ids[0], 1 + i, -2);
        rill_body_state turned = state_of(world, ids[0]);
        memcpy(turned.orientation, (double[]){ 0.1 * i, 0.2, 0.0, 1.0 - 0.4 * i }, sizeof turned.orientation);
        must(world, rill_body_set_state(world, ids[0], &turned));
        if (i % 3 == 2) put(world, ids[1], i == 2 ? -24 : 20, -3);
        if (again) {
            const saved s = save(world);
            const uint64_t hash = rill_world_hash(world);
            rill_world_destroy(world);
            world = load(s, NULL);
            for (int32_t k = 0; k < 2; ++k) ids[k] = rill_world_body_at(world, k);
            assert_true(rill_world_hash(world) == hash);
            free(s.bytes);
        }
        assert_true(ledger_error(world) == 0);
    }
    step(world, DT);
    check(world);
    const uint64_t hash = rill_world_hash(world);
    rill_world_destroy(world);
    return hash;
}

static void test_same_bits(void **state) {
    (void)state;
    const uint64_t hash = hash_of(1, false);
    assert_true(hash_of(3, false) == hash);
    assert_true(hash_of(1, true) == hash);
}

/* There and back before the liquid has seen it is nothing. */
static void test_there_and_back(void **state) {
    (void)state;
    rill_world *world = make_pond(1);
    const rill_body_def ball = body_def(RILL_SHAPE_SPHERE, 30.3, 25.2, 8, 9, 500);
    const rill_body_id id = add_body(world, &ball);
    step(world, DT);
    const rill_body_state here = state_of(world, id);
    must(world, rill_body_set_state(world, id, &here));
    const uint64_t hash = rill_world_hash(world);
    put(world, id, 3, 0);
    put(world, id, -2, 1);
    must(world, rill_body_set_state(world, id, &here));
    assert_true(rill_world_hash(world) == hash);
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = { unit_test_alone(test_along),      unit_test_alone(test_onto),
                                        unit_test_alone(test_passage),    unit_test_alone(test_jolt),
                                        cmocka_unit_test(test_same_bits), unit_test_alone(test_there_and_back) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
