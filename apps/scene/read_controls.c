/* control: shapes that liquid is drawn into. Polygons go to the world as they are; pictures and text become a mask over the
 * cells of the grid. */
#include <math.h>
#include <stdlib.h>

#include "png_heights.h"
#include "read_maps.h"
#include "read_scene.h"
#include "text_mask.h"

static const rill_range STRENGTH = { 0, 1e4, false, "m/s2" };
enum { CONTROLS_LIMIT = 1024, CORNERS_LIMIT = 100000, PIXELS_LEAST = 64, PIXELS_MOST = 1024, PIXELS_PER_CELL = 4 };

static const char *const common_keys[] = { "name", "strength", "contact_angle", "from", "until" };

/* ---------------------------------------------------------------------------------------------------------- polygons */

static bool read_corners(rill_reader *reader, const rill_node *node, double *points) {
    bool good = true;
    for (size_t i = 0; i < node->count; ++i)
        good &= rill_read_numbers(reader, node->members[i].value, &rill_range_place, points + 2 * i, 2);
    return good;
}

/* Reads one polygon, or several. */
static void read_polygons(rill_reader *reader, const rill_node *const *nodes, size_t count, rill_control_def *def) {
    size_t corners = 0;
    for (size_t i = 0; i < count; ++i) {
        if (!rill_reader_list(reader, nodes[i], "corners", 3, CORNERS_LIMIT)) return;
        corners += nodes[i]->count;
    }
    double *points = rill_store_take(reader->store, 2 * corners, sizeof *points), *at = points;
    int32_t *counts = rill_store_take(reader->store, count, sizeof *counts);
    if (!points || !counts) {
        reader->no_memory = true;
        return;
    }
    bool good = true;
    for (size_t i = 0; i < count; at += 2 * nodes[i++]->count) {
        good &= read_corners(reader, nodes[i], at);
        counts[i] = (int32_t)nodes[i]->count;
    }
    if (!good) return;
    def->points = points;
    def->corners = counts;
    def->polygon_count = (int32_t)count;
}

static void read_polygon_list(rill_reader *reader, const rill_node *list, rill_control_def *def) {
    if (!rill_reader_list(reader, list, "polygons", 1, CORNERS_LIMIT)) return;
    const rill_node **nodes = rill_store_take(reader->store, list->count, sizeof *nodes);
    if (!nodes) {
        reader->no_memory = true;
        return;
    }
    for (size_t i = 0; i < list->count; ++i) nodes[i] = list->members[i].value;
    read_polygons(reader, nodes, list->count, def);
}

/* ------------------------------------------------------------------------------------------------------------- masks */

/* A picture and where it lies: pixels from its south-west corner on. */
typedef struct placed {
    const uint8_t *ink;
    int32_t width, height;
    double corner[2], pixel[2]; /* m */
} placed;

/* Marks the cells whose centres lie on ink. */
static void lay(rill_reader *reader, const rill_grid *grid, const placed *picture, rill_control_def *def) {
    const size_t nx = (size_t)grid->cells[0], cells = nx * (size_t)grid->cells[1];
    uint8_t *mask = rill_store_take(reader->store, cells, 1);
    if (!mask) {
        reader->no_memory = true;
        return;
    }
    for (size_t i = 0; i < cells; ++i) {
        const double x = grid->origin[0] + ((double)(i % nx) + 0.5) * grid->cell_size - picture->corner[0];
        const double y = grid->origin[1] + ((double)(i / nx) + 0.5) * grid->cell_size - picture->corner[1];
        const double column = floor(x / picture->pixel[0]), row = floor(y / picture->pixel[1]);
        const bool on = column >= 0 && row >= 0 && column < picture->width && row < picture->height;
        mask[i] = on && picture->ink[(size_t)row * (size_t)picture->width + (size_t)column] >= 128;
    }
    def->mask = mask;
    def->mask_count = cells;
}

