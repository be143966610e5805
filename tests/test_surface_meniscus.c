/* The meniscus (section 5): normals against psi (1 - d / l_c) and psi exp(-d / l_c), lifted vertices against the exact
 * profile at a wall, distances against a search over all contact points, and the same bits however it is computed. */
#include "worlds.h"

#include "meniscus/meniscus.h"
#include "scene/scene.h"

#include <math.h>

#define QUARTER 1.5707963267948966
static const double DX = 5e-4;

/* ---------------------------------------------------------------------------------------------------------- profile */

/* x(z) of the exact profile, in capillary lengths. */
static double profile_x(double z) {
    return acosh(2.0 / z) - sqrt(4.0 - z * z);
}

static void test_profile(void **state) {
    (void)state;
    rill_contact_constants k;
    rill_profile_make(k.profile);
    for (double phi = 0.02; phi <= QUARTER; phi += 0.01) {
        const double t = rill_profile_tangent(phi), q = rill_profile_decay(t);
        assert_true(fabs(t - tan(phi / 4)) < 1e-7);
        const double z0 = 4 * t / (1 + t * t);
        assert_true(fabs(z0 - 2 * sin(phi / 2)) < 1e-6);
        assert_true(fabs(z0 - sqrt(2.0) * sqrt(1 - sin(QUARTER - phi))) < 1e-6);
        const double steepest = profile_x(sqrt(2.0));
        assert_true(fabs(q - exp(steepest - profile_x(z0))) < 1e-6);
    }
}

/* Angles of slopes are right, the same bits in every variant, and a quarter turn at a wall. */
static void test_angles(void **state) {
    (void)state;
    const rill_meniscus_kernels *all[4];
    const int32_t count = rill_meniscus_kernels_all(all);
    double slopes[864], first[864], angles[864];
    for (int i = 0; i < 864; ++i) slopes[i] = i < 862 ? -30.0 + 0.07 * i : i == 862 ? 0.0 : INFINITY;
    for (int32_t v = 0; v < count; ++v) {
        memcpy(angles, slopes, sizeof angles);
        all[v]->angles(864, angles);
        if (v == 0) memcpy(first, angles, sizeof first);
        if (memcmp(first, angles, sizeof first) != 0) fail_msg("angles of %s", all[v]->name);
        for (int i = 0; i < 864; ++i) assert_true(fabs(angles[i] - atan(slopes[i])) < 3e-8);
    }
    assert_true(angles[862] == 0.0 && angles[863] == RILL_QUARTER_TURN);
}

static void fill_run(rill_contact_run *run, uint32_t *seed) {
    float *arrays[] = { run->own,       run->beside[0], run->beside[2], run->beside[1],
                        run->beside[3], run->strength,  run->n[0],      run->n[1] };
    for (size_t a = 0; a < sizeof arrays / sizeof arrays[0]; ++a)
        for (int i = 0; i < RILL_CONTACT_RUN; ++i) {
            *seed = *seed * 1664525u + 1013904223u;
            arrays[a][i] = (float)(*seed >> 8) / 16777216.0f * (a == 0 ? 30.0f : 2.0f) - (a == 0 ? 0.0f : 1.0f);
        }
    for (int i = 0; i < RILL_CONTACT_RUN; ++i) {
        run->n[0][i] *= 0.3f, run->n[1][i] *= 0.3f;
        run->n[2][i] = sqrtf(1.0f - run->n[0][i] * run->n[0][i] - run->n[1][i] * run->n[1][i]);
        if (i % 7 == 0) run->beside[0][i] = 3.4e38f; /* outside of the band */
    }
}

