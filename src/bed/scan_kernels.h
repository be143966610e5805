/* The arithmetic of scan.c for many triangles at a time. Compiled once per instruction set; all versions give the same
 * bits. */
#ifndef RILL_BED_SCAN_KERNELS_H
#define RILL_BED_SCAN_KERNELS_H

#include "bed/raster_internal.h"

enum { RILL_SCAN_BATCH = 64 };

/* Triangles and planes, each of which is between the corners of its triangle; and, as found, where the edges cross it
 * that run up (0) and down (1), seen along the triangle's orientation. */
typedef struct rill_scan_batch {
    double plane[RILL_SCAN_BATCH];
    int64_t corner[3][RILL_SCAN_BATCH]; /* where they begin among the vertices */
    double along[2][RILL_SCAN_BATCH], z[2][RILL_SCAN_BATCH];
    double rest[2][RILL_SCAN_BATCH];  /* how far into the cell, in units of it */
    int32_t cell[2][RILL_SCAN_BATCH]; /* first cell at or beyond it, if the rest is sure */
} rill_scan_batch;

/* How a vertex lies: of the rows of either axis the first that it is not above, and beside which borders of the
 * grid. */
typedef struct rill_scan_mark {
    int32_t rows[2];
    uint32_t beside; /* bits 0 to 3; bits 4 and 5: a row is not sure */
    int32_t column;  /* as rows[1], if the vertex is so far from there that rounding does not matter; else -1 */
} rill_scan_mark;

typedef struct rill_scan_kernels {
    const char *name;
    void (*mark)(const rill_scan scans[2], const double *vertices, size_t count, rill_scan_mark *marks);
    /* Finds them; returns how many rests are not sure. */
    int32_t (*cross)(const rill_lattice *along, const double *vertices, int axis, int32_t count,
                     rill_scan_batch *batch);
} rill_scan_kernels;

/* The best version for this processor, or the scalar one. */
const rill_scan_kernels *rill_scan_kernels_pick(bool scalar);
/* All that it can run, for tests that compare them; the count is returned. */
int32_t rill_scan_kernels_all(const rill_scan_kernels *out[4]);

#endif
