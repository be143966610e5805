/* Levels that are drawn at bodies: the surface stays calm where a body is pressed into it, and is not in a dry hold.
 * And bodies one above the other: each displaces all of itself. */
#include "tanks.h"

static const double DEPTH = 12.0; /* mm */

static rill_world *make_pool(void) {
    rill_world_def def = tank_def(40, 36, RILL_PASSAGES_ANY);
    def.liquid.viscosity = 1e-4;
    def.headroom = 0.1;
    rill_world *world = make_tank(&def);
    build(world);
    return world;
}

/* A box that goes as it is told, in mm; z is that of its bottom. */
static rill_body_id put_box(rill_world *world, double z, double high, double wide, double speed) {
    rill_body_def def = rill_default_body_def();
    rill_body_id id;
    def.shape.type = RILL_SHAPE_BOX;
    def.mass = INFINITY;
    set_size(&def.shape, wide * MM, wide * MM, high * MM);
    def.state.position[0] = 20.3 * MM;
    def.state.position[1] = 18.2 * MM;
    def.state.position[2] = (z + 0.5 * high) * MM;
    def.state.velocity[2] = speed;
    must(world, rill_body_create(world, &def, &id));
    return id;
}

/* The highest and the lowest vertex inside of a square about the middle of the box, or outside of it, mm. */
static void find_heights(rill_surface *surface, double half, bool inside, double out[2]) {
    rill_surface_mesh mesh;
    assert_int_equal(rill_surface_build(surface), RILL_OK);
    assert_int_equal(rill_surface_get_mesh(surface, &mesh), RILL_OK);
    out[0] = -INFINITY, out[1] = INFINITY;
    size_t count = 0;
    for (size_t i = 0; i < mesh.vertex_count; ++i) {
        const float *p = mesh.positions + 3 * i;
        const bool is_inside = fabs((double)p[0] / MM - 20.3) < half && fabs((double)p[1] / MM - 18.2) < half;
        if (is_inside != inside) continue;
        out[0] = fmax(out[0], (double)p[2] / MM);
        out[1] = fmin(out[1], (double)p[2] / MM);
        count += 1;
    }
    assert_true(count > 20);
}

static void test_pressed(void **state) {
    (void)state;
    rill_world *world = make_pool();
    fill(world, 1, 1, 1, DEPTH);
    put_box(world, 10.0, 30.0, 16.0, -0.4);
    rill_surface_def def = rill_default_surface_def();
    rill_surface *surface;
    must(world, rill_surface_create(world, &def, &surface));
    double head = 0.0;
    for (int i = 0; i < 3; ++i) {
        double inside[2], outside[2];
        step(world, 1.0 / 240.0);
        find_heights(surface, 7.0, true, inside);
        find_heights(surface, 7.0, false, outside);
        assert_true(inside[0] < outside[0] + 0.01 && inside[1] > outside[1] - 0.01);
        head = fmax(head, sample(world, 20.3, 18.2, 1).level / MM - outside[0]);
    }
    assert_true(head > 5.0); /* what must not be seen */
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

/* Before a step, too, there is no hole in the surface. */
static void test_first(void **state) {
    (void)state;
    rill_world *world = make_pool();
    put_box(world, 6.0, 30.0, 16.0, 0.0);
    fill(world, 1, 1, 1, DEPTH);
    rill_surface_def def = rill_default_surface_def();
    rill_surface *surface;
    double inside[2];
    must(world, rill_surface_create(world, &def, &surface));
    find_heights(surface, 8.5, true, inside);
    assert_true(inside[0] < DEPTH + 0.01 && inside[1] > DEPTH - 0.01);
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

static double displaced(const rill_world *world, rill_body_id id) {
    rill_body_forces forces;
    assert_int_equal(rill_body_get_forces(world, id, &forces), RILL_OK);
    return forces.submerged_volume / (MM * MM * MM);
}

static void test_pile(void **state) {
    (void)state;
    rill_world *world = make_pool();
    const rill_body_id low = put_box(world, 1.0, 3.0, 10.0, 0.0), middle = put_box(world, 4.0, 3.0, 10.0, 0.0),
                       high = put_box(world, 7.0, 30.0, 10.0, 0.0);
    fill(world, 1, 1, 1, DEPTH);
    for (int i = 0; i < 4; ++i) step(world, 0.01);
    assert_true(fabs(displaced(world, low) - 300.0) < 3.0 && fabs(displaced(world, middle) - 300.0) < 3.0);
    assert_true(fabs(displaced(world, high) - 500.0) < 10.0);
    assert_true(fabs(sample(world, 2, 2, 1).level / MM - DEPTH) < 0.05);
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pressed),
        cmocka_unit_test(test_first),
        cmocka_unit_test(test_pile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
