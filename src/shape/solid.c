/* Solids: checking and copying definitions. A definition is refused with a message that names the solid, the member,
 * what was found and what was expected; whatever passes here can be built without further checks. */
#include "shape/solid.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/message.h"
#include "shape/body_form_internal.h"
#include "shape/constants.h"
#include "shape/contact_angle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Returns the limits of solids. */
static rill_shape_rules rules_of(const rill_solid_def *def, const rill_placing *placing) {
    return (rill_shape_rules){ .whose = "solid",
                               .name = def->name && def->name[0] ? def->name : "(nameless)",
                               .types = ~0u,
                               .farthest = RILL_SOLID_FARTHEST,
                               .least_vertices = def->shape.type == RILL_SHAPE_HULL ? 4 : 3,
                               .least_triangles = 1,
                               .most = RILL_SHAPE_ELEMENTS,
                               .placing = placing };
}

static rill_result check_placing(const rill_solid_def *def, const rill_shape_rules *rules, rill_message *message) {
    rill_result result = rill_shape_check_number(rules, "scale", def->scale, 1e-9, 1e9, message);
    if (!result) result = rill_shape_check_vector(rules, "rotate", def->rotate, 1e6, message);
    if (!result) result = rill_shape_check_vector(rules, "translate", def->translate, RILL_SOLID_FARTHEST, message);
    return result;
}

static rill_result check_steepness(const rill_solid_def *def, const rill_shape_rules *rules, rill_message *message) {
    rill_solid turned = { .def = *def };
    rill_primitive_make(&turned);
    if (turned.primitive.axes[2][2] >= 1e-3) return RILL_OK;
    return rill_fail(message, RILL_INVALID_ARGUMENT, "solid %s: the plane rises %g to 1, expected at most 1000 to 1",
                     rules->name, 1.0 / turned.primitive.axes[2][2]);
}

static rill_result check_angles(const rill_solid_def *def, const rill_shape_rules *rules, rill_message *message) {
    char owner[64];
    snprintf(owner, sizeof owner, "solid %.50s: ", rules->name);
    const rill_result result = rill_contact_angle_given(&def->contact_angle)
                                   ? rill_contact_angle_check(owner, &def->contact_angle, message)
                                   : RILL_OK;
    return result ? result : rill_wettability_check(owner, def, message);
}

static rill_result check_def(const rill_solid_def *def, rill_message *message) {
    rill_shape_rules rules = rules_of(def, NULL);
    rill_result result = check_angles(def, &rules, message);
    if (result) return result;
    if (def->shape.type == RILL_SHAPE_HEIGHTMAP) return rill_shape_check(&def->shape, &rules, message);
    result = check_placing(def, &rules, message);
    if (result) return result;
    const rill_placing placing = rill_placing_of(def);
    rules.placing = &placing;
    result = rill_shape_check(&def->shape, &rules, message);
    if (!result && def->shape.type == RILL_SHAPE_PLANE) result = check_steepness(def, &rules, message);
    return result;
}

static void *copy_of(const rill_allocator *allocator, const void *from, size_t count, size_t size) {
    void *copy = rill_alloc(allocator, count, size);
    return copy ? memcpy(copy, from, count * size) : NULL;
}

/* Puts the vertices of a mesh where its definition says; false, and all of them somewhere, when one would be too
 * far. */
static bool place_mesh(rill_solid *solid) {
    const rill_placing placing = rill_placing_of(&solid->def);
    rill_primitive *primitive = &solid->primitive;
    for (int i = 0; i < 3; ++i) primitive->low[i] = INFINITY, primitive->high[i] = -INFINITY;
    bool near = true;
    solid->rays.known = false;
    for (size_t v = 0; v < solid->vertex_count; ++v) {
        const float *p = solid->def.shape.vertices + 3 * v;
        double *to = solid->vertices + 3 * v;
        rill_placing_point(&placing, (double[3]){ (double)p[0], (double)p[1], (double)p[2] }, to);
        for (int i = 0; i < 3; ++i) {
            near = near && fabs(to[i]) <= RILL_SOLID_FARTHEST;
            primitive->low[i] = to[i] < primitive->low[i] ? to[i] : primitive->low[i];
            primitive->high[i] = to[i] > primitive->high[i] ? to[i] : primitive->high[i];
        }
    }
    return near;
}

