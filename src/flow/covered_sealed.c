/* Sealed components: members from which no open face leads out. See covered.h.
 *
 * The pressure problem is singular there: pressure is only known up to a constant, and what is too much in all of it together has
 * nowhere to go. Components are found by labelling runs of members row by row and joining labels (A. Rosenfeld, J. L. Pfaltz,
 * "Sequential operations in digital picture processing", 1966). */
#include <string.h>

#include "flow/covered_parts.h"

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

bool rill_covered_find_sealed(rill_covered *covered) {
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

void rill_covered_balance_sealed(rill_covered *covered) {
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

void rill_covered_lower_sealed(rill_covered *covered) {
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

bool rill_covered_vent_sealed(rill_covered *covered) {
    bool vented = false;
    const double band = (double)(RILL_FULL_LOW - RILL_FULL_HIGH);
    rill_covered_lower_sealed(covered);
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
        vented = true;
    }
    return vented;
}
