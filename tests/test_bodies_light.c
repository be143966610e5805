/* Bodies that weigh next to nothing and are let go half sunk, or deeper: each comes up as the liquid that has to follow it lets
 * it, and floats on. By its buoyancy and the liquid that goes along it gets no higher than its own size above the
 * level. Before, it was thrown the farther the lighter it was, or flew off along the bed at kilometres per second. */
#include "tanks_afloat.h"

enum { FRAMES = 40 };

/* A shape of a size, mm, turned as it likes. */
static rill_body_def light_def(int shape, double size, double density) {
    static const double lean[4][4] = { { 0, 0, 0, 1 },
                                       { 0.2, 0.1, 0, 0.97467943448 },
                                       { 0, 0.5, 0, 0.86602540378 },
                                       { 0, 0.70710678119, 0, 0.70710678119 } };
    static const rill_shape shapes[] = { RILL_SHAPE_SPHERE, RILL_SHAPE_BOX, RILL_SHAPE_CAPSULE, RILL_SHAPE_CYLINDER };
    rill_body_def def = rill_default_body_def();
    def.shape.type = shapes[shape];
    def.shape.radius = 0.5 * size * MM;
    set_length(&def.shape, size * MM);
    set_size(&def.shape, 1.2 * size * MM, size * MM, size * MM);
    memcpy(def.state.orientation, lean[shape], sizeof lean[shape]);
    def.density = density;
    def.state.acceleration[2] = -9.81;
    return def;
}

/* Lets it go `sunk` of its size below half. */
static void let_go(int shape, double size, double density, double cell, double level, double sunk) {
    const int32_t cells = (int32_t)(fmax(4 * size, 24 * cell) / cell);
    rill_world_def def = tank_def(cells, cells, RILL_PASSAGES_ANY);
    def.grid.cell_size = cell * MM;
    def.liquid.viscosity = 1e-6;
    def.headroom = 0.3;
    rill_world *world = make_tank(&def);
    build(world);
    fill(world, 1, 1, 1, level);
    rill_body_def body = light_def(shape, size, density);
    const double middle = 0.5 * cells * cell, at[3] = { middle + 0.3 * cell, middle - 0.2 * cell, level - sunk * size };
    for (int k = 0; k < 3; ++k) body.state.position[k] = at[k] * MM;
    rill_body_id id;
    must(world, rill_body_create(world, &body, &id));
    double energy[FRAMES + 1];
    for (int i = 1; i <= FRAMES; ++i) {
        rill_body_state now;
        assert_false(step(world, 1.0 / 60) & RILL_STATUS_SUBSTEPS_CAPPED);
        assert_int_equal(rill_body_get_state(world, id, &now), RILL_OK);
        energy[i] = energy_of(world);
        const double high = now.position[2] / MM - level, aside = fabs(now.position[0] / MM - at[0]);
        if (!(high < size && aside < size))
            fail_msg("shape %d of %g mm, %g kg/m3, cells of %g mm: %g mm above %g, %g mm aside", shape, size, density,
                     cell, high, level, aside);
    }
    for (int i = 2; i <= FRAMES; ++i) { /* the first step has pushed aside what it displaces */
        const double part = (energy[i] - energy[i - 1]) / (energy[1] - energy[FRAMES]);
        if (!(part < 0.02))
            fail_msg("shape %d of %g mm, %g kg/m3, cells of %g mm: gained %g of what was released", shape, size,
                     density, cell, part);
    }
    check(world);
    rill_world_destroy(world);
}

static void test_half_sunk(void **state) {
    (void)state;
    static const double densities[] = { 0.01, 3.0, 20.0 }, cells[] = { 5.0, 2.5 };
    for (int i = 0; i < 24; i += NEXT_CASE) let_go(i % 4, 20, densities[i / 4 % 3], cells[i / 12], 25, 0);
    let_go(0, 40, 0.01, 5.0, 25, 0);
    let_go(2, 40, 0.01, 5.0, 50, 0);
    let_go(3, 40, 0.01, 2.5, 25, 0);
}

