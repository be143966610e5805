/* The graph: nodes, and the faces and sparse pipes between them. See passages_internal.h.
 *
 * Nodes are numbered row by row once all are found (rill_passages_link_nodes), so that most have their neighbours in a
 * row, too; those that a solve takes in are appended. */
#include <string.h>

#include "base/union_find.h"
#include "passages/passages_internal.h"

/* ------------------------------------------------------------------------------------------------------------ ports */

static void add_to_port(rill_passage_solver *passages, int32_t port, int32_t place, int32_t pipe) {
    RILL_ASSERT(port > 0 && port <= passages->port_count && port <= 2 * passages->pipe_capacity);
    RILL_ASSERT(place >= 0 && place < passages->bed_places);
    passages->port_place[port] = place;
    passages->port_pipes[passages->port_first[port]++] = pipe;
}

void rill_passages_list_ports(const rill_flow *flow) {
    rill_passage_solver *passages = flow->passages;
    const rill_pipe *pipes = flow->sparse->pipes;
    const int32_t count = flow->bed->pipe_count;
    int32_t *first = passages->port_first;
    RILL_ASSERT(count <= passages->pipe_capacity && passages->node_count <= 1); /* node_of is free for ports */
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
    for (int32_t i = passages->port_count + 1; i > 1; --i) first[i] = first[i - 1]; /* each is where the next begins */
    first[1] = 0;
    RILL_ASSERT(first[passages->port_count + 1] == 2 * count);
    for (int32_t i = 1; i <= passages->port_count; ++i) passages->node_of[passages->port_place[i]] = -i;
    passages->ports_due = false;
}

/* ------------------------------------------------------------------------------------------------------------ nodes */

void rill_passages_clear(rill_passage_solver *passages) {
    for (int32_t i = 1; i < passages->node_count; ++i) {
        RILL_ASSERT(passages->node_of[passages->nodes.place[i]] == i);
        passages->node_of[passages->nodes.place[i]] = -passages->nodes.port[i];
    }
    passages->node_count = passages->faces.count = passages->pipes.count = 1;
    passages->island_count = passages->searched_nodes = 0;
    passages->reusable = passages->as_found = passages->islands_valid = false;
    passages->way = RILL_WAY_NONE;
}

bool rill_passages_make_node(rill_passage_solver *passages, const rill_bed *bed, rill_passage_spot at) {
    const rill_sheet *sheet = &bed->sheets[at.sheet];
    const int32_t n = passages->node_count;
    RILL_ASSERT(at.place >= 0 && at.place < passages->bed_places && passages->node_of[at.place] <= 0);
    RILL_ASSERT(at.column >= 0 && at.column <= sheet->nx + 1 && at.row >= 0 && at.row <= sheet->ny + 1);
    RILL_ASSERT(at.place == rill_sheet_place(sheet, at.column, at.row));
    RILL_ASSERT(n > 0 && n <= passages->node_capacity);
    if (n == passages->node_capacity && !rill_passages_room_for_nodes(passages, n + 1)) return false;
    const rill_passage_nodes *nodes = &passages->nodes;
    nodes->place[n] = at.place;
    nodes->sheet[n] = at.sheet;
    nodes->column[n] = at.column;
    nodes->row[n] = at.row;
    nodes->tile[n] = sheet->first_tile + at.row / RILL_TILE_H * sheet->tiles_x + at.column / RILL_TILE_W;
    nodes->port[n] = -passages->node_of[at.place];
    RILL_ASSERT(nodes->tile[n] < passages->bed_tiles && nodes->port[n] <= passages->port_count);
    nodes->inner[n] = nodes->west[n] = nodes->east[n] = nodes->south[n] = nodes->north[n] = nodes->pipe[n] = 0;
    nodes->active[n] = nodes->was_active[n] = nodes->ever_active[n] = nodes->sealed[n] = 0;
    nodes->fill[n] = RILL_NO_ROOF;
    nodes->pi[n] = nodes->x[n] = nodes->f[n] = 0.0;
    nodes->last[n] = nodes->before[n] = -1.0;
    passages->pool[n] = n;
    passages->slot[n] = passages->island_of[n] = -1; /* of no island, even if those that were found before it stay */
    passages->marks[n] = nodes->contiguous[n / RILL_CHUNK] = nodes->in_row[n / RILL_CHUNK] = 0;
    passages->node_of[at.place] = n;
    passages->node_count = n + 1;
    return true;
}

