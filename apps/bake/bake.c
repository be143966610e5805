/* A bake: resumed or begun, frame by frame, with a record now and then of how far it is. */
#include "bake.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bake_output.h"
#include "console/console.h"
#include "scene/number_text.h"

typedef struct bake_run {
    const rill_scene *scene;
    rill_world *world;
    rill_physics *physics;
    const rill_bake_options *options;
    const char *folder;
    rill_bake_identity identity;
    rill_bake_output output;
    rill_progress progress;
    rill_warnings warnings;
    double until;
    int64_t frame, frames;   /* the last one simulated, and how many there are */
    int64_t saved;           /* the last one that was recorded */
    double saved_at, saving; /* s: when the last record was written, and how long that took */
    char *snapshot;
    size_t snapshot_room;
    bool stopped; /* by the user */
} bake_run;

/* ----------------------------------------------------------------------------------------------------------- saving */

/* Records take a twentieth of the time at most; but where saving is slow there is one now and then all the same. */
enum { SAVE_SPACING = 20, SAVE_FRAMES = 100 };

static bool save_snapshot(bake_run *b, size_t *size) {
    size_t needed = rill_snapshot_size(b->world);
    if (needed > b->snapshot_room) {
        free(b->snapshot);
        b->snapshot = malloc(needed);
        b->snapshot_room = b->snapshot ? needed : 0;
    }
    if (!b->snapshot) return rill_bake_complain("the snapshot", "out of memory");
    if (rill_snapshot_save(b->world, b->snapshot, b->snapshot_room, size) != RILL_OK)
        return rill_bake_complain("the snapshot", rill_world_message(b->world));
    return true;
}

/* Everything that the record speaks of is on the disk before it is. Without a snapshot it is that of a bake that has
 * not begun or is complete. */
static bool save(bake_run *run, bool with_snapshot) {
    double start = rill_progress_clock();
    size_t size = 0;
    if (!rill_bake_output_sync(&run->output) || (with_snapshot && !save_snapshot(run, &size))) return false;
    const rill_bake_record record = { .frame = run->frame,
                                      .written = run->output.written,
                                      .index = run->output.written ? run->output.index.size : 0,
                                      .samples = run->output.samples.size,
                                      .snapshot = run->snapshot,
                                      .snapshot_size = size };
    bool good = rill_bake_record_write(run->folder, &run->identity, &record);
    run->saved_at = rill_progress_clock();
    run->saving = run->saved_at - start;
    run->saved = run->frame;
    return good;
}

static bool is_time_to_save(const bake_run *run) {
    return rill_progress_clock() - run->saved_at >= SAVE_SPACING * run->saving ||
           run->frame - run->saved >= SAVE_FRAMES;
}

/* ----------------------------------------------------------------------------------------------------------- frames */

static int step(bake_run *run, int64_t k) {
    rill_status status;
    double length = rill_scene_frame_length(run->scene->frame, run->until, k);
    rill_result result = rill_physics_step(run->physics, length, &status);
    if (result != RILL_OK) {
        rill_progress_wipe(&run->progress);
        fprintf(stderr, "rill bake: frame %" PRId64 ": %s\n", k, rill_world_message(run->world));
        return result == RILL_OUT_OF_MEMORY ? RILL_EXIT_MACHINE : RILL_EXIT_INPUT;
    }
    run->frame = k;
    rill_warnings_tell(&run->warnings, &run->progress, rill_scene_frame_time(run->scene->frame, run->until, k), status);
    return RILL_EXIT_DONE;
}

static bool bake_frame(bake_run *run) {
    if (!rill_scene_frame_due(run->scene->frame, run->until, run->options->every, run->frame)) return true;
    return rill_bake_output_frame(&run->output, run->frame);
}

static int simulate(bake_run *run) {
    rill_progress_catch_stop();
    if (run->output.written == 0 && !(save(run, false) && bake_frame(run))) return RILL_EXIT_MACHINE;
    while (run->frame < run->frames && !run->stopped) {
        int code = step(run, run->frame + 1);
        if (code != RILL_EXIT_DONE) return code;
        if (!bake_frame(run)) return RILL_EXIT_MACHINE;
        run->stopped = rill_progress_stop_wanted() && run->frame < run->frames;
        if ((run->stopped || is_time_to_save(run)) && !save(run, true)) return RILL_EXIT_MACHINE;
        rill_progress_show(&run->progress, rill_scene_frame_time(run->scene->frame, run->until, run->frame),
                           run->until);
    }
    if (!rill_bake_output_join(&run->output, run->frame)) return RILL_EXIT_MACHINE;
    return run->stopped || save(run, false) ? RILL_EXIT_DONE : RILL_EXIT_MACHINE;
}

/* ---------------------------------------------------------------------------------------------------------- summary */

static void print_results(const bake_run *run, int64_t written) {
    char first[RILL_BAKE_NAME], last[RILL_BAKE_NAME];
    if (run->options->format == RILL_MESH_USDA) {
        printf("results: %s/" RILL_BAKE_STAGE, run->folder);
    } else {
        rill_bake_frame_name(first, "liquid", 0, run->options->format);
        rill_bake_frame_name(last, "liquid", written - 1, run->options->format);
        printf("results: %s/%s to %s", run->folder, first, last);
        if (!run->options->no_solids)
            printf(", solids%s", rill_scene_moves(run->scene) || run->scene->body_count ? " and what moves" : "");
    }
    printf(" (times in " RILL_BAKE_INDEX ")\n");
}

