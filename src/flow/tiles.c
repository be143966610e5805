/* Tiles: computation only where liquid moves (Thompson). Dry tiles and tiles at rest cost nothing.
 *
 * Every RILL_TILE_CHECK sub-steps each swept tile is judged:
 *   dry      no column above RILL_DRY, no velocity: not awake. Skipping it changes no bit.
 *   calm     every face may rest (rest.h), and the tile does not slope as a whole (slope_calm). After RILL_TILE_CALM_CHECKS
 *            checks in a row it falls asleep: its velocities become zero (the rest rule). Never on net flow: a slosh has none.
 *            A film that runs down a slope has a large drive and stays awake.
 *   awake    otherwise.
 * What is swept are the rows of the awake tiles, and of those around them, that a disturbance can reach before the next
 * check; it travels one column per sub-step. Whatever touches a column from outside wakes what it may reach. What is
 * swept may grow at every check but shrinks only at every REFRESHth. */
#include "base/simd.h"
#include "flow/ceiling.h"
#include "flow/drive.h"
#include "flow/flow_internal.h"
#include "flow/rest.h"

#include <string.h>

enum { REFRESH = 8 }; /* checks */

enum {
    REACH_ALL = RILL_TILE_REACH_WEST | RILL_TILE_REACH_EAST | RILL_TILE_REACH_SOUTH | RILL_TILE_REACH_NORTH,
    REACH_BITS = RILL_TILE_AWAKE | REACH_ALL
};

/* Which sides a disturbance at a cell of a tile may cross before the next check. West and south faces belong to the
 * cell itself, so that it may come within RILL_TILE_CHECK cells either way; `back` of them to the west and south. */
static uint16_t cell_reach(int32_t x, int32_t y, int32_t back) {
    uint16_t reach = RILL_TILE_AWAKE;
    if (x < back) reach |= RILL_TILE_REACH_WEST;
    if (x + RILL_TILE_CHECK >= RILL_TILE_W) reach |= RILL_TILE_REACH_EAST;
    if (y < back) reach |= RILL_TILE_REACH_SOUTH;
    if (y + RILL_TILE_CHECK >= RILL_TILE_H) reach |= RILL_TILE_REACH_NORTH;
    return reach;
}

uint16_t rill_tile_wake_bits(int32_t column, int32_t row) {
    int32_t y = row % RILL_TILE_H;
    return (uint16_t)(cell_reach(column % RILL_TILE_W, y, RILL_TILE_CHECK) | RILL_TILE_CALM_ONE << y);
}

uint16_t rill_flow_wake_bits(const rill_bed *bed, int32_t place) {
    int32_t x, y;
    const rill_sheet *sheet = rill_bed_sheet_of(bed, place, &x, &y);
    return rill_tile_wake_bits(x - sheet->x0 + 1, y - sheet->y0 + 1);
}

void rill_flow_wake_tile(rill_flow *flow, int32_t tile, uint16_t bits) {
    uint16_t state = flow->tiles[tile] & (RILL_TILE_CALM_ONE - 1), reach = bits & REACH_BITS;
    uint8_t *busy = &flow->busy[tile], rows = (uint8_t)(bits / RILL_TILE_CALM_ONE);
    if ((state & reach) != reach || (*busy & rows) != rows) flow->stale = true;
    flow->tiles[tile] = state | reach;
    *busy |= rows;
}

void rill_flow_touch_tile(rill_flow *flow, int32_t tile, uint16_t bits) {
    const uint16_t calm = flow->tiles[tile] & (uint16_t) ~(RILL_TILE_CALM_ONE - 1);
    rill_flow_wake_tile(flow, tile, bits);
    flow->tiles[tile] |= calm;
}

void rill_flow_wake(rill_flow *flow, int32_t place) {
    int32_t x, y;
    const rill_sheet *sheet = rill_bed_sheet_of(flow->bed, place, &x, &y);
    const int32_t column = x - sheet->x0 + 1, row = y - sheet->y0 + 1;
    const int32_t tile = sheet->first_tile + row / RILL_TILE_H * sheet->tiles_x + column / RILL_TILE_W;
    rill_flow_wake_tile(flow, tile, rill_tile_wake_bits(column, row));
}

