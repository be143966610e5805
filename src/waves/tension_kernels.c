/* The kernels of surface tension. Compiled several times with RILL_KERNELS_NAME set to the table's name; see
 * tension_kernels.h, tension.h for the equations, and flow/kernels.c for what makes loops marked "vector" vectorise. */
#include "waves/tension_kernels.h"

#include <string.h>

#include "base/simd.h"
#include "flow/drive.h"
#include "flow/move.h"
#include "flow/viscosity.h"
#include "waves/tension_constants.h"
#include "waves/tension_edge.h"
#include "waves/tension_link.h"

#define INLINE static inline __attribute__((always_inline))

enum { BLOCK = 16 };

INLINE float magnitude(float f) {
    return __builtin_fabsf(f);
}

/* The larger of two values that are not negative, as bits: integer maxima vectorise. */
INLINE int32_t larger(int32_t most, float value) {
    return rill_max_i(most, rill_float_bits(value));
}

/* ------------------------------------------------------------------------------------------------------------- faces */

INLINE void slope(const rill_tension_run *run, const rill_tension_planes *planes, const rill_tension_constants *k,
                  int32_t back, float *slopes, float *links) {
    const rill_tension_planes p = *planes;
    const int32_t five_dx = k->five_dx, from = run->place;
    const float per_quantum = k->slope;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < from + (run->count & -BLOCK); ++i) {
        const rill_face f = rill_tension_face(&p, i - back, i);
        const int32_t joined = rill_tension_linked(&p, &f, i - back, i, five_dx);
        const float acts = rill_min_f(p.acting[i - back], p.acting[i]);
        slopes[i] = joined & (int32_t)(acts > 0.0f) ? (float)(f.r - f.l) * per_quantum : 0.0f;
        links[i] = joined ? 1.0f : 0.0f;
    }
}

static void slopes(const rill_tension_run *run, const rill_tension_planes *p, const rill_tension_constants *k) {
    slope(run, p, k, 1, p->gx, p->ax);
    slope(run, p, k, run->stride, p->gy, p->ay);
}

/* a_c = 1 / sqrt(1 + |grad h|^2) at the south-west corners of columns: of either axis the mean of two squared slopes. */
static void corners(const rill_tension_run *run, const rill_tension_planes *planes, const rill_tension_constants *k) {
    const rill_tension_planes p = *planes;
    const int32_t from = run->place, up = run->stride;
    (void)k;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < from + (run->count & -BLOCK); ++i) {
        const float west = p.gx[i], beyond = p.gx[i - up], south = p.gy[i], beside = p.gy[i - 1];
        const float along = west * west + beyond * beyond, across = south * south + beside * beside;
        p.force[i] = 1.0f / __builtin_sqrtf(1.0f + 0.5f * (along + across));
    }
}

/* a of linked faces, the mean of that of their corners, and a s. At a face that is not linked the surface ends at the sill: its
 * flux is the slope from the upper column's level down to there, pointing out of that column. */
INLINE void weight(const rill_tension_run *run, const rill_tension_planes *planes, const rill_tension_constants *k,
                   int32_t back, int32_t across, const float *slopes, float *links, float *flux) {
    const rill_tension_planes p = *planes;
    const float per_quantum = k->slope;
    const int32_t from = run->place;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < from + (run->count & -BLOCK); ++i) {
        const float on_l = p.acting[i - back], on_r = p.acting[i], both = rill_min_f(on_l, on_r);
        const int32_t step = p.b[i - back] - p.b[i];
        const float up = (float)(step > 0 ? p.H[i - back] : p.H[i]) * per_quantum;
        const float down = up / __builtin_sqrtf(1.0f + up * up);
        const float brink = (step > 0 ? -down : down) * rill_above_zero(step > 0 ? on_l : on_r);
        const float a = 0.5f * (p.force[i] + p.force[i + across]);
        const float joint = links[i] > 0.0f ? a * rill_above_zero(both) : 0.0f;
        const float end = both >= 0.0f ? brink : 0.0f;
        flux[i] = links[i] > 0.0f ? joint * slopes[i] : end;
        links[i] = joint;
    }
}

