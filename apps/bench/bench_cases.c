/* The worlds of `rill bench`. All have cells of 1 mm and water.
 *
 * Solids are few and small (a coarse heightmap stretched over the grid, boxes), so that what a world holds is its
 * columns and not its description. Nothing is aligned to the engine's tiles. Random places come from a fixed seed. */
#include "bench_internal.h"

#include <math.h>
#include <stdlib.h>

#define CELL 1e-3 /* m */
#define TWO_PI 6.283185307179586

/* Returns the depth of liquid (m) to start with at a place (in cells) whose floor is at `base` (m). Negative means
 * dry. */
typedef double depth_function(double x, double y, double base, const void *context);

/* ---------------------------------------------------------------------------------------------------------- solids */

static rill_result add(rill_world *world, const rill_solid_def *def) {
    rill_solid_id id;
    return rill_solid_create(world, def, &id);
}

static rill_result add_box(rill_world *world, double x0, double y0, double x1, double y1, double bottom, double top) {
    rill_solid_def def = rill_default_solid_def();
    def.shape.type = RILL_SHAPE_BOX;
    const double min[3] = { x0 * CELL, y0 * CELL, bottom }, max[3] = { x1 * CELL, y1 * CELL, top };
    for (int axis = 0; axis < 3; ++axis) {
        def.shape.min[axis] = min[axis];
        def.shape.max[axis] = max[axis];
    }
    return add(world, &def);
}

static rill_result add_floor(rill_world *world, double bottom, double top) {
    rill_grid grid;
    const rill_result result = rill_world_get_grid(world, &grid);
    return result != RILL_OK ? result : add_box(world, -1, -1, grid.cells[0] + 1.0, grid.cells[1] + 1.0, bottom, top);
}

/* Returns the height (m) of the bed at a place (in cells). */
typedef double height_function(double x, double y, const void *context);

/* A bed described every `coarse` cells. */
static rill_result add_bed(rill_world *world, int32_t coarse, height_function *height_at, const void *context) {
    rill_grid grid;
    rill_result result = rill_world_get_grid(world, &grid);
    if (result != RILL_OK) return result;
    const size_t size = (size_t)(grid.cells[0] / coarse);
    double *heights = malloc(size * size * sizeof *heights);
    if (heights == NULL) return RILL_OUT_OF_MEMORY;
    for (size_t i = 0; i < size * size; ++i)
        heights[i] = height_at(((double)(i % size) + 0.5) * coarse, ((double)(i / size) + 0.5) * coarse, context);
    rill_solid_def def = rill_default_solid_def();
    def.shape.type = RILL_SHAPE_HEIGHTMAP;
    def.shape.heights = heights;
    def.shape.heights_size[0] = def.shape.heights_size[1] = (int32_t)size;
    result = add(world, &def);
    free(heights);
    return result;
}

/* Bumps of +-1 mm, some 50 cells long. */
static double bumps(double x, double y, const void *context) {
    (void)context;
    return 5e-4 * (sin(TWO_PI * x / 53.0) + cos(TWO_PI * (y + 0.4 * x) / 61.0));
}

/* Round bowls in flat ground, and liquid in them whose surface is tilted so that it sloshes. */
typedef struct bowls {
    int count;
    double (*centres)[2]; /* cells */
    double radius;        /* of the rim, cells */
    double deep;          /* m, in the middle */
    double wet;           /* radius of the liquid, cells */
    double tilt;          /* m per cell */
} bowls;

/* The bowl around a place and the squared distance (cells2) from its centre; -1 when there is none. */
static int find_bowl(const bowls *all, double x, double y, double *squared) {
    for (int i = 0; i < all->count; ++i) {
        const double rx = x - all->centres[i][0], ry = y - all->centres[i][1];
        *squared = rx * rx + ry * ry;
        if (*squared < all->radius * all->radius) return i;
    }
    return -1;
}

static double bowl_bed(double x, double y, const void *context) {
    const bowls *all = context;
    double squared;
    return find_bowl(all, x, y, &squared) < 0 ? 0.0 : all->deep * (squared / (all->radius * all->radius) - 1.0);
}

/* ---------------------------------------------------------------------------------------------------------- liquid */

