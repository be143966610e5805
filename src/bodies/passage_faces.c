/* Faces under ceilings, where bodies and a flooded passage are solved for together: see bodies.h.
 *
 * As in passages/passages.h, and with the same expressions: a face with a flooded column at an end is moved over here,
 * in whole quanta, and the sweep does not see it; its velocity is that of the last move, and is driven at the start of
 * the next sub-step. So the passages' own solve goes on from this one, and this one from it, as bodies come and go. */
#include "bodies/bodies_internal.h"
#include "bodies/body_constants.h"

#include "base/simd.h"
#include "flow/column.h"
#include "flow/sparse.h"
#include "passages/passages.h"
#include <math.h>

/* A body in a quarter of a flooded column beside a face. */
typedef struct face_quarter {
    double part;  /* the share of the quarter that it covers */
    double deep;  /* how deep it is in liquid where it covers the quarter, quanta */
    double reach; /* the mean distance from the face, cells */
} face_quarter;

/* Finds the two quarters of a column that lie at the face ahead of it along an axis, or behind it. */
static void quarters_at(const rill_body_stage *stage, const rill_body_touch *touch, int32_t axis, bool ahead,
                        face_quarter out[2]) {
    const rill_body_piece *pieces = stage->bodies->pieces.data;
    const rill_body_node *node = (const rill_body_node *)stage->bodies->nodes.data + touch->node;
    const rill_bed *bed = stage->flow->bed;
    const double middle =
        rill_body_node_centre(bed, node, axis) - rill_body_at(stage->bodies, touch->body)->expected_position[axis];
    out[0] = out[1] = (face_quarter){ 0 };
    for (int32_t k = touch->first_piece; k < touch->end_piece; ++k) {
        const double along = ((double)pieces[k].arm[axis] - middle) / bed->grid.cell_size;
        const double high = rill_body_node_level(node, (double)pieces[k].high), low = (double)pieces[k].low;
        if ((pieces[k].quarter >> axis & 1) != (int32_t)ahead || !(high > low)) continue;
        face_quarter *quarter = &out[pieces[k].quarter >> (1 - axis) & 1];
        const double part = 4.0 * (double)pieces[k].part;
        quarter->part += part;
        quarter->deep += part * (high - low);
        quarter->reach += part * (0.5 - fabs(along));
    }
    for (int i = 0; i < 2; ++i) {
        if (!(out[i].part > 0.0)) continue;
        out[i].deep /= out[i].part;
        out[i].reach /= out[i].part;
    }
}

/* Returns the part of a face that is covered, by the quarter at one side: of a body that ends in it at a straight edge,
 * the distance tells where. */
static double covered_part(const face_quarter *quarter) {
    RILL_ASSERT(quarter->part >= 0.0 && quarter->deep >= 0.0);
    const double along = fmin(4.0 * quarter->reach, 1.0);
    return fmin(quarter->part / fmax(along, 1e-6), 1.0);
}

/* Tells whether a body reaches all the way to a wall that is ahead of a column, or behind it. */
static bool reaches_wall(const rill_body_stage *stage, const rill_body_touch *touch, int32_t axis, bool ahead) {
    const rill_body_node *node = (const rill_body_node *)stage->bodies->nodes.data + touch->node;
    const int32_t step = axis ? node->stride : 1, beyond = ahead ? node->place + step : node->place - step;
    if (rill_body_is_open(stage->flow->bed, node->place, beyond)) return false;
    face_quarter at[2];
    quarters_at(stage, touch, axis, ahead, at);
    return (at[0].part > 0.0 && at[0].reach - 0.25 * at[0].part < RILL_WALL_TOUCHES) ||
           (at[1].part > 0.0 && at[1].reach - 0.25 * at[1].part < RILL_WALL_TOUCHES);
}

/* A body between two walls that it touches is held by them, and what liquid does to it sideways does not matter: where
 * there is no gap there is no pressure either. */
void rill_bodies_find_wedged(const rill_body_stage *stage) {
    const rill_body_touch *touches = stage->bodies->touches.data;
    const rill_body_node *nodes = stage->bodies->nodes.data;
    for (size_t i = stage->island->first_body; i < stage->island->end_body; ++i) {
        rill_body *body = rill_body_in_order(stage->bodies, i);
        body->wedged = 0;
        for (int32_t axis = 0; stage->bodies->roofed && axis < 2; ++axis) {
            bool behind = false, ahead = false;
            for (int32_t t = body->first_touch; t < body->end_touch; ++t) {
                if (!nodes[touches[t].node].flooded || touches[t].first_piece == touches[t].end_piece) continue;
                behind = behind || reaches_wall(stage, &touches[t], axis, false);
                ahead = ahead || reaches_wall(stage, &touches[t], axis, true);
            }
            body->wedged |= (uint8_t)((behind && ahead) << axis);
        }
    }
}

