/* Finding the fringe: the wet columns near a contact line, and how far they are from it (meniscus.h). */
#include "surface/meniscus.h"

#include <string.h>

#include "base/simd.h"

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
    for (int set = 0; set < 256; ++set)
        for (int d = 0; d < RILL_DIRECTIONS; ++d)
            if (set >> d & 1) fringe->listed[set][fringe->counts[set]++] = (uint8_t)d;
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
    fringe->steepness = view->bed->quantum / dx;
    fringe->constants.decay = (float)(dx / fringe->length);
    return true;
}

/* ------------------------------------------------------------------------------------------------------- first ring */

/* At a wall the rim is inside of the solid, and its face somewhere between the two centres: half way, for all that is known. */
static rill_contact find_contact(const rill_fringe *fringe, const rill_surface *surface, const rill_bed *bed,
                                 const rill_rim *rim) {
    double slope = INFINITY, beta = RILL_QUARTER_TURN;
    if (rim->kind == RILL_RIM_SHORE && rim->beyond >= 0) {
        slope = (double)(bed->b[rim->beyond] - bed->b[rim->place]) * fringe->steepness;
        beta = rill_slope_angle(slope);
    }
    const double bent = beta - fringe->angle, up = bent < RILL_QUARTER_TURN ? bent : RILL_QUARTER_TURN;
    const double psi = up > -RILL_QUARTER_TURN ? up : -RILL_QUARTER_TURN;
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

/* Growing, with the arrays at hand: they have room for whatever a round adds, and for one more. Columns are only ever appended.
 * One that hears of a nearer contact point later is in the list again, and the number of its spot says where it counts. */
typedef struct growth {
    const rill_surface *surface;
    const rill_fringe *fringe;
    float *squares;
    int32_t *numbers;
    rill_fringe_column *columns;
    int32_t count;
    float inner; /* square from which on there is nobody left to tell: near the outer border */
    int32_t stride, steps[RILL_DIRECTIONS]; /* of the sheet in hand; from a place to the next ones */
} growth;

static const float STEPS[RILL_DIRECTIONS][2] = { { 1, 0 },  { 1, 1 },   { 0, 1 },  { -1, 1 },
                                                 { -1, 0 }, { -1, -1 }, { 0, -1 }, { 1, -1 } };

/* Three neighbours in a row, from west to east, and one more. */
typedef float four __attribute__((vector_size(16)));
typedef int32_t four_i __attribute__((vector_size(16)));

static inline four four_of(const float *from) {
    four out;
    memcpy(&out, from, sizeof out);
    return out;
}

/* The directions, of all in the sheet, in which a contact point is nearer than what is known there. */
static inline uint32_t worth_telling(const float *square, int32_t stride, const float to[2]) {
    const four x = to[0] + (four){ 1.0f, 0.0f, -1.0f, 0.0f }, y = to[1] + (four){ -1.0f, 0.0f, 1.0f, 0.0f };
    const four across = x * x, along = y * y;
    const four n = __builtin_shufflevector(along, along, 0, 0, 0, 0),
               c = __builtin_shufflevector(along, along, 1, 1, 1, 1);
    const four s = __builtin_shufflevector(along, along, 2, 2, 2, 2);
    const four_i north = (across + n < four_of(square + stride - 1)) & (four_i){ 8, 4, 2, 0 };
    const four_i here = (across + c < four_of(square - 1)) & (four_i){ 16, 0, 1, 0 };
    const four_i south = (across + s < four_of(square - stride - 1)) & (four_i){ 32, 64, 128, 0 };
    const four_i set = north | here | south;
    uint64_t halves[2];
    memcpy(halves, &set, sizeof set);
    const uint64_t both = halves[0] | halves[1];
    return (uint32_t)(both | both >> 32);
}

/* What some columns of a sheet have to tell their neighbours: numbers of the columns, and directions, plus 8 for joints. Whom there
 * is to tell cannot be foreseen: eight are written for each column, and those count whose turn it is. */
enum { OFFERING = 32 };
typedef struct offers {
    int32_t from[(OFFERING + 1) * RILL_DIRECTIONS];
    uint8_t to[(OFFERING + 1) * RILL_DIRECTIONS];
    int32_t count;
} offers;

static inline void add_offers(const growth *g, int32_t from, offers *out) {
    const rill_surface *s = g->surface;
    const rill_fringe_column *c = &g->columns[from];
    const uint32_t links = worth_telling(g->squares + c->place, g->stride, c->to) & s->links[c->place];
    const four_i self = { from, from, from, from };
    memcpy(out->from + out->count, &self, sizeof self);
    memcpy(out->from + out->count + 4, &self, sizeof self);
    memcpy(out->to + out->count, g->fringe->listed[links], RILL_DIRECTIONS);
    out->count += g->fringe->counts[links];
    for (uint32_t left = s->joints[c->place]; left != 0; left &= left - 1) {
        out->from[out->count] = from;
        out->to[out->count++] = (uint8_t)(8 + __builtin_ctz(left));
    }
}

/* Some columns of one sheet, from one of the list on, that still count and have somebody to tell; the next one is returned. */
static size_t make_offers(growth *g, size_t from, size_t until, offers *out) {
    const int32_t stride = g->columns[from].stride;
    int32_t list[OFFERING], count = 0;
    for (int d = 0; d < RILL_DIRECTIONS; ++d) g->steps[d] = RILL_STEP_X[d] + RILL_STEP_Y[d] * stride;
    g->stride = stride;
    for (; from < until && count < OFFERING && g->columns[from].stride == stride; ++from) {
        const int32_t place = g->columns[from].place;
        list[count] = (int32_t)from;
        count += (g->numbers[place] == (int32_t)from) & (g->squares[place] < g->inner);
    }
    out->count = 0;
    for (int32_t i = 0; i < count; ++i) add_offers(g, list[i], out);
    return from;
}

/* Tells a linked column of a contact point, if it still is the nearest of the one who tells and of the one who is told. */
static inline void tell(growth *g, int32_t who, int32_t direction) {
    const rill_surface *s = g->surface;
    const rill_fringe_column *from = &g->columns[who];
    const int32_t d = direction & 7;
    int32_t place = from->place + g->steps[d], stride = g->stride;
    if (direction > 7) {
        place = rill_surface_neighbour(s, from->place, d, stride);
        stride = s->stride[place];
    }
    const float x = from->to[0] - STEPS[d][0], y = from->to[1] - STEPS[d][1], square = x * x + y * y;
    const float known = g->squares[place];
    const int32_t number = g->numbers[place], wet = s->state[place] >> 1;
    const int32_t is = (int32_t)(square < known) & (int32_t)(g->numbers[from->place] == who) & wet;
    g->columns[g->count] =
        (rill_fringe_column){ .place = place, .stride = stride, .to = { x, y }, .strength = from->strength };
    g->squares[place] = rill_bits_float((rill_float_bits(square) & -is) | (rill_float_bits(known) & (is - 1)));
    g->numbers[place] = (g->count & -is) | (number & (is - 1));
    g->count += is;
}

/* As many rounds as the fringe is wide: in each, those that have heard something new in the last one tell their neighbours. */
static bool grow(rill_fringe *fringe, const rill_surface *surface) {
    const float width = sqrtf(fringe->constants.limit), inner = fmaxf(width - 0.9f, 0.0f);
    rill_array *const all = &fringe->columns;
    size_t from = 0;
    for (int32_t round = 0; round < (int32_t)ceilf(width) && from < all->count; ++round) {
        const size_t until = all->count;
        if (!rill_array_reserve(all, &fringe->allocator, until + RILL_DIRECTIONS * (until - from) + 1)) return false;
        growth g = { .surface = surface,
                     .fringe = fringe,
                     .squares = fringe->squares,
                     .numbers = fringe->numbers,
                     .columns = all->data,
                     .count = (int32_t)until,
                     .inner = inner * inner };
        while (from < until) {
            offers o;
            from = make_offers(&g, from, until, &o);
            for (int32_t i = 0; i < o.count; ++i) tell(&g, o.from[i], o.to[i]);
        }
        all->count = (size_t)g.count;
    }
    return rill_array_reserve(&fringe->toward, &fringe->allocator, all->count);
}

bool rill_fringe_find(rill_fringe *fringe, const rill_surface *surface, const rill_surface_view *view) {
    if (!set_constants(fringe, surface, view)) return true;
    return take_planes(fringe, surface->plane_size) && find_ring(fringe, surface, view->bed) && grow(fringe, surface);
}

void rill_fringe_forget(rill_fringe *fringe, const rill_surface *surface) {
    const rill_fringe_column *columns = fringe->columns.data;
    const rill_rim *rims = surface->rims.data;
    if (!fringe->squares) return;
    for (size_t i = 0; i < fringe->columns.count; ++i) fringe->squares[columns[i].place] = fringe->outside;
    for (size_t r = 0; r < surface->rims.count; ++r)
        if (rims[r].beyond >= 0) fringe->squares[rims[r].beyond] = fringe->outside;
    fringe->columns.count = 0;
}
