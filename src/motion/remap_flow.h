/* The flow over a bed that changes: volumes, velocities, tiles and working memory follow an update of the bed's
 * columns.
 *
 * Preparing may fail, and changes nothing. Committing cannot: it moves the liquid (displace.h), keeps the velocities of
 * faces that are still between the same columns and the pressures of columns that are still full, stops all others, and
 * wakes the tiles of what changed. */
#ifndef RILL_MOTION_REMAP_FLOW_H
#define RILL_MOTION_REMAP_FLOW_H

#include "flow/sparse.h"
#include "motion/displace.h"

/* Working memory, kept from update to update. */
typedef struct rill_remap {
    rill_displace displace;
    rill_sparse sparse; /* of the bed's new pipes, once it is prepared */
    float *pipe_u;      /* their velocities */
    size_t pipe_capacity;
    rill_passage_solver *passages; /* of the bed's new ceilings, once it is prepared */
    uint8_t *roofed;               /* per tile: which have one */
    size_t roofed_capacity;
    uint16_t *tile_marks; /* per tile; zero between updates */
    size_t tile_capacity;
    rill_array tiles; /* int32_t: those with a mark */
} rill_remap;

rill_remap rill_remap_make(void);
void rill_remap_free(rill_remap *remap, const rill_allocator *allocator);

/* Takes the memory for an update; the bed of the flow has its new columns already. */
rill_result rill_remap_prepare(rill_remap *remap, rill_flow *flow, const rill_update *update,
                               const rill_displace_how *how, const rill_allocator *allocator, rill_message *message);
/* Moves what the flow has to the new columns; cannot fail. */
void rill_remap_commit(rill_remap *remap, rill_flow *flow, const rill_update *update, const rill_displace_how *how,
                       const rill_allocator *allocator);

/* Gives a flow that was just made the state of another, whose bed has the same columns in other places; everything wet
 * wakes. RILL_OUT_OF_MEMORY: nothing was done. */
rill_result rill_flow_transfer(const rill_flow *from, rill_flow *to, const rill_allocator *allocator,
                               rill_message *message);

#endif
