/* Meshes and the three file formats of the models: binary PLY, NPY version 1.0, 16-bit PNG.
 *
 * The PNG is written with stored (uncompressed) deflate blocks, RFC 1951 3.2.4: no library is needed and the bytes do
 * not depend on a compressor's version. */
#include "model_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool rill_model_vertex(rill_model *model, const double point[3], uint32_t *index) {
    if (model->vertex_count == model->vertex_room) {
        const size_t room = model->vertex_room == 0 ? 1024 : 2 * model->vertex_room;
        float *grown = realloc(model->vertices, room * 3 * sizeof *grown);
        if (grown == NULL) return false;
        model->vertices = grown;
        model->vertex_room = room;
    }
    float *v = model->vertices + 3 * model->vertex_count;
    for (int k = 0; k < 3; ++k) v[k] = (float)point[k];
    *index = (uint32_t)model->vertex_count++;
    return true;
}

bool rill_model_triangle(rill_model *model, uint32_t a, uint32_t b, uint32_t c) {
    if (model->triangle_count == model->triangle_room) {
        const size_t room = model->triangle_room == 0 ? 1024 : 2 * model->triangle_room;
        uint32_t *grown = realloc(model->triangles, room * 3 * sizeof *grown);
        if (grown == NULL) return false;
        model->triangles = grown;
        model->triangle_room = room;
    }
    uint32_t *t = model->triangles + 3 * model->triangle_count++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
    return true;
}

void rill_model_free(rill_model *model) {
    free(model->vertices);
    free(model->triangles);
    memset(model, 0, sizeof *model);
}

static int compare_edges(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

bool rill_model_closed(const rill_model *model) {
    const size_t count = 3 * model->triangle_count;
    uint64_t *edges = malloc((count + 1) * sizeof *edges);
    if (edges == NULL) return false;
    /* The lower vertex leads and the direction comes last, so the two uses of an edge become neighbours. */
    for (size_t i = 0; i < count; ++i) {
        const uint64_t a = model->triangles[i], b = model->triangles[i % 3 == 2 ? i - 2 : i + 1];
        edges[i] = a < b ? (a << 33 | b << 1) : (b << 33 | a << 1 | 1);
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    bool closed = count % 2 == 0;
    for (size_t i = 0; i + 1 < count && closed; i += 2) {
        closed = edges[i + 1] == edges[i] + 1 && edges[i] % 2 == 0;
        if (i > 0 && edges[i] / 2 == edges[i - 1] / 2) closed = false;
    }
    free(edges);
    return closed;
}

/* ----------------------------------------------------------------------------------------------------------- output */

static void put_16(FILE *file, uint32_t value) {
    fputc((int)(value & 255), file);
    fputc((int)(value >> 8 & 255), file);
}

static void put_32(FILE *file, uint32_t value) {
    put_16(file, value & 65535);
    put_16(file, value >> 16);
}

static void put_float(FILE *file, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_32(file, bits);
}

static void put_double(FILE *file, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_32(file, (uint32_t)(bits & 0xffffffffu));
    put_32(file, (uint32_t)(bits >> 32));
}

static FILE *open_file(const char *folder, const char *name) {
    char path[1024];
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = length > 0 && (size_t)length < sizeof path ? fopen(path, "wb") : NULL;
    if (file == NULL) fprintf(stderr, "make_models: cannot write %s/%s\n", folder, name);
    return file;
}

static bool close_file(FILE *file, const char *folder, const char *name) {
    const bool failed = ferror(file) != 0;
    if (fclose(file) == 0 && !failed) return true;
    fprintf(stderr, "make_models: writing %s/%s failed\n", folder, name);
    return false;
}

bool rill_model_write_ply(const rill_model *model, const char *folder, const char *name) {
    FILE *file = open_file(folder, name);
    if (file == NULL) return false;
    fprintf(file,
            "ply\nformat binary_little_endian 1.0\ncomment made by tools/models/make_models.c, millimetres\n"
            "element vertex %zu\nproperty float x\nproperty float y\nproperty float z\n"
            "element face %zu\nproperty list uchar int vertex_indices\nend_header\n",
            model->vertex_count, model->triangle_count);
    for (size_t i = 0; i < 3 * model->vertex_count; ++i) put_float(file, model->vertices[i]);
    for (size_t i = 0; i < model->triangle_count; ++i) {
        fputc(3, file);
        for (int k = 0; k < 3; ++k) put_32(file, model->triangles[3 * i + (size_t)k]);
    }
    return close_file(file, folder, name);
}

bool rill_model_write_npy(const double *values, int nx, int ny, bool single, const char *folder, const char *name) {
    FILE *file = open_file(folder, name);
    if (file == NULL) return false;
    /* The header is padded with spaces to 118 bytes, so that the data start at 128. */
    char header[119];
    const int length = snprintf(header, sizeof header, "{'descr': '<f%d', 'fortran_order': False, 'shape': (%d, %d), }",
                                single ? 4 : 8, ny, nx);
    memset(header + length, ' ', sizeof header - 2 - (size_t)length);
    header[117] = '\n';
    fwrite("\x93NUMPY\x01\x00", 1, 8, file);
    put_16(file, 118);
    fwrite(header, 1, 118, file);
    for (size_t i = 0; i < (size_t)nx * (size_t)ny; ++i) {
        if (single)
            put_float(file, (float)values[i]);
        else
            put_double(file, values[i]);
    }
    return close_file(file, folder, name);
}

/* -------------------------------------------------------------------------------------------------------------- png */

static uint32_t crc_of(const uint8_t *bytes, size_t count) {
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < count; ++i) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; ++k) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    return ~crc;
}

