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

INLINE void slope(const rill_tension_run *run, const rill_tension_planes *planes,
                  const rill_tension_constants *constants, int32_t back, float *slopes, float *links) {
    const rill_tension_planes plane = *planes;
    const int32_t five_dx = constants->five_dx, from = run->place;
    const float per_quantum = constants->slope;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < from + (run->count & -BLOCK); ++i) {
        const rill_face face = rill_tension_face(&plane, i - back, i);
        const int32_t joined = rill_tension_linked(&plane, &face, i - back, i, five_dx);
        const float acts = rill_min_f(plane.acting[i - back], plane.acting[i]);
        slopes[i] = joined & (int32_t)(acts > 0.0f) ? (float)(face.r - face.l) * per_quantum : 0.0f;
        links[i] = joined ? 1.0f : 0.0f;
    }
}

static void slopes(const rill_tension_run *run, const rill_tension_planes *planes,
                   const rill_tension_constants *constants) {
    slope(run, planes, constants, 1, planes->gx, planes->ax);
    slope(run, planes, constants, run->stride, planes->gy, planes->ay);
}

/* a_c = 1 / sqrt(1 + |grad h|^2) at the south-west corners of columns: of either axis the mean of two squared slopes. */
static void corners(const rill_tension_run *run, const rill_tension_planes *planes,
                    const rill_tension_constants *constants) {
    const rill_tension_planes plane = *planes;
    const int32_t from = run->place, up = run->stride;
    (void)constants;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < from + (run->count & -BLOCK); ++i) {
        const float west = plane.gx[i], beyond = plane.gx[i - up], south = plane.gy[i], beside = plane.gy[i - 1];
        const float along = west * west + beyond * beyond, across = south * south + beside * beside;
        plane.force[i] = 1.0f / __builtin_sqrtf(1.0f + 0.5f * (along + across));
    }
}

/* a of linked faces, the mean of that of their corners, and a s. At a face that is not linked the surface ends at the sill: its
 * flux is the slope from the upper column's level down to there, pointing out of that column. */
INLINE void weight(const rill_tension_run *run, const rill_tension_planes *planes,
                   const rill_tension_constants *constants, int32_t back, int32_t across, const float *slopes,
                   float *links, float *flux) {
    const rill_tension_planes plane = *planes;
    const float per_quantum = constants->slope;
    const int32_t from = run->place;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < from + (run->count & -BLOCK); ++i) {
        const float on_l = plane.acting[i - back], on_r = plane.acting[i], both = rill_min_f(on_l, on_r);
        const int32_t step = plane.b[i - back] - plane.b[i];
        const float up = (float)(step > 0 ? plane.H[i - back] : plane.H[i]) * per_quantum;
        const float down = up / __builtin_sqrtf(1.0f + up * up);
        const float brink = (step > 0 ? -down : down) * rill_above_zero(step > 0 ? on_l : on_r);
        const float a = 0.5f * (plane.force[i] + plane.force[i + across]);
        const float joint = links[i] > 0.0f ? a * rill_above_zero(both) : 0.0f;
        const float end = both >= 0.0f ? brink : 0.0f;
        flux[i] = links[i] > 0.0f ? joint * slopes[i] : end;
        links[i] = joint;
    }
}

