/* Controls in scenes: shapes by polygons, pictures and text, what they do, and what is refused. */
#include "worlds.h"

#include <math.h>
#include <unistd.h>

#include "scene/png_heights.h"
#include "scene/text_mask.h"
#include "scene_texts.h"

enum { NX = 60, NY = 48, CELLS = NX * NY };

/* Line 1 to 6; tests add their own lines behind. */
#define HEAD                                                                                                           \
    "rill: 1\n"                                                                                                        \
    "bed:\n"                                                                                                           \
    "  grid: { cells: [60, 48], cell_size: 0.001, origin: [0.1, 0.2, 0] }\n"                                           \
    "  solids: [ { name: tray, shape: box, min: [-1, -1, -0.01], max: [1, 1, 0] } ]\n"                                 \
    "fill: [ { at: [0.11, 0.21, 0], level: 0.0003 } ]\n"                                                               \
    "run: { frame: 0.01, until: 0.1 }\n"

#define EXPECT(text, ...) expect(text, (const char *const[]){ __VA_ARGS__, NULL })

static rill_world *make(const char *text) {
    rill_scene_report report;
    rill_scene *scene = parse(text, &report);
    rill_world *world = NULL;
    if (!scene) fail_msg("%s", report.items[0].text);
    if (rill_scene_create_world(scene, NULL, &world, &report) != RILL_SCENE_OK) fail_msg("%s", report.items[0].text);
    rill_scene_report_free(&report);
    rill_scene_free(scene);
    return world;
}

static void read_mask(const rill_world *world, int32_t index, uint8_t mask[CELLS]) {
    assert_int_equal(rill_control_read_mask(world, rill_world_control_at(world, index), mask, CELLS), RILL_OK);
}

/* ------------------------------------------------------------------------------------------------------------ shapes */

static void polygons_are_read(void **state) {
    (void)state;
    rill_world *world =
        make(HEAD "control:\n"
                  "  - { name: square, polygon: [[0.11, 0.21], [0.13, 0.21], [0.13, 0.23], [0.11, 0.23]], strength: 5, "
                  "until: 2 }\n"
                  "  - { polygons: [[[0.11, 0.21], [0.13, 0.21], [0.13, 0.23], [0.11, 0.23]],\n"
                  "                 [[0.115, 0.215], [0.125, 0.215], [0.125, 0.225], [0.115, 0.225]]],\n"
                  "      contact_angle: { inside: 15, outside: { advancing: 60, receding: 40 } }, from: 1 }\n");
    uint8_t whole[CELLS], hollow[CELLS];
    rill_control_def def;
    assert_int_equal(rill_world_control_count(world), 2);
    read_mask(world, 0, whole);
    read_mask(world, 1, hollow);
    for (int32_t i = 0; i < CELLS; ++i) {
        const int32_t x = i % NX, y = i / NX;
        const bool in = x >= 10 && x < 30 && y >= 10 && y < 30, hole = x >= 15 && x < 25 && y >= 15 && y < 25;
        assert_int_equal(whole[i], in);
        assert_int_equal(hollow[i], in && !hole);
    }
    must(world, rill_control_get_def(world, rill_control_find(world, "square"), &def));
    assert_true(def.strength == 5.0 && def.from == 0.0 && def.until == 2.0 && isnan(def.inside.advancing));
    must(world, rill_control_get_def(world, rill_control_find(world, "control 2"), &def));
    assert_true(def.strength == 10.0 && def.from == 1.0 && isinf(def.until));
    assert_true(def.inside.advancing == 15.0 && def.inside.receding == 15.0);
    assert_true(def.outside.advancing == 60.0 && def.outside.receding == 40.0);
    rill_world_destroy(world);
}

