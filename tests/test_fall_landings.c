/* Landings: that parcels bring all of their volume and momentum to what they come down on, be it liquid or a body. */
#include "body_shapes.h"
#include "fall_worlds.h"

#include <math.h>

#include "falls/falls.h"
#include "world/world.h"

static const shelf SHELF = {
    .cells = { 120, 6 }, .length = 40, .cell_size = 1e-3, .drop = 0.05, .rate = 1e-4, .until = INFINITY
};
static const double G = 9.81, AFLOAT = 0.02, THICK = 0.004; /* m: topside of the plate, and its height */

/* A plate in the air, as wide as the grid, beside which and under which is nothing but the floor. */
static rill_body_id add_plate(rill_world *world, double mass) {
    rill_body_def def = rill_default_body_def();
    rill_body_id id;
    def.shape.type = RILL_SHAPE_BOX;
    set_size(&def.shape, 0.05, 0.02, THICK);
    def.mass = mass;
    memcpy(def.state.position, (double[]){ 0.07, 0.003, AFLOAT - 0.5 * THICK }, sizeof def.state.position);
    must(world, rill_body_create(world, &def, &id));
    return id;
}

/* A shelf with falls but nothing that is poured, one step old. */
static rill_world *make_quiet(double level) {
    rill_world *world = make_shelf(&SHELF, NULL);
    must(world, rill_source_destroy(world, rill_world_source_at(world, 0)));
    if (level > 0.0) must(world, rill_world_fill_level(world, (double[]){ 0.1, 0.003, 0.0 }, level, NULL));
    run(world, 1, 1e-3);
    return world;
}

/* Lets so much start to fall now, for 10 ms, booked as filled in. */
static void drop(rill_world *world, const double from[3], const double velocity[2], int64_t amount) {
    const rill_falls_gravity gravity = rill_world_falls_gravity(world);
    rill_parcel *parcel = rill_calendar_take(world->falls);
    *parcel = (rill_parcel){ .amount = amount, .begin = world->time, .end = world->time + 0.01, .brink = -1 };
    for (int i = 0; i < 3; ++i) parcel->from[i] = (float)(from[i] - (i == 2 ? world->bed.datum : 0.0));
    for (int i = 0; i < 2; ++i) parcel->velocity[i] = (float)velocity[i];
    rill_falls_trace(&world->flow, &gravity, (int32_t)(from[0] / SHELF.cell_size), (int32_t)(from[1] / SHELF.cell_size),
                     parcel);
    rill_calendar_add(world->falls, parcel);
    rill_book_change(world, RILL_BOOK_FILL, amount);
}

static int64_t on_decks(const rill_world *world) {
    const rill_body_node *nodes = world->bodies.nodes.data;
    int64_t sum = 0;
    for (size_t i = 0; i < world->bodies.nodes.count; ++i) sum += nodes[i].deck;
    return sum;
}

/* Quanta of the columns beyond the edge of the shelf, without what is on bodies there. */
static int64_t on_floor(const rill_world *world) {
    int64_t sum = 0;
    for (int64_t k = 0; k < world->bed.info.columns; ++k) {
        int32_t x;
        rill_bed_sheet_of(&world->bed, world->bed.places[k], &x, NULL);
        if (x >= SHELF.length) sum += world->flow.H[world->bed.places[k]];
    }
    return sum;
}

/* A plate that hovers has every quantum that falls on it. */
static void a_deck_gets_what_lands_on_it(void **state) {
    (void)state;
    rill_world *world = make_quiet(0.0);
    const rill_body_id id = add_plate(world, INFINITY);
    const int64_t amount = (int64_t)(1e-3 / world->bed.quantum);
    drop(world, (double[]){ 0.0705, 0.0025, 0.03 }, (double[]){ 0.05, 0.0 }, amount);
    int64_t lay = 0;
    for (int i = 0; i < 100; ++i) {
        run(world, 1, 1e-3);
        const rill_ledger ledger = ledger_of(world);
        assert_true(ledger.airborne + on_decks(world) == amount && ledger.columns == on_decks(world));
        assert_true(on_decks(world) >= lay);
        lay = on_decks(world);
        if (rill_world_time(world) < 0.07) assert_int_equal(lay, 0);
    }
    assert_true(lay == amount);
    rill_body_forces forces;
    must(world, rill_body_get_forces(world, id, &forces));
    assert_true(fabs(forces.deck_volume / ((double)amount * ledger_of(world).quantum_volume) - 1) < 1e-6);
    must_be_valid(world);
    rill_world_destroy(world);
}

/* Mass of what is in a column one cell wide, kg. */
static double mass_of(const rill_world *world, int64_t quanta) {
    return (double)quanta * ledger_of(world).quantum_volume * world->def.liquid.density;
}

/* A plate that hovers is told all of the momentum that comes down on it: along the bed what the parcel had, downwards that of
 * a fall to its topside; and the weight of what lies on it, bit by bit. */
