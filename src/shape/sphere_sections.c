/* Spheres in the planes y = constant of a row of quarters.
 *
 *        . - ' ' - .         A sphere is the same above and below its middle, and passes a level at a known distance from
 *      '  r|i|i|i|r  '       it. Quarters that no plane has its rim in, or the level passes (i), have one height each, the
 *      ' ..|.|.|.|.. '       sum over all planes: in loops without branches. The others (r) are cut plane by plane, at
 *                            the rim and where the level is passed. */
#include "shape/body_form_internal.h"

enum { SPAN = 64 }; /* quarters that are summed together */

/* A plane. x is counted from the middle of the sphere here. */
typedef struct section {
    double y, weight;
    double square, half; /* of its half width, and that: negative if it misses the sphere */
} section;

typedef struct sphere_row {
    const rill_round *round;
    const rill_line *line;
    double west; /* the border of the area */
    int32_t count;
    section sections[RILL_MOST_PLANES];
} sphere_row;

/* Where a section passes a level; less than 0: nowhere, or there is none. */
static double find_far(const section *circle, double above) {
    const double rest = circle->square - above * above;
    return rest > 0.0 ? sqrt(rest) : -1.0;
}

/* Adds what is between two places in one quarter, on one side of the level. */
static void add_piece(const sphere_row *row, const section *circle, int32_t k, double level, double from, double to,
                      bool rim) {
    const rill_rule *by = rim ? &RILL_END : &RILL_INNER;
    const double middle = 0.5 * (from + to), wide = 0.5 * (to - from), *centre = row->round->centre;
    double high = 0.0;
    for (int i = 0; i < by->count; ++i) {
        const double x = middle + wide * by->nodes[i];
        high += by->weights[i] * rill_root(circle->square - x * x);
    }
    rill_line_add(row->line, (size_t)k, level, circle->weight * (to - from), centre[0] + middle, circle->y,
                  centre[2] - high, centre[2] + high);
}

/* A quarter in one plane. */
static void cut_quarter(const sphere_row *row, const section *circle, int32_t k) {
    const double first = rill_max_d(-circle->half, (double)k + row->west);
    const double last = rill_min_d(circle->half, (double)(k + 1) + row->west);
    const double level = rill_line_level(row->line, (size_t)k), far = find_far(circle, level - row->round->centre[2]);
    const bool rim = first + circle->half < 1.0 || circle->half - last < 1.0;
    const double a = far < 0.0 ? last : rill_max_d(rill_min_d(-far, last), first);
    const double b = far < 0.0 ? last : rill_max_d(rill_min_d(far, last), first);
    if (first < a) add_piece(row, circle, k, level, first, a, rim);
    if (a < b) add_piece(row, circle, k, level, a, b, rim);
    if (b < last) add_piece(row, circle, k, level, b, last, rim);
}

/* Of the quarters of a cell, those from `first` to below `end`: summed already as `high`, unless the level passes
 * them. */
static void add_cell(const sphere_row *row, int32_t first, int32_t end, const double *high, const section *mean) {
    const double *centre = row->round->centre, level = rill_line_level(row->line, (size_t)first);
    double least = (double)INFINITY, most = -1.0;
    for (int32_t i = 0; i < row->count; ++i) {
        const double far = find_far(&row->sections[i], level - centre[2]);
        least = rill_min_d(least, far);
        most = rill_max_d(most, far);
    }
    for (int32_t k = first; k < end; ++k) {
        const double from = (double)k + row->west, to = from + 1.0;
        if (to <= -most || from >= most || (from >= -least && to <= least)) {
            rill_line_add(row->line, (size_t)k, level, mean->weight, centre[0] + from + 0.5, mean->y,
                          centre[2] - high[k - first], centre[2] + high[k - first]);
            continue;
        }
        for (int32_t i = 0; i < row->count; ++i) cut_quarter(row, &row->sections[i], k);
    }
}

/* Quarters that no plane has a rim in. */
static void add_inner(const sphere_row *row, int32_t first, int32_t end) {
    section mean = { 0 };
    for (int32_t i = 0; i < row->count; ++i) {
        mean.weight += row->sections[i].weight;
        mean.y += row->sections[i].weight * row->sections[i].y;
    }
    mean.y /= mean.weight;
    for (int32_t from = first, to; from < end; from = to) {
        double high[SPAN] = { 0 };
        to = rill_min_i((from + SPAN) & ~1, end);
        for (int32_t i = 0; i < row->count; ++i) {
            const double square = row->sections[i].square, part = 0.5 * row->sections[i].weight / mean.weight;
            const double a = (double)from + row->west + 0.5 * (1.0 + RILL_INNER.nodes[0]), b = a + RILL_INNER.nodes[1];
            for (int32_t k = 0; k < to - from; ++k) {
                const double p = a + (double)k, q = b + (double)k;
                high[k] += part * (sqrt(square - p * p) + sqrt(square - q * q));
            }
        }
        for (int32_t k = from, next; k < to; k = next) {
            next = rill_min_i((k | 1) + 1, to);
            add_cell(row, k, next, &high[k - from], &mean);
        }
    }
}

void rill_sphere_row(const rill_round *round, rill_line *line, int32_t planes, const double *y, const double *weights) {
    sphere_row row = { .round = round, .line = line, .west = -round->centre[0], .count = planes };
    const double columns = (double)line->columns;
    double least = round->radius;
    for (int32_t i = 0; i < planes; ++i) {
        const double from = y[i] - round->centre[1], square = round->radius * round->radius - from * from;
        row.sections[i] = (section){ y[i], weights[i], square, square > 0.0 ? sqrt(square) : -1.0 };
        least = rill_min_d(least, row.sections[i].half);
    }
    const int32_t first = (int32_t)rill_min_d(rill_max_d(ceil(1.0 - least - row.west), 0.0), columns);
    const int32_t end = (int32_t)rill_min_d(rill_max_d(floor(least - 1.0 - row.west), (double)first), columns);
    for (int32_t i = 0; i < planes; ++i) {
        const section *circle = &row.sections[i];
        if (!(circle->half > 0.0)) continue;
        const int32_t low = (int32_t)rill_min_d(rill_max_d(-circle->half - row.west, 0.0), columns);
        const int32_t high = (int32_t)rill_min_d(rill_max_d(ceil(circle->half - row.west), 0.0), columns);
        for (int32_t k = low; k < rill_min_i(first, high); ++k) cut_quarter(&row, circle, k);
        for (int32_t k = rill_max_i(end, low); k < high; ++k) cut_quarter(&row, circle, k);
        rill_line_reach(line, low, high);
    }
    if (first < end) add_inner(&row, first, end);
}
