/* Tiles: computation only where liquid moves (Thompson). Dry tiles and tiles at rest cost nothing.
 *
 * Every RILL_TILE_CHECK sub-steps each swept tile is judged:
 *   dry      no column above RILL_DRY, no velocity: not awake. Skipping it changes no bit.
 *   calm     on every face |u| < 1e-4 m/s and the whole drive is below 1e-7 m of head, and the tile does not slope as a
 *            whole (slope_calm). After RILL_TILE_CALM_CHECKS checks in a row it falls asleep: its velocities become zero
 *            (the rest rule). Never on net flow: a slosh has none. A film creeping down a slope has a large drive and
 *            stays awake.
 *   awake    otherwise.
 * What is swept are the rows of the awake tiles, and of those around them, that a disturbance can reach before the next
 * check; it travels one column per sub-step. Whatever touches a column from outside wakes what it may reach. What is
 * swept may grow at every check but shrinks only at every REFRESHth. */
#include "base/simd.h"
#include "flow/covered.h"
#include "flow/drive.h"
#include "flow/scratch.h"

#include <string.h>

enum { REFRESH = 8 }; /* checks */

static const float REST_SPEED = 1e-4f; /* m/s */
static const double REST_HEAD = 1e-7;  /* m */

enum {
    REACH_ALL = RILL_TILE_REACH_WEST | RILL_TILE_REACH_EAST | RILL_TILE_REACH_SOUTH | RILL_TILE_REACH_NORTH,
    REACH_BITS = RILL_TILE_AWAKE | REACH_ALL,
    ALL_ROWS = (1 << RILL_TILE_H) - 1
};

/* Which sides a disturbance at a cell of a tile may cross before the next check. West and south faces belong to the cell
 * itself, so that it may come within RILL_TILE_CHECK cells either way. */
static uint16_t cell_reach(int32_t x, int32_t y) {
    uint16_t reach = RILL_TILE_AWAKE;
    if (x < RILL_TILE_CHECK) reach |= RILL_TILE_REACH_WEST;
    if (x + RILL_TILE_CHECK >= RILL_TILE_W) reach |= RILL_TILE_REACH_EAST;
    if (y < RILL_TILE_CHECK) reach |= RILL_TILE_REACH_SOUTH;
    if (y + RILL_TILE_CHECK >= RILL_TILE_H) reach |= RILL_TILE_REACH_NORTH;
    return reach;
}

uint16_t rill_flow_wake_bits(const rill_bed *bed, int32_t place) {
    int32_t x, y;
    const rill_sheet *sheet = rill_bed_sheet_of(bed, place, &x, &y);
    int32_t row = (y - sheet->y0 + 1) % RILL_TILE_H;
    return (uint16_t)(cell_reach((x - sheet->x0 + 1) % RILL_TILE_W, row) | RILL_TILE_CALM_ONE << row);
}

void rill_flow_wake_tile(rill_flow *flow, int32_t tile, uint16_t bits) {
    uint16_t state = flow->tiles[tile] & (RILL_TILE_CALM_ONE - 1), reach = bits & REACH_BITS;
    uint8_t *busy = &flow->scratch->busy[tile], rows = (uint8_t)(bits / RILL_TILE_CALM_ONE);
    if ((state & reach) != reach || (*busy & rows) != rows) flow->stale = true;
    flow->tiles[tile] = state | reach;
    *busy |= rows;
}

void rill_flow_wake(rill_flow *flow, int32_t place) {
    rill_flow_wake_tile(flow, rill_bed_tile_of(flow->bed, place), rill_flow_wake_bits(flow->bed, place));
}

