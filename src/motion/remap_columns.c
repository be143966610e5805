/* Giving new columns the liquid of old ones, and the memory for that: see displace.h. What does not fit is handed over
 * to displace.c. */
#include "base/message.h"
#include "base/simd.h"
#include "motion/displace.h"
#include "motion/drawn.h"
#include "motion/expelled.h"
#include "motion/opening_ceilings.h"

#include <string.h>

rill_displace rill_displace_make(void) {
    return (rill_displace){ .old_H = rill_array_make(sizeof(int32_t)),
                            .amounts = rill_array_make(sizeof(int64_t)),
                            .excess = rill_array_make(sizeof(rill_excess)),
                            .queue = rill_array_make(sizeof(rill_displace_spot)),
                            .takers = rill_array_make(sizeof(rill_taker)),
                            .opened = rill_array_make(sizeof(rill_opened)) };
}

static void free_nodes(rill_displace *d, const rill_allocator *allocator) {
    rill_free(allocator, d->entry_of, d->node_capacity, sizeof *d->entry_of);
    rill_free(allocator, d->seen, d->node_capacity, 1);
    rill_free(allocator, d->piped, d->node_capacity, 1);
    rill_free(allocator, d->gone, d->cell_capacity, 1);
    d->entry_of = NULL;
    d->seen = d->piped = d->gone = NULL;
    d->node_capacity = d->cell_capacity = 0;
}

void rill_displace_free(rill_displace *displace, const rill_allocator *allocator) {
    rill_array *const arrays[] = { &displace->old_H, &displace->amounts, &displace->excess,
                                   &displace->queue, &displace->takers,  &displace->opened };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) rill_array_free(arrays[i], allocator);
    free_nodes(displace, allocator);
}

bool rill_displace_reserve(rill_displace *d, const rill_flow *flow, const rill_update *update,
                           const rill_allocator *allocator) {
    const size_t places = (size_t)flow->bed->plane_size, nodes = places + update->old.count;
    const size_t columns = (size_t)flow->bed->info.columns;
    const size_t cells = (size_t)flow->bed->grid.cells[0] * (size_t)flow->bed->grid.cells[1];
    if (nodes > d->node_capacity) {
        free_nodes(d, allocator);
        d->node_capacity = places + update->old.count + update->old.count / 2;
        d->entry_of = rill_alloc_zeroed(allocator, d->node_capacity, sizeof *d->entry_of);
        d->seen = rill_alloc_zeroed(allocator, d->node_capacity, 1);
        d->piped = rill_alloc_zeroed(allocator, d->node_capacity, 1);
        d->gone = rill_alloc_zeroed(allocator, cells, 1);
        d->cell_capacity = cells;
        if (!d->entry_of || !d->seen || !d->piped || !d->gone) {
            free_nodes(d, allocator);
            return false;
        }
    }
    d->excess.count = d->queue.count = d->takers.count = 0;
    return rill_array_reserve(&d->old_H, allocator, update->old.count) &&
           rill_array_reserve(&d->amounts, allocator, update->fresh.count) &&
           rill_array_reserve(&d->excess, allocator, update->old.count + update->fresh.count) &&
           rill_array_provide(&d->queue, allocator, columns + update->old.count) &&
           rill_array_reserve(&d->opened, allocator, update->fresh.count) &&
           rill_array_provide(&d->takers, allocator, columns);
}

/* -------------------------------------------------------------------------------------------------------- settling */

static int32_t place_count(const rill_displace_job *j) {
    return j->bed->plane_size;
}

double rill_displace_tallest(const rill_displace_job *j) {
    return j->bed->grid.cell_size / j->bed->quantum;
}

/* Where the liquid of one old column goes within its cell. */
static void settle_column(const rill_displace_job *j, const rill_cell_change *at, int32_t index, int64_t *amounts) {
    const rill_old_column *old = (const rill_old_column *)j->update->old.data + index;
    const rill_new_column *fresh = (const rill_new_column *)j->update->fresh.data + at->new_first;
    const int32_t level = old->b + ((const int32_t *)j->d->old_H.data)[index];
    int32_t done = old->b, below = -1; /* up to where it has gone somewhere; the void that was there last */
    for (int32_t k = 0; k < at->new_count && done < level; ++k) {
        if (fresh[k].c <= done) continue;
        if (fresh[k].b >= level) {
            /* A floor that rose under all of it. */
            if (below >= 0 || fresh[k].b >= old->c || fresh[k].b - level > rill_displace_tallest(j)) break;
            amounts[k] += level - done;
            return;
        }
        amounts[k] += rill_min_i(level, fresh[k].c) - done; /* with what the solid below it carried up */
        done = rill_min_i(level, fresh[k].c);
        below = k;
    }
    if (done >= level) return;
    if (below >= 0)
        amounts[below] += level - done;
    else
        rill_displace_add(j, &(rill_displace_spot){ place_count(j) + index, at->x, at->y }, level - done)->seconds =
            -1.0;
}

