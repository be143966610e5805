/* The kernels of the pressure solve. Compiled several times with RILL_KERNELS_NAME set to the table's name; see
 * solve_kernels.h. Loops marked "vector" must vectorise (a test looks at the compiler's report); as in
 * flow/kernels.c that takes `restrict` on the parameters of functions that are not inlined, and selections instead
 * of branches. Inner loops over RILL_LANES nodes have no remainder, and the compiler knows. */
#include "solve/solve_kernels.h"

#include <string.h>

#define KERNEL static __attribute__((noinline)) void
#define INLINE static inline __attribute__((always_inline))

/* Where the west neighbour of node i of a colour lies in the other colour's plane, relative to i. */
INLINE int32_t west_of(const rill_run *run, int32_t colour) {
    return colour == RILL_RED ? run->west : -1 - run->west;
}

/* Non-negative numbers order like their bits, and maxima of integers vectorise. */
INLINE int64_t bits_of(double d) {
    union {
        double d;
        int64_t i;
    } bits = { d };
    return bits.i;
}
INLINE int32_t bits_of_float(float f) {
    union {
        float f;
        int32_t i;
    } bits = { f };
    return bits.i;
}

/* --------------------------------------------------------------------------------------------------------- matrices */

/* Five rows in natural order become those of a colour. */
KERNEL colour_row(int32_t n, const float *restrict w, const float *restrict e, const float *restrict s,
                  const float *restrict o, const float *restrict x, float *restrict west, float *restrict east,
                  float *restrict south, float *restrict north, float *restrict extra, float *restrict inverse) {
    for (int32_t i = 0; i < n; ++i) { /* vector */
        float sum = x[2 * i] + ((w[2 * i] + e[2 * i]) + (s[2 * i] + o[2 * i]));
        west[i] = w[2 * i];
        east[i] = e[2 * i];
        south[i] = s[2 * i];
        north[i] = o[2 * i];
        extra[i] = x[2 * i];
        inverse[i] = sum > 0.0f ? 1.0f / sum : 0.0f;
    }
}

static void colour(const rill_run *run, const float *work, const rill_colour *colours) {
    int32_t n = 2 * run->n;
    for (int32_t c = 0; c < 2; ++c) {
        const rill_colour *own = &colours[c];
        const float *w = work + 1 + west_of(run, c);
        int32_t at = run->at;
        colour_row(run->n, w, w + n, w + 2 * n, w + 3 * n, w + 4 * n, own->w[RILL_WEST] + at, own->w[RILL_EAST] + at,
                   own->w[RILL_SOUTH] + at, own->w[RILL_NORTH] + at, own->extra + at, own->inverse + at);
    }
}

/* A row in natural order. */
KERNEL weigh_row(int32_t n, int32_t stride, const float *restrict wx, const float *restrict wy,
                 const float *restrict given, const float *restrict active, float *restrict west, float *restrict east,
                 float *restrict south, float *restrict north, float *restrict extra, double *restrict exact) {
    const float *restrict wy_north = wy + stride, *restrict below = active - stride, *restrict above = active + stride;
    for (int32_t i = 0; i < n; i += RILL_LANES)
        for (int32_t j = i; j < i + RILL_LANES; ++j) { /* vector */
            float here = active[j];
            float w = wx[j] * here, e = wx[j + 1] * here, s = wy[j] * here, o = wy_north[j] * here;
            float inner_w = w * active[j - 1], inner_e = e * active[j + 1];
            float inner_s = s * below[j], inner_n = o * above[j];
            /* The differences are either 0 or the weight itself: only the sum of several is rounded, and that in
             * double. */
            double loss = (double)(given[j] * here) + (((double)(w - inner_w) + (double)(e - inner_e)) +
                                                       ((double)(s - inner_s) + (double)(o - inner_n)));
            west[j] = inner_w;
            east[j] = inner_e;
            south[j] = inner_s;
            north[j] = inner_n;
            exact[j] = loss;
            extra[j] = (float)loss;
        }
}

KERNEL part_exact(int32_t n, const double *restrict natural, double *restrict even, double *restrict odd) {
    for (int32_t i = 0; i < n; ++i) { /* vector */
        even[i] = natural[2 * i];
        odd[i] = natural[2 * i + 1];
    }
}

