/* Case 29: bodies in flooded passages, solved for together with them.
 *
 * Two wells of 20 mm, each 20 mm deep, and between them a passage of the same width, 20 mm long and 6 mm high.
 *
 *   piston    A body of infinite mass fills the passage and goes there and back: what it pushes arrives in the far well in
 *             the same step.
 *   plug      A body of finite mass fills the passage, or nine tenths of it. Liquid and body swing like a U-tube: with
 *             the well's area S, the passage's section A, the part f of it that a body of relative density s and
 *             length l fills,
 *
 *                 T = 2 pi sqrt(I S / (2 rho g)),     I = rho (L - l) / A + rho l / (A (f / s + 1 - f)) + wells
 *
 *             because pressure drives the body and what passes beside it alike. In the wells speed falls off from cell to
 *             cell: the sum of (k / n)^2 dx rho / (W H) each.
 *   ceiling   A body of a tenth of the liquid's density that is pressed against the ceiling disturbs nothing. */
#include "body_rig.h"
#include "cases.h"

#include <math.h>

#define PI 3.14159265358979323846

enum { WELL = 20, PASSAGE = 20, ACROSS = 6 }; /* cells */
static const double dx = 1e-3, height = 6e-3, level = 0.02, gravity = 9.81;

/* Counts of what must not happen. */
typedef struct score {
    int64_t error; /* of the ledger, quanta */
    int capped;    /* steps */
} score;

static bool build_wells(rill_rig *rig, rill_validation *v) {
    if (rill_rig_begin(rig, v, 2 * WELL + PASSAGE, ACROSS, dx)) {
        rig->def.headroom = 0.02;
        rig->def.solver.orifice = 0;
    }
    rill_rig_add_box(rig, WELL * dx, -1, height, (WELL + PASSAGE) * dx, 1, 0.04);
    return rill_rig_build(rig);
}

static bool fill_wells(rill_rig *rig) {
    const double at[3] = { dx, dx, 1e-4 };
    return rig->ok && rill_rig_expect(rig, rill_world_fill_level(rig->world, at, level, NULL), "rill_world_fill_level");
}

static rill_body_def box(double x, double y, double z, double length, double width, double tall) {
    rill_body_def def = rill_default_body_def();
    def.shape = rill_rig_box(length, width, tall);
    def.state.position[0] = x;
    def.state.position[1] = y;
    def.state.position[2] = z;
    def.drag = 0;
    return def;
}

/* Liquid in the east well, m3. */
static double in_far_well(rill_rig *rig, double from) {
    const double low[3] = { from, -1, -1 }, high[3] = { from + WELL * dx, 1, 1 };
    double found = 0;
    rill_rig_expect(rig, rill_query_box_volume(rig->world, low, high, &found), "rill_query_box_volume");
    return found;
}

static bool step(rill_rig *rig, double dt, score *totals) {
    rill_step_info info;
    if (!rill_rig_step(rig, dt) || !rill_rig_audit(rig, &totals->error) ||
        !rill_rig_expect(rig, rill_world_get_step_info(rig->world, &info), "rill_world_get_step_info"))
        return false;
    totals->capped += (info.status & (RILL_STATUS_BODIES_CAPPED | RILL_STATUS_PASSAGES_CAPPED)) != 0;
    return true;
}

/* ----------------------------------------------------------------------------------------------------------- piston */

static void run_piston(rill_validation *validation, double speed, score *totals) {
    const double dt = 1.0 / 240, area = height * ACROSS * dx, start = (WELL + 7) * dx;
    const int steps = (int)lround(PI * 4 * dx / (speed * dt));
    double worst = 0, pushed = 0, arrived = 0;
    rill_rig rig;
    rill_body_id id = { 0 };
    rill_body_def def = box(start, 3 * dx, height / 2, 8 * dx, 10 * dx, 2 * height);
    def.mass = (double)INFINITY;
    if (build_wells(&rig, validation) && rill_rig_put(&rig, &def, &id) && fill_wells(&rig)) {
        const double far = (WELL + PASSAGE) * dx, at_first = in_far_well(&rig, far);
        for (int i = 0; i < steps && rig.ok; ++i) {
            const double before = in_far_well(&rig, far);
            rill_body_state state = rill_rig_body(&rig, id);
            state.velocity[0] = speed * sin(2 * PI * (i + 0.5) / steps);
            rill_rig_set_body(&rig, id, &state);
            step(&rig, dt, totals);
            const double came = in_far_well(&rig, far) - before, due = area * dt * state.velocity[0];
            worst = fmax(worst, fabs(came - due) / (area * dt * speed));
            if (2 * i < steps) {
                pushed += due;
                arrived = before + came - at_first;
            }
        }
    }
    if (rig.ok) {
        rill_check check = { .mode = "physical", .relation = RILL_AT_MOST, .target = 1, .unit = "%" };
        check.value = 100 * worst;
        rill_validation_add(validation, &check, "piston to and fro at %g mm/s: flow that is late or early, of all",
                            1e3 * speed);
        check = (rill_check){ .mode = "physical", .relation = RILL_NEAR, .tolerance = 1e-3, .unit = "ml" };
        check.value = 1e6 * arrived;
        check.target = 1e6 * pushed;
        rill_validation_add(validation, &check, "piston at %g mm/s: pushed into the far well", 1e3 * speed);
    }
    rill_rig_end(&rig);
}

