/* The bed of a world: built from the solids for the first time, and what is known about it. */
#include <math.h>
#include <string.h>

#include "bed/sheets.h"
#include "passages/passages.h"
#include "world/method.h"

rill_area rill_world_reach(const rill_world *world, const rill_solid_slot *slot) {
    if (!slot->solid || slot->hidden) return (rill_area){ { 0, 0 }, { 0, 0 } };
    return rill_solid_reach(slot->solid, &world->def.grid);
}

double rill_world_ceiling(const rill_world *world, int32_t place) {
    const int32_t c = world->bed.c[place];
    return c == RILL_TOP ? (double)INFINITY : rill_bed_z(&world->bed, c);
}

void rill_bed_log_change(rill_bed_log *log, const rill_area *areas, size_t count) {
    log->number += 1;
    if (count == 0 || count > RILL_BED_LOG) {
        log->forgotten = log->number;
        log->count = 0;
        return;
    }
    int32_t kept = 0, surplus = log->count + (int32_t)count - RILL_BED_LOG;
    for (int32_t i = 0; i < log->count; ++i) {
        if (i < surplus) {
            log->forgotten = log->numbers[i];
            continue;
        }
        log->areas[kept] = log->areas[i];
        log->numbers[kept++] = log->numbers[i];
    }
    for (size_t i = 0; i < count; ++i) {
        log->areas[kept] = areas[i];
        log->numbers[kept++] = log->number;
    }
    log->count = kept;
}

rill_result rill_world_make_flow(const rill_world *world, const rill_bed *bed, rill_flow *out, rill_message *message) {
    const rill_allocator *allocator = &world->def.runtime.allocator;
    rill_result result = rill_flow_make(bed, &world->def.runtime, out, message);
    if (result || rill_passages_make(out, allocator)) return result;
    rill_flow_free(out, allocator);
    return rill_fail(message, RILL_OUT_OF_MEMORY, "out of memory for the pressures of flooded columns");
}

void rill_world_free_flow(const rill_world *world, rill_flow *flow) {
    rill_passages_free(flow, &world->allocator);
    rill_flow_free(flow, &world->allocator);
}

rill_result rill_world_raise_bed(rill_world *world, rill_message *message) {
    rill_result result = rill_world_make_flow(world, &world->bed, &world->flow, message);
    world->bed.info.state_bytes = rill_flow_state_bytes(&world->bed);
    if (!result) {
        result = rill_world_method(world)->make(world, &world->method, message);
        if (!result && rill_faces_make(world))
            result =
                rill_fail(message, RILL_OUT_OF_MEMORY, "no memory for an index of %d pipes", world->bed.pipe_count);
        if (!result) {
            world->built = true;
            rill_bed_log_change(&world->bed_log, NULL, 0);
            return RILL_OK;
        }
        rill_method_memory_free(&world->method, &world->allocator);
        rill_world_free_flow(world, &world->flow);
    }
    rill_bed_free(&world->bed, &world->allocator);
    memset(&world->flow, 0, sizeof world->flow);
    return result;
}

/* The rasteriser wants the solids without their slots, those that are hidden as holes. */
static void list_solids(const rill_world *world, const rill_solid **solids) {
    const rill_solid_slot *slots = world->solids.data;
    for (size_t i = 0; i < world->solids.count; ++i) solids[i] = slots[i].hidden ? NULL : slots[i].solid;
}

static rill_result build(rill_world *world, const rill_solid **solids, uint8_t *touched) {
    const size_t count = world->solids.count;
    rill_columns columns = { 0 };
    list_solids(world, solids);
    rill_result result =
        rill_columns_build(&world->def, solids, count, touched, &world->allocator, &columns, world->note);
    if (result) return result;
    result = rill_bed_make(&columns, world->def.edges, &world->allocator, &world->bed, world->note);
    rill_columns_free(&columns, &world->allocator);
    if (result) return result;
    rill_solids_describe(solids, count, touched, &world->bed.info);
    result = rill_world_raise_bed(world, world->note);
    if (result) return result;
    rill_solid_slot *slots = world->solids.data;
    for (size_t i = 0; i < count; ++i) {
        slots[i].touched = touched[i];
        slots[i].built = rill_world_reach(world, &slots[i]);
    }
    return RILL_OK;
}

static rill_result build_first(rill_world *world) {
    const size_t count = world->solids.count;
    const rill_solid **solids = rill_alloc_zeroed(&world->allocator, count, sizeof *solids);
    uint8_t *touched = rill_alloc_zeroed(&world->allocator, count, 1);
    const rill_result result =
        solids && touched ? build(world, solids, touched)
                          : rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for a list of %zu solids", count);
    rill_free(&world->allocator, solids, count, sizeof *solids);
    rill_free(&world->allocator, touched, count, 1);
    return result;
}

rill_result rill_bed_build(rill_world *world) {
    if (!world) return RILL_INVALID_ARGUMENT;
    if (!rill_world_has_grid(world)) return rill_world_need_bed(world, "rill_bed_build");
    if (world->built) {
        const rill_result result = rill_world_follow(world);
        /* Snapshots and energies look at tension and falls by the places of this bed; without memory the next step says so. */
        if (!result && (world->tension || world->wetting.advancing)) rill_world_ready_tension(world);
        if (!result && world->falls) rill_world_ready_falls(world, 0.0);
        return result;
    }
    const rill_result result = build_first(world);
    if (!result) rill_world_log_bed(world, &(rill_bed_info){ 0 });
    return result;
}

rill_result rill_bed_get_info(const rill_world *world, rill_bed_info *out) {
    if (!world) return RILL_INVALID_ARGUMENT;
    if (!out) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "out is NULL; expected a place for the answer");
    const rill_result result = rill_world_need_bed(world, "rill_bed_get_info");
    if (!result) *out = world->bed.info;
    return result;
}
