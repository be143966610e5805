/* Rays against everything there is: triangles of solids, bodies and shells by trees of boxes, liquid by ray_liquid.c. Trees are made
 * when they are first asked for, and kept until a solid moves. */
#include <math.h>

#include "base/vec.h"
#include "bed/terrain_mesh.h"
#include "world/ids.h"
#include "world/ray_liquid.h"
#include "world/world_shells.h"

/* ------------------------------------------------------------------------------------------------------------ trees */

static rill_triangles triangles_of(const rill_solid *solid) {
    if (solid->terrain_vertices)
        return (rill_triangles){ solid->terrain_vertices, solid->terrain_indices, solid->terrain_triangle_count };
    return (rill_triangles){ solid->vertices, solid->indices, solid->triangle_count };
}

static rill_triangles triangles_of_form(const rill_body_form *form) {
    return (rill_triangles){ form->vertices, form->indices, form->triangle_count };
}

/* Makes what is missing, so that rays find all of it; false without memory. */
static bool grow_trees(const rill_world *world, uint32_t targets) {
    const rill_solid_slot *slots = world->solids.data;
    for (size_t i = 0; targets & RILL_RAY_SOLIDS && i < world->solids.count; ++i) {
        rill_solid *solid = slots[i].hidden ? NULL : slots[i].solid;
        if (!solid) continue;
        if (!rill_terrain_mesh_make(solid, &world->def.grid, &world->allocator)) return false;
        const rill_triangles triangles = triangles_of(solid);
        if (!rill_ray_tree_make(&solid->rays, &triangles, &world->allocator)) return false;
    }
    for (size_t i = 0; targets & RILL_RAY_BODIES && i < world->bodies.list.count; ++i) {
        rill_body_form *form = &rill_body_at(&world->bodies, (int32_t)i)->form;
        const rill_triangles triangles = triangles_of_form(form);
        if (!rill_ray_tree_make(&form->rays, &triangles, &world->allocator)) return false;
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------------------- casting */

/* The normal of a triangle, turned against a direction. */
static void normal_of(const rill_triangles *triangles, uint32_t triangle, const double direction[3], double out[3]) {
    const uint32_t *index = triangles->indices + 3 * (size_t)triangle;
    const double *a = triangles->vertices + 3 * (size_t)index[0];
    double ab[3], ac[3], cross[3];
    rill_vec_difference(triangles->vertices + 3 * (size_t)index[1], a, ab);
    rill_vec_difference(triangles->vertices + 3 * (size_t)index[2], a, ac);
    rill_vec_cross(ab, ac, cross);
    const double length = sqrt(rill_vec_dot(cross, cross)), sign = rill_vec_dot(cross, direction) > 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 3; ++i) out[i] = length > 0.0 ? sign * cross[i] / length : i == 2 ? 1.0 : 0.0;
}

static void cast_at_solids(const rill_world *world, const rill_ray_line *line, rill_ray_hit *hit) {
    const rill_solid_slot *slots = world->solids.data;
    for (size_t i = 0; i < world->solids.count; ++i) {
        const rill_solid *solid = slots[i].hidden ? NULL : slots[i].solid;
        uint32_t triangle;
        if (!solid) continue;
        const rill_triangles triangles = triangles_of(solid);
        if (!rill_ray_tree_cast(&solid->rays, &triangles, line, &hit->distance, &triangle)) continue;
        hit->what = RILL_RAY_SOLIDS;
        hit->solid.value = rill_id_of(world, i, slots[i].generation);
        normal_of(&triangles, triangle, line->direction, hit->normal);
    }
}

/* Brings the ray to each body: distances along it stay what they are. */
static void cast_at_bodies(const rill_world *world, const rill_ray_line *line, rill_ray_hit *hit) {
    for (size_t i = 0; i < world->bodies.list.count; ++i) {
        const rill_body *body = rill_body_at(&world->bodies, (int32_t)i);
        if (!body->alive) continue;
        const rill_pose pose = rill_pose_of(body->state.position, body->state.orientation);
        const rill_triangles triangles = triangles_of_form(&body->form);
        double from[3], own[3];
        rill_ray_line turned;
        uint32_t triangle;
        rill_vec_difference(line->origin, body->state.position, from);
        for (int k = 0; k < 3; ++k) {
            const double column[3] = { pose.turn[k], pose.turn[3 + k], pose.turn[6 + k] };
            turned.origin[k] = rill_vec_dot(column, from);
            turned.direction[k] = rill_vec_dot(column, line->direction);
        }
        if (!rill_ray_tree_cast(&body->form.rays, &triangles, &turned, &hit->distance, &triangle)) continue;
        hit->what = RILL_RAY_BODIES;
        hit->solid.value = 0;
        hit->body.value = rill_id_of(world, i, body->generation);
        normal_of(&triangles, triangle, turned.direction, own);
        rill_vec_transform(pose.turn, own, hit->normal);
    }
}

static void cast_at_shells(const rill_world *world, const rill_ray_line *line, rill_ray_hit *hit) {
    for (size_t i = 0; i < world->shells.count; ++i) {
        const rill_shell_slot *slot = rill_shell_slot_at(world, i);
        if (!slot->alive || !rill_shell_cast(slot, line, &hit->distance, &hit->column, hit->normal)) continue;
        hit->what = RILL_RAY_SHELLS;
        hit->solid.value = hit->body.value = 0;
        hit->shell.value = rill_id_of(world, i, slot->generation);
        const double sign = rill_vec_dot(hit->normal, line->direction) > 0.0 ? -1.0 : 1.0;
        for (int k = 0; k < 3; ++k) hit->normal[k] *= sign;
    }
}

static rill_ray_hit cast(const rill_world *world, const rill_ray *ray, uint32_t targets) {
    const double *d = ray->direction, length = hypot(hypot(d[0], d[1]), d[2]);
    rill_ray_line line = { .origin = { ray->origin[0], ray->origin[1], ray->origin[2] } };
    for (int i = 0; i < 3; ++i) line.direction[i] = d[i] / length;
    rill_ray_hit hit = { .distance = (double)INFINITY };
    if (targets & RILL_RAY_SOLIDS) cast_at_solids(world, &line, &hit);
    if (targets & RILL_RAY_BODIES) cast_at_bodies(world, &line, &hit);
    if (targets & RILL_RAY_SHELLS) cast_at_shells(world, &line, &hit);
    int32_t layer;
    if (targets & RILL_RAY_LIQUID && world->built && rill_ray_liquid(world, &line, &hit.distance, hit.normal, &layer)) {
        hit.what = RILL_RAY_LIQUID;
        hit.layer = layer;
        hit.solid.value = hit.body.value = hit.shell.value = 0;
        hit.column = 0;
    }
    if (!hit.what) return (rill_ray_hit){ 0 };
    for (int i = 0; i < 3; ++i) hit.point[i] = line.origin[i] + hit.distance * line.direction[i];
    return hit;
}

/* ---------------------------------------------------------------------------------------------------------- the call */

static rill_result check_rays(const rill_world *world, const rill_ray *rays, size_t count, uint32_t targets,
                              const rill_ray_hit *out) {
    if (count > 0 && (!rays || !out))
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "%s is NULL; expected an array for %zu rays",
                         rays ? "out" : "rays", count);
    if (targets == 0 || targets & ~(uint32_t)RILL_RAY_ALL)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "targets are %#x; expected some of RILL_RAY_ALL, %#x",
                         targets, (unsigned)RILL_RAY_ALL);
    for (size_t i = 0; i < count; ++i) {
        const double *o = rays[i].origin, *d = rays[i].direction, most = 1e100;
        bool good = d[0] != 0.0 || d[1] != 0.0 || d[2] != 0.0;
        for (int k = 0; k < 3; ++k) good = good && fabs(o[k]) <= most && fabs(d[k]) <= most;
        if (!good)
            return rill_fail(
                world->note, RILL_INVALID_ARGUMENT,
                "ray %zu goes from (%g, %g, %g) along (%g, %g, %g); expected finite numbers, and a direction", i, o[0],
                o[1], o[2], d[0], d[1], d[2]);
    }
    return RILL_OK;
}

rill_result rill_query_rays(const rill_world *world, const rill_ray *rays, size_t count, uint32_t targets,
                            rill_ray_hit *out) {
    if (!world) return RILL_INVALID_ARGUMENT;
    const rill_result result = check_rays(world, rays, count, targets, out);
    if (result) return result;
    if (!grow_trees(world, targets))
        return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for boxes around triangles");
    for (size_t i = 0; i < count; ++i) out[i] = cast(world, &rays[i], targets);
    return RILL_OK;
}
