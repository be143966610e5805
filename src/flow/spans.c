/* Spans: from the state of the tiles to what is swept.
 *
 * Swept are the awake tiles and those that they reach; of each only the rows within reach of a row that is wet or
 * moves. Neighbouring tiles of a row become one span. What borders on tiles that are not swept is stopped, what stands
 * in these is remembered for the time step, and sparse pipes with a swept end are listed. */
#include <string.h>

#include "base/assert.h"
#include "base/simd.h"
#include "flow/ceiling.h"
#include "flow/flow_internal.h"

enum { KEEP = 1 << 15 }; /* swept before: free while no calm count reaches it */

/* SWEPT if there are columns in a tile and one of three reaches it, of which the middle one is that tile or beside it
 * in another row: they must have the bits of `reach`, those at the sides also the one that leads to the middle. */
static inline uint16_t swept_by(uint16_t west, uint16_t middle, uint16_t east, uint8_t empty, uint16_t reach) {
    const uint16_t eastward = reach | RILL_TILE_REACH_EAST, westward = reach | RILL_TILE_REACH_WEST;
    const int any = ((west & eastward) == eastward) | ((middle & reach) == reach) | ((east & westward) == westward);
    return (uint16_t)((any & (empty == 0)) * RILL_TILE_SWEPT);
}

/* Marks the tiles of a row that awake tiles of this or a neighbouring row reach. */
static __attribute__((noinline)) void sweep_row(const uint16_t *from, uint16_t *to, const uint8_t *empty, int32_t count,
                                                uint16_t reach) {
    const int32_t last = count - 1;
    RILL_EACH_ALONE /* no bit that is written is looked at */
        for (int32_t x = 1; x < last; ++x) to[x] |= swept_by(from[x - 1], from[x], from[x + 1], empty[x], reach);
    if (last > 0) to[last] |= swept_by(from[last - 1], from[last], 0, empty[last], reach);
    to[0] |= swept_by(0, from[0], last > 0 ? from[1] : 0, empty[0], reach);
}

/* Marks the awake tiles of a row, and of it and the rows beside it those that they reach. */
static void sweep_around(uint16_t *tiles, const uint8_t *empty, const rill_sheet *sheet, int32_t ty) {
    const int32_t count = sheet->tiles_x, here = ty * count, south = here - count, north = here + count;
    const uint16_t *row = tiles + here, awake = RILL_TILE_AWAKE;
    if (rill_tile_next(row, 0, count) == count) return;
    sweep_row(row, tiles + here, empty + here, count, awake);
    if (ty > 0) sweep_row(row, tiles + south, empty + south, count, awake | RILL_TILE_REACH_SOUTH);
    if (ty + 1 < sheet->tiles_y) sweep_row(row, tiles + north, empty + north, count, awake | RILL_TILE_REACH_NORTH);
}

/* Measures what stands in a tile that leaves the sweep. It goes on counting for the time step: whatever wakes it may
 * move it at once. */
static rill_idle measure_tile(const rill_flow *flow, const rill_sheet *sheet, int32_t tx, int32_t ty) {
    rill_idle idle = { 0 };
    for (int32_t y = ty * RILL_TILE_H; y < (ty + 1) * RILL_TILE_H && y < rill_sheet_rows(sheet); ++y) {
        int32_t place = rill_sheet_place(sheet, tx * RILL_TILE_W, y);
        for (int32_t i = place; i < place + RILL_TILE_W; ++i) {
            idle.depth = rill_max_i(idle.depth, flow->H[i]);
            if (flow->H[i] > RILL_DRY) idle.level = rill_max_i(idle.level, rill_flow_bases(flow)[i] + flow->H[i]);
        }
    }
    return idle;
}

/* Where the sweep borders on tiles that are not swept (asleep, or dry and out of reach) nothing may cross: what would
 * arrive there could not be deposited. East and north borders need nothing, their faces belong to the tile beyond. */
