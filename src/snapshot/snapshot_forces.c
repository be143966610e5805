/* Forces in snapshots: fields, controls, and brushes that wait for their step. What follows from them for faces is found
 * anew. */
#include <math.h>

#include "base/assert.h"
#include "snapshot/snapshot.h"
#include "world/limits.h"

enum { HAS_PRESSURES = 1, HAS_ACCELERATIONS = 2, FIELD_LEAST = 5, BRUSH_BYTES = 48, BRUSHES_MOST = 1024 };

/* ---------------------------------------------------------------------------------------------------------- saving */

static void put_layers(rill_writer *writer, const rill_forces *forces) {
    const rill_force_layer *layers = forces->layers.data;
    rill_put_u32(writer, (uint32_t)forces->layers.count);
    for (size_t i = 0; i < forces->layers.count; ++i) {
        rill_put_u32(writer, (uint32_t)layers[i].layer);
        rill_put_u8(writer, (uint8_t)((layers[i].pressures ? HAS_PRESSURES : 0) |
                                      (layers[i].accelerations ? HAS_ACCELERATIONS : 0)));
        if (layers[i].pressures) rill_put_f64s(writer, layers[i].pressures, forces->cells);
        if (layers[i].accelerations) rill_put_f64s(writer, layers[i].accelerations, 2 * forces->cells);
    }
}

static void put_control(rill_writer *writer, const rill_control *control) {
    if (writer->mode != RILL_HASH_VALUES) rill_put_text(writer, control->name); /* names decide nothing */
    const rill_control_def *def = &control->def;
    const double numbers[] = { def->strength,
                               def->inside.advancing,
                               def->inside.receding,
                               def->outside.advancing,
                               def->outside.receding,
                               def->from,
                               def->until };
    rill_put_f64s(writer, numbers, sizeof numbers / sizeof numbers[0]);
    rill_put_u8(writer, control->active);
    for (size_t i = 0; i < control->cells; ++i) rill_put_u8(writer, control->inside[i]);
}

static void put_controls(rill_writer *writer, const rill_forces *forces) {
    const rill_control *controls = forces->controls.data;
    rill_put_u32(writer, (uint32_t)forces->controls.count);
    for (size_t i = 0; i < forces->controls.count; ++i) {
        rill_put_u16(writer, controls[i].generation);
        rill_put_u8(writer, controls[i].alive);
        if (controls[i].alive) put_control(writer, &controls[i]);
    }
}

static void put_brushes(rill_writer *writer, const rill_forces *forces) {
    const rill_brush *brushes = forces->brushes.data;
    rill_put_u32(writer, (uint32_t)forces->brushes.count);
    for (size_t i = 0; i < forces->brushes.count; ++i) {
        rill_put_f64s(writer, brushes[i].at, 3);
        rill_put_f64(writer, brushes[i].radius);
        rill_put_f64s(writer, brushes[i].acceleration, 2);
    }
}

/* A world without forces has the hash that it would have if there were no such thing. */
void rill_snapshot_put_forces(rill_writer *writer, const rill_world *world) {
    if (writer->mode == RILL_HASH_VALUES && !rill_forces_any(&world->forces)) return;
    put_layers(writer, &world->forces);
    put_controls(writer, &world->forces);
    put_brushes(writer, &world->forces);
}

/* --------------------------------------------------------------------------------------------------------- loading */

/* Reads an array that there is memory for; every value is at most as large as it may be set. */
static bool get_numbers(rill_reader *reader, double *numbers, size_t count, double most) {
    bool good = true;
    rill_get_f64s(reader, numbers, count);
    for (size_t i = 0; i < count; ++i) good &= fabs(numbers[i]) <= most;
    return good && !reader->failed;
}

static rill_result get_layer(rill_loading *load, int32_t above) {
    rill_world *world = load->world;
    const size_t cells = world->forces.cells;
    rill_force_layer layer = { .layer = (int32_t)rill_get_u32(&load->reader) };
    const uint8_t has = rill_get_u8(&load->reader);
    const size_t parts = (has & HAS_PRESSURES ? 1u : 0u) + (has & HAS_ACCELERATIONS ? 2u : 0u);
    if (load->reader.failed || has > (HAS_PRESSURES | HAS_ACCELERATIONS) || layer.layer <= above ||
        !rill_get_room(&load->reader, parts * cells, sizeof(double)))
        return rill_loading_refuse(load, "a field of forces makes no sense");
    rill_force_layer *slot = rill_array_push(&world->forces.layers, &world->allocator, &layer);
    if (!slot) return rill_loading_starved(load, "fields of forces");
    if (has & HAS_PRESSURES) slot->pressures = rill_alloc(&world->allocator, cells, sizeof *slot->pressures);
    if (has & HAS_ACCELERATIONS)
        slot->accelerations = rill_alloc(&world->allocator, 2 * cells, sizeof *slot->accelerations);
    if ((has & HAS_PRESSURES && !slot->pressures) || (has & HAS_ACCELERATIONS && !slot->accelerations))
        return rill_loading_starved(load, "fields of forces");
    if ((slot->pressures && !get_numbers(&load->reader, slot->pressures, cells, RILL_MOST_PRESSURE)) ||
        (slot->accelerations && !get_numbers(&load->reader, slot->accelerations, 2 * cells, RILL_MOST_GRAVITY)))
        return rill_loading_refuse(load, "forces make no sense");
    return RILL_OK;
}

