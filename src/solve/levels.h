/* The levels of a Poisson problem: level 0 holds the caller's nodes by colour (solve_kernels.h), each further level
 * one node for 2 x 2 of the level before. Laid out anew by every rill_poisson_prepare, in memory as rill_poisson_count
 * has counted it.
 *
 * Only runs with active nodes are ever touched. What lies between them is left over from earlier problems: finite,
 * and multiplied by weights that are zero. */
#ifndef RILL_SOLVE_LEVELS_H
#define RILL_SOLVE_LEVELS_H

#include "solve/skyline.h"
#include "solve/solve_kernels.h"

enum {
    RILL_LEVELS_MOST = 30,
    RILL_RUN_MOST = 512 /* longer ones are cut */
};

typedef struct rill_level_patch {
    int32_t nx, ny;
    int32_t first, stride; /* in a plane of one colour */
} rill_level_patch;

typedef struct rill_link_end {
    int32_t colour, node;
    int32_t coarse; /* the node of the next level that holds this one, in natural order */
} rill_link_end;

typedef struct rill_level_link {
    rill_link_end end[2];
    float w;
    float term; /* what it last brought to the ends that are being relaxed */
} rill_level_link;

typedef struct rill_level {
    int32_t size;   /* nodes of a colour's plane */
    int32_t margin; /* nodes before the first patch and behind the last; weights of the first are zero */
    int32_t run_count, link_count;
    rill_level_patch *patches;
    rill_run *runs;
    uint8_t *occupied; /* by RILL_LANES nodes of a colour's plane */
    rill_level_link *links;
    rill_colour colour[2];
    float *natural; /* residual, then correction, in natural order; node i of a colour's plane begins at 2 i */
} rill_level;

/* The coarsest level: its active nodes, and their matrix. */
typedef struct rill_bottom {
    bool fits; /* or it is too large, and relaxed instead */
    int32_t colour[RILL_SKYLINE_NODES], node[RILL_SKYLINE_NODES];
    int32_t west[RILL_SKYLINE_NODES], south[RILL_SKYLINE_NODES]; /* numbers of these neighbours; -1 for none */
    rill_skyline sky;
} rill_bottom;

/* The whole problem, if it is small: its active nodes in natural order, and their matrix. */
typedef struct rill_direct {
    bool fits;
    bool numbered;   /* and the patches have not changed since */
    bool factorised; /* and the active nodes have not changed since */
    int32_t node[RILL_SKYLINE_NODES], stride[RILL_SKYLINE_NODES];
    int32_t west[RILL_SKYLINE_NODES], south[RILL_SKYLINE_NODES];
    double diagonal[RILL_SKYLINE_NODES];
    rill_skyline sky;
} rill_direct;

struct rill_poisson_levels {
    float work[5 * 2 * RILL_RUN_MOST]; /* rows of a matrix in the making */
    double exact[2 * RILL_RUN_MOST];
    int32_t count;
    rill_level level[RILL_LEVELS_MOST];
    rill_vectors vectors[2];
    rill_bottom bottom;
    rill_direct direct;
    float *directions;
    double *kept; /* b of the ends of links, while the residual is computed */
    int32_t
        *number; /* by node: of the link that last began there; of the node in the bottom; or in the direct problem */
    /* Memory of its own; the pointers above lead into it. */
    float *floats;
    size_t cleared; /* nodes of `floats`, of all levels, that have been set to zero */
    double *doubles;
    rill_level_patch *patches;
    rill_run *runs;
    uint8_t *occupied;
    rill_level_link *links;
};

rill_poisson_levels *rill_levels_make(const rill_poisson_size *room, const rill_allocator *allocator);
void rill_levels_free(rill_poisson_levels *levels, const rill_poisson_size *room, const rill_allocator *allocator);
/* Sets the vectors to zero but leaves the matrices, after numbers have run out of range. */
void rill_levels_wipe(const rill_poisson_levels *levels);

/* Do the work of rill_poisson_prepare and rill_poisson_solve with given kernels. */
void rill_levels_build(rill_poisson *poisson, const rill_solve_kernels *kernels);
int32_t rill_poisson_solve_by_cg(rill_poisson *poisson, const rill_solve_kernels *kernels, double tolerance,
                                 int32_t max_iterations, double *residual);

/* Links of level 0 from the caller's, and of every further level from the one before; both add to what relaxation
 * divides by. */
void rill_links_place(const rill_poisson *poisson);
void rill_links_coarsen(const rill_poisson *poisson, int32_t k);

/* Factorises the whole problem; false if it is too large. */
bool rill_direct_make(rill_poisson *poisson);
/* As rill_poisson_solve. */
int32_t rill_direct_solve(const rill_poisson *poisson, double tolerance, int32_t max_iterations, double *residual);

/* Factorises level k; false if it is too large. */
bool rill_bottom_make(rill_poisson_levels *levels, int32_t k, int32_t patches);
/* x = A^-1 f on the coarsest level. */
void rill_bottom_solve(const rill_poisson_levels *levels);
/* Takes the mean of f off the sealed components of the finest level, where the coarsest is another. */
void rill_bottom_balance(const rill_poisson_levels *levels, int32_t patches);
/* x of level 0 = an approximation of A^-1 f, symmetric and positive definite in f. */
void rill_multigrid_cycle(rill_poisson_levels *levels, const rill_solve_kernels *kernels);

#endif
