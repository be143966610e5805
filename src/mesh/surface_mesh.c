/* Planes of a surface, questions about them that are asked everywhere (who is linked to whom, and how low a
 * rim may be), and the arrays of a mesh. */
#include "mesh/surface_mesh.h"

#include <limits.h>
#include <string.h>

#include "base/simd.h"

/* The planes, and how wide an element of each is. */
typedef struct plane {
    void **data;
    size_t width;
} plane;

enum { PLANES = 18 };

static void list_planes(rill_surface *surface, plane out[PLANES]) {
    const plane all[PLANES] = {
        { (void **)&surface->m, sizeof *surface->m },
        { (void **)&surface->lid, sizeof *surface->lid },
        { (void **)&surface->layer, sizeof *surface->layer },
        { (void **)&surface->stride, sizeof *surface->stride },
        { (void **)&surface->floor, sizeof *surface->floor },
        { (void **)&surface->walls, sizeof *surface->walls },
        { (void **)&surface->state, sizeof *surface->state },
        { (void **)&surface->h, sizeof *surface->h },
        { (void **)&surface->top, sizeof *surface->top },
        { (void **)&surface->half, sizeof *surface->half },
        { (void **)&surface->links, sizeof *surface->links },
        { (void **)&surface->joints, sizeof *surface->joints },
        { (void **)&surface->rim, sizeof *surface->rim },
        { (void **)&surface->quads, sizeof *surface->quads },
        { (void **)&surface->vertex, sizeof *surface->vertex },
        { (void **)&surface->rim_first, sizeof *surface->rim_first },
        { (void **)&surface->joint_first, sizeof *surface->joint_first },
        { (void **)&surface->quads_other, sizeof *surface->quads_other },
    };
    memcpy(out, all, sizeof all);
}

/* Counts the bytes of a plane, so that the next is aligned: all are in one block, since large blocks get large pages
 * (alloc.c). */
static size_t plane_bytes(size_t size, size_t width) {
    return (size * width + RILL_ALIGNMENT - 1) / RILL_ALIGNMENT * RILL_ALIGNMENT;
}

static size_t block_bytes(size_t size, const plane planes[PLANES]) {
    size_t bytes = 0;
    for (int i = 0; i < PLANES; ++i) bytes += plane_bytes(size, planes[i].width);
    return bytes;
}

void rill_surface_free_planes(rill_surface *surface) {
    plane planes[PLANES];
    list_planes(surface, planes);
    rill_free(&surface->allocator, surface->block, block_bytes(surface->plane_size, planes), 1);
}

bool rill_surface_alloc_planes(rill_surface *surface, const rill_bed *bed) {
    const size_t corners =
        ((size_t)bed->grid.cells[0] + 1) * ((size_t)bed->grid.cells[1] + 1) + 8; /* whole words are read */
    const size_t size = (size_t)bed->plane_size;
    RILL_ASSERT(bed->plane_size > 0);
    plane planes[PLANES];
    list_planes(surface, planes);
    unsigned char *block = rill_alloc_zeroed(&surface->allocator, block_bytes(size, planes), 1);
    uint8_t *mixed = rill_alloc_zeroed(&surface->allocator, corners, 1);
    if (!block || !mixed) {
        rill_free(&surface->allocator, block, block_bytes(size, planes), 1);
        rill_free(&surface->allocator, mixed, corners, 1);
        return false;
    }
    rill_surface_free_planes(surface);
    rill_free(&surface->allocator, surface->mixed, surface->corner_count, 1);
    surface->block = block;
    for (int i = 0; i < PLANES; ++i) {
        *planes[i].data = block;
        RILL_ASSERT((uintptr_t)block % RILL_ALIGNMENT == 0);
        block += plane_bytes(size, planes[i].width);
    }
    surface->plane_size = size;
    surface->mixed = mixed;
    surface->corner_count = corners;
    return true;
}

int32_t rill_surface_neighbour(const rill_surface *surface, int32_t place, int32_t direction, int32_t stride) {
    RILL_ASSERT(place >= 0 && (size_t)place < surface->plane_size && direction >= 0 && direction < RILL_DIRECTIONS);
    RILL_ASSERT(stride == surface->stride[place]);
    if (surface->links[place] >> direction & 1) return place + RILL_STEP_X[direction] + RILL_STEP_Y[direction] * stride;
    if (!(surface->joints[place] >> direction & 1)) return -1;
    const rill_joint *joint = (const rill_joint *)surface->joint_list.data + surface->joint_first[place];
    while (joint->direction != direction || !joint->linked) joint += 1;
    RILL_ASSERT(joint->place == place);
    return joint->other;
}

/* Tells by how many quanta the floor lifts the vertex of a column above its base. */
static float lift(const rill_surface *surface, const rill_bed *bed, int32_t place) {
    return (float)rill_max_i(surface->floor[place] - bed->b[place], 0);
}

float rill_rim_floor(const rill_surface *surface, const rill_bed *bed, const rill_rim *rim, float along) {
    RILL_ASSERT(rim->place >= 0 && rim->beyond >= 0 && along >= 0.0f && along <= 1.0f);
    const float base = (float)bed->b[rim->place], rise = (float)(bed->b[rim->beyond] - bed->b[rim->place]);
    const float here = lift(surface, bed, rim->place), there = lift(surface, bed, rim->beyond);
    return base + along * rise + (here + along * (there - here));
}

/* ------------------------------------------------------------------------------------------------ arrays of a mesh */

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
