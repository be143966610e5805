/* The kernels of the covered stage. Compiled several times with RILL_KERNELS_NAME set to the table's name; see
 * passage_kernels.h, and kernels.c for what makes loops marked "vector" vectorise. */
#include "passages/passage_kernels.h"

#include <string.h>

#include "flow/limit.h"
#include "flow/rest.h"

#define KERNEL static __attribute__((noinline)) void
#define JUDGE static __attribute__((noinline)) int32_t

/* --------------------------------------------------------------------------------------------------------------- look */

/* Whether some column is so full that a closer look pays. One that fills from below that is found the next time. */
static int32_t nearly_full(const rill_passage_look *tile) {
    int32_t any = 0;
    for (int32_t y = 0; y < tile->rows; ++y) {
        const int32_t *H = tile->at.H + y * tile->stride, nearly = tile->nearly;
        RILL_NOT_UNROLLED /* vector */
            for (int32_t x = 0; x < RILL_TILE_W; ++x) any |= H[x] >= nearly;
    }
    return any;
}

/* What flows in less what flows out, about: with the depths for openings. A column that fills all the same is blocked by the
 * limiters and found later, as is one that sparse pipes fill. Beside a flooded column a passage that is nearly full may fill
 * as a whole at once. */
static bool look(const rill_passage_look *tile, float horizon, int32_t rows_of[RILL_TILE_W]) {
    const int32_t stride = tile->stride, share = tile->beside ? 4 : 7; /* of the height, as a power of two */
    int32_t bits[RILL_TILE_W] = { 0 }; /* of its own, so that it is known to be no part of the planes */
    if (!tile->flooded && !nearly_full(tile)) return false;
    for (int32_t y = 0; y < tile->rows; ++y) {
        const int32_t *b = tile->at.b + y * stride, *c = tile->at.c + y * stride, *code = tile->at.code + y * stride;
        const int32_t *H = tile->at.H + y * stride, *H_south = H - stride, *H_north = H + stride, bit = 1 << y;
        const float *u = tile->at.u + y * stride, *v = tile->at.v + y * stride, *v_north = v + stride;
        for (int32_t x = 0; x < RILL_TILE_W; ++x) { /* vector */
            float in = (rill_max_f(u[x], 0.0f) * (float)H[x - 1] + rill_max_f(-u[x + 1], 0.0f) * (float)H[x + 1]) +
                       (rill_max_f(v[x], 0.0f) * (float)H_south[x] + rill_max_f(-v_north[x], 0.0f) * (float)H_north[x]);
            float out = (rill_max_f(-u[x], 0.0f) + rill_max_f(u[x + 1], 0.0f)) +
                        (rill_max_f(-v[x], 0.0f) + rill_max_f(v_north[x], 0.0f));
            int32_t height = c[x] - b[x];
            float room = (float)(height - H[x] - RILL_FULL_LOW - (height >> share));
            int32_t fills = room <= horizon * (in - out * (float)H[x]);
            int32_t flooded = code[x] != 0, near = ((c[x] < RILL_TOP) & (H[x] > RILL_DRY) & fills) | flooded;
            bits[x] |= (-near & bit) | (-flooded & bit << RILL_TILE_H);
        }
    }
    memcpy(rows_of, bits, sizeof bits);
    return true;
}

/* -------------------------------------------------------------------------------------------------------------- edges */

#define INLINE static inline __attribute__((always_inline))

/* What is numbered [from, to), by chunks: WORK(i, ...) gets the numbers of what belongs to it, in a row where they are so (EVEN). */
#define EACH_CHUNK(EVEN, IN_A_ROW, ONE_BY_ONE)                                                                         \
    for (int32_t i = from, end; i < to; i = end) {                                                                     \
        end = rill_min_i((i / RILL_CHUNK + 1) * RILL_CHUNK, to);                                                       \
        if (EVEN[i / RILL_CHUNK] && end - i == RILL_CHUNK) {                                                           \
            IN_A_ROW                                                                                                   \
        } else {                                                                                                       \
            ONE_BY_ONE                                                                                                 \
        }                                                                                                              \
    }
