/* Sources and sinks: see sources.h. Only +, -, * and / of doubles decide amounts, so they are the same everywhere.
 *
 * A sub-step deals N quanta over n columns: N / n to each, and one more to the N % n columns from `turn` on. Columns
 * that are full (or, for a sink, dry) pass their share on: what is left is dealt again over those that still have room.
 * Each such round either deals everything or fills columns so that (left over) * (columns with room) halves, so there
 * are few. When nothing is refused there is one pass over the columns and one call per tile. */
#include "flow/sources.h"

#include "base/message.h"
#include "base/simd.h"
#include "bed/cells.h"
#include "flow/ceiling.h"
#include "flow/column.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------------ attachment */

/* Collectors return how many places there are and, if `out` is not NULL, write them. */

static size_t collect_point(const rill_bed *bed, const double at[3], int32_t *out) {
    const int32_t column = rill_bed_find(bed, at, NULL);
    if (column < 0) return 0;
    if (out) out[0] = bed->places[column];
    return 1;
}

static size_t collect_disc(const rill_bed *bed, const rill_source_def *def, int32_t *out) {
    const rill_grid *grid = &bed->grid;
    int32_t x0, x1, y0, y1;
    rill_cells_between(grid, 0, def->at[0] - def->radius, def->at[0] + def->radius, &x0, &x1);
    rill_cells_between(grid, 1, def->at[1] - def->radius, def->at[1] + def->radius, &y0, &y1);
    size_t count = 0;
    for (int32_t y = y0; y < y1; ++y) {
        for (int32_t x = x0; x < x1; ++x) {
            const double at[3] = { rill_cell_centre(grid, 0, x), rill_cell_centre(grid, 1, y), def->at[2] };
            const double dx = at[0] - def->at[0], dy = at[1] - def->at[1];
            if (dx * dx + dy * dy > def->radius * def->radius) continue;
            count += collect_point(bed, at, out ? out + count : NULL);
        }
    }
    /* A disc smaller than a cell may hold no centre. */
    return count > 0 ? count : collect_point(bed, def->at, out);
}

static size_t collect_box(const rill_bed *bed, const rill_source_def *def, int32_t *out) {
    int32_t x0, x1, y0, y1;
    rill_cells_between(&bed->grid, 0, def->min[0], def->max[0], &x0, &x1);
    rill_cells_between(&bed->grid, 1, def->min[1], def->max[1], &y0, &y1);
    size_t count = 0;
    for (int32_t y = y0; y < y1; ++y) {
        for (int32_t x = x0; x < x1; ++x) {
            const size_t cell = (size_t)y * (size_t)bed->grid.cells[0] + (size_t)x;
            for (int32_t i = bed->cell_first[cell]; i < bed->cell_first[cell + 1]; ++i) {
                const int32_t place = bed->places[i];
                if (rill_bed_z(bed, bed->b[place]) > def->max[2] || rill_bed_z(bed, bed->c[place]) <= def->min[2])
                    continue;
                if (out) out[count] = place;
                count += 1;
            }
        }
    }
    return count;
}

static size_t collect_rain(const rill_bed *bed, int32_t *out) {
    const size_t cells = (size_t)bed->grid.cells[0] * (size_t)bed->grid.cells[1];
    size_t count = 0;
    for (size_t cell = 0; cell < cells; ++cell) {
        const int32_t end = bed->cell_first[cell + 1];
        if (end == bed->cell_first[cell]) continue;
        if (out) out[count] = bed->places[end - 1];
        count += 1;
    }
    return count;
}

static size_t collect(const rill_bed *bed, const rill_source_def *def, int32_t *out) {
    switch (def->shape) {
    case RILL_SOURCE_POINT: return collect_point(bed, def->at, out);
    case RILL_SOURCE_DISC: return collect_disc(bed, def, out);
    case RILL_SOURCE_BOX: return collect_box(bed, def, out);
    case RILL_SOURCE_RAIN: return collect_rain(bed, out);
    }
    return 0;
}

/* Puts places into plane order: memory is then swept in one direction. Collectors go by cells, which is plane order
 * within each sheet, so that it is enough to take one sheet after the other. */
static bool order_places(int32_t *places, size_t count, const rill_bed *bed, rill_array *order,
                         const rill_allocator *allocator) {
    bool ordered = true;
    for (size_t i = 1; i < count; ++i) ordered = ordered && places[i - 1] < places[i];
    if (ordered) return true;
    if (!rill_array_provide(order, allocator, count)) return false;
    int32_t *all = order->data;
    memcpy(all, places, count * sizeof *all);
    size_t next = 0;
    for (int32_t s = 0; s < bed->sheet_count; ++s) {
        const int32_t begin = bed->sheets[s].first, end = begin + bed->sheets[s].ny * bed->sheets[s].stride;
        for (size_t i = 0; i < count; ++i)
            if (all[i] >= begin && all[i] < end) places[next++] = all[i];
    }
    return true;
}

