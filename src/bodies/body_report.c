/* The report of bodies at the end of a step: how they lie in the liquid. */
#include "bodies/bodies_internal.h"

#include "base/simd.h"

#include <math.h>

static void add_touch(const rill_body_stage *stage, const rill_body_touch *touch) {
    const rill_bed *bed = stage->flow->bed;
    const rill_body_node *node = (const rill_body_node *)stage->bodies->nodes.data + touch->node;
    RILL_ASSERT(touch->node >= 0 && (size_t)touch->node < stage->bodies->nodes.count);
    const rill_body_piece *pieces = stage->bodies->pieces.data;
    rill_body *body = rill_body_at(stage->bodies, touch->body);
    rill_body_forces *forces = &body->forces;
    for (int32_t k = touch->first_piece; k < touch->end_piece; ++k) {
        const rill_body_piece *piece = &pieces[k];
        const double area = (double)piece->part * bed->grid.cell_size * bed->grid.cell_size;
        const double deep = (rill_min_d(node->e, (double)piece->high) - (double)piece->low) * bed->quantum,
                     volume = area * deep;
        const double low = rill_bed_z(bed, node->base) + (double)piece->low * bed->quantum;
        if (!(volume > 0.0)) continue;
        forces->submerged_volume += volume;
        for (int i = 0; i < 2; ++i)
            forces->submerged_centre[i] += volume * (body->expected_position[i] + (double)piece->arm[i]);
        forces->submerged_centre[2] += volume * (low + 0.5 * deep);
        forces->wetted_area += node->e > (double)piece->high ? 2.0 * area : area;
        forces->level += area * (rill_bed_z(bed, node->base) + node->e * bed->quantum);
        body->wet_area += area;
    }
}

/* Adds the sides, where it is deeper in one column than in the next, and the liquid that passes. */
static void add_overlap(const rill_body_stage *stage, const rill_body_overlap *overlap) {
    const rill_bed *bed = stage->flow->bed;
    const rill_body_face *face = (const rill_body_face *)stage->bodies->faces.data + overlap->face;
    rill_body *body = rill_body_at(stage->bodies, overlap->body);
    RILL_ASSERT(overlap->difference >= 0.0);
    body->forces.wetted_area += overlap->difference * bed->quantum * bed->grid.cell_size;
    body->forces.liquid_velocity[face->axis] += (double)face->opening * (double)face->u;
    body->passing_depth[face->axis] += (double)face->opening;
}

void rill_bodies_report(const rill_body_stage *stage) {
    rill_bodies *bodies = stage->bodies;
    const rill_body_touch *touches = bodies->touches.data;
    const rill_body_overlap *overlaps = bodies->overlaps.data;
    const rill_body_island *islands = bodies->islands.data;
    for (size_t i = 0; i < bodies->list.count; ++i) {
        rill_body *body = rill_body_at(bodies, (int32_t)i);
        body->wet_area = body->passing_depth[0] = body->passing_depth[1] = 0.0;
    }
    for (size_t i = 0; i < bodies->touches.count; ++i) add_touch(stage, &touches[i]);
    for (size_t n = 0; n < bodies->islands.count; ++n)
        for (size_t i = islands[n].first_overlap; i < islands[n].end_overlap; ++i) add_overlap(stage, &overlaps[i]);
    for (size_t i = 0; i < bodies->list.count; ++i) {
        rill_body *body = rill_body_at(bodies, (int32_t)i);
        rill_body_forces *forces = &body->forces;
        if (!body->alive) continue;
        for (int k = 0; k < 3; ++k)
            forces->submerged_centre[k] = forces->submerged_volume > 0.0
                                              ? forces->submerged_centre[k] / forces->submerged_volume
                                              : body->state.position[k];
        forces->level =
            body->wet_area > 0.0 ? forces->level / body->wet_area : body->state.position[2] - body->form.reach;
        for (int k = 0; k < 2; ++k)
            forces->liquid_velocity[k] =
                body->passing_depth[k] > 0.0 ? forces->liquid_velocity[k] / body->passing_depth[k] : 0.0;
    }
}
