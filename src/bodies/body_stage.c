/* The stage of bodies in a sub-step: see bodies.h. */
#include "bodies/bodies.h"

#include "base/simd.h"
#include "flow/sparse.h"

#include <math.h>

void rill_bodies_lift_pipe(rill_flow *flow, int32_t i) {
    rill_sparse *sparse = flow->sparse;
    rill_pipe *pipe = &sparse->pipes[i];
    pipe->bl = sparse->arrays.bl[i] = rill_flow_bases(flow)[pipe->l];
    pipe->br = sparse->arrays.br[i] = rill_flow_bases(flow)[pipe->r];
}

static void wake(const rill_body_stage *s, int32_t place, int32_t *last) {
    const int32_t block = place & -RILL_TILE_W; /* planes are aligned to tiles: one row of one of them */
    if (block == *last) return;
    rill_flow_wake(s->flow, place);
    *last = block;
}

/* The velocity of a face with the changes of head. */
static float changed(const rill_body_stage *s, const rill_body_face *face, const double *pi) {
    const double l = face->node_l >= 0 ? pi[face->node_l] : 0.0, r = face->node_r >= 0 ? pi[face->node_r] : 0.0;
    const float u = face->u + face->gain * (float)(l - r);
    return rill_max_f(rill_min_f(u, s->k->top_speed), -s->k->top_speed);
}

/* What the changes of head do to the velocities of faces. Those under ceilings are moved over here. */
static void change_faces(const rill_body_stage *s, const double *pi) {
    rill_body_face *faces = s->bodies->faces.data;
    for (size_t i = s->island->first_face; i < s->island->end_face; ++i) {
        faces[i].u = s->island->asleep ? 0.0f : changed(s, &faces[i], pi);
        *rill_body_face_velocity(s->flow, &faces[i]) = faces[i].u;
    }
}

static void change_heads(const rill_body_stage *s, const double *pi) {
    rill_node *nodes = s->bodies->nodes.data;
    for (size_t i = s->island->first_node; i < s->island->end_node; ++i) {
        const double e = nodes[i].e + pi[i];
        nodes[i].pi = pi[i] > RILL_HEAD_MOST ? RILL_HEAD_MOST : pi[i] < -RILL_HEAD_MOST ? -RILL_HEAD_MOST : pi[i];
        nodes[i].e = e > RILL_HEAD_MOST ? RILL_HEAD_MOST : e > 0.0 ? e : 0.0;
    }
}

/* Whether a body was put where it is: bases are not yet lifted then. */
static bool any_fresh(const rill_bodies *bodies) {
    bool any = false;
    for (size_t i = 0; i < bodies->list.count; ++i) {
        const rill_body *body = rill_body_at(bodies, (int32_t)i);
        any |= body->alive && body->fresh;
    }
    return any;
}

/* What bodies of an island and the heads under them do to each other. */
static void solve_island(const rill_body_stage *s) {
    rill_body_face *faces = s->bodies->faces.data;
    rill_bodies_ground(s);
    rill_bodies_plug(s);
    rill_bodies_find_near(s);
    for (size_t i = s->island->first_face; i < s->island->end_face; ++i) rill_body_face_look(s, &faces[i]);
    rill_bodies_couple(s);
    rill_bodies_carry(s);
    const double *pi = rill_bodies_balance(s);
    change_faces(s, pi);
    change_heads(s, pi);
    s->island->calm = rill_island_is_calm(s);
}

static void push_island(const rill_body_stage *s) {
    rill_bodies_measure(s);
    if (!s->island->pressed) solve_island(s);
}

/* Columns give to others, which islands cannot do at once; hardly ever any has to. */
static void push_pressed(const rill_body_stage *s) {
    for (size_t i = 0; i < s->bodies->islands.count; ++i) {
        rill_body_stage part = *s;
        part.island = (rill_island *)s->bodies->islands.data + i;
        if (!part.island->pressed) continue;
        rill_island_squeeze(&part);
        solve_island(&part);
    }
}

/* Tiles with columns under bodies are swept as long as these move. */
static void wake_island(const rill_body_stage *s, const rill_island *island) {
    const rill_body_face *faces = s->bodies->faces.data;
    const rill_node *nodes = s->bodies->nodes.data;
    int32_t last = -1;
    for (size_t i = island->first_face; i < island->end_face; ++i) {
        if (faces[i].node_l < 0) wake(s, faces[i].l, &last);
        if (faces[i].node_r < 0) wake(s, faces[i].r, &last);
    }
    last = -1;
    for (size_t i = island->first_node; i < island->end_node; ++i) wake(s, nodes[i].place, &last);
}

