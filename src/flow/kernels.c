/* The row kernels. Compiled several times with RILL_KERNELS_NAME set to the table's name; see kernels.h.
 *
 * Loops marked "vector" must vectorise (a test looks at the compiler's report). What that takes with gcc 12: selections
 * instead of branches, -fno-trapping-math, and the word that no pass depends on another (RILL_EACH_ALONE). */
#include "flow/kernels.h"

#include "base/simd.h"
#include "flow/limit.h"
#include "flow/move.h"
#include "flow/velocity.h"

/* ------------------------------------------------------------------------------------------------------------- move */

#define RAW_KERNEL(NAME, COVERED)                                                                                      \
    static void NAME(int32_t x, int32_t n, const rill_row *row, const rill_row *south, float lambda) {                 \
        const int32_t *b = row->b + x, *bs = south->b + x, *H = row->H + x, *Hs = south->H + x;                        \
        const int32_t *c = row->c + x, *cs = south->c + x;                                                             \
        const float *u = row->u + x, *v = row->v + x;                                                                  \
        float *qx = row->qx + x, *qy = row->qy + x, *ux = row->ux + x, *vy = row->vy + x;                              \
        RILL_EACH_ALONE /* vector */                                                                                   \
            for (int32_t i = 0; i < (n & -RILL_RUN); ++i) {                                                            \
            rill_face west = rill_face_at(b[i - 1], b[i], H[i - 1], H[i]);                                             \
            rill_face down = rill_face_at(bs[i], b[i], Hs[i], H[i]);                                                   \
            if (COVERED) {                                                                                             \
                west = rill_face_under(west, rill_min_i(c[i - 1], c[i]) - rill_max_i(b[i - 1], b[i]));                 \
                down = rill_face_under(down, rill_min_i(cs[i], c[i]) - rill_max_i(bs[i], b[i]));                       \
            }                                                                                                          \
            float old_u = u[i], old_v = v[i];                                                                          \
            qx[i] = old_u * lambda * (float)rill_move_opening(&west, old_u);                                           \
            qy[i] = old_v * lambda * (float)rill_move_opening(&down, old_v);                                           \
            ux[i] = old_u;                                                                                             \
            vy[i] = old_v;                                                                                             \
        }                                                                                                              \
    }

RAW_KERNEL(raw_open, 0)
RAW_KERNEL(raw_covered, 1)

static void raw(int32_t x, int32_t n, const rill_row *row, const rill_row *south, bool covered,
                const rill_kernel_constants *constants) {
    (covered ? raw_covered : raw_open)(x, n, row, south, constants->lambda);
}

static void raw_paper(int32_t x, int32_t n, const rill_row *row, const rill_row *south, bool covered,
                      const rill_kernel_constants *constants) {
    (void)south, (void)covered;
    const float *u = row->u + x, *v = row->v + x;
    float *qx = row->qx + x, *qy = row->qy + x, *ux = row->ux + x, *vy = row->vy + x,
          factor = constants->lambda * constants->paper_opening;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RILL_RUN); ++i) {
        ux[i] = u[i];
        vy[i] = v[i];
        qx[i] = u[i] * factor;
        qy[i] = v[i] * factor;
    }
}

static void whole(int32_t x, int32_t n, const rill_row *row, float phase) {
    float *qx = row->qx + x, *qy = row->qy + x;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RILL_RUN); ++i) {
        qx[i] = rill_move_whole(qx[i], phase);
        qy[i] = rill_move_whole(qy[i], phase);
    }
}

static void whole_scaled(int32_t x, int32_t n, const rill_row *row, float phase) {
    const float *kx = row->kx + x, *ky = row->ky + x;
    float *qx = row->qx + x, *qy = row->qy + x;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RILL_RUN); ++i) {
        qx[i] = rill_move_whole(qx[i], kx[i] == 1.0f ? phase : 0.0f);
        qy[i] = rill_move_whole(qy[i], ky[i] == 1.0f ? phase : 0.0f);
    }
}

