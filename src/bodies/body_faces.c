/* Faces of columns under bodies: see bodies.h. How the sweep will move them, and how a change of head changes that. */
#include "bodies/bodies_internal.h"

#include "base/simd.h"
#include "flow/move.h"
#include "flow/sparse.h"
#include "flow/viscosity.h"

#include <math.h>

/* ----------------------------------------------------------------------------------------------------------- listed */

static int32_t pipe_axis(const rill_flow *flow, int32_t pipe) {
    return flow->sparse->pipes[pipe].axis;
}

static void add_face(const rill_body_stage *stage, int32_t l, int32_t r, int32_t pipe, int32_t axis) {
    rill_bodies *bodies = stage->bodies;
    rill_body_face *face = (rill_body_face *)bodies->faces.data + bodies->faces.count++;
    *face = (rill_body_face){ .l = l, .r = r, .pipe = pipe, .axis = axis };
    face->node_l = bodies->node_of[l] - 1;
    face->node_r = bodies->node_of[r] - 1;
    RILL_ASSERT(bodies->faces.count <= bodies->faces.capacity);
    RILL_ASSERT(face->node_l >= 0 || face->node_r >= 0);
    RILL_ASSERT(face->node_l < (int32_t)bodies->nodes.count && face->node_r < (int32_t)bodies->nodes.count);
    const rill_body_node *nodes = bodies->nodes.data;
    face->in_passage =
        (face->node_l >= 0 && nodes[face->node_l].flooded) || (face->node_r >= 0 && nodes[face->node_r].flooded);
}

/* Adds the dense faces of a node; one between two nodes is found from its east or north end. */
static void add_dense(const rill_body_stage *stage, const rill_body_node *node) {
    const rill_bed *bed = stage->flow->bed;
    const int32_t p = node->place, steps[2] = { 1, node->stride };
    for (int32_t axis = 0; axis < 2; ++axis) {
        const int32_t low = p - steps[axis], high = p + steps[axis];
        if (rill_body_is_open(bed, low, p)) add_face(stage, low, p, -1, axis);
        if (rill_body_is_open(bed, p, high) && stage->bodies->node_of[high] <= 0) add_face(stage, p, high, -1, axis);
    }
}

static void add_sparse(const rill_body_stage *stage, const rill_body_node *node) {
    const rill_bed *bed = stage->flow->bed;
    for (int32_t i = rill_bed_first_pipe(bed, NULL, node->place); i < bed->pipe_count && bed->pipe_l[i] == node->place;
         ++i)
        add_face(stage, node->place, bed->pipe_r[i], i, pipe_axis(stage->flow, i));
    for (int32_t k = rill_bed_first_pipe(bed, stage->pipes_by_r, node->place); k < bed->pipe_count; ++k) {
        const int32_t i = stage->pipes_by_r[k], l = bed->pipe_l[i];
        if (bed->pipe_r[i] != node->place) break;
        if (stage->bodies->node_of[l] <= 0) add_face(stage, l, node->place, i, pipe_axis(stage->flow, i));
    }
}

/* Gives islands room for overlaps as well: a body has two at most for each column it touches, and one for each sparse
 * pipe. */
void rill_bodies_find_faces(const rill_body_stage *stage) {
    rill_bodies *bodies = stage->bodies;
    rill_body_island *islands = bodies->islands.data;
    size_t sparse = 0;
    for (size_t n = 0; n < bodies->islands.count; ++n) {
        islands[n].first_face = bodies->faces.count;
        islands[n].first_overlap = islands[n].end_overlap = 2 * islands[n].first_touch + sparse;
        for (size_t i = islands[n].first_node; i < islands[n].end_node; ++i) {
            const rill_body_node *node = (const rill_body_node *)bodies->nodes.data + i;
            bodies->roofed |= !isinf(node->roof);
            add_dense(stage, node);
            const size_t dense = bodies->faces.count;
            if (stage->flow->bed->pipe_count > 0) add_sparse(stage, node);
            sparse += bodies->faces.count - dense;
        }
        islands[n].end_face = bodies->faces.count;
        islands[n].most_overlap = 2 * islands[n].end_touch + sparse;
        RILL_ASSERT(islands[n].first_overlap <= islands[n].most_overlap);
        RILL_ASSERT(islands[n].most_overlap <= bodies->overlaps.capacity);
    }
}

