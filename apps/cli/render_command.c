/* rill render: simulates a scene and draws it, a still or a movie, without any window. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "render/headless.h"
#include "render/picture.h"
#include "render/render.h"

enum { SIDE_LIMIT = 16384, STILL_SAMPLES = 32, MOVIE_SAMPLES = 6, PEELS = 12 };

typedef struct draw_options {
    rill_text_list sets;
    rill_machine machine;
    const char *file, *size, *camera, *overlay;
    double at, fps, exposure;
    int64_t samples; /* 0: by what is drawn */
    bool es;
} draw_options;

typedef struct drawing {
    const rill_scene *scene;
    rill_world *world;
    rill_physics *physics;
    rill_surface *surface;
    rill_headless *headless;
    rill_render *render;
    rill_render_options look;
    rill_render_material *materials;
    rill_camera camera;
    rill_movie *movie;
    uint8_t *pixels;
    int32_t size[2];
    rill_progress progress;
    rill_message message;
} drawing;

static int fail(drawing *work, int code) {
    rill_progress_wipe(&work->progress);
    fprintf(stderr, "rill render: %s\n", work->message.text);
    return code;
}

static int tell_stopped(drawing *work) {
    snprintf(work->message.text, sizeof work->message.text, "stopped before its end; nothing was written");
    return fail(work, RILL_EXIT_MACHINE);
}

/* ---------------------------------------------------------------------------------------------------------- options */

static bool ends_with(const char *text, const char *ending) {
    size_t length = strlen(text), wanted = strlen(ending);
    return length > wanted && strcmp(text + length - wanted, ending) == 0;
}

static bool refuse(const char *option, const char *found, const char *expected) {
    fprintf(stderr, "rill render: found '%s' for %s, expected %s\n", found, option, expected);
    return false;
}

static bool read_size(const char *text, int32_t size[2]) {
    char *end = NULL;
    long width = strtol(text, &end, 10), height = 0;
    bool good = *end == 'x' && end != text;
    if (good) {
        const char *rest = end + 1;
        height = strtol(rest, &end, 10);
        good = end != rest && !*end && width >= 16 && height >= 16 && width <= SIDE_LIMIT && height <= SIDE_LIMIT;
    }
    if (!good) return refuse("--size", text, "two whole numbers from 16 to 16384, as in 1280x720");
    size[0] = (int32_t)width;
    size[1] = (int32_t)height;
    return true;
}

static bool read_camera(const char *text, rill_camera *camera) {
    double v[7] = { 0, 0, 0, 0, 0, 0, camera->lens };
    int count = 0;
    const char *rest = text;
    for (char *end; count < 7; ++count, rest = end) {
        while (*rest == ',' || *rest == ' ') ++rest;
        v[count] = strtod(rest, &end);
        if (end == rest) {
            v[count] = count == 6 ? camera->lens : 0;
            break;
        }
    }
    bool good = count >= 6 && !*rest && v[6] > 0 && v[6] <= 10000;
    for (int i = 0; i < 7; ++i) good &= fabs(v[i]) <= 1e6;
    if (!good || (v[0] == v[3] && v[1] == v[4] && v[2] == v[5]))
        return refuse("--camera", text, "six or seven numbers: from x y z, to x y z (another place), lens in mm");
    memcpy(camera->from, v, sizeof camera->from);
    memcpy(camera->to, v + 3, sizeof camera->to);
    camera->lens = v[6];
    return true;
}

static bool read_overlay(const char *text, rill_overlay *overlay) {
    char list[160] = "";
    for (int i = 0; i < RILL_OVERLAY_COUNT; ++i) {
        if (strcmp(rill_overlay_name(i), text) == 0) {
            *overlay = (rill_overlay)i;
            return true;
        }
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s",
                 i == 0                        ? ""
                 : i == RILL_OVERLAY_COUNT - 1 ? " or "
                                               : ", ",
                 rill_overlay_name(i));
    }
    return refuse("--overlay", text, list);
}

/* Checks what can be said about the options without the scene. */
static bool check_options(const draw_options *options, drawing *work) {
    if (!options->file) {
        fprintf(stderr, "rill render: no output was named, expected -o FILE.png or -o FILE.mp4\n");
        return false;
    }
    if (!ends_with(options->file, ".png") && !ends_with(options->file, ".mp4"))
        return refuse("-o", options->file, "a name that ends in .png or .mp4");
    rill_camera scratch = { .lens = 35 };
    return (!options->size || read_size(options->size, work->size)) &&
           (!options->overlay || read_overlay(options->overlay, &work->look.overlay)) &&
           (!options->camera || read_camera(options->camera, &scratch));
}

/* --------------------------------------------------------------------------------------------------------- pictures */

