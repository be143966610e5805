/* A bake: resumed or begun, frame by frame, with a record now and then of how far it is. */
#include "bake.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bake_output.h"
#include "console/console.h"
#include "scene/number_text.h"

typedef struct bake {
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
} bake;

/* ----------------------------------------------------------------------------------------------------------- saving */

/* Records take a twentieth of the time at most; but where saving is slow there is one now and then all the same. */
enum { SAVE_SPACING = 20, SAVE_FRAMES = 100 };

static bool save_snapshot(bake *b, size_t *size) {
    size_t needed = rill_snapshot_size(b->world);
    if (needed > b->snapshot_room) {
        free(b->snapshot);
        b->snapshot = malloc(needed);
        b->snapshot_room = b->snapshot ? needed : 0;
    }
    if (!b->snapshot) {
        return rill_bake_complain("the snapshot", "out of memory");
    }
    if (rill_snapshot_save(b->world, b->snapshot, b->snapshot_room, size) != RILL_OK) {
        return rill_bake_complain("the snapshot", rill_world_message(b->world));
    }
    return true;
}

/* Everything that the record speaks of is on the disk before it is. Without a snapshot it is that of a bake that has not
 * begun or is complete. */
static bool save(bake *b, bool with_snapshot) {
    double start = rill_progress_clock();
    size_t size = 0;
    if (!rill_bake_output_sync(&b->output) || (with_snapshot && !save_snapshot(b, &size))) {
        return false;
    }
    const rill_bake_record record = { .frame = b->frame,
                                      .written = b->output.written,
                                      .index = b->output.written ? b->output.index.size : 0,
                                      .samples = b->output.samples.size,
                                      .snapshot = b->snapshot,
                                      .snapshot_size = size };
    bool good = rill_bake_record_write(b->folder, &b->identity, &record);
    b->saved_at = rill_progress_clock();
    b->saving = b->saved_at - start;
    b->saved = b->frame;
    return good;
}

static bool is_time_to_save(const bake *b) {
    return rill_progress_clock() - b->saved_at >= SAVE_SPACING * b->saving || b->frame - b->saved >= SAVE_FRAMES;
}

/* ----------------------------------------------------------------------------------------------------------- frames */

static int step(bake *b, int64_t k) {
    rill_status status;
    double length = rill_scene_frame_length(b->scene->frame, b->until, k);
    rill_result result = rill_physics_step(b->physics, length, &status);
    if (result != RILL_OK) {
        rill_progress_wipe(&b->progress);
        fprintf(stderr, "rill bake: frame %" PRId64 ": %s\n", k, rill_world_message(b->world));
        return result == RILL_OUT_OF_MEMORY ? RILL_EXIT_MACHINE : RILL_EXIT_INPUT;
    }
    b->frame = k;
    rill_warnings_tell(&b->warnings, &b->progress, rill_scene_frame_time(b->scene->frame, b->until, k), status);
    return RILL_EXIT_DONE;
}

static bool bake_frame(bake *b) {
    if (!rill_scene_frame_due(b->scene->frame, b->until, b->options->every, b->frame)) {
        return true;
    }
    return rill_bake_output_frame(&b->output, b->frame);
}

static int simulate(bake *b) {
    rill_progress_catch_stop();
    if (b->output.written == 0 && !(save(b, false) && bake_frame(b))) {
        return RILL_EXIT_MACHINE;
    }
    while (b->frame < b->frames && !b->stopped) {
        int code = step(b, b->frame + 1);
        if (code != RILL_EXIT_DONE) {
            return code;
        }
        if (!bake_frame(b)) {
            return RILL_EXIT_MACHINE;
        }
        b->stopped = rill_progress_stop_wanted() && b->frame < b->frames;
        if ((b->stopped || is_time_to_save(b)) && !save(b, true)) {
            return RILL_EXIT_MACHINE;
        }
        rill_progress_show(&b->progress, rill_scene_frame_time(b->scene->frame, b->until, b->frame), b->until);
    }
    if (!rill_bake_output_join(&b->output, b->frame)) {
        return RILL_EXIT_MACHINE;
    }
    return b->stopped || save(b, false) ? RILL_EXIT_DONE : RILL_EXIT_MACHINE;
}

/* ---------------------------------------------------------------------------------------------------------- summary */

static void print_results(const bake *b, int64_t written) {
    char first[RILL_BAKE_NAME], last[RILL_BAKE_NAME];
    if (b->options->format == RILL_MESH_USDA) {
        printf("results: %s/" RILL_BAKE_STAGE, b->folder);
    } else {
        rill_bake_frame_name(first, "liquid", 0, b->options->format);
        rill_bake_frame_name(last, "liquid", written - 1, b->options->format);
        printf("results: %s/%s to %s", b->folder, first, last);
        if (!b->options->no_solids) {
            printf(", solids%s", rill_scene_moves(b->scene) || b->scene->body_count ? " and what moves" : "");
        }
    }
    printf(" (times in " RILL_BAKE_INDEX ")\n");
}

