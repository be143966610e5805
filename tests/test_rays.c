/* Rays: known answers, and on random worlds all triangles one by one and a march through the liquid in small steps. */
#include "body_shapes.h"
#include "snapshots.h"

#include <math.h>

static rill_ray ray_of(double x, double y, double z, double dx, double dy, double dz) {
    return (rill_ray){ { x, y, z }, { dx, dy, dz } };
}

static rill_ray_hit cast(const rill_world *world, rill_ray ray, uint32_t targets) {
    rill_ray_hit hit;
    if (rill_query_rays(world, &ray, 1, targets, &hit)) fail_msg("%s", rill_world_message(world));
    return hit;
}

static void near_to(double found, double wanted, double error) {
    if (!(fabs(found - wanted) <= error)) fail_msg("%.12g is not %.12g within %g", found, wanted, error);
}

static void check_hit(const rill_ray_hit *hit, rill_ray_target what, double distance, double nx, double ny, double nz) {
    const double normal[3] = { nx, ny, nz };
    assert_int_equal(hit->what, what);
    near_to(hit->distance, distance, 1e-9);
    for (int i = 0; i < 3; ++i) near_to(hit->normal[i], normal[i], 1e-6);
}

/* ----------------------------------------------------------------------------------------------------- known answers */

static void test_refuses(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    rill_ray_hit hit;
    const rill_ray good = ray_of(0.0, 0.0, 1.0, 0.0, 0.0, -1.0), nowhere = ray_of(0.0, 0.0, 1.0, 0.0, 0.0, 0.0);
    const rill_ray mad[2] = { good, ray_of(0.0, (double)NAN, 1.0, 0.0, 0.0, 1.0) };
    rill_ray_hit hits[2];
    assert_int_equal(rill_query_rays(NULL, &good, 1, RILL_RAY_ALL, &hit), RILL_INVALID_ARGUMENT);
    must_refuse(world, rill_query_rays(world, NULL, 1, RILL_RAY_ALL, &hit), RILL_INVALID_ARGUMENT, "rays is NULL");
    must_refuse(world, rill_query_rays(world, &good, 1, RILL_RAY_ALL, NULL), RILL_INVALID_ARGUMENT, "out is NULL");
    must_refuse(world, rill_query_rays(world, &good, 1, 0, &hit), RILL_INVALID_ARGUMENT, "targets");
    must_refuse(world, rill_query_rays(world, &good, 1, 16, &hit), RILL_INVALID_ARGUMENT, "targets");
    must_refuse(world, rill_query_rays(world, &nowhere, 1, RILL_RAY_ALL, &hit), RILL_INVALID_ARGUMENT, "ray 0");
    must_refuse(world, rill_query_rays(world, mad, 2, RILL_RAY_ALL, hits), RILL_INVALID_ARGUMENT, "ray 1");
    must(world, rill_query_rays(world, NULL, 0, RILL_RAY_ALL, NULL));
    rill_world_destroy(world);
}

static void test_solids(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = NULL;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    must(world, add_house_solids(world)); /* there is no bed yet */
    const rill_solid_id floor = rill_solid_find(world, "floor"), platform = rill_solid_find(world, "platform"),
                        wall = rill_solid_find(world, "wall");
    rill_ray_hit hit = cast(world, ray_of(0.002, 0.005, 0.05, 0.0, 0.0, -3.0), RILL_RAY_ALL);
    check_hit(&hit, RILL_RAY_SOLIDS, 0.05, 0.0, 0.0, 1.0);
    assert_true(hit.solid.value == floor.value && hit.body.value == 0);
    near_to(hit.point[0], 0.002, 1e-12);
    near_to(hit.point[2], 0.0, 1e-12);
    hit = cast(world, ray_of(0.010, 0.005, 0.05, 0.0, 0.0, -1.0), RILL_RAY_ALL);
    check_hit(&hit, RILL_RAY_SOLIDS, 0.045, 0.0, 0.0, 1.0);
    assert_true(hit.solid.value == platform.value);
    hit = cast(world, ray_of(0.010, 0.005, 0.002, 0.0, 0.0, 1.0), RILL_RAY_ALL); /* from below */
    check_hit(&hit, RILL_RAY_SOLIDS, 0.002, 0.0, 0.0, -1.0);
    hit = cast(world, ray_of(0.0, 0.005, 0.001, 7.0, 0.0, 0.0), RILL_RAY_ALL);
    check_hit(&hit, RILL_RAY_SOLIDS, 0.017, -1.0, 0.0, 0.0);
    assert_true(hit.solid.value == wall.value);
    must(world, rill_solid_set_visible(world, wall, false));
    assert_int_equal(cast(world, ray_of(0.0, 0.005, 0.001, 7.0, 0.0, 0.0), RILL_RAY_SOLIDS).what, RILL_RAY_NOTHING);
    must(world, rill_solid_set_visible(world, wall, true));
    must(world, rill_solid_set_pose(world, wall, (double[]){ -0.003, 0.0, 0.0 }, (double[]){ 0.0, 0.0, 0.0 }));
    hit = cast(world, ray_of(0.0, 0.005, 0.001, 7.0, 0.0, 0.0), RILL_RAY_ALL);
    check_hit(&hit, RILL_RAY_SOLIDS, 0.014, -1.0, 0.0, 0.0);
    hit = cast(world, ray_of(0.0, 0.005, 0.1, 1.0, 0.0, 0.0), RILL_RAY_ALL);
    assert_true(hit.what == RILL_RAY_NOTHING && hit.distance == 0.0 && hit.solid.value == 0);
    rill_world_destroy(world);
}

