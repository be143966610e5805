/* Kernels: loops over nodes and edges of passages, and over tiles. Compiled several times with RILL_KERNELS_NAME set to
 * the table's name; see passage_kernels.h, and kernels.c for how loops marked "vector" are made to vectorise. */
#include "passages/passage_kernels.h"
#include "passages/passage_loops_internal.h"

#include <string.h>

#include "base/assert.h"
#include "flow/limit.h"
#include "flow/rest.h"

#define KERNEL static __attribute__((noinline)) void
#define JUDGE static __attribute__((noinline)) int32_t

/* ------------------------------------------------------------------------------------------------------------- scan */

/* Says whether some column is so full that a closer look pays. One that fills from below that is found by the next
 * scan. */
static int32_t some_nearly_full(const rill_passage_scan *tile) {
    int32_t any = 0;
    for (int32_t y = 0; y < tile->rows; ++y) {
        const int32_t *H = tile->at.H + y * tile->stride, nearly_full = tile->nearly_full;
        RILL_NOT_UNROLLED /* vector */
            for (int32_t x = 0; x < RILL_TILE_W; ++x) any |= H[x] >= nearly_full;
    }
    return any;
}

/* Compares room with what flows in less what flows out, about: with the depths for openings. A column that fills all
 * the same is blocked by the limiters and found later, as is one that sparse pipes fill. Beside a flooded column a
 * passage that is nearly full may fill as a whole at once. */
static bool scan(const rill_passage_scan *tile, float horizon, int32_t rows_of[RILL_TILE_W]) {
    const int32_t stride = tile->stride, share = tile->near_flooded ? 4 : 7; /* of the height, as a power of two */
    int32_t bits[RILL_TILE_W] = { 0 }; /* an array of its own, known to be no part of the planes */
    RILL_ASSERT(tile->rows > 0 && tile->rows <= RILL_TILE_H && horizon >= 0.0f);
    if (!tile->flooded && !some_nearly_full(tile)) return false;
    for (int32_t y = 0; y < tile->rows; ++y) {
        const int32_t *b = tile->at.b + y * stride, *c = tile->at.c + y * stride, *code = tile->at.code + y * stride;
        const int32_t *H = tile->at.H + y * stride, *H_south = H - stride, *H_north = H + stride, bit = 1 << y;
        const float *u = tile->at.u + y * stride, *v = tile->at.v + y * stride, *v_north = v + stride;
        for (int32_t x = 0; x < RILL_TILE_W; ++x) { /* vector */
            float in = (rill_max_f(u[x], 0.0f) * (float)H[x - 1] + rill_max_f(-u[x + 1], 0.0f) * (float)H[x + 1]) +
                       (rill_max_f(v[x], 0.0f) * (float)H_south[x] + rill_max_f(-v_north[x], 0.0f) * (float)H_north[x]);
            float out = (rill_max_f(-u[x], 0.0f) + rill_max_f(u[x + 1], 0.0f)) +
                        (rill_max_f(-v[x], 0.0f) + rill_max_f(v_north[x], 0.0f));
            int32_t height = c[x] - b[x];
            float room = (float)(height - H[x] - RILL_FULL_LOW - (height >> share));
            int32_t fills = room <= horizon * (in - out * (float)H[x]);
            int32_t flooded = code[x] != 0, near = ((c[x] < RILL_TOP) & (H[x] > RILL_DRY) & fills) | flooded;
            bits[x] |= (-near & bit) | (-flooded & bit << RILL_TILE_H);
        }
    }
    memcpy(rows_of, bits, sizeof bits);
    return true;
}

/* ------------------------------------------------------------------------------------------------------------- read */

/* Starts a pressure where a parabola through the last three leads, or a line through two. */
INLINE double start_pressure(double pressure, double last, double before) {
    const double line = 2.0 * pressure - last, parabola = line + (pressure - 2.0 * last + before);
    const double ahead = before >= 0.0 ? parabola : line, floored = ahead > 0.0 ? ahead : 0.0;
    return ((pressure < 0.0) | (last < 0.0)) ? pressure : floored;
}

