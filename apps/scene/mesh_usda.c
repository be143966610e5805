/* Samples as blocks, and blocks joined to a stage. */
#include "mesh_usda.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number_text.h"
#include "turn.h"

enum { EXTENT, COUNTS, INDICES, NORMALS, POINTS, VELOCITIES, OPACITY, DEPTH, WETNESS, LAYER, LIQUID_STREAMS };
enum { SOLID_POINTS, SOLID_VISIBILITY, SOLID_STREAMS };
enum { BLOCK_HEAD = 12, IDENTIFIER = 300 };

/* `primvar`: one value per vertex, which has to be said. */
static const struct {
    const char *type, *name;
    bool primvar;
} streams[LIQUID_STREAMS] = {
    { "float3[]", "extent", false },
    { "int[]", "faceVertexCounts", false },
    { "int[]", "faceVertexIndices", false },
    { "normal3f[]", "normals", true },
    { "point3f[]", "points", false },
    { "vector3f[]", "velocities", false },
    { "float[]", "primvars:displayOpacity", true },
    { "float[]", "primvars:depth", true },
    { "float[]", "primvars:wetness", true },
    { "int[]", "primvars:layer", true },
};

double rill_usda_rate(double frame) {
    double rate = 1 / frame, whole = nearbyint(rate);
    return whole >= 1 && fabs(rate - whole) <= 2e-5 * whole ? whole : rate;
}

static void put_double(rill_writer *out, double value) {
    char text[RILL_NUMBER_TEXT];
    rill_number_double(value, text);
    rill_writer_text(out, text);
}

/* ----------------------------------------------------------------------------------------------------------- arrays */

static void put_triple(rill_writer *out, const float *value) {
    for (int axis = 0; axis < 3; ++axis) {
        rill_writer_text(out, axis ? ", " : "(");
        rill_writer_float(out, value[axis]);
    }
    rill_writer_bytes(out, ")", 1);
}

static void put_triples(rill_writer *out, const float *values, size_t count) {
    rill_writer_bytes(out, "[", 1);
    for (size_t i = 0; i < count; ++i) {
        rill_writer_text(out, i ? ", " : "");
        put_triple(out, values + 3 * i);
    }
    rill_writer_bytes(out, "]", 1);
}

static void put_floats(rill_writer *out, const float *values, size_t count) {
    rill_writer_bytes(out, "[", 1);
    for (size_t i = 0; i < count; ++i) {
        rill_writer_text(out, i ? ", " : "");
        rill_writer_float(out, values[i]);
    }
    rill_writer_bytes(out, "]", 1);
}

static void put_indices(rill_writer *out, const uint32_t *values, size_t count) {
    rill_writer_bytes(out, "[", 1);
    for (size_t i = 0; i < count; ++i) {
        rill_writer_text(out, i ? ", " : "");
        rill_writer_count(out, values[i]);
    }
    rill_writer_bytes(out, "]", 1);
}

static void put_layers(rill_writer *out, const int32_t *values, size_t count) {
    rill_writer_bytes(out, "[", 1);
    for (size_t i = 0; i < count; ++i) {
        rill_writer_text(out, i ? ", " : "");
        rill_writer_count(out, (uint64_t)values[i]); /* layers count from 0 */
    }
    rill_writer_bytes(out, "]", 1);
}

/* A 3 for every triangle. */
static void put_counts(rill_writer *out, size_t triangles) {
    rill_writer_bytes(out, "[", 1);
    for (size_t i = 0; i < triangles; ++i) rill_writer_text(out, i ? ", 3" : "3");
    rill_writer_bytes(out, "]", 1);
}

static void put_extent(rill_writer *out, const rill_mesh_part *part) {
    float ends[6] = { 0 };
    if (part->vertex_count) {
        memcpy(ends, part->positions, 3 * sizeof *ends);
        memcpy(ends + 3, part->positions, 3 * sizeof *ends);
    }
    for (size_t i = 0; i < 3 * part->vertex_count; ++i) {
        ends[i % 3] = fminf(ends[i % 3], part->positions[i]);
        ends[3 + i % 3] = fmaxf(ends[3 + i % 3], part->positions[i]);
    }
    put_triples(out, ends, 2);
}

