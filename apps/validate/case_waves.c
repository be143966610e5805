/* Cases 1, 3, 7 and 8 for the method `waves`: a lake at rest, a dam break, standing waves without and with tension.
 *
 * Case 1. Problem: a rough bed with islands, flooded to a level, in steps in which waves pass many cells. Exact
 * solution: nothing moves.
 *
 * Case 3. Problem and exact solution: as in case_dam_breaks.c, in sub-steps of one cell per wave.
 *
 * Cases 7 and 8. Problem: a standing wave of small amplitude on a flat basin, sampled once per step. Exact solution: linear
 * theory for the period, with w^2 = (g + gamma k^2 / rho) d k^2 where there is tension; what is kept of the amplitude in each period is held to the theta scheme's own damping, about
 * exp(-(2 theta - 1) 2 pi^2 dt / T). Measured: the period between falling zeros, and amplitudes in the first
 * and in the last period by least squares. */
#include "cases.h"
#include "exact_solutions.h"
#include "rig.h"

#include <math.h>
#include <stdlib.h>

static const double GRAVITY = 9.81;

static bool begin(rill_rig *rig, rill_validation *validation, int32_t nx, int32_t ny, double dx) {
    const bool ok = rill_rig_begin(rig, validation, nx, ny, dx);
    rig->def.solver.method = RILL_METHOD_WAVES;
    rig->def.liquid.surface_tension = 0;
    return ok;
}

/* ---------------------------------------------------------------------------------------------------- case 1: lake */

static void rest_in(rill_validation *validation, double dt) {
    rill_rig rig;
    const int steps = validation->quick ? 100 : 1000;
    if (begin(&rig, validation, 64, 64, 1e-3)) {
        uint64_t seed = 7;
        for (size_t i = 0; i < rig.cells; ++i) rig.heights[i] = 8e-3 * rill_rig_random(&seed);
        double *before = rill_rig_numbers(&rig, rig.cells);
        const double at[3] = { 5e-4, 5e-4, 0.02 };
        if (before && rill_rig_build(&rig) &&
            rill_rig_expect(&rig, rill_world_fill_level(rig.world, at, 6e-3, NULL), "rill_world_fill_level") &&
            rill_rig_look(&rig)) {
            for (size_t i = 0; i < rig.cells; ++i) before[i] = rig.depth[i];
            for (int i = 0; i < steps; ++i) rill_rig_step(&rig, dt);
            if (rill_rig_look(&rig)) {
                rill_check check = { .mode = "waves", .relation = RILL_ZERO };
                check.value = (double)rill_rig_differences(&rig, before);
                rill_validation_add(validation, &check, "bed 8 mm, islands: columns changed in %d steps of %.3g s",
                                    steps, dt);
                check.value = rill_rig_max_speed(&rig), check.unit = "m/s";
                rill_validation_add(validation, &check, "bed 8 mm, islands: largest face speed");
            }
        }
        free(before);
    }
    rill_rig_end(&rig);
}

void rill_case_waves_lake(rill_validation *validation) {
    rest_in(validation, 1.0 / 60.0);
    rest_in(validation, 1.0);
}

/* ----------------------------------------------------------------------------------------------- case 3: dam break */

/* L1 over the channel; cells is how many a wave on the deeper side passes in a sub-step. */
static bool break_dam(rill_validation *validation, double right, double cells, double *l1) {
    const double left = 5e-3, half = 0.2, time = 0.24, dx = 1e-3;
    const rill_dam exact = rill_exact_dam(GRAVITY, left, right);
    rill_rig rig;
    double error = 0, sum = 0;
    if (begin(&rig, validation, 400, 4, dx)) {
        rig.def.solver.waves.time_step = cells * dx / sqrt(GRAVITY * left);
        if (rill_rig_build(&rig)) {
            for (size_t i = 0; i < rig.cells; ++i) rig.depth[i] = i % 400 < 200 ? left : right;
            if (rill_rig_fill(&rig) && rill_rig_step(&rig, time) && rill_rig_look(&rig)) {
                for (int32_t x = 0; x < rig.nx; ++x) {
                    const double depth = rill_exact_dam_depth(&exact, rill_rig_centre(&rig, x) - half, time);
                    error += fabs(rig.depth[x] - depth);
                    sum += depth;
                }
            }
        }
    }
    *l1 = error / sum;
    const bool ok = rig.ok;
    rill_rig_end(&rig);
    return ok;
}

