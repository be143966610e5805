/* Between sheets: links between columns of different sheets, and sparse pipes. Both are few, and listed;
 * which there may be follows from the bed, which there are is tested one by one (surface.h has the test). */
#include "surface/surface_internal.h"

#include <limits.h>

/* --------------------------------------------------------------------------------------------------------- the bed */

/* Adds the joints of a column, by direction. */
static bool add_joints(rill_surface *surface, const rill_bed *bed, const rill_sheet *sheet, int32_t x, int32_t y) {
    const int32_t place = sheet->first + (y - sheet->y0) * sheet->stride + (x - sheet->x0);
    surface->joint_first[place] = (int32_t)surface->joint_list.count;
    for (int32_t d = 0; d < RILL_DIRECTIONS; ++d) {
        const int32_t nx = x + RILL_STEP_X[d], ny = y + RILL_STEP_Y[d];
        if (nx < 0 || ny < 0 || nx >= bed->grid.cells[0] || ny >= bed->grid.cells[1]) continue;
        const int32_t dense = place + RILL_STEP_X[d] + RILL_STEP_Y[d] * sheet->stride;
        const size_t cell = (size_t)ny * (size_t)bed->grid.cells[0] + (size_t)nx;
        for (int32_t k = bed->cell_first[cell]; k < bed->cell_first[cell + 1]; ++k) {
            const int32_t other = bed->places[k];
            if (other == dense || bed->b[other] >= bed->c[place] || bed->b[place] >= bed->c[other]) continue;
            const rill_joint joint = {
                .place = place,
                .other = other,
                .pipe = d & 1 ? -1 : rill_bed_find_pipe(bed, d < 4 ? place : other, d < 4 ? other : place),
                .stride = sheet->stride,
                .corner = (y + 1) * (bed->grid.cells[0] + 1) + (x + 1),
                .direction = (uint8_t)d
            };
            if (!rill_array_push(&surface->joint_list, &surface->allocator, &joint)) return false;
        }
    }
    return true;
}

/* Finds the other of each pair of joints: a place has few of them, in order. */
static void pair_joints(rill_surface *surface) {
    rill_joint *joints = surface->joint_list.data;
    for (size_t k = 0; k < surface->joint_list.count; ++k) {
        int32_t twin = surface->joint_first[joints[k].other];
        const int32_t back = (joints[k].direction + 4) & 7;
        while (joints[twin].other != joints[k].place || joints[twin].direction != back) twin += 1;
        joints[k].twin = twin;
        RILL_ASSERT(twin < (int32_t)surface->joint_list.count && joints[twin].other == joints[k].place);
    }
}

static bool list_meetings(rill_surface *surface) {
    const rill_joint *joints = surface->joint_list.data;
    surface->pairs.count = 0;
    for (size_t k = 0; k < surface->joint_list.count; ++k) {
        const int32_t i = joints[k].place, j = joints[k].other;
        const rill_joint_pair pair = { .ends = { i, j },
                                       .m = { surface->m[i], surface->m[j] },
                                       .c = { surface->lid[i], surface->lid[j] },
                                       .joint = (int32_t)k };
        if (joints[k].direction < 4 && !rill_array_push(&surface->pairs, &surface->allocator, &pair)) return false;
    }
    return true;
}

/* Tells whether there is a dense pipe between two neighbouring places of one sheet. */
static bool has_dense_pipe(const rill_bed *bed, int32_t a, int32_t b) {
    const int32_t sill = bed->b[a] > bed->b[b] ? bed->b[a] : bed->b[b];
    const int32_t lintel = bed->c[a] < bed->c[b] ? bed->c[a] : bed->c[b];
    return sill < lintel; /* never true against a wall, whose b is above every c */
}

/* Lists the ends of sparse pipes on sides that have no dense one, in the order of places, and of pipes at a place: each
 * is a side, of which there may be more; `share` is set later. */
static bool list_sides(rill_surface *surface, const rill_bed *bed) {
    const rill_joint *joints = surface->joint_list.data;
    surface->sides.count = 0;
    for (size_t k = 0; k < surface->joint_list.count; ++k) {
        const int32_t place = joints[k].place, d = joints[k].direction;
        if (joints[k].pipe < 0) continue;
        if (has_dense_pipe(bed, place, place + RILL_STEP_X[d] + RILL_STEP_Y[d] * joints[k].stride)) continue;
        const rill_pipe_side side = { .place = place, .pipe = joints[k].pipe, .which = (uint8_t)((d & 2) + (d >= 4)) };
        if (!rill_array_push(&surface->sides, &surface->allocator, &side)) return false;
        rill_pipe_side *at = (rill_pipe_side *)surface->sides.data + surface->sides.count - 1;
        for (; at > (rill_pipe_side *)surface->sides.data && at[-1].place == place && at[-1].pipe > side.pipe; --at)
            at[0] = at[-1], at[-1] = side;
    }
    return true;
}

