/* The kernels of films. Compiled several times with RILL_KERNELS_NAME set to the table's name; see films_kernels.h, and films.h for
 * the equations. Blocks are vectors of compilers: 8 columns side by side, whose neighbours are gathered by plain loads, which is as
 * fast as gathers of processors where memory is what bounds. */
#include "films/films_kernels.h"

#include <string.h>

#include "base/simd.h"
#include "waves/tension_constants.h"

#define INLINE static inline __attribute__((always_inline))

enum { BLOCK = 8 };

typedef float lanes __attribute__((vector_size(BLOCK * sizeof(float))));
typedef int32_t whole_lanes __attribute__((vector_size(BLOCK * sizeof(int32_t))));
typedef double wide_lanes __attribute__((vector_size(BLOCK * sizeof(double))));
typedef int64_t sums __attribute__((vector_size(BLOCK * sizeof(int64_t))));

#define ABOVE_ZERO(X) ((lanes)(((X) > 0.0f) & (whole_lanes)(X)))
#define MAGNITUDE(X) ((lanes)((whole_lanes)(X)&INT32_MAX))

INLINE float magnitude(float f) {
    return __builtin_fabsf(f);
}

/* Vectors are handed over by address: their types have no calling convention that all processors share. */
INLINE void load(const float *x, int32_t first, lanes *out) {
    memcpy(out, x + first, sizeof *out);
}
INLINE void store(float *x, int32_t first, const lanes *from) {
    memcpy(x + first, from, sizeof *from);
}
INLINE void gather(const float *x, const int32_t *at, lanes *out) {
    *out = (lanes){ x[at[0]], x[at[1]], x[at[2]], x[at[3]], x[at[4]], x[at[5]], x[at[6]], x[at[7]] };
}
/* Turns what edges carry into what comes in: those to higher columns carry it out. */
INLINE void turn_inwards(const int32_t *slots, int32_t first, lanes *carried) {
    whole_lanes neighbours;
    const whole_lanes own = { first, first + 1, first + 2, first + 3, first + 4, first + 5, first + 6, first + 7 };
    memcpy(&neighbours, slots, sizeof neighbours);
    *carried = (lanes)((whole_lanes)*carried ^ ((neighbours > own) & INT32_MIN));
}
INLINE void gather_inflow(const float *x, const int32_t *edges, const int32_t *slots, int32_t first, lanes *out) {
    gather(x, edges, out);
    turn_inwards(slots, first, out);
}
INLINE void largest(float *most, const lanes *x) {
    for (int k = 0; k < BLOCK; ++k) *most = rill_max_f(*most, magnitude((*x)[k]));
}

/* Adding 1.5 * 2^52 to a double rounds it to a whole number, which its bits then hold, so that sums of bits are sums of
 * whole numbers: exact, in any order. */
INLINE void add_whole(const lanes *a, const lanes *b, const lanes *area, double scale, sums *sum) {
    const wide_lanes term = __builtin_convertvector(*a, wide_lanes) * __builtin_convertvector(*b, wide_lanes) *
                                (__builtin_convertvector(*area, wide_lanes) * scale) +
                            6755399441055744.0;
    sums bits;
    memcpy(&bits, &term, sizeof bits);
    *sum += bits - INT64_C(0x4338000000000000);
}
INLINE int64_t sum_of(const sums *sum) {
    int64_t all = 0;
    for (int k = 0; k < BLOCK; ++k) all += (*sum)[k];
    return all;
}

#define KERNEL(NAME) static void NAME(const rill_films_part *part, rill_films_outcome *out)
#define EACH_BLOCK for (const int32_t *block = part->blocks; block < part->blocks + part->count; ++block)
#define EACH_SLOT(PLANES)                                                                                              \
    for (int32_t slot = (PLANES)->first_slot[*block]; slot < (PLANES)->first_slot[*block + 1]; slot += BLOCK)
#define EACH_EDGE(PLANES) for (int32_t e = (PLANES)->first_edge[*block]; e < (PLANES)->first_edge[*block + 1]; ++e)

/* ------------------------------------------------------------------------------------------------------------ surface */

KERNEL(slants) {
    const rill_films_planes plane = *part->planes;
    (void)out;
    EACH_BLOCK {
        for (int32_t t = plane.first_triangle[*block]; t < plane.first_triangle[*block + 1]; ++t) {
            const uint32_t *v = plane.corners[t];
            const float *slope = plane.slopes[t];
            const float h0 = plane.relief[v[0]] + plane.depth[v[0]], h1 = plane.relief[v[1]] + plane.depth[v[1]],
                        h2 = plane.relief[v[2]] + plane.depth[v[2]];
            const float square = slope[0] * ((h1 - h2) * (h1 - h2)) + slope[1] * ((h2 - h0) * (h2 - h0)) +
                                 slope[2] * ((h0 - h1) * (h0 - h1));
            plane.slant[t] = 1.0f / __builtin_sqrtf(1.0f + rill_above_zero(square));
        }
    }
}

