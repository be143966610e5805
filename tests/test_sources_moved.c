/* Sources that are moved, read, listed and renamed: the same as sources made there, no allocation and no new account
 * once warm. */
#include "snapshots.h"

static rill_source_def get(const rill_world *world, rill_source_id id) {
    rill_source_def def;
    assert_int_equal(rill_source_get_def(world, id, &def), RILL_OK);
    return def;
}

static rill_source_def disc(const char *name, double x, double y) {
    rill_source_def def = point_source(name, x, y, 0.001, 2e-6);
    def.shape = RILL_SOURCE_DISC;
    def.radius = 0.0016;
    return def;
}

static rill_account account(const rill_world *world, const char *name) {
    for (int32_t i = 0; i < rill_world_account_count(world); ++i) {
        rill_account found;
        assert_int_equal(rill_world_get_account(world, i, &found), RILL_OK);
        if (strcmp(found.name, name) == 0) return found;
    }
    fail_msg("no account \"%s\"", name);
    return (rill_account){ 0 };
}

static void test_reads_what_was_given(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    rill_source_def box = point_source("trough", 0.0, 0.0, 0.0, 1e-7);
    box.shape = RILL_SOURCE_BOX;
    box.sink = true;
    memcpy(box.max, (double[]){ 0.004, 0.004, 0.001 }, sizeof box.max);
    box.from = 0.25;
    box.until = 0.5;
    rill_source_id id, nameless;
    must(world, rill_source_create(world, &box, &id));
    must(world, rill_source_create(world, &(rill_source_def){ .rate = 1.0, .at = { 0.001, 0.001, 0.0 } }, &nameless));
    const rill_source_def found = get(world, id);
    assert_string_equal(found.name, "trough");
    assert_int_equal(found.shape, RILL_SOURCE_BOX);
    assert_true(found.sink);
    assert_memory_equal(found.max, box.max, sizeof box.max);
    assert_true(found.rate == box.rate && found.from == box.from && found.until == box.until);
    assert_string_equal(get(world, nameless).name, "");
    assert_string_equal(rill_source_name(world, id), "trough");
    assert_string_equal(rill_source_name(world, nameless), "");
    must(world, rill_source_set_rate(world, id, 3e-7));
    assert_true(get(world, id).rate == 3e-7);
    must(world, rill_source_destroy(world, id));
    assert_null(rill_source_name(world, id));
    rill_source_def none = { .rate = 7.0 };
    must_refuse(world, rill_source_get_def(world, id, &none), RILL_INVALID_ID, "stale");
    assert_true(none.rate == 7.0);
    must_refuse(world, rill_source_get_def(world, nameless, NULL), RILL_INVALID_ARGUMENT, "NULL");
    rill_world_destroy(world);
}

static void test_lists(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    assert_int_equal(rill_world_source_count(NULL), 0);
    assert_int_equal(rill_world_source_count(world), 0);
    assert_int_equal(rill_world_source_at(world, 0).value, 0);
    const char *const names[] = { "a", "b", "c" };
    rill_source_id ids[3];
    for (int i = 0; i < 3; ++i) {
        const rill_source_def source = disc(names[i], 0.003, 0.003);
        must(world, rill_source_create(world, &source, &ids[i]));
    }
    assert_int_equal(rill_world_source_count(world), 3);
    for (int i = 0; i < 3; ++i) assert_true(rill_world_source_at(world, i).value == ids[i].value);
    assert_int_equal(rill_world_source_at(world, 3).value, 0);
    assert_int_equal(rill_world_source_at(world, -1).value, 0);
    must(world, rill_source_destroy(world, ids[1]));
    assert_int_equal(rill_world_source_count(world), 2);
    assert_string_equal(rill_source_name(world, rill_world_source_at(world, 1)), "c");
    rill_world_destroy(world);
}

