/* Rest under surface tension: lakes stay level to the bit, drops come to an end and fall asleep, and where angles differ they
 * hang on to a slope until it is too steep (Furmidge 1962). */
#include "drops.h"

enum { LAKE = 40 };

/* Counts columns that are not what they were, and faces that move. */
static int64_t changes(const rill_world *world, const double *before, int32_t layers) {
    enum { CELLS = LAKE * LAKE };
    static double now[CELLS], faces[2 * CELLS];
    int64_t count = 0;
    for (int32_t layer = 0; layer < layers; ++layer) {
        assert_int_equal(rill_world_read_field(world, RILL_FIELD_DEPTH, layer, now, CELLS), RILL_OK);
        assert_int_equal(rill_world_read_field(world, RILL_FIELD_FACES, layer, faces, 2 * CELLS), RILL_OK);
        for (int32_t i = 0; i < CELLS; ++i) {
            const double was = before[layer * CELLS + i];
            count += now[i] != was && !(isnan(now[i]) && isnan(was));
        }
        for (int32_t i = 0; i < 2 * CELLS; ++i) count += fabs(faces[i]) > 0.0;
    }
    return count;
}

/* Rough ground under a lake, with a slab in it or none. */
static rill_world *make_lake(double cell_size, double rough, double slab, bool rest) {
    static double heights[LAKE * LAKE];
    rill_world_def def = plate_def(LAKE, LAKE, cell_size, 70, 30);
    rill_world *world = NULL;
    rill_message message = { "" };
    uint64_t seed = 5;
    for (int32_t i = 0; i < LAKE * LAKE; ++i) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        heights[i] = rough * (double)(seed >> 11) * 0x1p-53;
    }
    def.solver.rest = rest;
    if (rill_world_create(&def, &world, &message)) fail_msg("%s", message.text);
    rill_solid_def ground = rill_default_solid_def();
    rill_solid_id id;
    ground.shape.type = RILL_SHAPE_HEIGHTMAP;
    ground.shape.heights = heights;
    ground.shape.heights_size[0] = ground.shape.heights_size[1] = LAKE;
    must(world, rill_solid_create(world, &ground, &id));
    const double x = 1e3 * cell_size * LAKE;
    if (slab > 0.0) add_block(world, "slab", 0.2 * x, 0.3 * x, 1e3 * slab, 0.6 * x, 0.8 * x, 1e3 * slab + 0.5);
    must(world, rill_bed_build(world));
    assert_true(rill_world_has_tension(world, NULL));
    return world;
}

/* Deeper everywhere than the foot of a drop, below which a film would draw back. */
static void lakes_stay_level(void **state) {
    (void)state;
    static double before[2 * LAKE * LAKE];
    static const struct {
        double cell_size, rough, level, slab; /* m */
    } lakes[] = { { 5e-4, 2e-3, 3e-3, 0 },      { 1e-3, 4e-3, 6e-3, 0 },      { 2.5e-4, 1e-3, 1.6e-3, 0 },
                  { 1.5e-3, 4e-3, 20e-3, 0 },   { 5e-4, 1e-3, 4e-3, 2.5e-3 }, { 1e-3, 1e-3, 15e-3, 11e-3 },
                  { 5e-4, 1e-3, 3e-3, 1.3e-3 }, { 1e-4, 2e-4, 5e-4, 0 } };
    for (size_t i = 0; i<sizeof lakes / sizeof lakes[0]; i += NEXT_CASE> 1 ? 3 : 1) {
        const double size = LAKE * lakes[i].cell_size;
        rill_world *world = make_lake(lakes[i].cell_size, lakes[i].rough, lakes[i].slab, i % 2);
        rill_bed_info info;
        must(world, rill_bed_get_info(world, &info));
        must(world, rill_world_fill_level(world, (double[]){ 0.05 * size, 0.05 * size, 1.1 * lakes[i].rough },
                                          lakes[i].level, NULL));
        for (int32_t layer = 0; layer < info.layers; ++layer)
            must(world,
                 rill_world_read_field(world, RILL_FIELD_DEPTH, layer, before + layer * LAKE * LAKE, LAKE * LAKE));
        for (int step = 0; step < 300 / NEXT_CASE; ++step) {
            must(world, rill_world_step(world, 1.0 / 60));
            const int64_t count = changes(world, before, info.layers);
            if (count) fail_msg("lake %zu, step %d: %d columns and faces have changed", i, step, (int)count);
        }
        rill_world_destroy(world);
    }
}