static void weights(const rill_tension_run *run, const rill_tension_planes *p, const rill_tension_constants *k) {
    weight(run, p, k, 1, run->stride, p->gx, p->ax, p->fx);
    weight(run, p, k, run->stride, 1, p->gy, p->ay, p->fy);
}

/* ---------------------------------------------------------------------------------------------------------- pressures */

/* a s of the face that leads east or north out of a column, and of that which leads into it from west or south: at a brink
 * only as seen by the upper column. */
INLINE float leaving(float link, float flux) {
    return link > 0.0f ? flux : rill_min_f(flux, 0.0f);
}
INLINE float coming(float link, float flux) {
    return link > 0.0f ? flux : rill_max_f(flux, 0.0f);
}

/* The memory of a column: wetted where the wetting energy ends, as long as something is left and until that has dried. */
INLINE int32_t remember(int32_t wet, int32_t H, float end, const rill_tension_constants *k) {
    const int32_t left = k->now >= wet ? 0 : wet, renewed = wet != 0 ? k->dries : 0;
    const int32_t kept = H <= k->least ? left : renewed;
    return (int32_t)((float)H >= end) & (int32_t)(H > k->least) ? k->dries : kept;
}

static void pressures(const rill_tension_run *run, const rill_tension_planes *planes,
                      const rill_tension_constants *constants) {
    const rill_tension_planes p = *planes;
    const rill_tension_constants k = *constants;
    const int32_t from = run->place, end = from + (run->count & -BLOCK), up = run->stride, first = run->x - from;
    const double along = (double)k.tilt[1] * run->y;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < end; ++i) {
        const float out = (leaving(p.ax[i + 1], p.fx[i + 1]) - coming(p.ax[i], p.fx[i])) +
                          (leaving(p.ay[i + up], p.fy[i + up]) - coming(p.ay[i], p.fy[i]));
        const float advancing = p.advancing[i], receding = p.receding[i], on = rill_above_zero(p.acting[i]);
        const int32_t H = p.H[i], wet = remember(p.wet[i], H, k.foot * advancing, &k);
        const float s = wet != 0 ? receding : advancing;
        const float left = on * rill_max_f(s - (float)H / k.foot, 0.0f);
        const double head = (double)(p.b[i] + H - k.level) - ((double)k.tilt[0] * (double)(first + i) + along);
        p.wet[i] = wet;
        p.sharp[i] = s;
        p.hollow[i] = left > 0.0f ? k.hollow : 0.0f;
        p.potential[i] = (k.edge * left - k.bend * out * on) + k.weight * (float)head;
    }
}

/* A wall pulls by G cos theta / dx on the column beside it, as far as that is higher than the foot of a drop; two walls in a
 * corner as one across it. */
static void walls(const rill_tension_run *run, const rill_tension_planes *p, const rill_tension_constants *k) {
    for (int32_t i = run->place; i < run->place + run->count; ++i) {
        const float foot = k->foot * p->advancing[i], H = (float)p->H[i], s = p->sharp[i];
        const float along = (float)rill_tension_walls(p, i, 0, 1),
                    across = (float)rill_tension_walls(p, i, 1, run->stride);
        const float wets = foot > H ? H / foot : 1.0f, cosine = 1.0f - 0.5f * s * s;
        if (along + across > 0.0f && p->acting[i] > 0.0f)
            p->potential[i] -= k->bend * cosine * wets * __builtin_sqrtf(along * along + across * across);
    }
}

/* Adds the potentials of forces from outside. */
static void fields(const rill_tension_run *run, const rill_tension_planes *planes, const rill_tension_constants *k) {
    const rill_tension_planes p = *planes;
    const int32_t from = run->place, end = from + (run->count & -BLOCK);
    const double lowest = k->lowest;
    const float weight = k->weight;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < end; ++i) p.potential[i] += weight * (float)(p.field[i] - lowest);
}

