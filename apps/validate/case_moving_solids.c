/* Case 25: solids that move through the liquid.
 *
 *   box       sunk into a tank it raises the level by what it displaces, lifted again it leaves the level where it was
 *   piston    fills a well from wall to wall and is pressed down: its volume comes up in the other well
 *   gate      drawn up between two basins: they come to one level
 *   lid       closes a pit that is full: nothing gets out, however the tray is tilted, until it is lifted
 *   tumult    boxes jump and turn at random: the ledger stays exactly 0, and the bits are the same on two threads and
 *             with scalar kernels
 *
 * Exact solutions are volumes over areas: nothing is created or lost, and at rest the surface is level. */
#include "cases.h"
#include "rig.h"

#include <math.h>
#include <string.h>

static const double no_turn[3] = { 0, 0, 0 };

static bool put(rill_rig *rig, const char *name, double x, double y, double z) {
    const double place[3] = { x, y, z };
    rill_solid_id id = rill_solid_find(rig->world, name);
    return rig->ok && rill_rig_expect(rig, rill_solid_set_pose(rig->world, id, place, no_turn), "rill_solid_set_pose");
}

/* From one height to another within a time, a move before each step. */
static void move(rill_rig *rig, const char *name, double from, double to, double duration, int64_t *error) {
    enum { STEPS = 60 };
    for (int k = 1; k <= STEPS && put(rig, name, 0, 0, from + (to - from) * k / STEPS); ++k) {
        rill_rig_step(rig, duration / STEPS);
        rill_rig_audit(rig, error);
    }
}

static void add_ledger(rill_rig *rig, const char *what, int64_t error) {
    rill_check check = { .mode = "physical", .relation = RILL_ZERO, .value = (double)error, .unit = "quanta" };
    rill_validation_add(rig->validation, &check, "%s: ledger error", what);
}

static double level_at(rill_rig *rig, double x, double y) {
    const double at[3] = { x, y, 1e-4 };
    rill_sample sample = { 0 };
    rill_rig_expect(rig, rill_query_points(rig->world, at, 1, &sample), "rill_query_points");
    return sample.level;
}

/* The lowest and highest level of the ground floor's columns under open sky. */
static void open_levels(rill_rig *rig, double *low, double *high) {
    *low = (double)INFINITY;
    *high = -(double)INFINITY;
    for (int32_t y = 0; y < rig->ny && rig->ok; ++y) {
        for (int32_t x = 0; x < rig->nx; ++x) {
            const double at[3] = { rill_rig_centre(rig, x), rill_rig_centre(rig, y), 1e-4 };
            rill_sample sample = { 0 };
            rill_rig_expect(rig, rill_query_points(rig->world, at, 1, &sample), "rill_query_points");
            if (sample.found && sample.wet && isinf(sample.ceiling)) {
                *low = sample.level < *low ? sample.level : *low;
                *high = sample.level > *high ? sample.level : *high;
            }
        }
    }
}

static void add_level(rill_rig *rig, const char *what, double value, double target, double tolerance) {
    rill_check check = { .mode = "physical", .relation = RILL_NEAR, .value = 1e3 * value, .unit = "mm" };
    check.target = 1e3 * target;
    check.tolerance = tolerance;
    rill_validation_add(rig->validation, &check, "%s", what);
}

/* ------------------------------------------------------------------------------------------------------------- box */