void rill_flow_wake_all(rill_flow *flow) {
    for (int32_t i = 0; i < flow->bed->sheet_count; ++i) {
        const rill_sheet *sheet = &flow->bed->sheets[i];
        for (int32_t row = 0; row < rill_sheet_rows(sheet); ++row) {
            const int32_t *H = flow->H + rill_sheet_place(sheet, 0, row);
            int32_t tiles = sheet->first_tile + row / RILL_TILE_H * sheet->tiles_x;
            for (int32_t x = 0; x < sheet->tiles_x * RILL_TILE_W; ++x)
                if (H[x] > RILL_DRY)
                    rill_flow_wake_tile(flow, tiles + x / RILL_TILE_W, REACH_BITS | ALL_ROWS * RILL_TILE_CALM_ONE);
        }
    }
}

/* ------------------------------------------------------------------------------------------------------------- judge */

typedef struct judge {
    rill_flow *flow;
    const rill_sheet *sheet;
    const rill_kernel_constants *constants;
    int32_t rest_head; /* quanta */
    const rill_kernels *kernels;
    bool paper;
    bool refresh; /* tiles may also shrink what they reach */
} judge;

/* Whether a face could be stopped: slow, and hardly driven. Mirrors the drive of kernels.c. Adds its head to `*sum` and
 * keeps the largest depth beside it in `*deepest`. */
static bool face_calm(const judge *j, int32_t l, int32_t r, float u, int32_t tilt, int64_t *sum, int32_t *deepest) {
    const rill_bed *bed = j->flow->bed;
    const int32_t *H = j->flow->H;
    if (!(u > -REST_SPEED && u < REST_SPEED)) return false;
    if (rill_flow_flooded(j->flow, l) || rill_flow_flooded(j->flow, r))
        return true; /* the covered stage knows better */
    const rill_face f = rill_face_at(bed->b[l], bed->b[r], H[l], H[r]);
    if (rill_max_i(f.l, f.r) <= RILL_DRY) return true;
    int32_t head = rill_drive_head(&f, j->paper ? -RILL_WALL : rill_drive_clip(&f, j->constants->five_dx)) + tilt;
    int32_t hl = bed->b[l] + H[l], hr = bed->b[r] + H[r], zb = rill_max_i(bed->b[l], bed->b[r]);
    bool donor_dry = (head > 0 ? f.l : f.r) <= RILL_DRY; /* driven, but nothing can follow */
    if (donor_dry || rill_covered_blocks(bed->c[l], bed->c[r], hl, hr, zb, (float)head)) return true;
    *sum += head;
    *deepest = rill_max_i(*deepest, rill_max_i(H[l], H[r]));
    return rill_abs_i(head) <= j->rest_head;
}

/* Small heads that all point one way add up over a pool, and a viscous liquid would go on levelling them: what is stopped
 * must not slope by more than 5e-6 of its depth per column. Waves and rounding noise cancel in the mean. */
static bool slope_calm(int64_t sum, int32_t deepest) {
    const int64_t faces = RILL_TILE_W * RILL_TILE_H, per_column = 200000;
    return (sum < 0 ? -sum : sum) * per_column <= faces * deepest;
}

static bool tile_calm(const judge *j, int32_t column, int32_t row) {
    const rill_flow *flow = j->flow;
    int32_t stride = j->sheet->stride, rows = rill_sheet_rows(j->sheet), deepest = 0;
    int64_t sum[2] = { 0, 0 };
    for (int32_t y = row; y <= row + RILL_TILE_H && y <= rows; ++y)
        for (int32_t i = 0; i <= RILL_TILE_W; ++i) { /* one beyond on each axis: the tile's east and north faces */
            int32_t place = rill_sheet_place(j->sheet, column + i, y);
            const int32_t *tilt = j->constants->tilt;
            if (y < row + RILL_TILE_H && !face_calm(j, place - 1, place, flow->u[place], tilt[0], &sum[0], &deepest))
                return false;
            if (i < RILL_TILE_W && !face_calm(j, place - stride, place, flow->v[place], tilt[1], &sum[1], &deepest))
                return false;
        }
    return slope_calm(sum[0], deepest) && slope_calm(sum[1], deepest);
}

