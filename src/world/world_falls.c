/* Falls in a world's life: when there are any, and how they follow the bed. */
#include "world/method.h"

bool rill_world_falls(const rill_world *world) {
    const rill_solver *solver = &world->def.solver;
    return world->built && solver->falls == RILL_FALLS_FLIGHT && solver->method == RILL_METHOD_PIPES &&
           solver->pipe_area == RILL_PIPE_AREA_PHYSICAL && -world->def.gravity[2] >= rill_world_lifted_gravity(world) &&
           rill_world_lifted_gravity(world) > 0.0;
}

rill_falls_gravity rill_world_falls_gravity(const rill_world *world) {
    return (rill_falls_gravity){ .along = { world->def.gravity[0], world->def.gravity[1] },
                                 .into = rill_world_lifted_gravity(world) };
}

static rill_result no_memory(const rill_world *world) {
    return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for what falls through the air");
}

/* Areas of the bed that have changed since; none: everywhere. */
static size_t changed_areas(const rill_world *world, const rill_area **areas) {
    const rill_bed_log *log = &world->bed_log;
    int32_t first = 0;
    *areas = log->areas;
    if (log->forgotten > world->falls->bed || world->falls->bed == 0) return 0;
    while (first < log->count && log->numbers[first] <= world->falls->bed) first += 1;
    *areas = log->areas + first;
    return (size_t)(log->count - first);
}

static rill_result follow_bed(rill_world *world) {
    rill_falls *falls = world->falls;
    const rill_area *areas;
    const rill_falls_gravity gravity = rill_world_falls_gravity(world);
    if (falls->bed == world->bed_log.number) return RILL_OK;
    const size_t count = changed_areas(world, &areas);
    if (!rill_falls_find_brinks(falls, &world->flow, areas, count, &gravity, world->time, &world->allocator))
        return no_memory(world);
    rill_falls_follow(falls, &world->flow, areas, count, &gravity, world->time);
    falls->bed = world->bed_log.number;
    return RILL_OK;
}

rill_result rill_world_ready_falls(rill_world *world, double dt) {
    const bool wanted = rill_world_falls(world);
    world->flow.brinks = NULL;
    if (!world->falls && !wanted) return RILL_OK;
    if (!world->falls) {
        world->falls = rill_falls_make(&world->allocator);
        if (!world->falls) return no_memory(world);
        world->falls->window = world->time;
    }
    rill_falls *falls = world->falls;
    rill_result result = follow_bed(world);
    if (!result && !rill_falls_reserve(falls, dt, 0, &world->allocator)) result = no_memory(world);
    if (result) return result;
    falls->brinks.time = world->time;
    if (wanted) {
        world->flow.brinks = &falls->brinks;
        return RILL_OK;
    }
    const rill_falls_gravity gravity = rill_world_falls_gravity(world);
    rill_falls_let_go(falls, &world->flow, &gravity, world->time);
    if (falls->count > 0) return RILL_OK;
    rill_falls_free(falls, &world->allocator);
    world->falls = NULL;
    return RILL_OK;
}
