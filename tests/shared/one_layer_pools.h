/* Shared by tests of methods that know one layer under open sky: pools on a ground of SIDE by SIDE cells, which whoever
 * includes this has defined, and whether a pool has the symmetries of a square. */
#ifndef RILL_TESTS_ONE_LAYER_POOLS_H
#define RILL_TESTS_ONE_LAYER_POOLS_H

#include "worlds.h"

enum { CELLS = SIDE * SIDE };

/* Of a cell, m. */
typedef double shape_function(int32_t x, int32_t y);

static inline void fill(rill_world *world, shape_function *depth) {
    double depths[CELLS];
    for (int32_t i = 0; i < CELLS; ++i) depths[i] = depth(i % SIDE, i / SIDE);
    must(world, rill_world_fill_depths(world, 0, depths, CELLS, NULL));
}

static inline rill_world *make_pool(const rill_world_def *def, shape_function *bed, shape_function *depth) {
    rill_world *world = NULL;
    rill_message message = { "" };
    if (rill_world_create(def, &world, &message) != RILL_OK) fail_msg("%s", message.text);
    double heights[CELLS];
    for (int32_t i = 0; i < CELLS; ++i) heights[i] = bed(i % SIDE, i / SIDE);
    rill_solid_def ground = rill_default_solid_def();
    ground.shape.type = RILL_SHAPE_HEIGHTMAP;
    ground.shape.heights = heights;
    ground.shape.heights_size[0] = ground.shape.heights_size[1] = SIDE;
    must(world, rill_solid_create(world, &ground, NULL));
    must(world, rill_bed_build(world));
    fill(world, depth);
    return world;
}

static inline void read(const rill_world *world, rill_field field, double *out) {
    const size_t count = field == RILL_FIELD_FACES ? 2 * CELLS : CELLS;
    assert_int_equal(rill_world_read_field(world, field, 0, out, count), RILL_OK);
}

/* 0 to 1. */
static inline double noise(int32_t x, int32_t y, uint32_t salt) {
    uint32_t n = (uint32_t)(y * SIDE + x + 1) * 2654435769u + salt * 40503u;
    n = (n ^ n >> 15) * 2246822519u;
    return (double)((n ^ n >> 13) >> 8) / 16777216.0;
}

static inline double nothing(int32_t x, int32_t y) {
    (void)x, (void)y;
    return 0.0;
}

/* ------------------------------------------------------------------------------------------------------- symmetry */

/* One of the eight images of a square, and what is turned by it. */
static int symmetry;
static shape_function *upright_bed, *upright_depth;

static inline void turn(int32_t *x, int32_t *y) {
    if (symmetry & 1) *x = SIDE - 1 - *x;
    if (symmetry & 2) *y = SIDE - 1 - *y;
    if (symmetry & 4) {
        const int32_t keep = *x;
        *x = *y;
        *y = keep;
    }
}
static inline double turned_bed(int32_t x, int32_t y) {
    turn(&x, &y);
    return upright_bed(x, y);
}
static inline double turned_depth(int32_t x, int32_t y) {
    turn(&x, &y);
    return upright_depth(x, y);
}

/* All images of a pool come to images of the same depths, to the quantum. */
static inline void judge_symmetry(const rill_world_def *def, shape_function *bed, shape_function *depth, double dt) {
    double first[CELLS], depths[CELLS];
    upright_bed = bed, upright_depth = depth;
    for (symmetry = 0; symmetry < 8; ++symmetry) {
        rill_world *world = make_pool(def, turned_bed, turned_depth);
        for (int step = 0; step < 30; ++step) must(world, rill_world_step(world, dt));
        read(world, RILL_FIELD_DEPTH, symmetry ? depths : first);
        for (int32_t i = 0; symmetry && i < CELLS; ++i) {
            int32_t x = i % SIDE, y = i / SIDE;
            turn(&x, &y);
            assert_true(depths[i] == first[y * SIDE + x]);
        }
        rill_world_destroy(world);
    }
}

#endif