static void weights(const rill_tension_run *run, const rill_tension_planes *planes,
                    const rill_tension_constants *constants) {
    weight(run, planes, constants, 1, run->stride, planes->gx, planes->ax, planes->fx);
    weight(run, planes, constants, run->stride, 1, planes->gy, planes->ay, planes->fy);
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
INLINE int32_t remember(int32_t wet, int32_t H, float end, const rill_tension_constants *constants) {
    const int32_t left = constants->now >= wet ? 0 : wet, renewed = wet != 0 ? constants->dries : 0;
    const int32_t kept = H <= constants->least ? left : renewed;
    return (int32_t)((float)H >= end) & (int32_t)(H > constants->least) ? constants->dries : kept;
}

static void pressures(const rill_tension_run *run, const rill_tension_planes *planes,
                      const rill_tension_constants *constants) {
    const rill_tension_planes plane = *planes;
    const rill_tension_constants fixed = *constants;
    const int32_t from = run->place, end = from + (run->count & -BLOCK), up = run->stride, first = run->x - from;
    const double along = (double)fixed.tilt[1] * run->y;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < end; ++i) {
        const float out = (leaving(plane.ax[i + 1], plane.fx[i + 1]) - coming(plane.ax[i], plane.fx[i])) +
                          (leaving(plane.ay[i + up], plane.fy[i + up]) - coming(plane.ay[i], plane.fy[i]));
        const float advancing = plane.advancing[i], receding = plane.receding[i], on = rill_above_zero(plane.acting[i]);
        const int32_t H = plane.H[i], wet = remember(plane.wet[i], H, fixed.foot * advancing, &fixed);
        const float s = wet != 0 ? receding : advancing;
        const float left = on * rill_max_f(s - (float)H / fixed.foot, 0.0f);
        const double head = (double)(plane.b[i] + H - fixed.level) * fixed.upright -
                            ((double)fixed.tilt[0] * (double)(first + i) + along);
        plane.wet[i] = wet;
        plane.sharp[i] = s;
        plane.hollow[i] = left > 0.0f ? fixed.hollow : 0.0f;
        plane.potential[i] = (fixed.edge * left - fixed.bend * out * on) + fixed.weight * (float)head;
    }
}

/* A wall pulls by G cos theta / dx on the column beside it, as far as that is higher than the foot of a drop; two walls in a
 * corner as one across it. */
static void walls(const rill_tension_run *run, const rill_tension_planes *planes,
                  const rill_tension_constants *constants) {
    for (int32_t i = run->place; i < run->place + run->count; ++i) {
        const float foot = constants->foot * planes->advancing[i], H = (float)planes->H[i], s = planes->sharp[i];
        const float along = (float)rill_tension_walls(planes, i, 0, 1),
                    across = (float)rill_tension_walls(planes, i, 1, run->stride);
        const float wets = foot > H ? H / foot : 1.0f, cosine = 1.0f - 0.5f * s * s;
        if (along + across > 0.0f && planes->acting[i] > 0.0f)
            planes->potential[i] -= constants->bend * cosine * wets * __builtin_sqrtf(along * along + across * across);
    }
}

/* Adds the potentials of forces from outside. */
static void fields(const rill_tension_run *run, const rill_tension_planes *planes,
                   const rill_tension_constants *constants) {
    const rill_tension_planes plane = *planes;
    const int32_t from = run->place, end = from + (run->count & -BLOCK);
    const double lowest = constants->lowest;
    const float weight = constants->weight;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < end; ++i) plane.potential[i] += weight * (float)(plane.field[i] - lowest);
}

/* --------------------------------------------------------------------------------------------------------- mobilities */

/* The share of a velocity that the bed's drag leaves, from the square of twice the depth that it acts over. */
INLINE float eased(float square, const rill_tension_constants *constants) {
    return square * constants->keep / rill_max_f(square + constants->drag, 1.0f);
}

