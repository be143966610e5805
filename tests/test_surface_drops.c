/* The mesh over drops, where surface tension acts: round, without a brim, and not bent twice. */
#include "drops.h"

#include <math.h>

enum { SIDE = 60 };
static const double DX = 5e-4, CENTRE = 0.5 * SIDE * 5e-4, RADIUS = 4.3e-3;

/* A cap of a sphere 1.5 mm high, on a film of some micrometres that reaches 3 mm farther. */
static rill_world *make_cap(rill_tension tension) {
    static double depths[SIDE * SIDE];
    rill_world_def def = plate_def(SIDE, SIDE, DX, 60, 40);
    rill_world *world = make_plate(&def);
    def.solver.tension = tension;
    must(world, rill_world_set_solver(world, &def.solver));
    for (int i = 0; i < SIDE * SIDE; ++i) {
        const double x = (i % SIDE + 0.5) * DX - CENTRE, y = (i / SIDE + 0.5) * DX - CENTRE, r = hypot(x, y);
        depths[i] = r < RADIUS ? 1.5e-3 * (1 - r * r / (RADIUS * RADIUS)) : r < RADIUS + 3e-3 ? 4e-6 : 0;
    }
    must(world, rill_world_fill_depths(world, 0, depths, SIDE * SIDE, NULL));
    return world;
}

static rill_surface *mesh_of(rill_world *world, rill_meniscus meniscus, rill_surface_mesh *out) {
    rill_surface_def def = rill_default_surface_def();
    rill_surface *surface;
    def.meniscus = meniscus;
    must(world, rill_surface_create(world, &def, &surface));
    must(world, rill_surface_build(surface));
    must(world, rill_surface_get_mesh(surface, out));
    return surface;
}

static void largest_and_smallest_rim(const rill_surface_mesh *mesh, double out[2]) {
    out[0] = 0, out[1] = 1e9;
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        if (mesh->wetness[i] > 0.0f) continue; /* not the end of a shore */
        const double r = hypot((double)mesh->positions[3 * i] - CENTRE, (double)mesh->positions[3 * i + 1] - CENTRE);
        out[0] = fmax(out[0], r), out[1] = fmin(out[1], r);
    }
}

/* The outline is a circle to an eighth of a cell; without tension the film around the drop is its outline. */
static void drop_is_round(void **state) {
    (void)state;
    for (int on = 0; on < 2; ++on) {
        rill_world *world = make_cap(on ? RILL_TENSION_ON : RILL_TENSION_OFF);
        rill_surface_mesh mesh;
        rill_surface *surface = mesh_of(world, RILL_MENISCUS_TILT, &mesh);
        double rims[2];
        largest_and_smallest_rim(&mesh, rims);
        if (on && (fabs(rims[0] - RADIUS) > DX / 8 || fabs(rims[1] - RADIUS) > DX / 8))
            fail_msg("rims from %.3g to %.3g mm", 1e3 * rims[1], 1e3 * rims[0]);
        if (!on) assert_true(rims[0] > RADIUS + 2e-3);
        rill_surface_destroy(surface);
        rill_world_destroy(world);
    }
}

/* Whether the meniscus leans any normal of a cap. */
static bool leans(rill_tension tension) {
    rill_world *world = make_cap(tension);
    rill_surface_mesh bent, plain;
    rill_surface *surfaces[] = { mesh_of(world, RILL_MENISCUS_TILT, &bent),
                                 mesh_of(world, RILL_MENISCUS_NONE, &plain) };
    double most = 0;
    assert_int_equal(bent.vertex_count, plain.vertex_count);
    for (size_t i = 0; i < 3 * bent.vertex_count; ++i)
        most = fmax(most, fabs((double)bent.normals[i] - (double)plain.normals[i]));
    for (int k = 0; k < 2; ++k) rill_surface_destroy(surfaces[k]);
    rill_world_destroy(world);
    return most > 1e-5;
}

static void shore_has_no_meniscus(void **state) {
    (void)state;
    assert_true(leans(RILL_TENSION_OFF));
    assert_false(leans(RILL_TENSION_ON));
}

int main(void) {
    const struct CMUnitTest tests[] = { unit_test_alone(drop_is_round), unit_test_alone(shore_has_no_meniscus) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