/* Reads the lower left corner and the height of a picture: without, it covers the grid. */
static bool read_placing(rill_reader *reader, const rill_node *node, const char *what, bool needed, placed *picture,
                         double *height) {
    const rill_node *at = rill_tree_get(node, "at"), *tall = rill_tree_get(node, "height");
    if (!needed && !at && !tall) return true;
    bool good =
        rill_read_numbers(reader, rill_reader_need(reader, node, what, "at"), &rill_range_place, picture->corner, 2);
    good &= rill_read_number(reader, rill_reader_need(reader, node, what, "height"), &rill_range_size, height);
    return good;
}

static void read_image(rill_reader *reader, const rill_node *node, const rill_grid *grid, rill_control_def *def) {
    const rill_node *file = rill_tree_get(node, "image");
    placed picture = { .corner = { grid->origin[0], grid->origin[1] } };
    double height = 0.0, *values;
    rill_message message = { "" };
    if (!read_placing(reader, node, "a control by an image that is placed", false, &picture, &height)) return;
    const char *path = rill_read_file_name(reader, file);
    if (!path) return;
    int32_t size[2];
    const rill_result result = rill_png_load(path, &values, size, &message);
    if (result != RILL_OK) {
        rill_reader_refuse_file(reader, file, path, result, &message);
        return;
    }
    const size_t pixels = (size_t)size[0] * (size_t)size[1];
    uint8_t *ink = rill_store_take(reader->store, pixels, 1);
    for (size_t i = 0; ink && i < pixels; ++i) ink[i] = values[i] >= 0.5 ? 255 : 0;
    free(values);
    reader->no_memory |= !ink;
    if (!ink) return;
    picture.ink = ink;
    picture.width = size[0];
    picture.height = size[1];
    for (int axis = 0; axis < 2; ++axis)
        picture.pixel[axis] =
            height > 0.0 ? height / size[1] : grid->cells[axis] * grid->cell_size / (double)size[axis];
    lay(reader, grid, &picture, def);
}

static void read_text(rill_reader *reader, const rill_node *node, const rill_grid *grid, rill_control_def *def) {
    const char *text = NULL, *font = NULL;
    const rill_node *at = rill_tree_get(node, "text"), *file = rill_tree_get(node, "font");
    placed picture = { 0 };
    double height = 0.0;
    bool good = rill_read_text(reader, at, &text);
    good &= read_placing(reader, node, "a control by text", true, &picture, &height);
    if (file) good &= (font = rill_read_file_name(reader, file)) != NULL;
    if (!good) return;
    rill_text_mask drawn = { 0 };
    rill_message message = { "" };
    const double wanted = PIXELS_PER_CELL * height / grid->cell_size;
    const int32_t size = (int32_t)fmax(PIXELS_LEAST, fmin(PIXELS_MOST, wanted));
    const rill_result result = rill_text_draw(text, font, size, &drawn, &message);
    if (result != RILL_OK) {
        if (result == RILL_OUT_OF_MEMORY)
            reader->no_memory = true;
        else
            rill_report_error(reader->report, (file ? file : at)->place, "%s", message.text);
        return;
    }
    if (!rill_reader_keep(reader, drawn.ink)) return;
    picture.ink = drawn.ink;
    picture.width = drawn.width;
    picture.height = drawn.height;
    picture.pixel[0] = picture.pixel[1] = height / drawn.height;
    lay(reader, grid, &picture, def);
}

/* ---------------------------------------------------------------------------------------------------------- controls */

/* A single angle has no hysteresis here: drops that hold on to the floor do not fill a shape. */
static void read_angle(rill_reader *reader, const rill_node *node, rill_contact_angle *out) {
    double angle;
    if (node && node->kind == RILL_NODE_MAP)
        rill_read_contact_angle(reader, node, out);
    else if (rill_read_number(reader, node, &rill_range_contact_angle, &angle))
        *out = (rill_contact_angle){ angle, angle };
}

