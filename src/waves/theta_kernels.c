/* The row kernels of the method `waves`. Compiled several times with RILL_KERNELS_NAME set to the table's name; see
 * theta_kernels.h, theta.h for the scheme, and flow/kernels.c for what makes loops marked "vector" vectorise.
 *
 * Symmetry: a face seen from its other end is the same arithmetic with every sign turned, and sums over the four faces of
 * a column are taken by axes first. A mirrored or turned world then has the same bits. */
#include "waves/theta_kernels.h"

#include "base/simd.h"
#include "flow/advect.h"
#include "flow/drive.h"
#include "flow/limit.h"
#include "flow/move.h"
#include "flow/viscosity.h"

#define INLINE static inline __attribute__((always_inline))

enum { RUN = 16 };

INLINE int32_t magnitude(float a) {
    return rill_float_bits(__builtin_fabsf(a));
}

/* ------------------------------------------------------------------------------------------------------------- runs */

static int32_t look(int32_t x, const rill_theta_row *row) {
    const int32_t *H = row->H + x;
    const float *u = row->u + x, *v = row->v + x, *E = row->E + x;
    int32_t found = 0;
    RILL_NOT_UNROLLED /* vector */
        for (int32_t i = 0; i < RUN; ++i) {
        const int32_t busy =
            (int32_t)(H[i] > RILL_DRY) | (int32_t)(u[i] != 0.0f) | (int32_t)(v[i] != 0.0f) | (int32_t)(E[i] != 0.0f);
        found |= busy << i;
    }
    return (int32_t)(found != 0) | (int32_t)((found & 3) != 0) << 1 | (int32_t)((found >> (RUN - 2)) != 0) << 2;
}

/* ---------------------------------------------------------------------------------------------------------- tension */

/* Whether liquid hangs together over a face: nowhere does the drive clip it. */
INLINE int32_t linked(const rill_face *face, int32_t five_dx) {
    return (int32_t)(rill_min_i(face->l, face->r) >= rill_drive_clip(face, five_dx));
}

static void slopes(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *south,
                   const rill_theta_constants *constants) {
    const int32_t *b = row->b + x, *bs = south->b + x, *H = row->H + x, *Hs = south->H + x;
    float *sx = row->sx + x, *sy = row->sy + x, *ax = row->ax + x, *ay = row->ay + x;
    const int32_t five_dx = constants->five_dx, last = constants->inner[0];
    const int32_t inside = (int32_t)(row->y >= 0) & (int32_t)(row->y < constants->inner[1]);
    const int32_t below = inside & (int32_t)(row->y > 0);
    const float slope = constants->slope;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RUN); ++i) {
        const rill_face west = rill_face_at(b[i - 1], b[i], H[i - 1], H[i]);
        const rill_face down = rill_face_at(bs[i], b[i], Hs[i], H[i]);
        const int32_t column = x + i; /* 1 to `last` are cells of the grid */
        const int32_t cell = (int32_t)(column >= 1) & (int32_t)(column <= last);
        const int32_t to_west = linked(&west, five_dx) & inside & cell & (int32_t)(column >= 2);
        const int32_t to_down = linked(&down, five_dx) & below & cell;
        sx[i] = to_west ? (float)(west.r - west.l) * slope : 0.0f;
        sy[i] = to_down ? (float)(down.r - down.l) * slope : 0.0f;
        ax[i] = (float)to_west;
        ay[i] = (float)to_down;
    }
}

static void corners(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *south) {
    const float *sx = row->sx + x, *sxs = south->sx + x, *sy = row->sy + x;
    float *R = row->R + x;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RUN); ++i) {
        const float along = sx[i] * sx[i] + sxs[i] * sxs[i], across = sy[i] * sy[i] + sy[i - 1] * sy[i - 1];
        R[i] = 1.0f / __builtin_sqrtf(1.0f + 0.5f * (along + across));
    }
}

static void weights(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *north,
                    const rill_theta_constants *constants) {
    const float *R = row->R + x, *Rn = north->R + x, film = 0.5f * constants->film;
    float *ax = row->ax + x, *ay = row->ay + x;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RUN); ++i) {
        ax[i] *= film * (R[i] + Rn[i]);
        ay[i] *= film * (R[i] + R[i + 1]);
    }
}