static rill_result get_layers(rill_loading *load) {
    const uint32_t count = rill_get_u32(&load->reader);
    if (count > INT32_MAX || !rill_get_room(&load->reader, count, FIELD_LEAST))
        return rill_loading_refuse(load, "there are too many fields of forces");
    rill_result result = RILL_OK;
    for (uint32_t i = 0; !result && i < count; ++i) {
        const rill_force_layer *layers = load->world->forces.layers.data;
        result = get_layer(load, i > 0 ? layers[i - 1].layer : RILL_ALL_LAYERS - 1);
    }
    rill_forces_find_mean(&load->world->forces);
    return result;
}

static bool get_inside(rill_reader *reader, uint8_t *inside, size_t cells) {
    size_t count = 0;
    for (size_t i = 0; i < cells; ++i) count += inside[i] = rill_get_bool(reader);
    return count > 0 && !reader->failed;
}

static rill_result get_control(rill_loading *load, rill_control *out) {
    rill_reader *reader = &load->reader;
    const rill_world *world = load->world;
    char name[RILL_NAME_LENGTH + 1];
    rill_control_def def = { .name = name };
    double *const numbers[] = { &def.strength,
                                &def.inside.advancing,
                                &def.inside.receding,
                                &def.outside.advancing,
                                &def.outside.receding,
                                &def.from,
                                &def.until };
    rill_get_text(reader, name, sizeof name);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) *numbers[i] = rill_get_f64(reader);
    const bool active = rill_get_bool(reader);
    if (!rill_get_room(reader, world->forces.cells, 1)) return rill_loading_refuse(load, "a control ends early");
    const rill_result result = rill_loading_result(rill_check_control_def(&def, load->message));
    if (result) return result;
    uint8_t *inside = rill_alloc(&world->allocator, world->forces.cells, 1);
    if (!inside) return rill_loading_starved(load, "controls");
    def.mask = inside;
    def.mask_count = world->forces.cells;
    rill_result made = get_inside(reader, inside, world->forces.cells)
                           ? rill_loading_result(rill_control_make(world, &def, out))
                           : rill_loading_refuse(load, "the shape of a control makes no sense");
    rill_free(&world->allocator, inside, world->forces.cells, 1);
    if (!made) out->active = active;
    return made;
}

static rill_result get_controls(rill_loading *load) {
    rill_forces *forces = &load->world->forces;
    const uint32_t count = rill_get_u32(&load->reader);
    if (count > RILL_SLOTS_MAX || !rill_get_room(&load->reader, count, 3))
        return rill_loading_refuse(load, "there are too many controls");
    if (!rill_array_resize(&forces->controls, &load->world->allocator, count))
        return rill_loading_starved(load, "controls");
    rill_control *controls = forces->controls.data;
    for (uint32_t i = 0; i < count; ++i) {
        const uint16_t generation = rill_get_u16(&load->reader);
        const bool alive = rill_get_bool(&load->reader);
        if (generation == 0) return rill_loading_refuse(load, "a control has no generation");
        const rill_result result = alive ? get_control(load, &controls[i]) : RILL_OK;
        if (result) return result;
        controls[i].generation = generation;
        forces->controls_free += !alive && generation < RILL_GENERATION_MAX;
    }
    return RILL_OK;
}

static rill_result get_brushes(rill_loading *load) {
    const uint32_t count = rill_get_u32(&load->reader);
    if (count > BRUSHES_MOST || !rill_get_room(&load->reader, count, BRUSH_BYTES))
        return rill_loading_refuse(load, "there are too many brushes");
    rill_result result = RILL_OK;
    for (uint32_t i = 0; !result && i < count; ++i) {
        rill_brush brush;
        rill_get_f64s(&load->reader, brush.at, 3);
        brush.radius = rill_get_f64(&load->reader);
        rill_get_f64s(&load->reader, brush.acceleration, 2);
        result = rill_loading_result(rill_check_brush(&brush, load->message));
        if (!result && !rill_array_push(&load->world->forces.brushes, &load->world->allocator, &brush))
            result = rill_loading_starved(load, "brushes");
    }
    return result;
}

rill_result rill_loading_forces(rill_loading *load) {
    rill_world *world = load->world;
    rill_result result = get_layers(load);
    if (!result) result = get_controls(load);
    if (!result) result = get_brushes(load);
    if (!result && load->reader.failed) result = rill_loading_refuse(load, "the forces end early");
    if (!result && rill_world_ready_forces(world, &world->flow)) result = rill_loading_starved(load, "forces");
    if (!result) rill_world_apply_forces(world, false);
    return result;
}
