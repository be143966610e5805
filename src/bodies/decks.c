/* Decks and holds: on which parts of bodies liquid stands. See bodies.h.
 *
 * Pressure from below must not press liquid through a body: what is wholly covered is flooded from above only, by liquid beside
 * it that stands higher. That is asked for each quarter of a cell, so that a wall of three quarters keeps what is behind it
 * dry, however it lies on the grid: one of them at least, on any way across, is all wall.
 *
 *      e  ~~~~~~~~~~+--+        +--+~~~~~~    A quarter is *shut* if it is wholly covered, up to its lid. Liquid stands *over*
 *                   |  |  hold  |  |          it if it did before and the head is still above the lid, or if it comes from
 *                   |  +--------+  |          a quarter beside it: one that is not shut, or has liquid over it, in a
 *                   +--------------+          column where it stands higher than this lid.
 *
 * Liquid comes as far as it can at once, and what has come in stays until the head has gone below the lid.
 * Where none stands, the body counts as if it had no topside: the head there is pressure on its underside, and no more. */
#include "bodies/bodies.h"

#include <math.h>

enum { QUARTERS = 4, ALL = 15 };
static const double WHOLE = 0.999;       /* of a quarter: more than this is all of it */
static const double SUNKEN = 1.0 / 16.0; /* cells: how far contacts let a body into what it lies on */

static rill_node *node_at(const rill_bodies *bodies, int32_t index) {
    return index >= 0 ? (rill_node *)bodies->nodes.data + index : NULL;
}

/* How deep each body is under the level that is seen over it: 0 where it is not, 1 where all of it is by a cell. */
static void find_sunk(const rill_body_stage *s) {
    const rill_touch *touches = s->bodies->touches.data;
    const rill_piece *pieces = s->bodies->pieces.data;
    const rill_node *nodes = s->bodies->nodes.data;
    const double scale = s->flow->bed->quantum / s->flow->bed->grid.cell_size;
    for (size_t i = 0; i < s->bodies->list.count; ++i) {
        rill_body *body = rill_body_at(s->bodies, (int32_t)i);
        double level = (double)RILL_TOP, top = 0.0;
        if (!body->alive) continue;
        for (int32_t t = body->first; t < body->end; ++t) {
            const rill_node *node = &nodes[touches[t].node];
            if (touches[t].first == touches[t].end) continue;
            level = fmin(level, node->seen >= 0 ? (double)node->seen : (double)node->base + node->e);
            for (int32_t k = touches[t].first; k < touches[t].end; ++k) {
                const double high = (double)node->base + (double)pieces[k].high;
                if (high > top) top = high;
            }
        }
        body->sunk = fmax(0.0, fmin(scale * (level - top), 1.0));
    }
}

/* Bodies that lean on each other are over the same parts of a cell, and cannot cover more than all of it where the level is.
 * What is well below that displaces all of itself. */
static void share_out(const rill_bodies *bodies, const rill_node *node) {
    const rill_touch *touches = bodies->touches.data;
    rill_piece *pieces = bodies->pieces.data;
    double covered = 0.0;
    for (int32_t i = node->first; i >= 0; i = touches[i].next)
        for (int32_t k = touches[i].first; k < touches[i].end; ++k)
            covered += (double)pieces[k].part * (1.0 - rill_body_at(bodies, touches[i].body)->sunk);
    const double excess = covered * (1.0 + 1e-6) - 1.0;
    for (int32_t i = covered > 1.0 ? node->first : -1; i >= 0; i = touches[i].next)
        for (int32_t k = touches[i].first; k < touches[i].end; ++k) {
            const double most = 1.0 + excess * (1.0 - rill_body_at(bodies, touches[i].body)->sunk);
            pieces[k].part = (float)((double)pieces[k].part / most);
        }
}