static void wetted(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_constants *constants) {
    const rill_theta_constants fixed = *constants;
    const float *advancing = row->advancing + x, *receding = row->receding + x;
    const int32_t *H = row->H + x;
    int32_t *wet = row->wet + x;
    float *s = row->s + x;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RUN); ++i) {
        const int32_t left = fixed.now >= wet[i] ? 0 : wet[i], renewed = wet[i] != 0 ? fixed.dries : 0;
        const int32_t kept = H[i] <= fixed.least ? left : renewed;
        const int32_t now = (float)H[i] * fixed.foot >= advancing[i] ? fixed.dries : kept;
        wet[i] = now;
        s[i] = now != 0 ? receding[i] : advancing[i];
    }
}

/* ------------------------------------------------------------------------------------------------------------ press */

/* The last argument is a constant. */
#define PRESS_KERNEL(NAME, TENSION)                                                                                    \
    static void NAME(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *north,                     \
                     const rill_theta_constants *constants) {                                                          \
        const rill_theta_constants fixed = *constants;                                                                 \
        const int32_t *b = row->b + x, *H = row->H + x, last = fixed.inner[0];                                         \
        const int32_t inside = (int32_t)(row->y >= 0) & (int32_t)(row->y < fixed.inner[1]);                            \
        const double middle = 0.5 * (double)(last + 1),                                                                \
                     from_north = (double)row->y - 0.5 * (double)(fixed.inner[1] - 1);                                 \
        const double base = -fixed.tilt[1] * from_north - fixed.highest;                                               \
        const float *sx = row->sx + x, *sy = row->sy + x, *syn = north->sy + x;                                        \
        const float *ax = row->ax + x, *ay = row->ay + x, *ayn = north->ay + x, *s = row->s + x;                       \
        float *P = row->P + x, *C = row->C + x;                                                                        \
        RILL_EACH_ALONE /* vector */                                                                                   \
            for (int32_t i = 0; i < (n & -RUN); ++i) {                                                                 \
            const int32_t column = x + i;                                                                              \
            const double along = (double)column - middle;                                                              \
            float p = (float)(fixed.unit * ((fixed.upright * (double)(b[i] + H[i]) - fixed.tilt[0] * along) + base));  \
            float c = fixed.gravity;                                                                                   \
            if (TENSION) {                                                                                             \
                const float bend = (ax[i] * sx[i] - ax[i + 1] * sx[i + 1]) + (ay[i] * sy[i] - ayn[i] * syn[i]);        \
                const float left = s[i] - (float)H[i] * fixed.foot, dry = rill_max_f(left, 0.0f);                      \
                p += fixed.dx * bend + fixed.wetting * dry;                                                            \
                c -= left > 0.0f ? fixed.eased : 0.0f;                                                                 \
            }                                                                                                          \
            const int32_t cell = inside & (int32_t)(column >= 1) & (int32_t)(column <= last);                          \
            P[i] = p;                                                                                                  \
            C[i] = cell ? c : 0.0f;                                                                                    \
        }                                                                                                              \
    }

PRESS_KERNEL(press_plain, 0)
PRESS_KERNEL(press_tense, 1)

static void press(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *north, bool tension,
                  const rill_theta_constants *constants) {
    (tension ? press_tense : press_plain)(x, n, row, north, constants);
}

/* ------------------------------------------------------------------------------------------------------------- open */

INLINE float within(float u, float cap) {
    return rill_max_f(rill_min_f(u, cap), -cap);
}

/* Returns the velocity over a cliff: driven by the head above the clip, at most critical. */
INLINE float falling(const rill_face *face, float u, float tilt, const rill_theta_constants *constants) {
    const float head =
        (float)rill_drive_head(face, rill_drive_clip(face, constants->five_dx)) * constants->upright_f + tilt;
    const float pushed = u + constants->push * head;
    const float energy = (float)rill_max_i(pushed >= 0.0f ? face->l : face->r, 0);
    return within(pushed, constants->fall * __builtin_sqrtf(energy));
}

typedef struct opened {
    float before, opening, drag, mobility;
} opened;

