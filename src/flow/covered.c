/* The active set: which columns are under pressure, and under which. See covered.h.
 *
 * Members start as those of the last sub-step and the columns that would overfill without pressure. Then, in passes: solve
 * for the pressures that make every member end full, drop members whose pressure would be negative, add columns that would
 * overfill. With the openings frozen the matrix is an M-matrix, so that this converges from any start: one pass in flow, a
 * few dozen where a passage slams full. A component of members that has no open face to anything else is *sealed*: its
 * pressure is only known up to a constant, which is chosen so that the least is zero, and its members are never dropped. */
#include "flow/covered_parts.h"

#include <string.h>

enum {
    PASSES = 40,
    OPENING_PASSES = 3, /* in the first passes openings follow the donors that the pressures make */
    ITERATIONS = 200    /* of all passes of a sub-step */
};

/* How far from full members may end, quanta: within the band that counts as full, and a small share of what moves. */
static const double TOLERANCE_LEAST = 0.25, TOLERANCE_MOST = 4.0, TOLERANCE_SHARE = 0x1p-20;

typedef struct solve {
    rill_covered_stage stage;
    rill_covered *covered;
    double tolerance; /* quanta */
    bool changed;     /* members or openings are others than when components were last looked for */
    bool sealed;      /* some component is */
    bool draining;    /* some column would give more than it has */
    bool careful;     /* openings may seal a component: look each time they change */
} solve;

/* Pipes between nodes are links of the problem; a pipe that leaves the windows holds its node like an inactive one. */
static void link_pipes(rill_covered *covered) {
    rill_poisson *poisson = &covered->poisson;
    poisson->link_count = 0;
    rill_covered_forget_extras(covered);
    for (int32_t i = 0; i < covered->pipe_count; ++i) {
        const rill_covered_pipe *pipe = &covered->pipes[i];
        float w = pipe->face.gain * pipe->reach;
        if (pipe->node_l >= 0 && pipe->node_r >= 0)
            poisson->links[poisson->link_count++] = (rill_link){ pipe->node_l, pipe->node_r, w };
        else
            poisson->extra[pipe->node_l >= 0 ? pipe->node_l : pipe->node_r] += w;
    }
}

/* ------------------------------------------------------------------------------------------------------------- excess */

/* Columns of a window that would overfill become members, and are listed in the queue. */
static void add_members(solve *s, const rill_window *w, int32_t *added) {
    rill_covered *covered = s->covered;
    for (int32_t n = w->node; n < w->node + w->ny * w->stride; ++n) {
        if (covered->nodes.active[n] > 0.0f || !(covered->poisson.f[n] > s->tolerance)) continue;
        covered->nodes.active[n] = 1.0f;
        covered->nodes.ever[n] = 1;
        covered->queue[(*added)++] = n;
        s->changed = true;
    }
}

/* Whether a member would not end full, or columns had to be added: `*added` counts those. */
static bool judge_excess(solve *s, int32_t *added) {
    rill_covered *covered = s->covered;
    int32_t verdict = 0;
    for (int32_t i = 0; i < covered->window_count; ++i) {
        const rill_window *w = &covered->windows[i];
        rill_covered_run run = rill_covered_run_of(covered, w);
        int32_t here = covered->kernels->judge(run.n, &run.nodes, s->tolerance, covered->poisson.f + w->node);
        if (here & RILL_COVERED_OVER) add_members(s, w, added);
        verdict |= here;
    }
    return verdict != 0;
}

/* ---------------------------------------------------------------------------------------------------- start pressures */

/* The pressure with which a new member would be at rest with a neighbour whose head is known; less than 0 if there is none. */
static double rest_pressure(const solve *s, const rill_window *w, int32_t node) {
    const rill_covered *covered = s->covered;
    const rill_bed *bed = s->stage.flow->bed;
    const int32_t *b = rill_flow_bases(s->stage.flow);
    int32_t place = rill_covered_place(w, node), level = b[place] + s->stage.flow->H[place];
    rill_covered_neighbours near = rill_covered_near(bed, w, node);
    double best = -1.0;
    for (int32_t i = 0; i < near.count; ++i) {
        if (covered->nodes.pi[near.node[i]] < 0.0) continue;
        int32_t other = rill_covered_place(w, near.node[i]), h = b[other] + s->stage.flow->H[other];
        if (h <= rill_max_i(b[place], b[other])) continue;
        double pi = (double)(h - level) + covered->nodes.pi[near.node[i]];
        if (pi > best) best = pi;
    }
    return best;
}

