/* Giving new columns the liquid of old ones: see displace.h. What does not fit is handed over to displace.c. */
#include "base/message.h"
#include "base/simd.h"
#include "flow/displace.h"

static int32_t place_count(const rill_displace_job *j) {
    return j->bed->plane_size;
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
            const double step = j->bed->grid.cell_size / j->bed->quantum;
            if (below >= 0 || fresh[k].b >= old->c || fresh[k].b - level > step) break;
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
        rill_displace_add(j, place_count(j) + index, level - done);
}

static void settle_cell(const rill_displace_job *j, const rill_cell_change *at) {
    const rill_new_column *fresh = (const rill_new_column *)j->update->fresh.data + at->new_first;
    int64_t *amounts = (int64_t *)j->d->amounts.data + at->new_first;
    for (int32_t k = 0; k < at->new_count; ++k) amounts[k] = 0;
    for (int32_t i = at->old_first; i < at->old_first + at->old_count; ++i) settle_column(j, at, i, amounts);
    for (int32_t k = 0; k < at->new_count; ++k) {
        if (amounts[k] > fresh[k].c - fresh[k].b) { /* what stands in the slack may stay there */
            const int32_t most = rill_displace_capacity(j, fresh[k].b, fresh[k].c);
            rill_displace_add(j, fresh[k].place, amounts[k] - most);
            amounts[k] = most;
        }
        rill_displace_set(j, fresh[k].place, (int32_t)amounts[k]);
    }
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

rill_result rill_displace_prepare(rill_displace *displace, const rill_flow *flow, const rill_update *update,
                                  int32_t slack, const rill_allocator *allocator, rill_message *message) {
    rill_flow seen = *flow; /* nothing is changed here */
    const rill_displace_job j = { displace, &seen, flow->bed, update, slack };
    if (!rill_displace_reserve(displace, flow, update, allocator))
        return rill_fail(message, RILL_OUT_OF_MEMORY, "no memory to displace liquid");
    const rill_old_column *old = update->old.data;
    int32_t *depths = displace->old_H.data;
    int64_t total = 0;
    for (size_t i = 0; i < update->old.count; ++i) total += depths[i] = flow->H[old[i].place];
    displace->squeezed = false;
    if (fits(&j, total)) return RILL_OK;
    return rill_fail(message, RILL_INVALID_STATE, "solids leave no room in all of the bed for %lld quanta of liquid",
                     (long long)total);
}

void rill_displace_run(rill_displace *displace, rill_flow *flow, const rill_update *update, int32_t slack) {
    const rill_displace_job j = { displace, flow, flow->bed, update, slack };
    const rill_old_column *old = update->old.data;
    const rill_cell_change *changes = update->changes.data;
    for (size_t i = 0; i < update->old.count; ++i) flow->H[old[i].place] = 0;
    for (size_t i = 0; i < update->changes.count; ++i) settle_cell(&j, &changes[i]);
    rill_displace_all(&j);
}
