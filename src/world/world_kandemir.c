/* Worlds with Kandemir's method: the tank and its sub-step, control points. The method itself is in
 * kandemir/kandemir.h. */
#include <math.h>

#include "bodies/kandemir_bodies.h"
#include "kandemir/kandemir.h"
#include "world/limits.h"
#include "world/method.h"

/* ----------------------------------------------------------------------------------------------------------- method */

rill_result rill_kandemir_check(const rill_bed *bed, rill_message *message) {
    return rill_bed_need_plain(bed, "method kandemir is for a plain tank", message);
}

rill_result rill_kandemir_make(const rill_world *world, rill_method_memory *out, rill_message *message) {
    const rill_result result = rill_kandemir_check(&world->bed, message);
    if (result) return result;
    out->tank = rill_tank_make(&world->def.grid, &world->allocator);
    return out->tank ? RILL_OK
                     : rill_fail(message, RILL_OUT_OF_MEMORY, "no memory for the pipes of %d x %d cells",
                                 world->def.grid.cells[0], world->def.grid.cells[1]);
}

void rill_kandemir_stop_cell(rill_world *world, int32_t x, int32_t y) {
    rill_tank_stop(world->method.tank, x, y);
}

/* Its waves are as fast whatever the depth is. */
double rill_kandemir_wave_limit(const rill_step_context *step, double depth) {
    (void)depth;
    return RILL_COURANT_KANDEMIR *
           rill_tank_limit(&step->world->def.solver.kandemir, step->world->bed.grid.cell_size, step->lifted);
}

double rill_kandemir_chosen_limit(const rill_step_context *step) {
    const double chosen = step->world->def.solver.kandemir.time_step;
    return chosen > 0.0 ? chosen : (double)INFINITY;
}

/* Kandemir's tank: nothing is covered in it, and nothing sleeps. */
void rill_kandemir_substep(rill_step_context *step, double dt) {
    rill_world *world = step->world;
    rill_edge_flow edges[4] = { { 0 } };
    const rill_tank_step tank = { .controls = world->def.solver.kandemir,
                                  .density = world->def.liquid.density,
                                  .gravity = step->lifted,
                                  .tangent = { step->tangent[0], step->tangent[1] },
                                  .slowed = fmin(1.0, rill_kandemir_wave_limit(step, 0.0) / dt),
                                  .dt = dt,
                                  .scalar = step->settings.scalar };
    const rill_body_stage bodies = rill_step_body_stage(step, dt);
    rill_step_take_back(step);
    if (world->bodies.alive > 0 || world->method.tank->has_bodies)
        rill_kandemir_bodies(&bodies, world->method.tank, &tank.controls);
    rill_step_end_stage(step, RILL_STAGE_BODIES);
    rill_tank_move(world->method.tank, &world->flow, &tank, edges);
    rill_step_book_edges(world, edges);
    step->info.awake_columns = world->bed.info.columns;
    rill_step_end_stage(step, RILL_STAGE_SWEEP);
}

/* --------------------------------------------------------------------------------------------------- control points */

static rill_result need_tank(const rill_world *world, const char *call) {
    const rill_result result = rill_world_need_bed(world, call);
    if (result || world->method.tank) return result;
    return rill_fail(world->note, RILL_INVALID_STATE, "%s: solver.method is not RILL_METHOD_KANDEMIR", call);
}

static rill_result check_count(const rill_world *world, const char *call, const char *what, size_t count,
                               size_t expected) {
    if (count == expected) return RILL_OK;
    return rill_fail(world->note, RILL_INVALID_ARGUMENT, "%s: count is %zu; expected %zu, one per %s", call, count,
                     expected, what);
}

/* Adds the level of a cell's column to a sum, if there is one. */
static int32_t add_level(const rill_world *world, int32_t x, int32_t y, double *sum) {
    const rill_bed *bed = &world->bed;
    const int32_t column = rill_bed_column(bed, x, y, 0);
    if (column < 0) return 0;
    const int32_t place = bed->places[column];
    *sum += (double)(bed->b[place] + world->flow.H[place]); /* whole numbers: in any order the same */
    return 1;
}

rill_result rill_world_read_control_points(const rill_world *world, double *out, size_t count) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_result result = need_tank(world, "rill_world_read_control_points");
    if (result) return result;
    const int32_t nx = world->bed.grid.cells[0] + 1, ny = world->bed.grid.cells[1] + 1;
    if (!out)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "out is NULL; expected room for %d x %d points", nx, ny);
    result = check_count(world, "rill_world_read_control_points", "corner of a cell", count, (size_t)nx * (size_t)ny);
    if (result) return result;
    for (int32_t y = 0; y < ny; ++y) {
        for (int32_t x = 0; x < nx; ++x) {
            double sum = 0.0;
            const int32_t around = add_level(world, x - 1, y - 1, &sum) + add_level(world, x, y - 1, &sum) +
                                   add_level(world, x - 1, y, &sum) + add_level(world, x, y, &sum);
            out[(size_t)y * (size_t)nx + (size_t)x] =
                around > 0 ? world->bed.datum + sum / around * world->bed.quantum : (double)NAN;
        }
    }
    return RILL_OK;
}
