/* PNG through libpng's simplified interface; movies by a pipe to ffmpeg, which is looked for in PATH. */
#include "picture.h"

#include <errno.h>
#include <fcntl.h>
#include <png.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

bool rill_picture_may_write(const char *path, rill_message *message) {
    struct stat there;
    bool exists = stat(path, &there) == 0;
    if (exists && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode))
        return true; /* opening a pipe would be noticed at its other end */
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) {
        snprintf(message->text, sizeof message->text, "%.150s: cannot be written: %.64s", path,
                 errno == ENOENT ? "there is no such folder" : strerror(errno));
        return false;
    }
    close(file);
    if (!exists) unlink(path);
    return true;
}

bool rill_picture_write(const char *path, const uint8_t *pixels, int32_t width, int32_t height, rill_message *message) {
    size_t count = (size_t)width * (size_t)height;
    uint8_t *rgb = malloc(3 * count);
    if (!rgb) {
        snprintf(message->text, sizeof message->text, "%s: out of memory", path);
        return false;
    }
    for (size_t i = 0; i < count; ++i) memcpy(&rgb[3 * i], &pixels[4 * i], 3);
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = (png_uint_32)width;
    image.height = (png_uint_32)height;
    image.format = PNG_FORMAT_RGB;
    errno = 0;
    bool good = png_image_write_to_file(&image, path, 0, rgb, 0, NULL) != 0;
    if (!good) { /* libpng knows only that it failed, not that the disk is full */
        snprintf(message->text, sizeof message->text, "%.150s: cannot be written: %.64s", path,
                 errno ? strerror(errno) : image.message);
    }
    free(rgb);
    return good;
}

struct rill_movie {
    int32_t width, height, frames;
    pid_t child;    /* 0: PNGs */
    int pipe;       /* to ffmpeg */
    char name[512]; /* of the movie, or pattern of the PNGs */
};

static bool has_ffmpeg(void) {
    const char *path = getenv("PATH");
    char file[512];
    while (path && *path) {
        size_t length = strcspn(path, ":");
        snprintf(file, sizeof file, "%.*s/ffmpeg", (int)length, path);
        if (length && access(file, X_OK) == 0) return true;
        path += length + (path[length] == ':');
    }
    return false;
}

/* In the child: becomes ffmpeg, reading frames from `input`. Never returns. */
static void become_ffmpeg(const rill_movie *movie, int input, double fps) {
    char size[64], rate[64];
    snprintf(size, sizeof size, "%dx%d", movie->width, movie->height);
    snprintf(rate, sizeof rate, "%.6g", fps);
    const char *arguments[] = {
        "ffmpeg",   "-loglevel", "error", "-y", "-f", "rawvideo",  "-pix_fmt", "rgba",
        "-s",       size,        "-r",    rate, "-i", "-",         "-vf",      "pad=ceil(iw/2)*2:ceil(ih/2)*2",
        "-pix_fmt", "yuv420p",   "-crf",  "18", "--", movie->name, NULL
    };
    setpgid(0, 0); /* Ctrl-C is for us: it ends the movie, whole */
    dup2(input, STDIN_FILENO);
    execvp("ffmpeg", (char *const *)(uintptr_t)arguments);
    _exit(127);
}

rill_movie *rill_movie_open(const char *path, int32_t width, int32_t height, double fps, rill_message *message) {
    rill_movie *movie = calloc(1, sizeof *movie);
    if (!movie || strlen(path) > sizeof movie->name - 16) {
        snprintf(message->text, sizeof message->text, movie ? "the name of the movie is too long" : "out of memory");
        free(movie);
        return NULL;
    }
    movie->width = width;
    movie->height = height;
    movie->pipe = -1;
    if (!has_ffmpeg()) {
        const char *dot = strrchr(path, '.');
        snprintf(movie->name, sizeof movie->name, "%.*s_", (int)(dot ? (size_t)(dot - path) : strlen(path)), path);
        return movie;
    }
    snprintf(movie->name, sizeof movie->name, "%s%s", path[0] == '-' ? "./" : "", path);
    int ends[2];
    if (pipe(ends) != 0) {
        snprintf(message->text, sizeof message->text, "ffmpeg could not be started: %s", strerror(errno));
        free(movie);
        return NULL;
    }
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    movie->child = fork();
    if (movie->child == 0) become_ffmpeg(movie, ends[0], fps);
    close(ends[0]);
    movie->pipe = ends[1];
    if (movie->child < 0) {
        snprintf(message->text, sizeof message->text, "ffmpeg could not be started: %s", strerror(errno));
        close(ends[1]);
        free(movie);
        return NULL;
    }
    return movie;
}

const char *rill_movie_pngs(const rill_movie *movie) {
    return movie->child ? NULL : movie->name;
}

/* Writes all of it; an ffmpeg that has gone must not take this program with it. */
static bool write_all(int file, const uint8_t *bytes, size_t size) {
    struct sigaction ignore, before;
    memset(&ignore, 0, sizeof ignore);
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, &before);
    while (size > 0) {
        ssize_t done = write(file, bytes, size);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) break;
        bytes += done;
        size -= (size_t)done;
    }
    sigaction(SIGPIPE, &before, NULL);
    return size == 0;
}

bool rill_movie_add(rill_movie *movie, const uint8_t *pixels, rill_message *message) {
    if (!movie->child) {
        char path[600];
        snprintf(path, sizeof path, "%s%05d.png", movie->name, movie->frames++);
        return rill_picture_write(path, pixels, movie->width, movie->height, message);
    }
    ++movie->frames;
    if (!write_all(movie->pipe, pixels, 4 * (size_t)movie->width * (size_t)movie->height)) {
        snprintf(message->text, sizeof message->text, "%.150s: ffmpeg took no more frames: %.64s", movie->name,
                 strerror(errno));
        return false;
    }
    return true;
}

bool rill_movie_close(rill_movie *movie, rill_message *message) {
    if (!movie) return true;
    int status = 0;
    if (movie->child) {
        close(movie->pipe);
        while (waitpid(movie->child, &status, 0) < 0 && errno == EINTR) {}
    }
    bool good = status == 0;
    if (!good) snprintf(message->text, sizeof message->text, "%.150s: ffmpeg failed", movie->name);
    free(movie);
    return good;
}
