/* What the files of the covered stage share.
 *
 *   covered_memory.c   working memory, as much as the ceilings of the bed and the windows ask for
 *   covered_windows.c  which columns may be covered: windows of cells, as patches of the pressure problem
 *   covered_margins.c  how far these reach
 *   covered_strips.c   which of their nodes matter
 *   covered_read.c     what these start from
 *   covered_kernels.c  loops over the faces and nodes of a window
 *   covered_shares.c   the same on several threads
 *   covered_faces.c    the faces of nodes, dense and sparse
 *   covered.c          the active set: who is a member, with which pressure
 *   covered_guess.c    who will be a member, about
 *   covered_fronts.c   which columns are none and move with them all the same
 *   covered_sealed.c   members from which nothing leads out
 *   straight.c         the paper's extended pipes instead
 *   covered_move.c     whole quanta over covered faces; hiding and restoring them
 *   covered_repair.c   what stands above a ceiling after that
 *   covered_rims.c     members that come to the rims of their windows
 *
 * A *node* is a column of a window. Planes of the stage are indexed by node as those of the pressure problem are, padding
 * included: the west and south faces of a node have its index. Only columns with a ceiling inside the window's outermost ring may become
 * members, so that every face of a member has a node at both ends.
 *
 * Windows around rings and bends are mostly empty: solid, or under open sky. Kernels therefore work on *strips* of a window, which hold all
 * nodes that may be members before windows are laid again, and those beside them. All others are as padding is. */
#ifndef RILL_FLOW_COVERED_PARTS_H
#define RILL_FLOW_COVERED_PARTS_H

#include "flow/guess_kernels.h"
#include "flow/scratch.h"

/* A rectangle of cells of one sheet. */
typedef struct rill_window {
    const rill_sheet *sheet;
    int32_t column, row; /* of node (0, 0), counted with the ghosts */
    int32_t nx, ny;
    int32_t place;                    /* plane index of node (0, 0) */
    int32_t node, stride;             /* node (0, 0), and nodes per row */
    int32_t group;                    /* its tiles' group */
    bool whole;                       /* all tiles in it are of that group */
    int32_t first_strip, strip_count; /* the first of its strips, and how many there are */
    uint64_t due, beyond; /* bands of rows (covered_fronts.c): to be looked at; with columns that overfill */
    int32_t low, high;    /* in the end: from which to which row some face is covered */
} rill_window;

/* A rectangle of a window: rows of n nodes, a multiple of RILL_COVERED_UNIT, from (x, y) on. */
typedef struct rill_strip {
    int32_t x, y, n, rows;
} rill_strip;

/* What is known of a block of nodes (covered_strips.c). */
enum {
    RILL_BLOCK_FILLS = 1,   /* columns in it may be members */
    RILL_BLOCK_MATTERS = 16 /* or those beside it may */
};

/* A sparse pipe of which an end may be a member. */
typedef struct rill_joint {
    int32_t pipe, node_l, node_r; /* node: -1 where nothing matters */
} rill_joint;

/* Members side by side, each joined with the next: nodes [from, to). */
typedef struct rill_member_run {
    int32_t from, to;
} rill_member_run;

/* Such a pipe in a sub-step. */
typedef struct rill_covered_pipe {
    int32_t pipe, node_l, node_r;
    rill_covered_ends ends;
    rill_covered_face face;
    float reach;
    double q;
    int32_t t;
    bool run;   /* straight.c: it belongs to a run */
    bool noted; /* covered_fronts.c: that it is covered is known */
} rill_covered_pipe;

enum { RILL_WINDOW_MARGIN = 5 }; /* cells around the columns in question, at most */

/* The columns of a tile that may be covered, as a range of cells of the sheet, ghosts counted. */
typedef struct rill_tile_box {
    int32_t tile, sheet, tx, ty;
    int32_t x0, x1, y0, y1;
    int32_t parent; /* in the forest of groups */
    int32_t window; /* of a root: its window, or -1 */
    bool awake;     /* the tile is simulated: it is not asleep, nor dry and out of reach */
    bool live;      /* of a root: some tile of the group is */
} rill_tile_box;

