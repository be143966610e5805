/* Whether surface tension acts on a world, and on which contact angles. It follows from the live settings alone and is asked
 * anew in each step, so that nothing has to be undone when one of them changes. */
#include <math.h>

#include "base/assert.h"
#include "world/method.h"

/* Cells: a wetting edge is so wide, and must not be wider than the capillary length. */
static const double EDGE_WIDTH = 1.6;

/* m; infinite without weight. */
static double capillary_length(const rill_world *world) {
    const double *g = world->def.gravity;
    const rill_liquid *liquid = &world->def.liquid;
    return sqrt(liquid->surface_tension / (liquid->density * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2])));
}

/* RILL_OK where tension acts, else a message that says why not. */
static rill_result judge(const rill_world *world, rill_message *why) {
    const rill_solver *solver = &world->def.solver;
    const double cell = world->def.grid.cell_size;
    if (!rill_world_method(world)->tense)
        return rill_fail(why, RILL_INVALID_STATE, "solver.method is kandemir, which knows no tension");
    if (rill_world_uses(world, RILL_METHOD_PIPES) && solver->pipe_area == RILL_PIPE_AREA_PAPER)
        return rill_fail(why, RILL_INVALID_STATE, "solver.pipe_area is paper, which knows no tension");
    if (solver->tension == RILL_TENSION_OFF) return rill_fail(why, RILL_INVALID_STATE, "solver.tension is off");
    if (solver->papers == RILL_PAPERS_WANG && world->bodies.alive > 0)
        return rill_fail(why, RILL_INVALID_STATE, "solver.papers is wang, which couples bodies without tension");
    if (!(world->def.liquid.surface_tension > 0.0))
        return rill_fail(why, RILL_INVALID_STATE, "liquid.surface_tension is 0");
    const double coarsest = capillary_length(world) / EDGE_WIDTH;
    const bool forced = !rill_world_uses(world, RILL_METHOD_PIPES) && solver->tension == RILL_TENSION_ON;
    if (!(cell < coarsest) && !forced)
        return rill_fail(why, RILL_INVALID_STATE,
                         "cells of %g m are too coarse; expected less than %.3g m, 1/%g of the capillary length", cell,
                         coarsest, EDGE_WIDTH);
    return RILL_OK;
}

bool rill_world_tension(const rill_world *world) {
    return judge(world, NULL) == RILL_OK;
}

bool rill_world_has_tension(const rill_world *world, rill_message *why) {
    if (why) why->text[0] = '\0';
    return world && judge(world, why) == RILL_OK;
}

/* ---------------------------------------------------------------------------------------------------------- wetting */

static const rill_solid *solid_of(const void *context, uint16_t floor) {
    const rill_world *world = context;
    RILL_ASSERT(floor < world->solids.count);
    return ((const rill_solid_slot *)world->solids.data)[floor].solid;
}

static const rill_contact_angle *paint(const void *context, int32_t x, int32_t y) {
    const rill_world *world = context;
    return rill_forces_contact_angle(&world->forces, (size_t)y * (size_t)world->def.grid.cells[0] + (size_t)x);
}

void rill_world_refresh_wetting(rill_world *world) {
    rill_wetting *wetting = &world->wetting;
    if (!wetting->advancing) return;
    const rill_bed_log *log = &world->bed_log;
    const rill_contact_angle *liquid = &world->def.liquid.contact_angle;
    const rill_area all = { { 0, 0 }, { world->def.grid.cells[0], world->def.grid.cells[1] } };
    if (!wetting->filled || wetting->bed_change < log->forgotten || wetting->liquid.advancing != liquid->advancing ||
        wetting->liquid.receding != liquid->receding) {
        rill_wetting_fill(wetting, &world->bed, &all, liquid, solid_of, paint, world);
    } else {
        for (int32_t i = 0; i < log->count; ++i)
            if (log->numbers[i] > wetting->bed_change)
                rill_wetting_fill(wetting, &world->bed, &log->areas[i], liquid, solid_of, paint, world);
    }
    wetting->filled = true;
    wetting->liquid = *liquid;
    wetting->bed_change = log->number;
}

/* Makes what tension keeps, or brings it up to date with the bed. */
static rill_result follow(rill_world *world) {
    const uint64_t change = world->bed_log.number;
    if (!world->tension) {
        const rill_result made = rill_tension_make(&world->flow, &world->def.runtime, &world->tension, world->note);
        if (made) return made;
    } else if (world->tension_change != change &&
               !rill_tension_follow(world->tension, &world->flow, &world->allocator)) {
        return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for surface tension over the bed as it is now");
    }
    world->tension_change = change;
    return RILL_OK;
}

static void forget(rill_world *world) {
    rill_wetting_free(&world->wetting, &world->allocator);
    rill_tension_free(world->tension, &world->allocator);
    world->tension = NULL;
}

static rill_result make_ready(rill_world *world) {
    if (!rill_wetting_make(&world->wetting, &world->bed, &world->allocator))
        return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for the contact angles of %d places",
                         world->bed.plane_size);
    rill_world_refresh_wetting(world);
    return rill_world_method(world)->layered ? follow(world) : RILL_OK;
}

rill_result rill_world_ready_tension(rill_world *world) {
    const bool acts = rill_world_tension(world);
    const rill_result result = acts ? make_ready(world) : RILL_OK;
    if (!acts || result) forget(world); /* it would be that of another bed */
    return result;
}

double rill_world_tension_strength(const rill_world *world) {
    return world->def.liquid.surface_tension / world->def.liquid.density;
}
