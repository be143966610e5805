/* A sub-step of films (films.h): from depths to pressures to velocities to depths. */
#include "films/films.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/dispatch.h"
#include "base/power.h"
#include "base/simd.h"
#include "base/vec.h"
#include "films/films_internal.h"
#include "flow/move.h"

RILL_DISPATCH(rill_films_kernels)

/* -------------------------------------------------------------------------------------------------------------- passes */

enum { WORTH_A_TASK = 1024 }; /* blocks */

typedef struct pass {
    const rill_films_work *work;
    rill_films_kernel *kernel;
    const rill_films_factors *factors;
    int32_t tasks;
} pass;

static void pass_task(void *context, int32_t task) {
    const pass *running = context;
    rill_films *films = running->work->films;
    const int32_t from = (int32_t)((int64_t)films->block_count * task / running->tasks);
    const int32_t to = (int32_t)((int64_t)films->block_count * (task + 1) / running->tasks);
    const rill_films_part part = { &films->planes, &running->work->constants, running->factors, films->blocks + from,
                                   to - from };
    rill_films_outcome out = { .most = { 0.0f } };
    running->kernel(&part, &out);
    films->outcomes[task] = out;
}

rill_films_outcome rill_films_each(const rill_films_work *work, rill_films_kernel *kernel,
                                   const rill_films_factors *factors) {
    const rill_films *films = work->films;
    pass running = { work, kernel, factors,
                     rill_max_i(1, rill_min_i(films->block_count / WORTH_A_TASK, films->task_count)) };
    if (running.tasks > 1)
        rill_parallel_for(work->means->runtime, work->means->pool, running.tasks, pass_task, &running);
    else
        pass_task(&running, 0);
    rill_films_outcome all = films->outcomes[0];
    for (int32_t i = 1; i < running.tasks; ++i) {
        for (int k = 0; k < RILL_FILMS_MOST; ++k) all.most[k] = rill_max_f(all.most[k], films->outcomes[i].most[k]);
        for (int k = 0; k < RILL_FILMS_SUMS; ++k) all.sums[k] += films->outcomes[i].sums[k];
    }
    return all;
}

/* ------------------------------------------------------------------------------------------------------------- volumes */

void rill_films_give(rill_films *films, int32_t column, int64_t quanta) {
    RILL_ASSERT(column >= 0 && column < films->shell->count);
    RILL_ASSERT(films->planes.volume[column] >= -quanta);
    const bool awake = rill_films_is_wet(films, column) && !rill_films_is_asleep(films, column);
    films->planes.volume[column] += quanta;
    const double depth = (double)films->planes.volume[column] * films->per_quantum[column];
    films->planes.depth[column] = (float)depth;
    films->deepest = rill_max_f(films->deepest, (float)depth);
    films->calm[column] = 0;
    if (!awake) rill_films_wake(films, column);
}

int64_t rill_films_quanta(const rill_films *films, int32_t column) {
    return films->planes.volume[column];
}

void rill_films_stop(rill_films *films) {
    const rill_films_planes *p = &films->planes;
    memset(p->u, 0, (size_t)films->shell->edge_count * sizeof *p->u);
    memset(p->change, 0, (size_t)films->columns * sizeof *p->change);
    for (int32_t i = 0; i < films->shell->count; ++i)
        if (p->volume[i] == 0) p->wet[i] = 0;
    films->outflow = 0.0f;
}

double rill_films_depth(const rill_films *films, int32_t column) {
    return (double)films->planes.volume[column] * films->per_quantum[column];
}

int64_t rill_films_total(const rill_films *films) {
    int64_t all = 0;
    for (int32_t i = 0; i < films->shell->count; ++i) all += films->planes.volume[i];
    return all;
}

bool rill_films_is_wet(const rill_films *films, int32_t column) {
    return films->planes.depth[column] > films->h_min;
}

double rill_films_velocity(const rill_films *films, int32_t edge) {
    return (double)films->planes.u[edge];
}