static int prepare(drawing *work, const draw_options *options) {
    const rill_scene *scene = work->scene;
    work->headless = rill_headless_create(options->es, &work->message);
    work->render = work->headless ? rill_render_create(work->size[0], work->size[1], &work->message) : NULL;
    if (!work->render) return fail(work, RILL_EXIT_MACHINE);
    rill_surface_def def = rill_default_surface_def();
    def.distances = work->look.overlay == RILL_OVERLAY_MENISCUS;
    rill_result result = rill_surface_create(work->world, &def, &work->surface);
    work->materials = rill_materials_of(scene, &work->look);
    work->pixels = malloc(4 * (size_t)work->size[0] * (size_t)work->size[1]);
    if (result != RILL_OK || !work->materials || !work->pixels) {
        snprintf(work->message.text, sizeof work->message.text, "out of memory");
        return fail(work, RILL_EXIT_MACHINE);
    }
    rill_optics_preset(scene->preset, &work->look.optics);
    work->look.exposure = (float)options->exposure;
    work->look.peels = PEELS;
    work->camera = rill_camera_for(scene, work->world);
    rill_studio_for(&work->camera, &work->look);
    if (options->camera) read_camera(options->camera, &work->camera);
    return RILL_EXIT_DONE;
}

static int draw(drawing *work) {
    rill_result result = rill_surface_build(work->surface);
    if (result != RILL_OK) {
        snprintf(work->message.text, sizeof work->message.text, "the surface could not be built: %s",
                 rill_result_name(result));
        return fail(work, RILL_EXIT_MACHINE);
    }
    if (!rill_render_scene(work->render, work->world, &work->surface, 1, &work->camera, &work->look, &work->message))
        return rill_progress_stop_wanted() ? tell_stopped(work) : fail(work, RILL_EXIT_MACHINE);
    rill_render_read(work->render, work->pixels);
    return RILL_EXIT_DONE;
}

static int draw_into(drawing *work, const char *file) {
    int code = draw(work);
    if (code != RILL_EXIT_DONE) return code;
    bool good = work->movie ? rill_movie_add(work->movie, work->pixels, &work->message)
                            : rill_picture_write(file, work->pixels, work->size[0], work->size[1], &work->message);
    return good ? RILL_EXIT_DONE : fail(work, RILL_EXIT_MACHINE);
}

/* The samples of a still take longer than all the steps before it. */
static bool show_sample(void *context, int32_t count) {
    drawing *work = context;
    rill_progress_count(&work->progress, "drawing, sample", count, work->look.samples);
    return !rill_progress_stop_wanted();
}

static int draw_still(drawing *work, const char *file) {
    work->progress = rill_progress_start();
    work->look.sampled = show_sample;
    work->look.context = work;
    return draw_into(work, file);
}

/* Steps to `until`; a movie gets a picture whenever its next frame is due, a still one at the end. */
static int play(drawing *work, const draw_options *options, double until) {
    const rill_scene *scene = work->scene;
    int64_t count = rill_scene_frame_count(scene->frame, until), shown = 0;
    bool moving = work->movie != NULL, stopped = false;
    rill_progress_catch_stop();
    for (int64_t k = 0; k <= count; ++k) {
        double length = k ? rill_scene_frame_length(scene->frame, until, k) : 0;
        double time = k ? rill_scene_frame_time(scene->frame, until, k) : 0;
        rill_status status;
        if (k && rill_physics_step(work->physics, length, &status) != RILL_OK) {
            snprintf(work->message.text, sizeof work->message.text, "t = %g s: %s", time,
                     rill_world_message(work->world));
            return fail(work, RILL_EXIT_INPUT);
        }
        if (!rill_render_watch(work->render, work->world, length)) {
            snprintf(work->message.text, sizeof work->message.text, "out of memory");
            return fail(work, RILL_EXIT_MACHINE);
        }
        work->look.step = k ? length : scene->frame;
        stopped = rill_progress_stop_wanted();
        bool due = moving ? time >= (double)shown / options->fps * (1 - 1e-9) : k == count;
        if (due && !(stopped && !moving)) {
            int code = moving ? draw_into(work, options->file) : draw_still(work, options->file);
            if (code != RILL_EXIT_DONE) return code;
            ++shown;
        }
        if (moving || k < count) rill_progress_show(&work->progress, time, until);
        if (stopped) break;
    }
    if (stopped && !moving && shown == 0) return tell_stopped(work);
    rill_progress_wipe(&work->progress);
    const char *pngs = moving ? rill_movie_pngs(work->movie) : NULL;
    if (pngs) {
        printf("%lld pictures: %s00000.png and so on (no ffmpeg was found to make a movie of them)\n", (long long)shown,
               pngs);
    } else {
        printf("%s: %d x %d%s\n", options->file, work->size[0], work->size[1],
               stopped && moving ? ", stopped before its end" : "");
    }
    return RILL_EXIT_DONE;
}

