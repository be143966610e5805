/* Heads of faces from the force fields of their columns. The sum is in push.h. */
#include "flow/push.h"

#include "base/alloc.h"
#include "base/simd.h"
#include "flow/flow_internal.h"

bool rill_push_make(rill_flow *flow, const rill_allocator *allocator) {
    const size_t plane = (size_t)flow->bed->plane_size;
    rill_push *push = &flow->push;
    if (push->west) return true;
    *push = (rill_push){ .west = rill_alloc_zeroed(allocator, plane, sizeof *push->west),
                         .south = rill_alloc_zeroed(allocator, plane, sizeof *push->south),
                         .potential = rill_alloc_zeroed(allocator, plane, sizeof *push->potential),
                         .half = { rill_alloc_zeroed(allocator, plane, sizeof *push->half[0]),
                                   rill_alloc_zeroed(allocator, plane, sizeof *push->half[1]) } };
    if (push->west && push->south && push->potential && push->half[0] && push->half[1]) return true;
    rill_push_free(flow, allocator);
    return false;
}

void rill_push_free(rill_flow *flow, const rill_allocator *allocator) {
    const size_t plane = (size_t)flow->bed->plane_size;
    rill_push *push = &flow->push;
    rill_free(allocator, push->west, plane, sizeof *push->west);
    rill_free(allocator, push->south, plane, sizeof *push->south);
    rill_free(allocator, push->potential, plane, sizeof *push->potential);
    for (int axis = 0; axis < 2; ++axis) rill_free(allocator, push->half[axis], plane, sizeof *push->half[axis]);
    *push = (rill_push){ 0 };
}

/* A ghost is pushed like the column that it stands beside: over the edge itself there is no drop but that which goes on. */
static void extend_to_ghosts(const rill_flow *flow) {
    const rill_push *push = &flow->push;
    for (int32_t i = 0; i < flow->bed->ghost_count; ++i) {
        const rill_ghost *ghost = &flow->bed->ghosts[i];
        const int32_t stride = rill_bed_sheet_of(flow->bed, ghost->place, NULL, NULL)->stride;
        const int32_t steps[] = { [RILL_WEST] = 1, [RILL_EAST] = -1, [RILL_SOUTH] = stride, [RILL_NORTH] = -stride };
        const int32_t inside = ghost->place + steps[ghost->edge];
        const double drop = push->along[ghost->edge == RILL_SOUTH || ghost->edge == RILL_NORTH];
        const bool before = ghost->edge == RILL_WEST || ghost->edge == RILL_SOUTH;
        push->potential[ghost->place] = push->potential[inside] + (before ? drop : -drop);
        for (int axis = 0; axis < 2; ++axis) push->half[axis][ghost->place] = push->half[axis][inside];
    }
}

static int32_t head_between(const rill_push *push, int32_t l, int32_t r, int axis) {
    const int64_t halves = (int64_t)push->half[axis][l] + push->half[axis][r];
    const int64_t head = (int64_t)(push->potential[l] - push->potential[r]) + halves;
    return (int32_t)(head < -RILL_PUSH_MOST ? -RILL_PUSH_MOST : head > RILL_PUSH_MOST ? RILL_PUSH_MOST : head);
}

static bool is_column(const rill_bed *bed, int32_t place) {
    return bed->b[place] < RILL_WALL;
}

/* Returns whether the head of a face is another one than before, and one of its columns is wet. */
static bool set_face(const rill_flow *flow, int32_t *heads, int32_t l, int32_t r, int axis) {
    const bool joined = is_column(flow->bed, l) && is_column(flow->bed, r);
    const int32_t head = joined ? head_between(&flow->push, l, r, axis) : 0, before = heads[r];
    heads[r] = head;
    return head != before && rill_max_i(flow->H[l], flow->H[r]) > RILL_DRY;
}

static void find_sheet(rill_flow *flow, const rill_sheet *sheet, const rill_area *cells, bool wake) {
    /* With the ghosts: columns and rows of the sheet whose west or south face has an end in the area. */
    const int32_t west = rill_max_i(cells->low[0] - sheet->x0, 0), south = rill_max_i(cells->low[1] - sheet->y0, 0);
    const int32_t east = rill_min_i(cells->high[0] - sheet->x0, sheet->nx) + 2;
    const int32_t north = rill_min_i(cells->high[1] - sheet->y0, sheet->ny) + 2;
    for (int32_t row = south; row < north; ++row) {
        for (int32_t column = west; column < east; ++column) {
            const int32_t place = rill_sheet_place(sheet, column, row);
            bool changed = set_face(flow, flow->push.west, place - 1, place, 0);
            changed |= set_face(flow, flow->push.south, place - sheet->stride, place, 1);
            if (!changed || !wake) continue;
            rill_flow_wake_tile(flow, sheet->first_tile + row / RILL_TILE_H * sheet->tiles_x + column / RILL_TILE_W,
                                rill_tile_wake_bits(column, row));
            if (column > 0) rill_flow_wake(flow, place - 1);
            if (row > 0) rill_flow_wake(flow, place - sheet->stride);
        }
    }
}

static void find_pipes(rill_flow *flow, bool wake) {
    const rill_sparse *sparse = flow->sparse;
    for (int32_t i = 0; i < flow->bed->pipe_count; ++i) {
        const rill_pipe *pipe = &sparse->pipes[i];
        const int32_t head = head_between(&flow->push, pipe->l, pipe->r, pipe->axis), before = sparse->arrays.push[i];
        sparse->arrays.push[i] = head;
        if (!wake || head == before || rill_max_i(flow->H[pipe->l], flow->H[pipe->r]) <= RILL_DRY) continue;
        rill_flow_wake_tile(flow, pipe->tile_l, pipe->wake_l);
        rill_flow_wake_tile(flow, pipe->tile_r, pipe->wake_r);
    }
}

/* Finds out whether any face is pushed, and how steeply; and from where potentials may be told. */
static void measure(rill_flow *flow) {
    rill_push *push = &flow->push;
    int32_t steepest = 0;
    for (int32_t i = 0; i < flow->bed->plane_size; ++i)
        steepest = rill_max_i(steepest, rill_abs_i(push->west[i]) + rill_abs_i(push->south[i]));
    for (int32_t i = 0; i < flow->bed->pipe_count; ++i)
        steepest = rill_max_i(steepest, rill_abs_i(flow->sparse->arrays.push[i]));
    double lowest = flow->bed->info.columns > 0 ? push->potential[flow->bed->places[0]] : 0.0;
    for (int64_t i = 0; i < flow->bed->info.columns; ++i)
        if (push->potential[flow->bed->places[i]] < lowest) lowest = push->potential[flow->bed->places[i]];
    push->lowest = lowest;
    push->steepest = steepest;
    push->on = steepest > 0;
}

void rill_push_find(rill_flow *flow, const rill_area *cells, bool wake) {
    extend_to_ghosts(flow);
    for (int32_t i = 0; i < flow->bed->sheet_count; ++i) find_sheet(flow, &flow->bed->sheets[i], cells, wake);
    find_pipes(flow, wake);
    measure(flow);
}
