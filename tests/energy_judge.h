/* Judges a closed world that is left alone: does its energy rise, does anything run faster than its head allows, does it come to
 * rest? After cmocka.h.
 *
 *   energy   Stored velocities lie half a sub-step beside the levels: of most pipes half of one later, of flooded ones, which the
 *            next sub-step drives, and of bodies half of one earlier. u^2 would make the sum tremble by the frequency of waves
 *            times dt, a thousand times the bound. As in the invariant of the leapfrog scheme (Hairer, Lubich, Wanner 2006,
 *            Geometric Numerical Integration, section I.3) the product of the velocities before and after the levels
 *            does not: so each energy is known one sub-step late. The invariant belongs to a dt, so that calls make one sub-step
 *            each, of the same length for long, and windows begin anew when that changes.
 *   speed    Torricelli: 1.05 sqrt(2 g head), head from the highest level there ever was down to the sill of the pipe.
 *   rest     At the end no pipe is faster than 1 mm/s, unless it drains: goes where its head drives it, at no more than 1.1 times
 *            the speed of Nusselt's film, or of Poiseuille's flow between two walls. Without any that drains all is asleep. */
#ifndef RILL_TESTS_ENERGY_JUDGE_H
#define RILL_TESTS_ENERGY_JUDGE_H

#include <math.h>

#include "flow/covered.h"
#include "flow/drive.h"
#include "world/energy.h"

enum { JUDGE_WINDOW = 50, JUDGE_KEPT = 3 };
enum { JUDGE_ENERGY = 1, JUDGE_SPEED = 2, JUDGE_REST = 4, JUDGE_ALL = 7 }; /* bounds */

/* What a sub-step left behind. */
typedef struct judge_state {
    double still;  /* J: potential energy, of bodies too */
    size_t count;  /* pipes */
    double *u;     /* m/s */
    double *mass;  /* kg */
    uint8_t *late; /* the velocity of the next sub-step belongs to these levels as well */
    size_t bodies;
    double (*motion)[6]; /* of bodies */
} judge_state;

typedef struct judge {
    rill_world *world;
    double highest; /* m above the datum: level since the start */
    judge_state states[JUDGE_KEPT];
    int known; /* states since windows began */
    double window[JUDGE_WINDOW + 1];
    int energies; /* in it since it began */
    double dt;    /* s: of the calls */
    int steady;   /* calls with that */
    bool left_alone;
    double at_first, least; /* J: energy when it was left alone, and the least since */
    /* What was found: */
    double rise, rise_bound, rise_time; /* J: the rise over a window that is the most of its bound, and when */
    double released;                    /* J since it was left alone */
    double speed, speed_bound, speed_time;
    int32_t speed_at[2];
    double still_speed, still_bound; /* the worst at the end */
    int32_t still_at[2];
    rill_moving still_pipe;
    double *creep;    /* m/s, plane: see judge_pipe_creep */
    double fastest;   /* m/s at the end */
    int64_t draining; /* pipes, at the end */
    int64_t awake;    /* columns, at the end */
    int64_t ledger;   /* quanta lost */
} judge;

/* -------------------------------------------------------------------------------------------------------------- energy */

static inline void judge_take_pipe(void *user, const rill_moving *pipe) {
    judge_state *s = user;
    s->u[s->count] = pipe->u;
    s->mass[s->count] = pipe->mass;
    s->late[s->count++] = pipe->waits;
}

static inline double judge_body_kinetic(const rill_body *body, const double a[6], const double b[6]) {
    double sum = body->carried * a[2] * b[2];
    for (int i = 0; i < 3; ++i) {
        const double *own = body->own + 3 * i;
        sum += (body->mass + body->laden) * a[i] * b[i] + a[3 + i] * (own[0] * b[3] + own[1] * b[4] + own[2] * b[5]);
    }
    return 0.5 * sum;
}

static inline void judge_take(const judge *j, judge_state *s) {
    const rill_bodies *bodies = &j->world->bodies;
    rill_energy energy;
    must(j->world, rill_world_get_energy(j->world, &energy));
    s->still = energy.potential + energy.bodies;
    s->count = 0;
    rill_world_each_pipe(j->world, judge_take_pipe, s);
    s->bodies = bodies->list.count;
    for (size_t i = 0; i < s->bodies; ++i) {
        const rill_body *body = rill_body_at(bodies, (int32_t)i);
        memcpy(s->motion[i], body->state.velocity, 3 * sizeof(double));
        memcpy(s->motion[i] + 3, body->state.spin, 3 * sizeof(double));
        s->still -= judge_body_kinetic(body, s->motion[i], s->motion[i]);
    }
}

