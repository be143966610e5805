/* Transfer: whole quanta over flooded edges, and hiding these from the sweep. See passages.h.
 *
 * The pressures are found in real numbers; what moves are whole quanta, rounded by the phase of the sub-step. An
 * integer guard sees to it that no column gives more than it has, as the limiters do before (flow/limit.h). Tiles are
 * then told whether their pool may rest. */
#include <math.h>

#include "flow/column.h"
#include "flow/drive.h"
#include "flow/limit.h"
#include "flow/rest.h"
#include "passages/passages_internal.h"

/* Quanta: the least drive of an edge that may rest. */
static const double CALM_LEAST = 8.0;

/* The four faces of a node: what crosses face 1 and 3 eastward or northward leaves it, over face 0 and 2 it enters. */
typedef struct around {
    int32_t face[4];
} around;

static around faces_of(const rill_passage_solver *passages, int32_t n) {
    const rill_passage_nodes *nodes = &passages->nodes;
    return (around){ { nodes->west[n], nodes->east[n], nodes->south[n], nodes->north[n] } };
}

/* ------------------------------------------------------------------------------------------------------------ limit */

/* Slows a face by a factor. A free donor gives all it has, so that this is what crosses whatever the pressures become;
 * they still decide what an active one gives. */
static void slow_face(const rill_passage_edges *faces, int32_t at, double factor, bool free) {
    RILL_ASSERT(at > 0 && at < faces->count && faces->reach[at] > 0.0f && factor >= 0.0 && factor < 1.0);
    const double reach = (double)faces->reach[at], crosses = factor * faces->q[at];
    const double base = free ? 0.0 : (double)faces->base[at] - faces->q[at] / reach;
    faces->base[at] = (float)(base + crosses / reach);
    if (free) faces->gain[at] = 0.0f;
    faces->q[at] = crosses;
}

/* Returns the factor by which a donor may give of `sum`. The margin is that of limit.h. */
static double donor_factor(double sum, int32_t have) {
    RILL_ASSERT(have >= 0 && sum >= 0.0);
    double most = (double)have - (double)RILL_LIMIT_SLACK;
    if (sum <= most) return 1.0;
    return most > 0.0 ? most * (double)RILL_LIMIT_UNDER / sum : 0.0;
}

/* Returns what leaves a node over a face, if it is flooded. */
static double leaving(const rill_passage_solver *passages, const around *faces, int32_t side) {
    const int32_t face = faces->face[side];
    if (face == 0 || !rill_edge_flooded(passages, &passages->faces, face)) return 0.0;
    const double q = side % 2 ? passages->faces.q[face] : -passages->faces.q[face];
    return q > 0.0 ? q : 0.0;
}

static void limit_node(const rill_passage_solver *passages, int32_t n) {
    const around faces = faces_of(passages, n);
    double sum = 0.0;
    for (int32_t side = 0; side < 4; ++side) sum += leaving(passages, &faces, side);
    const double factor = donor_factor(sum, passages->nodes.H[n]);
    for (int32_t side = 0; factor < 1.0 && side < 4; ++side)
        if (leaving(passages, &faces, side) > 0.0)
            slow_face(&passages->faces, faces.face[side], factor, !passages->nodes.active[n]);
}

/* Limits columns over their flooded faces, then over their flooded pipes: rarely both. */
void rill_passages_limit(rill_passage_solver *passages) {
    const rill_passage_edges *pipes = &passages->pipes;
    for (int32_t n = 1; n < passages->node_count; ++n) limit_node(passages, n);
    for (int32_t i = 1; i < pipes->count; ++i) {
        if (!rill_edge_flooded(passages, pipes, i) || !(pipes->reach[i] > 0.0f)) continue;
        const double q = pipes->q[i];
        RILL_ASSERT(isfinite(q));
        const double factor = donor_factor(q < 0.0 ? -q : q, passages->nodes.H[q < 0.0 ? pipes->r[i] : pipes->l[i]]);
        pipes->base[i] += (float)((factor - 1.0) * q / (double)pipes->reach[i]);
        pipes->q[i] *= factor;
    }
}

/* ------------------------------------------------------------------------------------------------------------- rest */

/* Returns the drive of an edge that may rest, quanta. Small heads that all point one way add up: however many columns
 * long a passage is, the levels at its ends may rest no further apart than over a tile. */
static double calm_head(const rill_bed *bed, int32_t length) {
    RILL_ASSERT(length > 0);
    double head = RILL_REST_HEAD / bed->quantum * (double)RILL_TILE_W / (double)rill_max_i(length, RILL_TILE_W);
    return head > CALM_LEAST ? head : CALM_LEAST;
}

