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

/* Whether a covered pipe overfills a column outside of all windows; `*right`: which of its ends. */
static bool overfills_beyond(const rill_covered *covered, const rill_covered_pipe *pipe, bool *right) {
    const rill_covered_ends *e = &pipe->ends;
    const bool left = pipe->node_l < 0 && e->cl < RILL_TOP && -pipe->q > (double)(e->cl - e->bl - e->Hl);
    *right = pipe->node_r < 0 && e->cr < RILL_TOP && pipe->q > (double)(e->cr - e->br - e->Hr);
    return (left || *right) && rill_covered_pipe_covered(covered, pipe);
}

bool rill_covered_crowded(const rill_covered *covered) {
    bool any = false, right;
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

/* Whether a column is not flooded but may be once pressure reaches it over a pipe: half full, or more. */
static bool may_fill(const rill_flow *flow, int32_t place, int32_t tile) {
    const int32_t height = flow->bed->c[place] - flow->bed->b[place];
    return flow->bed->c[place] < RILL_TOP && flow->pressure[place] == 0 && flow->tiles[tile] & RILL_TILE_SWEPT &&
           flow->H[place] >= height / 2;
}

void rill_covered_ask_over_pipes(rill_flow *flow) {
    const rill_sparse *sparse = &flow->scratch->sparse;
    for (int32_t i = 0; i < sparse->active_count; ++i) {
        const rill_pipe *p = &sparse->pipes[sparse->active[i]];
        const bool l = flow->pressure[p->l] != 0, r = flow->pressure[p->r] != 0;
        if (l && may_fill(flow, p->r, p->tile_r)) ask_for(flow, p->r);
        if (r && may_fill(flow, p->l, p->tile_l)) ask_for(flow, p->l);
    }
}

bool rill_covered_ask(rill_flow *flow) {
    rill_covered *covered = flow->covered;
    bool any = rill_covered_crowded(covered), right;
    for (int32_t k = 0; k < covered->listed_count; ++k) /* as before the solve */
        covered->flooded[covered->boxes[covered->listed[k]].tile] = 1;
    EACH_NODE(covered, n) {
        const rill_window *w = &covered->windows[w_];
        const int32_t place = w->place + y_ * w->sheet->stride + (n - w->node - y_ * w->stride);
        const bool over = !rill_covered_roofed(covered, n) && overfills(&covered->nodes, n, covered->poisson.f[n]) &&
                          !rill_covered_ghost(flow->bed, place);
        if (over || rill_covered_member(covered, n)) ask_for(flow, place);
        /* The next solve begins with what this one has found; whether the column was flooded before is another matter. */
        if (flow->pressure[place] > 1 && rill_covered_roofed(covered, n))
            rill_covered_press(flow, place, covered->nodes.pi[n]);
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
