/* Reading a scene and its files, and writing meshes, with each allocation failing, once and from then on: an answer, no
 * leak (the sanitizers see to that), no crash, no half file. malloc and its kin are wrapped by the linker
 * (tests/CMakeLists.txt), so only our own calls fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "scene/mesh_usda.h"
#include "scene/scene.h"

static long calls, fail_at; /* fail_at 0: never */
static bool for_ever;

static bool refuse(void) {
    ++calls;
    return fail_at > 0 && (for_ever ? calls >= fail_at : calls == fail_at);
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size) {
    return refuse() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    return refuse() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size) {
    return refuse() ? NULL : __real_realloc(memory, size);
}

/* A heightmap of each kind, a mesh that moves and changes, bodies, depths and an override; and a frame of it. */
static rill_scene_result load(rill_scene_report *report) {
    static const char text[] =
        "rill: 1\nbed:\n  grid: { cells: [100, 100], cell_size: 0.001 }\n  solids:\n"
        "    - { heightmap: scenes/models/bowl.npy }\n"
        "    - { heightmap: scenes/models/tissue.png, low: -0.02, high: 0 }\n"
        "    - { mesh: tests/data/step.obj, scale: 0.001, morph: [{ time: 0, mesh: tests/data/step.obj }],\n"
        "        move: [{ time: 0, visible: false }, { time: 0.005, translate: [0, 0, 0.001], visible: true }] }\n"
        "bodies: [{ shape: hull, mesh: tests/data/step.obj, scale: 0.0001, position: [0.05, 0.05, 0.02] },\n"
        "  { shape: sphere, radius: 0.002, position: [0.04, 0.05, 0.02], kinematic: true, move: [{ time: 0, rotate: "
        "[0, 0, 9] }] }]\n"
        "fill: [{ depth: scenes/models/bowl_depth.npy }, { at: [0.05, 0.05, 0.1], volume: 1e-6 }]\n"
        "sources: [{ at: [0.05, 0.05, 0.1], rate: 1e-6 }]\n"
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
    for (long n = 1; result != RILL_SCENE_OK; ++n) {
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

/* A mesh in the format, or its samples and the stage that they are joined to. */
static rill_result save(rill_mesh_format format, const char *path, const char *samples, rill_message *message) {
    static const float corners[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 }, zeros[9] = { 0 };
    static const uint32_t one[3] = { 0, 1, 2 };
    static const int32_t layers[3] = { 0, 0, 1 };
    const rill_mesh_part part = { "part", corners, zeros, zeros, zeros, zeros, zeros, layers, one, 3, 1 };
    if (format != RILL_MESH_USDA) return rill_mesh_export(path, format, "about", &part, 1, message);
    rill_writer writer;
    if (!rill_writer_append(&writer, samples, 0, message)) return RILL_OUT_OF_MEMORY;
    rill_usda_sample_liquid(&writer, 0, &part);
    uint64_t size = writer.size;
    assert_true(rill_writer_commit(&writer, message));
    const rill_usda_solid solid = { .part = part };
    const rill_usda_stage stage = { "about", 0.01, 0, 0, &solid, 1 };
    return rill_usda_join(path, samples, size, &stage, message);
}

static void meshes_are_written_or_not(void **state) {
    (void)state;
    char folder[] = "/tmp/rill_memory_XXXXXX", path[64], part[64], samples[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/mesh", folder);
    snprintf(part, sizeof part, "%s/mesh.part", folder);
    snprintf(samples, sizeof samples, "%s/samples", folder);
    for (int format = 0; format < RILL_MESH_FORMATS; ++format) {
        rill_result result = RILL_OUT_OF_MEMORY;
        for (long n = 1; result != RILL_OK; ++n) {
            rill_message message = { "" };
            calls = 0;
            fail_at = n;
            for_ever = false;
            result = save((rill_mesh_format)format, path, samples, &message);
            bool failed = calls >= n;
            fail_at = 0;
            assert_int_equal(result != RILL_OK, failed);
            assert_int_equal(message.text[0] != 0, failed);
            assert_int_equal(access(path, F_OK) != 0, failed);
            assert_int_equal(access(part, F_OK), -1);
            unlink(samples);
        }
        assert_true(calls >= 3); /* two names and the buffer */
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(complaints_are_counted_without_memory),
        cmocka_unit_test(meshes_are_written_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
