/* Liquid on bodies: on decks, and in the holds of boats.
 *
 * In a column that is *apart* (deck_flooding.c) a volume U lies on the body, in whole quanta, which has nothing to do
 * with what is below it. Its bed is the topside of the body, piece by piece, which is where the body is: heeling moves
 * liquid by itself.
 *
 *            +--+                    +--+
 *   ~~~~~~~~~|  |~~~~~~~U~~~~~~~~~~~~|  |~~
 *            |  +--------------------+  |
 *            +--------------------------+
 *
 *   over bodies      by pipes, as everywhere: a velocity relative to the body at each face, driven by the slope, slowed
 *                    by viscosity; and the body carries all of it with it
 *   over the side    as over a weir: a depth h above the side on one side and d on the other give (h - s) sqrt(2 g s),
 *                    s = h - d but at most h / 3, which is where the flow becomes critical
 *
 * (F. M. Henderson, Open Channel Flow, 1966, section 2.5). The lids of quarters that meet at a face, in two lanes, are
 * its sill.
 *
 * Stability: dt^2 g O / dx^2 (1 / A_l + 1 / A_r) <= 1 for an opening O between columns that are wet over parts A of
 * them; where a wall comes into a cell these are small, and what goes beyond one half of that is treated as if it were
 * implicit. Over the side an eighth of the difference moves at most, so that no levels change places. */
#include "bodies/bodies_internal.h"
#include "bodies/body_constants.h"

#include "base/simd.h"
#include "flow/column.h"
#include "passages/passages.h"

#include <math.h>

enum { LANES = 2, ALL = 15 };

/* A sub-step, in the working memory of the solve. */
typedef struct deck_flow {
    const rill_body_stage *stage;
    rill_body_node *nodes;
    const double *levels; /* of the liquid beside bodies in each node, absolute, quanta */
    const uint8_t *open;  /* the quarters of each node that have liquid at its level */
    double *deck_level;   /* of what is on a body, absolute, quanta; -1 as long as nobody has asked for it */
    double *wet;          /* the part of a column that deck liquid is in, if its level is known */
    double *bottom;       /* the lowest sill that deck liquid leaves over, absolute, quanta */
    double *leaves;       /* how much deck liquid leaves, quanta; then the part of it that there is */
    int32_t *carrier;     /* the touch that deck liquid lies on */
    int32_t *moved;       /* per face, from l to r, quanta */
} deck_flow;

/* A face, as what is on bodies sees it. All heights are absolute, quanta. */
typedef struct deck_crossing {
    const rill_body_face *face;
    bool apart[2];      /* its ends */
    double level[2];    /* there */
    double sill[LANES]; /* infinity: shut */
} deck_crossing;

/* ---------------------------------------------------------------------------------------------------------- columns */

int32_t rill_body_node_carrier(const rill_bodies *bodies, const rill_body_node *node) {
    const rill_body_touch *touches = bodies->touches.data;
    const rill_body_piece *pieces = bodies->pieces.data;
    int32_t found = -1;
    float lowest = (float)RILL_WALL;
    if (node->first_touch >= 0 && touches[node->first_touch].next < 0)
        return node->shut == ALL ? node->first_touch : -1;
    for (int32_t i = node->first_touch; i >= 0; i = touches[i].next) {
        double covered = 0.0;
        float low = (float)RILL_WALL;
        for (int32_t k = touches[i].first_piece; k < touches[i].end_piece; ++k) {
            covered += (double)pieces[k].part;
            low = pieces[k].high < low ? pieces[k].high : low;
        }
        if (covered >= RILL_DECK_WHOLE && (found < 0 || low < lowest)) found = i, lowest = low;
    }
    return found;
}

double rill_body_touch_deck_volume(const rill_bodies *bodies, const rill_body_touch *touch, double level, double bottom,
                                   uint32_t quarters) {
    const rill_body_piece *pieces = bodies->pieces.data;
    double sum = 0.0;
    for (int32_t k = touch->first_piece; k < touch->end_piece; ++k) {
        const double high = (double)pieces[k].high, from = high > bottom ? high : bottom;
        if (quarters >> pieces[k].quarter & 1u && level > from) sum += (double)pieces[k].part * (level - from);
    }
    return sum;
}

