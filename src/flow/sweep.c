/* The dense sweep: one pass over each sheet, in place, rows in flight.
 *
 * When row r is read, the rows behind it are finished stage by stage (each needs the rows its predecessor just did):
 *
 *     r      raw        q of its west and south faces from H, u, v as they were; copies of u, v
 *     r - 1  flag       which columns would give or take too much;  scale by donor, round to whole quanta
 *     r - 2  settle     scale by receiver where a column might overfill
 *     r - 3  deposit    H += t; what falls over brinks leaves again (brinks.c)
 *     r - 3  force      what heads and viscosity make of u, v
 *     r - 4  drive      new u, v: what the t just moved have carried there, slowed by viscosity
 *
 * Only spans of swept tiles are touched; outside them transfers and velocities are zero by definition of a swept tile.
 * A sheet may be cut into bands of rows for several tasks; each task copies the rows around its band first (old values
 * that its neighbours change) and redoes their raw..force stages: the result is the same bits for any cut. */
#include "base/dispatch.h"
#include "flow/ceiling.h"
#include "flow/flow_internal.h"

#include <string.h>

RILL_DISPATCH(rill_kernels)

typedef struct sweep {
    rill_flow *flow;
    const rill_flow_settings *settings;
    const rill_kernel_constants *constants;
    const rill_kernels *kernels;
} sweep;

/* The part of a sheet that one task sweeps: rows [from, to), with `low` and `high` telling whether rows beyond belong
 * to another task. */
typedef struct piece {
    const sweep *sweep;
    const rill_sheet *sheet;
    rill_ring *ring;
    int32_t from, to;
    int32_t first_row; /* of the sheet, all sheets counted through */
    bool low, high;
} piece;

enum { HALO_LOW = 5, HALO_HIGH = 4 };

/* ------------------------------------------------------------------------------------------------------- row access */

static rill_slot *slot_of(const piece *part, int32_t row) {
    return &part->ring->slots[row & (RILL_RING - 1)];
}

/* The spans of a row; none outside the sheet. */
static const rill_span *row_spans(const piece *part, int32_t row, int32_t *count) {
    const rill_flow_scratch *scratch = part->sweep->flow->scratch;
    *count = 0;
    if (row < 0 || row >= rill_sheet_rows(part->sheet)) return NULL;
    const int32_t *first = scratch->row_first + part->first_row + row;
    *count = first[1] - first[0];
    return scratch->spans + first[0];
}

/* Offset of a row in the halo copies, or -1 if the row is read from the planes. */
static ptrdiff_t halo_offset(const piece *part, int32_t row) {
    ptrdiff_t index = -1;
    if (part->low && row < part->from) index = row - (part->from - HALO_LOW);
    if (part->high && row >= part->to) index = HALO_LOW + (row - part->to);
    return index < 0 ? -1 : index * part->ring->width + RILL_PAD_X;
}

static void clear_transfers(const rill_row *row, int32_t from, int32_t to) {
    size_t bytes = (size_t)(to - from) * sizeof(float);
    memset(row->qx + from, 0, bytes);
    memset(row->qy + from, 0, bytes);
    memset(row->ux + from, 0, bytes);
    memset(row->vy + from, 0, bytes);
    memset(row->ex + from, 0, bytes);
    memset(row->ey + from, 0, bytes);
    memset(row->gx + from, 0, bytes);
    memset(row->gy + from, 0, bytes);
}

/* Clears what the spans of a slot's last row wrote and those of the next one will not. */
static void clear_spans(const rill_slot *slot, const rill_span *next, int32_t count) {
    const rill_span *end = count > 0 ? next + count : next;
    for (int32_t i = 0; i < slot->span_count; ++i) {
        int32_t from = slot->spans[i].from, to = from + slot->spans[i].count;
        while (from < to) {
            while (next < end && next->from + next->count <= from) ++next;
            int32_t until = next < end && next->from < to ? next->from : to;
            if (from < until) clear_transfers(&slot->row, from, until);
            from = until < to ? next->from + next->count : to;
        }
    }
}

