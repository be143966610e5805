/* Sparse pipes: the joints between sheets (edges of platforms, holes, mouths of overhangs).
 *
 * They are split off the dense sweep: MOVE before it, DRIVE after it. Each half keeps both bounds (no column below
 * empty or above full) by itself, so the sweep's limiters need not know of them. Drive: heads clipped to the sill (they
 * are cliffs), viscosity as everywhere, no advection, and free overfall capped at critical flow, q <= (2/3)^1.5 sqrt(g)
 * E^1.5, where the receiver stands below two thirds of the donor's depth. Sums over a column's pipes are integers:
 * their order is free. */
#include "base/dispatch.h"
#include "base/simd.h"
#include "flow/ceiling.h"
#include "flow/column.h"
#include "flow/flow_internal.h"
#include "flow/limit.h"
#include "flow/move.h"

RILL_DISPATCH(rill_sparse_kernels)

/* The largest whole quanta a transfer may become. */
static int64_t most(float q) {
    return (int64_t)__builtin_fabsf(q) + 1;
}

/* Factor by which flows summing to `flow` fit into `available`. */
static float fit(int64_t flow, int32_t available) {
    return flow <= available ? 1.0f : (float)available * RILL_LIMIT_UNDER / (float)flow;
}

/* Depths at the ends of a run of pipes, for the kernels. */
static void gather_depths(const rill_flow *flow, const rill_pipe_run *run) {
    const rill_pipe_arrays *arrays = &flow->sparse->arrays;
    const int32_t *l = flow->bed->pipe_l, *r = flow->bed->pipe_r;
    for (int32_t i = run->from; i < run->from + run->count; ++i) {
        arrays->Hl[i] = flow->H[l[i]];
        arrays->Hr[i] = flow->H[r[i]];
    }
}

/* Speeds with which liquid arrives at either end. */
static void gather_speeds(const rill_flow *flow, const rill_pipe_run *run) {
    const rill_sparse *sparse = flow->sparse;
    for (int32_t i = run->from; i < run->from + run->count; ++i) {
        const rill_pipe *pipe = &sparse->pipes[i];
        const float *faces = pipe->axis == 0 ? flow->u : flow->v;
        sparse->arrays.ul[i] = faces[pipe->l];
        sparse->arrays.ur[i] = -faces[pipe->beyond_r];
    }
}

/* Appends what a pipe moves to the list of what moves, and adds it to the sums at its ends. */
static void note_moving(rill_sparse *sparse, int32_t index) {
    const rill_pipe *pipe = &sparse->pipes[index];
    const rill_pipe_arrays *arrays = &sparse->arrays;
    const float q = arrays->q[index];
    const bool from_l = q > 0.0f;
    /* Liquid that a moving solid has pressed may stand above its ceiling. */
    const int32_t room_l = rill_max_i(pipe->cl - pipe->bl - arrays->Hl[index], 0);
    const int32_t room_r = rill_max_i(pipe->cr - pipe->br - arrays->Hr[index], 0);
    const rill_transfer transfer = { .pipe = index,
                                     .donor = from_l ? pipe->port_l : pipe->port_r,
                                     .receiver = from_l ? pipe->port_r : pipe->port_l,
                                     .q = q,
                                     .have = from_l ? arrays->Hl[index] : arrays->Hr[index],
                                     .room = from_l ? room_r : room_l };
    sparse->out[transfer.donor] += most(q);
    sparse->in[transfer.receiver] += most(q);
    sparse->moving[sparse->moving_count++] = transfer;
}

/* Lists the pipes that move something, with what, and sums it up at their ends. Returns whether some column would give
 * or take too much. */
static bool find_moving(rill_flow *flow, const rill_flow_settings *settings, const rill_kernel_constants *constants) {
    rill_sparse *sparse = flow->sparse;
    const rill_sparse_kernels *kernels = rill_sparse_kernels_pick(settings->scalar);
    sparse->moving_count = 0;
    for (int32_t i = 0; i < sparse->run_count; ++i) {
        int32_t from = sparse->runs[i].from, count = sparse->runs[i].count;
        gather_depths(flow, &sparse->runs[i]);
        kernels->raw(from, count, &sparse->arrays, settings->paper, constants);
        for (int32_t index = from; index < from + count; ++index)
            if (sparse->arrays.q[index] != 0.0f) note_moving(sparse, index);
    }
    int32_t tight = 0;
    for (int32_t i = 0; i < sparse->moving_count; ++i) {
        const rill_transfer *transfer = &sparse->moving[i];
        tight |= (sparse->out[transfer->donor] > transfer->have) | (sparse->in[transfer->receiver] > transfer->room);
    }
    return tight;
}

/* A scaled transfer must not be dithered up again: not even by the rounding of a sum with a phase of nearly 1. */
static void scale(rill_transfer *transfer, float k) {
    transfer->q = rill_move_whole(transfer->q * k, 0.0f);
    transfer->scaled = true;
}

