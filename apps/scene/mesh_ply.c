/* PLY, binary and little-endian. One vertex after the other, each with all its attributes:
 *
 *     x y z  nx ny nz  vx vy vz  opacity depth wetness (float)  layer (int)
 *
 * and faces as a byte 3 and three 32-bit indices. Parts are joined: the format knows vertices and faces only. */
#include "mesh_export.h"

#include <string.h>

typedef struct attribute {
    const float *values;
    size_t width;
    const char *properties;
} attribute;

enum { FLOATS = 6 };

static void list_attributes(const rill_mesh_part *part, attribute out[FLOATS]) {
    const attribute all[FLOATS] = {
        { part->positions, 3, "property float x\nproperty float y\nproperty float z\n" },
        { part->normals, 3, "property float nx\nproperty float ny\nproperty float nz\n" },
        { part->velocities, 3, "property float vx\nproperty float vy\nproperty float vz\n" },
        { part->opacities, 1, "property float opacity\n" },
        { part->depths, 1, "property float depth\n" },
        { part->wetness, 1, "property float wetness\n" },
    };
    memcpy(out, all, sizeof all);
}

static void write_head(rill_writer *writer, const char *about, const rill_mesh_part *parts, size_t count) {
    uint64_t vertices = 0, triangles = 0;
    attribute attributes[FLOATS];
    list_attributes(count ? &parts[0] : &(rill_mesh_part){ 0 }, attributes);
    for (size_t i = 0; i < count; ++i) {
        vertices += parts[i].vertex_count;
        triangles += parts[i].triangle_count;
    }
    rill_writer_text(writer, "ply\nformat binary_little_endian 1.0\ncomment ");
    rill_writer_text(writer, about);
    rill_writer_text(writer, "\ncomment metres, x east, y north, z up\nelement vertex ");
    rill_writer_count(writer, vertices);
    rill_writer_text(writer, "\n");
    for (int i = 0; i < FLOATS; ++i)
        rill_writer_text(writer, attributes[i].values || i == 0 ? attributes[i].properties : "");
    rill_writer_text(writer, count && parts[0].layers ? "property int layer\n" : "");
    rill_writer_text(writer, "element face ");
    rill_writer_count(writer, triangles);
    rill_writer_text(writer, "\nproperty list uchar uint vertex_indices\nend_header\n");
}

static void write_vertices(rill_writer *writer, const rill_mesh_part *part) {
    attribute attributes[FLOATS];
    list_attributes(part, attributes);
    for (size_t v = 0; v < part->vertex_count; ++v) {
        for (int i = 0; i < FLOATS; ++i) {
            const attribute *a = &attributes[i];
            if (a->values) rill_writer_f32(writer, a->values + v * a->width, a->width);
        }
        if (part->layers) rill_writer_u32(writer, (uint32_t)part->layers[v]);
    }
}

rill_result rill_mesh_write_ply(rill_writer *writer, const char *about, const rill_mesh_part *parts, size_t count) {
    uint64_t first = 0;
    for (size_t i = 0; i < count; ++i) first += parts[i].vertex_count;
    if (first > UINT32_MAX) return RILL_TOO_LARGE;
    write_head(writer, about, parts, count);
    for (size_t i = 0; i < count; ++i) write_vertices(writer, &parts[i]);
    first = 0;
    for (size_t i = 0; i < count; ++i) {
        for (size_t t = 0; t < parts[i].triangle_count; ++t) {
            rill_writer_bytes(writer, "\3", 1);
            for (size_t corner = 0; corner < 3; ++corner)
                rill_writer_u32(writer, (uint32_t)first + parts[i].indices[3 * t + corner]);
        }
        first += parts[i].vertex_count;
    }
    return RILL_OK;
}
