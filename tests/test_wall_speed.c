/* How fast walls are, and when what they press out enters the flow: the rules of wall_speed.c and
 * swept_volume.c one by one, on tables. What becomes of them together see test_pushing.c. Looks inside. */
#include "worlds.h"

#include <math.h>

#include "motion/motion_internal.h"
#include "motion/swept_volume.h"
#include "motion/wall_speed.h"
#include "shape/solid.h"

enum { WIDE = 40, HIGH = 8, CELLS = WIDE * HIGH };
static const double CELL = 1e-3, NOW = 5.0, FRAME = 1.0 / 60.0;

static bool near(double a, double b) {
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/* ------------------------------------------------------------------------------------------------- times of cells */

/* A grid over which something has been moving for the last second, and nothing is known of its form. */
typedef struct motion_state {
    rill_bed bed;
    rill_moving_solid moving;
    rill_cell_times times[CELLS];
    rill_displace_how how;
    rill_displace_job job;
} motion_state;

static void make_motion(motion_state *motion) {
    *motion = (motion_state){ .bed = { .grid = { .cells = { WIDE, HIGH }, .cell_size = CELL }, .quantum = 1e-9 } };
    motion->moving = (rill_moving_solid){ .area = { { 0, 0 }, { WIDE, HIGH } }, .since = NOW - 1.0, .last = NOW };
    for (int i = 0; i < CELLS; ++i) motion->times[i] = (rill_cell_times){ -1.0, -1.0, -1.0 };
    motion->how = (rill_displace_how){ .motion = { &motion->moving, 1, NOW }, .times = motion->times };
    motion->job = (rill_displace_job){ .bed = &motion->bed, .how = &motion->how };
}

static void opened(motion_state *motion, int x, int y, double ago) {
    motion->times[y * WIDE + x].opened = NOW - ago;
}

static void expect(const motion_state *motion, double seconds, int32_t side, int32_t deep, int32_t inner) {
    const rill_wall_speed found = rill_wall_speed_of_opening(&motion->job, 20, 4, 0);
    if (!near(found.seconds, seconds) || found.side != side || found.deep != deep || found.inner != inner)
        fail_msg("%g s, side %d, %d deep, %d inner; expected %g, %d, %d, %d", found.seconds, found.side, found.deep,
                 found.inner, seconds, side, deep, inner);
    const double speed = CELL / seconds;
    assert_true(near(found.velocity[0] + found.velocity[1], side % 2 ? speed : -speed));
    assert_true(found.velocity[side / 2 ? 0 : 1] == 0.0);
}

static void speed_is_the_mean_of_cells_behind(void **state) {
    (void)state;
    motion_state motion;
    const int frames[] = { 0, 3, 6, 10, 13, 16, 20, 23 }; /* 3, 3, 4: as whole frames do */
    make_motion(&motion);
    for (int k = 0; k < 8; ++k) opened(&motion, 20 - k, 4, frames[k] * FRAME);
    expect(&motion, 16.0 / 5.0 * FRAME, 1, 1, 0); /* the first that is a quarter of a second old */
    motion.times[4 * WIDE + 16].pressed = NOW - FRAME;
    expect(&motion, 10.0 / 3.0 * FRAME, 1, 1, 0); /* something has come there since: not this wall */
    motion.times[4 * WIDE + 16].pressed = -1.0;
    motion.moving.since = NOW - 8.0 * FRAME;
    expect(&motion, 3.0 * FRAME, 1, 1, 0); /* what moved before was another motion */
    motion.moving.since = NOW - 1.0;
    opened(&motion, 16, 4, 9.0 * FRAME);
    expect(&motion, 10.0 / 3.0 * FRAME, 1, 1, 0); /* and what is younger than the one before it is another wall */
}

static void speed_is_along_the_longest(void **state) {
    (void)state;
    motion_state motion;
    make_motion(&motion);
    for (int k = 0; k < 4; ++k) { /* on a slant wall the row beside came a moment ago */
        opened(&motion, 20, 4 + k, 1.0 * k * FRAME);
        opened(&motion, 20 + k, 4, 4.0 * k * FRAME);
    }
    expect(&motion, 4.0 * FRAME, 0, 1, 0);
    for (int k = 1; k < 4; ++k) opened(&motion, 20, 4 + k, 6.0 * k * FRAME);
    expect(&motion, 6.0 * FRAME, 2, 1, 0);
}

static void cells_of_one_frame_share_its_time(void **state) {
    (void)state;
    motion_state motion;
    make_motion(&motion);
    for (int k = 0; k < 9; ++k)
        opened(&motion, 22 - k, 4, (double)(k / 4) * FRAME); /* four cells a frame; two are ahead */
    expect(&motion, FRAME / 3.0, 1, 4, 1);                   /* the sixth behind is two frames old */
}

static void ceilings_have_their_own_time(void **state) {
    (void)state;
    motion_state motion;
    make_motion(&motion);
    const double ages[] = { 0.05, 0.24, 0.26, 0.0 }, expected[] = { 0.05, 0.24, -1.0, -1.0 };
    for (int i = 0; i < 4; ++i) {
        motion.times[4 * WIDE + 20].moved = NOW - ages[i];
        assert_true(near(rill_wall_speed_of_ceiling(&motion.job, 20, 4), expected[i]));
    }
    assert_true(rill_wall_speed_of_ceiling(&motion.job, 21, 4) == -1.0); /* never */
}

/* Three columns are pressed at once by a wall, one by what is not known, one by a ceiling. */
static void excess_gets_its_time(void **state) {
    (void)state;
    motion_state motion;
    make_motion(&motion);
    int32_t bases[CELLS] = { 0 };
    rill_displace displace = { .excess = rill_array_make(sizeof(rill_excess)) };
    rill_update update = { .changes = rill_array_make(sizeof(rill_cell_change)) };
    rill_excess all[5] = { { .seconds = -1.0, .node = 4 * WIDE + 20, .x = 20, .y = 4 },
                           { .seconds = -1.0, .before = 1.0, .node = 4 * WIDE + 21, .x = 21, .y = 4 },
                           { .seconds = -1.0, .before = 0.25 * FRAME, .node = 4 * WIDE + 19, .x = 19, .y = 4 },
                           { .seconds = -1.0, .node = 1 * WIDE + 5, .x = 5, .y = 1 },
                           { .seconds = 0.125, .before = 0.5, .node = 6 * WIDE + 30, .x = 30, .y = 6 } };
    displace.excess.data = all;
    displace.excess.count = 5;
    motion.bed.b = bases;
    motion.bed.plane_size = CELLS;
    motion.job.displace = &displace;
    motion.job.update = &update;
    for (int k = 2; k < 8; ++k) motion.times[4 * WIDE + 20 - k].pressed = NOW - (double)(k + 1) * FRAME;
    rill_wall_speed_find(&motion.job);
    const double cell = 8.0 / 7.0 * FRAME; /* seven behind the middle one, eight frames ago */
    assert_int_equal(all[0].wall.deep, 3);
    assert_int_equal(all[0].wall.inner, 1);
    assert_true(near(all[0].seconds, 3.0 * cell));
    assert_true(
        near(all[1].seconds, 2.0 * 3.0 * all[1].wall.seconds)); /* what was expelled before: as much again at most */
    assert_true(near(all[2].seconds, 3.0 * all[2].wall.seconds + 0.25 * FRAME));
    assert_true(near(all[3].seconds, RILL_WALL_SPEED_FIRST));
    assert_true(near(all[4].seconds, 0.25));
    assert_true(motion.times[4 * WIDE + 20].pressed == NOW && motion.times[6 * WIDE + 30].pressed == NOW);
}

/* ---------------------------------------------------------------------------------------------------------- fronts */

/* A box that has come, or gone, by `by` cells and turned by some degrees in a frame. In cells, about the middle of cell
 * (20, 4). */
static rill_wall_speed pass(const double low[2], const double high[2], const double by[2], double turn, bool leaves) {
    const rill_grid grid = { .cells = { WIDE, HIGH }, .cell_size = CELL };
    const double at[2] = { 20.5 * CELL, 4.5 * CELL };
    const rill_allocator allocator = test_allocator(&(test_memory){ 0 });
    rill_solid_def def = box_def(NULL, low[0] * CELL, low[1] * CELL, -1.0, high[0] * CELL, high[1] * CELL, 1.0);
    for (int i = 0; i < 2; ++i) def.translate[i] = at[i];
    def.rotate[2] = turn;
    rill_solid *solid = NULL;
    assert_int_equal(rill_solid_make(&def, &allocator, &solid, NULL), RILL_OK);
    rill_moving_solid moving = { .solid = solid, .interval = FRAME };
    for (int i = 0; i < 2; ++i) moving.former[0][i] = at[i] - by[i] * CELL;
    const rill_wall_speed found = rill_moving_solid_passes(&moving, &grid, (int32_t[]){ 20, 4 }, 0.0, leaves);
    rill_solid_free(solid, &allocator);
    return found;
}

static void must_pass(rill_wall_speed found, int32_t side, double cells, double u, double v) {
    if (found.side != side || fabs(found.seconds * cells / FRAME - 1.0) > 1e-4 || !near(found.interval, FRAME))
        fail_msg("side %d, %g cells a frame; expected %d, %g", found.side, FRAME / found.seconds, side, cells);
    assert_true(fabs(found.velocity[0] - u * CELL / FRAME) < 1e-9 && fabs(found.velocity[1] - v * CELL / FRAME) < 1e-9);
}

/* The face that is nearest tells, and the whole solid the velocity. */
static void the_nearest_face_tells(void **state) {
    (void)state;
    const double low[2] = { -3.0, -5.0 }, high[2] = { 0.3, 2.7 };
    must_pass(pass(low, high, (double[]){ 0.9, 0.0 }, 0.0, false), 1, 0.9, 0.9, 0.0);
    must_pass(pass(low, high, (double[]){ 0.9, 0.4 }, 0.0, false), 1, 0.9, 0.9, 0.4);
    must_pass(pass(low, high, (double[]){ 3.0, 0.0 }, 0.0, false), 1, 3.0, 3.0, 0.0);
    const double other_low[2] = { -4.0, -0.2 }, other_high[2] = { 6.0, 5.0 };
    must_pass(pass(other_low, other_high, (double[]){ 0.0, -0.5 }, 0.0, false), 2, 0.5, 0.0, -0.5);
    /* One that was not there before has not passed; nor one that stood there already. */
    assert_true(pass(low, high, (double[]){ 0.1, 0.0 }, 0.0, false).seconds == 0.0);
    assert_true(pass(low, high, (double[]){ 0.0, 0.0 }, 0.0, false).seconds == 0.0);
}

/* Of a solid that leaves, what is not solid has come. */
static void a_face_that_leaves_tells(void **state) {
    (void)state;
    const double low[2] = { 0.4, -6.0 }, high[2] = { 9.0, 6.0 };
    must_pass(pass(low, high, (double[]){ 0.7, 0.0 }, 0.0, true), 1, 0.7, 0.7, 0.0);
    must_pass(pass(low, high, (double[]){ 8.0, 0.0 }, 0.0, true), 1, 8.0, 8.0, 0.0);
}

/* A bar that turns about an end: at a distance it is as fast as its angle is wide. */
static void a_bar_turns(void **state) {
    (void)state;
    const rill_grid grid = { .cells = { WIDE, HIGH }, .cell_size = CELL };
    const rill_allocator allocator = test_allocator(&(test_memory){ 0 });
    const double step = 0.02, reach = 14.0; /* rad; cells */
    rill_solid_def def = box_def(NULL, -20.0 * CELL, -0.9 * CELL, -1.0, 20.0 * CELL, 0.1 * CELL, 1.0);
    def.translate[0] = (20.5 - reach) * CELL;
    def.translate[1] = 4.5 * CELL;
    rill_solid *solid = NULL;
    assert_int_equal(rill_solid_make(&def, &allocator, &solid, NULL), RILL_OK);
    rill_moving_solid moving = { .solid = solid, .interval = FRAME };
    for (int i = 0; i < 3; ++i) moving.former[0][i] = def.translate[i];
    moving.former[1][2] = -step * 180.0 / 3.14159265358979323846;
    const rill_wall_speed found = rill_moving_solid_passes(&moving, &grid, (int32_t[]){ 20, 4 }, 0.0, false);
    assert_int_equal(found.side, 3);
    assert_true(fabs(found.seconds * step * reach / FRAME - 1.0) < 0.01);
    assert_true(fabs(found.velocity[1] / (sin(step) * reach * CELL / FRAME) - 1.0) < 1e-9);
    assert_true(fabs(found.velocity[0] / ((1.0 - cos(step)) * reach * CELL / FRAME) - 1.0) < 1e-9);
    rill_solid_free(solid, &allocator);
}

/* -------------------------------------------------------------------------------------------------------- expelled */

/* Five columns in a row, all under open sky but the last. */
typedef struct column_row {
    int32_t b[15], c[15], H[15];
    float u[15], v[15];
    rill_sheet sheet;
    rill_bed bed;
    rill_expelled expelled[16];
    rill_flow flow;
} column_row;

static void make_row(column_row *row) {
    *row = (column_row){ .sheet = { .nx = 5, .ny = 3, .stride = 5 } };
    for (int i = 0; i < 15; ++i) row->c[i] = i == 9 ? 1000 : RILL_TOP;
    row->bed = (rill_bed){ .grid = { .cells = { 5, 3 }, .cell_size = CELL },
                           .quantum = 1e-6,
                           .sheets = &row->sheet,
                           .sheet_count = 1,
                           .b = row->b,
                           .c = row->c };
    row->flow = (rill_flow){
        .bed = &row->bed, .H = row->H, .u = row->u, .v = row->v, .expelled = rill_array_make(sizeof(rill_expelled))
    };
    row->flow.expelled.data = row->expelled;
    row->flow.expelled.capacity = 16;
}

static void expelled_liquid_of_one_column_is_joined(void **state) {
    (void)state;
    const struct {
        rill_expelled a, b;
        double seconds, wall;
        int32_t side;
    } cases[] = {
        /* One after the other; */
        { { .place = 7, .side = 1, .amount = 100, .seconds = 1.0, .wall = { 2.0, 0.0 } },
          { .place = 7, .side = 1, .amount = 300, .seconds = 2.0, .wall = { 4.0, 0.0 } },
          3.0,
          3.5,
          1 },
        /* but a little that has much time does not delay much that has little; */
        { { .place = 7, .side = 1, .amount = 1, .seconds = 5.0, .wall = { 0.0, 0.0 } },
          { .place = 7, .side = 1, .amount = 999, .seconds = 0.1, .wall = { 1.0, 0.0 } },
          2.0 * (5.0 + 99.9) / 1000.0,
          0.999,
          1 },
        /* nor for longer than anything takes; */
        { { .place = 7, .side = 1, .amount = 100, .seconds = 9.0, .wall = { 0.0, 0.0 } },
          { .place = 7, .side = 1, .amount = 100, .seconds = 8.0, .wall = { 0.0, 0.0 } },
          RILL_EXPELLED_SLOWEST,
          0.0,
          1 },
        /* and from two sides at the same time. */
        { { .place = 7, .side = 0, .amount = 100, .seconds = 1.0, .wall = { -2.0, 0.0 } },
          { .place = 7, .side = 1, .amount = 300, .seconds = 2.0, .wall = { 2.0, 0.0 } },
          1.6,
          1.0,
          1 },
        { { .place = 7, .side = 0, .amount = 400, .seconds = 4.0, .wall = { -1.0, 0.0 } },
          { .place = 7, .side = 3, .amount = 100, .seconds = 1.0, .wall = { 0.0, 1.0 } },
          2.5,
          -0.8,
          0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        for (int turn = 0; turn < 2; ++turn) {
            column_row row;
            make_row(&row);
            row.expelled[turn] = cases[i].a;
            row.expelled[1 - turn] = cases[i].b;
            row.flow.expelled.count = 2;
            rill_expelled_order(&row.flow);
            assert_int_equal(row.flow.expelled.count, 1);
            const rill_expelled *one = rill_expelled_at(&row.flow, 7);
            if (!near(one->seconds, cases[i].seconds)) fail_msg("case %d: %g s", (int)i, one->seconds);
            assert_int_equal(one->amount, cases[i].a.amount + cases[i].b.amount);
            assert_int_equal(one->side, cases[i].side);
            assert_true(fabs(one->wall[0] - cases[i].wall) < 1e-12);
        }
}

/* Liquid that enters raises columns, and the time step has to know; not under a ceiling. */
static void expelled_liquid_raises_columns(void **state) {
    (void)state;
    column_row row;
    make_row(&row);
    rill_expelled_add(&row.flow, 6, 1000, 0.5, NULL);
    rill_expelled_add(&row.flow, 7, 3000, 0.5, NULL);
    rill_expelled_add(&row.flow, 9, 900000, 0.5, NULL);
    assert_true(near(rill_expelled_rise(&row.flow), 6000.0 * 1e-6));
}

/* Little time is stretched to the step, but not to a long one. */
static void a_step_gives_evenly(void **state) {
    (void)state;
    column_row row;
    make_row(&row);
    const rill_motion motion = { NULL, 0, NOW };
    rill_expelled_add(&row.flow, 6, 1000, 0.001, NULL);
    rill_expelled_add(&row.flow, 7, 1000, 0.2, NULL);
    rill_expelled_begin(&row.flow, 0.02, &motion);
    assert_true(row.expelled[0].seconds == 0.02 && row.expelled[1].seconds == 0.2);
    rill_expelled_begin(&row.flow, 3.0, &motion);
    assert_true(row.expelled[0].seconds == RILL_EXPELLED_LONGEST && row.expelled[1].seconds == RILL_EXPELLED_LONGEST);
}

/* The face between a wall and the column before it gets the wall's speed, no more than a cell in a sub-step, if there
 * still is a wall and nothing on it; and loses it again. */
static void walls_lend_their_speed(void **state) {
    (void)state;
    const double dt = 0.01, cell = CELL / dt;
    const struct {
        int32_t base, above; /* of what stands behind the column, and liquid on it */
        double wall[2];
        float u, v;
    } cases[] = {
        { 500, 0, { 0.05, 0.0 }, 0.05f, 0.0f },
        { 500, 0, { 0.05, 0.02 }, 0.05f, 0.0f }, /* none in the south */
        { 500, 0, { 7.0, 0.0 }, (float)cell, 0.0f },
        { 50, 0, { 0.05, 0.0 }, 0.0f, 0.0f },
        { 500, RILL_DRY + 1, { 0.05, 0.0 }, 0.0f, 0.0f },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        column_row row;
        make_row(&row);
        row.H[7] = 100;
        row.b[6] = cases[i].base;
        row.H[6] = cases[i].above;
        const rill_wall_speed wall = { .seconds = 1.0, .side = 1, .velocity = { cases[i].wall[0], cases[i].wall[1] } };
        rill_expelled_add(&row.flow, 7, 10, 1.0, &wall);
        rill_expelled_push(&row.flow, dt);
        if (row.u[7] != cases[i].u || row.v[7] != cases[i].v) fail_msg("case %d: %g, %g", (int)i, row.u[7], row.v[7]);
        rill_expelled_stop(&row.flow, dt);
        for (int k = 0; k < 15; ++k) assert_true(row.u[k] == 0.0f && row.v[k] == 0.0f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speed_is_the_mean_of_cells_behind),
        cmocka_unit_test(speed_is_along_the_longest),
        cmocka_unit_test(cells_of_one_frame_share_its_time),
        cmocka_unit_test(ceilings_have_their_own_time),
        cmocka_unit_test(excess_gets_its_time),
        cmocka_unit_test(the_nearest_face_tells),
        cmocka_unit_test(a_face_that_leaves_tells),
        cmocka_unit_test(a_bar_turns),
        cmocka_unit_test(expelled_liquid_of_one_column_is_joined),
        cmocka_unit_test(expelled_liquid_raises_columns),
        cmocka_unit_test(a_step_gives_evenly),
        cmocka_unit_test(walls_lend_their_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
