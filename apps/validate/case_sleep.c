/* Case 23: sleeping on versus off.
 *
 * Problem: the same scene with the rest rule and the skipping of idle tiles on and off. Exact solution: skipping alone
 * changes nothing; the rest rule stops what moves less than can be seen. Measured: difference of the volumes (in
 * quanta), the largest difference of the levels at any look over the largest depth, and the bits with skipping alone.
 *
 * Then: a pool that sleeps is disturbed by a drop at every column of a row in turn, so at every possible border of a
 * tile. Beside it runs a copy that never slept. Measured: by how many sub-steps the sleeper's columns move later. */
#include "cases.h"
#include "rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct sleep_scene {
    const char *name;
    double roughness, level; /* m */
    double viscosity;
    bool raining; /* for the first second */
    bool drowned; /* no banks from which films drain for ever: all of it must fall asleep */
    rill_pipe_area area;
    bool tension;
} sleep_scene;

/* --------------------------------------------------------------------------------------------------- on versus off */

static bool start(rill_rig *rig, rill_validation *validation, const sleep_scene *scene, bool rest, bool skip) {
    if (!rill_rig_begin(rig, validation, 64, 64, 1e-3)) return false;
    uint64_t seed = 23;
    for (size_t i = 0; i < rig->cells; ++i) rig->heights[i] = scene->roughness * rill_rig_random(&seed);
    rig->def.liquid.viscosity = scene->viscosity;
    rig->def.solver.rest = rest;
    rig->def.solver.skip_idle = skip;
    rig->def.solver.pipe_area = scene->area;
    rig->def.solver.tension = scene->tension ? RILL_TENSION_ON : RILL_TENSION_OFF;
    rig->def.solver.friction = 0; /* the mode's own */
    if (!rill_rig_build(rig)) return false;
    for (size_t i = 0; i < rig->cells; ++i) {
        bool west = (int32_t)(i % (size_t)rig->nx) < rig->nx / 2;
        double depth = (west ? 1.5 : 0.5) * scene->level - rig->base[i];
        rig->depth[i] = depth > 0 ? depth : 0;
    }
    rill_source_def rain = rill_default_source_def();
    rain.shape = RILL_SOURCE_RAIN;
    rain.rain = scene->raining ? 1000 : 0;
    rain.until = 1;
    rill_source_id id;
    return rill_rig_fill(rig) && rill_rig_expect(rig, rill_source_create(rig->world, &rain, &id), "rill_source_create");
}

static double level_difference(const rill_rig *a, const rill_rig *b) {
    double worst = 0;
    for (size_t i = 0; i < a->cells; ++i) {
        double difference = fabs(a->depth[i] - b->depth[i]);
        worst = difference > worst ? difference : worst;
    }
    return worst;
}

static int64_t volume_in_quanta(rill_rig *rig) {
    rill_ledger ledger = { 0 };
    rill_rig_expect(rig, rill_world_get_ledger(rig->world, &ledger), "rill_world_get_ledger");
    return ledger.columns;
}

/* Three runs of one scene: the rest rule and skipping on, both off, and the rest rule on with nothing skipped. */
enum { ASLEEP, AWAKE, SWEPT, RUNS };
typedef struct comparison {
    rill_rig rigs[RUNS];
    double levels[RUNS];  /* m, largest difference to the first run */
    double volumes[RUNS]; /* quanta */
    double depth;         /* m, largest */
} comparison;

static bool compare_now(comparison *c) {
    bool ok = true;
    for (int k = 0; k < RUNS; ++k) ok = ok && rill_rig_step(&c->rigs[k], 0.1) && rill_rig_look(&c->rigs[k]);
    for (int k = AWAKE; ok && k < RUNS; ++k) {
        double level = level_difference(&c->rigs[ASLEEP], &c->rigs[k]);
        double volume = (double)llabs(volume_in_quanta(&c->rigs[ASLEEP]) - volume_in_quanta(&c->rigs[k]));
        c->levels[k] = level > c->levels[k] ? level : c->levels[k];
        c->volumes[k] = volume > c->volumes[k] ? volume : c->volumes[k];
    }
    double depth = ok ? rill_rig_max_depth(&c->rigs[AWAKE]) : 0;
    c->depth = depth > c->depth ? depth : c->depth;
    return ok;
}

