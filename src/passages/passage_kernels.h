/* Kernels of the covered stage: plain C loops over runs of nodes or edges, compiled once per instruction set like those of the sweep
 * (kernels.h). Every variant gives the same bits. What nodes and edges are, passages_internal.h says. */
#ifndef RILL_PASSAGES_PASSAGE_KERNELS_H
#define RILL_PASSAGES_PASSAGE_KERNELS_H

#include "passages/passages.h"

/* Nodes and edges that follow each other mostly have neighbours that do so, too: then these need not be looked up one by
 * one. This is known for chunks of so many, the widest vector. */
enum { RILL_CHUNK = 16 };

/* By node. */
typedef struct rill_passage_nodes {
    int32_t *place, *tile, *sheet;
    int32_t *column, *row;                /* in its sheet, counted with the ghosts */
    int32_t *port;                        /* of the column's sparse pipes; 0 without */
    int32_t *inner;                       /* 1: it may be a member */
    int32_t *west, *east, *south, *north; /* faces; 0 where none leads to another node */
    int32_t *pipe;                        /* half-edge of the first pipe; 0 without */
    int32_t *b, *c, *H;                   /* copies of the column's */
    double *pi;                           /* over-pressure, quanta */
    double *last;                         /* what it was a sub-step ago at the same node, and */
    double *before;                       /* two ago; negative if there was none */
    int32_t *active;                      /* 1 for members */
    int32_t *fill;                        /* H above the highest full level; RILL_NO_ROOF where it cannot be a member */
    int32_t *was_active;                         /* 1: flooded before this sub-step, so that its faces are not driven yet */
    int32_t *ever_active;                        /* 1: has been a member in this sub-step, so that its faces are covered */
    int32_t *sealed;                      /* 1: of an island that nothing leads out of */
    double *f, *x;                        /* the pressure problem: what is too much, and corrections of pi */
    uint8_t *contiguous;   /* by chunk: its faces follow each other on all four sides, and so do the nodes beyond */
    uint8_t *in_row; /* by chunk: its columns follow each other in a row of a sheet */
} rill_passage_nodes;

/* By face, or by sparse pipe. Half-edges 2 i and 2 i + 1 are those of edge i. */
typedef struct rill_passage_edges {
    int32_t count, capacity;
    int32_t *l, *r;     /* nodes: l is the west or south one */
    int32_t *axis;      /* 0: along x, 1: along y */
    int32_t *at;        /* plane index of the face, or number of the pipe */
    int32_t *next;      /* by half-edge: that of the next pipe of the same node; pipes only */
    float *u;           /* velocity, m/s: as it was; of covered ones, in the end, as it is */
    float *base, *gain; /* u = base + gain (head + pi_l - pi_r) */
    int32_t *head;
    int32_t *steep;  /* 1: the levels at its ends differ, so that it matters which is the donor */
    float *reach;    /* lambda times the opening: quanta per m/s */
    double *q;       /* quanta that cross, real */
    int32_t *t;      /* whole quanta, over covered edges alone */
    uint8_t *contiguous;   /* by chunk: its l follow each other, and so do its r */
    uint8_t *in_row; /* by chunk: even, and they follow each other in a row of a plane; faces only */
    uint8_t *searched_open; /* 1: it was open when islands were found */
} rill_passage_edges;

/* How a pressure is kept from sub-step to sub-step. */
static inline int32_t rill_pressure_code(double pressure) {
    const double quarters = 4.0 * pressure + 0.5, most = 0x1.fffffep30;
    return 1 + (int32_t)(quarters < most ? quarters : most);
}

/* That of a node; 0: none. */
static inline int32_t rill_passages_code(const rill_passage_nodes *nodes, int32_t n) {
    const int32_t code = rill_pressure_code(nodes->pi[n]), active = nodes->active[n], sealed = nodes->sealed[n];
    return active ? (sealed ? -code : code) : 0;
}

/* Nodes in the guess, by place in a list of them; 0 is nobody, whose x is 0. */
typedef struct rill_prediction_nodes {
    int32_t *neighbour[4]; /* the nodes beyond the four faces; 0 if not of the list */
    float *w[4];      /* weights of the faces */
    float *inverse;   /* of their sum; 0 if it cannot be a member */
    float *push;      /* what x would be if no neighbour's were more than 0 */
    float *least;     /* -pi */
    int32_t *colour;  /* as on a chessboard */
    float *x;         /* what is added to pi, at least -pi */
} rill_prediction_nodes;

/* The planes of the bed and the flow, or at a run of columns. */
typedef struct rill_passage_columns {
    const int32_t *b, *c;
    int32_t *H, *code;
    float *u, *v;
} rill_passage_columns;

/* What looking at a tile takes, by its first column. */
typedef struct rill_passage_scan {
    rill_passage_columns at;
    int32_t stride, rows;
    bool flooded;   /* some column of it is */
    bool near_flooded;    /* some column here or in a tile beside is */
    int32_t nearly_full; /* fifteen sixteenths of the least height under a ceiling in it */
} rill_passage_scan;

