/* Sets a case up, lets it warm up and times it.
 *
 * Worlds that stay what they are (waves, lakes) simply go on: a repeat is a block of frames of at least BLOCK_SECONDS,
 * long for the clock but short beside the time slices of a busy machine, so that the minimum is a block nobody
 * interrupted. Worlds on their way elsewhere (puddles that calm down, liquid falling through holes, scenes) are rewound
 * to a snapshot before each repeat; the frame after it is not timed. Repeats are then the same to the bit, so the
 * minimum is taken of each frame by itself. Of a scene the second half of its run is timed, when it is well wet.
 *
 * A processor changes its speed within a second, by a quarter and more. Cases that are compared would not be met by the
 * same speed: every time is therefore also taken in beats of the clock just before and after it, whichever was the
 * faster. Where these two differ something came in between: such a time only counts as long as there is no better
 * one. */
#define _POSIX_C_SOURCE 200809L

#include "bench_internal.h"
#include "console/console.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_SECONDS 0.002
#define CASE_SECONDS 1.2 /* no further repeat after this, from the third on, */
#define CALM_SECONDS 3.6 /* unless something came in between in all of them */
#define CALM 1.02        /* no more than so many times the other */
enum { REWIND_FRAMES = 6, MOVING_FRAMES = 121, WARM_FRAMES = 3, REST_FRAMES = 2000 };

/* ---------------------------------------------------------------------------------------------------------- memory */

/* Bytes that the hooks of a world have counted; on one thread. Worlds that are timed do without them, since the
 * library's own ask the system for large pages. */
typedef struct bench_memory {
    size_t live, most;
} bench_memory;

static void *allocate(size_t size, size_t alignment, void *user) {
    bench_memory *memory = user;
    void *block = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    memory->live += block != NULL ? size : 0;
    memory->most = memory->live > memory->most ? memory->live : memory->most;
    return block;
}

static void release(void *block, size_t size, size_t alignment, void *user) {
    bench_memory *memory = user;
    (void)alignment;
    memory->live -= size;
    free(block);
}

static rill_allocator count_memory(bench_memory *memory) {
    return (rill_allocator){ .allocate = allocate, .release = release, .user = memory };
}

/* ---------------------------------------------------------------------------------------------------------- worlds */

/* The best of a frame's times. */
typedef struct bench_best {
    double seconds, beats;
    bool calm; /* nothing came in between */
} bench_best;

typedef struct bench_run {
    rill_world *world;
    rill_scene *scene;     /* NULL for a world of our own */
    rill_surface *surface; /* NULL: steps are timed */
    rill_bench_move *move;
    int64_t moved;    /* frames since the start of the repeat */
    double frame;     /* s */
    int64_t frames;   /* after a rewind */
    bench_best *best; /* of each of them */
    void *snapshot;   /* NULL: blocks follow each other */
    size_t snapshot_size;
    bench_memory *memory; /* NULL: what is asked for is not counted */
} bench_run;

static rill_runtime make_runtime(const rill_bench_case *which, const rill_bench_options *options,
                                 const bench_run *run) {
    rill_runtime runtime = rill_default_world_def().runtime;
    runtime.tasks.threads = run->memory != NULL ? 1 : which->threads;
    runtime.scalar = options->scalar;
    if (run->memory != NULL) runtime.allocator = count_memory(run->memory);
    return runtime;
}

static int complain(const char *name, rill_result result, const char *message) {
    fprintf(stderr, "rill bench: %s: %s: %s\n", name, rill_result_name(result), message);
    return result == RILL_OUT_OF_MEMORY ? RILL_EXIT_MACHINE : RILL_EXIT_INPUT;
}