/* The share of a velocity that the bed leaves. `both` are the depths on both sides; s is 0 without tension. */
INLINE float dragged(const rill_face *face, int32_t both, float s, const rill_theta_constants *constants) {
    const float twice = (float)rill_viscosity_depth(face, both), depths = (float)both;
    const float bare = s - 0.5f * constants->foot * depths, foot = bare > 0.0f ? bare / s : 0.0f;
    const float square = rill_max_f(twice * twice, 1.0f) + constants->slip * depths * foot;
    return constants->keep * square / (square + constants->drag);
}

INLINE opened open_face(int32_t bl, int32_t br, int32_t Hl, int32_t Hr, float drop, float u, float tilt, float s,
                        const rill_theta_constants *constants) {
    const rill_face face = rill_face_at(bl, br, Hl, Hr);
    const int32_t joined = linked(&face, constants->five_dx);
    const float fall = falling(&face, u, tilt, constants), pushed = u + constants->gain * drop;
    const float before = joined ? u : fall, speed = joined ? pushed : fall;
    const int32_t from_l = rill_move_opening(&face, 1.0f), from_r = rill_move_opening(&face, -1.0f);
    const int32_t forth = (int32_t)(speed > 0.0f), back = (int32_t)(speed < 0.0f), deeper = rill_max_i(Hl, Hr);
    /* At rest the larger of both: which side it is must not depend on where west is. */
    const int32_t open = forth ? from_l : back ? from_r : rill_max_i(from_l, from_r);
    const int32_t donor = forth ? Hl : back ? Hr : deeper;
    const int32_t stays =
        (int32_t)(deeper <= constants->residue) & (int32_t)(__builtin_fabsf(speed) < constants->creeps);
    const int32_t flows = (int32_t)(open > 0) & (int32_t)(donor > constants->least) & (stays ^ 1);
    const float drag = dragged(&face, Hl + Hr, s, constants), opening = flows ? (float)open : 0.0f;
    return (opened){ .before = flows ? before : 0.0f,
                     .opening = opening,
                     .drag = drag,
                     .mobility = joined ? constants->mobility * drag * opening : 0.0f };
}

#define OPEN_KERNEL(NAME, TENSION)                                                                                     \
    static void NAME(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *south,                     \
                     const rill_theta_constants *constants) {                                                          \
        const rill_theta_constants fixed = *constants;                                                                 \
        const int32_t *b = row->b + x, *bs = south->b + x, *H = row->H + x, *Hs = south->H + x;                        \
        const float *P = row->P + x, *Ps = south->P + x, *s = row->s + x, *ss = south->s + x;                          \
        (void)s, (void)ss;                                                                                             \
        float *u = row->u + x, *v = row->v + x, *ox = row->ox + x, *oy = row->oy + x, *lx = row->lx + x;               \
        float *ly = row->ly + x, *mx = row->mx + x, *my = row->my + x;                                                 \
        RILL_EACH_ALONE /* vector */                                                                                   \
            for (int32_t i = 0; i < (n & -RUN); ++i) {                                                                 \
            const opened west = open_face(b[i - 1], b[i], H[i - 1], H[i], P[i - 1] - P[i], u[i], fixed.tilt_f[0],      \
                                          (TENSION) ? rill_max_f(s[i - 1], s[i]) : 0.0f, &fixed);                      \
            const opened down = open_face(bs[i], b[i], Hs[i], H[i], Ps[i] - P[i], v[i], fixed.tilt_f[1],               \
                                          (TENSION) ? rill_max_f(ss[i], s[i]) : 0.0f, &fixed);                         \
            u[i] = west.before;                                                                                        \
            ox[i] = west.opening;                                                                                      \
            lx[i] = west.drag;                                                                                         \
            mx[i] = west.mobility;                                                                                     \
            v[i] = down.before;                                                                                        \
            oy[i] = down.opening;                                                                                      \
            ly[i] = down.drag;                                                                                         \
            my[i] = down.mobility;                                                                                     \
        }                                                                                                              \
    }

OPEN_KERNEL(open_plain, 0)
OPEN_KERNEL(open_tense, 1)

static void open(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *south, bool tension,
                 const rill_theta_constants *constants) {
    (tension ? open_tense : open_plain)(x, n, row, south, constants);
}

/* ------------------------------------------------------------------------------------------------------------ solve */