static void test_liquid(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.002, NULL));
    double depths[200];
    for (int i = 0; i < 200; ++i) depths[i] = 0.001;
    must(world, rill_world_fill_depths(world, 1, depths, 200, NULL)); /* on the platform */
    rill_ray_hit hit = cast(world, ray_of(0.002, 0.005, 0.05, 0.0, 0.0, -1.0), RILL_RAY_ALL);
    check_hit(&hit, RILL_RAY_LIQUID, 0.048, 0.0, 0.0, 1.0);
    assert_true(hit.layer == 0 && hit.solid.value == 0 && hit.body.value == 0);
    hit = cast(world, ray_of(0.002, 0.005, 0.05, 0.0, 0.0, -1.0), RILL_RAY_SOLIDS | RILL_RAY_BODIES);
    check_hit(&hit, RILL_RAY_SOLIDS, 0.05, 0.0, 0.0, 1.0);
    hit = cast(world, ray_of(0.0101, 0.0051, 0.05, 0.0, 0.0, -1.0), RILL_RAY_ALL);
    check_hit(&hit, RILL_RAY_LIQUID, 0.044, 0.0, 0.0, 1.0);
    assert_int_equal(hit.layer, 1);
    hit = cast(world, ray_of(0.0101, 0.0051, 0.001, 0.0, 0.0, 1.0), RILL_RAY_ALL); /* from within, under the platform */
    check_hit(&hit, RILL_RAY_LIQUID, 0.001, 0.0, 0.0, -1.0);
    assert_int_equal(hit.layer, 0);
    hit =
        cast(world, ray_of(0.010, 0.005, 0.003, -1.0, 0.0, -0.5), RILL_RAY_LIQUID); /* obliquely, under the platform */
    check_hit(&hit, RILL_RAY_LIQUID, sqrt(5.0) * 0.001, 0.0, 0.0, 1.0);
    hit = cast(world, ray_of(-0.01, 0.005, 0.0010, 1.0, 0.0, 0.0), RILL_RAY_LIQUID); /* the side at the grid's border */
    check_hit(&hit, RILL_RAY_LIQUID, 0.01, -1.0, 0.0, 0.0);
    assert_int_equal(cast(world, ray_of(0.0, 0.005, 0.0025, 1.0, 0.0, 0.0), RILL_RAY_LIQUID).what, RILL_RAY_NOTHING);
    rill_world_destroy(world);
}

