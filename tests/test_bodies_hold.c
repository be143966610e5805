/* Hollow bodies, decks, and bodies that stand on the bed: where liquid is on them, in them and under them, and where it
 * is not. */
#include "snapshots.h"
#include "tanks.h"

/* An open box with its walls, that floats with a dry hold and sinks with a wet one. */
enum { LONG = 20, WIDE = 16, HIGH = 12, FLOOR = 2 };
static const double GRAMS = 2.0;

typedef struct hull {
    float vertices[48];
    uint32_t indices[84];
    rill_body_def def;
} hull;

/* Its bottom is at z mm. */
static void make_hull(hull *h, double x, double y, double z, double wall, double degrees) {
    static const uint32_t ends[] = { 0, 2, 1, 0, 3, 2, 12, 13, 14, 12, 14, 15 };
    size_t n = 0;
    for (uint32_t ring = 0; ring < 4; ++ring) /* outside below and above, inside above and below */
        for (uint32_t k = 0; k < 4; ++k) {
            const double in = ring < 2 ? 0.0 : wall, top = ring == 0 ? 0.0 : ring == 3 ? FLOOR : HIGH;
            h->vertices[n++] = (float)((k == 1 || k == 2 ? 1.0 : -1.0) * (0.5 * LONG - in) * MM);
            h->vertices[n++] = (float)((k >= 2 ? 1.0 : -1.0) * (0.5 * WIDE - in) * MM);
            h->vertices[n++] = (float)(top * MM);
        }
    n = 0;
    for (uint32_t i = 0; i < 12; ++i) {
        const uint32_t a = i, b = i / 4 * 4 + (i + 1) % 4, sides[6] = { a, b, b + 4, a, b + 4, a + 4 };
        for (int k = 0; k < 6; ++k) h->indices[n++] = sides[k];
    }
    memcpy(h->indices + n, ends, sizeof ends);
    h->def = rill_default_body_def();
    h->def.shape.type = RILL_SHAPE_MESH;
    h->def.shape.vertices = h->vertices;
    h->def.shape.vertex_count = 16;
    h->def.shape.indices = h->indices;
    h->def.shape.triangle_count = 28;
    h->def.mass = GRAMS * 1e-3;
    for (int k = 0; k < 3; ++k) h->def.centre[k] = 0.0; /* so that positions are those of its bottom */
    h->def.state.position[0] = x * MM;
    h->def.state.position[1] = y * MM;
    h->def.state.position[2] = z * MM;
    h->def.state.orientation[2] = sin(degrees * acos(-1.0) / 360.0);
    h->def.state.orientation[3] = cos(degrees * acos(-1.0) / 360.0);
}

static rill_body_id put_hull(rill_world *world, double z, double wall, double degrees) {
    hull h;
    rill_body_id id;
    make_hull(&h, 18.3, 16.4, z, wall, degrees);
    must(world, rill_body_create(world, &h.def, &id));
    return id;
}

/* 36 x 32 cells; thick, so that it comes to rest. */
static rill_world *make_pool(double viscosity) {
    rill_world_def def = tank_def(36, 32, RILL_PASSAGES_ANY);
    def.liquid.viscosity = viscosity;
    def.headroom = 0.05;
    rill_world *world = make_tank(&def);
    build(world);
    return world;
}

static rill_body_state state_of(const rill_world *world, rill_body_id id) {
    rill_body_state state;
    assert_int_equal(rill_body_get_state(world, id, &state), RILL_OK);
    return state;
}

static rill_body_forces forces_of(const rill_world *world, rill_body_id id) {
    rill_body_forces forces;
    assert_int_equal(rill_body_get_forces(world, id, &forces), RILL_OK);
    return forces;
}

static const double DEPTH = 14.0; /* mm, in the pool */
static double draft_of(void) {
    return GRAMS * 1e3 / (rill_default_world_def().liquid.density * 1e-3) / (LONG * WIDE); /* mm */
}

