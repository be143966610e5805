/* STRAIGHT: the paper's extended pipes, through flooded passages along x and y.
 *
 * Based on: Dagenais et al. 2018 section 3.3 (Fig. 3, right). A run of full columns along an axis, with a column that is not
 * full beyond each end, is one pipe between those two. Its faces lie in series and carry one flux q, so that the pressures
 * between them drop out:
 *
 *     q = (sum of base / gain + sum of head) / (sum of 1 / w),     u = base + gain head,   w = gain reach of each face:
 *
 * the start flux is the mean of the fluxes that were there, weighted by inertance (the paper's zero throws momentum away and
 * makes ripples), the length is n dx + (dx/2) (D/H_in + D/H_out) by the inertance of the faces (covered.h; the literal
 * l = dx is sqrt(n + 1) too fast), viscosity and loss are those of covered faces. A run is under pressure while the level
 * beyond one of its ends at least reaches the lintel there; a run that is not drains like any other liquid. A run goes on
 * from sheet to sheet where a sparse pipe joins two of its *parts*. A passage that bends ends at its bend, and nothing
 * flows: that is what `passages = any` is for. */
#include "flow/covered_parts.h"

/* A run of full columns along one axis, or a part of one in one sheet. */
typedef struct run {
    int32_t axis;
    int32_t first, count, step; /* nodes */
    int32_t place, plane_step;  /* of the first column, and to the next */
    rill_covered_faces *faces;
    rill_covered_pipe *entry, *exit; /* sparse pipes at its ends, where the dense faces there are closed */
} run;

static bool is_full(const rill_covered *covered, int32_t node) {
    return rill_covered_roofed(covered, node) && covered->nodes.fill[node] >= RILL_FULL_HIGH - RILL_FULL_LOW;
}

/* The sparse pipe that goes on from an end of a run, or NULL. */
static rill_covered_pipe *pipe_at(const rill_flow *flow, int32_t node, int32_t axis, bool behind) {
    const rill_covered *covered = flow->covered;
    for (int32_t i = 0; i < covered->pipe_count; ++i) {
        rill_covered_pipe *pipe = &covered->pipes[i];
        if ((behind ? pipe->node_r : pipe->node_l) != node || !(pipe->reach > 0.0f)) continue;
        if (flow->scratch->sparse.pipes[pipe->pipe].axis == axis) return pipe;
    }
    return NULL;
}

/* Where the dense face at an end is closed, a sparse pipe may go on. */
static void find_ends(const rill_flow *flow, run *r) {
    int32_t last = r->first + (r->count - 1) * r->step;
    r->entry = r->exit = NULL;
    if (!(r->faces->reach[r->first] > 0.0f)) r->entry = pipe_at(flow, r->first, r->axis, true);
    if (!(r->faces->reach[last + r->step] > 0.0f)) r->exit = pipe_at(flow, last, r->axis, false);
}

/* Which columns make runs. */
typedef bool belongs_to(const rill_covered *covered, int32_t node);

/* The part from column `at` of a line of a window on, or none if that does not belong to one. */
static bool part_at(const rill_flow *flow, const rill_window *w, int32_t axis, int32_t line, int32_t at,
                    belongs_to *belongs, run *out) {
    rill_covered *covered = flow->covered;
    int32_t step = axis ? w->stride : 1, plane_step = axis ? w->sheet->stride : 1;
    int32_t across = axis ? 1 : w->stride, plane_across = axis ? 1 : w->sheet->stride;
    *out = (run){ .axis = axis,
                  .first = w->node + line * across + at * step,
                  .step = step,
                  .place = w->place + line * plane_across + at * plane_step,
                  .plane_step = plane_step,
                  .faces = axis ? &covered->south : &covered->west };
    if (!belongs(covered, out->first)) return false;
    /* The outermost ring belongs to none. */
    do out->count += 1;
    while (belongs(covered, out->first + out->count * step) &&
           out->faces->reach[out->first + out->count * step] > 0.0f);
    find_ends(flow, out);
    return true;
}

/* Goes on to the part beyond a part's exit. False if there is none. */
static bool next_part(const rill_flow *flow, belongs_to *belongs, run *part) {
    const rill_covered_pipe *pipe = part->exit;
    if (!pipe || pipe->node_r < 0) return false;
    const rill_window *w = rill_covered_window(flow->covered, pipe->node_r);
    int32_t offset = pipe->node_r - w->node, y = offset / w->stride, x = offset - y * w->stride;
    run next;
    if (!part_at(flow, w, part->axis, part->axis ? x : y, part->axis ? y : x, belongs, &next)) return false;
    if (next.entry != pipe) return false;
    *part = next;
    return true;
}

/* The series of a run's faces. */
typedef struct series {
    double flux, resistance; /* sums of base / gain + head, and of 1 / w */
    bool open;
} series;