/* ---------------------------------------------------------------------------------------------------------- samples */

/* Returns where the block's length stands. */
static uint64_t start_block(rill_writer *blocks, size_t stream, double code) {
    rill_writer_u32(blocks, (uint32_t)stream);
    uint64_t at = blocks->size;
    rill_writer_u64(blocks, 0);
    rill_writer_text(blocks, "            ");
    put_double(blocks, code);
    rill_writer_text(blocks, ": ");
    return at;
}

static void end_block(rill_writer *blocks, uint64_t at) {
    rill_writer_text(blocks, ",\n");
    rill_writer_patch_u64(blocks, at, blocks->size - at - 8);
}

void rill_usda_sample_liquid(rill_writer *blocks, double code, const rill_mesh_part *liquid) {
    for (size_t stream = 0; stream < LIQUID_STREAMS; ++stream) {
        uint64_t at = start_block(blocks, stream, code);
        switch (stream) {
        case EXTENT: put_extent(blocks, liquid); break;
        case COUNTS: put_counts(blocks, liquid->triangle_count); break;
        case INDICES: put_indices(blocks, liquid->indices, 3 * liquid->triangle_count); break;
        case NORMALS: put_triples(blocks, liquid->normals, liquid->vertex_count); break;
        case POINTS: put_triples(blocks, liquid->positions, liquid->vertex_count); break;
        case VELOCITIES: put_triples(blocks, liquid->velocities, liquid->vertex_count); break;
        case OPACITY: put_floats(blocks, liquid->opacities, liquid->vertex_count); break;
        case DEPTH: put_floats(blocks, liquid->depths, liquid->vertex_count); break;
        case WETNESS: put_floats(blocks, liquid->wetness, liquid->vertex_count); break;
        default: put_layers(blocks, liquid->layers, liquid->vertex_count); break;
        }
        end_block(blocks, at);
    }
}

void rill_usda_sample_solid(rill_writer *blocks, double code, size_t number, const rill_mesh_part *part, bool visible) {
    size_t first = LIQUID_STREAMS + SOLID_STREAMS * number;
    uint64_t at = start_block(blocks, first + SOLID_POINTS, code);
    put_triples(blocks, part->positions, part->vertex_count);
    end_block(blocks, at);
    at = start_block(blocks, first + SOLID_VISIBILITY, code);
    rill_writer_text(blocks, visible ? "\"inherited\"" : "\"invisible\"");
    end_block(blocks, at);
}

/* Rows are the images of the axes, then the place: vectors of USD stand left of their matrix. */
void rill_usda_sample_body(rill_writer *blocks, double code, size_t number, const double position[3],
                           const double orientation[4]) {
    uint64_t at = start_block(blocks, LIQUID_STREAMS + SOLID_STREAMS * number + SOLID_POINTS, code);
    for (int row = 0; row < 4; ++row) {
        double axis[3] = { row == 0, row == 1, row == 2 }, image[3];
        rill_turn_vector(orientation, axis, image);
        rill_writer_text(blocks, row ? ", (" : "((");
        for (int i = 0; i < 3; ++i) {
            put_double(blocks, row < 3 ? image[i] : position[i]);
            rill_writer_text(blocks, ", ");
        }
        rill_writer_text(blocks, row < 3 ? "0)" : "1))");
    }
    end_block(blocks, at);
}

/* ---------------------------------------------------------------------------------------------------------- joining */

typedef struct block {
    uint64_t stream, offset, length;
} block;

typedef struct joining {
    rill_writer out;
    FILE *file;
    block *blocks;
    size_t count, room;
    rill_result result;
} joining;

