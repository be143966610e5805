/* Checking the definition of a shape (shape_def.h): whatever passes here can be built without further checks, but that
 * meshes of bodies must be closed, hulls must not be flat (closed_mesh.c, hull.c) and planes not too steep (solid.c). */
#include "shape/shape_def.h"

#include <math.h>

#include "shape/constants.h"
#include "shape/solid.h"

static const char AXES[] = "xyz";

rill_result rill_shape_check_number(const rill_shape_rules *rules, const char *member, double value, double low,
                                    double high, rill_message *message) {
    if (value >= low && value <= high) return RILL_OK; /* false for NaN */
    return rill_fail(message, RILL_INVALID_ARGUMENT, "%s %s: %s is %g, expected %g to %g", rules->whose, rules->name,
                     member, value, low, high);
}

rill_result rill_shape_check_vector(const rill_shape_rules *rules, const char *member, const double value[3],
                                    double most, rill_message *message) {
    for (int i = 0; i < 3; ++i)
        if (!(fabs(value[i]) <= most))
            return rill_fail(message, RILL_INVALID_ARGUMENT, "%s %s: %s.%c is %g, expected a finite number within %g",
                             rules->whose, rules->name, member, AXES[i], value[i], most);
    return RILL_OK;
}

static rill_result check_place(const rill_shape_rules *rules, const char *member, const double value[3],
                               rill_message *message) {
    return rill_shape_check_vector(rules, member, value, rules->farthest, message);
}

static rill_result check_direction(const rill_shape_rules *rules, const char *member, const double value[3],
                                   rill_message *message) {
    const rill_result result = rill_shape_check_vector(rules, member, value, 1e100, message);
    if (result) return result;
    if (fmax(fabs(value[0]), fmax(fabs(value[1]), fabs(value[2]))) >= 1e-100) return RILL_OK;
    return rill_fail(message, RILL_INVALID_ARGUMENT, "%s %s: %s is zero, expected a direction", rules->whose,
                     rules->name, member);
}

static rill_result check_box(const rill_shape_def *shape, const rill_shape_rules *rules, rill_message *message) {
    rill_result result = check_place(rules, "min", shape->min, message);
    if (!result) result = check_place(rules, "max", shape->max, message);
    if (result) return result;
    for (int i = 0; i < 3; ++i) {
        const double edge = shape->max[i] - shape->min[i];
        if (edge > 0.0 && edge >= rules->least_edge) continue;
        return rill_fail(message, RILL_INVALID_ARGUMENT,
                         "%s %s: min.%c is %g and max.%c is %g, expected min < max, and an edge of %g at least",
                         rules->whose, rules->name, AXES[i], shape->min[i], AXES[i], shape->max[i], rules->least_edge);
    }
    return RILL_OK;
}

/* Cylinders and capsules. */
static rill_result check_axis(const rill_shape_def *shape, const rill_shape_rules *rules, rill_message *message) {
    const double *from = shape->from, *to = shape->to;
    rill_result result = check_place(rules, "from", from, message);
    if (!result) result = check_place(rules, "to", to, message);
    if (result) return result;
    double longest = 0.0;
    for (int i = 0; i < 3; ++i) longest = fmax(longest, fabs(to[i] - from[i]));
    if (!(longest >= RILL_SHAPE_SMALLEST))
        return rill_fail(message, RILL_INVALID_ARGUMENT, "%s %s: from and to are the same point, expected an axis",
                         rules->whose, rules->name);
    if (!rules->upright || (from[0] == to[0] && from[1] == to[1] && from[2] < to[2])) return RILL_OK;
    return rill_fail(message, RILL_INVALID_ARGUMENT,
                     "%s %s: from is (%g, %g, %g) and to is (%g, %g, %g), expected `to` right above `from`",
                     rules->whose, rules->name, from[0], from[1], from[2], to[0], to[1], to[2]);
}

static rill_result check_round(const rill_shape_def *shape, const rill_shape_rules *rules, rill_message *message) {
    rill_result result =
        rill_shape_check_number(rules, "radius", shape->radius, RILL_SHAPE_SMALLEST, rules->farthest, message);
    if (result) return result;
    if (shape->type == RILL_SHAPE_CYLINDER || shape->type == RILL_SHAPE_CAPSULE)
        return check_axis(shape, rules, message);
    result = check_place(rules, "centre", shape->centre, message);
    if (result || shape->type != RILL_SHAPE_TORUS) return result;
    result = rill_shape_check_number(rules, "tube", shape->tube, RILL_SHAPE_SMALLEST, rules->farthest, message);
    return result ? result : check_direction(rules, "axis", shape->axis, message);
}

static rill_result check_plane(const rill_shape_def *shape, const rill_shape_rules *rules, rill_message *message) {
    rill_result result = check_place(rules, "point", shape->point, message);
    if (!result) result = check_direction(rules, "axis", shape->axis, message);
    if (result || shape->axis[2] > 0.0) return result;
    return rill_fail(message, RILL_INVALID_ARGUMENT, "%s %s: axis.z is %g, expected an upward normal", rules->whose,
                     rules->name, shape->axis[2]);
}