KERNEL(weights) {
    const rill_films_planes plane = *part->planes;
    (void)out;
    EACH_BLOCK {
        EACH_EDGE(part->planes) {
            const int32_t *side = plane.sides[e];
            plane.a[e] = plane.slant[side[0]] * plane.cotangents[e][0] + plane.slant[side[1]] * plane.cotangents[e][1];
        }
    }
}

/* The memory of a column: wetted where the wetting energy ends, as long as something is left and until that has dried. */
INLINE int32_t remember(int32_t wet, float depth, float end, const rill_films_constants *fixed) {
    const int32_t left = fixed->now >= wet ? 0 : wet, renewed = wet != 0 ? fixed->dries : 0;
    const int32_t kept = depth <= fixed->least ? left : renewed;
    return (int32_t)(depth >= end) & (int32_t)(depth > fixed->least) ? fixed->dries : kept;
}

INLINE void press(const rill_films_planes *plane, const rill_films_constants *fixed, int32_t i, float bend) {
    const float depth = plane->depth[i];
    const int32_t wet = remember(plane->wet[i], depth, fixed->foot * plane->advancing[i], fixed);
    const float s = wet != 0 ? plane->receding[i] : plane->advancing[i];
    const float left = rill_max_f(s - depth / fixed->foot, 0.0f), over = rill_max_f(depth - plane->limit[i], 0.0f);
    const float bent =
        (fixed->strength * (bend * plane->inverse_area[i]) + fixed->edge * left) + fixed->hardness * over;
    plane->wet[i] = wet;
    plane->s[i] = s;
    plane->hollow[i] =
        (plane->weight[i] + (left > 0.0f ? fixed->hollow : 0.0f)) + (over > 0.0f ? fixed->hardness : 0.0f);
    plane->potential[i] =
        plane->base[i] + plane->rise[i] * ((double)plane->volume[i] * plane->per_quantum[i]) + (double)bent;
    plane->pressed[i] = (float)plane->potential[i];
}

KERNEL(pressures) {
    const rill_films_planes *plane = part->planes;
    (void)out;
    EACH_BLOCK {
        const int32_t first = *block * BLOCK;
        lanes bend = { 0 }, relief, depth;
        load(plane->relief, first, &relief), load(plane->depth, first, &depth);
        const lanes here = relief + depth;
        EACH_SLOT(plane) {
            lanes a, height;
            gather(plane->a, plane->slot_edges + slot, &a);
            gather(plane->relief, plane->slots + slot, &relief), gather(plane->depth, plane->slots + slot, &height);
            bend += a * (here - (relief + height));
        }
        for (int k = 0; k < BLOCK; ++k) press(plane, part->constants, first + k, bend[k]);
    }
}

/* -------------------------------------------------------------------------------------------------------------- edges */

KERNEL(faces) {
    const rill_films_planes plane = *part->planes;
    const rill_films_constants fixed = *part->constants;
    (void)out;
    EACH_BLOCK {
        const int32_t end = plane.first_edge[*block + 1];
        RILL_EACH_ALONE
        for (int32_t e = plane.first_edge[*block]; e < end; ++e) {
            const int32_t i = plane.ends[e][0], j = plane.ends[e][1];
            const float Hi = plane.depth[i], Hj = plane.depth[j], mean = 0.5f * (Hi + Hj), u = plane.u[e];
            const float per_length = fixed.dt * plane.per_length[e];
            const float guess = u - (float)(plane.potential[j] - plane.potential[i]) * per_length;
            const float foot = fixed.foot * rill_max_f(plane.s[i], plane.s[j]);
            const float bare = rill_max_f(foot - mean, 0.0f), eased = mean * mean;
            const float slips = eased + fixed.slip * mean * (bare / rill_max_f(foot, 1e-30f));
            const float al = fixed.keep * slips / rill_max_f(slips + fixed.drag, 1e-30f);
            /* from where the velocity points away; without any, from the deeper side */
            const float lean = guess != 0.0f ? guess : Hi - Hj;
            const float depth = lean > 0.0f ? Hi : Hj, least = lean > 0.0f ? plane.least[i] : plane.least[j];
            const int32_t stays =
                (int32_t)(rill_max_f(Hi, Hj) <= fixed.stays) & (int32_t)(magnitude(guess) < RILL_RESIDUE_SPEED);
            const int32_t flows = (int32_t)(depth > least) & (stays ^ 1);
            const float open = flows ? fixed.dt * plane.reach[e] * depth : 0.0f;
            plane.open[e] = open;
            plane.gain[e] = flows ? al * per_length : 0.0f;
            plane.crossing[e] = open * (al * u);
            plane.u[e] = flows ? al * guess : 0.0f;
        }
    }
}