void rill_flow_wake_all(rill_flow *flow) {
    for (int32_t i = 0; i < flow->bed->sheet_count; ++i) {
        const rill_sheet *sheet = &flow->bed->sheets[i];
        for (int32_t row = 0; row < rill_sheet_rows(sheet); ++row) {
            const int32_t *H = flow->H + rill_sheet_place(sheet, 0, row);
            int32_t tiles = sheet->first_tile + row / RILL_TILE_H * sheet->tiles_x;
            for (int32_t x = 0; x < sheet->tiles_x * RILL_TILE_W; ++x)
                if (H[x] > RILL_DRY)
                    rill_flow_wake_tile(flow, tiles + x / RILL_TILE_W,
                                        REACH_BITS | RILL_TILE_ALL_ROWS * RILL_TILE_CALM_ONE);
        }
    }
}

void rill_flow_wake_everything(rill_flow *flow) {
    for (int32_t i = 0; i < flow->bed->tile_count; ++i) rill_flow_wake_tile(flow, i, flow->scratch->most[i]);
}

/* ------------------------------------------------------------------------------------------------------------ judge */

typedef struct judge {
    rill_flow *flow;
    const rill_sheet *sheet;
    const rill_kernel_constants *constants;
    int32_t rest_head; /* quanta */
    const rill_kernels *kernels;
    bool paper, tension;
    bool steep;   /* levels count less than they are */
    bool refresh; /* tiles may also shrink what they reach */
} judge;

/* Whether a face could be stopped: slow, and hardly driven. Mirrors the drive of kernels.c. Adds its head to `*sum` and
 * keeps the largest depth beside it in `*deepest`. */
static bool face_calm(const judge *work, int32_t l, int32_t r, float u, int32_t tilt, int64_t *sum, int32_t *deepest) {
    const rill_bed *bed = work->flow->bed;
    const int32_t *H = work->flow->H, *b = rill_flow_bases(work->flow);
    if (rill_restless(u, 0)) return false;
    if (rill_flow_flooded(work->flow, l) || rill_flow_flooded(work->flow, r))
        return true; /* the covered stage knows better */
    const rill_face depths = rill_face_at(b[l], b[r], H[l], H[r]);
    if (rill_max_i(depths.l, depths.r) <= RILL_DRY) return true;
    const int32_t clip = work->paper ? -RILL_WALL : rill_drive_clip(&depths, work->constants->five_dx);
    if (work->tension && rill_min_i(depths.l, depths.r) >= clip) return true;
    const int32_t levels = rill_drive_head(&depths, clip);
    const int32_t head = (work->steep ? rill_drive_upright(levels, work->constants->upright) : levels) + tilt;
    int32_t hl = b[l] + H[l], hr = b[r] + H[r], zb = rill_max_i(b[l], b[r]);
    bool donor_dry = (head > 0 ? depths.l : depths.r) <= RILL_DRY; /* driven, but nothing can follow */
    if (donor_dry || rill_ceiling_blocks(bed->c[l], bed->c[r], hl, hr, zb, (float)head, work->constants->slack))
        return true;
    *deepest = rill_max_i(*deepest, rill_max_i(H[l], H[r]));
    if (rill_abs_i(head) <= work->rest_head) *sum += head;
    return !rill_restless(u, rill_abs_i(head) > work->rest_head);
}

/* Small heads that all point one way add up over a pool, and a viscous liquid would go on levelling them: what is
 * stopped must not slope by more than 5e-6 of its depth per column, unless that drives it no faster than it may creep
 * (Nusselt). Waves and rounding noise cancel in the mean. */
