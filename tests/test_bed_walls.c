/* Walls thinner than a cell hold liquid, whatever their direction; and nothing but such walls is thickened.
 *
 * Liquid at a level below the top of a wall must not find a way around it through the columns (`flows` in
 * bed_scenes.h), and must find one where there is one. Cells are 1 m wide. */
#include "bed_scenes.h"

#include <stdlib.h>
#include <time.h>

static test_mesh mesh;

enum { HOLLOWS = 200 / ALONE_PART };

static void start(bed_scene *scene, int32_t nx, int32_t ny) {
    *scene = scene_of(nx, ny, 1.0);
    scene->def.headroom = 5.0;
    add_floor(scene);
    mesh.vertex_count = mesh.triangle_count = 0;
}

/* A wall of a given thickness from one point to another; an open sheet when the thickness is 0. */
static void mesh_wall(double x0, double y0, double x1, double y1, double thickness, double z0, double z1) {
    double dx = x1 - x0, dy = y1 - y0, length = sqrt(dx * dx + dy * dy);
    double nx = -dy / length * 0.5 * thickness, ny = dx / length * 0.5 * thickness;
    uint32_t a = mesh_vertex(&mesh, x0 - nx, y0 - ny, z0), b = mesh_vertex(&mesh, x1 - nx, y1 - ny, z0);
    uint32_t c = mesh_vertex(&mesh, x1 - nx, y1 - ny, z1), d = mesh_vertex(&mesh, x0 - nx, y0 - ny, z1);
    mesh_quad(&mesh, a, b, c, d);
    if (thickness <= 0) return;
    uint32_t e = mesh_vertex(&mesh, x0 + nx, y0 + ny, z0), f = mesh_vertex(&mesh, x1 + nx, y1 + ny, z0);
    uint32_t g = mesh_vertex(&mesh, x1 + nx, y1 + ny, z1), h = mesh_vertex(&mesh, x0 + nx, y0 + ny, z1);
    mesh_quad(&mesh, f, e, h, g);
    mesh_quad(&mesh, b, a, e, f);
    mesh_quad(&mesh, d, c, g, h);
    mesh_quad(&mesh, a, d, h, e);
    mesh_quad(&mesh, c, b, f, g);
}

static const double THICK[] = { 0.1, 0.02, 0.0, 0.6, 1.3 };
enum { THICKNESSES = sizeof THICK / sizeof THICK[0] };

/* Upright walls through the middle of the grid at many angles and offsets, also along rows and exactly on centres. */
static void straight_walls_hold(void **state) {
    (void)state;
    for (int t = 0; t < THICKNESSES; ++t)
        for (int angle = 0; angle < 180; angle += 15)
            for (int offset = 0; offset < 4; ++offset) {
                bed_scene scene;
                start(&scene, 20, 20);
                double s = sin(angle * 0.017453292519943295), c = cos(angle * 0.017453292519943295);
                if (angle == 90) c = 0;
                double mx = 10 + 0.25 * offset, my = 10 + 0.5 * (offset / 2), nx = -s, ny = c;
                mesh_wall(mx - 30 * c, my - 30 * s, mx + 30 * c, my + 30 * s, THICK[t], -0.5, 3);
                add_mesh(&scene, &mesh);
                build_bed(&scene);
                double from[3] = { mx + 6 * nx, my + 6 * ny, 0 }, to[3] = { mx - 6 * nx, my - 6 * ny, 0 };
                if (flows(&scene, from, to, 2.999))
                    fail_msg("thickness %g, angle %d, offset %d leaks", THICK[t], angle, offset);
                assert_true(flows(&scene, from, to, 3.001));
                free_scene(&scene);
            }
}

/* Round walls: closed shells and open tubes, down to less than a cell across. */
static void round_walls_hold(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int round = 0; round < 120; ++round) {
        bed_scene scene;
        start(&scene, 24, 24);
        double r = chance(&seed, 1.2, 8), x = chance(&seed, 11, 13), y = chance(&seed, 11, 13), t = THICK[round % 4];
        double rings[4][2] = { { r, -0.2 }, { r, 4 }, { r - t, 4 }, { r - t, -0.2 } };
        if (r - t < 0.8) rings[2][0] = rings[3][0] = 0.8;
        mesh_turned(&mesh, x, y, (const double(*)[2])rings, t > 0 ? 4 : 2, 5 + (uint32_t)round % 40, t > 0);
        add_mesh(&scene, &mesh);
        build_bed(&scene);
        double from[3] = { x, y, 0 }, to[3] = { 0.5, 0.5, 0 };
        int32_t cx = (int32_t)x, cy = (int32_t)y;
        if (scene.bed.b[scene.bed.places[rill_bed_column(&scene.bed, cx, cy, 0)]] == 0) {
            if (flows(&scene, from, to, 3.99)) fail_msg("round %d leaks: radius %g, thickness %g", round, r, t);
            assert_true(flows(&scene, from, to, 4.01));
        }
        free_scene(&scene);
    }
}

