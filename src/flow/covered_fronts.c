/* Fronts: columns that are no members and yet move with them. See covered.c.
 *
 * A column beside members may end below its ceiling only because as much leaves on its other sides: then all of its
 * faces must move together, that is, all of them are covered. This is repeated, because its neighbours may be such
 * columns then.
 *
 * What covered faces change at a column depends on it, on the four beside it and on the pipes that end in it alone.
 * After the first time only those rows are looked at again that lie near one where faces have been covered since: they
 * are kept as bits, one for each band of rows of a window. */
#include "flow/covered_parts.h"

enum { BANDS = 63, LEAST_ROWS = 8 };

static const uint64_t WHOLE = (uint64_t)1 << BANDS; /* all bands at once, as mostly once is enough */

static int32_t rows_per_band(const rill_window *w) {
    return rill_max_i(LEAST_ROWS, (w->ny + BANDS - 1) / BANDS);
}

static uint64_t bit_of(const rill_window *w, int32_t y) {
    return (uint64_t)1 << (y / rows_per_band(w));
}

/* The window of a node, and the band it is in. */
typedef struct band {
    rill_window *window;
    uint64_t bit;
} band;

static band band_of(rill_covered *covered, int32_t node) {
    rill_window *w = covered->windows + (rill_covered_window(covered, node) - covered->windows);
    return (band){ w, bit_of(w, (node - w->node) / w->stride) };
}

/* The bit of a row's band if that is due, or all of them. */
static uint64_t bits_due(const rill_window *w, int32_t y) {
    return w->due & WHOLE ? ~WHOLE : bit_of(w, y) & w->due;
}

/* Loops over what lies of the strips of a window in bands that are due: runs of rows, and the bit of their band. */
#define EACH_DUE(covered, w, part, bit)                                                                                \
    EACH_STRIP(covered, w, strip_)                                                                                     \
        for (rill_strip part = { strip_->x, strip_->y, strip_->n, 0 }; cut_rows(w, strip_, &part);                     \
             part.y += part.rows)                                                                                      \
            for (uint64_t bit = bits_due(w, part.y); bit; bit = 0)

/* As many rows of a strip, from `part` on, as are in one band; false at its end. */
static bool cut_rows(const rill_window *w, const rill_strip *strip, rill_strip *part) {
    const int32_t rows = w->due & WHOLE ? w->ny : rows_per_band(w), end = strip->y + strip->rows;
    part->rows = rill_min_i((part->y / rows + 1) * rows, end) - part->y;
    return part->y < end;
}

/* Pipes that have been covered since change what is at their ends. */
static void note_pipes(rill_covered *covered) {
    for (int32_t i = 0; i < covered->pipe_count; ++i) {
        rill_covered_pipe *pipe = &covered->pipes[i];
        if (pipe->noted || !rill_covered_pipe_covered(covered, pipe)) continue;
        const int32_t ends[2] = { pipe->node_l, pipe->node_r };
        pipe->noted = true;
        for (int k = 0; k < 2; ++k) {
            if (ends[k] < 0) continue;
            const band at = band_of(covered, ends[k]);
            at.window->due |= at.bit;
        }
    }
}

static void change_node(rill_covered *covered, int32_t node, double by) {
    if (node < 0) return;
    const band at = band_of(covered, node);
    if (at.window->due & at.bit) covered->poisson.f[node] += by;
}

/* What covered faces change, into f, where that is due. */
static void find_changes(rill_covered *covered) {
    for (const rill_window *w = covered->windows; w < covered->windows + covered->window_count; ++w)
        EACH_DUE(covered, w, part, bit) {
            const rill_covered_run run = rill_covered_run_of(covered, w, &part);
            covered->kernels->change(run.at, &run.nodes, &run.west, &run.south, covered->poisson.f + run.node);
        }
    for (int32_t i = 0; i < covered->pipe_count; ++i) {
        const rill_covered_pipe *pipe = &covered->pipes[i];
        if (!pipe->noted) continue;
        change_node(covered, pipe->node_l, -pipe->q);
        change_node(covered, pipe->node_r, pipe->q);
    }
}

/* Covers the faces of columns that this would overfill; due is then what lies beside these. False if there are none. */
static bool cover_columns(rill_covered *covered) {
    uint64_t any = 0;
    for (rill_window *w = covered->windows; w < covered->windows + covered->window_count; ++w) {
        uint64_t fresh = 0, beyond = 0;
        EACH_DUE(covered, w, part, bit) {
            const rill_covered_run run = rill_covered_run_of(covered, w, &part);
            const int32_t verdict = covered->kernels->cover(run.at, &run.nodes, covered->poisson.f + run.node);
            if (verdict & RILL_COVERED_FRESH) fresh |= bit;
            if (verdict & RILL_COVERED_BEYOND) beyond |= bit;
        }
        w->beyond = (w->beyond & ~w->due) | beyond;
        w->due = (fresh | fresh << 1 | fresh >> 1) & ~WHOLE;
        any |= fresh;
    }
    return any != 0;
}

bool rill_covered_cover_fronts(rill_covered *covered) {
    uint64_t beyond = 0;
    for (int32_t i = 0; i < covered->window_count; ++i) covered->windows[i].due = ~(uint64_t)0; /* WHOLE too */
    for (int32_t i = 0; i < covered->pipe_count; ++i) covered->pipes[i].noted = false;
    do {
        note_pipes(covered);
        find_changes(covered);
    } while (cover_columns(covered));
    for (int32_t i = 0; i < covered->window_count; ++i) beyond |= covered->windows[i].beyond;
    return beyond || rill_covered_crowded(covered);
}
