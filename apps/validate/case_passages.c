/* Case 11, second half: what flooded passages do besides swinging.
 *
 *   siphon        a passage over a crest above both levels carries nothing; one that is primed breaks (air is not
 *                 simulated: a column that is not full has a free surface), so the upper well never falls
 *   orifice       Torricelli: t = S / (Cd A) sqrt(2 h0 / g) (1 - sqrt(h / h0)) until the head h, mouth of area A
 *   slot          plane Poiseuille flow between two walls D apart: g dh/dx = 12 nu u / D^2
 *   rest          a vessel with a passage just full, and any ceilings below the level: nothing moves
 *   filling       levels rise and fall slowly past the ceiling of a passage: no jump
 *   cavity        closed all round and full: takes nothing, moves nothing
 *   bits          the same on two threads and with scalar kernels */
#include "cases.h"
#include "vessels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double gravity = 9.81;

static void add_ledger(rill_rig *rig, const char *what, int64_t error) {
    rill_check check = { .mode = "physical", .relation = RILL_ZERO, .value = (double)error, .unit = "quanta" };
    rill_validation_add(rig->validation, &check, "%s: ledger error", what);
}

/* ---------------------------------------------------------------------------------------------------------- siphon */

/* Wells at 20 and 10 mm; the passage between them has its sill at 30 mm. */
static void run_siphon(rill_validation *validation, bool primed) {
    const rill_vessels siphon = { .name = primed ? "primed siphon" : "siphon",
                                  .nx = 50,
                                  .ny = 4,
                                  .x = -1,
                                  .rows = 4,
                                  .strokes = { { 'o', 'E', 20 }, { '=', 'E', 10 }, { 'o', 'E', 20 } },
                                  .dx = 1e-3,
                                  .height = 3e-3,
                                  .sill = 0.03,
                                  .top = 0.05 };
    const double levels[RILL_WELLS] = { 0.02, 0.01, 0 };
    rill_rig rig = { 0 };
    int64_t error = 0;
    rill_well_level high = { 0 }, low = { 0 };
    int8_t *well = rill_vessels_map(validation, &siphon);
    if (well && rill_vessels_build(&rig, validation, &siphon, well)) {
        rill_vessels_fill(&rig, well, levels, primed ? 1 : 0);
        rill_rig_run(&rig, 5, 0.05);
        rill_rig_audit(&rig, &error);
        if (rill_rig_look(&rig)) {
            high = rill_vessels_level(&rig, well, 1);
            low = rill_vessels_level(&rig, well, 2);
        }
    }
    if (rig.ok) {
        rill_check check = { .mode = "physical", .relation = primed ? RILL_AT_LEAST : RILL_ZERO, .unit = "quanta" };
        check.value = round((high.mean - levels[0]) / rig.quantum);
        rill_validation_add(validation, &check, "%s, crest above both levels: upper well's rise", siphon.name);
        check.value = round((low.mean - levels[1]) / rig.quantum);
        rill_validation_add(validation, &check, "%s: lower well's rise", siphon.name);
        if (primed) { /* no more than the passage held: 3 mm of 10 mm into a well of 20 mm */
            check = (rill_check){ .mode = "physical", .relation = RILL_AT_MOST, .target = 1.5, .unit = "mm" };
            check.value = 1e3 * (low.mean - levels[1]);
            rill_validation_add(validation, &check, "%s: lower well's rise, by what was in the passage", siphon.name);
        }
        add_ledger(&rig, siphon.name, error);
    }
    free(well);
    rill_rig_end(&rig);
}

/* --------------------------------------------------------------------------------------------------------- orifice */