/* Factors 1 and flags 0 again. */
static void clear_flags(const rill_ring *ring, rill_slot *slot) {
    if (!slot->flagged) return;
    slot->flagged = false;
    for (int32_t segment = 0; segment < ring->segments - 1; ++segment) {
        int32_t from = segment * RILL_SEGMENT, to = from + RILL_SEGMENT, end = ring->width - RILL_PAD_X;
        if (!slot->flags[segment]) continue;
        slot->flags[segment] = 0;
        if (to > end) to = end;
        for (int32_t i = from; i < to; ++i) slot->row.Ko[i] = slot->row.Ki[i] = 1.0f;
    }
}

/* Gives a slot to a row with these spans. */
static void open_row(const piece *part, int32_t row, const rill_span *spans, int32_t count) {
    rill_slot *slot = slot_of(part, row);
    clear_spans(slot, spans, count);
    clear_flags(part->ring, slot);
    slot->spans = spans;
    slot->span_count = count;
    slot->level = slot->settled = 0;
    const rill_flow *flow = part->sweep->flow;
    ptrdiff_t place = rill_sheet_place(part->sheet, 0, row), halo = halo_offset(part, row);
    slot->row.b = rill_flow_bases(flow) + place;
    slot->row.c = flow->bed->c + place;
    if (part->sweep->constants->pushed) {
        slot->row.fx = flow->push.west + place;
        slot->row.fy = flow->push.south + place;
    }
    slot->row.H = halo < 0 ? flow->H + place : part->ring->halo_H + halo;
    slot->row.u = halo < 0 ? flow->u + place : part->ring->halo_u + halo;
    slot->row.v = halo < 0 ? flow->v + place : part->ring->halo_v + halo;
}

/* ----------------------------------------------------------------------------------------------------------- stages */

static int32_t higher(int32_t a, int32_t b) {
    return a > b ? a : b;
}

static void measure_row(const piece *part, int32_t row) {
    const rill_flow_scratch *scratch = part->sweep->flow->scratch;
    rill_slot *here = slot_of(part, row);
    int32_t highest = 0;
    bool watched = scratch->near_top || scratch->roofed[part->sheet - part->sweep->flow->bed->sheets];
    for (int32_t i = 0; watched && i < here->span_count; ++i)
        highest = higher(highest, part->sweep->kernels->level(here->spans[i].from, here->spans[i].count, &here->row));
    here->level = here->settled = highest;
}

/* Short spans defeat the processor's own prefetching: each row begins on another page. */
static void fetch_ahead(const piece *part, int32_t row, const rill_span *span) {
    enum { AHEAD = 2, SHORT = 256, LINE = 16 };
    const rill_flow *flow = part->sweep->flow;
    int32_t from = rill_sheet_place(part->sheet, span->from, row + AHEAD);
    if (span->count > SHORT || row + AHEAD >= rill_sheet_rows(part->sheet)) return;
    for (int32_t place = from; place < from + span->count; place += LINE) {
        __builtin_prefetch(rill_flow_bases(flow) + place);
        __builtin_prefetch(flow->H + place);
        __builtin_prefetch(flow->u + place);
        __builtin_prefetch(flow->v + place);
    }
}

/* While the liquid of a row and of the row south of it stays below a span's lintel, the kernels for open sky give the
 * same bits as those that watch ceilings. */
static void raw_row(const piece *part, int32_t row) {
    const sweep *all = part->sweep;
    const rill_slot *here = slot_of(part, row), *south = slot_of(part, row - 1);
    rill_raw_kernel *raw = all->settings->paper ? all->kernels->raw_paper : all->kernels->raw;
    const int32_t level = higher(here->level, south->level);
    for (int32_t i = 0; i < here->span_count; ++i) {
        const rill_span *span = &here->spans[i];
        fetch_ahead(part, row, span);
        raw(span->from, span->count, &here->row, &south->row, level > span->lintel, all->constants);
    }
}

