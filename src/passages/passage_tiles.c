/* Tiles with ceilings: which of their columns are flooded, and which might be soon. See passages_internal.h.
 *
 * The pressure plane is written by rill_passages_set_code alone, which counts the flooded columns of each tile; where
 * it is changed otherwise (loading, a changed bed) they are counted anew. A scan lists the tiles with columns that are
 * flooded or might fill within a few sub-steps. It is cheap for tiles that are far from full: their least height under
 * a ceiling is known. */
#include <math.h>
#include <string.h>

#include "passages/passages_internal.h"

/* ---------------------------------------------------------------------------------------------------------- flooded */

bool rill_passages_has_ceiling(const rill_bed *bed, const rill_sheet *sheet, int32_t tx, int32_t ty) {
    for (int32_t row = ty * RILL_TILE_H; row < (ty + 1) * RILL_TILE_H && row < rill_sheet_rows(sheet); ++row) {
        const int32_t *c = bed->c + rill_sheet_place(sheet, tx * RILL_TILE_W, row);
        int32_t any = 0;
        RILL_NOT_UNROLLED
        for (int32_t i = 0; i < RILL_TILE_W; ++i) any |= c[i] < RILL_TOP;
        if (any) return true;
    }
    return false;
}

void rill_passages_count_flooded(rill_flow *flow, int32_t sheet, int32_t tx, int32_t ty) {
    const rill_sheet *of = &flow->bed->sheets[sheet];
    int32_t count = 0;
    for (int32_t row = ty * RILL_TILE_H; row < (ty + 1) * RILL_TILE_H && row < rill_sheet_rows(of); ++row) {
        const int32_t *pressure = flow->pressure + rill_sheet_place(of, tx * RILL_TILE_W, row);
        RILL_NOT_UNROLLED
        for (int32_t i = 0; i < RILL_TILE_W; ++i) count += pressure[i] != 0;
    }
    const int32_t tile = of->first_tile + ty * of->tiles_x + tx;
    RILL_ASSERT(count <= RILL_TILE_W * RILL_TILE_H && tile < flow->bed->tile_count);
    flow->passages->flooded[tile] = (uint8_t)count;
    flow->passages->nearly_full[tile] = 0;
}

void rill_passages_resume(rill_flow *flow) {
    const rill_bed *bed = flow->bed;
    if (!flow->passages) return;
    memset(flow->passages->flooded, 0, (size_t)bed->tile_count);
    for (int64_t i = 0; i < bed->info.columns; ++i)
        if (flow->pressure[bed->places[i]] != 0) flow->passages->flooded[rill_bed_tile_of(bed, bed->places[i])] += 1;
    flow->passages->memory_due = true;
    flow->passages->as_found = false;
}

void rill_passages_fill(rill_flow *flow, int32_t place, bool full) {
    const bool before = rill_flow_flooded(flow, place);
    rill_passages_set_code(flow, place, rill_bed_tile_of(flow->bed, place), full ? RILL_PRESSURE_NEW : 0);
    if (before != full) flow->passages->memory_due |= full;
}

void rill_passages_set_pressure(rill_flow *flow, int32_t place, double pressure) {
    RILL_ASSERT(isfinite(pressure));
    const int32_t code = pressure < 0.0 ? 0 : rill_pressure_code(pressure);
    rill_passages_set_code(flow, place, rill_bed_tile_of(flow->bed, place), code);
}

void rill_passages_forget(rill_flow *flow) {
    if (!flow->passages) return;
    memset(flow->pressure, 0, (size_t)flow->bed->plane_size * sizeof *flow->pressure);
    memset(flow->passages->flooded, 0, (size_t)flow->bed->tile_count);
}

/* ------------------------------------------------------------------------------------------------------------- scan */

static const float HORIZON = 3.0f; /* sub-steps to look ahead */

/* Marks the tiles with flooded columns and the eight around each. */
static void mark_near_flooded(const rill_flow *flow) {
    rill_passage_solver *passages = flow->passages;
    memset(passages->near_flooded, 0, (size_t)flow->bed->tile_count);
    for (int32_t i = 0; i < passages->tile_count; ++i) {
        const rill_passage_tile *tile = &passages->tiles[i];
        if (!passages->flooded[tile->tile]) continue;
        const rill_sheet *sheet = &flow->bed->sheets[tile->sheet];
        for (int32_t ty = rill_max_i(tile->ty - 1, 0); ty <= rill_min_i(tile->ty + 1, sheet->tiles_y - 1); ++ty)
            for (int32_t tx = rill_max_i(tile->tx - 1, 0); tx <= rill_min_i(tile->tx + 1, sheet->tiles_x - 1); ++tx)
                passages->near_flooded[sheet->first_tile + ty * sheet->tiles_x + tx] = 1;
    }
}

