/* Which columns may be covered: those that are flooded or might fill within the sub-step, as inner nodes, with all that stands beside
 * them. See passages_internal.h.
 *
 * Tiles with a ceiling in them are looked at one by one for columns to begin from. From there all that is flooded is reached
 * over faces and pipes, whether or not its tile is asleep: pressure knows no distance. A pool of which all tiles sleep is left
 * alone.
 *
 * Looking costs more than reading the nodes, so that it is done every few sub-steps only, and when tiles fall asleep or wake.
 * A column that fills meanwhile is blocked by the limiters for as long, unless it stands beside a member. Each
 * step begins with a look, or it would matter to the bits whether it began from a snapshot. Nodes follow from what is seen
 * in tiles, so that a look that sees the same as the last one leaves them as they are. */
#include <string.h>

#include "base/dispatch.h"
#include "base/order.h"
#include "passages/passages_internal.h"

RILL_DISPATCH(rill_passage_kernels)

enum { LOOK_EVERY = 8 };           /* sub-steps */
static const float HORIZON = 3.0f; /* sub-steps to look ahead */

/* -------------------------------------------------------------------------------------------------------------- ports */

static void add_to_port(rill_passage_solver *passages, int32_t port, int32_t place, int32_t pipe) {
    passages->port_place[port] = place;
    passages->port_pipes[passages->port_first[port]++] = pipe;
}

/* Lists the sparse pipes by the columns they end at, in their order. */
static void list_ports(const rill_flow *flow) {
    rill_passage_solver *passages = flow->passages;
    const rill_pipe *pipes = flow->sparse->pipes;
    const int32_t count = flow->bed->pipe_count;
    int32_t *first = passages->port_first;
    for (int32_t i = 1; i <= passages->port_count; ++i) passages->node_of[passages->port_place[i]] = 0;
    passages->port_count = 0;
    memset(first, 0, (2 * (size_t)count + 2) * sizeof *first);
    for (int32_t i = 0; i < count; ++i) {
        const int32_t l = pipes[i].port_l + 1, r = pipes[i].port_r + 1;
        first[l] += 1, first[r] += 1;
        passages->port_count = rill_max_i(passages->port_count, rill_max_i(l, r));
    }
    for (int32_t i = 1, sum = 0; i <= passages->port_count; ++i) sum += first[i], first[i] = sum - first[i];
    for (int32_t i = 0; i < count; ++i) {
        add_to_port(passages, pipes[i].port_l + 1, pipes[i].l, i);
        add_to_port(passages, pipes[i].port_r + 1, pipes[i].r, i);
    }
    for (int32_t i = passages->port_count + 1; i > 1; --i) first[i] = first[i - 1]; /* they have moved on to the next */
    first[1] = 0;
    for (int32_t i = 1; i <= passages->port_count; ++i) passages->node_of[passages->port_place[i]] = -i;
    passages->ports_due = false;
}

/* -------------------------------------------------------------------------------------------------------------- nodes */

void rill_passages_clear(rill_passage_solver *passages) {
    for (int32_t i = 1; i < passages->node_count; ++i)
        passages->node_of[passages->nodes.place[i]] = -passages->nodes.port[i];
    passages->node_count = passages->faces.count = passages->pipes.count = 1;
    passages->island_count = passages->searched_nodes = 0;
    passages->hold = passages->as_looked = passages->islands_hold = false;
}

/* A place in the bed. */
typedef struct spot {
    int32_t place, sheet, column, row;
} spot;

static bool make_node(rill_passage_solver *passages, const rill_bed *bed, spot at) {
    const rill_sheet *sheet = &bed->sheets[at.sheet];
    const int32_t n = passages->node_count;
    if (n == passages->node_capacity && !rill_passages_room_for_nodes(passages, n + 1)) return false;
    const rill_passage_nodes *a = &passages->nodes;
    a->place[n] = at.place;
    a->sheet[n] = at.sheet;
    a->column[n] = at.column;
    a->row[n] = at.row;
    a->tile[n] = sheet->first_tile + at.row / RILL_TILE_H * sheet->tiles_x + at.column / RILL_TILE_W;
    a->port[n] = -passages->node_of[at.place];
    a->inner[n] = a->west[n] = a->east[n] = a->south[n] = a->north[n] = a->pipe[n] = 0;
    a->active[n] = a->was[n] = a->ever[n] = a->sealed[n] = 0;
    a->fill[n] = RILL_NO_ROOF;
    a->pi[n] = a->x[n] = a->f[n] = 0.0;
    a->last[n] = a->before[n] = -1.0;
    passages->pool[n] = n;
    passages->slot[n] = passages->island_of[n] = -1; /* of islands that may stay those that were found without it */
    passages->marks[n] = a->even[n / RILL_CHUNK] = a->in_row[n / RILL_CHUNK] = 0;
    passages->node_of[at.place] = n;
    passages->node_count = n + 1;
    return true;
}

