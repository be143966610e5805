/* Case 8: waves under gravity and surface tension.
 *
 * Problem: a standing wave of small amplitude on shallow water. Exact solution: linear theory, w^2 = (g + gamma k^2 / rho) d
 * k^2. Measured by projecting the level on the mode at every step: w from the times between zeros, and what is left of the
 * amplitude after each period: tension is stepped implicitly, which damps by what a step is long. Cells must be finer than
 * 1/1.6 of the capillary length, so that waves of 30 mm and more have no row of 16 cells. */
#include "cases.h"
#include "exact_solutions.h"
#include "rig.h"

#include <math.h>

static const double GRAVITY = 9.81;

enum { ROWS = 4, ZEROS = 5 };

typedef struct ripple {
    double length; /* m: of the wave */
    int32_t cells; /* per wave */
    double steps;  /* per period; 0: frames of 1/60 s */
} ripple;

typedef struct motion {
    double frequency; /* rad/s */
    double kept;      /* of the amplitude, per period */
} motion;

static double mode_at(const rill_rig *rig, const ripple *which, size_t i) {
    return cos(2 * RILL_PI * rill_rig_centre(rig, (int32_t)(i % (size_t)rig->nx)) / which->length);
}

static double amplitude(const rill_rig *rig, const ripple *which, double depth) {
    double sum = 0;
    for (size_t i = 0; i < rig->cells; ++i) sum += (rig->depth[i] - depth) * mode_at(rig, which, i);
    return 2 * sum / (double)rig->cells;
}

/* Follows the wave through its first zeros: one period lies between every other, and half of it between the largest
 * amplitudes on either side. */
static bool follow(rill_rig *rig, const ripple *which, double depth, double step, motion *out) {
    double before = amplitude(rig, which, depth), first = 0, last = 0, peaks[ZEROS + 1] = { fabs(before) };
    int zeros = 0;
    for (double t = step; zeros < ZEROS && t < 10; t += step) {
        if (!rill_rig_step(rig, step) || !rill_rig_look(rig)) return false;
        const double now = amplitude(rig, which, depth);
        if ((now > 0) != (before > 0)) {
            last = t - step * now / (now - before);
            first = zeros == 0 ? last : first;
            ++zeros;
        }
        peaks[zeros] = fmax(peaks[zeros], fabs(now));
        before = now;
    }
    out->frequency = RILL_PI * (zeros - 1) / (last - first);
    out->kept = pow(peaks[ZEROS - 1] / peaks[1], 2.0 / (ZEROS - 2));
    return zeros == ZEROS;
}

static void run_ripple(rill_validation *validation, const ripple *which, double tolerance) {
    const double depth = 2e-3, dx = which->length / which->cells;
    rill_rig rig;
    if (rill_rig_begin_wetting(&rig, validation, which->cells, ROWS, dx, 20, 20)) {
        const double k = 2 * RILL_PI / which->length, G = rig.def.liquid.surface_tension / rig.def.liquid.density;
        const double exact = k * sqrt((GRAVITY + G * k * k) * depth);
        const double step = which->steps > 0 ? 2 * RILL_PI / exact / which->steps : 1.0 / 60;
        motion found;
        rig.def.liquid.viscosity = 0;
        rig.def.solver.rest = false;
        if (rill_rig_build(&rig))
            for (size_t i = 0; i < rig.cells; ++i) rig.depth[i] = depth + 2e-6 * mode_at(&rig, which, i);
        if (rill_rig_fill(&rig) && follow(&rig, which, depth, step, &found)) {
            rill_check check = { .mode = "physical", .relation = tolerance > 0 ? RILL_NEAR : RILL_NOTE };
            check.value = found.frequency, check.target = exact, check.tolerance = tolerance, check.unit = "rad/s";
            rill_validation_add(validation, &check, "wave of %g mm, %d cells, steps of %.2g ms: frequency",
                                1e3 * which->length, (int)which->cells, 1e3 * step);
            check = (rill_check){ .mode = "physical", .relation = RILL_NOTE, .value = found.kept };
            rill_validation_add(validation, &check, "wave of %g mm, %d cells, steps of %.2g ms: kept per period",
                                1e3 * which->length, (int)which->cells, 1e3 * step);
        }
    }
    rill_rig_end(&rig);
}

void rill_case_capillary(rill_validation *validation) {
    run_ripple(validation, &(ripple){ 0.02, 16, 400 }, 0.01);
    run_ripple(validation, &(ripple){ 0.05, 32, 400 }, 0.003);
    run_ripple(validation, &(ripple){ 0.03, 32, 400 }, 0.003);
    run_ripple(validation, &(ripple){ 0.02, 32, 400 }, 0.003);
    run_ripple(validation, &(ripple){ 0.01, 32, 400 }, 0.003);
    run_ripple(validation, &(ripple){ 0.02, 32, 100 }, 0);
    run_ripple(validation, &(ripple){ 0.02, 32, 0 }, 0);
}
