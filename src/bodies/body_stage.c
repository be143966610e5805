/* The stage of bodies in a sub-step: see bodies.h. */
#include "bodies/bodies_internal.h"

#include "base/simd.h"
#include "flow/sparse.h"

#include <math.h>

void rill_bodies_lift_pipe(rill_flow *flow, int32_t i) {
    rill_sparse *sparse = flow->sparse;
    rill_pipe *pipe = &sparse->pipes[i];
    pipe->bl = sparse->arrays.bl[i] = rill_flow_bases(flow)[pipe->l];
    pipe->br = sparse->arrays.br[i] = rill_flow_bases(flow)[pipe->r];
}

static void wake(const rill_body_stage *stage, int32_t place, int32_t *last) {
    const int32_t block = place & -RILL_TILE_W; /* planes are aligned to tiles: one row of one of them */
    if (block == *last) return;
    rill_flow_wake(stage->flow, place);
    *last = block;
}

/* Returns the velocity of a face with the changes of head. */
static float velocity_after(const rill_body_stage *stage, const rill_body_face *face, const double *pi) {
    const double l = face->node_l >= 0 ? pi[face->node_l] : 0.0, r = face->node_r >= 0 ? pi[face->node_r] : 0.0;
    RILL_ASSERT(face->gain >= 0.0f && isfinite(face->u));
    const float u = face->u + face->gain * (float)(l - r);
    return rill_max_f(rill_min_f(u, stage->constants->top_speed), -stage->constants->top_speed);
}

/* Changes the velocities of faces by the changes of head. */
static void change_faces(const rill_body_stage *stage, const double *pi) {
    rill_body_face *faces = stage->bodies->faces.data;
    for (size_t i = stage->island->first_face; i < stage->island->end_face; ++i) {
        faces[i].u = stage->island->asleep ? 0.0f : velocity_after(stage, &faces[i], pi);
        *rill_body_face_velocity(stage->flow, &faces[i]) = faces[i].u;
    }
}

static void change_heads(const rill_body_stage *stage, const double *pi) {
    rill_body_node *nodes = stage->bodies->nodes.data;
    for (size_t i = stage->island->first_node; i < stage->island->end_node; ++i) {
        RILL_ASSERT(isfinite(pi[i]) && isfinite(nodes[i].e));
        const double e = nodes[i].e + pi[i];
        nodes[i].pi = pi[i] > RILL_HEAD_MOST ? RILL_HEAD_MOST : pi[i] < -RILL_HEAD_MOST ? -RILL_HEAD_MOST : pi[i];
        nodes[i].e = e > RILL_HEAD_MOST ? RILL_HEAD_MOST : e > 0.0 ? e : 0.0;
    }
}

/* Tells whether a body was put where it is: bases are not yet lifted then. */
static bool any_fresh(const rill_bodies *bodies) {
    bool any = false;
    for (size_t i = 0; i < bodies->list.count; ++i) {
        const rill_body *body = rill_body_at(bodies, (int32_t)i);
        any |= body->alive && body->fresh;
    }
    return any;
}

/* Solves for what bodies of an island and the heads under them do to each other. */
static void solve_island(const rill_body_stage *stage) {
    rill_body_face *faces = stage->bodies->faces.data;
    rill_bodies_find_grounded(stage);
    rill_bodies_find_proxies(stage);
    rill_bodies_find_neighbours(stage);
    for (size_t i = stage->island->first_face; i < stage->island->end_face; ++i) rill_body_face_find(stage, &faces[i]);
    rill_bodies_couple(stage);
    rill_bodies_add_mass(stage);
    RILL_ASSERT(stage->island->end_overlap <= stage->island->most_overlap);
    const double *pi = rill_bodies_solve_heads(stage);
    change_faces(stage, pi);
    change_heads(stage, pi);
    stage->island->calm = rill_body_island_is_calm(stage);
}

static void solve_if_open(const rill_body_stage *stage) {
    rill_bodies_measure_contact(stage);
    if (!stage->island->has_excess) solve_island(stage);
}

/* Solves islands whose columns give to others, which islands cannot do at once; hardly ever any has to. */
static void solve_with_excess(const rill_body_stage *stage) {
    for (size_t i = 0; i < stage->bodies->islands.count; ++i) {
        rill_body_stage part = *stage;
        part.island = (rill_body_island *)stage->bodies->islands.data + i;
        if (!part.island->has_excess) continue;
        rill_body_island_squeeze_out(&part);
        solve_island(&part);
    }
}

/* Tiles with columns under bodies are swept as long as these move. */
static void wake_island(const rill_body_stage *stage, const rill_body_island *island) {
    const rill_body_face *faces = stage->bodies->faces.data;
    const rill_body_node *nodes = stage->bodies->nodes.data;
    int32_t last = -1;
    for (size_t i = island->first_face; i < island->end_face; ++i) {
        if (faces[i].node_l < 0) wake(stage, faces[i].l, &last);
        if (faces[i].node_r < 0) wake(stage, faces[i].r, &last);
    }
    last = -1;
    for (size_t i = island->first_node; i < island->end_node; ++i) wake(stage, nodes[i].place, &last);
}

