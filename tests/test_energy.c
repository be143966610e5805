/* The energy of a world: at rest it is what the geometry says, and in motion it goes from one kind into the other. */
#include <math.h>

#include "worlds.h"

static rill_energy energy_of(rill_world *world) {
    rill_energy energy = { 0 };
    must(world, rill_world_get_energy(world, &energy));
    return energy;
}

static double sum_of(rill_world *world) {
    const rill_energy energy = energy_of(world);
    return energy.potential + energy.kinetic + energy.bodies;
}

static void near(double value, double expected, double relative) {
    if (!(fabs(value - expected) <= relative * fabs(expected))) fail_msg("%.9g, expected %.9g", value, expected);
}

/* A floor at z = 0 under cells of 1 mm, and a box hanging over part of it. */
static rill_world *make_floor(rill_world_def *def, int32_t nx, int32_t ny, const rill_solid_def *over) {
    def->grid.cells[0] = nx;
    def->grid.cells[1] = ny;
    def->grid.cell_size = 1e-3;
    rill_world *world = NULL;
    rill_message message = { "" };
    if (rill_world_create(def, &world, &message) != RILL_OK) fail_msg("%s", message.text);
    const rill_solid_def floor = box_def("floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
    rill_solid_id id;
    must(world, rill_solid_create(world, &floor, &id));
    if (over) must(world, rill_solid_create(world, over, &id));
    must(world, rill_bed_build(world));
    return world;
}

/* Two floors: below a pool, above a film on the platform. */
static void rest_is_geometry(void **state) {
    (void)state;
    rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    const double rho_g = def.liquid.density * 9.81, area = 1e-6;
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.002, NULL));
    double depths[200];
    for (int i = 0; i < 200; ++i) depths[i] = 0.001; /* where there is a second layer */
    must(world, rill_world_fill_depths(world, 1, depths, 200, NULL));
    const rill_energy energy = energy_of(world);
    /* Cells 0 to 16: the wall in 17 is higher than the pool; ten cells of platform. */
    near(energy.potential, rho_g * area * (170 * 0.002 * 0.001 + 100 * 0.001 * 0.0055), 1e-6);
    assert_true(energy.kinetic == 0.0 && energy.bodies == 0.0);
    rill_world_destroy(world);
}

static void tilted_gravity_has_slopes(void **state) {
    (void)state;
    rill_world_def def = plain_world_def();
    memcpy(def.gravity, (double[]){ 2.0, -1.0, -8.0 }, sizeof def.gravity);
    rill_world *world = make_floor(&def, 8, 4, NULL);
    double depths[32];
    for (int i = 0; i < 32; ++i) depths[i] = i == 13 ? 0.004 : 0.0; /* cell (5, 1) */
    must(world, rill_world_fill_depths(world, 0, depths, 32, NULL));
    const double mass = def.liquid.density * 1e-6 * 0.004;
    near(energy_of(world).potential, mass * (8.0 * 0.002 - 2.0 * 0.0055 + 1.0 * 0.0015), 1e-6);
    rill_world_destroy(world);
}

/* Releases a heap in the west of a basin without viscosity and follows it for a tenth of a second: what is lost of one
 * kind is found in the other. */
static void follow_heap(const rill_solid_def *over, double low, double high, double moved, double lost) {
    rill_world_def def = plain_world_def();
    def.liquid.viscosity = 0.0;
    rill_world *world = make_floor(&def, 40, 2, over);
    double depths[80];
    for (int i = 0; i < 80; ++i) depths[i] = i % 40 < 10 ? high : low;
    must(world, rill_world_fill_depths(world, 0, depths, 80, NULL));
    const double start = sum_of(world), still = energy_of(world).kinetic;
    assert_true(still == 0.0);
    double most = 0.0, least = start, released = 0.0;
    for (int n = 0; n < 100; ++n) {
        rill_world_step(world, 1e-3);
        const rill_energy energy = energy_of(world);
        if (energy.kinetic > most) most = energy.kinetic, released = start - energy.potential;
        least = fmin(least, energy.potential + energy.kinetic);
    }
    if (!(most > moved * released)) fail_msg("of %g J released %g are motion", released, most);
    if (!(start - least < lost * released)) fail_msg("%g of %g J are lost", start - least, released);
    rill_world_destroy(world);
}

