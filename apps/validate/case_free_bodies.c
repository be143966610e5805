/* Case 26: bodies that are free, and what they must keep.
 *
 *   stability   A body floats where its centre of buoyancy is below its centre of mass and GM > 0. A square log of
 *               relative density 1/2 is unstable upright and floats on an edge, turned by 45 degrees. A wide box comes
 *               back. With its mass c off the middle a box of breadth B and draft T leans by
 *
 *                   tan(t) (GM + 1/2 BM tan(t)^2) = c,   BM = B^2 / (12 T),   GM = T / 2 + BM - KG,
 *
 *               which is exact as long as its sides are upright through the surface (Attwood's formula).
 *   buoyancy    Held under water a body of volume V is pushed with rho g V. Let go, a sphere of relative density s starts
 *               with g (1 - s) / (s + 1/2): half of the liquid that it displaces has to move with it (Lamb, art. 92).
 *   radiation   A strip of half-width a that heaves over a clearance D in open water of depth d drives a v to either side, by
 *               waves of height a v / sqrt(g d). Those push back: with L = d - D + a^2 / (3 D) it swings as
 *
 *                   z'' + 2 b z' + g / L z = 0,   b = a sqrt(g / d) / (2 L),
 *
 *               until they come back from a wall. In a small tank they do, and it bobs for long.
 *   momentum    What a body loses the liquid has, as long as no wave has reached a wall.
 *   energy      That of body and liquid together falls.
 *   holds       Hollow bodies are in case_hollow_bodies.c.
 *   heading     A boat stays on its heading: in still water, and in waves from ahead and from the side. */
#include "body_rig.h"
#include "cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static const double density = 998, gravity = 9.81, frame = 1.0 / 60;

static rill_body_def box_of(double x, double y, double z, double relative) {
    rill_body_def def = rill_default_body_def();
    def.shape = rill_rig_box(x, y, z);
    def.density = relative * density;
    return def;
}

/* -------------------------------------------------------------------------------------------------------- stability */

typedef struct lean_case {
    const char *name;
    double size[3];  /* m */
    double off;      /* m: centre of mass along x */
    double start;    /* degrees about y */
    double expected; /* likewise */
} lean_case;

/* A tank of 100 x 100 mm, 30 mm deep; relative density 1/2; 6 s. */
static void run_lean(rill_validation *v, const lean_case *c, double yaw) {
    const double dx = 2e-3, depth = 0.03;
    double angle = 0, speed = 0;
    rill_rig rig;
    rill_body_id id = { 0 };
    if (rill_rig_begin(&rig, v, 50, 50, dx)) {
        rig.def.headroom = 0.1;
        rig.def.liquid.viscosity = 3e-4;
    }
    rill_body_def def = box_of(c->size[0], c->size[1], c->size[2], 0.5);
    def.centre[0] = c->off;
    def.centre[1] = def.centre[2] = 0;
    def.state.position[0] = def.state.position[1] = 0.05 + 0.37 * dx;
    def.state.position[2] = depth;
    const double turn = yaw * PI / 360, lean = c->start * PI / 360;
    def.state.orientation[0] = -sin(turn) * sin(lean);
    def.state.orientation[1] = cos(turn) * sin(lean);
    def.state.orientation[2] = sin(turn) * cos(lean);
    def.state.orientation[3] = cos(turn) * cos(lean);
    if (rill_rig_tank(&rig, depth)) {
        rill_rig_put(&rig, &def, &id);
        rill_rig_run(&rig, 6, frame);
        const rill_body_state state = rill_rig_body(&rig, id);
        angle = rill_rig_lean(&state);
        speed = rill_rig_body_speed(&state, c->size[0]);
    }
    if (rig.ok) {
        rill_check check = { .mode = "physical", .relation = RILL_WITHIN, .tolerance = 0.5, .unit = "degrees" };
        check.value = angle;
        check.target = c->expected;
        rill_validation_add(v, &check, "%s, from %g degrees, heading %g: leans by", c->name, c->start, yaw);
        check = (rill_check){ .mode = "physical", .relation = RILL_AT_MOST, .target = 1, .unit = "mm/s" };
        check.value = 1e3 * speed;
        rill_validation_add(v, &check, "%s, heading %g: speed after 6 s", c->name, yaw);
    }
    rill_rig_end(&rig);
}