static void read_angles(rill_reader *reader, const rill_node *node, rill_control_def *def) {
    static const char *const keys[] = { "inside", "outside", NULL };
    if (!node || !rill_reader_open(reader, node, "the contact angles of a control", keys)) return;
    read_angle(reader, rill_tree_get(node, "inside"), &def->inside);
    read_angle(reader, rill_tree_get(node, "outside"), &def->outside);
}

/* Opens a control with the keys that all have and those of its shape. */
static void open_control(rill_reader *reader, const rill_node *node, const char *what, const char *const *shape) {
    const char *keys[16] = { NULL };
    size_t count = 0;
    for (size_t i = 0; shape[i]; ++i) keys[count++] = shape[i];
    for (size_t i = 0; i < sizeof common_keys / sizeof common_keys[0]; ++i) keys[count++] = common_keys[i];
    rill_reader_open(reader, node, what, keys);
}

static void read_shape(rill_reader *reader, const rill_node *node, const rill_grid *grid, rill_control_def *def) {
    static const char *const by_polygon[] = { "polygon", NULL }, *const by_polygons[] = { "polygons", NULL };
    static const char *const by_image[] = { "image", "at", "height", NULL };
    static const char *const by_text[] = { "text", "at", "height", "font", NULL };
    static const char *const by_any[] = { "polygon", "polygons", "image", "text", "at", "height", "font", NULL };
    const rill_node *polygon = rill_tree_get(node, "polygon"), *polygons = rill_tree_get(node, "polygons");
    if (polygon) {
        open_control(reader, node, "a control by a polygon", by_polygon);
        read_polygons(reader, &polygon, 1, def);
    } else if (polygons) {
        open_control(reader, node, "a control by polygons", by_polygons);
        read_polygon_list(reader, polygons, def);
    } else if (rill_tree_get(node, "image")) {
        open_control(reader, node, "a control by an image", by_image);
        read_image(reader, node, grid, def);
    } else if (rill_tree_get(node, "text")) {
        open_control(reader, node, "a control by text", by_text);
        read_text(reader, node, grid, def);
    } else {
        open_control(reader, node, "a control", by_any);
        rill_report_error(reader->report, node->place,
                          "found a control without a shape, expected the keys polygon, polygons, image or text");
    }
}

static void read_control(rill_reader *reader, const rill_node *node, const rill_grid *grid, rill_names *names,
                         size_t number, rill_scene_control *control) {
    rill_control_def *def = &control->def;
    *def = rill_default_control_def();
    control->place = node->place;
    if (node->kind != RILL_NODE_MAP) {
        rill_reader_expected(reader, node, "a mapping: a control");
        return;
    }
    const rill_node *name = rill_tree_get(node, "name");
    def->name = name ? rill_names_read(reader, names, name) : rill_names_invent(reader, names, "control", number);
    read_shape(reader, node, grid, def);
    rill_read_number(reader, rill_tree_get(node, "strength"), &STRENGTH, &def->strength);
    read_angles(reader, rill_tree_get(node, "contact_angle"), def);
    rill_read_window(reader, node, &def->from, &def->until);
}

void rill_read_controls(rill_reader *reader, const rill_node *node, rill_scene *scene) {
    if (!rill_reader_list(reader, node, "controls", 0, CONTROLS_LIMIT)) return;
    rill_names names = { 0 };
    scene->controls = rill_store_take(reader->store, node->count, sizeof *scene->controls);
    if (!scene->controls || !rill_names_make(reader, &names, node->count)) {
        reader->no_memory = true;
        return;
    }
    for (; scene->control_count < node->count && !reader->no_memory; ++scene->control_count) {
        const size_t i = scene->control_count;
        read_control(reader, node->members[i].value, &scene->world.grid, &names, i + 1, &scene->controls[i]);
    }
}