static void fly(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *north,
                const rill_theta_constants *constants) {
    const float theta = constants->theta, rest = 1.0f - theta, drift = constants->drift;
    const float *u = row->u + x, *v = row->v + x, *vn = north->v + x, *ox = row->ox + x, *oy = row->oy + x;
    const float *oyn = north->oy + x, *lx = row->lx + x, *ly = row->ly + x, *lyn = north->ly + x;
    float *D = row->D + x;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RUN); ++i) {
        const float along = u[i] * ox[i] * (theta * lx[i] + rest) - u[i + 1] * ox[i + 1] * (theta * lx[i + 1] + rest);
        const float across = v[i] * oy[i] * (theta * ly[i] + rest) - vn[i] * oyn[i] * (theta * lyn[i] + rest);
        D[i] = drift * (along + across);
    }
}

static int32_t stiffen_plain(int32_t x, int32_t n, const float *of, float *out, const float *d, float factor,
                             const rill_theta_row *row) {
    const float *C = row->C + x;
    int32_t most = 0;
    of += x, out += x, d += x;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RUN); ++i) {
        const float sum = of[i] + factor * (C[i] * d[i]);
        out[i] = sum;
        most = rill_max_i(most, magnitude(sum));
    }
    return most;
}

static int32_t stiffen_tense(int32_t x, int32_t n, const float *of, float *out, const float *d, const float *ds,
                             const float *dn, float factor, const rill_theta_row *row, const rill_theta_row *north) {
    const float *C = row->C + x, *ax = row->ax + x, *ay = row->ay + x, *ayn = north->ay + x;
    int32_t most = 0;
    of += x, out += x, d += x, ds += x, dn += x;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RUN); ++i) {
        const float along = ax[i] * (d[i] - d[i - 1]) + ax[i + 1] * (d[i] - d[i + 1]);
        const float across = ay[i] * (d[i] - ds[i]) + ayn[i] * (d[i] - dn[i]);
        const float sum = of[i] + factor * (C[i] * d[i] + (along + across));
        out[i] = sum;
        most = rill_max_i(most, magnitude(sum));
    }
    return most;
}

static int32_t stiffen(int32_t x, int32_t n, const float *of, float *out, const float *d, const float *ds,
                       const float *dn, float factor, bool tension, const rill_theta_row *row,
                       const rill_theta_row *north) {
    return tension ? stiffen_tense(x, n, of, out, d, ds, dn, factor, row, north)
                   : stiffen_plain(x, n, of, out, d, factor, row);
}

static int32_t flow(int32_t x, int32_t n, const float *in, const float *ins, const float *inn, float *out,
                    const rill_theta_row *row, const rill_theta_row *north) {
    const float *mx = row->mx + x, *my = row->my + x, *myn = north->my + x;
    int32_t most = 0;
    in += x, ins += x, inn += x, out += x;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RUN); ++i) {
        const float along = mx[i] * (in[i] - in[i - 1]) + mx[i + 1] * (in[i] - in[i + 1]);
        const float across = my[i] * (in[i] - ins[i]) + myn[i] * (in[i] - inn[i]);
        const float sum = along + across;
        out[i] = sum;
        most = rill_max_i(most, magnitude(sum));
    }
    return most;
}

/* A double below 2^51 becomes the nearest whole number when it is added to this, in the low bits of the sum. */
#define TO_WHOLE 6755399441055744.0

INLINE int64_t double_bits(double d) {
    union {
        double d;
        int64_t i;
    } bits = { d };
    return bits.i;
}

static int64_t dot(int32_t x, int32_t n, const float *a, const float *b, double scale) {
    int64_t sum = 0;
    a += x, b += x;
    for (int32_t i = 0; i < (n & -RUN); ++i) /* vector */
        sum += double_bits((double)a[i] * (double)b[i] * scale + TO_WHOLE) - double_bits(TO_WHOLE);
    return sum;
}

static int32_t keep_open(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *north) {
    const float *mx = row->mx + x, *my = row->my + x, *myn = north->my + x;
    float *E = row->E + x;
    int32_t most = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RUN); ++i) {
        const float all = (mx[i] + mx[i + 1]) + (my[i] + myn[i]);
        const float kept = all > 0.0f ? E[i] : 0.0f;
        E[i] = kept;
        most = rill_max_i(most, magnitude(kept));
    }
    return most;
}

