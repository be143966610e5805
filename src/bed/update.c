/* Replacing the columns of some cells: see update.h. Planes are changed first, since where a column may go depends on its
 * neighbours; what can fail comes after that, and all of it can be undone. */
#include "bed/update.h"

#include "base/message.h"
#include "bed/sheets.h"
#include "bed/sort.h"

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
    rill_memory_give(allocator, lists->cell_first, cells + 1, sizeof(int32_t));
    rill_memory_give(allocator, lists->places, lists->column_capacity, sizeof(int32_t));
    rill_memory_give(allocator, lists->floors, lists->column_capacity, sizeof(uint16_t));
    rill_memory_give(allocator, lists->pipe_l, lists->pipe_capacity, sizeof(int32_t));
    rill_memory_give(allocator, lists->pipe_r, lists->pipe_capacity, sizeof(int32_t));
    rill_memory_give(allocator, lists->ghosts, lists->ghost_capacity, sizeof(rill_ghost));
    *lists = (rill_bed_lists){ 0 };
}

void rill_update_free(rill_update *update, const rill_allocator *allocator) {
    rill_array *const arrays[] = { &update->parts, &update->changes,   &update->old,
                                   &update->fresh, &update->pipe_from, &update->pairs };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) rill_array_free(arrays[i], allocator);
    rill_memory_give(allocator, update->marks, update->mark_count, 1);
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

static bool same_column(const rill_bed *bed, const both *cell, int32_t old, int32_t fresh) {
    const int32_t place = cell->places[old];
    return bed->b[place] == cell->b[fresh] && bed->c[place] == cell->c[fresh];
}

/* Cuts off what is the same below and above; returns how much that is below. */
static int32_t cut_same(const rill_bed *bed, both *cell) {
    int32_t below = 0;
    while (below < cell->old_count && below < cell->new_count && same_column(bed, cell, below, below)) ++below;
    while (cell->old_count > below && cell->new_count > below &&
           same_column(bed, cell, cell->old_count - 1, cell->new_count - 1))
        cell->old_count -= 1, cell->new_count -= 1;
    cell->places += below, cell->b += below, cell->c += below, cell->floors += below;
    cell->old_count -= below, cell->new_count -= below;
    return below;
}

static bool push_change(rill_update *update, const rill_bed *bed, int32_t x, int32_t y, int32_t below, const both *cell,
                        const rill_allocator *allocator) {
    const size_t old = update->old.count, fresh = update->fresh.count;
    const rill_cell_change change = { x, y, below, (int32_t)old, cell->old_count, (int32_t)fresh, cell->new_count };
    if (!rill_array_resize(&update->old, allocator, old + (size_t)cell->old_count) ||
        !rill_array_resize(&update->fresh, allocator, fresh + (size_t)cell->new_count) ||
        !rill_array_push(&update->changes, allocator, &change))
        return false;
    rill_old_column *before = (rill_old_column *)update->old.data + old;
    rill_new_column *after = (rill_new_column *)update->fresh.data + fresh;
    for (int32_t k = 0; k < cell->old_count; ++k)
        before[k] = (rill_old_column){ cell->places[k], bed->b[cell->places[k]], bed->c[cell->places[k]] };
    for (int32_t k = 0; k < cell->new_count; ++k)
        after[k] = (rill_new_column){ -1, cell->b[k], cell->c[k], -1, cell->floors[k] };
    return true;
}

rill_result rill_update_compare(rill_update *update, const rill_bed *bed, rill_columns *columns,
                                const rill_allocator *columns_from, const rill_allocator *allocator,
                                rill_message *message) {
    const rill_area *area = &columns->area;
    bool good = true;
    size_t i = 0;
    for (int32_t y = area->low[1]; y < area->high[1]; ++y)
        for (int32_t x = area->low[0]; x < area->high[0] && good; ++x, ++i) {
            const int32_t first = columns->cell_first[i], old = bed->cell_first[cell_of(bed, x, y)];
            both cell = { bed->places + old,
                          columns->b + first,
                          columns->c + first,
                          columns->floors + first,
                          bed->cell_first[cell_of(bed, x, y) + 1] - old,
                          columns->cell_first[i + 1] - first };
            const int32_t below = cut_same(bed, &cell);
            if (cell.old_count > 0 || cell.new_count > 0)
                good = push_change(update, bed, x, y, below, &cell, allocator);
        }
    if (good && rill_array_push(&update->parts, allocator, columns)) {
        *columns = (rill_columns){ 0 };
        return RILL_OK;
    }
    rill_columns_free(columns, columns_from);
    return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory for the cells that change");
}