/* The same over a sparse pipe, whose other end may lie outside of the windows. */
static void rest_over_pipe(const rill_covered *covered, const rill_covered_pipe *pipe, bool l_is_new) {
    int32_t node = l_is_new ? pipe->node_l : pipe->node_r, other = l_is_new ? pipe->node_r : pipe->node_l;
    const rill_covered_ends *e = &pipe->ends;
    int32_t level = l_is_new ? e->bl + e->Hl : e->br + e->Hr, h = l_is_new ? e->br + e->Hr : e->bl + e->Hl;
    if (node < 0 || covered->nodes.pi[node] >= 0.0 || rill_covered_pressure(covered, other) < 0.0) return;
    if (h <= rill_max_i(e->bl, e->br) || rill_min_i(e->cl, e->cr) - rill_max_i(e->bl, e->br) <= 1) return;
    covered->nodes.pi[node] = (double)(h - level) + rill_covered_pressure(covered, other);
    if (covered->nodes.pi[node] < 0.0) covered->nodes.pi[node] = 0.0;
}

/* Gives the `count` new members in the queue the pressure at which they would be at rest, from their neighbours on: a lake
 * that reaches into a passage is then exact from the first sub-step on. */
static void start_pressures(const solve *s, int32_t count) {
    rill_covered *covered = s->covered;
    for (int32_t i = 0; i < count; ++i) covered->nodes.pi[covered->queue[i]] = -1.0; /* not known yet */
    for (int32_t left = count, before = left + 1; left > 0 && left < before;) {
        before = left;
        left = 0;
        for (int32_t i = 0; i < before; ++i) {
            int32_t node = covered->queue[i];
            if (covered->nodes.pi[node] < 0.0)
                covered->nodes.pi[node] = rest_pressure(s, rill_covered_window(covered, node), node);
            if (covered->nodes.pi[node] < 0.0) covered->queue[left++] = node;
        }
        for (int32_t i = 0; i < covered->pipe_count; ++i) {
            rest_over_pipe(covered, &covered->pipes[i], true);
            rest_over_pipe(covered, &covered->pipes[i], false);
        }
        if (left == before) break;
    }
    for (int32_t i = 0; i < count; ++i) {
        int32_t node = covered->queue[i];
        if (covered->nodes.pi[node] < 0.0) covered->nodes.pi[node] = 0.0;
    }
}

/* --------------------------------------------------------------------------------------------------- sealed components */

enum { CLOSED = -1, OPEN = -2 };

static int32_t component_root(const int32_t *components, int32_t i) {
    while (components[i] >= 0) i = components[i];
    return i;
}

static void join_components(int32_t *components, int32_t a, int32_t b) {
    a = component_root(components, a);
    b = component_root(components, b);
    if (a == b) return;
    int32_t low = rill_min_i(a, b), high = rill_max_i(a, b);
    if (components[high] == OPEN) components[low] = OPEN;
    components[high] = low;
}

enum { BLOCK = 16 }; /* nodes that are passed over at once if none of them is a member; rows are padded to as many */

static bool none_active(const float *active) {
    uint32_t bits[BLOCK], any = 0;
    memcpy(bits, active, sizeof bits);
    for (int32_t i = 0; i < BLOCK; ++i) any |= bits[i];
    return any == 0;
}

