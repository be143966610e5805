/* A weighted Poisson problem on dense patches: what a pressure solve over columns comes down to. Knows matrices, not
 * liquids.
 *
 *     (A x)_i = extra_i x_i + sum over the pipes of i of w (x_i - x_j),    for active nodes i;    x_j = 0 elsewhere
 *
 * A *patch* is a dense rectangle of nodes joined to their west and south neighbours by wx, wy (structure of arrays;
 * the ring of padding around it has zero weights, so that stencils need no special case). A *link* joins any two
 * nodes, of one patch or of two. All weights and extras are >= 0, so A is symmetric and positive semidefinite:
 * definite where an active component has an extra or a pipe to an inactive node, singular but consistent (sum of f
 * zero) otherwise.
 *
 * Solved by conjugate gradients with a multigrid V-cycle as preconditioner: vectors in double, the preconditioner in
 * float. The result has the same bits on every instruction set: all sums run in fixed lanes. */
#ifndef RILL_SOLVE_POISSON_H
#define RILL_SOLVE_POISSON_H

#include "rill/rill.h"

typedef struct rill_patch {
    int32_t nx, ny;
    int32_t stride; /* multiple of 16 */
    int32_t first;  /* index of node (0, 0); multiple of 16. Node (x, y): first + y * stride + x */
} rill_patch;

typedef struct rill_link {
    int32_t a, b; /* nodes */
    float w;
} rill_link;

typedef struct rill_poisson_levels rill_poisson_levels; /* coarse levels and working vectors */

/* The largest problem there is room for: counted patch by patch, and at most as much in each member. */
typedef struct rill_poisson_size {
    int32_t nodes, patches, links; /* nodes with padding */
    int32_t levels;                /* until every patch is a single node */
    int32_t widest;                /* row of one colour */
    int64_t fine, all;             /* nodes of one colour: of the first level, and of as many as each patch has */
    int64_t steps;                 /* levels of all patches, added up */
} rill_poisson_size;

/* The caller fills patches by rill_poisson_add, then wx, wy, extra, active, links, f and x (the start) and solves. */
typedef struct rill_poisson {
    rill_poisson_size room;
    int32_t node_count; /* padding included */
    int32_t patch_count, link_count;
    rill_patch *patches;
    float *wx, *wy; /* weight of the pipe to the west / south neighbour */
    float *extra;   /* >= 0 */
    float *active;  /* 1 or 0 */
    rill_link *links;
    double *f, *x;
    rill_poisson_levels *levels;
} rill_poisson;

/* False without memory (nothing kept). */
bool rill_poisson_make(rill_poisson *poisson, const rill_poisson_size *room, const rill_allocator *allocator);
void rill_poisson_free(rill_poisson *poisson, const rill_allocator *allocator);
/* The nodes of a patch, padding included; and all that it takes, added to `size`. */
int32_t rill_poisson_room(int32_t nx, int32_t ny);
void rill_poisson_count(rill_poisson_size *size, int32_t nx, int32_t ny);

/* Begins a new problem without patches. */
void rill_poisson_clear(rill_poisson *poisson);
/* Adds a patch with all planes zero; the caller has made sure that there is room. */
const rill_patch *rill_poisson_add(rill_poisson *poisson, int32_t nx, int32_t ny);

/* Weights or active nodes have changed: makes the coarse levels. */
void rill_poisson_prepare(rill_poisson *poisson, bool scalar);
/* Improves x until max |f - A x| over active nodes is at most `tolerance`, in at most `max_iterations` (one, for narrow
 * or small problems); x of inactive nodes must be 0 and stays so. Gives up when no more can be had: of a sealed
 * component whose f does not sum to zero, its mean remains. Returns the iterations used; *residual gets the max
 * |f - A x| reached, which is not finite if f or x is not, and then x is left alone. */
int32_t rill_poisson_solve(rill_poisson *poisson, bool scalar, double tolerance, int32_t max_iterations,
                           double *residual);

#endif
