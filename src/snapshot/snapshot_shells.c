/* Shells in snapshots: their definitions with arrays, from which surfaces are made anew, and the memory of what is on them. */
#include <math.h>

#include "base/assert.h"
#include "shape/contact_angle.h"
#include "snapshot/snapshot.h"
#include "world/limits.h"
#include "world/world_shells.h"

enum { COLUMN_BYTES = 18 };

/* ---------------------------------------------------------------------------------------------------------- saving */

static void put_def(rill_writer *writer, const rill_shell_slot *slot) {
    const rill_shell_def *def = &slot->def;
    if (writer->mode != RILL_HASH_VALUES) rill_put_text(writer, slot->name); /* names decide nothing */
    rill_put_u64(writer, def->vertex_count);
    rill_put_u64(writer, def->triangle_count);
    rill_put_u8(writer, def->contact_angles != NULL);
    for (size_t i = 0; i < 3 * def->vertex_count; ++i) rill_put_f32(writer, def->vertices[i]);
    for (size_t i = 0; i < 3 * def->triangle_count; ++i) rill_put_u32(writer, def->indices[i]);
    if (def->contact_angles) rill_put_f64s(writer, def->contact_angles, def->vertex_count);
    rill_put_f64(writer, def->scale);
    rill_put_f64s(writer, def->rotate, 3);
    rill_put_f64s(writer, def->translate, 3);
    rill_put_u8(writer, def->inside);
    rill_put_f64(writer, def->contact_angle.advancing);
    rill_put_f64(writer, def->contact_angle.receding);
}

static void put_forces(rill_writer *writer, const rill_film_forces *forces) {
    rill_put_f64s(writer, forces->gravity, 3);
    const double numbers[] = { forces->inwards,   forces->strength, forces->hold,
                               forces->viscosity, forces->friction, forces->drying };
    rill_put_f64s(writer, numbers, sizeof numbers / sizeof numbers[0]);
    rill_put_u8(writer, forces->rest);
}

static void put_films(rill_writer *writer, const rill_shell_slot *slot) {
    const rill_shell *shell = slot->shell;
    const rill_films_memory memory = rill_films_remembered(slot->films);
    rill_put_u32(writer, (uint32_t)shell->count);
    rill_put_u32(writer, (uint32_t)shell->edge_count);
    for (int32_t i = 0; i < shell->count; ++i) {
        rill_put_u64(writer, (uint64_t)memory.volume[i]);
        rill_put_u32(writer, (uint32_t)memory.wet[i]);
        rill_put_f32(writer, memory.change[i]);
        rill_put_u8(writer, memory.least[i] > memory.h_min);
        rill_put_u8(writer, memory.calm[i]);
    }
    for (int32_t e = 0; e < shell->edge_count; ++e) rill_put_f32(writer, memory.u[e]);
    for (int32_t b = 0; b < shell->block_count; ++b) rill_put_u8(writer, memory.marked[b]);
    put_forces(writer, memory.forces);
    rill_put_u8(writer, *memory.acted);
    rill_put_u8(writer, *memory.stirred);
    rill_put_f32(writer, *memory.deepest);
    rill_put_f32(writer, *memory.outflow);
    rill_put_u64(writer, *memory.substep);
    rill_put_f64(writer, slot->wetted_by.advancing);
    rill_put_f64(writer, slot->wetted_by.receding);
}

/* A world that never had a shell has the hash that it would have if there were no such thing. */
void rill_snapshot_put_shells(rill_writer *writer, const rill_world *world) {
    if (writer->mode == RILL_HASH_VALUES && world->shells.count == 0) return;
    rill_put_u32(writer, (uint32_t)world->shells.count);
    rill_put_f64(writer, world->shell_quantum);
    for (size_t i = 0; i < world->shells.count; ++i) {
        const rill_shell_slot *slot = rill_shell_slot_at(world, i);
        rill_put_u16(writer, slot->generation);
        rill_put_u8(writer, slot->alive);
        if (!slot->alive) continue;
        put_def(writer, slot);
        put_films(writer, slot);
    }
}

/* --------------------------------------------------------------------------------------------------------- loading */

