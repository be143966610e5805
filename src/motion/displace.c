/* Displaces what is too much: see displace.h.
 *
 * Columns that are full are passed through, so the whole of a flooded space that is pressed, however many of its
 * columns are, is one *cluster*: it is found breadth first over full columns and columns that are gone. Its excess is
 * summed up, and the columns with room around it are looked for, ring by ring: without enough of them it is squeezed.
 * Each column is looked at once or twice per cluster. */
#include "motion/motion_internal.h"

#include <math.h>

#include "base/message.h"
#include "base/simd.h"
#include "bed/sheets.h"
#include "motion/swept_volume.h"
#include "passages/passages.h"

enum { THIN = 4 }; /* columns so many times lower than others are not pushed through */

/* --------------------------------------------------------------------------------------------------------- columns */

static const rill_old_column *gone_column(const rill_displace_job *job, int32_t node) {
    return (const rill_old_column *)job->update->old.data + (node - rill_displace_places(job));
}

/* A node, from its base to its ceiling. */
typedef struct extent {
    int32_t b, c, level;
} extent;

static extent extent_of(const rill_displace_job *job, int32_t node) {
    if (node < rill_displace_places(job)) {
        const int32_t b = job->bed->b[node];
        return (extent){ b, job->bed->c[node], b + job->flow->H[node] };
    }
    const rill_old_column *gone = gone_column(job, node);
    return (extent){ gone->b, gone->c,
                     gone->b + ((const int32_t *)job->displace->old_H.data)[node - rill_displace_places(job)] };
}

/* Finds the change of a cell, or NULL. */
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

rill_excess *rill_displace_add(const rill_displace_job *job, const rill_displace_spot *at, int64_t amount) {
    rill_array *list = &job->displace->excess; /* has room for every old and new column */
    int32_t *entry = &job->displace->entry_of[at->node];
    RILL_ASSERT(amount > 0 && at->node >= 0 && (size_t)at->node < job->displace->node_capacity);
    if (!*entry) {
        RILL_ASSERT(list->count < list->capacity);
        ((rill_excess *)list->data)[list->count++] = (rill_excess){ .node = at->node, .x = at->x, .y = at->y };
        *entry = (int32_t)list->count;
        if (at->node >= rill_displace_places(job)) job->displace->gone[rill_displace_cell(job, at->x, at->y)] = 1;
    }
    rill_excess *excess = (rill_excess *)list->data + (*entry - 1);
    RILL_ASSERT(excess->node == at->node && excess->amount >= 0);
    excess->amount += amount;
    return excess;
}

/* ------------------------------------------------------------------------------------------------------- searching */

/* A search from one excess on. */
typedef struct cluster_search {
    int32_t number;       /* from 1 on */
    bool former;          /* neighbours that columns which are gone once had are neighbours still */
    bool relaxed;         /* sills are ignored */
    bool flooded;         /* columns that are full, and still there, belong to the cluster */
    size_t head;          /* of the queue: the next node */
    size_t cluster;       /* count of nodes at the start of the queue that are the cluster */
    int64_t total;        /* quanta to be given away */
    int64_t pressed;      /* count of the columns that had too much */
    double deep;          /* mean count of pressed columns behind each other */
    double seconds;       /* mean time in which liquid was pressed out */
    int64_t room;         /* quanta for which there is room, as far as it is known */
    int64_t limit;        /* quanta of that for which one column counts at most */
    int32_t least_height; /* quanta: through lower columns nothing is pushed */
    bool jumped;          /* a ceiling came down too far for its liquid to be pushed */
} cluster_search;

static void push(const rill_displace_job *job, const rill_displace_spot *spot) {
    rill_array *queue = &job->displace->queue;
    RILL_ASSERT(queue->count < queue->capacity && !job->displace->seen[spot->node]);
    ((rill_displace_spot *)queue->data)[queue->count++] = *spot;
    job->displace->seen[spot->node] = 1;
}

