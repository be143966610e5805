/* Contact angles and tension in scene files: what is read, what is refused, and where complaints say it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scene/npy.h"
#include "scene/scene.h"
#include "test_folder.h"

/* Line 1 to 3; line 4 is that of a solid, what follows begins with line 5. */
#define SCENE(solid, more)                                                                                             \
    "rill: 1\nrun: { frame: 0.01, until: 0.1 }\n"                                                                      \
    "bed: { grid: { cells: [8, 6], cell_size: 0.001 }, solids: [\n"                                                    \
    "  { shape: box, min: [0, 0, -0.01], max: [1, 1, 0]" solid " } ] }\n" more

static rill_scene_result parse(const char *text, const char *const *sets, size_t set_count, rill_scene **scene,
                               rill_scene_report *report) {
    const rill_scene_options options = { .sets = sets, .set_count = set_count };
    *report = (rill_scene_report){ 0 };
    return rill_scene_parse(text, strlen(text), "s.yaml", &options, scene, report);
}

static rill_scene *read_with(const char *text, const char *const *sets, size_t set_count) {
    rill_scene *scene;
    rill_scene_report report;
    if (parse(text, sets, set_count, &scene, &report) != RILL_SCENE_OK) fail_msg("%s", report.items[0].text);
    return scene;
}

static rill_scene *read_good(const char *text) {
    return read_with(text, NULL, 0);
}

/* One complaint, and no other. */
static void must_complain(const char *text, const char *complaint) {
    rill_scene *scene;
    rill_scene_report report;
    assert_int_equal(parse(text, NULL, 0, &scene, &report), RILL_SCENE_WRONG);
    assert_string_equal(report.items[0].text, complaint);
    assert_int_equal(report.errors, 1);
    rill_scene_report_free(&report);
}

static void must_be(const rill_contact_angle *angle, double advancing, double receding) {
    if (angle->advancing != advancing || angle->receding != receding)
        fail_msg("found %g and %g, expected %g and %g", angle->advancing, angle->receding, advancing, receding);
}

static void angles_are_one_or_two(void **state) {
    (void)state;
    rill_scene *scene = read_good(SCENE("", ""));
    must_be(&scene->world.liquid.contact_angle, 45, 35);
    assert_true(scene->world.liquid.drying == 0);
    assert_true(scene->solids[0].def.contact_angle.advancing != scene->solids[0].def.contact_angle.advancing);
    assert_null(scene->solids[0].def.wettability);
    rill_scene_free(scene);
    scene = read_good(SCENE(", contact_angle: 100", "liquid: { preset: blood, contact_angle: 3, drying: 5 }\n"));
    must_be(&scene->world.liquid.contact_angle, 8, 0);
    must_be(&scene->solids[0].def.contact_angle, 105, 95);
    assert_true(scene->world.liquid.drying == 5);
    rill_scene_free(scene);
    scene = read_good(SCENE(", contact_angle: { receding: 30, advancing: 30 }",
                            "liquid: { contact_angle: { advancing: 60, receding: 40 } }\n"));
    must_be(&scene->world.liquid.contact_angle, 60, 40);
    must_be(&scene->solids[0].def.contact_angle, 30, 30);
    rill_scene_free(scene);
}

