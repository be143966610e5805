/* From solids to columns: primitives against their equations, meshes against their neighbours, heights against
 * quanta. */
#include "bed_scenes.h"

#include "bed/raster_internal.h"

static test_mesh mesh; /* large, so not on the stack */

/* ------------------------------------------------------------------------------------------- against an equation */

typedef bool inside_test(const rill_solid_def *def, const double point[3]);

/* From world space back to where the shape was defined: everything the library does, undone by the C library's own
 * functions. */
static void undo_placing(const rill_solid_def *def, const double point[3], double out[3]) {
    const double degree = 0.017453292519943295;
    double p[3] = { point[0] - def->translate[0], point[1] - def->translate[1], point[2] - def->translate[2] };
    for (int axis = 2; axis >= 0; --axis) {
        int a = (axis + 1) % 3, b = (axis + 2) % 3;
        double c = cos(-def->rotate[axis] * degree), s = sin(-def->rotate[axis] * degree), pa = p[a], pb = p[b];
        p[a] = c * pa - s * pb;
        p[b] = s * pa + c * pb;
    }
    for (int i = 0; i < 3; ++i) out[i] = p[i] / def->scale;
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool in_box(const rill_solid_def *def, const double p[3]) {
    for (int i = 0; i < 3; ++i)
        if (p[i] < def->shape.min[i] || p[i] > def->shape.max[i]) return false;
    return true;
}

static bool in_sphere(const rill_solid_def *def, const double p[3]) {
    double d[3] = { p[0] - def->shape.centre[0], p[1] - def->shape.centre[1], p[2] - def->shape.centre[2] };
    return dot(d, d) <= def->shape.radius * def->shape.radius;
}

static bool in_cylinder(const rill_solid_def *def, const double p[3]) {
    double a[3], d[3];
    for (int i = 0; i < 3; ++i) a[i] = def->shape.to[i] - def->shape.from[i], d[i] = p[i] - def->shape.from[i];
    double t = dot(d, a) / dot(a, a);
    return t >= 0 && t <= 1 && dot(d, d) - t * t * dot(a, a) <= def->shape.radius * def->shape.radius;
}

static bool in_capsule(const rill_solid_def *def, const double p[3]) {
    double a[3], d[3];
    for (int i = 0; i < 3; ++i) a[i] = def->shape.to[i] - def->shape.from[i], d[i] = p[i] - def->shape.from[i];
    const double t = fmin(fmax(dot(d, a) / dot(a, a), 0.0), 1.0);
    for (int i = 0; i < 3; ++i) d[i] -= t * a[i];
    return dot(d, d) <= def->shape.radius * def->shape.radius;
}

static bool in_torus(const rill_solid_def *def, const double p[3]) {
    double d[3], length = sqrt(dot(def->shape.axis, def->shape.axis));
    for (int i = 0; i < 3; ++i) d[i] = p[i] - def->shape.centre[i];
    double h = dot(d, def->shape.axis) / length, out = sqrt(fmax(0, dot(d, d) - h * h)) - def->shape.radius;
    return out * out + h * h <= def->shape.tube * def->shape.tube;
}

/* Compares a cell's line with the equation: each floor and ceiling from both sides, and many heights between. Floors
 * must be exact. Returns whether the rest is. */
static bool compare_line(const bed_scene *scene, int32_t x, int32_t y, const rill_solid_def *def, inside_test *inside) {
    const rill_columns *c = &scene->columns;
    int32_t cell = y * scene->def.grid.cells[0] + x, first = c->cell_first[cell], end = c->cell_first[cell + 1];
    double at[3] = { centre_of(scene, 0, x), centre_of(scene, 1, y), 0 }, above[3], below[3];
    bool exact = true;
    assert_true(first < end && c->c[end - 1] == RILL_TOP);
    for (int32_t k = first; k < end; ++k)
        for (int side = 0; side < 2; ++side) {
            if (side && c->c[k] == RILL_TOP) continue;
            double z = c->datum + (side ? c->c[k] : c->b[k]) * c->quantum;
            undo_placing(def, (double[]){ at[0], at[1], z + 1e-8 }, above);
            undo_placing(def, (double[]){ at[0], at[1], z - 1e-8 }, below);
            bool right = inside(def, above) == (side == 1) && inside(def, below) == (side == 0);
            if (side)
                exact = exact && right;
            else if (c->floors[k] == 0)
                assert_true(fabs(z + 0.3) < 1e-9);
            else
                assert_true(right);
        }
    int32_t k = first;
    for (double z = -0.299; z < fmin(0.5, scene->info.highest); z += 0.0071) {
        undo_placing(def, (double[]){ at[0], at[1], z }, above);
        double height = (z - c->datum) / c->quantum;
        while (k < end && c->c[k] < height) ++k;
        exact = exact && (k == end || c->b[k] > height) == inside(def, above);
    }
    return exact;
}

/* The ceiling of a cell may come down where liquid on a steep side would otherwise pass to below it; that is rare, and
 * reported. */
static void compare(const rill_solid_def *def, inside_test *inside) {
    bed_scene scene = scene_of(40, 36, 0.01);
    add_box(&scene, -1, -1, -0.4, 1, 1, -0.3);
    add_solid(&scene, def);
    build_columns(&scene);
    int inexact = 0;
    for (int32_t i = 0; i < 40 * 36; ++i) inexact += !compare_line(&scene, i % 40, i / 40, def, inside);
    assert_true(inexact <= scene.info.walls_thickened && scene.info.walls_thickened <= 8);
    free_scene(&scene);
}

static rill_solid_def placed(rill_shape shape, int variant) {
    static const double turns[][3] = { { 0, 0, 0 },     { 90, 0, 0 },  { 0, 0, 30 },
                                       { 17, -40, 65 }, { 45, 45, 0 }, { 0, 180, 270 } };
    rill_solid_def def = rill_default_solid_def();
    def.shape.type = shape;
    memcpy(def.rotate, turns[variant % 6], sizeof def.rotate);
    def.scale = variant % 2 ? 0.75 : 1.0;
    memcpy(def.translate, (double[]){ 0.2013, 0.1807, 0.05 }, sizeof def.translate);
    return def;
}

static void boxes_are_exact(void **state) {
    (void)state;
    for (int i = 0; i < 6; ++i) {
        rill_solid_def def = placed(RILL_SHAPE_BOX, i);
        memcpy(def.shape.min, (double[]){ -0.11, -0.07, -0.05 }, sizeof def.shape.min);
        memcpy(def.shape.max, (double[]){ 0.09, 0.083, 0.061 }, sizeof def.shape.max);
        compare(&def, in_box);
    }
}

static void spheres_are_exact(void **state) {
    (void)state;
    for (int i = 0; i < 6; ++i) {
        rill_solid_def def = placed(RILL_SHAPE_SPHERE, i);
        memcpy(def.shape.centre, (double[]){ 0.01, 0.013 * i - 0.03, 0.02 }, sizeof def.shape.centre);
        def.shape.radius = 0.083 + 0.01 * i;
        compare(&def, in_sphere);
    }
}

static void cylinders_are_exact(void **state) {
    (void)state;
    for (int i = 0; i < 6; ++i) {
        rill_solid_def def = placed(RILL_SHAPE_CYLINDER, i);
        memcpy(def.shape.from, (double[]){ 0.01, -0.02 * (i % 3), -0.1 }, sizeof def.shape.from);
        memcpy(def.shape.to, (double[]){ 0.01 * i, 0.0, 0.12 }, sizeof def.shape.to);
        def.shape.radius = 0.052;
        compare(&def, in_cylinder);
    }
}

static void capsules_are_exact(void **state) {
    (void)state;
    for (int i = 0; i < 6; ++i) {
        rill_solid_def def = placed(RILL_SHAPE_CAPSULE, i);
        memcpy(def.shape.from, (double[]){ 0.01, -0.02 * (i % 3), -0.06 }, sizeof def.shape.from);
        memcpy(def.shape.to, (double[]){ 0.01 * i, 0.0, 0.08 }, sizeof def.shape.to);
        def.shape.radius = 0.052;
        compare(&def, in_capsule);
    }
}

/* The hull of a box's corners, and of points in it, is the box: it becomes a mesh. */
static void hulls_are_exact(void **state) {
    (void)state;
    static const double low[3] = { -0.125, -0.0625, -0.03125 }, high[3] = { 0.09375, 0.078125, 0.0625 };
    float points[3 * 24];
    for (int i = 0; i < 24; ++i)
        for (int k = 0; k < 3; ++k) points[3 * i + k] = (float)((i < 8 ? 1.0 : 0.5) * (i >> k & 1 ? high[k] : low[k]));
    for (int i = 0; i < 6; ++i) {
        rill_solid_def box = placed(RILL_SHAPE_BOX, i), hull = placed(RILL_SHAPE_HULL, i);
        memcpy(box.shape.min, low, sizeof low);
        memcpy(box.shape.max, high, sizeof high);
        hull.shape.vertices = points;
        hull.shape.vertex_count = 24;
        bed_scene scene = scene_of(40, 36, 0.01);
        add_box(&scene, -1, -1, -0.4, 1, 1, -0.3);
        const uint16_t at = add_solid(&scene, &hull);
        assert_int_equal(scene.solids[at]->def.shape.type, RILL_SHAPE_MESH);
        assert_int_equal(scene.solids[at]->vertex_count, 8);
        build_columns(&scene);
        int inexact = 0;
        for (int32_t cell = 0; cell < 40 * 36; ++cell)
            inexact += !compare_line(&scene, cell % 40, cell / 40, &box, in_box);
        assert_true(inexact <= scene.info.walls_thickened && scene.info.walls_thickened <= 40); /* steep sides */
        free_scene(&scene);
    }
}

static void tori_are_exact(void **state) {
    (void)state;
    static const double axes[][3] = { { 0, 0, 1 }, { 1, 0, 0 },    { 0, -2, 0 },
                                      { 1, 1, 1 }, { 0.1, 0, -5 }, { 3, -1, 0.5 } };
    for (int i = 0; i < 12; ++i) {
        rill_solid_def def = placed(RILL_SHAPE_TORUS, i / 6 * 3);
        memcpy(def.shape.axis, axes[i % 6], sizeof def.shape.axis);
        def.shape.radius = i == 11 ? 0.05 : 0.09; /* the last one is a spindle */
        def.shape.tube = i == 11 ? 0.07 : 0.036;
        compare(&def, in_torus);
    }
}

static void planes_and_quanta(void **state) {
    (void)state;
    bed_scene scene = scene_of(16, 9, 0.002);
    rill_solid_def def = rill_default_solid_def();
    def.shape.type = RILL_SHAPE_PLANE;
    memcpy(def.shape.axis, (double[]){ -0.25, 0.5, 1.0 }, sizeof def.shape.axis);
    memcpy(def.shape.point, (double[]){ 0.004, 0.002, 0.5 }, sizeof def.shape.point);
    add_solid(&scene, &def);
    build_columns(&scene);
    const rill_columns *c = &scene.columns;
    int exponent;
    assert_true(frexp(c->quantum, &exponent) == 0.5);
    double height = 0.0;
    for (int32_t i = 0; i < 16 * 9; ++i) {
        double z = 0.5 + 0.25 * (centre_of(&scene, 0, i % 16) - 0.004) - 0.5 * (centre_of(&scene, 1, i / 16) - 0.002);
        assert_true(fabs(c->datum + c->b[i] * c->quantum - z) <= 0.5001 * c->quantum);
        assert_true(c->b[i] >= 0 && c->c[i] == RILL_TOP);
        height = fmax(height, z - c->datum);
    }
    /* The next smaller quantum would not do; the datum is a whole quantum just below the lowest floor. */
    assert_true((height + scene.def.headroom) / c->quantum <= RILL_TOP &&
                2 * (height + scene.def.headroom) / c->quantum > RILL_TOP - 8);
    assert_true(floor(c->datum / c->quantum) == c->datum / c->quantum);
    assert_true(scene.info.lowest >= c->datum && scene.info.lowest - c->datum < 2 * c->quantum);
    assert_true(scene.info.highest == c->datum + RILL_TOP * c->quantum);
    scene.def.grid.cell_size = 2.0; /* a cell is at most 2^26 quanta wide */
    build_columns(&scene);
    assert_true(scene.columns.quantum == 0x1p-25);
    free_scene(&scene);
}

/* ---------------------------------------------------------------------------------------------------------- meshes */

/* A closed mesh on a lattice of half cells: a few boxes and tetrahedra with vertices on centres, edges through them. */
static void random_lattice_mesh(uint64_t *seed, bool unwelded) {
    mesh.vertex_count = mesh.triangle_count = 0;
    for (int n = 0; n < 4; ++n) {
        double p[4][3];
        for (int v = 0; v < 4; ++v)
            for (int i = 0; i < 3; ++i) p[v][i] = 0.5 * floor(chance(seed, 0, 33));
        if (n < 2) {
            for (int i = 0; i < 3; ++i)
                if (p[0][i] == p[1][i]) p[1][i] += 1;
            mesh_box(&mesh, p[0], p[1]);
            continue;
        }
        static const int faces[4][3] = { { 0, 1, 2 }, { 0, 3, 1 }, { 1, 3, 2 }, { 0, 2, 3 } };
        uint32_t v[4] = { 0 };
        for (int i = 0; i < 4 && !unwelded; ++i) v[i] = mesh_vertex(&mesh, p[i][0], p[i][1], p[i][2]);
        for (int f = 0; f < 4; ++f) {
            uint32_t t[3];
            for (int i = 0; i < 3; ++i) {
                const double *q = p[faces[f][i]];
                t[i] = unwelded ? mesh_vertex(&mesh, q[0], q[1], q[2]) : v[faces[f][i]];
            }
            mesh_triangle(&mesh, t[0], t[1], t[2]);
        }
    }
}

/* No line crosses a closed mesh an odd number of times, or winds around it without unwinding. */
static void no_odd_columns(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int round = 0; round < 400; ++round) {
        bed_scene scene = scene_of(16, 17, 1.0);
        random_lattice_mesh(&seed, round % 2 == 1);
        uint16_t index = add_mesh(&scene, &mesh);
        assert_int_equal(scene.solids[index]->open_components, 0);
        rill_scan scans[2];
        const rill_area all = { { 0, 0 }, { 16, 17 } };
        assert_true(rill_scans_make(scans, &scene.def.grid, &all, (const rill_solid *const *)scene.solids, 1,
                                    &scene.allocator));
        for (int axis = 0; axis < 2; ++axis) {
            rill_scan *scan = &scans[axis];
            for (int32_t row = 0; row < scan->across.count; ++row) {
                assert_true(rill_scan_row(scan, row));
                int count[17] = { 0 }, winding[17] = { 0 };
                const rill_cut *cuts = scan->cuts.data;
                for (size_t i = 0; i < scan->cuts.count; ++i) {
                    for (int32_t x = cuts[i].up_cell; x < cuts[i].down_cell; ++x) count[x] += 1, winding[x] += 1;
                    for (int32_t x = cuts[i].down_cell; x < cuts[i].up_cell; ++x) count[x] += 1, winding[x] -= 1;
                }
                for (int x = 0; x < scan->along.count; ++x) assert_true(count[x] % 2 == 0 && winding[x] == 0);
            }
        }
        rill_scans_free(scans);
        free_scene(&scene);
    }
}

