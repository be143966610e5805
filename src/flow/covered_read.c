/* What the nodes of the windows start from: their columns as the sub-step finds them. See covered_windows.c for which these are. */
#include "flow/covered_parts.h"
#include "flow/rising.h"

/* The nodes of some rows from (x, y) on. */
typedef struct part {
    int32_t x, y, nx, ny;
} part;

static void read_part(rill_flow *flow, const rill_window *window, part p, bool ours, bool again) {
    const rill_covered *covered = flow->covered;
    const rill_covered_strides step = { window->sheet->stride, window->stride };
    int32_t node = window->node + p.y * window->stride + p.x;
    rill_covered_columns at = rill_covered_columns_at(flow, window->place + p.y * window->sheet->stride + p.x);
    rill_covered_nodes nodes = rill_covered_nodes_at(covered, node);
    rill_covered_faces west = rill_covered_faces_at(&covered->west, node);
    rill_covered_faces south = rill_covered_faces_at(&covered->south, node);
    covered->kernels->read(p.nx, p.ny, &step, &at, ours, again, &nodes, &west, &south);
}

/* Makes a node one that is no member. */
static void disown(const rill_covered_nodes *nodes, int32_t node) {
    nodes->fill[node] = RILL_NO_ROOF;
    nodes->was[node] = nodes->ever[node] = 0;
    nodes->pi[node] = 0.0;
    nodes->active[node] = 0.0f;
}

/* Columns of blocks that do not fill are no members. */
static void disown_blocks(const rill_covered *covered, const rill_window *w, const rill_strip *strip) {
    for (int32_t y = strip->y; y < strip->y + strip->rows; ++y)
        for (int32_t node = w->node + y * w->stride + strip->x, end = node + strip->n; node < end;
             node += RILL_COVERED_UNIT) {
            if (covered->blocks[node / RILL_COVERED_UNIT] & RILL_BLOCK_FILLS) continue;
            for (int32_t n = node; n < node + RILL_COVERED_UNIT; ++n) disown(&covered->nodes, n);
        }
}

/* Columns of other groups' tiles are no members. */
static void disown_foreign(const rill_covered *covered, const rill_window *window) {
    const rill_sheet *sheet = window->sheet;
    for (int32_t ty = window->row / RILL_TILE_H; ty <= (window->row + window->ny - 1) / RILL_TILE_H; ++ty)
        for (int32_t tx = window->column / RILL_TILE_W; tx <= (window->column + window->nx - 1) / RILL_TILE_W; ++tx) {
            const int32_t tile = sheet->first_tile + ty * sheet->tiles_x + tx;
            if (covered->group[tile] == window->group || !covered->roofed[tile]) continue;
            const int32_t x0 = rill_max_i(tx * RILL_TILE_W - window->column, 0);
            const int32_t y0 = rill_max_i(ty * RILL_TILE_H - window->row, 0);
            const int32_t x1 = rill_min_i((tx + 1) * RILL_TILE_W - window->column, window->nx);
            const int32_t y1 = rill_min_i((ty + 1) * RILL_TILE_H - window->row, window->ny);
            for (int32_t y = y0; y < y1; ++y)
                for (int32_t x = x0; x < x1; ++x) disown(&covered->nodes, window->node + y * window->stride + x);
        }
}

/* The nodes of a strip, of which those of the rows from `first` to `last` may be members. */
static void read_strip(rill_flow *flow, const rill_window *window, const rill_strip *strip, int32_t first, int32_t last,
                       bool again) {
    const int32_t nx = rill_min_i(strip->n, window->nx - strip->x),
                  end = rill_min_i(strip->y + strip->rows, window->ny);
    const int32_t from = rill_min_i(rill_max_i(strip->y, first), end), to = rill_max_i(rill_min_i(end, last + 1), from);
    if (nx <= 0) return;
    if (strip->y < from) read_part(flow, window, (part){ strip->x, strip->y, nx, from - strip->y }, false, again);
    if (from < to) read_part(flow, window, (part){ strip->x, from, nx, to - from }, true, again);
    if (to < end) read_part(flow, window, (part){ strip->x, to, nx, end - to }, false, again);
}

/* What the nodes start from. Not the outermost ring, ghosts, and columns of other groups' tiles: they are no members. */
static void read_window(rill_flow *flow, const rill_window *window, bool again) {
    const rill_covered_nodes *nodes = &flow->covered->nodes;
    const rill_sheet *sheet = window->sheet;
    const int32_t first = rill_max_i(1, 1 - window->row), last = rill_min_i(window->ny - 2, sheet->ny - window->row);
    EACH_STRIP(flow->covered, window, strip) {
        read_strip(flow, window, strip, first, last, again);
        disown_blocks(flow->covered, window, strip);
    }
    if (!window->whole) disown_foreign(flow->covered, window);
    for (int32_t y = 0; y < window->ny; ++y) {
        int32_t node = window->node + y * window->stride;
        disown(nodes, node);
        for (int32_t x = rill_min_i(window->nx - 1, sheet->nx + 1 - window->column); x < window->nx; ++x)
            disown(nodes, node + x);
    }
}

/* Columns that are solved for together with bodies. */
static void disown_claimed(const rill_flow *flow) {
    const rill_covered *covered = flow->covered;
    for (int32_t i = 0; i < covered->window_count; ++i) {
        const rill_window *w = &covered->windows[i];
        for (int32_t k = 0; k < flow->claimed_count; ++k) {
            const int32_t offset = flow->claimed[k] - w->place, y = offset / w->sheet->stride;
            const int32_t x = offset - y * w->sheet->stride;
            if (offset >= 0 && x < w->nx && y < w->ny) disown(&covered->nodes, w->node + y * w->stride + x);
        }
    }
}

void rill_covered_hold_rising(const rill_flow *flow, bool held) {
    const rill_covered *covered = flow->covered;
    const rill_rising *rising = flow->rising.data;
    for (int32_t i = 0; i < covered->window_count; ++i) {
        const rill_window *w = &covered->windows[i];
        const int32_t stride = w->sheet->stride, end = w->ny * stride;
        int32_t y = 0;
        for (size_t k = 0; k < flow->rising.count; ++k) {
            const int32_t offset = rising[k].place - w->place;
            if (offset < 0) continue;
            if (offset >= end) break; /* they are in order */
            while ((y + 1) * stride <= offset) ++y;
            const int32_t x = offset - y * stride, node = w->node + y * w->stride + x;
            const int32_t room = held ? rising[k].room : 0;
            if (x >= w->nx || !rill_covered_roofed(covered, node)) continue;
            covered->nodes.c[node] = flow->bed->c[rising[k].place] - room;
            covered->nodes.fill[node] += room;
        }
    }
}

void rill_covered_read(rill_flow *flow, bool again) {
    for (int32_t i = 0; i < flow->covered->window_count; ++i) read_window(flow, &flow->covered->windows[i], again);
    disown_claimed(flow);
    rill_covered_hold_rising(flow, true);
}
