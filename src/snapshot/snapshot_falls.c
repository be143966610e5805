/* Falls in snapshots: parcels in the order of the calendar, and what brinks remember. It is no part of a
 * hash while there is nothing of either. */
#include <math.h>

#include "base/assert.h"
#include "snapshot/snapshot.h"

/* Bytes of an item. */
enum { PARCEL_BYTES = 64, BRINK_BYTES = 38 };

/* ---------------------------------------------------------------------------------------------------------- writing */

static void put_parcel(void *context, const rill_parcel *parcel) {
    rill_writer *writer = context;
    RILL_ASSERT(parcel->amount > 0);
    rill_put_u64(writer, (uint64_t)parcel->amount);
    rill_put_f64(writer, parcel->begin);
    rill_put_f64(writer, parcel->end);
    for (int i = 0; i < 3; ++i) rill_put_f32(writer, parcel->from[i]);
    for (int i = 0; i < 3; ++i) rill_put_f32(writer, parcel->velocity[i]);
    rill_put_f32(writer, parcel->flight);
    rill_put_f32(writer, parcel->hit);
    rill_put_u32(writer, (uint32_t)parcel->place);
    rill_put_u32(writer, (uint32_t)parcel->brink);
}

static void put_brink(rill_writer *writer, const rill_brink *brink) {
    rill_put_u32(writer, (uint32_t)brink->cell[0]);
    rill_put_u32(writer, (uint32_t)brink->cell[1]);
    rill_put_u8(writer, (uint8_t)brink->side);
    rill_put_u32(writer, (uint32_t)brink->sill);
    rill_put_u8(writer, brink->falls);
    rill_put_u64(writer, (uint64_t)brink->amount);
    rill_put_f64(writer, brink->momentum);
    rill_put_f64(writer, brink->since);
}

static uint32_t remembering(const rill_brinks *brinks) {
    uint32_t count = 0;
    for (int32_t i = 0; i < brinks->count; ++i) count += brinks->list[i].falls || brinks->list[i].amount > 0;
    return count;
}

void rill_snapshot_put_falls(rill_writer *writer, const rill_world *world) {
    const rill_falls *falls = world->falls;
    const uint32_t remember = falls ? remembering(&falls->brinks) : 0;
    if (writer->mode != RILL_HASH_VALUES) rill_put_u8(writer, falls != NULL);
    if (!falls || (writer->mode == RILL_HASH_VALUES && remember == 0 && falls->count == 0)) return;
    rill_put_f64(writer, falls->window);
    rill_put_f64(writer, falls->rise);
    rill_put_u64(writer, (uint64_t)falls->tick);
    rill_put_u32(writer, (uint32_t)falls->count);
    rill_calendar_each(falls, put_parcel, writer);
    const rill_brinks *brinks = &falls->brinks;
    rill_put_u32(writer, remember);
    for (int32_t i = 0; i < brinks->open_count; ++i) put_brink(writer, &brinks->list[brinks->open[i]]);
    for (int32_t i = 0; i < brinks->count; ++i)
        if (brinks->list[i].falls && brinks->list[i].amount == 0) put_brink(writer, &brinks->list[i]);
}

/* ---------------------------------------------------------------------------------------------------------- reading */

/* Reads parcels; what must hold of them is checked with the whole world, but for amounts, which are in the ledger. */
static rill_result get_parcels(rill_loading *load, rill_falls *falls, int64_t *left) {
    rill_reader *reader = &load->reader;
    const uint32_t count = rill_get_u32(reader);
    if (!rill_get_room(reader, count, PARCEL_BYTES)) return rill_loading_refuse(load, "parcels in the air end early");
    if (!rill_falls_reserve(falls, 0.0, count, &load->world->allocator)) return rill_loading_starved(load, "parcels");
    const size_t start = reader->at;
    for (uint32_t i = 0; i < count; ++i) {
        rill_parcel read = { .amount = rill_loading_i64(reader) };
        read.begin = rill_get_f64(reader);
        read.end = rill_get_f64(reader);
        for (int k = 0; k < 3; ++k) read.from[k] = rill_get_f32(reader);
        for (int k = 0; k < 3; ++k) read.velocity[k] = rill_get_f32(reader);
        read.flight = rill_get_f32(reader);
        read.hit = rill_get_f32(reader);
        read.place = (int32_t)rill_get_u32(reader);
        read.brink = (int32_t)rill_get_u32(reader);
        const bool timely = read.begin >= 0.0 && read.end >= read.begin && read.end <= load->world->time + 1.0 &&
                            read.flight >= 0.0f && read.flight <= 1e6f;
        if (reader->failed || read.amount <= 0 || read.amount > *left || !timely)
            return rill_loading_refuse(load, "a parcel in the air makes no sense");
        *left -= read.amount;
        rill_parcel *parcel = rill_calendar_take(falls);
        *parcel = read;
        rill_calendar_add(falls, parcel);
    }
    RILL_ASSERT(reader->at - start == (size_t)count * PARCEL_BYTES && *left >= 0);
    return RILL_OK;
}