static void stop_tile(const judge *j, int32_t column, int32_t row) {
    for (int32_t y = row; y < row + RILL_TILE_H && y < rill_sheet_rows(j->sheet); ++y) {
        int32_t place = rill_sheet_place(j->sheet, column, y);
        memset(j->flow->u + place, 0, RILL_TILE_W * sizeof(float));
        memset(j->flow->v + place, 0, RILL_TILE_W * sizeof(float));
    }
}

/* What the tile's columns may disturb; 0 if nothing in it is wet or moves. `*fast`: some face is too fast
 * to be calm; `*wet_rows`: where. */
static uint16_t tile_reach(const judge *j, int32_t column, int32_t row, bool *fast, uint8_t *wet_rows) {
    const rill_flow *flow = j->flow;
    int32_t rows = rill_min_i(RILL_TILE_H, rill_sheet_rows(j->sheet) - row);
    int32_t place = rill_sheet_place(j->sheet, column, row);
    const int32_t *south_west = flow->H + place;
    *fast = false;
    *wet_rows = ALL_ROWS;
    if (south_west[0] > RILL_DRY && south_west[(RILL_TILE_H - 1) * j->sheet->stride + RILL_TILE_W - 1] > RILL_DRY)
        return REACH_BITS; /* two wet corners: it reaches everywhere */
    rill_tile_look seen = j->kernels->look(rows, j->sheet->stride, flow->H + place, flow->u + place, flow->v + place);
    *fast = seen.fastest >= REST_SPEED;
    *wet_rows = (uint8_t)seen.rows;
    uint16_t reach = 0;
    for (int32_t y = 0; y < RILL_TILE_H; ++y)
        if (seen.rows >> y & 1) reach |= cell_reach(RILL_TILE_W / 2, y);
    if (seen.west) reach |= RILL_TILE_REACH_WEST;
    if (seen.east) reach |= RILL_TILE_REACH_EAST;
    return reach;
}

/* The calm count lives above all flags. */
static uint16_t with_calm(uint16_t tile, int32_t calm) {
    return (uint16_t)((tile & (RILL_TILE_CALM_ONE - 1)) | calm * RILL_TILE_CALM_ONE);
}

/* Whether some face of a tile is too fast to be calm: mostly the first is. */
static bool tile_fast(const judge *j, int32_t tx, int32_t ty) {
    const rill_sheet *sheet = j->sheet;
    int32_t rows = rill_min_i(RILL_TILE_H, rill_sheet_rows(sheet) - ty * RILL_TILE_H);
    for (int32_t y = 0; y < rows; ++y) {
        int32_t place = rill_sheet_place(sheet, tx * RILL_TILE_W, ty * RILL_TILE_H + y);
        const float *u = j->flow->u + place, *v = j->flow->v + place;
        for (int32_t i = 0; i < RILL_TILE_W; ++i)
            if (__builtin_fabsf(u[i]) >= REST_SPEED || __builtin_fabsf(v[i]) >= REST_SPEED) return true;
    }
    return false;
}

/* In the midst of moving liquid, where all around a tile is awake, how far it reaches does not matter. */
static bool tile_amid(const judge *j, const uint16_t *tile, int32_t tx, int32_t ty) {
    const rill_sheet *sheet = j->sheet;
    if (tx == 0 || ty == 0 || tx + 1 == sheet->tiles_x || ty + 1 == sheet->tiles_y) return false;
    const uint16_t *south = tile - sheet->tiles_x, *north = tile + sheet->tiles_x;
    return tile[-1] & tile[0] & tile[1] & south[-1] & south[0] & south[1] & north[-1] & north[0] & north[1] &
           RILL_TILE_AWAKE;
}

