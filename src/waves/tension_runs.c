/* Where surface tension works: the columns that are swept, and with a row and a tile more on each side, so that slopes are
 * there for all faces of what is swept; and the faces along the rim, which are shut. */
#include <string.h>

#include "base/assert.h"
#include "waves/tension_internal.h"

static void add_run(rill_tension_run *list, int32_t *count, const rill_sheet *sheet, int32_t column, int32_t row,
                    int32_t length) {
    list[(*count)++] = (rill_tension_run){ .place = rill_sheet_place(sheet, column, row),
                                           .count = length,
                                           .stride = sheet->stride,
                                           .x = sheet->x0 + column - 1,
                                           .y = sheet->y0 + row - 1 };
}

/* The spans of a row of a sheet; `first` is its row 0, all sheets counted through. None beyond the sheet. */
static const rill_span *spans_of(const rill_flow *flow, const rill_sheet *sheet, int32_t first, int32_t row,
                                 int32_t *count) {
    *count = 0;
    return row < 0 || row >= rill_sheet_rows(sheet) ? NULL : rill_flow_row_spans(flow, first + row, count);
}

static void mark_row(rill_tension_state *tension, const rill_span *spans, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
        const int32_t from = spans[i].from / RILL_TILE_W, tiles = spans[i].count / RILL_TILE_W;
        memset(tension->marks + from, 1, (size_t)tiles + 2); /* marks begin one tile west of the sheet */
    }
}

/* Lists a row with what is in reach of the rows around it. */
static void list_rim(rill_tension_state *tension, const rill_flow *flow, const rill_sheet *sheet, int32_t first,
                     int32_t row) {
    bool any = false;
    for (int32_t beside = row - 1; beside <= row + 1; ++beside) {
        int32_t count;
        const rill_span *spans = spans_of(flow, sheet, first, beside, &count);
        mark_row(tension, spans, count);
        any |= count > 0;
    }
    const int32_t end = sheet->tiles_x + 2;
    for (int32_t from = 0, to; any && from < end; from = to) {
        while (from < end && !tension->marks[from]) ++from;
        for (to = from; to < end && tension->marks[to]; ++to) tension->marks[to] = 0;
        if (to > from)
            add_run(tension->rims, &tension->rim_count, sheet, (from - 1) * RILL_TILE_W, row,
                    (to - from) * RILL_TILE_W);
    }
}

/* Shuts the faces between a piece of a row and one north or south of it that is not swept. */
static void shut_across(rill_tension_state *tension, const rill_sheet *sheet, int32_t row, int32_t from, int32_t to,
                        bool north) {
    if (from >= to) return;
    const int32_t here = rill_sheet_place(sheet, from, row), beyond = here + (north ? sheet->stride : -sheet->stride);
    tension->shut[tension->shut_count++] =
        (rill_tension_shut){ .place = north ? beyond : here, .count = to - from, .axis = 1, .inner = !north };
    tension->beyond[tension->beyond_count++] = (rill_tension_beyond){ beyond, to - from };
}

/* Shuts what of a span no span of the row beside it covers. */
static void shut_uncovered(rill_tension_state *tension, const rill_sheet *sheet, int32_t row, const rill_span *span,
                           const rill_span *beside, int32_t count, bool north) {
    int32_t from = span->from;
    const int32_t end = span->from + span->count;
    for (int32_t i = 0; i < count && from < end; ++i) {
        if (beside[i].from + beside[i].count <= from) continue;
        shut_across(tension, sheet, row, from, rill_min_i(beside[i].from, end), north);
        from = rill_max_i(from, beside[i].from + beside[i].count);
    }
    shut_across(tension, sheet, row, from, end, north);
}

static void list_row(rill_tension_state *tension, const rill_flow *flow, const rill_sheet *sheet, int32_t first,
                     int32_t row) {
    int32_t count, south_count, north_count;
    const rill_span *spans = spans_of(flow, sheet, first, row, &count);
    if (count == 0) return;
    const rill_span *south = spans_of(flow, sheet, first, row - 1, &south_count);
    const rill_span *north = spans_of(flow, sheet, first, row + 1, &north_count);
    for (int32_t i = 0; i < count; ++i) {
        const int32_t place = rill_sheet_place(sheet, spans[i].from, row), end = place + spans[i].count;
        add_run(tension->runs, &tension->run_count, sheet, spans[i].from, row, spans[i].count);
        memset(tension->swept + place, 1, (size_t)spans[i].count);
        tension->shut[tension->shut_count++] =
            (rill_tension_shut){ .place = place, .count = 1, .axis = 0, .inner = true };
        tension->shut[tension->shut_count++] =
            (rill_tension_shut){ .place = end, .count = 1, .axis = 0, .inner = false };
        tension->beyond[tension->beyond_count++] = (rill_tension_beyond){ place - 1, 1 };
        tension->beyond[tension->beyond_count++] = (rill_tension_beyond){ end, 1 };
        shut_uncovered(tension, sheet, row, &spans[i], south, south_count, false);
        shut_uncovered(tension, sheet, row, &spans[i], north, north_count, true);
    }
}

void rill_tension_list_runs(rill_tension_state *tension, const rill_flow *flow) {
    if (tension->spans_made == rill_flow_spans_made(flow)) return;
    tension->spans_made = rill_flow_spans_made(flow);
    for (int32_t i = 0; i < tension->run_count; ++i)
        memset(tension->swept + tension->runs[i].place, 0, (size_t)tension->runs[i].count);
    tension->run_count = tension->rim_count = tension->shut_count = tension->beyond_count = 0;
    int32_t first = 0;
    for (int32_t i = 0; i < flow->bed->sheet_count; ++i) {
        const rill_sheet *sheet = &flow->bed->sheets[i];
        const int32_t rows = rill_sheet_rows(sheet);
        for (int32_t row = -1; row <= rows; ++row) list_rim(tension, flow, sheet, first, row);
        for (int32_t row = 0; row < rows; ++row) list_row(tension, flow, sheet, first, row);
        first += rows;
    }
    RILL_ASSERT(tension->run_count <= tension->tile_count * RILL_TILE_H &&
                tension->rim_count <= 3 * tension->tile_count * RILL_TILE_H);
    RILL_ASSERT(tension->shut_count <= 6 * tension->tile_count * RILL_TILE_H &&
                tension->beyond_count <= tension->shut_count);
}

void rill_tension_shut_rim(const rill_tension_work *work) {
    const rill_tension_state *tension = work->tension;
    const rill_tension_planes *planes = &tension->planes;
    for (int32_t i = 0; i < tension->shut_count; ++i) {
        const rill_tension_shut *shut = &tension->shut[i];
        float *m = shut->axis == 0 ? planes->mx : planes->my, *gain = shut->axis == 0 ? planes->gx : planes->gy;
        float *flux = shut->axis == 0 ? planes->fx : planes->fy, *speed = shut->axis == 0 ? planes->u : planes->v;
        for (int32_t place = shut->place; place < shut->place + shut->count; ++place) {
            m[place] = flux[place] = 0.0f;
            if (!shut->inner || gain[place] == 0.0f) continue;
            gain[place] = 0.0f;
            speed[place] = 0.0f; /* the sweep stops it anyhow */
        }
    }
    for (int32_t i = 0; i < tension->beyond_count; ++i) { /* what C is applied to */
        memset(planes->moved + tension->beyond[i].place, 0, (size_t)tension->beyond[i].count * sizeof *planes->moved);
        memset(planes->sharp + tension->beyond[i].place, 0, (size_t)tension->beyond[i].count * sizeof *planes->sharp);
    }
}
