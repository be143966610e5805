/* Cases 13 to 15: drops, puddles and menisci at rest under surface tension, with advancing and receding angles alike.
 *
 * Case 13. Problem: a drop of some volume on a level bed. Exact solution: Young and Laplace, integrated along a meridian.
 * Measured at rest: the radius of the wetted area, each column weighted by how far its wetting energy has come; the height;
 * how far the contact line is from round; when all is asleep; and what moves in a minute after that.
 *
 * Case 14. Problem: a long strip of liquid between two contact lines. Exact solution: in the middle it is 2 l sin(theta / 2)
 * high, l the capillary length.
 *
 * Case 15. Problem: liquid in a wide tank meets its walls, which pull. Exact solution: in the middle of a wall it stands l sqrt(2 -
 * 2 sin(theta)) above the middle of the tank. Measured at the wall by a parabola through the three cells before it. */
#include "cases.h"
#include "exact_solutions.h"
#include "rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FOOT = 1.6; /* cells, times s: the height of the foot of a drop */
static const double FRAME = 1.0 / 60;

/* Steps until all is asleep or a time is over; returns the time it took, infinite when it is not. */
static double settle(rill_rig *rig, double longest) {
    for (double t = FRAME; t < longest + 0.5 * FRAME && rill_rig_step(rig, FRAME); t += FRAME) {
        rill_step_info info = { .awake_columns = 1 };
        rill_rig_expect(rig, rill_world_get_step_info(rig->world, &info), "rill_world_get_step_info");
        if (info.awake_columns == 0) return t;
    }
    return INFINITY;
}

/* ----------------------------------------------------------------------------------------------------- case 13: drops */

typedef struct sessile {
    const char *liquid;
    double degrees, volume, dx;
    double wide; /* the drop's radius at the start, of that at rest */
} sessile;

typedef struct measured {
    double radius, height, round, seconds;
    size_t moved; /* columns, within a minute of sleep */
} measured;

static double wetted_radius(const rill_rig *rig, double foot) {
    double area = 0;
    for (size_t i = 0; i < rig->cells; ++i) {
        const double left = fmax(1 - rig->depth[i] / foot, 0);
        area += (1 - left * left) * rig->dx * rig->dx;
    }
    return sqrt(area / RILL_PI);
}

/* Returns the depth at a place, bilinear. */
static double depth_at(const rill_rig *rig, double px, double py) {
    const double fx = px / rig->dx - 0.5, fy = py / rig->dx - 0.5;
    const int32_t x = (int32_t)floor(fx), y = (int32_t)floor(fy);
    if (x < 0 || y < 0 || x + 1 >= rig->nx || y + 1 >= rig->ny) return 0;
    const double sx = fx - x, sy = fy - y, *row = rig->depth + rill_rig_cell(rig, x, y), *next = row + rig->nx;
    return (1 - sy) * ((1 - sx) * row[0] + sx * row[1]) + sy * ((1 - sx) * next[0] + sx * next[1]);
}

/* Returns how far the contact line is from round: over 64 rays from the middle of the liquid, the largest less the smallest
 * distance to where the foot is half as high, over their mean. */
static double out_of_round(const rill_rig *rig, double foot) {
    double middle[2] = { 0, 0 }, sum = 0, nearest = INFINITY, farthest = 0;
    for (size_t i = 0; i < rig->cells; ++i) {
        middle[0] += rig->depth[i] * rill_rig_centre(rig, (int32_t)(i % (size_t)rig->nx));
        middle[1] += rig->depth[i] * rill_rig_centre(rig, (int32_t)(i / (size_t)rig->nx));
        sum += rig->depth[i];
    }
    for (int k = 0; k < 64; ++k) {
        const double cx = cos(2 * RILL_PI * k / 64), cy = sin(2 * RILL_PI * k / 64);
        double r = 0;
        while (depth_at(rig, middle[0] / sum + r * cx, middle[1] / sum + r * cy) > 0.5 * foot) r += 0.01 * rig->dx;
        nearest = fmin(nearest, r);
        farthest = fmax(farthest, r);
    }
    return 2 * (farthest - nearest) / (farthest + nearest);
}

/* Fills in a paraboloid about a place off the lattice. */
static void put_drop(rill_rig *rig, double radius, double volume) {
    const double cx = (0.5 * rig->nx + 0.3) * rig->dx, cy = (0.5 * rig->ny - 0.2) * rig->dx;
    double sum = 0;
    for (size_t i = 0; i < rig->cells; ++i) {
        const double px = rill_rig_centre(rig, (int32_t)(i % (size_t)rig->nx)) - cx,
                     py = rill_rig_centre(rig, (int32_t)(i / (size_t)rig->nx)) - cy;
        rig->depth[i] = fmax(1 - (px * px + py * py) / (radius * radius), 0);
        sum += rig->depth[i] * rig->dx * rig->dx;
    }
    for (size_t i = 0; i < rig->cells; ++i) rig->depth[i] *= volume / sum;
}

