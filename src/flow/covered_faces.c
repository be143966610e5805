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

void rill_covered_drive_faces(const rill_covered_stage *s) {
    const rill_covered *covered = s->flow->covered;
    const rill_kernel_constants *k = s->constants;
    EACH_RUN(covered, run) {
        covered->kernels->drive(run.at, &run.nodes, 1, k->tilt[0], k, &run.west);
        covered->kernels->drive(run.at, &run.nodes, run.at.stride, k->tilt[1], k, &run.south);
    }
    find_pipes(s);
}

void rill_covered_open_faces(const rill_covered_stage *s) {
    const rill_covered *covered = s->flow->covered;
    float lambda = s->constants->lambda, paper = s->settings->paper ? s->constants->paper_opening : 0.0f;
    EACH_RUN(covered, run) {
        covered->kernels->open(run.at, &run.nodes, 1, lambda, paper, &run.west);
        covered->kernels->open(run.at, &run.nodes, run.at.stride, lambda, paper, &run.south);
    }
    open_pipes(s);
    flow_pipes(s);
}

bool rill_covered_flow_faces(const rill_covered_stage *s) {
    const rill_covered *covered = s->flow->covered;
    int32_t turned = 0;
    EACH_RUN(covered, run) {
        turned |= covered->kernels->flow(run.at, &run.nodes, 1, &run.west);
        turned |= covered->kernels->flow(run.at, &run.nodes, run.at.stride, &run.south);
    }
    return flow_pipes(s) || turned;
}

/* ------------------------------------------------------------------------------------------------------------- excess */

static bool pipe_drains(const rill_covered *covered, const rill_covered_pipe *pipe) {
    double gives = pipe->q < 0.0 ? -pipe->q : pipe->q, has = (double)(pipe->q < 0.0 ? pipe->ends.Hr : pipe->ends.Hl);
    return rill_covered_pipe_covered(covered, pipe) && gives > 0.0 && gives > has - (double)RILL_LIMIT_SLACK;
}

void rill_covered_find_excess(rill_covered *covered) {
    EACH_RUN(covered, run)
        covered->kernels->excess(run.at, &run.nodes, &run.west, &run.south, covered->poisson.f + run.node);
    for (int32_t i = 0; i < covered->pipe_count; ++i) {
        const rill_covered_pipe *pipe = &covered->pipes[i];
        if (pipe->node_l >= 0) covered->poisson.f[pipe->node_l] -= pipe->q;
        if (pipe->node_r >= 0) covered->poisson.f[pipe->node_r] += pipe->q;
    }
}

bool rill_covered_drains(const rill_covered *covered) {
    bool drains = false;
    EACH_RUN(covered, run) drains |= covered->kernels->drains(run.at, &run.nodes, &run.west, &run.south) != 0;
    for (int32_t i = 0; i < covered->pipe_count; ++i) drains |= pipe_drains(covered, &covered->pipes[i]);
    return drains;
}
