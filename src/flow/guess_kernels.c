/* The kernels of the guess. Compiled several times with RILL_KERNELS_NAME set to the table's name; see guess_kernels.h, and
 * kernels.c for what makes loops marked "vector" vectorise. Those over the nodes of a block have no remainder, and the compiler
 * knows; both colours are taken at once, so that nothing that is read lies between what is used. */
#include "flow/guess_kernels.h"

#define KERNEL static __attribute__((noinline)) void
#define JUDGE static __attribute__((noinline)) int32_t
#define INLINE static inline __attribute__((always_inline))

static const float MOST = 0x1p40f; /* quanta: behind a face that is all but closed nobody knows */

/* One row of an area: its first node, the first of each colour, its first block, and how many blocks there are. */
typedef struct row {
    int32_t node, half, block, blocks;
} row;

static row row_of(const rill_guess_area *at, int32_t y) {
    const int32_t node = y * at->stride + at->x;
    return (row){ node, node / 2, node / RILL_COVERED_UNIT, at->n / RILL_COVERED_UNIT };
}

/* ------------------------------------------------------------------------------------------------------------- begin */

INLINE void begin_node(float (*restrict to)[RILL_GUESS_NODES], int32_t k, int32_t fill, double pi, double excess,
                       float west, float east, float south, float north) {
    float around = (west + east) + (south + north), step = 1.0f / rill_max_f(around, 1e-30f);
    int32_t joins = (fill > RILL_NO_ROOF / 2) & (around > 1e-30f);
    step = rill_bits_float(rill_float_bits(step) & -joins); /* a choice would become a branch */
    to[RILL_GUESS_WEST][k] = west;
    to[RILL_GUESS_EAST][k] = east;
    to[RILL_GUESS_SOUTH][k] = south;
    to[RILL_GUESS_NORTH][k] = north;
    to[RILL_GUESS_INVERSE][k] = step;
    to[RILL_GUESS_PUSH][k] = step * (float)excess;
    to[RILL_GUESS_LEAST][k] = -(float)pi;
}

/* The colour of even nodes is `first`. */
KERNEL begin_row(int32_t blocks, const int32_t *restrict fill, const double *restrict pi, const double *restrict excess,
                 const float *restrict west, const float *restrict east, const float *restrict south,
                 const float *restrict north, rill_guess_block *restrict evens, rill_guess_block *restrict odds,
                 float *restrict red, float *restrict black) {
    for (int32_t b = 0; b < blocks; ++b) {
        const int32_t i = b * RILL_COVERED_UNIT;
        float(*even)[RILL_GUESS_NODES] = evens[b].of, (*odd)[RILL_GUESS_NODES] = odds[b].of;
        for (int32_t k = 0; k < RILL_GUESS_NODES; ++k) { /* vector */
            const int32_t j = i + 2 * k;
            begin_node(even, k, fill[j], pi[j], excess[j], west[j], east[j], south[j], north[j]);
            begin_node(odd, k, fill[j + 1], pi[j + 1], excess[j + 1], west[j + 1], east[j + 1], south[j + 1],
                       north[j + 1]);
            red[i / 2 + k] = black[i / 2 + k] = 0.0f;
        }
    }
}

static void begin(rill_guess_area at, const rill_covered_nodes *a, const rill_covered_faces *west,
                  const rill_covered_faces *south, const double *excess, const rill_guess *g) {
    for (int32_t y = at.y; y < at.y + at.rows; ++y) {
        const row r = row_of(&at, y);
        begin_row(r.blocks, a->fill + r.node, a->pi + r.node, excess + r.node, west->w + r.node, west->w + r.node + 1,
                  south->w + r.node, south->w + r.node + at.stride, g->blocks[y & 1] + r.block,
                  g->blocks[1 - (y & 1)] + r.block, g->x[0] + r.half, g->x[1] + r.half);
    }
}

/* ------------------------------------------------------------------------------------------------------------- sweep */

