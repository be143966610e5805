/* Scene files: what is read, what is refused, and that every complaint names the right place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scene/scene.h"

/* Line 1 to 7; tests add their own lines behind. */
#define HEAD                                                                                                           \
    "rill: 1\n"                                                                                                        \
    "bed:\n"                                                                                                           \
    "  grid: { cells: [8, 6], cell_size: 0.001 }\n"                                                                    \
    "  solids:\n"                                                                                                      \
    "    - { name: floor, shape: box, min: [0, 0, -0.01], max: [1, 1, 0] }\n"                                          \
    "run: { frame: 0.01, until: 0.1 }\n"

static rill_scene_result parse(const char *text, const rill_scene_options *options, rill_scene **scene,
                               rill_scene_report *report) {
    *report = (rill_scene_report){ 0 };
    return rill_scene_parse(text, strlen(text), "s.yaml", options, scene, report);
}

/* The whole report must be these lines, in this order. */
static void expect_report(const char *text, const rill_scene_options *options, const char *const *lines) {
    rill_scene *scene;
    rill_scene_report report;
    rill_scene_result result = parse(text, options, &scene, &report);
    size_t i = 0;
    for (; lines[i]; ++i) {
        if (i >= report.count) fail_msg("missing: %s", lines[i]);
        assert_string_equal(report.items[i].text, lines[i]);
    }
    if (i < report.count) fail_msg("unexpected: %s", report.items[i].text);
    assert_int_equal(report.errors, i);
    assert_int_equal(result, i ? RILL_SCENE_WRONG : RILL_SCENE_OK);
    assert_true((scene == NULL) == (i > 0));
    rill_scene_report_free(&report);
    rill_scene_free(scene);
}
#define EXPECT(text, ...) expect_report(text, NULL, (const char *const[]){ __VA_ARGS__, NULL })
#define EXPECT_GOOD(text) expect_report(text, NULL, (const char *const[]){ NULL })

/* ------------------------------------------------------------------------------------------------------- complaints */

static void keys_are_checked(void **state) {
    (void)state;
    EXPECT_GOOD(HEAD);
    EXPECT(HEAD "liquids: {}\n",
           "s.yaml:7:1: found the unknown key 'liquids' in a scene, expected rill, name, bed, gravity, liquid, solver, "
           "bodies, fill, sources, sinks, control, probes, run or view, did you mean 'liquid'?");
    EXPECT(HEAD "liquid: { viscosity: 0,\n          viscosity: 1 }\n",
           "s.yaml:8:11: found the key 'viscosity' again, expected it once");
    EXPECT("rill: 1\nrun: { until: 1 }\nbed:\n  solids: []\n",
           "s.yaml:2:6: found no key 'frame' in the run, expected one",
           "s.yaml:4:3: found no key 'grid' in the bed, expected one",
           "s.yaml:4:11: found a list of 0 for bed.solids, expected a list of at least 1 solids");
    EXPECT("[]",
           "s.yaml:1:1: found a list of 0 for the scene, expected a mapping with the keys rill, name, bed, gravity, "
           "liquid, solver, bodies, fill, sources, sinks, control, probes, run or view");
    EXPECT("{}", "s.yaml:1:1: found no key 'rill' in a scene, expected one",
           "s.yaml:1:1: found no key 'bed' in a scene, expected one",
           "s.yaml:1:1: found no key 'run' in a scene, expected one");
}

static void values_are_checked(void **state) {
    (void)state;
    EXPECT(HEAD "gravity: 9.81\n", "s.yaml:7:10: found 9.81 for gravity, expected a list of 3 numbers");
    EXPECT(HEAD "gravity: [0, 0]\n", "s.yaml:7:10: found a list of 2 for gravity, expected a list of 3 numbers");
    EXPECT(HEAD "gravity: [0, down, .inf]\n",
           "s.yaml:7:14: found the text 'down' for gravity.1, expected a number from -10000 to 10000 (m/s2)",
           "s.yaml:7:20: found .inf for gravity.2, expected a number from -10000 to 10000 (m/s2)");
    EXPECT(HEAD "liquid: { viscosity: '1e-6', density: 1e999, contact_angle: }\n",
           "s.yaml:7:22: found the text '1e-6' for liquid.viscosity, expected a number from 0 to 1e+06 (m2/s)",
           "s.yaml:7:39: found 1e999 for liquid.density, expected a number from 0.001 to 1e+06 (kg/m3)",
           "s.yaml:7:61: found nothing for liquid.contact_angle, expected a number from 0 to 180 (degrees)");
    EXPECT(HEAD "liquid: { preset: bloood }\n",
           "s.yaml:7:19: found the text 'bloood' for liquid.preset, expected water, blood, coffee, milk, paint, olive "
           "oil, glycerol, honey, wine, apple juice, milk tea, ink or saline, did you mean 'blood'?");
    EXPECT(HEAD "name: 12\nsolver: { rest: yes }\n", "s.yaml:7:7: found 12 for name, expected a text (in quotes)",
           "s.yaml:8:17: found the text 'yes' for solver.rest, expected true or false");
    EXPECT(HEAD "name: ' x'\n",
           "s.yaml:7:7: found the text ' x' for name, expected a name of 1 to 63 characters, without "
           "control characters and blanks at its ends");
    EXPECT(HEAD "solver: { max_substeps: 6.5 }\n",
           "s.yaml:7:25: found 6.5 for solver.max_substeps, expected a whole number from 1 to 1000000");
    EXPECT(HEAD "solver: { friction: 0 }\n",
           "s.yaml:7:21: found 0 for solver.friction, expected a number above 0 and up to "
           "1 (fraction of speed kept per second)");
}

