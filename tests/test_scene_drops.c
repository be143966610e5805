/* Drops that lie on the bed at the start: how much they are, how they look, and where they lie. */
#include "worlds.h"

#include <math.h>

#include "scene_texts.h"

enum { NX = 41, NY = 31, CELLS = NX * NY };
static const double PI = 3.14159265358979323846;

/* The middle of cell 20, 15 is at (10.25 mm, 7.75 mm). */
#define HEAD                                                                                                           \
    "rill: 1\n"                                                                                                        \
    "bed:\n"                                                                                                           \
    "  grid: { cells: [41, 31], cell_size: 0.0005 }\n"                                                                 \
    "  solids:\n"                                                                                                      \
    "    - { name: floor, shape: box, min: [-1, -1, -0.01], max: [1, 1, 0] }\n"                                        \
    "    - { name: desk, shape: box, min: [-1, -1, 0.01], max: [0.005, 1, 0.012] }\n"                                  \
    "liquid: { contact_angle: { advancing: 60, receding: 60 } }\n"                                                     \
    "run: { frame: 0.01, until: 0.1 }\n"

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

static double poured(const rill_world *world) {
    rill_ledger ledger;
    assert_int_equal(rill_world_get_ledger(world, &ledger), RILL_OK);
    assert_true(ledger.error == 0 && ledger.columns == ledger.poured);
    return (double)ledger.poured * ledger.quantum_volume;
}

static void read_depths(const rill_world *world, int32_t layer, double depths[CELLS]) {
    assert_int_equal(rill_world_read_field(world, RILL_FIELD_DEPTH, layer, depths, CELLS), RILL_OK);
}

/* 5 ul at 60 degrees: a rim of 1.86 mm, 1.07 mm high, which is below the 2.7 mm of puddles. */
static void small_drops_are_caps(void **state) {
    (void)state;
    rill_world *world = make(HEAD "fill: [ { at: [0.01025, 0.00775, 0.001], volume: 5e-9 } ]\n");
    double depths[CELLS], t = tan(PI / 6), radius = cbrt(6 * 5e-9 / (PI * t * (3 + t * t))), height = t * radius;
    read_depths(world, 0, depths);
    assert_true(fabs(poured(world) / 5e-9 - 1) < 1e-3);
    assert_true(fabs(depths[15 * NX + 20] / height - 1) < 0.03);
    for (int32_t y = 0; y < NY; ++y) {
        for (int32_t x = 0; x < NX; ++x) {
            const double away = hypot(x - 20, y - 15) * 0.0005, depth = depths[y * NX + x];
            if (away > radius + 0.00036) assert_true(!(depth > 0)); /* half a diagonal of a cell */
            if (away < radius - 0.00036) assert_true(depth > 0);
            if (x < 31 && x >= 10) assert_true(fabs(depth - depths[y * NX + 40 - x]) < 1e-7);
            assert_true(fabs(depth - depths[(30 - y) * NX + x]) < 1e-7);
        }
    }
    rill_world_destroy(world);
}

/* 400 ul would stand 4.6 mm high: puddles of water at 60 degrees do not. */
static void large_drops_are_as_high_as_puddles(void **state) {
    (void)state;
    rill_world *world = make(HEAD "fill: [ { at: [0.01025, 0.00775, 0.001], volume: 4e-7 } ]\n");
    double depths[CELLS], puddle = 2 * sqrt(0.0728 / (998 * 9.81)) * sin(PI / 6), highest = 0;
    read_depths(world, 0, depths);
    for (int32_t i = 0; i < CELLS; ++i) highest = fmax(highest, depths[i]);
    assert_true(fabs(poured(world) / 4e-7 - 1) < 1e-3);
    assert_true(highest > 0.97 * puddle && highest < 1.2 * puddle);
    rill_world_destroy(world);
}

/* Less than a cell holds, at its corner; and drops on liquid add to it. */
static void drops_add_up(void **state) {
    (void)state;
    rill_world *world = make(HEAD "fill:\n  - { at: [0.01025, 0.00775, 0.001], level: 0.001 }\n"
                                  "  - { at: [0.01001, 0.00751, 0.001], volume: 1e-11 }\n"
                                  "  - { at: [0.01001, 0.00751, 0.001], volume: 3e-9 }\n");
    rill_sample sample;
    const double at[3] = { 0.015, 0.012, 0.001 };
    assert_int_equal(rill_query_points(world, at, 1, &sample), RILL_OK);
    assert_true(fabs(sample.depth - 0.001) < 1e-6);
    assert_true(fabs(poured(world) / (CELLS * 2.5e-10 + 3.01e-9) - 1) < 1e-3);
    rill_world_destroy(world);
}

/* On a desk, half over its edge: all of it lies on the desk, and none on the floor below. */
static void drops_stay_on_their_floor(void **state) {
    (void)state;
    rill_world *world = make(HEAD "fill: [ { at: [0.0049, 0.00775, 0.013], volume: 1e-8 } ]\n");
    double below[CELLS], above[CELLS], sum = 0;
    read_depths(world, 0, below);
    read_depths(world, 1, above);
    for (int32_t i = 0; i < CELLS; ++i) {
        assert_true(below[i] == 0);
        sum += isnan(above[i]) ? 0 : above[i] * 2.5e-7;
    }
    assert_true(fabs(sum / 1e-8 - 1) < 1e-3);
    rill_world_destroy(world);
}

static void drops_nowhere_are_refused(void **state) {
    (void)state;
    rill_scene_report report;
    rill_scene *scene = parse(HEAD "fill:\n  - { at: [5, 0.007, 0.001], volume: 1e-8 }\n", &report);
    rill_world *world = NULL;
    assert_non_null(scene);
    assert_int_equal(rill_scene_create_world(scene, NULL, &world, &report), RILL_SCENE_WRONG);
    assert_null(world);
    assert_string_equal(report.items[0].text,
                        "s.yaml:10:5: found no column at (5, 0.007, 0.001) for a drop, expected a "
                        "place over a floor of the bed");
    rill_scene_report_free(&report);
    rill_scene_free(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_drops_are_caps),
        cmocka_unit_test(large_drops_are_as_high_as_puddles),
        cmocka_unit_test(drops_add_up),
        cmocka_unit_test(drops_stay_on_their_floor),
        cmocka_unit_test(drops_nowhere_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
