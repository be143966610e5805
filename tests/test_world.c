/* Worlds through the public API: defaults, ids, fills, settings, the ledger. What is refused is in test_arguments.c. */
#include "worlds.h"

#include <math.h>

/* ---------------------------------------------------------------------------------------------------- definitions */

static void test_defaults(void **state) {
    (void)state;
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", RILL_VERSION_MAJOR, RILL_VERSION_MINOR, RILL_VERSION_PATCH);
    assert_string_equal(rill_version(), version);
    assert_string_equal(rill_result_name(RILL_OK), "ok");
    assert_string_equal(rill_result_name(RILL_TOO_LARGE), "too large");
    assert_string_equal(rill_result_name((rill_result)99), "unknown result");
    const rill_world_def def = rill_default_world_def();
    assert_true(def.solver.advection && def.solver.rest && def.solver.skip_idle);
    assert_true(def.gravity[2] == -9.81 && def.headroom == 0.05 && def.liquid.density == 998.0);
    rill_world *world = NULL;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    assert_string_equal(rill_world_name(world), "");
    assert_string_equal(rill_world_message(world), "");
    must_be_valid(world);
    rill_world_destroy(world);
    rill_world_destroy(NULL);
}

static void test_presets(void **state) {
    (void)state;
    static const char *const names[] = { "water", "blood", "coffee",      "milk",     "paint", "olive oil", "glycerol",
                                         "honey", "wine",  "apple juice", "milk tea", "ink",   "saline" };
    assert_int_equal(rill_liquid_preset_count(), 13);
    for (int32_t i = 0; i < 13; ++i) {
        rill_liquid liquid;
        assert_string_equal(rill_liquid_preset_name(i), names[i]);
        assert_true(rill_liquid_preset(names[i], &liquid));
        rill_world_def def = rill_default_world_def();
        def.liquid = liquid; /* every preset is a legal liquid */
        rill_world *world = NULL;
        assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
        rill_world_destroy(world);
    }
    assert_null(rill_liquid_preset_name(-1));
    assert_null(rill_liquid_preset_name(13));
    rill_liquid untouched = { .density = 1.0 };
    assert_false(rill_liquid_preset("mercury", &untouched));
    assert_false(rill_liquid_preset(NULL, &untouched));
    assert_false(rill_liquid_preset("water", NULL));
    assert_true(untouched.density == 1.0);
}

/* ------------------------------------------------------------------------------------------------------------- ids */

static void test_solid_ids(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = NULL;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    must(world, add_house_solids(world));
    const rill_solid_id platform = rill_solid_find(world, "platform");
    assert_string_equal(rill_solid_name(world, platform), "platform");
    const rill_solid_def twin = box_def("platform", 0.0, 0.0, 0.0, 1.0, 1.0, 1.0);
    rill_solid_id id = { 0 };
    must_refuse(world, rill_solid_create(world, &twin, &id), RILL_INVALID_ARGUMENT, "\"platform\"");

    must(world, rill_solid_destroy(world, platform));
    must_refuse(world, rill_solid_destroy(world, platform), RILL_INVALID_ID, "stale");
    assert_null(rill_solid_name(world, platform));
    assert_int_equal(rill_solid_find(world, "platform").value, 0);
    must(world, rill_solid_create(world, &twin, &id)); /* the name is free again, the slot is used again */
    assert_int_equal(id.value & 0xffff, platform.value & 0xffff);
    assert_int_not_equal(id.value, platform.value);
    must_refuse(world, rill_solid_destroy(world, platform), RILL_INVALID_ID, "stale");
    must_refuse(world, rill_solid_destroy(world, (rill_solid_id){ 0 }), RILL_INVALID_ID, "null");
    must_refuse(world, rill_solid_destroy(world, (rill_solid_id){ id.value | 0xffff }), RILL_INVALID_ID,
                "of nothing here");
    const rill_solid_def nameless = box_def(NULL, 0.0, 0.0, -0.01, 1.0, 1.0, 0.0);
    must(world, rill_solid_create(world, &nameless, &id));
    assert_string_equal(rill_solid_name(world, id), "");
    must(world, rill_solid_create(world, &nameless, &id));
    must_be_valid(world);

    must(world, rill_bed_build(world));
    /* Of a solid that still stands in the bed the slot is not used again until the bed has followed. */
    const rill_solid_id standing = id;
    must(world, rill_solid_destroy(world, standing));
    must(world, rill_solid_create(world, &nameless, &id));
    assert_int_not_equal(id.value & 0xffff, standing.value & 0xffff);
    must_be_valid(world);
    must(world, rill_bed_build(world));
    must(world, rill_solid_create(world, &nameless, &id));
    assert_int_equal(id.value & 0xffff, standing.value & 0xffff);
    must_refuse(world, rill_solid_destroy(world, standing), RILL_INVALID_ID, "stale");
    must_be_valid(world);
    rill_world_destroy(world);
}