/* The node of a column, made if there is none; 0 without memory. */
static int32_t node_at(rill_passage_solver *passages, const rill_bed *bed, spot at) {
    if (passages->node_of[at.place] <= 0 && !make_node(passages, bed, at)) return 0;
    return passages->node_of[at.place];
}

/* Whether a column has a ceiling, and is none outside of the domain. */
static bool may_be_inner(const rill_bed *bed, spot at) {
    const rill_sheet *sheet = &bed->sheets[at.sheet];
    return bed->c[at.place] < RILL_TOP && bed->b[at.place] < RILL_TOP && at.column >= 1 && at.column <= sheet->nx &&
           at.row >= 1 && at.row <= sheet->ny;
}

static spot spot_of(const rill_passage_solver *passages, int32_t node) {
    const rill_passage_nodes *a = &passages->nodes;
    return (spot){ a->place[node], a->sheet[node], a->column[node], a->row[node] };
}

/* -------------------------------------------------------------------------------------------------------------- edges */

static int32_t add_edge(rill_passage_solver *passages, rill_passage_edges *edges, int32_t l, int32_t r, int32_t axis,
                        int32_t at) {
    const int32_t i = edges->count;
    if (i == edges->capacity && !rill_passages_room_for_edges(passages, edges, i + 1)) return 0;
    edges->l[i] = l;
    edges->r[i] = r;
    edges->axis[i] = axis;
    edges->at[i] = at;
    edges->t[i] = 0;
    edges->even[i / RILL_CHUNK] = edges->in_row[i / RILL_CHUNK] = 0;
    edges->count = i + 1;
    return i;
}

static int32_t root_of(int32_t *pool, int32_t node) {
    while (pool[node] != node) node = pool[node] = pool[pool[node]];
    return node;
}

static void join_pools(rill_passage_solver *passages, int32_t a, int32_t b) {
    if (!passages->nodes.inner[a] || !passages->nodes.inner[b]) return;
    a = root_of(passages->pool, a);
    b = root_of(passages->pool, b);
    passages->pool[rill_max_i(a, b)] = rill_min_i(a, b);
}

/* Until pools are joined again, each node knows the first of its pool: roots come before what hangs on them. */
static void flatten_pools(const rill_passage_solver *passages) {
    for (int32_t n = 1; n < passages->node_count; ++n) passages->pool[n] = passages->pool[passages->pool[n]];
}

static bool open_between(const rill_bed *bed, int32_t a, int32_t b) {
    return rill_min_i(bed->c[a], bed->c[b]) - rill_max_i(bed->b[a], bed->b[b]) > 1;
}

/* The nodes at the ends of a face know it. */
static void link_face(const rill_passage_solver *passages, int32_t face) {
    const rill_passage_edges *faces = &passages->faces;
    const rill_passage_nodes *a = &passages->nodes;
    const int32_t l = faces->l[face], r = faces->r[face];
    (faces->axis[face] ? a->north : a->east)[l] = face;
    (faces->axis[face] ? a->south : a->west)[r] = face;
    a->even[l / RILL_CHUNK] = a->even[r / RILL_CHUNK] = 0;
}

/* The face towards `step` (-1 or 1) along an axis, unless it is an edge already, or closed. False without memory. */
static bool add_face(rill_passage_solver *passages, const rill_bed *bed, int32_t node, int32_t axis, int32_t step) {
    const spot here = spot_of(passages, node);
    const int32_t far = step * (axis ? bed->sheets[here.sheet].stride : 1);
    const spot there = { here.place + far, here.sheet, here.column + (axis ? 0 : step), here.row + (axis ? step : 0) };
    const int32_t *known = axis       ? step < 0 ? passages->nodes.south : passages->nodes.north
                           : step < 0 ? passages->nodes.west
                                      : passages->nodes.east;
    if (known[node] > 0 || !open_between(bed, here.place, there.place)) return true;
    const int32_t other = node_at(passages, bed, there);
    if (other == 0) return false;
    const int32_t l = step < 0 ? other : node, r = step < 0 ? node : other;
    const int32_t edge = add_edge(passages, &passages->faces, l, r, axis, step < 0 ? here.place : there.place);
    if (edge == 0) return false;
    link_face(passages, edge);
    return true;
}

