/* Gives new columns the liquid of old ones, and takes the memory for that: see displace.h. What does not fit is handed
 * over to displace.c. */
#include "base/message.h"
#include "base/simd.h"
#include "flow/column.h"
#include "motion/motion_internal.h"
#include "motion/opening_ceilings.h"
#include "motion/swept_volume.h"

#include <string.h>

rill_displace rill_displace_make(void) {
    return (rill_displace){ .old_H = rill_array_make(sizeof(int32_t)),
                            .amounts = rill_array_make(sizeof(int64_t)),
                            .excess = rill_array_make(sizeof(rill_excess)),
                            .queue = rill_array_make(sizeof(rill_displace_spot)),
                            .takers = rill_array_make(sizeof(rill_taker)),
                            .opened = rill_array_make(sizeof(rill_opened)) };
}

static void free_nodes(rill_displace *displace, const rill_allocator *allocator) {
    rill_free(allocator, displace->entry_of, displace->node_capacity, sizeof *displace->entry_of);
    rill_free(allocator, displace->seen, displace->node_capacity, 1);
    rill_free(allocator, displace->piped, displace->node_capacity, 1);
    rill_free(allocator, displace->gone, displace->cell_capacity, 1);
    displace->entry_of = NULL;
    displace->seen = displace->piped = displace->gone = NULL;
    displace->node_capacity = displace->cell_capacity = 0;
}

void rill_displace_free(rill_displace *displace, const rill_allocator *allocator) {
    rill_array *const arrays[] = { &displace->old_H, &displace->amounts, &displace->excess,
                                   &displace->queue, &displace->takers,  &displace->opened };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) rill_array_free(arrays[i], allocator);
    free_nodes(displace, allocator);
}

bool rill_displace_reserve_nodes(rill_displace *displace, const rill_bed *bed, const rill_update *update,
                                 const rill_allocator *allocator) {
    const size_t places = (size_t)bed->plane_size, nodes = places + update->old.count;
    const size_t cells = (size_t)bed->grid.cells[0] * (size_t)bed->grid.cells[1];
    if (nodes <= displace->node_capacity) return true;
    free_nodes(displace, allocator);
    displace->node_capacity = nodes + update->old.count / 2;
    displace->entry_of = rill_alloc_zeroed(allocator, displace->node_capacity, sizeof *displace->entry_of);
    displace->seen = rill_alloc_zeroed(allocator, displace->node_capacity, 1);
    displace->piped = rill_alloc_zeroed(allocator, displace->node_capacity, 1);
    displace->gone = rill_alloc_zeroed(allocator, cells, 1);
    displace->cell_capacity = cells;
    if (displace->entry_of && displace->seen && displace->piped && displace->gone) return true;
    free_nodes(displace, allocator);
    return false;
}

static bool reserve(rill_displace *displace, const rill_flow *flow, const rill_update *update,
                    const rill_allocator *allocator) {
    const size_t columns = (size_t)flow->bed->info.columns;
    RILL_ASSERT(displace->node_capacity >= (size_t)flow->bed->plane_size + update->old.count);
    displace->excess.count = displace->queue.count = displace->takers.count = 0;
    return rill_array_reserve(&displace->old_H, allocator, update->old.count) &&
           rill_array_reserve(&displace->amounts, allocator, update->fresh.count) &&
           rill_array_reserve(&displace->excess, allocator, update->old.count + update->fresh.count) &&
           rill_array_provide(&displace->queue, allocator, columns + update->old.count) &&
           rill_array_reserve(&displace->opened, allocator, update->fresh.count) &&
           rill_array_provide(&displace->takers, allocator, columns);
}

/* -------------------------------------------------------------------------------------------------------- remapping */

/* Finds where the liquid of one old column goes within its cell. */
static void remap_column(const rill_displace_job *job, const rill_cell_change *at, int32_t index, int64_t *amounts) {
    const rill_old_column *old = (const rill_old_column *)job->update->old.data + index;
    const rill_new_column *fresh = (const rill_new_column *)job->update->fresh.data + at->new_first;
    const int32_t level = old->b + ((const int32_t *)job->displace->old_H.data)[index];
    RILL_ASSERT(level >= old->b);
    int32_t done = old->b, below = -1; /* the height up to which it has a place; the last void that took some */
    for (int32_t k = 0; k < at->new_count && done < level; ++k) {
        if (fresh[k].c <= done) continue;
        if (fresh[k].b >= level) {
            /* A floor that rose under all of it. */
            if (below >= 0 || fresh[k].b >= old->c || fresh[k].b - level > rill_displace_tallest(job)) break;
            amounts[k] += level - done;
            return;
        }
        amounts[k] += rill_min_i(level, fresh[k].c) - done; /* with liquid that the solid below it carried up */
        done = rill_min_i(level, fresh[k].c);
        below = k;
    }
    if (done >= level) return;
    if (below >= 0)
        amounts[below] += level - done;
    else
        rill_displace_add(job, &(rill_displace_spot){ rill_displace_places(job) + index, at->x, at->y }, level - done)
            ->seconds = -1.0;
}

