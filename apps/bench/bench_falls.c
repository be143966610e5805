/* The worlds of `fall_steady` and `falls_100k`: liquid that runs off edges and flies.
 *
 * Nothing of it is drained: what has fallen stands on the floor, where a second of it is a few millimetres. */
#include "bench_internal.h"

#define PLANK_CELL 1e-3  /* m */
#define PLANK_HIGH 0.05  /* m: 0.1 s to fall */
#define PLANK_RATE 6e-7  /* m3/s, over six cells */
#define RIDGE_HIGH 0.852 /* m: a hundred windows to fall */
#define RIDGE_RATE 4e-6  /* m3/s over each brink: twice the least that makes a parcel in each window */

static rill_result add_box(rill_world *world, double cell, const double min[3], const double max[3]) {
    rill_solid_def def = rill_default_solid_def();
    rill_solid_id id;
    def.shape.type = RILL_SHAPE_BOX;
    for (int axis = 0; axis < 3; ++axis) {
        def.shape.min[axis] = min[axis] * (axis < 2 ? cell : 1.0);
        def.shape.max[axis] = max[axis] * (axis < 2 ? cell : 1.0);
    }
    return rill_solid_create(world, &def, &id);
}

/* Pours evenly on a part of what stands at a height; lengths along the bed in cells. */
static rill_result add_box_source(rill_world *world, double cell, const double low[2], const double high[2], double top,
                                  double rate) {
    rill_source_def def = rill_default_source_def();
    rill_source_id id;
    def.shape = RILL_SOURCE_BOX;
    def.rate = rate;
    for (int axis = 0; axis < 2; ++axis) def.min[axis] = low[axis] * cell, def.max[axis] = high[axis] * cell;
    def.min[2] = top - 1e-4;
    def.max[2] = top + 1e-4;
    return rill_source_create(world, &def, &id);
}

static rill_result run_on(rill_world *world, int frames, double frame) {
    rill_result result = RILL_OK;
    for (int i = 0; i < frames && !result; ++i) result = rill_world_step(world, frame);
    return result;
}

rill_result rill_bench_build_fall(rill_world *world) {
    enum { FRAMES = 120 };
    const double cell = PLANK_CELL;
    rill_result result = add_box(world, cell, (double[]){ -1, -1, -1e-3 }, (double[]){ 101, 101, 0.0 });
    if (!result) result = add_box(world, cell, (double[]){ -1, 47, -1e-3 }, (double[]){ 40, 53, PLANK_HIGH });
    for (int side = 0; side < 2 && !result; ++side) {
        const double y = side ? 53.0 : 46.0;
        result =
            add_box(world, cell, (double[]){ -1, y, -1e-3 }, (double[]){ 40, y + 1.0, PLANK_HIGH + 10.0 * PLANK_CELL });
    }
    if (!result) result = rill_bed_build(world);
    if (!result) result = add_box_source(world, cell, (double[]){ 0, 47 }, (double[]){ 1, 53 }, PLANK_HIGH, PLANK_RATE);
    return result ? result : run_on(world, FRAMES, 1.0 / 60.0);
}

rill_result rill_bench_build_many_falls(rill_world *world) {
    enum { RIDGES = 5, APART = 20, WIDE = 6, FRAMES = 240 };
    const double cell = RILL_BENCH_FALLS_CELL;
    rill_grid grid;
    rill_result result = rill_world_get_grid(world, &grid);
    if (!result) result = add_box(world, cell, (double[]){ -1, -1, -1e-2 }, (double[]){ 101, 101, 0.0 });
    for (int i = 0; i < RIDGES && !result; ++i) {
        const double x = APART * i + 0.5 * (APART - WIDE);
        result = add_box(world, cell, (double[]){ x, -1, -1e-2 }, (double[]){ x + WIDE, 101, RIDGE_HIGH });
    }
    if (!result) result = rill_bed_build(world);
    for (int i = 0; i < RIDGES && !result; ++i) {
        const double x = APART * i + 0.5 * (APART - WIDE), rate = 2.0 * grid.cells[1] * RIDGE_RATE;
        result =
            add_box_source(world, cell, (double[]){ x, 0 }, (double[]){ x + WIDE, grid.cells[1] }, RIDGE_HIGH, rate);
    }
    return result ? result : run_on(world, FRAMES, RILL_BENCH_FALLS_WINDOW);
}
