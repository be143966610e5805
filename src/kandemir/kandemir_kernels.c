/* The row kernels of Kandemir's method. Compiled several times with RILL_KERNELS_NAME set to the table's name; see
 * kandemir_kernels.h, kandemir.h for the scheme, and kernels.c for what makes loops marked "vector" vectorise.
 *
 * Symmetry: a pipe seen from its other end is the same arithmetic with every sign turned, and sums over the eight pipes
 * of a column are taken by opposite pairs first. A mirrored or turned tank then has the same bits. */
#include "kandemir/kandemir_kernels.h"

#include "base/simd.h"
#include "flow/limit.h"
#include "flow/move.h"

#define INLINE static inline __attribute__((always_inline))

enum { RUN = 16 };

/* ------------------------------------------------------------------------------------------------------------ drive */

/* Returns a pipe's new velocity (Eq. 5.4) from the levels at its ends and what else drives it, Pa. Nothing comes out of
 * a column whose liquid does not stand above the sill. */
INLINE float driven(int32_t l, int32_t r, int32_t sill, float other, float u,
                    const rill_kandemir_constants *constants) {
    float dP = (float)(l - r) * constants->pressure + other;
    float left = rill_above_zero(1.0f - constants->viscosity * (dP * dP)); /* F_external - F_viscosity, over dP */
    float pushed = u * constants->keep + constants->gain * (dP * left);
    float speed = rill_max_f(rill_min_f(pushed, constants->top_speed), -constants->top_speed);
    int32_t donor = speed > 0.0f ? l : r;
    return donor - sill > RILL_DRY ? speed : 0.0f;
}

/* Pressures by which the accelerations of both ends drive a pipe that leads from `s`, `d` farther on: along x, and along y. */
#define ALONG_X(s, d) (s##x[i + (d)] + x[i])
#define ALONG_Y(s, d) (s##y[i + (d)] + y[i])

#define DRIVE_KERNEL(NAME, PRESSED, PUSHED)                                                                            \
    static void NAME(int32_t n, const rill_kandemir_row *row, const rill_kandemir_row *south,                          \
                     const rill_kandemir_constants *shared) {                                                          \
        const rill_kandemir_constants constants = *shared;                                                             \
        const int32_t *b = row->b, *bs = south->b, *H = row->H, *Hs = south->H;                                        \
        const float *p = row->external, *ps = south->external, *x = row->half[0], *y = row->half[1];                   \
        const float *sx = south->half[0], *sy = south->half[1];                                                        \
        float *u = row->u, *v = row->v, *ne = row->ne, *nw = row->nw;                                                  \
        const float along = constants.tilt[0] + constants.tilt[1], across = constants.tilt[1] - constants.tilt[0];     \
        RILL_EACH_ALONE /* vector */                                                                                   \
            for (int32_t i = 0; i < (n & -RUN); ++i) {                                                                 \
            int32_t h = b[i] + H[i], hw = b[i - 1] + H[i - 1], hs = bs[i] + Hs[i];                                     \
            int32_t hsw = bs[i - 1] + Hs[i - 1], hse = bs[i + 1] + Hs[i + 1];                                          \
            /* A diagonal pipe passes over the lower of the two columns beside it. */                                  \
            int32_t sill_ne = rill_max_i(rill_max_i(b[i], bs[i - 1]), rill_min_i(b[i - 1], bs[i]));                    \
            int32_t sill_nw = rill_max_i(rill_max_i(b[i], bs[i + 1]), rill_min_i(b[i + 1], bs[i]));                    \
            float from_w = constants.tilt[0], from_s = constants.tilt[1], from_sw = along, from_se = across;           \
            if (PRESSED) {                                                                                             \
                from_w += p[i - 1] - p[i];                                                                             \
                from_s += ps[i] - p[i];                                                                                \
                from_sw += ps[i - 1] - p[i];                                                                           \
                from_se += ps[i + 1] - p[i];                                                                           \
            }                                                                                                          \
            if (PUSHED) {                                                                                              \
                from_w += ALONG_X(, -1);                                                                               \
                from_s += ALONG_Y(s, 0);                                                                               \
                from_sw += ALONG_X(s, -1) + ALONG_Y(s, -1);                                                            \
                from_se += ALONG_Y(s, 1) - ALONG_X(s, 1);                                                              \
            }                                                                                                          \
            u[i] = driven(hw, h, rill_max_i(b[i - 1], b[i]), from_w, u[i], &constants);                                \
            v[i] = driven(hs, h, rill_max_i(bs[i], b[i]), from_s, v[i], &constants);                                   \
            ne[i] = driven(hsw, h, sill_ne, from_sw, ne[i], &constants);                                               \
            nw[i] = driven(hse, h, sill_nw, from_se, nw[i], &constants);                                               \
        }                                                                                                              \
    }

