/* Cases 16 to 19: bodies that float.
 *
 *   16, 17   Archimedes: a body displaces its own mass, and the tank's level rises by m / (rho A). A cube of relative
 *            density 1/4 or 1/2 capsizes when it is free, so bodies are free in heave alone.
 *   18       Heave of a strip of half-width a over a clearance D, in a tank of half-width W and depth d. Beside it runs
 *            shallow water of depth d, below it what continuity asks for; the angular frequency w of its slowest mode is
 *
 *                w^2 (d - D + a^2 / (3 D)) = g (1 + a k cot(k (W - a))),   k = w / sqrt(g d).
 *
 *            The mode is started purely, by velocities of body and liquid.
 *   19       A body that weighs nothing beside what it displaces floats all the same: dropped from 10 mm, it comes to rest.
 *
 * Where a body lies in the end does not depend on the viscosity, but in water it would take minutes to get there: 16
 * and 17 are run at 3e-3 m2/s, 19 at 3e-4 (and with water, for comparison). */
#include "body_rig.h"
#include "cases.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

static const double density = 998, gravity = 9.81, frame = 1.0 / 60;

/* ----------------------------------------------------------------------------------------------------------- 16, 17 */

typedef struct float_case {
    rill_shape shape;
    double size;     /* m: edge or diameter */
    double relative; /* density over the liquid's */
    double draft;    /* m */
} float_case;

static rill_body_def describe(const float_case *f, double x, double y, double bottom) {
    rill_body_def def = rill_default_body_def();
    def.shape = rill_rig_box(f->size, f->size, f->size);
    def.shape.type = f->shape;
    def.shape.radius = 0.5 * f->size;
    double volume = f->shape == RILL_SHAPE_SPHERE ? PI / 6 * pow(f->size, 3) : pow(f->size, 3);
    def.mass = f->relative * density * volume;
    for (int k = 0; k < 3; ++k) {
        def.inertia[k] = 1e6 * def.mass * f->size * f->size; /* it does not turn */
    }
    def.state.position[0] = x;
    def.state.position[1] = y;
    def.state.position[2] = bottom + 0.5 * f->size;
    return def;
}

/* A tank of 40 x 40 cells; the body is put in 1 mm too high. `off` is in cells. */
static void run_draft(rill_validation *validation, const float_case *which, double dx, double depth, double off) {
    const int32_t n = 40;
    const double wide = n * dx;
    rill_rig rig;
    rill_body_id id = { 0 };
    double draft = 0, rise = 0, mass = 0;
    int64_t error = 0;
    if (rill_rig_begin(&rig, validation, n, n, dx)) {
        rig.def.liquid.viscosity = 3e-3;
        rig.def.headroom = 0.1;
    }
    if (rill_rig_tank(&rig, depth)) {
        const rill_body_def def =
            describe(which, 0.5 * wide + off * dx, 0.5 * wide - 0.7 * off * dx, depth - which->draft + 1e-3);
        mass = def.mass;
        rill_rig_put(&rig, &def, &id);
        for (int i = 0; i < 240 && rill_rig_heave(&rig, id, frame); ++i) rill_rig_audit(&rig, &error);
        rise = rill_rig_level(&rig) - depth;
        draft = depth + rise - (rill_rig_body(&rig, id).position[2] - 0.5 * which->size);
    }
    if (rig.ok) {
        const char *name = which->shape == RILL_SHAPE_SPHERE ? "sphere" : "cube",
                   *where = off != 0 ? "off the grid" : "on the grid";
        const double target = mass / (density * wide * wide);
        rill_check check = { .mode = "physical", .relation = RILL_WITHIN, .value = 1e3 * draft, .unit = "mm" };
        check.target = 1e3 * which->draft;
        check.tolerance = fmax(0.005 * check.target, 0.05e3 * dx);
        rill_validation_add(validation, &check, "%s %g mm, relative density %g, %s: draft", name, 1e3 * which->size,
                            which->relative, where);
        check = (rill_check){ .mode = "physical", .relation = RILL_WITHIN, .tolerance = 1e-3, .unit = "mm" };
        check.value = 1e3 * rise;
        check.target = 1e3 * target;
        rill_validation_add(validation, &check, "%s %g mm, relative density %g, %s: rise of the level", name,
                            1e3 * which->size, which->relative, where);
        check = (rill_check){ .mode = "physical", .relation = RILL_ZERO, .value = (double)error, .unit = "quanta" };
        rill_validation_add(validation, &check, "%s %g mm, relative density %g, %s: ledger error", name,
                            1e3 * which->size, which->relative, where);
    }
    rill_rig_end(&rig);
}