static uint8_t *store_big(uint8_t *to, uint32_t value) {
    for (int k = 0; k < 4; ++k) to[k] = (uint8_t)(value >> (24 - 8 * k) & 255);
    return to + 4;
}

/* `chunk` holds the four letters and then `count` bytes. */
static void put_chunk(FILE *file, const uint8_t *chunk, size_t count) {
    uint8_t number[4];
    store_big(number, (uint32_t)count);
    fwrite(number, 1, 4, file);
    fwrite(chunk, 1, 4 + count, file);
    store_big(number, crc_of(chunk, 4 + count));
    fwrite(number, 1, 4, file);
}

/* The zlib stream of raw bytes in stored blocks of one row each. Returns the end. */
static uint8_t *store_rows(uint8_t *to, const uint8_t *rows, size_t row_bytes, int ny) {
    *to++ = 0x78;
    *to++ = 0x01;
    uint32_t a = 1, b = 0; /* Adler-32, RFC 1950 */
    for (int y = 0; y < ny; ++y) {
        *to++ = y == ny - 1;
        *to++ = (uint8_t)(row_bytes & 255);
        *to++ = (uint8_t)(row_bytes >> 8);
        *to++ = (uint8_t)(~row_bytes & 255);
        *to++ = (uint8_t)(~row_bytes >> 8 & 255);
        for (size_t i = 0; i < row_bytes; ++i) {
            const uint8_t byte = rows[(size_t)y * row_bytes + i];
            *to++ = byte;
            a = (a + byte) % 65521;
            b = (b + a) % 65521;
        }
    }
    return store_big(to, b << 16 | a);
}

bool rill_model_write_png(const double *values, int nx, int ny, double low, double high, const char *folder,
                          const char *name) {
    const size_t row_bytes = 1 + 2 * (size_t)nx; /* filter byte 0, then big-endian samples; below 65536 */
    uint8_t *rows = malloc(row_bytes * (size_t)ny);
    uint8_t *data = malloc(4 + 2 + (row_bytes + 5) * (size_t)ny + 4);
    FILE *file = rows != NULL && data != NULL ? open_file(folder, name) : NULL;
    bool done = false;
    if (file != NULL) {
        for (int y = 0; y < ny; ++y) {
            uint8_t *row = rows + (size_t)y * row_bytes;
            row[0] = 0;
            for (int x = 0; x < nx; ++x) {
                double grey = (values[(size_t)(ny - 1 - y) * (size_t)nx + (size_t)x] - low) / (high - low);
                grey = grey < 0 ? 0 : grey > 1 ? 1 : grey;
                const uint32_t sample = (uint32_t)(grey * 65535 + 0.5);
                row[1 + 2 * x] = (uint8_t)(sample >> 8);
                row[2 + 2 * x] = (uint8_t)(sample & 255);
            }
        }
        uint8_t header[4 + 13] = "IHDR";
        store_big(store_big(header + 4, (uint32_t)nx), (uint32_t)ny);
        header[12] = 16; /* bits; the rest is zero: grey, deflate, standard filter, not interlaced */
        fwrite("\x89PNG\r\n\x1a\n", 1, 8, file);
        put_chunk(file, header, 13);
        memcpy(data, "IDAT", 4);
        put_chunk(file, data, (size_t)(store_rows(data + 4, rows, row_bytes, ny) - data) - 4);
        put_chunk(file, (const uint8_t *)"IEND", 0);
        done = close_file(file, folder, name);
    }
    free(rows);
    free(data);
    return done;
}
