/* Shared by the files of this room: faces, islands, and the parts of a sub-step. Symbols are those of bodies.h. */
#ifndef RILL_BODIES_BODIES_INTERNAL_H
#define RILL_BODIES_BODIES_INTERNAL_H

#include "base/assert.h"
#include "bed/sheets.h"
#include "bodies/bodies.h"

/* Stands for a topside where there is none: above all heads, quanta. */
#define RILL_NO_TOPSIDE 0x1p31f

enum { RILL_BODY_RING_VECTOR = 16, RILL_BODY_VECTORS }; /* those before that are what the solve works on */

/* A face of a column under a body, and how the sub-step finds it. */
typedef struct rill_body_face {
    int32_t l, r;           /* places */
    int32_t node_l, node_r; /* -1: not under a body */
    int32_t pipe;           /* sparse pipe; -1: dense, the velocity is that of r */
    int32_t axis;
    float u;         /* m/s */
    float gain;      /* m/s per quantum of head */
    float opening;   /* quanta */
    bool in_passage; /* a column at an end is full: moved over by passage_faces.c, not by the sweep */
} rill_body_face;

/* The faces that join a node to others: up to two with lower numbers, then up to two with higher ones; itself where
 * there is none. */
typedef struct rill_body_neighbours {
    int32_t node[4], face[4];
} rill_body_neighbours;

/* A body at a face between two columns that it is over: what it displaces there, and where. */
typedef struct rill_body_overlap {
    int32_t face, body;
    rill_body_touch *l, *r;
    double displaced;  /* quanta: the mean of both columns */
    double difference; /* of both, quanta */
    double arm[3];     /* from the centre of mass to the middle of what is displaced, m */
    double underside;  /* its height at the face, relative to the centre of mass, m */
    double drag_rate;  /* working memory of drag.c */
} rill_body_overlap;

/* Bodies whose columns are neither the same nor side by side, nor joined by a flooded passage, do not push each other
 * within a sub-step. Each island of them is worked at by itself, on any thread: it has ranges of all that follows. */
struct rill_body_island {
    size_t first_body, end_body; /* in `order` */
    size_t first_touch, end_touch;
    size_t first_node, end_node;
    size_t first_face, end_face;
    size_t first_overlap, end_overlap;
    size_t most_overlap;  /* `end_overlap` at most */
    size_t far_count;     /* faces in `far_faces`, from first_face on */
    bool has_deck_liquid; /* liquid lies on its bodies, or over them */
    bool floods_deck;     /* liquid is about to come onto its bodies */
    bool has_excess;      /* more than a film is left under a body that lies on the bed */
    bool converged;
    bool calm, asleep; /* see body_rest.c */
    float fastest[2];  /* along x and y, m/s */
};

/* Tells whether numbers are finite: what is asserted of motion and forces. */
static inline bool rill_body_are_finite(const double *values, int count) {
    double sum = 0.0; /* 0 times what is not finite is not 0 */
    for (int i = 0; i < count; ++i) sum += 0.0 * values[i];
    return sum == 0.0;
}

/* Tells whether an orientation is a unit quaternion, as nearly as sub-steps keep it. */
static inline bool rill_body_is_unit(const double q[4]) {
    const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    return square > 1.0 - 2e-9 && square < 1.0 + 2e-9;
}

/* Returns the centre of a node's cell, m. */
static inline double rill_body_node_centre(const rill_bed *bed, const rill_body_node *node, int axis) {
    return bed->grid.origin[axis] + ((double)node->cell[axis] + 0.5) * bed->grid.cell_size;
}

/* Returns a body of an island, by its place in the order. */
static inline rill_body *rill_body_in_order(const rill_bodies *bodies, size_t i) {
    RILL_ASSERT(i < bodies->list.count);
    return rill_body_at(bodies, ((const int32_t *)bodies->order.data)[i]);
}

/* Returns a node's head as far as lifted bases show it as a level: bodies reach no higher in the liquid, whatever the pressure
 * is. */
static inline double rill_body_node_lifted_head(const rill_flow *flow, const rill_body_node *node) {
    RILL_ASSERT(node->place >= 0 && flow->lifted);
    const double lifted = (double)(flow->lifted[node->place] + flow->H[node->place] - node->base);
    return node->e < lifted ? node->e : lifted;
}

/* Returns what bodies will displace in a column below a head at the end of the sub-step, with the motion they have so
 * far. */
