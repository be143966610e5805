/* bodies: things that float, sink and drift. Either a shape with its sizes or a closed mesh from a file. */
#include <math.h>
#include <string.h>

#include "read_scene.h"

static const rill_range SCALE = { 0, 1e6, true, NULL };
static const rill_range DENSITY = { 0, 1e6, true, "kg/m3" };
static const rill_range MASS = { 0, 1e12, true, "kg" };
static const rill_range SPEED = { -1000, 1000, false, "m/s" };
static const rill_range ANGULAR = { -1e6, 1e6, false, "degrees per second" };
static const rill_range DRAG = { 0, 1000, false, NULL };
enum { BODIES_LIMIT = 65535 };

#define COMMON_KEYS                                                                                                    \
    "name", "material", "density", "mass", "centre", "drag", "position", "rotate", "velocity", "angular_velocity",     \
        "kinematic", "move", "loop", "ease"

/* In the order of rill_shape. */
static const char *const shape_words[] = { "sphere", "box", "capsule", "cylinder", "hull", NULL };
static const char *const sphere_keys[] = { "shape", "radius", COMMON_KEYS, NULL };
static const char *const box_keys[] = { "shape", "size", COMMON_KEYS, NULL };
static const char *const long_keys[] = { "shape", "radius", "length", COMMON_KEYS, NULL };
static const char *const hull_keys[] = { "shape", "mesh", "scale", COMMON_KEYS, NULL };
static const char *const mesh_keys[] = { "mesh", "scale", COMMON_KEYS, NULL };
static const char *const *const shape_keys[] = { sphere_keys, box_keys, long_keys, long_keys, hull_keys, mesh_keys };
/* As they are called, and what they are, by the words above and, last, without one. */
static const char *const shape_names[] = { "a sphere", "a box", "a capsule", "a cylinder", "a hull", "a body" };
static const rill_shape shapes[] = { RILL_SHAPE_SPHERE,   RILL_SHAPE_BOX,  RILL_SHAPE_CAPSULE,
                                     RILL_SHAPE_CYLINDER, RILL_SHAPE_HULL, RILL_SHAPE_MESH };
enum { MESH_ALONE = sizeof shapes / sizeof shapes[0] - 1 };

static const char *name_of(rill_shape shape) {
    int k = 0;
    while (shapes[k] != shape) ++k;
    return shape_names[k];
}

/* ----------------------------------------------------------------------------------------------------------- shapes */

/* Reads measures of a shape that stands about the zero of the body's frame. */
static void read_sizes(rill_reader *reader, const rill_node *node, const char *what, rill_shape_def *shape) {
    double size[3] = { 0 }, length = 0;
    if (shape->type == RILL_SHAPE_BOX) {
        rill_read_numbers(reader, rill_reader_need(reader, node, what, "size"), &rill_range_size, size, 3);
        for (int i = 0; i < 3; ++i) shape->max[i] = 0.5 * size[i], shape->min[i] = -shape->max[i];
        return;
    }
    rill_read_number(reader, rill_reader_need(reader, node, what, "radius"), &rill_range_size, &shape->radius);
    if (shape->type == RILL_SHAPE_SPHERE) return;
    rill_read_number(reader, rill_reader_need(reader, node, what, "length"), &rill_range_size, &length);
    shape->to[2] = 0.5 * length, shape->from[2] = -shape->to[2];
}

static void read_file(rill_reader *reader, const rill_node *node, const char *what, rill_scene_body *body) {
    rill_solid_def mesh = rill_default_solid_def();
    double scale = 1;
    rill_read_number(reader, rill_tree_get(node, "scale"), &SCALE, &scale);
    const rill_node *name = rill_reader_need(reader, node, what, "mesh");
    body->file = name ? rill_read_mesh_file(reader, name, &mesh) : NULL;
    if (!body->file) return;
    float *vertices = rill_store_take(reader->store, 3 * mesh.shape.vertex_count, sizeof *vertices);
    if (!vertices) {
        reader->no_memory = true;
        return;
    }
    for (size_t i = 0; i < 3 * mesh.shape.vertex_count; ++i)
        vertices[i] = (float)(scale * (double)mesh.shape.vertices[i]);
    body->def.shape.vertices = vertices;
    body->def.shape.vertex_count = mesh.shape.vertex_count;
    body->def.shape.indices = mesh.shape.indices;
    body->def.shape.triangle_count = mesh.shape.triangle_count;
}