/* A slope of levels is a plane, exactly, and a dam has an upright side. */
static void test_levels(void **state) {
    (void)state;
    rill_world_def def = house_def();
    rill_world *world = NULL;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    const rill_solid_def floor = box_def("floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
    must(world, rill_solid_create(world, &floor, NULL));
    must(world, rill_bed_build(world));
    double depths[200];
    for (int i = 0; i < 200; ++i) depths[i] = 0.002 + 0.0001 * (double)(i % 20) - 0.00005 * (double)(i / 20);
    must(world, rill_world_fill_depths(world, 0, depths, 200, NULL));
    const double slope[2] = { 0.1, -0.05 }, length = sqrt(1.0 + 0.01 + 0.0025);
    const rill_ray ray = ray_of(0.001, 0.002, 0.008, 0.5, 0.2, -0.3);
    const double above = 0.008 - (0.002 + slope[0] * (0.001 - 0.0005) + slope[1] * (0.002 - 0.0005));
    const double closing = 0.3 + slope[0] * 0.5 + slope[1] * 0.2, way = sqrt(0.25 + 0.04 + 0.09);
    const rill_ray_hit hit = cast(world, ray, RILL_RAY_ALL);
    check_hit(&hit, RILL_RAY_LIQUID, above / closing * way, -slope[0] / length, -slope[1] / length, 1.0 / length);
    for (int i = 0; i < 200; ++i) depths[i] = i % 20 < 10 ? 0.003 : 0.0;
    must(world, rill_world_fill_depths(world, 0, depths, 200, NULL));
    rill_ray_hit side = cast(world, ray_of(0.019, 0.005, 0.001, -1.0, 0.0, 0.0), RILL_RAY_ALL);
    check_hit(&side, RILL_RAY_LIQUID, 0.009, 1.0, 0.0, 0.0);
    side = cast(world, ray_of(0.005, 0.005, 0.001, 1.0, 0.0, 0.0), RILL_RAY_ALL); /* from within */
    check_hit(&side, RILL_RAY_LIQUID, 0.005, -1.0, 0.0, 0.0);
    rill_world_destroy(world);
}

static void test_bodies(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    rill_body_def crate = rill_default_body_def();
    crate.shape.type = RILL_SHAPE_BOX;
    set_size(&crate.shape, 0.002, 0.002, 0.002);
    memcpy(crate.state.position, (double[]){ 0.003, 0.005, 0.003 }, sizeof crate.state.position);
    crate.state.orientation[2] = sin(0.392699081698724),
    crate.state.orientation[3] = cos(0.392699081698724); /* 45 degrees */
    rill_body_id id;
    must(world, rill_body_create(world, &crate, &id));
    rill_ray_hit hit = cast(world, ray_of(0.003, -0.002, 0.003, 0.0, 2.0, 0.0), RILL_RAY_ALL);
    assert_int_equal(hit.what, RILL_RAY_BODIES);
    assert_true(hit.body.value == id.value && hit.solid.value == 0);
    near_to(hit.distance, 0.007 - sqrt(2.0) * 0.001, 1e-9);
    hit = cast(world, ray_of(0.0032, -0.002, 0.003, 0.0, 2.0, 0.0), RILL_RAY_ALL);
    check_hit(&hit, RILL_RAY_BODIES, 0.007 - sqrt(2.0) * 0.001 + 0.0002, sqrt(0.5), -sqrt(0.5), 0.0);
    hit = cast(world, ray_of(0.003, 0.005, 0.02, 0.0, 0.0, -1.0), RILL_RAY_ALL);
    check_hit(&hit, RILL_RAY_BODIES, 0.016, 0.0, 0.0, 1.0);
    rill_body_state moved;
    must(world, rill_body_get_state(world, id, &moved));
    moved.position[2] += 0.001;
    must(world, rill_body_set_state(world, id, &moved));
    hit = cast(world, ray_of(0.003, 0.005, 0.02, 0.0, 0.0, -1.0), RILL_RAY_ALL);
    check_hit(&hit, RILL_RAY_BODIES, 0.015, 0.0, 0.0, 1.0);
    hit = cast(world, ray_of(0.003, 0.005, 0.02, 0.0, 0.0, -1.0), RILL_RAY_SOLIDS);
    check_hit(&hit, RILL_RAY_SOLIDS, 0.02, 0.0, 0.0, 1.0);
    rill_world_destroy(world);
}

/* --------------------------------------------------------------------------------------------------- random worlds */

static double between(uint32_t *dice, double low, double high) {
    *dice = *dice * 1664525u + 1013904223u;
    return low + (high - low) * (double)(*dice >> 8) / 16777216.0;
}

static void add_ground(rill_world *world, uint32_t *dice) {
    double heights[36];
    rill_solid_def def = rill_default_solid_def();
    def.shape.type = RILL_SHAPE_HEIGHTMAP;
    def.shape.heights = heights;
    def.shape.heights_size[0] = def.shape.heights_size[1] = 6;
    for (int i = 0; i < 36; ++i) heights[i] = between(dice, 0.0, 0.002);
    must(world, rill_solid_create(world, &def, NULL));
}

static void add_thing(rill_world *world, uint32_t *dice, int kind) {
    rill_solid_def def = box_def(NULL, -0.003, -0.002, -0.0005, 0.003, 0.002, 0.0005);
    if (kind % 3 == 1) def.shape.type = RILL_SHAPE_SPHERE, def.shape.radius = between(dice, 0.0005, 0.002);
    if (kind % 3 == 2)
        def.shape.type = RILL_SHAPE_TORUS, def.shape.radius = 0.002, def.shape.tube = 0.0006, def.shape.axis[2] = 1.0;
    for (int i = 0; i < 3; ++i) {
        def.rotate[i] = between(dice, -40.0, 40.0);
        def.translate[i] = between(dice, i == 2 ? 0.001 : 0.002, i == 0 ? 0.018 : i == 1 ? 0.008 : 0.006);
    }
    must(world, rill_solid_create(world, &def, NULL));
}

static rill_world *random_world(uint32_t seed) {
    uint32_t dice = seed * 7919u;
    const rill_world_def def = house_def();
    rill_world *world = NULL;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    add_ground(world, &dice);
    for (int i = 0; i < 5; ++i) add_thing(world, &dice, i);
    must(world, rill_bed_build(world));
    const double level = between(&dice, 0.002, 0.005);
    rill_world_fill_level(world, (double[]){ 0.0005, 0.0005, 0.005 }, level, NULL);
    rill_world_fill_level(world, (double[]){ 0.0155, 0.0065, 0.02 }, level + 0.001, NULL);
    rill_body_def ball = rill_default_body_def();
    ball.shape.radius = 0.0012;
    memcpy(ball.state.position, (double[]){ 0.006, 0.005, 0.006 }, sizeof ball.state.position);
    must(world, rill_body_create(world, &ball, NULL));
    run(world, (int)(seed % 9), 0.005);
    return world;
}

/* Volume against all triangles there are, one by one. */
static double meet(const rill_ray *ray, const double *a, const double *b, const double *c) {
    const double *d = ray->direction;
    double e[3], f[3], s[3];
    for (int i = 0; i < 3; ++i) e[i] = b[i] - a[i], f[i] = c[i] - a[i], s[i] = ray->origin[i] - a[i];
    const double n[3] = { e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0] };
    const double down = n[0] * d[0] + n[1] * d[1] + n[2] * d[2], t = -(n[0] * s[0] + n[1] * s[1] + n[2] * s[2]) / down;
    const double square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    double p[3];
    for (int i = 0; i < 3; ++i) p[i] = s[i] + t * d[i];
    const double v =
        (n[0] * (e[1] * p[2] - e[2] * p[1]) + n[1] * (e[2] * p[0] - e[0] * p[2]) + n[2] * (e[0] * p[1] - e[1] * p[0])) /
        square;
    const double u =
        (n[0] * (p[1] * f[2] - p[2] * f[1]) + n[1] * (p[2] * f[0] - p[0] * f[2]) + n[2] * (p[0] * f[1] - p[1] * f[0])) /
        square;
    return t >= 0.0 && u >= 0.0 && v >= 0.0 && u + v <= 1.0 ? t : (double)INFINITY;
}

