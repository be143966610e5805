/* Kernels: plain C loops over runs of nodes or edges, compiled once per instruction set like those of the sweep
 * (kernels.h). Every variant gives the same bits. Nodes and edges are explained in passages_internal.h. */
#ifndef RILL_PASSAGES_PASSAGE_KERNELS_H
#define RILL_PASSAGES_PASSAGE_KERNELS_H

#include "passages/passages.h"

/* Nodes and edges in a chunk, the widest vector. Those that follow each other mostly have neighbours that do so, too:
 * in chunks for which this is known, neighbours need not be looked up one by one. */
enum { RILL_CHUNK = 16 };

/* Nodes, as structure of arrays. */
typedef struct rill_passage_nodes {
    int32_t *place, *tile, *sheet;
    int32_t *column, *row;                /* in the sheet, counted with the ghosts */
    int32_t *port;                        /* of the column's sparse pipes; 0 without */
    int32_t *inner;                       /* 1: may be active */
    int32_t *west, *east, *south, *north; /* faces; 0 where none leads to another node */
    int32_t *pipe;                        /* half-edge of the first pipe; 0 without */
    int32_t *b, *c, *H;                   /* copies of the column's */
    double *pi;                           /* over-pressure, quanta */
    double *last;                         /* pi a sub-step ago at the same node; negative if there was none */
    double *before;                       /* pi two sub-steps ago; negative if there was none */
    int32_t *active;                      /* 1: in the active set */
    int32_t *fill;                        /* H above the highest full level; RILL_NO_ROOF where it cannot be active */
    int32_t *was_active;                  /* 1: flooded before this sub-step, so that its faces are not driven yet */
    int32_t *ever_active;                 /* 1: has been active in this sub-step, so that its faces are flooded */
    int32_t *sealed;                      /* 1: of an island that nothing leads out of */
    int32_t *searched_active;             /* 1: was active when islands were found */
    double *f, *x;                        /* the pressure problem: what is too much, and corrections of pi */
    uint8_t *contiguous; /* by chunk: its faces follow each other on all four sides, and so do the nodes beyond */
    uint8_t *in_row;     /* by chunk: its columns follow each other in a row of a sheet */
} rill_passage_nodes;

/* Faces, or sparse pipes, as structure of arrays. Half-edges 2 i and 2 i + 1 are those of edge i. */
typedef struct rill_passage_edges {
    int32_t count, capacity;
    int32_t *l, *r;         /* nodes: l is the west or south one */
    int32_t *axis;          /* 0: along x, 1: along y */
    int32_t *at;            /* plane index of the face, or number of the pipe */
    int32_t *next;          /* by half-edge: that of the next pipe of the same node; pipes only */
    float *u;               /* velocity, m/s: before the move, and after it for flooded ones */
    float *base, *gain;     /* u = base + gain (head + pi_l - pi_r) */
    int32_t *head;          /* quanta */
    int32_t *steep;         /* 1: the levels at its ends differ, so that it matters which is the donor */
    float *reach;           /* lambda times the opening: quanta per m/s */
    double *q;              /* quanta that cross, real */
    int32_t *t;             /* whole quanta that cross, over flooded edges alone */
    uint8_t *contiguous;    /* by chunk: its l follow each other, and so do its r */
    uint8_t *in_row;        /* by chunk: contiguous, and they follow each other in a row of a plane; faces only */
    int32_t *searched_open; /* 1: was open when islands were found */
} rill_passage_edges;

/* Returns how a pressure is kept in the plane from sub-step to sub-step: in quarters of a quantum, 1 for none. */
static inline int32_t rill_pressure_code(double pressure) {
    const double quarters = 4.0 * pressure + 0.5, most = 0x1.fffffep30;
    return 1 + (int32_t)(quarters < most ? quarters : most);
}

/* Returns what the plane keeps of a node: its pressure, negative if it is of a sealed island; 0 if it is not active. */
static inline int32_t rill_passages_code(const rill_passage_nodes *nodes, int32_t n) {
    const int32_t code = rill_pressure_code(nodes->pi[n]), active = nodes->active[n], sealed = nodes->sealed[n];
    return active ? (sealed ? -code : code) : 0;
}

/* Nodes of a prediction, by place in a list of them: sweeps over
 *
 *     x = push + inverse sum of w x_neighbour,     x >= least.
 *
 * Place 0 stands for all nodes beyond the list: its x is 0. */
typedef struct rill_prediction_nodes {
    int32_t *neighbour[4]; /* places of the nodes beyond the four faces; 0 beyond the list */
    float *w[4];           /* weights of the faces */
    float *inverse;        /* 1 / sum of w; 0 if the node cannot be active */
    float *push;           /* inverse f: x if all neighbours had 0 */
    float *least;          /* -pi */
    int32_t *colour;       /* 0 or 1, as on a chessboard */
    float *x;              /* correction of pi */
} rill_prediction_nodes;

/* The planes of the bed and the flow, from their first column on or from another one. */
typedef struct rill_passage_columns {
    const int32_t *b, *c;
    int32_t *H, *code;
    float *u, *v;
} rill_passage_columns;

/* A tile to be scanned, with the planes from its first column on. */
typedef struct rill_passage_scan {
    rill_passage_columns at;
    int32_t stride, rows;
    bool flooded;        /* some column of it is flooded */
    bool near_flooded;   /* some column of it or of a tile around it is flooded */
    int32_t nearly_full; /* fifteen sixteenths of the least height under a ceiling in it */
} rill_passage_scan;