typedef struct arrays {
    float *vertices;
    uint32_t *indices;
    double *angles;
} arrays;

static void free_arrays(const rill_world *world, const rill_shell_def *def, const arrays *read) {
    rill_free(&world->allocator, read->vertices, def->vertex_count, 3 * sizeof *read->vertices);
    rill_free(&world->allocator, read->indices, def->triangle_count, 3 * sizeof *read->indices);
    rill_free(&world->allocator, read->angles, def->vertex_count, sizeof *read->angles);
}

static rill_result get_arrays(rill_loading *load, bool painted, rill_shell_def *def, arrays *read) {
    rill_reader *reader = &load->reader;
    const rill_allocator *allocator = &load->world->allocator;
    if (!rill_get_room(reader, def->vertex_count, painted ? 20 : 12) || !rill_get_room(reader, def->triangle_count, 12))
        return rill_loading_refuse(load, "the mesh of a shell ends early");
    read->vertices = rill_alloc(allocator, def->vertex_count, 3 * sizeof *read->vertices);
    read->indices = rill_alloc(allocator, def->triangle_count, 3 * sizeof *read->indices);
    if (painted) read->angles = rill_alloc(allocator, def->vertex_count, sizeof *read->angles);
    if (!read->vertices || !read->indices || (painted && !read->angles)) return rill_loading_starved(load, "shells");
    for (size_t i = 0; i < 3 * def->vertex_count; ++i) read->vertices[i] = rill_get_f32(reader);
    for (size_t i = 0; i < 3 * def->triangle_count; ++i) read->indices[i] = rill_get_u32(reader);
    if (painted) rill_get_f64s(reader, read->angles, def->vertex_count);
    def->vertices = read->vertices, def->indices = read->indices, def->contact_angles = read->angles;
    return RILL_OK;
}

/* Reads a definition and makes its surface. */
static rill_result get_def(rill_loading *load, rill_shell_slot *slot) {
    rill_reader *reader = &load->reader;
    char name[RILL_NAME_LENGTH + 1];
    rill_shell_def def = { .name = name };
    arrays read = { NULL, NULL, NULL };
    rill_get_text(reader, name, sizeof name);
    def.vertex_count = (size_t)rill_loading_i64(reader);
    def.triangle_count = (size_t)rill_loading_i64(reader);
    const bool painted = rill_get_bool(reader);
    rill_result result = get_arrays(load, painted, &def, &read);
    def.scale = rill_get_f64(reader);
    rill_get_f64s(reader, def.rotate, 3);
    rill_get_f64s(reader, def.translate, 3);
    def.inside = rill_get_bool(reader);
    rill_loading_angles(reader, &def.contact_angle);
    if (!result && reader->failed) result = rill_loading_refuse(load, "a shell ends early");
    if (!result) {
        load->world->note = load->message;
        result = rill_loading_result(rill_check_shell_def(load->world, &def));
        if (!result) result = rill_loading_result(rill_shell_slot_make(load->world, &def, slot));
        load->world->note = &load->world->message;
    }
    free_arrays(load->world, &def, &read);
    return result;
}

static void get_forces(rill_reader *reader, rill_film_forces *forces) {
    rill_get_f64s(reader, forces->gravity, 3);
    double *const numbers[] = { &forces->inwards,   &forces->strength, &forces->hold,
                                &forces->viscosity, &forces->friction, &forces->drying };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) *numbers[i] = rill_get_f64(reader);
    forces->rest = rill_get_bool(reader);
}

static bool good_forces(const rill_film_forces *forces) {
    bool good = fabs(forces->inwards) <= RILL_MOST_GRAVITY && forces->strength >= 0.0 && forces->strength <= 1e7 &&
                forces->hold >= 0.0 && forces->hold <= 1e7;
    for (int k = 0; k < 3; ++k) good &= fabs(forces->gravity[k]) <= 2.0 * RILL_MOST_GRAVITY;
    return good && forces->viscosity >= 0.0 && forces->viscosity <= RILL_MOST_VISCOSITY && forces->friction >= 0.0 &&
           forces->friction <= 1.0 && forces->drying >= 0.0 && forces->drying <= RILL_MOST_TIME;
}

