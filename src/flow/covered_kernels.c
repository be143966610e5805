/* The kernels of the covered stage. Compiled several times with RILL_KERNELS_NAME set to the table's name; see
 * covered_kernels.h, and kernels.c for what makes loops marked "vector" vectorise. */
#include "flow/covered_kernels.h"

#include <string.h>

#include "flow/limit.h"
#include "flow/rest.h"

#define KERNEL static __attribute__((noinline)) void
#define JUDGE static __attribute__((noinline)) int32_t

/* The rows of an area, by their first nodes; and how many nodes of each, so that the compiler knows that vectors are whole. */
#define EACH_ROW(AT, FROM) for (int32_t FROM = 0; FROM < (AT).rows * (AT).stride; FROM += (AT).stride)
#define WIDTH(AT) ((AT).n & -RILL_COVERED_UNIT)

/* -------------------------------------------------------------------------------------------------------------- nodes */

/* Whether some column is so full that a closer look pays. One that fills from below that is found the next time. */
static int32_t nearly_full(const rill_covered_tile *tile) {
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
static bool look(const rill_covered_tile *tile, float horizon, int32_t rows_of[RILL_TILE_W]) {
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
            int32_t near = ((c[x] < RILL_TOP) & (H[x] > RILL_DRY) & fills) | (code[x] != 0);
            bits[x] |= -near & bit;
        }
    }
    memcpy(rows_of, bits, sizeof bits);
    return true;
}

KERNEL read_nodes(int32_t n, const int32_t *restrict b, const int32_t *restrict c, const int32_t *restrict H,
                  const int32_t *restrict code, const float *restrict u, const float *restrict v, int32_t ours,
                  int32_t *restrict depth, int32_t *restrict fill, int32_t *restrict was, int32_t *restrict ever,
                  int32_t *restrict sealed, float *restrict active, float *restrict west, float *restrict south) {
    for (int32_t i = 0; i < n; ++i) { /* vector */
        int32_t roofed = ours & (c[i] < RILL_TOP) & (b[i] < RILL_TOP);
        int32_t member = roofed & (code[i] != 0);
        depth[i] = H[i];
        west[i] = u[i];
        south[i] = v[i];
        fill[i] = roofed ? H[i] - rill_max_i(c[i] - b[i] - RILL_FULL_HIGH, 0) : RILL_NO_ROOF;
        was[i] = member;
        ever[i] = member;
        sealed[i] = 0;
        active[i] = member ? 1.0f : 0.0f;
    }
}

/* Pressures start where a parabola through the last three leads, or a line through two. */
KERNEL read_pressures(int32_t n, const int32_t *restrict code, const int32_t *restrict member, double *restrict pi,
                      double *restrict last, double *restrict before) {
    for (int32_t i = 0; i < n; ++i) { /* vector */
        int32_t size = code[i] < 0 ? -code[i] : code[i];
        double pressure = code[i] == RILL_PRESSURE_NEW ? -1.0 : (double)(size - 1) * 0.25;
        double line = 2.0 * pressure - last[i], parabola = line + (pressure - 2.0 * last[i] + before[i]);
        double ahead = before[i] >= 0.0 ? parabola : line;
        ahead = ahead > 0.0 ? ahead : 0.0;
        double start = last[i] >= 0.0 ? ahead : pressure;
        start = pressure >= 0.0 ? start : pressure;
        pi[i] = member[i] != 0 ? start : 0.0;
        before[i] = member[i] != 0 ? last[i] : -1.0;
        last[i] = member[i] != 0 ? pressure : -1.0;
    }
}

static void read_columns(int32_t n, int32_t rows, const rill_covered_strides *step, const rill_covered_columns *at,
                         bool ours, bool again, const rill_covered_nodes *to, const rill_covered_faces *west,
                         const rill_covered_faces *south) {
    size_t bytes = (size_t)n * sizeof(int32_t);
    for (int32_t y = 0, i = 0, p = 0; y < rows; ++y, i += step->nodes, p += step->planes) {
        read_nodes(n, at->b + p, at->c + p, at->H + p, at->code + p, at->u + p, at->v + p, ours, to->H + i,
                   to->fill + i, to->was + i, to->ever + i, to->sealed + i, to->active + i, west->u + i, south->u + i);
        read_pressures(n, at->code + p, to->was + i, to->pi + i, to->last + i, to->before + i);
        if (again) continue;
        memcpy(to->b + i, at->b + p, bytes);
        memcpy(to->c + i, at->c + p, bytes);
    }
}