static void remap_cell(const rill_displace_job *job, const rill_cell_change *at) {
    const rill_new_column *fresh = (const rill_new_column *)job->update->fresh.data + at->new_first;
    int64_t *amounts = (int64_t *)job->displace->amounts.data + at->new_first;
    for (int32_t i = at->old_first; i < at->old_first + at->old_count; ++i) remap_column(job, at, i, amounts);
    for (int32_t k = 0; k < at->new_count; ++k) {
        RILL_ASSERT(k == 0 || fresh[k - 1].c < fresh[k].b);
        RILL_ASSERT(amounts[k] >= 0);
        if (amounts[k] > fresh[k].c - fresh[k].b) { /* what stands in the slack may stay there */
            const int32_t most = rill_displace_capacity(job, fresh[k].b, fresh[k].c);
            const rill_displace_spot here = { fresh[k].place, at->x, at->y };
            rill_displace_add(job, &here, amounts[k] - most)->seconds = rill_wall_speed_of_ceiling(job, at->x, at->y);
            amounts[k] = most;
        }
        rill_displace_set(job, fresh[k].place, (int32_t)amounts[k]);
        rill_opening_note(job, at, &fresh[k]);
    }
}

/* Tells whether what is expelled at an old column can stay there: not if a wall has come in its place, even if the
 * column on top of that wall goes on from it. */
static bool still_there(const rill_displace_job *job, size_t index) {
    const rill_old_column *old = (const rill_old_column *)job->update->old.data + index;
    const int32_t level = old->b + ((const int32_t *)job->displace->old_H.data)[index];
    return job->update->marks[old->place] & RILL_PLACE_KEPT &&
           !job->displace->entry_of[rill_displace_places(job) + (int32_t)index] &&
           job->bed->b[old->place] - level <= rill_displace_tallest(job);
}

/* Displaces what is expelled at columns that are gone, or have become full, with the rest. */
static void remap_expelled(const rill_displace_job *job) {
    const rill_old_column *old = job->update->old.data;
    const rill_expelled *all = job->flow->expelled.data;
    uint8_t *seen = job->displace->seen; /* of what is expelled, here: few old columns have anything */
    for (size_t i = 0; i < job->flow->expelled.count; ++i) seen[all[i].place] = 1;
    for (size_t i = 0; i < job->update->old.count && job->flow->expelled.count > 0; ++i) {
        const int32_t place = old[i].place;
        rill_expelled *expelled = seen[place] ? rill_expelled_at(job->flow, place) : NULL;
        if (!expelled) continue;
        const bool there = still_there(job, i);
        if (there && !job->displace->entry_of[place] && rill_displace_room(job, place) > 0) continue;
        rill_displace_spot at = { .node = there ? place : rill_displace_places(job) + (int32_t)i };
        rill_bed_sheet_of(job->bed, place, &at.x, &at.y);
        rill_excess *excess = rill_displace_add(job, &at, expelled->amount);
        *(excess->amount > expelled->amount ? &excess->before : &excess->seconds) = expelled->seconds;
        expelled->amount = 0;
    }
    for (size_t i = 0; i < job->flow->expelled.count; ++i) seen[all[i].place] = 0;
}

/* Tells whether all of it would find room somewhere; counts until it is sure. */
static bool fits(const rill_displace_job *job, int64_t total) {
    const rill_new_column *fresh = job->update->fresh.data;
    for (size_t i = 0; i < job->update->fresh.count && total > 0; ++i)
        total -= rill_displace_capacity(job, fresh[i].b, fresh[i].c);
    for (int64_t k = 0; k < job->bed->info.columns && total > 0; ++k)
        if (!job->update->marks[job->bed->places[k]]) total -= rill_displace_room(job, job->bed->places[k]);
    return total <= 0;
}

rill_result rill_displace_prepare(rill_displace *displace, rill_flow *flow, const rill_update *update,
                                  const rill_displace_how *how, const rill_allocator *allocator,
                                  rill_message *message) {
    const rill_displace_job job = {
        .displace = displace, .flow = flow, .bed = flow->bed, .update = update, .how = how
    };
    if (!reserve(displace, flow, update, allocator) ||
        !rill_expelled_reserve(flow, update->old.count + update->fresh.count, allocator) ||
        !rill_withdrawn_reserve(flow, update->fresh.count, allocator) ||
        !rill_opening_reserve(flow, update->fresh.count, allocator))
        return rill_fail(message, RILL_OUT_OF_MEMORY, "no memory to displace liquid");
    const rill_old_column *old = update->old.data;
    int32_t *depths = displace->old_H.data;
    int64_t total = rill_swept_volume_total(flow);
    for (size_t i = 0; i < update->old.count; ++i) total += depths[i] = flow->H[old[i].place];
    RILL_ASSERT(total >= 0);
    displace->squeezed = false;
    if (fits(&job, total)) return RILL_OK;
    return rill_fail(message, RILL_INVALID_STATE, "solids leave no room in all of the bed for %lld quanta of liquid",
                     (long long)total);
}

void rill_displace_run(rill_displace *displace, rill_flow *flow, const rill_update *update,
                       const rill_displace_how *how) {
    const rill_displace_job job = {
        .displace = displace, .flow = flow, .bed = flow->bed, .update = update, .how = how
    };
    const rill_old_column *old = update->old.data;
    const rill_cell_change *changes = update->changes.data;
    const int64_t before = rill_motion_count(flow);
    for (size_t i = 0; i < update->old.count; ++i) rill_column_set(flow, old[i].place, 0);
    memset(displace->amounts.data, 0, update->fresh.count * sizeof(int64_t));
    rill_withdrawn_release(&job);
    rill_opening_forget(&job);
    for (size_t i = 0; i < update->changes.count; ++i) remap_cell(&job, &changes[i]);
    rill_opening_order(flow);
    remap_expelled(&job);
    rill_wall_speed_find(&job);
    rill_withdrawn_follow(&job);
    rill_displace_all(&job);
    RILL_ASSERT(rill_motion_count(flow) == before);
}
