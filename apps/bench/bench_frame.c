/* `rill bench --case frame_surgery`: a picture of `surgery`, 640 x 360, one sample, as the viewer draws it while something
 * moves: taking the world, and drawing. In software GL all of it is the processor's work. */
#define _POSIX_C_SOURCE 200809L

#include "bench_internal.h"
#include "console/console.h"
#include "render/headless.h"
#include "render/render.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WIDTH = 640, HEIGHT = 360, PICTURES = 12 };
static const double MOMENT = 2.4; /* s: blood in all three places */

typedef struct stage {
    rill_scene *scene;
    rill_world *world;
    rill_surface *surface;
    rill_headless *headless;
    rill_render *render;
    rill_render_material *materials;
    rill_message message;
} stage;

static void leave(stage *on) {
    free(on->materials);
    rill_render_destroy(on->render);
    rill_headless_destroy(on->headless);
    rill_surface_destroy(on->surface);
    rill_world_destroy(on->world);
    rill_scene_free(on->scene);
}

/* Runs the scene to its moment; the renderer remembers what has been wet. False: the message says why. */
static bool enter(stage *on, const char *path) {
    rill_scene_report report = { 0 };
    const bool read = rill_scene_load(path, NULL, &on->scene, &report) == RILL_SCENE_OK &&
                      rill_scene_create_world(on->scene, NULL, &on->world, &report) == RILL_SCENE_OK;
    snprintf(on->message.text, sizeof on->message.text, "%s", read || !report.count ? "" : report.items[0].text);
    rill_scene_report_free(&report);
    on->headless = read ? rill_headless_create(false, &on->message) : NULL;
    on->render = on->headless ? rill_render_create(WIDTH, HEIGHT, &on->message) : NULL;
    bool good = on->render != NULL;
    rill_status status;
    while (good && rill_world_time(on->world) < MOMENT)
        good = rill_scene_step(on->scene, on->world, on->scene->frame, &status) == RILL_OK &&
               rill_render_watch(on->render, on->world, on->scene->frame);
    const rill_surface_def def = rill_default_surface_def();
    return good && rill_surface_create(on->world, &def, &on->surface) == RILL_OK &&
           rill_surface_build(on->surface) == RILL_OK;
}

/* Of the processor, in all threads: in software GL that is what a picture costs, whatever else runs. */
static double processor_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Finds the least of the times of some pictures, s, by the wall's clock and the processor's; false: the message says why. */
static bool time_pictures(stage *on, double best[2]) {
    rill_render_options options = rill_default_render_options();
    const rill_camera camera = rill_camera_for(on->scene, on->world);
    uint8_t *pixels = malloc((size_t)WIDTH * HEIGHT * 4);
    on->materials = rill_materials_of(on->scene, &options);
    rill_optics_preset(on->scene->preset, &options.optics);
    rill_studio_for(&camera, &options);
    best[0] = best[1] = INFINITY;
    bool good = pixels && on->materials;
    for (int i = 0; good && i < PICTURES; ++i) {
        const double start = rill_bench_now(), spent = processor_time();
        good = rill_render_scene(on->render, on->world, &on->surface, 1, &camera, &options, &on->message);
        rill_render_read(on->render, pixels); /* waits for it */
        best[0] = fmin(best[0], rill_bench_now() - start);
        best[1] = fmin(best[1], processor_time() - spent);
    }
    free(pixels);
    return good;
}

int rill_bench_frame(const char *path) {
    stage on = { .message = { "" } };
    double best[2];
    const bool good = enter(&on, path) && time_pictures(&on, best);
    if (good)
        printf("%s: %d x %d pixels in %.1f ms, %.1f ms of the processor\n", RILL_BENCH_FRAME, WIDTH, HEIGHT,
               1e3 * best[0], 1e3 * best[1]);
    else
        fprintf(stderr, "rill bench: %s: %s\n", RILL_BENCH_FRAME,
                on.message.text[0] ? on.message.text : "out of memory");
    leave(&on);
    return good ? RILL_EXIT_DONE : RILL_EXIT_MACHINE;
}
