/* Replacing the columns of some cells: see update.h. Planes are changed first, since where a column may go depends on
 * its neighbours; what can fail comes after that, and all of it can be undone. */
#include "bed/update.h"

#include "base/assert.h"
#include "base/message.h"
#include "base/simd.h"
#include "base/sort.h"
#include "bed/sheets.h"

#include <stdlib.h>
#include <string.h>

static bool change_before(const rill_cell_change *a, const rill_cell_change *b) {
    return a->y != b->y ? a->y < b->y : a->x < b->x;
}
RILL_SORT(sort_changes, rill_cell_change, change_before)

rill_update rill_update_make(void) {
    return (rill_update){ .parts = rill_array_make(sizeof(rill_columns)),
                          .changes = rill_array_make(sizeof(rill_cell_change)),
                          .old = rill_array_make(sizeof(rill_old_column)),
                          .fresh = rill_array_make(sizeof(rill_new_column)),
                          .pipe_from = rill_array_make(sizeof(int32_t)),
                          .pairs = rill_array_make(sizeof(rill_pair)) };
}

static void free_lists(rill_bed_lists *lists, size_t cells, const rill_allocator *allocator) {
    rill_free(allocator, lists->cell_first, cells + 1, sizeof(int32_t));
    rill_free(allocator, lists->places, lists->column_capacity, sizeof(int32_t));
    rill_free(allocator, lists->floors, lists->column_capacity, sizeof(uint16_t));
    rill_free(allocator, lists->pipe_l, lists->pipe_capacity, sizeof(int32_t));
    rill_free(allocator, lists->pipe_r, lists->pipe_capacity, sizeof(int32_t));
    rill_free(allocator, lists->ghosts, lists->ghost_capacity, sizeof(rill_ghost));
    *lists = (rill_bed_lists){ 0 };
}

void rill_update_free(rill_update *update, const rill_allocator *allocator) {
    rill_array *const arrays[] = { &update->parts, &update->changes,   &update->old,
                                   &update->fresh, &update->pipe_from, &update->pairs };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) rill_array_free(arrays[i], allocator);
    rill_free(allocator, update->marks, update->mark_count, 1);
    free_lists(&update->other, update->cell_count, allocator);
    *update = rill_update_make();
}

static size_t cell_of(const rill_bed *bed, int32_t x, int32_t y) {
    return (size_t)y * (size_t)bed->grid.cells[0] + (size_t)x;
}

/* ------------------------------------------------------------------------------------------------------- comparing */

/* Columns of a cell, as they are in the bed and as they shall be. */
typedef struct both {
    const int32_t *places;
    const int32_t *b, *c;
    const uint16_t *floors;
    int32_t old_count, new_count;
} both;

static inline bool same_column(const rill_bed *bed, int32_t place, int32_t b, int32_t c) {
    return ((bed->b[place] ^ b) | (bed->c[place] ^ c)) == 0;
}

/* Cuts off what is the same below and above; returns how much that is below. */
static inline int32_t cut_same(const rill_bed *bed, both *cell) {
    const int32_t both_have = rill_min_i(cell->old_count, cell->new_count);
    int32_t below = 0, above = 0;
    while (below < both_have && same_column(bed, cell->places[below], cell->b[below], cell->c[below])) ++below;
    const int32_t *places = cell->places + cell->old_count, *b = cell->b + cell->new_count,
                  *c = cell->c + cell->new_count;
    while (above < both_have - below && same_column(bed, places[-1 - above], b[-1 - above], c[-1 - above])) ++above;
    cell->places += below, cell->b += below, cell->c += below, cell->floors += below;
    cell->old_count -= below + above, cell->new_count -= below + above;
    return below;
}

/* There is room for it. */
static inline void push_change(rill_update *update, const rill_bed *bed, int32_t x, int32_t y, int32_t below,
                               const both *cell) {
    RILL_ASSERT(update->changes.count < update->changes.capacity);
    const int32_t old_count = cell->old_count, new_count = cell->new_count;
    const size_t old = update->old.count, fresh = update->fresh.count;
    rill_old_column *before = (rill_old_column *)update->old.data + old;
    rill_new_column *after = (rill_new_column *)update->fresh.data + fresh;
    ((rill_cell_change *)update->changes.data)[update->changes.count++] =
        (rill_cell_change){ x, y, below, (int32_t)old, old_count, (int32_t)fresh, new_count };
    update->old.count = old + (size_t)old_count;
    update->fresh.count = fresh + (size_t)new_count;
    RILL_ASSERT(update->old.count <= update->old.capacity && update->fresh.count <= update->fresh.capacity);
    for (int32_t k = 0; k < old_count; ++k) {
        const int32_t place = cell->places[k];
        before[k] = (rill_old_column){ place, bed->b[place], bed->c[place] };
    }
    for (int32_t k = 0; k < new_count; ++k)
        after[k] = (rill_new_column){ -1, cell->b[k], cell->c[k], -1, cell->floors[k] };
}

