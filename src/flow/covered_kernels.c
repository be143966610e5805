/* The row kernels of the covered stage. Compiled several times with RILL_KERNELS_NAME set to the table's name; see
 * covered_kernels.h, and kernels.c for what makes loops marked "vector" vectorise. */
#include "flow/covered_kernels.h"

#include <string.h>

#include "flow/covered_parts.h"
#include "flow/limit.h"

#define KERNEL static __attribute__((noinline)) void
#define JUDGE static __attribute__((noinline)) int32_t

/* -------------------------------------------------------------------------------------------------------------- nodes */

/* What flows in less what flows out, about: with the depths for openings. A column that fills all the same is blocked by the
 * limiters and found a sub-step later, as is one that sparse pipes fill. Beside a flooded column a passage that is nearly full
 * may fill as a whole at once. */
static void look(const rill_covered_tile *tile, float lambda, int32_t any_x[RILL_TILE_W], int32_t any_y[RILL_TILE_H]) {
    const int32_t stride = tile->stride, share = tile->beside ? 4 : 7; /* of the height, as a power of two */
    const float margin = 1.25f * lambda;
    for (int32_t x = 0; x < RILL_TILE_W; ++x) any_x[x] = 0;
    for (int32_t y = 0; y < RILL_TILE_H; ++y) any_y[y] = 0;
    for (int32_t y = 0; y < tile->rows; ++y) {
        const int32_t *b = tile->b + y * stride, *c = tile->c + y * stride, *code = tile->code + y * stride;
        const int32_t *H = tile->H + y * stride, *H_south = H - stride, *H_north = H + stride;
        const float *u = tile->u + y * stride, *v = tile->v + y * stride, *v_north = v + stride;
        int32_t any = 0;
        for (int32_t x = 0; x < RILL_TILE_W; ++x) { /* vector */
            float in = (rill_max_f(u[x], 0.0f) * (float)H[x - 1] + rill_max_f(-u[x + 1], 0.0f) * (float)H[x + 1]) +
                       (rill_max_f(v[x], 0.0f) * (float)H_south[x] + rill_max_f(-v_north[x], 0.0f) * (float)H_north[x]);
            float out = (rill_max_f(-u[x], 0.0f) + rill_max_f(u[x + 1], 0.0f)) +
                        (rill_max_f(-v[x], 0.0f) + rill_max_f(v_north[x], 0.0f));
            int32_t height = c[x] - b[x];
            float room = (float)(height - H[x] - RILL_FULL_LOW - (height >> share));
            int32_t fills = room <= margin * (in - out * (float)H[x]);
            int32_t near = ((c[x] < RILL_TOP) & (H[x] > RILL_DRY) & fills) | (code[x] != 0);
            any |= near;
            any_x[x] |= near;
        }
        any_y[y] = any;
    }
}

KERNEL read_nodes(int32_t n, const int32_t *restrict b, const int32_t *restrict c, const int32_t *restrict H,
                  const int32_t *restrict code, int32_t *restrict fill, int32_t *restrict was, int32_t *restrict ever,
                  double *restrict pi, float *restrict active) {
    for (int32_t i = 0; i < n; ++i) { /* vector */
        int32_t roofed = (c[i] < RILL_TOP) & (b[i] < RILL_TOP);
        int32_t member = roofed & (code[i] != 0);
        int32_t size = code[i] < 0 ? -code[i] : code[i];
        double pressure = code[i] == RILL_PRESSURE_NEW ? -1.0 : (double)(size - 1) * 0.25;
        fill[i] = roofed ? H[i] - rill_max_i(c[i] - b[i] - RILL_FULL_HIGH, 0) : RILL_NO_ROOF;
        was[i] = member;
        ever[i] = member;
        pi[i] = member ? pressure : 0.0;
        active[i] = member ? 1.0f : 0.0f;
    }
}

