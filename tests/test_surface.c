/* The surface through the public API: where it lies, how its outline moves, what happens at walls and edges, and that
 * it is the same mesh on any machine. Meshes of scenes are checked by mesh_check.h. */
#include "worlds.h"

#include <math.h>

#include "mesh_check.h"

static const double CELL = 0.001;

typedef double bed_shape(double x, double y); /* in cells, from the centre of the grid */

static rill_world_def square_def(int32_t cells) {
    rill_world_def def = plain_world_def();
    def.grid.cells[0] = def.grid.cells[1] = cells;
    def.grid.cell_size = CELL;
    return def;
}

/* A world whose ground has a shape. */
static rill_world *shaped_world(const rill_world_def *def, bed_shape *shape) {
    const int32_t nx = def->grid.cells[0], ny = def->grid.cells[1];
    double *heights = malloc((size_t)(nx * ny) * sizeof *heights);
    rill_world *world = NULL;
    rill_solid_id id;
    assert_non_null(heights);
    for (int32_t i = 0; i < nx * ny; ++i)
        heights[i] = CELL * shape(i % nx + 0.5 - 0.5 * nx, (double)(i / nx) + 0.5 - 0.5 * ny);
    assert_int_equal(rill_world_create(def, &world, NULL), RILL_OK);
    rill_solid_def ground = rill_default_solid_def();
    ground.shape.type = RILL_SHAPE_HEIGHTMAP;
    ground.shape.heights = heights;
    ground.shape.heights_size[0] = nx;
    ground.shape.heights_size[1] = ny;
    assert_int_equal(rill_solid_create(world, &ground, &id), RILL_OK);
    assert_int_equal(rill_bed_build(world), RILL_OK);
    free(heights);
    return world;
}

static rill_surface *new_surface(rill_world *world, const rill_surface_def *def) {
    rill_surface *surface = NULL;
    const rill_surface_def usual = rill_default_surface_def();
    assert_int_equal(rill_surface_create(world, def ? def : &usual, &surface), RILL_OK);
    return surface;
}

static rill_surface_info build(rill_surface *surface) {
    rill_surface_info info;
    assert_int_equal(rill_surface_build(surface), RILL_OK);
    assert_int_equal(rill_surface_get_info(surface, &info), RILL_OK);
    return info;
}

static mesh_report good_mesh(rill_surface *surface) {
    const mesh_report report = mesh_check(surface, CELL);
    if (report.text[0]) fail_msg("%s", report.text);
    assert_int_equal(report.unused, 0);
    return report;
}

static void fill_to(rill_world *world, double level) {
    rill_grid grid;
    assert_int_equal(rill_world_get_grid(world, &grid), RILL_OK);
    const double at[3] = { grid.origin[0] + 0.5 * grid.cells[0] * grid.cell_size,
                           grid.origin[1] + 0.5 * grid.cells[1] * grid.cell_size, grid.origin[2] + 0.02 };
    assert_int_equal(rill_world_fill_level(world, at, level, NULL), RILL_OK);
}

/* ----------------------------------------------------------------------------------------------------------- pools */

static double flat(double x, double y) {
    (void)x, (void)y;
    return 0;
}

static double cone(double x, double y) {
    return 0.3 * sqrt(x * x + y * y);
}

static double slope(double x, double y) {
    (void)y;
    return 3 + 0.2 * x;
}