/* Room in a source's arrays, of which the content may go: as much as is asked for, or half more than there was. */
static size_t grown(size_t capacity, size_t count) {
    const size_t half_more = capacity + capacity / 2;
    return half_more > count ? half_more : count;
}

static bool reserve_places(rill_source *source, size_t count, const rill_allocator *allocator) {
    if (source->places && count <= source->place_capacity) return true;
    const size_t capacity = grown(source->place_capacity, count);
    int32_t *places = rill_alloc(allocator, capacity, sizeof *places);
    if (!places) return false;
    rill_free(allocator, source->places, source->place_capacity, sizeof *source->places);
    source->places = places;
    source->place_capacity = capacity;
    return true;
}

static bool reserve_tiles(rill_source *source, size_t count, const rill_allocator *allocator) {
    if (source->tiles && count <= source->tile_capacity) return true;
    const size_t capacity = grown(source->tile_capacity, count);
    int32_t *tiles = rill_alloc(allocator, capacity, sizeof *tiles);
    uint16_t *wakes = rill_alloc(allocator, capacity, sizeof *wakes);
    const bool good = tiles && wakes;
    rill_free(allocator, good ? source->tiles : tiles, good ? source->tile_capacity : capacity, sizeof *tiles);
    rill_free(allocator, good ? source->wakes : wakes, good ? source->tile_capacity : capacity, sizeof *wakes);
    if (!good) return false;
    source->tiles = tiles;
    source->wakes = wakes;
    source->tile_capacity = capacity;
    return true;
}

/* The tiles, each once, so that a sub-step wakes each tile once and not once per column. */
static bool find_tiles(rill_source *source, const rill_bed *bed, rill_array *marks, const rill_allocator *allocator) {
    marks->count = 0;
    if (!rill_array_resize(marks, allocator, (size_t)bed->tile_count)) return false;
    uint16_t *wakes = marks->data;
    size_t count = 0;
    for (size_t i = 0; i < source->place_count; ++i) {
        uint16_t *wake = &wakes[rill_bed_tile_of(bed, source->places[i])];
        count += *wake == 0;
        *wake |= rill_flow_wake_bits(bed, source->places[i]);
    }
    source->tile_count = 0;
    if (!reserve_tiles(source, count, allocator)) return false;
    for (size_t tile = 0; source->tile_count < count; ++tile) {
        if (!wakes[tile]) continue;
        source->tiles[source->tile_count] = (int32_t)tile;
        source->wakes[source->tile_count++] = wakes[tile];
    }
    return true;
}

static rill_result refuse_empty(const rill_source_def *def, rill_message *message) {
    const char *name = def->name ? def->name : "";
    switch (def->shape) {
    case RILL_SOURCE_POINT:
    case RILL_SOURCE_DISC:
        return rill_fail(message, RILL_INVALID_ARGUMENT,
                         "source \"%.64s\": no column at (%g, %g, %g); expected a point above a floor of the grid",
                         name, def->at[0], def->at[1], def->at[2]);
    case RILL_SOURCE_BOX:
        return rill_fail(
            message, RILL_INVALID_ARGUMENT,
            "source \"%.64s\": no column in the box (%g, %g, %g) to (%g, %g, %g); expected cell centres in it", name,
            def->min[0], def->min[1], def->min[2], def->max[0], def->max[1], def->max[2]);
    case RILL_SOURCE_RAIN: break;
    }
    return rill_fail(message, RILL_INVALID_ARGUMENT, "source \"%.64s\": the bed has no column for it to reach", name);
}

rill_source_work rill_source_work_make(void) {
    return (rill_source_work){ .order = rill_array_make(sizeof(int32_t)), .marks = rill_array_make(sizeof(uint16_t)) };
}

void rill_source_work_free(rill_source_work *work, const rill_allocator *allocator) {
    rill_array_free(&work->order, allocator);
    rill_array_free(&work->marks, allocator);
}

