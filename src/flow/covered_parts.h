/* What the files of the covered stage share.
 *
 *   covered_memory.c   working memory, as much as the ceilings of the bed and the nodes ask for
 *   covered_find.c     which columns may be covered: nodes, and the faces and pipes between them
 *   covered_kernels.c  loops over nodes and edges
 *   covered_shares.c   these loops on all threads
 *   covered.c          the active set: who is a member, with which pressure
 *   covered_guess.c    who will be a member, about
 *   covered_islands.c  members that are joined with each other: solving for their pressures
 *   straight.c         the paper's extended pipes instead
 *   covered_move.c     whole quanta over covered faces; hiding and restoring them
 *   covered_repair.c   what stands above a ceiling after that
 *
 * A *node* is a column that has to do with pressures, an *edge* a face or a sparse pipe between two nodes. Both are numbered in
 * the order in which they are found, so that all costs what there is to do and nothing else, however it is spread over
 * the bed:
 *
 *     inner node   has a ceiling and may be a member: all of its faces and pipes that are open are edges
 *     outer node   stands beside an inner one. It becomes an inner node when it would overfill
 *
 * All neighbours of members that have a ceiling are inner nodes. Node 0 and edge 0 stand for nothing: no column, no face. */
#ifndef RILL_FLOW_COVERED_PARTS_H
#define RILL_FLOW_COVERED_PARTS_H

#include "flow/covered_kernels.h"
#include "flow/sparse.h"
#include "solve/poisson.h"
#include "solve/skyline.h"

/* A tile with a ceiling in it. What is said of looks is known of those that are listed. */
typedef struct rill_covered_tile {
    int32_t tile, sheet, tx, ty;
    bool awake;                  /* when it was last looked at */
    bool taken;                  /* its columns are nodes */
    uint8_t looked[RILL_TILE_W]; /* what was seen then (rill_covered_kernels.look) */
} rill_covered_tile;

/* Members that are joined with each other and no others: `count` nodes of the order, from `first` on. */
typedef struct rill_covered_island {
    int32_t first, count;
    bool sealed; /* nothing leads out: pressure is only known up to a constant */
    bool large;  /* too large to be solved directly */
} rill_covered_island;

/* Nodes whose members are guessed, by place in their list (covered_guess.c). */
typedef struct rill_covered_guess {
    int32_t count;
    int32_t *node;
    rill_guess_nodes at;
} rill_covered_guess;

typedef struct rill_covered {
    const rill_covered_kernels *kernels;
    const rill_runtime *runtime; /* of this sub-step, and its pool */
    rill_pool *workers;

    int32_t node_count, node_capacity;
    rill_covered_nodes nodes;
    rill_covered_edges faces, pipes;
    int32_t *node_of; /* per column: its node if it is positive; else -port of a column with sparse pipes, or 0 */
    int32_t *queue;   /* nodes */
    int32_t *pool;    /* per node: the first of those inner nodes that it is joined with */
    uint8_t *marks;   /* per node, RILL_NODE_... */
    uint8_t *member;  /* per node: it was one when islands were found */
    rill_covered_guess guess;

    int32_t island_count;
    rill_covered_island *islands; /* capacity: nodes */
    int32_t *order;               /* members, island by island, outwards in each */
    int32_t *island_of;           /* per node: its island; -1 for none */
    int32_t *number;              /* per node: its place in its island, or in the guess */
    int32_t *slot;                /* per node: in the problem of large islands; -1 for others */
    bool islands_hold;            /* members are those they were found for */
    int32_t searched_nodes, searched_faces, searched_pipes; /* how many there were when they were found */
    bool laid;            /* those that are too large to be solved directly have their slots */
    rill_skyline *sky;    /* for one island at a time */
    rill_poisson poisson; /* for those that are too large for that */

    /* Sparse pipes by the columns they end at: those of port i, counted from 1, are port_pipes[port_first[i]] to [i + 1]. */
    int32_t port_count;
    int32_t *port_first, *port_place, *port_pipes;
    bool ports_due; /* pipes are others than when they were listed */

    int32_t tile_count; /* with a ceiling in them */
    rill_covered_tile *tiles;
    int32_t listed_count;
    int32_t *listed;  /* of these, where columns are flooded or may be */
    uint8_t *seen;    /* per column: the repair has come by; zero between searches */
    int32_t *path;    /* columns of such a search */
    int32_t *nearly;  /* per tile of the bed: fifteen sixteenths of the least height under a ceiling; 0 if not known */
    uint8_t *beside;  /* per tile of the bed: some column of it or of a tile around it is flooded */
    uint8_t *roofed;  /* per tile of the bed: it is one of those with a ceiling */
    uint8_t *flooded; /* per tile of the bed: how many columns are (rill_covered_note) */
    int32_t bed_tiles, bed_places, tile_capacity, pipe_capacity, path_capacity;
    rill_allocator allocator; /* for nodes, edges and what solves for them */
    bool unready;             /* columns were flooded otherwise than by the flow: there may be more nodes than ever */
    bool starved;             /* there was no memory for the nodes of this step: nothing has been solved for */
    bool hold;                /* the nodes may be those of the next sub-step too */
    bool as_looked;           /* they are those that the last look found, and no others */
    bool some_sealed;         /* some member had no way out when it was read */
} rill_covered;