/* Returns the part of a cell in which it is below a level. */
static double wet_part(const rill_bodies *bodies, const rill_body_touch *touch, double level) {
    const rill_body_piece *pieces = bodies->pieces.data;
    double sum = 0.0;
    for (int32_t k = touch->first_piece; k < touch->end_piece; ++k)
        if (level > (double)pieces[k].high) sum += (double)pieces[k].part;
    return sum;
}

/* Comes down from above by Newton's method, and not beyond: the volume grows with the level, the faster the higher. */
double rill_body_touch_deck_level(const rill_bodies *bodies, const rill_body_touch *touch, double amount) {
    const rill_body_piece *pieces = bodies->pieces.data;
    double lowest = (double)RILL_WALL, highest = 0.0, parts = 0.0;
    for (int32_t k = touch->first_piece; k < touch->end_piece; ++k) {
        const double high = (double)pieces[k].high;
        lowest = high < lowest ? high : lowest;
        highest = high > highest ? high : highest;
        parts += (double)pieces[k].part;
    }
    if (!(amount > 0.0)) return lowest;
    RILL_ASSERT(parts > 0.0 && highest >= lowest);
    double level = highest + amount / parts;
    for (int i = 0; i < RILL_DECK_NEWTON; ++i) {
        const double beyond = rill_body_touch_deck_volume(bodies, touch, level, 0.0, ALL) - amount;
        if (!(beyond > 0.125)) break;
        level -= beyond / wet_part(bodies, touch, level);
    }
    return level;
}

static void add_extent(rill_flow *flow, int32_t place) {
    const int32_t H = flow->H[place];
    const rill_flow_extent here = { .depth = H, .level = H > RILL_DRY ? flow->bed->b[place] + H : 0 };
    rill_flow_widen(&flow->extent, &here);
}

/* Returns how much more a column may hold. */
static int32_t room_in(const rill_flow *flow, int32_t place) {
    return rill_max_i(rill_ceiling_full(flow->bed, place) - flow->H[place], 0);
}

static int64_t put_into(rill_flow *flow, int32_t place, int64_t amount) {
    const int32_t room = room_in(flow, place), part = amount < room ? (int32_t)amount : room;
    if (part == 0) return amount;
    rill_column_give(flow, place, part);
    add_extent(flow, place);
    RILL_ASSERT(part > 0 && flow->H[place] >= part);
    return amount - part;
}

/* Returns the column nearest to a cell in which there is room; -1: there is none. */
static int32_t nearest_room(const rill_flow *flow, const int16_t cell[2]) {
    const rill_bed *bed = flow->bed;
    int64_t least = INT64_MAX;
    int32_t best = -1;
    for (int32_t y = 0; y < bed->grid.cells[1]; ++y)
        for (int32_t x = 0; x < bed->grid.cells[0]; ++x) {
            const size_t i = (size_t)y * (size_t)bed->grid.cells[0] + (size_t)x;
            const int64_t dx = x - cell[0], dy = y - cell[1], far = dx * dx + dy * dy;
            for (int32_t k = bed->cell_first[i]; k < bed->cell_first[i + 1] && far < least; ++k)
                if (room_in(flow, bed->places[k]) > 0) best = bed->places[k], least = far;
        }
    return best;
}

void rill_bodies_return_liquid(rill_bodies *bodies, rill_flow *flow, const int16_t cell[2], int32_t place,
                               int64_t amount) {
    int64_t left = amount;
    if (left > 0 && place >= 0) {
        left = put_into(flow, place, left);
        rill_flow_wake(flow, place);
    }
    while (left > 0) {
        const int32_t other = nearest_room(flow, cell);
        if (other < 0) break;
        left = put_into(flow, other, left);
        rill_flow_wake(flow, other);
    }
    RILL_ASSERT(left >= 0);
    bodies->lost += left;
}

/* --------------------------------------------------------------------------------------------------------- landings */

static bool concerns_bodies(const void *context, int32_t place) {
    return rill_bodies_node(context, place) != NULL;
}