/* Attwood's equation for the lean, degrees. */
static double attwood(double breadth, double height, double draft, double off) {
    const double bm = breadth * breadth / (12 * draft), gm = 0.5 * draft + bm - 0.5 * height;
    double low = 0, high = 1;
    for (int i = 0; i < 100; ++i) {
        const double t = 0.5 * (low + high);
        *(t * (gm + 0.5 * bm * t * t) < off ? &low : &high) = t;
    }
    return 180 / PI * atan(low);
}

/* --------------------------------------------------------------------------------------------------------- buoyancy */

/* A sphere of 20 mm in the middle of 60 mm of water. */
static void run_immersed(rill_validation *validation, double relative) {
    const double dx = 2e-3, depth = 0.06, radius = 0.01, dt = 1.0 / 1000, volume = 4.0 / 3 * PI * pow(radius, 3);
    const bool held = isinf(relative);
    double found = 0;
    rill_rig rig;
    rill_body_id id = { 0 };
    if (rill_rig_begin(&rig, validation, 60, 60, dx)) rig.def.headroom = 0.1;
    rill_body_def def = rill_default_body_def();
    def.shape.type = RILL_SHAPE_SPHERE;
    def.shape.radius = radius;
    def.density = held ? density : relative * density;
    def.mass = held ? (double)INFINITY : 0;
    def.state.position[0] = def.state.position[1] = 0.06 + 0.37 * dx;
    def.state.position[2] = 0.5 * depth;
    if (rill_rig_build(&rig) && rill_rig_put(&rig, &def, &id)) {
        const double at[3] = { 1e-3, 1e-3, 1e-3 };
        const int steps = 5;
        rill_rig_expect(&rig, rill_world_fill_level(rig.world, at, depth, NULL), "rill_world_fill_level");
        rill_rig_run(&rig, steps * dt, dt);
        rill_body_forces forces = { .level = 0 };
        if (rig.ok) rill_rig_expect(&rig, rill_body_get_forces(rig.world, id, &forces), "rill_body_get_forces");
        found = held ? forces.impulse[2] / dt : rill_rig_body(&rig, id).velocity[2] / (steps * dt);
    }
    if (rig.ok && held) {
        rill_check check = { .mode = "physical", .relation = RILL_NEAR, .tolerance = 0.005, .unit = "N" };
        check.value = found;
        check.target = density * gravity * volume;
        rill_validation_add(validation, &check, "sphere 20 mm held under water: buoyancy");
    } else if (rig.ok) {
        rill_check check = { .mode = "physical", .relation = RILL_NEAR, .tolerance = 0.02, .unit = "m/s2" };
        check.value = found;
        check.target = gravity * (1 - relative) / (relative + 0.5);
        rill_validation_add(validation, &check, "sphere 20 mm, relative density %g, let go under water: acceleration",
                            relative);
    }
    rill_rig_end(&rig);
}

/* -------------------------------------------------------------------------------------------------------- radiation */

/* A strip of 20 mm, clearance 10 mm, is let go 0.2 mm too high, 300 mm from the walls of a channel: 1.3 s to and
 * fro. */
static void run_radiation(rill_validation *validation, double dx) {
    const double a = 0.01, clear = 0.01, depth = 0.02, lift = 2e-4, middle = 0.3, dt = 1.0 / 500;
    const double length = depth - clear + a * a / (3 * clear), b = 0.5 * a * sqrt(gravity / depth) / length;
    const double w = sqrt(gravity / length - b * b);
    const int32_t rows = 4;
    double worst = 0, crest = 0;
    rill_rig rig;
    rill_body_id id = { 0 };
    if (rill_rig_begin(&rig, validation, (int32_t)(2 * middle / dx + 0.5), rows, dx)) rig.def.headroom = 0.1;
    rill_body_def def = box_of(2 * a, 1, 0.04, 1);
    def.mass = density * 2 * a * rows * dx * (depth - clear);
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 100; /* it does not turn */
    def.drag = 0;
    def.state.position[0] = middle;
    def.state.position[1] = 0.5 * rows * dx;
    def.state.position[2] = clear + 0.02 + lift;
    if (rill_rig_build(&rig) && rill_rig_put(&rig, &def, &id)) {
        const double at[3] = { 1e-3, 1e-3, 1e-3 };
        rill_rig_expect(&rig, rill_world_fill_level(rig.world, at, depth, NULL), "rill_world_fill_level");
        for (int i = 1; i <= 250 && rill_rig_heave(&rig, id, dt); ++i) {
            const double t = i * dt, z = (rill_rig_body(&rig, id).position[2] - clear - 0.02) / lift;
            worst = fmax(worst, fabs(z - exp(-b * t) * (cos(w * t) + b / w * sin(w * t))));
            crest = t > PI / w && z > crest ? z : crest;
        }
    }
    if (rig.ok) {
        rill_check check = { .mode = "physical", .relation = RILL_NEAR, .tolerance = 0.05, .unit = "1/s" };
        check.value = -log(crest) * w / (2 * PI);
        check.target = b;
        rill_validation_add(validation, &check,
                            "strip 20 mm wide that heaves in open water, dx %g mm: damping by waves", 1e3 * dx);
        check = (rill_check){ .mode = "physical", .relation = RILL_AT_MOST, .target = 5, .unit = "%" };
        check.value = 100 * worst;
        rill_validation_add(validation, &check,
                            "strip 20 mm wide that heaves in open water, dx %g mm: off, of what it was lifted",
                            1e3 * dx);
    }
    rill_rig_end(&rig);
}