static void add_face(series *sum, float base, float gain, int32_t head, float reach) {
    if (!(gain > 0.0f && reach > 0.0f)) {
        sum->open = false;
        return;
    }
    sum->flux += (double)base / (double)gain + (double)head;
    sum->resistance += 1.0 / ((double)gain * (double)reach);
}

static void add_end(series *sum, const run *r, int32_t face, const rill_covered_pipe *pipe) {
    if (pipe)
        add_face(sum, pipe->face.base, pipe->face.gain, pipe->face.head, pipe->reach);
    else
        add_face(sum, r->faces->base[face], r->faces->gain[face], r->faces->head[face], r->faces->reach[face]);
}

/* Over all parts, from the first to `*last`. */
static series in_series(const rill_flow *flow, belongs_to *belongs, const run *first, run *last) {
    series sum = { .open = true };
    *last = *first;
    add_end(&sum, first, first->first, first->entry);
    do {
        for (int32_t i = 1; i < last->count; ++i) add_end(&sum, last, last->first + i * last->step, NULL);
        add_end(&sum, last, last->first + last->count * last->step, last->exit);
    } while (next_part(flow, belongs, last));
    return sum;
}

/* The velocity that carries a flux over a face is its base from now on, whatever the pressures. */
static void set_face(float *base, int32_t *head, float reach, double *q, double flux) {
    *base = reach > 0.0f ? (float)(flux / (double)reach) : 0.0f;
    *head = 0;
    *q = flux;
}

static void set_pipe(rill_covered_pipe *pipe, double flux) {
    set_face(&pipe->face.base, &pipe->face.head, pipe->reach, &pipe->q, flux);
    pipe->run = true;
}

static void set_end(const run *r, int32_t face, rill_covered_pipe *pipe, double flux) {
    rill_covered_faces *f = r->faces;
    set_face(&f->base[face], &f->head[face], f->reach[face], &f->q[face], pipe ? 0.0 : flux);
    if (pipe) set_pipe(pipe, flux);
}

static void set_run(const rill_flow *flow, belongs_to *belongs, const run *first, double flux) {
    run part = *first;
    set_end(first, first->first, first->entry, flux);
    do {
        for (int32_t i = 1; i < part.count; ++i) set_end(&part, part.first + i * part.step, NULL, flux);
        set_end(&part, part.first + part.count * part.step, part.exit, flux);
    } while (next_part(flow, belongs, &part));
}

/* Whether the liquid beyond an end reaches the lintel of its face. */
static bool presses(const rill_flow *flow, const rill_covered_pipe *pipe, int32_t inside, int32_t outside,
                    bool behind) {
    const rill_bed *bed = flow->bed;
    int32_t h = bed->b[outside] + flow->H[outside], lintel = rill_min_i(bed->c[inside], bed->c[outside]);
    if (pipe) {
        const rill_covered_ends *e = &pipe->ends;
        h = behind ? e->bl + e->Hl : e->br + e->Hr;
        lintel = rill_min_i(e->cl, e->cr);
    } else if (lintel <= bed->b[outside]) {
        return false; /* a wall */
    }
    return h >= lintel - RILL_SUBMERGED;
}

/* The columns of a run that is under pressure become members. */
static void join_run(rill_flow *flow, belongs_to *belongs, const run *first) {
    rill_covered *covered = flow->covered;
    run last = *first, part = *first;
    while (next_part(flow, belongs, &last)) continue;
    int32_t end = last.place + (last.count - 1) * last.plane_step;
    if (!presses(flow, first->entry, first->place, first->place - first->plane_step, true) &&
        !presses(flow, last.exit, end, end + last.plane_step, false))
        return;
    do
        for (int32_t i = 0; i < part.count; ++i) {
            int32_t node = part.first + i * part.step;
            covered->nodes.active[node] = 1.0f;
            covered->nodes.ever[node] = 1;
        }
    while (next_part(flow, belongs, &part));
}

/* What the column that a run drinks from may give to it: half, for it may feed another. */
static double donor_share(const rill_flow *flow, const run *first, const run *last, bool forward) {
    const rill_covered_pipe *pipe = forward ? first->entry : last->exit;
    int32_t have = flow->H[forward ? first->place - first->plane_step : last->place + last->count * last->plane_step];
    if (pipe) have = forward ? pipe->ends.Hl : pipe->ends.Hr;
    return 0.5 * (double)have;
}

/* Whether a column is full, in a window or not. */
static bool full_column(int32_t b, int32_t c, int32_t H) {
    return c < RILL_TOP && H >= c - b - RILL_FULL_LOW;
}
static bool full_node(const rill_covered *covered, int32_t node) {
    return full_column(covered->nodes.b[node], covered->nodes.c[node], covered->nodes.H[node]);
}