static void later_versions_are_refused(void **state) {
    (void)state;
    EXPECT("rill: 2\nbed:\n  grid: { cells: [8, 6], cell_size: 0.001 }\n  solids: [{ shape: plane, point: [0, 0, 0], "
           "normal: "
           "[0, 0, 1] }]\nrun: { frame: 1, until: 1 }\n",
           "s.yaml:1:7: found 2 for rill, expected 1");
}

static void passages_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        rill_passages passages;
        double orifice;
    } cases[] = { { HEAD "solver: { method: pipes }\n", RILL_PASSAGES_ANY, 0.61 },
                  { HEAD "solver: { passages: any, orifice: 1 }\n", RILL_PASSAGES_ANY, 1.0 },
                  { HEAD "solver: { passages: straight, orifice: 0 }\n", RILL_PASSAGES_STRAIGHT, 0.0 },
                  { HEAD "solver: { passages: off }\n", RILL_PASSAGES_OFF, 0.61 },
                  { HEAD "solver: { passages: false }\n", RILL_PASSAGES_OFF, 0.61 },
                  { HEAD "solver: { passages: \"off\" }\n", RILL_PASSAGES_OFF, 0.61 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        rill_scene *scene;
        rill_scene_report report;
        assert_int_equal(parse(cases[i].text, NULL, &scene, &report), RILL_SCENE_OK);
        assert_int_equal(scene->world.solver.passages, cases[i].passages);
        assert_true(scene->world.solver.orifice == cases[i].orifice);
        rill_scene_free(scene);
    }
    EXPECT(HEAD "solver: { passages: on }\n",
           "s.yaml:7:21: found the text 'on' for solver.passages, expected any, straight or off");
    EXPECT(
        HEAD "solver: { orifice: 1.2 }\n",
        "s.yaml:7:20: found 1.2 for solver.orifice, expected a number from 0 to 1 (discharge coefficient; 0: no loss)");
}

static void kandemir_is_read(void **state) {
    (void)state;
    rill_scene *scene;
    rill_scene_report report;
    const char *text =
        HEAD "solver: { method: kandemir, kandemir: { pipe_length: 0.1, pipe_area: 0.02, time_step: 0.003, "
             "vanishing: 0.4, viscosity: 0.005, atmosphere: 6e4 } }\n";
    assert_int_equal(parse(text, NULL, &scene, &report), RILL_SCENE_OK);
    const rill_kandemir *k = &scene->world.solver.kandemir;
    assert_int_equal(scene->world.solver.method, RILL_METHOD_KANDEMIR);
    assert_true(k->pipe_length == 0.1 && k->pipe_area == 0.02 && k->time_step == 0.003);
    assert_true(k->vanishing == 0.4 && k->viscosity == 0.005 && k->atmosphere == 6e4);
    rill_scene_free(scene);
    EXPECT(HEAD "solver: { kandemir: { vanishing: 0 } }\n",
           "s.yaml:7:34: found 0 for solver.kandemir.vanishing, expected a number above 0 and up to 1 (part of a flow "
           "that "
           "is left after a second)");
}

static void waves_are_read(void **state) {
    (void)state;
    rill_scene *scene;
    rill_scene_report report;
    const char *text = HEAD "solver: { method: waves, waves: { theta: 0.6, time_step: 0.003, iterations: 12, "
                            "tolerance: 0.01 } }\n";
    assert_int_equal(parse(text, NULL, &scene, &report), RILL_SCENE_OK);
    const rill_waves *w = &scene->world.solver.waves;
    assert_int_equal(scene->world.solver.method, RILL_METHOD_WAVES);
    assert_true(w->theta == 0.6 && w->time_step == 0.003 && w->iterations == 12 && w->tolerance == 0.01);
    rill_scene_free(scene);
    EXPECT(
        HEAD "solver: { waves: { theta: 0.4 } }\n",
        "s.yaml:7:27: found 0.4 for solver.waves.theta, expected a number from 0.5 to 1 (share of a sub-step's end in "
        "what drives it)");
}

static void papers_are_read(void **state) {
    (void)state;
    rill_scene *scene;
    rill_scene_report report;
    const char *text = HEAD "solver: { papers: wang, wang: { viscosity: 0.5, friction: 0.001, time_step: 0.003, "
                            "iterations: 12, tolerance: 0.01, tension: complete, preconditioner: factored, "
                            "front: neumann, angular: false } }\n";
    assert_int_equal(parse(text, NULL, &scene, &report), RILL_SCENE_OK);
    const rill_wang *w = &scene->world.solver.wang;
    assert_int_equal(scene->world.solver.papers, RILL_PAPERS_WANG);
    assert_true(w->viscosity == 0.5 && w->friction == 0.001 && w->time_step == 0.003 && w->iterations == 12 &&
                w->tolerance == 0.01);
    assert_true(w->tension == RILL_WANG_COMPLETE && w->preconditioner == RILL_WANG_FACTORED);
    assert_true(w->front == RILL_WANG_NEUMANN && !w->angular);
    rill_scene_free(scene);
    EXPECT(HEAD "solver: { wang: { viscosity: 2 } }\n",
           "s.yaml:7:30: found 2 for solver.wang.viscosity, expected a number from 0 to 1 (tau of Eq. 7)");
}