INLINE int32_t read_one(const rill_passage_nodes *node, const rill_passage_columns *from, int32_t n, int32_t place) {
    const int32_t b = from->b[place], c = from->c[place], H = from->H[place], code = from->code[place],
                  inner = node->inner[n];
    const int32_t filled = code == RILL_PRESSURE_NEW,
                  is_active = inner & (code != 0); /* filled: by hand, so that the pressure is unknown */
    const double pressure = filled ? -1.0 : (double)(rill_abs_i(filled ? 0 : code) - 1) * 0.25, last = node->last[n];
    const double start = start_pressure(pressure, last, node->before[n]);
    const int32_t others = node->active[n] ^ is_active, sealed = is_active & (code < 0) & !filled;
    node->b[n] = b;
    node->c[n] = c;
    node->H[n] = H;
    node->fill[n] = inner ? H - rill_max_i(c - b - RILL_FULL_HIGH, 0) : RILL_NO_ROOF;
    node->was_active[n] = node->ever_active[n] = node->active[n] = is_active;
    node->sealed[n] = 0;
    node->pi[n] = is_active ? start : 0.0;
    node->before[n] = is_active ? last : -1.0;
    node->last[n] = is_active ? pressure : -1.0;
    return others * RILL_VERDICT_OTHERS | sealed * RILL_VERDICT_SEALED;
}

JUDGE read_nodes(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_columns *planes) {
    const rill_passage_nodes node = *nodes;
    const rill_passage_columns columns = *planes;
    int32_t verdict = 0;
#define WORK(N, P) verdict |= read_one(&node, &columns, N, P)
    EACH_PLACE(node, WORK)
#undef WORK
    return verdict;
}

KERNEL read_speeds(int32_t from, int32_t to, const rill_passage_edges *faces, const rill_passage_columns *planes) {
    const rill_passage_edges face = *faces;
#define WORK(I, L, R, U) face.u[I] = *(U)
    EACH_VELOCITY(face, planes, WORK)
#undef WORK
}

/* ------------------------------------------------------------------------------------------------------------ write */

static bool write_chunk(int32_t first, const rill_passage_nodes *nodes, const rill_passage_edges *faces,
                        const rill_passage_columns *planes, int32_t *above) {
    const rill_passage_nodes node = *nodes;
    const int32_t place = node.place[first], *b = planes->b + place, *c = planes->c + place;
    const int32_t *west = faces->t + node.west[first], *east = faces->t + node.east[first];
    const int32_t *south = faces->t + node.south[first], *north = faces->t + node.north[first];
    int32_t *H = planes->H + place, *code = planes->code + place, after[RILL_CHUNK], over = 0, flips = 0;
    RILL_EACH_ALONE RILL_NOT_UNROLLED /* vector */
        for (int32_t k = 0; k < RILL_CHUNK; ++k) {
        const int32_t roofed = node.fill[first + k] > RILL_NO_ROOF / 2, found = rill_passages_code(&node, first + k);
        const int32_t before = code[k], now = roofed ? found : before;
        after[k] = now;
        flips |= (now != 0) ^ (before != 0);
    }
    RILL_ASSERT(first % RILL_CHUNK == 0 && node.contiguous[first / RILL_CHUNK] && node.in_row[first / RILL_CHUNK]);
    if (flips) return false;
    RILL_EACH_ALONE RILL_NOT_UNROLLED /* vector */
        for (int32_t k = 0; k < RILL_CHUNK; ++k) {
        H[k] += (west[k] - east[k]) + (south[k] - north[k]);
        over |= H[k] > c[k] - b[k];
        code[k] = after[k];
    }
    *above |= over;
    return true;
}

KERNEL hide_faces(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *faces,
                  const rill_passage_columns *planes) {
    const rill_passage_edges face = *faces;
    const int32_t *ever = nodes->ever_active;
#define WORK(I, L, R, U) *(U) = (ever[L] | ever[R]) != 0 ? 0.0f : *(U)
    EACH_VELOCITY(face, planes, WORK)
#undef WORK
}

static bool restore_chunk(int32_t first, const rill_passage_nodes *nodes, const rill_passage_edges *faces,
                          const rill_passage_columns *planes) {
    const int32_t l = faces->l[first], r = faces->r[first];
    const int32_t *ever = nodes->ever_active, *active = nodes->active;
    const float *u = faces->u + first;
    float *plane = velocity_of(faces, planes, first);
    int32_t left = 0;
    RILL_EACH_ALONE RILL_NOT_UNROLLED /* vector */
        for (int32_t k = 0; k < RILL_CHUNK; ++k) left |= (ever[l + k] | ever[r + k]) & ~(active[l + k] | active[r + k]);
    RILL_ASSERT(first % RILL_CHUNK == 0 && faces->in_row[first / RILL_CHUNK]);
    if (left) return false;
    RILL_EACH_ALONE RILL_NOT_UNROLLED /* vector */
        for (int32_t k = 0; k < RILL_CHUNK; ++k) plane[k] = (ever[l + k] | ever[r + k]) != 0 ? u[k] : plane[k];
    return true;
}

