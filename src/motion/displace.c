/* Displacing what is too much: see displace.h.
 *
 * Columns that are full are passed through, so the whole of a flooded space that is pressed, however many of its
 * columns are, is one *cluster*: it is found breadth first over full columns and columns that are gone. Its excess is
 * summed up, and the columns with room around it are looked for, ring by ring: without enough of them it is squeezed.
 * Each column is looked at once or twice per cluster. */
#include "motion/displace.h"

#include <math.h>

#include "base/message.h"
#include "base/simd.h"
#include "bed/sheets.h"
#include "flow/column.h"
#include "passages/passages.h"
#include "motion/expelled.h"

enum { THIN = 4 }; /* columns so many times lower than others are not pushed through */

/* --------------------------------------------------------------------------------------------------------- columns */

/* What a column holds; a ceiling leaves some slack. */
int32_t rill_displace_capacity(const rill_displace_job *j, int32_t b, int32_t c) {
    const int32_t height = c - b;
    return c == RILL_TOP ? height : height > j->how->slack ? height - j->how->slack : 0;
}

/* A flooded column may have a few quanta less than full, and counts as full with that. */
int32_t rill_displace_room(const rill_displace_job *j, int32_t place) {
    const int32_t room = rill_displace_capacity(j, j->bed->b[place], j->bed->c[place]) - j->flow->H[place];
    const int32_t least = j->how->slack > 0 && j->bed->c[place] < RILL_TOP ? RILL_FULL_LOW - RILL_FULL : 0;
    return room > least ? room : 0;
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
    rill_column_set(j->flow, place, H);
}

rill_excess *rill_displace_add(const rill_displace_job *j, const rill_displace_spot *at, int64_t amount) {
    rill_array *list = &j->d->excess; /* has room for every old and new column */
    int32_t *entry = &j->d->entry_of[at->node];
    if (!*entry) {
        ((rill_excess *)list->data)[list->count++] = (rill_excess){ .node = at->node, .x = at->x, .y = at->y };
        *entry = (int32_t)list->count;
        if (at->node >= place_count(j)) j->d->gone[cell_of(j, at->x, at->y)] = 1;
    }
    rill_excess *excess = (rill_excess *)list->data + (*entry - 1);
    excess->amount += amount;
    return excess;
}

/* ------------------------------------------------------------------------------------------------------- searching */