static int create_world(const rill_bench_case *which, const rill_bench_options *options, bench_run *run) {
    rill_world_def def = rill_default_world_def();
    def.name = which->name;
    def.grid = (rill_grid){ .cells = { which->cells, which->cells },
                            .cell_size = which->cell_size > 0.0 ? which->cell_size : 1e-3 };
    def.headroom = 0.02;
    def.solver.method = which->method;
    def.solver.pipe_area = which->paper ? RILL_PIPE_AREA_PAPER : RILL_PIPE_AREA_PHYSICAL;
    def.solver.passages = which->blocked ? RILL_PASSAGES_OFF : RILL_PASSAGES_ANY;
    def.solver.rest = which->rest;
    def.solver.tension = which->tension ? RILL_TENSION_ON : RILL_TENSION_OFF;
    def.solver.falls = which->falls ? RILL_FALLS_FLIGHT : RILL_FALLS_OFF;
    def.runtime = make_runtime(which, options, run);
    rill_message message;
    rill_result result = rill_world_create(&def, &run->world, &message);
    if (result != RILL_OK) return complain(which->name, result, message.text);
    result = which->build(run->world);
    if (result != RILL_OK) return complain(which->name, result, rill_world_message(run->world));
    run->frame = which->frame;
    run->move = which->move;
    return RILL_EXIT_DONE;
}

/* The file of a shipped scene: in the folder that was given, or the first of the usual places that has it. */
bool rill_bench_find_scene(const char *name, const char *folder, char *path, size_t capacity) {
    if (folder != NULL)
        return snprintf(path, capacity, "%s/%s.yaml", folder, name) < (int)capacity && access(path, R_OK) == 0;
    char program[3072];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash != NULL) *slash = '\0';
    static const char *const beside[] = { "scenes", "../scenes", "../../scenes", "../../../scenes",
                                          "../share/rill/scenes" };
    for (size_t i = 0; slash != NULL && i < sizeof beside / sizeof beside[0]; ++i)
        if (snprintf(path, capacity, "%s/%s/%s.yaml", program, beside[i], name) < (int)capacity &&
            access(path, R_OK) == 0)
            return true;
#if defined(RILL_SCENES_DIR)
    if (snprintf(path, capacity, "%s/%s.yaml", RILL_SCENES_DIR, name) < (int)capacity && access(path, R_OK) == 0)
        return true;
#endif
    return snprintf(path, capacity, "scenes/%s.yaml", name) < (int)capacity && access(path, R_OK) == 0;
}

static int create_scene(const rill_bench_case *which, const rill_bench_options *options, bench_run *run) {
    char path[4096];
    if (!rill_bench_find_scene(which->scene, options->scenes, path, sizeof path)) {
        fprintf(stderr, "rill bench: %s: no %s.yaml among the shipped scenes; say where they are with --scenes DIR\n",
                which->name, which->scene);
        return RILL_EXIT_INPUT;
    }
    const rill_runtime runtime = make_runtime(which, options, run);
    rill_scene_report report = { 0 };
    rill_scene_result result = rill_scene_load(path, NULL, &run->scene, &report);
    if (result == RILL_SCENE_OK) {
        run->scene->world.solver.tension = which->tension ? RILL_TENSION_ON : RILL_TENSION_OFF;
        run->scene->world.solver.falls = RILL_FALLS_OFF; /* targets were set without */
    }
    if (result == RILL_SCENE_OK) result = rill_scene_create_world(run->scene, &runtime, &run->world, &report);
    if (result == RILL_SCENE_OK && which->blocked) {
        rill_solver solver;
        rill_world_get_solver(run->world, &solver);
        solver.passages = RILL_PASSAGES_OFF;
        rill_world_set_solver(run->world, &solver);
    }
    if (result == RILL_SCENE_OK) {
        run->frame = run->scene->frame;
        run->frames = rill_scene_frame_count(run->scene->frame, run->scene->until) / 2;
        run->frames = run->frames < 2 ? 2 : run->frames;
    } else {
        rill_scene_report_print(&report, stderr);
    }
    rill_scene_report_free(&report);
    return rill_exit_code(result);
}

/* ----------------------------------------------------------------------------------------------------------- clock */

