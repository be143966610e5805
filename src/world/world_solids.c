/* Solids of a world, by id. Once the bed is built a change is only noted in the solid's slot; the bed follows later
 * (world_moves.c). */
#include <string.h>

#include "bed/terrain_mesh.h"
#include "world/ids.h"

static rill_solid_id id_of(const rill_world *world, size_t index, uint16_t generation) {
    return (rill_solid_id){ rill_id_of(world, index, generation) };
}

const rill_solid_slot *rill_world_solid(const rill_world *world, rill_solid_id id) {
    const size_t index = rill_id_slot(id.value);
    if (index < world->solids.count) {
        const rill_solid_slot *slot = (const rill_solid_slot *)world->solids.data + index;
        if (slot->solid && rill_id_names(world, id.value, slot->generation)) return slot;
    }
    rill_id_refuse(world, "solid", id.value, world->solids.count);
    return NULL;
}

rill_solid_id rill_solid_find(const rill_world *world, const char *name) {
    if (!world || !name || !*name) return (rill_solid_id){ 0 };
    const rill_solid_slot *slots = world->solids.data;
    for (size_t i = 0; i < world->solids.count; ++i) {
        const rill_solid *solid = slots[i].solid;
        if (solid && solid->def.name && strcmp(solid->def.name, name) == 0) return id_of(world, i, slots[i].generation);
    }
    return (rill_solid_id){ 0 };
}

const char *rill_solid_name(const rill_world *world, rill_solid_id id) {
    const rill_solid_slot *slot = world ? rill_world_solid(world, id) : NULL;
    if (!slot) return NULL;
    return slot->solid->def.name ? slot->solid->def.name : "";
}

void *rill_solid_user_data(const rill_world *world, rill_solid_id id) {
    const rill_solid_slot *slot = world ? rill_world_solid(world, id) : NULL;
    return slot ? slot->user : NULL;
}

/* A free slot, or a new one at the end; -1 without memory. */
static int64_t take_slot(rill_world *world) {
    const rill_solid_slot *slots = world->solids.data;
    for (size_t i = 0; world->solids_free > 0 && i < world->solids.count; ++i) {
        if (!rill_slot_free(&slots[i])) continue;
        world->solids_free -= 1;
        return (int64_t)i;
    }
    return rill_array_push(&world->solids, &world->allocator, NULL) ? (int64_t)world->solids.count - 1 : -1;
}

/* The slot of an id for a change of its solid, or NULL with a message. */
static rill_solid_slot *slot_of(rill_world *world, rill_solid_id id) {
    const rill_solid_slot *found = rill_world_solid(world, id);
    return found ? (rill_solid_slot *)world->solids.data + rill_id_slot(id.value) : NULL;
}

rill_result rill_solid_set_user_data(rill_world *world, rill_solid_id id, void *user) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_solid_slot *slot = slot_of(world, id);
    if (!slot) return RILL_INVALID_ID;
    slot->user = user;
    return RILL_OK;
}

static void note_change(rill_world *world, rill_solid_slot *slot) {
    if (!world->built || slot->changed) return;
    slot->changed = true;
    world->changes += 1;
}

/* --------------------------------------------------------------------------------------------- creating, destroying */

rill_result rill_world_make_solid(const rill_world *world, const rill_solid_def *def, bool soft, rill_solid **out,
                                  rill_message *message) {
    rill_solid *solid = NULL;
    const rill_result result = rill_solid_make(def, &world->allocator, &solid, message);
    if (result) return result;
    solid->soft = soft;
    if (!soft && !rill_solid_measure(solid, world->def.grid.cell_size, &world->allocator)) {
        rill_solid_free(solid, &world->allocator);
        return rill_fail(message, RILL_OUT_OF_MEMORY, "no memory to measure how thin a mesh is");
    }
    *out = solid;
    return RILL_OK;
}

static rill_result check_solid_name(const rill_world *world, const char *name, rill_solid_id own) {
    const rill_result result = rill_check_name("solid", name, world->note);
    if (result) return result;
    const rill_solid_id other = rill_solid_find(world, name);
    if (other.value == 0 || other.value == own.value) return RILL_OK;
    return rill_fail(world->note, RILL_INVALID_ARGUMENT, "solid.name is \"%.64s\", which another solid has already",
                     name);
}

static rill_result check_new_solid(const rill_world *world, const rill_solid_def *def) {
    if (!def) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "def is NULL; expected a definition");
    if (!rill_world_has_grid(world)) return rill_world_need_bed(world, "rill_solid_create");
    const rill_result result = check_solid_name(world, def->name, (rill_solid_id){ 0 });
    if (result) return result;
    if (world->solids_free == 0 && world->solids.count >= RILL_SLOTS_MAX)
        return rill_fail(world->note, RILL_TOO_LARGE, "there are %d solids; expected at most %d", RILL_SLOTS_MAX,
                         RILL_SLOTS_MAX);
    return RILL_OK;
}

rill_result rill_solid_create(rill_world *world, const rill_solid_def *def, rill_solid_id *out) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_result result = check_new_solid(world, def);
    if (result) return result;
    rill_solid *solid = NULL;
    result = rill_world_make_solid(world, def, false, &solid, world->note);
    if (result) return result;
    const int64_t index = take_slot(world);
    if (index < 0) {
        rill_solid_free(solid, &world->allocator);
        return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for a solid's id");
    }
    rill_solid_slot *slot = (rill_solid_slot *)world->solids.data + index;
    *slot = (rill_solid_slot){ .solid = solid, .generation = (uint16_t)(slot->generation + 1) };
    note_change(world, slot);
    rill_world_log_solid(world, solid);
    if (out) *out = id_of(world, (size_t)index, slot->generation);
    return RILL_OK;
}

