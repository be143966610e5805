/* Files that are whole or not there: what is written goes to "name.part", which becomes "name" when it is complete and
 * on the disk. The first failure is kept and told at the end, so that writers need not look after every number. */
#ifndef RILL_SCENE_FILE_WRITER_H
#define RILL_SCENE_FILE_WRITER_H

#include "rill/rill.h"

typedef struct rill_writer {
    int descriptor; /* below 0: not open */
    char *path;     /* where the bytes go now */
    char *goal;     /* what `path` is renamed to at the end; NULL when appending */
    char *buffer;
    size_t used;   /* bytes in the buffer */
    uint64_t size; /* bytes of the file, those in the buffer included */
    int trouble;   /* errno of the first failure, 0 if none */
} rill_writer;

/* Starts a file that replaces what is at `path` when it is committed. All of these return false when the disk or memory
 * fails, with the reason in `message` (without the file's name). A writer that could not be opened needs no closing. */
bool rill_writer_create(rill_writer *writer, const char *path, rill_message *message);
/* Goes on with a file from its byte `size` on; what follows is cut off. A file that is shorter is refused. */
bool rill_writer_append(rill_writer *writer, const char *path, uint64_t size, rill_message *message);

void rill_writer_bytes(rill_writer *writer, const void *bytes, size_t size);
void rill_writer_text(rill_writer *writer, const char *text);
void rill_writer_float(rill_writer *writer, float value); /* as text, see number_text.h */
void rill_writer_count(rill_writer *writer, uint64_t value);
/* Write numbers little-endian, whatever the machine. */
void rill_writer_u32(rill_writer *writer, uint32_t value);
void rill_writer_u64(rill_writer *writer, uint64_t value);
void rill_writer_f32(rill_writer *writer, const float *values, size_t count);

/* Replaces eight bytes that were written before, for a length that was not known then. */
void rill_writer_patch_u64(rill_writer *writer, uint64_t offset, uint64_t value);

/* Waits until everything is on the disk. */
bool rill_writer_sync(rill_writer *writer, rill_message *message);
/* Syncs, closes, and gives a created file its name; on false it is gone. */
bool rill_writer_commit(rill_writer *writer, rill_message *message);
/* Closes; a created file is removed, an appended one stays with what has arrived. */
void rill_writer_abandon(rill_writer *writer);

#endif