/* ------------------------------------------------------------------------------------------------------------- plug */

static double period(double density, double relative, double part, double length) {
    const double area = height * ACROSS * dx, beside = density * length / (area * (part / relative + (1 - part)));
    double sum = density * (PASSAGE * dx - length) / area + beside;
    for (int k = 1; k <= WELL; ++k) sum += 2 * density * k * k / (double)(WELL * WELL) / (ACROSS * level);
    return 2 * PI * sqrt(sum * WELL * ACROSS * dx * dx / (2 * density * gravity));
}

/* Swings once, from levels 0.3 mm above and below. */
static void run_plug(rill_validation *validation, double relative, double part, score *totals) {
    const double dt = 1e-3, length = 8 * dx, x = (WELL + 10.3) * dx, y = 0.5 * ACROSS * dx, z = 0.5 * height;
    double crossed[3] = { 0, 0, 0 }, target = 0;
    int found = 0;
    rill_rig rig;
    rill_body_id id = { 0 };
    if (build_wells(&rig, validation)) {
        const double density = rig.def.liquid.density;
        rill_body_def def = box(x, y, z, length, ACROSS * dx, part * height);
        def.density = relative * density;
        def.state.acceleration[2] = -gravity / relative; /* what bears it also keeps it from rising or sinking */
        target = period(density, relative, part, length);
        rill_rig_put(&rig, &def, &id);
    }
    for (size_t i = 0; fill_wells(&rig) && i < rig.cells; ++i) {
        const int at = (int)(i % (size_t)rig.nx);
        rig.depth[i] = at < WELL ? level + 3e-4 : at >= WELL + PASSAGE ? level - 3e-4 : (double)NAN;
    }
    if (rig.ok) {
        rill_rig_expect(&rig, rill_world_fill_depths(rig.world, 0, rig.depth, rig.cells, NULL),
                        "rill_world_fill_depths");
    }
    double before = 1;
    for (int i = 1; found < 3 && i * dt < 3 * target && step(&rig, dt, totals); ++i) {
        rill_body_state state = rill_rig_body(&rig, id);
        state.position[1] = y;
        state.position[2] = z;
        state.velocity[1] = state.velocity[2] = 0;
        for (int k = 0; k < 3; ++k) state.angular_velocity[k] = 0;
        rill_rig_turn(state.orientation, 0, 0);
        rill_rig_set_body(&rig, id, &state);
        const double apart = in_far_well(&rig, 0) - in_far_well(&rig, (WELL + PASSAGE) * dx);
        if (before * apart < 0) crossed[found++] = dt * (i - apart / (apart - before));
        before = apart;
    }
    if (rig.ok) {
        rill_check check = { .mode = "physical", .relation = RILL_NEAR, .unit = "s" };
        check.tolerance = part < 1 ? 0.03 : 0.01;
        check.value = crossed[2] - crossed[0];
        check.target = target;
        rill_validation_add(validation, &check, "plug of relative density %g in %g of the section: period", relative,
                            part);
    }
    rill_rig_end(&rig);
}

/* ---------------------------------------------------------------------------------------------------------- ceiling */

/* One second of an engine that puts the body back after each step. */
static void run_ceiling(rill_validation *validation, score *totals) {
    double speed = 0;
    rill_rig rig;
    rill_body_id id = { 0 };
    rill_body_def def = box((WELL + 10.3) * dx, 3.2 * dx, 4.65e-3, 6 * dx, 4 * dx, 2.7e-3);
    if (build_wells(&rig, validation)) {
        def.density = 0.1 * rig.def.liquid.density;
        rill_rig_put(&rig, &def, &id);
    }
    fill_wells(&rig);
    for (int i = 0; i < 240 && step(&rig, 1.0 / 240, totals); ++i) {
        rill_body_state state = rill_rig_body(&rig, id);
        state.position[2] = def.state.position[2];
        state.velocity[2] = 0;
        speed = rill_rig_body_speed(&state, 5e-3);
        rill_rig_set_body(&rig, id, &state);
    }
    if (rig.ok && rill_rig_look(&rig)) {
        rill_check check = { .mode = "physical", .relation = RILL_AT_MOST, .target = 0.1, .unit = "mm/s" };
        check.value = 1e3 * speed;
        rill_validation_add(validation, &check, "light body against the ceiling: its speed after 1 s");
        check.value = 1e3 * rill_rig_max_speed(&rig);
        rill_validation_add(validation, &check, "light body against the ceiling: speed of the liquid");
    }
    rill_rig_end(&rig);
}

void rill_case_bodies_in_passages(rill_validation *validation) {
    static const double relative[5] = { 0.01, 0.1, 1, 5, 20 };
    score totals = { 0, 0 };
    run_piston(validation, 0.02, &totals);
    run_piston(validation, 0.1, &totals);
    for (int i = 0; i < 5; ++i) {
        run_plug(validation, relative[i], 1, &totals);
        run_plug(validation, relative[i], 0.9, &totals);
    }
    run_ceiling(validation, &totals);
    rill_check check = { .mode = "physical", .relation = RILL_ZERO, .value = (double)totals.error, .unit = "quanta" };
    rill_validation_add(validation, &check, "piston, plugs, ceiling: ledger error");
    check.value = totals.capped;
    check.unit = "steps";
    rill_validation_add(validation, &check, "piston, plugs, ceiling: steps that were cut short");
}