static void compare_row(rill_update *update, const rill_bed *bed, const rill_columns *columns, int32_t y) {
    const rill_area *area = &columns->area;
    const int32_t x0 = area->low[0], width = area->high[0] - x0;
    const int32_t *new_first = columns->cell_first + (size_t)(y - area->low[1]) * (size_t)width;
    const int32_t *old_first = bed->cell_first + cell_of(bed, x0, y);
    const rill_bed here = *bed; /* whatever is written, this stays the same */
    for (int32_t i = 0; i < width; ++i) {
        const int32_t old = old_first[i], fresh = new_first[i];
        both cell = { here.places + old,       columns->b + fresh,     columns->c + fresh,
                      columns->floors + fresh, old_first[i + 1] - old, new_first[i + 1] - fresh };
        const int32_t below = cut_same(&here, &cell);
        if (cell.old_count > 0 || cell.new_count > 0) push_change(update, &here, x0 + i, y, below, &cell);
    }
}

/* Room for all cells of an area. */
static bool reserve_changes(rill_update *update, const rill_bed *bed, const rill_columns *columns,
                            const rill_allocator *allocator) {
    const rill_area *area = &columns->area;
    size_t old = 0;
    for (int32_t y = area->low[1]; y < area->high[1]; ++y)
        old +=
            (size_t)(bed->cell_first[cell_of(bed, area->high[0], y)] - bed->cell_first[cell_of(bed, area->low[0], y)]);
    return rill_array_reserve(&update->old, allocator, update->old.count + old) &&
           rill_array_reserve(&update->fresh, allocator, update->fresh.count + (size_t)columns->count) &&
           rill_array_reserve(&update->changes, allocator, update->changes.count + rill_area_cells(area));
}

rill_result rill_update_compare(rill_update *update, const rill_bed *bed, rill_columns *columns,
                                const rill_allocator *columns_from, const rill_allocator *allocator,
                                rill_message *message) {
    if (!reserve_changes(update, bed, columns, allocator) ||
        !rill_array_reserve(&update->parts, allocator, update->parts.count + 1)) {
        rill_columns_free(columns, columns_from);
        return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory for the cells that change");
    }
    for (int32_t y = columns->area.low[1]; y < columns->area.high[1]; ++y) compare_row(update, bed, columns, y);
    rill_array_push(&update->parts, allocator, columns);
    *columns = (rill_columns){ 0 };
    return RILL_OK;
}

/* --------------------------------------------------------------------------------------------------------- placing */

static void set_place(rill_bed *bed, int32_t place, int32_t b, int32_t c) {
    bed->b[place] = b;
    bed->c[place] = c;
}

static int32_t place_in(const rill_bed *bed, int32_t sheet, int32_t x, int32_t y) {
    RILL_ASSERT(bed->sheets[sheet].x0 == 0 && bed->sheets[sheet].y0 == 0); /* as in every roomy bed */
    return bed->sheets[sheet].first + y * bed->sheets[sheet].stride + x;
}

/* How well a column fits into a free place: -1 if it must not be there, because a neighbour overlaps by too little;
 * else one for each neighbour it is joined to, and four more if the step between them is no steeper than 45 degrees. */
static int32_t fitness(const rill_bed *bed, int32_t place, int32_t stride, const rill_cell_change *at,
                       const rill_new_column *column) {
    const bool inside[4] = { at->x > 0, at->x + 1 < bed->grid.cells[0], at->y > 0, at->y + 1 < bed->grid.cells[1] };
    const int32_t beside[4] = { place - 1, place + 1, place - stride, place + stride };
    const double step = bed->grid.cell_size / bed->quantum;
    int32_t score = 0;
    for (int d = 0; d < 4; ++d) {
        if (!inside[d]) continue;
        const int32_t b = bed->b[beside[d]], height = rill_overlap(column->b, column->c, b, bed->c[beside[d]]);
        if (rill_overlap_closed(height, bed->opening)) return -1;
        if (height > 0) score += abs(b - column->b) <= step ? 5 : 1;
    }
    return score;
}

