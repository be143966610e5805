/* The record of a bake: read, compared, written. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bake_folder.h"
#include "console/console.h"
#include "scene/files.h"

static const size_t RECORD_LIMIT = (size_t)1 << 36;
static const size_t SCENE_LIMIT = (size_t)1 << 30;

/* --------------------------------------------------------------------------------------------------------- identity */

/* FNV-1a, 64 bits. */
static uint64_t mix(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; ++i) hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

static uint64_t mix_solid(uint64_t hash, const rill_scene_solid *solid) {
    const rill_solid_def *def = &solid->def;
    if (def->shape.type == RILL_SHAPE_MESH) {
        size_t place = 3 * sizeof *def->shape.vertices;
        hash = mix(hash, def->shape.vertices, def->shape.vertex_count * place);
        hash = mix(hash, def->shape.indices, 3 * def->shape.triangle_count * sizeof *def->shape.indices);
        for (size_t i = 0; i < solid->morph_count; ++i)
            hash = mix(hash, solid->morphs[i].vertices, def->shape.vertex_count * place);
    }
    if (def->shape.type == RILL_SHAPE_HEIGHTMAP) {
        size_t count = (size_t)def->shape.heights_size[0] * (size_t)def->shape.heights_size[1];
        hash = mix(hash, def->shape.heights, count * sizeof *def->shape.heights);
    }
    return hash;
}

bool rill_bake_identify(const rill_scene *scene, const char *const *sets, size_t set_count, const rill_world *world,
                        rill_bake_identity *out) {
    char *text;
    size_t size;
    rill_message message;
    if (rill_file_read(scene->path, SCENE_LIMIT, &text, &size, &message) != RILL_OK)
        return rill_bake_complain(scene->path, message.text);
    uint64_t start = rill_world_hash(world), hash = mix(0xcbf29ce484222325u, text, size);
    free(text);
    hash = mix(hash, &start, sizeof start);
    for (size_t i = 0; i < set_count; ++i) hash = mix(hash, sets[i], strlen(sets[i]) + 1);
    for (size_t i = 0; i < scene->solid_count; ++i) hash = mix_solid(hash, &scene->solids[i]);
    for (size_t i = 0; i < scene->body_count; ++i) {
        const rill_body_def *def = &scene->bodies[i].def;
        hash = mix(hash, def->shape.vertices, 3 * def->shape.vertex_count * sizeof *def->shape.vertices);
        hash = mix(hash, def->shape.indices, 3 * def->shape.triangle_count * sizeof *def->shape.indices);
    }
    out->scene = hash;
    return true;
}

/* ---------------------------------------------------------------------------------------------------------- reading */

/* Returns the line that starts at *text as "key value", which ends it; NULL if it is another one. */
static const char *take_line(char **text, const char *key) {
    size_t length = strlen(key);
    char *line = *text, *end = strchr(line, '\n');
    if (!end || strncmp(line, key, length) != 0 || line[length] != ' ') return NULL;
    *end = 0;
    *text = end + 1;
    return line + length + 1;
}

static bool take_count(char **text, const char *key, uint64_t *out) {
    const char *value = take_line(text, key);
    char *end;
    if (!value || *value < '0' || *value > '9') return false;
    errno = 0;
    *out = strtoull(value, &end, 10);
    return errno == 0 && !*end && *out <= INT64_MAX;
}

typedef struct record_head {
    const char *program, *scene, *options;
    uint64_t frame, written, index, samples, snapshot;
} record_head;

static bool parse_head(char **text, record_head *head) {
    const char *version = take_line(text, "rill bake");
    return version && strcmp(version, "1") == 0 && (head->program = take_line(text, "program")) != NULL &&
           (head->scene = take_line(text, "scene")) != NULL && (head->options = take_line(text, "options")) != NULL &&
           take_count(text, "frame", &head->frame) && take_count(text, "written", &head->written) &&
           take_count(text, "index", &head->index) && take_count(text, "samples", &head->samples) &&
           take_count(text, "snapshot", &head->snapshot);
}

