/* Liquid on bodies: on decks, and in the holds of boats.
 *
 * In a column that is *apart* (deck_flooding.c) a volume U lies on the body, in whole quanta, which has nothing to do with what is below
 * it. Its bed is the topside of the body, piece by piece, which is where the body is: heeling moves liquid by itself.
 *
 *            +--+                    +--+      over bodies      by pipes, as everywhere: a velocity relative to the body at
 *   ~~~~~~~~~|  |~~~~~~~U~~~~~~~~~~~~|  |~~                     each face, driven by the slope, slowed by viscosity; and
 *            |  +--------------------+  |                       the body carries all of it with it
 *            +--------------------------+      over the side    as over a weir: a depth h above the side on one side and d
 *                                                               on the other give (h - s) sqrt(2 g s), s = h - d but at
 *                                                               most h / 3, which is where the flow becomes critical
 *
 * (F. M. Henderson, Open Channel Flow, 1966, section 2.5). The lids of quarters that meet at a face, in two lanes, are its sill.
 *
 * Stability: dt^2 g O / dx^2 (1 / A_l + 1 / A_r) <= 1 for an opening O between columns that are wet over parts A of them; where
 * a wall comes into a cell these are small, and what goes beyond one half of that is treated as if it were implicit. Over the
 * side an eighth of the difference moves at most, so that no levels change places. */
#include "bodies/bodies.h"

#include "base/simd.h"
#include "passages/passages.h"

#include <math.h>

enum { LANES = 2, ALL = 15, NEWTON = 16 };
static const double SHARE = 0.125;     /* of a difference of levels that goes over a side in a sub-step */
static const double LEAST = 0x1p-12;   /* of a cell: as much of it at least counts as wet */
static const double THIN = 1.0 / 16.0; /* cells: what is less below a level is wet, or will be at once */
static const double WHOLE = 0.999;     /* of a cell: more than this is all of it */
static const double MOST = 0x1p29;     /* quanta that move over a face in a sub-step */

/* A sub-step, in the working memory of the solve. */
typedef struct aboard {
    const rill_body_stage *stage;
    rill_node *nodes;
    const double *around; /* the levels of nodes, absolute, quanta, */
    const uint8_t *open;  /* and the quarters that have liquid at these */
    double *level;        /* of what is on a body, absolute, quanta; -1 as long as nobody has asked for it */
    double *wet;          /* the part of a column that it is in, if its level is known */
    double *bottom;       /* the lowest sill that it leaves over, absolute, quanta, */
    double *leaves;       /* and how much of it does, quanta */
    int32_t *carrier;     /* the touch that it lies on */
    int32_t *moved;       /* per face, from l to r, quanta */
} aboard;

/* A face, as what is on bodies sees it. All heights are absolute, quanta. */
typedef struct crossing {
    const rill_body_face *face;
    bool apart[2];      /* its ends */
    double level[2];    /* there */
    double sill[LANES]; /* infinity: shut */
} crossing;

/* ------------------------------------------------------------------------------------------------------------- columns */

int32_t rill_node_carrier(const rill_bodies *bodies, const rill_node *node) {
    const rill_touch *touches = bodies->touches.data;
    const rill_piece *pieces = bodies->pieces.data;
    int32_t found = -1;
    float lowest = (float)RILL_WALL;
    if (node->first >= 0 && touches[node->first].next < 0) return node->shut == ALL ? node->first : -1;
    for (int32_t i = node->first; i >= 0; i = touches[i].next) {
        double covered = 0.0;
        float low = (float)RILL_WALL;
        for (int32_t k = touches[i].first; k < touches[i].end; ++k) {
            covered += (double)pieces[k].part;
            low = pieces[k].high < low ? pieces[k].high : low;
        }
        if (covered >= WHOLE && (found < 0 || low < lowest)) found = i, lowest = low;
    }
    return found;
}

double rill_touch_holds(const rill_bodies *bodies, const rill_touch *touch, double level, double bottom,
                        uint32_t quarters) {
    const rill_piece *pieces = bodies->pieces.data;
    double sum = 0.0;
    for (int32_t k = touch->first; k < touch->end; ++k) {
        const double high = (double)pieces[k].high, from = high > bottom ? high : bottom;
        if (quarters >> pieces[k].quarter & 1u && level > from) sum += (double)pieces[k].part * (level - from);
    }
    return sum;
}