static void freeze_border(rill_flow *flow, const rill_sheet *sheet, const uint16_t *tile, int32_t tx, int32_t ty) {
    rill_flow_scratch *scratch = flow->scratch;
    int32_t place = rill_sheet_place(sheet, tx * RILL_TILE_W, ty * RILL_TILE_H);
    if (tx > 0 && !(tile[-1] & RILL_TILE_SWEPT))
        scratch->frozen[scratch->frozen_count++] = (rill_frozen){ flow->u + place, 1, RILL_TILE_H, sheet->stride };
    if (ty > 0 && !(tile[-sheet->tiles_x] & RILL_TILE_SWEPT))
        scratch->frozen[scratch->frozen_count++] = (rill_frozen){ flow->v + place, RILL_TILE_W, 1, sheet->stride };
}

/* Which rows of a tile must be swept: those within reach of a busy row of it or of the tiles around it. */
static uint8_t rows_needed(const rill_flow *flow, const rill_sheet *sheet, int32_t tx, int32_t ty) {
    const uint8_t *busy = flow->scratch->busy + sheet->first_tile;
    uint32_t rows[3] = { 0, 0, 0 }; /* busy rows of the tiles south, here, north */
    for (int32_t y = -1; y <= 1; ++y)
        for (int32_t x = -1; x <= 1; ++x)
            if (tx + x >= 0 && tx + x < sheet->tiles_x && ty + y >= 0 && ty + y < sheet->tiles_y)
                rows[y + 1] |= busy[(ty + y) * sheet->tiles_x + tx + x];
    uint32_t column = rows[0] | rows[1] << RILL_TILE_H | rows[2] << 2 * RILL_TILE_H, reach = column;
    for (int32_t i = 1; i <= RILL_TILE_CHECK; ++i) reach |= column << i;
    for (int32_t i = 1; i <= rill_flow_reach_back(flow); ++i) reach |= column >> i;
    return (uint8_t)(reach >> RILL_TILE_H & RILL_TILE_ALL_ROWS);
}

/* Lists the swept tiles of a tile row, with the rows of each that are needed; returns how many there are. */
static int32_t list_swept(rill_flow *flow, const rill_sheet *sheet, int32_t ty) {
    rill_flow_scratch *scratch = flow->scratch;
    int32_t first = sheet->first_tile + ty * sheet->tiles_x, count = 0;
    const uint16_t *row = flow->tiles + first;
    for (int32_t tx = rill_tile_next(row, 0, sheet->tiles_x); tx < sheet->tiles_x;
         tx = rill_tile_next(row, tx + 1, sheet->tiles_x)) {
        if (!(row[tx] & RILL_TILE_SWEPT)) continue;
        bool all = scratch->sweep_all || scratch->busy[first + tx] == RILL_TILE_ALL_ROWS;
        scratch->needed[tx] = all ? RILL_TILE_ALL_ROWS : rows_needed(flow, sheet, tx, ty);
        scratch->swept[count++] = tx;
        scratch->swept_columns += scratch->columns[first + tx];
        freeze_border(flow, sheet, &row[tx], tx, ty);
    }
    return count;
}

/* The spans of row y of a tile row, appended to the `count` there are. One long run under its lowest ceiling is faster
 * than several with ceilings of their own. */
static int32_t row_spans(rill_flow_scratch *scratch, const int32_t *lintel, int32_t swept, int32_t y, int32_t count) {
    int32_t end = -1;
    for (int32_t i = 0; i < swept; ++i) {
        int32_t tx = scratch->swept[i];
        if (!(scratch->needed[tx] >> y & 1)) continue;
        if (end != tx)
            scratch->spans[count++] = (rill_span){ tx * RILL_TILE_W, 0, scratch->near_top ? RILL_TOP : RILL_WALL };
        end = tx + 1;
        rill_span *span = &scratch->spans[count - 1];
        span->count += RILL_TILE_W;
        span->lintel = rill_min_i(span->lintel, lintel[tx]);
    }
    return count;
}

/* Whether all rows of the swept tiles are needed: then they have the same spans. */
static bool all_needed(const rill_flow_scratch *scratch, int32_t swept) {
    bool all = true;
    for (int32_t i = 0; i < swept; ++i) all &= scratch->needed[scratch->swept[i]] == RILL_TILE_ALL_ROWS;
    return all;
}

