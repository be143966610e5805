/* Memory of surface tension: planes over all columns, and lists as long as all tiles can make them. */
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/message.h"
#include "waves/tension_internal.h"

/* An array of a tension's own. */
typedef struct array {
    void **data;
    size_t count, size;
} array;

enum { FLOAT_PLANES = 14, MOST_ARRAYS = 32 };

static int32_t widest(const rill_bed *bed) {
    int32_t most = 0;
    for (int32_t i = 0; i < bed->sheet_count; ++i) most = rill_max_i(most, bed->sheets[i].tiles_x);
    return most;
}

/* Floats from one plane to the next. All planes are read side by side: a cache that finds lines by the low bits of their
 * addresses must not find all of them in the same place. */
static size_t pitch(const rill_tension_state *tension) {
    enum { PAGE = 1024, SHIFT = 80 }; /* floats */
    return ((size_t)tension->plane_size + PAGE - 1) / PAGE * PAGE + SHIFT;
}

static void deal_planes(rill_tension_state *tension) {
    rill_tension_planes *planes = &tension->planes;
    float **const each[FLOAT_PLANES] = { &planes->ax,     &planes->ay,        &planes->mx,     &planes->my,
                                         &planes->gx,     &planes->gy,        &planes->fx,     &planes->fy,
                                         &planes->hollow, &planes->potential, &planes->change, &planes->force,
                                         &planes->sharp,  &planes->moved };
    for (size_t i = 0; i < FLOAT_PLANES; ++i) *each[i] = tension->floats + i * pitch(tension);
}

/* Lists all arrays; returns how many there are. */
static size_t list_arrays(rill_tension_state *tension, array *out) {
    rill_tension_planes *planes = &tension->planes;
    const size_t plane = (size_t)tension->plane_size, rows = (size_t)tension->tile_count * RILL_TILE_H;
    size_t count = 0;
    out[count++] = (array){ (void **)&tension->floats, FLOAT_PLANES * pitch(tension), sizeof *tension->floats };
    out[count++] = (array){ (void **)&planes->wet, plane, sizeof *planes->wet };
    out[count++] = (array){ (void **)&planes->flowing, plane, sizeof *planes->flowing };
    out[count++] = (array){ (void **)&tension->acting, plane, sizeof *tension->acting };
    out[count++] = (array){ (void **)&tension->acting_now, plane, sizeof *tension->acting_now };
    out[count++] = (array){ (void **)&tension->sides, plane, sizeof *tension->sides };
    out[count++] = (array){ (void **)&tension->swept, plane, sizeof *tension->swept };
    out[count++] = (array){ (void **)&tension->runs, rows, sizeof *tension->runs };
    out[count++] = (array){ (void **)&tension->rims, 3 * rows, sizeof *tension->rims };
    out[count++] = (array){ (void **)&tension->shut, 6 * rows, sizeof *tension->shut };
    out[count++] = (array){ (void **)&tension->beyond, 6 * rows, sizeof *tension->beyond };
    out[count++] = (array){ (void **)&tension->marks, (size_t)tension->mark_count, sizeof *tension->marks };
    out[count++] = (array){ (void **)&tension->pipe_flowing, tension->pipe_capacity, sizeof *tension->pipe_flowing };
    out[count++] = (array){ (void **)&tension->pipe_behind, tension->pipe_capacity, sizeof *tension->pipe_behind };
    out[count++] = (array){ (void **)&tension->pipes, tension->pipe_capacity, sizeof *tension->pipes };
    out[count++] = (array){ (void **)&tension->outcomes, (size_t)tension->task_count, sizeof *tension->outcomes };
    RILL_ASSERT(count <= MOST_ARRAYS);
    return count;
}

static void free_arrays(rill_tension_state *tension, const rill_allocator *allocator) {
    array arrays[MOST_ARRAYS];
    const size_t count = list_arrays(tension, arrays);
    for (size_t i = 0; i < count; ++i) rill_free(allocator, *arrays[i].data, arrays[i].count, arrays[i].size);
}

static bool take_arrays(rill_tension_state *tension, const rill_allocator *allocator) {
    array arrays[MOST_ARRAYS];
    const size_t count = list_arrays(tension, arrays);
    bool all = true;
    for (size_t i = 0; i < count; ++i) {
        *arrays[i].data = rill_alloc_zeroed(allocator, arrays[i].count > 0 ? arrays[i].count : 1, arrays[i].size);
        all &= *arrays[i].data != NULL;
    }
    if (!all) free_arrays(tension, allocator);
    return all;
}

