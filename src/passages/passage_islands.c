/* Islands: active nodes that are joined with each other and with no other active nodes. See passages.h.
 *
 * Each is a problem of its own: one that is right already costs nothing, however long another takes. Small ones are
 * solved directly, numbered as a search that goes outwards comes by (E. Cuthill, J. McKee, "Reducing the bandwidth of
 * sparse symmetric matrices", 1969); large ones by multigrid on patches of their sheets (solve/poisson.h),
 * or where sparse pipes tie them together by elimination (island_elimination.c).
 *
 * An island from which no open edge leads out is *sealed*: its problem is singular, pressure is only known up to a
 * constant, and a surplus of all of it together has nowhere to go. */
#include <math.h>
#include <string.h>

#include "passages/passages_internal.h"

enum { WORK = 1024 }; /* multiplications per node that solving directly may cost */

/* Returns the weight of an edge: quanta that cross per quantum of pressure. */
static float weight(const rill_passage_edges *edges, int32_t i) {
    RILL_ASSERT(edges->gain[i] >= 0.0f && edges->reach[i] >= 0.0f);
    return edges->gain[i] * edges->reach[i];
}

/* ----------------------------------------------------------------------------------------------------------- search */

/* Goes on over an edge to an active node that the search has not come by. Returns whether the edge leads out of the
 * active set. */
static bool follow(const rill_passage_solver *passages, const rill_passage_edges *edges, int32_t edge, int32_t node,
                   rill_passage_island *island) {
    if (edge == 0 || !(weight(edges, edge) > 0.0f)) return false;
    const int32_t other = rill_edge_other(edges, edge, node);
    if (!passages->nodes.active[other]) return true;
    RILL_ASSERT(passages->island_of[other] < 0 || passages->island_of[other] == passages->island_count);
    if (passages->island_of[other] < 0) {
        RILL_ASSERT(island->first + island->count < passages->node_count);
        passages->island_of[other] = passages->island_count;
        passages->order[island->first + island->count++] = other;
    }
    return false;
}

static rill_passage_island search_from(const rill_passage_solver *passages, int32_t node, int32_t first) {
    const rill_passage_nodes *nodes = &passages->nodes;
    rill_passage_island island = { .first = first, .count = 1, .sealed = true };
    RILL_ASSERT(passages->nodes.active[node] && passages->island_of[node] < 0 && first < passages->node_count);
    passages->island_of[node] = passages->island_count;
    passages->order[first] = node;
    for (int32_t i = 0; i < island.count; ++i) {
        const int32_t n = passages->order[first + i],
                      faces[4] = { nodes->west[n], nodes->south[n], nodes->east[n], nodes->north[n] };
        bool out = false;
        RILL_ASSERT(nodes->inner[n]); /* so that all of its edges are there */
        for (int32_t k = 0; k < 4; ++k) out |= follow(passages, &passages->faces, faces[k], n, &island);
        EACH_PIPE(passages, n, edge) out |= follow(passages, &passages->pipes, edge, n, &island);
        island.sealed &= !out;
    }
    return island;
}

/* Says whether each active node is of one island, and others of none. */
static bool is_partition(const rill_passage_solver *passages) {
    int32_t listed = 0, active = 0;
    for (int32_t k = 0; k < passages->island_count; ++k) {
        const rill_passage_island *island = &passages->islands[k];
        for (int32_t i = island->first; i < island->first + island->count; ++i)
            if (passages->island_of[passages->order[i]] != k) return false;
        if (island->first != listed) return false;
        listed += island->count;
    }
    for (int32_t n = 1; n < passages->node_count; ++n) {
        if (passages->nodes.active[n] != (passages->island_of[n] >= 0)) return false;
        active += passages->nodes.active[n];
    }
    return listed == active;
}