/* A tank of 100 x 100 mm, an orifice of 2 x 5 mm in its eastern wall, and a reservoir at a level of 10 mm behind it. */
static void run_orifice(rill_validation *validation, double Cd) {
    const double dx = 2e-3, S = 0.01, A = 1e-5, h0 = 0.05, still = 0.01, rock = 0.08;
    enum { SIDE = 50, LENGTH = 2, OUTSIDE = 8, NX = SIDE + LENGTH + OUTSIDE };
    double share = validation->quick ? 0.8 : 0.5, exact = S / (Cd * A) * sqrt(2 * h0 / gravity) * (1 - sqrt(share));
    double reached = (double)NAN;
    rill_rig rig;
    int64_t error = 0;
    if (rill_rig_begin(&rig, validation, NX, SIDE, dx)) {
        int32_t middle = SIDE / 2;
        for (int32_t y = 0; y < SIDE; ++y)
            for (int32_t x = SIDE; x < SIDE + LENGTH; ++x)
                rig.heights[rill_rig_cell(&rig, x, y)] = y == middle ? 0 : rock;
        rill_rig_add_box(&rig, SIDE * dx, middle * dx, 5e-3, (SIDE + LENGTH) * dx, (middle + 1) * dx, rock);
        rig.def.solver.orifice = Cd;
        rig.def.edges[RILL_EAST] = (rill_edge){ .kind = RILL_EDGE_STILL, .level = still };
    }
    if (rill_rig_build(&rig)) {
        for (size_t i = 0; i < rig.cells; ++i) {
            int32_t x = (int32_t)(i % NX);
            double level = x < SIDE ? still + h0 : still;
            rig.depth[i] = level > rig.base[i] ? level - rig.base[i] : 0;
        }
        rill_rig_fill(&rig);
        const double at[3] = { 0.25 * SIDE * dx, 0.5 * SIDE * dx, 1e-3 };
        double before = still + h0;
        for (int k = 1; rig.ok && isnan(reached) && k < 4000; ++k) {
            rill_sample sample = { 0 };
            if (rill_rig_step(&rig, exact / 1000) &&
                rill_rig_expect(&rig, rill_query_points(rig.world, at, 1, &sample), "rill_query_points") &&
                sample.level <= still + share * h0)
                reached = exact / 1000 * (k - 1 + (before - still - share * h0) / (before - sample.level));
            before = sample.level;
        }
        rill_rig_audit(&rig, &error);
    }
    if (rig.ok) {
        rill_check check = {
            .mode = "physical", .relation = RILL_NEAR, .value = reached, .target = exact, .unit = "s"
        };
        check.tolerance = 0.05;
        rill_validation_add(validation, &check, "100 cm2 through 10 mm2, Cd %.2f: until %g of the head", Cd, share);
        add_ledger(&rig, "tank that drains", error);
    }
    rill_rig_end(&rig);
}

/* ------------------------------------------------------------------------------------------------------------ slot */

/* 20 cells of a slot 1 mm high between reservoirs at 11 and 10 mm. */
static void run_slot(rill_validation *validation) {
    const double dx = 1e-3, D = 1e-3, nu = 1e-5, levels[2] = { 0.011, 0.01 }, rock = 0.02;
    enum { WELL = 6, LENGTH = 20, NX = 2 * WELL + LENGTH, NY = 3 };
    rill_rig rig;
    if (rill_rig_begin(&rig, validation, NX, NY, dx)) {
        rill_rig_add_box(&rig, WELL * dx, 0, D, (WELL + LENGTH) * dx, NY * dx, rock);
        rig.def.liquid.viscosity = nu;
        rig.def.solver.orifice = 0;
        rig.def.edges[RILL_WEST] = (rill_edge){ .kind = RILL_EDGE_STILL, .level = levels[0] };
        rig.def.edges[RILL_EAST] = (rill_edge){ .kind = RILL_EDGE_STILL, .level = levels[1] };
    }
    if (rill_rig_build(&rig)) {
        for (size_t i = 0; i < rig.cells; ++i) rig.depth[i] = levels[(int)(i % NX) < NX / 2 ? 0 : 1];
        rill_rig_fill(&rig);
        rill_rig_run(&rig, validation->quick ? 1 : 3, 0.02);
        rill_rig_look(&rig);
    }
    if (rig.ok) {
        const double *h = rig.depth + NX, *faces = rig.faces + 2 * NX; /* the middle row */
        double fall = h[WELL - 1] - h[WELL + LENGTH], speed = faces[2 * (WELL + LENGTH / 2)];
        double length = LENGTH * dx + 0.5 * dx * (D / h[WELL - 1] + D / h[WELL + LENGTH]);
        rill_check check = { .mode = "physical", .relation = RILL_NEAR, .value = 1e3 * speed, .unit = "mm/s" };
        check.target = 1e3 * gravity * fall / length * D * D / (12 * nu);
        check.tolerance = 0.01;
        rill_validation_add(validation, &check, "flooded slot of %g mm (Poiseuille): speed", 1e3 * D);
    }
    rill_rig_end(&rig);
}

