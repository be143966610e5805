/* Forms of bodies: their masses, hulls and meshes against what is known of them, and the volumes they shade against
 * their own, wherever they are and however they are turned. */
#include "body_shapes.h"
#include "shape/body_form_internal.h"
#include "worlds.h"

#include <math.h>

#define PI 3.14159265358979323846

static uint64_t seed = 1;

/* From low to high. */
static double random_in(double low, double high) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

static rill_body_def def_of(rill_shape shape, double radius, double length) {
    rill_body_def def = { .name = "buoy", .shape = { .type = shape, .radius = radius }, .centre = { NAN, NAN, NAN } };
    set_size(&def.shape, 2.0 * radius, 1.5 * radius, length);
    set_length(&def.shape, length);
    return def;
}

static rill_body_form make(const rill_body_def *def) {
    const rill_allocator allocator = rill_alloc_default();
    rill_message message = { "" };
    rill_body_form form;
    if (rill_body_form_make(def, &allocator, &form, &message)) fail_msg("%s", message.text);
    return form;
}

static void discard(rill_body_form *form) {
    const rill_allocator allocator = rill_alloc_default();
    rill_body_form_free(form, &allocator);
    assert_null(form->vertices);
}

static void near(double found, double expected, double error) {
    if (!(fabs(found - expected) <= error)) fail_msg("%.12g is not %.12g to %g", found, expected, error);
}

/* ------------------------------------------------------------------------------------------------ points and meshes */

enum { MOST_POINTS = 1200 };
static float points[3 * MOST_POINTS];
static uint32_t corners[3 * 64];

static void set_point(size_t i, double x, double y, double z) {
    points[3 * i] = (float)x, points[3 * i + 1] = (float)y, points[3 * i + 2] = (float)z;
}

/* Points that span a primitive, or nearly. */
static rill_body_def hull_like(const rill_body_def *shape) {
    const double r = shape->shape.radius, half = shape->shape.to[2];
    size_t count = 0;
    if (shape->shape.type == RILL_SHAPE_BOX) {
        for (; count < 8; ++count)
            set_point(count, count & 1 ? r : -r, count & 2 ? 0.75 * r : -0.75 * r, count & 4 ? half : -half);
    } else {
        const bool flat = shape->shape.type == RILL_SHAPE_CYLINDER;
        const double lift = shape->shape.type == RILL_SHAPE_SPHERE ? 0.0 : half;
        for (int side = -1; side <= 1; side += 2)
            for (int i = 0; i < (flat ? 1 : 12); ++i)
                for (int k = 0; k < 48; ++k, ++count) {
                    const double up = 0.5 * PI * i / 12.0, around = 2.0 * PI * k / 48.0;
                    set_point(count, r * cos(up) * cos(around), r * cos(up) * sin(around), side * (r * sin(up) + lift));
                }
        for (int side = -1; side <= 1; side += 2) set_point(count++, 0.0, 0.0, side * (flat ? half : r + lift));
    }
    rill_body_def def = def_of(RILL_SHAPE_HULL, 0.0, 0.0);
    def.shape.vertices = points;
    def.shape.vertex_count = count;
    return def;
}

/* A bar along x with an outline of `count` points in y and z, counter-clockwise, that a fan from point 0 covers. */
static rill_body_def bar_of(const double outline[][2], uint32_t count, double length) {
    size_t used = 0;
    for (uint32_t i = 0; i < count; ++i) {
        set_point(2 * i, -0.5 * length, outline[i][0], outline[i][1]);
        set_point(2 * i + 1, 0.5 * length, outline[i][0], outline[i][1]);
        const uint32_t a = 2 * i, b = 2 * ((i + 1) % count);
        const uint32_t sides[6] = { a, b, b + 1, a, b + 1, a + 1 };
        memcpy(corners + used, sides, sizeof sides);
        used += 6;
        if (i < 1 || i + 1 >= count) continue;
        const uint32_t ends[6] = { 0, b, a, 1, a + 1, b + 1 };
        memcpy(corners + used, ends, sizeof ends);
        used += 6;
    }
    rill_body_def def = def_of(RILL_SHAPE_MESH, 0.0, 0.0);
    def.shape.vertices = points;
    def.shape.vertex_count = 2 * (size_t)count;
    def.shape.indices = corners;
    def.shape.triangle_count = used / 3;
    return def;
}

