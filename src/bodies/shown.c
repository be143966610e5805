/* What the flow sees of heads under bodies: see bodies.h.
 *
 * It sees them as levels on lifted bases, and learns by these how wide open faces are. How faces are driven is put right
 * afterwards (move.c), but where a body strikes the liquid, heads differ from column to column by far more than what these hold,
 * and lifted bases would be steps and weirs under the body that hold back what is to get out from below it:
 *
 *                 |   body   |           e, head                   |   body   |          shown
 *                 +----------+                                     +----------+
 *                   ____                                                           at most a part of the depth
 *                  |::::|      <- liquid on its lifted base            ____        higher than outside
 *        ~~~~~~~~~~|    |~~~~~~~~                        ~~~~~~~~~~~~~|::::|~~~~~~~~
 *
 * So from outside inwards, ring by ring of columns, heads are shown no farther from those of the ring before than that. */
#include "bodies/bodies.h"

#include "base/simd.h"

#include <math.h>

static const double STEP = 1.0 / 16.0;       /* of the lesser depth */
static const double START = 4.0;             /* times that: how far they must differ somewhere for it to matter */
static const double THIN = 1.0 / 32.0;       /* cells: where there is less than that, it is right that nothing flows */
enum { HIGHEST = RILL_TOP - RILL_TOP / 16 }; /* the range is for liquid, not for pressure */

typedef struct shown {
    const rill_body_stage *stage;
    rill_node *nodes;
    const rill_body_face *faces;
    size_t node_count, face_count;
    double *level;              /* per node, absolute, quanta */
    double *sum, *most, *count; /* of the levels of the ring before, of how much they may differ; and how many */
    int32_t *ring;
    int32_t thin;
} shown;

void rill_bodies_lift(const rill_bodies *bodies, rill_flow *flow, int32_t place, double head) {
    const double top = (double)HIGHEST, level = head < top ? head : top;
    const int32_t base = (int32_t)level - flow->H[place];
    bodies->shown[place] = rill_max_i(base, flow->bed->b[place]);
}

static double level_at(const shown *s, int32_t node, int32_t place) {
    const rill_flow *flow = s->stage->flow;
    return node >= 0 ? s->level[node] : (double)(flow->bed->b[place] + flow->H[place]);
}

/* How much the levels at a face may differ; infinity: they have nothing to do with each other. */
static double leeway(const shown *s, const rill_body_face *face) {
    const int32_t *H = s->stage->flow->H, depth = rill_min_i(H[face->l], H[face->r]);
    const bool roofed = (face->node_l >= 0 && !isinf(s->nodes[face->node_l].roof)) ||
                        (face->node_r >= 0 && !isinf(s->nodes[face->node_r].roof));
    return roofed || depth < s->thin ? (double)INFINITY : STEP * (double)depth;
}

/* Whether any differ by more; hardly ever, but for blows. */
static bool is_steep(const shown *s) {
    for (size_t i = 0; i < s->face_count; ++i) {
        const rill_body_face *face = &s->faces[i];
        const double steep = level_at(s, face->node_l, face->l) - level_at(s, face->node_r, face->r);
        if (fabs(steep) > START * leeway(s, face)) return true;
    }
    return false;
}

/* What a node of the next ring has beside it. */
static void add(const shown *s, int32_t node, double level, double most) {
    s->sum[node] += level;
    s->most[node] += most;
    s->count[node] += 1.0;
}

/* Where a node is not wholly covered its level is one, and is not raised. */
static void keep_near(const shown *s, size_t i) {
    const double outside = s->sum[i] / s->count[i], most = s->most[i] / s->count[i];
    if (s->level[i] > outside + most) s->level[i] = outside + most;
    if (s->level[i] < outside - most && s->nodes[i].shut == 15) s->level[i] = outside - most;
}

static void even_out(const shown *s) {
    for (size_t i = 0; i < s->node_count; ++i) s->ring[i] = RILL_NO_RING;
    const int32_t last = rill_bodies_rings(s->stage->bodies, s->ring);
    for (int32_t ring = 1; ring <= last; ++ring) {
        for (size_t i = 0; i < s->node_count; ++i) s->sum[i] = s->most[i] = s->count[i] = 0.0;
        for (size_t i = 0; i < s->face_count; ++i) {
            const rill_body_face *face = &s->faces[i];
            const int32_t l = face->node_l >= 0 ? s->ring[face->node_l] : 0;
            const int32_t r = face->node_r >= 0 ? s->ring[face->node_r] : 0;
            if (l == r || (l > r ? l : r) != ring) continue;
            const double most = leeway(s, face);
            if (isinf(most)) continue;
            add(s, l > r ? face->node_l : face->node_r,
                l > r ? level_at(s, face->node_r, face->r) : level_at(s, face->node_l, face->l), most);
        }
        for (size_t i = 0; i < s->node_count; ++i)
            if (s->count[i] > 0.0) keep_near(s, i);
    }
}

void rill_bodies_lift_all(const rill_body_stage *stage) {
    rill_bodies *bodies = stage->bodies;
    const rill_bed *bed = stage->flow->bed;
    const size_t n = bodies->nodes.count;
    double *v = bodies->vectors.data;
    const shown s = { .stage = stage,
                      .nodes = bodies->nodes.data,
                      .faces = bodies->faces.data,
                      .node_count = n,
                      .face_count = bodies->faces.count,
                      .level = v,
                      .sum = v + n,
                      .most = v + 2 * n,
                      .count = v + 3 * n,
                      .ring = (int32_t *)(void *)(v + 4 * n),
                      .thin = (int32_t)(THIN * bed->grid.cell_size / bed->quantum) };
    for (size_t i = 0; i < n; ++i) s.level[i] = (double)s.nodes[i].base + rill_node_level(&s.nodes[i], s.nodes[i].e);
    if (is_steep(&s)) even_out(&s);
    for (size_t i = 0; i < n; ++i) rill_bodies_lift(bodies, stage->flow, s.nodes[i].place, s.level[i]);
    for (size_t i = 0; i < s.face_count; ++i)
        if (s.faces[i].pipe >= 0) rill_bodies_lift_pipe(stage->flow, s.faces[i].pipe);
}