/* --------------------------------------------------------------------------------------------------------- mobilities */

/* The share of a velocity that the bed's drag leaves, from the square of twice the depth that it acts over. */
INLINE float eased(float square, const rill_tension_constants *k) {
    return square * k->keep / rill_max_f(square + k->drag, 1.0f);
}

/* `pushed`, whether forces from outside have potentials, is a constant. */
INLINE void mobility(const rill_tension_run *run, const rill_tension_planes *planes,
                     const rill_tension_constants *constants, int32_t back, int32_t tilt, int pushed, float *speeds,
                     float *m, float *gain, float *flux) {
    const rill_tension_planes p = *planes;
    const rill_tension_constants k = *constants;
    const int32_t from = run->place;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < from + (run->count & -BLOCK); ++i) {
        const rill_face f = rill_tension_face(&p, i - back, i);
        const int32_t joined = rill_tension_linked(&p, &f, i - back, i, k.five_dx), Hl = p.H[i - back], Hr = p.H[i];
        const float twice = (float)rill_viscosity_depth(&f, Hl + Hr), mean = 0.5f * (float)(Hl + Hr);
        const float foot = k.foot * rill_max_f(p.sharp[i - back], p.sharp[i]);
        const float bare = foot > mean ? 1.0f - mean / foot : 0.0f, square = twice * twice;
        const float before = eased(square, &k), slips = eased(square + k.slip * bare * mean, &k);
        const float field = pushed ? k.drive * (float)(p.field[i - back] - p.field[i]) : 0.0f;
        const float level = k.drive * (float)(f.l - f.r + tilt), head = pushed ? level + field : level,
                    pull = k.push * (p.potential[i] - p.potential[i - back]);
        const float guess = speeds[i] - before * head - slips * pull;
        const int32_t open = rill_tension_opening(&f, guess), deeper = rill_max_i(Hl, Hr);
        const float al = rill_min_f(slips, eased(rill_tension_climbing(&f, guess, open), &k));
        const float free = speeds[i] * (before > 0.0f ? al / before : 1.0f) - al * head, g = al * k.push;
        const int32_t stays = (int32_t)(deeper <= k.residue) & (int32_t)(magnitude(guess) < RILL_RESIDUE_SPEED);
        const int32_t flows = joined & (int32_t)(open > k.least) & (stays ^ 1);
        const float passes = k.reach * (float)open;
        m[i] = flows ? g * passes : 0.0f;
        gain[i] = flows ? g : 0.0f;
        flux[i] = flows ? passes * free : 0.0f;
        speeds[i] = joined ? (flows ? free : 0.0f) : speeds[i];
    }
}

/* Whether liquid ran over an edge of a block. */
INLINE int32_t any_flowing(const uint8_t *flowing, uint8_t bit) {
    uint64_t eight[BLOCK / 8];
    memcpy(eight, flowing, sizeof eight);
    return ((eight[0] | eight[1]) & UINT64_C(0x0101010101010101) * bit) != 0;
}

/* Whether faces of a block may be brinks that hold liquid back, an upper column with some beside one that is not linked, or
 * were such over which it ran. */
INLINE int32_t any_brink(const rill_tension_planes *p, int32_t from, int32_t back, int32_t five_dx, uint8_t bit) {
    int32_t any = any_flowing(p->flowing + from, bit);
    RILL_NOT_UNROLLED /* vector */
        for (int32_t i = from; i < from + BLOCK; ++i) {
        const rill_face f = rill_tension_face(p, i - back, i);
        const int32_t upper = f.step > 0 ? p->H[i - back] : p->H[i];
        any |= (int32_t)(upper > 0) & (int32_t)(rill_max_f(p->acting[i - back], p->acting[i]) > 0.0f) &
               !rill_tension_linked(p, &f, i - back, i, five_dx);
    }
    return any;
}