/* An arch: seen from point 0, in the middle of its top, nothing of it is hidden. */
static rill_body_def arch_of(double s) {
    const double outline[10][2] = {
        { 0.0, s },           { -s, s },       { -s, -s }, { -0.9 * s, -s }, { -0.3 * s, 0.3 * s }, { 0.0, 0.5 * s },
        { 0.3 * s, 0.3 * s }, { 0.9 * s, -s }, { s, -s },  { s, s }
    };
    return bar_of(outline, 10, 3.0 * s);
}

/* ------------------------------------------------------------------------------------------------------------- mass */

static void compare_masses(const rill_body_form *form, const rill_body_form *other, double error) {
    const double size = form->inertia[0] + form->inertia[1] + form->inertia[2];
    near(other->volume, form->volume, error * form->volume);
    for (int i = 0; i < 6; ++i) near(other->inertia[i], form->inertia[i], error * size);
    near(other->reach, form->reach, 1e-6 * form->reach);
}

/* Closed forms against the sums over triangles of points on the same surface. */
static void masses_are_right(void **state) {
    (void)state;
    const double errors[4] = { 9e-3, 1e-6, 9e-3, 4e-3 };
    for (int kind = 0; kind < PLAIN_SHAPES; ++kind) {
        const rill_body_def def = def_of(body_shapes[kind], 0.3, 1.1);
        rill_body_def like = hull_like(&def);
        rill_body_form form = make(&def), hull = make(&like);
        compare_masses(&form, &hull, errors[kind]);
        for (int i = 0; i < 3; ++i) near(form.middle[i], 0.0, 0.0), near(hull.middle[i], 0.0, 1e-9);
        double volume, middle[3], moments[6];
        rill_mass_measure(&form, &volume, middle, moments); /* of what is drawn: all wound outwards */
        assert_true(volume > 0.97 * form.volume && volume < (1.0 + 1e-9) * form.volume);
        discard(&form), discard(&hull);
    }
}

/* Another centre of mass: Steiner, and everything is about it. */
static void centres_are_heeded(void **state) {
    (void)state;
    rill_body_def def = def_of(RILL_SHAPE_BOX, 0.5, 2.0);
    rill_body_form middle = make(&def);
    def.centre[0] = 0.1, def.centre[1] = 0.0, def.centre[2] = -0.4;
    rill_body_form form = make(&def);
    near(form.inertia[0], middle.inertia[0] + 0.16, 1e-12);
    near(form.inertia[1], middle.inertia[1] + 0.17, 1e-12);
    near(form.inertia[2], middle.inertia[2] + 0.01, 1e-12);
    near(form.inertia[4], 0.04, 1e-12);
    near(form.middle[2], 0.4, 1e-12);
    near(form.vertices[2], -0.6, 1e-12);
    near(form.reach, sqrt(0.36 + 0.1406250 + 1.96), 1e-12);
    discard(&form), discard(&middle);
}

/* A round shape or box may stand anywhere in the frame of its definition: only the centre of mass is elsewhere then. */
static void shapes_may_stand_anywhere(void **state) {
    (void)state;
    const double by[3] = { 0.25, -0.5, 2.0 }; /* exactly added */
    for (int kind = 0; kind < PLAIN_SHAPES; ++kind) {
        rill_body_def def = def_of(body_shapes[kind], 0.25, 1.0);
        rill_body_form form = make(&def);
        for (int i = 0; i < 3; ++i) {
            double *const places[] = { def.shape.min, def.shape.max, def.shape.centre, def.shape.from, def.shape.to };
            for (int k = 0; k < 5; ++k) places[k][i] += by[i];
        }
        rill_body_form moved = make(&def);
        assert_memory_equal(moved.centre, by, sizeof by);
        assert_memory_equal(moved.inertia, form.inertia, sizeof form.inertia);
        near(moved.volume, form.volume, 0.0);
        for (size_t i = 0; i < 3 * form.vertex_count; ++i) near(moved.vertices[i], form.vertices[i], 1e-15);
        discard(&form), discard(&moved);
    }
}