/* A tank of 50 x 50 mm, 10 mm deep; a box of 20 x 20 mm goes down until it is 3 mm above the floor. */
static void run_box(rill_validation *validation) {
    const double deep = 0.01, side = 0.05, box = 0.02, above = 0.012, below = 0.003;
    rill_rig rig;
    int64_t error = 0;
    double sunk = 0, low = 0, high = 0;
    if (rill_rig_begin(&rig, validation, 50, 50, 1e-3)) {
        rill_rig_add_box(&rig, 0.01, 0.015, 0, 0.01 + box, 0.015 + box, 0.02);
        if (rig.ok) {
            rig.boxes[0].name = "box";
            rig.boxes[0].translate[2] = above;
        }
        rig.def.liquid.viscosity = 3e-4;
    }
    if (rill_rig_build(&rig)) {
        const double at[3] = { 1e-3, 1e-3, 1e-3 };
        double settle = validation->quick ? 4 : 8;
        rill_rig_expect(&rig, rill_world_fill_level(rig.world, at, deep, NULL), "rill_world_fill_level");
        move(&rig, "box", above, below, 0.2, &error);
        rill_rig_run(&rig, settle, 0.05);
        sunk = level_at(&rig, 0.045, 0.045);
        move(&rig, "box", below, above, 0.2, &error);
        rill_rig_run(&rig, settle, 0.05);
        open_levels(&rig, &low, &high);
        low = fmin(low, level_at(&rig, 0.015, 0.02));
        high = fmax(high, level_at(&rig, 0.015, 0.02));
    }
    if (rig.ok) {
        double exact = (deep * side * side - below * box * box) / (side * side - box * box);
        add_level(&rig, "box sunk into a tank: level", sunk, exact, 1e-3);
        add_level(&rig, "box lifted again: lowest level", low, deep, 1e-5);
        add_level(&rig, "box lifted again: highest level", high, deep, 1e-5);
        add_ledger(&rig, "box sunk and lifted", error);
    }
    rill_rig_end(&rig);
}

/* ---------------------------------------------------------------------------------------------------------- piston */

/* Wells of 20 x 20 mm, a passage 20 mm long and wide and 4 mm high; the piston goes from 12 to 7 mm above the floor. */
static void run_piston(rill_validation *validation) {
    const double level = 0.01, from = 0.012, to = 0.007;
    rill_rig rig;
    int64_t error = 0;
    double risen = 0, back[2] = { 0, 0 };
    if (rill_rig_begin(&rig, validation, 60, 20, 1e-3)) {
        rill_rig_add_box(&rig, 0.02, 0, 4e-3, 0.04, 0.02, 0.03);
        rill_rig_add_box(&rig, 0, 0, 0, 0.02, 0.02, 0.02);
        if (rig.ok) {
            rig.boxes[1].name = "piston";
            rig.boxes[1].translate[2] = from;
        }
        rig.def.liquid.viscosity = 1e-4;
        rig.def.solver.orifice = 0;
    }
    if (rill_rig_build(&rig)) {
        const double at[3] = { 0.05, 0.01, 1e-3 };
        double settle = validation->quick ? 5 : 8;
        rill_rig_expect(&rig, rill_world_fill_level(rig.world, at, level, NULL), "rill_world_fill_level");
        move(&rig, "piston", from, to, 0.5, &error);
        rill_rig_run(&rig, settle, 0.05);
        risen = level_at(&rig, 0.05, 0.01);
        move(&rig, "piston", to, from, 0.5, &error);
        rill_rig_run(&rig, settle, 0.05);
        back[0] = level_at(&rig, 0.01, 0.01);
        back[1] = level_at(&rig, 0.05, 0.01);
    }
    if (rig.ok) {
        add_level(&rig, "piston pressed down: level of the other well", risen, 2 * level - to, 1e-3);
        add_level(&rig, "piston drawn up again: its well", back[0], level, 1e-4);
        add_level(&rig, "piston drawn up again: the other well", back[1], level, 1e-4);
        add_ledger(&rig, "piston", error);
    }
    rill_rig_end(&rig);
}

/* ------------------------------------------------------------------------------------------------------------ gate */