/* The energy at levels, between the velocities before and after them. */
static inline double judge_energy(const judge *j, const judge_state *before, const judge_state *s,
                                  const judge_state *after) {
    double sum = s->still;
    for (size_t i = 0; i < s->count; ++i) sum += 0.5 * s->mass[i] * s->u[i] * (s->late[i] ? after->u[i] : before->u[i]);
    for (size_t i = 0; i < s->bodies; ++i)
        sum += judge_body_kinetic(rill_body_at(&j->world->bodies, (int32_t)i), s->motion[i], after->motion[i]);
    return sum;
}

static inline void judge_add(judge *j, double energy) {
    if (j->energies == 0 && j->at_first == 0.0) j->at_first = j->least = energy;
    j->least = fmin(j->least, energy);
    j->released = j->at_first - j->least;
    if (j->energies > JUDGE_WINDOW) memmove(j->window, j->window + 1, JUDGE_WINDOW * sizeof j->window[0]);
    const int last = j->energies < JUDGE_WINDOW ? j->energies : JUDGE_WINDOW;
    j->window[last] = energy;
    j->energies += 1;
    if (last < JUDGE_WINDOW) return;
    const double rise = energy - j->window[0], bound = 1e-6 * j->released;
    if (rise * j->rise_bound > j->rise * bound || j->rise_time == 0.0) {
        j->rise = rise;
        j->rise_bound = bound;
        j->rise_time = rill_world_time(j->world);
    }
}

static inline void judge_watch_energy(judge *j) {
    judge_state *newest = &j->states[j->known % JUDGE_KEPT];
    judge_take(j, newest);
    j->known += 1;
    if (j->known < JUDGE_KEPT) return;
    judge_add(j, judge_energy(j, &j->states[j->known % JUDGE_KEPT], &j->states[(j->known + 1) % JUDGE_KEPT], newest));
}

/* -------------------------------------------------------------------------------------------------------------- speeds */

static inline void judge_cell(const judge *j, const rill_moving *pipe, int32_t at[2]) {
    rill_bed_sheet_of(&j->world->bed, pipe->r, &at[0], &at[1]);
}

static inline double judge_sill(const judge *j, const rill_moving *pipe) {
    const rill_bed *bed = &j->world->bed;
    return bed->quantum * (double)rill_max_i(bed->b[pipe->l], bed->b[pipe->r]);
}

static inline void judge_pipe_speed(void *user, const rill_moving *pipe) {
    judge *j = user;
    if (pipe->opening <= RILL_DRY * j->world->bed.quantum) return;
    const double head = fmax(j->highest - judge_sill(j, pipe), 0.0), speed = fabs(pipe->u);
    const double bound = 1.05 * sqrt(2.0 * rill_world_normal_gravity(j->world) * head);
    if (speed * j->speed_bound <= j->speed * bound && j->speed_time > 0.0) return;
    j->speed = speed;
    j->speed_bound = bound;
    j->speed_time = rill_world_time(j->world);
    judge_cell(j, pipe, j->speed_at);
}

static inline void judge_watch_speeds(judge *j) {
    const rill_bed *bed = &j->world->bed;
    for (int64_t i = 0; i < bed->info.columns; ++i) {
        const int32_t place = bed->places[i], H = j->world->flow.H[place];
        if (H > RILL_DRY) j->highest = fmax(j->highest, bed->quantum * (double)(bed->b[place] + H));
    }
    rill_world_each_pipe(j->world, judge_pipe_speed, j);
}

/* ---------------------------------------------------------------------------------------------------------------- rest */

/* The head that drives a pipe, m, from l to r. */
static inline double judge_head(const rill_world *world, const rill_moving *pipe, const rill_face *open) {
    const rill_bed *bed = &world->bed;
    const int32_t clip = pipe->sparse ? 0 : rill_drive_clip(open, (int32_t)(5.0 * bed->grid.cell_size / bed->quantum));
    const double over_l = world->flow.pressure ? rill_pressure_of(world->flow.pressure[pipe->l]) : 0.0;
    const double over_r = world->flow.pressure ? rill_pressure_of(world->flow.pressure[pipe->r]) : 0.0;
    /* An extended pipe has the levels at its ends for heads, wherever they are: at most all there is. */
    if (pipe->waits && world->def.solver.passages == RILL_PASSAGES_STRAIGHT)
        return copysign((double)world->flow.extent.level * bed->quantum, pipe->u);
    return ((double)rill_drive_head(open, clip) + (over_l - over_r)) * bed->quantum;
}

