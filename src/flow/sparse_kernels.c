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

INLINE pipe pipe_at(const rill_pipe_arrays *p, int32_t i) {
    return (pipe){ p->bl[i], p->br[i], p->cl[i], p->cr[i], p->Hl[i], p->Hr[i] };
}
INLINE rill_face face_of(const pipe *p) {
    return rill_face_at(p->bl, p->br, p->Hl, p->Hr);
}

INLINE int32_t blocked(const pipe *p, float u, int32_t slack) {
    return rill_ceiling_blocks(p->cl, p->cr, p->bl + p->Hl, p->br + p->Hr, rill_max_i(p->bl, p->br), u, slack);
}

INLINE int32_t wet(const rill_face *f) {
    return rill_max_i(f->l, f->r) > RILL_DRY;
}

static void raw(int32_t x, int32_t n, const rill_pipe_arrays *arrays, bool paper, const rill_kernel_constants *k) {
    const rill_pipe_arrays a = *arrays;
    const float lambda = k->lambda, fixed = paper ? k->paper_opening : 0.0f;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = x; i < x + n; ++i) {
        pipe p = pipe_at(&a, i);
        rill_face f = rill_face_under(face_of(&p), rill_min_i(p.cl, p.cr) - rill_max_i(p.bl, p.br));
        float opening = (float)rill_move_opening(&f, a.u[i]);
        float q = a.u[i] * lambda * (fixed > 0.0f ? fixed : opening);
        a.q[i] = a.awake[i] ? q : 0.0f;
    }
}

/* The head over a pipe, clipped to its sill (the paper's is not); 0 where nothing can flow. */
INLINE int32_t head_over(const pipe *p, const rill_face *f, int32_t clip, int32_t tilt, int32_t slack) {
    int32_t head = rill_drive_head(f, clip) + tilt;
    int32_t donor_dry = (head > 0 ? f->l : f->r) <= RILL_DRY;
    return (donor_dry | blocked(p, (float)head, slack) | !wet(f)) ? 0 : head;
}

/* How fast free overfall lets liquid leave a column whose receiver stands low: critical flow, whose energy head E is
 * the depth above the sill and the head of the speed it arrives with. A stream that arrives faster than critical (E >
 * 1.5 depth) just keeps its speed. */
INLINE float fall_speed(float arriving, float depth, const rill_kernel_constants *k) {
    float energy = depth + rill_min_f(arriving * arriving * k->speed_head, 0.5f * depth);
    return rill_max_f(arriving, k->fall * energy * __builtin_sqrtf(energy) / depth);
}

/* `paper` and `lintel`, whether one may stand in the liquid, are constants. */
INLINE float driven(const pipe *p, float u, float ul, float ur, int32_t tilt, int paper, int lintel,
                    const rill_kernel_constants *k) {
    const rill_face f = face_of(p);
    const float before = u;
    u += k->drive * (float)head_over(p, &f, paper ? -RILL_WALL : 0, tilt, k->slack);
    int32_t from_l = u > 0.0f;
    float twice = paper ? 2.0f * (float)(from_l ? p->Hl : p->Hr) : (float)rill_viscosity_depth(&f, p->Hl + p->Hr);
    u *= k->keep * twice * twice / (twice * twice + k->drag + 1.0f);
    float cap = k->top_speed;
    if (!paper) {
        int32_t donor = from_l ? f.l : f.r, receiver = from_l ? f.r : f.l;
        float fall = fall_speed(rill_above_zero(from_l ? ul : ur), (float)rill_max_i(donor, 1), k);
        cap = (float)receiver * 1.5f < (float)donor ? rill_min_f(cap, fall) : cap;
    }
    u = rill_max_f(rill_min_f(u, cap), -cap);
    if (lintel) u = rill_lintel_blend(p, rill_lintel_share(p), before, u, tilt, k);
    return (blocked(p, u, k->slack) | !wet(&f)) ? 0.0f : u;
}

#define DRIVE_KERNEL(NAME, PAPER, LINTEL)                                                                              \
    static float NAME(int32_t x, int32_t n, const rill_pipe_arrays *arrays, const rill_kernel_constants *constants) {  \
        const rill_pipe_arrays a = *arrays;                                                                            \
        const rill_kernel_constants k = *constants;                                                                    \
        int32_t fastest = 0;                                                                                           \
        RILL_EACH_ALONE /* vector */                                                                                   \
            for (int32_t i = x; i < x + n; ++i) {                                                                      \
            pipe p = pipe_at(&a, i);                                                                                   \
            float u = driven(&p, a.u[i], a.ul[i], a.ur[i], a.axis[i] ? k.tilt[1] : k.tilt[0], PAPER, LINTEL, &k);      \
            int32_t counts = a.awake[i] & (rill_max_i(p.Hl, p.Hr) > k.thin);                                           \
            a.u[i] = a.awake[i] ? u : a.u[i];                                                                          \
            fastest = rill_max_i(fastest, counts ? rill_float_bits(__builtin_fabsf(u)) : 0);                           \
        }                                                                                                              \
        return rill_bits_float(fastest);                                                                               \
    }

DRIVE_KERNEL(drive_physical, 0, 0)
DRIVE_KERNEL(drive_lintel, 0, 1)
DRIVE_KERNEL(drive_paper, 1, 0)

static int32_t any_lintel(int32_t x, int32_t n, const rill_pipe_arrays *arrays) {
    int32_t any = 0;
    for (int32_t i = x; i < x + n; ++i) { /* vector */
        const pipe p = pipe_at(arrays, i);
        any |= arrays->awake[i] & rill_lintel_stands(&p);
    }
    return any;
}

/* The law of lintels is long, and most pipes have none in the liquid. */
static float drive(int32_t x, int32_t n, const rill_pipe_arrays *p, bool paper, const rill_kernel_constants *k) {
    enum { SOME = 16 };
    float fastest = 0.0f;
    if (paper) return drive_paper(x, n, p, k);
    for (int32_t i = x; i < x + n; i += SOME) {
        const int32_t count = rill_min_i(SOME, x + n - i);
        fastest = rill_max_f(fastest, (any_lintel(i, count, p) ? drive_lintel : drive_physical)(i, count, p, k));
    }
    return fastest;
}

static void unrest(int32_t x, int32_t n, const rill_pipe_arrays *arrays, bool paper, const rill_kernel_constants *k,
                   int32_t head) {
    const rill_pipe_arrays a = *arrays;
    const int32_t clip = paper ? -RILL_WALL : 0, tilt[2] = { k->tilt[0], k->tilt[1] }, slack = k->slack;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = x; i < x + n; ++i) {
        pipe p = pipe_at(&a, i);
        rill_face f = face_of(&p);
        int32_t over = rill_abs_i(head_over(&p, &f, clip, a.axis[i] ? tilt[1] : tilt[0], slack));
        a.restless[i] = a.awake[i] & rill_restless(a.u[i], over > head);
    }
}

extern const rill_sparse_kernels RILL_KERNELS_NAME;
const rill_sparse_kernels RILL_KERNELS_NAME = { .raw = raw, .drive = drive, .unrest = unrest };
