/* The graph that the files of this room work on.
 *
 *   passage_memory.c    working memory, as much as the ceilings of the bed and the nodes ask for
 *   passage_tiles.c     tiles with ceilings: what is flooded there, and what might be soon
 *   node_search.c       which columns have to do with pressures: nodes; reading them
 *   node_graph.c        nodes, and the faces and pipes between them
 *   passage_kernels.c   loops over nodes and edges
 *   edge_loops.c        these loops on all threads
 *   active_set.c        which nodes are active, with which pressure
 *   prediction.c        which nodes will be active, about
 *   passage_islands.c   active nodes that are joined with each other: solving for their pressures
 *   island_elimination.c  the same where pipes tie large ones together
 *   extended_pipes.c    the paper's extended pipes instead
 *   transfer.c          whole quanta over flooded faces; hiding and restoring them
 *   repair.c            what stands above a ceiling after that
 *
 * A *node* is a column that has to do with pressures, an *edge* a face or a sparse pipe between two nodes. Both are
 * numbered in the order in which they are found, so that all costs what there is to do and nothing else, however it is
 * spread over the bed:
 *
 *     inner node   has a ceiling and may be active: all of its faces and pipes that are open are edges
 *     outer node   stands beside an inner one. It becomes an inner node when it would overfill
 *
 * All neighbours of active nodes that have a ceiling are inner nodes. Node 0 and edge 0 stand for nothing: no column,
 * no face. All that is read there is zero, so that sums over the four sides of a node need no special case.
 *
 *     pool      inner nodes that edges join: rests as a whole or not at all
 *     island    active nodes that open edges join: has one problem of pressures. It is *sealed* if nothing leads out
 *     port      a column at which sparse pipes end */
#ifndef RILL_PASSAGES_PASSAGES_INTERNAL_H
#define RILL_PASSAGES_PASSAGES_INTERNAL_H

#include "base/assert.h"
#include "flow/sparse.h"
#include "passages/passage_kernels.h"
#include "solve/elimination.h"
#include "solve/poisson.h"
#include "solve/skyline.h"

/* A tile with a ceiling in it. Members from `awake` on are known of tiles that are listed. */
typedef struct rill_passage_tile {
    int32_t tile, sheet, tx, ty;
    bool awake;                      /* when it was last scanned */
    bool has_nodes;                  /* its columns are nodes */
    uint8_t candidates[RILL_TILE_W]; /* what the scan found (rill_passage_kernels.scan) */
} rill_passage_tile;

/* Active nodes that are joined with each other and no others: `count` nodes of the order, from `first` on. */
typedef struct rill_passage_island {
    int32_t first, count;
    bool sealed; /* nothing leads out: pressure is only known up to a constant */
    bool large;  /* too large to be solved directly */
} rill_passage_island;

/* How large islands are solved, all of them at once. */
typedef enum rill_passage_way { RILL_WAY_NONE = 0, RILL_WAY_MULTIGRID, RILL_WAY_ELIMINATION } rill_passage_way;

/* Nodes of which is predicted whether they will be active, by place in their list (prediction.c). */
typedef struct rill_passage_prediction {
    int32_t count;
    int32_t *node;
    rill_prediction_nodes nodes;
} rill_passage_prediction;

