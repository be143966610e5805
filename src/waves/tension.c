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

/* A kernel over a list of runs. */
typedef void rill_tension_kernel(const rill_tension_run *run, const rill_tension_planes *planes,
                                 const rill_tension_constants *constants);
typedef struct pass {
    const rill_tension_work *work;
    rill_tension_kernel *kernel; /* or */
    rill_tension_solver *solver;
    const rill_tension_factors *factors;
    const rill_tension_run *runs;
    int32_t run_count, tasks;
} pass;

static void pass_task(void *context, int32_t task) {
    const pass *running = context;
    rill_tension_state *tension = running->work->tension;
    const int32_t from = (int32_t)((int64_t)running->run_count * task / running->tasks);
    const int32_t to = (int32_t)((int64_t)running->run_count * (task + 1) / running->tasks);
    rill_tension_outcome out = { .most = { 0.0f } };
    for (int32_t i = from; i < to; ++i) {
        if (running->kernel)
            running->kernel(&running->runs[i], &tension->planes, &running->work->constants);
        else
            running->solver(&running->runs[i], &tension->planes, running->factors, &out);
    }
    tension->outcomes[task] = out;
}

static void run_pass(pass *running) {
    const int64_t columns = rill_flow_swept_columns(running->work->flow);
    running->tasks = rill_max_i(1, rill_min_i((int32_t)(columns / WORTH_A_TASK), running->work->tension->task_count));
    if (running->tasks > 1)
        rill_parallel_for(running->work->settings->runtime, running->work->settings->pool, running->tasks, pass_task,
                          running);
    else
        pass_task(running, 0);
}

rill_tension_outcome rill_tension_each(const rill_tension_work *work, rill_tension_solver *kernel,
                                       const rill_tension_factors *factors) {
    const rill_tension_state *tension = work->tension;
    pass running = {
        .work = work, .solver = kernel, .factors = factors, .runs = tension->runs, .run_count = tension->run_count
    };
    run_pass(&running);
    rill_tension_outcome all = tension->outcomes[0];
    for (int32_t i = 1; i < running.tasks; ++i) {
        for (int k = 0; k < RILL_TENSION_MOST; ++k) all.most[k] = rill_max_f(all.most[k], tension->outcomes[i].most[k]);
        for (int k = 0; k < RILL_TENSION_SUMS; ++k) all.sums[k] += tension->outcomes[i].sums[k];
    }
    return all;
}

static void each_run(const rill_tension_work *work, rill_tension_kernel *kernel) {
    pass running = {
        .work = work, .kernel = kernel, .runs = work->tension->runs, .run_count = work->tension->run_count
    };
    run_pass(&running);
}

static void each_rim(const rill_tension_work *work, rill_tension_kernel *kernel) {
    pass running = {
        .work = work, .kernel = kernel, .runs = work->tension->rims, .run_count = work->tension->rim_count
    };
    run_pass(&running);
}

/* ------------------------------------------------------------------------------------------------------------- masks */

/* Planes that tell which columns have another surface than their own: their ceiling, or the bottom of a body. */
typedef struct surfaces {
    const int32_t *b, *lifted;
    const int32_t *pressure; /* NULL: there are no ceilings */
} surfaces;

static surfaces surfaces_of(const rill_flow *flow) {
    return (surfaces){ flow->bed->b, rill_flow_bases(flow), flow->pressure };
}

/* `roofs`, whether there are ceilings, is a constant. */
static inline int32_t covered(const surfaces *of, int32_t place, int roofs) {
    return (int32_t)(of->lifted[place] != of->b[place]) | (roofs ? (int32_t)(of->pressure[place] != 0) : 0);
}

static bool has_none(const rill_flow *flow, int32_t place) {
    const surfaces of = surfaces_of(flow);
    return of.pressure ? covered(&of, place, 1) : covered(&of, place, 0);
}