/* Afloat with a dry hold, but for how much it still bobs. */
static void must_float(const rill_world *world, rill_body_id id, double bobs) {
    const double level = sample(world, 1, 1, 1).level, low = state_of(world, id).position[2];
    const double draft = (level - low) / MM;
    if (!(fabs(draft / draft_of() - 1.0) < bobs)) fail_msg("draft %g mm, expected %g", draft, draft_of());
    const double displaced = forces_of(world, id).submerged_volume / (LONG * WIDE * MM * MM * MM);
    if (!(fabs(displaced / draft_of() - 1.0) < bobs)) fail_msg("displaced %g, expected %g", displaced, draft_of());
    check(world);
}

/* ------------------------------------------------------------------------------------------------------------ holds */

/* Walls from one and a half cells, along the grid and across it; it starts off its draft and finds it. */
static void test_drafts(void **state) {
    (void)state;
    static const double walls[] = { 1.5, 1.5, 1.5, 4.0 }, turns[] = { 0, 17, 45, 17 };
    for (int i = 0; i < 4; ++i) {
        rill_world *world = make_pool(3e-4);
        const rill_body_id id = put_hull(world, DEPTH - draft_of() + 0.5, walls[i], turns[i]);
        fill(world, 1, 1, 1, DEPTH);
        run(world, 24, 1.0 / 60);
        must_float(world, id, 0.02);
        rill_world_destroy(world);
    }
}

/* Put into liquid that is there, thrown in from above, and gone on with from a snapshot. */
static void test_ways_in(void **state) {
    (void)state;
    for (int way = 0; way < 2; ++way) {
        rill_world *world = make_pool(3e-4);
        fill(world, 1, 1, 1, DEPTH);
        const rill_body_id id = put_hull(world, way ? DEPTH + 3.0 : DEPTH - draft_of(), 1.5, 17);
        run(world, 10, 1.0 / 60);
        const saved s = save(world);
        rill_world *again = load(s, NULL);
        run(world, 15, 1.0 / 60);
        run(again, 15, 1.0 / 60);
        must_float(world, id, 0.15);
        assert_true(rill_world_hash(world) == rill_world_hash(again));
        rill_world_destroy(again);
        rill_world_destroy(world);
        free(s.bytes);
    }
}

/* Cargo in a dry hold, or on a deck, is in the air. */
static void test_load_in_a_hold(void **state) {
    (void)state;
    rill_world *world = make_pool(3e-4);
    const rill_body_id id = put_hull(world, DEPTH - draft_of(), 1.5, 17);
    rill_body_def def = rill_default_body_def();
    def.shape.radius = 3 * MM;
    def.mass = (double)INFINITY;
    def.state.position[0] = 18.0 * MM;
    def.state.position[1] = 16.0 * MM;
    def.state.position[2] = (DEPTH - draft_of() + FLOOR + 3.1) * MM;
    rill_body_id ball;
    must(world, rill_body_create(world, &def, &ball));
    fill(world, 1, 1, 1, DEPTH);
    run(world, 10, 1.0 / 60);
    assert_true(forces_of(world, ball).submerged_volume == 0.0);
    assert_true(forces_of(world, ball).impulse[2] == 0.0);
    must_float(world, id, 0.02);
    rill_world_destroy(world);
}

/* A blow from the side raises the head in slits beside the hull above its wall: that is pressure and comes over
 * nothing. */
static void test_blows(void **state) {
    (void)state;
    rill_world *world = make_pool(1e-6);
    hull h;
    rill_body_id id;
    make_hull(&h, 14.3, 16.4, DEPTH - draft_of(), 1.5, 17);
    h.def.state.velocity[0] = 0.25;
    must(world, rill_body_create(world, &h.def, &id));
    fill(world, 1, 1, 1, DEPTH);
    for (int i = 0; i < 12; ++i) {
        run(world, 1, 1.0 / 120);
        assert_true(state_of(world, id).position[2] > (DEPTH - draft_of() - 2.0) * MM);
    }
    check(world);
    rill_world_destroy(world);
}

/* Moves it by hand, upright, to a height of its bottom in mm. */
static void carry(rill_world *world, rill_body_id id, double z, int steps) {
    const double from = state_of(world, id).position[2], dt = 1.0 / 120;
    for (int i = 1; i <= steps; ++i) {
        rill_body_state s = state_of(world, id);
        s.position[2] = from + (z * MM - from) * (i - 1) / steps;
        s.velocity[2] = (z * MM - from) / (steps * dt);
        s.velocity[0] = s.velocity[1] = s.acceleration[2] = 0.0;
        memset(s.angular_velocity, 0, sizeof s.angular_velocity);
        s.orientation[0] = s.orientation[1] = 0.0;
        must(world, rill_body_set_state(world, id, &s));
        run(world, 1, dt);
    }
}

