/* The calendar: a wheel of buckets by the tick in which parcels begin to land, first come first served within each.
 *
 * A bucket holds what is due in its tick and in all that are a multiple of the wheel later: those are passed over when it is
 * visited. So a flight may last as long as it likes, and none is looked at more than once in 4 s before its time. */
#include "falls/falls.h"

#include "base/alloc.h"

static int64_t tick_of(double time) {
    const double ticks = time / RILL_FALLS_WINDOW, most = 9e15;
    if (!(ticks < most)) return (int64_t)most;
    const int64_t whole = (int64_t)ticks;
    return (double)whole > ticks ? whole - 1 : whole;
}

static double lands_from(const rill_parcel *parcel) {
    return parcel->begin + (double)parcel->flight;
}

rill_falls *rill_falls_make(const rill_allocator *allocator) {
    rill_falls *falls = rill_alloc_zeroed(allocator, 1, sizeof *falls);
    if (!falls) return NULL;
    const rill_parcel_list none = { -1, -1 };
    falls->free = -1;
    falls->landing = none;
    for (int i = 0; i < RILL_FALLS_WHEEL; ++i) falls->wheel[i] = none;
    return falls;
}

bool rill_falls_reserve(rill_falls *falls, double dt, size_t more, const rill_allocator *allocator) {
    enum { LEAST = 256, WINDOWS = 16 };
    const double windows = dt / RILL_FALLS_WINDOW + 2.0;
    int32_t falling = falls->brinks.open_count;
    for (int32_t i = 0; i < falls->brinks.count; ++i) falling += falls->brinks.list[i].falls;
    const size_t wanted =
        (size_t)falls->count + (size_t)(falling * (windows < WINDOWS ? windows : WINDOWS)) + LEAST + more;
    if (wanted <= falls->capacity) return true;
    const size_t capacity = wanted + wanted / 2;
    if (capacity > INT32_MAX) return false;
    rill_parcel *parcels = rill_alloc_zeroed(allocator, capacity, sizeof *parcels);
    if (!parcels) return false;
    for (size_t i = 0; i < falls->capacity; ++i) parcels[i] = falls->parcels[i];
    for (size_t i = capacity; i-- > falls->capacity;) {
        parcels[i].next = falls->free;
        falls->free = (int32_t)i;
    }
    rill_free(allocator, falls->parcels, falls->capacity, sizeof *parcels);
    falls->parcels = parcels;
    falls->capacity = capacity;
    return true;
}

rill_parcel *rill_calendar_take(rill_falls *falls) {
    if (falls->free < 0) return NULL;
    rill_parcel *parcel = &falls->parcels[falls->free];
    falls->free = parcel->next;
    falls->count += 1;
    return parcel;
}

void rill_calendar_drop(rill_falls *falls, rill_parcel *parcel) {
    *parcel = (rill_parcel){ .next = falls->free };
    falls->free = (int32_t)(parcel - falls->parcels);
    falls->count -= 1;
}

void rill_calendar_append(rill_falls *falls, rill_parcel_list *list, int32_t index) {
    falls->parcels[index].next = -1;
    if (list->head < 0)
        list->head = index;
    else
        falls->parcels[list->tail].next = index;
    list->tail = index;
}

void rill_calendar_add(rill_falls *falls, rill_parcel *parcel) {
    const int64_t tick = tick_of(lands_from(parcel));
    const int32_t index = (int32_t)(parcel - falls->parcels);
    rill_calendar_append(falls, tick <= falls->tick ? &falls->landing : &falls->wheel[tick & (RILL_FALLS_WHEEL - 1)],
                         index);
}

static void visit_bucket(rill_falls *falls, rill_parcel_list *bucket, int64_t until) {
    const rill_parcel_list old = *bucket;
    *bucket = (rill_parcel_list){ -1, -1 };
    for (int32_t i = old.head, next; i >= 0; i = next) {
        next = falls->parcels[i].next;
        const bool due = tick_of(lands_from(&falls->parcels[i])) <= until;
        rill_calendar_append(falls, due ? &falls->landing : bucket, i);
    }
}

void rill_calendar_advance(rill_falls *falls, double until) {
    const int64_t tick = tick_of(until);
    const int64_t first = tick - falls->tick > RILL_FALLS_WHEEL ? tick - RILL_FALLS_WHEEL + 1 : falls->tick + 1;
    for (int64_t i = first; i <= tick; ++i) visit_bucket(falls, &falls->wheel[i & (RILL_FALLS_WHEEL - 1)], tick);
    if (tick > falls->tick) falls->tick = tick;
}

/* Appends one list to another. */
static void join(rill_falls *falls, rill_parcel_list *list, const rill_parcel_list *other) {
    if (other->head < 0) return;
    if (list->head < 0)
        list->head = other->head;
    else
        falls->parcels[list->tail].next = other->head;
    list->tail = other->tail;
}

rill_parcel_list rill_calendar_list(rill_falls *falls) {
    rill_parcel_list all = falls->landing;
    for (int64_t i = 1; i <= RILL_FALLS_WHEEL; ++i)
        join(falls, &all, &falls->wheel[(falls->tick + i) & (RILL_FALLS_WHEEL - 1)]);
    return all;
}

void rill_calendar_rebuild(rill_falls *falls, rill_parcel_list all) {
    falls->landing = (rill_parcel_list){ -1, -1 };
    for (int i = 0; i < RILL_FALLS_WHEEL; ++i) falls->wheel[i] = (rill_parcel_list){ -1, -1 };
    for (int32_t i = all.head, next; i >= 0; i = next) {
        next = falls->parcels[i].next;
        rill_calendar_add(falls, &falls->parcels[i]);
    }
}

static void each_of(const rill_falls *falls, const rill_parcel_list *list, rill_parcel_visit *visit, void *context) {
    for (int32_t i = list->head; i >= 0; i = falls->parcels[i].next) visit(context, &falls->parcels[i]);
}

void rill_calendar_each(const rill_falls *falls, rill_parcel_visit *visit, void *context) {
    each_of(falls, &falls->landing, visit, context);
    for (int64_t i = 1; i <= RILL_FALLS_WHEEL; ++i)
        each_of(falls, &falls->wheel[(falls->tick + i) & (RILL_FALLS_WHEEL - 1)], visit, context);
}

int64_t rill_falls_airborne(const rill_falls *falls) {
    int64_t sum = 0;
    for (size_t i = 0; i < falls->capacity; ++i) sum += falls->parcels[i].amount;
    for (int32_t i = 0; i < falls->brinks.open_count; ++i) sum += falls->brinks.list[falls->brinks.open[i]].amount;
    return sum;
}

int64_t rill_falls_empty(rill_falls *falls) {
    const int64_t sum = rill_falls_airborne(falls);
    const rill_parcel_list all = rill_calendar_list(falls);
    for (int32_t i = all.head, next; i >= 0; i = next) {
        next = falls->parcels[i].next;
        rill_calendar_drop(falls, &falls->parcels[i]);
    }
    rill_calendar_rebuild(falls, (rill_parcel_list){ -1, -1 });
    for (int32_t i = 0; i < falls->brinks.open_count; ++i) falls->brinks.list[falls->brinks.open[i]].amount = 0;
    for (int32_t i = 0; i < falls->brinks.count; ++i) falls->brinks.list[i].falls = false;
    falls->brinks.open_count = 0;
    falls->rise = 0.0;
    return sum;
}
