/* The dense sweep: one pass over each sheet, in place, rows in flight.
 *
 * When row r is read, the rows behind it are finished stage by stage (each needs the rows its predecessor just did):
 *
 *     r      raw        q of its west and south faces from H, u, v as they were; copies of u, v
 *     r - 1  flag       which columns would give or take too much;  scale by donor, round to whole quanta
 *     r - 2  settle     scale by receiver where a column might overfill
 *     r - 3  deposit    H += t
 *     r - 3  drive      new u, v from the new H, the t just moved and the old u, v of the neighbours
 *
 * Only spans of swept tiles are touched; outside them transfers and velocities are zero by definition of a swept tile. A
 * sheet may be cut into bands of rows for several tasks; each task copies the rows around its band first (old values that
 * its neighbours change) and redoes their raw..deposit stages: the result is the same bits for any cut. */
#include "flow/scratch.h"

#include <string.h>

typedef struct sweep {
    rill_flow *flow;
    const rill_flow_settings *settings;
    const rill_kernel_constants *constants;
    const rill_kernels *kernels;
} sweep;

/* The part of a sheet that one task sweeps: rows [from, to), with `low` and `high` telling whether rows beyond belong to
 * another task. */
typedef struct piece {
    const sweep *sweep;
    const rill_sheet *sheet;
    rill_ring *ring;
    int32_t from, to;
    int32_t first_row; /* of the sheet, all sheets counted through */
    bool low, high;
} piece;

enum { HALO_LOW = 4, HALO_HIGH = 3 };

/* ------------------------------------------------------------------------------------------------------- row access */

static float *ring_row(const rill_ring *ring, float *base, int32_t row) {
    return base + (size_t)(row & (RILL_RING - 1)) * (size_t)ring->width + RILL_PAD_X;
}
static uint8_t *flag_row(const rill_ring *ring, int32_t row) {
    return ring->flags + (size_t)(row & (RILL_RING - 1)) * (size_t)ring->segments + 1;
}

/* Offset of a row in the halo copies, or -1 if the row is read from the planes. */
static ptrdiff_t halo_offset(const piece *p, int32_t row) {
    ptrdiff_t index = -1;
    if (p->low && row < p->from) index = row - (p->from - HALO_LOW);
    if (p->high && row >= p->to) index = HALO_LOW + (row - p->to);
    return index < 0 ? -1 : index * p->ring->width + RILL_PAD_X;
}
static int32_t *row_H(const piece *p, int32_t row) {
    ptrdiff_t halo = halo_offset(p, row);
    return halo < 0 ? p->sweep->flow->H + rill_sheet_place(p->sheet, 0, row) : p->ring->halo_H + halo;
}
static const float *row_u(const piece *p, int32_t row, float *plane, float *copy) {
    ptrdiff_t halo = halo_offset(p, row);
    return halo < 0 ? plane + rill_sheet_place(p->sheet, 0, row) : copy + halo;
}
static const int32_t *row_b(const piece *p, int32_t row) {
    return p->sweep->flow->bed->b + rill_sheet_place(p->sheet, 0, row);
}
static const int32_t *row_c(const piece *p, int32_t row) {
    return p->sweep->flow->bed->c + rill_sheet_place(p->sheet, 0, row);
}

/* The spans of a row; none outside the sheet. */
static const rill_span *row_spans(const piece *p, int32_t row, int32_t *count) {
    const rill_flow_scratch *scratch = p->sweep->flow->scratch;
    *count = 0;
    if (row < 0 || row >= rill_sheet_rows(p->sheet)) return NULL;
    const int32_t *first = scratch->row_first + p->first_row + row;
    *count = first[1] - first[0];
    return scratch->spans + first[0];
}

/* ----------------------------------------------------------------------------------------------------------- stages */