static void settle_cell(const rill_displace_job *j, const rill_cell_change *at) {
    const rill_new_column *fresh = (const rill_new_column *)j->update->fresh.data + at->new_first;
    int64_t *amounts = (int64_t *)j->d->amounts.data + at->new_first;
    for (int32_t i = at->old_first; i < at->old_first + at->old_count; ++i) settle_column(j, at, i, amounts);
    for (int32_t k = 0; k < at->new_count; ++k) {
        if (amounts[k] > fresh[k].c - fresh[k].b) { /* what stands in the slack may stay there */
            const int32_t most = rill_displace_capacity(j, fresh[k].b, fresh[k].c);
            const rill_displace_spot here = { fresh[k].place, at->x, at->y };
            rill_displace_add(j, &here, amounts[k] - most)->seconds = rill_wall_speed_of_ceiling(j, at->x, at->y);
            amounts[k] = most;
        }
        rill_displace_set(j, fresh[k].place, (int32_t)amounts[k]);
        rill_opening_note(j, at, &fresh[k]);
    }
}

/* Whether what is held at an old column can go on to be held there: not if a wall has come in its place, even if the
 * column on top of that wall goes on from it. */
static bool still_there(const rill_displace_job *j, size_t index) {
    const rill_old_column *old = (const rill_old_column *)j->update->old.data + index;
    const int32_t level = old->b + ((const int32_t *)j->d->old_H.data)[index];
    return j->update->marks[old->place] & RILL_PLACE_KEPT && !j->d->entry_of[place_count(j) + (int32_t)index] &&
           j->bed->b[old->place] - level <= rill_displace_tallest(j);
}

/* What is held at a column that is gone, or has become full, is displaced with the rest. */
static void settle_held(const rill_displace_job *j) {
    const rill_old_column *old = j->update->old.data;
    const rill_expelled *all = j->flow->expelled.data;
    uint8_t *seen = j->d->seen; /* of what is held, here: few old columns have anything */
    for (size_t i = 0; i < j->flow->expelled.count; ++i) seen[all[i].place] = 1;
    for (size_t i = 0; i < j->update->old.count && j->flow->expelled.count > 0; ++i) {
        const int32_t place = old[i].place;
        rill_expelled *expelled = seen[place] ? rill_expelled_at(j->flow, place) : NULL;
        if (!expelled) continue;
        const bool there = still_there(j, i);
        if (there && !j->d->entry_of[place] && rill_displace_room(j, place) > 0) continue;
        rill_displace_spot at = { .node = there ? place : place_count(j) + (int32_t)i };
        rill_bed_sheet_of(j->bed, place, &at.x, &at.y);
        rill_excess *excess = rill_displace_add(j, &at, expelled->amount);
        *(excess->amount > expelled->amount ? &excess->before : &excess->seconds) = expelled->seconds;
        expelled->amount = 0;
    }
    for (size_t i = 0; i < j->flow->expelled.count; ++i) seen[all[i].place] = 0;
}

/* Whether all of it would find room somewhere; counts until it is sure. */
static bool fits(const rill_displace_job *j, int64_t total) {
    const rill_new_column *fresh = j->update->fresh.data;
    for (size_t i = 0; i < j->update->fresh.count && total > 0; ++i)
        total -= rill_displace_capacity(j, fresh[i].b, fresh[i].c);
    for (int64_t k = 0; k < j->bed->info.columns && total > 0; ++k)
        if (!j->update->marks[j->bed->places[k]]) total -= rill_displace_room(j, j->bed->places[k]);
    return total <= 0;
}

rill_result rill_displace_prepare(rill_displace *displace, rill_flow *flow, const rill_update *update,
                                  const rill_displace_how *how, const rill_allocator *allocator,
                                  rill_message *message) {
    const rill_displace_job j = { displace, flow, flow->bed, update, how };
    if (!rill_displace_reserve(displace, flow, update, allocator) ||
        !rill_expelled_reserve(flow, update->old.count + update->fresh.count, allocator) ||
        !rill_drawn_reserve(flow, update->fresh.count, allocator) ||
        !rill_opening_reserve(flow, update->fresh.count, allocator))
        return rill_fail(message, RILL_OUT_OF_MEMORY, "no memory to displace liquid");
    const rill_old_column *old = update->old.data;
    int32_t *depths = displace->old_H.data;
    int64_t total = rill_expelled_total(flow) + rill_drawn_total(flow);
    for (size_t i = 0; i < update->old.count; ++i) total += depths[i] = flow->H[old[i].place];
    displace->squeezed = false;
    if (fits(&j, total)) return RILL_OK;
    return rill_fail(message, RILL_INVALID_STATE, "solids leave no room in all of the bed for %lld quanta of liquid",
                     (long long)total);
}

void rill_displace_run(rill_displace *displace, rill_flow *flow, const rill_update *update,
                       const rill_displace_how *how) {
    const rill_displace_job j = { displace, flow, flow->bed, update, how };
    const rill_old_column *old = update->old.data;
    const rill_cell_change *changes = update->changes.data;
    for (size_t i = 0; i < update->old.count; ++i) flow->H[old[i].place] = 0;
    memset(displace->amounts.data, 0, update->fresh.count * sizeof(int64_t));
    rill_drawn_release(&j);
    rill_opening_forget(&j);
    for (size_t i = 0; i < update->changes.count; ++i) settle_cell(&j, &changes[i]);
    rill_opening_order(flow);
    settle_held(&j);
    rill_wall_speed_find(&j);
    rill_drawn_follow(&j);
    rill_displace_all(&j);
}
