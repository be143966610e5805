/* fill, sources and sinks: how liquid comes and goes. */
#include <math.h>
#include <stdlib.h>

#include "npy.h"
#include "read_scene.h"

static const rill_range RATE = { 0, 1e6, false, "m3/s" };
static const rill_range RAIN = { 0, 1e9, false, "mm/h" };
enum { LIST_LIMIT = 65535, LAYERS_LIMIT = 65535 };

/* The ledger's own accounts. */
static const char *const accounts[] = { "fill", "west", "east", "south", "north", "emptied", "dripped", NULL };

/* ------------------------------------------------------------------------------------------------------------- fill */

/* The array must fit the grid cell by cell; NaN leaves a column alone. */
static bool check_depths(rill_reader *reader, const rill_node *node, const char *path, const rill_grid *grid,
                         const rill_npy *array) {
    size_t nx = (size_t)grid->cells[0], ny = (size_t)grid->cells[1];
    if (array->axes != 2 || array->shape[0] != ny || array->shape[1] != nx) {
        char shape[128] = "";
        for (int32_t axis = 0, at = 0; axis < array->axes; ++axis)
            at += snprintf(shape + at, sizeof shape - (size_t)at, "%s%zu", axis ? ", " : "", array->shape[axis]);
        rill_report_error(reader->report, node->place,
                          "%s: found an array of shape (%s), expected (%zu, %zu): rows, columns", path, shape, ny, nx);
        return false;
    }
    for (size_t i = 0; i < array->count; ++i) {
        if (!isnan(array->values[i]) && !(array->values[i] >= 0 && array->values[i] <= rill_range_size.high)) {
            rill_report_error(reader->report, node->place,
                              "%s: found the depth %g at row %zu, column %zu, expected 0 to %g m or NaN", path,
                              array->values[i], i / nx, i % nx, rill_range_size.high);
            return false;
        }
    }
    return true;
}

static void read_depths(rill_reader *reader, const rill_node *node, const rill_grid *grid, rill_scene_fill *fill) {
    const char *path = rill_read_file_name(reader, node);
    if (!path) return;
    rill_npy array = { 0 };
    rill_message message = { "" };
    rill_result result = rill_npy_load(path, &array, &message);
    if (result != RILL_OK) {
        rill_reader_refuse_file(reader, node, path, result, &message);
    } else if (!check_depths(reader, node, path, grid, &array)) {
        rill_npy_free(&array);
    } else if (!rill_store_adopt(reader->store, array.values)) {
        rill_npy_free(&array);
        reader->no_memory = true;
    } else {
        fill->depths = array.values;
    }
}

static void read_fill(rill_reader *reader, const rill_node *node, const rill_grid *grid, rill_scene_fill *fill) {
    static const rill_range volume_range = { 0, 1e6, true, "m3" };
    static const char *const level_keys[] = { "at", "level", NULL }, *const depth_keys[] = { "depth", "layer", NULL },
                             *const volume_keys[] = { "at", "volume", NULL };
    fill->place = node->place;
    const rill_node *depth = rill_tree_get(node, "depth");
    if (depth) {
        rill_reader_open(reader, node, "a fill by depth", depth_keys);
        rill_read_integer(reader, rill_tree_get(node, "layer"), 0, LAYERS_LIMIT, &fill->layer);
        read_depths(reader, depth, grid, fill);
    } else if (rill_tree_get(node, "volume")) {
        rill_reader_open(reader, node, "a fill by volume", volume_keys);
        rill_read_numbers(reader, rill_reader_need(reader, node, "a fill by volume", "at"), &rill_range_place, fill->at,
                          3);
        rill_read_number(reader, rill_tree_get(node, "volume"), &volume_range, &fill->volume);
    } else if (rill_reader_open(reader, node, "a fill by level", level_keys)) {
        const char *what = "a fill by level (one by depth has the key 'depth', one by volume the key 'volume')";
        rill_read_numbers(reader, rill_reader_need(reader, node, what, "at"), &rill_range_place, fill->at, 3);
        rill_read_number(reader, rill_reader_need(reader, node, what, "level"), &rill_range_place, &fill->level);
    }
}

void rill_read_fills(rill_reader *reader, const rill_node *node, rill_scene *scene) {
    if (!rill_reader_list(reader, node, "fills", 0, LIST_LIMIT)) return;
    scene->fills = rill_store_take(reader->store, node->count, sizeof *scene->fills);
    if (!scene->fills) {
        reader->no_memory = true;
        return;
    }
    for (; scene->fill_count < node->count && !reader->no_memory; ++scene->fill_count) {
        size_t i = scene->fill_count;
        read_fill(reader, node->members[i].value, &scene->world.grid, &scene->fills[i]);
    }
}

