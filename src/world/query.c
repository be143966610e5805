/* Questions about the liquid as it stands now: at points, inside a box, on a solid. All of them only read. */
#include <math.h>

#include "bed/cells.h"
#include "world/world.h"

/* Where what lies on a body stands, absolute, quanta. */
static double deck_level(const rill_body_node *node) {
    return node->drawn >= 0 ? (double)node->drawn : (double)(node->base + node->deck);
}

static rill_sample sample_at(const rill_world *world, const double at[3]) {
    const rill_bed *bed = &world->bed;
    rill_sample sample = { 0 };
    const int32_t column = rill_bed_find(bed, at, &sample.layer);
    if (column < 0) return (rill_sample){ 0 };
    const int32_t place = bed->places[column], depth = world->flow.H[place];
    const rill_sheet *sheet = rill_face_sheet(bed, place, NULL);
    sample.found = true;
    sample.wet = depth > RILL_DRY;
    sample.base = rill_bed_z(bed, bed->b[place]);
    sample.ceiling = rill_world_ceiling(world, place);
    const rill_body_node *node = rill_bodies_node(&world->bodies, place);
    sample.level = node && bed->c[place] == RILL_TOP ? rill_bed_z(bed, node->base) + node->e * bed->quantum
                                                     : rill_bed_z(bed, rill_flow_bases(&world->flow)[place] + depth);
    sample.depth = (double)depth * bed->quantum;
    if (node && node->deck > 0) {
        sample.wet = depth + node->deck > RILL_DRY;
        sample.level = bed->datum + deck_level(node) * bed->quantum;
        sample.depth += (double)node->deck * bed->quantum;
    }
    sample.velocity[0] =
        0.5 * (rill_face_velocity(world, sheet, place, RILL_WEST) + rill_face_velocity(world, sheet, place, RILL_EAST));
    sample.velocity[1] = 0.5 * (rill_face_velocity(world, sheet, place, RILL_SOUTH) +
                                rill_face_velocity(world, sheet, place, RILL_NORTH));
    return sample;
}

rill_result rill_query_points(const rill_world *world, const double *points, size_t count, rill_sample *out) {
    if (!world) return RILL_INVALID_ARGUMENT;
    if (count > 0 && (!points || !out))
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "%s is NULL; expected an array for %zu points",
                         points ? "out" : "points", count);
    const rill_result result = rill_world_need_bed(world, "rill_query_points");
    if (result) return result;
    for (size_t i = 0; i < count; ++i) {
        if (isfinite(points[3 * i]) && isfinite(points[3 * i + 1]) && isfinite(points[3 * i + 2])) continue;
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "point %zu is (%g, %g, %g); expected finite numbers", i,
                         points[3 * i], points[3 * i + 1], points[3 * i + 2]);
    }
    for (size_t i = 0; i < count; ++i) out[i] = sample_at(world, points + 3 * i);
    return RILL_OK;
}

static rill_result check_box(const rill_world *world, const double min[3], const double max[3], const double *out) {
    if (!min || !max || !out)
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "%s is NULL", !min ? "min" : !max ? "max" : "out");
    for (int axis = 0; axis < 3; ++axis) {
        if (min[axis] <= max[axis]) continue; /* infinities are allowed, NaN is not */
        return rill_fail(world->note, RILL_INVALID_ARGUMENT, "min[%d] is %g; expected at most max[%d], %g", axis,
                         min[axis], axis, max[axis]);
    }
    return rill_world_need_bed(world, "rill_query_box_volume");
}

/* Liquid of a column between two heights, all in quanta. */
static double slice(double base, double level, double low, double high) {
    const double from = base > low ? base : low, to = level < high ? level : high;
    return to > from ? to - from : 0.0;
}

rill_result rill_query_box_volume(const rill_world *world, const double min[3], const double max[3], double *out) {
    if (!world) return RILL_INVALID_ARGUMENT;
    const rill_result result = check_box(world, min, max, out);
    if (result) return result;
    const rill_bed *bed = &world->bed;
    const rill_grid *grid = &bed->grid;
    const double low = (min[2] - bed->datum) / bed->quantum, high = (max[2] - bed->datum) / bed->quantum;
    int32_t x0, x1, y0, y1;
    rill_cells_between(grid, 0, min[0], max[0], &x0, &x1);
    rill_cells_between(grid, 1, min[1], max[1], &y0, &y1);
    double quanta = 0.0; /* exact as long as the box cuts no column */
    for (int32_t y = y0; y < y1; ++y) {
        const size_t row = (size_t)y * (size_t)grid->cells[0];
        for (int32_t i = bed->cell_first[row + (size_t)x0]; i < bed->cell_first[row + (size_t)x1]; ++i) {
            const int32_t place = bed->places[i];
            quanta += slice((double)bed->b[place], (double)(bed->b[place] + world->flow.H[place]), low, high);
            const rill_body_node *node = rill_bodies_node(&world->bodies, place);
            if (node && node->deck > 0)
                quanta += slice(deck_level(node) - (double)node->deck, deck_level(node), low, high);
        }
    }
    *out = quanta * rill_quantum_volume(bed);
    return RILL_OK;
}

rill_result rill_query_solid_volume(const rill_world *world, rill_solid_id id, double *out) {
    if (!world) return RILL_INVALID_ARGUMENT;
    if (!out) return rill_fail(world->note, RILL_INVALID_ARGUMENT, "out is NULL; expected a place for the volume");
    const rill_solid_slot *slot = rill_world_solid(world, id);
    if (!slot) return RILL_INVALID_ID;
    const rill_result result = rill_world_need_bed(world, "rill_query_solid_volume");
    if (result) return result;
    const rill_bed *bed = &world->bed;
    int64_t quanta = 0;
    for (int64_t i = 0; i < bed->info.columns; ++i) {
        if (bed->floors[i] == (id.value & 0xffffu)) quanta += world->flow.H[bed->places[i]];
    }
    *out = (double)quanta * rill_quantum_volume(bed);
    return RILL_OK;
}
