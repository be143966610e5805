/* Bodies on the bed, and what is left of liquid under them: see bodies.h.
 *
 *   grounded   Where nothing but a film is left under a body, liquid neither gets away nor in within a sub-step, and
 *              whatever pressure would be needed to keep the body from coming down that last bit, it would have. That
 *              is the business of the bed, or of an engine's contacts. So such a column is left out of the solve: its
 *              head is that of what is around the film, which is what it passes on in the long run, and a body that
 *              lies on the bed has its buoyancy.
 *
 *   excess     Through a film nothing flows, and no pressure that a column can have would press it out within a
 *              sub-step. But where a body has come to lie, liquid may be left that there is no room for. It is put
 *              outside at once, ring by ring of columns, in whole quanta, and is neither pressed nor moved by that:
 *
 *        ~~~~~~~~~~+-------------+~~~~~~~~~      2 gives to 1, which gives to 0: what is not on the bed
 *                  |             |
 *        :::::0::::+-1--2--2--1--+::::0::::
 *
 *   rings      Faces between ring 0 and ring 1 are listed first, then those between 1 and 2. What is passed on from
 *              ring to ring looks at each of them once.
 *
 *        0  0  0  0  0  0
 *        0  1  1  1  1  0
 *        0  1  2  2  1  0
 *        0  1  1  1  1  0
 *        0  0  0  0  0  0 */
#include "bodies/bodies_internal.h"
#include "bodies/body_constants.h"

#include "flow/column.h"

#include "base/simd.h"

#include <math.h>

/* ------------------------------------------------------------------------------------------------------------ rings */

/* Passes over faces that may yet lie between rings; each leaves fewer. */
int32_t rill_body_island_find_rings(const rill_body_stage *stage, int32_t *ring) {
    const rill_body_island *island = stage->island;
    const rill_body_face *faces = stage->bodies->faces.data;
    int32_t *listed = rill_body_island_ring_faces(stage), *open = listed + (island->end_face - island->first_face);
    int32_t count = 0, left = 0;
    for (int32_t i = (int32_t)island->first_face; i < (int32_t)island->end_face; ++i)
        if (rill_body_ring_at(ring, faces[i].node_l) == RILL_BODY_NO_RING ||
            rill_body_ring_at(ring, faces[i].node_r) == RILL_BODY_NO_RING)
            open[left++] = i;
    for (int32_t last = 0, before = -1; count > before; ++last) {
        int32_t kept = 0;
        before = count;
        for (int32_t k = 0; k < left; ++k) {
            const rill_body_face *face = &faces[open[k]];
            const int32_t l = rill_body_ring_at(ring, face->node_l), r = rill_body_ring_at(ring, face->node_r);
            if (l == last || r == last) {
                const int32_t inner = l == last ? face->node_r : face->node_l;
                RILL_ASSERT(inner < 0 || (size_t)inner < island->end_node);
                if (rill_body_ring_at(ring, inner) == RILL_BODY_NO_RING) ring[inner] = last + 1;
                if (rill_body_ring_at(ring, inner) == last + 1) listed[count++] = open[k];
            } else if (l == RILL_BODY_NO_RING || r == RILL_BODY_NO_RING) {
                open[kept++] = open[k];
            }
        }
        RILL_ASSERT(kept <= left && count <= (int32_t)(island->end_face - island->first_face));
        left = kept;
    }
    return count;
}

int32_t rill_body_island_ring_of(const rill_body_stage *stage, const int32_t *ring, int32_t listed) {
    const rill_body_face *faces = stage->bodies->faces.data, *face = &faces[rill_body_island_ring_faces(stage)[listed]];
    return rill_max_i(rill_body_ring_at(ring, face->node_l), rill_body_ring_at(ring, face->node_r));
}

/* ----------------------------------------------------------------------------------------------------------- excess */

typedef struct excess_search {
    const rill_body_stage *stage;
    rill_body_node *nodes;
    const rill_body_face *faces;
    size_t first, end; /* nodes */
    int32_t *ring;     /* per node: 0 outside */
    int32_t *excess;   /* per node: what does not fit, quanta */
} excess_search;

/* Tells whether a body is on the bed in all of a column, and no liquid over it: else that is where the excess is. */
static bool is_closed(const excess_search *search, const rill_body_node *node) {
    const rill_bodies *bodies = search->stage->bodies;
    const rill_body_touch *touches = bodies->touches.data;
    const rill_body_piece *pieces = bodies->pieces.data;
    if (node->shut != 15 || node->over || search->stage->flow->bed->c[node->place] < RILL_TOP) return false;
    const double film = rill_body_node_film(search->stage->flow->bed, node);
    uint32_t on_bed = 0;
    for (int32_t i = node->first_touch; i >= 0; i = touches[i].next)
        for (int32_t k = touches[i].first_piece; k < touches[i].end_piece; ++k)
            on_bed |= (uint32_t)((double)pieces[k].low < film) << pieces[k].quarter;
    return on_bed == 15;
}