static int step(bench_run *run, const char *name, int64_t *substeps) {
    static const rill_scene nothing_moves = { 0 };
    rill_step_info info;
    rill_status status;
    rill_result result = run->move != NULL ? run->move(run->world, run->moved++) : RILL_OK;
    if (result == RILL_OK)
        result = rill_scene_step(run->scene ? run->scene : &nothing_moves, run->world, run->frame, &status);
    if (result != RILL_OK) return complain(name, result, rill_world_message(run->world));
    result = rill_world_get_step_info(run->world, &info);
    *substeps += info.substeps;
    return result == RILL_OK ? RILL_EXIT_DONE : complain(name, result, rill_world_message(run->world));
}

static int take_snapshot(bench_run *run, const char *name) {
    const size_t size = rill_snapshot_size(run->world);
    run->snapshot = malloc(size);
    run->best = malloc((size_t)run->frames * sizeof *run->best);
    if (run->snapshot == NULL || run->best == NULL) return complain(name, RILL_OUT_OF_MEMORY, "no room for a snapshot");
    for (int64_t i = 0; i < run->frames; ++i) run->best[i] = (bench_best){ 1e30, 1e30, false };
    const rill_result result = rill_snapshot_save(run->world, run->snapshot, size, &run->snapshot_size);
    return result == RILL_OK ? RILL_EXIT_DONE : complain(name, result, rill_world_message(run->world));
}

/* Brings the world to where it is measured: a scene to its half, a lake to sleep. */
static int warm_up(bench_run *run, const rill_bench_case *which) {
    const int64_t frames = which->build == NULL ? run->frames : which->rest ? REST_FRAMES : WARM_FRAMES;
    rill_step_info info = { .awake_columns = 1 };
    int64_t substeps = 0;
    for (int64_t i = 0; i < frames && !(which->rest && info.awake_columns == 0); ++i) {
        const int code = step(run, which->name, &substeps);
        if (code != RILL_EXIT_DONE) return code;
        rill_world_get_step_info(run->world, &info);
    }
    if (which->rest && info.awake_columns != 0) {
        fprintf(stderr, "rill bench: %s: still awake after %d frames\n", which->name, REST_FRAMES);
        return RILL_EXIT_INPUT;
    }
    if (which->rewind) run->frames = which->move != NULL ? MOVING_FRAMES : REWIND_FRAMES; /* a motion has hard places */
    return which->rewind || which->build == NULL ? take_snapshot(run, which->name) : RILL_EXIT_DONE;
}

/* Does what is timed: a step, or making the mesh of the surface. */
static int work(bench_run *run, const char *name, int64_t *count) {
    if (run->surface == NULL) return step(run, name, count);
    const rill_result result = rill_surface_build(run->surface);
    *count += 1;
    return result == RILL_OK ? RILL_EXIT_DONE : complain(name, result, rill_world_message(run->world));
}

/* The surface as it is by default, with floor and meniscus, and once made: later builds take no memory. */
static int create_surface(bench_run *run, const rill_bench_case *which) {
    int64_t count = 0;
    if (!which->surface) return RILL_EXIT_DONE;
    const rill_surface_def def = rill_default_surface_def();
    const rill_result result = rill_surface_create(run->world, &def, &run->surface);
    return result == RILL_OK ? work(run, which->name, &count)
                             : complain(which->name, result, rill_world_message(run->world));
}

/* The best of the repeats so far: seconds, what was done in them, and beats per sub-step. */
typedef struct bench_time {
    double seconds, simulated;
    int64_t substeps;
    double beats;
    bool calm; /* nothing came in between in any of it */
} bench_time;

/* A stretch of time between two beats. */
typedef struct bench_stretch {
    double before, start;
} bench_stretch;

static bench_stretch begin_stretch(void) {
    const double before = rill_bench_beat();
    return (bench_stretch){ before, rill_bench_now() };
}

/* Keeps a stretch's time, for `count` of what is timed in it, if it is better. */
static void keep_stretch(const bench_stretch *stretch, double seconds, double count, bench_best *best) {
    const double after = rill_bench_beat(), beat = fmin(stretch->before, after);
    const bool calm = fmax(stretch->before, after) <= CALM * beat;
    if (calm < best->calm) return;
    if (calm > best->calm) *best = (bench_best){ 1e30, 1e30, true };
    best->seconds = fmin(best->seconds, seconds / count);
    best->beats = fmin(best->beats, seconds / beat / count);
}

