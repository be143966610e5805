/* EXTENDED PIPES of the paper, through flooded passages along x and y.
 *
 * Based on: Dagenais et al. 2018 section 3.3 (Fig. 3, right). A run of full columns along an axis, with a column that
 * is not full beyond each end, is one pipe between those two. Its faces lie in series and carry one flux q, so that the
 * pressures between them drop out:
 *
 *     q = (sum of base / gain + sum of head) / (sum of 1 / w),     u = base + gain head,   w = gain reach of each face:
 *
 * the start flux is the mean of the fluxes that were there, weighted by inertance (the paper's zero throws momentum
 * away and makes ripples), the length is n dx + (dx/2) (D/H_in + D/H_out) by the inertance of the faces (passages.h;
 * the literal l = dx is sqrt(n + 1) too fast), viscosity and loss are those of flooded faces. A run is under pressure
 * while the level beyond one of its ends at least reaches the lintel there; a run that is not drains like any other
 * liquid. A run goes on from sheet to sheet over sparse pipes where there is no open face. A passage that bends ends at
 * its bend, and nothing flows: that is the reason for `passages = any`. */
#include <math.h>

#include "passages/passages_internal.h"

/* A face or a sparse pipe; edge 0: none. */
typedef struct link {
    const rill_passage_edges *edges;
    int32_t edge;
} link;

/* Says whether a node belongs to a run. */
typedef bool belongs_to(const rill_passage_solver *passages, int32_t node);

static bool is_full(const rill_passage_solver *passages, int32_t node) {
    return rill_passages_roofed(passages, node) && passages->nodes.fill[node] >= RILL_FULL_HIGH - RILL_FULL_LOW;
}
static bool is_active(const rill_passage_solver *passages, int32_t node) {
    return passages->nodes.active[node];
}

/* Returns the link that leads on from a node along an axis, ahead or back: the face if it is open, else a sparse pipe
 * that is. */
static link link_of(const rill_passage_solver *passages, int32_t node, int32_t axis, bool ahead) {
    const rill_passage_nodes *nodes = &passages->nodes;
    RILL_ASSERT(node > 0 && node < passages->node_count && axis == (axis & 1));
    const int32_t *const faces[2][2] = { { nodes->west, nodes->east }, { nodes->south, nodes->north } };
    const int32_t face = faces[axis][ahead][node];
    if (face > 0 && passages->faces.reach[face] > 0.0f) return (link){ &passages->faces, face };
    link found = { &passages->pipes, 0 };
    /* The last in this order is the pipe that was added first. */
    EACH_PIPE(passages, node, edge) {
        const rill_passage_edges *pipes = &passages->pipes;
        if (pipes->axis[edge] != axis || !(pipes->reach[edge] > 0.0f)) continue;
        if ((ahead ? pipes->l[edge] : pipes->r[edge]) == node) found.edge = edge;
    }
    return found;
}

static int32_t beyond(link at, int32_t node) {
    return at.edge > 0 ? rill_edge_other(at.edges, at.edge, node) : 0;
}

/* Returns the next column of a run; 0 at its end. A pipe leads on only if it leads back, too. */
static int32_t next_of(const rill_passage_solver *passages, belongs_to *belongs, int32_t node, int32_t axis,
                       bool ahead) {
    const link on = link_of(passages, node, axis, ahead);
    const int32_t next = beyond(on, node);
    if (next == 0 || !belongs(passages, next)) return 0;
    const link back = link_of(passages, next, axis, !ahead);
    return back.edges == on.edges && back.edge == on.edge ? next : 0;
}

/* Edges of a run in series. */
typedef struct series {
    double flux, resistance; /* sums of base / gain + head, and of 1 / w */
    bool open;
} series;

static void add_link(series *sum, link at) {
    const rill_passage_edges *edges = at.edges;
    if (at.edge == 0 || !(edges->gain[at.edge] > 0.0f && edges->reach[at.edge] > 0.0f)) {
        sum->open = false;
        return;
    }
    RILL_ASSERT(at.edge < edges->count);
    sum->flux += (double)edges->base[at.edge] / (double)edges->gain[at.edge] + (double)edges->head[at.edge];
    sum->resistance += 1.0 / ((double)edges->gain[at.edge] * (double)edges->reach[at.edge]);
}

/* Makes the velocity that carries a flux over an edge its base, whatever the pressures. */
static void set_link(link at, double flux) {
    const rill_passage_edges *edges = at.edges;
    RILL_ASSERT(isfinite(flux) && at.edge >= 0 && at.edge < at.edges->count);
    if (at.edge == 0) return;
    edges->base[at.edge] = edges->reach[at.edge] > 0.0f ? (float)(flux / (double)edges->reach[at.edge]) : 0.0f;
    edges->head[at.edge] = 0;
    edges->q[at.edge] = flux;
}

/* Says whether the liquid beyond an end reaches the lintel there. */
static bool presses(const rill_passage_solver *passages, link at, int32_t node) {
    const rill_passage_nodes *nodes = &passages->nodes;
    const int32_t other = beyond(at, node);
    return other > 0 &&
           nodes->b[other] + nodes->H[other] >= rill_min_i(nodes->c[node], nodes->c[other]) - RILL_SUBMERGED;
}

