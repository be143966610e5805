/* The log tells what was mended or ignored, and nothing else. */
#include "worlds.h"

enum { LINES = 32 };
typedef struct heard {
    int count;
    char lines[LINES][256];
    rill_log_level levels[LINES];
} heard;

static void hear(rill_log_level level, const char *text, void *user) {
    heard *log = user;
    if (log->count >= LINES) fail_msg("too many lines: %s", text);
    log->levels[log->count] = level;
    snprintf(log->lines[log->count++], sizeof log->lines[0], "%s", text);
}

static void expect(const heard *log, const char *line, rill_log_level level) {
    for (int i = 0; i < log->count; ++i)
        if (strcmp(log->lines[i], line) == 0) {
            assert_int_equal(log->levels[i], level);
            return;
        }
    for (int i = 0; i < log->count; ++i) print_message("heard: %s\n", log->lines[i]);
    fail_msg("not heard: %s", line);
}

static rill_world *listening_world(heard *log) {
    rill_world_def def = house_def();
    def.runtime.log = hear;
    def.runtime.log_user = log;
    rill_world *world;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    must(world, add_house_solids(world));
    return world;
}

static rill_solid_def mesh_def(const char *name, const float *vertices, size_t vertex_count, const uint32_t *indices,
                               size_t triangle_count) {
    rill_solid_def def = rill_default_solid_def();
    def.name = name;
    def.shape.type = RILL_SHAPE_MESH;
    def.shape.vertices = vertices, def.shape.vertex_count = vertex_count;
    def.shape.indices = indices, def.shape.triangle_count = triangle_count;
    return def;
}

/* A tetrahedron, and one without its ground. */
static const float CORNERS[] = { 0.006f, 0.004f, 0.005f, 0.010f, 0.004f, 0.005f,
                                 0.008f, 0.008f, 0.005f, 0.008f, 0.005f, 0.008f };
static const uint32_t SIDES[] = { 0, 1, 3, 1, 2, 3, 2, 0, 3, 0, 2, 1 };

static void test_silence(void **state) {
    (void)state;
    heard log = { 0 };
    rill_world *world = listening_world(&log);
    const rill_solid_def whole = mesh_def("whole", CORNERS, 4, SIDES, 4);
    must(world, rill_solid_create(world, &whole, NULL));
    for (int i = 0; i < log.count; ++i) fail_msg("%s", log.lines[i]);
    rill_world_destroy(world);
}

static void test_meshes(void **state) {
    (void)state;
    heard log = { 0 };
    rill_world *world = listening_world(&log);
    static const uint32_t MESSY[] = { 0, 1, 3, 1, 2, 3, 2, 0, 3, 0, 2, 1, 3, 1, 0, 2, 1, 1, 3, 3, 3 };
    const rill_solid_def messy = mesh_def("messy", CORNERS, 4, MESSY, 7);
    const rill_solid_def open = mesh_def(NULL, CORNERS, 4, SIDES, 2);
    rill_solid_id id;
    must(world, rill_solid_create(world, &messy, &id));
    expect(&log, "solid \"messy\": 2 triangles without area were left out", RILL_LOG_NOTE);
    expect(&log, "solid \"messy\": 1 triangles that were there already were left out", RILL_LOG_NOTE);
    assert_int_equal(log.count, 2);
    must(world, rill_solid_replace(world, id, &open));
    expect(&log, "solid \"messy\": 1 parts are open and became floors without thickness", RILL_LOG_NOTE);
    assert_int_equal(log.count, 3);
    rill_world_destroy(world);
}

/* The bed tells each thing when there is some of it for the first time, also when a step finds it. */
static void test_bed(void **state) {
    (void)state;
    heard log = { 0 };
    rill_world *world = listening_world(&log);
    const rill_solid_def thin = box_def("thin", 0.0023, -1.0, 0.0, 0.0025, 1.0, 0.003);
    const rill_solid_def gone = box_def("gone", 5.0, 5.0, 0.0, 6.0, 6.0, 0.003);
    rill_solid_id id;
    must(world, rill_solid_create(world, &thin, &id));
    must(world, rill_solid_create(world, &gone, NULL));
    assert_int_equal(log.count, 0);
    must(world, rill_bed_build(world));
    expect(&log, "bed: 10 cells were closed, so that walls thinner than a cell hold", RILL_LOG_NOTE);
    expect(&log, "bed: 1 solids touch no cell of the grid: move them, or the grid's origin", RILL_LOG_WARNING);
    assert_int_equal(log.count, 2);
    for (int i = 1; i < 20; ++i) {
        must(world, rill_solid_set_pose(world, id, (double[]){ 0.0, 0.0, i * 0.001 }, (double[]){ 0, 0, 0 }));
        assert_int_equal(rill_world_step(world, 0.01), RILL_OK);
    }
    expect(
        &log,
        "bed: 10 floors or solids are below or above the range and were clipped: raise headroom, or build with them at "
        "their lowest",
        RILL_LOG_WARNING);
    assert_true(log.count <= 5);
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_silence), cmocka_unit_test(test_meshes),
                                        cmocka_unit_test(test_bed) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