static void a_held_plate_feels_what_lands_on_it(void **state) {
    (void)state;
    rill_world *world = make_quiet(0.0);
    const rill_body_id id = add_plate(world, INFINITY);
    const int64_t amount = (int64_t)(0.02 / world->bed.quantum);
    drop(world, (double[]){ 0.0655, 0.0025, 0.05 }, (double[]){ 0.05, 0.02 }, amount);
    double impulse[3] = { 0 }, weight = 0.0;
    for (int i = 0; i < 115; ++i) {
        rill_body_forces forces;
        run(world, 1, 1e-3);
        must(world, rill_body_get_forces(world, id, &forces));
        for (int k = 0; k < 3; ++k) impulse[k] += forces.impulse[k];
        weight += 1e-3 * G * forces.deck_volume * world->def.liquid.density;
    }
    assert_true(on_decks(world) == amount);
    const double mass = mass_of(world, amount), down = mass * sqrt(2 * G * (0.05 - AFLOAT));
    if (fabs(impulse[0] - 0.05 * mass) > 1e-5 * mass || fabs(impulse[1] - 0.02 * mass) > 1e-5 * mass)
        fail_msg("%g, %g m/s along the bed", impulse[0] / mass, impulse[1] / mass);
    if (fabs(impulse[2] + weight + down) > 0.002 * down) fail_msg("%g of %g downwards", impulse[2] + weight, -down);
    rill_world_destroy(world);
}

/* A plate that is free goes along with what has come down on it: together they have its momentum. */
static void a_free_plate_goes_along(void **state) {
    (void)state;
    rill_world *world = make_quiet(0.0);
    const rill_body_id id = add_plate(world, 0.02);
    rill_body_state still;
    must(world, rill_body_get_state(world, id, &still));
    for (int i = 0; i < 3; ++i) still.acceleration[i] = 0.0;
    must(world, rill_body_set_state(world, id, &still));
    const int64_t amount = (int64_t)(0.02 / world->bed.quantum);
    drop(world, (double[]){ 0.0655, 0.0025, 0.05 }, (double[]){ 0.05, 0.0 }, amount);
    double weight = 0.0;
    for (int i = 0; i < 115; ++i) {
        rill_body_forces forces;
        run(world, 1, 1e-3);
        must(world, rill_body_get_forces(world, id, &forces));
        weight += 1e-3 * G * forces.deck_volume * world->def.liquid.density;
    }
    assert_true(on_decks(world) == amount);
    rill_body_state moved;
    must(world, rill_body_get_state(world, id, &moved));
    const double mass = mass_of(world, amount), all = 0.02 + mass, down = mass * sqrt(2 * G * (0.05 - AFLOAT));
    if (fabs(all * moved.velocity[0] / (0.05 * mass) - 1) > 0.01) fail_msg("%g m/s along", moved.velocity[0]);
    if (fabs((all * moved.velocity[2] + weight) / -down - 1) > 0.01) fail_msg("%g m/s down", moved.velocity[2]);
    rill_world_destroy(world);
}

/* -------------------------------------------------------------------------------------------------------- momentum */

/* Sum over all faces of an axis of the depths at it times its velocity: twice the momentum, quanta m/s. */
static double twice_momentum(const rill_world *world, int axis) {
    const rill_bed *bed = &world->bed;
    double sum = 0.0;
    for (int64_t k = 0; k < bed->info.columns; ++k) {
        const int32_t place = bed->places[k], beside = axis ? rill_bed_sheet_of(bed, place, NULL, NULL)->stride : 1;
        const float *u = axis ? world->flow.v : world->flow.u;
        if (bed->b[place - beside] == RILL_WALL) continue;
        sum += ((double)world->flow.H[place] + (double)world->flow.H[place - beside]) * (double)u[place];
    }
    return sum;
}

/* A parcel comes down in a pool in motion, bit by bit: the pool gains t u_in on either axis, no more and no less. */
static void a_pool_gains_the_momentum_of_what_lands(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 8; ++seed) {
        uint32_t dices = seed;
        rill_world *world = make_quiet(0.01);
        for (int32_t i = 0; i < world->bed.plane_size; ++i) {
            world->flow.u[i] = 0.01f * (float)dice(&dices, 20) - 0.1f;
            world->flow.v[i] = 0.01f * (float)dice(&dices, 20) - 0.1f;
        }
        const double flies[2] = { 0.01 * dice(&dices, 40) - 0.2, 0.004 * dice(&dices, 10) };
        const int64_t amount = (int64_t)(0.001 * (1 + dice(&dices, 100)) / world->bed.quantum);
        drop(world, (double[]){ 0.0805, 0.0025, 0.03 }, flies, amount);
        const double before[2] = { twice_momentum(world, 0), twice_momentum(world, 1) };
        const int64_t stood = on_floor(world);
        const rill_falls_gravity gravity = rill_world_falls_gravity(world);
        rill_edge_flow edges[4] = { { 0 } };
        for (int i = 0; i < 25; ++i)
            rill_falls_land(world->falls, &world->flow, NULL, &gravity, world->time + 0.004 * i, 0.004, edges);
        assert_int_equal(world->falls->count, 0);
        assert_true(on_floor(world) - stood == amount);
        for (int axis = 0; axis < 2; ++axis) {
            const double gained = 0.5 * (twice_momentum(world, axis) - before[axis]),
                         brought = (double)amount * flies[axis];
            if (fabs(gained - brought) > 1e-4 * (double)amount)
                fail_msg("seed %u: gained %g, %g were brought", seed, gained, brought);
        }
        rill_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_deck_gets_what_lands_on_it),
        cmocka_unit_test(a_held_plate_feels_what_lands_on_it),
        cmocka_unit_test(a_free_plate_goes_along),
        cmocka_unit_test(a_pool_gains_the_momentum_of_what_lands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