typedef struct rill_passage_solver {
    const rill_passage_kernels *kernels;
    const rill_runtime *runtime; /* of this sub-step, and its pool */
    rill_pool *workers;

    int32_t node_count, node_capacity;
    rill_passage_nodes nodes;
    rill_passage_edges faces, pipes;
    int32_t *node_of; /* per column: its node if it is positive; else -port of a column with sparse pipes, or 0 */
    int32_t *queue;   /* nodes */
    int32_t *pool;    /* per node: the first node of its pool */
    uint8_t *marks;   /* per node, RILL_NODE_... */
    rill_passage_prediction prediction;

    int32_t island_count;
    rill_passage_island *islands; /* capacity: nodes */
    int32_t *order;               /* active nodes, island by island, outwards in each */
    int32_t *island_of;           /* per node: its island; -1 for none */
    int32_t *number;              /* per node: its place in its island, or in the prediction */
    int32_t *slot;                /* per node: in the problem of large islands; -1 for others */
    bool islands_valid;           /* active nodes are those they were found for */
    int32_t searched_nodes, searched_faces, searched_pipes; /* how many there were when they were found */
    bool laid_out;                                          /* nodes of large islands have their slots */
    rill_skyline *skyline;                                  /* small islands, one at a time */
    rill_passage_way way;                                   /* since the nodes were found; none: not chosen yet */
    rill_poisson poisson;                                   /* all large islands together */
    rill_elimination elimination;                           /* or their pools: faces come first, then pipes */
    int32_t elimination_faces;

    /* Sparse pipes by the columns they end at: those of port i, counted from 1, are port_pipes[port_first[i]] to [i +
     * 1]. */
    int32_t port_count;
    int32_t *port_first, *port_place, *port_pipes;
    bool ports_due; /* they must be listed anew: pipes have changed */

    int32_t tile_count; /* tiles with a ceiling in them */
    rill_passage_tile *tiles;
    int32_t listed_count;
    int32_t *listed;       /* tiles (numbers in `tiles`) where columns are flooded or may be soon */
    uint8_t *seen;         /* per column: a search for room has come by; zero between searches */
    int32_t *visited;      /* columns that a search for room has come by */
    int32_t *nearly_full;  /* per tile of the bed: 15/16 of the least height under a ceiling; 0 if unknown */
    uint8_t *near_flooded; /* per tile of the bed: some column of it or of a tile around it is flooded */
    uint8_t *roofed;       /* per tile of the bed: it is one of those with a ceiling */
    uint8_t *flooded;      /* per tile of the bed: how many columns are flooded (rill_passages_set_code) */
    int32_t bed_tiles, bed_places, tile_capacity, pipe_capacity, visited_capacity;
    rill_allocator allocator; /* for nodes, edges and what solves for them */
    bool memory_due;          /* columns were flooded otherwise than by the flow: there may be more nodes than ever */
    bool out_of_memory;       /* there was no memory for the nodes of this step: nothing has been solved for */
    bool reusable;            /* the nodes may serve the next sub-step too */
    bool as_found;            /* the nodes are those that the last search found, and no others */
    bool some_sealed;         /* some active node was of a sealed island when it was read */
} rill_passage_solver;

/* Sub-steps between two scans for columns that may become flooded. */
enum { RILL_SCAN_EVERY = 8 };

/* Marks of a node: it was activated or dropped since the last prediction; it is the first of a pool that may not
 * rest. */
enum { RILL_NODE_SWITCHED = 1, RILL_NODE_RESTLESS = 2 };

/* Says whether a node has a ceiling that it may be pressed against. */
static inline bool rill_passages_roofed(const rill_passage_solver *passages, int32_t node) {
    RILL_ASSERT(node > 0 && node < passages->node_count);
    return passages->nodes.fill[node] > RILL_NO_ROOF / 2;
}

/* Says whether an edge has had an active node at an end in this sub-step. */
static inline bool rill_edge_flooded(const rill_passage_solver *passages, const rill_passage_edges *edges, int32_t i) {
    RILL_ASSERT(i > 0 && i < edges->count);
    RILL_ASSERT(edges->l[i] < passages->node_count && edges->r[i] < passages->node_count);
    return passages->nodes.ever_active[edges->l[i]] | passages->nodes.ever_active[edges->r[i]];
}

/* Returns the node at the other end of an edge. */
static inline int32_t rill_edge_other(const rill_passage_edges *edges, int32_t i, int32_t node) {
    RILL_ASSERT(i >= 0 && i < edges->count);
    RILL_ASSERT(i == 0 || edges->l[i] == node || edges->r[i] == node);
    return edges->l[i] == node ? edges->r[i] : edges->l[i];
}

/* Loops over the sparse pipes of a node: edges of `pipes`. */
#define EACH_PIPE(passages, node, edge)                                                                                \
    for (int32_t half_ = (passages)->nodes.pipe[node], edge = half_ / 2; half_ > 0;                                    \
         half_ = (passages)->pipes.next[half_], edge = half_ / 2)

/* Writes to the pressure plane: the only door to it in a step, because `flooded` has to count. */
static inline void rill_passages_set_code(rill_flow *flow, int32_t place, int32_t tile, int32_t code) {
    RILL_ASSERT(place >= 0 && place < flow->bed->plane_size && tile >= 0 && tile < flow->bed->tile_count);
    RILL_ASSERT(flow->pressure[place] == 0 || flow->passages->flooded[tile] > 0);
    flow->passages->flooded[tile] += (uint8_t)((code != 0) - (flow->pressure[place] != 0));
    flow->pressure[place] = code;
    RILL_ASSERT(flow->passages->flooded[tile] <= RILL_TILE_W * RILL_TILE_H);
}

/* Returns the planes that nodes and faces are read from and written to. */
static inline rill_passage_columns rill_passages_planes(const rill_flow *flow) {
    return (rill_passage_columns){ rill_flow_bases(flow), flow->bed->c, flow->H, flow->pressure, flow->u, flow->v };
}

/* Says whether a column lies outside of the domain. */
static inline bool rill_passages_ghost(const rill_bed *bed, int32_t place) {
    int32_t x, y;
    const rill_sheet *sheet = rill_bed_sheet_of(bed, place, &x, &y);
    return x < sheet->x0 || x >= sheet->x0 + sheet->nx || y < sheet->y0 || y >= sheet->y0 + sheet->ny;
}