void rill_case_floating_cube(rill_validation *validation) {
    static const double relative[] = { 0.25, 0.5, 0.75, 0.9 };
    for (size_t i = 0; i < sizeof relative / sizeof relative[0]; ++i) {
        const float_case cube = { RILL_SHAPE_BOX, 0.02, relative[i], 0.02 * relative[i] };
        run_draft(validation, &cube, 2e-3, 0.03, 0);
        run_draft(validation, &cube, 2e-3, 0.03, 0.37);
    }
    /* Much lighter, much smaller and much larger than a cell; a half of the tank's width. */
    run_draft(validation, &(float_case){ RILL_SHAPE_BOX, 0.02, 0.01, 0.0002 }, 2e-3, 0.03, 0.37);
    run_draft(validation, &(float_case){ RILL_SHAPE_BOX, 0.0004, 0.5, 0.0002 }, 2e-3, 0.03, 0.37);
    run_draft(validation, &(float_case){ RILL_SHAPE_BOX, 0.04, 0.5, 0.02 }, 2e-3, 0.03, 0.37);
}

void rill_case_floating_sphere(rill_validation *validation) {
    static const double known[4][2] = { { 0.25, 6.52704e-3 }, { 0.5, 0.01 }, { 0.75, 0.0134730 }, { 0.9, 0.0160840 } };
    for (size_t i = 0; i < 4; ++i) {
        const float_case sphere = { RILL_SHAPE_SPHERE, 0.02, known[i][0], known[i][1] };
        run_draft(validation, &sphere, 2e-3, 0.03, 0);
        run_draft(validation, &sphere, 2e-3, 0.03, 0.37);
    }
}

/* --------------------------------------------------------------------------------------------------------------- 18 */

typedef struct strip {
    double a, W, D, d; /* m: half-widths of strip and tank, clearance, depth */
} strip;

/* Returns how far the two sides of the equation for w are apart. */
static double mismatch(const strip *s, double w) {
    const double k = w / sqrt(gravity * s->d);
    return gravity * (1 + s->a * k / tan(k * (s->W - s->a))) - w * w * (s->d - s->D + s->a * s->a / (3 * s->D));
}

static double slow_mode(const strip *s) {
    double low = 1,
           high = PI * sqrt(gravity * s->d) / (s->W - s->a) * (1 - 1e-9); /* where the cotangent runs to -infinity */
    for (int i = 0; i < 100; ++i) {
        const double w = 0.5 * (low + high);
        *(mismatch(s, w) > 0 ? &low : &high) = w;
    }
    return low;
}

/* The mode as it passes through rest at its greatest speed: the strip goes down at `speed`. */
static bool start_mode(rill_rig *rig, const strip *s, double w, double speed) {
    const double k = w / sqrt(gravity * s->d);
    for (int32_t y = 0; y < rig->ny; ++y) {
        for (int32_t x = 1; x < rig->nx; ++x) {
            const double at = x * rig->dx - s->W, from = fabs(at), edge = s->a * speed / s->d;
            const double u = from < s->a - 0.1 * rig->dx ? from * speed / s->D
                                                         : edge * sin(k * (s->W - from)) / sin(k * (s->W - s->a));
            rig->faces[2 * rill_rig_cell(rig, x, y)] = at < 0 ? -u : u;
        }
    }
    const rill_result result = rill_world_set_velocities(rig->world, 0, rig->faces, 2 * rig->cells);
    return rill_rig_expect(rig, result, "rill_world_set_velocities");
}

static void run_strip(rill_validation *validation, const strip *s, double dx) {
    const double w = slow_mode(s), dt = 1.0 / 480, amplitude = 2e-4, rest = s->D + 0.02;
    double first = 0, last = 0, before = -1e-9;
    int periods = -1;
    rill_rig rig;
    rill_body_id id = { 0 };
    if (rill_rig_begin(&rig, validation, (int32_t)lround(2 * s->W / dx), 8, dx)) rig.def.headroom = 0.1;
    rill_body_def def = rill_default_body_def();
    def.shape = rill_rig_box(2 * s->a, 1, 0.04);
    def.drag = 0;
    def.mass = density * 2 * s->a * 8 * dx * (s->d - s->D);
    for (int k = 0; k < 3; ++k) def.inertia[k] = 1e6 * def.mass;
    def.state.position[0] = s->W;
    def.state.position[1] = 4 * dx;
    def.state.position[2] = rest;
    def.state.velocity[2] = -amplitude * w;
    if (rill_rig_build(&rig) && rill_rig_put(&rig, &def, &id)) {
        const double at[3] = { 0.5 * dx, 0.5 * dx, 1e-3 };
        rill_rig_expect(&rig, rill_world_fill_level(rig.world, at, s->d, NULL), "rill_world_fill_level");
        start_mode(&rig, s, w, amplitude * w);
        for (int i = 1; i <= 1440 && rill_rig_heave(&rig, id, dt); ++i) {
            const double z = rill_rig_body(&rig, id).position[2] - rest;
            if (before < 0 && z >= 0) {
                last = dt * (i - z / (z - before));
                first = periods < 0 ? last : first;
                ++periods;
            }
            before = z;
        }
    }
    if (rig.ok) {
        rill_check check = { .mode = "physical", .relation = RILL_NEAR, .tolerance = 0.003, .unit = "s" };
        check.value = (last - first) / periods;
        check.target = 2 * PI / w;
        rill_validation_add(validation, &check, "strip %g mm wide, clearance %g mm, dx %g mm: period of heave",
                            2e3 * s->a, 1e3 * s->D, 1e3 * dx);
    }
    rill_rig_end(&rig);
}

