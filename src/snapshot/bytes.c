/* Writing and reading values byte by byte: see bytes.h. */
#include "snapshot/bytes.h"

#include <string.h>

#include "base/assert.h"
#include "base/hash.h"

/* ---------------------------------------------------------------------------------------------------------- writing */

/* Writes a value. Inlined with a constant width the loop becomes one store. */
static inline void put(rill_writer *writer, uint64_t value, size_t width) {
    if (writer->mode == RILL_HASH_VALUES) {
        writer->hash = rill_hash_u64(writer->hash, value);
        return;
    }
    if (writer->mode == RILL_STORE_BYTES) {
        RILL_ASSERT(writer->memory != NULL);
        unsigned char *to = writer->memory + writer->size;
        for (size_t k = 0; k < width; ++k) to[k] = (unsigned char)(value >> (8 * k));
    }
    writer->size += width;
}

void rill_put_u8(rill_writer *writer, uint8_t value) {
    put(writer, value, 1);
}

void rill_put_u16(rill_writer *writer, uint16_t value) {
    put(writer, value, 2);
}

void rill_put_u32(rill_writer *writer, uint32_t value) {
    put(writer, value, 4);
}

void rill_put_u64(rill_writer *writer, uint64_t value) {
    put(writer, value, 8);
}

void rill_put_f32(rill_writer *writer, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(writer, bits, 4);
}

void rill_put_f64(rill_writer *writer, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(writer, bits, 8);
}

void rill_put_f64s(rill_writer *writer, const double *values, size_t count) {
    for (size_t i = 0; i < count; ++i) rill_put_f64(writer, values[i]);
}

void rill_put_text(rill_writer *writer, const char *text) {
    const size_t length = text ? strlen(text) : 0;
    rill_put_u32(writer, (uint32_t)length);
    for (size_t i = 0; i < length; ++i) rill_put_u8(writer, (unsigned char)text[i]);
}

/* ---------------------------------------------------------------------------------------------------------- reading */

bool rill_get_room(rill_reader *reader, uint64_t count, size_t size) {
    RILL_ASSERT(size > 0 && reader->at <= reader->size);
    if (reader->failed || count > (reader->size - reader->at) / size) reader->failed = true;
    return !reader->failed;
}

static inline uint64_t get(rill_reader *reader, size_t width) {
    if (reader->failed || reader->size - reader->at < width) {
        reader->failed = true;
        return 0;
    }
    const unsigned char *from = reader->memory + reader->at;
    uint64_t value = 0;
    for (size_t k = 0; k < width; ++k) value |= (uint64_t)from[k] << (8 * k);
    reader->at += width;
    RILL_ASSERT(reader->at <= reader->size);
    return value;
}

uint8_t rill_get_u8(rill_reader *reader) {
    return (uint8_t)get(reader, 1);
}

uint16_t rill_get_u16(rill_reader *reader) {
    return (uint16_t)get(reader, 2);
}

uint32_t rill_get_u32(rill_reader *reader) {
    return (uint32_t)get(reader, 4);
}

uint64_t rill_get_u64(rill_reader *reader) {
    return get(reader, 8);
}

float rill_get_f32(rill_reader *reader) {
    const uint32_t bits = (uint32_t)get(reader, 4);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double rill_get_f64(rill_reader *reader) {
    const uint64_t bits = get(reader, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void rill_get_f64s(rill_reader *reader, double *values, size_t count) {
    for (size_t i = 0; i < count; ++i) values[i] = rill_get_f64(reader);
}

bool rill_get_bool(rill_reader *reader) {
    const uint8_t value = rill_get_u8(reader);
    if (value > 1) reader->failed = true;
    return value == 1;
}

void rill_get_text(rill_reader *reader, char *out, size_t capacity) {
    RILL_ASSERT(capacity > 0);
    const uint32_t length = rill_get_u32(reader);
    out[0] = '\0';
    if (length >= capacity || !rill_get_room(reader, length, 1)) {
        reader->failed = true;
        return;
    }
    memcpy(out, reader->memory + reader->at, length);
    out[length] = '\0';
    reader->at += length;
    RILL_ASSERT(reader->at <= reader->size);
    if (strlen(out) != length) reader->failed = true;
}