/* What would be right for a node if no neighbour moved. */
INLINE float right_one(const float (*restrict c)[RILL_GUESS_NODES], const float *restrict o, int32_t k, int32_t west,
                       int32_t half) {
    float near = (c[RILL_GUESS_WEST][k] * o[k + west] + c[RILL_GUESS_EAST][k] * o[k + west + 1]) +
                 (c[RILL_GUESS_SOUTH][k] * o[k - half] + c[RILL_GUESS_NORTH][k] * o[k + half]);
    return c[RILL_GUESS_PUSH][k] + c[RILL_GUESS_INVERSE][k] * near;
}

/* Within what a pressure may be. */
INLINE float bounded(const float (*restrict c)[RILL_GUESS_NODES], int32_t k, float x) {
    return rill_max_f(rill_min_f(x, MOST), c[RILL_GUESS_LEAST][k]);
}

KERNEL relax_rows(rill_guess_area at, int32_t colour, float over, const rill_guess_block *restrict blocks,
                  const float *restrict other, float *restrict x) {
    const row first = row_of(&at, at.y);
    const int32_t half = at.stride / 2, blocks_on = at.stride / RILL_COVERED_UNIT;
    int32_t west = -1 + ((colour + at.y) & 1), block = first.block, from = first.half;
    for (int32_t y = 0; y < at.rows; ++y, block += blocks_on, from += half, west = -1 - west)
        for (int32_t b = 0; b < first.blocks; ++b) {
            const float(*c)[RILL_GUESS_NODES] = blocks[block + b].of;
            const float *restrict o = other + from + b * RILL_GUESS_NODES;
            float *restrict to = x + from + b * RILL_GUESS_NODES;
            for (int32_t k = 0; k < RILL_GUESS_NODES; ++k) /* vector */
                to[k] = bounded(c, k, to[k] * (1.0f - over) + over * right_one(c, o, k, west, half));
        }
}

static void relax(rill_guess_area at, int32_t colour, float over, const rill_guess *g) {
    relax_rows(at, colour, over, g->blocks[colour], g->x[1 - colour], g->x[colour]);
}

/* Floats that are not negative are in the order of their bits; the largest is found lane by lane. */
JUDGE miss_rows(rill_guess_area at, int32_t colour, const rill_guess_block *restrict blocks,
                const float *restrict other, const float *restrict x) {
    const row first = row_of(&at, at.y);
    const int32_t half = at.stride / 2, blocks_on = at.stride / RILL_COVERED_UNIT;
    int32_t west = -1 + ((colour + at.y) & 1), block = first.block, from = first.half;
    int32_t most[RILL_GUESS_NODES] = { 0 }, all = 0;
    for (int32_t y = 0; y < at.rows; ++y, block += blocks_on, from += half, west = -1 - west)
        for (int32_t b = 0; b < first.blocks; ++b) {
            const float(*c)[RILL_GUESS_NODES] = blocks[block + b].of;
            const float *restrict o = other + from + b * RILL_GUESS_NODES, *restrict at_x =
                                                                               x + from + b * RILL_GUESS_NODES;
            for (int32_t k = 0; k < RILL_GUESS_NODES; ++k) { /* vector */
                float step = __builtin_fabsf(bounded(c, k, right_one(c, o, k, west, half)) - at_x[k]);
                int32_t joins = c[RILL_GUESS_INVERSE][k] > 0.0f;
                float off = step / rill_max_f(c[RILL_GUESS_INVERSE][k], 1e-30f);
                most[k] = rill_max_i(most[k], rill_float_bits(off) & -joins);
            }
        }
    for (int32_t k = 0; k < RILL_GUESS_NODES; ++k) all = rill_max_i(all, most[k]);
    return all;
}

static float miss(rill_guess_area at, int32_t colour, const rill_guess *g) {
    return rill_bits_float(miss_rows(at, colour, g->blocks[colour], g->x[1 - colour], g->x[colour]));
}

/* ----------------------------------------------------------------------------------------------------------- members */