static void search_all(rill_passage_solver *passages) {
    for (int32_t n = 1; n < passages->node_count; ++n) passages->island_of[n] = -1;
    passages->island_count = 0;
    for (int32_t n = 1, count = 0; n < passages->node_count; ++n) {
        if (!passages->nodes.active[n] || passages->island_of[n] >= 0) continue;
        passages->islands[passages->island_count] = search_from(passages, n, count);
        count += passages->islands[passages->island_count++].count;
    }
    passages->laid_out = false;
    RILL_ASSERT(is_partition(passages));
}

/* Says whether nodes, or which of them are active and which edges open, are others than those that islands were found
 * for, and remembers them. */
static bool all_differ(rill_passage_solver *passages) {
    const int32_t more = passages->searched_nodes != passages->node_count ||
                         passages->searched_faces != passages->faces.count ||
                         passages->searched_pipes != passages->pipes.count;
    passages->searched_nodes = passages->node_count;
    passages->searched_faces = passages->faces.count;
    passages->searched_pipes = passages->pipes.count;
    /* no short cut: all are to be remembered */
    const rill_passage_kernels *kernels = passages->kernels;
    return (more | kernels->activated(1, passages->node_count, &passages->nodes) |
            kernels->opened(1, passages->faces.count, &passages->faces) |
            kernels->opened(1, passages->pipes.count, &passages->pipes)) != 0;
}

bool rill_passages_find_islands(rill_passage_solver *passages) {
    const rill_passage_nodes *nodes = &passages->nodes;
    bool any = false;
    if (all_differ(passages)) search_all(passages);
    for (int32_t n = 1; n < passages->node_count; ++n) nodes->sealed[n] = 0;
    for (int32_t k = 0; k < passages->island_count; ++k) {
        const rill_passage_island *island = &passages->islands[k];
        RILL_ASSERT(island->count > 0);
        any |= island->sealed;
        for (int32_t i = 0; island->sealed && i < island->count; ++i)
            nodes->sealed[passages->order[island->first + i]] = 1;
    }
    passages->islands_valid = true;
    return any;
}

void rill_passages_reset_islands(rill_passage_solver *passages) {
    for (int32_t k = 0; k < passages->island_count; ++k) passages->islands[k].large = false;
    passages->islands_valid = passages->laid_out = false;
    passages->way = RILL_WAY_NONE;
}

/* ----------------------------------------------------------------------------------------------------------- direct */

/* Says whether the node at the other end of an edge is of the same island. Openings may have joined two islands since
 * they were found: until they are found again, each holds the other like a node without pressure. */
static bool is_within(const rill_passage_solver *passages, int32_t node, int32_t other) {
    return passages->nodes.active[other] && passages->island_of[other] == passages->island_of[node];
}

/* Has the row of a node begin at its neighbour, if none begins it before. */
static void widen_row(const rill_passage_solver *passages, const rill_passage_edges *edges, int32_t edge,
                      int32_t node) {
    const int32_t other = rill_edge_other(edges, edge, node), i = passages->number[node];
    if (edge == 0 || !is_within(passages, node, other)) return;
    const int32_t j = passages->number[other];
    RILL_ASSERT(j >= 0 && j < passages->skyline->count && i < passages->skyline->count);
    if (j < passages->skyline->first[i] && weight(edges, edge) > 0.0f) passages->skyline->first[i] = j;
}

/* Lays out the rows of an island. False if it is too large. */
static bool lay_out_rows(const rill_passage_solver *passages, const rill_passage_island *island) {
    const rill_passage_nodes *nodes = &passages->nodes;
    if (island->count > RILL_SKYLINE_NODES) return false;
    passages->skyline->count = island->count;
    for (int32_t i = 0; i < island->count; ++i) {
        const int32_t n = passages->order[island->first + i];
        passages->number[n] = passages->skyline->first[i] = i;
    }
    for (int32_t i = 0; i < island->count; ++i) {
        const int32_t n = passages->order[island->first + i],
                      faces[4] = { nodes->west[n], nodes->south[n], nodes->east[n], nodes->north[n] };
        for (int32_t k = 0; k < 4; ++k) widen_row(passages, &passages->faces, faces[k], n);
        EACH_PIPE(passages, n, edge) widen_row(passages, &passages->pipes, edge, n);
    }
    return rill_skyline_lay(passages->skyline, WORK * island->count);
}