bool rill_bodies_move(const rill_body_stage *stage, int64_t *refused) {
    rill_bodies *bodies = stage->bodies;
    bool capped = false;
    RILL_ASSERT(stage->dt > 0.0 && stage->density > 0.0 && bodies->plane_size == (size_t)stage->flow->bed->plane_size);
    rill_bodies_begin(stage);
    rill_bodies_cover(stage);
    if (any_fresh(bodies)) rill_bodies_each_island(stage, rill_body_island_lift_bases);
    rill_bodies_each_island(stage, solve_if_open);
    solve_with_excess(stage);
    *refused = rill_bodies_move_in_passages(stage, &capped);
    const rill_body_island *islands = bodies->islands.data;
    for (size_t i = 0; i < bodies->islands.count; ++i) {
        if (!islands[i].calm) wake_island(stage, &islands[i]);
        capped |= !islands[i].converged;
    }
    rill_bodies_end(stage);
    return !capped;
}

/* Counts what lies on bodies into the flow's extent: waves there are as fast as elsewhere. */
static void widen_for_deck(rill_flow *flow, const rill_body_node *node) {
    const rill_flow_extent here = { .depth = rill_body_node_deck_depth(node), .level = node->drawn };
    rill_flow_widen(&flow->extent, &here);
}

/* Stops faces over dry ground: nothing moves there, and its tile may sleep. */
static void rest_dry_faces(const rill_body_stage *stage) {
    rill_body_face *faces = stage->bodies->faces.data;
    const int32_t *H = stage->flow->H;
    for (size_t i = stage->island->first_face; i < stage->island->end_face; ++i)
        if (rill_max_i(H[faces[i].l], H[faces[i].r]) <= RILL_DRY) faces[i].u = 0.0f;
}

static void drive_island(const rill_body_stage *stage) {
    const rill_bodies *bodies = stage->bodies;
    rill_body_island *island = stage->island;
    rill_body_face *faces = bodies->faces.data;
    rill_body_node *nodes = bodies->nodes.data;
    const int32_t *H = stage->flow->H, *b = stage->flow->lifted;
    float *fastest = island->fastest;
    bool dry = false;
    double *beyond = bodies->vectors.data; /* heads beyond those that the sweep has driven faces with */
    for (size_t i = island->first_node; i < island->end_node; ++i) {
        const int32_t place = nodes[i].place;
        dry |= H[place] <= RILL_DRY;
        /* Where bodies are, not where they were expected: what is left of it next time is a strain (head_solve.c). */
        nodes[i].displaced_before =
            nodes[i].flooded
                ? rill_body_node_displaced_after(stage, &nodes[i])
                : rill_body_node_will_displace(stage, &nodes[i], rill_body_node_level(&nodes[i], nodes[i].e));
        if (nodes[i].displaced_before == 0.0 && !nodes[i].flooded) nodes[i].e = (double)H[place];
        RILL_ASSERT(isfinite(nodes[i].displaced_before));
        RILL_ASSERT(b[place] >= nodes[i].base && H[place] >= 0);
        beyond[i] = (double)nodes[i].base + nodes[i].e - (double)(b[place] + H[place]);
    }
    if (island->asleep) return;
    for (size_t i = island->first_face; i < island->end_face; ++i) {
        rill_body_face *face = &faces[i];
        const double l = face->node_l >= 0 ? beyond[face->node_l] : 0.0,
                     r = face->node_r >= 0 ? beyond[face->node_r] : 0.0;
        const float driven = face->in_passage
                                 ? rill_body_face_driven_in_passage(stage, face)
                                 : *rill_body_face_velocity(stage->flow, face) + face->gain * (float)(l - r);
        RILL_ASSERT(isfinite(driven));
        face->u = rill_max_f(rill_min_f(driven, stage->constants->top_speed), -stage->constants->top_speed);
        fastest[face->axis] = rill_max_f(fastest[face->axis], __builtin_fabsf(face->u));
    }
    rill_bodies_apply_drag(stage);
    if (dry) rest_dry_faces(stage);
    if (island->calm) rill_body_island_stop_faces(stage);
    for (size_t i = island->first_face; i < island->end_face; ++i)
        *rill_body_face_velocity(stage->flow, &faces[i]) = faces[i].u;
}

static void end_island(const rill_body_stage *stage) {
    drive_island(stage);
    rill_body_island_lift_bases(stage);
}

void rill_bodies_drive(const rill_body_stage *stage) {
    rill_flow *flow = stage->flow;
    const rill_body_island *islands = stage->bodies->islands.data;
    const rill_body_node *nodes = stage->bodies->nodes.data;
    float fastest[2] = { 0.0f, 0.0f };
    rill_bodies_each_island(stage, end_island);
    for (size_t i = 0; i < stage->bodies->islands.count; ++i)
        for (int k = 0; k < 2; ++k) fastest[k] = rill_max_f(fastest[k], islands[i].fastest[k]);
    flow->extent.speed = rill_max_f(flow->extent.speed, fastest[0] + fastest[1]);
    flow->extent.level = rill_min_i(flow->extent.level, RILL_TOP); /* heads may be higher for a moment */
    for (size_t i = 0; i < stage->bodies->nodes.count; ++i)
        if (nodes[i].deck > 0) widen_for_deck(flow, &nodes[i]);
    flow->claimed_count = 0;
}