static void pad(int32_t n, const rill_covered_nodes *nodes, const rill_covered_faces *west,
                const rill_covered_faces *south) {
    size_t bytes = (size_t)n * sizeof(int32_t);
    for (int32_t i = 0; i < n; ++i) nodes->b[i] = nodes->c[i] = RILL_WALL;
    for (int32_t i = 0; i < n; ++i) nodes->fill[i] = RILL_NO_ROOF;
    for (int32_t i = 0; i < n; ++i) nodes->last[i] = nodes->before[i] = -1.0;
    memset(nodes->H, 0, bytes);
    memset(nodes->was, 0, bytes);
    memset(nodes->ever, 0, bytes);
    memset(nodes->sealed, 0, bytes);
    memset(nodes->active, 0, bytes);
    memset(nodes->pi, 0, 2 * bytes);
    memset(west->u, 0, bytes);
    memset(south->u, 0, bytes);
    memset(west->t, 0, bytes);
    memset(south->t, 0, bytes);
}

/* -------------------------------------------------------------------------------------------------------------- faces */

KERNEL drive_faces(rill_covered_area at, const int32_t *restrict bl, const int32_t *restrict br,
                   const int32_t *restrict cl, const int32_t *restrict cr, const int32_t *restrict Hl,
                   const int32_t *restrict Hr, const float *restrict u, const int32_t *restrict was_l,
                   const int32_t *restrict was_r, int32_t tilt, const rill_kernel_constants *constants,
                   float *restrict base, float *restrict gain, int32_t *restrict head) {
    const rill_kernel_constants k = *constants;
    EACH_ROW(at, from)
        for (int32_t i = from; i < from + WIDTH(at); ++i) { /* vector */
            rill_covered_ends e = { bl[i], br[i], cl[i], cr[i], Hl[i], Hr[i] };
            rill_covered_face f = rill_covered_drive(&e, u[i], tilt, &k);
            int32_t undriven = was_l[i] | was_r[i];
            base[i] = undriven ? f.base : u[i];
            gain[i] = f.gain;
            head[i] = undriven ? f.head : 0;
        }
}

static void drive(rill_covered_area at, const rill_covered_nodes *a, int32_t step, int32_t tilt,
                  const rill_kernel_constants *k, const rill_covered_faces *f) {
    drive_faces(at, a->b - step, a->b, a->c - step, a->c, a->H - step, a->H, f->u, a->was - step, a->was, tilt, k,
                f->base, f->gain, f->head);
}

KERNEL open_faces(rill_covered_area at, const int32_t *restrict bl, const int32_t *restrict br,
                  const int32_t *restrict cl, const int32_t *restrict cr, const int32_t *restrict Hl,
                  const int32_t *restrict Hr, const float *restrict base, const float *restrict gain,
                  const int32_t *restrict head, const double *restrict pi_l, const double *restrict pi_r, float lambda,
                  float paper, float *restrict reach, float *restrict w, double *restrict q) {
    EACH_ROW(at, from)
        for (int32_t i = from; i < from + WIDTH(at); ++i) { /* vector */
            rill_covered_ends e = { bl[i], br[i], cl[i], cr[i], Hl[i], Hr[i] };
            double u = (double)base[i] + (double)gain[i] * ((double)head[i] + (pi_l[i] - pi_r[i]));
            float opening = (float)rill_covered_opening(&e, (float)u);
            float printed = opening > 0.0f ? paper : 0.0f;
            float across = lambda * (paper > 0.0f ? printed : opening);
            reach[i] = across;
            w[i] = gain[i] * across;
            q[i] = u * (double)across;
        }
}

static void open_area(rill_covered_area at, const rill_covered_nodes *a, int32_t step, float lambda, float paper,
                      const rill_covered_faces *f) {
    open_faces(at, a->b - step, a->b, a->c - step, a->c, a->H - step, a->H, f->base, f->gain, f->head, a->pi - step,
               a->pi, lambda, paper, f->reach, f->w, f->q);
}

JUDGE flow_faces(rill_covered_area at, const int32_t *restrict bl, const int32_t *restrict br,
                 const int32_t *restrict Hl, const int32_t *restrict Hr, const float *restrict base,
                 const float *restrict gain, const int32_t *restrict head, const float *restrict reach,
                 const double *restrict pi_l, const double *restrict pi_r, double *restrict q) {
    int32_t turned = 0;
    EACH_ROW(at, from)
        for (int32_t i = from; i < from + WIDTH(at); ++i) { /* vector */
            double before = q[i];
            double now =
                ((double)base[i] + (double)gain[i] * ((double)head[i] + (pi_l[i] - pi_r[i]))) * (double)reach[i];
            int32_t drop = (bl[i] + Hl[i]) - (br[i] + Hr[i]);
            turned |= (before * now < 0.0) & (rill_abs_i(drop) > RILL_SUBMERGED);
            q[i] = now;
        }
    return turned;
}