bool rill_bodies_move(const rill_body_stage *s, int64_t *refused) {
    rill_bodies *bodies = s->bodies;
    bool capped = false;
    rill_bodies_begin(s);
    rill_bodies_cover(s);
    if (any_fresh(bodies)) rill_islands_each(s, rill_island_lift);
    rill_islands_each(s, push_island);
    push_pressed(s);
    *refused = rill_bodies_pass(s, &capped);
    const rill_island *islands = bodies->islands.data;
    for (size_t i = 0; i < bodies->islands.count; ++i) {
        if (!islands[i].calm) wake_island(s, &islands[i]);
        capped |= !islands[i].converged;
    }
    rill_bodies_end(s);
    return !capped;
}

/* Waves on bodies are as fast as elsewhere. */
static void reach_up(rill_flow *flow, const rill_node *node) {
    const rill_flow_extent here = { .depth = rill_node_deck_depth(node), .level = node->seen };
    rill_flow_widen(&flow->extent, &here);
}

/* Over dry ground nothing moves, and its tile may sleep. */
static void rest_dry_faces(const rill_body_stage *s) {
    rill_body_face *faces = s->bodies->faces.data;
    const int32_t *H = s->flow->H;
    for (size_t i = s->island->first_face; i < s->island->end_face; ++i)
        if (rill_max_i(H[faces[i].l], H[faces[i].r]) <= RILL_DRY) faces[i].u = 0.0f;
}

static void drive_island(const rill_body_stage *s) {
    const rill_bodies *bodies = s->bodies;
    rill_island *island = s->island;
    rill_body_face *faces = bodies->faces.data;
    rill_node *nodes = bodies->nodes.data;
    const int32_t *H = s->flow->H, *b = s->flow->lifted;
    float *fastest = island->fastest;
    bool dry = false;
    double *beyond = bodies->vectors.data; /* heads beyond those that the sweep has driven faces with */
    for (size_t i = island->first_node; i < island->end_node; ++i) {
        const int32_t place = nodes[i].place;
        dry |= H[place] <= RILL_DRY;
        /* Where bodies are, not where they were expected: what is left of it next time is a strain (head_solve.c). */
        nodes[i].kept = nodes[i].flooded
                            ? rill_node_keeps(s, &nodes[i])
                            : rill_node_will_displace(s, &nodes[i], rill_node_level(&nodes[i], nodes[i].e));
        if (nodes[i].kept == 0.0 && !nodes[i].flooded) nodes[i].e = (double)H[place];
        beyond[i] = (double)nodes[i].base + nodes[i].e - (double)(b[place] + H[place]);
    }
    if (island->asleep) return;
    for (size_t i = island->first_face; i < island->end_face; ++i) {
        rill_body_face *face = &faces[i];
        const double l = face->node_l >= 0 ? beyond[face->node_l] : 0.0,
                     r = face->node_r >= 0 ? beyond[face->node_r] : 0.0;
        const float driven = face->covered ? rill_body_face_after(s, face)
                                           : *rill_body_face_velocity(s->flow, face) + face->gain * (float)(l - r);
        face->u = rill_max_f(rill_min_f(driven, s->k->top_speed), -s->k->top_speed);
        fastest[face->axis] = rill_max_f(fastest[face->axis], __builtin_fabsf(face->u));
    }
    rill_bodies_rub(s);
    if (dry) rest_dry_faces(s);
    if (island->calm) rill_island_still(s);
    for (size_t i = island->first_face; i < island->end_face; ++i)
        *rill_body_face_velocity(s->flow, &faces[i]) = faces[i].u;
}

static void end_island(const rill_body_stage *s) {
    drive_island(s);
    rill_island_lift(s);
}

void rill_bodies_drive(const rill_body_stage *s) {
    rill_flow *flow = s->flow;
    const rill_island *islands = s->bodies->islands.data;
    const rill_node *nodes = s->bodies->nodes.data;
    float fastest[2] = { 0.0f, 0.0f };
    rill_islands_each(s, end_island);
    for (size_t i = 0; i < s->bodies->islands.count; ++i)
        for (int k = 0; k < 2; ++k) fastest[k] = rill_max_f(fastest[k], islands[i].fastest[k]);
    flow->extent.speed = rill_max_f(flow->extent.speed, fastest[0] + fastest[1]);
    flow->extent.level = rill_min_i(flow->extent.level, RILL_TOP); /* heads may be higher for a moment */
    for (size_t i = 0; i < s->bodies->nodes.count; ++i)
        if (nodes[i].deck > 0) reach_up(flow, &nodes[i]);
    flow->claimed_count = 0;
}
