/* Bodies through the public API: ids, what is refused, what fills leave out, exactness, symmetry, the same bits,
 * memory. What they do to liquid in numbers is `rill validate`; random ones are in test_bodies_random.c. */
#include "tanks.h"

/* Water of 10 mm in a tank of 40 x 30 cells of 1 mm. */
static rill_world *make_pool(const rill_runtime *runtime) {
    rill_world_def def = tank_def(40, 30, RILL_PASSAGES_ANY);
    def.liquid.viscosity = 1e-6;
    def.headroom = 0.05;
    if (runtime) def.runtime = *runtime;
    rill_world *world = make_tank(&def);
    build(world);
    fill(world, 1, 1, 1, 10);
    return world;
}

static rill_body_def cube_def(double x, double y, double z, double edge) {
    rill_body_def def = rill_default_body_def();
    def.shape.type = RILL_SHAPE_BOX;
    set_size(&def.shape, edge * MM, edge * MM, edge * MM);
    def.state.position[0] = x * MM;
    def.state.position[1] = y * MM;
    def.state.position[2] = z * MM;
    return def;
}

static rill_body_id add(rill_world *world, const rill_body_def *def) {
    rill_body_id id = { 0 };
    must(world, rill_body_create(world, def, &id));
    assert_true(id.value != 0);
    return id;
}

static rill_body_state state_of(const rill_world *world, rill_body_id id) {
    rill_body_state state;
    assert_int_equal(rill_body_get_state(world, id, &state), RILL_OK);
    return state;
}

static void run(rill_world *world, int steps) {
    for (int i = 0; i < steps; ++i) {
        step(world, 1.0 / 60);
        assert_true(ledger_error(world) == 0);
    }
    check(world);
}

/* ------------------------------------------------------------------------------------------------- ids and refusals */

static void test_ids(void **state) {
    (void)state;
    rill_world *world = make_pool(NULL);
    rill_body_def def = cube_def(20, 15, 10, 6);
    def.name = "buoy";
    const rill_body_id first = add(world, &def);
    rill_body_id second;
    must_refuse(world, rill_body_create(world, &def, &second), RILL_INVALID_ARGUMENT, "buoy");
    def.name = NULL;
    second = add(world, &def);
    assert_int_equal(rill_world_body_count(world), 2);
    assert_int_equal(rill_world_body_at(world, 0).value, first.value);
    assert_int_equal(rill_world_body_at(world, 1).value, second.value);
    assert_int_equal(rill_world_body_at(world, 2).value, 0);
    assert_int_equal(rill_world_body_at(world, -1).value, 0);
    assert_int_equal(rill_body_find(world, "buoy").value, first.value);
    assert_string_equal(rill_body_name(world, first), "buoy");
    assert_string_equal(rill_body_name(world, second), "");

    must(world, rill_body_destroy(world, first));
    rill_body_state s;
    rill_body_forces forces;
    rill_body_info info;
    must_refuse(world, rill_body_destroy(world, first), RILL_INVALID_ID, "stale");
    must_refuse(world, rill_body_get_state(world, first, &s), RILL_INVALID_ID, "stale");
    must_refuse(world, rill_body_get_forces(world, first, &forces), RILL_INVALID_ID, "stale");
    must_refuse(world, rill_body_get_info(world, first, &info), RILL_INVALID_ID, "stale");
    must_refuse(world, rill_body_destroy(world, (rill_body_id){ 0 }), RILL_INVALID_ID, "null");
    must_refuse(world, rill_body_destroy(world, (rill_body_id){ second.value | 0xffff }), RILL_INVALID_ID,
                "of nothing here");
    assert_null(rill_body_name(world, first));
    assert_int_equal(rill_body_find(world, "buoy").value, 0);

    /* Its place is taken again, and the old id stays stale. */
    def.name = "buoy";
    const rill_body_id third = add(world, &def);
    assert_true(third.value != first.value);
    must_refuse(world, rill_body_get_state(world, first, &s), RILL_INVALID_ID, "stale");
    assert_int_equal(rill_world_body_count(world), 2);
    rill_world_destroy(world);
}

