/* Solids: checking and copying definitions. A definition is refused with a message that names the solid, the member,
 * what was found and what was expected; whatever passes here can be built without further checks. */
#include "shape/solid.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/message.h"
#include "shape/constants.h"
#include "shape/contact_angle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct checker {
    const rill_solid_def *def;
    rill_message *message;
} checker;

static const char *name_of(const checker *check) {
    return check->def->name && check->def->name[0] ? check->def->name : "(nameless)";
}

static rill_result check_number(const checker *check, const char *member, double value, double low, double high) {
    if (value >= low && value <= high) return RILL_OK; /* false for NaN */
    return rill_fail(check->message, RILL_INVALID_ARGUMENT, "solid %s: %s is %g, expected %g to %g", name_of(check),
                     member, value, low, high);
}

static rill_result check_vector(const checker *check, const char *member, const double value[3], double most) {
    static const char axes[] = "xyz";
    for (int i = 0; i < 3; ++i)
        if (!(fabs(value[i]) <= most))
            return rill_fail(check->message, RILL_INVALID_ARGUMENT,
                             "solid %s: %s.%c is %g, expected a finite number within %g", name_of(check), member,
                             axes[i], value[i], most);
    return RILL_OK;
}

static rill_result check_direction(const checker *check, const char *member, const double value[3]) {
    rill_result result = check_vector(check, member, value, 1e100);
    if (result) return result;
    if (fmax(fabs(value[0]), fmax(fabs(value[1]), fabs(value[2]))) >= 1e-100) return RILL_OK;
    return rill_fail(check->message, RILL_INVALID_ARGUMENT, "solid %s: %s is zero, expected a direction",
                     name_of(check), member);
}

static rill_result check_placing(const checker *check) {
    rill_result result = check_number(check, "scale", check->def->scale, 1e-9, 1e9);
    if (!result) result = check_vector(check, "rotate", check->def->rotate, 1e6);
    if (!result) result = check_vector(check, "translate", check->def->translate, RILL_SOLID_FARTHEST);
    return result;
}

static rill_result check_box(const checker *check) {
    static const char axes[] = "xyz";
    const rill_solid_def *def = check->def;
    rill_result result = check_vector(check, "min", def->min, RILL_SOLID_FARTHEST);
    if (!result) result = check_vector(check, "max", def->max, RILL_SOLID_FARTHEST);
    for (int i = 0; i < 3 && !result; ++i)
        if (!(def->min[i] < def->max[i]))
            result = rill_fail(check->message, RILL_INVALID_ARGUMENT,
                               "solid %s: min.%c is %g and max.%c is %g, expected min < max", name_of(check), axes[i],
                               def->min[i], axes[i], def->max[i]);
    return result;
}

static rill_result check_round(const checker *check) {
    const rill_solid_def *def = check->def;
    rill_result result = check_number(check, "radius", def->radius, RILL_SHAPE_SMALLEST, RILL_SOLID_FARTHEST);
    if (result) return result;
    if (def->shape == RILL_SHAPE_CYLINDER) {
        result = check_vector(check, "from", def->from, RILL_SOLID_FARTHEST);
        if (!result) result = check_vector(check, "to", def->to, RILL_SOLID_FARTHEST);
        if (!result && !(fabs(def->to[0] - def->from[0]) >= RILL_SHAPE_SMALLEST ||
                         fabs(def->to[1] - def->from[1]) >= RILL_SHAPE_SMALLEST ||
                         fabs(def->to[2] - def->from[2]) >= RILL_SHAPE_SMALLEST))
            result = rill_fail(check->message, RILL_INVALID_ARGUMENT,
                               "solid %s: from and to are the same point, expected an axis", name_of(check));
        return result;
    }
    result = check_vector(check, "centre", def->centre, RILL_SOLID_FARTHEST);
    if (!result && def->shape == RILL_SHAPE_TORUS) {
        result = check_number(check, "tube", def->tube, RILL_SHAPE_SMALLEST, RILL_SOLID_FARTHEST);
        if (!result) result = check_direction(check, "axis", def->axis);
    }
    return result;
}