/* --------------------------------------------------------------------------------------------------------- momentum */

static double liquid_momentum(rill_rig *rig) {
    double sum = 0;
    const bool ok = rill_rig_look(rig);
    for (int32_t y = 0; ok && y < rig->ny; ++y) {
        for (int32_t x = 1; x < rig->nx; ++x) {
            const size_t i = rill_rig_cell(rig, x, y);
            sum += 0.5 * (rig->depth[i] + rig->depth[i - 1]) * rig->faces[2 * i];
        }
    }
    return density * rig->dx * rig->dx * sum;
}

/* A body given 0.1 m/s in the middle of a tank of 320 x 320 mm, 30 mm deep: waves reach the walls after 0.27 s. */
static void run_momentum(rill_validation *validation, rill_body_def def, const char *name) {
    const double dx = 2e-3, depth = 0.03, dt = 1.0 / 200, speed = 0.1;
    double worst = 0, after = 0, left = 0;
    rill_rig rig;
    rill_body_id id = { 0 };
    if (rill_rig_begin(&rig, validation, 160, 160, dx)) rig.def.headroom = 0.1;
    def.state.position[0] = def.state.position[1] = 0.16 + 0.37 * dx;
    def.state.position[2] = depth;
    if (rill_rig_build(&rig) && rill_rig_put(&rig, &def, &id)) {
        const double at[3] = { 1e-3, 1e-3, 1e-3 };
        rill_rig_expect(&rig, rill_world_fill_level(rig.world, at, depth, NULL), "rill_world_fill_level");
        rill_body_state state = rill_rig_body(&rig, id);
        state.velocity[0] = speed;
        rill_rig_set_body(&rig, id, &state);
        rill_body_info info = { .mass = 1 };
        rill_rig_expect(&rig, rill_body_get_info(rig.world, id, &info), "rill_body_get_info");
        for (int i = 1; i <= 32 && rill_rig_step(&rig, dt); ++i) {
            left = rill_rig_body(&rig, id).velocity[0] / speed;
            after = left + liquid_momentum(&rig) / (info.mass * speed) - 1;
            worst = fmax(worst, fabs(after));
        }
    }
    if (rig.ok) {
        rill_check check = { .mode = "physical", .relation = RILL_AT_MOST, .target = 2, .unit = "%" };
        check.value = 100 * worst;
        rill_validation_add(validation, &check, "%s, given 0.1 m/s: momentum gained or lost, the most in 160 ms", name);
        check = (rill_check){ .mode = "physical", .relation = RILL_NOTE, .unit = "%" };
        check.value = 100 * after;
        rill_validation_add(validation, &check, "%s, given 0.1 m/s: momentum gained after 160 ms", name);
        check.value = 100 * left;
        rill_validation_add(validation, &check, "%s, given 0.1 m/s: still with the body after 160 ms", name);
    }
    rill_rig_end(&rig);
}

/* ----------------------------------------------------------------------------------------------------------- energy */

enum { WINDOW = 50, PERIOD = 125 }; /* steps; a period of heave is about 0.25 s */

/* Returns the depth that moves at a face, times its length over dx: at the box's rim half a cell of each depth carries
 * the flow. */
static double weight(double l, double r) {
    const double open = fmin(l, r), rim = 2e-3;
    return fabs(l - r) < rim ? 0.5 * (l + r) : 0.5 * open * (open / l + open / r);
}

