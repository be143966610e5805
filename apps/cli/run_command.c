/* rill run: simulates a scene, frame by frame, and writes what happened. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli.h"
#include "results.h"

typedef struct run_options {
    rill_text_list sets;
    rill_machine machine;
    double until, every; /* below 0: not given */
    const char *folder;
    bool fields;
} run_options;

typedef struct scene_run {
    const rill_scene *scene;
    rill_world *world;
    rill_physics *physics;
    rill_results results;
    rill_progress progress;
    rill_warnings warnings;
    double until, time;
    int64_t substeps, frames;
    bool written; /* arrays of the present time are on disk */
    bool stopped; /* by the user */
} scene_run;

/* ----------------------------------------------------------------------------------------------------------- frames */

/* Arrays at t = 0, whenever another --every has passed (each frame without it), and at the end. */
static bool write_arrays(scene_run *r, const run_options *options, bool last) {
    bool wanted = last || rill_scene_frame_due(r->scene->frame, r->until, options->every, r->frames);
    if (!options->fields || !wanted || r->written) return true;
    r->written = true;
    return rill_results_arrays(&r->results, r->time);
}

static int step(scene_run *run, int64_t k) {
    rill_step_info info;
    rill_status status;
    double length = rill_scene_frame_length(run->scene->frame, run->until, k);
    rill_result result = rill_physics_step(run->physics, length, &status);
    if (result != RILL_OK || rill_world_get_step_info(run->world, &info) != RILL_OK) {
        rill_progress_wipe(&run->progress);
        fprintf(stderr, "rill run: t = %g s: %s\n", run->time, rill_world_message(run->world));
        return result == RILL_OUT_OF_MEMORY ? RILL_EXIT_MACHINE : RILL_EXIT_INPUT;
    }
    run->time = rill_scene_frame_time(run->scene->frame, run->until, k);
    run->frames = k;
    run->substeps += info.substeps;
    run->written = false;
    rill_warnings_tell(&run->warnings, &run->progress, run->time, status);
    return rill_results_row(&run->results, run->time, info.substeps) ? RILL_EXIT_DONE : RILL_EXIT_MACHINE;
}

static int simulate(scene_run *run, const run_options *options) {
    int64_t count = rill_scene_frame_count(run->scene->frame, run->until);
    if (!rill_results_row(&run->results, 0, 0) || !write_arrays(run, options, count == 0)) return RILL_EXIT_MACHINE;
    rill_progress_catch_stop();
    for (int64_t k = 1; k <= count && !run->stopped; ++k) {
        int code = step(run, k);
        if (code != RILL_EXIT_DONE) return code;
        run->stopped = rill_progress_stop_wanted() && k < count;
        if (!write_arrays(run, options, k == count || run->stopped)) return RILL_EXIT_MACHINE;
        rill_progress_show(&run->progress, run->time, run->until);
    }
    return RILL_EXIT_DONE;
}

/* ---------------------------------------------------------------------------------------------------------- summary */

static double millilitres(const rill_ledger *ledger, int64_t quanta) {
    return (double)quanta * ledger->quantum_volume * 1e6;
}

static void print_accounts(const scene_run *run, const rill_ledger *ledger, bool poured) {
    printf("  %-11s %14.6g ml", poured ? "poured" : "drained",
           millilitres(ledger, poured ? ledger->poured : ledger->drained));
    const char *between = "   ";
    for (int32_t i = 0; i < rill_world_account_count(run->world); ++i) {
        rill_account account;
        if (rill_world_get_account(run->world, i, &account) == RILL_OK && (poured ? account.poured : account.drained)) {
            printf("%s%s %.6g", between, account.name, millilitres(ledger, poured ? account.poured : account.drained));
            between = ", ";
        }
    }
    printf("\n");
}

