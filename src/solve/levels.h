/* The levels of a Poisson problem: level 0 holds the caller's nodes by colour (solve_kernels.h), each further level one node
 * for 2 x 2 of the level before. Laid out anew by every rill_poisson_prepare, in memory taken once.
 *
 * Only runs with active nodes are ever touched. What lies between them is left over from earlier problems: finite, and
 * multiplied by weights that are zero. */
#ifndef RILL_SOLVE_LEVELS_H
#define RILL_SOLVE_LEVELS_H

#include "solve/solve_kernels.h"

enum {
    RILL_LEVELS_MOST = 30,
    RILL_BOTTOM_NODES = 1024,
    RILL_BOTTOM_ENTRIES = 1 << 15
};

typedef struct rill_level_patch {
    int32_t nx, ny;
    int32_t first, stride; /* in a plane of one colour */
} rill_level_patch;

typedef struct rill_link_end {
    int32_t patch, x, y;
    int32_t node;   /* within its colour's plane */
    int32_t colour;
    int32_t coarse; /* the node of the next level that holds this one, in natural order */
} rill_link_end;

typedef struct rill_level_link {
    rill_link_end end[2];
    float w;
    float term;     /* what it last brought to the ends that are being relaxed */
    double kept[2]; /* b of the ends, while the residual is computed */
} rill_level_link;

typedef struct rill_level {
    int32_t size;     /* nodes of a colour's plane */
    int32_t margin;   /* nodes before the first patch and behind the last; weights of the first are zero */
    int32_t node_sum; /* nodes of one colour in runs */
    int32_t run_count, link_count;
    rill_level_patch *patches;
    rill_run *runs;
    uint8_t *occupied; /* by RILL_LANES nodes of a colour's plane */
    rill_level_link *links;
    rill_colour colour[2];
    float *natural; /* residual, then correction, in natural order; node i of a colour's plane begins at 2 i */
} rill_level;

/* The coarsest level: A = L D L^T of its active nodes, in the "skyline" form of A. Jennings, "A compact storage scheme for the
 * solution of symmetric linear simultaneous equations", Comput. J. 9, 1966: of row i, the entries from column first[i] on. */
typedef struct rill_bottom {
    int32_t count; /* -1: too large, relaxed instead */
    int32_t colour[RILL_BOTTOM_NODES], node[RILL_BOTTOM_NODES];
    int32_t west[RILL_BOTTOM_NODES], south[RILL_BOTTOM_NODES]; /* numbers of these neighbours; -1 for none */
    int32_t first[RILL_BOTTOM_NODES];
    int32_t row[RILL_BOTTOM_NODES];    /* where column 0 of the row would be among the entries */
    double inverse[RILL_BOTTOM_NODES]; /* of D; 0 for the last node of a sealed component */
    double entry[RILL_BOTTOM_ENTRIES];
} rill_bottom;

struct rill_poisson_levels {
    int32_t count;
    rill_level level[RILL_LEVELS_MOST];
    rill_vectors vectors[2];
    rill_bottom bottom;
    float *directions;
    float *work;   /* rows that are being coarsened */
    int32_t *number; /* by node: of the link that last began there; of the node in the bottom */
    /* What was taken; the rest points into it. */
    float *floats;
    double *doubles;
    rill_level_patch *patches;
    rill_run *runs;
    uint8_t *occupied;
    rill_level_link *links;
};

rill_poisson_levels *rill_levels_make(int32_t nodes, int32_t patches, int32_t links, const rill_allocator *allocator);
void rill_levels_free(rill_poisson_levels *levels, int32_t nodes, int32_t patches, int32_t links,
                      const rill_allocator *allocator);
/* Sets all vectors to zero, after numbers have run out of range. */
void rill_levels_wipe(rill_poisson_levels *levels, int32_t nodes, int32_t patches);

/* Links of level 0 from the caller's, and of every further level from the one before; both add to the diagonals. */
void rill_links_place(const rill_poisson *poisson);
void rill_links_coarsen(rill_poisson_levels *levels, int32_t k);

/* Factorises level k if that costs no more than `work` multiplications or so; false if it is too large. */
bool rill_bottom_make(rill_poisson_levels *levels, int32_t k, int32_t patches, int32_t work);
/* x = A^-1 f on the coarsest level. */
void rill_bottom_solve(const rill_poisson_levels *levels);
/* x += A^-1 f of the vectors, where the finest level is the coarsest. */
void rill_bottom_correct(const rill_poisson_levels *levels);
/* x of level 0 = an approximation of A^-1 f, symmetric and positive definite in f. */
void rill_multigrid_cycle(rill_poisson_levels *levels, const rill_solve_kernels *kernels);

#endif
