/* Files that the user asks to keep: screenshots, movies, snapshots; all in one folder. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "render/gl.h"
#include "scene/files.h"
#include "viewer_internal.h"

static const double MOVIE_RATE = 30; /* frames per second */
enum { MOST_REPEATS = 30 };

/* "folder/kind_001.png": the first that does not exist. False: no folder, which was told. */
static bool new_name(rill_viewer *v, const char *kind, const char *ending, char *path, size_t room) {
    rill_message message;
    if (!rill_file_make_folders(v->options->folder, &message)) {
        rill_viewer_say(v, "%s", message.text);
        return false;
    }
    do {
        snprintf(path, room, "%s/%s_%03d%s", v->options->folder, kind, ++v->kept, ending);
    } while (access(path, F_OK) == 0);
    return true;
}

/* ----------------------------------------------------------------------------------------------------- screenshots */

/* Tells whether the picture has full size. */
static bool is_whole(const rill_viewer *v) {
    return v->drawn && v->opened && v->render_size[0] == v->picture[0] && v->render_size[1] == v->picture[1];
}

void rill_keep_window(rill_viewer *v) {
    size_t row = 4 * (size_t)v->size[0];
    rill_message message = { "out of memory" };
    if (!v->window_shot[0] || !(v->in_gallery || is_whole(v))) {
        return;
    }
    uint8_t *pixels = malloc(row * (size_t)v->size[1]);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    for (int32_t y = 0; pixels && y < v->size[1]; y++) { /* GL counts rows from below */
        glReadPixels(0, v->size[1] - 1 - y, v->size[0], 1, GL_RGBA, GL_UNSIGNED_BYTE, pixels + row * (size_t)y);
    }
    bool good = pixels && rill_picture_write(v->window_shot, pixels, v->size[0], v->size[1], &message);
    rill_viewer_say(v, good ? "Picture: %s" : "No picture: %s", good ? v->window_shot : message.text);
    free(pixels);
    v->window_shot[0] = 0;
}

static bool read_picture(rill_viewer *v) {
    uint8_t *pixels = realloc(v->pixels, 4 * (size_t)v->render_size[0] * (size_t)v->render_size[1]);
    if (!pixels) {
        rill_viewer_say(v, "Out of memory for a picture");
        return false;
    }
    v->pixels = pixels;
    rill_render_read(v->render, pixels);
    return true;
}

void rill_keep_screenshot(rill_viewer *v, bool whole) {
    v->shoot |= !whole;
    if (whole) {
        new_name(v, "window", ".png", v->window_shot, sizeof v->window_shot);
    }
    rill_viewer_touch(v);
}

static void shoot(rill_viewer *v) {
    char path[1024];
    rill_message message;
    v->shoot = false;
    if (new_name(v, "picture", ".png", path, sizeof path) && read_picture(v)) {
        bool good = rill_picture_write(path, v->pixels, v->render_size[0], v->render_size[1], &message);
        rill_viewer_say(v, good ? "Picture: %s" : "No picture: %s", good ? path : message.text);
    }
}

/* ---------------------------------------------------------------------------------------------------------- movies */

static void stop_movie(rill_viewer *v, const char *why) {
    rill_message message = { "" };
    bool pngs = v->movie && rill_movie_pngs(v->movie);
    v->recording = false;
    if (!rill_movie_close(v->movie, &message)) {
        rill_viewer_say(v, "%s", message.text);
    } else {
        rill_viewer_say(v, "%s: %lld %s in %s", why, (long long)v->movie_frames, pngs ? "pictures" : "frames",
                        v->options->folder);
    }
    v->movie = NULL;
}

void rill_keep_record(rill_viewer *v) {
    if (v->recording) {
        stop_movie(v, "Movie");
    } else {
        v->recording = true;
        v->movie_frames = 0;
        v->movie_clock = v->movie_writing = 0;
        rill_viewer_touch(v);
    }
}

static bool start_movie(rill_viewer *v) {
    char path[1024];
    rill_message message = { "" };
    if (!new_name(v, "movie", ".mp4", path, sizeof path)) {
        return false;
    }
    v->movie = rill_movie_open(path, v->render_size[0], v->render_size[1], MOVIE_RATE, &message);
    if (!v->movie) {
        rill_viewer_say(v, "No movie: %s", message.text);
        return false;
    }
    memcpy(v->movie_size, v->render_size, sizeof v->movie_size);
    v->movie_time = v->status.time;
    rill_viewer_say(v, rill_movie_pngs(v->movie) ? "Recording pictures, as there is no ffmpeg" : "Recording");
    return true;
}

/* While the world plays a movie follows its time, however slowly it goes here; while it is paused, that of the clock,
 * without what writing takes: else long writing would ask for more frames, which take longer still. */
static void add_frames(rill_viewer *v) {
    rill_message message = { "" };
    double passed = v->status.time - v->movie_time;
    v->movie_time = v->status.time;
    double waited = v->passed > v->movie_writing ? v->passed - v->movie_writing : 0;
    v->movie_clock += v->status.playing && passed >= 0 ? passed / v->status.speed : waited;
    bool due = (double)v->movie_frames <= v->movie_clock * MOVIE_RATE;
    if (!due || !read_picture(v)) {
        return;
    }
    for (int i = 0; (double)v->movie_frames <= v->movie_clock * MOVIE_RATE && i < MOST_REPEATS; i++) {
        if (!rill_movie_add(v->movie, v->pixels, &message)) {
            stop_movie(v, "Movie");
            rill_viewer_say(v, "%s", message.text);
            return;
        }
        v->movie_frames++;
    }
}

void rill_keep_picture(rill_viewer *v) {
    bool whole = is_whole(v);
    if (v->shoot && whole) {
        shoot(v);
    }
    if (!v->recording || (!v->movie && !whole)) {
        return;
    }
    if (!v->movie && !start_movie(v)) {
        v->recording = false;
    } else if (memcmp(v->movie_size, v->render_size, sizeof v->movie_size) != 0) {
        stop_movie(v, "The size has changed, the movie ends");
    } else {
        double start = rill_player_clock();
        add_frames(v);
        v->movie_writing = rill_player_clock() - start;
    }
}

/* ------------------------------------------------------------------------------------------------------- snapshots */

void rill_keep_snapshot(rill_viewer *v, bool load) {
    rill_order order = { .kind = load ? RILL_ORDER_LOAD : RILL_ORDER_SAVE };
    char name[sizeof v->name];
    snprintf(name, sizeof name, "%s", v->name);
    for (char *p = name; *p; p++) {
        *p = *p == '/' ? '_' : *p; /* names of scenes are no paths */
    }
    snprintf(order.text, sizeof order.text, "%s/%s.snapshot", v->options->folder, name);
    rill_viewer_order(v, &order);
}