rill_result rill_source_find_columns(rill_source *source, const rill_bed *bed, rill_source_work *work,
                                     const rill_allocator *allocator, rill_message *message) {
    const size_t count = collect(bed, &source->def, NULL);
    source->place_count = source->tile_count = 0;
    if (reserve_places(source, count, allocator)) {
        source->place_count = collect(bed, &source->def, source->places);
        if (order_places(source->places, count, bed, &work->order, allocator) &&
            find_tiles(source, bed, &work->marks, allocator))
            return RILL_OK;
    }
    source->place_count = 0;
    return rill_fail(message, RILL_OUT_OF_MEMORY, "no memory for the %zu columns of a source", count);
}

rill_result rill_source_attach(rill_source *source, const rill_bed *bed, const rill_allocator *allocator,
                               rill_message *message) {
    rill_source_work work = rill_source_work_make();
    const rill_result result = rill_source_find_columns(source, bed, &work, allocator, message);
    rill_source_work_free(&work, allocator);
    if (result) rill_source_detach(source, allocator);
    return result;
}

bool rill_source_take_columns(rill_source *source, const rill_source *from, const rill_allocator *allocator) {
    rill_source larger = { 0 };
    const bool places = !source->places || from->place_count > source->place_capacity;
    const bool tiles = !source->tiles || from->tile_count > source->tile_capacity;
    if ((places && !reserve_places(&larger, grown(source->place_capacity, from->place_count), allocator)) ||
        (tiles && !reserve_tiles(&larger, grown(source->tile_capacity, from->tile_count), allocator))) {
        rill_source_detach(&larger, allocator);
        return false;
    }
    const rill_source former = *source;
    if (places) {
        source->places = larger.places, source->place_capacity = larger.place_capacity;
        larger.places = former.places, larger.place_capacity = former.place_capacity;
    }
    if (tiles) {
        source->tiles = larger.tiles, source->wakes = larger.wakes, source->tile_capacity = larger.tile_capacity;
        larger.tiles = former.tiles, larger.wakes = former.wakes, larger.tile_capacity = former.tile_capacity;
    }
    rill_source_detach(&larger, allocator);
    memcpy(source->places, from->places, from->place_count * sizeof *source->places);
    memcpy(source->tiles, from->tiles, from->tile_count * sizeof *source->tiles);
    memcpy(source->wakes, from->wakes, from->tile_count * sizeof *source->wakes);
    source->place_count = from->place_count;
    source->tile_count = from->tile_count;
    source->turn = source->place_count > 0 ? source->turn % source->place_count : 0;
    return true;
}

rill_result rill_source_check(const rill_source *source, rill_message *message) {
    return source->place_count > 0 ? RILL_OK : refuse_empty(&source->def, message);
}

rill_area rill_source_area(const rill_source_def *def, const rill_grid *grid) {
    rill_area area = { { 0, 0 }, { grid->cells[0], grid->cells[1] } };
    for (int axis = 0; axis < 2 && def->shape != RILL_SOURCE_RAIN; ++axis) {
        const double margin = (def->shape == RILL_SOURCE_DISC ? def->radius : 0.0) + grid->cell_size;
        const bool box = def->shape == RILL_SOURCE_BOX;
        rill_cells_between(grid, axis, (box ? def->min[axis] : def->at[axis]) - margin,
                           (box ? def->max[axis] : def->at[axis]) + margin, &area.low[axis], &area.high[axis]);
    }
    return area;
}

void rill_source_detach(rill_source *source, const rill_allocator *allocator) {
    rill_free(allocator, source->places, source->place_capacity, sizeof *source->places);
    rill_free(allocator, source->tiles, source->tile_capacity, sizeof *source->tiles);
    rill_free(allocator, source->wakes, source->tile_capacity, sizeof *source->wakes);
    source->places = source->tiles = NULL;
    source->wakes = NULL;
    source->place_count = source->tile_count = source->place_capacity = source->tile_capacity = 0;
}

/* --------------------------------------------------------------------------------------------------------- running */

double rill_source_rise(const rill_source *source, double cell_size) {
    const double millimetres_per_hour = 3.6e6;
    if (source->place_count == 0) return 0.0;
    if (source->def.shape == RILL_SOURCE_RAIN) return source->def.rain / millimetres_per_hour;
    return source->def.rate / (cell_size * cell_size * (double)source->place_count);
}

/* Whole quanta due in a sub-step; the fraction stays pending. */
static int64_t amount_due(rill_source *source, const rill_bed *bed, double time, double dt) {
    const rill_source_def *def = &source->def;
    double active = dt; /* not (time + dt) - time, which is rounded */
    if (def->from > time) active -= def->from - time;
    if (def->until < time + dt) active -= time + dt - def->until;
    if (!(active > 0.0)) return 0;

    const double depths = rill_source_rise(source, bed->grid.cell_size) * (double)source->place_count;
    const double amount = depths * active / bed->quantum + source->pending;
    const double most = 0x1p62; /* more than all columns of the largest bed can hold */
    if (!(amount < most)) {
        source->pending = 0.0;
        return (int64_t)most;
    }
    const int64_t whole = (int64_t)amount;
    source->pending = amount - (double)whole;
    return whole;
}