#define TANK(method, force)                                                                                            \
    "rill: 1\nrun: { frame: 1, until: 1 }\nbed:\n  grid: { cells: [4, 2], cell_size: 0.01 }\n  solids:\n"              \
    "    - { shape: plane, point: [0, 0, 0], normal: [0, 0, 1] }\n"                                                    \
    "solver: { method: " method ", kandemir: { external_force: " force " } }\n"

/* Six newtons on the two columns in the east, of 1 cm2 each: 30 kPa. */
static void external_force_presses(void **state) {
    (void)state;
    rill_scene *scene;
    rill_scene_report report;
    rill_world *world;
    double pressures[8];
    const char *text = TANK("kandemir", "{ min: [0.031, 0], max: [0.039, 1], force: 6 }");
    assert_int_equal(parse(text, NULL, &scene, &report), RILL_SCENE_OK);
    assert_int_equal(rill_scene_create_world(scene, NULL, &world, &report), RILL_SCENE_OK);
    assert_int_equal(rill_world_read_field(world, RILL_FIELD_PRESSURE, 0, pressures, 8), RILL_OK);
    for (int i = 0; i < 8; ++i) {
        double expected = i % 4 == 3 ? 131325 : 101325;
        assert_true(pressures[i] > expected - 0.1 && pressures[i] < expected + 0.1);
    }
    rill_world_destroy(world);
    rill_scene_free(scene);
    EXPECT(TANK("kandemir", "{ min: [0, 0], force: 6 }"),
           "s.yaml:7:57: found no key 'max' in an external force, expected one");
    const char *const refused[1][2] = {
        { TANK("kandemir", "{ min: [0.031, 0], max: [0.032, 1], force: 6 }"), "found no column between" },
    };
    for (int i = 0; i < 1; ++i) {
        assert_int_equal(parse(refused[i][0], NULL, &scene, &report), RILL_SCENE_OK);
        assert_int_equal(rill_scene_create_world(scene, NULL, &world, &report), RILL_SCENE_WRONG);
        assert_non_null(strstr(report.items[0].text, refused[i][1]));
        rill_scene_report_free(&report);
        rill_scene_free(scene);
    }
}

#define SOLID(text)                                                                                                    \
    "rill: 1\nrun: { frame: 1, until: 1 }\nbed:\n  grid: { cells: [8, 6], cell_size: 0.001 }\n  solids:\n    - " text  \
    "\n"

static void solids_are_checked(void **state) {
    (void)state;
    EXPECT_GOOD(SOLID("{ shape: plane, point: [0, 0, 0], normal: [0, 0.1, 1], rotate: [0, 10, 0] }"));
    EXPECT_GOOD(SOLID("{ shape: torus, centre: [0, 0, 0], radius: 0.1, tube: 0.05, scale: 2 }"));
    EXPECT(
        SOLID("{ shape: bax, min: [0, 0, 0] }"),
        "s.yaml:6:16: found the text 'bax' for bed.solids.0.shape, expected box, sphere, cylinder, torus or plane, did "
        "you mean 'box'?");
    EXPECT(SOLID("{ shape: box, min: [0, 0, 0], max: [1, 0, 1], radius: 1 }"),
           "s.yaml:6:46: found 0 for bed.solids.0.max.1, expected more than the 0 of min",
           "s.yaml:6:53: found the unknown key 'radius' in a box, expected shape, min, max, name, material, "
           "contact_angle, "
           "wettability, scale, "
           "rotate, translate, move, loop or ease");
    EXPECT(SOLID("{ shape: cylinder, from: [0, 0, 0], to: [0, 0, 0], raduis: 1 }"),
           "s.yaml:6:7: found no key 'radius' in a cylinder, expected one",
           "s.yaml:6:47: found a list of 3 for bed.solids.0.to, expected another place than that of 'from'",
           "s.yaml:6:58: found the unknown key 'raduis' in a cylinder, expected shape, from, to, radius, name, "
           "material, contact_angle, wettability, scale, "
           "rotate, translate, move, loop or ease, did you mean 'radius'?");
    EXPECT(
        SOLID("{ shape: plane, point: [0, 0, 0], normal: [0, 0, 0] }"),
        "s.yaml:6:49: found a list of 3 for bed.solids.0.normal, expected a direction: three numbers that are not all "
        "0");
    EXPECT(
        SOLID("{ name: a, shape: sphere, mesh: b.stl }"),
        "s.yaml:6:39: found the text 'b.stl' for bed.solids.0.mesh, expected only one of shape, mesh and heightmap in "
        "a solid");
    EXPECT(SOLID("{ name: a }"), "s.yaml:6:7: found a solid without shape, mesh and heightmap, expected one");
    EXPECT(SOLID("{ mehs: a.stl }"), "s.yaml:6:7: found a solid without shape, mesh and heightmap, expected one",
           "s.yaml:6:9: found the key 'mehs', did you mean 'mesh'?");
    EXPECT(SOLID("{ heightmap: a.jpg }"),
           "s.yaml:6:20: found the text 'a.jpg' for bed.solids.0.heightmap, expected the name of a .png or .npy file");
    EXPECT(SOLID("{ heightmap: no_such.png, low: 1, high: 1 }"),
           "s.yaml:6:20: no_such.png: found no readable file (No such file or directory), expected one",
           "s.yaml:6:47: found 1 for bed.solids.0.high, expected more than the 1 of 'low'");
    EXPECT(
        SOLID("{ heightmap: no_such.npy, low: 1 }"),
        "s.yaml:6:20: no_such.npy: found no readable file (No such file or directory), expected one",
        "s.yaml:6:38: found 1 for bed.solids.0.low, expected no 'low' and 'high' with an .npy file: it holds metres");
    EXPECT(SOLID("{ mesh: no/such.stl, scale: 0 }"),
           "s.yaml:6:15: no/such.stl: found no readable file (No such file or directory), expected one",
           "s.yaml:6:35: found 0 for bed.solids.0.scale, expected a number above 0 and up to 1e+06");
}

