/* Strips: which nodes of a window matter. See covered_parts.h.
 *
 * A column matters if it has a ceiling, if it lies beside one that has, or if a sparse pipe ends in it. What matters is known by blocks of
 * RILL_COVERED_UNIT nodes of a row; runs of them that are the same in one row after the other become a strip. */
#include <string.h>

#include "flow/covered_parts.h"

/* What is known of a block. */
enum {
    ROOFED = 1,      /* some column of it has a ceiling */
    ROOFED_WEST = 2, /* its first has */
    ROOFED_EAST = 4, /* its last has */
    JOINED = 8       /* a sparse pipe ends in it; and RILL_BLOCK_MATTERS */
};

int32_t rill_covered_node_of(const rill_covered *covered, int32_t place, int32_t tile) {
    const int32_t group = covered->group[tile];
    if (group == 0) return -1;
    for (int32_t i = 0; i < covered->window_count; ++i) {
        const rill_window *w = &covered->windows[i];
        if (w->group != group) continue;
        const int32_t offset = place - w->place, y = offset / w->sheet->stride, x = offset - y * w->sheet->stride;
        return offset >= 0 && x < w->nx && y < w->ny ? w->node + y * w->stride + x : -1;
    }
    return -1;
}

static int32_t has_ceiling(int32_t b, int32_t c) {
    return (c < RILL_TOP) & (b < RILL_TOP);
}

/* Whether some of `count` columns have a ceiling, and which of the outermost. */
static uint8_t look_at_block(const int32_t *b, const int32_t *c, int32_t count) {
    int32_t any = 0;
    if (count == RILL_COVERED_UNIT) RILL_NOT_UNROLLED
    for (int32_t i = 0; i < RILL_COVERED_UNIT; ++i) any |= has_ceiling(b[i], c[i]);
    else for (int32_t i = 0; i < count; ++i) any |= has_ceiling(b[i], c[i]);
    if (!any) return 0;
    const bool east = count == RILL_COVERED_UNIT && has_ceiling(b[count - 1], c[count - 1]);
    return (uint8_t)(ROOFED | (has_ceiling(b[0], c[0]) ? ROOFED_WEST : 0) | (east ? ROOFED_EAST : 0));
}

/* Columns on the outermost ring are no members, whatever is above them; that of the first is not looked at, as it seems to lie beside the
 * last of the row before. */
static void look_at_window(const rill_flow *flow, const rill_window *w) {
    const int32_t per_row = w->stride / RILL_COVERED_UNIT;
    uint8_t *blocks = flow->covered->blocks + w->node / RILL_COVERED_UNIT;
    memset(blocks - per_row, 0, (size_t)((w->ny + 2) * per_row));
    for (int32_t y = 1; y + 1 < w->ny; ++y)
        for (int32_t k = 0; k * RILL_COVERED_UNIT < w->nx; ++k) {
            const int32_t x = k * RILL_COVERED_UNIT, place = w->place + y * w->sheet->stride + x;
            blocks[y * per_row + k] = look_at_block(rill_flow_bases(flow) + place, flow->bed->c + place,
                                                    rill_min_i(RILL_COVERED_UNIT, w->nx - x));
            if (k == 0) blocks[y * per_row] &= (uint8_t)~ROOFED_WEST;
        }
}

static void look_at_pipes(const rill_flow *flow) {
    const rill_covered *covered = flow->covered;
    for (int32_t i = 0; covered->window_count > 0 && i < flow->bed->pipe_count; ++i) {
        const rill_pipe *p = &flow->scratch->sparse.pipes[i];
        const int32_t l = rill_covered_node_of(covered, p->l, p->tile_l);
        const int32_t r = rill_covered_node_of(covered, p->r, p->tile_r);
        if (l >= 0) covered->blocks[l / RILL_COVERED_UNIT] |= JOINED;
        if (r >= 0) covered->blocks[r / RILL_COVERED_UNIT] |= JOINED;
    }
}

/* Marks the blocks that matter; returns how many there are. */
static int32_t mark_window(const rill_covered *covered, const rill_window *w) {
    const int32_t per_row = w->stride / RILL_COVERED_UNIT, node = w->node / RILL_COVERED_UNIT;
    int32_t count = 0;
    for (uint8_t *block = covered->blocks + node; block < covered->blocks + node + w->ny * per_row; ++block) {
        const int32_t here = (block[0] & (ROOFED | JOINED)) | (block[-per_row] & ROOFED) | (block[per_row] & ROOFED);
        const int32_t beside = (block[-1] & ROOFED_EAST) | (block[1] & ROOFED_WEST);
        if (!(here | beside)) continue;
        *block |= RILL_BLOCK_MATTERS;
        count += 1;
    }
    return count;
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
    look_at_pipes(flow);
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
}
