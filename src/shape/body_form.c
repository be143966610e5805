/* The form of a body: checking a definition, and what follows from it. Arrays are made in the frame of the definition
 * (the hull in hull.c, the mesh in closed_mesh.c, triangles of the rest in tessellate.c) and then set about the
 * centre of mass. */
#include "base/assert.h"
#include "base/vec.h"
#include "shape/body_form_internal.h"
#include "shape/constants.h"
#include "shape/shape_def.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

rill_pose rill_pose_of(const double position[3], const double orientation[4]) {
    const double x = orientation[0], y = orientation[1], z = orientation[2], w = orientation[3];
    const double square = (x * x + y * y) + (z * z + w * w);
    const double s = square > 0.0 ? 2.0 / square : 0.0; /* makes up for the last bits of its length */
    return (rill_pose){ .position = { position[0], position[1], position[2] },
                        .turn = { 1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w),
                                  s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w),
                                  s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y) } };
}

/* --------------------------------------------------------------------------------------------------------- checking */

/* Returns the limits of bodies. */
static rill_shape_rules rules_of(const rill_body_def *def) {
    return (rill_shape_rules){ .whose = "body",
                               .name = def->name && def->name[0] ? def->name : "(nameless)",
                               .types = 1u << RILL_SHAPE_BOX | 1u << RILL_SHAPE_SPHERE | 1u << RILL_SHAPE_CYLINDER |
                                        1u << RILL_SHAPE_CAPSULE | 1u << RILL_SHAPE_MESH | 1u << RILL_SHAPE_HULL,
                               .farthest = RILL_BODY_FARTHEST,
                               .least_edge = RILL_SHAPE_SMALLEST,
                               .least_vertices = 4,
                               .least_triangles = 4,
                               .most = RILL_BODY_ELEMENTS,
                               .upright = true };
}

static rill_result check_centre(const double centre[3], const rill_shape_rules *rules, rill_message *message) {
    const double *c = centre;
    if (isnan(c[0]) && isnan(c[1]) && isnan(c[2])) return RILL_OK;
    if (fabs(c[0]) <= RILL_BODY_FARTHEST && fabs(c[1]) <= RILL_BODY_FARTHEST && fabs(c[2]) <= RILL_BODY_FARTHEST)
        return RILL_OK;
    return rill_fail(message, RILL_INVALID_ARGUMENT,
                     "body %s: centre is (%g, %g, %g), expected finite numbers within %g, or NaN for all of them",
                     rules->name, c[0], c[1], c[2], RILL_BODY_FARTHEST);
}

/* ----------------------------------------------------------------------------------------------------------- making */

/* Volume, middle and second moments per volume about it, in the frame of the definition. */
static void measure(rill_body_form *form, double moments[6]) {
    const double r = form->radius, l = form->length, rr = r * r;
    for (int i = 0; i < 6; ++i) moments[i] = 0.0;
    switch (form->shape) {
    case RILL_SHAPE_SPHERE:
        form->volume = 4.0 / 3.0 * PI * rr * r;
        moments[0] = moments[1] = moments[2] = rr / 5.0;
        break;
    case RILL_SHAPE_BOX:
        form->volume = form->size[0] * form->size[1] * form->size[2];
        for (int i = 0; i < 3; ++i) moments[i] = form->size[i] * form->size[i] / 12.0;
        break;
    case RILL_SHAPE_CYLINDER:
        form->volume = PI * rr * l;
        moments[0] = moments[1] = rr / 4.0;
        moments[2] = l * l / 12.0;
        break;
    case RILL_SHAPE_CAPSULE: {
        /* Half a sphere has its middle 3/8 r from its flat side. */
        const double tube = PI * rr * l, ball = 4.0 / 3.0 * PI * rr * r, half = 0.5 * l;
        form->volume = tube + ball;
        moments[0] = moments[1] = (tube * rr / 4.0 + ball * rr / 5.0) / form->volume;
        moments[2] = (tube * l * l / 12.0 + ball * (rr / 5.0 + half * half + 0.75 * half * r)) / form->volume;
        break;
    }
    case RILL_SHAPE_HULL:
    case RILL_SHAPE_MESH: rill_mass_measure(form, &form->volume, form->middle, moments); break;
    case RILL_SHAPE_TORUS:
    case RILL_SHAPE_PLANE:
    case RILL_SHAPE_HEIGHTMAP: RILL_ASSERT(false); break; /* no shapes of bodies */
    }
}