static int32_t level(int32_t x, int32_t n, const rill_row *row) {
    const int32_t *b = row->b + x, *H = row->H + x;
    int32_t highest = 0;
    for (int32_t i = 0; i < (n & -RILL_RUN); ++i) /* vector */
        highest = rill_max_i(highest, H[i] > 0 ? b[i] + H[i] : 0);
    return highest;
}

/* The larger of two speeds, as bits: floats that are not negative order like their bits, and integer maxima
 * vectorise. */
RILL_INLINE int32_t faster(float u, float v) {
    return rill_max_i(rill_float_bits(__builtin_fabsf(u)), rill_float_bits(__builtin_fabsf(v)));
}

static void deposit(int32_t x, int32_t n, const rill_row *row, const rill_row *north,
                    const rill_kernel_constants *constants, rill_flow_extent *extent) {
    const float *qx = row->qx + x, *qy = row->qy + x, *qn = north->qy + x;
    const float *ux = row->ux + x, *vy = row->vy + x, *vn = north->vy + x;
    const int32_t *b = row->b + x;
    const int32_t thin = constants->thin;
    const float weight = constants->weight;
    int32_t *H = row->H + x, depth = extent->depth, highest = extent->level, speed = rill_float_bits(extent->speed),
            rush = rill_float_bits(extent->rush), dash = rill_float_bits(extent->dash);
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RILL_RUN); ++i) {
        int32_t d = H[i] + (((int32_t)qx[i] - (int32_t)qx[i + 1]) + ((int32_t)qy[i] - (int32_t)qn[i]));
        H[i] = d;
        depth = rill_max_i(depth, d);
        highest = rill_max_i(highest, d > RILL_DRY ? b[i] + d : 0);
        float fastest = rill_bits_float(faster(ux[i], ux[i + 1])) + rill_bits_float(faster(vy[i], vn[i]));
        fastest = d > thin ? fastest : 0.0f;
        speed = rill_max_i(speed, rill_float_bits(fastest));
        const float squared = fastest * fastest, waves = weight * (float)d;
        rush = rill_max_i(rush, rill_float_bits(squared + waves));
        dash = rill_max_i(dash, rill_float_bits(squared + 4.0f * waves));
    }
    *extent =
        (rill_flow_extent){ depth, highest, rill_bits_float(speed), rill_bits_float(rush), rill_bits_float(dash) };
}

/* ------------------------------------------------------------------------------------------------------------ limit */

static int32_t flag_open(int32_t x, int32_t n, const rill_row *row, const rill_row *north) {
    const float *qx = row->qx + x, *qy = row->qy + x, *qn = north->qy + x;
    const int32_t *H = row->H + x;
    int32_t most = 0;
    for (int32_t i = 0; i < (n & -RILL_RUN); ++i) { /* vector */
        float out = rill_limit_outflow(qx[i], qx[i + 1], qy[i], qn[i]);
        most = rill_max_i(most, rill_float_bits(rill_limit_excess(out, H[i])));
    }
    return most > 0;
}

static int32_t flag_covered(int32_t x, int32_t n, const rill_row *row, const rill_row *north) {
    const float *qx = row->qx + x, *qy = row->qy + x, *qn = north->qy + x;
    const int32_t *b = row->b + x, *H = row->H + x, *c = row->c + x;
    int32_t most_out = 0, most_in = 0;
    for (int32_t i = 0; i < (n & -RILL_RUN); ++i) { /* vector */
        float out = rill_limit_outflow(qx[i], qx[i + 1], qy[i], qn[i]);
        float in = rill_limit_inflow(qx[i], qx[i + 1], qy[i], qn[i]);
        most_out = rill_max_i(most_out, rill_float_bits(rill_limit_excess(out, H[i])));
        most_in = rill_max_i(most_in, rill_float_bits(rill_limit_excess(in, c[i] - b[i] - H[i])));
    }
    return (most_out > 0) | (most_in > 0) << 1;
}

static int32_t flag(int32_t x, int32_t n, const rill_row *row, const rill_row *north, bool covered) {
    return (covered ? flag_covered : flag_open)(x, n, row, north);
}