/* The problem of large islands (solve/poisson.h), and which slot of it a node has. */
typedef struct rill_passage_problem {
    const int32_t *slot, *island; /* by node; -1 for none */
    float *active, *extra, *wx, *wy;
    double *f, *x;
} rill_passage_problem;

/* fill of a column that cannot be a member. */
#define RILL_NO_ROOF (INT32_MIN / 2)

/* Bits of verdicts. */
enum {
    RILL_VERDICT_OFF = 1, /* a member would end off full by more than the tolerance */
    RILL_VERDICT_OVER =
        2, /* a column with a ceiling that is no member, or has faces that are not covered, would overfill */
    RILL_VERDICT_SHORT = 4,  /* a column would give more than it has */
    RILL_VERDICT_OTHERS = 8, /* members are others than they were */
    RILL_VERDICT_SEALED = 16 /* some had no way out */
};

/* All work on what is numbered [from, to). */
typedef struct rill_passage_kernels {
    /* Which rows of each column of cells have a column that is flooded, or might be within `horizon` (s/m), as bits; and
     * RILL_TILE_H bits higher those that are. False if a glance shows that there are none. */
    bool (*scan)(const rill_passage_scan *tile, float horizon, int32_t rows_of[RILL_TILE_W]);
    /* Columns into nodes: who was flooded is a member. RILL_VERDICT_OTHERS, _SEALED. */
    int32_t (*read)(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_columns *planes);
    /* Velocities of faces. */
    void (*speeds)(int32_t from, int32_t to, const rill_passage_edges *faces, const rill_passage_columns *planes);
    /* Drives edges from u where a column at an end was flooded; elsewhere they are driven already. */
    void (*drive)(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *edges,
                  const rill_kernel_constants *k);
    /* Openings by the donors that the pressures make, and what crosses. `paper`: the opening of the paper's pipe, or 0. */
    void (*open)(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *edges,
                 float lambda, float paper);
    /* What crosses, with openings as they are; 1 if an edge between different levels has turned. */
    int32_t (*flow)(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *edges);
    /* How much above full each node would end by what crosses faces, into f. */
    void (*excess)(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *faces);
    /* RILL_VERDICT_OFF, _OVER. f becomes zero for all that neither are members nor have to be. */
    int32_t (*judge)(int32_t from, int32_t to, const rill_passage_nodes *nodes, double tolerance);
    /* What nodes with a slot are in the problem, and their faces: these join nodes of one island; others hold a node like a neighbour
     * without pressure. */
    void (*place)(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *faces,
                  const rill_passage_problem *problem);
    /* pi += x; 1 if some pressure is now negative. x is cleared. */
    int32_t (*correct)(int32_t from, int32_t to, const rill_passage_nodes *nodes);
    /* What crosses covered faces into and out of each node, into f. RILL_VERDICT_SHORT, _OVER. */
    int32_t (*change)(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *faces);
    /* Whole quanta over covered edges, zero elsewhere; the velocity of covered edges, at most the top speed. 1 if one
     * moves, or is driven by more than `calm` quanta. */
    int32_t (*finish)(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *edges,
                      const rill_kernel_constants *constants, double calm);
    /* 1 if a column would give more whole quanta over its faces than it has. */
    int32_t (*overdrawn)(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *faces);
    /* What faces carry into the columns of a chunk of nodes that is even and in a row, and their pressures. False, and nothing is
     * done, if one becomes flooded or ceases to be. `*above`: one stands above its ceiling now. */
    bool (*write)(int32_t first, const rill_passage_nodes *nodes, const rill_passage_edges *faces,
                  const rill_passage_columns *planes, int32_t *above);
    /* The sweep has nothing to do with covered faces: they rest meanwhile. */
    void (*hide)(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *faces,
                 const rill_passage_columns *planes);
    /* Gives the covered ones of a chunk of faces in a row their velocities back. False, and nothing is done, if one has no
     * member at an end any more. */
    bool (*restore)(int32_t first, const rill_passage_nodes *nodes, const rill_passage_edges *faces,
                 const rill_passage_columns *planes);
    /* The largest speed along x and along y, added up, with which liquid goes through a node's faces. */
    float (*fastest)(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *faces);
    /* Guess: half a sweep, in which the nodes of a colour go `over` times as far as would be right if no neighbour moved. */
    void (*relax)(int32_t from, int32_t to, int32_t colour, float over, const rill_prediction_nodes *nodes);
    /* How far from full nodes would end, at most, quanta; not those that have no pressure and room. */
    float (*residual)(int32_t from, int32_t to, const rill_prediction_nodes *nodes);
} rill_passage_kernels;

/* The best variant for this processor, or the scalar one; and all that it can run, whose count is returned, for tests. */
const rill_passage_kernels *rill_passage_kernels_pick(bool scalar);
int32_t rill_passage_kernels_all(const rill_passage_kernels *out[4]);

#endif
