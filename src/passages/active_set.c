/* The active set: which columns are under pressure, and under which. See passages.h.
 *
 * The set starts as the flooded columns and those that would overfill without pressure. Then, in passes: solve for the
 * pressures that make every active column end full, drop columns whose pressure would be negative, add columns that
 * would overfill. With the openings frozen the matrix is an M-matrix, so that this converges from any start: one pass
 * in flow, a few dozen where a passage slams full. The pressure of a sealed island is only known up to a constant,
 * which is chosen so that the least is zero, and its columns are never dropped.
 *
 * Pressures are at most those of the solution, whichever columns are active: one that is positive will stay, but
 * negative ones may only be drawn down by others. Columns that were dropped too early would come back a ring each pass:
 * in the first passes, from time to time after them, and from the start where columns are new, the set is therefore
 * predicted before it is solved for (prediction.c). */
#include <math.h>

#include "passages/passages_internal.h"

enum {
    PASSES = 64,
    LATE_PASSES = 24,   /* after these it does not matter any more whether columns are a hair off */
    FARTHEST = 64,      /* columns that the set grows by in a pass */
    PREDICT_EVERY = 4,  /* passes: in the first ones if columns were dropped, then once in so many */
    FEW = 8,            /* columns dropped, for which predicting does not pay */
    OPENING_PASSES = 3, /* in the first passes openings follow the donors that the pressures make */
    ITERATIONS = 200    /* of all passes */
};

/* Quanta that active columns may end off full: within the band that counts as full, and a small share of what moves. */
static const double TOLERANCE_LEAST = 0.25, TOLERANCE_MOST = 4.0, TOLERANCE_SHARE = 0x1p-20;

typedef struct pressure_solve {
    rill_passage_stage stage;
    rill_passage_solver *passages;
    double tolerance;      /* quanta */
    bool changed;          /* the set or openings have changed since islands were last found */
    bool sealed;           /* some island is */
    bool careful;          /* openings may seal an island: find islands each time they change */
    bool provisional;      /* the set is judged once more before it matters whether it is sealed */
    int32_t reach;         /* columns from new ones, as far as what these would fill is added, too; 0: not */
    int32_t largest_reach; /* the largest reach from now on */
} pressure_solve;

/* ---------------------------------------------------------------------------------------------------------- growing */

/* Activates a node, and appends it to the queue. */
static void activate_node(rill_passage_solver *passages, int32_t node, int32_t *count) {
    RILL_ASSERT(node > 0 && node < passages->node_count && passages->nodes.inner[node]);
    RILL_ASSERT(!passages->nodes.active[node]);
    RILL_ASSERT(*count >= 0 && *count < passages->node_count); /* the queue takes each node once */
    passages->nodes.active[node] = passages->nodes.ever_active[node] = 1;
    passages->marks[node] |= RILL_NODE_SWITCHED;
    passages->queue[(*count)++] = node;
}

/* Activates columns that the `count` new ones in the queue would overfill, because they push on what they cannot take,
 * and columns that these would overfill, up to `reach` columns away. Otherwise the set would grow by one column each
 * pass. */
static void activate_beyond(pressure_solve *solve, int32_t *count) {
    rill_passage_solver *passages = solve->passages;
    const rill_passage_nodes *nodes = &passages->nodes;
    for (int32_t i = 0; i < *count; ++i)
        nodes->x[passages->queue[i]] = nodes->f[passages->queue[i]]; /* what they push on */
    for (int32_t first = 0, end = *count, depth = 0; depth < solve->reach && first < end;
         ++depth, first = end, end = *count) {
        if (!rill_passages_extend_nodes(&solve->stage, *count)) break;
        nodes = &passages->nodes;
        for (int32_t i = first; i < end; ++i) {
            const int32_t node = passages->queue[i];
            const int32_t faces[4] = { nodes->west[node], nodes->east[node], nodes->south[node], nodes->north[node] };
            for (int32_t k = 0; k < 4; ++k) {
                const int32_t n = rill_edge_other(&passages->faces, faces[k], node);
                const double rest = nodes->x[node] + (double)nodes->fill[n];
                if (n == 0 || nodes->active[n] || !rill_passages_roofed(passages, n) || !(rest > solve->tolerance))
                    continue;
                RILL_ASSERT(depth < FARTHEST);
                activate_node(passages, n, count);
                nodes->x[n] = rest;
            }
        }
    }
    for (int32_t i = 0; i < *count; ++i) passages->nodes.x[passages->queue[i]] = 0.0;
}