static spot spot_at(const rill_bed *bed, int32_t place) {
    int32_t x, y;
    const rill_sheet *sheet = rill_bed_sheet_of(bed, place, &x, &y);
    return (spot){ place, (int32_t)(sheet - bed->sheets), x - sheet->x0 + 1, y - sheet->y0 + 1 };
}

static void hang_pipe(rill_passage_solver *passages, int32_t node, int32_t half) {
    passages->pipes.next[half] = passages->nodes.pipe[node];
    passages->nodes.pipe[node] = half;
}

static bool add_pipe(rill_passage_solver *passages, const rill_flow *flow, int32_t node, int32_t pipe) {
    const rill_bed *bed = flow->bed;
    const rill_pipe *p = &flow->sparse->pipes[pipe];
    const int32_t far = p->l == passages->nodes.place[node] ? p->r : p->l, known = passages->node_of[far];
    const int32_t other = known > 0 ? known : node_at(passages, bed, spot_at(bed, far));
    if (other == 0) return false;
    const int32_t l = far == p->r ? node : other, r = far == p->r ? other : node;
    const int32_t edge = add_edge(passages, &passages->pipes, l, r, p->axis, pipe);
    if (edge == 0) return false;
    hang_pipe(passages, l, 2 * edge);
    hang_pipe(passages, r, 2 * edge + 1);
    return true;
}

/* Makes a node an inner one, with all of its edges. False without memory. */
static bool take_in(rill_passage_solver *passages, const rill_flow *flow, int32_t node) {
    bool good = true;
    for (int32_t axis = 0; axis < 2; ++axis)
        good = good && add_face(passages, flow->bed, node, axis, -1) && add_face(passages, flow->bed, node, axis, 1);
    const int32_t port = passages->nodes.port[node];
    for (int32_t i = passages->port_first[port]; port > 0 && good && i < passages->port_first[port + 1]; ++i) {
        const rill_pipe *p = &flow->sparse->pipes[passages->port_pipes[i]];
        const int32_t other = passages->node_of[p->l == passages->nodes.place[node] ? p->r : p->l];
        if (other > 0 && passages->nodes.inner[other]) continue; /* it has been there first */
        good = add_pipe(passages, flow, node, passages->port_pipes[i]);
    }
    passages->nodes.inner[node] = 1;
    passages->hold &= good;
    const int32_t faces[4] = { passages->nodes.west[node], passages->nodes.east[node], passages->nodes.south[node],
                               passages->nodes.north[node] };
    for (int32_t i = 0; i < 4; ++i) join_pools(passages, node, rill_edge_other(&passages->faces, faces[i], node));
    EACH_PIPE(passages, node, edge) join_pools(passages, node, rill_edge_other(&passages->pipes, edge, node));
    return good;
}

/* Takes in a neighbour of a node, if it has a ceiling, and appends it to the queue. */
static bool take_beside(rill_passage_solver *passages, const rill_flow *flow, int32_t other, int32_t *count) {
    if (other == 0 || passages->nodes.inner[other] || !may_be_inner(flow->bed, spot_of(passages, other))) return true;
    passages->queue[(*count)++] = other;
    return take_in(passages, flow, other);
}

/* Takes in what is beside the first `given` nodes of the queue, and beside those that are flooded, and so on. */
static bool take_around(rill_passage_solver *passages, const rill_flow *flow, int32_t given, int32_t *count) {
    bool good = true;
    for (int32_t i = 0; i < *count && good; ++i) {
        const int32_t node = passages->queue[i];
        if (i >= given && !rill_flow_flooded(flow, passages->nodes.place[node])) continue;
        const int32_t faces[4] = { passages->nodes.west[node], passages->nodes.east[node], passages->nodes.south[node],
                                   passages->nodes.north[node] };
        for (int32_t k = 0; k < 4 && good; ++k)
            good = take_beside(passages, flow, rill_edge_other(&passages->faces, faces[k], node), count);
        for (int32_t half = passages->nodes.pipe[node]; half > 0 && good; half = passages->pipes.next[half])
            good = take_beside(passages, flow, rill_edge_other(&passages->pipes, half / 2, node), count);
    }
    return good;
}

/* --------------------------------------------------------------------------------------------------------------- look */

