/* The kernels of the guess. Compiled several times with RILL_KERNELS_NAME set to the table's name; see guess_kernels.h, and
 * kernels.c for what makes loops marked "vector" vectorise. */
#include "flow/guess_kernels.h"

#define KERNEL static __attribute__((noinline)) void
#define JUDGE static __attribute__((noinline)) int32_t

static const float OVER_RELAXED = 1.6f; /* times the step that would be right if no neighbour moved */
static const float MOST = 0x1p40f;      /* quanta: behind a face that is all but closed nobody knows */

KERNEL begin_nodes(int32_t n, const int32_t *restrict fill, const double *restrict pi, const double *restrict excess,
                   const float *restrict west, const float *restrict south, const float *restrict north,
                   float *restrict red, float *restrict black, float *restrict least, float *restrict push,
                   float *restrict inverse) {
    const float *restrict east = west + 1;
    for (int32_t i = 0; i < n; ++i) { /* vector */
        float around = (west[i] + east[i]) + (south[i] + north[i]), step = OVER_RELAXED / rill_max_f(around, 1e-30f);
        int32_t joins = (fill[i] > RILL_NO_ROOF / 2) & (around > 1e-30f);
        step = joins ? step : 0.0f;
        inverse[i] = step;
        push[i] = step * (float)excess[i];
        least[i] = -(float)pi[i];
        red[i] = black[i] = 0.0f;
    }
}

static void begin(int32_t n, const rill_covered_nodes *a, int32_t stride, const rill_covered_faces *west,
                  const rill_covered_faces *south, const double *excess_of, const rill_guess *g) {
    begin_nodes(n, a->fill, a->pi, excess_of, west->w, south->w, south->w + stride, g->x[0], g->x[1], g->least, g->push,
                g->inverse);
}

/* Every other node of a row, from `first` on; x is zero in between, and `other` where x is not. */
KERNEL relax_row(int32_t n, int32_t first, int32_t stride, const float *restrict west, const float *restrict south,
                 const float *restrict north, const float *restrict least, const float *restrict push,
                 const float *restrict inverse, const float *restrict other, float *restrict x) {
    const float *restrict east = west + 1, *restrict below = other - stride, *restrict above = other + stride;
    for (int32_t i = 0; i < n; ++i) { /* vector */
        float near = (west[i] * other[i - 1] + east[i] * other[i + 1]) + (south[i] * below[i] + north[i] * above[i]);
        float to = rill_min_f(x[i] * (1.0f - OVER_RELAXED) + (push[i] + inverse[i] * near), MOST);
        x[i] = ((i ^ first) & 1) != 0 ? 0.0f : rill_max_f(to, least[i]);
    }
}

static void relax(int32_t rows, int32_t stride, int32_t colour, const rill_covered_faces *west,
                  const rill_covered_faces *south, const rill_guess *g) {
    for (int32_t y = 0, i = 0; y < rows; ++y, i += stride)
        relax_row(stride, (colour + y) & 1, stride, west->w + i, south->w + i, south->w + i + stride, g->least + i,
                  g->push + i, g->inverse + i, g->x[1 - colour] + i, g->x[colour] + i);
}

/* One that is just full, without pressure, stays what it is. */
static inline int32_t guessed_member(float active, float x, float least, float push, float inverse) {
    int32_t member = active > 0.0f, held = member & (least >= 0.0f) & (push == 0.0f);
    int32_t joins = inverse > 0.0f, above = x > least;
    return (joins & (above | held)) | ((joins ^ 1) & member);
}

JUDGE differs_nodes(int32_t n, const float *restrict active, const float *restrict red, const float *restrict black,
                    const float *restrict least, const float *restrict push, const float *restrict inverse) {
    int32_t any = 0;
    for (int32_t i = 0; i < n; ++i) /* vector */
        any |= guessed_member(active[i], red[i] + black[i], least[i], push[i], inverse[i]) ^ (active[i] > 0.0f);
    return any;
}

static int32_t differs(int32_t n, const rill_covered_nodes *a, const rill_guess *g) {
    return differs_nodes(n, a->active, g->x[0], g->x[1], g->least, g->push, g->inverse);
}

KERNEL accept_nodes(int32_t n, const float *restrict red, const float *restrict black, const float *restrict least,
                    const float *restrict push, const float *restrict inverse, float *restrict active,
                    int32_t *restrict ever, double *restrict pi) {
    for (int32_t i = 0; i < n; ++i) { /* vector */
        float x = red[i] + black[i];
        int32_t member = guessed_member(active[i], x, least[i], push[i], inverse[i]), above = x > least[i];
        double pressure = pi[i] + (double)x;
        pi[i] = above != 0 ? pressure : 0.0;
        active[i] = member ? 1.0f : 0.0f;
        ever[i] |= member;
    }
}

static void accept(int32_t n, const rill_covered_nodes *a, const rill_guess *g) {
    accept_nodes(n, g->x[0], g->x[1], g->least, g->push, g->inverse, a->active, a->ever, a->pi);
}

#define TEXT_OF(NAME) #NAME
#define NAME_OF(NAME) TEXT_OF(NAME)

extern const rill_guess_kernels RILL_KERNELS_NAME;
const rill_guess_kernels RILL_KERNELS_NAME = {
    .name = NAME_OF(RILL_KERNELS_NAME),
    .begin = begin,
    .relax = relax,
    .differs = differs,
    .accept = accept,
};
