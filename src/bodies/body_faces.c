/* Faces of columns under bodies: see bodies.h. How the sweep will move them, and how a change of head changes that. */
#include "bodies/bodies.h"

#include "base/simd.h"
#include "flow/move.h"
#include "flow/sparse.h"
#include "flow/viscosity.h"

#include <math.h>

/* ------------------------------------------------------------------------------------------------------------ listed */

int32_t rill_body_pipe_axis(const rill_flow *flow, int32_t pipe) {
    return flow->sparse->pipes[pipe].axis;
}

static void add_face(const rill_body_stage *s, int32_t l, int32_t r, int32_t pipe, int32_t axis) {
    rill_bodies *bodies = s->bodies;
    rill_body_face *face = (rill_body_face *)bodies->faces.data + bodies->faces.count++;
    *face = (rill_body_face){ .l = l, .r = r, .pipe = pipe, .axis = axis };
    face->node_l = bodies->node_of[l] - 1;
    face->node_r = bodies->node_of[r] - 1;
    const rill_node *nodes = bodies->nodes.data;
    face->covered =
        (face->node_l >= 0 && nodes[face->node_l].flooded) || (face->node_r >= 0 && nodes[face->node_r].flooded);
}

/* A face between two nodes is found from its east or north end. */
static void add_dense(const rill_body_stage *s, const rill_node *node) {
    const rill_bed *bed = s->flow->bed;
    const int32_t p = node->place, steps[2] = { 1, node->stride };
    for (int32_t axis = 0; axis < 2; ++axis) {
        const int32_t low = p - steps[axis], high = p + steps[axis];
        if (rill_body_is_open(bed, low, p)) add_face(s, low, p, -1, axis);
        if (rill_body_is_open(bed, p, high) && s->bodies->node_of[high] <= 0) add_face(s, p, high, -1, axis);
    }
}

static void add_sparse(const rill_body_stage *s, const rill_node *node) {
    const rill_bed *bed = s->flow->bed;
    for (int32_t i = rill_bed_first_pipe(bed, NULL, node->place); i < bed->pipe_count && bed->pipe_l[i] == node->place;
         ++i)
        add_face(s, node->place, bed->pipe_r[i], i, rill_body_pipe_axis(s->flow, i));
    for (int32_t k = rill_bed_first_pipe(bed, s->pipes_by_r, node->place); k < bed->pipe_count; ++k) {
        const int32_t i = s->pipes_by_r[k], l = bed->pipe_l[i];
        if (bed->pipe_r[i] != node->place) break;
        if (s->bodies->node_of[l] <= 0) add_face(s, l, node->place, i, rill_body_pipe_axis(s->flow, i));
    }
}

/* A body has two grips at most for each column it touches, and one for each sparse pipe. */
void rill_bodies_find_faces(const rill_body_stage *s) {
    rill_bodies *bodies = s->bodies;
    rill_island *islands = bodies->islands.data;
    size_t sparse = 0;
    for (size_t n = 0; n < bodies->islands.count; ++n) {
        islands[n].first_face = bodies->faces.count;
        islands[n].first_grip = islands[n].end_grip = 2 * islands[n].first_touch + sparse;
        for (size_t i = islands[n].first_node; i < islands[n].end_node; ++i) {
            const rill_node *node = (const rill_node *)bodies->nodes.data + i;
            bodies->roofed |= !isinf(node->roof);
            add_dense(s, node);
            const size_t dense = bodies->faces.count;
            if (s->flow->bed->pipe_count > 0) add_sparse(s, node);
            sparse += bodies->faces.count - dense;
        }
        islands[n].end_face = bodies->faces.count;
        islands[n].most_grip = 2 * islands[n].end_touch + sparse;
    }
}

void rill_bodies_find_near(const rill_body_stage *s) {
    rill_island *island = s->island;
    const rill_body_face *faces = s->bodies->faces.data;
    rill_near *near = s->bodies->near.data;
    int32_t *far = (int32_t *)s->bodies->far.data + island->first_face;
    island->far_count = 0;
    for (size_t i = island->first_node; i < island->end_node; ++i)
        for (int k = 0; k < 4; ++k) near[i].node[k] = (int32_t)i, near[i].face[k] = -1;
    for (size_t i = island->first_face; i < island->end_face; ++i) {
        const int32_t l = faces[i].node_l, r = faces[i].node_r, low = rill_min_i(l, r), high = rill_max_i(l, r);
        if (low < 0) continue;
        const int up = near[low].face[2] < 0 ? 2 : 3, down = near[high].face[0] < 0 ? 0 : 1;
        if (near[low].face[up] >= 0 || near[high].face[down] >= 0) {
            far[island->far_count++] = (int32_t)i;
            continue;
        }
        near[low].node[up] = high;
        near[high].node[down] = low;
        near[low].face[up] = near[high].face[down] = (int32_t)i;
    }
}

/* ---------------------------------------------------------------------------------------------------------- as found */

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
