/* Vertices of wet columns: numbers go on along a row, so that runs of wet columns are runs of vertices. The kernels
 * take for granted that a column is linked to its neighbours in the sheet; those that are not are mended afterwards. */
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
    memcpy(s->mesh.layers + first, s->layer + at, (size_t)count * sizeof(int32_t));
}

static void number_run(const rill_build *build, const rill_surface_row *row, int32_t from, int32_t count,
                       size_t first) {
    int32_t *vertex = build->s->vertex + row->start + from;
    for (int32_t i = 0; i < count; ++i) vertex[i] = (int32_t)first + i;
}

/* Whether the eight columns of a word are wet. */
static bool all_wet(const uint8_t *state) {
    const uint64_t wet = 0x0202020202020202u;
    uint64_t word;
    memcpy(&word, state, sizeof word);
    return (word & wet) == wet;
}

typedef void run_task(const rill_build *build, const rill_surface_row *row, int32_t from, int32_t count, size_t first);

static void each_run(const rill_build *build, const rill_surface_row *row, run_task *task) {
    const uint8_t *state = build->s->state + row->start;
    size_t vertex = row->first_vertex;
    if (row->wet == 0) return;
    for (int32_t x = row->low; x < row->high; ++x) {
        const int32_t from = x;
        while (x + 8 <= row->high && all_wet(state + x)) x += 8;
        while (x < row->high && state[x] & RILL_WET) x += 1;
        if (x == from) continue;
        task(build, row, from, x - from, vertex);
        vertex += (size_t)(x - from);
    }
}

void rill_row_number(const rill_build *build, rill_surface_row *row) {
    if (row->renumbered) each_run(build, row, number_run);
}

void rill_row_vertices(const rill_build *build, rill_surface_row *row) {
    each_run(build, row, write_run);
}

/* ------------------------------------------------------------------------------------------------------------- mend */

/* The slope along an axis, in quanta per cell, from the columns it is linked to on either side. */
static float slope(const rill_surface *s, int32_t place, int32_t stride, int32_t direction) {
    const int32_t own = s->top[place], step = direction ? stride : 1;
    const uint8_t dense = s->links[place], ends = s->rim[place];
    int32_t level[2] = { own, own };
    for (int32_t side = 0; side < 2; ++side) {
        const int32_t d = direction + 4 * side;
        if (ends >> d & 1) continue;
        const bool here = dense >> d & 1;
        level[side] = s->top[here ? place + (side ? -step : step) : rill_surface_neighbour(s, place, d, stride)];
    }
    const float half = (ends >> direction & 0x11) ? 1.0f : 0.5f;
    return (float)(level[0] - level[1]) * half;
}

void rill_column_mend(const rill_build *build, int32_t place, int32_t stride) {
    const rill_surface *s = build->s;
    const rill_bed *bed = build->view->bed;
    const size_t vertex = (size_t)s->vertex[place];
    const float factor = (float)(bed->quantum / bed->grid.cell_size);
    const float gx = slope(s, place, stride, 0) * factor, gy = slope(s, place, stride, 2) * factor;
    const float length = 1.0f / sqrtf(gx * gx + gy * gy + 1.0f);
    float *normal = s->mesh.normals + 3 * vertex, *velocity = s->mesh.velocities + 3 * vertex;
    normal[0] = -gx * length;
    normal[1] = -gy * length;
    normal[2] = length;
    velocity[2] = velocity[0] * gx + velocity[1] * gy;
}
