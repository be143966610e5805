/* Sealed components: members from which no open face leads out. See covered.h.
 *
 * The pressure problem is singular there: pressure is only known up to a constant, and what is too much in all of it together has
 * nowhere to go. Components are found by numbering runs of members row by row and joining numbers (A. Rosenfeld, J. L. Pfaltz,
 * "Sequential operations in digital picture processing", 1966), a block of nodes at a time: of most there is no member. */
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

/* Nodes of a block as bits, the first of them the lowest. */
typedef uint32_t bits;

static bits positive(const float *of) {
    static const bits bit[RILL_COVERED_UNIT] = { 1 << 0, 1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                                                 1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15 };
    bits all = 0;
    RILL_NOT_UNROLLED
    for (int32_t i = 0; i < RILL_COVERED_UNIT; ++i)
        all |= of[i] > 0.0f ? bit[i] : 0; /* shifts would not become vectors */
    return all;
}

/* The members of a block, and where their faces lead. */
typedef struct block {
    bits members;
    bits goes_on;   /* members that go on from one west of them */
    bits leads_out; /* to somebody who is none */
    bits south;     /* members that are joined with one south of them */
} block;

static block look_at_block(const rill_covered *covered, int32_t node, int32_t stride) {
    const float *active = covered->nodes.active + node;
    const float *wx = covered->poisson.wx + node, *wy = covered->poisson.wy + node;
    block found = { .members = positive(active) };
    if (found.members == 0) return found;
    const int32_t last = RILL_COVERED_UNIT - 1;
    const bits west = found.members << 1 | (bits)(active[-1] > 0.0f);
    const bits east = found.members >> 1 | (bits)(active[RILL_COVERED_UNIT] > 0.0f) << last;
    const bits open_west = positive(wx), open_east = open_west >> 1 | (bits)(wx[RILL_COVERED_UNIT] > 0.0f) << last;
    const bits below = positive(active - stride), above = positive(active + stride);
    const bits open_south = positive(wy), open_north = positive(wy + stride);
    found.goes_on = found.members & west & open_west;
    found.leads_out =
        found.members & ((open_west & ~west) | (open_east & ~east) | (open_south & ~below) | (open_north & ~above));
    found.south = found.members & below & open_south;
    return found;
}

/* Where numbering the runs stands. */
typedef struct numbering {
    rill_covered *covered;
    int32_t count; /* runs so far, of all windows */
    int32_t below; /* the first run of the row below that does not end before what is looked at, and */
    int32_t row;   /* the first of this row */
} numbering;

/* Joins run `i` with those south of its nodes `from` to `to` that `south` (bits from `from` on) leads to. */
static void join_south(numbering *at, int32_t i, int32_t from, int32_t to, bits south, int32_t stride) {
    const rill_member_run *runs = at->covered->runs;
    while (at->below < at->row && runs[at->below].to <= from - stride) at->below += 1;
    for (int32_t k = at->below; k < at->row && runs[k].from < to - stride; ++k) {
        const int32_t first = rill_max_i(runs[k].from + stride, from), end = rill_min_i(runs[k].to + stride, to);
        const bits shared = ((bits)1 << (end - from)) - ((bits)1 << (first - from));
        if (south & shared) join_components(at->covered->components, i, k);
    }
}

/* The runs of a block; `*open` is the one that has come to its west side, or -1. */
static void add_block(numbering *at, const block *found, int32_t node, int32_t stride, int32_t *open) {
    rill_covered *covered = at->covered;
    for (bits left = found->members; left;) {
        const int32_t first = __builtin_ctz(left), end = first + 1 + __builtin_ctz(~(found->goes_on >> (first + 1)));
        const bits here = ((bits)1 << end) - ((bits)1 << first);
        if (first > 0 || *open < 0 || !(found->goes_on & 1)) {
            *open = at->count++;
            covered->runs[*open].from = node + first;
            covered->components[*open] = CLOSED;
        }
        covered->runs[*open].to = node + end;
        if (found->leads_out & here) covered->components[component_root(covered->components, *open)] = OPEN;
        if (found->south & here)
            join_south(at, *open, node + first, node + end, (found->south & here) >> first, stride);
        left &= ~here;
        if (end < RILL_COVERED_UNIT) *open = -1;
    }
}

/* Numbers the members of a window, one for each run of them, joined with those south of it. */
static void number_window(numbering *at, const rill_window *w) {
    at->below = at->row = at->count;
    for (int32_t y = 0; y < w->ny; ++y) {
        const int32_t node = w->node + y * w->stride;
        int32_t open = -1, before = at->row;
        at->below = before;
        at->row = at->count;
        for (int32_t n = node; n < node + w->stride; n += RILL_COVERED_UNIT) {
            const bool matters = at->covered->blocks[n / RILL_COVERED_UNIT] & RILL_BLOCK_MATTERS;
            const block found = matters ? look_at_block(at->covered, n, w->stride) : (block){ 0 };
            if (found.members == 0) open = -1;
            add_block(at, &found, n, w->stride, &open);
        }
    }
}

/* The run of a member. */
static int32_t run_of(const numbering *at, int32_t node) {
    int32_t low = 0, high = at->count - 1;
    while (low < high) {
        const int32_t middle = (low + high + 1) / 2;
        if (at->covered->runs[middle].from <= node)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static void join_over_pipes(const numbering *at) {
    const rill_covered *covered = at->covered;
    for (int32_t i = 0; i < covered->pipe_count; ++i) {
        const rill_covered_pipe *pipe = &covered->pipes[i];
        bool l = rill_covered_member(covered, pipe->node_l), r = rill_covered_member(covered, pipe->node_r);
        if (!(pipe->reach > 0.0f) || (!l && !r)) continue;
        const int32_t run = run_of(at, l ? pipe->node_l : pipe->node_r);
        if (l && r)
            join_components(covered->components, run, run_of(at, pipe->node_r));
        else
            covered->components[component_root(covered->components, run)] = OPEN;
    }
}

/* Marks the nodes of runs that are sealed by 1 + component. */
static void mark_sealed(const numbering *at) {
    rill_covered *covered = at->covered;
    for (int32_t i = 0; i < at->count; ++i) {
        const int32_t root = component_root(covered->components, i);
        if (covered->components[root] == OPEN) continue;
        for (int32_t n = covered->runs[i].from; n < covered->runs[i].to; ++n) covered->nodes.sealed[n] = root + 1;
    }
}

bool rill_covered_find_sealed(rill_covered *covered) {
    numbering at = { .covered = covered };
    for (int32_t i = 0; i < covered->window_count; ++i) number_window(&at, &covered->windows[i]);
    join_over_pipes(&at);
    bool any = false;
    for (int32_t i = 0; i < at.count; ++i) any |= covered->components[i] == CLOSED;
    for (int32_t i = 0; covered->marked && i < covered->window_count; ++i) {
        const rill_window *w = &covered->windows[i];
        memset(covered->nodes.sealed + w->node, 0, (size_t)(w->ny * w->stride) * sizeof *covered->nodes.sealed);
    }
    covered->marked = any;
    if (any) mark_sealed(&at);
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