/* Of a box whose sides lie on the grid, so that what is in a column stands from the bed up. As in case 20 the
 * velocities before and after a step are multiplied; what trembles still, by 1e-5 where the weights above are not quite
 * those of the scheme, is taken out by a mean over a period of heave. */
static double total_energy(rill_rig *rig, rill_body_id id, double mass, const double *before, double speed) {
    double sum = 0;
    const bool ok = rill_rig_look(rig);
    for (int32_t y = 0; ok && y < rig->ny; ++y) {
        for (int32_t x = 0; x < rig->nx; ++x) {
            const size_t i = rill_rig_cell(rig, x, y);
            const double h = rig->depth[i], uu = before[2 * i] * rig->faces[2 * i];
            const double vv = before[2 * i + 1] * rig->faces[2 * i + 1];
            sum += 0.5 * gravity * h * h + (x > 0 ? 0.5 * weight(rig->depth[i - 1], h) * uu : 0);
            sum += y > 0 ? 0.5 * weight(rig->depth[i - (size_t)rig->nx], h) * vv : 0;
        }
    }
    const rill_body_state state = rill_rig_body(rig, id);
    const double moving = 0.5 * mass * speed * state.velocity[2], high = mass * gravity * state.position[2];
    return density * rig->dx * rig->dx * sum + moving + high;
}

/* A box of 20 x 20 x 20 mm and relative density 1/2 bobs in a basin of 60 x 60 mm, 20 mm deep, let go 4 mm too high. */
static void run_energy(rill_validation *validation, int steps) {
    const double dx = 2e-3, depth = 0.02, dt = 1.0 / 500;
    rill_rig rig;
    rill_body_id id = { 0 };
    bool ready = rill_rig_begin(&rig, validation, 30, 30, dx);
    rig.def.liquid.viscosity = 1e-6;
    rig.def.headroom = 0.1;
    double *energy = ready ? rill_rig_numbers(&rig, (size_t)steps + 1) : NULL;
    double *mean = ready ? rill_rig_numbers(&rig, (size_t)steps + 1) : NULL;
    double *before = ready ? rill_rig_numbers(&rig, 2 * rig.cells) : NULL;
    rill_body_def def = box_of(0.02, 0.02, 0.02, 0.5);
    def.state.position[0] = def.state.position[1] = 0.03;
    def.state.position[2] = depth + 4e-3;
    const double mass = 0.5 * density * 8e-6;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = mass; /* it does not turn */
    if (energy && mean && before && rill_rig_build(&rig) && rill_rig_put(&rig, &def, &id)) {
        const double at[3] = { 1e-3, 1e-3, 1e-3 };
        rill_rig_expect(&rig, rill_world_fill_level(rig.world, at, depth, NULL), "rill_world_fill_level");
        double worst = -INFINITY, speed = 0;
        int grown = 0;
        for (int n = 1; n <= steps && rill_rig_heave(&rig, id, dt); ++n) {
            energy[n] = total_energy(&rig, id, mass, before, speed);
            speed = rill_rig_body(&rig, id).velocity[2];
            memcpy(before, rig.faces, 2 * rig.cells * sizeof *before);
            mean[n] = mean[n - 1] + (energy[n] - (n > PERIOD ? energy[n - PERIOD] : 0)) / PERIOD;
            if (n > PERIOD + WINDOW) {
                const double growth = (mean[n] - mean[n - WINDOW]) / (mass * gravity * 4e-3);
                worst = fmax(worst, growth);
                grown += growth > 0;
            }
        }
        if (rig.ok) {
            rill_check check = { .mode = "physical", .relation = RILL_ZERO, .value = grown };
            rill_validation_add(validation, &check, "box that bobs: windows of 50 steps with more energy after, of %d",
                                steps - WINDOW - PERIOD);
            check = (rill_check){ .mode = "physical", .relation = RILL_AT_MOST, .value = worst, .target = 0 };
            rill_validation_add(validation, &check, "box that bobs: largest growth over 50 steps");
            check = (rill_check){ .mode = "physical", .relation = RILL_NOTE, .unit = "%" };
            check.value = 100 * (energy[1] - energy[steps]) / (mass * gravity * 4e-3);
            rill_validation_add(validation, &check, "box that bobs: lost of what it was lifted by in %g s", steps * dt);
        }
    }
    free(energy);
    free(mean);
    free(before);
    rill_rig_end(&rig);
}

/* ---------------------------------------------------------------------------------------------------------- heading */

