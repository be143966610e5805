/* The length of sub-steps, and what follows from it for the kernels.
 *
 * Stability (recipe measured against dam breaks and sloshing bowls): dt <= 0.7 dx / sqrt(2 g H_max), and liquid and
 * waves together pass no cell (speed_limit), from the state as it is; the paper's pipes have the wave speed sqrt(g dx)
 * whatever the depth, so dt <= 0.7 sqrt(dx / 2g). Beyond max_substeps gravity is weakened until the waves are slow
 * enough, and the status says so. */
#include <math.h>

#include "base/power.h"
#include "flow/ceiling.h"
#include "flow/move.h"
#include "motion/swept_volume.h"
#include "world/energy.h"
#include "world/limits.h"
#include "world/method.h"

/* The longest stable dt for waves on liquid of this depth; infinity without gravity or liquid. */
double rill_pipes_wave_limit(const rill_step_context *step, double depth) {
    double dx = step->world->bed.grid.cell_size, worth = fabs(step->upright) * step->head_gravity,
           speed = sqrt(2.0 * worth * (step->settings.paper ? dx : depth));
    return speed > 0.0 ? RILL_COURANT * dx / speed : INFINITY;
}

/* The longest stable dt for what is carried along: liquid, and waves on it. Those decay as long as (|u| + sqrt(g H)) dt
 * <= dx. Now
 * |u| + sqrt(g H) is at most sqrt(2 (u^2 + g H)), which is all that can be said where both are as fast, and at most
 * sqrt(1.25 (u^2 + 4 g H)), which is less where liquid outruns the waves: streams half a millimetre deep. 0.7 and 0.885
 * are a hair below 1 / sqrt(2) and 1 / sqrt(1.25). */
double rill_pipes_speed_limit(const rill_step_context *step) {
    const rill_flow_extent *extent = &step->world->flow.extent;
    double dx = step->world->bed.grid.cell_size, speed = (double)extent->speed, reach = RILL_COURANT_FAST * dx;
    /* Tilted gravity and fields accelerate along the bed: (speed + along dt) dt <= reach. */
    double along = fabs(step->tangent[0]) + fabs(step->tangent[1]) +
                   (double)step->world->flow.push.steepest * step->world->bed.quantum * step->head_gravity / dx;
    double twice = speed + sqrt(speed * speed + 4.0 * along * reach);
    double passing = fmin(sqrt((double)extent->rush) / RILL_COURANT, sqrt((double)extent->dash) / RILL_COURANT_FAST);
    double fastest = fmax(twice / (2.0 * RILL_COURANT_FAST), passing);
    return step->settings.paper || fastest <= 0.0 ? INFINITY : dx / fastest;
}

/* The fastest that any active source, what solids have pressed out, or what falls raises columns, m/s. */
static double source_rise(const rill_step_context *step) {
    const rill_world *world = step->world;
    double dx = world->bed.grid.cell_size, now = step->start + step->done, fastest = rill_expelled_rise(&world->flow);
    if (world->falls) fastest = fmax(fastest, world->falls->rise);
    for (size_t i = 0; i < world->sources.count; ++i) {
        const rill_source *source = (const rill_source *)world->sources.data + i;
        if (!source->alive || source->def.sink) continue;
        if (now + step->dt < source->def.from || now >= source->def.until) continue;
        fastest = fmax(fastest, rill_source_rise(source, dx));
    }
    return fastest;
}

/* The longest stable dt from the state as it is, with what sources may add to the deepest column within it. */
static double stable_dt(const rill_step_context *step) {
    const rill_world *world = step->world;
    const rill_method_entry *method = rill_world_method(world);
    const double depth = (double)world->flow.extent.depth * world->bed.quantum, left = step->dt - step->done;
    const double alone = fmin(left, method->wave_limit(step, depth));
    double stable = fmin(method->wave_limit(step, depth + alone * source_rise(step)), method->speed_limit(step));
    if (step->settings.tension)
        stable = fmin(stable, rill_tension_limit(rill_world_tension_strength(world), depth, world->def.grid.cell_size));
    stable = fmin(stable, rill_bodies_limit(&world->bodies, &world->flow, left));
    return fmin(stable, method->chosen_limit(step));
}

/* The next sub-step: what is left, cut into equal parts that are short enough. */
double rill_step_next_dt(rill_step_context *step) {
    int32_t allowed = step->world->def.solver.max_substeps - step->info.substeps;
    double left = step->dt - step->done, parts = ceil(left / stable_dt(step));
    if (!(parts >= 1.0)) parts = 1.0;
    if (parts > allowed) {
        parts = allowed > 1 ? allowed : 1;
        step->info.status |= RILL_STATUS_SUBSTEPS_CAPPED;
    }
    return left / parts;
}

/* Sets the constants of a sub-step for the kernels. */
void rill_step_prepare(rill_step_context *step, double dt) {
    const rill_bed *bed = &step->world->bed;
    const rill_flow *flow = &step->world->flow;
    double orifice = step->world->def.solver.orifice;
    double dx = bed->grid.cell_size, q = bed->quantum,
           slowed = rill_world_method(step->world)->wave_limit(step, (double)flow->extent.depth * q) / dt;
    double worth = slowed < 1.0 ? step->head_gravity * slowed * slowed : step->head_gravity;
    rill_kernel_constants *constants = &step->constants;
    constants->capped = step->info.status & RILL_STATUS_SUBSTEPS_CAPPED;
    constants->lambda = (float)(dt / dx);
    constants->phase = rill_move_phase(flow->substep);
    constants->drive = (float)(worth * dt * q / dx);
    constants->drag = (float)(12.0 * dt * step->settings.viscosity / (q * q));
    constants->keep = (float)rill_power(step->settings.friction, dt);
    constants->toll = orifice > 0.0 ? 0.5f * constants->lambda : 0.0f;
    constants->edge = orifice > 0.0 ? (float)(1.0 / (orifice * orifice) - 1.0) : 0.0f;
    constants->top_speed = (float)((constants->capped ? RILL_COURANT / 2.0 : 1.0) * dx / dt);
    constants->fall = (float)(0.5443310539518174 * sqrt(worth * q));
    constants->weight = (float)(fabs(step->upright) * step->head_gravity * q);
    constants->speed_head = worth > 0.0 ? (float)(0.5 / (worth * q)) : 0.0f;
    constants->paper_opening = (float)(dx / q);
    constants->five_dx = (int32_t)(5.0 * dx / q);
    constants->thin = flow->extent.depth / 256;
    constants->slack = step->settings.passages == RILL_PASSAGES_ANY ? 0 : RILL_FULL_LOW;
    constants->upright = step->upright;
    constants->pushed = flow->push.on || step->upright < 1.0;
    for (int i = 0; i < 2; ++i) constants->tilt[i] = rill_world_tilt(step->world, i);
}
