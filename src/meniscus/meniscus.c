/* Bending the surface near contact lines (meniscus.h), once the contact band is found. */
#include "meniscus/meniscus.h"

#include "base/message.h"
#include "base/simd.h"

#include <math.h>

typedef struct bending {
    rill_surface *surface;
    rill_contact_band *band;
    const rill_surface_view *view;
    rill_lean_kernel *kernel;
} bending;

static float square_of(float distance) {
    return distance * fabsf(distance) + 0.0f; /* never -0 */
}
static float root_of(float square) {
    return square < 0.0f ? -sqrtf(-square) : sqrtf(square);
}

/* Mends squares of a column's neighbours where the surface ends on some side, or goes on in another sheet: `run` has
 * the squares of the sheet. A neighbour that is not there is thought to lie straight on. */
static void mend_squares(const bending *bend, rill_contact_run *run, int32_t i, const rill_contact_column *column) {
    const rill_surface *surface = bend->surface;
    const uint32_t ends = surface->rim[column->place], joints = surface->joints[column->place] & RILL_AXES & ~ends;
    const size_t first = ends ? (size_t)surface->rim_first[column->place] : 0;
    const rill_rim *rim = (const rill_rim *)surface->rims.data + first;
    RILL_ASSERT(!ends || rim->place == column->place);
    const rill_contact *contact = (const rill_contact *)bend->band->contacts.data + first;
    uint32_t missing = 0; /* bits of directions, as in `ends` */
    for (uint32_t left = ends; left; left &= left - 1, ++rim, ++contact) {
        const bool known = rill_rim_is_contact(rim);
        run->beside[__builtin_ctz(left) / 2][i] = square_of((known ? contact->along : 1.0f) - 1.0f);
        missing |= known ? 0 : left & (0u - left);
    }
    for (uint32_t left = joints; left; left &= left - 1) {
        const int d = __builtin_ctz(left);
        run->beside[d / 2][i] = bend->band->squares[rill_surface_neighbour(surface, column->place, d, column->stride)];
    }
    const float own = run->own[i];
    for (int axis = 0; missing && axis < 2; ++axis) {
        float *ahead = &run->beside[axis][i], *behind = &run->beside[axis + 2][i];
        const bool no_ahead = missing >> 2 * axis & 1, no_behind = missing >> (2 * axis + 4) & 1;
        if (no_ahead) *ahead = square_of(2.0f * root_of(own) - root_of(no_behind ? own : *behind));
        if (no_behind) *behind = square_of(2.0f * root_of(own) - root_of(*ahead));
    }
}

/* Gives the rims of a column its way to the contact line. */
static void give_way(const bending *bend, const rill_contact_run *run, int32_t i, int32_t place) {
    const uint32_t ends = bend->surface->rim[place];
    float *toward = (float *)bend->band->toward.data + 2 * (size_t)(ends ? bend->surface->rim_first[place] : 0);
    for (uint32_t left = ends; left; left &= left - 1, toward += 2)
        toward[0] = run->toward[0][i], toward[1] = run->toward[1][i];
}

/* Columns of the band that are bent together, and which of them end, or go on in another sheet. */
typedef struct column_group {
    const rill_contact_column *columns[RILL_CONTACT_RUN];
    size_t vertices[RILL_CONTACT_RUN];
    int32_t odd[RILL_CONTACT_RUN], count, odd_count;
} column_group;

/* Gathers as many columns as there are and fit, and returns the next of the list. Which count, and which end, cannot be
 * foreseen. */
static const rill_contact_column *gather_columns(const bending *bend, const rill_contact_column *from,
                                                 const rill_contact_column *end, column_group *out,
                                                 rill_contact_run *run) {
    const rill_surface *surface = bend->surface;
    const float *squares = bend->band->squares;
    int32_t count = 0, odd = 0;
    for (; from < end && count < RILL_CONTACT_RUN; ++from) {
        const int32_t place = from->place;
        out->columns[count] = from;
        out->vertices[count] = (size_t)surface->vertex[place];
        out->odd[odd] = count;
        RILL_ASSERT(out->vertices[count] < surface->column_vertices);
        __builtin_prefetch(surface->mesh.normals + 3 * out->vertices[count]);
        const int32_t counts = squares[place] == from->square; /* else it does so further on in the list */
        count += counts;
        odd += counts & ((surface->rim[place] | (surface->joints[place] & RILL_AXES)) != 0);
    }
    for (int32_t i = 0; i < count; ++i) {
        const float *square = squares + out->columns[i]->place;
        const int32_t stride = out->columns[i]->stride;
        run->own[i] = out->columns[i]->square;
        run->strength[i] = out->columns[i]->strength;
        run->beside[0][i] = square[1], run->beside[2][i] = square[-1];
        run->beside[1][i] = square[stride], run->beside[3][i] = square[-stride];
    }
    RILL_ASSERT(odd <= count && count <= RILL_CONTACT_RUN);
    out->count = count;
    out->odd_count = odd;
    return from;
}