/* WORK(i, l, r) for each edge. */
#define EACH_EDGE(e, WORK)                                                                                             \
    EACH_CHUNK((e).even, const int32_t l = (e).l[i]; const int32_t r = (e).r[i];                                       \
               RILL_EACH_ALONE RILL_NOT_UNROLLED for (int32_t k = 0; k < RILL_CHUNK; ++k) WORK(i + k, l + k, r + k);   \
               , RILL_EACH_ALONE for (int32_t k = i; k < end; ++k) WORK(k, (e).l[k], (e).r[k]);)
/* WORK(n, west, east, south, north) for each node. */
#define EACH_NODE(a, WORK)                                                                                             \
    EACH_CHUNK((a).even, const int32_t w = (a).west[i]; const int32_t e = (a).east[i]; const int32_t s = (a).south[i]; \
               const int32_t n = (a).north[i];                                                                         \
               RILL_EACH_ALONE RILL_NOT_UNROLLED for (int32_t k = 0; k < RILL_CHUNK; ++k)                              \
                   WORK(i + k, w + k, e + k, s + k, n + k);                                                            \
               , RILL_EACH_ALONE for (int32_t k = i; k < end; ++k)                                                     \
                     WORK(k, (a).west[k], (a).east[k], (a).south[k], (a).north[k]);)

/* WORK(n, west, l, east, r, south, b, north, t) for each node, with the nodes beyond its faces. */
#define EACH_NODE_AND_NEAR(a, f, WORK)                                                                                 \
    EACH_CHUNK((a).even, const int32_t w = (a).west[i]; const int32_t e = (a).east[i]; const int32_t s = (a).south[i]; \
               const int32_t n = (a).north[i]; const int32_t wl = (f).l[w]; const int32_t er = (f).r[e];               \
               const int32_t sl = (f).l[s]; const int32_t nr = (f).r[n];                                               \
               RILL_EACH_ALONE RILL_NOT_UNROLLED for (int32_t k = 0; k < RILL_CHUNK; ++k)                              \
                   WORK(i + k, w + k, wl + k, e + k, er + k, s + k, sl + k, n + k, nr + k);                            \
               , RILL_EACH_ALONE for (int32_t k = i; k < end; ++k)                                                     \
                     WORK(k, (a).west[k], (f).l[(a).west[k]], (a).east[k], (f).r[(a).east[k]], (a).south[k],           \
                          (f).l[(a).south[k]], (a).north[k], (f).r[(a).north[k]]);)

/* WORK(n, place) for each node. */
#define EACH_PLACE(a, WORK)                                                                                            \
    EACH_CHUNK((a).in_row, const int32_t p = (a).place[i];                                                             \
               RILL_EACH_ALONE RILL_NOT_UNROLLED for (int32_t k = 0; k < RILL_CHUNK; ++k) WORK(i + k, p + k);          \
               , RILL_EACH_ALONE for (int32_t k = i; k < end; ++k) WORK(k, (a).place[k]);)
/* WORK(i, l, r, velocity) for each face, with where its velocity is in its plane. */
#define EACH_VELOCITY(e, planes, WORK)                                                                                 \
    EACH_CHUNK((e).in_row, float *const u = velocity_of(&(e), planes, i);                                              \
               RILL_EACH_ALONE RILL_NOT_UNROLLED for (int32_t k = 0; k < RILL_CHUNK; ++k)                              \
                   WORK(i + k, (e).l[i] + k, (e).r[i] + k, u + k);                                                     \
               , for (int32_t k = i; k < end; ++k) WORK(k, (e).l[k], (e).r[k], velocity_of(&(e), planes, k));)

INLINE float *velocity_of(const rill_passage_edges *faces, const rill_passage_columns *planes, int32_t i) {
    return (faces->axis[i] ? planes->v : planes->u) + faces->at[i];
}

/* --------------------------------------------------------------------------------------------------------------- read */

/* Pressures start where a parabola through the last three leads, or a line through two. */
INLINE double start_pressure(double pressure, double last, double before) {
    const double line = 2.0 * pressure - last, parabola = line + (pressure - 2.0 * last + before);
    const double ahead = before >= 0.0 ? parabola : line, floored = ahead > 0.0 ? ahead : 0.0;
    return ((pressure < 0.0) | (last < 0.0)) ? pressure : floored;
}