double rill_body_node_will_displace(const rill_body_stage *stage, const rill_body_node *node, double e);
/* Returns what they will displace there below the head there is, if they have moved along the bed otherwise than was
 * expected too. */
double rill_body_node_displaced_after(const rill_body_stage *stage, const rill_body_node *node);

/* ---------------------------------------------------------------------------------------------------------- islands */

/* Finds which bodies do not push each other, by where they are over the grid. */
void rill_bodies_find_islands(rill_bodies *bodies);
/* Makes one island of all bodies. */
void rill_bodies_join_islands(rill_bodies *bodies);
typedef void rill_body_island_work(const rill_body_stage *stage);
/* Does something for each island, on any thread. */
void rill_bodies_each_island(const rill_body_stage *stage, rill_body_island_work *work);

/* --------------------------------------------------------------------------------------------------------- coverage */

/* Returns the node of a place in a cell, made if there is none yet. */
int32_t rill_bodies_make_node(const rill_body_stage *stage, int32_t place, int32_t stride, int32_t x, int32_t y);
/* Finds the shades of a body where it is now, whatever the level. */
void rill_body_shade(rill_body *body, const rill_grid *grid);

/* ------------------------------------------------------------------------------------------------------------ faces */

/* Tells whether liquid can go from one column to the next. */
static inline bool rill_body_is_open(const rill_bed *bed, int32_t l, int32_t r) {
    RILL_ASSERT(l >= 0 && r >= 0 && l < bed->plane_size && r < bed->plane_size);
    return rill_overlap(bed->b[l], bed->c[l], bed->b[r], bed->c[r]) > 0;
}
/* Lists the faces of all nodes, island by island. */
void rill_bodies_find_faces(const rill_body_stage *stage);
/* Finds which nodes of an island are joined, for the solve. */
void rill_bodies_find_neighbours(const rill_body_stage *stage);
/* Tells whether a body on the bed is at an end of a face. */
bool rill_body_face_is_grounded(const rill_bodies *bodies, const rill_body_face *face);
/* Finds velocity, opening and gain of a face as it is. */
void rill_body_face_find(const rill_body_stage *stage, rill_body_face *face);
static inline float *rill_body_face_velocity(const rill_flow *flow, const rill_body_face *face) {
    RILL_ASSERT(face->axis == 0 || face->axis == 1);
    RILL_ASSERT(face->pipe < flow->bed->pipe_count);
    if (face->pipe >= 0) return &flow->pipe_u[face->pipe];
    return (face->axis ? flow->v : flow->u) + face->r;
}

/* --------------------------------------------------------------------------------------------------
 * decks (deck_*.c) */

/* Finds where liquid stands on bodies, and where it does not. */
void rill_bodies_flood_decks(const rill_body_stage *stage);
/* Returns which of a node's touches is the body that its deck liquid lies on, covering all of it with the lowest
 * topside; -1: none does. */
int32_t rill_body_node_carrier(const rill_bodies *bodies, const rill_body_node *node);
/* Returns where an amount of liquid, quanta, on such a touch stands, above the base. */
double rill_body_touch_deck_level(const rill_bodies *bodies, const rill_body_touch *touch, double amount);
/* Returns how much stands on some quarters of it at a level and above a bottom, both above the base, quanta. */
double rill_body_touch_deck_volume(const rill_bodies *bodies, const rill_body_touch *touch, double level, double bottom,
                                   uint32_t quarters);
/* Moves what lies on bodies: over them, over their sides, and from beside them onto them. `levels` are those of nodes,
 * absolute, `open` the quarters in which there is liquid at these. */
void rill_bodies_move_deck_liquid(const rill_body_stage *stage, const double *levels, const uint8_t *open);
/* Puts what lay on a body in a cell into a column, or the nearest with room for it; -1: into that. */
void rill_bodies_return_liquid(rill_bodies *bodies, rill_flow *flow, const int16_t cell[2], int32_t place,
                               int64_t amount);

/* --------------------------------------------------------------------------------------------
 * passages (passage_*.c) */

