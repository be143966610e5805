/* Liquid on its way between moving solids and the flow, in whole quanta: see swept_volume.h. Columns that open as a
 * wall goes back are filled in opened_columns.c. */
#include "motion/swept_volume.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/order.h"
#include "base/sort.h"
#include "flow/column.h"
#include "flow/sources.h"
#include "motion/displace.h"
#include "passages/passages.h"

/* ------------------------------------------------------------------------------------------------------- both lists */

int64_t rill_swept_volume_total(const rill_flow *flow) {
    const rill_expelled *expelled = flow->expelled.data;
    const rill_withdrawn *withdrawn = flow->withdrawn.data;
    int64_t sum = 0;
    for (size_t i = 0; i < flow->expelled.count; ++i) sum += expelled[i].amount;
    for (size_t i = 0; i < flow->withdrawn.count; ++i) sum += withdrawn[i].amount;
    return sum;
}

/* Counts both lists where asserts are on, and nothing else. */
static inline int64_t count_for_asserts(const rill_flow *flow) {
#ifdef RILL_ASSERTS
    return rill_swept_volume_total(flow);
#else
    (void)flow;
    return 0;
#endif
}

/* Asserts that what is expelled is in order and of use. */
static inline void check_expelled(const rill_flow *flow) {
    const rill_expelled *expelled = flow->expelled.data;
    RILL_ASSERT(flow->expelled.count <= flow->expelled.capacity);
    for (size_t i = 0; i < flow->expelled.count; ++i) {
        RILL_ASSERT(i == 0 || expelled[i - 1].place < expelled[i].place);
        RILL_ASSERT(expelled[i].amount > 0);
        RILL_ASSERT(expelled[i].pushed == 0);
        RILL_ASSERT(expelled[i].seconds >= 0.0 && expelled[i].seconds <= RILL_EXPELLED_SLOWEST);
        RILL_ASSERT(isfinite(expelled[i].wall[0]) && isfinite(expelled[i].wall[1]));
    }
}

/* Asserts that what is withdrawn is in order and of use. */
static inline void check_withdrawn(const rill_flow *flow) {
    const rill_withdrawn *withdrawn = flow->withdrawn.data;
    RILL_ASSERT(flow->withdrawn.count <= flow->withdrawn.capacity);
    for (size_t i = 0; i < flow->withdrawn.count; ++i) {
        RILL_ASSERT(i == 0 || withdrawn[i - 1].place < withdrawn[i].place);
        RILL_ASSERT(withdrawn[i].amount >= 0);
        RILL_ASSERT(withdrawn[i].seconds > 0.0 && withdrawn[i].seconds <= RILL_EXPELLED_SLOWEST);
        RILL_ASSERT(withdrawn[i].most > 0.0 && withdrawn[i].most <= RILL_WITHDRAWN_MOST);
        RILL_ASSERT(withdrawn[i].side >= 0 && withdrawn[i].side < 4);
        RILL_ASSERT(withdrawn[i].claims == 0 && withdrawn[i].before == 0);
    }
}

/* Tells whether no solid moves near a column any more. */
static bool solids_rest(const rill_flow *flow, const rill_motion *motion, int32_t place) {
    int32_t x, y;
    rill_bed_sheet_of(flow->bed, place, &x, &y);
    return rill_motion_since(motion, x, y) > motion->now;
}

/* Returns the place of the same column in another bed. */
static int32_t same_column(const rill_bed *from, int32_t place, const rill_bed *to) {
    int32_t x, y;
    RILL_ASSERT(place >= 0 && place < from->plane_size);
    RILL_ASSERT(from->info.columns == to->info.columns);
    rill_bed_sheet_of(from, place, &x, &y);
    const size_t cell = (size_t)y * (size_t)from->grid.cells[0] + (size_t)x;
    int32_t k = from->cell_first[cell];
    while (from->places[k] != place) ++k;
    RILL_ASSERT(k < from->cell_first[cell + 1]);
    RILL_ASSERT(from->b[place] == to->b[to->places[k]] && from->c[place] == to->c[to->places[k]]);
    return to->places[k];
}

bool rill_in_transit_copy(const rill_array *from, const rill_bed *from_bed, rill_array *to, const rill_bed *to_bed,
                          const rill_allocator *allocator) {
    const size_t size = from->element;
    RILL_ASSERT(to->element == size && to->count == 0);
    if (from->count == 0) return true;
    if (!rill_array_reserve(to, allocator, from->count)) return false;
    memcpy(to->data, from->data, from->count * size);
    to->count = from->count;
    for (size_t i = 0; i < to->count; ++i) {
        int32_t *place = (int32_t *)((char *)to->data + i * size);
        *place = same_column(from_bed, *place, to_bed);
    }
    return true;
}

