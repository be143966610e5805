/* Kernels of surface tension: plain C loops over a run of columns of a row, compiled once per instruction set like those of
 * the sweep (flow/kernels.h). Every variant gives the same bits.
 *
 * All of them are pure functions of a place and its neighbours, so that it does not matter which columns beside those that
 * are swept they are called for, nor in which order or by which thread. */
#ifndef RILL_WAVES_TENSION_KERNELS_H
#define RILL_WAVES_TENSION_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

/* A run of columns of a row of a sheet; a multiple of 16. */
typedef struct rill_tension_run {
    int32_t place, count, stride;
    int32_t x, y; /* cell of the grid of the first column */
} rill_tension_run;

/* Planes, all by place. Working planes hold the past outside of what a stage has written; where that matters, rim lists
 * (tension_runs.c) have zeros. */
typedef struct rill_tension_planes {
    const int32_t *b, *c, *H;
    float *u, *v;
    const float *advancing, *receding; /* s = 2 sin(theta / 2) */
    const double *field;               /* potentials of forces from outside, quanta; only if `pushed` */
    const float *acting;               /* 1: tension acts; 0: masked; -1: not even its faces are looked at */
    int32_t *wet;                      /* 0, or the time (ms) from which on the column is dry if nothing wets it */
    uint8_t *flowing;                  /* unlinked faces over which liquid runs: RILL_FLOWS_WEST, RILL_FLOWS_SOUTH */
    const uint8_t *sides;              /* RILL_SHUT_WEST and so on */
    float *ax, *ay;                    /* a of linked faces with tension on both sides, else 0 */
    float *mx, *my;                    /* dt^2 M / dx^2, s2/m */
    float *gx, *gy;                    /* al dt / dx: velocity per difference of Pi; first the slopes of linked faces */
    float *fx, *fy;                    /* a s of faces; later (dt / dx) opening u0, m */
    float *hollow;                     /* diagonal of C from the wetting energy, (m/s2), not above 0 */
    float *potential;                  /* Pt, m2/s2 */
    float *change;                     /* what the last solve added to Pt */
    float *force;                      /* a_c; then f, then y */
    float *sharp;                      /* s of the column as it is wet or dry; then D e, q */
    float *moved;                      /* d0, D a, D p */
} rill_tension_planes;

enum { RILL_FLOWS_WEST = 1, RILL_FLOWS_SOUTH = 2 };
/* Sides of a column on which neither a column of its sheet nor a sparse pipe is. */
enum { RILL_SHUT_WEST = 1, RILL_SHUT_EAST = 2, RILL_SHUT_SOUTH = 4, RILL_SHUT_NORTH = 8 };

/* Constants of a sub-step; lengths of columns are in quanta. */
typedef struct rill_tension_constants {
    float slope;        /* q / dx */
    float bend;         /* G / dx, m2/s2 */
    float stiff;        /* G / dx^2, m/s2 */
    float foot;         /* c dx, quanta */
    float edge;         /* G / (c dx), m2/s2 */
    float hollow;       /* -G / (2 (c dx)^2), m/s2 */
    float weight;       /* g q, m2/s2 per quantum of head; g is g_n but on steep beds */
    double upright;     /* what a level counts as head, g_n / g */
    float drive;        /* g dt q / dx, m/s per quantum of head */
    float drag, keep;   /* as of the sweep */
    float slip;         /* 12 * 0.2 dx, quanta */
    float push;         /* dt / dx, s/m */
    float reach;        /* dt q / dx, s */
    float tip;          /* g_n q / 2 */
    float quantum;      /* q, m */
    float strength;     /* G, m3/s2 */
    float top_speed;    /* m/s */
    int32_t five_dx;    /* quanta */
    int32_t least;      /* h_min, quanta: a opening of no more is closed */
    int32_t residue;    /* quanta: films of no more stay where they are slow */
    int32_t level;      /* potentials are told from here, quanta */
    int32_t tilt[2];    /* quanta per cell */
    int32_t now, dries; /* ms: the time, and that at which what is wet now will have dried */
    bool pushed;        /* forces from outside act, or levels count less than they are */
    double lowest;      /* potentials of forces are told from here, quanta */
} rill_tension_constants;

