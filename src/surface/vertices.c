/* Vertices of wet columns: numbers go on along a row, so that runs of wet columns are runs of vertices. The kernels take for
 * granted that a column is linked to its neighbours in the sheet; those that are not are mended afterwards. */
#include "surface/parts.h"

#include <math.h>

#include "bed/cells.h"

static void write_run(const rill_build *build, const rill_surface_row *row, int32_t from, int32_t count, size_t first) {
    rill_surface *s = build->s;
    const rill_bed *bed = build->view->bed;
    const rill_flow *flow = build->view->flow;
    const int32_t at = row->start + from, north = at + row->stride;
    const double dx = bed->grid.cell_size;
    const rill_vertex_row vertices = { .top = s->top + at,
                                       .top_s = s->top + at - row->stride,
                                       .top_n = s->top + north,
                                       .H = flow->H + at,
                                       .u = flow->u + at,
                                       .v = flow->v + at,
                                       .v_n = flow->v + north,
                                       .positions = s->mesh.positions + 3 * first,
                                       .normals = s->mesh.normals + 3 * first,
                                       .velocities = s->mesh.velocities + 3 * first,
                                       .depths = s->mesh.depths + first,
                                       .opacities = s->mesh.opacities + first };
    const rill_vertex_constants constants = { .quantum = (float)bed->quantum,
                                              .datum = (float)bed->datum,
                                              .slope = (float)(0.5 * bed->quantum / dx),
                                              .opacity = (float)(bed->quantum / s->def.opaque_depth),
                                              .x = (float)rill_cell_centre(&bed->grid, 0, 0),
                                              .dx = (float)dx,
                                              .first = (float)(row->x0 + from - 1),
                                              .y = (float)rill_cell_centre(&bed->grid, 1, row->y) };
    s->kernels->vertices(count, &vertices, &constants);
    if (!row->renumbered) return;
    for (int32_t i = 0; i < count; ++i) {
        s->vertex[at + i] = (int32_t)first + i;
        s->mesh.wetness[first + (size_t)i] = 1.0f;
        s->mesh.layers[first + (size_t)i] = s->layer[at + i];
    }
}

/* Whether the eight columns of a word are wet. */
static bool all_wet(const uint8_t *state) {
    const uint64_t wet = 0x0202020202020202u;
    uint64_t word;
    memcpy(&word, state, sizeof word);
    return (word & wet) == wet;
}

void rill_row_vertices(const rill_build *build, rill_surface_row *row) {
    const uint8_t *state = build->s->state + row->start;
    size_t vertex = row->first_vertex;
    if (row->wet == 0) return;
    for (int32_t x = row->low; x < row->high; ++x) {
        const int32_t from = x;
        while (x + 8 <= row->high && all_wet(state + x)) x += 8;
        while (x < row->high && state[x] & RILL_WET) x += 1;
        if (x == from) continue;
        write_run(build, row, from, x - from, vertex);
        vertex += (size_t)(x - from);
    }
}

/* ------------------------------------------------------------------------------------------------------------- mend */

/* The slope along an axis, from the columns it is linked to on either side. */
static float slope(const rill_build *build, int32_t place, int32_t stride, int32_t direction) {
    const rill_surface *s = build->s;
    const rill_bed *bed = build->view->bed;
    int32_t level[2] = { s->top[place], s->top[place] }, sides = 0;
    for (int32_t side = 0; side < 2; ++side) {
        const int32_t d = direction + 4 * side;
        if (s->rim[place] >> d & 1) continue;
        level[side] = s->top[rill_surface_neighbour(s, place, d, stride)];
        sides += 1;
    }
    const float factor = (float)(bed->quantum / bed->grid.cell_size);
    return (float)(level[0] - level[1]) * (sides == 2 ? 0.5f : 1.0f) * factor;
}

void rill_column_mend(const rill_build *build, int32_t place, int32_t stride, float u, float v) {
    const rill_surface *s = build->s;
    const size_t vertex = (size_t)s->vertex[place];
    const float gx = slope(build, place, stride, 0), gy = slope(build, place, stride, 2);
    const float length = 1.0f / sqrtf(gx * gx + gy * gy + 1.0f);
    const float normal[3] = { -gx * length, -gy * length, length }, velocity[3] = { u, v, u * gx + v * gy };
    memcpy(s->mesh.normals + 3 * vertex, normal, sizeof normal);
    memcpy(s->mesh.velocities + 3 * vertex, velocity, sizeof velocity);
}
