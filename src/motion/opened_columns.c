/* Columns that a wall has left: they are filled with what was withdrawn at the front that the wall had before, and what
 * stands at the wall now is the new front (swept_volume.h). */
#include "base/order.h"
#include "base/simd.h"
#include "motion/motion_internal.h"
#include "motion/swept_volume.h"

enum { FARTHEST = 16 }; /* cells: what opens at once behind a wall farther from the front than this, is not filled */

void rill_withdrawn_release(const rill_displace_job *job) {
    rill_withdrawn *withdrawn = job->flow->withdrawn.data;
    size_t count = 0;
    const int64_t before = rill_motion_count(job->flow);
    for (size_t i = 0; i < job->flow->withdrawn.count; ++i) {
        if (job->update->marks[withdrawn[i].place] & RILL_PLACE_CHANGED)
            rill_expelled_add(job->flow, withdrawn[i].place, withdrawn[i].amount, withdrawn[i].seconds, NULL);
        else
            withdrawn[count++] = withdrawn[i];
    }
    if (count < job->flow->withdrawn.count) rill_expelled_order(job->flow);
    job->flow->withdrawn.count = count;
    RILL_ASSERT(rill_motion_count(job->flow) == before);
}

static rill_withdrawn *withdrawn_at(const rill_flow *flow, int32_t place) {
    return rill_order_find(flow->withdrawn.data, flow->withdrawn.count, sizeof(rill_withdrawn), place);
}

/* Finds the column of a cell that stands beside liquid from b up to a level; -1: there is a wall, or no cell. */
static int32_t column_beside(const rill_bed *bed, int32_t x, int32_t y, int32_t b, int32_t level) {
    if (x < 0 || y < 0 || x >= bed->grid.cells[0] || y >= bed->grid.cells[1]) return -1;
    const size_t cell = (size_t)y * (size_t)bed->grid.cells[0] + (size_t)x;
    for (int32_t k = bed->cell_first[cell]; k < bed->cell_first[cell + 1]; ++k) {
        const int32_t place = bed->places[k];
        if (bed->c[place] > b && bed->b[place] < level) return place;
    }
    return -1;
}

/* Tells whether there was no void where a column stands now, nor a little above: a wall that was there has left to a
 * side. */
static bool has_opened(const rill_displace_job *job, const rill_cell_change *at, const rill_new_column *fresh,
                       double tallest) {
    const rill_old_column *old = (const rill_old_column *)job->update->old.data + at->old_first;
    for (int32_t i = 0; i < at->old_count; ++i)
        if (old[i].c > fresh->b && old[i].b < fresh->c && (double)(old[i].b - fresh->b) <= tallest) return false;
    return true;
}

/* Lists the columns that have opened, each with the number of its change. */
static void list_opened(const rill_displace_job *job) {
    const rill_cell_change *changes = job->update->changes.data;
    const rill_new_column *fresh = job->update->fresh.data;
    rill_array *list = &job->displace->opened; /* has room for all that are new */
    const double tallest = rill_displace_tallest(job);
    list->count = 0;
    for (size_t i = 0; i < job->update->changes.count; ++i)
        for (int32_t k = changes[i].new_first; k < changes[i].new_first + changes[i].new_count; ++k) {
            if (!has_opened(job, &changes[i], &fresh[k], tallest)) continue;
            RILL_ASSERT(list->count < list->capacity);
            ((rill_opened *)list->data)[list->count++] = (rill_opened){ &changes[i], &fresh[k] };
            rill_wall_speed_open(job, changes[i].x, changes[i].y);
        }
}

typedef void visit(const rill_displace_job *job, const rill_cell_change *at, const rill_new_column *fresh);
static void visit_opened(const rill_displace_job *job, visit *call) {
    const rill_opened *opened = job->displace->opened.data;
    for (size_t i = 0; i < job->displace->opened.count; ++i) call(job, opened[i].at, opened[i].fresh);
}

/* Finds the front at which liquid was withdrawn for a column that has opened: at the end of the cells that have done so
 * with it, in the direction in which there is most. NULL: nowhere. */
static rill_withdrawn *source_of(const rill_displace_job *job, const rill_cell_change *at,
                                 const rill_new_column *fresh) {
    rill_withdrawn *best = NULL;
    for (int32_t side = 0; side < 4; ++side) {
        const int32_t dx = -rill_beside[side][0], dy = -rill_beside[side][1];
        int32_t k = 1;
        while (k < FARTHEST && rill_wall_speed_opens(job, at->x + k * dx, at->y + k * dy)) ++k;
        const int32_t place = column_beside(job->bed, at->x + k * dx, at->y + k * dy, fresh->b, fresh->c);
        rill_withdrawn *found = place < 0 ? NULL : withdrawn_at(job->flow, place);
        if (found && found->side == side && (!best || found->before > best->before)) best = found;
    }
    return best;
}

