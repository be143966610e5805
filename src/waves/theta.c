/* A sub-step of the method `waves`. The scheme is in theta.h. */
#include "waves/theta.h"

#include <math.h>

#include "flow/move.h"
#include "flow/stages.h"
#include "waves/tension_constants.h"
#include "waves/theta_internal.h"

/* Part of the wetting energy's concave stiffness that is implicit. */
static const double EASED = 0.5;
/* Cells upstream that are told of a limit. */
enum { CROWDED = 8 };
/* Iterations of a solve of automatic length: what the fastest waves need to pass the cells that they pass, and then some
 * for tension, at most. */
enum { ITERATIONS_LEAST = 40, ITERATIONS_MOST = 400 };
static const double ITERATIONS_PER_CELL = 20.0;

/* -------------------------------------------------------------------------------------------------------- constants */

/* Gravity that presses liquid on the bed; that which pulls it off drives it, but is no stiffness of the solve. */
static double into_bed(const rill_theta_step *step) {
    return fmax(step->gravity, 0.0);
}

/* The potential of gravity. Where it points into the bed steeply enough it is counted in heads of whole quanta. */
static void set_potential(rill_theta_constants *constants, const rill_flow *flow, const rill_theta_step *step) {
    const double q = flow->bed->quantum, dx = flow->bed->grid.cell_size;
    const double along = sqrt(step->tangent[0] * step->tangent[0] + step->tangent[1] * step->tangent[1]);
    if (step->gravity > 0.0 && 8.0 * step->gravity >= along) {
        constants->unit = step->gravity * q;
        constants->upright = 1.0;
        for (int i = 0; i < 2; ++i) constants->tilt[i] = (double)step->tilt[i];
    } else {
        constants->unit = q * (along > 0.0 ? 0.125 * along : 1.0);
        constants->upright = step->gravity * q / constants->unit;
        for (int i = 0; i < 2; ++i) constants->tilt[i] = step->tangent[i] * dx / constants->unit;
    }
    constants->highest = constants->upright * (double)flow->extent.level;
    constants->upright_f = (float)constants->upright;
    for (int i = 0; i < 2; ++i) constants->tilt_f[i] = (float)constants->tilt[i];
}

/* The edges of drops are some cells wide: where these are as wide as a drop is high, surfaces are curved, but have none. */
static void set_wetting(rill_theta_constants *constants, double film, double q, double dx,
                        const rill_theta_step *step) {
    const double weight =
        sqrt(step->gravity * step->gravity + step->tangent[0] * step->tangent[0] + step->tangent[1] * step->tangent[1]);
    if (!(RILL_FOOT * dx * RILL_FOOT * dx * weight < film)) return;
    constants->wetting = (float)(film / (RILL_FOOT * dx));
    constants->eased = (float)(EASED * film / (RILL_FOOT * RILL_FOOT * dx * dx));
    constants->slip = (float)(6.0 * RILL_SLIP * dx / q);
    constants->least = (int32_t)fmax((double)RILL_DRY, RILL_LEAST_FILM * dx / q);
    constants->residue = RILL_RESIDUE * constants->least;
    constants->creeps = RILL_RESIDUE_SPEED;
}

static void set_tension(rill_theta_constants *constants, double q, double dx, const rill_theta_step *step) {
    const double film = step->tension / step->density, latest = (double)INT32_MAX, now = fmin(1e3 * step->time, latest);
    constants->slope = (float)(q / dx);
    constants->dx = (float)dx;
    constants->film = (float)(film / (dx * dx));
    constants->foot = (float)(q / (RILL_FOOT * dx));
    constants->now = (int32_t)now;
    constants->dries = (int32_t)(step->drying > 0.0 ? fmin(now + 1e3 * step->drying + 1.0, latest) : latest);
    set_wetting(constants, film, q, dx, step);
}

static rill_theta_constants constants_of(const rill_flow *flow, const rill_theta_step *step) {
    const double dx = flow->bed->grid.cell_size, q = flow->bed->quantum, dt = step->dt, theta = step->controls.theta;
    rill_theta_constants constants = { .phase = rill_move_phase(flow->substep), .thin = flow->extent.depth / 256 };
    set_potential(&constants, flow, step);
    constants.push = (float)(dt / dx * constants.unit);
    constants.gain = (float)(dt / dx);
    constants.mobility = (float)(theta * theta * dt * dt * q / (dx * dx));
    constants.drift = (float)(dt * q / dx);
    constants.flux = (float)(dt / dx);
    constants.theta = (float)theta;
    constants.keep = (float)step->keep;
    constants.drag = (float)(12.0 * dt * step->viscosity / (q * q));
    constants.gravity = (float)into_bed(step);
    constants.fall = (float)(0.5443310539518174 * sqrt(into_bed(step) * q));
    constants.top_speed = (float)fmin(RILL_THETA_SPEED, dx / dt);
    constants.five_dx = (int32_t)(5.0 * dx / q);
    constants.least = RILL_DRY;
    constants.inner[0] = flow->bed->sheets->nx;
    constants.inner[1] = flow->bed->sheets->ny;
    if (step->tension > 0.0) set_tension(&constants, q, dx, step);
    return constants;
}