/* Gathers a rim: it is on the contact line and goes by the way of its column, which is given to it as a gradient. */
static void gather_rim(const bending *bend, rill_contact_run *run, int32_t i, size_t r) {
    RILL_ASSERT(r < bend->surface->rims.count);
    const rill_rim *rim = (const rill_rim *)bend->surface->rims.data + r;
    const float *toward = (const float *)bend->band->toward.data + 2 * r;
    float way[2] = { toward[0], toward[1] };
    if (way[0] == 0.0f && way[1] == 0.0f)
        way[0] = (float)RILL_STEP_X[rim->direction], way[1] = (float)RILL_STEP_Y[rim->direction];
    run->own[i] = 0.0f;
    run->strength[i] = ((const rill_contact *)bend->band->contacts.data)[r].strength;
    run->beside[2][i] = square_of(way[0]), run->beside[0][i] = -run->beside[2][i];
    run->beside[3][i] = square_of(way[1]), run->beside[1][i] = -run->beside[3][i];
}

static void gather_normal(const bending *bend, rill_contact_run *run, int32_t i, size_t vertex) {
    for (int k = 0; k < 3; ++k) run->n[k][i] = bend->surface->mesh.normals[3 * vertex + (size_t)k];
}

static void scatter_normal(const bending *bend, const rill_contact_run *run, int32_t i, size_t vertex) {
    RILL_ASSERT(isfinite(run->n[0][i]) && isfinite(run->n[1][i]) && run->n[2][i] > 0.0f);
    for (int k = 0; k < 3; ++k) bend->surface->mesh.normals[3 * vertex + (size_t)k] = run->n[k][i];
}

/* Keeps the height of a lifted vertex between the solid below and the solid above. */
static float between(const rill_bed *bed, float z, int32_t low, int32_t high) {
    RILL_ASSERT(low <= high);
    const float quantum = (float)bed->quantum, datum = (float)bed->datum;
    const float least = datum + (float)low * quantum, most = datum + (float)high * quantum;
    if (high < RILL_TOP && z > most) z = most;
    return z < least ? least : z;
}

static void lift_column(const bending *bend, int32_t place, size_t vertex, float lift) {
    const rill_bed *bed = bend->view->bed;
    float *z = &bend->surface->mesh.positions[3 * vertex + 2];
    const int32_t floor = bend->surface->floor[place] > bed->b[place] ? bend->surface->floor[place] : bed->b[place];
    *z = between(bed, *z + lift * (float)bend->band->length, floor, bed->c[place]);
}

/* Lifts a rim, which also moves along its line, as far as the contact line does. */
static void lift_rim(const bending *bend, size_t r, float lift) {
    const rill_bed *bed = bend->view->bed;
    const rill_rim *rim = (const rill_rim *)bend->surface->rims.data + r;
    const rill_contact *contact = (const rill_contact *)bend->band->contacts.data + r;
    float *p = &bend->surface->mesh.positions[3 * (bend->surface->column_vertices + r)];
    const float shift = contact->shift * (float)bed->grid.cell_size;
    p[0] += shift * (float)RILL_STEP_X[rim->direction];
    p[1] += shift * (float)RILL_STEP_Y[rim->direction];
    int32_t low = bed->b[rim->place], high = bed->c[rim->place];
    if (rim->beyond >= 0) {
        const float rise = (float)(bed->b[rim->beyond] - low);
        if (rise * (float)bed->quantum <= (float)bed->grid.cell_size) /* else it is inside of a wall */
            low = (int32_t)rill_rim_floor(bend->surface, bed, rim, rim->along + contact->shift);
        high = bed->c[rim->beyond] < high ? bed->c[rim->beyond] : high;
    }
    p[2] = between(bed, p[2] + lift * (float)bend->band->length, low < high ? low : high, high);
}

