/* The validator of the bed: everything bed.h promises, recomputed without memory of its own. */
#include "base/message.h"
#include "bed/bed.h"
#include "bed/sheets.h"

typedef struct checker {
    const rill_bed *bed;
    rill_message *message;
    int32_t columns; /* found in the planes so far */
    int32_t next_pipe, next_ghost;
} checker;

#define BROKEN(check, ...) rill_fail((check)->message, RILL_INVALID_DATA, "bed: " __VA_ARGS__)

static rill_result check_sheets(const checker *check) {
    const rill_bed *bed = check->bed;
    int64_t place = 0, tile = 0;
    for (int32_t i = 0; i < bed->sheet_count; ++i) {
        const rill_sheet *sheet = &bed->sheets[i];
        if (sheet->x0 < 0 || sheet->y0 < 0 || sheet->nx < 1 || sheet->ny < 1 ||
            sheet->nx > bed->grid.cells[0] - sheet->x0 || sheet->ny > bed->grid.cells[1] - sheet->y0)
            return BROKEN(check, "sheet %d covers %d x %d cells at (%d, %d), which leaves the grid", (int)i,
                          (int)sheet->nx, (int)sheet->ny, (int)sheet->x0, (int)sheet->y0);
        if (sheet->stride != rill_sheet_stride(sheet->nx) || rill_sheet_start(sheet) != place)
            return BROKEN(check, "sheet %d has stride %d and first %d, expected stride %d from place %lld", (int)i,
                          (int)sheet->stride, (int)sheet->first, (int)rill_sheet_stride(sheet->nx), (long long)place);
        if (sheet->tiles_x != (sheet->nx + 2 + RILL_TILE_W - 1) / RILL_TILE_W ||
            sheet->tiles_y != (sheet->ny + 2 + RILL_TILE_H - 1) / RILL_TILE_H || sheet->first_tile != tile)
            return BROKEN(check, "sheet %d has %d x %d tiles from %d on", (int)i, (int)sheet->tiles_x,
                          (int)sheet->tiles_y, (int)sheet->first_tile);
        place += rill_sheet_area(sheet->nx, sheet->ny);
        tile += (int64_t)sheet->tiles_x * sheet->tiles_y;
    }
    if (place != bed->plane_size || tile != bed->tile_count)
        return BROKEN(check, "planes have %d places and %d tiles, sheets %lld and %lld", (int)bed->plane_size,
                      (int)bed->tile_count, (long long)place, (long long)tile);
    return RILL_OK;
}

/* A column's place is where its cell is in a sheet, and the voids of a cell are stacked. */
static rill_result check_cell(const checker *check, int32_t x, int32_t y) {
    const rill_bed *bed = check->bed;
    size_t cell = (size_t)y * (size_t)bed->grid.cells[0] + (size_t)x;
    int32_t floor = -1;
    for (int32_t k = bed->cell_first[cell]; k < bed->cell_first[cell + 1]; ++k) {
        int32_t place = bed->places[k], px, py;
        if (place < 0 || place >= bed->plane_size)
            return BROKEN(check, "column %d is at place %d of %d", (int)k, (int)place, (int)bed->plane_size);
        const rill_sheet *sheet = rill_bed_sheet_of(bed, place, &px, &py);
        if (px != x || py != y || x < sheet->x0 || x >= sheet->x0 + sheet->nx || y < sheet->y0 ||
            y >= sheet->y0 + sheet->ny)
            return BROKEN(check, "column %d of cell (%d, %d) is at place %d, the place of (%d, %d)", (int)k, (int)x,
                          (int)y, (int)place, (int)px, (int)py);
        int32_t b = bed->b[place], c = bed->c[place];
        if (b <= floor || c <= b || c > RILL_TOP)
            return BROKEN(check, "void %d of cell (%d, %d) is %d to %d, expected it above %d and at most to %d",
                          (int)(k - bed->cell_first[cell]), (int)x, (int)y, (int)b, (int)c, (int)floor, RILL_TOP);
        floor = c;
    }
    return RILL_OK;
}

