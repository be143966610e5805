/* Working memory of a sub-step, taken once: nothing is allocated while stepping. Nothing here survives a sub-step but the
 * spans to sweep, which follow from the tiles' state. */
#ifndef RILL_FLOW_SCRATCH_H
#define RILL_FLOW_SCRATCH_H

#include "flow/flow.h"
#include "flow/sparse_kernels.h"

#include <string.h>

/* Rows are counted with the ghosts: row 0 of a sheet is y = y0 - 1, column 0 is x = x0 - 1 (bed.h: tiles include ghosts). */
static inline int32_t rill_sheet_rows(const rill_sheet *sheet) {
    return sheet->ny + 2;
}
static inline int32_t rill_sheet_place(const rill_sheet *sheet, int32_t column, int32_t row) {
    return sheet->first + (row - 1) * sheet->stride + (column - 1);
}

enum { RILL_TILE_ALL_ROWS = (1 << RILL_TILE_H) - 1 };

/* The next tile of a row that is not dry and idle: large dry worlds are skipped four tiles at a time. */
static inline int32_t rill_tile_next(const uint16_t *row, int32_t tx, int32_t end) {
    for (; tx + 4 <= end; tx += 4) {
        uint64_t four;
        memcpy(&four, row + tx, sizeof four);
        if (four) break;
    }
    while (tx < end && !row[tx]) ++tx;
    return tx;
}

/* A run of columns of a row to sweep. */
typedef struct rill_span {
    int32_t from, count; /* columns, multiples of RILL_RUN */
    int32_t lintel;      /* below this level nothing in the run meets a ceiling; RILL_WALL: there is none */
} rill_span;

/* Depth and level of a tile that is not swept; see rill_flow_extent. */
typedef struct rill_idle {
    int32_t depth, level;
} rill_idle;

/* What crossed an edge, quanta. */
typedef struct rill_edge_flow {
    int64_t left, entered;
} rill_edge_flow;

/* The ghosts by rows: those of row r (all sheets counted through) are ghosts[first[r]] .. ghosts[first[r + 1] - 1]. */
typedef struct rill_edge_rows {
    int32_t *sheet_first; /* first row of each sheet; sheet_count + 1 */
    int32_t *first;
    rill_ghost *ghosts;
    size_t capacity; /* of ghosts */
} rill_edge_rows;

/* The west or south faces of a swept tile whose neighbour there is not swept: `rows` rows of `count` faces. */
typedef struct rill_frozen {
    float *face;
    int32_t count, rows, stride;
} rill_frozen;

/* A run of rows, all sheets counted through, that one task sweeps. */
typedef struct rill_band {
    int32_t from, to;
} rill_band;

enum { RILL_RING = 8 }; /* rows kept in flight by the sweep; a power of two */

/* A row in flight. Working memory is zero, factors 1, outside what the row's stages have written. */
typedef struct rill_slot {
    rill_row row;
    const rill_span *spans;
    int32_t span_count;
    int32_t level;   /* highest level of the row before it moves */
    int32_t settled; /* and the highest before or after */
    bool flagged;
    uint8_t *flags; /* per segment */
} rill_slot;

/* One task's rows in flight. */
typedef struct rill_ring {
    int32_t width, segments;
    float *memory;  /* of the slots */
    uint8_t *flags; /* likewise */
    rill_slot slots[RILL_RING];
    int32_t *halo_H; /* copies of the rows around a band that other tasks change: 5 below, 4 above */
    float *halo_u, *halo_v;
    rill_flow_extent extent;
    rill_edge_flow edges[4];
} rill_ring;

/* A sparse pipe with all it needs at hand; l is its west or south end. */
typedef struct rill_pipe {
    int32_t l, r; /* plane indices */
    int32_t bl, br, cl, cr;
    int32_t port_l, port_r; /* columns with sparse pipes, each counted once */
    int32_t tile_l, tile_r;
    uint16_t wake_l, wake_r; /* what waking the ends means for their tiles */
    int32_t beyond_r;        /* plane index of the face on r's far side; l's far face has l's own index */
    int32_t axis;            /* 0: along x, 1: along y */
} rill_pipe;

/* What a sparse pipe moves in a sub-step. */
typedef struct rill_transfer {
    int32_t pipe;
    int32_t donor, receiver; /* their ports */
    float q;                 /* quanta, from l to r positive */
    int32_t have, room; /* of the donor, of the receiver */
    bool scaled;        /* limited by one of them: q is whole */
} rill_transfer;

/* Consecutive pipes of which some are active. */
typedef struct rill_pipe_run {
    int32_t from, count;
} rill_pipe_run;

typedef struct rill_sparse {
    size_t capacity;         /* pipes; twice as many ports */
    rill_pipe *pipes;        /* bed->pipe_count of them */
    rill_pipe_arrays arrays; /* the same again, as kernels take them */
    int32_t *ints;           /* memory of the arrays */
    float *floats;
    int32_t *active; /* pipes with a swept tile at either end */
    int32_t active_count;
    rill_pipe_run *runs; /* all of them */
    int32_t run_count;
    rill_transfer *moving; /* of those: what flows in this sub-step */
    int32_t moving_count;
    int64_t *out, *in; /* per port: what flows out and in; zero between sub-steps */
} rill_sparse;