/* Primitives: thin boxes turned about z, and a thin ring lying in the floor, which is a kerb. */
static void primitive_walls_hold(void **state) {
    (void)state;
    for (int angle = 0; angle < 180; angle += 11) {
        bed_scene scene;
        start(&scene, 20, 20);
        rill_solid_def wall = box_def("wall", -30, -0.05, -1, 30, 0.05, 2);
        wall.rotate[2] = angle;
        memcpy(wall.translate, (double[]){ 10.1, 10.3, 0 }, sizeof wall.translate);
        add_solid(&scene, &wall);
        build_bed(&scene);
        double s = sin(angle * 0.017453292519943295), c = cos(angle * 0.017453292519943295);
        double from[3] = { 10.1 - 7 * s, 10.3 + 7 * c, 0 }, to[3] = { 10.1 + 7 * s, 10.3 - 7 * c, 0 };
        assert_false(flows(&scene, from, to, 1.999));
        assert_true(flows(&scene, from, to, 2.001));
        free_scene(&scene);
    }
    for (int i = 0; i < 8; ++i) {
        bed_scene scene;
        start(&scene, 24, 24);
        rill_solid_def ring = rill_default_solid_def();
        ring.shape.type = RILL_SHAPE_TORUS;
        memcpy(ring.shape.centre, (double[]){ 12 + 0.1 * i, 12 - 0.05 * i, 0.02 * i }, sizeof ring.shape.centre);
        ring.shape.radius = 6.3 + 0.31 * i;
        ring.shape.tube = 0.15;
        add_solid(&scene, &ring);
        build_bed(&scene);
        double from[3] = { 12, 12, 0 }, to[3] = { 0.5, 0.5, 0 };
        /* It holds as far up as its sides are steep; the round top may be sampled beside its crest. */
        assert_false(flows(&scene, from, to, ring.shape.centre[2] + 0.4 * ring.shape.tube));
        assert_true(flows(&scene, from, to, ring.shape.centre[2] + 1.01 * ring.shape.tube));
        free_scene(&scene);
    }
}

/* A thin-walled bowl, all slopes from flat to upright: liquid stays in it up to the rim, and out of it from below. */
static void bowls_hold(void **state) {
    (void)state;
    for (int i = 0; i < 24; ++i) {
        bed_scene scene;
        start(&scene, 30, 30);
        double rings[26][2], x = 15 + 0.13 * (i % 5), y = 15.1 - 0.17 * (i % 7), r = 7.5 + 0.37 * (i % 4),
                             t = i % 3 ? 0.2 : 0.0;
        for (int k = 0; k < 13; ++k) {
            double angle = 1.5707963267948966 * k / 12.0; /* from the lowest point to the rim */
            rings[k][0] = k ? r * sin(angle) : 0, rings[k][1] = 10 - r * cos(angle);
            rings[25 - k][0] = k ? (r - t) * sin(angle) : 0, rings[25 - k][1] = 10 - (r - t) * cos(angle);
        }
        mesh_turned(&mesh, x, y, (const double(*)[2])rings, t > 0 ? 26 : 13, 36, false);
        add_mesh(&scene, &mesh);
        build_bed(&scene);
        double from[3] = { x, y, 9.5 }, to[3] = { x, y, 0 };
        assert_false(flows(&scene, from, to, 9.7));
        assert_false(flows(&scene, to, from, 9.7));
        assert_true(flows(&scene, from, to, 11));
        free_scene(&scene);
    }
}