void rill_bodies_find_neighbours(const rill_body_stage *stage) {
    rill_body_island *island = stage->island;
    const rill_body_face *faces = stage->bodies->faces.data;
    rill_body_neighbours *neighbours = stage->bodies->neighbours.data;
    int32_t *far_faces = (int32_t *)stage->bodies->far_faces.data + island->first_face;
    island->far_count = 0;
    for (size_t i = island->first_node; i < island->end_node; ++i)
        for (int k = 0; k < 4; ++k) neighbours[i].node[k] = (int32_t)i, neighbours[i].face[k] = -1;
    for (size_t i = island->first_face; i < island->end_face; ++i) {
        const int32_t l = faces[i].node_l, r = faces[i].node_r, low = rill_min_i(l, r), high = rill_max_i(l, r);
        if (low < 0) continue;
        const int up = neighbours[low].face[2] < 0 ? 2 : 3, down = neighbours[high].face[0] < 0 ? 0 : 1;
        RILL_ASSERT(low != high && high < (int32_t)island->end_node);
        if (neighbours[low].face[up] >= 0 || neighbours[high].face[down] >= 0) {
            far_faces[island->far_count++] = (int32_t)i;
            continue;
        }
        RILL_ASSERT(island->far_count <= island->end_face - island->first_face);
        neighbours[low].node[up] = high;
        neighbours[high].node[down] = low;
        neighbours[low].face[up] = neighbours[high].face[down] = (int32_t)i;
    }
}

/* ----------------------------------------------------------------------------------------------------------
 * as found */

bool rill_body_face_is_grounded(const rill_bodies *bodies, const rill_body_face *face) {
    const rill_body_node *nodes = bodies->nodes.data;
    return (face->node_l >= 0 && nodes[face->node_l].grounded) || (face->node_r >= 0 && nodes[face->node_r].grounded);
}

/* Returns how much a head changes the velocity of a face in so many parts of the sub-step; `square` is that of twice
 * its depth. */
static float gain_over(const rill_kernel_constants *constants, float parts, float square) {
    return constants->drive * parts * square * constants->keep / (square + constants->drag * parts);
}

/* Returns the head at an end of a face, absolute, quanta. */
static double head_at(const rill_body_stage *stage, int32_t node, int32_t place) {
    const rill_body_node *nodes = stage->bodies->nodes.data;
    return node >= 0 ? (double)nodes[node].base + nodes[node].e
                     : (double)(stage->flow->bed->b[place] + stage->flow->H[place]);
}

/* Returns the face as the liquid on both sides makes it. */
static rill_face face_at(const rill_body_stage *stage, const rill_body_face *face) {
    const int32_t *b = rill_flow_bases(stage->flow), *H = stage->flow->H;
    return rill_face_at(b[face->l], b[face->r], H[face->l], H[face->r]);
}

static float opening_of(const rill_body_stage *stage, const rill_body_face *face, const rill_face *depths, float u) {
    const int32_t *b = rill_flow_bases(stage->flow), *c = stage->flow->bed->c, l = face->l, r = face->r;
    const rill_face under = rill_face_under(*depths, rill_min_i(c[l], c[r]) - rill_max_i(b[l], b[r]));
    return (float)rill_move_opening(&under, u);
}

/* Uses the expressions of the sweep's kernels, but for the velocity: that has been driven by the heads there are for as
 * long as the last sub-step took, and should be for as long as this one does. Liquid has no say in how high heads are
 * at bodies: after a blow they are as high as it took to stop it in one sub-step, and what they did must be undone by
 * just as much. */
void rill_body_face_find(const rill_body_stage *stage, rill_body_face *face) {
    if (face->in_passage) {
        rill_body_face_find_in_passage(stage, face);
        return;
    }
    const rill_face depths = face_at(stage, face);
    const int32_t *H = stage->flow->H, l = face->l, r = face->r;
    const float twice = (float)rill_viscosity_depth(&depths, H[l] + H[r]), square = twice * twice + 1.0f;
    face->gain = gain_over(stage->constants, 1.0f, square);
    face->u = *rill_body_face_velocity(stage->flow, face);
    if (stage->bodies->last_dt_ratio != 1.0f)
        face->u += (face->gain - gain_over(stage->constants, stage->bodies->last_dt_ratio, square)) *
                   (float)(head_at(stage, face->node_l, l) - head_at(stage, face->node_r, r));
    face->opening = opening_of(stage, face, &depths, face->u);
    if (rill_body_face_is_grounded(stage->bodies, face)) face->u = face->gain = face->opening = 0.0f;
}