struct rill_flow_scratch {
    int32_t task_count; /* most tasks at once */
    rill_ring *rings;   /* per task */
    int32_t band_count; /* tasks that have something to sweep now */
    rill_band *bands;   /* per task */
    int32_t *lintel;    /* per tile: the lowest ceiling over it and its neighbours; RILL_WALL: open sky */
    bool *roofed;       /* per sheet: some tile has one */
    int32_t row_count;  /* rows of all sheets, counted through as in edges.sheet_first */
    int32_t *row_first; /* first span of each row; row_count + 1 */
    rill_span *spans;   /* capacity: RILL_TILE_H tile_count */
    uint8_t *busy;      /* per tile: which of its rows hold anything wet or moving */
    int32_t *swept;     /* the swept tiles of a tile row, and of each (by its place there) which rows must be swept */
    uint8_t *needed;
    rill_frozen *frozen; /* faces to stop before each sweep; capacity: 2 tile_count */
    int32_t frozen_count;
    uint8_t *columns;         /* per tile: columns in it, without ghosts */
    uint8_t *empty;           /* per tile: not even a ghost is in it */
    uint16_t *most;           /* per tile: the wake bits of all columns and ghosts in it */
    int64_t swept_columns;    /* columns of all swept tiles */
    rill_idle *tile_idle;     /* per tile: what stands in it since it left the sweep */
    rill_flow_extent idle;    /* over all tiles that are not swept */
    bool sweep_all, near_top; /* what the spans were made for: everything; liquid near the top of the range */
    rill_sparse sparse;
    rill_edge_rows edges;
};

rill_result rill_scratch_make(rill_flow *flow, const rill_runtime *runtime, rill_message *message);
void rill_scratch_free(rill_flow *flow, const rill_allocator *allocator);

/* What the bed says about a tile, and about sheets as a whole once all tiles are described. */
void rill_scratch_describe(rill_flow_scratch *scratch, const rill_bed *bed, int32_t sheet, int32_t tx, int32_t ty);
void rill_scratch_find_roofs(rill_flow_scratch *scratch, const rill_bed *bed);

/* The bed's sparse pipes with all they need, and velocities `u`; those that `from` (a number in `old`, or -1; NULL: all are new) says were there
 * before, and whose ends are not marked, are taken from `old`. `ports` is a plane of zeros and is so again. False, and
 * `sparse` as it was, without memory. */
bool rill_sparse_make(rill_sparse *sparse, const rill_bed *bed, float *u, const rill_sparse *old, const int32_t *from,
                      const uint8_t *marks, int32_t *ports, const rill_allocator *allocator);
void rill_sparse_free(rill_sparse *sparse, const rill_allocator *allocator);

/* Edges (edges.c). Restores the ghosts of a row whose depths begin at H (column 0) and adds what crossed to flows[4]. */
bool rill_edges_make(rill_edge_rows *rows, const rill_bed *bed, const rill_allocator *allocator);
void rill_edges_free(rill_edge_rows *rows, const rill_bed *bed, const rill_allocator *allocator);
/* Room for other ghosts, and dealing them out to the rows once they are there. */
bool rill_edges_reserve(rill_edge_rows *rows, const rill_bed *bed, const rill_allocator *allocator);
void rill_edges_deal(rill_edge_rows *rows, const rill_bed *bed);
void rill_edges_restore(const rill_flow *flow, const rill_sheet *sheet, int32_t row, int32_t *H, rill_edge_flow *flows);
/* The same for all ghosts, swept or not. */
void rill_edges_restore_all(const rill_flow *flow, rill_edge_flow *flows);

/* Tiles (tiles.c): decides which tiles sleep, when a check is due, and has the spans made anew where that changes them. */
void rill_tiles_update(rill_flow *flow, const rill_flow_settings *settings, const rill_kernel_constants *constants,
                       bool near_top);
/* As rill_flow_wake_bits, of a sheet's column and row. */
uint16_t rill_tile_wake_bits(int32_t column, int32_t row);
/* Spans (spans.c): what is swept, from the state of the tiles. */
void rill_spans_update(rill_flow *flow, bool everything, bool near_top);
/* Lists the sparse pipes with a swept tile at an end, when pipes or tiles have changed. */
void rill_spans_list_pipes(rill_flow *flow);
/* Stops the faces between swept tiles and others; before each sweep. */
void rill_spans_freeze(rill_flow *flow);
/* Dense sweep (sweep.c): moves, limits, deposits and drives all swept columns; adds what crossed the edges to flows[4]. */
void rill_sweep(rill_flow *flow, const rill_flow_settings *settings, const rill_kernel_constants *constants,
                rill_edge_flow *flows);
/* Sparse pipes (sparse.c): move before the sweep, drive after it. */
void rill_sparse_move(rill_flow *flow, const rill_flow_settings *settings, const rill_kernel_constants *constants);
void rill_sparse_drive(rill_flow *flow, const rill_flow_settings *settings, const rill_kernel_constants *constants);
/* Marks the tiles of pipes that flow or are driven as RESTLESS; before a check. */
void rill_sparse_unrest(rill_flow *flow, const rill_flow_settings *settings, const rill_kernel_constants *constants,
                        int32_t rest_head);

#endif