static rill_result check_plane(const checker *check) {
    rill_result result = check_vector(check, "point", check->def->point, RILL_SOLID_FARTHEST);
    if (!result) result = check_direction(check, "axis", check->def->axis);
    if (result) return result;
    if (!(check->def->axis[2] > 0.0))
        return rill_fail(check->message, RILL_INVALID_ARGUMENT, "solid %s: axis.z is %g, expected an upward normal",
                         name_of(check), check->def->axis[2]);
    rill_solid turned = { .def = *check->def };
    rill_primitive_make(&turned);
    if (turned.primitive.axes[2][2] >= 1e-3) return RILL_OK;
    return rill_fail(check->message, RILL_INVALID_ARGUMENT,
                     "solid %s: the plane rises %g to 1, expected at most 1000 to 1", name_of(check),
                     1.0 / turned.primitive.axes[2][2]);
}

static rill_result check_count(const checker *check, const char *member, size_t count, size_t least) {
    if (count >= least && (double)count <= RILL_SHAPE_ELEMENTS) return RILL_OK;
    return rill_fail(check->message, count < least ? RILL_INVALID_DATA : RILL_TOO_LARGE,
                     "solid %s: %s is %zu, expected %zu to %.0f", name_of(check), member, count, least,
                     RILL_SHAPE_ELEMENTS);
}

static rill_result check_vertices(const checker *check) {
    const rill_solid_def *def = check->def;
    rill_placing placing = rill_placing_of(def);
    for (size_t v = 0; v < def->vertex_count; ++v) {
        const float *p = def->vertices + 3 * v;
        double from[3] = { (double)p[0], (double)p[1], (double)p[2] }, to[3];
        rill_placing_point(&placing, from, to);
        if (!(fabs(to[0]) <= RILL_SOLID_FARTHEST && fabs(to[1]) <= RILL_SOLID_FARTHEST &&
              fabs(to[2]) <= RILL_SOLID_FARTHEST))
            return rill_fail(check->message, RILL_INVALID_DATA,
                             "solid %s: vertex %zu is at (%g, %g, %g), expected finite numbers within %g",
                             name_of(check), v, to[0], to[1], to[2], RILL_SOLID_FARTHEST);
    }
    return RILL_OK;
}

static rill_result check_mesh(const checker *check) {
    const rill_solid_def *def = check->def;
    if (!def->vertices || !def->indices)
        return rill_fail(check->message, RILL_INVALID_ARGUMENT, "solid %s: %s is NULL, expected an array",
                         name_of(check), def->vertices ? "indices" : "vertices");
    rill_result result = check_count(check, "vertex_count", def->vertex_count, 3);
    if (!result) result = check_count(check, "triangle_count", def->triangle_count, 1);
    if (!result) result = check_vertices(check);
    if (result) return result;
    for (size_t i = 0; i < 3 * def->triangle_count; ++i)
        if (def->indices[i] >= def->vertex_count)
            return rill_fail(check->message, RILL_INVALID_DATA,
                             "solid %s: triangle %zu names vertex %u, expected less than %zu", name_of(check), i / 3,
                             (unsigned)def->indices[i], def->vertex_count);
    return RILL_OK;
}