static void weigh(int32_t count, const rill_run *runs, int32_t stride, const rill_poisson *poisson, float *work,
                  double *exact, const rill_colour *colours, const rill_vectors *vectors) {
    for (const rill_run *run = runs; run < runs + count; ++run) {
        int32_t first = run->natural, n = 2 * run->n, odd = 1 + run->west;
        if (run->width < n) {
            memset(work, 0, 5 * (size_t)n * sizeof *work);
            memset(exact, 0, (size_t)n * sizeof *exact);
        }
        weigh_row(run->width, stride, poisson->wx + first, poisson->wy + first, poisson->extra + first,
                  poisson->active + first, work, work + n, work + 2 * n, work + 3 * n, work + 4 * n, exact);
        colour(run, work, colours);
        part_exact(run->n, exact, vectors[odd].extra + run->at, vectors[1 - odd].extra + run->at);
    }
}

/* The weight across a coarse face from its two fine pipes a and b. Two are a wide front: half their sum, as the
 * distance is doubled. One alone is a tunnel, where pipes act one after the other: it in line with half of the pipes
 * before and behind it (la, ra behind a; lb, rb behind b), or half a pipe like itself where the tunnel bends. */
INLINE float across(float a, float b, float la, float ra, float lb, float rb) {
    float c = a + b;
    float l = a > 0.0f ? la : lb, r = a > 0.0f ? ra : rb;
    l = l > 0.0f ? l : c;
    r = r > 0.0f ? r : c;
    float product = l * r, under = product + 0.5f * c * (l + r);
    float line = ((int)(c > 0.0f) & (int)(under > 0.0f)) ? c * product / under : 0.0f;
    return ((int)(a > 0.0f) & (int)(b > 0.0f)) ? 0.5f * c : line;
}

/* Rows of a coarse level in natural order. r and b are the colours, 0 and 1 the rows; letters name the pipes; rS and
 * bS are the inner pipes of the coarse row below, rT and bT those of the one above. */
KERNEL coarsen_row(int32_t n, const float *restrict rw0, const float *restrict re0, const float *restrict rs0,
                   const float *restrict rn0, const float *restrict be0, const float *restrict bs0,
                   const float *restrict bn0, const float *restrict bw1, const float *restrict be1,
                   const float *restrict bn1, const float *restrict re1, const float *restrict rn1,
                   const float *restrict rS, const float *restrict bS, const float *restrict rT,
                   const float *restrict bT, const float *restrict rx0, const float *restrict bx0,
                   const float *restrict rx1, const float *restrict bx1, float *restrict west, float *restrict east,
                   float *restrict south, float *restrict north, float *restrict extra) {
    for (int32_t i = 0; i < n; ++i) { /* vector */
        west[i] = across(rw0[i], bw1[i], re0[i - 1], re0[i], be1[i - 1], be1[i]);
        east[i] = across(be0[i], re1[i], re0[i], re0[i + 1], be1[i], be1[i + 1]);
        south[i] = across(rs0[i], bs0[i], rS[i], rn0[i], bS[i], bn0[i]);
        north[i] = across(bn1[i], rn1[i], rn0[i], rT[i], bn0[i], bT[i]);
        extra[i] = (rx0[i] + bx0[i]) + (rx1[i] + bx1[i]);
    }
}

static void coarsen(const rill_run *run, const rill_colour *fine, const int32_t row[4], int32_t width, float *work,
                    const rill_colour *coarse) {
    const rill_colour *red = &fine[RILL_RED], *black = &fine[RILL_BLACK];
    int32_t n = 2 * run->n, k0 = row[0], k1 = row[1], below = row[2], above = row[3];
    float *w = work, *e = w + n, *s = e + n, *o = s + n, *x = o + n;
    if (width < n) memset(work, 0, 5 * (size_t)n * sizeof *work);
    coarsen_row(width, red->w[RILL_WEST] + k0, red->w[RILL_EAST] + k0, red->w[RILL_SOUTH] + k0, red->w[RILL_NORTH] + k0,
                black->w[RILL_EAST] + k0, black->w[RILL_SOUTH] + k0, black->w[RILL_NORTH] + k0,
                black->w[RILL_WEST] + k1, black->w[RILL_EAST] + k1, black->w[RILL_NORTH] + k1, red->w[RILL_EAST] + k1,
                red->w[RILL_NORTH] + k1, red->w[RILL_NORTH] + below, black->w[RILL_NORTH] + below,
                red->w[RILL_NORTH] + above, black->w[RILL_NORTH] + above, red->extra + k0, black->extra + k0,
                red->extra + k1, black->extra + k1, w, e, s, o, x);
    colour(run, work, coarse);
}

/* -------------------------------------------------------------------------------------------------------- the cycle */