/* The speed with which that head drives liquid against viscosity alone: Nusselt's, or Poiseuille's where the pipe is under liquid
 * on both sides. The slot of a mouth is but a part of the pipe long, as its inertance is (covered.h). A pipe whose lintel is in
 * the upper half of the liquid is between the two. */
static inline double judge_creeps(const rill_world *world, const rill_moving *pipe) {
    const rill_bed *bed = &world->bed;
    const int32_t *b = rill_flow_bases(&world->flow), *H = world->flow.H, l = pipe->l, r = pipe->r;
    const rill_face open = rill_face_at(b[l], b[r], H[l], H[r]);
    const int32_t between = rill_min_i(bed->c[l], bed->c[r]) - rill_max_i(b[l], b[r]), top = rill_max_i(open.l, open.r);
    const rill_face f = rill_face_under(open, between);
    const double lower = (double)rill_max_i(rill_min_i(f.l, f.r), 0), head = judge_head(world, pipe, &open);
    const bool walls = lower >= (double)(between - RILL_SUBMERGED), cut = top > between;
    const double slot = fmin(1.0, lower / rill_max_i(H[l], 1)) + fmin(1.0, lower / rill_max_i(H[r], 1));
    const double length = bed->grid.cell_size * (cut || walls ? fmax(0.5, 0.5 * slot) : 1.0);
    const double film = 0.5 * (double)rill_viscosity_depth(cut && 2 * between < top ? &f : &open, H[l] + H[r]);
    const double nusselt = film * film / 3.0, poiseuille = (double)between * (double)between / 12.0;
    const double freely = walls && (pipe->waits || 2 * between < top) ? poiseuille : nusselt;
    return rill_world_normal_gravity(world) * head / length * freely * bed->quantum * bed->quantum /
           world->def.liquid.viscosity;
}

static inline bool judge_drains(const judge *j, const rill_moving *pipe, double creeps) {
    return creeps * pipe->u > 0.0 && fabs(pipe->u) > 1e-6 && pipe->opening > RILL_DRY * j->world->bed.quantum;
}

/* How fast liquid drains from and into columns: a pipe beside one that drains may be as fast, by what flows on. */
static inline void judge_pipe_creep(void *user, const rill_moving *pipe) {
    judge *j = user;
    const double creeps = judge_creeps(j->world, pipe);
    if (!judge_drains(j, pipe, creeps)) return;
    j->draining += 1;
    j->creep[pipe->l] = fmax(j->creep[pipe->l], fabs(creeps));
    j->creep[pipe->r] = fmax(j->creep[pipe->r], fabs(creeps));
}

static inline void judge_pipe_rest(void *user, const rill_moving *pipe) {
    judge *j = user;
    const double speed = fabs(pipe->u), beside = fmax(j->creep[pipe->l], j->creep[pipe->r]);
    if (pipe->opening <= RILL_DRY * j->world->bed.quantum) return;
    const bool drains = judge_drains(j, pipe, judge_creeps(j->world, pipe));
    const double bound = fmax(1e-3, drains ? 1.1 * beside : 0.0);
    j->fastest = fmax(j->fastest, speed);
    if (speed * j->still_bound <= j->still_speed * bound && j->still_bound > 0.0) return;
    j->still_speed = speed;
    j->still_bound = bound;
    j->still_pipe = *pipe;
    judge_cell(j, pipe, j->still_at);
}

static inline int64_t judge_awake(const rill_world *world) {
    int64_t sum = 0;
    for (int64_t i = 0; i < world->bed.info.columns; ++i)
        sum += (world->flow.tiles[rill_bed_tile_of(&world->bed, world->bed.places[i])] & RILL_TILE_AWAKE) != 0;
    return sum;
}

/* --------------------------------------------------------------------------------------------------------------- rounds */

static inline judge judge_begin(rill_world *world) {
    judge j = { .world = world, .dt = 1e-4, .creep = calloc((size_t)world->bed.plane_size, sizeof(double)) };
    assert_non_null(j.creep);
    const size_t pipes = 2 * (size_t)world->bed.info.columns + (size_t)world->bed.pipe_count;
    for (int i = 0; i < JUDGE_KEPT; ++i) {
        judge_state *s = &j.states[i];
        s->u = malloc(pipes * sizeof *s->u);
        s->mass = malloc(pipes * sizeof *s->mass);
        s->late = malloc(pipes);
        s->motion = malloc((world->bodies.list.count + 1) * sizeof *s->motion);
        assert_true(s->u && s->mass && s->late && s->motion);
    }
    return j;
}