/* Every variant of a kernel gives the same bits, and normals of length 1 that point up. */
static void test_kernels(void **state) {
    (void)state;
    const rill_meniscus_kernels *all[4];
    const int32_t count = rill_meniscus_kernels_all(all);
    rill_contact_constants k = { .limit = 30.0f, .decay = 0.2f };
    rill_profile_make(k.profile);
    uint32_t seed = 5;
    for (int turn = 0; turn < 30; ++turn) {
        rill_contact_run start, first, other;
        fill_run(&start, &seed);
        for (int which = 0; which < 3; ++which)
            for (int32_t v = 0; v < count; ++v) {
                rill_lean_kernel *const kernels[] = { all[v]->linear, all[v]->exponential, all[v]->profile };
                memset(&other, 0, sizeof other);
                other = start;
                memset(other.lift, 0, sizeof other.lift), memset(other.toward, 0, sizeof other.toward);
                kernels[which](RILL_CONTACT_RUN, &other, &k);
                if (v == 0) first = other;
                if (memcmp(&first, &other, sizeof first) != 0) fail_msg("kernel %d of %s", which, all[v]->name);
                for (int i = 0; i < RILL_CONTACT_RUN; ++i) {
                    const double x = (double)other.n[0][i], y = (double)other.n[1][i], z = (double)other.n[2][i];
                    assert_true(fabs(sqrt(x * x + y * y + z * z) - 1) < 1e-5 && z > 0.02);
                }
            }
    }
}

/* ------------------------------------------------------------------------------------------------------------ basin */

enum { NX = 60, NY = 40, LEFT = 10, RIGHT = 50 };

/* A basin between walls at x = 10 and x = 50 cells, open to the north and south; `slope` makes a bank of the right
 * wall. */
static rill_world *make_basin(double contact_angle, double depth, double slope, double lid) {
    rill_world_def def = plain_world_def();
    def.grid = (rill_grid){ .cells = { NX, NY }, .cell_size = DX };
    def.headroom = 0.1;
    rill_liquid_preset("water", &def.liquid);
    def.liquid.contact_angle = (rill_contact_angle){ contact_angle, contact_angle };
    rill_world *world;
    rill_message message;
    if (rill_world_create(&def, &world, &message)) fail_msg("%s", message.text);
    rill_solid_id id;
    rill_solid_def solids[] = {
        box_def("floor", -1, -1, -0.01, 1, 1, 0),
        box_def("left", -1, -1, -0.01, LEFT * DX, 1, 0.03),
        box_def("right", RIGHT * DX, -1, -0.01, 1, 1, 0.03),
        box_def("lid", (LEFT + 4) * DX, -1, lid, 1, 1, 0.05),
    };
    if (slope > 0) { /* a plane through the foot of the wall */
        solids[2] = rill_default_solid_def();
        solids[2].name = "bank";
        solids[2].shape.type = RILL_SHAPE_PLANE;
        memcpy(solids[2].shape.point, (double[]){ 30 * DX, 0, 0 }, sizeof solids[2].shape.point);
        memcpy(solids[2].shape.axis, (double[]){ -slope, 0, 1 }, sizeof solids[2].shape.axis);
    }
    for (int i = 0; i < (lid > 0 ? 4 : 3); ++i) must(world, rill_solid_create(world, &solids[i], &id));
    must(world, rill_bed_build(world));
    must(world, rill_world_fill_level(world, (double[]){ 20 * DX, 20 * DX, 1e-4 }, depth, NULL));
    return world;
}

static double capillary_length(double tension, double density) {
    return sqrt(tension / (density * 9.81));
}

static rill_surface *build(rill_world *world, rill_meniscus meniscus, rill_falloff falloff, rill_surface_mesh *mesh) {
    rill_surface_def def = rill_default_surface_def();
    def.meniscus = meniscus;
    def.falloff = falloff;
    def.distances = meniscus != RILL_MENISCUS_NONE;
    rill_surface *surface;
    must(world, rill_surface_create(world, &def, &surface));
    must(world, rill_surface_build(surface));
    must(world, rill_surface_get_mesh(surface, mesh));
    return surface;
}

/* The vertex nearest to a place, in cells from corner to corner. */
static size_t vertex_at(const rill_surface_mesh *mesh, double x, double y) {
    size_t best = 0;
    double least = 1e30;
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        const double d = hypot((double)mesh->positions[3 * i] - x * DX, (double)mesh->positions[3 * i + 1] - y * DX);
        if (d < least) least = d, best = i;
    }
    return best;
}