/* --------------------------------------------------------------------------------------------------------- expelled */

static bool expelled_before(const rill_expelled *a, const rill_expelled *b) {
    if (a->place != b->place) return a->place < b->place;
    if (a->amount != b->amount) return a->amount < b->amount;
    if (a->seconds != b->seconds) return a->seconds < b->seconds;
    if (a->side != b->side) return a->side < b->side;
    return a->wall[0] != b->wall[0] ? a->wall[0] < b->wall[0] : a->wall[1] < b->wall[1];
}
RILL_SORT(sort_expelled, rill_expelled, expelled_before)

bool rill_expelled_reserve(rill_flow *flow, size_t more, const rill_allocator *allocator) {
    /* A full list is put in order, and then no column is there twice. */
    return rill_array_provide(&flow->expelled, allocator, (size_t)flow->bed->info.columns + more);
}

double rill_expelled_mean(int64_t a, double seconds_a, int64_t b, double seconds_b) {
    const double x = (double)a, y = (double)b;
    RILL_ASSERT(a >= 0 && b >= 0);
    RILL_ASSERT(isfinite(seconds_a) && isfinite(seconds_b));
    return x + y > 0.0 ? (x * seconds_a + y * seconds_b) / (x + y) : 0.0;
}

/* Returns the time in which two amounts enter a column: one after the other, as liquid before a wall comes in, so that
 * it goes on at the same rate though cells are passed in whole frames and the next comes a little early. But a little
 * that has much time must not delay much that has little, and amounts from different sides enter at the same time. */
static double joined_time(const rill_expelled *a, const rill_expelled *b) {
    const double both = a->seconds + b->seconds;
    RILL_ASSERT(a->amount > 0 && b->amount > 0);
    RILL_ASSERT(a->seconds >= 0.0 && b->seconds >= 0.0);
    if (a->side != b->side && a->seconds > 0.0 && b->seconds > 0.0)
        return (double)(a->amount + b->amount) / ((double)a->amount / a->seconds + (double)b->amount / b->seconds);
    const double twice = 2.0 * rill_expelled_mean(a->amount, a->seconds, b->amount, b->seconds);
    return fmin(fmin(both, twice), RILL_EXPELLED_SLOWEST);
}

static void join(rill_expelled *a, const rill_expelled *b) {
    RILL_ASSERT(a->place == b->place && a->pushed == 0 && b->pushed == 0);
    for (int k = 0; k < 2; ++k) a->wall[k] = rill_expelled_mean(a->amount, a->wall[k], b->amount, b->wall[k]);
    a->seconds = joined_time(a, b);
    a->side = a->amount > b->amount ? a->side : b->side;
    a->amount += b->amount;
}

/* Orders keys by what is above their lower 32 bits, at most `most`: digit by digit, as no comparison could be guessed.
 * Returns where they are in the end, here or in `spare`. */
static uint64_t *sort_keys(uint64_t *keys, uint64_t *spare, size_t count, uint32_t most) {
    enum { BITS = 8, DIGITS = 1 << BITS };
    for (int shift = 0; shift < 32 && most >> shift; shift += BITS) {
        uint32_t first[DIGITS + 1] = { 0 };
        for (size_t i = 0; i < count; ++i) first[(keys[i] >> (32 + shift)) % DIGITS + 1] += 1;
        for (int d = 1; d < DIGITS; ++d) first[d] += first[d - 1];
        for (size_t i = 0; i < count; ++i) spare[first[(keys[i] >> (32 + shift)) % DIGITS]++] = keys[i];
        uint64_t *const sorted = spare;
        spare = keys;
        keys = sorted;
    }
    for (size_t i = 1; i < count; ++i) RILL_ASSERT(keys[i - 1] >> 32 <= keys[i] >> 32);
    return keys;
}

/* Puts the list in order of places, those of one place in any order. Moves keys instead of what they stand for if there
 * is room for that behind the last, as there mostly is. Returns where the list begins then. */
