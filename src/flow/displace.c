/* Displacing what is too much: see displace.h.
 *
 * Columns that are full are passed through, so the whole of a flooded space that is pressed, however many of its columns
 * are, is one *cluster*: it is found breadth first over full columns and columns that are gone. Its excess is summed up and
 * given to the columns with room around it, ring by ring. Each column is looked at once per cluster. */
#include "flow/displace.h"

#include "base/message.h"
#include "base/simd.h"
#include "bed/sheets.h"

enum { SPREAD = 4 }; /* over at least so many times as many columns as are pressed */

rill_displace rill_displace_make(void) {
    return (rill_displace){ .old_H = rill_array_make(sizeof(int32_t)),
                            .amounts = rill_array_make(sizeof(int64_t)),
                            .excess = rill_array_make(sizeof(rill_excess)),
                            .queue = rill_array_make(sizeof(rill_displace_spot)),
                            .takers = rill_array_make(sizeof(int32_t)) };
}

static void free_nodes(rill_displace *d, const rill_allocator *allocator) {
    rill_memory_give(allocator, d->entry_of, d->node_capacity, sizeof *d->entry_of);
    rill_memory_give(allocator, d->seen, d->node_capacity, 1);
    d->entry_of = NULL;
    d->seen = NULL;
    d->node_capacity = 0;
}

void rill_displace_free(rill_displace *displace, const rill_allocator *allocator) {
    rill_array *const arrays[] = { &displace->old_H, &displace->amounts, &displace->excess, &displace->queue,
                                   &displace->takers };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) rill_array_free(arrays[i], allocator);
    free_nodes(displace, allocator);
}

/* --------------------------------------------------------------------------------------------------------- columns */

/* What a column holds; a ceiling leaves some slack. */
int32_t rill_displace_capacity(const rill_displace_job *j, int32_t b, int32_t c) {
    const int32_t height = c - b;
    return c == RILL_TOP ? height : height > j->slack ? height - j->slack : 0;
}

int32_t rill_displace_room(const rill_displace_job *j, int32_t place) {
    return rill_max_i(rill_displace_capacity(j, j->bed->b[place], j->bed->c[place]) - j->flow->H[place], 0);
}

static int32_t place_count(const rill_displace_job *j) {
    return j->bed->plane_size;
}

static const rill_old_column *gone_column(const rill_displace_job *j, int32_t node) {
    return (const rill_old_column *)j->update->old.data + (node - place_count(j));
}

/* Bounds and level of a node. */
typedef struct extent {
    int32_t b, c, level;
} extent;

static extent extent_of(const rill_displace_job *j, int32_t node) {
    if (node < place_count(j)) {
        const int32_t b = j->bed->b[node];
        return (extent){ b, j->bed->c[node], b + j->flow->H[node] };
    }
    const rill_old_column *gone = gone_column(j, node);
    return (extent){ gone->b, gone->c, gone->b + ((const int32_t *)j->d->old_H.data)[node - place_count(j)] };
}

static size_t cell_of(const rill_displace_job *j, int32_t x, int32_t y) {
    return (size_t)y * (size_t)j->bed->grid.cells[0] + (size_t)x;
}

/* The change of a cell, or NULL. */
static const rill_cell_change *change_at(const rill_update *update, int32_t x, int32_t y) {
    const rill_cell_change *changes = update->changes.data;
    size_t low = 0, high = update->changes.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (changes[middle].y < y || (changes[middle].y == y && changes[middle].x < x))
            low = middle + 1;
        else
            high = middle;
    }
    return low < update->changes.count && changes[low].x == x && changes[low].y == y ? &changes[low] : NULL;
}

void rill_displace_set(const rill_displace_job *j, int32_t place, int32_t H) {
    const rill_flow_extent here = { .depth = H, .level = H > RILL_DRY ? j->bed->b[place] + H : 0 };
    rill_flow_widen(&j->flow->extent, &here);
    j->flow->H[place] = H;
}

void rill_displace_add(const rill_displace_job *j, int32_t node, int64_t amount) {
    rill_array *list = &j->d->excess; /* has room for every old and new column */
    ((rill_excess *)list->data)[list->count++] = (rill_excess){ amount, node, false };
    j->d->entry_of[node] = (int32_t)list->count;
    if (node >= place_count(j)) j->d->any_gone = true;
}

/* ------------------------------------------------------------------------------------------------------- searching */

/* A search from one excess on. */
typedef struct search {
    bool relaxed;        /* sills are ignored */
    size_t head;         /* next in the queue */
    int64_t total;       /* quanta to be given away */
    int64_t pressed;     /* columns they are from */
    int64_t room, limit; /* found so far, where each counts for so much at most */
} search;

static void push(const rill_displace_job *j, const rill_displace_spot *spot) {
    rill_array *queue = &j->d->queue;
    ((rill_displace_spot *)queue->data)[queue->count++] = *spot;
    j->d->seen[spot->node] = 1;
}

