/* Decks and holds: on which parts of bodies liquid stands. See bodies.h.
 *
 * Pressure from below must not press liquid through a body: what is wholly covered is flooded from above only, by
 * liquid beside it that stands higher. That is asked for each quarter of a cell, so that a wall of three quarters keeps
 * what is behind it dry, however it lies on the grid: one of them at least, on any way across, is all wall.
 *
 *      e  ~~~~~~~~~~+--+        +--+~~~~~~    A quarter is *shut* if it is wholly covered, up to its lid. Liquid
 *                   |  |  hold  |  |          stands *over* it if it comes from a quarter beside it: one that is not
 *                   |  +--------+  |          shut, or has liquid over it, in a column where it stands higher than
 *                   +--------------+          this lid.
 *
 * Where none stands, the body counts as if it had no topside: the head there is pressure on its underside, and no more.
 *
 * A column all of which one body covers, and over which none stands, is *apart*: liquid may lie on the body there,
 * which has nothing to do with the head below (deck_flow.c). When that comes to stand as high as what is beside it,
 * both are one column again, with one head; when what is over a body has no more to do with what is beside it, it stays
 * there. Under ceilings, and where bodies cover a column together, there is no such thing: liquid comes as far as it
 * can at once, and what has come in stays until the head has gone below the lid. */
#include "bodies/bodies_internal.h"
#include "bodies/body_constants.h"
#include "flow/column.h"

#include <math.h>

enum { QUARTERS = 4, ALL = 15 };
/* Less than half of a node is open; bodies over it cover more than all of a quarter; one of them does so alone, under
 * open sky; it was apart before. */
enum { NARROW = 1, CROWDED = 2, DECK = 4, APART = 8 };

/* Where liquid stands in all nodes of an island, in the working memory of the solve. */
typedef struct deck_search {
    const rill_body_stage *stage;
    rill_body_node *nodes;
    size_t first, end; /* nodes */
    double *heads;     /* the level of liquid at the head of each, absolute, quanta */
    double *stands;    /* where liquid stands in its open part or on what covers it, absolute, quanta */
    uint8_t *open;     /* bit per quarter: there is liquid, or could be */
    uint8_t *marks;
} deck_search;

/* Returns how deep a body is under the level that is seen over it: 0 where it is not, 1 where all of it is by
 * a cell. */
static double submergence_of(const rill_body_stage *stage, const rill_body *body) {
    const rill_body_touch *touches = stage->bodies->touches.data;
    const rill_body_piece *pieces = stage->bodies->pieces.data;
    const rill_body_node *nodes = stage->bodies->nodes.data;
    const double scale = stage->flow->bed->quantum / stage->flow->bed->grid.cell_size;
    double level = (double)RILL_TOP, top = 0.0;
    for (int32_t t = body->first_touch; t < body->end_touch; ++t) {
        const rill_body_node *node = &nodes[touches[t].node];
        if (touches[t].first_piece == touches[t].end_piece) continue;
        level = fmin(level, node->drawn >= 0 ? (double)node->drawn : (double)node->base + node->e);
        for (int32_t k = touches[t].first_piece; k < touches[t].end_piece; ++k) {
            const double high = (double)node->base + (double)pieces[k].high;
            top = high > top ? high : top;
        }
    }
    return fmax(0.0, fmin(scale * (level - top), 1.0));
}

/* Finds how deep bodies over crowded nodes are under the level. */
static void find_submergences(const deck_search *search) {
    const rill_bodies *bodies = search->stage->bodies;
    const rill_body_touch *touches = bodies->touches.data;
    const rill_body_island *island = search->stage->island;
    for (size_t i = island->first_body; i < island->end_body; ++i) rill_body_in_order(bodies, i)->submergence = -1.0;
    for (size_t n = search->first; n < search->end; ++n)
        for (int32_t i = search->marks[n] & CROWDED ? search->nodes[n].first_touch : -1; i >= 0; i = touches[i].next) {
            rill_body *body = rill_body_at(bodies, touches[i].body);
            if (body->submergence < 0.0) body->submergence = submergence_of(search->stage, body);
        }
}