/* Whether fitness would be -1. Hardly ever: whether a neighbour is outside of the grid is asked last. */
static inline bool clashes(const rill_bed *bed, int32_t place, const rill_cell_change *at,
                           const rill_new_column *column) {
    const int32_t stride = bed->sheets[0].stride; /* of a roomy bed, that of all sheets */
    const int32_t *b = bed->b + place, *c = bed->c + place, least = bed->opening;
    const bool clash[4] = { rill_overlap_closed(rill_overlap(column->b, column->c, b[-1], c[-1]), least),
                            rill_overlap_closed(rill_overlap(column->b, column->c, b[1], c[1]), least),
                            rill_overlap_closed(rill_overlap(column->b, column->c, b[-stride], c[-stride]), least),
                            rill_overlap_closed(rill_overlap(column->b, column->c, b[stride], c[stride]), least) };
    if (!(clash[0] | clash[1] | clash[2] | clash[3])) return false;
    return (clash[0] && at->x > 0) || (clash[1] && at->x + 1 < bed->grid.cells[0]) || (clash[2] && at->y > 0) ||
           (clash[3] && at->y + 1 < bed->grid.cells[1]);
}

static void take_place(rill_bed *bed, rill_new_column *column, int32_t place, int32_t from) {
    RILL_ASSERT(bed->b[place] == RILL_WALL && column->place < 0);
    column->place = place;
    column->from = from;
    set_place(bed, place, column->b, column->c);
}

/* Whether each new column overlaps the old one of its number and no other. */
static bool in_step(const rill_cell_change *at, const rill_old_column *old, const rill_new_column *fresh) {
    if (at->old_count != at->new_count) return false;
    int32_t old_top = INT32_MIN, new_top = INT32_MIN;
    bool good = true;
    for (int32_t i = 0; i < at->new_count; ++i) {
        good &= (fresh[i].b < old[i].c) & (old[i].b < fresh[i].c) & (fresh[i].b >= old_top) & (old[i].b >= new_top);
        old_top = old[i].c, new_top = fresh[i].c;
    }
    return good;
}

/* Lets new columns go on from old ones, the nearest bases first. Returns how many have a place then. */
static int32_t place_heirs(rill_bed *bed, const rill_cell_change *at, const rill_old_column *old,
                           rill_new_column *fresh) {
    int32_t placed = 0;
    if (in_step(at, old, fresh)) {
        for (int32_t i = 0; i < at->new_count; ++i) {
            if (clashes(bed, old[i].place, at, &fresh[i])) continue;
            take_place(bed, &fresh[i], old[i].place, i);
            placed += 1;
        }
        return placed;
    }
    for (int32_t left = rill_min_i(at->old_count, at->new_count); left > 0; --left, ++placed) {
        int32_t best = -1, heir = -1, nearest = 0;
        for (int32_t j = 0; j < at->new_count; ++j)
            for (int32_t i = 0; i < at->old_count && fresh[j].place < 0; ++i) {
                const int32_t distance = abs(fresh[j].b - old[i].b);
                if (rill_overlap(fresh[j].b, fresh[j].c, old[i].b, old[i].c) < 1) continue;
                if (bed->b[old[i].place] != RILL_WALL || (best >= 0 && distance >= nearest)) continue;
                if (clashes(bed, old[i].place, at, &fresh[j])) continue;
                best = j, heir = i, nearest = distance;
            }
        if (best < 0) break;
        take_place(bed, &fresh[best], old[heir].place, heir);
    }
    return placed;
}

/* False when there is no place left. */
static bool place_others(rill_bed *bed, const rill_cell_change *at, rill_new_column *fresh) {
    for (int32_t j = 0; j < at->new_count; ++j) {
        if (fresh[j].place >= 0) continue;
        int32_t best = -1, highest = -1;
        for (int32_t s = 0; s < bed->sheet_count; ++s) {
            const int32_t place = place_in(bed, s, at->x, at->y);
            if (bed->b[place] != RILL_WALL) continue;
            const int32_t score = fitness(bed, place, bed->sheets[s].stride, at, &fresh[j]);
            if (score > highest) best = place, highest = score;
        }
        if (best < 0) return false;
        take_place(bed, &fresh[j], best, -1);
    }
    return true;
}

/* Takes the old columns of a cell out of the planes. The bed may have been made roomier since it was compared: they may
 * be somewhere else. */
static void clear_cell(const rill_update *update, rill_bed *bed, const rill_cell_change *at) {
    rill_old_column *old = (rill_old_column *)update->old.data + at->old_first;
    const int32_t *places = bed->places + bed->cell_first[cell_of(bed, at->x, at->y)] + at->below;
    for (int32_t k = 0; k < at->old_count; ++k) {
        old[k].place = places[k];
        RILL_ASSERT(bed->b[places[k]] == old[k].b && bed->c[places[k]] == old[k].c);
        RILL_ASSERT(update->marks[places[k]] == 0);
        set_place(bed, places[k], RILL_WALL, RILL_WALL);
        update->marks[places[k]] = RILL_PLACE_CHANGED;
    }
}

