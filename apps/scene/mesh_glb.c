/* glTF 2.0, binary.
 *
 *     "glTF", 2, length                     12 bytes
 *     length, "JSON", text, blanks to 4     what there is and where
 *     length, "BIN\0", data                 part by part, attribute by attribute: each one a buffer view, tightly
 *                                           packed 4-byte numbers, so that everything is aligned to 4
 *
 * glTF is y up: one node above all parts turns Rill's z up into it, by -90 degrees about x. Attributes stay in Rill's
 * axes. An accessor must have elements, so a part without triangles is a node without a mesh.
 *
 * Based on: Khronos Group, glTF 2.0 Specification, sections 3.6, 3.7 and 4.4. */
#include "mesh_export.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number_text.h"

enum { POSITION, NORMAL, COLOR, VELOCITY, DEPTH, WETNESS, LAYER, ATTRIBUTES };

typedef struct attribute {
    int kind;
    const char *name, *type;
    size_t width;       /* floats per vertex */
    const void *values; /* floats, but layers */
} attribute;

static size_t list_attributes(const rill_mesh_part *part, attribute out[ATTRIBUTES]) {
    const attribute all[ATTRIBUTES] = {
        { POSITION, "POSITION", "VEC3", 3, part->positions }, { NORMAL, "NORMAL", "VEC3", 3, part->normals },
        { COLOR, "COLOR_0", "VEC4", 4, part->opacities },     { VELOCITY, "_VELOCITY", "VEC3", 3, part->velocities },
        { DEPTH, "_DEPTH", "SCALAR", 1, part->depths },       { WETNESS, "_WETNESS", "SCALAR", 1, part->wetness },
        { LAYER, "_LAYER", "SCALAR", 1, part->layers },
    };
    size_t count = 0;
    for (size_t i = 0; i < ATTRIBUTES; ++i)
        if (all[i].values) out[count++] = all[i];
    return count;
}

static bool is_empty(const rill_mesh_part *part) {
    return part->vertex_count == 0 || part->triangle_count == 0;
}

/* ------------------------------------------------------------------------------------------------------------- JSON */

static void put_string(FILE *json, const char *text) {
    fputc('"', json);
    for (; *text; ++text) {
        unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\')
            fprintf(json, "\\%c", byte);
        else if (byte < ' ')
            fprintf(json, "\\u%04x", byte);
        else
            fputc(byte, json);
    }
    fputc('"', json);
}

static void put_limits(FILE *json, const rill_mesh_part *part) {
    float low[3], high[3];
    char text[RILL_NUMBER_TEXT];
    memcpy(low, part->positions, sizeof low);
    memcpy(high, part->positions, sizeof high);
    for (size_t i = 3; i < 3 * part->vertex_count; ++i) {
        low[i % 3] = fminf(low[i % 3], part->positions[i]);
        high[i % 3] = fmaxf(high[i % 3], part->positions[i]);
    }
    for (int end = 0; end < 2; ++end) {
        fputs(end ? "],\"max\":[" : ",\"min\":[", json);
        for (int axis = 0; axis < 3; ++axis) {
            rill_number_float(end ? high[axis] : low[axis], text);
            fprintf(json, "%s%s", axis ? "," : "", text);
        }
    }
    fputs("]", json);
}

static void put_nodes(FILE *json, const rill_mesh_part *parts, size_t count) {
    fputs("\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"name\":\"z_up\",\"rotation\":"
          "[-0.70710678,0,0,0.70710678]",
          json);
    for (size_t i = 0; i < count; ++i)
        fprintf(json, "%s%zu%s", i ? "," : ",\"children\":[", i + 1, i + 1 < count ? "" : "]");
    fputs("}", json);
    size_t mesh = 0;
    for (size_t i = 0; i < count; ++i) {
        fputs(",{\"name\":", json);
        put_string(json, parts[i].name);
        if (!is_empty(&parts[i])) fprintf(json, ",\"mesh\":%zu", mesh++);
        fputs("}", json);
    }
    fputs("]", json);
}

static void put_meshes(FILE *json, const rill_mesh_part *parts, size_t count) {
    size_t accessor = 0;
    const char *between = ",\"meshes\":[";
    for (size_t i = 0; i < count; ++i) {
        attribute attributes[ATTRIBUTES];
        size_t number = list_attributes(&parts[i], attributes);
        if (is_empty(&parts[i])) continue;
        fprintf(json, "%s{\"name\":", between);
        put_string(json, parts[i].name);
        fputs(",\"primitives\":[{\"attributes\":{", json);
        for (size_t a = 0; a < number; ++a) fprintf(json, "%s\"%s\":%zu", a ? "," : "", attributes[a].name, accessor++);
        fprintf(json, "},\"indices\":%zu%s}]}", accessor++, parts[i].opacities ? ",\"material\":0" : "");
        between = ",";
    }
    fputs(accessor ? "]" : "", json);
    if (accessor && parts[0].opacities) {
        fputs(",\"materials\":[{\"name\":\"liquid\",\"alphaMode\":\"BLEND\",\"doubleSided\":true,"
              "\"pbrMetallicRoughness\":{\"metallicFactor\":0,\"roughnessFactor\":0.05}}]",
              json);
    }
}

