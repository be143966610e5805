/* Room that opens below ceilings which are lifted: see opening_ceilings.h. */
#include "motion/opening_ceilings.h"

#include <math.h>

#include "base/assert.h"
#include "base/order.h"
#include "base/sort.h"
#include "motion/motion_internal.h"
#include "motion/swept_volume.h"
#include "passages/passages.h"

static bool opening_before(const rill_opening *a, const rill_opening *b) {
    return a->place < b->place;
}
RILL_SORT(sort_openings, rill_opening, opening_before)

/* Asserts that openings are in order, below ceilings, and not over yet. */
static inline void check_openings(const rill_flow *flow) {
    const rill_opening *openings = flow->openings.data;
    RILL_ASSERT(flow->openings.count <= flow->openings.capacity);
    for (size_t i = 0; i < flow->openings.count; ++i) {
        RILL_ASSERT(i == 0 || openings[i - 1].place < openings[i].place);
        RILL_ASSERT(openings[i].room > 0 && flow->bed->c[openings[i].place] < RILL_TOP);
        RILL_ASSERT(openings[i].seconds > 0.0 && isfinite(openings[i].seconds));
    }
}

bool rill_opening_reserve(rill_flow *flow, size_t more, const rill_allocator *allocator) {
    return rill_array_reserve(&flow->openings, allocator, flow->openings.count + more);
}

/* -------------------------------------------------------------------------------------------------------- following */

void rill_opening_forget(const rill_displace_job *job) {
    rill_opening *openings = job->flow->openings.data;
    size_t count = 0;
    for (size_t i = 0; i < job->flow->openings.count; ++i)
        if (!(job->update->marks[openings[i].place] & RILL_PLACE_CHANGED)) openings[count++] = openings[i];
    job->flow->openings.count = count;
}

void rill_opening_note(const rill_displace_job *job, const rill_cell_change *at, const rill_new_column *fresh) {
    rill_flow *flow = job->flow;
    if (!job->how->pushes || !flow->pressure || fresh->from < 0 || fresh->c == RILL_TOP) return;
    if (flow->pressure[fresh->place] == 0) return; /* nothing would follow */
    const int32_t room = rill_ceiling_full(flow->bed, fresh->place) - flow->H[fresh->place];
    if (room <= RILL_FULL_LOW - RILL_FULL) return;
    const double seconds = rill_wall_speed_of_ceiling(job, at->x, at->y);
    RILL_ASSERT(flow->openings.count < flow->openings.capacity);
    ((rill_opening *)flow->openings.data)[flow->openings.count++] = (rill_opening){
        .place = fresh->place, .room = room, .seconds = seconds > 0.0 ? seconds : RILL_WALL_SPEED_FIRST
    };
}

void rill_opening_order(rill_flow *flow) {
    sort_openings(flow->openings.data, flow->openings.count);
    check_openings(flow);
}

bool rill_opening_is(const rill_flow *flow, int32_t place) {
    return rill_order_find(flow->openings.data, flow->openings.count, sizeof(rill_opening), place) != NULL;
}

/* ---------------------------------------------------------------------------------------------------------- opening */

void rill_opening_begin(rill_flow *flow, double dt) {
    rill_opening *openings = flow->openings.data;
    const double least = dt < RILL_EXPELLED_LONGEST ? dt : RILL_EXPELLED_LONGEST;
    RILL_ASSERT(dt > 0.0);
    check_openings(flow);
    for (size_t i = 0; i < flow->openings.count; ++i)
        if (openings[i].seconds < least) openings[i].seconds = least;
}

void rill_opening_open(rill_flow *flow, double dt) {
    rill_opening *openings = flow->openings.data;
    size_t count = 0;
    for (size_t i = 0; i < flow->openings.count; ++i) {
        rill_opening item = openings[i];
        if (!flow->solves_passages || dt >= item.seconds * (1.0 - 1e-9)) continue;
        item.room -= (int32_t)((double)item.room * (dt / item.seconds));
        item.seconds -= dt;
        openings[count++] = item;
    }
    flow->openings.count = count;
    check_openings(flow);
}

/* ----------------------------------------------------------------------------------------------------- transferring */

bool rill_opening_transfer(const rill_flow *from, rill_flow *to, const rill_allocator *allocator) {
    if (!rill_in_transit_copy(&from->openings, from->bed, &to->openings, to->bed, allocator)) return false;
    rill_opening_order(to);
    return true;
}