/* Measures how many columns long each pool is, at most: into the queue, at its first node. */
static void measure_pools(const rill_passage_solver *passages, const rill_bed *bed) {
    const rill_passage_nodes *nodes = &passages->nodes;
    int32_t *const *box =
        passages->prediction.nodes
            .neighbour; /* not needed any more in this sub-step: holds the least and the largest x and y */
    for (int32_t n = 1; n < passages->node_count; ++n)
        box[0][n] = box[2][n] = INT32_MAX, box[1][n] = box[3][n] = INT32_MIN;
    for (int32_t n = 1; n < passages->node_count; ++n) {
        if (!nodes->inner[n]) continue;
        const rill_sheet *sheet = &bed->sheets[nodes->sheet[n]];
        RILL_ASSERT(passages->pool[n] > 0 && passages->pool[n] <= n &&
                    passages->pool[passages->pool[n]] == passages->pool[n]);
        const int32_t pool = passages->pool[n], x = sheet->x0 + nodes->column[n], y = sheet->y0 + nodes->row[n];
        box[0][pool] = rill_min_i(box[0][pool], x), box[1][pool] = rill_max_i(box[1][pool], x);
        box[2][pool] = rill_min_i(box[2][pool], y), box[3][pool] = rill_max_i(box[3][pool], y);
    }
    for (int32_t n = 1; n < passages->node_count; ++n)
        if (nodes->inner[n] && passages->pool[n] == n)
            passages->queue[n] = rill_max_i(box[1][n] - box[0][n], box[3][n] - box[2][n]) + 1;
}

static int32_t pool_of_edge(const rill_passage_solver *passages, const rill_passage_edges *edges, int32_t i) {
    RILL_ASSERT(passages->nodes.inner[edges->l[i]] | passages->nodes.inner[edges->r[i]]);
    return passages->pool[passages->nodes.inner[edges->l[i]] ? edges->l[i] : edges->r[i]];
}

static bool edge_open(const rill_passage_solver *passages, const rill_passage_edges *edges, int32_t i) {
    return edges->reach[i] > 0.0f && rill_edge_flooded(passages, edges, i);
}

/* Marks the pools in which something moves too fast to rest. */
static void mark_fast(const rill_passage_solver *passages, const rill_passage_edges *edges) {
    for (int32_t i = 1; i < edges->count; ++i)
        if (rill_restless(edges->u[i], 0) && edge_open(passages, edges, i))
            passages->marks[pool_of_edge(passages, edges, i)] |= RILL_NODE_RESTLESS;
}

/* Marks, of the other pools, those in which something is driven. */
static void mark_driven(const rill_passage_solver *passages, const rill_bed *bed, const rill_passage_edges *edges,
                        bool *measured) {
    const double *pi = passages->nodes.pi;
    for (int32_t i = 1; i < edges->count; ++i) {
        const double drop = (double)edges->head[i] + (pi[edges->l[i]] - pi[edges->r[i]]);
        if (!rill_restless(edges->u[i], 1) || !edge_open(passages, edges, i)) continue;
        const int32_t pool = pool_of_edge(passages, edges, i);
        if (passages->marks[pool] & RILL_NODE_RESTLESS) continue;
        if (!*measured) measure_pools(passages, bed);
        *measured = true;
        const double calm = calm_head(bed, passages->queue[pool]);
        if (drop > calm || drop < -calm) passages->marks[pool] |= RILL_NODE_RESTLESS;
    }
}

/* Wakes a tile whose columns change: it must be swept, or what happens there is not seen. */
static void touch_tile(rill_flow *flow, int32_t tile) {
    RILL_ASSERT(tile >= 0 && tile < flow->bed->tile_count);
    if (!(flow->tiles[tile] & RILL_TILE_SWEPT)) rill_flow_touch_tile(flow, tile, RILL_TILE_WAKE_ALL);
}

/* Marks the tiles of pools that may not rest. Those of a pool rest together or not at all: pressure knows no
 * distance. */
static void mark_unrest(rill_flow *flow) {
    const rill_passage_solver *passages = flow->passages;
    bool measured = false;
    mark_fast(passages, &passages->faces);
    mark_fast(passages, &passages->pipes);
    mark_driven(passages, flow->bed, &passages->faces, &measured);
    mark_driven(passages, flow->bed, &passages->pipes, &measured);
    for (int32_t n = 1; n < passages->node_count; ++n) {
        if (!passages->nodes.inner[n] || !(passages->marks[passages->pool[n]] & RILL_NODE_RESTLESS)) continue;
        touch_tile(flow, passages->nodes.tile[n]);
        flow->tiles[passages->nodes.tile[n]] |= RILL_TILE_RESTLESS;
    }
    for (int32_t n = 1; n < passages->node_count; ++n) passages->marks[n] &= (uint8_t)~RILL_NODE_RESTLESS;
}