void rill_case_waves_dam(rill_validation *validation) {
    static const struct {
        double right, cells, most;
    } dams[] = { { 1e-3, 0.5, 4 }, { 1e-3, 1, 4 }, { 1e-3, 3, 0 }, { 0, 0.5, 4 } };
    for (size_t i = 0; i < sizeof dams / sizeof dams[0]; ++i) {
        double l1 = 0;
        if (!break_dam(validation, dams[i].right, dams[i].cells, &l1)) return;
        const rill_check check = { .mode = "waves",
                                   .relation = dams[i].most > 0 ? RILL_AT_MOST : RILL_NOTE,
                                   .value = 100 * l1,
                                   .target = dams[i].most,
                                   .unit = "%" };
        rill_validation_add(validation, &check, "L1, 5 mm : %g mm, dx 1 mm, %g cells per sub-step", 1e3 * dams[i].right,
                            dams[i].cells);
    }
}

/* --------------------------------------------------------------------------------------------------- case 7: waves */

typedef struct swell {
    double length; /* m, of the wave */
    double depth, amplitude;
    int32_t cells;     /* per wave */
    double dt, theta;  /* of the scheme */
    double frequency;  /* rad/s, in theory */
    double period_bar; /* how far the period may be off, relatively; 0: told only */
    double kept_bar;   /* how far what is kept may be off from the scheme's own; 0: told only */
    double tension;    /* N/m */
} swell;

typedef struct swell_result {
    double period, kept; /* s; of the amplitude in a period */
} swell_result;

enum { SWELL_PERIODS = 10 };

/* The amplitude of the oscillation of frequency w in `count` samples, by least squares. */
static double fit_amplitude(const double *signal, int count, double w, double dt) {
    double cc = 0, ss = 0, cs = 0, fc = 0, fs = 0;
    for (int k = 0; k < count; ++k) {
        const double c = cos(w * k * dt), s = sin(w * k * dt);
        cc += c * c, ss += s * s, cs += c * s, fc += signal[k] * c, fs += signal[k] * s;
    }
    const double det = cc * ss - cs * cs, a = (fc * ss - fs * cs) / det, b = (fs * cc - fc * cs) / det;
    return sqrt(a * a + b * b);
}

static double mode_amplitude(const swell *which, const rill_rig *rig) {
    double sum = 0;
    for (int32_t x = 0; x < rig->nx; ++x)
        sum += (rig->depth[x] - which->depth) * cos(2 * RILL_PI * rill_rig_centre(rig, x) / which->length);
    return 2 * sum / rig->nx;
}

static swell_result judge_swell(const double *signal, int count, double frequency, double dt) {
    double first = NAN, last = NAN;
    int crossings = 0;
    for (int k = 1; k < count; ++k) {
        if (!(signal[k - 1] > 0 && signal[k] <= 0)) continue;
        last = dt * (k - 1 + signal[k - 1] / (signal[k - 1] - signal[k]));
        first = crossings++ == 0 ? last : first;
    }
    const double period = (last - first) / (crossings - 1), w = crossings > 1 ? 2 * RILL_PI / period : frequency;
    const int each = (int)lround(2 * RILL_PI / w / dt), apart = count - each;
    const double kept = fit_amplitude(signal + apart, each, w, dt) / fit_amplitude(signal, each, w, dt);
    return (swell_result){ .period = 2 * RILL_PI / w, .kept = pow(kept, 2 * RILL_PI / w / (apart * dt)) };
}

static bool run_swell(rill_validation *validation, const swell *which, swell_result *out) {
    rill_rig rig;
    const bool ready = begin(&rig, validation, which->cells, 4, which->length / which->cells);
    rig.def.solver.waves.theta = which->theta;
    rig.def.solver.waves.tolerance = 1e-6;
    rig.def.liquid.surface_tension = which->tension;
    rig.def.liquid.density = 998;
    rig.def.liquid.contact_angle = (rill_contact_angle){ 0, 0 }; /* all is wet */
    if (which->tension > 0) rig.def.solver.tension = RILL_TENSION_ON;
    const int count = (int)(SWELL_PERIODS * 2 * RILL_PI / which->frequency / which->dt);
    double *signal = ready ? rill_rig_numbers(&rig, (size_t)count) : NULL;
    if (signal && rill_rig_build(&rig)) {
        for (size_t i = 0; i < rig.cells; ++i) {
            const double x = rill_rig_centre(&rig, (int32_t)(i % (size_t)rig.nx));
            rig.depth[i] = which->depth + which->amplitude * cos(2 * RILL_PI * x / which->length);
        }
        rill_rig_fill(&rig);
        for (int k = 0; k < count && rig.ok; ++k) {
            if (k > 0) rill_rig_step(&rig, which->dt);
            if (rill_rig_look(&rig)) signal[k] = mode_amplitude(which, &rig);
        }
        *out = judge_swell(signal, count, which->frequency, which->dt);
    }
    free(signal);
    const bool ok = rig.ok;
    rill_rig_end(&rig);
    return ok;
}

