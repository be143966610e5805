/* Every allocation fails, once and from then on, in every call that allocates: the call says so, the world is as it
 * was, nothing leaks, and the same call succeeds when there is memory again. */
#include "worlds.h"

static test_memory memory;

static rill_runtime counting_runtime(void) {
    rill_runtime runtime = rill_default_world_def().runtime;
    runtime.allocator = test_allocator(&memory);
    return runtime;
}

/* Refuses the n-th request from now on. */
static void fail_at(long n, bool forever) {
    memory.fail_at = n > 0 ? memory.count + n : 0;
    memory.forever = forever;
    memory.refused = 0;
}

/* ------------------------------------------------------------------------------------------- calls on a good world */

typedef rill_result call_function(rill_world *world);
static long kept_blocks = 2; /* that a failed call may leave behind */
static bool may_follow;      /* it may have brought the bed up to date with the solids before it fails, once */

/* The request after this one: all of the first, which are of all kinds, then in steps under the sanitizers. */
static long next_request(long n) {
    return n + (n < 24 ? 1 : NEXT_CASE);
}

/* Walks through the requests of one call on worlds that `make` makes. */
static void walk(rill_world *(*make)(const rill_runtime *), call_function *call) {
    for (int forever = 0; forever < 2; ++forever) {
        memory = (test_memory){ 0 };
        const rill_runtime runtime = counting_runtime();
        rill_world *world = make(&runtime);
        uint64_t before = rill_world_hash(world);
        bool follows = may_follow;
        const int32_t accounts = rill_world_account_count(world);
        const long live = memory.live;
        long n = 1;
        for (;; n = next_request(n)) {
            fail_at(n, forever);
            const rill_result result = call(world);
            if (memory.refused == 0) { /* got through: the walk is over */
                must(world, result);
                break;
            }
            assert_int_equal(result, RILL_OUT_OF_MEMORY);
            assert_non_null(strstr(rill_world_message(world), "memory"));
            if (rill_world_hash(world) != before) {
                assert_true(follows);
                follows = false;
                before = rill_world_hash(world);
            }
            assert_int_equal(rill_world_account_count(world), accounts);
            /* Tables may have grown for an element that then was not put in; nothing else may stay. */
            assert_true(memory.live <= live + kept_blocks);
            must_be_valid(world);
        }
        assert_true(n > 1); /* it did ask for memory */
        fail_at(0, false);
        must_be_valid(world);
        rill_world_destroy(world);
        assert_int_equal(memory.live, 0);
    }
}

static rill_world *make_empty(const rill_runtime *runtime) {
    rill_world_def def = house_def();
    def.runtime = *runtime;
    rill_world *world = NULL;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    return world;
}

static rill_world *make_unbuilt(const rill_runtime *runtime) {
    rill_world *world = make_empty(runtime);
    must(world, add_house_solids(world));
    return world;
}

static rill_world *make_built(const rill_runtime *runtime) {
    rill_world_def def = house_def();
    def.runtime = *runtime;
    def.edges[RILL_EAST].kind = RILL_EDGE_OPEN;
    return make_house(&def);
}

static rill_result create_box(rill_world *world) {
    const rill_solid_def def = box_def("box", 0.0, 0.0, 0.0, 1.0, 1.0, 1.0);
    rill_solid_id id;
    return rill_solid_create(world, &def, &id);
}

static rill_result create_round(rill_world *world) {
    rill_solid_def def = rill_default_solid_def();
    def.name = "ring";
    def.shape.type = RILL_SHAPE_TORUS;
    def.shape.radius = 0.003;
    def.shape.tube = 0.001;
    rill_solid_id id;
    return rill_solid_create(world, &def, &id);
}

static rill_result create_mesh(rill_world *world) {
    static const float vertices[] = { 0.0f, 0.0f, 0.0f, 0.02f, 0.0f, 0.0f, 0.0f, 0.01f, 0.0f, 0.0f, 0.0f, 0.01f };
    static const uint32_t indices[] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
    rill_solid_def def = rill_default_solid_def();
    def.name = "mesh";
    def.shape.type = RILL_SHAPE_MESH;
    def.shape.vertices = vertices;
    def.shape.vertex_count = 4;
    def.shape.indices = indices;
    def.shape.triangle_count = 4;
    rill_solid_id id;
    return rill_solid_create(world, &def, &id);
}

