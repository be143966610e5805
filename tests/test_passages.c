/* Flooded passages where they begin and end: slams that outgrow the space they are solved in, and the moment of filling
 * over a range of cells, heights and liquids. */
#include "tanks.h"

/* ------------------------------------------------------------------------------------------------------------ slams */

/* A hall so nearly full that it slams over its whole length within a sub-step. The solve must follow, far from where it
 * began, and in one space what began as two. */
static void slams_are_solved_to_their_ends(void **state) {
    (void)state;
    for (int round = 0; round < 3; ++round) {
        rill_world_def def = tank_def(80, 30, RILL_PASSAGES_ANY);
        rill_world *world = make_tank(&def);
        add_slab(world, 10, 5, 70, 30);
        build(world);
        double depths[80 * 30];
        for (int i = 0; i < 80 * 30; ++i) {
            int x = i % 80;
            bool west = x < 10, east = round == 1 && x >= 70;
            depths[i] = west || east ? 12 * MM : (5.0 - (round == 2 ? 1e-5 : 1e-3)) * MM;
        }
        must(world, rill_world_fill_depths(world, 0, depths, 80 * 30, NULL));
        double fullest = 0.0;
        for (int i = 0; i < 60; ++i) {
            rill_status status = step(world, 2e-3);
            if (status & RILL_STATUS_PASSAGES_CAPPED) fail_msg("round %d, step %d: stopped early", round, i);
            fullest = fmax(fullest, sample(world, 60.5, 15.5, 1).depth);
        }
        assert_true(fullest > 5.0 * MM - 1e-8);
        check(world);
        rill_world_destroy(world);
    }
}

/* A tunnel on the floor, from whose end a shaft leads up to a blind one above it, in another sheet: that is nearly full
 * and slams with it, wherever tiles begin. Pressure has to get there over sparse pipes, and tiles that slept there must
 * wake. */
static void slams_climb_through_shafts(void **state) {
    (void)state;
    for (int offset = 0; offset < 16; offset += 5) {
        const double o = offset;
        const rill_world_def def = tank_def(offset + 60, 3, RILL_PASSAGES_ANY);
        rill_world *world = make_tank(&def);
        add_slab(world, -10, -1, o, 60);
        add_slab(world, o + 16, 3, o + 54, 4); /* over the one, and under the other */
        add_slab(world, o + 56, 3, o + 58, 4);
        add_slab(world, o + 16, 3, o + 46, 60);
        add_slab(world, o + 46, 6, o + 61, 60);
        add_slab(world, o + 58, -1, o + 61, 60);
        build(world);
        assert_true(bed_info(world).sparse_pipes > 0);
        fill(world, o + 8, 0.5, 0.5, 5.98);
        double depths[3 * 75];
        const size_t nx = (size_t)offset + 60;
        for (size_t i = 0; i < 3 * nx; ++i)
            depths[i] = (double)(i % nx) >= o && (double)(i % nx) < o + 16 ? 20 * MM : (double)NAN;
        must(world, rill_world_fill_depths(world, 0, depths, 3 * nx, NULL));
        for (int i = 0; i < 60; ++i)
            if (step(world, 2e-3) & RILL_STATUS_PASSAGES_CAPPED)
                fail_msg("offset %d, step %d: stopped early", offset, i);
        assert_true(sample(world, o + 48.5, 0.5, 5).depth > 2.0 * MM - 1e-8);
        check(world);
        rill_world_destroy(world);
    }
}

/* More is poured into a closed hall than finds room: the solve does not run after what it cannot have. */
static void closed_halls_are_solved(void **state) {
    (void)state;
    rill_world_def def = tank_def(40, 20, RILL_PASSAGES_ANY);
    rill_world *world = make_tank(&def);
    add_slab(world, -10, 3, 100, 6);
    build(world);
    fill(world, 0.5, 0.5, 0.5, 3.0);
    pour(world, 20.5, 10.5, 1, 2, 1e-6);
    rill_status seen = 0;
    for (int i = 0; i < 20; ++i) seen |= step(world, 5e-3);
    assert_true(seen & RILL_STATUS_SOURCE_REFUSED);
    assert_false(seen & RILL_STATUS_PASSAGES_CAPPED);
    check(world);
    rill_world_destroy(world);
}

/* A thin film on a sill flows into short passages on both sides, faster than it can: they must do with what there is,
 * or they end with a gap below their ceilings. */