static rill_expelled *sort_places(rill_flow *flow) {
    rill_expelled *expelled = flow->expelled.data, *sorted = expelled + flow->expelled.count;
    const size_t count = flow->expelled.count;
    uint64_t *keys = (uint64_t *)(sorted + count);
    uint32_t most = 0;
    if (flow->expelled.capacity < 3 * count) {
        sort_expelled(expelled, count);
        return expelled;
    }
    for (size_t i = 0; i < count; ++i) {
        const uint32_t place = (uint32_t)expelled[i].place; /* the lower half of a key says where the item stands */
        RILL_ASSERT(expelled[i].place >= 0);
        keys[i] = (uint64_t)place << 32 | i;
        most = place > most ? place : most;
    }
    keys = sort_keys(keys, keys + count, count, most);
    for (size_t i = 0; i < count; ++i) sorted[i] = expelled[(uint32_t)keys[i]];
    return sorted;
}

void rill_expelled_order(rill_flow *flow) {
    if (flow->expelled.count == 0) return;
    const int64_t before = count_for_asserts(flow);
    rill_expelled *expelled = flow->expelled.data, *sorted = sort_places(flow);
    size_t count = 0;
    for (size_t i = 0, end; i < flow->expelled.count; i = end) {
        for (end = i + 1; end < flow->expelled.count && sorted[end].place == sorted[i].place;) ++end;
        sort_expelled(sorted + i, end - i);
        const size_t first = count;
        for (size_t k = i; k < end; ++k) {
            if (sorted[k].amount == 0) continue;
            if (count > first)
                join(&expelled[first], &sorted[k]);
            else
                expelled[count++] = sorted[k];
        }
    }
    flow->expelled.count = count;
    RILL_ASSERT(count_for_asserts(flow) == before);
}

/* Appends an item. */
static void add(rill_flow *flow, const rill_expelled *more) {
    RILL_ASSERT(more->place >= 0 && more->amount >= 0);
    RILL_ASSERT(isfinite(more->seconds) && more->seconds >= 0.0);
    RILL_ASSERT(more->side >= -1 && more->side < 4);
    if (more->amount == 0) return;
    if (flow->expelled.count == flow->expelled.capacity) rill_expelled_order(flow); /* then no column is there twice */
    RILL_ASSERT(flow->expelled.count < flow->expelled.capacity);
    ((rill_expelled *)flow->expelled.data)[flow->expelled.count++] = *more;
}

void rill_expelled_add(rill_flow *flow, int32_t place, int64_t amount, double seconds, const rill_wall_speed *wall) {
    rill_expelled more = { .amount = amount, .seconds = seconds, .side = -1, .place = place };
    if (wall && wall->seconds > 0.0) {
        more.side = wall->side;
        for (int k = 0; k < 2; ++k) more.wall[k] = wall->velocity[k];
    }
    add(flow, &more);
}

rill_expelled *rill_expelled_at(const rill_flow *flow, int32_t place) {
    return rill_order_find(flow->expelled.data, flow->expelled.count, sizeof(rill_expelled), place);
}

double rill_expelled_rise(const rill_flow *flow) {
    const rill_expelled *expelled = flow->expelled.data;
    double fastest = 0.0;
    for (size_t i = 0; i < flow->expelled.count; ++i) {
        const bool open = flow->bed->c[expelled[i].place] == RILL_TOP; /* under a ceiling there is nowhere to rise to */
        const double rate = open && expelled[i].seconds > 0.0 ? (double)expelled[i].amount / expelled[i].seconds : 0.0;
        if (rate > fastest) fastest = rate;
    }
    return fastest * flow->bed->quantum;
}

/* -------------------------------------------------------------------------------------------------------- releasing */

void rill_expelled_begin(rill_flow *flow, double dt, const rill_motion *motion) {
    rill_expelled *expelled = flow->expelled.data;
    const double least = dt < RILL_EXPELLED_LONGEST ? dt : RILL_EXPELLED_LONGEST;
    RILL_ASSERT(dt > 0.0);
    check_expelled(flow);
    for (size_t i = 0; i < flow->expelled.count; ++i) {
        if (expelled[i].seconds < least) expelled[i].seconds = least;
        if (expelled[i].seconds > RILL_EXPELLED_LONGEST && solids_rest(flow, motion, expelled[i].place))
            expelled[i].seconds = RILL_EXPELLED_LONGEST;
    }
}

/* Returns how much a column is given at most. Unlike a source, a solid does not care how hard it has to push, nor
 * whether the column is full already, unless it makes jets; but where nothing leads out, or levels are at the top of
 * the range, there is nothing to push to. */