static bool copy_mesh(rill_solid *solid, const rill_allocator *allocator, const rill_solid_def *def) {
    solid->vertex_count = def->shape.vertex_count;
    solid->triangle_count = def->shape.triangle_count;
    solid->def.shape.vertices = copy_of(allocator, def->shape.vertices, def->shape.vertex_count, 3 * sizeof(float));
    solid->indices = copy_of(allocator, def->shape.indices, def->shape.triangle_count, 3 * sizeof(uint32_t));
    solid->def.shape.indices = solid->indices;
    solid->vertices = rill_alloc(allocator, def->shape.vertex_count, 3 * sizeof(double));
    if (!solid->def.shape.vertices || !solid->indices || !solid->vertices) return false;
    for (size_t i = 0; i < 3 * def->shape.vertex_count; ++i) solid->vertices[i] = (double)def->shape.vertices[i];
    if (!rill_solid_find_parts(solid, allocator)) return false;
    place_mesh(solid);
    return true;
}

static size_t heights_count(const rill_solid_def *def) {
    return (size_t)def->shape.heights_size[0] * (size_t)def->shape.heights_size[1];
}

static bool fill_solid(rill_solid *solid, const rill_allocator *allocator, const rill_solid_def *def) {
    solid->def.name = rill_string_copy(allocator, def->name);
    if (!solid->def.name) return false;
    if (def->wettability) {
        solid->def.wettability = copy_of(allocator, def->wettability, rill_wettability_count(def), sizeof(double));
        if (!solid->def.wettability) return false;
    }
    rill_primitive_make(solid);
    if (def->shape.type == RILL_SHAPE_MESH) return copy_mesh(solid, allocator, def);
    if (def->shape.type != RILL_SHAPE_HEIGHTMAP) return rill_solid_tessellate(solid, allocator);
    solid->def.shape.heights = copy_of(allocator, def->shape.heights, heights_count(def), sizeof(double));
    return solid->def.shape.heights != NULL;
}

static rill_result make_checked(const rill_solid_def *def, const rill_allocator *allocator, rill_solid **out,
                                rill_message *message) {
    rill_solid *solid = rill_alloc_zeroed(allocator, 1, sizeof *solid);
    if (solid) {
        solid->def = *def;
        solid->def.name = NULL; /* nothing of the caller's may be left to be freed */
        solid->def.shape.vertices = NULL;
        solid->def.shape.indices = NULL;
        solid->def.shape.heights = NULL;
        solid->def.wettability = NULL;
        if (fill_solid(solid, allocator, def)) {
            RILL_ASSERT(!solid->parts || (solid->welds && solid->part_count > 0));
            *out = solid;
            return RILL_OK;
        }
        rill_solid_free(solid, allocator);
    }
    return rill_fail(message, RILL_OUT_OF_MEMORY, "solid %s: no memory", rules_of(def, NULL).name);
}

/* Makes the mesh of a hull, and the solid of that. */
static rill_result make_hull(const rill_solid_def *def, const rill_allocator *allocator, rill_solid **out,
                             rill_message *message) {
    const rill_shape_rules rules = rules_of(def, NULL);
    rill_body_form form = { .shape = RILL_SHAPE_HULL };
    rill_result result = rill_body_form_hull(&form, &def->shape, &rules, allocator, message);
    float *vertices = result ? NULL : rill_alloc(allocator, form.vertex_count, 3 * sizeof *vertices);
    if (vertices) {
        for (size_t i = 0; i < 3 * form.vertex_count; ++i) vertices[i] = (float)form.vertices[i];
        rill_solid_def mesh = *def;
        mesh.shape = (rill_shape_def){ .type = RILL_SHAPE_MESH,
                                       .vertices = vertices,
                                       .vertex_count = form.vertex_count,
                                       .indices = form.indices,
                                       .triangle_count = form.triangle_count };
        result = make_checked(&mesh, allocator, out, message);
        rill_free(allocator, vertices, form.vertex_count, 3 * sizeof *vertices);
    } else if (!result || result == RILL_OUT_OF_MEMORY) {
        result = rill_fail(message, RILL_OUT_OF_MEMORY, "solid %s: no memory", rules.name);
    }
    rill_body_form_free(&form, allocator);
    return result;
}