/* Tells whether liquid of one node can reach the other. */
static bool passes(const cluster_search *search, const extent *from, const extent *to) {
    const int32_t sill = rill_max_i(from->b, to->b);
    return rill_min_i(from->c, to->c) - sill > 1 && (search->relaxed || from->level > sill);
}

/* Called on a node that liquid can reach. */
typedef void visit(const rill_displace_job *job, cluster_search *search, const rill_displace_spot *to);

/* Calls on a column of a cell, which has not been seen, if liquid of `from` can reach it. */
static inline void visit_column(const rill_displace_job *job, cluster_search *search, const extent *from,
                                const rill_displace_spot *at, visit *call) {
    const extent to = { job->bed->b[at->node], job->bed->c[at->node], 0 }; /* its level does not matter */
    if (passes(search, from, &to)) call(job, search, at);
}

/* Visits all columns of a cell. */
static void visit_cell(const rill_displace_job *job, cluster_search *search, const extent *from, int32_t x, int32_t y,
                       visit *call) {
    const rill_bed *bed = job->bed;
    const size_t cell = rill_displace_cell(job, x, y);
    for (int32_t k = bed->cell_first[cell]; k < bed->cell_first[cell + 1]; ++k) {
        const int32_t place = bed->places[k];
        if (bed->b[place] >= from->c) break; /* and so are all above it */
        if (!job->displace->seen[place]) visit_column(job, search, from, &(rill_displace_spot){ place, x, y }, call);
    }
}

/* Visits the columns that go on from those which `from`, that is gone, was joined with: a lid may have passed its
 * floor. */
static void visit_former(const rill_displace_job *job, cluster_search *search, const extent *from, int32_t x, int32_t y,
                         visit *call) {
    const rill_cell_change *change = change_at(job->update, x, y);
    const rill_old_column *old = job->update->old.data;
    for (int32_t i = 0; change && i < change->old_count; ++i) {
        const rill_old_column *was = &old[change->old_first + i];
        const extent before = { was->b, was->c, was->c };
        if (passes(search, from, &before)) visit_cell(job, search, &before, x, y, call);
    }
}

/* Visits the columns of a cell that are gone. */
static void visit_gone(const rill_displace_job *job, cluster_search *search, const extent *from, int32_t x, int32_t y,
                       visit *call) {
    const rill_cell_change *change = change_at(job->update, x, y);
    for (int32_t i = 0; change && i < change->old_count; ++i) {
        const int32_t node = rill_displace_places(job) + change->old_first + i;
        const extent to = extent_of(job, node);
        if (job->displace->entry_of[node] && !job->displace->seen[node] && passes(search, from, &to))
            call(job, search, &(rill_displace_spot){ node, x, y });
    }
}

/* Visits all nodes beside one that its liquid can reach; `gone`: also columns that are gone. But for sparse pipes only
 * the neighbour in the same sheet can be reached, and all sheets are of one size. */
static void visit_around(const rill_displace_job *job, cluster_search *search, const rill_displace_spot *at, bool gone,
                         visit *call) {
    const extent from = extent_of(job, at->node);
    const bool dense = at->node < rill_displace_places(job) && !job->displace->piped[at->node];
    const int32_t stride = job->bed->sheets[0].stride, nx = job->bed->grid.cells[0], ny = job->bed->grid.cells[1];
    for (int i = 0; i < 4; ++i) {
        const int32_t x = at->x + rill_beside[i][0], y = at->y + rill_beside[i][1];
        const int32_t beside = at->node + rill_beside[i][0] + rill_beside[i][1] * stride;
        if ((uint32_t)x >= (uint32_t)nx || (uint32_t)y >= (uint32_t)ny) continue;
        if (!dense)
            visit_cell(job, search, &from, x, y, call);
        else if (!job->displace->seen[beside])
            visit_column(job, search, &from, &(rill_displace_spot){ beside, x, y }, call);
        if (search->former && at->node >= rill_displace_places(job)) visit_former(job, search, &from, x, y, call);
        if (gone && job->displace->gone[rill_displace_cell(job, x, y)]) visit_gone(job, search, &from, x, y, call);
    }
}