static rill_result check_count(const rill_shape_rules *rules, const char *member, size_t count, size_t least,
                               rill_message *message) {
    if (count >= least && count <= rules->most) return RILL_OK;
    return rill_fail(message, count < least ? RILL_INVALID_DATA : RILL_TOO_LARGE,
                     "%s %s: %s is %zu, expected %zu to %zu", rules->whose, rules->name, member, count, least,
                     rules->most);
}

rill_result rill_shape_check_vertices(const rill_shape_def *shape, const rill_shape_rules *rules,
                                      rill_message *message) {
    for (size_t v = 0; v < shape->vertex_count; ++v) {
        const float *p = shape->vertices + 3 * v;
        const double from[3] = { (double)p[0], (double)p[1], (double)p[2] };
        double to[3] = { from[0], from[1], from[2] };
        if (rules->placing) rill_placing_point(rules->placing, from, to);
        if (!(fabs(to[0]) <= rules->farthest && fabs(to[1]) <= rules->farthest && fabs(to[2]) <= rules->farthest))
            return rill_fail(message, RILL_INVALID_DATA,
                             "%s %s: vertex %zu is at (%g, %g, %g), expected finite numbers within %g", rules->whose,
                             rules->name, v, to[0], to[1], to[2], rules->farthest);
    }
    return RILL_OK;
}

/* Meshes and hulls. */
static rill_result check_mesh(const rill_shape_def *shape, const rill_shape_rules *rules, rill_message *message) {
    const bool mesh = shape->type == RILL_SHAPE_MESH;
    if (!shape->vertices || (mesh && !shape->indices))
        return rill_fail(message, RILL_INVALID_ARGUMENT, "%s %s: %s is NULL, expected an array", rules->whose,
                         rules->name, shape->vertices ? "indices" : "vertices");
    rill_result result = check_count(rules, "vertex_count", shape->vertex_count, rules->least_vertices, message);
    if (!result && mesh)
        result = check_count(rules, "triangle_count", shape->triangle_count, rules->least_triangles, message);
    if (!result) result = rill_shape_check_vertices(shape, rules, message);
    if (result) return result;
    for (size_t i = 0; mesh && i < 3 * shape->triangle_count; ++i)
        if (shape->indices[i] >= shape->vertex_count)
            return rill_fail(message, RILL_INVALID_DATA, "%s %s: triangle %zu names vertex %u, expected less than %zu",
                             rules->whose, rules->name, i / 3, (unsigned)shape->indices[i], shape->vertex_count);
    return RILL_OK;
}

static rill_result check_heightmap(const rill_shape_def *shape, const rill_shape_rules *rules, rill_message *message) {
    if (!shape->heights)
        return rill_fail(message, RILL_INVALID_ARGUMENT, "%s %s: heights is NULL, expected an array", rules->whose,
                         rules->name);
    const int32_t *size = shape->heights_size;
    if (size[0] < 1 || size[1] < 1 || (double)size[0] * (double)size[1] > (double)rules->most)
        return rill_fail(message, RILL_INVALID_ARGUMENT,
                         "%s %s: heights_size is %d x %d, expected at least 1 each and at most %zu in all",
                         rules->whose, rules->name, (int)size[0], (int)size[1], rules->most);
    const size_t columns = (size_t)size[0], count = columns * (size_t)size[1];
    for (size_t i = 0; i < count; ++i)
        if (!(fabs(shape->heights[i]) <= rules->farthest))
            return rill_fail(message, RILL_INVALID_DATA,
                             "%s %s: height at column %zu, row %zu is %g, expected a finite number within %g",
                             rules->whose, rules->name, i % columns, i / columns, shape->heights[i], rules->farthest);
    return RILL_OK;
}

rill_result rill_shape_check(const rill_shape_def *shape, const rill_shape_rules *rules, rill_message *message) {
    const bool known = (unsigned)shape->type <= RILL_SHAPE_HULL;
    if (!known || !(rules->types >> shape->type & 1u))
        return rill_fail(message, RILL_INVALID_ARGUMENT, "%s %s: shape.type is %d, expected a rill_shape that a %s has",
                         rules->whose, rules->name, (int)shape->type, rules->whose);
    switch (shape->type) {
    case RILL_SHAPE_BOX: return check_box(shape, rules, message);
    case RILL_SHAPE_PLANE: return check_plane(shape, rules, message);
    case RILL_SHAPE_MESH:
    case RILL_SHAPE_HULL: return check_mesh(shape, rules, message);
    case RILL_SHAPE_HEIGHTMAP: return check_heightmap(shape, rules, message);
    case RILL_SHAPE_SPHERE:
    case RILL_SHAPE_CYLINDER:
    case RILL_SHAPE_CAPSULE:
    case RILL_SHAPE_TORUS: break;
    }
    return check_round(shape, rules, message);
}