static rill_result create_heightmap(rill_world *world) {
    static const double heights[] = { 0.0, 0.001, 0.002, 0.003 };
    rill_solid_def def = rill_default_solid_def();
    def.name = "ground";
    def.shape.type = RILL_SHAPE_HEIGHTMAP;
    def.shape.heights = heights;
    def.shape.heights_size[0] = def.shape.heights_size[1] = 2;
    rill_solid_id id;
    return rill_solid_create(world, &def, &id);
}

static void test_solids(void **state) {
    (void)state;
    walk(make_empty, create_box);
    walk(make_empty, create_round);
    walk(make_empty, create_mesh);
    walk(make_empty, create_heightmap);
}

static rill_world *make_unbuilt_shapes(const rill_runtime *runtime) {
    rill_world *world = make_unbuilt(runtime);
    must(world, create_mesh(world));
    must(world, create_round(world));
    must(world, create_heightmap(world));
    return world;
}

static void test_build(void **state) {
    (void)state;
    walk(make_unbuilt, rill_bed_build);
    walk(make_unbuilt_shapes, rill_bed_build);
}

static rill_result fill(rill_world *world) {
    return rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.002, NULL);
}

static rill_result create_point(rill_world *world) {
    const rill_source_def def = point_source("well", 0.001, 0.001, 0.05, 1e-6);
    rill_source_id id;
    return rill_source_create(world, &def, &id);
}

static rill_result create_rain(rill_world *world) {
    rill_source_def def = point_source("rain", 0.0, 0.0, 0.0, 0.0);
    def.shape = RILL_SOURCE_RAIN;
    def.rain = 1.0;
    rill_source_id id;
    return rill_source_create(world, &def, &id);
}

static rill_result create_body(rill_world *world, rill_shape shape, double x, double y) {
    static const float vertices[] = { 0.0f, 0.0f, 0.0f, 0.004f, 0.0f, 0.0f, 0.0f, 0.004f, 0.0f, 0.0f, 0.0f, 0.003f };
    static const uint32_t indices[] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
    rill_body_def def = rill_default_body_def();
    def.shape.type = shape;
    def.shape.radius = 0.0015;
    def.shape.vertices = vertices;
    def.shape.vertex_count = 4;
    def.shape.indices = indices;
    def.shape.triangle_count = 4;
    memcpy(def.state.position, (double[]){ x, y, 0.002 }, sizeof def.state.position);
    rill_body_id id;
    return rill_body_create(world, &def, &id);
}

/* ------------------------------------------------------------------------------------------------ solids that move */

static rill_world *make_flooded(const rill_runtime *runtime) {
    rill_world_def def = house_def();
    def.runtime = *runtime;
    def.edges[RILL_EAST].kind = RILL_EDGE_OPEN;
    def.edges[RILL_NORTH] = (rill_edge){ .kind = RILL_EDGE_STILL, .level = 0.001 };
    rill_world *world = NULL;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    must(world, add_house_solids(world));
    must(world, create_mesh(world));
    must(world, create_round(world));
    must(world, rill_bed_build(world));
    must(world, rill_world_fill_level(world, (double[]){ 0.018, 0.009, 0.0 }, 0.002, NULL));
    must(world, create_rain(world));
    must(world, create_point(world));
    must(world, create_body(world, RILL_SHAPE_SPHERE, 0.016, 0.005));
    assert_int_equal(rill_world_step(world, 0.001), RILL_OK); /* some columns are under it */
    return world;
}

/* Makes the flooded world and moves its solids: its bed is roomy, and working memory has been taken before. */
static rill_world *make_moved(const rill_runtime *runtime) {
    rill_world *world = make_flooded(runtime);
    const rill_solid_id platform = rill_solid_find(world, "platform");
    for (int i = 1; i < 4; ++i) {
        must(world, rill_solid_set_pose(world, platform, (double[]){ 0.001 * i, 0.0, -0.001 }, (double[3]){ 0 }));
        assert_int_equal(rill_world_step(world, 0.002), RILL_OK);
    }
    return world;
}

static rill_result set_pose(rill_world *world) {
    static const double shifts[2][3] = { { 0.001, 0.002, 0.0 }, { 0.0, 0.002, 0.003 } };
    static int turn; /* another one each time, else nothing is to be done */
    return rill_solid_set_pose(world, rill_solid_find(world, "ring"), shifts[turn++ % 2],
                               (double[3]){ 10.0, 0.0, 0.0 });
}