static int32_t judge_part(const rill_passage_work *work, int32_t from, int32_t to) {
    return work->passages->kernels->judge(from, to, &work->passages->nodes, work->bound);
}

/* Activates columns that would overfill: `*added` counts them, in the queue. Returns whether there are any, or an
 * active one would not end full. */
static bool judge_excess(pressure_solve *solve, int32_t *added) {
    rill_passage_solver *passages = solve->passages;
    const rill_passage_nodes *nodes = &passages->nodes;
    const rill_passage_work work = { .passages = passages, .bound = solve->tolerance };
    const int32_t verdict = rill_passages_run_loop(passages, 1, passages->node_count, judge_part, &work);
    for (int32_t n = 1; verdict & RILL_VERDICT_OVER && n < passages->node_count; ++n)
        if (!nodes->active[n] && nodes->f[n] > solve->tolerance)
            activate_node(passages, n, added), solve->changed = true;
    return verdict != 0;
}

/* -------------------------------------------------------------------------------------------------- start pressures */

/* Returns the pressure with which a new node would be at rest with its neighbour over an edge, if the neighbour's head
 * is known and higher than the best so far. */
static double rest_over(const rill_passage_solver *passages, const rill_passage_edges *edges, int32_t edge,
                        int32_t node, double best) {
    const rill_passage_nodes *nodes = &passages->nodes;
    const int32_t other = rill_edge_other(edges, edge, node), h = nodes->b[other] + nodes->H[other];
    if (edge == 0 || nodes->pi[other] < 0.0 || h <= rill_max_i(nodes->b[node], nodes->b[other])) return best;
    RILL_ASSERT(other > 0 && other < passages->node_count && other != node);
    const double pi = (double)(h - (nodes->b[node] + nodes->H[node])) + nodes->pi[other];
    return pi > best ? pi : best;
}

/* Returns the pressure with which a new node would be at rest with the highest of its neighbours; less than 0 if no
 * head is known. */
static double rest_pressure(const rill_passage_solver *passages, int32_t node) {
    const rill_passage_nodes *nodes = &passages->nodes;
    const int32_t faces[4] = { nodes->west[node], nodes->east[node], nodes->south[node], nodes->north[node] };
    double best = -1.0;
    for (int32_t i = 0; i < 4; ++i) best = rest_over(passages, &passages->faces, faces[i], node, best);
    EACH_PIPE(passages, node, edge) best = rest_over(passages, &passages->pipes, edge, node, best);
    return best;
}

/* Gives the `count` new nodes in the queue the pressure at which they would be at rest, from their neighbours on: a
 * lake that reaches into a passage is then exact from the first sub-step on. */
static void start_pressures(const pressure_solve *solve, int32_t count) {
    rill_passage_solver *passages = solve->passages;
    double *pi = passages->nodes.pi;
    for (int32_t i = 0; i < count; ++i) pi[passages->queue[i]] = -1.0; /* not known yet */
    for (int32_t known = count; known > 0;) {
        known = 0;
        for (int32_t i = 0; i < count; ++i) {
            const int32_t node = passages->queue[i];
            RILL_ASSERT(passages->nodes.active[node]);
            if (pi[node] >= 0.0) continue;
            pi[node] = rest_pressure(passages, node);
            RILL_ASSERT(isfinite(pi[node]));
            known += pi[node] >= 0.0;
        }
    }
    for (int32_t i = 0; i < count; ++i)
        if (pi[passages->queue[i]] < 0.0) pi[passages->queue[i]] = 0.0;
}

