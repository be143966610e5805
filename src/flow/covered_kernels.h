/* Row kernels of the covered stage: plain C loops over a run of nodes or faces of a window, compiled once per instruction
 * set like those of the sweep (kernels.h). Every variant gives the same bits.
 *
 * Faces are those west or south of a run of nodes; "l" is the node behind the face, "r" the node that has its index. */
#ifndef RILL_FLOW_COVERED_KERNELS_H
#define RILL_FLOW_COVERED_KERNELS_H

#include "flow/covered.h"

/* The columns at both ends of a run of faces. */
typedef struct rill_covered_run {
    int32_t n;
    const int32_t *bl, *br, *cl, *cr, *Hl, *Hr;
} rill_covered_run;

/* The faces of one direction, per node. */
typedef struct rill_covered_faces {
    float *base, *gain; /* u = base + gain (head + pi_l - pi_r) */
    int32_t *head;
    float *reach; /* lambda times the opening: quanta per m/s */
    double *q;    /* quanta that cross, real */
    int32_t *t;   /* whole quanta, over covered faces alone */
} rill_covered_faces;

/* What crosses the faces of a run of nodes; the east face is the next node's west. `ever` says which faces are covered. */
typedef struct rill_covered_sides {
    const double *q_west, *q_south, *q_north;
    const int32_t *t_west, *t_south, *t_north;
    const int32_t *ever, *ever_south, *ever_north;
} rill_covered_sides;

/* The planes at the first column of a tile. */
typedef struct rill_covered_tile {
    const int32_t *b, *c, *H, *code;
    const float *u, *v;
    int32_t stride, rows;
    bool beside; /* some column here or in a tile beside is flooded */
} rill_covered_tile;

/* The nodes of a run as they are read from the planes. */
typedef struct rill_covered_nodes {
    int32_t *fill, *was, *ever, *sealed;
    double *pi;
    float *active;
} rill_covered_nodes;

typedef struct rill_covered_kernels {
    const char *name;
    /* Marks the columns of a tile that are flooded, or might be after this sub-step. */
    void (*look)(const rill_covered_tile *tile, float lambda, int32_t any_x[RILL_TILE_W], int32_t any_y[RILL_TILE_H]);
    /* Nodes that may be members (if they have a ceiling), and nodes that may not. */
    void (*read)(int32_t n, const int32_t *b, const int32_t *c, const int32_t *H, const int32_t *code,
                 const rill_covered_nodes *nodes);
    void (*pass_over)(int32_t n, const rill_covered_nodes *nodes);
    /* Drives the faces from u where a column at an end was flooded; elsewhere they are driven already. */
    void (*drive)(const rill_covered_run *run, const float *u, const int32_t *was_l, const int32_t *was_r, int32_t tilt,
                  const rill_kernel_constants *k, const rill_covered_faces *faces);
    /* Openings by the donors that the pressures make, weights w of the pressure problem, and what crosses. `paper`: the
     * opening of the paper's pipe, or 0. */
    void (*open)(const rill_covered_run *run, const double *pi_l, const double *pi_r, float lambda, float paper,
                 const rill_covered_faces *faces, float *w);
    /* What crosses, with openings as they are. */
    void (*flow)(int32_t n, const double *pi_l, const double *pi_r, const rill_covered_faces *faces);
    /* 1 if some column would give more over its covered faces than it has. */
    int32_t (*short_of)(int32_t n, const rill_covered_sides *at, const int32_t *H);
    /* How much above full each node would end. */
    void (*excess)(int32_t n, const int32_t *fill, const float *active, const rill_covered_sides *at, double *excess);
    /* Bit 0: a member would end off full by more than the tolerance; bit 1: a column with a ceiling that is no member would
     * overfill. f becomes zero for all others that are no members. */
    int32_t (*judge)(int32_t n, const int32_t *fill, const float *active, double tolerance, double *f);
    /* What the covered faces alone would change. */
    void (*change)(int32_t n, const rill_covered_sides *at, double *change);
    /* Covers the faces of columns with a ceiling that such a change would overfill; 1 if there were any. */
    int32_t (*cover)(int32_t n, const int32_t *fill, const double *change, int32_t *ever);
    /* pi += x; 1 if some pressure is now negative. x is cleared. */
    int32_t (*correct)(int32_t n, double *x, double *pi);
    /* Whole quanta over covered faces, zero elsewhere; the velocity of covered faces into base. */
    void (*finish)(int32_t n, const int32_t *ever_l, const int32_t *ever_r, const double *pi_l, const double *pi_r,
                   float phase, const rill_covered_faces *faces);
    /* 1 if a column would give more whole quanta than it has. */
    int32_t (*overdrawn)(int32_t n, const rill_covered_sides *at, const int32_t *H);
    /* H += t. Bit 0: something changed; bit 1: a column stands above its ceiling now. */
    int32_t (*deposit)(int32_t n, const rill_covered_sides *at, const int32_t *b, const int32_t *c, int32_t *H);
    /* Pressure codes of nodes with a ceiling; 1 if some are members. */
    int32_t (*note)(int32_t n, const rill_covered_nodes *nodes, int32_t *code);
    /* Stops covered faces; 1 if some of them moves or is driven too much to rest. */
    int32_t (*hide)(int32_t n, const int32_t *ever_l, const int32_t *ever_r, const double *pi_l, const double *pi_r,
                    const rill_covered_faces *faces, float calm_speed, double calm_head, float *u);
    /* Velocities of faces with a member at an end, and the fastest of them; 1 if other covered faces have to be driven. */
    int32_t (*show)(int32_t n, const int32_t *ever_l, const int32_t *ever_r, const float *active_l,
                    const float *active_r, const float *base, float *u, float *fastest);
} rill_covered_kernels;

/* The best variant for this processor, or the scalar one. */
const rill_covered_kernels *rill_covered_kernels_pick(bool scalar);

#endif