/* Calls `work` for each stretch of a row's spans within one limiter segment. */
typedef void segment_work(const piece *part, int32_t row, int32_t segment, int32_t x, int32_t n);
static void each_segment(const piece *part, int32_t row, segment_work *work) {
    const rill_slot *here = slot_of(part, row);
    for (int32_t i = 0; i < here->span_count; ++i) {
        int32_t end = here->spans[i].from + here->spans[i].count;
        for (int32_t x = here->spans[i].from, next; x < end; x = next) {
            int32_t segment = x / RILL_SEGMENT;
            next = (segment + 1) * RILL_SEGMENT < end ? (segment + 1) * RILL_SEGMENT : end;
            work(part, row, segment, x, next - x);
        }
    }
}

static void limit_out_segment(const piece *part, int32_t row, int32_t segment, int32_t x, int32_t n) {
    const rill_slot *here = slot_of(part, row), *north = slot_of(part, row + 1);
    int32_t found = part->sweep->kernels->flag(x, n, &here->row, &north->row, true);
    here->flags[segment] |= (uint8_t)found;
    if (found & 1) part->sweep->kernels->limit_out(x, n, &here->row, &north->row);
}

/* Flags are rare: a row is looked at by segments only if some column of it has one. */
static void flag_row(const piece *part, int32_t row) {
    rill_slot *here = slot_of(part, row);
    const rill_slot *north = slot_of(part, row + 1);
    for (int32_t i = 0; i < here->span_count && !here->flagged; ++i) {
        const rill_span *span = &here->spans[i];
        here->flagged =
            part->sweep->kernels->flag(span->from, span->count, &here->row, &north->row, span->lintel < RILL_WALL);
    }
    if (here->flagged) each_segment(part, row, limit_out_segment);
}

/* Flags of all columns that the faces of a segment touch. */
static int32_t flags_near(const piece *part, int32_t row, int32_t segment) {
    const uint8_t *here = slot_of(part, row)->flags, *south = slot_of(part, row - 1)->flags;
    return here[segment] | here[segment - 1] | south[segment];
}

static void scale_segment(const piece *part, int32_t row, int32_t segment, int32_t x, int32_t n) {
    const rill_kernels *kernels = part->sweep->kernels;
    const rill_row *here = &slot_of(part, row)->row;
    float phase = part->sweep->constants->phase;
    int32_t near = flags_near(part, row, segment);
    if (!near) {
        kernels->whole(x, n, here, phase);
        return;
    }
    kernels->scale_out(x, n, here, &slot_of(part, row - 1)->row);
    if (!(near & 2)) kernels->whole_scaled(x, n, here, phase); /* settle_row rounds the others */
}

static bool flagged_near(const piece *part, int32_t row) {
    return slot_of(part, row)->flagged || slot_of(part, row - 1)->flagged;
}

static void scale_row(const piece *part, int32_t row) {
    const rill_slot *here = slot_of(part, row);
    if (flagged_near(part, row)) {
        each_segment(part, row, scale_segment);
        return;
    }
    for (int32_t i = 0; i < here->span_count; ++i)
        part->sweep->kernels->whole(here->spans[i].from, here->spans[i].count, &here->row,
                                    part->sweep->constants->phase);
}

static void limit_in_segment(const piece *part, int32_t row, int32_t segment, int32_t x, int32_t n) {
    const rill_slot *here = slot_of(part, row);
    if (here->flags[segment] & 2) part->sweep->kernels->limit_in(x, n, &here->row, &slot_of(part, row + 1)->row);
}

static void settle_segment(const piece *part, int32_t row, int32_t segment, int32_t x, int32_t n) {
    if (!(flags_near(part, row, segment) & 2)) return;
    part->sweep->kernels->scale_in(x, n, &slot_of(part, row)->row, &slot_of(part, row - 1)->row,
                                   part->sweep->constants->phase);
}

static void settle_row(const piece *part, int32_t row) {
    if (slot_of(part, row)->flagged) each_segment(part, row, limit_in_segment);
    if (flagged_near(part, row)) each_segment(part, row, settle_segment);
}

/* A row as brinks need it. */
static rill_row_place place_of(const piece *part, int32_t row) {
    return (rill_row_place){ .here = slot_of(part, row),
                             .south = slot_of(part, row - 1),
                             .north = slot_of(part, row + 1),
                             .row = part->first_row + row,
                             .owned = row >= part->from && row < part->to,
                             .last = row + 1 >= rill_sheet_rows(part->sheet) };
}

