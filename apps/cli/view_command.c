/* rill view: a window with a scene in it, or with all of them to choose from. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "viewer/viewer.h"

typedef struct view_options {
    rill_text_list sets;
    rill_machine machine;
    const char *scenes, *folder, *size, *script, *report;
    double density;
} view_options;

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Returns the scenes that came with the program: beside it or above it (a build), where it was installed, or where it
 * was built. */
static const char *find_scenes(char *room, size_t size) {
    static const char *const places[] = { "scenes", "../scenes", "../share/rill/scenes" };
    char program[1024];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0) {
        program[length] = 0;
        char *slash = strrchr(program, '/');
        int folder = slash ? (int)(slash - program) : 0;
        for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i) {
            snprintf(room, size, "%.*s/%s", folder, program, places[i]);
            if (is_folder(room)) return room;
        }
    }
    return RILL_SCENES_DIR;
}

static bool read_window_size(const char *text, int32_t size[2]) {
    char *end = NULL;
    long width = strtol(text, &end, 10), height = *end == 'x' ? strtol(end + 1, &end, 10) : 0;
    if (*end || width < 320 || height < 240 || width > 16384 || height > 16384) {
        fprintf(stderr,
                "rill view: found '%s' for --size, expected two whole numbers, as in 1280x800, from 320x240 to "
                "16384x16384\n",
                text);
        return false;
    }
    size[0] = (int32_t)width;
    size[1] = (int32_t)height;
    return true;
}

static int read_view_options(int argc, char **argv, view_options *options, const char **path, size_t *count) {
    const rill_option table[] = {
        { "--scenes", "DIR", "folder of the gallery (default: the scenes that came with the program)", RILL_OPTION_TEXT,
          &options->scenes, 0, 0 },
        { "--out", "DIR", "folder for pictures, movies and snapshots (default out/<name of the scene file>)",
          RILL_OPTION_TEXT, &options->folder, 0, 0 },
        { "--size", "WxH", "of the window (default 1360x880)", RILL_OPTION_TEXT, &options->size, 0, 0 },
        { "--density", "F", "of the screen; 2 makes text twice as large (default: as the system says)",
          RILL_OPTION_NUMBER, &options->density, 0.5, 8 },
        { "--report", "FILE", "F12 appends the state as a line of JSON (default: standard output)", RILL_OPTION_TEXT,
          &options->report, 0, 0 },
        { "--script", "FILE", "input in place of a person's, for tests", RILL_OPTION_TEXT, &options->script, 0, 0 },
        RILL_OPTION_SET(&options->sets),
        RILL_OPTION_THREADS(&options->machine),
        RILL_OPTION_SIMD(&options->machine),
    };
    const rill_command command = {
        "view",
        "[SCENE]",
        "Opens a window to play with a scene; without one, a gallery to choose from. H shows "
        "all keys.",
        table,
        sizeof table / sizeof table[0],
        0,
        1
    };
    return rill_options_read(&command, argc, argv, path, count);
}

static int code_of(rill_viewer_result result, const rill_message *message) {
    if (result != RILL_VIEWER_DONE && message->text[0]) fprintf(stderr, "rill view: %s\n", message->text);
    return result == RILL_VIEWER_DONE        ? RILL_EXIT_DONE
           : result == RILL_VIEWER_BAD_INPUT ? RILL_EXIT_INPUT
                                             : RILL_EXIT_MACHINE;
}

int rill_cli_view(int argc, char **argv) {
    view_options options = { .machine = { .threads = 1 } };
    rill_viewer_options viewer = { .size = { 1360, 880 } };
    rill_message message;
    char room[1200];
    const char *path = NULL;
    size_t count = 0;
    int code = read_view_options(argc, argv, &options, &path, &count);
    if (code != RILL_EXIT_NOT_YET) return code;
    if (options.size && !read_window_size(options.size, viewer.size)) return RILL_EXIT_USAGE;
    char *folder = rill_cli_folder(count ? path : "view");
    if (!folder) {
        fprintf(stderr, "rill view: out of memory\n");
        return RILL_EXIT_MACHINE;
    }
    viewer.scene = count ? path : NULL;
    viewer.scenes = options.scenes ? options.scenes : find_scenes(room, sizeof room);
    viewer.folder = options.folder ? options.folder : folder;
    viewer.script = options.script;
    viewer.report = options.report;
    viewer.density = options.density;
    viewer.runtime = rill_machine_runtime(&options.machine);
    viewer.scene_options = (rill_scene_options){ .sets = options.sets.items, .set_count = options.sets.count };
    code = code_of(rill_viewer_run(&viewer, &message), &message);
    free(folder);
    return code;
}