INLINE int32_t read_one(const rill_passage_nodes *a, const rill_passage_columns *from, int32_t n, int32_t p) {
    const int32_t b = from->b[p], c = from->c[p], H = from->H[p], code = from->code[p], inner = a->inner[n];
    const int32_t filled = code == RILL_PRESSURE_NEW,
                  member = inner & (code != 0); /* filled: by hand, pressure unknown */
    const double pressure = filled ? -1.0 : (double)(rill_abs_i(filled ? 0 : code) - 1) * 0.25, last = a->last[n];
    const double start = start_pressure(pressure, last, a->before[n]);
    const int32_t others = a->active[n] ^ member, sealed = member & (code < 0) & !filled;
    a->b[n] = b;
    a->c[n] = c;
    a->H[n] = H;
    a->fill[n] = inner ? H - rill_max_i(c - b - RILL_FULL_HIGH, 0) : RILL_NO_ROOF;
    a->was[n] = a->ever[n] = a->active[n] = member;
    a->sealed[n] = 0;
    a->pi[n] = member ? start : 0.0;
    a->before[n] = member ? last : -1.0;
    a->last[n] = member ? pressure : -1.0;
    return others * RILL_VERDICT_OTHERS | sealed * RILL_VERDICT_SEALED;
}

JUDGE read_nodes(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_columns *planes) {
    const rill_passage_nodes a = *nodes;
    const rill_passage_columns columns = *planes;
    int32_t verdict = 0;
#define WORK(N, P) verdict |= read_one(&a, &columns, N, P)
    EACH_PLACE(a, WORK)
#undef WORK
    return verdict;
}

KERNEL read_speeds(int32_t from, int32_t to, const rill_passage_edges *faces, const rill_passage_columns *planes) {
    const rill_passage_edges e = *faces;
#define WORK(I, L, R, U) e.u[I] = *(U)
    EACH_VELOCITY(e, planes, WORK)
#undef WORK
}

/* -------------------------------------------------------------------------------------------------------------- write */

static bool write_chunk(int32_t first, const rill_passage_nodes *nodes, const rill_passage_edges *faces,
                        const rill_passage_columns *planes, int32_t *above) {
    const rill_passage_nodes a = *nodes;
    const int32_t p = a.place[first], *b = planes->b + p, *c = planes->c + p;
    const int32_t *west = faces->t + a.west[first], *east = faces->t + a.east[first];
    const int32_t *south = faces->t + a.south[first], *north = faces->t + a.north[first];
    int32_t *H = planes->H + p, *code = planes->code + p, after[RILL_CHUNK], over = 0, flips = 0;
    RILL_EACH_ALONE RILL_NOT_UNROLLED /* vector */
        for (int32_t k = 0; k < RILL_CHUNK; ++k) {
        const int32_t roofed = a.fill[first + k] > RILL_NO_ROOF / 2, found = rill_passages_code(&a, first + k);
        const int32_t before = code[k], now = roofed ? found : before;
        after[k] = now;
        flips |= (now != 0) ^ (before != 0);
    }
    if (flips) return false;
    RILL_EACH_ALONE RILL_NOT_UNROLLED /* vector */
        for (int32_t k = 0; k < RILL_CHUNK; ++k) {
        H[k] += (west[k] - east[k]) + (south[k] - north[k]);
        over |= H[k] > c[k] - b[k];
        code[k] = after[k];
    }
    *above |= over;
    return true;
}

KERNEL hide_faces(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *faces,
                  const rill_passage_columns *planes) {
    const rill_passage_edges e = *faces;
    const int32_t *ever = nodes->ever;
#define WORK(I, L, R, U) *(U) = (ever[L] | ever[R]) != 0 ? 0.0f : *(U)
    EACH_VELOCITY(e, planes, WORK)
#undef WORK
}