/* Whether the column beyond an end is full too, and no part of the run: nobody knows its pressure. */
static bool blind_end(const rill_covered *covered, const rill_covered_pipe *pipe, int32_t beyond, bool behind) {
    if (!pipe) return full_node(covered, beyond);
    const rill_covered_ends *e = &pipe->ends;
    return behind ? full_column(e->bl, e->cl, e->Hl) : full_column(e->br, e->cr, e->Hr);
}

static void drive_run(rill_flow *flow, belongs_to *belongs, const run *first) {
    run last;
    series sum = in_series(flow, belongs, first, &last);
    bool blind = blind_end(flow->covered, first->entry, first->first - first->step, true) ||
                 blind_end(flow->covered, last.exit, last.first + last.count * last.step, false);
    double flux = sum.open && !blind ? sum.flux / sum.resistance : 0.0;
    double most = donor_share(flow, first, &last, flux > 0.0);
    set_run(flow, belongs, first, flux > most ? most : flux < -most ? -most : flux);
}

/* Whether another part comes before. */
static bool continues(const rill_flow *flow, belongs_to *belongs, const run *r) {
    const rill_covered_pipe *pipe = r->entry;
    if (!pipe || pipe->node_l < 0 || !belongs(flow->covered, pipe->node_l)) return false;
    int32_t step = r->axis ? rill_covered_window(flow->covered, pipe->node_l)->stride : 1;
    if (r->faces->reach[pipe->node_l + step] > 0.0f) return false;
    return pipe_at(flow, pipe->node_l, r->axis, false) == pipe;
}

/* Calls `work` for all runs along an axis of columns that `belongs` accepts, with the first part of each. */
typedef void run_work(rill_flow *flow, belongs_to *belongs, const run *first);
static void each_run(rill_flow *flow, int32_t axis, belongs_to *belongs, run_work *work) {
    const rill_covered *covered = flow->covered;
    for (int32_t i = 0; i < covered->window_count; ++i) {
        const rill_window *w = &covered->windows[i];
        int32_t lines = axis ? w->nx : w->ny, along = axis ? w->ny : w->nx;
        for (int32_t line = 1; line + 1 < lines; ++line)
            for (int32_t at = 1; at + 1 < along; ++at) {
                run r;
                if (!part_at(flow, w, axis, line, at, belongs, &r)) continue;
                at += r.count - 1;
                if (!continues(flow, belongs, &r)) work(flow, belongs, &r);
            }
    }
}

/* Columns that were in a run and are no more: nothing flows on into those that are full. */
static void close_faces(const rill_covered *covered, const rill_window *w, const rill_covered_faces *faces,
                        int32_t step) {
    for (int32_t n = w->node; n < w->node + w->ny * w->stride; ++n) {
        if (!(covered->nodes.ever[n] | covered->nodes.ever[n - step])) continue;
        if (rill_covered_member(covered, n) || rill_covered_member(covered, n - step)) continue;
        if (!full_node(covered, faces->q[n] > 0.0 ? n : n - step)) continue;
        set_face(&faces->base[n], &faces->head[n], faces->reach[n], &faces->q[n], 0.0);
    }
}

/* Covered pipes that no run flows through are closed. */
static void close_rest(const rill_covered *covered) {
    for (int32_t i = 0; i < covered->window_count; ++i) {
        close_faces(covered, &covered->windows[i], &covered->west, 1);
        close_faces(covered, &covered->windows[i], &covered->south, covered->windows[i].stride);
    }
    for (int32_t i = 0; i < covered->pipe_count; ++i) {
        rill_covered_pipe *pipe = &covered->pipes[i];
        if (rill_covered_pipe_covered(covered, pipe) && !pipe->run) set_pipe(pipe, 0.0);
    }
}

rill_covered_report rill_straight_move(rill_flow *flow, const rill_flow_settings *settings,
                                       const rill_kernel_constants *constants) {
    rill_covered_report report = { 0 };
    rill_covered *covered = flow->covered;
    if (!covered) return report;
    rill_covered_begin(covered, settings);
    const bool found = rill_covered_find(flow, constants);
    if (covered->starved) rill_covered_forgo(flow, &report.refused);
    if (!found) return report;
    rill_covered_stage stage = { flow, settings, constants };
    EACH_NODE(covered, n) {
        covered->nodes.active[n] = 0.0f;
        covered->nodes.pi[n] = 0.0;
    }
    rill_covered_drive_faces(&stage);
    rill_covered_open_faces(&stage);
    for (int32_t axis = 0; axis < 2; ++axis) each_run(flow, axis, is_full, join_run);
    for (int32_t axis = 0; axis < 2; ++axis) each_run(flow, axis, rill_covered_member, drive_run);
    close_rest(covered);
    if (rill_covered_drains(covered)) rill_covered_limit(flow);
    rill_covered_transfer(flow, constants, &report);
    return report;
}
