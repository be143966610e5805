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
static size_t pitch(const rill_tension_state *t) {
    enum { PAGE = 1024, SHIFT = 80 }; /* floats */
    return ((size_t)t->plane_size + PAGE - 1) / PAGE * PAGE + SHIFT;
}

static void deal_planes(rill_tension_state *t) {
    rill_tension_planes *p = &t->planes;
    float **const planes[FLOAT_PLANES] = { &p->ax,     &p->ay,    &p->mx,    &p->my,     &p->gx,
                                           &p->gy,     &p->fx,    &p->fy,    &p->hollow, &p->potential,
                                           &p->change, &p->force, &p->sharp, &p->moved };
    for (size_t i = 0; i < FLOAT_PLANES; ++i) *planes[i] = t->floats + i * pitch(t);
}

/* Lists all arrays; returns how many there are. */
static size_t list_arrays(rill_tension_state *t, array *out) {
    rill_tension_planes *p = &t->planes;
    const size_t plane = (size_t)t->plane_size, rows = (size_t)t->tile_count * RILL_TILE_H;
    size_t count = 0;
    out[count++] = (array){ (void **)&t->floats, FLOAT_PLANES * pitch(t), sizeof *t->floats };
    out[count++] = (array){ (void **)&p->wet, plane, sizeof *p->wet };
    out[count++] = (array){ (void **)&p->flowing, plane, sizeof *p->flowing };
    out[count++] = (array){ (void **)&t->acting, plane, sizeof *t->acting };
    out[count++] = (array){ (void **)&t->acting_now, plane, sizeof *t->acting_now };
    out[count++] = (array){ (void **)&t->sides, plane, sizeof *t->sides };
    out[count++] = (array){ (void **)&t->swept, plane, sizeof *t->swept };
    out[count++] = (array){ (void **)&t->runs, rows, sizeof *t->runs };
    out[count++] = (array){ (void **)&t->rims, 3 * rows, sizeof *t->rims };
    out[count++] = (array){ (void **)&t->shut, 6 * rows, sizeof *t->shut };
    out[count++] = (array){ (void **)&t->beyond, 6 * rows, sizeof *t->beyond };
    out[count++] = (array){ (void **)&t->marks, (size_t)t->mark_count, sizeof *t->marks };
    out[count++] = (array){ (void **)&t->pipe_flowing, t->pipe_capacity, sizeof *t->pipe_flowing };
    out[count++] = (array){ (void **)&t->pipe_behind, t->pipe_capacity, sizeof *t->pipe_behind };
    out[count++] = (array){ (void **)&t->pipes, t->pipe_capacity, sizeof *t->pipes };
    out[count++] = (array){ (void **)&t->outcomes, (size_t)t->task_count, sizeof *t->outcomes };
    RILL_ASSERT(count <= MOST_ARRAYS);
    return count;
}

static void free_arrays(rill_tension_state *t, const rill_allocator *allocator) {
    array arrays[MOST_ARRAYS];
    const size_t count = list_arrays(t, arrays);
    for (size_t i = 0; i < count; ++i) rill_free(allocator, *arrays[i].data, arrays[i].count, arrays[i].size);
}

