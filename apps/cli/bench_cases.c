/* The worlds of `rill bench`. All have cells of 1 mm and water.
 *
 * Solids are few and small (a coarse heightmap stretched over the grid, boxes, tori), so that what a world holds is its
 * columns and not its description. Nothing is aligned to the engine's tiles. Random places come from a fixed seed. */
#include "bench_parts.h"

#include <math.h>
#include <stdlib.h>

#define CELL 1e-3 /* m */
#define TWO_PI 6.283185307179586

/* The depth of liquid (m) to start with at a place (in cells) whose floor is at `base` (m). Negative means dry. */
typedef double depth_function(double x, double y, double base, const void *context);

/* ------------------------------------------------------------------------------------------------------------ solids */

static rill_result add(rill_world *world, const rill_solid_def *def) {
    rill_solid_id id;
    return rill_solid_create(world, def, &id);
}

static rill_result add_box(rill_world *world, double x0, double y0, double x1, double y1, double bottom, double top) {
    rill_solid_def def = rill_default_solid_def();
    def.shape = RILL_SHAPE_BOX;
    const double min[3] = {x0 * CELL, y0 * CELL, bottom}, max[3] = {x1 * CELL, y1 * CELL, top};
    for (int axis = 0; axis < 3; axis++) {
        def.min[axis] = min[axis];
        def.max[axis] = max[axis];
    }
    return add(world, &def);
}

static rill_result add_floor(rill_world *world, double bottom, double top) {
    rill_grid grid;
    const rill_result result = rill_world_get_grid(world, &grid);
    return result != RILL_OK ? result : add_box(world, -1, -1, grid.cells[0] + 1.0, grid.cells[1] + 1.0, bottom, top);
}

/* A ring that keeps a pond together. It is sunk in the floor z = 0 by more than half, so that no part of it overhangs. */
static rill_result add_ring(rill_world *world, double x, double y, double radius, double tube) {
    rill_solid_def def = rill_default_solid_def();
    def.shape = RILL_SHAPE_TORUS;
    def.centre[0] = x * CELL;
    def.centre[1] = y * CELL;
    def.centre[2] = -tube * CELL / 3.0;
    def.axis[2] = 1.0;
    def.radius = radius * CELL;
    def.tube = tube * CELL;
    return add(world, &def);
}

/* Bumps of +-1 mm, some 50 cells long, described every 8 cells. */
static rill_result add_bumpy_bed(rill_world *world) {
    rill_grid grid;
    rill_result result = rill_world_get_grid(world, &grid);
    if (result != RILL_OK) {
        return result;
    }
    const int32_t size = grid.cells[0] / 8;
    double *heights = malloc((size_t)size * (size_t)size * sizeof *heights);
    if (heights == NULL) {
        return RILL_OUT_OF_MEMORY;
    }
    for (int32_t y = 0; y < size; y++) {
        for (int32_t x = 0; x < size; x++) {
            heights[(size_t)y * (size_t)size + (size_t)x] =
                5e-4 * (sin(TWO_PI * x * 8 / 53.0) + cos(TWO_PI * (y * 8 + x * 3) / 61.0));
        }
    }
    rill_solid_def def = rill_default_solid_def();
    def.shape = RILL_SHAPE_HEIGHTMAP;
    def.heights = heights;
    def.heights_size[0] = def.heights_size[1] = size;
    result = add(world, &def);
    free(heights);
    return result;
}

/* ------------------------------------------------------------------------------------------------------------ liquid */