/* Each member of a state, with each thing it may not be: refused, and the body is where it was. */
static void test_bad_states(void **state) {
    (void)state;
    static const double bad[] = { (double)NAN, (double)INFINITY, -(double)INFINITY, 1e8, -1e300 };
    rill_world *world = make_pool(NULL);
    const rill_body_def def = cube_def(20, 15, 10, 6);
    const rill_body_id id = add(world, &def);
    run(world, 2);
    const rill_body_state good = state_of(world, id);
    const uint64_t hash = rill_world_hash(world);
    for (size_t m = 0; m < sizeof(rill_body_state) / sizeof(double); ++m) {
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
            rill_body_state broken = good;
            ((double *)&broken)[m] = bad[i];
            must_refuse(world, rill_body_set_state(world, id, &broken), RILL_INVALID_ARGUMENT, "state.");
            rill_body_def other = def;
            rill_body_id none;
            other.state = broken;
            must_refuse(world, rill_body_create(world, &other, &none), RILL_INVALID_ARGUMENT, "state.");
        }
    }
    rill_body_state broken = good;
    memset(broken.orientation, 0, sizeof broken.orientation);
    must_refuse(world, rill_body_set_state(world, id, &broken), RILL_INVALID_ARGUMENT, "orientation");
    must_refuse(world, rill_body_set_state(world, id, NULL), RILL_INVALID_ARGUMENT, "NULL");
    const rill_body_state now = state_of(world, id);
    assert_memory_equal(&now, &good, sizeof now);
    assert_true(rill_world_hash(world) == hash);
    assert_int_equal(rill_world_body_count(world), 1);
    /* Any length of a quaternion will do. */
    broken = good;
    for (int k = 0; k < 4; ++k) broken.orientation[k] *= 3.0;
    must(world, rill_body_set_state(world, id, &broken));
    for (int k = 0; k < 4; ++k) assert_true(fabs(state_of(world, id).orientation[k] - good.orientation[k]) < 1e-12);
    run(world, 2);
    rill_world_destroy(world);
}

static void test_bad_definitions(void **state) {
    (void)state;
    rill_world *world = make_pool(NULL);
    rill_body_id id;
    rill_body_def def;
#define REFUSE(member, value, word)                                                                                    \
    do {                                                                                                               \
        def = cube_def(20, 15, 10, 6);                                                                                 \
        def.member = (value);                                                                                          \
        must_refuse(world, rill_body_create(world, &def, &id), RILL_INVALID_ARGUMENT, word);                           \
    } while (0)
    REFUSE(shape.min[1], 3 * MM, "min.y");
    REFUSE(shape.max[2], -1.0, "max.z");
    REFUSE(shape.min[0], (double)NAN, "min.x");
    REFUSE(mass, -1.0, "mass");
    REFUSE(mass, (double)NAN, "mass");
    REFUSE(density, 0.0, "density");
    REFUSE(density, (double)INFINITY, "density");
    REFUSE(drag, -1.0, "drag");
    REFUSE(inertia[0], -1.0, "inertia");
    REFUSE(inertia[3], (double)NAN, "inertia");
    REFUSE(centre[0], 1e9, "centre");
    REFUSE(shape.type, (rill_shape)17, "shape");
    REFUSE(shape.type, RILL_SHAPE_TORUS, "shape");
#undef REFUSE
    def = cube_def(20, 15, 10, 6);
    must_refuse(world, rill_body_create(world, NULL, &id), RILL_INVALID_ARGUMENT, "NULL");
    assert_int_equal(rill_body_create(NULL, &def, &id), RILL_INVALID_ARGUMENT);
    assert_int_equal(rill_world_body_count(world), 0);
    rill_world_destroy(world);
    /* Bodies lie over columns: there must be some. */
    rill_world_def empty = tank_def(4, 4, RILL_PASSAGES_ANY);
    assert_int_equal(rill_world_create(&empty, &world, NULL), RILL_OK);
    must_refuse(world, rill_body_create(world, &def, &id), RILL_INVALID_STATE, "bed");
    rill_world_destroy(world);
}

/* ----------------------------------------------------------------------------------------------------------- liquid */

static void test_fills_leave_out(void **state) {
    (void)state;
    rill_world *world = make_pool(NULL);
    rill_body_def def = cube_def(20.3, 15.4, 10, 8);
    def.mass = (double)INFINITY;
    const rill_body_id id = add(world, &def);
    fill(world, 1, 1, 1, 10);
    const double area = 40.0 * 30.0, inside = 8.0 * 8.0 * 4.0;
    assert_true(fabs(volume(world, 0, 40, 100) / (MM * MM * MM) - (area * 10.0 - inside)) < 0.01);
    run(world, 3);
    assert_true(sample(world, 1, 1, 1).level > 9.99 * MM && sample(world, 1, 1, 1).level < 10.01 * MM);
    const picture p = take_picture(world);
    assert_true(largest(&p, NULL) < 1e-3); /* nothing had to be pushed aside */
    free(p.values);
    /* Taken away, it leaves a hole, and no more. */
    must(world, rill_body_destroy(world, id));
    run(world, 30);
    assert_true(fabs(volume(world, 0, 40, 100) / (MM * MM * MM) - (area * 10.0 - inside)) < 0.01);
    rill_world_destroy(world);
}

