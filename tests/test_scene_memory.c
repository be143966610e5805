/* Reading a scene and its files with each allocation failing, once and from then on: an answer, no leak (the sanitizers
 * see to that), no crash. malloc and calloc are wrapped by the linker (tests/CMakeLists.txt), so only our own calls fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scene/scene.h"

static long calls, fail_at; /* fail_at 0: never */
static bool for_ever;

static bool refuse(void) {
    calls++;
    return fail_at > 0 && (for_ever ? calls >= fail_at : calls == fail_at);
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_malloc(size_t size) {
    return refuse() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    return refuse() ? NULL : __real_calloc(count, size);
}

/* A heightmap of each kind, a mesh that moves and changes, depths and an override; and a frame of it. */
static rill_scene_result load(rill_scene_report *report) {
    static const char text[] =
        "rill: 1\nbed:\n  grid: { cells: [100, 100], cell_size: 0.001 }\n  solids:\n"
        "    - { heightmap: scenes/models/bowl.npy }\n"
        "    - { heightmap: scenes/models/tissue.png, low: -0.02, high: 0 }\n"
        "    - { mesh: tests/data/step.obj, scale: 0.001, morph: [{ time: 0, mesh: tests/data/step.obj }],\n"
        "        move: [{ time: 0, visible: false }, { time: 0.005, translate: [0, 0, 0.001], visible: true }] }\n"
        "fill: [{ depth: scenes/models/bowl_depth.npy }]\nsources: [{ at: [0.05, 0.05, 0.1], rate: 1e-6 }]\n"
        "run: { frame: 0.01, until: 0.1 }\n";
    static const char *const sets[] = { "liquid.viscosity=1e-5", "sources.1.rain=20" };
    const rill_scene_options options = { .sets = sets, .set_count = 2 };
    rill_scene *scene;
    rill_world *world = NULL;
    rill_scene_result result =
        rill_scene_parse(text, sizeof text - 1, RILL_SOURCE_DIR "/memory.yaml", &options, &scene, report);
    assert_true((scene != NULL) == (result == RILL_SCENE_OK));
    if (scene) {
        result = rill_scene_create_world(scene, NULL, &world, report);
        assert_true((world != NULL) == (result == RILL_SCENE_OK));
    }
    if (world) {
        rill_status status;
        rill_result stepped = rill_scene_step(scene, world, scene->frame, &status);
        assert_true(stepped == RILL_OK || stepped == RILL_OUT_OF_MEMORY);
        result = stepped == RILL_OK ? RILL_SCENE_OK : RILL_SCENE_OUT_OF_MEMORY;
    }
    rill_world_destroy(world);
    rill_scene_free(scene);
    return result;
}

static void walk(bool persistent) {
    for_ever = persistent;
    rill_scene_result result = RILL_SCENE_OUT_OF_MEMORY;
    for (long n = 1; result != RILL_SCENE_OK; n++) {
        rill_scene_report report = { 0 };
        calls = 0;
        fail_at = n;
        result = load(&report);
        bool failed = calls >= n;
        fail_at = 0;
        assert_int_equal(result, failed ? RILL_SCENE_OUT_OF_MEMORY : RILL_SCENE_OK);
        rill_scene_report_free(&report);
    }
    assert_true(calls > 10);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    rill_scene_report report = { 0 };
    assert_int_equal(load(&report), RILL_SCENE_OK);
    assert_int_equal(report.count, 0);
    walk(false);
    walk(true);
}

/* A complaint that finds no memory for its text is still counted. */
static void complaints_are_counted_without_memory(void **state) {
    (void)state;
    static const char text[] = "rill: 2\n";
    rill_scene *scene;
    rill_scene_report report = { 0 };
    calls = 0;
    assert_int_equal(rill_scene_parse(text, sizeof text - 1, "s.yaml", NULL, &scene, &report), RILL_SCENE_WRONG);
    assert_int_equal(report.count, 3);
    rill_scene_report_free(&report);
    fail_at = calls; /* the last text */
    calls = 0;
    for_ever = false;
    assert_int_equal(rill_scene_parse(text, sizeof text - 1, "s.yaml", NULL, &scene, &report), RILL_SCENE_WRONG);
    fail_at = 0;
    assert_int_equal(report.count, 2);
    assert_int_equal(report.dropped, 1);
    assert_int_equal(report.errors, 3);
    rill_scene_report_free(&report);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(complaints_are_counted_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