/* An open mesh: its parts have to be found anew. */
static rill_world *make_sheet(const rill_runtime *runtime) {
    static const float vertices[] = { 0.0f, 0.0f, 0.003f, 0.02f, 0.0f, 0.003f, 0.0f, 0.01f, 0.003f };
    static const uint32_t indices[] = { 0, 1, 2 };
    rill_world *world = make_flooded(runtime);
    rill_solid_def def = rill_default_solid_def();
    def.name = "sheet";
    def.shape.type = RILL_SHAPE_MESH;
    def.shape.vertices = vertices;
    def.shape.vertex_count = 3;
    def.shape.indices = indices;
    def.shape.triangle_count = 1;
    rill_solid_id id;
    must(world, rill_solid_create(world, &def, &id));
    return world;
}

static rill_result set_vertices(rill_world *world) {
    static const float vertices[] = { 0.0f, 0.0f, 0.002f, 0.02f, 0.0f, 0.004f, 0.0f, 0.01f, 0.003f };
    return rill_solid_set_vertices(world, rill_solid_find(world, "sheet"), vertices, 3);
}

static rill_result replace(rill_world *world) {
    const rill_solid_def def = box_def(NULL, 0.002, 0.002, 0.0, 0.006, 0.008, 0.004);
    return rill_solid_replace(world, rill_solid_find(world, "ring"), &def);
}

/* Changes that need no memory, or have it already, and then the bed. What is changed before the failing call is. */
static void prepare_moves(rill_world *world) {
    fail_at(0, false);
    must(world, rill_solid_set_pose(world, rill_solid_find(world, "mesh"), (double[]){ 0.003, 0.001, 0.001 },
                                    (double[]){ 0.0, 0.0, 20.0 }));
    must(world, rill_solid_set_visible(world, rill_solid_find(world, "wall"), false));
    must(world, rill_solid_destroy(world, rill_solid_find(world, "platform")));
    const rill_solid_def def = box_def("block", 0.008, -1.0, 0.0005, 0.012, 1.0, 0.004);
    rill_solid_id id;
    must(world, rill_solid_create(world, &def, &id));
}

static rill_world *make_pending(const rill_runtime *runtime) {
    rill_world *world = make_flooded(runtime);
    prepare_moves(world);
    return world;
}

static rill_world *make_pending_again(const rill_runtime *runtime) {
    rill_world *world = make_moved(runtime);
    prepare_moves(world);
    return world;
}

static rill_result step_once(rill_world *world) {
    return rill_world_step(world, 0.001);
}

static void test_moves(void **state) {
    (void)state;
    walk(make_flooded, set_pose);
    walk(make_sheet, set_vertices);
    walk(make_flooded, replace);
    walk(make_built, create_round);
    kept_blocks = 96; /* working memory for moves stays, whether or not it came to a move */
    walk(make_pending, rill_bed_build);
    walk(make_pending_again, rill_bed_build);
    may_follow = true;
    walk(make_pending, step_once);
    may_follow = false;
    kept_blocks = 2;
}

/* A house without a way in but for a well in its cellar. */
static rill_world *make_cellar(const rill_runtime *runtime) {
    rill_world_def def = house_def();
    def.runtime = *runtime;
    rill_world *world = make_house(&def);
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.0035, NULL));
    const rill_source_def well = point_source("well", 0.001, 0.001, 0.001, 2e-6);
    rill_source_id id;
    must(world, rill_source_create(world, &well, &id));
    return world;
}

/* Makes a world that is flooded under a ceiling so large that its pressures are not solved for directly. */
static rill_world *make_vault(const rill_runtime *runtime) {
    rill_world_def def = house_def();
    def.grid.cells[0] = 40;
    def.grid.cells[1] = 40;
    def.runtime = *runtime;
    rill_world *world = NULL;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    const rill_solid_def solids[] = { box_def("floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0),
                                      box_def("ceiling", 0.002, -1.0, 0.004, 0.038, 1.0, 0.005) };
    rill_solid_id solid;
    for (int i = 0; i < 2; ++i) must(world, rill_solid_create(world, &solids[i], &solid));
    must(world, rill_bed_build(world));
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.0038, NULL));
    const rill_source_def well = point_source("well", 0.001, 0.001, 0.001, 1e-5);
    rill_source_id id;
    must(world, rill_source_create(world, &well, &id));
    return world;
}

/* Memory grows with what is flooded, also in the middle of a step. If there is none, the step ends there: what it has
 * done is sound, and the next goes on from there. Returns how often it asks for more. */