static int32_t flow_area(rill_covered_area at, const rill_covered_nodes *a, int32_t step, const rill_covered_faces *f) {
    return flow_faces(at, a->b - step, a->b, a->H - step, a->H, f->base, f->gain, f->head, f->reach, a->pi - step,
                      a->pi, f->q);
}

/* ------------------------------------------------------------------------------------------------------------ balance */

/* Those that were members before stay as full as they are within the band that counts as full; new ones take what they can. */
KERNEL excess_nodes(rill_covered_area at, const int32_t *restrict fill, const float *restrict active,
                    const int32_t *restrict was, const double *restrict west, const double *restrict south,
                    const double *restrict north, double *restrict excess) {
    const double *restrict east = west + 1;
    const int32_t band = RILL_FULL_LOW - RILL_FULL_HIGH;
    EACH_ROW(at, from)
        for (int32_t i = from; i < from + WIDTH(at); ++i) { /* vector */
            int32_t outside =
                rill_max_i(fill[i], 0) + rill_min_i(fill[i] + band, 0); /* of the band that counts as full */
            int32_t over = ((active[i] > 0.0f) & was[i]) != 0 ? outside : fill[i];
            excess[i] = (double)over + ((west[i] - east[i]) + (south[i] - north[i]));
        }
}

static void excess(rill_covered_area at, const rill_covered_nodes *a, const rill_covered_faces *west,
                   const rill_covered_faces *south, double *out) {
    excess_nodes(at, a->fill, a->active, a->was, west->q, south->q, south->q + at.stride, out);
}

static inline double outward(double q, int32_t covered) {
    return (covered & (q > 0.0)) != 0 ? q : 0.0;
}

JUDGE drains_nodes(rill_covered_area at, const int32_t *restrict ever, const int32_t *restrict below,
                   const int32_t *restrict above, const int32_t *restrict H, const double *restrict west,
                   const double *restrict south, const double *restrict north) {
    const double *restrict east = west + 1;
    const int32_t *restrict before = ever - 1, *restrict after = ever + 1;
    int32_t short_of = 0;
    EACH_ROW(at, from)
        for (int32_t i = from; i < from + WIDTH(at); ++i) { /* vector */
            double out = (outward(-west[i], ever[i] | before[i]) + outward(east[i], ever[i] | after[i])) +
                         (outward(-south[i], ever[i] | below[i]) + outward(north[i], ever[i] | above[i]));
            short_of |= (out > 0.0) & (out > (double)H[i] - (double)RILL_LIMIT_SLACK);
        }
    return short_of;
}

static int32_t drains(rill_covered_area at, const rill_covered_nodes *a, const rill_covered_faces *west,
                      const rill_covered_faces *south) {
    return drains_nodes(at, a->ever, a->ever - at.stride, a->ever + at.stride, a->H, west->q, south->q,
                        south->q + at.stride);
}

JUDGE judge_nodes(rill_covered_area at, const int32_t *restrict fill, const float *restrict active, double tolerance,
                  double *restrict f) {
    int32_t off = 0, over = 0;
    EACH_ROW(at, from)
        for (int32_t i = from; i < from + WIDTH(at); ++i) { /* vector */
            int32_t member = active[i] > 0.0f, high = f[i] > tolerance, low = f[i] < -tolerance;
            int32_t add = (member == 0) & high & (fill[i] > RILL_NO_ROOF / 2);
            off |= member & (high | low);
            over |= add;
            f[i] = (member | add) != 0 ? f[i] : 0.0;
        }
    return (off ? RILL_COVERED_OFF : 0) | (over ? RILL_COVERED_OVER : 0);
}

static int32_t judge(rill_covered_area at, const rill_covered_nodes *a, double tolerance, double *f) {
    return judge_nodes(at, a->fill, a->active, tolerance, f);
}

KERNEL change_nodes(rill_covered_area at, const double *restrict west, const double *restrict south,
                    const double *restrict north, const int32_t *restrict ever, const int32_t *restrict below,
                    const int32_t *restrict above, double *restrict change) {
    const double *restrict east = west + 1;
    const int32_t *restrict before = ever - 1, *restrict after = ever + 1;
    EACH_ROW(at, from)
        for (int32_t i = from; i < from + WIDTH(at); ++i) { /* vector */
            double w = (ever[i] | before[i]) != 0 ? west[i] : 0.0, e = (ever[i] | after[i]) != 0 ? east[i] : 0.0;
            double s = (ever[i] | below[i]) != 0 ? south[i] : 0.0, nn = (ever[i] | above[i]) != 0 ? north[i] : 0.0;
            change[i] = (w - e) + (s - nn);
        }
}

