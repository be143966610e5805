/* A strict reader of USD text files, for tests: prims, typed attributes, samples in time, metadata. What is not in the
 * grammar below, or does not fit the type of its attribute, is an error with its line.
 *
 *     layer      "#usda 1.0" newline [metadata] prim*
 *     prim       "def" type name [metadata] "{" (property | prim)* "}"
 *     property   ["uniform"] type name [".timeSamples"] ["=" value] [metadata]
 *     metadata   "(" (key "=" (number | string))* ")"
 *     value      number | string | "(" number, ... ")" | "[" value, ... "]" | "{" (number ":" value ",")* "}" */
#ifndef RILL_TESTS_USDA_READER_H
#define RILL_TESTS_USDA_READER_H

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct usda_sample {
    double code; /* NaN-free; 0 for a value without samples */
    double *numbers;
    size_t count, width; /* elements, and numbers in each */
    char text[32];       /* of a token */
} usda_sample;

typedef struct usda_attribute {
    char path[512], type[32], interpolation[32]; /* "/Rill/Liquid.points", "point3f[]", "vertex" */
    bool sampled;
    usda_sample *samples;
    size_t count;
} usda_attribute;

typedef struct usda_file {
    char *text;
    const char *at;
    char path[512]; /* of the prim being read */
    usda_attribute *attributes;
    size_t count;
    char error[256];
} usda_file;

static bool usda_fail(usda_file *file, const char *expected) {
    size_t line = 1;
    for (const char *c = file->text; c < file->at; ++c) line += *c == '\n';
    if (!file->error[0])
        snprintf(file->error, sizeof file->error, "line %zu: found '%.20s', expected %s", line, file->at, expected);
    return false;
}

static void usda_blanks(usda_file *file) {
    while (*file->at == ' ' || *file->at == '\n') ++file->at;
}

static bool usda_next(usda_file *file, const char *token) {
    usda_blanks(file);
    size_t length = strlen(token);
    if (strncmp(file->at, token, length) != 0) return false;
    if (isalpha((unsigned char)token[0]) && (isalnum((unsigned char)file->at[length]) || file->at[length] == '_'))
        return false;
    file->at += length;
    return true;
}

static bool usda_need(usda_file *file, const char *token) {
    return usda_next(file, token) ? true : usda_fail(file, token);
}

/* An identifier with "more" characters besides letters, digits and '_'. */
static bool usda_word(usda_file *file, const char *more, char *out, size_t room) {
    usda_blanks(file);
    size_t length = 0;
    if (!isalpha((unsigned char)*file->at) && *file->at != '_') return usda_fail(file, "a name");
    while (isalnum((unsigned char)*file->at) || *file->at == '_' || (*file->at && strchr(more, *file->at))) {
        if (length + 1 == room) return usda_fail(file, "a shorter name");
        out[length++] = *file->at++;
    }
    out[length] = 0;
    return true;
}

static bool usda_string(usda_file *file, char *out, size_t room) {
    size_t length = 0;
    if (!usda_need(file, "\"")) return false;
    for (; *file->at != '"'; ++file->at) {
        file->at += *file->at == '\\' ? 1 : 0;
        if (!*file->at || *file->at == '\n' || length + 1 == room) return usda_fail(file, "the end of a string");
        out[length++] = *file->at;
    }
    out[length] = 0;
    ++file->at;
    return true;
}

static bool usda_number(usda_file *file, bool whole, double *out) {
    usda_blanks(file);
    const char *start = file->at;
    size_t length = strspn(start, "0123456789+-.eE");
    char *end;
    *out = (double)strtof(start, &end);
    if (!length || end != start + length) return usda_fail(file, "a number");
    if (whole) *out = strtod(start, &end);
    if (whole && strspn(start, "0123456789-") != length) return usda_fail(file, "a whole number");
    file->at = end;
    return true;
}

/* ----------------------------------------------------------------------------------------------------------- values */

static bool usda_element(usda_file *file, const char *type, usda_sample *sample, size_t *room) {
    size_t width = strchr(type, '3') ? 3 : strchr(type, '4') ? 4 : 1;
    if ((sample->count + 1) * width > *room) {
        *room = 2 * *room + 1024;
        sample->numbers = realloc(sample->numbers, *room * sizeof *sample->numbers);
        if (!sample->numbers) abort();
    }
    sample->width = width;
    if (width > 1 && !usda_need(file, "(")) return false;
    for (size_t i = 0; i < width; ++i) {
        if (i && !usda_need(file, ",")) return false;
        double *to = &sample->numbers[sample->count * width + i];
        if (!usda_number(file, strncmp(type, "int", 3) == 0, to)) return false;
    }
    ++sample->count;
    return width > 1 ? usda_need(file, ")") : true;
}

