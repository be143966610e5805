/* Sparse pipes: the joints between sheets (edges of platforms, holes, mouths of overhangs).
 *
 * They are split off the dense sweep: MOVE before it, DRIVE after it. Each half keeps both bounds (no column below empty or
 * above full) by itself, so the sweep's limiters need not know of them. Drive: heads clipped to the sill (they are cliffs),
 * viscosity as everywhere, no advection, and free overfall capped at critical flow, q <= (2/3)^1.5 sqrt(g) E^1.5, where the
 * receiver stands below two thirds of the donor's depth. Sums over a column's pipes are integers: their order is free. */
#include "base/simd.h"
#include "flow/covered.h"
#include "flow/drive.h"
#include "flow/limit.h"
#include "flow/move.h"
#include "flow/scratch.h"
#include "flow/viscosity.h"

/* The largest whole quanta a transfer may become. */
static int64_t most(float q) {
    return (int64_t)__builtin_fabsf(q) + 1;
}

/* Factor by which flows summing to `flow` fit into `available`. */
static float fit(int64_t flow, int32_t available) {
    return flow <= available ? 1.0f : (float)available * RILL_LIMIT_UNDER / (float)flow;
}

/* Lists the pipes that move something, with what, and sums it up at their ends. Returns whether some column would give or
 * take too much. */
static bool find_moving(rill_flow *flow, const rill_flow_settings *settings, const rill_kernel_constants *k) {
    rill_sparse *sparse = &flow->scratch->sparse;
    int32_t count = 0;
    for (int32_t a = 0; a < sparse->active_count; ++a) {
        int32_t index = sparse->active[a];
        float u = flow->pipe_u[index];
        if (u == 0.0f) continue;
        const rill_pipe *p = &sparse->pipes[index];
        int32_t Hl = flow->H[p->l], Hr = flow->H[p->r];
        rill_face f = rill_face_at(p->bl, p->br, Hl, Hr);
        f = rill_face_under(f, rill_min_i(p->cl, p->cr) - rill_max_i(p->bl, p->br));
        int32_t opening = rill_move_opening(&f, u);
        float q = u * k->lambda * (settings->paper ? k->paper_opening : (float)opening);
        if (q == 0.0f) continue;
        bool from_l = q > 0.0f;
        sparse->out[from_l ? p->port_l : p->port_r] += most(q);
        sparse->in[from_l ? p->port_r : p->port_l] += most(q);
        sparse->moving[count++] =
            (rill_transfer){ index, q, from_l ? Hl : Hr, from_l ? p->cr - p->br - Hr : p->cl - p->bl - Hl };
    }
    sparse->moving_count = count;
    int32_t tight = 0;
    for (int32_t i = 0; i < count; ++i) {
        const rill_transfer *t = &sparse->moving[i];
        const rill_pipe *p = &sparse->pipes[t->pipe];
        tight |= (sparse->out[t->q > 0.0f ? p->port_l : p->port_r] > t->have) |
                 (sparse->in[t->q > 0.0f ? p->port_r : p->port_l] > t->room);
    }
    return tight;
}

/* Scales transfers by what the donors allow, then by what the receivers allow of the rest. */
static void limit(rill_flow *flow) {
    rill_sparse *sparse = &flow->scratch->sparse;
    for (int32_t i = 0; i < sparse->moving_count; ++i) {
        rill_transfer *t = &sparse->moving[i];
        const rill_pipe *p = &sparse->pipes[t->pipe];
        float k = fit(sparse->out[t->q > 0.0f ? p->port_l : p->port_r], t->have);
        /* A scaled transfer must not be dithered up again: cut it here. */
        if (k < 1.0f) t->q = rill_move_whole(t->q * k, 0.0f);
        flow->pipe_u[t->pipe] *= k;
        sparse->in[p->port_l] = sparse->in[p->port_r] = 0;
    }
    for (int32_t i = 0; i < sparse->moving_count; ++i) {
        const rill_transfer *t = &sparse->moving[i];
        const rill_pipe *p = &sparse->pipes[t->pipe];
        sparse->in[t->q > 0.0f ? p->port_r : p->port_l] += most(t->q);
    }
    for (int32_t i = 0; i < sparse->moving_count; ++i) {
        rill_transfer *t = &sparse->moving[i];
        const rill_pipe *p = &sparse->pipes[t->pipe];
        float k = fit(sparse->in[t->q > 0.0f ? p->port_r : p->port_l], t->room);
        if (k < 1.0f) t->q = rill_move_whole(t->q * k, 0.0f);
        flow->pipe_u[t->pipe] *= k;
    }
}

