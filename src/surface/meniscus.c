/* Finding the fringe and bending the surface there (meniscus.h). */
#include "surface/meniscus.h"

#include "base/message.h"
#include "base/simd.h"
#include "surface/parts.h"

#include <math.h>

static const double REACH[] = { 1.0, 5.0, 6.0 }; /* linear, exponential, lifted: capillary lengths */
static const double FARTHEST = 128.0;            /* cells */
static const float LAST = 0.9375f;               /* contact points move no farther, on the way to the next cell */
static const float HALF_WAY = 0.5f;
static const float NOBODY = -1.0f; /* square where a column is dry: nothing is worth telling it */

rill_fringe *rill_fringe_make(const rill_allocator *allocator, bool scalar) {
    rill_fringe *fringe = rill_memory_take(allocator, 1, sizeof *fringe);
    if (!fringe) return NULL;
    *fringe = (rill_fringe){ .allocator = *allocator,
                             .kernels = rill_meniscus_kernels_pick(scalar),
                             .columns = rill_array_make(sizeof(rill_fringe_column)),
                             .contacts = rill_array_make(sizeof(rill_contact)),
                             .toward = rill_array_make(2 * sizeof(float)) };
    rill_profile_make(fringe->constants.profile);
    return fringe;
}

static void give_planes(rill_fringe *fringe) {
    rill_memory_give(&fringe->allocator, fringe->squares, fringe->plane_size, sizeof *fringe->squares);
    rill_memory_give(&fringe->allocator, fringe->numbers, fringe->plane_size, sizeof *fringe->numbers);
    fringe->squares = NULL;
    fringe->numbers = NULL;
    fringe->plane_size = 0;
}

void rill_fringe_free(rill_fringe *fringe) {
    if (!fringe) return;
    const rill_allocator allocator = fringe->allocator;
    give_planes(fringe);
    rill_array *const arrays[] = { &fringe->columns, &fringe->contacts, &fringe->toward };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) rill_array_free(arrays[i], &allocator);
    rill_memory_give(&allocator, fringe, 1, sizeof *fringe);
}

/* Planes for another bed, or another width of the fringe; nothing is in them. */
static bool take_planes(rill_fringe *fringe, size_t size) {
    const bool same = fringe->plane_size == size && fringe->squares;
    if (same && fringe->outside == fringe->constants.limit) return true;
    if (!same) {
        give_planes(fringe);
        fringe->plane_size = size;
        fringe->squares = rill_memory_claim(&fringe->allocator, size, sizeof *fringe->squares);
        fringe->numbers = rill_memory_claim(&fringe->allocator, size, sizeof *fringe->numbers);
    }
    if (!fringe->squares || !fringe->numbers) {
        give_planes(fringe);
        return false;
    }
    fringe->outside = fringe->constants.limit;
    for (size_t i = 0; i < size; ++i) fringe->squares[i] = fringe->outside, fringe->numbers[i] = -1;
    return true;
}

/* False where there is no meniscus: without tension. */
static bool set_constants(rill_fringe *fringe, const rill_surface *surface, const rill_surface_view *view) {
    const double *g = view->gravity, dx = view->bed->grid.cell_size;
    const double weight = view->liquid.density * sqrt((g[0] * g[0] + g[1] * g[1]) + g[2] * g[2]);
    const bool lift = surface->def.meniscus == RILL_MENISCUS_LIFT;
    const double reach = REACH[lift ? 2 : surface->def.falloff == RILL_FALLOFF_EXPONENTIAL ? 1 : 0];
    const double longest = FARTHEST * dx / reach;
    fringe->length = sqrt(view->liquid.surface_tension / fmax(weight, 1e-30));
    if (!(fringe->length < longest)) fringe->length = longest;
    if (!(fringe->length > 0.0)) return false;
    fringe->angle = view->liquid.contact_angle * (RILL_QUARTER_TURN / 90.0);
    const double cells = reach * fringe->length / dx;
    fringe->constants.limit = (float)fmax(cells * cells, 1.0);
    fringe->constants.decay = (float)(dx / fringe->length);
    return true;
}

/* ------------------------------------------------------------------------------------------------------- first ring */