static int32_t begin(int32_t x, int32_t n, const rill_theta_row *row, float s, float t) {
    const float *P = row->P + x, *E = row->E + x, *Q = row->Q + x, *S = row->S + x;
    float *X = row->X + x, *R = row->R + x;
    int32_t most = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RUN); ++i) {
        const float left = R[i] - (s * Q[i] + t * S[i]);
        X[i] = s * P[i] + t * E[i];
        R[i] = left;
        most = rill_max_i(most, magnitude(left));
    }
    return most;
}

static rill_theta_most turn(int32_t x, int32_t n, const rill_theta_row *row, float beta) {
    const float *R = row->R + x, *Y = row->Y + x;
    float *S = row->S + x, *D = row->D + x;
    int32_t first = 0, second = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RUN); ++i) {
        const float p = R[i] + beta * S[i], d = Y[i] + beta * D[i];
        S[i] = p;
        D[i] = d;
        first = rill_max_i(first, magnitude(p));
        second = rill_max_i(second, magnitude(d));
    }
    return (rill_theta_most){ first, second };
}

static int32_t advance(int32_t x, int32_t n, const rill_theta_row *row, float alpha) {
    const float *S = row->S + x, *Q = row->Q + x;
    float *X = row->X + x, *R = row->R + x;
    int32_t most = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RUN); ++i) {
        const float left = R[i] - alpha * Q[i];
        X[i] += alpha * S[i];
        R[i] = left;
        most = rill_max_i(most, magnitude(left));
    }
    return most;
}

/* ------------------------------------------------------------------------------------------------------------- move */

static void release(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *south,
                    const rill_theta_constants *constants) {
    const rill_theta_constants fixed = *constants;
    const float *X = row->X + x, *Xs = south->X + x, *P = row->P + x, *mx = row->mx + x, *my = row->my + x;
    const float *lx = row->lx + x, *ly = row->ly + x, rest = 1.0f - fixed.theta;
    float *u = row->u + x, *v = row->v + x, *ox = row->ox + x, *oy = row->oy + x, *E = row->E + x;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RUN); ++i) {
        const float along = mx[i] > 0.0f ? fixed.gain * (X[i - 1] - X[i]) : 0.0f;
        const float across = my[i] > 0.0f ? fixed.gain * (Xs[i] - X[i]) : 0.0f;
        const float east = within(lx[i] * (u[i] + along), fixed.top_speed);
        const float north = within(ly[i] * (v[i] + across), fixed.top_speed);
        const float flow_x = fixed.flux * ox[i] * (fixed.theta * east + rest * u[i]);
        const float flow_y = fixed.flux * oy[i] * (fixed.theta * north + rest * v[i]);
        u[i] = east;
        v[i] = north;
        ox[i] = flow_x;
        oy[i] = flow_y;
        E[i] = X[i] - P[i];
    }
}

/* Is positive where a column would give, or take, more than `available`. */
#define LIMIT_KERNELS(FLAG, LIMIT, FLOW, AVAILABLE)                                                                    \
    static bool FLAG(int32_t n, const rill_theta_row *row, const rill_theta_row *north, int32_t x, int32_t thin,       \
                     int32_t *thick) {                                                                                 \
        const int32_t *b = row->b + x, *c = row->c + x, *H = row->H + x;                                               \
        const float *qx = row->ox + x, *qy = row->oy + x, *qn = north->oy + x;                                         \
        int32_t most = 0, most_thick = 0;                                                                              \
        (void)b, (void)c;                                                                                              \
        for (int32_t i = 0; i < (n & -RUN); ++i) { /* vector */                                                        \
            const float excess = rill_limit_excess(FLOW(qx[i], qx[i + 1], qy[i], qn[i]), AVAILABLE);                   \
            const int32_t bits = rill_float_bits(excess);                                                              \
            most = rill_max_i(most, bits);                                                                             \
            most_thick = rill_max_i(most_thick, H[i] > thin ? bits : 0);                                               \
        }                                                                                                              \
        *thick = most_thick;                                                                                           \
        return most > 0;                                                                                               \
    }                                                                                                                  \
    static void LIMIT(int32_t n, const rill_theta_row *row, const rill_theta_row *north, int32_t x) {                  \
        const int32_t *b = row->b + x, *c = row->c + x, *H = row->H + x;                                               \
        const float *qx = row->ox + x, *qy = row->oy + x, *qn = north->oy + x;                                         \
        float *K = row->K + x;                                                                                         \
        (void)b, (void)c;                                                                                              \
        RILL_EACH_ALONE /* vector */                                                                                   \
            for (int32_t i = 0; i < (n & -RUN); ++i) {                                                                 \
            const float flowing = FLOW(qx[i], qx[i + 1], qy[i], qn[i]), has = (float)(AVAILABLE);                      \
            const float left = rill_max_f(has - RILL_LIMIT_SLACK, 0.0f) * RILL_LIMIT_UNDER;                            \
            const float part = left / rill_max_f(flowing, has + 1.0f);                                                 \
            K[i] = flowing * RILL_LIMIT_OVER + RILL_LIMIT_SLACK > has ? part : 1.0f;                                   \
        }                                                                                                              \
    }