/* A slot is given up before its generation comes round again. */
static void test_worn_out_slot(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = NULL;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    const rill_solid_def solid = box_def(NULL, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0);
    rill_solid_id first, id = { 0 };
    must(world, rill_solid_create(world, &solid, &first));
    must(world, rill_solid_destroy(world, first));
    for (int i = 0; i < 65534; ++i) {
        must(world, rill_solid_create(world, &solid, &id));
        must(world, rill_solid_destroy(world, id));
    }
    assert_int_equal(id.value & 0xffffffffu, 0xffff0000u);
    must(world, rill_solid_create(world, &solid, &id));
    assert_int_equal(id.value & 0xffffffffu, 0x00010001u);
    must_be_valid(world);
    rill_world_destroy(world);
}

/* ----------------------------------------------------------------------------------------------------------- fills */

static void test_fill_level(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    rill_fill_report report;
    rill_account account;
    /* West of the wall: 17 columns in x, under the platform too. */
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.002, &report));
    assert_int_equal(report.columns, 170);
    assert_int_equal(report.columns_cut, 0);
    assert_true(fabs(report.volume - 170 * 1e-6 * 0.002) < 1e-13);
    must(world, rill_world_get_account(world, 0, &account));
    assert_string_equal(account.name, "fill");
    const int64_t depth = account.poured / 170;
    assert_int_equal(account.poured % 170, 0);
    assert_int_equal(account.drained, 0);
    /* East of it: two. Over it, at 3.5 mm, both sides and the wall: cells 0 to 19. */
    must(world, rill_world_fill_level(world, (double[]){ 0.019, 0.001, 0.0 }, 0.001, &report));
    assert_int_equal(report.columns, 20);
    must(world, rill_world_fill_level(world, (double[]){ 0.019, 0.001, 0.0 }, 0.0035, &report));
    assert_int_equal(report.columns, 200);
    /* To 4.5 mm: full under the platform, and not on top of it. */
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.0045, &report));
    assert_int_equal(report.columns, 200);
    assert_int_equal(report.columns_cut, 100);
    /* To 6 mm from above the platform: over its brink, down and everywhere, full underneath. */
    must(world, rill_world_fill_level(world, (double[]){ 0.010, 0.005, 0.006 }, 0.006, &report));
    assert_int_equal(report.columns, 300);
    assert_int_equal(report.columns_cut, 100);
    /* Far above the range: everything full, and said so. */
    must(world, rill_world_fill_level(world, (double[]){ 0.010, 0.005, 0.006 }, 1000.0, &report));
    assert_int_equal(report.columns, 300);
    assert_int_equal(report.columns_cut, 300);
    assert_int_equal(ledger_error(world), 0);
    /* Down again: the account shows what was removed, the platform keeps its liquid as nothing joins it at 2 mm. */
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.002, &report));
    assert_int_equal(report.columns, 170);
    must(world, rill_world_get_account(world, 0, &account));
    assert_true(account.drained > 170 * depth);
    assert_int_equal(ledger_error(world), 0);
    must_be_valid(world);
    rill_world_destroy(world);
}

