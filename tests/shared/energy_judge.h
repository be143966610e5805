/* Judges a closed world that is left alone: does its energy rise, does anything run faster than its head allows, does
 * it come to rest? After cmocka.h.
 *
 *   energy   Stored velocities lie half a sub-step beside the levels: of most pipes half of one later, of flooded ones, which the
 *            next sub-step drives, and of bodies half of one earlier. u^2 would make the sum tremble by the frequency of waves
 *            times dt, a thousand times the bound. As in the invariant of the leapfrog scheme (Hairer, Lubich, Wanner 2006,
 *            Geometric Numerical Integration, section I.3) the product of the velocities before and after the levels
 *            does not: so each energy is known one sub-step late. The invariant belongs to a dt, so that calls make one sub-step
 *            each, of the same length for long, and windows begin anew when that changes. One of 50 sub-steps begins every ten.
 *   speed    Torricelli: 1.05 sqrt(2 g head), head from the highest level there ever was down to the sill of the pipe. A body is
 *            as high as its centre could rise with its velocity.
 *   rest     rest_judge.h, some time after the last pour that follows from the depth then. */
#ifndef RILL_TESTS_ENERGY_JUDGE_H
#define RILL_TESTS_ENERGY_JUDGE_H

#include <math.h>

#include "rest_judge.h"

enum { JUDGE_STRIDE = 10, JUDGE_WINDOW = 50 / JUDGE_STRIDE, JUDGE_KEPT = 3 };
enum { JUDGE_ENERGY = 1, JUDGE_SPEED = 2, JUDGE_REST = 4, JUDGE_ALL = 7 }; /* bounds */

/* The state that a sub-step left behind. */
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
    int calls; /* since windows began */
    int known; /* states in a row */
    double window[JUDGE_WINDOW + 1];
    int energies; /* in it since it began */
    double dt;    /* s: of the calls */
    int steady;   /* calls with that */
    bool left_alone;
    double clear[2]; /* m along x and y from the origin: where bodies meet nothing; 0: there are none */
    bool aground;    /* one has left that: contacts are not the engine's business, so that nothing later counts */
    double at_first, least; /* J: energy when it was left alone, and the least since */
    /* Findings: */
    double rise, rise_bound, rise_time;   /* J: the rise over a window that is the most of its bound, and when */
    double released;                      /* J since it was left alone */
    double speed, speed_head, speed_time; /* m/s, m: of the pipe that is the most of its bound */
    int32_t speed_at[2];
    double fastest; /* m/s since it was left alone */
    double depth;   /* m: mean of what was wet then */
    double gravity; /* m/s2 */
    rest_judge rest;
    int64_t ledger; /* quanta lost */
} judge;

/* ----------------------------------------------------------------------------------------------------------- energy */

static inline double judge_body_kinetic(const rill_body *body, const double a[6], const double b[6]) {
    double sum = body->added_mass * a[2] * b[2];
    for (int i = 0; i < 3; ++i) {
        const double *own = body->world_inertia + 3 * i;
        sum +=
            (body->mass + body->deck_mass) * a[i] * b[i] + a[3 + i] * (own[0] * b[3] + own[1] * b[4] + own[2] * b[5]);
    }
    return 0.5 * sum;
}

static inline void judge_take_pipe(judge_state *s, const rill_moving *pipe) {
    s->u[s->count] = pipe->u;
    s->mass[s->count] = pipe->mass;
    s->late[s->count++] = pipe->waits;
}

static inline judge_state *judge_newest(judge *j) {
    return &j->states[j->known];
}