/* ------------------------------------------------------------------------------------------------------------ solve */

/* Drops nodes whose pressure has become negative, but for those of sealed islands. Returns how many. */
static int32_t drop_negative(pressure_solve *solve) {
    rill_passage_solver *passages = solve->passages;
    const rill_passage_nodes *nodes = &passages->nodes;
    int32_t dropped = 0;
    for (int32_t n = 1; n < passages->node_count; ++n) {
        if (!(nodes->pi[n] < 0.0) || nodes->sealed[n]) continue;
        RILL_ASSERT(nodes->active[n]); /* others have no pressure */
        nodes->pi[n] = 0.0;
        nodes->active[n] = 0;
        passages->marks[n] |= RILL_NODE_SWITCHED;
        dropped += 1;
    }
    solve->changed |= dropped > 0;
    return dropped;
}

static int32_t correct_part(const rill_passage_work *work, int32_t from, int32_t to) {
    return work->passages->kernels->correct(from, to, &work->passages->nodes);
}

/* Adds the solved corrections, and drops nodes whose pressure has become negative. Returns how many. */
static int32_t correct(pressure_solve *solve) {
    rill_passage_solver *passages = solve->passages;
    const rill_passage_work work = { .passages = passages };
    const int32_t negative = rill_passages_run_loop(passages, 1, passages->node_count, correct_part, &work);
    if (solve->sealed) rill_passages_normalise_sealed(passages);
    return negative ? drop_negative(solve) : 0;
}

static void find_sealed(pressure_solve *solve) {
    if (solve->changed) solve->sealed = rill_passages_find_islands(solve->passages);
    solve->changed = false;
}

/* Judges what crosses now. Returns whether active nodes do not end full yet. New ones are appended to the `*added` in
 * the queue. */
static bool judge_active(pressure_solve *solve, int32_t *added) {
    if (!solve->provisional || solve->passages->some_sealed)
        find_sealed(solve); /* else below, if the set stays as it is */
    if (solve->sealed) solve->changed |= rill_passages_vent_sealed(solve->passages);
    rill_passages_find_excess(solve->passages);
    bool off = judge_excess(solve, added);
    if (*added > 0 && solve->reach > 0) {
        activate_beyond(solve, added);
        rill_passages_find_excess(solve->passages);
        judge_excess(solve, added);
    }
    if (solve->provisional && *added > 0) return off;
    find_sealed(solve);
    if (!solve->sealed) return off;
    rill_passages_balance_sealed(solve->passages);
    return judge_excess(solve, added);
}

/* Judges what crosses now, and has columns beside new active nodes be nodes from now on. */
static bool measure_excess(pressure_solve *solve, int32_t *added) {
    const bool off = judge_active(solve, added);
    if (*added > 0) rill_passages_extend_nodes(&solve->stage, *added);
    return off;
}

/* Predicts the set, unless islands are sealed. */
static void predict(pressure_solve *solve) {
    int32_t added = 0;
    if (solve->sealed || !rill_passages_predict(&solve->stage, 0.5 * solve->tolerance, &added)) return;
    solve->changed = true;
    if (added > 0) rill_passages_extend_nodes(&solve->stage, added);
}

/* Opens all edges by the donors that the pressures make now. */
static void open_anew(pressure_solve *solve) {
    rill_passages_open(&solve->stage, 1, 1);
    solve->changed |= solve->careful;
}

/* Doubles the reach of a set that has grown for a while, until too many have been added: then goes on more
 * carefully. */