static bool get_column(rill_reader *reader, const rill_films_memory *memory, int32_t i) {
    memory->volume[i] = rill_loading_i64(reader);
    memory->wet[i] = rill_loading_i32(reader);
    memory->change[i] = rill_get_f32(reader);
    memory->least[i] = rill_get_bool(reader) ? INFINITY : memory->h_min;
    memory->calm[i] = rill_get_u8(reader);
    return memory->volume[i] < INT64_C(1) << 51 && fabsf(memory->change[i]) < RILL_SPEED_BOUND;
}

static rill_result get_films(rill_loading *load, rill_shell_slot *slot) {
    rill_reader *reader = &load->reader;
    const rill_shell *shell = slot->shell;
    const rill_films_memory memory = rill_films_remembered(slot->films);
    bool good = rill_loading_i32(reader) == shell->count && rill_loading_i32(reader) == shell->edge_count &&
                rill_get_room(reader, (uint64_t)shell->count, COLUMN_BYTES);
    for (int32_t i = 0; good && i < shell->count; ++i) good = get_column(reader, &memory, i);
    for (int32_t e = 0; good && e < shell->edge_count; ++e) {
        memory.u[e] = rill_get_f32(reader);
        good = fabsf(memory.u[e]) < RILL_SPEED_BOUND;
    }
    for (int32_t b = 0; good && b < shell->block_count; ++b) memory.marked[b] = rill_get_bool(reader);
    get_forces(reader, memory.forces);
    *memory.acted = rill_get_bool(reader);
    *memory.stirred = rill_get_bool(reader);
    *memory.deepest = rill_get_f32(reader);
    *memory.outflow = rill_get_f32(reader);
    *memory.substep = rill_get_u64(reader);
    slot->wetted_by.advancing = rill_get_f64(reader);
    slot->wetted_by.receding = rill_get_f64(reader);
    good = good && good_forces(memory.forces) && *memory.deepest >= 0.0f && *memory.deepest < RILL_SPEED_BOUND &&
           *memory.outflow >= 0.0f && *memory.outflow < INFINITY;
    if (reader->failed || !good) return rill_loading_refuse(load, "what is on a shell makes no sense");
    rill_films_resume(slot->films);
    for (int32_t i = 0; good && i < shell->count; ++i) good = rill_films_depth(slot->films, i) <= RILL_MOST_LENGTH;
    return good ? RILL_OK : rill_loading_refuse(load, "depths on a shell make no sense");
}

static rill_result get_shell(rill_loading *load, size_t index) {
    const uint16_t generation = rill_get_u16(&load->reader);
    const bool alive = rill_get_bool(&load->reader);
    if (load->reader.failed || generation == 0) return rill_loading_refuse(load, "a shell has no generation");
    rill_shell_slot slot = { 0 };
    const rill_result result = alive ? get_def(load, &slot) : RILL_OK;
    if (result) return result;
    slot.generation = generation;
    *rill_shell_slot_at(load->world, index) = slot; /* the world's end frees it from now on */
    return alive ? get_films(load, rill_shell_slot_at(load->world, index)) : RILL_OK;
}

rill_result rill_loading_shells(rill_loading *load) {
    rill_world *world = load->world;
    const uint32_t count = rill_get_u32(&load->reader);
    world->shell_quantum = rill_get_f64(&load->reader);
    if (count > RILL_SLOTS_MAX || !rill_get_room(&load->reader, count, 3))
        return rill_loading_refuse(load, "there are too many shells");
    const bool counted = rill_world_quantum(world) > 0.0 && rill_world_quantum(world) < 1e30;
    if ((count > 0 && !counted) || !(world->shell_quantum >= 0.0))
        return rill_loading_refuse(load, "the quantum of shells makes no sense");
    if (!rill_array_resize(&world->shells, &world->allocator, count)) return rill_loading_starved(load, "shells");
    rill_result result = RILL_OK;
    for (uint32_t i = 0; !result && i < count; ++i) result = get_shell(load, i);
    if (!result && load->reader.failed) result = rill_loading_refuse(load, "the shells end early");
    return result;
}
