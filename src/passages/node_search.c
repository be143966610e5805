/* The search for nodes: columns that are flooded or might fill within a few sub-steps, as inner nodes, with all that
 * stands beside them. See passages_internal.h.
 *
 * Tiles with a ceiling in them are scanned for columns to begin from (passage_tiles.c). From there all that is flooded
 * is reached over faces and pipes, whether or not its tile is asleep: pressure knows no distance. A pool of which all
 * tiles sleep is left alone.
 *
 * Searching costs more than reading the nodes, so that it is done every few sub-steps only, and when tiles fall asleep
 * or wake. A column that fills meanwhile is blocked by the limiters for as long, unless it stands beside an active one.
 * Each step begins with a search, or it would matter to the bits whether it began from a snapshot. Nodes follow from
 * the scans of tiles, so that scans that find the same as the last ones leave them as they are. */
#include <string.h>

#include "base/dispatch.h"
#include "base/order.h"
#include "flow/drive.h"
#include "passages/passages_internal.h"

RILL_DISPATCH(rill_passage_kernels)

/* ----------------------------------------------------------------------------------------------------------- search */

/* Returns the spot beyond a face of a node: 0 west, 1 east, 2 south, 3 north. */
static rill_passage_spot spot_beyond(const rill_bed *bed, rill_passage_spot here, int32_t face) {
    RILL_ASSERT(face >= 0 && face < 4);
    const int32_t step = face % 2 ? 1 : -1, along = face / 2;
    return (rill_passage_spot){ here.place + step * (along ? bed->sheets[here.sheet].stride : 1), here.sheet,
                                here.column + (along ? 0 : step), here.row + (along ? step : 0) };
}

/* A walk over the spots beside a node that are no nodes: beyond open faces, and at the other ends of sparse pipes. */
typedef struct neighbour_walk {
    const rill_flow *flow;
    rill_passage_spot here;
    int32_t port, next;
} neighbour_walk;

static bool next_neighbour(neighbour_walk *walk, rill_passage_spot *out) {
    const rill_passage_solver *passages = walk->flow->passages;
    const rill_bed *bed = walk->flow->bed;
    while (walk->next < 4) {
        *out = spot_beyond(bed, walk->here, walk->next++);
        if (passages->node_of[out->place] <= 0 && rill_passages_open_between(bed, walk->here.place, out->place))
            return true;
    }
    while (walk->port > 0 && passages->port_first[walk->port] + walk->next - 4 < passages->port_first[walk->port + 1]) {
        const int32_t pipe = passages->port_pipes[passages->port_first[walk->port] + walk->next++ - 4];
        const rill_pipe *ends = &walk->flow->sparse->pipes[pipe];
        RILL_ASSERT(ends->l == walk->here.place || ends->r == walk->here.place);
        const int32_t far = ends->l == walk->here.place ? ends->r : ends->l;
        if (passages->node_of[far] > 0) continue;
        *out = rill_passages_spot_at(bed, far);
        return true;
    }
    return false;
}

/* Makes an inner node of a column, and appends it to the queue, if it may be one and is not yet. False without
 * memory. */
static bool discover(rill_passage_solver *passages, const rill_bed *bed, rill_passage_spot at, int32_t *count) {
    if (passages->node_of[at.place] > 0 || !rill_passages_may_be_inner(bed, at)) return true;
    if (!rill_passages_make_node(passages, bed, at)) return false;
    const int32_t node = passages->node_count - 1;
    passages->nodes.inner[node] = 1;
    RILL_ASSERT(*count < passages->node_count);
    passages->queue[(*count)++] = node;
    return true;
}