/* What is shut, and how high. */
static void find_lids(const rill_bodies *bodies, rill_node *node) {
    const rill_touch *touches = bodies->touches.data;
    const rill_piece *pieces = bodies->pieces.data;
    double covered[QUARTERS] = { 0 };
    for (int q = 0; q < QUARTERS; ++q) node->lid[q] = (float)RILL_WALL;
    for (int32_t i = node->first; i >= 0; i = touches[i].next)
        for (int32_t k = touches[i].first; k < touches[i].end; ++k) {
            const int32_t q = pieces[k].quarter;
            covered[q] += 4.0 * (double)pieces[k].part;
            node->lid[q] = pieces[k].high < node->lid[q] ? pieces[k].high : node->lid[q];
        }
    node->shut = 0;
    for (int q = 0; q < QUARTERS; ++q)
        if (covered[q] >= WHOLE) node->shut = (uint8_t)(node->shut | 1u << q);
    const double sum = 0.25 * ((covered[0] + covered[1]) + (covered[2] + covered[3]));
    node->narrow = sum > 0.5;
    node->crowded = sum > 1.0;
}

static double level_at(const rill_body_stage *s, const rill_node *node, int32_t place) {
    return node ? node->stands : (double)(s->flow->bed->b[place] + s->flow->H[place]);
}

/* How high liquid stands: at the head. But in a slit beside a body that may be the pressure of a blow from below, which comes
 * over nothing, so there it is no higher than where there is more room. */
static void find_levels(const rill_body_stage *s) {
    rill_node *nodes = s->bodies->nodes.data;
    const rill_body_face *faces = s->bodies->faces.data;
    for (size_t n = 0; n < s->bodies->nodes.count; ++n)
        nodes[n].stands = nodes[n].narrow ? -1.0 : (double)nodes[n].base + rill_node_level(&nodes[n], nodes[n].e);
    for (size_t i = 0; i < s->bodies->faces.count; ++i) {
        rill_node *l = node_at(s->bodies, faces[i].node_l), *r = node_at(s->bodies, faces[i].node_r);
        const bool narrow_l = l && l->narrow, narrow_r = r && r->narrow;
        if (narrow_l && !narrow_r) l->stands = fmax(l->stands, level_at(s, r, faces[i].r));
        if (narrow_r && !narrow_l) r->stands = fmax(r->stands, level_at(s, l, faces[i].l));
    }
    for (size_t n = 0; n < s->bodies->nodes.count; ++n) {
        const double head = (double)nodes[n].base + rill_node_level(&nodes[n], nodes[n].e);
        if (nodes[n].stands < 0.0 || nodes[n].stands > head) nodes[n].stands = head;
    }
}

/* The quarters on which there is liquid, or could be. */
static uint32_t open_of(const rill_node *node) {
    return (~(uint32_t)node->shut | node->over) & ALL;
}

/* The quarters whose lids are below a level, above the base. */
static uint32_t below(const rill_node *node, double level) {
    const float *lid = node->lid;
    return (uint32_t)(level > (double)lid[0]) | (uint32_t)(level > (double)lid[1]) << 1 |
           (uint32_t)(level > (double)lid[2]) << 2 | (uint32_t)(level > (double)lid[3]) << 3;
}

/* Of these quarters, those that liquid beside them at a level, absolute, comes over. */
static uint32_t flooded(const rill_node *node, uint32_t beside, double level) {
    return beside ? beside & below(node, level - (double)node->base) : 0;
}

/* Quarters 0 to 3 are south-west, south-east, north-west, north-east. */
static uint32_t east(uint32_t quarters) {
    return quarters << 1 & 10u;
}
static uint32_t west(uint32_t quarters) {
    return quarters >> 1 & 5u;
}
static uint32_t north(uint32_t quarters) {
    return quarters << 2 & 12u;
}
static uint32_t south(uint32_t quarters) {
    return quarters >> 2 & 3u;
}

/* Lets liquid at a level come to quarters of a node, and on inside of it as far as its own head lets it; true if any did. */
static bool enter(rill_node *node, uint32_t quarters, double level) {
    const uint32_t before = node->over;
    uint32_t beside = quarters;
    for (;;) {
        const uint32_t more = flooded(node, beside & node->shut & ~(uint32_t)node->over, level);
        if (!more) return node->over != before;
        node->over = (uint8_t)(node->over | more);
        beside = east(more) | west(more) | north(more) | south(more);
        level = node->stands;
    }
}

