/* WANG: the height field of Wang, Miller & Turk as it is printed, `papers: wang`, to compare with. What was mended since is
 * the method `waves` (waves/theta.h).
 *
 * Based on: H. Wang, G. Miller, G. Turk, "Solving General Shallow Wave Equations on Surfaces", 2007, on a regular grid of columns
 * along the normal of a plane: h level, b bed, d = h - b depth, u velocity, g gravity into the plane, a along it.
 *
 *   4        h* = h(x - u dt)                                          heights are carried, not volumes: none is kept
 *   7        b = h* + (1 - tau) (h^(t-1) - h^(t-2))                    what has risen goes on to rise
 *   5        b += dt^2 [ div(d grad P_ext) / rho - d div a_ext ]       fields, controls, brushes; explicit
 *   6, 10    (I + A_g) h = b,   a_ij = -dt^2 (d_i + d_j) (g_i + g_j) / (4 dx^2)
 *   12, 13   P_s = -gamma K,   K_i = sum_j (h_j - h_i) / dx^2            over neighbours that are defined (and see 17, 18)
 *   15, 16   incomplete: A_s,ij = -dt^2 gamma / (rho dx^4) (d_i + d_j), and explicit, added to b,
 *            -dt^2 gamma / (rho dx^2) sum_j (d_i + d_j) [ (K_j - K_i) / 2 + (h_j - h_i) / dx^2 ]
 *   14       complete: dt^2 gamma d_i / (rho dx^2) sum_j (K_j - K_i), all of it unknown
 *   17, 18   at boundary cells K has besides -alpha tan(theta) / dx for the virtual surface beyond them
 *   20       under bodies the row is A_g h = b - s, and h a head: bodies/wang_bodies.h
 *   1        u += dt (-grad P / rho + a_ext),   then u *= d / (d + friction)
 *
 * Read where the print leaves a choice: dt^2 belongs to all matrices (10 and 15 lack it); h^(t-1) - h^(t-2) is what the last solve
 * has changed, or what Eq. 4 has carried would be carried once more; with sub-steps of unequal length it counts in proportion; u is on
 * faces, and a cell has the mean of its open ones; Eq. 4 interpolates linearly, among cells that are defined.
 *
 * On a grid w_ij = 2 and A = dx^2, which makes (14) of (12, 13) and (16) of both. P_s is -gamma K here: by (13) as printed drops would
 * flatten. The symbol of the bracket in (16) has the fourth power of the wave number, of A_s the second: sub-steps are
 * stable below rill_heights_limit. In (14) the d_i of a boundary cell, which has none, is the mean of its open faces. In (18) w counts
 * water cells, N_b is minus the gradient of the depths of water around (3 x 3), and theta the receding angle where it was wet before, else the advancing one.
 *
 * Defined are water cells (d > 0) and the boundary cells beside them (d <= 0, section 3.2), which begin with C1 continuity and
 * exchange water with water cells alone. Walls are Neumann boundaries; columns outside of still and open edges are Dirichlet
 * boundaries, at the level of their reservoir or their floor.
 *
 * State is in doubles here; H of the flow has the depths in whole quanta, and where somebody else has changed those, heights follow.
 * All is one loop over the grid in one order: the same bits everywhere. */
#ifndef RILL_WANG_WANG_H
#define RILL_WANG_WANG_H

#include "base/assert.h"
#include "flow/flow.h"
#include "solve/csr.h"
#include "solve/milu.h"

struct rill_edge_flow; /* flow/stages.h */

/* m/s: no velocity is ever above it. */
#define RILL_HEIGHTS_SPEED 1e6

/* Kinds of cells. */
enum { RILL_HEIGHT_WALL = 0, RILL_HEIGHT_DRY, RILL_HEIGHT_BOUNDARY, RILL_HEIGHT_WATER, RILL_HEIGHT_RESERVOIR };

enum { RILL_HEIGHTS_PLANES = 10, RILL_HEIGHTS_VECTORS = 11, RILL_HEIGHTS_RING = 1 };