typedef struct rill_covered {
    rill_poisson poisson; /* of pressure corrections; `active` are the members */
    int32_t window_count, strip_count;
    rill_window *windows;
    rill_strip *strips;
    uint8_t *blocks; /* per RILL_COVERED_UNIT nodes */
    int32_t joint_count;
    rill_joint *joints; /* capacity: all sparse pipes */
    const rill_covered_kernels *kernels;
    const rill_runtime *runtime; /* of this sub-step, and its pool */
    rill_pool *pool;
    rill_covered_nodes nodes;       /* `active` is the pressure problem's */
    rill_covered_faces west, south; /* `w` are the pressure problem's weights */
    rill_guess guess;               /* of all windows, of which both colours are in x[0] */
    int32_t *queue;                 /* nodes */
    rill_member_run *runs;          /* of all windows, in order */
    int32_t *components;            /* per run: its parent, or OPEN or CLOSED for a root; roots are components */
    double *tally;                  /* per component */
    int32_t pipe_count;
    rill_covered_pipe *pipes; /* capacity: all sparse pipes */

    int32_t tile_count; /* with a ceiling in them */
    int32_t *group;     /* per tile of the bed: window + 1 of the columns that may be covered in it; 0 none */
    uint8_t *seen;      /* per column: the repair has come by; zero between searches */
    int32_t *path;      /* columns of such a search; between solves, those asked for */
    int32_t asked;      /* columns that windows have to reach, whether or not they look like it */
    int32_t *nearly;  /* per tile of the bed: fifteen sixteenths of the least height under a ceiling; 0 if not known */
    uint8_t *beside;  /* per tile of the bed: some column of it or of a tile around it is flooded */
    uint8_t *roofed;  /* per tile of the bed: it is one of those */
    uint8_t *flooded; /* per tile of the bed: some column is */
    uint8_t *kept;    /* those, while windows are laid beforehand */
    rill_tile_box *boxes; /* per tile with a ceiling */
    int32_t listed_count;
    int32_t *listed;    /* boxes with columns that may be covered, ascending */
    int32_t node_limit; /* nodes that are enough for this bed: windows must not depend on what there was before */
    int32_t bed_tiles, bed_places, tile_capacity, pipe_capacity, path_capacity;
    rill_allocator allocator; /* for planes of nodes, of which the pressure problem knows how many there are */
    bool unready;     /* columns were flooded otherwise than by the flow: windows may be larger than ever */
    bool starved;     /* there was no memory for the windows of this step: nothing has been solved for */
    bool hold;        /* the windows may be those of the next sub-step too */
    bool spreads;     /* members have outgrown their windows in this step: look further */
    bool woken;       /* some flooded tile that was asleep has become part of a window */
    bool some_sealed; /* some member had no way out in the last sub-step */
    bool marked;      /* `sealed` of some nodes is not 0 */
} rill_covered;

/* Loops over the nodes of all windows. */
#define EACH_NODE(covered, n)                                                                                          \
    for (int32_t w_ = 0; w_ < (covered)->window_count; ++w_)                                                           \
        for (int32_t y_ = 0; y_ < (covered)->windows[w_].ny; ++y_)                                                     \
            for (int32_t n = (covered)->windows[w_].node + y_ * (covered)->windows[w_].stride,                         \
                         e_ = n + (covered)->windows[w_].nx;                                                           \
                 n < e_; ++n)

static inline bool rill_covered_roofed(const rill_covered *covered, int32_t node) {
    return covered->nodes.fill[node] > RILL_NO_ROOF / 2;
}
/* The ceiling of a node's column for the time being, if it is one that may be a member; else the bed's. */
static inline int32_t rill_covered_ceiling(const rill_covered *covered, int32_t node, int32_t bed) {
    return node >= 0 && rill_covered_roofed(covered, node) ? covered->nodes.c[node] : bed;
}
static inline bool rill_covered_member(const rill_covered *covered, int32_t node) {
    return node >= 0 && covered->nodes.active[node] > 0.0f;
}

static inline double rill_covered_pressure(const rill_covered *covered, int32_t node) {
    return node >= 0 ? covered->nodes.pi[node] : 0.0;
}

/* Whether a sparse pipe has had a member at an end in this sub-step. */
static inline bool rill_covered_pipe_covered(const rill_covered *covered, const rill_covered_pipe *pipe) {
    return (pipe->node_l >= 0 && covered->nodes.ever[pipe->node_l]) ||
           (pipe->node_r >= 0 && covered->nodes.ever[pipe->node_r]);
}

/* The planes from a column on. */
static inline rill_covered_columns rill_covered_columns_at(const rill_flow *flow, int32_t place) {
    return (rill_covered_columns){ rill_flow_bases(flow) + place, flow->bed->c + place, flow->H + place,
                                   flow->pressure + place,        flow->u + place,      flow->v + place };
}

