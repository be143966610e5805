/* What is told about bodies at the end of a step: how they lie in the liquid. */
#include "bodies/bodies.h"

#include <math.h>

/* A quarter of a body in a column, m. */
typedef struct piece {
    double area, low, deep; /* m2; the underside, absolute; how far it is in the liquid */
    double at[2];
} piece;

static piece piece_of(const rill_body_stage *s, const rill_touch *t, const rill_node *node, int q) {
    const rill_bed *bed = s->flow->bed;
    const double dx = bed->grid.cell_size, low = (double)t->low[q], top = fmin(node->e, (double)t->high[q]);
    return (piece){ .area = (double)t->part[q] * dx * dx,
                    .low = bed->datum + ((double)node->base + low) * bed->quantum,
                    .deep = fmax(top - low, 0.0) * bed->quantum,
                    .at = { rill_node_at(bed, node, 0) + (q & 1 ? 0.25 : -0.25) * dx,
                            rill_node_at(bed, node, 1) + (q & 2 ? 0.25 : -0.25) * dx } };
}

static void add_touch(const rill_body_stage *s, const rill_touch *t) {
    const rill_node *node = (const rill_node *)s->bodies->nodes.data + t->node;
    rill_body *body = rill_body_at(s->bodies, t->body);
    rill_body_forces *forces = &body->forces;
    for (int q = 0; q < 4; ++q) {
        const piece p = piece_of(s, t, node, q);
        const double volume = p.area * p.deep;
        if (!(volume > 0.0)) continue;
        forces->submerged_volume += volume;
        forces->submerged_centre[0] += volume * p.at[0];
        forces->submerged_centre[1] += volume * p.at[1];
        forces->submerged_centre[2] += volume * (p.low + 0.5 * p.deep);
        forces->wetted_area += node->e > (double)t->high[q] ? 2.0 * p.area : p.area;
        forces->level += p.area * (p.low + p.deep);
        body->wet += p.area;
    }
}

/* The sides, where it is deeper in one column than in the next; and the liquid that passes. */
static void add_grip(const rill_body_stage *s, const rill_body_grip *grip) {
    const rill_bed *bed = s->flow->bed;
    const rill_body_face *face = (const rill_body_face *)s->bodies->faces.data + grip->face;
    const rill_node *nodes = s->bodies->nodes.data;
    rill_body *body = rill_body_at(s->bodies, grip->body);
    const double side = rill_touch_displaced(grip->l, nodes[face->node_l].e) - rill_touch_displaced(grip->r, nodes[face->node_r].e);
    body->forces.wetted_area += fabs(side) * bed->quantum * bed->grid.cell_size;
    body->forces.liquid_velocity[face->axis] += (double)face->open * (double)face->u;
    body->passing[face->axis] += (double)face->open;
}

void rill_bodies_tell(const rill_body_stage *s) {
    rill_bodies *bodies = s->bodies;
    const rill_touch *touches = bodies->touches.data;
    const rill_body_grip *grips = bodies->grips.data;
    for (size_t i = 0; i < bodies->list.count; ++i) {
        rill_body *body = rill_body_at(bodies, (int32_t)i);
        body->wet = body->passing[0] = body->passing[1] = 0.0;
    }
    for (size_t i = 0; i < bodies->touches.count; ++i) add_touch(s, &touches[i]);
    for (size_t i = 0; i < bodies->grips.count; ++i) add_grip(s, &grips[i]);
    for (size_t i = 0; i < bodies->list.count; ++i) {
        rill_body *body = rill_body_at(bodies, (int32_t)i);
        rill_body_forces *forces = &body->forces;
        if (!body->alive) continue;
        for (int k = 0; k < 3; ++k)
            forces->submerged_centre[k] = forces->submerged_volume > 0.0
                                              ? forces->submerged_centre[k] / forces->submerged_volume
                                              : body->state.position[k];
        forces->level = body->wet > 0.0 ? forces->level / body->wet : body->state.position[2] - body->form.reach;
        for (int k = 0; k < 2; ++k)
            forces->liquid_velocity[k] = body->passing[k] > 0.0 ? forces->liquid_velocity[k] / body->passing[k] : 0.0;
    }
}
