/* The row kernels. Compiled several times with RILL_KERNELS_NAME set to the table's name; see kernels.h.
 *
 * Loops marked "vector" must vectorise (a test looks at the compiler's report). What that takes with gcc 12: `restrict` on
 * the parameters of a function that is not inlined, selections instead of branches, and -fno-trapping-math. */
#include "flow/kernels.h"

#include <string.h>

#include "base/simd.h"
#include "flow/advect.h"
#include "flow/covered.h"
#include "flow/drive.h"
#include "flow/limit.h"
#include "flow/move.h"
#include "flow/viscosity.h"

#define KERNEL static __attribute__((noinline)) void
#define INLINE static inline __attribute__((always_inline))

/* ------------------------------------------------------------------------------------------------------------- move */

KERNEL raw_open(int32_t n, const int32_t *restrict bl, const int32_t *restrict br, const int32_t *restrict Hl,
                const int32_t *restrict Hr, const float *restrict u, float lambda, float *restrict q,
                float *restrict copy) {
    for (int32_t i = 0; i < n; ++i) { /* vector */
        int32_t opening = rill_move_opening(bl[i], br[i], bl[i] + Hl[i], br[i] + Hr[i], u[i]);
        q[i] = u[i] * lambda * (float)opening;
        copy[i] = u[i];
    }
}

KERNEL raw_covered(int32_t n, const int32_t *restrict bl, const int32_t *restrict br, const int32_t *restrict Hl,
                   const int32_t *restrict Hr, const int32_t *restrict cl, const int32_t *restrict cr,
                   const float *restrict u, float lambda, float *restrict q, float *restrict copy) {
    for (int32_t i = 0; i < n; ++i) { /* vector */
        int32_t lintel = rill_min_i(cl[i], cr[i]);
        int32_t hl = rill_min_i(bl[i] + Hl[i], lintel), hr = rill_min_i(br[i] + Hr[i], lintel);
        int32_t opening = rill_move_opening(bl[i], br[i], hl, hr, u[i]);
        q[i] = u[i] * lambda * (float)opening;
        copy[i] = u[i];
    }
}

static void raw(int32_t n, const rill_face_columns *at, const float *u, const rill_kernel_constants *k, float *q,
                float *copy) {
    if (at->cl)
        raw_covered(n, at->bl, at->br, at->Hl, at->Hr, at->cl, at->cr, u, k->lambda, q, copy);
    else
        raw_open(n, at->bl, at->br, at->Hl, at->Hr, u, k->lambda, q, copy);
}

KERNEL raw_paper_row(int32_t n, const float *restrict u, float factor, float *restrict q, float *restrict copy) {
    for (int32_t i = 0; i < n; ++i) { /* vector */
        q[i] = u[i] * factor;
        copy[i] = u[i];
    }
}

static void raw_paper(int32_t n, const rill_face_columns *at, const float *u, const rill_kernel_constants *k, float *q,
                      float *copy) {
    (void)at;
    raw_paper_row(n, u, k->lambda * k->paper_opening, q, copy);
}

KERNEL whole(int32_t n, float phase, float *restrict qx, float *restrict qy) {
    for (int32_t i = 0; i < n; ++i) { /* vector */
        qx[i] = rill_move_whole(qx[i], phase);
        qy[i] = rill_move_whole(qy[i], phase);
    }
}

KERNEL whole_scaled(int32_t n, const float *restrict k, float phase, float *restrict q) {
    for (int32_t i = 0; i < n; ++i) { /* vector */
        q[i] = rill_move_whole(q[i], k[i] == 1.0f ? phase : 0.0f);
    }
}

/* Velocities as integers: non-negative floats order like their bits, and integer maxima vectorise. */
INLINE int32_t float_bits(float f) {
    union {
        float f;
        int32_t i;
    } bits = { f };
    return bits.i;
}

static __attribute__((noinline)) int32_t level(int32_t n, const int32_t *restrict b, const int32_t *restrict H) {
    int32_t highest = 0;
    for (int32_t i = 0; i < n; ++i) /* vector */
        highest = rill_max_i(highest, H[i] > 0 ? b[i] + H[i] : 0);
    return highest;
}