/* The planes from a node on. */
static inline rill_covered_nodes rill_covered_nodes_at(const rill_covered *covered, int32_t node) {
    const rill_covered_nodes *all = &covered->nodes;
    return (rill_covered_nodes){ all->b + node,    all->c + node,      all->H + node,      all->pi + node,
                                 all->last + node, all->before + node, all->active + node, all->fill + node,
                                 all->was + node,  all->ever + node,   all->sealed + node };
}
static inline rill_covered_faces rill_covered_faces_at(const rill_covered_faces *all, int32_t node) {
    return (rill_covered_faces){ all->u + node,     all->base + node, all->gain + node, all->head + node,
                                 all->reach + node, all->w + node,    all->q + node,    all->t + node };
}

/* Whether a column lies outside of the domain. */
static inline bool rill_covered_ghost(const rill_bed *bed, int32_t place) {
    int32_t x, y;
    const rill_sheet *sheet = rill_bed_sheet_of(bed, place, &x, &y);
    return x < sheet->x0 || x >= sheet->x0 + sheet->nx || y < sheet->y0 || y >= sheet->y0 + sheet->ny;
}

static inline bool rill_covered_overlap(const rill_window *a, const rill_window *b) {
    return a->sheet == b->sheet && a->column < b->column + b->nx && b->column < a->column + a->nx &&
           a->row < b->row + b->ny && b->row < a->row + a->ny;
}

/* A strip as the kernels want it; one as wide as its window, padding included, is a single run. */
typedef struct rill_covered_run {
    int32_t node;
    rill_covered_area at;
    rill_covered_nodes nodes;
    rill_covered_faces west, south;
} rill_covered_run;
static inline rill_covered_run rill_covered_run_of(const rill_covered *covered, const rill_window *w,
                                                   const rill_strip *strip) {
    const int32_t node = w->node + strip->y * w->stride + strip->x;
    const bool whole = strip->n == w->stride;
    return (rill_covered_run){ .node = node,
                               .at = { whole ? strip->n * strip->rows : strip->n, whole ? 1 : strip->rows, w->stride },
                               .nodes = rill_covered_nodes_at(covered, node),
                               .west = rill_covered_faces_at(&covered->west, node),
                               .south = rill_covered_faces_at(&covered->south, node) };
}

/* Loops over the strips of a window. */
#define EACH_STRIP(covered, w, strip)                                                                                  \
    for (const rill_strip *strip = (covered)->strips + (w)->first_strip;                                               \
         strip < (covered)->strips + (w)->first_strip + (w)->strip_count; ++strip)
/* The same over the first nodes of its blocks that matter, row by row. */
#define EACH_BLOCK(covered, w, first)                                                                                  \
    for (int32_t first = (w)->node; first < (w)->node + (w)->ny * (w)->stride; first += RILL_COVERED_UNIT)             \
        if ((covered)->blocks[first / RILL_COVERED_UNIT] & RILL_BLOCK_MATTERS)

/* covered_shares.c. A sub-step begins: with which kernels, and on which threads. */
void rill_covered_begin(rill_covered *covered, const rill_flow_settings *settings);
/* What is done to the nodes of a run; it writes these alone, and returns bits of a verdict. */
typedef int32_t rill_covered_work(const void *context, const rill_covered_run *run);
/* Works on all strips of all windows, or of one, on several threads if there are many nodes. Returns the bits of all
 * verdicts. */
int32_t rill_covered_share(const rill_covered *covered, rill_covered_work *work, const void *context);
int32_t rill_covered_share_window(const rill_covered *covered, const rill_window *w, rill_covered_work *work,
                                  const void *context);

/* covered_memory.c. Sees to it that there are planes for windows of this size; what they hold may go. False without
 * memory: then there are none. */
bool rill_covered_make_nodes(rill_covered *covered, const rill_poisson_size *want);

/* covered_windows.c. Lays the windows and reads their nodes; false if there are none. */
bool rill_covered_find(rill_flow *flow, const rill_kernel_constants *constants);
/* covered_margins.c. The window around columns of a sheet, without nodes yet. */
rill_window rill_covered_surround(const rill_flow *flow, const rill_sheet *sheet, const rill_tile_box *box);
/* covered_strips.c. Lays the strips of all windows, and lists their joints. */
void rill_covered_lay_strips(rill_flow *flow);
/* covered_read.c. Reads the columns of all windows; `again`: the windows are those of the last sub-step. */
void rill_covered_read(rill_flow *flow, bool again);
/* Gives nodes the ceilings that rise (rising.h) where they are for the time being; or, once all has moved, where the bed has
 * them. */
