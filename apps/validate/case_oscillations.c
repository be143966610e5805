/* Cases 6 and 7: oscillations.
 *
 * Case 6. Problem: an inviscid liquid in a parabolic bowl, its surface a tilted plane that goes round. Exact solution:
 * Thacker (1981): the surface stays a plane and the shore a circle, period 2 pi a / sqrt(2 g h0). Measured after whole
 * periods: L1/h0 = sum of |depth - exact| over all columns, over h0 times the number that should be wet.
 *
 * Case 7. Problem: the lowest standing wave of small amplitude between two walls of a flat basin. Exact solution:
 * linear shallow-water theory, level = d + A cos(pi x / L) cos(2 pi t / T), T = 2 L / sqrt(g d); in paper mode d is
 * replaced by dx. Measured by projecting the level on the mode: the period over ten oscillations, and the amplitude
 * kept. */
#include "cases.h"
#include "exact_solutions.h"
#include "rig.h"

#include <math.h>
#include <stdlib.h>

static const double gravity = 9.81;

/* ---------------------------------------------------------------------------------------------------- case 6: bowl */

static double bowl_place(const rill_rig *rig, double i) {
    return (i - 0.5 * (double)rig->nx) * rig->dx;
}

static bool wet_at_start(const rill_rig *rig, const rill_bowl *bowl, int32_t x, int32_t y) {
    return rill_exact_bowl_depth(bowl, bowl_place(rig, x + 0.5), bowl_place(rig, y + 0.5), 0) > 0;
}

static bool fill_bowl(rill_rig *rig, const rill_bowl *bowl) {
    double velocity[2];
    rill_exact_bowl_velocity(bowl, 0, velocity);
    for (int32_t y = 0; y < rig->ny; ++y) {
        for (int32_t x = 0; x < rig->nx; ++x) {
            size_t i = rill_rig_cell(rig, x, y);
            bool here = wet_at_start(rig, bowl, x, y);
            rig->depth[i] = rill_exact_bowl_depth(bowl, bowl_place(rig, x + 0.5), bowl_place(rig, y + 0.5), 0);
            rig->faces[2 * i] = here || wet_at_start(rig, bowl, x - 1, y) ? velocity[0] : 0;
            rig->faces[2 * i + 1] = here || wet_at_start(rig, bowl, x, y - 1) ? velocity[1] : 0;
        }
    }
    return rill_rig_fill(rig);
}

static double bowl_error(const rill_rig *rig, const rill_bowl *bowl, double t) {
    double error = 0, count = 0;
    for (int32_t y = 0; y < rig->ny; ++y) {
        for (int32_t x = 0; x < rig->nx; ++x) {
            double exact = rill_exact_bowl_depth(bowl, bowl_place(rig, x + 0.5), bowl_place(rig, y + 0.5), t);
            double depth = rig->depth[rill_rig_cell(rig, x, y)];
            if (exact > 0) ++count;
            error += fabs(depth - exact);
        }
    }
    return error / (count * bowl->depth);
}

/* errors[0] after one period, errors[1] after three. */
static bool run_bowl(rill_validation *validation, const rill_bowl *bowl, double dx, double errors[2]) {
    rill_rig rig;
    int32_t half = (int32_t)ceil((bowl->radius + bowl->swing) / dx) + 4;
    if (rill_rig_begin(&rig, validation, 2 * half, 2 * half, dx)) {
        for (int32_t y = 0; y < rig.ny; ++y) {
            for (int32_t x = 0; x < rig.nx; ++x) {
                rig.heights[rill_rig_cell(&rig, x, y)] =
                    rill_exact_bowl_bed(bowl, bowl_place(&rig, x + 0.5), bowl_place(&rig, y + 0.5));
            }
        }
        double period = rill_exact_bowl_period(bowl);
        if (rill_rig_build(&rig) && fill_bowl(&rig, bowl) && rill_rig_step(&rig, period) && rill_rig_look(&rig))
            errors[0] = bowl_error(&rig, bowl, period);
        if (rill_rig_step(&rig, 2 * period) && rill_rig_look(&rig)) errors[1] = bowl_error(&rig, bowl, 3 * period);
    }
    bool ok = rig.ok;
    rill_rig_end(&rig);
    return ok;
}

static void add_bowl(rill_validation *validation, const rill_bowl *bowl, double cells, const double errors[2],
                     const double targets[2], const char *bar) {
    for (int i = 0; i < 2; ++i) {
        rill_check check = { .mode = "physical", .value = 100 * errors[i], .unit = "%", .bar = i ? NULL : bar };
        check.relation = targets ? RILL_AT_MOST : RILL_NOTE;
        check.target = targets ? targets[i] : 0;
        rill_validation_add(validation, &check, "L1/h0 after %d T, eta/a %.2g, a/dx %g", 2 * i + 1,
                            bowl->swing / bowl->radius, cells);
    }
}