static bool show_chunk(int32_t first, const rill_passage_nodes *nodes, const rill_passage_edges *faces,
                       const rill_passage_columns *planes) {
    const int32_t l = faces->l[first], r = faces->r[first];
    const int32_t *ever = nodes->ever, *active = nodes->active;
    const float *u = faces->u + first;
    float *plane = velocity_of(faces, planes, first);
    int32_t left = 0;
    RILL_EACH_ALONE RILL_NOT_UNROLLED /* vector */
        for (int32_t k = 0; k < RILL_CHUNK; ++k) left |= (ever[l + k] | ever[r + k]) & ~(active[l + k] | active[r + k]);
    if (left) return false;
    RILL_EACH_ALONE RILL_NOT_UNROLLED /* vector */
        for (int32_t k = 0; k < RILL_CHUNK; ++k) plane[k] = (ever[l + k] | ever[r + k]) != 0 ? u[k] : plane[k];
    return true;
}

/* -------------------------------------------------------------------------------------------------------------- drive */

INLINE void drive_one(const rill_passage_nodes *a, const rill_passage_edges *e, int32_t i, int32_t l, int32_t r,
                      const rill_kernel_constants *k) {
    rill_face_ends ends = { a->b[l], a->b[r], a->c[l], a->c[r], a->H[l], a->H[r] };
    rill_pressed_face f = rill_ceiling_drive(&ends, e->u[i], e->axis[i] ? k->tilt[1] : k->tilt[0], k);
    int32_t undriven = a->was[l] | a->was[r], drop = (ends.bl + ends.Hl) - (ends.br + ends.Hr);
    e->base[i] = undriven ? f.base : e->u[i];
    e->gain[i] = f.gain;
    e->head[i] = undriven ? f.head : 0;
    e->steep[i] = rill_abs_i(drop) > RILL_SUBMERGED;
}

KERNEL drive(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *edges,
             const rill_kernel_constants *constants) {
    const rill_kernel_constants constant = *constants;
    const rill_passage_nodes a = *nodes;
    const rill_passage_edges e = *edges;
#define WORK(I, L, R) drive_one(&a, &e, I, L, R, &constant)
    EACH_EDGE(e, WORK)
#undef WORK
}

INLINE void open_one(const rill_passage_nodes *a, const rill_passage_edges *e, int32_t i, int32_t l, int32_t r,
                     float lambda, float paper) {
    rill_face_ends ends = { a->b[l], a->b[r], a->c[l], a->c[r], a->H[l], a->H[r] };
    double u = (double)e->base[i] + (double)e->gain[i] * ((double)e->head[i] + (a->pi[l] - a->pi[r]));
    float opening = (float)rill_ceiling_opening(&ends, (float)u);
    float printed = opening > 0.0f ? paper : 0.0f;
    float across = lambda * (paper > 0.0f ? printed : opening);
    e->reach[i] = across;
    e->q[i] = u * (double)across;
}

KERNEL open_edges(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *edges,
                  float lambda, float paper) {
    const rill_passage_nodes a = *nodes;
    const rill_passage_edges e = *edges;
#define WORK(I, L, R) open_one(&a, &e, I, L, R, lambda, paper)
    EACH_EDGE(e, WORK)
#undef WORK
}

INLINE int32_t flow_one(const double *pi, const rill_passage_edges *e, int32_t i, int32_t l, int32_t r) {
    double before = e->q[i], drop = (double)e->head[i] + (pi[l] - pi[r]);
    double now = ((double)e->base[i] + (double)e->gain[i] * drop) * (double)e->reach[i];
    e->q[i] = now;
    return (before * now < 0.0) & e->steep[i];
}

JUDGE flow(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *edges) {
    const rill_passage_edges e = *edges;
    const double *pi = nodes->pi;
    int32_t turned = 0;
#define WORK(I, L, R) turned |= flow_one(pi, &e, I, L, R)
    EACH_EDGE(e, WORK)
#undef WORK
    return turned;
}

/* More than any column has. */
#define MOST ((double)RILL_TOP)