KERNEL deposit_row(int32_t n, const float *restrict w, const float *restrict s, const float *restrict nn,
                   const float *restrict uw, const float *restrict vs, const float *restrict vn,
                   const int32_t *restrict b, int32_t thin, int32_t *restrict H, int32_t *restrict result) {
    const float *restrict e = w + 1, *restrict ue = uw + 1;
    int32_t depth = result[0], highest = result[1], speed = result[2];
    for (int32_t i = 0; i < n; ++i) { /* vector */
        int32_t d = H[i] + (((int32_t)w[i] - (int32_t)e[i]) + ((int32_t)s[i] - (int32_t)nn[i]));
        H[i] = d;
        depth = rill_max_i(depth, d);
        highest = rill_max_i(highest, d > 0 ? b[i] + d : 0);
        float fastest = rill_max_f(__builtin_fabsf(uw[i]), __builtin_fabsf(ue[i])) +
                        rill_max_f(__builtin_fabsf(vs[i]), __builtin_fabsf(vn[i]));
        speed = rill_max_i(speed, d > thin ? float_bits(fastest) : 0);
    }
    result[0] = depth;
    result[1] = highest;
    result[2] = speed;
}

static void deposit(int32_t n, const rill_cell_flows *at, const int32_t *b, int32_t thin, int32_t *H,
                    rill_flow_extent *extent) {
    int32_t result[3] = { extent->depth, extent->level, float_bits(extent->speed) };
    deposit_row(n, at->t_west, at->t_south, at->t_north, at->u_west, at->v_south, at->v_north, b, thin, H, result);
    *extent = (rill_flow_extent){ result[0], result[1], 0.0f };
    memcpy(&extent->speed, &result[2], sizeof extent->speed);
}

/* ------------------------------------------------------------------------------------------------------------ limit */

static __attribute__((noinline)) int32_t flag_open(int32_t n, const float *restrict w, const float *restrict s,
                                                   const float *restrict nn, const int32_t *restrict H) {
    const float *restrict e = w + 1;
    int32_t out = 0;
    for (int32_t i = 0; i < n; ++i) /* vector */
        out |= rill_limit_needed(rill_limit_outflow(w[i], e[i], s[i], nn[i]), (float)H[i]);
    return out;
}

static __attribute__((noinline)) int32_t flag_covered(int32_t n, const float *restrict w, const float *restrict s,
                                                      const float *restrict nn, const int32_t *restrict b,
                                                      const int32_t *restrict H, const int32_t *restrict c) {
    const float *restrict e = w + 1;
    int32_t out = 0, in = 0;
    for (int32_t i = 0; i < n; ++i) { /* vector */
        out |= rill_limit_needed(rill_limit_outflow(w[i], e[i], s[i], nn[i]), (float)H[i]);
        in |= rill_limit_needed(rill_limit_inflow(w[i], e[i], s[i], nn[i]), (float)(c[i] - b[i] - H[i]));
    }
    return out | in << 1;
}

static bool flag(int32_t x, int32_t n, const float *w, const float *s, const float *nn, const int32_t *b,
                 const int32_t *H, const int32_t *c, uint8_t *flags) {
    int32_t end = x + n, any = 0;
    for (int32_t next; x < end; x = next) {
        int32_t segment = x / RILL_SEGMENT, found;
        next = (segment + 1) * RILL_SEGMENT < end ? (segment + 1) * RILL_SEGMENT : end;
        if (c)
            found = flag_covered(next - x, w + x, s + x, nn + x, b + x, H + x, c + x);
        else
            found = flag_open(next - x, w + x, s + x, nn + x, H + x);
        flags[segment] |= (uint8_t)found;
        any |= found;
    }
    return any != 0;
}

KERNEL limit_out(int32_t n, const float *restrict w, const float *restrict s, const float *restrict nn,
                 const int32_t *restrict H, float *restrict K) {
    const float *restrict e = w + 1;
    for (int32_t i = 0; i < n; ++i) /* vector */
        K[i] = rill_limit_factor(rill_limit_outflow(w[i], e[i], s[i], nn[i]), (float)H[i]);
}

KERNEL limit_in(int32_t n, const float *restrict w, const float *restrict s, const float *restrict nn,
                const int32_t *restrict b, const int32_t *restrict H, const int32_t *restrict c, float *restrict K) {
    const float *restrict e = w + 1;
    for (int32_t i = 0; i < n; ++i) /* vector */
        K[i] = rill_limit_factor(rill_limit_inflow(w[i], e[i], s[i], nn[i]), (float)(c[i] - b[i] - H[i]));
}

