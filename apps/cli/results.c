/* Writing results: every call that can fail is looked at, including the closing ones. */
#include "results.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "scene/bodies_rows.h"
#include "scene/files.h"
#include "scene/npy.h"

enum { PATH_LIMIT = 4096 };

static bool complain(const char *path, const char *why) {
    fprintf(stderr, "rill run: %s: cannot be written: %s\n", path, why);
    return false;
}

static bool path_in(const rill_results *results, const char *name, char path[PATH_LIMIT]) {
    int length = snprintf(path, PATH_LIMIT, "%s/%s", results->folder, name);
    return length > 0 && length < PATH_LIMIT ? true : complain(results->folder, "its name is too long");
}

static FILE *start_file(const rill_results *results, const char *name) {
    char path[PATH_LIMIT];
    if (!path_in(results, name, path)) return NULL;
    FILE *file = fopen(path, "wb");
    if (!file) complain(path, strerror(errno));
    return file;
}

static bool flushed(const rill_results *results, FILE *file, const char *name) {
    char path[PATH_LIMIT];
    errno = 0;
    if (fflush(file) == 0 && !ferror(file)) return true;
    return path_in(results, name, path) && complain(path, errno ? strerror(errno) : "the disk failed");
}

/* ----------------------------------------------------------------------------------------------------------- arrays */

static bool save(const rill_results *results, const char *name, int32_t axes) {
    char path[PATH_LIMIT];
    rill_message message = { "" };
    if (!path_in(results, name, path)) return false;
    if (rill_npy_save(path, results->buffer, results->shape, axes, &message) != RILL_OK)
        return complain(path, message.text);
    return true;
}

/* All layers of a field as one array. */
static bool save_field(rill_results *results, rill_field field, const char *name) {
    size_t width = field == RILL_FIELD_VELOCITY ? 2 : 1;
    size_t count = results->shape[1] * results->shape[2] * width;
    for (size_t layer = 0; layer < results->shape[0]; ++layer) {
        double *out = results->buffer + layer * count;
        if (rill_world_read_field(results->world, field, (int32_t)layer, out, count) != RILL_OK)
            return complain(name, rill_world_message(results->world));
    }
    return save(results, name, width == 2 ? 4 : 3);
}

/* Room for as many layers as the bed has now. */
static bool make_room(rill_results *results) {
    rill_bed_info info;
    if (rill_bed_get_info(results->world, &info) != RILL_OK)
        return complain("the arrays", rill_world_message(results->world));
    size_t shape[4] = { (size_t)info.layers, (size_t)info.cells[1], (size_t)info.cells[0], 2 };
    if (results->buffer && shape[0] == results->shape[0]) return true;
    /* At most 65535 layers of 2^28 cells: the product of the sizes fits 64 bits. */
    size_t count = shape[0] * shape[1] * shape[2] * 2;
    free(results->buffer);
    results->buffer = calloc(count ? count : 1, sizeof *results->buffer);
    memcpy(results->shape, shape, sizeof shape);
    return results->buffer ? true : complain("the arrays", "out of memory");
}

static bool start_fields(rill_results *results) {
    results->moving = rill_scene_moves(results->scene);
    results->index = start_file(results, "fields.csv");
    return results->index && fputs("number,time\n", results->index) >= 0 && make_room(results) &&
           (results->moving || (save_field(results, RILL_FIELD_BASE, "base.npy") &&
                                save_field(results, RILL_FIELD_CEILING, "ceiling.npy")));
}

bool rill_results_arrays(rill_results *results, double time) {
    static const struct {
        const char *name;
        rill_field field;
    } kinds[] = { { "base", RILL_FIELD_BASE },
                  { "ceiling", RILL_FIELD_CEILING },
                  { "depth", RILL_FIELD_DEPTH },
                  { "velocity", RILL_FIELD_VELOCITY } };
    if (!make_room(results)) return false;
    for (size_t i = results->moving ? 0 : 2; i < sizeof kinds / sizeof kinds[0]; ++i) {
        char name[64];
        snprintf(name, sizeof name, "%s_%05" PRId64 ".npy", kinds[i].name, results->arrays);
        if (!save_field(results, kinds[i].field, name)) return false;
    }
    fprintf(results->index, "%" PRId64 ",%.17g\n", results->arrays, time);
    ++results->arrays;
    return flushed(results, results->index, "fields.csv");
}

/* -------------------------------------------------------------------------------------------------------------- log */

bool rill_results_open(rill_results *results, const char *folder, const rill_scene *scene, const rill_world *world,
                       bool fields) {
    *results = (rill_results){ .folder = folder, .scene = scene, .world = world, .fields = fields };
    rill_message message;
    if (!rill_file_make_folders(folder, &message)) {
        fprintf(stderr, "rill run: %s\n", message.text);
        return false;
    }
    results->log = start_file(results, "log.csv");
    if (!results->log) return false;
    fputs("time,substeps,volume,airborne,in_transit,poured,drained,ledger_error,max_speed,awake", results->log);
    for (size_t i = 0; i < scene->probe_count; ++i) fprintf(results->log, ",%s", scene->probes[i].name);
    fputc('\n', results->log);
    if (scene->body_count) {
        results->bodies = start_file(results, "bodies.csv");
        if (!results->bodies || fputs(rill_bodies_head, results->bodies) < 0) return false;
    }
    return flushed(results, results->log, "log.csv") && (!fields || start_fields(results));
}

static bool write_bodies(rill_results *results, double time) {
    char text[32];
    snprintf(text, sizeof text, "%.17g", time);
    for (int32_t i = 0; i < rill_world_body_count(results->world); ++i)
        fputs(rill_bodies_row_of(results->world, i, text).text, results->bodies);
    return flushed(results, results->bodies, "bodies.csv");
}

bool rill_results_row(rill_results *results, double time, int64_t substeps) {
    rill_ledger ledger;
    rill_step_info step;
    if (rill_world_get_ledger(results->world, &ledger) != RILL_OK ||
        rill_world_get_step_info(results->world, &step) != RILL_OK)
        return complain("log.csv", rill_world_message(results->world));
    double quantum = ledger.quantum_volume;
    fprintf(results->log, "%.17g,%" PRId64 ",%.17g,%.17g,%.17g,%.17g,%.17g,%" PRId64 ",%.17g,%" PRId64, time, substeps,
            (double)ledger.columns * quantum, (double)ledger.airborne * quantum, (double)ledger.in_transit * quantum,
            (double)ledger.poured * quantum, (double)ledger.drained * quantum, ledger.error, step.max_speed,
            step.awake_columns);
    for (size_t i = 0; i < results->scene->probe_count; ++i)
        fprintf(results->log, ",%.17g", rill_scene_probe_value(&results->scene->probes[i], results->world));
    fputc('\n', results->log);
    return flushed(results, results->log, "log.csv") && (!results->bodies || write_bodies(results, time));
}

bool rill_results_close(rill_results *results) {
    bool good = true;
    FILE *files[3] = { results->log, results->index, results->bodies };
    for (int i = 0; i < 3; ++i)
        if (files[i] && fclose(files[i]) != 0) good = complain(results->folder, strerror(errno));
    free(results->buffer);
    results->log = results->index = results->bodies = NULL;
    results->buffer = NULL;
    return good;
}