static bool slope_calm(const judge *work, int64_t sum, int32_t deepest) {
    const int64_t faces = RILL_TILE_W * RILL_TILE_H, per_column = 200000, slope = sum < 0 ? -sum : sum;
    const float twice = 2.0f * (float)deepest, driven = work->constants->drive * (float)slope / (float)faces;
    return slope * per_column <= faces * deepest || driven * twice * twice < RILL_CREEP_SPEED * work->constants->drag;
}

/* Whether all faces of a tile are calm, and it does not slope. `pushed` is a constant: mostly there are no fields. */
static inline __attribute__((always_inline)) bool faces_calm(const judge *work, int32_t column, int32_t row,
                                                             const bool pushed) {
    const rill_flow *flow = work->flow;
    int32_t stride = work->sheet->stride, rows = rill_sheet_rows(work->sheet), deepest = 0;
    int64_t sum[2] = { 0, 0 };
    for (int32_t y = row; y <= row + RILL_TILE_H && y <= rows; ++y)
        for (int32_t i = 0; i <= RILL_TILE_W; ++i) { /* one beyond on each axis: the tile's east and north faces */
            int32_t place = rill_sheet_place(work->sheet, column + i, y);
            int32_t along[2] = { work->constants->tilt[0], work->constants->tilt[1] };
            for (int32_t axis = 0; pushed && axis < 2; ++axis) along[axis] += rill_flow_face_push(flow, place, axis);
            if (y < row + RILL_TILE_H &&
                !face_calm(work, place - 1, place, flow->u[place], along[0], &sum[0], &deepest))
                return false;
            if (i < RILL_TILE_W && !face_calm(work, place - stride, place, flow->v[place], along[1], &sum[1], &deepest))
                return false;
        }
    return slope_calm(work, sum[0], deepest) && slope_calm(work, sum[1], deepest);
}

static bool tile_calm(const judge *work, int32_t column, int32_t row) {
    return work->constants->pushed ? faces_calm(work, column, row, true) : faces_calm(work, column, row, false);
}

static void stop_tile(const judge *work, int32_t column, int32_t row) {
    for (int32_t y = row; y < row + RILL_TILE_H && y < rill_sheet_rows(work->sheet); ++y) {
        int32_t place = rill_sheet_place(work->sheet, column, y);
        memset(work->flow->u + place, 0, RILL_TILE_W * sizeof(float));
        memset(work->flow->v + place, 0, RILL_TILE_W * sizeof(float));
    }
}

/* Whether anything is wet or moves along a column of a tile. */
static bool busy_along(const rill_flow *flow, int32_t place, int32_t stride, int32_t rows) {
    bool any = false;
    for (int32_t y = 0; y < rows; ++y, place += stride)
        any |= flow->H[place] > RILL_DRY || flow->u[place] != 0.0f || flow->v[place] != 0.0f;
    return any;
}

/* Returns wake bits for all that the tile's columns may disturb; 0 if nothing in it is wet or moves. `*fast`: some face
 * is too fast to be calm; `*wet_rows`: where. */
static uint16_t tile_reach(const judge *work, int32_t column, int32_t row, bool *fast, uint8_t *wet_rows) {
    const rill_flow *flow = work->flow;
    int32_t rows = rill_min_i(RILL_TILE_H, rill_sheet_rows(work->sheet) - row);
    int32_t place = rill_sheet_place(work->sheet, column, row);
    const int32_t *south_west = flow->H + place;
    *fast = false;
    *wet_rows = RILL_TILE_ALL_ROWS;
    if (south_west[0] > RILL_DRY && south_west[(RILL_TILE_H - 1) * work->sheet->stride + RILL_TILE_W - 1] > RILL_DRY)
        return REACH_BITS; /* two wet corners: it reaches everywhere */
    rill_tile_look seen =
        work->kernels->look(rows, work->sheet->stride, flow->H + place, flow->u + place, flow->v + place);
    *fast = rill_restless(seen.fastest, 0);
    *wet_rows = (uint8_t)seen.rows;
    uint16_t reach = 0;
    const int32_t back = rill_flow_reach_back(flow), stride = work->sheet->stride;
    for (int32_t y = 0; y < RILL_TILE_H; ++y)
        if (seen.rows >> y & 1) reach |= cell_reach(RILL_TILE_W / 2, y, back);
    for (int32_t x = RILL_TILE_CHECK; x < back; ++x) seen.west |= reach && busy_along(flow, place + x, stride, rows);
    if (seen.west) reach |= RILL_TILE_REACH_WEST;
    if (seen.east) reach |= RILL_TILE_REACH_EAST;
    return reach;
}