/* Gives a ring slot to a new row with these spans: zero outside them, factors 1, flags 0. */
static void open_row(rill_ring *ring, int32_t row, const rill_span *spans, int32_t count) {
    int32_t slot = row & (RILL_RING - 1);
    bool same = count == ring->span_count[slot] &&
                (count == 0 || memcmp(spans, ring->spans[slot], (size_t)count * sizeof *spans) == 0);
    for (int32_t i = 0; !same && i < ring->span_count[slot]; ++i) {
        int32_t from = ring->spans[slot][i].from;
        size_t bytes = (size_t)ring->spans[slot][i].count * sizeof(float);
        memset(ring_row(ring, ring->qx, row) + from, 0, bytes);
        memset(ring_row(ring, ring->qy, row) + from, 0, bytes);
        memset(ring_row(ring, ring->ux, row) + from, 0, bytes);
        memset(ring_row(ring, ring->vy, row) + from, 0, bytes);
    }
    ring->spans[slot] = spans;
    ring->span_count[slot] = count;
    if (!ring->flagged[slot]) return;
    ring->flagged[slot] = false;
    float *Ko = ring_row(ring, ring->Ko, row), *Ki = ring_row(ring, ring->Ki, row);
    for (int32_t i = -RILL_PAD_X; i < ring->width - RILL_PAD_X; ++i) Ko[i] = Ki[i] = 1.0f;
    memset(flag_row(ring, row) - 1, 0, (size_t)ring->segments);
}

/* The columns of a row and of the row south of it, from column 0 on. */
typedef struct row_pair {
    const int32_t *b, *H, *c, *b_south, *H_south, *c_south;
} row_pair;

static row_pair row_and_south(const piece *p, int32_t row) {
    return (row_pair){ row_b(p, row),     row_H(p, row),     row_c(p, row),
                       row_b(p, row - 1), row_H(p, row - 1), row_c(p, row - 1) };
}
/* The columns beside the west faces and beside the south faces of a row. */
static rill_face_columns west_columns(const row_pair *r, int32_t x, bool covered) {
    return (rill_face_columns){
        r->b + x - 1, r->b + x, r->H + x - 1, r->H + x, covered ? r->c + x - 1 : NULL, covered ? r->c + x : NULL
    };
}
static rill_face_columns south_columns(const row_pair *r, int32_t x, bool covered) {
    return (rill_face_columns){
        r->b_south + x, r->b + x, r->H_south + x, r->H + x, covered ? r->c_south + x : NULL, covered ? r->c + x : NULL
    };
}

/* The highest level of a row and the row south of it: while it is below a span's lintel, the kernels for open sky give the
 * same bits as those that watch ceilings. */
static int32_t level_near(const int32_t levels[RILL_RING], int32_t row) {
    int32_t here = levels[row & (RILL_RING - 1)], south = levels[(row - 1) & (RILL_RING - 1)];
    return here > south ? here : south;
}

static void measure_row(const piece *p, int32_t row, const rill_span *spans, int32_t count) {
    const rill_flow_scratch *scratch = p->sweep->flow->scratch;
    int32_t highest = 0;
    bool watched = scratch->near_top || scratch->roofed[p->sheet - p->sweep->flow->bed->sheets];
    for (int32_t i = 0; watched && i < count; ++i) {
        int32_t x = spans[i].from;
        int32_t level = p->sweep->kernels->level(spans[i].count, row_b(p, row) + x, row_H(p, row) + x);
        if (level > highest) highest = level;
    }
    p->ring->level[row & (RILL_RING - 1)] = p->ring->settled[row & (RILL_RING - 1)] = highest;
}

/* Short spans defeat the processor's own prefetching: each row begins on another page. */
static void fetch_ahead(const piece *p, int32_t row, const rill_span *span) {
    enum { AHEAD = 2, SHORT = 256, LINE = 16 };
    const rill_flow *flow = p->sweep->flow;
    int32_t from = rill_sheet_place(p->sheet, span->from, row + AHEAD);
    if (span->count > SHORT || row + AHEAD >= rill_sheet_rows(p->sheet)) return;
    for (int32_t place = from; place < from + span->count; place += LINE) {
        __builtin_prefetch(flow->bed->b + place);
        __builtin_prefetch(flow->H + place);
        __builtin_prefetch(flow->u + place);
        __builtin_prefetch(flow->v + place);
    }
}

