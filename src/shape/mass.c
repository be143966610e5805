/* Volume, middle and second moments of what triangles enclose, exactly: sums over the tetrahedra between a point and
 * each triangle, signed, whatever the point.
 *
 * Based on: F. Tonon 2004, "Explicit exact formulas for the 3-D tetrahedron inertia tensor in terms of its vertex
 * coordinates". With s = a + b + c, a tetrahedron of volume V with corners 0, a, b, c has
 *
 *     integral of x_i = V s_i / 4,    of x_i x_j = V (s_i s_j + a_i a_j + b_i b_j + c_i c_j) / 20. */
#include "base/vec.h"
#include "shape/body_form_internal.h"

/* The corners of a triangle, relative to a point. */
static void find_corners(const rill_body_form *form, size_t t, const double from[3], double out[3][3]) {
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            out[i][k] = form->vertices[3 * (size_t)form->indices[3 * t + (size_t)i] + (size_t)k] - from[k];
}

double rill_mass_cone(const rill_body_form *form, size_t t, const double from[3]) {
    double corners[3][3];
    find_corners(form, t, from, corners);
    return rill_vec_triple(corners[0], corners[1], corners[2]) / 6.0;
}

void rill_mass_measure(const rill_body_form *form, double *volume, double middle[3], double moments[6]) {
    static const int pairs[6][2] = { { 0, 0 }, { 1, 1 }, { 2, 2 }, { 0, 1 }, { 0, 2 }, { 1, 2 } };
    double from[3] = { 0.0, 0.0, 0.0 }, first[3] = { 0.0, 0.0, 0.0 }, second[6] = { 0.0 }, sum = 0.0;
    /* About a point among the vertices, so that nothing cancels when the body is far from the zero of its frame. */
    for (size_t i = 0; i < form->vertex_count; ++i)
        for (size_t k = 0; k < 3; ++k) from[k] += form->vertices[3 * i + k] / (double)form->vertex_count;
    for (size_t t = 0; t < form->triangle_count; ++t) {
        double p[3][3], s[3];
        find_corners(form, t, from, p);
        const double v = rill_vec_triple(p[0], p[1], p[2]) / 6.0;
        sum += v;
        for (int k = 0; k < 3; ++k) {
            s[k] = (p[0][k] + p[1][k]) + p[2][k];
            first[k] += v * s[k] / 4.0;
        }
        for (int k = 0; k < 6; ++k) {
            const int i = pairs[k][0], j = pairs[k][1];
            second[k] += v * ((s[i] * s[j] + p[0][i] * p[0][j]) + (p[1][i] * p[1][j] + p[2][i] * p[2][j])) / 20.0;
        }
    }
    *volume = sum;
    for (int k = 0; k < 3; ++k) first[k] /= sum;
    for (int k = 0; k < 6; ++k) moments[k] = second[k] / sum - first[pairs[k][0]] * first[pairs[k][1]];
    for (int k = 0; k < 3; ++k) middle[k] = from[k] + first[k];
}