/* Moves quanta, as far as there is room. */
static void give_outwards(const excess_search *search, int32_t from, int32_t node, int32_t place, int32_t amount) {
    const rill_bed *bed = search->stage->flow->bed;
    const int32_t *H = search->stage->flow->H;
    const int32_t room = bed->c[place] < RILL_TOP ? 0 : RILL_TOP - RILL_TOP / 16 - bed->b[place] - H[place];
    const int32_t part = rill_max_i(rill_min_i(amount, room), 0);
    rill_column_move(search->stage->flow, search->nodes[from].place, place, part);
    search->excess[from] -= part;
    if (node >= 0) search->excess[node] += part;
    rill_flow_wake(search->stage->flow, place);
}

/* Passes on all that the columns of a ring have too much of to those of the ring outside, over the faces listed. */
static void empty_ring(const excess_search *search, const int32_t *listed, int32_t count, int32_t *ways) {
    for (int32_t pass = 0; pass < 2; ++pass)
        for (int32_t k = 0; k < count; ++k) {
            const rill_body_face *face = &search->faces[listed[k]];
            const bool from_l =
                rill_body_ring_at(search->ring, face->node_l) > rill_body_ring_at(search->ring, face->node_r);
            const int32_t from = from_l ? face->node_l : face->node_r;
            RILL_ASSERT(from >= 0 && search->ring[from] > 0);
            if (search->excess[from] <= 0) continue;
            if (pass == 0) {
                ways[from] += 1; /* out of it */
                continue;
            }
            give_outwards(search, from, from_l ? face->node_r : face->node_l, from_l ? face->r : face->l,
                          search->excess[from] / ways[from]);
            ways[from] -= ways[from] > 1;
        }
}

/* Empties rings from the innermost outwards. */
static void empty_rings(const excess_search *search, int32_t *ways) {
    const int32_t listed = rill_body_island_find_rings(search->stage, search->ring),
                  *between = rill_body_island_ring_faces(search->stage);
    for (size_t i = search->first; i < search->end; ++i) ways[i] = 0;
    for (int32_t end = listed, from; end > 0; end = from) {
        const int32_t ring = rill_body_island_ring_of(search->stage, search->ring, end - 1);
        for (from = end - 1; from > 0 && rill_body_island_ring_of(search->stage, search->ring, from - 1) == ring;)
            from -= 1;
        empty_ring(search, between + from, end - from, ways);
    }
}

/* Returns what does not fit into a column, quanta; next to nothing if no body lies on the bed there. */
static double excess_of(const excess_search *search, const rill_body_node *node) {
    const double fits = node->e - node->displaced;
    return (double)search->stage->flow->H[node->place] - (fits > 0.0 ? fits : 0.0);
}

static excess_search make_search(const rill_body_stage *stage) {
    const size_t n = stage->bodies->nodes.count;
    double *vectors = stage->bodies->vectors.data;
    return (excess_search){ .stage = stage,
                            .nodes = stage->bodies->nodes.data,
                            .faces = stage->bodies->faces.data,
                            .first = stage->island->first_node,
                            .end = stage->island->end_node,
                            .ring = (int32_t *)(void *)vectors,
                            .excess = (int32_t *)(void *)(vectors + n) + n };
}

static double least_of(const rill_body_stage *stage) {
    return RILL_GROUND_LEAST * stage->flow->bed->grid.cell_size / stage->flow->bed->quantum;
}

static bool has_excess(const rill_body_stage *stage) {
    const excess_search search = make_search(stage);
    bool any = false;
    for (size_t i = search.first; i < search.end && !any; ++i)
        any = excess_of(&search, &search.nodes[i]) > least_of(stage) && is_closed(&search, &search.nodes[i]);
    return any;
}

void rill_body_island_squeeze_out(const rill_body_stage *stage) {
    const excess_search search = make_search(stage);
    for (size_t i = search.first; i < search.end; ++i) {
        const double excess = excess_of(&search, &search.nodes[i]);
        const bool closed = is_closed(&search, &search.nodes[i]);
        search.ring[i] = closed ? RILL_BODY_NO_RING : 0;
        search.excess[i] = closed && excess > least_of(stage) ? (int32_t)excess : 0;
    }
    empty_rings(&search, (int32_t *)(void *)((double *)stage->bodies->vectors.data + stage->bodies->nodes.count));
}

/* ------------------------------------------------------------------------------------------------------------ films */

double rill_body_node_film(const rill_bed *bed, const rill_body_node *node) {
    return (node->yields || !isinf(node->roof) ? RILL_GROUND_FILM : RILL_GROUND_LAST) * bed->grid.cell_size /
           bed->quantum;
}