/* `pushed`, whether forces from outside have potentials or levels count less than they are, is a constant. */
INLINE void mobility(const rill_tension_run *run, const rill_tension_planes *planes,
                     const rill_tension_constants *constants, int32_t back, int32_t tilt, int pushed, float *speeds,
                     float *m, float *gain, float *flux) {
    const rill_tension_planes plane = *planes;
    const rill_tension_constants fixed = *constants;
    const int32_t from = run->place;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < from + (run->count & -BLOCK); ++i) {
        const rill_face face = rill_tension_face(&plane, i - back, i);
        const int32_t joined = rill_tension_linked(&plane, &face, i - back, i, fixed.five_dx), Hl = plane.H[i - back],
                      Hr = plane.H[i];
        const float twice = (float)rill_viscosity_depth(&face, Hl + Hr), mean = 0.5f * (float)(Hl + Hr);
        const float foot = fixed.foot * rill_max_f(plane.sharp[i - back], plane.sharp[i]);
        const float bare = foot > mean ? 1.0f - mean / foot : 0.0f, square = twice * twice;
        const float before = eased(square, &fixed), slips = eased(square + fixed.slip * bare * mean, &fixed);
        const float field = pushed ? fixed.drive * (float)(plane.field[i - back] - plane.field[i]) : 0.0f;
        const int32_t levels = face.l - face.r,
                      along = (pushed ? rill_drive_upright(levels, fixed.upright) : levels) + tilt;
        const float level = fixed.drive * (float)along, head = pushed ? level + field : level,
                    pull = fixed.push * (plane.potential[i] - plane.potential[i - back]);
        const float guess = speeds[i] - before * head - slips * pull;
        const int32_t open = rill_tension_opening(&face, guess), deeper = rill_max_i(Hl, Hr);
        const float al = rill_min_f(slips, eased(rill_tension_climbing(&face, guess, open), &fixed));
        const float free = speeds[i] * (before > 0.0f ? al / before : 1.0f) - al * head, g = al * fixed.push;
        const int32_t stays = (int32_t)(deeper <= fixed.residue) & (int32_t)(magnitude(guess) < RILL_RESIDUE_SPEED);
        const int32_t flows = joined & (int32_t)(open > fixed.least) & (stays ^ 1);
        const float passes = fixed.reach * (float)open;
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
INLINE int32_t any_brink(const rill_tension_planes *planes, int32_t from, int32_t back, int32_t five_dx, uint8_t bit) {
    int32_t any = any_flowing(planes->flowing + from, bit);
    RILL_NOT_UNROLLED /* vector */
        for (int32_t i = from; i < from + BLOCK; ++i) {
        const rill_face face = rill_tension_face(planes, i - back, i);
        const int32_t upper = face.step > 0 ? planes->H[i - back] : planes->H[i];
        any |= (int32_t)(upper > 0) & (int32_t)(rill_max_f(planes->acting[i - back], planes->acting[i]) > 0.0f) &
               !rill_tension_linked(planes, &face, i - back, i, five_dx);
    }
    return any;
}

static void hold(const rill_tension_planes *planes, const rill_tension_constants *constants, int32_t from, int32_t back,
                 float *speeds, uint8_t bit) {
    if (!any_brink(planes, from, back, constants->five_dx, bit)) return;
    for (int32_t i = from; i < from + BLOCK; ++i) {
        const rill_face face = rill_tension_face(planes, i - back, i);
        const int32_t from_l = face.step > 0, upper = from_l ? i - back : i, lower = from_l ? i : i - back;
        const int32_t brink = planes->H[upper] > 0 && planes->b[lower] < RILL_WALL && planes->b[upper] < RILL_WALL &&
                              planes->acting[upper] > 0.0f && planes->acting[lower] >= 0.0f &&
                              !rill_tension_linked(planes, &face, i - back, i, constants->five_dx);
        const uint8_t others = planes->flowing[i] & (uint8_t)~bit;
        const rill_tension_edge edge = { upper, lower, from_l ? upper - back : upper + back };
        if (brink && rill_tension_holds(planes, constants, &edge, speeds[i], planes->flowing[i] & bit))
            speeds[i] = 0.0f;
        planes->flowing[i] = brink && speeds[i] != 0.0f ? others | bit : others;
    }
}

static void mobilities(const rill_tension_run *run, const rill_tension_planes *planes,
                       const rill_tension_constants *constants) {
    if (constants->pushed) {
        mobility(run, planes, constants, 1, constants->tilt[0], 1, planes->u, planes->mx, planes->gx, planes->fx);
        mobility(run, planes, constants, run->stride, constants->tilt[1], 1, planes->v, planes->my, planes->gy,
                 planes->fy);
    } else {
        mobility(run, planes, constants, 1, constants->tilt[0], 0, planes->u, planes->mx, planes->gx, planes->fx);
        mobility(run, planes, constants, run->stride, constants->tilt[1], 0, planes->v, planes->my, planes->gy,
                 planes->fy);
    }
    for (int32_t i = run->place; i < run->place + run->count; i += BLOCK) {
        hold(planes, constants, i, 1, planes->u, RILL_FLOWS_WEST);
        hold(planes, constants, i, run->stride, planes->v, RILL_FLOWS_SOUTH);
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
INLINE float stiffened(const rill_tension_planes *planes, const float *x, int32_t i, int32_t up, float stiff) {
    const float here = x[i], along = planes->ax[i] * (here - x[i - 1]) + planes->ax[i + 1] * (here - x[i + 1]);
    const float across = planes->ay[i] * (here - x[i - up]) + planes->ay[i + up] * (here - x[i + up]);
    return stiff * (along + across) + planes->hollow[i] * here;
}
INLINE float moved_by(const rill_tension_planes *planes, const float *x, int32_t i, int32_t up) {
    const float here = x[i], along = planes->mx[i] * (here - x[i - 1]) + planes->mx[i + 1] * (here - x[i + 1]);
    const float across = planes->my[i] * (here - x[i - up]) + planes->my[i + up] * (here - x[i + up]);
    return along + across;
}

SOLVER(start) {
    const rill_tension_planes plane = *planes;
    const int32_t from = run->place, end = from + (run->count & -BLOCK), up = run->stride;
    int32_t mobile = 0, changed = 0, pressed = 0;
    (void)factors;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < end; ++i) {
        const float open = (plane.mx[i] + plane.mx[i + 1]) + (plane.my[i] + plane.my[i + up]);
        const float last = plane.change[i], Pt = plane.potential[i];
        const float change = open > 0.0f ? last : 0.0f, potential = open > 0.0f ? Pt : 0.0f;
        plane.moved[i] = (plane.fx[i] - plane.fx[i + 1]) + (plane.fy[i] - plane.fy[i + up]);
        plane.change[i] = change;
        plane.potential[i] = potential;
        mobile = larger(mobile, open);
        changed = larger(changed, magnitude(change));
        pressed = larger(pressed, magnitude(potential));
    }
    keep(&out->most[0], mobile), keep(&out->most[1], changed), keep(&out->most[2], pressed);
}

SOLVER(fly) {
    const rill_tension_planes plane = *planes;
    const int32_t from = run->place, end = from + (run->count & -BLOCK), up = run->stride;
    const float stiff = factors->stiff;
    int32_t most = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < end; ++i) {
        const float f = plane.potential[i] + stiffened(&plane, plane.moved, i, up, stiff);
        plane.force[i] = f;
        most = larger(most, magnitude(f));
    }
    keep(&out->most[0], most);
}

SOLVER(probe) {
    const rill_tension_planes plane = *planes;
    const int32_t from = run->place, end = from + (run->count & -BLOCK), up = run->stride;
    const double scale = factors->scales[0];
    int32_t most_a = 0, most_e = 0;
    uint64_t sum = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < end; ++i) {
        const float a = moved_by(&plane, plane.potential, i, up), e = moved_by(&plane, plane.change, i, up);
        sum += whole(plane.force[i], moved_by(&plane, plane.force, i, up), scale);
        plane.moved[i] = a;
        plane.sharp[i] = e;
        most_a = larger(most_a, magnitude(a));
        most_e = larger(most_e, magnitude(e));
    }
    out->sums[0] += sum_of(sum, end - from);
    keep(&out->most[0], most_a), keep(&out->most[1], most_e);
}

