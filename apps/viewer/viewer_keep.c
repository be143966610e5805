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
static bool new_name(rill_viewer *viewer, const char *kind, const char *ending, char *path, size_t room) {
    rill_message message;
    if (!rill_file_make_folders(viewer->options->folder, &message)) {
        rill_viewer_say(viewer, "%s", message.text);
        return false;
    }
    do {
        snprintf(path, room, "%s/%s_%03d%s", viewer->options->folder, kind, ++viewer->kept, ending);
    } while (access(path, F_OK) == 0);
    return true;
}

/* ----------------------------------------------------------------------------------------------------- screenshots */

/* Tells whether the picture has full size. */
static bool is_whole(const rill_viewer *viewer) {
    return viewer->drawn && viewer->opened && viewer->render_size[0] == viewer->picture[0] &&
           viewer->render_size[1] == viewer->picture[1];
}

void rill_keep_window(rill_viewer *viewer) {
    size_t row = 4 * (size_t)viewer->size[0];
    rill_message message = { "out of memory" };
    if (!viewer->window_shot[0] || !(viewer->in_gallery || is_whole(viewer))) return;
    uint8_t *pixels = malloc(row * (size_t)viewer->size[1]);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    for (int32_t y = 0; pixels && y < viewer->size[1]; ++y) { /* GL counts rows from below */
        glReadPixels(0, viewer->size[1] - 1 - y, viewer->size[0], 1, GL_RGBA, GL_UNSIGNED_BYTE,
                     pixels + row * (size_t)y);
    }
    bool good = pixels && rill_picture_write(viewer->window_shot, pixels, viewer->size[0], viewer->size[1], &message);
    rill_viewer_say(viewer, good ? "Picture: %s" : "No picture: %s", good ? viewer->window_shot : message.text);
    free(pixels);
    viewer->window_shot[0] = 0;
}

static bool read_picture(rill_viewer *viewer) {
    uint8_t *pixels = realloc(viewer->pixels, 4 * (size_t)viewer->render_size[0] * (size_t)viewer->render_size[1]);
    if (!pixels) {
        rill_viewer_say(viewer, "Out of memory for a picture");
        return false;
    }
    viewer->pixels = pixels;
    rill_render_read(viewer->render, pixels);
    return true;
}

void rill_keep_screenshot(rill_viewer *viewer, bool whole) {
    viewer->shoot |= !whole;
    if (whole) new_name(viewer, "window", ".png", viewer->window_shot, sizeof viewer->window_shot);
    rill_viewer_touch(viewer);
}

static void shoot(rill_viewer *viewer) {
    char path[1024];
    rill_message message;
    viewer->shoot = false;
    if (new_name(viewer, "picture", ".png", path, sizeof path) && read_picture(viewer)) {
        bool good = rill_picture_write(path, viewer->pixels, viewer->render_size[0], viewer->render_size[1], &message);
        rill_viewer_say(viewer, good ? "Picture: %s" : "No picture: %s", good ? path : message.text);
    }
}

/* ---------------------------------------------------------------------------------------------------------- movies */

static void stop_movie(rill_viewer *viewer, const char *why) {
    rill_message message = { "" };
    bool pngs = viewer->movie && rill_movie_pngs(viewer->movie);
    viewer->recording = false;
    if (!rill_movie_close(viewer->movie, &message)) {
        rill_viewer_say(viewer, "%s", message.text);
    } else {
        rill_viewer_say(viewer, "%s: %lld %s in %s", why, (long long)viewer->movie_frames, pngs ? "pictures" : "frames",
                        viewer->options->folder);
    }
    viewer->movie = NULL;
}

void rill_keep_record(rill_viewer *viewer) {
    if (viewer->recording) {
        stop_movie(viewer, "Movie");
    } else {
        viewer->recording = true;
        viewer->movie_frames = 0;
        viewer->movie_clock = viewer->movie_writing = 0;
        rill_viewer_touch(viewer);
    }
}

static bool start_movie(rill_viewer *viewer) {
    char path[1024];
    rill_message message = { "" };
    if (!new_name(viewer, "movie", ".mp4", path, sizeof path)) return false;
    viewer->movie = rill_movie_open(path, viewer->render_size[0], viewer->render_size[1], MOVIE_RATE, &message);
    if (!viewer->movie) {
        rill_viewer_say(viewer, "No movie: %s", message.text);
        return false;
    }
    memcpy(viewer->movie_size, viewer->render_size, sizeof viewer->movie_size);
    viewer->movie_time = viewer->status.time;
    rill_viewer_say(viewer, rill_movie_pngs(viewer->movie) ? "Recording pictures, as there is no ffmpeg" : "Recording");
    return true;
}

/* While the world plays a movie follows its time, however slowly it goes here; while it is paused, that of the clock,
 * without what writing takes: else long writing would ask for more frames, which take longer still. */
static void add_frames(rill_viewer *viewer) {
    rill_message message = { "" };
    double passed = viewer->status.time - viewer->movie_time;
    viewer->movie_time = viewer->status.time;
    double waited = viewer->passed > viewer->movie_writing ? viewer->passed - viewer->movie_writing : 0;
    viewer->movie_clock += viewer->status.playing && passed >= 0 ? passed / viewer->status.speed : waited;
    bool due = (double)viewer->movie_frames <= viewer->movie_clock * MOVIE_RATE;
    if (!due || !read_picture(viewer)) return;
    for (int i = 0; (double)viewer->movie_frames <= viewer->movie_clock * MOVIE_RATE && i < MOST_REPEATS; ++i) {
        if (!rill_movie_add(viewer->movie, viewer->pixels, &message)) {
            stop_movie(viewer, "Movie");
            rill_viewer_say(viewer, "%s", message.text);
            return;
        }
        ++viewer->movie_frames;
    }
}

void rill_keep_picture(rill_viewer *viewer) {
    bool whole = is_whole(viewer);
    if (viewer->shoot && whole) shoot(viewer);
    if (!viewer->recording || (!viewer->movie && !whole)) return;
    if (!viewer->movie && !start_movie(viewer)) {
        viewer->recording = false;
    } else if (memcmp(viewer->movie_size, viewer->render_size, sizeof viewer->movie_size) != 0) {
        stop_movie(viewer, "The size has changed, the movie ends");
    } else {
        double start = rill_player_clock();
        add_frames(viewer);
        viewer->movie_writing = rill_player_clock() - start;
    }
}

/* ------------------------------------------------------------------------------------------------------- snapshots */

void rill_keep_snapshot(rill_viewer *viewer, bool load) {
    rill_order order = { .kind = load ? RILL_ORDER_LOAD : RILL_ORDER_SAVE };
    char name[sizeof viewer->name];
    snprintf(name, sizeof name, "%s", viewer->name);
    for (char *p = name; *p; ++p) *p = *p == '/' ? '_' : *p; /* names of scenes are no paths */
    snprintf(order.text, sizeof order.text, "%s/%s.snapshot", viewer->options->folder, name);
    rill_viewer_order(viewer, &order);
}