/* A column: where it is in the planes, and in its sheet, counted with the ghosts. */
typedef struct rill_passage_spot {
    int32_t place, sheet, column, row;
} rill_passage_spot;

static inline rill_passage_spot rill_passages_spot_of(const rill_passage_solver *passages, int32_t node) {
    const rill_passage_nodes *nodes = &passages->nodes;
    RILL_ASSERT(node > 0 && node < passages->node_count);
    return (rill_passage_spot){ nodes->place[node], nodes->sheet[node], nodes->column[node], nodes->row[node] };
}

/* Says whether a column has a ceiling, and lies in the domain. */
static inline bool rill_passages_may_be_inner(const rill_bed *bed, rill_passage_spot at) {
    const rill_sheet *sheet = &bed->sheets[at.sheet];
    RILL_ASSERT(at.place == rill_sheet_place(sheet, at.column, at.row));
    return bed->c[at.place] < RILL_TOP && bed->b[at.place] < RILL_TOP && at.column >= 1 && at.column <= sheet->nx &&
           at.row >= 1 && at.row <= sheet->ny;
}

/* Says whether a face between two columns lets liquid through. */
static inline bool rill_passages_open_between(const rill_bed *bed, int32_t a, int32_t b) {
    return rill_min_i(bed->c[a], bed->c[b]) - rill_max_i(bed->b[a], bed->b[b]) > 1;
}

/* The sub-step that functions work in. */
typedef struct rill_passage_stage {
    rill_flow *flow;
    const rill_flow_settings *settings;
    const rill_kernel_constants *constants;
} rill_passage_stage;

/* The data of a loop over nodes or edges, as far as it needs them. */
typedef struct rill_passage_work {
    const rill_passage_solver *passages;
    const rill_passage_edges *edges;
    const rill_kernel_constants *constants;
    rill_passage_columns planes;
    double bound; /* quanta */
    float paper;  /* the opening in paper mode; 0 otherwise */
} rill_passage_work;

/* Works on nodes or edges [from, to); returns bits, RILL_VERDICT_... */
typedef int32_t rill_passage_loop(const rill_passage_work *work, int32_t from, int32_t to);

/* ----------------------------------------------------------------------------------------------------- edge_loops.c */

/* Runs a loop on all threads if that pays. Returns the bits of all of its parts. */
int32_t rill_passages_run_loop(const rill_passage_solver *passages, int32_t from, int32_t to, rill_passage_loop *loop,
                               const rill_passage_work *work);

/* Opens the edges by the donors that the pressures make, from these edges on, and finds what crosses. */
void rill_passages_open(const rill_passage_stage *stage, int32_t first_face, int32_t first_pipe);
/* Finds how much above full every inner node would end with what crosses now: into `f`. */
void rill_passages_find_excess(const rill_passage_solver *passages);
/* Finds what crosses with openings as they are. Returns whether some of these are not the donor's any more. */
bool rill_passages_flow(const rill_passage_solver *passages);
/* Finds what flooded faces change in every node: into `f`. Returns bits, RILL_VERDICT_OVER if that would overfill one,
 * RILL_VERDICT_SHORT if one would give more over its flooded edges than it has. */
int32_t rill_passages_find_change(const rill_passage_solver *passages);

/* ------------------------------------------------------------------------------------------------- passage_memory.c */

/* Takes memory for so many nodes; what those there are hold is kept. False without memory. */
bool rill_passages_room_for_nodes(rill_passage_solver *passages, int32_t count);
/* Takes memory for so many faces or pipes; what those there are hold is kept. False without memory. */
bool rill_passages_room_for_edges(rill_passage_solver *passages, rill_passage_edges *edges, int32_t count);
/* Takes memory for node 0 and edge 0, and for what solves islands directly: all that it takes before the first node is
 * made, so that nothing is taken while nothing is flooded, and no solve takes more where nothing more is flooded. */
bool rill_passages_room_to_begin(rill_passage_solver *passages);
/* Takes memory for the problem of large islands; what is in there may be lost. False without memory. */
bool rill_passages_room_for_problem(rill_passage_solver *passages, const rill_poisson_size *size);
/* Takes memory for so many nodes and edges of an elimination; what is in there may be lost. False without memory. */
bool rill_passages_room_for_elimination(rill_passage_solver *passages, int32_t nodes, int32_t edges);

/* -------------------------------------------------------------------------------------------------- passage_tiles.c */

/* Lists the tiles with columns that are flooded, or may be soon. Returns whether they are those of the last time, with
 * the same columns. */
bool rill_passages_list_tiles(const rill_flow *flow, float lambda);
/* Says whether a tile is simulated in this sub-step. */
bool rill_passages_tile_awake(const rill_flow *flow, int32_t tile);