/* The distance of the farthest vertex. */
static double reach_of(const rill_body_form *form) {
    double reach = 0.0;
    for (size_t i = 0; i < form->vertex_count; ++i) {
        const double *p = form->vertices + 3 * i;
        reach = fmax(reach, sqrt(rill_vec_dot(p, p)));
    }
    return reach;
}

/* Inertia about the centre of mass from moments about the middle. */
static void set_inertia(const double middle[3], const double moments[6], double out[6]) {
    static const int pairs[6][2] = { { 0, 0 }, { 1, 1 }, { 2, 2 }, { 0, 1 }, { 0, 2 }, { 1, 2 } };
    double about[6];
    for (int i = 0; i < 6; ++i) about[i] = moments[i] + middle[pairs[i][0]] * middle[pairs[i][1]];
    const double trace = (about[0] + about[1]) + about[2];
    for (int i = 0; i < 6; ++i) out[i] = i < 3 ? trace - about[i] : -about[i];
}

/* From the frame of the definition to one about the centre of mass. */
static void set_centre(rill_body_form *form, const double wish[3], const double moments[6]) {
    for (int i = 0; i < 3; ++i) {
        form->centre[i] = isnan(wish[i]) ? form->middle[i] : wish[i];
        form->middle[i] -= form->centre[i];
    }
    set_inertia(form->middle, moments, form->inertia);
    const double *m = form->middle, off = sqrt(rill_vec_dot(m, m)), half = 0.5 * form->length;
    const bool mesh = form->shape == RILL_SHAPE_HULL || form->shape == RILL_SHAPE_MESH;
    form->reach = form->shape == RILL_SHAPE_SPHERE     ? off + form->radius
                  : form->shape == RILL_SHAPE_CAPSULE  ? off + half + form->radius
                  : form->shape == RILL_SHAPE_CYLINDER ? off + sqrt(half * half + form->radius * form->radius)
                                                       : 0.0;
    for (size_t i = 0; i < form->vertex_count; ++i)
        for (size_t k = 0; k < 3; ++k) form->vertices[3 * i + k] -= form->centre[k];
    if (mesh || form->shape == RILL_SHAPE_BOX) form->reach = reach_of(form);
    RILL_ASSERT(form->volume > 0.0 && form->reach > 0.0);
}

bool rill_body_form_alloc(rill_body_form *form, const rill_allocator *allocator, size_t vertices, size_t triangles) {
    form->vertex_count = vertices;
    form->triangle_count = triangles;
    form->vertices = rill_alloc_zeroed(allocator, vertices, 3 * sizeof(double));
    form->indices = rill_alloc_zeroed(allocator, triangles, 3 * sizeof(uint32_t));
    return form->vertices && form->indices;
}

static bool take_room(rill_body_form *form, const rill_allocator *allocator) {
    form->turned = rill_alloc(allocator, form->vertex_count, 3 * sizeof(double));
    form->slices = rill_alloc(allocator, form->triangle_count, sizeof(rill_slice));
    form->cuts = rill_alloc(allocator, form->triangle_count, sizeof(rill_cut));
    form->heads = rill_alloc(allocator, form->triangle_count, sizeof(int32_t));
    form->follow = rill_alloc(allocator, form->triangle_count, sizeof(int32_t));
    form->active = rill_alloc(allocator, form->triangle_count, sizeof(int32_t));
    return form->turned && form->slices && form->cuts && form->heads && form->follow && form->active;
}