enum {
    RILL_NODE_UNSETTLED = 1,
    RILL_NODE_RESTLESS = 2
}; /* became a member or none; first of a pool that may not rest */

static inline bool rill_covered_roofed(const rill_covered *covered, int32_t node) {
    return covered->nodes.fill[node] > RILL_NO_ROOF / 2;
}

/* Whether a face or a pipe has had a member at an end in this sub-step. */
static inline bool rill_edge_covered(const rill_covered *covered, const rill_covered_edges *edges, int32_t i) {
    return covered->nodes.ever[edges->l[i]] | covered->nodes.ever[edges->r[i]];
}

/* The node at the other end. */
static inline int32_t rill_edge_other(const rill_covered_edges *edges, int32_t i, int32_t node) {
    return edges->l[i] == node ? edges->r[i] : edges->l[i];
}

/* Loops over the pipes of a node: edges of `pipes`. */
#define EACH_PIPE(covered, node, edge)                                                                                 \
    for (int32_t half_ = (covered)->nodes.pipe[node], edge = half_ / 2; half_ > 0;                                     \
         half_ = (covered)->pipes.next[half_], edge = half_ / 2)

/* Gives a column its place in the pressure plane: the door to it in a step, where `flooded` is to count it. */
static inline void rill_covered_note(rill_flow *flow, int32_t place, int32_t tile, int32_t code) {
    flow->covered->flooded[tile] += (uint8_t)((code != 0) - (flow->pressure[place] != 0));
    flow->pressure[place] = code;
}

/* The planes that nodes and faces are read from and written to. */
static inline rill_covered_columns rill_covered_planes(const rill_flow *flow) {
    return (rill_covered_columns){ rill_flow_bases(flow), flow->bed->c, flow->H, flow->pressure, flow->u, flow->v };
}

/* Whether a column lies outside of the domain. */
static inline bool rill_covered_ghost(const rill_bed *bed, int32_t place) {
    int32_t x, y;
    const rill_sheet *sheet = rill_bed_sheet_of(bed, place, &x, &y);
    return x < sheet->x0 || x >= sheet->x0 + sheet->nx || y < sheet->y0 || y >= sheet->y0 + sheet->ny;
}

/* What all functions of a sub-step work on. */
typedef struct rill_covered_stage {
    rill_flow *flow;
    const rill_flow_settings *settings;
    const rill_kernel_constants *constants;
} rill_covered_stage;

/* What a loop over nodes or edges works with, as far as it needs it. */
typedef struct rill_covered_work {
    const rill_covered *covered;
    const rill_covered_edges *edges;
    const rill_kernel_constants *constants;
    rill_covered_columns planes;
    double bound; /* quanta */
    float paper;  /* the opening in paper mode; 0 otherwise */
} rill_covered_work;

/* Works on what is numbered [from, to); returns bits, RILL_COVERED_... */
typedef int32_t rill_covered_loop(const rill_covered_work *work, int32_t from, int32_t to);

