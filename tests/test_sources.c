/* Sources and sinks, run one by one on a real world's flow: exact amounts, windows, columns, refusals. Looks inside. */
#include "worlds.h"

#include <math.h>

#include "flow/column.h"
#include "world/world.h"

static rill_source *source_named(rill_world *world, const char *name) {
    const rill_source_id id = rill_source_find(world, name);
    assert_int_not_equal(id.value, 0);
    return (rill_source *)world->sources.data + (id.value & 0xffff);
}

/* Creates a source and returns it; a world of its own each, so that the pointer stays. */
static rill_source *add(rill_world *world, const rill_source_def *def) {
    rill_source_id id;
    must(world, rill_source_create(world, def, &id));
    return source_named(world, def->name);
}

/* Runs and books, as a step does. */
static int64_t run(rill_world *world, rill_source *source, double time, double dt, rill_status *status) {
    const int64_t moved = rill_source_run(source, &world->flow, NULL, time, dt, status);
    rill_book_change(world, source->book, source->def.sink ? -moved : moved);
    assert_int_equal(ledger_error(world), 0);
    return moved;
}

static double quantum_volume(const rill_world *world) {
    return world->bed.quantum * world->bed.grid.cell_size * world->bed.grid.cell_size;
}

static void test_amounts(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    const double q = quantum_volume(world);
    rill_source_def well = point_source("well", 0.001, 0.001, 0.0, 10.3 * q); /* 10.3 quanta a second */
    rill_source *source = add(world, &well);
    assert_int_equal(source->place_count, 1);
    rill_status status = 0;
    int64_t sum = 0;
    for (int i = 0; i < 100; ++i) sum += run(world, source, i * 0.25, 0.25, &status);
    assert_int_equal(sum, 257); /* 257.5 */
    sum += run(world, source, 25.0, 75.0, &status);
    assert_in_range(sum, 1029, 1030);
    assert_int_equal(status, 0);
    assert_int_equal(world->flow.H[source->places[0]], sum);
    assert_true(world->flow.tiles[rill_bed_tile_of(&world->bed, source->places[0])] & RILL_TILE_AWAKE);
    must(world, rill_source_set_rate(world, rill_source_find(world, "well"), 0.0));
    assert_int_equal(run(world, source, 100.0, 1.0, &status), 0);
    must_be_valid(world);
    rill_world_destroy(world);
}

static void test_window(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    rill_source_def well = point_source("well", 0.001, 0.001, 0.0, 1000.0 * quantum_volume(world));
    well.from = 1.0;
    well.until = 2.5;
    rill_source *source = add(world, &well);
    rill_status status = 0;
    assert_int_equal(run(world, source, 0.0, 1.0, &status), 0);     /* before */
    assert_int_equal(run(world, source, 0.5, 1.0, &status), 500);   /* half */
    assert_int_equal(run(world, source, 1.5, 0.5, &status), 500);   /* inside */
    assert_int_equal(run(world, source, 2.0, 1.0, &status), 500);   /* the end */
    assert_int_equal(run(world, source, 2.5, 1.0, &status), 0);     /* after */
    assert_int_equal(run(world, source, 0.0, 10.0, &status), 1500); /* all of it in one */
    rill_world_destroy(world);
}

/* Odd quanta go round: after n of them each column has one. */
static void test_even_deal(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    const double q = quantum_volume(world);
    rill_source_def disc = point_source("disc", 0.003, 0.003, 0.001, 5.0 * q);
    disc.shape = RILL_SOURCE_DISC;
    disc.radius = 0.0016;
    rill_source *source = add(world, &disc);
    assert_int_equal(source->place_count, 12); /* centres at half cells: 4 x 4 without the corners */
    rill_status status = 0;
    for (int i = 0; i < 12; ++i) {
        assert_int_equal(run(world, source, i, 1.0, &status), 5);
        int32_t least = INT32_MAX, most = 0;
        for (size_t k = 0; k < 12; ++k) {
            const int32_t depth = world->flow.H[source->places[k]];
            least = depth < least ? depth : least;
            most = depth > most ? depth : most;
        }
        assert_true(most - least <= 1);
    }
    for (size_t k = 0; k < 12; ++k) assert_int_equal(world->flow.H[source->places[k]], 5);
    must(world, rill_source_set_rate(world, rill_source_find(world, "disc"), 31.0 * q));
    assert_int_equal(run(world, source, 20.0, 1.0, &status), 31);
    assert_int_equal(run(world, source, 21.0, 1.0, &status), 31);
    for (size_t k = 0; k < 12; ++k) assert_in_range(world->flow.H[source->places[k]], 10, 11);
    rill_world_destroy(world);
}