static inline void judge_take_still(judge *j) {
    const rill_bodies *bodies = &j->world->bodies;
    const rill_energy energy = rill_world_still_energy(j->world);
    judge_state *s = judge_newest(j);
    s->still = energy.potential + energy.bodies;
    s->bodies = bodies->list.count;
    for (size_t i = 0; i < s->bodies; ++i) {
        const rill_body *body = rill_body_at(bodies, (int32_t)i);
        memcpy(s->motion[i], body->state.velocity, 3 * sizeof(double));
        memcpy(s->motion[i] + 3, body->state.angular_velocity, 3 * sizeof(double));
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
    judge_take_still(j);
    const judge_state *newest = judge_newest(j);
    j->known += 1;
    if (j->known < JUDGE_KEPT) return;
    judge_add(j, judge_energy(j, &j->states[0], &j->states[1], newest));
    j->known = 0;
}

/* ----------------------------------------------------------------------------------------------------------- speeds */

/* On a slope the bed is at the face where it is between the two columns: half of what heads fall below the higher
 * (drive.h). */
static inline double judge_sill(const judge *j, const rill_moving *pipe) {
    const rill_bed *bed = &j->world->bed;
    const int32_t bl = bed->b[pipe->l], br = bed->b[pipe->r];
    const rill_face f = rill_face_at(bl, br, 0, 0);
    const int32_t clip = pipe->sparse ? 0 : rill_drive_clip(&f, (int32_t)(5.0 * bed->grid.cell_size / bed->quantum));
    return bed->quantum * ((double)rill_max_i(bl, br) + 0.5 * (double)clip);
}

static inline void judge_highest(judge *j) {
    const rill_bed *bed = &j->world->bed;
    int32_t highest = 0;
    for (int64_t i = 0; i < bed->info.columns; ++i) {
        const int32_t place = bed->places[i], H = j->world->flow.H[place];
        if (H > RILL_DRY) highest = rill_max_i(highest, bed->b[place] + H);
    }
    j->highest = fmax(j->highest, bed->quantum * (double)highest);
    for (size_t i = 0; i < j->world->bodies.list.count; ++i) {
        const rill_body_state *state = &rill_body_at(&j->world->bodies, (int32_t)i)->state;
        const double *v = state->velocity, square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        j->highest = fmax(j->highest, state->position[2] - bed->datum + 0.5 * square / j->gravity);
    }
}

static inline double judge_speed_bound(const judge *j) {
    return 1.05 * sqrt(2.0 * j->gravity * j->speed_head);
}

static inline void judge_pipe(void *user, const rill_moving *pipe) {
    judge *j = user;
    if (j->left_alone) judge_take_pipe(judge_newest(j), pipe);
    if (pipe->opening <= RILL_DRY * j->world->bed.quantum) return;
    const double head = fmax(j->highest - judge_sill(j, pipe), 0.0), speed = fabs(pipe->u);
    if (j->left_alone) j->fastest = fmax(j->fastest, speed);
    if (speed * speed * j->speed_head <= j->speed * j->speed * head && j->speed_time > 0.0) return;
    j->speed = speed;
    j->speed_head = head;
    j->speed_time = rill_world_time(j->world);
    rill_bed_sheet_of(&j->world->bed, pipe->r, &j->speed_at[0], &j->speed_at[1]);
}

/* After each sub-step. Of those of a world that was left alone only as many are looked at as make an energy at each
 * stride: looking takes as long as the step. */
static inline void judge_watch(judge *j) {
    judge_highest(j);
    if (j->left_alone && j->calls++ % JUDGE_STRIDE >= JUDGE_KEPT) return;
    judge_newest(j)->count = 0;
    rill_world_each_pipe(j->world, judge_pipe, j);
    if (j->left_alone) judge_watch_energy(j);
}

/* ----------------------------------------------------------------------------------------------------------- rounds */

static inline double judge_mean_depth(const rill_world *world) {
    int64_t sum = 0, wet = 0;
    for (int64_t i = 0; i < world->bed.info.columns; ++i) {
        const int32_t H = world->flow.H[world->bed.places[i]];
        if (H > RILL_DRY) sum += H, wet += 1;
    }
    return wet > 0 ? world->bed.quantum * (double)sum / (double)wet : 0.0;
}

static inline bool judge_awake(const rill_world *world) {
    bool awake = false;
    for (int32_t i = 0; i < world->bed.tile_count; ++i) awake |= world->flow.tiles[i] & RILL_TILE_AWAKE;
    return awake;
}

static inline judge judge_begin(rill_world *world) {
    judge j = { .world = world, .dt = 1e-4, .gravity = rill_world_head_gravity(world) };
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
    rest_judge_free(&j->rest);
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
    judge_watch(j);
    j->steady += 1;
    const bool broken = info.substeps > 1;
    if (!broken && j->steady < 400) return;
    const double next = broken ? 0.8 * info.smallest_dt : fmin(1.25 * j->dt, 1.0 / 60.0);
    if (next == j->dt) return;
    j->dt = next;
    j->steady = j->calls = j->known = j->energies = 0;
}

static inline bool judge_aground(const judge *j) {
    bool out = false;
    for (size_t i = 0; i < j->world->bodies.list.count && j->clear[0] > 0.0; ++i) {
        const rill_body *body = rill_body_at(&j->world->bodies, (int32_t)i);
        for (int k = 0; k < 2; ++k) {
            const double at = body->state.position[k] - j->world->bed.grid.origin[k];
            out |= at < body->form.reach || at > j->clear[k] - body->form.reach;
        }
    }
    return out;
}

static inline void judge_run_until(judge *j, double time) {
    while (rill_world_time(j->world) < time && !j->aground && (!j->left_alone || judge_awake(j->world))) {
        judge_step(j);
        j->aground = judge_aground(j);
    }
}

/* Runs a world whose sources end at `poured` until it ought to be at rest, or for `most` seconds, and judges it
 * then. */
static inline void judge_run(judge *j, double poured, double most) {
    judge_run_until(j, poured);
    j->left_alone = !j->aground;
    j->depth = judge_mean_depth(j->world);
    judge_run_until(j, poured + fmin(most, fmax(20.0, 20.0 * j->depth * j->depth / j->world->def.liquid.viscosity)));
    j->rest = rest_judge_speeds(j->world, rill_world_time(j->world) - poured, j->fastest);
    for (int i = 0; i < REST_ASLEEP && judge_awake(j->world); ++i) {
        judge_step(j);
        rest_watch_sleep(&j->rest);
    }
    rest_judge_sleep(&j->rest);
    j->ledger = ledger_error(j->world);
}

/* Says which of some bounds were broken, and by how much; how many were. */
static inline int judge_tell(const judge *j, const char *name, uint32_t bounds, bool all) {
    const bool rises = bounds & JUDGE_ENERGY && j->rise > j->rise_bound;
    const bool races = bounds & JUDGE_SPEED && j->speed > judge_speed_bound(j);
    const bool resting = bounds & JUDGE_REST && !j->aground;
    const bool runs = resting && j->rest.speed > j->rest.bound;
    const bool wakes = resting && j->rest.idle > 0;
    const int broken = rises + races + runs + wakes + (j->ledger != 0);
    if (broken > 0 || all) {
        printf("%s:", name);
        if (rises || all)
            printf(" [energy %+.2e J of %.2e released = %.1e at %.3f s]", j->rise, j->released, j->rise / j->released,
                   j->rise_time);
        if (races || all)
            printf(" [speed %.3f of %.3f m/s at %.3f s in %d,%d]", j->speed, judge_speed_bound(j), j->speed_time,
                   j->speed_at[0], j->speed_at[1]);
        if (runs || all) printf(" [%.2e of %.2e m/s at the end]", j->rest.speed, j->rest.bound);
        if (wakes || all)
            printf(" [%lld of %lld awake where nothing drains, %lld drain, fastest %.1e m/s]", (long long)j->rest.idle,
                   (long long)j->rest.awake, (long long)j->rest.draining, j->rest.fastest);
        if (j->ledger) printf(" [ledger %lld]", (long long)j->ledger);
        printf(" until %.2f s%s\n", rill_world_time(j->world), j->aground ? ", aground" : "");
        if (runs || wakes || all) rest_tell(&j->rest);
        fflush(stdout);
    }
    return broken;
}

#endif