/* Of a velocity v that is the same around a column, sum w (v . E) E over its edges E is 2 A v. */
void rill_films_flow(const rill_films *films, int32_t column, double out[3]) {
    const rill_shell *shell = films->shell;
    out[0] = out[1] = out[2] = 0.0;
    for (int32_t at = shell->first[column]; at < shell->first[column + 1]; ++at) {
        const int32_t j = shell->neighbours[at], e = shell->neighbour_edges[at];
        const double u = (double)films->planes.u[e] * (column < j ? 1.0 : -1.0);
        const double part = shell->weight[e] * shell->length[e] * u / (2.0 * shell->area[column]);
        for (int k = 0; k < 3; ++k) out[k] += part * (shell->positions[j][k] - shell->positions[column][k]);
    }
}

int32_t rill_films_awake(const rill_films *films) {
    return films->block_count;
}

void rill_films_set_wetting(rill_films *films, int32_t column, double advancing, double receding) {
    films->advancing[column] = (float)advancing;
    films->receding[column] = (float)receding;
    if (rill_films_is_wet(films, column)) rill_films_wake(films, column);
}

/* -------------------------------------------------------------------------------------------------------------- forces */

/* The most that gravity may be into the surface. */
static double weight_of(const rill_film_forces *forces) {
    return sqrt(rill_vec_dot(forces->gravity, forces->gravity)) + forces->inwards;
}

/* Sets what the last forces make of columns. */
static void apply_forces(rill_films *films) {
    const double *g = films->forces.gravity, G = films->forces.strength;
    for (int32_t i = 0; i < films->shell->count; ++i) {
        const double *X = films->shell->positions[i], *N = films->shell->normals[i], b = films->shell->relief[i];
        const double gn = films->forces.inwards - (g[0] * N[0] + g[1] * N[1] + g[2] * N[2]);
        const double phi =
            -(g[0] * (X[0] - films->middle[0]) + g[1] * (X[1] - films->middle[1]) + g[2] * (X[2] - films->middle[2]));
        films->rise[i] = gn - G * films->shell->kq[i];
        films->base[i] = phi + films->rise[i] * b - G * films->shell->ks[i];
        films->weight[i] = (float)fmax(gn, 0.0);
    }
}

/* Under other forces than before everything may move. */
static void take_forces(rill_films *films, const rill_film_forces *forces) {
    const rill_film_forces *before = &films->forces;
    const bool alike = films->acted && !memcmp(before->gravity, forces->gravity, sizeof before->gravity) &&
                       before->strength == forces->strength && before->viscosity == forces->viscosity &&
                       before->hold == forces->hold && before->inwards == forces->inwards &&
                       before->rest == forces->rest;
    films->forces = *forces;
    films->acted = true;
    if (alike) return;
    apply_forces(films);
    rill_films_wake_all(films);
}

/* Without tension the step needs no solve as long as it is shorter than this, s. */
static double wave_limit(const rill_films *films, const rill_film_forces *forces) {
    const double most = weight_of(forces) * (double)films->deepest * 2.0 * films->widest;
    return most > 0.0 ? RILL_FILMS_WAVES * 2.0 / sqrt(most) : (double)INFINITY;
}

double rill_films_limit(const rill_films *films, const rill_film_forces *forces) {
    const double l = films->shell->spacing, g = weight_of(forces), deepest = (double)films->deepest;
    const double bend = RILL_FILMS_EIGENVALUE * sqrt(forces->strength * deepest), weighs = sqrt(2.0 * g * deepest);
    double limit = (double)INFINITY;
    if (bend > 0.0) limit = fmin(limit, RILL_FILMS_STRIDE * l * l / bend);
    if (weighs > 0.0) limit = fmin(limit, RILL_FILMS_WAVES * l / weighs);
    if (films->outflow > 0.0f) limit = fmin(limit, RILL_FILMS_OUTFLOW / (double)films->outflow);
    return limit;
}

/* -------------------------------------------------------------------------------------------------------------- step */