static void read_run(int32_t n, const int32_t *b, const int32_t *c, const int32_t *H, const int32_t *code,
                     const rill_covered_nodes *nodes) {
    read_nodes(n, b, c, H, code, nodes->fill, nodes->was, nodes->ever, nodes->pi, nodes->active);
    for (int32_t i = 0; i < n; ++i) nodes->sealed[i] = 0;
}

static void pass_over(int32_t n, const rill_covered_nodes *nodes) {
    for (int32_t i = 0; i < n; ++i) {
        nodes->fill[i] = RILL_NO_ROOF;
        nodes->was[i] = nodes->ever[i] = nodes->sealed[i] = 0;
        nodes->pi[i] = 0.0;
        nodes->active[i] = 0.0f;
    }
}

/* -------------------------------------------------------------------------------------------------------------- faces */

KERNEL drive_faces(int32_t n, const int32_t *restrict bl, const int32_t *restrict br, const int32_t *restrict cl,
                   const int32_t *restrict cr, const int32_t *restrict Hl, const int32_t *restrict Hr,
                   const float *restrict u, const int32_t *restrict was_l, const int32_t *restrict was_r, int32_t tilt,
                   const rill_kernel_constants *constants, float *restrict base, float *restrict gain,
                   int32_t *restrict head) {
    const rill_kernel_constants k = *constants;
    for (int32_t i = 0; i < n; ++i) { /* vector */
        rill_covered_ends e = { bl[i], br[i], cl[i], cr[i], Hl[i], Hr[i] };
        rill_covered_face f = rill_covered_drive(&e, u[i], tilt, &k);
        int32_t undriven = was_l[i] | was_r[i];
        base[i] = undriven ? f.base : u[i];
        gain[i] = f.gain;
        head[i] = undriven ? f.head : 0;
    }
}

static void drive(const rill_covered_run *run, const float *u, const int32_t *was_l, const int32_t *was_r, int32_t tilt,
                  const rill_kernel_constants *k, const rill_covered_faces *faces) {
    drive_faces(run->n, run->bl, run->br, run->cl, run->cr, run->Hl, run->Hr, u, was_l, was_r, tilt, k, faces->base,
                faces->gain, faces->head);
}

KERNEL open_faces(int32_t n, const int32_t *restrict bl, const int32_t *restrict br, const int32_t *restrict cl,
                  const int32_t *restrict cr, const int32_t *restrict Hl, const int32_t *restrict Hr,
                  const float *restrict base, const float *restrict gain, const int32_t *restrict head,
                  const double *restrict pi_l, const double *restrict pi_r, float lambda, float paper,
                  float *restrict reach, double *restrict q, float *restrict w) {
    for (int32_t i = 0; i < n; ++i) { /* vector */
        rill_covered_ends e = { bl[i], br[i], cl[i], cr[i], Hl[i], Hr[i] };
        double u = (double)base[i] + (double)gain[i] * ((double)head[i] + (pi_l[i] - pi_r[i]));
        float opening = (float)rill_covered_opening(&e, (float)u);
        float printed = opening > 0.0f ? paper : 0.0f;
        float across = lambda * (paper > 0.0f ? printed : opening);
        reach[i] = across;
        q[i] = u * (double)across;
        w[i] = gain[i] * across;
    }
}

static void open_run(const rill_covered_run *run, const double *pi_l, const double *pi_r, float lambda, float paper,
                     const rill_covered_faces *f, float *w) {
    open_faces(run->n, run->bl, run->br, run->cl, run->cr, run->Hl, run->Hr, f->base, f->gain, f->head, pi_l, pi_r,
               lambda, paper, f->reach, f->q, w);
}

KERNEL flow_faces(int32_t n, const float *restrict base, const float *restrict gain, const int32_t *restrict head,
                  const float *restrict reach, const double *restrict pi_l, const double *restrict pi_r,
                  double *restrict q) {
    for (int32_t i = 0; i < n; ++i) /* vector */
        q[i] = ((double)base[i] + (double)gain[i] * ((double)head[i] + (pi_l[i] - pi_r[i]))) * (double)reach[i];
}

