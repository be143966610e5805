/* Only regular files are read: a scene that names /dev/zero or a pipe must not hang the program. */
#include "files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static rill_result fail(rill_message *message, rill_result result, const char *text) {
    snprintf(message->text, sizeof message->text, "%s", text);
    return result;
}

static bool is_regular(const struct stat *status, rill_message *message) {
    if (S_ISDIR(status->st_mode)) {
        fail(message, RILL_INVALID_STATE, "it is a folder");
        return false;
    }
    if (!S_ISREG(status->st_mode)) {
        fail(message, RILL_INVALID_STATE, "it is no regular file");
        return false;
    }
    return true;
}

bool rill_file_check(const char *path, rill_message *message) {
    struct stat status;
    if (stat(path, &status) != 0) {
        fail(message, RILL_INVALID_STATE, strerror(errno));
        return false;
    }
    if (!is_regular(&status, message)) return false;
    FILE *file = fopen(path, "rb");
    if (!file) {
        fail(message, RILL_INVALID_STATE, strerror(errno));
        return false;
    }
    fclose(file);
    return true;
}

static rill_result read_open(FILE *file, size_t limit, char **out, size_t *size, rill_message *message) {
    struct stat status;
    if (fstat(fileno(file), &status) != 0) return fail(message, RILL_INVALID_STATE, strerror(errno));
    if (!is_regular(&status, message)) return RILL_INVALID_STATE;
    if (status.st_size < 0 || (uintmax_t)status.st_size > limit) {
        snprintf(message->text, sizeof message->text, "it is larger than %zu MB", limit >> 20);
        return RILL_INVALID_STATE;
    }
    size_t expected = (size_t)status.st_size;
    char *data = malloc(expected + 1);
    if (!data) return fail(message, RILL_OUT_OF_MEMORY, "out of memory");
    *size = fread(data, 1, expected, file);
    if (ferror(file)) {
        free(data);
        return fail(message, RILL_INVALID_STATE, strerror(errno));
    }
    data[*size] = 0;
    *out = data;
    return RILL_OK;
}

rill_result rill_file_read(const char *path, size_t limit, char **out, size_t *size, rill_message *message) {
    struct stat status;
    *out = NULL;
    *size = 0;
    /* Looked at before opening too: opening a pipe without a writer would wait for one. */
    if (stat(path, &status) != 0) return fail(message, RILL_INVALID_STATE, strerror(errno));
    if (!is_regular(&status, message)) return RILL_INVALID_STATE;
    FILE *file = fopen(path, "rb");
    if (!file) return fail(message, RILL_INVALID_STATE, strerror(errno));
    rill_result result = read_open(file, limit, out, size, message);
    fclose(file);
    return result;
}

/* One folder; it may be there already. */
static bool make_folder(const char *path, rill_message *message) {
    struct stat status;
    if ((mkdir(path, 0777) != 0 && errno != EEXIST) || stat(path, &status) != 0) {
        snprintf(message->text, sizeof message->text, "%.160s: cannot be written: %s", path, strerror(errno));
        return false;
    }
    if (!S_ISDIR(status.st_mode)) {
        snprintf(message->text, sizeof message->text, "%.160s: cannot be written: it is no folder", path);
        return false;
    }
    return true;
}

bool rill_file_make_folders(const char *folder, rill_message *message) {
    size_t length = strlen(folder);
    char *path = malloc(length + 1);
    if (!path) {
        fail(message, RILL_OUT_OF_MEMORY, "out of memory");
        return false;
    }
    strcpy(path, folder);
    bool good = true;
    for (size_t i = 1; i < length && good; ++i) {
        if (path[i] == '/') {
            path[i] = 0;
            good = make_folder(path, message);
            path[i] = '/';
        }
    }
    good = good && make_folder(path, message);
    free(path);
    return good;
}

const char *rill_file_leaf(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *rill_file_ending(const char *path) {
    const char *leaf = rill_file_leaf(path);
    const char *dot = strrchr(leaf, '.');
    return dot && dot != leaf ? dot : leaf + strlen(leaf);
}

bool rill_file_ends(const char *path, const char *ending) {
    return strcasecmp(rill_file_ending(path), ending) == 0;
}

char *rill_file_beside(rill_store *store, const char *beside, const char *name) {
    size_t folder = name[0] == '/' ? 0 : (size_t)(rill_file_leaf(beside) - beside);
    char *path = rill_store_take(store, folder + strlen(name) + 1, 1);
    if (path) {
        memcpy(path, beside, folder);
        strcpy(path + folder, name);
    }
    return path;
}
