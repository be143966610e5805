/* How high the surface is drawn at bodies, at the end of a step: see bodies.h.
 *
 * Where a body reaches through the surface, the head is pressure and not a level: a hull that is pressed down or struck
 * has heads far above the liquid around it, which must not be seen as spouts in its hold. So the surface goes on inside
 * of a body as it comes to it, ring by ring of columns, each at the mean of those of the ring before:
 *
 *        ~~~~~~~~~~+-------------+~~~~~~~~~      . drawn, inside of the body: it ends at the body's side
 *                  |. . . . . . .|               wherever that is in a cell
 *                  +-------------+
 *
 * and below the deck where that is lower, as in the hold of a boat; unless liquid lies there (deck_flow.c): then that
 * is drawn. */
#include "bodies/bodies_internal.h"
#include "bodies/body_constants.h"

#include "base/simd.h"

#include <math.h>

typedef struct level_search {
    const rill_body_stage *stage;
    size_t node_count;
    double *level;      /* per node, absolute, quanta; NaN: not known yet */
    double *sum;        /* of the levels around a node, absolute, quanta */
    double *neighbours; /* how many levels there are around a node */
    int32_t *unknown;   /* faces with an end that is not known yet */
} level_search;

/* Tells whether the surface passes through bodies in more than half of the cell: it is not to be seen there. */
static bool is_hidden(const rill_bodies *bodies, const rill_body_node *node) {
    const rill_body_touch *touches = bodies->touches.data;
    const rill_body_piece *pieces = bodies->pieces.data;
    float passed = 0.0f;
    for (int32_t i = node->first_touch; i >= 0; i = touches[i].next)
        for (int32_t k = touches[i].first_piece; k < touches[i].end_piece; ++k)
            if ((double)pieces[k].low < node->e && node->e < (double)pieces[k].high) passed += pieces[k].part;
    return passed > 0.5f;
}

static double level_at(const level_search *search, int32_t node, int32_t place) {
    const rill_flow *flow = search->stage->flow;
    if (node >= 0) return search->level[node];
    return flow->H[place] > RILL_DRY ? (double)(flow->bed->b[place] + flow->H[place]) : (double)NAN;
}

static void add_level(const level_search *search, int32_t node, double level) {
    if (node < 0 || !isnan(search->level[node]) || isnan(level)) return;
    RILL_ASSERT(node >= 0 && (size_t)node < search->node_count);
    search->sum[node] += level;
    search->neighbours[node] += 1.0;
}

static bool has_unknown_end(const level_search *search, const rill_body_face *face) {
    return (face->node_l >= 0 && isnan(search->level[face->node_l])) ||
           (face->node_r >= 0 && isnan(search->level[face->node_r]));
}

/* Adds one more ring; false if there is none. */
static bool add_ring(const level_search *search, size_t left) {
    const rill_body_face *faces = search->stage->bodies->faces.data;
    for (size_t i = 0; i < search->node_count; ++i) search->sum[i] = search->neighbours[i] = 0.0;
    for (size_t i = 0; i < left; ++i) {
        const rill_body_face *face = &faces[search->unknown[i]];
        const double l = level_at(search, face->node_l, face->l), r = level_at(search, face->node_r, face->r);
        add_level(search, face->node_l, r);
        add_level(search, face->node_r, l);
    }
    bool any = false;
    for (size_t i = 0; i < search->node_count; ++i) {
        if (search->neighbours[i] == 0.0) continue;
        search->level[i] = search->sum[i] / search->neighbours[i];
        any = true;
    }
    return any;
}

/* Returns a level as it may be drawn: not on a deck that is dry, but half way down to the underside. */
static int32_t below_deck(const rill_body_node *node, int32_t H, double level) {
    const uint32_t dry = node->shut & ~(uint32_t)node->over;
    double lid = (double)RILL_TOP;
    for (int q = 0; q < 4; ++q)
        if (dry >> q & 1u) lid = rill_min_d(lid, (double)node->base + (double)node->lid[q]);
    const double middle = 0.5 * (lid + (double)(node->base + H));
    return (int32_t)(level > lid ? rill_min_d(level, middle) : level);
}

void rill_bodies_find_draw_levels(const rill_body_stage *stage) {
    rill_bodies *bodies = stage->bodies;
    rill_body_node *nodes = bodies->nodes.data;
    double *vectors = bodies->vectors.data;
    const level_search search = { .stage = stage,
                                  .node_count = bodies->nodes.count,
                                  .level = vectors,
                                  .sum = vectors + bodies->nodes.count,
                                  .neighbours = vectors + 2 * bodies->nodes.count,
                                  .unknown = bodies->far_faces.data };
    const rill_body_face *faces = bodies->faces.data;
    const int32_t film = (int32_t)(RILL_DECK_DRAWN * stage->flow->bed->grid.cell_size / stage->flow->bed->quantum);
    for (size_t i = 0; i < search.node_count; ++i)
        search.level[i] = is_hidden(bodies, &nodes[i]) ? (double)NAN : (double)nodes[i].base + nodes[i].e;
    size_t left = 0;
    for (size_t i = 0; i < bodies->faces.count; ++i)
        if (has_unknown_end(&search, &faces[i])) search.unknown[left++] = (int32_t)i;
    RILL_ASSERT(left <= bodies->faces.count);
    while (add_ring(&search, left)) {
        const size_t before = left;
        left = 0;
        for (size_t i = 0; i < before; ++i)
            if (has_unknown_end(&search, &faces[search.unknown[i]])) search.unknown[left++] = search.unknown[i];
    }
    for (size_t i = 0; i < search.node_count; ++i) {
        const double head = (double)nodes[i].base + nodes[i].e, level = isnan(search.level[i]) ? head : search.level[i];
        const double most = (double)(RILL_TOP - RILL_DRY);
        if (nodes[i].deck > film) continue; /* it is as high as that stands */
        nodes[i].drawn = below_deck(&nodes[i], stage->flow->H[nodes[i].place], rill_min_d(level, most));
    }
}