/* Puts a node into the cluster if it is full, or gone. */
static void join_cluster(const rill_displace_job *job, cluster_search *search, const rill_displace_spot *to) {
    (void)search;
    if (to->node >= rill_displace_places(job) || rill_displace_room(job, to->node) == 0) push(job, to);
}

static void count_excess(cluster_search *search, const rill_excess *excess) {
    RILL_ASSERT(excess->amount > 0 && excess->seconds >= 0.0);
    search->seconds = rill_expelled_mean(search->total, search->seconds, excess->amount, excess->seconds);
    search->deep = rill_expelled_mean(search->total, search->deep, excess->amount, (double)excess->wall.deep);
    search->total += excess->amount;
    search->pressed += 1;
}

static void gather_excess(const rill_displace_job *job, cluster_search *search, int32_t node) {
    const int32_t entry = job->displace->entry_of[node];
    if (!entry) return;
    rill_excess *excess = (rill_excess *)job->displace->excess.data + (entry - 1);
    if (excess->search) return;
    count_excess(search, excess);
    excess->search = search->number;
}

/* Returns what a column may be given: what it has room for; one that is flooded pushes any amount on. */
static int32_t space_of(const rill_displace_job *job, int32_t place) {
    const int32_t room = rill_displace_room(job, place);
    return room > 0 || !job->how->pushes || job->bed->c[place] == RILL_TOP ? room : RILL_TOP;
}

static int32_t height_of(const rill_displace_job *job, int32_t place) {
    return job->bed->c[place] - job->bed->b[place];
}

static void add_taker(const rill_displace_job *job, cluster_search *search, const rill_displace_spot *to,
                      int32_t room) {
    push(job, to);
    if (room == 0) return;
    rill_array *takers = &job->displace->takers; /* has room for every column */
    RILL_ASSERT(room > 0 && takers->count < takers->capacity);
    ((rill_taker *)takers->data)[takers->count++] = (rill_taker){ to->node, room };
    search->room += room < search->limit ? room : search->limit;
}

static void join_takers(const rill_displace_job *job, cluster_search *search, const rill_displace_spot *to) {
    add_taker(job, search, to, rill_displace_room(job, to->node));
}

static void join_front(const rill_displace_job *job, cluster_search *search, const rill_displace_spot *to) {
    add_taker(job, search, to, height_of(job, to->node) >= search->least_height ? space_of(job, to->node) : 0);
}

static void forget(const rill_displace_job *job) {
    const rill_displace_spot *queue = job->displace->queue.data;
    for (size_t i = 0; i < job->displace->queue.count; ++i) job->displace->seen[queue[i].node] = 0;
    job->displace->queue.count = job->displace->takers.count = 0;
}

/* Goes on from the nodes in the queue, in whole rings, until these have room for everything. */
static void find_rings(const rill_displace_job *job, cluster_search *search, visit *call) {
    const rill_displace_spot *queue = job->displace->queue.data;
    RILL_ASSERT(search->total > 0 && search->pressed > 0);
    search->room = 0;
    search->limit = (int64_t)((double)search->total * search->deep / (double)search->pressed) + 1;
    for (size_t ring = search->head = 0; search->head < job->displace->queue.count; ++search->head) {
        if (search->head == ring && search->room >= search->total) return;
        if (search->head == ring) ring = job->displace->queue.count;
        const int32_t node = queue[search->head].node;
        const bool wet = node >= rill_displace_places(job) || job->flow->H[node] > RILL_DRY;
        if (wet || search->relaxed) visit_around(job, search, &queue[search->head], false, call);
    }
}