/* Numbers the members of a row, 1 + component into `sealed`: one for each run of them, joined with those south of it. */
static void label_row(rill_covered *covered, const rill_window *w, int32_t node, int32_t *count) {
    const float *active = covered->nodes.active, *wx = covered->poisson.wx, *wy = covered->poisson.wy;
    const float *below = active - w->stride, *above = active + w->stride;
    int32_t *label = covered->nodes.sealed, *components = covered->components;
    int32_t run = -1, joined = 0; /* the run's number, and the label south of it that it was joined with last */
    bool leads_out = false;
    for (int32_t n = node; n <= node + w->nx; ++n) { /* one more: padding, which ends the last run */
        if (run < 0 && (n - node) % BLOCK == 0 && none_active(active + n)) {
            memset(label + n, 0, BLOCK * sizeof *label);
            n += BLOCK - 1;
            continue;
        }
        bool member = active[n] > 0.0f, goes_on = member && run >= 0 && wx[n] > 0.0f;
        if (run >= 0 && !goes_on) {
            leads_out |= !member && wx[n] > 0.0f;
            if (leads_out) components[component_root(components, run)] = OPEN;
            run = -1;
        }
        label[n] = 0;
        if (!member) continue;
        if (run < 0) {
            run = (*count)++;
            components[run] = CLOSED;
            joined = 0;
            leads_out = active[n - 1] == 0.0f && wx[n] > 0.0f;
        }
        label[n] = run + 1;
        leads_out |= (below[n] == 0.0f && wy[n] > 0.0f) || (above[n] == 0.0f && wy[n + w->stride] > 0.0f);
        int32_t south = label[n - w->stride];
        if (south == 0 || south == joined || !(wy[n] > 0.0f)) continue;
        join_components(components, run, south - 1);
        joined = south;
    }
}

static void join_over_pipes(rill_covered *covered) {
    for (int32_t i = 0; i < covered->pipe_count; ++i) {
        const rill_covered_pipe *pipe = &covered->pipes[i];
        bool l = rill_covered_member(covered, pipe->node_l), r = rill_covered_member(covered, pipe->node_r);
        if (!(pipe->reach > 0.0f) || (!l && !r)) continue;
        int32_t label = covered->nodes.sealed[l ? pipe->node_l : pipe->node_r] - 1;
        if (l && r)
            join_components(covered->components, label, covered->nodes.sealed[pipe->node_r] - 1);
        else
            covered->components[component_root(covered->components, label)] = OPEN;
    }
}

/* Finds the components of members from which no open face leads out: the problem is singular there. Returns whether there
 * are any. */
static bool find_sealed(rill_covered *covered) {
    int32_t count = 0;
    for (int32_t i = 0; i < covered->window_count; ++i) {
        const rill_window *w = &covered->windows[i];
        for (int32_t y = 0; y < w->ny; ++y) label_row(covered, w, w->node + y * w->stride, &count);
    }
    join_over_pipes(covered);
    bool any = false;
    for (int32_t i = 0; i < count; ++i) any |= covered->components[i] == CLOSED;
    for (int32_t i = 0; !any && i < covered->window_count; ++i) {
        const rill_window *w = &covered->windows[i];
        memset(covered->nodes.sealed + w->node, 0, (size_t)(w->ny * w->stride) * sizeof *covered->nodes.sealed);
    }
    if (any) EACH_NODE(covered, n) {
            if (covered->nodes.sealed[n] == 0) continue;
            int32_t root = component_root(covered->components, covered->nodes.sealed[n] - 1);
            covered->nodes.sealed[n] = covered->components[root] == OPEN ? 0 : root + 1;
        }
    return any;
}

/* Nothing can leave a sealed component: what is too much in all of it together has no solution and is left out. */
static void balance_sealed(rill_covered *covered) {
    rill_poisson *poisson = &covered->poisson;
    const int32_t *sealed = covered->nodes.sealed;
    int32_t *members = covered->components; /* done with the labels */
    EACH_NODE(covered, n) {
        if (sealed[n]) covered->tally[sealed[n] - 1] = 0.0, members[sealed[n] - 1] = 0;
    }
    EACH_NODE(covered, n) {
        if (!sealed[n]) continue;
        covered->tally[sealed[n] - 1] += poisson->f[n];
        members[sealed[n] - 1] += 1;
    }
    EACH_NODE(covered, n) {
        if (sealed[n]) poisson->f[n] -= covered->tally[sealed[n] - 1] / (double)members[sealed[n] - 1];
    }
}