/* ----------------------------------------------------------------------------------------------------------- shades */

enum { CELLS = 100 };
static rill_shade shades[CELLS * CELLS];
static const rill_grid GRID = { { CELLS, CELLS }, 0.002, { -0.3, 0.2, 0.0 } };

static rill_pose random_pose(const rill_grid *grid, bool slightly) {
    double turn[4], square = 2.0;
    while (square > 1.0 || square < 0.01) {
        square = 0.0;
        for (int i = 0; i < 4; ++i) turn[i] = random_in(-1.0, 1.0), square += turn[i] * turn[i];
    }
    const double most = slightly ? pow(10.0, random_in(-4.0, -1.0)) : 1.0;
    for (int i = 0; i < 3; ++i) turn[i] *= most;
    if (slightly) turn[3] = 1.0;
    double position[3] = { 0.0, 0.0, random_in(-0.1, 0.1) };
    for (int i = 0; i < 2; ++i)
        position[i] = grid->origin[i] + (0.5 * grid->cells[i] + random_in(-2.0, 2.0)) * grid->cell_size;
    return rill_pose_of(position, turn);
}

typedef struct sums {
    double volume, at[3];
    int32_t count;
} sums;

/* Checks what is true of all shades, and adds them up. */
static sums add_shades(const rill_body_form *form, const rill_pose *pose, const rill_grid *grid, rill_area area) {
    sums all = { .count = rill_body_shades(form, pose, grid, area, NULL, shades) };
    const double z = pose->position[2], far = form->reach * (1.0 + 1e-5) + 1e-7 * fabs(z) + 1e-9;
    for (int32_t i = 0; i < all.count; ++i) {
        const rill_shade *shade = &shades[i];
        assert_true(shade->x >= area.low[0] && shade->x < area.high[0]);
        assert_true(shade->y >= area.low[1] && shade->y < area.high[1]);
        if (i > 0)
            assert_true(shade->y > shades[i - 1].y || (shade->y == shades[i - 1].y && shade->x > shades[i - 1].x));
        double covered = 0.0;
        for (int k = 0; k < 4; ++k) {
            const rill_quarter *q = &shade->quarter[RILL_THROUGH][k];
            const double part = (double)q->part, under = (double)q->under, over = (double)q->over;
            assert_true(part >= 0.0 && part <= 1.0);
            covered += part;
            if (part == 0.0) {
                assert_true(under == 0.0 && over == 0.0);
                continue;
            }
            assert_true(over >= under - 1e-6 * far && under >= z - far && over <= z + far);
            const double volume = part * (over - under) * 0.25 * grid->cell_size * grid->cell_size;
            all.volume += volume;
            all.at[0] += volume * (grid->origin[0] + (shade->x + 0.25 + 0.5 * (k & 1)) * grid->cell_size);
            all.at[1] += volume * (grid->origin[1] + (shade->y + 0.25 + 0.5 * (k >> 1)) * grid->cell_size);
            all.at[2] += volume * 0.5 * (under + over);
        }
        assert_true(covered > 0.0);
    }
    for (int i = 0; i < 3; ++i) all.at[i] /= all.volume;
    return all;
}

static void check_shades(const rill_body_form *form, const rill_pose *pose, double error) {
    const rill_area area = rill_body_area(form, pose, &GRID);
    const sums all = add_shades(form, pose, &GRID, area);
    if (!(fabs(all.volume - form->volume) <= error * form->volume))
        fail_msg("shape %d of %g cells: %g %% too much", (int)form->shape, form->reach / GRID.cell_size,
                 100.0 * (all.volume / form->volume - 1.0));
    for (int i = 0; i < 3; ++i) {
        const double *row = pose->turn + 3 * i, *m = form->middle;
        const double expected = pose->position[i] + (row[0] * m[0] + row[1] * m[1]) + row[2] * m[2];
        /* A quarter counts as if all were in its middle. */
        const bool small = form->reach < 2.0 * GRID.cell_size;
        near(all.at[i], expected, i < 2 ? (small ? 0.25 : 0.06) * GRID.cell_size : (small ? 0.1 : 0.02) * form->reach);
    }
}