static void expect_same_columns(const rill_columns *a, const rill_columns *b) {
    size_t cells = (size_t)a->grid.cells[0] * (size_t)a->grid.cells[1];
    assert_int_equal(a->count, b->count);
    assert_true(a->quantum == b->quantum && a->datum == b->datum);
    assert_memory_equal(a->cell_first, b->cell_first, (cells + 1) * sizeof(int32_t));
    assert_memory_equal(a->b, b->b, (size_t)a->count * sizeof(int32_t));
    assert_memory_equal(a->c, b->c, (size_t)a->count * sizeof(int32_t));
}

static void flip(size_t triangle) {
    uint32_t *t = mesh.indices + 3 * triangle, swap = t[0];
    t[0] = t[1], t[1] = swap;
}

/* Inside out, or with its triangles turned at random, a ball is the same ball. */
static void orientation_does_not_matter(void **state) {
    (void)state;
    bed_scene scenes[3];
    mesh.vertex_count = mesh.triangle_count = 0;
    mesh_ball(&mesh, 0.0503, 0.0508, 0.03, 0.031, 0.0, 40);
    for (int i = 0; i < 3; ++i) {
        scenes[i] = scene_of(50, 50, 0.002);
        for (size_t t = 0; t < mesh.triangle_count; ++t)
            if (i == 1 || (i == 2 && t % 3 == 1)) flip(t);
        add_floor(&scenes[i]);
        uint16_t ball = add_mesh(&scenes[i], &mesh);
        assert_int_equal(scenes[i].solids[ball]->closed_components, 1);
        build_columns(&scenes[i]);
        assert_int_equal(scenes[i].info.layers, 2);
        assert_int_equal(scenes[i].info.sheet_cells, 0);
        assert_int_equal(scenes[i].info.walls_thickened, 0);
        expect_same_columns(&scenes[0].columns, &scenes[i].columns);
    }
    for (int i = 0; i < 3; ++i) free_scene(&scenes[i]);
}