KERNEL(gather_faces) {
    const rill_films_planes *plane = part->planes;
    const float strength = part->constants->strength;
    EACH_BLOCK {
        const int32_t first = *block * BLOCK;
        lanes free = { 0 }, moved = { 0 }, mobile = { 0 }, stiff = { 0 }, per_area, hollow, pressed, change;
        EACH_SLOT(plane) {
            const int32_t *edges = plane->slot_edges + slot, *slots = plane->slots + slot;
            lanes a, open, gain, u, coming;
            gather(plane->a, edges, &a), gather(plane->open, edges, &open), gather(plane->gain, edges, &gain);
            gather(plane->u, edges, &u);
            gather_inflow(plane->crossing, edges, slots, first, &coming);
            free += coming;
            const lanes m = gain * open, bend = strength * a;
            coming = open * u;
            turn_inwards(slots, first, &coming);
            moved += coming;
            store(plane->slot_a, slot, &bend);
            store(plane->slot_m, slot, &m);
            mobile += m;
            stiff += MAGNITUDE(bend);
        }
        load(plane->inverse_area, first, &per_area), load(plane->hollow, first, &hollow);
        load(plane->pressed, first, &pressed), load(plane->change, first, &change);
        free *= per_area, moved *= per_area;
        const whole_lanes opened = mobile > 0.0f;
        pressed = (lanes)(opened & (whole_lanes)pressed), change = (lanes)(opened & (whole_lanes)change);
        stiff = 2.0f * stiff * per_area + MAGNITUDE(hollow);
        store(plane->free, first, &free), store(plane->moved, first, &moved);
        store(plane->pressed, first, &pressed), store(plane->change, first, &change);
        largest(&out->most[0], &mobile), largest(&out->most[1], &change), largest(&out->most[2], &pressed);
        largest(&out->most[3], &stiff);
    }
}

/* -------------------------------------------------------------------------------------------------------------- solve */

/* C x, and D x times the area, of a block. */
INLINE void stiffen(const rill_films_planes *plane, int32_t block, const float *x, lanes *out) {
    const int32_t first = block * BLOCK;
    lanes here, sum = { 0 }, per_area, hollow;
    load(x, first, &here);
    for (int32_t slot = plane->first_slot[block]; slot < plane->first_slot[block + 1]; slot += BLOCK) {
        lanes a, there;
        load(plane->slot_a, slot, &a), gather(x, plane->slots + slot, &there);
        sum += a * (here - there);
    }
    load(plane->inverse_area, first, &per_area), load(plane->hollow, first, &hollow);
    *out = sum * per_area + hollow * here;
}
INLINE void move_by(const rill_films_planes *plane, int32_t block, const float *x, lanes *out) {
    lanes here, sum = { 0 };
    load(x, block * BLOCK, &here);
    for (int32_t slot = plane->first_slot[block]; slot < plane->first_slot[block + 1]; slot += BLOCK) {
        lanes m, there;
        load(plane->slot_m, slot, &m), gather(x, plane->slots + slot, &there);
        sum += m * (here - there);
    }
    *out = sum;
}

KERNEL(fly) {
    const rill_films_planes *plane = part->planes;
    EACH_BLOCK {
        const int32_t first = *block * BLOCK;
        lanes bent, force, pressed;
        stiffen(plane, *block, plane->moved, &bent), stiffen(plane, *block, plane->free, &force);
        load(plane->pressed, first, &pressed);
        force += pressed;
        store(plane->pull, first, &bent), store(plane->residual, first, &force);
        largest(&out->most[0], &force), largest(&out->most[1], &bent);
    }
}