rill_result rill_solid_destroy(rill_world *world, rill_solid_id id) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_solid_slot *slot = slot_of(world, id);
    if (!slot) return RILL_INVALID_ID;
    rill_solid_free(slot->solid, &world->allocator);
    slot->solid = NULL;
    slot->user = NULL;
    if (!rill_area_empty(&slot->built)) {
        note_change(world, slot);
    } else if (slot->changed) { /* it was never in the bed */
        slot->changed = false;
        world->changes -= 1;
    }
    if (rill_slot_free(slot)) world->solids_free += 1;
    return RILL_OK;
}

/* -------------------------------------------------------------------------------------------------------- changing */

rill_result rill_solid_set_pose(rill_world *world, rill_solid_id id, const double translate[3],
                                const double rotate[3]) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_solid_slot *slot = slot_of(world, id);
    if (!slot) return RILL_INVALID_ID;
    if (!translate || !rotate)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "%s is NULL; expected three numbers",
                         translate ? "rotate" : "translate");
    const rill_solid_def *def = &slot->solid->def;
    bool same = def->shape.type != RILL_SHAPE_HEIGHTMAP;
    for (int i = 0; i < 3; ++i) same = same && translate[i] == def->translate[i] && rotate[i] == def->rotate[i];
    if (same) return RILL_OK;
    const rill_result result = rill_solid_repose(slot->solid, translate, rotate, &world->allocator, world->note);
    if (!result) note_change(world, slot);
    return result;
}

rill_result rill_solid_get_pose(const rill_world *world, rill_solid_id id, double translate[3], double rotate[3]) {
    if (!world) return RILL_INVALID_ARGUMENT;
    const rill_solid_slot *slot = rill_world_solid(world, id);
    if (!slot) return RILL_INVALID_ID;
    if (!translate || !rotate)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "%s is NULL; expected room for three numbers",
                         translate ? "rotate" : "translate");
    memcpy(translate, slot->solid->def.translate, 3 * sizeof *translate);
    memcpy(rotate, slot->solid->def.rotate, 3 * sizeof *rotate);
    return RILL_OK;
}

rill_result rill_solid_set_vertices(rill_world *world, rill_solid_id id, const float *vertices, size_t vertex_count) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_solid_slot *slot = slot_of(world, id);
    if (!slot) return RILL_INVALID_ID;
    const rill_result result = rill_solid_reshape(slot->solid, vertices, vertex_count, &world->allocator, world->note);
    if (!result) note_change(world, slot);
    return result;
}

rill_result rill_solid_replace(rill_world *world, rill_solid_id id, const rill_solid_def *def) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_solid_slot *slot = slot_of(world, id);
    if (!slot) return RILL_INVALID_ID;
    if (!def) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "def is NULL; expected a definition");
    rill_solid_def named = *def;
    if (!named.name) named.name = slot->solid->def.name;
    rill_result result = check_solid_name(world, named.name, id);
    rill_solid *solid = NULL;
    if (!result) result = rill_world_make_solid(world, &named, false, &solid, world->note);
    if (result) return result;
    rill_solid_free(slot->solid, &world->allocator);
    slot->solid = solid;
    note_change(world, slot);
    rill_world_log_solid(world, solid);
    return RILL_OK;
}

rill_result rill_solid_set_visible(rill_world *world, rill_solid_id id, bool visible) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_solid_slot *slot = slot_of(world, id);
    if (!slot) return RILL_INVALID_ID;
    if (slot->hidden != visible) return RILL_OK;
    slot->hidden = !visible;
    note_change(world, slot);
    return RILL_OK;
}

bool rill_solid_is_visible(const rill_world *world, rill_solid_id id) {
    const rill_solid_slot *slot = world ? rill_world_solid(world, id) : NULL;
    return slot && !slot->hidden;
}

/* ------------------------------------------------------------------------------------------------- one by one, drawn */

rill_result rill_solid_get_mesh(const rill_world *world, rill_solid_id id, rill_solid_mesh *out) {
    if (!world) return RILL_INVALID_ARGUMENT;
    if (!out) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "out is NULL; expected a place for the mesh");
    const rill_solid_slot *slot = rill_world_solid(world, id);
    if (!slot) return RILL_INVALID_ID;
    rill_solid *solid = slot->solid;
    if (!rill_terrain_mesh_make(solid, &world->def.grid, &world->allocator))
        return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for the triangles of a solid");
    const bool covers = solid->terrain_vertices != NULL;
    *out = (rill_solid_mesh){ .vertices = covers ? solid->terrain_vertices : solid->vertices,
                              .vertex_count = covers ? solid->terrain_vertex_count : solid->vertex_count,
                              .indices = covers ? solid->terrain_indices : solid->indices,
                              .triangle_count = covers ? solid->terrain_triangle_count : solid->triangle_count };
    return RILL_OK;
}

int32_t rill_world_solid_count(const rill_world *world) {
    int32_t count = 0;
    const rill_solid_slot *slots = world ? world->solids.data : NULL;
    for (size_t i = 0; world && i < world->solids.count; ++i) count += slots[i].solid != NULL;
    return count;
}

rill_solid_id rill_world_solid_at(const rill_world *world, int32_t index) {
    const rill_solid_slot *slots = world ? world->solids.data : NULL;
    for (size_t i = 0; world && index >= 0 && i < world->solids.count; ++i) {
        if (!slots[i].solid || index-- > 0) continue;
        return (rill_solid_id){ rill_id_of(world, i, slots[i].generation) };
    }
    return (rill_solid_id){ 0 };
}