static void let_go(rill_world *world, rill_body_id id) {
    rill_body_state s = state_of(world, id);
    memset(s.velocity, 0, sizeof s.velocity);
    s.acceleration[2] = -9.81;
    must(world, rill_body_set_state(world, id, &s));
}

/* Returns how much lies in the hold of a hull that heads along the grid, m3. All of its columns are wholly covered, and what is
 * below them is below the middle of its bottom. */
static double on_deck(const rill_world *world, rill_body_id id) {
    const double bottom = state_of(world, id).position[2] + 0.5 * FLOOR * MM;
    double found;
    const double low[3] = { 9 * MM, 9 * MM, bottom }, high[3] = { 28 * MM, 24 * MM, 1.0 };
    assert_int_equal(rill_query_box_volume(world, low, high, &found), RILL_OK);
    return found;
}

/* Pushed under by hand it fills, and sinks when it is let go. Lifted out it is full to the brim. */
static void test_swamped(void **state) {
    (void)state;
    const double hold = (LONG - 3) * (WIDE - 3) * (HIGH - FLOOR) * MM * MM * MM;
    rill_world *world = make_pool(3e-4);
    fill(world, 1, 1, 1, 18);
    const rill_body_id id = put_hull(world, 18.0 - draft_of(), 1.5, 0);
    const double all = volume(world, 0, 36, 100);
    run(world, 10, 1.0 / 60);
    carry(world, id, 3.0, 40);
    carry(world, id, 3.0, 20);
    rill_body_info info;
    must(world, rill_body_get_info(world, id, &info));
    assert_true(info.mass > 1.1 * 998 * info.volume);
    assert_true(fabs(forces_of(world, id).submerged_volume / info.volume - 1.0) < 0.01);
    let_go(world, id);
    run(world, 2, 1.0 / 60);
    assert_true(state_of(world, id).velocity[2] < -0.01);
    carry(world, id, 25.0, 40);
    assert_true(forces_of(world, id).submerged_volume == 0.0);
    const double found = on_deck(world, id);
    if (!(found > 0.9 * hold && found < 1.1 * hold)) fail_msg("%g of its hold is full", found / hold);
    assert_true(fabs(volume(world, 0, 36, 100) / all - 1.0) < 1e-12);
    check(world);
    rill_world_destroy(world);
}

/* ---------------------------------------------------------------------------------------------------------- on decks */

/* Liquid that is poured into a hull lowers it by its weight, stays, is in snapshots, and comes out when it is turned over. */
static void test_poured(void **state) {
    (void)state;
    const double poured = 0.8e-6;
    rill_world *world = make_pool(3e-4);
    const rill_body_id id = put_hull(world, DEPTH - draft_of(), 1.5, 0);
    fill(world, 1, 1, 1, DEPTH);
    const rill_source_id jug = pour(world, 18, 16, 15, 3, 2.5 * poured);
    run(world, 24, 1.0 / 60);
    must(world, rill_source_destroy(world, jug));
    const saved s = save(world);
    rill_runtime runtime = rill_default_world_def().runtime; /* another one gives the same bits */
    runtime.tasks.threads = 3;
    runtime.scalar = true;
    rill_world *again = load(s, &runtime);
    for (int i = 0; i < 2; ++i) run(i ? again : world, 24, 1.0 / 60);
    assert_true(rill_world_hash(world) == rill_world_hash(again));
    rill_world_destroy(again);
    free(s.bytes);
    const double mass = GRAMS * 1e-3 + rill_default_world_def().liquid.density * poured;
    const double draft = sample(world, 1, 1, 1).level - state_of(world, id).position[2];
    const double expected = draft_of() * MM * mass / (GRAMS * 1e-3);
    if (!(fabs(draft / expected - 1.0) < 0.01)) fail_msg("draft %g m, expected %g", draft, expected);
    assert_true(fabs(on_deck(world, id) / poured - 1.0) < 1e-3);
    assert_true(fabs(forces_of(world, id).deck_volume / poured - 1.0) < 1e-3);
    const rill_sample inside = sample(world, 18, 16, 20);
    assert_true(fabs(inside.level - state_of(world, id).position[2] - (FLOOR * MM + poured / (17 * 13 * MM * MM))) <
                0.1 * MM);
    check(world);
    carry(world, id, 20.0, 30);
    assert_true(fabs(on_deck(world, id) / poured - 1.0) < 1e-3);
    for (int i = 1; i <= 30; ++i) {
        rill_body_state s2 = state_of(world, id);
        const double angle = acos(-1.0) * i / 30;
        s2.position[2] = 30.0 * MM;
        memset(s2.velocity, 0, sizeof s2.velocity);
        memset(s2.angular_velocity, 0, sizeof s2.angular_velocity);
        s2.orientation[0] = sin(0.5 * angle);
        s2.orientation[1] = s2.orientation[2] = 0.0;
        s2.orientation[3] = cos(0.5 * angle);
        must(world, rill_body_set_state(world, id, &s2));
        run(world, 1, 1.0 / 120);
    }
    assert_true(on_deck(world, id) < 0.02 * poured);
    check(world);
    rill_world_destroy(world);
}

