/* Flooded passages, through the API: rest, oscillation, siphons, filling and slamming, sealed cavities, random worlds, and
 * the same bits however it is run. Lengths in the helpers are millimetres; cells are 1 mm wide unless said otherwise. */
#include "worlds.h"

#include <math.h>

static const double MM = 1e-3;
static const double G = 9.81, PI = 3.14159265358979323846;

/* ---------------------------------------------------------------------------------------------------------- worlds */

/* A box in millimetres, from x0 to x1 in every y, or only from y0 to y1. */
static void add_box(rill_world *world, double x0, double y0, double z0, double x1, double y1, double z1) {
    rill_solid_def def = box_def(NULL, x0 * MM, y0 * MM, z0 * MM, x1 * MM, y1 * MM, z1 * MM);
    rill_solid_id id;
    must(world, rill_solid_create(world, &def, &id));
}
static void add_slab(rill_world *world, double x0, double z0, double x1, double z1) {
    add_box(world, x0, -1000, z0, x1, 1000, z1);
}

static rill_world_def tank_def(int32_t nx, int32_t ny, rill_passages passages) {
    rill_world_def def = rill_default_world_def();
    def.grid.cells[0] = nx;
    def.grid.cells[1] = ny;
    def.grid.cell_size = MM;
    def.headroom = 0.02;
    def.liquid.viscosity = 0.0;
    def.solver.passages = passages;
    def.solver.orifice = 0.0;
    return def;
}

/* A world with a floor at zero. */
static rill_world *make_tank(const rill_world_def *def) {
    rill_world *world = NULL;
    rill_message message = { "" };
    if (rill_world_create(def, &world, &message) != RILL_OK) fail_msg("%s", message.text);
    add_slab(world, -1000, -10, 1000, 0);
    return world;
}

static void build(rill_world *world) {
    must(world, rill_bed_build(world));
}

static void fill(rill_world *world, double x, double y, double z, double level) {
    must(world, rill_world_fill_level(world, (double[]){ x * MM, y * MM, z * MM }, level * MM, NULL));
}

/* Into the cells within `radius` mm, or one of them. */
static rill_source_id pour(rill_world *world, double x, double y, double z, double radius, double rate) {
    rill_source_def def = point_source(NULL, x * MM, y * MM, z * MM, fabs(rate));
    def.sink = rate < 0.0;
    def.shape = RILL_SOURCE_DISC;
    def.radius = radius * MM;
    rill_source_id id;
    must(world, rill_source_create(world, &def, &id));
    return id;
}

/* m3 between two x and below a height. */
static double volume(const rill_world *world, double x0, double x1, double top) {
    double found;
    double low[3] = { x0 * MM, -1.0, -1.0 }, high[3] = { x1 * MM, 1.0, top * MM };
    assert_int_equal(rill_query_box_volume(world, low, high, &found), RILL_OK);
    return found;
}

static rill_sample sample(const rill_world *world, double x, double y, double z) {
    rill_sample found;
    assert_int_equal(rill_query_points(world, (double[]){ x * MM, y * MM, z * MM }, 1, &found), RILL_OK);
    assert_true(found.found);
    return found;
}

static rill_step_info step_info(const rill_world *world) {
    rill_step_info info;
    assert_int_equal(rill_world_get_step_info(world, &info), RILL_OK);
    return info;
}

static rill_status step(rill_world *world, double dt) {
    rill_status status = rill_world_step(world, dt);
    if (status & RILL_STATUS_REFUSED) fail_msg("step refused: %s", rill_world_message(world));
    return status;
}

static void check(const rill_world *world) {
    must_be_valid(world);
    assert_true(ledger_error(world) == 0);
}

static rill_bed_info bed_info(const rill_world *world) {
    rill_bed_info info;
    assert_int_equal(rill_bed_get_info(world, &info), RILL_OK);
    return info;
}

/* All depths and face velocities of a world; velocities behind the depths of each layer. */
typedef struct picture {
    size_t cells;
    int32_t layers;
    double *values;
} picture;

static picture take_picture(const rill_world *world) {
    rill_bed_info info = bed_info(world);
    picture p = { (size_t)info.cells[0] * (size_t)info.cells[1], info.layers, NULL };
    p.values = malloc(3 * p.cells * (size_t)p.layers * sizeof *p.values);
    assert_non_null(p.values);
    for (int32_t layer = 0; layer < p.layers; ++layer) {
        double *at = p.values + 3 * p.cells * (size_t)layer;
        assert_int_equal(rill_world_read_field(world, RILL_FIELD_DEPTH, layer, at, p.cells), RILL_OK);
        assert_int_equal(rill_world_read_field(world, RILL_FIELD_FACES, layer, at + p.cells, 2 * p.cells), RILL_OK);
    }
    return p;
}

