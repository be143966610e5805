/* BODIES: rigid things in the liquid, coupled with it both ways in one implicit solve.
 *
 * Based on: Wang, Miller & Turk 2007 section 6 and O'Brien & Hodgins 1995 (bodies over columns), as one statement:
 *
 *   A column under a body holds H of liquid and has a head e: the level at which liquid would stand in a tube. With
 *   D(e) what bodies displace in it below e,
 *
 *        b + H + D(e) = e.                          (a body lifts the liquid by what it displaces)
 *
 *          e  ~~~~~~~~+--------+~~~~~~~~        Under the middle of a body dD/de = 1: H does not depend on e, the
 *                     |  body  |                column is full to the underside and e is its pressure. Beside it D = 0
 *          under      +--------+                and e is the level. At the rim, where part of a cell is covered,
 *                     ::::H:::::                something between. One equation holds for all of them; D is summed
 *          b  ################################  over quarters of cells, so that steep sides are met bit by bit.
 *
 * The body moves with velocity v (6 components). In column i its motion opens B_i.v of room per second, and by the same
 * B the heads push it (virtual work): F = rho g sum B_i e_i. Unknown are the changes of head pi in a sub-step. With u
 * the velocities of faces, w their conductance,
 *
 *        (1 - dD/de) pi_i + sum_j w_ij (pi_i - pi_j) + dt B_i.v = H_i - sum of outflow(u) - (e_i - b - D(e_i)),
 *        v = v* + dt M^-1 (F(e) + rho g sum B_i pi_i),
 *
 * which is symmetric and positive definite once v is put in: a low-rank term dt^2 rho g B M^-1 B^T. It does not care
 * how light a body is. A body of infinite mass is the same with M^-1 = 0.
 *
 * What a body displaces at the end of a sub-step is taken from where it will be if it goes on as it does; B stands only
 * for the difference. So next to nothing has to be made good later, which would be felt as knocks.
 *
 * A column that has a ceiling is full at some level, its roof, and room does not grow with its head beyond that: in the
 * statement e becomes min(e, roof) where it stands for a level, and stays e where it stands for pressure. That is the
 * complementarity of passages/passages.h, and Newton's steps decide which columns are under pressure. So a flooded
 * passage that a body has to do with is part of its solve, all of it (passage_nodes.c, passage_faces.c), and the
 * passages' own leaves it alone.
 *
 * Where a body covers all of a cell, liquid may also lie on it: a volume U of the column apart from H, which flows over
 * what the body has there for a bed, and weighs on it (deck_flow.c, deck_flooding.c).
 *
 * Liquid is never changed by geometry: H moves over faces in whole quanta, and where a column then holds more or less
 * than fits under the body where it is now, that is the right hand side of the next sub-step.
 *
 * The flow knows nothing of bodies but that columns under them stand on lifted bases, e - H: the level it sees is the
 * head, or near what is around it where a body strikes the liquid (lifted_bases.c). Before it moves liquid, this stage
 * adds what the changes of head do to the velocities of faces; after it, what they do to the drive, and lifts the bases
 * anew. */
#ifndef RILL_BODIES_BODIES_H
#define RILL_BODIES_BODIES_H

#include "flow/flow.h"
#include "flow/kernels.h"
#include "flow/landing.h"
#include "shape/body_form.h"
#include "tasks/tasks.h"

/* Heads are pressure, which a blow raises far above any level there can be: the most that is kept, quanta. */
#define RILL_HEAD_MOST (2.0 * (double)RILL_TOP)

/* The liquid that lies on a body. */
typedef struct rill_deck_load {
    double mass;       /* kg */
    double moment[2];  /* mass times arm along the bed, kg m */
    double inertia[9]; /* kg m2, about the centre of mass, row by row */
} rill_deck_load;

/* A *twist* is six components of motion, velocity (m/s) and angular velocity (1/s); a *wrench* six of force (N) and
 * torque (N m) about the centre of mass. */
