/* Whole files into memory, and names of files next to others. */
#ifndef RILL_SCENE_FILES_H
#define RILL_SCENE_FILES_H

#include "rill/rill.h"
#include "store.h"

/* Reads a regular file of at most `limit` bytes. RILL_INVALID_STATE with a message (without the file's name) when it
 * cannot be read, RILL_OUT_OF_MEMORY when there is no room. One zero byte follows the content; free() it. */
rill_result rill_file_read(const char *path, size_t limit, char **out, size_t *size, rill_message *message);
/* Checks a file: false with a message when `path` is no regular file that may be read. */
bool rill_file_check(const char *path, rill_message *message);

/* Makes a folder and those above it, as far as they are missing. False with a message that names the one that
 * failed. */
bool rill_file_make_folders(const char *folder, rill_message *message);

/* Returns `name` as seen from the folder of the file `beside`; absolute names stay as they are. NULL: no memory. */
char *rill_file_beside(rill_store *store, const char *beside, const char *name);
/* Return the last part of a path, and where its ending (".yaml") starts, which may be its very end. */
const char *rill_file_leaf(const char *path);
const char *rill_file_ending(const char *path);
/* Tells whether a path ends so, whatever the case: rill_file_ends(path, ".npy"). */
bool rill_file_ends(const char *path, const char *ending);

#endif
