/* bed.solids: shapes, meshes and heightmaps. Which of these keys is there decides which others may be. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "mesh_import.h"
#include "read_maps.h"
#include "read_scene.h"

static const rill_range SCALE = { 0, 1e6, true, NULL };
static const rill_range DIRECTION = { -1e6, 1e6, false, NULL };
enum { SOLIDS_LIMIT = 65535 };

#define SOLID_KEYS "name", "material", "contact_angle", "wettability"
#define COMMON_KEYS SOLID_KEYS, "scale", "rotate", "translate", "move", "loop", "ease"

/* In the order of rill_shape. */
static const char *const shape_words[] = { "box", "sphere", "cylinder", "torus", "plane", NULL };
static const char *const box_keys[] = { "shape", "min", "max", COMMON_KEYS, NULL };
static const char *const sphere_keys[] = { "shape", "centre", "radius", COMMON_KEYS, NULL };
static const char *const cylinder_keys[] = { "shape", "from", "to", "radius", COMMON_KEYS, NULL };
static const char *const torus_keys[] = { "shape", "centre", "axis", "radius", "tube", COMMON_KEYS, NULL };
static const char *const plane_keys[] = { "shape", "point", "normal", COMMON_KEYS, NULL };
static const char *const *const shape_keys[] = { box_keys, sphere_keys, cylinder_keys, torus_keys, plane_keys };
static const char *const shape_names[] = { "a box", "a sphere", "a cylinder", "a torus", "a plane" };
static const char *const mesh_keys[] = { "mesh", COMMON_KEYS, "morph", NULL };
static const char *const heightmap_keys[] = { "heightmap", SOLID_KEYS, "low", "high", NULL };

/* ----------------------------------------------------------------------------------------------------------- shapes */

static void read_transform(rill_reader *reader, const rill_node *node, rill_solid_def *def) {
    rill_read_number(reader, rill_tree_get(node, "scale"), &SCALE, &def->scale);
    rill_read_numbers(reader, rill_tree_get(node, "rotate"), &rill_range_angle, def->rotate, 3);
    rill_read_numbers(reader, rill_tree_get(node, "translate"), &rill_range_place, def->translate, 3);
}

static bool need_place(rill_reader *reader, const rill_node *node, const char *what, const char *key, double out[3]) {
    return rill_read_numbers(reader, rill_reader_need(reader, node, what, key), &rill_range_place, out, 3);
}

static bool need_size(rill_reader *reader, const rill_node *node, const char *what, const char *key, double *out) {
    return rill_read_number(reader, rill_reader_need(reader, node, what, key), &rill_range_size, out);
}