/* How many iterations are enough for a good solve. */
static int32_t enough(const rill_flow *flow, const rill_theta_step *step) {
    if (step->controls.iterations > 0) return step->controls.iterations;
    const double dx = flow->bed->grid.cell_size, depth = (double)flow->extent.depth * flow->bed->quantum;
    const double film = step->tension / (step->density * dx * dx);
    const double passed = step->dt / dx * sqrt((into_bed(step) + 8.0 * film) * depth);
    return (int32_t)fmin(ITERATIONS_LEAST + ITERATIONS_PER_CELL * passed, ITERATIONS_MOST);
}

/* ----------------------------------------------------------------------------------------------------------- visits */

static void visit_slopes(const rill_theta_work *work, const rill_theta_run *run, const rill_theta_row *row,
                         rill_theta_sums *sums) {
    (void)sums;
    work->kernels->slopes(run->x, run->count, row, row - 1, &work->constants);
}

static void visit_weights(const rill_theta_work *work, const rill_theta_run *run, const rill_theta_row *row,
                          rill_theta_sums *sums) {
    (void)sums;
    work->kernels->weights(run->x, run->count, row, row + 1, &work->constants);
    work->kernels->wetted(run->x, run->count, row, &work->constants);
}

static void visit_corners(const rill_theta_work *work, const rill_theta_run *run, const rill_theta_row *row,
                          rill_theta_sums *sums) {
    (void)sums;
    work->kernels->corners(run->x, run->count, row, row - 1);
}

static void visit_press(const rill_theta_work *work, const rill_theta_run *run, const rill_theta_row *row,
                        rill_theta_sums *sums) {
    (void)sums;
    work->kernels->press(run->x, run->count, row, row + 1, work->tension, &work->constants);
}

static void visit_open(const rill_theta_work *work, const rill_theta_run *run, const rill_theta_row *row,
                       rill_theta_sums *sums) {
    (void)sums;
    work->kernels->open(run->x, run->count, row, row - 1, work->tension, &work->constants);
}

static void visit_fly(const rill_theta_work *work, const rill_theta_run *run, const rill_theta_row *row,
                      rill_theta_sums *sums) {
    (void)sums;
    work->kernels->fly(run->x, run->count, row, row + 1, &work->constants);
}

static void visit_release(const rill_theta_work *work, const rill_theta_run *run, const rill_theta_row *row,
                          rill_theta_sums *sums) {
    (void)sums;
    work->kernels->release(run->x, run->count, row, row - 1, &work->constants);
    work->kernels->keep_open(run->x, run->count, row, row + 1);
}

static void visit_flag(const rill_theta_work *work, const rill_theta_run *run, const rill_theta_row *row,
                       rill_theta_sums *sums) {
    sums->flags |= work->kernels->flag(run->x, run->count, row, row + 1, work->taking, work->constants.thin);
}

static void visit_limit(const rill_theta_work *work, const rill_theta_run *run, const rill_theta_row *row,
                        rill_theta_sums *sums) {
    (void)sums;
    work->kernels->limit(run->x, run->count, row, row + 1, work->taking);
}

static void visit_gain(const rill_theta_work *work, const rill_theta_run *run, const rill_theta_row *row,
                       rill_theta_sums *sums) {
    (void)sums;
    work->kernels->gain(run->x, run->count, row, row + 1);
}

static void visit_crowd(const rill_theta_work *work, const rill_theta_run *run, const rill_theta_row *row,
                        rill_theta_sums *sums) {
    sums->flags |= work->kernels->crowd(run->x, run->count, row, row + 1);
}

static void visit_scale(const rill_theta_work *work, const rill_theta_run *run, const rill_theta_row *row,
                        rill_theta_sums *sums) {
    (void)sums;
    work->kernels->scale(run->x, run->count, row, row - 1, work->taking);
}

static void visit_whole(const rill_theta_work *work, const rill_theta_run *run, const rill_theta_row *row,
                        rill_theta_sums *sums) {
    (void)sums;
    work->kernels->whole(run->x, run->count, row, work->constants.phase);
}

static void visit_advect(const rill_theta_work *work, const rill_theta_run *run, const rill_theta_row *row,
                         rill_theta_sums *sums) {
    (void)sums;
    work->kernels->advect(run->x, run->count, row, row - 1, row + 1);
}