/* Adds an edge to the matrix, seen from a node. */
static void add_weight(const rill_passage_solver *passages, const rill_passage_edges *edges, int32_t edge, int32_t node,
                       double *diagonal) {
    const int32_t other = rill_edge_other(edges, edge, node), i = passages->number[node];
    const double w = (double)weight(edges, edge);
    if (edge == 0 || !(w > 0.0)) return;
    *diagonal += w;
    if (!is_within(passages, node, other)) return;
    const int32_t j = passages->number[other];
    RILL_ASSERT(j >= 0 && j < passages->skyline->count && j != i);
    RILL_ASSERT(j >= passages->skyline->first[i] || j > i); /* the row has been laid out for it */
    if (j < i) passages->skyline->entry[passages->skyline->row[i] + j - passages->skyline->first[i]] -= w;
}

static void solve_directly(const rill_passage_solver *passages, const rill_passage_island *island) {
    const rill_passage_nodes *nodes = &passages->nodes;
    rill_skyline *sky = passages->skyline;
    double diagonal[RILL_SKYLINE_NODES], y[RILL_SKYLINE_NODES], sum = 0.0;
    memset(sky->entry, 0, (size_t)sky->entries * sizeof *sky->entry);
    for (int32_t i = 0; i < island->count; ++i) {
        const int32_t n = passages->order[island->first + i],
                      faces[4] = { nodes->west[n], nodes->south[n], nodes->east[n], nodes->north[n] };
        diagonal[i] = 0.0;
        for (int32_t k = 0; k < 4; ++k) add_weight(passages, &passages->faces, faces[k], n, &diagonal[i]);
        EACH_PIPE(passages, n, edge) add_weight(passages, &passages->pipes, edge, n, &diagonal[i]);
        RILL_ASSERT(passages->number[n] == i); /* the order's inverse */
        RILL_ASSERT(isfinite(diagonal[i]) && diagonal[i] >= 0.0);
        y[i] = nodes->f[n];
    }
    rill_skyline_factorise(sky, diagonal);
    rill_skyline_solve(sky, y);
    for (int32_t i = 0; i < island->count; ++i) sum += y[i];
    for (int32_t i = 0; isfinite(sum) && i < island->count; ++i) nodes->x[passages->order[island->first + i]] = y[i];
}

/* ------------------------------------------------------------------------------------------------------------ large */

/* Gives the nodes of a large island their slots: a patch of the problem for each sheet. If `size` is not NULL, counts
 * the memory for that instead. */
static void lay_out_patches(rill_passage_solver *passages, const rill_passage_island *island, rill_poisson_size *size) {
    const rill_passage_nodes *nodes = &passages->nodes;
    const int32_t *order = passages->order + island->first;
    for (int32_t i = 0; i < island->count; ++i) {
        if (passages->slot[order[i]] >= 0) continue;
        const int32_t sheet = nodes->sheet[order[i]];
        int32_t x0 = INT32_MAX, y0 = INT32_MAX, x1 = 0, y1 = 0;
        for (int32_t k = i; k < island->count; ++k) {
            const int32_t n = order[k];
            if (nodes->sheet[n] != sheet) continue;
            x0 = rill_min_i(x0, nodes->column[n]);
            x1 = rill_max_i(x1, nodes->column[n]);
            y0 = rill_min_i(y0, nodes->row[n]);
            y1 = rill_max_i(y1, nodes->row[n]);
        }
        RILL_ASSERT(x0 >= 1 && x0 <= x1 && y0 >= 1 && y0 <= y1);
        rill_patch patch = { .stride = 1 };
        if (size)
            rill_poisson_count(size, x1 - x0 + 1, y1 - y0 + 1);
        else
            patch = *rill_poisson_add(&passages->poisson, x1 - x0 + 1, y1 - y0 + 1);
        for (int32_t k = i; k < island->count; ++k)
            if (nodes->sheet[order[k]] == sheet)
                passages->slot[order[k]] =
                    patch.first + (nodes->row[order[k]] - y0) * patch.stride + (nodes->column[order[k]] - x0);
    }
}