/* -------------------------------------------------------------------------------------------------------- transfers */

/* Scales the transfers of a node that would give more than it has: the last guard, in integers. */
static void guard_node(const rill_passage_solver *passages, int32_t n) {
    const around of = faces_of(passages, n);
    int32_t *t = passages->faces.t;
    const int32_t have = passages->nodes.H[n];
    int64_t sum = 0;
    for (int32_t side = 0; side < 4; ++side) sum += rill_max_i(side % 2 ? t[of.face[side]] : -t[of.face[side]], 0);
    if (sum <= have) return;
    for (int32_t side = 0; side < 4; ++side)
        if ((side % 2 ? t[of.face[side]] : -t[of.face[side]]) > 0)
            t[of.face[side]] = (int32_t)((int64_t)t[of.face[side]] * have / sum);
    RILL_ASSERT(t[0] == 0);
}

/* Returns what the faces of a node carry into it, whole quanta. */
static int32_t carried_into(const rill_passage_solver *passages, int32_t n) {
    const rill_passage_nodes *nodes = &passages->nodes;
    const int32_t *t = passages->faces.t;
    return (t[nodes->west[n]] - t[nodes->east[n]]) + (t[nodes->south[n]] - t[nodes->north[n]]);
}

/* Returns what faces carry into all nodes together: nothing, as each gives at one end what it takes at the other. */
static int64_t carried_into_all(const rill_passage_solver *passages) {
    int64_t sum = 0;
    for (int32_t n = 1; n < passages->node_count; ++n) sum += carried_into(passages, n);
    return sum;
}

/* Wakes a row of a tile: of some tiles only those rows are swept that are near anything wet. */
static void touch_row(rill_flow *flow, int32_t tile, int32_t row) {
    uint8_t *busy = &flow->busy[tile];
    touch_tile(flow, tile);
    if (*busy >> row & 1) return;
    *busy |= (uint8_t)(1 << row);
    flow->stale = true;
}

/* Writes depth and pressure to the column of a node. Returns whether it stands above its ceiling now. */
static bool write_node(rill_flow *flow, int32_t n) {
    const rill_passage_nodes *nodes = &flow->passages->nodes;
    const int32_t row = nodes->row[n] % RILL_TILE_H, tile = nodes->tile[n], place = nodes->place[n];
    const int32_t by = carried_into(flow->passages, n);
    RILL_ASSERT(flow->H[place] == nodes->H[n] && (int64_t)flow->H[place] + by >= 0);
    RILL_ASSERT(!nodes->active[n] || (nodes->pi[n] >= 0.0 && isfinite(nodes->pi[n])));
    rill_column_exchange(flow, place, by);
    if (by != 0) touch_row(flow, tile, row);
    if (rill_passages_roofed(flow->passages, n))
        rill_passages_set_code(flow, place, tile, rill_passages_code(nodes, n));
    return flow->H[place] > flow->bed->c[place] - rill_flow_bases(flow)[place];
}

/* Says whether the sweep sees what changes in the row of a node. */
static bool is_swept(const rill_flow *flow, int32_t n) {
    const rill_passage_nodes *nodes = &flow->passages->nodes;
    return flow->tiles[nodes->tile[n]] & RILL_TILE_SWEPT &&
           flow->busy[nodes->tile[n]] >> nodes->row[n] % RILL_TILE_H & 1;
}

/* Writes depths and pressures to the columns of all nodes. Returns whether one stands above its ceiling now. */
static bool write_nodes(rill_flow *flow) {
    const rill_passage_solver *passages = flow->passages;
    const rill_passage_nodes *nodes = &passages->nodes;
    const rill_passage_columns planes = rill_passages_planes(flow);
    int32_t above = 0;
    for (int32_t n = 1, end; n < passages->node_count; n = end) {
        const int32_t chunk = n / RILL_CHUNK, last = (chunk + 1) * RILL_CHUNK - 1;
        end = rill_min_i(last + 1, passages->node_count);
        if (nodes->contiguous[chunk] && nodes->in_row[chunk] && is_swept(flow, n) && is_swept(flow, last) &&
            passages->kernels->write(n, nodes, &passages->faces, &planes, &above))
            continue;
        for (int32_t k = n; k < end; ++k) above |= write_node(flow, k);
    }
    return above;
}

