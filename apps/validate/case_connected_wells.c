/* Case 11: vessels joined by flooded passages.
 *
 * Problem: two or three wells of cross-section S whose liquid swings through a passage that is full to its ceiling.
 * Exact solution for small swings: w^2 = g (1/S1 + 1/S2) / I, with the inertance I = sum of length over cross-section
 * along the way: the passage's own, half a cell at each mouth in which the flow narrows, and that of the wells,
 * through which less and less flows the farther from the mouth: sum over k of (k/n)^2 dx / (W H) in a well of n
 * cells, W wide, H deep. In a star of three alike branches the period is that of one branch and one well, for any
 * pair of wells. Nothing depends on bends, which are of zero length here, nor on slopes, as long as the section is
 * the same.
 *
 * "Extended pipe" is `passages = straight`, the paper's own way, which knows straight passages alone.
 *
 * Measured: the period by the zeros of the difference of the mean levels; the third well's level, which should not
 * move; and with viscosity the levels when all has come to rest, which are equal. */
#include "cases.h"
#include "exact_solutions.h"
#include "rig.h"
#include "vessels.h"

#include <math.h>
#include <stdlib.h>

static const double gravity = 9.81;

/* ---------------------------------------------------------------------------------------------------------- vessels */

enum { WELL = 16 }; /* cells of each, in a line */

#define NARROW .dx = 1e-3, .height = 1e-3, .top = 0.12
static const rill_vessels tubes[] = {
    { .name = "straight",
      .nx = 52,
      .ny = 1,
      .x = -1,
      .strokes = { { 'o', 'E', WELL }, { '=', 'E', 20 }, { 'o', 'E', WELL } },
      NARROW },
    { .name = "L-bent",
      .nx = 26,
      .ny = 27,
      .x = -1,
      .strokes = { { 'o', 'E', WELL }, { '=', 'E', 10 }, { '=', 'N', 10 }, { 'o', 'N', WELL } },
      NARROW },
    { .name = "S-bent",
      .nx = 45,
      .ny = 8,
      .x = -1,
      .strokes = { { 'o', 'E', WELL }, { '=', 'E', 6 }, { '=', 'N', 7 }, { '=', 'E', 7 }, { 'o', 'E', WELL } },
      NARROW },
    { .name = "sloping",
      .nx = 52,
      .ny = 1,
      .x = -1,
      .strokes = { { 'o', 'E', WELL }, { '=', 'E', 20 }, { 'o', 'E', WELL } },
      .slope = 1e-4,
      NARROW },
    { .name = "extended pipe",
      .nx = 52,
      .ny = 1,
      .x = -1,
      .strokes = { { 'o', 'E', WELL }, { '=', 'E', 20 }, { 'o', 'E', WELL } },
      .passages = RILL_PASSAGES_STRAIGHT,
      NARROW },
};
static const rill_vessels star = { .name = "T-branched",
                                   .nx = 53,
                                   .ny = 27,
                                   .x = -1,
                                   .strokes = { { 'o', 'E', WELL },
                                                { '=', 'E', 21 },
                                                { 'o', 'E', WELL },
                                                { '.', 'W', 26 },
                                                { '=', 'N', 10 },
                                                { 'o', 'N', WELL } },
                                   NARROW };

/* Inertance (1/m) of a well of `cells` cells in a line, and of the half cell in front of the mouth. */
static double end_inertance(double dx, double cells, double width, double depth) {
    double sum = 0.5 * dx / (width * depth);
    for (double k = 1; k < cells; ++k) sum += (k / cells) * (k / cells) * dx / (width * depth);
    return sum;
}

/* ----------------------------------------------------------------------------------------------------------- swings */

enum { SAMPLES = 100 /* per period */ };

typedef struct swing {
    const rill_vessels *vessels;
    double depth, amplitude; /* m: of the wells at rest, of the first two wells' levels */
    double period;           /* s, exact */
    int wells;
} swing;

static double largest(const double *signal, int from, int to) {
    double most = 0;
    for (int k = from; k < to; ++k) most = fabs(signal[k]) > most ? fabs(signal[k]) : most;
    return most;
}

static void add_swing(rill_validation *validation, const swing *s, const double *signal, int count, double third) {
    const char *name = s->vessels->name;
    double dt = s->period / SAMPLES;
    rill_check period = { .mode = "physical", .relation = RILL_NEAR, .value = rill_rig_mean_period(signal, count, dt) };
    period.target = s->period;
    period.tolerance = 2e-3;
    period.unit = "s";
    rill_validation_add(validation, &period, "%s, wells %g mm: period", name, 1e3 * s->depth);
    rill_check kept = { .mode = "physical", .relation = RILL_AT_LEAST, .target = 0.99 };
    kept.value = largest(signal, count - 1 - SAMPLES, count) / largest(signal, 0, SAMPLES);
    rill_validation_add(validation, &kept, "%s: amplitude kept over %d T", name, (count - 1) / SAMPLES - 1);
    if (s->wells > 2) {
        rill_check still = { .mode = "physical", .relation = RILL_AT_MOST, .value = third / s->amplitude };
        still.target = 1e-3;
        rill_validation_add(validation, &still, "%s: third well moves, of the amplitude", name);
    }
}

