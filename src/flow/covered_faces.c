/* The faces of the windows' nodes, dense and sparse: driven, opened, and what crosses them. See covered.h. */
#include "flow/covered_parts.h"
#include "flow/limit.h"

/* ------------------------------------------------------------------------------------------------------- sparse pipes */

void rill_covered_forget_extras(rill_covered *covered) {
    for (int32_t i = 0; i < covered->pipe_count; ++i) {
        const rill_covered_pipe *pipe = &covered->pipes[i];
        covered->poisson.extra[pipe->node_l >= 0 ? pipe->node_l : pipe->node_r] = 0.0f;
    }
}

/* Also those of tiles that have been woken since it was last looked which pipes are awake. */
static void find_pipes(const rill_covered_stage *s) {
    rill_covered *covered = s->flow->covered;
    const rill_sparse *sparse = &s->flow->scratch->sparse;
    const bool all = s->flow->stale || covered->woken;
    rill_covered_forget_extras(covered);
    covered->pipe_count = 0;
    for (const rill_joint *joint = covered->joints; joint < covered->joints + covered->joint_count; ++joint) {
        if (!all && !sparse->arrays.awake[joint->pipe]) continue;
        const rill_pipe *p = &sparse->pipes[joint->pipe];
        const int32_t l = joint->node_l, r = joint->node_r;
        rill_covered_pipe *pipe = &covered->pipes[covered->pipe_count++];
        *pipe = (rill_covered_pipe){ .pipe = joint->pipe, .node_l = l, .node_r = r };
        const int32_t cl = rill_covered_ceiling(covered, l, p->cl), cr = rill_covered_ceiling(covered, r, p->cr);
        pipe->ends = (rill_covered_ends){ p->bl, p->br, cl, cr, s->flow->H[p->l], s->flow->H[p->r] };
        float u = s->flow->pipe_u[pipe->pipe];
        pipe->face = rill_covered_drive(&pipe->ends, u, s->constants->tilt[p->axis], s->constants);
        bool undriven = (l >= 0 && covered->nodes.was[l]) || (r >= 0 && covered->nodes.was[r]);
        if (!undriven) {
            pipe->face.base = u;
            pipe->face.head = 0;
        }
    }
}

static double pipe_drop(const rill_covered *covered, const rill_covered_pipe *pipe) {
    return (double)pipe->face.head +
           (rill_covered_pressure(covered, pipe->node_l) - rill_covered_pressure(covered, pipe->node_r));
}

static void open_pipes(const rill_covered_stage *s) {
    rill_covered *covered = s->flow->covered;
    for (int32_t i = 0; i < covered->pipe_count; ++i) {
        rill_covered_pipe *pipe = &covered->pipes[i];
        float u = pipe->face.base + pipe->face.gain * (float)pipe_drop(covered, pipe);
        float opening = (float)rill_covered_opening(&pipe->ends, u);
        if (s->settings->paper && opening > 0.0f) opening = s->constants->paper_opening;
        pipe->reach = s->constants->lambda * opening;
    }
}

static bool flow_pipes(const rill_covered_stage *s) {
    rill_covered *covered = s->flow->covered;
    bool turned = false;
    for (int32_t i = 0; i < covered->pipe_count; ++i) {
        rill_covered_pipe *pipe = &covered->pipes[i];
        double u = (double)pipe->face.base + (double)pipe->face.gain * pipe_drop(covered, pipe), before = pipe->q;
        pipe->q = u * (double)pipe->reach;
        turned |= before * pipe->q < 0.0;
    }
    return turned;
}

/* ------------------------------------------------------------------------------------------------------------- stages */

static int32_t drive_run(const void *stage, const rill_covered_run *run) {
    const rill_covered_stage *s = stage;
    const rill_covered_kernels *kernels = s->flow->covered->kernels;
    const rill_kernel_constants *k = s->constants;
    kernels->drive(run->at, &run->nodes, 1, k->tilt[0], k, &run->west);
    kernels->drive(run->at, &run->nodes, run->at.stride, k->tilt[1], k, &run->south);
    return 0;
}

static int32_t open_run(const void *stage, const rill_covered_run *run) {
    const rill_covered_stage *s = stage;
    const rill_covered_kernels *kernels = s->flow->covered->kernels;
    const float lambda = s->constants->lambda, paper = s->settings->paper ? s->constants->paper_opening : 0.0f;
    kernels->open(run->at, &run->nodes, 1, lambda, paper, &run->west);
    kernels->open(run->at, &run->nodes, run->at.stride, lambda, paper, &run->south);
    return 0;
}

static int32_t flow_run(const void *stage, const rill_covered_run *run) {
    const rill_covered_kernels *kernels = ((const rill_covered_stage *)stage)->flow->covered->kernels;
    const int32_t turned = kernels->flow(run->at, &run->nodes, 1, &run->west);
    return turned | kernels->flow(run->at, &run->nodes, run->at.stride, &run->south);
}

void rill_covered_drive_faces(const rill_covered_stage *s) {
    rill_covered_share(s->flow->covered, drive_run, s);
    find_pipes(s);
}

void rill_covered_open_faces(const rill_covered_stage *s) {
    rill_covered_share(s->flow->covered, open_run, s);
    open_pipes(s);
    flow_pipes(s);
}

bool rill_covered_flow_faces(const rill_covered_stage *s) {
    const int32_t turned = rill_covered_share(s->flow->covered, flow_run, s);
    return flow_pipes(s) || turned;
}

/* ------------------------------------------------------------------------------------------------------------- excess */

static bool pipe_drains(const rill_covered *covered, const rill_covered_pipe *pipe) {
    double gives = pipe->q < 0.0 ? -pipe->q : pipe->q, has = (double)(pipe->q < 0.0 ? pipe->ends.Hr : pipe->ends.Hl);
    return rill_covered_pipe_covered(covered, pipe) && gives > 0.0 && gives > has - (double)RILL_LIMIT_SLACK;
}

static int32_t excess_of_run(const void *context, const rill_covered_run *run) {
    const rill_covered *covered = context;
    covered->kernels->excess(run->at, &run->nodes, &run->west, &run->south, covered->poisson.f + run->node);
    return 0;
}

static int32_t run_drains(const void *context, const rill_covered_run *run) {
    return ((const rill_covered *)context)->kernels->drains(run->at, &run->nodes, &run->west, &run->south);
}

void rill_covered_find_excess(rill_covered *covered) {
    rill_covered_share(covered, excess_of_run, covered);
    for (int32_t i = 0; i < covered->pipe_count; ++i) {
        const rill_covered_pipe *pipe = &covered->pipes[i];
        if (pipe->node_l >= 0) covered->poisson.f[pipe->node_l] -= pipe->q;
        if (pipe->node_r >= 0) covered->poisson.f[pipe->node_r] += pipe->q;
    }
}

bool rill_covered_drains(const rill_covered *covered) {
    bool drains = rill_covered_share(covered, run_drains, covered) != 0;
    for (int32_t i = 0; i < covered->pipe_count; ++i) drains |= pipe_drains(covered, &covered->pipes[i]);
    return drains;
}