void rill_case_bowl(rill_validation *validation) {
    static const double resolutions[] = { 20, 40, 80 };
    static const char *const bars[] = { "Basilisk 0.46 % (N = 32)", "Basilisk 0.13 % (N = 64)",
                                        "Basilisk 0.04 % (N = 128)" };
    const double targets[2] = { 0.25, 0.5 }, wild_targets[2] = { 3, 7 };
    rill_bowl bowl = { .gravity = gravity, .radius = 0.04, .depth = 8e-3, .swing = 4e-3 };
    double errors[3][2] = { { 0 } };
    for (int i = 0; i < 3; ++i) {
        if (!run_bowl(validation, &bowl, bowl.radius / resolutions[i], errors[i])) return;
        add_bowl(validation, &bowl, resolutions[i], errors[i], i == 1 ? targets : NULL, bars[i]);
    }
    for (int i = 0; i < 2; ++i) {
        rill_check order = { .mode = "physical", .relation = RILL_AT_LEAST, .target = 1 };
        order.value = log2(errors[0][i] / errors[2][i]) / 2;
        rill_validation_add(validation, &order, "order of convergence after %d T, a/dx 20 to 80", 2 * i + 1);
    }
    bowl.swing = 0.5 * bowl.radius;
    if (run_bowl(validation, &bowl, bowl.radius / 40, errors[0]))
        add_bowl(validation, &bowl, 40, errors[0], wild_targets, NULL);
    rill_bowl other = { .gravity = gravity, .radius = 1.5, .depth = 0.1, .swing = 0.15 };
    if (run_bowl(validation, &other, other.radius / 40, errors[0]))
        add_bowl(validation, &other, 40, errors[0], targets, NULL);
}

/* ------------------------------------------------------------------------------------------- case 7: standing wave */

typedef struct basin {
    rill_pipe_area area;
    double length, depth, amplitude; /* m */
    double dx;
    bool along_y;
} basin;

enum { PERIODS = 10, SAMPLES = 200 /* per period */ };

static double mode_of(const basin *which, const rill_rig *rig, size_t i) {
    int32_t along = (int32_t)(which->along_y ? i / (size_t)rig->nx : i % (size_t)rig->nx);
    return cos(RILL_PI * rill_rig_centre(rig, along) / which->length);
}

static double project(const basin *which, const rill_rig *rig) {
    double sum = 0, norm = 0;
    for (size_t i = 0; i < rig->cells; ++i) {
        double mode = mode_of(which, rig, i);
        sum += (rig->depth[i] - which->depth) * mode;
        norm += mode * mode;
    }
    return sum / norm;
}

/* Runs PERIODS + 1 of the exact periods; signal[k] is the amplitude of the mode at sample k. */
static bool record(const basin *which, rill_rig *rig, double period, double *signal, int count) {
    for (int k = 0; k < count; ++k) {
        if (k > 0 && !rill_rig_step(rig, period / SAMPLES)) return false;
        if (!rill_rig_look(rig)) return false;
        signal[k] = project(which, rig);
    }
    return true;
}

/* Amplitude of the sine of a given period that fits one period of samples best. */
static double measure_amplitude(const double *signal, double period, double dt) {
    double c = 0, s = 0;
    int count = (int)lround(period / dt);
    for (int k = 0; k < count; ++k) {
        double phase = 2 * RILL_PI * k / count;
        c += signal[k] * cos(phase);
        s += signal[k] * sin(phase);
    }
    return 2 * sqrt(c * c + s * s) / count;
}

static void run_basin(rill_validation *validation, const basin *which) {
    rill_rig rig;
    int32_t along = (int32_t)lround(which->length / which->dx), across = 4;
    bool paper = which->area == RILL_PIPE_AREA_PAPER;
    double exact = rill_exact_standing_period(gravity, which->length, paper ? which->dx : which->depth);
    bool ready =
        rill_rig_begin(&rig, validation, which->along_y ? across : along, which->along_y ? along : across, which->dx);
    rig.def.solver.pipe_area = which->area;
    int count = (PERIODS + 1) * SAMPLES + 1;
    double *signal = ready ? rill_rig_numbers(&rig, (size_t)count) : NULL;
    if (signal && rill_rig_build(&rig)) {
        for (size_t i = 0; i < rig.cells; ++i) rig.depth[i] = which->depth + which->amplitude * mode_of(which, &rig, i);
        if (rill_rig_fill(&rig) && record(which, &rig, exact, signal, count)) {
            double dt = exact / SAMPLES, period = rill_rig_mean_period(signal, count, dt);
            double before = measure_amplitude(signal, exact, dt);
            double after = measure_amplitude(signal + PERIODS * SAMPLES, exact, dt);
            rill_check check = { .mode = rill_rig_mode(&rig),
                                 .relation = RILL_NEAR,
                                 .value = period,
                                 .target = exact,
                                 .tolerance = 1e-3,
                                 .unit = "s" };
            rill_validation_add(validation, &check, "period, L %g m, d %g mm, dx %g mm, along %s", which->length,
                                1e3 * which->depth, 1e3 * which->dx, which->along_y ? "y" : "x");
            check = (rill_check){
                .mode = rill_rig_mode(&rig), .relation = RILL_AT_LEAST, .value = after / before, .target = 0.9999
            };
            rill_validation_add(validation, &check, "amplitude kept over %d T, %.0e of the depth", PERIODS,
                                which->amplitude / which->depth);
        }
    }
    free(signal);
    rill_rig_end(&rig);
}

void rill_case_standing_wave(rill_validation *validation) {
    const basin basins[] = {
        { RILL_PIPE_AREA_PAPER, 0.1, 5e-3, 5e-7, 1e-3, false },
        { RILL_PIPE_AREA_PHYSICAL, 0.1, 5e-3, 5e-7, 1e-3, false },
        { RILL_PIPE_AREA_PHYSICAL, 0.1, 5e-3, 5e-7, 1e-3, true },
        { RILL_PIPE_AREA_PHYSICAL, 0.06, 2e-3, 2e-7, 5e-4, false },
    };
    for (size_t i = 0; i < sizeof basins / sizeof basins[0]; ++i) run_basin(validation, &basins[i]);
}
