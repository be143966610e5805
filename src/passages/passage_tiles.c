/* Tiles with ceilings: which of their columns are flooded, and which might be soon. See passages_internal.h. */
#include <string.h>

#include "passages/passages_internal.h"

/* ------------------------------------------------------------------------------------------------------------ flooded */

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

void rill_passages_describe(rill_flow *flow, int32_t sheet, int32_t tx, int32_t ty) {
    const rill_sheet *at = &flow->bed->sheets[sheet];
    int32_t count = 0;
    for (int32_t row = ty * RILL_TILE_H; row < (ty + 1) * RILL_TILE_H && row < rill_sheet_rows(at); ++row) {
        const int32_t *pressure = flow->pressure + rill_sheet_place(at, tx * RILL_TILE_W, row);
        RILL_NOT_UNROLLED
        for (int32_t i = 0; i < RILL_TILE_W; ++i) count += pressure[i] != 0;
    }
    const int32_t tile = at->first_tile + ty * at->tiles_x + tx;
    flow->passages->flooded[tile] = (uint8_t)count;
    flow->passages->nearly[tile] = 0;
}

void rill_passages_resume(rill_flow *flow) {
    const rill_bed *bed = flow->bed;
    if (!flow->passages) return;
    memset(flow->passages->flooded, 0, (size_t)bed->tile_count);
    for (int64_t i = 0; i < bed->info.columns; ++i)
        if (flow->pressure[bed->places[i]] != 0) flow->passages->flooded[rill_bed_tile_of(bed, bed->places[i])] += 1;
    flow->passages->unready = true;
    flow->passages->as_looked = false;
}

void rill_passages_fill(rill_flow *flow, int32_t place, bool full) {
    const bool before = rill_flow_flooded(flow, place);
    rill_passages_note(flow, place, rill_bed_tile_of(flow->bed, place), full ? RILL_PRESSURE_NEW : 0);
    if (before != full) flow->passages->unready |= full;
}

void rill_passages_press(rill_flow *flow, int32_t place, double pressure) {
    const int32_t code = pressure < 0.0 ? 0 : rill_pressure_code(pressure);
    rill_passages_note(flow, place, rill_bed_tile_of(flow->bed, place), code);
}

void rill_passages_forget(rill_flow *flow) {
    if (!flow->passages) return;
    memset(flow->pressure, 0, (size_t)flow->bed->plane_size * sizeof *flow->pressure);
    memset(flow->passages->flooded, 0, (size_t)flow->bed->tile_count);
}

/* --------------------------------------------------------------------------------------------------------------- look */

static const float HORIZON = 3.0f; /* sub-steps to look ahead */

/* Marks the tiles with flooded columns and the eight around each. */
static void mark_beside(const rill_flow *flow) {
    rill_passage_solver *passages = flow->passages;
    memset(passages->beside, 0, (size_t)flow->bed->tile_count);
    for (int32_t i = 0; i < passages->tile_count; ++i) {
        const rill_passage_tile *at = &passages->tiles[i];
        if (!passages->flooded[at->tile]) continue;
        const rill_sheet *sheet = &flow->bed->sheets[at->sheet];
        for (int32_t ty = rill_max_i(at->ty - 1, 0); ty <= rill_min_i(at->ty + 1, sheet->tiles_y - 1); ++ty)
            for (int32_t tx = rill_max_i(at->tx - 1, 0); tx <= rill_min_i(at->tx + 1, sheet->tiles_x - 1); ++tx)
                passages->beside[sheet->first_tile + ty * sheet->tiles_x + tx] = 1;
    }
}

/* Fifteen sixteenths of the least height under a ceiling in a tile; found once, and again when solids have changed. */
static int32_t nearly_height(const rill_flow *flow, const rill_passage_tile *at, int32_t place, int32_t rows) {
    int32_t *nearly = &flow->passages->nearly[at->tile];
    if (*nearly > 0) return *nearly;
    const int32_t stride = flow->bed->sheets[at->sheet].stride;
    int32_t least = RILL_TOP;
    for (int32_t y = 0; y < rows; ++y) {
        const int32_t *b = flow->bed->b + place + y * stride, *c = flow->bed->c + place + y * stride;
        RILL_NOT_UNROLLED
        for (int32_t i = 0; i < RILL_TILE_W; ++i)
            least = rill_min_i(least, ((b[i] < c[i]) & (c[i] < RILL_TOP)) ? c[i] - b[i] : RILL_TOP);
    }
    return *nearly = rill_max_i(least - least / 16, 1);
}

/* Which columns of a tile are flooded, or might be after this sub-step; false if there are none. */
static bool look_at_tile(const rill_flow *flow, float lambda, const rill_passage_tile *at,
                         uint8_t looked[RILL_TILE_W]) {
    const rill_passage_solver *passages = flow->passages;
    const rill_sheet *sheet = &flow->bed->sheets[at->sheet];
    const int32_t place = rill_sheet_place(sheet, at->tx * RILL_TILE_W, at->ty * RILL_TILE_H);
    const int32_t rows = rill_min_i(RILL_TILE_H, rill_sheet_rows(sheet) - at->ty * RILL_TILE_H);
    const int32_t nearly = nearly_height(flow, at, place, rows);
    const bool flooded = passages->flooded[at->tile];
    if (!flooded && flow->extent.depth < nearly) return false;
    const rill_passage_columns columns = { rill_flow_bases(flow) + place, flow->bed->c + place, flow->H + place,
                                           flow->pressure + place,        flow->u + place,      flow->v + place };
    const rill_passage_look tile = { .at = columns,
                                     .stride = sheet->stride,
                                     .rows = rows,
                                     .flooded = flooded,
                                     .beside = passages->beside[at->tile],
                                     .nearly = nearly };
    int32_t rows_of[RILL_TILE_W], all = 0;
    if (!passages->kernels->look(&tile, lambda * HORIZON, rows_of)) return false;
    for (int32_t x = 0; x < RILL_TILE_W; ++x) all |= rows_of[x], looked[x] = (uint8_t)rows_of[x];
    return all != 0;
}

bool rill_passages_tile_awake(const rill_flow *flow, int32_t tile) {
    return flow->tiles[tile] & (RILL_TILE_AWAKE | RILL_TILE_SWEPT);
}

bool rill_passages_list_tiles(const rill_flow *flow, float lambda) {
    rill_passage_solver *passages = flow->passages;
    const int32_t before = passages->listed_count;
    bool same = true;
    mark_beside(flow);
    passages->listed_count = 0;
    for (int32_t i = 0; i < passages->tile_count; ++i) {
        rill_passage_tile *at = &passages->tiles[i];
        const bool awake = rill_passages_tile_awake(flow, at->tile), due = passages->beside[at->tile] || flow->substep % RILL_LOOK_EVERY == 0;
        uint8_t looked[RILL_TILE_W];
        if (passages->flooded[at->tile] == 0 && !(awake && due)) continue;
        if (!look_at_tile(flow, lambda, at, looked)) continue;
        const int32_t k = passages->listed_count++;
        same &= k < before && passages->listed[k] == i && at->awake == awake &&
                memcmp(at->looked, looked, sizeof looked) == 0;
        passages->listed[k] = i;
        at->awake = awake;
        memcpy(at->looked, looked, sizeof looked);
    }
    return same && passages->listed_count == before;
}