KERNEL start_runs(int32_t count, const rill_run *runs, const float *restrict f, const float *restrict inverse,
                  float *restrict x) {
    for (const rill_run *run = runs; run < runs + count; ++run)
        for (int32_t i = run->at, end = i + run->n; i < end; i += RILL_LANES)
            for (int32_t j = i; j < i + RILL_LANES; ++j) x[j] = f[j] * inverse[j]; /* vector */
}

static void start(int32_t count, const rill_run *runs, const rill_colour *own) {
    start_runs(count, runs, own->f, own->inverse, own->x);
}

KERNEL relax_runs(int32_t count, const rill_run *runs, int32_t colour, const float *restrict west,
                  const float *restrict east, const float *restrict south, const float *restrict north,
                  const float *restrict inverse, const float *restrict f, const float *restrict other,
                  float *restrict x) {
    for (const rill_run *run = runs; run < runs + count; ++run) {
        const float *restrict w = other + west_of(run, colour), *restrict e = w + 1;
        const float *restrict s = other - run->stride, *restrict o = other + run->stride;
        for (int32_t i = run->at, end = i + run->n; i < end; i += RILL_LANES)
            for (int32_t j = i; j < i + RILL_LANES; ++j) /* vector */
                x[j] = (f[j] + ((west[j] * w[j] + east[j] * e[j]) + (south[j] * s[j] + north[j] * o[j]))) * inverse[j];
    }
}

static void relax(int32_t count, const rill_run *runs, const rill_colour *colours, int32_t colour) {
    const rill_colour *own = &colours[colour];
    relax_runs(count, runs, colour, own->w[RILL_WEST], own->w[RILL_EAST], own->w[RILL_SOUTH], own->w[RILL_NORTH],
               own->inverse, own->f, colours[1 - colour].x, own->x);
}

KERNEL descend_runs(int32_t count, const rill_run *runs, const float *restrict west, const float *restrict east,
                    const float *restrict south, const float *restrict north, const float *restrict extra,
                    const float *restrict f, const float *restrict x, const float *restrict other,
                    float *restrict coarse) {
    for (const rill_run *run = runs; run < runs + count; ++run) {
        const float *restrict w = other + run->west, *restrict e = w + 1;
        const float *restrict s = other - run->stride, *restrict o = other + run->stride;
        float *restrict out = coarse + run->coarse - run->at;
        for (int32_t i = run->at, end = i + run->n; i < end; i += RILL_LANES)
            for (int32_t j = i; j < i + RILL_LANES; ++j) /* vector */
                out[j] += (f[j] - extra[j] * x[j]) + ((west[j] * (w[j] - x[j]) + east[j] * (e[j] - x[j])) +
                                                      (south[j] * (s[j] - x[j]) + north[j] * (o[j] - x[j])));
    }
}

static void descend(int32_t count, const rill_run *runs, const rill_colour *colours, float *coarse) {
    const rill_colour *red = &colours[RILL_RED];
    descend_runs(count, runs, red->w[RILL_WEST], red->w[RILL_EAST], red->w[RILL_SOUTH], red->w[RILL_NORTH], red->extra,
                 red->f, red->x, colours[RILL_BLACK].x, coarse);
}

KERNEL part_row(int32_t n, const float *restrict natural, float *restrict even, float *restrict odd) {
    for (int32_t i = 0; i < n; ++i) { /* vector */
        even[i] = natural[2 * i];
        odd[i] = natural[2 * i + 1];
    }
}

static void part(int32_t count, const rill_run *runs, const float *natural, const rill_colour *colours) {
    for (const rill_run *run = runs; run < runs + count; ++run) {
        int32_t first = 1 + run->west; /* the colour of node 0 of the row */
        part_row(run->n, natural + run->natural, colours[first].f + run->at, colours[1 - first].f + run->at);
    }
}

KERNEL join_row(int32_t n, const float *restrict even, const float *restrict odd, float *restrict natural) {
    for (int32_t i = 0; i < n; ++i) { /* vector */
        natural[2 * i] = even[i];
        natural[2 * i + 1] = odd[i];
    }
}

static void join(int32_t count, const rill_run *runs, const rill_colour *colours, float *natural) {
    for (const rill_run *run = runs; run < runs + count; ++run) {
        int32_t first = 1 + run->west;
        join_row(run->n, colours[first].x + run->at, colours[1 - first].x + run->at, natural + run->natural);
    }
}

KERNEL ascend_runs(int32_t count, const rill_run *runs, const float *restrict coarse, float *restrict x) {
    for (const rill_run *run = runs; run < runs + count; ++run) {
        const float *restrict from = coarse + run->coarse - run->at;
        for (int32_t i = run->at, end = i + run->n; i < end; i += RILL_LANES)
            for (int32_t j = i; j < i + RILL_LANES; ++j) x[j] += from[j]; /* vector */
    }
}

