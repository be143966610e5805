/* Closed worlds are poured into for a second and then left alone: energy_judge.h says what must hold. Some are named:
 * what once was wrong in them. The others are random (closed_worlds.h).
 *
 * A random world follows from its number alone. `test_energy_worlds FIRST COUNT` runs others, or one that failed again;
 * with --verbose it says everything of each, with --scene it prints them as scenes instead (for `rill run`). */
#include "worlds.h"

#include "closed_worlds.h"
#include "energy_judge.h"
#include "scene_texts.h"

static unsigned long first_world, world_count;
static bool verbose;

static rill_world *world_of(const char *text) {
    rill_scene_report report;
    rill_scene *scene = parse(text, &report);
    rill_world *world = NULL;
    if (scene && rill_scene_create_world(scene, NULL, &world, &report) != RILL_SCENE_OK) world = NULL;
    if (!world) rill_scene_report_print(&report, stdout);
    rill_scene_report_free(&report);
    rill_scene_free(scene);
    return world;
}

/* The worst that was seen of anything, as parts of what is released, or of the bound. */
static struct {
    double rise, speed, rest;
    unsigned long bodies, aground, asleep;
} seen = { .rise = -INFINITY };

static void note_worst(const judge *j) {
    if (j->rise_time > 0.0) seen.rise = fmax(seen.rise, j->rise / j->released);
    seen.speed = fmax(seen.speed, j->speed / judge_speed_bound(j));
    if (!j->aground && j->rest.bound > 0.0) seen.rest = fmax(seen.rest, j->rest.speed / j->rest.bound);
    seen.bodies += j->world->bodies.list.count > 0;
    seen.aground += j->aground;
    seen.asleep += j->rest.awake == 0;
}

/* The number of broken bounds. */
static int judge_text(const char *name, const char *text, double poured, double most, uint32_t bounds,
                      const double clear[2]) {
    rill_world *world = world_of(text);
    if (!world) {
        printf("%s: no world\n", name);
        return 1;
    }
    judge j = judge_begin(world);
    if (clear) memcpy(j.clear, clear, sizeof j.clear);
    judge_run(&j, poured, most);
    const int broken = judge_tell(&j, name, bounds, verbose);
    note_worst(&j);
    judge_end(&j);
    rill_world_destroy(world);
    return broken;
}

/* ---------------------------------------------------------------------------------------------------- random worlds */

static int judge_number(unsigned long number) {
    static closed_world w;
    char name[32];
    snprintf(name, sizeof name, "world %lu", number);
    make_closed_world(&w, number);
    const double clear[2] = { w.clear * w.size[0], w.size[1] };
    return judge_text(name, w.text, w.poured, INFINITY, JUDGE_ALL, clear);
}

/* The first of them. */
static void some_worlds(void **state) {
    (void)state;
    int broken = 0;
    for (unsigned long i = 1; i <= (ALONE_PART > 1 ? 2 : 20); ++i) broken += judge_number(i);
    assert_int_equal(broken, 0);
}

static void many_worlds(void **state) {
    (void)state;
    unsigned long failed = 0;
    for (unsigned long i = 0; i < world_count; ++i) {
        failed += judge_number(first_world + i) > 0;
        fprintf(stderr, "\r%lu of %lu worlds, %lu broken ", i + 1, world_count, failed);
    }
    printf("\n%lu worlds, %lu with bodies (%lu of them until one ran aground), %lu asleep at the end\n", world_count,
           seen.bodies, seen.aground, seen.asleep);
    printf(
        "worst: energy %+.2e of what was released over 50 sub-steps, speed %.3f, speed at the end %.3f of its bound\n",
        seen.rise, seen.speed, seen.rest);
    if (failed > 0) fail_msg("%lu of %lu worlds broke a bound", failed, world_count);
}

static void print_scenes(void) {
    static closed_world w;
    for (unsigned long i = 0; i < world_count; ++i) {
        make_closed_world(&w, first_world + i);
        fputs(w.text, stdout);
    }
}

/* ----------------------------------------------------------------------------------------------------- named worlds */

/* A disc hovers in a shallow pool: a jet along its rim never ended, and grew. */
static const char *const hovering_disc =
    "rill: 1\n"
    "bed:\n"
    "  grid: { cells: [60, 60], cell_size: 0.0013 }\n"
    "  solids:\n"
    "    - { name: floor, shape: box, min: [0, 0, -0.01], max: [0.078, 0.078, 0] }\n"
    "    - { name: disc, shape: cylinder, from: [0.039, 0.039, 0.0007], to: [0.039, 0.039, 0.01], radius: 0.015 }\n"
    "fill: [ { at: [0.002, 0.002, 0.001], level: 0.0019 } ]\n"
    "sources: [ { name: tap, at: [0.01, 0.01, 0.01], radius: 0.004, rate: 1e-6, until: 1 } ]\n"
    "run: { frame: 0.0166667, until: 30 }\n";

/* One covered column, which the liquid went round. */
static const char *const covered_column =
    "rill: 1\n"
    "bed:\n"
    "  grid: { cells: [5, 5], cell_size: 0.0013 }\n"
    "  solids:\n"
    "    - { name: floor, shape: box, min: [-1, -1, -0.01], max: [1, 1, 0] }\n"
    "    - { name: plate, shape: box, min: [0.0026, 0.0026, 0.0007], max: [0.0039, 0.0039, 0.01] }\n"
    "fill: [ { at: [0.0001, 0.0001, 0.0001], level: 0.003 } ]\n"
    "sources: [ { name: tap, at: [0.0013, 0.0013, 0.02], radius: 0.0013, rate: 1e-7, until: 0.5 } ]\n"
    "run: { frame: 0.0166667, until: 30 }\n";

