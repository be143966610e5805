/* The player of the viewer, without a window: orders, claims and the clock, from another thread than the one that
 * steps. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "viewer/player.h"

static const char *const SCENE = RILL_SOURCE_DIR "/scenes/tilted_tray.yaml";
static const double LONG = 60; /* s: until a test gives up */

static void nap(double seconds) {
    const struct timespec time = { .tv_nsec = (long)(seconds * 1e9) }; /* less than one second */
    nanosleep(&time, NULL);
}

static rill_player_status give(rill_player *player, const rill_order *order) {
    uint64_t number = rill_player_give(player, order);
    rill_player_status status;
    double end = rill_player_clock() + LONG;
    do {
        nap(0.001);
        rill_player_read(player, &status);
    } while (status.orders < number && rill_player_clock() < end);
    assert_true(status.orders >= number);
    return status;
}

static rill_player_status tell(rill_player *player, rill_order_kind kind, bool flag, double number) {
    const rill_order order = { .kind = kind, .flag = flag, .numbers = { number } };
    return give(player, &order);
}

static rill_player *open_scene(void) {
    const rill_player_options options = { .runtime = rill_default_world_def().runtime };
    rill_player *player = rill_player_create(&options);
    rill_order order = { .kind = RILL_ORDER_OPEN };
    assert_non_null(player);
    snprintf(order.text, sizeof order.text, "%s", SCENE);
    rill_player_status status = give(player, &order);
    assert_true(status.open && status.playing && !status.opening);
    return player;
}

static double volume(const rill_player_status *status) {
    return (double)status->ledger.columns * status->ledger.quantum_volume;
}

/* Returns the sum of all that came and went. */
static double booked(const rill_player_status *status, const char *account) {
    for (int32_t i = 0; i < status->account_count; ++i)
        if (strcmp(status->accounts[i].name, account) == 0)
            return status->accounts[i].poured + status->accounts[i].drained;
    return 0;
}

static void plays_in_real_time(void **state) {
    (void)state;
    rill_player *player = open_scene();
    rill_player_status before, after;
    rill_player_read(player, &before);
    double start = rill_player_clock();
    nap(0.5);
    rill_player_read(player, &after);
    double passed = rill_player_clock() - start;
    assert_true(after.time > before.time);
    assert_true(after.time - before.time < passed + 0.15); /* never ahead by more than it may be behind */
    after = tell(player, RILL_ORDER_PLAY, false, 0);
    nap(0.1);
    rill_player_read(player, &before);
    assert_true(before.time == after.time && !before.playing);
    after = tell(player, RILL_ORDER_STEP, false, 0);
    assert_true(after.time > before.time && after.time - before.time < 0.017);
    rill_player_destroy(player);
}

static void claims_stop_the_world(void **state) {
    (void)state;
    rill_player *player = open_scene();
    rill_player_view view;
    for (int i = 0; i < 20; ++i) {
        assert_true(rill_player_claim(player, LONG, &view));
        uint64_t hash = rill_world_hash(view.world);
        nap(0.005);
        assert_true(rill_world_hash(view.world) == hash);
        rill_player_release(player);
        nap(0.02);
    }
    assert_true(rill_player_claim(player, LONG, &view));
    assert_true(rill_world_time(view.world) > 0); /* it went on in between */
    rill_player_release(player);
    rill_player_destroy(player);
}

static void pours_and_sucks_where_the_ray_ends(void **state) {
    (void)state;
    rill_player *player = open_scene();
    tell(player, RILL_ORDER_PLAY, false, 0);
    rill_order hand = { .kind = RILL_ORDER_HAND,
                        .mode = RILL_HAND_POURS,
                        .ray = { { 0.04, 0.04, 0.2 }, { 0, 0, -1 } },
                        .numbers = { 1e-5, 0.003 } };
    rill_player_status before, after;
    rill_player_read(player, &before);
    give(player, &hand);
    after = tell(player, RILL_ORDER_STEP, false, 0);
    assert_true(fabs(volume(&after) - volume(&before) - 1e-5 * 0.0166667) < 1e-9);
    hand.mode = RILL_HAND_SUCKS;
    give(player, &hand);
    before = after;
    after = tell(player, RILL_ORDER_STEP, false, 0);
    assert_true(volume(&after) < volume(&before) - 1e-8);
    double sucked = booked(&after, "sucked by hand");
    assert_true(sucked > 0);
    hand.ray.direction[2] = 1; /* into the sky */
    give(player, &hand);
    after = tell(player, RILL_ORDER_STEP, false, 0);
    assert_true(booked(&after, "sucked by hand") == sucked);
    assert_int_equal(after.ledger.error, 0);
    rill_player_destroy(player);
}