/* The least pressure of a sealed component is zero. */
static void lower_sealed(rill_covered *covered) {
    EACH_NODE(covered, n) {
        if (covered->nodes.sealed[n]) covered->tally[covered->nodes.sealed[n] - 1] = 1e300;
    }
    EACH_NODE(covered, n) {
        double *least = &covered->tally[covered->nodes.sealed[n] - 1];
        if (covered->nodes.sealed[n] && covered->nodes.pi[n] < *least) *least = covered->nodes.pi[n];
    }
    EACH_NODE(covered, n) {
        if (covered->nodes.sealed[n]) covered->nodes.pi[n] -= covered->tally[covered->nodes.sealed[n] - 1];
    }
}

/* A sealed component that holds less than it takes to be full (a sink is in it) gets a free surface, where its pressure is
 * least. */
static void vent_sealed(solve *s) {
    rill_covered *covered = s->covered;
    const double band = (double)(RILL_FULL_LOW - RILL_FULL_HIGH);
    lower_sealed(covered);
    EACH_NODE(covered, n) {
        if (covered->nodes.sealed[n]) covered->tally[covered->nodes.sealed[n] - 1] = 0.0;
    }
    EACH_NODE(covered, n) {
        if (covered->nodes.sealed[n])
            covered->tally[covered->nodes.sealed[n] - 1] += (double)covered->nodes.fill[n] + band;
    }
    EACH_NODE(covered, n) {
        if (!covered->nodes.sealed[n] || covered->nodes.pi[n] > 0.0) continue;
        if (!(covered->tally[covered->nodes.sealed[n] - 1] < 0.0)) continue;
        covered->nodes.active[n] = 0.0f;
        s->changed = true;
    }
}

/* -------------------------------------------------------------------------------------------------------------- solve */

/* Adds the solved corrections; drops members whose pressure has become negative. Returns how many. */
static int32_t correct(solve *s) {
    rill_covered *covered = s->covered;
    int32_t dropped = 0, negative = 0;
    for (int32_t i = 0; i < covered->window_count; ++i) {
        rill_covered_run run = rill_covered_run_of(covered, &covered->windows[i]);
        negative |= covered->kernels->correct(run.n, &run.nodes, covered->poisson.x + covered->windows[i].node);
    }
    if (s->sealed) lower_sealed(covered);
    if (!negative) return 0;
    EACH_NODE(covered, n) {
        if (!(covered->nodes.pi[n] < 0.0) || covered->nodes.sealed[n]) continue;
        covered->nodes.pi[n] = 0.0;
        covered->nodes.active[n] = 0.0f;
        dropped += 1;
    }
    s->changed |= dropped > 0;
    return dropped;
}

static void look_for_sealed(solve *s) {
    if (s->changed) s->sealed = find_sealed(s->covered);
    s->changed = false;
}

/* Whether the members do not end full yet with what crosses now. New ones are added to the `*added` in the queue. */
static bool measure(solve *s, int32_t *added) {
    look_for_sealed(s);
    if (s->sealed) vent_sealed(s);
    s->draining = rill_covered_find_excess(s->covered);
    bool off = judge_excess(s, added);
    look_for_sealed(s);
    if (!s->sealed) return off;
    balance_sealed(s->covered);
    return judge_excess(s, added);
}

/* The same with openings by the donors that the pressures make now, and with no column giving more than it has. */
static bool measure_anew(solve *s, int32_t *added) {
    rill_covered_open_faces(&s->stage);
    s->changed |= s->careful;
    bool off = measure(s, added);
    if (!s->draining) return off;
    rill_covered_limit(s->stage.flow);
    return measure(s, added);
}

static int32_t solve_once(const solve *s, int32_t iterations) {
    rill_poisson *poisson = &s->covered->poisson;
    double residual;
    link_pipes(s->covered);
    rill_poisson_prepare(poisson, s->stage.settings->scalar);
    return rill_poisson_solve(poisson, s->stage.settings->scalar, 0.5 * s->tolerance, iterations, &residual);
}