/* The calm count lives above all flags. */
static uint16_t with_calm(uint16_t tile, int32_t calm) {
    return (uint16_t)((tile & (RILL_TILE_CALM_ONE - 1)) | calm * RILL_TILE_CALM_ONE);
}

/* Whether some face of a tile is too fast to be calm: mostly the first is. */
static bool tile_fast(const judge *work, int32_t tx, int32_t ty) {
    const rill_sheet *sheet = work->sheet;
    int32_t rows = rill_min_i(RILL_TILE_H, rill_sheet_rows(sheet) - ty * RILL_TILE_H);
    for (int32_t y = 0; y < rows; ++y) {
        int32_t place = rill_sheet_place(sheet, tx * RILL_TILE_W, ty * RILL_TILE_H + y);
        const float *u = work->flow->u + place, *v = work->flow->v + place;
        for (int32_t i = 0; i < RILL_TILE_W; ++i)
            if (rill_restless(u[i], 0) | rill_restless(v[i], 0)) return true;
    }
    return false;
}

/* In the midst of moving liquid, where all around a tile is awake, how far it reaches does not matter. */
static bool tile_amid(const judge *work, const uint16_t *tile, int32_t tx, int32_t ty) {
    const rill_sheet *sheet = work->sheet;
    if (tx == 0 || ty == 0 || tx + 1 == sheet->tiles_x || ty + 1 == sheet->tiles_y) return false;
    const uint16_t *south = tile - sheet->tiles_x, *north = tile + sheet->tiles_x;
    return tile[-1] & tile[0] & tile[1] & south[-1] & south[0] & south[1] & north[-1] & north[0] & north[1] &
           RILL_TILE_AWAKE;
}

static void judge_tile(const judge *work, int32_t index, int32_t tx, int32_t ty, bool rest) {
    uint16_t *tile = &work->flow->tiles[index];
    uint8_t *rows = &work->flow->busy[index];
    uint16_t most = work->flow->scratch->most[index],
             now = (uint16_t)((*tile & REACH_BITS) | *rows * RILL_TILE_CALM_ONE);
    bool restless = *tile & RILL_TILE_RESTLESS, amid = tile_amid(work, tile, tx, ty);
    const bool knows_most = !work->tension || most == RILL_TILE_WAKE_ALL;
    bool at_most =
        !work->refresh && knows_most && (now & most) == most; /* nothing in it could add to what it reaches */
    if ((amid || at_most) && tile_fast(work, tx, ty)) {
        *tile = amid ? REACH_BITS | RILL_TILE_SWEPT : *tile & (REACH_BITS | RILL_TILE_SWEPT);
        *rows = amid ? RILL_TILE_ALL_ROWS : *rows;
        return;
    }
    int32_t column = tx * RILL_TILE_W, row = ty * RILL_TILE_H, calm = *tile / RILL_TILE_CALM_ONE;
    bool fast;
    uint8_t wet_rows;
    uint16_t reach = tile_reach(work, column, row, &fast, &wet_rows);
    bool keep = !work->refresh && reach; /* sweeping a little more costs less than making the spans anew all the time */
    if (keep) reach |= *tile & REACH_BITS;
    *rows = keep ? *rows | wet_rows : wet_rows;
    bool quiet = rest && reach && !restless && !fast && tile_calm(work, column, row);
    calm = quiet ? rill_min_i(calm + 1, RILL_TILE_CALM_CHECKS) : 0;
    if (calm == RILL_TILE_CALM_CHECKS) {
        stop_tile(work, column, row);
        reach = 0;
    }
    *tile = with_calm((uint16_t)(reach | (*tile & RILL_TILE_SWEPT)), calm);
}