/* Finds the sides' shares: sparse pipes on one side of a column share it. Their numbers are counted in a plane, in a
 * byte for each of the four. */
static bool find_sides(rill_surface *surface, const rill_bed *bed) {
    int32_t *counts = surface->vertex; /* there are no vertices yet */
    if (!list_sides(surface, bed)) return false;
    rill_pipe_side *sides = surface->sides.data;
    for (size_t i = 0; i < surface->sides.count; ++i) counts[sides[i].place] = 0;
    for (size_t i = 0; i < surface->sides.count; ++i) {
        const int32_t one = 1 << 6 * sides[i].which, all = 63 * one;
        if ((counts[sides[i].place] & all) < all) counts[sides[i].place] += one;
    }
    for (size_t i = 0; i < surface->sides.count; ++i) {
        RILL_ASSERT(counts[sides[i].place] >> 6 * sides[i].which & 63);
        sides[i].share = 0.5f / (float)(counts[sides[i].place] >> 6 * sides[i].which & 63);
    }
    return true;
}

bool rill_joints_find(rill_surface *surface, const rill_bed *bed) {
    surface->joint_list.count = 0;
    for (int32_t i = 0; i < bed->sheet_count && bed->sheet_count > 1; ++i) {
        const rill_sheet *sheet = &bed->sheets[i];
        for (int32_t y = 0; y < sheet->ny; ++y) {
            const int32_t *lid = surface->lid + sheet->first + y * sheet->stride;
            for (int32_t x = 0; x < sheet->nx; ++x)
                if (lid[x] > INT32_MIN && !add_joints(surface, bed, sheet, sheet->x0 + x, sheet->y0 + y)) return false;
        }
    }
    pair_joints(surface);
    surface->linked.count = 0;
    return rill_array_reserve(&surface->linked, &surface->allocator, surface->joint_list.count) &&
           list_meetings(surface) && find_sides(surface, bed);
}

/* ----------------------------------------------------------------------------------------------------------- links */

/* Links a pair, or unlinks it. */
static void set_linked(rill_surface *surface, rill_joint *joint, bool are) {
    rill_joint *twin = (rill_joint *)surface->joint_list.data + joint->twin;
    RILL_ASSERT(twin->place == joint->other && twin->other == joint->place);
    RILL_ASSERT(joint->linked != are && twin->linked != are);
    joint->linked = twin->linked = are;
    surface->joints[joint->place] ^= (uint8_t)(1u << joint->direction);
    surface->joints[twin->place] ^= (uint8_t)(1u << twin->direction);
}

/* Makes all tests of a pair at once: most fail, and there is no telling at which. */
void rill_joints_test(const rill_build *build) {
    rill_surface *surface = build->surface;
    rill_joint *joints = surface->joint_list.data;
    int32_t *list = surface->linked.data;
    for (size_t i = 0; i < surface->linked.count; ++i) set_linked(surface, &joints[list[i]], false);
    surface->linked.count = 0;
    const rill_joint_pair *pairs = surface->pairs.data;
    for (size_t i = 0; i < surface->pairs.count; ++i) {
        const rill_joint_pair *at = &pairs[i];
        const int32_t h[2] = { surface->h[at->ends[0]], surface->h[at->ends[1]] };
        const uint32_t wet = (surface->state[at->ends[0]] | surface->state[at->ends[1]]) & RILL_WET;
        const bool fit = (at->m[1] < h[0]) & (h[0] < at->c[1]) & (at->m[0] < h[1]) & (h[1] < at->c[0]);
        if (!((wet != 0) & fit)) continue;
        set_linked(surface, &joints[at->joint], true);
        RILL_ASSERT(surface->linked.count < surface->linked.capacity);
        list[surface->linked.count++] = at->joint;
    }
}

/* Marks a corner where sheets meet. */
static void mark_corner(rill_surface *surface, int32_t corner, int32_t wide) {
    rill_corner_row *row = (rill_corner_row *)surface->corners.data + corner / wide;
    RILL_ASSERT(corner >= 0 && (size_t)corner + 8 < surface->corner_count);
    row->count += !surface->mixed[corner];
    surface->mixed[corner] = 1;
    surface->any_mixed = true;
}

/* Marks all quartets that are not full: without smooth shores they are looked at like corners where sheets meet. */
static void mark_odd(const rill_build *build, int32_t wide) {
    rill_surface *surface = build->surface;
    const rill_surface_row *rows = surface->rows.data;
    for (size_t i = 0; i < surface->rows.count; ++i) {
        for (int32_t x = 0; !rows[i].above && x < rows[i].count; ++x) {
            if (surface->quads[rows[i].start + x] != RILL_QUAD_ODD) continue;
            mark_corner(surface, (rows[i].y + 1) * wide + rows[i].x0 + x, wide);
        }
    }
}

/* Turns the mark of a column that has rims and had none, or the other way round. */
static void mark_rims(const rill_surface *surface, const rill_surface_row *row, int32_t place) {
    const int32_t x = place - row->start;
    RILL_ASSERT(x >= 0 && x < row->count);
    rill_marks(surface, row, RILL_MARK_RIM)[x / 64] ^= 1ull << (x & 63);
}