/* ----------------------------------------------------------------------------------------------------- node_graph.c */

/* Forgets all nodes. */
void rill_passages_clear(rill_passage_solver *passages);
/* Lists the sparse pipes by the columns they end at, in their order. */
void rill_passages_list_ports(const rill_flow *flow);
/* Finds the sheet of a column, and where in it it is. */
rill_passage_spot rill_passages_spot_at(const rill_bed *bed, int32_t place);
/* Makes the node of a column that has none. False without memory. */
bool rill_passages_make_node(rill_passage_solver *passages, const rill_bed *bed, rill_passage_spot at);
/* Returns the node of a column, and makes it if there is none; 0 without memory. */
int32_t rill_passages_node_at(rill_passage_solver *passages, const rill_bed *bed, rill_passage_spot at);
/* Numbers the nodes anew, row by row, and joins them by faces and pipes. False without memory. */
bool rill_passages_link_nodes(rill_flow *flow);
/* Makes each node know the first of its pool, until pools are joined again: roots come before what hangs on them. */
void rill_passages_flatten_pools(const rill_passage_solver *passages);
/* Makes inner nodes of what has a ceiling beside the first `given` nodes of the queue, beside those that are flooded of
 * these, and so on, and appends them to the queue. False without memory. */
bool rill_passages_make_inner_around(rill_passage_solver *passages, const rill_flow *flow, int32_t given,
                                     int32_t *count);

/* ---------------------------------------------------------------------------------------------------- node_search.c */

/* Finds the nodes and reads them. False if there are none, or no memory. */
bool rill_passages_find_nodes(const rill_passage_stage *stage);
/* Makes inner nodes of what has a ceiling beside the `count` nodes in the queue, and reads, drives and opens what is
 * new. False without memory. */
bool rill_passages_extend_nodes(const rill_passage_stage *stage, int32_t count);

/* ----------------------------------------------------------------------------------------------------- prediction.c */

/* Predicts active nodes and pressures, and finds what crosses then, around nodes that were switched; nodes that end
 * full but for `tolerance` (quanta) are good enough. Nodes that become active are listed in the queue. False, and
 * nothing is changed, if no node would be switched. */
bool rill_passages_predict(const rill_passage_stage *stage, double tolerance, int32_t *added);

/* ------------------------------------------------------------------------------------------------ passage_islands.c */

/* Finds the islands. Returns whether some are sealed. */
bool rill_passages_find_islands(rill_passage_solver *passages);
/* Finds the corrections `x` of the pressures that take `f` away, in all islands where some of it is more than
 * `tolerance`. Returns the iterations; -1 without memory. */
int32_t rill_passages_solve_islands(rill_passage_solver *passages, bool scalar, double tolerance, int32_t most);
/* Takes the mean of each sealed island out of f: nothing can leave, so that it has no solution. */
void rill_passages_balance_sealed(rill_passage_solver *passages);
/* Shifts the pressures of each sealed island so that the least is zero. */
void rill_passages_normalise_sealed(rill_passage_solver *passages);
/* Gives sealed islands that hold less than it takes to be full (a sink is in one) a free surface where the pressure is
 * least. Returns whether there was any. */
bool rill_passages_vent_sealed(rill_passage_solver *passages);
/* Has all islands found anew, as if none had been. */
void rill_passages_reset_islands(rill_passage_solver *passages);

/* --------------------------------------------------------------------------------------------- island_elimination.c */

/* Chooses how large islands are solved; what has been chosen stays, but for a new pattern when others have become large.
 * RILL_WAY_NONE without memory. */
rill_passage_way rill_passages_choose_way(rill_passage_solver *passages);
/* Finds the corrections `x` of the pressures that take `f` away in all large islands. */
void rill_passages_eliminate(rill_passage_solver *passages);

/* ------------------------------------------------------------------------------------------------------- transfer.c */

/* Slows what leaves columns over flooded edges to what they have; q must be up to date. */
void rill_passages_limit(rill_passage_solver *passages);
/* Moves whole quanta over the flooded edges, writes the pressures down and hides the faces. */
void rill_passages_transfer(const rill_passage_stage *stage, rill_passage_report *report);

/* --------------------------------------------------------------------------------------------------------- repair.c */

/* Repairs the columns of all nodes. Returns whether more stood above a ceiling than counts as full. Adds what found no
 * room, and was taken out of the columns, to `*refused`. */
bool rill_passages_repair(rill_flow *flow, int64_t *refused);
/* Repairs all columns under ceilings, where there was no memory for nodes: full columns block in this sub-step, and are
 * searched again in the next. */
void rill_passages_repair_unsolved(rill_flow *flow, int64_t *refused);

#endif