static void ascend(int32_t count, const rill_run *runs, const float *coarse, const rill_colour *colours) {
    ascend_runs(count, runs, coarse, colours[RILL_RED].x);
}

/* ---------------------------------------------------------------------------------------------- conjugate gradients */

KERNEL load_row(int32_t n, const double *restrict f, const double *restrict x, const float *restrict active,
                double *restrict b_even, double *restrict b_odd, double *restrict x_even, double *restrict x_odd) {
    for (int32_t i = 0; i < n; ++i) { /* vector */
        /* + 0.0: no negative zeros, whose sign would come to depend on what earlier problems left in unused nodes. */
        b_even[i] = f[2 * i] * (double)active[2 * i] + 0.0;
        b_odd[i] = f[2 * i + 1] * (double)active[2 * i + 1] + 0.0;
        x_even[i] = x[2 * i] * (double)active[2 * i] + 0.0;
        x_odd[i] = x[2 * i + 1] * (double)active[2 * i + 1] + 0.0;
    }
}

static void load(int32_t count, const rill_run *runs, const rill_poisson *poisson, const rill_vectors *vectors) {
    for (const rill_run *run = runs; run < runs + count; ++run) {
        int32_t first = 1 + run->west, at = run->at, from = run->natural;
        int32_t n = run->width / 2;
        load_row(n, poisson->f + from, poisson->x + from, poisson->active + from, vectors[first].b + at,
                 vectors[1 - first].b + at, vectors[first].x + at, vectors[1 - first].x + at);
        for (int32_t c = 0; c < 2 && n < run->n; ++c) {
            memset(vectors[c].b + at + n, 0, (size_t)(run->n - n) * sizeof *vectors[c].b);
            memset(vectors[c].x + at + n, 0, (size_t)(run->n - n) * sizeof *vectors[c].x);
        }
    }
}

KERNEL store_row(int32_t n, const double *restrict even, const double *restrict odd, double *restrict x) {
    for (int32_t i = 0; i < n; ++i) { /* vector */
        x[2 * i] = even[i];
        x[2 * i + 1] = odd[i];
    }
}

static void store(int32_t count, const rill_run *runs, const rill_vectors *vectors, double *x) {
    for (const rill_run *run = runs; run < runs + count; ++run) {
        int32_t first = 1 + run->west;
        store_row(run->width / 2, vectors[first].x + run->at, vectors[1 - first].x + run->at, x + run->natural);
    }
}

/* The difference form costs no more than a diagonal, and loses no digits where x is large and smooth. */
KERNEL compare_runs(int32_t count, const rill_run *runs, int32_t colour, const float *restrict west,
                    const float *restrict east, const float *restrict south, const float *restrict north,
                    const double *restrict extra, const double *restrict b, const double *restrict x,
                    const double *restrict other, float *restrict f, int64_t *restrict lanes) {
    int64_t most[RILL_LANES];
    memcpy(most, lanes, sizeof most);
    for (const rill_run *run = runs; run < runs + count; ++run) {
        const double *restrict w = other + west_of(run, colour), *restrict e = w + 1;
        const double *restrict s = other - run->stride, *restrict o = other + run->stride;
        for (int32_t i = run->at, end = i + run->n; i < end; i += RILL_LANES)
            for (int32_t k = 0; k < RILL_LANES; ++k) { /* vector */
                int32_t j = i + k;
                double v = x[j];
                double rest = b[j] - (extra[j] * v + (((double)west[j] * (v - w[j]) + (double)east[j] * (v - e[j])) +
                                                      ((double)south[j] * (v - s[j]) + (double)north[j] * (v - o[j]))));
                int64_t size = bits_of(__builtin_fabs(rest));
                f[j] = (float)rest;
                most[k] = size > most[k] ? size : most[k];
            }
    }
    memcpy(lanes, most, sizeof most);
}

static void compare(int32_t count, const rill_run *runs, const rill_colour *colours, int32_t colour,
                    const rill_vectors *vectors, int64_t *lanes) {
    const rill_colour *own = &colours[colour];
    compare_runs(count, runs, colour, own->w[RILL_WEST], own->w[RILL_EAST], own->w[RILL_SOUTH], own->w[RILL_NORTH],
                 vectors[colour].extra, vectors[colour].b, vectors[colour].x, vectors[1 - colour].x, own->f, lanes);
}

