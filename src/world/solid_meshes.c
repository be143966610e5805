/* Solids as triangles, for drawing them. */
#include "bed/terrain_mesh.h"
#include "world/ids.h"

rill_result rill_solid_get_mesh(const rill_world *world, rill_solid_id id, rill_solid_mesh *out) {
    if (!world) return RILL_INVALID_ARGUMENT;
    if (!out) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "out is NULL; expected a place for the mesh");
    const rill_solid_slot *slot = rill_world_solid(world, id);
    if (!slot) return RILL_INVALID_ID;
    rill_solid *solid = slot->solid;
    if (!rill_terrain_mesh_make(solid, &world->def.grid, &world->allocator))
        return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for the triangles of a solid");
    const bool covers = solid->terrain_vertices != NULL;
    *out = (rill_solid_mesh){ .vertices = covers ? solid->terrain_vertices : solid->vertices,
                              .vertex_count = covers ? solid->terrain_vertex_count : solid->vertex_count,
                              .indices = covers ? solid->terrain_indices : solid->indices,
                              .triangle_count = covers ? solid->terrain_triangle_count : solid->triangle_count };
    return RILL_OK;
}

int32_t rill_world_solid_count(const rill_world *world) {
    int32_t count = 0;
    const rill_solid_slot *slots = world ? world->solids.data : NULL;
    for (size_t i = 0; world && i < world->solids.count; ++i) count += slots[i].solid != NULL;
    return count;
}

rill_solid_id rill_world_solid_at(const rill_world *world, int32_t index) {
    const rill_solid_slot *slots = world ? world->solids.data : NULL;
    for (size_t i = 0; world && index >= 0 && i < world->solids.count; ++i) {
        if (!slots[i].solid || index-- > 0) continue;
        return (rill_solid_id){ rill_id_of(world, i, slots[i].generation) };
    }
    return (rill_solid_id){ 0 };
}