static bool read_shape(rill_reader *reader, const rill_node *node, rill_scene_body *body) {
    const rill_node *word = rill_tree_get(node, "shape");
    int32_t shape = MESH_ALONE;
    if (!word && !rill_tree_get(node, "mesh")) {
        rill_report_error(reader->report, node->place, "found a body without shape and mesh, expected one");
        return false;
    }
    if (word && !rill_read_word(reader, word, shape_words, &shape)) return false;
    const char *what = shape_names[shape];
    rill_reader_open(reader, node, what, shape_keys[shape]);
    body->def.shape.type = shapes[shape];
    if (shapes[shape] == RILL_SHAPE_HULL || shapes[shape] == RILL_SHAPE_MESH)
        read_file(reader, node, what, body);
    else
        read_sizes(reader, node, what, &body->def.shape);
    return true;
}

/* ------------------------------------------------------------------------------------------------------------- mass */

/* Kinematic bodies go as they are told: nothing weighs them. */
static void read_mass(rill_reader *reader, const rill_node *node, rill_scene_body *body) {
    rill_body_def *def = &body->def;
    const rill_node *density = rill_tree_get(node, "density"), *mass = rill_tree_get(node, "mass");
    const rill_node *told = rill_tree_get(node, "kinematic"), *move = rill_tree_get(node, "move");
    bool kinematic = false;
    rill_read_boolean(reader, told, &kinematic);
    rill_read_number(reader, density, &DENSITY, &def->density);
    rill_read_number(reader, mass, &MASS, &def->mass);
    if (move && !kinematic)
        rill_reader_expected(reader, move, "'kinematic: true' besides 'move': other bodies go where they are pushed");
    if (kinematic && (density || mass)) {
        rill_reader_expected(reader, density ? density : mass, "no '%s' in a kinematic body, which nothing can push",
                             density ? "density" : "mass");
    } else if (density && mass) {
        rill_reader_expected(reader, mass, "only one of density and mass in a body");
    }
    if (kinematic) def->mass = (double)INFINITY;
    rill_read_numbers(reader, rill_tree_get(node, "centre"), &rill_range_place, def->centre, 3);
    rill_read_number(reader, rill_tree_get(node, "drag"), &DRAG, &def->drag);
}

static void read_state(rill_reader *reader, const rill_node *node, rill_scene_body *body) {
    rill_body_state *state = &body->def.state;
    const rill_node *position = rill_reader_need(reader, node, name_of(body->def.shape.type), "position");
    rill_read_numbers(reader, position, &rill_range_place, state->position, 3);
    rill_read_numbers(reader, rill_tree_get(node, "rotate"), &rill_range_angle, body->rotate, 3);
    rill_read_numbers(reader, rill_tree_get(node, "velocity"), &SPEED, state->velocity, 3);
    if (rill_read_numbers(reader, rill_tree_get(node, "angular_velocity"), &ANGULAR, state->angular_velocity, 3)) {
        for (int i = 0; i < 3; ++i) state->angular_velocity[i] *= acos(-1.0) / 180;
    }
}

/* ------------------------------------------------------------------------------------------------------------- list */

static void read_body(rill_reader *reader, const rill_node *node, rill_names *names, rill_scene_body *body,
                      size_t number) {
    body->def = rill_default_body_def();
    body->place = node->place;
    if (node->kind != RILL_NODE_MAP) {
        rill_reader_expected(reader, node, "a mapping with a shape or a mesh");
        return;
    }
    const rill_node *name = rill_tree_get(node, "name");
    body->def.name = name ? rill_names_read(reader, names, name) : rill_names_invent(reader, names, "body", number);
    if (name && body->def.name && strpbrk(body->def.name, ",\""))
        rill_reader_expected(reader, name, "a name without commas and quotes: it stands in bodies.csv");
    rill_read_material(reader, rill_tree_get(node, "material"), &body->material);
    if (read_shape(reader, node, body)) {
        read_mass(reader, node, body);
        read_state(reader, node, body);
        rill_read_body_moves(reader, node, body);
    }
}

void rill_read_bodies(rill_reader *reader, const rill_node *node, rill_scene *scene) {
    rill_names names = { 0 };
    if (!rill_reader_list(reader, node, "bodies", 0, BODIES_LIMIT) || !rill_names_make(reader, &names, node->count))
        return;
    scene->bodies = rill_store_take(reader->store, node->count, sizeof *scene->bodies);
    if (!scene->bodies) {
        reader->no_memory = true;
        return;
    }
    for (; scene->body_count < node->count && !reader->no_memory; ++scene->body_count) {
        size_t i = scene->body_count;
        read_body(reader, node->members[i].value, &names, &scene->bodies[i], i + 1);
    }
}
