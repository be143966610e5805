/* BODIES: rigid things in the liquid, coupled with it both ways in one implicit solve.
 *
 * Based on: Wang, Miller & Turk 2007 section 6 and O'Brien & Hodgins 1995 (bodies over columns), as one statement:
 *
 *   A column under a body holds H of liquid and has a head e: the level at which liquid would stand in a tube. With D(e)
 *   what bodies displace in it below e,
 *
 *        b + H + D(e) = e.                          (a body lifts the liquid by what it displaces)
 *
 *          e  ~~~~~~~~+--------+~~~~~~~~        Under the middle of a body dD/de = 1: H does not depend on e, the
 *                     |  body  |                column is full to the underside and e is its pressure. Beside it D = 0
 *          under      +--------+                and e is the level. At the rim, where part of a cell is covered,
 *                     ::::H:::::                something between. One equation holds for all of them; D is summed
 *          b  ################################  over quarters of cells, so that steep sides are met bit by bit.
 *
 * The body moves with velocity v (6 components). In column i its motion opens B_i.v of room per second, and by the same B
 * the heads push it (virtual work): F = rho g sum B_i e_i. Unknown are the changes of head pi in a sub-step. With u the
 * velocities of faces, w their conductance,
 *
 *        (1 - dD/de) pi_i + sum_j w_ij (pi_i - pi_j) + dt B_i.v = H_i - sum of outflow(u) - (e_i - b - D(e_i)),
 *        v = v* + dt M^-1 (F(e) + rho g sum B_i pi_i),
 *
 * which is symmetric and positive definite once v is put in: a low-rank term dt^2 rho g B M^-1 B^T. It does not care how
 * light a body is. A body of infinite mass is the same with M^-1 = 0.
 *
 * What a body displaces at the end of a sub-step is taken from where it will be if it goes on as it does; B stands only for
 * the difference. So next to nothing has to be made good later, which would be felt as knocks.
 *
 * A column that has a ceiling is full at some level, its roof, and room does not grow with its head beyond that: in the
 * statement e becomes min(e, roof) where it stands for a level, and stays e where it stands for pressure. That is the
 * complementarity of passages/passages.h, and Newton's steps decide which columns are under pressure. So a flooded passage that
 * a body has to do with is part of its solve, all of it (passage_nodes.c, passage_faces.c), and the passages' own leaves it alone.
 *
 * Where a body covers all of a cell, liquid may also lie on it: a volume U of the column apart from H, which flows over what
 * the body has there for a bed, and weighs on it (deck_flow.c, deck_flooding.c).
 *
 * Liquid is never changed by geometry: H moves over faces in whole quanta, and where a column then holds more or less than
 * fits under the body where it is now, that is the right hand side of the next sub-step.
 *
 * The flow knows nothing of bodies but that columns under them stand on lifted bases, e - H: the level it sees is the head,
 * or near what is around it where a body strikes the liquid (lifted_bases.c). Before it moves liquid, this stage adds what the changes
 * of head do to the velocities of faces; after it, what they do to the drive, and lifts the bases anew. */
#ifndef RILL_BODIES_BODIES_H
#define RILL_BODIES_BODIES_H

#include "bed/sheets.h"
#include "flow/flow.h"
#include "flow/kernels.h"
#include "shape/body_form.h"
#include "tasks/tasks.h"

/* The liquid that lies on a body. */
typedef struct rill_deck_load {
    double mass;       /* kg */
    double moment[2];  /* mass times arm along the bed, kg m */
    double inertia[9]; /* kg m2, about the centre of mass, row by row */
} rill_deck_load;