/* Accessors or, with the same numbers, buffer views. Returns the bytes of data. */
static uint64_t put_arrays(FILE *json, const rill_mesh_part *parts, size_t count, bool views) {
    enum { ARRAY_BUFFER = 34962, ELEMENT_ARRAY_BUFFER = 34963, UNSIGNED_INT = 5125, FLOAT = 5126 };
    uint64_t offset = 0;
    size_t number = 0;
    for (size_t i = 0; i < count; ++i) {
        attribute attributes[ATTRIBUTES];
        size_t indices = list_attributes(&parts[i], attributes);
        for (size_t a = 0; a <= indices && !is_empty(&parts[i]); ++a, ++number) {
            bool last = a == indices;
            uint64_t items = last ? 3 * (uint64_t)parts[i].triangle_count : parts[i].vertex_count;
            uint64_t bytes = 4 * items * (last ? 1 : attributes[a].width);
            fputs(number ? "," : views ? ",\"bufferViews\":[" : ",\"accessors\":[", json);
            if (views) {
                fprintf(json, "{\"buffer\":0,\"byteOffset\":%" PRIu64 ",\"byteLength\":%" PRIu64 ",\"target\":%d}",
                        offset, bytes, last ? ELEMENT_ARRAY_BUFFER : ARRAY_BUFFER);
            } else {
                fprintf(json, "{\"bufferView\":%zu,\"componentType\":%d,\"count\":%" PRIu64 ",\"type\":\"%s\"", number,
                        last ? UNSIGNED_INT : FLOAT, items, last ? "SCALAR" : attributes[a].type);
                if (a == 0) put_limits(json, &parts[i]);
                fputs("}", json);
            }
            offset += bytes;
        }
    }
    fputs(number ? "]" : "", json);
    return offset;
}

/* Returns the text, padded with blanks to a multiple of 4; NULL when there is no memory. */
static char *make_json(const char *about, const rill_mesh_part *parts, size_t count, size_t *length, uint64_t *data) {
    char *text = NULL;
    FILE *json = open_memstream(&text, length);
    if (!json) return NULL;
    fputs("{\"asset\":{\"version\":\"2.0\",\"generator\":", json);
    put_string(json, about);
    fputs("},", json);
    put_nodes(json, parts, count);
    put_meshes(json, parts, count);
    put_arrays(json, parts, count, false);
    *data = put_arrays(json, parts, count, true);
    if (*data) fprintf(json, ",\"buffers\":[{\"byteLength\":%" PRIu64 "}]", *data);
    fputs("}", json);
    long end = ftell(json);
    fprintf(json, "%*s", (int)(3 - (end + 3) % 4), "");
    bool good = end >= 0 && !ferror(json);
    if (fclose(json) != 0 || !good) {
        free(text);
        return NULL;
    }
    return text;
}

/* ------------------------------------------------------------------------------------------------------------- data */

/* Opacity is the alpha of a white colour; custom attributes must not be 32-bit integers, so layers are floats. */
static void write_attribute(rill_writer *writer, const rill_mesh_part *part, const attribute *a) {
    for (size_t v = 0; a->kind == COLOR && v < part->vertex_count; ++v)
        rill_writer_f32(writer, (const float[4]){ 1, 1, 1, part->opacities[v] }, 4);
    for (size_t v = 0; a->kind == LAYER && v < part->vertex_count; ++v)
        rill_writer_f32(writer, &(const float){ (float)part->layers[v] }, 1);
    if (a->kind != COLOR && a->kind != LAYER) rill_writer_f32(writer, a->values, part->vertex_count * a->width);
}

rill_result rill_mesh_write_glb(rill_writer *writer, const char *about, const rill_mesh_part *parts, size_t count) {
    size_t length;
    uint64_t data;
    char *json = make_json(about, parts, count, &length, &data);
    if (!json) return RILL_OUT_OF_MEMORY;
    uint64_t total = 12 + 8 + length + (data ? 8 + data : 0);
    if (total > UINT32_MAX) {
        free(json);
        return RILL_TOO_LARGE;
    }
    rill_writer_text(writer, "glTF");
    rill_writer_u32(writer, 2);
    rill_writer_u32(writer, (uint32_t)total);
    rill_writer_u32(writer, (uint32_t)length);
    rill_writer_text(writer, "JSON");
    rill_writer_bytes(writer, json, length);
    free(json);
    if (data) {
        rill_writer_u32(writer, (uint32_t)data);
        rill_writer_bytes(writer, "BIN", 4);
    }
    for (size_t i = 0; i < count; ++i) {
        attribute attributes[ATTRIBUTES];
        size_t number = list_attributes(&parts[i], attributes);
        for (size_t a = 0; a < number && !is_empty(&parts[i]); ++a) write_attribute(writer, &parts[i], &attributes[a]);
        for (size_t k = 0; k < 3 * parts[i].triangle_count && !is_empty(&parts[i]); ++k)
            rill_writer_u32(writer, parts[i].indices[k]);
    }
    return RILL_OK;
}