static void judge_tile(const judge *j, int32_t index, int32_t tx, int32_t ty, bool rest) {
    uint16_t *tile = &j->flow->tiles[index];
    uint8_t *rows = &j->flow->scratch->busy[index];
    uint16_t most = j->flow->scratch->most[index], now = (uint16_t)((*tile & REACH_BITS) | *rows * RILL_TILE_CALM_ONE);
    bool restless = *tile & RILL_TILE_RESTLESS, amid = tile_amid(j, tile, tx, ty);
    bool at_most = !j->refresh && (now & most) == most; /* nothing in it could add to what it reaches */
    if ((amid || at_most) && tile_fast(j, tx, ty)) {
        *tile = amid ? REACH_BITS | RILL_TILE_SWEPT : *tile & (REACH_BITS | RILL_TILE_SWEPT);
        *rows = amid ? ALL_ROWS : *rows;
        return;
    }
    int32_t column = tx * RILL_TILE_W, row = ty * RILL_TILE_H, calm = *tile / RILL_TILE_CALM_ONE;
    bool fast;
    uint8_t wet_rows;
    uint16_t reach = tile_reach(j, column, row, &fast, &wet_rows);
    bool keep = !j->refresh && reach; /* sweeping a little more costs less than making the spans anew all the time */
    if (keep) reach |= *tile & REACH_BITS;
    *rows = keep ? *rows | wet_rows : wet_rows;
    bool quiet = rest && reach && !restless && !fast && tile_calm(j, column, row);
    calm = quiet ? rill_min_i(calm + 1, RILL_TILE_CALM_CHECKS) : 0;
    if (calm == RILL_TILE_CALM_CHECKS) {
        stop_tile(j, column, row);
        reach = 0;
    }
    *tile = with_calm((uint16_t)(reach | (*tile & RILL_TILE_SWEPT)), calm);
}

/* Whether all tiles of a tile row and of the rows south and north of it are awake. */
static bool rows_awake(const judge *j, int32_t ty) {
    int32_t width = j->sheet->tiles_x, all = RILL_TILE_AWAKE;
    if (ty == 0 || ty + 1 == j->sheet->tiles_y) return false;
    const uint16_t *south = j->flow->tiles + j->sheet->first_tile + (ty - 1) * width;
    for (int32_t i = 0; i < 3 * width; ++i) all &= south[i];
    return all;
}

/* The next tile of a row that is not dry and idle: large dry worlds are skipped four tiles at a time. */
static int32_t next_tile(const uint16_t *row, int32_t tx, int32_t end) {
    for (; tx + 4 <= end; tx += 4) {
        uint64_t four;
        memcpy(&four, row + tx, sizeof four);
        if (four) break;
    }
    while (tx < end && !row[tx]) ++tx;
    return tx;
}

/* Judges the swept tiles of a tile row; true if what has to be swept may have changed. Nothing changes for a tile amid moving
 * liquid that is all swept and still moves: large wet worlds consist of these, and its first face tells. */
static bool judge_row(const judge *j, int32_t ty, bool rest) {
    const rill_sheet *sheet = j->sheet;
    int32_t first = sheet->first_tile + ty * sheet->tiles_x, place = rill_sheet_place(sheet, 0, ty * RILL_TILE_H);
    uint16_t *row = j->flow->tiles + first;
    uint8_t *busy = j->flow->scratch->busy + first;
    bool changed = false, amid = rows_awake(j, ty);
    for (int32_t tx = next_tile(row, 0, sheet->tiles_x); tx < sheet->tiles_x;
         tx = next_tile(row, tx + 1, sheet->tiles_x)) {
        const float *u = j->flow->u + place + tx * RILL_TILE_W;
        if (!(row[tx] & (RILL_TILE_SWEPT | RILL_TILE_AWAKE))) continue;
        __builtin_prefetch(u + RILL_TILE_H * sheet->stride); /* for the next row */
        bool inside = amid && tx > 0 && tx + 1 < sheet->tiles_x;
        if (inside && row[tx] == (REACH_BITS | RILL_TILE_SWEPT) && busy[tx] == ALL_ROWS &&
            __builtin_fabsf(*u) >= REST_SPEED)
            continue;
        uint16_t before = row[tx];
        uint8_t before_rows = busy[tx];
        judge_tile(j, first + tx, tx, ty, rest);
        changed |= ((before ^ row[tx]) & REACH_BITS) != 0 || before_rows != busy[tx];
        amid = amid && row[tx] & RILL_TILE_AWAKE;
    }
    return changed;
}