static void tension_is_on_off_or_auto(void **state) {
    (void)state;
    static const struct {
        const char *text;
        rill_tension tension;
        bool walls;
    } cases[] = {
        { SCENE("", ""), RILL_TENSION_AUTO, false },
        { SCENE("", "solver: { tension: true }\n"), RILL_TENSION_ON, false },
        { SCENE("", "solver: { tension: false, wall_tension: false }\n"), RILL_TENSION_OFF, false },
        { SCENE("", "solver: { tension: true, wall_tension: true }\n"), RILL_TENSION_ON, true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        rill_scene *scene = read_good(cases[i].text);
        assert_int_equal(scene->world.solver.tension, cases[i].tension);
        assert_int_equal(scene->world.solver.wall_tension, cases[i].walls);
        rill_scene_free(scene);
    }
}

static void falls_fly_or_do_not(void **state) {
    (void)state;
    static const struct {
        const char *text;
        rill_falls_mode falls;
    } cases[] = {
        { SCENE("", ""), RILL_FALLS_OFF },
        { SCENE("", "solver: { falls: flight }\n"), RILL_FALLS_FLIGHT },
        { SCENE("", "solver: { falls: off }\n"), RILL_FALLS_OFF },
        { SCENE("", "solver: { falls: false }\n"), RILL_FALLS_OFF },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        rill_scene *scene = read_good(cases[i].text);
        assert_int_equal(scene->world.solver.falls, cases[i].falls);
        rill_scene_free(scene);
    }
}

static void sets_reach_them(void **state) {
    (void)state;
    static const char *const sets[] = { "liquid.contact_angle.advancing=70", "solver.tension=true", "liquid.drying=2",
                                        "bed.solids.0.contact_angle={advancing: 90, receding: 10}",
                                        "solver.wall_tension=true" };
    rill_scene *scene = read_with(SCENE("", "liquid: { contact_angle: { advancing: 60, receding: 40 } }\n"), sets, 5);
    must_be(&scene->world.liquid.contact_angle, 70, 40);
    must_be(&scene->solids[0].def.contact_angle, 90, 10);
    assert_true(scene->world.solver.tension == RILL_TENSION_ON && scene->world.solver.wall_tension);
    assert_true(scene->world.liquid.drying == 2);
    rill_scene_free(scene);
    static const char *const one[] = { "liquid.contact_angle=20" };
    scene = read_with(SCENE("", "liquid: { contact_angle: { advancing: 60, receding: 40 } }\n"), one, 1);
    must_be(&scene->world.liquid.contact_angle, 25, 15);
    rill_scene_free(scene);
}

static void bad_ones_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *complaint;
    } cases[] = {
        { SCENE("", "liquid: { contact_angle: 181 }\n"),
          "s.yaml:5:26: found 181 for liquid.contact_angle, expected a number from 0 to 180 (degrees)" },
        { SCENE("", "liquid: { contact_angle: [60, 40] }\n"),
          "s.yaml:5:26: found a list of 2 for liquid.contact_angle, expected a number from 0 to 180 (degrees)" },
        { SCENE("", "liquid: { contact_angle: { advancing: 60 } }\n"),
          "s.yaml:5:26: found no key 'receding' in a contact angle, expected one" },
        { SCENE("", "liquid: { contact_angle: { advancing: 40, receding: 60 } }\n"),
          "s.yaml:5:53: found 60 for liquid.contact_angle.receding, expected at most the 40 of 'advancing'" },
        { SCENE(", contact_angle: { advancing: -1, receding: 0 }", ""),
          "s.yaml:4:81: found -1 for bed.solids.0.contact_angle.advancing, expected a number from 0 to 180 (degrees)" },
        { SCENE(", contact_angle: { advancing: 20, receding: 0, rolling: 1 }", ""),
          "s.yaml:4:98: found the unknown key 'rolling' in a contact angle, expected advancing or receding" },
        { SCENE("", "liquid: { drying: -1 }\n"),
          "s.yaml:5:19: found -1 for liquid.drying, expected a number from 0 to 1e+15 (s; 0: never)" },
        { SCENE("", "solver: { tension: auto }\n"),
          "s.yaml:5:20: found the text 'auto' for solver.tension, expected true or false" },
        { SCENE("", "solver: { wall_tension: 1 }\n"),
          "s.yaml:5:25: found 1 for solver.wall_tension, expected true or false" },
        { SCENE(", wettability: a.png", ""),
          "s.yaml:4:66: found the text 'a.png' for bed.solids.0.wettability, expected a mapping with the keys map, low "
          "or high" },
        { SCENE(", wettability: { low: 1, high: 2 }", ""),
          "s.yaml:4:66: found no key 'map' in wettability, expected one" },
        { SCENE(", wettability: { map: a.jpg }", ""),
          "s.yaml:4:73: found the text 'a.jpg' for bed.solids.0.wettability.map, expected the name of a .png or .npy "
          "file" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) must_complain(cases[i].text, cases[i].complaint);
}

/* ------------------------------------------------------------------------------------------------------------- maps */

static void maps_arrive(void **state) {
    (void)state;
    const char *path = in_folder("a.npy");
    char text[900], expected[600];
    const double angles[6] = { 0, 180, 90, 20, 30, 40 }, bad[2] = { 20, 180.5 };
    rill_message message;
    snprintf(text, sizeof text, SCENE(", name: pane, wettability: { map: %s }", ""), path);
    assert_int_equal(rill_npy_save(path, angles, (const size_t[]){ 2, 3 }, 2, &message), RILL_OK);
    rill_scene *scene = read_good(text);
    const rill_solid_def *def = &scene->solids[0].def;
    assert_true(def->wettability_size[0] == 3 && def->wettability_size[1] == 2);
    assert_memory_equal(def->wettability, angles, sizeof angles);
    rill_world *world;
    rill_scene_report report = { 0 };
    assert_int_equal(rill_scene_create_world(scene, NULL, &world, &report), RILL_SCENE_OK);
    rill_scene_free(scene);
    assert_int_equal(rill_world_step(world, 0.01), RILL_OK); /* the world has its own */
    rill_world_destroy(world);

    assert_int_equal(rill_npy_save(path, bad, (const size_t[]){ 1, 2 }, 2, &message), RILL_OK);
    snprintf(expected, sizeof expected,
             "s.yaml:4:85: %s: found the contact angle 180.5 at row 0, column 1, expected 0 to 180 degrees", path);
    must_complain(text, expected);
    assert_int_equal(rill_npy_save(path, bad, (const size_t[]){ 2 }, 1, &message), RILL_OK);
    snprintf(expected, sizeof expected,
             "s.yaml:4:85: %s: found an array of 1 axes, expected 2 (rows from south to north, columns), 1 to 32768 "
             "each",
             path);
    must_complain(text, expected);
    assert_int_equal(rill_npy_save(path, angles, (const size_t[]){ 2, 3 }, 2, &message), RILL_OK);
    snprintf(text, sizeof text, SCENE(", wettability: { low: 3, map: %s }", ""), path);
    must_complain(text, "s.yaml:4:73: found 3 for bed.solids.0.wettability.low, expected no 'low' and 'high' with an "
                        ".npy file: it holds degrees");
    remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(angles_are_one_or_two), cmocka_unit_test(tension_is_on_off_or_auto),
        cmocka_unit_test(falls_fly_or_do_not),   cmocka_unit_test(sets_reach_them),
        cmocka_unit_test(bad_ones_are_refused),  cmocka_unit_test(maps_arrive),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