/* White is inside; row 0 of the file is north. */
static void pictures_are_read(void **state) {
    (void)state;
    const char *path = RILL_SOURCE_DIR "/scenes/models/tissue.png";
    char text[1024];
    double *heights;
    int32_t size[2];
    rill_message message;
    uint8_t mask[CELLS];
    assert_int_equal(rill_png_load(path, &heights, size, &message), RILL_OK);
    snprintf(text, sizeof text, HEAD "control:\n  - { image: %s }\n  - { image: %s, at: [0.11, 0.22], height: 0.02 }\n",
             path, path);
    rill_world *world = make(text);
    for (int32_t index = 0; index < 2; ++index) {
        read_mask(world, index, mask);
        const double west = index ? 0.01 : 0.0, south = index ? 0.02 : 0.0, tall = index ? 0.02 : NY * 0.001;
        const double wide = index ? tall * size[0] / size[1] : NX * 0.001;
        for (int32_t i = 0; i < CELLS; ++i) {
            const double x = ((i % NX + 0.5) * 0.001 - west) / wide * size[0];
            const double y = ((i / NX + 0.5) * 0.001 - south) / tall * size[1];
            if (fabs(x - round(x)) < 1e-6 || fabs(y - round(y)) < 1e-6) continue;
            const bool on = x >= 0 && y >= 0 && x < size[0] && y < size[1];
            assert_int_equal(mask[i], on && heights[(int32_t)y * size[0] + (int32_t)x] >= 0.5);
        }
    }
    rill_world_destroy(world);
    free(heights);
}

static bool draws_text(void) {
    rill_text_mask drawn = { 0 };
    rill_message message = { "" };
    const rill_result result = rill_text_draw("I", NULL, 64, &drawn, &message);
    free(drawn.ink);
    return result == RILL_OK;
}

/* Returns how many runs of cells of a row are in a shape. */
static int runs_in(const uint8_t *mask, int32_t row) {
    int runs = 0;
    for (int32_t x = 0; x < NX; ++x) runs += mask[row * NX + x] && (x == 0 || !mask[row * NX + x - 1]);
    return runs;
}

/* An H has two legs, which a bar joins; its ink fills the height, from its corner on. */
static void text_is_drawn(void **state) {
    (void)state;
    if (!draws_text()) {
        EXPECT(HEAD "control: [ { text: H, at: [0.11, 0.21], height: 0.02 } ]\n",
               "s.yaml:7:20: found text in a build without FreeType, expected 'polygon' or 'image'; on Debian: apt-get "
               "install libfreetype-dev, and build again");
        skip();
    }
    rill_world *world = make(HEAD "control: [ { text: H, at: [0.11, 0.21], height: 0.02 } ]\n");
    uint8_t mask[CELLS];
    read_mask(world, 0, mask);
    for (int32_t y = 0; y < NY; ++y) {
        const int runs = runs_in(mask, y);
        if (y < 10 || y >= 30) assert_int_equal(runs, 0);
        if (y == 11 || y == 15 || y == 25 || y == 28) assert_int_equal(runs, 2);
        if (y == 20) assert_int_equal(runs, 1);
    }
    for (int32_t i = 0; i < CELLS; ++i) assert_true(i % NX >= 10 || !mask[i]);
    assert_true(mask[15 * NX + 10]);
    rill_world_destroy(world);
}

/* ------------------------------------------------------------------------------------------------------------ gather */

/* Returns the share of the liquid that is in the first quarter of a tray after three seconds. */
static double share_after(const char *text) {
    rill_world *world = make(text);
    double inside, all;
    for (int i = 0; i < 300; ++i) must(world, rill_world_step(world, 0.01));
    must(world, rill_query_box_volume(world, (double[]){ 0.115, 0.212, -1 }, (double[]){ 0.145, 0.236, 1 }, &inside));
    must(world, rill_query_box_volume(world, (double[]){ 0, 0, -1 }, (double[]){ 1, 1, 1 }, &all));
    assert_int_equal(ledger_error(world), 0);
    rill_world_destroy(world);
    return inside / all;
}