/* Marks the tiles with flooded columns and the eight around each. */
static void mark_beside(const rill_flow *flow) {
    rill_passage_solver *passages = flow->passages;
    memset(passages->beside, 0, (size_t)flow->bed->tile_count);
    for (int32_t i = 0; i < passages->tile_count; ++i) {
        const rill_passage_tile *at = &passages->tiles[i];
        if (!passages->flooded[at->tile]) continue;
        const rill_sheet *sheet = &flow->bed->sheets[at->sheet];
        for (int32_t ty = rill_max_i(at->ty - 1, 0); ty <= rill_min_i(at->ty + 1, sheet->tiles_y - 1); ++ty)
            for (int32_t tx = rill_max_i(at->tx - 1, 0); tx <= rill_min_i(at->tx + 1, sheet->tiles_x - 1); ++tx)
                passages->beside[sheet->first_tile + ty * sheet->tiles_x + tx] = 1;
    }
}

/* Fifteen sixteenths of the least height under a ceiling in a tile; found once, and again when solids have changed. */
static int32_t nearly_height(const rill_flow *flow, const rill_passage_tile *at, int32_t place, int32_t rows) {
    int32_t *nearly = &flow->passages->nearly[at->tile];
    if (*nearly > 0) return *nearly;
    const int32_t stride = flow->bed->sheets[at->sheet].stride;
    int32_t least = RILL_TOP;
    for (int32_t y = 0; y < rows; ++y) {
        const int32_t *b = flow->bed->b + place + y * stride, *c = flow->bed->c + place + y * stride;
        RILL_NOT_UNROLLED
        for (int32_t i = 0; i < RILL_TILE_W; ++i)
            least = rill_min_i(least, ((b[i] < c[i]) & (c[i] < RILL_TOP)) ? c[i] - b[i] : RILL_TOP);
    }
    return *nearly = rill_max_i(least - least / 16, 1);
}

/* Which columns of a tile are flooded, or might be after this sub-step; false if there are none. */
static bool look_at_tile(const rill_flow *flow, float lambda, const rill_passage_tile *at,
                         uint8_t looked[RILL_TILE_W]) {
    const rill_passage_solver *passages = flow->passages;
    const rill_sheet *sheet = &flow->bed->sheets[at->sheet];
    const int32_t place = rill_sheet_place(sheet, at->tx * RILL_TILE_W, at->ty * RILL_TILE_H);
    const int32_t rows = rill_min_i(RILL_TILE_H, rill_sheet_rows(sheet) - at->ty * RILL_TILE_H);
    const int32_t nearly = nearly_height(flow, at, place, rows);
    const bool flooded = passages->flooded[at->tile];
    if (!flooded && flow->extent.depth < nearly) return false;
    const rill_passage_columns columns = { rill_flow_bases(flow) + place, flow->bed->c + place, flow->H + place,
                                           flow->pressure + place,        flow->u + place,      flow->v + place };
    const rill_passage_look tile = { .at = columns,
                                     .stride = sheet->stride,
                                     .rows = rows,
                                     .flooded = flooded,
                                     .beside = passages->beside[at->tile],
                                     .nearly = nearly };
    int32_t rows_of[RILL_TILE_W], all = 0;
    if (!passages->kernels->look(&tile, lambda * HORIZON, rows_of)) return false;
    for (int32_t x = 0; x < RILL_TILE_W; ++x) all |= rows_of[x], looked[x] = (uint8_t)rows_of[x];
    return all != 0;
}

static bool is_awake(const rill_flow *flow, int32_t tile) {
    return flow->tiles[tile] & (RILL_TILE_AWAKE | RILL_TILE_SWEPT);
}

/* Lists the tiles with columns that are flooded, or may be after this sub-step. Whether they are the same as before, and so is what
 * is seen there. */
static bool list_tiles(const rill_flow *flow, float lambda) {
    rill_passage_solver *passages = flow->passages;
    const int32_t before = passages->listed_count;
    bool same = true;
    passages->listed_count = 0;
    for (int32_t i = 0; i < passages->tile_count; ++i) {
        rill_passage_tile *at = &passages->tiles[i];
        const bool awake = is_awake(flow, at->tile), due = passages->beside[at->tile] || flow->substep % LOOK_EVERY == 0;
        uint8_t looked[RILL_TILE_W];
        if (passages->flooded[at->tile] == 0 && !(awake && due)) continue;
        if (!look_at_tile(flow, lambda, at, looked)) continue;
        const int32_t k = passages->listed_count++;
        same &= k < before && passages->listed[k] == i && at->awake == awake &&
                memcmp(at->looked, looked, sizeof looked) == 0;
        passages->listed[k] = i;
        at->awake = awake;
        memcpy(at->looked, looked, sizeof looked);
    }
    return same && passages->listed_count == before;
}

