/* Outline points: vertices of the terrain that the surface may have to end before (floor.h).
 *
 *     c0 ___                 Along a wall or over an edge the surface ends in the air, or inside of the solid, as high as the
 *           ---___  *        columns it comes from. From a high column to a low one it falls by as much as they differ, and
 *                 ---___     the floor, which is between columns, does not hold it there: a vertex of the terrain may be below
 *                       c1   the one column and yet above the surface. There the surface is drawn back (outline_clip.c).
 *
 * Whether a vertex may ever be such a point follows from the bed: that one of the cells around it has no column, or one
 * that is more than dx higher or lower than the next, so that the surface may end there other than at a bank. Points
 * are kept in lists by corner of the grid, whose order means nothing; corners that have any are listed in order. */
#include "floor/floor.h"

#include <math.h>

/* Numbers the corner whose SW cell is (x, y), either of which may be -1. */
static int32_t corner_number(const rill_bed *bed, int32_t x, int32_t y) {
    RILL_ASSERT(x >= -1 && x <= bed->grid.cells[0] && y >= -1 && y < bed->grid.cells[1]);
    return (y + 1) * (bed->grid.cells[0] + 1) + x + 1;
}

void rill_outline_points_free(rill_floor *floor) {
    rill_free(&floor->allocator, floor->point_first, floor->corner_count, sizeof *floor->point_first);
    rill_free(&floor->allocator, floor->revisit, floor->corner_count, sizeof *floor->revisit);
    floor->point_first = NULL;
    floor->revisit = NULL;
    floor->corner_count = 0;
    rill_array *const arrays[] = { &floor->points,      &floor->points_other, &floor->corners,   &floor->corners_other,
                                   &floor->sheet_spots, &floor->mixed_spots,  &floor->looked_at, &floor->moved };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) rill_array_free(arrays[i], &floor->allocator);
}

static bool alloc_lists(rill_floor *floor, const rill_bed *bed) {
    const size_t corners = ((size_t)bed->grid.cells[0] + 1) * ((size_t)bed->grid.cells[1] + 1);
    if (floor->point_first && floor->corner_count == corners) return true;
    rill_outline_points_free(floor);
    floor->point_first = rill_alloc(&floor->allocator, corners, sizeof *floor->point_first);
    floor->revisit = rill_alloc_zeroed(&floor->allocator, corners, sizeof *floor->revisit);
    floor->corner_count = corners;
    if (!floor->point_first || !floor->revisit) {
        rill_outline_points_free(floor);
        return false;
    }
    floor->point_spare = -1;
    for (size_t i = 0; i < corners; ++i) floor->point_first[i] = -1;
    return true;
}

bool rill_outline_points_remove(rill_floor *floor, const rill_bed *bed, const rill_area *quartets) {
    if (!alloc_lists(floor, bed)) return false;
    floor->quartets = *quartets;
    rill_outline_point *const points = floor->points.data;
    for (int32_t y = quartets->low[1]; y < quartets->high[1]; ++y)
        for (int32_t x = quartets->low[0]; x < quartets->high[0]; ++x) {
            int32_t *const first = &floor->point_first[corner_number(bed, x, y)];
            while (*first >= 0) {
                const int32_t i = *first;
                RILL_ASSERT((size_t)i < floor->points.count);
                *first = points[i].next;
                points[i].next = floor->point_spare;
                floor->point_spare = i;
            }
        }
    return true;
}

/* Tells whether the surface may end in a quartet other than at a bank, and below a height. */
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

void rill_outline_point_add(rill_floor *floor, const rill_bed *bed, const double point[3]) {
    const rill_area *const quartets = &floor->quartets;
    int32_t at[2];
    if (!(point[2] >= 0.0 && point[2] <= (double)RILL_TOP)) return;
    for (int i = 0; i < 2; ++i) {
        if (!(point[i] >= (double)quartets->low[i] && point[i] < (double)quartets->high[i])) return;
        at[i] = (int32_t)(point[i] + 1.0) - 1; /* from -1 on */
    }
    if (!may_end_below(floor, bed, at[0], at[1], point[2])) return;
    int32_t *const first = &floor->point_first[corner_number(bed, at[0], at[1])];
    const rill_outline_point added = { .at = { (float)(point[0] - (double)at[0]), (float)(point[1] - (double)at[1]) },
                                       .z = (int32_t)ceil(point[2]),
                                       .next = *first };
    RILL_ASSERT(floor->point_spare < (int32_t)floor->points.count);
    if (floor->point_spare >= 0) {
        rill_outline_point *const spare = (rill_outline_point *)floor->points.data + floor->point_spare;
        *first = floor->point_spare;
        floor->point_spare = spare->next;
        *spare = added;
    } else if (floor->points.count < INT32_MAX && rill_array_push(&floor->points, &floor->allocator, &added)) {
        *first = (int32_t)floor->points.count - 1;
    } else {
        floor->lost = true;
    }
}

/* ---------------------------------------------------------------------------------------------------------- corners */

/* Appends a corner to the new list, which is in order. */
static bool append_corner(rill_floor *floor, int32_t corner) {
    rill_array *const list = &floor->corners_other;
    RILL_ASSERT(floor->point_first[corner] >= 0);
    RILL_ASSERT(list->count == 0 || ((const int32_t *)list->data)[list->count - 1] < corner);
    return rill_array_push(list, &floor->allocator, &corner) != NULL;
}