SOLVER(weigh) {
    const rill_tension_planes plane = *planes;
    const int32_t from = run->place, end = from + (run->count & -BLOCK), up = run->stride;
    const float stiff = factors->stiff;
    const double *scale = factors->scales;
    uint64_t fa = 0, fe = 0, aa = 0, ae = 0, ee = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < end; ++i) {
        const float qa = plane.potential[i] + stiffened(&plane, plane.moved, i, up, stiff), Da = plane.moved[i],
                    f = plane.force[i];
        const float qe = plane.change[i] + stiffened(&plane, plane.sharp, i, up, stiff), De = plane.sharp[i];
        plane.fx[i] = qa;
        plane.fy[i] = qe;
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
    const rill_tension_planes plane = *planes;
    const int32_t from = run->place, end = from + (run->count & -BLOCK);
    const float s = factors->of_a, t = factors->of_b;
    int32_t most = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < end; ++i) {
        const float r = plane.force[i] - (s * plane.fx[i] + t * plane.fy[i]);
        plane.change[i] = s * plane.potential[i] + t * plane.change[i];
        plane.fx[i] = r;
        most = larger(most, magnitude(r));
    }
    keep(&out->most[0], most);
}

SOLVER(look) {
    const rill_tension_planes plane = *planes;
    const int32_t from = run->place, end = from + (run->count & -BLOCK), up = run->stride;
    const double scale = factors->scales[0];
    int32_t most = 0;
    uint64_t sum = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < end; ++i) {
        const float y = moved_by(&plane, plane.fx, i, up);
        plane.force[i] = y;
        sum += whole(plane.fx[i], y, scale);
        most = larger(most, magnitude(y));
    }
    out->sums[0] += sum_of(sum, end - from);
    keep(&out->most[0], most);
}