/* Four rows of four; or a list with one token, which is as many as there are. */
static bool usda_matrix(usda_file *file, usda_sample *sample, size_t *room) {
    if (!usda_need(file, "(")) return false;
    while (sample->count < 4) {
        if (sample->count && !usda_need(file, ",")) return false;
        if (!usda_element(file, "matrix4d", sample, room)) return false;
    }
    return usda_need(file, ")");
}

static bool usda_tokens(usda_file *file, usda_sample *sample) {
    return usda_need(file, "[") && usda_string(file, sample->text, sizeof sample->text) && usda_need(file, "]");
}

static bool usda_value(usda_file *file, const char *type, usda_sample *sample) {
    static const char *const types[] = { "bool",     "token",      "int[]",     "float[]",    "float3[]",
                                         "matrix4d", "normal3f[]", "point3f[]", "vector3f[]", "token[]" };
    size_t known = 0, room = 0;
    while (known < sizeof types / sizeof types[0] && strcmp(type, types[known]) != 0) ++known;
    if (known == sizeof types / sizeof types[0]) return usda_fail(file, "a value of a known type");
    if (strcmp(type, "token") == 0) return usda_string(file, sample->text, sizeof sample->text);
    if (strcmp(type, "token[]") == 0) return usda_tokens(file, sample);
    if (strcmp(type, "matrix4d") == 0) return usda_matrix(file, sample, &room);
    if (!strchr(type, '[')) return usda_element(file, "int", sample, &room);
    if (!usda_need(file, "[")) return false;
    while (!usda_next(file, "]")) {
        if (sample->count && !usda_need(file, ",")) return false;
        if (!usda_element(file, type, sample, &room)) return false;
    }
    return true;
}

static usda_sample *usda_add_sample(usda_attribute *attribute) {
    attribute->samples = realloc(attribute->samples, (attribute->count + 1) * sizeof *attribute->samples);
    if (!attribute->samples) abort();
    attribute->samples[attribute->count] = (usda_sample){ 0 };
    return &attribute->samples[attribute->count++];
}

/* Codes must rise: USD would sort them, but a bake writes them in order. */
static bool usda_samples(usda_file *file, usda_attribute *attribute) {
    if (!usda_need(file, "{")) return false;
    while (!usda_next(file, "}")) {
        double before = attribute->count ? attribute->samples[attribute->count - 1].code : -1;
        usda_sample *sample = usda_add_sample(attribute);
        char *end;
        usda_blanks(file);
        sample->code = strtod(file->at, &end);
        if (end == file->at || sample->code <= before) return usda_fail(file, "a time code above the one before");
        file->at = end;
        if (!usda_need(file, ":") || !usda_value(file, attribute->type, sample) || !usda_need(file, ",")) return false;
    }
    return true;
}

/* ----------------------------------------------------------------------------------------------- metadata and prims */

static usda_attribute *usda_attribute_at(usda_file *file, const char *path) {
    for (size_t i = 0; i < file->count; ++i)
        if (strcmp(file->attributes[i].path, path) == 0) return &file->attributes[i];
    return NULL;
}

static usda_attribute *usda_add(usda_file *file, const char *name, const char *type) {
    usda_attribute fresh = { .sampled = false };
    snprintf(fresh.path, sizeof fresh.path, "%s%s%s", file->path, *name == '(' ? "" : ".", name);
    snprintf(fresh.type, sizeof fresh.type, "%s", type);
    usda_attribute *known = usda_attribute_at(file, fresh.path);
    if (known) return known;
    file->attributes = realloc(file->attributes, (file->count + 1) * sizeof *file->attributes);
    if (!file->attributes) abort();
    file->attributes[file->count] = fresh;
    return &file->attributes[file->count++];
}