/* A source of every shape that is moved to another and back is, bit by bit, one that was made there. */
static void test_same_as_made_there(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_source_def shapes[4] = { point_source("s", 0.003, 0.003, 0.0, 2e-6), disc("s", 0.010, 0.005),
                                  point_source("s", 0.0, 0.0, 0.0, 2e-6), point_source("s", 0.0, 0.0, 0.0, 0.0) };
    shapes[2].shape = RILL_SOURCE_BOX;
    memcpy(shapes[2].min, (double[]){ 0.006, 0.002, 0.0 }, sizeof shapes[2].min);
    memcpy(shapes[2].max, (double[]){ 0.012, 0.004, 0.006 }, sizeof shapes[2].max);
    shapes[3].shape = RILL_SOURCE_RAIN;
    shapes[3].rain = 60.0;
    for (int from = 0; from < 4; ++from) {
        for (int to = 0; to < 4; ++to) {
            rill_world *made = make_house(&def), *moved = make_house(&def);
            rill_source_id id;
            must(made, rill_source_create(made, &shapes[to], &id));
            must(moved, rill_source_create(moved, &shapes[from], &id));
            must(moved, rill_source_set_def(moved, id, &shapes[to]));
            must_be_valid(moved);
            assert_true(rill_world_hash(moved) == rill_world_hash(made));
            run(made, 10, 0.01);
            run(moved, 10, 0.01);
            assert_true(rill_world_hash(moved) == rill_world_hash(made));
            assert_int_equal(ledger_error(moved), 0);
            rill_world_destroy(made);
            rill_world_destroy(moved);
        }
    }
}

/* The part of a quantum that is owed is owed at the next place: nothing is lost by moving in every step. */
static void test_keeps_fraction(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    rill_ledger ledger;
    must(world, rill_world_get_ledger(world, &ledger));
    rill_source_def source = point_source("s", 0.0005, 0.0015, 0.0, 2.7 * ledger.quantum_volume);
    rill_source_id id;
    must(world, rill_source_create(world, &source, &id));
    for (int i = 0; i < 40; ++i) {
        source.at[0] = 0.0005 + 0.001 * (i % 4);
        must(world, rill_source_set_def(world, id, &source));
        run(world, 1, 0.25);
    }
    must(world, rill_world_get_ledger(world, &ledger));
    assert_in_range(ledger.poured, 26, 27);
    rill_world_destroy(world);
}

static void test_moving_allocates_nothing(void **state) {
    (void)state;
    test_memory memory = { 0 };
    rill_world_def def = house_def();
    def.runtime.allocator = test_allocator(&memory);
    rill_world *world = make_house(&def);
    rill_source_def small = disc("small", 0.003, 0.003), large = disc("large", 0.010, 0.005);
    large.radius = 0.004;
    rill_source_id ids[2];
    must(world, rill_source_create(world, &small, &ids[0]));
    must(world, rill_source_create(world, &large, &ids[1]));
    const int32_t accounts = rill_world_account_count(world);
    long warm = 0;
    for (int lap = 0; lap < 3; ++lap) {
        for (int i = 0; i < 30; ++i) {
            small.at[0] = 0.0005 * (i + 1);
            large.at[0] = 0.019 - small.at[0];
            large.at[2] = i % 2 ? 0.006 : 0.001;
            must(world, rill_source_set_def(world, ids[0], &small));
            must(world, rill_source_set_def(world, ids[1], &large));
            run(world, 1, 0.01);
            must_be_valid(world);
        }
        if (lap == 0) warm = memory.count;
    }
    assert_int_equal(memory.count, warm);
    assert_int_equal(rill_world_account_count(world), accounts);
    assert_int_equal(ledger_error(world), 0);
    rill_world_destroy(world);
    assert_int_equal(memory.live, 0);
}