/* Makes inner nodes of a tile's columns, and of what is reached from them. False without memory. */
static bool add_tile(rill_flow *flow, rill_passage_tile *at) {
    rill_passage_solver *passages = flow->passages;
    const rill_bed *bed = flow->bed;
    const rill_sheet *sheet = &bed->sheets[at->sheet];
    int32_t count = 0;
    bool good = true;
    RILL_ASSERT(!at->has_nodes);
    at->has_nodes = true;
    for (int32_t y = 0; y < RILL_TILE_H; ++y)
        for (int32_t x = 0; x < RILL_TILE_W && good; ++x) {
            const int32_t column = at->tx * RILL_TILE_W + x, row = at->ty * RILL_TILE_H + y;
            const rill_passage_spot here = { rill_sheet_place(sheet, column, row), at->sheet, column, row };
            if (at->candidates[x] >> y & 1) good = discover(passages, bed, here, &count);
        }
    for (int32_t i = 0; i < count && good; ++i) {
        const int32_t node = passages->queue[i];
        if (!rill_flow_flooded(flow, passages->nodes.place[node])) continue;
        neighbour_walk walk = { flow, rill_passages_spot_of(passages, node), passages->nodes.port[node], 0 };
        for (rill_passage_spot there; good && next_neighbour(&walk, &there);)
            good = discover(passages, bed, there, &count);
    }
    return good;
}

/* Makes outer nodes of all that stands beside inner ones. False without memory. */
static bool add_outer_nodes(rill_flow *flow) {
    rill_passage_solver *passages = flow->passages;
    const int32_t inner = passages->node_count;
    bool good = true;
    for (int32_t n = 1; n < inner && good; ++n) {
        RILL_ASSERT(passages->nodes.inner[n]);
        neighbour_walk walk = { flow, rill_passages_spot_of(passages, n), passages->nodes.port[n], 0 };
        for (rill_passage_spot there; good && next_neighbour(&walk, &there);)
            good = rill_passages_node_at(passages, flow->bed, there) > 0;
    }
    return good;
}

/* Says whether columns of a tile that sleeps have been reached from others: then all of it is simulated. */
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

/* Makes the inner nodes, tile by tile: of those that are awake, and of those reached from them. False without
 * memory. */
static bool add_tiles(rill_flow *flow) {
    rill_passage_solver *passages = flow->passages;
    bool good = true;
    for (int32_t i = 0; i < passages->listed_count; ++i) passages->tiles[passages->listed[i]].has_nodes = false;
    for (bool again = true; again && good;) {
        again = false;
        for (int32_t i = 0; i < passages->listed_count && good; ++i) {
            rill_passage_tile *at = &passages->tiles[passages->listed[i]];
            if (at->has_nodes || (!at->awake && !is_reached(passages, at, flow->bed))) continue;
            good = add_tile(flow, at);
            again = true;
        }
    }
    return good;
}

/* Makes the nodes as if they had just been made. */
static void reset_nodes(rill_passage_solver *passages) {
    const rill_passage_nodes *nodes = &passages->nodes;
    for (int32_t n = 1; n < passages->node_count; ++n) nodes->last[n] = nodes->before[n] = -1.0;
    memset(passages->marks, 0, (size_t)passages->node_count);
    rill_passages_reset_islands(passages);
}

/* Says whether the graph is sound: node_of is the inverse of place, the nodes at the ends of each edge are there, and
 * one of them is an inner one; nothing is marked. */
static bool is_sound(const rill_passage_solver *passages) {
    const rill_passage_nodes *nodes = &passages->nodes;
    const rill_passage_edges *edges[2] = { &passages->faces, &passages->pipes };
    for (int32_t n = 1; n < passages->node_count; ++n) {
        const int32_t faces[4] = { nodes->west[n], nodes->east[n], nodes->south[n], nodes->north[n] };
        if (passages->node_of[nodes->place[n]] != n || passages->marks[n] != 0) return false;
        for (int32_t k = 0; k < 4; ++k)
            if (faces[k] > 0 && (k % 2 ? passages->faces.l : passages->faces.r)[faces[k]] != n) return false;
    }
    for (int32_t k = 0; k < 2; ++k)
        for (int32_t i = 1; i < edges[k]->count; ++i)
            if (!(nodes->inner[edges[k]->l[i]] | nodes->inner[edges[k]->r[i]])) return false;
    return true;
}

/* Says whether node 0 and edge 0, which stand for nothing, still are nothing. */
static bool nothing_is_zero(const rill_passage_solver *passages) {
    const rill_passage_nodes *nodes = &passages->nodes;
    const rill_passage_edges *faces = &passages->faces;
    return (nodes->inner[0] | nodes->active[0] | nodes->ever_active[0] | nodes->H[0]) == 0 &&
           (faces->l[0] | faces->r[0] | faces->t[0]) == 0 && faces->q[0] == 0.0 &&
           faces->gain[0] * faces->reach[0] == 0.0f;
}