void rill_case_heave(rill_validation *validation) {
    const strip reference = { 0.01, 0.05, 0.01, 0.02 }, wide = { 0.03, 0.05, 0.015, 0.02 },
                deep = { 0.01, 0.04, 0.02, 0.03 };
    run_strip(validation, &reference, 2e-3);
    run_strip(validation, &reference, 1e-3);
    run_strip(validation, &wide, 2e-3);
    run_strip(validation, &deep, 2e-3);
}

/* --------------------------------------------------------------------------------------------------------------- 19 */

typedef struct light_case {
    const char *name;
    rill_shape shape;
    double size[3]; /* m; [0] is a sphere's diameter */
    double tilt;    /* degrees */
} light_case;

/* A tank of 80 x 80 mm, 20 mm deep. It has settled once it stays slower than 1e-4 m/s. */
static void run_light(rill_validation *v, const light_case *c, double viscosity, bool judged) {
    const double dx = 2e-3, depth = 0.02, wide = 0.08;
    const double half = c->shape == RILL_SHAPE_SPHERE ? 0.5 * c->size[0] : 0.5 * c->size[2];
    double tilt[4], settled = 0, highest = -INFINITY, farthest = 0;
    bool met = false;
    rill_rig rig;
    rill_body_id id = { 0 };
    if (rill_rig_begin(&rig, v, 40, 40, dx)) {
        rig.def.headroom = 0.1;
        rig.def.liquid.viscosity = viscosity;
    }
    rill_body_def def = rill_default_body_def();
    def.shape = rill_rig_box(c->size[0], c->size[1], c->size[2]);
    def.shape.type = c->shape;
    def.shape.radius = 0.5 * c->size[0];
    def.density = 0.01 * density;
    rill_rig_turn(tilt, 1, c->tilt);
    const double reach = half + 0.5 * c->size[0] * fabs(sin(c->tilt * PI / 180));
    for (int k = 0; k < 3; ++k) def.state.position[k] = k < 2 ? 0.5 * wide + 0.37 * dx : depth + 0.01 + reach;
    for (int k = 0; k < 4; ++k) def.state.orientation[k] = tilt[k];
    const int frames = 600;
    if (rill_rig_tank(&rig, depth)) {
        rill_rig_put(&rig, &def, &id);
        for (int i = 1; i <= frames && rill_rig_step(&rig, frame); ++i) {
            const rill_body_state state = rill_rig_body(&rig, id);
            const double away = hypot(state.position[0] - 0.5 * wide, state.position[1] - 0.5 * wide);
            met |= state.position[2] < depth + half;
            settled = rill_rig_body_speed(&state, 0) > 1e-4 ? i * frame : settled;
            highest = met ? fmax(highest, state.position[2]) : highest;
            farthest = fmax(farthest, away);
        }
    }
    if (rig.ok) {
        rill_check check = {
            .mode = "physical", .relation = judged ? RILL_AT_MOST : RILL_NOTE, .target = 4, .unit = "s"
        };
        check.value = settled;
        rill_validation_add(v, &check, "%s, nu %g m2/s: slower than 1e-4 m/s from", c->name, viscosity);
        check = (rill_check){ .mode = "physical", .relation = RILL_AT_MOST, .unit = "mm" };
        check.value = 1e3 * (highest - half - depth);
        check.target = 10;
        rill_validation_add(v, &check, "%s, nu %g m2/s: highest rebound, dropped from 10 mm", c->name, viscosity);
        check.value = 1e3 * farthest;
        check.target = 20;
        rill_validation_add(v, &check, "%s, nu %g m2/s: farthest from the middle", c->name, viscosity);
    }
    rill_rig_end(&rig);
}

void rill_case_light_bodies(rill_validation *validation) {
    static const light_case cases[] = {
        { "box 40 x 40 x 10 mm", RILL_SHAPE_BOX, { 0.04, 0.04, 0.01 }, 0 },
        { "plate 40 x 40 x 4 mm, tilted 10 degrees", RILL_SHAPE_BOX, { 0.04, 0.04, 0.004 }, 10 },
        { "sphere 20 mm", RILL_SHAPE_SPHERE, { 0.02, 0.02, 0.02 }, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        run_light(validation, &cases[i], 3e-4, true);
        run_light(validation, &cases[i], 1.004e-6, false);
    }
}
