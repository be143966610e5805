/* Finding the fringe and bending the surface there (meniscus.h). */
#include "surface/meniscus.h"

#include "base/message.h"

#include <math.h>

static const double REACH[] = { 1.0, 5.0, 6.0 }; /* linear, exponential, lifted: capillary lengths */
static const double FARTHEST = 128.0;            /* cells */
static const float LAST = 0.9375f;               /* contact points move no farther, on the way to the next cell */
static const float HALF_WAY = 0.5f;

rill_fringe *rill_fringe_make(const rill_allocator *allocator, bool scalar) {
    rill_fringe *fringe = rill_memory_take(allocator, 1, sizeof *fringe);
    if (!fringe) return NULL;
    *fringe = (rill_fringe){ .allocator = *allocator,
                             .kernels = rill_meniscus_kernels_pick(scalar),
                             .columns = rill_array_make(sizeof(rill_fringe_column)),
                             .contacts = rill_array_make(sizeof(rill_contact)),
                             .toward = rill_array_make(2 * sizeof(float)),
                             .queue = { rill_array_make(sizeof(int32_t)), rill_array_make(sizeof(int32_t)) } };
    rill_profile_make(fringe->constants.profile);
    return fringe;
}

static void give_planes(rill_fringe *fringe) {
    rill_memory_give(&fringe->allocator, fringe->nearest, fringe->plane_size, sizeof *fringe->nearest);
    rill_memory_give(&fringe->allocator, fringe->number, fringe->plane_size, sizeof *fringe->number);
    rill_memory_give(&fringe->allocator, fringe->joint, fringe->plane_size, sizeof *fringe->joint);
    fringe->nearest = NULL, fringe->number = fringe->joint = NULL;
    fringe->plane_size = 0;
}

void rill_fringe_free(rill_fringe *fringe) {
    if (!fringe) return;
    const rill_allocator allocator = fringe->allocator;
    give_planes(fringe);
    rill_array *const arrays[] = { &fringe->columns, &fringe->contacts, &fringe->toward, &fringe->queue[0],
                                   &fringe->queue[1] };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) rill_array_free(arrays[i], &allocator);
    rill_memory_give(&allocator, fringe, 1, sizeof *fringe);
}

/* Planes for another bed, or another width of the fringe; nothing is in it. */
static bool take_planes(rill_fringe *fringe, size_t size) {
    const bool same = fringe->plane_size == size && fringe->nearest;
    if (same && fringe->outside == fringe->constants.limit) return true;
    if (!same) {
        give_planes(fringe);
        fringe->plane_size = size;
        fringe->nearest = rill_memory_claim(&fringe->allocator, size, sizeof *fringe->nearest);
        fringe->number = rill_memory_take(&fringe->allocator, size, sizeof *fringe->number);
        fringe->joint = rill_memory_take(&fringe->allocator, size, sizeof *fringe->joint);
        fringe->indexed = false;
    }
    if (!fringe->nearest || !fringe->number || !fringe->joint) {
        give_planes(fringe);
        return false;
    }
    fringe->outside = fringe->constants.limit;
    for (size_t i = 0; i < size; ++i) fringe->nearest[i] = fringe->outside;
    return true;
}