/* Returns how much of a piece reaches through the level: what is well below that does not, nor what is below the body
 * that keeps its quarter dry. */
static double reaches(const rill_bodies *bodies, const rill_body_touch *touch, const rill_body_piece *piece,
                      uint32_t open) {
    if (!(open >> piece->quarter & 1u) && piece->high < RILL_NO_TOPSIDE) return 0.0;
    return 1.0 - rill_body_at(bodies, touch->body)->submergence;
}

/* Shares a cell between bodies that lean on each other: they are over the same parts of it, and cannot cover more than
 * all of it where the level is. What is below that displaces all of itself. */
static void share_out(const rill_bodies *bodies, const rill_body_node *node, uint32_t open) {
    const rill_body_touch *touches = bodies->touches.data;
    rill_body_piece *pieces = bodies->pieces.data;
    double covered = 0.0;
    for (int32_t i = node->first_touch; i >= 0; i = touches[i].next)
        for (int32_t k = touches[i].first_piece; k < touches[i].end_piece; ++k)
            covered += (double)pieces[k].part * reaches(bodies, &touches[i], &pieces[k], open);
    RILL_ASSERT(covered >= 0.0);
    const double excess = covered * (1.0 + 1e-6) - 1.0;
    for (int32_t i = covered > 1.0 ? node->first_touch : -1; i >= 0; i = touches[i].next)
        for (int32_t k = touches[i].first_piece; k < touches[i].end_piece; ++k) {
            const double most = 1.0 + excess * reaches(bodies, &touches[i], &pieces[k], open);
            pieces[k].part = (float)((double)pieces[k].part / most);
        }
}

/* Tells whether it is the commonest case: one body with one piece in each quarter, in their order. */
static bool is_plain(const rill_body_touch *touch, const rill_body_piece *piece) {
    return touch->next < 0 && touch->end_piece - touch->first_piece == QUARTERS && piece[0].quarter == 0 &&
           piece[1].quarter == 1 && piece[2].quarter == 2 && piece[3].quarter == 3;
}

/* Finds which quarters are shut, and how high. Returns marks. */
static uint8_t find_lids(const rill_bodies *bodies, rill_body_node *node) {
    const rill_body_touch *touches = bodies->touches.data;
    const rill_body_piece *pieces = bodies->pieces.data;
    double covered[QUARTERS] = { 0 };
    float lid[QUARTERS];
    node->shut = 0;
    if (node->first_touch < 0 || (touches[node->first_touch].next < 0 &&
                                  touches[node->first_touch].first_piece == touches[node->first_touch].end_piece))
        return 0; /* beside a body */
    const rill_body_piece *first = &pieces[touches[node->first_touch].first_piece];
    const bool plain = is_plain(&touches[node->first_touch], first);
    for (int q = 0; q < QUARTERS; ++q) lid[q] = (float)RILL_WALL;
    for (int q = 0; plain && q < QUARTERS; ++q) {
        covered[q] = (double)first[q].part;
        if (first[q].part > RILL_DECK_SLIVER && first[q].high < lid[q]) lid[q] = first[q].high;
    }
    for (int32_t i = plain ? -1 : node->first_touch; i >= 0; i = touches[i].next)
        for (int32_t k = touches[i].first_piece; k < touches[i].end_piece; ++k) {
            const int32_t q = pieces[k].quarter;
            covered[q] += (double)pieces[k].part;
            const float high = pieces[k].part > RILL_DECK_SLIVER ? pieces[k].high : (float)RILL_WALL;
            lid[q] = high < lid[q] ? high : lid[q];
        }
    uint32_t shut = 0;
    for (int q = 0; q < QUARTERS; ++q) {
        node->lid[q] = lid[q];
        shut |= (uint32_t)(4.0 * covered[q] >= RILL_DECK_WHOLE) << q;
    }
    RILL_ASSERT(shut <= ALL);
    node->shut = (uint8_t)shut;
    const double sum = (covered[0] + covered[1]) + (covered[2] + covered[3]);
    const bool shared = touches[node->first_touch].next >= 0; /* one body alone covers more than all only by rounding */
    const double most = fmax(fmax(covered[0], covered[1]), fmax(covered[2], covered[3]));
    return (uint8_t)((sum > 0.5 ? NARROW : 0) | (shared && most > 0.25 ? CROWDED : 0));
}