/* ------------------------------------------------------------------------------------------------ sources and sinks */

static const char *const rain_keys[] = { "rain", "name", "from", "until", NULL };
static const char *const box_keys[] = { "min", "max", "rate", "name", "from", "until", NULL };
static const char *const at_keys[] = { "at", "radius", "rate", "name", "from", "until", NULL };
static const char *const source_keys[] = {
    "name", "at", "radius", "min", "max", "rain", "rate", "from", "until", NULL
};
static const char *const sink_keys[] = { "name", "at", "radius", "min", "max", "rate", "from", "until", NULL };

void rill_read_window(rill_reader *reader, const rill_node *node, double *from, double *until) {
    const rill_node *end = rill_tree_get(node, "until");
    bool good = true;
    if (rill_tree_get(node, "from"))
        good = rill_read_number(reader, rill_tree_get(node, "from"), &rill_range_time, from);
    if (rill_read_number(reader, end, &rill_range_time, until) && good && !(*until > *from))
        rill_reader_expected(reader, end, "more than the %g of 'from'", *from);
}

static void read_place(rill_reader *reader, const rill_node *node, bool sink, rill_source_def *def) {
    const rill_node *radius = rill_tree_get(node, "radius");
    if (!sink && rill_tree_get(node, "rain")) {
        rill_reader_open(reader, node, "rain", rain_keys);
        def->shape = RILL_SOURCE_RAIN;
        rill_read_number(reader, rill_tree_get(node, "rain"), &RAIN, &def->rain);
        return;
    }
    if (rill_tree_get(node, "min") || rill_tree_get(node, "max")) {
        const char *what = sink ? "a box sink" : "a box source";
        rill_reader_open(reader, node, what, box_keys);
        def->shape = RILL_SOURCE_BOX;
        rill_read_box(reader, node, what, def->min, def->max);
    } else if (rill_tree_get(node, "at")) {
        rill_reader_open(reader, node, sink ? "a sink" : "a source", at_keys);
        def->shape = radius ? RILL_SOURCE_DISC : RILL_SOURCE_POINT;
        rill_read_numbers(reader, rill_tree_get(node, "at"), &rill_range_place, def->at, 3);
        rill_read_number(reader, radius, &rill_range_size, &def->radius);
    } else {
        rill_reader_open(reader, node, sink ? "a sink" : "a source", sink ? sink_keys : source_keys);
        rill_report_error(reader->report, node->place, "found a %s without a place, expected the key%s",
                          sink ? "sink" : "source", sink ? " at, or min and max" : "s at, or min and max, or rain");
        return;
    }
    rill_read_number(reader, rill_reader_need(reader, node, sink ? "a sink" : "a source", "rate"), &RATE, &def->rate);
}

static void read_one(rill_reader *reader, const rill_node *node, bool sink, size_t number, rill_names *names,
                     rill_scene_source *source) {
    source->def = rill_default_source_def();
    source->def.sink = sink;
    source->place = node->place;
    if (node->kind != RILL_NODE_MAP) {
        rill_reader_expected(reader, node, sink ? "a mapping: a sink" : "a mapping: a source");
        return;
    }
    const rill_node *name = rill_tree_get(node, "name");
    source->def.name = name ? rill_names_read(reader, names, name)
                            : rill_names_invent(reader, names, sink ? "sink" : "source", number);
    read_place(reader, node, sink, &source->def);
    rill_read_window(reader, node, &source->def.from, &source->def.until);
}

void rill_read_sources(rill_reader *reader, const rill_node *sources, const rill_node *sinks, rill_scene *scene) {
    const rill_node *lists[2] = { sources, sinks };
    size_t room = 0;
    for (int sink = 0; sink < 2; ++sink) {
        bool good = rill_reader_list(reader, lists[sink], sink ? "sinks" : "sources", 0, LIST_LIMIT / 2);
        lists[sink] = good ? lists[sink] : NULL;
        room += good ? lists[sink]->count : 0;
    }
    rill_names names = { .reserved = accounts };
    scene->sources = rill_store_take(reader->store, room, sizeof *scene->sources);
    if (!scene->sources || !rill_names_make(reader, &names, room)) {
        reader->no_memory = true;
        return;
    }
    for (int sink = 0; sink < 2; ++sink) {
        for (size_t i = 0; lists[sink] && i < lists[sink]->count && !reader->no_memory; ++i) {
            read_one(reader, lists[sink]->members[i].value, sink, i + 1, &names, &scene->sources[scene->source_count]);
            ++scene->source_count;
        }
    }
}