/* ------------------------------------------------------------------------------------------------------------ drive */

INLINE void drive_one(const rill_passage_nodes *node, const rill_passage_edges *edge, int32_t i, int32_t l, int32_t r,
                      const rill_kernel_constants *constants) {
    rill_face_ends ends = { node->b[l], node->b[r], node->c[l], node->c[r], node->H[l], node->H[r] };
    rill_pressed_face pressed =
        rill_ceiling_drive(&ends, edge->u[i], edge->axis[i] ? constants->tilt[1] : constants->tilt[0], constants);
    int32_t undriven = node->was_active[l] | node->was_active[r], drop = (ends.bl + ends.Hl) - (ends.br + ends.Hr);
    edge->base[i] = undriven ? pressed.base : edge->u[i];
    edge->gain[i] = pressed.gain;
    edge->head[i] = undriven ? pressed.head : 0;
    edge->steep[i] = rill_abs_i(drop) > RILL_SUBMERGED;
}

KERNEL drive(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *edges,
             const rill_kernel_constants *constants) {
    const rill_kernel_constants constant = *constants;
    const rill_passage_nodes node = *nodes;
    const rill_passage_edges edge = *edges;
#define WORK(I, L, R) drive_one(&node, &edge, I, L, R, &constant)
    EACH_EDGE(edge, WORK)
#undef WORK
}

INLINE void open_one(const rill_passage_nodes *node, const rill_passage_edges *edge, int32_t i, int32_t l, int32_t r,
                     float lambda, float paper) {
    rill_face_ends ends = { node->b[l], node->b[r], node->c[l], node->c[r], node->H[l], node->H[r] };
    double u = (double)edge->base[i] + (double)edge->gain[i] * ((double)edge->head[i] + (node->pi[l] - node->pi[r]));
    float opening = (float)rill_ceiling_opening(&ends, (float)u);
    float open_paper = opening > 0.0f ? paper : 0.0f;
    float across = lambda * (paper > 0.0f ? open_paper : opening);
    edge->reach[i] = across;
    edge->q[i] = u * (double)across;
}

KERNEL open_edges(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *edges,
                  float lambda, float paper) {
    const rill_passage_nodes node = *nodes;
    const rill_passage_edges edge = *edges;
#define WORK(I, L, R) open_one(&node, &edge, I, L, R, lambda, paper)
    EACH_EDGE(edge, WORK)
#undef WORK
}

INLINE int32_t flow_one(const double *pi, const rill_passage_edges *edge, int32_t i, int32_t l, int32_t r) {
    double before = edge->q[i], drop = (double)edge->head[i] + (pi[l] - pi[r]);
    double now = ((double)edge->base[i] + (double)edge->gain[i] * drop) * (double)edge->reach[i];
    edge->q[i] = now;
    return (before * now < 0.0) & edge->steep[i];
}

JUDGE flow(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *edges) {
    const rill_passage_edges edge = *edges;
    const double *pi = nodes->pi;
    int32_t turned = 0;
#define WORK(I, L, R) turned |= flow_one(pi, &edge, I, L, R)
    EACH_EDGE(edge, WORK)
#undef WORK
    return turned;
}

/* Quanta: more than any column has. */
#define MOST ((double)RILL_TOP)

INLINE int32_t finish_one(const double *pi, const int32_t *ever, const rill_passage_edges *edge, int32_t i, int32_t l,
                          int32_t r, float phase, float top_speed, double calm) {
    int32_t flooded = ever[l] | ever[r], open = flooded & (edge->reach[i] > 0.0f);
    double q = edge->q[i], bounded = q > MOST ? MOST : q < -MOST ? -MOST : q;
    int32_t whole = (int32_t)(bounded + (double)(bounded < 0.0 ? -phase : phase));
    double drop = (double)edge->head[i] + (pi[l] - pi[r]);
    float speed = (float)((double)edge->base[i] + (double)edge->gain[i] * drop);
    edge->t[i] = flooded ? whole : 0;
    edge->u[i] = flooded ? rill_max_f(rill_min_f(speed, top_speed), -top_speed) : edge->u[i];
    return open & rill_restless(speed, (drop > calm) | (drop < -calm));
}