static void search_nodes(rill_flow *flow, float lambda) {
    rill_passage_solver *passages = flow->passages;
    if (rill_passages_list_tiles(flow, lambda) && passages->as_found) {
        reset_nodes(passages);
        return;
    }
    rill_passages_clear(passages);
    if (passages->ports_due) rill_passages_list_ports(flow);
    if (passages->listed_count == 0) return;
    bool good = rill_passages_room_to_begin(passages) && add_tiles(flow) && add_outer_nodes(flow);
    good = good && rill_passages_link_nodes(flow);
    rill_passages_flatten_pools(passages);
    RILL_ASSERT(!good || is_sound(passages));
    passages->as_found = good;
    passages->out_of_memory |= !good;
}

/* Says whether the nodes of the last sub-step still serve. */
static bool nodes_reusable(const rill_flow *flow) {
    const rill_passage_solver *passages = flow->passages;
    if (!passages->reusable || flow->substep % RILL_SCAN_EVERY == 0) return false;
    for (int32_t i = 0; i < passages->listed_count; ++i) {
        const rill_passage_tile *at = &passages->tiles[passages->listed[i]];
        RILL_ASSERT(passages->listed[i] >= 0 && passages->listed[i] < passages->tile_count);
        if (at->awake != rill_passages_tile_awake(flow, at->tile)) return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------------------- read */

/* Lets a node not be active in this sub-step. */
static void deactivate(const rill_passage_nodes *nodes, int32_t node) {
    RILL_ASSERT(node > 0);
    nodes->fill[node] = RILL_NO_ROOF;
    nodes->was_active[node] = nodes->ever_active[node] = nodes->active[node] = 0;
    nodes->pi[node] = 0.0;
}

static int32_t read_part(const rill_passage_work *work, int32_t from, int32_t to) {
    return work->passages->kernels->read(from, to, &work->passages->nodes, &work->planes);
}

/* Reads columns into the nodes [from, to). */
static void read_nodes(const rill_flow *flow, int32_t from, int32_t to) {
    rill_passage_solver *passages = flow->passages;
    const rill_passage_work work = { .passages = passages, .planes = rill_passages_planes(flow) };
    const int32_t verdict = rill_passages_run_loop(passages, from, to, read_part, &work);
    if (verdict & RILL_VERDICT_OTHERS) passages->islands_valid = false;
    if (verdict & RILL_VERDICT_SEALED) passages->some_sealed = true;
}

/* Holds a ceiling that opens (motion/opening_ceilings.h) where it is for the time being. */
static void hold_opening(const rill_passage_solver *passages, const rill_opening *openings) {
    const int32_t node = passages->node_of[openings->place];
    if (node <= 0 || !rill_passages_roofed(passages, node)) return;
    RILL_ASSERT(openings->room >= 0);
    passages->nodes.c[node] -= openings->room;
    passages->nodes.fill[node] += openings->room;
}

/* Adds what force fields push edges by that were driven. */
static void push_edges(const rill_passage_stage *stage, const rill_passage_edges *edges, int32_t from, bool pipes) {
    const rill_flow *flow = stage->flow;
    const int32_t *was_active = flow->passages->nodes.was_active;
    for (int32_t i = from; i < edges->count; ++i) {
        const int32_t axis = edges->axis[i], tilt = stage->constants->tilt[axis];
        if (!(was_active[edges->l[i]] | was_active[edges->r[i]])) continue;
        edges->head[i] = rill_drive_upright(edges->head[i] - tilt, stage->constants->upright) + tilt;
        edges->head[i] +=
            pipes ? rill_flow_pipe_push(flow, edges->at[i]) : rill_flow_face_push(flow, edges->at[i], axis);
    }
}

/* Reads the velocities of edges from these on, and drives them. */
static void drive_from(const rill_passage_stage *stage, int32_t face, int32_t pipe) {
    const rill_flow *flow = stage->flow;
    const rill_passage_solver *passages = flow->passages;
    const rill_passage_edges *faces = &passages->faces, *pipes = &passages->pipes;
    const rill_passage_columns planes = rill_passages_planes(flow);
    passages->kernels->speeds(face, faces->count, faces, &planes);
    for (int32_t i = pipe; i < pipes->count; ++i) pipes->u[i] = flow->pipe_u[pipes->at[i]];
    passages->kernels->drive(face, faces->count, &passages->nodes, faces, stage->constants);
    passages->kernels->drive(pipe, pipes->count, &passages->nodes, pipes, stage->constants);
    if (!stage->constants->pushed) return;
    push_edges(stage, faces, face, false);
    push_edges(stage, pipes, pipe, true);
}

static void read_all(const rill_passage_stage *stage) {
    const rill_flow *flow = stage->flow;
    const rill_passage_solver *passages = flow->passages;
    const rill_opening *openings = flow->openings.data;
    read_nodes(flow, 1, passages->node_count);
    for (int32_t k = 0; k < flow->claimed_count; ++k) { /* solved for together with bodies */
        const int32_t node = passages->node_of[flow->claimed[k]];
        if (node > 0) deactivate(&passages->nodes, node);
    }
    for (size_t k = 0; k < flow->openings.count; ++k) hold_opening(passages, &openings[k]);
    drive_from(stage, 1, 1);
}

static bool is_claimed(const rill_flow *flow, int32_t place) {
    bool any = false;
    for (int32_t k = 0; k < flow->claimed_count; ++k) any |= flow->claimed[k] == place;
    return any;
}

bool rill_passages_extend_nodes(const rill_passage_stage *stage, int32_t count) {
    rill_flow *flow = stage->flow;
    rill_passage_solver *passages = flow->passages;
    const int32_t node = passages->node_count, face = passages->faces.count, pipe = passages->pipes.count,
                  given = count;
    const bool good = rill_passages_make_inner_around(passages, flow, given, &count);
    RILL_ASSERT(count >= given && count <= passages->node_count);
    read_nodes(flow, node, passages->node_count);
    for (int32_t i = given; i < count; ++i) {
        const int32_t n = passages->queue[i], place = passages->nodes.place[n];
        if (n < node) read_nodes(flow, n, n + 1);
        if (is_claimed(flow, place)) deactivate(&passages->nodes, n);
        const rill_opening *openings =
            rill_order_find(flow->openings.data, flow->openings.count, sizeof(rill_opening), place);
        if (openings) hold_opening(passages, openings);
    }
    passages->out_of_memory |= !good;
    passages->as_found &= count == given;
    if (count > given) rill_passages_flatten_pools(passages);
    drive_from(stage, face, pipe);
    rill_passages_open(stage, face, pipe);
    return good;
}

bool rill_passages_find_nodes(const rill_passage_stage *stage) {
    rill_flow *flow = stage->flow;
    rill_passage_solver *passages = flow->passages;
    passages->kernels = rill_passage_kernels_pick(stage->settings->scalar);
    passages->runtime = stage->settings->runtime;
    passages->workers = stage->settings->pool;
    if (!nodes_reusable(flow)) search_nodes(flow, stage->constants->lambda);
    if (passages->out_of_memory || passages->node_count < 2) return false;
    passages->reusable = true;
    passages->some_sealed = false;
    RILL_ASSERT(nothing_is_zero(passages));
    read_all(stage);
    return true;
}

/* ----------------------------------------------------------------------------------------------------------- orders */

bool rill_passages_take_memory(rill_flow *flow, float lambda, bool scalar) {
    rill_passage_solver *passages = flow->passages;
    if (!passages || !passages->memory_due) return true;
    rill_passages_search_anew(flow);
    passages->kernels = rill_passage_kernels_pick(scalar);
    search_nodes(flow, lambda);
    passages->memory_due = passages->out_of_memory;
    return !passages->out_of_memory;
}

void rill_passages_search_anew(rill_flow *flow) {
    if (flow->passages) flow->passages->reusable = flow->passages->out_of_memory = false;
}

bool rill_passages_out_of_memory(const rill_flow *flow) {
    return flow->passages && flow->passages->out_of_memory;
}

void rill_passages_search_for(rill_flow *flow, int32_t place) {
    const rill_passage_solver *passages = flow->passages;
    if (!passages || !passages->reusable) return;
    const int32_t node = passages->node_of[place];
    if (node <= 0 || !passages->nodes.inner[node]) rill_passages_search_anew(flow);
}