static bool judge_all(rill_flow *flow, const rill_flow_settings *settings, const rill_kernel_constants *constants) {
    bool changed = false;
    double head = REST_HEAD / flow->bed->quantum;
    judge j = { flow,
                NULL,
                constants,
                head > 8.0 ? (int32_t)head : 8,
                rill_kernels_pick(settings->scalar),
                settings->paper,
                flow->substep / RILL_TILE_CHECK % REFRESH == 0 };
    if (settings->rest) rill_sparse_unrest(flow, settings, constants, REST_SPEED, j.rest_head);
    for (int32_t i = 0; i < flow->bed->sheet_count; ++i) {
        j.sheet = &flow->bed->sheets[i];
        for (int32_t ty = 0; ty < j.sheet->tiles_y; ++ty) changed |= judge_row(&j, ty, settings->rest);
    }
    return changed;
}

/* ------------------------------------------------------------------------------------------------------------- spans */

enum { KEEP = 1 << 15 }; /* swept before: free while no calm count reaches it */

/* Marks an awake tile and the neighbours it reaches, if there are columns in them. */
static void sweep_around(uint16_t *tiles, const uint8_t *empty, const rill_sheet *sheet, int32_t tx, int32_t ty) {
    int32_t at = ty * sheet->tiles_x + tx;
    int32_t west = (tiles[at] & RILL_TILE_REACH_WEST) && tx > 0,
            east = (tiles[at] & RILL_TILE_REACH_EAST) && tx + 1 < sheet->tiles_x;
    int32_t south = (tiles[at] & RILL_TILE_REACH_SOUTH) && ty > 0,
            north = (tiles[at] & RILL_TILE_REACH_NORTH) && ty + 1 < sheet->tiles_y;
    for (int32_t y = -south; y <= north; ++y)
        for (int32_t x = -west; x <= east; ++x) {
            int32_t near = at + y * sheet->tiles_x + x;
            if (!empty[near]) tiles[near] |= RILL_TILE_SWEPT;
        }
}

/* What stands in a tile that leaves the sweep. It goes on counting for the time step: whatever wakes it may move it at once. */
static rill_idle measure_tile(const rill_flow *flow, const rill_sheet *sheet, int32_t tx, int32_t ty) {
    rill_idle idle = { 0 };
    for (int32_t y = ty * RILL_TILE_H; y < (ty + 1) * RILL_TILE_H && y < rill_sheet_rows(sheet); ++y) {
        int32_t place = rill_sheet_place(sheet, tx * RILL_TILE_W, y);
        for (int32_t i = place; i < place + RILL_TILE_W; ++i) {
            idle.depth = rill_max_i(idle.depth, flow->H[i]);
            if (flow->H[i] > RILL_DRY) idle.level = rill_max_i(idle.level, flow->bed->b[i] + flow->H[i]);
        }
    }
    return idle;
}

/* Where the sweep borders on tiles that are not swept (asleep, or dry and out of reach) nothing may cross: what would arrive
 * there could not be deposited. East and north borders need nothing, their faces belong to the tile beyond. */
static void freeze_border(rill_flow *flow, const rill_sheet *sheet, const uint16_t *tile, int32_t tx, int32_t ty) {
    rill_flow_scratch *scratch = flow->scratch;
    int32_t place = rill_sheet_place(sheet, tx * RILL_TILE_W, ty * RILL_TILE_H);
    if (tx > 0 && !(tile[-1] & RILL_TILE_SWEPT))
        scratch->frozen[scratch->frozen_count++] = (rill_frozen){ flow->u + place, 1, RILL_TILE_H, sheet->stride };
    if (ty > 0 && !(tile[-sheet->tiles_x] & RILL_TILE_SWEPT))
        scratch->frozen[scratch->frozen_count++] = (rill_frozen){ flow->v + place, RILL_TILE_W, 1, sheet->stride };
}