/* A room with a ceiling, parted by a thin wall up to it, with and without a window. */
static void walls_reach_ceilings(void **state) {
    (void)state;
    for (int window = 0; window < 2; ++window)
        for (int angle = 0; angle < 3; ++angle) {
            bed_scene scene;
            start(&scene, 20, 16);
            add_box(&scene, -5, -5, 3, 25, 25, 4);
            double lean = angle * 2.7;
            if (window) {
                mesh_wall(9.9 - lean, -5, 10.1, 8, 0.05, -1, 3.5);
                mesh_wall(10.1, 8, 10.1 + lean, 21, 0.05, -1, 1);
                mesh_wall(10.1, 8, 10.1 + lean, 21, 0.05, 2, 3.5);
            } else
                mesh_wall(9.9 - lean, -5, 10.1 + lean, 21, 0.05, -1, 3.5);
            add_mesh(&scene, &mesh);
            build_bed(&scene);
            double from[3] = { 1.5, 8.5, 0 }, to[3] = { 18.5, 8.5, 0 };
            assert_false(flows(&scene, from, to, window ? 0.999 : 3.0));
            if (window) assert_true(flows(&scene, from, to, 1.5));
            free_scene(&scene);
        }
}

/* A roof of one inclined plate parts what is above it from what is below. */
static void inclined_plates_hold(void **state) {
    (void)state;
    for (int i = 0; i < 16; ++i) {
        bed_scene scene;
        start(&scene, 24, 24);
        rill_solid_def plate = box_def("plate", -40, -40, -0.05, 40, 40, 0.05);
        plate.rotate[0] = 5.0 * (i % 8);
        plate.rotate[1] = 20.0 * (i / 8);
        memcpy(plate.translate, (double[]){ 12, 12, 30 }, sizeof plate.translate);
        add_solid(&scene, &plate);
        build_bed(&scene);
        assert_int_equal(scene.bed.info.layers, 2);
        double from[3] = { 12, 12, 31 }, to[3] = { 12, 12, 0 };
        assert_false(flows(&scene, from, to, scene.bed.info.highest));
        /* Floors stay where they were sampled. */
        for (int32_t cell = 0; cell < 24 * 24; ++cell) {
            double low[2], high[2];
            assert_int_equal(rill_line_cuts(scene.solids[1], cell % 24 + 0.5, cell / 24 + 0.5, low, high), 1);
            double z = rill_bed_z(&scene.bed, scene.bed.b[scene.bed.places[scene.bed.cell_first[cell] + 1]]);
            assert_true(fabs(z - high[0]) <= scene.bed.quantum);
        }
        free_scene(&scene);
    }
}

/* Hollow things with thin walls, turned any way, have an inside that nothing enters at any level. */
static void hollow_things_are_tight(void **state) {
    (void)state;
    uint64_t seed = 21;
    for (int i = 0; i < HOLLOWS; ++i) {
        bed_scene scene;
        start(&scene, 28, 28);
        double t = chance(&seed, 0.02, 0.4), r = chance(&seed, 4, 9);
        if (i % 2) {
            mesh_ball(&mesh, 0, 0, 0, r, 0.0, 6 + (uint32_t)i % 23);
            mesh_ball(&mesh, 0, 0, 0, r - t, 0.0, 6 + (uint32_t)i % 23);
        } else {
            mesh_box(&mesh, (double[]){ -r, -5, -4 }, (double[]){ r, 5, 4 });
            mesh_box(&mesh, (double[]){ t - r, t - 5, t - 4 }, (double[]){ r - t, 5 - t, 4 - t });
        }
        for (size_t k = mesh.triangle_count / 2; k < mesh.triangle_count; ++k) { /* the inner shell, inside out */
            uint32_t *corner = mesh.indices + 3 * k, swap = corner[0];
            corner[0] = corner[1], corner[1] = swap;
        }
        rill_solid_def def = rill_default_solid_def();
        def.shape.type = RILL_SHAPE_MESH;
        def.shape.vertices = mesh.vertices, def.shape.vertex_count = mesh.vertex_count;
        def.shape.indices = mesh.indices, def.shape.triangle_count = mesh.triangle_count;
        for (int k = 0; k < 3; ++k) def.rotate[k] = chance(&seed, 0, 360);
        memcpy(def.translate, (double[]){ chance(&seed, 13, 15), chance(&seed, 13, 15), 20 }, sizeof def.translate);
        rill_solid *solid = scene.solids[add_solid(&scene, &def)];
        if (i % 3 == 0) assert_true(rill_solid_measure(solid, 1.0, &scene.allocator)); /* must not overlook them */
        build_bed(&scene);
        double inside[3] = { def.translate[0], def.translate[1], 20 }, below[3] = { inside[0], inside[1], 0 };
        if (flows(&scene, inside, below, scene.bed.info.highest)) fail_msg("round %d leaks", i);
        free_scene(&scene);
    }
}

