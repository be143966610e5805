/* Shared by tests of falls: a shelf over a floor, and random worlds of shelves.
 *
 *   z ^      _______          The shelf is a block (one layer, dense pipes), or a plate on air (two layers, sparse ones); what
 *     |  ~~~~~~~~~~~          is poured at its western end leaves over its eastern edge, `cells` from the west, and falls `drop`.
 *     |  ###########
 *     |        :
 *     | ############################ */
#ifndef RILL_TESTS_FALL_WORLDS_H
#define RILL_TESTS_FALL_WORLDS_H

#include "snapshots.h"

typedef struct shelf {
    int32_t cells[2]; /* of the grid */
    int32_t length;   /* of the shelf, cells */
    double cell_size, drop;
    bool plate;   /* else a block */
    double rate;  /* m2/s over the edge */
    double until; /* s */
    bool wall;    /* stands three cells in front of the edge, as high as the shelf and more */
    bool open;    /* the eastern edge */
} shelf;

static inline rill_world_def fall_def(void) {
    rill_world_def def = plain_world_def();
    def.solver.falls = RILL_FALLS_FLIGHT;
    return def;
}

static inline void add_solid(rill_world *world, const char *name, double x0, double x1, double y0, double y1, double z0,
                             double z1) {
    const rill_solid_def def = box_def(name, x0, y0, z0, x1, y1, z1);
    rill_solid_id id;
    must(world, rill_solid_create(world, &def, &id));
}

static inline rill_world *make_shelf(const shelf *s, const rill_runtime *runtime) {
    rill_world_def def = fall_def();
    def.grid.cells[0] = s->cells[0];
    def.grid.cells[1] = s->cells[1];
    def.grid.cell_size = s->cell_size;
    def.headroom = 0.02;
    if (s->open) def.edges[RILL_EAST].kind = RILL_EDGE_OPEN;
    if (runtime) def.runtime = *runtime;
    rill_world *world = NULL;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    const double edge = s->length * s->cell_size, width = s->cells[1] * s->cell_size;
    add_solid(world, "floor", -1, 1, -1, 1, -0.01, 0);
    add_solid(world, "shelf", -1, edge, -1, 1, s->plate ? s->drop - 0.002 : -0.005, s->drop);
    if (s->wall) {
        const double x = edge + 3 * s->cell_size;
        add_solid(world, "wall", x, x + 2 * s->cell_size, -1, 1, -0.005, s->drop + 0.01);
    }
    must(world, rill_bed_build(world));
    rill_source_def source = rill_default_source_def();
    source.shape = RILL_SOURCE_BOX;
    source.rate = s->rate * width;
    source.until = s->until;
    memcpy(source.min, (double[]){ 0, 0, s->drop - 1e-4 }, sizeof source.min);
    memcpy(source.max, (double[]){ 3 * s->cell_size, width, s->drop + 1e-4 }, sizeof source.max);
    rill_source_id id;
    must(world, rill_source_create(world, &source, &id));
    return world;
}

static inline rill_ledger ledger_of(const rill_world *world) {
    rill_ledger ledger;
    assert_int_equal(rill_world_get_ledger(world, &ledger), RILL_OK);
    assert_int_equal(ledger.error, 0);
    assert_true(ledger.airborne >= 0);
    return ledger;
}

static inline uint32_t dice(uint32_t *seed, uint32_t sides) {
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % sides;
}

/* Shelves and blocks at all heights, some edges open, one to three sources high up. */
static inline rill_world *make_random_shelves(uint32_t seed, const rill_runtime *runtime) {
    rill_world_def def = fall_def();
    def.grid.cells[0] = 24 + (int32_t)dice(&seed, 40);
    def.grid.cells[1] = 16 + (int32_t)dice(&seed, 24);
    def.headroom = 0.03;
    for (int side = 0; side < 4; ++side)
        if (dice(&seed, 3) == 0) def.edges[side].kind = RILL_EDGE_OPEN;
    if (dice(&seed, 4) == 0) def.gravity[0] = 1.0;
    if (dice(&seed, 4) == 0) def.solver.advection = false;
    if (runtime) def.runtime = *runtime;
    rill_world *world = NULL;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    add_solid(world, "floor", -1, 1, -1, 1, -0.01, 0);
    for (uint32_t i = 0, count = 2 + dice(&seed, 6); i < count; ++i) {
        const double x = 1e-3 * dice(&seed, 50), y = 1e-3 * dice(&seed, 30), z = 1e-3 * (4 + dice(&seed, 40));
        const double below = dice(&seed, 2) ? -0.005 : z - 0.002;
        add_solid(world, NULL, x, x + 1e-3 * (4 + dice(&seed, 25)), y, y + 1e-3 * (4 + dice(&seed, 25)), below, z);
    }
    must(world, rill_bed_build(world));
    for (uint32_t i = 0, count = 1 + dice(&seed, 3); i < count; ++i) {
        rill_source_def source = point_source(NULL, 1e-3 * dice(&seed, 24), 1e-3 * dice(&seed, 16), 0.06, 0.0);
        source.shape = RILL_SOURCE_DISC;
        source.radius = 0.003;
        source.rate = 1e-6 * (1 + dice(&seed, 20));
        rill_source_id id;
        must(world, rill_source_create(world, &source, &id));
    }
    return world;
}

#endif