/* The outcome of a pass: largest values of what it wrote, and scalar products. These do not depend on the order of their
 * terms, each of which is rounded to a whole multiple of 1 / scale. */
enum { RILL_TENSION_MOST = 3, RILL_TENSION_SUMS = 5 };
typedef struct rill_tension_outcome {
    float most[RILL_TENSION_MOST];
    int64_t sums[RILL_TENSION_SUMS];
} rill_tension_outcome;

/* The numbers of a step of the solve. */
typedef struct rill_tension_factors {
    float stiff; /* of C */
    float of_a, of_b;
    double scales[RILL_TENSION_SUMS];
} rill_tension_factors;

/* A kernel of the solve: adds to an outcome. */
typedef void rill_tension_solver(const rill_tension_run *run, const rill_tension_planes *planes,
                                 const rill_tension_factors *factors, rill_tension_outcome *out);

typedef struct rill_tension_kernels {
    /* gx, gy: slopes of linked faces, else 0; ax, ay: 1 where linked. */
    void (*slopes)(const rill_tension_run *run, const rill_tension_planes *planes,
                   const rill_tension_constants *constants);
    /* force: a_c. */
    void (*corners)(const rill_tension_run *run, const rill_tension_planes *planes,
                    const rill_tension_constants *constants);
    /* ax, ay: a where tension acts on both sides, else 0; fx, fy: a s, at brinks that of the upper column. */
    void (*weights)(const rill_tension_run *run, const rill_tension_planes *planes,
                    const rill_tension_constants *constants);
    /* wet, sharp, hollow, potential. */
    void (*pressures)(const rill_tension_run *run, const rill_tension_planes *planes,
                      const rill_tension_constants *constants);
    /* potential: less by what walls beside columns pull. */
    void (*walls)(const rill_tension_run *run, const rill_tension_planes *planes,
                  const rill_tension_constants *constants);
    /* potential: adds those of forces from outside. */
    void (*fields)(const rill_tension_run *run, const rill_tension_planes *planes,
                   const rill_tension_constants *constants);
    /* mx, my, gx, gy, fx, fy, and u, v without gravity. */
    void (*mobilities)(const rill_tension_run *run, const rill_tension_planes *planes,
                       const rill_tension_constants *constants);
    /* moved: d0; change and potential: 0 where no face is open, so that nothing depends on how much of what is dry is swept,
     * nor for how long. Most: the sum of m, |change|, |Pt|. */
    rill_tension_solver *start;
    /* force: f = Pt + C d0. Most: |f|. */
    rill_tension_solver *fly;
    /* moved: D Pt; sharp: D e. Most: of these. Sums: f D f. */
    rill_tension_solver *probe;
    /* fx: q of Pt; fy: q of e, q = (1 + C D). Sums: f D Pt, f D e, q D Pt, q of Pt D e, q of e D e. */
    rill_tension_solver *weigh;
    /* change: Pi = of_a Pt + of_b e; fx: r = f - of_a q - of_b q. Most: |r|. */
    rill_tension_solver *begin;
    /* force: y = D r. Most: |y|. Sums: r y. */
    rill_tension_solver *look;
    /* fy: p = r + of_a p; moved: D p = y + of_a D p. Most: of these. */
    rill_tension_solver *turn;
    /* sharp: q = p + C D p. Sums: q D p. */
    rill_tension_solver *apply;
    /* Pi += of_a p, r -= of_a q. Most: |r|. */
    rill_tension_solver *advance;
    /* change: Pi - Pt, 0 where no face is open. */
    rill_tension_solver *remember;
    /* u, v by the pressures that were found. */
    void (*drive)(const rill_tension_run *run, const rill_tension_planes *planes,
                  const rill_tension_constants *constants);
} rill_tension_kernels;

const rill_tension_kernels *rill_tension_kernels_pick(bool scalar);
int32_t rill_tension_kernels_all(const rill_tension_kernels *out[4]);

#endif
