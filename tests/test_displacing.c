/* Where liquid goes that solids press out, and where it comes from when they go back: each rule of displace.h and
 * swept_volume.h in a world in which it decides. What is on its way is read from inside. */
#include "tanks.h"

#include "motion/swept_volume.h"
#include "world/world.h"

static const double FRAME = 1.0 / 60.0;

static rill_solid_id add_moving_box(rill_world *world, double x0, double y0, double z0, double x1, double y1,
                                    double z1) {
    const rill_solid_def def = box_def(NULL, x0 * MM, y0 * MM, z0 * MM, x1 * MM, y1 * MM, z1 * MM);
    rill_solid_id id = { 0 };
    must(world, rill_solid_create(world, &def, &id));
    return id;
}

static void move(rill_world *world, rill_solid_id id, double x, double y, double z) {
    must(world, rill_solid_set_pose(world, id, (double[]){ x * MM, y * MM, z * MM }, (double[]){ 0.0, 0.0, 0.0 }));
}

static double in_mm(const rill_world *world, int64_t quanta) {
    return (double)quanta * world->bed.quantum / MM;
}

static int64_t in_transit(const rill_world *world) {
    return rill_swept_volume_total(&world->flow);
}

/* The largest amount that is expelled to a column, and the lowest column at which there is some, mm. */
typedef struct summary {
    double most, lowest;
    bool roofed, open; /* some column has a ceiling, or none */
} summary;

static summary summary_of(const rill_world *world) {
    const rill_expelled *expelled = world->flow.expelled.data;
    summary found = { .lowest = 1e9 };
    for (size_t i = 0; i < world->flow.expelled.count; ++i) {
        const int32_t place = expelled[i].place, ceiling = world->bed.c[place];
        found.most = fmax(found.most, in_mm(world, expelled[i].amount));
        found.lowest = fmin(found.lowest, in_mm(world, ceiling - world->bed.b[place]));
        *(ceiling < RILL_TOP ? &found.roofed : &found.open) = true;
    }
    return found;
}

/* A basin of 40 x 12 mm; a lid over its western 20 mm, 8 mm above the floor, and a step below the first four. */
static rill_world *lidded(double step_height, rill_solid_id *lid) {
    const rill_world_def def = tank_def(40, 12, RILL_PASSAGES_ANY);
    rill_world *world = make_tank(&def);
    add_slab(world, -1, -1, 4, step_height);
    *lid = add_moving_box(world, -1, -1, 8, 20, 13, 30);
    build(world);
    fill(world, 30, 6, 0.5, 10);
    return world;
}

/* Under a lid that comes down by a little what is pressed stays, but nothing is pushed through the thin gap over the
 * step. */
static void thin_gaps_are_not_pushed_through(void **state) {
    (void)state;
    rill_solid_id lid;
    rill_world *world = lidded(7, &lid);
    move(world, lid, 0, 0, -0.1);
    build(world);
    const summary expelled = summary_of(world);
    assert_true(expelled.roofed && !expelled.open && expelled.lowest > 7.8);
    assert_true(fabs(in_mm(world, in_transit(world)) - 0.1 * 20 * 12) < 1e-3);
    check(world);
    rill_world_destroy(world);
}

/* Under one that jumps it does not: no passage could take it. */
static void jumps_go_where_there_is_room(void **state) {
    (void)state;
    rill_solid_id lid;
    rill_world *world = lidded(0, &lid);
    move(world, lid, 0, 0, -3); /* down to 5 mm: 3 is more than half of that */
    build(world);
    const summary expelled = summary_of(world);
    assert_true(expelled.open && !expelled.roofed);
    assert_true(fabs(in_mm(world, in_transit(world)) - 3.0 * 20 * 12) < 1e-3);
    for (int i = 0; i < 40; ++i) assert_true(!(step(world, FRAME) & RILL_STATUS_SQUEEZED));
    check(world);
    rill_world_destroy(world);
}