LIMIT_KERNELS(flag_out, limit_out, rill_limit_outflow, H[i])
LIMIT_KERNELS(flag_in, limit_in, rill_limit_inflow, c[i] - b[i] - H[i])

static int32_t flag(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *north, bool taking,
                    int32_t thin) {
    int32_t thick;
    const bool any = (taking ? flag_in : flag_out)(n, row, north, x, thin, &thick);
    return (int32_t)any | (int32_t)(thick > 0) << 1;
}

static void limit(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *north, bool taking) {
    (taking ? limit_in : limit_out)(n, row, north, x);
}

static void gain(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *north) {
    const float *qx = row->ox + x, *qy = row->oy + x, *qn = north->oy + x;
    float *R = row->R + x;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RUN); ++i) R[i] =
            rill_limit_inflow(qx[i], qx[i + 1], qy[i], qn[i]) - rill_limit_outflow(qx[i], qx[i + 1], qy[i], qn[i]);
}

static bool crowd(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *north) {
    const float *qx = row->ox + x, *qy = row->oy + x, *qn = north->oy + x, *R = row->R + x;
    float *K = row->K + x;
    int32_t most = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RUN); ++i) {
        const float in = rill_limit_inflow(qx[i], qx[i + 1], qy[i], qn[i]);
        const float out = rill_limit_outflow(qx[i], qx[i + 1], qy[i], qn[i]);
        const float room = out + rill_max_f(R[i], 0.0f), excess = in - (room * 1.0001f + 1.0f);
        K[i] = excess > 0.0f ? room / rill_max_f(in, 1.0f) : 1.0f;
        most = rill_max_i(most, rill_float_bits(excess));
    }
    return most > 0;
}

/* The factor of a face. Where nothing flows the velocity is left alone: the sign of a zero must not choose a side. */
INLINE float face_factor(float q, float forth, float back) {
    const float factor = q > 0.0f ? forth : back;
    return q == 0.0f ? 1.0f : factor;
}

static void scale(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *south, bool taking) {
    const float *K = row->K + x, *Ks = south->K + x, sign = taking ? -1.0f : 1.0f;
    float *u = row->u + x, *v = row->v + x, *ox = row->ox + x, *oy = row->oy + x;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RUN); ++i) {
        const float west = face_factor(ox[i] * sign, K[i - 1], K[i]), down = face_factor(oy[i] * sign, Ks[i], K[i]);
        ox[i] *= west;
        u[i] *= west;
        oy[i] *= down;
        v[i] *= down;
    }
}

static void whole(int32_t x, int32_t n, const rill_theta_row *row, float phase) {
    float *ox = row->ox + x, *oy = row->oy + x;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RUN); ++i) {
        ox[i] = rill_move_whole(ox[i], phase);
        oy[i] = rill_move_whole(oy[i], phase);
    }
}

/* Volumes over the sides of a face's control volume, and the velocities beyond them, along its axis and across it. */
typedef struct around {
    float u, before, after, u_before, u_after, minus, plus, u_minus, u_plus;
} around;

/* Returns a velocity with the momentum carried to it; 0 where the face is closed. */
INLINE float carried(int32_t bl, int32_t br, int32_t Hl, int32_t Hr, const around *a) {
    const rill_face face = rill_face_at(bl, br, Hl, Hr);
    const float s = rill_advect_axis(a->u, a->before, a->after, a->u_before, a->u_after) +
                    rill_advect_axis(a->u, a->minus, a->plus, a->u_minus, a->u_plus);
    const float moved = a->u + s / (float)rill_max_i(Hl + Hr, 1);
    return rill_max_i(face.l, face.r) > RILL_DRY ? moved : 0.0f;
}