static rill_result fill_layer(rill_world *world, int32_t layer, depth_function *depth_at, const void *context) {
    rill_grid grid;
    rill_result result = rill_world_get_grid(world, &grid);
    if (result != RILL_OK) {
        return result;
    }
    const size_t nx = (size_t)grid.cells[0], ny = (size_t)grid.cells[1];
    double *depths = malloc(nx * ny * sizeof *depths);
    if (depths == NULL) {
        return RILL_OUT_OF_MEMORY;
    }
    result = rill_world_read_field(world, RILL_FIELD_BASE, layer, depths, nx * ny);
    for (size_t i = 0; result == RILL_OK && i < nx * ny; i++) {
        if (!isnan(depths[i])) { /* NaN, where there is no column, stays NaN */
            const double depth = depth_at((double)(i % nx) + 0.5, (double)(i / nx) + 0.5, depths[i], context);
            depths[i] = depth > 0.0 ? depth : 0.0;
        }
    }
    if (result == RILL_OK) {
        result = rill_world_fill_depths(world, layer, depths, nx * ny, NULL);
    }
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

/* 4 mm on every floor, far from the ceilings. */
static double storeys(double x, double y, double base, const void *context) {
    (void)base;
    (void)context;
    return 4e-3 + ripple(x, y);
}

/* Liquid inside rings, its surface tilted so that it sloshes. */
typedef struct ponds {
    int count;
    double (*centres)[2]; /* cells */
    double radius;        /* cells */
    double level;         /* m */
    double tilt;          /* m per cell */
} ponds;

static double in_ponds(double x, double y, double base, const void *context) {
    const ponds *all = context;
    for (int i = 0; i < all->count; i++) {
        const double rx = x - all->centres[i][0], ry = y - all->centres[i][1];
        if (rx * rx + ry * ry < all->radius * all->radius) {
            return all->level + all->tilt * (rx + 0.6 * ry) - base;
        }
    }
    return 0.0;
}

/* ------------------------------------------------------------------------------------------------------------- cases */

static rill_result build_bumpy(rill_world *world, depth_function *depth_at) {
    rill_result result = add_bumpy_bed(world);
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
    bool hole[BLOCKS][BLOCKS] = {{false}};
    for (int left = HOLES; left > 0;) {
        const uint32_t place = next_random(seed) % (BLOCKS * BLOCKS);
        bool *block = &hole[place / BLOCKS][place % BLOCKS];
        left -= *block ? 0 : 1;
        *block = true;
    }
    for (int y = 0; y < BLOCKS; y++) {
        for (int x = 0; x < BLOCKS;) {
            int end = x;
            while (end < BLOCKS && !hole[y][end]) {
                end++;
            }
            if (end > x) {
                const rill_result result = add_box(world, x * BLOCK, y * BLOCK, end * BLOCK, (y + 1) * BLOCK,
                                                   top - THICKNESS, top);
                if (result != RILL_OK) {
                    return result;
                }
            }
            x = end + 1;
        }
    }
    return RILL_OK;
}

/* The ground and four platforms above it. The ground has no holes: a hole in it would be no column at all. */
static rill_result build_platforms(rill_world *world, bool holes) {
    uint32_t seed = 2018;
    rill_result result = add_floor(world, -0.01, 0.0);
    for (int k = 1; result == RILL_OK && k < PLATFORMS; k++) {
        result = holes ? add_platform_with_holes(world, k * STOREY, &seed)
                       : add_floor(world, k * STOREY - THICKNESS, k * STOREY);
    }
    result = result != RILL_OK ? result : rill_bed_build(world);
    for (int32_t layer = 0; result == RILL_OK && layer < PLATFORMS; layer++) {
        result = fill_layer(world, layer, storeys, NULL);
    }
    return result;
}

static rill_result build_layers(rill_world *world) {
    return build_platforms(world, false);
}

static rill_result build_layers_holes(rill_world *world) {
    return build_platforms(world, true);
}

/* One pond whose wet disc has a radius of 57.8 cells: 1 % of 1024 x 1024. */
static rill_result build_pond(rill_world *world) {
    double centre[1][2] = {{411.3, 587.9}};
    const ponds pond = {.count = 1, .centres = centre, .radius = 61.1, .level = 3e-3, .tilt = 1e-5};
    rill_result result = add_floor(world, -0.01, 0.0);
    result = result != RILL_OK ? result : add_ring(world, centre[0][0], centre[0][1], pond.radius, 6.0);
    result = result != RILL_OK ? result : rill_bed_build(world);
    return result != RILL_OK ? result : fill_layer(world, 0, in_ponds, &pond);
}

/* A hundred puddles whose wet discs have a radius of 5.8 cells: 1 % in all. */
static rill_result build_puddles(rill_world *world) {
    enum { PUDDLES = 100 };
    double centres[PUDDLES][2];
    const ponds puddles = {.count = PUDDLES, .centres = centres, .radius = 7.44, .level = 1.5e-3, .tilt = 3e-5};
    uint32_t seed = 2018;
    rill_result result = add_floor(world, -0.01, 0.0);
    for (int count = 0; result == RILL_OK && count < PUDDLES;) {
        const double x = 16.0 + (double)(next_random(&seed) % 99200) / 100.0;
        const double y = 16.0 + (double)(next_random(&seed) % 99200) / 100.0;
        bool free_place = true;
        for (int i = 0; i < count; i++) {
            free_place = free_place && hypot(x - centres[i][0], y - centres[i][1]) > 26.0;
        }
        if (free_place) {
            centres[count][0] = x;
            centres[count][1] = y;
            count++;
            result = add_ring(world, x, y, puddles.radius, 3.0);
        }
    }
    result = result != RILL_OK ? result : rill_bed_build(world);
    return result != RILL_OK ? result : fill_layer(world, 0, in_ponds, &puddles);
}

#define FRAME (1.0 / 60.0)
#define TRIAD_4_MB 4e6

static const rill_bench_case cases[] = {
    {.name = "paper_200", .threads = 1, .cells = 200, .frame = FRAME, .build = build_waves, .paper = true,
     .triad_bytes = TRIAD_4_MB},
    {.name = "physical_200", .threads = 1, .cells = 200, .frame = FRAME, .build = build_waves,
     .triad_bytes = TRIAD_4_MB},
    {.name = "physical_1024", .threads = 1, .cells = 1024, .frame = FRAME, .build = build_waves},
    {.name = "physical_1024", .threads = 2, .cells = 1024, .frame = FRAME, .build = build_waves},
    {.name = "physical_4096", .threads = 1, .cells = 4096, .frame = FRAME / 4.0, .build = build_waves},
    {.name = "layers_200x5", .threads = 1, .cells = 200, .frame = FRAME, .build = build_layers},
    {.name = "layers_holes_200x5", .threads = 1, .cells = 200, .frame = FRAME, .build = build_layers_holes,
     .rewind = true},
    {.name = "surgery", .threads = 1},
    {.name = "viscosity_b", .threads = 1},
    {.name = "three_layers", .threads = 1},
    {.name = "pond_1024", .threads = 1, .cells = 1024, .frame = FRAME, .build = build_pond},
    {.name = "puddles_1024", .threads = 1, .cells = 1024, .frame = FRAME, .build = build_puddles},
    {.name = "rest_1024", .threads = 1, .cells = 1024, .frame = FRAME, .build = build_lake, .rest = true},
};

const rill_bench_case *rill_bench_cases(size_t *count) {
    *count = sizeof cases / sizeof cases[0];
    return cases;
}