static size_t count_columns(const rill_source_def *source) {
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    const rill_source *made = add(world, source);
    const size_t count = made->place_count;
    for (size_t i = 1; i < count; ++i) assert_true(made->places[i - 1] < made->places[i]);
    must_be_valid(world);
    rill_world_destroy(world);
    return count;
}

static void test_columns(void **state) {
    (void)state;
    rill_source_def source = point_source("s", 0.0032, 0.0031, 0.001, 1.0);
    source.shape = RILL_SOURCE_DISC;
    source.radius = 1e-5;
    assert_int_equal(count_columns(&source), 1); /* smaller than a cell */
    source.radius = 10.0;
    assert_int_equal(count_columns(&source), 190); /* at 1 mm: not on the platform, not inside the wall */
    source.at[2] = 0.02;
    assert_int_equal(count_columns(&source), 200);
    source.shape = RILL_SOURCE_RAIN;
    source.rate = 0.0;
    assert_int_equal(count_columns(&source), 200);
    source.shape = RILL_SOURCE_BOX;
    memcpy(source.min, (double[]){ 0.004, 0.0, 0.001 }, sizeof source.min);
    memcpy(source.max, (double[]){ 0.007, 0.002, 0.002 }, sizeof source.max);
    assert_int_equal(count_columns(&source), 6); /* below the platform only */
    source.max[2] = 0.0055;
    assert_int_equal(count_columns(&source), 10); /* and two cells of its top, twice */
}

static void test_refused_definitions(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    const uint64_t before = rill_world_hash(world);
    rill_source_id id = { 7 };
    const rill_source_def good = point_source("well", 0.001, 0.001, 0.0, 1.0);
    rill_source_def bad = good;
    bad.at[0] = 9.0;
    must_refuse(world, rill_source_create(world, &bad, &id), RILL_INVALID_ARGUMENT, "no column at (9,");
    bad = good;
    bad.at[2] = (double)NAN;
    must_refuse(world, rill_source_create(world, &bad, &id), RILL_INVALID_ARGUMENT, "source.at[2] is nan");
    bad = good;
    bad.shape = (rill_source_shape)4;
    must_refuse(world, rill_source_create(world, &bad, &id), RILL_INVALID_ARGUMENT, "source.shape is 4");
    bad = good;
    bad.rate = -1.0;
    must_refuse(world, rill_source_create(world, &bad, &id), RILL_INVALID_ARGUMENT, "source.rate is -1");
    bad = good;
    bad.rate = (double)INFINITY;
    must_refuse(world, rill_source_create(world, &bad, &id), RILL_INVALID_ARGUMENT, "source.rate is inf");
    bad = good;
    bad.from = 2.0;
    bad.until = 1.0;
    must_refuse(world, rill_source_create(world, &bad, &id), RILL_INVALID_ARGUMENT, "source.until is 1");
    bad.until = (double)NAN;
    must_refuse(world, rill_source_create(world, &bad, &id), RILL_INVALID_ARGUMENT, "source.until is nan");
    bad = good;
    bad.shape = RILL_SOURCE_DISC;
    must_refuse(world, rill_source_create(world, &bad, &id), RILL_INVALID_ARGUMENT, "source.radius is 0");
    bad.shape = RILL_SOURCE_BOX;
    bad.min[1] = 1.0;
    must_refuse(world, rill_source_create(world, &bad, &id), RILL_INVALID_ARGUMENT, "source.min[1] is 1");
    bad.max[1] = 2.0;
    must_refuse(world, rill_source_create(world, &bad, &id), RILL_INVALID_ARGUMENT, "no column in the box");
    assert_int_equal(id.value, 7);
    assert_true(rill_world_hash(world) == before);

    must(world, rill_source_create(world, &good, &id));
    rill_source_id twin;
    must_refuse(world, rill_source_create(world, &good, &twin), RILL_INVALID_ARGUMENT, "\"well\"");
    must_refuse(world, rill_source_set_rate(world, id, (double)NAN), RILL_INVALID_ARGUMENT, "source.rate is nan");
    must(world, rill_source_destroy(world, id));
    must_refuse(world, rill_source_destroy(world, id), RILL_INVALID_ID, "stale");
    must_refuse(world, rill_source_set_rate(world, id, 1.0), RILL_INVALID_ID, "stale");
    must_refuse(world, rill_source_destroy(world, (rill_source_id){ 0 }), RILL_INVALID_ID, "null");
    must_refuse(world, rill_source_destroy(world, (rill_source_id){ id.value + 5 }), RILL_INVALID_ID,
                "of nothing here");
    must(world, rill_source_create(world, &good, &twin));
    assert_int_equal(twin.value, id.value + 0x10000);
    assert_int_equal(rill_world_account_count(world), 6); /* goes on in the account of the first */
    must_be_valid(world);
    rill_world_destroy(world);
}

