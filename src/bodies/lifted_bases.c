/* Lifted bases, by which the flow sees heads under bodies: see bodies.h.
 *
 * It sees them as levels on lifted bases, and learns by these how wide open faces are. How faces are driven is put
 * right afterwards (body_stage.c), but where a body strikes the liquid, heads differ from column to column by far more
 * than what these hold, and lifted bases would be steps and weirs under the body that hold back what is to get out from
 * below it:
 *
 *                 |   body   |           e, head                   |   body   |          shown
 *                 +----------+                                     +----------+
 *                   ____                                                           at most a part of the depth
 *                  |::::|      <- liquid on its lifted base            ____        higher than outside
 *        ~~~~~~~~~~|    |~~~~~~~~                        ~~~~~~~~~~~~~|::::|~~~~~~~~
 *
 * So from outside inwards, ring by ring of columns, heads are shown no farther than that from the ring before. */
#include "bodies/bodies_internal.h"
#include "bodies/body_constants.h"

#include "base/simd.h"

#include <math.h>

typedef struct base_lift {
    const rill_body_stage *stage;
    rill_body_node *nodes;
    const rill_body_face *faces;
    size_t first, end;          /* nodes */
    double *level;              /* per node, absolute, quanta */
    double *sum, *most, *count; /* of the levels of the ring before, of how much they may differ; and how many */
    int32_t *ring;
    int32_t thin;
} base_lift;

void rill_bodies_lift_base(const rill_bodies *bodies, rill_flow *flow, int32_t place, double head) {
    const double top = (double)RILL_LIFT_HIGHEST, level = head < top ? head : top;
    const int32_t base = (int32_t)level - flow->H[place];
    RILL_ASSERT(isfinite(head) && place >= 0 && (size_t)place < bodies->plane_size && flow->H[place] >= 0);
    bodies->lifted[place] = rill_max_i(base, flow->bed->b[place]);
}

static double level_at(const base_lift *lift, int32_t node, int32_t place) {
    const rill_flow *flow = lift->stage->flow;
    return node >= 0 ? lift->level[node] : (double)(flow->bed->b[place] + flow->H[place]);
}

/* Returns how much the levels at a face may differ; infinity: they have nothing to do with each other. */
static double leeway(const base_lift *lift, const rill_body_face *face) {
    const rill_flow *flow = lift->stage->flow;
    const int32_t depth = rill_min_i(flow->H[face->l], flow->H[face->r]);
    const bool roofed = flow->passages && ((face->node_l >= 0 && !isinf(lift->nodes[face->node_l].roof)) ||
                                           (face->node_r >= 0 && !isinf(lift->nodes[face->node_r].roof)));
    return roofed || depth < lift->thin ? (double)INFINITY : RILL_LIFT_STEP * (double)depth;
}

/* Marks the bodies over a node as having heads that differ by more. */
static void mark_steep(const base_lift *lift, int32_t node) {
    const rill_bodies *bodies = lift->stage->bodies;
    const rill_body_touch *touches = bodies->touches.data;
    for (int32_t i = node >= 0 ? lift->nodes[node].first_touch : -1; i >= 0; i = touches[i].next)
        rill_body_at(bodies, touches[i].body)->steep = true;
}

/* Finds the bodies under which heads differ by more; hardly ever there are any, but for blows. */
static bool find_steep(const base_lift *lift) {
    const rill_bodies *bodies = lift->stage->bodies;
    bool any = false;
    const rill_body_island *island = lift->stage->island;
    for (size_t i = island->first_body; i < island->end_body; ++i) rill_body_in_order(bodies, i)->steep = false;
    for (size_t i = island->first_face; i < island->end_face; ++i) {
        const rill_body_face *face = &lift->faces[i];
        const double steep = level_at(lift, face->node_l, face->l) - level_at(lift, face->node_r, face->r);
        if (!(fabs(steep) > RILL_LIFT_START * leeway(lift, face))) continue;
        mark_steep(lift, face->node_l);
        mark_steep(lift, face->node_r);
        any = true;
    }
    return any;
}

/* Adds what a node of the next ring has beside it. */
static void add_outside(const base_lift *lift, int32_t node, double level, double most) {
    RILL_ASSERT(node >= 0 && most >= 0.0);
    lift->sum[node] += level;
    lift->most[node] += most;
    lift->count[node] += 1.0;
}

