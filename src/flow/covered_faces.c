/* The faces of the windows' nodes, dense and sparse: driven, opened, and what crosses them. See covered.h. */
#include "flow/covered_parts.h"

/* ------------------------------------------------------------------------------------------------------------- access */

static rill_covered_run run_west(const rill_covered_stage *s, const rill_window *w, int32_t y) {
    const rill_bed *bed = s->flow->bed;
    int32_t place = w->place + y * w->sheet->stride;
    const int32_t *H = s->flow->H + place;
    return (
        rill_covered_run){ w->nx, bed->b + place - 1, bed->b + place, bed->c + place - 1, bed->c + place, H - 1, H };
}
static rill_covered_run run_south(const rill_covered_stage *s, const rill_window *w, int32_t y) {
    const rill_bed *bed = s->flow->bed;
    int32_t place = w->place + y * w->sheet->stride, south = place - w->sheet->stride;
    return (rill_covered_run){ w->nx,          bed->b + south,     bed->b + place,    bed->c + south,
                               bed->c + place, s->flow->H + south, s->flow->H + place };
}

void rill_covered_each_row(const rill_covered_stage *s, rill_covered_row_work *work) {
    for (int32_t i = 0; i < s->flow->covered->window_count; ++i) {
        const rill_window *window = &s->flow->covered->windows[i];
        for (int32_t y = 0; y < window->ny; ++y) work(s, window, y, window->node + y * window->stride);
    }
}

/* -------------------------------------------------------------------------------------------------------------- faces */

static void drive_row(const rill_covered_stage *s, const rill_window *w, int32_t y, int32_t node) {
    rill_covered *covered = s->flow->covered;
    const rill_kernel_constants *k = s->constants;
    rill_covered_run west = run_west(s, w, y), south = run_south(s, w, y);
    rill_covered_faces x = rill_covered_faces_at(&covered->west, node),
                       v = rill_covered_faces_at(&covered->south, node);
    int32_t place = w->place + y * w->sheet->stride;
    const int32_t *was = covered->was + node;
    covered->kernels->drive(&west, s->flow->u + place, was - 1, was, k->tilt[0], k, &x);
    covered->kernels->drive(&south, s->flow->v + place, was - w->stride, was, k->tilt[1], k, &v);
}

static void open_row(const rill_covered_stage *s, const rill_window *w, int32_t y, int32_t node) {
    rill_covered *covered = s->flow->covered;
    rill_covered_run west = run_west(s, w, y), south = run_south(s, w, y);
    rill_covered_faces x = rill_covered_faces_at(&covered->west, node),
                       v = rill_covered_faces_at(&covered->south, node);
    const double *pi = covered->pi + node;
    float lambda = s->constants->lambda, paper = s->settings->paper ? s->constants->paper_opening : 0.0f;
    covered->kernels->open(&west, pi - 1, pi, lambda, paper, &x, covered->poisson.wx + node);
    covered->kernels->open(&south, pi - w->stride, pi, lambda, paper, &v, covered->poisson.wy + node);
}

static void flow_row(const rill_covered_stage *s, const rill_window *w, int32_t y, int32_t node) {
    rill_covered *covered = s->flow->covered;
    rill_covered_faces x = rill_covered_faces_at(&covered->west, node),
                       v = rill_covered_faces_at(&covered->south, node);
    const double *pi = covered->pi + node;
    (void)y;
    covered->kernels->flow(w->nx, pi - 1, pi, &x);
    covered->kernels->flow(w->nx, pi - w->stride, pi, &v);
}

/* ------------------------------------------------------------------------------------------------------- sparse pipes */

/* The node of a column, or -1 if it lies in no window. */
static int32_t node_of(const rill_covered *covered, int32_t place, int32_t tile) {
    int32_t group = covered->group[tile];
    if (group == 0) return -1;
    for (int32_t i = 0; i < covered->window_count; ++i) {
        const rill_window *w = &covered->windows[i];
        if (w->group != group) continue;
        int32_t offset = place - w->place, y = offset / w->sheet->stride, x = offset - y * w->sheet->stride;
        return offset >= 0 && x < w->nx && y < w->ny ? w->node + y * w->stride + x : -1;
    }
    return -1;
}

static void find_pipes(const rill_covered_stage *s) {
    rill_covered *covered = s->flow->covered;
    const rill_sparse *sparse = &s->flow->scratch->sparse;
    covered->pipe_count = 0;
    for (int32_t a = 0; a < sparse->active_count; ++a) {
        const rill_pipe *p = &sparse->pipes[sparse->active[a]];
        if (!covered->group[p->tile_l] && !covered->group[p->tile_r]) continue;
        int32_t l = node_of(covered, p->l, p->tile_l), r = node_of(covered, p->r, p->tile_r);
        if (l < 0 && r < 0) continue;
        rill_covered_pipe *pipe = &covered->pipes[covered->pipe_count++];
        *pipe = (rill_covered_pipe){ .pipe = sparse->active[a], .node_l = l, .node_r = r };
        pipe->ends = (rill_covered_ends){ p->bl, p->br, p->cl, p->cr, s->flow->H[p->l], s->flow->H[p->r] };
        float u = s->flow->pipe_u[pipe->pipe];
        pipe->face = rill_covered_drive(&pipe->ends, u, s->constants->tilt[p->axis], s->constants);
        bool undriven = (l >= 0 && covered->was[l]) || (r >= 0 && covered->was[r]);
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

static void flow_pipes(const rill_covered_stage *s) {
    rill_covered *covered = s->flow->covered;
    for (int32_t i = 0; i < covered->pipe_count; ++i) {
        rill_covered_pipe *pipe = &covered->pipes[i];
        double u = (double)pipe->face.base + (double)pipe->face.gain * pipe_drop(covered, pipe);
        pipe->q = u * (double)pipe->reach;
    }
}

/* ------------------------------------------------------------------------------------------------------------- stages */

void rill_covered_drive_faces(const rill_covered_stage *s) {
    rill_covered_each_row(s, drive_row);
    find_pipes(s);
}

void rill_covered_open_faces(const rill_covered_stage *s) {
    rill_covered_each_row(s, open_row);
    open_pipes(s);
    flow_pipes(s);
    rill_covered_limit(s->flow);
}

void rill_covered_flow_faces(const rill_covered_stage *s) {
    rill_covered_each_row(s, flow_row);
    flow_pipes(s);
}