static void clear_slots(const rill_passage_solver *passages) {
    for (int32_t n = 0; n < passages->node_count; ++n) passages->slot[n] = -1;
}

/* Lays out the problem of all large islands, unless it is as it was. False without memory. */
static bool lay_out_problem(rill_passage_solver *passages) {
    rill_poisson *poisson = &passages->poisson;
    rill_poisson_size size = { .links = passages->pipes.count };
    if (passages->laid_out) return true;
    clear_slots(passages);
    for (int32_t i = 0; i < passages->island_count; ++i)
        if (passages->islands[i].large) lay_out_patches(passages, &passages->islands[i], &size);
    if (!rill_passages_room_for_problem(passages, &size)) return false;
    clear_slots(passages);
    rill_poisson_clear(poisson);
    for (int32_t i = 0; i < passages->island_count; ++i)
        if (passages->islands[i].large) lay_out_patches(passages, &passages->islands[i], NULL);
    RILL_ASSERT(poisson->node_count <= poisson->room.nodes && poisson->patch_count <= poisson->room.patches);
    passages->laid_out = true;
    return true;
}

static int32_t place_part(const rill_passage_work *work, int32_t from, int32_t to) {
    const rill_poisson *poisson = &work->passages->poisson;
    const rill_passage_problem problem = { .slot = work->passages->slot,
                                           .island = work->passages->island_of,
                                           .active = poisson->active,
                                           .extra = poisson->extra,
                                           .wx = poisson->wx,
                                           .wy = poisson->wy,
                                           .f = poisson->f,
                                           .x = poisson->x };
    work->passages->kernels->place(from, to, &work->passages->nodes, &work->passages->faces, &problem);
    return 0;
}

static int32_t take_part(const rill_passage_work *work, int32_t from, int32_t to) {
    const int32_t *slot = work->passages->slot;
    for (int32_t n = from; n < to; ++n) {
        RILL_ASSERT(slot[n] >= -1 && slot[n] < work->passages->poisson.node_count);
        if (slot[n] >= 0) work->passages->nodes.x[n] = work->passages->poisson.x[slot[n]];
    }
    return 0;
}

/* Holds a node whose edge leads out of the island, as a neighbour without pressure would. */
static void hold_end(const rill_poisson *poisson, int32_t slot, float w) {
    RILL_ASSERT(slot < poisson->node_count && w >= 0.0f);
    if (slot >= 0) poisson->extra[slot] += w;
}

static void place_pipes(rill_passage_solver *passages) {
    rill_poisson *poisson = &passages->poisson;
    const rill_passage_edges pipes = passages->pipes;
    poisson->link_count = 0;
    for (int32_t i = 1; i < pipes.count; ++i) {
        const int32_t l = pipes.l[i], r = pipes.r[i], at_l = passages->slot[l], at_r = passages->slot[r];
        const float w = weight(&pipes, i);
        RILL_ASSERT(poisson->link_count < poisson->room.links);
        if (at_l >= 0 && at_r >= 0 && passages->island_of[l] == passages->island_of[r]) {
            if (w > 0.0f) poisson->links[poisson->link_count++] = (rill_link){ at_l, at_r, w };
            continue;
        }
        hold_end(poisson, at_l, w);
        hold_end(poisson, at_r, w);
    }
}

