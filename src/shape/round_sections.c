/* Round bodies in a vertical plane y = constant: capsule and cylinder. Spheres are in sphere_sections.c.
 *
 *   z ^      . - ' ' - .        From x_0 to x_1 the body is over the line, and under(x), over(x) come from a square
 *     |    '             '      root that rises steeply at both ends. There x is put as (3 u - u^3) / 2 for u from -1
 *     |    ' .         . '      to 1, which takes the steepness away; five nodes of Gauss in u do.
 *     +----x_0--------x_1---> x
 *
 * With n the axis (up), s = |(n_x, n_y)|, p and k the distances of (x, y) from the middle along the axis' shadow and
 * across it, d = s p, and H half the length:
 *
 *     the tube        z = (n_z p +- sqrt(r^2 - k^2)) / s
 *     its flat ends   -H <= n_z z + d <= H
 *     its shadow      a rectangle 2 H s long and 2 r wide, with an ellipse (capsule: a circle) about either end. */
#include "shape/body_form_internal.h"

#include <math.h>

static const double UPRIGHT = 1e-7; /* less than this of the axis is nothing */

rill_round rill_round_make(const rill_body_form *form, const double turn[9], const double place[2], double unit) {
    rill_round round = { .shape = form->shape, .radius = form->radius / unit };
    const double *m = form->middle;
    for (int k = 0; k < 3; ++k)
        round.centre[k] = ((turn[3 * k] * m[0] + turn[3 * k + 1] * m[1]) + turn[3 * k + 2] * m[2]) / unit;
    for (int k = 0; k < 2; ++k) round.centre[k] += place[k];
    if (form->shape == RILL_SHAPE_SPHERE) return round;
    round.half = 0.5 * form->length / unit;
    const double sign = turn[8] < 0.0 ? -1.0 : 1.0;
    for (int k = 0; k < 3; ++k) {
        round.axis[k] = sign * turn[3 * k + 2];
        round.end[k] = round.half * round.axis[k];
    }
    const double *n = round.axis;
    round.level = sqrt(n[0] * n[0] + n[1] * n[1]);
    const bool upright = !(round.level > UPRIGHT);
    round.along[0] = upright ? 1.0 : n[0] / round.level;
    round.along[1] = upright ? 0.0 : n[1] / round.level;
    if (upright) round.level = 0.0;
    return round;
}

/* ------------------------------------------------------------------------------------------------ extent of a plane */

typedef struct extent {
    double low, high; /* low > high: none */
    int corner_count;
    double corners[4]; /* of the section of a cylinder, where its flat ends begin: in order */
} extent;

static void widen(extent *all, double low, double high) {
    all->low = rill_min_d(all->low, low);
    all->high = rill_max_d(all->high, high);
}

/* The shadow of one end, whose centre is at (x, y). */
static void widen_by_end(const rill_round *round, double x, double y, extent *all) {
    const double rr = round->radius * round->radius;
    if (round->shape == RILL_SHAPE_CAPSULE) {
        if (y * y <= rr) widen(all, x - sqrt(rr - y * y), x + sqrt(rr - y * y));
        return;
    }
    const double *n = round->axis, yy = rr * (1.0 - n[1] * n[1]), rest = yy - y * y;
    if (!(yy > 1e-14 * rr) || !(rest >= 0.0)) return;
    const double middle = x - y * n[0] * n[1] * (rr / yy), wide = round->radius * fabs(n[2]) * sqrt(rest) / yy;
    const double ends[2] = { middle - wide * round->radius, middle + wide * round->radius };
    widen(all, ends[0], ends[1]);
    for (int i = 0; i < 2; ++i) {
        int at = all->corner_count++;
        for (; at > 0 && all->corners[at - 1] > ends[i]; --at) all->corners[at] = all->corners[at - 1];
        all->corners[at] = ends[i];
    }
}

