/* FILMS: liquid on a shell, moved sub-step by sub-step.
 *
 * Based on: H. Wang, G. Miller, G. Turk 2007, "Solving General Shallow Wave Equations on Surfaces", sections 3.2, 4 and 5, with
 * finite volumes on a triangle mesh in place of clouds of particles, velocities in place of heights for unknowns, and an energy
 * of wetting in place of a virtual surface. As waves/tension.h, of which the constants are, on another graph.
 *
 * Symbols: of columns i and edges f = (i, j), i < j, as in shell/shell.h; H depth, h = b + H, u velocity from i to j; g gravity as the
 * shell has it, gn = -g . N, phi = -g . X; G = gamma / rho; nu; l spacing; s = 2 sin(theta / 2), advancing on dry columns, receding on
 * wet ones; h* = c l s. Pressures are over density, m2/s2. In each triangle
 *
 *     |grad h|^2 = (cot0 (h1 - h2)^2 + cot1 (h2 - h0)^2 + cot2 (h0 - h1)^2) / (2 area),   a = 1 / sqrt(1 + |grad h|^2)
 *     w_a  = (a_1 cot_1 + a_2 cot_2) / 2                                  of an edge, by the triangles at it
 *     Pt   = gn h + phi + G ((1/A) sum w_a (h_i - h_j) - kq h - ks) + (G / (c l)) max(0, s - H / (c l)) + limit
 *     us   = al (u - dt (Pt_j - Pt_i) / d),   al = 1 / (1 + 3 dt nu / (Hm^2 + 3 lam Hm)),   lam = 0.2 l max(0, 1 - Hm / h*)
 *     M    = al H of the column that us comes from; 0 where that is no deeper than h_min
 *     D x  = (dt^2 / A) sum w M (x_i - x_j)
 *     C x  = (G / A) sum w_a (x_i - x_j) + (max(gn, 0) - G / (2 (c l)^2) where H < h*) x
 *     (I + C D) E = C d,   d_i = -(dt / A) sum w d H us                   what moves without any E
 *     u    = us - al dt (E_j - E_i) / d,   Q = dt w d H u
 *
 * E, what the change of depths within the sub-step adds to the pressure, is found by conjugate gradients in the scalar product of D
 * (films_solve.c). Gravity is the true potential, in which a lake at rest feels nothing, however curved its bed is. Where columns
 * are as deep as concave solids let them be, `limit` holds back what comes.
 *
 * Volumes are whole quanta and move whole over edges. A body of liquid, wet columns that hang together, falls asleep as a whole once
 * nothing drives it; what is more than a ring away from awake liquid costs nothing. */
#ifndef RILL_FILMS_FILMS_H
#define RILL_FILMS_FILMS_H

#include "shell/shell.h"
#include "tasks/tasks.h"

typedef struct rill_films rill_films;

/* Forces of a sub-step. */
typedef struct rill_film_forces {
    double gravity[3]; /* as the shell has its places, m/s2 */
    double inwards;    /* m/s2: besides, into the surface, wherever that faces */
    double strength;   /* G, m3/s2; 0: no tension */
    double hold;       /* G of the liquid, also where no tension acts: by that it hangs */
    double viscosity;  /* nu, m2/s */
    double friction;   /* of a speed the fraction that is kept per second, > 0 to 1 */
    double drying;     /* s: columns no deeper than h_min count as wet for so long */
    bool rest;         /* what is hardly driven falls asleep */
} rill_film_forces;

/* How it is done. */
typedef struct rill_film_means {
    const rill_runtime *runtime;
    rill_pool *pool; /* may be NULL */
    bool scalar;
} rill_film_means;

/* Makes a dry shell. The shell must stay as it is meanwhile. Quanta are volumes, m3. */
rill_result rill_films_make(const rill_shell *shell, double quantum, const rill_runtime *runtime, rill_films **out,
                            rill_message *message);
void rill_films_free(rill_films *films, const rill_allocator *allocator);

/* Sets the contact angles of a column, as s = 2 sin(theta / 2). */
void rill_films_set_wetting(rill_films *films, int32_t column, double advancing, double receding);

/* Returns the longest sub-step for what is there now, s. */
double rill_films_limit(const rill_films *films, const rill_film_forces *forces);
/* Moves everything by dt, at the end of which it will be `time`; both s. Returns how many iterations the solve took. */
int32_t rill_films_step(rill_films *films, const rill_film_forces *forces, const rill_film_means *means, double dt,
                        double time);

/* The one door to volumes: gives a column quanta, or takes some that it has, and wakes it. */
void rill_films_give(rill_films *films, int32_t column, int64_t quanta);
int64_t rill_films_quanta(const rill_films *films, int32_t column);
double rill_films_depth(const rill_films *films, int32_t column); /* m */
/* Everything stands still, and what is dry forgets that it was wet. */
void rill_films_stop(rill_films *films);
/* Counts all there is. */
int64_t rill_films_total(const rill_films *films);
bool rill_films_is_wet(const rill_films *films, int32_t column); /* deeper than h_min */
/* The velocity along an edge, from its lower to its higher column, m/s; and that of a column, as the shell has its places. */
double rill_films_velocity(const rill_films *films, int32_t edge);
void rill_films_flow(const rill_films *films, int32_t column, double out[3]);

/* Takes away what hangs and is too heavy for its tension, and gives it to `take`, column by column. */
typedef void rill_films_take(void *context, int32_t column, int64_t quanta);
void rill_films_drip(rill_films *films, const rill_film_forces *forces, rill_films_take *take, void *context);

/* The memory from one sub-step to the next. */
typedef struct rill_films_memory {
    int64_t *volume; /* by column: quanta */
    int32_t *wet;    /* 0, or the time (ms) from which on the column is dry if nothing wets it */
    float *change;   /* what the last solve added to the pressure, m2/s2 */
    float *least;    /* no liquid leaves a column that is no deeper, m: h_min, or INFINITY in a body that is asleep */
    uint8_t *calm;   /* through how many looks it has been calm */
    float *u;        /* by edge */
    uint8_t *marked; /* by block: it is looked at */
    rill_film_forces *forces;
    bool *acted, *stirred;
    float *deepest, *outflow, h_min;
    uint64_t *substep;
} rill_films_memory;
rill_films_memory rill_films_remembered(rill_films *films);
/* Goes on from a memory that was set. */
void rill_films_resume(rill_films *films);
/* How many blocks of columns the last sub-step looked at; 0: everything is at rest. */
int32_t rill_films_awake(const rill_films *films);

/* Kinetic energy, and that of gravity, of the surface and of the wetted solid, over density: m5/s2. Of which Pt is the slope. */
double rill_films_energy(const rill_films *films, const rill_film_forces *forces);

#endif
