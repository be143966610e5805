/* The worlds of `solids_3000` and `stems`: many solids close together, so that voids overlap, most liquid stands under
 * something and pipes between sheets are many. Places come from a fixed seed. */
#include "bench_internal.h"

#include <math.h>
#include <stddef.h>

#define CELL 1e-3 /* m */
#define TWO_PI 6.283185307179586

/* xorshift: the same places on every machine. */
static double between(uint32_t *state, double low, double high) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return low + (high - low) * ((double)*state / 4294967296.0);
}

static rill_result add(rill_world *world, const rill_solid_def *def) {
    rill_solid_id id;
    return rill_solid_create(world, def, &id);
}

/* Goes on until the liquid has found its ways. */
static rill_result run_on(rill_world *world, int frames) {
    rill_result result = RILL_OK;
    for (int i = 0; i < frames && !result; ++i) result = rill_world_step(world, 1.0 / 60.0);
    return result;
}

static rill_result add_ground(rill_world *world) {
    rill_solid_def def = rill_default_solid_def();
    def.shape.type = RILL_SHAPE_PLANE;
    def.shape.axis[2] = 1.0;
    return add(world, &def);
}

/* A box of 3 to 10 cells, of which every other one stands on the ground. */
static rill_result add_some_box(rill_world *world, double wide, uint32_t *seed) {
    rill_solid_def def = rill_default_solid_def();
    def.shape.type = RILL_SHAPE_BOX;
    for (int axis = 0; axis < 2; ++axis) {
        const double half = between(seed, 1.5 * CELL, 5.0 * CELL), at = between(seed, 0.0, wide);
        def.shape.min[axis] = at - half;
        def.shape.max[axis] = at + half;
    }
    const double high = between(seed, 1e-3, 6e-3), hovers = between(seed, -0.02, 0.02);
    def.shape.min[2] = hovers > 0.0 ? hovers : -1e-3;
    def.shape.max[2] = def.shape.min[2] + high;
    return add(world, &def);
}

/* Boxes on 250 x 250 cells after a second of heavy rain. */
rill_result rill_bench_build_solids(rill_world *world) {
    enum { BOXES = 3000, FRAMES = 60 };
    uint32_t seed = 2018;
    rill_grid grid;
    rill_result result = rill_world_get_grid(world, &grid);
    result = result != RILL_OK ? result : add_ground(world);
    for (int i = 0; result == RILL_OK && i < BOXES; ++i) result = add_some_box(world, grid.cells[0] * CELL, &seed);
    result = result != RILL_OK ? result : rill_bed_build(world);
    rill_source_def rain = rill_default_source_def();
    rain.shape = RILL_SOURCE_RAIN;
    rain.rain = 6000.0;
    rill_source_id id;
    result = result != RILL_OK ? result : rill_source_create(world, &rain, &id);
    return result != RILL_OK ? result : run_on(world, FRAMES);
}

/* A leaning stem from the ground of the vase over its rim. */
static rill_result add_stem(rill_world *world, const double centre[2], double foot, double round, uint32_t *seed) {
    rill_solid_def def = rill_default_solid_def();
    def.shape.type = RILL_SHAPE_CYLINDER;
    const double leans = round + between(seed, 2.0, 4.0); /* to the other side, more or less */
    const double from[3] = { centre[0] + foot * cos(round), centre[1] + foot * sin(round), -0.002 };
    const double to[3] = { centre[0] + 0.045 * cos(leans), centre[1] + 0.045 * sin(leans), 0.09 };
    for (int axis = 0; axis < 3; ++axis) {
        def.shape.from[axis] = from[axis];
        def.shape.to[axis] = to[axis];
    }
    def.shape.radius = between(seed, 1e-3, 2e-3);
    return add(world, &def);
}

/* Two dozen stems in a vase of 80 mm across, which is a wall of posts around the ground; a tap runs into it. */
rill_result rill_bench_build_stems(rill_world *world) {
    enum { STEMS = 24, POSTS = 180, FRAMES = 90 };
    uint32_t seed = 2018;
    rill_grid grid;
    rill_result result = rill_world_get_grid(world, &grid);
    const double centre[2] = { 0.5 * CELL * grid.cells[0], 0.5 * CELL * grid.cells[1] };
    result = result != RILL_OK ? result : add_ground(world);
    for (int i = 0; result == RILL_OK && i < POSTS; ++i) {
        rill_solid_def post = rill_default_solid_def();
        post.shape.type = RILL_SHAPE_CYLINDER;
        post.shape.from[0] = post.shape.to[0] = centre[0] + 0.042 * cos(TWO_PI * i / POSTS);
        post.shape.from[1] = post.shape.to[1] = centre[1] + 0.042 * sin(TWO_PI * i / POSTS);
        post.shape.from[2] = -0.002;
        post.shape.to[2] = 0.08;
        post.shape.radius = 0.002;
        result = add(world, &post);
    }
    for (int i = 0; result == RILL_OK && i < STEMS; ++i)
        result = add_stem(world, centre, between(&seed, 0.01, 0.035), TWO_PI * i / STEMS, &seed);
    result = result != RILL_OK ? result : rill_bed_build(world);
    rill_source_def tap = rill_default_source_def();
    tap.at[0] = centre[0] + 0.004;
    tap.at[1] = centre[1];
    tap.at[2] = 0.1;
    tap.radius = 0.004;
    tap.rate = 1e-4;
    rill_source_id id;
    result = result != RILL_OK ? result : rill_source_create(world, &tap, &id);
    return result != RILL_OK ? result : run_on(world, FRAMES);
}