static void limit_out(int32_t x, int32_t n, const rill_row *row, const rill_row *north) {
    const float *qx = row->qx + x, *qy = row->qy + x, *qn = north->qy + x;
    const int32_t *H = row->H + x;
    float *K = row->Ko + x;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RILL_RUN); ++i) K[i] =
            rill_limit_factor(rill_limit_outflow(qx[i], qx[i + 1], qy[i], qn[i]), (float)H[i]);
}

static void limit_in(int32_t x, int32_t n, const rill_row *row, const rill_row *north) {
    const float *qx = row->qx + x, *qy = row->qy + x, *qn = north->qy + x;
    const int32_t *b = row->b + x, *H = row->H + x, *c = row->c + x;
    float *K = row->Ki + x;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RILL_RUN); ++i) K[i] = rill_limit_factor(
            rill_limit_inflow(qx[i], qx[i + 1], qy[i], qn[i]), (float)rill_max_i(c[i] - b[i] - H[i], 0));
}

/* The factor of a face. Where nothing flows the velocity is left alone: the sign of a zero must not choose a side. */
RILL_INLINE float face_factor(float q, float forth, float back) {
    float factor = q > 0.0f ? forth : back;
    return q == 0.0f ? 1.0f : factor;
}

static void scale_out(int32_t x, int32_t n, const rill_row *row, const rill_row *south) {
    const float *K = row->Ko + x, *Ks = south->Ko + x;
    float *qx = row->qx + x, *qy = row->qy + x, *ux = row->ux + x, *vy = row->vy + x, *kx = row->kx + x,
          *ky = row->ky + x;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RILL_RUN); ++i) {
        float west = face_factor(qx[i], K[i - 1], K[i]), down = face_factor(qy[i], Ks[i], K[i]);
        qx[i] *= west;
        ux[i] *= west;
        kx[i] = west;
        qy[i] *= down;
        vy[i] *= down;
        ky[i] = down;
    }
}

RILL_INLINE float scaled_whole(float q, float factor, float k, float phase) {
    float scaled = q * factor * (factor < 1.0f ? RILL_LIMIT_UNDER : 1.0f);
    return rill_move_whole(scaled, k * factor == 1.0f ? phase : 0.0f);
}

static void scale_in(int32_t x, int32_t n, const rill_row *row, const rill_row *south, float phase) {
    const float *K = row->Ki + x, *Ks = south->Ki + x, *kx = row->kx + x, *ky = row->ky + x;
    float *qx = row->qx + x, *qy = row->qy + x, *ux = row->ux + x, *vy = row->vy + x;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RILL_RUN); ++i) {
        float west = face_factor(qx[i], K[i], K[i - 1]), down = face_factor(qy[i], K[i], Ks[i]);
        ux[i] *= west;
        qx[i] = scaled_whole(qx[i], west, kx[i], phase);
        vy[i] *= down;
        qy[i] = scaled_whole(qy[i], down, ky[i], phase);
    }
}

/* ------------------------------------------------------------------------------------------------------------ drive */

#define ENDS_WEST(COVERED)                                                                                             \
    { b[i - 1], b[i], (COVERED) ? c[i - 1] : 0, (COVERED) ? c[i] : 0, H[i - 1], H[i] }
#define ENDS_DOWN(COVERED)                                                                                             \
    { bs[i], b[i], (COVERED) ? cs[i] : 0, (COVERED) ? c[i] : 0, Hs[i], H[i] }
/* Places of the fields' planes, where kernels read them; and the head by which a face is driven along the bed. */
#define PUSHES(GUARD)                                                                                                  \
    const int32_t *fx = (GUARD) == RILL_PUSHED ? row->fx + x : row->b,                                                 \
                  *fy = (GUARD) == RILL_PUSHED ? row->fy + x : fx;                                                     \
    (void)fx, (void)fy
#define ALONG(GUARD, AXIS, PUSH) ((GUARD) == RILL_PUSHED ? fixed.tilt[AXIS] + (PUSH)[i] : fixed.tilt[AXIS])