static void claim(const rill_displace_job *job, const rill_cell_change *at, const rill_new_column *fresh) {
    rill_withdrawn *source = source_of(job, at, fresh);
    if (source) source->claims += 1;
}

static void fill(const rill_displace_job *job, const rill_cell_change *at, const rill_new_column *fresh) {
    rill_withdrawn *source = source_of(job, at, fresh);
    if (!source) return;
    RILL_ASSERT(source->claims > 0 && source->before >= source->amount);
    const int32_t level = job->bed->b[source->place] + job->flow->H[source->place];
    const int32_t missing =
        rill_min_i(level - fresh->b - job->flow->H[fresh->place], rill_displace_room(job, fresh->place));
    const int64_t share = source->before / source->claims, amount = missing < share ? missing : share;
    if (amount <= 0) return;
    rill_displace_set(job, fresh->place, job->flow->H[fresh->place] + (int32_t)amount);
    rill_flow_wake(job->flow, fresh->place);
    source->amount -= amount;
    RILL_ASSERT(source->amount >= 0);
}

/* Makes a column that has opened and stands at the wall the new front, which takes over what is left at the old one. */
static void begin_front(const rill_displace_job *job, const rill_cell_change *at, const rill_new_column *fresh) {
    rill_wall_speed wall = rill_wall_speed_of_opening(job, at->x, at->y, fresh->b);
    if (!(wall.seconds > 0.0)) return;
    const int32_t *back = rill_beside[wall.side];
    const int32_t next = column_beside(job->bed, at->x - back[0], at->y - back[1], fresh->b, fresh->c);
    if (next < 0) return;
    const int32_t level = rill_max_i(job->bed->b[next] + job->flow->H[next], fresh->b + 1);
    if (at->x + back[0] < 0 || at->x + back[0] >= job->bed->grid.cells[0] || at->y + back[1] < 0 ||
        at->y + back[1] >= job->bed->grid.cells[1])
        return;
    if (column_beside(job->bed, at->x + back[0], at->y + back[1], fresh->b, level) >= 0) return;
    rill_withdrawn *source = source_of(job, at, fresh);
    RILL_ASSERT(job->flow->withdrawn.count + job->displace->fronts < job->flow->withdrawn.capacity);
    RILL_ASSERT(wall.side >= 0 && wall.side < 4 && wall.deep >= 1);
    rill_withdrawn *front =
        (rill_withdrawn *)job->flow->withdrawn.data + job->flow->withdrawn.count + job->displace->fronts++;
    *front =
        (rill_withdrawn){ .seconds = fmin(wall.seconds, RILL_EXPELLED_SLOWEST),
                          .most = fmin((double)wall.deep + RILL_WALL_SPEED_FIRST / wall.seconds, RILL_WITHDRAWN_MOST),
                          .place = fresh->place,
                          .side = wall.side };
    if (source) front->amount = source->amount, source->amount = 0;
}

/* Drops items that are at a front no more; what is left of them is given back. */
static void end_fronts(const rill_displace_job *job) {
    rill_withdrawn *withdrawn = job->flow->withdrawn.data;
    const size_t all = job->flow->withdrawn.count + job->displace->fronts;
    size_t count = 0;
    for (size_t i = 0; i < all; ++i) {
        rill_withdrawn *item = &withdrawn[i];
        int32_t x, y;
        rill_bed_sheet_of(job->bed, item->place, &x, &y);
        const int32_t b = job->bed->b[item->place], level = b + rill_max_i(job->flow->H[item->place], 1);
        const int32_t *back = rill_beside[item->side];
        if (item->claims > 0 || column_beside(job->bed, x + back[0], y + back[1], b, level) >= 0)
            rill_expelled_add(job->flow, item->place, item->amount, item->seconds, NULL);
        else
            withdrawn[count++] = *item, withdrawn[count - 1].before = 0;
    }
    job->flow->withdrawn.count = count;
    job->displace->fronts = 0;
    rill_withdrawn_order(job->flow);
}

void rill_withdrawn_follow(const rill_displace_job *job) {
    rill_withdrawn *withdrawn = job->flow->withdrawn.data;
    const int64_t before = rill_motion_count(job->flow);
    RILL_ASSERT(job->displace->fronts == 0);
    for (size_t i = 0; i < job->flow->withdrawn.count; ++i) withdrawn[i].before = withdrawn[i].amount;
    list_opened(job);
    visit_opened(job, claim);
    visit_opened(job, fill);
    visit_opened(job, begin_front);
    end_fronts(job);
    RILL_ASSERT(rill_motion_count(job->flow) == before);
}