void rill_covered_hold_rising(const rill_flow *flow, bool held);
/* The node of a column, or -1 if it lies in no window or does not matter there. */
int32_t rill_covered_node_of(const rill_covered *covered, int32_t place, int32_t tile);
/* The plane index of a node's column, and the window it is in. */
int32_t rill_covered_place(const rill_window *window, int32_t node);
const rill_window *rill_covered_window(const rill_covered *covered, int32_t node);
/* The nodes beyond the open dense faces of a node inside its window's outermost ring. */
typedef struct rill_covered_neighbours {
    int32_t count;
    int32_t node[4];
} rill_covered_neighbours;
rill_covered_neighbours rill_covered_near(const rill_bed *bed, const rill_window *window, int32_t node);

/* covered_sealed.c. Finds the components of members from which no open face leads out, into `sealed`: the problem is singular
 * there. Returns whether there are any. */
bool rill_covered_find_sealed(rill_covered *covered);
/* Nothing can leave them: what is too much in all of one together has no solution and is left out of f. */
void rill_covered_balance_sealed(rill_covered *covered);
/* The least pressure of each becomes zero. */
void rill_covered_lower_sealed(rill_covered *covered);
/* One that holds less than it takes to be full (a sink is in it) gets a free surface, where its pressure is least. Whether there
 * was any. */
bool rill_covered_vent_sealed(rill_covered *covered);

/* covered_rims.c. Once it is known what covered faces change: whether a pipe that leads out of the windows would overfill a
 * column. */
bool rill_covered_crowded(const rill_covered *covered);
/* Asks for windows that reach columns which pipes may fill, beside flooded ones. */
void rill_covered_ask_over_pipes(rill_flow *flow);
/* Asks for windows in which all columns that would overfill may be members. False if that is in vain. */
bool rill_covered_ask(rill_flow *flow);
/* Windows have been laid that reach what was asked for. */
void rill_covered_forget_asked(rill_flow *flow);

/* covered_faces.c */
typedef struct rill_covered_stage {
    rill_flow *flow;
    const rill_flow_settings *settings;
    const rill_kernel_constants *constants;
} rill_covered_stage;

/* Pipes that leave the windows hold their nodes: not those listed now any more. */
void rill_covered_forget_extras(rill_covered *covered);
/* Faces as the sub-step finds them, and the sparse pipes with an end in a window. */
void rill_covered_drive_faces(const rill_covered_stage *s);
/* Openings and what crosses for the pressures as they are. */
void rill_covered_open_faces(const rill_covered_stage *s);
/* What crosses, with openings as they are; true if these are not the donors' any more. */
bool rill_covered_flow_faces(const rill_covered_stage *s);
/* How much above full every column would end with what crosses the faces now, into f. */
void rill_covered_find_excess(rill_covered *covered);
/* Whether some column would give more over its covered faces than it has. */
bool rill_covered_drains(const rill_covered *covered);

/* covered_guess.c. Members and pressures as they will be, about, and what crosses then; if all would end full but for `tolerance`
 * (quanta), that is enough. False, and nothing is changed, if it sees no other members than there are. */
bool rill_covered_guess_members(const rill_covered_stage *s, double tolerance);

/* covered_fronts.c. Once the pressures are known: covers all faces of columns that covered ones would overfill. Leaves what
 * these change in f; returns whether that would overfill a column that cannot be a member. */
bool rill_covered_cover_fronts(rill_covered *covered);

/* covered_move.c. Slows what leaves columns over covered faces to what they have; q must be up to date. */
void rill_covered_limit(rill_flow *flow);
/* Moves whole quanta over the covered faces, notes the pressures and hides the faces. */
void rill_covered_transfer(rill_flow *flow, const rill_kernel_constants *constants, rill_covered_report *report);

/* covered_repair.c. Carries on what stands above a ceiling; whether that was more than counts as full. Adds what found no room,
 * and was taken out of the columns, to `*refused`. */
bool rill_covered_repair(rill_flow *flow, int64_t *refused);
/* The same where there was no memory for windows: full columns block in this sub-step, and are looked at again in the
 * next. */
void rill_covered_forgo(rill_flow *flow, int64_t *refused);

#endif
