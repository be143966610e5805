/* Rims: members that grow until their windows are too small. See covered_windows.c.
 *
 * A column on the outermost ring of a window, or in a tile of another group, cannot be a member there. Where covered faces would
 * overfill such a column, the windows are laid once more, around all that are members now and those columns, and the solve is
 * done again. */
#include "flow/covered_parts.h"

/* Whether so much more in a node's column would stand above its ceiling. Without any more, what stands there is
 * others' business. */
static bool overfills(const rill_covered_nodes *nodes, int32_t n, double change) {
    return nodes->c[n] < RILL_TOP && change > 0.0 && change > (double)(nodes->c[n] - nodes->b[n] - nodes->H[n]);
}

/* Whether two windows, each within its bounds, together overfill a column. */
static bool overfill_together(const rill_covered *covered, const rill_window *a, const rill_window *b) {
    const double *change = covered->poisson.f;
    const int32_t x0 = rill_max_i(a->column, b->column), x1 = rill_min_i(a->column + a->nx, b->column + b->nx);
    const int32_t y0 = rill_max_i(a->row, b->row), y1 = rill_min_i(a->row + a->ny, b->row + b->ny);
    bool any = false;
    for (int32_t y = y0; y < y1; ++y)
        for (int32_t x = x0; x < x1; ++x) {
            const int32_t n = a->node + (y - a->row) * a->stride + (x - a->column);
            const int32_t m = b->node + (y - b->row) * b->stride + (x - b->column);
            any |= change[n] != 0.0 && change[m] != 0.0 && overfills(&covered->nodes, n, change[n] + change[m]);
        }
    return any;
}

/* Whether a covered pipe overfills a column outside of all windows; `*right`: which of its ends. */
static bool overfills_beyond(const rill_covered *covered, const rill_covered_pipe *pipe, bool *right) {
    const rill_covered_ends *e = &pipe->ends;
    const bool left = pipe->node_l < 0 && e->cl < RILL_TOP && -pipe->q > (double)(e->cl - e->bl - e->Hl);
    *right = pipe->node_r < 0 && e->cr < RILL_TOP && pipe->q > (double)(e->cr - e->br - e->Hr);
    return (left || *right) && rill_covered_pipe_covered(covered, pipe);
}

bool rill_covered_crowded(const rill_covered *covered) {
    bool any = false, right;
    for (int32_t i = 0; i < covered->window_count; ++i)
        for (int32_t j = 0; j < i; ++j) {
            const rill_window *a = &covered->windows[i], *b = &covered->windows[j];
            any |= rill_covered_overlap(a, b) && overfill_together(covered, a, b);
        }
    for (int32_t i = 0; i < covered->pipe_count; ++i) any |= overfills_beyond(covered, &covered->pipes[i], &right);
    return any;
}

/* Columns that are flooded already are part of some window anyway. */
static void ask_for(rill_flow *flow, int32_t place) {
    rill_covered *covered = flow->covered;
    if (flow->pressure[place] != 0) return;
    flow->pressure[place] = 1;
    covered->flooded[rill_bed_tile_of(flow->bed, place)] = 1;
    covered->path[covered->asked++] = place;
}

bool rill_covered_ask(rill_flow *flow) {
    rill_covered *covered = flow->covered;
    bool any = rill_covered_crowded(covered), right;
    for (int32_t k = 0; k < covered->listed_count; ++k) /* as before the solve */
        covered->flooded[covered->boxes[covered->listed[k]].tile] = 1;
    EACH_NODE(covered, n) {
        const int32_t place = rill_covered_place(&covered->windows[w_], n);
        const bool over = !rill_covered_roofed(covered, n) && overfills(&covered->nodes, n, covered->poisson.f[n]) &&
                          !rill_covered_ghost(flow->bed, place);
        if (over || rill_covered_member(covered, n)) ask_for(flow, place);
        any |= over;
    }
    for (int32_t i = 0; i < covered->pipe_count; ++i) {
        const int32_t pipe = covered->pipes[i].pipe;
        if (overfills_beyond(covered, &covered->pipes[i], &right))
            ask_for(flow, right ? flow->bed->pipe_r[pipe] : flow->bed->pipe_l[pipe]);
    }
    if (!any) rill_covered_forget_asked(flow);
    covered->spreads |= any;
    covered->hold &= !any;
    return any;
}

void rill_covered_forget_asked(rill_flow *flow) {
    rill_covered *covered = flow->covered;
    for (; covered->asked > 0; --covered->asked) flow->pressure[covered->path[covered->asked - 1]] = 0;
}
