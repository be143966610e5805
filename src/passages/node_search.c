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

/* --------------------------------------------------------------------------------------------------------------- look */

/* The spot beyond a face of a node: 0 west, 1 east, 2 south, 3 north. */
static rill_passage_spot spot_beyond(const rill_bed *bed, rill_passage_spot here, int32_t face) {
    const int32_t step = face % 2 ? 1 : -1, along = face / 2;
    return (rill_passage_spot){ here.place + step * (along ? bed->sheets[here.sheet].stride : 1), here.sheet,
                   here.column + (along ? 0 : step), here.row + (along ? step : 0) };
}

/* The spots beside a node that are no nodes: beyond open faces, and at the other ends of sparse pipes. */
typedef struct beside {
    const rill_flow *flow;
    rill_passage_spot here;
    int32_t port, next;
} beside;

static bool next_beside(beside *b, rill_passage_spot *out) {
    const rill_passage_solver *passages = b->flow->passages;
    const rill_bed *bed = b->flow->bed;
    while (b->next < 4) {
        *out = spot_beyond(bed, b->here, b->next++);
        if (passages->node_of[out->place] <= 0 && rill_passages_open_between(bed, b->here.place, out->place)) return true;
    }
    while (b->port > 0 && passages->port_first[b->port] + b->next - 4 < passages->port_first[b->port + 1]) {
        const int32_t pipe = passages->port_pipes[passages->port_first[b->port] + b->next++ - 4];
        const rill_pipe *p = &b->flow->sparse->pipes[pipe];
        const int32_t far = p->l == b->here.place ? p->r : p->l;
        if (passages->node_of[far] > 0) continue;
        *out = rill_passages_spot_at(bed, far);
        return true;
    }
    return false;
}

/* Makes an inner node of a column, and appends it to the queue, if it may be one and is not yet. False without memory. */
static bool discover(rill_passage_solver *passages, const rill_bed *bed, rill_passage_spot at, int32_t *count) {
    if (passages->node_of[at.place] > 0 || !rill_passages_may_be_inner(bed, at)) return true;
    if (!rill_passages_make_node(passages, bed, at)) return false;
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
            const rill_passage_spot here = { rill_sheet_place(sheet, column, row), at->sheet, column, row };
            if (at->looked[x] >> y & 1) good = discover(passages, bed, here, &count);
        }
    for (int32_t i = 0; i < count && good; ++i) {
        const int32_t node = passages->queue[i];
        if (!rill_flow_flooded(flow, passages->nodes.place[node])) continue;
        beside b = { flow, rill_passages_spot_of(passages, node), passages->nodes.port[node], 0 };
        for (rill_passage_spot there; good && next_beside(&b, &there);) good = discover(passages, bed, there, &count);
    }
    return good;
}

/* All that stands beside inner nodes. */
static bool take_outer(rill_flow *flow) {
    rill_passage_solver *passages = flow->passages;
    const int32_t inner = passages->node_count;
    bool good = true;
    for (int32_t n = 1; n < inner && good; ++n) {
        beside b = { flow, rill_passages_spot_of(passages, n), passages->nodes.port[n], 0 };
        for (rill_passage_spot there; good && next_beside(&b, &there);) good = rill_passages_node_at(passages, flow->bed, there) > 0;
    }
    return good;
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
    if (rill_passages_list_tiles(flow, lambda) && passages->as_looked) {
        renew_nodes(passages);
        return;
    }
    rill_passages_clear(passages);
    if (passages->ports_due) rill_passages_list_ports(flow);
    if (passages->listed_count == 0) return;
    bool good = rill_passages_room_to_begin(passages) && take_tiles(flow) && take_outer(flow);
    good = good && rill_passages_link_nodes(flow);
    rill_passages_flatten_pools(passages);
    passages->as_looked = good;
    passages->starved |= !good;
}

/* Whether the nodes of the last sub-step still do. */
static bool nodes_hold(const rill_flow *flow) {
    const rill_passage_solver *passages = flow->passages;
    if (!passages->hold || flow->substep % RILL_LOOK_EVERY == 0) return false;
    for (int32_t i = 0; i < passages->listed_count; ++i) {
        const rill_passage_tile *at = &passages->tiles[passages->listed[i]];
        if (at->awake != rill_passages_tile_awake(flow, at->tile)) return false;
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
    const bool good = rill_passages_take_around(passages, flow, given, &count);
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
    if (count > given) rill_passages_flatten_pools(passages);
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