/* One loop per combination, so that each is a flat vector loop. The arguments after NAME are constants. */
#define FORCE_KERNEL(NAME, CEILINGS, GUARD)                                                                            \
    static void NAME(int32_t x, int32_t n, const rill_row *row, const rill_row *south,                                 \
                     const rill_kernel_constants *constants) {                                                         \
        const rill_kernel_constants fixed = *constants;                                                                \
        const int32_t *b = row->b + x, *bs = south->b + x, *H = row->H + x, *Hs = south->H + x;                        \
        const int32_t *c = row->c + x, *cs = south->c + x;                                                             \
        PUSHES(GUARD);                                                                                                 \
        const float *ux = row->ux + x, *vy = row->vy + x;                                                              \
        float *px = row->px + x, *py = row->py + x, *wx = row->wx + x, *wy = row->wy + x;                              \
        float *ex = row->ex + x, *ey = row->ey + x, *gx = row->gx + x, *gy = row->gy + x;                              \
        RILL_EACH_ALONE /* vector */                                                                                   \
            for (int32_t i = 0; i < (n & -RILL_RUN); ++i) {                                                            \
            rill_face_ends west = ENDS_WEST(CEILINGS != RILL_FACES_OPEN),                                              \
                           down = ENDS_DOWN(CEILINGS != RILL_FACES_OPEN);                                              \
            rill_forced to_west = rill_velocity_forced(&west, ux[i], &fixed, ALONG(GUARD, 0, fx), CEILINGS, GUARD);    \
            rill_forced to_down = rill_velocity_forced(&down, vy[i], &fixed, ALONG(GUARD, 1, fy), CEILINGS, GUARD);    \
            px[i] = to_west.u;                                                                                         \
            py[i] = to_down.u;                                                                                         \
            wx[i] = to_west.weight;                                                                                    \
            wy[i] = to_down.weight;                                                                                    \
            ex[i] = to_west.hands;                                                                                     \
            ey[i] = to_down.hands;                                                                                     \
            gx[i] = to_west.gain;                                                                                      \
            gy[i] = to_down.gain;                                                                                      \
        }                                                                                                              \
    }

FORCE_KERNEL(force_open, RILL_FACES_OPEN, RILL_UNGUARDED)
FORCE_KERNEL(force_open_guarded, RILL_FACES_OPEN, RILL_GUARDED)
FORCE_KERNEL(force_open_pushed, RILL_FACES_OPEN, RILL_PUSHED)
FORCE_KERNEL(force_covered, RILL_FACES_COVERED, RILL_UNGUARDED)
FORCE_KERNEL(force_covered_guarded, RILL_FACES_COVERED, RILL_GUARDED)
FORCE_KERNEL(force_covered_pushed, RILL_FACES_COVERED, RILL_PUSHED)
FORCE_KERNEL(force_lintel, RILL_FACES_LINTEL, RILL_UNGUARDED)
FORCE_KERNEL(force_lintel_guarded, RILL_FACES_LINTEL, RILL_GUARDED)
FORCE_KERNEL(force_lintel_pushed, RILL_FACES_LINTEL, RILL_PUSHED)

/* Whether a lintel stands in the liquid at some face of RILL_RUN columns: mostly none does, and its law is long. */
static int32_t any_lintel(int32_t x, const rill_row *row, const rill_row *south) {
    const int32_t *b = row->b + x, *bs = south->b + x, *H = row->H + x, *Hs = south->H + x;
    const int32_t *c = row->c + x, *cs = south->c + x;
    int32_t any = 0;
    RILL_NOT_UNROLLED /* vector */
        for (int32_t i = 0; i < RILL_RUN; ++i) {
        const rill_face_ends west = ENDS_WEST(1), down = ENDS_DOWN(1);
        any |= rill_lintel_stands(&west) | rill_lintel_stands(&down);
    }
    return any;
}