/* Of the layer each entry becomes an attribute "(key)"; of a property only the interpolation is known. */
static bool usda_metadata(usda_file *file, usda_attribute *of) {
    while (!usda_next(file, ")")) {
        char key[64], name[80];
        if (!usda_word(file, "", key, sizeof key) || !usda_need(file, "=")) return false;
        usda_blanks(file);
        if (of) {
            if (strcmp(key, "interpolation") != 0) return usda_fail(file, "interpolation");
            if (!usda_string(file, of->interpolation, sizeof of->interpolation)) return false;
            continue;
        }
        snprintf(name, sizeof name, "(%s)", key);
        usda_attribute *entry = usda_add(file, name, *file->at == '"' ? "string" : "number");
        if (entry->count) return usda_fail(file, "no key twice");
        usda_sample *sample = usda_add_sample(entry);
        char *end, text[512];
        if (*file->at == '"') {
            if (!usda_string(file, text, sizeof text)) return false;
            snprintf(sample->text, sizeof sample->text, "%s", text);
            continue;
        }
        sample->numbers = malloc(sizeof *sample->numbers);
        if (!sample->numbers) abort();
        *sample->numbers = strtod(file->at, &end);
        if (end == file->at) return usda_fail(file, "a number or string");
        sample->count = sample->width = 1;
        file->at = end;
    }
    return true;
}

static bool usda_property(usda_file *file) {
    char type[32], name[128];
    usda_next(file, "uniform");
    if (!usda_word(file, "[]", type, sizeof type) || !usda_word(file, ":", name, sizeof name)) return false;
    usda_attribute *attribute = usda_add(file, name, type);
    if (strcmp(attribute->type, type) != 0) return usda_fail(file, "the type that it had before");
    bool sampled = usda_next(file, ".timeSamples");
    attribute->sampled |= sampled;
    if (usda_next(file, "=")) {
        if (attribute->count) return usda_fail(file, "no second value");
        if (!(sampled ? usda_samples(file, attribute) : usda_value(file, type, usda_add_sample(attribute))))
            return false;
    } else if (sampled) {
        return usda_fail(file, "=");
    }
    return usda_next(file, "(") ? usda_metadata(file, attribute) : true;
}

static bool usda_prim(usda_file *file) {
    char type[32], name[320];
    size_t length = strlen(file->path);
    if (!usda_word(file, "", type, sizeof type) || !usda_string(file, name, sizeof name)) return false;
    if (!isalpha((unsigned char)name[0]) && name[0] != '_') return usda_fail(file, "a name that starts with a letter");
    for (const char *c = name; *c; ++c)
        if (!isalnum((unsigned char)*c) && *c != '_') return usda_fail(file, "a name of letters, digits and _");
    snprintf(file->path + length, sizeof file->path - length, "/%s", name);
    usda_attribute *kind = usda_add(file, "(type)", "token");
    if (kind->count) return usda_fail(file, "no second prim of that name");
    snprintf(usda_add_sample(kind)->text, sizeof kind->samples->text, "%s", type);
    if (!usda_need(file, "{")) return false;
    while (!usda_next(file, "}"))
        if (!(usda_next(file, "def") ? usda_prim(file) : usda_property(file))) return false;
    file->path[length] = 0;
    return true;
}

/* -------------------------------------------------------------------------------------------------------------- use */

/* False with `error`; usda_free in either case. */
static bool usda_read(const char *path, usda_file *out) {
    *out = (usda_file){ 0 };
    FILE *stream = fopen(path, "rb");
    size_t size = 0, room = 0;
    do {
        room = 2 * room + 65536;
        out->text = realloc(out->text, room + 1);
        if (!out->text) abort();
        size += stream ? fread(out->text + size, 1, room - size, stream) : 0;
    } while (size == room);
    out->text[size] = 0;
    out->at = out->text;
    if (!stream || fclose(stream) != 0) return usda_fail(out, "a readable file");
    if (strlen(out->text) != size || !usda_need(out, "#usda 1.0\n")) return usda_fail(out, "#usda 1.0 and text");
    if (usda_next(out, "(") && !usda_metadata(out, NULL)) return false;
    while (usda_next(out, "def"))
        if (!usda_prim(out)) return false;
    usda_blanks(out);
    return *out->at ? usda_fail(out, "def or the end") : true;
}

static void usda_free(usda_file *file) {
    for (size_t i = 0; i < file->count; ++i) {
        for (size_t s = 0; s < file->attributes[i].count; ++s) free(file->attributes[i].samples[s].numbers);
        free(file->attributes[i].samples);
    }
    free(file->attributes);
    free(file->text);
}

#endif
