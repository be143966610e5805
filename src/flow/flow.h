/* The flow: what moves over the bed. State is 12 bytes per column (H, u, v) beside the bed's 8 (b, c).
 *
 * Based on: Dagenais et al. 2018 sections 3.1-3.2 (virtual pipes, height-aware viscosity), Mei et al. 2007 (outflow
 * limiter), Kellomaki 2014 (inflow limiter), Stelling & Duinmeijer 2003 (momentum advection). A sub-step first MOVES
 * whole quanta with the stored velocities, then ADVECTS and DRIVES the velocities with the depths just reached: no flux
 * is stored, and advection is a convex combination that can never raise the largest speed.
 *
 * Symbols: b base, H depth, h = b + H level, c ceiling, u/v velocity through the west/south face, q volume over a face
 * in quanta (real), t the same as whole quanta, zb sill, zt lintel of a face, nu viscosity, dx cell size, q_m
 * quantum. */
#ifndef RILL_FLOW_FLOW_H
#define RILL_FLOW_FLOW_H

#include "base/array.h"
#include "bed/bed.h"
#include "flow/in_transit.h"
#include "flow/parcels.h"
#include "flow/push.h"
#include "tasks/tasks.h"

/* Columns of at most this many quanta (4 nm at 2^-33 m) count as dry: whole quanta never quite drain a column. */
enum { RILL_DRY = 32 };

/* The state of a tile. AWAKE: something in it moves or may move. REACH: it does so near that side. SWEPT: awake, or
 * near enough to a tile that is for a disturbance to arrive before the next check. RESTLESS: a sparse pipe on it flows.
 * The bits above count the checks through which the tile has been calm. */
enum {
    RILL_TILE_AWAKE = 1 << 0,
    RILL_TILE_SWEPT = 1 << 1,
    RILL_TILE_REACH_WEST = 1 << 2,
    RILL_TILE_REACH_EAST = 1 << 3,
    RILL_TILE_REACH_SOUTH = 1 << 4,
    RILL_TILE_REACH_NORTH = 1 << 5,
    RILL_TILE_RESTLESS = 1 << 6,
    RILL_TILE_CALM_ONE = 1 << 7,
    RILL_TILE_CALM_CHECKS = 48, /* calm for so many checks: asleep */
    RILL_TILE_WAKE_ALL = RILL_TILE_AWAKE | RILL_TILE_REACH_WEST | RILL_TILE_REACH_EAST | RILL_TILE_REACH_SOUTH |
                         RILL_TILE_REACH_NORTH |
                         ((1 << RILL_TILE_H) - 1) * RILL_TILE_CALM_ONE /* for rill_flow_wake_tile */
};

enum { RILL_TILE_ALL_ROWS = (1 << RILL_TILE_H) - 1 };

/* Rows are counted with the ghosts: row 0 of a sheet is y = y0 - 1, column 0 is x = x0 - 1 (bed.h: tiles include
 * ghosts). */
static inline int32_t rill_sheet_rows(const rill_sheet *sheet) {
    return sheet->ny + 2;
}
static inline int32_t rill_sheet_place(const rill_sheet *sheet, int32_t column, int32_t row) {
    return sheet->first + (row - 1) * sheet->stride + (column - 1);
}

typedef struct rill_flow rill_flow;
typedef struct rill_flow_scratch rill_flow_scratch;     /* flow/flow_internal.h */
typedef struct rill_sparse rill_sparse;                 /* flow/sparse.h */
typedef struct rill_passage_solver rill_passage_solver; /* passages/passages_internal.h */

/* Extremes over all columns after the last sub-step: they decide the next time step. */
typedef struct rill_flow_extent {
    int32_t depth; /* deepest column, quanta */
    int32_t level; /* highest level of a wet column, quanta */
    float speed;   /* largest |u| + |v| of the faces of a column that is not thin, with which it moved, m/s */
    float rush;    /* largest (|u| + |v|)^2 + g H of such a column: how fast waves go that it carries along, m2/s2 */
    float dash;    /* largest (|u| + |v|)^2 + 4 g H of such a column: the same where liquid outruns them */
} rill_flow_extent;

/* The larger of each. */
static inline void rill_flow_widen(rill_flow_extent *extent, const rill_flow_extent *other) {
    if (other->depth > extent->depth) extent->depth = other->depth;
    if (other->level > extent->level) extent->level = other->level;
    if (other->speed > extent->speed) extent->speed = other->speed;
    if (other->rush > extent->rush) extent->rush = other->rush;
    if (other->dash > extent->dash) extent->dash = other->dash;
}