/* Planes are by cells of the grid, with a ring of one around them. */
typedef struct rill_heights {
    int32_t cells[2];
    int32_t stride;
    size_t size; /* of a plane */
    double *memory;
    double *d;       /* state: depth, m; not positive in boundary cells, 0 in dry ones */
    double *before;  /* state: depth before the last solve, m */
    double *b;       /* bed over the datum, m; reservoirs too */
    double *h;       /* level over the datum, m */
    double *carried; /* h*, m */
    double *K;       /* sum of (h_j - h_i), with the virtual surface, m */
    double *beyond;  /* of it the virtual surface alone, which is known, m */
    double *under;   /* undersides of bodies over the datum, m; infinite without */
    double *pressed; /* levels to which they press columns in the sub-step, m; infinite where they do not */
    double *head;    /* state: of columns that were pressed in the last sub-step, m */
    uint8_t *kind;   /* state: RILL_HEIGHT_... */
    uint8_t *wet;    /* state: 1: there was water ("wetness map", 5.1) */
    uint8_t *held;   /* state: 1: it was pressed in the last sub-step */
    int32_t *place;  /* in planes of the flow; -1: no column */
    int32_t *row;    /* of the matrix; -1: not defined */
    int32_t *cell;   /* of each row */
    bool sealed;     /* the front is a boundary of Neumann */
    double last;     /* state, s: length of the last sub-step; 0: there was none */
    bool has_bodies; /* of the sub-step */
    int32_t book;    /* the ledger's account of drift; -1: not opened yet */
    rill_csr matrix;
    rill_milu factors;
    double *vectors;
    double *x, *right, *r, *z, *p, *q, *diagonal; /* by rows */
    double *shadow, *mp, *ms, *t;
} rill_heights;

/* Returns the index of a cell in the planes, -1 <= x <= cells[0] and -1 <= y <= cells[1]. */
static inline size_t rill_heights_at(const rill_heights *heights, int32_t x, int32_t y) {
    RILL_ASSERT(x >= -1 && x <= heights->cells[0] && y >= -1 && y <= heights->cells[1]);
    return (size_t)(y + RILL_HEIGHTS_RING) * (size_t)heights->stride + (size_t)(x + RILL_HEIGHTS_RING);
}

/* A cell is defined: it has a height. */
static inline bool rill_height_defined(const rill_heights *heights, size_t at) {
    return heights->kind[at] >= RILL_HEIGHT_BOUNDARY;
}

static inline double rill_height_depth(const rill_heights *heights, size_t at) {
    return heights->d[at] > 0.0 ? heights->d[at] : 0.0;
}

/* Makes a field that is dry and at rest; NULL without memory. */
rill_heights *rill_heights_make(const rill_grid *grid, const rill_allocator *allocator);
void rill_heights_free(rill_heights *heights, const rill_allocator *allocator); /* NULL is allowed */
/* Everything is dry and at rest. */
void rill_heights_forget(rill_heights *heights);
/* Lets the height of a cell rest. */
void rill_heights_stop(rill_heights *heights, int32_t x, int32_t y);
/* Whether all heights are in the range of the flow's bed. */
bool rill_heights_possible(const rill_heights *heights, const rill_flow *flow);

/* Returns the longest stable sub-step, s: infinity but for incomplete tension. Of the shortest waves, at the deepest column: with
 * n = dt^2 gamma d / (rho dx^4) Eq. 16 puts 48 n on the explicit side and A_s 16 n on the implicit one, so that 32 n must be
 * less than 4 - 2 tau. */
double rill_heights_limit(const rill_wang *controls, double film, double depth, double cell_size);

/* A sub-step. */
typedef struct rill_heights_step {
    rill_wang controls;
    double film;            /* gamma / rho, m3/s2; 0: no tension */
    const float *angles[2]; /* planes of the flow: 2 sin(theta / 2), advancing and receding */
    bool has_bodies;        /* their undersides are known */
    double gravity;         /* into the bed, m/s2, not negative */
    double tangent[2];      /* along the bed, m/s2 */
    double dt;
} rill_heights_step;

/* Tells how a sub-step went. */
typedef struct rill_heights_report {
    int32_t iterations;
    bool capped;       /* the solve was stopped before it was as exact as asked for */
    bool out_of_range; /* heights were cut to the range */
    int64_t columns;   /* that are defined */
    int64_t gained;    /* quanta that columns have more than before, edges included */
} rill_heights_report;

/* Moves the liquid; what crosses edges of the domain is added to flows[4]. */
rill_heights_report rill_heights_move(rill_heights *heights, rill_flow *flow, const rill_heights_step *step,
                                      struct rill_edge_flow *flows);

#endif