INLINE int32_t finish_one(const double *pi, const int32_t *ever, const rill_passage_edges *e, int32_t i, int32_t l,
                          int32_t r, float phase, float top_speed, double calm) {
    int32_t passages = ever[l] | ever[r], open = passages & (e->reach[i] > 0.0f);
    double q = e->q[i], bounded = q > MOST ? MOST : q < -MOST ? -MOST : q;
    int32_t whole = (int32_t)(bounded + (double)(bounded < 0.0 ? -phase : phase));
    double drop = (double)e->head[i] + (pi[l] - pi[r]);
    float speed = (float)((double)e->base[i] + (double)e->gain[i] * drop);
    e->t[i] = passages ? whole : 0;
    e->u[i] = passages ? rill_max_f(rill_min_f(speed, top_speed), -top_speed) : e->u[i];
    return open & rill_restless(speed, (drop > calm) | (drop < -calm));
}

JUDGE finish(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *edges,
             const rill_kernel_constants *k_, double calm) {
    const rill_passage_edges e = *edges;
    const double *pi = nodes->pi;
    const int32_t *ever = nodes->ever;
    const float phase = k_->phase, top_speed = k_->top_speed;
    int32_t unrest = 0;
#define WORK(I, L, R) unrest |= finish_one(pi, ever, &e, I, L, R, phase, top_speed, calm)
    EACH_EDGE(e, WORK)
#undef WORK
    return unrest;
}

/* -------------------------------------------------------------------------------------------------------------- nodes */

/* Those that were members before stay as full as they are within the band that counts as full; new ones take what they can. */
INLINE void excess_one(const rill_passage_nodes *a, const double *q, int32_t i, int32_t west, int32_t east,
                       int32_t south, int32_t north) {
    const int32_t band = RILL_FULL_LOW - RILL_FULL_HIGH, fill = a->fill[i];
    int32_t outside = rill_max_i(fill, 0) + rill_min_i(fill + band, 0); /* of the band that counts as full */
    int32_t over = (a->active[i] & a->was[i]) != 0 ? outside : fill;
    a->f[i] = (double)over + ((q[west] - q[east]) + (q[south] - q[north]));
}

KERNEL excess(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *faces) {
    const rill_passage_nodes a = *nodes;
    const double *q = faces->q;
#define WORK(I, W, E, S, N) excess_one(&a, q, I, W, E, S, N)
    EACH_NODE(a, WORK)
#undef WORK
}

JUDGE judge(int32_t from, int32_t to, const rill_passage_nodes *nodes, double tolerance) {
    const int32_t *active = nodes->active, *fill = nodes->fill;
    double *f = nodes->f;
    int32_t off = 0, over = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < to; ++i) {
        int32_t member = active[i], high = f[i] > tolerance, low = f[i] < -tolerance;
        int32_t add = (member ^ 1) & high & (fill[i] > RILL_NO_ROOF / 2);
        off |= member & (high | low);
        over |= add;
        f[i] = (member | add) != 0 ? f[i] : 0.0;
    }
    return (off ? RILL_VERDICT_OFF : 0) | (over ? RILL_VERDICT_OVER : 0);
}

INLINE void place_one(const rill_passage_nodes *a, const rill_passage_edges *e, const rill_passage_problem *p,
                      int32_t i, int32_t slot, int32_t west, int32_t at_west, int32_t east, int32_t at_east,
                      int32_t south, int32_t at_south, int32_t north, int32_t at_north) {
    const int32_t own = p->island[i], *of = p->island;
    const float w = e->gain[west] * e->reach[west], x = e->gain[east] * e->reach[east];
    const float s = e->gain[south] * e->reach[south], n = e->gain[north] * e->reach[north];
    const int32_t by_w = of[at_west] == own, by_x = of[at_east] == own, by_s = of[at_south] == own;
    const float out_w = by_w ? 0.0f : w, out_x = by_x ? 0.0f : x;
    const float out_s = by_s ? 0.0f : s, out_n = of[at_north] == own ? 0.0f : n;
    p->active[slot] = 1.0f;
    p->extra[slot] = (out_w + out_x) + (out_s + out_n);
    p->wx[slot] = by_w ? w : 0.0f;
    p->wy[slot] = by_s ? s : 0.0f;
    p->f[slot] = a->f[i];
    p->x[slot] = 0.0;
}

/* Whether a chunk of nodes has slots that follow each other. */
INLINE bool slots_in_a_row(const int32_t *slot) {
    int32_t odd = slot[0] < 0;
    for (int32_t k = 0; k < RILL_CHUNK; ++k) odd |= slot[k] ^ (slot[0] + k);
    return odd == 0;
}