static void run_kernel(const bending *bend, rill_contact_run *run, int32_t count) {
    RILL_ASSERT(count <= RILL_CONTACT_RUN);
    bend->kernel((count + 15) & -16, run, &bend->band->constants);
}

enum { PIECE = 8 * RILL_CONTACT_RUN }; /* columns or rims that a task works on */

static void bend_columns(void *context, int32_t index) {
    const bending *bend = context;
    const rill_contact_column *at = (const rill_contact_column *)bend->band->columns.data + (size_t)index * PIECE;
    const size_t left = bend->band->columns.count - (size_t)index * PIECE;
    const rill_contact_column *const end = at + (left < PIECE ? left : PIECE);
    const bool lift = bend->surface->def.meniscus == RILL_MENISCUS_LIFT;
    rill_contact_run run = { 0 };
    column_group group;
    while (at < end) {
        at = gather_columns(bend, at, end, &group, &run);
        for (int32_t i = 0; i < group.odd_count; ++i)
            mend_squares(bend, &run, group.odd[i], group.columns[group.odd[i]]);
        for (int32_t i = 0; i < group.count; ++i) gather_normal(bend, &run, i, group.vertices[i]);
        run_kernel(bend, &run, group.count);
        for (int32_t i = 0; i < group.count; ++i) {
            scatter_normal(bend, &run, i, group.vertices[i]);
            if (lift) lift_column(bend, group.columns[i]->place, group.vertices[i], run.lift[i]);
        }
        for (int32_t i = 0; i < group.odd_count; ++i)
            give_way(bend, &run, group.odd[i], group.columns[group.odd[i]]->place);
    }
}

static void bend_rims(void *context, int32_t index) {
    const bending *bend = context;
    const rill_rim *rims = bend->surface->rims.data;
    const size_t first = (size_t)index * PIECE, all = bend->surface->rims.count;
    const size_t end = first + PIECE < all ? first + PIECE : all;
    const bool lift = bend->surface->def.meniscus == RILL_MENISCUS_LIFT;
    rill_contact_run run = { 0 };
    size_t which[RILL_CONTACT_RUN];
    for (size_t r = first; r < end;) {
        int32_t count = 0;
        for (; r < end && count < RILL_CONTACT_RUN; ++r) {
            if (!rill_rim_is_contact(&rims[r])) continue;
            gather_rim(bend, &run, count, r);
            gather_normal(bend, &run, count, bend->surface->column_vertices + r);
            which[count++] = r;
        }
        run_kernel(bend, &run, count);
        for (int32_t i = 0; i < count; ++i) {
            scatter_normal(bend, &run, i, bend->surface->column_vertices + which[i]);
            if (lift) lift_rim(bend, which[i], run.lift[i]);
        }
    }
}

static void run_pieces(bending *bend, size_t count, rill_task *task) {
    rill_parallel_for(bend->view->runtime, bend->view->pool, (int32_t)((count + PIECE - 1) / PIECE), task, bend);
}

rill_result rill_meniscus_bend(rill_surface *surface, const rill_surface_view *view) {
    rill_contact_band *band = surface->band;
    bool done = rill_contact_band_find(band, surface, view);
    if (done && surface->def.distances) done = rill_contact_distance_write(surface, view->bed->grid.cell_size);
    if (done && band->columns.count > 0) {
        const rill_meniscus_kernels *kernels = band->kernels;
        bending bend = { .surface = surface,
                         .band = band,
                         .view = view,
                         .kernel = surface->def.meniscus == RILL_MENISCUS_LIFT        ? kernels->profile
                                   : surface->def.falloff == RILL_FALLOFF_EXPONENTIAL ? kernels->exponential
                                                                                      : kernels->linear };
        run_pieces(&bend, band->columns.count, bend_columns);
        if (surface->def.smooth_shores) run_pieces(&bend, surface->rims.count, bend_rims);
    }
    rill_contact_band_forget(band);
    return done ? RILL_OK : rill_fail(view->message, RILL_OUT_OF_MEMORY, "no memory for the meniscus of a surface");
}
