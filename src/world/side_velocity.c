/* Velocities through the four sides of a column, whichever kind of pipe is there.
 *
 *        v of the place above           A side of a column is usually one dense pipe, whose velocity is stored in the u
 *           +---------+                 or v of the column east or north of it. Where the neighbour lies in another
 *         u |  place  | u of the        sheet there are sparse pipes instead, any number of them; pipe_l is sorted in
 *           +---------+ place east      the bed, pipes_by_r is our index of the other end.
 *                v */
#include "base/order.h"
#include "world/world.h"

rill_result rill_faces_make(rill_world *world) {
    const size_t count = (size_t)world->bed.pipe_count;
    world->pipes_by_r = rill_alloc_zeroed(&world->allocator, count, sizeof *world->pipes_by_r);
    world->by_r_capacity = count;
    if (!world->pipes_by_r) return RILL_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i) world->pipes_by_r[i] = (int32_t)i;
    rill_order_items(world->pipes_by_r, count, world->bed.pipe_r);
    return RILL_OK;
}

void rill_faces_free(rill_world *world) {
    rill_free(&world->allocator, world->pipes_by_r, world->by_r_capacity, sizeof *world->pipes_by_r);
    world->pipes_by_r = NULL;
}

/* Pipes that were there keep their order; the others are put in between. */
void rill_faces_renew(const rill_bed *bed, const int32_t *from, const int32_t *old_by_r, int32_t old_count,
                      int32_t *by_r, int32_t *fresh, int32_t *renumber) {
    int32_t fresh_count = 0, next = 0, count = 0;
    for (int32_t i = 0; i < old_count; ++i) renumber[i] = -1;
    for (int32_t i = 0; i < bed->pipe_count; ++i) {
        if (from[i] >= 0)
            renumber[from[i]] = i;
        else
            fresh[fresh_count++] = i;
    }
    rill_order_items(fresh, (size_t)fresh_count, bed->pipe_r);
    for (int32_t i = 0; i < old_count; ++i) {
        const int32_t pipe = renumber[old_by_r[i]];
        if (pipe < 0) continue;
        while (next < fresh_count && (bed->pipe_r[fresh[next]] < bed->pipe_r[pipe] ||
                                      (bed->pipe_r[fresh[next]] == bed->pipe_r[pipe] && fresh[next] < pipe)))
            by_r[count++] = fresh[next++];
        by_r[count++] = pipe;
    }
    while (next < fresh_count) by_r[count++] = fresh[next++];
}

bool rill_face_joined(const rill_bed *bed, int32_t low, int32_t high) {
    const int32_t sill = bed->b[low] > bed->b[high] ? bed->b[low] : bed->b[high];
    const int32_t lintel = bed->c[low] < bed->c[high] ? bed->c[low] : bed->c[high];
    return sill < lintel; /* never true against a wall, whose b is above every c */
}

const rill_sheet *rill_face_sheet(const rill_bed *bed, int32_t place, const rill_sheet *hint) {
    if (hint && place >= hint->first && place < hint->first + hint->ny * hint->stride) return hint;
    int32_t x, y;
    return rill_bed_sheet_of(bed, place, &x, &y);
}

/* The place whose u or v is the velocity of a side's dense pipe, or -1 when there is none. */
static int32_t dense_face(const rill_bed *bed, const rill_sheet *sheet, int32_t place, int side) {
    const int32_t step = side == RILL_WEST || side == RILL_EAST ? 1 : sheet->stride;
    const int32_t high = side == RILL_WEST || side == RILL_SOUTH ? place : place + step;
    return rill_face_joined(bed, high - step, high) ? high : -1;
}

/* The sparse pipes at one end of which `place` lies, as positions first <= i < end of the l- or r-order. */
static void sparse_range(const rill_world *world, int32_t place, bool at_r, int32_t *first, int32_t *end) {
    const rill_bed *bed = &world->bed;
    int32_t i = *first = rill_bed_first_pipe(bed, at_r ? world->pipes_by_r : NULL, place);
    while (i < bed->pipe_count && (at_r ? bed->pipe_r[world->pipes_by_r[i]] : bed->pipe_l[i]) == place) i += 1;
    *end = i;
}

/* Pipes go west to east or south to north: is this one along x? */
static bool along_x(const rill_bed *bed, int32_t pipe) {
    int32_t xl, yl, xr, yr;
    rill_bed_sheet_of(bed, bed->pipe_l[pipe], &xl, &yl);
    rill_bed_sheet_of(bed, bed->pipe_r[pipe], &xr, &yr);
    return yl == yr;
}

double rill_face_velocity(const rill_world *world, const rill_sheet *sheet, int32_t place, int side) {
    const bool x_axis = side == RILL_WEST || side == RILL_EAST, at_r = side == RILL_WEST || side == RILL_SOUTH;
    const int32_t dense = dense_face(&world->bed, sheet, place, side);
    if (dense >= 0) return (double)(x_axis ? world->flow.u[dense] : world->flow.v[dense]);
    int32_t first, end, count = 0;
    double sum = 0.0;
    sparse_range(world, place, at_r, &first, &end);
    for (int32_t i = first; i < end; ++i) {
        const int32_t pipe = at_r ? world->pipes_by_r[i] : i;
        if (along_x(&world->bed, pipe) != x_axis) continue;
        sum += (double)world->flow.pipe_u[pipe];
        count += 1;
    }
    return count > 0 ? sum / (double)count : 0.0;
}

bool rill_face_set(rill_world *world, const rill_sheet *sheet, int32_t place, int side, float velocity) {
    const bool x_axis = side == RILL_WEST || side == RILL_EAST, at_r = side == RILL_WEST || side == RILL_SOUTH;
    const int32_t dense = dense_face(&world->bed, sheet, place, side);
    if (dense >= 0) {
        (x_axis ? world->flow.u : world->flow.v)[dense] = velocity;
        return true;
    }
    int32_t first, end;
    bool any = false;
    sparse_range(world, place, at_r, &first, &end);
    for (int32_t i = first; i < end; ++i) {
        const int32_t pipe = at_r ? world->pipes_by_r[i] : i;
        if (along_x(&world->bed, pipe) != x_axis) continue;
        world->flow.pipe_u[pipe] = velocity;
        any = true;
    }
    return any;
}
