/* One buffer, one descriptor. Nothing but write(2), fsync(2) and rename(2): what the kernel has taken survives the
 * death of the process, and what was synced that of the machine. */
#include "file_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "number_text.h"

enum { BUFFER = 1 << 16 };

static bool fail(rill_message *message, int trouble) {
    snprintf(message->text, sizeof message->text, "%s", strerror(trouble));
    return false;
}

static char *join(const char *path, const char *ending) {
    char *text = malloc(strlen(path) + strlen(ending) + 1);
    if (text) {
        strcpy(text, path);
        strcat(text, ending);
    }
    return text;
}

static void release(rill_writer *writer) {
    if (writer->descriptor >= 0) close(writer->descriptor);
    free(writer->path);
    free(writer->goal);
    free(writer->buffer);
    *writer = (rill_writer){ .descriptor = -1 };
}

static bool open_at(rill_writer *writer, int flags, rill_message *message) {
    int trouble = ENOMEM;
    if (writer->path && writer->buffer) {
        writer->descriptor = open(writer->path, flags | O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        trouble = errno;
    }
    if (writer->descriptor < 0) {
        release(writer);
        return fail(message, trouble);
    }
    return true;
}

bool rill_writer_create(rill_writer *writer, const char *path, rill_message *message) {
    *writer = (rill_writer){
        .descriptor = -1, .path = join(path, ".part"), .goal = join(path, ""), .buffer = malloc(BUFFER)
    };
    if (!writer->goal) {
        release(writer);
        return fail(message, ENOMEM);
    }
    return open_at(writer, O_TRUNC, message);
}

bool rill_writer_append(rill_writer *writer, const char *path, uint64_t size, rill_message *message) {
    *writer = (rill_writer){ .descriptor = -1, .path = join(path, ""), .buffer = malloc(BUFFER), .size = size };
    if (!open_at(writer, 0, message)) return false;
    off_t end = lseek(writer->descriptor, 0, SEEK_END);
    if (end < 0 || (uint64_t)end < size) {
        release(writer);
        snprintf(message->text, sizeof message->text, "it is shorter than it was");
        return false;
    }
    if (ftruncate(writer->descriptor, (off_t)size) != 0 || lseek(writer->descriptor, (off_t)size, SEEK_SET) < 0) {
        int trouble = errno;
        release(writer);
        return fail(message, trouble);
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------------------- content */

static void write_out(rill_writer *writer, const char *bytes, size_t size) {
    while (size && !writer->trouble) {
        ssize_t done = write(writer->descriptor, bytes, size);
        if (done == 0 || (done < 0 && errno != EINTR)) {
            writer->trouble = done == 0 ? EIO : errno;
        } else if (done > 0) {
            bytes += done;
            size -= (size_t)done;
        }
    }
}

static void flush(rill_writer *writer) {
    write_out(writer, writer->buffer, writer->used);
    writer->used = 0;
}

void rill_writer_bytes(rill_writer *writer, const void *bytes, size_t size) {
    writer->size += size;
    if (size > BUFFER - writer->used) flush(writer);
    if (size > BUFFER) {
        write_out(writer, bytes, size);
        return;
    }
    if (size) {
        memcpy(writer->buffer + writer->used, bytes, size);
        writer->used += size;
    }
}

void rill_writer_text(rill_writer *writer, const char *text) {
    rill_writer_bytes(writer, text, strlen(text));
}

void rill_writer_float(rill_writer *writer, float value) {
    char text[RILL_NUMBER_TEXT];
    rill_writer_bytes(writer, text, rill_number_float(value, text));
}

void rill_writer_count(rill_writer *writer, uint64_t value) {
    char text[RILL_NUMBER_TEXT];
    rill_writer_bytes(writer, text, rill_number_count(value, text));
}

/* Little-endian. */
static void pack(uint64_t value, unsigned char *out, int size) {
    for (int i = 0; i < size; ++i) out[i] = (unsigned char)(value >> (8 * i));
}

void rill_writer_u32(rill_writer *writer, uint32_t value) {
    unsigned char bytes[4];
    pack(value, bytes, 4);
    rill_writer_bytes(writer, bytes, 4);
}

void rill_writer_u64(rill_writer *writer, uint64_t value) {
    unsigned char bytes[8];
    pack(value, bytes, 8);
    rill_writer_bytes(writer, bytes, 8);
}

void rill_writer_patch_u64(rill_writer *writer, uint64_t offset, uint64_t value) {
    unsigned char bytes[8];
    pack(value, bytes, 8);
    flush(writer);
    if (!writer->trouble && pwrite(writer->descriptor, bytes, 8, (off_t)offset) != 8)
        writer->trouble = errno ? errno : EIO;
}

void rill_writer_f32(rill_writer *writer, const float *values, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        rill_writer_u32(writer, bits);
    }
}

/* ------------------------------------------------------------------------------------------------------------- ends */

bool rill_writer_sync(rill_writer *writer, rill_message *message) {
    flush(writer);
    if (!writer->trouble && fsync(writer->descriptor) != 0) writer->trouble = errno;
    return writer->trouble ? fail(message, writer->trouble) : true;
}

bool rill_writer_commit(rill_writer *writer, rill_message *message) {
    bool good = rill_writer_sync(writer, message);
    if (good && writer->goal && rename(writer->path, writer->goal) != 0) good = fail(message, errno);
    if (!good) {
        rill_writer_abandon(writer);
        return false;
    }
    release(writer);
    return true;
}

void rill_writer_abandon(rill_writer *writer) {
    if (writer->descriptor >= 0 && writer->goal) unlink(writer->path);
    release(writer);
}