/* A tension with arrays for a bed. */
static bool fit(const rill_bed *bed, int32_t task_count, const rill_allocator *allocator, rill_tension_state *out) {
    *out = (rill_tension_state){ .plane_size = bed->plane_size,
                                 .tile_count = bed->tile_count,
                                 .mark_count = widest(bed) + 2,
                                 .pipe_capacity = bed->pipe_capacity,
                                 .task_count = task_count };
    if (!take_arrays(out, allocator)) return false;
    deal_planes(out);
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------- bed */

/* Whether a column is too low for a meniscus. */
static bool is_low(const rill_bed *bed, int32_t place) {
    return bed->c[place] < RILL_TOP &&
           (double)(bed->c[place] - bed->b[place]) * bed->quantum < RILL_LEAST_VOID * bed->grid.cell_size;
}

static void mask(const rill_bed *bed, float *acting, int32_t place) {
    if (bed->b[place] < RILL_WALL && acting[place] > 0.0f) acting[place] = 0.0f;
}

/* Columns that are too low, and those beside them, over pipes too, are masked; walls and ghosts are out. */
static void look_at_bed(rill_tension_state *tension, const rill_bed *bed) {
    for (int32_t i = 0; i < bed->plane_size; ++i) tension->acting[i] = bed->b[i] < RILL_WALL ? 1.0f : -1.0f;
    for (int32_t i = 0; i < bed->ghost_count; ++i) tension->acting[bed->ghosts[i].place] = -1.0f;
    for (int32_t i = 0; i < bed->sheet_count; ++i) {
        const rill_sheet *sheet = &bed->sheets[i];
        for (int32_t y = 0; y < sheet->ny; ++y)
            for (int32_t x = 0; x < sheet->nx; ++x) {
                const int32_t place = sheet->first + y * sheet->stride + x;
                if (bed->b[place] == RILL_WALL || !is_low(bed, place)) continue;
                mask(bed, tension->acting, place);
                mask(bed, tension->acting, place - 1);
                mask(bed, tension->acting, place + 1);
                mask(bed, tension->acting, place - sheet->stride);
                mask(bed, tension->acting, place + sheet->stride);
            }
    }
    for (int32_t i = 0; i < bed->pipe_count; ++i) {
        if (is_low(bed, bed->pipe_l[i])) mask(bed, tension->acting, bed->pipe_r[i]);
        if (is_low(bed, bed->pipe_r[i])) mask(bed, tension->acting, bed->pipe_l[i]);
    }
}

/* Sides on which there is nothing, not even another sheet. */
static void look_at_sides(rill_tension_state *tension, const rill_flow *flow) {
    const rill_bed *bed = flow->bed;
    for (int32_t i = 0; i < bed->sheet_count; ++i) {
        const rill_sheet *sheet = &bed->sheets[i];
        for (int32_t y = 0; y < sheet->ny; ++y)
            for (int32_t x = 0; x < sheet->nx; ++x) {
                const int32_t place = sheet->first + y * sheet->stride + x;
                const int32_t beside[4] = { place - 1, place + 1, place - sheet->stride, place + sheet->stride };
                tension->sides[place] = 0;
                for (int k = 0; k < 4; ++k) tension->sides[place] |= (uint8_t)((bed->b[beside[k]] >= RILL_WALL) << k);
            }
    }
    for (int32_t i = 0; i < bed->pipe_count; ++i) {
        const rill_pipe *pipe = &flow->sparse->pipes[i];
        tension->sides[pipe->l] &= (uint8_t) ~(pipe->axis == 0 ? RILL_SHUT_EAST : RILL_SHUT_NORTH);
        tension->sides[pipe->r] &= (uint8_t) ~(pipe->axis == 0 ? RILL_SHUT_WEST : RILL_SHUT_SOUTH);
    }
}

static void look_at_pipes(rill_tension_state *tension, const rill_flow *flow) {
    for (int32_t i = 0; i < flow->bed->pipe_count; ++i) {
        const rill_pipe *pipe = &flow->sparse->pipes[i];
        int32_t x, y;
        const rill_sheet *sheet = rill_bed_sheet_of(flow->bed, pipe->l, &x, &y);
        tension->pipe_behind[i] = pipe->l - (pipe->axis == 0 ? 1 : sheet->stride);
        tension->pipe_flowing[i] = flow->pipe_u[i] != 0.0f;
    }
}

rill_result rill_tension_make(const rill_flow *flow, const rill_runtime *runtime, rill_tension_state **out,
                              rill_message *message) {
    rill_tension_state *tension = rill_alloc_zeroed(&runtime->allocator, 1, sizeof *tension);
    if (tension && fit(flow->bed, rill_tasks_width(runtime), &runtime->allocator, tension)) {
        look_at_bed(tension, flow->bed);
        look_at_sides(tension, flow);
        look_at_pipes(tension, flow);
        *out = tension;
        return RILL_OK;
    }
    rill_free(&runtime->allocator, tension, 1, sizeof *tension);
    return rill_fail(message, RILL_OUT_OF_MEMORY, "out of memory for surface tension");
}

void rill_tension_free(rill_tension_state *tension, const rill_allocator *allocator) {
    if (!tension) return;
    free_arrays(tension, allocator);
    rill_free(allocator, tension, 1, sizeof *tension);
}

rill_tension_memory rill_tension_remembered(const rill_tension_state *tension) {
    return (rill_tension_memory){ tension->planes.change, tension->planes.wet, tension->planes.flowing,
                                  tension->pipe_flowing };
}

bool rill_tension_follow(rill_tension_state *tension, const rill_flow *flow, const rill_allocator *allocator) {
    const rill_bed *bed = flow->bed;
    if (bed->plane_size != tension->plane_size || bed->tile_count != tension->tile_count ||
        bed->pipe_capacity > tension->pipe_capacity || widest(bed) + 2 > tension->mark_count) {
        rill_tension_state other;
        if (!fit(bed, tension->task_count, allocator, &other)) return false;
        if (bed->plane_size == tension->plane_size) {
            const size_t count = (size_t)bed->plane_size;
            memcpy(other.planes.change, tension->planes.change, count * sizeof *other.planes.change);
            memcpy(other.planes.wet, tension->planes.wet, count * sizeof *other.planes.wet);
            memcpy(other.planes.flowing, tension->planes.flowing, count * sizeof *other.planes.flowing);
        }
        free_arrays(tension, allocator);
        *tension = other;
    }
    tension->spans_made = 0;
    look_at_bed(tension, bed);
    look_at_sides(tension, flow);
    look_at_pipes(tension, flow);
    return true;
}