typedef struct rill_body {
    char *name; /* owned */
    uint16_t generation;
    bool alive;
    rill_body_form form;
    double mass;       /* kg; infinity: it goes as it is told */
    double inertia[6]; /* kg m2, in its own frame */
    double drag;
    rill_body_state state;
    rill_body_forces forces;
    rill_array shades; /* rill_shade: of where it was when they were last found */
    rill_pose shades_pose;
    bool shades_known;        /* whether they were */
    rill_area area;     /* the cells in question then */
    rill_array levels;  /* float: those of the liquid there, m */
    int32_t first_touch, end_touch; /* its touches */
    double last_twist[6];   /* velocity and spin of the sub-step before the last */
    double last_dt;   /* and how long the last was, s; 0: there was none */
    double added_mass;     /* mass of the liquid that it carries along, kg */
    double deck_mass;       /* mass of the liquid that lies on it, kg */
    double lag[6];      /* where the liquid still sees it, from where it is: see body_jumps.c */
    bool fresh;         /* there was none before this sub-step: it was put where it is */
    /* Of the sub-step: */
    double expected_twist[6];    /* velocity and spin that it was expected to move with: columns are covered as if it did */
    double expected_position[3]; /* where its centre of mass is then */
    double new_twist[6];    /* velocity and spin that it does move with */
    double predicted_twist[6];     /* the same without what the changes of head do to it */
    double world_inertia[9];      /* inertia in the world's frame, row by row; 0 for infinite mass */
    double effective_inertia[9];  /* and with that of what it carries along; and its inverse */
    double inverse_inertia[9];
    rill_deck_load deck_load;       /* what lies on it */
    double mass_along;               /* mass that moves along the bed, kg: with that */
    double mass_upright;             /* mass that comes up and down, kg: with what it carries along as well */
    double mass_stiff;               /* and with what the liquid below it resists within a sub-step, if it is `small` */
    bool small;                 /* it is over few cells, whose heads do not follow it, or next to weightless */
    uint8_t wedged;             /* bit per axis along the bed: it fits between two walls of a flooded passage */
    double sideways_wrench[6];           /* force and torque of the heads there are, along the bed */
    double wrench[6];             /* force and torque by the heads there will be */
    double drag_matrix[36], drag_momentum[6]; /* working memory of drag.c */
    double submergence;                /* and of deck_flooding.c */
    bool steep;                 /* and of lifted_bases.c */
    double wet_area, passing_depth[2];     /* and of body_report.c */
} rill_body;

/* Part of a body over a column: of a quarter of the cell, and of that the part that the level passes through, or that is
 * below or above it. Heights are quanta above the column's base, cut to its void. */
typedef struct rill_body_piece {
    float part;      /* of the cell: at most 1/4 */
    float low, high; /* underside and topside */
    float arm[2];    /* from where the centre of mass is expected, m */
    int32_t quarter; /* 0 to 3 */
} rill_body_piece;

/* A body over a column, or beside one that it is over. */
typedef struct rill_body_touch {
    int32_t node, body;
    int32_t next;       /* the next touch of the node; -1: the last */
    int32_t first_piece, end_piece; /* its pieces */
    float arm[2];       /* from where the centre of mass is expected to the middle of what is in the liquid, m */
    float displaced;         /* what the body displaces there below the level that is shown at first, quanta */
    float underside;        /* the mean of its underside where it is in the liquid, quanta above the base */
    float share;        /* the part of the cell in which it is in the liquid */
    float b_sideways[6];  /* the part of B that motion along the bed has */
    float b[6];         /* B: room that opens per unit of velocity (1) and spin (m) */
    int32_t acts_on;       /* the node that B belongs to: that one, or the one that stands in for it */
} rill_body_touch;

/* A column under a body, or of a flooded passage that one has to do with. Sub-steps hand on base, over, apart, deck, slip,
 * seen, e, kept and pi, which is what snapshots have of it. */
