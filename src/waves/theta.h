/* THETA: implicit shallow waves on one layer under open sky, the method `waves`.
 *
 * Based on: Wang, Miller & Turk, "Solving General Shallow Wave Equations on Surfaces", 2007, Eqs. 1, 2 and 9, after Kass
 * & Miller 1990; solved for pressure instead of height, and moved by face fluxes instead of advected.
 *
 *   columns  P_i = g_n h_i - g_t x_i + tension and wetting            pressure over density, m2/s2, true potential
 *            tension: -(gamma / (rho dx)) sum_out a_f s_f, a_f = 1 / sqrt(1 + |grad h|^2), s_f the slope over a face
 *            wetting: (gamma / (rho c dx)) max(0, s - H / (c dx)), s = 2 sin(contact angle / 2)     (as in tension.h)
 *            C x = max(g_n, 0) x + (gamma / rho) (1 / dx^2) sum a_f (x_i - x_j)       what a change of level x does to P
 *   faces    u* = u - dt (P_r - P_l) / dx          its sign picks the donor, whose depth above the sill is the opening O
 *            al = 1 / (1 + 3 dt nu / H_f^2)        drag of the bed
 *            D x = (1 / dx^2) sum al O (x_i - x_j)
 *            d0  = -(dt / dx) sum_out O (theta al + 1 - theta) u              free flight
 *   solve    (1 + theta^2 dt^2 C D) Pi = P + theta C d0                       (theta_solve.c)
 *   faces    u' = al (u - dt (Pi_r - Pi_l) / dx)
 *   move     dt / dx O (theta u' + (1 - theta) u)          in whole quanta, no column more than it has (flow/limit.h)
 *
 * Pi is the pressure at theta of the sub-step, and the solve is by conjugate gradients in the scalar product x D y:
 * each iterate lowers the energy at the end of the sub-step below that of free flight, so a solve that is cut short is
 * stable, whatever dt is. theta 1/2 keeps waves as high as they are and is just stable; 1 damps them most.
 *
 * Faces over cliffs, whose lower column does not reach up to the clip of flow/drive.h, are not part of the solve: they
 * carry a free overfall. Columns outside of edges keep their level during the solve.
 *
 * Everything is worked out in runs: 16 columns of a row at a time, where something is wet or flows, and two columns
 * around that. Sums are of whole numbers, so that bits do not depend on runs, threads or instruction sets; a mirrored or
 * turned world gives mirrored or turned bits. */
#ifndef RILL_WAVES_THETA_H
#define RILL_WAVES_THETA_H

#include "base/assert.h"
#include "flow/flow.h"
#include "waves/wetting.h"

struct rill_edge_flow; /* flow/stages.h */

/* m/s: no velocity is ever above it. */
#define RILL_THETA_SPEED 1e9

enum {
    RILL_THETA_PLANES = 20,
    RILL_THETA_ROWS = 4, /* rows of the planes beyond the grid, below and above, ghosts among them */
    RILL_THETA_BLOCK = 16
};

/* Columns [x, x + count) of a row; counted with the ghosts as in flow.h. */
typedef struct rill_theta_run {
    int32_t row, x, count;
} rill_theta_run;

/* Working memory, and two planes of state. Planes are by cells of the grid and not by places of the bed, so that they
 * outlive any change of it. All planes but E and wet are working memory. */
typedef struct rill_theta {
    int32_t cells[2];
    int32_t stride; /* elements of a row of the planes */
    size_t size;    /* of a plane */
    float *memory;  /* of all planes */
    float *P;       /* forces: pressure before the sub-step, m2/s2 */
    float *E;       /* state: what the last solve added to that, from which the next one starts */
    float *X;       /* Pi */
    float *R, *Y;   /* residual r, and theta^2 dt^2 D r */
    float *S, *D;   /* search direction p, and theta^2 dt^2 D p */
    float *Q;       /* (1 + theta^2 dt^2 C D) p */
    float *sx, *sy; /* slopes of the liquid over west and south faces; 0 where it does not hang together */
    float *ax, *ay; /* gamma / (rho dx^2) a_f of faces, 1/s2 */
    float *C;       /* diagonal of C, m/s2 per m */
    float *ox, *oy; /* O, quanta; then what crosses the face in the sub-step, quanta */
    float *lx, *ly; /* al */
    float *mx, *my; /* theta^2 dt^2 al O / dx^2, s2/m */
    float *K;       /* limiter factors; 1 outside of limiting */
    float *s;       /* 2 sin(contact angle / 2) of columns, advancing or receding */
    int32_t *wet;   /* state, a plane: 0, or the time (ms) from which on the column is dry if nothing wets it */
    uint8_t *busy;  /* per block of each row: what it holds (rill_theta_kernels.look) */
    uint8_t *any;   /* per block of a row: it is to be swept */
    struct rill_theta_row *table; /* the rows as kernels see them, from row -2 on */
    rill_theta_run *runs;
    int32_t run_count, run_room;
    int32_t blocks, rows; /* of the sheet, ghosts included: blocks per row, and rows */
    int32_t room[2];      /* the most of each */
} rill_theta;

/* Returns the index of a cell in the planes, -2 <= x <= cells[0] + 1 and -RILL_THETA_ROWS <= y < cells[1] + RILL_THETA_ROWS. */
static inline size_t rill_theta_at(const rill_theta *theta, int32_t x, int32_t y) {
    RILL_ASSERT(x >= -2 && x <= theta->cells[0] + 1);
    RILL_ASSERT(y >= -RILL_THETA_ROWS && y < theta->cells[1] + RILL_THETA_ROWS);
    return (size_t)(y + RILL_THETA_ROWS) * (size_t)theta->stride + (size_t)(x + RILL_PAD_X + 1);
}

/* Makes working memory for a grid; NULL without memory. */
rill_theta *rill_theta_make(const rill_grid *grid, const rill_allocator *allocator);
void rill_theta_free(rill_theta *theta, const rill_allocator *allocator); /* NULL is allowed */

/* Forgets what liquid that is gone has left. */
void rill_theta_forget(rill_theta *theta);

/* A sub-step. */
typedef struct rill_theta_step {
    rill_waves controls;
    double density, tension, viscosity; /* kg/m3, N/m, m2/s */
    const rill_wetting *wetting;        /* contact angles, while there is tension */
    double time, drying; /* s: the end of the sub-step; for how long a dry column counts as wet, 0: for ever */
    double gravity;      /* into the bed, m/s2; negative where it pulls off */
    double tangent[2];   /* along the bed, m/s2 */
    int32_t tilt[2];     /* quanta per cell, where gravity is steep enough into the bed to be told so */
    double keep;         /* what friction leaves of velocities */
    double dt;
    bool advection; /* momentum is carried along */
    bool scalar;
    const rill_runtime *runtime; /* who runs tasks, together with */
    rill_pool *pool;
} rill_theta_step;

/* Tells how a sub-step went. */
typedef struct rill_theta_report {
    int32_t iterations;
    bool capped;     /* the solve was stopped before it was as exact as asked for */
    bool slowed;     /* liquid that is not thin would have passed a cell or more */
    int64_t columns; /* that were swept */
} rill_theta_report;

/* Returns the energy of surface and wetting over gamma, m2. */
double rill_theta_energy(const rill_theta *theta, const rill_wetting *wetting, const rill_flow *flow);

/* Moves the liquid; what crosses edges of the domain is added to flows[4]. */
rill_theta_report rill_theta_move(rill_theta *theta, rill_flow *flow, const rill_theta_step *step,
                                  struct rill_edge_flow *flows);

#endif
