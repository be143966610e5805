/* Case 30: drops on a slope, whose advancing angle is larger than the receding one.
 *
 * Problem: a drop on a bed that is tilted with its frame. Exact solution: Furmidge (1962): it begins to slide where rho V g
 * sin(alpha) = gamma w (cos(receding) - cos(advancing)), w its width, here that of a spherical cap with the mean of the
 * angles. Measured: the steepest slope, in steps of half a degree, on which it has stopped within three seconds. Then: what
 * drops that slide and merge lose. */
#include "cases.h"
#include "exact_solutions.h"
#include "rig.h"

#include <math.h>

static const double GRAVITY = 9.81;

typedef struct hanging {
    const char *liquid;
    double volume, advancing, receding, dx;
} hanging;

static double radians(double degrees) {
    return degrees * RILL_PI / 180;
}

static void put_drop(rill_rig *rig, double x, double radius, double volume) {
    double sum = 0;
    const double y = 0.5 * rig->ny * rig->dx;
    for (int turn = 0; turn < 2; ++turn)
        for (size_t i = 0; i < rig->cells; ++i) {
            const double px = rill_rig_centre(rig, (int32_t)(i % (size_t)rig->nx)) - x,
                         py = rill_rig_centre(rig, (int32_t)(i / (size_t)rig->nx)) - y;
            const double high = fmax(1 - (px * px + py * py) / (radius * radius), 0);
            if (turn == 0)
                sum += high * rig->dx * rig->dx;
            else
                rig->depth[i] += high * volume / sum;
        }
}

static double middle(const rill_rig *rig) {
    double sum = 0, moment = 0;
    for (size_t i = 0; i < rig->cells; ++i) {
        sum += rig->depth[i];
        moment += rig->depth[i] * rill_rig_centre(rig, (int32_t)(i % (size_t)rig->nx));
    }
    return moment / sum;
}

static bool begin(rill_rig *rig, rill_validation *validation, const hanging *which, double degrees, double radius) {
    const int32_t ny = 2 * (int32_t)ceil(1.4 * radius / which->dx) + 4, nx = (int32_t)ceil(9 * radius / which->dx);
    if (!rill_rig_begin_wetting(rig, validation, nx, ny, which->dx, which->advancing, which->receding)) return false;
    rill_rig_pour(rig, which->liquid);
    rig->def.gravity[0] = GRAVITY * sin(radians(degrees));
    rig->def.gravity[2] = -GRAVITY * cos(radians(degrees));
    return rill_rig_build(rig);
}

/* Whether a drop has stopped on its way: it moves no more than a hundredth of a cell in half a second. */
static bool holds(rill_validation *validation, const hanging *which, double degrees, double radius, bool *ok) {
    rill_rig rig;
    double before = 0, after = 0;
    if (begin(&rig, validation, which, degrees, radius)) put_drop(&rig, 1.5 * radius, radius, which->volume);
    if (rill_rig_fill(&rig) && rill_rig_run(&rig, 3, 1.0 / 60) && rill_rig_look(&rig)) before = middle(&rig);
    if (rill_rig_run(&rig, 0.5, 1.0 / 60) && rill_rig_look(&rig)) after = middle(&rig);
    const double end = (double)rig.nx * rig.dx - 2.5 * radius;
    *ok = rig.ok;
    rill_rig_end(&rig);
    return fabs(after - before) < 0.01 * which->dx && after < end;
}

/* The radius of a spherical cap. */
static double cap_radius(double volume, double degrees) {
    const double t = tan(0.5 * radians(degrees)); /* height over radius */
    return cbrt(6 * volume / (RILL_PI * t * (3 + t * t)));
}

static void find_onset(rill_validation *validation, const hanging *which, bool held) {
    rill_liquid liquid;
    bool ok = rill_liquid_preset(which->liquid, &liquid);
    const double radius = cap_radius(which->volume, 0.5 * (which->advancing + which->receding));
    const double hold = cos(radians(which->receding)) - cos(radians(which->advancing));
    const double exact =
        asin(liquid.surface_tension * 2 * radius * hold / (liquid.density * which->volume * GRAVITY)) * 180 / RILL_PI;
    double low = 0, high = 2 * ceil(exact);
    while (ok && high - low > 0.5) {
        const double next = 0.25 * floor(2 * (low + high));
        *(holds(validation, which, next, radius, &ok) ? &low : &high) = next;
    }
    if (!ok) return;
    rill_check check = { .mode = "physical", .value = low, .unit = "degrees" };
    check.relation = held ? RILL_WITHIN : RILL_NOTE, check.target = exact - 1.5, check.tolerance = 1.5;
    rill_validation_add(validation, &check, "%s, %g ul, %g/%g, dx %g mm: holds on to (theory: %.1f)", which->liquid,
                        1e9 * which->volume, which->advancing, which->receding, 1e3 * which->dx, exact);
}

/* Two drops side by side along the slope run into each other and on. */
static void lose_nothing(rill_validation *validation) {
    const hanging which = { "water", 5e-8, 60, 40, 2.5e-4 };
    rill_rig rig;
    rill_ledger before = { 0 }, after = { 0 };
    int64_t worst = 0;
    if (begin(&rig, validation, &which, 35, 4e-3)) {
        put_drop(&rig, 5e-3, 4e-3, which.volume);
        put_drop(&rig, 14.5e-3, 3e-3, 0.3 * which.volume);
    }
    if (rill_rig_fill(&rig)) rill_rig_expect(&rig, rill_world_get_ledger(rig.world, &before), "rill_world_get_ledger");
    for (int i = 0; i < 90 && rill_rig_step(&rig, 1.0 / 60); ++i) rill_rig_audit(&rig, &worst);
    if (rill_rig_expect(&rig, rill_world_get_ledger(rig.world, &after), "rill_world_get_ledger")) {
        rill_check check = { .mode = "physical", .relation = RILL_ZERO, .unit = "quanta" };
        check.value = fabs((double)(after.columns - before.columns)) + (double)worst;
        rill_validation_add(validation, &check, "two drops slide and merge: lost or found");
    }
    rill_rig_end(&rig);
}

void rill_case_sliding_drops(rill_validation *validation) {
    find_onset(validation, &(hanging){ "water", 5e-8, 60, 40, 2.5e-4 }, true);
    find_onset(validation, &(hanging){ "water", 5e-8, 60, 40, 5e-4 }, false);
    if (!validation->quick) {
        find_onset(validation, &(hanging){ "water", 2e-8, 60, 40, 2.5e-4 }, false);
        find_onset(validation, &(hanging){ "water", 5e-8, 70, 40, 2.5e-4 }, false);
        find_onset(validation, &(hanging){ "water", 5e-8, 50, 45, 2.5e-4 }, false);
        find_onset(validation, &(hanging){ "blood", 3e-8, 80, 60, 2.5e-4 }, false);
    }
    lose_nothing(validation);
}
