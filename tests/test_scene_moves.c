/* Keyframes of solids in scene files: what is read and refused, where a solid is at a time, what the world is told. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "scene_texts.h"

#define SCENE(solid)                                                                                                   \
    "rill: 1\n"                                                                                                        \
    "bed:\n"                                                                                                           \
    "  grid: { cells: [20, 10], cell_size: 0.001 }\n"                                                                  \
    "  solids:\n"                                                                                                      \
    "    - { name: floor, shape: box, min: [0, 0, -0.01], max: [1, 1, 0] }\n"                                          \
    "    - " solid "\n"                                                                                                \
    "run: { frame: 0.1, until: 1 }\n"
#define BOX "name: box, shape: box, min: [0.005, 0, 0], max: [0.01, 0.01, 0.004]"
#define BALL                                                                                                           \
    "{ name: ball, shape: sphere, centre: [0, 0, 0], radius: 0.003, translate: [0.01, 0, 0], rotate: [0, 9, 0], "

static rill_scene *parse_good(const char *text) {
    rill_scene_report report;
    rill_scene *scene = parse(text, &report);
    if (report.count > 0) fail_msg("unexpected: %s", report.items[0].text);
    return scene;
}

#define EXPECT(text, ...) expect(text, (const char *const[]){ __VA_ARGS__, NULL })

static void keys_are_checked(void **state) {
    (void)state;
    EXPECT(SCENE("{ " BOX ", move: [ { time: 1, visible: true }, { time: 1, visible: false } ] }"),
           "s.yaml:6:122: found 1 for bed.solids.1.move.1.time, expected more than the 1 s of the key before");
    EXPECT(
        SCENE("{ " BOX ", move: [ { time: 1 } ] }"),
        "s.yaml:6:86: found a mapping for bed.solids.1.move.0, expected a key with at least one of translate, rotate "
        "and visible");
    EXPECT(SCENE("{ " BOX ", move: [ { time: -1, translate: [0, 0], rotates: [0, 0, 0] } ] }"),
           "s.yaml:6:94: found -1 for bed.solids.1.move.0.time, expected a number from 0 to 1e+09 (s)",
           "s.yaml:6:109: found a list of 2 for bed.solids.1.move.0.translate, expected a list of 3 numbers",
           "s.yaml:6:117: found the unknown key 'rotates' in a key of a move, expected time, translate, rotate or "
           "visible, did you mean 'rotate'?");
    EXPECT(SCENE("{ " BOX ", move: [ { translate: [0, 0, 0] } ] }"),
           "s.yaml:6:86: found no key 'time' in a key of a move, expected one");
    EXPECT(SCENE("{ " BOX ", move: [] }"),
           "s.yaml:6:84: found a list of 0 for bed.solids.1.move, expected a list of at least 1 keys");
    EXPECT(SCENE("{ " BOX ", loop: true, ease: true }"),
           "s.yaml:6:84: found true for bed.solids.1.loop, expected no 'loop' in a solid without 'move' or 'morph'",
           "s.yaml:6:96: found true for bed.solids.1.ease, expected no 'ease' in a solid without 'move' or 'morph'");
    EXPECT(
        SCENE("{ " BOX ", loop: true, move: [ { time: 0, visible: false } ] }"),
        "s.yaml:6:84: found true for bed.solids.1.loop, expected keys after 0 s, of which the last one ends the loop");
    EXPECT(
        SCENE("{ " BOX ", morph: [ { time: 0, mesh: a.stl } ] }"),
        "s.yaml:6:78: found the unknown key 'morph' in a box, expected shape, min, max, name, material, contact_angle, "
        "wettability, scale, rotate, "
        "translate, move, loop or ease");
}

static void must_be_at(const rill_scene_solid *solid, double time, double x, double turn, bool visible) {
    rill_scene_pose pose = rill_scene_pose_at(solid, time);
    assert_true(fabs(pose.translate[0] - x) < 1e-15);
    assert_true(fabs(pose.rotate[1] - turn) < 1e-12);
    assert_int_equal(pose.visible, visible);
}

/* Each key says only what it changes; what it leaves out goes on between those that give it. */
static void poses_are_linear_between_keys(void **state) {
    (void)state;
    rill_scene *scene =
        parse_good(SCENE(BALL "move: [ { time: 1, translate: [0, 0, 0] }, { time: 2, visible: false },"
                              " { time: 3, translate: [0.004, 0, 0], rotate: [0, 40, 0], visible: true }, "
                              "{ time: 5, rotate: [0, 400, 0] } ] }"));
    const rill_scene_solid *ball = &scene->solids[1];
    assert_int_equal(ball->key_count, 4);
    must_be_at(ball, 0, 0, 40, true); /* before the first key of each: constant, not the solid's own */
    must_be_at(ball, 1, 0, 40, true);
    must_be_at(ball, 1.5, 0.001, 40, true);
    must_be_at(ball, 2, 0.002, 40, false);
    must_be_at(ball, 2.75, 0.0035, 40, false);
    must_be_at(ball, 3, 0.004, 40, true);
    must_be_at(ball, 3.5, 0.004, 130, true);
    must_be_at(ball, 99, 0.004, 400, true);
    rill_scene_free(scene);

    scene = parse_good(SCENE(BALL "move: [ { time: 1, visible: false } ] }"));
    must_be_at(&scene->solids[1], 0.5, 0.01, 9, true); /* what no key gives stays the solid's own */
    must_be_at(&scene->solids[1], 1.5, 0.01, 9, false);
    must_be_at(&scene->solids[0], 1.5, 0, 0, true);
    assert_true(rill_scene_moves(scene));
    rill_scene_free(scene);
}