static int32_t room_of(const rill_flow *flow, int32_t place, double fastest) {
    const rill_bed *bed = flow->bed;
    const int32_t height = bed->c[place] - bed->b[place];
    if (!flow->solves_passages || bed->c[place] == RILL_TOP) return height - flow->H[place];
    const int32_t code = flow->pressure[place];
    const bool sealed = code < 0 && code != RILL_PRESSURE_NEW;
    const bool pushes = !sealed && flow->extent.level < RILL_TOP - RILL_TOP / 4 && (double)flow->extent.speed < fastest;
    return rill_max_i((pushes ? 2 * height : rill_ceiling_full(bed, place)) - flow->H[place], 0);
}

/* Gives to a column what it takes; returns the rest. */
static int64_t give(rill_flow *flow, int32_t place, double fastest, int64_t want) {
    const int32_t room = room_of(flow, place, fastest);
    RILL_ASSERT(room >= 0 && want >= 0);
    const int64_t before = flow->pushed, rest = rill_source_pour(flow, place, room, want);
    RILL_ASSERT(rest >= 0 && rest <= want && flow->pushed >= before);
    if (rest < want) rill_flow_wake(flow, place);
    if (flow->pushed > before && !rill_flow_flooded(flow, place)) { /* it is now, and the solve must know */
        rill_passages_fill(flow, place, true);
        rill_passages_search_for(flow, place);
    }
    return rest;
}

/* Gives liquid whose time is over, and which its column does not take, to the nearest columns that do. Returns what is
 * left. */
static int64_t give_elsewhere(rill_flow *flow, int32_t place, int32_t slack, int64_t rest, bool *squeezed) {
    if (flow->passages) rest = rill_passages_find_room(flow, place, rest);
    RILL_ASSERT(rest >= 0);
    if (rest == 0) return 0;
    *squeezed = true;
    return rill_displace_squeeze(flow, place, slack, rest);
}

bool rill_expelled_release(rill_flow *flow, double dt, double fastest, int32_t slack) {
    rill_expelled *expelled = flow->expelled.data;
    bool squeezed = false;
    RILL_ASSERT(dt > 0.0);
    check_expelled(flow);
    for (size_t i = 0; i < flow->expelled.count; ++i) {
        rill_expelled *item = &expelled[i];
        const bool last = dt >= item->seconds * (1.0 - 1e-9);
        const int64_t due = last ? item->amount : (int64_t)((double)item->amount * (dt / item->seconds));
        const int64_t before = flow->pushed;
        int64_t rest = give(flow, item->place, fastest, due);
        if (rest > 0 && last) rest = give_elsewhere(flow, item->place, slack, rest, &squeezed);
        RILL_ASSERT(due >= 0 && due <= item->amount);
        RILL_ASSERT(rest >= 0 && rest <= due);
        RILL_ASSERT(flow->pushed - before <= due - rest);
        item->pushed = flow->pushed - before;
        item->amount -= due - rest;
        item->seconds = last ? 0.0 : item->seconds - dt;
    }
    return squeezed;
}

void rill_expelled_return(rill_flow *flow, int64_t refused) {
    rill_expelled *expelled = flow->expelled.data;
    size_t count = 0;
    RILL_ASSERT(refused >= 0);
    for (size_t i = 0; i < flow->expelled.count; ++i) {
        const int64_t back = refused < expelled[i].pushed ? refused : expelled[i].pushed;
        refused -= back;
        expelled[i].amount += back;
        expelled[i].pushed = 0;
        if (expelled[i].amount > 0) expelled[count++] = expelled[i];
    }
    flow->expelled.count = count;
    check_expelled(flow);
}

/* --------------------------------------------------------------------------------------------------------- momentum */

/* The wall behind a column on an axis. */
typedef struct wall_behind {
    int32_t place; /* of the wall */
    float speed;   /* no faster than a cell in a sub-step, m/s */
    float *face;   /* between wall and column; NULL: it does not press along that axis */
} wall_behind;

static wall_behind find_behind(const rill_flow *flow, const rill_expelled *item, int axis, double dt) {
    const double fastest = flow->bed->grid.cell_size / dt;
    RILL_ASSERT(isfinite(fastest) && fastest > 0.0);
    const int32_t step = axis == 0 ? 1 : flow->bed->sheets[0].stride; /* where solids move all sheets are of one size */
    wall_behind behind = { 0 };
    if (item->wall[axis] == 0.0) return behind; /* as mostly */
    behind.speed = (float)fmax(-fastest, fmin(item->wall[axis], fastest));
    if (behind.speed == 0.0f) return behind;
    RILL_ASSERT(isfinite(behind.speed));
    behind.place = behind.speed > 0.0f ? item->place - step : item->place + step;
    behind.face = (axis == 0 ? flow->u : flow->v) + (behind.speed > 0.0f ? item->place : behind.place);
    return behind;
}