typedef struct rill_body {
    char *name; /* owned */
    uint16_t generation;
    bool alive;
    bool wet;   /* it was in the liquid when the last step ended: world/step_events.c */
    void *user; /* what the program keeps beside it */
    rill_body_form form;
    double mass;       /* kg; infinity: its motion is prescribed */
    double inertia[6]; /* kg m2, in its own frame: xx, yy, zz, xy, xz, yz */
    double drag;       /* form drag coefficient, C_d */
    rill_body_state state;
    rill_body_forces forces;
    rill_array shades;     /* rill_shade: of the pose in which they were last found */
    rill_pose shades_pose; /* that pose */
    bool shades_known;     /* the shades are those of that pose whatever the level of the liquid */
    rill_area area;        /* the cells that the shades are in */
    rill_array levels;     /* float: levels of the liquid in these cells, m */
    int32_t first_touch, end_touch;
    double last_twist[6]; /* of the sub-step before the last */
    double last_dt;       /* how long the last sub-step was, s; 0: there was none */
    double added_mass;    /* mass of the liquid that it carries along, kg */
    double deck_mass;     /* mass of the liquid that lies on it, kg */
    double lag[6];        /* where the liquid still sees it, from where it is: see body_jumps.c */
    bool fresh;           /* it was put where it is before this sub-step */

    /* Of the sub-step: */
    double expected_twist[6];    /* columns are covered as if it moved with this */
    double expected_position[3]; /* of its centre of mass at the end of the sub-step, with that twist */
    double new_twist[6];         /* the twist it does move with */
    double predicted_twist[6];   /* the new twist without what the changes of head do to it: v* */
    double world_inertia[9];     /* kg m2, in the world's frame, row by row; 0 for infinite mass */
    double effective_inertia[9]; /* with that of the added mass and of what lies on it */
    double inverse_inertia[9];   /* the inverse of the effective inertia */
    rill_deck_load deck_load;    /* what lies on it */
    double mass_along;           /* mass that moves along the bed, kg: its own, some added mass, what lies on it */
    double mass_upright;         /* mass that comes up and down, kg: its own, the added mass, what lies on it */
    double mass_stiff;           /* kg: with what the liquid below a `small` body resists within a sub-step */
    bool small;                  /* it is over few cells, whose heads do not follow it, or next to weightless */
    uint8_t wedged;              /* bit per axis along the bed: it fits between two walls of a flooded passage */
    double sideways_wrench[6];   /* of the heads there are, along the bed */
    double wrench[6];            /* of the heads there will be */
    double drag_matrix[36];      /* working memory of drag.c, row by row */
    double drag_momentum[6];     /* working memory of drag.c */
    double submergence;          /* working memory of deck_flooding.c */
    bool steep;                  /* working memory of lifted_bases.c */
    double wet_area;             /* working memory of body_report.c, m2 */
    double passing_depth[2];     /* working memory of body_report.c: openings of the faces at it, by axis, quanta */
} rill_body;

/* Part of a body over a column: of a quarter of the cell, and of that the part that the level passes through, or that
 * is below or above it. Heights are quanta above the column's base, cut to its void. */
typedef struct rill_body_piece {
    float part;      /* of the cell: at most 1/4 */
    float low, high; /* underside and topside */
    float arm[2];    /* from where the centre of mass is expected, m */
    int32_t quarter; /* 0 to 3 */
} rill_body_piece;

/* A body over a column, or beside one that it is over. */
typedef struct rill_body_touch {
    int32_t node, body;
    int32_t next; /* the next touch of the node; -1: the last */
    int32_t first_piece, end_piece;
    float arm[2];        /* from where the centre of mass is expected to the middle of what is in the liquid, m */
    float displaced;     /* by the body in this column below the level that is shown at first, quanta */
    float underside;     /* its mean where it is in the liquid, quanta above the base */
    float share;         /* the part of the cell in which it is in the liquid */
    float b_sideways[6]; /* the part of B that motion along the bed has */
    float b[6];          /* B: room that opens per unit of velocity (1) and angular velocity (m) */
    int32_t acts_on;     /* the node that B belongs to: this one, or its proxy */
} rill_body_touch;

/* A column under a body, or of a flooded passage that one has to do with. Sub-steps hand on base, over, apart, deck,
 * slip, drawn, e, displaced_before and pi, which is what snapshots have of it. */
