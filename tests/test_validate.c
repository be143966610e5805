/* The validator, broken on purpose: each invariant of a world's data is violated once, must be noticed by name, and the
 * world must be fine again when it is mended. Looks inside. */
#include "worlds.h"

#include <math.h>

#include "motion/opening_ceilings.h"
#include "motion/swept_volume.h"
#include "world/world.h"

static rill_world *world;

static int make(void **state) {
    (void)state;
    world = make_busy_house(NULL);
    for (int i = 0; i < 10; ++i) assert_int_equal(rill_world_step(world, 0.005), RILL_OK);
    must_be_valid(world);
    return 0;
}

static int drop(void **state) {
    (void)state;
    rill_world_destroy(world);
    return 0;
}

static void expect_broken(const char *word) {
    rill_message message = { "" };
    assert_int_equal(rill_world_validate(world, &message), RILL_INVALID_DATA);
    if (!strstr(message.text, word)) fail_msg("\"%s\" is not in \"%s\"", word, message.text);
    assert_int_equal(rill_world_validate(world, NULL), RILL_INVALID_DATA);
}

/* Breaks a value, expects the message, mends it. */
#define BREAK(lvalue, value, word)                                                                                     \
    do {                                                                                                               \
        const __typeof__(lvalue) kept = (lvalue);                                                                      \
        (lvalue) = (value);                                                                                            \
        expect_broken(word);                                                                                           \
        (lvalue) = kept;                                                                                               \
        must_be_valid(world);                                                                                          \
    } while (0)

/* A place whose west face is a wall: the first of the grid's row, as the west edge is one. */
static int32_t first_place(void) {
    return world->bed.places[0];
}

static int32_t wall_place(void) {
    return world->bed.sheets[0].first - 2; /* padding; the west edge has no ghosts */
}

static void test_depths(void **state) {
    (void)state;
    const int32_t place = first_place();
    BREAK(world->flow.H[place], -1, "depth outside its void");
    BREAK(world->flow.H[place], world->bed.c[place] - world->bed.b[place] + 1, "depth outside its void");
    BREAK(world->flow.H[place], world->flow.H[place] + 1, "ledger error");
    BREAK(world->flow.H[wall_place()], 1, "liquid in a wall");
    BREAK(world->flow.H[world->bed.ghosts[0].place], world->bed.ghosts[0].still + 1, "depth outside an edge");
}

static void test_velocities(void **state) {
    (void)state;
    const int32_t place = first_place();
    BREAK(world->flow.u[place + 1], NAN, "velocity that cannot be");
    BREAK(world->flow.v[place + world->bed.sheets[0].stride], INFINITY, "velocity that cannot be");
    BREAK(world->flow.u[wall_place()], 0.1f, "velocity in a wall");
    BREAK(world->flow.u[place], 0.1f, "velocity through a wall, u");
    BREAK(world->flow.v[place], 0.1f, "velocity through a wall, v");
    assert_true(world->bed.pipe_count > 0);
    BREAK(world->flow.pipe_u[0], NAN, "velocity of a sparse pipe");
}

static void test_tiles_and_counters(void **state) {
    (void)state;
    int32_t moving = -1;
    for (int64_t i = 0; moving < 0 && i < world->bed.info.columns; ++i) {
        const int32_t place = world->bed.places[i];
        if (world->flow.u[place] != 0.0f) moving = place;
    }
    assert_true(moving >= 0);
    const int32_t tile = rill_bed_tile_of(&world->bed, moving);
    BREAK(world->flow.tiles[tile], 0, "velocity in a sleeping tile");
    BREAK(world->flow.tiles[tile], (uint16_t)(world->flow.tiles[tile] | 0xfe00), "calm count");
    BREAK(world->flow.extent.depth, -1, "extent: depth");
    BREAK(world->flow.extent.level, RILL_TOP + 1, "extent: level");
    BREAK(world->flow.extent.speed, NAN, "extent: speed");
    BREAK(world->flow.extent.rush, INFINITY, "extent: rush");
    BREAK(world->flow.extent.dash, INFINITY, "extent: dash");
    BREAK(world->time, (double)INFINITY, "time");
    BREAK(world->time, -1.0, "time");
}

