/* Promises of the API that hold for all of it: what is named, whose ids are taken, what a call says of itself, and that
 * impulses are those that bodies show. */
#include "worlds.h"

#include <math.h>

/* Names of all of a kind: there, and each another one. */
static void must_differ(const char *const *names, int count) {
    for (int i = 0; i < count; ++i) {
        assert_non_null(names[i]);
        assert_true(strlen(names[i]) > 0);
        for (int j = 0; j < i; ++j) assert_string_not_equal(names[i], names[j]);
    }
}

static void test_names(void **state) {
    (void)state;
    const char *stages[RILL_STAGE_COUNT], *surface[RILL_SURFACE_STAGE_COUNT], *bits[32];
    for (int i = 0; i < RILL_STAGE_COUNT; ++i) stages[i] = rill_stage_name((rill_stage)i);
    for (int i = 0; i < RILL_SURFACE_STAGE_COUNT; ++i) surface[i] = rill_surface_stage_name((rill_surface_stage)i);
    must_differ(stages, RILL_STAGE_COUNT);
    must_differ(surface, RILL_SURFACE_STAGE_COUNT);
    assert_string_equal(stages[RILL_STAGE_PASSAGES], "passages");
    assert_string_equal(surface[RILL_SURFACE_STAGE_MENISCUS], "meniscus");
    assert_null(rill_stage_name(RILL_STAGE_COUNT));
    assert_null(rill_stage_name((rill_stage)-1));
    assert_null(rill_surface_stage_name(RILL_SURFACE_STAGE_COUNT));
    int count = 0;
    while (rill_status_name(1u << count)) bits[count] = rill_status_name(1u << count), ++count;
    must_differ(bits, count);
    assert_true(count >= 10);
    assert_null(rill_status_name(RILL_STATUS_SQUEEZED | RILL_STATUS_RANGE));
}

typedef struct things {
    rill_solid_id solid;
    rill_source_id source;
    rill_control_id control;
    rill_body_id body;
} things;

static rill_world *make_full(things *out) {
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    const rill_source_def tap = point_source("tap", 0.002, 0.002, 0.0, 1e-7);
    const double corners[] = { 0.001, 0.001, 0.004, 0.001, 0.004, 0.004 };
    const int32_t three = 3;
    rill_control_def control = rill_default_control_def();
    rill_body_def ball = rill_default_body_def();
    control.points = corners;
    control.corners = &three;
    control.polygon_count = 1;
    ball.shape.radius = 0.002;
    ball.state.position[0] = 0.012, ball.state.position[1] = 0.005, ball.state.position[2] = 0.01;
    out->solid = rill_solid_find(world, "wall");
    must(world, rill_source_create(world, &tap, &out->source));
    must(world, rill_control_create(world, &control, &out->control));
    must(world, rill_body_create(world, &ball, &out->body));
    return world;
}

/* Whatever lives at the same place of another world, its id names nothing here. */
static void test_ids_of_another_world(void **state) {
    (void)state;
    things here, there;
    rill_world *world = make_full(&here), *other = make_full(&there);
    const uint64_t before = rill_world_hash(world);
    const double zero[3] = { 0 };
    rill_body_state still;
    rill_source_def tap;
    double volume;
    must(other, rill_body_get_state(other, there.body, &still));
    must(world, rill_body_get_state(world, here.body, &still));
    const rill_result refused[] = {
        rill_solid_set_pose(world, there.solid, zero, zero),  rill_solid_destroy(world, there.solid),
        rill_query_solid_volume(world, there.solid, &volume), rill_source_set_rate(world, there.source, 1e-6),
        rill_source_get_def(world, there.source, &tap),       rill_source_destroy(world, there.source),
        rill_control_set_strength(world, there.control, 1.0), rill_control_destroy(world, there.control),
        rill_body_set_state(world, there.body, &still),       rill_body_destroy(world, there.body),
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; ++i)
        if (refused[i] != RILL_INVALID_ID) fail_msg("call %zu gave %s", i, rill_result_name(refused[i]));
    must_refuse(world, rill_source_destroy(world, there.source), RILL_INVALID_ID, "of another world");
    assert_null(rill_solid_name(world, there.solid));
    assert_null(rill_body_name(world, there.body));
    assert_true(rill_world_hash(world) == before);
    rill_world_destroy(world);
    rill_world_destroy(other);
}

/* A step says how it went, and its status is there without a second call that may fail. */
static void test_step_says_its_result(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def), *empty = NULL;
    rill_step_info info;
    must(world, rill_world_create(&def, &empty, NULL));
    must_refuse(empty, rill_world_step(empty, 0.01), RILL_INVALID_STATE, "bed");
    must_refuse(world, rill_world_step(world, (double)NAN), RILL_INVALID_ARGUMENT, "dt");
    assert_int_equal(rill_world_step(NULL, 0.01), RILL_INVALID_ARGUMENT);
    rill_source_def sink = point_source("drain", 0.002, 0.002, 0.0, 1e-6);
    sink.sink = true;
    must(world, rill_source_create(world, &sink, NULL));
    must(world, rill_world_step(world, 0.01));
    must(world, rill_world_get_step_info(world, &info));
    assert_int_equal(rill_world_status(world), RILL_STATUS_SINK_DRY);
    assert_int_equal(info.status, RILL_STATUS_SINK_DRY);
    assert_int_equal(rill_world_status(NULL), 0);
    rill_world_destroy(world);
    rill_world_destroy(empty);
}

/* A cube has the same inertia about any axis: what turns it in a step is the angular impulse over that, and what moves it
 * is the impulse over its mass, and gravity. */
static void test_impulses_are_what_bodies_show(void **state) {
    (void)state;
    rill_world_def def = house_def();
    def.grid.cells[0] = def.grid.cells[1] = 40;
    rill_world *world = make_house(&def);
    must(world, rill_world_fill_level(world, (double[3]){ 0.03, 0.02, 0.001 }, 0.003, NULL));
    const double dt = 0.005, tilt = 0.3;
    rill_body_def cube = rill_default_body_def();
    cube.shape.type = RILL_SHAPE_BOX;
    for (int k = 0; k < 3; ++k) cube.shape.min[k] = -0.003, cube.shape.max[k] = 0.003;
    cube.state.position[0] = 0.030, cube.state.position[1] = 0.020, cube.state.position[2] = 0.006;
    cube.state.orientation[0] = sin(tilt / 2), cube.state.orientation[3] = cos(tilt / 2);
    rill_body_id id;
    rill_body_info info;
    must(world, rill_body_create(world, &cube, &id));
    must(world, rill_body_get_info(world, id, &info));
    double turned = 0.0;
    for (int step = 0; step < 20; ++step) {
        rill_body_state before, after;
        rill_body_forces forces;
        must(world, rill_body_get_state(world, id, &before));
        must(world, rill_world_step(world, dt));
        must(world, rill_body_get_state(world, id, &after));
        must(world, rill_body_get_forces(world, id, &forces));
        for (int k = 0; k < 3; ++k) {
            const double gained = after.velocity[k] - before.velocity[k] - dt * before.acceleration[k];
            const double spun = after.angular_velocity[k] - before.angular_velocity[k];
            assert_true(fabs(forces.impulse[k] / info.mass - gained) < 1e-9);
            assert_true(fabs(forces.angular_impulse[k] / info.inertia[0] - spun) < 1e-6);
            turned = fmax(turned, fabs(spun));
        }
    }
    assert_true(turned > 0.1);
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_ids_of_another_world),
        cmocka_unit_test(test_step_says_its_result),
        cmocka_unit_test(test_impulses_are_what_bodies_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