/* A box of 60 x 20 x 10 mm in a channel of 300 x 120 mm, 30 mm deep, in which a standing wave 200 mm long has the given
 * amplitude. Waves turn a slender body broadside, sooner or later, so it heads into them or lies across: an equilibrium
 * either way, from which nothing but a flaw of the method would drive it within these 5 s. */
static void run_heading(rill_validation *validation, double start, double wave, double bound) {
    const double dx = 2e-3, depth = 0.03;
    double worst = 0, lean = 0;
    rill_rig rig;
    rill_body_id id = { 0 };
    if (rill_rig_begin(&rig, validation, 150, 60, dx)) {
        rig.def.headroom = 0.1;
        rig.def.liquid.viscosity = 1e-6;
    }
    rill_body_def def = box_of(0.06, 0.02, 0.01, 0.5);
    def.drag = 0.1;
    def.state.position[0] = 0.15 + 0.37 * dx;
    def.state.position[1] = 0.06 + 0.21 * dx;
    def.state.position[2] = depth;
    rill_rig_turn(def.state.orientation, 2, start);
    if (rill_rig_build(&rig) && rill_rig_put(&rig, &def, &id)) {
        const double at[3] = { 1e-3, 1e-3, 1e-3 };
        rill_rig_expect(&rig, rill_world_fill_level(rig.world, at, depth, NULL), "rill_world_fill_level");
        rill_rig_look(&rig);
        for (size_t i = 0; i < rig.cells; ++i) {
            const double k = 2 * PI / 0.2, x = rill_rig_centre(&rig, (int32_t)(i % (size_t)rig.nx)) - 0.5 * rig.dx;
            rig.faces[2 * i] = wave * sqrt(gravity / depth) * sin(k * x);
        }
        rill_rig_expect(&rig, rill_world_set_velocities(rig.world, 0, rig.faces, 2 * rig.cells),
                        "rill_world_set_velocities");
        for (int i = 0; i < 300 && rill_rig_step(&rig, frame); ++i) {
            const rill_body_state state = rill_rig_body(&rig, id);
            worst = fmax(worst, fabs(rill_rig_heading(&state) - start));
            lean = fmax(lean, rill_rig_lean(&state));
        }
    }
    if (rig.ok) {
        rill_check check = { .mode = "physical", .relation = RILL_AT_MOST, .target = bound, .unit = "degrees" };
        check.value = worst;
        rill_validation_add(validation, &check, "boat heading %g degrees, waves of %g mm: off its heading in 5 s",
                            start, 1e3 * wave);
        check = (rill_check){ .mode = "physical", .relation = RILL_AT_MOST, .value = lean, .unit = "degrees" };
        check.target = wave > 0 ? 15 : 0.5;
        rill_validation_add(validation, &check, "boat heading %g degrees, waves of %g mm: leans by, at most", start,
                            1e3 * wave);
    }
    rill_rig_end(&rig);
}

void rill_case_free_bodies(rill_validation *validation) {
    const lean_case cases[] = {
        { "wide box 40 x 40 x 20 mm", { 0.04, 0.04, 0.02 }, 0, 10, 0 },
        { "square log 20 x 50 x 20 mm", { 0.02, 0.05, 0.02 }, 0, 10, 45 },
        { "box 40 x 40 x 20 mm, mass 1 mm aside", { 0.04, 0.04, 0.02 }, 1e-3, 0, attwood(0.04, 0.02, 0.01, 1e-3) },
        { "box 40 x 40 x 20 mm, mass 3 mm aside", { 0.04, 0.04, 0.02 }, 3e-3, 0, attwood(0.04, 0.02, 0.01, 3e-3) },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        run_lean(validation, &cases[i], 0);
        run_lean(validation, &cases[i], 27);
    }
    run_immersed(validation, (double)INFINITY);
    run_immersed(validation, 0.5);
    run_immersed(validation, 3);
    run_immersed(validation, 20);
    run_radiation(validation, 2e-3);
    run_radiation(validation, 1e-3);
    rill_body_def sphere = rill_default_body_def();
    sphere.shape.radius = 0.01;
    run_momentum(validation, sphere, "sphere 20 mm");
    run_momentum(validation, box_of(0.04, 0.04, 0.01, 0.5), "plate 40 x 40 x 10 mm");
    run_energy(validation, validation->quick ? 1000 : 4000);
    run_heading(validation, 20, 0, 0.5);
    run_heading(validation, 0, 2e-3, 5);
    run_heading(validation, 90, 2e-3, 5);
    rill_case_hollow_bodies(validation);
}
