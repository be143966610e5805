/* Row kernels of the method `waves`: plain C loops over a run of columns of a row, compiled once per instruction set like
 * those of the sweep (flow/kernels.h). Every variant gives the same bits. Symbols are those of theta.h. */
#ifndef RILL_WAVES_THETA_KERNELS_H
#define RILL_WAVES_THETA_KERNELS_H

#include "flow/flow.h"

/* Constants of a sub-step. */
typedef struct rill_theta_constants {
    /* The potential of gravity at (x, y): unit (upright (b + H) - tilt x - tilt y - highest), x and y from the middle of the
     * sheet. Where all of these are whole numbers a tilted lake is exactly level. */
    double unit, upright, tilt[2], highest;
    float push; /* dt / dx unit: m/s per quantum of head */
    float upright_f, tilt_f[2];
    float gain;     /* dt / dx: m/s per m2/s2 */
    float mobility; /* theta^2 dt^2 q_m / dx^2: s2/m per quantum of opening */
    float drift;    /* dt q_m / dx: m of depth per m/s and quantum of opening */
    float flux;     /* dt / dx: quanta per m/s and quantum of opening */
    float theta;
    float keep;       /* what friction leaves of a velocity */
    float drag;       /* 12 dt nu / q_m^2, beside (2 H_f)^2 */
    float gravity;    /* g_n, m/s2 */
    float fall;       /* (2/3)^1.5 sqrt(g_n q_m): free overfall speed per sqrt(quantum of head) */
    float top_speed;  /* m/s */
    float phase;      /* dither */
    int32_t five_dx;  /* 5 dx in quanta */
    int32_t residue;  /* where both columns have at most this, quanta, */
    float creeps;     /* and would go slower than this, m/s, nothing moves: films around drops */
    int32_t least;    /* columns of at most this depth give nothing, quanta */
    int32_t thin;     /* speeds of columns of at most this depth are not reported */
    int32_t inner[2]; /* cells of the sheet: others are ghosts or walls */
    /* Tension. */
    float slope;        /* q_m / dx: slope per quantum */
    float dx;           /* m */
    float film;         /* gamma / (rho dx^2), 1/s2 */
    float wetting;      /* gamma / (rho c dx), m2/s2 */
    float foot;         /* q_m / (c dx), per quantum of depth */
    float eased;        /* omega gamma / (rho (c dx)^2), 1/s2 */
    float slip;         /* 6 lambda / q_m of a foot that is dry */
    int32_t now, dries; /* ms: the end of the sub-step; when a column that is wetted now is dry */
} rill_theta_constants;

/* A row from its first column on. */
typedef struct rill_theta_row {
    int32_t y; /* row of the sheet, -1 for the ghosts' in the south */
    const int32_t *b, *c;
    int32_t *H;
    float *u, *v;                      /* velocities over the west and the south face */
    const float *advancing, *receding; /* s = 2 sin(contact angle / 2); NULL without tension */
    int32_t *wet;                      /* 0, or the time (ms) from which on the column is dry if nothing wets it */
    float *s;                          /* of the column as it is: receding where it is wet */
    float *P, *E, *X, *R, *Y, *S, *D, *Q, *sx, *sy, *ax, *ay, *C, *ox, *oy, *lx, *ly, *mx, *my, *K;
} rill_theta_row;

/* Largest magnitudes that a kernel has seen, as bits of floats: those order like integers. */
typedef struct rill_theta_most {
    int32_t first, second;
} rill_theta_most;