static double meet_solids(const rill_world *world, const rill_ray *ray, rill_solid_id *which) {
    double nearest = (double)INFINITY;
    for (int32_t i = 0; i < rill_world_solid_count(world); ++i) {
        rill_solid_mesh mesh;
        assert_int_equal(rill_solid_get_mesh(world, rill_world_solid_at(world, i), &mesh), RILL_OK);
        for (size_t k = 0; k < mesh.triangle_count; ++k) {
            const uint32_t *index = &mesh.indices[3 * k];
            const double at = meet(ray, mesh.vertices + 3 * (size_t)index[0], mesh.vertices + 3 * (size_t)index[1],
                                   mesh.vertices + 3 * (size_t)index[2]);
            if (at < nearest) nearest = at, *which = rill_world_solid_at(world, i);
        }
    }
    return nearest;
}

/* One random ray: mostly from above and beside, some from within. */
static rill_ray random_ray(uint32_t *dice) {
    rill_ray ray;
    double square = 0.0;
    for (int i = 0; i < 3; ++i) {
        const double size = i == 0 ? 0.02 : 0.01;
        const double from = between(dice, -0.2 * size, 1.2 * size), to = between(dice, 0.0, i == 2 ? 0.005 : size);
        ray.origin[i] = from;
        ray.direction[i] = to - from;
        square += ray.direction[i] * ray.direction[i];
    }
    for (int i = 0; i < 3; ++i) ray.direction[i] /= sqrt(square);
    return ray;
}