/* A block of a world that goes on. */
static int time_block(bench_run *run, const char *name, bench_time *best) {
    bench_time block = { 0 };
    const bench_stretch stretch = begin_stretch();
    while (block.seconds < BLOCK_SECONDS) {
        const int code = work(run, name, &block.substeps);
        if (code != RILL_EXIT_DONE) return code;
        block.simulated += run->frame;
        block.seconds = rill_bench_now() - stretch.start;
    }
    bench_best kept = { 1e30, 1e30, false };
    if (best->substeps > 0) kept = (bench_best){ best->seconds / (double)best->substeps, best->beats, best->calm };
    const double seconds = kept.seconds;
    const bool calm = kept.calm;
    keep_stretch(&stretch, block.seconds, (double)block.substeps, &kept);
    if (kept.seconds < seconds || kept.calm != calm) *best = block;
    best->beats = kept.beats;
    best->calm = kept.calm;
    return RILL_EXIT_DONE;
}

/* The frames after a rewind, of which each keeps its own best. */
static int time_rewound(bench_run *run, const char *name, bench_time *best) {
    const rill_result result = rill_snapshot_restore(run->world, run->snapshot, run->snapshot_size);
    if (result != RILL_OK) return complain(name, result, rill_world_message(run->world));
    int64_t untimed = 0;
    run->moved = 0;
    int code = step(run, name, &untimed);
    code = code != RILL_EXIT_DONE || run->surface == NULL ? code : work(run, name, &untimed);
    *best = (bench_time){ .calm = true };
    for (int64_t i = 1; i < run->frames && code == RILL_EXIT_DONE; ++i) {
        code = run->surface != NULL ? step(run, name, &untimed) : RILL_EXIT_DONE;
        const bench_stretch stretch = begin_stretch();
        code = code != RILL_EXIT_DONE ? code : work(run, name, &best->substeps);
        keep_stretch(&stretch, rill_bench_now() - stretch.start, 1.0, &run->best[i]);
        best->seconds += run->best[i].seconds;
        best->beats += run->best[i].beats;
        best->simulated += run->frame;
        best->calm &= run->best[i].calm;
    }
    best->beats /= (double)best->substeps;
    return code;
}