/* Tells whether the record is of the bake that is wanted; says what differs. */
static bool is_same(const char *folder, const record_head *head, const rill_bake_identity *identity) {
    static const char remedy[] = "--fresh removes it and starts over; -o chooses another folder";
    char scene[17];
    snprintf(scene, sizeof scene, "%016" PRIx64, identity->scene);
    if (strcmp(head->options, identity->options) != 0) {
        fprintf(stderr, "rill bake: %s: found a bake with other options (%s), expected %s: %s\n", folder, head->options,
                identity->options, remedy);
    } else if (strcmp(head->scene, scene) != 0) {
        fprintf(
            stderr,
            "rill bake: %s: found a bake of another scene, or of this one before it, a file it names or a --set was "
            "changed: %s\n",
            folder, remedy);
    } else if (strcmp(head->program, rill_version()) != 0) {
        fprintf(stderr, "rill bake: %s: found a bake by rill %s, this is %s: %s\n", folder, head->program,
                rill_version(), remedy);
    } else {
        return true;
    }
    return false;
}

int rill_bake_record_read(const char *folder, const rill_bake_identity *identity, rill_bake_record *out, bool *found) {
    char path[RILL_BAKE_PATH], *bytes;
    size_t size;
    rill_message message;
    *out = (rill_bake_record){ 0 };
    *found = false;
    if (!rill_bake_path(folder, RILL_BAKE_RECORD, path)) return RILL_EXIT_MACHINE;
    if (access(path, F_OK) != 0 && errno == ENOENT) return RILL_EXIT_DONE;
    rill_result result = rill_file_read(path, RECORD_LIMIT, &bytes, &size, &message);
    if (result != RILL_OK) {
        rill_bake_complain(path, message.text);
        return result == RILL_OUT_OF_MEMORY ? RILL_EXIT_MACHINE : RILL_EXIT_INPUT;
    }
    char *rest = bytes;
    record_head head = { 0 };
    if (!parse_head(&rest, &head) || head.snapshot != size - (size_t)(rest - bytes)) {
        rill_bake_complain(path, "it is damaged: --fresh bakes everything again");
        free(bytes);
        return RILL_EXIT_INPUT;
    }
    if (!is_same(folder, &head, identity)) {
        free(bytes);
        return RILL_EXIT_USAGE;
    }
    memmove(bytes, rest, (size_t)head.snapshot);
    *out = (rill_bake_record){ .frame = (int64_t)head.frame,
                               .written = (int64_t)head.written,
                               .index = head.index,
                               .samples = head.samples,
                               .snapshot = bytes,
                               .snapshot_size = head.snapshot };
    *found = true;
    return RILL_EXIT_DONE;
}

/* ---------------------------------------------------------------------------------------------------------- writing */

bool rill_bake_record_write(const char *folder, const rill_bake_identity *identity, const rill_bake_record *record) {
    char path[RILL_BAKE_PATH], head[512];
    rill_message message;
    rill_writer writer;
    if (!rill_bake_path(folder, RILL_BAKE_RECORD, path)) return false;
    snprintf(head, sizeof head,
             "rill bake 1\nprogram %s\nscene %016" PRIx64 "\noptions %s\nframe %" PRId64 "\nwritten %" PRId64
             "\nindex %" PRIu64 "\nsamples %" PRIu64 "\nsnapshot %" PRIu64 "\n",
             rill_version(), identity->scene, identity->options, record->frame, record->written, record->index,
             record->samples, record->snapshot_size);
    if (!rill_writer_create(&writer, path, &message)) return rill_bake_complain_of_disk(path, message.text);
    rill_writer_text(&writer, head);
    rill_writer_bytes(&writer, record->snapshot, (size_t)record->snapshot_size);
    return rill_writer_commit(&writer, &message) ? true : rill_bake_complain_of_disk(path, message.text);
}