/* Created and destroyed a thousand times, also over a snapshot: one account per name, and every quantum in it. */
static void test_one_account_per_name(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    const rill_source_def named = point_source("hand", 0.002, 0.002, 0.0, 1e-7);
    rill_source_def nameless = point_source(NULL, 0.012, 0.002, 0.0, 1e-7);
    rill_source_id first, second, third;
    rill_account hand, other;
    rill_ledger ledger;
    for (int turn = 0; turn < 1000; ++turn) {
        must(world, rill_source_create(world, &named, &first));
        must(world, rill_source_create(world, &nameless, &second));
        must(world, rill_source_create(world, &nameless, &third)); /* two at a time: two accounts */
        rill_world_step(world, 0.001);
        if (turn == 500) { /* what is in use, and what is not, is known after loading, too */
            void *memory = malloc(rill_snapshot_size(world));
            size_t size;
            must(world, rill_snapshot_save(world, memory, rill_snapshot_size(world), &size));
            must(world, rill_snapshot_restore(world, memory, size));
            free(memory);
        }
        must(world, rill_source_destroy(world, first));
        must(world, rill_source_destroy(world, second));
        must(world, rill_source_destroy(world, third));
        must_be_valid(world);
    }
    assert_int_equal(rill_world_account_count(world), 8);
    must(world, rill_world_get_account(world, 5, &hand));
    must(world, rill_world_get_account(world, 6, &other));
    must(world, rill_world_get_ledger(world, &ledger));
    assert_string_equal(hand.name, "hand");
    assert_true(hand.poured == other.poured && hand.drained == 0);
    assert_true(hand.poured + 2 * other.poured == ledger.poured && ledger.error == 0);
    assert_true(fabs((double)hand.poured * ledger.quantum_volume - 1e-7) < 1000 * ledger.quantum_volume);
    must(world, rill_source_create(world, &named, &first)); /* while it lives, its account is not another's */
    nameless.name = "other hand";
    must(world, rill_source_create(world, &nameless, &second));
    assert_int_equal(rill_world_account_count(world), 9);
    rill_world_destroy(world);
}