/* How thin a mesh is does not depend on where it is; a thick one has no thin triangles, a hollow one has no other. */
static void thickness_is_measured(void **state) {
    (void)state;
    for (int i = 0; i < 6; ++i) {
        const bool hollow = i % 2;
        bed_scene scene;
        start(&scene, 28, 28);
        mesh_ball(&mesh, 0, 0, 0, 9, 0.0, 30);
        if (hollow) mesh_ball(&mesh, 0, 0, 0, 8.6, 0.0, 30);
        for (size_t k = hollow ? mesh.triangle_count / 2 : mesh.triangle_count; k < mesh.triangle_count; ++k) {
            uint32_t *corner = mesh.indices + 3 * k, swap = corner[0];
            corner[0] = corner[1], corner[1] = swap;
        }
        rill_solid *solid = scene.solids[add_mesh(&scene, &mesh)];
        const double translate[3] = { 14.0 + i, 13.0, 20.0 }, rotate[3] = { 20.0 * i, 31.0 * i, 0.0 };
        assert_int_equal(rill_solid_repose(solid, translate, rotate, &scene.allocator, NULL), RILL_OK);
        assert_true(rill_solid_measure(solid, 1.0, &scene.allocator));
        assert_non_null(solid->thin);
        for (size_t t = 0; t < solid->triangle_count; ++t) /* at the poles there are some without area */
            if (solid->parts[t] != RILL_NO_PART) assert_int_equal(solid->thin[t], hollow);
        assert_int_equal(rill_solid_reshape(solid, mesh.vertices, mesh.vertex_count, &scene.allocator, NULL), RILL_OK);
        assert_true(solid->soft && !solid->thin); /* not known any more */
        free_scene(&scene);
    }
}

/* The unit normal and the centre of a triangle; returns the radius around it. */
static double facet_of(const rill_solid *solid, size_t triangle, double normal[3], double centre[3]) {
    const double *p[3];
    double radius = 0.0, length = 0.0;
    for (int k = 0; k < 3; ++k) p[k] = solid->vertices + 3 * (size_t)solid->indices[3 * triangle + (size_t)k];
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, m = (i + 2) % 3;
        centre[i] = (p[0][i] + p[1][i] + p[2][i]) / 3.0;
        normal[i] = (p[1][j] - p[0][j]) * (p[2][m] - p[0][m]) - (p[1][m] - p[0][m]) * (p[2][j] - p[0][j]);
    }
    for (int i = 0; i < 3; ++i) length += normal[i] * normal[i];
    for (int i = 0; i < 3; ++i) normal[i] /= length > 0.0 ? sqrt(length) : 1.0;
    for (int k = 0; k < 3; ++k)
        radius = fmax(radius, hypot(hypot(p[k][0] - centre[0], p[k][1] - centre[1]), p[k][2] - centre[2]));
    return radius;
}

/* Whether two triangles are so near that a wall may be between them, and look apart by more than a right angle; -1:
 * rounding tells. */
static int are_opposed(const rill_solid *solid, size_t a, size_t b) {
    double n[2][3], c[2][3], dot = 0.0, apart = 0.0;
    const double reach = 2.0 + facet_of(solid, a, n[0], c[0]) + facet_of(solid, b, n[1], c[1]);
    for (int i = 0; i < 3; ++i) dot += n[0][i] * n[1][i], apart += (c[0][i] - c[1][i]) * (c[0][i] - c[1][i]);
    if (fabs(dot) < 1e-5 || fabs(sqrt(apart) - reach) < 1e-4) return dot != 0.0 ? -1 : 0;
    return dot < 0.0 && sqrt(apart) < reach;
}