static void raw_row(const piece *p, int32_t row) {
    const sweep *s = p->sweep;
    rill_ring *ring = p->ring;
    int32_t count;
    const rill_span *spans = row_spans(p, row, &count);
    const float *u = row_u(p, row, s->flow->u, ring->halo_u), *v = row_u(p, row, s->flow->v, ring->halo_v);
    const row_pair pair = row_and_south(p, row);
    const int32_t level = level_near(ring->level, row);
    for (int32_t i = 0; i < count; ++i) {
        int32_t x = spans[i].from, n = spans[i].count;
        bool covered = level > spans[i].lintel;
        rill_face_columns west = west_columns(&pair, x, covered), south = south_columns(&pair, x, covered);
        fetch_ahead(p, row, &spans[i]);
        float *qx = ring_row(ring, ring->qx, row) + x, *qy = ring_row(ring, ring->qy, row) + x;
        float *ux = ring_row(ring, ring->ux, row) + x, *vy = ring_row(ring, ring->vy, row) + x;
        if (s->settings->paper) {
            s->kernels->raw_paper(n, &west, u + x, s->constants, qx, ux);
            s->kernels->raw_paper(n, &south, v + x, s->constants, qy, vy);
        } else {
            s->kernels->raw(n, &west, u + x, s->constants, qx, ux);
            s->kernels->raw(n, &south, v + x, s->constants, qy, vy);
        }
    }
}

/* Calls `work` for each stretch of a row's spans within one limiter segment. */
typedef void segment_work(const piece *p, int32_t row, int32_t segment, int32_t x, int32_t n);
static void each_segment(const piece *p, int32_t row, segment_work *work) {
    int32_t count;
    const rill_span *spans = row_spans(p, row, &count);
    for (int32_t i = 0; i < count; ++i) {
        int32_t end = spans[i].from + spans[i].count;
        for (int32_t x = spans[i].from, next; x < end; x = next) {
            int32_t segment = x / RILL_SEGMENT;
            next = (segment + 1) * RILL_SEGMENT < end ? (segment + 1) * RILL_SEGMENT : end;
            work(p, row, segment, x, next - x);
        }
    }
}

static void limit_out_segment(const piece *p, int32_t row, int32_t segment, int32_t x, int32_t n) {
    rill_ring *ring = p->ring;
    if (!(flag_row(ring, row)[segment] & 1)) return;
    p->sweep->kernels->limit_out(n, ring_row(ring, ring->qx, row) + x, ring_row(ring, ring->qy, row) + x,
                                 ring_row(ring, ring->qy, row + 1) + x, row_H(p, row) + x,
                                 ring_row(ring, ring->Ko, row) + x);
}

static void flag_spans(const piece *p, int32_t row) {
    rill_ring *ring = p->ring;
    int32_t slot = row & (RILL_RING - 1), count = ring->span_count[slot]; /* none beyond the last row with transfers */
    const rill_span *spans = ring->spans[slot];
    bool flagged = false;
    for (int32_t i = 0; i < count; ++i) {
        int32_t x = spans[i].from;
        flagged |=
            p->sweep->kernels->flag(x, spans[i].count, ring_row(ring, ring->qx, row), ring_row(ring, ring->qy, row),
                                    ring_row(ring, ring->qy, row + 1), row_b(p, row), row_H(p, row),
                                    spans[i].lintel < RILL_WALL ? row_c(p, row) : NULL, flag_row(ring, row));
    }
    ring->flagged[row & (RILL_RING - 1)] = flagged;
    if (flagged) each_segment(p, row, limit_out_segment);
}

/* Flags of all columns that the faces of a segment touch. */
static int32_t flags_near(const rill_ring *ring, int32_t row, int32_t segment) {
    const uint8_t *here = flag_row(ring, row), *south = flag_row(ring, row - 1);
    return here[segment] | here[segment - 1] | south[segment];
}

