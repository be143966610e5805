/* Cases 3, 4 and 5: dam breaks.
 *
 * Problem: two depths on a flat frictionless bed, parted by a dam that vanishes at t = 0; an inviscid liquid. Exact
 * solutions: Stoker (1957) on a wet and Ritter (1892) on a dry bed, both of the nonlinear shallow-water equations; in
 * paper mode, whose pipes make it the linear wave equation with speed sqrt(g dx), d'Alembert's: two steps of half the
 * height run apart at that speed. Measured: L1 = sum |error| / sum |exact| over the channel (cell centres), and the
 * numbers by which the solutions are known. The dam lies along a grid line or at 45 degrees to it. */
#include "cases.h"
#include "exact_solutions.h"
#include "rig.h"

#include <math.h>

typedef struct dam_break {
    double left, right; /* m */
    double half;        /* m: the channel reaches this far to both sides of the dam */
    double time;        /* s */
} dam_break;

typedef struct dam_result {
    double l1;
    double depth;    /* m at the dam */
    double flow;     /* m2/s at the dam */
    double plateau;  /* m: mean depth of the state in the middle */
    double velocity; /* m/s: its mean speed */
    double shock;    /* m from the dam: where the level passes half-way between middle and right */
} dam_result;

enum { CHANNEL_WIDTH = 4, REFERENCE_RESOLUTIONS = 3 };

static const dam_break reference_wet = { 5e-3, 1e-3, 0.2, 0.24 };
static const dam_break reference_dry = { 5e-3, 0, 0.2, 0.24 };
static const double gravity = 9.81;

/* Returns where the depth falls through a value, from the right end, by linear interpolation. */
static double find_front(const rill_rig *rig, double value, double x0) {
    for (int32_t x = rig->nx - 1; x > 0; --x) {
        double right = rig->depth[x], left = rig->depth[x - 1];
        if (left >= value && right < value)
            return rill_rig_centre(rig, x - 1) + rig->dx * (left - value) / (left - right) - x0;
    }
    return NAN;
}

/* Depth and speed averaged over the inner part of the state between rarefaction and shock. */
static void measure_plateau(const rill_rig *rig, const dam_break *dam, const rill_dam *exact, dam_result *out) {
    double from = (exact->speed - sqrt(gravity * exact->middle)) * dam->time, to = exact->shock * dam->time;
    double inset = 0.2 * (to - from), count = 0;
    for (int32_t x = 1; x < rig->nx; ++x) {
        double place = rill_rig_centre(rig, x) - dam->half;
        if (place > from + inset && place < to - inset) {
            out->plateau += rig->depth[x];
            out->velocity += rig->faces[2 * x];
            ++count;
        }
    }
    out->plateau /= count;
    out->velocity /= count;
}

static void measure_channel(const rill_rig *rig, const dam_break *d, dam_result *out) {
    rill_dam exact = rill_exact_dam(gravity, d->left, d->right);
    double error = 0, sum = 0;
    for (int32_t x = 0; x < rig->nx; ++x) {
        double depth = rill_exact_dam_depth(&exact, rill_rig_centre(rig, x) - d->half, d->time);
        error += fabs(rig->depth[x] - depth);
        sum += depth;
    }
    int32_t dam = rig->nx / 2;
    *out = (dam_result){ .l1 = error / sum };
    out->depth = 0.5 * (rig->depth[dam - 1] + rig->depth[dam]);
    out->flow = out->depth * rig->faces[2 * dam];
    measure_plateau(rig, d, &exact, out);
    out->shock = find_front(rig, 0.5 * (exact.middle + d->right), d->half);
}

static bool run_channel(rill_validation *validation, const dam_break *dam, double dx, dam_result *out) {
    rill_rig rig;
    int32_t half = (int32_t)lround(dam->half / dx);
    if (rill_rig_begin(&rig, validation, 2 * half, CHANNEL_WIDTH, dx) && rill_rig_build(&rig)) {
        for (size_t i = 0; i < rig.cells; ++i)
            rig.depth[i] = (int32_t)(i % (size_t)rig.nx) < half ? dam->left : dam->right;
        if (rill_rig_fill(&rig) && rill_rig_step(&rig, dam->time) && rill_rig_look(&rig))
            measure_channel(&rig, dam, out);
    }
    bool ok = rig.ok;
    rill_rig_end(&rig);
    return ok;
}

/* Returns a square with the dam along its falling diagonal. What the ends of the dam at the walls disturb does not
 * reach the strip along the rising diagonal where the error is taken. */
