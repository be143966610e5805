/* Worlds with the method `waves`: its sub-step. The method itself is in waves/theta.h. */
#include <math.h>

#include "base/power.h"
#include "waves/theta.h"
#include "world/energy.h"
#include "world/method.h"

rill_result rill_waves_check(const rill_bed *bed, rill_message *message) {
    return rill_bed_need_plain(bed, "method waves is for one layer", message);
}

rill_result rill_waves_make(const rill_world *world, rill_method_memory *out, rill_message *message) {
    rill_result result = rill_waves_check(&world->bed, message);
    if (!result && world->bodies.alive > 0)
        result = rill_fail(message, RILL_INVALID_STATE,
                           "the world has %d bodies; expected none: method waves moves none", world->bodies.alive);
    if (result) return result;
    out->theta = rill_theta_make(&world->def.grid, &world->allocator);
    return out->theta ? RILL_OK
                      : rill_fail(message, RILL_OUT_OF_MEMORY, "no memory for the waves on %d x %d cells",
                                  world->def.grid.cells[0], world->def.grid.cells[1]);
}

double rill_waves_chosen_limit(const rill_step_context *step) {
    const double chosen = step->world->def.solver.waves.time_step;
    return chosen > 0.0 ? chosen : (double)INFINITY;
}

/* Nothing is covered, and nothing sleeps. */
void rill_waves_substep(rill_step_context *step, double dt) {
    rill_world *world = step->world;
    rill_edge_flow edges[4] = { { 0 } };
    const bool tension = rill_world_tension(world);
    const rill_theta_step theta = { .controls = world->def.solver.waves,
                                    .density = world->def.liquid.density,
                                    .tension = tension ? world->def.liquid.surface_tension : 0.0,
                                    .wetting = tension ? &world->wetting : NULL,
                                    .time = step->start + step->done + dt,
                                    .drying = world->def.liquid.drying,
                                    .viscosity = world->def.liquid.viscosity,
                                    .gravity = step->upright * step->head_gravity,
                                    .tangent = { step->tangent[0], step->tangent[1] },
                                    .tilt = { rill_world_tilt(world, 0), rill_world_tilt(world, 1) },
                                    .keep = rill_power(step->settings.friction, dt),
                                    .dt = dt,
                                    .advection = step->settings.advection,
                                    .scalar = step->settings.scalar,
                                    .runtime = &world->def.runtime,
                                    .pool = world->pool };
    rill_step_take_back(step);
    const rill_theta_report report = rill_theta_move(world->method.theta, &world->flow, &theta, edges);
    rill_step_book_edges(world, edges);
    if (report.slowed) step->info.status |= RILL_STATUS_SPEED_CAPPED;
    if (report.capped) step->info.status |= RILL_STATUS_WAVES_CAPPED;
    if (report.columns > step->info.awake_columns) step->info.awake_columns = report.columns;
    rill_step_end_stage(step, RILL_STAGE_SWEEP);
}