static void scale_segment(const piece *p, int32_t row, int32_t segment, int32_t x, int32_t n) {
    rill_ring *ring = p->ring;
    const rill_kernels *k = p->sweep->kernels;
    float phase = p->sweep->constants->phase;
    float *qx = ring_row(ring, ring->qx, row) + x, *qy = ring_row(ring, ring->qy, row) + x;
    float *kx = ring_row(ring, ring->kx, row) + x, *ky = ring_row(ring, ring->ky, row) + x;
    const float *Ko = ring_row(ring, ring->Ko, row) + x, *Ko_south = ring_row(ring, ring->Ko, row - 1) + x;
    int32_t near = flags_near(ring, row, segment);
    if (!near) {
        k->whole(n, phase, qx, qy);
        return;
    }
    k->scale_out(n, Ko - 1, Ko, qx, ring_row(ring, ring->ux, row) + x, kx);
    k->scale_out(n, Ko_south, Ko, qy, ring_row(ring, ring->vy, row) + x, ky);
    if (near & 2) return; /* settle_row rounds these */
    k->whole_scaled(n, kx, phase, qx);
    k->whole_scaled(n, ky, phase, qy);
}

static bool row_flagged(const rill_ring *ring, int32_t row) {
    return ring->flagged[row & (RILL_RING - 1)];
}

static void scale_row(const piece *p, int32_t row) {
    rill_ring *ring = p->ring;
    if (row_flagged(ring, row) || row_flagged(ring, row - 1)) {
        each_segment(p, row, scale_segment);
        return;
    }
    int32_t count;
    const rill_span *spans = row_spans(p, row, &count);
    for (int32_t i = 0; i < count; ++i)
        p->sweep->kernels->whole(spans[i].count, p->sweep->constants->phase,
                                 ring_row(ring, ring->qx, row) + spans[i].from,
                                 ring_row(ring, ring->qy, row) + spans[i].from);
}

static void limit_in_segment(const piece *p, int32_t row, int32_t segment, int32_t x, int32_t n) {
    rill_ring *ring = p->ring;
    if (!(flag_row(ring, row)[segment] & 2)) return;
    p->sweep->kernels->limit_in(n, ring_row(ring, ring->qx, row) + x, ring_row(ring, ring->qy, row) + x,
                                ring_row(ring, ring->qy, row + 1) + x, row_b(p, row) + x, row_H(p, row) + x,
                                row_c(p, row) + x, ring_row(ring, ring->Ki, row) + x);
}

static void settle_segment(const piece *p, int32_t row, int32_t segment, int32_t x, int32_t n) {
    rill_ring *ring = p->ring;
    const rill_kernels *k = p->sweep->kernels;
    if (!(flags_near(ring, row, segment) & 2)) return;
    const float *Ki = ring_row(ring, ring->Ki, row) + x, *Ki_south = ring_row(ring, ring->Ki, row - 1) + x;
    float phase = p->sweep->constants->phase;
    k->scale_in(n, Ki - 1, Ki, ring_row(ring, ring->kx, row) + x, phase, ring_row(ring, ring->qx, row) + x,
                ring_row(ring, ring->ux, row) + x);
    k->scale_in(n, Ki_south, Ki, ring_row(ring, ring->ky, row) + x, phase, ring_row(ring, ring->qy, row) + x,
                ring_row(ring, ring->vy, row) + x);
}

static void settle_row(const piece *p, int32_t row) {
    if (row_flagged(p->ring, row)) each_segment(p, row, limit_in_segment);
    if (row_flagged(p->ring, row) || row_flagged(p->ring, row - 1)) each_segment(p, row, settle_segment);
}

