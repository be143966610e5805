/* Stakes: vertices of the terrain that the surface may have to end before (floor.h).
 *
 *     c0 ___                 Along a wall or over an edge the surface ends in the air, or inside of the solid, as high as the
 *           ---___  *        columns it comes from. From a high column to a low one it falls by as much as they differ, and
 *                 ---___     the floor, which is between columns, does not hold it there: a vertex of the terrain may be below
 *                       c1   the one column and yet above the surface. There the surface is drawn back (retreat.c).
 *
 * Whether a vertex may ever be such a stake follows from the bed: that one of the cells around it has no column, or one that is
 * more than dx higher or lower than the next, so that the surface may end there other than at a bank. Stakes are kept in lists
 * by corner of the grid, whose order means nothing; corners that have any are listed in order. */
#include "surface/floor.h"

#include <math.h>

/* The number of the corner whose SW cell is (x, y), either of which may be -1. */
static int32_t corner_number(const rill_bed *bed, int32_t x, int32_t y) {
    return (y + 1) * (bed->grid.cells[0] + 1) + x + 1;
}

void rill_stakes_free(rill_floor *floor) {
    rill_free(&floor->allocator, floor->stake_first, floor->stake_corners, sizeof *floor->stake_first);
    rill_free(&floor->allocator, floor->restless, floor->stake_corners, sizeof *floor->restless);
    floor->stake_first = NULL;
    floor->restless = NULL;
    floor->stake_corners = 0;
    rill_array *const arrays[] = { &floor->stakes, &floor->stakes_other, &floor->staked,    &floor->staked_other,
                                   &floor->spots,  &floor->meetings,     &floor->looked_at, &floor->moved };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) rill_array_free(arrays[i], &floor->allocator);
}

static bool take_lists(rill_floor *floor, const rill_bed *bed) {
    const size_t corners = ((size_t)bed->grid.cells[0] + 1) * ((size_t)bed->grid.cells[1] + 1);
    if (floor->stake_first && floor->stake_corners == corners) return true;
    rill_stakes_free(floor);
    floor->stake_first = rill_alloc(&floor->allocator, corners, sizeof *floor->stake_first);
    floor->restless = rill_alloc_zeroed(&floor->allocator, corners, sizeof *floor->restless);
    floor->stake_corners = corners;
    if (!floor->stake_first || !floor->restless) {
        rill_stakes_free(floor);
        return false;
    }
    floor->stake_spare = -1;
    for (size_t i = 0; i < corners; ++i) floor->stake_first[i] = -1;
    return true;
}

bool rill_stakes_pull(rill_floor *floor, const rill_bed *bed, const rill_area *quartets) {
    if (!take_lists(floor, bed)) return false;
    floor->quartets = *quartets;
    rill_stake *const stakes = floor->stakes.data;
    for (int32_t y = quartets->low[1]; y < quartets->high[1]; ++y)
        for (int32_t x = quartets->low[0]; x < quartets->high[0]; ++x) {
            int32_t *const first = &floor->stake_first[corner_number(bed, x, y)];
            while (*first >= 0) {
                const int32_t i = *first;
                *first = stakes[i].next;
                stakes[i].next = floor->stake_spare;
                floor->stake_spare = i;
            }
        }
    return true;
}

/* Whether the surface may end in a quartet other than at a bank, and below a height. */
static bool may_end_below(const rill_floor *floor, const rill_bed *bed, int32_t x, int32_t y, double z) {
    int32_t places[4], low = RILL_WALL;
    bool steep = false;
    for (int k = 0; k < 4; ++k) { /* around */
        const int32_t cx = x + (k == 1 || k == 2), cy = y + (k >> 1);
        const bool there = cx >= 0 && cy >= 0 && cx < bed->grid.cells[0] && cy < bed->grid.cells[1];
        places[k] = there ? rill_floor_column(bed, cx, cy, z) : -1;
        steep = steep || places[k] < 0;
        if (places[k] >= 0 && bed->b[places[k]] < low) low = bed->b[places[k]];
    }
    if (low == RILL_WALL || z <= (double)low + (double)floor->least) return false;
    for (int k = 0; k < 4 && !steep; ++k) {
        const int32_t i = places[k], j = places[(k + 1) & 3], rise = bed->b[j] - bed->b[i];
        steep = rise > floor->most || rise < -floor->most || bed->b[i] >= bed->c[j] || bed->b[j] >= bed->c[i];
    }
    return steep;
}

void rill_stake_drive(rill_floor *floor, const rill_bed *bed, const double point[3]) {
    const rill_area *const quartets = &floor->quartets;
    int32_t at[2];
    if (!(point[2] >= 0.0 && point[2] <= (double)RILL_TOP)) return;
    for (int i = 0; i < 2; ++i) {
        if (!(point[i] >= (double)quartets->low[i] && point[i] < (double)quartets->high[i])) return;
        at[i] = (int32_t)(point[i] + 1.0) - 1; /* from -1 on */
    }
    if (!may_end_below(floor, bed, at[0], at[1], point[2])) return;
    int32_t *const first = &floor->stake_first[corner_number(bed, at[0], at[1])];
    const rill_stake stake = { .at = { (float)(point[0] - (double)at[0]), (float)(point[1] - (double)at[1]) },
                               .z = (int32_t)ceil(point[2]),
                               .next = *first };
    if (floor->stake_spare >= 0) {
        rill_stake *const spare = (rill_stake *)floor->stakes.data + floor->stake_spare;
        *first = floor->stake_spare;
        floor->stake_spare = spare->next;
        *spare = stake;
    } else if (floor->stakes.count < INT32_MAX && rill_array_push(&floor->stakes, &floor->allocator, &stake)) {
        *first = (int32_t)floor->stakes.count - 1;
    } else {
        floor->lost = true;
    }
}