/* Liquid goes along with a hand that drags it, and only where it is; a hand that stays drags nothing. */
static void drags_liquid_along(void **state) {
    (void)state;
    rill_player *player = open_scene();
    tell(player, RILL_ORDER_PLAY, false, 0);
    rill_order hand = { .kind = RILL_ORDER_HAND,
                        .mode = RILL_HAND_DRAGS,
                        .ray = { { 0.04, 0.04, 0.2 }, { 0, 0, -1 } },
                        .numbers = { 1e-5, 0.003 } };
    rill_player_status before, after;
    give(player, &hand);
    before = tell(player, RILL_ORDER_STEP, false, 0);
    for (int i = 0; i < 8; ++i) {
        hand.ray.origin[1] += 0.001; /* across the slope of the tray */
        give(player, &hand);
        after = tell(player, RILL_ORDER_STEP, false, 0);
    }
    rill_player_view view;
    rill_sample here, there;
    assert_true(rill_player_claim(player, LONG, &view));
    assert_int_equal(rill_query_points(view.world, (double[]){ 0.04, 0.048, 0.02 }, 1, &here), RILL_OK);
    assert_int_equal(rill_query_points(view.world, (double[]){ 0.04, 0.072, 0.02 }, 1, &there), RILL_OK);
    rill_player_release(player);
    assert_true(here.velocity[1] > 0.01 && here.velocity[1] > 5.0 * fabs(there.velocity[1]));
    assert_true(volume(&after) == volume(&before) && after.ledger.error == 0);
    for (int i = 0; i < 3; ++i) {
        give(player, &hand);
        after = tell(player, RILL_ORDER_STEP, false, 0);
    }
    rill_sample later;
    assert_true(rill_player_claim(player, LONG, &view));
    assert_int_equal(rill_query_points(view.world, (double[]){ 0.04, 0.048, 0.02 }, 1, &later), RILL_OK);
    rill_player_release(player);
    assert_true(later.velocity[1] < here.velocity[1]);
    rill_player_destroy(player);
}

/* A stroke becomes one shape, without gaps where the hand was fast; liquid is drawn into it, and none is made. Anew it is gone. */
static void paints_shapes_for_liquid(void **state) {
    (void)state;
    rill_player *player = open_scene();
    tell(player, RILL_ORDER_PLAY, false, 0);
    rill_order hand = { .kind = RILL_ORDER_HAND,
                        .mode = RILL_HAND_PAINTS,
                        .ray = { { 0.03, 0.04, 0.2 }, { 0, 0, -1 } },
                        .numbers = { 1e-5, 0.004 } };
    rill_player_status before, after;
    give(player, &hand);
    before = tell(player, RILL_ORDER_STEP, false, 0);
    hand.ray.origin[0] = 0.05;
    give(player, &hand);
    rill_player_view view;
    rill_grid grid;
    assert_true(rill_player_claim(player, LONG, &view));
    assert_int_equal(rill_world_control_count(view.world), 1);
    assert_int_equal(rill_world_get_grid(view.world, &grid), RILL_OK);
    const size_t count = (size_t)grid.cells[0] * (size_t)grid.cells[1];
    uint8_t *mask = malloc(count);
    assert_int_equal(rill_control_read_mask(view.world, rill_world_control_at(view.world, 0), mask, count), RILL_OK);
    for (size_t i = 0; i < count; ++i) {
        const double x = grid.origin[0] + ((double)(i % (size_t)grid.cells[0]) + 0.5) * grid.cell_size;
        const double y = grid.origin[1] + ((double)(i / (size_t)grid.cells[0]) + 0.5) * grid.cell_size;
        const double away = hypot(fmax(fmax(0.03 - x, x - 0.05), 0), y - 0.04);
        if (fabs(away - 0.004) > 1e-9) assert_int_equal(mask[i], away < 0.004);
    }
    free(mask);
    const double low[3] = { 0.03, 0.036, 0 }, high[3] = { 0.05, 0.044, 0.2 };
    double there, drawn;
    assert_int_equal(rill_query_box_volume(view.world, low, high, &there), RILL_OK);
    rill_player_release(player);
    for (int i = 0; i < 12; ++i) after = tell(player, RILL_ORDER_STEP, false, 0);
    assert_true(rill_player_claim(player, LONG, &view));
    assert_int_equal(rill_query_box_volume(view.world, low, high, &drawn), RILL_OK);
    rill_player_release(player);
    assert_true(drawn > 1.2 * there);
    assert_true(after.ledger.poured == before.ledger.poured && after.ledger.error == 0);
    assert_true(after.control_count == 1 && after.controls[0].strength == 10 && after.controls[0].acts);
    const rill_order weaker = { .kind = RILL_ORDER_CONTROL, .numbers = { 0, 3 } };
    give(player, &weaker);
    after = tell(player, RILL_ORDER_STEP, false, 0);
    assert_true(after.controls[0].strength == 3);
    after = tell(player, RILL_ORDER_RESTART, false, 0);
    assert_int_equal(after.control_count, 0);
    rill_player_destroy(player);
}