/* At a wall the rim is inside of the solid, and its face somewhere between the two centres: half way, for all that is known. */
static rill_contact find_contact(const rill_fringe *fringe, const rill_surface *surface, const rill_bed *bed,
                                 const rill_rim *rim) {
    double slope = INFINITY, beta = RILL_QUARTER_TURN;
    if (rim->kind == RILL_RIM_SHORE && rim->beyond >= 0) {
        slope = (double)(bed->b[rim->beyond] - bed->b[rim->place]) * (bed->quantum / bed->grid.cell_size);
        beta = rill_slope_angle(slope);
    }
    const double psi = fmin(fmax(beta - fringe->angle, -RILL_QUARTER_TURN), RILL_QUARTER_TURN);
    rill_contact contact = { .strength = (float)psi,
                             .along = slope > 1.0 ? rill_min_f(rim->along, HALF_WAY) : rim->along };
    if (surface->def.meniscus != RILL_MENISCUS_LIFT) return contact;
    const double t = rill_profile_tangent(fabs(psi)), q = rill_profile_decay(t);
    contact.strength = (float)(psi < 0.0 ? -q : q);
    if (psi > 0.0 && slope > 0.0 && slope <= 1.0 && rim->along < LAST &&
        rim->along == rim->full) { /* the contact line climbs the bank */
        const double rise = 4.0 * t / (1.0 + t * t) * fringe->length / bed->grid.cell_size;
        contact.shift = rill_min_f((float)(rise / slope), LAST - rim->along);
        contact.along += contact.shift;
    }
    return contact;
}

/* A column at a rim, or another contact point for one that is there already. */
static void add_to_ring(rill_fringe *fringe, const rill_rim *rim, const rill_contact *contact, int32_t stride) {
    const float square = contact->along * contact->along;
    float *known = &fringe->squares[rim->place];
    int32_t *number = &fringe->numbers[rim->place];
    if (!(square < *known)) return;
    if (*known == fringe->outside) *number = (int32_t)fringe->columns.count++;
    rill_fringe_column *column = (rill_fringe_column *)fringe->columns.data + *number;
    *known = square;
    *column = (rill_fringe_column){ .place = rim->place, .stride = stride, .strength = contact->strength };
    column->to[0] = contact->along * (float)RILL_STEP_X[rim->direction];
    column->to[1] = contact->along * (float)RILL_STEP_Y[rim->direction];
}

static bool find_ring(rill_fringe *fringe, const rill_surface *surface, const rill_bed *bed) {
    const size_t count = surface->rims.count;
    fringe->columns.count = fringe->contacts.count = 0;
    if (!rill_array_reserve(&fringe->columns, &fringe->allocator, count) ||
        !rill_array_reserve(&fringe->contacts, &fringe->allocator, count))
        return false;
    const rill_rim *rims = surface->rims.data;
    rill_contact *contacts = fringe->contacts.data;
    for (size_t r = 0; r < count; ++r) {
        if (!rill_rim_is_contact(&rims[r])) continue;
        contacts[r] = find_contact(fringe, surface, bed, &rims[r]);
        if (rims[r].beyond >= 0) fringe->squares[rims[r].beyond] = NOBODY;
        add_to_ring(fringe, &rims[r], &contacts[r], surface->stride[rims[r].place]);
    }
    return true;
}

/* ----------------------------------------------------------------------------------------------------------- growth */

/* Growing, with the arrays at hand: they have room for whatever a round adds. Columns are only ever appended. One that hears of
 * a nearer contact point later is in the list again, and the number of its spot says where it counts. */
typedef struct growth {
    const rill_surface *surface;
    const uint8_t *state;
    float *squares;
    int32_t *numbers;
    rill_fringe_column *columns;
    size_t count;
} growth;

static const float STEPS[RILL_DIRECTIONS][2] = { { 1, 0 },  { 1, 1 },   { 0, 1 },  { -1, 1 },
                                                 { -1, 0 }, { -1, -1 }, { 0, -1 }, { 1, -1 } };

/* Three neighbours in a row, from west to east, and one more. */
typedef float four __attribute__((vector_size(16)));
typedef int32_t four_i __attribute__((vector_size(16)));

static inline four three_of(const float *from) {
    return (four){ from[0], from[1], from[2], 0.0f };
}

/* The directions, of all in the sheet, in which a contact point is nearer than what is known there. */
static inline uint32_t worth_telling(const float *square, int32_t stride, const float to[2]) {
    const four x = { to[0] + 1.0f, to[0], to[0] - 1.0f, 0.0f }, across = x * x;
    const float n = (to[1] - 1.0f) * (to[1] - 1.0f), c = to[1] * to[1], s = (to[1] + 1.0f) * (to[1] + 1.0f);
    const four_i north = (across + n < three_of(square + stride - 1)) & (four_i){ 8, 4, 2, 0 };
    const four_i here = (across + c < three_of(square - 1)) & (four_i){ 16, 0, 1, 0 };
    const four_i south = (across + s < three_of(square - stride - 1)) & (four_i){ 32, 64, 128, 0 };
    const four_i set = north | here | south;
    return (uint32_t)(set[0] | set[1] | set[2]);
}