/* Runs are [x, x + n), both multiples of 16. */
typedef struct rill_theta_kernels {
    /* Looks into a block: bit 0 something, 1 something in its two westernmost columns, 2 in its two easternmost. */
    int32_t (*look)(int32_t x, const rill_theta_row *row);
    /* Slopes of the liquid, and 1 in ax and ay where it hangs together; both 0 elsewhere. */
    void (*slopes)(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *south,
                   const rill_theta_constants *k);
    /* a = 1 / sqrt(1 + |grad h|^2) at south-west corners of columns into R: the mean of two squared slopes along either
     * axis. So pressures are the slope of an energy to the letter. */
    void (*corners)(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *south);
    /* a_f times gamma / (rho dx^2), a_f the mean of a face's corners. */
    void (*weights)(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *north,
                    const rill_theta_constants *k);
    /* Remembers what is wet, and finds s. */
    void (*wetted)(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_constants *constants);
    /* P and C: of gravity alone, and with tension and wetting. */
    void (*press)(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *north, bool tension,
                  const rill_theta_constants *k);
    /* Openings, al, mobilities; velocities become those before pressure, 0 at closed faces. */
    void (*open)(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *south, bool tension,
                 const rill_theta_constants *k);
    /* d0 into D. */
    void (*fly)(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *north,
                const rill_theta_constants *k);
    /* out = of + factor C D, with D the row's of that name; for `of` NULL, 0. Returns the largest |out|. */
    int32_t (*stiffen)(int32_t x, int32_t n, const float *of, float *out, const float *d, const float *ds,
                       const float *dn, float factor, bool tension, const rill_theta_row *row,
                       const rill_theta_row *north);
    /* out = theta^2 dt^2 D in. Returns the largest |out|. */
    int32_t (*flow)(int32_t x, int32_t n, const float *in, const float *ins, const float *inn, float *out,
                    const rill_theta_row *row, const rill_theta_row *north);
    /* Sum of a b as whole numbers of 1 / scale, of which each is below 2^50. */
    int64_t (*dot)(int32_t x, int32_t n, const float *a, const float *b, double scale);
    /* Largest |E| of columns with an open face; 0 into the others. */
    int32_t (*keep_open)(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *north);
    /* X = s P + t E, R = R - s Q - t S. Returns the largest |R|. */
    int32_t (*begin)(int32_t x, int32_t n, const rill_theta_row *row, float s, float t);
    /* S = R + beta S, D = Y + beta D. */
    rill_theta_most (*turn)(int32_t x, int32_t n, const rill_theta_row *row, float beta);
    /* X += alpha S, R -= alpha Q. Returns the largest |R|. */
    int32_t (*advance)(int32_t x, int32_t n, const rill_theta_row *row, float alpha);
    /* New velocities, and what crosses faces in quanta. E = X - P. */
    void (*release)(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *south,
                    const rill_theta_constants *k);
    /* Whether some column would give more than it has, or (`taking`) take more than it has room for. Bit 1: one that is
     * not thin would. */
    int32_t (*flag)(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *north, bool taking,
                    int32_t thin);
    void (*limit)(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *north, bool taking);
    /* Puts into R what columns would gain, quanta. */
    void (*gain)(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *north);
    /* K of columns that would gain more than R, or more than nothing if that is less. Whether there are any. */
    bool (*crowd)(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *north);
    /* Flows and velocities times K of the donors, or (`taking`) of the receivers. */
    void (*scale)(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *south, bool taking);
    /* Rounds what crosses faces to whole quanta. */
    void (*whole)(int32_t x, int32_t n, const rill_theta_row *row, float phase);
    /* Velocities with the momentum that these carry, into R and Y; after the move. */
    void (*advect)(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *south,
                   const rill_theta_row *north);
    /* Velocities become those. */
    void (*adopt)(int32_t x, int32_t n, const rill_theta_row *row);
    /* Moves whole quanta; widens the extent. */
    void (*deposit)(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *north,
                    const rill_theta_constants *k, rill_flow_extent *extent);
    /* Mobilities, openings and D back to 0, K to 1. */
    void (*clear)(int32_t x, int32_t n, const rill_theta_row *row);
} rill_theta_kernels;

/* Picks the best variant for this processor, or the scalar one. */
const rill_theta_kernels *rill_theta_kernels_pick(bool scalar);
/* Lists all variants this processor can run, for tests that compare them; returns their count. */
int32_t rill_theta_kernels_all(const rill_theta_kernels *out[4]);

#endif