/* Basins of 30 and 26 mm at 16 and 6 mm, a gate 4 mm thick. */
static void run_gate(rill_validation *validation) {
    rill_rig rig;
    int64_t error = 0;
    double low = 0, high = 0;
    if (rill_rig_begin(&rig, validation, 60, 12, 1e-3)) {
        rill_rig_add_box(&rig, 0.03, 0, 0, 0.034, 0.012, 0.02);
        if (rig.ok) rig.boxes[0].name = "gate";
        rig.def.liquid.viscosity = 3e-4;
    }
    if (rill_rig_build(&rig)) {
        const double west[3] = { 0.01, 5e-3, 1e-3 }, east[3] = { 0.05, 5e-3, 1e-3 };
        rill_rig_expect(&rig, rill_world_fill_level(rig.world, west, 0.016, NULL), "rill_world_fill_level");
        rill_rig_expect(&rig, rill_world_fill_level(rig.world, east, 0.006, NULL), "rill_world_fill_level");
        rill_rig_run(&rig, 0.2, 0.02);
        move(&rig, "gate", 0, 0.025, 0.5, &error);
        rill_rig_run(&rig, validation->quick ? 4 : 10, 0.05);
        open_levels(&rig, &low, &high);
    }
    if (rig.ok) {
        const double exact = (0.03 * 0.016 + 0.026 * 0.006) / 0.06;
        add_level(&rig, "gate drawn up: lowest level", low, exact, 1e-3);
        add_level(&rig, "gate drawn up: highest level", high, exact, 1e-3);
        add_ledger(&rig, "gate", error);
    }
    rill_rig_end(&rig);
}

/* ------------------------------------------------------------------------------------------------------------- lid */

static double pit_volume(rill_rig *rig) {
    const double min[3] = { 0, 0, -1 }, max[3] = { 1, 1, -1e-9 };
    double volume = 0;
    rill_rig_expect(rig, rill_query_box_volume(rig->world, min, max, &volume), "rill_query_box_volume");
    return volume;
}

/* A pit of 20 x 20 x 4 mm in a plain with open edges; the lid comes down on it, the tray is tilted by 30 degrees. */
static void run_lid(rill_validation *validation) {
    rill_rig rig;
    int64_t error = 0;
    double closed = 0, tilted = 0, opened = 0;
    if (rill_rig_begin(&rig, validation, 40, 40, 1e-3)) {
        for (int32_t y = 0; y < 40; ++y)
            for (int32_t x = 0; x < 40; ++x)
                rig.heights[rill_rig_cell(&rig, x, y)] = x >= 10 && x < 30 && y >= 10 && y < 30 ? -4e-3 : 0;
        rill_rig_add_box(&rig, 5e-3, 5e-3, 0, 0.035, 0.035, 3e-3);
        if (rig.ok) {
            rig.boxes[0].name = "lid";
            rig.boxes[0].translate[2] = 0.01;
        }
        for (int side = 0; side < 4; ++side) rig.def.edges[side].kind = RILL_EDGE_OPEN;
        rig.def.liquid.viscosity = 1e-6;
    }
    if (rill_rig_build(&rig)) {
        const double at[3] = { 0.02, 0.02, -2e-3 }, tilt[3] = { 4.905, 0, -8.4957 };
        rill_rig_expect(&rig, rill_world_fill_level(rig.world, at, -1e-4, NULL), "rill_world_fill_level");
        move(&rig, "lid", 0.01, 0, 0.5, &error);
        closed = pit_volume(&rig);
        rill_rig_expect(&rig, rill_world_set_gravity(rig.world, tilt), "rill_world_set_gravity");
        rill_rig_run(&rig, 1, 0.02);
        rill_rig_audit(&rig, &error);
        tilted = pit_volume(&rig);
        move(&rig, "lid", 0, 0.01, 0.5, &error);
        rill_rig_run(&rig, 1, 0.02);
        rill_rig_audit(&rig, &error);
        opened = pit_volume(&rig);
    }
    if (rig.ok) {
        rill_check check = {
            .mode = "physical", .relation = RILL_ZERO, .value = 1e6 * (tilted - closed), .unit = "ml"
        };
        rill_validation_add(validation, &check, "lid on a pit, tilted: what gets out");
        check = (rill_check){ .mode = "physical", .relation = RILL_AT_LEAST, .target = 0.3, .unit = "ml" };
        check.value = 1e6 * (closed - opened);
        rill_validation_add(validation, &check, "lid lifted, tilted: what runs out");
        add_ledger(&rig, "lid", error);
    }
    rill_rig_end(&rig);
}

