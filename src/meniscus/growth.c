/* Growing the fringe from its first ring over links (meniscus.h).
 *
 * Columns are only ever appended to the list. One that hears of a nearer contact point later is in it again, and the one that counts
 * is the one whose square is that of its place: squares of a place only ever get smaller. Who is dry has a square below zero
 * (fringe.c): nothing is worth telling it. */
#include "meniscus/meniscus.h"

#include <math.h>
#include <string.h>

#include "base/simd.h"

/* Directions, and once more for joints. */
enum { WAYS = 2 * RILL_DIRECTIONS };

/* With the arrays at hand: they have room for whatever a round adds, and for one more. */
typedef struct growth {
    const rill_surface *surface;
    const rill_fringe *fringe;
    float *squares;
    rill_fringe_column *columns, *end;
    float inner;                 /* square from which on there is nobody left to tell: near the outer border */
    int32_t stride, steps[WAYS]; /* of the sheet in hand; from a place to the next ones */
} growth;

static const float STEPS[WAYS][2] = { { 1, 0 },  { 1, 1 },   { 0, 1 },  { -1, 1 }, { -1, 0 }, { -1, -1 },
                                      { 0, -1 }, { 1, -1 },  { 1, 0 },  { 1, 1 },  { 0, 1 },  { -1, 1 },
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

/* Whether a column of the list is the one that counts. No square is -0: bits are as good as floats, and faster. */
static inline bool counts(const growth *g, const rill_fringe_column *column) {
    return rill_float_bits(g->squares[column->place]) == rill_float_bits(column->square);
}

/* What some columns of a sheet have to tell their neighbours: numbers of the columns, and directions, plus 8 for joints. Whom there
 * is to tell cannot be foreseen: eight are written for each column, and those count whose turn it is. */
enum { OFFERING = 32 };
typedef struct offers {
    int32_t from[(OFFERING + 1) * RILL_DIRECTIONS];
    uint8_t to[(OFFERING + 1) * RILL_DIRECTIONS];
} offers;

/* From `at` on; the end is returned. */
static inline int32_t add_offers(const growth *g, int32_t from, offers *out, int32_t at) {
    const rill_surface *s = g->surface;
    const rill_fringe_column *c = &g->columns[from];
    const uint32_t links = worth_telling(g->squares + c->place, g->stride, c->to) & s->links[c->place];
    const four_i self = { from, from, from, from };
    memcpy(out->from + at, &self, sizeof self);
    memcpy(out->from + at + 4, &self, sizeof self);
    memcpy(out->to + at, g->fringe->listed[links], RILL_DIRECTIONS);
    at += g->fringe->counts[links];
    for (uint32_t left = s->joints[c->place]; left != 0; left &= left - 1) {
        out->from[at] = from;
        out->to[at++] = (uint8_t)(RILL_DIRECTIONS + __builtin_ctz(left));
    }
    return at;
}

/* Some columns of one sheet, from one of the list on, that still count and have somebody to tell; the next one is returned. */
static size_t make_offers(growth *g, size_t from, size_t until, offers *out, int32_t *count) {
    const int32_t stride = g->columns[from].stride;
    int32_t list[OFFERING], listed = 0, at = 0;
    for (int d = 0; d < RILL_DIRECTIONS && stride != g->stride; ++d)
        g->steps[d] = RILL_STEP_X[d] + RILL_STEP_Y[d] * stride;
    g->stride = stride;
    for (; from < until && listed < OFFERING && g->columns[from].stride == stride; ++from) {
        list[listed] = (int32_t)from;
        listed += (int32_t)counts(g, &g->columns[from]) & (int32_t)(g->columns[from].square < g->inner);
    }
    for (int32_t i = 0; i < listed; ++i) at = add_offers(g, list[i], out, at);
    *count = at;
    return from;
}

/* Tells a linked column of a contact point, if it still is the nearest of the one who tells and of the one who is told. */
static inline void tell(growth *g, int32_t who, int32_t way) {
    const rill_surface *s = g->surface;
    const rill_fringe_column *from = &g->columns[who];
    rill_fringe_column *new = g->end;
    int32_t place = from->place + g->steps[way];
    memcpy(&new->stride, &from->stride, sizeof new->stride + sizeof new->strength);
    if (way >= RILL_DIRECTIONS) {
        place = rill_surface_neighbour(s, from->place, way - RILL_DIRECTIONS, g->stride);
        new->stride = s->stride[place];
    }
    const float x = from->to[0] - STEPS[way][0], y = from->to[1] - STEPS[way][1], square = x * x + y * y;
    new->to[0] = x, new->to[1] = y;
    new->place = place;
    new->square = square;
    const int32_t known = rill_float_bits(g->squares[place]), never = INT32_MAX;
    const int32_t said = counts(g, from) ? rill_float_bits(square) : never;
    g->squares[place] = rill_bits_float(rill_min_i(said, known));
    g->end += said < known;
}

/* As many rounds as the fringe is wide: in each, those that have heard something new in the last one tell their neighbours. */
bool rill_fringe_grow(rill_fringe *fringe, const rill_surface *surface) {
    const float width = sqrtf(fringe->constants.limit), inner = fmaxf(width - 0.9f, 0.0f);
    rill_array *const all = &fringe->columns;
    size_t from = 0;
    for (int32_t round = 0; round < (int32_t)ceilf(width) && from < all->count; ++round) {
        const size_t until = all->count;
        if (!rill_array_reserve(all, &fringe->allocator, until + RILL_DIRECTIONS * (until - from) + 1)) return false;
        growth g = { .surface = surface,
                     .fringe = fringe,
                     .squares = fringe->squares,
                     .columns = all->data,
                     .end = (rill_fringe_column *)all->data + until,
                     .inner = inner * inner };
        while (from < until) {
            offers o;
            int32_t count;
            from = make_offers(&g, from, until, &o, &count);
            for (int32_t i = 0; i < count; ++i) tell(&g, o.from[i], o.to[i]);
        }
        all->count = (size_t)(g.end - g.columns);
    }
    return true;
}