static void test_triangles(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 10; seed += NEXT_CASE) {
        rill_world *world = random_world(seed);
        uint32_t dice = seed;
        int hits = 0;
        for (int i = 0; i < 300; ++i) {
            const rill_ray ray = random_ray(&dice);
            rill_solid_id which = { 0 };
            const double wanted = meet_solids(world, &ray, &which);
            const rill_ray_hit hit = cast(world, ray, RILL_RAY_SOLIDS);
            assert_int_equal(hit.what == RILL_RAY_SOLIDS, !isinf(wanted));
            if (isinf(wanted)) continue;
            near_to(hit.distance, wanted, 1e-9);
            assert_true(hit.solid.value == which.value);
            hits += 1;
        }
        assert_true(hits > 100);
        rill_world_destroy(world);
    }
}

/* ------------------------------------------------------------------------------------------------ marching in liquid */

enum { SOLID = 0, AIR, LIQUID };

/* A column's level if it has a surface; NaN: it has none. */
static double level_of(const rill_world *world, int32_t k) {
    const int32_t place = world->bed.places[k], H = world->flow.H[place];
    const rill_body_node *node = rill_bodies_node(&world->bodies, place);
    double level = (double)world->bed.b[place] + (double)H;
    if (node) level = node->drawn >= 0 ? (double)node->drawn : (double)node->base + node->e;
    const bool wet = H > RILL_DRY || (node && node->deck > RILL_DRY);
    return wet && level < (double)world->bed.c[place] && !rill_flow_flooded(&world->flow, place) ? level : (double)NAN;
}

/* The level of the column in a cell that column k is linked to, else `otherwise`; quanta. */
static double level_beside(const rill_world *world, int32_t k, double below, int32_t x, int32_t y, double otherwise) {
    const rill_bed *bed = &world->bed;
    if (x < 0 || y < 0 || x >= bed->grid.cells[0] || y >= bed->grid.cells[1]) return otherwise;
    const int32_t cell = y * bed->grid.cells[0] + x, first = bed->cell_first[cell];
    for (int32_t j = first; j < bed->cell_first[cell + 1]; ++j) {
        const double level = level_of(world, j), own = level_of(world, k);
        const double under = j > first ? (double)bed->c[bed->places[j - 1]] : -1e300;
        if (!isnan(level) && under < own && own < (double)bed->c[bed->places[j]] && below < level &&
            level < (double)bed->c[bed->places[k]])
            return level;
    }
    return otherwise;
}

static int at_point(const rill_world *world, const double p[3]) {
    const rill_bed *bed = &world->bed;
    const double fx = p[0] / bed->grid.cell_size, fy = p[1] / bed->grid.cell_size,
                 z = (p[2] - bed->datum) / bed->quantum;
    if (fx < 0.0 || fy < 0.0 || fx >= bed->grid.cells[0] || fy >= bed->grid.cells[1]) return AIR;
    const int32_t x = (int32_t)fx, y = (int32_t)fy, cell = y * bed->grid.cells[0] + x, first = bed->cell_first[cell];
    const double u = fx - x - 0.5, v = fy - y - 0.5;
    const int32_t sx = u < 0.0 ? -1 : 1, sy = v < 0.0 ? -1 : 1;
    for (int32_t k = first; k < bed->cell_first[cell + 1]; ++k) {
        const int32_t place = bed->places[k];
        if (z < (double)bed->b[place] || z > (double)bed->c[place]) continue;
        const double level = level_of(world, k), below = k > first ? (double)bed->c[bed->places[k - 1]] : -1e300;
        if (isnan(level)) return world->flow.H[place] > RILL_DRY ? LIQUID : AIR;
        const double a = level_beside(world, k, below, x + sx, y, level),
                     b = level_beside(world, k, below, x, y + sy, level);
        const double c = level_beside(world, k, below, x + sx, y + sy, a + b - level);
        const double s = fabs(u), t = fabs(v);
        const double top = (level * (1.0 - s) + a * s) * (1.0 - t) + (b * (1.0 - s) + c * s) * t;
        return z < top ? LIQUID : AIR;
    }
    return SOLID;
}

static int at_distance(const rill_world *world, const rill_ray *ray, double t) {
    double p[3];
    for (int i = 0; i < 3; ++i) p[i] = ray->origin[i] + t * ray->direction[i];
    return at_point(world, p);
}