/* Lets liquid come down on what floats in a column, if that keeps it apart; else the head there follows at once. */
static void land_on_body(void *context, rill_flow *flow, int32_t place, int32_t quanta) {
    rill_body_node *node = rill_bodies_node(context, place);
    const int32_t room = flow->bed->c[place] - flow->bed->b[place] - flow->H[place] - node->deck;
    if (node->apart && quanta >= 0 && quanta <= room) {
        node->deck += quanta;
        return;
    }
    rill_column_exchange(flow, place, quanta);
    node->displaced_before -= (double)quanta;
}

/* Remembers with what it came down what now lies on a body; the liquid around one that is not apart is not struck. */
static void strike_body(void *context, int32_t place, int32_t quanta, const double velocity[3]) {
    rill_body_node *node = rill_bodies_node(context, place);
    if (!node->apart) return;
    node->struck += (double)quanta;
    for (int i = 0; i < 3; ++i) node->blow[i] += (double)quanta * velocity[i];
}

rill_landing rill_bodies_landing(rill_bodies *bodies) {
    return (
        rill_landing){ .context = bodies, .concerns = concerns_bodies, .land = land_on_body, .strike = strike_body };
}

/* ------------------------------------------------------------------------------------------------------------ faces */

/* Finds where liquid stands on the body in a column that is apart, once it matters: on most there is none. */
static void find_deck_level(const deck_flow *decks, int32_t node) {
    const rill_body_stage *stage = decks->stage;
    const double thin = RILL_DECK_THIN * stage->flow->bed->grid.cell_size / stage->flow->bed->quantum;
    if (decks->deck_level[node] >= 0.0) return;
    decks->carrier[node] = rill_body_node_carrier(stage->bodies, &decks->nodes[node]);
    RILL_ASSERT(decks->nodes[node].apart && decks->carrier[node] >= 0);
    const rill_body_touch *touch = (const rill_body_touch *)stage->bodies->touches.data + decks->carrier[node];
    const double level = rill_body_touch_deck_level(stage->bodies, touch, (double)decks->nodes[node].deck);
    decks->deck_level[node] = (double)decks->nodes[node].base + level;
    decks->wet[node] = wet_part(stage->bodies, touch, level + thin);
}

/* Finds an end of a face. Its quarters there are first and first + step. */
static void find_crossing_end(const deck_flow *decks, int end, int32_t node, int32_t place, int first, int step,
                              deck_crossing *crossing) {
    const rill_flow *flow = decks->stage->flow;
    const double lifted = (double)(rill_flow_bases(flow)[place] + flow->H[place]); /* heads may be pressure */
    crossing->apart[end] = node >= 0 && decks->nodes[node].apart;
    if (crossing->apart[end]) find_deck_level(decks, node);
    crossing->level[end] = crossing->apart[end] ? decks->deck_level[node]
                           : node >= 0          ? fmin(decks->levels[node], lifted)
                                                : lifted;
    for (int i = 0; i < LANES; ++i) {
        const int quarter = first + i * step;
        double height = (double)flow->bed->b[place];
        if (node >= 0 && decks->nodes[node].shut >> quarter & 1) height += (double)decks->nodes[node].lid[quarter];
        crossing->sill[i] = height > crossing->sill[i] ? height : crossing->sill[i];
    }
}

/* Finds a face; false if it takes no part, which is outside of the domain, without a column that is apart, or between
 * two dry ones. */
static bool find_crossing(const deck_flow *decks, const rill_body_face *face, deck_crossing *crossing) {
    const int32_t l = face->node_l, r = face->node_r, *cells = decks->stage->flow->bed->grid.cells;
    const bool apart_l = l >= 0 && decks->nodes[l].apart, apart_r = r >= 0 && decks->nodes[r].apart;
    if (!apart_l && !apart_r) return false;
    if (apart_l && apart_r && decks->nodes[l].deck == 0 && decks->nodes[r].deck == 0) {
        decks->nodes[r].slip[face->axis] = 0.0f;
        return false;
    }
    if (l < 0 && decks->nodes[r].cell[face->axis] == 0) return false;
    if (r < 0 && decks->nodes[l].cell[face->axis] == cells[face->axis] - 1) return false;
    *crossing = (deck_crossing){ .face = face };
    find_crossing_end(decks, 0, l, face->l, face->axis ? 2 : 1, face->axis ? 1 : 2, crossing);
    find_crossing_end(decks, 1, r, face->r, 0, face->axis ? 1 : 2, crossing);
    return true;
}

