/* LANDING: where liquid that comes down at a column comes to be. `rill_bed_find` says which column is below a point; this
 * says whether it is the column that gets it, or a body that is in it or over it (rill_bodies_landing). Sources ask here,
 * and whatever else comes from above. */
#ifndef RILL_FLOW_LANDING_H
#define RILL_FLOW_LANDING_H

#include "flow/column.h"

/* Bodies, for whom the flow knows nothing of them; NULL stands for none. */
typedef struct rill_landing {
    void *context;
    /* Says whether columns are their business. */
    bool (*concerns)(const void *context, int32_t place);
    /* Gives quanta to such a column or what is over it, or takes them from the column if they are negative. */
    void (*land)(void *context, rill_flow *flow, int32_t place, int32_t quanta);
    /* Says how fast quanta came down that such a column was given, m/s. */
    void (*strike)(void *context, int32_t place, int32_t quanta, const double velocity[3]);
} rill_landing;

/* Lets quanta come down at a column, or takes them from it if they are negative. There must be room for them. */
static inline void rill_land(const rill_landing *landing, rill_flow *flow, int32_t place, int32_t quanta) {
    if (landing && landing->concerns(landing->context, place))
        landing->land(landing->context, flow, place, quanta);
    else
        rill_column_exchange(flow, place, quanta);
}

#endif