static void advect(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *south,
                   const rill_theta_row *north) {
    const int32_t *b = row->b + x, *bs = south->b + x, *H = row->H + x, *Hs = south->H + x;
    const float *qx = row->ox + x, *qxs = south->ox + x, *qy = row->oy + x, *qys = south->oy + x, *qyn = north->oy + x;
    const float *u = row->u + x, *us = south->u + x, *un = north->u + x;
    const float *v = row->v + x, *vs = south->v + x, *vn = north->v + x;
    float *R = row->R + x, *Y = row->Y + x;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RUN); ++i) {
        const around west = { u[i],     qx[i - 1] + qx[i], qx[i] + qx[i + 1],   u[i - 1],
                              u[i + 1], qy[i - 1] + qy[i], qyn[i - 1] + qyn[i], us[i],
                              un[i] };
        const around down = { v[i],           qys[i] + qy[i],         qy[i] + qyn[i], vs[i],   vn[i],
                              qxs[i] + qx[i], qxs[i + 1] + qx[i + 1], v[i - 1],       v[i + 1] };
        R[i] = carried(b[i - 1], b[i], H[i - 1], H[i], &west);
        Y[i] = carried(bs[i], b[i], Hs[i], H[i], &down);
    }
}

static void adopt(int32_t x, int32_t n, const rill_theta_row *row) {
    const float *R = row->R + x, *Y = row->Y + x;
    float *u = row->u + x, *v = row->v + x;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RUN); ++i) {
        u[i] = R[i];
        v[i] = Y[i];
    }
}

INLINE int32_t faster(float u, float v) {
    return rill_max_i(magnitude(u), magnitude(v));
}

static void deposit(int32_t x, int32_t n, const rill_theta_row *row, const rill_theta_row *north,
                    const rill_theta_constants *constants, rill_flow_extent *extent) {
    const float *qx = row->ox + x, *qy = row->oy + x, *qn = north->oy + x;
    const float *u = row->u + x, *v = row->v + x, *vn = north->v + x;
    const int32_t *b = row->b + x, thin = constants->thin;
    int32_t *H = row->H + x, depth = extent->depth, highest = extent->level, speed = rill_float_bits(extent->speed);
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RUN); ++i) {
        const int32_t along = (int32_t)qx[i] - (int32_t)qx[i + 1];
        const int32_t across = (int32_t)qy[i] - (int32_t)qn[i];
        const int32_t now = H[i] + (along + across);
        H[i] = now;
        depth = rill_max_i(depth, now);
        highest = rill_max_i(highest, now > RILL_DRY ? b[i] + now : 0);
        const float fastest = rill_bits_float(faster(u[i], u[i + 1])) + rill_bits_float(faster(v[i], vn[i]));
        speed = rill_max_i(speed, now > thin ? rill_float_bits(fastest) : 0);
    }
    *extent = (rill_flow_extent){ .depth = depth, .level = highest, .speed = rill_bits_float(speed) };
}

static void clear(int32_t x, int32_t n, const rill_theta_row *row) {
    float *D = row->D + x, *ox = row->ox + x, *oy = row->oy + x, *mx = row->mx + x, *my = row->my + x, *K = row->K + x;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < (n & -RUN); ++i) {
        D[i] = ox[i] = oy[i] = mx[i] = my[i] = 0.0f;
        K[i] = 1.0f;
    }
}

extern const rill_theta_kernels RILL_KERNELS_NAME;
const rill_theta_kernels RILL_KERNELS_NAME = { .look = look,
                                               .slopes = slopes,
                                               .corners = corners,
                                               .weights = weights,
                                               .wetted = wetted,
                                               .press = press,
                                               .open = open,
                                               .fly = fly,
                                               .stiffen = stiffen,
                                               .flow = flow,
                                               .dot = dot,
                                               .keep_open = keep_open,
                                               .begin = begin,
                                               .turn = turn,
                                               .advance = advance,
                                               .release = release,
                                               .flag = flag,
                                               .limit = limit,
                                               .gain = gain,
                                               .crowd = crowd,
                                               .scale = scale,
                                               .whole = whole,
                                               .advect = advect,
                                               .adopt = adopt,
                                               .deposit = deposit,
                                               .clear = clear };