/* A search from one excess on. */
typedef struct search {
    int32_t number;       /* from 1 on */
    bool former;          /* what columns that are gone were joined with counts */
    bool relaxed;         /* sills are ignored */
    bool flooded;         /* columns that are full, and still there, belong to the cluster */
    size_t head;          /* next in the queue */
    size_t cluster;       /* so many of the queue are the cluster */
    int64_t total;        /* quanta to be given away */
    int64_t pressed;      /* columns they are from */
    double deep;          /* so many of them, on the average, are behind each other */
    double seconds;       /* in which they were pressed out */
    int64_t room, limit;  /* found so far, where each counts for so much at most */
    int32_t least_height; /* of columns through which it is pushed, quanta */
    bool jumped;          /* a ceiling did, too far to push */
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

/* Calls on a column of a cell, which has not been seen, if liquid of `from` can reach it. */
typedef void visit(const rill_displace_job *j, search *s, const rill_displace_spot *to);
static inline void visit_column(const rill_displace_job *j, search *s, const extent *from, const rill_displace_spot *at,
                                visit *call) {
    const extent to = { j->bed->b[at->node], j->bed->c[at->node], 0 }; /* its level does not matter */
    if (passes(s, from, &to)) call(j, s, at);
}

/* On all columns of a cell. */
static void visit_cell(const rill_displace_job *j, search *s, const extent *from, int32_t x, int32_t y, visit *call) {
    const rill_bed *bed = j->bed;
    const size_t cell = cell_of(j, x, y);
    for (int32_t k = bed->cell_first[cell]; k < bed->cell_first[cell + 1]; ++k) {
        const int32_t place = bed->places[k];
        if (bed->b[place] >= from->c) break; /* and so are all above it */
        if (!j->d->seen[place]) visit_column(j, s, from, &(rill_displace_spot){ place, x, y }, call);
    }
}

/* On those that go on from columns which `from`, that is gone, was joined with: a lid may have passed its floor. */
static void visit_former(const rill_displace_job *j, search *s, const extent *from, int32_t x, int32_t y, visit *call) {
    const rill_cell_change *change = change_at(j->update, x, y);
    const rill_old_column *old = j->update->old.data;
    for (int32_t i = 0; change && i < change->old_count; ++i) {
        const rill_old_column *was = &old[change->old_first + i];
        const extent before = { was->b, was->c, was->c };
        if (passes(s, from, &before)) visit_cell(j, s, &before, x, y, call);
    }
}

/* On those columns of a cell that are gone. */
static void visit_gone(const rill_displace_job *j, search *s, const extent *from, int32_t x, int32_t y, visit *call) {
    const rill_cell_change *change = change_at(j->update, x, y);
    for (int32_t i = 0; change && i < change->old_count; ++i) {
        const int32_t node = place_count(j) + change->old_first + i;
        const extent to = extent_of(j, node);
        if (j->d->entry_of[node] && !j->d->seen[node] && passes(s, from, &to))
            call(j, s, &(rill_displace_spot){ node, x, y });
    }
}

/* On all nodes beside one that its liquid can reach; `gone`: also on columns that are gone. But for sparse pipes only
 * the neighbour in the same sheet can be reached, and all sheets are of one size. */
static void visit_around(const rill_displace_job *j, search *s, const rill_displace_spot *at, bool gone, visit *call) {
    const extent from = extent_of(j, at->node);
    const bool dense = at->node < place_count(j) && !j->d->piped[at->node];
    const int32_t stride = j->bed->sheets[0].stride, nx = j->bed->grid.cells[0], ny = j->bed->grid.cells[1];
    for (int i = 0; i < 4; ++i) {
        const int32_t x = at->x + rill_beside[i][0], y = at->y + rill_beside[i][1];
        const int32_t beside = at->node + rill_beside[i][0] + rill_beside[i][1] * stride;
        if ((uint32_t)x >= (uint32_t)nx || (uint32_t)y >= (uint32_t)ny) continue;
        if (!dense)
            visit_cell(j, s, &from, x, y, call);
        else if (!j->d->seen[beside])
            visit_column(j, s, &from, &(rill_displace_spot){ beside, x, y }, call);
        if (s->former && at->node >= place_count(j)) visit_former(j, s, &from, x, y, call);
        if (gone && j->d->gone[cell_of(j, x, y)]) visit_gone(j, s, &from, x, y, call);
    }
}

/* Full columns and columns that are gone belong to the cluster. */
static void join_cluster(const rill_displace_job *j, search *s, const rill_displace_spot *to) {
    (void)s;
    if (to->node >= place_count(j) || rill_displace_room(j, to->node) == 0) push(j, to);
}

static void count_excess(search *s, const rill_excess *excess) {
    s->seconds = rill_expelled_mean(s->total, s->seconds, excess->amount, excess->seconds);
    s->deep = rill_expelled_mean(s->total, s->deep, excess->amount, (double)excess->pace.deep);
    s->total += excess->amount;
    s->pressed += 1;
}

static void gather_excess(const rill_displace_job *j, search *s, int32_t node) {
    const int32_t entry = j->d->entry_of[node];
    if (!entry) return;
    rill_excess *excess = (rill_excess *)j->d->excess.data + (entry - 1);
    if (excess->search) return;
    count_excess(s, excess);
    excess->search = s->number;
}

/* What a column may be given: what it has room for; one that is flooded pushes any amount on. */
static int32_t space_of(const rill_displace_job *j, int32_t place) {
    const int32_t room = rill_displace_room(j, place);
    return room > 0 || !j->how->pushes || j->bed->c[place] == RILL_TOP ? room : RILL_TOP;
}

static int32_t height_of(const rill_displace_job *j, int32_t place) {
    return j->bed->c[place] - j->bed->b[place];
}

static void add_taker(const rill_displace_job *j, search *s, const rill_displace_spot *to, int32_t room) {
    push(j, to);
    if (room == 0) return;
    rill_array *takers = &j->d->takers; /* has room for every column */
    ((rill_taker *)takers->data)[takers->count++] = (rill_taker){ to->node, room };
    s->room += room < s->limit ? room : s->limit;
}

static void join_takers(const rill_displace_job *j, search *s, const rill_displace_spot *to) {
    add_taker(j, s, to, rill_displace_room(j, to->node));
}

static void join_front(const rill_displace_job *j, search *s, const rill_displace_spot *to) {
    add_taker(j, s, to, height_of(j, to->node) >= s->least_height ? space_of(j, to->node) : 0);
}

static void forget(const rill_displace_job *j) {
    const rill_displace_spot *queue = j->d->queue.data;
    for (size_t i = 0; i < j->d->queue.count; ++i) j->d->seen[queue[i].node] = 0;
    j->d->queue.count = j->d->takers.count = 0;
}

/* From what is in the queue on, whole rings of columns until they have room for everything. */
static void find_rings(const rill_displace_job *j, search *s, visit *call) {
    const rill_displace_spot *queue = j->d->queue.data;
    s->room = 0;
    s->limit = (int64_t)((double)s->total * s->deep / (double)s->pressed) + 1;
    for (size_t ring = s->head = 0; s->head < j->d->queue.count; ++s->head) {
        if (s->head == ring && s->room >= s->total) return;
        if (s->head == ring) ring = j->d->queue.count;
        const int32_t node = queue[s->head].node;
        const bool wet = node >= place_count(j) || j->flow->H[node] > RILL_DRY;
        if (wet || s->relaxed) visit_around(j, s, &queue[s->head], false, call);
    }
}

/* Finds takers for a cluster, of which the first member is known. */
static void find_takers(const rill_displace_job *j, search *s, const rill_displace_spot *start) {
    const rill_displace_spot *queue = j->d->queue.data;
    forget(j);
    push(j, start);
    for (s->head = 0; s->head < j->d->queue.count; ++s->head) {
        gather_excess(j, s, queue[s->head].node);
        s->flooded |= queue[s->head].node < place_count(j);
        visit_around(j, s, &queue[s->head], true, join_cluster);
    }
    s->cluster = j->d->queue.count;
    find_rings(j, s, join_takers);
}

/* Whether a node is a column under a ceiling, which keeps what it has too much. */
static bool stays(const rill_displace_job *j, int32_t node) {
    return node < place_count(j) && j->bed->c[node] < RILL_TOP;
}

/* What this search has counted of a node; NULL if nothing. */
static const rill_excess *counted(const rill_displace_job *j, const search *s, int32_t node) {
    const rill_excess *all = j->d->excess.data;
    const int32_t entry = j->d->entry_of[node];
    return entry && all[entry - 1].search == s->number ? &all[entry - 1] : NULL;
}

/* Whether a ceiling came down by more than half of what it has left: that was a jump, and no passage could take it so
 * fast. */
static bool jumped(const rill_displace_job *j, const rill_excess *excess) {
    return excess->amount > height_of(j, excess->node) / 2;
}

/* A body that touches down leaves a wedge, out of which liquid would shoot the faster the thinner it is: little of it,
 * and nobody sees it. So nothing is pushed through columns of less than a quarter of the highest one that is
 * pressed. */
static void find_least_height(const rill_displace_job *j, search *s) {
    const rill_displace_spot *queue = j->d->queue.data;
    int32_t highest = 0;
    for (size_t i = 0; i < s->cluster; ++i)
        if (stays(j, queue[i].node) && counted(j, s, queue[i].node))
            highest = rill_max_i(highest, height_of(j, queue[i].node));
    s->least_height = highest / THIN;
}

/* Holds the excess of the columns that are still there, and are flooded, where it is. What is left is that of others:
 * the queue begins with their nodes then. */
static void keep_excess(const rill_displace_job *j, search *s) {
    rill_displace_spot *queue = j->d->queue.data;
    size_t count = 0;
    s->total = s->pressed = 0;
    for (size_t i = 0; i < j->d->queue.count; ++i) {
        const rill_displace_spot at = queue[i];
        const rill_excess *excess = i < s->cluster ? counted(j, s, at.node) : NULL;
        j->d->seen[at.node] = 0;
        if (!excess) continue;
        if (stays(j, at.node) && height_of(j, at.node) >= s->least_height && !jumped(j, excess)) {
            rill_expelled_add(j->flow, at.node, excess->amount, excess->seconds, NULL);
            continue;
        }
        s->jumped |= stays(j, at.node) && jumped(j, excess);
        count_excess(s, excess);
        queue[count++] = at;
    }
    j->d->queue.count = count;
    j->d->takers.count = 0;
    for (size_t i = 0; i < count; ++i) j->d->seen[queue[i].node] = 1;
}

/* ---------------------------------------------------------------------------------------------------------- giving */

static void give(const rill_displace_job *j, int32_t place, int64_t amount) {
    rill_displace_set(j, place, j->flow->H[place] + (int32_t)amount);
    rill_flow_wake(j->flow, place);
}

/* The space of all takers if none gets more than `rise`. */
static int64_t room_below(const rill_displace_job *j, int64_t rise) {
    const rill_taker *takers = j->d->takers.data;
    int64_t sum = 0;
    for (size_t i = 0; i < j->d->takers.count; ++i) sum += takers[i].room < rise ? takers[i].room : rise;
    return sum;
}

/* Deals out to all takers evenly, at once or to be held for some seconds. Returns what they have no room for. */
static int64_t give_all(const rill_displace_job *j, int64_t total, bool expelled, double seconds) {
    const rill_taker *takers = j->d->takers.data;
    int64_t low = 0, high = RILL_TOP; /* the least rise that takes it all is in (low, high] */
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (room_below(j, middle) >= total)
            high = middle;
        else
            low = middle;
    }
    for (size_t i = 0; i < j->d->takers.count && total > 0; ++i) {
        int64_t amount = takers[i].room;
        if (amount > high) amount = high;
        if (amount > total) amount = total;
        if (expelled)
            rill_expelled_add(j->flow, takers[i].place, amount, seconds, NULL);
        else
            give(j, takers[i].place, amount);
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

int64_t rill_displace_squeeze(rill_flow *flow, int32_t place, int32_t slack, int64_t amount) {
    const rill_displace_how how = { .slack = slack };
    const rill_displace_job j = { .flow = flow, .bed = flow->bed, .how = &how };
    rill_displace_spot at = { .node = place };
    rill_bed_sheet_of(flow->bed, place, &at.x, &at.y);
    return squeeze(&j, &at, RILL_TOP, amount);
}

/* What is pressed has a way out. */
static void hold(const rill_displace_job *j, search *s, const rill_displace_spot *start) {
    if (j->how->pushes && s->flooded) {
        find_least_height(j, s);
        keep_excess(j, s);
        if (s->total == 0) return;
        if (!s->jumped) find_rings(j, s, join_front);
        if (s->jumped || room_below(j, RILL_TOP) < s->total) find_takers(j, s, start);
    }
    give_all(j, s->total, true, s->seconds);
}

static void displace(const rill_displace_job *j, int32_t number, const rill_displace_spot *start) {
    search s = { .number = number };
    find_takers(j, &s, start);
    if (room_below(j, RILL_TOP) < s.total) {
        s.former = true;
        find_takers(j, &s, start);
    }
    if (room_below(j, RILL_TOP) < s.total) {
        s.relaxed = true;
        find_takers(j, &s, start);
    }
    if (room_below(j, RILL_TOP) >= s.total) {
        hold(j, &s, start);
        return;
    }
    int64_t left = give_all(j, s.total, false, 0.0);
    j->d->squeezed = true;
    left = squeeze(j, start, left / s.pressed + 1, left);
    squeeze(j, start, RILL_TOP, left);
}

/* What a wall presses out goes to the column before it, if liquid gets there and there is room; in the time in which it passes
 * a cell, after what came before. If nothing did, it takes an interval longer: the next cell may come so much later. */
static bool push_ahead(const rill_displace_job *j, rill_excess *excess) {
    if (excess->node < place_count(j) || !(excess->pace.seconds > 0.0)) return false;
    const rill_wall_speed *pace = &excess->pace;
    const int32_t ahead = pace->deep - pace->inner, *step = rill_beside[pace->side];
    const int32_t x = excess->x + ahead * step[0], y = excess->y + ahead * step[1];
    if (x < 0 || y < 0 || x >= j->bed->grid.cells[0] || y >= j->bed->grid.cells[1]) return false;
    const extent from = extent_of(j, excess->node);
    const search strict = { 0 };
    for (int32_t k = j->bed->cell_first[cell_of(j, x, y)]; k < j->bed->cell_first[cell_of(j, x, y) + 1]; ++k) {
        const int32_t place = j->bed->places[k];
        const extent to = extent_of(j, place);
        if (!passes(&strict, &from, &to) || rill_displace_room(j, place) < excess->amount) continue;
        const double reserve = excess->before > 0.0 ? excess->before : pace->inner == 0 ? pace->interval : 0.0;
        rill_expelled_add(j->flow, place, excess->amount, fmin(pace->seconds + reserve, RILL_EXPELLED_SLOWEST), pace);
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------------------------------------------------- all */

static void mark_piped(const rill_displace_job *j, uint8_t mark) {
    for (int32_t i = 0; i < j->bed->pipe_count; ++i)
        j->d->piped[j->bed->pipe_l[i]] = j->d->piped[j->bed->pipe_r[i]] = mark;
}

void rill_displace_all(const rill_displace_job *j) {
    rill_excess *excess = j->d->excess.data;
    if (j->d->excess.count > 0) mark_piped(j, 1);
    for (size_t i = 0; i < j->d->excess.count; ++i)
        if (push_ahead(j, &excess[i])) excess[i].search = (int32_t)i + 1;
    for (size_t i = 0; i < j->d->excess.count; ++i) {
        if (excess[i].search) continue; /* straight ahead, or with a cluster */
        const rill_displace_spot start = { excess[i].node, excess[i].x, excess[i].y };
        displace(j, (int32_t)i + 1, &start);
    }
    forget(j);
    for (size_t i = 0; i < j->d->excess.count; ++i) {
        j->d->entry_of[excess[i].node] = 0;
        j->d->gone[cell_of(j, excess[i].x, excess[i].y)] = 0;
    }
    if (j->d->excess.count > 0) mark_piped(j, 0);
    rill_expelled_order(j->flow);
}