static bool take_arrays(rill_tension_state *t, const rill_allocator *allocator) {
    array arrays[MOST_ARRAYS];
    const size_t count = list_arrays(t, arrays);
    bool all = true;
    for (size_t i = 0; i < count; ++i) {
        *arrays[i].data = rill_alloc_zeroed(allocator, arrays[i].count > 0 ? arrays[i].count : 1, arrays[i].size);
        all &= *arrays[i].data != NULL;
    }
    if (!all) free_arrays(t, allocator);
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
static void look_at_bed(rill_tension_state *t, const rill_bed *bed) {
    for (int32_t i = 0; i < bed->plane_size; ++i) t->acting[i] = bed->b[i] < RILL_WALL ? 1.0f : -1.0f;
    for (int32_t i = 0; i < bed->ghost_count; ++i) t->acting[bed->ghosts[i].place] = -1.0f;
    for (int32_t i = 0; i < bed->sheet_count; ++i) {
        const rill_sheet *sheet = &bed->sheets[i];
        for (int32_t y = 0; y < sheet->ny; ++y)
            for (int32_t x = 0; x < sheet->nx; ++x) {
                const int32_t place = sheet->first + y * sheet->stride + x;
                if (bed->b[place] == RILL_WALL || !is_low(bed, place)) continue;
                mask(bed, t->acting, place);
                mask(bed, t->acting, place - 1);
                mask(bed, t->acting, place + 1);
                mask(bed, t->acting, place - sheet->stride);
                mask(bed, t->acting, place + sheet->stride);
            }
    }
    for (int32_t i = 0; i < bed->pipe_count; ++i) {
        if (is_low(bed, bed->pipe_l[i])) mask(bed, t->acting, bed->pipe_r[i]);
        if (is_low(bed, bed->pipe_r[i])) mask(bed, t->acting, bed->pipe_l[i]);
    }
}

/* Sides on which there is nothing, not even another sheet. */
static void look_at_sides(rill_tension_state *t, const rill_flow *flow) {
    const rill_bed *bed = flow->bed;
    for (int32_t i = 0; i < bed->sheet_count; ++i) {
        const rill_sheet *sheet = &bed->sheets[i];
        for (int32_t y = 0; y < sheet->ny; ++y)
            for (int32_t x = 0; x < sheet->nx; ++x) {
                const int32_t place = sheet->first + y * sheet->stride + x;
                const int32_t beside[4] = { place - 1, place + 1, place - sheet->stride, place + sheet->stride };
                t->sides[place] = 0;
                for (int k = 0; k < 4; ++k) t->sides[place] |= (uint8_t)((bed->b[beside[k]] >= RILL_WALL) << k);
            }
    }
    for (int32_t i = 0; i < bed->pipe_count; ++i) {
        const rill_pipe *pipe = &flow->sparse->pipes[i];
        t->sides[pipe->l] &= (uint8_t) ~(pipe->axis == 0 ? RILL_SHUT_EAST : RILL_SHUT_NORTH);
        t->sides[pipe->r] &= (uint8_t) ~(pipe->axis == 0 ? RILL_SHUT_WEST : RILL_SHUT_SOUTH);
    }
}

static void look_at_pipes(rill_tension_state *t, const rill_flow *flow) {
    for (int32_t i = 0; i < flow->bed->pipe_count; ++i) {
        const rill_pipe *pipe = &flow->sparse->pipes[i];
        int32_t x, y;
        const rill_sheet *sheet = rill_bed_sheet_of(flow->bed, pipe->l, &x, &y);
        t->pipe_behind[i] = pipe->l - (pipe->axis == 0 ? 1 : sheet->stride);
        t->pipe_flowing[i] = flow->pipe_u[i] != 0.0f;
    }
}

rill_result rill_tension_make(const rill_flow *flow, const rill_runtime *runtime, rill_tension_state **out,
                              rill_message *message) {
    rill_tension_state *t = rill_alloc_zeroed(&runtime->allocator, 1, sizeof *t);
    if (t && fit(flow->bed, rill_tasks_width(runtime), &runtime->allocator, t)) {
        look_at_bed(t, flow->bed);
        look_at_sides(t, flow);
        look_at_pipes(t, flow);
        *out = t;
        return RILL_OK;
    }
    rill_free(&runtime->allocator, t, 1, sizeof *t);
    return rill_fail(message, RILL_OUT_OF_MEMORY, "out of memory for surface tension");
}

void rill_tension_free(rill_tension_state *tension, const rill_allocator *allocator) {
    if (!tension) return;
    free_arrays(tension, allocator);
    rill_free(allocator, tension, 1, sizeof *tension);
}

rill_tension_memory rill_tension_remembered(const rill_tension_state *t) {
    return (rill_tension_memory){ t->planes.change, t->planes.wet, t->planes.flowing, t->pipe_flowing };
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