/* Adds the columns of flooded passages that nodes are in or beside. */
void rill_bodies_join_passages(const rill_body_stage *stage);
/* Puts nodes into the order of places, after some were added. */
void rill_bodies_sort_nodes(rill_bodies *bodies);
/* Tells whether a body is where it is in a flooded passage. */
bool rill_body_in_passage(const rill_body_stage *stage, const rill_body *body);
/* Finds the proxies of nodes in which a body fills a passage. */
void rill_bodies_find_proxies(const rill_body_stage *stage);
/* Finds which bodies are wedged in a passage. */
void rill_bodies_find_wedged(const rill_body_stage *stage);
/* Finds velocity, opening and gain of a face with a flooded column at an end. */
void rill_body_face_find_in_passage(const rill_body_stage *stage, rill_body_face *face);
/* Returns the velocity of such a face at the end of the sub-step, m/s. */
float rill_body_face_driven_in_passage(const rill_body_stage *stage, const rill_body_face *face);
/* Returns how much of such a face a body blocks that is on both sides of it, quanta. */
double rill_body_blocked_depth(const rill_body_stage *stage, const rill_body_face *face, const rill_body_touch *l,
                               const rill_body_touch *r);
/* Moves whole quanta over faces under ceilings, whose velocities are known, and hides them from the sweep. Returns what
 * found no room and goes back to sources; `*capped` if more than that did not fit. */
int64_t rill_bodies_move_in_passages(const rill_body_stage *stage, bool *capped);

/* -------------------------------------------------------------------------------------------------------- grounding */

/* Stands for a node whose ring is not known yet. */
enum { RILL_BODY_NO_RING = INT32_MAX };
/* Numbers the rings of an island's nodes around those with ring 0, and around columns that are no nodes: of nodes with
 * RILL_BODY_NO_RING, those beside them have 1, and so on inwards. Lists the faces between each ring and the one
 * outside, ring by ring from outside; returns how many there are. */
int32_t rill_body_island_find_rings(const rill_body_stage *stage, int32_t *ring);
/* Returns where they are listed. */
static inline int32_t *rill_body_island_ring_faces(const rill_body_stage *stage) {
    RILL_ASSERT(stage->island && stage->island->first_face <= stage->island->end_face);
    return (int32_t *)stage->bodies->ring_faces.data + 2 * stage->island->first_face;
}
/* Returns the inner ring of the face that is listed there. */
int32_t rill_body_island_ring_of(const rill_body_stage *stage, const int32_t *ring, int32_t listed);
static inline int32_t rill_body_ring_at(const int32_t *ring, int32_t node) {
    return node >= 0 ? ring[node] : 0;
}
/* Returns what counts as a film in a node, quanta. */
double rill_body_node_film(const rill_bed *bed, const rill_body_node *node);
/* Measures how bodies lie in columns as they are now. */
void rill_bodies_measure_contact(const rill_body_stage *stage);
/* Finds which columns are grounded, and the heads around these. */
void rill_bodies_find_grounded(const rill_body_stage *stage);
/* Puts outside what is left under bodies that lie on the bed, beyond a film. */
void rill_body_island_squeeze_out(const rill_body_stage *stage);

/* --------------------------------------------------------------------------------------------------------- coupling */

/* Tells whether pressure does not turn a body at all: the last three components of its B are zero. */
static inline bool rill_body_is_ball(const rill_body *body) {
    const double *middle = body->form.middle;
    return body->form.shape == RILL_SHAPE_SPHERE && middle[0] == 0.0 && middle[1] == 0.0 && middle[2] == 0.0;
}
/* Takes the torque out of a wrench that pressure cannot have about the middle of a sphere, or the axis of a cylinder or
 * capsule. */
void rill_body_remove_axial_torque(const rill_body *body, double wrench[6]);
/* Takes out of a wrench what cannot turn a body that is round. */
static inline void rill_body_remove_round_torque(const rill_body *body, double wrench[6]) {
    const rill_shape shape = body->form.shape;
    if (rill_body_is_ball(body))
        wrench[3] = wrench[4] = wrench[5] = 0.0;
    else if (shape == RILL_SHAPE_SPHERE || shape == RILL_SHAPE_CYLINDER || shape == RILL_SHAPE_CAPSULE)
        rill_body_remove_axial_torque(body, wrench);
}
/* Finds B for motion along the bed, and the wrenches along it of the heads as they are. */
void rill_bodies_couple(const rill_body_stage *stage);
/* Finds the upright wrenches of heads changed by `pi`. */
void rill_bodies_press_up(const rill_body_stage *stage, const double *pi);
/* Finds what of such heads there is `room` for under bodies where they will be at the end, upright, and all of B.
 * `contact` gets the part of each node that is in contact then: dD/de. */
void rill_bodies_find_room(const rill_body_stage *stage, const double *pi, double *contact, double *room);

