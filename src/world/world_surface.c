/* Surfaces of a world: the API. The mesh itself is made in src/surface. */
#include "surface/surface.h"

#include <string.h>

#include "waves/tension_constants.h"
#include "world/world.h"

rill_surface_def rill_default_surface_def(void) {
    return (rill_surface_def){ .floor = true, .smooth_shores = true, .skirts = true, .opaque_depth = 0.001 };
}

static rill_result check_def(const rill_surface_def *def, rill_message *message) {
    if ((unsigned)def->form > RILL_SURFACE_GRIDS)
        return rill_fail(message, RILL_INVALID_ARGUMENT, "surface.form is %d; expected %d to %d", (int)def->form,
                         RILL_SURFACE_MESH, RILL_SURFACE_GRIDS);
    if ((unsigned)def->meniscus > RILL_MENISCUS_NONE)
        return rill_fail(message, RILL_INVALID_ARGUMENT, "surface.meniscus is %d; expected %d to %d",
                         (int)def->meniscus, RILL_MENISCUS_TILT, RILL_MENISCUS_NONE);
    if ((unsigned)def->falloff > RILL_FALLOFF_EXPONENTIAL)
        return rill_fail(message, RILL_INVALID_ARGUMENT, "surface.falloff is %d; expected %d to %d", (int)def->falloff,
                         RILL_FALLOFF_LINEAR, RILL_FALLOFF_EXPONENTIAL);
    if (def->distances && (def->form == RILL_SURFACE_GRIDS || def->meniscus == RILL_MENISCUS_NONE))
        return rill_fail(message, RILL_INVALID_ARGUMENT,
                         "surface.distances is true for %s; expected false, as only a mesh with a meniscus has them",
                         def->form == RILL_SURFACE_GRIDS ? "grids" : "a surface without a meniscus");
    if (!(def->opaque_depth >= 1e-9 && def->opaque_depth <= 1e9))
        return rill_fail(message, RILL_INVALID_ARGUMENT, "surface.opaque_depth is %g; expected 1e-9 to 1e9",
                         def->opaque_depth);
    return RILL_OK;
}

rill_result rill_surface_create(rill_world *world, const rill_surface_def *def, rill_surface **out) {
    if (!world) return RILL_INVALID_ARGUMENT;
    if (!def || !out)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "%s is NULL; expected %s", def ? "out" : "def",
                         def ? "a place for the surface" : "a definition");
    rill_result result = rill_world_need_bed(world, "rill_surface_create");
    if (!result) result = check_def(def, world->note);
    if (result) return result;
    rill_surface *surface = rill_surface_new(def, &world->def.runtime);
    if (!surface) return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for a surface");
    surface->world = world;
    *out = surface;
    return RILL_OK;
}

void rill_surface_destroy(rill_surface *surface) {
    rill_surface_free(surface);
}

/* Lists what has changed in the bed since a surface has looked at it. */
static void view_changes(const rill_surface *surface, const rill_bed_log *log, rill_area *areas,
                         rill_surface_view *view) {
    view->all_changed = surface->bed_number < log->forgotten;
    for (int32_t i = 0; i < log->count; ++i)
        if (log->numbers[i] > surface->bed_number) areas[view->changed_count++] = log->areas[i];
    view->changed = areas;
}

/* Columns at bodies, and how high they are drawn; false without memory. */
static bool view_bodies(rill_surface *surface, const rill_world *world, rill_surface_view *view) {
    const rill_body_node *nodes = world->bodies.nodes.data;
    view->draw_level_count = world->bodies.nodes.count;
    if (!rill_array_resize(&surface->draw_levels, &surface->allocator, view->draw_level_count)) return false;
    rill_draw_level *levels = surface->draw_levels.data;
    for (size_t i = 0; i < view->draw_level_count; ++i) {
        const double head = (double)nodes[i].base + nodes[i].e, top = (double)RILL_TOP;
        const int32_t level = nodes[i].drawn >= 0 ? nodes[i].drawn : (int32_t)(head < top ? head : top);
        levels[i] = (rill_draw_level){ nodes[i].place, level, rill_body_node_deck_depth(&nodes[i]) };
    }
    view->draw_levels = levels;
    return true;
}

/* Quanta of the deepest film that is not drawn. */
static int32_t film_of(const rill_world *world, bool tension) {
    const double residue = RILL_RESIDUE * RILL_LEAST_FILM * world->def.grid.cell_size / world->bed.quantum;
    return tension && residue > RILL_DRY ? (int32_t)residue : RILL_DRY;
}