/* Past the step in one move: what was over the step has no column any more, and none of those beside it that are left
 * is as high as it was. But it was joined with them, and goes out with theirs, not through the lid. */
static void lids_pass_steps(void **state) {
    (void)state;
    static const double down[] = { 1.5, 3.0 }; /* mm; the second is a jump */
    for (int i = 0; i < 2; ++i) {
        rill_solid_id lid;
        rill_world *world = lidded(7, &lid);
        move(world, lid, 0, 0, -down[i]);
        build(world);
        assert_true(volume(world, -1, 20, 8 - down[i]) > volume(world, -1, 20, 100) - 1e-15); /* none on the lid */
        rill_status seen = 0;
        for (int k = 0; k < 40; ++k) seen |= step(world, FRAME);
        assert_false(seen & RILL_STATUS_SQUEEZED);
        assert_true(volume(world, -1, 20, 8 - down[i]) > volume(world, -1, 20, 100) - 1e-15);
        check(world);
        rill_world_destroy(world);
    }
}

/* Liquid that a block displaces as it falls into a pool is no heap around it: no column gets more than one that was pressed
 * had. */
static void no_column_gets_more_than_one_lost(void **state) {
    (void)state;
    const rill_world_def def = tank_def(40, 40, RILL_PASSAGES_ANY);
    rill_world *world = make_tank(&def);
    const rill_solid_id block = add_moving_box(world, 15, 15, 30, 25, 25, 60);
    build(world);
    fill(world, 1, 1, 0.5, 4);
    move(world, block, 0, 0, -31);
    build(world);
    const summary expelled = summary_of(world);
    assert_true(expelled.open && expelled.most > 0.0 && expelled.most < 4.0 + 1e-6);
    assert_true(fabs(in_mm(world, in_transit(world)) - 400.0) < 1e-3);
    check(world);
    rill_world_destroy(world);
}

/* Out of a pit that is filled liquid has to climb; but it is not squeezed through anything. */
static void liquid_climbs_out_of_a_pit(void **state) {
    (void)state;
    const rill_world_def def = tank_def(20, 20, RILL_PASSAGES_ANY);
    rill_world *world = make_tank(&def);
    const double sides[4][4] = { { -1, -1, 21, 8 }, { -1, 12, 21, 21 }, { -1, 7, 8, 13 }, { 12, 7, 21, 13 } };
    for (int i = 0; i < 4; ++i) add_box(world, sides[i][0], sides[i][1], -1, sides[i][2], sides[i][3], 6);
    const rill_solid_id block = add_moving_box(world, 8, 8, -20, 12, 12, -11);
    build(world);
    fill(world, 10, 10, 0.5, 3);
    move(world, block, 0, 0, 16); /* up to 5 mm, at once */
    rill_status seen = 0;
    for (int i = 0; i < 40; ++i) seen |= step(world, FRAME);
    assert_false(seen & RILL_STATUS_SQUEEZED);
    assert_int_equal(in_transit(world), 0);
    assert_true(fabs(volume(world, 0, 20, 100) - 16 * 3e-9) < 1e-15);
    check(world);
    rill_world_destroy(world);
}

/* Liquid that is squeezed through a lid comes out above all of it. */
static void squeezing_makes_no_tower(void **state) {
    (void)state;
    const rill_world_def def = tank_def(16, 16, RILL_PASSAGES_ANY);
    rill_world *world = make_tank(&def);
    const rill_solid_id lid = add_moving_box(world, -1, -1, 4, 17, 17, 6);
    build(world);
    fill(world, 8, 8, 1, 4);
    move(world, lid, 0, 0, -1);
    build(world);
    double depths[256], most = 0.0;
    must(world, rill_world_read_field(world, RILL_FIELD_DEPTH, 1, depths, 256));
    for (int i = 0; i < 256; ++i) most = fmax(most, depths[i]);
    assert_true(most > 0.99 * MM && most < 1.001 * MM);
    check(world);
    rill_world_destroy(world);
}