static rill_result check_cells(const checker *check) {
    const rill_bed *bed = check->bed;
    size_t cells = (size_t)bed->grid.cells[0] * (size_t)bed->grid.cells[1];
    if (bed->cell_first[0] != 0 || bed->cell_first[cells] != bed->info.columns)
        return BROKEN(check, "cells hold columns %d to %d, expected 0 to %lld", (int)bed->cell_first[0],
                      (int)bed->cell_first[cells], (long long)bed->info.columns);
    int32_t layers = 0;
    int64_t walls = 0;
    for (size_t i = 0; i < cells; ++i) {
        int32_t count = bed->cell_first[i + 1] - bed->cell_first[i];
        if (count < 0) return BROKEN(check, "cell %zu holds %d columns", i, (int)count);
        layers = count > layers ? count : layers;
        walls += count == 0;
    }
    if (layers != bed->info.layers || walls != bed->info.wall_cells)
        return BROKEN(check, "info says %d layers and %lld walls, there are %d and %lld", (int)bed->info.layers,
                      (long long)bed->info.wall_cells, (int)layers, (long long)walls);
    for (int32_t y = 0; y < bed->grid.cells[1]; ++y)
        for (int32_t x = 0; x < bed->grid.cells[0]; ++x) {
            rill_result result = check_cell(check, x, y);
            if (result) return result;
        }
    return RILL_OK;
}

/* Ghosts come by edge, along it and from below: each must be beside the edge column whose turn it is. An edge has
 * them for all its columns or for none. */
static rill_result check_ghosts(checker *check) {
    const rill_bed *bed = check->bed;
    int32_t nx = bed->grid.cells[0], ny = bed->grid.cells[1];
    for (int32_t side = 0; side < 4; ++side) {
        if (check->next_ghost == bed->ghost_count || bed->ghosts[check->next_ghost].edge != side) continue;
        bool upright = side == RILL_WEST || side == RILL_EAST;
        for (int32_t i = 0; i < (upright ? ny : nx); ++i) {
            int32_t x = upright ? (side == RILL_EAST ? nx - 1 : 0) : i,
                    y = upright ? i : (side == RILL_NORTH ? ny - 1 : 0);
            size_t cell = (size_t)y * (size_t)nx + (size_t)x;
            for (int32_t k = bed->cell_first[cell]; k < bed->cell_first[cell + 1]; ++k, ++check->next_ghost) {
                int32_t g = check->next_ghost, place = bed->places[k];
                int32_t outward = upright ? 1 : rill_bed_sheet_of(bed, place, NULL, NULL)->stride;
                int32_t at = place + (side == RILL_WEST || side == RILL_SOUTH ? -outward : outward);
                if (g >= bed->ghost_count || bed->ghosts[g].place != at || bed->ghosts[g].edge != side)
                    return BROKEN(check, "ghost %d of %d is not at place %d, beside column %d of edge %d", (int)g,
                                  (int)bed->ghost_count, (int)at, (int)k, (int)side);
                if (bed->c[at] != bed->c[place] || bed->b[at] > bed->b[place] || bed->b[at] < 0 ||
                    bed->ghosts[g].still < 0 || bed->ghosts[g].still > bed->c[at] - bed->b[at])
                    return BROKEN(check, "ghost %d is %d to %d with %d in it, beside a column of %d to %d", (int)g,
                                  (int)bed->b[at], (int)bed->c[at], (int)bed->ghosts[g].still, (int)bed->b[place],
                                  (int)bed->c[place]);
            }
        }
    }
    if (check->next_ghost != bed->ghost_count)
        return BROKEN(check, "there are %d ghosts, expected %d", (int)bed->ghost_count, (int)check->next_ghost);
    return RILL_OK;
}

/* The sparse pipes of a column to one neighbouring cell with a right place in (after, ...): the smallest. */
static int32_t next_right(const rill_bed *bed, int32_t place, int32_t dense, size_t cell, int32_t after, int32_t best) {
    for (int32_t k = bed->cell_first[cell]; k < bed->cell_first[cell + 1]; ++k) {
        int32_t other = bed->places[k];
        if (other == dense || other <= after || other >= best) continue;
        if (rill_overlap(bed->b[place], bed->c[place], bed->b[other], bed->c[other]) >= bed->opening) best = other;
    }
    return best;
}

