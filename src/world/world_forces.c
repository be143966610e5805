/* Forces on a world's liquid: fields and brushes as the user sets them, and how flow and tank come to know of them. What
 * they are is in waves/forces.h. */
#include <math.h>

#include "kandemir/kandemir.h"
#include "world/limits.h"
#include "world/method.h"

enum { BRUSHES_LIMIT = 1024 };

/* ----------------------------------------------------------------------------------------------------------- apply */

static rill_area whole_grid(const rill_world *world) {
    return (rill_area){ { 0, 0 }, { world->bed.grid.cells[0], world->bed.grid.cells[1] } };
}

static void apply_to_tank(rill_world *world, const rill_force_scale *scale, const rill_area *cells) {
    rill_tank *tank = world->method.tank;
    const double per_half = 0.5 * scale->density * world->bed.grid.cell_size;
    tank->has_half = rill_forces_accelerate(&world->forces);
    for (int32_t y = cells->low[1]; y < cells->high[1]; ++y) {
        for (int32_t x = cells->low[0]; x < cells->high[0]; ++x) {
            const rill_force force = rill_forces_at(&world->forces, &world->bed, scale, x, y, 0);
            const size_t at = rill_tank_at(tank, x, y);
            tank->set[at] = (float)force.pressure;
            for (int axis = 0; axis < 2; ++axis) tank->half[axis][at] = (float)(force.acceleration[axis] * per_half);
        }
    }
    tank->has_set = false;
    for (size_t i = 0; i < tank->size; ++i) tank->has_set |= tank->set[i] != 0.0f;
}

/* Drives faces by what acts now on the columns of some cells. */
static void apply(rill_world *world, const rill_force_scale *scale, const rill_area *cells, bool wake) {
    if (world->method.tank) {
        apply_to_tank(world, scale, cells);
    } else if (world->flow.push.west) {
        rill_forces_apply(&world->forces, scale, &world->flow, cells, wake);
    }
}

static rill_force_scale scale_of(const rill_world *world) {
    return (rill_force_scale){ .density = world->def.liquid.density, .gravity = rill_world_head_gravity(world) };
}

void rill_world_apply_forces(rill_world *world, bool wake) {
    const rill_force_scale scale = scale_of(world);
    const rill_area cells = whole_grid(world);
    if (world->built) apply(world, &scale, &cells, wake);
}

rill_result rill_world_ready_forces(rill_world *world, rill_flow *flow) {
    const bool pushed = rill_forces_any(&world->forces) || rill_world_upright(world) < 1.0;
    if (!pushed || rill_push_make(flow, &world->allocator)) return RILL_OK;
    return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for forces on %lld columns",
                     (long long)flow->bed->info.columns);
}

void rill_world_follow_controls(rill_world *world) {
    rill_world_apply_forces(world, false);
    rill_flow_wake_all(&world->flow); /* drops that rested on other angles, too */
    world->wetting.filled = false;
}

/* ------------------------------------------------------------------------------------------------------------ step */

/* Brushes act, or cease to. */
static void apply_brushes(rill_step_context *step, bool on) {
    rill_world *world = step->world;
    if (world->forces.brushes.count == 0) return;
    const rill_area cells = rill_forces_brushed(&world->forces, &world->bed.grid);
    const double depth = (double)world->flow.extent.depth * world->bed.quantum;
    const double dt = fmin(step->dt, rill_world_method(world)->wave_limit(step, depth));
    rill_force_scale scale = scale_of(world);
    scale.brushes = on;
    scale.most = world->bed.grid.cell_size / (dt * dt);
    apply(world, &scale, &cells, true);
}

void rill_step_begin_forces(rill_step_context *step) {
    apply_brushes(step, true);
}

void rill_step_end_forces(rill_step_context *step) {
    apply_brushes(step, false);
    step->world->forces.brushes.count = 0;
}

void rill_step_switch_controls(rill_step_context *step) {
    rill_world *world = step->world;
    if (world->forces.controls.count == 0 || !rill_forces_switch(&world->forces, step->start + step->done)) return;
    rill_world_follow_controls(world);
    rill_world_refresh_wetting(world);
    if (world->forces.brushes.count > 0) apply_brushes(step, true);
}

/* ----------------------------------------------------------------------------------------------------------- fields */

/* Checks an array of `parts` numbers per cell. */
static rill_result check_numbers(const rill_world *world, const char *what, const double *numbers, size_t parts,
                                 double limit) {
    const size_t nx = (size_t)world->def.grid.cells[0];
    for (size_t i = 0; numbers && i < parts * rill_world_cells(world); ++i) {
        if (fabs(numbers[i]) <= limit) continue; /* NaN is none */
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "%s on cell (%zu, %zu) is %g; expected %g to %g", what,
                         i / parts % nx, i / parts / nx, numbers[i], -limit, limit);
    }
    return RILL_OK;
}

static rill_result check_field(const rill_world *world, const rill_force_field *field) {
    if (field->layer < RILL_ALL_LAYERS || field->layer >= world->bed.info.layers)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "field.layer is %d; expected RILL_ALL_LAYERS, or 0 to %d",
                         field->layer, world->bed.info.layers - 1);
    if (field->count != rill_world_cells(world))
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "field.count is %zu; expected %zu, one per cell",
                         field->count, rill_world_cells(world));
    const rill_result result = check_numbers(world, "pressure", field->pressures, 1, RILL_MOST_PRESSURE);
    return result ? result : check_numbers(world, "acceleration", field->accelerations, 2, RILL_MOST_GRAVITY);
}

rill_result rill_world_set_force_field(rill_world *world, const rill_force_field *field) {
    if (!world) return RILL_INVALID_ARGUMENT;
    rill_result result = rill_world_need_bed(world, "rill_world_set_force_field");
    if (!result && field) result = check_field(world, field);
    if (result) return result;
    if (!field) {
        rill_forces_clear(&world->forces, &world->allocator);
    } else if (!rill_push_make(&world->flow, &world->allocator) ||
               !rill_forces_set(&world->forces, field, &world->allocator)) {
        return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for forces on %lld columns",
                         (long long)world->bed.info.columns);
    }
    rill_world_apply_forces(world, true);
    return RILL_OK;
}

/* ---------------------------------------------------------------------------------------------------------- brushes */

rill_result rill_world_brush(rill_world *world, const rill_brush *brush) {
    if (!world) return RILL_INVALID_ARGUMENT;
    if (!brush) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "brush is NULL; expected a brush");
    rill_result result = rill_world_need_bed(world, "rill_world_brush");
    if (!result) result = rill_check_brush(brush, world->note);
    if (result) return result;
    if (world->forces.brushes.count >= BRUSHES_LIMIT)
        return rill_fail(world->note, RILL_TOO_LARGE, "there are %d brushes for the next step already", BRUSHES_LIMIT);
    if (rill_push_make(&world->flow, &world->allocator) &&
        rill_array_push(&world->forces.brushes, &world->allocator, brush))
        return RILL_OK;
    return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for a brush");
}