/* Finds takers for a cluster, of which the first member is known. */
static void find_takers(const rill_displace_job *job, cluster_search *search, const rill_displace_spot *start) {
    const rill_displace_spot *queue = job->displace->queue.data;
    forget(job);
    push(job, start);
    for (search->head = 0; search->head < job->displace->queue.count; ++search->head) {
        gather_excess(job, search, queue[search->head].node);
        search->flooded |= queue[search->head].node < rill_displace_places(job);
        visit_around(job, search, &queue[search->head], true, join_cluster);
    }
    search->cluster = job->displace->queue.count;
    RILL_ASSERT(search->cluster > 0 && search->deep > 0.0);
    find_rings(job, search, join_takers);
}

/* Tells whether a node is a column under a ceiling, which keeps what it has too much. */
static bool stays(const rill_displace_job *job, int32_t node) {
    return node < rill_displace_places(job) && job->bed->c[node] < RILL_TOP;
}

/* Returns what this search has counted of a node; NULL if nothing. */
static const rill_excess *counted(const rill_displace_job *job, const cluster_search *search, int32_t node) {
    const rill_excess *all = job->displace->excess.data;
    const int32_t entry = job->displace->entry_of[node];
    return entry && all[entry - 1].search == search->number ? &all[entry - 1] : NULL;
}

/* Tells whether a ceiling came down by more than half of what it has left: that was a jump, and no passage could take
 * it so fast. */
static bool jumped(const rill_displace_job *job, const rill_excess *excess) {
    return excess->amount > height_of(job, excess->node) / 2;
}

/* Finds the least height of columns through which liquid is pushed: a quarter of the highest one that is pressed. A
 * body that touches down leaves a wedge, out of which liquid would shoot the faster the thinner it is: little of it,
 * and nobody sees it. */
static void find_least_height(const rill_displace_job *job, cluster_search *search) {
    const rill_displace_spot *queue = job->displace->queue.data;
    int32_t highest = 0;
    for (size_t i = 0; i < search->cluster; ++i)
        if (stays(job, queue[i].node) && counted(job, search, queue[i].node))
            highest = rill_max_i(highest, height_of(job, queue[i].node));
    search->least_height = highest / THIN;
}

/* Leaves the excess of columns that are still there, and are flooded, where it is. The queue then begins with the nodes
 * whose excess has to go elsewhere. */
static void keep_excess(const rill_displace_job *job, cluster_search *search) {
    rill_displace_spot *queue = job->displace->queue.data;
    size_t count = 0;
    search->total = search->pressed = 0;
    for (size_t i = 0; i < job->displace->queue.count; ++i) {
        const rill_displace_spot at = queue[i];
        const rill_excess *excess = i < search->cluster ? counted(job, search, at.node) : NULL;
        job->displace->seen[at.node] = 0;
        if (!excess) continue;
        if (stays(job, at.node) && height_of(job, at.node) >= search->least_height && !jumped(job, excess)) {
            rill_expelled_add(job->flow, at.node, excess->amount, excess->seconds, NULL);
            continue;
        }
        search->jumped |= stays(job, at.node) && jumped(job, excess);
        count_excess(search, excess);
        queue[count++] = at;
    }
    job->displace->queue.count = count;
    job->displace->takers.count = 0;
    for (size_t i = 0; i < count; ++i) job->displace->seen[queue[i].node] = 1;
}

/* ---------------------------------------------------------------------------------------------------------- giving */

/* Lets what is pressed, and has a way out, enter over time. */
static void give_over_time(const rill_displace_job *job, cluster_search *search, const rill_displace_spot *start) {
    if (job->how->pushes && search->flooded) {
        find_least_height(job, search);
        keep_excess(job, search);
        if (search->total == 0) return;
        if (!search->jumped) find_rings(job, search, join_front);
        if (search->jumped || rill_displace_room_below(job, RILL_TOP) < search->total) find_takers(job, search, start);
    }
    const int64_t left = rill_displace_deal(job, search->total, true, search->seconds);
    RILL_ASSERT(left == 0);
}