/* A fill on the platform alone stays there while its level is below nothing that joins. */
static void test_fill_layers(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    double depths[200], read[200];
    for (int i = 0; i < 200; ++i) depths[i] = i % 20 == 7 ? (double)NAN : 1e-4 * (i % 20);
    rill_fill_report report;
    must(world, rill_world_fill_depths(world, 1, depths, 200, &report));
    assert_int_equal(report.columns, 90);
    must(world, rill_world_read_field(world, RILL_FIELD_DEPTH, 1, read, 200));
    for (int i = 0; i < 200; ++i) {
        const int x = i % 20;
        if (x < 5 || x > 14)
            assert_true(isnan(read[i]));
        else
            assert_true(fabs(read[i] - (x == 7 ? 0.0 : 1e-4 * x)) < 1e-9);
    }
    must(world, rill_world_read_field(world, RILL_FIELD_DEPTH, 0, read, 200));
    for (int i = 0; i < 200; ++i) assert_true(read[i] == 0.0);
    /* More than fits is cut, under a ceiling and at the top. */
    for (int i = 0; i < 200; ++i) depths[i] = 1e6;
    must(world, rill_world_fill_depths(world, 0, depths, 200, &report));
    assert_int_equal(report.columns, 200);
    assert_int_equal(report.columns_cut, 200);
    must(world, rill_world_read_field(world, RILL_FIELD_DEPTH, 0, read, 200));
    assert_true(fabs(read[10] - 0.004) < 1e-9);
    assert_int_equal(ledger_error(world), 0);
    must_be_valid(world);
    rill_world_destroy(world);
}

static void test_velocities(void **state) {
    (void)state;
    rill_world_def def = house_def();
    def.edges[RILL_EAST].kind = RILL_EDGE_OPEN;
    rill_world *world = make_house(&def);
    double in[400], faces[400], means[400];
    for (int i = 0; i < 400; ++i) in[i] = i % 2 ? -0.5 : 0.25;
    in[2 * 3] = (double)NAN;
    must(world, rill_world_set_velocities(world, 0, in, 400));
    must(world, rill_world_read_field(world, RILL_FIELD_FACES, 0, faces, 400));
    must(world, rill_world_read_field(world, RILL_FIELD_VELOCITY, 0, means, 400));
    for (int i = 0; i < 200; ++i) {
        const int x = i % 20, y = i / 20;
        assert_true(faces[2 * i] == (x == 0 || i == 3 ? 0.0 : 0.25)); /* the west edge is a wall */
        assert_true(faces[2 * i + 1] == (y == 0 ? 0.0 : -0.5));
        const double west = faces[2 * i], east = x == 19 ? 0.0 : faces[2 * i + 2];
        assert_true(means[2 * i] == 0.5 * (west + east));
    }
    /* The platform's brink is joined by sparse pipes: west of it lies the ground. */
    must(world, rill_world_set_velocities(world, 1, in, 400));
    must(world, rill_world_read_field(world, RILL_FIELD_FACES, 1, faces, 400));
    for (int x = 5; x < 15; ++x) assert_true(faces[2 * x] == 0.25);
    must_be_valid(world);
    /* Liquid put in by level is at rest. */
    must(world, rill_world_fill_level(world, (double[]){ 0.010, 0.005, 0.006 }, 0.006, NULL));
    for (int32_t layer = 0; layer < 2; ++layer) {
        must(world, rill_world_read_field(world, RILL_FIELD_VELOCITY, layer, means, 400));
        for (int i = 0; i < 400; ++i) assert_true(isnan(means[i]) || means[i] == 0.0);
    }
    rill_world_destroy(world);
}

/* -------------------------------------------------------------------------------------------------------- settings */

static void test_settings(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    assert_string_equal(rill_world_name(world), "house");
    const uint64_t before = rill_world_hash(world);
    double gravity[3];
    rill_liquid liquid;
    rill_solver solver;
    rill_grid grid;
    must(world, rill_world_get_gravity(world, gravity));
    must(world, rill_world_set_gravity(world, gravity)); /* the same again changes nothing */
    must(world, rill_world_get_liquid(world, &liquid));
    must(world, rill_world_set_liquid(world, &liquid));
    must(world, rill_world_get_solver(world, &solver));
    must(world, rill_world_set_solver(world, &solver));
    assert_true(rill_world_hash(world) == before);
    must(world, rill_world_get_grid(world, &grid));
    assert_int_equal(grid.cells[0], 20);
    must(world, rill_world_set_gravity(world, (double[]){ 1.0, 0.0, -9.0 }));
    must(world, rill_world_get_gravity(world, gravity));
    assert_true(gravity[0] == 1.0 && gravity[2] == -9.0);
    assert_true(rill_world_hash(world) != before);
    assert_true(rill_liquid_preset("honey", &liquid));
    must(world, rill_world_set_liquid(world, &liquid));
    must(world, rill_world_get_liquid(world, &liquid));
    assert_true(liquid.viscosity == 7e-3);
    solver.friction = 0.5;
    must(world, rill_world_set_solver(world, &solver));
    must(world, rill_world_get_solver(world, &solver));
    assert_true(solver.friction == 0.5);
    rill_world_destroy(world);
}