static rill_body_def random_def(rill_shape shape, double size) {
    rill_body_def def = def_of((rill_shape)shape, size * random_in(0.3, 1.0), size * random_in(0.3, 2.0));
    if (shape == RILL_SHAPE_HULL) {
        def.shape.vertices = points, def.shape.vertex_count = (size_t)random_in(5.0, 60.0);
        for (size_t i = 0; i < def.shape.vertex_count; ++i)
            set_point(i, size * random_in(-1, 1), size * random_in(-1, 1), size * random_in(0, 1));
    } else if (shape == RILL_SHAPE_MESH) { /* no vertical line meets it more than twice if it is not turned much */
        const double outline[6][2] = { { 0, size },       { -size, 0.5 * size }, { -size, 0 },
                                       { 0, 0.2 * size }, { size, 0 },           { size, 0.5 * size } };
        def = bar_of(outline, 6, size * random_in(0.3, 2.0));
    }
    if (random_in(0.0, 1.0) < 0.3)
        for (int i = 0; i < 3; ++i) def.centre[i] = size * random_in(-0.3, 0.3);
    return def;
}

static void volumes_are_right(void **state) {
    (void)state;
    static const double sizes[] = { 0.05, 0.3, 1.0, 3.0, 6.0, 20.0 };
    for (int kind = 0; kind < BODY_SHAPES; ++kind)
        for (size_t size = 0; size < sizeof sizes / sizeof *sizes; ++size)
            for (int i = 0; i < 12; ++i) {
                const rill_body_def def = random_def(body_shapes[kind], sizes[size] * GRID.cell_size);
                rill_body_form form = make(&def);
                const rill_pose pose = random_pose(&GRID, i < 6 || body_shapes[kind] == RILL_SHAPE_MESH);
                check_shades(&form, &pose, sizes[size] < 5.0 ? 0.01 : 0.002);
                discard(&form);
            }
}

/* A box along the lines of the grid is right to the last bit that there is. */
static void boxes_fit_the_grid(void **state) {
    (void)state;
    const rill_grid grid = { { 32, 32 }, 0.25, { -2.0, 1.0, 0.0 } };
    rill_body_def def = def_of(RILL_SHAPE_BOX, 0.0, 0.0);
    set_size(&def.shape, 1.25, 2.0, 0.5);
    rill_body_form form = make(&def);
    const rill_pose pose = rill_pose_of((double[3]){ 1.125, 4.0, 0.75 }, (double[4]){ 0.0, 0.0, 0.0, 1.0 });
    const sums all = add_shades(&form, &pose, &grid, rill_body_area(&form, &pose, &grid));
    assert_int_equal(all.count, 5 * 8);
    for (int32_t i = 0; i < all.count; ++i)
        for (int k = 0; k < 4; ++k) {
            assert_true(shades[i].quarter[RILL_THROUGH][k].part == 1.0f);
            near((double)shades[i].quarter[RILL_THROUGH][k].under, 0.5, 1e-7);
            near((double)shades[i].quarter[RILL_THROUGH][k].over, 1.0, 1e-7);
        }
    discard(&form);
}