static int by_size(const void *a, const void *b) {
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* How far the frames of a motion are from their mean; the first of them is not timed. */
static int rank_frames(const bench_run *run, const char *name, rill_bench_row *out) {
    const size_t count = (size_t)run->frames - 1;
    double *sorted = malloc(count * sizeof *sorted);
    if (sorted == NULL) return complain(name, RILL_OUT_OF_MEMORY, "no room for the times of frames");
    for (size_t i = 0; i < count; ++i) sorted[i] = 1e3 * run->best[i + 1].seconds;
    qsort(sorted, count, sizeof *sorted, by_size);
    out->ms_high = sorted[count * 95 / 100];
    out->ms_most = sorted[count - 1];
    free(sorted);
    return RILL_EXIT_DONE;
}

/* Finds what falls take of a step: the least over repeats of the mean over the frames after a rewind. */
static int time_falls(bench_run *run, const rill_bench_case *which, const rill_bench_options *options,
                      rill_bench_row *out) {
    const double start = rill_bench_now();
    out->us_of_falls = 1e30;
    for (int32_t repeat = 0; repeat < options->repeats && (repeat < 2 || rill_bench_now() - start < CASE_SECONDS);
         ++repeat) {
        const rill_result result = rill_snapshot_restore(run->world, run->snapshot, run->snapshot_size);
        if (result != RILL_OK) return complain(which->name, result, rill_world_message(run->world));
        int64_t substeps = 0;
        double seconds = 0.0;
        for (int64_t i = 0; i < run->frames; ++i) {
            rill_step_info info;
            if (i == 1) substeps = 0, seconds = 0.0; /* not the first, as with all that is rewound */
            const int code = step(run, which->name, &substeps);
            if (code != RILL_EXIT_DONE) return code;
            rill_world_get_step_info(run->world, &info);
            seconds += info.stage_seconds[RILL_STAGE_SOURCES];
        }
        out->us_of_falls = fmin(out->us_of_falls, 1e6 * seconds / (double)substeps);
    }
    return RILL_EXIT_DONE;
}

static int time_case(const rill_bench_case *which, const rill_bench_options *options, bench_run *run,
                     rill_bench_row *out) {
    bench_time best = { 0 };
    const double start = rill_bench_now();
    for (int32_t repeat = 0; repeat < options->repeats; ++repeat) {
        if (repeat >= 2 && rill_bench_now() - start > (best.calm ? CASE_SECONDS : CALM_SECONDS)) break;
        const int code =
            run->snapshot != NULL ? time_rewound(run, which->name, &best) : time_block(run, which->name, &best);
        if (code != RILL_EXIT_DONE) return code;
    }
    out->real_time_factor = best.simulated / best.seconds;
    out->ms_per_frame = 1e3 * run->frame / out->real_time_factor;
    out->ms_per_step = 1e3 * best.seconds / (double)best.substeps;
    out->beats_per_step = best.beats;
    out->ns_per_column_step = 1e6 * out->ms_per_step / (double)out->columns;
    out->cycle_ns = 1e6 * out->ms_per_step / best.beats / RILL_BENCH_BEAT_CYCLES;
    if (which->falls) return time_falls(run, which, options, out);
    return run->move != NULL && run->best != NULL ? rank_frames(run, which->name, out) : RILL_EXIT_DONE;
}

static int create(const rill_bench_case *which, const rill_bench_options *options, bench_run *run) {
    const int code = which->scene == NULL ? create_world(which, options, run) : create_scene(which, options, run);
    return code != RILL_EXIT_DONE ? code : warm_up(run, which);
}

static void destroy(bench_run *run) {
    rill_surface_destroy(run->surface);
    rill_world_destroy(run->world);
    rill_scene_free(run->scene);
    free(run->snapshot);
    free(run->best);
}

/* Columns, and bytes of their state; of shells alone those of a snapshot. */
static rill_bed_info look_at(const rill_world *world) {
    rill_bed_info bed = { .columns = 1 };
    rill_shell_info shell;
    if (rill_bed_get_info(world, &bed) == RILL_OK) return bed;
    if (rill_shell_get_info(world, rill_world_shell_at(world, 0), &shell) == RILL_OK) bed.columns = shell.columns;
    bed.state_bytes = (int64_t)rill_snapshot_size(world);
    return bed;
}

int rill_bench_measure(const rill_bench_case *which, const rill_bench_options *options, rill_bench_row *out) {
    bench_run run = { 0 };
    *out = (rill_bench_row){ .name = which->name, .threads = which->threads };
    int code = create(which, options, &run);
    code = code != 0 ? code : create_surface(&run, which);
    if (code == 0) {
        const rill_bed_info bed = look_at(run.world);
        out->columns = bed.columns;
        out->bytes_per_column = (double)bed.state_bytes / (double)bed.columns;
        code = time_case(which, options, &run, out);
        const double size = which->triad_bytes > 0.0 ? which->triad_bytes : (double)bed.state_bytes;
        const double per_byte = rill_bench_triad(size, options->repeats);
        code = code == 0 && per_byte < 0.0 ? complain(which->name, RILL_OUT_OF_MEMORY, "no room for triad") : code;
        out->triad_ns = 28.0 * 1e9 * per_byte;
        out->times_triad = out->ns_per_column_step / out->triad_ns;
    }
    destroy(&run);
    return code;
}

int rill_bench_weigh(const rill_bench_case *which, const rill_bench_options *options, rill_bench_row *out) {
    bench_memory memory = { 0 };
    bench_run run = { .memory = &memory };
    int64_t substeps = 0;
    rill_bench_case awake = *which;
    awake.rest = false; /* falling asleep takes long and no memory */
    int code = create(&awake, options, &run);
    for (int i = 0; i < WARM_FRAMES && code == RILL_EXIT_DONE; ++i) code = step(&run, which->name, &substeps);
    out->asked_per_column = (double)memory.most / (double)out->columns;
    destroy(&run);
    return code;
}