/* Liquid that a body displaces is not lifted onto ledges that stand out of the liquid, whether they reach the ground or hover. */
static void test_put_beside_ledges(void **state) {
    (void)state;
    rill_world_def pool = tank_def(40, 30, RILL_PASSAGES_ANY);
    rill_world *world = make_tank(&pool);
    add_slab(world, 0, 0, 6, 8);
    add_slab(world, 30, 6, 36, 8);
    build(world);
    fill(world, 20, 15, 1, 4);
    const rill_body_def def = cube_def(20.3, 15.4, 4, 6);
    add(world, &def);
    assert_true(sample(world, 20, 2, 1).level > 4.01 * MM);
    assert_true(sample(world, 5.5, 15.5, 9).depth == 0.0 && sample(world, 30.5, 15.5, 9).depth == 0.0);
    assert_true(ledger_error(world) == 0);
    rill_world_destroy(world);
}

/* A raft that is put where liquid is floats as one that was there before: the level is raised, all over and at once,
 * and nothing moves. */
static void test_put_in(void **state) {
    (void)state;
    rill_world *world = make_pool(NULL);
    const double rise = 12.2 * 8.4 * 1.2 / (40 * 30); /* mm */
    rill_body_def def = cube_def(18.3, 15.6, 10 + rise + 3 - 1.2, 6);
    set_size(&def.shape, 12.2 * MM, 8.4 * MM, 6 * MM);
    def.density = 0.2 * 998;
    const rill_body_id id = add(world, &def);
    assert_true(ledger_error(world) == 0);
    const picture p = take_picture(world);
    for (int y = 0; y < 30; ++y)
        for (int x = 0; x < 40; ++x) {
            const bool beside = x < 11 || x > 25 || y < 10 || y > 20;
            if (beside) assert_true(fabs(p.values[40 * y + x] - (10 + rise) * MM) < 1e-7);
        }
    free(p.values);
    for (int i = 0; i < 60; ++i) {
        run(world, 1);
        const rill_body_state s = state_of(world, id);
        for (int k = 0; k < 3; ++k) assert_true(fabs(s.velocity[k]) < 2e-4);
    }
    rill_world_destroy(world);
}

/* On a floor without a drop, in a tank with a passage: the head below is the floor, not some part of a quantum
 * lower. */
static void test_put_on_dry_floor(void **state) {
    (void)state;
    rill_world_def def = tank_def(12, 8, RILL_PASSAGES_ANY);
    rill_world *world = make_tank(&def);
    add_slab(world, 8, 3, 10, 5);
    build(world);
    rill_body_def body = cube_def(4, 4, 2, 4);
    const rill_body_id id = add(world, &body);
    check(world);
    rill_body_forces forces;
    must(world, rill_body_get_forces(world, id, &forces));
    assert_true(forces.submerged_volume == 0.0);
    rill_world_destroy(world);
}

/* Half in a wall, under the bed, in the air, beside the grid and far away. */
static void test_odd_places(void **state) {
    (void)state;
    static const double places[][3] = { { 0, 15, 10 },   { 40, 30, 8 },    { 20, 15, -20 },    { 20, 15, 45 },
                                        { 20, 15, 400 }, { -300, 15, 10 }, { 1e9, -1e9, 1e9 }, { 20, 15, 0 } };
    rill_world_def def = tank_def(40, 30, RILL_PASSAGES_ANY);
    rill_world *world = make_tank(&def);
    add_box(world, 28, -100, 0, 100, 100, 100);
    build(world);
    fill(world, 1, 1, 1, 10);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i) {
        for (int told = 0; told < 2; ++told) {
            rill_body_def body = cube_def(places[i][0], places[i][1], places[i][2], 9);
            if (told) body.mass = (double)INFINITY;
            add(world, &body);
        }
    }
    rill_body_def wall = cube_def(28, 15, 10, 9);
    add(world, &wall);
    run(world, 8);
    rill_world_destroy(world);
}