typedef struct rill_body_node {
    int32_t place, stride;
    int32_t base;  /* b */
    int32_t first_touch; /* touch; -1: no body has to do with it itself */
    int32_t proxy; /* where a body fills a flooded passage: the node beside it whose head it has; else -1 */
    int16_t cell[2];
    int32_t deck; /* what lies on a body that covers all of it, quanta: U */
    int32_t
        drawn; /* the level at which it is drawn, that of U if there is some, absolute, quanta; negative: at its head */
    float slip[2];  /* how fast U goes over the west and south faces, relative to the body, m/s */
    float lid[4];   /* the lowest topside in each quarter above the base, quanta */
    uint8_t shut;   /* bit per quarter: it is wholly covered */
    uint8_t over;   /* and liquid stands on what covers it: it came from beside it, not through it */
    bool apart;     /* one body covers all of it, and what lies on that is not joined with what is around it */
    bool flooded;   /* full to its ceiling */
    bool grounded;  /* nothing but a film is left between a body and the bed: it has the head of what is around it */
    bool yields;    /* what is over it moves when it is pushed */
    uint16_t proxy_round; /* working memory of passage_nodes.c */
    double roof;    /* where it is full to its ceiling, above the base, quanta; infinity: it cannot be */
    double e;       /* head above the base, quanta */
    double head_around;  /* the head of what is around it, if it is grounded, above the base, quanta */
    double displaced;    /* what is displaced below it, D, quanta; as it is at first */
    double displaced_before;    /* what was displaced at the end of the last sub-step */
    double pi;      /* how it changed in the last sub-step */
} rill_body_node;

/* A face of a column under a body, and how the sub-step finds it. */
typedef struct rill_body_face {
    int32_t l, r;           /* places */
    int32_t node_l, node_r; /* -1: not under a body */
    int32_t pipe;           /* sparse pipe; -1: dense, the velocity is that of r */
    int32_t axis;
    float u;      /* m/s */
    float gain;   /* m/s per quantum of head */
    float opening;   /* quanta */
    bool in_passage; /* a column at an end is full: moved over by passage_faces.c, not by the sweep */
} rill_body_face;

/* What joins a node to others: up to two with lower numbers, then up to two with higher ones; itself where there is none. */
typedef struct rill_body_neighbours {
    int32_t node[4], face[4];
} rill_body_neighbours;

/* A body at a face between two columns that it is over: what it displaces there, and where. */
typedef struct rill_body_overlap {
    int32_t face, body;
    rill_body_touch *l, *r;
    double displaced; /* quanta; the mean of both, */
    double difference;      /* and how much they differ */
    double arm[3];    /* from the centre of mass to the middle of what is displaced, m */
    double underside;     /* the height of the underside there, relative to the centre of mass, m */
    double drag_rate;      /* working memory of drag.c */
} rill_body_overlap;

/* Bodies whose columns are neither the same nor side by side, nor joined by a flooded passage, do not push each other within a
 * sub-step. Each island of them is worked at by itself, on any thread: it has ranges of all that follows. */
typedef struct rill_body_island {
    size_t first_body, end_body; /* in `order` */
    size_t first_touch, end_touch;
    size_t first_node, end_node;
    size_t first_face, end_face;
    size_t first_overlap, end_overlap, most_overlap; /* so many there are, and so many there may be */
    size_t far_count;                       /* faces in `far`, from first_face on */
    bool has_deck_liquid, floods_deck;                      /* liquid lies on its bodies, or over them; or is about to come onto them */
    bool has_excess;                           /* there is liquid under one that lies on the bed */
    bool converged;
    bool calm, asleep; /* see body_rest.c */
    float fastest[2]; /* along x and y, m/s */
} rill_body_island;

/* Planes for a bed with other places, while it is not yet the world's: as those below. */
typedef struct rill_body_planes {
    int32_t *node_of, *stamp, *lifted;
    size_t size;
} rill_body_planes;