static void hold(const rill_tension_planes *p, const rill_tension_constants *k, int32_t from, int32_t back,
                 float *speeds, uint8_t bit) {
    if (!any_brink(p, from, back, k->five_dx, bit)) return;
    for (int32_t i = from; i < from + BLOCK; ++i) {
        const rill_face f = rill_tension_face(p, i - back, i);
        const int32_t from_l = f.step > 0, upper = from_l ? i - back : i, lower = from_l ? i : i - back;
        const int32_t brink = p->H[upper] > 0 && p->b[lower] < RILL_WALL && p->b[upper] < RILL_WALL &&
                              p->acting[upper] > 0.0f && p->acting[lower] >= 0.0f &&
                              !rill_tension_linked(p, &f, i - back, i, k->five_dx);
        const uint8_t others = p->flowing[i] & (uint8_t)~bit;
        const rill_tension_edge edge = { upper, lower, from_l ? upper - back : upper + back };
        if (brink && rill_tension_holds(p, k, &edge, speeds[i], p->flowing[i] & bit)) speeds[i] = 0.0f;
        p->flowing[i] = brink && speeds[i] != 0.0f ? others | bit : others;
    }
}

static void mobilities(const rill_tension_run *run, const rill_tension_planes *p, const rill_tension_constants *k) {
    if (k->pushed) {
        mobility(run, p, k, 1, k->tilt[0], 1, p->u, p->mx, p->gx, p->fx);
        mobility(run, p, k, run->stride, k->tilt[1], 1, p->v, p->my, p->gy, p->fy);
    } else {
        mobility(run, p, k, 1, k->tilt[0], 0, p->u, p->mx, p->gx, p->fx);
        mobility(run, p, k, run->stride, k->tilt[1], 0, p->v, p->my, p->gy, p->fy);
    }
    for (int32_t i = run->place; i < run->place + run->count; i += BLOCK) {
        hold(p, k, i, 1, p->u, RILL_FLOWS_WEST);
        hold(p, k, i, run->stride, p->v, RILL_FLOWS_SOUTH);
    }
}

/* -------------------------------------------------------------------------------------------------------------- solve */

#define SOLVER(NAME)                                                                                                   \
    static void NAME(const rill_tension_run *run, const rill_tension_planes *planes,                                   \
                     const rill_tension_factors *factors, rill_tension_outcome *out)

/* Keeps the larger of what a pass has found and a value that was found as bits. */
INLINE void keep(float *most, int32_t bits) {
    *most = rill_max_f(*most, rill_bits_float(bits));
}

/* Adding 1.5 * 2^52 to a double rounds it to a whole number, which its bits then hold, so that sums of bits are sums of
 * whole numbers: exact, in any order. */
INLINE uint64_t whole(float a, float b, double scale) {
    union {
        double number;
        uint64_t bits;
    } term = { (double)a * (double)b * scale + 6755399441055744.0 };
    return term.bits;
}
/* Returns what so many terms have added by that. */
INLINE int64_t sum_of(uint64_t bits, int32_t count) {
    return (int64_t)(bits - (uint64_t)count * UINT64_C(0x4338000000000000));
}

/* C x and D x of a column. */
INLINE float stiffened(const rill_tension_planes *p, const float *x, int32_t i, int32_t up, float stiff) {
    const float here = x[i], along = p->ax[i] * (here - x[i - 1]) + p->ax[i + 1] * (here - x[i + 1]);
    const float across = p->ay[i] * (here - x[i - up]) + p->ay[i + up] * (here - x[i + up]);
    return stiff * (along + across) + p->hollow[i] * here;
}
INLINE float moved_by(const rill_tension_planes *p, const float *x, int32_t i, int32_t up) {
    const float here = x[i], along = p->mx[i] * (here - x[i - 1]) + p->mx[i + 1] * (here - x[i + 1]);
    const float across = p->my[i] * (here - x[i - up]) + p->my[i + up] * (here - x[i + up]);
    return along + across;
}

