/* What is told about bodies at the end of a step: how they lie in the liquid. */
#include "bodies/bodies.h"

#include "base/simd.h"

#include <math.h>

static void add_touch(const rill_body_stage *s, const rill_touch *t) {
    const rill_bed *bed = s->flow->bed;
    const rill_node *node = (const rill_node *)s->bodies->nodes.data + t->node;
    const rill_piece *pieces = s->bodies->pieces.data;
    rill_body *body = rill_body_at(s->bodies, t->body);
    rill_body_forces *forces = &body->forces;
    for (int32_t k = t->first; k < t->end; ++k) {
        const rill_piece *p = &pieces[k];
        const double area = (double)p->part * bed->grid.cell_size * bed->grid.cell_size;
        const double deep = (rill_min_d(node->e, (double)p->high) - (double)p->low) * bed->quantum,
                     volume = area * deep;
        const double low = rill_bed_z(bed, node->base) + (double)p->low * bed->quantum;
        if (!(volume > 0.0)) continue;
        forces->submerged_volume += volume;
        for (int i = 0; i < 2; ++i) forces->submerged_centre[i] += volume * (body->expected[i] + (double)p->arm[i]);
        forces->submerged_centre[2] += volume * (low + 0.5 * deep);
        forces->wetted_area += node->e > (double)p->high ? 2.0 * area : area;
        forces->level += area * (rill_bed_z(bed, node->base) + node->e * bed->quantum);
        body->wet += area;
    }
}

/* The sides, where it is deeper in one column than in the next; and the liquid that passes. */
static void add_grip(const rill_body_stage *s, const rill_body_grip *grip) {
    const rill_bed *bed = s->flow->bed;
    const rill_body_face *face = (const rill_body_face *)s->bodies->faces.data + grip->face;
    rill_body *body = rill_body_at(s->bodies, grip->body);
    body->forces.wetted_area += grip->ends * bed->quantum * bed->grid.cell_size;
    body->forces.liquid_velocity[face->axis] += (double)face->open * (double)face->u;
    body->passing[face->axis] += (double)face->open;
}

void rill_bodies_tell(const rill_body_stage *s) {
    rill_bodies *bodies = s->bodies;
    const rill_touch *touches = bodies->touches.data;
    const rill_body_grip *grips = bodies->grips.data;
    const rill_island *islands = bodies->islands.data;
    for (size_t i = 0; i < bodies->list.count; ++i) {
        rill_body *body = rill_body_at(bodies, (int32_t)i);
        body->wet = body->passing[0] = body->passing[1] = 0.0;
    }
    for (size_t i = 0; i < bodies->touches.count; ++i) add_touch(s, &touches[i]);
    for (size_t n = 0; n < bodies->islands.count; ++n)
        for (size_t i = islands[n].first_grip; i < islands[n].end_grip; ++i) add_grip(s, &grips[i]);
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