typedef struct rill_bodies {
    rill_array list; /* rill_body; ids are slots as those of solids */
    int32_t alive;
    size_t free_slots;
    rill_array pieces, touches, nodes, faces, neighbours, overlaps;
    rill_array far_faces;     /* int32_t: faces between nodes for which there is no place in `near`; of each island from where its faces
                           begin */
    rill_array islands; /* rill_body_island */
    rill_array order;   /* int32_t: bodies that are alive, island by island; and twice as many of working memory */
    rill_array nodes_before;  /* rill_body_node: those of the sub-step before */
    rill_array claimed; /* int32_t: places of nodes with a ceiling, which the passages leave alone */
    rill_array vectors; /* double: working memory of the solve */
    rill_array ring_faces; /* int32_t: faces between rings of nodes, and as many of working memory */
    int32_t *node_of;   /* plane: 1 + index into nodes; 0: none */
    int32_t *stamp;     /* plane: 1 + the shade over a column, while a body's are looked at; else 0 */
    int32_t *lifted;     /* plane: the bases, lifted: flow->lifted */
    size_t plane_size;
    float last_dt_ratio;    /* how long the last sub-step was, as parts of this one; 1 if there was none */
    bool roofed;     /* some nodes have a ceiling: they may be flooded */
    size_t most_joined; /* columns of passages that may have to be solved for as well, at most, */
    bool most_joined_known;    /* if that is known for the bed as it is */
    int64_t lost;    /* quanta that lay on bodies and for which no column had room: to be booked */
    rill_body_planes next_planes;
} rill_bodies;

/* A sub-step as bodies see it. */
typedef struct rill_body_stage {
    rill_bodies *bodies;
    rill_flow *flow;
    const rill_flow_settings *settings;
    const rill_kernel_constants *constants;
    const int32_t *pipes_by_r; /* the bed's pipes ordered by pipe_r */
    double dt;                 /* s */
    double lag_left;               /* the part of their lags that bodies have at its end */
    double density;            /* kg/m3 */
    double gravity;            /* into the bed, m/s2 */
    bool has_sources;                /* there are sources: liquid may fall on bodies, wherever they are */
    bool at_once;              /* a fill: holds are as full as what is around them without taking time for it */
    const rill_runtime *runtime;
    rill_pool *pool;
    rill_body_island *island; /* what is worked at; NULL: all of them */
} rill_body_stage;

/* Heads are pressure, which a blow raises far above any level there can be; quanta. What has no topside has it beyond them. */
#define RILL_HEAD_MOST (2.0 * (double)RILL_TOP)
#define RILL_NO_TOPSIDE 0x1p31f

enum { RILL_BODY_RING_VECTOR = 16, RILL_BODY_VECTORS }; /* those before that are what the solve works on */

/* The centre of a node's cell, m. */
static inline double rill_body_node_centre(const rill_bed *bed, const rill_body_node *node, int axis) {
    return bed->grid.origin[axis] + ((double)node->cell[axis] + 0.5) * bed->grid.cell_size;
}

static inline rill_body *rill_body_at(const rill_bodies *bodies, int32_t index) {
    return (rill_body *)bodies->list.data + index;
}

/* A body of an island, by its place in the order. */
static inline rill_body *rill_body_in_order(const rill_bodies *bodies, size_t i) {
    return rill_body_at(bodies, ((const int32_t *)bodies->order.data)[i]);
}

/* The level in a column with a head, both above its base. */
static inline double rill_body_node_level(const rill_body_node *node, double e) {
    return e < node->roof ? e : node->roof;
}

/* Its head as far as it is shown as a level: bodies reach no higher in the liquid, whatever the pressure is. */
static inline double rill_body_node_shown_head(const rill_flow *flow, const rill_body_node *node) {
    const double shown = (double)(flow->lifted[node->place] + flow->H[node->place] - node->base);
    return node->e < shown ? node->e : shown;
}

/* How deep what lies on a body is at most in a column, quanta; 0 if that is not what is seen there. */
static inline int32_t rill_body_node_deck_depth(const rill_body_node *node) {
    float low = node->lid[0];
    for (int i = 1; i < 4; ++i) low = node->lid[i] < low ? node->lid[i] : low;
    const double depth = (double)(node->drawn - node->base) - (double)low,
                 most = 4.0 * (double)node->deck; /* in a quarter */
    return depth > 0.0 ? (int32_t)(depth < most ? depth : most) : 0;
}

