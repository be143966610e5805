/* Flooded passages where they begin and end: slams that outgrow the space they are solved in, and the moment of filling over a
 * range of cells, heights and liquids. */
#include "tanks.h"

/* ------------------------------------------------------------------------------------------------------------- slams */

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slams_are_solved_to_their_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