static uint64_t unpack(const unsigned char *bytes, int size) {
    uint64_t value = 0;
    for (int i = 0; i < size; ++i) value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

/* Finds all blocks; they must end exactly at `size`. */
static rill_result index_blocks(joining *join, uint64_t size) {
    for (uint64_t at = 0; at < size;) {
        unsigned char head[BLOCK_HEAD];
        if (fseeko(join->file, (off_t)at, SEEK_SET) != 0 || fread(head, 1, sizeof head, join->file) != sizeof head)
            return RILL_INVALID_DATA;
        block found = { unpack(head, 4), at + BLOCK_HEAD, unpack(head + 4, 8) };
        if (size - at < BLOCK_HEAD || found.length > size - found.offset) return RILL_INVALID_DATA;
        if (join->count == join->room) {
            join->room = join->room ? 2 * join->room : 1024;
            block *grown = realloc(join->blocks, join->room * sizeof *grown);
            if (!grown) return RILL_OUT_OF_MEMORY;
            join->blocks = grown;
        }
        join->blocks[join->count++] = found;
        at = found.offset + found.length;
    }
    return RILL_OK;
}

static void copy_block(joining *join, const block *from) {
    char bytes[1 << 14];
    uint64_t left = from->length;
    if (fseeko(join->file, (off_t)from->offset, SEEK_SET) != 0) join->result = RILL_INVALID_DATA;
    while (left && join->result == RILL_OK) {
        size_t now = left < sizeof bytes ? (size_t)left : sizeof bytes;
        if (fread(bytes, 1, now, join->file) != now) {
            join->result = RILL_INVALID_DATA;
            return;
        }
        rill_writer_bytes(&join->out, bytes, now);
        left -= now;
    }
}

static void put_samples(joining *join, size_t stream, const char *type, const char *name, bool primvar) {
    const char *indent = "        ";
    if (primvar) {
        const char *pieces[] = { indent, type, " ", name, " (\n", indent, "    interpolation = \"vertex\"\n",
                                 indent, ")\n" };
        for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; ++i) rill_writer_text(&join->out, pieces[i]);
    }
    const char *pieces[] = { indent, type, " ", name, ".timeSamples = {\n" };
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; ++i) rill_writer_text(&join->out, pieces[i]);
    for (size_t i = 0; i < join->count; ++i)
        if (join->blocks[i].stream == stream) copy_block(join, &join->blocks[i]);
    rill_writer_text(&join->out, indent);
    rill_writer_text(&join->out, "}\n");
}

static void start_mesh(rill_writer *out, const char *name) {
    rill_writer_text(out, "    def Mesh \"");
    rill_writer_text(out, name);
    rill_writer_text(out, "\"\n    {\n        uniform bool doubleSided = 1\n"
                          "        uniform token orientation = \"rightHanded\"\n"
                          "        uniform token subdivisionScheme = \"none\"\n");
}

/* A name as USD allows it, different from all before. */
static void make_identifier(const char *name, size_t number, char (*all)[IDENTIFIER]) {
    char *out = all[number];
    size_t length = 0;
    if (!*name || (*name >= '0' && *name <= '9')) out[length++] = '_';
    for (; *name && length < IDENTIFIER - 32; ++name) {
        bool plain = (*name >= '0' && *name <= '9') || ((*name | 32) >= 'a' && (*name | 32) <= 'z');
        out[length++] = plain ? *name : '_';
    }
    out[length] = 0;
    for (size_t i = 0, again = number; i < number; ++i) {
        if (strcmp(all[i], out) == 0) {
            snprintf(out + length, 32, "_%zu", ++again);
            i = (size_t)-1; /* from the start */
        }
    }
}

