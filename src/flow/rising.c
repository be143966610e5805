/* Room that ceilings make as they rise: see rising.h. */
#include "flow/rising.h"

#include "base/order.h"
#include "bed/sort.h"
#include "passages/passages.h"
#include "flow/held.h"

static bool rising_before(const rill_rising *a, const rill_rising *b) {
    return a->place < b->place;
}
RILL_SORT(sort_rising, rill_rising, rising_before)

bool rill_rising_reserve(rill_flow *flow, size_t more, const rill_allocator *allocator) {
    return rill_array_reserve(&flow->rising, allocator, flow->rising.count + more);
}

/* --------------------------------------------------------------------------------------------------------- following */

void rill_rising_forget(const rill_displace_job *j) {
    rill_rising *rising = j->flow->rising.data;
    size_t count = 0;
    for (size_t i = 0; i < j->flow->rising.count; ++i)
        if (!(j->update->marks[rising[i].place] & RILL_PLACE_CHANGED)) rising[count++] = rising[i];
    j->flow->rising.count = count;
}

void rill_rising_note(const rill_displace_job *j, const rill_cell_change *at, const rill_new_column *fresh) {
    rill_flow *flow = j->flow;
    if (!j->how->pushes || !flow->pressure || fresh->from < 0 || fresh->c == RILL_TOP) return;
    if (flow->pressure[fresh->place] == 0) return; /* nothing would follow */
    const int32_t room = rill_ceiling_full(flow->bed, fresh->place) - flow->H[fresh->place];
    if (room <= RILL_FULL_LOW - RILL_FULL) return;
    const double seconds = rill_pace_of_ceiling(j, at->x, at->y);
    ((rill_rising *)flow->rising.data)[flow->rising.count++] =
        (rill_rising){ .place = fresh->place, .room = room, .seconds = seconds > 0.0 ? seconds : RILL_PACE_FIRST };
}

void rill_rising_order(rill_flow *flow) {
    sort_rising(flow->rising.data, flow->rising.count);
}

bool rill_rising_is(const rill_flow *flow, int32_t place) {
    return rill_order_find(flow->rising.data, flow->rising.count, sizeof(rill_rising), place) != NULL;
}

/* ----------------------------------------------------------------------------------------------------------- opening */

void rill_rising_begin(rill_flow *flow, double dt) {
    rill_rising *rising = flow->rising.data;
    const double least = dt < RILL_HELD_LONGEST ? dt : RILL_HELD_LONGEST;
    for (size_t i = 0; i < flow->rising.count; ++i)
        if (rising[i].seconds < least) rising[i].seconds = least;
}

void rill_rising_open(rill_flow *flow, double dt) {
    rill_rising *rising = flow->rising.data;
    size_t count = 0;
    for (size_t i = 0; i < flow->rising.count; ++i) {
        rill_rising r = rising[i];
        if (!flow->solves_passages || dt >= r.seconds * (1.0 - 1e-9)) continue;
        r.room -= (int32_t)((double)r.room * (dt / r.seconds));
        r.seconds -= dt;
        rising[count++] = r;
    }
    flow->rising.count = count;
}

/* ------------------------------------------------------------------------------------------------------ transferring */

bool rill_rising_transfer(const rill_flow *from, rill_flow *to, const rill_allocator *allocator) {
    const rill_rising *rising = from->rising.data;
    if (from->rising.count == 0) return true;
    if (!rill_rising_reserve(to, from->rising.count, allocator)) return false;
    rill_rising *fresh = to->rising.data;
    for (size_t i = 0; i < from->rising.count; ++i) {
        fresh[i] = rising[i];
        fresh[i].place = rill_held_same_column(from->bed, rising[i].place, to->bed);
    }
    to->rising.count = from->rising.count;
    rill_rising_order(to);
    return true;
}
