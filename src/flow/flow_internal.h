/* Working memory of a sub-step, taken once: nothing is allocated while stepping. Nothing here survives a sub-step but
 * the spans to sweep, which follow from the tiles' state. */
#ifndef RILL_FLOW_FLOW_INTERNAL_H
#define RILL_FLOW_FLOW_INTERNAL_H

#include "flow/sparse.h"
#include "flow/stages.h"

#include <string.h>

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

/* Depth and level of a tile that is not swept; see rill_flow_extent. */
typedef struct rill_idle {
    int32_t depth, level;
} rill_idle;

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

struct rill_flow_scratch {
    int32_t task_count;  /* most tasks at once */
    rill_ring *rings;    /* per task */
    int32_t band_count;  /* tasks that have something to sweep now */
    rill_band *bands;    /* per task */
    int32_t *lintel;     /* per tile: the lowest ceiling over it and its neighbours; RILL_WALL: open sky */
    bool *roofed;        /* per sheet: some tile has one */
    int32_t row_count;   /* rows of all sheets, counted through as in edges.sheet_first */
    int32_t *row_first;  /* first span of each row; row_count + 1 */
    rill_span *spans;    /* capacity: RILL_TILE_H tile_count */
    uint64_t spans_made; /* how often */
    uint8_t *busy;       /* per tile: which of its rows hold anything wet or moving */
    int32_t *swept;      /* the swept tiles of a tile row, and of each (by its place there) which rows must be swept */
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

/* Note what the bed says about a tile, and, once all tiles are described, about sheets as a whole. */
void rill_scratch_describe(rill_flow_scratch *scratch, const rill_bed *bed, int32_t sheet, int32_t tx, int32_t ty);
void rill_scratch_find_roofs(rill_flow_scratch *scratch, const rill_bed *bed);

/* Brinks (brinks.c). A row in flight with those around it. */
typedef struct rill_row_place {
    const rill_slot *here, *south, *north;
    int32_t row; /* all sheets counted through */
    bool owned;  /* else it is a copy beside a task's band */
    bool last;   /* there is none to the north */
} rill_row_place;
/* Decides which brinks fall, before a sweep; lists the dense ones. */
void rill_brinks_choose(rill_flow *flow);
/* Decides it for one brink, and returns it. */
bool rill_brink_falls(const rill_flow *flow, rill_brink *brink);
/* Takes what falls out of the columns of a row that it was deposited in. */
void rill_brinks_take(const rill_flow *flow, const rill_row_place *place);
/* Give faces of a row that fall the velocity of a jet, as kernels give them to others. */
void rill_brinks_force(const rill_flow *flow, const rill_row_place *place, bool covered,
                       const rill_kernel_constants *constants);
void rill_brinks_drive(const rill_flow *flow, const rill_row_place *place, bool covered, bool advection,
                       const rill_kernel_constants *constants);
/* Adds what has fallen over a brink to what waits to become a parcel; and over all dense ones, after a sweep. */
void rill_brink_add(rill_brinks *brinks, rill_brink *brink, int32_t t, float u);
void rill_brinks_collect(rill_flow *flow);

/* Edges (edges.c). Restores the ghosts of a row whose depths begin at H (column 0) and adds what crossed to
 * flows[4]. */
bool rill_edges_make(rill_edge_rows *rows, const rill_bed *bed, const rill_allocator *allocator);
void rill_edges_free(rill_edge_rows *rows, const rill_bed *bed, const rill_allocator *allocator);
/* Room for other ghosts, and dealing them out to the rows once they are there. */
bool rill_edges_reserve(rill_edge_rows *rows, const rill_bed *bed, const rill_allocator *allocator);
void rill_edges_deal(rill_edge_rows *rows, const rill_bed *bed);
void rill_edges_restore(const rill_flow *flow, const rill_sheet *sheet, int32_t row, int32_t *H, rill_edge_flow *flows);
/* Returns how far west and south a disturbance may come before the next check, in columns. What tension drives at the far
 * face of the last of them goes into one more. */
static inline int32_t rill_flow_reach_back(const rill_flow *flow) {
    return RILL_TILE_CHECK + (flow->tension ? 1 : 0);
}

/* As rill_flow_wake_bits, of a sheet's column and row. */
uint16_t rill_tile_wake_bits(int32_t column, int32_t row);
/* Spans (spans.c): what is swept, from the state of the tiles. */
void rill_spans_update(rill_flow *flow, bool everything, bool near_top);
/* Lists the sparse pipes with a swept tile at an end, when pipes or tiles have changed. */
void rill_spans_list_pipes(rill_flow *flow);
/* Stops the faces between swept tiles and others; before each sweep. */
void rill_spans_freeze(rill_flow *flow);

#endif