/* Returns the level at an end of a face. */
static double level_at(const deck_search *search, int32_t node, int32_t place) {
    const rill_flow *flow = search->stage->flow;
    return node >= 0 ? search->stands[node] : (double)(flow->bed->b[place] + flow->H[place]);
}

/* Finds how high liquid stands: at the head. In a slit beside a body that may be the pressure of a blow from below,
 * which comes over nothing, so there it is no higher than where there is more room. */
static void find_levels(const deck_search *search) {
    const rill_body_face *faces = search->stage->bodies->faces.data;
    const rill_body_island *island = search->stage->island;
    for (size_t n = search->first; n < search->end; ++n)
        search->stands[n] = search->marks[n] & NARROW ? -1.0 : search->heads[n];
    for (size_t i = island->first_face; i < island->end_face; ++i) {
        const int32_t l = faces[i].node_l, r = faces[i].node_r;
        const int narrow_l = l >= 0 ? search->marks[l] & NARROW : 0, narrow_r = r >= 0 ? search->marks[r] & NARROW : 0;
        if (narrow_l == narrow_r) continue;
        const double level = narrow_l ? level_at(search, r, faces[i].r) : level_at(search, l, faces[i].l);
        double *stands = &search->stands[narrow_l ? l : r];
        *stands = level > *stands ? level : *stands;
    }
    for (size_t n = search->first; n < search->end; ++n)
        if (search->stands[n] < 0.0 || search->stands[n] > search->heads[n]) search->stands[n] = search->heads[n];
}

/* Returns the quarters whose lids are below a level, above the base. */
static uint32_t lids_below(const rill_body_node *node, double level) {
    const float *lid = node->lid;
    return (uint32_t)(level > (double)lid[0]) | (uint32_t)(level > (double)lid[1]) << 1 |
           (uint32_t)(level > (double)lid[2]) << 2 | (uint32_t)(level > (double)lid[3]) << 3;
}

