/* Snapshots of worlds with bodies: going on from one gives the same bits at every step, levels are those that were
 * shown, ids stay what they were, and nothing absurd is taken for a body. */
#include "snapshots.h"
#include "tanks.h"

static const float boat[] = { -0.004f, 0.0f,   0.0f, 0.004f, 0.0f,   0.0f,  0.0f, -0.003f, 0.0f,
                              0.0f,    0.003f, 0.0f, 0.0f,   0.001f, 3e-3f, 0.0f, 0.0f,    -2e-3f };
static const uint32_t hull_sides[] = { 4, 1, 3, 4, 3, 0, 4, 0, 2, 4, 2, 1, 5, 3, 1, 5, 0, 3, 5, 2, 0, 5, 1, 2 };

static rill_body_id add_body(rill_world *world, rill_shape shape, const char *name, double x, double y, double z) {
    rill_body_def def = rill_default_body_def();
    def.name = name;
    def.shape.type = shape;
    def.shape.radius = 2.5 * MM;
    set_length(&def.shape, 3 * MM);
    set_size(&def.shape, 7 * MM, 5 * MM, 6 * MM);
    def.shape.vertices = boat;
    def.shape.vertex_count = 6;
    def.shape.indices = hull_sides;
    def.shape.triangle_count = 8;
    def.state.position[0] = x * MM, def.state.position[1] = y * MM, def.state.position[2] = z * MM;
    rill_body_id id;
    if (shape == RILL_SHAPE_BOX) {
        def.shape.max[0] += 0.1 * MM; /* its middle is not at the zero of its frame */
        def.mass = (double)INFINITY;
        def.state.velocity[0] = 0.1;
        def.state.angular_velocity[2] = 3.0;
    }
    must(world, rill_body_create(world, &def, &id));
    return id;
}

/* Water over a shelf: two layers with sparse pipes at its rim, over which bodies bob, drift and vanish. */
static rill_world *make_harbour(const rill_runtime *runtime, rill_method method) {
    rill_world_def def = tank_def(40, 30, RILL_PASSAGES_ANY);
    def.solver.method = method;
    def.liquid.viscosity = 1e-6;
    def.headroom = 0.05;
    if (runtime) def.runtime = *runtime;
    rill_world *world = make_tank(&def);
    if (method != RILL_METHOD_KANDEMIR) add_box(world, 22, 5, 4, 33, 25, 6);
    build(world);
    fill(world, 1, 1, 1, 10);
    const rill_body_id gone = add_body(world, RILL_SHAPE_SPHERE, "gone", 33, 12, 10);
    add_body(world, RILL_SHAPE_MESH, "boat", 21, 12, 12);
    add_body(world, RILL_SHAPE_SPHERE, "buoy", 30, 20, 13);
    add_body(world, RILL_SHAPE_BOX, "piston", 10, 20, 9);
    add_body(world, RILL_SHAPE_HULL, NULL, 25, 8, 11);
    rill_body_state rim;
    must(world, rill_body_get_state(world, gone, &rim));
    for (int i = 0; i < 6; ++i) step(world, 1.0 / 60);
    must(world, rill_body_set_state(world, gone, &rim)); /* the pipes there are lifted when it vanishes */
    step(world, 1.0 / 60);
    must(world, rill_body_destroy(world, gone));
    for (int i = 0; i < 2; ++i) step(world, 1.0 / 60);
    return world;
}

/* Compares what is seen of two worlds: hash, levels, bodies. */
static void check_same(const rill_world *a, const rill_world *b, int after) {
    if (rill_world_hash(a) != rill_world_hash(b)) fail_msg("differs after step %d", after);
    double points[3 * 200];
    rill_sample seen[200], other[200];
    for (int i = 0; i < 200; ++i) {
        points[3 * i] = (i % 20 * 2 + 0.5) * MM;
        points[3 * i + 1] = (i / 20 * 3 + 0.5) * MM;
        points[3 * i + 2] = (i % 3 * 4 + 1) * MM;
    }
    assert_int_equal(rill_query_points(a, points, 200, seen), RILL_OK);
    assert_int_equal(rill_query_points(b, points, 200, other), RILL_OK);
    for (int i = 0; i < 200; ++i) assert_true(seen[i].level == other[i].level && seen[i].depth == other[i].depth);
    assert_int_equal(rill_world_body_count(a), rill_world_body_count(b));
    for (int32_t i = 0; i < rill_world_body_count(a); ++i) {
        const rill_body_id id = rill_world_body_at(a, i), other_id = rill_world_body_at(b, i);
        assert_int_equal(id.value & 0xffffffff, other_id.value & 0xffffffff); /* but for the tag of the world */
        assert_string_equal(rill_body_name(a, id), rill_body_name(b, other_id));
        rill_body_forces f[2];
        rill_body_info info[2];
        assert_int_equal(rill_body_get_forces(a, id, &f[0]), RILL_OK);
        assert_int_equal(rill_body_get_forces(b, other_id, &f[1]), RILL_OK);
        assert_memory_equal(&f[0], &f[1], sizeof f[0]);
        assert_int_equal(rill_body_get_info(a, id, &info[0]), RILL_OK);
        assert_int_equal(rill_body_get_info(b, other_id, &info[1]), RILL_OK);
        assert_true(info[0].volume == info[1].volume && info[0].vertex_count == info[1].vertex_count);
        assert_memory_equal(info[0].centre, info[1].centre, sizeof info[0].centre);
        assert_memory_equal(info[0].vertices, info[1].vertices, 3 * info[0].vertex_count * sizeof(double));
        assert_memory_equal(info[0].indices, info[1].indices, 3 * info[0].triangle_count * sizeof(uint32_t));
    }
}

