/* Flooded passages in worlds of all kinds, through the API: bounds and ledger, the same bits however it is run,
 * snapshots, switching, memory. */
#include "tanks.h"

#ifndef RESUMED_WORLDS
enum { RESUMED_FIRST = 1000, RESUMED_WORLDS = 60 };
#endif

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

/* ---------------------------------------------------------------------------------------------------- random worlds */

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
            sheet.shape.type = RILL_SHAPE_MESH;
            sheet.shape.vertices = corners;
            sheet.shape.vertex_count = 4;
            sheet.shape.indices = (const uint32_t[]){ 0, 1, 2, 0, 2, 3 };
            sheet.shape.triangle_count = 2;
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
        if (def.shape == RILL_SOURCE_RAIN)
            def.rain = 3.6e6 * H * MM;
        else
            def.rate = W * D * H * MM * MM * MM * between(d, 0, 4);
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
    const int worlds = 150 / ALONE_PART;
    for (int number = 1; number <= worlds; ++number)
        for (int mode = 0; mode < 3; ++mode) {
            rill_world *world = random_world((uint64_t)number, (rill_passages)mode, NULL);
            for (int i = 0; i < 60; ++i) {
                rill_status status = step(world, 2e-3);
                capped += (status & RILL_STATUS_PASSAGES_CAPPED) != 0;
                rill_message message = { "" };
                if (i % 10 == 9 && rill_world_validate(world, &message) != RILL_OK)
                    fail_msg("world %d, mode %d, step %d: %s", number, mode, i, message.text);
                double fastest = step_info(world).max_speed;
                if (!(fastest < 1000.0)) fail_msg("world %d, mode %d, step %d: %g m/s", number, mode, i, fastest);
            }
            if (ledger_error(world) != 0) fail_msg("world %d, mode %d: ledger", number, mode);
            rill_ledger ledger;
            assert_int_equal(rill_world_get_ledger(world, &ledger), RILL_OK);
            wet += ledger.columns > 0;
            rill_world_destroy(world);
        }
    assert_true(wet > worlds * 8 / 3);
    print_message("%d of %d steps were capped\n", capped, worlds * 180);
    assert_true(capped < worlds * 10); /* where sources push more through a column than it holds */
}

/* ---------------------------------------------------------------------------------------------------- the same bits */

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
            for (int k = 0; k < 3; ++k) step(world, 5e-3);
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

static rill_world *copy_of(const rill_world *world) {
    size_t size = rill_snapshot_size(world);
    void *memory = malloc(size);
    rill_world *copy = NULL;
    rill_message message = { "" };
    assert_non_null(memory);
    assert_int_equal(rill_snapshot_save(world, memory, size, &size), RILL_OK);
    if (rill_snapshot_load(memory, size, NULL, &copy, &message) != RILL_OK) fail_msg("%s", message.text);
    free(memory);
    return copy;
}

/* A snapshot in the middle of things goes on as the world itself does. */
static void snapshots_resume_flooded_flow(void **state) {
    (void)state;
    for (int mode = 0; mode < 2; ++mode) {
        rill_world_def def = cave_def(mode ? RILL_PASSAGES_STRAIGHT : RILL_PASSAGES_ANY);
        def.solver.rest = true;
        rill_world *world = cave(&def);
        for (int k = 0; k < 3; ++k) step(world, 5e-3);
        rill_world *other = copy_of(world);
        for (int k = 0; k < 2; ++k) {
            step(world, 5e-3);
            step(other, 5e-3);
            if (rill_world_hash(world) != rill_world_hash(other))
                fail_msg("mode %d: other bits after %d steps", mode, k + 1);
        }
        check(other);
        rill_world_destroy(world);
        rill_world_destroy(other);
    }
}

/* Restored worlds go on alike whenever they were saved: pools that sleep, fill and empty beside each other, with many
 * snapshots in a row. */
static void snapshots_resume_random_worlds(void **state) {
    (void)state;
    for (int number = RESUMED_FIRST; number < RESUMED_FIRST + RESUMED_WORLDS / ALONE_PART; ++number) {
        rill_world *world = random_world((uint64_t)number, RILL_PASSAGES_ANY, NULL);
        for (int k = 0; k < 12; ++k) {
            rill_world *other = copy_of(world);
            for (int i = 0; i < 5; ++i) {
                step(world, 3e-3);
                step(other, 3e-3);
                if (rill_world_hash(world) != rill_world_hash(other))
                    fail_msg("world %d: other bits %d steps after %d", number, i + 1, 5 * k);
            }
            rill_world_destroy(world);
            world = other;
        }
        rill_world_destroy(world);
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

/* ----------------------------------------------------------------------------------------------------------- memory */

static void steps_allocate_nothing(void **state) {
    (void)state;
    test_memory memory = { 0 };
    for (int mode = 0; mode < 2; ++mode) {
        rill_world_def def = cave_def(mode ? RILL_PASSAGES_STRAIGHT : RILL_PASSAGES_ANY);
        def.runtime.allocator = test_allocator(&memory);
        rill_world *world = cave(&def);
        step(world, 5e-3); /* once what is flooded has its memory */
        long before = memory.count;
        for (int k = 0; k < 4; ++k) step(world, 5e-3);
        assert_true(memory.count == before);
        rill_world_destroy(world);
    }
    assert_true(memory.live == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit_test_alone(random_worlds_stay_sound),      cmocka_unit_test(same_bits_however_run),
        unit_test_alone(snapshots_resume_flooded_flow), unit_test_alone(snapshots_resume_random_worlds),
        unit_test_alone(passages_switch_live),          unit_test_alone(steps_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
