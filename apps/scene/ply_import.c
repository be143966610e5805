/* The Stanford polygon format: a header of text that says which elements follow and of which properties each is made,
 * then the elements, as text or as numbers of either byte order.
 *
 * Read here and not by assimp, which takes triangle strips for one face, repeats the last face of a file that is cut
 * short, and reads beyond its end. Polygons are cut into fans from their lowest vertex, whichever way round they are: a
 * face that is there twice, once for each side, gives the same triangles. */
#include "ply_import.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

static const size_t FILE_LIMIT = (size_t)8 << 30;
enum { PROPERTIES = 64, ELEMENTS = 16, NAME = 64 };

typedef enum kind { NO_KIND, I8, U8, I16, U16, I32, U32, F32, F64 } kind;

typedef struct property {
    kind count, value; /* count: of a list; NO_KIND: a single value */
    char name[NAME];
} property;

typedef struct element {
    char name[NAME];
    unsigned long long count;
    property properties[PROPERTIES];
    int property_count;
} element;

typedef struct ply {
    const char *at, *end;
    bool text, swap;
    element elements[ELEMENTS];
    int element_count;
    size_t room; /* triangles there is memory for */
    rill_mesh mesh;
    rill_message *message;
} ply;

static rill_result refuse(ply *file, const char *text) {
    snprintf(file->message->text, sizeof file->message->text, "%s", text);
    return RILL_INVALID_DATA;
}

/* ---------------------------------------------------------------------------------------------------------- header */

static kind kind_of(const char *word) {
    static const struct {
        const char *word;
        kind kind;
    } known[] = { { "char", I8 },   { "int8", I8 },     { "uchar", U8 },   { "uint8", U8 },
                  { "short", I16 }, { "int16", I16 },   { "ushort", U16 }, { "uint16", U16 },
                  { "int", I32 },   { "int32", I32 },   { "uint", U32 },   { "uint32", U32 },
                  { "float", F32 }, { "float32", F32 }, { "double", F64 }, { "float64", F64 } };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
        if (strcmp(word, known[i].word) == 0) return known[i].kind;
    return NO_KIND;
}

/* The next line without its end; false when there is none, or one that is too long for a header. */
static bool next_line(ply *file, char *line, size_t room) {
    const char *stop = file->at < file->end ? memchr(file->at, '\n', (size_t)(file->end - file->at)) : NULL;
    size_t length = stop ? (size_t)(stop - file->at) : 0;
    if (!stop || length >= room) return false;
    memcpy(line, file->at, length);
    line[length] = 0;
    line[strcspn(line, "\r")] = 0;
    file->at = stop + 1;
    return true;
}

static bool read_property(element *e, const char *line) {
    char words[3][NAME];
    if (e->property_count == PROPERTIES) return false;
    property *out = &e->properties[e->property_count++];
    if (sscanf(line, "property list %63s %63s %63s", words[0], words[1], words[2]) == 3) {
        *out = (property){ .count = kind_of(words[0]), .value = kind_of(words[1]) };
        strcpy(out->name, words[2]);
        return out->count && out->value;
    }
    if (sscanf(line, "property %63s %63s", words[0], words[1]) != 2) return false;
    *out = (property){ .value = kind_of(words[0]) };
    strcpy(out->name, words[1]);
    return out->value != NO_KIND;
}

static bool read_line(ply *file, const char *line, bool *format) {
    char word[NAME] = "";
    sscanf(line, "%63s", word);
    if (strcmp(word, "format") == 0) {
        char name[NAME] = "";
        sscanf(line, "format %63s", name);
        file->text = strcmp(name, "ascii") == 0;
        file->swap = strcmp(name, "binary_big_endian") == 0; /* numbers are put together from the lowest byte on */
        *format = file->text || file->swap || strcmp(name, "binary_little_endian") == 0;
        return *format;
    }
    if (strcmp(word, "element") == 0) {
        element *e = &file->elements[file->element_count];
        return file->element_count < ELEMENTS && sscanf(line, "element %63s %llu", e->name, &e->count) == 2 &&
               ++file->element_count > 0;
    }
    if (strcmp(word, "property") == 0)
        return file->element_count > 0 && read_property(&file->elements[file->element_count - 1], line);
    return true; /* a comment, with or without the word */
}

