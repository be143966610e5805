/* Row kernels of Kandemir's method: plain C loops over a row of columns, compiled once per instruction set like those
 * of the sweep (kernels.h). Every variant gives the same bits. */
#ifndef RILL_KANDEMIR_KANDEMIR_KERNELS_H
#define RILL_KANDEMIR_KANDEMIR_KERNELS_H

#include "flow/flow.h"

/* Constants of a sub-step. */
typedef struct rill_kandemir_constants {
    float pressure;  /* rho g q_m: Pa per quantum of head */
    float gain;      /* dt / (rho L): m/s per Pa */
    float keep;      /* D of Eq. 5.4 for this sub-step */
    float viscosity; /* V, 1/Pa2 */
    float flux;      /* dt A / (dx^2 q_m): quanta per m/s */
    float top_speed; /* so that what a pipe carries is within the range */
    float phase;     /* dither */
    float tilt[2];   /* Pa by which gravity along the bed drives a pipe along x and along y */
    int32_t thin;    /* speeds of columns of at most this depth are not reported */
} rill_kandemir_constants;

/* A row from its first column on. Each column keeps four of its eight pipes, those from the west, the south, the
 * south-west and the south-east; velocities are Q / A, positive towards the column. */
typedef struct rill_kandemir_row {
    const int32_t *b, *c;
    int32_t *H;
    float *u, *v;          /* from the west and the south */
    float *ne, *nw;        /* from the south-west, to the north-east; from the south-east, to the north-west */
    const float *external; /* Pa */
    const float *half[2];  /* Pa */
    float *K;              /* limiter factors of columns; 1 unless flagged */
} rill_kandemir_row;

/* Drives of a tank besides levels and gravity: none; external pressures; accelerations, too. */
typedef enum rill_kandemir_drive { RILL_TANK_FREE, RILL_TANK_PRESSED, RILL_TANK_PUSHED } rill_kandemir_drive;

/* `n` is a multiple of 16 everywhere. */
typedef struct rill_kandemir_kernels {
    /* Eqs. 5.1 to 5.5 and 6.1: new velocities of the row's pipes. */
    void (*drive)(int32_t n, const rill_kandemir_row *row, const rill_kandemir_row *south, rill_kandemir_drive how,
                  const rill_kandemir_constants *constants);
    /* Whether some column would give more than it has, or (`taking`) take more than it has room for. */
    bool (*flag)(int32_t n, const rill_kandemir_row *row, const rill_kandemir_row *north, bool taking, float flux);
    /* K of the row's columns. */
    void (*limit)(int32_t n, const rill_kandemir_row *row, const rill_kandemir_row *north, bool taking, float flux);
    /* Velocities times K of their donors, or (`taking`) of their receivers. */
    void (*scale)(int32_t n, const rill_kandemir_row *row, const rill_kandemir_row *south, bool taking);
    /* Eq. 5.6 in whole quanta; widens the extent. */
    void (*deposit)(int32_t n, const rill_kandemir_row *row, const rill_kandemir_row *north,
                    const rill_kandemir_constants *constants, rill_flow_extent *extent);
} rill_kandemir_kernels;

/* Picks the best variant for this processor, or the scalar one. */
const rill_kandemir_kernels *rill_kandemir_kernels_pick(bool scalar);
/* Lists all variants this processor can run, for tests that compare them; returns their count. */
int32_t rill_kandemir_kernels_all(const rill_kandemir_kernels *out[4]);

#endif
