/* The lists of a bed while its columns are replaced (update.h): cells and their columns, pipes, ghosts. New lists are
 * made beside the old ones and take their place, so that going back is exchanging them again. */
#include "base/assert.h"
#include "base/message.h"
#include "base/simd.h"
#include "base/sort.h"
#include "bed/sheets.h"
#include "bed/update.h"

#include <string.h>

static bool pair_before(const rill_pair *a, const rill_pair *b) {
    return a->l != b->l ? a->l < b->l : a->r < b->r;
}
RILL_SORT(sort_pairs, rill_pair, pair_before)

static size_t cell_of(const rill_bed *bed, int32_t x, int32_t y) {
    return (size_t)y * (size_t)bed->grid.cells[0] + (size_t)x;
}

/* ----------------------------------------------------------------------------------------------------------- lists */

#define EXCHANGE(a, b)                                                                                                 \
    do {                                                                                                               \
        __typeof__(a) held = (a);                                                                                      \
        (a) = (b);                                                                                                     \
        (b) = held;                                                                                                    \
    } while (0)

void rill_lists_exchange(rill_bed *bed, rill_bed_lists *lists) {
    EXCHANGE(bed->cell_first, lists->cell_first);
    EXCHANGE(bed->places, lists->places);
    EXCHANGE(bed->floors, lists->floors);
    EXCHANGE(bed->pipe_l, lists->pipe_l);
    EXCHANGE(bed->pipe_r, lists->pipe_r);
    EXCHANGE(bed->ghosts, lists->ghosts);
    EXCHANGE(bed->column_capacity, lists->column_capacity);
    EXCHANGE(bed->pipe_capacity, lists->pipe_capacity);
    EXCHANGE(bed->ghost_capacity, lists->ghost_capacity);
    EXCHANGE(bed->pipe_count, lists->pipe_count);
    EXCHANGE(bed->ghost_count, lists->ghost_count);
    EXCHANGE(bed->info, lists->info);
}

/* Makes room in a list of which the content may go. */
static bool make_room(void **list, size_t *capacity, size_t count, size_t size, const rill_allocator *allocator) {
    if (*list && count <= *capacity) return true;
    const size_t wanted = count + count / 16 + 1024; /* the next update may need a little more */
    void *fresh = rill_alloc_zeroed(allocator, wanted, size);
    if (!fresh) return false;
    rill_free(allocator, *list, *capacity, size);
    *list = fresh;
    *capacity = wanted;
    return true;
}

/* Two lists of one capacity; it is what both have at least, so that freeing them is right at any moment. */
static bool make_room_twice(void **first, size_t first_size, void **second, size_t second_size, size_t *capacity,
                            size_t count, const rill_allocator *allocator) {
    if (*first && *second && count <= *capacity) return true;
    const size_t wanted = count + count / 16 + 1024; /* the next update may need a little more */
    void *a = rill_alloc_zeroed(allocator, wanted, first_size), *b = rill_alloc_zeroed(allocator, wanted, second_size);
    if (!a || !b) {
        rill_free(allocator, a, wanted, first_size);
        rill_free(allocator, b, wanted, second_size);
        return false;
    }
    rill_free(allocator, *first, *capacity, first_size);
    rill_free(allocator, *second, *capacity, second_size);
    *first = a, *second = b;
    *capacity = wanted;
    return true;
}

/* Room for the cells and columns of the new bed, beside those of the old. */
bool rill_lists_reserve(rill_update *update, const rill_bed *bed, const rill_allocator *allocator) {
    const size_t cells = cell_of(bed, 0, bed->grid.cells[1]), plane = (size_t)bed->plane_size;
    const size_t columns = (size_t)bed->info.columns + update->fresh.count;
    rill_bed_lists *other = &update->other;
    if (update->marks && update->mark_count < plane) {
        rill_free(allocator, update->marks, update->mark_count, 1);
        update->marks = NULL;
    }
    if (!update->marks) {
        update->marks = rill_alloc_zeroed(allocator, plane, 1);
        update->mark_count = plane;
    }
    if (!other->cell_first) {
        other->cell_first = rill_alloc_zeroed(allocator, cells + 1, sizeof(int32_t));
        update->cell_count = cells;
    }
    return update->marks && other->cell_first &&
           make_room_twice((void **)&other->places, sizeof(int32_t), (void **)&other->floors, sizeof(uint16_t),
                           &other->column_capacity, columns, allocator);
}