static void report(rill_validation *validation, const sleep_scene *scene, comparison *found, double duration) {
    static const char *const against[RUNS] = { "", "both off", "skipping off" };
    rill_rig *rig = &found->rigs[ASLEEP];
    for (int k = AWAKE; k < RUNS; ++k) {
        rill_check check = {
            .mode = rill_rig_mode(rig), .relation = RILL_ZERO, .value = found->volumes[k], .unit = "quanta"
        };
        rill_validation_add(validation, &check, "%s: volumes against %s", scene->name, against[k]);
        check = (rill_check){ .mode = rill_rig_mode(rig), .relation = RILL_AT_MOST, .target = 1e-3 };
        check.value = found->levels[k] / found->depth;
        rill_validation_add(validation, &check, "%s: levels against %s, over H", scene->name, against[k]);
    }
    rill_step_info info = { 0 };
    if (rill_rig_expect(rig, rill_world_get_step_info(rig->world, &info), "rill_world_get_step_info")) {
        rill_check check = { .mode = rill_rig_mode(rig), .target = 100, .unit = "%" };
        check.relation = scene->drowned ? RILL_AT_LEAST : RILL_NOTE;
        check.value = 100 - 100 * (double)info.awake_columns / (double)rig->cells;
        rill_validation_add(validation, &check, "%s: asleep after %g s", scene->name, duration);
    }
}

static void compare(rill_validation *validation, const sleep_scene *scene, double duration) {
    comparison found = { 0 };
    bool ok = start(&found.rigs[ASLEEP], validation, scene, true, true);
    ok = start(&found.rigs[AWAKE], validation, scene, false, false) && ok;
    ok = start(&found.rigs[SWEPT], validation, scene, true, false) && ok;
    for (double t = 0; ok && t < duration - 0.05; t += 0.1) ok = compare_now(&found);
    if (ok) report(validation, scene, &found, duration);
    for (int k = 0; k < RUNS; ++k) rill_rig_end(&found.rigs[k]);
}

/* -------------------------------------------------------------------------------------------------------- wake-up */

enum { POOL = 64, LATEST = 12 /* sub-steps watched */ };
static const double POOL_DEPTH = 5e-3; /* m */

/* Per column of the middle row: the step at which its depth first changed, LATEST + 1 when it has not. Tension is solved for
 * all that is awake at once, which hardly moves what is far away: with it the changes count that would be seen. */
static bool first_changes(rill_rig *rig, rill_world *world, double x, double y, int *changed) {
    double *before = rill_rig_numbers(rig, 2 * rig->cells), *now = before ? before + rig->cells : NULL;
    rill_source_def tap = rill_default_source_def();
    tap.at[0] = x, tap.at[1] = y, tap.at[2] = 0.01;
    tap.rate = 1e-6;
    rill_source_id id;
    bool ok = before && rill_source_create(world, &tap, &id) == RILL_OK &&
              rill_world_read_field(world, RILL_FIELD_DEPTH, 0, before, rig->cells) == RILL_OK;
    size_t row = rill_rig_cell(rig, 0, POOL / 2);
    const double least = rig->def.solver.tension == RILL_TENSION_ON ? 1e-3 * POOL_DEPTH : 0;
    for (int i = 0; i < POOL; ++i) changed[i] = LATEST + 1;
    for (int n = 1; ok && n <= LATEST; ++n) {
        ok = rill_world_step(world, 1e-3) == RILL_OK &&
             rill_world_read_field(world, RILL_FIELD_DEPTH, 0, now, rig->cells) == RILL_OK;
        for (int i = 0; ok && i < POOL; ++i)
            if (changed[i] > n && fabs(now[row + (size_t)i] - before[row + (size_t)i]) > least) changed[i] = n;
    }
    free(before);
    return ok;
}

