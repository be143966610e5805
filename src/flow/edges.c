/* Edges of the domain: what a ghost column received left over its edge; what it gave came in. Open edges have empty
 * ghosts, still edges ghosts at the reservoir's level. Ghosts are restored as soon as their row is deposited: the drive
 * must see the reservoir, not what just flowed into it. */
#include "base/alloc.h"
#include "flow/column.h"
#include "flow/flow_internal.h"

/* Rows of all sheets counted through, ghosts' rows included. */
static int32_t ghost_row(const rill_bed *bed, const rill_edge_rows *rows, const rill_ghost *ghost) {
    int32_t y;
    const rill_sheet *sheet = rill_bed_sheet_of(bed, ghost->place, NULL, &y);
    return rows->sheet_first[sheet - bed->sheets] + (y - sheet->y0 + 1);
}

bool rill_edges_make(rill_edge_rows *rows, const rill_bed *bed, const rill_allocator *allocator) {
    rows->sheet_first = rill_alloc_zeroed(allocator, (size_t)bed->sheet_count + 1, sizeof *rows->sheet_first);
    if (!rows->sheet_first) return false;
    for (int32_t i = 0; i < bed->sheet_count; ++i)
        rows->sheet_first[i + 1] = rows->sheet_first[i] + rill_sheet_rows(&bed->sheets[i]);
    size_t count = (size_t)rows->sheet_first[bed->sheet_count];
    rows->first = rill_alloc_zeroed(allocator, count + 1, sizeof *rows->first);
    if (!rows->first || !rill_edges_reserve(rows, bed, allocator)) return false;
    rill_edges_deal(rows, bed);
    return true;
}

bool rill_edges_reserve(rill_edge_rows *rows, const rill_bed *bed, const rill_allocator *allocator) {
    size_t count = (size_t)bed->ghost_count;
    if (rows->ghosts && count <= rows->capacity) return true;
    rill_ghost *ghosts = rill_alloc_zeroed(allocator, count, sizeof *ghosts);
    if (!ghosts) return false;
    for (size_t i = 0; rows->ghosts && i < rows->capacity; ++i) ghosts[i] = rows->ghosts[i];
    rill_free(allocator, rows->ghosts, rows->capacity, sizeof *rows->ghosts);
    rows->ghosts = ghosts;
    rows->capacity = count;
    return true;
}

void rill_edges_deal(rill_edge_rows *rows, const rill_bed *bed) {
    size_t count = (size_t)rows->sheet_first[bed->sheet_count];
    for (size_t row = 0; row <= count; ++row) rows->first[row] = 0;
    for (int32_t i = 0; i < bed->ghost_count; ++i) rows->first[ghost_row(bed, rows, &bed->ghosts[i])] += 1;
    for (size_t row = 0, sum = 0; row <= count;
         ++row) { /* counts become ends, and below, filled backwards, beginnings */
        sum += (size_t)rows->first[row];
        rows->first[row] = (int32_t)sum;
    }
    for (int32_t i = bed->ghost_count; i-- > 0;)
        rows->ghosts[--rows->first[ghost_row(bed, rows, &bed->ghosts[i])]] = bed->ghosts[i];
}

void rill_edges_free(rill_edge_rows *rows, const rill_bed *bed, const rill_allocator *allocator) {
    size_t count = rows->sheet_first ? (size_t)rows->sheet_first[bed->sheet_count] : 0;
    rill_free(allocator, rows->ghosts, rows->capacity, sizeof *rows->ghosts);
    rill_free(allocator, rows->first, count + 1, sizeof *rows->first);
    rill_free(allocator, rows->sheet_first, (size_t)bed->sheet_count + 1, sizeof *rows->sheet_first);
}

static void restore_ghost(const rill_ghost *ghost, int32_t *depth, rill_edge_flow *flows) {
    int32_t change = *depth - ghost->still;
    *depth = ghost->still;
    if (change > 0)
        flows[ghost->edge].left += change;
    else
        flows[ghost->edge].entered -= change;
}

void rill_edges_restore_all(const rill_flow *flow, rill_edge_flow *flows) {
    for (int32_t i = 0; i < flow->bed->ghost_count; ++i)
        restore_ghost(&flow->bed->ghosts[i], &flow->H[flow->bed->ghosts[i].place], flows);
}

void rill_edges_restore_widening(rill_flow *flow, rill_edge_flow *flows) {
    const rill_bed *bed = flow->bed;
    rill_edges_restore_all(flow, flows);
    for (int32_t i = 0; i < bed->ghost_count; ++i) {
        const int32_t still = bed->ghosts[i].still;
        const rill_flow_extent here = { .depth = still, .level = still > 0 ? bed->b[bed->ghosts[i].place] + still : 0 };
        rill_flow_widen(&flow->extent, &here);
    }
}

void rill_edges_restore(const rill_flow *flow, const rill_sheet *sheet, int32_t row, int32_t *H,
                        rill_edge_flow *flows) {
    const rill_edge_rows *rows = &flow->scratch->edges;
    int32_t at = rows->sheet_first[sheet - flow->bed->sheets] + row, origin = rill_sheet_place(sheet, 0, row);
    for (int32_t i = rows->first[at]; i < rows->first[at + 1]; ++i)
        restore_ghost(&rows->ghosts[i], &H[rows->ghosts[i].place - origin], flows);
}

/* -------------------------------------------------------------------------------------------------- when edges change */

/* Stops the faces of a place that lead nowhere. There are faces between ghosts, too. */
static void stop_closed_faces(const rill_flow *flow, int32_t place) {
    const int32_t stride = rill_bed_sheet_of(flow->bed, place, NULL, NULL)->stride;
    const int32_t *const b = flow->bed->b + place, *const c = flow->bed->c + place;
    float *const u = flow->u + place, *const v = flow->v + place;
    if (!((b[0] < c[-1]) & (b[-1] < c[0]))) u[0] = 0.0f;
    if (!((b[0] < c[1]) & (b[1] < c[0]))) u[1] = 0.0f;
    if (!((b[0] < c[-stride]) & (b[-stride] < c[0]))) v[0] = 0.0f;
    if (!((b[0] < c[stride]) & (b[stride] < c[0]))) v[stride] = 0.0f;
}

void rill_flow_exchange_ghosts(rill_flow *flow, const rill_ghost *old, int32_t old_count, uint32_t sides) {
    const rill_bed *bed = flow->bed;
    for (int32_t i = 0; i < old_count; ++i) {
        if (!(sides >> old[i].edge & 1)) continue;
        rill_column_set(flow, old[i].place, 0);
        stop_closed_faces(flow, old[i].place);
    }
    for (int32_t i = 0; i < bed->ghost_count; ++i) {
        const rill_ghost *ghost = &bed->ghosts[i];
        if (!(sides >> ghost->edge & 1)) continue;
        rill_column_set(flow, ghost->place, ghost->still);
        if (ghost->still > 0) rill_flow_wake(flow, ghost->place);
    }
    rill_edges_deal(&flow->scratch->edges, bed);
}