static void widen_by_tube(const rill_round *round, double y, extent *all) {
    const double *e = round->along, r = round->radius, far = round->half * round->level;
    double corners[4][2];
    for (int i = 0; i < 4; ++i) { /* around it */
        const double p = i == 1 || i == 2 ? far : -far, k = i < 2 ? -r : r;
        corners[i][0] = p * e[0] - k * e[1];
        corners[i][1] = p * e[1] + k * e[0];
    }
    for (int i = 0; i < 4; ++i) {
        const double *from = corners[i], *to = corners[(i + 1) & 3];
        if (from[1] > to[1]) {
            const double *swap = from;
            from = to, to = swap;
        }
        if (!(y >= from[1] && y < to[1])) continue;
        const double x = from[0] + (y - from[1]) / (to[1] - from[1]) * (to[0] - from[0]);
        widen(all, x, x);
    }
}

/* Relative to the centre, as all below. */
static extent find_extent(const rill_round *round, double y) {
    extent all = { .low = INFINITY, .high = -INFINITY };
    widen_by_end(round, round->end[0], y - round->end[1], &all);
    widen_by_end(round, -round->end[0], y + round->end[1], &all);
    if (round->level > 0.0) widen_by_tube(round, y, &all);
    return all;
}

/* --------------------------------------------------------------------------------------------------------- heights */

static void cylinder_at(const rill_round *round, double x, double y, double *under, double *over) {
    const double *n = round->axis, *e = round->along, s = round->level, r = round->radius;
    const double p = x * e[0] + y * e[1], k = y * e[0] - x * e[1];
    double low = -INFINITY, high = INFINITY;
    if (s > 0.0) {
        const double wide = rill_root(r * r - k * k);
        low = (n[2] * p - wide) / s, high = (n[2] * p + wide) / s;
    }
    if (n[2] > UPRIGHT) {
        low = rill_max_d(low, (-round->half - s * p) / n[2]);
        high = rill_min_d(high, (round->half - s * p) / n[2]);
    }
    if (low > high) low = high = 0.5 * (low + high); /* rounding, at a rim */
    *under = low, *over = high;
}

static void capsule_at(const rill_round *round, double x, double y, double *under, double *over) {
    const double *n = round->axis, *e = round->along, s = round->level, rr = round->radius * round->radius;
    double low = INFINITY, high = -INFINITY;
    for (int side = -1; side <= 1; side += 2) {
        const double *end = round->end, dx = x - side * end[0], dy = y - side * end[1], rest = rr - (dx * dx + dy * dy);
        if (!(rest >= 0.0)) continue;
        low = rill_min_d(low, side * end[2] - sqrt(rest));
        high = rill_max_d(high, side * end[2] + sqrt(rest));
    }
    if (s > 0.0) {
        const double p = x * e[0] + y * e[1], k = y * e[0] - x * e[1], wide = rill_root(rr - k * k);
        const double below = (n[2] * p - wide) / s, above = (n[2] * p + wide) / s;
        if (fabs(n[2] * below + s * p) <= round->half) low = rill_min_d(low, below);
        if (fabs(n[2] * above + s * p) <= round->half) high = rill_max_d(high, above);
        if (!(low <= high))
            low = high = n[2] * rill_max_d(-round->half, rill_min_d(p / s, round->half)); /* rounding, at a rim */
    } else if (!(low <= high)) {
        low = -round->end[2], high = round->end[2];
    }
    *under = low, *over = high;
}

/* ------------------------------------------------------------------------------------------------------ quadrature */

enum { PASSAGE_STEPS = 4 };

/* Underside and topside. */
typedef struct heights {
    double under, over;
} heights;

/* Finds the heights of a cylinder or capsule at x. */
static inline heights heights_at(const rill_round *round, double x, double y) {
    const double from = x - round->centre[0];
    heights at;
    if (round->shape == RILL_SHAPE_CYLINDER)
        cylinder_at(round, from, y, &at.under, &at.over);
    else
        capsule_at(round, from, y, &at.under, &at.over);
    at.under += round->centre[2];
    at.over += round->centre[2];
    return at;
}