/* The sweep that follows has to know how deep and high liquid stands now. */
static void note_rise(rill_flow *flow, int32_t place) {
    const int32_t H = flow->H[place];
    const rill_flow_extent here = { .depth = H, .level = H > RILL_DRY ? rill_flow_bases(flow)[place] + H : 0 };
    rill_flow_widen(&flow->extent, &here);
}

/* How much a column takes. Where passages are solved for, one that is flooded takes up to its own height once more in a
 * sub-step, which is pushed on; unless nothing leads out, or its head or a level is near the top of the range. */
static int32_t room_of(const rill_flow *flow, int32_t place) {
    const rill_bed *bed = flow->bed;
    int32_t height = bed->c[place] - bed->b[place];
    if (flow->solves_passages && rill_flow_flooded(flow, place)) {
        const double most = (double)(RILL_TOP - RILL_TOP / 4);
        const int32_t code = flow->pressure[place];
        bool leads_out = code > 0 || code == RILL_PRESSURE_NEW; /* of a new one that is found out later */
        bool pushes =
            leads_out && (double)flow->extent.level < most && (double)bed->c[place] + rill_pressure_of(code) < most;
        return rill_max_i((pushes ? 2 * height : rill_ceiling_full(bed, place)) - flow->H[place], 0);
    }
    return height - flow->H[place];
}

/* Lets as much of `want` come down at a column as there is `room` for; returns the rest. */
static int64_t pour(rill_flow *flow, const rill_landing *landing, int32_t place, int32_t room, int64_t want) {
    const int32_t moved = want < room ? (int32_t)want : room;
    rill_land(landing, flow, place, moved);
    note_rise(flow, place);
    const int32_t above = flow->H[place] - (flow->bed->c[place] - flow->bed->b[place]);
    if (above > 0) flow->pushed += rill_min_i(above, moved);
    return want - moved;
}

int64_t rill_source_pour(rill_flow *flow, int32_t place, int32_t room, int64_t want) {
    return pour(flow, NULL, place, room, want);
}

/* A source at work in a sub-step. */
typedef struct dealing {
    rill_source *source;
    rill_flow *flow;
    const rill_landing *landing;
    bool sink;
} dealing;

/* Gives to (or takes from) one column what fits; returns what did not. */
static int64_t serve(const dealing *deal, int32_t place, int64_t want) {
    rill_flow *flow = deal->flow;
    if (!deal->sink) return pour(flow, deal->landing, place, room_of(flow, place), want);
    const int32_t moved = want < flow->H[place] ? (int32_t)want : flow->H[place];
    rill_land(deal->landing, flow, place, -moved);
    return want - moved;
}

enum { RUN = 64 }; /* columns, at most */

/* `count` columns side by side, each the same amount, if all of them have room and are nobody's business: loops that
 * vectorise. False, and nothing done, if not. */
static bool serve_run(const dealing *deal, int32_t place, int32_t count, int32_t amount) {
    rill_flow *flow = deal->flow;
    const rill_landing *landing = deal->landing;
    const bool sink = deal->sink;
    for (int32_t i = 0; landing && i < count; ++i)
        if (landing->concerns(landing->context, place + i)) return false;
    const int32_t *H = flow->H + place, *b = flow->bed->b + place, *c = flow->bed->c + place;
    int32_t least = RILL_TOP;
    for (int32_t i = 0; i < count; ++i) {
        const int32_t covered = flow->solves_passages & (c[i] < RILL_TOP); /* see room_of */
        const int32_t room = sink ? H[i] : covered ? 0 : c[i] - b[i] - H[i];
        least = room < least ? room : least;
    }
    if (least < amount) return false;
    rill_column_exchange_run(flow, place, count, sink ? -amount : amount);
    int32_t depth = 0, level = 0;
    for (int32_t i = 0; i < count; ++i) {
        const int32_t high = b[i] + H[i];
        depth = H[i] > depth ? H[i] : depth;
        level = high > level ? high : level;
    }
    const rill_flow_extent here = { .depth = depth, .level = depth > RILL_DRY ? level : 0 };
    if (!sink) rill_flow_widen(&flow->extent, &here);
    return true;
}