static void summarise(const bake_run *run) {
    printf("%s: %" PRId64 " frames up to %g s, took %.3g s", run->scene->name, run->output.written,
           rill_scene_frame_time(run->scene->frame, run->until, run->frame),
           rill_progress_clock() - run->progress.start);
    if (run->output.vertices)
        printf("; the last one has %zu vertices and %zu triangles", run->output.vertices, run->output.triangles);
    printf("\n");
    print_results(run, run->output.written);
    if (run->stopped) printf("stopped before its end: the same command goes on from here\n");
}

/* --------------------------------------------------------------------------------------------------- from the start */

/* Puts the world where the record is. */
static int resume(bake_run *run, const rill_bake_record *record) {
    if (!rill_bake_is_whole(run->folder, run->options->format, record->written)) return RILL_EXIT_INPUT;
    if (!record->snapshot_size) return RILL_EXIT_DONE;
    rill_result result = rill_snapshot_restore(run->world, record->snapshot, (size_t)record->snapshot_size);
    if (result != RILL_OK) {
        fprintf(stderr, "rill bake: %s/" RILL_BAKE_RECORD ": %s: --fresh bakes everything again\n", run->folder,
                rill_world_message(run->world));
        return result == RILL_OUT_OF_MEMORY ? RILL_EXIT_MACHINE : RILL_EXIT_INPUT;
    }
    run->frame = record->frame;
    run->progress.from = rill_scene_frame_time(run->scene->frame, run->until, run->frame);
    fprintf(stderr, "rill bake: note: going on from t = %g s, after %" PRId64 " frames\n", run->progress.from,
            record->written);
    return RILL_EXIT_DONE;
}

static int bake_with_record(bake_run *run, const rill_bake_record *record) {
    if (record->written && !record->snapshot_size) {
        printf("%s: all %" PRId64 " frames are baked already; --fresh bakes them again\n", run->scene->name,
               record->written);
        rill_bake_remove_samples(run->folder); /* left if it was killed after the last frame */
        return RILL_EXIT_DONE;
    }
    int code = resume(run, record);
    if (code != RILL_EXIT_DONE) return code;
    run->output = (rill_bake_output){ .folder = run->folder,
                                      .format = run->options->format,
                                      .scene = run->scene,
                                      .world = run->world,
                                      .until = run->until,
                                      .look = run->options->look,
                                      .with_solids = !run->options->no_solids };
    code = rill_bake_output_open(&run->output, record->written, record->index, record->samples) ? simulate(run)
                                                                                                : RILL_EXIT_MACHINE;
    rill_progress_wipe(&run->progress);
    if (code == RILL_EXIT_DONE) summarise(run);
    rill_bake_output_close(&run->output);
    if (code == RILL_EXIT_DONE && !run->stopped) rill_bake_remove_samples(run->folder);
    return code;
}

static int bake_into(bake_run *run) {
    int code;
    int lock = rill_bake_folder_open(run->folder, &code);
    if (lock < 0) return code;
    bool found;
    rill_bake_record record = { 0 };
    if (run->options->fresh && !rill_bake_remove(run->folder))
        code = RILL_EXIT_MACHINE;
    else
        code = rill_bake_record_read(run->folder, &run->identity, &record, &found);
    if (code == RILL_EXIT_DONE) code = bake_with_record(run, &record);
    free(record.snapshot);
    close(lock);
    return code;
}

/* "format=glb form=mesh until=3 every=frame solids=on meniscus=tilt": all that decides what is written, but the
 * scene. */
static void describe_options(const rill_bake_options *options, double until, rill_bake_identity *identity) {
    char end[RILL_NUMBER_TEXT], every[RILL_NUMBER_TEXT] = "frame";
    rill_number_double(until, end);
    if (options->every >= 0) rill_number_double(options->every, every);
    snprintf(identity->options, sizeof identity->options, "format=%s form=%s until=%s every=%s solids=%s meniscus=%s",
             rill_mesh_format_name(options->format), options->form_name, end, every, options->no_solids ? "off" : "on",
             options->meniscus_name);
}

int rill_bake(const rill_scene *scene, rill_world *world, const rill_bake_options *options, const char *folder) {
    bake_run run = { .scene = scene, .world = world, .options = options, .folder = folder };
    run.until = options->until < 0 ? scene->until : options->until;
    run.frames = rill_scene_frame_count(scene->frame, run.until);
    run.warnings.command = "bake";
    run.progress = rill_progress_start();
    describe_options(options, run.until, &run.identity);
    if (!rill_bake_identify(scene, options->sets, options->set_count, world, &run.identity)) return RILL_EXIT_INPUT;
    run.physics = rill_console_physics(scene, world);
    int code = run.physics ? bake_into(&run) : RILL_EXIT_MACHINE;
    rill_physics_destroy(run.physics);
    free(run.snapshot);
    return code;
}