static void deposit_row(const piece *part, int32_t row) {
    rill_slot *here = slot_of(part, row);
    const rill_slot *north = slot_of(part, row + 1);
    rill_flow_extent extent = { 0 };
    if (here->span_count == 0) return;
    for (int32_t i = 0; i < here->span_count; ++i)
        part->sweep->kernels->deposit(here->spans[i].from, here->spans[i].count, &here->row, &north->row,
                                      part->sweep->constants, &extent);
    if (part->sweep->flow->brinks) {
        const rill_row_place place = place_of(part, row);
        rill_brinks_take(part->sweep->flow, &place);
    }
    rill_flow_widen(&part->ring->extent, &extent);
    here->settled = higher(here->settled, extent.level);
    /* Rows beside the band are only copies: the tasks that own them book what they lost. */
    rill_edge_flow copy[4] = { { 0 } };
    rill_edges_restore(part->sweep->flow, part->sheet, row, here->row.H,
                       row < part->from || row >= part->to ? copy : part->ring->edges);
}

/* Whether a span's kernels must watch ceilings after the move: also for columns that are full, a hair below them. */
static bool is_covered(const rill_slot *here, const rill_slot *south, const rill_span *span) {
    return higher(here->settled, south->settled) + RILL_SUBMERGED >= span->lintel;
}

/* Whether some span of a row does. */
static bool watches_ceilings(const piece *part, int32_t row) {
    const rill_slot *here = slot_of(part, row), *south = slot_of(part, row - 1);
    bool any = false;
    for (int32_t i = 0; i < here->span_count; ++i) any |= is_covered(here, south, &here->spans[i]);
    return any;
}

static void force_row(const piece *part, int32_t row) {
    const sweep *all = part->sweep;
    const rill_slot *here = slot_of(part, row), *south = slot_of(part, row - 1);
    if (all->settings->paper || !all->settings->advection) return;
    for (int32_t i = 0; i < here->span_count; ++i) {
        const rill_span *span = &here->spans[i];
        all->kernels->force(span->from, span->count, &here->row, &south->row, is_covered(here, south, span),
                            rill_guard_of(all->constants), all->constants);
    }
    if (!all->flow->brinks || here->span_count == 0) return;
    const rill_row_place place = place_of(part, row);
    rill_brinks_force(all->flow, &place, watches_ceilings(part, row), all->constants);
}

static void drive_row(const piece *part, int32_t row) {
    const sweep *all = part->sweep;
    const rill_slot *here = slot_of(part, row), *south = slot_of(part, row - 1), *north = slot_of(part, row + 1);
    const rill_guard guard = rill_guard_of(all->constants);
    rill_drive_kernel *drive =
        all->settings->paper ? all->kernels->drive_paper[guard] : all->kernels->drive[all->settings->advection][guard];
    for (int32_t i = 0; i < here->span_count; ++i) {
        const rill_span *span = &here->spans[i];
        drive(span->from, span->count, &here->row, &south->row, &north->row, is_covered(here, south, span),
              all->constants);
    }
    if (!all->flow->brinks || here->span_count == 0) return;
    const rill_row_place place = place_of(part, row);
    rill_brinks_drive(all->flow, &place, watches_ceilings(part, row), all->settings->advection, all->constants);
}

/* ----------------------------------------------------------------------------------------------------------- pieces */

static void sweep_piece(const piece *part) {
    int32_t rows = rill_sheet_rows(part->sheet);
    int32_t first = part->low ? part->from - 4 : 0, last = part->high ? part->to + 3 : rows - 1;
    if (first < 0) first = 0;
    if (last > rows - 1) last = rows - 1;
    int32_t idle = RILL_RING + 1; /* rows without spans since the last with some; after RILL_RING all slots are clean */
    for (int32_t row = first; row <= last + 4; ++row) {
        int32_t count = 0;
        const rill_span *spans = row <= last ? row_spans(part, row, &count) : NULL;
        if (count && idle > RILL_RING) open_row(part, row - 1, NULL, 0); /* beside this row's south faces */
        idle = count ? 0 : idle + 1;
        if (idle > RILL_RING) continue;
        open_row(part, row, spans, count);
        measure_row(part, row);
        raw_row(part, row);
        if (row - 1 >= first) {
            flag_row(part, row - 1);
            scale_row(part, row - 1);
        }
        if (row - 2 >= first) settle_row(part, row - 2);
        if (row - 3 >= part->from - 2 && row - 3 >= first && row - 3 <= part->to) {
            deposit_row(part, row - 3);
            force_row(part, row - 3);
        }
        if (row - 4 >= part->from && row - 4 < part->to) drive_row(part, row - 4);
    }
    for (int32_t slot = 0; slot < RILL_RING; ++slot) open_row(part, slot, NULL, 0); /* clean for the next */
}