static rill_films_constants constants_of(const rill_films *films, const rill_film_forces *forces, double dt,
                                         double time) {
    const double l = films->shell->spacing, G = forces->strength, foot = RILL_FOOT * l, ms = fmod(time, 1e6) * 1e3;
    return (rill_films_constants){
        .strength = (float)G,
        .foot = (float)foot,
        .edge = (float)(G / foot),
        .hollow = (float)(-0.5 * G / (foot * foot)),
        .slip = G > 0.0 ? (float)(3.0 * RILL_SLIP * l) : 0.0f, /* it is that of contact lines */
        .drag = (float)(3.0 * dt * forces->viscosity),
        .keep = (float)rill_power(forces->friction, dt),
        .dt = (float)dt,
        .hardness = (float)(RILL_FILMS_HARDNESS * (weight_of(forces) + G / (l * l))),
        .least = films->h_min,
        .stays = (float)RILL_RESIDUE * films->h_min,
        .phase = rill_move_phase(films->substep),
        .per_volume = (float)(1.0 / films->quantum),
        .now = (int32_t)ms,
        .dries = (int32_t)ms + (int32_t)(fmin(forces->drying, 1e6) * 1e3) + 1,
    };
}

int32_t rill_films_step(rill_films *films, const rill_film_forces *forces, const rill_film_means *means, double dt,
                        double time) {
    take_forces(films, forces);
    const rill_films_work work = { films, means, rill_films_kernels_pick(means->scalar),
                                   constants_of(films, forces, dt, time), dt };
    const rill_films_kernels *kernels = work.kernels;
    const bool looks = films->stirred || films->substep % RILL_FILMS_LOOK == 0;
    int32_t iterations = 0;
    if (looks) rill_films_list(films);
    if (forces->strength > 0.0) {
        rill_films_each(&work, kernels->slants, NULL);
        rill_films_each(&work, kernels->weights, NULL);
    }
    rill_films_each(&work, kernels->pressures, NULL);
    if (forces->rest && looks) rill_films_look(&work);
    films->stirred = false;
    rill_films_each(&work, kernels->faces, NULL);
    if (forces->strength > 0.0 || dt > wave_limit(films, forces)) iterations = rill_films_solve(&work);
    rill_films_each(&work, kernels->drive, NULL);
    films->outflow = (float)((double)rill_films_each(&work, kernels->limit, NULL).most[0] / dt);
    rill_films_each(&work, kernels->round, NULL);
    films->deepest = rill_films_each(&work, kernels->deposit, NULL).most[0];
    films->substep += 1;
    rill_films_reach_out(films);
    return iterations;
}

/* ---------------------------------------------------------------------------------------------------------------- drops */

/* Hanging liquid holds on by its tension up to a depth of two capillary lengths of what pulls it off; thinner than what stays behind
 * a drop it stays anyhow. */
void rill_films_drip(rill_films *films, const rill_film_forces *forces, rill_films_take *take, void *context) {
    const double least = (double)RILL_RESIDUE * (double)films->h_min;
    for (int32_t b = 0; b < films->block_count; ++b)
        for (int32_t i = films->blocks[b] * RILL_SHELL_BLOCK; i < (films->blocks[b] + 1) * RILL_SHELL_BLOCK; ++i) {
            if (films->weight[i] > 0.0f || !(films->planes.depth[i] > films->least[i])) continue;
            const double *N = films->shell->normals[i], depth = rill_films_depth(films, i);
            const double pull = rill_vec_dot(forces->gravity, N) - forces->inwards,
                         holds = 2.0 * sqrt(forces->hold / fmax(pull, 1e-30));
            if (!(depth > holds && depth > least)) continue;
            const int64_t stays = (int64_t)(fmax(holds, least) / films->per_quantum[i]);
            const int64_t falls = films->planes.volume[i] - stays;
            if (falls <= 0) continue;
            films->planes.volume[i] = stays;
            films->planes.depth[i] = (float)rill_films_depth(films, i);
            take(context, i, falls);
        }
}

/* --------------------------------------------------------------------------------------------------------------- memory */

rill_films_memory rill_films_remembered(rill_films *films) {
    const rill_films_planes *p = &films->planes;
    return (rill_films_memory){
        p->volume,      p->wet,        p->change,       films->least,    films->calm,     p->u,         films->marked,
        &films->forces, &films->acted, &films->stirred, &films->deepest, &films->outflow, films->h_min, &films->substep
    };
}

void rill_films_resume(rill_films *films) {
    films->block_count = 0;
    for (int32_t i = 0; i < films->shell->count; ++i) films->planes.depth[i] = (float)rill_films_depth(films, i);
    for (int32_t block = 0; block < films->shell->block_count; ++block)
        if (films->marked[block]) films->blocks[films->block_count++] = block;
    if (films->acted) apply_forces(films);
}