/* Takes the old columns of all changed cells out of the planes, then puts the new ones in. */
static bool place_columns(rill_update *update, rill_bed *bed) {
    const rill_cell_change *changes = update->changes.data;
    const rill_old_column *old = update->old.data;
    rill_new_column *fresh = update->fresh.data;
    update->placed = true;
    for (size_t i = 0; i < update->changes.count; ++i) clear_cell(update, bed, &changes[i]);
    for (size_t i = 0; i < update->changes.count; ++i) {
        const int32_t first = changes[i].new_first, end = first + changes[i].new_count;
        const int32_t placed = place_heirs(bed, &changes[i], old + changes[i].old_first, fresh + first);
        if (placed < changes[i].new_count && !place_others(bed, &changes[i], fresh + first)) return false;
        for (int32_t k = first; k < end; ++k)
            update->marks[fresh[k].place] =
                fresh[k].from >= 0 ? RILL_PLACE_CHANGED | RILL_PLACE_KEPT : RILL_PLACE_CHANGED;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------------------- all */

static rill_result apply(rill_update *update, rill_bed *bed, const rill_edge edges[4], const rill_allocator *allocator,
                         bool *full, rill_message *message) {
    if (update->parts.count > 1) sort_changes(update->changes.data, update->changes.count);
    RILL_ASSERT(bed->roomy && !update->placed && !update->exchanged);
    const rill_cell_change *changes = update->changes.data;
    for (size_t i = 1; i < update->changes.count; ++i) RILL_ASSERT(change_before(&changes[i - 1], &changes[i]));
    if (!rill_lists_reserve(update, bed, allocator))
        return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory for %zu columns more", update->fresh.count);
    if (bed->info.columns + (int64_t)update->fresh.count > INT32_MAX)
        return rill_fail(message, RILL_TOO_LARGE, "bed: more than 2^31 columns");
    if (!place_columns(update, bed)) {
        *full = true;
        return RILL_INVALID_STATE;
    }
    rill_lists_cells(update, bed);
    rill_lists_exchange(bed, &update->other);
    update->exchanged = true;
    return rill_lists_renew(update, bed, edges, allocator, message);
}

rill_result rill_update_apply(rill_update *update, rill_bed *bed, const rill_edge edges[4],
                              const rill_allocator *allocator, bool *full, rill_message *message) {
    *full = false;
    const rill_result result = apply(update, bed, edges, allocator, full, message);
    if (result) rill_update_undo(update, bed, edges);
    return result;
}

void rill_update_undo(rill_update *update, rill_bed *bed, const rill_edge edges[4]) {
    const rill_old_column *old = update->old.data;
    rill_new_column *fresh = update->fresh.data;
    if (update->noted) rill_lists_notes(update, bed);
    if (update->ghosts_moved) rill_lists_clear(bed, bed->ghosts, bed->ghost_count);
    if (update->exchanged) rill_lists_exchange(bed, &update->other);
    for (size_t i = 0; update->placed && i < update->fresh.count; ++i) {
        if (fresh[i].place < 0) continue;
        set_place(bed, fresh[i].place, RILL_WALL, RILL_WALL);
        update->marks[fresh[i].place] = 0;
        fresh[i].place = fresh[i].from = -1;
    }
    for (size_t i = 0; update->placed && i < update->old.count; ++i) {
        set_place(bed, old[i].place, old[i].b, old[i].c);
        update->marks[old[i].place] = 0;
    }
    if (update->ghosts_moved) rill_ghosts_list(bed, edges, bed->ghosts);
    update->placed = update->exchanged = update->ghosts_moved = false;
}

void rill_update_end(rill_update *update, const rill_allocator *columns_from) {
    rill_columns *parts = update->parts.data;
    const rill_old_column *old = update->old.data;
    const rill_new_column *fresh = update->fresh.data;
    for (size_t i = 0; i < update->parts.count; ++i) rill_columns_free(&parts[i], columns_from);
    for (size_t i = 0; update->placed && i < update->old.count; ++i) update->marks[old[i].place] = 0;
    for (size_t i = 0; update->placed && i < update->fresh.count; ++i)
        if (fresh[i].from < 0) update->marks[fresh[i].place] = 0;
    update->parts.count = update->changes.count = update->old.count = update->fresh.count = update->pairs.count = 0;
    update->placed = update->exchanged = update->ghosts_moved = update->noted = false;
}