static void change(rill_covered_area at, const rill_covered_nodes *a, const rill_covered_faces *west,
                   const rill_covered_faces *south, double *out) {
    const int32_t stride = at.stride;
    change_nodes(at, west->q, south->q, south->q + stride, a->ever, a->ever - stride, a->ever + stride, out);
}

JUDGE cover_nodes(rill_covered_area at, const int32_t *restrict b, const int32_t *restrict c, const int32_t *restrict H,
                  const int32_t *restrict fill, const double *restrict change, int32_t *restrict ever) {
    int32_t any = 0, beyond = 0;
    EACH_ROW(at, from)
        for (int32_t i = from; i < from + WIDTH(at); ++i) { /* vector */
            int32_t roofed = fill[i] > RILL_NO_ROOF / 2;
            int32_t over = roofed & ((double)fill[i] + change[i] > 0.0) & (change[i] != 0.0);
            int32_t fresh = over & (ever[i] == 0);
            ever[i] |= over;
            any |= fresh;
            beyond |= (roofed ^ 1) & (c[i] < RILL_TOP) & (change[i] > 0.0) & (change[i] > (double)(c[i] - b[i] - H[i]));
        }
    return (any ? RILL_COVERED_FRESH : 0) | (beyond ? RILL_COVERED_BEYOND : 0);
}

static int32_t cover(rill_covered_area at, const rill_covered_nodes *a, const double *changes) {
    return cover_nodes(at, a->b, a->c, a->H, a->fill, changes, a->ever);
}

JUDGE correct_nodes(rill_covered_area at, double *restrict x, double *restrict pi) {
    int32_t negative = 0;
    EACH_ROW(at, from)
        for (int32_t i = from; i < from + WIDTH(at); ++i) { /* vector */
            double corrected = pi[i] + x[i];
            negative |= corrected < 0.0;
            pi[i] = corrected;
            x[i] = 0.0;
        }
    return negative;
}

static int32_t correct(rill_covered_area at, const rill_covered_nodes *a, double *x) {
    return correct_nodes(at, x, a->pi);
}

/* ---------------------------------------------------------------------------------------------------------- transfers */

/* More than any column has. */
#define MOST ((double)RILL_TOP)

JUDGE finish_faces(rill_covered_area at, const int32_t *restrict ever_l, const int32_t *restrict ever_r,
                   const double *restrict pi_l, const double *restrict pi_r, float phase, float top_speed,
                   double calm_head, const float *restrict base, const float *restrict gain,
                   const int32_t *restrict head, const float *restrict reach, const double *restrict q,
                   float *restrict u, int32_t *restrict t) {
    int32_t unrest = 0;
    EACH_ROW(at, from)
        for (int32_t i = from; i < from + WIDTH(at); ++i) { /* vector */
            int32_t covered = ever_l[i] | ever_r[i], open = covered & (reach[i] > 0.0f);
            double bounded = q[i] > MOST ? MOST : q[i] < -MOST ? -MOST : q[i];
            int32_t whole = (int32_t)(bounded + (double)(bounded < 0.0 ? -phase : phase));
            double drive = (double)head[i] + (pi_l[i] - pi_r[i]);
            float speed = (float)((double)base[i] + (double)gain[i] * drive);
            unrest |= open & rill_restless(speed, (drive > calm_head) | (drive < -calm_head));
            t[i] = covered ? whole : 0;
            u[i] = covered ? rill_max_f(rill_min_f(speed, top_speed), -top_speed) : u[i];
        }
    return unrest;
}

static int32_t finish(rill_covered_area at, const rill_covered_nodes *a, int32_t step, const rill_kernel_constants *k,
                      double calm_head, const rill_covered_faces *f) {
    return finish_faces(at, a->ever - step, a->ever, a->pi - step, a->pi, k->phase, k->top_speed, calm_head, f->base,
                        f->gain, f->head, f->reach, f->q, f->u, f->t);
}

JUDGE overdrawn_nodes(rill_covered_area at, const int32_t *restrict west, const int32_t *restrict south,
                      const int32_t *restrict north, const int32_t *restrict H) {
    const int32_t *restrict east = west + 1;
    int32_t any = 0;
    EACH_ROW(at, from)
        for (int32_t i = from; i < from + WIDTH(at); ++i) { /* vector */
            float out = ((float)rill_max_i(-west[i], 0) + (float)rill_max_i(east[i], 0)) +
                        ((float)rill_max_i(-south[i], 0) + (float)rill_max_i(north[i], 0));
            any |= out * RILL_LIMIT_OVER > (float)H[i];
        }
    return any;
}