static rill_result check_heightmap(const checker *check) {
    const rill_solid_def *def = check->def;
    if (!def->heights)
        return rill_fail(check->message, RILL_INVALID_ARGUMENT, "solid %s: heights is NULL, expected an array",
                         name_of(check));
    for (int i = 0; i < 2; ++i)
        if (def->heights_size[i] < 1 ||
            (double)def->heights_size[0] * (double)def->heights_size[1] > RILL_SHAPE_ELEMENTS)
            return rill_fail(check->message, RILL_INVALID_ARGUMENT,
                             "solid %s: heights_size is %d x %d, expected at least 1 each and at most %.0f in all",
                             name_of(check), (int)def->heights_size[0], (int)def->heights_size[1], RILL_SHAPE_ELEMENTS);
    size_t columns = (size_t)def->heights_size[0], count = columns * (size_t)def->heights_size[1];
    for (size_t i = 0; i < count; ++i)
        if (!(fabs(def->heights[i]) <= RILL_SOLID_FARTHEST))
            return rill_fail(check->message, RILL_INVALID_DATA,
                             "solid %s: height at column %zu, row %zu is %g, expected a finite number within %g",
                             name_of(check), i % columns, i / columns, def->heights[i], RILL_SOLID_FARTHEST);
    return RILL_OK;
}

static rill_result check_angles(const checker *check) {
    const rill_solid_def *def = check->def;
    char owner[64];
    snprintf(owner, sizeof owner, "solid %.50s: ", name_of(check));
    const rill_result result = rill_contact_angle_given(&def->contact_angle)
                                   ? rill_contact_angle_check(owner, &def->contact_angle, check->message)
                                   : RILL_OK;
    return result ? result : rill_wettability_check(owner, def, check->message);
}

