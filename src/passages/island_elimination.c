/* Large islands that sparse pipes tie together are solved by elimination (solve/elimination.h): on their patches
 * multigrid would see little more than the pipes, which it knows one by one.
 *
 * The pattern is that of all inner nodes of their pools, whichever of them are active: it is found once and stays as
 * long as no node is taken in. A node that is not to be solved for has a row of its own, with nothing in it but one on
 * the diagonal. */
#include <math.h>
#include <string.h>

#include "passages/passages_internal.h"

enum { NODES_PER_PIPE = 16 }; /* with fewer pipes multigrid is faster */

/* Says whether a node is to be solved for. */
static bool is_solved(const rill_passage_solver *passages, int32_t n) {
    RILL_ASSERT(!passages->nodes.active[n] || passages->island_of[n] >= 0);
    return passages->slot[n] >= 0 && passages->nodes.active[n] && passages->islands[passages->island_of[n]].large;
}

/* Says whether all nodes of large islands are in the pattern. */
static bool is_covered(const rill_passage_solver *passages) {
    bool covered = true;
    for (int32_t k = 0; k < passages->island_count && covered; ++k) {
        const rill_passage_island *island = &passages->islands[k];
        for (int32_t i = island->first; island->large && i < island->first + island->count; ++i)
            covered &= passages->slot[passages->order[i]] >= 0;
    }
    return covered;
}

/* Gives slots to the inner nodes of pools with a large island in them; returns how many there are. */
static int32_t give_slots(rill_passage_solver *passages) {
    int32_t *chosen = passages->number, count = 0; /* by the first node of a pool */
    for (int32_t n = 0; n < passages->node_count; ++n) chosen[n] = 0;
    for (int32_t k = 0; k < passages->island_count; ++k)
        if (passages->islands[k].large) chosen[passages->pool[passages->order[passages->islands[k].first]]] = 1;
    passages->slot[0] = -1;
    for (int32_t n = 1; n < passages->node_count; ++n)
        passages->slot[n] = passages->nodes.inner[n] && chosen[passages->pool[n]] ? count++ : -1;
    return count;
}

/* Counts the edges between nodes with a slot; lists them if there is room. */
static int32_t list_edges(rill_passage_solver *passages, const rill_passage_edges *edges, bool listed) {
    int32_t count = 0;
    for (int32_t i = 1; i < edges->count; ++i) {
        const int32_t a = passages->slot[edges->l[i]], b = passages->slot[edges->r[i]];
        if (a < 0 || b < 0) continue;
        if (listed)
            passages->elimination.edges[passages->elimination.edge_count++] =
                (rill_elimination_edge){ .a = a, .b = b, .name = i };
        count += 1;
    }
    return count;
}

rill_passage_way rill_passages_choose_way(rill_passage_solver *passages) {
    if (passages->way == RILL_WAY_ELIMINATION && is_covered(passages)) return passages->way;
    if (passages->way == RILL_WAY_MULTIGRID) return passages->way;
    passages->way = RILL_WAY_MULTIGRID;
    passages->laid_out = false; /* slots become others */
    const int32_t nodes = give_slots(passages), pipes = list_edges(passages, &passages->pipes, false);
    const int32_t faces = list_edges(passages, &passages->faces, false);
    if (pipes < nodes / NODES_PER_PIPE) return passages->way;
    if (!rill_passages_room_for_elimination(passages, nodes, faces + pipes)) return RILL_WAY_NONE;
    passages->elimination.count = nodes;
    passages->elimination.edge_count = 0;
    passages->elimination_faces = list_edges(passages, &passages->faces, true);
    list_edges(passages, &passages->pipes, true);
    if (rill_elimination_find_order(&passages->elimination)) passages->way = RILL_WAY_ELIMINATION;
    return passages->way;
}

/* Begins with nodes that nothing joins. */
static void place_nodes(rill_passage_solver *passages) {
    const rill_elimination *problem = &passages->elimination;
    for (int32_t n = 1; n < passages->node_count; ++n) {
        const bool solved = is_solved(passages, n);
        const int32_t slot = passages->slot[n];
        passages->number[n] = solved ? slot : -1;
        if (slot < 0) continue;
        RILL_ASSERT(slot < problem->count);
        problem->diagonal[slot] = solved ? 0.0 : 1.0;
        problem->y[slot] = solved ? passages->nodes.f[n] : 0.0;
    }
    memset(problem->entry, 0, (size_t)problem->entries * sizeof *problem->entry);
}

/* Has edges hold what they lead to from outside, or inside. */
static void place_weights(const rill_passage_solver *passages, const rill_passage_edges *edges) {
    double *diagonal = passages->elimination.diagonal;
    for (int32_t i = 1; i < edges->count; ++i) {
        const int32_t l = passages->number[edges->l[i]], r = passages->number[edges->r[i]];
        const double w = (double)(edges->gain[i] * edges->reach[i]);
        RILL_ASSERT(w >= 0.0);
        if (l >= 0) diagonal[l] += w;
        if (r >= 0) diagonal[r] += w;
    }
}

/* Joins nodes of one island. */
static void place_joints(const rill_passage_solver *passages) {
    const rill_elimination *problem = &passages->elimination;
    for (int32_t k = 0; k < problem->edge_count; ++k) {
        const rill_passage_edges *edges = k < passages->elimination_faces ? &passages->faces : &passages->pipes;
        const rill_elimination_edge *edge = &problem->edges[k];
        const int32_t i = edge->name, l = edges->l[i], r = edges->r[i];
        RILL_ASSERT(passages->slot[l] == edge->a && passages->slot[r] == edge->b);
        if (passages->number[l] >= 0 && passages->number[r] >= 0 && passages->island_of[l] == passages->island_of[r])
            problem->entry[edge->at] -= (double)(edges->gain[i] * edges->reach[i]);
    }
}

void rill_passages_eliminate(rill_passage_solver *passages) {
    rill_elimination *problem = &passages->elimination;
    place_nodes(passages);
    place_weights(passages, &passages->faces);
    place_weights(passages, &passages->pipes);
    place_joints(passages);
    rill_elimination_factorise(problem);
    rill_elimination_solve(problem);
    double sum = 0.0;
    for (int32_t i = 0; i < problem->count; ++i) sum += problem->y[i];
    for (int32_t n = 1; isfinite(sum) && n < passages->node_count; ++n)
        if (passages->number[n] >= 0) passages->nodes.x[n] = problem->y[passages->number[n]];
}