/* The problem of large islands (solve/poisson.h), and the slot of each node in it. */
typedef struct rill_passage_problem {
    const int32_t *slot, *island; /* by node; -1 for none */
    float *active, *extra, *wx, *wy;
    double *f, *x;
} rill_passage_problem;

/* The fill of a column that cannot be active. */
#define RILL_NO_ROOF (INT32_MIN / 2)

/* Bits of verdicts. */
enum {
    RILL_VERDICT_OFF = 1,    /* an active node would end off full by more than the tolerance */
    RILL_VERDICT_OVER = 2,   /* a node that is not active, or not all of whose faces are flooded, would overfill */
    RILL_VERDICT_SHORT = 4,  /* a node would give more than it has */
    RILL_VERDICT_OTHERS = 8, /* other nodes are active than were */
    RILL_VERDICT_SEALED = 16 /* an active node had no way out */
};

/* A variant of the kernels. All work on nodes or edges [from, to). */
typedef struct rill_passage_kernels {
    /* Finds which rows of each column of cells have a column that is flooded, or might be within `horizon` (s/m), as
     * bits; and RILL_TILE_H bits higher those that are flooded. False if a glance shows that there are none. */
    bool (*scan)(const rill_passage_scan *tile, float horizon, int32_t rows_of[RILL_TILE_W]);
    /* Reads columns into nodes, of which those that are flooded are active. RILL_VERDICT_OTHERS, _SEALED. */
    int32_t (*read)(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_columns *planes);
    /* Reads velocities of faces. */
    void (*speeds)(int32_t from, int32_t to, const rill_passage_edges *faces, const rill_passage_columns *planes);
    /* Drives edges from u where a column at an end was flooded; elsewhere they are driven already. */
    void (*drive)(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *edges,
                  const rill_kernel_constants *constants);
    /* Opens edges by the donors that the pressures make, and finds what crosses. `paper`: the opening of the paper's
     * pipe, or 0. */
    void (*open)(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *edges,
                 float lambda, float paper);
    /* Finds what crosses with openings as they are; 1 if an edge between different levels has turned. */
    int32_t (*flow)(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *edges);
    /* Finds how much above full each node would end by what crosses faces: into f. Those that were active before stay
     * as full as they are within the band that counts as full; new ones take what they can. */
    void (*excess)(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *faces);
    /* Judges f, and clears it for nodes that neither are active nor have to be. RILL_VERDICT_OFF, _OVER. */
    int32_t (*judge)(int32_t from, int32_t to, const rill_passage_nodes *nodes, double tolerance);
    /* Writes nodes with a slot to the problem, and their faces: these join nodes of one island; others hold a node like
     * a neighbour without pressure. */
    void (*place)(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *faces,
                  const rill_passage_problem *problem);
    /* Returns 1 if other edges are open than `searched_open` says, or other nodes active than `searched_active`; these
     * then say which are. */
    int32_t (*opened)(int32_t from, int32_t to, const rill_passage_edges *edges);
    int32_t (*activated)(int32_t from, int32_t to, const rill_passage_nodes *nodes);
    /* Adds x to pi, and clears it; 1 if some pressure is now negative. */
    int32_t (*correct)(int32_t from, int32_t to, const rill_passage_nodes *nodes);
    /* Finds what crosses flooded faces into and out of each node: into f. RILL_VERDICT_SHORT, _OVER. */
    int32_t (*change)(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *faces);
    /* Rounds what crosses flooded edges to whole quanta, zero elsewhere, and finds their velocity, at most the top
     * speed. 1 if one moves, or is driven by more than `calm` quanta. */
    int32_t (*finish)(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *edges,
                      const rill_kernel_constants *constants, double calm);
    /* Returns 1 if a node would give more whole quanta over its faces than it has. */
    int32_t (*overdrawn)(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *faces);
    /* Writes to the columns of a chunk of nodes, contiguous and in a row, what faces carry into them, and their
     * pressures. False, and nothing is done, if one becomes flooded or ceases to be. `*above`: one stands above its
     * ceiling now. */
    bool (*write)(int32_t first, const rill_passage_nodes *nodes, const rill_passage_edges *faces,
                  const rill_passage_columns *planes, int32_t *above);
    /* Lets flooded faces rest while the sweep moves everything else. */
    void (*hide)(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *faces,
                 const rill_passage_columns *planes);
    /* Gives the flooded ones of a chunk of faces in a row their velocities back. False, and nothing is done, if one has
     * no active node at an end any more. */
    bool (*restore)(int32_t first, const rill_passage_nodes *nodes, const rill_passage_edges *faces,
                    const rill_passage_columns *planes);
    /* Returns the largest speed along x and along y, added up, with which liquid goes through the faces of a node. */
    float (*fastest)(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *faces);
    /* Predicts, half a sweep: the nodes of a colour go `over` times as far as would be right if no neighbour moved. */
    void (*relax)(int32_t from, int32_t to, int32_t colour, float over, const rill_prediction_nodes *nodes);
    /* Returns how far from full nodes would end after a prediction, at most, quanta; but for those that have no
     * pressure and room. */
    float (*residual)(int32_t from, int32_t to, const rill_prediction_nodes *nodes);
} rill_passage_kernels;

/* Returns the best variant for this processor, or the scalar one. */
const rill_passage_kernels *rill_passage_kernels_pick(bool scalar);
/* Lists all variants that this processor can run, for tests; returns how many they are. */
int32_t rill_passage_kernels_all(const rill_passage_kernels *out[4]);

#endif