DRIVE_KERNEL(drive_free, 0, 0)
DRIVE_KERNEL(drive_pressed, 1, 0)
DRIVE_KERNEL(drive_pushed, 1, 1)

static void drive(int32_t n, const rill_kandemir_row *row, const rill_kandemir_row *south, rill_kandemir_drive how,
                  const rill_kandemir_constants *constants) {
    (how == RILL_TANK_PUSHED    ? drive_pushed
     : how == RILL_TANK_PRESSED ? drive_pressed
                                : drive_free)(n, row, south, constants);
}

/* ------------------------------------------------------------------------------------------------------------ limit */

/* Each of eight pipes may round up by one; 2^-20 as in limit.h. What is kept back is far below RILL_DRY. */
#define SLACK 16

/* Flow out of a column through its eight pipes, and into it, m/s. */
#define OUT(i)                                                                                                         \
    (rill_limit_outflow(u[i], u[(i) + 1], v[i], vn[i]) + rill_limit_outflow(ne[i], nen[(i) + 1], nw[i], nwn[(i)-1]))
#define IN(i)                                                                                                          \
    (rill_limit_inflow(u[i], u[(i) + 1], v[i], vn[i]) + rill_limit_inflow(ne[i], nen[(i) + 1], nw[i], nwn[(i)-1]))

/* Is positive where K is below 1. A column with no flow never needs limiting, however little it has. */
INLINE float excess(float flow, int32_t available) {
    return (flow * RILL_LIMIT_OVER + (float)SLACK) - (float)rill_max_i(available, SLACK);
}
INLINE float factor(float flow, int32_t available) {
    float has = (float)available;
    float k = (float)rill_max_i(available - SLACK, 0) * RILL_LIMIT_UNDER / rill_max_f(flow, has + 1.0f);
    return flow * RILL_LIMIT_OVER + (float)SLACK > has ? k : 1.0f;
}

#define LIMIT_KERNELS(FLAG, LIMIT, FLOW, AVAILABLE)                                                                    \
    static bool FLAG(int32_t n, const rill_kandemir_row *row, const rill_kandemir_row *north, float flux) {            \
        const int32_t *b = row->b, *c = row->c, *H = row->H;                                                           \
        const float *u = row->u, *v = row->v, *vn = north->v, *ne = row->ne, *nen = north->ne;                         \
        const float *nw = row->nw, *nwn = north->nw;                                                                   \
        int32_t most = 0;                                                                                              \
        (void)b, (void)c;                                                                                              \
        for (int32_t i = 0; i < (n & -RUN); ++i) /* vector */                                                          \
            most = rill_max_i(most, rill_float_bits(excess(FLOW(i) * flux, AVAILABLE)));                               \
        return most > 0;                                                                                               \
    }                                                                                                                  \
    static void LIMIT(int32_t n, const rill_kandemir_row *row, const rill_kandemir_row *north, float flux) {           \
        const int32_t *b = row->b, *c = row->c, *H = row->H;                                                           \
        const float *u = row->u, *v = row->v, *vn = north->v, *ne = row->ne, *nen = north->ne;                         \
        const float *nw = row->nw, *nwn = north->nw;                                                                   \
        float *K = row->K;                                                                                             \
        (void)b, (void)c;                                                                                              \
        RILL_EACH_ALONE /* vector */                                                                                   \
            for (int32_t i = 0; i < (n & -RUN); ++i) K[i] = factor(FLOW(i) * flux, AVAILABLE);                         \
    }