/* The spot beyond a face of a node: 0 west, 1 east, 2 south, 3 north. */
static spot spot_beyond(const rill_bed *bed, spot here, int32_t face) {
    const int32_t step = face % 2 ? 1 : -1, along = face / 2;
    return (spot){ here.place + step * (along ? bed->sheets[here.sheet].stride : 1), here.sheet,
                   here.column + (along ? 0 : step), here.row + (along ? step : 0) };
}

/* The spots beside a node that are no nodes: beyond open faces, and at the other ends of sparse pipes. */
typedef struct beside {
    const rill_flow *flow;
    spot here;
    int32_t port, next;
} beside;

static bool next_beside(beside *b, spot *out) {
    const rill_passage_solver *passages = b->flow->passages;
    const rill_bed *bed = b->flow->bed;
    while (b->next < 4) {
        *out = spot_beyond(bed, b->here, b->next++);
        if (passages->node_of[out->place] <= 0 && open_between(bed, b->here.place, out->place)) return true;
    }
    while (b->port > 0 && passages->port_first[b->port] + b->next - 4 < passages->port_first[b->port + 1]) {
        const int32_t pipe = passages->port_pipes[passages->port_first[b->port] + b->next++ - 4];
        const rill_pipe *p = &b->flow->sparse->pipes[pipe];
        const int32_t far = p->l == b->here.place ? p->r : p->l;
        if (passages->node_of[far] > 0) continue;
        *out = spot_at(bed, far);
        return true;
    }
    return false;
}

/* Makes an inner node of a column, and appends it to the queue, if it may be one and is not yet. False without memory. */
static bool discover(rill_passage_solver *passages, const rill_bed *bed, spot at, int32_t *count) {
    if (passages->node_of[at.place] > 0 || !may_be_inner(bed, at)) return true;
    if (!make_node(passages, bed, at)) return false;
    const int32_t node = passages->node_count - 1;
    passages->nodes.inner[node] = 1;
    passages->queue[(*count)++] = node;
    return true;
}

/* Makes inner nodes of a tile's columns, and of what is reached from them. False without memory. */
static bool take_tile(rill_flow *flow, rill_passage_tile *at) {
    rill_passage_solver *passages = flow->passages;
    const rill_bed *bed = flow->bed;
    const rill_sheet *sheet = &bed->sheets[at->sheet];
    int32_t count = 0;
    bool good = true;
    at->taken = true;
    for (int32_t y = 0; y < RILL_TILE_H; ++y)
        for (int32_t x = 0; x < RILL_TILE_W && good; ++x) {
            const int32_t column = at->tx * RILL_TILE_W + x, row = at->ty * RILL_TILE_H + y;
            const spot here = { rill_sheet_place(sheet, column, row), at->sheet, column, row };
            if (at->looked[x] >> y & 1) good = discover(passages, bed, here, &count);
        }
    for (int32_t i = 0; i < count && good; ++i) {
        const int32_t node = passages->queue[i];
        if (!rill_flow_flooded(flow, passages->nodes.place[node])) continue;
        beside b = { flow, spot_of(passages, node), passages->nodes.port[node], 0 };
        for (spot there; good && next_beside(&b, &there);) good = discover(passages, bed, there, &count);
    }
    return good;
}

/* All that stands beside inner nodes. */
static bool take_outer(rill_flow *flow) {
    rill_passage_solver *passages = flow->passages;
    const int32_t inner = passages->node_count;
    bool good = true;
    for (int32_t n = 1; n < inner && good; ++n) {
        beside b = { flow, spot_of(passages, n), passages->nodes.port[n], 0 };
        for (spot there; good && next_beside(&b, &there);) good = node_at(passages, flow->bed, there) > 0;
    }
    return good;
}

/* ------------------------------------------------------------------------------------------------------------- order */

/* Orders the nodes by their columns' places, digit by digit: into `order`. */
static void order_nodes(rill_passage_solver *passages) {
    enum { BITS = 11, DIGITS = 1 << BITS };
    const int32_t *place = passages->nodes.place;
    int32_t *from = passages->order, *to = passages->slot, most = 0;
    for (int32_t n = 1; n < passages->node_count; ++n) from[n] = n, most = rill_max_i(most, place[n]);
    for (int32_t shift = 0; shift < 31 && most >> shift > 0; shift += BITS) {
        int32_t start[DIGITS + 1] = { 0 }, *const swap = from;
        for (int32_t n = 1; n < passages->node_count; ++n) start[(place[n] >> shift & (DIGITS - 1)) + 1] += 1;
        for (int32_t k = 1; k <= DIGITS; ++k) start[k] += start[k - 1];
        for (int32_t n = 1; n < passages->node_count; ++n)
            to[1 + start[place[from[n]] >> shift & (DIGITS - 1)]++] = from[n];
        from = to, to = swap;
    }
    if (from != passages->order) memcpy(passages->order, from, (size_t)passages->node_count * sizeof *from);
}

