/* A sub-step of surface tension (tension.h): from levels to pressures to velocities. */
#include <math.h>

#include "base/dispatch.h"
#include "waves/tension_internal.h"

RILL_DISPATCH(rill_tension_kernels)

double rill_tension_limit(double strength, double depth, double cell_size) {
    const double speed = sqrt(strength * depth);
    return speed > 0.0 ? RILL_TENSION_STRIDE * 0.25 * cell_size * cell_size / speed : (double)INFINITY;
}

/* ----------------------------------------------------------------------------------------------------------- passes */

enum { WORTH_A_TASK = 16384 }; /* columns */

static void pass_task(void *context, int32_t task) {
    const rill_tension_pass *pass = context;
    rill_tension_state *t = pass->work->tension;
    const int32_t from = (int32_t)((int64_t)pass->run_count * task / pass->tasks);
    const int32_t to = (int32_t)((int64_t)pass->run_count * (task + 1) / pass->tasks);
    rill_tension_most most = { 0.0f, 0.0f };
    rill_tension_sum sum = 0;
    for (int32_t i = from; i < to; ++i) pass->visit(pass, &pass->runs[i], &most, &sum);
    t->most[task] = most;
    t->sums[task] = sum;
}

void rill_tension_each(rill_tension_pass *pass, bool rims) {
    rill_tension_state *t = pass->work->tension;
    const int64_t columns = rill_flow_swept_columns(pass->work->flow);
    pass->runs = rims ? t->rims : t->runs;
    pass->run_count = rims ? t->rim_count : t->run_count;
    pass->tasks = (int32_t)(columns / WORTH_A_TASK);
    pass->tasks = rill_max_i(1, rill_min_i(pass->tasks, t->task_count));
    if (pass->tasks > 1)
        rill_parallel_for(pass->work->settings->runtime, pass->work->settings->pool, pass->tasks, pass_task, pass);
    else
        pass_task(pass, 0);
    for (int32_t i = 0; i < pass->tasks; ++i) {
        pass->most.first = rill_max_f(pass->most.first, t->most[i].first);
        pass->most.second = rill_max_f(pass->most.second, t->most[i].second);
        pass->sum += t->sums[i];
    }
}

/* A pass that calls a kernel of this form. */
#define VISIT(NAME)                                                                                                    \
    static void visit_##NAME(const rill_tension_pass *pass, const rill_tension_run *run, rill_tension_most *most,      \
                             rill_tension_sum *sum) {                                                                  \
        (void)most, (void)sum;                                                                                         \
        pass->work->kernels->NAME(run, &pass->work->tension->planes, &pass->work->constants);                          \
    }
VISIT(slopes)
VISIT(corners)
VISIT(weights)
VISIT(pressures)
VISIT(mobilities)

static void visit_start(const rill_tension_pass *pass, const rill_tension_run *run, rill_tension_most *most,
                        rill_tension_sum *sum) {
    (void)most, (void)sum;
    pass->work->kernels->start(run, &pass->work->tension->planes);
}

static void visit_drive(const rill_tension_pass *pass, const rill_tension_run *run, rill_tension_most *most,
                        rill_tension_sum *sum) {
    (void)most, (void)sum;
    pass->work->kernels->drive(run, &pass->work->tension->planes, pass->a, &pass->work->constants);
}

static void visit_change(const rill_tension_pass *pass, const rill_tension_run *run, rill_tension_most *most,
                         rill_tension_sum *sum) {
    (void)most, (void)sum;
    pass->work->kernels->remember_change(run, &pass->work->tension->planes, pass->a);
}

static void each(const rill_tension_work *work, rill_tension_visit *visit, bool rims) {
    rill_tension_pass pass = { .work = work, .visit = visit };
    rill_tension_each(&pass, rims);
}

/* ------------------------------------------------------------------------------------------------------------- masks */

/* Whether a column has another surface than its own: its ceiling, or the bottom of a body. */
static bool has_none(const rill_flow *flow, int32_t place) {
    return (flow->pressure && flow->pressure[place] != 0) ||
           (flow->lifted && flow->lifted[place] != flow->bed->b[place]);
}

static void visit_mask(const rill_tension_pass *pass, const rill_tension_run *run, rill_tension_most *most,
                       rill_tension_sum *sum) {
    const rill_tension_state *t = pass->work->tension;
    const rill_flow *flow = pass->work->flow;
    (void)most, (void)sum;
    for (int32_t i = run->place; i < run->place + run->count; ++i) {
        const bool beside = has_none(flow, i - 1) || has_none(flow, i + 1) || has_none(flow, i - run->stride) ||
                            has_none(flow, i + run->stride);
        t->acting_now[i] = has_none(flow, i) ? -1.0f : beside ? rill_min_f(t->acting[i], 0.0f) : t->acting[i];
    }
}