/* Adds a velocity along an axis at arm r, or a force, to the six components of a twist or wrench. */
static inline void rill_body_add_at_arm(int axis, const double r[3], double factor, double out[6]) {
    RILL_ASSERT(axis >= 0 && axis < 3);
    if (axis == 0) /* (w x r)_0 = w_1 r_2 - w_2 r_1 */
        out[0] += factor, out[4] += factor * r[2], out[5] -= factor * r[1];
    else if (axis == 1)
        out[1] += factor, out[5] += factor * r[0], out[3] -= factor * r[2];
    else
        out[2] += factor, out[3] += factor * r[1], out[4] -= factor * r[0];
}
/* Returns the speed along an axis at an arm from the centre of mass. */
static inline double rill_body_speed_at(const double motion[6], int axis, const double r[3]) {
    RILL_ASSERT(axis >= 0 && axis < 3);
    if (axis == 0) return motion[0] + (motion[4] * r[2] - motion[5] * r[1]);
    if (axis == 1) return motion[1] + (motion[5] * r[0] - motion[3] * r[2]);
    return motion[2] + (motion[3] * r[1] - motion[4] * r[0]);
}
/* Adds the weight of what lies on a body to a wrench. */
static inline void rill_deck_load_add_weight(const rill_deck_load *deck_load, double gravity, double out[6]) {
    out[2] -= deck_load->mass * gravity;
    out[3] -= deck_load->moment[1] * gravity;
    out[4] += deck_load->moment[0] * gravity;
}

/* ----------------------------------------------------------------------------------------------------------- motion */

/* Begins a sub-step: gravity, inertia, and how bodies are expected to move. */
void rill_bodies_begin(const rill_body_stage *stage);
/* Ends a sub-step: moves bodies to where they are then. */
void rill_bodies_end(const rill_body_stage *stage);
/* Adds the mass and inertia of the liquid that bodies carry along, and of what lies on them. */
void rill_bodies_add_mass(const rill_body_stage *stage);
/* Solves for the changes of head: pi, one per node. Bodies have their new twist then, and their wrenches. If it has not
 * `converged`, what is missing is made up for in the next sub-step. */
const double *rill_bodies_solve_heads(const rill_body_stage *stage);
/* Slows bodies and the liquid at their faces by friction and form drag: what one gets the other loses. */
void rill_bodies_apply_drag(const rill_body_stage *stage);
/* Adds the change of motion by a wrench that acts for a time: out += M^-1 wrench * seconds. */
void rill_body_accelerate(const rill_body *body, const double wrench[6], double seconds, double out[6]);
/* Inverts a symmetric positive matrix, row by row. */
void rill_body_invert_matrix(const double m[9], double out[9]);
/* Moves a pose with a twist for a time. */
void rill_body_advance(double position[3], double orientation[4], const double motion[6], double dt);
/* Moves a pose by a part of a lag. */
void rill_body_add_lag(const double lag[6], double part, double position[3], double orientation[4]);
/* Finds where the liquid sees a body. */
void rill_body_lagging_pose(const rill_body *body, double position[3], double orientation[4]);
/* Finds the twist with which the liquid sees a body move in a sub-step, if it goes on as it is expected to. */
void rill_body_lagging_twist(const rill_body_stage *stage, const rill_body *body, double motion[6]);
/* Returns how far the fastest part of a body has to catch up, at most, m. */
double rill_body_lag_length(const rill_body *body);

/* ------------------------------------------------------------------------------------------------------------- rest */

/* Tells whether an island's bodies and what is under them hardly move, once they have their new motion. */
bool rill_body_island_is_calm(const rill_body_stage *stage);
/* Tells whether all that an island is over sleeps. */
bool rill_body_island_may_sleep(const rill_body_stage *stage);
/* Stops an island's bodies, if they rest and no more than `off` quanta would not fit anywhere with the heads there are;
 * returns whether it did. */
bool rill_body_island_hold_still(const rill_body_stage *stage, double off);
/* Stops the faces of an island of which only some sleeps, where it does. */
void rill_body_island_stop_faces(const rill_body_stage *stage);

/* ----------------------------------------------------------------------------------------------------------- levels */

/* Lifts the bases of an island, so that levels are heads, or not far from those around them. */
void rill_body_island_lift_bases(const rill_body_stage *stage);
/* Lifts the base of a column so that its level is its head, absolute, quanta. */
void rill_bodies_lift_base(const rill_bodies *bodies, rill_flow *flow, int32_t place, double head);

#endif