/* Activates the columns of a run that is under pressure. */
static void join_run(rill_passage_solver *passages, belongs_to *belongs, int32_t first, int32_t axis) {
    int32_t last = first;
    for (int32_t n = first; n > 0; n = next_of(passages, belongs, n, axis, true)) last = n;
    if (!presses(passages, link_of(passages, first, axis, false), first) &&
        !presses(passages, link_of(passages, last, axis, true), last))
        return;
    for (int32_t n = first; n > 0; n = next_of(passages, belongs, n, axis, true))
        passages->nodes.active[n] = passages->nodes.ever_active[n] = 1;
    RILL_ASSERT(rill_passages_roofed(passages, first) && rill_passages_roofed(passages, last));
}

/* Says whether a column is full, whether or not it may be active. */
static bool full_node(const rill_passage_solver *passages, int32_t node) {
    const rill_passage_nodes *nodes = &passages->nodes;
    return node > 0 && nodes->c[node] < RILL_TOP && nodes->H[node] >= nodes->c[node] - nodes->b[node] - RILL_FULL_LOW;
}

/* Finds the flux of a run. A column beyond an end that is full too is no part of it, and its pressure is unknown: then
 * nothing flows. */
static void drive_run(rill_passage_solver *passages, belongs_to *belongs, int32_t first, int32_t axis) {
    const link entry = link_of(passages, first, axis, false);
    series sum = { .open = true };
    int32_t last = first;
    add_link(&sum, entry);
    for (int32_t n = first; n > 0; n = next_of(passages, belongs, n, axis, true)) {
        add_link(&sum, link_of(passages, n, axis, true));
        last = n;
    }
    const int32_t behind = beyond(entry, first), ahead = beyond(link_of(passages, last, axis, true), last);
    const bool blind = full_node(passages, behind) || full_node(passages, ahead);
    RILL_ASSERT(!sum.open || sum.resistance > 0.0);
    double flux = sum.open && !blind ? sum.flux / sum.resistance : 0.0;
    const double most = 0.5 * (double)passages->nodes.H[flux > 0.0 ? behind : ahead]; /* it may feed another run, too */
    RILL_ASSERT(most >= 0.0);
    flux = flux > most ? most : flux < -most ? -most : flux;
    set_link(entry, flux);
    for (int32_t n = first, next; n > 0; n = next) { /* links are found by their openings, which stay */
        next = next_of(passages, belongs, n, axis, true);
        set_link(link_of(passages, n, axis, true), flux);
    }
}

/* Calls `work` for all runs along an axis of columns that `belongs` accepts, with the first column of each. */
typedef void run_work(rill_passage_solver *passages, belongs_to *belongs, int32_t first, int32_t axis);
static void each_run(rill_passage_solver *passages, int32_t axis, belongs_to *belongs, run_work *work) {
    for (int32_t n = 1; n < passages->node_count; ++n)
        if (belongs(passages, n) && next_of(passages, belongs, n, axis, false) == 0) work(passages, belongs, n, axis);
}

/* Closes the faces of columns that were in a run and are no more, into those that are full. */
static void close_faces(const rill_passage_solver *passages) {
    const rill_passage_edges *faces = &passages->faces;
    for (int32_t i = 1; i < faces->count; ++i) {
        const int32_t l = faces->l[i], r = faces->r[i];
        if (!rill_edge_flooded(passages, faces, i) || is_active(passages, l) || is_active(passages, r)) continue;
        if (full_node(passages, faces->q[i] > 0.0 ? r : l)) set_link((link){ faces, i }, 0.0);
    }
}

/* Says whether a run leads over a pipe from one of its ends. */
static bool in_run(const rill_passage_solver *passages, int32_t pipe, bool ahead) {
    const rill_passage_edges *pipes = &passages->pipes;
    const int32_t node = ahead ? pipes->l[pipe] : pipes->r[pipe];
    const link on = link_of(passages, node, pipes->axis[pipe], ahead);
    return is_active(passages, node) && on.edges == pipes && on.edge == pipe;
}

/* Closes flooded pipes that no run leads over. */
static void close_pipes(const rill_passage_solver *passages) {
    const rill_passage_edges *pipes = &passages->pipes;
    for (int32_t i = 1; i < pipes->count; ++i)
        if (rill_edge_flooded(passages, pipes, i) && !in_run(passages, i, true) && !in_run(passages, i, false))
            set_link((link){ pipes, i }, 0.0);
}

rill_passage_report rill_passages_move_extended(rill_flow *flow, const rill_flow_settings *settings,
                                                const rill_kernel_constants *constants) {
    rill_passage_report report = { 0 };
    rill_passage_solver *passages = flow->passages;
    if (!passages) return report;
    const rill_passage_stage stage = { flow, settings, constants };
    if (!rill_passages_find_nodes(&stage)) {
        if (passages->out_of_memory) rill_passages_repair_unsolved(flow, &report.refused);
        return report;
    }
    for (int32_t n = 1; n < passages->node_count; ++n) passages->nodes.active[n] = 0, passages->nodes.pi[n] = 0.0;
    rill_passages_open(&stage, 1, 1);
    for (int32_t axis = 0; axis < 2; ++axis) each_run(passages, axis, is_full, join_run);
    for (int32_t axis = 0; axis < 2; ++axis) each_run(passages, axis, is_active, drive_run);
    close_faces(passages);
    close_pipes(passages);
    if (rill_passages_find_change(passages) & RILL_VERDICT_SHORT) rill_passages_limit(passages);
    rill_passages_transfer(&stage, &report);
    return report;
}