/* Which rows of a tile must be swept: those within reach of a busy row of it or of the tiles around it. */
static uint8_t rows_needed(const uint8_t *busy, const rill_sheet *sheet, int32_t tx, int32_t ty) {
    uint32_t rows[3] = { 0, 0, 0 }; /* busy rows of the tiles south, here, north */
    for (int32_t y = -1; y <= 1; ++y)
        for (int32_t x = -1; x <= 1; ++x)
            if (tx + x >= 0 && tx + x < sheet->tiles_x && ty + y >= 0 && ty + y < sheet->tiles_y)
                rows[y + 1] |= busy[(ty + y) * sheet->tiles_x + tx + x];
    uint32_t column = rows[0] | rows[1] << RILL_TILE_H | rows[2] << 2 * RILL_TILE_H, reach = column;
    for (int32_t i = 1; i <= RILL_TILE_CHECK; ++i) reach |= column << i | column >> i;
    return (uint8_t)(reach >> RILL_TILE_H & ALL_ROWS);
}

/* Lists the swept tiles of a tile row, with the rows of each that are needed; returns how many there are. */
static int32_t list_swept(rill_flow *flow, const rill_sheet *sheet, int32_t ty) {
    rill_flow_scratch *scratch = flow->scratch;
    int32_t first = sheet->first_tile + ty * sheet->tiles_x, count = 0;
    const uint16_t *row = flow->tiles + first;
    for (int32_t tx = next_tile(row, 0, sheet->tiles_x); tx < sheet->tiles_x;
         tx = next_tile(row, tx + 1, sheet->tiles_x)) {
        if (!(row[tx] & RILL_TILE_SWEPT)) continue;
        bool all = scratch->sweep_all || scratch->busy[first + tx] == ALL_ROWS;
        scratch->needed[tx] = all ? ALL_ROWS : rows_needed(scratch->busy + sheet->first_tile, sheet, tx, ty);
        scratch->swept[count++] = tx;
        scratch->swept_columns += scratch->columns[first + tx];
        freeze_border(flow, sheet, &row[tx], tx, ty);
    }
    return count;
}

/* The spans of row y of a tile row, appended to the `count` there are. One long run under its lowest ceiling is faster than
 * several with ceilings of their own. */
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

void rill_tiles_freeze(rill_flow *flow) {
    const rill_flow_scratch *scratch = flow->scratch;
    for (int32_t i = 0; i < scratch->frozen_count; ++i) {
        const rill_frozen *f = &scratch->frozen[i];
        for (int32_t y = 0; y < f->rows; ++y)
            for (int32_t x = 0; x < f->count; ++x) f->face[y * f->stride + x] = 0.0f;
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
            for (int32_t y = ty * RILL_TILE_H; y < (ty + 1) * RILL_TILE_H && y < rill_sheet_rows(sheet); ++y) {
                scratch->row_first[row++] = count;
                count = row_spans(scratch, lintel, swept, y % RILL_TILE_H, count);
            }
        }
    }
    scratch->row_first[row] = count;
    cut_bands(scratch);
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
        for (int32_t ty = 0; ty < sheet->tiles_y; ++ty) {
            const uint16_t *row = tiles + ty * sheet->tiles_x;
            for (int32_t tx = next_tile(row, 0, sheet->tiles_x); tx < sheet->tiles_x;
                 tx = next_tile(row, tx + 1, sheet->tiles_x))
                if (row[tx] & RILL_TILE_AWAKE) sweep_around(tiles, empty, sheet, tx, ty);
        }
        for (int32_t ty = 0; ty < sheet->tiles_y; ++ty) {
            uint16_t *row = tiles + ty * sheet->tiles_x;
            rill_idle *idle = flow->scratch->tile_idle + sheet->first_tile + ty * sheet->tiles_x;
            for (int32_t tx = next_tile(row, 0, sheet->tiles_x); tx < sheet->tiles_x;
                 tx = next_tile(row, tx + 1, sheet->tiles_x)) {
                if ((row[tx] & KEEP) && !(row[tx] & RILL_TILE_SWEPT)) idle[tx] = measure_tile(flow, sheet, tx, ty);
                row[tx] &= (uint16_t)~KEEP;
            }
        }
    }
}