void rill_sparse_move(rill_flow *flow, const rill_flow_settings *settings, const rill_kernel_constants *constants) {
    rill_sparse *sparse = &flow->scratch->sparse;
    if (find_moving(flow, settings, constants)) limit(flow);
    for (int32_t i = 0; i < sparse->moving_count; ++i) {
        const rill_transfer *moved = &sparse->moving[i];
        const rill_pipe *p = &sparse->pipes[moved->pipe];
        int32_t t = (int32_t)rill_move_whole(moved->q, constants->phase);
        sparse->out[p->port_l] = sparse->out[p->port_r] = sparse->in[p->port_l] = sparse->in[p->port_r] = 0;
        if (t == 0) continue;
        flow->H[p->l] -= t;
        flow->H[p->r] += t;
        /* A column that was dry and still is disturbs nothing. */
        if (rill_max_i(flow->H[p->l], flow->H[p->l] + t) > RILL_DRY) rill_flow_wake_tile(flow, p->tile_l, p->wake_l);
        if (rill_max_i(flow->H[p->r], flow->H[p->r] - t) > RILL_DRY) rill_flow_wake_tile(flow, p->tile_r, p->wake_r);
    }
}

static bool pipe_blocked(const rill_pipe *p, const rill_face *f, float u) {
    int32_t zb = rill_max_i(p->bl, p->br);
    return rill_covered_blocks(p->cl, p->cr, zb + f->l, zb + f->r, zb, u);
}

/* The head over a pipe, clipped to its sill (the paper's is not); 0 where nothing can flow. */
static int32_t pipe_head(const rill_pipe *p, const rill_face *f, bool paper, const rill_kernel_constants *k) {
    if (rill_max_i(f->l, f->r) <= RILL_DRY) return 0;
    int32_t head = rill_drive_head(f, paper ? -RILL_WALL : 0) + k->tilt[p->axis];
    if ((head > 0 ? f->l : f->r) <= RILL_DRY) return 0;
    return pipe_blocked(p, f, (float)head) ? 0 : head;
}

/* How fast free overfall lets liquid leave a column whose receiver stands low: critical flow, whose energy head E is the
 * depth above the sill and the head of the speed it arrives with. A stream that arrives faster than critical (E > 1.5 depth)
 * just keeps its speed. */
static float fall_speed(const rill_flow *flow, const rill_pipe *p, bool from_l, float depth,
                        const rill_kernel_constants *k) {
    const float *faces = p->axis == 0 ? flow->u : flow->v;
    float arriving = rill_max_f(0.0f, from_l ? faces[p->l] : -faces[p->beyond_r]);
    float energy = depth + rill_min_f(arriving * arriving * k->speed_head, 0.5f * depth);
    return rill_max_f(arriving, k->fall * energy * __builtin_sqrtf(energy) / depth);
}

static float driven(const rill_flow *flow, const rill_pipe *p, float u, const rill_flow_settings *settings,
                    const rill_kernel_constants *k) {
    int32_t Hl = flow->H[p->l], Hr = flow->H[p->r];
    const rill_face f = rill_face_at(p->bl, p->br, Hl, Hr);
    if (rill_max_i(f.l, f.r) <= RILL_DRY) return 0.0f;
    u += k->drive * (float)pipe_head(p, &f, settings->paper, k);
    if (pipe_blocked(p, &f, u)) return 0.0f;
    bool from_l = u > 0.0f;
    float twice = settings->paper ? 2.0f * (float)(from_l ? Hl : Hr)
                                  : (float)rill_viscosity_depth(&f, Hl + Hr);
    u *= k->keep * twice * twice / (twice * twice + k->drag + 1.0f);
    int32_t donor = from_l ? f.l : f.r, receiver = from_l ? f.r : f.l;
    float cap = k->top_speed;
    if (!settings->paper && donor > 0 && (float)receiver * 1.5f < (float)donor)
        cap = rill_min_f(cap, fall_speed(flow, p, from_l, (float)donor, k));
    return rill_max_f(rill_min_f(u, cap), -cap);
}

void rill_sparse_drive(rill_flow *flow, const rill_flow_settings *settings, const rill_kernel_constants *constants) {
    rill_sparse *sparse = &flow->scratch->sparse;
    for (int32_t a = 0; a < sparse->active_count; ++a) {
        int32_t index = sparse->active[a];
        const rill_pipe *p = &sparse->pipes[index];
        float u = driven(flow, p, flow->pipe_u[index], settings, constants);
        flow->pipe_u[index] = u;
        if (rill_max_i(flow->H[p->l], flow->H[p->r]) > constants->thin)
            flow->extent.speed = rill_max_f(flow->extent.speed, __builtin_fabsf(u));
    }
}

void rill_sparse_unrest(rill_flow *flow, bool paper, const rill_kernel_constants *constants, float rest_speed,
                        int32_t rest_head) {
    rill_sparse *sparse = &flow->scratch->sparse;
    for (int32_t a = 0; a < sparse->active_count; ++a) {
        const rill_pipe *p = &sparse->pipes[sparse->active[a]];
        if (rill_flow_flooded(flow, p->l) || rill_flow_flooded(flow, p->r)) continue; /* the covered stage knows better */
        const rill_face f = rill_face_at(p->bl, p->br, flow->H[p->l], flow->H[p->r]);
        int32_t head = pipe_head(p, &f, paper, constants);
        if (__builtin_fabsf(flow->pipe_u[sparse->active[a]]) < rest_speed && rill_abs_i(head) <= rest_head) continue;
        flow->tiles[p->tile_l] |= RILL_TILE_RESTLESS;
        flow->tiles[p->tile_r] |= RILL_TILE_RESTLESS;
    }
}