/* Columns that change within a minute. */
static size_t creep(rill_rig *rig) {
    double *before = rill_rig_numbers(rig, rig->cells);
    size_t moved = 0;
    if (before) memcpy(before, rig->depth, rig->cells * sizeof *before);
    if (before && rill_rig_run(rig, 60, FRAME) && rill_rig_look(rig)) moved = rill_rig_differences(rig, before);
    free(before);
    return moved;
}

static bool run_drop(rill_validation *validation, const sessile *which, rill_sessile *exact, measured *out) {
    rill_rig probe = { .ok = true, .validation = validation, .def = rill_default_world_def() };
    rill_rig rig;
    rill_rig_pour(&probe, which->liquid);
    *exact = rill_exact_sessile(which->volume, which->degrees, rill_rig_capillary_length(&probe));
    const int32_t n = 2 * ((int32_t)ceil(which->wide * exact->radius / which->dx) + 8);
    const double foot = FOOT * which->dx * 2 * sin(which->degrees * RILL_PI / 360);
    if (rill_rig_begin_wetting(&rig, validation, n, n, which->dx, which->degrees, which->degrees)) {
        rill_rig_pour(&rig, which->liquid);
        if (rill_rig_build(&rig)) put_drop(&rig, which->wide * exact->radius, which->volume);
        if (rill_rig_fill(&rig)) out->seconds = settle(&rig, 20);
        if (rill_rig_look(&rig)) {
            out->radius = wetted_radius(&rig, foot);
            out->height = rill_rig_max_depth(&rig);
            out->round = out_of_round(&rig, foot);
            out->moved = which->wide > 1.2 ? creep(&rig) : 0;
        }
    }
    const bool ok = rig.ok && probe.ok;
    rill_rig_end(&rig);
    return ok;
}

/* A drop of the reference table. */
static void check_drop(rill_validation *validation, const sessile *which) {
    rill_sessile exact;
    measured m;
    if (!run_drop(validation, which, &exact, &m)) return;
    const double dx = 1e3 * which->dx;
    rill_check check = { .mode = "physical", .relation = RILL_NEAR, .tolerance = 0.03, .unit = "mm" };
    check.value = 1e3 * m.radius, check.target = 1e3 * exact.radius;
    rill_validation_add(validation, &check, "20 ul, %g degrees, dx %g mm: radius", which->degrees, dx);
    check.value = 1e3 * m.height, check.target = 1e3 * exact.height;
    rill_validation_add(validation, &check, "20 ul, %g degrees, dx %g mm: height", which->degrees, dx);
    check = (rill_check){ .mode = "physical", .relation = RILL_AT_MOST, .value = 100 * m.round, .target = 3 };
    check.unit = "%";
    rill_validation_add(validation, &check, "20 ul, %g degrees, dx %g mm: out of round", which->degrees, dx);
    check = (rill_check){ .mode = "physical", .relation = RILL_AT_MOST, .value = m.seconds, .target = 20, .unit = "s" };
    rill_validation_add(validation, &check, "%g degrees, dx %g mm, begun 25 %% too wide: asleep", which->degrees, dx);
    check = (rill_check){ .mode = "physical", .relation = RILL_ZERO, .value = (double)m.moved };
    rill_validation_add(validation, &check, "%g degrees, dx %g mm: columns changed in 60 s of sleep", which->degrees,
                        dx);
}

/* Others, to learn where columns become too few or too steep. */
static void note_drop(rill_validation *validation, const sessile *which) {
    rill_sessile exact;
    measured m;
    if (!run_drop(validation, which, &exact, &m)) return;
    rill_check check = { .mode = "physical", .relation = RILL_NOTE, .unit = "%" };
    check.value = 100 * (m.radius / exact.radius - 1);
    rill_validation_add(validation, &check, "%s, %g ul, %g degrees, R = %.1f dx: radius off by", which->liquid,
                        1e9 * which->volume, which->degrees, exact.radius / which->dx);
    check.value = 100 * (m.height / exact.height - 1);
    rill_validation_add(validation, &check, "%s, %g ul, %g degrees, R = %.1f dx: height off by", which->liquid,
                        1e9 * which->volume, which->degrees, exact.radius / which->dx);
}