/* The thin triangles of rough balls are those that have another opposed to them, among all. */
static void rough_things_are_measured(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 4; ++i) {
        bed_scene scene;
        start(&scene, 28, 28);
        mesh_ball(&mesh, 14, 14, 14, 12, 0.0, 24);
        for (size_t v = 0; v < mesh.vertex_count; ++v) { /* the vertices of both poles stay together */
            float *p = mesh.vertices + 3 * v;
            if (fabs((double)p[2] - 14.0) < 11.9) p[0] += (float)chance(&seed, 0, 1.0 * i);
        }
        rill_solid *solid = scene.solids[add_mesh(&scene, &mesh)];
        assert_true(rill_solid_measure(solid, 1.0, &scene.allocator) && solid->thin);
        size_t thin = 0;
        for (size_t a = 0; a < solid->triangle_count; ++a) {
            int opposed = 0;
            for (size_t b = 0; b < solid->triangle_count && opposed != 1; ++b) {
                if (solid->parts[a] == RILL_NO_PART || solid->parts[b] == RILL_NO_PART) continue;
                const int found = are_opposed(solid, a, b);
                opposed = found ? found : opposed;
            }
            if (opposed >= 0) assert_int_equal(solid->thin[a], opposed);
            thin += solid->thin[a];
        }
        assert_true(i == 0 ? thin == 0 : thin > 100 && thin < solid->triangle_count - 100);
        free_scene(&scene);
    }
}

/* One so small that a part of its size is no float any more is measured, too. */
static void tiny_meshes_are_measured(void **state) {
    (void)state;
    bed_scene scene;
    start(&scene, 28, 28);
    mesh_box(&mesh, (double[]){ 0, 0, 0 }, (double[]){ 1e-38, 1e-38, 1e-38 });
    rill_solid *solid = scene.solids[add_mesh(&scene, &mesh)];
    assert_true(rill_solid_measure(solid, 1.0, &scene.allocator));
    free_scene(&scene);
}

/* Seconds of processor time to measure a ball of 4 n^2 triangles, with bumps of some height, for cells of some size:
 * the least of some. */
static double measuring_takes(uint32_t n, double bumps, double cell) {
    const size_t vertices = (size_t)(n + 1) * 2 * n, triangles = (size_t)4 * n * n;
    float *v = malloc(3 * vertices * sizeof *v);
    uint32_t *index = malloc(3 * triangles * sizeof *index), *next = index;
    assert_true(v && index);
    for (uint32_t r = 0; r <= n; ++r)
        for (uint32_t i = 0; i < 2 * n; ++i) {
            const double turn = 3.141592653589793 * i / n, rise = 3.141592653589793 * r / n;
            const double deep = 10 + bumps * sin(rise * 50) * sin(turn * 50) * sin(rise);
            const double out = r == 0 || r == n ? 0 : deep * sin(rise);
            float *p = v + 3 * ((size_t)r * 2 * n + i);
            p[0] = (float)(out * cos(turn)), p[1] = (float)(out * sin(turn));
            p[2] = (float)(-deep * cos(rise));
        }
    for (uint32_t r = 0; r < n; ++r)
        for (uint32_t i = 0; i < 2 * n; ++i, next += 6) {
            const uint32_t a = r * 2 * n + i, b = r * 2 * n + (i + 1) % (2 * n);
            memcpy(next, (uint32_t[]){ a, b, b + 2 * n, a, b + 2 * n, a + 2 * n }, 6 * sizeof *next);
        }
    const rill_allocator allocator = rill_alloc_default();
    rill_solid_def def = rill_default_solid_def();
    def.shape.type = RILL_SHAPE_MESH;
    def.shape.vertices = v, def.shape.vertex_count = vertices;
    def.shape.indices = index, def.shape.triangle_count = triangles;
    double least = 1e9;
    for (int i = 0; i < 3; ++i) {
        rill_solid *solid = NULL;
        assert_int_equal(rill_solid_make(&def, &allocator, &solid, NULL), RILL_OK);
        const clock_t start = clock();
        assert_true(rill_solid_measure(solid, cell, &allocator) && solid->thin);
        least = fmin(least, (double)(clock() - start) / CLOCKS_PER_SEC);
        rill_solid_free(solid, &allocator);
    }
    free(v);
    free(index);
    return least;
}

/* Sixteen times as many triangles take about as many times as long; comparing all that are near would take 256
 * times. */
static void measuring_is_quick(void **state) {
    (void)state;
    const double few = measuring_takes(40, 0.0, 1.0), many = measuring_takes(160, 0.0, 1.0);
    if (many > 60 * few) fail_msg("%g s for 6400 triangles, %g s for 102400", few, many);
}