static void permute(const rill_passage_solver *passages, int32_t *plane) {
    for (int32_t n = 1; n < passages->node_count; ++n) passages->queue[n] = plane[passages->order[n]];
    memcpy(plane + 1, passages->queue + 1, (size_t)(passages->node_count - 1) * sizeof *plane);
}

/* Numbers the nodes anew, row by row: neighbours in the bed are neighbours here, too. */
static void number_nodes(rill_passage_solver *passages) {
    const rill_passage_nodes *a = &passages->nodes;
    int32_t *const planes[] = { a->place, a->tile, a->sheet, a->column, a->row, a->port, a->inner };
    order_nodes(passages);
    for (size_t i = 0; i < sizeof planes / sizeof *planes; ++i) permute(passages, planes[i]);
    for (int32_t n = 1; n < passages->node_count; ++n) passages->node_of[a->place[n]] = n;
}

/* The faces along an axis, in the order of the nodes they begin at. False without memory. */
static bool add_faces(rill_passage_solver *passages, const rill_bed *bed, int32_t axis) {
    for (int32_t n = 1; n < passages->node_count; ++n) {
        const rill_passage_nodes *a = &passages->nodes;
        const int32_t place = a->place[n], far = place + (axis ? bed->sheets[a->sheet[n]].stride : 1);
        const int32_t other = passages->node_of[far];
        if (other <= 0 || !(a->inner[n] | a->inner[other]) || !open_between(bed, place, far)) continue;
        const int32_t face = add_edge(passages, &passages->faces, n, other, axis, far);
        if (face == 0) return false;
        link_face(passages, face);
        join_pools(passages, n, other);
    }
    return true;
}

static bool add_pipes(rill_passage_solver *passages, const rill_flow *flow) {
    bool good = true;
    for (int32_t n = 1; n < passages->node_count; ++n) {
        const int32_t port = passages->nodes.inner[n] ? passages->nodes.port[n] : 0;
        for (int32_t i = passages->port_first[port]; port > 0 && good && i < passages->port_first[port + 1]; ++i) {
            const rill_pipe *p = &flow->sparse->pipes[passages->port_pipes[i]];
            const int32_t l = passages->node_of[p->l], r = passages->node_of[p->r];
            if (passages->nodes.inner[l] && passages->nodes.inner[r] && rill_min_i(l, r) < n) continue; /* twice */
            good = add_pipe(passages, flow, n, passages->port_pipes[i]);
            join_pools(passages, l, r);
        }
    }
    return good;
}

/* Whether numbers are so many in a row from `at` on. */
static bool in_a_row(const int32_t *of, int32_t at) {
    int32_t odd = 0;
    for (int32_t k = 0; k < RILL_CHUNK; ++k) odd |= of[at + k] ^ (of[at] + k);
    return odd == 0;
}

/* Finds the chunks in which nothing has to be looked up one by one. */
static void find_even(const rill_passage_solver *passages) {
    const rill_passage_edges *e = &passages->faces;
    const rill_passage_nodes *a = &passages->nodes;
    for (int32_t i = RILL_CHUNK; i + RILL_CHUNK <= e->count; i += RILL_CHUNK) {
        const bool even = in_a_row(e->l, i) && in_a_row(e->r, i), along = e->axis[i] == e->axis[i + RILL_CHUNK - 1];
        e->even[i / RILL_CHUNK] = even;
        e->in_row[i / RILL_CHUNK] = even && along && in_a_row(e->at, i);
    }
    for (int32_t n = RILL_CHUNK; n + RILL_CHUNK <= passages->node_count; n += RILL_CHUNK)
        a->in_row[n / RILL_CHUNK] = in_a_row(a->place, n);
    for (int32_t n = RILL_CHUNK; n + RILL_CHUNK <= passages->node_count; n += RILL_CHUNK)
        a->even[n / RILL_CHUNK] = in_a_row(a->west, n) && in_a_row(a->east, n) && in_a_row(a->south, n) &&
                                  in_a_row(a->north, n) && in_a_row(e->l, a->west[n]) && in_a_row(e->r, a->east[n]) &&
                                  in_a_row(e->l, a->south[n]) && in_a_row(e->r, a->north[n]);
}

