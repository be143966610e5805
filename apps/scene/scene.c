/* From text to scene: tree, overrides, then the parts in the order of docs/scene-format.md. */
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "mesh_import.h"
#include "read_scene.h"

static const size_t FILE_LIMIT = (size_t)16 << 20;
static const rill_range GRAVITY = { -1e4, 1e4, false, "m/s2" };

static void read_root(rill_reader *reader, const rill_node *root, rill_scene *scene) {
    static const char *const keys[] = { "rill",    "name",  "bed",     "gravity", "liquid", "solver", "bodies", "fill",
                                        "sources", "sinks", "control", "probes",  "run",    "view",   NULL };
    const char *what = "a scene";
    if (!rill_reader_open(reader, root, what, keys)) return;
    int32_t version;
    rill_read_integer(reader, rill_reader_need(reader, root, what, "rill"), 1, 1, &version);
    rill_read_name(reader, rill_tree_get(root, "name"), &scene->name);
    rill_read_bed(reader, rill_reader_need(reader, root, what, "bed"), scene);
    rill_read_numbers(reader, rill_tree_get(root, "gravity"), &GRAVITY, scene->world.gravity, 3);
    rill_read_liquid(reader, rill_tree_get(root, "liquid"), scene);
    rill_read_solver(reader, rill_tree_get(root, "solver"), scene);
    rill_read_bodies(reader, rill_tree_get(root, "bodies"), scene);
    rill_read_fills(reader, rill_tree_get(root, "fill"), scene);
    rill_read_sources(reader, rill_tree_get(root, "sources"), rill_tree_get(root, "sinks"), scene);
    rill_read_controls(reader, rill_tree_get(root, "control"), scene);
    rill_read_probes(reader, rill_tree_get(root, "probes"), scene);
    rill_read_run(reader, rill_reader_need(reader, root, what, "run"), scene);
    rill_read_view(reader, rill_tree_get(root, "view"), scene);
}

/* Returns the file's name without folder and ending; what a name may not have is left out of it. */
static const char *default_name(rill_store *store, const char *path) {
    const char *leaf = rill_file_leaf(path);
    size_t length = (size_t)(rill_file_ending(path) - leaf);
    char *name = rill_store_text(store, length ? leaf : "scene", length ? length : 5);
    if (name && strlen(name) > 63) name[63] = 0;
    return name;
}

static rill_scene_result parse(rill_reader *reader, const char *text, size_t size, const rill_scene_options *options,
                               rill_scene *scene) {
    size_t errors = reader->report->errors;
    scene->world = rill_default_world_def();
    scene->world.headroom = 0;
    scene->preset = "water";
    scene->world.grid.cells[0] = scene->world.grid.cells[1] = 1;
    scene->name = default_name(reader->store, scene->path);
    rill_node *root =
        rill_tree_parse(text, size, scene->path, false, reader->store, reader->report, &reader->no_memory);
    for (size_t i = 0; root && options && i < options->set_count && !reader->no_memory; ++i)
        reader->no_memory |= !rill_tree_set(root, options->sets[i], reader->store, reader->report);
    if (root && !reader->no_memory) read_root(reader, root, scene);
    rill_report_sort(reader->report);
    if (reader->no_memory || !scene->name) return RILL_SCENE_OUT_OF_MEMORY;
    scene->world.name = scene->name;
    return reader->report->errors > errors ? RILL_SCENE_WRONG : RILL_SCENE_OK;
}

rill_scene_result rill_scene_parse(const char *text, size_t size, const char *path, const rill_scene_options *options,
                                   rill_scene **out, rill_scene_report *report) {
    *out = NULL;
    rill_store *store = rill_store_create();
    rill_scene *scene = store ? rill_store_take(store, 1, sizeof *scene) : NULL;
    if (scene) {
        scene->store = store;
        scene->path = rill_store_text(store, path, strlen(path));
    }
    if (!scene || !scene->path) {
        rill_store_free(store);
        return RILL_SCENE_OUT_OF_MEMORY;
    }
    rill_reader reader = {
        .store = store, .report = report, .path = scene->path, .no_files = options && options->no_files
    };
    rill_scene_result result = parse(&reader, text, size, options, scene);
    if (result != RILL_SCENE_OK) {
        rill_store_free(store);
        return result;
    }
    *out = scene;
    return RILL_SCENE_OK;
}