static void flow_run(int32_t n, const double *pi_l, const double *pi_r, const rill_covered_faces *f) {
    flow_faces(n, f->base, f->gain, f->head, f->reach, pi_l, pi_r, f->q);
}

/* ------------------------------------------------------------------------------------------------------------ balance */

static inline double outward(double q, int32_t covered) {
    return covered & (q > 0.0) ? q : 0.0;
}

JUDGE short_nodes(int32_t n, const double *restrict west, const double *restrict south, const double *restrict north,
                  const int32_t *restrict ever, const int32_t *restrict below, const int32_t *restrict above,
                  const int32_t *restrict H) {
    const double *restrict east = west + 1;
    const int32_t *restrict before = ever - 1, *restrict after = ever + 1;
    int32_t any = 0;
    for (int32_t i = 0; i < n; ++i) { /* vector */
        double out = (outward(-west[i], ever[i] | before[i]) + outward(east[i], ever[i] | after[i])) +
                     (outward(-south[i], ever[i] | below[i]) + outward(north[i], ever[i] | above[i]));
        any |= (out > 0.0) & (out > (double)H[i] - (double)RILL_LIMIT_SLACK);
    }
    return any;
}

static int32_t short_of(int32_t n, const rill_covered_sides *at, const int32_t *H) {
    return short_nodes(n, at->q_west, at->q_south, at->q_north, at->ever, at->ever_south, at->ever_north, H);
}

KERNEL excess_nodes(int32_t n, const int32_t *restrict fill, const float *restrict active, const double *restrict west,
                    const double *restrict south, const double *restrict north, double *restrict excess) {
    const double *restrict east = west + 1;
    const int32_t band = RILL_FULL_LOW - RILL_FULL_HIGH;
    for (int32_t i = 0; i < n; ++i) {                                             /* vector */
        int32_t outside = rill_max_i(fill[i], 0) + rill_min_i(fill[i] + band, 0); /* of the band that counts as full */
        int32_t over = active[i] > 0.0f ? outside : fill[i];
        excess[i] = (double)over + ((west[i] - east[i]) + (south[i] - north[i]));
    }
}

static void excess_run(int32_t n, const int32_t *fill, const float *active, const rill_covered_sides *at,
                       double *excess) {
    excess_nodes(n, fill, active, at->q_west, at->q_south, at->q_north, excess);
}

JUDGE judge(int32_t n, const int32_t *restrict fill, const float *restrict active, double tolerance,
            double *restrict f) {
    int32_t off = 0, over = 0;
    for (int32_t i = 0; i < n; ++i) { /* vector */
        int32_t member = active[i] > 0.0f, high = f[i] > tolerance, low = f[i] < -tolerance;
        int32_t add = (member == 0) & high & (fill[i] > RILL_NO_ROOF / 2);
        off |= member & (high | low);
        over |= add;
        f[i] = (member | add) != 0 ? f[i] : 0.0;
    }
    return off | over << 1;
}

KERNEL change_nodes(int32_t n, const double *restrict west, const double *restrict south, const double *restrict north,
                    const int32_t *restrict ever, const int32_t *restrict below, const int32_t *restrict above,
                    double *restrict change) {
    const double *restrict east = west + 1;
    const int32_t *restrict before = ever - 1, *restrict after = ever + 1;
    for (int32_t i = 0; i < n; ++i) { /* vector */
        double w = (ever[i] | before[i]) != 0 ? west[i] : 0.0, e = (ever[i] | after[i]) != 0 ? east[i] : 0.0;
        double s = (ever[i] | below[i]) != 0 ? south[i] : 0.0, nn = (ever[i] | above[i]) != 0 ? north[i] : 0.0;
        change[i] = (w - e) + (s - nn);
    }
}

static void change_run(int32_t n, const rill_covered_sides *at, double *change) {
    change_nodes(n, at->q_west, at->q_south, at->q_north, at->ever, at->ever_south, at->ever_north, change);
}