static int32_t overdrawn(rill_covered_area at, const rill_covered_nodes *a, const rill_covered_faces *west,
                         const rill_covered_faces *south) {
    return overdrawn_nodes(at, west->t, south->t, south->t + at.stride, a->H);
}

/* ------------------------------------------------------------------------------------------------------ write and show */

JUDGE write_run(int32_t n, const int32_t *restrict west, const int32_t *restrict south, const int32_t *restrict north,
                const int32_t *restrict ever, const int32_t *restrict below, const int32_t *restrict fill,
                const float *restrict active, const int32_t *restrict sealed, const double *restrict pi,
                const int32_t *restrict b, const int32_t *restrict c, int32_t *restrict H, int32_t *restrict code,
                float *restrict u, float *restrict v) {
    const int32_t *restrict east = west + 1, *restrict before = ever - 1;
    int32_t above = 0;
    for (int32_t i = 0; i < n; ++i) { /* vector */
        int32_t by = (west[i] - east[i]) + (south[i] - north[i]), depth = H[i] + by;
        int32_t member = active[i] > 0.0f;
        double quarters = 4.0 * pi[i] + 0.5, most = 0x1.fffffep30;
        int32_t pressure = 1 + (int32_t)(quarters < most ? quarters : most);
        pressure = sealed[i] != 0 ? -pressure : pressure;
        int32_t noted = member ? pressure : 0;
        above |= depth > c[i] - b[i];
        H[i] = depth;
        code[i] = fill[i] > RILL_NO_ROOF / 2 ? noted : code[i];
        u[i] = (ever[i] | before[i]) != 0 ? 0.0f : u[i];
        v[i] = (ever[i] | below[i]) != 0 ? 0.0f : v[i];
    }
    return above;
}

static int32_t write_columns(int32_t n, int32_t rows, const rill_covered_strides *step, const rill_covered_nodes *a,
                             const rill_covered_faces *west, const rill_covered_faces *south,
                             const rill_covered_columns *at) {
    int32_t above = 0;
    for (int32_t y = 0, i = 0, p = 0; y < rows; ++y, i += step->nodes, p += step->planes)
        above |= write_run(n, west->t + i, south->t + i, south->t + i + step->nodes, a->ever + i,
                           a->ever + i - step->nodes, a->fill + i, a->active + i, a->sealed + i, a->pi + i, at->b + p,
                           at->c + p, at->H + p, at->code + p, at->u + p, at->v + p);
    return above;
}

JUDGE show_faces(int32_t n, const int32_t *restrict ever_l, const int32_t *restrict ever_r,
                 const float *restrict active_l, const float *restrict active_r, const float *restrict velocity,
                 float *restrict u, float *restrict fastest) {
    int32_t other = 0, most = rill_float_bits(*fastest);
    for (int32_t i = 0; i < n; ++i) { /* vector */
        int32_t flooded = (active_l[i] > 0.0f) | (active_r[i] > 0.0f), covered = ever_l[i] | ever_r[i];
        int32_t speed = rill_float_bits(__builtin_fabsf(velocity[i]));
        other |= covered & (flooded ^ 1);
        most = rill_max_i(most, speed & -flooded);
        u[i] = flooded != 0 ? velocity[i] : u[i];
    }
    memcpy(fastest, &most, sizeof *fastest);
    return other;
}

static int32_t show(int32_t n, int32_t rows, const rill_covered_strides *step, const rill_covered_nodes *a,
                    int32_t back, const rill_covered_faces *f, float *u, float *fastest) {
    int32_t other = 0;
    for (int32_t y = 0, i = 0, p = 0; y < rows; ++y, i += step->nodes, p += step->planes)
        other |= show_faces(n, a->ever + i - back, a->ever + i, a->active + i - back, a->active + i, f->u + i, u + p,
                            fastest);
    return other;
}

#define TEXT_OF(NAME) #NAME
#define NAME_OF(NAME) TEXT_OF(NAME)

extern const rill_covered_kernels RILL_KERNELS_NAME;
const rill_covered_kernels RILL_KERNELS_NAME = {
    .name = NAME_OF(RILL_KERNELS_NAME),
    .look = look,
    .read = read_columns,
    .pad = pad,
    .drive = drive,
    .open = open_area,
    .flow = flow_area,
    .excess = excess,
    .drains = drains,
    .judge = judge,
    .change = change,
    .cover = cover,
    .correct = correct,
    .finish = finish,
    .overdrawn = overdrawn,
    .write = write_columns,
    .show = show,
};