static void liquid_gathers(void **state) {
    (void)state;
    const double with = share_after(
        HEAD "control: [ { polygon: [[0.115, 0.212], [0.145, 0.212], [0.145, 0.236], [0.115, 0.236]] } ]\n");
    const double without = share_after(HEAD);
    if (with < 0.8 || fabs(without - 0.25) > 0.01) fail_msg("%g with, %g without control", with, without);
}

/* -------------------------------------------------------------------------------------------------------- complaints */

static void mistakes_have_places(void **state) {
    (void)state;
    EXPECT(HEAD "control:\n  - { strength: -1 }\n  - 3\n  - { polygon: [[0, 0], [1, 0]] }\n",
           "s.yaml:8:5: found a control without a shape, expected the keys polygon, polygons, image or text",
           "s.yaml:8:17: found -1 for control.0.strength, expected a number from 0 to 10000 (m/s2)",
           "s.yaml:9:5: found 3 for control.1, expected a mapping: a control",
           "s.yaml:10:16: found a list of 2 for control.2.polygon, expected a list of at least 3 corners");
    EXPECT(HEAD "control:\n  - { polygon: [[0, 0], [1, 0], [a, 1]], height: 1, name: a }\n"
                "  - { name: a, polygons: [], from: 2, until: 2 }\n"
                "  - { image: no_such.png, contact_angle: { inside: 200, between: 3 } }\n"
                "  - { text: A, height: 1 }\n",
           "s.yaml:8:34: found the text 'a' for control.0.polygon.2.0, expected a number from -1e+06 to 1e+06 (m)",
           "s.yaml:8:42: found the unknown key 'height' in a control by a polygon, expected polygon, name, strength, "
           "contact_angle, from or until",
           "s.yaml:9:13: found the text 'a' for control.1.name, expected a name that no other has",
           "s.yaml:9:26: found a list of 0 for control.1.polygons, expected a list of at least 1 polygons",
           "s.yaml:9:46: found 2 for control.1.until, expected more than the 2 of 'from'",
           "s.yaml:10:14: no_such.png: found no readable file (No such file or directory), expected one",
           "s.yaml:10:52: found 200 for control.2.contact_angle.inside, expected a number from 0 to 180 (degrees)",
           "s.yaml:10:57: found the unknown key 'between' in the contact angles of a control, expected inside or "
           "outside",
           "s.yaml:11:5: found no key 'at' in a control by text, expected one");
}

/* Tells the place of a control whose shape only the world can judge. */
static void empty_shapes_are_refused(void **state) {
    (void)state;
    rill_scene_report report;
    rill_world *world = NULL;
    rill_scene *scene = parse(HEAD "control:\n  - { polygon: [[5, 5], [6, 5], [5, 6]] }\n", &report);
    assert_non_null(scene);
    assert_int_equal(rill_scene_create_world(scene, NULL, &world, &report), RILL_SCENE_WRONG);
    assert_non_null(strstr(report.items[0].text, "s.yaml:8:5"));
    assert_non_null(strstr(report.items[0].text, "no cell of the grid"));
    rill_scene_report_free(&report);
    rill_scene_free(scene);
}

static void bad_text_is_refused(void **state) {
    (void)state;
    if (!draws_text()) skip();
    EXPECT(HEAD "control: [ { text: \" \", at: [0, 0], height: 0.01 } ]\n",
           "s.yaml:7:20: found no ink in ' ', expected letters");
    EXPECT(HEAD "control: [ { text: \"\\U0010fffd\", at: [0, 0], height: 0.01 } ]\n",
           "s.yaml:7:20: found a character in '\xf4\x8f\xbf\xbd' that the font has not");
    EXPECT(HEAD "control: [ { text: A, at: [0, 0], height: 0.01, font: /dev/null } ]\n",
           "s.yaml:7:55: found no file /dev/null, expected that of a font");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polygons_are_read),    cmocka_unit_test(pictures_are_read),
        cmocka_unit_test(text_is_drawn),        cmocka_unit_test(liquid_gathers),
        cmocka_unit_test(mistakes_have_places), cmocka_unit_test(empty_shapes_are_refused),
        cmocka_unit_test(bad_text_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