static rill_result build(rill_surface *surface, const rill_world *world, const rill_solid **solids) {
    const rill_solid_slot *slots = world->solids.data;
    rill_area areas[RILL_BED_LOG];
    rill_surface_view view = { .bed = &world->bed,
                               .flow = &world->flow,
                               .solids = solids,
                               .solid_count = world->solids.count,
                               .liquid = world->def.liquid,
                               .tension = rill_world_tension(world),
                               .wall_tension = world->def.solver.wall_tension,
                               .falls = world->falls,
                               .falls_gravity = rill_world_falls_gravity(world),
                               .time = world->time,
                               .flies = rill_world_falls(world),
                               .runtime = &world->def.runtime,
                               .pool = world->pool,
                               .message = world->note };
    view.film = film_of(world, view.tension);
    memcpy(view.gravity, world->def.gravity, sizeof view.gravity);
    if (!view_bodies(surface, world, &view))
        return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for a list of %zu columns at bodies",
                         view.draw_level_count);
    view_changes(surface, &world->bed_log, areas, &view);
    for (size_t i = 0; i < world->solids.count; ++i) solids[i] = slots[i].hidden ? NULL : slots[i].solid;
    const rill_result result = rill_surface_make(surface, &view);
    if (!result) surface->bed_number = world->bed_log.number;
    return result;
}

rill_result rill_surface_build(rill_surface *surface) {
    if (!surface) return RILL_INVALID_ARGUMENT;
    const rill_world *world = surface->world;
    rill_result result = rill_world_need_bed(world, "rill_surface_build"); /* a restored world may have none */
    if (result) return result;
    if (!rill_array_resize(&surface->solids, &surface->allocator, world->solids.count))
        return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for a list of %zu solids", world->solids.count);
    return build(surface, world, surface->solids.data);
}

static rill_result need_mesh(const rill_surface *surface, const void *out, const char *call) {
    rill_message *note = surface->world->note;
    if (!out) return rill_fail(note, RILL_INVALID_ARGUMENT, "%s: out is NULL; expected a place for the answer", call);
    if (surface->built) return RILL_OK;
    return rill_fail(note, RILL_INVALID_STATE, "%s: nothing is built; call rill_surface_build first", call);
}

static const rill_surface_mesh *mesh_of(const rill_surface *surface) {
    return surface->def.form == RILL_SURFACE_GRIDS ? &surface->grids : &surface->mesh;
}

rill_result rill_surface_get_mesh(const rill_surface *surface, rill_surface_mesh *out) {
    if (!surface) return RILL_INVALID_ARGUMENT;
    const rill_result result = need_mesh(surface, out, "rill_surface_get_mesh");
    if (!result) *out = *mesh_of(surface);
    return result;
}

rill_result rill_surface_get_falls(const rill_surface *surface, rill_surface_mesh *out) {
    if (!surface) return RILL_INVALID_ARGUMENT;
    const rill_result result = need_mesh(surface, out, "rill_surface_get_falls");
    if (!result) *out = surface->falls;
    return result;
}

static void copy(void *to, const void *from, size_t count, size_t size) {
    if (to && count > 0) memcpy(to, from, count * size);
}

rill_result rill_surface_write(const rill_surface *surface, rill_surface_mesh *out) {
    if (!surface) return RILL_INVALID_ARGUMENT;
    const rill_result result = need_mesh(surface, out, "rill_surface_write");
    if (result) return result;
    const rill_surface_mesh *mesh = mesh_of(surface);
    const size_t vertices = mesh->vertex_count, triangles = mesh->triangle_count;
    const size_t room[2] = { out->vertex_count, out->triangle_count };
    out->vertex_count = vertices;
    out->triangle_count = triangles;
    if (room[0] < vertices || (out->indices && room[1] < triangles))
        return rill_fail(surface->world->note, RILL_INVALID_ARGUMENT,
                         "there is room for %zu vertices and %zu triangles; expected %zu and %zu", room[0], room[1],
                         vertices, triangles);
    copy(out->positions, mesh->positions, vertices, 3 * sizeof(float));
    copy(out->normals, mesh->normals, vertices, 3 * sizeof(float));
    copy(out->velocities, mesh->velocities, vertices, 3 * sizeof(float));
    copy(out->opacities, mesh->opacities, vertices, sizeof(float));
    copy(out->depths, mesh->depths, vertices, sizeof(float));
    copy(out->wetness, mesh->wetness, vertices, sizeof(float));
    if (mesh->distances) copy(out->distances, mesh->distances, vertices, sizeof(float));
    copy(out->layers, mesh->layers, vertices, sizeof(int32_t));
    copy(out->indices, mesh->indices, triangles, 3 * sizeof(uint32_t));
    return RILL_OK;
}

rill_result rill_surface_get_info(const rill_surface *surface, rill_surface_info *out) {
    if (!surface) return RILL_INVALID_ARGUMENT;
    const rill_result result = need_mesh(surface, out, "rill_surface_get_info");
    if (!result) *out = surface->info;
    return result;
}

const char *rill_surface_stage_name(rill_surface_stage stage) {
    static const char *const names[RILL_SURFACE_STAGE_COUNT] = { "levels", "triangles", "floor", "meniscus" };
    return (unsigned)stage < RILL_SURFACE_STAGE_COUNT ? names[stage] : NULL;
}