static rill_brink *find_brink(rill_falls *falls, const rill_brink *like) {
    for (int32_t i = 0; i < falls->brinks.count; ++i) {
        rill_brink *brink = &falls->brinks.list[i];
        if (brink->cell[0] == like->cell[0] && brink->cell[1] == like->cell[1] && brink->side == like->side &&
            brink->sill == like->sill)
            return brink;
    }
    return NULL;
}

static rill_result get_brinks(rill_loading *load, rill_falls *falls, int64_t *left) {
    rill_reader *reader = &load->reader;
    rill_brinks *brinks = &falls->brinks;
    const uint32_t count = rill_get_u32(reader);
    if (count > (uint32_t)brinks->count || !rill_get_room(reader, count, BRINK_BYTES))
        return rill_loading_refuse(load, "brinks end early");
    for (uint32_t i = 0; i < count; ++i) {
        rill_brink read = { .cell = { rill_loading_i32(reader), 0 } };
        read.cell[1] = rill_loading_i32(reader);
        read.side = rill_get_u8(reader);
        read.sill = rill_loading_i32(reader);
        read.falls = rill_get_bool(reader);
        read.amount = rill_loading_i64(reader);
        read.momentum = rill_get_f64(reader);
        read.since = rill_get_f64(reader);
        rill_brink *brink = reader->failed ? NULL : find_brink(falls, &read);
        if (!brink || brink->amount > 0 || read.amount > *left || !(fabs(read.momentum) <= 1e30) ||
            !(read.since >= 0.0 && read.since <= load->world->time + 1.0))
            return rill_loading_refuse(load, "a brink makes no sense");
        *left -= read.amount;
        brink->falls = read.falls, brink->amount = read.amount, brink->momentum = read.momentum,
        brink->since = read.since;
        if (read.amount > 0) brinks->open[brinks->open_count++] = (int32_t)(brink - brinks->list);
    }
    return RILL_OK;
}

rill_result rill_loading_falls(rill_loading *load) {
    rill_reader *reader = &load->reader;
    rill_world *world = load->world;
    int64_t left = INT64_C(1) << 60; /* as of the accounts */
    if (!rill_get_bool(reader)) return reader->failed ? rill_loading_refuse(load, "falls end early") : RILL_OK;
    world->falls = rill_falls_make(&world->allocator);
    if (!world->falls) return rill_loading_starved(load, "falls");
    rill_falls *falls = world->falls;
    falls->window = rill_get_f64(reader);
    falls->rise = rill_get_f64(reader);
    falls->tick = rill_loading_i64(reader);
    const double ticks = world->time / RILL_FALLS_WINDOW;
    if (!(falls->window >= 0.0 && falls->window <= world->time + 1.0 && falls->rise >= 0.0 && falls->rise <= 1e9) ||
        !(fabs((double)falls->tick - ticks) <= 4.0))
        return rill_loading_refuse(load, "the time of falls makes no sense");
    rill_result result = get_parcels(load, falls, &left);
    const rill_falls_gravity gravity = rill_world_falls_gravity(world);
    if (!result && !rill_falls_find_brinks(falls, &world->flow, NULL, 0, &gravity, world->time, &world->allocator))
        result = rill_loading_starved(load, "brinks");
    falls->bed = world->bed_log.number;
    return result ? result : get_brinks(load, falls, &left);
}