static void put_solid(joining *join, const rill_usda_solid *solid, const char *name, size_t moving) {
    rill_writer *out = &join->out;
    start_mesh(out, name);
    rill_writer_text(out, "        int[] faceVertexCounts = ");
    put_counts(out, solid->part.triangle_count);
    rill_writer_text(out, "\n        int[] faceVertexIndices = ");
    put_indices(out, solid->part.indices, 3 * solid->part.triangle_count);
    rill_writer_text(out, "\n");
    size_t first = LIQUID_STREAMS + SOLID_STREAMS * moving;
    if (solid->moves && !solid->rigid) {
        put_samples(join, first + SOLID_POINTS, "point3f[]", "points", false);
        put_samples(join, first + SOLID_VISIBILITY, "token", "visibility", false);
    } else {
        rill_writer_text(out, "        point3f[] points = ");
        put_triples(out, solid->part.positions, solid->part.vertex_count);
        rill_writer_text(out, "\n        float3[] extent = ");
        put_extent(out, &solid->part);
        rill_writer_text(out, "\n");
    }
    if (solid->rigid) {
        put_samples(join, first + SOLID_POINTS, "matrix4d", "xformOp:transform", false);
        rill_writer_text(out, "        uniform token[] xformOpOrder = [\"xformOp:transform\"]\n");
    }
    rill_writer_text(out, "    }\n");
}

static void put_quoted(rill_writer *out, const char *text) {
    rill_writer_bytes(out, "\"", 1);
    for (; *text; ++text) {
        char byte = (unsigned char)*text < ' ' ? ' ' : *text;
        rill_writer_text(out, byte == '"' || byte == '\\' ? "\\" : "");
        rill_writer_bytes(out, &byte, 1);
    }
    rill_writer_bytes(out, "\"", 1);
}

static void put_head(rill_writer *out, const rill_usda_stage *stage) {
    const struct {
        const char *key;
        double value;
    } numbers[] = { { "startTimeCode", stage->first },
                    { "endTimeCode", stage->end },
                    { "timeCodesPerSecond", rill_usda_rate(stage->frame) },
                    { "framesPerSecond", rill_usda_rate(stage->frame) },
                    { "metersPerUnit", 1 } };
    rill_writer_text(out, "#usda 1.0\n(\n    defaultPrim = \"Rill\"\n    doc = ");
    put_quoted(out, stage->about);
    rill_writer_text(out, "\n");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        rill_writer_text(out, "    ");
        rill_writer_text(out, numbers[i].key);
        rill_writer_text(out, " = ");
        put_double(out, numbers[i].value);
        rill_writer_text(out, "\n");
    }
    rill_writer_text(out, "    upAxis = \"Z\"\n)\n\ndef Xform \"Rill\"\n{\n");
}

static rill_result put_stage(joining *join, const rill_usda_stage *stage) {
    char(*names)[IDENTIFIER] = calloc(stage->solid_count + 1, sizeof *names);
    if (!names) return RILL_OUT_OF_MEMORY;
    strcpy(names[0], "Liquid");
    put_head(&join->out, stage);
    start_mesh(&join->out, names[0]);
    for (size_t stream = 0; stream < LIQUID_STREAMS; ++stream)
        put_samples(join, stream, streams[stream].type, streams[stream].name, streams[stream].primvar);
    rill_writer_text(&join->out, "    }\n");
    for (size_t i = 0, moving = 0; i < stage->solid_count; ++i) {
        make_identifier(stage->solids[i].part.name, i + 1, names);
        put_solid(join, &stage->solids[i], names[i + 1], moving);
        moving += stage->solids[i].moves ? 1 : 0;
    }
    rill_writer_text(&join->out, "}\n");
    free(names);
    return join->result;
}

rill_result rill_usda_join(const char *path, const char *blocks, uint64_t size, const rill_usda_stage *stage,
                           rill_message *message) {
    joining join = { .file = fopen(blocks, "rb") };
    rill_result result = RILL_INVALID_STATE;
    if (!join.file) {
        snprintf(message->text, sizeof message->text, "its samples cannot be read: %s", strerror(errno));
        return result;
    }
    if (rill_writer_create(&join.out, path, message)) {
        result = index_blocks(&join, size);
        result = result == RILL_OK ? put_stage(&join, stage) : result;
        if (result == RILL_OK) {
            result = rill_writer_commit(&join.out, message) ? RILL_OK : RILL_INVALID_STATE;
        } else {
            rill_writer_abandon(&join.out);
            snprintf(message->text, sizeof message->text, "%s",
                     result == RILL_OUT_OF_MEMORY ? "out of memory" : "its samples are damaged");
        }
    }
    fclose(join.file);
    free(join.blocks);
    return result;
}
