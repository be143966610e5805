/* Vectors of three doubles, and 3 x 3 matrices as nine, row by row. Sums are always made in this order, (x + y) + z, so
 * that one expression has the same bits wherever it is written. */
#ifndef RILL_BASE_VEC_H
#define RILL_BASE_VEC_H

static inline double rill_vec_dot(const double a[3], const double b[3]) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}
/* Stores a - b. */
static inline void rill_vec_difference(const double a[3], const double b[3], double out[3]) {
    out[0] = a[0] - b[0], out[1] = a[1] - b[1], out[2] = a[2] - b[2];
}
/* Stores a x b; `out` is neither of them. */
static inline void rill_vec_cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}
/* Returns a . (b x c): six times the volume of the tetrahedron 0, a, b, c. */
static inline double rill_vec_triple(const double a[3], const double b[3], const double c[3]) {
    double cross[3];
    rill_vec_cross(b, c, cross);
    return rill_vec_dot(a, cross);
}
/* Stores matrix times vector; `out` is not the vector. */
static inline void rill_vec_transform(const double matrix[9], const double in[3], double out[3]) {
    for (int i = 0; i < 3; ++i) out[i] = rill_vec_dot(matrix + 3 * i, in);
}

#endif
