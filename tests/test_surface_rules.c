/* Rules of the surface that whole meshes do not show: which diagonal, how deep skirts hang, how far into walls the surface goes,
 * and that it is drawn back from the terrain without a jump. */
#include "worlds.h"

#include <math.h>

#include "mesh_check.h"

static const double CELL = 0.001;

static rill_world *make_world(int32_t nx, int32_t ny, const rill_solid_def *solids, size_t count) {
    rill_world_def def = rill_default_world_def();
    rill_world *world = NULL;
    rill_solid_id id;
    def.grid.cells[0] = nx;
    def.grid.cells[1] = ny;
    def.grid.cell_size = CELL;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    for (size_t i = 0; i < count; ++i) must(world, rill_solid_create(world, &solids[i], &id));
    must(world, rill_bed_build(world));
    return world;
}

static rill_surface_mesh build(rill_world *world, rill_surface **surface) {
    const rill_surface_def def = rill_default_surface_def();
    rill_surface_mesh mesh;
    if (!*surface) must(world, rill_surface_create(world, &def, surface));
    must(world, rill_surface_build(*surface));
    must(world, rill_surface_get_mesh(*surface, &mesh));
    const mesh_report report = mesh_check(*surface, CELL);
    if (report.text[0]) fail_msg("%s", report.text);
    return mesh;
}

/* Of the two diagonals of four columns the one with the higher ends: a ridge is not cut. */
static void a_ridge_is_not_cut(void **state) {
    (void)state;
    const rill_solid_def floor = box_def("floor", -1, -1, -1, 1, 1, 0);
    rill_world *world = make_world(2, 2, &floor, 1);
    rill_surface *surface = NULL;
    for (int falling = 0; falling < 2; ++falling) {
        double depths[4]; /* SW, SE, NW, NE */
        for (int i = 0; i < 4; ++i) depths[i] = ((i == 1 || i == 2) == (falling == 1) ? 2.0 : 1.5) * CELL;
        must(world, rill_world_fill_depths(world, 0, depths, 4, NULL));
        const rill_surface_mesh mesh = build(world, &surface);
        size_t found = 0;
        for (size_t t = 0; t < mesh.triangle_count; ++t) {
            const uint32_t *c = mesh.indices + 3 * t;
            if (c[0] >= 4 || c[1] >= 4 || c[2] >= 4) continue;
            uint32_t set = 1u << c[0] | 1u << c[1] | 1u << c[2], ridge = falling ? 6u : 9u;
            assert_int_equal(set & ridge, ridge);
            found += 1;
        }
        assert_int_equal(found, 2);
    }
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

/* Skirts hang straight down from where the surface ends, to the floor. */
static void skirts_hang_down_to_the_floor(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    double depths[20 * 10];
    for (int i = 0; i < 20 * 10; ++i) depths[i] = 0.0005;
    must(world, rill_world_fill_depths(world, 1, depths, 20 * 10, NULL));
    for (int i = 0; i < 3; ++i) rill_world_step(world, 0.002);
    rill_surface *surface = NULL;
    rill_surface_info info;
    const rill_surface_mesh mesh = build(world, &surface);
    must(world, rill_surface_get_info(surface, &info));
    assert_true(info.skirt_vertices >= 2 * 10);
    for (size_t v = mesh.vertex_count - info.skirt_vertices; v < mesh.vertex_count; ++v) {
        const float *p = mesh.positions + 3 * v;
        size_t above = 0;
        for (size_t k = 0; k < mesh.vertex_count - info.skirt_vertices; ++k)
            above += mesh.positions[3 * k] == p[0] && mesh.positions[3 * k + 1] == p[1] &&
                     mesh.positions[3 * k + 2] > 0.005f;
        assert_int_equal(above, 1);
        assert_true(p[2] >= 0.0f && p[2] < 0.001f);
    }
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

/* A wall's face may be anywhere between two columns: the surface ends behind it, before the centre of the next cell. */
static void the_surface_ends_inside_of_walls(void **state) {
    (void)state;
    for (int i = 1; i < 5; ++i) {
        const double face = (2.5 + 0.2 * i) * CELL; /* centres are at 2.5 and 3.5 */
        const rill_solid_def solids[] = { box_def("floor", -1, -1, -1, 1, 1, 0),
                                          box_def("wall", face, -1, -1, 1, 1, 0.02) };
        rill_world *world = make_world(6, 4, solids, 2);
        rill_surface *surface = NULL;
        must(world, rill_world_fill_level(world, (double[]){ 0.0005, 0.0005, 0.001 }, 2 * CELL, NULL));
        const rill_surface_mesh mesh = build(world, &surface);
        double farthest = 0;
        for (size_t v = 0; v < mesh.vertex_count; ++v) farthest = fmax(farthest, (double)mesh.positions[3 * v]);
        assert_true(farthest > face && farthest < 3.5 * CELL);
        rill_surface_destroy(surface);
        rill_world_destroy(world);
    }
}

/* A block, three cells high, with a corner at (1.1, 0.28): between a column on it and one on the ground, and the border, where the
 * surface ends. It falls by three cells from the one to the other, and the corner is above it: it is drawn back. As the lower one
 * rises, it goes out to the border again, and nothing jumps. */
static void the_surface_is_drawn_back_smoothly(void **state) {
    (void)state;
    const rill_solid_def solids[] = { box_def("floor", -1, -1, -1, 1, 1, 0),
                                      box_def("block", 1.1 * CELL, 0.28 * CELL, -1, 1, 1, 3 * CELL) };
    rill_world *world = make_world(2, 2, solids, 2);
    rill_surface *surface = NULL;
    double before = -1, most = 0, first = 1, last = 1;
    for (int i = 0; i < 450; ++i) {
        const double low = (0.1 + 0.01 * i) * CELL, depths[4] = { low, 0.1 * CELL, low, 0.1 * CELL };
        must(world, rill_world_fill_depths(world, 0, depths, 4, NULL));
        const rill_surface_mesh mesh = build(world, &surface);
        const double area = mesh_check(surface, CELL).area / (CELL * CELL);
        last = 1;
        for (size_t v = 0; v < mesh.vertex_count; ++v) last = fmin(last, (double)mesh.positions[3 * v + 1] / CELL);
        if (i == 0) first = last;
        if (before >= 0) most = fmax(most, fabs(area - before));
        before = area;
    }
    assert_true(first > 0.28 && first < 0.5);
    assert_true(fabs(last) < 1e-3);
    assert_true(most < 0.25);
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ridge_is_not_cut),
        cmocka_unit_test(skirts_hang_down_to_the_floor),
        cmocka_unit_test(the_surface_ends_inside_of_walls),
        cmocka_unit_test(the_surface_is_drawn_back_smoothly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