/* How many of the places from i on, before `to`, lie side by side. */
static int32_t run_length(const int32_t *places, int64_t i, int64_t to) {
    const int64_t most = to - i < RUN ? to - i : RUN;
    /* Places ascend, so two that are n apart have all the others between them. */
    if (places[i + most - 1] - places[i] == most - 1) return (int32_t)most;
    int32_t n = 1;
    while (places[i + n] - places[i] == n) ++n;
    return n;
}

/* Serves each of the columns from <= i < to with one amount. Returns what found no room. */
static int64_t serve_all(const dealing *deal, int64_t from, int64_t to, int64_t amount) {
    const int32_t *places = deal->source->places;
    const bool small = amount <= RILL_TOP;
    int64_t rest = 0;
    for (int64_t i = from; i < to;) {
        const int64_t end = i + run_length(places, i, to);
        if (small && serve_run(deal, places[i], (int32_t)(end - i), (int32_t)amount)) {
            i = end;
            continue;
        }
        for (; i < end; ++i) rest += serve(deal, places[i], amount);
    }
    return rest;
}

static bool has_room(const dealing *deal, int32_t place) {
    return (deal->sink ? deal->flow->H[place] : room_of(deal->flow, place)) > 0;
}

static void wake(const dealing *deal) {
    const rill_source *source = deal->source;
    for (size_t i = 0; i < source->tile_count; ++i) rill_flow_wake_tile(deal->flow, source->tiles[i], source->wakes[i]);
}

/* The even deal. Returns what found no room. */
static int64_t deal_evenly(const dealing *deal, int64_t amount) {
    rill_source *source = deal->source;
    const int64_t n = (int64_t)source->place_count, turn = (int64_t)source->turn;
    const int64_t share = amount / n, odd = amount % n;
    const int64_t wrapped = turn + odd > n ? turn + odd - n : 0; /* the odd ones are turn .. turn + odd - 1, mod n */
    int64_t rest = 0;
    if (share == 0) { /* a trickle: touch, and wake, only those that get something */
        for (int64_t k = 0; k < odd; ++k) {
            const int32_t place = source->places[turn + k < n ? turn + k : turn + k - n];
            const int64_t refused = serve(deal, place, 1);
            if (!refused) rill_flow_wake(deal->flow, place);
            rest += refused;
        }
    } else {
        const int64_t end = turn + odd < n ? turn + odd : n;
        rest += serve_all(deal, 0, wrapped, share + 1);
        rest += serve_all(deal, wrapped, turn, share);
        rest += serve_all(deal, turn, end, share + 1);
        rest += serve_all(deal, end, n, share);
        if (rest < amount) wake(deal);
    }
    source->turn = (uint64_t)((turn + odd) % n);
    return rest;
}

/* Deals what was refused again over the columns that still have room. Returns what nobody has room for. */
static int64_t deal_again(const dealing *deal, int64_t rest) {
    const rill_source *source = deal->source;
    const size_t n = source->place_count;
    const int64_t before = rest;
    while (rest > 0) {
        int64_t open = 0;
        for (size_t i = 0; i < n; ++i) open += has_room(deal, source->places[i]);
        if (open == 0) break;
        const int64_t share = rest / open;
        int64_t odd = rest % open;
        for (size_t k = 0; k < n; ++k) {
            const size_t i = (size_t)source->turn + k < n ? (size_t)source->turn + k : (size_t)source->turn + k - n;
            if (!has_room(deal, source->places[i])) continue; /* also one that lost it as levels rose */
            const int64_t want = share + (odd > 0);
            rest -= want - serve(deal, source->places[i], want);
            odd -= odd > 0;
        }
    }
    if (rest < before) wake(deal);
    return rest;
}

int64_t rill_source_run(rill_source *source, rill_flow *flow, const rill_landing *landing, double time, double dt,
                        rill_status *status) {
    const bool active =
        time + dt > source->def.from && time < source->def.until && rill_source_strength(&source->def) > 0.0;
    if (source->place_count == 0) { /* solids have moved over all of it */
        if (active) *status |= source->def.sink ? RILL_STATUS_SINK_DRY : RILL_STATUS_SOURCE_REFUSED;
        return 0;
    }
    const int64_t due = amount_due(source, flow->bed, time, dt);
    if (due == 0) return 0;
    const dealing deal = { .source = source, .flow = flow, .landing = landing, .sink = source->def.sink };
    int64_t rest = deal_evenly(&deal, due);
    if (rest > 0) rest = deal_again(&deal, rest);
    if (rest > 0) *status |= source->def.sink ? RILL_STATUS_SINK_DRY : RILL_STATUS_SOURCE_REFUSED;
    return due - rest;
}