/* Columns that are full pass their share on; what nobody takes is refused, not owed. */
static void test_no_room(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    const double q = quantum_volume(world);
    rill_source_def box = point_source("box", 0.0, 0.0, 0.0, 1.0);
    box.shape = RILL_SOURCE_BOX;
    memcpy(box.min, (double[]){ 0.006, 0.002, 0.001 }, sizeof box.min);
    memcpy(box.max, (double[]){ 0.009, 0.003, 0.002 }, sizeof box.max);
    rill_source *source = add(world, &box);
    assert_int_equal(source->place_count, 3);
    const int32_t *places = source->places;
    const int64_t room = world->bed.c[places[0]] - world->bed.b[places[0]];
    rill_status status = 0;
    /* Half full each, then one more filled up by hand: the next deal has to be shared by two. */
    must(world, rill_source_set_rate(world, rill_source_find(world, "box"), 1.5 * (double)room * q));
    assert_int_equal(run(world, source, 0.0, 1.0, &status), room * 3 / 2);
    rill_book_change(world, RILL_BOOK_FILL, room - world->flow.H[places[0]]);
    world->flow.H[places[0]] = (int32_t)room;
    must(world, rill_source_set_rate(world, rill_source_find(world, "box"), 0.9 * (double)room * q));
    const int64_t shared = run(world, source, 1.0, 1.0, &status);
    assert_in_range(shared, room * 9 / 10 - 1, room * 9 / 10 + 1);
    assert_int_equal(status, 0);
    assert_in_range(world->flow.H[places[1]] - world->flow.H[places[2]] + 1, 0, 2);
    /* More than there is room for. */
    const int64_t left = 2 * room - world->flow.H[places[1]] - world->flow.H[places[2]];
    assert_int_equal(run(world, source, 2.0, 1.0, &status), left);
    assert_int_equal(status, RILL_STATUS_SOURCE_REFUSED);
    status = 0;
    assert_int_equal(run(world, source, 3.0, 1.0, &status), 0);
    assert_int_equal(status, RILL_STATUS_SOURCE_REFUSED);
    /* An absurd rate over an absurd time overflows nothing. */
    source->def.sink = true;
    must(world, rill_source_set_rate(world, rill_source_find(world, "box"), 1e9));
    status = 0;
    assert_int_equal(run(world, source, 4.0, 3600.0, &status), 3 * room);
    assert_int_equal(status, RILL_STATUS_SINK_DRY);
    must_be_valid(world);
    rill_world_destroy(world);
}

static void test_sink(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    const double q = quantum_volume(world);
    rill_source_def drain = point_source("drain", 0.003, 0.003, 0.001, 100.0 * q);
    drain.shape = RILL_SOURCE_DISC;
    drain.radius = 0.0016;
    drain.sink = true;
    rill_source *source = add(world, &drain);
    rill_status status = 0;
    assert_int_equal(run(world, source, 0.0, 1.0, &status), 0);
    assert_int_equal(status, RILL_STATUS_SINK_DRY);
    /* 90 in one column, 5 in another: all 95 are found, however unevenly they lie. */
    world->flow.H[source->places[3]] = 90;
    world->flow.H[source->places[7]] = 5;
    rill_book_change(world, RILL_BOOK_FILL, 95);
    status = 0;
    assert_int_equal(run(world, source, 1.0, 0.5, &status), 50);
    assert_int_equal(status, 0);
    assert_int_equal(world->flow.H[source->places[3]] + world->flow.H[source->places[7]], 45);
    assert_int_equal(run(world, source, 2.0, 0.5, &status), 45);
    assert_int_equal(status, RILL_STATUS_SINK_DRY);
    rill_world_destroy(world);
}

/* 36 mm/h are 10 micrometres a second, in every cell, on the topmost column. */
static void test_rain(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    rill_source_def rain = point_source("rain", 0.0, 0.0, 0.0, 0.0);
    rain.shape = RILL_SOURCE_RAIN;
    rain.rain = 36.0;
    rill_source *source = add(world, &rain);
    rill_status status = 0;
    int64_t sum = 0;
    for (int i = 0; i < 50; ++i) sum += run(world, source, i * 0.02, 0.02, &status);
    const double depth = (double)sum / 200.0 * world->bed.quantum;
    assert_true(depth > 1e-5 * (1.0 - 1e-6) && depth < 1e-5 * (1.0 + 1e-6));
    rill_sample samples[2];
    must(world, rill_query_points(world, (double[]){ 0.0105, 0.005, 0.001, 0.0105, 0.005, 0.006 }, 2, samples));
    assert_true(samples[0].depth == 0.0 && samples[1].depth > 0.9e-5);
    must_be_valid(world);
    rill_world_destroy(world);
}