static void choose_reach(pressure_solve *solve, int32_t passes, bool too_many) {
    if (too_many && solve->reach > 0) solve->largest_reach = solve->reach / 4;
    RILL_ASSERT(solve->reach >= 0 && solve->reach <= FARTHEST && solve->largest_reach <= FARTHEST);
    solve->reach =
        too_many || passes < 3 ? 0 : rill_min_i(solve->reach > 0 ? 2 * solve->reach : 1, solve->largest_reach);
}

/* Solves once for the set there is, and drops nodes whose pressure is negative. Returns how many. */
static int32_t solve_once(pressure_solve *solve, rill_passage_report *report) {
    rill_passage_solver *passages = solve->passages;
    if (solve->changed || !passages->islands_valid) solve->sealed = rill_passages_find_islands(passages);
    solve->changed = false;
    const int32_t iterations = rill_passages_solve_islands(passages, solve->stage.settings->scalar,
                                                           0.5 * solve->tolerance, ITERATIONS - report->iterations);
    RILL_ASSERT(iterations >= -1);
    passages->out_of_memory |= iterations < 0;
    report->iterations += rill_max_i(iterations, 0);
    return correct(solve);
}

/* Runs passes until all active nodes end full. False if it takes too many. */
static bool run_passes(pressure_solve *solve, bool off, rill_passage_report *report) {
    for (int32_t fewest = INT32_MAX; off && !solve->passages->out_of_memory;) {
        if (report->passes == PASSES || report->iterations >= ITERATIONS) {
            drop_negative(solve);
            rill_passages_flow(solve->passages);
            return false;
        }
        RILL_ASSERT(report->passes >= 0 && report->passes < PASSES && solve->tolerance > 0.0);
        report->passes += 1;
        if (report->passes > LATE_PASSES) solve->tolerance = (double)RILL_FULL_LOW;
        solve->careful |= report->passes > 2; /* it should have been enough: perhaps something is sealed */
        const int32_t dropped = solve_once(solve, report);
        if (rill_passages_flow(solve->passages) && report->passes <= OPENING_PASSES) open_anew(solve);
        /* Unless fewer are dropped, a prediction might bring them back for ever. */
        const bool fewer = dropped > FEW && dropped < fewest;
        fewest = rill_min_i(fewest, dropped);
        if ((fewer && report->passes < PREDICT_EVERY) || report->passes % PREDICT_EVERY == 0) predict(solve);
        choose_reach(solve, report->passes, dropped > 0);
        int32_t added = 0; /* nodes that start without pressure */
        off = measure_excess(solve, &added);
    }
    return true;
}

/* Lists columns that were filled by hand in the queue; returns how many there are. */
static int32_t list_filled(rill_passage_solver *passages) {
    int32_t count = 0;
    for (int32_t n = 1; n < passages->node_count; ++n)
        if (passages->nodes.pi[n] < 0.0) passages->queue[count++] = n;
    RILL_ASSERT(count < passages->node_count);
    return count;
}

/* Leaves the pressures in pi and what crosses each edge in q. Returns the bits of rill_passages_find_change, or -1 if
 * they are unknown. */
static int32_t find_pressures(pressure_solve *solve, rill_passage_report *report) {
    int32_t added = list_filled(solve->passages);
    solve->changed = added > 0;
    start_pressures(solve, added);
    added = 0;
    solve->provisional = true;
    open_anew(solve);
    bool off = measure_excess(solve, &added);
    solve->provisional = false;
    if (added > 0) {
        start_pressures(solve, added);
        open_anew(solve);
        predict(solve);
        added = 0;
        off = measure_excess(solve, &added);
    }
    report->capped = !run_passes(solve, off, report);
    if (report->capped) return -1;
    const int32_t change = rill_passages_find_change(solve->passages);
    if (!(change & RILL_VERDICT_SHORT)) return change;
    rill_passages_limit(solve->passages); /* slows what the pressures drive: active nodes must do with less */
    added = 0;
    off = measure_excess(solve, &added);
    report->capped = !run_passes(solve, off, report);
    return -1;
}