typedef struct rill_body_node {
    int32_t place, stride;
    int32_t base;        /* b */
    int32_t first_touch; /* -1: no body has to do with it itself */
    int32_t proxy;       /* where a body fills a flooded passage: the node beside it whose head it has; else -1 */
    int16_t cell[2];
    int32_t deck;  /* what lies on a body that covers all of it, quanta: U */
    int32_t drawn; /* the level drawn, that of U if there is some, absolute, quanta; negative: its head */
    float slip[2]; /* how fast U goes over the west and south faces, relative to the body, m/s */
    float lid[4];  /* the lowest topside in each quarter above the base, quanta */
    uint8_t shut;  /* bit per quarter: it is wholly covered */
    uint8_t over;  /* bit per quarter: liquid stands on what covers it; it came from beside it, not through it */
    bool apart;    /* one body covers all of it, and what lies on that is not joined with what is around it */
    bool flooded;  /* full to its ceiling */
    bool grounded; /* nothing but a film is left between a body and the bed: it has the head of what is around it */
    bool yields;   /* what is over it moves when it is pushed */
    double struck, blow[3];  /* quanta that have come down on it in this sub-step, and their momentum, quanta m/s */
    uint16_t proxy_round;    /* working memory of passage_nodes.c */
    double roof;             /* where it is full to its ceiling, above the base, quanta; infinity: it cannot be */
    double e;                /* head above the base, quanta */
    double head_around;      /* the head of what is around it, if it is grounded, above the base, quanta */
    double displaced;        /* by bodies below its head, quanta: D, as it is when the sub-step begins */
    double displaced_before; /* what was displaced at the end of the last sub-step, quanta */
    double pi;               /* how its head changed in the last sub-step, quanta */
} rill_body_node;

/* Planes for a bed with other places, while it is not yet the world's: as those of rill_bodies. */
typedef struct rill_body_planes {
    int32_t *node_of, *stamp, *lifted;
    size_t size;
} rill_body_planes;

typedef struct rill_bodies {
    rill_array list; /* rill_body; ids are slots as those of solids */
    int32_t alive;
    size_t free_slots;
    rill_array pieces;       /* rill_body_piece */
    rill_array touches;      /* rill_body_touch */
    rill_array nodes;        /* rill_body_node */
    rill_array nodes_before; /* rill_body_node: those of the sub-step before */
    rill_array faces;        /* rill_body_face */
    rill_array far_faces;    /* int32_t: faces without a place in `neighbours`, of each island from its first face on */
    rill_array ring_faces;   /* int32_t: faces between rings of nodes, and as many of working memory */
    rill_array neighbours;   /* rill_body_neighbours: by node */
    rill_array overlaps;     /* rill_body_overlap */
    rill_array islands;      /* rill_body_island */
    rill_array order;        /* int32_t: bodies that are alive, island by island; and twice as many of working memory */
    rill_array claimed;      /* int32_t: places of nodes with a ceiling, which the passages leave alone */
    rill_array vectors;      /* double: working memory of the solve */
    int32_t *node_of;        /* plane: 1 + index into nodes; 0: none */
    int32_t *stamp;          /* plane: 1 + the shade over a column, while a body's are looked at; else 0 */
    int32_t *lifted;         /* plane: the bases, lifted: flow->lifted */
    size_t plane_size;
    float last_dt_ratio;    /* how long the last sub-step was, as parts of this one; 1 if there was none */
    bool roofed;            /* some nodes have a ceiling: they may be flooded */
    size_t most_joined;     /* columns of passages that may have to be solved for as well, at most */
    bool most_joined_known; /* it is that of the bed as it is */
    int64_t lost;           /* quanta that lay on bodies and for which no column had room: to be booked */
    rill_body_planes next_planes;
} rill_bodies;

typedef struct rill_body_island rill_body_island;

/* A sub-step as bodies see it. */
typedef struct rill_body_stage {
    rill_bodies *bodies;
    rill_flow *flow;
    const rill_flow_settings *settings;
    const rill_kernel_constants *constants;
    const int32_t *pipes_by_r; /* the bed's pipes ordered by pipe_r */
    double dt;                 /* s */
    double lag_left;           /* the part of their lags that bodies have at its end */
    double density;            /* kg/m3 */
    double gravity;            /* into the bed, m/s2 */
    bool has_sources;          /* liquid may fall on bodies, wherever they are */
    bool at_once;              /* a fill: holds are as full as what is around them without taking time for it */
    const rill_runtime *runtime;
    rill_pool *pool;
    rill_body_island *island; /* what is worked at; NULL: all of them */
} rill_body_stage;