/* Whether columns of a tile that sleeps have been reached from others: then all of it is simulated. */
static bool is_reached(const rill_passage_solver *passages, const rill_passage_tile *at, const rill_bed *bed) {
    const rill_sheet *sheet = &bed->sheets[at->sheet];
    for (int32_t y = 0; y < RILL_TILE_H; ++y)
        for (int32_t x = 0; x < RILL_TILE_W; ++x) {
            const int32_t row = at->ty * RILL_TILE_H + y;
            if (row >= rill_sheet_rows(sheet)) return false;
            const int32_t node = passages->node_of[rill_sheet_place(sheet, at->tx * RILL_TILE_W + x, row)];
            if (node > 0) return true;
        }
    return false;
}

/* The inner nodes, tile by tile: those that are awake, and what is reached from them. False without memory. */
static bool take_tiles(rill_flow *flow) {
    rill_passage_solver *passages = flow->passages;
    bool good = true;
    for (int32_t i = 0; i < passages->listed_count; ++i) passages->tiles[passages->listed[i]].taken = false;
    for (bool again = true; again && good;) {
        again = false;
        for (int32_t i = 0; i < passages->listed_count && good; ++i) {
            rill_passage_tile *at = &passages->tiles[passages->listed[i]];
            if (at->taken || (!at->awake && !is_reached(passages, at, flow->bed))) continue;
            good = take_tile(flow, at);
            again = true;
        }
    }
    return good;
}

/* The nodes are as if they had just been made. */
static void renew_nodes(rill_passage_solver *passages) {
    const rill_passage_nodes *a = &passages->nodes;
    for (int32_t n = 1; n < passages->node_count; ++n) a->last[n] = a->before[n] = -1.0;
    memset(passages->marks, 0, (size_t)passages->node_count);
    rill_passages_renew_islands(passages);
}

static void look_around(rill_flow *flow, float lambda) {
    rill_passage_solver *passages = flow->passages;
    mark_beside(flow);
    if (list_tiles(flow, lambda) && passages->as_looked) {
        renew_nodes(passages);
        return;
    }
    rill_passages_clear(passages);
    if (passages->ports_due) list_ports(flow);
    if (passages->listed_count == 0) return;
    bool good = rill_passages_room_to_begin(passages) && take_tiles(flow) && take_outer(flow);
    if (good) number_nodes(passages);
    good = good && add_faces(passages, flow->bed, 0) && add_faces(passages, flow->bed, 1) && add_pipes(passages, flow);
    if (good) find_even(passages);
    flatten_pools(passages);
    passages->as_looked = good;
    passages->starved |= !good;
}

/* Whether the nodes of the last sub-step still do. */
static bool nodes_hold(const rill_flow *flow) {
    const rill_passage_solver *passages = flow->passages;
    if (!passages->hold || flow->substep % LOOK_EVERY == 0) return false;
    for (int32_t i = 0; i < passages->listed_count; ++i) {
        const rill_passage_tile *at = &passages->tiles[passages->listed[i]];
        if (at->awake != is_awake(flow, at->tile)) return false;
    }
    return true;
}

/* --------------------------------------------------------------------------------------------------------------- read */

/* A node that is no member, for the time being. */
static void disown(const rill_passage_nodes *nodes, int32_t node) {
    nodes->fill[node] = RILL_NO_ROOF;
    nodes->was[node] = nodes->ever[node] = nodes->active[node] = 0;
    nodes->pi[node] = 0.0;
}

static int32_t read_part(const rill_passage_work *w, int32_t from, int32_t to) {
    return w->passages->kernels->read(from, to, &w->passages->nodes, &w->planes);
}

/* Columns into the nodes [from, to). */
static void read_nodes(const rill_flow *flow, int32_t from, int32_t to) {
    rill_passage_solver *passages = flow->passages;
    const rill_passage_work work = { .passages = passages, .planes = rill_passages_planes(flow) };
    const int32_t verdict = rill_passages_share(passages, from, to, read_part, &work);
    if (verdict & RILL_VERDICT_OTHERS) passages->islands_hold = false;
    if (verdict & RILL_VERDICT_SEALED) passages->some_sealed = true;
}