static const double DEEP = 24.0; /* mm, of a pool in which it may go down */

/* A hull that goes where it is told, with its sides `freeboard` mm above the level of such a pool. */
static rill_body_id put_prescribed(rill_world *world, double freeboard) {
    hull h;
    rill_body_id id;
    make_hull(&h, 18.3, 16.4, DEEP + freeboard - HIGH, 1.5, 0);
    h.def.mass = (double)INFINITY;
    must(world, rill_body_create(world, &h.def, &id));
    fill(world, 1, 1, 1, DEEP);
    return id;
}

/* Moves it by some mm in some steps, and holds it there for some more. */
static void dip(rill_world *world, rill_body_id id, double up, int steps, int more) {
    const double dt = 1.0 / 240;
    rill_body_state s = state_of(world, id);
    s.velocity[2] = up * MM / (steps * dt);
    must(world, rill_body_set_state(world, id, &s));
    run(world, steps, dt);
    s = state_of(world, id);
    s.velocity[2] = 0.0;
    must(world, rill_body_set_state(world, id, &s));
    run(world, more, dt);
}

/* Pushed under by 1 mm for a moment it takes a splash, and keeps it. */
static void test_splash(void **state) {
    (void)state;
    const double hold = (LONG - 3) * (WIDE - 3) * (HIGH - FLOOR) * MM * MM * MM;
    rill_world *world = make_pool(1e-5);
    const rill_body_id id = put_prescribed(world, 1.5);
    dip(world, id, -2.5, 6, 4);
    dip(world, id, 4.0, 6, 20);
    const double splash = on_deck(world, id);
    if (!(splash > 0.02 * hold && splash < 0.7 * hold)) fail_msg("%g of the hold", splash / hold);
    run(world, 40, 1.0 / 120);
    assert_true(fabs(on_deck(world, id) / splash - 1.0) < 0.01);
    const double all = volume(world, 0, 36, 100);
    must(world, rill_body_destroy(world, id));
    run(world, 1, 1.0 / 60);
    assert_true(fabs(volume(world, 0, 36, 100) / all - 1.0) < 1e-12);
    check(world);
    rill_world_destroy(world);
}

/* Held under by h it fills over its sides as over a weir, 0.54 sqrt(g h^3) for each metre of them, until levels meet:
 * from then on it displaces its planks. */