/* Both ways over a face; true if anything came over. */
static bool cross(const rill_body_stage *s, const rill_body_face *face) {
    rill_node *l = node_at(s->bodies, face->node_l), *r = node_at(s->bodies, face->node_r);
    const uint32_t open_l = l ? open_of(l) : ALL, open_r = r ? open_of(r) : ALL;
    if ((open_l & open_r) == ALL) return false;
    bool any = false;
    if (r && open_r != ALL) {
        const double level = level_at(s, l, face->l);
        any |= enter(r, face->axis ? south(open_l) : west(open_l), level);
    }
    if (l && open_l != ALL) {
        const double level = level_at(s, r, face->r);
        any |= enter(l, face->axis ? north(open_r) : east(open_r), level);
    }
    return any;
}

/* Until no more comes over; which does not depend on the order. */
static void spread(const rill_body_stage *s) {
    const rill_body_face *faces = s->bodies->faces.data;
    const size_t count = s->bodies->faces.count;
    bool any = true;
    for (bool back = false; any; back = !back) {
        any = false;
        for (size_t i = 0; i < count; ++i) any |= cross(s, &faces[back ? count - 1 - i : i]);
    }
}

/* Which body is the deck of a quarter: the one with the lowest topside, if it covers all of it; else -1. */
static int32_t deck_of(const rill_bodies *bodies, const rill_node *node, int32_t quarter) {
    const rill_touch *touches = bodies->touches.data;
    const rill_piece *pieces = bodies->pieces.data;
    for (int32_t i = node->first; i >= 0; i = touches[i].next) {
        double covered = 0.0;
        bool lowest = false;
        for (int32_t k = touches[i].first; k < touches[i].end; ++k) {
            if (pieces[k].quarter != quarter) continue;
            covered += 4.0 * (double)pieces[k].part;
            lowest |= pieces[k].high <= node->lid[quarter];
        }
        if (lowest && covered >= WHOLE) return touches[i].body;
    }
    return -1;
}

/* Where no liquid stands on a body it has no topside, and what else is on it, or in its hold, is in the air. */
static void keep_dry(const rill_body_stage *s, const rill_node *node) {
    const rill_touch *touches = s->bodies->touches.data;
    rill_piece *pieces = s->bodies->pieces.data;
    const double slack = SUNKEN * s->flow->bed->grid.cell_size / s->flow->bed->quantum;
    int32_t decks[QUARTERS];
    for (int32_t q = 0; q < QUARTERS; ++q) decks[q] = deck_of(s->bodies, node, q);
    const uint32_t open = open_of(node);
    for (int32_t i = node->first; i >= 0; i = touches[i].next)
        for (int32_t k = touches[i].first; k < touches[i].end; ++k) {
            const int32_t q = pieces[k].quarter;
            if (open >> q & 1u) continue;
            pieces[k].high = (float)RILL_WALL;
            if (decks[q] < 0 || decks[q] == touches[i].body) continue;
            if ((double)pieces[k].low >= (double)node->lid[q] - slack)
                pieces[k].part = 0.0f, pieces[k].low = (float)RILL_WALL;
        }
}

void rill_bodies_flood(const rill_body_stage *s) {
    rill_bodies *bodies = s->bodies;
    rill_node *nodes = bodies->nodes.data;
    find_sunk(s);
    for (size_t n = 0; n < bodies->nodes.count; ++n) {
        rill_node *node = &nodes[n];
        find_lids(bodies, node);
        node->over = (uint8_t)flooded(node, node->over & node->shut, (double)node->base + node->e);
        /* A film is above what is at a ceiling. */
        node->over = (uint8_t)(node->over | (node->shut & ~below(node, node->roof)));
    }
    find_levels(s);
    for (size_t n = 0; n < bodies->nodes.count; ++n) {
        rill_node *node = &nodes[n];
        const uint32_t open = open_of(node);
        if (open != ALL) enter(node, east(open) | west(open) | north(open) | south(open), node->stands);
    }
    spread(s);
    for (size_t n = 0; n < bodies->nodes.count; ++n) {
        if (open_of(&nodes[n]) != ALL) keep_dry(s, &nodes[n]);
        if (nodes[n].crowded) share_out(bodies, &nodes[n]);
    }
}