int32_t rill_passages_node_at(rill_passage_solver *passages, const rill_bed *bed, rill_passage_spot at) {
    if (passages->node_of[at.place] <= 0 && !rill_passages_make_node(passages, bed, at)) return 0;
    return passages->node_of[at.place];
}

/* ------------------------------------------------------------------------------------------------------------ edges */

static int32_t add_edge(rill_passage_solver *passages, rill_passage_edges *edges, int32_t l, int32_t r, int32_t axis,
                        int32_t at) {
    const int32_t i = edges->count;
    RILL_ASSERT(i > 0 && i <= edges->capacity && at >= 0 && axis == (axis & 1));
    RILL_ASSERT(l > 0 && l < passages->node_count && r > 0 && r < passages->node_count && l != r);
    if (i == edges->capacity && !rill_passages_room_for_edges(passages, edges, i + 1)) return 0;
    edges->l[i] = l;
    edges->r[i] = r;
    edges->axis[i] = axis;
    edges->at[i] = at;
    edges->t[i] = 0;
    edges->contiguous[i / RILL_CHUNK] = edges->in_row[i / RILL_CHUNK] = 0;
    edges->count = i + 1;
    return i;
}

/* Joins the pools of two nodes, if both are inner ones. */
static void join_pools(rill_passage_solver *passages, int32_t first, int32_t second) {
    RILL_ASSERT(first >= 0 && first < passages->node_count && second >= 0 && second < passages->node_count);
    if (!passages->nodes.inner[first] || !passages->nodes.inner[second]) return;
    rill_union_find_unite((uint32_t *)passages->pool, (uint32_t)first, (uint32_t)second);
}

void rill_passages_flatten_pools(const rill_passage_solver *passages) {
    for (int32_t n = 1; n < passages->node_count; ++n) {
        RILL_ASSERT(passages->pool[n] > 0 && passages->pool[n] <= n);
        passages->pool[n] = passages->pool[passages->pool[n]];
        RILL_ASSERT(passages->pool[passages->pool[n]] == passages->pool[n]);
    }
}

/* Tells the nodes at the ends of a face of it. */
static void link_face(const rill_passage_solver *passages, int32_t face) {
    const rill_passage_edges *faces = &passages->faces;
    const rill_passage_nodes *nodes = &passages->nodes;
    const int32_t l = faces->l[face], r = faces->r[face];
    RILL_ASSERT(nodes->sheet[l] == nodes->sheet[r]);
    RILL_ASSERT((faces->axis[face] ? nodes->north : nodes->east)[l] == 0);
    RILL_ASSERT((faces->axis[face] ? nodes->south : nodes->west)[r] == 0);
    (faces->axis[face] ? nodes->north : nodes->east)[l] = face;
    (faces->axis[face] ? nodes->south : nodes->west)[r] = face;
    nodes->contiguous[l / RILL_CHUNK] = nodes->contiguous[r / RILL_CHUNK] = 0;
}

/* Adds the face towards `step` (-1 or 1) along an axis, unless it is an edge already, or closed. False without
 * memory. */
