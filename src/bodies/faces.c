/* Faces of columns under bodies: see bodies.h. How the sweep will move them, and how a change of head changes that. */
#include "bodies/bodies.h"

#include "base/simd.h"
#include "flow/move.h"
#include "flow/scratch.h"
#include "flow/viscosity.h"

int32_t rill_body_pipe_axis(const rill_flow *flow, int32_t pipe) {
    return flow->scratch->sparse.pipes[pipe].axis;
}

bool rill_body_face_shut(const rill_bodies *bodies, const rill_body_face *face) {
    const rill_node *nodes = bodies->nodes.data;
    return (face->node_l >= 0 && nodes[face->node_l].grounded) || (face->node_r >= 0 && nodes[face->node_r].grounded);
}

/* The same expressions as in the sweep's kernels, but for the velocity. */
void rill_body_face_look(const rill_body_stage *s, rill_body_face *face) {
    if (face->covered) {
        rill_body_face_look_covered(s, face);
        return;
    }
    const rill_bed *bed = s->flow->bed;
    const int32_t *b = rill_flow_bases(s->flow), *H = s->flow->H, l = face->l, r = face->r;
    const rill_face f = rill_face_at(b[l], b[r], H[l], H[r]);
    const rill_face under = rill_face_under(f, rill_min_i(bed->c[l], bed->c[r]) - rill_max_i(b[l], b[r]));
    const float twice = (float)rill_viscosity_depth(&f, H[l] + H[r]), square = twice * twice + 1.0f;
    face->u = *rill_body_face_velocity(s->flow, face);
    face->open = (float)rill_move_opening(&under, face->u);
    face->gain = s->k->drive * square * s->k->keep / (square + s->k->drag);
    if (rill_body_face_shut(s->bodies, face)) face->u = face->gain = face->open = 0.0f;
}