/* What bodies displace in a column below a head, quanta over its whole area: D. */
double rill_body_node_displaced(const rill_bodies *bodies, const rill_body_node *node, double e);

/* The same for where bodies will be at the end of the sub-step with the motion they have so far. */
double rill_body_node_will_displace(const rill_body_stage *stage, const rill_body_node *node, double e);

/* And for where they are at its end, with the head there is, if they have moved along the bed otherwise than was expected too. */
double rill_body_node_displaced_after(const rill_body_stage *stage, const rill_body_node *node);

/* coverage.c: nodes and faces for where bodies are now. Heads of columns that were not covered before are their levels, or
 * their pressure where they are flooded. */
void rill_bodies_cover(const rill_body_stage *stage);
/* deck_flooding.c: where liquid stands on bodies, and where it does not. */
void rill_bodies_flood_decks(const rill_body_stage *stage);

/* body_islands.c: which bodies do not push each other, by where they are over the grid. */
void rill_bodies_find_islands(rill_bodies *bodies);
/* All bodies are one island. */
void rill_bodies_join_islands(rill_bodies *bodies);
/* Does something for each island, on any thread. */
typedef void rill_body_island_work(const rill_body_stage *stage);
void rill_bodies_each_island(const rill_body_stage *stage, rill_body_island_work *work);

/* deck_flow.c. Which of its touches is the body that a column's liquid lies on, covering all of it with the lowest topside; -1:
 * none does. */
int32_t rill_body_node_carrier(const rill_bodies *bodies, const rill_body_node *node);
/* Where an amount of liquid, quanta, on such a touch stands, above the base. */
double rill_body_touch_deck_level(const rill_bodies *bodies, const rill_body_touch *touch, double amount);
/* How much stands on some quarters of it at a level and above a bottom, both above the base, quanta. */
double rill_body_touch_deck_volume(const rill_bodies *bodies, const rill_body_touch *touch, double level, double bottom,
                        uint32_t quarters);
/* Moves what lies on bodies: over them, over their sides, and from beside them onto them. `stands` are the levels of nodes,
 * absolute, `open` the quarters in which there is liquid at these. */
void rill_bodies_move_deck_liquid(const rill_body_stage *stage, const double *stands, const uint8_t *open);
/* Before and after sources pour: what they do pour on bodies is to lie there. */
void rill_bodies_before_sources(rill_bodies *bodies, const rill_flow *flow);
void rill_bodies_take_poured(rill_bodies *bodies, rill_flow *flow);
/* What lay on a body in a cell goes into a column, or the nearest with room for it; -1: into that. */
void rill_bodies_return_liquid(rill_bodies *bodies, rill_flow *flow, const int16_t cell[2], int32_t place, int64_t amount);

/* coverage.c again. The node of a place in a cell, made if there is none yet. */
int32_t rill_bodies_make_node(const rill_body_stage *stage, int32_t place, int32_t stride, int32_t x, int32_t y);
/* The shades of a body where it is now, whatever the level. */
void rill_body_shade(rill_body *body, const rill_grid *grid);

/* passage_nodes.c: adds the columns of flooded passages that nodes are in or beside. */
void rill_bodies_join_passages(const rill_body_stage *stage);
/* Puts nodes into the order of places, after some were added. */
void rill_bodies_sort_nodes(rill_bodies *bodies);
/* Whether a body is where it is in a flooded passage. */
bool rill_body_in_passage(const rill_body_stage *stage, const rill_body *body);
/* Finds the proxies of nodes in which a body fills a passage. */
void rill_bodies_find_proxies(const rill_body_stage *stage);

