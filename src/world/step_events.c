/* Events of a step: what has changed for sources, sinks, bodies and solids. Whatever is reported is a change of a state that
 * is saved with the world, so that one that is loaded reports the same.
 *
 *     sources, sinks   are looked at after every sub-step, and may change twice in a step at most: the list is bounded
 *     bodies           when the step ends, by what is reported about their forces
 *     solids           when the step ends: a solid is wet while some column is that stands on it
 *
 * Of a wet solid one cell with such a column is known, and while that is wet there is no more to look at. Of dry ones all
 * columns might get wet: those in tiles where something moves are looked at, but for tiles whose columns all stand on wet
 * solids, which are marked. */
#include <string.h>

#include "base/assert.h"
#include "world/ids.h"
#include "world/method.h"

enum { CHANGES = 2 }; /* of a source in a step, at most */

/* Marks of tiles: nothing is known; all floors in it are wet; looked at since it fell asleep. */
enum { UNKNOWN = 0, ALL_WET, SEEN_ASLEEP };

const char *rill_event_kind_name(rill_event_kind kind) {
    static const char *const names[] = { "source refused", "source accepted", "sink reached", "sink dry",
                                         "body entered",   "body left",       "solid wet",    "solid dry" };
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : NULL;
}

/* ------------------------------------------------------------------------------------------------------------ memory */

rill_events rill_events_make(void) {
    return (rill_events){ .list = rill_array_make(sizeof(rill_event_item)) };
}

void rill_events_free(rill_events *events, const rill_allocator *allocator) {
    rill_array_free(&events->list, allocator);
    rill_free(allocator, events->marks, events->mark_count, 1);
    *events = rill_events_make();
}

/* Takes marks for the tiles of a bed that is another one now. */
static bool take_marks(rill_world *world) {
    rill_events *events = &world->events;
    const size_t tiles = (size_t)world->bed.tile_count;
    if (!events->marks || events->mark_count != tiles) {
        uint8_t *marks = rill_alloc_zeroed(&world->allocator, tiles, 1);
        if (!marks) return false;
        rill_free(&world->allocator, events->marks, events->mark_count, 1);
        events->marks = marks;
        events->mark_count = tiles;
    } else if (events->bed_number != world->bed_log.number)
        memset(events->marks, UNKNOWN, tiles);
    events->bed_number = world->bed_log.number;
    return true;
}

rill_result rill_world_ready_events(rill_world *world) {
    const size_t most = CHANGES * world->sources.count + world->bodies.list.count + world->solids.count;
    if (take_marks(world) && rill_array_provide(&world->events.list, &world->allocator, most)) return RILL_OK;
    return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for up to %zu events of a step", most);
}

void rill_events_begin(rill_world *world) {
    rill_source *sources = world->sources.data;
    world->events.list.count = 0;
    for (size_t i = 0; i < world->sources.count; ++i) sources[i].changes = 0;
}

/* There is room for it. */
static void push(rill_world *world, rill_event_kind kind, size_t slot, uint16_t generation, double time) {
    rill_array *list = &world->events.list;
    RILL_ASSERT(list->count < list->capacity);
    ((rill_event_item *)list->data)[list->count++] =
        (rill_event_item){ .kind = kind, .slot = (uint16_t)slot, .generation = generation, .time = time };
}

/* ----------------------------------------------------------------------------------------------------------- sources */

/* A source is refused when not all of it finds room. A sink that takes less than it should has taken all there was: it is dry
 * where that was no more than what counts as dry in its columns. */
static void look_at_source(rill_world *world, size_t slot, rill_source *source, double time) {
    const bool sink = source->def.sink, lacking = source->lacking;
    const bool traces = sink && lacking && source->moved <= RILL_DRY * (int64_t)source->place_count;
    const bool on = sink ? source->moved > 0 && !traces : lacking, off = sink ? traces : source->moved > 0 && !lacking;
    if (source->changes == CHANGES || !(source->noted ? off : on)) return;
    source->noted = !source->noted;
    source->changes += 1;
    const rill_event_kind kinds[2][2] = { { RILL_EVENT_SOURCE_ACCEPTED, RILL_EVENT_SOURCE_REFUSED },
                                          { RILL_EVENT_SINK_DRY, RILL_EVENT_SINK_REACHED } };
    push(world, kinds[sink][source->noted], slot, source->generation, time);
}

void rill_events_note_sources(rill_world *world, double time) {
    rill_source *sources = world->sources.data;
    for (size_t i = 0; i < world->sources.count; ++i)
        if (sources[i].alive) look_at_source(world, i, &sources[i], time);
}

/* ------------------------------------------------------------------------------------------------------------ bodies */

static void note_bodies(rill_world *world, double time) {
    for (size_t i = 0; i < world->bodies.list.count; ++i) {
        rill_body *body = rill_body_at(&world->bodies, (int32_t)i);
        const bool wet = body->forces.wetted_area > 0.0 || body->forces.submerged_volume > 0.0;
        if (!body->alive || wet == body->wet) continue;
        body->wet = wet;
        push(world, wet ? RILL_EVENT_BODY_ENTERED : RILL_EVENT_BODY_LEFT, i, body->generation, time);
    }
}

/* ------------------------------------------------------------------------------------------------------------ solids */

static bool is_wet_cell(const rill_world *world, size_t slot, int32_t x, int32_t y) {
    const rill_bed *bed = &world->bed;
    const size_t cell = (size_t)y * (size_t)bed->grid.cells[0] + (size_t)x;
    for (int32_t k = bed->cell_first[cell]; k < bed->cell_first[cell + 1]; ++k)
        if (bed->floors[k] == slot && world->flow.H[bed->places[k]] > RILL_DRY) return true;
    return false;
}