/* Solves for all large islands, in one problem. Returns the iterations; -1 without memory. */
static int32_t solve_large(rill_passage_solver *passages, bool scalar, double tolerance, int32_t most) {
    rill_poisson *poisson = &passages->poisson;
    double residual;
    const rill_passage_way way = rill_passages_choose_way(passages);
    if (way == RILL_WAY_ELIMINATION) rill_passages_eliminate(passages);
    if (way != RILL_WAY_MULTIGRID) return way == RILL_WAY_ELIMINATION ? 1 : -1;
    if (!lay_out_problem(passages)) return -1;
    const rill_passage_work work = { .passages = passages };
    rill_passages_run_loop(passages, 1, passages->node_count, place_part, &work);
    place_pipes(passages);
    rill_poisson_prepare(poisson, scalar);
    const int32_t iterations = rill_poisson_solve(poisson, scalar, tolerance, most, &residual);
    rill_passages_run_loop(passages, 1, passages->node_count, take_part, &work);
    return iterations;
}

static bool is_off(const rill_passage_solver *passages, const rill_passage_island *island, double tolerance) {
    for (int32_t i = island->first; i < island->first + island->count; ++i)
        if (!(fabs(passages->nodes.f[passages->order[i]]) <= tolerance)) return true;
    return false;
}

int32_t rill_passages_solve_islands(rill_passage_solver *passages, bool scalar, double tolerance, int32_t most) {
    RILL_ASSERT(passages->islands_valid && tolerance > 0.0 && most > 0);
    bool some_large = false;
    for (int32_t i = 0; i < passages->island_count; ++i) {
        rill_passage_island *island = &passages->islands[i];
        if (!is_off(passages, island, tolerance)) continue;
        if (!island->large && lay_out_rows(passages, island))
            solve_directly(passages, island);
        else {
            passages->laid_out &= island->large;
            some_large = island->large = true;
        }
    }
    return some_large ? solve_large(passages, scalar, tolerance, most) : 1;
}

/* ----------------------------------------------------------------------------------------------------------- sealed */

/* Loops over the sealed islands. */
#define EACH_SEALED(passages, island)                                                                                  \
    for (const rill_passage_island *island = (passages)->islands;                                                      \
         island < (passages)->islands + (passages)->island_count; ++island)                                            \
        if (island->sealed)
/* Loops over the nodes of an island. */
#define EACH_ISLAND_NODE(passages, island, n)                                                                          \
    for (int32_t i_ = (island)->first, n; i_ < (island)->first + (island)->count && (n = (passages)->order[i_], true); \
         ++i_)

void rill_passages_balance_sealed(rill_passage_solver *passages) {
    double *f = passages->nodes.f;
    EACH_SEALED(passages, island) {
        double sum = 0.0;
        EACH_ISLAND_NODE(passages, island, n) sum += f[n];
        EACH_ISLAND_NODE(passages, island, n) f[n] -= sum / (double)island->count;
    }
}

void rill_passages_normalise_sealed(rill_passage_solver *passages) {
    double *pi = passages->nodes.pi;
    EACH_SEALED(passages, island) {
        double least = 1e300;
        EACH_ISLAND_NODE(passages, island, n) least = rill_min_d(least, pi[n]);
        RILL_ASSERT(isfinite(least) && least < 1e300);
        EACH_ISLAND_NODE(passages, island, n) pi[n] -= least;
    }
}

bool rill_passages_vent_sealed(rill_passage_solver *passages) {
    const rill_passage_nodes *nodes = &passages->nodes;
    const double band = (double)(RILL_FULL_LOW - RILL_FULL_HIGH);
    bool vented = false;
    rill_passages_normalise_sealed(passages);
    EACH_SEALED(passages, island) {
        double sum = 0.0;
        EACH_ISLAND_NODE(passages, island, n) sum += (double)nodes->fill[n] + band;
        if (!(sum < 0.0)) continue;
        EACH_ISLAND_NODE(passages, island, n) {
            if (nodes->pi[n] > 0.0) continue;
            nodes->active[n] = 0;
            vented = true;
        }
    }
    return vented;
}