static void test_renaming(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    rill_source_def source = disc("tap", 0.003, 0.003);
    rill_source_id id, other;
    must(world, rill_source_create(world, &source, &id));
    source.name = "other";
    must(world, rill_source_create(world, &source, &other));
    run(world, 5, 0.01);
    const int64_t tap = account(world, "tap").poured;
    assert_true(tap > 0);

    rill_source_def def_of = get(world, id);
    def_of.name = "other";
    must_refuse(world, rill_source_set_def(world, id, &def_of), RILL_INVALID_ARGUMENT, "another source has already");
    assert_string_equal(rill_source_name(world, id), "tap");
    def_of.name = "hose";
    must(world, rill_source_set_def(world, id, &def_of));
    assert_int_equal(rill_source_find(world, "tap").value, 0);
    assert_true(rill_source_find(world, "hose").value == id.value);
    run(world, 5, 0.01);
    assert_int_equal(account(world, "tap").poured, tap);
    const int64_t hose = account(world, "hose").poured;
    assert_true(hose > 0);
    must_be_valid(world);

    /* To and fro, it goes on in the accounts there are. */
    const int32_t accounts = rill_world_account_count(world);
    for (int i = 0; i < 6; ++i) {
        def_of = get(world, id);
        def_of.name = i % 2 ? "hose" : "tap";
        must(world, rill_source_set_def(world, id, &def_of));
        run(world, 1, 0.01);
    }
    assert_int_equal(rill_world_account_count(world), accounts);
    assert_true(account(world, "tap").poured > tap && account(world, "hose").poured > hose);

    def_of.name = NULL; /* keeps it */
    must(world, rill_source_set_def(world, id, &def_of));
    assert_string_equal(rill_source_name(world, id), "hose");
    def_of.name = "";
    must(world, rill_source_set_def(world, id, &def_of));
    assert_string_equal(rill_source_name(world, id), "");
    run(world, 1, 0.01);
    must_be_valid(world);
    assert_int_equal(ledger_error(world), 0);
    rill_world_destroy(world);
}

static void test_refused_changes(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    const rill_source_def source = disc("s", 0.003, 0.003);
    rill_source_id id;
    must(world, rill_source_create(world, &source, &id));
    const uint64_t before = rill_world_hash(world);
    rill_source_def bad = source;
    bad.at[0] = 7.0;
    must_refuse(world, rill_source_set_def(world, id, &bad), RILL_INVALID_ARGUMENT, "no column at");
    bad = source;
    bad.rate = -1.0;
    must_refuse(world, rill_source_set_def(world, id, &bad), RILL_INVALID_ARGUMENT, "rate");
    must_refuse(world, rill_source_set_def(world, id, NULL), RILL_INVALID_ARGUMENT, "NULL");
    must_refuse(world, rill_source_set_def(world, (rill_source_id){ 0 }, &source), RILL_INVALID_ID, "null");
    assert_int_equal(rill_source_set_def(NULL, id, &source), RILL_INVALID_ARGUMENT);
    assert_true(rill_world_hash(world) == before);
    must_be_valid(world);
    rill_world_destroy(world);
}

/* One that a solid has buried keeps waiting where it is while its rate changes, and may be moved away. */
static void test_buried(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    rill_source_def source = point_source("s", 0.0025, 0.0025, 0.0, 1e-6);
    rill_source_id id;
    must(world, rill_source_create(world, &source, &id));
    const rill_solid_def block = box_def("block", 0.0, 0.0, -0.001, 0.004, 0.004, 1.0);
    rill_solid_id solid;
    must(world, rill_solid_create(world, &block, &solid));
    must(world, rill_bed_build(world));
    source.rate = 2e-6;
    must(world, rill_source_set_def(world, id, &source));
    source.at[0] = 0.012;
    must(world, rill_source_set_def(world, id, &source));
    run(world, 3, 0.01);
    assert_true(account(world, "s").poured > 0);
    must_be_valid(world);
    rill_world_destroy(world);
}

static void test_resumes(void **state) {
    (void)state;
    rill_world *world = make_busy_house(NULL);
    rill_source_def well = get(world, rill_source_find(world, "well"));
    well.at[0] = 0.002;
    well.name = "spring";
    must(world, rill_source_set_def(world, rill_source_find(world, "well"), &well));
    run(world, 3, 0.01);
    const saved s = save(world);
    rill_world *again = load(s, NULL);
    well.at[0] = 0.012;
    rill_world *const both[2] = { world, again };
    for (int i = 0; i < 2; ++i) {
        must(both[i], rill_source_set_def(both[i], rill_source_find(both[i], "spring"), &well));
        run(both[i], 3, 0.01);
    }
    assert_true(rill_world_hash(world) == rill_world_hash(again));
    rill_world_destroy(world);
    rill_world_destroy(again);
    free(s.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_what_was_given),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_same_as_made_there),
        cmocka_unit_test(test_keeps_fraction),
        cmocka_unit_test(test_moving_allocates_nothing),
        cmocka_unit_test(test_renaming),
        cmocka_unit_test(test_refused_changes),
        cmocka_unit_test(test_buried),
        cmocka_unit_test(test_resumes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
