/* A surface from creation to the end, and what it has to know of a bed: planes, and which columns of different sheets
 * may be linked. Whatever can fail is done before anything is changed. */
#include "surface/surface.h"

#include <limits.h>
#include <string.h>

#include "base/message.h"
#include "surface/meniscus.h"
#include "surface/parts.h"

rill_surface *rill_surface_new(const rill_surface_def *def, const rill_runtime *runtime) {
    rill_surface *surface = rill_alloc_zeroed(&runtime->allocator, 1, sizeof *surface);
    if (!surface) return NULL;
    surface->def = *def;
    surface->allocator = runtime->allocator;
    surface->kernels = rill_surface_kernels_pick(runtime->scalar);
    surface->joint_list = rill_array_make(sizeof(rill_joint));
    surface->meetings = rill_array_make(sizeof(rill_meeting));
    surface->linked = rill_array_make(sizeof(int32_t));
    surface->sides = rill_array_make(sizeof(rill_side));
    surface->rows = rill_array_make(sizeof(rill_surface_row));
    surface->marks = rill_array_make(sizeof(uint64_t));
    surface->corners = rill_array_make(sizeof(rill_corner_row));
    surface->odd_triangles = rill_array_make(3 * sizeof(uint32_t));
    surface->rims = rill_array_make(sizeof(rill_rim));
    surface->extras = rill_array_make(sizeof(rill_extra));
    surface->keys = rill_array_make(sizeof(int32_t));
    surface->solids = rill_array_make(sizeof(const rill_solid *));
    surface->seen = rill_array_make(sizeof(rill_seen_level));
    surface->distances = rill_array_make(sizeof(float));
    const bool bends = def->meniscus != RILL_MENISCUS_NONE;
    if (def->floor) surface->terrain = rill_floor_make(&surface->allocator);
    if (bends) surface->fringe = rill_fringe_make(&surface->allocator, runtime->scalar);
    if ((!def->floor || surface->terrain) && (!bends || surface->fringe)) return surface;
    rill_surface_free(surface);
    return NULL;
}

/* ---------------------------------------------------------------------------------------------------------- planes */

/* The planes, and how wide an element of each is. */
typedef struct plane {
    void **data;
    size_t width;
} plane;

enum { PLANES = 18 };

static void list_planes(rill_surface *s, plane out[PLANES]) {
    const plane all[PLANES] = {
        { (void **)&s->m, sizeof *s->m },
        { (void **)&s->lid, sizeof *s->lid },
        { (void **)&s->layer, sizeof *s->layer },
        { (void **)&s->stride, sizeof *s->stride },
        { (void **)&s->floor, sizeof *s->floor },
        { (void **)&s->walls, sizeof *s->walls },
        { (void **)&s->state, sizeof *s->state },
        { (void **)&s->h, sizeof *s->h },
        { (void **)&s->top, sizeof *s->top },
        { (void **)&s->half, sizeof *s->half },
        { (void **)&s->links, sizeof *s->links },
        { (void **)&s->joints, sizeof *s->joints },
        { (void **)&s->rim, sizeof *s->rim },
        { (void **)&s->quads, sizeof *s->quads },
        { (void **)&s->vertex, sizeof *s->vertex },
        { (void **)&s->rim_first, sizeof *s->rim_first },
        { (void **)&s->joint_first, sizeof *s->joint_first },
        { (void **)&s->quads_other, sizeof *s->quads_other },
    };
    memcpy(out, all, sizeof all);
}

/* All planes are in one block: large ones get large pages (memory.c). The bytes of a plane, so that the next is aligned. */
static size_t plane_bytes(size_t size, size_t width) {
    return (size * width + RILL_ALIGNMENT - 1) / RILL_ALIGNMENT * RILL_ALIGNMENT;
}

static size_t block_bytes(size_t size, const plane planes[PLANES]) {
    size_t bytes = 0;
    for (int i = 0; i < PLANES; ++i) bytes += plane_bytes(size, planes[i].width);
    return bytes;
}

static void free_planes(rill_surface *surface) {
    plane planes[PLANES];
    list_planes(surface, planes);
    rill_free(&surface->allocator, surface->block, block_bytes(surface->plane_size, planes), 1);
}

