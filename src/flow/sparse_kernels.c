/* The kernels of the sparse pipes. Compiled several times with RILL_KERNELS_NAME set to the table's name; see
 * sparse_kernels.h, and kernels.c for what makes loops marked "vector" vectorise. */
#include "flow/sparse_kernels.h"

#include "base/simd.h"
#include "flow/ceiling.h"
#include "flow/drive.h"
#include "flow/lintel.h"
#include "flow/move.h"
#include "flow/rest.h"
#include "flow/viscosity.h"

#define INLINE static inline __attribute__((always_inline))

/* The ends of a pipe. */
typedef rill_face_ends pipe;

INLINE pipe pipe_at(const rill_pipe_arrays *arrays, int32_t i) {
    return (pipe){ arrays->bl[i], arrays->br[i], arrays->cl[i], arrays->cr[i], arrays->Hl[i], arrays->Hr[i] };
}
INLINE rill_face face_of(const pipe *one) {
    return rill_face_at(one->bl, one->br, one->Hl, one->Hr);
}

INLINE int32_t blocked(const pipe *one, float u, int32_t slack) {
    return rill_ceiling_blocks(one->cl, one->cr, one->bl + one->Hl, one->br + one->Hr, rill_max_i(one->bl, one->br), u,
                               slack);
}

INLINE int32_t wet(const rill_face *face) {
    return rill_max_i(face->l, face->r) > RILL_DRY;
}

static void raw(int32_t x, int32_t n, const rill_pipe_arrays *arrays, bool paper,
                const rill_kernel_constants *constants) {
    const rill_pipe_arrays all = *arrays;
    const float lambda = constants->lambda, fixed = paper ? constants->paper_opening : 0.0f;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = x; i < x + n; ++i) {
        pipe one = pipe_at(&all, i);
        rill_face face = rill_face_under(face_of(&one), rill_min_i(one.cl, one.cr) - rill_max_i(one.bl, one.br));
        float opening = (float)rill_move_opening(&face, all.u[i]);
        float q = all.u[i] * lambda * (fixed > 0.0f ? fixed : opening);
        all.q[i] = all.awake[i] ? q : 0.0f;
    }
}

/* The head over a pipe, clipped to its sill (the paper's is not); 0 where nothing can flow. `pushed` is a constant. */
INLINE int32_t head_over(const pipe *one, const rill_face *face, int32_t clip, int32_t tilt, int pushed,
                         const rill_kernel_constants *constants) {
    const int32_t levels = rill_drive_head(face, clip);
    const int32_t head = (pushed ? rill_drive_upright(levels, constants->upright) : levels) + tilt;
    int32_t donor_dry = (head > 0 ? face->l : face->r) <= RILL_DRY;
    return (donor_dry | blocked(one, (float)head, constants->slack) | !wet(face)) ? 0 : head;
}

/* How fast free overfall lets liquid leave a column whose receiver stands low: critical flow, whose energy head E is
 * the depth above the sill and the head of the speed it arrives with. A stream that arrives faster than critical (E >
 * 1.5 depth) just keeps its speed. */
INLINE float fall_speed(float arriving, float depth, const rill_kernel_constants *constants) {
    float energy = depth + rill_min_f(arriving * arriving * constants->speed_head, 0.5f * depth);
    return rill_max_f(arriving, constants->fall * energy * __builtin_sqrtf(energy) / depth);
}

/* `paper`, `lintel`, whether one may stand in the liquid, and `pushed` are constants. */
INLINE float driven(const pipe *one, float u, float ul, float ur, int32_t tilt, int paper, int lintel, int pushed,
                    const rill_kernel_constants *constants) {
    const rill_face face = face_of(one);
    const float before = u;
    u += constants->drive * (float)head_over(one, &face, paper ? -RILL_WALL : 0, tilt, pushed, constants);
    int32_t from_l = u > 0.0f;
    float twice =
        paper ? 2.0f * (float)(from_l ? one->Hl : one->Hr) : (float)rill_viscosity_depth(&face, one->Hl + one->Hr);
    u *= constants->keep * twice * twice / (twice * twice + constants->drag + 1.0f);
    float cap = constants->top_speed;
    if (!paper) {
        int32_t donor = from_l ? face.l : face.r, receiver = from_l ? face.r : face.l;
        float fall = fall_speed(rill_above_zero(from_l ? ul : ur), (float)rill_max_i(donor, 1), constants);
        cap = (float)receiver * 1.5f < (float)donor ? rill_min_f(cap, fall) : cap;
    }
    u = rill_max_f(rill_min_f(u, cap), -cap);
    if (lintel) u = rill_lintel_blend(one, rill_lintel_share(one), before, u, tilt, pushed, constants);
    return (blocked(one, u, constants->slack) | !wet(&face)) ? 0.0f : u;
}