/* passage_faces.c: a face with a flooded column at an end, as the sub-step finds it. */
void rill_body_face_find_in_passage(const rill_body_stage *stage, rill_body_face *face);
/* How much of such a face a body blocks, quanta: it is on both sides of it then. */
double rill_body_blocked_depth(const rill_body_stage *stage, const rill_body_face *face, const rill_body_touch *l,
                        const rill_body_touch *r);
/* Finds which bodies are wedged in a passage. */
void rill_bodies_find_wedged(const rill_body_stage *stage);
/* Moves whole quanta over faces under ceilings, whose velocities are known, and hides them from the sweep. Returns what
 * found no room and goes back to sources; `*capped` if more than that did not fit. */
int64_t rill_bodies_move_in_passages(const rill_body_stage *stage, bool *capped);
/* The velocity of such a face at the end of the sub-step. */
float rill_body_face_driven_in_passage(const rill_body_stage *stage, const rill_body_face *face);

/* body_memory.c */
rill_bodies rill_bodies_make(void);
/* Memory for steps with these bodies over the bed of a flow, to be asked for when either has changed. False without memory. */
bool rill_bodies_reserve(rill_bodies *bodies, rill_flow *flow, const rill_allocator *allocator);
/* The same in two halves: what can fail, which changes nothing, and then, without fail, the rest. */
bool rill_bodies_prepare(rill_bodies *bodies, const rill_bed *bed, const rill_allocator *allocator);
void rill_bodies_commit(rill_bodies *bodies, rill_flow *flow, const rill_allocator *allocator);
/* The working memory; bodies are those of the world. */
void rill_bodies_free(rill_bodies *bodies, const rill_allocator *allocator);
/* Columns or bases of the bed have changed, but not the number of places. */
void rill_bodies_refit(rill_bodies *bodies, rill_flow *flow);
/* Bodies displace nothing any more: there are none, or the method is another. */
void rill_bodies_uncover(rill_bodies *bodies, rill_flow *flow);
/* The node of a column, or NULL. */
static inline rill_body_node *rill_bodies_node(const rill_bodies *bodies, int32_t place) {
    if (bodies->alive == 0 || !bodies->node_of) return NULL; /* planes may be those of another bed */
    const int32_t known = bodies->node_of[place];
    return known > 0 ? (rill_body_node *)bodies->nodes.data + (known - 1) : NULL;
}

/* Whether liquid can go from one column to the next. */
static inline bool rill_body_is_open(const rill_bed *bed, int32_t l, int32_t r) {
    return rill_overlap(bed->b[l], bed->c[l], bed->b[r], bed->c[r]) > 0;
}
/* body_faces.c: the faces of all nodes. */
void rill_bodies_find_faces(const rill_body_stage *stage);
/* Which nodes of an island are joined, for the solve. */
void rill_bodies_find_neighbours(const rill_body_stage *stage);
/* The axis of a sparse pipe. */
int32_t rill_body_pipe_axis(const rill_flow *flow, int32_t pipe);
/* Whether a body on the bed is at an end of it. */
bool rill_body_face_is_grounded(const rill_bodies *bodies, const rill_body_face *face);
/* Velocity, opening and gain of a face as it is. */
void rill_body_face_find(const rill_body_stage *stage, rill_body_face *face);
static inline float *rill_body_face_velocity(const rill_flow *flow, const rill_body_face *face) {
    if (face->pipe >= 0) return &flow->pipe_u[face->pipe];
    return (face->axis ? flow->v : flow->u) + face->r;
}

/* grounding.c: what counts as a film in a node, quanta. */
double rill_body_node_film(const rill_bed *bed, const rill_body_node *node);
/* How bodies lie in columns as they are now; and which of these are grounded. */
void rill_bodies_measure_contact(const rill_body_stage *stage);
void rill_bodies_find_grounded(const rill_body_stage *stage);

/* grounding.c: numbers the rings of an island's nodes around those with ring 0, and around columns that are no nodes: of nodes with
 * RILL_NO_RING, those beside them have 1, and so on inwards. Lists the faces between each ring and the one outside in `between`,
 * ring by ring from outside; returns how many there are. */