static double diagonal_l1(const rill_rig *rig, const dam_break *dam, double side) {
    rill_dam exact = rill_exact_dam(gravity, dam->left, dam->right);
    double error = 0, sum = 0, strip = 0.05 * dam->half;
    for (int32_t y = 0; y < rig->ny; ++y) {
        for (int32_t x = 0; x < rig->nx; ++x) {
            double px = rill_rig_centre(rig, x), py = rill_rig_centre(rig, y);
            double along = (px + py - side) / sqrt(2), aside = (px - py) / sqrt(2);
            if (fabs(aside) < strip && fabs(along) < dam->half) {
                double depth = rill_exact_dam_depth(&exact, along, dam->time);
                error += fabs(rig->depth[rill_rig_cell(rig, x, y)] - depth);
                sum += depth;
            }
        }
    }
    return error / sum;
}

static bool run_diagonal(rill_validation *validation, const dam_break *dam, double dx, double *l1) {
    rill_rig rig;
    double side = 1.5 * dam->half;
    int32_t size = (int32_t)lround(side / dx);
    if (rill_rig_begin(&rig, validation, size, size, dx) && rill_rig_build(&rig)) {
        for (int32_t y = 0; y < size; ++y) {
            for (int32_t x = 0; x < size; ++x) {
                int32_t place = x + y + 1 - size; /* the dam halves the cells where this is 0 */
                double mean = 0.5 * (dam->left + dam->right);
                rig.depth[rill_rig_cell(&rig, x, y)] = place < 0 ? dam->left : place > 0 ? dam->right : mean;
            }
        }
        if (rill_rig_fill(&rig) && rill_rig_step(&rig, dam->time) && rill_rig_look(&rig))
            *l1 = diagonal_l1(&rig, dam, (double)size * dx);
    }
    bool ok = rig.ok;
    rill_rig_end(&rig);
    return ok;
}

static void add_percent(rill_validation *validation, rill_relation relation, double target, double value,
                        const char *bar, const char *what, double dx) {
    rill_check check = {
        .mode = "physical", .relation = relation, .value = 100 * value, .target = target, .unit = "%", .bar = bar
    };
    rill_validation_add(validation, &check, "%s, dx %.3g mm", what, 1e3 * dx);
}

/* L1 at 2, 1 and 0.5 mm and the order between them; the target holds at 1 mm. */
static void converge(rill_validation *validation, const dam_break *dam, double target, const char *bar,
                     dam_result *at_one_mm) {
    static const double sizes[REFERENCE_RESOLUTIONS] = { 2e-3, 1e-3, 5e-4 };
    double l1[REFERENCE_RESOLUTIONS] = { 0 };
    for (int i = 0; i < REFERENCE_RESOLUTIONS; ++i) {
        dam_result result = { 0 };
        if (!run_channel(validation, dam, sizes[i], &result)) return;
        l1[i] = result.l1;
        add_percent(validation, i == 1 ? RILL_AT_MOST : RILL_NOTE, target, l1[i], i == 1 ? bar : NULL, "L1", sizes[i]);
        if (i == 1) *at_one_mm = result;
    }
    rill_check order = { .mode = "physical", .relation = RILL_AT_LEAST, .target = 0.5 };
    order.value = log2(l1[0] / l1[2]) / 2;
    rill_validation_add(validation, &order, "order of convergence, dx 2 to 0.5 mm (a shock allows 1 at most)");
}

void rill_case_wet_dam(rill_validation *validation) {
    dam_result r = { 0 };
    converge(validation, &reference_wet, 0.5, "ANUGA < 1 %", &r);
    rill_dam exact = rill_exact_dam(gravity, reference_wet.left, reference_wet.right);
    rill_check check = { .mode = "physical", .relation = RILL_NEAR, .tolerance = 0.01 };
    check.value = 1e3 * r.plateau, check.target = 1e3 * exact.middle, check.unit = "mm";
    rill_validation_add(validation, &check, "depth behind the shock, dx 1 mm");
    check.value = r.velocity, check.target = exact.speed, check.unit = "m/s";
    rill_validation_add(validation, &check, "speed behind the shock, dx 1 mm");
    check.value = reference_wet.half + r.shock, check.target = reference_wet.half + exact.shock * reference_wet.time;
    check.unit = "m";
    rill_validation_add(validation, &check, "place of the shock, dx 1 mm");
    double l1 = 0;
    if (run_diagonal(validation, &reference_wet, 1e-3, &l1))
        add_percent(validation, RILL_AT_MOST, 0.5, l1, "ANUGA < 1 %", "L1, dam at 45 degrees", 1e-3);
    const dam_break other = { 20e-3, 2e-3, 0.5, 0.3 };
    if (run_channel(validation, &other, 1e-3, &r))
        add_percent(validation, RILL_AT_MOST, 0.5, r.l1, NULL, "L1 of 20 mm : 2 mm after 0.3 s in 1 m", 1e-3);
}