void rill_case_sessile_drops(rill_validation *validation) {
    static const double degrees[] = { 30, 60 }, sizes[] = { 5e-4, 2.5e-4 };
    for (int i = 1; i >= 0; --i)
        for (int k = 0; k < 2; ++k) {
            const sessile which = { "water", degrees[k], 2e-8, sizes[i], 1.25 };
            if (i == 1)
                check_drop(validation, &which);
            else
                note_drop(validation, &which);
        }
    static const sessile others[] = {
        { "water", 15, 2e-8, 2.5e-4, 1.1 },    { "water", 45, 2e-8, 2.5e-4, 1.1 },
        { "water", 75, 2e-8, 2.5e-4, 1.1 },    { "water", 90, 2e-8, 2.5e-4, 1.1 },
        { "water", 45, 2e-9, 2.5e-4, 1.1 },    { "water", 45, 2e-9, 1.25e-4, 1.1 },
        { "water", 60, 2e-7, 5e-4, 1.1 },      { "water", 60, 2e-7, 1e-3, 1.1 },
        { "blood", 50, 5e-8, 2.5e-4, 1.1 },    { "olive oil", 20, 1e-8, 2.5e-4, 1.1 },
        { "glycerol", 60, 5e-8, 2.5e-4, 1.1 },
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) note_drop(validation, &others[i]);
}

/* ---------------------------------------------------------------------------------------------------- case 14: puddle */

enum { STRIP = 4 };

static void run_strip(rill_validation *validation, double degrees, double dx, const char *liquid, double tolerance) {
    rill_rig rig;
    const int32_t nx = (int32_t)lround(0.06 / dx);
    if (rill_rig_begin_wetting(&rig, validation, nx, STRIP, dx, degrees, degrees)) {
        rill_rig_pour(&rig, liquid);
        const double height = 2 * rill_rig_capillary_length(&rig) * sin(degrees * RILL_PI / 360);
        if (rill_rig_build(&rig))
            for (size_t i = 0; i < rig.cells; ++i) {
                const double x = rill_rig_centre(&rig, (int32_t)(i % (size_t)nx)) - 0.03;
                rig.depth[i] = fabs(x) < 0.022 ? 0.9 * height : 0;
            }
        if (rill_rig_fill(&rig)) settle(&rig, 20);
        if (rill_rig_look(&rig)) {
            rill_check check = { .mode = "physical", .relation = tolerance > 0 ? RILL_NEAR : RILL_NOTE, .unit = "mm" };
            check.value = 1e3 * rig.depth[rill_rig_cell(&rig, nx / 2, STRIP / 2)];
            check.target = 1e3 * height, check.tolerance = tolerance;
            rill_validation_add(validation, &check, "%s, %g degrees, dx %g mm: height (exact: %.4f mm)", liquid,
                                degrees, 1e3 * dx, 1e3 * height);
        }
    }
    rill_rig_end(&rig);
}

void rill_case_tension_puddle(rill_validation *validation) {
    run_strip(validation, 30, 2.5e-4, "water", 0.03);
    run_strip(validation, 60, 2.5e-4, "water", 0.04);
    run_strip(validation, 30, 5e-4, "water", 0);
    run_strip(validation, 60, 5e-4, "water", 0);
    run_strip(validation, 60, 1e-3, "water", 0);
    run_strip(validation, 90, 2.5e-4, "water", 0);
    run_strip(validation, 120, 2.5e-4, "water", 0);
    run_strip(validation, 15, 2.5e-4, "water", 0);
    run_strip(validation, 45, 2.5e-4, "blood", 0);
    run_strip(validation, 45, 2.5e-4, "olive oil", 0);
}

/* --------------------------------------------------------------------------------------------------- case 15: meniscus */

static void run_meniscus(rill_validation *validation, double degrees, double dx, double tolerance) {
    rill_rig rig;
    const int32_t n = (int32_t)lround(0.036 / dx);
    if (rill_rig_begin_wetting(&rig, validation, n, n, dx, degrees, degrees)) {
        rig.def.solver.wall_tension = true;
        rig.def.liquid.viscosity = 2e-4;
        if (rill_rig_build(&rig))
            for (size_t i = 0; i < rig.cells; ++i) rig.depth[i] = 6e-3;
        if (rill_rig_fill(&rig) && rill_rig_run(&rig, 3, FRAME) && rill_rig_look(&rig)) {
            const double *row = rig.depth + rill_rig_cell(&rig, 0, n / 2);
            const double wall = (15 * row[0] - 10 * row[1] + 3 * row[2]) / 8;
            rill_check check = { .mode = "physical", .relation = tolerance > 0 ? RILL_NEAR : RILL_NOTE, .unit = "mm" };
            check.value = 1e3 * (wall - row[n / 2]), check.tolerance = tolerance;
            check.target = 1e3 * rill_rig_capillary_length(&rig) * sqrt(2 - 2 * sin(degrees * RILL_PI / 180));
            rill_validation_add(validation, &check, "%g degrees, dx %g mm: rise at a wall", degrees, 1e3 * dx);
        }
    }
    rill_rig_end(&rig);
}

void rill_case_meniscus(rill_validation *validation) {
    run_meniscus(validation, 30, 2.5e-4, 0.02);
    run_meniscus(validation, 60, 2.5e-4, 0.02);
    run_meniscus(validation, 30, 5e-4, 0);
    run_meniscus(validation, 60, 5e-4, 0);
}