/* ------------------------------------------------------------------------------------------------------------ rest */

/* The largest change of any depth, in quanta, over `steps` sub-steps, which may be `most`; and the largest speed. */
static void watch_rest(rill_rig *rig, const char *name, int64_t steps, double most) {
    size_t columns = (size_t)rig->layers * rig->cells;
    double *before = rill_rig_numbers(rig, columns), moved = 0, speed = 0;
    int64_t error = 0;
    if (before && rill_rig_look(rig)) {
        memcpy(before, rig->depth, columns * sizeof *before);
        double dt = 100 * rill_rig_stable_step(rig, rill_rig_max_depth(rig));
        while (rig->substeps < steps && rill_rig_step(rig, dt) && rill_rig_look(rig)) {
            for (size_t i = 0; i < columns; ++i) {
                double change = fabs(rig->depth[i] - before[i]) / rig->quantum;
                moved = change > moved ? change : moved;
            }
            double fastest = rill_rig_max_speed(rig);
            speed = fastest > speed ? fastest : speed;
            rill_rig_audit(rig, &error);
        }
    }
    if (rig->ok) {
        rill_check check = { .mode = "physical", .relation = RILL_AT_MOST, .target = most, .unit = "quanta" };
        check.value = round(moved);
        rill_validation_add(rig->validation, &check, "%s: a level moves in %.3g sub-steps", name,
                            (double)rig->substeps);
        check = (rill_check){ .mode = "physical", .value = speed, .unit = "m/s" };
        rill_validation_add(rig->validation, &check, "%s: largest face speed", name);
        add_ledger(rig, name, error);
    }
    free(before);
}

typedef struct stillness {
    const char *name;
    double ceiling;   /* m, of the passage that takes the middle half of a vessel; 0: random ceilings all over */
    double level;     /* m */
    double viscosity; /* m2/s */
    rill_passages passages;
} stillness;

static void cover_at_random(rill_rig *rig, double level) {
    uint64_t seed = 11;
    for (int32_t y = 0; y < rig->ny; ++y) {
        for (int32_t x = 0; x < rig->nx; ++x) {
            rig->heights[rill_rig_cell(rig, x, y)] = 0.3 * level * rill_rig_random(&seed);
            if (rill_rig_random(&seed) < 0.7) {
                double z = level * (0.4 + 0.55 * rill_rig_random(&seed));
                rill_rig_add_box(rig, x * rig->dx, y * rig->dx, z, (x + 1) * rig->dx, (y + 1) * rig->dx, z + 1e-4);
            }
        }
    }
}

static void run_rest(rill_validation *validation, const stillness *s) {
    rill_rig rig;
    if (rill_rig_begin(&rig, validation, 40, 20, 1e-3)) {
        double width = 40 * rig.dx;
        if (s->ceiling > 0)
            rill_rig_add_box(&rig, 0.25 * width, 0, s->ceiling, 0.75 * width, width, 0.02);
        else
            cover_at_random(&rig, s->level);
        rig.def.liquid.viscosity = s->viscosity;
        rig.def.solver.passages = s->passages;
        rig.def.solver.skip_idle = false;
    }
    if (rill_rig_build(&rig)) {
        const double at[3] = { 0.5 * rig.dx, 0.5 * rig.dx, 0.35 * s->level };
        rill_rig_expect(&rig, rill_world_fill_level(rig.world, at, s->level, NULL), "rill_world_fill_level");
        watch_rest(&rig, s->name, validation->quick ? 1000 : 20000, 10);
    }
    rill_rig_end(&rig);
}

/* --------------------------------------------------------------------------------------------------------- filling */