SOLVER(turn) {
    const rill_tension_planes plane = *planes;
    const int32_t from = run->place, end = from + (run->count & -BLOCK);
    const float beta = factors->of_a;
    int32_t most_p = 0, most_d = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < end; ++i) {
        const float ahead = plane.fx[i] + beta * plane.fy[i], moved = plane.force[i] + beta * plane.moved[i];
        plane.fy[i] = ahead;
        plane.moved[i] = moved;
        most_p = larger(most_p, magnitude(ahead));
        most_d = larger(most_d, magnitude(moved));
    }
    keep(&out->most[0], most_p), keep(&out->most[1], most_d);
}

SOLVER(apply) {
    const rill_tension_planes plane = *planes;
    const int32_t from = run->place, end = from + (run->count & -BLOCK), up = run->stride;
    const float stiff = factors->stiff;
    const double scale = factors->scales[0];
    uint64_t sum = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < end; ++i) {
        const float q = plane.fy[i] + stiffened(&plane, plane.moved, i, up, stiff);
        plane.sharp[i] = q;
        sum += whole(q, plane.moved[i], scale);
    }
    out->sums[0] += sum_of(sum, end - from);
}

SOLVER(advance) {
    const rill_tension_planes plane = *planes;
    const int32_t from = run->place, end = from + (run->count & -BLOCK);
    const float alpha = factors->of_a;
    int32_t most = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < end; ++i) {
        const float r = plane.fx[i] - alpha * plane.sharp[i];
        plane.change[i] += alpha * plane.fy[i];
        plane.fx[i] = r;
        most = larger(most, magnitude(r));
    }
    keep(&out->most[0], most);
}

SOLVER(remember_change) {
    const rill_tension_planes plane = *planes;
    const int32_t from = run->place, end = from + (run->count & -BLOCK), up = run->stride;
    (void)factors, (void)out;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < end; ++i) {
        const float open = (plane.mx[i] + plane.mx[i + 1]) + (plane.my[i] + plane.my[i + up]),
                    change = plane.change[i] - plane.potential[i];
        plane.change[i] = open > 0.0f ? change : 0.0f;
    }
}

INLINE float driven(float u, float gain, float l, float r, float cap) {
    const float reached = rill_max_f(rill_min_f(u - gain * (r - l), cap), -cap);
    return gain > 0.0f ? reached : u;
}

static void drive(const rill_tension_run *run, const rill_tension_planes *planes,
                  const rill_tension_constants *constants) {
    const rill_tension_planes plane = *planes;
    const int32_t from = run->place, up = run->stride;
    const float cap = constants->top_speed;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < from + (run->count & -BLOCK); ++i) {
        plane.u[i] = driven(plane.u[i], plane.gx[i], plane.change[i - 1], plane.change[i], cap);
        plane.v[i] = driven(plane.v[i], plane.gy[i], plane.change[i - up], plane.change[i], cap);
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
