/* Kernels of the sparse pipes: plain C loops over a run of them, compiled once per instruction set like those of the
 * sweep (kernels.h). Every variant gives the same bits. */
#ifndef RILL_FLOW_SPARSE_KERNELS_H
#define RILL_FLOW_SPARSE_KERNELS_H

#include "flow/kernels.h"

/* Sparse pipes as arrays, by pipe; l is the west or south end. */
typedef struct rill_pipe_arrays {
    int32_t *bl, *br, *cl, *cr;
    int32_t *axis;     /* 0: along x, 1: along y */
    int32_t *push;     /* head by which force fields drive it besides, quanta (push.h) */
    int32_t *awake;    /* 1: a tile at an end is swept. Others are left alone */
    int32_t *Hl, *Hr;  /* depths at the ends */
    float *ul, *ur;    /* speeds towards the pipe at the far faces of its ends, m/s */
    float *u;          /* velocity, from l to r positive */
    float *q;          /* quanta that cross */
    int32_t *restless; /* 1: flows, or is driven */
} rill_pipe_arrays;

typedef struct rill_sparse_kernels {
    /* q of the pipes [x, x + n). */
    void (*raw)(int32_t x, int32_t n, const rill_pipe_arrays *arrays, bool paper,
                const rill_kernel_constants *constants);
    /* New velocities; returns the largest of pipes with a column that is not thin. */
    float (*drive)(int32_t x, int32_t n, const rill_pipe_arrays *arrays, bool paper,
                   const rill_kernel_constants *constants);
    /* Which pipes may not rest (rest.h); `head`: the largest that hardly drives, quanta. */
    void (*unrest)(int32_t x, int32_t n, const rill_pipe_arrays *arrays, bool paper,
                   const rill_kernel_constants *constants, int32_t head);
} rill_sparse_kernels;

/* As with those of the sweep. */
const rill_sparse_kernels *rill_sparse_kernels_pick(bool scalar);
int32_t rill_sparse_kernels_all(const rill_sparse_kernels *out[4]);

#endif