/* Limits the level of a node by those outside; where it is not wholly covered that is a level, and is not raised. */
static void limit_step(const base_lift *lift, int32_t i) {
    RILL_ASSERT(lift->count[i] > 0.0 && i >= (int32_t)lift->first && i < (int32_t)lift->end);
    const double outside = lift->sum[i] / lift->count[i], most = lift->most[i] / lift->count[i];
    if (lift->level[i] > outside + most) lift->level[i] = outside + most;
    if (lift->level[i] < outside - most && lift->nodes[i].shut == 15) lift->level[i] = outside - most;
}

/* Returns, of a face between two rings, the node of the inner one. */
static int32_t inner_of(const base_lift *lift, const rill_body_face *face) {
    return rill_body_ring_at(lift->ring, face->node_l) > rill_body_ring_at(lift->ring, face->node_r) ? face->node_l
                                                                                                     : face->node_r;
}

static void limit_steps(const base_lift *lift) {
    const rill_bodies *bodies = lift->stage->bodies;
    const rill_body_touch *touches = bodies->touches.data;
    const rill_body_island *island = lift->stage->island;
    for (size_t i = lift->first; i < lift->end; ++i) {
        lift->ring[i] = 0;
        lift->sum[i] = lift->most[i] = lift->count[i] = 0.0;
    }
    for (size_t i = island->first_body; i < island->end_body; ++i) {
        const rill_body *body = rill_body_in_order(bodies, i);
        for (int32_t t = body->steep ? body->first_touch : body->end_touch; t < body->end_touch; ++t)
            lift->ring[touches[t].node] = RILL_BODY_NO_RING;
    }
    const int32_t listed = rill_body_island_find_rings(lift->stage, lift->ring),
                  *between = rill_body_island_ring_faces(lift->stage);
    for (int32_t from = 0, end; from < listed; from = end) {
        const int32_t ring = rill_body_island_ring_of(lift->stage, lift->ring, from);
        for (end = from + 1; end < listed && rill_body_island_ring_of(lift->stage, lift->ring, end) == ring;) end += 1;
        for (int32_t k = from; k < end; ++k) {
            const rill_body_face *face = &lift->faces[between[k]];
            const int32_t inner = inner_of(lift, face);
            const double most = leeway(lift, face);
            if (isinf(most)) continue;
            add_outside(lift, inner,
                        inner == face->node_l ? level_at(lift, face->node_r, face->r)
                                              : level_at(lift, face->node_l, face->l),
                        most);
        }
        for (int32_t k = from; k < end; ++k) {
            const int32_t inner = inner_of(lift, &lift->faces[between[k]]);
            if (lift->count[inner] > 0.0) limit_step(lift, inner);
            lift->count[inner] = 0.0;
        }
    }
}

void rill_body_island_lift_bases(const rill_body_stage *stage) {
    const rill_bodies *bodies = stage->bodies;
    const rill_body_island *island = stage->island;
    const rill_bed *bed = stage->flow->bed;
    const size_t n = bodies->nodes.count;
    double *vectors = bodies->vectors.data;
    const base_lift lift = { .stage = stage,
                             .nodes = bodies->nodes.data,
                             .faces = bodies->faces.data,
                             .first = island->first_node,
                             .end = island->end_node,
                             .level = vectors,
                             .sum = vectors + n,
                             .most = vectors + 2 * n,
                             .count = vectors + 3 * n,
                             .ring = (int32_t *)(void *)(vectors + 4 * n),
                             .thin = (int32_t)(RILL_LIFT_THIN * bed->grid.cell_size / bed->quantum) };
    for (size_t i = lift.first; i < lift.end; ++i)
        lift.level[i] = (double)lift.nodes[i].base + rill_body_node_level(&lift.nodes[i], lift.nodes[i].e);
    if (find_steep(&lift)) limit_steps(&lift);
    for (size_t i = lift.first; i < lift.end; ++i)
        rill_bodies_lift_base(bodies, stage->flow, lift.nodes[i].place, lift.level[i]);
    for (size_t i = island->first_face; bed->pipe_count > 0 && i < island->end_face; ++i)
        if (lift.faces[i].pipe >= 0) rill_bodies_lift_pipe(stage->flow, lift.faces[i].pipe);
}