#define ADVECT_KERNEL(NAME, COVERED, GUARD)                                                                            \
    static void NAME(int32_t x, int32_t n, const rill_row *row, const rill_row *south, const rill_row *north,          \
                     const rill_kernel_constants *constants) {                                                         \
        const rill_kernel_constants fixed = *constants;                                                                \
        const int32_t *b = row->b + x, *bs = south->b + x, *H = row->H + x, *Hs = south->H + x;                        \
        const int32_t *c = row->c + x, *cs = south->c + x;                                                             \
        PUSHES(GUARD);                                                                                                 \
        const float *qx = row->qx + x, *qy = row->qy + x, *ux = row->ux + x, *vy = row->vy + x;                        \
        const float *qxs = south->qx + x, *qys = south->qy + x, *qyn = north->qy + x;                                  \
        const float *ex = row->ex + x, *exs = south->ex + x, *exn = north->ex + x;                                     \
        const float *ey = row->ey + x, *eys = south->ey + x, *eyn = north->ey + x;                                     \
        const float *gx = row->gx + x, *gxs = south->gx + x, *gxn = north->gx + x, *gy = row->gy + x;                  \
        const float *px = row->px + x, *py = row->py + x, *wx = row->wx + x, *wy = row->wy + x;                        \
        float *u = row->u + x, *v = row->v + x;                                                                        \
        RILL_EACH_ALONE /* vector */                                                                                   \
            for (int32_t i = 0; i < (n & -RILL_RUN); ++i) {                                                            \
            rill_face_ends west = ENDS_WEST(COVERED), down = ENDS_DOWN(COVERED);                                       \
            rill_surroundings of_west = { ux[i],                                                                       \
                                          px[i],                                                                       \
                                          wx[i],                                                                       \
                                          gx[i],                                                                       \
                                          qx[i - 1] + qx[i],                                                           \
                                          qx[i] + qx[i + 1],                                                           \
                                          ex[i - 1],                                                                   \
                                          ex[i + 1],                                                                   \
                                          qy[i - 1] + qy[i],                                                           \
                                          qyn[i - 1] + qyn[i],                                                         \
                                          exs[i],                                                                      \
                                          exn[i],                                                                      \
                                          gxs[i],                                                                      \
                                          gxn[i] };                                                                    \
            rill_surroundings of_down = {                                                                              \
                vy[i],          py[i],     wy[i],     gy[i],          qys[i] + qy[i],                                  \
                qy[i] + qyn[i], eys[i],    eyn[i],    qxs[i] + qx[i], qxs[i + 1] + qx[i + 1],                          \
                ey[i - 1],      ey[i + 1], gy[i - 1], gy[i + 1]                                                        \
            };                                                                                                         \
            float new_u = rill_velocity_advected(&west, &of_west, &fixed, ALONG(GUARD, 0, fx), COVERED, GUARD);        \
            float new_v = rill_velocity_advected(&down, &of_down, &fixed, ALONG(GUARD, 1, fy), COVERED, GUARD);        \
            u[i] = new_u;                                                                                              \
            v[i] = new_v;                                                                                              \
        }                                                                                                              \
    }

ADVECT_KERNEL(advect_open, 0, RILL_UNGUARDED)
ADVECT_KERNEL(advect_open_guarded, 0, RILL_GUARDED)
ADVECT_KERNEL(advect_open_pushed, 0, RILL_PUSHED)
ADVECT_KERNEL(advect_covered, 1, RILL_UNGUARDED)
ADVECT_KERNEL(advect_covered_guarded, 1, RILL_GUARDED)
ADVECT_KERNEL(advect_covered_pushed, 1, RILL_PUSHED)

#define DRIVE_KERNEL(NAME, COVERED, GUARD, PAPER)                                                                      \
    static void NAME(int32_t x, int32_t n, const rill_row *row, const rill_row *south, const rill_row *north,          \
                     const rill_kernel_constants *constants) {                                                         \
        const rill_kernel_constants fixed = *constants;                                                                \
        const int32_t *b = row->b + x, *bs = south->b + x, *H = row->H + x, *Hs = south->H + x;                        \
        const int32_t *c = row->c + x, *cs = south->c + x;                                                             \
        PUSHES(GUARD);                                                                                                 \
        const float *ux = row->ux + x, *vy = row->vy + x;                                                              \
        float *u = row->u + x, *v = row->v + x;                                                                        \
        (void)north;                                                                                                   \
        RILL_EACH_ALONE /* vector */                                                                                   \
            for (int32_t i = 0; i < (n & -RILL_RUN); ++i) {                                                            \
            rill_face_ends west = ENDS_WEST(COVERED), down = ENDS_DOWN(COVERED);                                       \
            float new_u = rill_velocity_driven(&west, ux[i], &fixed, ALONG(GUARD, 0, fx), COVERED, GUARD, PAPER);      \
            float new_v = rill_velocity_driven(&down, vy[i], &fixed, ALONG(GUARD, 1, fy), COVERED, GUARD, PAPER);      \
            u[i] = new_u;                                                                                              \
            v[i] = new_v;                                                                                              \
        }                                                                                                              \
    }