enum { RILL_BODY_NO_RING = INT32_MAX };
int32_t rill_body_island_find_rings(const rill_body_stage *stage, int32_t *ring);
/* Where they are listed. */
static inline int32_t *rill_body_island_ring_faces(const rill_body_stage *stage) {
    return (int32_t *)stage->bodies->ring_faces.data + 2 * stage->island->first_face;
}
/* The inner ring of the face that is listed there. */
int32_t rill_body_island_ring_of(const rill_body_stage *stage, const int32_t *ring, int32_t listed);
static inline int32_t rill_body_ring_at(const int32_t *ring, int32_t node) {
    return node >= 0 ? ring[node] : 0;
}
/* grounding.c: whether there is more than a film under a body that lies on the bed. */
bool rill_body_island_has_excess(const rill_body_stage *stage);
/* Puts outside what is left there. */
void rill_body_island_squeeze_out(const rill_body_stage *stage);

/* Whether pressure does not turn it at all: the last three components of its B are zero. */
static inline bool rill_body_is_ball(const rill_body *body) {
    const double *middle = body->form.middle;
    return body->form.shape == RILL_BODY_SPHERE && middle[0] == 0.0 && middle[1] == 0.0 && middle[2] == 0.0;
}

/* coupling.c. Pressure does not turn what is round: on a sphere, and about the axis of a cylinder or capsule, all of it passes
 * through the middle. Takes such torques out. */
void rill_body_remove_axial_torque(const rill_body *body, double wrench[6]);
static inline void rill_body_remove_round_torque(const rill_body *body, double wrench[6]) {
    const rill_body_shape shape = body->form.shape;
    if (rill_body_is_ball(body))
        wrench[3] = wrench[4] = wrench[5] = 0.0;
    else if (shape == RILL_BODY_SPHERE || shape == RILL_BODY_CYLINDER || shape == RILL_BODY_CAPSULE)
        rill_body_remove_axial_torque(body, wrench);
}
/* B for motion along the bed, and the forces along it of the heads as they are. */
void rill_bodies_couple(const rill_body_stage *stage);
/* The bodies' loads: the upright forces of heads changed by `pi`. */
void rill_bodies_press_up(const rill_body_stage *stage, const double *pi);
/* What of such heads there is `room` for under bodies where they will be at the end, upright, and all of B. `stiff` gets the
 * part of each node that is in contact then: dD/de. */
void rill_bodies_find_room(const rill_body_stage *stage, const double *pi, double *stiff, double *room);

/* A velocity along an axis at arm r, or a force, as six components; added to `out`. */
static inline void rill_body_add_at_arm(int axis, const double r[3], double factor, double out[6]) {
    if (axis == 0) /* (spin x r)_0 = spin_1 r_2 - spin_2 r_1 */
        out[0] += factor, out[4] += factor * r[2], out[5] -= factor * r[1];
    else if (axis == 1)
        out[1] += factor, out[5] += factor * r[0], out[3] -= factor * r[2];
    else
        out[2] += factor, out[3] += factor * r[1], out[4] -= factor * r[0];
}
/* The speed along an axis at an arm from the centre of mass. */
static inline double rill_body_speed_at(const double motion[6], int axis, const double r[3]) {
    if (axis == 0) return motion[0] + (motion[4] * r[2] - motion[5] * r[1]);
    if (axis == 1) return motion[1] + (motion[5] * r[0] - motion[3] * r[2]);
    return motion[2] + (motion[3] * r[1] - motion[4] * r[0]);
}

/* The weight of what lies on a body as a force and torque; added to `out`. */
static inline void rill_deck_load_add_weight(const rill_deck_load *deck_load, double gravity, double out[6]) {
    out[2] -= deck_load->mass * gravity;
    out[3] -= deck_load->moment[1] * gravity;
    out[4] += deck_load->moment[0] * gravity;
}