/* Returns, of these quarters, those that liquid beside them at a level, absolute, comes over. */
static uint32_t overtopped(const rill_body_node *node, uint32_t beside, double level) {
    return beside ? beside & lids_below(node, level - (double)node->base) : 0;
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

/* Tells whether what lies on the body in a column that is apart stands as high as a level beside it. */
static bool meets(const deck_search *search, size_t index, double level) {
    const rill_bodies *bodies = search->stage->bodies;
    const rill_bed *bed = search->stage->flow->bed;
    const rill_body_node *node = &search->nodes[index];
    const rill_body_touch *touch = (const rill_body_touch *)bodies->touches.data + rill_body_node_carrier(bodies, node);
    RILL_ASSERT(node->apart && node->deck >= 0);
    const double stands = (double)node->base + rill_body_touch_deck_level(bodies, touch, (double)node->deck);
    return fabs(level - stands) * bed->quantum <= RILL_DECK_MEETS * bed->grid.cell_size;
}

/* Lets liquid at a level come to quarters of a node, and on inside of it as far as its own head lets it; true if any
 * did. */
static bool enter(const deck_search *search, size_t index, uint32_t quarters, double level) {
    RILL_ASSERT(index >= search->first && index < search->end && quarters <= ALL);
    const uint32_t before = search->open[index];
    uint32_t open = before, beside = quarters;
    if (before == 0 && search->marks[index] & APART) {
        if (!overtopped(&search->nodes[index], beside, level)) return false;
        if (!meets(search, index, level)) {
            search->stage->island->floods_deck = true;
            return false;
        }
    }
    for (;;) {
        const uint32_t more = overtopped(&search->nodes[index], beside & ~open, level);
        if (!more) break;
        open |= more;
        beside = east(more) | west(more) | north(more) | south(more);
        level = search->stands[index];
    }
    search->open[index] = (uint8_t)open;
    return open != before;
}

/* Lets liquid come over a face, both ways; true if any did. */
static bool cross(const deck_search *search, const rill_body_face *face) {
    const int32_t l = face->node_l, r = face->node_r;
    const uint32_t open_l = l >= 0 ? search->open[l] : ALL, open_r = r >= 0 ? search->open[r] : ALL;
    const uint32_t to_r = (face->axis ? south(open_l) : west(open_l)) & ~open_r;
    const uint32_t to_l = (face->axis ? north(open_r) : east(open_r)) & ~open_l;
    bool any = false;
    if (to_r) any |= enter(search, (size_t)r, to_r, level_at(search, l, face->l));
    if (to_l) any |= enter(search, (size_t)l, to_l, level_at(search, r, face->r));
    return any;
}

/* Lets liquid come over faces until no more does; which does not depend on the order. Most faces have nothing to do
 * with it: theirs is open water. */
static void spread(const deck_search *search) {
    const rill_body_island *island = search->stage->island;
    const rill_body_face *faces = search->stage->bodies->faces.data;
    int32_t *listed = rill_body_island_ring_faces(search->stage), count = 0;
    for (int32_t i = (int32_t)island->first_face; i < (int32_t)island->end_face; ++i) {
        const int32_t l = faces[i].node_l, r = faces[i].node_r;
        listed[count] = i;
        count += (l >= 0 && search->open[l] != ALL) || (r >= 0 && search->open[r] != ALL);
    }
    bool any = true;
    for (bool back = false; any; back = !back) {
        any = false;
        for (int32_t i = 0; i < count; ++i) any |= cross(search, &faces[listed[back ? count - 1 - i : i]]);
    }
}

/* The body that keeps a quarter dry: of the bodies that cover all of it and reach out of the liquid, the one with the
 * lowest topside that has air on it, and not another of them; -1: it takes several. */
typedef struct quarter_cover {
    int32_t body;
    double low, high; /* its underside and topside there */
} quarter_cover;

/* Tells whether one keeps liquid out rather than another. */
static bool keeps_out(const quarter_cover *a, const quarter_cover *b, double slack) {
    const quarter_cover *lower = a->high < b->high ? a : b, *upper = lower == a ? b : a;
    return b->body < 0 || a == (upper->low < lower->high - slack ? upper : lower);
}

static quarter_cover cover_of(const rill_bodies *bodies, const rill_body_node *node, int32_t quarter, double slack) {
    const rill_body_touch *touches = bodies->touches.data;
    const rill_body_piece *pieces = bodies->pieces.data;
    quarter_cover best = { .body = -1, .high = (double)INFINITY };
    for (int32_t i = node->first_touch; i >= 0; i = touches[i].next) {
        quarter_cover here = { .body = touches[i].body, .high = (double)INFINITY };
        double parts = 0.0;
        for (int32_t k = touches[i].first_piece; k < touches[i].end_piece; ++k) {
            if (pieces[k].quarter != quarter) continue;
            parts += (double)pieces[k].part;
            here.low += (double)pieces[k].part * (double)pieces[k].low;
            if (pieces[k].part > RILL_DECK_SLIVER) here.high = fmin(here.high, (double)pieces[k].high);
        }
        RILL_ASSERT(parts <= 1.0 + 1e-3);
        here.low /= parts;
        if (!(4.0 * parts >= RILL_DECK_WHOLE) || rill_body_at(bodies, here.body)->submergence > 0.0) continue;
        if (keeps_out(&here, &best, slack)) best = here;
    }
    return best;
}

/* Takes the topside from bodies where no liquid stands on them. */
static void keep_dry(const rill_body_stage *stage, const rill_body_node *node, uint32_t open) {
    const rill_body_touch *touches = stage->bodies->touches.data;
    rill_body_piece *pieces = stage->bodies->pieces.data;
    for (int32_t i = node->first_touch; i >= 0; i = touches[i].next)
        for (int32_t k = touches[i].first_piece; k < touches[i].end_piece; ++k)
            if (!(open >> pieces[k].quarter & 1u)) pieces[k].high = RILL_NO_TOPSIDE;
}

/* Keeps quarters dry where bodies are one above the other. What is on the one that keeps the liquid out, in its hold or
 * inside of it, is in the air; what comes out below it has liquid all around it, and reaches up to it at most. */
static void keep_dry_below(const rill_body_stage *stage, const rill_body_node *node, uint32_t open) {
    const rill_body_touch *touches = stage->bodies->touches.data;
    rill_body_piece *pieces = stage->bodies->pieces.data;
    const double slack = RILL_DECK_SUNKEN * stage->flow->bed->grid.cell_size / stage->flow->bed->quantum;
    quarter_cover covers[QUARTERS];
    for (int32_t q = 0; q < QUARTERS; ++q) covers[q] = cover_of(stage->bodies, node, q, slack);
    for (int32_t i = node->first_touch; i >= 0; i = touches[i].next)
        for (int32_t k = touches[i].first_piece; k < touches[i].end_piece; ++k) {
            rill_body_piece *piece = &pieces[k];
            const quarter_cover *c = &covers[piece->quarter];
            if (open >> piece->quarter & 1u) continue;
            if (c->body == touches[i].body ||
                (c->body < 0 && !(rill_body_at(stage->bodies, touches[i].body)->submergence > 0.0)))
                piece->high = RILL_NO_TOPSIDE;
            else if (c->body >= 0 && (double)piece->low >= fmin(c->low, c->high - slack))
                piece->part = 0.0f, piece->low = piece->high = RILL_NO_TOPSIDE;
            else if (c->body >= 0 && (double)piece->high > c->low)
                piece->high = (float)c->low;
        }
}

/* Returns the quarters that liquid stands on which did before, or that are at a ceiling: these have a film
 * above them. */
static uint32_t find_over(const rill_body_node *node) {
    if (!node->shut || (node->over == 0 && isinf(node->roof))) return 0;
    return overtopped(node, node->over & node->shut, (double)node->base + node->e) |
           (node->shut & ~lids_below(node, node->roof));
}

/* Finds what liquid lies on a node's body, once it is known where it stands over it. */
static void settle_deck(const deck_search *search, size_t n, uint32_t over) {
    rill_bodies *bodies = search->stage->bodies;
    rill_flow *flow = search->stage->flow;
    rill_body_node *node = &search->nodes[n];
    const bool deck = search->marks[n] & DECK;
    if (node->deck > 0 && (over || !deck)) {
        if (deck) node->displaced_before -= (double)node->deck; /* it has a topside now */
        rill_bodies_return_liquid(bodies, flow, node->cell, node->place, node->deck);
        node->deck = 0;
    }
    if (deck && !over && node->over) {
        const rill_body_touch *touch =
            (const rill_body_touch *)bodies->touches.data + rill_body_node_carrier(bodies, node);
        const double has = (double)flow->H[node->place],
                     level = fmin(node->e, has + node->displaced_before); /* which is no pressure */
        node->deck = (int32_t)fmin(rill_body_touch_deck_volume(bodies, touch, level, 0.0, node->over), has);
        node->displaced_before += (double)node->deck;
        rill_column_take(flow, node->place, node->deck);
    }
}

static void note_over(const deck_search *search, size_t n) {
    rill_body_node *node = &search->nodes[n];
    node->over = node->shut & search->open[n];
    node->apart = node->over == 0 && search->marks[n] & DECK;
    RILL_ASSERT(!node->apart || node->deck >= 0);
}

/* Finds what lies on all bodies of an island; returns whether any does. */
static bool settle_decks(const deck_search *search) {
    bool any = false;
    for (size_t n = search->first; n < search->end; ++n) {
        settle_deck(search, n, search->nodes[n].shut & search->open[n]);
        note_over(search, n);
        any |= search->nodes[n].deck > 0;
    }
    return any;
}

/* Tells whether a column may be apart. */
static bool is_deck(const rill_body_stage *stage, const rill_body_node *node) {
    const rill_body_touch *touches = stage->bodies->touches.data;
    return node->shut == ALL && stage->flow->bed->c[node->place] == RILL_TOP &&
           (touches[node->first_touch].next < 0 || rill_body_node_carrier(stage->bodies, node) >= 0);
}

/* Tells whether another body dips into what stands over the lowest: that is below it, and is joined with the rest
 * there. */
static bool is_topped(const rill_bodies *bodies, const rill_body_node *node) {
    const rill_body_touch *touches = bodies->touches.data;
    const rill_body_piece *pieces = bodies->pieces.data;
    for (int32_t i = node->over ? node->first_touch : -1; i >= 0; i = touches[i].next)
        for (int32_t k = touches[i].first_piece; k < touches[i].end_piece; ++k)
            if ((double)pieces[k].low < node->e && pieces[k].low > node->lid[pieces[k].quarter]) return true;
    return false;
}

/* Finds where liquid comes to, beside what is open. */
static void flood(const deck_search *search) {
    find_levels(search);
    for (size_t n = search->first; n < search->end; ++n) {
        const uint32_t open = search->open[n];
        if (open != 0 && open != ALL)
            enter(search, n, east(open) | west(open) | north(open) | south(open), search->stands[n]);
    }
    spread(search);
}

static deck_search make_decks(const rill_body_stage *stage) {
    const size_t count = stage->bodies->nodes.count;
    double *vectors = stage->bodies->vectors.data;
    return (deck_search){ .stage = stage,
                          .nodes = stage->bodies->nodes.data,
                          .first = stage->island->first_node,
                          .end = stage->island->end_node,
                          .heads = vectors,
                          .stands = vectors + count,
                          .open = (uint8_t *)(vectors + 2 * count),
                          .marks = (uint8_t *)(vectors + 3 * count) };
}

/* Finds where liquid stands, by where it stood and what is beside it. */
static void find_open(const rill_body_stage *stage) {
    const rill_bodies *bodies = stage->bodies;
    const deck_search search = make_decks(stage);
    bool dry = false, crowded = false, joined = false;
    for (size_t n = search.first; n < search.end; ++n) {
        rill_body_node *node = &search.nodes[n];
        search.marks[n] = find_lids(bodies, node);
        search.heads[n] = (double)node->base + rill_body_node_level(node, node->e);
        search.open[n] = (uint8_t)((~(uint32_t)node->shut | find_over(node)) & ALL);
        dry |= search.open[n] != ALL;
        crowded |= (search.marks[n] & CROWDED) != 0;
        stage->island->has_deck_liquid |= node->deck > 0 || node->over;
        if (!is_deck(stage, node)) continue;
        search.marks[n] |= (uint8_t)(DECK | (node->apart && !stage->at_once ? APART : 0));
        joined |= search.open[n] != 0;
    }
    if (crowded) find_submergences(&search);
    for (size_t n = search.first; dry && joined && n < search.end; ++n)
        if (search.marks[n] & DECK && !is_topped(bodies, &search.nodes[n]))
            search.open[n] = 0; /* it may have lost what it was joined with */
    if (dry) flood(&search);
}

/* Moves what lies on bodies: columns give and take, which islands cannot do at once. */
static void move_deck_liquid(const rill_body_stage *stage) {
    const deck_search search = make_decks(stage);
    const bool lies = settle_decks(&search);
    if ((lies || stage->island->floods_deck) && stage->dt > 0.0)
        rill_bodies_move_deck_liquid(stage, search.stands, search.open);
}

/* Cuts pieces of bodies to where liquid is. */
static void close_dry(const rill_body_stage *stage) {
    const deck_search search = make_decks(stage);
    for (size_t n = search.first; n < search.end; ++n) {
        note_over(&search, n);
        const bool crowded = search.marks[n] & CROWDED;
        if (search.open[n] != ALL) (crowded ? keep_dry_below : keep_dry)(stage, &search.nodes[n], search.open[n]);
        if (crowded) share_out(stage->bodies, &search.nodes[n], search.open[n]);
    }
}

void rill_bodies_flood_decks(const rill_body_stage *stage) {
    rill_bodies_each_island(stage, find_open);
    for (size_t i = 0; i < stage->bodies->islands.count; ++i) {
        rill_body_stage part = *stage;
        part.island = (rill_body_island *)stage->bodies->islands.data + i;
        if (part.island->has_deck_liquid || part.island->floods_deck) move_deck_liquid(&part);
    }
    rill_bodies_each_island(stage, close_dry);
}
