/* Shared by tests of flooded passages: tanks made of boxes, in millimetres, and pictures of all that moves in them.
 * Cells are 1 mm wide. */
#ifndef RILL_TESTS_TANKS_H
#define RILL_TESTS_TANKS_H

#include "body_shapes.h"
#include "worlds.h"

#include <math.h>

#define MM 1e-3

/* ---------------------------------------------------------------------------------------------------------- worlds */

/* A box in millimetres, from x0 to x1 in every y, or only from y0 to y1. */
static inline void add_box(rill_world *world, double x0, double y0, double z0, double x1, double y1, double z1) {
    rill_solid_def def = box_def(NULL, x0 * MM, y0 * MM, z0 * MM, x1 * MM, y1 * MM, z1 * MM);
    rill_solid_id id;
    must(world, rill_solid_create(world, &def, &id));
}
static inline void add_slab(rill_world *world, double x0, double z0, double x1, double z1) {
    add_box(world, x0, -1000, z0, x1, 1000, z1);
}

static inline rill_world_def tank_def(int32_t nx, int32_t ny, rill_passages passages) {
    rill_world_def def = plain_world_def();
    def.grid.cells[0] = nx;
    def.grid.cells[1] = ny;
    def.grid.cell_size = MM;
    def.headroom = 0.02;
    def.liquid.viscosity = 0.0;
    def.solver.passages = passages;
    def.solver.orifice = 0.0;
    return def;
}

/* A world with a floor at zero. */
static inline rill_world *make_tank(const rill_world_def *def) {
    rill_world *world = NULL;
    rill_message message = { "" };
    if (rill_world_create(def, &world, &message) != RILL_OK) fail_msg("%s", message.text);
    add_slab(world, -1000, -10, 1000, 0);
    return world;
}

static inline void build(rill_world *world) {
    must(world, rill_bed_build(world));
}

static inline void fill(rill_world *world, double x, double y, double z, double level) {
    must(world, rill_world_fill_level(world, (double[]){ x * MM, y * MM, z * MM }, level * MM, NULL));
}

/* Into the cells within `radius` mm, or one of them. */
static inline rill_source_id pour(rill_world *world, double x, double y, double z, double radius, double rate) {
    rill_source_def def = point_source(NULL, x * MM, y * MM, z * MM, fabs(rate));
    def.sink = rate < 0.0;
    def.shape = RILL_SOURCE_DISC;
    def.radius = radius * MM;
    rill_source_id id;
    must(world, rill_source_create(world, &def, &id));
    return id;
}

/* m3 between two x and below a height. */
static inline double volume(const rill_world *world, double x0, double x1, double top) {
    double found;
    double low[3] = { x0 * MM, -1.0, -1.0 }, high[3] = { x1 * MM, 1.0, top * MM };
    assert_int_equal(rill_query_box_volume(world, low, high, &found), RILL_OK);
    return found;
}

static inline rill_sample sample(const rill_world *world, double x, double y, double z) {
    rill_sample found;
    assert_int_equal(rill_query_points(world, (double[]){ x * MM, y * MM, z * MM }, 1, &found), RILL_OK);
    assert_true(found.found);
    return found;
}

static inline rill_step_info step_info(const rill_world *world) {
    rill_step_info info;
    assert_int_equal(rill_world_get_step_info(world, &info), RILL_OK);
    return info;
}

static inline rill_status step(rill_world *world, double dt) {
    if (rill_world_step(world, dt) != RILL_OK) fail_msg("step refused: %s", rill_world_message(world));
    return rill_world_status(world);
}

static inline void check(const rill_world *world) {
    must_be_valid(world);
    assert_true(ledger_error(world) == 0);
}

static inline rill_bed_info bed_info(const rill_world *world) {
    rill_bed_info info;
    assert_int_equal(rill_bed_get_info(world, &info), RILL_OK);
    return info;
}

/* All depths and face velocities of a world; velocities behind the depths of each layer. */
typedef struct picture {
    size_t cells;
    int32_t layers;
    double *values;
} picture;

static inline picture take_picture(const rill_world *world) {
    rill_bed_info info = bed_info(world);
    picture p = { (size_t)info.cells[0] * (size_t)info.cells[1], info.layers, NULL };
    p.values = malloc(3 * p.cells * (size_t)p.layers * sizeof *p.values);
    assert_non_null(p.values);
    for (int32_t layer = 0; layer < p.layers; ++layer) {
        double *at = p.values + 3 * p.cells * (size_t)layer;
        assert_int_equal(rill_world_read_field(world, RILL_FIELD_DEPTH, layer, at, p.cells), RILL_OK);
        assert_int_equal(rill_world_read_field(world, RILL_FIELD_FACES, layer, at + p.cells, 2 * p.cells), RILL_OK);
    }
    return p;
}

/* The largest difference of depths, or the largest velocity if there is nothing to compare with. */
static inline double largest(const picture *a, const picture *b) {
    double most = 0.0;
    for (int32_t layer = 0; layer < a->layers; ++layer) {
        const double *at = a->values + 3 * a->cells * (size_t)layer;
        for (size_t i = b ? 0 : a->cells; i < (b ? a->cells : 3 * a->cells); ++i) {
            double value = b ? at[i] - b->values[3 * a->cells * (size_t)layer + i] : at[i];
            if (fabs(value) > most) most = fabs(value); /* false for NaN: no such column */
        }
    }
    return most;
}

/* SplitMix64 */
typedef struct dice {
    uint64_t state;
} dice;
static inline double between(dice *d, double low, double high) {
    uint64_t z = d->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return low + (high - low) * (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}
static inline bool chance(dice *d, double p) {
    return between(d, 0, 1) < p;
}

#endif
