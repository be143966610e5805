/* Maps that lie over the whole grid, one number per place: heights, contact angles. An .npy file holds the numbers
 * themselves; a picture goes from `low`, black, to `high`, white. */
#include "read_maps.h"

#include <math.h>
#include <stdlib.h>

#include "files.h"
#include "npy.h"
#include "png_heights.h"

enum { SIDE_LIMIT = 32768 };

static rill_result check_npy(const rill_npy *array, const rill_map_kind *kind, rill_message *message) {
    if (array->axes != 2 || !array->shape[0] || !array->shape[1] || array->shape[0] > SIDE_LIMIT ||
        array->shape[1] > SIDE_LIMIT) {
        snprintf(message->text, sizeof message->text,
                 "found an array of %d axes, expected 2 (rows from south to north, columns), 1 to %d each", array->axes,
                 SIDE_LIMIT);
        return RILL_INVALID_DATA;
    }
    for (size_t i = 0; i < array->count; ++i) {
        if (array->values[i] >= kind->range->low && array->values[i] <= kind->range->high) continue; /* NaN does not */
        snprintf(message->text, sizeof message->text, "found the %s %g at row %zu, column %zu, expected %g to %g %s",
                 kind->number, array->values[i], i / array->shape[1], i % array->shape[1], kind->range->low,
                 kind->range->high, kind->range->unit);
        return RILL_INVALID_DATA;
    }
    return RILL_OK;
}

static rill_result load_npy(const char *path, const rill_map_kind *kind, double **out, int32_t size[2],
                            rill_message *message) {
    rill_npy array;
    rill_result result = rill_npy_load(path, &array, message);
    if (result != RILL_OK) return result;
    result = check_npy(&array, kind, message);
    if (result != RILL_OK) {
        rill_npy_free(&array);
        return result;
    }
    *out = array.values;
    size[0] = (int32_t)array.shape[1];
    size[1] = (int32_t)array.shape[0];
    return RILL_OK;
}

/* low and high belong to pictures, which know no units. */
static bool read_range(rill_reader *reader, const rill_node *node, const rill_map_kind *kind, bool picture,
                       double range[2]) {
    const rill_node *low = rill_tree_get(node, "low"), *high = rill_tree_get(node, "high");
    if (!picture) {
        const rill_node *extra = low ? low : high;
        if (extra)
            rill_reader_expected(reader, extra, "no 'low' and 'high' with an .npy file: it holds %s", kind->plural);
        return !extra;
    }
    bool good = rill_read_number(reader, rill_reader_need(reader, node, kind->picture, "low"), kind->range, &range[0]);
    good &= rill_read_number(reader, rill_reader_need(reader, node, kind->picture, "high"), kind->range, &range[1]);
    if (good && kind->rises && !(range[0] < range[1])) {
        rill_reader_expected(reader, high, "more than the %g of 'low'", range[0]);
        return false;
    }
    return good;
}

bool rill_reader_keep(rill_reader *reader, void *memory) {
    if (rill_store_adopt(reader->store, memory)) return true;
    free(memory);
    reader->no_memory = true;
    return false;
}

const char *rill_read_map(rill_reader *reader, const rill_node *node, const char *key, const rill_map_kind *kind,
                          double **out, int32_t size[2]) {
    const rill_node *file = rill_reader_need(reader, node, kind->what, key);
    const char *name = "";
    if (!rill_read_text(reader, file, &name)) return NULL;
    const bool picture = rill_file_ends(name, ".png");
    if (!picture && !rill_file_ends(name, ".npy")) {
        rill_reader_expected(reader, file, "the name of a .png or .npy file");
        return NULL;
    }
    double range[2] = { 0, 1 }, *values = NULL;
    const bool good = read_range(reader, node, kind, picture, range);
    const char *path = rill_read_file_name(reader, file);
    if (!path) return NULL;
    rill_message message = { "" };
    const rill_result result =
        picture ? rill_png_load(path, &values, size, &message) : load_npy(path, kind, &values, size, &message);
    if (result != RILL_OK) {
        rill_reader_refuse_file(reader, file, path, result, &message);
        return NULL;
    }
    if (!rill_reader_keep(reader, values)) return NULL;
    for (size_t i = 0; picture && good && i < (size_t)size[0] * (size_t)size[1]; ++i)
        values[i] = range[0] + values[i] * (range[1] - range[0]);
    *out = values;
    return path;
}