/* ------------------------------------------------------------------------------------------------------------ drops */

/* The radius of a cap of some volume at a contact angle, without weight. */
static double cap_radius(double volume, double degrees) {
    const double t = tan(degrees * acos(-1.0) / 360.0); /* h / R */
    return cbrt(6.0 * volume / (acos(-1.0) * t * (3.0 + t * t)));
}

/* Steps until all is asleep, or for some time; returns how long that took, or infinity. */
static double fall_asleep(rill_world *world, double longest) {
    for (int step = 1; step <= (int)(60.0 * longest); ++step) {
        must(world, rill_world_step(world, 1.0 / 60));
        if (info_of(world).awake_columns == 0) return step / 60.0;
    }
    return (double)INFINITY;
}

static void wide_drops_fall_asleep(void **state) {
    (void)state;
    for (int i = 0; i<4; i += ALONE_PART> 1 ? 3 : 1) {
        enum { MOST = 64 };
        static double before[MOST * MOST], after[MOST * MOST];
        const double dx = i & 1 ? 2.5e-4 : 5e-4, theta = i & 2 ? 60 : 30;
        const int32_t n = i & 1 ? 56 : 28;
        const rill_world_def def = plate_def(n, n, dx, theta, theta);
        rill_world *world = make_plate(&def);
        const drop one = { 0.5 * n * dx + 0.3 * dx, 0.5 * n * dx - 0.2 * dx, 1.25 * cap_radius(2e-8, theta), 2e-8 };
        add_drops(world, &def.grid, 0, &one, 1);
        const double time = fall_asleep(world, 20.0);
        if (!(time <= 20.0)) fail_msg("%g degrees, cells of %g mm: awake after 20 s", theta, 1e3 * dx);
        must(world, rill_world_read_field(world, RILL_FIELD_DEPTH, 0, before, (size_t)(n * n)));
        for (int step = 0; step < 3600; ++step) must(world, rill_world_step(world, 1.0 / 60));
        must(world, rill_world_read_field(world, RILL_FIELD_DEPTH, 0, after, (size_t)(n * n)));
        assert_memory_equal(before, after, (size_t)(n * n) * sizeof *before); /* no creep */
        assert_true(ledger_error(world) == 0);
        rill_world_destroy(world);
    }
}

/* Where the middle of the liquid is along x, m. */
static double middle_of(const rill_world *world, const rill_grid *grid) {
    double *depths = malloc(cells_of(world) * sizeof *depths), sum = 0.0, moment = 0.0;
    assert_non_null(depths);
    assert_int_equal(rill_world_read_field(world, RILL_FIELD_DEPTH, 0, depths, cells_of(world)), RILL_OK);
    for (size_t i = 0; i < cells_of(world); ++i) {
        sum += depths[i];
        moment += depths[i] * ((double)(i % (size_t)grid->cells[0]) + 0.5) * grid->cell_size;
    }
    free(depths);
    return moment / sum;
}

/* 50 ul on a bed of 60 / 40 degrees begin to slide at 18.4 degrees: gentler slopes hold them for ever. */
static void drops_hang_on_to_slopes(void **state) {
    (void)state;
    static const double degrees[] = { 5, 11, 28 };
    for (int i = 0; i < 3; ++i) {
        rill_world_def def = plate_def(96, 32, 5e-4, 60, 40);
        tilt(&def, degrees[i]);
        rill_world *world = make_plate(&def);
        const drop one = { 0.010, 0.008, 1.05 * cap_radius(5e-8, 50), 5e-8 };
        add_drops(world, &def.grid, 0, &one, 1);
        if (degrees[i] < 18.4) {
            const double time = fall_asleep(world, 20.0);
            if (!(time <= 20.0)) fail_msg("%g degrees: awake after 20 s", degrees[i]);
            assert_true(middle_of(world, &def.grid) - one.x < 3e-3);
        } else {
            for (int step = 0; step < 60; ++step) must(world, rill_world_step(world, 1.0 / 60));
            assert_true(middle_of(world, &def.grid) - one.x > 8e-3);
        }
        assert_true(ledger_error(world) == 0);
        rill_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { unit_test_alone(lakes_stay_level), unit_test_long(wide_drops_fall_asleep),
                                        unit_test_alone(drops_hang_on_to_slopes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