static void copy_halo(const piece *part) {
    const rill_flow *flow = part->sweep->flow;
    size_t stride = (size_t)part->sheet->stride, pitch = (size_t)part->ring->width;
    for (int32_t i = 0; i < HALO_LOW + HALO_HIGH; ++i) {
        int32_t row = i < HALO_LOW ? part->from - HALO_LOW + i : part->to + i - HALO_LOW;
        if (!(i < HALO_LOW ? part->low : part->high) || row < -1 || row > rill_sheet_rows(part->sheet)) continue;
        int32_t place = rill_sheet_place(part->sheet, -RILL_PAD_X, row);
        memcpy(part->ring->halo_H + (size_t)i * pitch, flow->H + place, stride * sizeof(int32_t));
        memcpy(part->ring->halo_u + (size_t)i * pitch, flow->u + place, stride * sizeof(float));
        memcpy(part->ring->halo_v + (size_t)i * pitch, flow->v + place, stride * sizeof(float));
    }
}

/* Calls `work` for each sheet's part of a band. */
static void each_piece(const sweep *all, int32_t task, void (*work)(const piece *part)) {
    const rill_flow_scratch *scratch = all->flow->scratch;
    rill_band band = scratch->bands[task];
    for (int32_t i = 0; i < all->flow->bed->sheet_count; ++i) {
        int32_t begin = scratch->edges.sheet_first[i], end = scratch->edges.sheet_first[i + 1];
        int32_t from = band.from > begin ? band.from : begin, to = band.to < end ? band.to : end;
        if (from >= to || scratch->row_first[from] == scratch->row_first[to]) continue;
        piece part = { .sweep = all,
                       .sheet = &all->flow->bed->sheets[i],
                       .ring = &scratch->rings[task],
                       .from = from - begin,
                       .to = to - begin,
                       .first_row = begin,
                       .low = from > begin,
                       .high = to < end };
        work(&part);
    }
}

static void copy_task(void *context, int32_t task) {
    each_piece(context, task, copy_halo);
}

static void sweep_task(void *context, int32_t task) {
    const sweep *all = context;
    rill_ring *ring = &all->flow->scratch->rings[task];
    ring->extent = (rill_flow_extent){ 0 };
    memset(ring->edges, 0, sizeof ring->edges);
    each_piece(all, task, sweep_piece);
}

void rill_sweep(rill_flow *flow, const rill_flow_settings *settings, const rill_kernel_constants *constants,
                rill_edge_flow *flows) {
    rill_flow_scratch *scratch = flow->scratch;
    sweep all = { flow, settings, constants, rill_kernels_pick(settings->scalar) };
    flow->extent = scratch->idle;
    if (scratch->band_count == 0) return;
    rill_spans_freeze(flow);
    if (flow->brinks) rill_brinks_choose(flow);
    if (scratch->band_count > 1)
        rill_parallel_for(settings->runtime, settings->pool, scratch->band_count, copy_task, &all);
    rill_parallel_for(settings->runtime, settings->pool, scratch->band_count, sweep_task, &all);
    for (int32_t i = 0; i < scratch->band_count; ++i) {
        rill_flow_widen(&flow->extent, &scratch->rings[i].extent);
        for (int edge = 0; edge < 4; ++edge) {
            flows[edge].left += scratch->rings[i].edges[edge].left;
            flows[edge].entered += scratch->rings[i].edges[edge].entered;
        }
    }
    if (flow->brinks) rill_brinks_collect(flow);
}