static void visit_adopt(const rill_theta_work *work, const rill_theta_run *run, const rill_theta_row *row,
                        rill_theta_sums *sums) {
    (void)sums;
    work->kernels->adopt(run->x, run->count, row);
}

static void visit_deposit(const rill_theta_work *work, const rill_theta_run *run, const rill_theta_row *row,
                          rill_theta_sums *sums) {
    work->kernels->deposit(run->x, run->count, row, row + 1, &work->constants, &sums->extent);
}

static void visit_clear(const rill_theta_work *work, const rill_theta_run *run, const rill_theta_row *row,
                        rill_theta_sums *sums) {
    (void)sums;
    work->kernels->clear(run->x, run->count, row);
}

/* Adds the potentials of forces from outside to P of the columns of a run, and what accelerates them to the velocities of their faces. */
static void visit_forces(const rill_theta_work *work, const rill_theta_run *run, const rill_theta_row *row,
                         rill_theta_sums *sums) {
    const rill_flow *flow = work->flow;
    const rill_push *push = &flow->push;
    const ptrdiff_t first = row->H - flow->H;
    const int32_t stride = flow->bed->sheets->stride;
    const double gained = push->unit * work->step->dt / flow->bed->grid.cell_size;
    (void)sums;
    for (int32_t x = run->x; x < run->x + run->count; ++x) {
        const ptrdiff_t r = first + x;
        row->P[x] += (float)(push->unit * (push->potential[r] - push->lowest));
        row->u[x] += (float)(gained * ((double)push->half[0][r - 1] + (double)push->half[0][r]));
        row->v[x] += (float)(gained * ((double)push->half[1][r - stride] + (double)push->half[1][r]));
    }
}

/* --------------------------------------------------------------------------------------------------------- sub-step */

/* Adds forces from outside, once P is known and before faces are opened. */
static void add_forces(const rill_theta_work *work) {
    if (work->flow->push.on) rill_theta_pass(work, visit_forces);
}

/* Lets no column give more than it has; or, if `taking`, take more than it has room for. Returns what `flag` has found. */
static int32_t limit(rill_theta_work *work, bool taking) {
    work->taking = taking;
    const int32_t flags = rill_theta_pass(work, visit_flag).flags;
    if (flags == 0) return 0;
    if (!taking) rill_theta_pass(work, visit_gain);
    rill_theta_pass(work, visit_limit);
    rill_theta_pass(work, visit_scale);
    return flags;
}

/* Keeps liquid from piling up where more would pass through a column than it has. The solve lets it pass; but what moves is
 * at most what a column has, while all that was to pass through it arrives. So columns gain no more than they were to. */
static void spread_limits(rill_theta_work *work) {
    work->taking = true;
    for (int32_t i = 0; i < CROWDED && rill_theta_pass(work, visit_crowd).flags; ++i)
        rill_theta_pass(work, visit_scale);
}

/* Lets no column give more than it has. Returns whether one that is not thin would have. */
static bool limit_giving(rill_theta_work *work) {
    const int32_t flags = limit(work, false);
    if (flags) spread_limits(work);
    return flags & 2;
}

rill_theta_report rill_theta_move(rill_theta *theta, rill_flow *flow, const rill_theta_step *step,
                                  rill_edge_flow *flows) {
    rill_theta_step resolved = *step;
    resolved.controls.iterations = enough(flow, step);
    rill_theta_work work = { .theta = theta,
                             .flow = flow,
                             .step = &resolved,
                             .kernels = rill_theta_kernels_pick(step->scalar),
                             .constants = constants_of(flow, step),
                             .tension = step->tension > 0.0 };
    RILL_ASSERT(step->dt > 0.0 && step->density > 0.0);
    rill_flow_wake_everything(flow);
    rill_theta_find_runs(&work);
    rill_theta_report report = { .columns = work.columns };
    if (work.tension) {
        rill_theta_pass(&work, visit_slopes);
        rill_theta_pass(&work, visit_corners);
        rill_theta_pass(&work, visit_weights);
    }
    rill_theta_pass(&work, visit_press);
    add_forces(&work);
    rill_theta_pass(&work, visit_open);
    rill_theta_pass(&work, visit_fly);
    report.iterations = rill_theta_solve(&work, &report.capped);
    rill_theta_pass(&work, visit_release);
    report.slowed = limit_giving(&work);
    /* A column may get all that its four neighbours have. */
    if (flow->extent.level + 4 * (int64_t)flow->extent.depth > RILL_TOP) limit(&work, true);
    rill_theta_pass(&work, visit_whole);
    flow->extent = rill_theta_pass(&work, visit_deposit).extent;
    if (step->advection) {
        rill_theta_pass(&work, visit_advect);
        rill_theta_pass(&work, visit_adopt);
    }
    rill_edges_restore_widening(flow, flows);
    rill_theta_pass(&work, visit_clear);
    return report;
}