static __attribute__((noinline)) void place_chunk(int32_t i, const rill_passage_nodes *nodes,
                                                  const rill_passage_edges *faces,
                                                  const rill_passage_problem *problem) {
    const rill_passage_nodes a = *nodes;
    const rill_passage_edges f = *faces;
    const rill_passage_problem p = *problem;
    const int32_t w = a.west[i], e = a.east[i], s = a.south[i], n = a.north[i], slot = p.slot[i];
    const int32_t wl = f.l[w], er = f.r[e], sl = f.l[s], nr = f.r[n];
    RILL_EACH_ALONE RILL_NOT_UNROLLED /* vector */
        for (int32_t k = 0; k < RILL_CHUNK; ++k)
            place_one(&a, &f, &p, i + k, slot + k, w + k, wl + k, e + k, er + k, s + k, sl + k, n + k, nr + k);
}

KERNEL place(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *faces,
             const rill_passage_problem *problem) {
    const rill_passage_nodes *a = nodes;
    const int32_t *slot = problem->slot, *l = faces->l, *r = faces->r;
    for (int32_t i = from, end; i < to; i = end) {
        end = rill_min_i((i / RILL_CHUNK + 1) * RILL_CHUNK, to);
        if (a->even[i / RILL_CHUNK] && end - i == RILL_CHUNK && slots_in_a_row(slot + i)) {
            place_chunk(i, nodes, faces, problem);
            continue;
        }
        for (int32_t k = i; k < end; ++k)
            if (slot[k] >= 0)
                place_one(a, faces, problem, k, slot[k], a->west[k], l[a->west[k]], a->east[k], r[a->east[k]],
                          a->south[k], l[a->south[k]], a->north[k], r[a->north[k]]);
    }
}

JUDGE correct(int32_t from, int32_t to, const rill_passage_nodes *nodes) {
    double *pi = nodes->pi, *x = nodes->x;
    int32_t negative = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < to; ++i) {
        double corrected = pi[i] + x[i];
        negative |= corrected < 0.0;
        pi[i] = corrected;
        x[i] = 0.0;
    }
    return negative;
}

INLINE double outward(double q) {
    return q > 0.0 ? q : 0.0;
}

/* What crosses a face if it is covered: the node itself, or the one beyond, has been a member. */
INLINE double if_covered(int32_t own, int32_t other, double q) {
    return (own | other) != 0 ? q : 0.0;
}

INLINE int32_t change_one(const rill_passage_nodes *a, const double *q, int32_t i, int32_t west, int32_t at_west,
                          int32_t east, int32_t at_east, int32_t south, int32_t at_south, int32_t north,
                          int32_t at_north) {
    const int32_t own = a->ever[i], roofed = a->fill[i] > RILL_NO_ROOF / 2;
    double w = if_covered(own, a->ever[at_west], q[west]), x = if_covered(own, a->ever[at_east], q[east]);
    double s = if_covered(own, a->ever[at_south], q[south]), n = if_covered(own, a->ever[at_north], q[north]);
    double out = (outward(-w) + outward(x)) + (outward(-s) + outward(n)), by = (w - x) + (s - n);
    int32_t short_of = (out > 0.0) & (out > (double)a->H[i] - (double)RILL_LIMIT_SLACK);
    int32_t over = (own ^ 1) & roofed & ((double)a->fill[i] + by > 0.0) & (by != 0.0);
    a->f[i] = by;
    return short_of * RILL_VERDICT_SHORT | over * RILL_VERDICT_OVER;
}

JUDGE change(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *faces) {
    const rill_passage_nodes a = *nodes;
    const rill_passage_edges edges = *faces;
    int32_t verdict = 0;
#define WORK(I, ...) verdict |= change_one(&a, edges.q, I, __VA_ARGS__)
    EACH_NODE_AND_NEAR(a, edges, WORK)
#undef WORK
    return verdict;
}