/* Writes triangles from..until of the mesh once more, turned round or not, with vertices of their own or not. */
static void double_faces(size_t from, size_t until, bool turned, bool unwelded) {
    for (size_t t = from; t < until; ++t) {
        uint32_t c[3];
        for (int k = 0; k < 3; ++k) {
            const float *p = mesh.vertices + 3 * (size_t)mesh.indices[3 * t + (size_t)k];
            c[k] = unwelded ? mesh_vertex(&mesh, (double)p[0], (double)p[1], (double)p[2])
                            : mesh.indices[3 * t + (size_t)k];
        }
        mesh_triangle(&mesh, c[0], c[turned ? 2 : 1], c[turned ? 1 : 2]);
    }
}

/* However often its faces are there and whichever way they are turned, a ball is the same ball. */
static void doubled_faces_count_once(void **state) {
    (void)state;
    bed_scene plain = { .count = 0 };
    for (int i = 0; i < 9; ++i) {
        bed_scene scene = scene_of(50, 50, 0.002);
        mesh.vertex_count = mesh.triangle_count = 0;
        mesh_ball(&mesh, 0.0503, 0.0508, 0.03, 0.031, 0.0, 24);
        const size_t whole = mesh.triangle_count, third = whole / 3;
        if (i == 1) double_faces(0, whole, true, false);
        if (i == 2) double_faces(0, whole, false, false);
        if (i == 3) double_faces(0, whole, true, true);
        if (i == 4) double_faces(0, whole, true, false), double_faces(0, whole, false, false);
        if (i == 5) double_faces(0, third, true, false);
        if (i == 6) double_faces(third, 2 * third, false, true);
        if (i == 7) double_faces(0, whole, true, false), double_faces(0, 2 * whole, true, false); /* four times */
        if (i == 8) {
            for (size_t t = 0; t < whole; ++t)
                if (t % 3 == 1) flip(t);
            double_faces(0, whole, true, false);
        }
        const size_t doubled = mesh.triangle_count - whole;
        add_floor(&scene);
        const rill_solid *ball = scene.solids[add_mesh(&scene, &mesh)];
        build_columns(&scene);
        assert_int_equal(ball->closed_components, 1);
        assert_int_equal(ball->open_components, 0);
        if (i == 0)
            plain = scene;
        else { /* at the poles there are triangles without area, which are not counted as copies too */
            const int64_t points = scene.info.degenerate_triangles - plain.info.degenerate_triangles;
            assert_int_equal(scene.info.doubled_triangles + points, doubled);
            expect_same_columns(&plain.columns, &scene.columns);
            free_scene(&scene);
        }
    }
    free_scene(&plain);
}