/* Whole cells farther, all is the same; beyond the grid there is nothing, and at its border the rest. */
static void places_do_not_matter(void **state) {
    (void)state;
    static rill_shade first[CELLS * CELLS];
    for (int kind = 0; kind < BODY_SHAPES; ++kind) {
        const rill_shape shape = body_shapes[kind];
        const rill_body_def def = random_def(shape, 6.0 * GRID.cell_size);
        rill_body_form form = make(&def);
        rill_pose pose = random_pose(&GRID, true);
        const sums all = add_shades(&form, &pose, &GRID, rill_body_area(&form, &pose, &GRID));
        memcpy(first, shades, sizeof first);
        pose.position[0] += 20.0 * GRID.cell_size, pose.position[1] -= 13.0 * GRID.cell_size;
        const sums moved = add_shades(&form, &pose, &GRID, rill_body_area(&form, &pose, &GRID));
        int32_t same = 0; /* rounding may make or lose a cell that is hardly touched */
        for (int32_t i = 0, j = 0; i < all.count && j < moved.count;) {
            const int32_t x = shades[j].x - 20 - first[i].x, y = shades[j].y + 13 - first[i].y;
            for (int k = 0; k < 4 && x == 0 && y == 0; ++k) {
                near((double)shades[j].quarter[RILL_THROUGH][k].part, (double)first[i].quarter[RILL_THROUGH][k].part,
                     1e-5);
                if (!(first[i].quarter[RILL_THROUGH][k].part > 1e-3f)) continue;
                near((double)shades[j].quarter[RILL_THROUGH][k].under, (double)first[i].quarter[RILL_THROUGH][k].under,
                     1e-7);
                near((double)shades[j].quarter[RILL_THROUGH][k].over, (double)first[i].quarter[RILL_THROUGH][k].over,
                     1e-7);
            }
            same += x == 0 && y == 0;
            const bool behind = y > 0 || (y == 0 && x > 0), ahead = y < 0 || (y == 0 && x < 0);
            i += !ahead, j += !behind;
        }
        assert_true(same >= all.count - 2 && same >= moved.count - 2);

        rill_area west = rill_body_area(&form, &pose, &GRID), east = west;
        west.high[0] = east.low[0] = (west.low[0] + west.high[0]) / 2;
        near(add_shades(&form, &pose, &GRID, west).volume + add_shades(&form, &pose, &GRID, east).volume, moved.volume,
             1e-6 * all.volume);
        static const double far[] = { 1e6, 1e300, -1e6, -1.7e308, 1e15 };
        for (size_t i = 0; i < 2 * sizeof far / sizeof *far; ++i) {
            pose = random_pose(&GRID, false);
            pose.position[i % 2] = far[i / 2];
            const rill_area area = rill_body_area(&form, &pose, &GRID);
            assert_int_equal(rill_area_cells(&area), 0);
            assert_int_equal(rill_body_shades(&form, &pose, &GRID, area, NULL, shades), 0);
            /* nor if it is looked for */
            assert_int_equal(rill_body_shades(&form, &pose, &GRID, west, NULL, shades), 0);
        }
        discard(&form);
    }
}

/* Larger than the grid, and higher than a float: nothing that is no number. */
static void huge_bodies_cover_all(void **state) {
    (void)state;
    for (int kind = 0; kind < BODY_SHAPES; ++kind) {
        const rill_shape shape = body_shapes[kind];
        const rill_body_def def = random_def(shape, 5e5);
        rill_body_form form = make(&def);
        rill_pose pose = random_pose(&GRID, true);
        for (int i = 0; i < 3; ++i)
            pose.position[i] -= (pose.turn[3 * i] * form.middle[0] + pose.turn[3 * i + 1] * form.middle[1]) +
                                pose.turn[3 * i + 2] * form.middle[2];
        const rill_area area = rill_body_area(&form, &pose, &GRID);
        assert_int_equal(rill_area_cells(&area), CELLS * CELLS);
        assert_int_equal(add_shades(&form, &pose, &GRID, area).count, CELLS * CELLS);
        for (int i = 0; i < CELLS * CELLS; ++i)
            for (int k = 0; k < 4; ++k) assert_true(shades[i].quarter[RILL_THROUGH][k].part == 1.0f);
        pose.position[2] = 1e300;
        assert_int_equal(rill_body_shades(&form, &pose, &GRID, area, NULL, shades), CELLS * CELLS);
        assert_true(isfinite(shades[0].quarter[RILL_THROUGH][0].under) &&
                    shades[0].quarter[RILL_THROUGH][0].over > 1e29f);
        discard(&form);
    }
}