/* Returns the head by which a pipe is driven along the bed. */
INLINE int32_t along(const rill_pipe_arrays *all, int32_t i, const rill_kernel_constants *constants, int pushed) {
    const int32_t tilt = all->axis[i] ? constants->tilt[1] : constants->tilt[0];
    return pushed ? tilt + all->push[i] : tilt;
}

#define DRIVE_KERNEL(NAME, PAPER, LINTEL, PUSHED)                                                                      \
    static float NAME(int32_t x, int32_t n, const rill_pipe_arrays *arrays, const rill_kernel_constants *constants) {  \
        const rill_pipe_arrays all = *arrays;                                                                          \
        const rill_kernel_constants fixed = *constants;                                                                \
        int32_t fastest = 0;                                                                                           \
        RILL_EACH_ALONE /* vector */                                                                                   \
            for (int32_t i = x; i < x + n; ++i) {                                                                      \
            pipe one = pipe_at(&all, i);                                                                               \
            float u = driven(&one, all.u[i], all.ul[i], all.ur[i], along(&all, i, &fixed, PUSHED), PAPER, LINTEL,      \
                             PUSHED, &fixed);                                                                          \
            int32_t counts = all.awake[i] & (rill_max_i(one.Hl, one.Hr) > fixed.thin);                                 \
            all.u[i] = all.awake[i] ? u : all.u[i];                                                                    \
            fastest = rill_max_i(fastest, counts ? rill_float_bits(__builtin_fabsf(u)) : 0);                           \
        }                                                                                                              \
        return rill_bits_float(fastest);                                                                               \
    }

DRIVE_KERNEL(drive_physical, 0, 0, 0)
DRIVE_KERNEL(drive_physical_pushed, 0, 0, 1)
DRIVE_KERNEL(drive_lintel, 0, 1, 0)
DRIVE_KERNEL(drive_lintel_pushed, 0, 1, 1)
DRIVE_KERNEL(drive_paper, 1, 0, 0)
DRIVE_KERNEL(drive_paper_pushed, 1, 0, 1)

static int32_t any_lintel(int32_t x, int32_t n, const rill_pipe_arrays *arrays) {
    int32_t any = 0;
    for (int32_t i = x; i < x + n; ++i) { /* vector */
        const pipe one = pipe_at(arrays, i);
        any |= arrays->awake[i] & rill_lintel_stands(&one);
    }
    return any;
}

static float drive_pushed(int32_t x, int32_t n, const rill_pipe_arrays *arrays,
                          const rill_kernel_constants *constants) {
    return (any_lintel(x, n, arrays) ? drive_lintel_pushed : drive_physical_pushed)(x, n, arrays, constants);
}

/* The law of lintels is long, and most pipes have none in the liquid. */
static float drive(int32_t x, int32_t n, const rill_pipe_arrays *arrays, bool paper,
                   const rill_kernel_constants *constants) {
    enum { SOME = 16 };
    float fastest = 0.0f;
    if (paper) return (constants->pushed ? drive_paper_pushed : drive_paper)(x, n, arrays, constants);
    if (constants->pushed) return drive_pushed(x, n, arrays, constants);
    for (int32_t i = x; i < x + n; i += SOME) {
        const int32_t count = rill_min_i(SOME, x + n - i);
        fastest = rill_max_f(
            fastest, (any_lintel(i, count, arrays) ? drive_lintel : drive_physical)(i, count, arrays, constants));
    }
    return fastest;
}

#define UNREST_KERNEL(NAME, PUSHED)                                                                                    \
    static void NAME(int32_t x, int32_t n, const rill_pipe_arrays *arrays, bool paper,                                 \
                     const rill_kernel_constants *constants, int32_t head) {                                           \
        const rill_pipe_arrays all = *arrays;                                                                          \
        const rill_kernel_constants fixed = *constants;                                                                \
        const int32_t clip = paper ? -RILL_WALL : 0;                                                                   \
        RILL_EACH_ALONE /* vector */                                                                                   \
            for (int32_t i = x; i < x + n; ++i) {                                                                      \
            pipe one = pipe_at(&all, i);                                                                               \
            rill_face face = face_of(&one);                                                                            \
            int32_t over = rill_abs_i(head_over(&one, &face, clip, along(&all, i, &fixed, PUSHED), PUSHED, &fixed));   \
            all.restless[i] = all.awake[i] & rill_restless(all.u[i], over > head);                                     \
        }                                                                                                              \
    }

UNREST_KERNEL(unrest_plain, 0)
UNREST_KERNEL(unrest_pushed, 1)

static void unrest(int32_t x, int32_t n, const rill_pipe_arrays *arrays, bool paper,
                   const rill_kernel_constants *constants, int32_t head) {
    (constants->pushed ? unrest_pushed : unrest_plain)(x, n, arrays, paper, constants, head);
}

extern const rill_sparse_kernels RILL_KERNELS_NAME;
const rill_sparse_kernels RILL_KERNELS_NAME = { .raw = raw, .drive = drive, .unrest = unrest };