JUDGE finish(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *edges,
             const rill_kernel_constants *constants, double calm) {
    const rill_passage_edges edge = *edges;
    const double *pi = nodes->pi;
    const int32_t *ever = nodes->ever_active;
    const float phase = constants->phase, top_speed = constants->top_speed;
    int32_t unrest = 0;
#define WORK(I, L, R) unrest |= finish_one(pi, ever, &edge, I, L, R, phase, top_speed, calm)
    EACH_EDGE(edge, WORK)
#undef WORK
    return unrest;
}

/* ------------------------------------------------------------------------------------------------------------ nodes */

INLINE void excess_one(const rill_passage_nodes *node, const double *q, int32_t i, int32_t west, int32_t east,
                       int32_t south, int32_t north) {
    const int32_t band = RILL_FULL_LOW - RILL_FULL_HIGH, fill = node->fill[i];
    int32_t outside = rill_max_i(fill, 0) + rill_min_i(fill + band, 0); /* the band that counts as full */
    int32_t over = (node->active[i] & node->was_active[i]) != 0 ? outside : fill;
    node->f[i] = (double)over + ((q[west] - q[east]) + (q[south] - q[north]));
}

KERNEL excess(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *faces) {
    const rill_passage_nodes node = *nodes;
    const double *q = faces->q;
#define WORK(I, W, E, S, N) excess_one(&node, q, I, W, E, S, N)
    EACH_NODE_WITH_FACES(node, WORK)
#undef WORK
}

JUDGE judge(int32_t from, int32_t to, const rill_passage_nodes *nodes, double tolerance) {
    const int32_t *active = nodes->active, *fill = nodes->fill;
    double *f = nodes->f;
    int32_t off = 0, over = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < to; ++i) {
        int32_t is_active = active[i], high = f[i] > tolerance, low = f[i] < -tolerance;
        int32_t add = (is_active ^ 1) & high & (fill[i] > RILL_NO_ROOF / 2);
        off |= is_active & (high | low);
        over |= add;
        f[i] = (is_active | add) != 0 ? f[i] : 0.0;
    }
    return (off ? RILL_VERDICT_OFF : 0) | (over ? RILL_VERDICT_OVER : 0);
}

INLINE void place_one(const rill_passage_nodes *node, const rill_passage_edges *face, const rill_passage_problem *to,
                      int32_t i, int32_t slot, int32_t west, int32_t at_west, int32_t east, int32_t at_east,
                      int32_t south, int32_t at_south, int32_t north, int32_t at_north) {
    const int32_t own = to->island[i], *of = to->island;
    const float w_west = face->gain[west] * face->reach[west], w_east = face->gain[east] * face->reach[east];
    const float w_south = face->gain[south] * face->reach[south], w_north = face->gain[north] * face->reach[north];
    const int32_t joins_west = of[at_west] == own, joins_east = of[at_east] == own, joins_south = of[at_south] == own;
    const float out_west = joins_west ? 0.0f : w_west, out_east = joins_east ? 0.0f : w_east;
    const float out_south = joins_south ? 0.0f : w_south, out_north = of[at_north] == own ? 0.0f : w_north;
    to->active[slot] = 1.0f;
    to->extra[slot] = (out_west + out_east) + (out_south + out_north);
    to->wx[slot] = joins_west ? w_west : 0.0f;
    to->wy[slot] = joins_south ? w_south : 0.0f;
    to->f[slot] = node->f[i];
    to->x[slot] = 0.0;
}

/* Says whether a chunk of nodes has slots that follow each other. */
INLINE bool slots_in_a_row(const int32_t *slot) {
    int32_t odd = slot[0] < 0;
    for (int32_t k = 0; k < RILL_CHUNK; ++k) odd |= slot[k] ^ (slot[0] + k);
    return odd == 0;
}

static __attribute__((noinline)) void place_chunk(int32_t i, const rill_passage_nodes *nodes,
                                                  const rill_passage_edges *faces,
                                                  const rill_passage_problem *problem) {
    const rill_passage_nodes node = *nodes;
    const rill_passage_edges face = *faces;
    const rill_passage_problem target = *problem;
    const int32_t west = node.west[i], east = node.east[i], south = node.south[i], north = node.north[i];
    const int32_t at_west = face.l[west], at_east = face.r[east], at_south = face.l[south], at_north = face.r[north];
    const int32_t slot = target.slot[i];
    RILL_ASSERT(i % RILL_CHUNK == 0 && slot >= 0);
    RILL_EACH_ALONE RILL_NOT_UNROLLED /* vector */
        for (int32_t k = 0; k < RILL_CHUNK; ++k)
            place_one(&node, &face, &target, i + k, slot + k, west + k, at_west + k, east + k, at_east + k, south + k,
                      at_south + k, north + k, at_north + k);
}