/* Scales transfers by what the donors allow, then by what the receivers allow of the rest. */
static void limit(rill_flow *flow) {
    rill_sparse *sparse = flow->sparse;
    for (int32_t i = 0; i < sparse->moving_count; ++i) {
        rill_transfer *transfer = &sparse->moving[i];
        const float k = fit(sparse->out[transfer->donor], transfer->have);
        if (!(k < 1.0f)) continue;
        const int64_t before = most(transfer->q);
        scale(transfer, k);
        flow->pipe_u[transfer->pipe] *= k;
        sparse->in[transfer->receiver] += most(transfer->q) - before;
    }
    for (int32_t i = 0; i < sparse->moving_count; ++i) {
        rill_transfer *transfer = &sparse->moving[i];
        const float k = fit(sparse->in[transfer->receiver], transfer->room);
        if (!(k < 1.0f)) continue;
        scale(transfer, k);
        flow->pipe_u[transfer->pipe] *= k;
    }
}

/* Lets what a pipe moves fall, if it does; false, and nothing done, if not. */
static bool let_fall(rill_flow *flow, int32_t index, int32_t t) {
    rill_brinks *brinks = flow->brinks;
    const rill_pipe *pipe = &flow->sparse->pipes[index];
    if (brinks->of_pipe[index] == 0) return false;
    rill_brink *brink = &brinks->list[brinks->of_pipe[index] - 1];
    const bool down = brink->upper == (t > 0 ? pipe->l : pipe->r);
    if (!down || !rill_brink_falls(flow, brink)) return false;
    rill_brink_add(brinks, brink, rill_abs_i(t), __builtin_fabsf(flow->pipe_u[index]));
    rill_column_take(flow, brink->upper, rill_abs_i(t));
    if (flow->H[brink->upper] + rill_abs_i(t) > RILL_DRY)
        rill_flow_touch_tile(flow, t > 0 ? pipe->tile_l : pipe->tile_r, t > 0 ? pipe->wake_l : pipe->wake_r);
    return true;
}

void rill_sparse_move(rill_flow *flow, const rill_flow_settings *settings, const rill_kernel_constants *constants) {
    rill_sparse *sparse = flow->sparse;
    if (find_moving(flow, settings, constants)) limit(flow);
    for (int32_t i = 0; i < sparse->moving_count; ++i) {
        const rill_transfer *moved = &sparse->moving[i];
        const int32_t t = (int32_t)rill_move_whole(moved->q, moved->scaled ? 0.0f : constants->phase);
        sparse->out[moved->donor] = sparse->in[moved->receiver] = 0;
        if (t == 0) continue;
        const rill_pipe *pipe = &sparse->pipes[moved->pipe];
        if (flow->brinks && let_fall(flow, moved->pipe, t)) continue;
        rill_column_move(flow, pipe->l, pipe->r, t);
        /* A column that was dry and still is disturbs nothing. */
        if (rill_max_i(flow->H[pipe->l], flow->H[pipe->l] + t) > RILL_DRY)
            rill_flow_touch_tile(flow, pipe->tile_l, pipe->wake_l);
        if (rill_max_i(flow->H[pipe->r], flow->H[pipe->r] - t) > RILL_DRY)
            rill_flow_touch_tile(flow, pipe->tile_r, pipe->wake_r);
    }
}

void rill_sparse_drive(rill_flow *flow, const rill_flow_settings *settings, const rill_kernel_constants *constants) {
    rill_sparse *sparse = flow->sparse;
    const rill_sparse_kernels *kernels = rill_sparse_kernels_pick(settings->scalar);
    for (int32_t i = 0; i < sparse->run_count; ++i) {
        const rill_pipe_run *run = &sparse->runs[i];
        gather_depths(flow, run);
        gather_speeds(flow, run);
        float fastest = kernels->drive(run->from, run->count, &sparse->arrays, settings->paper, constants);
        flow->extent.speed = rill_max_f(flow->extent.speed, fastest);
    }
}

/* Where a column is flooded the covered stage knows better. */
static void note_unrest(rill_flow *flow, int32_t index) {
    const rill_pipe *pipe = &flow->sparse->pipes[index];
    if (rill_flow_flooded(flow, pipe->l) || rill_flow_flooded(flow, pipe->r)) return;
    flow->tiles[pipe->tile_l] |= RILL_TILE_RESTLESS;
    flow->tiles[pipe->tile_r] |= RILL_TILE_RESTLESS;
}

void rill_sparse_unrest(rill_flow *flow, const rill_flow_settings *settings, const rill_kernel_constants *constants,
                        int32_t rest_head) {
    rill_sparse *sparse = flow->sparse;
    const rill_sparse_kernels *kernels = rill_sparse_kernels_pick(settings->scalar);
    for (int32_t i = 0; i < sparse->run_count; ++i) {
        int32_t from = sparse->runs[i].from, count = sparse->runs[i].count;
        gather_depths(flow, &sparse->runs[i]);
        kernels->unrest(from, count, &sparse->arrays, settings->paper, constants, rest_head);
        for (int32_t k = from; k < from + count; ++k)
            if (sparse->arrays.restless[k]) note_unrest(flow, k);
    }
}