/* Rain has wetted a raft: what trickled off its deck kept it and the pond awake for ever. */
static const char *const wet_raft = "rill: 1\n"
                                    "bed:\n"
                                    "  grid: { cells: [16, 20], cell_size: 0.00137 }\n"
                                    "  headroom: 0.02\n"
                                    "  solids: [ { name: floor, shape: box, min: [-1, -1, -0.01], max: [1, 1, 0] } ]\n"
                                    "fill: [ { at: [0.001, 0.001, 0.0001], level: 0.00137 } ]\n"
                                    "sources: [ { name: rain, rain: 250, until: 1 } ]\n"
                                    "liquid: { viscosity: 3.2e-6 }\n"
                                    "bodies: [ { name: raft, shape: box, size: [0.0053, 0.0076, 0.00295], density: "
                                    "260, position: [0.011, 0.0137, 0.0022] } ]\n"
                                    "run: { frame: 0.0166667, until: 10 }\n";

/* A wall hovers 10 micrometres above the brink of a ledge: 8 m/s instead of 0.38. */
static const char *const hairline_slit =
    "rill: 1\n"
    "bed:\n"
    "  grid: { cells: [40, 20], cell_size: 0.0026 }\n"
    "  headroom: 0.1\n"
    "  min_opening: 0\n"
    "  solids:\n"
    "    - { name: floor, shape: box, min: [0, 0, -0.01], max: [0.104, 0.052, 0] }\n"
    "    - { name: ledge, shape: box, min: [0, 0, 0], max: [0.052, 0.052, 0.03] }\n"
    "    - { name: wall, shape: box, min: [0.052, 0, 0.03001], max: [0.06, 0.052, 0.06] }\n"
    "sources: [ { name: tap, at: [0.02, 0.026, 0.05], radius: 0.01, rate: 2e-5, until: 1 } ]\n"
    "solver: { max_substeps: 4000 }\n"
    "run: { frame: 0.0166667, until: 5 }\n";

/* A lintel in one dimension without viscosity: Bernoulli alone. The foot of the wall is put in. */
static const char *const channel_lintel =
    "rill: 1\n"
    "bed:\n"
    "  grid: { cells: [80, 2], cell_size: 0.0025 }\n"
    "  headroom: 0.1\n"
    "  min_opening: 0\n"
    "  solids:\n"
    "    - { name: floor, shape: box, min: [-1, -1, -0.05], max: [1, 1, -0.04] }\n"
    "    - { name: ledge, shape: box, min: [-1, -1, -0.04], max: [0.1, 1, 0] }\n"
    "    - { name: wall, shape: box, min: [0.1, -1, %g], max: [0.11, 1, 0.06] }\n"
    "sources: [ { name: tap, at: [0.04, 0.0025, 0.05], radius: 0.002, rate: 4e-6, until: 1 } ]\n"
    "liquid: { viscosity: 0 }\n"
    "solver: { max_substeps: 4000 }\n"
    "run: { frame: 0.005, until: 1.1 }\n";

static void hovering_discs(void **state) {
    (void)state;
    if (ALONE_PART == 1) assert_int_equal(judge_text("hovering disc", hovering_disc, 1, INFINITY, JUDGE_ALL, NULL), 0);
    assert_int_equal(judge_text("covered column", covered_column, 0.5, INFINITY, JUDGE_ALL, NULL), 0);
}

static void rafts(void **state) {
    (void)state;
    assert_int_equal(judge_text("wet raft", wet_raft, 1, 8, JUDGE_ALL, NULL), 0);
}

/* Bodies on films leapt out of them for ever. */
static void films(void **state) {
    (void)state;
    static const unsigned long numbers[] = { 94, 284, 502, 568, 616, 669, 800 };
    int broken = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i += ALONE_PART) broken += judge_number(numbers[i]);
    assert_int_equal(broken, 0);
}

static void slits(void **state) {
    (void)state;
    const double feet[] = { 1e-5, 5e-4, 4e-3 };
    int broken = judge_text("hairline slit", hairline_slit, 1, 0.5, JUDGE_ENERGY | JUDGE_SPEED, NULL);
    for (size_t i = 0; i < sizeof feet / sizeof feet[0]; ++i) {
        char text[1024], name[64];
        snprintf(text, sizeof text, channel_lintel, feet[i]);
        snprintf(name, sizeof name, "channel with a lintel %g mm high", 1e3 * feet[i]);
        broken += judge_text(name, text, 1, 0.1, JUDGE_SPEED, NULL);
    }
    assert_int_equal(broken, 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(some_worlds), cmocka_unit_test(hovering_discs),
                                        cmocka_unit_test(rafts), cmocka_unit_test(films), cmocka_unit_test(slits) };
    const struct CMUnitTest campaign[] = { cmocka_unit_test(many_worlds) };
    int numbers = 0;
    bool scenes = false;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--verbose") == 0)
            verbose = true;
        else if (strcmp(argv[i], "--scene") == 0)
            scenes = true;
        else if (numbers++ == 0)
            first_world = strtoul(argv[i], NULL, 10), world_count = 1;
        else
            world_count = strtoul(argv[i], NULL, 10);
    }
    if (scenes) return print_scenes(), 0;
    return numbers ? cmocka_run_group_tests(campaign, NULL, NULL) : cmocka_run_group_tests(tests, NULL, NULL);
}