KERNEL(probe) {
    const rill_films_planes *plane = part->planes;
    const lanes one = { 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f };
    sums sum = { 0 };
    EACH_BLOCK {
        const int32_t first = *block * BLOCK;
        lanes force, pushed, a, e, per_area;
        load(plane->residual, first, &force), load(plane->inverse_area, first, &per_area);
        move_by(plane, *block, plane->residual, &pushed);
        move_by(plane, *block, plane->pressed, &a), move_by(plane, *block, plane->change, &e);
        a *= per_area, e *= per_area;
        add_whole(&force, &pushed, &one, part->factors->scales[0], &sum);
        store(plane->direction, first, &a), store(plane->thrust, first, &e);
        largest(&out->most[0], &a), largest(&out->most[1], &e);
    }
    out->sums[0] += sum_of(&sum);
}

KERNEL(weigh) {
    const rill_films_planes *plane = part->planes;
    const double *scale = part->factors->scales;
    sums fa = { 0 }, fe = { 0 }, aa = { 0 }, ae = { 0 }, ee = { 0 };
    EACH_BLOCK {
        const int32_t first = *block * BLOCK;
        lanes qa, qe, pressed, change, Da, De, f, area;
        stiffen(plane, *block, plane->direction, &qa), stiffen(plane, *block, plane->thrust, &qe);
        load(plane->pressed, first, &pressed), load(plane->change, first, &change), load(plane->pull, first, &f);
        load(plane->direction, first, &Da), load(plane->thrust, first, &De), load(plane->area, first, &area);
        qa += pressed, qe += change;
        store(plane->product, first, &qa), store(plane->share, first, &qe);
        add_whole(&f, &Da, &area, scale[0], &fa), add_whole(&f, &De, &area, scale[1], &fe);
        add_whole(&qa, &Da, &area, scale[2], &aa), add_whole(&qa, &De, &area, scale[3], &ae);
        add_whole(&qe, &De, &area, scale[4], &ee);
    }
    out->sums[0] += sum_of(&fa), out->sums[1] += sum_of(&fe), out->sums[2] += sum_of(&aa);
    out->sums[3] += sum_of(&ae), out->sums[4] += sum_of(&ee);
}

KERNEL(begin) {
    const rill_films_planes *plane = part->planes;
    const float of_a = part->factors->of_a, of_e = part->factors->of_b;
    EACH_BLOCK {
        const int32_t first = *block * BLOCK;
        lanes qa, qe, pressed, change, f;
        load(plane->product, first, &qa), load(plane->share, first, &qe), load(plane->pull, first, &f);
        load(plane->pressed, first, &pressed), load(plane->change, first, &change);
        const lanes r = f - (of_a * qa + of_e * qe), start = of_a * pressed + of_e * change;
        store(plane->residual, first, &r), store(plane->change, first, &start);
        largest(&out->most[0], &r);
    }
}

KERNEL(look) {
    const rill_films_planes *plane = part->planes;
    const lanes one = { 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f };
    sums sum = { 0 };
    EACH_BLOCK {
        const int32_t first = *block * BLOCK;
        lanes y, r, per_area;
        move_by(plane, *block, plane->residual, &y);
        load(plane->residual, first, &r), load(plane->inverse_area, first, &per_area);
        add_whole(&r, &y, &one, part->factors->scales[0], &sum);
        y *= per_area;
        store(plane->pull, first, &y);
        largest(&out->most[0], &y);
    }
    out->sums[0] += sum_of(&sum);
}

/* p = r + b p, D p = y + b D p, and so q = p + C D p = r + C y + b q: one product with C of what was looked at. */
KERNEL(apply) {
    const rill_films_planes *plane = part->planes;
    const float beta = part->factors->of_b;
    sums sum = { 0 };
    EACH_BLOCK {
        const int32_t first = *block * BLOCK;
        lanes bent, r, y, p, Dp, q, area;
        stiffen(plane, *block, plane->pull, &bent);
        load(plane->residual, first, &r), load(plane->pull, first, &y), load(plane->area, first, &area);
        load(plane->direction, first, &p), load(plane->thrust, first, &Dp), load(plane->product, first, &q);
        if (beta != 0.0f) /* else they hold anything */
            p = r + beta * p, Dp = y + beta * Dp, q = (r + bent) + beta * q;
        else
            p = r, Dp = y, q = r + bent;
        store(plane->direction, first, &p), store(plane->thrust, first, &Dp), store(plane->product, first, &q);
        add_whole(&q, &Dp, &area, part->factors->scales[0], &sum);
        largest(&out->most[0], &q), largest(&out->most[1], &Dp);
    }
    out->sums[0] += sum_of(&sum);
}