KERNEL dot_runs(int32_t count, const rill_run *runs, const float *restrict f, const float *restrict x,
                double *restrict lanes) {
    double sums[RILL_LANES];
    memcpy(sums, lanes, sizeof sums);
    for (const rill_run *run = runs; run < runs + count; ++run)
        for (int32_t i = run->at, end = i + run->n; i < end; i += RILL_LANES)
            for (int32_t k = 0; k < RILL_LANES; ++k) sums[k] += (double)f[i + k] * (double)x[i + k]; /* vector */
    memcpy(lanes, sums, sizeof sums);
}

static void dot(int32_t count, const rill_run *runs, const rill_colour *own, double *lanes) {
    dot_runs(count, runs, own->f, own->x, lanes);
}

KERNEL turn_runs(int32_t count, const rill_run *runs, float beta, const float *restrict x, float *restrict p) {
    for (const rill_run *run = runs; run < runs + count; ++run)
        for (int32_t i = run->at, end = i + run->n; i < end; i += RILL_LANES)
            for (int32_t j = i; j < i + RILL_LANES; ++j) p[j] = x[j] + beta * p[j]; /* vector */
}

static void turn(int32_t count, const rill_run *runs, float beta, const rill_colour *own, const rill_vectors *vectors) {
    turn_runs(count, runs, beta, own->x, vectors->p);
}

KERNEL apply_runs(int32_t count, const rill_run *runs, int32_t colour, const float *restrict west,
                  const float *restrict east, const float *restrict south, const float *restrict north,
                  const float *restrict extra, const float *restrict p, const float *restrict other, float *restrict q,
                  double *restrict lanes) {
    double sums[RILL_LANES];
    memcpy(sums, lanes, sizeof sums);
    for (const rill_run *run = runs; run < runs + count; ++run) {
        const float *restrict w = other + west_of(run, colour), *restrict e = w + 1;
        const float *restrict s = other - run->stride, *restrict o = other + run->stride;
        for (int32_t i = run->at, end = i + run->n; i < end; i += RILL_LANES)
            for (int32_t k = 0; k < RILL_LANES; ++k) { /* vector */
                int32_t j = i + k;
                float v = p[j];
                float flow = extra[j] * v + ((west[j] * (v - w[j]) + east[j] * (v - e[j])) +
                                             (south[j] * (v - s[j]) + north[j] * (v - o[j])));
                q[j] = flow;
                sums[k] += (double)v * (double)flow;
            }
    }
    memcpy(lanes, sums, sizeof sums);
}

static void apply(int32_t count, const rill_run *runs, const rill_colour *colours, int32_t colour,
                  const rill_vectors *vectors, double *lanes) {
    const rill_colour *own = &colours[colour];
    apply_runs(count, runs, colour, own->w[RILL_WEST], own->w[RILL_EAST], own->w[RILL_SOUTH], own->w[RILL_NORTH],
               own->extra, vectors[colour].p, vectors[1 - colour].p, vectors[colour].q, lanes);
}

KERNEL advance_runs(int32_t count, const rill_run *runs, float alpha, const float *restrict p, const float *restrict q,
                    double *restrict x, float *restrict f, int32_t *restrict lanes) {
    int32_t most[RILL_LANES];
    memcpy(most, lanes, sizeof most);
    for (const rill_run *run = runs; run < runs + count; ++run)
        for (int32_t i = run->at, end = i + run->n; i < end; i += RILL_LANES)
            for (int32_t k = 0; k < RILL_LANES; ++k) { /* vector */
                int32_t j = i + k;
                x[j] += (double)alpha * (double)p[j];
                float rest = f[j] - alpha * q[j];
                f[j] = rest;
                int32_t size = bits_of_float(__builtin_fabsf(rest));
                most[k] = size > most[k] ? size : most[k];
            }
    memcpy(lanes, most, sizeof most);
}

static void advance(int32_t count, const rill_run *runs, float alpha, const rill_colour *own,
                    const rill_vectors *vectors, int32_t *lanes) {
    advance_runs(count, runs, alpha, vectors->p, vectors->q, vectors->x, own->f, lanes);
}

#define TEXT_OF(NAME) #NAME
#define NAME_OF(NAME) TEXT_OF(NAME)

extern const rill_solve_kernels RILL_KERNELS_NAME;
const rill_solve_kernels RILL_KERNELS_NAME = {
    .name = NAME_OF(RILL_KERNELS_NAME),
    .weigh = weigh,
    .coarsen = coarsen,
    .start = start,
    .relax = relax,
    .descend = descend,
    .part = part,
    .join = join,
    .ascend = ascend,
    .load = load,
    .store = store,
    .compare = compare,
    .dot = dot,
    .turn = turn,
    .apply = apply,
    .advance = advance,
};