static void displace_cluster(const rill_displace_job *job, int32_t number, const rill_displace_spot *start) {
    cluster_search search = { .number = number };
    find_takers(job, &search, start);
    if (rill_displace_room_below(job, RILL_TOP) < search.total) {
        search.former = true;
        find_takers(job, &search, start);
    }
    if (rill_displace_room_below(job, RILL_TOP) < search.total) {
        search.relaxed = true;
        find_takers(job, &search, start);
    }
    if (rill_displace_room_below(job, RILL_TOP) >= search.total) {
        give_over_time(job, &search, start);
        return;
    }
    int64_t left = rill_displace_deal(job, search.total, false, 0.0);
    job->displace->squeezed = true;
    left = rill_displace_press(job, start, left / search.pressed + 1, left);
    left = rill_displace_press(job, start, RILL_TOP, left);
    RILL_ASSERT(left == 0); /* preparing has made sure that there is room */
}

/* Gives what a wall presses out to the column before it, if liquid gets there and there is room, over the time in which
 * the wall passes a cell, after what came before. If nothing did, it takes an interval longer: the next cell may come
 * so much later. */
static bool push_ahead(const rill_displace_job *job, rill_excess *excess) {
    if (excess->node < rill_displace_places(job) || !(excess->wall.seconds > 0.0)) return false;
    const rill_wall_speed *wall = &excess->wall;
    const int32_t ahead = wall->deep - wall->inner, *step = rill_beside[wall->side];
    const int32_t x = excess->x + ahead * step[0], y = excess->y + ahead * step[1];
    if (x < 0 || y < 0 || x >= job->bed->grid.cells[0] || y >= job->bed->grid.cells[1]) return false;
    const extent from = extent_of(job, excess->node);
    const cluster_search strict = { 0 };
    for (int32_t k = job->bed->cell_first[rill_displace_cell(job, x, y)];
         k < job->bed->cell_first[rill_displace_cell(job, x, y) + 1]; ++k) {
        const int32_t place = job->bed->places[k];
        const extent to = extent_of(job, place);
        if (!passes(&strict, &from, &to) || rill_displace_room(job, place) < excess->amount) continue;
        const double reserve = excess->before > 0.0 ? excess->before : wall->inner == 0 ? wall->interval : 0.0;
        rill_expelled_add(job->flow, place, excess->amount, fmin(wall->seconds + reserve, RILL_EXPELLED_SLOWEST), wall);
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------------------------------------------------- all */

static void mark_piped(const rill_displace_job *job, uint8_t mark) {
    for (int32_t i = 0; i < job->bed->pipe_count; ++i)
        job->displace->piped[job->bed->pipe_l[i]] = job->displace->piped[job->bed->pipe_r[i]] = mark;
}

/* Asserts that nothing is left in the marks, which are zero between updates. */
static inline void check_marks(const rill_displace *displace) {
    for (size_t i = 0; i < displace->node_capacity; ++i)
        RILL_ASSERT(displace->entry_of[i] == 0 && displace->seen[i] == 0 && displace->piped[i] == 0);
    for (size_t i = 0; i < displace->cell_capacity; ++i) RILL_ASSERT(displace->gone[i] == 0);
}

void rill_displace_all(const rill_displace_job *job) {
    rill_excess *excess = job->displace->excess.data;
    if (job->displace->excess.count > 0) mark_piped(job, 1);
    for (size_t i = 0; i < job->displace->excess.count; ++i)
        if (push_ahead(job, &excess[i])) excess[i].search = (int32_t)i + 1;
    for (size_t i = 0; i < job->displace->excess.count; ++i) {
        if (excess[i].search) continue; /* straight ahead, or with a cluster */
        const rill_displace_spot start = { excess[i].node, excess[i].x, excess[i].y };
        displace_cluster(job, (int32_t)i + 1, &start);
    }
    forget(job);
    for (size_t i = 0; i < job->displace->excess.count; ++i) {
        job->displace->entry_of[excess[i].node] = 0;
        job->displace->gone[rill_displace_cell(job, excess[i].x, excess[i].y)] = 0;
    }
    if (job->displace->excess.count > 0) mark_piped(job, 0);
    check_marks(job->displace);
    rill_expelled_order(job->flow);
}