JUDGE cover(int32_t n, const int32_t *restrict fill, const double *restrict change, int32_t *restrict ever) {
    int32_t any = 0;
    for (int32_t i = 0; i < n; ++i) { /* vector */
        int32_t over = (fill[i] > RILL_NO_ROOF / 2) & ((double)fill[i] + change[i] > 0.0) & (change[i] != 0.0);
        int32_t fresh = over & (ever[i] == 0);
        ever[i] |= over;
        any |= fresh;
    }
    return any;
}

JUDGE correct(int32_t n, double *restrict x, double *restrict pi) {
    int32_t negative = 0;
    for (int32_t i = 0; i < n; ++i) { /* vector */
        double corrected = pi[i] + x[i];
        negative |= corrected < 0.0;
        pi[i] = corrected;
        x[i] = 0.0;
    }
    return negative;
}

/* ---------------------------------------------------------------------------------------------------------- transfers */

/* More than any column has. */
#define MOST ((double)RILL_TOP)

KERNEL finish_faces(int32_t n, const int32_t *restrict ever_l, const int32_t *restrict ever_r,
                    const double *restrict pi_l, const double *restrict pi_r, float phase, const float *restrict gain,
                    const int32_t *restrict head, const double *restrict q, float *restrict base, int32_t *restrict t) {
    for (int32_t i = 0; i < n; ++i) { /* vector */
        int32_t covered = ever_l[i] | ever_r[i];
        double bounded = q[i] > MOST ? MOST : q[i] < -MOST ? -MOST : q[i];
        int32_t whole = (int32_t)(bounded + (double)(bounded < 0.0 ? -phase : phase));
        float u = (float)((double)base[i] + (double)gain[i] * ((double)head[i] + (pi_l[i] - pi_r[i])));
        t[i] = covered ? whole : 0;
        base[i] = covered ? u : base[i];
    }
}

static void finish(int32_t n, const int32_t *ever_l, const int32_t *ever_r, const double *pi_l, const double *pi_r,
                   float phase, const rill_covered_faces *f) {
    finish_faces(n, ever_l, ever_r, pi_l, pi_r, phase, f->gain, f->head, f->q, f->base, f->t);
}

/* Four transfers of a stable sub-step fit an int32 together: each is less than its donor's depth, at most 2^29. */
JUDGE overdrawn_nodes(int32_t n, const int32_t *restrict west, const int32_t *restrict south,
                      const int32_t *restrict north, const int32_t *restrict H) {
    const int32_t *restrict east = west + 1;
    int32_t any = 0;
    for (int32_t i = 0; i < n; ++i) { /* vector */
        float out = ((float)rill_max_i(-west[i], 0) + (float)rill_max_i(east[i], 0)) +
                    ((float)rill_max_i(-south[i], 0) + (float)rill_max_i(north[i], 0));
        any |= out * RILL_LIMIT_OVER > (float)H[i];
    }
    return any;
}

static int32_t overdrawn(int32_t n, const rill_covered_sides *at, const int32_t *H) {
    return overdrawn_nodes(n, at->t_west, at->t_south, at->t_north, H);
}

JUDGE deposit_nodes(int32_t n, const int32_t *restrict west, const int32_t *restrict south,
                    const int32_t *restrict north, const int32_t *restrict b, const int32_t *restrict c,
                    int32_t *restrict H) {
    const int32_t *restrict east = west + 1;
    int32_t changed = 0, above = 0;
    for (int32_t i = 0; i < n; ++i) { /* vector */
        int32_t change = (west[i] - east[i]) + (south[i] - north[i]);
        int32_t depth = H[i] + change;
        H[i] = depth;
        changed |= change != 0;
        above |= depth > c[i] - b[i];
    }
    return changed | above << 1;
}

static int32_t deposit(int32_t n, const rill_covered_sides *at, const int32_t *b, const int32_t *c, int32_t *H) {
    return deposit_nodes(n, at->t_west, at->t_south, at->t_north, b, c, H);
}

/* ------------------------------------------------------------------------------------------------------ hide and show */

