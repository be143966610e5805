/* Worlds for tests of surface tension: plates with drops on them, and a workshop in which everything happens at once. */
#ifndef RILL_TESTS_DROPS_H
#define RILL_TESTS_DROPS_H

#include "snapshots.h"

#include <math.h>

/* ---------------------------------------------------------------------------------------------------------- plates */

static inline rill_world_def plate_def(int32_t nx, int32_t ny, double cell_size, double advancing, double receding) {
    rill_world_def def = rill_default_world_def();
    def.grid = (rill_grid){ .cells = { nx, ny }, .cell_size = cell_size };
    def.headroom = 0.02;
    def.solver.tension = RILL_TENSION_ON;
    def.liquid.contact_angle = (rill_contact_angle){ advancing, receding };
    return def;
}

static inline void tilt(rill_world_def *def, double degrees) {
    const double angle = degrees * acos(-1.0) / 180.0;
    def->gravity[0] = 9.81 * sin(angle);
    def->gravity[2] = -9.81 * cos(angle);
}

/* A plane at z = 0. */
static inline rill_world *make_plate(const rill_world_def *def) {
    rill_world *world = NULL;
    rill_message message = { "" };
    rill_solid_def floor = rill_default_solid_def();
    rill_solid_id id;
    floor.shape.type = RILL_SHAPE_PLANE;
    floor.shape.axis[2] = 1.0;
    if (rill_world_create(def, &world, &message)) fail_msg("%s", message.text);
    must(world, rill_solid_create(world, &floor, &id));
    must(world, rill_bed_build(world));
    assert_true(rill_world_has_tension(world, NULL));
    return world;
}

/* A paraboloid of some volume (m3) and radius about a place in metres; it flattens or gathers from there. */
typedef struct drop {
    double x, y, radius, volume;
} drop;

static inline size_t cells_of(const rill_world *world) {
    rill_bed_info info;
    assert_int_equal(rill_bed_get_info(world, &info), RILL_OK);
    return (size_t)info.cells[0] * (size_t)info.cells[1];
}

/* Puts drops on a layer, which loses what it held, and returns the depths; to be freed. */
static inline double *put_drops(rill_world *world, const rill_grid *grid, int32_t layer, const drop *drops,
                                size_t count) {
    const double dx = grid->cell_size;
    double *depths = calloc(cells_of(world), sizeof *depths), *one = calloc(cells_of(world), sizeof *one);
    assert_true(depths && one);
    for (size_t k = 0; k < count; ++k) {
        double sum = 0.0;
        for (int32_t i = 0; i < grid->cells[0] * grid->cells[1]; ++i) {
            const double px = (i % grid->cells[0] + 0.5) * dx - drops[k].x,
                         py = (i / grid->cells[0] + 0.5) * dx - drops[k].y;
            one[i] = fmax(0.0, 1.0 - (px * px + py * py) / (drops[k].radius * drops[k].radius));
            sum += one[i] * dx * dx;
        }
        assert_true(sum > 0.0);
        for (int32_t i = 0; i < grid->cells[0] * grid->cells[1]; ++i) depths[i] += one[i] * drops[k].volume / sum;
    }
    must(world, rill_world_fill_depths(world, layer, depths, cells_of(world), NULL));
    free(one);
    return depths;
}

static inline void add_drops(rill_world *world, const rill_grid *grid, int32_t layer, const drop *drops, size_t count) {
    free(put_drops(world, grid, layer, drops, count));
}

static inline rill_step_info info_of(const rill_world *world) {
    rill_step_info info;
    assert_int_equal(rill_world_get_step_info(world, &info), RILL_OK);
    return info;
}

/* -------------------------------------------------------------------------------------------------------- workshop */

/* 80 x 56 cells of 0.5 mm with an open and a still edge, tilted: rough ground with a step and a wall, a shelf high enough
 * for drops beneath it, a lid that is too low and floods, a ram that goes to and fro, a ball afloat, a tap and a drain. */
enum { WORKSHOP_X = 80, WORKSHOP_Y = 56 };

static inline void add_block(rill_world *world, const char *name, double x0, double y0, double z0, double x1, double y1,
                             double z1) {
    const rill_solid_def def = box_def(name, x0 * 1e-3, y0 * 1e-3, z0 * 1e-3, x1 * 1e-3, y1 * 1e-3, z1 * 1e-3);
    rill_solid_id id;
    must(world, rill_solid_create(world, &def, &id));
}