static inline void judge_end(judge *j) {
    free(j->creep);
    for (int i = 0; i < JUDGE_KEPT; ++i) {
        free(j->states[i].u);
        free(j->states[i].mass);
        free(j->states[i].late);
        free(j->states[i].motion);
    }
}

/* One call, of one sub-step if it can be. */
static inline void judge_step(judge *j) {
    rill_step_info info;
    rill_world_step(j->world, j->dt);
    must(j->world, rill_world_get_step_info(j->world, &info));
    if (j->left_alone) judge_watch_energy(j);
    judge_watch_speeds(j);
    j->steady += 1;
    const bool broken = info.substeps > 1;
    if (!broken && j->steady < 400) return;
    const double next = broken ? 0.8 * info.smallest_dt : fmin(1.25 * j->dt, 1.0 / 60.0);
    if (next == j->dt) return;
    j->dt = next;
    j->steady = j->known = j->energies = 0;
}

static inline void judge_run_until(judge *j, double time) {
    while (rill_world_time(j->world) < time && (!j->left_alone || judge_awake(j->world) > 0)) judge_step(j);
}

/* Runs a world whose sources end at `poured` until `until`, and judges it then. */
static inline void judge_run(judge *j, double poured, double until) {
    judge_run_until(j, poured);
    j->left_alone = true;
    judge_run_until(j, until);
    rill_world_each_pipe(j->world, judge_pipe_creep, j);
    rill_world_each_pipe(j->world, judge_pipe_rest, j);
    j->awake = judge_awake(j->world);
    j->ledger = ledger_error(j->world);
}

/* Both ends of a pipe, mm. */
static inline void judge_tell_pipe(const judge *j, const rill_moving *pipe) {
    const rill_bed *bed = &j->world->bed;
    const double mm = 1e3 * bed->quantum;
    const int32_t ends[2] = { pipe->l, pipe->r };
    printf("    %s pipe, %+.3e m/s, creeps %+.3e, opening %.6f mm:", pipe->sparse ? "sparse" : "dense", pipe->u,
           judge_creeps(j->world, pipe), 1e3 * pipe->opening);
    for (int i = 0; i < 2; ++i) {
        int32_t x, y, p = ends[i];
        rill_bed_sheet_of(bed, p, &x, &y);
        printf(" [%d,%d base %.6f depth %.6f ceiling %.6f%s]", x, y, bed->b[p] * mm, j->world->flow.H[p] * mm,
               bed->c[p] * mm, rill_flow_flooded(&j->world->flow, p) ? " flooded" : "");
    }
    printf("\n");
}

/* Says which of some bounds were broken, and by how much; how many were. */
static inline int judge_tell(const judge *j, const char *name, uint32_t bounds, bool all) {
    const bool rises = bounds & JUDGE_ENERGY && j->rise > j->rise_bound;
    const bool races = bounds & JUDGE_SPEED && j->speed > j->speed_bound;
    const bool runs = bounds & JUDGE_REST && j->still_speed > j->still_bound;
    const bool wakes = bounds & JUDGE_REST && j->awake > 0 && j->draining == 0;
    const int broken = rises + races + runs + wakes + (j->ledger != 0);
    if (broken > 0 || all) {
        printf("%s:", name);
        if (rises || all)
            printf(" [energy +%.2e J of %.2e released = %.1e at %.3f s]", j->rise, j->released, j->rise / j->released,
                   j->rise_time);
        if (races || all)
            printf(" [speed %.3f of %.3f m/s at %.3f s in %d,%d]", j->speed, j->speed_bound, j->speed_time,
                   j->speed_at[0], j->speed_at[1]);
        if (runs || all)
            printf(" [%.2e of %.2e m/s at the end in %d,%d]", j->still_speed, j->still_bound, j->still_at[0],
                   j->still_at[1]);
        if (wakes || all)
            printf(" [%lld awake, %lld drain, fastest %.1e m/s]", (long long)j->awake, (long long)j->draining,
                   j->fastest);
        if (j->ledger) printf(" [ledger %lld]", (long long)j->ledger);
        printf(" until %.2f s\n", rill_world_time(j->world));
        if (runs || all) judge_tell_pipe(j, &j->still_pipe);
        fflush(stdout);
    }
    return broken;
}

#endif