/* Where passages are not solved for, a plug that comes pushes what is in a full tunnel past it, to columns with
 * room. */
static void full_columns_are_passed_by(void **state) {
    (void)state;
    rill_world_def def = tank_def(48, 6, RILL_PASSAGES_OFF);
    rill_world *world = make_tank(&def);
    add_slab(world, -1, 4, 32, 40);
    const rill_solid_id plug = add_moving_box(world, -50, -1, -1, 4, 7, 5);
    build(world);
    fill(world, 40, 3, 0.5, 6);
    rill_status seen = 0;
    for (int frame = 1; frame <= 30; ++frame) {
        move(world, plug, 0.4 * frame, 0, 0);
        build(world);
        const summary expelled = summary_of(world);
        assert_false(expelled.roofed);
        seen |= step(world, FRAME);
    }
    assert_false(seen & RILL_STATUS_SQUEEZED);
    assert_true(fabs(sample(world, 28.5, 3.5, 1).depth - 4.0 * MM) < 1e-6);
    check(world);
    rill_world_destroy(world);
}

/* A lid pushes as hard as it has to; but not while liquid is faster than it could ever fall, nor when levels come near
 * the top of the range: then columns are filled and no more. */
static void pushing_has_its_limits(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        rill_solid_id lid;
        rill_world *world = lidded(0, &lid);
        step(world, FRAME);
        move(world, lid, 0, 0, -0.1);
        build(world);
        rill_flow *flow = &world->flow;
        const rill_expelled *expelled = flow->expelled.data;
        const int32_t place = expelled[0].place, full = world->bed.c[place] - world->bed.b[place];
        const double dt = 0.5 * expelled[0].seconds;
        if (kind == 1) flow->extent.speed = 3.0f;
        if (kind == 2) flow->extent.level = RILL_TOP - RILL_TOP / 8;
        flow->pushed = 0;
        assert_false(rill_expelled_release(flow, dt, 2.0, 16));
        assert_int_equal(flow->H[place] > full, kind == 0);
        rill_world_destroy(world);
    }
}

/* -------------------------------------------------------------------------------------------------------- drawing */

/* A channel of which a wall fills the eastern end: only its western face has to do with liquid. */
static rill_world *channel(rill_solid_id *wall) {
    rill_world_def def = tank_def(60, 3, RILL_PASSAGES_ANY);
    def.solver.rest = false;
    rill_world *world = make_tank(&def);
    *wall = add_moving_box(world, 30.1, -1, -1, 90, 4, 40);
    build(world);
    fill(world, 5, 1, 0.5, 5);
    return world;
}

/* Nothing is given back while a wall goes on: the next front takes over what is left. */
static void a_front_takes_over(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        rill_solid_id wall;
        rill_world *world = channel(&wall);
        const double by = kind ? 1.85 : 0.3; /* cells */
        for (int frame = 1; by * frame < 20.0; ++frame) {
            move(world, wall, by * frame, 0, 0);
            build(world);
            if (by * frame > 4.0) assert_int_equal(world->flow.expelled.count, 0);
            step(world, FRAME);
        }
        assert_int_equal(world->flow.withdrawn.count, 3);
        move(world, wall, 20, 0, 60); /* up and away: there is no front any more */
        build(world);
        assert_int_equal(world->flow.withdrawn.count, 0);
        check(world);
        rill_world_destroy(world);
    }
}

/* A wall that was fast and is slow now: it has withdrawn what the next cell takes, and a frame's worth, and waits. */
static void no_more_is_withdrawn_than_fits(void **state) {
    (void)state;
    rill_solid_id wall;
    rill_world *world = channel(&wall);
    double gone = 0.0;
    for (int frame = 1; frame <= 36; ++frame) {
        gone += frame <= 24 ? 0.5 : 0.01;
        move(world, wall, gone, 0, 0);
        step(world, FRAME);
        const rill_withdrawn *withdrawn = world->flow.withdrawn.data;
        for (size_t i = 0; i < world->flow.withdrawn.count; ++i)
            assert_true(in_mm(world, withdrawn[i].amount) < 1.5 * 5.0);
    }
    assert_true(in_transit(world) > 0);
    check(world);
    rill_world_destroy(world);
}