/* Whether all tiles of a tile row and of the rows south and north of it are awake. */
static bool rows_awake(const judge *work, int32_t ty) {
    int32_t width = work->sheet->tiles_x, all = RILL_TILE_AWAKE;
    if (ty == 0 || ty + 1 == work->sheet->tiles_y) return false;
    const uint16_t *south = work->flow->tiles + work->sheet->first_tile + (ty - 1) * width;
    for (int32_t i = 0; i < 3 * width; ++i) all &= south[i];
    return all;
}

/* Judges the swept tiles of a tile row; true if what has to be swept may have changed. Nothing changes for a tile amid
 * moving liquid that is all swept and still moves: large wet worlds consist of these, and its first face tells. */
static bool judge_row(const judge *work, int32_t ty, bool rest) {
    const rill_sheet *sheet = work->sheet;
    int32_t first = sheet->first_tile + ty * sheet->tiles_x, place = rill_sheet_place(sheet, 0, ty * RILL_TILE_H);
    uint16_t *row = work->flow->tiles + first;
    uint8_t *busy = work->flow->scratch->busy + first;
    bool changed = false, amid = rows_awake(work, ty);
    for (int32_t tx = rill_tile_next(row, 0, sheet->tiles_x); tx < sheet->tiles_x;
         tx = rill_tile_next(row, tx + 1, sheet->tiles_x)) {
        const float *u = work->flow->u + place + tx * RILL_TILE_W;
        if (!(row[tx] & (RILL_TILE_SWEPT | RILL_TILE_AWAKE))) continue;
        __builtin_prefetch(u + RILL_TILE_H * sheet->stride); /* for the next row */
        bool inside = amid && tx > 0 && tx + 1 < sheet->tiles_x;
        if (inside && row[tx] == (REACH_BITS | RILL_TILE_SWEPT) && busy[tx] == RILL_TILE_ALL_ROWS &&
            rill_restless(*u, 0))
            continue;
        uint16_t before = row[tx];
        uint8_t before_rows = busy[tx];
        judge_tile(work, first + tx, tx, ty, rest);
        changed |= ((before ^ row[tx]) & REACH_BITS) != 0 || before_rows != busy[tx];
        amid = amid && row[tx] & RILL_TILE_AWAKE;
    }
    return changed;
}

static bool judge_all(rill_flow *flow, const rill_flow_settings *settings, const rill_kernel_constants *constants) {
    bool changed = false;
    double head = RILL_REST_HEAD / flow->bed->quantum;
    judge work = { flow,
                   NULL,
                   constants,
                   head > 8.0 ? (int32_t)head : 8,
                   rill_kernels_pick(settings->scalar),
                   settings->paper,
                   settings->tension,
                   constants->upright < 1.0,
                   flow->substep / RILL_TILE_CHECK % REFRESH == 0 };
    if (settings->rest) rill_sparse_unrest(flow, settings, constants, work.rest_head);
    for (int32_t i = 0; i < flow->bed->sheet_count; ++i) {
        work.sheet = &flow->bed->sheets[i];
        for (int32_t ty = 0; ty < work.sheet->tiles_y; ++ty) changed |= judge_row(&work, ty, settings->rest);
    }
    return changed;
}

void rill_tiles_update(rill_flow *flow, const rill_flow_settings *settings, const rill_kernel_constants *constants,
                       bool near_top) {
    const rill_flow_scratch *scratch = flow->scratch;
    bool due = flow->substep % RILL_TILE_CHECK == 0 && (scratch->band_count > 0 || flow->stale);
    bool changed = flow->stale || scratch->sweep_all != !settings->skip_idle || scratch->near_top != near_top;
    if (due) changed |= judge_all(flow, settings, constants);
    if (changed) rill_spans_update(flow, !settings->skip_idle, near_top);
}