static long walk_flooding(rill_world *(*make)(const rill_runtime *)) {
    long asked = 0;
    for (long n = 0; n <= asked; n += n < 8 / NEXT_CASE ? 1 : 7 * NEXT_CASE) {
        memory = (test_memory){ 0 };
        const rill_runtime runtime = counting_runtime();
        rill_world *world = make(&runtime);
        must(world, rill_world_step(world, 1e-6)); /* the first takes memory for events */
        const double begin = rill_world_time(world);
        const long built = memory.count;
        fail_at(n, true);
        const rill_result result = rill_world_step(world, 0.5);
        if (n == 0) asked = memory.count - built;
        assert_int_equal(result, n > 0 ? RILL_OUT_OF_MEMORY : RILL_OK);
        assert_true(n == 0 || (rill_world_time(world) > begin && rill_world_time(world) < 0.5));
        assert_int_equal(ledger_error(world), 0);
        must_be_valid(world);
        fail_at(0, false);
        while (rill_world_time(world) < 1.0) /* until all is flooded */
            assert_int_equal(rill_world_step(world, 0.02), RILL_OK);
        must_be_valid(world);
        const long after = memory.count;
        for (int i = 0; i < 5; ++i) assert_int_equal(rill_world_step(world, 0.01), RILL_OK);
        assert_int_equal(memory.count, after); /* no more is flooded than before */
        rill_world_destroy(world);
        assert_int_equal(memory.live, 0);
    }
    return asked;
}

static void test_flooding(void **state) {
    (void)state;
    assert_true(walk_flooding(make_cellar) > 4); /* what it takes to begin, and more */
    assert_true(walk_flooding(make_vault) > 10);
}

/* A body with forces of the last step, and more that is flooded since. */
static rill_world *make_afloat(const rill_runtime *runtime) {
    rill_world *world = make_built(runtime);
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.002, NULL));
    must(world, create_body(world, RILL_SHAPE_SPHERE, 0.003, 0.003));
    assert_int_equal(rill_world_step(world, 0.001), RILL_OK);
    rill_body_forces forces;
    must(world, rill_body_get_forces(world, rill_world_body_at(world, 0), &forces));
    assert_true(forces.impulse[2] > 0.0);
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.0045, NULL));
    return world;
}

/* A step that has no memory to begin with leaves what the last has told. */
static void test_refused_steps(void **state) {
    (void)state;
    kept_blocks = 4; /* working memory for passages stays */
    walk(make_afloat, step_once);
    kept_blocks = 2;
}

static rill_world *make_with_well(const rill_runtime *runtime) {
    rill_world *world = make_built(runtime);
    must(world, create_point(world));
    return world;
}

/* Another name with an account of its own, and more columns, in both layers. */
static rill_result move_well(rill_world *world) {
    rill_source_def def = point_source("spring", 0.0, 0.0, 0.0, 1e-6);
    def.shape = RILL_SOURCE_BOX;
    memcpy(def.max, (double[]){ 0.02, 0.01, 0.01 }, sizeof def.max);
    return rill_source_set_def(world, rill_world_source_at(world, 0), &def);
}

static void test_liquid(void **state) {
    (void)state;
    walk(make_built, fill);
    walk(make_built, create_point);
    walk(make_built, create_rain);
    kept_blocks = 6; /* working memory for sources that move stays */
    walk(make_with_well, move_well);
    kept_blocks = 2;
}

/* -------------------------------------------------------------------------------------------- calls that make worlds
 * */

static rill_result create_world(rill_world **out, const void *bytes, size_t size) {
    (void)bytes, (void)size;
    rill_world_def def = house_def();
    def.runtime = counting_runtime();
    def.runtime.tasks.threads = 2;
    return rill_world_create(&def, out, NULL);
}

static rill_result load_world(rill_world **out, const void *bytes, size_t size) {
    const rill_runtime runtime = counting_runtime();
    return rill_snapshot_load(bytes, size, &runtime, out, NULL);
}

static void walk_making(rill_result (*call)(rill_world **, const void *, size_t), const void *bytes, size_t size) {
    for (int forever = 0; forever < 2; ++forever) {
        memory = (test_memory){ 0 };
        long n = 1;
        for (;; n = next_request(n)) {
            rill_world *world = NULL;
            fail_at(n, forever);
            const rill_result result = call(&world, bytes, size);
            if (memory.refused == 0) {
                assert_int_equal(result, RILL_OK);
                must_be_valid(world);
                rill_world_destroy(world);
                assert_int_equal(memory.live, 0);
                break;
            }
            assert_int_equal(result, RILL_OUT_OF_MEMORY);
            assert_null(world);
            assert_int_equal(memory.live, 0);
        }
        assert_true(n > 1);
    }
}