/* A hand that moves is many sources, one after the other; the ledger has one account for all of them. */
static void pouring_for_long_keeps_the_ledger_short(void **state) {
    (void)state;
    rill_player *player = open_scene();
    rill_player_view view;
    tell(player, RILL_ORDER_PLAY, false, 0);
    rill_player_status after = { .open = false };
    assert_true(rill_player_claim(player, LONG, &view));
    int32_t accounts = rill_world_account_count(view.world);
    rill_player_release(player);
    for (int i = 0; i < 60; ++i) { /* back and forth by several cells, sometimes let go */
        rill_order hand = { .kind = RILL_ORDER_HAND,
                            .mode = i % 7 == 6 ? RILL_HAND_IDLE : RILL_HAND_POURS,
                            .ray = { { 0.03 + 0.01 * (i % 3), 0.04, 0.2 }, { 0, 0, -1 } },
                            .numbers = { 1e-6 * (1 + i % 2), 0.003 } };
        give(player, &hand);
        after = tell(player, RILL_ORDER_STEP, false, 0);
    }
    assert_true(rill_player_claim(player, LONG, &view));
    assert_int_equal(rill_world_account_count(view.world), accounts + 1);
    rill_player_release(player);
    double expected = (26 * 1e-6 + 26 * 2e-6) * 0.0166667; /* of 60 frames every seventh was idle */
    assert_true(fabs(booked(&after, "poured by hand") - expected) < 0.05 * expected);
    assert_int_equal(after.ledger.error, 0);
    rill_player_destroy(player);
}

static void refuses_bad_files_and_goes_on(void **state) {
    (void)state;
    rill_player *player = open_scene();
    rill_player_status before, after;
    rill_player_read(player, &before);
    const rill_order_kind kinds[] = { RILL_ORDER_OPEN_MESH, RILL_ORDER_LOAD };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        rill_order order = { .kind = kinds[i], .text = "/nowhere/at_all.obj" };
        after = give(player, &order);
        assert_true(after.note_count == before.note_count + 1 && after.open && after.opened == before.opened);
        assert_non_null(strstr(after.note.text, "at_all.obj"));
        before = after;
    }
    rill_player_destroy(player);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plays_in_real_time),
        cmocka_unit_test(claims_stop_the_world),
        cmocka_unit_test(pours_and_sucks_where_the_ray_ends),
        cmocka_unit_test(drags_liquid_along),
        cmocka_unit_test(paints_shapes_for_liquid),
        cmocka_unit_test(pouring_for_long_keeps_the_ledger_short),
        cmocka_unit_test(refuses_bad_files_and_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