/* Adds what is between two places in one quarter, on one side of the level. */
static void add_piece(const rill_round *round, rill_line *line, int32_t k, double from, double to,
                      const rill_rule *by) {
    const double y = line->y - round->centre[1], middle = 0.5 * (from + to), wide = 0.5 * (to - from);
    double lows = 0.0, highs = 0.0;
    if (!(from < to)) return;
    for (int i = 0; i < by->count; ++i) {
        const heights at = heights_at(round, middle + wide * by->nodes[i], y);
        lows += by->weights[i] * at.under;
        highs += by->weights[i] * at.over;
    }
    rill_line_add(line, (size_t)k, rill_line_level(line, (size_t)k), line->weight * (to - from), middle, line->y, lows,
                  highs);
    rill_line_reach(line, k, k + 1);
}

/* Where the underside, or the topside, passes the level between two places, with these heights above it; `to` if it
 * does not. */
static double find_passage(const rill_round *round, double y, double from, double to, double level, double at_from,
                           double at_to, bool top) {
    double a = from, b = to, at_a = at_from, at_b = at_to;
    if ((at_a < 0.0) == (at_b < 0.0)) return to;
    for (int i = 0; i < PASSAGE_STEPS; ++i) {
        const double x = 0.5 * (a + b);
        const heights at = heights_at(round, x, y);
        const double here = (top ? at.over : at.under) - level;
        if ((here < 0.0) == (at_a < 0.0))
            a = x, at_a = here;
        else
            b = x, at_b = here;
    }
    return rill_passes(a, b, at_a, at_b, 0.0);
}

/* Adds a stretch on both sides of where the level is passed. The heights at its ends are known. */
static void add_pieces(const rill_round *round, rill_line *line, int32_t k, double from, double to,
                       const heights ends[2], const rill_rule *by) {
    const double y = line->y - round->centre[1], level = rill_line_level(line, (size_t)k);
    const double a = find_passage(round, y, from, to, level, ends[0].under - level, ends[1].under - level, false);
    const double b = find_passage(round, y, from, to, level, ends[0].over - level, ends[1].over - level, true);
    add_piece(round, line, k, from, rill_min_d(a, b), by);
    add_piece(round, line, k, rill_min_d(a, b), rill_max_d(a, b), by);
    add_piece(round, line, k, rill_max_d(a, b), to, by);
}

void rill_round_line(const rill_round *round, rill_line *line) {
    const extent all = find_extent(round, line->y - round->centre[1]);
    if (!(all.low < all.high)) return;
    const double low = all.low + round->centre[0], high = all.high + round->centre[0];
    double from = rill_max_d(low, 0.0);
    const double to = rill_min_d(high, (double)line->columns);
    if (!(from < to)) return;
    /* Small bodies are not flat over a quarter; tiny ones would not get anywhere in such steps. */
    const double longest = high - low < 1e-6 ? 1.0 : rill_min_d(1.0, (high - low) / 6.0);
    double last = low, next = high; /* ends and corners on either side */
    heights ends[2] = { heights_at(round, from, line->y - round->centre[1]) };
    int corner = 0;
    for (int32_t k = (int32_t)from; from < to;) {
        for (next = high; corner < all.corner_count; ++corner) {
            const double at = all.corners[corner] + round->centre[0];
            if (at > from) {
                next = rill_min_d(at, high);
                break;
            }
            last = rill_max_d(last, at);
        }
        const double border = (double)k + 1.0;
        double end = rill_min_d(rill_min_d(border, next), to);
        if (end - from > 1.001 * longest) end = from + longest;
        const bool rim = from - last < longest || next - end < longest;
        ends[1] = heights_at(round, end, line->y - round->centre[1]);
        add_pieces(round, line, k, from, end, ends, rim ? &RILL_END : &RILL_INNER);
        from = end, ends[0] = ends[1];
        if (end >= border) k += 1;
    }
}