/* The angle of a normal to the vertical, positive where it leans to the right. */
static double lean_at(const rill_surface_mesh *mesh, double x, double y) {
    const float *n = mesh->normals + 3 * vertex_at(mesh, x, y);
    assert_true(fabs((double)n[1]) < 1e-5);
    return atan2((double)n[0], (double)n[2]);
}

static double height_at(const rill_surface_mesh *mesh, double x, double y) {
    return (double)mesh->positions[3 * vertex_at(mesh, x, y) + 2];
}

/* Concave, convex and none, at both walls: the faces are where cells meet, half way between the centres. They rise by
 * 60 cells from one column to the next. */
static void test_tilt_at_walls(void **state) {
    (void)state;
    static const double angles[] = { 0, 20, 40, 60, 90, 110, 140 };
    const double l = capillary_length(0.0728, 998);
    for (size_t a = 0; a < sizeof angles / sizeof angles[0]; ++a)
        for (int falloff = 0; falloff < 2; ++falloff) {
            rill_world *world = make_basin(angles[a], 0.005, 0, 0);
            rill_surface_mesh mesh;
            rill_surface *surface = build(world, RILL_MENISCUS_TILT, (rill_falloff)falloff, &mesh);
            const double psi = atan(60) - angles[a] * QUARTER / 90;
            for (int i = 0; i < 20; ++i) {
                const double d = (i + 0.5) * DX / l, expected = psi * (falloff ? exp(-d) : fmax(0, 1 - d));
                if (fabs(expected) > 1.5) continue; /* upwards at least */
                assert_true(fabs(lean_at(&mesh, LEFT + i + 0.5, 20.5) - expected) < 2e-4);
                assert_true(fabs(lean_at(&mesh, RIGHT - i - 0.5, 20.5) + expected) < 2e-4);
                assert_true(fabs(height_at(&mesh, LEFT + i + 0.5, 20.5) - 0.005) < 1e-6);
            }
            rill_surface_destroy(surface);
            rill_world_destroy(world);
        }
}

/* At a bank psi = beta - alpha, from the point where the level meets it: 30 + 6 / slope cells. */
static void test_tilt_at_banks(void **state) {
    (void)state;
    const double l = capillary_length(0.0728, 998);
    static const double slopes[] = { 0.4, 0.7, 0.9 };
    for (int i = 0; i < 3; ++i)
        for (double alpha = 10; alpha < 80; alpha += 15) {
            rill_world *world = make_basin(alpha, 6 * DX, slopes[i], 0);
            rill_surface_mesh mesh;
            rill_surface *surface = build(world, RILL_MENISCUS_TILT, RILL_FALLOFF_LINEAR, &mesh);
            const double psi = atan(slopes[i]) - alpha * QUARTER / 90, shore = 30 + 6 / slopes[i];
            for (int x = (int)(shore - 4); x + 0.5 < shore; ++x) {
                const double d = (shore - x - 0.5) * DX / l;
                assert_true(fabs(lean_at(&mesh, x + 0.5, 20.5) + psi * fmax(0, 1 - d)) < 2e-3);
            }
            rill_surface_destroy(surface);
            rill_world_destroy(world);
        }
}

