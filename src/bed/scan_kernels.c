/* Crossing edges with planes, many at a time: see scan_kernels.h, and scan.c for why it is done this way. Compiled
 * several times with RILL_KERNELS_NAME set to the table's name. */
#include "bed/scan_kernels.h"

#include "base/simd.h"

#define INLINE static inline __attribute__((always_inline))

INLINE uint32_t is_unsure(double rest, double doubt) {
    return !((rest > doubt) & (rest < 1.0 - doubt));
}

static void mark(const rill_scan scans[2], const double *vertices, size_t count, rill_scan_mark *marks) {
    const rill_lattice along_y = scans[0].across, along_x = scans[1].across;
    const double west = scans[0].near[0], east = scans[0].near[1], south = scans[1].near[0], north = scans[1].near[1];
    RILL_EACH_ALONE /* vector */
        for (size_t i = 0; i < count; ++i) {
        const double x = vertices[3 * i], y = vertices[3 * i + 1];
        const double guess_x = rill_lattice_guess(&along_x, x), guess_y = rill_lattice_guess(&along_y, y);
        const int32_t column = (int32_t)guess_x, row = (int32_t)guess_y;
        const double rest_x = guess_x - (double)column, rest_y = guess_y - (double)row;
        marks[i].rows[0] = row;
        marks[i].rows[1] = column;
        marks[i].beside = (uint32_t)(x < west) | (uint32_t)(x > east) << 1 | (uint32_t)(y < south) << 2 |
                          (uint32_t)(y > north) << 3 | is_unsure(rest_y, along_y.doubt) << 4 |
                          is_unsure(rest_x, along_x.doubt) << 5;
        marks[i].column = is_unsure(rest_x, 2.0 * along_x.doubt) ? -1 : column;
    }
}

/* Which way a triangle lies is anybody's guess: all three corners are loaded, and of them that with which an edge
 * begins is chosen. */
INLINE double choose(bool first, bool second, double a, double b, double c) {
    const double rest = second ? b : c;
    return first ? a : rest;
}

/* The ends of edges that cross a plane: across the rows, along them, and z. */
typedef struct edge {
    double a[3], b[3];
} edge;

/* From positions alone, hence the same for all triangles that have the edge. */
INLINE void cross_edge(const rill_lattice *along, double plane, const edge *e, double *out_along, double *out_z,
                       double *out_rest, int32_t *out_cell) {
    const double t = (plane - e->a[0]) / (e->b[0] - e->a[0]), x = e->a[1] + t * (e->b[1] - e->a[1]);
    const double guess = rill_lattice_guess(along, x);
    const int32_t cell = (int32_t)guess;
    *out_z = e->a[2] + t * (e->b[2] - e->a[2]);
    *out_along = x;
    *out_rest = guess - (double)cell;
    *out_cell = cell;
}

static int32_t cross(const rill_lattice *lattice, const double *vertices, int axis, int32_t count,
                     rill_scan_batch *batch) {
    const rill_lattice along = *lattice;
    const double *const ys = vertices + (1 - axis), *const xs = vertices + axis, *const zs = vertices + 2;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = 0; i < count; ++i) {
        const int64_t p = batch->corner[0][i], q = batch->corner[1][i], r = batch->corner[2][i];
        const double plane = batch->plane[i];
        const double y0 = ys[p], y1 = ys[q], y2 = ys[r], x0 = xs[p], x1 = xs[q], x2 = xs[r], z0 = zs[p], z1 = zs[q],
                     z2 = zs[r];
        const bool above0 = y0 > plane, above1 = y1 > plane, above2 = y2 > plane;
        const bool up0 = !above0 & above1, up1 = !above1 & above2, down0 = above0 & !above1, down1 = above1 & !above2;
        const edge up = { { choose(up0, up1, y0, y1, y2), choose(up0, up1, x0, x1, x2), choose(up0, up1, z0, z1, z2) },
                          { choose(up0, up1, y1, y2, y0), choose(up0, up1, x1, x2, x0),
                            choose(up0, up1, z1, z2, z0) } };
        const edge down = {
            { choose(down0, down1, y1, y2, y0), choose(down0, down1, x1, x2, x0), choose(down0, down1, z1, z2, z0) },
            { choose(down0, down1, y0, y1, y2), choose(down0, down1, x0, x1, x2), choose(down0, down1, z0, z1, z2) }
        };
        cross_edge(&along, plane, &up, &batch->along[0][i], &batch->z[0][i], &batch->rest[0][i], &batch->cell[0][i]);
        cross_edge(&along, plane, &down, &batch->along[1][i], &batch->z[1][i], &batch->rest[1][i], &batch->cell[1][i]);
    }
    int32_t unsure = 0;
    for (int k = 0; k < 2; ++k) {
        const double *rest = batch->rest[k];
        for (int32_t i = 0; i < count; ++i) /* vector */
            unsure += !((rest[i] > along.doubt) & (rest[i] < 1.0 - along.doubt));
    }
    return unsure;
}

extern const rill_scan_kernels RILL_KERNELS_NAME;
#define TEXT_OF(name) #name
#define NAME_OF(name) TEXT_OF(name)
const rill_scan_kernels RILL_KERNELS_NAME = { .name = NAME_OF(RILL_KERNELS_NAME), .mark = mark, .cross = cross };