void rill_surface_free(rill_surface *surface) {
    if (!surface) return;
    const rill_allocator allocator = surface->allocator;
    free_planes(surface);
    rill_surface_give_mesh(surface);
    rill_grids_give(surface);
    rill_free(&allocator, surface->mixed, surface->corner_count, 1);
    rill_array_free(&surface->joint_list, &allocator);
    rill_array_free(&surface->meetings, &allocator);
    rill_array_free(&surface->linked, &allocator);
    rill_array_free(&surface->sides, &allocator);
    rill_array_free(&surface->rows, &allocator);
    rill_array_free(&surface->marks, &allocator);
    rill_array_free(&surface->corners, &allocator);
    rill_array_free(&surface->odd_triangles, &allocator);
    rill_array_free(&surface->rims, &allocator);
    rill_array_free(&surface->extras, &allocator);
    rill_array_free(&surface->keys, &allocator);
    rill_array_free(&surface->solids, &allocator);
    rill_array_free(&surface->seen, &allocator);
    rill_array_free(&surface->distances, &allocator);
    rill_floor_free(surface->terrain);
    rill_fringe_free(surface->fringe);
    rill_free(&allocator, surface, 1, sizeof *surface);
}

/* Takes planes for another bed. On failure the old ones stay. */
static bool take_planes(rill_surface *surface, const rill_bed *bed) {
    const size_t corners =
        ((size_t)bed->grid.cells[0] + 1) * ((size_t)bed->grid.cells[1] + 1) + 8; /* whole words are read */
    const size_t size = (size_t)bed->plane_size;
    plane planes[PLANES];
    list_planes(surface, planes);
    unsigned char *block = rill_alloc_zeroed(&surface->allocator, block_bytes(size, planes), 1);
    uint8_t *mixed = rill_alloc_zeroed(&surface->allocator, corners, 1);
    if (!block || !mixed) {
        rill_free(&surface->allocator, block, block_bytes(size, planes), 1);
        rill_free(&surface->allocator, mixed, corners, 1);
        return false;
    }
    free_planes(surface);
    rill_free(&surface->allocator, surface->mixed, surface->corner_count, 1);
    surface->block = block;
    for (int i = 0; i < PLANES; ++i) {
        *planes[i].data = block;
        block += plane_bytes(size, planes[i].width);
    }
    surface->plane_size = size;
    surface->mixed = mixed;
    surface->corner_count = corners;
    return true;
}

/* --------------------------------------------------------------------------------------------------------- the bed */

static void describe_columns(rill_surface *surface, const rill_bed *bed) {
    const size_t cells = (size_t)bed->grid.cells[0] * (size_t)bed->grid.cells[1];
    for (size_t p = 0; p < surface->plane_size; ++p) {
        surface->m[p] = RILL_WALL;
        surface->lid[p] = INT32_MIN;
    }
    for (int32_t k = 0; k < bed->sheet_count; ++k) {
        const rill_sheet *sheet = &bed->sheets[k];
        for (int32_t i = 0; i < sheet->ny * sheet->stride; ++i) surface->stride[sheet->first + i] = sheet->stride;
    }
    for (size_t cell = 0; cell < cells; ++cell) {
        int32_t under = INT32_MIN;
        for (int32_t k = bed->cell_first[cell]; k < bed->cell_first[cell + 1]; ++k) {
            const int32_t place = bed->places[k];
            surface->m[place] = under;
            surface->lid[place] = bed->c[place];
            surface->layer[place] = k - bed->cell_first[cell];
            under = bed->c[place];
        }
    }
    /* Where there is no column, no level is ever written. */
    for (size_t p = 0; p < surface->plane_size; ++p) surface->h[p] = surface->top[p] = RILL_WALL;
    uint8_t *const marks[] = { surface->state,  surface->half, surface->links,
                               surface->joints, surface->rim,  surface->quads };
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; ++i) memset(marks[i], 0, surface->plane_size);
}