KERNEL(advance) {
    const rill_films_planes *plane = part->planes;
    const float alpha = part->factors->of_a;
    EACH_BLOCK {
        const int32_t first = *block * BLOCK;
        lanes x, r, p, q;
        load(plane->change, first, &x), load(plane->residual, first, &r);
        load(plane->direction, first, &p), load(plane->product, first, &q);
        x += alpha * p, r -= alpha * q;
        store(plane->change, first, &x), store(plane->residual, first, &r);
        largest(&out->most[0], &r);
    }
}

/* --------------------------------------------------------------------------------------------------------------- move */

KERNEL(drive) {
    const rill_films_planes plane = *part->planes;
    const float per_volume = part->constants->per_volume;
    (void)out;
    EACH_BLOCK {
        EACH_EDGE(part->planes) {
            const int32_t *end = plane.ends[e];
            const float u = plane.u[e] - plane.gain[e] * (plane.change[end[1]] - plane.change[end[0]]);
            plane.u[e] = u;
            plane.crossing[e] = plane.open[e] * u * per_volume;
        }
    }
}

/* Of each edge a quantum may be rounded up, and sums of floats err by less than 2^-20. */
KERNEL(limit) {
    const rill_films_planes *plane = part->planes;
    const rill_films_constants *fixed = part->constants;
    EACH_BLOCK {
        const int32_t first = *block * BLOCK;
        lanes leaves = { 0 };
        float slack = 1.0f;
        EACH_SLOT(plane) {
            lanes inflow;
            gather_inflow(plane->crossing, plane->slot_edges + slot, plane->slots + slot, first, &inflow);
            leaves += ABOVE_ZERO(-inflow);
            slack += 1.0f;
        }
        for (int32_t k = 0; k < BLOCK; ++k) {
            const float has = (float)plane->volume[first + k], goes = leaves[k];
            const int32_t too_much = goes * (1.0f + 0x1p-20f) + slack > has;
            plane->share[first + k] = too_much ? has * (1.0f - 0x1p-20f) / rill_max_f(goes, has + 1.0f) : 1.0f;
            const float part_of = goes / rill_max_f(has, 1.0f);
            out->most[0] = rill_max_f(out->most[0], plane->depth[first + k] > fixed->stays ? part_of : 0.0f);
        }
    }
}

/* Edges that are not limited are rounded by the phase of the sub-step, without any memory and without a bias; the others down. */
KERNEL(round_crossings) {
    const rill_films_planes plane = *part->planes;
    const float phase = part->constants->phase;
    (void)out;
    EACH_BLOCK {
        RILL_EACH_ALONE
        for (int32_t e = plane.first_edge[*block]; e < plane.first_edge[*block + 1]; ++e) {
            const float crossing = plane.crossing[e], share = plane.share[plane.ends[e][crossing < 0.0f]];
            const float scaled = crossing * share, up = share < 1.0f ? 0.0f : phase;
            plane.crossing[e] = (float)(int64_t)(scaled + (scaled < 0.0f ? -up : up));
            plane.u[e] = crossing != 0.0f ? plane.u[e] * share : plane.u[e];
        }
    }
}

KERNEL(deposit) {
    const rill_films_planes *plane = part->planes;
    const float least = part->constants->least;
    EACH_BLOCK {
        const int32_t first = *block * BLOCK;
        wide_lanes comes = { 0.0 };
        EACH_SLOT(plane) {
            lanes inflow;
            gather_inflow(plane->crossing, plane->slot_edges + slot, plane->slots + slot, first, &inflow);
            comes += __builtin_convertvector(inflow, wide_lanes); /* whole numbers: exact */
        }
        uint8_t fresh = 0;
        for (int32_t k = 0; k < BLOCK; ++k) {
            const int32_t i = first + k;
            const float before = plane->depth[i];
            plane->volume[i] += (int64_t)comes[k];
            plane->depth[i] = (float)((double)plane->volume[i] * plane->per_quantum[i]);
            fresh |= (uint8_t)(((int32_t)(before <= least) & (int32_t)(plane->depth[i] > least)) << k);
            out->most[0] = rill_max_f(out->most[0], plane->depth[i] > plane->least[i] ? plane->depth[i] : 0.0f);
        }
        plane->fresh[*block] = fresh;
    }
}

extern const rill_films_kernels RILL_KERNELS_NAME;
const rill_films_kernels RILL_KERNELS_NAME = {
    .slants = slants,
    .weights = weights,
    .pressures = pressures,
    .faces = faces,
    .gather = gather_faces,
    .fly = fly,
    .probe = probe,
    .weigh = weigh,
    .begin = begin,
    .look = look,
    .apply = apply,
    .advance = advance,
    .drive = drive,
    .limit = limit,
    .round = round_crossings,
    .deposit = deposit,
};