/* A block of bricks n x n x n from min to max: only its skin, each square cut along one or the other diagonal. */
static void mesh_skin(const double min[3], const double max[3], uint32_t n, bool other, bool turned) {
    for (int axis = 0; axis < 6; ++axis) {
        const int a = axis / 2, b = (a + 1) % 3, c = (a + 2) % 3;
        const bool far = axis % 2;
        for (uint32_t i = 0; i < n * n; ++i) {
            uint32_t v[4];
            for (uint32_t k = 0; k < 4; ++k) {
                double p[3];
                p[a] = far ? max[a] : min[a];
                p[b] = min[b] + (max[b] - min[b]) * (i % n + (k == 1 || k == 2)) / n;
                p[c] = min[c] + (max[c] - min[c]) * (i / n + (k >= 2)) / n;
                v[k] = mesh_vertex(&mesh, p[0], p[1], p[2]);
            }
            const uint32_t o = other;
            if (far == turned)
                mesh_quad(&mesh, v[o], v[(o + 3) % 4], v[(o + 2) % 4], v[(o + 1) % 4]);
            else
                mesh_quad(&mesh, v[o], v[o + 1], v[(o + 2) % 4], v[(o + 3) % 4]);
        }
    }
}

/* Boxes with a back to each face that is cut into other triangles: the other diagonal, smaller squares, a few faces
 * alone. */