/* added_mass.c: liquid that bodies carry along, and what lies on them; and how they move with it. */
void rill_bodies_add_mass(const rill_body_stage *stage);

/* body_rest.c: whether an island's bodies and what is under them hardly move, once they have their new motion. */
bool rill_body_island_is_calm(const rill_body_stage *stage);
/* Whether all that it is over sleeps; and if so, and if no more than `off` quanta would not fit anywhere with the heads there
 * are, whether its bodies rest as well. They do from then on. */
bool rill_body_island_may_sleep(const rill_body_stage *stage);
bool rill_body_island_hold_still(const rill_body_stage *stage, double off);
/* Where only some of it sleeps, nothing moves over faces there. */
void rill_body_island_stop_faces(const rill_body_stage *stage);

/* head_solve.c: solves for the changes of head: pi, one per node. Bodies have their new motion then, and their loads. If it has
 * not `converged`, what is missing is made up for in the next sub-step. */
const double *rill_bodies_solve_heads(const rill_body_stage *stage);
/* Change of motion by a force and torque that act for a time: out += M^-1 load * seconds. */
void rill_body_accelerate(const rill_body *body, const double wrench[6], double seconds, double out[6]);

/* drag.c: friction and form drag between bodies and the liquid at their faces: what one gets the other loses. */
void rill_bodies_apply_drag(const rill_body_stage *stage);

/* body_motion.c: the inverse of a symmetric positive matrix, row by row. */
void rill_body_invert_matrix(const double m[9], double out[9]);
/* A pose after moving with a velocity and spin for a time. */
void rill_body_advance(double position[3], double orientation[4], const double motion[6], double dt);
/* Gravity and inertia at the start of a sub-step; and where bodies are at its end. */
void rill_bodies_begin(const rill_body_stage *stage);
void rill_bodies_end(const rill_body_stage *stage);

/* body_jumps.c: a body is put elsewhere, and lags behind. */
void rill_body_jump(rill_body *body, const rill_body_state *to, const rill_flow *flow);
/* Moves a pose by a part of a lag. */
void rill_body_add_lag(const double lag[6], double part, double position[3], double orientation[4]);
/* Where the liquid sees a body. */
void rill_body_seen_pose(const rill_body *body, double position[3], double orientation[4]);
/* Velocity and spin with which it sees it move in a sub-step, if it goes on as it is expected to. */
void rill_body_seen_twist(const rill_body_stage *stage, const rill_body *body, double motion[6]);
/* How far the fastest part of a body has to catch up, at most, m. */
double rill_body_lag_length(const rill_body *body);

/* body_report.c: how bodies lie in the liquid, at the end of a step. */
void rill_bodies_report(const rill_body_stage *stage);

/* draw_levels.c: how high the surface is drawn at them, likewise. */
void rill_bodies_find_drawn_levels(const rill_body_stage *stage);

/* body_stage.c: the stage. Before everything else that moves; false: stopped before it had converged. `*refused`: what sources had
 * put into flooded columns and must have back. */
bool rill_bodies_move(const rill_body_stage *stage, int64_t *refused);
/* Drives the faces by the heads there are, and lifts the bases; after the sweep. */
void rill_bodies_drive(const rill_body_stage *stage);
/* lifted_bases.c: lifts the bases of an island, so that levels are heads, or not far from those around them. */
void rill_body_island_lift_bases(const rill_body_stage *stage);
/* Lifts the base of a column so that its level is its head, absolute, quanta. */
void rill_bodies_lift_base(const rill_bodies *bodies, rill_flow *flow, int32_t place, double head);
/* Sparse pipes keep the bases of their ends: this one's as they are now. */
void rill_bodies_lift_pipe(rill_flow *flow, int32_t pipe);
/* The longest sub-step in which no body moves farther than half a cell in the liquid, if there is `left` of the step, s. */
double rill_bodies_limit(const rill_bodies *bodies, const rill_flow *flow, double left);

#endif