/* The lowest and the highest crossing of a vertical line with any triangle. */
static bool cross_all(const rill_body_form *form, const rill_pose *pose, double x, double y, double *low,
                      double *high) {
    *low = INFINITY, *high = -INFINITY;
    for (size_t t = 0; t < form->triangle_count; ++t) {
        double p[3][3], sides[3];
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k) {
                const double *own = form->vertices + 3 * (size_t)form->indices[3 * t + (size_t)i],
                             *row = pose->turn + 3 * k;
                p[i][k] = pose->position[k] + row[0] * own[0] + row[1] * own[1] + row[2] * own[2];
            }
        for (int i = 0; i < 3; ++i) {
            const double *a = p[(i + 1) % 3], *b = p[(i + 2) % 3];
            sides[i] = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
        }
        if (!((sides[0] > 0 && sides[1] > 0 && sides[2] > 0) || (sides[0] < 0 && sides[1] < 0 && sides[2] < 0)))
            continue;
        const double z =
            (sides[0] * p[0][2] + sides[1] * p[1][2] + sides[2] * p[2][2]) / (sides[0] + sides[1] + sides[2]);
        *low = fmin(*low, z), *high = fmax(*high, z);
    }
    return *low < *high;
}

/* A body with a hollow, turned anyhow, and then one whose faces pass through each other: all between the lowest and
 * the highest counts. */
static void hollows_are_filled(void **state) {
    (void)state;
    enum { RAYS = 150 };
    double most = 0.0;
    for (int i = 0; i < 8; ++i) {
        const rill_body_def def = arch_of(4.0 * GRID.cell_size);
        for (size_t k = 0; k < 3 * def.shape.vertex_count && i >= 5; ++k)
            points[k] += (float)random_in(-3.0 * GRID.cell_size, 3.0 * GRID.cell_size);
        rill_body_form form = make(&def);
        const rill_pose pose = random_pose(&GRID, false);
        const sums all = add_shades(&form, &pose, &GRID, rill_body_area(&form, &pose, &GRID));
        const double step = 2.0 * form.reach / RAYS;
        double volume = 0.0;
        for (int j = 0; j < RAYS * RAYS; ++j) {
            const double x = pose.position[0] - form.reach + (j % RAYS + 0.5) * step;
            const double y = pose.position[1] - form.reach + (j / RAYS + 0.5) * step;
            double low, high;
            if (cross_all(&form, &pose, x, y, &low, &high)) volume += (high - low) * step * step;
        }
        most = fmax(most, volume / form.volume);
        near(all.volume, volume, 0.008 * volume);
        discard(&form);
    }
    assert_true(most > 1.2); /* or there was none */
}

/* ---------------------------------------------------------------------------------------------------------- hulls */

static void check_hull(const rill_body_def *def) {
    rill_body_form form = make(def);
    /* Closed and of one piece, after Euler. */
    assert_int_equal(form.triangle_count, 2 * form.vertex_count - 4);
    double volume = 0.0;
    for (size_t t = 0; t < form.triangle_count; ++t) {
        const uint32_t *c = form.indices + 3 * t;
        double p[3][3], n[3];
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k) p[i][k] = form.vertices[3 * (size_t)c[i] + (size_t)k] + form.centre[k];
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            n[i] = (p[1][j] - p[0][j]) * (p[2][k] - p[0][k]) - (p[1][k] - p[0][k]) * (p[2][j] - p[0][j]);
        }
        const double area = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (size_t i = 0; i < def->shape.vertex_count; ++i) {
            double out = 0.0;
            for (int k = 0; k < 3; ++k) out += n[k] * ((double)def->shape.vertices[3 * i + (size_t)k] - p[0][k]);
            /* Slivers have hardly a direction. */
            assert_true(out <= 1e-5 * form.reach * area + 4e-6 * form.reach * form.reach * form.reach);
        }
        volume += rill_mass_cone(&form, t, form.middle);
    }
    near(volume, form.volume, 1e-9 * volume);
    discard(&form);
}