KERNEL place(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *faces,
             const rill_passage_problem *problem) {
    const int32_t *slot = problem->slot, *l = faces->l, *r = faces->r;
    for (int32_t i = from, end; i < to; i = end) {
        end = rill_min_i((i / RILL_CHUNK + 1) * RILL_CHUNK, to);
        if (nodes->contiguous[i / RILL_CHUNK] && end - i == RILL_CHUNK && slots_in_a_row(slot + i)) {
            place_chunk(i, nodes, faces, problem);
            continue;
        }
        for (int32_t k = i; k < end; ++k)
            if (slot[k] >= 0)
                place_one(nodes, faces, problem, k, slot[k], nodes->west[k], l[nodes->west[k]], nodes->east[k],
                          r[nodes->east[k]], nodes->south[k], l[nodes->south[k]], nodes->north[k], r[nodes->north[k]]);
    }
}

JUDGE opened(int32_t from, int32_t to, const rill_passage_edges *edges) {
    const float *gain = edges->gain, *reach = edges->reach;
    int32_t *known = edges->searched_open, differ = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < to; ++i) {
        const int32_t open = gain[i] * reach[i] > 0.0f;
        differ |= known[i] ^ open;
        known[i] = open;
    }
    return differ;
}

JUDGE activated(int32_t from, int32_t to, const rill_passage_nodes *nodes) {
    const int32_t *active = nodes->active;
    int32_t *known = nodes->searched_active, differ = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < to; ++i) {
        const int32_t now = active[i];
        differ |= known[i] ^ now;
        known[i] = now;
    }
    return differ;
}

JUDGE correct(int32_t from, int32_t to, const rill_passage_nodes *nodes) {
    double *pi = nodes->pi, *x = nodes->x;
    int32_t negative = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < to; ++i) {
        double corrected = pi[i] + x[i];
        negative |= corrected < 0.0;
        pi[i] = corrected;
        x[i] = 0.0;
    }
    return negative;
}

INLINE double outward(double q) {
    return q > 0.0 ? q : 0.0;
}

/* Returns what crosses a face if it is flooded: if the node, or the one beyond, has been active. */
INLINE double if_flooded(int32_t own, int32_t other, double q) {
    return (own | other) != 0 ? q : 0.0;
}

INLINE int32_t change_one(const rill_passage_nodes *node, const double *q, int32_t i, int32_t west, int32_t at_west,
                          int32_t east, int32_t at_east, int32_t south, int32_t at_south, int32_t north,
                          int32_t at_north) {
    const int32_t own = node->ever_active[i], roofed = node->fill[i] > RILL_NO_ROOF / 2;
    double q_west = if_flooded(own, node->ever_active[at_west], q[west]);
    double q_east = if_flooded(own, node->ever_active[at_east], q[east]);
    double q_south = if_flooded(own, node->ever_active[at_south], q[south]);
    double q_north = if_flooded(own, node->ever_active[at_north], q[north]);
    double out = (outward(-q_west) + outward(q_east)) + (outward(-q_south) + outward(q_north));
    double by = (q_west - q_east) + (q_south - q_north);
    int32_t short_of = (out > 0.0) & (out > (double)node->H[i] - (double)RILL_LIMIT_SLACK);
    int32_t over = (own ^ 1) & roofed & ((double)node->fill[i] + by > 0.0) & (by != 0.0);
    node->f[i] = by;
    return short_of * RILL_VERDICT_SHORT | over * RILL_VERDICT_OVER;
}

JUDGE change(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *faces) {
    const rill_passage_nodes node = *nodes;
    const rill_passage_edges face = *faces;
    int32_t verdict = 0;
#define WORK(I, ...) verdict |= change_one(&node, face.q, I, __VA_ARGS__)
    EACH_NODE_WITH_NEIGHBOURS(node, face, WORK)
#undef WORK
    return verdict;
}

INLINE int32_t overdrawn_one(const int32_t *t, int32_t H, int32_t west, int32_t east, int32_t south, int32_t north) {
    float out = ((float)rill_max_i(-t[west], 0) + (float)rill_max_i(t[east], 0)) +
                ((float)rill_max_i(-t[south], 0) + (float)rill_max_i(t[north], 0));
    return out * RILL_LIMIT_OVER > (float)H;
}