/* Copies columns of the old list behind the `count` there are in the new one. */
static int32_t copy_columns(const rill_bed *bed, rill_bed_lists *lists, int32_t from, int32_t to, int32_t count) {
    for (; from < to; ++from, ++count) {
        lists->places[count] = bed->places[from];
        lists->floors[count] = bed->floors[from];
    }
    return count;
}

/* Copies the cells from <= i < to, which have not changed, behind the `count` columns there are. */
static int32_t copy_cells(const rill_bed *bed, rill_bed_lists *lists, size_t from, size_t to, int32_t count,
                          int32_t *layers) {
    const int32_t *first = bed->cell_first, shift = count - first[from], columns = first[to] - first[from];
    RILL_ASSERT(from <= to && columns >= 0);
    int32_t most = *layers;
    for (size_t i = from; i < to; ++i) {
        const int32_t here = first[i + 1] - first[i];
        most = here > most ? here : most;
        lists->cell_first[i] = first[i] + shift;
    }
    memcpy(lists->places + count, bed->places + first[from], (size_t)columns * sizeof(int32_t));
    memcpy(lists->floors + count, bed->floors + first[from], (size_t)columns * sizeof(uint16_t));
    *layers = most;
    return count + columns;
}

/* Whether a cell's columns are where they were, one for one. */
static bool stays(const rill_update *update, const rill_cell_change *at) {
    const rill_old_column *old = (const rill_old_column *)update->old.data + at->old_first;
    const rill_new_column *fresh = (const rill_new_column *)update->fresh.data + at->new_first;
    if (at->old_count != at->new_count) return false;
    bool same = true;
    for (int32_t k = 0; k < at->new_count; ++k) same &= old[k].place == fresh[k].place;
    return same;
}

/* With the floors as they were: rill_update_touch sets them. */
void rill_lists_cells(rill_update *update, const rill_bed *bed) {
    rill_bed_lists *lists = &update->other;
    const rill_cell_change *changes = update->changes.data;
    const rill_new_column *fresh = update->fresh.data;
    const size_t cells = cell_of(bed, 0, bed->grid.cells[1]);
    int32_t count = 0, layers = 0;
    size_t next = 0;
    lists->info = bed->info;
    for (size_t i = 0; i < update->changes.count; ++i) {
        const rill_cell_change *at = &changes[i];
        if (stays(update, at)) continue;
        const size_t cell = cell_of(bed, at->x, at->y);
        const int32_t old = bed->cell_first[cell], old_end = bed->cell_first[cell + 1];
        count = copy_cells(bed, lists, next, cell, count, &layers);
        lists->cell_first[cell] = count;
        count = copy_columns(bed, lists, old, old + at->below, count);
        for (int32_t k = at->new_first; k < at->new_first + at->new_count; ++k) {
            lists->places[count] = fresh[k].place;
            lists->floors[count++] = fresh[k].floor;
        }
        count = copy_columns(bed, lists, old + at->below + at->old_count, old_end, count);
        const int32_t here = count - lists->cell_first[cell];
        layers = here > layers ? here : layers;
        lists->info.wall_cells += (here == 0) - (old == old_end);
        next = cell + 1;
    }
    count = copy_cells(bed, lists, next, cells, count, &layers);
    lists->cell_first[cells] = count;
    RILL_ASSERT((size_t)count <= lists->column_capacity);
    lists->info.columns = count;
    lists->info.layers = layers;
}

/* Solids may have changed places without any column noticing. */
static void set_floors(const rill_update *update, rill_bed *bed) {
    const rill_columns *parts = update->parts.data;
    for (size_t p = 0; p < update->parts.count; ++p) {
        const rill_area *area = &parts[p].area;
        const int32_t *first = parts[p].cell_first, width = area->high[0] - area->low[0];
        for (int32_t y = area->low[1]; y < area->high[1]; ++y, first += width)
            memcpy(bed->floors + bed->cell_first[cell_of(bed, area->low[0], y)], parts[p].floors + first[0],
                   (size_t)(first[width] - first[0]) * sizeof(uint16_t));
    }
}