/* Where nothing flows the velocity is left alone: the sign of a zero must not choose a side. */
KERNEL scale_out(int32_t n, const float *restrict Kl, const float *restrict Kr, float *restrict q, float *restrict u,
                 float *restrict k) {
    for (int32_t i = 0; i < n; ++i) { /* vector */
        float donor = q[i] > 0.0f ? Kl[i] : Kr[i];
        float factor = q[i] == 0.0f ? 1.0f : donor;
        q[i] *= factor;
        u[i] *= factor;
        k[i] = factor;
    }
}

KERNEL scale_in(int32_t n, const float *restrict Kl, const float *restrict Kr, const float *restrict k, float phase,
                float *restrict q, float *restrict u) {
    for (int32_t i = 0; i < n; ++i) { /* vector */
        float receiver = q[i] > 0.0f ? Kr[i] : Kl[i];
        float factor = q[i] == 0.0f ? 1.0f : receiver;
        float scaled = q[i] * factor * (factor < 1.0f ? RILL_LIMIT_UNDER : 1.0f);
        u[i] *= factor;
        q[i] = rill_move_whole(scaled, k[i] * factor == 1.0f ? phase : 0.0f);
    }
}

/* ------------------------------------------------------------------------------------------------------------ drive */

/* The state of a face after the move: everything the new velocity is made from. */
typedef struct face {
    int32_t bl, br, Hl, Hr, hl, hr, zb, db;
} face;

INLINE face face_at(int32_t bl, int32_t br, int32_t Hl, int32_t Hr) {
    return (face){ bl, br, Hl, Hr, bl + Hl, br + Hr, rill_max_i(bl, br), rill_abs_i(bl - br) };
}

/* 1 where the face carries anything: liquid above the sill on some side. */
INLINE int32_t face_wet(const face *f) {
    return rill_max_i(f->hl, f->hr) - f->zb > RILL_DRY;
}

/* The physical scheme: advection s, drive and viscosity in one division. */
INLINE float physical(const face *f, float u, float s, const rill_kernel_constants *k, int32_t head) {
    float depths = (float)(f->Hl + f->Hr);
    float twice = (float)rill_viscosity_depth(f->bl, f->br, f->Hl, f->Hr, f->db);
    float square = twice * twice;
    float pushed = u * depths + s + k->drive * (float)head * depths;
    return pushed * (square * k->keep) / (depths * (square + k->drag));
}

INLINE float clamp_speed(float u, float cap) {
    return rill_max_f(rill_min_f(u, cap), -cap);
}

/* Without advection nothing slows a free overfall but critical flow at the brink: (2/3)^1.5 sqrt(g E). */
INLINE float capped_fall(const face *f, float u, const rill_kernel_constants *k) {
    int32_t donor = (u >= 0.0f ? f->hl : f->hr) - f->zb, receiver = (u >= 0.0f ? f->hr : f->hl) - f->zb;
    float energy = (float)rill_max_i(donor, 0);
    float critical = k->fall * __builtin_sqrtf(energy);
    return clamp_speed(u, (float)receiver * 1.5f < energy ? critical : k->top_speed);
}

/* Under tilted gravity the drive may point out of a dry column for ever: such a face stays at rest. */
INLINE float unless_dry(const face *f, float u, int32_t head) {
    int32_t donor = (head >= 0 ? f->hl : f->hr) - f->zb;
    float same_way = u * (float)head;
    return ((donor <= RILL_DRY) & (same_way > 0.0f)) ? 0.0f : u;
}

/* The paper's pipe: Eq. 1, then Eq. 4 with the donor's depth. */
INLINE float paper(const face *f, float u, const rill_kernel_constants *k, int32_t head) {
    float pushed = u * k->keep + k->drive * (float)head;
    int32_t donor = pushed >= 0.0f ? f->Hl : f->Hr;
    float twice = 2.0f * (float)donor;
    float square = twice * twice;
    float slowed = pushed * square / (square + k->drag + 1.0f);
    return donor <= RILL_DRY ? 0.0f : slowed;
}

