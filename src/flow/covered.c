/* The active set: which columns are under pressure, and under which. See covered.h.
 *
 * Members start as those of the last sub-step and the columns that would overfill without pressure. Then, in passes: solve
 * for the pressures that make every member end full, drop members whose pressure would be negative, add columns that would
 * overfill. With the openings frozen the matrix is an M-matrix, so that this converges from any start: one pass in flow, a
 * few dozen where a passage slams full. A component of members that has no open face to anything else is *sealed*: its
 * pressure is only known up to a constant, which is chosen so that the least is zero, and its members are never dropped.
 *
 * Pressures are at most those of the solution, whichever the members: one that is positive will stay, but negative ones may only
 * be drawn down by others. What was dropped too much would come back a ring of columns each pass: in the first passes, from time to
 * time after them, and from the start where columns are new, members are therefore guessed before they are solved for
 * (covered_guess.c). */
#include "flow/covered_parts.h"

enum {
    PASSES = 64,
    LATE_PASSES = 24,   /* after these it does not matter any more whether columns are a hair off */
    FARTHEST = 64,      /* columns that members grow in a pass */
    GUESSES = 4,        /* in so many passes members are guessed anew if some were dropped, and then every so many */
    FEW = 8,            /* members dropped, for which that does not pay */
    OPENING_PASSES = 3, /* in the first passes openings follow the donors that the pressures make */
    ITERATIONS = 200,   /* of all passes */
    WINDOWS = 2         /* larger ones that are tried, each with as many passes */
};

/* How far from full members may end, quanta: within the band that counts as full, and a small share of what moves. */
static const double TOLERANCE_LEAST = 0.25, TOLERANCE_MOST = 4.0, TOLERANCE_SHARE = 0x1p-20;