/* Driven out over every edge, and through the bed; what is left is still water. */
static void test_leaving(void **state) {
    (void)state;
    static const double ways[][3] = { { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 }, { 0, 0, -1 }, { 0, 0, 1 } };
    rill_world *world = make_pool(NULL);
    const double before = volume(world, 0, 40, 100);
    rill_body_id ids[6];
    for (int i = 0; i < 6; ++i) {
        rill_body_def def = cube_def(20, 15, 10, 8);
        def.mass = i % 2 ? (double)INFINITY : 1.0;
        for (int k = 0; k < 3; ++k) def.state.velocity[k] = 0.5 * ways[i][k];
        def.state.acceleration[2] = 1e-9; /* as if on rails */
        ids[i] = add(world, &def);
    }
    run(world, 20);
    for (int i = 0; i < 6; ++i) {
        rill_body_forces forces;
        must(world, rill_body_get_forces(world, ids[i], &forces));
        assert_true(forces.submerged_volume == 0.0);
        must(world, rill_body_destroy(world, ids[i]));
    }
    run(world, 4);
    assert_true(volume(world, 0, 40, 100) == before);
    rill_world_destroy(world);
}

/* Ten in one cell, and a hundred in all. */
static void test_crowd(void **state) {
    (void)state;
    rill_world *world = make_pool(NULL);
    for (int i = 0; i < 100; ++i) {
        rill_body_def def =
            cube_def(i < 10 ? 20 : 1 + (i * 7) % 38, i < 10 ? 15 : 1 + (i * 11) % 28, 10, i < 10 ? 0.3 : 1.5);
        def.shape.type = i % 2 ? RILL_SHAPE_SPHERE : RILL_SHAPE_BOX;
        def.shape.radius = 0.6 * MM;
        add(world, &def);
    }
    run(world, 10);
    for (int32_t i = 0; i < 100; ++i) {
        const rill_body_state s = state_of(world, rill_world_body_at(world, i));
        assert_true(s.position[2] > 8 * MM && s.position[2] < 12 * MM); /* all afloat */
    }
    rill_world_destroy(world);
}

/* --------------------------------------------------------------------------------------------------------- symmetry */

/* A box dropped in the middle: the picture, and the body, are their own mirror images. */
static void test_symmetry(void **state) {
    (void)state;
    rill_world *world = make_pool(NULL);
    rill_body_def def = cube_def(20, 15, 12.5, 7.5); /* its sides are inside of cells: on a face a quantum decides */
    set_edge(&def.shape, 0, 9.5 * MM);
    set_edge(&def.shape, 2, 3 * MM); /* flat: it would capsize otherwise, whichever way */
    const rill_body_id id = add(world, &def);
    run(world, 30);
    const rill_body_state s = state_of(world, id);
    assert_true(fabs(s.position[0] - 20 * MM) < 1e-6 && fabs(s.position[1] - 15 * MM) < 1e-6);
    const picture p = take_picture(world);
    for (int y = 0; y < 30; ++y)
        for (int x = 0; x < 40; ++x) {
            const double h = p.values[40 * y + x];
            assert_true(fabs(h - p.values[40 * y + 39 - x]) < 1e-6 && fabs(h - p.values[40 * (29 - y) + x]) < 1e-6);
        }
    free(p.values);
    rill_world_destroy(world);
}

/* -------------------------------------------------------------------------------------------------------- same bits */

static uint64_t busy_hash(int32_t threads, bool scalar, rill_body_state *last) {
    rill_runtime runtime = rill_default_world_def().runtime;
    runtime.tasks.threads = threads;
    runtime.scalar = scalar;
    rill_world *world = make_pool(&runtime);
    rill_body_id id = { 0 };
    for (int i = 0; i < 5; ++i) {
        rill_body_def def = cube_def(7 + 6.3 * i, 9 + 2.9 * i, 12 + i, 5);
        def.shape.type = body_shapes[i % PLAIN_SHAPES];
        def.shape.radius = 2.5 * MM;
        set_length(&def.shape, 4 * MM);
        def.state.angular_velocity[0] = 3.0 * i;
        def.state.velocity[1] = 0.1 * i;
        def.density = 100.0 + 500.0 * i;
        id = add(world, &def);
    }
    run(world, 30);
    *last = state_of(world, id);
    const uint64_t hash = rill_world_hash(world);
    rill_world_destroy(world);
    return hash;
}

static void test_same_bits(void **state) {
    (void)state;
    rill_body_state one, four, scalar;
    const uint64_t hash = busy_hash(1, false, &one);
    assert_true(busy_hash(4, false, &four) == hash);
    assert_true(busy_hash(1, true, &scalar) == hash);
    assert_memory_equal(&one, &four, sizeof one);
    assert_memory_equal(&one, &scalar, sizeof one);
}