void rill_expelled_push(rill_flow *flow, double dt) {
    const rill_expelled *expelled = flow->expelled.data;
    for (size_t i = 0; i < flow->expelled.count; ++i)
        for (int axis = 0; axis < 2; ++axis) {
            const int32_t level = flow->bed->b[expelled[i].place] + flow->H[expelled[i].place];
            const wall_behind behind = find_behind(flow, &expelled[i], axis, dt);
            if (behind.face && flow->bed->b[behind.place] >= level && flow->H[behind.place] <= RILL_DRY)
                *behind.face = behind.speed;
        }
}

void rill_expelled_stop(rill_flow *flow, double dt) {
    const rill_expelled *expelled = flow->expelled.data;
    for (size_t i = 0; i < flow->expelled.count; ++i)
        for (int axis = 0; axis < 2; ++axis) {
            const wall_behind behind = find_behind(flow, &expelled[i], axis, dt);
            if (behind.face && *behind.face == behind.speed) *behind.face = 0.0f;
        }
}

/* ------------------------------------------------------------------------------------------------------------ withdrawn */

static bool withdrawn_before(const rill_withdrawn *a, const rill_withdrawn *b) {
    return a->place < b->place;
}
RILL_SORT(sort_withdrawn, rill_withdrawn, withdrawn_before)

void rill_withdrawn_order(rill_flow *flow) {
    sort_withdrawn(flow->withdrawn.data, flow->withdrawn.count);
    check_withdrawn(flow);
}

bool rill_withdrawn_reserve(rill_flow *flow, size_t more, const rill_allocator *allocator) {
    return rill_array_reserve(&flow->withdrawn, allocator, flow->withdrawn.count + more);
}

void rill_withdrawn_begin(rill_flow *flow, const rill_motion *motion) {
    rill_withdrawn *withdrawn = flow->withdrawn.data;
    size_t count = 0;
    const int64_t before = count_for_asserts(flow);
    check_withdrawn(flow);
    for (size_t i = 0; i < flow->withdrawn.count; ++i) {
        if (solids_rest(flow, motion, withdrawn[i].place))
            rill_expelled_add(flow, withdrawn[i].place, withdrawn[i].amount, RILL_EXPELLED_LONGEST, NULL);
        else
            withdrawn[count++] = withdrawn[i];
    }
    if (count < flow->withdrawn.count) rill_expelled_order(flow);
    flow->withdrawn.count = count;
    RILL_ASSERT(count_for_asserts(flow) == before);
}

void rill_withdrawn_take(rill_flow *flow, double dt) {
    rill_withdrawn *withdrawn = flow->withdrawn.data;
    RILL_ASSERT(dt > 0.0);
    check_withdrawn(flow);
    for (size_t i = 0; i < flow->withdrawn.count; ++i) {
        rill_withdrawn *item = &withdrawn[i];
        const double part = dt / item->seconds, there = (double)flow->H[item->place];
        const double due = fmin(there * fmin(part, 0.5), item->most * there - (double)item->amount);
        if (flow->H[item->place] <= RILL_DRY || !(due >= 1.0)) continue;
        rill_column_take(flow, item->place, (int32_t)due);
        item->amount += (int32_t)due;
        rill_flow_wake(flow, item->place);
    }
}

/* ---------------------------------------------------------------------------------------------------- another bed */

bool rill_swept_volume_transfer(const rill_flow *from, rill_flow *to, const rill_allocator *allocator) {
    if (from->expelled.count + from->withdrawn.count == 0) return true;
    if (!rill_expelled_reserve(to, 0, allocator) || /* what is withdrawn is given back by way of it */
        !rill_in_transit_copy(&from->expelled, from->bed, &to->expelled, to->bed, allocator) ||
        !rill_in_transit_copy(&from->withdrawn, from->bed, &to->withdrawn, to->bed, allocator))
        return false;
    rill_expelled_order(to);
    rill_withdrawn_order(to);
    RILL_ASSERT(rill_swept_volume_total(to) == rill_swept_volume_total(from));
    return true;
}