static double length(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void read_direction(rill_reader *reader, const rill_node *node, double out[3]) {
    if (rill_read_numbers(reader, node, &DIRECTION, out, 3) && !(length(out) > 1e-9))
        rill_reader_expected(reader, node, "a direction: three numbers that are not all 0");
}

static void read_cylinder(rill_reader *reader, const rill_node *node, const char *what, rill_solid_def *def) {
    bool good = need_place(reader, node, what, "from", def->shape.from);
    good &= need_place(reader, node, what, "to", def->shape.to);
    double axis[3] = { def->shape.to[0] - def->shape.from[0], def->shape.to[1] - def->shape.from[1],
                       def->shape.to[2] - def->shape.from[2] };
    if (good && !(length(axis) > 0))
        rill_reader_expected(reader, rill_tree_get(node, "to"), "another place than that of 'from'");
    need_size(reader, node, what, "radius", &def->shape.radius);
}

static void read_shape(rill_reader *reader, const rill_node *node, rill_solid_def *def) {
    int32_t shape;
    if (!rill_read_word(reader, rill_tree_get(node, "shape"), shape_words, &shape)) return;
    const char *what = shape_names[shape];
    rill_reader_open(reader, node, what, shape_keys[shape]);
    def->shape.type = (rill_shape)shape;
    switch (def->shape.type) {
    case RILL_SHAPE_BOX: rill_read_box(reader, node, what, def->shape.min, def->shape.max); break;
    case RILL_SHAPE_SPHERE:
        need_place(reader, node, what, "centre", def->shape.centre);
        need_size(reader, node, what, "radius", &def->shape.radius);
        break;
    case RILL_SHAPE_CYLINDER: read_cylinder(reader, node, what, def); break;
    case RILL_SHAPE_TORUS:
        need_place(reader, node, what, "centre", def->shape.centre);
        read_direction(reader, rill_tree_get(node, "axis"), def->shape.axis);
        need_size(reader, node, what, "radius", &def->shape.radius);
        need_size(reader, node, what, "tube", &def->shape.tube);
        break;
    default: /* a plane */
        need_place(reader, node, what, "point", def->shape.point);
        read_direction(reader, rill_reader_need(reader, node, what, "normal"), def->shape.axis);
        break;
    }
    read_transform(reader, node, def);
}

/* ------------------------------------------------------------------------------------------------------------ files */

const char *rill_read_mesh_file(rill_reader *reader, const rill_node *node, rill_solid_def *def) {
    const char *path = rill_read_file_name(reader, node);
    if (path && !rill_mesh_is_kind(path)) {
        const bool scene =
            rill_file_ends(path, ".yaml") || rill_file_ends(path, ".yml") || rill_file_ends(path, ".json");
        rill_reader_expected(reader, node, "the name of " RILL_MESH_KINDS "%s",
                             scene ? ": a mesh is meant, and this is a scene" : "");
        return NULL;
    }
    if (!path) return NULL;
    rill_mesh mesh;
    rill_message message = { "" };
    rill_result result = rill_mesh_load(path, &mesh, &message);
    if (result != RILL_OK) {
        rill_reader_refuse_file(reader, node, path, result, &message);
        return NULL;
    }
    if (!rill_reader_keep(reader, mesh.vertices)) {
        free(mesh.indices);
        return NULL;
    }
    if (!rill_reader_keep(reader, mesh.indices)) return NULL;
    def->shape.type = RILL_SHAPE_MESH;
    def->shape.vertices = mesh.vertices;
    def->shape.vertex_count = mesh.vertex_count;
    def->shape.indices = mesh.indices;
    def->shape.triangle_count = mesh.triangle_count;
    return path;
}

static void read_mesh(rill_reader *reader, const rill_node *node, rill_scene_solid *solid) {
    rill_reader_open(reader, node, "a mesh", mesh_keys);
    read_transform(reader, node, &solid->def);
    solid->file = rill_read_mesh_file(reader, rill_tree_get(node, "mesh"), &solid->def);
}

static void read_heightmap(rill_reader *reader, const rill_node *node, rill_scene_solid *solid) {
    static const rill_map_kind kind = { .what = "a heightmap",
                                        .picture = "a PNG heightmap",
                                        .number = "height",
                                        .plural = "metres",
                                        .range = &rill_range_place,
                                        .rises = true };
    double *heights = NULL;
    rill_reader_open(reader, node, "a heightmap", heightmap_keys);
    const char *path = rill_read_map(reader, node, "heightmap", &kind, &heights, solid->def.shape.heights_size);
    if (!path) return;
    solid->file = path;
    solid->def.shape.type = RILL_SHAPE_HEIGHTMAP;
    solid->def.shape.heights = heights;
}

/* --------------------------------------------------------------------------------------------------------- material */

/* A word, or a mapping with a colour or roughness of its own. */
void rill_read_material(rill_reader *reader, const rill_node *node, rill_scene_material *material) {
    static const rill_range part = { 0, 1, false, NULL };
    static const char *const words[] = { "auto",   "bone",  "wood",  "ceramic", "steel",
                                         "tissue", "glass", "stone", "chalk",   NULL }; /* as rill_material */
    static const char *const keys[] = { "kind", "colour", "roughness", NULL };
    int32_t kind = 0;
    material->roughness = -1;
    if (node && node->kind == RILL_NODE_MAP) {
        rill_reader_open(reader, node, "a material", keys);
        rill_read_word(reader, rill_tree_get(node, "kind"), words, &kind);
        material->coloured = rill_read_numbers(reader, rill_tree_get(node, "colour"), &part, material->colour, 3);
        rill_read_number(reader, rill_tree_get(node, "roughness"), &part, &material->roughness);
    } else {
        rill_read_word(reader, node, words, &kind);
    }
    material->kind = (rill_material)kind;
}

/* ------------------------------------------------------------------------------------------------------------- list */

static void read_solid(rill_reader *reader, const rill_node *node, rill_names *names, rill_scene_solid *solid,
                       size_t number) {
    static const char *const kinds[] = { "shape", "mesh", "heightmap" };
    static const char *const all[] = { "name", "shape", "mesh", "heightmap", NULL };
    solid->def = rill_default_solid_def();
    solid->place = node->place;
    if (node->kind != RILL_NODE_MAP) {
        rill_reader_expected(reader, node, "a mapping with a shape, a mesh or a heightmap");
        return;
    }
    size_t given = 0, kind = 0;
    for (size_t i = 0; i < 3; ++i) {
        const rill_node *value = rill_tree_get(node, kinds[i]);
        if (value && given++)
            rill_reader_expected(reader, value, "only one of shape, mesh and heightmap in a solid");
        else if (value)
            kind = i;
    }
    rill_read_material(reader, rill_tree_get(node, "material"), &solid->material);
    rill_read_solid_angles(reader, node, &solid->def);
    const rill_node *name = rill_tree_get(node, "name");
    solid->def.name = name ? rill_names_read(reader, names, name) : rill_names_invent(reader, names, "solid", number);
    if (given == 0) {
        rill_report_error(reader->report, node->place, "found a solid without shape, mesh and heightmap, expected one");
        for (size_t i = 0; i < node->count; ++i) {
            const char *key = node->members[i].key->text;
            rill_hint hint = rill_report_hint(key, all);
            if (hint.text[0] && strcmp(key, "name") != 0) {
                rill_report_error(reader->report, node->members[i].key->place, "found the key '%.60s'%s", key,
                                  hint.text);
            }
        }
    } else if (given == 1 && kind == 0) {
        read_shape(reader, node, &solid->def);
        rill_read_moves(reader, node, solid);
    } else if (given == 1 && kind == 1) {
        read_mesh(reader, node, solid);
        rill_read_moves(reader, node, solid);
    } else if (given == 1) {
        read_heightmap(reader, node, solid);
    }
}

void rill_read_solids(rill_reader *reader, const rill_node *node, rill_scene *scene) {
    rill_names names = { 0 };
    if (!rill_reader_list(reader, node, "solids", 1, SOLIDS_LIMIT) || !rill_names_make(reader, &names, node->count))
        return;
    scene->solids = rill_store_take(reader->store, node->count, sizeof *scene->solids);
    if (!scene->solids) {
        reader->no_memory = true;
        return;
    }
    for (; scene->solid_count < node->count && !reader->no_memory; ++scene->solid_count) {
        size_t i = scene->solid_count;
        read_solid(reader, node->members[i].value, &names, &scene->solids[i], i + 1);
    }
}