static bool has_corners(rill_shape type) {
    return type == RILL_SHAPE_BOX || type == RILL_SHAPE_HULL || type == RILL_SHAPE_MESH;
}

/* Copies what a definition says of a round shape or a box. */
static void set_measures(rill_body_form *form, const rill_shape_def *shape) {
    const bool box = shape->type == RILL_SHAPE_BOX, sphere = shape->type == RILL_SHAPE_SPHERE;
    const bool long_one = shape->type == RILL_SHAPE_CYLINDER || shape->type == RILL_SHAPE_CAPSULE;
    const double *low = box ? shape->min : shape->from, *high = box ? shape->max : shape->to;
    for (int i = 0; i < 3 && (box || long_one); ++i) form->defined_at[i] = 0.5 * (low[i] + high[i]);
    for (int i = 0; i < 3 && box; ++i) form->size[i] = high[i] - low[i];
    if (sphere) memcpy(form->defined_at, shape->centre, sizeof form->defined_at);
    if (long_one) form->length = high[2] - low[2];
    if (sphere || long_one) form->radius = shape->radius;
}

/* Finds out what follows from arrays or measures. */
static rill_result follow_from(rill_body_form *form, const double centre[3], const rill_allocator *allocator) {
    const bool arrays = form->shape == RILL_SHAPE_HULL || form->shape == RILL_SHAPE_MESH;
    double moments[6];
    if (!arrays) memcpy(form->middle, form->defined_at, sizeof form->middle);
    if (!arrays && !rill_body_form_tessellate(form, allocator)) return RILL_OUT_OF_MEMORY;
    if (has_corners(form->shape) && !take_room(form, allocator)) return RILL_OUT_OF_MEMORY;
    measure(form, moments);
    set_centre(form, centre, moments);
    return RILL_OK;
}

static rill_result fill_form(rill_body_form *form, const rill_body_def *def, const rill_shape_rules *rules,
                             const rill_allocator *allocator, rill_message *message) {
    const rill_shape_def *shape = &def->shape;
    rill_result result = RILL_OK;
    set_measures(form, shape);
    if (shape->type == RILL_SHAPE_HULL) result = rill_body_form_hull(form, shape, rules, allocator, message);
    if (shape->type == RILL_SHAPE_MESH) result = rill_body_form_mesh(form, shape, rules, allocator, message);
    if (!result) result = follow_from(form, def->centre, allocator);
    return result == RILL_OUT_OF_MEMORY ? rill_fail(message, result, "body %s: no memory", rules->name) : result;
}

rill_result rill_body_form_make(const rill_body_def *def, const rill_allocator *allocator, rill_body_form *out,
                                rill_message *message) {
    const rill_shape_rules rules = rules_of(def);
    rill_result result = check_centre(def->centre, &rules, message);
    if (!result) result = rill_shape_check(&def->shape, &rules, message);
    if (result) return result;
    rill_body_form form = { .shape = def->shape.type };
    result = fill_form(&form, def, &rules, allocator, message);
    if (result)
        rill_body_form_free(&form, allocator);
    else
        *out = form;
    return result;
}

/* Written so that NaN fails. */
static bool within(const double *values, const double *about, size_t count, double most) {
    for (size_t i = 0; i < count; ++i)
        if (!(fabs(values[i] - (about ? about[i] : 0.0)) <= most)) return false;
    return true;
}

/* Whether measures are those of the triangles, but for rounding, which is coarse where they lie nearly in a plane. */
static bool well_measured(const rill_body_form *form) {
    const double reach = form->reach, close = 0.01;
    double volume, middle[3], moments[6], inertia[6];
    rill_mass_measure(form, &volume, middle, moments);
    set_inertia(middle, moments, inertia);
    return volume > 0.0 && within(&form->volume, &volume, 1, close * volume) &&
           within(form->middle, middle, 3, close * reach) &&
           within(form->inertia, inertia, 6, close * (inertia[0] + inertia[1] + inertia[2]));
}

