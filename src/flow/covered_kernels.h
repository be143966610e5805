/* Kernels of the covered stage: plain C loops over a run of nodes, compiled once per instruction set like those of the sweep
 * (kernels.h). Every variant gives the same bits.
 *
 * All planes of the stage are dense over a window and its padding, so that one call works on a whole window. Padding is wall:
 * nothing crosses its faces. Faces are those west or south of a node; "l" is the node behind the face, `step` nodes before. */
#ifndef RILL_FLOW_COVERED_KERNELS_H
#define RILL_FLOW_COVERED_KERNELS_H

#include "flow/covered.h"

/* Planes per node. */
typedef struct rill_covered_nodes {
    int32_t *b, *c, *H; /* copies of the column's */
    double *pi;         /* over-pressure, quanta */
    double *last;       /* what it was a sub-step ago in the same windows, and */
    double *before;     /* two ago; negative if there was none */
    float *active;      /* 1 for members, 0 for others */
    int32_t *fill;      /* H above the highest full level; RILL_NO_ROOF for a column that cannot be a member */
    int32_t *was;       /* flooded before this sub-step, so that its faces are not driven yet */
    int32_t *ever;      /* has been a member in this sub-step, so that its faces are covered */
    int32_t *sealed;    /* 1 + component of members that has no way out; 0 elsewhere */
} rill_covered_nodes;

/* Planes per face of one direction. */
typedef struct rill_covered_faces {
    float *u;           /* velocity, m/s: as it was; of covered faces, in the end, as it is */
    float *base, *gain; /* u = base + gain (head + pi_l - pi_r) */
    int32_t *head;
    float *reach; /* lambda times the opening: quanta per m/s */
    float *w;     /* gain reach: quanta per quantum of pressure, the weight of the pressure problem */
    double *q;    /* quanta that cross, real */
    int32_t *t;   /* whole quanta, over covered faces alone */
} rill_covered_faces;

/* The planes of the bed and the flow at a run of columns. */
typedef struct rill_covered_columns {
    const int32_t *b, *c;
    int32_t *H, *code;
    float *u, *v;
} rill_covered_columns;

/* From row to row. */
typedef struct rill_covered_strides {
    int32_t planes, nodes;
} rill_covered_strides;

/* Some rows of a window's nodes, by the first of them: n of each, a multiple of RILL_COVERED_UNIT, the widest vector. */
enum { RILL_COVERED_UNIT = 16 };
typedef struct rill_covered_area {
    int32_t n, rows, stride;
} rill_covered_area;

/* A tile, by its first column. */
typedef struct rill_covered_tile {
    rill_covered_columns at;
    int32_t stride, rows;
    bool flooded;   /* some column of it is */
    bool beside;    /* some column here or in a tile beside is */
    int32_t nearly; /* fifteen sixteenths of the least height under a ceiling in it */
} rill_covered_tile;

/* fill of a column that cannot be a member: under open sky, or at the rim of its window. */
#define RILL_NO_ROOF (INT32_MIN / 2)

/* Bits of verdicts. */
enum {
    RILL_COVERED_OFF = 1,   /* judge: a member would end off full by more than the tolerance */
    RILL_COVERED_OVER = 2,  /* judge: a column with a ceiling that is no member would overfill */
    RILL_COVERED_FRESH = 1, /* cover: faces have been covered */
    RILL_COVERED_BEYOND = 2 /* cover: a column with a ceiling that cannot be a member would overfill */
};

typedef struct rill_covered_kernels {
    const char *name;
    /* Which rows of each column of cells have a column that is flooded, or might be within `horizon` (s/m), as bits; false if
     * a glance shows that there are none. */
    bool (*look)(const rill_covered_tile *tile, float horizon, int32_t rows_of[RILL_TILE_W]);
    /* Reads columns into nodes. `ours`: those with a ceiling may be members; `again`: b and c are known already. And makes
     * nodes padding. */
    void (*read)(int32_t n, int32_t rows, const rill_covered_strides *step, const rill_covered_columns *at, bool ours,
                 bool again, const rill_covered_nodes *to, const rill_covered_faces *west,
                 const rill_covered_faces *south);
    void (*pad)(int32_t n, const rill_covered_nodes *nodes, const rill_covered_faces *west,
                const rill_covered_faces *south);
    /* Drives the faces from u where a column at an end was flooded; elsewhere they are driven already. */
    void (*drive)(rill_covered_area at, const rill_covered_nodes *nodes, int32_t step, int32_t tilt,
                  const rill_kernel_constants *k, const rill_covered_faces *faces);
    /* Openings by the donors that the pressures make, and what crosses. `paper`: the opening of the paper's pipe, or 0. */
    void (*open)(rill_covered_area at, const rill_covered_nodes *nodes, int32_t step, float lambda, float paper,
                 const rill_covered_faces *faces);
    /* What crosses, with openings as they are; 1 if a face between different levels has turned. */
    int32_t (*flow)(rill_covered_area at, const rill_covered_nodes *nodes, int32_t step,
                    const rill_covered_faces *faces);
    /* How much above full each node would end. */
    void (*excess)(rill_covered_area at, const rill_covered_nodes *nodes, const rill_covered_faces *west,
                   const rill_covered_faces *south, double *excess);
    /* 1 if some column would give more over its covered faces than it has. */
    int32_t (*drains)(rill_covered_area at, const rill_covered_nodes *nodes, const rill_covered_faces *west,
                      const rill_covered_faces *south);
    /* RILL_COVERED_OFF, _OVER. f becomes zero for all that neither are members nor have to be. */
    int32_t (*judge)(rill_covered_area at, const rill_covered_nodes *nodes, double tolerance, double *f);
    /* What the covered faces alone would change; and covers all faces of columns that such a change would overfill.
     * RILL_COVERED_FRESH, _BEYOND. */
    void (*change)(rill_covered_area at, const rill_covered_nodes *nodes, const rill_covered_faces *west,
                   const rill_covered_faces *south, double *change);
    int32_t (*cover)(rill_covered_area at, const rill_covered_nodes *nodes, const double *change);
    /* pi += x; 1 if some pressure is now negative. x is cleared. */
    int32_t (*correct)(rill_covered_area at, const rill_covered_nodes *nodes, double *x);
    /* Whole quanta over covered faces, zero elsewhere; the velocity of covered faces, at most the top speed. 1 if one moves or
     * is driven too much to rest. */
    int32_t (*finish)(rill_covered_area at, const rill_covered_nodes *nodes, int32_t step,
                      const rill_kernel_constants *k, double calm_head, const rill_covered_faces *faces);
    /* 1 if a column would give more whole quanta than it has. */
    int32_t (*overdrawn)(rill_covered_area at, const rill_covered_nodes *nodes, const rill_covered_faces *west,
                         const rill_covered_faces *south);
    /* To the columns: H += t (windows may overlap), pressures, covered faces stopped. 1 if a column stands above its ceiling
     * now. */
    int32_t (*write)(int32_t n, int32_t rows, const rill_covered_strides *step, const rill_covered_nodes *nodes,
                     const rill_covered_faces *west, const rill_covered_faces *south, const rill_covered_columns *at);
    /* Velocities of faces with a member at an end, and the fastest of them; 1 if other covered faces have to be driven. */
    int32_t (*show)(int32_t n, int32_t rows, const rill_covered_strides *step, const rill_covered_nodes *nodes,
                    int32_t back, const rill_covered_faces *faces, float *u, float *fastest);
} rill_covered_kernels;

/* The best variant for this processor, or the scalar one. */
const rill_covered_kernels *rill_covered_kernels_pick(bool scalar);

#endif