SOLVER(start) {
    const rill_tension_planes p = *planes;
    const int32_t from = run->place, end = from + (run->count & -BLOCK), up = run->stride;
    int32_t mobile = 0, changed = 0, pressed = 0;
    (void)factors;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < end; ++i) {
        const float open = (p.mx[i] + p.mx[i + 1]) + (p.my[i] + p.my[i + up]);
        const float last = p.change[i], Pt = p.potential[i];
        const float change = open > 0.0f ? last : 0.0f, potential = open > 0.0f ? Pt : 0.0f;
        p.moved[i] = (p.fx[i] - p.fx[i + 1]) + (p.fy[i] - p.fy[i + up]);
        p.change[i] = change;
        p.potential[i] = potential;
        mobile = larger(mobile, open);
        changed = larger(changed, magnitude(change));
        pressed = larger(pressed, magnitude(potential));
    }
    keep(&out->most[0], mobile), keep(&out->most[1], changed), keep(&out->most[2], pressed);
}

SOLVER(fly) {
    const rill_tension_planes p = *planes;
    const int32_t from = run->place, end = from + (run->count & -BLOCK), up = run->stride;
    const float stiff = factors->stiff;
    int32_t most = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < end; ++i) {
        const float f = p.potential[i] + stiffened(&p, p.moved, i, up, stiff);
        p.force[i] = f;
        most = larger(most, magnitude(f));
    }
    keep(&out->most[0], most);
}

SOLVER(probe) {
    const rill_tension_planes p = *planes;
    const int32_t from = run->place, end = from + (run->count & -BLOCK), up = run->stride;
    const double scale = factors->scales[0];
    int32_t most_a = 0, most_e = 0;
    uint64_t sum = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < end; ++i) {
        const float a = moved_by(&p, p.potential, i, up), e = moved_by(&p, p.change, i, up);
        sum += whole(p.force[i], moved_by(&p, p.force, i, up), scale);
        p.moved[i] = a;
        p.sharp[i] = e;
        most_a = larger(most_a, magnitude(a));
        most_e = larger(most_e, magnitude(e));
    }
    out->sums[0] += sum_of(sum, end - from);
    keep(&out->most[0], most_a), keep(&out->most[1], most_e);
}

SOLVER(weigh) {
    const rill_tension_planes p = *planes;
    const int32_t from = run->place, end = from + (run->count & -BLOCK), up = run->stride;
    const float stiff = factors->stiff;
    const double *scale = factors->scales;
    uint64_t fa = 0, fe = 0, aa = 0, ae = 0, ee = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < end; ++i) {
        const float qa = p.potential[i] + stiffened(&p, p.moved, i, up, stiff), Da = p.moved[i], f = p.force[i];
        const float qe = p.change[i] + stiffened(&p, p.sharp, i, up, stiff), De = p.sharp[i];
        p.fx[i] = qa;
        p.fy[i] = qe;
        fa += whole(f, Da, scale[0]);
        fe += whole(f, De, scale[1]);
        aa += whole(qa, Da, scale[2]);
        ae += whole(qa, De, scale[3]);
        ee += whole(qe, De, scale[4]);
    }
    const uint64_t sums[] = { fa, fe, aa, ae, ee };
    for (int k = 0; k < RILL_TENSION_SUMS; ++k) out->sums[k] += sum_of(sums[k], end - from);
}

SOLVER(begin) {
    const rill_tension_planes p = *planes;
    const int32_t from = run->place, end = from + (run->count & -BLOCK);
    const float s = factors->of_a, t = factors->of_b;
    int32_t most = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < end; ++i) {
        const float r = p.force[i] - (s * p.fx[i] + t * p.fy[i]);
        p.change[i] = s * p.potential[i] + t * p.change[i];
        p.fx[i] = r;
        most = larger(most, magnitude(r));
    }
    keep(&out->most[0], most);
}