static void deposit_row(const piece *p, int32_t row) {
    rill_ring *ring = p->ring;
    int32_t count, *settled = &ring->settled[row & (RILL_RING - 1)];
    const rill_span *spans = row_spans(p, row, &count);
    for (int32_t i = 0; i < count; ++i) {
        int32_t x = spans[i].from;
        rill_flow_extent extent = { 0 };
        rill_cell_flows at = { ring_row(ring, ring->qx, row) + x,     ring_row(ring, ring->qy, row) + x,
                               ring_row(ring, ring->qy, row + 1) + x, ring_row(ring, ring->ux, row) + x,
                               ring_row(ring, ring->vy, row) + x,     ring_row(ring, ring->vy, row + 1) + x };
        p->sweep->kernels->deposit(spans[i].count, &at, row_b(p, row) + x, p->sweep->constants->thin, row_H(p, row) + x,
                                   &extent);
        rill_flow_widen(&ring->extent, &extent);
        if (extent.level > *settled) *settled = extent.level;
    }
    /* The row below the band is only a copy: the task that owns it books what it lost. */
    rill_edge_flow copy[4] = { { 0 } };
    rill_edges_restore(p->sweep->flow, p->sheet, row, row_H(p, row), row < p->from ? copy : ring->edges);
}

static rill_face_flows west_flows(const rill_ring *ring, int32_t row, int32_t x) {
    const float *t = ring_row(ring, ring->qx, row) + x;
    const float *south = ring_row(ring, ring->qy, row) + x, *north = ring_row(ring, ring->qy, row + 1) + x;
    const float *u = ring_row(ring, ring->ux, row) + x;
    return (rill_face_flows){ t,
                              t - 1,
                              t + 1,
                              south - 1,
                              south,
                              north - 1,
                              north,
                              u,
                              u - 1,
                              u + 1,
                              ring_row(ring, ring->ux, row - 1) + x,
                              ring_row(ring, ring->ux, row + 1) + x };
}
static rill_face_flows south_flows(const rill_ring *ring, int32_t row, int32_t x) {
    const float *t = ring_row(ring, ring->qy, row) + x;
    const float *below = ring_row(ring, ring->qx, row - 1) + x, *above = ring_row(ring, ring->qx, row) + x;
    const float *v = ring_row(ring, ring->vy, row) + x;
    return (rill_face_flows){ t,
                              ring_row(ring, ring->qy, row - 1) + x,
                              ring_row(ring, ring->qy, row + 1) + x,
                              below,
                              above,
                              below + 1,
                              above + 1,
                              v,
                              ring_row(ring, ring->vy, row - 1) + x,
                              ring_row(ring, ring->vy, row + 1) + x,
                              v - 1,
                              v + 1 };
}

static void drive_row(const piece *p, int32_t row) {
    const sweep *s = p->sweep;
    rill_ring *ring = p->ring;
    const int32_t *tilt = s->constants->tilt;
    bool guarded = tilt[0] != 0 || tilt[1] != 0 || s->constants->capped;
    rill_drive_kernel *drive =
        s->settings->paper ? s->kernels->drive_paper[guarded] : s->kernels->drive[s->settings->advection][guarded];
    int32_t count;
    const rill_span *spans = row_spans(p, row, &count);
    const row_pair pair = row_and_south(p, row);
    const int32_t level = level_near(ring->settled, row);
    for (int32_t i = 0; i < count; ++i) {
        int32_t x = spans[i].from, n = spans[i].count, place = rill_sheet_place(p->sheet, x, row);
        bool covered = level >= spans[i].lintel;
        rill_face_columns west = west_columns(&pair, x, covered), south = south_columns(&pair, x, covered);
        rill_face_flows flows_west = west_flows(ring, row, x), flows_south = south_flows(ring, row, x);
        drive(n, &west, &flows_west, s->constants, tilt[0], s->flow->u + place);
        drive(n, &south, &flows_south, s->constants, tilt[1], s->flow->v + place);
    }
}

/* ------------------------------------------------------------------------------------------------------------ pieces */