/* --------------------------------------------------------------------------------------------------------- placing */

static void set_place(rill_bed *bed, int32_t place, int32_t b, int32_t c) {
    bed->b[place] = b;
    bed->c[place] = c;
}

static int32_t place_in(const rill_bed *bed, int32_t sheet, int32_t x, int32_t y) {
    return bed->sheets[sheet].first + y * bed->sheets[sheet].stride + x;
}

/* How well a column fits into a free place: -1 if it must not be there, because a neighbour overlaps by one quantum;
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
        if (height == 1) return -1;
        if (height > 1) score += abs(b - column->b) <= step ? 5 : 1;
    }
    return score;
}

static void take_place(rill_bed *bed, rill_new_column *column, int32_t place, int32_t from) {
    column->place = place;
    column->from = from;
    set_place(bed, place, column->b, column->c);
}

/* Lets new columns go on from old ones, the nearest bases first. */
static void place_heirs(rill_bed *bed, const rill_cell_change *at, const rill_old_column *old, rill_new_column *fresh) {
    for (;;) {
        int32_t best = -1, heir = -1, nearest = 0;
        for (int32_t j = 0; j < at->new_count; ++j)
            for (int32_t i = 0; i < at->old_count && fresh[j].place < 0; ++i) {
                const int32_t distance = abs(fresh[j].b - old[i].b);
                if (bed->b[old[i].place] != RILL_WALL || (best >= 0 && distance >= nearest)) continue;
                if (rill_overlap(fresh[j].b, fresh[j].c, old[i].b, old[i].c) < 1) continue;
                if (fitness(bed, old[i].place, bed->sheets[0].stride, at, &fresh[j]) < 0) continue;
                best = j, heir = i, nearest = distance;
            }
        if (best < 0) return;
        take_place(bed, &fresh[best], old[heir].place, heir);
    }
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

/* The bed may have been made roomier since it was compared: the old columns may be somewhere else. */
static void find_old(rill_update *update, const rill_bed *bed) {
    const rill_cell_change *changes = update->changes.data;
    rill_old_column *old = update->old.data;
    for (size_t i = 0; i < update->changes.count; ++i) {
        const size_t cell = cell_of(bed, changes[i].x, changes[i].y);
        const int32_t *places = bed->places + bed->cell_first[cell] + changes[i].below;
        for (int32_t k = 0; k < changes[i].old_count; ++k) old[changes[i].old_first + k].place = places[k];
    }
}

/* Takes the old columns of all changed cells out of the planes, then puts the new ones in. */
static bool place_columns(rill_update *update, rill_bed *bed) {
    const rill_cell_change *changes = update->changes.data;
    const rill_old_column *old = update->old.data;
    rill_new_column *fresh = update->fresh.data;
    find_old(update, bed);
    update->placed = true;
    for (size_t i = 0; i < update->old.count; ++i) set_place(bed, old[i].place, RILL_WALL, RILL_WALL);
    for (size_t i = 0; i < update->changes.count; ++i) {
        place_heirs(bed, &changes[i], old + changes[i].old_first, fresh + changes[i].new_first);
        if (!place_others(bed, &changes[i], fresh + changes[i].new_first)) return false;
    }
    for (size_t i = 0; i < update->old.count; ++i) update->marks[old[i].place] |= RILL_PLACE_CHANGED;
    for (size_t i = 0; i < update->fresh.count; ++i)
        update->marks[fresh[i].place] |= fresh[i].from >= 0 ? RILL_PLACE_CHANGED | RILL_PLACE_KEPT : RILL_PLACE_CHANGED;
    return true;
}

/* ------------------------------------------------------------------------------------------------------------- all */

static rill_result apply(rill_update *update, rill_bed *bed, const rill_edge edges[4], const rill_allocator *allocator,
                         bool *full, rill_message *message) {
    if (update->parts.count > 1) sort_changes(update->changes.data, update->changes.count);
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
    for (size_t i = 0; update->placed && i < update->fresh.count; ++i) update->marks[fresh[i].place] = 0;
    update->parts.count = update->changes.count = update->old.count = update->fresh.count = update->pairs.count = 0;
    update->placed = update->exchanged = update->ghosts_moved = update->noted = false;
}
