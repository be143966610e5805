/* Möller and Trumbore 1997, "Fast, minimum storage ray/triangle intersection", over every triangle there is: a few
 * hundred thousand are tested in a few milliseconds, which a search tree would not be worth that is rebuilt with every
 * frame. */
#include "pick.h"

#include <math.h>

#include "scene/turn.h"

static void subtract(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = a[k] - b[k];
}

static void cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Returns how far along the ray a triangle is met, from either side; infinity when it is not. */
static double meet(const rill_ray *ray, const double a[3], const double b[3], const double c[3]) {
    double ab[3], ac[3], p[3], q[3], s[3];
    subtract(b, a, ab);
    subtract(c, a, ac);
    cross(ray->along, ac, p);
    double determinant = dot(ab, p);
    if (determinant == 0) return HUGE_VAL;
    subtract(ray->from, a, s);
    double u = dot(s, p) / determinant;
    if (!(u >= 0 && u <= 1)) return HUGE_VAL;
    cross(s, ab, q);
    double v = dot(ray->along, q) / determinant, t = dot(ac, q) / determinant;
    return v >= 0 && u + v <= 1 && t > 0 ? t : HUGE_VAL;
}

static void take(const rill_ray *ray, double distance, rill_solid_id solid, rill_body_id body, rill_hit *out) {
    if (distance < out->distance) {
        out->distance = distance;
        out->solid = solid;
        out->body = body;
        for (int k = 0; k < 3; ++k) out->at[k] = ray->from[k] + distance * ray->along[k];
    }
}

static void pick_liquid(const rill_surface *surface, const rill_ray *ray, rill_hit *out) {
    rill_surface_mesh mesh;
    if (!surface || rill_surface_get_mesh(surface, &mesh) != RILL_OK) return;
    for (size_t i = 0; i < mesh.triangle_count; ++i) {
        double corner[3][3];
        for (size_t v = 0; v < 3; ++v)
            for (size_t k = 0; k < 3; ++k)
                corner[v][k] = (double)mesh.positions[3 * (size_t)mesh.indices[3 * i + v] + k];
        take(ray, meet(ray, corner[0], corner[1], corner[2]), (rill_solid_id){ 0 }, (rill_body_id){ 0 }, out);
    }
}

static void pick_solid(const rill_world *world, rill_solid_id id, const rill_ray *ray, rill_hit *out) {
    rill_solid_mesh mesh;
    if (!rill_solid_is_visible(world, id) || rill_solid_get_mesh(world, id, &mesh) != RILL_OK) return;
    for (size_t i = 0; i < mesh.triangle_count; ++i) {
        const uint32_t *index = &mesh.indices[3 * i];
        take(ray,
             meet(ray, &mesh.vertices[3 * (size_t)index[0]], &mesh.vertices[3 * (size_t)index[1]],
                  &mesh.vertices[3 * (size_t)index[2]]),
             id, (rill_body_id){ 0 }, out);
    }
}

/* The ray is brought to the body: distances along it stay what they are. */
static void pick_body(const rill_world *world, rill_body_id id, const rill_ray *ray, rill_hit *out) {
    rill_body_info info;
    rill_body_state state;
    rill_ray own;
    double from[3], back[4];
    if (rill_body_get_info(world, id, &info) != RILL_OK || rill_body_get_state(world, id, &state) != RILL_OK) return;
    subtract(ray->from, state.position, from);
    for (int k = 0; k < 4; ++k) back[k] = k < 3 ? -state.orientation[k] : state.orientation[k];
    rill_turn_vector(back, from, own.from);
    rill_turn_vector(back, ray->along, own.along);
    for (size_t i = 0; i < info.triangle_count; ++i) {
        const uint32_t *index = &info.indices[3 * i];
        take(ray,
             meet(&own, &info.vertices[3 * (size_t)index[0]], &info.vertices[3 * (size_t)index[1]],
                  &info.vertices[3 * (size_t)index[2]]),
             (rill_solid_id){ 0 }, id, out);
    }
}

bool rill_pick(const rill_world *world, const rill_surface *surface, const rill_ray *ray, rill_hit *out) {
    *out = (rill_hit){ .distance = HUGE_VAL };
    pick_liquid(surface, ray, out);
    for (int32_t i = 0; i < rill_world_solid_count(world); ++i)
        pick_solid(world, rill_world_solid_at(world, i), ray, out);
    for (int32_t i = 0; i < rill_world_body_count(world); ++i) pick_body(world, rill_world_body_at(world, i), ray, out);
    return out->distance < HUGE_VAL;
}