static rill_result read_header(ply *file) {
    char line[1024];
    bool format = false;
    if (!next_line(file, line, sizeof line) || strcmp(line, "ply") != 0)
        return refuse(file, "found no line 'ply', expected a PLY file");
    for (;;) {
        if (!next_line(file, line, sizeof line)) return refuse(file, "found no end of the PLY header");
        if (strcmp(line, "end_header") == 0)
            return format ? RILL_OK : refuse(file, "found no format in the PLY header");
        if (!read_line(file, line, &format)) {
            snprintf(file->message->text, sizeof file->message->text,
                     "found the line '%.80s' in the PLY header, expected a format, element or property as the format "
                     "has them",
                     line);
            return RILL_INVALID_DATA;
        }
    }
}

/* ------------------------------------------------------------------------------------------------------------ data */

static bool next_text(ply *file, double *out) {
    char word[64], *stop;
    size_t length = 0;
    while (file->at < file->end && isspace((unsigned char)*file->at)) ++file->at;
    while (file->at < file->end && !isspace((unsigned char)*file->at) && length + 1 < sizeof word)
        word[length++] = *file->at++;
    word[length] = 0;
    *out = strtod(word, &stop);
    return length > 0 && *stop == 0;
}

static bool next_number(ply *file, kind of, double *out) {
    static const uint8_t sizes[] = {
        [I8] = 1, [U8] = 1, [I16] = 2, [U16] = 2, [I32] = 4, [U32] = 4, [F32] = 4, [F64] = 8
    };
    if (file->text) return next_text(file, out);
    const size_t size = sizes[of];
    if ((size_t)(file->end - file->at) < size) return false;
    uint64_t bits = 0;
    for (size_t i = 0; i < size; ++i)
        bits |= (uint64_t)(unsigned char)file->at[file->swap ? size - 1 - i : i] << (8 * i);
    file->at += size;
    const uint32_t half = (uint32_t)bits;
    float single;
    switch (of) {
    case I8: *out = (double)(int8_t)bits; break;
    case I16: *out = (double)(int16_t)bits; break;
    case I32: *out = (double)(int32_t)bits; break;
    case F32: memcpy(&single, &half, sizeof single), *out = (double)single; break;
    case F64: memcpy(out, &bits, sizeof *out); break;
    default: *out = (double)bits; break;
    }
    return true;
}

static rill_result cut_short(ply *file, const element *e, unsigned long long index) {
    snprintf(file->message->text, sizeof file->message->text,
             "found no number where element '%s' %llu of %llu was expected: the file is cut short or damaged", e->name,
             index, e->count);
    return RILL_INVALID_DATA;
}

static rill_result read_vertices(ply *file, const element *e) {
    int at[3] = { -1, -1, -1 };
    for (int k = 0; k < e->property_count; ++k) {
        const char *name = e->properties[k].name;
        if (name[0] >= 'x' && name[0] <= 'z' && !name[1] && !e->properties[k].count) at[name[0] - 'x'] = k;
    }
    if (at[0] < 0 || at[1] < 0 || at[2] < 0) return refuse(file, "found vertices without x, y and z");
    /* A vertex takes at least a byte: what cannot be there is not asked for. */
    if (file->mesh.vertices || e->count > (size_t)(file->end - file->at) || e->count >= UINT32_MAX)
        return cut_short(file, e, 0);
    file->mesh.vertices = malloc((size_t)e->count * 3 * sizeof(float) + 1);
    if (!file->mesh.vertices) return RILL_OUT_OF_MEMORY;
    for (; file->mesh.vertex_count < e->count; ++file->mesh.vertex_count) {
        for (int k = 0; k < e->property_count; ++k) {
            double value, count = 1;
            const property *of = &e->properties[k];
            if (of->count && !next_number(file, of->count, &count)) return cut_short(file, e, file->mesh.vertex_count);
            for (double i = 0; i < count; ++i) {
                if (!next_number(file, of->value, &value)) return cut_short(file, e, file->mesh.vertex_count);
                for (int axis = 0; axis < 3; ++axis)
                    if (at[axis] == k) file->mesh.vertices[3 * file->mesh.vertex_count + (size_t)axis] = (float)value;
            }
        }
    }
    return RILL_OK;
}

static rill_result push_triangle(ply *file, uint32_t a, uint32_t b, uint32_t c) {
    if (a == b || b == c || c == a) return RILL_OK; /* strips are joined by such */
    if (file->mesh.triangle_count == file->room) {
        const size_t room = file->room ? 2 * file->room : 1024;
        uint32_t *grown = realloc(file->mesh.indices, room * 3 * sizeof *grown);
        if (!grown) return RILL_OUT_OF_MEMORY;
        file->mesh.indices = grown;
        file->room = room;
    }
    memcpy(file->mesh.indices + 3 * file->mesh.triangle_count++, (uint32_t[]){ a, b, c }, 3 * sizeof a);
    return RILL_OK;
}