/* Moves what crosses pipes, after the faces, each with what its donor has left. Returns whether a column stands above
 * its ceiling now. */
static bool deposit_pipes(rill_flow *flow) {
    const rill_passage_solver *passages = flow->passages;
    const rill_passage_edges *pipes = &passages->pipes;
    bool above = false;
    for (int32_t i = 1; i < pipes->count; ++i) {
        const rill_pipe *ends = &flow->sparse->pipes[pipes->at[i]];
        if (rill_edge_flooded(passages, pipes, i)) flow->pipe_u[pipes->at[i]] = 0.0f;
        if (pipes->t[i] == 0) continue;
        const int32_t t = rill_max_i(rill_min_i(pipes->t[i], flow->H[ends->l]), -flow->H[ends->r]);
        RILL_ASSERT(rill_edge_flooded(passages, pipes, i) && ends->l == passages->nodes.place[pipes->l[i]]);
        rill_column_move(flow, ends->l, ends->r, t);
        /* A column that was dry and still is disturbs nothing. */
        if (rill_max_i(flow->H[ends->l], flow->H[ends->l] + t) > RILL_DRY)
            rill_flow_touch_tile(flow, ends->tile_l, ends->wake_l);
        if (rill_max_i(flow->H[ends->r], flow->H[ends->r] - t) > RILL_DRY)
            rill_flow_touch_tile(flow, ends->tile_r, ends->wake_r);
        above |= flow->H[ends->l] > ends->cl - ends->bl || flow->H[ends->r] > ends->cr - ends->br;
    }
    return above;
}

/* Says whether a tile with flooded columns is not swept: what moves there has to be told at once, or it is lost. */
static bool some_asleep(const rill_flow *flow) {
    const rill_passage_solver *passages = flow->passages;
    for (int32_t i = 0; i < passages->listed_count; ++i) {
        const rill_passage_tile *at = &passages->tiles[passages->listed[i]];
        if (at->has_nodes && !(flow->tiles[at->tile] & RILL_TILE_SWEPT)) return true;
    }
    return false;
}

void rill_passages_transfer(const rill_passage_stage *stage, rill_passage_report *report) {
    rill_flow *flow = stage->flow;
    const rill_passage_solver *passages = flow->passages;
    const rill_passage_kernels *kernels = passages->kernels;
    const rill_passage_nodes *nodes = &passages->nodes;
    const rill_passage_edges *faces = &passages->faces, *pipes = &passages->pipes;
    const rill_passage_columns planes = rill_passages_planes(flow);
    int32_t unrest = kernels->finish(1, faces->count, nodes, faces, stage->constants, CALM_LEAST);
    unrest |= kernels->finish(1, pipes->count, nodes, pipes, stage->constants, CALM_LEAST);
    /* Tiles are judged every so many sub-steps (tiles.c), and see the unrest of the last. */
    if (unrest && (flow->substep % RILL_TILE_CHECK == 0 || some_asleep(flow))) mark_unrest(flow);
    if (kernels->overdrawn(1, passages->node_count, nodes, faces))
        for (int32_t n = 1; n < passages->node_count; ++n) guard_node(passages, n);
    RILL_ASSERT(carried_into_all(passages) == 0);
    bool above = write_nodes(flow);
    kernels->hide(1, faces->count, nodes, faces, &planes);
    above |= deposit_pipes(flow);
    if (above && rill_passages_repair(flow, &report->refused)) report->capped = true;
}

/* ---------------------------------------------------------------------------------------------------------- restore */

/* Returns the velocity of a flooded edge at the end of the sub-step where no column at an end is flooded any more:
 * driven like that of any other face. */
static float velocity_after(const rill_flow *flow, const rill_passage_edges *edges, int32_t i,
                            const rill_kernel_constants *constants) {
    const rill_passage_nodes *nodes = &flow->passages->nodes;
    const int32_t *b = rill_flow_bases(flow), *c = flow->bed->c, *H = flow->H;
    const int32_t l = nodes->place[edges->l[i]], r = nodes->place[edges->r[i]];
    const rill_face_ends ends = { b[l], b[r], c[l], c[r], H[l], H[r] };
    const int32_t at = edges->at[i], axis = edges->axis[i], tilt = constants->tilt[axis];
    const int32_t push =
        edges == &flow->passages->pipes ? rill_flow_pipe_push(flow, at) : rill_flow_face_push(flow, at, axis);
    const rill_pressed_face face = rill_ceiling_drive(&ends, edges->u[i], 0, constants);
    const int32_t head = rill_drive_upright(face.head, constants->upright) + tilt + push;
    const int32_t zb = rill_max_i(ends.bl, ends.br), hl = ends.bl + ends.Hl, hr = ends.br + ends.Hr;
    if (rill_max_i(hl, hr) - zb <= RILL_DRY) return 0.0f;
    const float driven = face.base + face.gain * (float)head;
    return rill_ceiling_blocks(ends.cl, ends.cr, hl, hr, zb, driven, constants->slack) ? 0.0f : driven;
}