void rill_case_dry_dam(rill_validation *validation) {
    dam_result r = { 0 };
    converge(validation, &reference_dry, 1, NULL, &r);
    double h0 = reference_dry.left, critical = 4 * h0 / 9;
    rill_check check = { .mode = "physical", .relation = RILL_NEAR, .tolerance = 0.02 };
    check.value = 1e3 * r.depth, check.target = 1e3 * critical, check.unit = "mm";
    rill_validation_add(validation, &check, "depth at the dam, dx 1 mm");
    check.value = 1e4 * r.flow, check.target = 1e4 * critical * sqrt(gravity * critical), check.unit = "1e-4 m2/s";
    rill_validation_add(validation, &check, "flow at the dam, dx 1 mm");
    double l1 = 0;
    if (run_diagonal(validation, &reference_dry, 1e-3, &l1))
        add_percent(validation, RILL_AT_MOST, 1, l1, NULL, "L1, dam at 45 degrees", 1e-3);
    const dam_break other = { 20e-3, 0, 0.5, 0.3 };
    if (run_channel(validation, &other, 1e-3, &r))
        add_percent(validation, RILL_AT_MOST, 1, r.l1, NULL, "L1 of 20 mm after 0.3 s in 1 m", 1e-3);
}

/* Distance a step of a given height has run from x0, as the root mean square distance of its slope: on a lattice the
 * wave equation spreads that moment exactly as (c t)^2, however the front itself is dispersed. */
static double run_of_step(const rill_rig *rig, double x0, double height, int side) {
    double moment = 0;
    for (int32_t x = 1; x < rig->nx; ++x) {
        double place = (double)x * rig->dx - x0;
        if (side < 0 ? place < 0 : place > 0) moment += (rig->depth[x - 1] - rig->depth[x]) * place * place;
    }
    return sqrt(moment / height);
}

static void run_linear(rill_validation *validation, const dam_break *dam, double dx) {
    rill_rig rig;
    int32_t half = (int32_t)lround(dam->half / dx);
    bool ready = rill_rig_begin(&rig, validation, 2 * half, CHANNEL_WIDTH, dx);
    rig.def.solver.pipe_area = RILL_PIPE_AREA_PAPER;
    if (ready && rill_rig_build(&rig)) {
        for (size_t i = 0; i < rig.cells; ++i)
            rig.depth[i] = (int32_t)(i % (size_t)rig.nx) < half ? dam->left : dam->right;
        /* A tenth of the stable step: the first half step the stored flow lags behind is then no matter. */
        double run = sqrt(gravity * dx) * dam->time;
        if (rill_rig_fill(&rig) && rill_rig_run(&rig, dam->time, 0.1 * rill_rig_stable_step(&rig, 0)) &&
            rill_rig_look(&rig)) {
            double mean = 0, height = 0.5 * (dam->left - dam->right);
            int32_t inner = (int32_t)(0.5 * run / dx);
            for (int32_t x = half - inner; x < half + inner; ++x) mean += rig.depth[x] / (2 * inner);
            rill_check check = { .mode = "paper", .relation = RILL_NEAR, .tolerance = 0.01, .unit = "mm" };
            check.value = 1e3 * mean, check.target = 1e3 * 0.5 * (dam->left + dam->right);
            rill_validation_add(validation, &check, "%g : %g mm: depth between the fronts", 1e3 * dam->left,
                                1e3 * dam->right);
            check.value = 1e3 * run_of_step(&rig, dam->half, height, 1), check.target = 1e3 * run;
            rill_validation_add(validation, &check, "front to the right after %g s, dx %g mm", dam->time, 1e3 * dx);
            check.value = -1e3 * run_of_step(&rig, dam->half, height, -1), check.target = -1e3 * run;
            rill_validation_add(validation, &check, "front to the left after %g s, dx %g mm", dam->time, 1e3 * dx);
        }
    }
    rill_rig_end(&rig);
}

void rill_case_linear_dam(rill_validation *validation) {
    run_linear(validation, &reference_wet, 1e-3);
    run_linear(validation, &(dam_break){ 8e-3, 5e-3, 0.2, 0.5 }, 5e-4);
}