static void loops_start_again_and_eased_stretches_are_smooth(void **state) {
    (void)state;
    rill_scene *scene =
        parse_good(SCENE(BALL "loop: true, ease: true, move: [ { time: 0, translate: [0, 0, 0] }, "
                              "{ time: 1, translate: [0.01, 0, 0] }, { time: 2, translate: [0, 0, 0] } ] }"));
    const rill_scene_solid *ball = &scene->solids[1];
    must_be_at(ball, 0.25, 0.0015625, 9, true); /* 3 s^2 - 2 s^3 */
    must_be_at(ball, 0.5, 0.005, 9, true);
    must_be_at(ball, 1, 0.01, 9, true);
    must_be_at(ball, 2, 0, 9, true);
    must_be_at(ball, 6.25, 0.0015625, 9, true);
    rill_scene_free(scene);
}

/* ------------------------------------------------------------------------------------------------------------ world */

static rill_world *make_world(const rill_scene *scene) {
    rill_world *world;
    rill_scene_report report = { 0 };
    rill_scene_result result = rill_scene_create_world(scene, NULL, &world, &report);
    if (result != RILL_SCENE_OK) fail_msg("%s", report.count ? report.items[0].text : "no world");
    rill_scene_report_free(&report);
    return world;
}

static double base_at(const rill_world *world, double x) {
    const double at[3] = { x, 0.0055, 1 };
    rill_sample sample;
    assert_int_equal(rill_query_points(world, at, 1, &sample), RILL_OK);
    assert_true(sample.found);
    return sample.base;
}

static void step_to(const rill_scene *scene, rill_world *world, int frames) {
    for (int i = 0; i < frames; ++i) {
        rill_status status;
        assert_int_equal(rill_scene_step(scene, world, scene->frame, &status), RILL_OK);
    }
}

/* The box stands at 5 to 10 mm, is hidden until 0.2 s and goes east by 1 mm in 0.1 s from 0.3 s on. */
static void frames_end_where_the_keys_say(void **state) {
    (void)state;
    rill_scene *scene =
        parse_good(SCENE("{ " BOX ", move: [ { time: 0, visible: false }, { time: 0.2, visible: true }, "
                         "{ time: 0.3, translate: [0, 0, 0] }, { time: 0.8, translate: [0.005, 0, 0] } ] }"));
    rill_world *world = make_world(scene);
    assert_true(fabs(base_at(world, 0.0075)) < 1e-6);
    step_to(scene, world, 1);
    assert_true(fabs(base_at(world, 0.0075)) < 1e-6);
    step_to(scene, world, 1);
    assert_true(fabs(base_at(world, 0.0055) - 0.004) < 1e-6);
    step_to(scene, world, 2); /* 0.4 s: one cell further */
    assert_true(fabs(base_at(world, 0.0055)) < 1e-6);
    assert_true(fabs(base_at(world, 0.0065) - 0.004) < 1e-6);
    assert_true(fabs(base_at(world, 0.0105) - 0.004) < 1e-6);
    step_to(scene, world, 6);
    assert_true(fabs(base_at(world, 0.0095)) < 1e-6);
    assert_true(fabs(base_at(world, 0.0145) - 0.004) < 1e-6);
    rill_world_destroy(world);
    rill_scene_free(scene);
}