static void sweep_piece(const piece *p) {
    int32_t rows = rill_sheet_rows(p->sheet);
    int32_t first = p->low ? p->from - 3 : 0, last = p->high ? p->to + 2 : rows - 1;
    if (first < 0) first = 0;
    if (last > rows - 1) last = rows - 1;
    int32_t idle = RILL_RING; /* rows without spans since the last with some: from RILL_RING on all slots are clean */
    for (int32_t row = first; row <= last + 3; ++row) {
        int32_t count = 0;
        const rill_span *spans = row <= last ? row_spans(p, row, &count) : NULL;
        idle = count ? 0 : idle + 1;
        if (idle > RILL_RING) continue;
        open_row(p->ring, row, spans, count);
        measure_row(p, row, spans, count);
        if (count) raw_row(p, row);
        if (row - 1 >= first) {
            flag_spans(p, row - 1);
            scale_row(p, row - 1);
        }
        if (row - 2 >= first) settle_row(p, row - 2);
        if (row - 3 >= p->from - 1 && row - 3 >= first && row - 3 < p->to) deposit_row(p, row - 3);
        if (row - 3 >= p->from && row - 3 < p->to) drive_row(p, row - 3);
    }
    for (int32_t slot = 0; slot < RILL_RING; ++slot) open_row(p->ring, slot, NULL, 0); /* clean for the next */
}

static void copy_halo(const piece *p) {
    const rill_flow *flow = p->sweep->flow;
    size_t stride = (size_t)p->sheet->stride, pitch = (size_t)p->ring->width;
    for (int32_t i = 0; i < HALO_LOW + HALO_HIGH; ++i) {
        int32_t row = i < HALO_LOW ? p->from - HALO_LOW + i : p->to + i - HALO_LOW;
        if (!(i < HALO_LOW ? p->low : p->high) || row < -1 || row > rill_sheet_rows(p->sheet)) continue;
        int32_t place = rill_sheet_place(p->sheet, -RILL_PAD_X, row);
        memcpy(p->ring->halo_H + (size_t)i * pitch, flow->H + place, stride * sizeof(int32_t));
        memcpy(p->ring->halo_u + (size_t)i * pitch, flow->u + place, stride * sizeof(float));
        memcpy(p->ring->halo_v + (size_t)i * pitch, flow->v + place, stride * sizeof(float));
    }
}

/* Calls `work` for each sheet's part of a band. */
static void each_piece(const sweep *s, int32_t task, void (*work)(const piece *p)) {
    const rill_flow_scratch *scratch = s->flow->scratch;
    rill_band band = scratch->bands[task];
    for (int32_t i = 0; i < s->flow->bed->sheet_count; ++i) {
        int32_t begin = scratch->edges.sheet_first[i], end = scratch->edges.sheet_first[i + 1];
        int32_t from = band.from > begin ? band.from : begin, to = band.to < end ? band.to : end;
        if (from >= to || scratch->row_first[from] == scratch->row_first[to]) continue;
        piece p = { .sweep = s,
                    .sheet = &s->flow->bed->sheets[i],
                    .ring = &scratch->rings[task],
                    .from = from - begin,
                    .to = to - begin,
                    .first_row = begin,
                    .low = from > begin,
                    .high = to < end };
        work(&p);
    }
}

static void copy_task(void *context, int32_t task) {
    each_piece(context, task, copy_halo);
}

static void sweep_task(void *context, int32_t task) {
    const sweep *s = context;
    rill_ring *ring = &s->flow->scratch->rings[task];
    ring->extent = (rill_flow_extent){ 0 };
    memset(ring->edges, 0, sizeof ring->edges);
    each_piece(s, task, sweep_piece);
}

void rill_sweep(rill_flow *flow, const rill_flow_settings *settings, const rill_kernel_constants *constants,
                const rill_runtime *runtime, rill_pool *pool, rill_edge_flow *flows) {
    rill_flow_scratch *scratch = flow->scratch;
    sweep s = { flow, settings, constants, rill_kernels_pick(settings->scalar) };
    flow->extent = scratch->idle;
    if (scratch->band_count == 0) return;
    rill_tiles_freeze(flow);
    if (scratch->band_count > 1) rill_parallel_for(runtime, pool, scratch->band_count, copy_task, &s);
    rill_parallel_for(runtime, pool, scratch->band_count, sweep_task, &s);
    for (int32_t i = 0; i < scratch->band_count; ++i) {
        rill_flow_widen(&flow->extent, &scratch->rings[i].extent);
        for (int edge = 0; edge < 4; ++edge) {
            flows[edge].left += scratch->rings[i].edges[edge].left;
            flows[edge].entered += scratch->rings[i].edges[edge].entered;
        }
    }
}