static void test_create(void **state) {
    (void)state;
    walk_making(create_world, NULL, 0);
}

static rill_world *make_busy_shapes(const rill_runtime *runtime) {
    rill_world *world = make_unbuilt_shapes(runtime);
    must(world, rill_bed_build(world));
    must(world, create_point(world));
    must(world, create_rain(world));
    must(world, create_body(world, RILL_SHAPE_SPHERE, 0.016, 0.005));
    must(world, create_body(world, RILL_SHAPE_HULL, 0.003, 0.004));
    must(world, create_body(world, RILL_SHAPE_MESH, 0.013, 0.004));
    for (int i = 0; i < 3; ++i) assert_int_equal(rill_world_step(world, 0.002), RILL_OK);
    return world;
}

static unsigned char *bytes;
static size_t size;

static rill_result restore(rill_world *world) {
    return rill_snapshot_restore(world, bytes, size);
}

static void test_snapshots(void **state) {
    (void)state;
    memory = (test_memory){ 0 };
    const rill_runtime runtime = counting_runtime();
    rill_world *world = make_busy_shapes(&runtime);
    size = rill_snapshot_size(world);
    bytes = malloc(size);
    /* Saving asks for nothing. */
    fail_at(1, true);
    must(world, rill_snapshot_save(world, bytes, size, &size));
    assert_int_equal(memory.refused, 0);
    fail_at(0, false);
    rill_world_destroy(world);
    walk_making(load_world, bytes, size);
    walk(make_built, restore);
    walk(make_busy_house, restore);
    free(bytes);
}

/* ------------------------------------------------------------------------------------------- calls that need nothing
 * */

static void test_steps(void **state) {
    (void)state;
    for (int32_t threads = 1; threads <= 2; ++threads) {
        memory = (test_memory){ 0 };
        rill_runtime runtime = counting_runtime();
        runtime.tasks.threads = threads;
        rill_world *world = make_busy_house(&runtime);
        assert_int_equal(rill_world_step(world, 0.01), RILL_OK);
        const long after_first = memory.count;
        double field[400], volume;
        rill_sample sample;
        rill_ledger ledger;
        for (int i = 0; i < 100; ++i) {
            assert_int_equal(rill_world_step(world, 0.01), RILL_OK);
            must(world, rill_query_points(world, (double[]){ 0.001, 0.001, 0.0 }, 1, &sample));
            must(world,
                 rill_query_box_volume(world, (double[]){ 0.0, 0.0, 0.0 }, (double[]){ 1.0, 1.0, 1.0 }, &volume));
            must(world, rill_world_read_field(world, RILL_FIELD_VELOCITY, 0, field, 400));
            must(world, rill_world_read_field(world, RILL_FIELD_DEPTH, 0, field, 200));
            must(world, rill_world_fill_depths(world, 0, field, 200, NULL));
            must(world, rill_world_get_ledger(world, &ledger));
            must(world, rill_world_set_gravity(world, (double[]){ 0.1 * i, 0.0, -9.81 }));
            rill_world_hash(world);
        }
        assert_int_equal(memory.count, after_first);
        must_be_valid(world);
        rill_world_destroy(world);
        assert_int_equal(memory.live, 0);
    }
}

/* The first steps of a world, were they to ask for memory, would do so here. */
static void test_first_steps(void **state) {
    (void)state;
    memory = (test_memory){ 0 };
    const rill_runtime runtime = counting_runtime();
    rill_world *world = make_built(&runtime);
    must(world, fill(world));
    fail_at(1, true);
    for (int i = 0; i < 5; ++i) {
        const rill_result result = rill_world_step(world, 0.01);
        assert_true(result == RILL_OK || result == RILL_OUT_OF_MEMORY);
        assert_int_equal(ledger_error(world), 0);
    }
    fail_at(0, false);
    assert_int_equal(rill_world_step(world, 0.01), RILL_OK);
    must_be_valid(world);
    rill_world_destroy(world);
    assert_int_equal(memory.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create),       unit_test_alone(test_solids),    unit_test_alone(test_build),
        unit_test_alone(test_liquid),        unit_test_alone(test_snapshots), cmocka_unit_test(test_steps),
        unit_test_alone(test_first_steps),   unit_test_alone(test_moves),     unit_test_alone(test_flooding),
        unit_test_alone(test_refused_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