/* Whether liquid of one node can reach the other. */
static bool passes(const search *s, const extent *from, const extent *to) {
    const int32_t sill = rill_max_i(from->b, to->b);
    return rill_min_i(from->c, to->c) - sill > 1 && (s->relaxed || from->level > sill);
}

/* Calls on all nodes of a neighbouring cell that liquid of `from` can reach; `gone`: also on columns that are gone. */
typedef void visit(const rill_displace_job *j, search *s, const rill_displace_spot *to);
static void visit_cell(const rill_displace_job *j, search *s, const extent *from, int32_t x, int32_t y, bool gone,
                       visit *call) {
    const rill_bed *bed = j->bed;
    if (x < 0 || y < 0 || x >= bed->grid.cells[0] || y >= bed->grid.cells[1]) return;
    const size_t cell = cell_of(j, x, y);
    for (int32_t k = bed->cell_first[cell]; k < bed->cell_first[cell + 1]; ++k) {
        const int32_t place = bed->places[k];
        if (bed->b[place] >= from->c) break; /* and so are all above it */
        const extent to = extent_of(j, place);
        if (!j->d->seen[place] && passes(s, from, &to)) call(j, s, &(rill_displace_spot){ place, x, y });
    }
    const rill_cell_change *change = gone && j->d->any_gone ? change_at(j->update, x, y) : NULL;
    for (int32_t i = 0; change && i < change->old_count; ++i) {
        const int32_t node = place_count(j) + change->old_first + i;
        const extent to = extent_of(j, node);
        if (j->d->entry_of[node] && !j->d->seen[node] && passes(s, from, &to))
            call(j, s, &(rill_displace_spot){ node, x, y });
    }
}

static void visit_around(const rill_displace_job *j, search *s, const rill_displace_spot *at, bool gone, visit *call) {
    const extent from = extent_of(j, at->node);
    visit_cell(j, s, &from, at->x - 1, at->y, gone, call);
    visit_cell(j, s, &from, at->x + 1, at->y, gone, call);
    visit_cell(j, s, &from, at->x, at->y - 1, gone, call);
    visit_cell(j, s, &from, at->x, at->y + 1, gone, call);
}

/* Full columns and columns that are gone belong to the cluster. */
static void join_cluster(const rill_displace_job *j, search *s, const rill_displace_spot *to) {
    (void)s;
    if (to->node >= place_count(j) || rill_displace_room(j, to->node) == 0) push(j, to);
}

static void gather_excess(const rill_displace_job *j, search *s, int32_t node) {
    const int32_t entry = j->d->entry_of[node];
    if (!entry) return;
    rill_excess *excess = (rill_excess *)j->d->excess.data + (entry - 1);
    if (excess->done) return;
    s->total += excess->amount;
    s->pressed += 1;
    excess->done = true;
}

static void join_takers(const rill_displace_job *j, search *s, const rill_displace_spot *to) {
    push(j, to);
    const int32_t room = rill_displace_room(j, to->node);
    if (room == 0) return;
    rill_array *takers = &j->d->takers; /* has room for every column */
    ((int32_t *)takers->data)[takers->count++] = to->node;
    s->room += room < s->limit ? room : s->limit;
}

static void forget(const rill_displace_job *j) {
    const rill_displace_spot *queue = j->d->queue.data;
    for (size_t i = 0; i < j->d->queue.count; ++i) j->d->seen[queue[i].node] = 0;
    j->d->queue.count = j->d->takers.count = 0;
}

/* Finds takers for a cluster, of which the first member is known. Returns whether they have enough room. */
static bool find_takers(const rill_displace_job *j, search *s, const rill_displace_spot *start) {
    const rill_displace_spot *queue = j->d->queue.data;
    forget(j);
    push(j, start);
    for (s->head = 0; s->head < j->d->queue.count; ++s->head) {
        gather_excess(j, s, queue[s->head].node);
        visit_around(j, s, &queue[s->head], true, join_cluster);
    }
    s->room = 0;
    s->limit = (s->total + SPREAD * s->pressed - 1) / (SPREAD * s->pressed);
    for (s->head = 0; s->head < j->d->queue.count && s->room < s->total; ++s->head) {
        const int32_t node = queue[s->head].node;
        const bool wet = node >= place_count(j) || j->flow->H[node] > RILL_DRY;
        if (wet || s->relaxed) visit_around(j, s, &queue[s->head], false, join_takers);
    }
    return s->room >= s->total;
}

/* ---------------------------------------------------------------------------------------------------------- giving */

static void give(const rill_displace_job *j, int32_t place, int64_t amount) {
    rill_displace_set(j, place, j->flow->H[place] + (int32_t)amount);
    rill_flow_wake(j->flow, place);
}

/* The room of all takers if none rises by more than `rise`. */
static int64_t room_below(const rill_displace_job *j, int64_t rise) {
    const int32_t *takers = j->d->takers.data;
    int64_t sum = 0;
    for (size_t i = 0; i < j->d->takers.count; ++i) {
        const int32_t room = rill_displace_room(j, takers[i]);
        sum += room < rise ? room : rise;
    }
    return sum;
}

