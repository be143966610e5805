/* Names, the lock, and removing what a bake has left. */
#include "bake_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "console/console.h"
#include "scene/files.h"

/* Complaints come from deep inside, perhaps onto the line of the progress bar. */
static void wipe_line(void) {
    rill_progress_wipe(&(const rill_progress){ .shown = isatty(STDERR_FILENO) != 0 });
}

bool rill_bake_complain(const char *path, const char *why) {
    wipe_line();
    fprintf(stderr, "rill bake: %s: %s\n", path, why);
    return false;
}

bool rill_bake_complain_of_disk(const char *path, const char *why) {
    wipe_line();
    fprintf(stderr,
            "rill bake: %s: cannot be written: %s\n"
            "rill bake: frames that are complete stay; when this is mended, the same command goes on from them\n",
            path, why);
    return false;
}

bool rill_bake_path(const char *folder, const char *name, char path[RILL_BAKE_PATH]) {
    int length = snprintf(path, RILL_BAKE_PATH, "%s/%s", folder, name);
    return length > 0 && length < RILL_BAKE_PATH ? true : rill_bake_complain(folder, "its name is too long");
}

void rill_bake_frame_name(char name[RILL_BAKE_NAME], const char *kind, int64_t number, rill_mesh_format format) {
    snprintf(name, RILL_BAKE_NAME, "%s_%05" PRId64 ".%s", kind, number, rill_mesh_format_name(format));
}

int rill_bake_folder_open(const char *folder, int *code) {
    rill_message message;
    *code = RILL_EXIT_MACHINE;
    if (!rill_file_make_folders(folder, &message)) {
        fprintf(stderr, "rill bake: %s\n", message.text);
        return -1;
    }
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) {
        rill_bake_complain_of_disk(folder, strerror(errno));
        return -1;
    }
    /* The lock goes with the process, however it ends. A file system without locks is no reason not to bake. */
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        rill_bake_complain(folder,
                           "another rill bake is at work in this folder: wait for it, or choose another with -o");
        close(descriptor);
        *code = RILL_EXIT_USAGE;
        return -1;
    }
    return descriptor;
}

bool rill_bake_is_whole(const char *folder, rill_mesh_format format, int64_t written) {
    char name[RILL_BAKE_NAME], path[RILL_BAKE_PATH];
    for (int64_t i = 0; i < written && format != RILL_MESH_USDA; ++i) {
        rill_bake_frame_name(name, "liquid", i, format);
        if (!rill_bake_path(folder, name, path)) return false;
        if (access(path, F_OK) != 0)
            return rill_bake_complain(path, "this frame was baked but is gone: --fresh bakes everything again");
    }
    return true;
}

/* --------------------------------------------------------------------------------------------------------- removing */

/* Tells whether text is `head`, then digits if there have to be some, then one of the endings of meshes, or csv. */
static bool matches(const char *text, const char *head, bool numbered) {
    size_t length = strlen(head), digits = strspn(text + (strncmp(text, head, length) == 0 ? length : 0), "0123456789");
    if (strncmp(text, head, length) != 0 || (numbered ? digits < 5 : digits > 0) || text[length + digits] != '.')
        return false;
    rill_mesh_format format;
    return rill_mesh_format_find(text + length + digits + 1, &format) || strcmp(text + length + digits, ".csv") == 0;
}

/* Tells whether a bake writes files of that name, or has them while it writes. */
static bool is_ours(const char *name) {
    static const char *const plain[] = { RILL_BAKE_INDEX, RILL_BAKE_SAMPLES, RILL_BAKE_STAGE, RILL_BAKE_RECORD };
    char stem[RILL_BAKE_NAME];
    size_t length = strlen(name);
    if (length >= sizeof stem) return false;
    strcpy(stem, name);
    if (length > 5 && strcmp(stem + length - 5, ".part") == 0) stem[length - 5] = 0;
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; ++i)
        if (strcmp(stem, plain[i]) == 0) return true;
    return matches(stem, "liquid_", true) || matches(stem, "moving_", true) || matches(stem, "bodies_", true) ||
           matches(stem, "solids", false);
}

bool rill_bake_remove(const char *folder) {
    char path[RILL_BAKE_PATH];
    DIR *all = opendir(folder);
    if (!all) return rill_bake_complain(folder, strerror(errno));
    bool good = true;
    for (struct dirent *entry = readdir(all); entry && good; entry = readdir(all))
        if (is_ours(entry->d_name) && rill_bake_path(folder, entry->d_name, path) && unlink(path) != 0)
            good = rill_bake_complain(path, strerror(errno));
    closedir(all);
    return good;
}

void rill_bake_remove_samples(const char *folder) {
    char path[RILL_BAKE_PATH];
    if (rill_bake_path(folder, RILL_BAKE_SAMPLES, path)) unlink(path);
}