static inline void add_workshop_solids(rill_world *world) {
    double *heights = calloc((size_t)WORKSHOP_X * WORKSHOP_Y, sizeof *heights);
    assert_non_null(heights);
    for (int32_t i = 0; i < WORKSHOP_X * WORKSHOP_Y; ++i)
        heights[i] = 1e-4 * (sin(0.31 * (i % WORKSHOP_X)) + cos(0.23 * (i / WORKSHOP_X))) + 1e-5 * (i * 7 % 13);
    rill_solid_def ground = rill_default_solid_def();
    rill_solid_id id;
    ground.name = "ground";
    ground.shape.type = RILL_SHAPE_HEIGHTMAP;
    ground.shape.heights = heights;
    ground.shape.heights_size[0] = WORKSHOP_X;
    ground.shape.heights_size[1] = WORKSHOP_Y;
    must(world, rill_solid_create(world, &ground, &id));
    free(heights);
    add_block(world, "step", 2, 20, -1, 9, 27, 1.4);
    add_block(world, "wall", 10, -1, -1, 11, 9, 9);
    add_block(world, "shelf", 12, 8, 6, 26, 23, 7);
    add_block(world, "lid", 28, 4, 1.4, 36, 13, 3);
    add_block(world, "ram", 30, 18, -1, 34, 22, 5);
    rill_solid_def bead = rill_default_solid_def();
    bead.name = "bead";
    bead.shape.type = RILL_SHAPE_SPHERE;
    memcpy(bead.shape.centre, (double[]){ 0.005, 0.013, 0.0 }, sizeof bead.shape.centre);
    bead.shape.radius = 0.003;
    bead.contact_angle = (rill_contact_angle){ 110, 70 };
    must(world, rill_solid_create(world, &bead, &id));
}

static inline void add_workshop_sources(rill_world *world) {
    rill_source_def tap = point_source("tap", 0.020, 0.015, 0.008, 4e-7);
    rill_source_def drain = point_source("drain", 0.032, 0.008, 0.001, 2e-7);
    rill_source_id id;
    drain.shape = RILL_SOURCE_DISC;
    drain.radius = 0.002;
    drain.sink = true;
    must(world, rill_source_create(world, &tap, &id));
    must(world, rill_source_create(world, &drain, &id));
}

static inline void add_ball(rill_world *world) {
    rill_body_def def = rill_default_body_def();
    rill_body_id id;
    def.name = "ball";
    def.shape.type = RILL_SHAPE_SPHERE;
    def.shape.radius = 0.0022;
    def.mass = 998.0 * 4.0 / 3.0 * acos(-1.0) * 0.0022 * 0.0022 * 0.0022 * 0.4;
    memcpy(def.state.position, (double[]){ 0.033, 0.015, 0.0025 }, sizeof def.state.position);
    must(world, rill_body_create(world, &def, &id));
}

static inline rill_world_def workshop_def(void) {
    rill_world_def def = plate_def(WORKSHOP_X, WORKSHOP_Y, 5e-4, 70, 40);
    def.edges[RILL_EAST].kind = RILL_EDGE_OPEN;
    def.edges[RILL_NORTH] = (rill_edge){ .kind = RILL_EDGE_STILL, .level = 0.0006 };
    memcpy(def.gravity, (double[]){ 0.7, -0.4, -9.7 }, sizeof def.gravity);
    def.liquid.drying = 0.05;
    return def;
}

static inline rill_world *make_workshop(const rill_world_def *def) {
    rill_world *world = NULL;
    rill_message message = { "" };
    if (rill_world_create(def, &world, &message)) fail_msg("%s", message.text);
    add_workshop_solids(world);
    must(world, rill_bed_build(world));
    const drop ground[] = { { 0.006, 0.005, 0.0035, 2e-8 },
                            { 0.0053, 0.0135, 0.0025, 1.5e-8 },
                            { 0.006, 0.0235, 0.003, 2e-8 },
                            { 0.019, 0.016, 0.004, 2.5e-8 },
                            { 0.032, 0.008, 0.010, 3e-7 } };
    const drop shelf[] = { { 0.016, 0.012, 0.002, 8e-9 }, { 0.024, 0.020, 0.003, 2e-8 } };
    rill_bed_info info;
    must(world, rill_bed_get_info(world, &info));
    assert_true(info.layers == 2 && info.sparse_pipes > 50);
    add_drops(world, &def->grid, 0, ground, sizeof ground / sizeof ground[0]);
    double *upper = put_drops(world, &def->grid, 1, shelf, sizeof shelf / sizeof shelf[0]);
    free(upper);
    add_workshop_sources(world);
    add_ball(world);
    return world;
}

/* A step of 1/120 s; the ram comes and goes, by thirds of a cell. */
static inline void work(rill_world *world, int step) {
    const double turn = step % 24, aside = (turn < 12 ? turn : 24 - turn) * 1.7e-4;
    const rill_solid_id ram = rill_solid_find(world, "ram");
    must(world, rill_solid_set_pose(world, ram, (double[]){ -aside, 0.5 * aside, 0.0 }, (double[3]){ 0 }));
    must(world, rill_world_step(world, 1.0 / 120));
}

#endif
