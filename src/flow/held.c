/* Liquid on its way from a moving solid into the flow: see held.h. */
#include <math.h>

#include "flow/held.h"

#include "base/order.h"
#include "bed/sort.h"
#include "passages/passages.h"
#include "flow/displace.h"
#include "flow/sources.h"

static bool held_before(const rill_held *a, const rill_held *b) {
    if (a->place != b->place) return a->place < b->place;
    if (a->amount != b->amount) return a->amount < b->amount;
    if (a->seconds != b->seconds) return a->seconds < b->seconds;
    if (a->side != b->side) return a->side < b->side;
    return a->wall[0] != b->wall[0] ? a->wall[0] < b->wall[0] : a->wall[1] < b->wall[1];
}
RILL_SORT(sort_held, rill_held, held_before)

bool rill_held_reserve(rill_flow *flow, size_t more, const rill_allocator *allocator) {
    /* When it is full it is put in order, and no column is there twice. */
    return rill_array_provide(&flow->held, allocator, (size_t)flow->bed->info.columns + more);
}

double rill_held_mean(int64_t a, double seconds_a, int64_t b, double seconds_b) {
    const double x = (double)a, y = (double)b;
    return x + y > 0.0 ? (x * seconds_a + y * seconds_b) / (x + y) : 0.0;
}

/* One after the other, as liquid before a wall comes in: so it goes on at the same rate, though cells are passed in
 * whole frames and the next comes a little early. But a little that has much time must not delay much that has
 * little. And what comes from different sides comes at the same time. */
static double joined_time(const rill_held *a, const rill_held *b) {
    const double both = a->seconds + b->seconds;
    if (a->side != b->side && a->seconds > 0.0 && b->seconds > 0.0)
        return (double)(a->amount + b->amount) / ((double)a->amount / a->seconds + (double)b->amount / b->seconds);
    const double twice = 2.0 * rill_held_mean(a->amount, a->seconds, b->amount, b->seconds);
    return fmin(fmin(both, twice), RILL_HELD_SLOWEST);
}

static void join(rill_held *a, const rill_held *b) {
    for (int k = 0; k < 2; ++k) a->wall[k] = rill_held_mean(a->amount, a->wall[k], b->amount, b->wall[k]);
    a->seconds = joined_time(a, b);
    a->side = a->amount > b->amount ? a->side : b->side;
    a->amount += b->amount;
}

/* Orders keys by what is above their lower 32 bits, at most `most`: digit by digit, as no comparison could be guessed. Returns
 * where they are in the end, here or in `spare`. */
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
    return keys;
}

/* In order of places; of one place in any order. Keys are moved instead of what they stand for, if there is room for that behind
 * the last: mostly there is a lot. Returns where it begins then. */
static rill_held *sort_places(rill_flow *flow) {
    rill_held *held = flow->held.data, *sorted = held + flow->held.count;
    const size_t count = flow->held.count;
    uint64_t *keys = (uint64_t *)(sorted + count);
    uint32_t most = 0;
    if (flow->held.capacity < 3 * count) {
        sort_held(held, count);
        return held;
    }
    for (size_t i = 0; i < count; ++i) {
        const uint32_t place = (uint32_t)held[i].place; /* and behind it where it stands */
        keys[i] = (uint64_t)place << 32 | i;
        most = place > most ? place : most;
    }
    keys = sort_keys(keys, keys + count, count, most);
    for (size_t i = 0; i < count; ++i) sorted[i] = held[(uint32_t)keys[i]];
    return sorted;
}

void rill_held_order(rill_flow *flow) {
    if (flow->held.count == 0) return;
    rill_held *held = flow->held.data, *sorted = sort_places(flow);
    size_t count = 0;
    for (size_t i = 0, end; i < flow->held.count; i = end) {
        for (end = i + 1; end < flow->held.count && sorted[end].place == sorted[i].place;) ++end;
        sort_held(sorted + i, end - i);
        const size_t first = count;
        for (size_t k = i; k < end; ++k) {
            if (sorted[k].amount == 0) continue;
            if (count > first)
                join(&held[first], &sorted[k]);
            else
                held[count++] = sorted[k];
        }
    }
    flow->held.count = count;
}

