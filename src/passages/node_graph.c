/* The graph: nodes, and the faces and sparse pipes between them. See passages_internal.h.
 *
 * Nodes are numbered row by row once all are found (rill_passages_link_nodes), so that most have their neighbours in a row, too; those
 * that a solve takes in are appended. */
#include <string.h>

#include "passages/passages_internal.h"

/* -------------------------------------------------------------------------------------------------------------- ports */

static void add_to_port(rill_passage_solver *passages, int32_t port, int32_t place, int32_t pipe) {
    passages->port_place[port] = place;
    passages->port_pipes[passages->port_first[port]++] = pipe;
}

void rill_passages_list_ports(const rill_flow *flow) {
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

bool rill_passages_make_node(rill_passage_solver *passages, const rill_bed *bed, rill_passage_spot at) {
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

int32_t rill_passages_node_at(rill_passage_solver *passages, const rill_bed *bed, rill_passage_spot at) {
    if (passages->node_of[at.place] <= 0 && !rill_passages_make_node(passages, bed, at)) return 0;
    return passages->node_of[at.place];
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

void rill_passages_flatten_pools(const rill_passage_solver *passages) {
    for (int32_t n = 1; n < passages->node_count; ++n) passages->pool[n] = passages->pool[passages->pool[n]];
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
    const rill_passage_spot here = rill_passages_spot_of(passages, node);
    const int32_t far = step * (axis ? bed->sheets[here.sheet].stride : 1);
    const rill_passage_spot there = { here.place + far, here.sheet, here.column + (axis ? 0 : step), here.row + (axis ? step : 0) };
    const int32_t *known = axis       ? step < 0 ? passages->nodes.south : passages->nodes.north
                           : step < 0 ? passages->nodes.west
                                      : passages->nodes.east;
    if (known[node] > 0 || !rill_passages_open_between(bed, here.place, there.place)) return true;
    const int32_t other = rill_passages_node_at(passages, bed, there);
    if (other == 0) return false;
    const int32_t l = step < 0 ? other : node, r = step < 0 ? node : other;
    const int32_t edge = add_edge(passages, &passages->faces, l, r, axis, step < 0 ? here.place : there.place);
    if (edge == 0) return false;
    link_face(passages, edge);
    return true;
}

rill_passage_spot rill_passages_spot_at(const rill_bed *bed, int32_t place) {
    int32_t x, y;
    const rill_sheet *sheet = rill_bed_sheet_of(bed, place, &x, &y);
    return (rill_passage_spot){ place, (int32_t)(sheet - bed->sheets), x - sheet->x0 + 1, y - sheet->y0 + 1 };
}

static void hang_pipe(rill_passage_solver *passages, int32_t node, int32_t half) {
    passages->pipes.next[half] = passages->nodes.pipe[node];
    passages->nodes.pipe[node] = half;
}

static bool add_pipe(rill_passage_solver *passages, const rill_flow *flow, int32_t node, int32_t pipe) {
    const rill_bed *bed = flow->bed;
    const rill_pipe *p = &flow->sparse->pipes[pipe];
    const int32_t far = p->l == passages->nodes.place[node] ? p->r : p->l, known = passages->node_of[far];
    const int32_t other = known > 0 ? known : rill_passages_node_at(passages, bed, rill_passages_spot_at(bed, far));
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
    if (other == 0 || passages->nodes.inner[other] || !rill_passages_may_be_inner(flow->bed, rill_passages_spot_of(passages, other))) return true;
    passages->queue[(*count)++] = other;
    return take_in(passages, flow, other);
}

bool rill_passages_take_around(rill_passage_solver *passages, const rill_flow *flow, int32_t given, int32_t *count) {
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
        if (other <= 0 || !(a->inner[n] | a->inner[other]) || !rill_passages_open_between(bed, place, far)) continue;
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

bool rill_passages_link_nodes(rill_flow *flow) {
    rill_passage_solver *passages = flow->passages;
    number_nodes(passages);
    if (!add_faces(passages, flow->bed, 0) || !add_faces(passages, flow->bed, 1) || !add_pipes(passages, flow)) return false;
    find_even(passages);
    return true;
}
