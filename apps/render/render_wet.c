/* Where it has been wet. One value per column: how wet its floor still is, and how high on walls liquid has stood. Wet
 * columns are 1; dry ones forget within some tens of seconds. A floor that has moved away starts anew. Uploaded as a
 * texture with a slice per layer, in which solid.glsl looks up every point of a solid. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render_internal.h"

static const double DRYING_TIME = 25;  /* s, to 1/e */
static const double WET_DEPTH = 0.004; /* of a cell: what is thinner wets nothing */

static bool make_room(rill_wet *wet, const rill_bed_info *info) {
    size_t cells = (size_t)info->cells[0] * (size_t)info->cells[1];
    if (wet->columns && wet->layers == info->layers && wet->cells[0] == info->cells[0] &&
        wet->cells[1] == info->cells[1])
        return true;
    bool same_grid = wet->columns && wet->cells[0] == info->cells[0] && wet->cells[1] == info->cells[1];
    float *columns = calloc(cells * (size_t)info->layers, 4 * sizeof *columns);
    double *field = malloc(2 * cells * sizeof *field);
    if (!columns || !field) {
        free(columns);
        free(field);
        return false;
    }
    if (same_grid) {
        size_t kept = (size_t)(wet->layers < info->layers ? wet->layers : info->layers);
        memcpy(columns, wet->columns, kept * cells * 4 * sizeof *columns);
    }
    free(wet->columns);
    free(wet->field);
    wet->columns = columns;
    wet->field = field;
    wet->layers = info->layers;
    memcpy(wet->cells, info->cells, sizeof wet->cells);
    return true;
}

static void watch_layer(rill_wet *wet, int32_t layer, double dt, double cell_size) {
    size_t cells = (size_t)wet->cells[0] * (size_t)wet->cells[1];
    const double *base = wet->field, *depth = wet->field + cells;
    float *column = wet->columns + 4 * cells * (size_t)layer;
    float kept = (float)exp(-dt / DRYING_TIME);
    for (size_t i = 0; i < cells; ++i, column += 4) {
        if (isnan(base[i])) {
            column[0] = column[1] = -1e6f;
            column[2] = 0;
            continue;
        }
        float floor_z = (float)base[i], level = (float)(base[i] + depth[i]);
        if (fabsf(column[0] - floor_z) > 0.3f * (float)cell_size) {
            column[1] = level;
            column[2] = 0;
        }
        column[0] = floor_z;
        column[1] = fmaxf(level, level + (column[1] - level) * kept);
        column[2] = depth[i] > WET_DEPTH * cell_size ? 1 : column[2] * kept;
    }
}

bool rill_render_watch(rill_render *render, const rill_world *world, double dt) {
    rill_bed_info info;
    rill_grid grid;
    rill_wet *wet = &render->wet;
    if (rill_bed_get_info(world, &info) != RILL_OK || rill_world_get_grid(world, &grid) != RILL_OK || info.layers < 1)
        return true;
    if (!make_room(wet, &info)) return false;
    size_t cells = (size_t)info.cells[0] * (size_t)info.cells[1];
    for (int32_t layer = 0; layer < info.layers; ++layer)
        if (rill_world_read_field(world, RILL_FIELD_BASE, layer, wet->field, cells) == RILL_OK &&
            rill_world_read_field(world, RILL_FIELD_DEPTH, layer, wet->field + cells, cells) == RILL_OK)
            watch_layer(wet, layer, dt, grid.cell_size);
    wet->changed = true;
    return true;
}

void rill_render_forget(rill_render *render) {
    rill_wet *wet = &render->wet;
    free(wet->columns);
    free(wet->field);
    wet->columns = NULL;
    wet->field = NULL;
    wet->changed = true;
}

void rill_wet_upload(rill_wet *wet) {
    static const float nothing[4] = { 0 };
    if (!wet->texture) {
        glGenTextures(1, &wet->texture);
        wet->changed = true;
    }
    if (!wet->changed) return;
    bool some = wet->columns != NULL;
    glBindTexture(GL_TEXTURE_2D_ARRAY, wet->texture);
    glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA32F, some ? wet->cells[0] : 1, some ? wet->cells[1] : 1,
                 some ? wet->layers : 1, 0, GL_RGBA, GL_FLOAT, some ? wet->columns : nothing);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    wet->changed = false;
}

void rill_wet_free(rill_wet *wet) {
    glDeleteTextures(1, &wet->texture);
    free(wet->columns);
    free(wet->field);
    memset(wet, 0, sizeof *wet);
}