static void summarise(const bake *b) {
    printf("%s: %" PRId64 " frames up to %g s, took %.3g s", b->scene->name, b->output.written,
           rill_scene_frame_time(b->scene->frame, b->until, b->frame), rill_progress_clock() - b->progress.start);
    if (b->output.vertices) {
        printf("; the last one has %zu vertices and %zu triangles", b->output.vertices, b->output.triangles);
    }
    printf("\n");
    print_results(b, b->output.written);
    if (b->stopped) {
        printf("stopped before its end: the same command goes on from here\n");
    }
}

/* --------------------------------------------------------------------------------------------------- from the start */

/* Puts the world where the record is. */
static int resume(bake *b, const rill_bake_record *record) {
    if (!rill_bake_is_whole(b->folder, b->options->format, record->written)) {
        return RILL_EXIT_INPUT;
    }
    if (!record->snapshot_size) {
        return RILL_EXIT_DONE;
    }
    rill_result result = rill_snapshot_restore(b->world, record->snapshot, (size_t)record->snapshot_size);
    if (result != RILL_OK) {
        fprintf(stderr, "rill bake: %s/" RILL_BAKE_RECORD ": %s: --fresh bakes everything again\n", b->folder,
                rill_world_message(b->world));
        return result == RILL_OUT_OF_MEMORY ? RILL_EXIT_MACHINE : RILL_EXIT_INPUT;
    }
    b->frame = record->frame;
    b->progress.from = rill_scene_frame_time(b->scene->frame, b->until, b->frame);
    fprintf(stderr, "rill bake: note: going on from t = %g s, after %" PRId64 " frames\n", b->progress.from,
            record->written);
    return RILL_EXIT_DONE;
}

static int bake_with_record(bake *b, const rill_bake_record *record) {
    if (record->written && !record->snapshot_size) {
        printf("%s: all %" PRId64 " frames are baked already; --fresh bakes them again\n", b->scene->name,
               record->written);
        rill_bake_remove_samples(b->folder); /* left if it was killed after the last frame */
        return RILL_EXIT_DONE;
    }
    int code = resume(b, record);
    if (code != RILL_EXIT_DONE) {
        return code;
    }
    b->output = (rill_bake_output){ .folder = b->folder,
                                    .format = b->options->format,
                                    .scene = b->scene,
                                    .world = b->world,
                                    .until = b->until,
                                    .look = b->options->look,
                                    .with_solids = !b->options->no_solids };
    code = rill_bake_output_open(&b->output, record->written, record->index, record->samples) ? simulate(b)
                                                                                              : RILL_EXIT_MACHINE;
    rill_progress_wipe(&b->progress);
    if (code == RILL_EXIT_DONE) {
        summarise(b);
    }
    rill_bake_output_close(&b->output);
    if (code == RILL_EXIT_DONE && !b->stopped) {
        rill_bake_remove_samples(b->folder);
    }
    return code;
}

static int bake_into(bake *b) {
    int code;
    int lock = rill_bake_folder_open(b->folder, &code);
    if (lock < 0) {
        return code;
    }
    bool found;
    rill_bake_record record = { 0 };
    if (b->options->fresh && !rill_bake_remove(b->folder)) {
        code = RILL_EXIT_MACHINE;
    } else {
        code = rill_bake_record_read(b->folder, &b->identity, &record, &found);
    }
    if (code == RILL_EXIT_DONE) {
        code = bake_with_record(b, &record);
    }
    free(record.snapshot);
    close(lock);
    return code;
}

/* "format=glb form=mesh until=3 every=frame solids=on meniscus=tilt": all that decides what is written, but the scene. */
static void describe_options(const rill_bake_options *options, double until, rill_bake_identity *identity) {
    char end[RILL_NUMBER_TEXT], every[RILL_NUMBER_TEXT] = "frame";
    rill_number_double(until, end);
    if (options->every >= 0) {
        rill_number_double(options->every, every);
    }
    snprintf(identity->options, sizeof identity->options, "format=%s form=%s until=%s every=%s solids=%s meniscus=%s",
             rill_mesh_format_name(options->format), options->form_name, end, every,
             options->no_solids ? "off" : "on", options->meniscus_name);
}

int rill_bake(const rill_scene *scene, rill_world *world, const rill_bake_options *options, const char *folder) {
    bake b = { .scene = scene, .world = world, .options = options, .folder = folder };
    b.until = options->until < 0 ? scene->until : options->until;
    b.frames = rill_scene_frame_count(scene->frame, b.until);
    b.warnings.command = "bake";
    b.progress = rill_progress_start();
    describe_options(options, b.until, &b.identity);
    if (!rill_bake_identify(scene, options->sets, options->set_count, world, &b.identity)) {
        return RILL_EXIT_INPUT;
    }
    b.physics = rill_console_physics(scene, world);
    int code = b.physics ? bake_into(&b) : RILL_EXIT_MACHINE;
    rill_physics_destroy(b.physics);
    free(b.snapshot);
    return code;
}