/* Returns what the theta scheme keeps of an oscillation in a period, and how long that lasts: the root of z^2 (1 + x^2 theta^2) -
 * z (2 - 2 x^2 theta (1 - theta)) + 1 + x^2 (1 - theta)^2, x = w dt. */
static swell_result scheme_of(double frequency, double dt, double theta) {
    const double x = frequency * dt, a = 1 + x * x * theta * theta, c = 1 + x * x * (1 - theta) * (1 - theta);
    const double b = 2 - 2 * x * x * theta * (1 - theta), turn = acos(b / (2 * sqrt(a * c)));
    return (swell_result){ .period = 2 * RILL_PI * dt / turn, .kept = pow(sqrt(c / a), 2 * RILL_PI / turn) };
}

static void add_swell(rill_validation *validation, const swell *which, const char *words) {
    swell_result found = { 0 };
    if (!run_swell(validation, which, &found)) return;
    const swell_result own = scheme_of(which->frequency, which->dt, which->theta);
    rill_check check = { .mode = "waves",
                         .relation = which->period_bar > 0 ? RILL_NEAR : RILL_NOTE,
                         .value = found.period,
                         .target = 2 * RILL_PI / which->frequency,
                         .tolerance = which->period_bar,
                         .unit = "s" };
    rill_validation_add(validation, &check, "period, %s, %g mm, %d cells, dt %.3g ms", words, 1e3 * which->length,
                        which->cells, 1e3 * which->dt);
    check.relation = which->kept_bar > 0 ? RILL_WITHIN : RILL_NOTE;
    check.value = found.kept, check.target = own.kept, check.tolerance = which->kept_bar, check.unit = NULL;
    rill_validation_add(validation, &check, "amplitude kept per period, theta %g, dt %.3g ms", which->theta,
                        1e3 * which->dt);
}

void rill_case_waves_standing(rill_validation *validation) {
    const double length = 0.2, depth = 5e-3, w = 2 * RILL_PI / rill_exact_standing_period(GRAVITY, 0.1, depth);
    const double frame = 1.0 / 60.0;
    const swell swells[] = {
        { .dt = 1e-3, .theta = 0.55, .period_bar = 1e-3, .kept_bar = 5e-4 },
        { .dt = frame, .theta = 0.55, .period_bar = 2e-3, .kept_bar = 5e-4 },
        { .dt = frame, .theta = 0.5, .period_bar = 2e-3, .kept_bar = 5e-4 },
        { .dt = frame, .theta = 1, .period_bar = 6e-3, .kept_bar = 2e-3 },
        { .dt = 4 * frame, .theta = 0.55, .kept_bar = 2e-3 },
    };
    for (size_t i = 0; i < sizeof swells / sizeof swells[0]; ++i) {
        swell which = swells[i];
        which.length = length, which.depth = depth, which.amplitude = 5e-7, which.cells = 200, which.frequency = w;
        add_swell(validation, &which, "gravity alone");
    }
}

/* ------------------------------------------------------------------------------------------------- case 8: capillary */

void rill_case_waves_capillary(rill_validation *validation) {
    static const double lengths[] = { 0.05, 0.03, 0.02 };
    const double tension = 0.0728, density = 998, depth = 2e-3;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
        for (int32_t cells = 16; cells <= 32; cells *= 2) {
            const double k = 2 * RILL_PI / lengths[i], w = k * sqrt((GRAVITY + tension / density * k * k) * depth);
            const swell which = { .length = lengths[i],
                                  .depth = depth,
                                  .amplitude = 2e-7,
                                  .cells = cells,
                                  .dt = 2 * RILL_PI / w / 300,
                                  .theta = 0.5,
                                  .frequency = w,
                                  .period_bar = cells < 32 ? 0.01 : 0.003,
                                  .kept_bar = 2e-3,
                                  .tension = tension };
            add_swell(validation, &which, "water 2 mm deep");
        }
    }
}
