/* Rules of the surface that whole meshes do not show: which columns are linked, which diagonal, how deep skirts hang,
 * how far into walls the surface goes, what lifts it, and that nothing jumps: where it is drawn back from the terrain,
 * where pools meet, where a ceiling comes down to them. */
#include "bed_scenes.h"
#include "body_shapes.h"

#include "base/simd.h"
#include "mesh_check.h"
#include "surface/surface.h"
#include "world/world.h"

static const double CELL = 0.001;

static rill_world *make_world(int32_t nx, int32_t ny, const rill_solid_def *solids, size_t count) {
    rill_world_def def = plain_world_def();
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

/* Two triangles over the four columns of a world of 2 x 2, SW, SE, NW, NE, with the diagonal between those of
 * `ridge`. */
static void has_ridge(const rill_surface_mesh *mesh, uint32_t ridge) {
    size_t found = 0;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t *c = mesh->indices + 3 * t;
        if (c[0] >= 4 || c[1] >= 4 || c[2] >= 4) continue;
        assert_int_equal((1u << c[0] | 1u << c[1] | 1u << c[2]) & ridge, ridge);
        found += 1;
    }
    assert_int_equal(found, 2);
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
        has_ridge(&mesh, falling ? 6u : 9u);
    }
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

/* Ridges where the ends of a diagonal are not linked: the SW column is higher than the ceiling over the NE one. */
static void a_ridge_is_not_cut_beside_a_ceiling(void **state) {
    (void)state;
    const rill_solid_def solids[] = { box_def("floor", -1, -1, -1, 1, 1, 0),
                                      box_def("lid", 1 * CELL, 1 * CELL, 1.8 * CELL, 1, 1, 1.9 * CELL) };
    rill_world *world = make_world(2, 2, solids, 2);
    rill_surface *surface = NULL;
    for (int falling = 0; falling < 2; ++falling) {
        const double side = falling ? 1.7 : 1.5, depths[4] = { 2 * CELL, side * CELL, side * CELL, 1.2 * CELL };
        must(world, rill_world_fill_depths(world, 0, depths, 4, NULL));
        const rill_surface_mesh mesh = build(world, &surface);
        has_ridge(&mesh, falling ? 6u : 9u);
    }
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

/* A level is in the range of a column if it is above the underside of what the column stands on and below its ceiling,
 * by a quantum at least. Two slabs over each other are over all of eight cells around an open one: a quantum makes all
 * the links. */
static void links_are_strict(void **state) {
    (void)state;
    rill_solid_def solids[9] = { box_def("floor", -1, -1, -1, 1, 1, 0) };
    for (int i = 0; i < 8; ++i) {
        const double z = (i < 4 ? 1.5 : 3) * CELL, low[2] = { i % 4 == 0 ? 2 * CELL : -1, i % 4 == 1 ? 2 * CELL : -1 };
        const double high[2] = { i % 4 == 2 ? CELL : 1, i % 4 == 3 ? CELL : 1 };
        solids[1 + i] = box_def(NULL, low[0], low[1], z, high[0], high[1], z + 0.1 * CELL);
    }
    rill_world *world = make_world(3, 3, solids, 9);
    const rill_bed *bed = &world->bed;
    const int32_t *first = bed->cell_first, middle = bed->places[first[4]];
    const int32_t stride = rill_bed_sheet_of(bed, middle, NULL, NULL)->stride;
    rill_surface *surface = NULL;
    for (int32_t turn = 0; turn < 6; ++turn) {
        const int32_t slab = turn / 3, above = turn % 3 - 1, ceiling = bed->c[bed->places[first[0] + slab]];
        double depths[9] = { 0 };
        depths[4] = (double)(ceiling + above - bed->b[middle]) * bed->quantum;
        must(world, rill_world_fill_depths(world, 0, depths, 9, NULL));
        assert_int_equal(bed->b[middle] + world->flow.H[middle], ceiling + above);
        build(world, &surface);
        for (int32_t d = 0; d < RILL_DIRECTIONS; ++d) {
            const int32_t cell = (1 + RILL_STEP_Y[d]) * 3 + 1 + RILL_STEP_X[d];
            const int32_t *const around = bed->places + first[cell] + slab;
            assert_int_equal(first[cell + 1] - first[cell], 3); /* below both slabs, between them, and above */
            const int32_t expected = above < 0 ? around[0] : above > 0 ? around[1] : -1;
            assert_int_equal(rill_surface_neighbour(surface, middle, d, stride), expected);
        }
    }
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

/* Links between columns of one sheet: all stand on slabs, that in the middle on a lower one. It is linked with those
 * around once its level is above their underside, and never with what is below. */
static void links_are_strict_in_a_sheet(void **state) {
    (void)state;
    rill_solid_def solids[6] = { box_def("floor", -1, -1, -1, 1, 1, 0),
                                 box_def("low", CELL, CELL, 0.9 * CELL, 2 * CELL, 2 * CELL, 1 * CELL) };
    for (int i = 0; i < 4; ++i)
        solids[2 + i] = box_def(NULL, i == 0 ? 2 * CELL : -1, i == 1 ? 2 * CELL : -1, 1.5 * CELL, i == 2 ? CELL : 1,
                                i == 3 ? CELL : 1, 1.6 * CELL);
    rill_world *world = make_world(3, 3, solids, 6);
    const rill_bed *bed = &world->bed;
    const int32_t *first = bed->cell_first, middle = bed->places[first[4] + 1];
    const rill_sheet *sheet = rill_bed_sheet_of(bed, middle, NULL, NULL);
    rill_surface *surface = NULL;
    for (int32_t above = -1; above <= 1; ++above) {
        double depths[9] = { 0 };
        depths[4] = (double)(bed->c[bed->places[first[0]]] + above - bed->b[middle]) * bed->quantum;
        must(world, rill_world_fill_depths(world, 1, depths, 9, NULL));
        build(world, &surface);
        for (int32_t d = 0; d < RILL_DIRECTIONS; ++d) {
            const int32_t other = bed->places[first[(1 + RILL_STEP_Y[d]) * 3 + 1 + RILL_STEP_X[d]] + 1];
            assert_ptr_equal(rill_bed_sheet_of(bed, other, NULL, NULL), sheet);
            assert_int_equal(rill_surface_neighbour(surface, middle, d, sheet->stride), above > 0 ? other : -1);
        }
    }
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

/* As printed, three columns that are linked with each other are a triangle if the fourth of their quartet is not: here
 * it is at the foot of what they stand on. */
static void three_columns_are_a_triangle_in_the_paper(void **state) {
    (void)state;
    const rill_solid_def solids[] = { box_def("floor", -1, -1, -1, 1, 1, 0),
                                      box_def("south", -1, -1, 3 * CELL, 1, 1 * CELL, 5 * CELL),
                                      box_def("north", -1, 0, 3 * CELL, 1 * CELL, 1, 5 * CELL) };
    rill_world *world = make_world(2, 2, solids, 3);
    rill_surface_def def = rill_default_surface_def();
    def.smooth_shores = false;
    rill_surface *surface = NULL;
    rill_surface_mesh mesh;
    must(world, rill_world_fill_depths(world, 1, (double[]){ CELL, CELL, CELL, NAN }, 4, NULL));
    must(world, rill_surface_create(world, &def, &surface));
    must(world, rill_surface_build(surface));
    must(world, rill_surface_get_mesh(surface, &mesh));
    assert_int_equal(mesh.vertex_count, 3);
    assert_int_equal(mesh.triangle_count, 1);
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
        /* Plenty runs over the platform's edges at 5 and 15 mm: it falls from almost the centres of the next cells. */
        assert_true(fabs((double)p[0] - 0.0154375) < 1e-6 || fabs((double)p[0] - 0.0045625) < 1e-6);
    }
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

/* A wall's face may be anywhere between two columns: the surface ends behind it, before the centre of the next cell;
 * and just behind it where the wall stands upright, as it does here. */
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
        assert_true(fabs(farthest - (face + 0.03 * CELL)) < 0.005 * CELL);
        rill_surface_destroy(surface);
        rill_world_destroy(world);
    }
}

/* Where the ground is almost flat, a film ends where its level meets it all the same. */
static void a_film_ends_where_its_level_meets_the_ground(void **state) {
    (void)state;
    double heights[8 * 2];
    rill_solid_def ground = rill_default_solid_def();
    ground.shape.type = RILL_SHAPE_HEIGHTMAP;
    ground.shape.heights = heights;
    ground.shape.heights_size[0] = 8, ground.shape.heights_size[1] = 2;
    for (int i = 0; i < 8 * 2; ++i) heights[i] = 0.01 * (i % 8) * CELL;
    rill_world *world = make_world(8, 2, &ground, 1);
    rill_surface *surface = NULL;
    for (int i = 1; i < 60; ++i) {
        const double level = 0.001 * i * CELL;
        double depths[8 * 2], farthest = 0;
        for (int k = 0; k < 8 * 2; ++k) depths[k] = fmax(level - heights[k], 0);
        must(world, rill_world_fill_depths(world, 0, depths, 8 * 2, NULL));
        const rill_surface_mesh mesh = build(world, &surface);
        for (size_t v = 0; v < mesh.vertex_count; ++v) farthest = fmax(farthest, (double)mesh.positions[3 * v]);
        assert_true(fabs(farthest - (0.5 + 0.1 * i) * CELL) < 0.005 * CELL);
    }
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

/* The edge of a slab that liquid goes below as well is a wall, as thin as it may be: not a bank that rises from the
 * ground. */
static void slabs_have_walls(void **state) {
    (void)state;
    const rill_solid_def solids[] = { box_def("floor", -1, -1, -1, 1, 1, 0),
                                      box_def("slab", 3 * CELL, -1, 0.3 * CELL, 1, 1, 0.9 * CELL) };
    rill_world *world = make_world(6, 4, solids, 2);
    rill_surface *surface = NULL;
    for (int i = 0; i < 10; ++i) {
        double depths[6 * 4];
        const double level = (0.35 + 0.05 * i) * CELL;
        for (int k = 0; k < 6 * 4; ++k) depths[k] = k % 6 < 3 ? level : 0.3 * CELL;
        must(world, rill_world_fill_depths(world, 0, depths, 6 * 4, NULL));
        const rill_surface_mesh mesh = build(world, &surface);
        double farthest = 0;
        for (size_t v = 0; v < mesh.vertex_count; ++v) {
            farthest = fmax(farthest, (double)mesh.positions[3 * v]);
            assert_true(fabs((double)mesh.positions[3 * v + 2] - level) < 1e-8);
        }
        assert_true(fabs(farthest - 3.4375 * CELL) < 1e-8);
    }
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

/* A block, three cells high, with a corner at (1.1, 0.28): between a column on it and one on the ground, and the
 * border, where the surface ends. It falls by three cells from the one to the other, and the corner is above it: it is
 * drawn back. As the lower one rises, it goes out to the border again, and nothing jumps. */
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

/* Triangles that face down lift nothing, and neither does what is out of reach: a box over the ground, between the columns. */
static void what_faces_down_lifts_nothing(void **state) {
    (void)state;
    const rill_solid_def solids[] = { box_def("floor", -1, -1, -1, 1, 1, 0),
                                      box_def("box", 2.2 * CELL, 2.3 * CELL, 0.6 * CELL, 4.7 * CELL, 4.9 * CELL,
                                              3 * CELL) };
    rill_world *world = make_world(7, 7, solids, 2);
    rill_surface *surface = NULL;
    must(world, rill_world_fill_level(world, (double[]){ 0.0005, 0.0005, 0.001 }, 0.1 * CELL, NULL));
    build(world, &surface);
    const rill_bed *bed = &world->bed;
    for (int32_t cell = 0; cell < 49; ++cell) {
        const int32_t place = bed->places[bed->cell_first[cell]];
        const double lift = (surface->floor[place] - bed->b[place]) * bed->quantum / CELL;
        assert_true(fabs(lift - 0.05) < 1e-5);
    }
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

/* A film below a lid, and a body beside it that is higher than the lid, and was in liquid just now: the ground below it
 * is a shore like any other. */
static void bodies_on_dry_ground_are_no_walls(void **state) {
    (void)state;
    const rill_solid_def solids[] = { box_def("floor", -1, -1, -1, 1, 1, 0),
                                      box_def("lid", -1, -1, CELL, 1, CELL, 9 * CELL) };
    rill_world *world = make_world(4, 6, solids, 2);
    rill_body_def body = rill_default_body_def();
    rill_body_id id;
    rill_surface *surface = NULL;
    double depths[4 * 6];
    for (int turn = 0; turn < 2; ++turn) {
        for (int i = 0; i < 4 * 6; ++i) depths[i] = (i < 4 ? 0.3 : turn == 0 ? 2 : 0) * CELL;
        must(world, rill_world_fill_depths(world, 0, depths, 4 * 6, NULL));
        if (turn == 1) break;
        body.shape.type = RILL_SHAPE_BOX;
        body.mass = INFINITY;
        set_size(&body.shape, 3 * CELL, 3 * CELL, 3 * CELL);
        memcpy(body.state.position, (double[]){ 2 * CELL, 3 * CELL, 1.7 * CELL }, sizeof body.state.position);
        must(world, rill_body_create(world, &body, &id));
        rill_world_step(world, 1e-4);
    }
    for (int i = 0; i < 4 * 6; ++i) depths[i] = i < 4 ? 0 : NAN; /* on the lid, where it was pushed aside */
    must(world, rill_world_fill_depths(world, 1, depths, 4 * 6, NULL));
    const rill_surface_mesh mesh = build(world, &surface);
    size_t shores = 0;
    for (size_t v = 0; v < mesh.vertex_count; ++v) shores += mesh.wetness[v] == 0.0f;
    assert_int_equal(shores, 4);
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

/* ---------------------------------------------------------------------------------------------------------- popping */

enum { SIDE = 14 };
static test_mesh landscape;

/* Bumps, as samples of a heightmap or as a mesh that has nothing to do with the cells, and some boxes, each turned
 * about its middle. */
static rill_world *make_bumps(uint64_t seed, bool as_mesh, size_t boxes) {
    enum { SAMPLES = 11 };
    static double heights[SAMPLES * SAMPLES];
    rill_solid_def solids[6], ground = rill_default_solid_def();
    for (int i = 0; i < SAMPLES * SAMPLES; ++i) heights[i] = chance(&seed, 0, 1.5 * CELL);
    ground.shape.type = as_mesh ? RILL_SHAPE_MESH : RILL_SHAPE_HEIGHTMAP;
    ground.shape.heights = heights;
    ground.shape.heights_size[0] = ground.shape.heights_size[1] = SAMPLES;
    if (as_mesh) {
        landscape.vertex_count = landscape.triangle_count = 0;
        for (uint32_t i = 0; i < SAMPLES * SAMPLES; ++i)
            mesh_vertex(&landscape, 1.6 * CELL * (i % SAMPLES + chance(&seed, -0.4, 0.4)) - CELL,
                        1.6 * CELL * (i / SAMPLES + chance(&seed, -0.4, 0.4)) - CELL, heights[i]);
        for (uint32_t i = 0; i < SAMPLES * (SAMPLES - 1); ++i)
            if (i % SAMPLES < SAMPLES - 1) mesh_quad(&landscape, i, i + 1, i + SAMPLES + 1, i + SAMPLES);
        const uint32_t below = mesh_vertex(&landscape, 7 * CELL, 7 * CELL, -9 * CELL), n = SAMPLES - 1;
        for (uint32_t i = 0; i < n; ++i) {
            mesh_triangle(&landscape, i + 1, i, below);
            mesh_triangle(&landscape, n * SAMPLES + i, n * SAMPLES + i + 1, below);
            mesh_triangle(&landscape, i * SAMPLES, (i + 1) * SAMPLES, below);
            mesh_triangle(&landscape, (i + 1) * SAMPLES + n, i * SAMPLES + n, below);
        }
        ground.shape.vertices = landscape.vertices, ground.shape.vertex_count = landscape.vertex_count;
        ground.shape.indices = landscape.indices, ground.shape.triangle_count = landscape.triangle_count;
    }
    solids[0] = ground;
    for (size_t i = 1; i <= boxes; ++i) {
        double half[3];
        for (int k = 0; k < 3; ++k) half[k] = CELL * chance(&seed, k < 2 ? 0.5 : 0.2, k < 2 ? 4 : 1.5);
        solids[i] = box_def(NULL, -half[0], -half[1], -half[2], half[0], half[1], half[2]);
        for (int k = 0; k < 3; ++k) solids[i].translate[k] = CELL * chance(&seed, 0, k < 2 ? SIDE : 2);
        for (int k = 0; k < 3; ++k) solids[i].rotate[k] = (k < 2 ? 60 : 180) * chance(&seed, -1, 1);
    }
    return make_world(SIDE, SIDE, solids, 1 + boxes);
}

/* All columns below a level are filled up to it. */
static void fill_all(rill_world *world, double level) {
    rill_bed_info info;
    must(world, rill_bed_get_info(world, &info));
    for (int32_t layer = 0; layer < info.layers; ++layer) {
        double base[SIDE * SIDE], ceiling[SIDE * SIDE];
        must(world, rill_world_read_field(world, RILL_FIELD_BASE, layer, base, SIDE * SIDE));
        must(world, rill_world_read_field(world, RILL_FIELD_CEILING, layer, ceiling, SIDE * SIDE));
        for (int i = 0; i < SIDE * SIDE; ++i)
            if (!isnan(base[i])) base[i] = fmax(0, fmin(level, ceiling[i]) - base[i]);
        must(world, rill_world_fill_depths(world, layer, base, SIDE * SIDE, NULL));
    }
}

/* The area of the surface over each quartet, in cells. */
static void measure_quartets(const rill_surface_mesh *mesh, double areas[(SIDE + 1) * (SIDE + 1)]) {
    for (int i = 0; i < (SIDE + 1) * (SIDE + 1); ++i) areas[i] = 0;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        double p[3][2], middle[2] = { 0.5, 0.5 };
        for (int k = 0; k < 3; ++k)
            for (size_t i = 0; i < 2; ++i) {
                p[k][i] = (double)mesh->positions[3 * mesh->indices[3 * t + (size_t)k] + i] / CELL;
                middle[i] += p[k][i] / 3;
            }
        areas[(int)middle[1] * (SIDE + 1) + (int)middle[0]] +=
            0.5 * ((p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]));
    }
}

/* The least difference between the bases and ceilings of columns of different cells of a quartet, in cells: shores are
 * fast where the ground is flat, and where it is as high as the ceiling beside it. */
static double steepness(const rill_bed *bed, int32_t x, int32_t y) {
    int32_t least = RILL_WALL, places[4][8], counts[4] = { 0 };
    for (int32_t k = 0; k < 4; ++k) {
        const int32_t cx = x + (k & 1), cy = y + (k >> 1);
        if (cx < 0 || cy < 0 || cx >= SIDE || cy >= SIDE) continue;
        const int32_t *first = bed->cell_first + cy * SIDE + cx;
        for (int32_t i = first[0]; i < first[1] && counts[k] < 8; ++i) places[k][counts[k]++] = bed->places[i];
        for (int32_t j = 0; j < k; ++j)
            for (int32_t a = 0; a < counts[k]; ++a)
                for (int32_t b = 0; b < counts[j]; ++b) {
                    const int32_t one = places[k][a], two = places[j][b];
                    const int32_t across = rill_min_i(abs(bed->b[one] - bed->c[two]), abs(bed->c[one] - bed->b[two]));
                    least = rill_min_i(least, rill_min_i(abs(bed->b[one] - bed->b[two]), across));
                    if (bed->c[one] < RILL_TOP) least = rill_min_i(least, abs(bed->c[one] - bed->c[two]));
                }
    }
    return least * bed->quantum / CELL;
}

/* The largest change over a quartet whose columns differ by a twentieth of a cell, while a pool rises by 1 % of one at
 * a time, so many times. */
static double largest_jump(rill_world *world, bool floor, int times) {
    static double areas[2][(SIDE + 1) * (SIDE + 1)];
    rill_surface_def def = rill_default_surface_def();
    def.floor = floor;
    rill_surface *surface;
    double most = 0;
    must(world, rill_surface_create(world, &def, &surface));
    for (int i = 0; i < times; ++i) {
        fill_all(world, 0.01 * (i + 0.5) * CELL);
        const rill_surface_mesh mesh = build(world, &surface);
        measure_quartets(&mesh, areas[i & 1]);
        for (int32_t k = 0; i > 0 && k < (SIDE + 1) * (SIDE + 1); ++k) {
            const double jump = fabs(areas[0][k] - areas[1][k]);
            if (jump > most && steepness(&world->bed, k % (SIDE + 1) - 1, k / (SIDE + 1) - 1) > 0.05) most = jump;
        }
    }
    rill_surface_destroy(surface);
    return most;
}

/* Pools rise, meet, and close over bumps: never more than a quarter of a cell at once. */
static void pools_rise_without_a_jump(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 6; ++seed)
        for (int floor = 0; floor < 2; ++floor) {
            rill_world *world = make_bumps(seed, seed & 1, 0);
            const double jump = largest_jump(world, floor, 200);
            if (jump > 0.25) fail_msg("world %d, floor %d: %g of a cell at once", (int)seed, floor, jump);
            rill_world_destroy(world);
        }
}

/* Pools rise among tilted boxes: there are walls, overhangs, pockets, and layers, and columns that the floor has to
 * lift over edges. */
static void pools_rise_among_boxes_without_a_jump(void **state) {
    (void)state;
    for (uint64_t seed = 13; seed <= 28; ++seed) {
        rill_world *world = make_bumps(seed, seed & 1, 1 + seed % 5);
        const double jump = largest_jump(world, true, 260);
        if (jump > 0.25) fail_msg("world %d: %g of a cell at once", (int)seed, jump);
        rill_world_destroy(world);
    }
}

/* A pool rises to a ceiling that is aslant: its surface ends where they meet, which moves as smoothly. */
static void pools_rise_to_a_ceiling_without_a_jump(void **state) {
    (void)state;
    rill_solid_def solids[] = { box_def("floor", -1, -1, -1, 1, 1, 0),
                                box_def("ceiling", -40 * CELL, -40 * CELL, 0, 40 * CELL, 40 * CELL, 9 * CELL) };
    solids[1].rotate[1] = 11;
    for (int i = 0; i < 3; ++i) solids[1].translate[i] = (i < 2 ? 0.5 * SIDE : 2) * CELL;
    rill_world *world = make_world(SIDE, SIDE, solids, 2);
    double ceiling[SIDE * SIDE], before = -1, exact_before = 0;
    must(world, rill_world_read_field(world, RILL_FIELD_CEILING, 0, ceiling, SIDE * SIDE));
    const double slope = (ceiling[0] - ceiling[SIDE - 1]) / (SIDE - 1);
    assert_true(slope > 0.1 * CELL);
    rill_surface *surface = NULL;
    for (int i = 0; i < 100; ++i) {
        const double level = (1.5 + 0.01 * i) * CELL, exact = (ceiling[0] - level) / slope + 0.5;
        fill_all(world, level);
        build(world, &surface);
        const double area = mesh_check(surface, CELL).area / (CELL * CELL);
        assert_true(fabs(area - SIDE * exact) < 0.15 * SIDE); /* it stays off the next centre by so much */
        if (before >= 0) assert_true(fabs((area - before) - SIDE * (exact - exact_before)) < 0.07 * SIDE);
        before = area;
        exact_before = exact;
    }
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ridge_is_not_cut),
        cmocka_unit_test(a_ridge_is_not_cut_beside_a_ceiling),
        cmocka_unit_test(links_are_strict),
        cmocka_unit_test(links_are_strict_in_a_sheet),
        cmocka_unit_test(three_columns_are_a_triangle_in_the_paper),
        cmocka_unit_test(what_faces_down_lifts_nothing),
        cmocka_unit_test(bodies_on_dry_ground_are_no_walls),
        cmocka_unit_test(pools_rise_without_a_jump),
        cmocka_unit_test(pools_rise_among_boxes_without_a_jump),
        cmocka_unit_test(pools_rise_to_a_ceiling_without_a_jump),
        cmocka_unit_test(a_film_ends_where_its_level_meets_the_ground),
        cmocka_unit_test(slabs_have_walls),
        cmocka_unit_test(skirts_hang_down_to_the_floor),
        cmocka_unit_test(the_surface_ends_inside_of_walls),
        cmocka_unit_test(the_surface_is_drawn_back_smoothly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