/* Holds one more, with what is known of it. */
static void add(rill_flow *flow, const rill_held *more) {
    if (more->amount == 0) return;
    if (flow->held.count == flow->held.capacity) rill_held_order(flow); /* then no column is there twice */
    ((rill_held *)flow->held.data)[flow->held.count++] = *more;
}

void rill_held_add(rill_flow *flow, int32_t place, int64_t amount, double seconds, const rill_pace *pace) {
    rill_held more = { .amount = amount, .seconds = seconds, .side = -1, .place = place };
    if (pace && pace->seconds > 0.0) {
        more.side = pace->side;
        for (int k = 0; k < 2; ++k) more.wall[k] = pace->velocity[k];
    }
    add(flow, &more);
}

rill_held *rill_held_at(const rill_flow *flow, int32_t place) {
    return rill_order_find(flow->held.data, flow->held.count, sizeof(rill_held), place);
}

int64_t rill_held_total(const rill_flow *flow) {
    const rill_held *held = flow->held.data;
    int64_t sum = 0;
    for (size_t i = 0; i < flow->held.count; ++i) sum += held[i].amount;
    return sum;
}

double rill_held_rise(const rill_flow *flow) {
    const rill_held *held = flow->held.data;
    double fastest = 0.0;
    for (size_t i = 0; i < flow->held.count; ++i) {
        const bool open = flow->bed->c[held[i].place] == RILL_TOP; /* under a ceiling there is nowhere to rise to */
        const double rate = open && held[i].seconds > 0.0 ? (double)held[i].amount / held[i].seconds : 0.0;
        if (rate > fastest) fastest = rate;
    }
    return fastest * flow->bed->quantum;
}

/* --------------------------------------------------------------------------------------------------------- releasing */

void rill_held_begin(rill_flow *flow, double dt, const rill_motion *motion) {
    rill_held *held = flow->held.data;
    const double least = dt < RILL_HELD_LONGEST ? dt : RILL_HELD_LONGEST;
    for (size_t i = 0; i < flow->held.count; ++i) {
        if (held[i].seconds < least) held[i].seconds = least;
        if (held[i].seconds <= RILL_HELD_LONGEST) continue;
        int32_t x, y;
        rill_bed_sheet_of(flow->bed, held[i].place, &x, &y);
        if (rill_motion_since(motion, x, y) > motion->now) held[i].seconds = RILL_HELD_LONGEST;
    }
}

/* How much a column is given at most. Unlike a source, a solid does not care how hard it has to push, nor whether the
 * column is full already, unless it makes jets; but where nothing leads out, or levels are at the top of the range,
 * there is nothing to push to. */
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
    const int64_t before = flow->pushed, rest = rill_source_pour(flow, place, room_of(flow, place, fastest), want);
    if (rest < want) rill_flow_wake(flow, place);
    if (flow->pushed > before && !rill_flow_flooded(flow, place)) { /* it is now, and the solve must know */
        rill_passages_fill(flow, place, true);
        rill_passages_look_for(flow, place);
    }
    return rest;
}

/* Its time is over, and its column does not take it: to the nearest that do. Returns what is left in the end. */
static int64_t give_elsewhere(rill_flow *flow, int32_t place, int32_t slack, int64_t rest, bool *squeezed) {
    if (flow->passages) rest = rill_passages_carry_on(flow, place, rest);
    if (rest == 0) return 0;
    *squeezed = true;
    return rill_displace_squeeze(flow, place, slack, rest);
}