static inline rill_body *rill_body_at(const rill_bodies *bodies, int32_t index) {
    return (rill_body *)bodies->list.data + index;
}

/* Returns the node of a column, or NULL. */
static inline rill_body_node *rill_bodies_node(const rill_bodies *bodies, int32_t place) {
    if (bodies->alive == 0 || !bodies->node_of) return NULL; /* planes may be those of another bed */
    const int32_t known = bodies->node_of[place];
    return known > 0 ? (rill_body_node *)bodies->nodes.data + (known - 1) : NULL;
}

/* Returns the level in a column with a head, both above its base. */
static inline double rill_body_node_level(const rill_body_node *node, double e) {
    return e < node->roof ? e : node->roof;
}

/* Returns how deep what lies on a body is at most in a column, quanta; 0 if that is not what is drawn there. */
static inline int32_t rill_body_node_deck_depth(const rill_body_node *node) {
    float low = node->lid[0];
    for (int i = 1; i < 4; ++i) low = node->lid[i] < low ? node->lid[i] : low;
    const double depth = (double)(node->drawn - node->base) - (double)low;
    const double most = 4.0 * (double)node->deck; /* if it lies in one quarter */
    return depth > 0.0 ? (int32_t)(depth < most ? depth : most) : 0;
}

/* Returns what bodies displace in a column below a head, quanta over its whole area: D. */
double rill_body_node_displaced(const rill_bodies *bodies, const rill_body_node *node, double e);

/* --------------------------------------------------------------------------------------------
 * memory (body_memory.c) */

rill_bodies rill_bodies_make(void);
/* Frees the working memory; bodies are the world's. */
void rill_bodies_free(rill_bodies *bodies, const rill_allocator *allocator);
/* Takes memory for steps with these bodies over the bed of a flow; to be called when either has changed. False without
 * memory. */
bool rill_bodies_reserve(rill_bodies *bodies, rill_flow *flow, const rill_allocator *allocator);
/* Does what of rill_bodies_reserve can fail, and changes nothing else, for a bed that is not yet the world's. */
bool rill_bodies_prepare(rill_bodies *bodies, const rill_bed *bed, const rill_allocator *allocator);
/* Goes on to the bed that was prepared for, without fail. */
void rill_bodies_commit(rill_bodies *bodies, rill_flow *flow, const rill_allocator *allocator);
/* Follows columns or bases of the bed that have changed, while the number of places has not. */
void rill_bodies_refit(rill_bodies *bodies, rill_flow *flow);
/* Lets bodies displace nothing any more: there are none, or the method is another. */
void rill_bodies_uncover(rill_bodies *bodies, rill_flow *flow);

/* ------------------------------------------------------------------------------------------------------------
 * a step */

/* Returns the longest sub-step in which no body moves farther than half a cell in the liquid, if there is `left` of the
 * step, s. */
double rill_bodies_limit(const rill_bodies *bodies, const rill_flow *flow, double left);
/* Returns who says where liquid that comes down lands: on bodies, if their columns are apart from what is on them. */
rill_landing rill_bodies_landing(rill_bodies *bodies);
/* Finds nodes and faces for where bodies are now. Heads of columns that were not covered before are their levels, or
 * their pressure where they are flooded. */
void rill_bodies_cover(const rill_body_stage *stage);
/* Solves for bodies and heads, and moves bodies; before everything else that moves. Returns false if it stopped before
 * it had converged. `*refused` gets what sources had put into flooded columns and must have back, quanta. */
bool rill_bodies_move(const rill_body_stage *stage, int64_t *refused);
/* Drives the faces by the heads there are, and lifts the bases; after the sweep. */
void rill_bodies_drive(const rill_body_stage *stage);
/* Sums up how bodies lie in the liquid, at the end of a step. */
void rill_bodies_report(const rill_body_stage *stage);
/* Finds how high the surface is drawn at bodies, at the end of a step. */
void rill_bodies_find_draw_levels(const rill_body_stage *stage);

/* Puts a body elsewhere, behind which it lags in the liquid. */
void rill_body_jump(rill_body *body, const rill_body_state *to, const rill_flow *flow);
/* Gives a sparse pipe, which keeps the bases of its ends, these as they are now. */
void rill_bodies_lift_pipe(rill_flow *flow, int32_t pipe);

#endif
