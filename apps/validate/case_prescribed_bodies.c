/* Case 27: bodies of infinite mass, whose motion is prescribed.
 *
 *   down      A box pushed 18 mm into the liquid and lifted again: the level is where it was.
 *   aside     The same box driven 40 mm to the side and back, immersed: nothing is lost, and before it runs a bow wave.
 *   piston    A body as wide as its channel that reaches the bed, driven at the speed U: the depth h1 before it follows
 *             from mass and momentum across the bore (Rankine and Hugoniot), as for the wall of case 25; behind it, and
 *             before it when it goes back, the liquid follows in a simple wave (Stoker 1957, chapter 10),
 *
 *                 2 sqrt(g h2) = 2 sqrt(g h0) - U. */
#include "body_rig.h"
#include "cases.h"

#include <math.h>

static const double gravity = 9.81;

static rill_body_def prescribed_box(double x, double y, double z) {
    rill_body_def def = rill_default_body_def();
    def.shape = rill_rig_box(x, y, z);
    def.mass = (double)INFINITY;
    return def;
}

/* Lets a body go at a velocity for a time. */
static bool drive(rill_rig *rig, rill_body_id id, const double velocity[3], double seconds, int64_t *error) {
    const double dt = 1.0 / 200;
    rill_body_state state = rill_rig_body(rig, id);
    for (int k = 0; k < 3; ++k) state.velocity[k] = velocity[k];
    rill_rig_set_body(rig, id, &state);
    for (int i = 0; i < (int)lround(seconds / dt) && rill_rig_step(rig, dt); ++i) rill_rig_audit(rig, error);
    return rig->ok;
}

static double highest(rill_rig *rig) {
    return rill_rig_look(rig) ? rill_rig_max_depth(rig) : 0;
}

/* --------------------------------------------------------------------------------------------------- down and aside */

/* Returns the rise z of the level for which z times the tank's area is what lies below it of a box or sphere of 20
 * mm. */
static double plunged_rise(bool sphere) {
    const double area = 0.12 * 0.08, pi = 3.14159265358979323846;
    double rise = 0;
    for (int i = 0; i < 50; ++i) {
        const double deep = fmin(0.02, 0.018 + rise);
        rise = (sphere ? pi * deep * deep * (0.01 - deep / 3) : 4e-4 * deep) / area;
    }
    return rise;
}

/* A box or sphere of 20 mm in a tank of 120 x 80 mm, 30 mm deep. */
static void run_plunge(rill_validation *validation, rill_body_def def, const char *name) {
    const double dx = 2e-3, depth = 0.03, target = plunged_rise(def.shape.type == RILL_SHAPE_SPHERE);
    const double down[3] = { 0, 0, -0.045 }, up[3] = { 0, 0, 0.045 }, east[3] = { 0.1, 0, 0 }, west[3] = { -0.1, 0, 0 };
    const double still[3] = { 0, 0, 0 };
    double in = 0, out = 0, bow = 0;
    int64_t error = 0;
    rill_rig rig;
    rill_body_id id = { 0 };
    if (rill_rig_begin(&rig, validation, 60, 40, dx)) {
        rig.def.headroom = 0.1;
        rig.def.liquid.viscosity = 1e-3;
    }
    def.state.position[0] = 0.04 + 0.37 * dx;
    def.state.position[1] = 0.04 + 0.21 * dx;
    def.state.position[2] = depth + 0.01;
    if (rill_rig_tank(&rig, depth) && rill_rig_put(&rig, &def, &id)) {
        drive(&rig, id, down, 0.4, &error);
        drive(&rig, id, still, 4, &error);
        in = rill_rig_level(&rig);
        const double before = highest(&rig);
        drive(&rig, id, east, 0.4, &error);
        bow = highest(&rig) - before;
        drive(&rig, id, west, 0.4, &error);
        drive(&rig, id, up, 0.4, &error);
        drive(&rig, id, still, 6, &error);
        out = rill_rig_level(&rig);
    }
    if (rig.ok) {
        rill_check check = { .mode = "physical", .relation = RILL_WITHIN, .tolerance = 1e-2, .unit = "mm" };
        check.value = 1e3 * (in - depth);
        check.target = 1e3 * target;
        rill_validation_add(validation, &check, "%s pushed down 18 mm: rise of the level", name);
        check.value = 1e3 * (out - depth);
        check.target = 0;
        rill_validation_add(validation, &check, "%s driven aside and back and lifted: rise of the level", name);
        check = (rill_check){ .mode = "physical", .relation = RILL_ZERO, .value = (double)error, .unit = "quanta" };
        rill_validation_add(validation, &check, "%s down, aside, back and up: ledger error", name);
        check = (rill_check){ .mode = "physical", .relation = RILL_WITHIN, .tolerance = 2, .unit = "mm" };
        check.value = 1e3 * bow;
        check.target = 2.5;
        rill_validation_add(validation, &check, "%s driven aside at 0.1 m/s: bow wave", name);
    }
    rill_rig_end(&rig);
}