/* Rises from below the ceiling of a passage, 5 mm high, to above it and falls again, at 0.05 mm/s. */
static void run_filling(rill_validation *validation) {
    enum { WELL = 10, LENGTH = 20, NX = 2 * WELL + LENGTH, NY = 6 };
    const double dx = 1e-3, rise = 5e-5, low = 4.7e-3, high = 5.3e-3, ceiling = 5e-3;
    const rill_vessels basin = { .name = "slow filling",
                                 .nx = NX,
                                 .ny = NY,
                                 .x = -1,
                                 .rows = NY,
                                 .strokes = { { 'o', 'E', WELL }, { '=', 'E', LENGTH }, { 'o', 'E', WELL } },
                                 .dx = dx,
                                 .height = ceiling,
                                 .top = 0.02,
                                 .viscosity = 1e-6 };
    rill_rig rig = { 0 };
    int8_t *well = rill_vessels_map(validation, &basin);
    double jump = 0, apart = 0, *before = NULL;
    int64_t error = 0;
    if (well && rill_vessels_build(&rig, validation, &basin, well)) {
        const double levels[RILL_WELLS] = { low, low, 0 };
        rill_source_def tap = rill_default_source_def();
        tap.shape = RILL_SOURCE_BOX;
        memcpy(tap.max, (double[3]){ WELL * dx, NY * dx, 0.02 }, sizeof tap.max);
        rill_source_id source = { 0 }, sink = { 0 };
        rill_vessels_fill(&rig, well, levels, low);
        /* Below the ceiling the whole basin rises, at half the speed, above it the wells alone. */
        tap.rate = rise * 2 * WELL * NY * dx * dx;
        tap.until = (high - low) / rise * 1.5;
        rill_rig_expect(&rig, rill_source_create(rig.world, &tap, &source), "rill_source_create");
        tap.sink = true;
        tap.from = tap.until;
        tap.until = (double)INFINITY;
        rill_rig_expect(&rig, rill_source_create(rig.world, &tap, &sink), "rill_source_create");
        before = rill_rig_numbers(&rig, rig.cells);
        double end = 2 * tap.from, dt = 0.9 * rill_rig_stable_step(&rig, high);
        rill_rig_look(&rig);
        for (double t = 0; rig.ok && t < (validation->quick ? 0.7 * end : end); t += dt) {
            memcpy(before, rig.depth, rig.cells * sizeof *before);
            rill_rig_step(&rig, dt);
            rill_rig_look(&rig);
            for (size_t i = 0; rig.ok && i < rig.cells; ++i) {
                double change = well[i] > 0 ? fabs(rig.depth[i] - before[i]) / before[i] : 0;
                jump = change > jump ? change : jump;
            }
            double west = rill_vessels_level(&rig, well, 1).mean, east = rill_vessels_level(&rig, well, 2).mean;
            apart = fmax(apart, fabs(west - east) / west);
        }
        rill_rig_audit(&rig, &error);
    }
    if (rig.ok) {
        rill_check check = { .mode = "physical", .relation = RILL_AT_MOST, .value = 100 * jump, .unit = "%" };
        check.target = 1;
        rill_validation_add(validation, &check, "slow rise and fall past a ceiling: worst jump, of depth");
        check.value = 100 * apart;
        rill_validation_add(validation, &check, "slow rise and fall past a ceiling: wells apart, of depth");
        add_ledger(&rig, "slow rise and fall", error);
    }
    free(before);
    free(well);
    rill_rig_end(&rig);
}

/* ---------------------------------------------------------------------------------------------------------- cavity */

static void run_cavity(rill_validation *validation) {
    rill_rig rig;
    rill_status refused = 0;
    uint64_t seed = 5;
    if (rill_rig_begin(&rig, validation, 20, 20, 1e-3)) {
        /* A bed with a pit of 12 x 12 cells under a slab. */
        for (int32_t y = 0; y < rig.ny; ++y)
            for (int32_t x = 0; x < rig.nx; ++x)
                rig.heights[rill_rig_cell(&rig, x, y)] = x > 3 && x < 16 && y > 3 && y < 16 ? -5e-3 : 0;
        rill_rig_add_box(&rig, 0, 0, -1e-3, 20e-3, 20e-3, 1e-3);
        rig.def.liquid.viscosity = 1e-6;
    }
    if (rill_rig_build(&rig)) {
        const double at[3] = { 0.01, 0.01, -3e-3 };
        rill_rig_expect(&rig, rill_world_fill_level(rig.world, at, 0, NULL), "rill_world_fill_level");
        rill_rig_look(&rig);
        for (size_t i = 0; rig.ok && i < 2 * rig.cells; ++i) rig.faces[i] = 0.02 * (rill_rig_random(&seed) - 0.5);
        rill_rig_expect(&rig, rill_world_set_velocities(rig.world, 0, rig.faces, 2 * rig.cells),
                        "rill_world_set_velocities");
        /* Not at rest: whole quanta cross its faces in circles, and full is a band of some quanta. */
        watch_rest(&rig, "sealed cavity, stirred", validation->quick ? 2000 : 20000, 64);
        rill_source_def tap = rill_default_source_def();
        memcpy(tap.at, at, sizeof at);
        tap.rate = 1e-7;
        rill_source_id id;
        rill_rig_expect(&rig, rill_source_create(rig.world, &tap, &id), "rill_source_create");
        refused = rig.ok && rill_world_step(rig.world, 0.01) == RILL_OK ? rill_world_status(rig.world) : 0;
    }
    if (rig.ok) {
        rill_check check = { .mode = "physical", .relation = RILL_AT_LEAST, .target = 1 };
        check.value = refused & RILL_STATUS_SOURCE_REFUSED ? 1 : 0;
        rill_validation_add(validation, &check, "sealed cavity: a source in it is refused");
    }
    rill_rig_end(&rig);
}