rill_result rill_solid_make(const rill_solid_def *def, const rill_allocator *allocator, rill_solid **out,
                            rill_message *message) {
    if (!def || !out)
        return rill_fail(message, RILL_INVALID_ARGUMENT, "solid: %s is NULL", def ? "out" : "the definition");
    const rill_result result = check_def(def, message);
    if (result) return result;
    return def->shape.type == RILL_SHAPE_HULL ? make_hull(def, allocator, out, message)
                                              : make_checked(def, allocator, out, message);
}

void rill_solid_free(rill_solid *solid, const rill_allocator *allocator) {
    if (!solid) return;
    rill_string_free(allocator, (char *)solid->def.name);
    rill_free(allocator, (void *)solid->def.shape.vertices, solid->vertex_count, 3 * sizeof(float));
    if (solid->def.shape.heights)
        rill_free(allocator, (void *)solid->def.shape.heights, heights_count(&solid->def), sizeof(double));
    rill_free(allocator, (void *)solid->def.wettability, rill_wettability_count(&solid->def), sizeof(double));
    rill_free(allocator, solid->vertices, solid->vertex_count, 3 * sizeof(double));
    rill_free(allocator, solid->indices, solid->triangle_count, 3 * sizeof(uint32_t));
    rill_free(allocator, solid->welds, solid->vertex_count, sizeof(uint32_t));
    rill_free(allocator, solid->parts, solid->triangle_count, sizeof(uint32_t));
    rill_free(allocator, solid->part_kinds, solid->part_count, sizeof(uint8_t));
    rill_free(allocator, solid->thin, solid->triangle_count, sizeof(uint8_t));
    rill_ray_tree_free(&solid->rays, allocator);
    rill_free(allocator, solid->terrain_vertices, solid->terrain_vertex_count, 3 * sizeof(double));
    rill_free(allocator, solid->terrain_indices, solid->terrain_triangle_count, 3 * sizeof(uint32_t));
    rill_free(allocator, solid, 1, sizeof *solid);
}

/* -------------------------------------------------------------------------------------------------------- changing */

/* Makes the solid anew from a definition that may point to its own arrays. */
static rill_result remake(rill_solid *solid, const rill_solid_def *def, const rill_allocator *allocator,
                          rill_message *message) {
    rill_solid *fresh = NULL;
    const rill_result result = rill_solid_make(def, allocator, &fresh, message);
    if (result) return result;
    RILL_ASSERT(fresh->def.shape.type == solid->def.shape.type);
    const rill_solid old = *solid;
    *solid = *fresh;
    *fresh = old;
    rill_solid_free(fresh, allocator);
    return RILL_OK;
}

rill_result rill_solid_repose(rill_solid *solid, const double translate[3], const double rotate[3],
                              const rill_allocator *allocator, rill_message *message) {
    rill_solid_def def = solid->def;
    memcpy(def.translate, translate, sizeof def.translate);
    memcpy(def.rotate, rotate, sizeof def.rotate);
    rill_shape_rules rules = rules_of(&def, NULL);
    if (def.shape.type == RILL_SHAPE_HEIGHTMAP)
        return rill_fail(message, RILL_INVALID_ARGUMENT,
                         "solid %s: a heightmap lies over the whole grid and has no pose", rules.name);
    if (def.shape.type != RILL_SHAPE_MESH) return remake(solid, &def, allocator, message);
    rill_result result = check_placing(&def, &rules, message);
    if (result) return result;
    const rill_solid_def old = solid->def;
    solid->def = def;
    if (place_mesh(solid)) return RILL_OK;
    const rill_placing placing = rill_placing_of(&def);
    rules.placing = &placing;
    result = rill_shape_check_vertices(&def.shape, &rules, message); /* says which it is */
    solid->def = old;
    place_mesh(solid);
    return result;
}