/* Masks what is flooded or under bodies now, and what is beside it. */
static void mask(const rill_tension_work *work) {
    rill_tension_state *t = work->tension;
    const rill_sparse *sparse = work->flow->sparse;
    t->planes.acting = t->acting;
    if (!work->flow->pressure && !work->flow->lifted) return;
    each(work, visit_mask, true);
    for (int32_t i = 0; i < sparse->active_count; ++i) {
        const rill_pipe *pipe = &sparse->pipes[sparse->active[i]];
        if (has_none(work->flow, pipe->l)) t->acting_now[pipe->r] = rill_min_f(t->acting_now[pipe->r], 0.0f);
        if (has_none(work->flow, pipe->r)) t->acting_now[pipe->l] = rill_min_f(t->acting_now[pipe->l], 0.0f);
    }
    t->planes.acting = t->acting_now;
}

/* ---------------------------------------------------------------------------------------------------------- sub-step */

static rill_tension_constants constants_of(const rill_flow *flow, const rill_kernel_constants *sweep,
                                           const rill_tension_step *step) {
    const double q = flow->bed->quantum, dx = flow->bed->grid.cell_size, G = step->strength, foot = RILL_FOOT * dx;
    return (rill_tension_constants){ .slope = (float)(q / dx),
                                     .bend = (float)(G / dx),
                                     .stiff = (float)(G / (dx * dx)),
                                     .foot = (float)(foot / q),
                                     .edge = (float)(G / foot),
                                     .hollow = (float)(-0.5 * G / (foot * foot)),
                                     .weight = (float)(step->normal * q),
                                     .drive = sweep->drive,
                                     .drag = sweep->drag,
                                     .keep = sweep->keep,
                                     .slip = (float)(12.0 * RILL_SLIP * dx / q),
                                     .push = (float)(step->dt / dx),
                                     .reach = (float)(step->dt * q / dx),
                                     .tip = (float)(0.5 * step->normal * q),
                                     .quantum = (float)q,
                                     .strength = (float)G,
                                     .top_speed = sweep->top_speed,
                                     .five_dx = sweep->five_dx,
                                     .least = (int32_t)(RILL_LEAST_FILM * dx / q),
                                     .residue = (int32_t)(RILL_RESIDUE * RILL_LEAST_FILM * dx / q),
                                     .level = flow->extent.level,
                                     .tilt = { sweep->tilt[0], sweep->tilt[1] },
                                     .now = (int32_t)(fmod(step->time, 1e6) * 1e3),
                                     .dries =
                                         (int32_t)(fmod(step->time, 1e6) * 1e3) + (int32_t)(step->drying * 1e3) + 1,
                                     .walls = step->walls };
}

/* A check of the tiles follows every RILL_TILE_CHECK sub-steps. */
static bool check_follows(const rill_flow *flow) {
    return (flow->substep + 1) % RILL_TILE_CHECK == 0;
}

void rill_tension_drive(rill_tension_state *tension, const rill_wetting *wetting, rill_flow *flow,
                        const rill_flow_settings *settings, const rill_kernel_constants *constants,
                        const rill_tension_step *step) {
    rill_tension_planes *p = &tension->planes;
    const rill_tension_work work = { tension,
                                     flow,
                                     settings,
                                     constants,
                                     rill_tension_kernels_pick(settings->scalar),
                                     constants_of(flow, constants, step) };
    rill_tension_list_runs(tension, flow);
    if (tension->run_count == 0) return;
    p->b = rill_flow_bases(flow), p->c = flow->bed->c, p->H = flow->H, p->u = flow->u, p->v = flow->v;
    p->advancing = wetting->advancing, p->receding = wetting->receding;
    mask(&work);
    each(&work, visit_slopes, true);
    each(&work, visit_corners, true);
    each(&work, visit_weights, true);
    each(&work, visit_pressures, false);
    rill_tension_link_pipes(&work);
    each(&work, visit_mobilities, false);
    rill_tension_free_pipes(&work);
    rill_tension_shut_rim(&work);
    each(&work, visit_start, false);
    rill_tension_pipes_start(tension, p->moved);
    rill_tension_solve(&work);
    rill_tension_pass drive = { .work = &work, .visit = visit_drive, .a = p->change };
    rill_tension_each(&drive, false);
    rill_tension_drive_pipes(&work, p->change);
    rill_tension_pass change = { .work = &work, .visit = visit_change, .a = p->change };
    rill_tension_each(&change, false);
    if (settings->rest && check_follows(flow)) rill_tension_unrest(&work);
}
