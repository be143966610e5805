/* Drawing and filling vessels. */
#include "vessels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int8_t *rill_vessels_map(rill_validation *validation, const rill_vessels *vessels) {
    int8_t *map = calloc((size_t)vessels->nx * (size_t)vessels->ny, sizeof *map);
    if (!map) {
        validation->out_of_memory = true;
        rill_validation_broken(validation, "allocate: out of memory");
    }
    return map;
}

/* Rock above a passage, whose floor is the heightmap's. */
static void cover(rill_rig *rig, const rill_vessels *vessels, int32_t x, int32_t y, int32_t rows, double floor) {
    rill_rig_add_box(rig, x * vessels->dx, y * vessels->dx, floor + vessels->height, (x + 1) * vessels->dx,
                     (y + rows) * vessels->dx, vessels->top);
}

static void put(rill_rig *rig, int8_t *well, size_t cell, int32_t rows, double floor, int8_t number) {
    for (int32_t k = 0; k < rows; ++k, cell += (size_t)rig->nx) {
        rig->heights[cell] = floor;
        well[cell] = number;
    }
}

/* Strokes of a well that follow each other make one well. */
static void draw(rill_rig *rig, const rill_vessels *vessels, int8_t *well) {
    int32_t x = vessels->x, y = vessels->y, rows = vessels->rows ? vessels->rows : 1;
    int8_t number = 0;
    double floor = vessels->sill;
    char before = '=';
    for (const rill_stroke *stroke = vessels->strokes; stroke->kind; ++stroke) {
        number = (int8_t)(number + (stroke->kind == 'o' && before != 'o'));
        for (int32_t k = 0; k < stroke->count; ++k) {
            x += stroke->way == 'E' ? 1 : stroke->way == 'W' ? -1 : 0;
            y += stroke->way == 'N' ? 1 : stroke->way == 'S' ? -1 : 0;
            size_t i = rill_rig_cell(rig, x, y);
            if (stroke->kind == 'o') {
                put(rig, well, i, rows, 0, number);
            } else if (stroke->kind == '=' && !well[i]) {
                put(rig, well, i, rows, floor, -1);
                cover(rig, vessels, x, y, rows, floor);
                floor += vessels->slope;
            }
        }
        before = stroke->kind;
    }
}

bool rill_vessels_build(rill_rig *rig, rill_validation *validation, const rill_vessels *vessels, int8_t *well) {
    if (!rill_rig_begin(rig, validation, vessels->nx, vessels->ny, vessels->dx)) return false;
    for (size_t i = 0; i < rig->cells; ++i) rig->heights[i] = vessels->top;
    memset(well, 0, rig->cells);
    draw(rig, vessels, well);
    rig->def.headroom = 0.02;
    rig->def.liquid.viscosity = vessels->viscosity;
    rig->def.solver.passages = vessels->passages;
    rig->def.solver.orifice = 0;
    return rill_rig_build(rig);
}

bool rill_vessels_fill(rill_rig *rig, const int8_t *well, const double levels[RILL_WELLS], double passage) {
    for (size_t i = 0; i < rig->cells; ++i) {
        double depth = well[i] == 0 ? 0 : (well[i] > 0 ? levels[well[i] - 1] : passage) - rig->base[i];
        rig->depth[i] = depth > 0 ? depth : 0;
    }
    for (size_t i = rig->cells; i < (size_t)rig->layers * rig->cells; ++i) rig->depth[i] = 0; /* on top of the rock */
    return rill_rig_fill(rig);
}

rill_well_level rill_vessels_level(const rill_rig *rig, const int8_t *well, int number) {
    rill_well_level level = { 0, (double)INFINITY, -(double)INFINITY };
    double count = 0;
    for (size_t i = 0; i < rig->cells; ++i) {
        if (well[i] == number) {
            double z = rig->base[i] + rig->depth[i];
            level.mean += z;
            level.low = z < level.low ? z : level.low;
            level.high = z > level.high ? z : level.high;
            ++count;
        }
    }
    level.mean /= count;
    return level;
}
