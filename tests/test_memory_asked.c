/* How much memory worlds ask for, bytes per column, at most at once: REST where nothing is flooded and no solid has
 * moved, FULL with all of that. Memory of columns counts, so worlds are large enough that what is there once does not
 * matter. */
#include "worlds.h"

enum { REST = 150, FULL = 300 };

typedef struct scale {
    size_t live, most;
} scale;

static void *weigh(size_t size, size_t alignment, void *user) {
    scale *s = user;
    s->live += size;
    s->most = s->live > s->most ? s->live : s->most;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void lift(void *block, size_t size, size_t alignment, void *user) {
    scale *s = user;
    (void)alignment;
    s->live -= size;
    free(block);
}

static rill_world *make_world(int32_t cells, scale *s) {
    rill_world_def def = plain_world_def();
    def.grid = (rill_grid){ .cells = { cells, cells }, .cell_size = 0.001 };
    def.headroom = 0.02;
    def.runtime.allocator = (rill_allocator){ .allocate = weigh, .release = lift, .user = s };
    rill_world *world = NULL;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    return world;
}

static rill_solid_id add_box(rill_world *world, double x0, double x1, double z0, double z1) {
    const rill_solid_def def = box_def(NULL, x0, x0, z0, x1, x1, z1);
    rill_solid_id id;
    must(world, rill_solid_create(world, &def, &id));
    return id;
}

static void run(rill_world *world) {
    for (int i = 0; i < 3; ++i) assert_int_equal(rill_world_step(world, 0.002), RILL_OK);
}

static void expect_at_most(rill_world *world, const scale *s, size_t bytes) {
    rill_bed_info info;
    must(world, rill_bed_get_info(world, &info));
    const size_t asked = s->most / (size_t)info.columns;
    if (asked > bytes) fail_msg("%zu bytes per column, expected at most %zu", asked, bytes);
}

/* An open pool, and then a box that moves through it. */
static void a_pool_and_a_moving_solid(void **state) {
    (void)state;
    scale s = { 0 };
    rill_world *world = make_world(700, &s);
    add_box(world, -1.0, 2.0, -0.01, 0.0);
    const rill_solid_id box = add_box(world, 0.3, 0.35, -0.001, 0.01);
    must(world, rill_bed_build(world));
    must(world, rill_world_fill_level(world, (double[]){ 0.1, 0.1, 0.0 }, 0.003, NULL));
    run(world);
    expect_at_most(world, &s, REST);
    for (int i = 1; i < 4; ++i) {
        must(world, rill_solid_set_pose(world, box, (double[]){ 0.0015 * i, 0.0, 0.0 }, (double[3]){ 0 }));
        run(world);
    }
    expect_at_most(world, &s, FULL);
    rill_world_destroy(world);
}

/* A crowd of stems that lean this way and that: what building takes for a while counts, too. */
static void stems(void **state) {
    (void)state;
    scale s = { 0 };
    rill_world *world = make_world(400, &s);
    add_box(world, -1.0, 2.0, -0.01, 0.0);
    for (int i = 0; i < 60; ++i) {
        rill_solid_def def = rill_default_solid_def();
        rill_solid_id id;
        def.shape.type = RILL_SHAPE_CYLINDER;
        def.shape.radius = 0.015;
        memcpy(def.shape.from, (double[]){ 0.02 + 0.036 * (i % 10), 0.02 + 0.06 * (i / 10), -0.001 },
               sizeof def.shape.from);
        memcpy(def.shape.to, (double[]){ 0.02 + 0.036 * (i * 7 % 10), 0.02 + 0.06 * (i * 5 % 6), 0.1 },
               sizeof def.shape.to);
        must(world, rill_solid_create(world, &def, &id));
    }
    must(world, rill_bed_build(world));
    run(world);
    expect_at_most(world, &s, REST);
    rill_world_destroy(world);
}

/* Floors above each other, all wet and none flooded; passages are solved for, but there are none. */
static void layers(void **state) {
    (void)state;
    for (int count = 5; count <= 20; count += 15) {
        scale s = { 0 };
        rill_world *world = make_world(160, &s);
        for (int k = 0; k < count; ++k) add_box(world, -1.0, 2.0, 0.012 * k - 0.002, 0.012 * k);
        must(world, rill_bed_build(world));
        for (int k = 0; k < count; ++k)
            must(world, rill_world_fill_level(world, (double[]){ 0.1, 0.1, 0.012 * k }, 0.012 * k + 0.004, NULL));
        run(world);
        expect_at_most(world, &s, REST);
        rill_world_destroy(world);
    }
}

/* A slab under which all is flooded: a quarter of the columns. */
static void flooded_passages(void **state) {
    (void)state;
    scale s = { 0 };
    rill_world *world = make_world(400, &s);
    add_box(world, -1.0, 2.0, -0.01, 0.0);
    add_box(world, 0.1, 0.3, 0.004, 0.02);
    must(world, rill_bed_build(world));
    must(world, rill_world_fill_level(world, (double[]){ 0.01, 0.01, 0.0 }, 0.008, NULL));
    run(world);
    rill_sample under;
    must(world, rill_query_points(world, (double[]){ 0.2, 0.2, 0.001 }, 1, &under));
    assert_true(under.depth > 0.00399); /* it is full */
    expect_at_most(world, &s, FULL);
    rill_world_destroy(world);
}

static void bodies(void **state) {
    (void)state;
    scale s = { 0 };
    rill_world *world = make_world(400, &s);
    add_box(world, -1.0, 2.0, -0.01, 0.0);
    must(world, rill_bed_build(world));
    must(world, rill_world_fill_level(world, (double[]){ 0.1, 0.1, 0.0 }, 0.01, NULL));
    for (int i = 0; i < 16; ++i) {
        rill_body_def def = rill_default_body_def();
        def.shape.type = RILL_SHAPE_SPHERE;
        def.shape.radius = 0.008;
        memcpy(def.state.position, (double[]){ 0.05 + 0.1 * (i % 4), 0.05 + 0.1 * (i / 4), 0.01 },
               sizeof def.state.position);
        rill_body_id id;
        must(world, rill_body_create(world, &def, &id));
    }
    run(world);
    expect_at_most(world, &s, FULL);
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_pool_and_a_moving_solid), cmocka_unit_test(stems),
                                        cmocka_unit_test(layers), cmocka_unit_test(flooded_passages),
                                        cmocka_unit_test(bodies) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
