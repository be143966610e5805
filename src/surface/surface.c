/* A surface from creation to the end, and its picture of a bed: ranges of columns, rows, and which columns of
 * different sheets may be linked. Whatever can fail is done before anything is changed. */
#include "surface/surface.h"

#include <limits.h>
#include <string.h>

#include "base/dispatch.h"
#include "base/message.h"
#include "meniscus/meniscus.h"
#include "surface/surface_internal.h"

RILL_DISPATCH(rill_surface_kernels)

rill_surface *rill_surface_new(const rill_surface_def *def, const rill_runtime *runtime) {
    rill_surface *surface = rill_alloc_zeroed(&runtime->allocator, 1, sizeof *surface);
    if (!surface) return NULL;
    surface->def = *def;
    surface->allocator = runtime->allocator;
    surface->kernels = rill_surface_kernels_pick(runtime->scalar);
    surface->joint_list = rill_array_make(sizeof(rill_joint));
    surface->pairs = rill_array_make(sizeof(rill_joint_pair));
    surface->linked = rill_array_make(sizeof(int32_t));
    surface->sides = rill_array_make(sizeof(rill_pipe_side));
    surface->rows = rill_array_make(sizeof(rill_surface_row));
    surface->marks = rill_array_make(sizeof(uint64_t));
    surface->corners = rill_array_make(sizeof(rill_corner_row));
    surface->odd_triangles = rill_array_make(3 * sizeof(uint32_t));
    surface->rims = rill_array_make(sizeof(rill_rim));
    surface->wall_vertices = rill_array_make(sizeof(rill_wall_vertex));
    surface->wall_keys = rill_array_make(sizeof(int32_t));
    surface->solids = rill_array_make(sizeof(const rill_solid *));
    surface->draw_levels = rill_array_make(sizeof(rill_draw_level));
    surface->distances = rill_array_make(sizeof(float));
    rill_fall_sheets_begin(surface);
    const bool bends = def->meniscus != RILL_MENISCUS_NONE;
    if (def->floor) surface->terrain = rill_floor_make(&surface->allocator);
    if (bends) surface->band = rill_contact_band_make(&surface->allocator, runtime->scalar);
    if ((!def->floor || surface->terrain) && (!bends || surface->band)) return surface;
    rill_surface_free(surface);
    return NULL;
}

void rill_surface_free(rill_surface *surface) {
    if (!surface) return;
    const rill_allocator allocator = surface->allocator;
    rill_surface_free_planes(surface);
    rill_surface_free_mesh(surface);
    rill_grids_free(surface);
    rill_fall_sheets_free(surface);
    rill_free(&allocator, surface->mixed, surface->corner_count, 1);
    rill_array_free(&surface->joint_list, &allocator);
    rill_array_free(&surface->pairs, &allocator);
    rill_array_free(&surface->linked, &allocator);
    rill_array_free(&surface->sides, &allocator);
    rill_array_free(&surface->rows, &allocator);
    rill_array_free(&surface->marks, &allocator);
    rill_array_free(&surface->corners, &allocator);
    rill_array_free(&surface->odd_triangles, &allocator);
    rill_array_free(&surface->rims, &allocator);
    rill_array_free(&surface->wall_vertices, &allocator);
    rill_array_free(&surface->wall_keys, &allocator);
    rill_array_free(&surface->solids, &allocator);
    rill_array_free(&surface->draw_levels, &allocator);
    rill_array_free(&surface->distances, &allocator);
    rill_floor_free(surface->terrain);
    rill_contact_band_free(surface->band);
    rill_free(&allocator, surface, 1, sizeof *surface);
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
            RILL_ASSERT(place >= 0 && (size_t)place < surface->plane_size && under <= bed->b[place]);
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
    RILL_ASSERT(row->start >= 0 && (size_t)(row->start + row->count) <= surface->plane_size && (row->count & 15) == 0);
    const int32_t *m = surface->m + row->start, *lid = surface->lid + row->start;
    row->covered_low = row->covered_high = 0;
    for (int32_t x = 0; x < row->count; ++x) {
        const bool above = m[x] > INT32_MIN && m[x]<RILL_WALL, below = lid[x]> INT32_MIN && lid[x] < RILL_TOP;
        if (!above && !below) continue;
        if (row->covered_high == 0) row->covered_low = x & -16;
        row->covered_high = (x & -16) + 16;
    }
}

/* Finds the joints and sides of a row, which are listed by place; `row` begins with the first that are not of rows
 * before. */
static void find_row_joints(const rill_surface *surface, rill_surface_row *row) {
    rill_joint *joints = surface->joint_list.data;
    const rill_pipe_side *sides = surface->sides.data;
    const int32_t joint_count = (int32_t)surface->joint_list.count, side_count = (int32_t)surface->sides.count;
    const int32_t end = row->start + row->count;
    row->end_joint = row->first_joint;
    row->end_side = row->first_side;
    while (row->end_joint < joint_count && joints[row->end_joint].place < end)
        joints[row->end_joint++].row = (int32_t)surface->rows.count;
    while (row->end_side < side_count && sides[row->end_side].place < end) row->end_side += 1;
}

/* Makes all rows of all sheets. In the next build every level is looked at. */
static bool make_rows(rill_surface *surface, const rill_bed *bed) {
    int32_t next_joint = 0, next_side = 0, next_mark = 0;
    surface->rows.count = 0;
    for (int32_t i = 0; i < bed->sheet_count; ++i) {
        const rill_sheet *sheet = &bed->sheets[i];
        for (int32_t y = -1; y <= sheet->ny; ++y) {
            const bool inside = y >= 0 && y < sheet->ny;
            rill_surface_row row = { .sheet = i,
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
    RILL_ASSERT(next_joint == (int32_t)surface->joint_list.count && next_side == (int32_t)surface->sides.count);
    if (!rill_array_resize(&surface->marks, &surface->allocator, (size_t)next_mark)) return false;
    if (next_mark > 0) memset(surface->marks.data, 0, (size_t)next_mark * sizeof(uint64_t));
    return rill_array_resize(&surface->corners, &surface->allocator, (size_t)bed->grid.cells[1] + 1);
}

rill_result rill_surface_fit(rill_surface *surface, const rill_surface_view *view) {
    const rill_bed *bed = view->bed;
    const bool same = surface->plane_size == (size_t)bed->plane_size;
    if (same && !view->all_changed && view->changed_count == 0) return RILL_OK;
    if (!same && !rill_surface_alloc_planes(surface, bed))
        return rill_fail(view->message, RILL_OUT_OF_MEMORY, "no memory for a surface over %d places", bed->plane_size);
    describe_columns(surface, bed);
    surface->build_number += 1;
    if (!rill_joints_find(surface, bed) || !make_rows(surface, bed))
        return rill_fail(view->message, RILL_OUT_OF_MEMORY, "no memory for the links of a surface");
    return RILL_OK;
}