/* ------------------------------------------------------------------------------------------------------------ morph */

typedef struct fixture {
    char folder[64];
} fixture;

/* A wedge from 5 to 15 mm whose top is at `height` mm; `extra` adds a triangle. */
static void write_wedge(const fixture *f, const char *name, double height, bool extra) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 8; ++i)
        fprintf(file, "v %g %g %g\n", i & 1 ? 15.0 : 5.0, i & 2 ? 20.0 : -10.0, i & 4 ? height : -1.0);
    fputs("f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n", file);
    if (extra) fputs("v 0 0 9\nf 5 6 9\n", file);
    assert_int_equal(fclose(file), 0);
}

static int make_folder(void **state) {
    fixture *f = calloc(1, sizeof *f);
    strcpy(f->folder, "/tmp/rill_moves_XXXXXX");
    if (!mkdtemp(f->folder)) return -1;
    write_wedge(f, "low.obj", 1, false);
    write_wedge(f, "high.obj", 5, false);
    write_wedge(f, "other.obj", 5, true);
    *state = f;
    return 0;
}

static int remove_folder(void **state) {
    static const char *const names[] = { "low.obj", "high.obj", "other.obj" };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", f->folder, names[i]);
        unlink(path);
    }
    rmdir(f->folder);
    free(f);
    return 0;
}

static rill_scene *parse_in(const fixture *f, const char *text, rill_scene_report *report) {
    char path[128];
    rill_scene *scene;
    *report = (rill_scene_report){ 0 };
    snprintf(path, sizeof path, "%s/s.yaml", f->folder);
    rill_scene_parse(text, strlen(text), path, NULL, &scene, report);
    return scene;
}

static void meshes_change_between_their_shapes(void **state) {
    rill_scene_report report;
    rill_scene *scene = parse_in(*state,
                                 SCENE("{ mesh: low.obj, scale: 0.001, morph: [ { time: 0.2, mesh: low.obj }, "
                                       "{ time: 0.6, mesh: high.obj } ] }"),
                                 &report);
    assert_non_null(scene);
    rill_world *world = make_world(scene);
    assert_true(fabs(base_at(world, 0.0105) - 0.001) < 1e-6);
    step_to(scene, world, 3);
    assert_true(fabs(base_at(world, 0.0105) - 0.002) < 1e-6);
    step_to(scene, world, 1);
    assert_true(fabs(base_at(world, 0.0105) - 0.003) < 1e-6);
    step_to(scene, world, 6);
    assert_true(fabs(base_at(world, 0.0105) - 0.005) < 1e-6);
    assert_true(fabs(base_at(world, 0.0025)) < 1e-6);
    rill_world_destroy(world);
    rill_scene_free(scene);
}

static void shapes_that_do_not_fit_are_refused(void **state) {
    rill_scene_report report;
    assert_null(parse_in(*state, SCENE("{ mesh: low.obj, morph: [ { time: 0, mesh: other.obj } ] }"), &report));
    assert_int_equal(report.count, 1);
    assert_non_null(
        strstr(report.items[0].text,
               "s.yaml:6:50: found the text 'other.obj' for bed.solids.1.morph.0.mesh, expected a mesh with "
               "the same triangles as the solid's own (8 vertices, 12 triangles), but it has 9 and 13"));
    rill_scene_report_free(&report);
    assert_null(
        parse_in(*state, SCENE("{ mesh: low.obj, morph: [ { time: 0, mesh: none.obj }, { time: 1 } ] }"), &report));
    assert_int_equal(report.count, 2);
    assert_non_null(strstr(report.items[0].text, "none.obj: found no readable file"));
    assert_non_null(strstr(report.items[1].text, "s.yaml:6:62: found no key 'mesh' in a key of a morph, expected one"));
    rill_scene_report_free(&report);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_checked),
        cmocka_unit_test(poses_are_linear_between_keys),
        cmocka_unit_test(loops_start_again_and_eased_stretches_are_smooth),
        cmocka_unit_test(frames_end_where_the_keys_say),
        cmocka_unit_test(meshes_change_between_their_shapes),
        cmocka_unit_test(shapes_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