/* The part of a cell in which it is below a level. */
static double wet_part(const rill_bodies *bodies, const rill_touch *touch, double level) {
    const rill_piece *pieces = bodies->pieces.data;
    double sum = 0.0;
    for (int32_t k = touch->first; k < touch->end; ++k)
        if (level > (double)pieces[k].high) sum += (double)pieces[k].part;
    return sum;
}

/* What it holds grows with the level, the faster the higher: from above, Newton's method comes down to it and not beyond. */
double rill_touch_level(const rill_bodies *bodies, const rill_touch *touch, double amount) {
    const rill_piece *pieces = bodies->pieces.data;
    double lowest = (double)RILL_WALL, highest = 0.0, parts = 0.0;
    for (int32_t k = touch->first; k < touch->end; ++k) {
        const double high = (double)pieces[k].high;
        lowest = high < lowest ? high : lowest;
        highest = high > highest ? high : highest;
        parts += (double)pieces[k].part;
    }
    if (!(amount > 0.0)) return lowest;
    double level = highest + amount / parts;
    for (int i = 0; i < NEWTON; ++i) {
        const double beyond = rill_touch_holds(bodies, touch, level, 0.0, ALL) - amount;
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

/* How much more a column may hold. */
static int32_t room_in(const rill_flow *flow, int32_t place) {
    return rill_max_i(rill_ceiling_full(flow->bed, place) - flow->H[place], 0);
}

static int64_t put_into(rill_flow *flow, int32_t place, int64_t amount) {
    const int32_t room = room_in(flow, place), part = amount < room ? (int32_t)amount : room;
    if (part == 0) return amount;
    flow->H[place] += part;
    add_extent(flow, place);
    return amount - part;
}

/* The column nearest to a cell in which there is room; -1: there is none. */
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

void rill_bodies_give(rill_bodies *bodies, rill_flow *flow, const int16_t cell[2], int32_t place, int64_t amount) {
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
    bodies->lost += left;
}

/* ------------------------------------------------------------------------------------------------------------- sources */

void rill_bodies_await(rill_bodies *bodies, const rill_flow *flow) {
    rill_node *nodes = bodies->nodes.data;
    for (size_t i = 0; i < bodies->nodes.count; ++i) nodes[i].around = (double)flow->H[nodes[i].place];
}

void rill_bodies_catch(rill_bodies *bodies, rill_flow *flow) {
    rill_node *nodes = bodies->nodes.data;
    for (size_t i = 0; i < bodies->nodes.count; ++i) {
        rill_node *node = &nodes[i];
        const int32_t poured = flow->H[node->place] - (int32_t)node->around;
        const int32_t room = flow->bed->c[node->place] - flow->bed->b[node->place] - flow->H[node->place] - node->deck;
        if (!node->apart || poured <= 0 || room < 0) {
            node->kept -= (double)poured; /* its head is to follow at once */
            continue;
        }
        flow->H[node->place] -= poured;
        node->deck += poured;
    }
}

/* --------------------------------------------------------------------------------------------------------------- faces */

/* Where what is on the body stands in a column that is apart, once it matters: on most there is none. */
static void stand(const aboard *a, int32_t node) {
    const rill_body_stage *s = a->stage;
    const double thin = THIN * s->flow->bed->grid.cell_size / s->flow->bed->quantum;
    if (a->level[node] >= 0.0) return;
    a->carrier[node] = rill_node_carrier(s->bodies, &a->nodes[node]);
    const rill_touch *touch = (const rill_touch *)s->bodies->touches.data + a->carrier[node];
    const double level = rill_touch_level(s->bodies, touch, (double)a->nodes[node].deck);
    a->level[node] = (double)a->nodes[node].base + level;
    a->wet[node] = wet_part(s->bodies, touch, level + thin);
}

/* An end of a face. Its quarters there are first and first + step. */
static void look_at(const aboard *a, int end, int32_t node, int32_t place, int first, int step, crossing *c) {
    const rill_flow *flow = a->stage->flow;
    const double shown = (double)(rill_flow_bases(flow)[place] + flow->H[place]); /* heads may be pressure */
    c->apart[end] = node >= 0 && a->nodes[node].apart;
    if (c->apart[end]) stand(a, node);
    c->level[end] = c->apart[end] ? a->level[node] : node >= 0 ? fmin(a->around[node], shown) : shown;
    for (int i = 0; i < LANES; ++i) {
        const int quarter = first + i * step;
        double height = (double)flow->bed->b[place];
        if (node >= 0 && a->nodes[node].shut >> quarter & 1) height += (double)a->nodes[node].lid[quarter];
        c->sill[i] = height > c->sill[i] ? height : c->sill[i];
    }
}

/* What is outside of the domain takes no part; nor do faces without a column that is apart, or between two dry ones. */
static bool look(const aboard *a, const rill_body_face *face, crossing *c) {
    const int32_t l = face->node_l, r = face->node_r, *cells = a->stage->flow->bed->grid.cells;
    const bool apart_l = l >= 0 && a->nodes[l].apart, apart_r = r >= 0 && a->nodes[r].apart;
    if (!apart_l && !apart_r) return false;
    if (apart_l && apart_r && a->nodes[l].deck == 0 && a->nodes[r].deck == 0) {
        a->nodes[r].slip[face->axis] = 0.0f;
        return false;
    }
    if (l < 0 && a->nodes[r].cell[face->axis] == 0) return false;
    if (r < 0 && a->nodes[l].cell[face->axis] == cells[face->axis] - 1) return false;
    *c = (crossing){ .face = face };
    look_at(a, 0, l, face->l, face->axis ? 2 : 1, face->axis ? 1 : 2, c);
    look_at(a, 1, r, face->r, 0, face->axis ? 1 : 2, c);
    return true;
}

/* The mean depth over the sill at a level. */
static double depth_over(const crossing *c, double level) {
    double sum = 0.0;
    for (int i = 0; i < LANES; ++i) sum += level > c->sill[i] ? 0.5 * (level - c->sill[i]) : 0.0;
    return sum;
}

static double lowest_sill(const crossing *c) {
    return c->sill[0] < c->sill[1] ? c->sill[0] : c->sill[1];
}

/* How fast the body that is left carries what is on it over a face. */
static double carried_over(const aboard *a, const crossing *c) {
    const rill_touch *touch = (const rill_touch *)a->stage->bodies->touches.data + a->carrier[c->face->node_l];
    const rill_body *body = rill_body_at(a->stage->bodies, touch->body);
    const rill_node *node = &a->nodes[c->face->node_l];
    const rill_bed *bed = a->stage->flow->bed;
    double arm[3] = { 0.0, 0.0, 0.0 }, motion[6];
    for (int i = 0; i < 2; ++i) arm[i] = rill_node_at(bed, node, i) - body->expected[i];
    arm[c->face->axis] += 0.5 * bed->grid.cell_size;
    arm[2] = bed->datum + fmax(c->level[0], c->level[1]) * bed->quantum - body->expected[2];
    rill_body_seen_motion(a->stage, body, motion);
    return rill_body_speed_at(motion, c->face->axis, arm);
}

/* Over a body: what moves from l to r, quanta. Sets the velocity relative to it. */
static double flow_over(const aboard *a, const crossing *c) {
    const rill_kernel_constants *k = a->stage->k;
    const int axis = c->face->axis;
    const double sill = lowest_sill(c), l = fmax(c->level[0], sill), r = fmax(c->level[1], sill);
    const double depth = depth_over(c, fmax(l, r)), lambda = (double)k->lambda, gain = (double)k->drive;
    float *slip = &a->nodes[c->face->node_r].slip[axis];
    if (!(depth > 0.0)) {
        *slip = 0.0f;
        return 0.0;
    }
    const double wet_l = fmax(a->wet[c->face->node_l], LEAST), wet_r = fmax(a->wet[c->face->node_r], LEAST);
    const double courant = lambda * gain * depth * (1.0 / wet_l + 1.0 / wet_r), beyond = fmax(courant - 0.5, 0.0);
    const double square = 4.0 * depth * depth + 1.0, weight = square * (double)k->keep / (square + (double)k->drag);
    const double driven = (double)*slip + gain * (l - r + (double)k->tilt[axis]), most = (double)k->top_speed;
    *slip = (float)fmax(fmin(driven * weight / (1.0 + 2.0 * beyond), most), -most);
    const double u = fmax(fmin((double)*slip + carried_over(a, c), most), -most);
    return u * lambda * depth_over(c, u > 0.0 ? c->level[0] : c->level[1]);
}

/* Over the side, or a step of the bed: the same. Liquid beside a body comes from quarters only that it stands in. */
static double fall_over(const aboard *a, const crossing *c) {
    const rill_body_stage *s = a->stage;
    const int from = c->level[0] > c->level[1] ? 0 : 1;
    const int32_t donor = from ? c->face->node_r : c->face->node_l, taker = from ? c->face->node_l : c->face->node_r;
    const double high = c->level[from], drop = high - c->level[1 - from];
    const double rate = sqrt(2.0 * s->gravity * s->flow->bed->quantum) * (double)s->k->lambda;
    double sum = 0.0;
    for (int i = 0; i < LANES; ++i) {
        const int first = from ? 0 : c->face->axis ? 2 : 1, quarter = first + i * (c->face->axis ? 1 : 2);
        const double h = high - c->sill[i], lost = drop < h / 3.0 ? drop : h / 3.0;
        if (!(h > 0.0) || (!c->apart[from] && donor >= 0 && !(a->open[donor] >> quarter & 1))) continue;
        sum += 0.5 * rate * (h - lost) * sqrt(lost);
    }
    const double wet_from = c->apart[from] ? fmax(a->wet[donor], LEAST) : 1.0;
    const double wet_to = c->apart[1 - from] ? fmax(a->wet[taker], LEAST) : 1.0;
    sum = fmin(sum, SHARE * drop * fmin(wet_from, wet_to));
    return from ? -sum : sum;
}

static void find_moves(const aboard *a) {
    const rill_body_face *faces = a->stage->bodies->faces.data;
    for (size_t i = a->stage->island->first_face; i < a->stage->island->end_face; ++i) {
        crossing c;
        a->moved[i] = 0;
        if (!look(a, &faces[i], &c)) continue;
        const bool over = c.apart[0] && c.apart[1] && faces[i].pipe < 0;
        const double amount = fmax(fmin(over ? flow_over(a, &c) : fall_over(a, &c), MOST), -MOST);
        const int32_t quanta = (int32_t)floor(amount + 0.5), donor = quanta > 0 ? faces[i].node_l : faces[i].node_r;
        a->moved[i] = quanta;
        if (quanta == 0 || !c.apart[quanta > 0 ? 0 : 1]) continue;
        a->leaves[donor] += fabs((double)quanta);
        a->bottom[donor] = fmin(a->bottom[donor], lowest_sill(&c));
    }
}

/* Of what would leave columns that are apart, the part that there is. */
static void limit_moves(const aboard *a) {
    const rill_touch *touches = a->stage->bodies->touches.data;
    for (size_t n = a->stage->island->first_node; n < a->stage->island->end_node; ++n) {
        if (!(a->leaves[n] > 0.0)) continue;
        const double base = (double)a->nodes[n].base;
        const double spare =
            rill_touch_holds(a->stage->bodies, &touches[a->carrier[n]], a->level[n] - base, a->bottom[n] - base, ALL);
        const double there = fmin(spare, (double)a->nodes[n].deck);
        a->leaves[n] = there < a->leaves[n] ? there / a->leaves[n] : 1.0;
    }
}

/* Liquid has moved by itself: what trickles off a deck must not keep a pool awake that it does not stir. */
static void touch(rill_flow *flow, int32_t place) {
    rill_flow_touch_tile(flow, rill_bed_tile_of(flow->bed, place), rill_flow_wake_bits(flow->bed, place));
}

/* Takes what an end of a face gives; returns how much that is. */
static int32_t take(const aboard *a, int32_t node, int32_t place, int32_t wanted, int32_t room) {
    rill_flow *flow = a->stage->flow;
    if (node >= 0 && a->nodes[node].apart) {
        const int32_t most = rill_min_i((int32_t)((double)wanted * a->leaves[node]), room);
        a->nodes[node].deck -= most;
        return most;
    }
    const int32_t most = rill_min_i(rill_min_i(wanted, flow->H[place]), room);
    flow->H[place] -= most;
    if (node >= 0) a->nodes[node].kept += (double)most; /* its head is to follow at once */
    touch(flow, place);
    return most;
}

static void move_all(const aboard *a) {
    const rill_body_face *faces = a->stage->bodies->faces.data;
    rill_flow *flow = a->stage->flow;
    for (size_t i = a->stage->island->first_face; i < a->stage->island->end_face; ++i) {
        const bool back = a->moved[i] < 0;
        const int32_t wanted = back ? -a->moved[i] : a->moved[i];
        const int32_t from = back ? faces[i].node_r : faces[i].node_l, to = back ? faces[i].node_l : faces[i].node_r;
        const int32_t at = back ? faces[i].r : faces[i].l, place = back ? faces[i].l : faces[i].r;
        const bool apart = to >= 0 && a->nodes[to].apart;
        if (wanted == 0) continue;
        const int32_t room = apart ? RILL_TOP - a->nodes[to].deck : room_in(flow, place);
        const int32_t part = take(a, from, at, wanted, room);
        if (apart) {
            a->nodes[to].deck += part;
            continue;
        }
        put_into(flow, place, part);
        touch(flow, place);
        if (to >= 0) a->nodes[to].kept -= (double)part;
    }
}

/* ---------------------------------------------------------------------------------------------------------------- both */

/* Adds what lies on a body in a column, up to a level above the base. */
static void load(const aboard *a, const rill_node *node, const rill_touch *touch, double level) {
    const rill_bed *bed = a->stage->flow->bed;
    const rill_piece *pieces = a->stage->bodies->pieces.data;
    rill_body *body = rill_body_at(a->stage->bodies, touch->body);
    rill_freight *freight = &body->freight;
    const double cell = bed->grid.cell_size * bed->grid.cell_size * bed->quantum * a->stage->density;
    for (int32_t k = touch->first; k < touch->end; ++k) {
        const double high = (double)pieces[k].high, middle = (double)node->base + 0.5 * (high + level);
        const double mass = level > high ? (double)pieces[k].part * (level - high) * cell : 0.0;
        const double r[3] = { (double)pieces[k].arm[0], (double)pieces[k].arm[1],
                              bed->datum + middle * bed->quantum - body->expected[2] };
        const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        freight->mass += mass;
        for (int i = 0; i < 2; ++i) freight->moment[i] += mass * r[i];
        for (int i = 0; i < 9; ++i) freight->inertia[i] += mass * ((i % 4 ? 0.0 : square) - r[i / 3] * r[i % 3]);
    }
}

void rill_bodies_wash(const rill_body_stage *s, const double *stands, const uint8_t *open) {
    rill_bodies *bodies = s->bodies;
    const size_t n = bodies->nodes.count;
    double *v = (double *)bodies->vectors.data + 4 * n; /* deck_flooding.c has the rest */
    const aboard a = { s,     bodies->nodes.data, stands,    open, v, v + n, v + 2 * n,
                       v + 3 * n, (int32_t *)(v + 4 * n), bodies->far.data };
    const rill_touch *touches = bodies->touches.data;
    for (size_t i = s->island->first_node; i < s->island->end_node; ++i) {
        a.leaves[i] = 0.0;
        a.bottom[i] = (double)RILL_WALL;
        a.level[i] = -1.0;
    }
    find_moves(&a);
    limit_moves(&a);
    move_all(&a);
    for (size_t i = s->island->first_node; i < s->island->end_node; ++i) {
        rill_node *node = &a.nodes[i];
        if (!node->apart || node->deck == 0) continue;
        const rill_touch *touch = &touches[rill_node_carrier(bodies, node)];
        const double level = rill_touch_level(bodies, touch, (double)node->deck);
        node->seen = (int32_t)fmin((double)node->base + level, (double)(RILL_TOP - RILL_DRY));
        load(&a, node, touch, level);
    }
}