/* The ceiling of a column that rises (in_transit.h) is where it is for the time being. */
static void hold_rising(const rill_passage_solver *passages, const rill_opening *openings) {
    const int32_t node = passages->node_of[openings->place];
    if (node <= 0 || !rill_passages_roofed(passages, node)) return;
    passages->nodes.c[node] -= openings->room;
    passages->nodes.fill[node] += openings->room;
}

/* Velocities of edges from these on, and what drives them. */
static void drive_from(const rill_passage_stage *s, int32_t face, int32_t pipe) {
    const rill_flow *flow = s->flow;
    const rill_passage_solver *passages = flow->passages;
    const rill_passage_edges *faces = &passages->faces, *pipes = &passages->pipes;
    const rill_passage_columns planes = rill_passages_planes(flow);
    passages->kernels->speeds(face, faces->count, faces, &planes);
    for (int32_t i = pipe; i < pipes->count; ++i) pipes->u[i] = flow->pipe_u[pipes->at[i]];
    passages->kernels->drive(face, faces->count, &passages->nodes, faces, s->constants);
    passages->kernels->drive(pipe, pipes->count, &passages->nodes, pipes, s->constants);
}

static void read_all(const rill_passage_stage *s) {
    const rill_flow *flow = s->flow;
    const rill_passage_solver *passages = flow->passages;
    const rill_opening *openings = flow->openings.data;
    read_nodes(flow, 1, passages->node_count);
    for (int32_t k = 0; k < flow->claimed_count; ++k) { /* solved for together with bodies */
        const int32_t node = passages->node_of[flow->claimed[k]];
        if (node > 0) disown(&passages->nodes, node);
    }
    for (size_t k = 0; k < flow->openings.count; ++k) hold_rising(passages, &openings[k]);
    drive_from(s, 1, 1);
}

static bool is_claimed(const rill_flow *flow, int32_t place) {
    bool any = false;
    for (int32_t k = 0; k < flow->claimed_count; ++k) any |= flow->claimed[k] == place;
    return any;
}

bool rill_passages_surround(const rill_passage_stage *s, int32_t count) {
    rill_flow *flow = s->flow;
    rill_passage_solver *passages = flow->passages;
    const int32_t node = passages->node_count, face = passages->faces.count, pipe = passages->pipes.count, given = count;
    const bool good = take_around(passages, flow, given, &count);
    read_nodes(flow, node, passages->node_count);
    for (int32_t i = given; i < count; ++i) {
        const int32_t n = passages->queue[i], place = passages->nodes.place[n];
        if (n < node) read_nodes(flow, n, n + 1);
        if (is_claimed(flow, place)) disown(&passages->nodes, n);
        const rill_opening *openings = rill_order_find(flow->openings.data, flow->openings.count, sizeof(rill_opening), place);
        if (openings) hold_rising(passages, openings);
    }
    passages->starved |= !good;
    passages->as_looked &= count == given;
    if (count > given) flatten_pools(passages);
    drive_from(s, face, pipe);
    rill_passages_open(s, face, pipe);
    return good;
}

bool rill_passages_find_nodes(const rill_passage_stage *s) {
    rill_flow *flow = s->flow;
    rill_passage_solver *passages = flow->passages;
    passages->kernels = rill_passage_kernels_pick(s->settings->scalar);
    passages->runtime = s->settings->runtime;
    passages->workers = s->settings->pool;
    if (!nodes_hold(flow)) look_around(flow, s->constants->lambda);
    if (passages->starved || passages->node_count < 2) return false;
    passages->hold = true;
    passages->some_sealed = false;
    read_all(s);
    return true;
}

/* ------------------------------------------------------------------------------------------------------------ orders */

bool rill_passages_ready(rill_flow *flow, float lambda, bool scalar) {
    rill_passage_solver *passages = flow->passages;
    if (!passages || !passages->unready) return true;
    rill_passages_look_again(flow);
    passages->kernels = rill_passage_kernels_pick(scalar);
    look_around(flow, lambda);
    passages->unready = passages->starved;
    return !passages->starved;
}

void rill_passages_look_again(rill_flow *flow) {
    if (flow->passages) flow->passages->hold = flow->passages->starved = false;
}

bool rill_passages_starved(const rill_flow *flow) {
    return flow->passages && flow->passages->starved;
}

void rill_passages_look_for(rill_flow *flow, int32_t place) {
    const rill_passage_solver *passages = flow->passages;
    if (!passages || !passages->hold) return;
    const int32_t node = passages->node_of[place];
    if (node <= 0 || !passages->nodes.inner[node]) rill_passages_look_again(flow);
}