/* Cuts the rows into one band per task, of about the same work. Small sweeps stay on one. */
static void cut_bands(rill_flow_scratch *scratch) {
    enum { WORTH_A_TASK = 4096 }; /* cells */
    int64_t total = 0, share;
    int32_t tasks = scratch->task_count;
    for (int32_t i = 0; i < scratch->row_first[scratch->row_count]; ++i) total += scratch->spans[i].count;
    while (tasks > 1 && total < (int64_t)tasks * WORTH_A_TASK) --tasks;
    scratch->band_count = 0;
    if (total == 0) return;
    share = (total + tasks - 1) / tasks;
    int64_t done = 0;
    int32_t from = 0;
    for (int32_t row = 0; row < scratch->row_count; ++row) {
        for (int32_t i = scratch->row_first[row]; i < scratch->row_first[row + 1]; ++i) done += scratch->spans[i].count;
        bool last = row + 1 == scratch->row_count;
        if (done >= share * (scratch->band_count + 1) || last) {
            if (scratch->row_first[from] < scratch->row_first[row + 1])
                scratch->bands[scratch->band_count++] = (rill_band){ from, row + 1 };
            from = row + 1;
        }
    }
}

void rill_spans_freeze(rill_flow *flow) {
    const rill_flow_scratch *scratch = flow->scratch;
    for (int32_t i = 0; i < scratch->frozen_count; ++i) {
        const rill_frozen *frozen = &scratch->frozen[i];
        for (int32_t y = 0; y < frozen->rows; ++y)
            for (int32_t x = 0; x < frozen->count; ++x) frozen->face[y * frozen->stride + x] = 0.0f;
    }
}

static void make_spans(rill_flow *flow) {
    rill_flow_scratch *scratch = flow->scratch;
    const rill_bed *bed = flow->bed;
    scratch->swept_columns = 0;
    scratch->frozen_count = 0;
    int32_t count = 0, row = 0;
    for (int32_t i = 0; i < bed->sheet_count; ++i) {
        const rill_sheet *sheet = &bed->sheets[i];
        for (int32_t ty = 0; ty < sheet->tiles_y; ++ty) {
            const int32_t *lintel = scratch->lintel + sheet->first_tile + ty * sheet->tiles_x;
            int32_t swept = list_swept(flow, sheet, ty);
            const int32_t rows = rill_min_i(RILL_TILE_H, rill_sheet_rows(sheet) - ty * RILL_TILE_H);
            const bool alike = all_needed(scratch, swept);
            for (int32_t y = 0; y < rows; ++y) {
                const int32_t first = scratch->row_first[row] = count;
                if (y > 0 && alike) {
                    count += first - scratch->row_first[row - 1];
                    memcpy(scratch->spans + first, scratch->spans + scratch->row_first[row - 1],
                           (size_t)(count - first) * sizeof *scratch->spans);
                } else {
                    count = row_spans(scratch, lintel, swept, y, count);
                }
                row += 1;
            }
        }
    }
    scratch->row_first[row] = count;
    scratch->spans_made += 1;
    cut_bands(scratch);
}

const rill_span *rill_flow_row_spans(const rill_flow *flow, int32_t row, int32_t *count) {
    const int32_t *first = flow->scratch->row_first + row;
    RILL_ASSERT(row >= 0 && row < flow->scratch->row_count);
    *count = first[1] - first[0];
    return flow->scratch->spans + first[0];
}

uint64_t rill_flow_spans_made(const rill_flow *flow) {
    return flow->scratch->spans_made;
}

/* Remembers what stands in the tiles of a row that are swept no more. */
static void leave_row(rill_flow *flow, const rill_sheet *sheet, int32_t ty) {
    const int32_t first = sheet->first_tile + ty * sheet->tiles_x;
    uint16_t *row = flow->tiles + first;
    int32_t any = 0;
    for (int32_t tx = 0; tx < sheet->tiles_x; ++tx) any |= (row[tx] & (KEEP | RILL_TILE_SWEPT)) == KEEP;
    for (int32_t tx = 0; any && tx < sheet->tiles_x; ++tx)
        if ((row[tx] & (KEEP | RILL_TILE_SWEPT)) == KEEP)
            flow->scratch->tile_idle[first + tx] = measure_tile(flow, sheet, tx, ty);
    for (int32_t tx = 0; tx < sheet->tiles_x; ++tx) row[tx] &= (uint16_t)~KEEP;
}