LIMIT_KERNELS(flag_out, limit_out, OUT, H[i])
LIMIT_KERNELS(flag_in, limit_in, IN, c[i] - b[i] - H[i])

static bool flag(int32_t n, const rill_kandemir_row *row, const rill_kandemir_row *north, bool taking, float flux) {
    return (taking ? flag_in : flag_out)(n, row, north, flux);
}

static void limit(int32_t n, const rill_kandemir_row *row, const rill_kandemir_row *north, bool taking, float flux) {
    (taking ? limit_in : limit_out)(n, row, north, flux);
}

static void scale(int32_t n, const rill_kandemir_row *row, const rill_kandemir_row *south, bool taking) {
    const float *K = row->K, *Ks = south->K, sign = taking ? -1.0f : 1.0f;
    float *u = row->u, *v = row->v, *ne = row->ne, *nw = row->nw;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RUN); ++i) {
        u[i] *= u[i] * sign > 0.0f ? K[i - 1] : K[i];
        v[i] *= v[i] * sign > 0.0f ? Ks[i] : K[i];
        ne[i] *= ne[i] * sign > 0.0f ? Ks[i - 1] : K[i];
        nw[i] *= nw[i] * sign > 0.0f ? Ks[i + 1] : K[i];
    }
}

/* ---------------------------------------------------------------------------------------------------------- deposit */

INLINE int32_t whole(float speed, float flux, float phase) {
    return (int32_t)rill_move_whole(speed * flux, phase);
}

INLINE int32_t faster(float u, float v) {
    return rill_max_i(rill_float_bits(__builtin_fabsf(u)), rill_float_bits(__builtin_fabsf(v)));
}

/* Moves whole quanta. The flow of a pipe is worked out at both of its ends: that costs less than to write it down. */
static void deposit(int32_t n, const rill_kandemir_row *row, const rill_kandemir_row *north,
                    const rill_kandemir_constants *constants, rill_flow_extent *extent) {
    const float *u = row->u, *v = row->v, *vn = north->v, *ne = row->ne, *nen = north->ne;
    const float *nw = row->nw, *nwn = north->nw, f = constants->flux, phase = constants->phase;
    const int32_t *b = row->b, thin = constants->thin;
    int32_t *H = row->H, depth = extent->depth, highest = extent->level, speed = rill_float_bits(extent->speed);
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RUN); ++i) {
        int32_t along =
            (whole(u[i], f, phase) - whole(u[i + 1], f, phase)) + (whole(v[i], f, phase) - whole(vn[i], f, phase));
        int32_t across = (whole(ne[i], f, phase) - whole(nen[i + 1], f, phase)) +
                         (whole(nw[i], f, phase) - whole(nwn[i - 1], f, phase));
        int32_t depth_now = H[i] + (along + across);
        H[i] = depth_now;
        depth = rill_max_i(depth, depth_now);
        highest = rill_max_i(highest, depth_now > RILL_DRY ? b[i] + depth_now : 0);
        float fastest = rill_bits_float(faster(u[i], u[i + 1])) + rill_bits_float(faster(v[i], vn[i]));
        speed = rill_max_i(speed, depth_now > thin ? rill_float_bits(fastest) : 0);
    }
    *extent = (rill_flow_extent){ .depth = depth, .level = highest, .speed = rill_bits_float(speed) };
}

extern const rill_kandemir_kernels RILL_KERNELS_NAME;
const rill_kandemir_kernels RILL_KERNELS_NAME = {
    .drive = drive, .flag = flag, .limit = limit, .scale = scale, .deposit = deposit
};