/* Returns the mean depth over the sill at a level. */
static double depth_over(const deck_crossing *crossing, double level) {
    double sum = 0.0;
    for (int i = 0; i < LANES; ++i) sum += level > crossing->sill[i] ? 0.5 * (level - crossing->sill[i]) : 0.0;
    return sum;
}

static double lowest_sill(const deck_crossing *crossing) {
    return crossing->sill[0] < crossing->sill[1] ? crossing->sill[0] : crossing->sill[1];
}

/* Returns how fast the body at the left end carries what is on it over a face, m/s. */
static double body_speed_at(const deck_flow *decks, const deck_crossing *crossing) {
    const rill_body_touch *touch =
        (const rill_body_touch *)decks->stage->bodies->touches.data + decks->carrier[crossing->face->node_l];
    const rill_body *body = rill_body_at(decks->stage->bodies, touch->body);
    const rill_body_node *node = &decks->nodes[crossing->face->node_l];
    const rill_bed *bed = decks->stage->flow->bed;
    double arm[3] = { 0.0, 0.0, 0.0 }, motion[6];
    for (int i = 0; i < 2; ++i) arm[i] = rill_body_node_centre(bed, node, i) - body->expected_position[i];
    arm[crossing->face->axis] += 0.5 * bed->grid.cell_size;
    arm[2] = bed->datum + fmax(crossing->level[0], crossing->level[1]) * bed->quantum - body->expected_position[2];
    rill_body_lagging_twist(decks->stage, body, motion);
    return rill_body_speed_at(motion, crossing->face->axis, arm);
}

/* Returns what moves over a body from l to r, quanta. Sets the velocity relative to it. */
static double flow_over_body(const deck_flow *decks, const deck_crossing *crossing) {
    const rill_kernel_constants *constants = decks->stage->constants;
    const int axis = crossing->face->axis;
    const double sill = lowest_sill(crossing), l = fmax(crossing->level[0], sill), r = fmax(crossing->level[1], sill);
    const double depth = depth_over(crossing, fmax(l, r)), lambda = (double)constants->lambda,
                 gain = (double)constants->drive;
    float *slip = &decks->nodes[crossing->face->node_r].slip[axis];
    if (!(depth > 0.0)) {
        *slip = 0.0f;
        return 0.0;
    }
    const double wet_l = fmax(decks->wet[crossing->face->node_l], RILL_DECK_LEAST),
                 wet_r = fmax(decks->wet[crossing->face->node_r], RILL_DECK_LEAST);
    RILL_ASSERT(wet_l > 0.0 && wet_r > 0.0 && depth > 0.0);
    const double courant = lambda * gain * depth * (1.0 / wet_l + 1.0 / wet_r), beyond = fmax(courant - 0.5, 0.0);
    const double square = 4.0 * depth * depth + 1.0,
                 weight = square * (double)constants->keep / (square + (double)constants->drag);
    const double driven = (double)*slip + gain * (l - r + (double)constants->tilt[axis]),
                 most = (double)constants->top_speed;
    *slip = (float)fmax(fmin(driven * weight / (1.0 + 2.0 * beyond), most), -most);
    const double u = fmax(fmin((double)*slip + body_speed_at(decks, crossing), most), -most);
    return u * lambda * depth_over(crossing, u > 0.0 ? crossing->level[0] : crossing->level[1]);
}

/* Returns what moves over the side of a body, or a step of the bed, from l to r, quanta. Liquid beside a body comes
 * from quarters only that it stands in. */