/* All around a round bowl psi is the same, though the shore runs across the grid at every angle. */
static void test_tilt_in_a_bowl(void **state) {
    (void)state;
    enum { MOST = 100 };
    static double heights[MOST * MOST];
    for (int cells = 50; cells <= MOST; cells += 50) {
        const double dx = 0.05 / cells, shore = 0.02, bend = 0.04, alpha = 30;
        rill_world_def def = plain_world_def();
        def.grid = (rill_grid){ .cells = { cells, cells }, .cell_size = dx };
        def.headroom = 0.05;
        rill_liquid_preset("water", &def.liquid);
        def.liquid.contact_angle = (rill_contact_angle){ alpha, alpha };
        rill_world *world;
        rill_message message;
        if (rill_world_create(&def, &world, &message)) fail_msg("%s", message.text);
        for (int i = 0; i < cells * cells; ++i) {
            const double x = (i % cells + 0.5) * dx - 0.025, y = ((double)(i / cells) + 0.5) * dx - 0.025;
            heights[i] = (x * x + y * y) / (2 * bend);
        }
        rill_solid_def bowl = rill_default_solid_def();
        rill_solid_id id;
        bowl.name = "bowl";
        bowl.shape.type = RILL_SHAPE_HEIGHTMAP;
        bowl.shape.heights = heights;
        bowl.shape.heights_size[0] = bowl.shape.heights_size[1] = cells;
        must(world, rill_solid_create(world, &bowl, &id));
        must(world, rill_bed_build(world));
        must(world, rill_world_fill_level(world, (double[]){ 0.025, 0.025, 1e-3 }, shore * shore / (2 * bend), NULL));
        rill_surface_mesh mesh;
        rill_surface *surface = build(world, RILL_MENISCUS_TILT, RILL_FALLOFF_LINEAR, &mesh);
        const double psi = atan(shore / bend) * 90 / QUARTER - alpha;
        int count = 0;
        for (size_t v = 0; v < mesh.vertex_count; ++v) {
            if (mesh.wetness[v] > 0) continue;
            const double x = (double)mesh.positions[3 * v] - 0.025, y = (double)mesh.positions[3 * v + 1] - 0.025;
            const float *n = mesh.normals + 3 * v;
            const double out = ((double)n[0] * x + (double)n[1] * y) / hypot(x, y);
            const double lean = atan2(out, (double)n[2]) * 90 / QUARTER;
            if (fabs(lean + psi) > 3)
                fail_msg("%d cells, at (%g, %g): %g degrees, expected %g", cells, x, y, lean, -psi);
            ++count;
        }
        assert_true(count > 3 * cells / 2);
        rill_surface_destroy(surface);
        rill_world_destroy(world);
    }
}

/* x(z) - x(z_0) is the distance from the wall for every lifted vertex, and z_0 the rise at the wall. */
static void test_lift(void **state) {
    (void)state;
    static const double angles[] = { 10, 40, 70, 110, 150 };
    const double l = capillary_length(0.0728, 998);
    for (size_t a = 0; a < sizeof angles / sizeof angles[0]; ++a) {
        rill_world *world = make_basin(angles[a], 0.01, 0, 0);
        rill_surface_mesh mesh;
        rill_surface *surface = build(world, RILL_MENISCUS_LIFT, RILL_FALLOFF_LINEAR, &mesh);
        const double theta = angles[a] * QUARTER / 90 + QUARTER - atan(60), sign = angles[a] < 90 ? 1 : -1;
        const double rise = sqrt(2.0) * sqrt(1 - sin(theta));
        assert_true(fabs(height_at(&mesh, LEFT - 0.4, 20.5) - 0.01 - sign * rise * l) < 1e-6);
        for (int i = 0; i < 20; ++i) {
            const double z = sign * (height_at(&mesh, LEFT + i + 0.5, 20.5) - 0.01) / l;
            assert_true(z > 0);
            assert_true(fabs(profile_x(z) - profile_x(rise) - (i + 0.5) * DX / l) < 2e-3);
            const double phi = 2 * asin(z / 2); /* the slope goes with it */
            assert_true(fabs(lean_at(&mesh, LEFT + i + 0.5, 20.5) - sign * phi) < 1e-3);
        }
        rill_surface_destroy(surface);
        rill_world_destroy(world);
    }
}