static void test_fills_over_sides(void **state) {
    (void)state;
    const double around = 2 * (LONG + WIDE - 3) * MM, dt = 1.0 / 240;
    rill_world *world = make_pool(1e-5);
    const rill_body_id id = put_prescribed(world, 0.5);
    dip(world, id, -1.0, 8, 4);
    const double before = on_deck(world, id), level = sample(world, 1, 1, 1).level;
    const double side = state_of(world, id).position[2] + HIGH * MM;
    run(world, 8, dt);
    const double h = 0.5 * (level + sample(world, 1, 1, 1).level) - side;
    const double rate = (on_deck(world, id) - before) / (8 * dt), expected = 0.54 * sqrt(9.81 * h * h * h) * around;
    if (!(rate > 0.8 * expected && rate < 1.2 * expected))
        fail_msg("%g m3/s at %g mm, expected %g", rate, h / MM, expected);
    dip(world, id, -2.0, 20, 120);
    rill_body_info info;
    must(world, rill_body_get_info(world, id, &info));
    assert_true(fabs(forces_of(world, id).submerged_volume / info.volume - 1.0) < 0.01);
    check(world);
    rill_world_destroy(world);
}

/* Poured full it goes under. */
static void test_overfilled(void **state) {
    (void)state;
    rill_world *world = make_pool(3e-4);
    fill(world, 1, 1, 1, 20);
    const rill_body_id id = put_hull(world, 20.0 - draft_of(), 1.5, 0);
    pour(world, 18, 16, 15, 3, 5e-6);
    for (int i = 0; i < 60 && state_of(world, id).position[2] > 2.0 * MM; ++i) run(world, 1, 1.0 / 60);
    assert_true(state_of(world, id).position[2] <= 2.0 * MM);
    check(world);
    rill_world_destroy(world);
}

/* A fill leaves out the hold of what floats in it, and only the planks of what is below it. */
static void test_fills(void **state) {
    (void)state;
    const double area = 36 * 32;
    rill_world *world = make_pool(1e-4);
    const rill_body_id id = put_hull(world, 4.0, 1.5, 17);
    rill_body_info info;
    must(world, rill_body_get_info(world, id, &info));
    for (int i = 0; i < 2; ++i) {
        const double level = i ? 20.0 : 10.0, planks = info.volume / (MM * MM * MM);
        fill(world, 1, 1, 1, level);
        const double out = area * level - volume(world, 0, 36, 100) / (MM * MM * MM);
        assert_true(fabs(out - (i ? planks : LONG * WIDE * (level - 4.0))) < 0.2);
    }
    rill_world_destroy(world);
}

/* ---------------------------------------------------------------------------------------------------------- the bed */

/* A box of 10 mm in water of half its height, `gap` mm above the bed, which bears it as an engine's contact would: it
 * is put back after each step. Returns the mean force of the liquid on it, as part of its buoyancy. */
static double stand(double gap, double density, double degrees, double dt) {
    const double edge = 10, depth = 5;
    rill_world *world = make_pool(1e-6);
    rill_body_def def = rill_default_body_def();
    def.shape.type = RILL_SHAPE_BOX;
    def.density = density;
    set_size(&def.shape, edge * MM, edge * MM, edge * MM);
    def.state.position[0] = 18.3 * MM;
    def.state.position[1] = 16.4 * MM;
    def.state.position[2] = (0.5 * edge + gap) * MM;
    def.state.orientation[2] = sin(degrees * acos(-1.0) / 360.0);
    def.state.orientation[3] = cos(degrees * acos(-1.0) / 360.0);
    rill_body_id id;
    must(world, rill_body_create(world, &def, &id));
    fill(world, 1, 1, 1, depth);
    double impulse = 0.0;
    enum { STEPS = 40 };
    for (int i = 0; i < STEPS; ++i) {
        run(world, 1, dt);
        impulse += forces_of(world, id).impulse[2];
        rill_body_state s = state_of(world, id);
        assert_true(s.position[2] < (0.5 * edge + gap + 0.01) * MM); /* it does not jump, */
        assert_true(step_info(world).max_speed < 0.5);               /* nor does the water */
        if (s.position[2] > 0.5 * edge * MM) continue;
        s.position[2] = 0.5 * edge * MM;
        memset(s.velocity, 0, sizeof s.velocity);
        memset(s.angular_velocity, 0, sizeof s.angular_velocity);
        memcpy(s.orientation, def.state.orientation, sizeof s.orientation);
        must(world, rill_body_set_state(world, id, &s));
    }
    check(world);
    rill_world_destroy(world);
    return impulse / (STEPS * dt * 998 * 9.81 * edge * edge * depth * MM * MM * MM);
}