/* Tells a linked column, `d` from one of the fringe, of that one's contact point. */
static inline void tell(growth *g, const rill_fringe_column *from, int d, int32_t place, int32_t stride) {
    const float x = from->to[0] - STEPS[d][0], y = from->to[1] - STEPS[d][1];
    if (!(g->state[place] & RILL_WET)) return;
    g->squares[place] = x * x + y * y;
    g->numbers[place] = (int32_t)g->count;
    g->columns[g->count++] =
        (rill_fringe_column){ .place = place, .stride = stride, .to = { x, y }, .strength = from->strength };
}

static void grow_from(growth *g, const rill_fringe_column from) {
    const uint32_t worth = worth_telling(g->squares + from.place, from.stride, from.to);
    for (uint32_t left = worth & g->surface->links[from.place]; left != 0; left &= left - 1) {
        const int d = __builtin_ctz(left);
        tell(g, &from, d, from.place + RILL_STEP_X[d] + RILL_STEP_Y[d] * from.stride, from.stride);
    }
    for (uint32_t left = g->surface->joints[from.place]; left != 0; left &= left - 1) {
        const int d = __builtin_ctz(left);
        const int32_t place = rill_surface_neighbour(g->surface, from.place, d, from.stride);
        const float x = from.to[0] - STEPS[d][0], y = from.to[1] - STEPS[d][1];
        if (x * x + y * y < g->squares[place]) tell(g, &from, d, place, g->surface->stride[place]);
    }
}

/* As many rounds as the fringe is wide: in each, those that have heard something new in the last one tell their neighbours.
 * Near its outer border there is nobody left to tell. */
static bool grow(rill_fringe *fringe, const rill_surface *surface) {
    const float width = sqrtf(fringe->constants.limit), inner = fmaxf(width - 0.9f, 0.0f) * fmaxf(width - 0.9f, 0.0f);
    rill_array *const all = &fringe->columns;
    size_t from = 0;
    for (int32_t round = 0; round < (int32_t)ceilf(width) && from < all->count; ++round) {
        const size_t until = all->count;
        if (!rill_array_reserve(all, &fringe->allocator, until + RILL_DIRECTIONS * (until - from))) return false;
        growth g = { surface, surface->state, fringe->squares, fringe->numbers, all->data, until };
        for (; from < until; ++from) {
            const rill_fringe_column *column = &g.columns[from];
            if ((g.numbers[column->place] == (int32_t)from) & (g.squares[column->place] < inner))
                grow_from(&g, *column);
        }
        all->count = g.count;
    }
    return rill_array_reserve(&fringe->toward, &fringe->allocator, all->count);
}

/* ------------------------------------------------------------------------------------------------------------- lean */

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

/* The planes are as before, for the next build. */
static void forget(rill_fringe *fringe, const rill_surface *surface) {
    const rill_fringe_column *columns = fringe->columns.data;
    const rill_rim *rims = surface->rims.data;
    for (size_t i = 0; i < fringe->columns.count; ++i) fringe->squares[columns[i].place] = fringe->outside;
    for (size_t r = 0; r < surface->rims.count; ++r)
        if (rims[r].beyond >= 0) fringe->squares[rims[r].beyond] = fringe->outside;
    fringe->columns.count = 0;
}

static void run_pieces(bend *b, size_t count, rill_task *task) {
    rill_parallel_for(b->view->runtime, b->view->pool, (int32_t)((count + PIECE - 1) / PIECE), task, b);
}

rill_result rill_meniscus_bend(rill_surface *surface, const rill_surface_view *view) {
    rill_fringe *fringe = surface->fringe;
    const bool some = set_constants(fringe, surface, view), wanted = surface->def.distances;
    bool done = !some || (take_planes(fringe, surface->plane_size) && find_ring(fringe, surface, view->bed) &&
                          grow(fringe, surface));
    if (done && wanted) done = rill_distances_write(surface, view->bed->grid.cell_size);
    if (done && some) {
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
    if (fringe->squares) forget(fringe, surface);
    return done ? RILL_OK : rill_fail(view->message, RILL_OUT_OF_MEMORY, "no memory for the meniscus of a surface");
}