/* --------------------------------------------------------------------------------------------------------- resuming */

static void go_on(rill_method method) {
    for (int32_t threads = 1; threads <= 4; threads += 3) {
        rill_runtime runtime = rill_default_world_def().runtime;
        rill_world *world = make_harbour(NULL, method);
        const saved first = save(world);
        runtime.tasks.threads = threads;
        runtime.scalar = threads > 1;
        rill_world *again = load(first, &runtime);
        const saved second = save(again);
        assert_int_equal(first.size, second.size);
        assert_memory_equal(first.bytes, second.bytes, first.size);
        for (int i = 0; i < 20; ++i) {
            check_same(world, again, i);
            if (i == 7) { /* what covers columns is found anew, and heads are set */
                fill(world, 1, 1, 1, 10.5);
                fill(again, 1, 1, 1, 10.5);
            }
            if (i == 12) {
                must(world, rill_body_destroy(world, rill_body_find(world, "boat")));
                must(again, rill_body_destroy(again, rill_body_find(again, "boat")));
            }
            step(world, 1.0 / 60);
            step(again, 1.0 / 60);
        }
        check_same(world, again, 20);
        assert_true(ledger_error(again) == 0);
        check(again);
        free(second.bytes);
        free(first.bytes);
        rill_world_destroy(again);
        rill_world_destroy(world);
    }
}

static void test_go_on(void **state) {
    (void)state;
    go_on(RILL_METHOD_PIPES);
}

static void test_go_on_kandemir(void **state) {
    (void)state;
    go_on(RILL_METHOD_KANDEMIR);
}

/* Saved after every step, also while nothing has covered the columns yet and while the bed waits to be changed. */
static void test_anywhere(void **state) {
    (void)state;
    enum { SAVES = 12, BEYOND = 6 };
    rill_world *world = make_harbour(NULL, RILL_METHOD_PIPES);
    saved saves[SAVES];
    uint64_t hashes[SAVES + BEYOND];
    rill_solid_id pier;
    for (int i = 0; i < SAVES + BEYOND; ++i) {
        if (i == 2) fill(world, 1, 1, 1, 11);
        if (i == 4) add_body(world, RILL_SHAPE_CAPSULE, "barrel", 8, 8, 12);
        if (i == 6) {
            const rill_solid_def def = box_def("pier", 0.018, 0.006, 0.0, 0.024, 0.014, 0.007);
            must(world, rill_solid_create(world, &def, &pier));
        }
        if (i == 7) must(world, rill_solid_set_pose(world, pier, (double[]){ 0.001, 0.0, 0.0005 }, (double[3]){ 0 }));
        if (i == 7) build(world);
        if (i < SAVES) saves[i] = save(world);
        hashes[i] = rill_world_hash(world);
        check(world);
        step(world, 1.0 / 120);
    }
    for (int i = 0; i < SAVES; ++i) {
        rill_world *again = load(saves[i], NULL);
        for (int k = i; k < SAVES + BEYOND && (k == i || (k != 2 && k != 4 && k != 6 && k != 7)); ++k) {
            if (rill_world_hash(again) != hashes[k]) fail_msg("saved after step %d, differs after step %d", i, k);
            step(again, 1.0 / 120);
        }
        rill_world_destroy(again);
        free(saves[i].bytes);
    }
    rill_world_destroy(world);
}