static rill_result check_pipes_of(checker *check, const rill_sheet *sheet, int32_t x, int32_t y, int32_t place) {
    const rill_bed *bed = check->bed;
    size_t cell = (size_t)y * (size_t)bed->grid.cells[0] + (size_t)x;
    bool east = x + 1 < bed->grid.cells[0], north = y + 1 < bed->grid.cells[1];
    for (int32_t after = -1;;) {
        int32_t best = INT32_MAX;
        if (east) best = next_right(bed, place, place + 1, cell + 1, after, best);
        if (north) best = next_right(bed, place, place + sheet->stride, cell + (size_t)bed->grid.cells[0], after, best);
        if (best == INT32_MAX) break;
        int32_t i = check->next_pipe++;
        if (i >= bed->pipe_count || bed->pipe_l[i] != place || bed->pipe_r[i] != best)
            return BROKEN(check, "sparse pipe %d of %d should join places %d and %d", (int)i, (int)bed->pipe_count,
                          (int)place, (int)best);
        after = best;
    }
    int32_t ahead[2] = { place + 1, place + sheet->stride };
    bool inside[2] = { x + 1 < sheet->x0 + sheet->nx, y + 1 < sheet->y0 + sheet->ny };
    for (int i = 0; i < 2; ++i)
        if (inside[i] &&
            rill_overlap_closed(rill_overlap(bed->b[place], bed->c[place], bed->b[ahead[i]], bed->c[ahead[i]]),
                                bed->opening))
            return BROKEN(check, "places %d and %d of one sheet overlap by too little", (int)place, (int)ahead[i]);
    return RILL_OK;
}

/* Every place of the planes is a column, a ghost or a wall. */
static rill_result check_planes(checker *check) {
    const rill_bed *bed = check->bed;
    int32_t standing = 0;
    for (int32_t i = 0; i < bed->plane_size; ++i) {
        if ((bed->b[i] == RILL_WALL) != (bed->c[i] == RILL_WALL))
            return BROKEN(check, "place %d is half a wall", (int)i);
        standing += bed->b[i] != RILL_WALL;
    }
    if (standing != bed->info.columns + bed->ghost_count)
        return BROKEN(check, "planes hold %d columns, expected %lld and %d ghosts", (int)standing,
                      (long long)bed->info.columns, (int)bed->ghost_count);
    for (int32_t i = 0; i < bed->sheet_count; ++i) {
        const rill_sheet *sheet = &bed->sheets[i];
        for (int32_t y = sheet->y0; y < sheet->y0 + sheet->ny; ++y)
            for (int32_t x = sheet->x0; x < sheet->x0 + sheet->nx; ++x) {
                int32_t place = sheet->first + (y - sheet->y0) * sheet->stride + (x - sheet->x0);
                if (bed->b[place] == RILL_WALL) continue;
                check->columns += 1;
                rill_result result = check_pipes_of(check, sheet, x, y, place);
                if (result) return result;
            }
    }
    if (check->columns != bed->info.columns)
        return BROKEN(check, "sheets hold %d columns, cells %lld", (int)check->columns, (long long)bed->info.columns);
    if (check->next_pipe != bed->pipe_count || bed->pipe_count != bed->info.sparse_pipes)
        return BROKEN(check, "there are %d sparse pipes and info says %lld, expected %d", (int)bed->pipe_count,
                      (long long)bed->info.sparse_pipes, (int)check->next_pipe);
    return RILL_OK;
}

rill_result rill_bed_validate(const rill_bed *bed, rill_message *message) {
    checker check = { .bed = bed, .message = message };
    if (bed->info.cells[0] != bed->grid.cells[0] || bed->info.cells[1] != bed->grid.cells[1] ||
        bed->info.sheets != bed->sheet_count || bed->sheet_count < 1 || !(bed->quantum > 0.0) ||
        bed->info.quantum != bed->quantum)
        return BROKEN(&check, "info does not agree with the bed");
    rill_result result = check_sheets(&check);
    if (!result) result = check_cells(&check);
    if (!result) result = check_ghosts(&check);
    if (!result) result = check_planes(&check);
    return result;
}

rill_result rill_bed_need_plain(const rill_bed *bed, const char *expected, rill_message *message) {
    if (bed->info.layers > 1)
        return rill_fail(message, RILL_INVALID_STATE, "the bed has %d layers; expected one: %s", bed->info.layers,
                         expected);
    for (int64_t i = 0; i < bed->info.columns; ++i) {
        int32_t x, y;
        const int32_t place = bed->places[i];
        const rill_sheet *sheet = rill_bed_sheet_of(bed, place, &x, &y);
        if (bed->c[place] >= RILL_TOP && sheet == bed->sheets) continue;
        return rill_fail(message, RILL_INVALID_STATE,
                         "something hangs, or hung, over cell (%d, %d); expected open sky: %s", x, y, expected);
    }
    return RILL_OK;
}
