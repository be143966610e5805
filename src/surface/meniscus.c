/* Bending the surface near contact lines (meniscus.h), once the fringe is found. */
#include "surface/meniscus.h"

#include "base/message.h"
#include "base/simd.h"
#include "surface/parts.h"

#include <math.h>

typedef struct bend {
    rill_surface *surface;
    rill_fringe *fringe;
    const rill_surface_view *view;
    rill_lean_kernel *kernel;
} bend;

static float square_of(float distance) {
    return distance * fabsf(distance) + 0.0f; /* never -0 */
}
static float root_of(float square) {
    return square < 0.0f ? -sqrtf(-square) : sqrtf(square);
}

/* Squares of a column's neighbours where the surface ends on some side, or goes on in another sheet; `run` has those of the
 * sheet. A neighbour that is not there is thought to lie straight on. */
static void mend_squares(const bend *b, rill_fringe_run *run, int32_t i, const rill_fringe_column *column) {
    const rill_surface *surface = b->surface;
    const uint32_t ends = surface->rim[column->place], joints = surface->joints[column->place] & RILL_AXES & ~ends;
    const size_t first = ends ? (size_t)surface->rim_first[column->place] : 0;
    const rill_rim *rim = (const rill_rim *)surface->rims.data + first;
    const rill_contact *contact = (const rill_contact *)b->fringe->contacts.data + first;
    float *const sides[] = { &run->east[i], &run->north[i], &run->west[i], &run->south[i] };
    uint32_t missing = 0; /* bits of directions, as in `ends` */
    for (uint32_t left = ends; left; left &= left - 1, ++rim, ++contact) {
        const bool known = rill_rim_is_contact(rim);
        *sides[__builtin_ctz(left) / 2] = square_of((known ? contact->along : 1.0f) - 1.0f);
        missing |= known ? 0 : left & (0u - left);
    }
    for (uint32_t left = joints; left; left &= left - 1) {
        const int d = __builtin_ctz(left);
        *sides[d / 2] = b->fringe->squares[rill_surface_neighbour(surface, column->place, d, column->stride)];
    }
    const float own = run->own[i];
    for (int axis = 0; missing && axis < 2; ++axis) {
        float *ahead = sides[axis], *behind = sides[axis + 2];
        const bool no_ahead = missing >> 2 * axis & 1, no_behind = missing >> (2 * axis + 4) & 1;
        if (no_ahead) *ahead = square_of(2.0f * root_of(own) - root_of(no_behind ? own : *behind));
        if (no_behind) *behind = square_of(2.0f * root_of(own) - root_of(*ahead));
    }
}

static void gather_column(const bend *b, rill_fringe_run *run, int32_t i, const rill_fringe_column *column) {
    const float *square = b->fringe->squares + column->place;
    run->own[i] = *square;
    run->strength[i] = column->strength;
    run->east[i] = square[1], run->west[i] = square[-1];
    run->north[i] = square[column->stride], run->south[i] = square[-column->stride];
    if (b->surface->rim[column->place] | (b->surface->joints[column->place] & RILL_AXES))
        mend_squares(b, run, i, column);
}

/* A rim is on the contact line and goes by the way of its column, which is given to it as a gradient. */
static void gather_rim(const bend *b, rill_fringe_run *run, int32_t i, size_t r) {
    const rill_rim *rim = (const rill_rim *)b->surface->rims.data + r;
    const float *toward = (const float *)b->fringe->toward.data + 2 * (size_t)b->fringe->numbers[rim->place];
    float way[2] = { toward[0], toward[1] };
    if (way[0] == 0.0f && way[1] == 0.0f)
        way[0] = (float)RILL_STEP_X[rim->direction], way[1] = (float)RILL_STEP_Y[rim->direction];
    run->own[i] = 0.0f;
    run->strength[i] = ((const rill_contact *)b->fringe->contacts.data)[r].strength;
    run->west[i] = square_of(way[0]), run->east[i] = -run->west[i];
    run->south[i] = square_of(way[1]), run->north[i] = -run->south[i];
}

static void gather_normal(const bend *b, rill_fringe_run *run, int32_t i, size_t vertex) {
    for (int k = 0; k < 3; ++k) run->n[k][i] = b->surface->mesh.normals[3 * vertex + (size_t)k];
}

static void scatter_normal(const bend *b, const rill_fringe_run *run, int32_t i, size_t vertex) {
    for (int k = 0; k < 3; ++k) b->surface->mesh.normals[3 * vertex + (size_t)k] = run->n[k][i];
}

/* A height of a lifted vertex between what it stands on and what hangs over it. */
static float between(const rill_bed *bed, float z, int32_t low, int32_t high) {
    const float quantum = (float)bed->quantum, datum = (float)bed->datum;
    const float least = datum + (float)low * quantum, most = datum + (float)high * quantum;
    if (high < RILL_TOP && z > most) z = most;
    return z < least ? least : z;
}

static void lift_column(const bend *b, int32_t place, size_t vertex, float lift) {
    const rill_bed *bed = b->view->bed;
    float *z = &b->surface->mesh.positions[3 * vertex + 2];
    const int32_t floor = b->surface->floor[place] > bed->b[place] ? b->surface->floor[place] : bed->b[place];
    *z = between(bed, *z + lift * (float)b->fringe->length, floor, bed->c[place]);
}