void rill_passages_hide_pipes(rill_flow *flow) {
    const rill_passage_solver *passages = flow->passages;
    for (int32_t i = 1; passages && !passages->out_of_memory && i < passages->pipes.count; ++i)
        if (rill_edge_flooded(passages, &passages->pipes, i)) flow->sparse->arrays.awake[passages->pipes.at[i]] = 0;
}

/* Gives a flooded face its velocity back: as it moved where a column at an end is flooded, else driven like others, of
 * which `fastest` keeps the largest speed by axis. */
static void restore_face(rill_flow *flow, int32_t i, const rill_kernel_constants *constants, float fastest[2]) {
    const rill_passage_solver *passages = flow->passages;
    const rill_passage_edges *faces = &passages->faces;
    const int32_t *active = passages->nodes.active, l = faces->l[i], r = faces->r[i], axis = faces->axis[i];
    if (!rill_edge_flooded(passages, faces, i) || !(flow->tiles[passages->nodes.tile[r]] & RILL_TILE_SWEPT)) return;
    float u = faces->u[i];
    RILL_ASSERT(isfinite(u) && __builtin_fabsf(u) <= constants->top_speed);
    if (!(active[l] | active[r])) {
        u = velocity_after(flow, faces, i, constants);
        fastest[axis] = rill_max_f(fastest[axis], __builtin_fabsf(u));
    }
    (axis ? flow->v : flow->u)[faces->at[i]] = u;
}

/* Gives flooded faces their velocities back. Tiles that were put to rest meanwhile stay so: their faces are zero. */
static void restore_faces(rill_flow *flow, const rill_kernel_constants *constants) {
    const rill_passage_solver *passages = flow->passages;
    const rill_passage_edges *faces = &passages->faces;
    const rill_passage_nodes *nodes = &passages->nodes;
    const rill_passage_columns planes = rill_passages_planes(flow);
    float fastest[2] = { 0.0f, 0.0f };
    for (int32_t i = 1, end; i < faces->count; i = end) {
        const int32_t chunk = i / RILL_CHUNK, last = (chunk + 1) * RILL_CHUNK - 1;
        end = rill_min_i(last + 1, faces->count);
        if (faces->in_row[chunk] &&
            flow->tiles[nodes->tile[faces->r[i]]] & flow->tiles[nodes->tile[faces->r[last]]] & RILL_TILE_SWEPT &&
            passages->kernels->restore(i, nodes, faces, &planes))
            continue;
        for (; i < end; ++i) restore_face(flow, i, constants, fastest);
    }
    const float active_fastest = passages->kernels->fastest(1, passages->node_count, nodes, faces);
    flow->extent.speed = rill_max_f(flow->extent.speed, rill_max_f(fastest[0] + fastest[1], active_fastest));
}

static void restore_pipes(rill_flow *flow, const rill_kernel_constants *constants) {
    const rill_passage_solver *passages = flow->passages;
    const rill_passage_edges *pipes = &passages->pipes;
    for (int32_t i = 1; i < pipes->count; ++i) {
        const int32_t pipe = pipes->at[i], l = pipes->l[i], r = pipes->r[i];
        if (!rill_edge_flooded(passages, pipes, i)) continue;
        const bool swept =
            (flow->tiles[passages->nodes.tile[l]] | flow->tiles[passages->nodes.tile[r]]) & RILL_TILE_SWEPT;
        flow->sparse->arrays.awake[pipe] = swept;
        if (!swept) continue;
        RILL_ASSERT(isfinite(pipes->u[i]) && __builtin_fabsf(pipes->u[i]) <= constants->top_speed);
        const bool flooded = passages->nodes.active[l] | passages->nodes.active[r];
        flow->pipe_u[pipe] = flooded ? pipes->u[i] : velocity_after(flow, pipes, i, constants);
        flow->extent.speed = rill_max_f(flow->extent.speed, __builtin_fabsf(flow->pipe_u[pipe]));
    }
}

void rill_passages_restore(rill_flow *flow, const rill_kernel_constants *constants) {
    const rill_passage_solver *passages = flow->passages;
    if (!passages || passages->node_count < 2 || passages->out_of_memory) return;
    restore_faces(flow, constants);
    restore_pipes(flow, constants);
}