/* ---------------------------------------------------------------------------------------------------------- corners */

/* Appends the corners of some quartets that have stakes. */
static bool add_staked(rill_floor *floor, const rill_bed *bed, const rill_area *quartets) {
    for (int32_t y = quartets->low[1]; y < quartets->high[1]; ++y)
        for (int32_t x = quartets->low[0]; x < quartets->high[0]; ++x) {
            const int32_t corner = corner_number(bed, x, y);
            if (floor->stake_first[corner] < 0) continue;
            if (!rill_array_push(&floor->staked_other, &floor->allocator, &corner)) return false;
        }
    return true;
}

bool rill_stakes_list(rill_floor *floor, const rill_bed *bed) {
    const int32_t *old = floor->staked.data, *const end = old + floor->staked.count;
    const rill_area *const quartets = &floor->quartets;
    floor->staked_other.count = 0;
    /* Row by row: before the quartets, those, and behind them. */
    for (int32_t y = quartets->low[1]; y < quartets->high[1]; ++y) {
        const rill_area row = { { quartets->low[0], y }, { quartets->high[0], y + 1 } };
        const int32_t low = corner_number(bed, row.low[0], y), high = corner_number(bed, row.high[0], y);
        for (; old < end && *old < low; ++old)
            if (!rill_array_push(&floor->staked_other, &floor->allocator, old)) return false;
        while (old < end && *old < high) old += 1;
        if (!add_staked(floor, bed, &row)) return false;
    }
    for (; old < end; ++old)
        if (!rill_array_push(&floor->staked_other, &floor->allocator, old)) return false;
    const rill_array swap = floor->staked;
    floor->staked = floor->staked_other;
    floor->staked_other = swap;
    return true;
}

/* That of a corner, not in a sheet. */
static rill_stake_spot spot_at(const rill_floor *floor, const rill_bed *bed, int32_t corner) {
    const int32_t wide = bed->grid.cells[0] + 1;
    rill_stake_spot spot = { corner % wide - 1, corner / wide - 1, corner, -1, 0, 0, INT32_MAX, 0 };
    const rill_stake *const stakes = floor->stakes.data;
    for (int32_t i = floor->stake_first[corner]; i >= 0; i = stakes[i].next) {
        spot.low = stakes[i].z < spot.low ? stakes[i].z : spot.low;
        spot.high = stakes[i].z > spot.high ? stakes[i].z : spot.high;
    }
    return spot;
}

/* Whether columns of a sheet may be above and below stakes: one that can be as high as they are, and one that can be lower. */
static bool may_be_around(const rill_bed *bed, const rill_stake_spot *spot) {
    bool above = false, below = false;
    for (int32_t k = 0; k < 4; ++k) {
        const int32_t place = spot->place + (k & 1) + (k >> 1) * spot->stride;
        if (bed->b[place] == RILL_WALL) continue;
        above = above || bed->c[place] > spot->low;
        below = below || bed->b[place] < spot->high;
    }
    return above && below;
}

/* The spots of a corner in sheets. */
static bool add_spots(rill_floor *floor, const rill_bed *bed, rill_stake_spot spot) {
    int32_t first_row = 0;
    for (int32_t k = 0; k < bed->sheet_count; first_row += bed->sheets[k].ny + 2, ++k) {
        const rill_sheet *const sheet = &bed->sheets[k];
        const int32_t x = spot.x - sheet->x0, y = spot.y - sheet->y0;
        if (x < -1 || y < -1 || x >= sheet->nx || y >= sheet->ny) continue;
        spot.place = sheet->first + y * sheet->stride + x;
        spot.stride = sheet->stride;
        spot.row = first_row + y + 1;
        if (may_be_around(bed, &spot) && !rill_array_push(&floor->spots, &floor->allocator, &spot)) return false;
    }
    return true;
}

/* Stakes of a corner side by side, in the order of corners: lists that follow memory are read much faster. */
static bool gather(rill_floor *floor) {
    const int32_t *const staked = floor->staked.data;
    const rill_stake *const stakes = floor->stakes.data;
    if (!rill_array_reserve(&floor->stakes_other, &floor->allocator, floor->stakes.count)) return false;
    rill_stake *const gathered = floor->stakes_other.data;
    int32_t count = 0;
    for (size_t i = 0; i < floor->staked.count; ++i) {
        int32_t at = floor->stake_first[staked[i]];
        floor->stake_first[staked[i]] = count;
        for (; at >= 0; at = stakes[at].next) {
            gathered[count] = stakes[at];
            gathered[count].next = count + 1;
            count += 1;
        }
        gathered[count - 1].next = -1;
    }
    floor->stakes_other.count = (size_t)count;
    floor->stake_spare = -1;
    const rill_array swap = floor->stakes;
    floor->stakes = floor->stakes_other;
    floor->stakes_other = swap;
    return true;
}

bool rill_stakes_find_spots(rill_floor *floor, const rill_bed *bed) {
    const int32_t *const staked = floor->staked.data;
    floor->spots.count = floor->meetings.count = 0;
    if (!gather(floor)) return false;
    for (size_t i = 0; i < floor->staked.count; ++i) {
        const rill_stake_spot spot = spot_at(floor, bed, staked[i]);
        if (!rill_array_push(&floor->meetings, &floor->allocator, &spot) || !add_spots(floor, bed, spot)) return false;
    }
    const size_t most = floor->spots.count + floor->meetings.count; /* each may also be where sheets meet */
    return rill_array_reserve(&floor->looked_at, &floor->allocator, most) &&
           rill_array_reserve(&floor->moved, &floor->allocator, most);
}