static void films_give_what_they_have(void **state) {
    (void)state;
    enum { N = 11, SILL = 5 };
    rill_world_def def = tank_def(N, 1, RILL_PASSAGES_ANY);
    rill_world *world = make_tank(&def);
    add_slab(world, SILL - 1, 5, SILL, 30);
    add_slab(world, SILL + 1, 5, SILL + 2, 30);
    add_slab(world, SILL, -1, SILL + 1, 4.5);
    build(world);
    fill(world, 0.5, 0.5, 0.5, 5.01);
    fill(world, N - 0.5, 0.5, 0.5, 5.01);
    double depths[N], velocities[2 * N] = { 0 };
    for (int x = 0; x < N; ++x) depths[x] = x == SILL ? 0.3 * MM : (double)NAN;
    must(world, rill_world_fill_depths(world, 0, depths, N, NULL));
    velocities[2 * SILL] = -2.2;
    velocities[2 * SILL + 2] = 2.2;
    must(world, rill_world_set_velocities(world, 0, velocities, 2 * N));
    step(world, 3e-4);
    assert_int_equal(step_info(world).substeps, 1);
    assert_true(sample(world, SILL + 0.5, 0.5, 4.6).depth < 1e-8); /* it has given all */
    for (int x = SILL - 1; x <= SILL + 1; x += 2) {
        double gap = 5.0 * MM - sample(world, x + 0.5, 0.5, 1).depth;
        if (gap > 1e-8) fail_msg("a gap of %g mm at %d", gap / MM, x);
    }
    check(world);
    rill_world_destroy(world);
}

/* ----------------------------------------------------------------------------------------------------- over a range */

/* Wells of 10 x 9 cells, joined by passages as high as `D` cells are wide and three cells wide: straight, or with a
 * bend to a well in the north, or with a branch to one in the south too. Cells are `dx` wide. */
typedef struct range_case {
    double dx, D, viscosity, headroom;
    int shape;
} range_case;

enum { PLAN = 30, LOW = 10, HIGH = 19 }; /* cells each way, and the rows of the wells in the west and east */

/* 'w' well, 'p' passage, '.' rock. */
static char plan_at(int shape, int x, int y) {
    const bool across = y >= LOW + 3 && y < LOW + 6, up = x >= 14 && x < 17;
    if (x < 10 && y >= LOW && y < HIGH) return 'w';
    if (shape == 0) return x >= 20 && y >= LOW && y < HIGH ? 'w' : x >= 10 && x < 20 && across ? 'p' : '.';
    if (y >= 24 && x >= 10 && x < 20) return 'w';
    if (shape == 2 && y < 6 && x >= 10 && x < 20) return 'w';
    if (x >= 10 && x < 17 && across) return 'p';
    return up && y < 24 && y >= (shape == 2 ? 6 : LOW + 3) ? 'p' : '.';
}

static rill_world *range_tank(const range_case *c) {
    rill_world_def def = tank_def(PLAN, PLAN, RILL_PASSAGES_ANY);
    def.grid.cell_size = c->dx;
    def.headroom = c->headroom;
    def.liquid.viscosity = c->viscosity;
    def.solver.orifice = 0.61;
    def.solver.rest = false;
    rill_world *world = make_tank(&def);
    const double mm = c->dx / MM, roof = c->D * mm, top = roof + 10.0 * mm;
    for (int y = 0; y < PLAN; ++y)
        for (int x = 0, end; x < PLAN; x = end) {
            const char kind = plan_at(c->shape, x, y);
            for (end = x; end < PLAN && plan_at(c->shape, end, y) == kind;) ++end;
            if (kind != 'w') add_box(world, x * mm, y * mm, kind == 'p' ? roof : -mm, end * mm, (y + 1) * mm, top);
        }
    build(world);
    return world;
}

static void range_fill(rill_world *world, const range_case *c, double level) {
    const double at[3] = { 0.5 * c->dx, (LOW + 0.5) * c->dx, 0.01 * c->dx };
    must(world, rill_world_fill_level(world, at, level, NULL));
}

/* The largest change of a depth in a step, as a share of the depth or in metres; of wells alone, or of all columns. */
static double range_watch(rill_world *world, const range_case *c, int steps, double dt, bool wells, bool share) {
    static double before[PLAN * PLAN], now[PLAN * PLAN];
    double worst = 0.0;
    for (int i = 0; i <= steps; ++i) {
        if (i > 0 && step(world, dt) != 0) fail_msg("status %x", step_info(world).status);
        must(world, rill_world_read_field(world, RILL_FIELD_DEPTH, 0, now, PLAN * PLAN));
        for (int k = 0; i > 0 && k < PLAN * PLAN; ++k) {
            const char kind = plan_at(c->shape, k % PLAN, k / PLAN);
            if (kind == '.' || (wells && kind != 'w')) continue;
            worst = fmax(worst, fabs(now[k] - before[k]) / (share ? now[k] : 1.0));
        }
        if (i == 0 || wells) memcpy(before, now, sizeof now);
    }
    return worst;
}

