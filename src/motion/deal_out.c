/* Gives liquid to columns with room: evenly to those that a search has found (displace.c), or through
 * solids to the nearest. */
#include "base/simd.h"
#include "flow/column.h"
#include "motion/motion_internal.h"
#include "motion/swept_volume.h"

double rill_displace_tallest(const rill_displace_job *job) {
    return job->bed->grid.cell_size / job->bed->quantum;
}

void rill_displace_set(const rill_displace_job *job, int32_t place, int32_t H) {
    RILL_ASSERT(H >= 0 && H <= job->bed->c[place] - job->bed->b[place]);
    const rill_flow_extent here = { .depth = H, .level = H > RILL_DRY ? job->bed->b[place] + H : 0 };
    rill_flow_widen(&job->flow->extent, &here);
    rill_column_set(job->flow, place, H);
}

/* ---------------------------------------------------------------------------------------------------------- giving */

static void give(const rill_displace_job *job, int32_t place, int64_t amount) {
    rill_displace_set(job, place, job->flow->H[place] + (int32_t)amount);
    rill_flow_wake(job->flow, place);
}

int64_t rill_displace_room_below(const rill_displace_job *job, int64_t rise) {
    const rill_taker *takers = job->displace->takers.data;
    int64_t sum = 0;
    for (size_t i = 0; i < job->displace->takers.count; ++i) sum += takers[i].room < rise ? takers[i].room : rise;
    return sum;
}

int64_t rill_displace_deal(const rill_displace_job *job, int64_t total, bool expelled, double seconds) {
    const rill_taker *takers = job->displace->takers.data;
    RILL_ASSERT(total >= 0);
    int64_t low = 0, high = RILL_TOP; /* the least rise that takes it all is in (low, high] */
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (rill_displace_room_below(job, middle) >= total)
            high = middle;
        else
            low = middle;
    }
    for (size_t i = 0; i < job->displace->takers.count && total > 0; ++i) {
        int64_t amount = takers[i].room;
        if (amount > high) amount = high;
        if (amount > total) amount = total;
        if (expelled)
            rill_expelled_add(job->flow, takers[i].place, amount, seconds, NULL);
        else
            give(job, takers[i].place, amount);
        RILL_ASSERT(amount > 0);
        total -= amount;
    }
    RILL_ASSERT(total >= 0);
    return total;
}

/* Gives to the columns of a cell, from above, no more than `most` to each. Returns what is left. */
static int64_t squeeze_into(const rill_displace_job *job, int32_t x, int32_t y, int64_t most, int64_t total) {
    const rill_bed *bed = job->bed;
    if (x < 0 || y < 0 || x >= bed->grid.cells[0] || y >= bed->grid.cells[1]) return total;
    const size_t cell = rill_displace_cell(job, x, y);
    for (int32_t k = bed->cell_first[cell + 1] - 1; k >= bed->cell_first[cell] && total > 0; --k) {
        int64_t amount = rill_displace_room(job, bed->places[k]);
        if (amount > most) amount = most;
        if (amount > total) amount = total;
        if (amount > 0) give(job, bed->places[k], amount);
        total -= amount;
    }
    return total;
}

int64_t rill_displace_press(const rill_displace_job *job, const rill_displace_spot *at, int64_t most, int64_t total) {
    const int32_t reach = rill_max_i(job->bed->grid.cells[0], job->bed->grid.cells[1]);
    for (int32_t r = 0; r < reach && total > 0; ++r)
        for (int32_t y = -r; y <= r; ++y)
            for (int32_t x = -r; x <= r; x += y == -r || y == r || r == 0 ? 1 : 2 * r)
                total = squeeze_into(job, at->x + x, at->y + y, most, total);
    return total;
}

int64_t rill_displace_squeeze(rill_flow *flow, int32_t place, int32_t slack, int64_t amount) {
    const rill_displace_how how = { .slack = slack };
    const rill_displace_job job = { .flow = flow, .bed = flow->bed, .how = &how };
    RILL_ASSERT(amount > 0);
    rill_displace_spot at = { .node = place };
    rill_bed_sheet_of(flow->bed, place, &at.x, &at.y);
    return rill_displace_press(&job, &at, RILL_TOP, amount);
}
