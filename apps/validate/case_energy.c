/* Case 20: energy in a closed basin.
 *
 * Paper mode, without viscosity and with friction 1, is a leapfrog of the linear wave equation. Its exact invariant is
 * E* = 1/2 g dx^2 sum(h^2) + 1/2 (l/A) sum(f_old f_new), where f_old is the flow that led to the levels h and f_new the
 * next one (Hairer, Lubich, Wanner 2006, Geometric Numerical Integration, section I.3); l = dx, A = dx^2, f = u A.
 * Levels count from their mean here, which makes it the energy of the waves alone and the test the sharper. What is
 * left is the rounding of whole quanta and of single precision. Measured: the largest relative change of E* in any one
 * sub-step.
 *
 * Physical scheme, viscosity 1e-6: the total energy sum dx^2 (1/2 g (h^2 - b^2) + 1/2 u_old u_new H_face) must not
 * grow. The product of the velocities before and after is the same device as in E*: stored velocities lie half a sub-
 * step beside the levels, and 1/2 u^2 makes the sum tremble by omega dt. Measured is the largest growth over any 50
 * sub-steps, relative to the energy at the start above that of the same liquid at rest. */
#include "cases.h"
#include "rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double gravity = 9.81;
enum { WINDOW = 50 };

/* A smooth heap in one corner and some roughness, nowhere near dry. */
static bool fill_waves(rill_rig *rig, double depth, double height) {
    uint64_t seed = 20;
    for (int32_t y = 0; y < rig->ny; ++y) {
        for (int32_t x = 0; x < rig->nx; ++x) {
            double r2 = (double)(x * x + y * y) / (double)(rig->nx * rig->nx);
            rig->depth[rill_rig_cell(rig, x, y)] =
                depth + height * exp(-8 * r2) + 0.1 * height * rill_rig_random(&seed);
        }
    }
    return rill_rig_fill(rig);
}

/* ------------------------------------------------------------------------------------------------------ paper: E* */

/* faces[] are f_new / A, `before` is f_old / A. */
static double invariant(const rill_rig *rig, const double *before) {
    double mean = 0, potential = 0, kinetic = 0;
    for (size_t i = 0; i < rig->cells; ++i) mean += rig->depth[i] / (double)rig->cells;
    for (size_t i = 0; i < rig->cells; ++i) {
        double h = rig->depth[i] - mean;
        potential += h * h;
        kinetic += before[2 * i] * rig->faces[2 * i] + before[2 * i + 1] * rig->faces[2 * i + 1];
    }
    return 0.5 * rig->dx * rig->dx * (gravity * potential + rig->dx * kinetic);
}

static void run_paper(rill_validation *validation, int32_t size, double dx, double depth, int steps) {
    rill_rig rig;
    bool ready = rill_rig_begin(&rig, validation, size, size, dx);
    rig.def.solver.pipe_area = RILL_PIPE_AREA_PAPER;
    double *before = ready ? rill_rig_numbers(&rig, 2 * rig.cells) : NULL;
    double first = NAN, last = NAN, worst = 0;
    if (before && rill_rig_build(&rig) && fill_waves(&rig, depth, 0.1 * depth)) {
        double dt = 0.5 * rill_rig_stable_step(&rig, depth);
        for (int n = 0; n < steps && rill_rig_step(&rig, dt) && rill_rig_look(&rig); ++n) {
            double energy = invariant(&rig, before);
            first = n == 0 ? energy : first;
            double change = n == 0 ? 0 : fabs(energy / last - 1);
            worst = change > worst ? change : worst;
            last = energy;
            memcpy(before, rig.faces, 2 * rig.cells * sizeof *before);
        }
    }
    if (rig.ok) {
        rill_check check = { .mode = "paper", .relation = RILL_ZERO, .value = (double)(rig.substeps - steps) };
        rill_validation_add(validation, &check, "sub-steps beside one per call");
        check = (rill_check){ .mode = "paper", .relation = RILL_AT_MOST, .value = worst, .target = 1e-6 };
        rill_validation_add(validation, &check, "E*: largest relative change in a sub-step, %d^2, friction 1, nu 0",
                            size);
        check = (rill_check){ .mode = "paper", .relation = RILL_NOTE, .value = last / first - 1 };
        rill_validation_add(validation, &check, "E*: relative change over %d sub-steps", steps);
    }
    free(before);
    rill_rig_end(&rig);
}

/* --------------------------------------------------------------------------------------------- physical: no growth */