/* ----------------------------------------------------------------------------------------------------------- piston */

static double depth_before_bore(double h0, double speed) {
    double low = h0, high = 100 * h0;
    for (int i = 0; i < 200; ++i) {
        const double h = 0.5 * (low + high);
        *((h - h0) * sqrt(gravity * (h + h0) / (2 * h0 * h)) < speed ? &low : &high) = h;
    }
    return low;
}

static double mean_depth(rill_rig *rig, double from, double to) {
    double sum = 0;
    int count = 0;
    for (int32_t x = 0; x < rig->nx; ++x) {
        const double at = rill_rig_centre(rig, x);
        if (at > from && at < to) {
            sum += rig->depth[rill_rig_cell(rig, x, rig->ny / 2)];
            ++count;
        }
    }
    return sum / count;
}

/* A channel of 800 x 8 mm, 10 mm deep; the piston, 20 mm long, starts in its middle and goes for 0.8 s. */
static void run_piston(rill_validation *validation, double speed) {
    const double dx = 2e-3, h0 = 0.01, seconds = 0.8, half = 0.01, start = 0.4;
    const double h1 = depth_before_bore(h0, fabs(speed)), h2 = pow(sqrt(gravity * h0) - 0.5 * fabs(speed), 2) / gravity;
    double ahead = 0, behind = 0;
    int64_t error = 0;
    rill_rig rig;
    rill_body_id id = { 0 };
    if (rill_rig_begin(&rig, validation, 400, 4, dx)) rig.def.headroom = 0.1;
    rill_body_def def = prescribed_box(2 * half, 1, 0.08);
    def.state.position[0] = start;
    def.state.position[1] = 2 * dx;
    def.state.position[2] = 0.02;
    if (rill_rig_build(&rig) && rill_rig_put(&rig, &def, &id)) {
        const double west[3] = { dx, dx, 1e-3 }, east[3] = { 0.8 - dx, dx, 1e-3 }, velocity[3] = { speed, 0, 0 };
        rill_rig_expect(&rig, rill_world_fill_level(rig.world, west, h0, NULL), "rill_world_fill_level");
        rill_rig_expect(&rig, rill_world_fill_level(rig.world, east, h0, NULL), "rill_world_fill_level");
        drive(&rig, id, velocity, seconds, &error);
        rill_rig_look(&rig);
        const double way = speed > 0 ? 1 : -1, place = start + speed * seconds, c0 = sqrt(gravity * h0);
        const double bore = h1 * fabs(speed) / (h1 - h0) * seconds, front = start + way * (half + 0.75 * bore);
        const double near = place + way * (half + 3 * dx), back = place - way * (half + 3 * dx);
        /* The simple wave is level from the piston to where its last characteristic is. */
        const double level = start - way * (half + 0.8 * (c0 - 1.5 * fabs(speed)) * seconds);
        ahead = mean_depth(&rig, fmin(near, front), fmax(near, front));
        behind = mean_depth(&rig, fmin(back, level), fmax(back, level));
    }
    if (rig.ok) {
        rill_check check = { .mode = "physical", .relation = RILL_NEAR, .tolerance = 0.03, .unit = "mm" };
        check.value = 1e3 * (ahead - h0);
        check.target = 1e3 * (h1 - h0);
        rill_validation_add(validation, &check, "piston at %g mm/s: rise before it", 1e3 * speed);
        check.value = 1e3 * (behind - h0);
        check.target = 1e3 * (h2 - h0);
        rill_validation_add(validation, &check, "piston at %g mm/s: fall behind it", 1e3 * speed);
        check = (rill_check){ .mode = "physical", .relation = RILL_ZERO, .value = (double)error, .unit = "quanta" };
        rill_validation_add(validation, &check, "piston at %g mm/s: ledger error", 1e3 * speed);
    }
    rill_rig_end(&rig);
}

void rill_case_prescribed_bodies(rill_validation *validation) {
    rill_body_def sphere = rill_default_body_def();
    sphere.shape.radius = 0.01;
    sphere.mass = (double)INFINITY;
    run_plunge(validation, prescribed_box(0.02, 0.02, 0.02), "box 20 mm");
    run_plunge(validation, sphere, "sphere 20 mm");
    run_piston(validation, 0.05);
    run_piston(validation, 0.12);
    run_piston(validation, -0.05);
}