/* Returns fifteen sixteenths of the least height under a ceiling in a tile; found once, and again when solids have
 * changed. */
static int32_t nearly_full_height(const rill_flow *flow, const rill_passage_tile *tile, int32_t place, int32_t rows) {
    int32_t *nearly_full = &flow->passages->nearly_full[tile->tile];
    if (*nearly_full > 0) return *nearly_full;
    const int32_t stride = flow->bed->sheets[tile->sheet].stride;
    int32_t least = RILL_TOP;
    for (int32_t y = 0; y < rows; ++y) {
        const int32_t *b = flow->bed->b + place + y * stride, *c = flow->bed->c + place + y * stride;
        RILL_NOT_UNROLLED
        for (int32_t i = 0; i < RILL_TILE_W; ++i)
            least = rill_min_i(least, ((b[i] < c[i]) & (c[i] < RILL_TOP)) ? c[i] - b[i] : RILL_TOP);
    }
    RILL_ASSERT(least > 0);
    return *nearly_full = rill_max_i(least - least / 16, 1);
}

/* Finds the columns of a tile that are flooded, or might be soon, as bits by row. False if there are none. */
static bool scan_tile(const rill_flow *flow, float lambda, const rill_passage_tile *tile,
                      uint8_t candidates[RILL_TILE_W]) {
    const rill_passage_solver *passages = flow->passages;
    const rill_sheet *sheet = &flow->bed->sheets[tile->sheet];
    const int32_t place = rill_sheet_place(sheet, tile->tx * RILL_TILE_W, tile->ty * RILL_TILE_H);
    const int32_t rows = rill_min_i(RILL_TILE_H, rill_sheet_rows(sheet) - tile->ty * RILL_TILE_H);
    const int32_t nearly_full = nearly_full_height(flow, tile, place, rows);
    RILL_ASSERT(rows > 0 && rows <= RILL_TILE_H && nearly_full > 0);
    const bool flooded = passages->flooded[tile->tile];
    if (!flooded && flow->extent.depth < nearly_full) return false;
    const rill_passage_columns columns = { rill_flow_bases(flow) + place, flow->bed->c + place, flow->H + place,
                                           flow->pressure + place,        flow->u + place,      flow->v + place };
    const rill_passage_scan scan = { .at = columns,
                                     .stride = sheet->stride,
                                     .rows = rows,
                                     .flooded = flooded,
                                     .near_flooded = passages->near_flooded[tile->tile],
                                     .nearly_full = nearly_full };
    int32_t rows_of[RILL_TILE_W], all = 0;
    if (!passages->kernels->scan(&scan, lambda * HORIZON, rows_of)) return false;
    for (int32_t x = 0; x < RILL_TILE_W; ++x) {
        RILL_ASSERT((rows_of[x] >> RILL_TILE_H & ~rows_of[x]) == 0); /* all that is flooded is there */
        RILL_ASSERT((rows_of[x] & ((1 << RILL_TILE_H) - 1)) >> rows == 0);
        all |= rows_of[x], candidates[x] = (uint8_t)rows_of[x];
    }
    return all != 0;
}

bool rill_passages_tile_awake(const rill_flow *flow, int32_t tile) {
    return flow->tiles[tile] & (RILL_TILE_AWAKE | RILL_TILE_SWEPT);
}

bool rill_passages_list_tiles(const rill_flow *flow, float lambda) {
    rill_passage_solver *passages = flow->passages;
    const int32_t before = passages->listed_count;
    bool same = true;
    mark_near_flooded(flow);
    passages->listed_count = 0;
    for (int32_t i = 0; i < passages->tile_count; ++i) {
        rill_passage_tile *tile = &passages->tiles[i];
        const bool awake = rill_passages_tile_awake(flow, tile->tile);
        const bool due = passages->near_flooded[tile->tile] || flow->substep % RILL_SCAN_EVERY == 0;
        uint8_t candidates[RILL_TILE_W];
        if (passages->flooded[tile->tile] == 0 && !(awake && due)) continue;
        if (!scan_tile(flow, lambda, tile, candidates)) continue;
        RILL_ASSERT(passages->roofed[tile->tile] && passages->listed_count < passages->tile_capacity);
        const int32_t k = passages->listed_count++;
        same &= k < before && passages->listed[k] == i && tile->awake == awake &&
                memcmp(tile->candidates, candidates, sizeof candidates) == 0;
        passages->listed[k] = i;
        tile->awake = awake;
        memcpy(tile->candidates, candidates, sizeof candidates);
    }
    return same && passages->listed_count == before;
}