static void test_restore(void **state) {
    (void)state;
    test_memory memory = { 0 };
    rill_runtime runtime = rill_default_world_def().runtime;
    runtime.allocator = test_allocator(&memory);
    rill_world *world = make_harbour(&runtime, RILL_METHOD_PIPES);
    const rill_body_id buoy = rill_body_find(world, "buoy");
    const saved first = save(world);
    const uint64_t middle = rill_world_hash(world);
    for (int i = 0; i < 4; ++i) step(world, 1.0 / 60);
    const uint64_t end = rill_world_hash(world);
    while (rill_world_body_count(world) > 0) must(world, rill_body_destroy(world, rill_world_body_at(world, 0)));
    check(world);
    must(world, rill_snapshot_restore(world, first.bytes, first.size));
    check(world);
    assert_true(rill_world_hash(world) == middle);
    assert_int_equal(rill_body_find(world, "buoy").value, buoy.value);
    rill_body_state body;
    must_refuse(world, rill_body_get_state(world, (rill_body_id){ buoy.value + 0x10000 }, &body), RILL_INVALID_ID,
                "stale");
    for (int i = 0; i < 4; ++i) step(world, 1.0 / 60);
    assert_true(rill_world_hash(world) == end);
    /* The slot of the one that was destroyed is taken again, with a new generation. */
    assert_int_equal(add_body(world, RILL_SHAPE_CYLINDER, NULL, 5, 5, 12).value & 0xffffffff, 0x20000);
    rill_world_destroy(world);
    assert_int_equal(memory.live, 0);
    free(first.bytes);
}

/* Without bodies levels stand on the bed again. */
static void test_last_one_gone(void **state) {
    (void)state;
    rill_world *world = make_harbour(NULL, RILL_METHOD_PIPES);
    while (rill_world_body_count(world) > 0) must(world, rill_body_destroy(world, rill_world_body_at(world, 0)));
    for (int k = 0; k < 2; ++k) {
        for (int x = 0; x < 40; ++x)
            for (int y = 0; y < 30; ++y) {
                const rill_sample found = sample(world, x + 0.5, y + 0.5, 20);
                assert_true(fabs(found.level - found.base - found.depth) < 1e-9);
            }
        const saved first = save(world);
        rill_world *again = load(first, NULL);
        check_same(world, again, k);
        rill_world_destroy(again);
        free(first.bytes);
        step(world, 1.0 / 60);
    }
    rill_world_destroy(world);
}

/* ----------------------------------------------------------------------------------------------------------- damage */

static rill_world *make_puddle(void) {
    rill_world_def def = tank_def(3, 2, RILL_PASSAGES_ANY);
    rill_world *world = make_tank(&def);
    build(world);
    fill(world, 1, 1, 1, 4);
    must(world, rill_body_destroy(world, add_body(world, RILL_SHAPE_BOX, NULL, 1, 1, 4)));
    add_body(world, RILL_SHAPE_SPHERE, "ball", 2, 1, 5);
    add_body(world, RILL_SHAPE_MESH, "boat", 1, 1, 4);
    for (int i = 0; i < 3; ++i) step(world, 0.002);
    return world;
}

/* Finds the section of bodies in a snapshot, and its size. */
static unsigned char *find_section(const rill_world *world, saved snapshot, size_t *size) {
    rill_writer count = { .mode = RILL_COUNT_BYTES };
    rill_snapshot_put_bodies(&count, world);
    unsigned char *section = malloc(count.size), *found = NULL;
    rill_writer writer = { .mode = RILL_STORE_BYTES, .memory = section };
    rill_snapshot_put_bodies(&writer, world);
    for (size_t i = 0; i + count.size <= snapshot.size && !found; ++i)
        if (memcmp(snapshot.bytes + i, section, count.size) == 0) found = snapshot.bytes + i;
    assert_non_null(found);
    free(section);
    *size = count.size;
    return found;
}

static void test_damage(void **state) {
    (void)state;
    rill_world *world = make_puddle();
    check_truncations(world);
    check_bit_flips(world);
    rill_world_destroy(world);
}

static void test_forgeries(void **state) {
    (void)state;
    rill_world *world = make_puddle();
    const saved first = save(world);
    size_t size;
    const size_t from = (size_t)(find_section(world, first, &size) - first.bytes);
    check_forgeries(world, from, from + size, 2000 / ALONE_PART);
    free(first.bytes);
    rill_world_destroy(world);
}

/* Finds a value in the section of bodies. */
static unsigned char *find_value(unsigned char *section, size_t size, const void *value, size_t width) {
    for (size_t i = 0; i + width <= size; ++i)
        if (memcmp(section + i, value, width) == 0) return section + i;
    fail_msg("not in the snapshot");
    return NULL;
}

static void put_absurd(saved snapshot, unsigned char *at, const void *value, size_t width) {
    unsigned char good[8];
    memcpy(good, at, width);
    memcpy(at, value, width);
    forge(snapshot);
    refused(snapshot.bytes, snapshot.size);
    memcpy(at, good, width);
}