/* Held by hand: two columns, one quantum each. */
static void test_held(void **state) {
    (void)state;
    const int32_t place = first_place();
    assert_true(rill_expelled_reserve(&world->flow, 2, &world->allocator));
    rill_expelled_add(&world->flow, place + 1, 1, 0.1, NULL);
    rill_expelled_add(&world->flow, place, 1, 0.1, NULL);
    expect_broken("where liquid is held");
    rill_expelled_order(&world->flow);
    expect_broken("ledger error");
    rill_book_change(world, RILL_BOOK_FILL, 2);
    must_be_valid(world);
    rill_expelled *held = world->flow.expelled.data;
    BREAK(held[0].place, wall_place(), "where liquid is held");
    BREAK(held[0].place, world->bed.ghosts[0].place, "where liquid is held");
    BREAK(held[0].place, -1, "where liquid is held");
    BREAK(held[1].place, world->bed.plane_size, "where liquid is held");
    BREAK(held[1].place, place, "where liquid is held");
    BREAK(held[0].amount, 0, "amount of liquid");
    BREAK(held[0].pushed, 1, "amount of liquid");
    BREAK(held[0].amount, 2, "ledger error");
    BREAK(held[0].seconds, -0.1, "time for which");
    BREAK(held[0].seconds, 2.0 * RILL_EXPELLED_SLOWEST, "time for which");
    BREAK(held[0].seconds, NAN, "time for which");
    BREAK(held[0].wall[0], NAN, "velocity of what presses");
    BREAK(held[1].wall[1], (double)INFINITY, "velocity of what presses");
    BREAK(held[0].side, -2, "velocity of what presses");
    BREAK(held[1].side, 4, "velocity of what presses");
    rill_world_step(world, 0.2);
    must_be_valid(world);
    assert_int_equal(world->flow.expelled.count, 0);
}

/* Drawn by hand: at two columns, a quantum at one of them. No solid moves, so that it is given back. */
static void test_withdrawn(void **state) {
    (void)state;
    const int32_t place = first_place();
    assert_true(rill_withdrawn_reserve(&world->flow, 2, &world->allocator));
    assert_true(rill_expelled_reserve(&world->flow, 2, &world->allocator));
    rill_withdrawn *withdrawn = world->flow.withdrawn.data;
    withdrawn[0] = withdrawn[1] = (rill_withdrawn){ .seconds = 0.1, .most = 1.0, .place = place };
    withdrawn[1].place += 1;
    withdrawn[1].amount = 1;
    world->flow.withdrawn.count = 2;
    expect_broken("ledger error");
    rill_book_change(world, RILL_BOOK_FILL, 1);
    must_be_valid(world);
    BREAK(withdrawn[0].place, wall_place(), "where liquid is withdrawn");
    BREAK(withdrawn[1].place, world->bed.plane_size, "where liquid is withdrawn");
    BREAK(withdrawn[1].place, place, "where liquid is withdrawn");
    BREAK(withdrawn[0].amount, -1, "amount of liquid that is withdrawn");
    BREAK(withdrawn[0].claims, 1, "amount of liquid that is withdrawn");
    BREAK(withdrawn[1].before, 1, "amount of liquid that is withdrawn");
    BREAK(withdrawn[1].amount, 2, "ledger error");
    BREAK(withdrawn[0].seconds, 0.0, "speed at which");
    BREAK(withdrawn[0].seconds, 2.0 * RILL_EXPELLED_SLOWEST, "speed at which");
    BREAK(withdrawn[0].most, 0.0, "speed at which");
    BREAK(withdrawn[0].most, NAN, "speed at which");
    BREAK(withdrawn[0].most, 2.0 * RILL_WITHDRAWN_MOST, "speed at which");
    BREAK(withdrawn[0].side, -1, "side to which");
    BREAK(withdrawn[0].side, 4, "side to which");
    rill_world_step(world, 0.3);
    must_be_valid(world);
    assert_int_equal(world->flow.withdrawn.count + world->flow.expelled.count, 0);
}