SOLVER(look) {
    const rill_tension_planes p = *planes;
    const int32_t from = run->place, end = from + (run->count & -BLOCK), up = run->stride;
    const double scale = factors->scales[0];
    int32_t most = 0;
    uint64_t sum = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < end; ++i) {
        const float y = moved_by(&p, p.fx, i, up);
        p.force[i] = y;
        sum += whole(p.fx[i], y, scale);
        most = larger(most, magnitude(y));
    }
    out->sums[0] += sum_of(sum, end - from);
    keep(&out->most[0], most);
}

SOLVER(turn) {
    const rill_tension_planes p = *planes;
    const int32_t from = run->place, end = from + (run->count & -BLOCK);
    const float beta = factors->of_a;
    int32_t most_p = 0, most_d = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < end; ++i) {
        const float ahead = p.fx[i] + beta * p.fy[i], moved = p.force[i] + beta * p.moved[i];
        p.fy[i] = ahead;
        p.moved[i] = moved;
        most_p = larger(most_p, magnitude(ahead));
        most_d = larger(most_d, magnitude(moved));
    }
    keep(&out->most[0], most_p), keep(&out->most[1], most_d);
}

SOLVER(apply) {
    const rill_tension_planes p = *planes;
    const int32_t from = run->place, end = from + (run->count & -BLOCK), up = run->stride;
    const float stiff = factors->stiff;
    const double scale = factors->scales[0];
    uint64_t sum = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < end; ++i) {
        const float q = p.fy[i] + stiffened(&p, p.moved, i, up, stiff);
        p.sharp[i] = q;
        sum += whole(q, p.moved[i], scale);
    }
    out->sums[0] += sum_of(sum, end - from);
}

SOLVER(advance) {
    const rill_tension_planes p = *planes;
    const int32_t from = run->place, end = from + (run->count & -BLOCK);
    const float alpha = factors->of_a;
    int32_t most = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < end; ++i) {
        const float r = p.fx[i] - alpha * p.sharp[i];
        p.change[i] += alpha * p.fy[i];
        p.fx[i] = r;
        most = larger(most, magnitude(r));
    }
    keep(&out->most[0], most);
}

SOLVER(remember_change) {
    const rill_tension_planes p = *planes;
    const int32_t from = run->place, end = from + (run->count & -BLOCK), up = run->stride;
    (void)factors, (void)out;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < end; ++i) {
        const float open = (p.mx[i] + p.mx[i + 1]) + (p.my[i] + p.my[i + up]), change = p.change[i] - p.potential[i];
        p.change[i] = open > 0.0f ? change : 0.0f;
    }
}

INLINE float driven(float u, float gain, float l, float r, float cap) {
    const float reached = rill_max_f(rill_min_f(u - gain * (r - l), cap), -cap);
    return gain > 0.0f ? reached : u;
}

static void drive(const rill_tension_run *run, const rill_tension_planes *planes, const rill_tension_constants *k) {
    const rill_tension_planes p = *planes;
    const int32_t from = run->place, up = run->stride;
    const float cap = k->top_speed;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < from + (run->count & -BLOCK); ++i) {
        p.u[i] = driven(p.u[i], p.gx[i], p.change[i - 1], p.change[i], cap);
        p.v[i] = driven(p.v[i], p.gy[i], p.change[i - up], p.change[i], cap);
    }
}

extern const rill_tension_kernels RILL_KERNELS_NAME;
const rill_tension_kernels RILL_KERNELS_NAME = {
    .slopes = slopes,
    .corners = corners,
    .weights = weights,
    .pressures = pressures,
    .walls = walls,
    .fields = fields,
    .mobilities = mobilities,
    .start = start,
    .fly = fly,
    .probe = probe,
    .weigh = weigh,
    .begin = begin,
    .look = look,
    .turn = turn,
    .apply = apply,
    .advance = advance,
    .remember = remember_change,
    .drive = drive,
};