/* A rim also moves along its line, as far as the contact line does. */
static void lift_rim(const bend *b, size_t r, float lift) {
    const rill_bed *bed = b->view->bed;
    const rill_rim *rim = (const rill_rim *)b->surface->rims.data + r;
    const rill_contact *contact = (const rill_contact *)b->fringe->contacts.data + r;
    float *p = &b->surface->mesh.positions[3 * (b->surface->column_vertices + r)];
    const float shift = contact->shift * (float)bed->grid.cell_size;
    p[0] += shift * (float)RILL_STEP_X[rim->direction];
    p[1] += shift * (float)RILL_STEP_Y[rim->direction];
    int32_t low = bed->b[rim->place], high = bed->c[rim->place];
    if (rim->beyond >= 0) {
        const float rise = (float)(bed->b[rim->beyond] - low);
        if (rise * (float)bed->quantum <= (float)bed->grid.cell_size) /* else it is inside of a wall */
            low = (int32_t)rill_rim_floor(b->surface, bed, rim, rim->along + contact->shift);
        high = bed->c[rim->beyond] < high ? bed->c[rim->beyond] : high;
    }
    p[2] = between(bed, p[2] + lift * (float)b->fringe->length, low < high ? low : high, high);
}

static void run_kernel(const bend *b, rill_fringe_run *run, int32_t count) {
    b->kernel((count + 15) & -16, run, &b->fringe->constants);
}

enum { PIECE = 8 * RILL_FRINGE_RUN }; /* columns or rims that a task works on */

static void bend_columns(void *context, int32_t index) {
    const bend *b = context;
    const rill_fringe_column *columns = b->fringe->columns.data;
    const size_t first = (size_t)index * PIECE, all = b->fringe->columns.count;
    const size_t end = first + PIECE < all ? first + PIECE : all;
    const bool lift = b->surface->def.meniscus == RILL_MENISCUS_LIFT;
    float *toward = b->fringe->toward.data;
    rill_fringe_run run = { 0 };
    size_t which[RILL_FRINGE_RUN], vertices[RILL_FRINGE_RUN];
    for (size_t c = first; c < end;) {
        int32_t count = 0;
        for (; c < end && count < RILL_FRINGE_RUN; ++c) {
            const int32_t place = columns[c].place;
            which[count] = c;
            vertices[count] = (size_t)b->surface->vertex[place];
            __builtin_prefetch(b->surface->mesh.normals + 3 * vertices[count]);
            count += b->fringe->numbers[place] == (int32_t)c; /* else it counts further on in the list */
        }
        for (int32_t i = 0; i < count; ++i) {
            gather_column(b, &run, i, &columns[which[i]]);
            gather_normal(b, &run, i, vertices[i]);
        }
        run_kernel(b, &run, count);
        for (int32_t i = 0; i < count; ++i) {
            scatter_normal(b, &run, i, vertices[i]);
            if (lift) lift_column(b, columns[which[i]].place, vertices[i], run.lift[i]);
            toward[2 * which[i]] = run.toward[0][i];
            toward[2 * which[i] + 1] = run.toward[1][i];
        }
    }
}

static void bend_rims(void *context, int32_t index) {
    const bend *b = context;
    const rill_rim *rims = b->surface->rims.data;
    const size_t first = (size_t)index * PIECE, all = b->surface->rims.count;
    const size_t end = first + PIECE < all ? first + PIECE : all;
    const bool lift = b->surface->def.meniscus == RILL_MENISCUS_LIFT;
    rill_fringe_run run = { 0 };
    size_t which[RILL_FRINGE_RUN];
    for (size_t r = first; r < end;) {
        int32_t count = 0;
        for (; r < end && count < RILL_FRINGE_RUN; ++r) {
            if (!rill_rim_is_contact(&rims[r])) continue;
            gather_rim(b, &run, count, r);
            gather_normal(b, &run, count, b->surface->column_vertices + r);
            which[count++] = r;
        }
        run_kernel(b, &run, count);
        for (int32_t i = 0; i < count; ++i) {
            scatter_normal(b, &run, i, b->surface->column_vertices + which[i]);
            if (lift) lift_rim(b, which[i], run.lift[i]);
        }
    }
}

static void run_pieces(bend *b, size_t count, rill_task *task) {
    rill_parallel_for(b->view->runtime, b->view->pool, (int32_t)((count + PIECE - 1) / PIECE), task, b);
}

rill_result rill_meniscus_bend(rill_surface *surface, const rill_surface_view *view) {
    rill_fringe *fringe = surface->fringe;
    bool done = rill_fringe_find(fringe, surface, view);
    if (done && surface->def.distances) done = rill_distances_write(surface, view->bed->grid.cell_size);
    if (done && fringe->columns.count > 0) {
        const rill_meniscus_kernels *kernels = fringe->kernels;
        bend b = { .surface = surface,
                   .fringe = fringe,
                   .view = view,
                   .kernel = surface->def.meniscus == RILL_MENISCUS_LIFT        ? kernels->profile
                             : surface->def.falloff == RILL_FALLOFF_EXPONENTIAL ? kernels->exponential
                                                                                : kernels->linear };
        run_pieces(&b, fringe->columns.count, bend_columns);
        if (surface->def.smooth_shores) run_pieces(&b, surface->rims.count, bend_rims);
    }
    rill_fringe_forget(fringe, surface);
    return done ? RILL_OK : rill_fail(view->message, RILL_OUT_OF_MEMORY, "no memory for the meniscus of a surface");
}