static void edges_and_grid_are_checked(void **state) {
    (void)state;
    EXPECT_GOOD(
        SOLID("{ shape: sphere, centre: [0, 0, 0], radius: 1 }\n  edges: { west: open, north: { still: 0.1 } }"));
    EXPECT(
        SOLID("{ shape: sphere, centre: [0, 0, 0], radius: 1 }\n  edges: { west: opne, east: [], south: { stil: 1 } }"),
        "s.yaml:7:18: found the text 'opne' for bed.edges.west, expected wall, open or { still: level }, did you mean "
        "'open'?",
        "s.yaml:7:30: found a list of 0 for bed.edges.east, expected wall, open or { still: level }",
        "s.yaml:7:41: found no key 'still' in an edge, expected one",
        "s.yaml:7:43: found the unknown key 'stil' in an edge, expected still, did you mean 'still'?");
    EXPECT("rill: 1\nrun: { frame: 1, until: 1 }\nbed:\n  grid: { cells: [32768, 32768], cell_size: 1e-9 }\n  solids:\n"
           "    - { shape: sphere, centre: [0, 0, 0], radius: 1 }\n",
           "s.yaml:4:18: found a list of 2 for bed.grid.cells, expected at most 268435456 cells in all",
           "s.yaml:4:45: found 1e-9 for bed.grid.cell_size, expected a number from 1e-06 to 10000 (m)");
}

static void liquid_in_and_out_is_checked(void **state) {
    (void)state;
    EXPECT_GOOD(HEAD "sources:\n  - { at: [0, 0, 0], rate: 1 }\n  - { min: [0, 0, 0], max: [1, 1, 1], rate: 1 }\n"
                     "  - { rain: 20 }\nsinks: [{ at: [0, 0, 0], radius: 1, rate: 0, from: 1, until: 2 }]\n");
    EXPECT(HEAD "sources:\n  - { radius: 1 }\nsinks:\n  - { rain: 3 }\n",
           "s.yaml:8:5: found a source without a place, expected the keys at, or min and max, or rain",
           "s.yaml:10:5: found a sink without a place, expected the key at, or min and max",
           "s.yaml:10:7: found the unknown key 'rain' in a sink, expected name, at, radius, min, max, rate, from or "
           "until");
    EXPECT(HEAD
           "sources:\n  - { name: a, at: [0, 0, 0], rate: -1, from: 3, until: 3 }\n  - { name: a, rain: 1, rate: 1 }\n"
           "  - { name: north, min: [0, 0, 0], rate: 1 }\n",
           "s.yaml:8:37: found -1 for sources.0.rate, expected a number from 0 to 1e+06 (m3/s)",
           "s.yaml:8:57: found 3 for sources.0.until, expected more than the 3 of 'from'",
           "s.yaml:9:13: found the text 'a' for sources.1.name, expected a name that no other has",
           "s.yaml:9:25: found the unknown key 'rate' in rain, expected rain, name, from or until",
           "s.yaml:10:5: found no key 'max' in a box source, expected one",
           "s.yaml:10:13: found the text 'north' for sources.2.name, expected a name that is not reserved");
    EXPECT(
        HEAD "fill: [{ at: [0, 0, 0] }, { depth: no_such.npy, layer: -1 }]\n",
        "s.yaml:7:8: found no key 'level' in a fill by level (one by depth has the key 'depth', one by volume the key "
        "'volume'), expected one",
        "s.yaml:7:36: no_such.npy: found no readable file (No such file or directory), expected one",
        "s.yaml:7:56: found -1 for fill.1.layer, expected a whole number from 0 to 65535");
    EXPECT(HEAD "fill: [{ volume: 0, level: 1 }]\n", "s.yaml:7:8: found no key 'at' in a fill by volume, expected one",
           "s.yaml:7:18: found 0 for fill.0.volume, expected a number above 0 and up to 1e+06 (m3)",
           "s.yaml:7:21: found the unknown key 'level' in a fill by volume, expected at or volume");
}

