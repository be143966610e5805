/* Strips: which nodes of a window matter. See covered_parts.h.
 *
 * A column may come to be a member before the windows are laid again if it has a ceiling and is half full; one that fills from
 * below that is blocked by the limiters meanwhile, or asked for (covered_rims.c). What matters is known by blocks of
 * RILL_COVERED_UNIT nodes of a row: those with such columns, whose columns under ceilings may all be members, and those beside
 * them. Runs of blocks that are the same in one row after the other become a strip. */
#include <string.h>

#include "flow/covered_parts.h"

/* What is known of a block that fills, beside what covered_parts.h has. */
enum {
    ROOFED_WEST = 2, /* its first column has a ceiling */
    ROOFED_EAST = 4  /* its last has */
};

int32_t rill_covered_node_of(const rill_covered *covered, int32_t place, int32_t tile) {
    const int32_t group = covered->group[tile];
    if (group == 0 || covered->boxes[group - 1].window < 0) return -1;
    const rill_window *w = &covered->windows[covered->boxes[group - 1].window];
    const int32_t offset = place - w->place, y = offset / w->sheet->stride, x = offset - y * w->sheet->stride;
    if (offset < 0 || x >= w->nx || y >= w->ny) return -1;
    const int32_t node = w->node + y * w->stride + x;
    return covered->blocks[node / RILL_COVERED_UNIT] & RILL_BLOCK_MATTERS ? node : -1;
}

static int32_t has_ceiling(int32_t b, int32_t c) {
    return (c < RILL_TOP) & (b < RILL_TOP);
}

static int32_t may_fill(int32_t b, int32_t c, int32_t H, int32_t code) {
    return has_ceiling(b, c) & ((H >= (c - b) / 2) | (code != 0));
}

/* Whether some of `count` columns may be members, and which of the outermost then. */
static uint8_t look_at_block(const rill_covered_columns *at, int32_t count) {
    const int32_t *b = at->b, *c = at->c, *H = at->H, *code = at->code;
    int32_t any = 0;
    if (count == RILL_COVERED_UNIT) RILL_NOT_UNROLLED
    for (int32_t i = 0; i < RILL_COVERED_UNIT; ++i) any |= may_fill(b[i], c[i], H[i], code[i]);
    else for (int32_t i = 0; i < count; ++i) any |= may_fill(b[i], c[i], H[i], code[i]);
    if (!any) return 0;
    const bool east = count == RILL_COVERED_UNIT && has_ceiling(b[count - 1], c[count - 1]);
    return (uint8_t)(RILL_BLOCK_FILLS | (has_ceiling(b[0], c[0]) ? ROOFED_WEST : 0) | (east ? ROOFED_EAST : 0));
}

/* Columns on the outermost ring are no members, whatever is above them; that of the first is not looked at, as it seems to lie beside the
 * last of the row before. */
static void look_at_window(const rill_flow *flow, const rill_window *w) {
    const int32_t per_row = w->stride / RILL_COVERED_UNIT;
    uint8_t *blocks = flow->covered->blocks + w->node / RILL_COVERED_UNIT;
    memset(blocks - per_row, 0, (size_t)((w->ny + 2) * per_row));
    for (int32_t y = 1; y + 1 < w->ny; ++y)
        for (int32_t k = 0; k * RILL_COVERED_UNIT < w->nx; ++k) {
            const int32_t x = k * RILL_COVERED_UNIT;
            const rill_covered_columns at = rill_covered_columns_at(flow, w->place + y * w->sheet->stride + x);
            blocks[y * per_row + k] = look_at_block(&at, rill_min_i(RILL_COVERED_UNIT, w->nx - x));
            if (k == 0) blocks[y * per_row] &= (uint8_t)~ROOFED_WEST;
        }
}

/* Marks the blocks that matter; returns how many there are. */
static int32_t mark_window(const rill_covered *covered, const rill_window *w) {
    const int32_t per_row = w->stride / RILL_COVERED_UNIT, node = w->node / RILL_COVERED_UNIT;
    int32_t count = 0;
    for (uint8_t *block = covered->blocks + node; block < covered->blocks + node + w->ny * per_row; ++block) {
        const int32_t here = (block[0] | block[-per_row] | block[per_row]) & RILL_BLOCK_FILLS;
        const int32_t beside = (block[-1] & ROOFED_EAST) | (block[1] & ROOFED_WEST);
        if (!(here | beside)) continue;
        *block |= RILL_BLOCK_MATTERS;
        count += 1;
    }
    return count;
}

static bool in_filling_block(const rill_covered *covered, int32_t node) {
    return node >= 0 && covered->blocks[node / RILL_COVERED_UNIT] & RILL_BLOCK_FILLS;
}

/* Sparse pipes of which an end may be a member. */
static void list_joints(const rill_flow *flow) {
    rill_covered *covered = flow->covered;
    covered->joint_count = 0;
    for (int32_t i = 0; covered->window_count > 0 && i < flow->bed->pipe_count; ++i) {
        const rill_pipe *p = &flow->scratch->sparse.pipes[i];
        if (!covered->group[p->tile_l] && !covered->group[p->tile_r]) continue;
        const int32_t l = rill_covered_node_of(covered, p->l, p->tile_l);
        const int32_t r = rill_covered_node_of(covered, p->r, p->tile_r);
        if (in_filling_block(covered, l) || in_filling_block(covered, r))
            covered->joints[covered->joint_count++] = (rill_joint){ i, l, r };
    }
}

/* A run of blocks of row y: part of a strip that has come to the row before, or the first of another. */
static void add_run(rill_covered *covered, rill_window *w, rill_strip run) {
    enum { BACK = 8 }; /* no row has many */
    const int32_t oldest = rill_max_i(w->first_strip, covered->strip_count - BACK);
    for (int32_t i = covered->strip_count - 1; i >= oldest; --i) {
        rill_strip *strip = &covered->strips[i];
        if (strip->x != run.x || strip->n != run.n || strip->y + strip->rows != run.y) continue;
        strip->rows += run.rows;
        return;
    }
    covered->strips[covered->strip_count++] = run;
}

static void add_runs(rill_covered *covered, rill_window *w) {
    const int32_t per_row = w->stride / RILL_COVERED_UNIT;
    const uint8_t *row = covered->blocks + w->node / RILL_COVERED_UNIT;
    for (int32_t y = 0; y < w->ny; ++y, row += per_row)
        for (int32_t k = 0, end; k < per_row; k = end + 1) {
            for (end = k; end < per_row && row[end] & RILL_BLOCK_MATTERS;) ++end;
            if (end == k) continue;
            add_run(covered, w, (rill_strip){ k * RILL_COVERED_UNIT, y, (end - k) * RILL_COVERED_UNIT, 1 });
        }
}

void rill_covered_lay_strips(rill_flow *flow) {
    rill_covered *covered = flow->covered;
    covered->strip_count = 0;
    for (int32_t i = 0; i < covered->window_count; ++i) look_at_window(flow, &covered->windows[i]);
    for (int32_t i = 0; i < covered->window_count; ++i) {
        rill_window *w = &covered->windows[i];
        const int32_t blocks = w->ny * w->stride / RILL_COVERED_UNIT, matter = mark_window(covered, w);
        w->first_strip = covered->strip_count;
        if (matter > blocks - blocks / 8) /* a single run is faster then */
            covered->strips[covered->strip_count++] = (rill_strip){ 0, 0, w->stride, w->ny };
        else
            add_runs(covered, w);
        w->strip_count = covered->strip_count - w->first_strip;
    }
    list_joints(flow);
}