static rill_result fan(ply *file, const uint32_t *corners, size_t count) {
    size_t low = 0;
    rill_result result = RILL_OK;
    for (size_t i = 1; i < count; ++i) low = corners[i] < corners[low] ? i : low;
    for (size_t i = 1; i + 1 < count && result == RILL_OK; ++i)
        result = push_triangle(file, corners[low], corners[(low + i) % count], corners[(low + i + 1) % count]);
    return result;
}

/* Every second triangle of a strip runs the other way; UINT32_MAX begins a new one. */
static rill_result strip(ply *file, const uint32_t *corners, size_t count) {
    rill_result result = RILL_OK;
    for (size_t i = 0, length = 0; i < count && result == RILL_OK; ++i) {
        length = corners[i] == UINT32_MAX ? 0 : length + 1;
        if (length >= 3) {
            const size_t odd = length % 2 == 0;
            result = push_triangle(file, corners[i - 2 + odd], corners[i - 1 - odd], corners[i]);
        }
    }
    return result;
}

typedef struct corner_list {
    uint32_t *data;
    size_t count, room;
} corner_list;

static rill_result push_corner(ply *file, corner_list *list, double value, bool strips) {
    if (list->count == list->room) {
        const size_t room = list->room ? 2 * list->room : 64;
        uint32_t *grown = realloc(list->data, room * sizeof *grown);
        if (!grown) return RILL_OUT_OF_MEMORY;
        list->data = grown;
        list->room = room;
    }
    if (!(value >= 0 && value < (double)file->mesh.vertex_count) && !(strips && value == -1)) {
        snprintf(file->message->text, sizeof file->message->text, "found vertex %g in a face, expected 0 to %zu", value,
                 file->mesh.vertex_count - 1);
        return RILL_INVALID_DATA;
    }
    list->data[list->count++] = value < 0 ? UINT32_MAX : (uint32_t)value;
    return RILL_OK;
}

/* Faces, strips, and what else there is, which is passed over. */
static rill_result read_faces(ply *file, const element *e, corner_list *list) {
    const bool strips = strcmp(e->name, "tristrips") == 0, faces = strips || strcmp(e->name, "face") == 0;
    for (unsigned long long f = 0; f < e->count; ++f) {
        for (int k = 0; k < e->property_count; ++k) {
            const property *of = &e->properties[k];
            const bool corners =
                faces && of->count && (!strcmp(of->name, "vertex_indices") || !strcmp(of->name, "vertex_index"));
            double count = 1, value;
            if (of->count && !next_number(file, of->count, &count)) return cut_short(file, e, f);
            list->count = 0;
            rill_result result = RILL_OK;
            for (double i = 0; i < count && result == RILL_OK; ++i) {
                if (!next_number(file, of->value, &value)) return cut_short(file, e, f);
                result = corners ? push_corner(file, list, value, strips) : RILL_OK;
            }
            if (corners && result == RILL_OK)
                result = strips ? strip(file, list->data, list->count) : fan(file, list->data, list->count);
            if (result != RILL_OK) return result;
        }
        if (e->property_count == 0) break;
    }
    return RILL_OK;
}

rill_result rill_ply_load(const char *path, rill_mesh *out, rill_message *message) {
    char *data;
    size_t size;
    rill_result result = rill_file_read(path, FILE_LIMIT, &data, &size, message);
    if (result != RILL_OK) return result;
    ply *file = calloc(1, sizeof *file);
    corner_list list = { 0 };
    result = RILL_OUT_OF_MEMORY;
    if (file) {
        file->at = data, file->end = data + size;
        file->message = message;
        result = read_header(file);
        for (int i = 0; i < file->element_count && result == RILL_OK; ++i) {
            const element *e = &file->elements[i];
            result = strcmp(e->name, "vertex") == 0 ? read_vertices(file, e) : read_faces(file, e, &list);
        }
        *out = file->mesh;
    }
    if (result == RILL_OUT_OF_MEMORY) snprintf(message->text, sizeof message->text, "out of memory");
    if (result != RILL_OK) rill_mesh_free(out);
    free(list.data);
    free(file);
    free(data);
    return result;
}