static void probes_run_and_view_are_checked(void **state) {
    (void)state;
    EXPECT(HEAD
           "probes:\n  - { name: time, measure: level, at: [0, 0, 0] }\n  - { name: 'a,b', measure: volume, at: [0, 0, "
           "0] }\n  - { name: x, measure: levle }\n",
           "s.yaml:8:13: found the text 'time' for probes.0.name, expected a name that is not reserved",
           "s.yaml:9:5: found no key 'min' in a probe of volume, expected one",
           "s.yaml:9:5: found no key 'max' in a probe of volume, expected one",
           "s.yaml:9:13: found the text 'a,b' for probes.1.name, expected a name without commas and quotes: it is the "
           "head "
           "of a column in log.csv",
           "s.yaml:9:37: found the unknown key 'at' in a probe of volume, expected name, measure, min or max",
           "s.yaml:10:25: found the text 'levle' for probes.2.measure, expected level, depth, speed, volume, x, y or "
           "z, did you "
           "mean 'level'?");
    EXPECT(HEAD "view: { camera: { from: [0, 0, 1], to: [0, 0, 1], lens: 0 } }\n",
           "s.yaml:7:40: found a list of 3 for view.camera.to, expected another place than that of 'from'",
           "s.yaml:7:57: found 0 for view.camera.lens, expected a number above 0 and up to 10000 (mm)");
    EXPECT("rill: 1\nrun: { frame: 1e-9, until: 1e9 }\nbed:\n  grid: { cells: [8, 6], cell_size: 0.001 }\n  solids:\n"
           "    - { shape: sphere, centre: [0, 0, 0], radius: 1 }\n",
           "s.yaml:2:28: found 1e9 for run.until, expected at most 1000000000 frames");
}

static void yaml_is_kept_simple(void **state) {
    (void)state;
    EXPECT(HEAD "liquid: &l { viscosity: 0 }\n",
           "s.yaml:7:9: found the anchor '&l', expected plain values (scenes have no anchors)");
    EXPECT("a: &x [1, 1]\nb: &y [*x, *x]\n",
           "s.yaml:1:4: found the anchor '&x', expected plain values (scenes have no anchors)",
           "s.yaml:2:4: found the anchor '&y', expected plain values (scenes have no anchors)",
           "s.yaml:2:8: found the alias '*x', expected the value itself (scenes have no aliases)");
    EXPECT(HEAD "name: !!str x\n",
           "s.yaml:7:7: found the tag 'tag:yaml.org,2002:str', expected plain values (scenes have no tags)");
    EXPECT(HEAD "---\na: 1\n", "s.yaml:7:1: found a second document, expected one");
    EXPECT("[a]: 1\n", "s.yaml:1:1: found a list as a key, expected a word");
    EXPECT("name: \"a\\0b\"\n", "s.yaml:1:7: found a zero byte in a text, expected characters");
    EXPECT("# only a comment\n", "s.yaml:1:1: found an empty file, expected a scene");
    EXPECT("name: x\nbed: [1,\nrun: }\n",
           "s.yaml:3:6: found no valid YAML: did not find expected node content while parsing a flow node");
    EXPECT("name: x\nbed: \xff\n", "s.yaml:2:6: found no valid YAML: invalid leading UTF-8 octet");
    EXPECT("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "s.yaml:1:33: found nesting deeper than 32 levels");
    EXPECT_GOOD(
        "{ \"rill\": 1, \"bed\": { \"grid\": { \"cells\": [8, 6], \"cell_size\": 1e-3 }, \"solids\": [ { \"shape\": "
        "\"plane\", \"point\": [0, 0, 0], \"normal\": [0, 0, 1] } ] }, \"run\": { \"frame\": 0.01, \"until\": 1 } }");
}

static void too_many_errors_are_counted(void **state) {
    (void)state;
    char text[8192] = HEAD "probes:\n";
    for (int i = 0; i < 60; ++i) strcat(text, "  - 1\n");
    rill_scene *scene;
    rill_scene_report report;
    assert_int_equal(parse(text, NULL, &scene, &report), RILL_SCENE_WRONG);
    assert_int_equal(report.count, RILL_SCENE_MAX_ERRORS);
    assert_int_equal(report.dropped, 10);
    assert_int_equal(report.errors, 60);
    char *printed = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&printed, &size);
    rill_scene_report_print(&report, file);
    fclose(file);
    assert_non_null(strstr(printed, "\n... and 10 more\n"));
    free(printed);
    rill_scene_report_free(&report);
}

/* ---------------------------------------------------------------------------------------------------------- content */

static const char full[] =
    "rill: 1                      # format version\n"
    "name: four passages\n"
    "bed:\n"
    "  grid: { cells: [100, 80], cell_size: 0.001, origin: [0, 0.5, -1] }\n"
    "  headroom: 0.07\n"
    "  min_opening: 0.0002\n"
    "  solids:\n"
    "    - { name: floor, shape: box, min: [0, 0, -0.01], max: [0.1, 0.1, 0] }\n"
    "    - { name: pillar, shape: cylinder, from: [0.03, 0.03, 0], to: [0.03, 0.03, 0.02], radius: 0.004 }\n"
    "    - { name: ball, shape: sphere, centre: [0.06, 0.03, 0.004], radius: 0.004 }\n"
    "    - { name: ring, shape: torus, centre: [0.07, 0.07, 0.003], axis: [0, 1, 1], radius: 0.01, tube: 0.003 }\n"
    "    - { shape: box, min: [0, 0, 0], max: [1, 1, 1], scale: 0.001, rotate: [0, 0, 90], translate: [0.05, 0.06, "
    "0.07] }\n"
    "  edges: { west: wall, east: open, south: wall, north: { still: 0.004 } }\n"
    "gravity: [1, 0, -9.81]\n"
    "liquid: { preset: blood, viscosity: 5e-6 }\n"
    "solver: { method: pipes, pipe_area: paper, advection: false, passages: off, friction: 0.25, rest: false, "
    "max_substeps: 9 "
    "}\n"
    "fill:\n"
    "  - { at: [0.02, 0.02, 0.001], level: 0.006 }\n"
    "sources: [ { name: wound, at: [0.05, 0.05, 0.02], radius: 0.002, rate: 5e-6, from: 1, until: 3 }, { name: rain, "
    "rain: 20 } ]\n"
    "sinks:   [ { at: [0.09, 0.05, 0], rate: 1e-6 } ]\n"
    "probes:  [ { name: well, measure: level, at: [0.02, 0.02, 0] }, { name: v, measure: volume, min: [0, 0, 0], max: "
    "[1, 2, 3] } ]\n"
    "run: { frame: 0.0166667, until: 3 }\n"
    "view: { camera: { from: [0.2, -0.1, 0.15], to: [0.05, 0.05, 0] } }\n";