static bool crosses(int a, int b) {
    return a != b && a != SOLID && b != SOLID;
}

/* Whether liquid begins or ends before a distance, in steps of 1/100 cell; what a step seems to cross is looked at again in
 * much smaller ones, for it may have passed a corner. */
static bool march(const rill_world *world, const rill_ray *ray, double before) {
    const double step = 1e-5;
    int last = at_distance(world, ray, 0.0);
    for (double t = step; t < before - step; t += step) {
        const int here = at_distance(world, ray, t);
        if (crosses(last, here)) {
            int fine = last;
            for (int i = 1; i <= 1000; ++i) {
                const int next = at_distance(world, ray, t - step + step * 0.001 * (double)i);
                if (crosses(fine, next)) return true;
                fine = next;
            }
        }
        last = here;
    }
    return false;
}

static void test_march(void **state) {
    (void)state;
    int found = 0, odd = 0;
    for (uint32_t seed = 1; seed <= 12; seed += NEXT_CASE) {
        rill_world *world = random_world(seed);
        uint32_t dice = seed + 100;
        for (int i = 0; i < 200; ++i) {
            const rill_ray ray = random_ray(&dice);
            const rill_ray_hit hit = cast(world, ray, RILL_RAY_LIQUID);
            const bool missed = march(world, &ray, hit.what ? hit.distance : 0.04);
            if (missed) fail_msg("world %u, ray %d: liquid before %g m", seed, i, hit.distance);
            if (!hit.what) continue;
            found += 1;
            odd +=
                !crosses(at_distance(world, &ray, hit.distance - 1e-8), at_distance(world, &ray, hit.distance + 1e-8));
        }
        rill_world_destroy(world);
    }
    assert_true(found > 400 / NEXT_CASE);
    assert_true(odd * 100 <= found); /* rays that touch a surface, or meet it where a solid begins */
}

/* The nearest of all is the nearest of each kind. */
static void test_nearest(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 6; ++seed) {
        rill_world *world = random_world(seed);
        uint32_t dice = seed + 200;
        rill_ray rays[64];
        rill_ray_hit all[64], one;
        for (int i = 0; i < 64; ++i) rays[i] = random_ray(&dice);
        must(world, rill_query_rays(world, rays, 64, RILL_RAY_ALL, all));
        for (int i = 0; i < 64; ++i) {
            double nearest = (double)INFINITY;
            rill_ray_target what = RILL_RAY_NOTHING;
            for (uint32_t target = 1; target < RILL_RAY_ALL; target *= 2) {
                one = cast(world, rays[i], target);
                if (one.what && one.distance < nearest) nearest = one.distance, what = one.what;
            }
            assert_int_equal(all[i].what, what);
            assert_true(!what || all[i].distance == nearest);
        }
        rill_world_destroy(world);
    }
}

/* Without memory nothing is answered, and nothing is lost; later rays take none. */
static void test_memory_used(void **state) {
    (void)state;
    test_memory memory = { 0 };
    rill_world_def def = house_def();
    def.runtime.allocator = test_allocator(&memory);
    rill_world *world = make_house(&def);
    rill_body_def ball = rill_default_body_def();
    ball.shape.radius = 0.001;
    ball.state.position[2] = 0.008;
    must(world, rill_body_create(world, &ball, NULL));
    const rill_ray ray = ray_of(0.0, 0.0, 0.02, 0.0, 0.0, -1.0);
    rill_ray_hit hit;
    rill_result result = RILL_OUT_OF_MEMORY;
    int refusals = 0;
    for (long at = 1; result && at < 100; ++at) {
        memory.fail_at = memory.count + at;
        result = rill_query_rays(world, &ray, 1, RILL_RAY_ALL, &hit);
        memory.fail_at = 0;
        refusals += result == RILL_OUT_OF_MEMORY;
    }
    assert_true(refusals > 3);
    assert_int_equal(hit.what, RILL_RAY_BODIES);
    const long before = memory.count;
    must(world, rill_query_rays(world, &ray, 1, RILL_RAY_ALL, &hit));
    assert_int_equal(memory.count, before);
    rill_world_destroy(world);
    assert_int_equal(memory.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refuses), cmocka_unit_test(test_solids),  cmocka_unit_test(test_liquid),
        cmocka_unit_test(test_levels),  cmocka_unit_test(test_bodies),  unit_test_alone(test_triangles),
        unit_test_alone(test_march),    cmocka_unit_test(test_nearest), cmocka_unit_test(test_memory_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