DRIVE_KERNEL(drive_open, 0, RILL_UNGUARDED, 0)
DRIVE_KERNEL(drive_open_guarded, 0, RILL_GUARDED, 0)
DRIVE_KERNEL(drive_open_pushed, 0, RILL_PUSHED, 0)
DRIVE_KERNEL(drive_covered, 1, RILL_UNGUARDED, 0)
DRIVE_KERNEL(drive_covered_guarded, 1, RILL_GUARDED, 0)
DRIVE_KERNEL(drive_covered_pushed, 1, RILL_PUSHED, 0)
DRIVE_KERNEL(drive_open_paper, 0, RILL_UNGUARDED, 1)
DRIVE_KERNEL(drive_open_paper_guarded, 0, RILL_GUARDED, 1)
DRIVE_KERNEL(drive_open_paper_pushed, 0, RILL_PUSHED, 1)
DRIVE_KERNEL(drive_covered_paper, 1, RILL_UNGUARDED, 1)
DRIVE_KERNEL(drive_covered_paper_guarded, 1, RILL_GUARDED, 1)
DRIVE_KERNEL(drive_covered_paper_pushed, 1, RILL_PUSHED, 1)

typedef void force_kernel(int32_t x, int32_t n, const rill_row *row, const rill_row *south,
                          const rill_kernel_constants *constants);

static void set_forced(int32_t x, int32_t n, const rill_row *row, const rill_row *south, bool covered, rill_guard guard,
                       const rill_kernel_constants *constants) {
    static force_kernel *const open_sky[RILL_GUARDS] = { force_open, force_open_guarded, force_open_pushed };
    static force_kernel *const under[RILL_GUARDS] = { force_covered, force_covered_guarded, force_covered_pushed };
    static force_kernel *const lintel[RILL_GUARDS] = { force_lintel, force_lintel_guarded, force_lintel_pushed };
    (covered ? under : open_sky)[guard](x, n, row, south, constants);
    for (int32_t i = x; covered && i < x + n; i += RILL_RUN)
        if (any_lintel(i, row, south)) lintel[guard](i, RILL_RUN, row, south, constants);
}

#define DRIVE_ENTRY(NAME, OPEN, COVERED)                                                                               \
    static void NAME(int32_t x, int32_t n, const rill_row *row, const rill_row *south, const rill_row *north,          \
                     bool covered, const rill_kernel_constants *constants) {                                           \
        (covered ? COVERED : OPEN)(x, n, row, south, north, constants);                                                \
    }

DRIVE_ENTRY(enter_plain, drive_open, drive_covered)
DRIVE_ENTRY(enter_guarded, drive_open_guarded, drive_covered_guarded)
DRIVE_ENTRY(enter_pushed, drive_open_pushed, drive_covered_pushed)
DRIVE_ENTRY(enter_advect, advect_open, advect_covered)
DRIVE_ENTRY(enter_advect_guarded, advect_open_guarded, advect_covered_guarded)
DRIVE_ENTRY(enter_advect_pushed, advect_open_pushed, advect_covered_pushed)
DRIVE_ENTRY(enter_paper, drive_open_paper, drive_covered_paper)
DRIVE_ENTRY(enter_paper_guarded, drive_open_paper_guarded, drive_covered_paper_guarded)
DRIVE_ENTRY(enter_paper_pushed, drive_open_paper_pushed, drive_covered_paper_pushed)

/* ------------------------------------------------------------------------------------------------------------- look */

/* Columns along the west and east side that may disturb what lies beyond before the next look. */
RILL_INLINE int32_t along(const int32_t *columns, int32_t first) {
    int32_t any = 0;
    for (int32_t i = first; i < first + RILL_TILE_CHECK; ++i) any |= columns[i];
    return any;
}

