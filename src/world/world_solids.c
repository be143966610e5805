/* Solids of a world, by id, and turning them into the bed. Once the bed is built the solids are fixed: columns name
 * their floors by slot. */
#include <math.h>
#include <string.h>

#include "world/world.h"

static rill_solid_id id_of(size_t index, uint16_t generation) {
    return (rill_solid_id){ (uint32_t)generation << 16 | (uint32_t)index };
}

const rill_solid_slot *rill_world_solid(const rill_world *world, rill_solid_id id) {
    const size_t index = id.value & 0xffffu;
    if (index < world->solids.count) {
        const rill_solid_slot *slot = (const rill_solid_slot *)world->solids.data + index;
        if (slot->solid && slot->generation == id.value >> 16) return slot;
    }
    rill_fail(world->note, RILL_INVALID_ID, "solid id %#x is %s", (unsigned)id.value,
              id.value == 0                 ? "null"
              : index < world->solids.count ? "stale: that solid was destroyed"
                                            : "of no solid here");
    return NULL;
}

rill_solid_id rill_solid_find(const rill_world *world, const char *name) {
    if (!world || !name || !*name) return (rill_solid_id){ 0 };
    const rill_solid_slot *slots = world->solids.data;
    for (size_t i = 0; i < world->solids.count; ++i) {
        const rill_solid *solid = slots[i].solid;
        if (solid && solid->def.name && strcmp(solid->def.name, name) == 0) return id_of(i, slots[i].generation);
    }
    return (rill_solid_id){ 0 };
}

const char *rill_solid_name(const rill_world *world, rill_solid_id id) {
    const rill_solid_slot *slot = world ? rill_world_solid(world, id) : NULL;
    if (!slot) return NULL;
    return slot->solid->def.name ? slot->solid->def.name : "";
}

/* A free slot, or a new one at the end; -1 without memory. */
static int64_t take_slot(rill_world *world) {
    const rill_solid_slot *slots = world->solids.data;
    for (size_t i = 0; world->solids_free > 0 && i < world->solids.count; ++i) {
        if (slots[i].solid || slots[i].generation == RILL_GENERATION_MAX) continue;
        world->solids_free -= 1;
        return (int64_t)i;
    }
    return rill_array_push(&world->solids, &world->allocator, NULL) ? (int64_t)world->solids.count - 1 : -1;
}

static rill_result check_new_solid(const rill_world *world, const rill_solid_def *def, const rill_solid_id *out) {
    if (!def || !out)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "%s is NULL; expected %s", def ? "out" : "def",
                         def ? "a place for the id" : "a definition");
    if (world->built)
        return rill_fail(world->note, RILL_INVALID_STATE,
                         "rill_solid_create: the bed is built and its solids are fixed; create solids before");
    const rill_result result = rill_check_name("solid", def->name, world->note);
    if (result) return result;
    if (rill_solid_find(world, def->name).value != 0)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "solid.name is \"%.64s\", which another solid has already",
                         def->name);
    if (world->solids_free == 0 && world->solids.count >= RILL_SLOTS_MAX)
        return rill_fail(world->note, RILL_TOO_LARGE, "there are %d solids; expected at most %d", RILL_SLOTS_MAX,
                         RILL_SLOTS_MAX);
    return RILL_OK;
}

rill_result rill_solid_create(rill_world *world, const rill_solid_def *def, rill_solid_id *out) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_result result = check_new_solid(world, def, out);
    if (result) return result;
    rill_solid *solid = NULL;
    result = rill_solid_make(def, &world->allocator, &solid, world->note);
    if (result) return result;
    const int64_t index = take_slot(world);
    if (index < 0) {
        rill_solid_free(solid, &world->allocator);
        return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for a solid's id");
    }
    rill_solid_slot *slot = (rill_solid_slot *)world->solids.data + index;
    slot->solid = solid;
    slot->generation = (uint16_t)(slot->generation + 1);
    *out = id_of((size_t)index, slot->generation);
    return RILL_OK;
}

