/* The surface as fixed topology: each layer is a grid of vertices, one per cell, and a pair of triangles between any
 * four of them. Vertices that are not there have opacity and wetness 0: a dry column next to a wet one is as high as
 * the liquid beside it, any other is at its base, and where a cell has no such layer the vertex is at the bottom of the
 * range. For engines and caches that want the same indices in every frame. */
#include "bed/cells.h"
#include "surface/surface_internal.h"

#include <string.h>

static size_t cells_of(const rill_grid *grid) {
    return (size_t)grid->cells[0] * (size_t)grid->cells[1];
}

static size_t triangles_of(const rill_grid *grid) {
    return 2 * ((size_t)grid->cells[0] - 1) * ((size_t)grid->cells[1] - 1);
}

void rill_grids_free(rill_surface *surface) {
    rill_mesh_arrays_free(&surface->grids, &surface->allocator, surface->grids_room[0], surface->grids_room[1]);
    surface->grids_room[0] = surface->grids_room[1] = 0;
}

static void join_grids(rill_surface_mesh *grids, const rill_grid *grid) {
    const size_t wide = (size_t)grid->cells[0], cells = cells_of(grid);
    uint32_t *out = grids->indices;
    for (size_t first = 0; first < grids->vertex_count; first += cells) {
        for (size_t y = 0; y + 1 < (size_t)grid->cells[1]; ++y) {
            for (size_t x = 0; x + 1 < wide; ++x) {
                const uint32_t sw = (uint32_t)(first + y * wide + x), nw = sw + (uint32_t)wide;
                const uint32_t quad[6] = { sw, sw + 1, nw + 1, sw, nw + 1, nw };
                memcpy(out, quad, sizeof quad);
                out += 6;
            }
        }
    }
}

static bool alloc_grids(rill_surface *surface, const rill_bed *bed) {
    const size_t layers = (size_t)bed->info.layers, vertices = layers * cells_of(&bed->grid);
    const size_t triangles = layers * triangles_of(&bed->grid);
    rill_surface_mesh *grids = &surface->grids;
    if (grids->positions && grids->vertex_count == vertices) return true;
    if (vertices > UINT32_MAX) return false;
    rill_grids_free(surface);
    if (!rill_mesh_arrays_alloc(grids, &surface->allocator, vertices, triangles)) return false;
    surface->grids_room[0] = grids->vertex_count = vertices;
    surface->grids_room[1] = grids->triangle_count = triangles;
    join_grids(grids, &bed->grid);
    return true;
}

/* Copies a wet column's vertex, as it is in the mesh. */
static void copy_vertex(const rill_surface *surface, size_t from, size_t to) {
    const rill_surface_mesh *mesh = &surface->mesh, *grids = &surface->grids;
    RILL_ASSERT(from < surface->column_vertices && to < grids->vertex_count);
    grids->positions[3 * to + 2] = mesh->positions[3 * from + 2];
    memcpy(grids->normals + 3 * to, mesh->normals + 3 * from, 3 * sizeof(float));
    memcpy(grids->velocities + 3 * to, mesh->velocities + 3 * from, 3 * sizeof(float));
    grids->opacities[to] = mesh->opacities[from];
    grids->depths[to] = mesh->depths[from];
    grids->wetness[to] = 1.0f;
}

/* Finds the height of the liquid beside a dry column; its base, if there is none. */
static float height_beside(const rill_surface *surface, const rill_bed *bed, int32_t place) {
    if (!(surface->links[place] | surface->joints[place])) return (float)rill_bed_z(bed, bed->b[place]);
    const int32_t stride = rill_bed_sheet_of(bed, place, NULL, NULL)->stride;
    float sum = 0.0f;
    int32_t count = 0;
    for (int32_t d = 0; d < RILL_DIRECTIONS; ++d) {
        const int32_t other = rill_surface_neighbour(surface, place, d, stride);
        if (other < 0) continue;
        sum += surface->mesh.positions[3 * (size_t)surface->vertex[other] + 2];
        count += 1;
    }
    RILL_ASSERT(count > 0);
    return sum / (float)count;
}

static void fill_cell(const rill_surface *surface, const rill_bed *bed, int32_t x, int32_t y) {
    const size_t cells = cells_of(&bed->grid), cell = (size_t)y * (size_t)bed->grid.cells[0] + (size_t)x;
    const rill_surface_mesh *grids = &surface->grids;
    for (int32_t layer = 0; layer < bed->info.layers; ++layer) {
        const size_t to = (size_t)layer * cells + cell;
        const int32_t k = bed->cell_first[cell] + layer;
        grids->positions[3 * to] = (float)rill_cell_centre(&bed->grid, 0, x);
        grids->positions[3 * to + 1] = (float)rill_cell_centre(&bed->grid, 1, y);
        grids->positions[3 * to + 2] = (float)bed->datum;
        memcpy(grids->normals + 3 * to, (const float[3]){ 0.0f, 0.0f, 1.0f }, 3 * sizeof(float));
        memset(grids->velocities + 3 * to, 0, 3 * sizeof(float));
        grids->opacities[to] = grids->depths[to] = grids->wetness[to] = 0.0f;
        grids->layers[to] = layer;
        if (k >= bed->cell_first[cell + 1]) continue;
        const int32_t place = bed->places[k];
        if (surface->state[place] & RILL_WET)
            copy_vertex(surface, (size_t)surface->vertex[place], to);
        else
            grids->positions[3 * to + 2] = height_beside(surface, bed, place);
    }
}

bool rill_grids_make(rill_surface *surface, const rill_surface_view *view) {
    const rill_bed *bed = view->bed;
    if (!alloc_grids(surface, bed)) return false;
    for (int32_t y = 0; y < bed->grid.cells[1]; ++y)
        for (int32_t x = 0; x < bed->grid.cells[0]; ++x) fill_cell(surface, bed, x, y);
    surface->info.vertices = surface->grids.vertex_count;
    surface->info.triangles = surface->grids.triangle_count;
    surface->info.shore_vertices = surface->info.extra_vertices = 0;
    surface->info.skirt_vertices = surface->info.skirt_triangles = 0;
    surface->info.topology = (uint64_t)bed->info.layers;
    return true;
}