INLINE int32_t overdrawn_one(const int32_t *t, int32_t H, int32_t west, int32_t east, int32_t south, int32_t north) {
    float out = ((float)rill_max_i(-t[west], 0) + (float)rill_max_i(t[east], 0)) +
                ((float)rill_max_i(-t[south], 0) + (float)rill_max_i(t[north], 0));
    return out * RILL_LIMIT_OVER > (float)H;
}

JUDGE overdrawn(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *faces) {
    const rill_passage_nodes a = *nodes;
    const int32_t *t = faces->t;
    int32_t any = 0;
#define WORK(I, W, E, S, N) any |= overdrawn_one(t, a.H[I], W, E, S, N)
    EACH_NODE(a, WORK)
#undef WORK
        return any;
}

/* Of faces without a member at an end nothing is known here. */
INLINE int32_t speed_bits(float u, int32_t member) {
    return rill_float_bits(__builtin_fabsf(u)) & -member;
}

INLINE int32_t fastest_one(const int32_t *active, const float *u, int32_t i, int32_t west, int32_t at_west,
                           int32_t east, int32_t at_east, int32_t south, int32_t at_south, int32_t north,
                           int32_t at_north) {
    const int32_t own = active[i];
    int32_t x = rill_max_i(speed_bits(u[west], own | active[at_west]), speed_bits(u[east], own | active[at_east]));
    int32_t y = rill_max_i(speed_bits(u[south], own | active[at_south]), speed_bits(u[north], own | active[at_north]));
    return rill_float_bits(rill_bits_float(x) + rill_bits_float(y));
}

static float fastest(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *faces) {
    const rill_passage_nodes a = *nodes;
    const rill_passage_edges edges = *faces;
    int32_t most = 0;
#define WORK(I, ...) most = rill_max_i(most, fastest_one(a.active, edges.u, I, __VA_ARGS__))
    EACH_NODE_AND_NEAR(a, edges, WORK)
#undef WORK
    return rill_bits_float(most);
}

/* -------------------------------------------------------------------------------------------------------------- guess */

#define FARTHEST 0x1p40f /* quanta: behind a face that is all but closed nobody knows */

/* What would be right for a node if no neighbour moved, within what a pressure may be. */
static inline float right_one(const rill_prediction_nodes *g, int32_t i, float so_far, float over) {
    float near = (g->w[0][i] * g->x[g->near[0][i]] + g->w[1][i] * g->x[g->near[1][i]]) +
                 (g->w[2][i] * g->x[g->near[2][i]] + g->w[3][i] * g->x[g->near[3][i]]);
    float x = so_far * (1.0f - over) + over * (g->push[i] + g->inverse[i] * near);
    return rill_max_f(rill_min_f(x, FARTHEST), g->least[i]);
}

KERNEL relax(int32_t from, int32_t to, int32_t colour, float over, const rill_prediction_nodes *guess) {
    const rill_prediction_nodes g = *guess;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < to; ++i) {
        float x = right_one(&g, i, g.x[i], over);
        g.x[i] = g.colour[i] == colour ? x : g.x[i];
    }
}

/* Floats that are not negative are in the order of their bits. */
static float miss(int32_t from, int32_t to, const rill_prediction_nodes *guess) {
    const rill_prediction_nodes g = *guess;
    int32_t most = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < to; ++i) {
        float step = __builtin_fabsf(right_one(&g, i, 0.0f, 1.0f) - g.x[i]);
        int32_t joins = g.inverse[i] > 0.0f;
        float off = step / rill_max_f(g.inverse[i], 1e-30f);
        most = rill_max_i(most, rill_float_bits(off) & -joins);
    }
    return rill_bits_float(most);
}

extern const rill_passage_kernels RILL_KERNELS_NAME;
const rill_passage_kernels RILL_KERNELS_NAME = {
    .look = look,
    .read = read_nodes,
    .speeds = read_speeds,
    .drive = drive,
    .open = open_edges,
    .flow = flow,
    .excess = excess,
    .judge = judge,
    .place = place,
    .correct = correct,
    .change = change,
    .finish = finish,
    .overdrawn = overdrawn,
    .write = write_chunk,
    .hide = hide_faces,
    .show = show_chunk,
    .fastest = fastest,
    .relax = relax,
    .miss = miss,
};