JUDGE overdrawn(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *faces) {
    const rill_passage_nodes node = *nodes;
    const int32_t *t = faces->t;
    int32_t any = 0;
#define WORK(I, W, E, S, N) any |= overdrawn_one(t, node.H[I], W, E, S, N)
    EACH_NODE_WITH_FACES(node, WORK)
#undef WORK
    return any;
}

/* Returns a speed as bits; 0 for faces without an active node at an end, of which nothing is known here. */
INLINE int32_t speed_bits(float u, int32_t is_active) {
    return rill_float_bits(__builtin_fabsf(u)) & -is_active;
}

INLINE int32_t fastest_one(const int32_t *active, const float *u, int32_t i, int32_t west, int32_t at_west,
                           int32_t east, int32_t at_east, int32_t south, int32_t at_south, int32_t north,
                           int32_t at_north) {
    const int32_t own = active[i];
    int32_t x = rill_max_i(speed_bits(u[west], own | active[at_west]), speed_bits(u[east], own | active[at_east]));
    int32_t y = rill_max_i(speed_bits(u[south], own | active[at_south]), speed_bits(u[north], own | active[at_north]));
    return rill_float_bits(rill_bits_float(x) + rill_bits_float(y));
}

static float fastest(int32_t from, int32_t to, const rill_passage_nodes *nodes, const rill_passage_edges *faces) {
    const rill_passage_nodes node = *nodes;
    const rill_passage_edges face = *faces;
    int32_t most = 0;
#define WORK(I, ...) most = rill_max_i(most, fastest_one(node.active, face.u, I, __VA_ARGS__))
    EACH_NODE_WITH_NEIGHBOURS(node, face, WORK)
#undef WORK
    return rill_bits_float(most);
}

/* ------------------------------------------------------------------------------------------------------- prediction */

#define FARTHEST 0x1p40f /* quanta: behind a face that is all but closed a pressure may be anything */

/* Returns what would be right for a node if no neighbour moved, within what a pressure may be. */
static inline float right_one(const rill_prediction_nodes *list, int32_t i, float so_far, float over) {
    float near = (list->w[0][i] * list->x[list->neighbour[0][i]] + list->w[1][i] * list->x[list->neighbour[1][i]]) +
                 (list->w[2][i] * list->x[list->neighbour[2][i]] + list->w[3][i] * list->x[list->neighbour[3][i]]);
    float x = so_far * (1.0f - over) + over * (list->push[i] + list->inverse[i] * near);
    return rill_max_f(rill_min_f(x, FARTHEST), list->least[i]);
}

KERNEL relax(int32_t from, int32_t to, int32_t colour, float over, const rill_prediction_nodes *nodes) {
    const rill_prediction_nodes list = *nodes;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < to; ++i) {
        float x = right_one(&list, i, list.x[i], over);
        list.x[i] = list.colour[i] == colour ? x : list.x[i];
    }
}

/* Compares floats by their bits: they are in the same order if they are not negative. */
static float residual(int32_t from, int32_t to, const rill_prediction_nodes *nodes) {
    const rill_prediction_nodes list = *nodes;
    int32_t most = 0;
    RILL_EACH_ALONE /* vector */
        for (int32_t i = from; i < to; ++i) {
        float step = __builtin_fabsf(right_one(&list, i, 0.0f, 1.0f) - list.x[i]);
        int32_t joins = list.inverse[i] > 0.0f;
        float off = step / rill_max_f(list.inverse[i], 1e-30f);
        most = rill_max_i(most, rill_float_bits(off) & -joins);
    }
    return rill_bits_float(most);
}

extern const rill_passage_kernels RILL_KERNELS_NAME;
const rill_passage_kernels RILL_KERNELS_NAME = {
    .scan = scan,
    .read = read_nodes,
    .speeds = read_speeds,
    .drive = drive,
    .open = open_edges,
    .flow = flow,
    .excess = excess,
    .judge = judge,
    .place = place,
    .opened = opened,
    .activated = activated,
    .correct = correct,
    .change = change,
    .finish = finish,
    .overdrawn = overdrawn,
    .write = write_chunk,
    .hide = hide_faces,
    .restore = restore_chunk,
    .fastest = fastest,
    .relax = relax,
    .residual = residual,
};