/* The passes. Leaves the pressures in pi and what crosses each face in q. */
static void find_pressures(solve *s, rill_covered_report *report) {
    int32_t added = 0, dropped = 0;
    if (s->covered->anew) EACH_NODE(s->covered, n) {
            if (s->covered->nodes.pi[n] < 0.0) s->covered->queue[added++] = n; /* filled by hand */
        }
    s->changed = added > 0;
    start_pressures(s, added);
    added = 0;
    bool off = measure_anew(s, &added);
    if (added > 0) {
        start_pressures(s, added);
        added = 0;
        off = measure_anew(s, &added);
    }
    while (off || dropped > 0) {
        if (report->passes == PASSES || report->iterations >= ITERATIONS) {
            report->capped = true;
            break;
        }
        report->passes += 1;
        s->careful |= report->passes > 2; /* it should have been enough: perhaps something is sealed */
        report->iterations += solve_once(s, ITERATIONS - report->iterations);
        dropped = correct(s);
        if (rill_covered_flow_faces(&s->stage) && report->passes <= OPENING_PASSES) {
            rill_covered_open_faces(&s->stage);
            s->changed |= s->careful;
        }
        added = 0; /* they start without pressure */
        off = measure(s, &added);
    }
    if (s->draining) rill_covered_limit(s->stage.flow); /* what the pressures drive */
}

/* A column beside members may end below its ceiling only because as much leaves on its other sides: then all of its faces
 * must move together. Repeated, because its neighbours may be such columns then. */
static void cover_fronts(const solve *s) {
    rill_covered *covered = s->covered;
    double *change = covered->poisson.f; /* done with the excess */
    for (bool again = true; again;) {
        again = false;
        for (int32_t i = 0; i < covered->window_count; ++i) {
            rill_covered_run run = rill_covered_run_of(covered, &covered->windows[i]);
            covered->kernels->change(run.n, &run.nodes, run.stride, &run.west, &run.south,
                                     change + covered->windows[i].node);
        }
        for (int32_t i = 0; i < covered->pipe_count; ++i) {
            const rill_covered_pipe *pipe = &covered->pipes[i];
            if (!rill_covered_pipe_covered(covered, pipe)) continue;
            if (pipe->node_l >= 0) change[pipe->node_l] -= pipe->q;
            if (pipe->node_r >= 0) change[pipe->node_r] += pipe->q;
        }
        for (int32_t i = 0; i < covered->window_count; ++i) {
            rill_covered_run run = rill_covered_run_of(covered, &covered->windows[i]);
            again |= covered->kernels->cover(run.n, &run.nodes, change + covered->windows[i].node);
        }
    }
}

static double tolerance_for(const rill_flow *flow, const rill_kernel_constants *k) {
    double moves = (double)flow->extent.speed * (double)k->lambda * (double)flow->extent.depth;
    double share = moves * TOLERANCE_SHARE;
    return share < TOLERANCE_LEAST ? TOLERANCE_LEAST : share > TOLERANCE_MOST ? TOLERANCE_MOST : share;
}

rill_covered_report rill_covered_move(rill_flow *flow, const rill_flow_settings *settings,
                                      const rill_kernel_constants *constants) {
    rill_covered_report report = { 0 };
    rill_covered *covered = flow->covered;
    if (!covered) return report;
    covered->kernels = rill_covered_kernels_pick(settings->scalar);
    if (!rill_covered_find(flow, constants)) return report;
    solve s = { .stage = { flow, settings, constants }, .covered = covered };
    s.tolerance = tolerance_for(flow, constants);
    s.careful = covered->some_sealed || flow->stale || flow->substep % 4 == 0;
    rill_covered_drive_faces(&s.stage);
    find_pressures(&s, &report);
    covered->some_sealed = s.sealed;
    cover_fronts(&s);
    rill_covered_judge_rims(covered);
    rill_covered_transfer(flow, constants, &report);
    return report;
}