/* Returns what a body displaces in both quarters, as a depth over them, quanta. */
static double half_of(const face_quarter quarters[2]) {
    return 0.5 * (quarters[0].part * quarters[0].deep + quarters[1].part * quarters[1].deep);
}

double rill_body_blocked_depth(const rill_body_stage *stage, const rill_body_face *face, const rill_body_touch *l,
                               const rill_body_touch *r) {
    face_quarter at_l[2], at_r[2];
    double sum = 0.0;
    quarters_at(stage, l, face->axis, true, at_l);
    quarters_at(stage, r, face->axis, false, at_r);
    for (int i = 0; i < 2; ++i) {
        if (!(at_l[i].part > 0.0 && at_r[i].part > 0.0)) continue;
        sum += 0.5 * sqrt(covered_part(&at_l[i]) * covered_part(&at_r[i]) * at_l[i].deep * at_r[i].deep);
    }
    return sum;
}

/* Returns how much of a face bodies keep liquid from, quanta. That begins, and ends, little by little, as the body gets
 * to it: what is left in a column that it is about to fill has to get out. */
static double shut_depth(const rill_body_stage *stage, const rill_body_face *face, const rill_body_touch *l,
                         const rill_body_touch *r) {
    face_quarter at_l[2], at_r[2];
    quarters_at(stage, l, face->axis, true, at_l);
    quarters_at(stage, r, face->axis, false, at_r);
    return fmin(half_of(at_l), half_of(at_r));
}

static int32_t blocked_depth(const rill_body_stage *stage, const rill_body_face *face) {
    const rill_bodies *bodies = stage->bodies;
    const rill_body_node *nodes = bodies->nodes.data;
    const rill_body_touch *touches = bodies->touches.data;
    double sum = 0.0;
    if (face->node_l < 0 || face->node_r < 0) return 0;
    for (int32_t i = nodes[face->node_l].first_touch; i >= 0; i = touches[i].next)
        for (int32_t k = nodes[face->node_r].first_touch; k >= 0; k = touches[k].next)
            if (touches[i].body == touches[k].body) sum += shut_depth(stage, face, &touches[i], &touches[k]);
    return (int32_t)fmin(sum, (double)RILL_TOP);
}

/* Returns the columns at the ends of a face, on bases that are lifted by what bodies displace. Those that are full are
 * full where the body is going to be too: it may just be about to leave them. */
static rill_face_ends ends_of(const rill_body_stage *stage, const rill_body_face *face) {
    const rill_flow *flow = stage->flow;
    const int32_t *b = rill_flow_bases(flow), *c = flow->bed->c, l = face->l, r = face->r;
    const rill_body_node *nodes = stage->bodies->nodes.data;
    const int32_t lift = blocked_depth(stage, face);
    RILL_ASSERT(lift >= 0 && lift <= RILL_TOP);
    rill_face_ends ends = { b[l], b[r], c[l], c[r], flow->H[l], flow->H[r] };
    if (face->node_l >= 0 && nodes[face->node_l].flooded) {
        ends.bl = flow->bed->b[l] + lift;
        ends.Hl = rill_max_i((int32_t)nodes[face->node_l].roof - lift, 0);
    }
    if (face->node_r >= 0 && nodes[face->node_r].flooded) {
        ends.br = flow->bed->b[r] + lift;
        ends.Hr = rill_max_i((int32_t)nodes[face->node_r].roof - lift, 0);
    }
    return ends;
}

/* Returns the head by which tilted gravity and fields drive a face, quanta. */
static int32_t along_bed(const rill_body_stage *stage, const rill_body_face *face) {
    const int32_t push = face->pipe >= 0 ? rill_flow_pipe_push(stage->flow, face->pipe)
                                         : rill_flow_face_push(stage->flow, face->r, face->axis);
    return stage->constants->tilt[face->axis] + push;
}

/* Returns by how much the head of a column is above its level, quanta. */
static double pressure_at(const rill_body_stage *stage, int32_t node, int32_t place) {
    if (node < 0) return rill_pressure_of(stage->flow->pressure[place]);
    const rill_body_node *at = (const rill_body_node *)stage->bodies->nodes.data + node;
    return at->flooded ? at->e - rill_body_node_level(at, at->e) : 0.0;
}

