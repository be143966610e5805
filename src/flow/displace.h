/* DISPLACE: what happens to the liquid of columns that change under it.
 *
 * Volumes are whole quanta and none is lost. In a cell whose columns change, the liquid of an old column stays at its
 * height wherever there is still a void. What was where solid is now
 *   - is carried up, if liquid stands above that solid, or a floor rose under all of it (no higher above the old level
 *     than a cell is wide: a taller rise is a wall that came from the side);
 *   - else is pressed: it belongs to the void below, or to none.
 * A column that then holds more than fits, and liquid whose column is gone, is *displaced*: it goes to the nearest columns
 * with room, over open pipes on which liquid stands above the sill. Each takes no more than a quarter of what a pressed
 * column had too much, so that there is a swell and no tower. If that is not enough they are filled further, then sills
 * are ignored. Only what is enclosed and full is squeezed through solids, to the nearest room above and around. */
#ifndef RILL_FLOW_DISPLACE_H
#define RILL_FLOW_DISPLACE_H

#include "base/memory.h"
#include "bed/update.h"
#include "flow/flow.h"

/* Too much liquid: of a column, or of an old one that is gone. */
typedef struct rill_excess {
    int64_t amount;
    int32_t node;
    bool done; /* it has been dealt with */
} rill_excess;

/* A node is a place, or the plane's size plus the number of an old column. */
typedef struct rill_displace_spot {
    int32_t node, x, y;
} rill_displace_spot;

typedef struct rill_displace {
    rill_array old_H;   /* int32_t: depths of the old columns */
    rill_array amounts; /* int64_t: of the new ones */
    rill_array excess;  /* rill_excess */
    rill_array queue;   /* rill_displace_spot: all nodes at most */
    rill_array takers;  /* int32_t: places with room that were reached */
    int32_t *entry_of;  /* per node: number in `excess` + 1 */
    uint8_t *seen;      /* per node */
    size_t node_capacity;
    bool any_gone; /* some excess is of a column that is gone */
    bool squeezed; /* something went through solids */
} rill_displace;

rill_displace rill_displace_make(void);
void rill_displace_free(rill_displace *displace, const rill_allocator *allocator);

/* Takes the memory that may be needed. RILL_INVALID_STATE: nowhere in the bed is there room for the liquid. The bed has
 * its new columns, the flow the depths of the old ones. `slack` quanta below a ceiling are not filled. */
rill_result rill_displace_prepare(rill_displace *displace, const rill_flow *flow, const rill_update *update,
                                  int32_t slack, const rill_allocator *allocator, rill_message *message);
/* Gives the new columns their depths and displaces what does not fit. Wakes the columns it flows to. */
void rill_displace_run(rill_displace *displace, rill_flow *flow, const rill_update *update, int32_t slack);

/* What displace.c and settle.c share. */
typedef struct rill_displace_job {
    rill_displace *d;
    rill_flow *flow;
    const rill_bed *bed;
    const rill_update *update;
    int32_t slack;
} rill_displace_job;

bool rill_displace_reserve(rill_displace *d, const rill_flow *flow, const rill_update *update,
                           const rill_allocator *allocator);
/* What a column between b and c holds, and what it has room for; a ceiling leaves some slack. */
int32_t rill_displace_capacity(const rill_displace_job *j, int32_t b, int32_t c);
int32_t rill_displace_room(const rill_displace_job *j, int32_t place);
void rill_displace_set(const rill_displace_job *j, int32_t place, int32_t H);
/* Notes that a node has too much, once for each node; then all of it is displaced. */
void rill_displace_add(const rill_displace_job *j, int32_t node, int64_t amount);
void rill_displace_all(const rill_displace_job *j);

#endif