/* Appends the corners of some quartets that have points. */
static bool add_corners(rill_floor *floor, const rill_bed *bed, const rill_area *quartets) {
    for (int32_t y = quartets->low[1]; y < quartets->high[1]; ++y)
        for (int32_t x = quartets->low[0]; x < quartets->high[0]; ++x) {
            const int32_t corner = corner_number(bed, x, y);
            if (floor->point_first[corner] >= 0 && !append_corner(floor, corner)) return false;
        }
    return true;
}

bool rill_outline_points_list(rill_floor *floor, const rill_bed *bed) {
    const int32_t *const old = floor->corners.data;
    size_t next = 0;
    const rill_area *const quartets = &floor->quartets;
    floor->corners_other.count = 0;
    /* Row by row: corners before the cleared quartets are copied, these are listed anew, and the rest is copied. */
    for (int32_t y = quartets->low[1]; y < quartets->high[1]; ++y) {
        const rill_area row = { { quartets->low[0], y }, { quartets->high[0], y + 1 } };
        const int32_t low = corner_number(bed, row.low[0], y), high = corner_number(bed, row.high[0], y);
        for (; next < floor->corners.count && old[next] < low; ++next)
            if (!append_corner(floor, old[next])) return false;
        while (next < floor->corners.count && old[next] < high) next += 1;
        if (!add_corners(floor, bed, &row)) return false;
    }
    for (; next < floor->corners.count; ++next)
        if (!append_corner(floor, old[next])) return false;
    const rill_array swap = floor->corners;
    floor->corners = floor->corners_other;
    floor->corners_other = swap;
    return true;
}

/* Describes the points of a corner, without a sheet. */
static rill_outline_spot spot_at(const rill_floor *floor, const rill_bed *bed, int32_t corner) {
    RILL_ASSERT(corner >= 0 && (size_t)corner < floor->corner_count);
    const int32_t wide = bed->grid.cells[0] + 1;
    rill_outline_spot spot = { corner % wide - 1, corner / wide - 1, corner, -1, 0, 0, INT32_MAX, 0 };
    const rill_outline_point *const points = floor->points.data;
    for (int32_t i = floor->point_first[corner]; i >= 0; i = points[i].next) {
        spot.low = points[i].z < spot.low ? points[i].z : spot.low;
        spot.high = points[i].z > spot.high ? points[i].z : spot.high;
    }
    return spot;
}

/* Tells whether columns of a sheet may be above and below points: one that can be as high as they are, and one that can
 * be lower. */
static bool may_be_around(const rill_bed *bed, const rill_outline_spot *spot) {
    bool above = false, below = false;
    for (int32_t k = 0; k < 4; ++k) {
        const int32_t place = spot->place + (k & 1) + (k >> 1) * spot->stride;
        if (bed->b[place] == RILL_WALL) continue;
        above = above || bed->c[place] > spot->low;
        below = below || bed->b[place] < spot->high;
    }
    return above && below;
}

/* Adds the spots of a corner, one for each sheet that is there. */
static bool add_spots(rill_floor *floor, const rill_bed *bed, rill_outline_spot spot) {
    int32_t first_row = 0;
    for (int32_t k = 0; k < bed->sheet_count; first_row += bed->sheets[k].ny + 2, ++k) {
        const rill_sheet *const sheet = &bed->sheets[k];
        const int32_t x = spot.x - sheet->x0, y = spot.y - sheet->y0;
        if (x < -1 || y < -1 || x >= sheet->nx || y >= sheet->ny) continue;
        spot.place = sheet->first + y * sheet->stride + x;
        spot.stride = sheet->stride;
        spot.row = first_row + y + 1;
        RILL_ASSERT(spot.place >= sheet->first - sheet->stride - 1 && spot.place + sheet->stride + 1 < bed->plane_size);
        if (may_be_around(bed, &spot) && !rill_array_push(&floor->sheet_spots, &floor->allocator, &spot)) return false;
    }
    return true;
}

/* Moves the points of a corner side by side, in the order of corners: lists that follow memory are read much faster. */
static bool gather(rill_floor *floor) {
    const int32_t *const corners = floor->corners.data;
    const rill_outline_point *const points = floor->points.data;
    if (!rill_array_reserve(&floor->points_other, &floor->allocator, floor->points.count)) return false;
    rill_outline_point *const gathered = floor->points_other.data;
    int32_t count = 0;
    for (size_t i = 0; i < floor->corners.count; ++i) {
        int32_t at = floor->point_first[corners[i]];
        floor->point_first[corners[i]] = count;
        RILL_ASSERT(at >= 0);
        for (; at >= 0; at = points[at].next) {
            gathered[count] = points[at];
            gathered[count].next = count + 1;
            count += 1;
        }
        gathered[count - 1].next = -1;
    }
    floor->points_other.count = (size_t)count;
    RILL_ASSERT((size_t)count <= floor->points_other.capacity);
    floor->point_spare = -1;
    const rill_array swap = floor->points;
    floor->points = floor->points_other;
    floor->points_other = swap;
    return true;
}

bool rill_outline_points_find_spots(rill_floor *floor, const rill_bed *bed) {
    const int32_t *const corners = floor->corners.data;
    floor->sheet_spots.count = floor->mixed_spots.count = 0;
    if (!gather(floor)) return false;
    for (size_t i = 0; i < floor->corners.count; ++i) {
        const rill_outline_spot spot = spot_at(floor, bed, corners[i]);
        if (!rill_array_push(&floor->mixed_spots, &floor->allocator, &spot) || !add_spots(floor, bed, spot))
            return false;
    }
    const size_t most = floor->sheet_spots.count + floor->mixed_spots.count; /* each may also be where sheets meet */
    return rill_array_reserve(&floor->looked_at, &floor->allocator, most) &&
           rill_array_reserve(&floor->moved, &floor->allocator, most);
}