/* By hand: a ceiling rises over two columns under the platform. */
static void test_rising(void **state) {
    (void)state;
    const int32_t place = world->bed.places[world->bed.cell_first[5]]; /* the lowest column of the cell */
    assert_true(world->bed.c[place] < RILL_TOP && world->bed.c[place + 1] < RILL_TOP);
    assert_true(rill_opening_reserve(&world->flow, 2, &world->allocator));
    rill_opening *rising = world->flow.openings.data;
    rising[0] = rising[1] = (rill_opening){ .place = place, .room = 1, .seconds = 0.1 };
    rising[1].place += 1;
    world->flow.openings.count = 2;
    must_be_valid(world);
    BREAK(rising[0].place, wall_place(), "where a ceiling rises");
    BREAK(rising[0].place, first_place(), "where a ceiling rises"); /* under open sky */
    BREAK(rising[1].place, world->bed.plane_size, "where a ceiling rises");
    BREAK(rising[1].place, place, "where a ceiling rises");
    BREAK(rising[0].room, 0, "room under a ceiling");
    BREAK(rising[1].room, world->bed.c[place] - world->bed.b[place] + 1, "room under a ceiling");
    BREAK(rising[0].seconds, 0.0, "time in which a ceiling");
    BREAK(rising[0].seconds, 2.0 * RILL_EXPELLED_LONGEST, "time in which a ceiling");
    BREAK(rising[1].seconds, NAN, "time in which a ceiling");
    rill_world_step(world, 0.2);
    must_be_valid(world);
    assert_int_equal(world->flow.openings.count, 0);
}

static void test_tables(void **state) {
    (void)state;
    rill_solid_slot *solids = world->solids.data;
    rill_source *sources = world->sources.data;
    rill_book *books = world->books.data;
    BREAK(solids[0].generation, 0, "solid without a generation");
    BREAK(world->solids_free, 1, "number of free solid slots");
    BREAK(sources[0].generation, 0, "source without a generation");
    BREAK(sources[0].book, 2, "source without an account");
    BREAK(sources[0].book, 1000, "source without an account");
    BREAK(books[sources[0].book].used, false, "account of a source");
    BREAK(sources[0].pending, 1.0, "pending fraction");
    BREAK(sources[0].pending, (double)NAN, "pending fraction");
    BREAK(sources[0].turn, 1, "turn of a source");
    BREAK(sources[0].places[0], -1, "columns of a source");
    BREAK(sources[0].places[0], wall_place(), "columns of a source");
    BREAK(sources[2].places[1], sources[2].places[0], "columns of a source");
    BREAK(sources[0].tiles[0], world->bed.tile_count, "tiles of a source");
    BREAK(sources[0].def.rate, -1.0, "source.rate");
    BREAK(world->sources_free, 1, "number of free source slots");
    BREAK(books[0].poured, books[0].poured + 1, "ledger error");
    BREAK(books[1].drained, -1, "negative account");
    BREAK(world->books.count, 4, "account");
}

static void test_bed(void **state) {
    (void)state;
    BREAK(world->bed.floors[3], 3, "floor of a column");
    BREAK(world->pipes_by_r[0], -1, "order of pipes");
    BREAK(world->pipes_by_r[1], world->pipes_by_r[0], "order of pipes");
    BREAK(world->def.headroom, 0.0, "headroom");
    /* The bed's own validator is asked as well. */
    const int32_t kept = world->bed.places[1];
    rill_message message = { "" };
    world->bed.places[1] = world->bed.places[0];
    assert_int_not_equal(rill_world_validate(world, &message), RILL_OK);
    world->bed.places[1] = kept;
    must_be_valid(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_depths), cmocka_unit_test(test_velocities), cmocka_unit_test(test_tiles_and_counters),
        cmocka_unit_test(test_held),   cmocka_unit_test(test_withdrawn),  cmocka_unit_test(test_rising),
        cmocka_unit_test(test_tables), cmocka_unit_test(test_bed),
    };
    return cmocka_run_group_tests(tests, make, drop);
}