static bool is_length(double value, double most) {
    return value >= RILL_SHAPE_SMALLEST && value <= most;
}

static bool are_measures(const rill_body_form *form) {
    const double *size = form->size, most = 2.0 * RILL_BODY_FARTHEST;
    if (!within(form->defined_at, NULL, 3, RILL_BODY_FARTHEST) || !within(form->centre, NULL, 3, RILL_BODY_FARTHEST))
        return false;
    if (form->shape == RILL_SHAPE_BOX)
        return is_length(size[0], most) && is_length(size[1], most) && is_length(size[2], most);
    return is_length(form->radius, RILL_BODY_FARTHEST) &&
           (form->shape == RILL_SHAPE_SPHERE || is_length(form->length, most));
}

static rill_result complete_arrays(rill_body_form *form, const rill_allocator *allocator, rill_message *message) {
    if (form->vertex_count < 4 || form->vertex_count > RILL_BODY_ELEMENTS || form->triangle_count < 4 ||
        form->triangle_count > RILL_BODY_ELEMENTS)
        return rill_fail(message, RILL_INVALID_DATA, "body: %zu vertices and %zu triangles are no hull or mesh",
                         form->vertex_count, form->triangle_count);
    for (size_t i = 0; i < 3 * form->triangle_count; ++i)
        if (form->indices[i] >= form->vertex_count)
            return rill_fail(message, RILL_INVALID_DATA, "body: triangle %zu names vertex %u, expected less than %zu",
                             i / 3, (unsigned)form->indices[i], form->vertex_count);
    if (!within(form->centre, NULL, 3, RILL_BODY_FARTHEST) ||
        !within(form->vertices, NULL, 3 * form->vertex_count, 2.0 * RILL_BODY_FARTHEST))
        return rill_fail(message, RILL_INVALID_DATA, "body: a vertex is farther away than %g m", RILL_BODY_FARTHEST);
    form->reach = reach_of(form);
    if (!well_measured(form))
        return rill_fail(message, RILL_INVALID_DATA, "body: volume, middle or inertia are not those of its triangles");
    return take_room(form, allocator) ? RILL_OK : rill_fail(message, RILL_OUT_OF_MEMORY, "body: no memory");
}

rill_result rill_body_form_complete(rill_body_form *form, const rill_allocator *allocator, rill_message *message) {
    if (form->shape == RILL_SHAPE_HULL || form->shape == RILL_SHAPE_MESH)
        return complete_arrays(form, allocator, message);
    if (!are_measures(form)) return rill_fail(message, RILL_INVALID_DATA, "body: its measures are out of range");
    const double centre[3] = { form->centre[0], form->centre[1], form->centre[2] };
    const rill_result result = follow_from(form, centre, allocator);
    return result ? rill_fail(message, result, "body: no memory") : RILL_OK;
}

void rill_body_form_free(rill_body_form *form, const rill_allocator *allocator) {
    rill_free(allocator, form->vertices, form->vertex_count, 3 * sizeof(double));
    rill_free(allocator, form->indices, form->triangle_count, 3 * sizeof(uint32_t));
    rill_ray_tree_free(&form->rays, allocator);
    rill_free(allocator, form->turned, form->vertex_count, 3 * sizeof(double));
    rill_free(allocator, form->slices, form->triangle_count, sizeof(rill_slice));
    rill_free(allocator, form->cuts, form->triangle_count, sizeof(rill_cut));
    rill_free(allocator, form->heads, form->triangle_count, sizeof(int32_t));
    rill_free(allocator, form->follow, form->triangle_count, sizeof(int32_t));
    rill_free(allocator, form->active, form->triangle_count, sizeof(int32_t));
    *form = (rill_body_form){ .shape = RILL_SHAPE_SPHERE };
}