static bool add_face(rill_passage_solver *passages, const rill_bed *bed, int32_t node, int32_t axis, int32_t step) {
    const rill_passage_spot here = rill_passages_spot_of(passages, node);
    const int32_t far = step * (axis ? bed->sheets[here.sheet].stride : 1);
    const rill_passage_spot there = { here.place + far, here.sheet, here.column + (axis ? 0 : step),
                                      here.row + (axis ? step : 0) };
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

static void link_pipe(rill_passage_solver *passages, int32_t node, int32_t half) {
    RILL_ASSERT(half > 1 && half / 2 < passages->pipes.count);
    passages->pipes.next[half] = passages->nodes.pipe[node];
    passages->nodes.pipe[node] = half;
}

static bool add_pipe(rill_passage_solver *passages, const rill_flow *flow, int32_t node, int32_t pipe) {
    const rill_bed *bed = flow->bed;
    const rill_pipe *ends = &flow->sparse->pipes[pipe];
    RILL_ASSERT(ends->l == passages->nodes.place[node] || ends->r == passages->nodes.place[node]);
    const int32_t far = ends->l == passages->nodes.place[node] ? ends->r : ends->l, known = passages->node_of[far];
    const int32_t other = known > 0 ? known : rill_passages_node_at(passages, bed, rill_passages_spot_at(bed, far));
    if (other == 0) return false;
    const int32_t l = far == ends->r ? node : other, r = far == ends->r ? other : node;
    const int32_t edge = add_edge(passages, &passages->pipes, l, r, ends->axis, pipe);
    if (edge == 0) return false;
    link_pipe(passages, l, 2 * edge);
    link_pipe(passages, r, 2 * edge + 1);
    return true;
}

/* Makes a node an inner one, and adds all of its edges. False without memory. */
static bool make_inner(rill_passage_solver *passages, const rill_flow *flow, int32_t node) {
    RILL_ASSERT(!passages->nodes.inner[node]);
    bool good = true;
    for (int32_t axis = 0; axis < 2; ++axis)
        good = good && add_face(passages, flow->bed, node, axis, -1) && add_face(passages, flow->bed, node, axis, 1);
    const int32_t port = passages->nodes.port[node];
    for (int32_t i = passages->port_first[port]; port > 0 && good && i < passages->port_first[port + 1]; ++i) {
        const rill_pipe *ends = &flow->sparse->pipes[passages->port_pipes[i]];
        const int32_t other = passages->node_of[ends->l == passages->nodes.place[node] ? ends->r : ends->l];
        if (other > 0 && passages->nodes.inner[other]) continue; /* which has added the pipe already */
        good = add_pipe(passages, flow, node, passages->port_pipes[i]);
    }
    passages->nodes.inner[node] = 1;
    passages->reusable &= good;
    const int32_t faces[4] = { passages->nodes.west[node], passages->nodes.east[node], passages->nodes.south[node],
                               passages->nodes.north[node] };
    for (int32_t i = 0; i < 4; ++i) join_pools(passages, node, rill_edge_other(&passages->faces, faces[i], node));
    EACH_PIPE(passages, node, edge) join_pools(passages, node, rill_edge_other(&passages->pipes, edge, node));
    return good;
}

/* Makes a neighbour of a node an inner one, if it has a ceiling, and appends it to the queue. False without memory. */
static bool make_inner_beside(rill_passage_solver *passages, const rill_flow *flow, int32_t other, int32_t *count) {
    if (other == 0 || passages->nodes.inner[other] ||
        !rill_passages_may_be_inner(flow->bed, rill_passages_spot_of(passages, other)))
        return true;
    passages->queue[(*count)++] = other;
    return make_inner(passages, flow, other);
}

bool rill_passages_make_inner_around(rill_passage_solver *passages, const rill_flow *flow, int32_t given,
                                     int32_t *count) {
    bool good = true;
    for (int32_t i = 0; i < *count && good; ++i) {
        const int32_t node = passages->queue[i];
        RILL_ASSERT(node > 0 && node < passages->node_count && *count < passages->node_count);
        if (i >= given && !rill_flow_flooded(flow, passages->nodes.place[node])) continue;
        const int32_t faces[4] = { passages->nodes.west[node], passages->nodes.east[node], passages->nodes.south[node],
                                   passages->nodes.north[node] };
        for (int32_t k = 0; k < 4 && good; ++k)
            good = make_inner_beside(passages, flow, rill_edge_other(&passages->faces, faces[k], node), count);
        for (int32_t half = passages->nodes.pipe[node]; half > 0 && good; half = passages->pipes.next[half])
            good = make_inner_beside(passages, flow, rill_edge_other(&passages->pipes, half / 2, node), count);
    }
    return good;
}

/* ---------------------------------------------------------------------------------------------------------- numbers */

/* Orders the nodes by the places of their columns, digit by digit (radix sort): into `order`. */
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
    RILL_ASSERT(from == passages->order || from == passages->slot);
    if (from != passages->order) memcpy(passages->order, from, (size_t)passages->node_count * sizeof *from);
}

static void permute(const rill_passage_solver *passages, int32_t *plane) {
    for (int32_t n = 1; n < passages->node_count; ++n) passages->queue[n] = plane[passages->order[n]];
    memcpy(plane + 1, passages->queue + 1, (size_t)(passages->node_count - 1) * sizeof *plane);
}

