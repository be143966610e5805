/* Cells that a body shades: what their files share.
 *
 * Shades are made by cutting the body with vertical planes y = constant, two to eight in each row of quarters, at the
 * nodes of Gauss's quadrature over that part of the row which the body spans; rows are divided where the body has
 * corners. In such a plane the body is an area between an underside and a topside, which is cut in turn at the borders
 * of the quarters: exactly for flat faces (triangle_sections.c), by quadrature for round ones (round_sections.c). What
 * comes out changes steadily with the pose, and the volume of a box is exact wherever it is, however turned and however
 * small.
 *
 * Lengths in these files are counted in edges of a quarter, x and y from the south-west corner of the area, z from
 * the centre of mass. */
#ifndef RILL_SHAPE_BODY_FORM_INTERNAL_H
#define RILL_SHAPE_BODY_FORM_INTERNAL_H

#include "base/simd.h"
#include "shape/body_form.h"
#include "shape/shape_def.h"

#include <math.h>
#include <string.h>

/* One plane in one row of quarters. */
typedef struct rill_line {
    rill_shade *
        cells; /* the row of cells, west to east: sums of part, and of part * under, over and at; 0 where not `there` */
    const float *levels; /* of these cells, m; NULL: none */
    double z, per_unit;  /* of the centre of mass, m; quarters per m */
    size_t north;        /* 0 in the southern row of quarters, 2 in the northern */
    int32_t columns;     /* quarters */
    int32_t low, high;   /* the columns, quarters, to which something was added: low <= k < high */
    double y;
    double weight; /* quarters that it stands for */
} rill_line;

/* The level over the quarter in column k; NaN without levels, which nothing is above or below. */
static inline double rill_line_level(const rill_line *line, size_t k) {
    return line->levels ? ((double)line->levels[k >> 1] - line->z) * line->per_unit : (double)NAN;
}

/* The first four numbers of a quarter, at once. */
typedef double rill_four_doubles __attribute__((vector_size(32)));
typedef float rill_four_floats __attribute__((vector_size(16)));

/* Adds `amount` of the quarter in column k, whose level is known, at x and y, between two heights. */
static inline void rill_line_add(const rill_line *line, size_t k, double level, double amount, double x, double y,
                                 double under, double over) {
    const size_t kind = under >= level ? RILL_CLEAR : over <= level ? RILL_SUNK : RILL_THROUGH;
    const size_t at = 4 * kind + (line->north | (k & 1));
    rill_shade *cell = &line->cells[k >> 1];
    rill_quarter *quarter = &cell->quarter[0][0] + at;
    cell->there |= 1u << at;
    const rill_four_doubles one = { under, over, 1.0, x }, all = one * amount;
    rill_four_floats sums;
    memcpy(&sums, quarter, sizeof sums);
    sums += __builtin_convertvector(all, rill_four_floats);
    memcpy(quarter, &sums, sizeof sums);
    quarter->at[1] += (float)(amount * y);
}

/* Something was added in columns from `low` to below `high`. */
static inline void rill_line_reach(rill_line *line, int32_t low, int32_t high) {
    line->low = low < line->low ? low : line->low;
    line->high = high > line->high ? high : line->high;
}

/* Where between two places a height that is linear, h_0 at `from` and h_1 at `to`, passes a level; `to` if it does
 * not. */
static inline double rill_passes(double from, double to, double h_0, double h_1, double level) {
    const double a = h_0 - level, b = h_1 - level;
    return (a < 0.0) == (b < 0.0) || a == b ? to : from + (to - from) * (a / (a - b));
}

/* A triangle as planes from south to north cut it: where its corners are, and how x and z go along its edges with y:
 * from the southern corner to the northern, from the southern to where it bends, and from there on. */
typedef struct rill_slice {
    double south, bend, north;
    double x, z, bend_x, bend_z;
    double whole_x, whole_z, first_x, first_z, last_x, last_z;
} rill_slice;

/* Where a triangle is cut, inside of the area: its height is z at `left`. */
typedef struct rill_cut {
    double left, right, z, slope;
    int32_t triangle;
} rill_cut;

/* Box, hull and mesh. `place`: of the centre of mass. */
void rill_cuts_begin(const rill_body_form *form, const double turn[9], const double place[2], double unit,
                     int32_t first_row, int32_t rows);
/* The planes of one row of quarters after the other, y growing: begin the row, then give its lines. */
int32_t rill_cuts_row(const rill_body_form *form, int32_t count, int32_t row, int32_t first_row, int32_t rows);
int32_t rill_cuts_line(const rill_body_form *form, int32_t count, rill_line *line);

/* Sphere, capsule and cylinder. */
typedef struct rill_round {
    rill_shape shape;
    double centre[3];    /* of the shape */
    double radius, half; /* half of the length */
    double axis[3];      /* unit vector, up */
    double end[3];       /* from the centre to that of the upper end */
    double level;        /* length of its part in the plane of x and y */
    double along[2];     /* the direction of that */
} rill_round;
rill_round rill_round_make(const rill_body_form *form, const double turn[9], const double place[2], double unit);
/* A plane through a capsule or cylinder; and all planes of a row through a sphere, at `y` and with these weights. */
enum { RILL_MOST_PLANES = 8 };
void rill_round_line(const rill_round *round, rill_line *line);
void rill_sphere_row(const rill_round *round, rill_line *line, int32_t planes, const double *y, const double *weights);

/* Along such a plane a quarter is summed by two nodes of Gauss; at a rim, where the heights rise steeply, by five. */
typedef struct rill_rule {
    int count;
    double nodes[5], weights[5]; /* on -1 to 1; weights add to 1 */
} rill_rule;
static const rill_rule RILL_INNER = { 2, { -0.57735026918962576, 0.57735026918962576 }, { 0.5, 0.5 } };
static const rill_rule RILL_END = {
    5,
    { -0.9872095809174644, -0.7296395928721534, 0.0, 0.7296395928721534, 0.9872095809174644 },
    { 0.03177866312878993, 0.2548880035378767, 0.42666666666666664, 0.2548880035378767, 0.03177866312878993 }
};

/* A square root that is 0 for the little below zero that rounding leaves at a rim. */
static inline double rill_root(double value) {
    return value > 0.0 ? sqrt(value) : 0.0;
}

/* Triangles of the primitives, in the frame of the definition. False when there is no memory. */
bool rill_body_form_tessellate(rill_body_form *form, const rill_allocator *allocator);

/* Hull and mesh in the frame of the definition. */
rill_result rill_body_form_hull(rill_body_form *form, const rill_shape_def *shape, const rill_shape_rules *rules,
                                const rill_allocator *allocator, rill_message *message);
rill_result rill_body_form_mesh(rill_body_form *form, const rill_shape_def *shape, const rill_shape_rules *rules,
                                const rill_allocator *allocator, rill_message *message);

/* Volume, middle and the matrix of second moments about it per volume (xx, yy, zz, xy, xz, yz), from triangles. */
void rill_mass_measure(const rill_body_form *form, double *volume, double middle[3], double moments[6]);
/* Signed volume under triangle t seen from a point: negative if it faces the point. */
double rill_mass_cone(const rill_body_form *form, size_t t, const double from[3]);

#endif