/* Neither through a lid that is just above the level nor through the ground below a film. */
static void test_lift_stays_inside(void **state) {
    (void)state;
    rill_surface_mesh mesh;
    rill_world *world = make_basin(5, 0.01, 0, 0.0105);
    rill_surface *surface = build(world, RILL_MENISCUS_LIFT, RILL_FALLOFF_LINEAR, &mesh);
    double highest = 0, under = 0;
    for (size_t i = 0; i < mesh.vertex_count; ++i) {
        const double z = (double)mesh.positions[3 * i + 2];
        highest = fmax(highest, z);
        if ((double)mesh.positions[3 * i] > (LEFT + 4.1) * DX) under = fmax(under, z);
    }
    assert_true(highest > 0.0105 + 5e-4); /* at the left wall, under the open sky */
    assert_true(under <= 0.0105 + 1e-7);
    rill_surface_destroy(surface);
    rill_world_destroy(world);
    world = make_basin(150, 2e-4, 0, 0);
    surface = build(world, RILL_MENISCUS_LIFT, RILL_FALLOFF_LINEAR, &mesh);
    for (size_t i = 0; i < mesh.vertex_count; ++i) assert_true(mesh.positions[3 * i + 2] >= 0.0f);
    assert_true(height_at(&mesh, LEFT + 0.5, 20.5) < 1.9e-4);
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

/* Without tension nothing bends; and none means none. */
static void test_none(void **state) {
    (void)state;
    for (int turn = 0; turn < 2; ++turn) {
        rill_world *world = make_basin(20, 0.005, 0, 0);
        rill_liquid liquid;
        must(world, rill_world_get_liquid(world, &liquid));
        if (turn == 0) liquid.surface_tension = 0;
        must(world, rill_world_set_liquid(world, &liquid));
        rill_surface_mesh mesh;
        rill_surface *surface =
            build(world, turn == 0 ? RILL_MENISCUS_LIFT : RILL_MENISCUS_NONE, RILL_FALLOFF_LINEAR, &mesh);
        for (size_t i = 0; i < mesh.vertex_count; ++i) assert_true(mesh.normals[3 * i + 2] == 1.0f);
        rill_surface_destroy(surface);
        rill_world_destroy(world);
    }
}

/* --------------------------------------------------------------------------------------------------------- distance */

static uint32_t next_random(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* Pillars of one cell in a pool: distances, as the normals tell them, against all contact points there are. */
static void test_distances(void **state) {
    (void)state;
    enum { SIDE = 48, PILLARS = 14 };
    rill_world_def def = plain_world_def();
    def.grid = (rill_grid){ .cells = { SIDE, SIDE }, .cell_size = DX };
    def.headroom = 0.1;
    rill_liquid_preset("water", &def.liquid);
    def.liquid.contact_angle = rill_contact_angle_about(30);
    bool solid[SIDE][SIDE] = { { false } };
    rill_world *world;
    rill_message message;
    assert_int_equal(rill_world_create(&def, &world, &message), RILL_OK);
    rill_solid_id id;
    rill_solid_def floor = box_def(NULL, -1, -1, -0.01, 1, 1, 0);
    must(world, rill_solid_create(world, &floor, &id));
    uint32_t seed = 77;
    for (int n = 0; n < PILLARS; ++n) {
        const int x = 2 + (int)(next_random(&seed) % (SIDE - 4)), y = 2 + (int)(next_random(&seed) % (SIDE - 4));
        const rill_solid_def pillar = box_def(NULL, x * DX, y * DX, -0.01, (x + 1) * DX, (y + 1) * DX, 0.05);
        must(world, rill_solid_create(world, &pillar, &id));
        solid[y][x] = true;
    }
    must(world, rill_bed_build(world));
    must(world, rill_world_fill_level(world, (double[]){ 1e-4, 1e-4, 1e-4 }, 0.004, NULL));
    rill_surface_mesh mesh;
    rill_surface *surface = build(world, RILL_MENISCUS_TILT, RILL_FALLOFF_LINEAR, &mesh);
    const double l = capillary_length(0.0728, 998), psi = 60 * QUARTER / 90;
    int near = 0, right = 0, told_right = 0;
    for (size_t i = 0; i < mesh.vertex_count; ++i) {
        const double x = (double)mesh.positions[3 * i] / DX - 0.5, y = (double)mesh.positions[3 * i + 1] / DX - 0.5;
        if (fabs(x - round(x)) > 0.01 || fabs(y - round(y)) > 0.01) continue;
        double least = 1e30;
        for (int py = 0; py < SIDE; ++py)
            for (int px = 0; px < SIDE; ++px) {
                if (!solid[py][px]) continue;
                const double faces[4][2] = { { px - 0.5, py }, { px + 0.5, py }, { px, py - 0.5 }, { px, py + 0.5 } };
                for (int f = 0; f < 4; ++f) least = fmin(least, hypot(x - faces[f][0], y - faces[f][1]));
            }
        const double lean = acos(fmin(1, (double)mesh.normals[3 * i + 2])), d = (1 - lean / psi) * l / DX;
        const double told = (double)mesh.distances[i] / DX;
        if (least * DX > l * 0.98) {
            assert_true(lean < 0.05);
            assert_true(told > 0.97 * l / DX);
            continue;
        }
        near += 1;
        assert_true(d > least - 0.02 && told > least - 1e-3); /* never nearer than the nearest */
        right += d < least + 0.05;
        told_right += told < least + 1e-3;
    }
    assert_true(told_right > near * 98 / 100);
    assert_true(near > 500);
    assert_true(right > near * 9 / 10); /* the others are half way between two pillars, and lean less */
    rill_surface_destroy(surface);
    rill_world_destroy(world);
}

/* Along a basin: 0 where the surface meets a wall, the way to the nearer one, infinity in the middle; nothing unless
 * asked for, and a message for who asks in vain. */
static void test_distances_of_a_basin(void **state) {
    (void)state;
    rill_world *world = make_basin(30, 0.004, 0, 0);
    rill_surface_mesh mesh, copy;
    rill_surface *surface = build(world, RILL_MENISCUS_TILT, RILL_FALLOFF_LINEAR, &mesh);
    const double l = capillary_length(0.0728, 998);
    assert_true(mesh.distances[vertex_at(&mesh, LEFT, 20)] == 0.0f);
    for (int x = LEFT; x < RIGHT; ++x) {
        const double told = (double)mesh.distances[vertex_at(&mesh, x + 0.5, 20.5)];
        const double away = DX * fmin(x + 0.5 - LEFT, RIGHT - x - 0.5);
        if (away < 0.95 * l) assert_true(fabs(told - away) < 1e-7);
        if (away > 1.05 * l) assert_true(isinf(told));
    }
    float *room = malloc(mesh.vertex_count * sizeof *room);
    assert_non_null(room);
    copy = (rill_surface_mesh){ .distances = room, .vertex_count = mesh.vertex_count };
    must(world, rill_surface_write(surface, &copy));
    assert_memory_equal(room, mesh.distances, mesh.vertex_count * sizeof *room);
    free(room);
    rill_surface_destroy(surface);

    rill_surface_def def = rill_default_surface_def();
    must(world, rill_surface_create(world, &def, &surface));
    must(world, rill_surface_build(surface));
    must(world, rill_surface_get_mesh(surface, &mesh));
    assert_null(mesh.distances);
    rill_surface_destroy(surface);
    def.distances = true;
    def.form = RILL_SURFACE_GRIDS;
    must_refuse(world, rill_surface_create(world, &def, &surface), RILL_INVALID_ARGUMENT,
                "distances is true for grids");
    def.form = RILL_SURFACE_MESH;
    def.meniscus = RILL_MENISCUS_NONE;
    must_refuse(world, rill_surface_create(world, &def, &surface), RILL_INVALID_ARGUMENT, "without a meniscus");
    rill_world_destroy(world);
}

/* -------------------------------------------------------------------------------------------------------- same bits */

static void test_same_bits(void **state) {
    (void)state;
    static const char *const names[] = { "surgery", "saucer", "three_layers" };
    for (size_t n = 0; n < sizeof names / sizeof names[0]; ++n) {
        char path[1024];
        snprintf(path, sizeof path, "%s/scenes/%s.yaml", RILL_SOURCE_DIR, names[n]);
        float *normals[3] = { NULL };
        size_t counts[3];
        for (int turn = 0; turn < 3; ++turn) {
            rill_scene *scene;
            rill_world *world;
            rill_scene_report report = { 0 };
            rill_runtime runtime = rill_default_world_def().runtime;
            runtime.tasks.threads = turn == 1 ? 3 : 1;
            runtime.scalar = turn == 2;
            assert_int_equal(rill_scene_load(path, NULL, &scene, &report), RILL_SCENE_OK);
            scene->world.solver.tension = RILL_TENSION_OFF;
            assert_int_equal(rill_scene_create_world(scene, &runtime, &world, &report), RILL_SCENE_OK);
            rill_status status;
            for (int i = 0; i < (ALONE_PART > 1 ? 10 : 40); ++i)
                must(world, rill_scene_step(scene, world, scene->frame, &status));
            rill_surface_mesh mesh;
            rill_surface *surface = build(world, RILL_MENISCUS_LIFT, RILL_FALLOFF_LINEAR, &mesh);
            counts[turn] = 3 * mesh.vertex_count;
            normals[turn] = malloc(2 * counts[turn] * sizeof(float));
            memcpy(normals[turn], mesh.normals, counts[turn] * sizeof(float));
            memcpy(normals[turn] + counts[turn], mesh.positions, counts[turn] * sizeof(float));
            assert_int_equal(counts[turn], counts[0]);
            assert_memory_equal(normals[turn], normals[0], 2 * counts[0] * sizeof(float));
            rill_surface_destroy(surface);
            rill_world_destroy(world);
            rill_scene_free(scene);
            rill_scene_report_free(&report);
        }
        for (int turn = 0; turn < 3; ++turn) free(normals[turn]);
    }
}

/* ----------------------------------------------------------------------------------------------------------- memory */

/* Every allocation of a surface with floor and lifted meniscus may fail: nothing leaks, and the next build is as if
 * nothing had happened. */
static void test_failures(void **state) {
    (void)state;
    test_memory memory = { 0 };
    rill_world_def def = house_def();
    def.runtime.allocator = test_allocator(&memory);
    rill_liquid_preset("water", &def.liquid);
    rill_world *world = make_house(&def);
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.002, NULL));
    rill_surface_def look = rill_default_surface_def();
    look.meniscus = RILL_MENISCUS_LIFT;
    look.distances = true;
    rill_surface *whole;
    rill_surface_mesh expected;
    must(world, rill_surface_create(world, &look, &whole));
    must(world, rill_surface_build(whole));
    must(world, rill_surface_get_mesh(whole, &expected));
    bool through = false;
    for (long n = 1; !through; ++n) {
        const long live = memory.live;
        rill_surface *surface = NULL;
        memory.fail_at = memory.count + n;
        rill_result result = rill_surface_create(world, &look, &surface);
        if (result == RILL_OK) result = rill_surface_build(surface);
        through = memory.count < memory.fail_at;
        memory.fail_at = 0;
        assert_int_equal(result, through ? RILL_OK : RILL_OUT_OF_MEMORY);
        if (surface != NULL) {
            rill_surface_mesh mesh;
            must(world, rill_surface_build(surface));
            must(world, rill_surface_get_mesh(surface, &mesh));
            assert_int_equal(mesh.vertex_count, expected.vertex_count);
            assert_memory_equal(mesh.normals, expected.normals, 3 * mesh.vertex_count * sizeof(float));
            assert_memory_equal(mesh.positions, expected.positions, 3 * mesh.vertex_count * sizeof(float));
            assert_memory_equal(mesh.distances, expected.distances, mesh.vertex_count * sizeof(float));
        }
        rill_surface_destroy(surface);
        assert_int_equal(memory.live, live);
    }
    rill_surface_destroy(whole);
    rill_world_destroy(world);
    assert_int_equal(memory.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit_test_alone(test_profile),
        unit_test_alone(test_angles),
        unit_test_alone(test_kernels),
        unit_test_alone(test_tilt_at_walls),
        unit_test_alone(test_tilt_in_a_bowl),
        unit_test_alone(test_tilt_at_banks),
        unit_test_alone(test_lift),
        unit_test_alone(test_lift_stays_inside),
        unit_test_alone(test_none),
        unit_test_alone(test_distances),
        cmocka_unit_test(test_same_bits),
        unit_test_alone(test_failures),
        unit_test_alone(test_distances_of_a_basin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