/* A column that opens is filled with what was withdrawn on that side of it where the wall was, and of two with the larger:
 * set by hand in the west and in the south of a post. */
static void what_opens_is_filled_from_its_front(void **state) {
    (void)state;
    const struct {
        int32_t west_side, south_side;
        int64_t west, south;
        int32_t expected;
    } cases[] = {
        { 1, 3, 100, 5000, 5000 }, { 1, 3, 5000, 100, 5000 }, { 3, 3, 9000, 5000, 5000 }, { 3, 1, 9000, 9000, 0 }
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const rill_world_def def = tank_def(20, 20, RILL_PASSAGES_ANY);
        rill_world *world = make_tank(&def);
        const rill_solid_id post = add_moving_box(world, 10, 10, -1, 11, 11, 30);
        build(world);
        fill(world, 1, 1, 0.5, 2);
        move(world, post, 0, 0, 0.1); /* so that the bed is one that changes */
        build(world);
        rill_flow *flow = &world->flow;
        assert_true(rill_withdrawn_reserve(flow, 2, &world->allocator));
        const int32_t *places = world->bed.places, *first = world->bed.cell_first;
        rill_withdrawn *withdrawn = flow->withdrawn.data;
        withdrawn[0] = (rill_withdrawn){ .place = places[first[9 * 20 + 10]], .side = cases[i].south_side };
        withdrawn[1] = (rill_withdrawn){ .place = places[first[10 * 20 + 9]], .side = cases[i].west_side };
        withdrawn[0].amount = cases[i].south;
        withdrawn[1].amount = cases[i].west;
        withdrawn[0].seconds = withdrawn[1].seconds = 0.1;
        withdrawn[0].most = withdrawn[1].most = 1.0;
        flow->withdrawn.count = 2;
        rill_book_change(world, RILL_BOOK_FILL, cases[i].west + cases[i].south);
        check(world);
        move(world, post, 0, 0, 60);
        build(world);
        assert_int_equal(flow->H[places[first[10 * 20 + 10]]], cases[i].expected);
        check(world);
        rill_world_destroy(world);
    }
}

/* A plug is pulled out of a low tunnel: what opens is filled up to its ceiling, however high the well before it
 * stands. */
static void low_tunnels_take_what_fits(void **state) {
    (void)state;
    const rill_world_def def = tank_def(48, 3, RILL_PASSAGES_ANY);
    rill_world *world = make_tank(&def);
    add_slab(world, 16, 3, 60, 40);
    const rill_solid_id plug = add_moving_box(world, 15.1, -1, -1, 90, 4, 9);
    build(world);
    fill(world, 5, 1, 0.5, 8);
    for (int frame = 1; frame <= 60; ++frame) {
        move(world, plug, 0.3 * frame, 0, 0);
        build(world);
        check(world);
        step(world, FRAME);
        check(world);
    }
    assert_true(sample(world, 20.5, 1.5, 1).depth > 2.99 * MM);
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thin_gaps_are_not_pushed_through),
        cmocka_unit_test(jumps_go_where_there_is_room),
        cmocka_unit_test(lids_pass_steps),
        cmocka_unit_test(no_column_gets_more_than_one_lost),
        cmocka_unit_test(liquid_climbs_out_of_a_pit),
        cmocka_unit_test(squeezing_makes_no_tower),
        cmocka_unit_test(full_columns_are_passed_by),
        cmocka_unit_test(pushing_has_its_limits),
        cmocka_unit_test(a_front_takes_over),
        cmocka_unit_test(no_more_is_withdrawn_than_fits),
        cmocka_unit_test(what_opens_is_filled_from_its_front),
        cmocka_unit_test(low_tunnels_take_what_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
