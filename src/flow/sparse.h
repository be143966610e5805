/* Sparse pipes: those between columns of different sheets. They are listed, each with all it needs at hand, and move
 * before the sweep and are driven after it (sparse.c). */
#ifndef RILL_FLOW_SPARSE_H
#define RILL_FLOW_SPARSE_H

#include "flow/flow.h"
#include "flow/sparse_kernels.h"

/* A sparse pipe with all it needs at hand; l is its west or south end. */
typedef struct rill_pipe {
    int32_t l, r; /* plane indices */
    int32_t bl, br, cl, cr;
    int32_t port_l, port_r; /* columns with sparse pipes, each counted once */
    int32_t tile_l, tile_r;
    uint16_t wake_l, wake_r; /* what waking the ends means for their tiles */
    int32_t beyond_r;        /* plane index of the face on r's far side; l's far face has l's own index */
    int32_t axis;            /* 0: along x, 1: along y */
} rill_pipe;

/* Volume that a sparse pipe moves in a sub-step. */
typedef struct rill_transfer {
    int32_t pipe;
    int32_t donor, receiver; /* their ports */
    float q;                 /* quanta, from l to r positive */
    int32_t have, room;      /* of the donor, of the receiver */
    bool scaled;             /* limited by one of them: q is whole */
} rill_transfer;

/* Consecutive pipes of which some are active. */
typedef struct rill_pipe_run {
    int32_t from, count;
} rill_pipe_run;

struct rill_sparse {
    size_t capacity;         /* pipes; twice as many ports */
    rill_pipe *pipes;        /* bed->pipe_count of them */
    rill_pipe_arrays arrays; /* the same again, as kernels take them */
    int32_t *ints;           /* memory of the arrays */
    float *floats;
    int32_t *active; /* pipes with a swept tile at either end */
    int32_t active_count;
    rill_pipe_run *runs; /* all of them */
    int32_t run_count;
    rill_transfer *moving; /* of those: what flows in this sub-step */
    int32_t moving_count;
    int64_t *out, *in; /* per port: what flows out and in; zero between sub-steps */
};

/* Returns the head by which fields push a pipe, quanta. */
static inline int32_t rill_flow_pipe_push(const rill_flow *flow, int32_t pipe) {
    return flow->push.on ? flow->sparse->arrays.push[pipe] : 0;
}

/* The bed's sparse pipes with all they need, and velocities `u`; those that `from` (a number in `old`, or -1; NULL: all
 * are new) says were there before, and whose ends are not marked, are taken from `old`. `ports` is a plane of zeros and
 * is so again. False, and `sparse` as it was, without memory. */
bool rill_sparse_make(rill_sparse *sparse, const rill_bed *bed, float *u, const rill_sparse *old, const int32_t *from,
                      const uint8_t *marks, int32_t *ports, const rill_allocator *allocator);
void rill_sparse_free(rill_sparse *sparse, const rill_allocator *allocator);

/* Marks the tiles of pipes that flow or are driven as RESTLESS; before a check. */
void rill_sparse_unrest(rill_flow *flow, const rill_flow_settings *settings, const rill_kernel_constants *constants,
                        int32_t rest_head);

#endif