/* From the tiles' state to what is swept. */
static void mark_swept(rill_flow *flow, bool everything) {
    const rill_bed *bed = flow->bed;
    for (int32_t i = 0; i < bed->tile_count; ++i) { /* SWEPT becomes KEEP */
        int32_t kept = (flow->tiles[i] & RILL_TILE_SWEPT) * (KEEP / RILL_TILE_SWEPT);
        flow->tiles[i] = (uint16_t)((flow->tiles[i] & ~RILL_TILE_SWEPT) | kept | (everything ? RILL_TILE_SWEPT : 0));
    }
    for (int32_t i = 0; i < bed->sheet_count; ++i) {
        const rill_sheet *sheet = &bed->sheets[i];
        const uint8_t *empty = flow->scratch->empty + sheet->first_tile;
        uint16_t *tiles = flow->tiles + sheet->first_tile;
        for (int32_t ty = 0; ty < sheet->tiles_y; ++ty) sweep_around(tiles, empty, sheet, ty);
        for (int32_t ty = 0; ty < sheet->tiles_y; ++ty) leave_row(flow, sheet, ty);
    }
}

/* The extent of all that is not swept: sleeping tiles, which have a calm count. */
static void measure_idle(rill_flow *flow) {
    flow->scratch->idle = (rill_flow_extent){ 0 };
    for (int32_t i = rill_tile_next(flow->tiles, 0, flow->bed->tile_count); i < flow->bed->tile_count;
         i = rill_tile_next(flow->tiles, i + 1, flow->bed->tile_count)) {
        if (flow->tiles[i] & RILL_TILE_SWEPT) continue;
        rill_flow_extent here = { .depth = flow->scratch->tile_idle[i].depth,
                                  .level = flow->scratch->tile_idle[i].level };
        rill_flow_widen(&flow->scratch->idle, &here);
    }
}

/* Lists the pipes with a swept end, and the runs of pipes they lie in: gaps of a few cost less than runs of their
 * own. */
void rill_spans_list_pipes(rill_flow *flow) {
    enum { GAP = 16 };
    rill_sparse *sparse = flow->sparse;
    sparse->active_count = sparse->run_count = 0;
    for (int32_t i = 0, end = -GAP; i < flow->bed->pipe_count; ++i) {
        const rill_pipe *pipe = &sparse->pipes[i];
        sparse->arrays.awake[i] = (flow->tiles[pipe->tile_l] | flow->tiles[pipe->tile_r]) & RILL_TILE_SWEPT ? 1 : 0;
        if (!sparse->arrays.awake[i]) continue;
        if (i - end >= GAP) sparse->runs[sparse->run_count++] = (rill_pipe_run){ i, 0 };
        end = i + 1;
        rill_pipe_run *run = &sparse->runs[sparse->run_count - 1];
        run->count = end - run->from;
        sparse->active[sparse->active_count++] = i;
    }
}

/* Not when resuming: a pipe may have been given a velocity since its tiles were last looked at. */
static void stop_idle_pipes(rill_flow *flow) {
    for (int32_t i = 0; i < flow->bed->pipe_count; ++i)
        if (!flow->sparse->arrays.awake[i]) flow->pipe_u[i] = 0.0f;
}

void rill_spans_update(rill_flow *flow, bool everything, bool near_top) {
    flow->scratch->sweep_all = everything;
    flow->scratch->near_top = near_top;
    mark_swept(flow, everything);
    measure_idle(flow);
    make_spans(flow);
    rill_spans_list_pipes(flow);
    stop_idle_pipes(flow);
    flow->stale = false;
}

void rill_flow_resume(rill_flow *flow) {
    for (int32_t i = 0; i < flow->bed->tile_count; ++i) flow->busy[i] = flow->tiles[i] ? RILL_TILE_ALL_ROWS : 0;
    for (int32_t i = 0; i < flow->bed->sheet_count; ++i) {
        const rill_sheet *sheet = &flow->bed->sheets[i];
        for (int32_t tile = 0; tile < sheet->tiles_x * sheet->tiles_y; ++tile)
            if (!(flow->tiles[sheet->first_tile + tile] & RILL_TILE_SWEPT))
                flow->scratch->tile_idle[sheet->first_tile + tile] =
                    measure_tile(flow, sheet, tile % sheet->tiles_x, tile / sheet->tiles_x);
    }
    measure_idle(flow);
    make_spans(flow);
    rill_spans_list_pipes(flow);
}