static void count_note(rill_log_level level, const char *text, void *user) {
    int *notes = user;
    if (level == RILL_LOG_NOTE && strstr(text, "cut to full")) *notes += 1;
}

static void test_log(void **state) {
    (void)state;
    int notes = 0;
    rill_world_def def = house_def();
    def.runtime.log = count_note;
    def.runtime.log_user = &notes;
    rill_world *world = make_house(&def);
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.002, NULL));
    assert_int_equal(notes, 0);
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.0045, NULL));
    assert_int_equal(notes, 1);
    rill_world_destroy(world);
}

static void test_accounts(void **state) {
    (void)state;
    rill_world *world = make_busy_house(NULL);
    static const char *const names[] = { "fill", "west", "east", "south", "north", "well", "", "drain", "rain" };
    assert_int_equal(rill_world_account_count(world), 9);
    for (int i = 0; i < 200; ++i) {
        assert_int_equal(rill_world_step(world, 0.005), RILL_OK);
        assert_int_equal(ledger_error(world), 0);
    }
    rill_account accounts[9];
    for (int32_t i = 0; i < 9; ++i) {
        must(world, rill_world_get_account(world, i, &accounts[i]));
        assert_string_equal(accounts[i].name, names[i]);
    }
    assert_true(accounts[0].poured > 0 && accounts[5].poured > 0 && accounts[7].drained > 0 && accounts[8].poured > 0);
    assert_true(accounts[2].drained > 0); /* over the open edge */
    assert_true(accounts[4].poured + accounts[4].drained > 0);
    assert_int_equal(accounts[1].poured + accounts[1].drained + accounts[3].poured + accounts[3].drained, 0);
    assert_true(accounts[6].poured > 0); /* of one that was destroyed, and of the next of its name */
    must_be_valid(world);
    rill_world_destroy(world);
}
/* Shorter than single precision can tell: still a step, of 1e-12 s, in which lintels and what moves stay finite. */
static void test_shortest_steps(void **state) {
    (void)state;
    for (int passages = RILL_PASSAGES_ANY; passages <= RILL_PASSAGES_OFF; ++passages) {
        rill_world_def def = house_def();
        def.solver.passages = (rill_passages)passages;
        rill_world *world = make_house(&def);
        const rill_solid_id wall = rill_solid_find(world, "wall");
        must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.0047, NULL));
        must(world, rill_world_set_gravity(world, (double[]){ 3.0, 0.0, -9.81 }));
        double from[3], turned[3], faces[400];
        must(world, rill_solid_get_pose(world, wall, from, turned));
        for (int i = 1; i <= 4; ++i) {
            assert_int_equal(rill_world_step(world, i % 2 ? 1e-320 : 0.001), RILL_OK);
            assert_true(rill_world_time(world) >= 1e-12);
            must(world, rill_solid_set_pose(world, wall, (double[]){ from[0] - 0.001 * i, from[1], from[2] }, turned));
        }
        assert_int_equal(rill_world_step(world, 1e-320), RILL_OK);
        must_be_valid(world);
        assert_int_equal(ledger_error(world), 0);
        must(world, rill_world_read_field(world, RILL_FIELD_FACES, 0, faces, 400));
        for (int i = 0; i < 400; ++i) assert_true(!(fabs(faces[i]) > 1e12));
        rill_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),      cmocka_unit_test(test_presets),        cmocka_unit_test(test_solid_ids),
        cmocka_unit_test(test_worn_out_slot), cmocka_unit_test(test_fill_level),     cmocka_unit_test(test_fill_layers),
        cmocka_unit_test(test_velocities),    cmocka_unit_test(test_settings),       cmocka_unit_test(test_log),
        cmocka_unit_test(test_accounts),      cmocka_unit_test(test_shortest_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
