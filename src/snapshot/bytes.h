/* Values as little-endian bytes, whatever the machine is. A writer counts, stores or hashes what it is given, so that
 * the size, the content and the hash of a snapshot come from the same lines; a reader never passes the end of its
 * memory. */
#ifndef RILL_SNAPSHOT_BYTES_H
#define RILL_SNAPSHOT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum rill_writing { RILL_COUNT_BYTES = 0, RILL_STORE_BYTES, RILL_HASH_VALUES } rill_writing;

typedef struct rill_writer {
    rill_writing mode;
    unsigned char *memory; /* RILL_STORE_BYTES: has room for everything; the caller counted before */
    size_t size;           /* bytes so far; not counted when hashing */
    uint64_t hash;         /* RILL_HASH_VALUES */
} rill_writer;

/* Each writes a value, in as many bytes as its type has. */
void rill_put_u8(rill_writer *writer, uint8_t value);
void rill_put_u16(rill_writer *writer, uint16_t value);
void rill_put_u32(rill_writer *writer, uint32_t value);
void rill_put_u64(rill_writer *writer, uint64_t value);
void rill_put_f32(rill_writer *writer, float value); /* its bits: -0 is not 0 */
void rill_put_f64(rill_writer *writer, double value);
void rill_put_f64s(rill_writer *writer, const double *values, size_t count);
/* Writes the length, then the bytes; NULL is "". */
void rill_put_text(rill_writer *writer, const char *text);

typedef struct rill_reader {
    const unsigned char *memory;
    size_t size, at;
    bool failed; /* something was read past the end, or text was bad: everything read from then on is zero */
} rill_reader;

/* Each reads a value; zero if it ends too early, or something did before. */
uint8_t rill_get_u8(rill_reader *reader);
uint16_t rill_get_u16(rill_reader *reader);
uint32_t rill_get_u32(rill_reader *reader);
uint64_t rill_get_u64(rill_reader *reader);
float rill_get_f32(rill_reader *reader);
double rill_get_f64(rill_reader *reader);
void rill_get_f64s(rill_reader *reader, double *values, size_t count);
/* Reads a byte that is 0 or 1; fails if it is not. */
bool rill_get_bool(rill_reader *reader);
/* Writes the text and its zero to `out`; fails when it is longer than `capacity` - 1 bytes or contains a zero. */
void rill_get_text(rill_reader *reader, char *out, size_t capacity);
/* Checks that count * size more bytes follow, and fails if not: to be called before memory is taken for an array. */
bool rill_get_room(rill_reader *reader, uint64_t count, size_t size);

#endif