static void everything_arrives(void **state) {
    (void)state;
    rill_scene *scene;
    rill_scene_report report;
    rill_scene_result result = parse(full, NULL, &scene, &report);
    rill_scene_report_print(&report, stderr);
    assert_int_equal(result, RILL_SCENE_OK);
    const rill_world_def *w = &scene->world;
    assert_string_equal(scene->name, "four passages");
    assert_true(w->grid.cells[0] == 100 && w->grid.cells[1] == 80 && w->grid.cell_size == 0.001);
    assert_true(w->grid.origin[1] == 0.5 && w->grid.origin[2] == -1);
    assert_true(w->headroom == 0.07 && w->min_opening == 0.0002 && w->gravity[0] == 1 && w->gravity[2] == -9.81);
    assert_true(w->edges[RILL_WEST].kind == RILL_EDGE_WALL && w->edges[RILL_EAST].kind == RILL_EDGE_OPEN);
    assert_true(w->edges[RILL_NORTH].kind == RILL_EDGE_STILL && w->edges[RILL_NORTH].level == 0.004);
    rill_liquid blood;
    assert_true(rill_liquid_preset("blood", &blood));
    assert_true(w->liquid.density == blood.density && w->liquid.viscosity == 5e-6);
    assert_true(w->solver.pipe_area == RILL_PIPE_AREA_PAPER && !w->solver.advection && !w->solver.rest);
    assert_true(w->solver.friction == 0.25 && w->solver.max_substeps == 9);
    assert_int_equal(scene->solid_count, 5);
    assert_int_equal(scene->solids[1].def.shape.type, RILL_SHAPE_CYLINDER);
    assert_true(scene->solids[1].def.shape.to[2] == 0.02 && scene->solids[1].def.shape.radius == 0.004);
    assert_true(scene->solids[3].def.shape.axis[1] == 1 && scene->solids[3].def.shape.tube == 0.003);
    assert_string_equal(scene->solids[4].def.name, "solid 5");
    assert_true(scene->solids[4].def.scale == 0.001 && scene->solids[4].def.rotate[2] == 90);
    assert_true(scene->solids[4].def.translate[1] == 0.06 && scene->solids[4].place.line == 12);
    assert_true(scene->fill_count == 1 && scene->fills[0].level == 0.006 && !scene->fills[0].depths);
    assert_int_equal(scene->source_count, 3);
    assert_true(scene->sources[0].def.shape == RILL_SOURCE_DISC && scene->sources[0].def.until == 3);
    assert_true(scene->sources[1].def.shape == RILL_SOURCE_RAIN && scene->sources[1].def.rain == 20);
    assert_true(scene->sources[2].def.shape == RILL_SOURCE_POINT && scene->sources[2].def.sink);
    assert_string_equal(scene->sources[2].def.name, "sink 1");
    assert_true(scene->probe_count == 2 && scene->probes[1].max[2] == 3);
    assert_true(scene->frame == 0.0166667 && scene->until == 3);
    assert_true(scene->camera.given && scene->camera.lens == 35 && scene->camera.from[1] == -0.1);
    rill_scene_free(scene);
}

static void set_replaces_and_adds(void **state) {
    (void)state;
    static const char *const sets[] = { "liquid.viscosity=1e-5",      "sources.0.rate=2e-6",
                                        "run={frame: 0.5, until: 7}", "sinks.1={at: [0, 0, 0], rate: 1}",
                                        "bed.grid.cells.1=33",        "solver.passages=off" };
    const rill_scene_options options = { .sets = sets, .set_count = sizeof sets / sizeof sets[0] };
    rill_scene *scene;
    rill_scene_report report;
    assert_int_equal(parse(full, &options, &scene, &report), RILL_SCENE_OK);
    assert_true(scene->world.liquid.viscosity == 1e-5 && scene->sources[0].def.rate == 2e-6);
    assert_true(scene->until == 7 && scene->source_count == 4 && scene->world.grid.cells[1] == 33);
    rill_scene_free(scene);

    static const char *const fresh[] = { "liquid.preset=honey", "name='a b'" };
    const rill_scene_options two = { .sets = fresh, .set_count = 2 };
    assert_int_equal(parse(HEAD, &two, &scene, &report), RILL_SCENE_OK);
    assert_true(scene->world.liquid.viscosity == 7e-3);
    assert_string_equal(scene->name, "a b");
    rill_scene_free(scene);
}