static double tolerance_for(const rill_flow *flow, const rill_kernel_constants *constants) {
    double moves = (double)flow->extent.speed * (double)constants->lambda * (double)flow->extent.depth;
    RILL_ASSERT(isfinite(moves) && moves >= 0.0);
    double share = moves * TOLERANCE_SHARE;
    return share < TOLERANCE_LEAST ? TOLERANCE_LEAST : share > TOLERANCE_MOST ? TOLERANCE_MOST : share;
}

/* ----------------------------------------------------------------------------------------------------------- fronts */

/* Says whether what flooded edges change, in f, would overfill a node whose faces are not all flooded. */
static bool overflows(const rill_passage_solver *passages, int32_t n) {
    const rill_passage_nodes *nodes = &passages->nodes;
    return !nodes->ever_active[n] && nodes->f[n] != 0.0 && (double)nodes->fill[n] + nodes->f[n] > 0.0 &&
           rill_passages_roofed(passages, n);
}

/* Floods all faces of a node that would overfill. */
static void flood_faces(rill_passage_solver *passages, int32_t n, int32_t *count) {
    if (!overflows(passages, n)) return;
    RILL_ASSERT(*count < passages->node_count);
    passages->nodes.ever_active[n] = 1;
    passages->queue[(*count)++] = n;
}

/* Adds to f what flooded pipes change at their ends. */
static void change_over_pipes(const rill_passage_solver *passages) {
    const rill_passage_edges *pipes = &passages->pipes;
    for (int32_t i = 1; i < pipes->count; ++i) {
        if (!rill_edge_flooded(passages, pipes, i)) continue;
        passages->nodes.f[pipes->l[i]] -= pipes->q[i];
        passages->nodes.f[pipes->r[i]] += pipes->q[i];
    }
}

/* Floods the faces of columns that are not active and yet move with those that are: one beside them may end below its
 * ceiling only because as much leaves on its other sides. All of its faces must move together then. This is repeated,
 * because its neighbours may be such columns then. */
static void flood_fronts(const rill_passage_stage *stage, int32_t change) {
    rill_passage_solver *passages = stage->flow->passages;
    const rill_passage_edges *pipes = &passages->pipes;
    for (bool again = true; again && !passages->out_of_memory;) {
        const int32_t verdict = change < 0 ? rill_passages_find_change(passages) : change;
        int32_t count = 0;
        change = -1;
        change_over_pipes(passages);
        for (int32_t n = 1; verdict & RILL_VERDICT_OVER && n < passages->node_count; ++n)
            flood_faces(passages, n, &count);
        for (int32_t i = 1; i < pipes->count; ++i) {
            flood_faces(passages, pipes->l[i], &count);
            flood_faces(passages, pipes->r[i], &count);
        }
        again = count > 0 && rill_passages_extend_nodes(stage, count);
    }
}

/* ------------------------------------------------------------------------------------------------------------- move */

rill_passage_report rill_passages_move(rill_flow *flow, const rill_flow_settings *settings,
                                       const rill_kernel_constants *constants) {
    rill_passage_report report = { 0 };
    rill_passage_solver *passages = flow->passages;
    if (!passages) return report;
    pressure_solve solve = { .stage = { flow, settings, constants }, .passages = passages, .largest_reach = FARTHEST };
    if (rill_passages_find_nodes(&solve.stage)) {
        solve.tolerance = tolerance_for(flow, constants);
        solve.careful = passages->some_sealed || flow->stale || flow->substep % 4 == 0;
        const int32_t change = find_pressures(&solve, &report);
        flood_fronts(&solve.stage, change);
    }
    if (passages->out_of_memory)
        rill_passages_repair_unsolved(flow, &report.refused);
    else if (passages->node_count > 1)
        rill_passages_transfer(&solve.stage, &report);
    return report;
}