static void find_covered(const rill_surface *surface, rill_surface_row *row) {
    const int32_t *m = surface->m + row->start, *lid = surface->lid + row->start;
    row->covered_low = row->covered_high = 0;
    for (int32_t x = 0; x < row->count; ++x) {
        const bool above = m[x] > INT32_MIN && m[x]<RILL_WALL, below = lid[x]> INT32_MIN && lid[x] < RILL_TOP;
        if (!above && !below) continue;
        if (row->covered_high == 0) row->covered_low = x & -16;
        row->covered_high = (x & -16) + 16;
    }
}

/* The joints and sides of a row, which are listed by place; `row` begins with the first that are not of rows before. */
static void find_row_joints(const rill_surface *surface, rill_surface_row *row) {
    rill_joint *joints = surface->joint_list.data;
    const rill_side *sides = surface->sides.data;
    const int32_t joint_count = (int32_t)surface->joint_list.count, side_count = (int32_t)surface->sides.count;
    const int32_t end = row->start + row->count;
    row->end_joint = row->first_joint;
    row->end_side = row->first_side;
    while (row->end_joint < joint_count && joints[row->end_joint].place < end)
        joints[row->end_joint++].row = (int32_t)surface->rows.count;
    while (row->end_side < side_count && sides[row->end_side].place < end) row->end_side += 1;
}

/* All rows of all sheets. In the next build every level is looked at. */
static bool make_rows(rill_surface *surface, const rill_bed *bed) {
    int32_t next_joint = 0, next_side = 0, next_mark = 0;
    surface->rows.count = 0;
    for (int32_t s = 0; s < bed->sheet_count; ++s) {
        const rill_sheet *sheet = &bed->sheets[s];
        for (int32_t y = -1; y <= sheet->ny; ++y) {
            const bool inside = y >= 0 && y < sheet->ny;
            rill_surface_row row = { .sheet = s,
                                     .stride = sheet->stride,
                                     .x0 = sheet->x0,
                                     .y = sheet->y0 + y,
                                     .start = sheet->first + y * sheet->stride - 1,
                                     .count = (sheet->nx + 16) & -16,
                                     .first_mark = next_mark,
                                     .first_joint = next_joint,
                                     .first_side = next_side,
                                     .inside = inside,
                                     .above = y == sheet->ny,
                                     .high = inside ? (sheet->nx + 16) & -16 : 0,
                                     .near_high = inside ? (sheet->nx + 16) & -16 : 0 };
            find_covered(surface, &row);
            find_row_joints(surface, &row);
            next_mark += RILL_MARKS * ((row.count + 63) / 64);
            next_joint = row.end_joint;
            next_side = row.end_side;
            if (!rill_array_push(&surface->rows, &surface->allocator, &row)) return false;
        }
    }
    if (!rill_array_resize(&surface->marks, &surface->allocator, (size_t)next_mark)) return false;
    if (next_mark > 0) memset(surface->marks.data, 0, (size_t)next_mark * sizeof(uint64_t));
    return rill_array_resize(&surface->corners, &surface->allocator, (size_t)bed->grid.cells[1] + 1);
}

rill_result rill_surface_fit(rill_surface *surface, const rill_surface_view *view) {
    const rill_bed *bed = view->bed;
    const bool same = surface->plane_size == (size_t)bed->plane_size;
    if (same && !view->all_changed && view->changed_count == 0) return RILL_OK;
    if (!same && !take_planes(surface, bed))
        return rill_fail(view->message, RILL_OUT_OF_MEMORY, "no memory for a surface over %d places", bed->plane_size);
    describe_columns(surface, bed);
    surface->build_number += 1;
    if (!rill_joints_find(surface, bed) || !make_rows(surface, bed))
        return rill_fail(view->message, RILL_OUT_OF_MEMORY, "no memory for the links of a surface");
    return RILL_OK;
}

/* ----------------------------------------------------------------------------------------------------------- links */

int32_t rill_surface_neighbour(const rill_surface *surface, int32_t place, int32_t direction, int32_t stride) {
    if (surface->links[place] >> direction & 1) return place + RILL_STEP_X[direction] + RILL_STEP_Y[direction] * stride;
    if (!(surface->joints[place] >> direction & 1)) return -1;
    const rill_joint *joint = (const rill_joint *)surface->joint_list.data + surface->joint_first[place];
    while (joint->direction != direction || !joint->linked) joint += 1;
    return joint->other;
}