/* Damages the last column under a body: place, base, lift, over, what lies on it, how fast, level seen, head, what is below it,
 * its change. */
static void put_absurd_column(const saved first, unsigned char *end) {
    const double nan = (double)NAN, minus = -1.0, zero = 0.0;
    const uint32_t absurd = 32;
    enum { NODE = 53 };
    unsigned char *const node = end - NODE;
    const uint32_t far = (1u << 29) + 1, past = UINT32_MAX;
    assert_true(memcmp(node, node - NODE, 4) != 0);
    put_absurd(first, node, node - NODE, 4); /* the same twice */
    put_absurd(first, node, &far, sizeof far);
    put_absurd(first, node, &zero, 4); /* in the padding */
    put_absurd(first, node + 4, &past, sizeof past);
    put_absurd(first, node + 8, &far, sizeof far);
    put_absurd(first, node + 12, &absurd, 1);
    put_absurd(first, node + 13, &past, sizeof past);
    put_absurd(first, node + 13, &far, sizeof far);
    put_absurd(first, node + 17, &past, sizeof past);
    put_absurd(first, node + 21, &past, sizeof past);
    put_absurd(first, node + 25, &past, sizeof past);
    put_absurd(first, node + 25, &far, sizeof far);
    put_absurd(first, node + 29, &minus, sizeof minus);
    put_absurd(first, node + 29, &nan, sizeof nan);
    put_absurd(first, node + 37, &nan, sizeof nan);
    put_absurd(first, node + 45, &nan, sizeof nan);
}

static void test_absurd(void **state) {
    (void)state;
    rill_world *world = make_puddle();
    const saved first = save(world);
    size_t size;
    unsigned char *const section = find_section(world, first, &size);
    const rill_body_id id = rill_body_find(world, "boat");
    rill_body_state body;
    rill_body_info info;
    must(world, rill_body_get_state(world, id, &body));
    must(world, rill_body_get_info(world, id, &info));
    const double nan = (double)NAN, big = 1e31, minus = -1.0, two = 2.0, zero = 0.0;
    const uint32_t six = 6;
    const double *const motion[] = { &body.position[0], &body.velocity[2], &body.acceleration[2] };
    for (size_t i = 0; i < sizeof motion / sizeof motion[0]; ++i) {
        unsigned char *at = find_value(section, size, motion[i], sizeof(double));
        put_absurd(first, at, &nan, sizeof nan);
        put_absurd(first, at, &big, sizeof big);
    }
    unsigned char *at = find_value(section, size, body.orientation, sizeof body.orientation);
    put_absurd(first, at + 3 * sizeof(double), &two, sizeof two);
    put_absurd(first, at + 3 * sizeof(double), &zero, sizeof zero);
    at = find_value(section, size, &info.mass, sizeof(double));
    put_absurd(first, at, &minus, sizeof minus);
    put_absurd(first, at, &zero, sizeof zero);
    put_absurd(first, at, &nan, sizeof nan);
    at = find_value(section, size, info.inertia, sizeof info.inertia);
    put_absurd(first, at, &minus, sizeof minus);
    put_absurd(first, at + sizeof(double), &zero, sizeof zero);
    at = find_value(section, size, &info.volume, sizeof(double));
    put_absurd(first, at, &minus, sizeof minus);
    at = find_value(section, size, info.indices, 3 * sizeof(uint32_t));
    put_absurd(first, at, &six, sizeof six);
    at = find_value(section, size, info.vertices, 3 * sizeof(double));
    put_absurd(first, at, &nan, sizeof nan);
    put_absurd(first, at, &big, sizeof big);
    put_absurd_column(first, section + size);
    forge(first);
    rill_world_destroy(load(first, NULL)); /* all of it was put back */
    first.bytes[8] -= 1;
    forge(first);
    rill_world *none = NULL;
    rill_message message = { "" };
    assert_int_equal(rill_snapshot_load(first.bytes, first.size, NULL, &none, &message), RILL_INVALID_DATA);
    char versions[64];
    snprintf(versions, sizeof versions, "snapshot of format version %d; expected %d", RILL_SNAPSHOT_VERSION - 1,
             RILL_SNAPSHOT_VERSION);
    assert_non_null(strstr(message.text, versions));
    free(first.bytes);
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_go_on),    cmocka_unit_test(test_go_on_kandemir), unit_test_alone(test_anywhere),
        unit_test_alone(test_restore),   unit_test_alone(test_last_one_gone),   unit_test_alone(test_damage),
        unit_test_alone(test_forgeries), unit_test_alone(test_absurd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