/* Bumps whose slopes look apart by about a right angle: whether a triangle is thin is not known before all around it
 * have been compared, and near these are a third of all. */
static void measuring_gives_up(void **state) {
    (void)state;
    const uint32_t rings = ALONE_PART > 1 ? 120 : 300;
    const double smooth = measuring_takes(rings, 0.0, 4.0), bumpy = measuring_takes(rings, 0.2, 4.0);
    if (bumpy > 4 * smooth) fail_msg("%g s for a ball, %g s for one with bumps", smooth, bumpy);
}

/* Ordinary shapes, moved about in small steps: nothing may be thickened and all floors are what the line says. */
static void ordinary_shapes_are_left_alone(void **state) {
    (void)state;
    uint64_t seed = 9;
    for (int i = 0; i < 150 / ALONE_PART; ++i) {
        bed_scene scene;
        start(&scene, 24, 24);
        double x = chance(&seed, 10, 14), y = chance(&seed, 10, 14), r = chance(&seed, 2, 8);
        rill_solid_def def = rill_default_solid_def();
        memcpy(def.shape.centre, (double[]){ x, y, 1 }, sizeof def.shape.centre);
        def.shape.radius = r;
        switch (i % 5) {
        case 0: def.shape.type = RILL_SHAPE_SPHERE; break;
        case 1: /* an upright pillar */
            def.shape.type = RILL_SHAPE_CYLINDER;
            memcpy(def.shape.from, (double[]){ x, y, -1 }, sizeof def.shape.from);
            memcpy(def.shape.to, (double[]){ x, y, 5 }, sizeof def.shape.to);
            break;
        case 2: /* an upright block, turned */
            def = box_def(NULL, -r, -3, -1, r, 3, 4);
            def.rotate[2] = chance(&seed, 0, 90);
            memcpy(def.translate, (double[]){ x, y, 0 }, sizeof def.translate);
            break;
        case 3: /* a flat ring, thick enough to be seen by every line it meets */
            def.shape.type = RILL_SHAPE_TORUS;
            def.shape.radius = 6, def.shape.tube = 2;
            break;
        default: mesh_ball(&mesh, x, y, 0.5, r, 0.0, 9 + (uint32_t)i % 40);
        }
        if (i % 5 == 4)
            add_mesh(&scene, &mesh);
        else
            add_solid(&scene, &def);
        build_columns(&scene);
        if (scene.info.walls_thickened)
            fail_msg("round %d: %d cells of an ordinary shape", i, (int)scene.info.walls_thickened);
        free_scene(&scene);
    }
}

/* A rough but ordinary terrain, as an open mesh finer than the cells: not a single floor moves. */
static void terrain_is_left_alone(void **state) {
    (void)state;
    bed_scene scene = scene_of(30, 30, 1.0);
    mesh.vertex_count = mesh.triangle_count = 0;
    enum { N = 80 };
    for (int i = 0; i < N * N; ++i) {
        double x = (i % N) * 0.4 - 0.5, y = (double)(i / N) * 0.4 - 0.5;
        mesh_vertex(&mesh, x, y, sin(x) * cos(y * 0.7) + 0.25 * sin(3 * x + y));
    }
    for (uint32_t y = 0; y + 1 < N; ++y)
        for (uint32_t x = 0; x + 1 < N; ++x)
            mesh_quad(&mesh, y * N + x, y * N + x + 1, (y + 1) * N + x + 1, (y + 1) * N + x);
    add_mesh(&scene, &mesh);
    build_columns(&scene);
    assert_int_equal(scene.info.columns, 900);
    assert_int_equal(scene.info.sheet_cells, 900);
    assert_int_equal(scene.info.walls_thickened, 0);
    free_scene(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_walls_hold),       cmocka_unit_test(round_walls_hold),
        cmocka_unit_test(primitive_walls_hold),      cmocka_unit_test(bowls_hold),
        cmocka_unit_test(walls_reach_ceilings),      cmocka_unit_test(inclined_plates_hold),
        cmocka_unit_test(hollow_things_are_tight),   cmocka_unit_test(thickness_is_measured),
        cmocka_unit_test(rough_things_are_measured), cmocka_unit_test(tiny_meshes_are_measured),
        cmocka_unit_test(measuring_is_quick),        cmocka_unit_test(measuring_gives_up),
        cmocka_unit_test(terrain_is_left_alone),     cmocka_unit_test(ordinary_shapes_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