void rill_body_face_find_in_passage(const rill_body_stage *stage, rill_body_face *face) {
    const rill_face_ends ends = ends_of(stage, face);
    const float u = *rill_body_face_velocity(stage->flow, face);
    const rill_pressed_face driven = rill_ceiling_drive(&ends, u, along_bed(stage, face), stage->constants);
    const double drop = pressure_at(stage, face->node_l, face->l) - pressure_at(stage, face->node_r, face->r);
    face->u = driven.base + driven.gain * (float)((double)driven.head + drop);
    face->gain = driven.gain;
    RILL_ASSERT(driven.gain >= 0.0f && isfinite(face->u));
    face->opening = (float)rill_ceiling_opening(&ends, face->u);
    if (stage->settings->paper && face->opening > 0.0f) face->opening = stage->constants->paper_opening;
    if (rill_body_face_is_grounded(stage->bodies, face)) face->u = face->gain = face->opening = 0.0f;
}

static bool is_flooded(const rill_bodies *bodies, const rill_body_face *face) {
    const rill_body_node *nodes = bodies->nodes.data;
    return (face->node_l >= 0 && nodes[face->node_l].flooded) || (face->node_r >= 0 && nodes[face->node_r].flooded);
}

float rill_body_face_driven_in_passage(const rill_body_stage *stage, const rill_body_face *face) {
    if (is_flooded(stage->bodies, face)) return face->u;
    const rill_face_ends ends = ends_of(stage, face);
    const rill_pressed_face driven = rill_ceiling_drive(&ends, face->u, along_bed(stage, face), stage->constants);
    return driven.base + driven.gain * (float)driven.head;
}

/* Notes which nodes are full now, and under which pressure. */
static void note_pressures(const rill_body_stage *stage) {
    rill_bodies *bodies = stage->bodies;
    rill_body_node *nodes = bodies->nodes.data;
    int32_t *claimed = bodies->claimed.data;
    bodies->claimed.count = 0;
    for (size_t i = 0; bodies->roofed && i < bodies->nodes.count; ++i) {
        rill_body_node *node = &nodes[i];
        if (!(node->roof < (double)RILL_TOP)) continue;
        node->flooded = node->e >= node->roof;
        RILL_ASSERT(bodies->claimed.count < bodies->claimed.capacity);
        claimed[bodies->claimed.count++] = node->place;
        rill_passages_set_pressure(stage->flow, node->place, node->flooded ? node->e - node->roof : -1.0);
    }
    stage->flow->claimed = claimed;
    stage->flow->claimed_count = (int32_t)bodies->claimed.count;
}

/* Moves whole quanta over a face, no more than the donor has. */
static void move_over(const rill_body_stage *stage, const rill_body_face *face) {
    const int32_t *H = stage->flow->H;
    const double most = (double)RILL_TOP,
                 real = (double)stage->constants->lambda * (double)face->opening * (double)face->u;
    const double q = real > most ? most : real < -most ? -most : real;
    int32_t t = (int32_t)(q + (double)(q < 0.0 ? -stage->constants->phase : stage->constants->phase));
    t = rill_max_i(rill_min_i(t, H[face->l]), -H[face->r]);
    rill_column_move(stage->flow, face->l, face->r, t);
    *rill_body_face_velocity(stage->flow, face) = 0.0f;
}

/* Moves on what stands above a ceiling. Tells whether it was more than comes of cutting bodies into quarters of
 * cells. */
static bool repair_at(rill_flow *flow, int32_t place, int64_t *refused) {
    const int32_t height = flow->bed->c[place] - flow->bed->b[place], above = flow->H[place] - height;
    return rill_passages_repair_column(flow, place, refused) && above > height / 256;
}

int64_t rill_bodies_move_in_passages(const rill_body_stage *stage, bool *capped) {
    rill_bodies *bodies = stage->bodies;
    rill_body_face *faces = bodies->faces.data;
    const rill_body_node *nodes = bodies->nodes.data;
    int64_t refused = 0;
    note_pressures(stage);
    if (bodies->claimed.count == 0) return 0;
    for (size_t i = 0; i < bodies->faces.count; ++i) {
        faces[i].in_passage |= is_flooded(bodies, &faces[i]);
        if (faces[i].in_passage) move_over(stage, &faces[i]);
    }
    for (size_t i = 0; i < bodies->faces.count; ++i) {
        if (!faces[i].in_passage) continue;
        const bool l = repair_at(stage->flow, faces[i].l, &refused), r = repair_at(stage->flow, faces[i].r, &refused);
        *capped |= l || r;
    }
    for (size_t i = 0; i < bodies->nodes.count; ++i) {
        if (!nodes[i].flooded) continue;
        rill_bodies_lift_base(bodies, stage->flow, nodes[i].place, (double)nodes[i].base + nodes[i].roof);
    }
    RILL_ASSERT(refused >= 0);
    stage->flow->pushed -= refused;
    return refused;
}