/* One that is just full, without pressure, stays what it is. */
INLINE int32_t guessed_member(const float (*restrict c)[RILL_GUESS_NODES], int32_t k, float active, float x) {
    float least = c[RILL_GUESS_LEAST][k];
    int32_t member = active > 0.0f, held = member & (least >= 0.0f) & (c[RILL_GUESS_PUSH][k] == 0.0f);
    int32_t joins = c[RILL_GUESS_INVERSE][k] > 0.0f, above = x > least;
    return (joins & (above | held)) | ((joins ^ 1) & member);
}

JUDGE differs_row(int32_t blocks, const float *restrict active, const rill_guess_block *restrict evens,
                  const rill_guess_block *restrict odds, const float *restrict x_even, const float *restrict x_odd) {
    int32_t any = 0;
    for (int32_t b = 0; b < blocks; ++b) {
        const int32_t i = b * RILL_GUESS_NODES;
        const float(*even)[RILL_GUESS_NODES] = evens[b].of, (*odd)[RILL_GUESS_NODES] = odds[b].of;
        for (int32_t k = 0; k < RILL_GUESS_NODES; ++k) { /* vector */
            float here = active[2 * (i + k)], next = active[2 * (i + k) + 1];
            any |= guessed_member(even, k, here, x_even[i + k]) ^ (here > 0.0f);
            any |= guessed_member(odd, k, next, x_odd[i + k]) ^ (next > 0.0f);
        }
    }
    return any;
}

static int32_t differs(rill_guess_area at, const rill_covered_nodes *a, const rill_guess *g) {
    int32_t any = 0;
    for (int32_t y = at.y; y < at.y + at.rows; ++y) {
        const row r = row_of(&at, y);
        const int32_t even = y & 1, odd = 1 - even;
        any |= differs_row(r.blocks, a->active + r.node, g->blocks[even] + r.block, g->blocks[odd] + r.block,
                           g->x[even] + r.half, g->x[odd] + r.half);
    }
    return any;
}

INLINE void accept_node(const float (*restrict c)[RILL_GUESS_NODES], int32_t k, float x, float *active, int32_t *ever,
                        double *pi) {
    int32_t member = guessed_member(c, k, *active, x), above = x > c[RILL_GUESS_LEAST][k];
    double pressure = *pi + (double)x;
    *pi = above != 0 ? pressure : 0.0;
    *active = member ? 1.0f : 0.0f;
    *ever |= member;
}

KERNEL accept_row(int32_t blocks, const rill_guess_block *restrict evens, const rill_guess_block *restrict odds,
                  const float *restrict x_even, const float *restrict x_odd, float *restrict active,
                  int32_t *restrict ever, double *restrict pi) {
    for (int32_t b = 0; b < blocks; ++b) {
        const int32_t i = b * RILL_GUESS_NODES;
        const float(*even)[RILL_GUESS_NODES] = evens[b].of, (*odd)[RILL_GUESS_NODES] = odds[b].of;
        for (int32_t k = 0; k < RILL_GUESS_NODES; ++k) { /* vector */
            const int32_t j = 2 * (i + k);
            accept_node(even, k, x_even[i + k], &active[j], &ever[j], &pi[j]);
            accept_node(odd, k, x_odd[i + k], &active[j + 1], &ever[j + 1], &pi[j + 1]);
        }
    }
}

static void accept(rill_guess_area at, const rill_covered_nodes *a, const rill_guess *g) {
    for (int32_t y = at.y; y < at.y + at.rows; ++y) {
        const row r = row_of(&at, y);
        const int32_t even = y & 1, odd = 1 - even;
        accept_row(r.blocks, g->blocks[even] + r.block, g->blocks[odd] + r.block, g->x[even] + r.half,
                   g->x[odd] + r.half, a->active + r.node, a->ever + r.node, a->pi + r.node);
    }
}

#define TEXT_OF(NAME) #NAME
#define NAME_OF(NAME) TEXT_OF(NAME)

extern const rill_guess_kernels RILL_KERNELS_NAME;
const rill_guess_kernels RILL_KERNELS_NAME = {
    .name = NAME_OF(RILL_KERNELS_NAME),
    .begin = begin,
    .relax = relax,
    .miss = miss,
    .differs = differs,
    .accept = accept,
};