static void backs_may_be_cut_differently(void **state) {
    (void)state;
    const double min[3] = { 2, 2, 0 }, max[3] = { 8, 8, 3 };
    bed_scene plain = { .count = 0 };
    for (int i = 0; i < 9; ++i) {
        bed_scene scene = scene_of(10, 10, 1.0);
        add_box(&scene, 0, 0, -2, 10, 10, -1);
        mesh.vertex_count = mesh.triangle_count = 0;
        mesh_skin(min, max, i == 3 ? 3 : 1, false, false);
        const size_t whole = mesh.triangle_count;
        if (i > 0) mesh_skin(min, max, i == 2 ? 2 : i == 3 ? 3 : 1, true, true);
        if (i == 4) mesh.triangle_count = whole + 6;      /* three faces have backs */
        if (i == 5) mesh_skin(min, max, 1, false, false); /* three times */
        if (i == 6) mesh_skin(min, max, 2, false, false), mesh_skin(min, max, 3, true, true);
        if (i == 7) /* all inside out at first */
            for (size_t t = 0; t < mesh.triangle_count; ++t) flip(t);
        if (i == 8) { /* a brim of cloth, a cell wide */
            mesh.triangle_count = whole;
            mesh_quad(&mesh, mesh_vertex(&mesh, 2, 2, 3), mesh_vertex(&mesh, 2, 8, 3), mesh_vertex(&mesh, 1, 8, 3),
                      mesh_vertex(&mesh, 1, 2, 3));
        }
        const rill_solid *box = scene.solids[add_mesh(&scene, &mesh)];
        build_columns(&scene);
        assert_true(box->closed_components >= 1);
        for (int32_t cell = 0; cell < 100; ++cell) { /* one void above it or above the floor, no other */
            const bool inside = cell % 10 >= (i == 8 ? 1 : 2) && cell % 10 < 8 && cell / 10 >= 2 && cell / 10 < 8;
            const int32_t first = scene.columns.cell_first[cell], next = scene.columns.cell_first[cell + 1];
            const double base = scene.columns.datum + scene.columns.quantum * scene.columns.b[next - 1];
            if (next - first != (inside ? 2 : 1)) fail_msg("%d: %d voids in cell %d", i, next - first, cell);
            if (fabs(base - (inside ? 3 : -1)) > 1e-5) fail_msg("%d: floor at %g in cell %d", i, base, cell);
        }
        if (i == 0) plain = scene;
        if (i > 0 && i < 4) expect_same_columns(&plain.columns, &scene.columns);
        if (i > 0) free_scene(&scene);
    }
    free_scene(&plain);
}

/* Balls of crooked quadrangles, which have another shape when they are cut along the other diagonal. */
static void crooked_backs_are_known(void **state) {
    (void)state;
    for (int i = 0; i < 2; ++i) {
        bed_scene scene = scene_of(50, 50, 0.002);
        mesh.vertex_count = mesh.triangle_count = 0;
        mesh_ball(&mesh, 0.0503, 0.0508, 0.03, 0.031, 0.0, 24);
        const size_t whole = mesh.triangle_count;
        for (size_t t = 0; i && t < whole; t += 2) { /* a, b, c and a, c, d */
            const uint32_t *q = mesh.indices + 3 * t;
            mesh_quad(&mesh, q[5], q[2], q[1], q[0]);
        }
        add_floor(&scene);
        const rill_solid *ball = scene.solids[add_mesh(&scene, &mesh)];
        build_columns(&scene);
        assert_int_equal(ball->closed_components, 1);
        assert_int_equal(ball->open_components, 0);
        assert_int_equal(scene.info.sheet_cells, 0);
        assert_int_equal(scene.info.layers, 2);
        free_scene(&scene);
    }
}