/* Opens a rim: the surface of a column goes on in a direction where its row has found that it ends. */
static void open_rim(rill_surface *surface, rill_joint *joint) {
    const uint8_t bit = (uint8_t)(1u << joint->direction);
    rill_surface_row *row = (rill_surface_row *)surface->rows.data + joint->row;
    joint->opened = (surface->rim[joint->place] & bit) != 0;
    if (!joint->opened) return;
    row->rims -= 1;
    RILL_ASSERT(row->rims >= 0);
    surface->rim[joint->place] &= (uint8_t)~bit;
    if (!surface->rim[joint->place]) mark_rims(surface, row, joint->place);
}

/* Closes a rim that was opened, as its row has found it. */
static void close_rim(rill_surface *surface, rill_joint *joint) {
    rill_surface_row *row = (rill_surface_row *)surface->rows.data + joint->row;
    if (!joint->opened) return;
    if (!surface->rim[joint->place]) mark_rims(surface, row, joint->place);
    row->rims += 1;
    surface->rim[joint->place] |= (uint8_t)(1u << joint->direction);
    RILL_ASSERT(row->rims > 0);
    joint->opened = false;
}

void rill_joints_undo(rill_surface *surface) {
    rill_joint *joints = surface->joint_list.data;
    const int32_t *list = surface->linked.data;
    for (size_t i = 0; i < surface->linked.count; ++i) {
        close_rim(surface, &joints[list[i]]);
        close_rim(surface, &joints[joints[list[i]].twin]);
    }
}

/* Marks corners where columns of different sheets are opposite to each other and a saddle: sheets meet there too. */
static void mark_saddles(const rill_build *build, int32_t wide) {
    rill_surface *surface = build->surface;
    const rill_joint *joints = surface->joint_list.data;
    const int32_t *list = surface->linked.data;
    for (size_t i = 0; i < surface->linked.count; ++i) {
        const rill_joint *joint = &joints[list[i]];
        if (!(joint->direction & 1) || !(surface->state[joint->place] & surface->state[joint->other] & RILL_WET))
            continue;
        const int32_t turn = joint->direction >> 1, corner = joint->corner - turn;
        rill_saddle saddle;
        if (rill_saddle_find(build, joint->place, turn, corner, &saddle)) mark_corner(surface, corner, wide);
    }
}

void rill_joints_close(const rill_build *build) {
    rill_surface *surface = build->surface;
    rill_joint *joints = surface->joint_list.data;
    const int32_t wide = build->view->bed->grid.cells[0] + 1;
    rill_corner_row *corners = surface->corners.data;
    if (surface->any_mixed) memset(surface->mixed, 0, surface->corner_count);
    for (size_t i = 0; i < surface->corners.count; ++i) corners[i].count = 0;
    surface->mixed_before = surface->any_mixed;
    surface->any_mixed = false;
    if (!surface->def.smooth_shores) mark_odd(build, wide);
    const int32_t *list = surface->linked.data;
    for (size_t i = 0; i < surface->linked.count; ++i) {
        rill_joint *joint = &joints[list[i]];
        if (joint->direction & 1 || !(surface->state[joint->place] & surface->state[joint->other] & RILL_WET)) continue;
        open_rim(surface, joint);
        open_rim(surface, &joints[joint->twin]);
        mark_corner(surface, joint->corner, wide);
        mark_corner(surface, joint->corner - (joint->direction == 0 ? wide : 1), wide);
    }
    if (surface->def.smooth_shores) mark_saddles(build, wide);
}

/* ------------------------------------------------------------------------------------------------------------ mend */

/* Adds velocities that the kernels have not seen, and slopes towards columns that are not where they look. */
void rill_row_mend(const rill_build *build, rill_surface_row *row) {
    const rill_surface *surface = build->surface;
    const rill_pipe_side *sides = surface->sides.data;
    if (row->wet == 0 || row->first_joint == row->end_joint) return;
    for (int32_t i = row->first_side; i < row->end_side; ++i) {
        RILL_ASSERT(sides[i].place >= row->start && sides[i].place < row->start + row->count);
        if (!(surface->state[sides[i].place] & RILL_WET)) continue;
        float *velocity = surface->mesh.velocities + 3 * (size_t)surface->vertex[sides[i].place];
        velocity[sides[i].which >> 1] += sides[i].share * build->view->flow->pipe_u[sides[i].pipe];
    }
    const uint8_t *joints = surface->joints + row->start, *state = surface->state + row->start;
    for (int32_t x = rill_next(rill_eight, joints, 0, row->low, row->high); x < row->high;
         x = rill_next(rill_eight, joints, 0, x + 1, row->high))
        if (state[x] & RILL_WET && joints[x] & RILL_AXES) rill_column_mend(build, row->start + x, row->stride);
}