/* The largest difference of depths, or the largest velocity if there is nothing to compare with. */
static double largest(const picture *a, const picture *b) {
    double most = 0.0;
    for (int32_t layer = 0; layer < a->layers; ++layer) {
        const double *at = a->values + 3 * a->cells * (size_t)layer;
        for (size_t i = b ? 0 : a->cells; i < (b ? a->cells : 3 * a->cells); ++i) {
            double value = b ? at[i] - b->values[3 * a->cells * (size_t)layer + i] : at[i];
            if (fabs(value) > most) most = fabs(value); /* false for NaN: no such column */
        }
    }
    return most;
}

/* Bits of depths and velocities, whatever the sign of zeros. */
static uint64_t hash_picture(const rill_world *world) {
    picture p = take_picture(world);
    uint64_t hash = 14695981039346656037ull;
    for (size_t i = 0; i < 3 * p.cells * (size_t)p.layers; ++i) {
        double value = isnan(p.values[i]) ? 0.0 : p.values[i] + 0.0;
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        hash = (hash ^ bits) * 1099511628211ull;
    }
    free(p.values);
    return hash;
}

/* SplitMix64 */
typedef struct dice {
    uint64_t state;
} dice;
static double between(dice *d, double low, double high) {
    uint64_t z = d->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return low + (high - low) * (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}
static bool chance(dice *d, double p) {
    return between(d, 0, 1) < p;
}

/* ------------------------------------------------------------------------------------------------------------ rest */

/* Some tanks in which a lake at rest reaches under ceilings. */
static rill_world *tank_at_rest(int scene, rill_passages passages) {
    rill_world_def def = tank_def(24, 12, passages);
    def.solver.rest = false; /* nothing may hide behind the rest rule */
    rill_world *world = make_tank(&def);
    dice d = { 4711 };
    double level = 5.0;
    if (scene == 0) add_slab(world, 8, 5.0, 17, 30); /* just full */
    if (scene == 1)                                  /* many ceilings below the level, one cell each */
        for (int k = 0; k < 40; ++k) {
            double x = floor(between(&d, 0, 24)), y = floor(between(&d, 0, 12)), z = between(&d, 0.3, 4.9);
            add_box(world, x, y, z, x + 1, y + 1, z + between(&d, 3, 5));
        }
    if (scene == 2) { /* also above the slab */
        add_slab(world, 8, 2.5, 17, 3.5);
        level = 4.2;
    }
    if (scene == 3) { /* slabs over slabs with holes */
        for (int k = 0; k < 16; ++k) {
            double x = floor(between(&d, 0, 20)), y = floor(between(&d, 0, 9)), z = between(&d, 0.5, 4.5);
            add_box(world, x, y, z, x + 4, y + 4, z + 0.3);
        }
    }
    build(world);
    if (scene == 1 || scene == 3) assert_true(bed_info(world).sparse_pipes > 20);
    fill(world, 0.5, 0.5, 0.1, level);
    return world;
}

/* Not one quantum moves, and no velocity arises. */
static void rest_is_exact(void **state) {
    (void)state;
    for (int scene = 0; scene < 4; ++scene)
        for (int mode = 0; mode < 2; ++mode) {
            rill_world *world = tank_at_rest(scene, mode ? RILL_PASSAGES_STRAIGHT : RILL_PASSAGES_ANY);
            picture before = take_picture(world);
            int64_t substeps = 0;
            while (substeps < 2000) {
                assert_true(step(world, 0.05) == 0);
                substeps += step_info(world).substeps;
            }
            picture after = take_picture(world);
            if (largest(&after, &before) != 0.0 || largest(&after, NULL) != 0.0)
                fail_msg("scene %d, mode %d: a depth moved by %g quanta, a velocity is %g m/s", scene, mode,
                         largest(&after, &before) / bed_info(world).quantum, largest(&after, NULL));
            check(world);
            free(before.values);
            free(after.values);
            rill_world_destroy(world);
        }
}

/* ---------------------------------------------------------------------------------------------------------- U-tubes */

enum { WELL = 6, LEG = 20 };

/* Two wells of WELL cells, joined by a passage 1 mm high through LEG cells: straight along x, or with a bend. The levels
 * are `low` and `high` mm. */
static rill_world *u_tube(rill_passages passages, bool bent, double low, double high) {
    int32_t n = 2 * WELL + LEG;
    rill_world_def def = tank_def(bent ? WELL + LEG / 2 : n, bent ? 1 + LEG / 2 + WELL : 1, passages);
    rill_world *world = make_tank(&def);
    if (bent) { /* along y = 0 to the corner, then north; solid everywhere else */
        double corner = WELL + LEG / 2 - 1, end = LEG / 2 + 1;
        add_box(world, WELL, 0, 1, corner + 1, 1, 60);
        add_box(world, corner, 1, 1, corner + 1, end, 60);
        add_box(world, -1, 1, 0, corner, 100, 60);
    } else {
        add_slab(world, WELL, 1, WELL + LEG, 60);
    }
    build(world);
    double far_x = bent ? WELL + LEG / 2 - 0.5 : n - 0.5, far_y = bent ? LEG / 2 + WELL + 0.5 : 0.5;
    fill(world, 0.5, 0.5, 0.5, low);
    rill_bed_info info = bed_info(world);
    size_t cells = (size_t)info.cells[0] * (size_t)info.cells[1];
    double *depths = malloc(cells * sizeof *depths);
    assert_non_null(depths);
    for (size_t i = 0; i < cells; ++i) {
        double x = (double)(i % (size_t)info.cells[0]) + 0.5, y = (double)(i / (size_t)info.cells[0]) + 0.5;
        bool far = bent ? x == far_x && y > LEG / 2 + 1 : x > WELL + LEG;
        depths[i] = far ? high * MM : (double)NAN;
    }
    must(world, rill_world_fill_depths(world, 0, depths, cells, NULL));
    free(depths);
    assert_true(fabs(sample(world, far_x, far_y, 0.5).level - high * MM) < 1e-8);
    return world;
}

/* w^2 = (g / I) (1 / S + 1 / S): the passage's inertance with half a cell of each well, and the wells' own, of which the
 * k-th face carries k / n of the flow. */
static double u_tube_period(double level) {
    double D = MM, H = level * MM, W = MM, S = WELL * MM * W, I = (LEG * MM + D / H * MM) / (W * D);
    for (int k = 1; k < WELL; ++k) I += 2.0 * ((double)k / WELL) * ((double)k / WELL) * MM / (W * H);
    return 2.0 * PI / sqrt(G / I * 2.0 / S);
}

/* Steps until the near well has gone through its mean level `crossings` times; the largest deviation since the last crossing in
 * `*amplitude` (m3). Returns the time of the last crossing. */
static double swing(rill_world *world, double level, int crossings, double *amplitude) {
    double mean = WELL * MM * MM * level * MM, before = 0.0, at = 0.0, most = 0.0;
    for (int i = 0, seen = 0; seen < crossings; ++i) {
        if (i > 20000) fail_msg("the tube does not swing: %d crossings", seen);
        const double dt = 1e-3;
        double now = volume(world, 0, WELL, 100) - mean;
        if (i > 0 && now * before < 0.0) {
            at = rill_world_time(world) - dt * now / (now - before);
            seen += 1;
            *amplitude = most;
            most = 0.0;
        }
        if (fabs(now) > most) most = fabs(now);
        before = now;
        step(world, dt);
    }
    return at;
}

static void u_tube_swings(void **state) {
    (void)state;
    for (int mode = 0; mode < 2; ++mode) {
        rill_world *world = u_tube(mode ? RILL_PASSAGES_STRAIGHT : RILL_PASSAGES_ANY, false, 19.5, 20.5);
        double first, last, start = swing(world, 20, 2, &first), end = swing(world, 20, 8, &last);
        double found = (end - start) / 4.0, expected = u_tube_period(20.0);
        if (fabs(found / expected - 1.0) > 0.005)
            fail_msg("mode %d: period %.6f s, expected %.6f", mode, found, expected);
        if (fabs(last / first - 1.0) > 0.01) fail_msg("mode %d: amplitude %g, then %g m3", mode, first, last);
        check(world);
        rill_world_destroy(world);
    }
}

/* The bend costs nothing in `any`; the extended pipes of `straight` end at it. */
static void bends_are_for_any(void **state) {
    (void)state;
    rill_world *world = u_tube(RILL_PASSAGES_ANY, true, 19.5, 20.5);
    double first, last, start = swing(world, 20, 2, &first), end = swing(world, 20, 4, &last);
    double found = (end - start) / 2.0, expected = u_tube_period(20.0);
    if (fabs(found / expected - 1.0) > 0.01) fail_msg("period %.6f s, expected %.6f", found, expected);
    check(world);
    rill_world_destroy(world);

    world = u_tube(RILL_PASSAGES_STRAIGHT, true, 19.5, 20.5);
    double before = volume(world, 0, WELL, 100), after;
    for (int i = 0; i < 100; ++i) step(world, 5e-3);
    after = volume(world, 0, WELL, 100);
    assert_true(fabs(after - before) < 1e-3 * before);
    check(world);
    rill_world_destroy(world);
}

/* --------------------------------------------------------------------------------------------------------- siphons */

/*      ______________          wells of 8 cells at both ends; between them a duct 2 mm high that begins at the floor, climbs
 *     /  ________    \         2 mm per cell to a crest at 12 mm, runs level for 8 cells and falls again
 *  | /  /        \   \ |
 *  |/__/          \___\|       */
static rill_world *siphon(void) {
    rill_world_def def = tank_def(36, 1, RILL_PASSAGES_ANY);
    def.liquid.viscosity = 1e-5; /* it should come to rest in time */
    rill_world *world = make_tank(&def);
    for (int x = 8; x < 28; ++x) {
        int rise = x < 14 ? x - 8 : x > 21 ? 27 - x : 6;
        if (rise > 0) add_slab(world, x, -1, x + 1, 2.0 * rise);
        add_slab(world, x, 2.0 * rise + 2.0 + (rise < 6 ? 2.0 : 0.0), x + 1, 40);
    }
    build(world);
    fill(world, 0.5, 0.5, 0.5, 8.0);
    fill(world, 35.5, 0.5, 0.5, 5.0);
    return world;
}

static void siphons_do_not_flow(void **state) {
    (void)state;
    rill_world *world = siphon();
    picture before = take_picture(world);
    for (int i = 0; i < 50; ++i) step(world, 0.02);
    picture after = take_picture(world);
    assert_true(largest(&after, &before) == 0.0); /* the crest stands above both levels */
    free(before.values);
    free(after.values);

    /* Primed: the duct is full. It breaks at its crest, and the wells keep their levels but for what falls back. */
    double depths[36];
    for (int i = 0; i < 36; ++i) depths[i] = i >= 8 && i < 28 ? 1.0 : (double)NAN;
    must(world, rill_world_fill_depths(world, 0, depths, 36, NULL));
    assert_true(sample(world, 17.5, 0.5, 13).depth > 1.99 * MM);
    for (int i = 0; i < 100; ++i) step(world, 0.02);
    check(world);
    double left = sample(world, 0.5, 0.5, 0.5).level, right = sample(world, 35.5, 0.5, 0.5).level;
    if (!(sample(world, 17.5, 0.5, 13).depth < 0.5 * MM)) fail_msg("the crest is still full");
    if (!(left > 8.0 * MM && right > 5.0 * MM && left - right > 2.0 * MM)) fail_msg("levels %g, %g", left, right);
    rill_world_destroy(world);
}

/* ------------------------------------------------------------------------------------------------ filling and slamming */

/* A tank with a slab in its middle third: two wells and a wide passage under a soffit at 5 mm. */
static rill_world *slab_tank(rill_passages passages, int32_t ny) {
    rill_world_def def = tank_def(48, ny, passages);
    rill_world *world = make_tank(&def);
    add_slab(world, 16, 5, 32, 30);
    build(world);
    return world;
}

/* The level rises slowly past the soffit: in no well does anything jump. */
static void filling_makes_no_ripple(void **state) {
    (void)state;
    rill_world *world = slab_tank(RILL_PASSAGES_ANY, 1);
    fill(world, 0.5, 0.5, 0.5, 4.8);
    rill_source_def rain = rill_default_source_def(); /* over both wells alike */
    rain.shape = RILL_SOURCE_BOX;
    const double speed = 1e-3; /* m/s in the wells, once the passage is full */
    for (int side = 0; side < 2; ++side) {
        memcpy(rain.min, (double[]){ side * 0.032, 0.0, 0.0 }, sizeof rain.min);
        memcpy(rain.max, (double[]){ side * 0.032 + 0.016, 1.0, 0.001 }, sizeof rain.max);
        rain.rate = 16.0 * MM * MM * speed;
        rill_source_id id;
        must(world, rill_source_create(world, &rain, &id));
    }
    const double dt = 1e-3;
    double worst = 0.0, highest = 0.0, fastest = 0.0, before[48], now[48];
    assert_int_equal(rill_world_read_field(world, RILL_FIELD_DEPTH, 0, before, 48), RILL_OK);
    for (int i = 0; i < 600; ++i) {
        step(world, dt);
        assert_int_equal(rill_world_read_field(world, RILL_FIELD_DEPTH, 0, now, 48), RILL_OK);
        for (int x = 0; x < 48; ++x) {
            if (x >= 16 && x < 32) continue;
            worst = fmax(worst, fabs(now[x] - before[x]));
            highest = fmax(highest, now[x]);
        }
        memcpy(before, now, sizeof now);
        fastest = fmax(fastest, step_info(world).max_speed);
    }
    assert_true(sample(world, 24.5, 0.5, 1).depth > 5.0 * MM - 1e-8); /* it has filled */
    assert_true(highest > 5.1 * MM);
    if (worst > 0.002 * highest)
        fail_msg("a well column changed by %g mm in a step, %g from the source", worst / MM, speed * dt / MM);
    check(world);
    rill_world_destroy(world);
}

/* A source inside the passage pushes as much out of its mouths as it pours. */
static void source_pushes_through_mouths(void **state) {
    (void)state;
    rill_world *world = slab_tank(RILL_PASSAGES_ANY, 1);
    fill(world, 0.5, 0.5, 0.5, 8.0);
    const double rate = 2e-7; /* 2e-7 m3/s: 6 mm/s in the wells */
    double left = volume(world, 0, 16, 100), right = volume(world, 32, 48, 100);
    pour(world, 24.0, 0.5, 1, 1.5, rate);
    for (int i = 0; i < 60; ++i) assert_true(!(step(world, 1.0 / 120) & RILL_STATUS_SOURCE_REFUSED));
    double poured = rate * 0.5, to_left = volume(world, 0, 16, 100) - left,
           to_right = volume(world, 32, 48, 100) - right;
    if (fabs(to_left / poured - 0.5) > 0.01 || fabs(to_right / poured - 0.5) > 0.01)
        fail_msg("poured %g, %g went left and %g right", poured, to_left, to_right);
    for (int x = 16; x < 32; ++x) assert_true(sample(world, x + 0.5, 0.5, 1).depth > 5.0 * MM - 1e-8);
    check(world);
    rill_world_destroy(world);
}

/* A wall of liquid falls into a dry tunnel, which ends in a well or at a wall. */
static void slam_keeps_bounds(void **state) {
    (void)state;
    for (int round = 0; round < 4; ++round) {
        rill_world_def def = tank_def(round % 2 ? 56 : 76, 3, round < 2 ? RILL_PASSAGES_ANY : RILL_PASSAGES_STRAIGHT);
        rill_world *world = make_tank(&def);
        add_slab(world, 16, 3, 56, 40);
        build(world);
        double depths[76 * 3];
        size_t cells = (size_t)def.grid.cells[0] * 3;
        for (size_t i = 0; i < cells; ++i) depths[i] = i % (size_t)def.grid.cells[0] < 16 ? 20 * MM : 0.0;
        must(world, rill_world_fill_depths(world, 0, depths, cells, NULL));
        double fullest = 0.0;
        for (int i = 0; i < 120; ++i) {
            step(world, 2e-3);
            fullest = fmax(fullest, sample(world, 54.5, 0.5, 1).depth);
            if (i % 4 == 0) check(world);
            assert_true(step_info(world).max_speed < 4.0); /* twice sqrt(2 g h) and more is noise */
        }
        if (round < 2 && fullest < 2.99 * MM) fail_msg("round %d: the tunnel never filled: %g", round, fullest);
        check(world);
        rill_world_destroy(world);
    }
}

/* --------------------------------------------------------------------------------------------------------- cavities */

/* A closed room, 10 x 8 cells, 3 mm high, in a block with open sky around it. */
static rill_world *cavity(rill_passages passages) {
    rill_world_def def = tank_def(20, 14, passages);
    def.liquid.viscosity = 1e-4;
    rill_world *world = make_tank(&def);
    add_box(world, 4, 2, 3, 16, 12, 6);
    add_box(world, 4, 2, 0, 5, 12, 3);
    add_box(world, 15, 2, 0, 16, 12, 3);
    add_box(world, 4, 2, 0, 16, 3, 3);
    add_box(world, 4, 11, 0, 16, 12, 3);
    build(world);
    return world;
}

/* It fills to its ceiling and then refuses, slowly or all at once; a sink empties it again. */
static void sealed_cavity_fills_and_empties(void **state) {
    (void)state;
    const double room = 10 * 8 * 3 * MM * MM * MM;
    for (int round = 0; round < 6; ++round) {
        rill_world *world = cavity((rill_passages)(round / 2));
        rill_source_id id = pour(world, 8.5, 6.5, 1, 3, room * (round % 2 ? 1000.0 : 2.0));
        rill_status seen = 0;
        for (int i = 0; i < 80; ++i) {
            seen = step(world, 0.01);
            if (i % 8 == 0) check(world);
        }
        double held = volume(world, 5, 15, 3);
        assert_true(seen & RILL_STATUS_SOURCE_REFUSED);
        if (fabs(held / room - 1.0) > 1e-5) fail_msg("round %d: holds %.9g of %.9g", round, held, room);
        assert_true(step_info(world).max_speed < 1.0);
        must(world, rill_source_destroy(world, id));
        pour(world, 8.5, 6.5, 1, 3, -2.0 * room);
        for (int i = 0; i < 20; ++i) step(world, 0.01);
        double left = volume(world, 5, 15, 3) / held;
        if (fabs(left - 0.6) > 0.01) fail_msg("round %d: %g left after a sink took 0.4", round, left);
        assert_true(step_info(world).max_speed < 1.0);
        for (int i = 0; i < 60; ++i) seen = step(world, 0.01);
        assert_true(seen & RILL_STATUS_SINK_DRY);
        check(world);
        rill_world_destroy(world);
    }
}

/* The world ends not far above: a passage does not push liquid beyond the top of the range. */
static void nothing_leaves_the_range(void **state) {
    (void)state;
    rill_world_def def = tank_def(40, 3, RILL_PASSAGES_ANY);
    def.headroom = 1 * MM;
    rill_world *world = make_tank(&def);
    add_slab(world, 8, 1, 32, 20);
    build(world);
    fill(world, 0.5, 1.5, 0.5, 15);
    pour(world, 20.5, 1.5, 0.5, 3, 1e-4);
    pour(world, 3.5, 1.5, 0.5, 3, 1e-4);
    rill_status seen = 0;
    for (int i = 0; i < 40; ++i) {
        seen |= step(world, 2e-3);
        check(world);
    }
    assert_true(seen & RILL_STATUS_RANGE);
    assert_true(seen & RILL_STATUS_SOURCE_REFUSED);
    rill_world_destroy(world);
}

/* ------------------------------------------------------------------------------------------------------ random worlds */

static void random_slabs(rill_world *world, dice *d, double W, double D, double H) {
    int slabs = 1 + (int)between(d, 0, 4), walls = (int)between(d, 0, 4);
    for (int k = 0; k < slabs; ++k) {
        double z = H * between(d, 0.1, 0.8), t = H * between(d, 0.02, 0.2);
        if (chance(d, 0.3)) {
            add_slab(world, -9, z, 99, z + t); /* closes all below */
        } else if (chance(d, 0.3)) {           /* a sheet */
            float corners[12];
            for (int i = 0; i < 4; ++i) {
                corners[3 * i] = (float)(W * MM * (i == 1 || i == 2 ? between(d, 0.6, 1.1) : between(d, -0.1, 0.4)));
                corners[3 * i + 1] = (float)(D * MM * (i > 1 ? between(d, 0.6, 1.1) : between(d, -0.1, 0.4)));
                corners[3 * i + 2] = (float)(z * MM * between(d, 0.6, 1.4));
            }
            rill_solid_def sheet = rill_default_solid_def();
            sheet.shape = RILL_SHAPE_MESH;
            sheet.vertices = corners;
            sheet.vertex_count = 4;
            sheet.indices = (const uint32_t[]){ 0, 1, 2, 0, 2, 3 };
            sheet.triangle_count = 2;
            rill_solid_id id;
            must(world, rill_solid_create(world, &sheet, &id));
        } else { /* boxes side by side, with holes */
            int n = 1 + (int)between(d, 0, 4);
            for (int i = 0; i < n * n; ++i) {
                double x = W / n * (i % n), y = D / n * (i / n);
                if (chance(d, 0.8)) add_box(world, x, y, z, x + W / n * between(d, 0.6, 1), y + D / n, z + t);
            }
        }
    }
    for (int k = 0; k < walls; ++k) {
        double x = floor(between(d, 0, W)), y = floor(between(d, 0, D)),
               z = chance(d, 0.5) ? -1.0 : H * between(d, 0, 0.5);
        bool along = chance(d, 0.5);
        add_box(world, x, y, z, along ? x + W / 2 : x + 1, along ? y + 1 : y + D / 2, z + H * between(d, 0.3, 1.2));
    }
}

static void random_sources(rill_world *world, dice *d, double W, double D, double H) {
    int count = (int)between(d, 0, 4);
    for (int i = 0; i < count; ++i) {
        rill_source_def def =
            point_source(NULL, W * MM * between(d, 0, 1), D * MM * between(d, 0, 1), H * MM * between(d, 0, 1), 0.0);
        def.shape = chance(d, 0.5) ? RILL_SOURCE_POINT : chance(d, 0.5) ? RILL_SOURCE_DISC : RILL_SOURCE_RAIN;
        def.sink = def.shape != RILL_SOURCE_RAIN && chance(d, 0.3);
        def.radius = 2 * MM;
        def.rate = def.shape == RILL_SOURCE_RAIN ? 3.6e6 * H * MM : W * D * H * MM * MM * MM * between(d, 0, 4);
        rill_source_id id;
        rill_result result = rill_source_create(world, &def, &id); /* some find no column there */
        if (result != RILL_OK) assert_int_equal(result, RILL_INVALID_ARGUMENT);
    }
}

static rill_world *random_world(uint64_t number, rill_passages passages, const rill_runtime *runtime) {
    dice dice_of = { number * 0x2545f4914f6cdd1du }, *d = &dice_of;
    double W = floor(between(d, 4, 20)), D = floor(between(d, 2, 14)), H = between(d, 1, 8);
    rill_world_def def = tank_def((int32_t)W, (int32_t)D, passages);
    if (runtime) def.runtime = *runtime;
    def.headroom = H * MM;
    def.liquid.viscosity = chance(d, 0.5) ? 1e-6 : 0.0;
    def.solver.orifice = chance(d, 0.5) ? 0.61 : 0.0;
    def.solver.pipe_area = chance(d, 0.2) ? RILL_PIPE_AREA_PAPER : RILL_PIPE_AREA_PHYSICAL;
    if (chance(d, 0.4)) {
        def.gravity[0] = between(d, -4, 4);
        def.gravity[1] = between(d, -4, 4);
    }
    for (int i = 0; i < 4; ++i)
        if (chance(d, 0.25))
            def.edges[i] =
                (rill_edge){ chance(d, 0.5) ? RILL_EDGE_OPEN : RILL_EDGE_STILL, H * MM * between(d, 0, 1.2) };
    rill_world *world = make_tank(&def);
    random_slabs(world, d, W, D, H);
    build(world);
    for (int i = 0; i < 2; ++i) {
        double at[3] = { W * MM * between(d, 0, 1), D * MM * between(d, 0, 1), H * MM * between(d, 0, 1) };
        rill_result result = rill_world_fill_level(world, at, H * MM * between(d, 0.2, 1.4), NULL);
        if (result != RILL_OK) assert_int_equal(result, RILL_INVALID_ARGUMENT); /* no column, or its floor is higher */
    }
    random_sources(world, d, W, D, H);
    return world;
}

static void random_worlds_stay_sound(void **state) {
    (void)state;
    int capped = 0, wet = 0;
    for (uint64_t number = 1; number <= 150; ++number)
        for (int mode = 0; mode < 3; ++mode) {
            rill_world *world = random_world(number, (rill_passages)mode, NULL);
            for (int i = 0; i < 60; ++i) {
                rill_status status = step(world, 2e-3);
                capped += (status & RILL_STATUS_PASSAGES_CAPPED) != 0;
                rill_message message = { "" };
                if (i % 10 == 9 && rill_world_validate(world, &message) != RILL_OK)
                    fail_msg("world %d, mode %d, step %d: %s", (int)number, mode, i, message.text);
                double fastest = step_info(world).max_speed;
                if (!(fastest < 1000.0)) fail_msg("world %d, mode %d, step %d: %g m/s", (int)number, mode, i, fastest);
            }
            if (ledger_error(world) != 0) fail_msg("world %d, mode %d: ledger", (int)number, mode);
            rill_ledger ledger;
            assert_int_equal(rill_world_get_ledger(world, &ledger), RILL_OK);
            wet += ledger.columns > 0;
            rill_world_destroy(world);
        }
    assert_true(wet > 400);
    print_message("%d of 18000 steps were capped\n", capped);
}

/* ------------------------------------------------------------------------------------------------------ the same bits */

enum { CAVE = 96 };

/* Halls under slabs with holes, flooded, with sources in them: large enough for several tasks. */
static rill_world *cave(const rill_world_def *like) {
    rill_world *world = make_tank(like);
    dice d = { 99 };
    for (int i = 0; i < 16; ++i)
        for (int j = 0; j < 16; ++j) {
            double x = 6.0 * i, y = 6.0 * j, z = between(&d, 2, 5);
            if (chance(&d, 0.85)) add_box(world, x, y, z, x + 6, y + 6, z + 1);
            if (chance(&d, 0.2)) add_box(world, x, y, -1, x + 1, y + 6, 4);
        }
    build(world);
    fill(world, 0.5, 0.5, 0.1, 4.0);
    pour(world, 50.5, 50.5, 0.5, 3, 2e-5);
    pour(world, 20.5, 70.5, 0.5, 3, -1e-5);
    return world;
}

static rill_world_def cave_def(rill_passages passages) {
    rill_world_def def = tank_def(CAVE, CAVE, passages);
    def.liquid.viscosity = 1e-6;
    def.solver.orifice = 0.61;
    def.edges[RILL_EAST].kind = RILL_EDGE_OPEN;
    def.solver.rest = false; /* what is swept decides what rests */
    return def;
}

static void same_bits_however_run(void **state) {
    (void)state;
    static const struct {
        int32_t threads;
        bool scalar, sweep_all;
    } variants[] = {
        { 1, false, false }, { 3, false, false }, { 8, false, true }, { 1, true, false }, { 1, false, true }
    };
    for (int mode = 0; mode < 2; ++mode) {
        uint64_t expected = 0;
        for (size_t i = 0; i < sizeof variants / sizeof *variants; ++i) {
            rill_world_def def = cave_def(mode ? RILL_PASSAGES_STRAIGHT : RILL_PASSAGES_ANY);
            def.runtime.tasks.threads = variants[i].threads;
            def.runtime.scalar = variants[i].scalar;
            def.solver.skip_idle = !variants[i].sweep_all;
            rill_world *world = cave(&def);
            for (int k = 0; k < 5; ++k) step(world, 5e-3);
            check(world);
            uint64_t found = hash_picture(world);
            if (i == 0) expected = found;
            if (found != expected)
                fail_msg("mode %d: other bits with %d threads, scalar %d, sweep all %d", mode, variants[i].threads,
                         variants[i].scalar, variants[i].sweep_all);
            rill_world_destroy(world);
        }
    }
}

/* A snapshot in the middle of things goes on as the world itself does. */
static void snapshots_resume_flooded_flow(void **state) {
    (void)state;
    for (int mode = 0; mode < 2; ++mode) {
        rill_world_def def = cave_def(mode ? RILL_PASSAGES_STRAIGHT : RILL_PASSAGES_ANY);
        def.solver.rest = true;
        rill_world *world = cave(&def), *other = NULL;
        for (int k = 0; k < 5; ++k) step(world, 5e-3);
        size_t size = rill_snapshot_size(world);
        void *memory = malloc(size);
        assert_non_null(memory);
        must(world, rill_snapshot_save(world, memory, size, &size));
        rill_message message = { "" };
        if (rill_snapshot_load(memory, size, NULL, &other, &message) != RILL_OK) fail_msg("%s", message.text);
        for (int k = 0; k < 4; ++k) {
            step(world, 5e-3);
            step(other, 5e-3);
            if (rill_world_hash(world) != rill_world_hash(other))
                fail_msg("mode %d: other bits after %d steps", mode, k + 1);
        }
        check(other);
        free(memory);
        rill_world_destroy(world);
        rill_world_destroy(other);
    }
}

static void passages_switch_live(void **state) {
    (void)state;
    for (uint64_t number = 200; number < 220; ++number) {
        rill_world *world = random_world(number, RILL_PASSAGES_ANY, NULL);
        dice d = { number };
        for (int i = 0; i < 40; ++i) {
            rill_solver solver;
            assert_int_equal(rill_world_get_solver(world, &solver), RILL_OK);
            solver.passages = (rill_passages)between(&d, 0, 3);
            must(world, rill_world_set_solver(world, &solver));
            step(world, 2e-3);
            step(world, 2e-3);
            rill_message message = { "" };
            if (rill_world_validate(world, &message) != RILL_OK)
                fail_msg("world %d, step %d: %s", (int)number, i, message.text);
        }
        rill_world_destroy(world);
    }
}

/* ---------------------------------------------------------------------------------------------------- sleep and memory */

/* Pressure knows no distance: what sleeps in a passage wakes with the far end. */
static void passages_sleep_and_wake(void **state) {
    (void)state;
    rill_world_def def = tank_def(232, 3, RILL_PASSAGES_ANY);
    rill_liquid_preset("olive oil", &def.liquid);
    rill_world *world = make_tank(&def);
    add_slab(world, 16, 3, 216, 30);
    build(world);
    fill(world, 0.5, 0.5, 0.5, 6.0);
    double depths[232 * 3];
    for (int i = 0; i < 232 * 3; ++i) depths[i] = i % 232 < 16 ? 6.2 * MM : (double)NAN;
    must(world, rill_world_fill_depths(world, 0, depths, 232 * 3, NULL));
    step(world, 0.01);
    assert_true(step_info(world).awake_columns > 0);
    double before = sample(world, 230.5, 1.5, 0.5).depth;
    for (int i = 0; i < 6000 && step_info(world).awake_columns > 0; ++i) step(world, 0.02);
    assert_true(step_info(world).awake_columns == 0);
    double rested = sample(world, 230.5, 1.5, 0.5).depth, first = sample(world, 4.5, 1.5, 0.5).depth;
    assert_true(rested > before + 0.05 * MM && fabs(first - rested) < 3e-3 * MM);
    picture still = take_picture(world);
    step(world, 0.02);
    picture later = take_picture(world);
    assert_true(largest(&still, &later) == 0.0 && largest(&later, NULL) == 0.0);
    free(still.values);
    free(later.values);

    for (int i = 0; i < 232 * 3; ++i) depths[i] = i % 232 < 16 ? first + 0.5 * MM : (double)NAN;
    must(world, rill_world_fill_depths(world, 0, depths, 232 * 3, NULL));
    step(world, 5e-3);
    assert_true(sample(world, 230.5, 1.5, 0.5).depth > rested || sample(world, 216.5, 1.5, 0.5).velocity[0] > 0.0);
    assert_true(step_info(world).awake_columns > 200 * 3);
    check(world);
    rill_world_destroy(world);
}

static void steps_allocate_nothing(void **state) {
    (void)state;
    test_memory memory = { 0 };
    for (int mode = 0; mode < 2; ++mode) {
        rill_world_def def = cave_def(mode ? RILL_PASSAGES_STRAIGHT : RILL_PASSAGES_ANY);
        def.runtime.allocator = test_allocator(&memory);
        rill_world *world = cave(&def);
        long before = memory.count;
        for (int k = 0; k < 4; ++k) step(world, 5e-3);
        assert_true(memory.count == before);
        rill_world_destroy(world);
    }
    assert_true(memory.live == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_is_exact),
        cmocka_unit_test(u_tube_swings),
        cmocka_unit_test(bends_are_for_any),
        cmocka_unit_test(siphons_do_not_flow),
        cmocka_unit_test(filling_makes_no_ripple),
        cmocka_unit_test(source_pushes_through_mouths),
        cmocka_unit_test(slam_keeps_bounds),
        cmocka_unit_test(sealed_cavity_fills_and_empties),
        cmocka_unit_test(nothing_leaves_the_range),
        cmocka_unit_test(random_worlds_stay_sound),
        cmocka_unit_test(same_bits_however_run),
        cmocka_unit_test(snapshots_resume_flooded_flow),
        cmocka_unit_test(passages_switch_live),
        cmocka_unit_test(passages_sleep_and_wake),
        cmocka_unit_test(steps_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