static int draw_scene(drawing *work, const draw_options *options) {
    int code = prepare(work, options);
    if (code != RILL_EXIT_DONE) return code;
    bool moving = ends_with(options->file, ".mp4");
    work->look.samples = options->samples ? (int32_t)options->samples : moving ? MOVIE_SAMPLES : STILL_SAMPLES;
    if (moving) {
        work->movie = rill_movie_open(options->file, work->size[0], work->size[1], options->fps, &work->message);
        if (!work->movie) return fail(work, RILL_EXIT_MACHINE);
        if (rill_movie_pngs(work->movie)) {
            fprintf(stderr,
                    "rill render: note: found no program ffmpeg, so pictures are written instead of a movie; on "
                    "Debian: apt-get install ffmpeg\n");
        }
    }
    code = play(work, options, options->at < 0 ? work->scene->until : options->at);
    if (!rill_movie_close(work->movie, &work->message) && code == RILL_EXIT_DONE) code = fail(work, RILL_EXIT_MACHINE);
    return code;
}

/* ---------------------------------------------------------------------------------------------------------- command */

static int read_draw_options(int argc, char **argv, draw_options *options, const char **path) {
    const rill_option table[] = {
        { "-o", "FILE", "picture (.png) or movie (.mp4)", RILL_OPTION_TEXT, &options->file, 0, 0 },
        { "--size", "WxH", "pixels (default 1280x720)", RILL_OPTION_TEXT, &options->size, 0, 0 },
        { "--at", "T", "time of the picture, or end of the movie (default: the scene's run.until)", RILL_OPTION_NUMBER,
          &options->at, 0, 1e9 },
        { "--camera", "\"...\"",
          "from x y z, to x y z (m), lens (mm): six or seven numbers instead of the scene's view", RILL_OPTION_TEXT,
          &options->camera, 0, 0 },
        { "--overlay", "NAME", "wireframe, layers, depth, velocity, normals, meniscus, tiles or forces",
          RILL_OPTION_TEXT, &options->overlay, 0, 0 },
        { "--samples", "N", "per pixel (default 32, movies 6); from 16 on the sky casts soft shadows",
          RILL_OPTION_COUNT, &options->samples, 1, 4096 },
        { "--fps", "N", "frames per second of a movie (default 30)", RILL_OPTION_NUMBER, &options->fps, 0.1, 1000 },
        { "--exposure", "F", "factor for the light (default 1)", RILL_OPTION_NUMBER, &options->exposure, 0.01, 100 },
        { "--gles", NULL, "use OpenGL ES 3.0 instead of OpenGL 3.3", RILL_OPTION_FLAG, &options->es, 0, 0 },
        RILL_OPTION_SET(&options->sets),
        RILL_OPTION_THREADS(&options->machine),
    };
    const rill_command command = { "render",
                                   "SCENE -o FILE",
                                   "Simulates a scene and draws it, without any window: a still at its end, or a movie "
                                   "in real time.",
                                   table,
                                   sizeof table / sizeof table[0],
                                   1,
                                   1 };
    size_t count;
    return rill_options_read(&command, argc, argv, path, &count);
}

int rill_cli_render(int argc, char **argv) {
    draw_options options = { .machine = { .threads = 1 }, .at = -1, .fps = 30, .exposure = 1 };
    drawing work = { .size = { 1280, 720 }, .look = rill_default_render_options() };
    const char *path = NULL;
    int code = read_draw_options(argc, argv, &options, &path);
    if (code != RILL_EXIT_NOT_YET) return code;
    if (!check_options(&options, &work)) return RILL_EXIT_USAGE;
    if (!rill_picture_may_write(options.file, &work.message)) { /* said now, not after minutes of drawing */
        return fail(&work, RILL_EXIT_MACHINE);
    }
    rill_scene *scene;
    work.progress = rill_progress_start();
    code = rill_cli_open(path, &options.sets, &options.machine, &scene, &work.world);
    if (code == RILL_EXIT_DONE) {
        work.scene = scene;
        work.physics = rill_console_physics(scene, work.world);
        code = work.physics ? draw_scene(&work, &options) : RILL_EXIT_MACHINE;
    }
    rill_render_destroy(work.render);
    rill_headless_destroy(work.headless);
    rill_surface_destroy(work.surface);
    rill_physics_destroy(work.physics);
    free(work.materials);
    free(work.pixels);
    rill_world_destroy(work.world);
    rill_scene_free(scene);
    return code;
}