/* covered_shares.c. Runs a loop on all threads if that pays; what its parts return is or-ed. */
int32_t rill_covered_share(const rill_covered *covered, int32_t from, int32_t to, rill_covered_loop *loop,
                           const rill_covered_work *work);

/* covered_memory.c. Sees to it that there is room for so many nodes, faces or pipes; what they hold is kept. False without
 * memory. */
bool rill_covered_room_for_nodes(rill_covered *covered, int32_t count);
bool rill_covered_room_for_edges(rill_covered *covered, rill_covered_edges *edges, int32_t count);
/* The same for what stands for nothing, and for what solves islands directly: all that it takes before the first node is made,
 * so that nothing is asked for while nothing is flooded, and no solve asks for more where nothing more is flooded. */
bool rill_covered_room_to_begin(rill_covered *covered);
/* The same for large islands; what is in there may go. */
bool rill_covered_room_for_problem(rill_covered *covered, const rill_poisson_size *size);

/* covered_islands.c. All are looked at as if they had just been found. */
void rill_covered_renew_islands(rill_covered *covered);

/* covered_find.c. Forgets all nodes. */
void rill_covered_clear(rill_covered *covered);
/* Finds the nodes and reads them; false if there are none, or no memory. */
bool rill_covered_find(const rill_covered_stage *s);
/* Takes in what has a ceiling beside the `count` nodes in the queue, and reads, drives and opens what is new. False without
 * memory. */
bool rill_covered_surround(const rill_covered_stage *s, int32_t count);

/* covered.c. Openings and what crosses for the pressures as they are, from these edges on. */
void rill_covered_open(const rill_covered_stage *s, int32_t first_face, int32_t first_pipe);
/* How much above full every inner node would end with what crosses now, into `f`. */
void rill_covered_find_excess(const rill_covered *covered);
/* What crosses, with openings as they are; true if these are not the donors' any more. */
bool rill_covered_flow(const rill_covered *covered);
/* What covered faces change in every node, into `f`. RILL_COVERED_OVER: that would overfill one; RILL_COVERED_SHORT: one would give more
 * over its covered edges than it has. */
int32_t rill_covered_change(const rill_covered *covered);

/* covered_guess.c. Members and pressures as they will be, about, and what crosses then; if all would end full but for `tolerance`
 * (quanta), that is enough. Looks at unsettled pools. False, and nothing is changed, if it sees no other members than there are; new ones
 * are listed in the queue. */
bool rill_covered_guess_members(const rill_covered_stage *s, double tolerance, int32_t *added);

/* covered_islands.c. Finds the islands of members. Returns whether some are sealed. */
bool rill_covered_find_islands(rill_covered *covered);
/* Finds the corrections `x` of the pressures that take `f` away, in all islands where some of it is more than `tolerance`. Returns the iterations;
 * -1 without memory. */
int32_t rill_covered_solve_islands(rill_covered *covered, bool scalar, double tolerance, int32_t most);
/* Nothing can leave sealed islands: what is too much in all of one together has no solution and is left out of f. */
void rill_covered_balance_sealed(rill_covered *covered);
/* The least pressure of each becomes zero. */
void rill_covered_lower_sealed(rill_covered *covered);
/* One that holds less than it takes to be full (a sink is in it) gets a free surface, where its pressure is least. Whether there
 * was any. */
bool rill_covered_vent_sealed(rill_covered *covered);

/* covered_move.c. Slows what leaves columns over covered edges to what they have; q must be up to date. */
void rill_covered_limit(rill_covered *covered);
/* Moves whole quanta over the covered edges, notes the pressures and hides the faces. */
void rill_covered_transfer(const rill_covered_stage *s, rill_covered_report *report);

/* covered_repair.c. Carries on what stands above a ceiling; whether that was more than counts as full. Adds what found no room,
 * and was taken out of the columns, to `*refused`. */
bool rill_covered_repair(rill_flow *flow, int64_t *refused);
/* The same where there was no memory for nodes: full columns block in this sub-step, and are looked at again in the
 * next. */
void rill_covered_forgo(rill_flow *flow, int64_t *refused);

#endif