static double flow_over_side(const deck_flow *decks, const deck_crossing *crossing) {
    const rill_body_stage *stage = decks->stage;
    const int from = crossing->level[0] > crossing->level[1] ? 0 : 1;
    const int32_t donor = from ? crossing->face->node_r : crossing->face->node_l,
                  taker = from ? crossing->face->node_l : crossing->face->node_r;
    const double high = crossing->level[from], drop = high - crossing->level[1 - from];
    const double rate = sqrt(2.0 * stage->gravity * stage->flow->bed->quantum) * (double)stage->constants->lambda;
    double sum = 0.0;
    for (int i = 0; i < LANES; ++i) {
        const int first = from ? 0 : crossing->face->axis ? 2 : 1, quarter = first + i * (crossing->face->axis ? 1 : 2);
        const double h = high - crossing->sill[i], lost = drop < h / 3.0 ? drop : h / 3.0;
        if (!(h > 0.0) || (!crossing->apart[from] && donor >= 0 && !(decks->open[donor] >> quarter & 1))) continue;
        sum += 0.5 * rate * (h - lost) * sqrt(lost);
    }
    RILL_ASSERT(sum >= 0.0 && drop >= 0.0);
    const double wet_from = crossing->apart[from] ? fmax(decks->wet[donor], RILL_DECK_LEAST) : 1.0;
    const double wet_to = crossing->apart[1 - from] ? fmax(decks->wet[taker], RILL_DECK_LEAST) : 1.0;
    sum = fmin(sum, RILL_DECK_SHARE * drop * fmin(wet_from, wet_to));
    return from ? -sum : sum;
}

static void find_moves(const deck_flow *decks) {
    const rill_body_face *faces = decks->stage->bodies->faces.data;
    for (size_t i = decks->stage->island->first_face; i < decks->stage->island->end_face; ++i) {
        deck_crossing crossing;
        decks->moved[i] = 0;
        if (!find_crossing(decks, &faces[i], &crossing)) continue;
        const bool over = crossing.apart[0] && crossing.apart[1] && faces[i].pipe < 0;
        const double amount =
            fmax(fmin(over ? flow_over_body(decks, &crossing) : flow_over_side(decks, &crossing), RILL_DECK_MOST),
                 -RILL_DECK_MOST);
        const int32_t quanta = (int32_t)floor(amount + 0.5), donor = quanta > 0 ? faces[i].node_l : faces[i].node_r;
        decks->moved[i] = quanta;
        if (quanta == 0 || !crossing.apart[quanta > 0 ? 0 : 1]) continue;
        RILL_ASSERT(donor >= 0);
        decks->leaves[donor] += fabs((double)quanta);
        decks->bottom[donor] = fmin(decks->bottom[donor], lowest_sill(&crossing));
    }
}

/* Finds the part that there is of what would leave columns that are apart. */
static void limit_moves(const deck_flow *decks) {
    const rill_body_touch *touches = decks->stage->bodies->touches.data;
    for (size_t n = decks->stage->island->first_node; n < decks->stage->island->end_node; ++n) {
        if (!(decks->leaves[n] > 0.0)) continue;
        const double base = (double)decks->nodes[n].base;
        const double spare = rill_body_touch_deck_volume(decks->stage->bodies, &touches[decks->carrier[n]],
                                                         decks->deck_level[n] - base, decks->bottom[n] - base, ALL);
        RILL_ASSERT(spare >= 0.0 && decks->nodes[n].deck >= 0);
        const double there = fmin(spare, (double)decks->nodes[n].deck);
        decks->leaves[n] = there < decks->leaves[n] ? there / decks->leaves[n] : 1.0;
    }
}

/* Wakes the tile of a column, but not as a push: what trickles off a deck must not keep a pool awake that it does not
 * stir. */
static void wake_tile(rill_flow *flow, int32_t place) {
    rill_flow_touch_tile(flow, rill_bed_tile_of(flow->bed, place), rill_flow_wake_bits(flow->bed, place));
}

/* Takes what an end of a face gives; returns how much that is. */
static int32_t take_from(const deck_flow *decks, int32_t node, int32_t place, int32_t wanted, int32_t room) {
    rill_flow *flow = decks->stage->flow;
    if (node >= 0 && decks->nodes[node].apart) {
        const int32_t most = rill_min_i((int32_t)((double)wanted * decks->leaves[node]), room);
        RILL_ASSERT(most >= 0 && most <= decks->nodes[node].deck);
        decks->nodes[node].deck -= most;
        return most;
    }
    const int32_t most = rill_min_i(rill_min_i(wanted, flow->H[place]), room);
    rill_column_take(flow, place, most);
    if (node >= 0) decks->nodes[node].displaced_before += (double)most; /* its head is to follow at once */
    wake_tile(flow, place);
    return most;
}