/* The bed's notes and those of the parts change places; twice is as if nothing had been done. */
void rill_lists_notes(rill_update *update, rill_bed *bed) {
    rill_columns *parts = update->parts.data;
    for (size_t p = 0; p < update->parts.count; ++p) {
        const rill_area *area = &parts[p].area;
        const size_t width = (size_t)(area->high[0] - area->low[0]);
        RILL_ASSERT(!rill_area_empty(area) && area->high[0] <= bed->grid.cells[0] &&
                    area->high[1] <= bed->grid.cells[1]);
        rill_notes *other = parts[p].notes;
        for (int32_t y = area->low[1]; y < area->high[1]; ++y, other += width) {
            rill_notes *here = bed->notes + cell_of(bed, area->low[0], y);
            if (memcmp(here, other, width * sizeof *here) == 0) continue;
            for (size_t i = 0; i < width; ++i) {
                rill_notes_count(&here[i], -1, &bed->info);
                EXCHANGE(here[i], other[i]);
                rill_notes_count(&here[i], 1, &bed->info);
            }
        }
    }
    update->noted = !update->noted;
}

/* The lowest floor of all; searched for only if it may have been among those that went and none came for it. */
static void find_lowest(const rill_update *update, rill_bed *bed) {
    const int32_t known = (int32_t)((update->other.info.lowest - bed->datum) / bed->quantum + 0.5);
    const rill_cell_change *changes = update->changes.data;
    const rill_old_column *old = update->old.data;
    const rill_new_column *fresh = update->fresh.data;
    int32_t lowest = update->other.info.columns > 0 ? known : RILL_TOP, newest = RILL_TOP;
    bool gone = false;
    for (size_t i = 0; i < update->changes.count; ++i) { /* the first of a cell's columns is the lowest */
        const rill_cell_change *at = &changes[i];
        gone |= at->old_count > 0 && old[at->old_first].b <= known;
        if (at->new_count > 0) newest = rill_min_i(newest, fresh[at->new_first].b);
    }
    if (gone && newest > known) {
        lowest = RILL_TOP;
        for (int64_t k = 0; k < bed->info.columns; ++k)
            lowest = bed->b[bed->places[k]] < lowest ? bed->b[bed->places[k]] : lowest;
    }
    lowest = newest < lowest ? newest : lowest;
    bed->info.lowest = rill_bed_z(bed, bed->info.columns > 0 ? lowest : 0);
}

/* ---------------------------------------------------------------------------------------------------------- ghosts */

/* Whether a column that changed is at an open or still edge, or beside one that is: its ghost may change then. */
static bool reaches_ghosts(const rill_update *update, const rill_bed *bed, const rill_edge edges[4]) {
    const rill_cell_change *changes = update->changes.data;
    for (size_t i = 0; i < update->changes.count; ++i) {
        const bool near[4] = { changes[i].x < 2, changes[i].x >= bed->grid.cells[0] - 2, changes[i].y < 2,
                               changes[i].y >= bed->grid.cells[1] - 2 };
        for (int side = 0; side < 4; ++side)
            if (near[side] && edges[side].kind != RILL_EDGE_WALL) return true;
    }
    return false;
}

void rill_lists_clear(rill_bed *bed, const rill_ghost *ghosts, int32_t count) {
    for (int32_t i = 0; i < count; ++i) bed->b[ghosts[i].place] = bed->c[ghosts[i].place] = RILL_WALL;
}

static bool list_ghosts(rill_update *update, rill_bed *bed, const rill_edge edges[4], const rill_allocator *allocator) {
    const rill_bed_lists *old = &update->other;
    const bool moved = reaches_ghosts(update, bed, edges);
    const int32_t count = moved ? rill_ghosts_list(bed, edges, NULL) : old->ghost_count;
    if (!make_room((void **)&bed->ghosts, &bed->ghost_capacity, (size_t)count, sizeof(rill_ghost), allocator))
        return false;
    bed->ghost_count = count;
    update->ghosts_moved = moved;
    if (moved) {
        rill_lists_clear(bed, old->ghosts, old->ghost_count);
        rill_ghosts_list(bed, edges, bed->ghosts);
    } else
        memcpy(bed->ghosts, old->ghosts, (size_t)count * sizeof(rill_ghost));
    return true;
}