/* One loop per combination, so that each is a flat vector loop. The arguments after NAME are constants. */
#define DRIVE_KERNEL(NAME, COVERED, ADVECTED, GUARDED, PAPER)                                                          \
    KERNEL NAME(int32_t n, const int32_t *restrict bl, const int32_t *restrict br, const int32_t *restrict Hl,         \
                const int32_t *restrict Hr, const int32_t *restrict cl, const int32_t *restrict cr,                    \
                const float *restrict t, const float *restrict t_before, const float *restrict t_after,                \
                const float *restrict t_minus_l, const float *restrict t_minus_r, const float *restrict t_plus_l,      \
                const float *restrict t_plus_r, const float *restrict old, const float *restrict u_before,             \
                const float *restrict u_after, const float *restrict u_minus, const float *restrict u_plus,            \
                const rill_kernel_constants *constants, int32_t tilt, float *restrict u) {                             \
        const rill_kernel_constants k = *constants;                                                                    \
        for (int32_t i = 0; i < n; ++i) { /* vector */                                                                 \
            face f = face_at(bl[i], br[i], Hl[i], Hr[i]);                                                              \
            float r;                                                                                                   \
            if (PAPER) {                                                                                               \
                r = paper(&f, old[i], &k, (GUARDED) ? f.hl - f.hr + tilt : f.hl - f.hr);                               \
            } else {                                                                                                   \
                int32_t zc = rill_drive_clip(f.zb, f.db, k.five_dx);                                                   \
                int32_t head = rill_drive_head(f.hl, f.hr, zc, (GUARDED) ? tilt : 0);                                  \
                float s = 0.0f;                                                                                        \
                if (ADVECTED)                                                                                          \
                    s = rill_advect_axis(old[i], t_before[i] + t[i], t[i] + t_after[i], u_before[i], u_after[i]) +     \
                        rill_advect_axis(old[i], t_minus_l[i] + t_minus_r[i], t_plus_l[i] + t_plus_r[i], u_minus[i],   \
                                         u_plus[i]);                                                                   \
                r = physical(&f, old[i], s, &k, head);                                                                 \
                if (!(ADVECTED)) r = capped_fall(&f, r, &k);                                                           \
                if (GUARDED) r = unless_dry(&f, r, head);                                                              \
            }                                                                                                          \
            if (COVERED) r = rill_covered_blocks(cl[i], cr[i], f.hl, f.hr, f.zb, r) ? 0.0f : r;                        \
            if (GUARDED) r = clamp_speed(r, k.top_speed);                                                              \
            r = (PAPER) || face_wet(&f) ? r : 0.0f;                                                                    \
            u[i] = r;                                                                                                  \
        }                                                                                                              \
    }

DRIVE_KERNEL(drive_open, 0, 0, 0, 0)
DRIVE_KERNEL(drive_open_guarded, 0, 0, 1, 0)
DRIVE_KERNEL(drive_open_advected, 0, 1, 0, 0)
DRIVE_KERNEL(drive_open_advected_guarded, 0, 1, 1, 0)
DRIVE_KERNEL(drive_covered, 1, 0, 0, 0)
DRIVE_KERNEL(drive_covered_guarded, 1, 0, 1, 0)
DRIVE_KERNEL(drive_covered_advected, 1, 1, 0, 0)
DRIVE_KERNEL(drive_covered_advected_guarded, 1, 1, 1, 0)
DRIVE_KERNEL(drive_open_paper, 0, 0, 0, 1)
DRIVE_KERNEL(drive_open_paper_guarded, 0, 0, 1, 1)
DRIVE_KERNEL(drive_covered_paper, 1, 0, 0, 1)
DRIVE_KERNEL(drive_covered_paper_guarded, 1, 0, 1, 1)

#define DRIVE_ENTRY(NAME, OPEN, COVERED)                                                                               \
    static void NAME(int32_t n, const rill_face_columns *at, const rill_face_flows *f, const rill_kernel_constants *k, \
                     int32_t tilt, float *u) {                                                                         \
        (at->cl ? COVERED : OPEN)(n, at->bl, at->br, at->Hl, at->Hr, at->cl, at->cr, f->t, f->t_before, f->t_after,    \
                                  f->t_minus_l, f->t_minus_r, f->t_plus_l, f->t_plus_r, f->u, f->u_before, f->u_after, \
                                  f->u_minus, f->u_plus, k, tilt, u);                                                  \
    }

DRIVE_ENTRY(enter_plain, drive_open, drive_covered)
DRIVE_ENTRY(enter_guarded, drive_open_guarded, drive_covered_guarded)
DRIVE_ENTRY(enter_advected, drive_open_advected, drive_covered_advected)
DRIVE_ENTRY(enter_advected_guarded, drive_open_advected_guarded, drive_covered_advected_guarded)
DRIVE_ENTRY(enter_paper, drive_open_paper, drive_covered_paper)
DRIVE_ENTRY(enter_paper_guarded, drive_open_paper_guarded, drive_covered_paper_guarded)

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
    .drive = { { enter_plain, enter_guarded }, { enter_advected, enter_advected_guarded } },
    .drive_paper = { enter_paper, enter_paper_guarded },
};