static void run_swing(rill_validation *validation, const swing *s) {
    int count = (validation->quick ? 3 : 7) * SAMPLES + 1;
    double *signal = NULL, third = 0;
    int64_t error = 0;
    rill_rig rig = { 0 };
    int8_t *well = rill_vessels_map(validation, s->vessels);
    if (well && rill_vessels_build(&rig, validation, s->vessels, well)) {
        const double levels[RILL_WELLS] = { s->depth + s->amplitude, s->depth - s->amplitude, s->depth };
        signal = rill_rig_numbers(&rig, (size_t)count);
        rill_vessels_fill(&rig, well, levels, s->depth);
        for (int k = 0; k < count && rig.ok; ++k) {
            if ((k == 0 || rill_rig_step(&rig, s->period / SAMPLES)) && rill_rig_look(&rig)) {
                signal[k] = rill_vessels_level(&rig, well, 1).mean - rill_vessels_level(&rig, well, 2).mean;
                double rise = s->wells > 2 ? fabs(rill_vessels_level(&rig, well, 3).mean - s->depth) : 0;
                third = rise > third ? rise : third;
                rill_rig_audit(&rig, &error);
            }
        }
        if (rig.ok) {
            add_swing(validation, s, signal, count, third);
            rill_check ledger = { .mode = "physical", .relation = RILL_ZERO, .value = (double)error, .unit = "quanta" };
            rill_validation_add(validation, &ledger, "%s: ledger error", s->vessels->name);
        }
    }
    free(signal);
    free(well);
    rill_rig_end(&rig);
}

static void run_tubes(rill_validation *validation) {
    const double depth = 0.1, S = WELL * 1e-6;
    for (size_t i = 0; i < sizeof tubes / sizeof tubes[0]; ++i) {
        const rill_vessels *t = &tubes[i];
        double inertance = 20 * t->dx / (t->height * t->dx) + 2 * end_inertance(t->dx, WELL, t->dx, depth);
        swing s = { .vessels = t, .depth = depth, .amplitude = 5e-4, .wells = 2 };
        s.period = 2 * RILL_PI / sqrt(gravity * 2 / S / inertance);
        run_swing(validation, &s);
    }
    /* Ten cells and a half of the one in the middle to each well. */
    double branch = 10.5 * star.dx / (star.height * star.dx) + end_inertance(star.dx, WELL, star.dx, depth);
    swing s = { .vessels = &star, .depth = depth, .amplitude = 5e-4, .wells = 3 };
    s.period = 2 * RILL_PI / sqrt(gravity / S / branch);
    run_swing(validation, &s);
}

/* Two vessels of 20 x 20 mm and a passage 40 mm long, 20 mm wide and 10 mm high, of cells of 2 mm. */
static void run_reference(rill_validation *validation, double depth) {
    enum { ROWS = 10, LENGTH = 20 };
    rill_vessels wide = { .name = "4 cm2, 40 mm, 2 cm2",
                          .nx = 40,
                          .ny = ROWS,
                          .x = -1,
                          .rows = ROWS,
                          .strokes = { { 'o', 'E', 10 }, { '=', 'E', LENGTH }, { 'o', 'E', 10 } },
                          .dx = 2e-3,
                          .height = 0.01,
                          .top = depth + 0.02 };
    double inertance =
        LENGTH * wide.dx / (wide.height * ROWS * wide.dx) + 2 * end_inertance(wide.dx, 10, ROWS * wide.dx, depth);
    swing s = { .vessels = &wide, .depth = depth, .amplitude = depth / 200, .wells = 2 };
    s.period = 2 * RILL_PI / sqrt(gravity * 2 / 4e-4 / inertance);
    run_swing(validation, &s);
}

/* ------------------------------------------------------------------------------------------------------------ rest */

/* Three wells at different levels, viscous, until nothing moves. */
static void run_settling(rill_validation *validation) {
    rill_vessels viscous = star;
    viscous.viscosity = 1e-4;
    viscous.height = 5e-3;
    viscous.top = 0.03;
    rill_rig rig = { 0 };
    int64_t error = 0;
    double low = (double)INFINITY, high = -(double)INFINITY, noise = 0;
    int8_t *well = rill_vessels_map(validation, &viscous);
    if (well && rill_vessels_build(&rig, validation, &viscous, well)) {
        const double levels[RILL_WELLS] = { 0.02, 0.012, 0.015 };
        rill_vessels_fill(&rig, well, levels, 1);
        rill_rig_run(&rig, validation->quick ? 15 : 30, 0.05);
        rill_rig_audit(&rig, &error);
        for (int i = 1; rill_rig_look(&rig) && i <= RILL_WELLS; ++i) {
            rill_well_level level = rill_vessels_level(&rig, well, i);
            low = fmin(low, level.mean);
            high = fmax(high, level.mean);
            noise = fmax(noise, level.high - level.low);
        }
    }
    if (rig.ok) {
        rill_check spread = { .mode = "physical", .relation = RILL_AT_MOST, .target = 1, .unit = "quanta" };
        spread.value = (high - low) / rig.quantum;
        rill_validation_add(validation, &spread, "three wells at rest: levels differ");
        rill_check within = { .mode = "physical", .value = round(noise / rig.quantum), .unit = "quanta" };
        rill_validation_add(validation, &within, "three wells at rest: columns of one well differ (rest rule off)");
        rill_check speed = { .mode = "physical", .value = rill_rig_max_speed(&rig), .unit = "m/s" };
        rill_validation_add(validation, &speed, "three wells at rest: largest face speed");
        rill_check ledger = { .mode = "physical", .relation = RILL_ZERO, .value = (double)error, .unit = "quanta" };
        rill_validation_add(validation, &ledger, "three wells at rest: ledger error");
    }
    free(well);
    rill_rig_end(&rig);
}

void rill_case_connected_wells(rill_validation *validation) {
    run_tubes(validation);
    run_reference(validation, 0.27);
    if (!validation->quick) {
        run_reference(validation, 0.09);
        run_reference(validation, 0.03);
    }
    run_settling(validation);
    rill_case_passages(validation);
}