JUDGE note_nodes(int32_t n, const int32_t *restrict fill, const float *restrict active, const int32_t *restrict sealed,
                 const double *restrict pi, int32_t *restrict code) {
    int32_t any = 0;
    for (int32_t i = 0; i < n; ++i) { /* vector */
        int32_t member = active[i] > 0.0f;
        double quarters = 4.0 * pi[i] + 0.5, most = 0x1.fffffep30;
        int32_t pressure = 1 + (int32_t)(quarters < most ? quarters : most);
        pressure = sealed[i] != 0 ? -pressure : pressure;
        int32_t noted = member ? pressure : 0;
        code[i] = fill[i] > RILL_NO_ROOF / 2 ? noted : code[i];
        any |= member;
    }
    return any;
}

static int32_t note(int32_t n, const rill_covered_nodes *nodes, int32_t *code) {
    return note_nodes(n, nodes->fill, nodes->active, nodes->sealed, nodes->pi, code);
}

JUDGE hide_faces(int32_t n, const int32_t *restrict ever_l, const int32_t *restrict ever_r, const double *restrict pi_l,
                 const double *restrict pi_r, const float *restrict base, const int32_t *restrict head,
                 const float *restrict reach, float calm_speed, double calm_head, float *restrict u) {
    int32_t unrest = 0;
    for (int32_t i = 0; i < n; ++i) { /* vector */
        int32_t covered = ever_l[i] | ever_r[i], open = covered & (reach[i] > 0.0f);
        double drive = (double)head[i] + (pi_l[i] - pi_r[i]);
        int32_t fast = (base[i] >= calm_speed) | (base[i] <= -calm_speed);
        int32_t driven = (drive > calm_head) | (drive < -calm_head);
        unrest |= open & (fast | driven);
        u[i] = covered ? 0.0f : u[i];
    }
    return unrest;
}

static int32_t hide(int32_t n, const int32_t *ever_l, const int32_t *ever_r, const double *pi_l, const double *pi_r,
                    const rill_covered_faces *f, float calm_speed, double calm_head, float *u) {
    return hide_faces(n, ever_l, ever_r, pi_l, pi_r, f->base, f->head, f->reach, calm_speed, calm_head, u);
}

JUDGE show_faces(int32_t n, const int32_t *restrict ever_l, const int32_t *restrict ever_r,
                 const float *restrict active_l, const float *restrict active_r, const float *restrict base,
                 float *restrict u, float *restrict fastest) {
    int32_t other = 0, most = rill_float_bits(*fastest);
    for (int32_t i = 0; i < n; ++i) { /* vector */
        float members = active_l[i] + active_r[i];
        int32_t covered = ever_l[i] | ever_r[i], speed = rill_float_bits(__builtin_fabsf(base[i]));
        other |= members > 0.0f ? 0 : covered;
        most = rill_max_i(most, members > 0.0f ? speed : 0);
        u[i] = members > 0.0f ? base[i] : u[i];
    }
    memcpy(fastest, &most, sizeof *fastest);
    return other;
}

static int32_t show(int32_t n, const int32_t *ever_l, const int32_t *ever_r, const float *active_l,
                    const float *active_r, const float *base, float *u, float *fastest) {
    return show_faces(n, ever_l, ever_r, active_l, active_r, base, u, fastest);
}

#define TEXT_OF(NAME) #NAME
#define NAME_OF(NAME) TEXT_OF(NAME)

extern const rill_covered_kernels RILL_KERNELS_NAME;
const rill_covered_kernels RILL_KERNELS_NAME = {
    .name = NAME_OF(RILL_KERNELS_NAME),
    .look = look,
    .read = read_run,
    .pass_over = pass_over,
    .drive = drive,
    .open = open_run,
    .flow = flow_run,
    .short_of = short_of,
    .excess = excess_run,
    .judge = judge,
    .change = change_run,
    .cover = cover,
    .correct = correct,
    .finish = finish,
    .overdrawn = overdrawn,
    .deposit = deposit,
    .note = note,
    .hide = hide,
    .show = show,
};