/* Two boxes on each other have the face between them twice: that is as it should be, doubled or not. */
static void faces_between_are_kept(void **state) {
    (void)state;
    bed_scene scenes[4];
    for (int i = 0; i < 4; ++i) {
        scenes[i] = scene_of(10, 10, 1.0);
        add_box(&scenes[i], 0, 0, -2, 10, 10, -1);
        mesh.vertex_count = mesh.triangle_count = 0;
        mesh_box(&mesh, (double[]){ 2, 2, 0 }, (double[]){ 8, 8, i == 0 ? 3 : 2 });
        if (i > 0) mesh_box(&mesh, (double[]){ 2, 2, 2 }, (double[]){ 8, 8, 3 });
        if (i > 1) double_faces(0, mesh.triangle_count, i == 2, false);
        add_mesh(&scenes[i], &mesh);
        build_columns(&scenes[i]);
        assert_int_equal(scenes[i].info.doubled_triangles, i > 1 ? 24 : 0);
        assert_int_equal(scenes[i].info.open_components, 0);
        expect_same_columns(&scenes[0].columns, &scenes[i].columns);
    }
    for (int i = 0; i < 4; ++i) free_scene(&scenes[i]);
}

/* A square of cloth, and one with a back, that is cut along the same diagonal or the other one: thin floors all
 * three. */
static void cards_are_sheets(void **state) {
    (void)state;
    for (int i = 0; i < 3; ++i) {
        bed_scene scene = scene_of(30, 30, 0.01);
        add_floor(&scene);
        mesh.vertex_count = mesh.triangle_count = 0;
        const uint32_t v[4] = { mesh_vertex(&mesh, 0.1, 0.1, 0.05), mesh_vertex(&mesh, 0.2, 0.1, 0.05),
                                mesh_vertex(&mesh, 0.2, 0.2, 0.05), mesh_vertex(&mesh, 0.1, 0.2, 0.05) };
        mesh_quad(&mesh, v[0], v[1], v[2], v[3]);
        if (i == 1) mesh_quad(&mesh, v[0], v[3], v[2], v[1]);
        if (i == 2) mesh_quad(&mesh, v[3], v[2], v[1], v[0]);
        add_mesh(&scene, &mesh);
        build_columns(&scene);
        assert_int_equal(scene.info.sheet_cells, 100);
        assert_int_equal(scene.info.doubled_triangles, i == 1 ? 2 : 0);
        free_scene(&scene);
    }
}

/* Folded strips of cloth that touch in their corners alone: there is room in each. */
static void sheets_may_touch(void **state) {
    (void)state;
    bed_scene scene = scene_of(40, 40, 0.01);
    add_floor(&scene);
    mesh.vertex_count = mesh.triangle_count = 0;
    for (int i = 0; i < 4; ++i) {
        const double x = 0.1 + 0.1 * (i % 2), y = 0.1 + 0.05 * i;
        uint32_t v[8];
        for (int k = 0; k < 8; ++k)
            v[k] = mesh_vertex(&mesh, k % 4 == 0 || k % 4 == 3 ? x : x + 0.1, k % 4 < 2 ? y : y + 0.05,
                               k < 4 ? 0.05 : 0.08);
        mesh_quad(&mesh, v[0], v[3], v[2], v[1]);
        mesh_quad(&mesh, v[1], v[2], v[6], v[5]);
        mesh_quad(&mesh, v[4], v[5], v[6], v[7]);
    }
    const rill_solid *cloth = scene.solids[add_mesh(&scene, &mesh)];
    build_columns(&scene);
    assert_int_equal(cloth->open_components, 4);
    for (int i = 0; i < 4; ++i) {
        const int32_t cell = (13 + 5 * i) * 40 + 12 + 10 * (i % 2);
        assert_int_equal(scene.columns.cell_first[cell + 1] - scene.columns.cell_first[cell], 3);
    }
    free_scene(&scene);
}