static void test_deeper(void **state) {
    (void)state;
    static const double densities[] = { 0.01, 1.0, 30.0 };
    for (int i = 0; i < 12; i += NEXT_CASE) let_go(i % 4, 20, densities[i / 4], 2.5, 50, 0.3);
    let_go(3, 40, 20, 5.0, 50, 0.3);
    let_go(2, 20, 3, 1.0, 50, 0.3);
}

/* A large body is put onto light ones of all shapes, which are caught between it and the liquid, or pushed aside. */
static void test_under(void **state) {
    (void)state;
    static const double densities[] = { 0.1, 3.0, 60.0 };
    for (int i = 0; i < 6; i += NEXT_CASE) {
        rill_world *world = make_open_pond(60, 50, 0.1, 10, 1);
        rill_body_id ids[4];
        for (int k = 0; k < 4; ++k) {
            rill_body_def small = light_def(k, 3.5 + 0.3 * i, densities[(i + k) % 3]);
            const double at[3] = { 25.3 + 9.1 * (k % 2) + 0.37 * i, 21.2 + 7.3 * (k / 2), 11.5 };
            for (int a = 0; a < 3; ++a) small.state.position[a] = at[a] * MM;
            must(world, rill_body_create(world, &small, &ids[k]));
        }
        rill_body_def large = light_def(i % 4, 20, 600);
        set_length(&large.shape, 12 * MM);
        for (int a = 0; a < 3; ++a) large.state.position[a] = (double[]){ 29.4, 25.2, 40.0 }[a] * MM;
        large.state.acceleration[2] = 1e-9; /* held */
        rill_body_id id;
        must(world, rill_body_create(world, &large, &id));
        for (int k = 0; k < 6; ++k) step(world, 1.0 / 60);
        rill_body_state put;
        assert_int_equal(rill_body_get_state(world, id, &put), RILL_OK);
        put.position[2] = 16 * MM;
        must(world, rill_body_set_state(world, id, &put));
        for (int k = 0; k < 25; ++k) {
            step(world, 1.0 / 60);
            for (int n = 0; n < 4; ++n) {
                rill_body_state now;
                assert_int_equal(rill_body_get_state(world, ids[n], &now), RILL_OK);
                const double *v = now.velocity, speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
                if (!(speed < 0.8 && now.position[2] < 45 * MM))
                    fail_msg("world %d, body %d: %g m/s, %g mm", i, n, speed, now.position[2] / MM);
            }
        }
        check(world);
        rill_world_destroy(world);
    }
}

/* The thinnest liquid that is allowed and the heaviest: all that bodies weigh is compared with theirs, and stays
 * finite. */
static void test_extremes(void **state) {
    (void)state;
    static const double densities[] = { 1e-3, 1e6 }, bodies[] = { 1e-8, 1.0, 1e9 };
    for (int i = 0; i < 6; i += NEXT_CASE) {
        rill_world_def def = tank_def(16, 12, RILL_PASSAGES_ANY);
        def.liquid.density = densities[i % 2];
        rill_world *world = make_tank(&def);
        build(world);
        fill(world, 1, 1, 1, 4);
        rill_body_def body = light_def(i % 4, 4.0, bodies[i / 2]);
        for (int k = 0; k < 3; ++k) body.state.position[k] = (double[]){ 7.3, 6.2, 4.0 }[k] * MM;
        rill_body_id id;
        must(world, rill_body_create(world, &body, &id));
        for (int k = 0; k < 10; ++k) {
            step(world, 1.0 / 60);
            must_be_valid(world);
        }
        rill_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_half_sunk), cmocka_unit_test(test_deeper),
                                        cmocka_unit_test(test_under), cmocka_unit_test(test_extremes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
