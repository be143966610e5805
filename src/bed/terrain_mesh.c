/* Triangles of the solids that lie under the whole grid, for drawing them: planes and heightmaps. They are the surface
 * that columns stand on: over the grid, and no farther. */
#include "bed/terrain_mesh.h"
#include "base/alloc.h"

static bool take_cover(rill_solid *solid, const rill_allocator *allocator, size_t vertices, size_t triangles) {
    double *cover = rill_alloc_zeroed(allocator, vertices, 3 * sizeof(double));
    uint32_t *indices = rill_alloc_zeroed(allocator, triangles, 3 * sizeof(uint32_t));
    if (!cover || !indices) {
        rill_free(allocator, cover, vertices, 3 * sizeof(double));
        rill_free(allocator, indices, triangles, 3 * sizeof(uint32_t));
        return false;
    }
    solid->terrain_vertices = cover;
    solid->terrain_vertex_count = vertices;
    solid->terrain_indices = indices;
    solid->terrain_triangle_count = triangles;
    return true;
}

/* Two triangles for each square of a lattice of nx x ny vertices, row by row. */
static void join_lattice(uint32_t *indices, uint32_t nx, uint32_t ny) {
    for (uint32_t y = 0; y + 1 < ny; ++y) {
        for (uint32_t x = 0; x + 1 < nx; ++x) {
            const uint32_t sw = y * nx + x, nw = sw + nx;
            const uint32_t square[6] = { sw, sw + 1, nw + 1, sw, nw + 1, nw };
            for (int i = 0; i < 6; ++i) *indices++ = square[i];
        }
    }
}

/* Where samples sit: at the middle of their own cells, with one more on either border, whose value is that of its
 * neighbour (as raster.c reads them). */
static double sample_place(const rill_grid *grid, int axis, int32_t sample, int32_t samples) {
    const double length = (double)grid->cells[axis] * grid->cell_size;
    double place = ((double)sample + 0.5) / (double)samples;
    if (sample < 0) place = 0.0;
    if (sample >= samples) place = 1.0;
    return grid->origin[axis] + place * length;
}

static bool cover_heightmap(rill_solid *solid, const rill_grid *grid, const rill_allocator *allocator) {
    const int32_t nx = solid->def.shape.heights_size[0], ny = solid->def.shape.heights_size[1];
    const size_t wide = (size_t)nx + 2, high = (size_t)ny + 2;
    if (wide > UINT32_MAX / high || !take_cover(solid, allocator, wide * high, 2 * (wide - 1) * (high - 1)))
        return false;
    double *vertex = solid->terrain_vertices;
    for (int32_t y = -1; y <= ny; ++y) {
        const int32_t row = y < 0 ? 0 : y < ny ? y : ny - 1;
        for (int32_t x = -1; x <= nx; ++x, vertex += 3) {
            const int32_t column = x < 0 ? 0 : x < nx ? x : nx - 1;
            vertex[0] = sample_place(grid, 0, x, nx);
            vertex[1] = sample_place(grid, 1, y, ny);
            vertex[2] = grid->origin[2] + solid->def.shape.heights[(size_t)row * (size_t)nx + (size_t)column];
        }
    }
    join_lattice(solid->terrain_indices, (uint32_t)wide, (uint32_t)high);
    return true;
}

static bool cover_plane(rill_solid *solid, const rill_grid *grid, const rill_allocator *allocator) {
    if (!take_cover(solid, allocator, 4, 2)) return false;
    for (int i = 0; i < 4; ++i) {
        double *vertex = solid->terrain_vertices + 3 * i, low[2], high[2];
        vertex[0] = grid->origin[0] + (i & 1 ? (double)grid->cells[0] * grid->cell_size : 0.0);
        vertex[1] = grid->origin[1] + (i & 2 ? (double)grid->cells[1] * grid->cell_size : 0.0);
        rill_line_cuts(solid, vertex[0], vertex[1], low, high);
        vertex[2] = high[0];
    }
    join_lattice(solid->terrain_indices, 2, 2);
    return true;
}

bool rill_terrain_mesh_make(rill_solid *solid, const rill_grid *grid, const rill_allocator *allocator) {
    if (solid->terrain_vertices) return true;
    if (solid->def.shape.type == RILL_SHAPE_HEIGHTMAP) return cover_heightmap(solid, grid, allocator);
    return solid->def.shape.type != RILL_SHAPE_PLANE || cover_plane(solid, grid, allocator);
}