/* Whether a wet solid still is: at the cell that is known, else at the next behind it, row by row, that is. */
static bool stays_wet(const rill_world *world, size_t index, rill_solid_slot *slot) {
    const rill_area *area = &slot->built;
    if (rill_area_empty(area)) return false;
    const int32_t width = area->high[0] - area->low[0];
    const int64_t count = (int64_t)rill_area_cells(area);
    const int64_t first = slot->wet_cell < count ? slot->wet_cell : 0;
    for (int64_t i = 0; i < count; ++i) {
        const int64_t at = first + i < count ? first + i : first + i - count;
        if (!is_wet_cell(world, index, area->low[0] + (int32_t)(at % width), area->low[1] + (int32_t)(at / width)))
            continue;
        slot->wet_cell = at;
        return true;
    }
    return false;
}

/* Looks for wet columns on dry solids in a tile; returns its mark. */
static uint8_t look_at_tile(rill_world *world, const rill_sheet *sheet, int32_t tx, int32_t ty) {
    const rill_bed *bed = &world->bed;
    rill_solid_slot *slots = world->solids.data;
    bool any_dry = false;
    for (int32_t row = ty * RILL_TILE_H; row < (ty + 1) * RILL_TILE_H && row < rill_sheet_rows(sheet) - 1; ++row)
        for (int32_t column = tx * RILL_TILE_W; column < (tx + 1) * RILL_TILE_W && column <= sheet->nx; ++column) {
            if (row == 0 || column == 0) continue; /* beyond an edge */
            const int32_t place = rill_sheet_place(sheet, column, row), y = sheet->y0 + row - 1;
            const size_t cell = (size_t)y * (size_t)bed->grid.cells[0] + (size_t)(sheet->x0 + column - 1);
            for (int32_t k = bed->cell_first[cell]; k < bed->cell_first[cell + 1]; ++k) {
                rill_solid_slot *slot = &slots[bed->floors[k]];
                if (bed->places[k] != place || slot->wet || !slot->solid) continue;
                any_dry = true;
                slot->reached |= world->flow.H[place] > RILL_DRY;
            }
        }
    if (!any_dry) return ALL_WET;
    return world->flow.tiles[sheet->first_tile + ty * sheet->tiles_x + tx] & RILL_TILE_AWAKE ? UNKNOWN : SEEN_ASLEEP;
}

/* Looks at the tiles in which something is wet or moves and in which floors may be dry; also at those asleep that may have been
 * awake since they were looked at. */
static void look_at_tiles(rill_world *world) {
    const bool woken = world->step.substeps >= RILL_TILE_CALM_CHECKS; /* fewer cannot have sent it to sleep again */
    const uint16_t *tiles = world->flow.tiles, busy = RILL_TILE_AWAKE | RILL_TILE_SWEPT;
    uint8_t *marks = world->events.marks;
    for (int32_t s = 0; s < world->bed.sheet_count; ++s) {
        const rill_sheet *sheet = &world->bed.sheets[s];
        for (int32_t i = 0; i < sheet->tiles_x * sheet->tiles_y; ++i) {
            const int32_t tile = sheet->first_tile + i;
            if (!tiles[tile] || marks[tile] == ALL_WET) continue;
            if (marks[tile] == SEEN_ASLEEP && !woken && !(tiles[tile] & busy)) continue;
            marks[tile] = look_at_tile(world, sheet, i % sheet->tiles_x, i / sheet->tiles_x);
        }
    }
}

/* Whether some solid that stands in the bed is dry. */
static bool any_dry_solid(const rill_world *world) {
    const rill_solid_slot *slots = world->solids.data;
    for (size_t i = 0; i < world->solids.count; ++i)
        if (slots[i].solid && !slots[i].wet && slots[i].touched) return true;
    return false;
}

static void note_solids(rill_world *world, double time) {
    rill_solid_slot *slots = world->solids.data;
    bool dried = false;
    if (any_dry_solid(world)) look_at_tiles(world);
    for (size_t i = 0; i < world->solids.count; ++i) {
        rill_solid_slot *slot = &slots[i];
        const bool dries = slot->wet && !stays_wet(world, i, slot);
        if (slot->reached || (dries && slot->solid))
            push(world, dries ? RILL_EVENT_SOLID_DRY : RILL_EVENT_SOLID_WET, i, slot->generation, time);
        slot->wet = slot->reached || (slot->wet && !dries);
        slot->reached = false;
        dried |= dries;
    }
    if (dried) memset(world->events.marks, UNKNOWN, world->events.mark_count);
}

void rill_events_end(rill_world *world, double time) {
    note_bodies(world, time);
    note_solids(world, time);
}

/* ------------------------------------------------------------------------------------------------------------- asking */

int32_t rill_world_event_count(const rill_world *world) {
    return world ? (int32_t)world->events.list.count : 0;
}

rill_result rill_world_get_event(const rill_world *world, int32_t index, rill_event *out) {
    if (!world) return RILL_INVALID_ARGUMENT;
    if (!out) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "out is NULL; expected a place for the event");
    if (index < 0 || index >= rill_world_event_count(world))
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "event %d does not exist; there are %d of the last step",
                         index, rill_world_event_count(world));
    const rill_event_item *item = (const rill_event_item *)world->events.list.data + index;
    const uint64_t id = rill_id_of(world, item->slot, item->generation);
    *out = (rill_event){ .kind = item->kind, .time = item->time };
    if (item->kind >= RILL_EVENT_SOLID_WET)
        out->solid.value = id;
    else if (item->kind >= RILL_EVENT_BODY_ENTERED)
        out->body.value = id;
    else
        out->source.value = id;
    return RILL_OK;
}