static rill_result check_def(const checker *check) {
    rill_result result = check_angles(check);
    if (!result && check->def->shape != RILL_SHAPE_HEIGHTMAP) result = check_placing(check);
    if (result) return result;
    switch (check->def->shape) {
    case RILL_SHAPE_BOX: return check_box(check);
    case RILL_SHAPE_SPHERE:
    case RILL_SHAPE_CYLINDER:
    case RILL_SHAPE_TORUS: return check_round(check);
    case RILL_SHAPE_PLANE: return check_plane(check);
    case RILL_SHAPE_MESH: return check_mesh(check);
    case RILL_SHAPE_HEIGHTMAP: return check_heightmap(check);
    }
    return rill_fail(check->message, RILL_INVALID_ARGUMENT, "solid %s: shape is %d, expected one of rill_shape",
                     name_of(check), (int)check->def->shape);
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
    for (size_t v = 0; v < solid->vertex_count; ++v) {
        const float *p = solid->def.vertices + 3 * v;
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
    solid->vertex_count = def->vertex_count;
    solid->triangle_count = def->triangle_count;
    solid->def.vertices = copy_of(allocator, def->vertices, def->vertex_count, 3 * sizeof(float));
    solid->indices = copy_of(allocator, def->indices, def->triangle_count, 3 * sizeof(uint32_t));
    solid->def.indices = solid->indices;
    solid->vertices = rill_alloc(allocator, def->vertex_count, 3 * sizeof(double));
    if (!solid->def.vertices || !solid->indices || !solid->vertices) return false;
    for (size_t i = 0; i < 3 * def->vertex_count; ++i) solid->vertices[i] = (double)def->vertices[i];
    if (!rill_solid_find_parts(solid, allocator)) return false;
    place_mesh(solid);
    return true;
}

static size_t heights_count(const rill_solid_def *def) {
    return (size_t)def->heights_size[0] * (size_t)def->heights_size[1];
}

static bool fill_solid(rill_solid *solid, const rill_allocator *allocator, const rill_solid_def *def) {
    solid->def.name = rill_string_copy(allocator, def->name);
    if (!solid->def.name) return false;
    if (def->wettability) {
        solid->def.wettability = copy_of(allocator, def->wettability, rill_wettability_count(def), sizeof(double));
        if (!solid->def.wettability) return false;
    }
    rill_primitive_make(solid);
    if (def->shape == RILL_SHAPE_MESH) return copy_mesh(solid, allocator, def);
    if (def->shape != RILL_SHAPE_HEIGHTMAP) return rill_solid_tessellate(solid, allocator);
    solid->def.heights = copy_of(allocator, def->heights, heights_count(def), sizeof(double));
    return solid->def.heights != NULL;
}

rill_result rill_solid_make(const rill_solid_def *def, const rill_allocator *allocator, rill_solid **out,
                            rill_message *message) {
    if (!def || !out)
        return rill_fail(message, RILL_INVALID_ARGUMENT, "solid: %s is NULL", def ? "out" : "the definition");
    rill_result result = check_def(&(checker){ .def = def, .message = message });
    if (result) return result;
    rill_solid *solid = rill_alloc_zeroed(allocator, 1, sizeof *solid);
    if (solid) {
        solid->def = *def;
        solid->def.name = NULL; /* nothing of the caller's may be left to be freed */
        solid->def.vertices = NULL;
        solid->def.indices = NULL;
        solid->def.heights = NULL;
        solid->def.wettability = NULL;
        if (fill_solid(solid, allocator, def)) {
            RILL_ASSERT(!solid->parts || (solid->welds && solid->part_count > 0));
            *out = solid;
            return RILL_OK;
        }
        rill_solid_free(solid, allocator);
    }
    return rill_fail(message, RILL_OUT_OF_MEMORY, "solid %s: no memory",
                     def->name && def->name[0] ? def->name : "(nameless)");
}

void rill_solid_free(rill_solid *solid, const rill_allocator *allocator) {
    if (!solid) return;
    rill_string_free(allocator, (char *)solid->def.name);
    rill_free(allocator, (void *)solid->def.vertices, solid->vertex_count, 3 * sizeof(float));
    if (solid->def.heights)
        rill_free(allocator, (void *)solid->def.heights, heights_count(&solid->def), sizeof(double));
    rill_free(allocator, (void *)solid->def.wettability, rill_wettability_count(&solid->def), sizeof(double));
    rill_free(allocator, solid->vertices, solid->vertex_count, 3 * sizeof(double));
    rill_free(allocator, solid->indices, solid->triangle_count, 3 * sizeof(uint32_t));
    rill_free(allocator, solid->welds, solid->vertex_count, sizeof(uint32_t));
    rill_free(allocator, solid->parts, solid->triangle_count, sizeof(uint32_t));
    rill_free(allocator, solid->part_kinds, solid->part_count, sizeof(uint8_t));
    rill_free(allocator, solid->thin, solid->triangle_count, sizeof(uint8_t));
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
    RILL_ASSERT(fresh->def.shape == solid->def.shape);
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
    const checker check = { .def = &def, .message = message };
    if (def.shape == RILL_SHAPE_HEIGHTMAP)
        return rill_fail(message, RILL_INVALID_ARGUMENT,
                         "solid %s: a heightmap lies over the whole grid and has no pose", name_of(&check));
    if (def.shape != RILL_SHAPE_MESH) return remake(solid, &def, allocator, message);
    rill_result result = check_placing(&check);
    if (result) return result;
    const rill_solid_def old = solid->def;
    solid->def = def;
    if (place_mesh(solid)) return RILL_OK;
    result = check_vertices(&check); /* says which it is */
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
    def.vertices = vertices;
    const checker check = { .def = &def, .message = message };
    if (def.shape != RILL_SHAPE_MESH)
        return rill_fail(message, RILL_INVALID_ARGUMENT, "solid %s: it is no mesh and has no vertices to set",
                         name_of(&check));
    if (!vertices || vertex_count != def.vertex_count)
        return rill_fail(message, RILL_INVALID_ARGUMENT, "solid %s: %s for %zu vertices, expected %zu as before",
                         name_of(&check), vertices ? "an array" : "NULL", vertex_count, def.vertex_count);
    const rill_result result = check_vertices(&check);
    if (result) return result;
    if (!keeps_topology(solid, vertices)) {
        const rill_result remade = remake(solid, &def, allocator, message);
        if (remade) return remade;
    } else {
        memcpy((float *)solid->def.vertices, vertices, 3 * vertex_count * sizeof *vertices);
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