static void union_by_winding(void **state) {
    (void)state;
    bed_scene scene = scene_of(10, 10, 1.0);
    add_box(&scene, 0, 0, -2, 10, 10, -1);
    /* One mesh: two overlapping boxes, and a hollow one whose inner shell is turned inside out. */
    mesh.vertex_count = mesh.triangle_count = 0;
    mesh_box(&mesh, (double[]){ 1, 1, 0 }, (double[]){ 4, 4, 2 });
    mesh_box(&mesh, (double[]){ 2, 2, 1 }, (double[]){ 5, 5, 3 });
    mesh_box(&mesh, (double[]){ 6, 6, 0 }, (double[]){ 9, 9, 3 });
    mesh_box(&mesh, (double[]){ 7, 7, 1 }, (double[]){ 8, 8, 2 });
    for (size_t t = 36; t < 48; ++t) flip(t);
    uint16_t first = add_mesh(&scene, &mesh);
    uint16_t second = add_box(&scene, 3, 3, 3, 5, 5, 4); /* touches the mesh: no void between */
    build_columns(&scene);
    const rill_columns *c = &scene.columns;
    const struct {
        int32_t x, y, layers, b[3], c[2];
        uint16_t floors[3];
    } expected[] = {
        { 0, 0, 1, { -1 }, { 0 }, { 0 } },
        { 1, 1, 2, { -1, 2 }, { 0 }, { 0, first } },
        { 2, 2, 2, { -1, 3 }, { 0 }, { 0, first } },
        { 3, 3, 2, { -1, 4 }, { 0 }, { 0, second } },
        { 4, 4, 2, { -1, 4 }, { 1 }, { 0, second } },
        { 6, 7, 2, { -1, 3 }, { 0 }, { 0, first } },
        { 7, 7, 3, { -1, 1, 3 }, { 0, 2 }, { 0, first, first } },
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; ++i) {
        int32_t at = c->cell_first[expected[i].y * 10 + expected[i].x], layers = expected[i].layers;
        assert_int_equal(c->cell_first[expected[i].y * 10 + expected[i].x + 1] - at, layers);
        for (int32_t k = 0; k < layers; ++k) {
            assert_true(c->datum + c->b[at + k] * c->quantum == expected[i].b[k]);
            if (k + 1 < layers) assert_true(c->datum + c->c[at + k] * c->quantum == expected[i].c[k]);
            assert_int_equal(c->floors[at + k], expected[i].floors[k]);
        }
    }
    assert_int_equal(scene.info.closed_components, 4);
    free_scene(&scene);
}

static void open_parts_are_sheets(void **state) {
    (void)state;
    bed_scene scene = scene_of(30, 30, 0.01);
    add_floor(&scene);
    mesh.vertex_count = mesh.triangle_count = 0;
    /* A square of cloth; and two triangles that are none. */
    uint32_t v[4] = { mesh_vertex(&mesh, 0.1, 0.1, 0.05), mesh_vertex(&mesh, 0.2, 0.1, 0.05),
                      mesh_vertex(&mesh, 0.2, 0.2, 0.05), mesh_vertex(&mesh, 0.1, 0.2, 0.05) };
    mesh_quad(&mesh, v[0], v[1], v[2], v[3]);
    mesh_triangle(&mesh, v[0], v[0], v[1]);
    uint16_t cloth = add_mesh(&scene, &mesh);
    build_columns(&scene);
    assert_int_equal(scene.info.sheet_cells, 100);
    assert_int_equal(scene.info.open_components, 1);
    assert_int_equal(scene.info.degenerate_triangles, 1);
    const rill_columns *c = &scene.columns;
    int32_t first = c->cell_first[15 * 30 + 15];
    assert_int_equal(c->cell_first[15 * 30 + 16] - first, 2);
    assert_int_equal(c->b[first + 1] - c->c[first], 1); /* one quantum thick, downwards */
    assert_int_equal(c->floors[first + 1], cloth);
    free_scene(&scene);

    /* A ball with a small hole in its south pole is solid but for the lines through the hole; half a ball is a
     * shell. */
    for (int half = 0; half < 2; ++half) {
        scene = scene_of(30, 30, 0.01);
        add_floor(&scene);
        mesh.vertex_count = mesh.triangle_count = 0;
        mesh_ball(&mesh, 0.151, 0.152, 0.12, 0.1, half ? 1.5707963267948966 : 0.2, 32);
        add_mesh(&scene, &mesh);
        build_columns(&scene);
        int32_t inside = 15 * 30 + 20;
        first = scene.columns.cell_first[inside];
        assert_int_equal(scene.columns.cell_first[inside + 1] - first, 2);
        double thick = (scene.columns.b[first + 1] - scene.columns.c[first]) * scene.columns.quantum;
        if (half)
            assert_true(thick < 0.02); /* thickened where it slopes, so that it holds */
        else
            assert_true(thick > 0.1 && scene.info.sheet_cells < 16);
        free_scene(&scene);
    }
}

/* --------------------------------------------------------------------------------------------------- layers, limits */

static void slivers_are_merged(void **state) {
    (void)state;
    bed_scene scene = scene_of(8, 8, 0.01);
    add_floor(&scene);
    add_box(&scene, 0, 0, 0.001, 0.08, 0.04, 0.02);
    build_columns(&scene);
    assert_int_equal(scene.info.columns, 32 * 2 + 32);
    assert_int_equal(scene.info.slivers_merged, 0);
    scene.def.min_opening = 0.002;
    build_columns(&scene);
    assert_int_equal(scene.info.columns, 64);
    assert_int_equal(scene.info.slivers_merged, 32);
    assert_int_equal(scene.info.layers, 1);
    free_scene(&scene);
}