static void rain_on_wells(rill_world *world, const range_case *c, double speed) {
    for (int y = 0; y < PLAN; ++y)
        for (int x = 0, end; x < PLAN; x = end) {
            const char kind = plan_at(c->shape, x, y);
            for (end = x; end < PLAN && plan_at(c->shape, end, y) == kind;) ++end;
            if (kind != 'w') continue;
            rill_source_def rain = rill_default_source_def();
            rain.shape = RILL_SOURCE_BOX;
            memcpy(rain.min, (double[]){ x * c->dx, y * c->dx, 0.0 }, sizeof rain.min);
            memcpy(rain.max, (double[]){ end * c->dx, (y + 1) * c->dx, 0.5 * c->dx }, sizeof rain.max);
            rain.rate = (end - x) * c->dx * c->dx * speed;
            rill_source_id id;
            must(world, rill_source_create(world, &rain, &id));
        }
}

/* A passage that is just full is at rest to ten quanta; one that fills while the level rises makes no level jump by 1
 * %. */
static void rest_and_filling_over_a_range(void **state) {
    (void)state;
    static const range_case cases[] = {
        { 0.5e-3, 0.7, 0.0, 0.01, 0 }, { 0.5e-3, 9.0, 7e-3, 0.5, 2 }, { 1e-3, 1.3, 1e-6, 0.5, 1 },
        { 1e-3, 4.0, 0.0, 0.01, 2 },   { 2e-3, 0.7, 1e-4, 0.01, 2 },  { 2e-3, 9.0, 1e-6, 0.01, 0 },
        { 4e-3, 1.3, 0.0, 0.5, 1 },    { 4e-3, 4.0, 7e-3, 0.01, 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const range_case *c = &cases[i];
        const double D = c->D * c->dx, speed = 0.05 * D;
        rill_world *world = range_tank(c);
        range_fill(world, c, D);
        const double moved = range_watch(world, c, 20, 0.01, false, false) / bed_info(world).quantum;
        if (moved > 10.0) fail_msg("case %d: a level at rest moved by %g quanta", (int)i, moved);
        range_fill(world, c, 0.98 * D);
        rain_on_wells(world, c, speed);
        const double jump = range_watch(world, c, 200, 0.08 * D / speed / 200.0, true, true);
        if (jump > 0.01) fail_msg("case %d: a level jumped by %g %%", (int)i, 100.0 * jump);
        rill_sample mouth;
        const double at[3] = { 10.5 * c->dx, (LOW + 4.5) * c->dx, 0.5 * D };
        must(world, rill_query_points(world, at, 1, &mouth));
        if (mouth.depth < D - 1e-7) fail_msg("case %d: not full: %g of %g", (int)i, mouth.depth, D);
        check(world);
        rill_world_destroy(world);
    }
}

/* With passages off a film that creeps on under a slab fills it column by column, and the pool before it gives what
 * that takes. The head of the pool drove the first face anew in every sub-step, at seventy times the speed of what
 * flows. */
static void pools_give_what_gaps_take(void **state) {
    (void)state;
    rill_world_def def = tank_def(24, 2, RILL_PASSAGES_OFF);
    def.liquid.viscosity = 1e-5;
    rill_world *world = make_tank(&def);
    add_slab(world, 8, 0.2, 24, 9);
    build(world);
    const rill_source_id tap = pour(world, 4, 1, 5, 2, 5e-8);
    for (int i = 0; i < 40; ++i) step(world, 0.025);
    must(world, rill_source_destroy(world, tap));
    for (int i = 0; i < 80; ++i) step(world, 0.025);
    const double before = volume(world, 8.0, 24.0, 0.2), level = sample(world, 4, 1, 0).depth;
    step(world, 0.025);
    const double flows = (volume(world, 8.0, 24.0, 0.2) - before) / (0.025 * 2 * 0.2 * MM * MM);
    const double told = sample(world, 8.5, 1, 0).velocity[0];
    if (!(level > 1 * MM && flows > 0.0 && told < 2 * flows)) fail_msg("%g m/s told where %g flow", told, flows);
    check(world);
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slams_are_solved_to_their_ends), cmocka_unit_test(slams_climb_through_shafts),
        cmocka_unit_test(closed_halls_are_solved),        cmocka_unit_test(films_give_what_they_have),
        cmocka_unit_test(rest_and_filling_over_a_range),  cmocka_unit_test(pools_give_what_gaps_take),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
