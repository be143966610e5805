/* A scene around a mesh file that was dropped on the window: it stands on a tray, under open sky, with open edges. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "player_internal.h"
#include "scene/files.h"
#include "scene/mesh_import.h"

enum { CELLS = 160 };              /* along the longer side */
static const double MARGIN = 0.08; /* of the mesh's width, all around */
static const double LARGE = 2;     /* m: what is larger was meant in millimetres */
static const double SMALL = 0.005; /* m: what is smaller, or still larger, is made ... */
static const double USUAL = 0.15;  /* ... so large */

typedef struct box {
    double low[3], size[3];
} box;

static box measure(const rill_mesh *mesh) {
    box b;
    for (size_t k = 0; k < 3; ++k) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (size_t v = 0; v < mesh->vertex_count; ++v) {
            low = fmin(low, (double)mesh->vertices[3 * v + k]);
            high = fmax(high, (double)mesh->vertices[3 * v + k]);
        }
        b.low[k] = low;
        b.size[k] = high - low;
    }
    return b;
}

/* As YAML takes it between double quotes. */
static void quote(const char *text, char *out, size_t room) {
    size_t used = 0;
    for (; *text && used + 3 < room; ++text) {
        if (*text == '"' || *text == '\\') out[used++] = '\\';
        out[used++] = *text;
    }
    out[used] = 0;
}

static int write_text(const char *path, const box *b, double scale, char *text, size_t room) {
    char leaf[512];
    double wide = fmax(b->size[0], b->size[1]) * scale, margin = MARGIN * wide;
    double cell = (wide + 2 * margin) / CELLS, tall = b->size[2] * scale;
    double extent[2];
    int cells[2];
    for (int k = 0; k < 2; ++k) {
        cells[k] = (int)ceil((b->size[k] * scale + 2 * margin) / cell - 1e-9);
        extent[k] = cells[k] * cell;
    }
    quote(rill_file_leaf(path), leaf, sizeof leaf);
    return snprintf(text, room,
                    "rill: 1\nname: \"%s\"\nbed:\n  grid: { cells: [%d, %d], cell_size: %.9g }\n  headroom: %.9g\n"
                    "  solids:\n"
                    "    - { name: tray, shape: box, min: [0, 0, %.9g], max: [%.9g, %.9g, 0] }\n"
                    "    - { name: bed, mesh: \"%s\", scale: %.9g, translate: [%.9g, %.9g, %.9g] }\n"
                    "  edges: { west: open, east: open, south: open, north: open }\n"
                    "liquid: { preset: water }\nrun: { frame: 0.0166667, until: 10 }\n",
                    leaf, cells[0], cells[1], cell, 0.25 * wide, -0.03 * wide, extent[0], extent[1], leaf, scale,
                    extent[0] / 2 - (b->low[0] + b->size[0] / 2) * scale,
                    extent[1] / 2 - (b->low[1] + b->size[1] / 2) * scale, -b->low[2] * scale - 0.002 * tall);
}

rill_scene *rill_mesh_scene(const char *path, rill_message *message) {
    rill_mesh mesh;
    rill_message why = { "" };
    const char *leaf = rill_file_leaf(path);
    if (!rill_mesh_is_kind(path)) {
        snprintf(message->text, sizeof message->text, "%.120s: expected " RILL_MESH_KINDS ", or a scene (.yaml)", leaf);
        return NULL;
    }
    if (rill_mesh_load(path, &mesh, &why) != RILL_OK) {
        snprintf(message->text, sizeof message->text, "%.80s: %.160s", leaf, why.text);
        return NULL;
    }
    box b = measure(&mesh);
    rill_mesh_free(&mesh);
    double wide = fmax(b.size[0], b.size[1]), scale = wide > LARGE ? 0.001 : 1;
    if (!(wide * scale >= SMALL && wide * scale <= LARGE)) scale = USUAL / wide;
    if (!(wide > 0) || !isfinite(scale)) {
        snprintf(message->text, sizeof message->text, "%.120s: has no width", leaf);
        return NULL;
    }
    char text[2048];
    int length = write_text(path, &b, scale, text, sizeof text);
    rill_scene *scene = NULL;
    rill_scene_report report = { 0 };
    if (rill_scene_parse(text, (size_t)length, path, NULL, &scene, &report) != RILL_SCENE_OK) {
        snprintf(message->text, sizeof message->text, "%.250s", report.count ? report.items[0].text : "out of memory");
    } else {
        snprintf(message->text, sizeof message->text, "%.120s is the bed now, %.3g m wide (scale %.3g)", leaf,
                 wide * scale, scale);
    }
    rill_scene_report_free(&report);
    return scene;
}