/* Returns what a file is instead of a scene, as far as its name tells, and what to do with it; NULL: it may be a
 * scene. */
static const char *other_kind(const char *path) {
    static const char *const meshes[] = { ".fbx", ".dae",  ".3ds", ".blend", ".usd", ".usda", ".usdc",
                                          ".off", ".step", ".stp", ".3mf",   ".x3d", ".wrl",  NULL };
    static const char *const pictures[] = { ".tif", ".tiff", ".asc",  ".dem", ".hgt",
                                            ".bil", ".jpg",  ".jpeg", ".exr", NULL };
    if (rill_mesh_is_kind(path))
        return "it is a mesh, not a scene: see 'rill info %s', or name it in a scene as a solid, { mesh: %s }";
    if (rill_file_ends(path, ".png") || rill_file_ends(path, ".npy"))
        return "it is a heightmap, not a scene: see 'rill info %s', or name it in a scene as a solid, { heightmap: %s "
               "}";
    for (size_t i = 0; meshes[i]; ++i)
        if (rill_file_ends(path, meshes[i]))
            return "it is a mesh, not a scene, of a kind that is not read: save it as " RILL_MESH_KINDS;
    for (size_t i = 0; pictures[i]; ++i)
        if (rill_file_ends(path, pictures[i]))
            return "it is a picture, not a scene, of a kind that is not read: save heights as .npy or 16-bit .png";
    return NULL;
}

rill_scene_result rill_scene_load(const char *path, const rill_scene_options *options, rill_scene **out,
                                  rill_scene_report *report) {
    char *text;
    size_t size;
    rill_message message = { "" };
    *out = NULL;
    const char *other = rill_file_check(path, &message) ? other_kind(path) : NULL;
    if (other) {
        rill_report_error(report, (rill_scene_place){ path, 0, 0 }, other, path, rill_file_leaf(path));
        return RILL_SCENE_UNREADABLE;
    }
    rill_result read = rill_file_read(path, FILE_LIMIT, &text, &size, &message);
    if (read == RILL_OUT_OF_MEMORY) return RILL_SCENE_OUT_OF_MEMORY;
    if (read != RILL_OK) {
        rill_report_error(report, (rill_scene_place){ path, 0, 0 }, "cannot be read: %s", message.text);
        return RILL_SCENE_UNREADABLE;
    }
    rill_scene_result result = rill_scene_parse(text, size, path, options, out, report);
    free(text);
    return result;
}

void rill_scene_free(rill_scene *scene) {
    if (scene) rill_store_free(scene->store);
}

/* ----------------------------------------------------------------------------------------------------------- frames */

/* A remainder below this fraction of a frame is rounding, not a frame: 0.3 / 0.1 has three frames, not four. */
static const double SLIVER = 1e-9;

int64_t rill_scene_frame_count(double frame, double until) {
    return (int64_t)ceil(until / frame - SLIVER);
}

double rill_scene_frame_time(double frame, double until, int64_t k) {
    return k >= rill_scene_frame_count(frame, until) ? until : (double)k * frame;
}

double rill_scene_frame_length(double frame, double until, int64_t k) {
    int64_t count = rill_scene_frame_count(frame, until);
    double last = until - (double)(count - 1) * frame;
    return k < count || fabs(last - frame) <= SLIVER * frame ? frame : last;
}

bool rill_scene_frame_due(double frame, double until, double every, int64_t k) {
    if (k == 0 || k >= rill_scene_frame_count(frame, until) || every < 0) return true;
    double before = rill_scene_frame_time(frame, until, k - 1) / every,
           now = rill_scene_frame_time(frame, until, k) / every;
    return floor(now * (1 + SLIVER)) > floor(before * (1 + SLIVER));
}