static void move_all(const deck_flow *decks) {
    const rill_body_face *faces = decks->stage->bodies->faces.data;
    rill_flow *flow = decks->stage->flow;
    for (size_t i = decks->stage->island->first_face; i < decks->stage->island->end_face; ++i) {
        const bool back = decks->moved[i] < 0;
        const int32_t wanted = back ? -decks->moved[i] : decks->moved[i];
        const int32_t from = back ? faces[i].node_r : faces[i].node_l, to = back ? faces[i].node_l : faces[i].node_r;
        const int32_t at = back ? faces[i].r : faces[i].l, place = back ? faces[i].l : faces[i].r;
        const bool apart = to >= 0 && decks->nodes[to].apart;
        if (wanted == 0) continue;
        const int32_t room = apart ? RILL_TOP - decks->nodes[to].deck : room_in(flow, place);
        const int32_t part = take_from(decks, from, at, wanted, room);
        RILL_ASSERT(part >= 0 && part <= room);
        if (apart) {
            decks->nodes[to].deck += part;
            continue;
        }
        put_into(flow, place, part);
        wake_tile(flow, place);
        if (to >= 0) decks->nodes[to].displaced_before -= (double)part;
    }
}

/* ------------------------------------------------------------------------------------------------------------- both */

/* Adds what lies on a body in a column, up to a level above the base. */
static void add_deck_load(const deck_flow *decks, const rill_body_node *node, const rill_body_touch *touch,
                          double level) {
    const rill_bed *bed = decks->stage->flow->bed;
    const rill_body_piece *pieces = decks->stage->bodies->pieces.data;
    rill_body *body = rill_body_at(decks->stage->bodies, touch->body);
    rill_deck_load *deck_load = &body->deck_load;
    const double cell = bed->grid.cell_size * bed->grid.cell_size * bed->quantum * decks->stage->density;
    for (int32_t k = touch->first_piece; k < touch->end_piece; ++k) {
        const double high = (double)pieces[k].high, middle = (double)node->base + 0.5 * (high + level);
        const double mass = level > high ? (double)pieces[k].part * (level - high) * cell : 0.0;
        const double r[3] = { (double)pieces[k].arm[0], (double)pieces[k].arm[1],
                              bed->datum + middle * bed->quantum - body->expected_position[2] };
        const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        deck_load->mass += mass;
        for (int i = 0; i < 2; ++i) deck_load->moment[i] += mass * r[i];
        for (int i = 0; i < 9; ++i) deck_load->inertia[i] += mass * ((i % 4 ? 0.0 : square) - r[i / 3] * r[i % 3]);
    }
}

void rill_bodies_move_deck_liquid(const rill_body_stage *stage, const double *stands, const uint8_t *open) {
    rill_bodies *bodies = stage->bodies;
    const size_t n = bodies->nodes.count;
    double *vectors = (double *)bodies->vectors.data + 4 * n; /* deck_flooding.c has the rest */
    const deck_flow decks = { .stage = stage,
                              .nodes = bodies->nodes.data,
                              .levels = stands,
                              .open = open,
                              .deck_level = vectors,
                              .wet = vectors + n,
                              .bottom = vectors + 2 * n,
                              .leaves = vectors + 3 * n,
                              .carrier = (int32_t *)(vectors + 4 * n),
                              .moved = bodies->far_faces.data };
    const rill_body_touch *touches = bodies->touches.data;
    for (size_t i = stage->island->first_node; i < stage->island->end_node; ++i) {
        decks.leaves[i] = 0.0;
        decks.bottom[i] = (double)RILL_WALL;
        decks.deck_level[i] = -1.0;
    }
    find_moves(&decks);
    limit_moves(&decks);
    move_all(&decks);
    for (size_t i = stage->island->first_node; i < stage->island->end_node; ++i) {
        rill_body_node *node = &decks.nodes[i];
        if (!node->apart || node->deck == 0) continue;
        RILL_ASSERT(rill_body_node_carrier(bodies, node) >= 0);
        const rill_body_touch *touch = &touches[rill_body_node_carrier(bodies, node)];
        const double level = rill_body_touch_deck_level(bodies, touch, (double)node->deck);
        node->drawn = (int32_t)fmin((double)node->base + level, (double)(RILL_TOP - RILL_DRY));
        add_deck_load(&decks, node, touch, level);
    }
}