/* ----------------------------------------------------------------------------------------------------------- pipes */

/* A column that is new, and about how many are below it in its cell. */
typedef struct newcomer {
    int32_t place, b, c, below;
} newcomer;

/* A column, the cell beside it on one side and the place there in the same sheet. */
typedef struct candidate {
    newcomer at;
    size_t cell;
    int32_t dense;
} candidate;

/* Whether a column reaches no other of a neighbouring cell than that at place `dense`, as far as can be seen at once:
 * if this is the cell's column of the same number, those next to it are all that could be reached. */
static inline bool meets_one(const rill_bed *bed, const candidate *to) {
    const int32_t first = bed->cell_first[to->cell], end = bed->cell_first[to->cell + 1], k = first + to->at.below;
    const int32_t *places = bed->places;
    if (k >= end || places[k] != to->dense) return false;
    if (bed->b[to->dense] > to->at.b && k > first && bed->c[places[k - 1]] > to->at.b + 1) return false;
    return bed->c[to->dense] >= to->at.c || k + 1 >= end || bed->b[places[k + 1]] >= to->at.c - 1;
}

/* The pipes between a column and those of a neighbouring cell, but for that at place `dense`. Columns that have changed
 * list their pipes to the east and north themselves. */
static bool push_pairs(rill_update *update, const rill_bed *bed, const candidate *to, const rill_allocator *allocator) {
    const newcomer *at = &to->at;
    const int32_t *places = bed->places, first = bed->cell_first[to->cell], end = bed->cell_first[to->cell + 1];
    const int32_t dense = to->dense;
    const bool back = dense < at->place;
    int32_t k = rill_min_i(first + at->below, end);
    while (k > first && bed->c[places[k - 1]] > at->b) --k;
    while (k < end && bed->c[places[k]] <= at->b) ++k;
    for (; k < end && bed->b[places[k]] < at->c; ++k) {
        const int32_t other = places[k];
        if (other == dense || rill_overlap(at->b, at->c, bed->b[other], bed->c[other]) < bed->opening) continue;
        if (back && update->marks[other]) continue;
        const rill_pair found = { back ? other : at->place, back ? at->place : other };
        if (!rill_array_push(&update->pairs, allocator, &found)) return false;
    }
    return true;
}

/* The sides on which a column reaches beyond the one beside it in its sheet: mostly all of it is beside one column. */
static inline unsigned open_sides(const newcomer *at, const int32_t *b, const int32_t *c, int32_t stride) {
    return (unsigned)((b[-1] > at->b) | (c[-1] < at->c)) |
           (unsigned)((b[-stride] > at->b) | (c[-stride] < at->c)) << 1 |
           (unsigned)((b[1] > at->b) | (c[1] < at->c)) << 2 |
           (unsigned)((b[stride] > at->b) | (c[stride] < at->c)) << 3;
}

static bool find_pairs(rill_update *update, const rill_bed *bed, const rill_allocator *allocator) {
    const rill_cell_change *changes = update->changes.data;
    const int32_t nx = bed->grid.cells[0], ny = bed->grid.cells[1], stride = bed->sheets[0].stride;
    const int32_t cell_steps[4] = { -1, -nx, 1, nx }, steps[4] = { -1, -stride, 1, stride };
    const rill_bed here = *bed; /* whatever is written, this stays the same */
    update->pairs.count = 0;
    for (size_t i = 0; i < update->changes.count; ++i) {
        const rill_cell_change at = changes[i];
        const rill_new_column *fresh = (const rill_new_column *)update->fresh.data + at.new_first;
        const size_t cell = cell_of(&here, at.x, at.y);
        const unsigned inside = (unsigned)(at.x > 0) | (unsigned)(at.y > 0) << 1 | (unsigned)(at.x + 1 < nx) << 2 |
                                (unsigned)(at.y + 1 < ny) << 3;
        for (int32_t k = 0; k < at.new_count; ++k) {
            candidate to = { .at = { fresh[k].place, fresh[k].b, fresh[k].c, at.below + k } };
            unsigned sides = inside & open_sides(&to.at, here.b + to.at.place, here.c + to.at.place, stride);
            for (; sides; sides &= sides - 1) {
                const int side = __builtin_ctz(sides);
                to.cell = cell + (size_t)(int64_t)cell_steps[side];
                to.dense = to.at.place + steps[side];
                if (!meets_one(&here, &to) && !push_pairs(update, &here, &to, allocator)) return false;
            }
        }
    }
    sort_pairs(update->pairs.data, update->pairs.count);
    return true;
}