/* A body that stands on the bed has the buoyancy of what of it is below the level. */
static void test_stands(void **state) {
    (void)state;
    for (int i = 0; i < 2; ++i) {
        const double share = stand(0.0, 8000.0, 34.0 * i, 1.0 / 60);
        if (!(fabs(share - 1.0) < 0.1)) fail_msg("%g of its buoyancy", share);
    }
}

/* When the level rises, so does the head in what is left below: buoyancy follows, also of what nothing can lift. */
static void test_level_rises(void **state) {
    (void)state;
    const double edge = 10;
    rill_world *world = make_pool(1e-4);
    rill_body_def def = rill_default_body_def();
    def.shape.type = RILL_SHAPE_BOX;
    def.mass = (double)INFINITY;
    set_size(&def.shape, edge * MM, edge * MM, edge * MM);
    def.state.position[0] = 18.3 * MM;
    def.state.position[1] = 16.4 * MM;
    def.state.position[2] = 0.5 * edge * MM;
    rill_body_id id;
    must(world, rill_body_create(world, &def, &id));
    fill(world, 1, 1, 1, 3);
    run(world, 2, 1.0 / 60);
    const rill_source_id spring = pour(world, 5, 5, 0, 3, 1e-5);
    run(world, 12, 1.0 / 60);
    must(world, rill_source_destroy(world, spring));
    run(world, 30, 1.0 / 60);
    const double level = sample(world, 1, 1, 1).level, force = forces_of(world, id).impulse[2] * 60;
    assert_true(level > 4.5 * MM);
    assert_true(fabs(force / (998 * 9.81 * edge * edge * MM * MM * level) - 1.0) < 0.05);
    check(world);
    rill_world_destroy(world);
}

/* A body that comes down on the bed squeezes out what is below, which bears some of it for a while. */
static void test_lands(void **state) {
    (void)state;
    for (int i = 0; i < 2; ++i) {
        const double share = stand(0.02, 1400.0, 34.0 * i, 1.0 / 120), weight = 1400.0 / (0.5 * 998.0);
        assert_true(share > 0.9 && share < 1.1 * weight);
    }
}

/* Liquid that is poured over a sunken box, or boat, that lies on the bed comes to what is over it, and is not taken for what
 * is left below it: it flows off as over a bed of that height, with which the depth is 8 mm instead of 20. */
static void test_pour_over_sunken(void **state) {
    (void)state;
    double fastest[3] = { 0.0 };
    for (int way = 0; way < 3; ++way) {
        rill_world *world = make_pool(1e-6);
        hull h;
        make_hull(&h, 18.3, 16.4, 0.0, 1.5, 17);
        h.def.mass = (double)INFINITY;
        if (way == 1) {
            h.def.shape.type = RILL_SHAPE_BOX;
            set_size(&h.def.shape, LONG * MM, WIDE * MM, HIGH * MM);
            h.def.state.position[2] = 0.5 * HIGH * MM;
        }
        rill_body_id id;
        if (way > 0) must(world, rill_body_create(world, &h.def, &id));
        fill(world, 1, 1, 1, 20);
        pour(world, 18, 16, 40, 2.5, 1e-5);
        for (int i = 0; i < 10; ++i) {
            assert_true(step(world, 1.0 / 60) == 0);
            fastest[way] = fmax(fastest[way], step_info(world).max_speed);
        }
        if (!(fastest[way] <= fastest[0] * 20.0 / (20.0 - HIGH)))
            fail_msg("%g m/s, without a body %g", fastest[way], fastest[0]);
        check(world);
        rill_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { unit_test_alone(test_drafts),         unit_test_alone(test_ways_in),
                                        unit_test_alone(test_load_in_a_hold), unit_test_alone(test_blows),
                                        unit_test_alone(test_swamped),        cmocka_unit_test(test_poured),
                                        unit_test_alone(test_splash),         unit_test_alone(test_fills_over_sides),
                                        unit_test_alone(test_overfilled),     unit_test_alone(test_fills),
                                        unit_test_alone(test_stands),         unit_test_alone(test_level_rises),
                                        unit_test_alone(test_lands),          unit_test_alone(test_pour_over_sunken) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
