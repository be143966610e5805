/* Vertices of wet columns: numbers go on along a row, so that runs of wet columns are runs of vertices. The
 * kernels take for granted that a column is linked to its neighbours in the sheet; columns that are not are mended
 * afterwards. */
#include "surface/surface_internal.h"

#include <math.h>

#include "bed/cells.h"

rill_vertex_constants rill_vertices_begin(const rill_surface *surface, const rill_bed *bed) {
    const double dx = bed->grid.cell_size;
    return (rill_vertex_constants){ .quantum = (float)bed->quantum,
                                    .datum = (float)bed->datum,
                                    .slope = (float)(0.5 * bed->quantum / dx),
                                    .opacity = (float)(bed->quantum / surface->def.opaque_depth),
                                    .x = (float)rill_cell_centre(&bed->grid, 0, 0),
                                    .dx = (float)dx };
}

/* Writes the vertices of a run of wet columns; of the constants it changes where the run begins. */
static void write_run(const rill_build *build, const rill_surface_row *row, rill_vertex_constants *constants,
                      int32_t from, int32_t count, size_t first) {
    rill_surface *surface = build->surface;
    const rill_flow *flow = build->view->flow;
    RILL_ASSERT(count > 0 && from >= row->low && from + count <= row->high);
    RILL_ASSERT(first + (size_t)count <= row->first_vertex + (size_t)row->wet);
    const int32_t at = row->start + from, north = at + row->stride;
    const rill_vertex_row vertices = { .top = surface->top + at,
                                       .top_s = surface->top + at - row->stride,
                                       .top_n = surface->top + north,
                                       .H = flow->H + at,
                                       .layer = surface->layer + at,
                                       .u = flow->u + at,
                                       .v = flow->v + at,
                                       .v_n = flow->v + north,
                                       .positions = surface->mesh.positions + 3 * first,
                                       .normals = surface->mesh.normals + 3 * first,
                                       .velocities = surface->mesh.velocities + 3 * first,
                                       .depths = surface->mesh.depths + first,
                                       .opacities = surface->mesh.opacities + first,
                                       .layers = row->renumbered ? surface->mesh.layers + first : NULL };
    constants->first = (float)(row->x0 + from - 1);
    surface->kernels->vertices(count, (int32_t)(row->first_vertex + (size_t)row->wet - first), &vertices, constants);
}

void rill_row_number(const rill_build *build, rill_surface_row *row) {
    const rill_surface *surface = build->surface;
    const int32_t at = row->start + row->low;
    if (!row->renumbered || row->wet == 0) return;
    surface->kernels->number(row->high - row->low, surface->state + at, (int32_t)row->first_vertex,
                             surface->vertex + at);
}

void rill_row_vertices(const rill_build *build, rill_surface_row *row) {
    const uint64_t *const wet = rill_marks(build->surface, row, RILL_MARK_WET);
    size_t vertex = row->first_vertex;
    rill_vertex_constants constants = build->vertices;
    if (row->wet == 0) return;
    constants.y = (float)rill_cell_centre(&build->view->bed->grid, 1, row->y);
    for (int32_t x = row->low; x < row->high;) {
        const int32_t from = rill_next_mark(wet, 0, x, row->high);
        x = rill_next_mark(wet, UINT64_MAX, from, row->high);
        if (x > from) write_run(build, row, &constants, from, x - from, vertex);
        vertex += (size_t)(x - from);
    }
    RILL_ASSERT(vertex == row->first_vertex + (size_t)row->wet);
}

void rill_draw_depths_apply(const rill_build *build) {
    const rill_surface *surface = build->surface;
    for (size_t i = 0; i < build->view->draw_level_count; ++i) {
        const rill_draw_level *seen = &build->view->draw_levels[i];
        if (seen->depth == 0 || !(surface->state[seen->place] & RILL_WET) || seen->level >= surface->lid[seen->place])
            continue;
        const size_t vertex = (size_t)surface->vertex[seen->place];
        const float opacity = (float)seen->depth * build->vertices.opacity;
        surface->mesh.depths[vertex] = (float)seen->depth * build->vertices.quantum;
        surface->mesh.opacities[vertex] = opacity < 1.0f ? opacity : 1.0f;
    }
}

/* ------------------------------------------------------------------------------------------------------------- mend */

/* Finds the level on a side of a column: its own where the surface ends there. No branch: where it ends is not to be
 * foreseen. */
static inline int32_t level_at(const rill_surface *surface, int32_t place, int32_t step, uint32_t ends) {
    const int32_t ended = -(int32_t)(ends & 1);
    return (surface->top[place] & ended) | (surface->top[place + step] & ~ended);
}

/* Finds the slope along an axis, in quanta per cell, from the levels on either side. */
static inline float slope(int32_t ahead, int32_t behind, uint32_t ends) {
    static const float shares[] = { 0.5f, 1.0f };
    return (float)(ahead - behind) * shares[ends != 0];
}

void rill_column_mend(const rill_build *build, int32_t place, int32_t stride) {
    const rill_surface *surface = build->surface;
    const size_t vertex = (size_t)surface->vertex[place];
    const float factor = 2.0f * build->vertices.slope;
    RILL_ASSERT(vertex < surface->column_vertices && surface->state[place] & RILL_WET);
    const uint32_t ends = surface->rim[place], elsewhere = ~(surface->links[place] | ends) & RILL_AXES;
    int32_t levels[4] = { level_at(surface, place, 1, ends), level_at(surface, place, stride, ends >> 2),
                          level_at(surface, place, -1, ends >> 4), level_at(surface, place, -stride, ends >> 6) };
    for (uint32_t left = elsewhere; left; left &= left - 1) { /* it goes on in another sheet */
        const int32_t direction = __builtin_ctz(left);
        levels[direction / 2] = surface->top[rill_surface_neighbour(surface, place, direction, stride)];
    }
    const float gx = slope(levels[0], levels[2], ends & 0x11u) * factor;
    const float gy = slope(levels[1], levels[3], ends & 0x44u) * factor;
    const float length = 1.0f / sqrtf(gx * gx + gy * gy + 1.0f);
    float *normal = surface->mesh.normals + 3 * vertex, *velocity = surface->mesh.velocities + 3 * vertex;
    RILL_ASSERT(isfinite(length));
    normal[0] = -gx * length;
    normal[1] = -gy * length;
    normal[2] = length;
    velocity[2] = velocity[0] * gx + velocity[1] * gy;
}