/* Measures how a body lies in a column with a level. */
static void measure(const rill_bodies *bodies, rill_body_touch *touch, double e) {
    const rill_body_piece *pieces = bodies->pieces.data;
    double deep = 0.0, share = 0.0, under = 0.0, moment[2] = { 0.0, 0.0 };
    for (int32_t k = touch->first_piece; k < touch->end_piece; ++k) {
        const double part = (double)pieces[k].part, low = (double)pieces[k].low, high = (double)pieces[k].high;
        if (e <= low) continue;
        deep += part * ((e < high ? e : high) - low);
        share += part;
        under += part * low;
        for (int i = 0; i < 2; ++i) moment[i] += part * (double)pieces[k].arm[i];
    }
    RILL_ASSERT(deep >= 0.0 && share >= 0.0);
    touch->displaced = (float)deep;
    touch->share = (float)share;
    touch->underside = share > 0.0 ? (float)(under / share) : 0.0f;
    for (int i = 0; i < 2; ++i) touch->arm[i] = share > 0.0 ? (float)(moment[i] / share) : 0.0f;
}

/* Adds what there is beside a node of the next ring of a film. */
static void add_around(const rill_body_stage *stage, rill_body_node *node, int32_t other, int32_t place,
                       double *count) {
    const rill_body_node *nodes = stage->bodies->nodes.data;
    const double head = other < 0               ? (double)(stage->flow->bed->b[place] + stage->flow->H[place])
                        : nodes[other].grounded ? (double)nodes[other].base + nodes[other].head_around
                                                : (double)nodes[other].base + nodes[other].e;
    node->head_around += head - (double)node->base;
    RILL_ASSERT(isfinite(head));
    *count += 1.0;
}

/* Finds the heads of films: ring by ring, each the mean of those of the ring before; their own if there is none. */
static void find_around(const rill_body_stage *stage) {
    rill_bodies *bodies = stage->bodies;
    rill_body_node *nodes = bodies->nodes.data;
    const rill_body_face *faces = bodies->faces.data;
    const size_t first = stage->island->first_node, last = stage->island->end_node;
    double *count = bodies->vectors.data;
    /* Other islands may be in their solve already: its vectors have other strides. */
    int32_t *ring = (int32_t *)(void *)(count + RILL_BODY_RING_VECTOR * bodies->nodes.count);
    bool any = false;
    for (size_t i = first; i < last; ++i) {
        ring[i] = nodes[i].grounded ? RILL_BODY_NO_RING : 0;
        any |= nodes[i].grounded;
        count[i] = nodes[i].head_around = 0.0;
    }
    if (!any) return;
    const int32_t listed = rill_body_island_find_rings(stage, ring), *between = rill_body_island_ring_faces(stage);
    for (int32_t from = 0, end; from < listed; from = end) {
        const int32_t here = rill_body_island_ring_of(stage, ring, from);
        for (end = from; end < listed && rill_body_island_ring_of(stage, ring, end) == here; ++end) {
            const rill_body_face *face = &faces[between[end]];
            if (rill_body_ring_at(ring, face->node_l) == here)
                add_around(stage, &nodes[face->node_l], face->node_r, face->r, &count[face->node_l]);
            else
                add_around(stage, &nodes[face->node_r], face->node_l, face->l, &count[face->node_r]);
        }
        for (int32_t k = from; k < end; ++k) {
            const rill_body_face *face = &faces[between[k]];
            const int32_t inner = rill_body_ring_at(ring, face->node_l) == here ? face->node_l : face->node_r;
            if (count[inner] > 0.0) nodes[inner].head_around = rill_max_d(nodes[inner].head_around / count[inner], 0.0);
            count[inner] = 0.0;
        }
    }
    for (size_t i = first; i < last; ++i)
        if (ring[i] == RILL_BODY_NO_RING) nodes[i].head_around = nodes[i].e;
}

void rill_bodies_measure_contact(const rill_body_stage *stage) {
    rill_bodies *bodies = stage->bodies;
    rill_body_island *island = stage->island;
    rill_body_touch *touches = bodies->touches.data;
    rill_body_node *nodes = bodies->nodes.data;
    for (size_t i = island->first_node; i < island->end_node; ++i) nodes[i].displaced = 0.0, nodes[i].yields = false;
    for (size_t i = island->first_touch; i < island->end_touch; ++i) {
        const rill_body *body = rill_body_at(bodies, touches[i].body);
        rill_body_node *node = &nodes[touches[i].node];
        const double lifted = rill_body_node_lifted_head(stage->flow, node);
        measure(bodies, &touches[i], node->e);
        node->displaced += (double)touches[i].displaced;
        if (lifted < node->e - 1.0) measure(bodies, &touches[i], lifted);
        node->yields |= !isinf(body->mass);
        if (body->fresh && node->displaced_before == 0.0)
            node->displaced_before = (double)touches[i].displaced; /* unless a fill has left it out */
    }
    island->has_excess = has_excess(stage);
}

void rill_bodies_find_grounded(const rill_body_stage *stage) {
    rill_body_node *nodes = stage->bodies->nodes.data;
    for (size_t i = stage->island->first_node; i < stage->island->end_node; ++i) {
        rill_body_node *node = &nodes[i];
        const double gap = rill_body_node_level(node, node->e) - node->displaced,
                     film = rill_body_node_film(stage->flow->bed, node);
        RILL_ASSERT(film > 0.0 && node->displaced >= 0.0);
        node->grounded = node->shut == 15 && gap < film && (double)stage->flow->H[node->place] < film;
    }
    find_around(stage);
}