static void bad_sets_name_the_option(void **state) {
    (void)state;
    static const struct {
        const char *set, *complaint;
    } cases[] = {
        { "liquid.viscosity=-1",
          "--set liquid.viscosity=-1: found -1 for liquid.viscosity, expected a number from 0 to 1e+06 (m2/s)" },
        { "liquid.viscosty=1",
          "--set liquid.viscosty=1: found the unknown key 'viscosty' in the liquid, expected preset, "
          "density, viscosity, surface_tension, contact_angle or drying, did you mean 'viscosity'?" },
        { "viscosity", "--set viscosity: found no path=value, expected something like liquid.viscosity=1e-5" },
        { "=1", "--set =1: found no path=value, expected something like liquid.viscosity=1e-5" },
        { "run.frame=", "--set run.frame=: found no value after '=', expected one" },
        { "run..frame=1",
          "--set run..frame=1: found an empty name in the path, expected words with dots between them, such "
          "as liquid.viscosity" },
        { "sources.2.rate=1",
          "--set sources.2.rate=1: found a source without a place, expected the keys at, or min and max, "
          "or rain" },
        { "sources.3.rate=1",
          "--set sources.3.rate=1: found '3' after sources, expected the number of an item, 0 to 2" },
        { "sources.x=1", "--set sources.x=1: found 'x' after sources, expected the number of an item, 0 to 2" },
        { "run.frame.x=1", "--set run.frame.x=1: found 'x' after run.frame, which is a value and has no parts" },
        { "run={a",
          "--set run={a: found no valid YAML: did not find expected ',' or '}' while parsing a flow mapping" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const rill_scene_options options = { .sets = &cases[i].set, .set_count = 1 };
        rill_scene *scene;
        rill_scene_report report;
        assert_int_equal(parse(full, &options, &scene, &report), RILL_SCENE_WRONG);
        assert_true(report.count >= 1);
        assert_string_equal(report.items[0].text, cases[i].complaint);
        rill_scene_report_free(&report);
    }
}

/* Hostile input must be answered, never crashed on: every beginning of a scene, and every byte of it replaced. */
static void damaged_scenes_are_survived(void **state) {
    (void)state;
    const rill_scene_options options = { .no_files = true };
    static const char bytes[] = "\0\n:{[*&!'\"\xff,-# ";
    char copy[sizeof full];
    size_t refused = 0, tried = 0;
    for (size_t i = 0; i < sizeof full; ++i) {
        for (size_t b = 0; b < sizeof bytes; ++b) {
            rill_scene *scene;
            rill_scene_report report = { 0 };
            memcpy(copy, full, sizeof full);
            copy[i] = bytes[b];
            size_t size = b ? sizeof full - 1 : i;
            refused += rill_scene_parse(copy, size, "s.yaml", &options, &scene, &report) != RILL_SCENE_OK;
            assert_true((scene == NULL) == (report.errors > 0));
            ++tried;
            rill_scene_report_free(&report);
            rill_scene_free(scene);
        }
    }
    assert_true(refused > tried / 3 && refused < tried);
}

/* ----------------------------------------------------------------------------------------------------------- frames */

static void frames_end_at_the_end(void **state) {
    (void)state;
    static const struct {
        double frame, until;
        int64_t count;
    } cases[] = { { 0.1, 0.3, 3 },    { 0.1, 0.7, 7 }, { 0.0166667, 3, 180 },
                  { 0.003, 3, 1000 }, { 1, 2.5, 3 },   { 0.01585935, 1.903122, 120 },
                  { 0.2, 0.6, 3 },    { 5, 1, 1 },     { 0.1, 0, 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        double frame = cases[i].frame, until = cases[i].until, sum = 0;
        int64_t count = rill_scene_frame_count(frame, until);
        assert_int_equal(count, cases[i].count);
        assert_true(rill_scene_frame_time(frame, until, 0) == 0);
        assert_true(rill_scene_frame_time(frame, until, count) == until);
        for (int64_t k = 1; k <= count; ++k) {
            double length = rill_scene_frame_length(frame, until, k);
            assert_true(length > 0 && (k == count || length == frame));
            assert_true(k == count || rill_scene_frame_time(frame, until, k) == (double)k * frame);
            sum += length;
        }
        assert_true(sum > until - 1e-9 && sum < until + 1e-9);
    }
}

/* ------------------------------------------------------------------------------------------------------------ world */

/* Loads text, creates its world, and leaves all that was complained of in `report`. */
static rill_world *create(const char *text, rill_scene **scene, rill_scene_report *report) {
    rill_world *world = NULL;
    assert_int_equal(parse(text, NULL, scene, report), RILL_SCENE_OK);
    rill_scene_result result = rill_scene_create_world(*scene, NULL, &world, report);
    assert_true((world == NULL) == (report->errors > 0));
    assert_int_equal(result, world ? RILL_SCENE_OK : RILL_SCENE_WRONG);
    return world;
}

static void worlds_are_filled_and_probed(void **state) {
    (void)state;
    rill_scene *scene;
    rill_scene_report report;
    rill_world *world = create(HEAD "fill: [{ at: [0.004, 0.003, 0.001], level: 0.002 }]\n"
                                    "sources: [{ name: tap, at: [0.004, 0.003, 0.001], rate: 1e-9 }]\n"
                                    "probes:\n"
                                    "  - { name: level, measure: level, at: [0.004, 0.003, 0] }\n"
                                    "  - { name: depth, measure: depth, at: [0.004, 0.003, 0] }\n"
                                    "  - { name: speed, measure: speed, at: [0.004, 0.003, 0] }\n"
                                    "  - { name: all, measure: volume, min: [0, 0, 0], max: [1, 1, 1] }\n",
                               &scene, &report);
    assert_non_null(world);
    assert_int_equal(report.count, 0);
    rill_bed_info info;
    assert_int_equal(rill_bed_get_info(world, &info), RILL_OK);
    assert_true(info.columns == 48 && info.layers == 1);
    double quantum = info.quantum;
    assert_true(rill_scene_probe_value(&scene->probes[0], world) > 0.002 - quantum);
    assert_true(rill_scene_probe_value(&scene->probes[0], world) < 0.002 + quantum);
    assert_true(rill_scene_probe_value(&scene->probes[1], world) > 0.002 - quantum);
    assert_true(rill_scene_probe_value(&scene->probes[2], world) == 0);
    double volume = rill_scene_probe_value(&scene->probes[3], world);
    assert_true(volume > 48e-6 * (0.002 - quantum) && volume < 48e-6 * (0.002 + quantum));
    rill_ledger ledger;
    assert_int_equal(rill_world_get_ledger(world, &ledger), RILL_OK);
    assert_true(ledger.poured == ledger.columns && ledger.error == 0);
    assert_true(rill_source_find(world, "tap").value != 0 && rill_solid_find(world, "floor").value != 0);
    rill_scene_free(scene); /* the world needs it no more */
    assert_int_equal(rill_world_step(world, 0.01), RILL_OK);
    rill_world_destroy(world);
}

/* Without bed.headroom what is filled must fit, with it the rest is cut, with a note. */
static void headroom_follows_the_fill(void **state) {
    (void)state;
    rill_scene *scene;
    rill_scene_report report;
    rill_world *world = create(HEAD "fill: [{ at: [0.004, 0.003, 0.001], level: 0.4 }]\n"
                                    "probes: [{ name: d, measure: depth, at: [0.004, 0.003, 0] }]\n",
                               &scene, &report);
    assert_non_null(world);
    assert_int_equal(report.count, 0);
    double depth = rill_scene_probe_value(&scene->probes[0], world);
    assert_true(depth > 0.4 - 1e-6 && depth < 0.4 + 1e-6);
    rill_bed_info info;
    assert_int_equal(rill_bed_get_info(world, &info), RILL_OK);
    assert_true(info.highest >= 0.6 && info.highest < 1.3);
    rill_world_destroy(world);
    rill_scene_free(scene);

    const char *const sets[] = { "bed.headroom=0.1" };
    const rill_scene_options options = { .sets = sets, .set_count = 1 };
    assert_int_equal(parse(HEAD "fill: [{ at: [0.004, 0.003, 0.001], level: 0.4 }]\n", &options, &scene, &report),
                     RILL_SCENE_OK);
    assert_int_equal(rill_scene_create_world(scene, NULL, &world, &report), RILL_SCENE_OK);
    assert_int_equal(report.count, 1);
    assert_true(report.items[0].note && report.errors == 0);
    assert_string_equal(report.items[0].text,
                        "s.yaml:7:8: note: 48 of 48 filled columns were cut to full (ceiling or headroom)");
    rill_scene_report_free(&report);
    rill_world_destroy(world);
    rill_scene_free(scene);
}

/* Mistakes that only the bed can tell are reported with its place too, all at once. */
static void places_outside_are_reported(void **state) {
    (void)state;
    rill_scene *scene;
    rill_scene_report report;
    rill_world *world = create(HEAD "fill:\n  - { at: [5, 5, 0], level: 0.002 }\n"
                                    "sources:\n  - { at: [6, 6, 0], rate: 1 }\n"
                                    "probes:\n  - { name: p, measure: level, at: [7, 7, 0] }\n",
                               &scene, &report);
    assert_null(world);
    assert_int_equal(report.errors, 3);
    assert_true(report.items[0].line == 8 && report.items[0].column == 5);
    assert_true(report.items[1].line == 10 && report.items[1].column == 5);
    assert_string_equal(report.items[2].text,
                        "s.yaml:12:5: found no column at (7, 7, 0) for the probe 'p', expected a place "
                        "over a floor of the bed");
    rill_scene_report_free(&report);
    rill_scene_free(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_checked),
        cmocka_unit_test(values_are_checked),
        cmocka_unit_test(later_versions_are_refused),
        cmocka_unit_test(passages_are_read),
        cmocka_unit_test(kandemir_is_read),
        cmocka_unit_test(waves_are_read),
        cmocka_unit_test(papers_are_read),
        cmocka_unit_test(external_force_presses),
        cmocka_unit_test(solids_are_checked),
        cmocka_unit_test(edges_and_grid_are_checked),
        cmocka_unit_test(liquid_in_and_out_is_checked),
        cmocka_unit_test(probes_run_and_view_are_checked),
        cmocka_unit_test(yaml_is_kept_simple),
        cmocka_unit_test(too_many_errors_are_counted),
        cmocka_unit_test(everything_arrives),
        cmocka_unit_test(set_replaces_and_adds),
        cmocka_unit_test(bad_sets_name_the_option),
        cmocka_unit_test(damaged_scenes_are_survived),
        cmocka_unit_test(frames_end_at_the_end),
        cmocka_unit_test(worlds_are_filled_and_probed),
        cmocka_unit_test(headroom_follows_the_fill),
        cmocka_unit_test(places_outside_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