/* Raises all takers evenly. Returns what they have no room for. */
static int64_t give_all(const rill_displace_job *j, int64_t total) {
    const int32_t *takers = j->d->takers.data;
    int64_t low = 0, high = RILL_TOP; /* the least rise that takes it all is in (low, high] */
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (room_below(j, middle) >= total)
            high = middle;
        else
            low = middle;
    }
    for (size_t i = 0; i < j->d->takers.count && total > 0; ++i) {
        int64_t amount = rill_displace_room(j, takers[i]);
        if (amount > high) amount = high;
        if (amount > total) amount = total;
        give(j, takers[i], amount);
        total -= amount;
    }
    return total;
}

/* Gives to the columns of a cell, from above, no more than `most` to each. Returns what is left. */
static int64_t squeeze_into(const rill_displace_job *j, int32_t x, int32_t y, int64_t most, int64_t total) {
    const rill_bed *bed = j->bed;
    if (x < 0 || y < 0 || x >= bed->grid.cells[0] || y >= bed->grid.cells[1]) return total;
    const size_t cell = cell_of(j, x, y);
    for (int32_t k = bed->cell_first[cell + 1] - 1; k >= bed->cell_first[cell] && total > 0; --k) {
        int64_t amount = rill_displace_room(j, bed->places[k]);
        if (amount > most) amount = most;
        if (amount > total) amount = total;
        if (amount > 0) give(j, bed->places[k], amount);
        total -= amount;
    }
    return total;
}

/* Through solids, to whatever is nearest, square by square around a cell. */
static int64_t squeeze(const rill_displace_job *j, const rill_displace_spot *at, int64_t most, int64_t total) {
    const int32_t reach = rill_max_i(j->bed->grid.cells[0], j->bed->grid.cells[1]);
    for (int32_t r = 0; r < reach && total > 0; ++r)
        for (int32_t y = -r; y <= r; ++y)
            for (int32_t x = -r; x <= r; x += y == -r || y == r || r == 0 ? 1 : 2 * r)
                total = squeeze_into(j, at->x + x, at->y + y, most, total);
    return total;
}

static void displace(const rill_displace_job *j, const rill_displace_spot *start) {
    search s = { 0 };
    if (!find_takers(j, &s, start) && room_below(j, RILL_TOP) < s.total) {
        s.relaxed = true;
        find_takers(j, &s, start);
    }
    int64_t left = give_all(j, s.total);
    if (left == 0) return;
    j->d->squeezed = true;
    left = squeeze(j, start, left / (SPREAD * s.pressed) + 1, left);
    squeeze(j, start, RILL_TOP, left);
}

/* ------------------------------------------------------------------------------------------------------------- all */

bool rill_displace_reserve(rill_displace *d, const rill_flow *flow, const rill_update *update,
                           const rill_allocator *allocator) {
    const size_t places = (size_t)flow->bed->plane_size, nodes = places + update->old.count;
    const size_t columns = (size_t)flow->bed->info.columns;
    if (nodes > d->node_capacity) {
        free_nodes(d, allocator);
        d->node_capacity = places + update->old.count + update->old.count / 2;
        d->entry_of = rill_memory_take(allocator, d->node_capacity, sizeof *d->entry_of);
        d->seen = rill_memory_take(allocator, d->node_capacity, 1);
        if (!d->entry_of || !d->seen) {
            free_nodes(d, allocator);
            return false;
        }
    }
    d->excess.count = d->queue.count = d->takers.count = 0;
    const bool good = rill_array_reserve(&d->old_H, allocator, update->old.count) &&
                      rill_array_reserve(&d->amounts, allocator, update->fresh.count) &&
                      rill_array_reserve(&d->excess, allocator, update->old.count + update->fresh.count) &&
                      rill_array_reserve(&d->queue, allocator, columns + update->old.count) &&
                      rill_array_reserve(&d->takers, allocator, columns);
    d->any_gone = false;
    return good;
}

/* The cell of an excess. */
static rill_displace_spot spot_of(const rill_displace_job *j, int32_t node) {
    rill_displace_spot spot = { .node = node };
    const int32_t place = node < place_count(j) ? node : gone_column(j, node)->place;
    rill_bed_sheet_of(j->bed, place, &spot.x, &spot.y);
    return spot;
}

void rill_displace_all(const rill_displace_job *j) {
    const rill_excess *excess = j->d->excess.data;
    for (size_t i = 0; i < j->d->excess.count; ++i) {
        if (excess[i].done) continue; /* with a cluster */
        const rill_displace_spot start = spot_of(j, excess[i].node);
        displace(j, &start);
    }
    forget(j);
    for (size_t i = 0; i < j->d->excess.count; ++i) j->d->entry_of[excess[i].node] = 0;
}