static rill_result fill_layer(rill_world *world, int32_t layer, depth_function *depth_at, const void *context) {
    rill_grid grid;
    rill_result result = rill_world_get_grid(world, &grid);
    if (result != RILL_OK) return result;
    const size_t nx = (size_t)grid.cells[0], ny = (size_t)grid.cells[1];
    double *depths = malloc(nx * ny * sizeof *depths);
    if (depths == NULL) return RILL_OUT_OF_MEMORY;
    result = rill_world_read_field(world, RILL_FIELD_BASE, layer, depths, nx * ny);
    for (size_t i = 0; result == RILL_OK && i < nx * ny; ++i) {
        if (!isnan(depths[i])) { /* NaN, where there is no column, stays NaN */
            const double depth = depth_at((double)(i % nx) + 0.5, (double)(i / nx) + 0.5, depths[i], context);
            depths[i] = depth > 0.0 ? depth : 0.0;
        }
    }
    if (result == RILL_OK) result = rill_world_fill_depths(world, layer, depths, nx * ny, NULL);
    free(depths);
    return result;
}

/* Gentle standing waves, +-0.2 mm. */
static double ripple(double x, double y) {
    return 1e-4 * (cos(TWO_PI * x / 40.0) + cos(TWO_PI * y / 34.0));
}

/* 5 mm over the mean bed and never dry: no limiter has to act. */
static double waves(double x, double y, double base, const void *context) {
    (void)context;
    return 5e-3 + ripple(x, y) - base;
}

static double lake(double x, double y, double base, const void *context) {
    (void)x;
    (void)y;
    (void)context;
    return 5e-3 - base;
}

/* Pours ripples on every floor, far from the ceilings. */
static double storeys(double x, double y, double base, const void *context) {
    const double *depth = context;
    (void)base;
    return *depth + ripple(x, y);
}

static double in_bowls(double x, double y, double base, const void *context) {
    const bowls *all = context;
    double squared;
    const int i = find_bowl(all, x, y, &squared);
    const double level = all->deep * (all->wet * all->wet / (all->radius * all->radius) - 1.0);
    return i < 0 ? 0.0 : level + all->tilt * (x - all->centres[i][0] + 0.6 * (y - all->centres[i][1])) - base;
}

/* ----------------------------------------------------------------------------------------------------------- cases */

static rill_result build_bumpy(rill_world *world, depth_function *depth_at) {
    rill_result result = add_bed(world, 8, bumps, NULL);
    result = result != RILL_OK ? result : rill_bed_build(world);
    return result != RILL_OK ? result : fill_layer(world, 0, depth_at, NULL);
}

static rill_result build_waves(rill_world *world) {
    return build_bumpy(world, waves);
}

static rill_result build_lake(rill_world *world) {
    return build_bumpy(world, lake);
}

enum { PLATFORMS = 5, BLOCKS = 20, BLOCK = 10, HOLES = BLOCKS * BLOCKS / 20 };
#define STOREY 0.012    /* m from floor to floor */
#define THICKNESS 0.002 /* m */