/* The extent of all that is not swept: sleeping tiles, which have a calm count. */
static void measure_idle(rill_flow *flow) {
    flow->scratch->idle = (rill_flow_extent){ 0 };
    for (int32_t i = next_tile(flow->tiles, 0, flow->bed->tile_count); i < flow->bed->tile_count;
         i = next_tile(flow->tiles, i + 1, flow->bed->tile_count)) {
        if (flow->tiles[i] & RILL_TILE_SWEPT) continue;
        rill_flow_extent here = { flow->scratch->tile_idle[i].depth, flow->scratch->tile_idle[i].level, 0.0f };
        rill_flow_widen(&flow->scratch->idle, &here);
    }
}

/* Lists the pipes with a swept end, and the runs of pipes they lie in: gaps of a few cost less than runs of their own. */
static void list_active_pipes(rill_flow *flow) {
    enum { GAP = 16 };
    rill_sparse *sparse = &flow->scratch->sparse;
    sparse->active_count = sparse->run_count = 0;
    for (int32_t i = 0; i < flow->bed->pipe_count; ++i) {
        const rill_pipe *pipe = &sparse->pipes[i];
        sparse->arrays.awake[i] = (flow->tiles[pipe->tile_l] | flow->tiles[pipe->tile_r]) & RILL_TILE_SWEPT ? 1 : 0;
        if (!sparse->arrays.awake[i]) continue;
        rill_pipe_run *run = sparse->runs + sparse->run_count - 1;
        if (sparse->run_count == 0 || i - (run->from + run->count) >= GAP)
            *(run = &sparse->runs[sparse->run_count++]) = (rill_pipe_run){ i, 0 };
        run->count = i + 1 - run->from;
        sparse->active[sparse->active_count++] = i;
    }
}

/* Not when resuming: a pipe may have been given a velocity since its tiles were last looked at. */
static void stop_idle_pipes(rill_flow *flow) {
    for (int32_t i = 0; i < flow->bed->pipe_count; ++i)
        if (!flow->scratch->sparse.arrays.awake[i]) flow->pipe_u[i] = 0.0f;
}

void rill_tiles_update(rill_flow *flow, const rill_flow_settings *settings, const rill_kernel_constants *constants,
                       bool near_top) {
    rill_flow_scratch *scratch = flow->scratch;
    bool due = flow->substep % RILL_TILE_CHECK == 0 && (scratch->band_count > 0 || flow->stale);
    bool changed = flow->stale || scratch->sweep_all != !settings->skip_idle || scratch->near_top != near_top;
    if (due) changed |= judge_all(flow, settings, constants);
    if (!changed) return;
    scratch->sweep_all = !settings->skip_idle;
    scratch->near_top = near_top;
    mark_swept(flow, scratch->sweep_all);
    measure_idle(flow);
    make_spans(flow);
    list_active_pipes(flow);
    stop_idle_pipes(flow);
    flow->stale = false;
}

void rill_flow_resume(rill_flow *flow) {
    rill_covered_resume(flow);
    for (int32_t i = 0; i < flow->bed->tile_count; ++i) flow->scratch->busy[i] = flow->tiles[i] ? ALL_ROWS : 0;
    for (int32_t i = 0; i < flow->bed->sheet_count; ++i) {
        const rill_sheet *sheet = &flow->bed->sheets[i];
        for (int32_t tile = 0; tile < sheet->tiles_x * sheet->tiles_y; ++tile)
            if (!(flow->tiles[sheet->first_tile + tile] & RILL_TILE_SWEPT))
                flow->scratch->tile_idle[sheet->first_tile + tile] =
                    measure_tile(flow, sheet, tile % sheet->tiles_x, tile / sheet->tiles_x);
    }
    measure_idle(flow);
    make_spans(flow);
    list_active_pipes(flow);
}