/* However high an opening has to be, and however little of the sky is in the range: nothing is low under it. */
static void open_sky_is_never_closed(void **state) {
    (void)state;
    bed_scene scene = scene_of(20, 4, 0.01);
    scene.def.min_opening = 1000;
    scene.def.headroom = 1e-6;
    add_floor(&scene);
    add_box(&scene, 0, 0, 0, 0.1, 0.04, 0.03);
    build_bed(&scene);
    assert_int_equal(scene.bed.info.faces_closed, 0);
    assert_true(flows(&scene, (double[]){ 0.05, 0.02, 0.03 }, (double[]){ 0.15, 0.02, 0 }, scene.bed.info.highest));
    free_scene(&scene);
}

/* A wall that hovers beside the brink of a ledge, a hair higher: nothing runs off through there unless that is asked
 * for. */
static void low_faces_are_closed(void **state) {
    (void)state;
    const double cell = 0.01, openings[] = { RILL_OPENING_AUTO, RILL_OPENING_AUTO, 0, 0.001 };
    const double gaps[] = { cell / 33, cell / 31, cell / 1000, cell / 31 };
    for (int i = 0; i < 4; ++i) {
        bed_scene scene = scene_of(20, 4, cell);
        const bool open = i == 1 || i == 2;
        scene.def.min_opening = openings[i];
        add_floor(&scene);
        add_box(&scene, 0, 0, 0, 0.1, 0.04, 0.03);
        add_box(&scene, 0.1, 0, 0.03 + gaps[i], 0.12, 0.04, 0.06);
        build_bed(&scene);
        assert_int_equal(scene.bed.info.faces_closed, open ? 0 : 4);
        assert_int_equal(scene.bed.info.slivers_merged, 0);
        assert_true(flows(&scene, (double[]){ 0.05, 0.02, 0.04 }, (double[]){ 0.15, 0.02, 0 }, 0.05) == open);
        free_scene(&scene);
    }
}

static void walls_and_outsiders(void **state) {
    (void)state;
    bed_scene scene = scene_of(4, 3, 1.0);
    build_columns(&scene); /* nothing at all: walls all over */
    assert_int_equal(scene.info.wall_cells, 12);
    add_box(&scene, 0, 0, 0, 2, 3, 1);
    add_box(&scene, 50, 0, 0, 52, 3, 1);
    build_bed(&scene);
    assert_int_equal(scene.info.wall_cells, 6);
    assert_int_equal(scene.info.columns, 6);
    assert_int_equal(scene.info.outside_solids, 1);
    assert_true(scene.info.lowest == 1.0);
    free_scene(&scene);
}

static void heightmaps_stretch(void **state) {
    (void)state;
    static const double heights[] = { 0.0, 1.0, 4.0, 2.0, 3.0, 8.0 }; /* 3 columns, 2 rows */
    rill_solid_def def = rill_default_solid_def();
    def.shape.type = RILL_SHAPE_HEIGHTMAP;
    def.shape.heights = heights;
    def.shape.heights_size[0] = 3, def.shape.heights_size[1] = 2;
    for (int factor = 1; factor <= 4; ++factor) {
        bed_scene scene = scene_of(3 * factor, 2 * factor, 1.0);
        scene.def.grid.origin[2] = 10.0;
        add_solid(&scene, &def);
        build_columns(&scene);
        for (int32_t y = 0; y < 2 * factor; ++y)
            for (int32_t x = 0; x < 3 * factor; ++x) {
                double u = fmin(2, fmax(0, (x + 0.5) / factor - 0.5)), v = fmin(1, fmax(0, (y + 0.5) / factor - 0.5));
                int i = u < 1 ? 0 : 1; /* the cell of samples the point lies in */
                double s = u - i, low = heights[i] * (1 - s) + heights[i + 1] * s,
                       high = heights[3 + i] * (1 - s) + heights[4 + i] * s;
                double z = scene.columns.datum + scene.columns.b[y * 3 * factor + x] * scene.columns.quantum;
                assert_true(fabs(z - (10 + low * (1 - v) + high * v)) <= scene.columns.quantum);
            }
        free_scene(&scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_are_exact),
        cmocka_unit_test(spheres_are_exact),
        cmocka_unit_test(cylinders_are_exact),
        cmocka_unit_test(capsules_are_exact),
        cmocka_unit_test(hulls_are_exact),
        cmocka_unit_test(tori_are_exact),
        cmocka_unit_test(planes_and_quanta),
        cmocka_unit_test(no_odd_columns),
        cmocka_unit_test(orientation_does_not_matter),
        cmocka_unit_test(doubled_faces_count_once),
        cmocka_unit_test(backs_may_be_cut_differently),
        cmocka_unit_test(crooked_backs_are_known),
        cmocka_unit_test(faces_between_are_kept),
        cmocka_unit_test(cards_are_sheets),
        cmocka_unit_test(sheets_may_touch),
        cmocka_unit_test(union_by_winding),
        cmocka_unit_test(open_parts_are_sheets),
        cmocka_unit_test(slivers_are_merged),
        cmocka_unit_test(open_sky_is_never_closed),
        cmocka_unit_test(low_faces_are_closed),
        cmocka_unit_test(walls_and_outsiders),
        cmocka_unit_test(heightmaps_stretch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