/* Above the lowest bed there is; in units of the liquid's density. */
static double total_energy(const rill_rig *rig, const double *before, double floor) {
    double sum = 0;
    for (int32_t y = 0; y < rig->ny; ++y) {
        for (int32_t x = 0; x < rig->nx; ++x) {
            size_t i = rill_rig_cell(rig, x, y);
            double depth = rig->depth[i];
            sum += 0.5 * gravity * depth * (2 * (rig->base[i] - floor) + depth);
            double uu = before[2 * i] * rig->faces[2 * i], ww = before[2 * i + 1] * rig->faces[2 * i + 1];
            sum += x > 0 ? 0.25 * uu * (rig->depth[i - 1] + depth) : 0;
            sum += y > 0 ? 0.25 * ww * (rig->depth[i - (size_t)rig->nx] + depth) : 0;
        }
    }
    return sum * rig->dx * rig->dx;
}

/* Returns the energy of the same liquid with one level everywhere, found by bisection on its volume. */
static double rest_energy(rill_rig *rig, double floor) {
    double volume = 0, low = floor, high = floor + 100 * rill_rig_max_depth(rig);
    for (size_t i = 0; i < rig->cells; ++i) volume += rig->depth[i];
    for (int k = 0; k < 100; ++k) {
        double level = 0.5 * (low + high), sum = 0;
        for (size_t i = 0; i < rig->cells; ++i) sum += level > rig->base[i] ? level - rig->base[i] : 0;
        low = sum < volume ? level : low;
        high = sum < volume ? high : level;
    }
    double energy = 0;
    for (size_t i = 0; i < rig->cells; ++i) {
        double depth = low > rig->base[i] ? low - rig->base[i] : 0;
        energy += 0.5 * gravity * depth * (2 * (rig->base[i] - floor) + depth);
    }
    return energy * rig->dx * rig->dx;
}

typedef struct energy_scene {
    const char *name;
    double roughness; /* m, of the bed */
    double depth;     /* m; with `dam` only in the western third */
    bool dam;
} energy_scene;

static bool fill_scene(rill_rig *rig, const energy_scene *scene) {
    if (!scene->dam) return fill_waves(rig, scene->depth, 0.3 * scene->depth);
    for (size_t i = 0; i < rig->cells; ++i) {
        bool behind = (int32_t)(i % (size_t)rig->nx) < rig->nx / 3;
        rig->depth[i] = behind && rig->base[i] < scene->depth ? scene->depth - rig->base[i] : 0;
    }
    return rill_rig_fill(rig);
}

static void run_physical(rill_validation *validation, const energy_scene *scene, int steps) {
    rill_rig rig;
    bool ready = rill_rig_begin(&rig, validation, 48, 48, 1e-3);
    rig.def.liquid.viscosity = 1e-6;
    double *energy = ready ? rill_rig_numbers(&rig, (size_t)steps + 1) : NULL;
    double *before = ready ? rill_rig_numbers(&rig, 2 * rig.cells) : NULL;
    uint64_t seed = 21;
    for (size_t i = 0; ready && i < rig.cells; ++i) rig.heights[i] = scene->roughness * rill_rig_random(&seed);
    if (energy && before && rill_rig_build(&rig) && fill_scene(&rig, scene) && rill_rig_look(&rig)) {
        double dt = 0.5 * rill_rig_stable_step(&rig, 1.3 * scene->depth), rest = rest_energy(&rig, 0),
               worst = -INFINITY;
        int grown = 0;
        energy[0] = total_energy(&rig, before, 0);
        for (int n = 1; n <= steps && rill_rig_step(&rig, dt) && rill_rig_look(&rig); ++n) {
            energy[n] = total_energy(&rig, before, 0);
            memcpy(before, rig.faces, 2 * rig.cells * sizeof *before);
            if (n >= WINDOW) {
                double growth = (energy[n] - energy[n - WINDOW]) / (energy[0] - rest);
                worst = growth > worst ? growth : worst;
                grown += growth > 0;
            }
        }
        if (rig.ok) {
            rill_check check = { .mode = "physical", .relation = RILL_ZERO, .value = (double)(rig.substeps - steps) };
            rill_validation_add(validation, &check, "%s: sub-steps beside one per call", scene->name);
            check.value = grown;
            rill_validation_add(validation, &check, "%s: windows of 50 with growth, of %d", scene->name,
                                steps - WINDOW + 1);
            check = (rill_check){ .mode = "physical", .relation = RILL_AT_MOST, .value = worst, .target = 0 };
            rill_validation_add(validation, &check, "%s: largest growth over 50", scene->name);
        }
    }
    free(energy);
    free(before);
    rill_rig_end(&rig);
}

void rill_case_energy(rill_validation *validation) {
    int steps = validation->quick ? 1000 : 4000;
    run_paper(validation, 48, 1e-3, 10e-3, steps);
    const energy_scene scenes[] = {
        { "slosh", 0, 6e-3, false },
        { "slosh over a rough bed", 3e-3, 6e-3, false },
        { "dam on a dry rough bed", 2e-3, 6e-3, true },
    };
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) run_physical(validation, &scenes[i], steps);
}