static int summarise(const scene_run *run, const run_options *options) {
    rill_ledger ledger;
    double spent = rill_progress_clock() - run->progress.start;
    if (rill_world_get_ledger(run->world, &ledger) != RILL_OK) {
        fprintf(stderr, "rill run: %s\n", rill_world_message(run->world));
        return RILL_EXIT_WRONG;
    }
    printf("%s: %g s in %" PRId64 " frames and %" PRId64 " sub-steps, took %.3g s (%.3g times real time)%s\n",
           run->scene->name, run->time, run->frames, run->substeps, spent, spent > 0 ? run->time / spent : 0,
           run->stopped ? ", stopped before its end" : "");
    print_accounts(run, &ledger, true);
    print_accounts(run, &ledger, false);
    printf("  %-11s %14.6g ml\n", "in columns", millilitres(&ledger, ledger.columns));
    if (ledger.airborne) printf("  %-11s %14.6g ml\n", "in the air", millilitres(&ledger, ledger.airborne));
    if (ledger.in_transit) printf("  %-11s %14.6g ml\n", "in transit", millilitres(&ledger, ledger.in_transit));
    printf("results: %s/log.csv", run->results.folder);
    if (run->scene->body_count) printf(", bodies.csv");
    if (options->fields) {
        printf(", and %" PRId64 " times depth_NNNNN.npy and velocity_NNNNN.npy (times in fields.csv)",
               run->results.arrays);
    }
    printf("\n");
    if (ledger.error != 0) {
        fprintf(stderr, "rill run: the ledger is wrong by %" PRId64 " quanta\n", ledger.error);
        return RILL_EXIT_WRONG;
    }
    return RILL_EXIT_DONE;
}

/* ---------------------------------------------------------------------------------------------------------- command */

/* Says why tension does not act where nobody has said anything about it. */
static void tell_tension(const rill_world *world) {
    rill_solver solver;
    rill_message why;
    if (rill_world_get_solver(world, &solver) != RILL_OK || solver.tension != RILL_TENSION_AUTO) return;
    if (solver.method != RILL_METHOD_PIPES || solver.pipe_area != RILL_PIPE_AREA_PHYSICAL) return;
    if (!rill_world_has_tension(world, &why)) fprintf(stderr, "rill run: note: no surface tension: %s\n", why.text);
}

static int run_world(const rill_scene *scene, rill_world *world, const run_options *options, const char *folder) {
    scene_run run = { .scene = scene, .world = world, .until = options->until < 0 ? scene->until : options->until };
    run.warnings.command = "run";
    tell_tension(world);
    run.progress = rill_progress_start();
    run.physics = rill_console_physics(scene, world);
    int code = RILL_EXIT_MACHINE;
    if (run.physics && rill_results_open(&run.results, folder, scene, world, options->fields))
        code = simulate(&run, options);
    rill_progress_wipe(&run.progress);
    if (!rill_results_close(&run.results) && code == RILL_EXIT_DONE) code = RILL_EXIT_MACHINE;
    rill_physics_destroy(run.physics);
    return code == RILL_EXIT_DONE ? summarise(&run, options) : code;
}

static int read_run_options(int argc, char **argv, run_options *options, const char **path) {
    const rill_option table[] = {
        { "--until", "T", "stop at T seconds instead of the scene's run.until", RILL_OPTION_NUMBER, &options->until, 0,
          1e9 },
        { "--out", "DIR", "folder for the results (default out/<name of the scene file>)", RILL_OPTION_TEXT,
          &options->folder, 0, 0 },
        { "--fields", NULL, "also write depths and velocities as .npy arrays", RILL_OPTION_FLAG, &options->fields, 0,
          0 },
        { "--every", "T", "write arrays every T seconds (default: every frame)", RILL_OPTION_NUMBER, &options->every,
          1e-9, 1e9 },
        RILL_OPTION_SET(&options->sets),
        RILL_OPTION_THREADS(&options->machine),
        RILL_OPTION_SIMD(&options->machine),
    };
    const rill_command command = {
        "run",
        "SCENE",
        "Simulates a scene and writes log.csv, one row per frame. Ctrl-C stops after the present "
        "frame\nand keeps what was written.",
        table,
        sizeof table / sizeof table[0],
        1,
        1
    };
    size_t count;
    int code = rill_options_read(&command, argc, argv, path, &count);
    if (code == RILL_EXIT_NOT_YET && options->every >= 0 && !options->fields)
        fprintf(stderr, "rill run: note: --every is about the arrays of --fields, which was not given\n");
    return code;
}

int rill_cli_run(int argc, char **argv) {
    run_options options = { .machine = { .threads = 1 }, .until = -1, .every = -1 };
    const char *path = NULL;
    int code = read_run_options(argc, argv, &options, &path);
    if (code != RILL_EXIT_NOT_YET) return code;
    rill_scene *scene;
    rill_world *world;
    char *folder = rill_cli_folder(path);
    code = rill_cli_open(path, &options.sets, &options.machine, &scene, &world);
    if (code == RILL_EXIT_DONE)
        code = folder ? run_world(scene, world, &options, options.folder ? options.folder : folder) : RILL_EXIT_MACHINE;
    free(folder);
    rill_world_destroy(world);
    rill_scene_free(scene);
    return code;
}
