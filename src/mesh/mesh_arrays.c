/* The arrays of a mesh. */
#include "mesh/surface_mesh.h"

void rill_mesh_arrays_free(rill_surface_mesh *mesh, const rill_allocator *allocator, size_t vertices,
                           size_t triangles) {
    rill_free(allocator, mesh->positions, vertices, 3 * sizeof(float));
    rill_free(allocator, mesh->normals, vertices, 3 * sizeof(float));
    rill_free(allocator, mesh->velocities, vertices, 3 * sizeof(float));
    rill_free(allocator, mesh->opacities, vertices, sizeof(float));
    rill_free(allocator, mesh->depths, vertices, sizeof(float));
    rill_free(allocator, mesh->wetness, vertices, sizeof(float));
    rill_free(allocator, mesh->layers, vertices, sizeof(int32_t));
    rill_free(allocator, mesh->indices, triangles, 3 * sizeof(uint32_t));
    *mesh = (rill_surface_mesh){ 0 };
}

bool rill_mesh_arrays_alloc(rill_surface_mesh *mesh, const rill_allocator *allocator, size_t vertices,
                            size_t triangles) {
    RILL_ASSERT(!mesh->positions && !mesh->indices);
    *mesh = (rill_surface_mesh){ .positions = rill_alloc_zeroed(allocator, vertices, 3 * sizeof(float)),
                                 .normals = rill_alloc_zeroed(allocator, vertices, 3 * sizeof(float)),
                                 .velocities = rill_alloc_zeroed(allocator, vertices, 3 * sizeof(float)),
                                 .opacities = rill_alloc_zeroed(allocator, vertices, sizeof(float)),
                                 .depths = rill_alloc_zeroed(allocator, vertices, sizeof(float)),
                                 .wetness = rill_alloc_zeroed(allocator, vertices, sizeof(float)),
                                 .layers = rill_alloc_zeroed(allocator, vertices, sizeof(int32_t)),
                                 .indices = rill_alloc_zeroed(allocator, triangles, 3 * sizeof(uint32_t)) };
    if (mesh->positions && mesh->normals && mesh->velocities && mesh->opacities && mesh->depths && mesh->wetness &&
        mesh->layers && mesh->indices)
        return true;
    rill_mesh_arrays_free(mesh, allocator, vertices, triangles);
    return false;
}