/* Copies the sleeping pool twice, keeps one awake, and drops liquid on both. Returns the worst delay, or -1. */
static int worst_delay(rill_rig *rig, const void *snapshot, size_t size, double x) {
    int changed[2][POOL], worst = 0;
    for (int k = 0; k < 2; ++k) {
        rill_world *world = NULL;
        rill_message message;
        bool ok = rill_snapshot_load(snapshot, size, &rig->def.runtime, &world, &message) == RILL_OK;
        if (ok && k == 1) {
            rill_solver solver = rig->def.solver;
            solver.rest = solver.skip_idle = false;
            ok = rill_world_set_solver(world, &solver) == RILL_OK;
        }
        ok = ok && first_changes(rig, world, x, rill_rig_centre(rig, POOL / 2), changed[k]);
        rill_world_destroy(world);
        if (!ok) return -1;
    }
    for (int i = 0; i < POOL; ++i) {
        int delay = changed[0][i] - changed[1][i];
        worst = delay > worst ? delay : worst;
    }
    return worst;
}

static void wake(rill_validation *validation, bool tension) {
    rill_rig rig;
    bool ready = rill_rig_begin(&rig, validation, POOL, POOL, 1e-3);
    rig.def.solver.rest = true;
    rig.def.solver.tension = tension ? RILL_TENSION_ON : RILL_TENSION_OFF;
    rig.def.liquid.viscosity = 1e-6;
    rill_step_info info = { .awake_columns = -1 };
    if (ready && rill_rig_build(&rig)) {
        for (size_t i = 0; i < rig.cells; ++i) rig.depth[i] = POOL_DEPTH;
        if (rill_rig_fill(&rig) && rill_rig_run(&rig, 2, 0.1))
            rill_rig_expect(&rig, rill_world_get_step_info(rig.world, &info), "rill_world_get_step_info");
    }
    size_t size = rig.ok ? rill_snapshot_size(rig.world) : 0;
    void *snapshot = size ? malloc(size) : NULL;
    if (snapshot && rill_rig_expect(&rig, rill_snapshot_save(rig.world, snapshot, size, &size), "rill_snapshot_save")) {
        int worst = 0;
        for (int x = 0; x < POOL && worst >= 0; ++x) {
            int delay = worst_delay(&rig, snapshot, size, rill_rig_centre(&rig, x));
            worst = delay < 0 ? -1 : delay > worst ? delay : worst;
        }
        rill_check check = { .mode = "physical", .relation = RILL_ZERO, .value = (double)info.awake_columns };
        rill_validation_add(validation, &check, "pool at rest%s: columns awake", tension ? ", tension" : "");
        check = (rill_check){ .mode = "physical",
                              .relation = RILL_AT_MOST,
                              .value = worst < 0 ? (double)NAN : worst,
                              .target = 1,
                              .unit = "sub-steps" };
        rill_validation_add(validation, &check, "drop at each of %d columns%s: latest wake-up", POOL,
                            tension ? ", tension, by 1e-3 H" : "");
    } else if (rig.ok) {
        validation->out_of_memory = true;
        rill_validation_broken(validation, "out of memory for a snapshot");
    }
    free(snapshot);
    rill_rig_end(&rig);
}

void rill_case_sleep(rill_validation *validation) {
    const sleep_scene scenes[] = {
        { .name = "shallow pool, blood",
          .roughness = 1.5e-3,
          .level = 3e-3,
          .viscosity = 4e-6,
          .drowned = true,
          .area = RILL_PIPE_AREA_PHYSICAL },
        { .name = "islands and rain, blood",
          .roughness = 5e-3,
          .level = 4e-3,
          .viscosity = 4e-6,
          .raining = true,
          .area = RILL_PIPE_AREA_PHYSICAL },
        { .name = "puddles of oil",
          .roughness = 6e-3,
          .level = 4e-3,
          .viscosity = 9.2e-5,
          .area = RILL_PIPE_AREA_PHYSICAL },
        { .name = "rough pool, water",
          .roughness = 3e-3,
          .level = 6e-3,
          .viscosity = 1e-6,
          .drowned = true,
          .area = RILL_PIPE_AREA_PAPER },
        { .name = "pool, tension",
          .roughness = 1e-3,
          .level = 3e-3,
          .viscosity = 4e-6,
          .drowned = true,
          .area = RILL_PIPE_AREA_PHYSICAL,
          .tension = true },
        { .name = "islands and rain, tension",
          .roughness = 3e-3,
          .level = 4e-3,
          .viscosity = 4e-6,
          .raining = true,
          .area = RILL_PIPE_AREA_PHYSICAL,
          .tension = true },
    };
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i)
        compare(validation, &scenes[i], validation->quick ? 30 : 120);
    wake(validation, false);
    wake(validation, true);
}