static inline void mask_columns(const rill_tension_state *tension, const surfaces *all, const rill_tension_run *run,
                                int roofs) {
    const surfaces of = *all;
    const int32_t from = run->place, end = run->place + (run->count & -RILL_TILE_W), up = run->stride;
    const float *acting = tension->acting;
    float *out = tension->acting_now;
    RILL_EACH_ALONE /* no bit that is written is looked at */
        for (int32_t i = from; i < end; ++i) {
        const int32_t beside = covered(&of, i - 1, roofs) | covered(&of, i + 1, roofs) | covered(&of, i - up, roofs) |
                               covered(&of, i + up, roofs);
        const float most = rill_min_f(acting[i], 0.0f), open = beside ? most : acting[i];
        out[i] = covered(&of, i, roofs) ? -1.0f : open;
    }
}

static void mask_run(const rill_tension_state *tension, const rill_flow *flow, const rill_tension_run *run) {
    const surfaces of = surfaces_of(flow);
    if (of.pressure)
        mask_columns(tension, &of, run, 1);
    else
        mask_columns(tension, &of, run, 0);
}

/* Masks what is flooded or under bodies now, and what is beside it. */
static void mask(const rill_tension_work *work) {
    rill_tension_state *tension = work->tension;
    const rill_sparse *sparse = work->flow->sparse;
    tension->planes.acting = tension->acting;
    if (!work->flow->pressure && !work->flow->lifted) return;
    for (int32_t i = 0; i < tension->rim_count; ++i) mask_run(tension, work->flow, &tension->rims[i]);
    for (int32_t i = 0; i < sparse->active_count; ++i) {
        const rill_pipe *pipe = &sparse->pipes[sparse->active[i]];
        if (has_none(work->flow, pipe->l))
            tension->acting_now[pipe->r] = rill_min_f(tension->acting_now[pipe->r], 0.0f);
        if (has_none(work->flow, pipe->r))
            tension->acting_now[pipe->l] = rill_min_f(tension->acting_now[pipe->l], 0.0f);
    }
    tension->planes.acting = tension->acting_now;
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
                                     .weight = (float)(step->weight * q),
                                     .upright = step->upright,
                                     .drive = sweep->drive,
                                     .drag = sweep->drag,
                                     .keep = sweep->keep,
                                     .slip = (float)(12.0 * RILL_SLIP * dx / q),
                                     .push = (float)(step->dt / dx),
                                     .reach = (float)(step->dt * q / dx),
                                     .tip = (float)(0.5 * step->upright * step->weight * q),
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
                                     .pushed = sweep->pushed,
                                     .lowest = flow->push.lowest };
}

/* A check of the tiles follows every RILL_TILE_CHECK sub-steps. */
static bool check_follows(const rill_flow *flow) {
    return (flow->substep + 1) % RILL_TILE_CHECK == 0;
}

void rill_tension_drive(rill_tension_state *tension, const rill_wetting *wetting, rill_flow *flow,
                        const rill_flow_settings *settings, const rill_kernel_constants *constants,
                        const rill_tension_step *step) {
    rill_tension_planes *planes = &tension->planes;
    const rill_tension_work work = { tension,
                                     flow,
                                     settings,
                                     constants,
                                     rill_tension_kernels_pick(settings->scalar),
                                     constants_of(flow, constants, step) };
    rill_tension_list_runs(tension, flow);
    if (tension->run_count == 0) return;
    planes->b = rill_flow_bases(flow), planes->c = flow->bed->c, planes->H = flow->H, planes->u = flow->u,
    planes->v = flow->v;
    planes->advancing = wetting->advancing, planes->receding = wetting->receding, planes->sides = tension->sides;
    planes->field = flow->push.potential;
    mask(&work);
    each_rim(&work, work.kernels->slopes);
    each_rim(&work, work.kernels->corners);
    each_rim(&work, work.kernels->weights);
    each_run(&work, work.kernels->pressures);
    if (step->walls) each_run(&work, work.kernels->walls);
    if (constants->pushed) each_run(&work, work.kernels->fields);
    rill_tension_link_pipes(&work);
    each_run(&work, work.kernels->mobilities);
    rill_tension_free_pipes(&work);
    rill_tension_shut_rim(&work);
    rill_tension_solve(&work);
    each_run(&work, work.kernels->drive);
    rill_tension_drive_pipes(&work);
    rill_tension_each(&work, work.kernels->remember, NULL);
    if (settings->rest && check_follows(flow)) rill_tension_unrest(&work);
}
