/* User data: a pointer beside each solid, source and body, for as long as its id lives. */
#include "worlds.h"

/* Targets of pointers; nobody but the test looks there. */
static int marks[8];

typedef struct things {
    rill_solid_id solid;
    rill_source_id source;
    rill_body_id body;
} things;

static rill_source_id add_well(rill_world *world, const char *name) {
    const rill_source_def def = point_source(name, 0.001, 0.001, 0.0, 1e-7);
    rill_source_id id;
    must(world, rill_source_create(world, &def, &id));
    return id;
}

static rill_body_id add_ball(rill_world *world, const char *name) {
    rill_body_def def = rill_default_body_def();
    def.name = name;
    def.shape.radius = 0.002;
    def.state.position[0] = 0.010, def.state.position[1] = 0.005, def.state.position[2] = 0.010;
    rill_body_id id;
    must(world, rill_body_create(world, &def, &id));
    return id;
}

static rill_world *make_marked(things *out) {
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    *out = (things){ rill_solid_find(world, "platform"), add_well(world, "well"), add_ball(world, "ball") };
    assert_null(rill_solid_user_data(world, out->solid));
    assert_null(rill_source_user_data(world, out->source));
    assert_null(rill_body_user_data(world, out->body));
    must(world, rill_solid_set_user_data(world, out->solid, &marks[0]));
    must(world, rill_source_set_user_data(world, out->source, &marks[1]));
    must(world, rill_body_set_user_data(world, out->body, &marks[2]));
    return world;
}

static void assert_marks(const rill_world *world, const things *all, const void *solid, const void *source,
                         const void *body) {
    assert_ptr_equal(rill_solid_user_data(world, all->solid), solid);
    assert_ptr_equal(rill_source_user_data(world, all->source), source);
    assert_ptr_equal(rill_body_user_data(world, all->body), body);
}

static void test_set_and_get(void **state) {
    (void)state;
    things all;
    rill_world *world = make_marked(&all);
    const uint64_t hash = rill_world_hash(world);
    assert_marks(world, &all, &marks[0], &marks[1], &marks[2]);
    assert_null(rill_solid_user_data(world, rill_solid_find(world, "floor")));
    must(world, rill_body_set_user_data(world, all.body, NULL));
    assert_marks(world, &all, &marks[0], &marks[1], NULL);
    assert_true(rill_world_hash(world) == hash);
    rill_world_step(world, 0.01);
    const rill_solid_def other = box_def(NULL, 0.004, -1.0, 0.004, 0.012, 1.0, 0.005);
    must(world, rill_solid_replace(world, all.solid, &other));
    rill_world_step(world, 0.01);
    assert_marks(world, &all, &marks[0], &marks[1], NULL);
    rill_world_destroy(world);
}

static void test_stale_ids(void **state) {
    (void)state;
    things all;
    rill_world *world = make_marked(&all);
    must(world, rill_solid_destroy(world, all.solid));
    must(world, rill_source_destroy(world, all.source));
    must(world, rill_body_destroy(world, all.body));
    assert_marks(world, &all, NULL, NULL, NULL);
    must_refuse(world, rill_solid_set_user_data(world, all.solid, marks), RILL_INVALID_ID, "stale");
    must_refuse(world, rill_source_set_user_data(world, all.source, marks), RILL_INVALID_ID, "stale");
    must_refuse(world, rill_body_set_user_data(world, all.body, marks), RILL_INVALID_ID, "stale");
    assert_int_equal(rill_solid_set_user_data(NULL, all.solid, marks), RILL_INVALID_ARGUMENT);
    assert_int_equal(rill_source_set_user_data(NULL, all.source, marks), RILL_INVALID_ARGUMENT);
    assert_int_equal(rill_body_set_user_data(NULL, all.body, marks), RILL_INVALID_ARGUMENT);
    assert_marks(NULL, &all, NULL, NULL, NULL);

    must(world, rill_bed_build(world)); /* frees the solid's slot */
    const rill_solid_def box = box_def("box", 0.005, -1.0, 0.004, 0.015, 1.0, 0.005);
    must(world, rill_solid_create(world, &box, &all.solid));
    all.source = add_well(world, "another");
    all.body = add_ball(world, "another");
    assert_marks(world, &all, NULL, NULL, NULL);
    rill_world_destroy(world);
}

static void test_snapshots(void **state) {
    (void)state;
    things all;
    rill_world *world = make_marked(&all);
    size_t size = rill_snapshot_size(world);
    void *bytes = malloc(size);
    must(world, rill_snapshot_save(world, bytes, size, &size));

    rill_world *loaded = NULL;
    assert_int_equal(rill_snapshot_load(bytes, size, NULL, &loaded, NULL), RILL_OK);
    const things there = { rill_solid_find(loaded, "platform"), rill_source_find(loaded, "well"),
                           rill_body_find(loaded, "ball") };
    assert_marks(loaded, &there, NULL, NULL, NULL);
    rill_world_destroy(loaded);

    must(world, rill_source_destroy(world, all.source)); /* nothing of it is left to be handed on */
    const rill_body_id late = add_ball(world, "late");
    must(world, rill_body_set_user_data(world, late, &marks[3]));
    must(world, rill_solid_set_user_data(world, all.solid, &marks[4]));
    must(world, rill_snapshot_restore(world, bytes, size));
    all =
        (things){ rill_solid_find(world, "platform"), rill_source_find(world, "well"), rill_body_find(world, "ball") };
    assert_marks(world, &all, &marks[4], NULL, &marks[2]);
    assert_null(rill_body_user_data(world, late));
    free(bytes);
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_set_and_get), cmocka_unit_test(test_stale_ids),
                                        cmocka_unit_test(test_snapshots) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