static void hulls_hold_their_points(void **state) {
    (void)state;
    rill_body_def def = def_of(RILL_SHAPE_HULL, 0.0, 0.0);
    def.shape.vertices = points;
    for (int kind = 0; kind < 6; ++kind) {
        def.shape.vertex_count = kind == 0 ? 4 : 300;
        for (size_t i = 0; i < def.shape.vertex_count; ++i) {
            double p[3] = { random_in(-1.0, 1.0), random_in(-1.0, 1.0), random_in(-1.0, 1.0) };
            const double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
            for (int k = 0; k < 3; ++k) {
                if (kind == 2) p[k] = floor(3.0 * p[k]); /* a lattice: doubles, lines and planes full of points */
                if (kind == 3) p[k] /= length;           /* all on a sphere */
                if (kind == 4) p[k] = 1000.0 + p[k];
            }
            if (kind == 5) p[2] = i % 2 ? 1e-4 : 0.0, p[0] *= 50.0; /* a thin plate */
            set_point(i, p[0], p[1], p[2]);
        }
        check_hull(&def);
    }
    const rill_body_def box = def_of(RILL_SHAPE_BOX, 1.0, 2.0);
    def = hull_like(&box);
    for (size_t i = 8; i < 500; ++i) /* on its faces and in it */
        set_point(i, floor(random_in(-1, 1) * 4) / 4, floor(random_in(-1, 1) * 4) / 4 * 0.75,
                  floor(random_in(-1, 1) * 4) / 4);
    def.shape.vertex_count = 500;
    rill_body_form form = make(&def);
    assert_int_equal(form.vertex_count, 8);
    near(form.volume, 6.0, 1e-12);
    discard(&form);
}

/* -------------------------------------------------------------------------------------------------------- refusals */

static void refuse(const rill_body_def *def, const char *word) {
    const rill_allocator allocator = rill_alloc_default();
    rill_message message = { "" };
    rill_body_form form = { .volume = 7.0 };
    const rill_result result = rill_body_form_make(def, &allocator, &form, &message);
    assert_true(result == RILL_INVALID_ARGUMENT || result == RILL_INVALID_DATA || result == RILL_TOO_LARGE);
    if (!strstr(message.text, word) || !strstr(message.text, "buoy"))
        fail_msg("\"%s\" does not name %s", message.text, word);
    assert_true(form.volume == 7.0);
}

static void bad_definitions_are_refused(void **state) {
    (void)state;
    rill_body_def def = def_of(RILL_SHAPE_CAPSULE, 1.0, 1.0);
    set_length(&def.shape, 0.0);
    refuse(&def, "from and to");
    set_length(&def.shape, -1.0);
    refuse(&def, "right above");
    set_length(&def.shape, 1.0), def.shape.to[0] = 0.5;
    refuse(&def, "right above");
    def.shape.radius = NAN;
    refuse(&def, "radius");
    def = def_of(RILL_SHAPE_BOX, 1.0, INFINITY);
    refuse(&def, "min.z");
    def = def_of(RILL_SHAPE_SPHERE, 1.0, 0.0), def.centre[1] = 0.0;
    refuse(&def, "centre");
    def = def_of((rill_shape)17, 1.0, 0.0);
    refuse(&def, "shape");
    def = def_of(RILL_SHAPE_TORUS, 1.0, 1.0);
    refuse(&def, "shape");
    def = def_of(RILL_SHAPE_HULL, 1.0, 0.0);
    refuse(&def, "vertices");
    def.shape.vertices = points, def.shape.vertex_count = 3;
    refuse(&def, "vertex_count");
    def.shape.vertex_count = 50;
    for (size_t i = 0; i < 50; ++i) set_point(i, 1.0, random_in(-1, 1), random_in(-1, 1));
    refuse(&def, "plane");
    for (size_t i = 0; i < 50; ++i) set_point(i, (double)i, 2.0 * (double)i, 7.0);
    refuse(&def, "plane");
    for (size_t i = 0; i < 50; ++i) set_point(i, 1.0, 2.0, 7.0);
    refuse(&def, "plane");
    points[37] = INFINITY;
    refuse(&def, "vertex 12");

    def = arch_of(1.0), def.shape.indices = NULL;
    refuse(&def, "indices");
    def = arch_of(1.0), def.shape.triangle_count = SIZE_MAX / 12;
    refuse(&def, "triangle_count");
    def = arch_of(1.0), corners[7] = 20;
    refuse(&def, "triangle 2 names vertex 20");
    def = arch_of(1.0), def.shape.triangle_count -= 1;
    refuse(&def, "open at 3 edges");
    def = arch_of(1.0);
    for (size_t i = 0; i < def.shape.vertex_count; ++i) points[3 * i] = 0.25f;
    refuse(&def, "encloses 0 m3");
    /* Six points and ten triangles make the projective plane, which has no inside. */
    static const uint32_t one_sided[30] = { 0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5, 0, 5, 1,
                                            1, 2, 4, 2, 3, 5, 3, 4, 1, 4, 5, 2, 5, 1, 3 };
    for (size_t i = 0; i < 6; ++i) set_point(i, random_in(0, 1), random_in(0, 1), random_in(0, 1));
    def.shape.vertex_count = 6, def.shape.triangle_count = 10, def.shape.indices = one_sided;
    refuse(&def, "no inside");
}