rill_result rill_solid_destroy(rill_world *world, rill_solid_id id) {
    if (!world) return RILL_INVALID_ARGUMENT;
    const rill_solid_slot *found = rill_world_solid(world, id);
    if (!found) return RILL_INVALID_ID;
    if (world->built)
        return rill_fail(world->note, RILL_INVALID_STATE,
                         "rill_solid_destroy: the bed is built and its solids are fixed; destroy solids before");
    rill_solid_slot *slot = (rill_solid_slot *)world->solids.data + (id.value & 0xffffu);
    rill_solid_free(slot->solid, &world->allocator);
    slot->solid = NULL;
    if (slot->generation < RILL_GENERATION_MAX) world->solids_free += 1;
    return RILL_OK;
}

/* ------------------------------------------------------------------------------------------------------------- bed */

/* The rasteriser wants the solids without their generations, holes included. */
static rill_result rasterise(const rill_world *world, rill_columns *columns, rill_bed_info *info) {
    const size_t count = world->solids.count;
    const rill_solid **solids = rill_memory_take(&world->allocator, count, sizeof *solids);
    if (!solids) return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for a list of %zu solids", count);
    const rill_solid_slot *slots = world->solids.data;
    for (size_t i = 0; i < count; ++i) solids[i] = slots[i].solid;
    const rill_result result =
        rill_columns_build(&world->def, solids, count, &world->allocator, columns, info, world->note);
    rill_memory_give(&world->allocator, solids, count, sizeof *solids);
    return result;
}

/* What only the rasteriser knows; everything else is counted again when the bed is made. */
static void keep_findings(rill_bed_info *info, const rill_bed_info *found) {
    info->slivers_merged = found->slivers_merged;
    info->walls_thickened = found->walls_thickened;
    info->sheet_cells = found->sheet_cells;
    info->degenerate_triangles = found->degenerate_triangles;
    info->open_components = found->open_components;
    info->closed_components = found->closed_components;
    info->outside_solids = found->outside_solids;
}

double rill_world_ceiling(const rill_world *world, int32_t place) {
    const int32_t c = world->bed.c[place];
    return c == RILL_TOP ? (double)INFINITY : rill_bed_z(&world->bed, c);
}

rill_result rill_world_raise_bed(rill_world *world, rill_columns *columns, const rill_bed_info *found,
                                 rill_message *message) {
    rill_result result = rill_bed_make(columns, world->def.edges, &world->allocator, &world->bed, message);
    if (result) return result;
    keep_findings(&world->bed.info, found);
    result = rill_flow_make(&world->bed, &world->def.runtime, &world->flow, message);
    world->bed.info.state_bytes = rill_flow_state_bytes(&world->bed);
    if (!result) {
        result = rill_faces_make(world);
        if (!result) {
            world->built = true;
            return RILL_OK;
        }
        rill_flow_free(&world->flow, &world->allocator);
        rill_fail(message, result, "no memory for an index of %d pipes", world->bed.pipe_count);
    }
    rill_bed_free(&world->bed, &world->allocator);
    memset(&world->bed, 0, sizeof world->bed);
    memset(&world->flow, 0, sizeof world->flow);
    return result;
}

rill_result rill_bed_build(rill_world *world) {
    if (!world) return RILL_INVALID_ARGUMENT;
    if (world->built) return rill_fail(world->note, RILL_INVALID_STATE, "rill_bed_build: the bed is built already");
    rill_columns columns = { 0 };
    rill_bed_info found = { 0 };
    rill_result result = rasterise(world, &columns, &found);
    if (result) return result;
    result = rill_world_raise_bed(world, &columns, &found, world->note);
    rill_columns_free(&columns, &world->allocator);
    if (!result && found.outside_solids > 0)
        rill_world_log(world, RILL_LOG_WARNING, "%lld solids touch no cell of the grid",
                       (long long)found.outside_solids);
    return result;
}

rill_result rill_bed_get_info(const rill_world *world, rill_bed_info *out) {
    if (!world) return RILL_INVALID_ARGUMENT;
    if (!out) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "out is NULL; expected a place for the answer");
    const rill_result result = rill_world_need_bed(world, "rill_bed_get_info");
    if (!result) *out = world->bed.info;
    return result;
}
