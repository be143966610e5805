/* Faces of columns under bodies: see bodies.h. How the sweep will move them, and how a change of head changes that. */
#include "bodies/bodies.h"

#include "base/simd.h"
#include "flow/move.h"
#include "flow/sparse.h"
#include "flow/viscosity.h"

int32_t rill_body_pipe_axis(const rill_flow *flow, int32_t pipe) {
    return flow->sparse->pipes[pipe].axis;
}

bool rill_body_face_shut(const rill_bodies *bodies, const rill_body_face *face) {
    const rill_node *nodes = bodies->nodes.data;
    return (face->node_l >= 0 && nodes[face->node_l].grounded) || (face->node_r >= 0 && nodes[face->node_r].grounded);
}

/* How much a head changes the velocity of a face in a part of the sub-step, or in several; `square` is that of twice its
 * depth. */
static float gain_in(const rill_kernel_constants *k, float parts, float square) {
    return k->drive * parts * square * k->keep / (square + k->drag * parts);
}

/* The head at an end of a face, absolute, quanta. */
static double head_at(const rill_body_stage *s, int32_t node, int32_t place) {
    const rill_node *nodes = s->bodies->nodes.data;
    return node >= 0 ? (double)nodes[node].base + nodes[node].e : (double)(s->flow->bed->b[place] + s->flow->H[place]);
}

/* What liquid on both sides makes of a face. */
static rill_face face_at(const rill_body_stage *s, const rill_body_face *face) {
    const int32_t *b = rill_flow_bases(s->flow), *H = s->flow->H;
    return rill_face_at(b[face->l], b[face->r], H[face->l], H[face->r]);
}

static float opening_of(const rill_body_stage *s, const rill_body_face *face, const rill_face *f, float u) {
    const int32_t *b = rill_flow_bases(s->flow), *c = s->flow->bed->c, l = face->l, r = face->r;
    const rill_face under = rill_face_under(*f, rill_min_i(c[l], c[r]) - rill_max_i(b[l], b[r]));
    return (float)rill_move_opening(&under, u);
}

/* The same expressions as in the sweep's kernels, but for the velocity: that has been driven by the heads there are for as long
 * as the last sub-step took, and should be for as long as this one does. Liquid has no say in how high heads are at bodies:
 * after a blow they are as high as it took to stop it in one sub-step, and what they did must be undone by just as much. */
void rill_body_face_look(const rill_body_stage *s, rill_body_face *face) {
    if (face->covered) {
        rill_body_face_look_covered(s, face);
        return;
    }
    const rill_face f = face_at(s, face);
    const int32_t *H = s->flow->H, l = face->l, r = face->r;
    const float twice = (float)rill_viscosity_depth(&f, H[l] + H[r]), square = twice * twice + 1.0f;
    face->gain = gain_in(s->k, 1.0f, square);
    face->u = *rill_body_face_velocity(s->flow, face);
    if (s->bodies->lasted != 1.0f)
        face->u += (face->gain - gain_in(s->k, s->bodies->lasted, square)) *
                   (float)(head_at(s, face->node_l, l) - head_at(s, face->node_r, r));
    face->open = opening_of(s, face, &f, face->u);
    if (rill_body_face_shut(s->bodies, face)) face->u = face->gain = face->open = 0.0f;
}