/* Triangles wound anyhow, in two parts, with corners of their own. */
static void meshes_are_turned(void **state) {
    (void)state;
    enum { TRIANGLES = 36 };
    static float loose[2 * TRIANGLES * 9];
    static uint32_t order[2 * TRIANGLES * 3];
    const rill_body_def arch = arch_of(1.0);
    assert_int_equal(arch.shape.triangle_count, TRIANGLES);
    rill_body_form form = make(&arch);
    for (uint32_t i = 0; i < 2 * TRIANGLES * 3; ++i) {
        const float *p = points + 3 * (size_t)corners[i % (3 * TRIANGLES)];
        for (uint32_t k = 0; k < 3; ++k) loose[3 * i + k] = p[k] + (i >= 3 * TRIANGLES && k == 0 ? 5.0f : 0.0f);
        order[i] = i;
    }
    for (size_t t = 0; t < 2 * TRIANGLES; ++t)
        if (random_in(0, 1) < 0.5) order[3 * t] += 1, order[3 * t + 1] -= 1;
    rill_body_def def = arch;
    def.shape.vertices = loose, def.shape.vertex_count = 6 * TRIANGLES;
    def.shape.indices = order, def.shape.triangle_count = 2 * TRIANGLES;
    rill_body_form both = make(&def);
    near(both.volume, 2.0 * form.volume, 1e-6);
    near(both.centre[0], form.centre[0] + 2.5, 1e-6);
    near(both.inertia[0], form.inertia[0], 1e-6);
    near(both.inertia[2], form.inertia[2] + 6.25, 1e-5);
    discard(&form), discard(&both);
}

/* ---------------------------------------------------------------------------------------------------------- memory */

static void failing_memory_is_survived(void **state) {
    (void)state;
    test_memory memory = { 0 };
    const rill_allocator allocator = test_allocator(&memory);
    for (int kind = 0; kind < BODY_SHAPES; ++kind) {
        const rill_shape shape = body_shapes[kind];
        const rill_body_def def = random_def(shape, 1.0);
        rill_result result = RILL_OUT_OF_MEMORY;
        for (long n = 1; result; ++n) {
            rill_body_form form = { .volume = 7.0 };
            rill_message message = { "" };
            memory.fail_at = memory.count + n;
            memory.refused = 0;
            result = rill_body_form_make(&def, &allocator, &form, &message);
            if (memory.refused == 0) {
                assert_int_equal(result, RILL_OK);
                assert_true(n > 2 && memory.live > 0);
                rill_body_form_free(&form, &allocator);
            } else {
                assert_int_equal(result, RILL_OUT_OF_MEMORY);
                assert_non_null(strstr(message.text, "memory"));
                assert_true(form.volume == 7.0);
            }
            assert_int_equal(memory.live, 0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masses_are_right),          cmocka_unit_test(centres_are_heeded),
        cmocka_unit_test(shapes_may_stand_anywhere), cmocka_unit_test(volumes_are_right),
        cmocka_unit_test(boxes_fit_the_grid),        cmocka_unit_test(places_do_not_matter),
        cmocka_unit_test(huge_bodies_cover_all),     cmocka_unit_test(hollows_are_filled),
        cmocka_unit_test(hulls_hold_their_points),   cmocka_unit_test(bad_definitions_are_refused),
        cmocka_unit_test(meshes_are_turned),         cmocka_unit_test(failing_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