/* ------------------------------------------------------------------------------------------------------------ bits */

/* Lets a dam break into a room with pillars, a low ceiling and a slab with a hole; returns the hash after a second. */
static uint64_t hash_of(rill_validation *validation, int threads, bool scalar) {
    rill_validation with = *validation;
    rill_rig rig;
    uint64_t hash = 0;
    with.threads = threads;
    with.scalar = scalar;
    if (rill_rig_begin(&rig, &with, 60, 40, 1e-3)) {
        rill_rig_add_box(&rig, 0.02, 0, 3e-3, 0.05, 0.025, 6e-3);
        rill_rig_add_box(&rig, 0.02, 0.025, 5e-3, 0.05, 0.04, 6e-3);
        rill_rig_add_box(&rig, 0.03, 0.01, 0, 0.034, 0.016, 6e-3);
        rill_rig_add_box(&rig, 0.04, 0.028, 0, 0.044, 0.032, 6e-3);
        rig.def.liquid.viscosity = 1e-6;
        rig.def.solver.rest = true;
        rig.def.solver.orifice = 0.61;
    }
    if (rill_rig_build(&rig)) {
        for (size_t i = 0; i < rig.cells; ++i) rig.depth[i] = i % 60 < 20 ? 0.012 : 5e-4;
        rill_rig_fill(&rig);
        rill_rig_run(&rig, 1, 1.0 / 60);
        hash = rig.ok ? rill_world_hash(rig.world) : 0;
    }
    rill_rig_end(&rig);
    validation->rows = with.rows; /* a failure has added a row */
    validation->row_count = with.row_count;
    validation->row_capacity = with.row_capacity;
    validation->out_of_memory = with.out_of_memory;
    return hash;
}

static void run_bits(rill_validation *validation) {
    uint64_t one = hash_of(validation, 1, false);
    rill_check check = { .mode = "physical", .relation = RILL_ZERO };
    check.value = one == hash_of(validation, 2, false) ? 0 : 1;
    rill_validation_add(validation, &check, "dam break into a low room: bits differ on 2 threads");
    check.value = one == hash_of(validation, 1, true) ? 0 : 1;
    rill_validation_add(validation, &check, "dam break into a low room: bits differ with scalar kernels");
}

void rill_case_passages(rill_validation *validation) {
    static const stillness stillnesses[] = {
        { .name = "passage just full", .ceiling = 5e-3, .level = 5e-3 },
        { .name = "passage just full, viscous", .ceiling = 5e-3, .level = 5e-3, .viscosity = 1e-6 },
        { .name = "level above the passage", .ceiling = 5e-3, .level = 8e-3 },
        { .name = "extended pipes", .ceiling = 5e-3, .level = 8e-3, .passages = RILL_PASSAGES_STRAIGHT },
        { .name = "random ceilings", .level = 8e-3 },
    };
    run_siphon(validation, false);
    run_siphon(validation, true);
    run_orifice(validation, 1);
    run_orifice(validation, 0.61);
    run_slot(validation);
    for (size_t i = 0; i < sizeof stillnesses / sizeof stillnesses[0]; ++i) run_rest(validation, &stillnesses[i]);
    run_filling(validation);
    run_cavity(validation);
    run_bits(validation);
}