/* ---------------------------------------------------------------------------------------------------------- tumult */

typedef struct toll {
    int64_t error; /* of the ledger, quanta */
    uint64_t hash;
} toll;

static toll tumble(rill_validation *validation, int threads, bool scalar, int moves) {
    enum { BOXES = 3 };
    static const char *const names[BOXES] = { "red", "green", "blue" };
    rill_validation with = *validation;
    rill_rig rig;
    toll found = { 0 };
    uint64_t seed = 25;
    with.threads = threads;
    with.scalar = scalar;
    if (rill_rig_begin(&rig, &with, 40, 32, 1e-3)) {
        rill_rig_add_box(&rig, 0.008, 0, 4e-3, 0.02, 0.02, 6e-3); /* a table that stays */
        for (int i = 0; i < BOXES && rig.ok; ++i) {
            rill_rig_add_box(&rig, -4e-3, -3e-3, -2e-3, 4e-3, 3e-3, 2e-3);
            rig.boxes[rig.box_count - 1].name = names[i];
        }
        rig.def.headroom = 0.03;
        rig.def.liquid.viscosity = 1e-6;
        rig.def.solver.rest = true;
    }
    if (rill_rig_build(&rig)) {
        const double at[3] = { 0.03, 0.03, 3e-3 };
        rill_rig_expect(&rig, rill_world_fill_level(rig.world, at, 5e-3, NULL), "rill_world_fill_level");
        for (int k = 0; k < moves && rig.ok; ++k) {
            rill_solid_id id = rill_solid_find(rig.world, names[k % BOXES]);
            double place[3] = { 0.04 * rill_rig_random(&seed), 0.032 * rill_rig_random(&seed), 0 };
            double turn[3] = { 0, 0, 0 };
            place[2] = 8e-3 * rill_rig_random(&seed);
            for (int axis = 0; axis < 3; ++axis) turn[axis] = k % 2 ? 360 * rill_rig_random(&seed) : 0;
            rill_rig_expect(&rig, rill_solid_set_pose(rig.world, id, place, turn), "rill_solid_set_pose");
            rill_rig_step(&rig, 0.005);
            rill_rig_audit(&rig, &found.error);
        }
        rill_message message = { "" };
        if (rig.ok && rill_world_validate(rig.world, &message) != RILL_OK) rill_validation_broken(&with, message.text);
        found.hash = rig.ok ? rill_world_hash(rig.world) : 0;
    }
    rill_rig_end(&rig);
    validation->rows = with.rows; /* a failure has added a row */
    validation->row_count = with.row_count;
    validation->row_capacity = with.row_capacity;
    validation->out_of_memory = with.out_of_memory;
    return found;
}

static void run_tumult(rill_validation *validation) {
    int moves = validation->quick ? 300 : 3000, fewer = moves / 10;
    toll found = tumble(validation, validation->threads, validation->scalar, moves);
    rill_check check = { .mode = "physical", .relation = RILL_ZERO, .value = (double)found.error, .unit = "quanta" };
    rill_validation_add(validation, &check, "boxes that jump and turn: ledger error, %d moves", moves);
    uint64_t one = tumble(validation, 1, false, fewer).hash;
    check.unit = NULL;
    check.value = one == tumble(validation, 2, false, fewer).hash ? 0 : 1;
    rill_validation_add(validation, &check, "boxes that jump and turn: bits differ on 2 threads");
    check.value = one == tumble(validation, 1, true, fewer).hash ? 0 : 1;
    rill_validation_add(validation, &check, "boxes that jump and turn: bits differ with scalar kernels");
}

void rill_case_moving_solids(rill_validation *validation) {
    run_box(validation);
    run_piston(validation);
    run_gate(validation);
    run_lid(validation);
    run_tumult(validation);
    rill_case_pushing_walls(validation);
}