bool rill_held_release(rill_flow *flow, double dt, double fastest, int32_t slack) {
    rill_held *held = flow->held.data;
    bool squeezed = false;
    for (size_t i = 0; i < flow->held.count; ++i) {
        rill_held *h = &held[i];
        const bool last = dt >= h->seconds * (1.0 - 1e-9);
        const int64_t due = last ? h->amount : (int64_t)((double)h->amount * (dt / h->seconds));
        const int64_t before = flow->pushed;
        int64_t rest = give(flow, h->place, fastest, due);
        if (rest > 0 && last) rest = give_elsewhere(flow, h->place, slack, rest, &squeezed);
        h->pushed = flow->pushed - before;
        h->amount -= due - rest;
        h->seconds = last ? 0.0 : h->seconds - dt;
    }
    return squeezed;
}

void rill_held_return(rill_flow *flow, int64_t refused) {
    rill_held *held = flow->held.data;
    size_t count = 0;
    for (size_t i = 0; i < flow->held.count; ++i) {
        const int64_t back = refused < held[i].pushed ? refused : held[i].pushed;
        refused -= back;
        held[i].amount += back;
        held[i].pushed = 0;
        if (held[i].amount > 0) held[count++] = held[i];
    }
    flow->held.count = count;
}

/* ----------------------------------------------------------------------------------------------------------- momentum */

/* The wall behind a column on an axis, its velocity, no faster than a cell in a sub-step, and the face between them. */
typedef struct behind {
    int32_t wall;
    float speed, *face; /* NULL: it does not press along that axis */
} behind;

static behind behind_of(const rill_flow *flow, const rill_held *h, int axis, double dt) {
    const double fastest = flow->bed->grid.cell_size / dt;
    const int32_t step = axis == 0 ? 1 : flow->bed->sheets[0].stride; /* where solids move all sheets are of one size */
    behind b = { 0 };
    if (h->wall[axis] == 0.0) return b; /* as mostly */
    b.speed = (float)fmax(-fastest, fmin(h->wall[axis], fastest));
    if (b.speed == 0.0f) return b;
    b.wall = b.speed > 0.0f ? h->place - step : h->place + step;
    b.face = (axis == 0 ? flow->u : flow->v) + (b.speed > 0.0f ? h->place : b.wall);
    return b;
}

void rill_held_push(rill_flow *flow, double dt) {
    const rill_held *held = flow->held.data;
    for (size_t i = 0; i < flow->held.count; ++i)
        for (int axis = 0; axis < 2; ++axis) {
            const int32_t level = flow->bed->b[held[i].place] + flow->H[held[i].place];
            const behind b = behind_of(flow, &held[i], axis, dt);
            if (b.face && flow->bed->b[b.wall] >= level && flow->H[b.wall] <= RILL_DRY) *b.face = b.speed;
        }
}

void rill_held_stop(rill_flow *flow, double dt) {
    const rill_held *held = flow->held.data;
    for (size_t i = 0; i < flow->held.count; ++i)
        for (int axis = 0; axis < 2; ++axis) {
            const behind b = behind_of(flow, &held[i], axis, dt);
            if (b.face && *b.face == b.speed) *b.face = 0.0f;
        }
}

/* ------------------------------------------------------------------------------------------------------ transferring */

int32_t rill_held_same_column(const rill_bed *from, int32_t place, const rill_bed *to) {
    int32_t x, y;
    rill_bed_sheet_of(from, place, &x, &y);
    int32_t k = from->cell_first[(size_t)y * (size_t)from->grid.cells[0] + (size_t)x];
    while (from->places[k] != place) ++k;
    return to->places[k];
}

bool rill_held_transfer(const rill_flow *from, rill_flow *to, const rill_allocator *allocator) {
    const rill_held *held = from->held.data;
    if (from->held.count == 0) return true;
    if (!rill_held_reserve(to, 0, allocator)) return false;
    for (size_t i = 0; i < from->held.count; ++i) {
        rill_held moved = held[i];
        moved.place = rill_held_same_column(from->bed, moved.place, to->bed);
        add(to, &moved);
    }
    rill_held_order(to);
    return true;
}