/* Numbers the nodes anew, row by row: neighbours in the bed are neighbours in the graph, too. */
static void number_nodes(rill_passage_solver *passages) {
    const rill_passage_nodes *nodes = &passages->nodes;
    int32_t *const planes[] = { nodes->place, nodes->tile, nodes->sheet, nodes->column,
                                nodes->row,   nodes->port, nodes->inner };
    order_nodes(passages);
    for (size_t i = 0; i < sizeof planes / sizeof *planes; ++i) permute(passages, planes[i]);
    for (int32_t n = 1; n < passages->node_count; ++n) {
        RILL_ASSERT(n == 1 || nodes->place[n - 1] < nodes->place[n]); /* a permutation, in order */
        passages->node_of[nodes->place[n]] = n;
    }
}

/* Adds the faces along an axis, in the order of the nodes they begin at. False without memory. */
static bool add_faces(rill_passage_solver *passages, const rill_bed *bed, int32_t axis) {
    for (int32_t n = 1; n < passages->node_count; ++n) {
        const rill_passage_nodes *nodes = &passages->nodes;
        const int32_t place = nodes->place[n], far = place + (axis ? bed->sheets[nodes->sheet[n]].stride : 1);
        const int32_t other = passages->node_of[far];
        if (other <= 0 || !(nodes->inner[n] | nodes->inner[other]) || !rill_passages_open_between(bed, place, far))
            continue;
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
            const rill_pipe *ends = &flow->sparse->pipes[passages->port_pipes[i]];
            const int32_t l = passages->node_of[ends->l], r = passages->node_of[ends->r];
            RILL_ASSERT(l > 0 && r > 0 && (l == n || r == n)); /* all that is beside an inner node is one */
            if (passages->nodes.inner[l] && passages->nodes.inner[r] && rill_min_i(l, r) < n)
                continue; /* added from the other end already */
            good = add_pipe(passages, flow, n, passages->port_pipes[i]);
            join_pools(passages, l, r);
        }
    }
    return good;
}

/* Says whether the numbers of a chunk from `at` on follow each other. */
static bool in_a_row(const int32_t *of, int32_t at) {
    int32_t odd = 0;
    for (int32_t k = 0; k < RILL_CHUNK; ++k) odd |= of[at + k] ^ (of[at] + k);
    return odd == 0;
}

/* Finds the chunks in which neighbours need not be looked up one by one. */
static void find_contiguous(const rill_passage_solver *passages) {
    const rill_passage_edges *faces = &passages->faces;
    const rill_passage_nodes *nodes = &passages->nodes;
    for (int32_t i = RILL_CHUNK; i + RILL_CHUNK <= faces->count; i += RILL_CHUNK) {
        const bool even = in_a_row(faces->l, i) && in_a_row(faces->r, i);
        const bool along = faces->axis[i] == faces->axis[i + RILL_CHUNK - 1];
        faces->contiguous[i / RILL_CHUNK] = even;
        faces->in_row[i / RILL_CHUNK] = even && along && in_a_row(faces->at, i);
    }
    for (int32_t n = RILL_CHUNK; n + RILL_CHUNK <= passages->node_count; n += RILL_CHUNK)
        nodes->in_row[n / RILL_CHUNK] = in_a_row(nodes->place, n);
    for (int32_t n = RILL_CHUNK; n + RILL_CHUNK <= passages->node_count; n += RILL_CHUNK)
        nodes->contiguous[n / RILL_CHUNK] = in_a_row(nodes->west, n) && in_a_row(nodes->east, n) &&
                                            in_a_row(nodes->south, n) && in_a_row(nodes->north, n) &&
                                            in_a_row(faces->l, nodes->west[n]) && in_a_row(faces->r, nodes->east[n]) &&
                                            in_a_row(faces->l, nodes->south[n]) && in_a_row(faces->r, nodes->north[n]);
}

bool rill_passages_link_nodes(rill_flow *flow) {
    rill_passage_solver *passages = flow->passages;
    number_nodes(passages);
    if (!add_faces(passages, flow->bed, 0) || !add_faces(passages, flow->bed, 1) || !add_pipes(passages, flow))
        return false;
    find_contiguous(passages);
    return true;
}