/* xorshift: the same places on every machine. */
static uint32_t next_random(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* A floor of 20 x 20 blocks of 10 x 10 cells, of which one in twenty is left out. */
static rill_result add_platform_with_holes(rill_world *world, double top, uint32_t *seed) {
    bool hole[BLOCKS][BLOCKS] = { { false } };
    for (int left = HOLES; left > 0;) {
        const uint32_t place = next_random(seed) % (BLOCKS * BLOCKS);
        bool *block = &hole[place / BLOCKS][place % BLOCKS];
        left -= *block ? 0 : 1;
        *block = true;
    }
    for (int y = 0; y < BLOCKS; ++y) {
        for (int x = 0; x < BLOCKS;) {
            int end = x;
            while (end < BLOCKS && !hole[y][end]) ++end;
            if (end > x) {
                const rill_result result =
                    add_box(world, x * BLOCK, y * BLOCK, end * BLOCK, (y + 1) * BLOCK, top - THICKNESS, top);
                if (result != RILL_OK) return result;
            }
            x = end + 1;
        }
    }
    return RILL_OK;
}

rill_result rill_bench_add_platforms(rill_world *world, bool holes) {
    uint32_t seed = 2018;
    rill_result result = add_floor(world, -0.01, 0.0);
    for (int k = 1; result == RILL_OK && k < PLATFORMS; ++k) {
        result = holes ? add_platform_with_holes(world, k * STOREY, &seed)
                       : add_floor(world, k * STOREY - THICKNESS, k * STOREY);
    }
    return result;
}

rill_result rill_bench_fill_platforms(rill_world *world, double depth) {
    rill_bed_info info = { .layers = 0 };
    rill_result result = rill_bed_get_info(world, &info);
    for (int32_t layer = 0; result == RILL_OK && layer < info.layers; ++layer)
        result = fill_layer(world, layer, storeys, &depth);
    return result;
}

rill_result rill_bench_fill_waves(rill_world *world, double depth) {
    return fill_layer(world, 0, storeys, &depth);
}

static rill_result build_platforms(rill_world *world, bool holes) {
    rill_result result = rill_bench_add_platforms(world, holes);
    result = result != RILL_OK ? result : rill_bed_build(world);
    return result != RILL_OK ? result : rill_bench_fill_platforms(world, 4e-3);
}

static rill_result build_layers(rill_world *world) {
    return build_platforms(world, false);
}

static rill_result build_layers_holes(rill_world *world) {
    return build_platforms(world, true);
}

static rill_result build_bowls(rill_world *world, const bowls *all) {
    rill_result result = add_bed(world, 2, bowl_bed, all);
    result = result != RILL_OK ? result : rill_bed_build(world);
    return result != RILL_OK ? result : fill_layer(world, 0, in_bowls, all);
}

/* One pond with a radius of 57.8 cells: 1 % of 1024 x 1024. */
static rill_result build_pond(rill_world *world) {
    double centre[1][2] = { { 411.3, 587.9 } };
    return build_bowls(
        world, &(bowls){ .count = 1, .centres = centre, .radius = 80.0, .deep = 6e-3, .wet = 57.8, .tilt = 5e-6 });
}

/* A hundred puddles with a radius of 5.78 cells: 1 % in all. */
static rill_result build_puddles(rill_world *world) {
    enum { PUDDLES = 100 };
    double centres[PUDDLES][2];
    uint32_t seed = 2018;
    for (int count = 0; count < PUDDLES;) {
        const double x = 10.0 + (double)(next_random(&seed) % 100400) / 100.0;
        const double y = 10.0 + (double)(next_random(&seed) % 100400) / 100.0;
        bool apart = true;
        for (int i = 0; i < count; ++i) apart = apart && hypot(x - centres[i][0], y - centres[i][1]) > 20.0;
        if (apart) {
            centres[count][0] = x;
            centres[count][1] = y;
            ++count;
        }
    }
    return build_bowls(
        world,
        &(bowls){ .count = PUDDLES, .centres = centres, .radius = 8.0, .deep = 3e-3, .wet = 5.78, .tilt = 2e-5 });
}

/* A ground floor of two basins, 9 and 6 mm deep, behind a wall from x0 to x1 (cells) that is open to 4 mm above the
 * ground but for blocks in it; and two floors above, with waves on them. */
typedef struct wall {
    double x0, x1;
    int block_count;
    const double (*blocks)[4]; /* x0, y0, x1, y1 in cells: solid down to the ground */
} wall;

static double two_basins(double x, double y, double base, const void *context) {
    const wall *w = context;
    (void)base;
    return (x < 0.5 * (w->x0 + w->x1) ? 9e-3 : 6e-3) + ripple(x, y); /* cut to full under the wall */
}

static rill_result build_wall(rill_world *world, const wall *w) {
    rill_grid grid;
    rill_result result = rill_world_get_grid(world, &grid);
    const double wide = grid.cells[0], film = 4e-3;
    enum { FLOORS = 3 };
    for (int k = 0; result == RILL_OK && k < FLOORS; ++k) result = add_floor(world, k * STOREY - THICKNESS, k * STOREY);
    result = result != RILL_OK ? result : add_box(world, w->x0, 0, w->x1, wide, 4e-3, STOREY - THICKNESS);
    for (int i = 0; result == RILL_OK && i < w->block_count; ++i) {
        const double *b = w->blocks[i];
        result = add_box(world, b[0], b[1], b[2], b[3], -THICKNESS, STOREY - THICKNESS);
    }
    result = result != RILL_OK ? result : rill_bed_build(world);
    for (int32_t layer = 0; result == RILL_OK && layer < FLOORS; ++layer)
        result = layer == 0 ? fill_layer(world, layer, two_basins, w) : fill_layer(world, layer, storeys, &film);
    return result;
}

/* Four passages of 6 x 8 cells: 192 flooded columns. */
static rill_result build_passages(rill_world *world) {
    static const double blocks[][4] = {
        { 46, 0, 54, 14 }, { 46, 20, 54, 36 }, { 46, 42, 54, 57 }, { 46, 63, 54, 79 }, { 46, 85, 54, 100 }
    };
    return build_wall(world, &(wall){ 46, 54, sizeof blocks / sizeof *blocks, blocks });
}

/* 60 x 200 cells between a few pillars: one column in ten. */
static rill_result build_flooded(rill_world *world) {
    static const double blocks[][4] = {
        { 83, 31, 91, 37 }, { 117, 58, 123, 66 }, { 95, 97, 101, 103 }, { 80, 141, 88, 146 }, { 119, 163, 127, 171 }
    };
    return build_wall(world, &(wall){ 73, 134, sizeof blocks / sizeof *blocks, blocks });
}

/* Kandemir's tank: flat floor, waves. */
static rill_result build_tank(rill_world *world) {
    const double depth = 0.01;
    rill_result result = add_floor(world, -1e-3, 0.0);
    result = result != RILL_OK ? result : rill_bed_build(world);
    return result != RILL_OK ? result : fill_layer(world, 0, storeys, &depth);
}

#define FRAME (1.0 / 60.0)
#define TANK_FRAME 0.004 /* s: as long as a step of the method may be */
#define TRIAD_4_MB 4e6

enum { DROPS = 10 };    /* along each side */
#define DROP_RADIUS 6.0 /* cells */
#define DROP_HEIGHT 1.2e-3

/* The places of the drops, cells. */
typedef struct drops {
    double centres[DROPS * DROPS][2];
} drops;

static double drop_depth(double x, double y, double base, const void *context) {
    const drops *all = context;
    double depth = 0.0;
    (void)base;
    for (int i = 0; i < DROPS * DROPS; ++i) {
        const double dx = x - all->centres[i][0], dy = y - all->centres[i][1];
        depth = fmax(depth, DROP_HEIGHT * (1.0 - (dx * dx + dy * dy) / (DROP_RADIUS * DROP_RADIUS)));
    }
    return depth;
}

/* A hundred drops on a pane that leans by 20 degrees: they run, merge and stick. */
static rill_result build_drops(rill_world *world) {
    drops all;
    uint32_t seed = 2007;
    rill_grid grid;
    rill_result result = rill_world_get_grid(world, &grid);
    const double apart = (double)grid.cells[0] / DROPS, room = apart - 2.0 * DROP_RADIUS;
    for (int i = 0; i < DROPS * DROPS; ++i) {
        const int place[2] = { i % DROPS, i / DROPS };
        for (int axis = 0; axis < 2; ++axis)
            all.centres[i][axis] =
                place[axis] * apart + DROP_RADIUS + room * ((double)(next_random(&seed) % 1000) / 1000.0);
    }
    if (result == RILL_OK) result = rill_world_set_gravity(world, (double[]){ 3.355, 0.0, -9.218 });
    if (result == RILL_OK) result = add_floor(world, -1.0 * CELL, 0.0);
    if (result == RILL_OK) result = rill_bed_build(world);
    return result == RILL_OK ? fill_layer(world, 0, drop_depth, &all) : result;
}

static const rill_bench_case cases[] = {
    { .name = "paper_200",
      .threads = 1,
      .cells = 200,
      .frame = FRAME,
      .build = build_waves,
      .paper = true,
      .triad_bytes = TRIAD_4_MB },
    { .name = "physical_200",
      .threads = 1,
      .cells = 200,
      .frame = FRAME,
      .build = build_waves,
      .triad_bytes = TRIAD_4_MB },
    { .name = "physical_1024", .threads = 1, .cells = 1024, .frame = FRAME / 8.0, .build = build_waves },
    { .name = "physical_1024", .threads = 2, .cells = 1024, .frame = FRAME / 8.0, .build = build_waves },
    { .name = "physical_4096", .threads = 1, .cells = 4096, .frame = FRAME / 8.0, .build = build_waves },
    { .name = "layers_200x5", .threads = 1, .cells = 200, .frame = FRAME, .build = build_layers },
    { .name = "layers_holes_200x5",
      .threads = 1,
      .cells = 200,
      .frame = FRAME,
      .build = build_layers_holes,
      .rewind = true },
    { .name = "passages_100x3_off",
      .threads = 1,
      .cells = 100,
      .frame = FRAME,
      .build = build_passages,
      .blocked = true,
      .rewind = true },
    { .name = "passages_100x3", .threads = 1, .cells = 100, .frame = FRAME, .build = build_passages, .rewind = true },
    { .name = "flooded_200x3_off",
      .threads = 1,
      .cells = 200,
      .frame = FRAME,
      .build = build_flooded,
      .blocked = true,
      .rewind = true },
    { .name = "flooded_200x3", .threads = 1, .cells = 200, .frame = FRAME, .build = build_flooded, .rewind = true },
    { .name = "kandemir_100",
      .threads = 1,
      .cells = 100,
      .frame = TANK_FRAME,
      .build = build_tank,
      .method = RILL_METHOD_KANDEMIR },
    { .name = "moving_mesh",
      .threads = 1,
      .cells = 200,
      .frame = 0.002,
      .build = rill_bench_build_mesh,
      .move = rill_bench_move_mesh,
      .rewind = true },
    { .name = "boats_400",
      .threads = 1,
      .cells = 400,
      .cell_size = RILL_BENCH_POND_CELL,
      .frame = FRAME,
      .build = rill_bench_build_boats,
      .rewind = true },
    { .name = "spheres_400",
      .threads = 1,
      .cells = 400,
      .cell_size = RILL_BENCH_POND_CELL,
      .frame = FRAME,
      .build = rill_bench_build_spheres,
      .rewind = true },
    { .name = "hundred_200",
      .threads = 1,
      .cells = 200,
      .cell_size = RILL_BENCH_POND_CELL,
      .frame = FRAME,
      .build = rill_bench_build_hundred,
      .rewind = true },
    { .name = "solids_3000",
      .threads = 1,
      .cells = 250,
      .frame = FRAME,
      .build = rill_bench_build_solids,
      .rewind = true },
    { .name = "solids_3000_off",
      .threads = 1,
      .cells = 250,
      .frame = FRAME,
      .build = rill_bench_build_solids,
      .blocked = true,
      .rewind = true },
    { .name = "stems_off",
      .threads = 1,
      .cells = 100,
      .frame = FRAME,
      .build = rill_bench_build_stems,
      .blocked = true,
      .rewind = true },
    { .name = "stems", .threads = 1, .cells = 100, .frame = FRAME, .build = rill_bench_build_stems, .rewind = true },
    { .name = "surgery", .threads = 1, .scene = "surgery", .blocked = true },
    { .name = "surgery_passages", .threads = 1, .scene = "surgery" },
    { .name = "surgery_passages", .threads = 2, .scene = "surgery" },
    { .name = "tension_200",
      .threads = 1,
      .cells = 200,
      .frame = FRAME,
      .build = build_waves,
      .tension = true,
      .triad_bytes = TRIAD_4_MB },
    { .name = "drops_400",
      .threads = 1,
      .cells = 400,
      .cell_size = 5e-4,
      .frame = FRAME,
      .build = build_drops,
      .tension = true,
      .rewind = true },
    { .name = "pool_400",
      .threads = 1,
      .cells = 400,
      .cell_size = 5e-4,
      .frame = FRAME,
      .build = build_waves,
      .tension = true },
    { .name = "surgery_tension", .threads = 1, .scene = "surgery", .tension = true },
    { .name = "ball_160k",
      .threads = 1,
      .frame = 0.001,
      .build = rill_bench_build_ball,
      .tension = true,
      .rewind = true },
    { .name = "ball_160k_heavy", .threads = 1, .frame = 0.001, .build = rill_bench_build_ball, .rewind = true },
    { .name = "cap_160k",
      .threads = 1,
      .frame = 0.001,
      .build = rill_bench_build_cap,
      .tension = true,
      .rewind = true },
    { .name = "fall_steady",
      .threads = 1,
      .cells = 100,
      .frame = FRAME,
      .build = rill_bench_build_fall,
      .falls = true,
      .rewind = true },
    { .name = "falls_100k",
      .threads = 1,
      .cells = 100,
      .cell_size = RILL_BENCH_FALLS_CELL,
      .frame = RILL_BENCH_FALLS_WINDOW,
      .build = rill_bench_build_many_falls,
      .falls = true,
      .rewind = true },
    { .name = "viscosity_b", .threads = 1, .scene = "viscosity_b" },
    { .name = "three_layers", .threads = 1, .scene = "three_layers" },
    { .name = "pond_1024", .threads = 1, .cells = 1024, .frame = FRAME, .build = build_pond, .rewind = true },
    { .name = "puddles_1024", .threads = 1, .cells = 1024, .frame = FRAME, .build = build_puddles, .rewind = true },
    { .name = "rest_1024", .threads = 1, .cells = 1024, .frame = FRAME, .build = build_lake, .rest = true },
    { .name = "surface_200",
      .threads = 1,
      .cells = 200,
      .frame = FRAME,
      .build = build_waves,
      .surface = true,
      .triad_bytes = TRIAD_4_MB },
    { .name = "surface_surgery", .threads = 1, .scene = "surgery", .surface = true },
    { .name = "surface_1024", .threads = 1, .cells = 1024, .frame = FRAME, .build = build_waves, .surface = true },
};

const rill_bench_case *rill_bench_cases(size_t *count) {
    *count = sizeof cases / sizeof cases[0];
    return cases;
}