/* Vertices may be set without looking at the triangles again if all parts are closed volumes, and what was together
 * stays together: should others meet, the parts stay closed and oriented all the same. */
static bool keeps_topology(const rill_solid *solid, const float *vertices) {
    if (solid->part_count != 1 || solid->open_components != 0) return false;
    RILL_ASSERT(solid->part_kinds[0] == RILL_PART_VOLUME);
    for (size_t v = 0; v < solid->vertex_count; ++v) {
        const float *p = vertices + 3 * v, *q = vertices + 3 * (size_t)solid->welds[v];
        if (p[0] != q[0] || p[1] != q[1] || p[2] != q[2]) return false;
    }
    return true;
}

rill_result rill_solid_reshape(rill_solid *solid, const float *vertices, size_t vertex_count,
                               const rill_allocator *allocator, rill_message *message) {
    rill_solid_def def = solid->def;
    def.shape.vertices = vertices;
    const rill_placing placing = rill_placing_of(&def);
    const rill_shape_rules rules = rules_of(&def, &placing);
    if (def.shape.type != RILL_SHAPE_MESH)
        return rill_fail(message, RILL_INVALID_ARGUMENT, "solid %s: it is no mesh and has no vertices to set",
                         rules.name);
    if (!vertices || vertex_count != def.shape.vertex_count)
        return rill_fail(message, RILL_INVALID_ARGUMENT, "solid %s: %s for %zu vertices, expected %zu as before",
                         rules.name, vertices ? "an array" : "NULL", vertex_count, def.shape.vertex_count);
    const rill_result result = rill_shape_check_vertices(&def.shape, &rules, message);
    if (result) return result;
    if (!keeps_topology(solid, vertices)) {
        const rill_result remade = remake(solid, &def, allocator, message);
        if (remade) return remade;
    } else {
        memcpy((float *)solid->def.shape.vertices, vertices, 3 * vertex_count * sizeof *vertices);
        place_mesh(solid);
        rill_free(allocator, solid->thin, solid->triangle_count, sizeof(uint8_t));
        solid->thin = NULL;
    }
    solid->soft = true;
    return RILL_OK;
}

/* ----------------------------------------------------------------------------------------------------------- reach */

/* The cell of a coordinate, clamped to the grid; infinities are allowed. */
static int32_t clamp_cell(const rill_grid *grid, int axis, double value) {
    const double cell = floor((value - grid->origin[axis]) / grid->cell_size);
    return !(cell > 0.0) ? 0 : cell < (double)grid->cells[axis] ? (int32_t)cell : grid->cells[axis];
}

rill_area rill_solid_reach(const rill_solid *solid, const rill_grid *grid) {
    /* Lines through centres inside the bounds; walls between such a centre and the next; and walls that are filled in,
     * or not, because of what is in a square of centres beside them (walls.c): a cell more than the bounds, and the
     * half that a cell reaches beyond its centre is room for rounding. */
    const double margin = grid->cell_size;
    rill_area area;
    for (int i = 0; i < 2; ++i) {
        area.low[i] = clamp_cell(grid, i, solid->primitive.low[i] - margin);
        area.high[i] = clamp_cell(grid, i, solid->primitive.high[i] + margin + grid->cell_size);
        RILL_ASSERT(0 <= area.low[i] && area.low[i] <= area.high[i] && area.high[i] <= grid->cells[i]);
    }
    return area;
}