typedef struct solve {
    rill_covered_stage stage;
    rill_covered *covered;
    double tolerance; /* quanta */
    bool changed;     /* members or openings are others than when components were last looked for */
    bool sealed;      /* some component is */
    bool careful;     /* openings may seal a component: look each time they change */
    bool hasty;       /* members that are added now are looked at once more before it matters whether they are sealed */
    int32_t reach;    /* how many columns further new members are added that these would fill; 0: none */
    int32_t farthest; /* the largest reach from now on */
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

/* Whether a column that is no member would overfill. */
static inline int32_t overfills(float active, double excess, double tolerance) {
    return (active > 0.0f ? 0 : 1) & (excess > tolerance);
}

/* The same of any of a block: mostly of none. */
static bool some_overfill(const float *active, const double *excess, double tolerance) {
    int32_t any = 0;
    RILL_NOT_UNROLLED
    for (int32_t i = 0; i < RILL_COVERED_UNIT; ++i) any |= overfills(active[i], excess[i], tolerance);
    return any != 0;
}

/* Columns of a window that would overfill become members, and are listed in the queue. */
static void add_members(solve *s, const rill_window *w, int32_t *added) {
    rill_covered *covered = s->covered;
    float *active = covered->nodes.active;
    const double *excess = covered->poisson.f;
    EACH_BLOCK(covered, w, first) {
        if (!some_overfill(active + first, excess + first, s->tolerance)) continue;
        for (int32_t n = first; n < first + RILL_COVERED_UNIT; ++n) {
            if (!overfills(active[n], excess[n], s->tolerance)) continue;
            active[n] = 1.0f;
            covered->nodes.ever[n] = 1;
            covered->queue[(*added)++] = n;
            s->changed = true;
        }
    }
}

/* New members that cannot take what is too much in them push it on: adds columns that this would overfill, and those that they
 * would, up to s->reach columns from the `count` in the queue. Or members would grow by one column each pass. */
static void add_beyond(solve *s, int32_t *count) {
    rill_covered *covered = s->covered;
    double *surplus = covered->tally; /* by place in the queue */
    for (int32_t i = 0; i < *count; ++i) surplus[i] = covered->poisson.f[covered->queue[i]];
    for (int32_t first = 0, end = *count, depth = 0; depth < s->reach && first < end;
         ++depth, first = end, end = *count)
        for (int32_t i = first; i < end; ++i) {
            const rill_window *w = rill_covered_window(covered, covered->queue[i]);
            const rill_covered_neighbours near = rill_covered_near(s->stage.flow->bed, w, covered->queue[i]);
            for (int32_t k = 0; k < near.count; ++k) {
                const int32_t n = near.node[k];
                const double rest = surplus[i] + (double)covered->nodes.fill[n];
                if (rill_covered_member(covered, n) || !(rest > s->tolerance)) continue;
                covered->nodes.active[n] = 1.0f;
                covered->nodes.ever[n] = 1;
                surplus[*count] = rest;
                covered->queue[(*count)++] = n;
            }
        }
}

static int32_t judge_run(const void *context, const rill_covered_run *run) {
    const solve *s = context;
    return s->covered->kernels->judge(run->at, &run->nodes, s->tolerance, s->covered->poisson.f + run->node);
}

/* Whether a member would not end full, or columns had to be added: `*added` counts those. */
static bool judge_excess(solve *s, int32_t *added) {
    const rill_covered *covered = s->covered;
    const int32_t verdict = rill_covered_share(covered, judge_run, s);
    for (int32_t i = 0; verdict & RILL_COVERED_OVER && i < covered->window_count; ++i)
        add_members(s, &covered->windows[i], added);
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

/* -------------------------------------------------------------------------------------------------------------- solve */

/* Drops members whose pressure has become negative, but for those of sealed components. Returns how many. */
static int32_t drop_negative(solve *s) {
    rill_covered *covered = s->covered;
    int32_t dropped = 0;
    EACH_NODE(covered, n) {
        if (!(covered->nodes.pi[n] < 0.0) || covered->nodes.sealed[n]) continue;
        covered->nodes.pi[n] = 0.0;
        covered->nodes.active[n] = 0.0f;
        dropped += 1;
    }
    s->changed |= dropped > 0;
    return dropped;
}

static int32_t correct_run(const void *context, const rill_covered_run *run) {
    const rill_covered *covered = context;
    return covered->kernels->correct(run->at, &run->nodes, covered->poisson.x + run->node);
}

/* Adds the solved corrections; drops members whose pressure has become negative. Returns how many. */
static int32_t correct(solve *s) {
    rill_covered *covered = s->covered;
    const int32_t negative = rill_covered_share(covered, correct_run, covered);
    if (s->sealed) rill_covered_lower_sealed(covered);
    if (!negative) return 0;
    return drop_negative(s);
}

static void look_for_sealed(solve *s) {
    if (s->changed) s->sealed = rill_covered_find_sealed(s->covered);
    s->changed = false;
}

/* Whether the members do not end full yet with what crosses now. New ones are added to the `*added` in the queue. */
static bool measure(solve *s, int32_t *added) {
    if (!s->hasty || s->covered->some_sealed) look_for_sealed(s); /* else below, if members stay as they are */
    if (s->sealed) s->changed |= rill_covered_vent_sealed(s->covered);
    rill_covered_find_excess(s->covered);
    bool off = judge_excess(s, added);
    if (*added > 0 && s->reach > 0) {
        add_beyond(s, added);
        rill_covered_find_excess(s->covered);
        judge_excess(s, added);
    }
    if (s->hasty && *added > 0) return off;
    look_for_sealed(s);
    if (!s->sealed) return off;
    rill_covered_balance_sealed(s->covered);
    return judge_excess(s, added);
}

/* Members as they will be, about; not where some are sealed. */
static void guess(solve *s) {
    if (!s->sealed && rill_covered_guess_members(&s->stage, 0.5 * s->tolerance)) s->changed = true;
}

/* Openings by the donors that the pressures make now. */
static void open_anew(solve *s) {
    rill_covered_open_faces(&s->stage);
    s->changed |= s->careful;
}

static int32_t solve_once(const solve *s, int32_t iterations) {
    rill_poisson *poisson = &s->covered->poisson;
    double residual;
    link_pipes(s->covered);
    rill_poisson_prepare(poisson, s->stage.settings->scalar);
    return rill_poisson_solve(poisson, s->stage.settings->scalar, 0.5 * s->tolerance, iterations, &residual);
}

/* Members that have grown for a while grow twice as far each pass, until too many have been added: then more carefully. */
static void choose_reach(solve *s, int32_t passes, bool too_many) {
    if (too_many && s->reach > 0) s->farthest = s->reach / 4;
    s->reach = too_many || passes < 3 ? 0 : rill_min_i(s->reach > 0 ? 2 * s->reach : 1, s->farthest);
}

/* Passes until all members end full. False if it takes too many. */
static bool run_passes(solve *s, bool off, rill_covered_report *report) {
    for (int32_t fewest = INT32_MAX; off;) {
        if (report->passes == PASSES || report->iterations >= ITERATIONS) {
            drop_negative(s);
            rill_covered_flow_faces(&s->stage);
            return false;
        }
        report->passes += 1;
        if (report->passes > LATE_PASSES) s->tolerance = (double)RILL_FULL_LOW;
        s->careful |= report->passes > 2; /* it should have been enough: perhaps something is sealed */
        report->iterations += solve_once(s, ITERATIONS - report->iterations);
        const int32_t dropped = correct(s);
        if (rill_covered_flow_faces(&s->stage) && report->passes <= OPENING_PASSES) open_anew(s);
        /* Or a guess brings back what has been dropped, for ever. */
        const bool fewer = dropped > FEW && dropped < fewest;
        fewest = rill_min_i(fewest, dropped);
        if ((fewer && report->passes < GUESSES) || report->passes % GUESSES == 0) guess(s);
        choose_reach(s, report->passes, dropped > 0);
        int32_t added = 0; /* they start without pressure */
        off = measure(s, &added);
    }
    return true;
}

/* Lists columns that were filled by hand in the queue; returns how many there are. */
static int32_t list_filled(rill_covered *covered) {
    int32_t count = 0;
    for (const rill_window *w = covered->windows; w < covered->windows + covered->window_count; ++w)
        EACH_BLOCK(covered, w, first)
            for (int32_t n = first; n < first + RILL_COVERED_UNIT; ++n)
                if (covered->nodes.pi[n] < 0.0) covered->queue[count++] = n;
    return count;
}

/* Leaves the pressures in pi and what crosses each face in q. */
static void find_pressures(solve *s, rill_covered_report *report) {
    int32_t added = list_filled(s->covered);
    s->changed = added > 0;
    start_pressures(s, added);
    added = 0;
    s->hasty = true;
    open_anew(s);
    bool off = measure(s, &added);
    s->hasty = false;
    if (added > 0) {
        start_pressures(s, added);
        open_anew(s);
        guess(s);
        added = 0;
        off = measure(s, &added);
    }
    report->capped = !run_passes(s, off, report);
    if (report->capped || !rill_covered_drains(s->covered)) return;
    rill_covered_limit(s->stage.flow); /* what the pressures drive; and members must do with less */
    added = 0;
    off = measure(s, &added);
    report->capped = !run_passes(s, off, report);
}

static double tolerance_for(const rill_flow *flow, const rill_kernel_constants *k) {
    double moves = (double)flow->extent.speed * (double)k->lambda * (double)flow->extent.depth;
    double share = moves * TOLERANCE_SHARE;
    return share < TOLERANCE_LEAST ? TOLERANCE_LEAST : share > TOLERANCE_MOST ? TOLERANCE_MOST : share;
}

/* Finds pressures, and which faces are covered, in the windows as they are. True if they should be larger. */
static bool solve_windows(rill_flow *flow, const rill_flow_settings *settings, const rill_kernel_constants *constants,
                          rill_covered_report *report) {
    rill_covered *covered = flow->covered;
    solve s = { .stage = { flow, settings, constants }, .covered = covered };
    s.farthest = FARTHEST;
    s.tolerance = tolerance_for(flow, constants);
    s.careful = covered->some_sealed || flow->stale || flow->substep % 4 == 0;
    *report = (rill_covered_report){ 0 };
    rill_covered_drive_faces(&s.stage);
    find_pressures(&s, report);
    covered->some_sealed = s.sealed;
    return rill_covered_cover_fronts(covered);
}

rill_covered_report rill_covered_move(rill_flow *flow, const rill_flow_settings *settings,
                                      const rill_kernel_constants *constants) {
    rill_covered_report report = { 0 };
    rill_covered *covered = flow->covered;
    if (!covered) return report;
    rill_covered_begin(covered, settings);
    bool found = rill_covered_find(flow, constants);
    for (int32_t i = 0; found && solve_windows(flow, settings, constants, &report); ++i) {
        if (i == WINDOWS || !rill_covered_ask(flow)) break;
        found = rill_covered_find(flow, constants);
    }
    if (covered->starved) rill_covered_forgo(flow, &report.refused);
    if (!found) return report;
    rill_covered_transfer(flow, constants, &report);
    rill_covered_hold_rising(flow, false);
    return report;
}