static void a_pool_is_covered_up_to_the_border(void **state) {
    (void)state;
    const rill_world_def def = square_def(20);
    rill_world *world = shaped_world(&def, flat);
    rill_surface *surface = new_surface(world, NULL);
    fill_to(world, 2 * CELL);
    const rill_surface_info info = build(surface);
    const mesh_report report = good_mesh(surface);
    assert_int_equal(info.vertices, 400 + 80);
    assert_int_equal(info.shore_vertices, 80);
    assert_int_equal(report.broken_edges, 0);
    assert_true(fabs(report.area - (400 - 4 * 0.125) * CELL * CELL) < 1e-3 * CELL * CELL); /* corners are cut off */
    rill_surface_mesh mesh;
    assert_int_equal(rill_surface_get_mesh(surface, &mesh), RILL_OK);
    for (size_t v = 0; v < mesh.vertex_count; ++v) {
        assert_true(fabs((double)mesh.positions[3 * v + 2] - 2 * CELL) < 1e-9);
        assert_true(mesh.normals[3 * v + 2] > 0.999999f);
        assert_true(mesh.opacities[v] == 1.0f && mesh.wetness[v] == 1.0f);
    }
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

/* The checker finds what it is there for: each thing is broken once. */
static void the_checker_finds_what_is_broken(void **state) {
    (void)state;
    const rill_world_def def = square_def(8);
    rill_world *world = shaped_world(&def, flat);
    fill_to(world, 2 * CELL);
    static const char *const words[] = { "not finite",       "length", "faces down",     "range",  "without area",
                                         "in one direction", "",       "inside an edge", "opacity" };
    for (int i = 0; i < 9; ++i) {
        rill_surface *surface = new_surface(world, NULL);
        rill_surface_mesh mesh;
        build(surface);
        good_mesh(surface);
        assert_int_equal(rill_surface_get_mesh(surface, &mesh), RILL_OK);
        uint32_t *t = mesh.indices + 3 * 40;
        switch (i) {
        case 0: mesh.positions[7] = NAN; break;
        case 1: mesh.normals[5] = 0.5f; break;
        case 2: mesh.normals[5] = -1.0f; break;
        case 3: t[1] = 1000000; break;
        case 4: memcpy(mesh.positions + 3 * t[0], mesh.positions + 3 * t[1], 3 * sizeof(float)); break;
        case 5: memcpy(t + 3, t, 3 * sizeof *t); break;
        case 6: memcpy(t, mesh.indices, 3 * sizeof *t); break; /* one twice, and a hole */
        case 7: { /* the first rim is moved to the middle of the edge between the next two */
            const size_t rims = 64;
            for (size_t k = 0; k < 3; ++k)
                mesh.positions[3 * (rims + 8) + k] =
                    0.5f * (mesh.positions[3 * (rims + 10) + k] + mesh.positions[3 * (rims + 12) + k]);
            break;
        }
        default: mesh.opacities[3] = 1.5f; break;
        }
        const mesh_report report = mesh_check(surface, CELL);
        if (!report.text[0]) fail_msg("nothing was found for %d", i);
        if (i != 7 && !strstr(report.text, words[i])) fail_msg("\"%s\" was found for \"%s\"", report.text, words[i]);
        rill_surface_destroy(surface);
    }
    rill_world_destroy(world);
}

/* A triangle that is missing leaves edges that end at columns. */
static void the_checker_finds_holes(void **state) {
    (void)state;
    const rill_world_def def = square_def(8);
    rill_world *world = shaped_world(&def, flat);
    fill_to(world, 2 * CELL);
    rill_surface *surface = new_surface(world, NULL);
    rill_surface_mesh mesh;
    build(surface);
    assert_int_equal(rill_surface_get_mesh(surface, &mesh), RILL_OK);
    mesh_report report = { .text = "" };
    const rill_surface_info info = build(surface);
    memmove(mesh.indices + 3 * 60, mesh.indices + 3 * 61, 3 * (mesh.triangle_count - 61) * sizeof(uint32_t));
    mesh.triangle_count -= 1;
    assert_true(mesh_check_edges(&mesh, info.vertices - info.shore_vertices, CELL, &report));
    assert_int_equal(report.broken_edges, 3);
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

static void a_dry_world_has_no_surface(void **state) {
    (void)state;
    const rill_world_def def = square_def(5);
    rill_world *world = shaped_world(&def, flat);
    rill_surface *surface = new_surface(world, NULL);
    const rill_surface_info info = build(surface);
    assert_int_equal(info.vertices, 0);
    assert_int_equal(info.triangles, 0);
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

/* A pool rises in a cone: the outline is the circle where the level meets the ground, and grows without jumps. */
static void the_outline_moves_smoothly(void **state) {
    (void)state;
    const rill_world_def def = square_def(40);
    rill_world *world = shaped_world(&def, cone);
    rill_surface *surface = new_surface(world, NULL);
    double before = -1;
    for (int i = 0; i < 200; ++i) {
        const double level = (2 + 0.01 * i) * CELL, radius = level / 0.3;
        fill_to(world, level);
        build(surface);
        const mesh_report report = good_mesh(surface);
        assert_int_equal(report.broken_edges, 0);
        const double exact = 3.14159265358979 * radius * radius;
        if (before >= 0) {
            /* The growth of the exact circle, and a quarter of a cell. */
            const double growth = 2 * 3.14159265358979 * radius * 0.01 * CELL / 0.3;
            assert_true(report.area - before < growth + 0.25 * CELL * CELL);
            assert_true(report.area - before > -0.25 * CELL * CELL);
        }
        assert_true(fabs(report.area - exact) < 0.03 * exact);
        before = report.area;
    }
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

/* On a slope every vertex of the shore lies where bed and level meet. */
static void a_shore_lies_where_the_level_meets_the_bed(void **state) {
    (void)state;
    const rill_world_def def = square_def(20);
    rill_world *world = shaped_world(&def, slope);
    rill_surface_def plain = rill_default_surface_def();
    plain.floor = false;
    rill_surface *surface = new_surface(world, &plain);
    const double level = 3.131 * CELL, at[3] = { 0.5 * CELL, 10 * CELL, 0.02 };
    assert_int_equal(rill_world_fill_level(world, at, level, NULL), RILL_OK);
    build(surface);
    good_mesh(surface);
    rill_surface_mesh mesh;
    assert_int_equal(rill_surface_get_mesh(surface, &mesh), RILL_OK);
    size_t shore = 0;
    for (size_t v = 0; v < mesh.vertex_count; ++v) {
        const double x = (double)mesh.positions[3 * v], z = (double)mesh.positions[3 * v + 2];
        assert_true(fabs(z - level) < 1e-8);
        if (mesh.wetness[v] > 0) continue;
        assert_true(fabs(x - (10 * CELL + (level - 3 * CELL) / 0.2)) < 1e-6);
        assert_true(mesh.opacities[v] == 0.0f && mesh.depths[v] == 0.0f);
        shore += 1;
    }
    assert_int_equal(shore, 20);
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

/* --------------------------------------------------------------------------------------------- overhangs and walls */

/* `house` of worlds.h: a platform over a floor. */
static void an_overhang_has_a_skirt_while_liquid_runs_over_it(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    rill_surface *surface = new_surface(world, NULL);
    double depths[20 * 10];
    for (int i = 0; i < 20 * 10; ++i) depths[i] = 0.0005;
    assert_int_equal(rill_world_fill_depths(world, 1, depths, 20 * 10, NULL), RILL_OK);
    rill_surface_info info = build(surface);
    good_mesh(surface);
    assert_int_equal(info.skirt_triangles, 0); /* nothing moves yet */
    for (int i = 0; i < 3; ++i) rill_world_step(world, 0.002);
    info = build(surface);
    good_mesh(surface);
    assert_true(info.skirt_triangles >= 2 * 9);
    assert_true(info.skirt_vertices >= 2 * 10);
    rill_surface_def bare = rill_default_surface_def();
    bare.skirts = false;
    rill_surface *other = new_surface(world, &bare);
    info = build(other);
    good_mesh(other);
    assert_int_equal(info.skirt_triangles, 0);
    rill_surface_destroy(other);
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

/* Liquid that stands under the platform up to its underside has no surface there, and one beside it. */
static void flooded_columns_have_no_surface(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    rill_surface *surface = new_surface(world, NULL);
    const double below[3] = { 0.010, 0.005, 0.001 };
    assert_int_equal(rill_world_fill_level(world, below, 0.0045, NULL), RILL_OK);
    for (int i = 0; i < 3; ++i) rill_world_step(world, 0.01);
    build(surface);
    good_mesh(surface);
    rill_surface_mesh mesh;
    assert_int_equal(rill_surface_get_mesh(surface, &mesh), RILL_OK);
    size_t under = 0;
    for (size_t v = 0; v < mesh.vertex_count; ++v)
        under += mesh.wetness[v] > 0.5f && mesh.positions[3 * v] > 0.0063f && mesh.positions[3 * v] < 0.0137f;
    assert_int_equal(under, 0);
    assert_true(mesh.triangle_count > 0);
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

/* ------------------------------------------------------------------------------------------------------ as printed */

static void shores_of_the_paper(void **state) {
    (void)state;
    const rill_world_def def = square_def(24);
    rill_world *world = shaped_world(&def, cone);
    rill_surface_def paper = rill_default_surface_def();
    paper.smooth_shores = false;
    paper.meniscus = RILL_MENISCUS_NONE;
    paper.floor = false;
    rill_surface *surface = new_surface(world, &paper);
    fill_to(world, 2.02 * CELL);
    const rill_surface_info info = build(surface);
    const mesh_report report = mesh_check(surface, CELL);
    if (report.text[0]) fail_msg("%s", report.text);
    rill_surface_mesh mesh;
    assert_int_equal(rill_surface_get_mesh(surface, &mesh), RILL_OK);
    assert_true(info.shore_vertices > 20);
    assert_int_equal(info.extra_vertices, 0);
    assert_true(report.area > 3.14 * 6.7 * 6.7 * CELL * CELL);
    for (size_t v = 0; v < mesh.vertex_count;
         ++v) { /* dry vertices are at the centres of cells, and as high as the pool */
        const double x = (double)mesh.positions[3 * v] / CELL - 0.5;
        assert_true(fabs(x - round(x)) < 1e-4);
        assert_true(fabs((double)mesh.positions[3 * v + 2] - 2.02 * CELL) < 1e-8);
    }
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

/* ----------------------------------------------------------------------------------------- order and the same bits */

static double waves(double x, double y) {
    return 2 + 0.4 * sin(0.7 * x) * cos(0.5 * y);
}

static rill_world *wavy_world(const rill_runtime *runtime) {
    rill_world_def def = square_def(48);
    def.runtime = *runtime;
    rill_world *world = shaped_world(&def, waves);
    rill_solid_def plate = rill_default_solid_def();
    rill_solid_id id;
    const double min[3] = { 0.010, 0.012, 0.0028 }, max[3] = { 0.030, 0.033, 0.0032 };
    memcpy(plate.shape.min, min, sizeof min);
    memcpy(plate.shape.max, max, sizeof max);
    assert_int_equal(rill_solid_create(world, &plate, &id), RILL_OK);
    assert_int_equal(rill_bed_build(world), RILL_OK);
    const double at[3] = { 0.001, 0.001, 0.003 };
    assert_int_equal(rill_world_fill_level(world, at, 0.0023, NULL), RILL_OK);
    rill_source_def rain = rill_default_source_def();
    rill_source_id source;
    rain.shape = RILL_SOURCE_RAIN;
    rain.rain = 20000;
    assert_int_equal(rill_source_create(world, &rain, &source), RILL_OK);
    return world;
}

static void same_arrays(const rill_surface_mesh *a, const rill_surface_mesh *b) {
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_memory_equal(a->positions, b->positions, 3 * a->vertex_count * sizeof(float));
    assert_memory_equal(a->normals, b->normals, 3 * a->vertex_count * sizeof(float));
    assert_memory_equal(a->velocities, b->velocities, 3 * a->vertex_count * sizeof(float));
    assert_memory_equal(a->opacities, b->opacities, a->vertex_count * sizeof(float));
    assert_memory_equal(a->depths, b->depths, a->vertex_count * sizeof(float));
    assert_memory_equal(a->wetness, b->wetness, a->vertex_count * sizeof(float));
    assert_memory_equal(a->layers, b->layers, a->vertex_count * sizeof(int32_t));
    assert_memory_equal(a->indices, b->indices, 3 * a->triangle_count * sizeof(uint32_t));
}

/* Whatever was built before, by how many threads, with or without vectors: the same mesh. */
static void the_same_bits(void **state) {
    (void)state;
    for (int form = 0; form < 3; ++form) {
        rill_surface_def def = rill_default_surface_def();
        def.smooth_shores = form != 1;
        def.form = form == 2 ? RILL_SURFACE_GRIDS : RILL_SURFACE_MESH;
        rill_world *worlds[3];
        rill_surface *surfaces[3];
        for (int i = 0; i < 3; ++i) {
            rill_runtime runtime = rill_default_world_def().runtime;
            runtime.tasks.threads = i == 1 ? 3 : 1;
            runtime.scalar = i == 2;
            worlds[i] = wavy_world(&runtime);
            surfaces[i] = new_surface(worlds[i], &def);
        }
        for (int step = 0; step < 12; ++step) {
            rill_surface_mesh meshes[4];
            rill_surface_info infos[3];
            for (int i = 0; i < 3; ++i) {
                rill_world_step(worlds[i], 0.004);
                infos[i] = build(surfaces[i]);
                assert_int_equal(rill_surface_get_mesh(surfaces[i], &meshes[i]), RILL_OK);
            }
            rill_surface *fresh = new_surface(worlds[0], &def); /* one that has seen nothing before */
            build(fresh);
            assert_int_equal(rill_surface_get_mesh(fresh, &meshes[3]), RILL_OK);
            for (int i = 1; i < 4; ++i) same_arrays(&meshes[0], &meshes[i]);
            assert_true(infos[0].topology == infos[1].topology && infos[0].topology == infos[2].topology);
            rill_surface_destroy(fresh);
        }
        for (int i = 0; i < 3; ++i) {
            rill_surface_destroy(surfaces[i]);
            rill_world_destroy(worlds[i]);
        }
    }
}

/* Indices are the same as long as the topology's number is. */
static void topology_tells_when_indices_change(void **state) {
    (void)state;
    const rill_runtime runtime = rill_default_world_def().runtime;
    rill_world *world = wavy_world(&runtime);
    rill_surface *surface = new_surface(world, NULL);
    rill_surface_info before = build(surface);
    rill_surface_info again = build(surface);
    assert_true(before.topology == again.topology);
    uint32_t *indices = NULL;
    size_t count = 0;
    int changes = 0;
    for (int step = 0; step < 40; ++step) {
        const rill_surface_info info = build(surface);
        rill_surface_mesh mesh;
        assert_int_equal(rill_surface_get_mesh(surface, &mesh), RILL_OK);
        const bool same =
            indices && count == mesh.triangle_count && memcmp(indices, mesh.indices, 12 * mesh.triangle_count) == 0;
        if (indices) assert_int_equal(same, info.topology == before.topology);
        changes += !same;
        free(indices);
        count = mesh.triangle_count;
        indices = malloc(12 * count + 1);
        assert_non_null(indices);
        memcpy(indices, mesh.indices, 12 * count);
        before = info;
        rill_world_step(world, 0.0005);
    }
    assert_true(changes > 3);
    free(indices);
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

/* ----------------------------------------------------------------------------------------------------------- grids */

static void grids_keep_their_topology(void **state) {
    (void)state;
    const rill_runtime runtime = rill_default_world_def().runtime;
    rill_world *world = wavy_world(&runtime);
    rill_surface_def def = rill_default_surface_def();
    def.form = RILL_SURFACE_GRIDS;
    rill_surface *surface = new_surface(world, &def);
    const rill_surface_info before = build(surface);
    assert_int_equal(before.vertices, 2 * 48 * 48);
    assert_int_equal(before.triangles, 2 * 2 * 47 * 47);
    for (int step = 0; step < 10; ++step) {
        rill_world_step(world, 0.01);
        const rill_surface_info info = build(surface);
        assert_int_equal(info.vertices, before.vertices);
        assert_true(info.topology == before.topology);
        rill_surface_mesh mesh;
        assert_int_equal(rill_surface_get_mesh(surface, &mesh), RILL_OK);
        for (size_t v = 0; v < mesh.vertex_count; ++v) {
            const float *p = mesh.positions + 3 * v;
            const double point[3] = { (double)p[0], (double)p[1], (double)p[2] };
            rill_sample sample;
            assert_true(isfinite(point[2]));
            if (mesh.wetness[v] == 0.0f) {
                assert_true(mesh.opacities[v] == 0.0f);
                continue;
            }
            assert_int_equal(rill_query_points(world, point, 1, &sample), RILL_OK);
            assert_true(sample.wet);
            assert_int_equal(sample.layer, mesh.layers[v]);
        }
    }
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

/* ---------------------------------------------------------------------------------------------------------- memory */

static void builds_take_no_memory_after_the_first(void **state) {
    (void)state;
    test_memory memory = { 0 };
    rill_runtime runtime = rill_default_world_def().runtime;
    runtime.allocator = test_allocator(&memory);
    rill_world *world = wavy_world(&runtime);
    rill_surface *surface = new_surface(world, NULL);
    for (int i = 0; i < 20; ++i) { /* until everything is wet */
        rill_world_step(world, 0.02);
        build(surface);
    }
    for (int i = 0; i < 8; ++i) {
        const long count = memory.count;
        rill_world_step(world, 0.001);
        build(surface);
        assert_int_equal(memory.count, count);
    }
    rill_surface_destroy(surface);
    rill_world_destroy(world);
    assert_int_equal(memory.live, 0);
}

/* Each request fails once: an error, and the next build is as good as any. */
static void memory_that_fails_is_an_error(void **state) {
    (void)state;
    for (int form = 0; form < 3; ++form) {
        rill_surface_def def = rill_default_surface_def();
        def.smooth_shores = form != 1;
        def.form = form == 2 ? RILL_SURFACE_GRIDS : RILL_SURFACE_MESH;
        test_memory memory = { 0 };
        rill_runtime runtime = rill_default_world_def().runtime;
        runtime.allocator = test_allocator(&memory);
        rill_world *world = wavy_world(&runtime);
        rill_world_step(world, 0.01);
        bool done = false;
        for (long k = 1; !done && k < 500; ++k) {
            rill_surface *surface = NULL;
            memory.count = 0;
            memory.fail_at = k;
            rill_result result = rill_surface_create(world, &def, &surface);
            if (!result) result = rill_surface_build(surface);
            done = memory.count < k;
            memory.fail_at = 0;
            assert_int_equal(result, done ? RILL_OK : RILL_OUT_OF_MEMORY);
            if (!done && surface) {
                rill_surface_mesh mesh;
                assert_int_equal(rill_surface_get_mesh(surface, &mesh), RILL_INVALID_STATE);
                build(surface);
                if (form == 0) good_mesh(surface);
            }
            rill_surface_destroy(surface);
        }
        assert_true(done);
        rill_world_destroy(world);
        assert_int_equal(memory.live, 0);
    }
}

static void write_copies_what_is_wanted(void **state) {
    (void)state;
    const rill_runtime runtime = rill_default_world_def().runtime;
    rill_world *world = wavy_world(&runtime);
    rill_surface *surface = new_surface(world, NULL);
    rill_surface_mesh mesh, out = { 0 };
    assert_int_equal(rill_surface_write(surface, &out), RILL_INVALID_STATE);
    build(surface);
    assert_int_equal(rill_surface_get_mesh(surface, &mesh), RILL_OK);
    assert_int_equal(rill_surface_write(surface, &out), RILL_INVALID_ARGUMENT);
    assert_int_equal(out.vertex_count, mesh.vertex_count);
    assert_int_equal(out.triangle_count, mesh.triangle_count);
    out.positions = malloc(12 * mesh.vertex_count);
    out.indices = malloc(12 * mesh.triangle_count);
    assert_true(out.positions && out.indices);
    assert_int_equal(rill_surface_write(surface, &out), RILL_OK);
    assert_memory_equal(out.positions, mesh.positions, 12 * mesh.vertex_count);
    assert_memory_equal(out.indices, mesh.indices, 12 * mesh.triangle_count);
    out.triangle_count -= 1;
    assert_int_equal(rill_surface_write(surface, &out), RILL_INVALID_ARGUMENT);
    free(out.positions);
    free(out.indices);
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

static void bad_arguments_are_refused(void **state) {
    (void)state;
    rill_world_def def = square_def(4);
    rill_world *world = NULL;
    rill_surface *surface = NULL;
    rill_surface_def good = rill_default_surface_def(), bad = good;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    assert_int_equal(rill_surface_create(world, &good, &surface), RILL_INVALID_STATE);
    assert_non_null(strstr(rill_world_message(world), "rill_bed_build"));
    rill_world_destroy(world);
    world = shaped_world(&def, flat);
    assert_int_equal(rill_surface_create(NULL, &good, &surface), RILL_INVALID_ARGUMENT);
    assert_int_equal(rill_surface_create(world, NULL, &surface), RILL_INVALID_ARGUMENT);
    assert_int_equal(rill_surface_create(world, &good, NULL), RILL_INVALID_ARGUMENT);
    bad.opaque_depth = 0;
    assert_int_equal(rill_surface_create(world, &bad, &surface), RILL_INVALID_ARGUMENT);
    assert_non_null(strstr(rill_world_message(world), "opaque_depth"));
    bad = good, bad.meniscus = (rill_meniscus)9;
    assert_int_equal(rill_surface_create(world, &bad, &surface), RILL_INVALID_ARGUMENT);
    bad = good, bad.form = (rill_surface_form)2;
    assert_int_equal(rill_surface_create(world, &bad, &surface), RILL_INVALID_ARGUMENT);
    bad = good, bad.falloff = (rill_falloff)5;
    assert_int_equal(rill_surface_create(world, &bad, &surface), RILL_INVALID_ARGUMENT);
    assert_null(surface);
    assert_int_equal(rill_surface_build(NULL), RILL_INVALID_ARGUMENT);
    assert_int_equal(rill_surface_get_mesh(NULL, NULL), RILL_INVALID_ARGUMENT);
    assert_int_equal(rill_surface_get_info(NULL, NULL), RILL_INVALID_ARGUMENT);
    rill_surface_destroy(NULL);
    rill_world_destroy(world);
}

/* A solid moves, and the world is rewound: the surface follows. */
static void surfaces_follow_the_bed(void **state) {
    (void)state;
    const rill_runtime runtime = rill_default_world_def().runtime;
    rill_world *world = wavy_world(&runtime);
    rill_surface *surface = new_surface(world, NULL);
    build(surface);
    const size_t size = rill_snapshot_size(world);
    void *snapshot = malloc(size);
    size_t written;
    assert_non_null(snapshot);
    assert_int_equal(rill_snapshot_save(world, snapshot, size, &written), RILL_OK);
    rill_solid_def ball = rill_default_solid_def();
    rill_solid_id id;
    ball.shape.type = RILL_SHAPE_SPHERE;
    ball.shape.centre[0] = ball.shape.centre[1] = 0.02;
    ball.shape.centre[2] = 0.003;
    ball.shape.radius = 0.004;
    assert_int_equal(rill_solid_create(world, &ball, &id), RILL_OK);
    for (int i = 0; i < 6; ++i) {
        const double to[3] = { 0.002 * i, 0, 0.001 * i }, turn[3] = { 0, 0, 0 };
        assert_int_equal(rill_solid_set_pose(world, id, to, turn), RILL_OK);
        rill_world_step(world, 0.002);
        build(surface);
        good_mesh(surface);
        rill_surface *fresh = new_surface(world, NULL);
        rill_surface_mesh meshes[2];
        build(fresh);
        assert_int_equal(rill_surface_get_mesh(surface, &meshes[0]), RILL_OK);
        assert_int_equal(rill_surface_get_mesh(fresh, &meshes[1]), RILL_OK);
        same_arrays(&meshes[0], &meshes[1]);
        rill_surface_destroy(fresh);
    }
    assert_int_equal(rill_snapshot_restore(world, snapshot, written), RILL_OK);
    build(surface);
    good_mesh(surface);
    free(snapshot);
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

/* --------------------------------------------------------------------------------------------- solids as triangles */

static void solids_have_meshes(void **state) {
    (void)state;
    const rill_runtime runtime = rill_default_world_def().runtime;
    rill_world *world = wavy_world(&runtime);
    assert_int_equal(rill_world_solid_count(world), 2);
    assert_int_equal(rill_world_solid_at(world, 2).value, 0);
    assert_int_equal(rill_world_solid_at(world, -1).value, 0);
    rill_solid_mesh mesh;
    assert_int_equal(rill_solid_get_mesh(world, rill_world_solid_at(world, 0), &mesh), RILL_OK);
    assert_int_equal(mesh.vertex_count, 50 * 50); /* samples, and a ring at the border */
    assert_int_equal(mesh.triangle_count, 2 * 49 * 49);
    double low = 1, high = -1;
    for (size_t v = 0; v < mesh.vertex_count; ++v) {
        low = fmin(low, mesh.vertices[3 * v]);
        high = fmax(high, mesh.vertices[3 * v]);
        const double x = mesh.vertices[3 * v] / CELL - 24, y = mesh.vertices[3 * v + 1] / CELL - 24;
        if (fabs(x) < 24 && fabs(y) < 24) assert_true(fabs(mesh.vertices[3 * v + 2] - CELL * waves(x, y)) < 1e-12);
    }
    assert_true(fabs(low) < 1e-12 && fabs(high - 0.048) < 1e-12);
    assert_int_equal(rill_solid_get_mesh(world, rill_world_solid_at(world, 1), &mesh), RILL_OK);
    assert_int_equal(mesh.vertex_count, 8);
    assert_int_equal(mesh.triangle_count, 12);
    assert_int_equal(rill_solid_get_mesh(world, (rill_solid_id){ 0 }, &mesh), RILL_INVALID_ID);
    rill_solid_def plane = rill_default_solid_def();
    rill_solid_id id;
    plane.shape.type = RILL_SHAPE_PLANE;
    plane.shape.axis[0] = 0.1, plane.shape.axis[1] = 0, plane.shape.axis[2] = 1;
    assert_int_equal(rill_solid_create(world, &plane, &id), RILL_OK);
    assert_int_equal(rill_solid_get_mesh(world, id, &mesh), RILL_OK);
    assert_int_equal(mesh.vertex_count, 4);
    for (size_t v = 0; v < 4; ++v) assert_true(fabs(mesh.vertices[3 * v + 2] + 0.1 * mesh.vertices[3 * v]) < 1e-15);
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit_test_alone(a_pool_is_covered_up_to_the_border),
        unit_test_alone(the_checker_finds_what_is_broken),
        unit_test_alone(the_checker_finds_holes),
        unit_test_alone(a_dry_world_has_no_surface),
        unit_test_alone(the_outline_moves_smoothly),
        unit_test_alone(a_shore_lies_where_the_level_meets_the_bed),
        unit_test_alone(an_overhang_has_a_skirt_while_liquid_runs_over_it),
        unit_test_alone(flooded_columns_have_no_surface),
        unit_test_alone(shores_of_the_paper),
        cmocka_unit_test(the_same_bits),
        unit_test_alone(topology_tells_when_indices_change),
        unit_test_alone(grids_keep_their_topology),
        unit_test_alone(builds_take_no_memory_after_the_first),
        unit_test_alone(memory_that_fails_is_an_error),
        unit_test_alone(write_copies_what_is_wanted),
        unit_test_alone(bad_arguments_are_refused),
        unit_test_alone(surfaces_follow_the_bed),
        unit_test_alone(solids_have_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