/* A column that is another one now than it was. */
static bool is_other(uint8_t mark) {
    return (mark & (RILL_PLACE_CHANGED | RILL_PLACE_KEPT)) == RILL_PLACE_CHANGED;
}

/* Merges the old list, without the pipes of changed cells, and the pairs that were found. */
static void merge_pipes(rill_update *update, rill_bed *bed) {
    const rill_bed_lists *old = &update->other;
    const rill_pair *pairs = update->pairs.data;
    const uint8_t *marks = update->marks;
    int32_t *from = update->pipe_from.data, count = 0, i = 0;
    for (size_t p = 0; p <= update->pairs.count; ++p) {
        const rill_pair end = { INT32_MAX, INT32_MAX }, next = p < update->pairs.count ? pairs[p] : end;
        int32_t same = -1;
        for (; i < old->pipe_count; ++i) {
            const rill_pair here = { old->pipe_l[i], old->pipe_r[i] };
            if (!pair_before(&here, &next)) break;
            if (marks[here.l] | marks[here.r]) continue;
            bed->pipe_l[count] = here.l, bed->pipe_r[count] = here.r;
            from[count++] = i;
        }
        if (p == update->pairs.count) break;
        if (i < old->pipe_count && old->pipe_l[i] == next.l && old->pipe_r[i] == next.r) same = i++;
        if (is_other(marks[next.l]) || is_other(marks[next.r])) same = -1;
        RILL_ASSERT(marks[next.l] || marks[next.r]); /* pairs are those of changed columns */
        bed->pipe_l[count] = next.l, bed->pipe_r[count] = next.r;
        from[count++] = same;
    }
    RILL_ASSERT((size_t)count <= bed->pipe_capacity);
    for (int32_t k = 1; k < count; ++k)
        RILL_ASSERT(bed->pipe_l[k - 1] < bed->pipe_l[k] ||
                    (bed->pipe_l[k - 1] == bed->pipe_l[k] && bed->pipe_r[k - 1] < bed->pipe_r[k]));
    bed->pipe_count = count;
    update->pipe_from.count = (size_t)count;
}

static rill_result list_pipes(rill_update *update, rill_bed *bed, const rill_allocator *allocator,
                              rill_message *message) {
    if (!find_pairs(update, bed, allocator))
        return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory for the pipes of changed cells");
    const size_t most = (size_t)update->other.pipe_count + update->pairs.count;
    if (most > INT32_MAX)
        return rill_fail(message, RILL_TOO_LARGE, "bed: %zu sparse pipes, expected less than 2^31", most);
    if (!make_room_twice((void **)&bed->pipe_l, sizeof(int32_t), (void **)&bed->pipe_r, sizeof(int32_t),
                         &bed->pipe_capacity, most, allocator) ||
        !rill_array_resize(&update->pipe_from, allocator, most))
        return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory for %zu pipes", most);
    merge_pipes(update, bed);
    bed->info.sparse_pipes = bed->pipe_count;
    return RILL_OK;
}

rill_result rill_lists_renew(rill_update *update, rill_bed *bed, const rill_edge edges[4],
                             const rill_allocator *allocator, rill_message *message) {
    if (!list_ghosts(update, bed, edges, allocator))
        return rill_fail(message, RILL_OUT_OF_MEMORY, "bed: no memory for the columns outside of the edges");
    const rill_result result = list_pipes(update, bed, allocator, message);
    if (result) return result;
    find_lowest(update, bed);
    rill_update_touch(update, bed);
    return RILL_OK;
}

void rill_update_touch(rill_update *update, rill_bed *bed) {
    set_floors(update, bed);
    rill_lists_notes(update, bed);
}