static void levels_become_motion(void **state) {
    (void)state;
    follow_heap(NULL, 0.010, 0.0102, 0.9, 0.15);
    /* Under a slab 4 mm above the floor, 10 cells long: a U-tube, most of whose motion is below the slab. */
    const rill_solid_def slab = box_def("slab", 0.015, -1.0, 0.004, 0.025, 1.0, 0.02);
    follow_heap(&slab, 0.010, 0.0102, 0.9, 0.15);
}

/* One face moves: in the open all of both half cells, at the mouth of a slot what the slot lets pass of the pool before
 * it. */
static void faces_move_what_is_before_them(void **state) {
    (void)state;
    rill_world_def def = plain_world_def();
    const rill_solid_def slab = box_def("slab", 0.015, -1.0, 0.004, 0.025, 1.0, 0.02);
    const double depth[] = { 0.010, 0.5 * (0.004 * 0.004 / 0.010 + 0.004), 0.004 };
    const int faces[] = { 5, 15, 20 };
    for (int k = 0; k < 3; ++k) {
        rill_world *world = make_floor(&def, 40, 1, &slab);
        must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.0005, 0.0 }, 0.010, NULL));
        double velocities[80] = { 0.0 };
        velocities[2 * faces[k]] = 0.1;
        must(world, rill_world_set_velocities(world, 0, velocities, 80));
        near(energy_of(world).kinetic, 0.5 * def.liquid.density * 1e-6 * depth[k] * 0.01, 1e-5);
        rill_world_destroy(world);
    }
}

/* A ball that falls into a pool and comes to float gives its energy to the liquid, which uses it up. */
static void bodies_fall(void **state) {
    (void)state;
    rill_world_def def = plain_world_def();
    rill_world *world = make_floor(&def, 24, 24, NULL);
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.012, NULL));
    rill_body_def ball = rill_default_body_def();
    ball.shape.radius = 0.005;
    memcpy(ball.state.position, (double[]){ 0.012, 0.012, 0.020 }, sizeof ball.state.position);
    rill_body_id id;
    must(world, rill_body_create(world, &ball, &id));
    rill_body_info info;
    must(world, rill_body_get_info(world, id, &info));
    const rill_energy first = energy_of(world);
    near(first.bodies, info.mass * 9.81 * 0.020, 1e-9);
    double least = sum_of(world), rise = 0.0;
    const double start = least;
    for (int n = 0; n < 300; ++n) {
        rill_world_step(world, 0.01);
        const double now = sum_of(world);
        rise = fmax(rise, now - least);
        least = fmin(least, now);
    }
    /* Half of the ball is in the water in the end, so that its mass has come down by 8 mm and the water is up by a
     * little. */
    assert_true(start - least > 0.5 * info.mass * 9.81 * 0.008);
    assert_true(start - least < info.mass * 9.81 * 0.008);
    if (!(rise < 0.05 * (start - least))) fail_msg("%g of %g J came back", rise, start - least);
    rill_world_destroy(world);
}

static void asking_wrongly(void **state) {
    (void)state;
    rill_energy energy;
    rill_world *world = NULL;
    const rill_world_def def = house_def();
    assert_int_equal(rill_world_get_energy(NULL, &energy), RILL_INVALID_ARGUMENT);
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    must_refuse(world, rill_world_get_energy(world, &energy), RILL_INVALID_STATE, "rill_world_get_energy");
    rill_world_destroy(world);
    world = make_house(&def);
    must_refuse(world, rill_world_get_energy(world, NULL), RILL_INVALID_ARGUMENT, "NULL");
    rill_world_destroy(world);
    rill_world_def tank = plain_world_def();
    tank.solver.method = RILL_METHOD_KANDEMIR;
    world = make_floor(&tank, 4, 4, NULL);
    must_refuse(world, rill_world_get_energy(world, &energy), RILL_INVALID_STATE, "KANDEMIR");
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_is_geometry),
        cmocka_unit_test(tilted_gravity_has_slopes),
        cmocka_unit_test(faces_move_what_is_before_them),
        cmocka_unit_test(levels_become_motion),
        cmocka_unit_test(bodies_fall),
        cmocka_unit_test(asking_wrongly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