struct rill_flow {
    const rill_bed *bed;
    const int32_t *lifted; /* plane: bases lifted by what bodies displace (bodies/bodies.h); NULL without bodies */
    int32_t *H;            /* plane: depth, quanta */
    float *u, *v;          /* planes: velocity through the west / south face, m/s */
    rill_push push;        /* what drives faces besides levels and gravity */
    int32_t *pressure; /* plane, NULL under open sky: 0, or how far a flooded column is under pressure (passages.h) */
    float *pipe_u;     /* sparse pipes: velocity from pipe_l to pipe_r, m/s */
    size_t pipe_capacity;   /* of pipe_u */
    uint16_t *tiles;        /* bits above, per tile */
    bool solves_passages;   /* flooded columns are solved for: what flows in beyond full is pushed on */
    bool tension;           /* it drives faces by both of their columns, so that those it comes to are swept, too */
    const int32_t *claimed; /* places with a ceiling that are solved for together with bodies, in this sub-step */
    int32_t claimed_count;
    int64_t pushed; /* quanta that sources and solids have put above ceilings in this sub-step, to be pushed on */
    rill_array
        expelled; /* rill_expelled: what solids have pressed out and the flow gets little by little (in_transit.h) */
    rill_array withdrawn; /* rill_withdrawn: what solids have withdrawn after them */
    rill_array openings;  /* rill_opening: room that ceilings make as they rise */
    bool stale;           /* tiles were woken since the spans to sweep were last made */
    uint64_t substep;     /* counter since the beginning: phase of the dither and of the tile checks */
    rill_flow_extent extent;
    rill_sparse *sparse;           /* what sparse pipes have at hand */
    uint8_t *busy;                 /* per tile: which of its rows hold anything wet or moving */
    rill_flow_scratch *scratch;    /* owns these two */
    rill_passage_solver *passages; /* NULL under open sky */
    rill_brinks *brinks;           /* NULL: nothing falls, what runs over an edge is below in the same sub-step */
};

/* The bases that levels stand on: base + H is the level of a column, and its head under a body. */
static inline const int32_t *rill_flow_bases(const rill_flow *flow) {
    return flow->lifted ? flow->lifted : flow->bed->b;
}

/* Returns the head by which fields push a column's west (axis 0) or south face, quanta. */
static inline int32_t rill_flow_face_push(const rill_flow *flow, int32_t place, int32_t axis) {
    return flow->push.on ? (axis ? flow->push.south : flow->push.west)[place] : 0;
}

/* Settings of a sub-step, which step.c derives from those of the world. */
typedef struct rill_flow_settings {
    double viscosity;
    double friction; /* omega, already resolved to the mode's default */
    rill_passages passages;
    bool paper, advection, rest, skip_idle, scalar;
    bool
        tension; /* levels that are joined are judged by tension, which marks tiles that are driven (waves/tension_rest.c) */
    const rill_runtime *runtime; /* who runs tasks, together with */
    rill_pool *pool;
} rill_flow_settings;

/* Whether a column is full and under pressure from its ceiling. Never compare its level with the ceiling instead. */
static inline bool rill_flow_flooded(const rill_flow *flow, int32_t place) {
    return flow->pressure && flow->pressure[place] != 0;
}

/* Makes the state, but for what solves for flooded columns. */
rill_result rill_flow_make(const rill_bed *bed, const rill_runtime *runtime, rill_flow *out, rill_message *message);
void rill_flow_free(rill_flow *flow, const rill_allocator *allocator);
/* Bytes of the state, with the planes of the bed it is swept together with. */
int64_t rill_flow_state_bytes(const rill_bed *bed);

/* Something other than the flow itself changed a column (fill, source, geometry, still edge): what it may disturb
 * before the next check must be swept. `place` is a plane index. */
void rill_flow_wake(rill_flow *flow, int32_t place);
/* Wakes a tile known beforehand, with the wake bits of all columns in question: what they reach, and above
 * RILL_TILE_CALM_ONE which rows of the tile they are in. */
void rill_flow_wake_tile(rill_flow *flow, int32_t tile, uint16_t bits);
/* Wakes a tile in which liquid has moved by itself: it stays as calm as it is, so that one that was asleep is so again
 * after the next check, unless it is driven then. Otherwise single quanta that pass through a flooded passage would
 * wake its tiles in turn. */
void rill_flow_touch_tile(rill_flow *flow, int32_t tile, uint16_t bits);
uint16_t rill_flow_wake_bits(const rill_bed *bed, int32_t place);
/* How liquid moves has changed: everything wet wakes. */
void rill_flow_wake_all(rill_flow *flow);
/* Nothing sleeps, dry columns neither. */
void rill_flow_wake_everything(rill_flow *flow);
/* Recomputes `extent` from all columns; after fills. */
void rill_flow_measure(rill_flow *flow, double gravity);
/* The state was loaded, tiles included: what is swept, and which pipes move, follows from it. */
void rill_flow_resume(rill_flow *flow);

#endif