static rill_tile_look look(int32_t rows, int32_t stride, const int32_t *H, const float *u, const float *v) {
    int32_t busy[RILL_TILE_W] = { 0 }, speeds[RILL_TILE_W] = { 0 }; /* positive where wet or moving; speeds as bits */
    rill_tile_look seen = { 0 };
    for (int32_t y = 0; y < rows; ++y, H += stride, u += stride, v += stride) {
        int32_t any = 0;
        RILL_NOT_UNROLLED /* vector */
            for (int32_t i = 0; i < RILL_TILE_W; ++i) {
            int32_t speed = faster(u[i], v[i]), here = rill_max_i(H[i] - RILL_DRY, speed);
            speeds[i] = rill_max_i(speeds[i], speed);
            busy[i] = rill_max_i(busy[i], here);
            any = rill_max_i(any, here);
        }
        seen.rows |= (any > 0) << y;
    }
    int32_t fastest = 0;
    RILL_NOT_UNROLLED /* vector */
        for (int32_t i = 0; i < RILL_TILE_W; ++i) fastest = rill_max_i(fastest, speeds[i]);
    seen.west = along(busy, 0) > 0;
    seen.east = along(busy, RILL_TILE_W - RILL_TILE_CHECK) > 0;
    seen.fastest = rill_bits_float(fastest);
    return seen;
}

/* Two columns of a sheet side by side between which nothing can pass: one ends where the other begins, or below. No
 * column reaches up to RILL_WALL. */
RILL_INLINE int32_t closed_pair(const int32_t *b, const int32_t *c, int32_t l, int32_t r) {
    return ((c[r] <= b[l]) & (b[l] < RILL_WALL)) | ((c[l] <= b[r]) & (b[r] < RILL_WALL));
}

static int32_t lintel(int32_t rows, int32_t stride, const int32_t *b, const int32_t *c) {
    enum { BEYOND = 2 }; /* whole vectors, most of them twice, instead of a rest of two */
    int32_t lowest[RILL_TILE_W], closed[RILL_TILE_W] = { 0 }, least = RILL_WALL, any = 0;
    for (int32_t i = 0; i < RILL_TILE_W; ++i) lowest[i] = RILL_WALL;
    for (int32_t y = 0; y < rows; ++y, b += stride, c += stride) {
        RILL_NOT_UNROLLED /* vector */
            for (int32_t i = 0; i < RILL_TILE_W; ++i) {
            int32_t here =
                rill_min_i(c[i] < RILL_TOP ? c[i] : RILL_WALL, c[i + BEYOND] < RILL_TOP ? c[i + BEYOND] : RILL_WALL);
            lowest[i] = rill_min_i(lowest[i], here);
            closed[i] |= closed_pair(b, c, i - 1, i) | closed_pair(b, c, i - stride, i) |
                         closed_pair(b, c, i + BEYOND - 1, i + BEYOND) |
                         closed_pair(b, c, i + BEYOND - stride, i + BEYOND);
        }
    }
    RILL_NOT_UNROLLED /* vector */
        for (int32_t i = 0; i < RILL_TILE_W; ++i) {
        least = rill_min_i(least, lowest[i]);
        any |= closed[i];
    }
    return any ? 0 : least;
}

#define TEXT_OF(NAME) #NAME
#define NAME_OF(NAME) TEXT_OF(NAME)

extern const rill_kernels RILL_KERNELS_NAME;
const rill_kernels RILL_KERNELS_NAME = {
    .name = NAME_OF(RILL_KERNELS_NAME),
    .raw = raw,
    .raw_paper = raw_paper,
    .flag = flag,
    .limit_out = limit_out,
    .limit_in = limit_in,
    .scale_out = scale_out,
    .scale_in = scale_in,
    .whole = whole,
    .whole_scaled = whole_scaled,
    .level = level,
    .deposit = deposit,
    .look = look,
    .lintel = lintel,
    .force = set_forced,
    .drive = { { enter_plain, enter_guarded, enter_pushed },
               { enter_advect, enter_advect_guarded, enter_advect_pushed } },
    .drive_paper = { enter_paper, enter_paper_guarded, enter_paper_pushed },
};