/* Long rows are served in blocks: the same amounts, whether or not a column in the block is full or dry. */
static void test_long_rows(void **state) {
    (void)state;
    rill_world_def def = house_def();
    def.grid.cells[0] = 200;
    def.grid.cells[1] = 3;
    rill_world *world = NULL;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    const rill_solid_def floor = box_def("floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
    rill_solid_id id;
    must(world, rill_solid_create(world, &floor, &id));
    must(world, rill_bed_build(world));
    rill_source_def rain = point_source("rain", 0.0, 0.0, 0.0, 0.0);
    rain.shape = RILL_SOURCE_RAIN;
    rill_source *source = add(world, &rain);
    assert_int_equal(source->place_count, 600);
    const int32_t full = world->bed.c[source->places[0]] - world->bed.b[source->places[0]];
    world->flow.H[source->places[70]] = full - 5;
    rill_book_change(world, RILL_BOOK_FILL, full - 5);
    /* 100.5 quanta each: 60300 in all, of which column 70 can take 5. */
    source->def.rain = 100.5 * world->bed.quantum * 3.6e6;
    rill_status status = 0;
    assert_in_range(run(world, source, 0.0, 1.0, &status), 60299, 60300);
    assert_int_equal(status, 0);
    assert_int_equal(world->flow.H[source->places[70]], full);
    for (size_t i = 0; i < 600; ++i)
        if (i != 70) assert_in_range(world->flow.H[source->places[i]], 100, 102);
    assert_int_equal(world->flow.extent.depth, full);
    assert_int_equal(world->flow.extent.level, world->bed.b[source->places[70]] + full);
    /* Sinks take it out again: evenly, then what is left from where it is left. */
    source->def.sink = true;
    source->def.rain = 100.0 * world->bed.quantum * 3.6e6;
    assert_in_range(run(world, source, 1.0, 1.0, &status), 59999, 60000);
    assert_int_equal(status, 0);
    for (size_t i = 0; i < 600; ++i)
        if (i != 70) assert_in_range(world->flow.H[source->places[i]], 0, 2);
    source->def.rain = 2.0 * (double)full * world->bed.quantum * 3.6e6;
    run(world, source, 2.0, 1.0, &status);
    assert_int_equal(status, RILL_STATUS_SINK_DRY);
    for (size_t i = 0; i < 600; ++i) assert_int_equal(world->flow.H[source->places[i]], 0);
    must_be_valid(world);
    rill_world_destroy(world);
}

/* Somebody whose business is one column: what comes down there is theirs, and so is what sinks take out of it. */
typedef struct owner {
    int32_t place;
    int64_t given, taken;
} owner;

static bool is_owned(const void *context, int32_t place) {
    return ((const owner *)context)->place == place;
}

static void land_on_owner(void *context, rill_flow *flow, int32_t place, int32_t quanta) {
    owner *all = context;
    assert_int_equal(place, all->place);
    if (quanta >= 0) {
        all->given += quanta;
        return;
    }
    all->taken -= quanta;
    rill_column_exchange(flow, place, quanta);
}

/* Rain over all columns, dealt in long runs: one of them lands elsewhere, and the others get what is theirs. */
static void test_landing(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    rill_source_def rain = rill_default_source_def(), drain;
    rain.name = "rain";
    rain.shape = RILL_SOURCE_RAIN;
    rain.rain = 50.0 * world->bed.quantum * 3.6e6; /* 50 quanta a second on each column */
    rill_source *source = add(world, &rain);
    const size_t n = source->place_count;
    owner all = { .place = source->places[n / 2] };
    const rill_landing landing = { .context = &all, .concerns = is_owned, .land = land_on_owner };
    rill_status status = 0;
    assert_int_equal(rill_source_run(source, &world->flow, &landing, 0.0, 1.0, &status), 50 * (int64_t)n);
    assert_int_equal(all.given, 50);
    for (size_t i = 0; i < n; ++i)
        assert_int_equal(world->flow.H[source->places[i]], source->places[i] == all.place ? 0 : 50);
    drain = rain;
    drain.name = "drain";
    drain.sink = true;
    rill_column_set(&world->flow, all.place, 70);
    source = add(world, &drain);
    assert_int_equal(rill_source_run(source, &world->flow, &landing, 0.0, 1.0, &status), 50 * (int64_t)n);
    assert_int_equal(all.taken, 50);
    assert_int_equal(world->flow.H[all.place], 20);
    assert_int_equal(status, 0);
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_amounts),
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_even_deal),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_refused_definitions),
        cmocka_unit_test(test_one_account_per_name),
        cmocka_unit_test(test_no_room),
        cmocka_unit_test(test_sink),
        cmocka_unit_test(test_rain),
        cmocka_unit_test(test_long_rows),
        cmocka_unit_test(test_landing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