/* ----------------------------------------------------------------------------------------------------------- memory */

static test_memory memory;

static const float wedge[18] = { -4e-3f, -1.2e-3f, 1e-3f,    4e-3f, 0, 1e-3f,  -4e-3f, 1.2e-3f, 1e-3f,
                                 -4e-3f, 0,        -1.2e-3f, 3e-3f, 0, -1e-3f, 0,      0,       2e-3f };
static const uint32_t sides[24] = { 0, 1, 5, 1, 2, 5, 2, 0, 5, 3, 4, 1, 3, 1, 0, 3, 2, 4, 4, 2, 1, 3, 0, 2 };

static rill_body_def some_def(rill_shape shape) {
    rill_body_def def = cube_def(20, 15, 10, 6);
    def.name = "body";
    def.shape.type = shape;
    def.shape.radius = 3 * MM;
    set_length(&def.shape, 5 * MM);
    def.shape.vertices = wedge;
    def.shape.vertex_count = 6;
    def.shape.indices = sides;
    def.shape.triangle_count = 8;
    return def;
}

/* Each request for memory of creating a body is refused once, and then all after it: nothing has changed. */
static void test_no_memory(void **state) {
    (void)state;
    for (int kind = 0; kind < BODY_SHAPES; ++kind) {
        memory = (test_memory){ 0 };
        rill_runtime runtime = rill_default_world_def().runtime;
        runtime.allocator = test_allocator(&memory);
        rill_world *world = make_pool(&runtime);
        const rill_body_def def = some_def(body_shapes[kind]);
        const uint64_t before = rill_world_hash(world);
        rill_body_id id = { 0 };
        long n = 1;
        for (;; ++n) {
            memory.fail_at = memory.count + n;
            memory.forever = n % 2;
            memory.refused = 0;
            const rill_result result = rill_body_create(world, &def, &id);
            if (memory.refused == 0) {
                must(world, result);
                break;
            }
            assert_int_equal(result, RILL_OUT_OF_MEMORY);
            assert_non_null(strstr(rill_world_message(world), "memory"));
            assert_true(rill_world_hash(world) == before);
            assert_int_equal(rill_world_body_count(world), 0);
            must_be_valid(world);
        }
        assert_true(n > 2);
        memory.fail_at = 0;
        run(world, 2);
        rill_world_destroy(world);
        assert_int_equal(memory.live, 0);
    }
}

/* After the first step nothing is asked for, wherever bodies go. */
static void test_steps_take_no_memory(void **state) {
    (void)state;
    memory = (test_memory){ 0 };
    rill_runtime runtime = rill_default_world_def().runtime;
    runtime.allocator = test_allocator(&memory);
    rill_world *world = make_pool(&runtime);
    rill_body_id ids[6];
    for (int kind = 0; kind < BODY_SHAPES; ++kind) {
        rill_body_def def = some_def(body_shapes[kind]);
        def.name = NULL;
        def.state.position[0] = 5.7 * (kind + 1) * MM;
        def.state.position[2] = 30 * MM;
        ids[kind] = add(world, &def);
    }
    step(world, 1.0 / 60);
    const long count = memory.count;
    for (int i = 0; i < 40; ++i) {
        rill_body_state s = state_of(world, ids[i % 6]);
        s.angular_velocity[i % 3] += 10.0;
        s.velocity[i % 2] += i % 4 < 2 ? 0.1 : -0.1;
        s.position[0] = (1 + (i * 17) % 38) * MM;
        must(world, rill_body_set_state(world, ids[i % 6], &s));
        step(world, 1.0 / 60);
        assert_int_equal(memory.count, count);
    }
    check(world);
    rill_world_destroy(world);
    assert_int_equal(memory.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit_test_alone(test_ids),
        unit_test_alone(test_bad_states),
        unit_test_alone(test_bad_definitions),
        unit_test_alone(test_fills_leave_out),
        unit_test_alone(test_put_in),
        unit_test_alone(test_put_beside_ledges),
        unit_test_alone(test_put_on_dry_floor),
        unit_test_alone(test_odd_places),
        unit_test_alone(test_leaving),
        unit_test_alone(test_crowd),
        unit_test_alone(test_symmetry),
        cmocka_unit_test(test_same_bits),
        unit_test_alone(test_no_memory),
        unit_test_alone(test_steps_take_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