/* Where the joints of each place begin; they are the same until the bed changes. */
static void index_joints(rill_fringe *fringe, const rill_surface *surface, const rill_surface_view *view) {
    if (fringe->indexed && !view->all_changed && view->changed_count == 0) return;
    const rill_joint *joints = surface->joint_list.data;
    for (size_t i = surface->joint_list.count; i-- > 0;) fringe->joint[joints[i].place] = (int32_t)i;
    fringe->indexed = true;
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

/* The sheet of a place; mostly that of the one before. */
static const rill_sheet *sheet_of(const rill_bed *bed, int32_t place, const rill_sheet *hint) {
    int32_t x, y;
    if (hint && place >= hint->first && place < hint->first + hint->ny * hint->stride) return hint;
    return rill_bed_sheet_of(bed, place, &x, &y);
}

static bool is_contact(const rill_rim *rim) {
    return rim->kind == RILL_RIM_SHORE || rim->kind == RILL_RIM_WALL;
}

/* At a wall the rim is inside of the solid, and its face somewhere between the two centres: half way, for all that is known. */
static rill_contact find_contact(const rill_fringe *fringe, const rill_surface *surface, const rill_bed *bed,
                                 const rill_rim *rim) {
    double slope = INFINITY, beta = RILL_QUARTER_TURN;
    if (rim->kind == RILL_RIM_SHORE && rim->beyond >= 0) {
        slope = (double)(bed->b[rim->beyond] - bed->b[rim->place]) * (bed->quantum / bed->grid.cell_size);
        beta = rill_slope_angle(slope);
    }
    const double psi = fmin(fmax(beta - fringe->angle, -RILL_QUARTER_TURN), RILL_QUARTER_TURN);
    rill_contact contact = { .strength = (float)psi, .along = slope > 1.0 ? fminf(rim->along, HALF_WAY) : rim->along };
    if (surface->def.meniscus != RILL_MENISCUS_LIFT) return contact;
    const double t = rill_profile_tangent(fabs(psi)), q = rill_profile_decay(t);
    contact.strength = (float)(psi < 0.0 ? -q : q);
    if (psi > 0.0 && slope > 0.0 && slope <= 1.0 && rim->along < LAST) { /* the contact line climbs the bank */
        const double rise = 4.0 * t / (1.0 + t * t) * fringe->length / bed->grid.cell_size;
        contact.shift = fminf((float)(rise / slope), LAST - rim->along);
        contact.along += contact.shift;
    }
    return contact;
}

/* A column at a rim, or another contact point for one that is there already. */
static void add_to_ring(rill_fringe *fringe, const rill_rim *rim, const rill_contact *contact, int32_t stride) {
    const float square = contact->along * contact->along;
    float *const nearest = &fringe->nearest[rim->place];
    if (!(square < *nearest)) return;
    if (*nearest == fringe->outside) fringe->number[rim->place] = (int32_t)fringe->columns.count++;
    rill_fringe_column *column = (rill_fringe_column *)fringe->columns.data + fringe->number[rim->place];
    *nearest = square;
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
    const rill_sheet *sheet = NULL;
    for (size_t r = 0; r < count; ++r) {
        if (!is_contact(&rims[r])) continue;
        contacts[r] = find_contact(fringe, surface, bed, &rims[r]);
        sheet = sheet_of(bed, rims[r].place, sheet);
        add_to_ring(fringe, &rims[r], &contacts[r], sheet->stride);
    }
    fringe->ring = fringe->columns.count;
    return rill_array_reserve(&fringe->toward, &fringe->allocator, fringe->ring);
}

/* ----------------------------------------------------------------------------------------------------------- growth */

/* The column of another sheet that one is linked to in a direction. */
static int32_t joined(const rill_fringe *fringe, const rill_surface *surface, int32_t place, int d) {
    const rill_joint *joint = (const rill_joint *)surface->joint_list.data + fringe->joint[place];
    while (joint->direction != d || !joint->linked) joint += 1;
    return joint->other;
}

/* Growing, with the arrays at hand: they have room for whatever a round adds. */
typedef struct growth {
    const rill_fringe *fringe;
    const rill_surface *surface;
    const uint8_t *state;
    float *nearest, limit;
    float inner; /* square of the distance beyond which there is nobody left to tell */
    int32_t *number, *next;
    rill_fringe_column *columns;
    size_t count, told; /* columns, and how many of them are in the next queue */
} growth;

static const float STEPS[RILL_DIRECTIONS][2] = { { 1, 0 },  { 1, 1 },   { 0, 1 },  { -1, 1 },
                                                 { -1, 0 }, { -1, -1 }, { 0, -1 }, { 1, -1 } };

/* Tells a linked column, `d` from one of the fringe, of that one's contact point. */
static void tell(growth *g, const rill_fringe_column *from, int d, int32_t place, int32_t stride) {
    const float x = from->to[0] - STEPS[d][0], y = from->to[1] - STEPS[d][1], square = x * x + y * y;
    const float nearest = g->nearest[place];
    if (!(square < nearest) || !(g->state[place] & RILL_WET)) return;
    if (nearest == g->limit) g->number[place] = (int32_t)g->count++;
    const int32_t number = g->number[place];
    g->nearest[place] = square;
    g->columns[number] =
        (rill_fringe_column){ .place = place, .stride = stride, .to = { x, y }, .strength = from->strength };
    if (square < g->inner) g->next[g->told++] = number;
}

/* The directions, of all in the sheet, in which a contact point is nearer than what is known there. Most are not, and there is
 * no telling which: branches would be mispredicted. */
static inline uint32_t worth_telling(const float *nearest, int32_t stride, const float to[2]) {
    const float *const north = nearest + stride, *const south = nearest - stride;
    const float e = (to[0] - 1.0f) * (to[0] - 1.0f), m = to[0] * to[0], w = (to[0] + 1.0f) * (to[0] + 1.0f);
    const float n = (to[1] - 1.0f) * (to[1] - 1.0f), c = to[1] * to[1], s = (to[1] + 1.0f) * (to[1] + 1.0f);
    return (uint32_t)(e + c < nearest[1]) | (uint32_t)(e + n < north[1]) << 1 | (uint32_t)(m + n < north[0]) << 2 |
           (uint32_t)(w + n < north[-1]) << 3 | (uint32_t)(w + c < nearest[-1]) << 4 |
           (uint32_t)(w + s < south[-1]) << 5 | (uint32_t)(m + s < south[0]) << 6 | (uint32_t)(e + s < south[1]) << 7;
}

static void grow_from(growth *g, const rill_bed *bed, int32_t number) {
    const rill_fringe_column from = g->columns[number];
    const uint32_t worth = worth_telling(g->nearest + from.place, from.stride, from.to);
    for (uint32_t left = worth & g->surface->links[from.place]; left != 0; left &= left - 1) {
        const int d = __builtin_ctz(left);
        tell(g, &from, d, from.place + RILL_STEP_X[d] + RILL_STEP_Y[d] * from.stride, from.stride);
    }
    for (uint32_t left = g->surface->joints[from.place]; left != 0; left &= left - 1) {
        const int d = __builtin_ctz(left);
        const int32_t place = joined(g->fringe, g->surface, from.place, d);
        const float x = from.to[0] - STEPS[d][0], y = from.to[1] - STEPS[d][1];
        if (x * x + y * y < g->nearest[place]) tell(g, &from, d, place, sheet_of(bed, place, NULL)->stride);
    }
}

/* All columns of a queue tell their neighbours; those that have heard something new make up the next. */
static bool grow_round(rill_fringe *fringe, const rill_surface *surface, const rill_bed *bed) {
    rill_array *const queue = fringe->queue;
    const size_t most = RILL_DIRECTIONS * queue[0].count, room = fringe->columns.count + most;
    const size_t all = surface->column_vertices;
    if (!rill_array_reserve(&fringe->columns, &fringe->allocator, room < all ? room : all) ||
        !rill_array_reserve(&queue[1], &fringe->allocator, most))
        return false;
    const float inner = fmaxf(sqrtf(fringe->constants.limit) - 0.9f, 0.0f);
    growth g = { .fringe = fringe,
                 .surface = surface,
                 .state = surface->state,
                 .nearest = fringe->nearest,
                 .limit = fringe->constants.limit,
                 .inner = inner * inner,
                 .number = fringe->number,
                 .next = queue[1].data,
                 .columns = fringe->columns.data,
                 .count = fringe->columns.count };
    const int32_t *now = queue[0].data;
    for (size_t i = 0; i < queue[0].count; ++i) grow_from(&g, bed, now[i]);
    fringe->columns.count = g.count;
    queue[1].count = g.told;
    const rill_array swap = queue[0];
    queue[0] = queue[1], queue[1] = swap;
    return true;
}

/* As many rounds as the fringe is wide: each makes it a column wider. */
static bool grow(rill_fringe *fringe, const rill_surface *surface, const rill_bed *bed) {
    const int32_t rounds = (int32_t)ceilf(sqrtf(fringe->constants.limit));
    rill_array *const first = &fringe->queue[0];
    first->count = 0;
    if (!rill_array_reserve(first, &fringe->allocator, fringe->ring)) return false;
    for (size_t i = 0; i < fringe->ring; ++i) ((int32_t *)first->data)[i] = (int32_t)i;
    first->count = fringe->ring;
    for (int32_t round = 0; round < rounds && first->count > 0; ++round)
        if (!grow_round(fringe, surface, bed)) return false;
    return true;
}

/* ------------------------------------------------------------------------------------------------------------- lean */

typedef struct bend {
    rill_surface *surface;
    rill_fringe *fringe;
    const rill_surface_view *view;
    rill_lean_kernel *kernel;
} bend;

static float square_of(float distance) {
    return distance < 0.0f ? -(distance * distance) : distance * distance;
}

/* How far a column's neighbour along an axis is from the contact line; false: there is none to ask. */
static bool find_distance(const bend *b, const rill_fringe_column *column, int d, float *out) {
    const rill_surface *surface = b->surface;
    const uint32_t rim = surface->rim[column->place];
    if (rim >> d & 1) {
        const uint32_t before = rim & ((1u << d) - 1u);
        const size_t r = (size_t)surface->rim_first[column->place] + (size_t)__builtin_popcount(before);
        if (!is_contact((const rill_rim *)surface->rims.data + r)) return false;
        *out = ((const rill_contact *)b->fringe->contacts.data)[r].along - 1.0f;
        return true;
    }
    const bool dense = surface->links[column->place] >> d & 1;
    if (!dense && !(surface->joints[column->place] >> d & 1)) return false;
    const int32_t place = dense ? column->place + RILL_STEP_X[d] + RILL_STEP_Y[d] * column->stride
                                : joined(b->fringe, surface, column->place, d);
    *out = sqrtf(b->fringe->nearest[place]);
    return true;
}

/* Opposite neighbours; one that is not there is thought to lie straight on. */
static void find_pair(const bend *b, const rill_fringe_column *column, int d, float *ahead, float *behind) {
    const float own = sqrtf(b->fringe->nearest[column->place]);
    float front = own, back = own;
    const bool is_front = find_distance(b, column, d, &front), is_back = find_distance(b, column, d + 4, &back);
    if (!is_front) front = 2.0f * own - back;
    if (!is_back) back = 2.0f * own - front;
    *ahead = square_of(front);
    *behind = square_of(back);
}

static void gather_column(const bend *b, rill_fringe_run *run, int32_t i, const rill_fringe_column *column) {
    const float *nearest = b->fringe->nearest + column->place;
    run->own[i] = nearest[0];
    run->strength[i] = column->strength;
    if (b->surface->rim[column->place] == 0 && (b->surface->joints[column->place] & RILL_AXES) == 0) {
        run->east[i] = nearest[1], run->west[i] = nearest[-1];
        run->north[i] = nearest[column->stride], run->south[i] = nearest[-column->stride];
    } else {
        find_pair(b, column, 0, &run->east[i], &run->west[i]);
        find_pair(b, column, 2, &run->north[i], &run->south[i]);
    }
}

/* A rim is on the contact line and goes by the way of its column, which is given to it as a gradient. */
static void gather_rim(const bend *b, rill_fringe_run *run, int32_t i, size_t r) {
    const rill_rim *rim = (const rill_rim *)b->surface->rims.data + r;
    const float *toward = (const float *)b->fringe->toward.data + 2 * (size_t)b->fringe->number[rim->place];
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
            low += (int32_t)(rise * (rim->along + contact->shift));
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
    for (size_t at = first; at < end; at += RILL_FRINGE_RUN) {
        const int32_t count = (int32_t)(end - at < RILL_FRINGE_RUN ? end - at : RILL_FRINGE_RUN);
        for (int32_t i = 0; i < count; ++i) {
            gather_column(b, &run, i, &columns[at + (size_t)i]);
            gather_normal(b, &run, i, (size_t)b->surface->vertex[columns[at + (size_t)i].place]);
        }
        run_kernel(b, &run, count);
        for (int32_t i = 0; i < count; ++i) {
            const int32_t place = columns[at + (size_t)i].place;
            const size_t vertex = (size_t)b->surface->vertex[place];
            scatter_normal(b, &run, i, vertex);
            if (lift) lift_column(b, place, vertex, run.lift[i]);
            if (at + (size_t)i < b->fringe->ring)
                toward[2 * (at + (size_t)i)] = run.toward[0][i], toward[2 * (at + (size_t)i) + 1] = run.toward[1][i];
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
            if (!is_contact(&rims[r])) continue;
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
static void forget(rill_fringe *fringe) {
    const rill_fringe_column *columns = fringe->columns.data;
    for (size_t i = 0; i < fringe->columns.count; ++i) fringe->nearest[columns[i].place] = fringe->outside;
    fringe->columns.count = 0;
}

static void run_pieces(bend *b, size_t count, rill_task *task) {
    rill_parallel_for(b->view->runtime, b->view->pool, (int32_t)((count + PIECE - 1) / PIECE), task, b);
}

rill_result rill_meniscus_bend(rill_surface *surface, const rill_surface_view *view) {
    rill_fringe *fringe = surface->fringe;
    if (!set_constants(fringe, surface, view)) return RILL_OK;
    bool done = take_planes(fringe, surface->plane_size);
    if (done) index_joints(fringe, surface, view);
    done = done && find_ring(fringe, surface, view->bed) && grow(fringe, surface, view->bed);
    if (done) {
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
    if (fringe->nearest) forget(fringe);
    return done ? RILL_OK : rill_fail(view->message, RILL_OUT_OF_MEMORY, "no memory for the meniscus of a surface");
}
