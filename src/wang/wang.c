/* Memory of Wang's height field, and a sub-step of it. The scheme is in wang.h. */
#include "wang/wang.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "flow/stages.h"
#include "wang/wang_internal.h"

/* Entries of a row of the matrix, at most: the cells of Eq. 14. */
enum { ENTRIES = 13 };

/* Part of the limit that is made use of: columns get deeper within a step. */
static const double SAFETY = 0.8;

/* ----------------------------------------------------------------------------------------------------------- memory */

static void name_planes(rill_heights *heights) {
    double **const planes[RILL_HEIGHTS_PLANES] = { &heights->d,      &heights->before,  &heights->b,
                                                   &heights->h,      &heights->carried, &heights->K,
                                                   &heights->beyond, &heights->under,   &heights->pressed,
                                                   &heights->head };
    for (size_t i = 0; i < RILL_HEIGHTS_PLANES; ++i) *planes[i] = heights->memory + i * heights->size;
    double **const vectors[RILL_HEIGHTS_VECTORS] = { &heights->x,        &heights->right,  &heights->r,
                                                     &heights->z,        &heights->p,      &heights->q,
                                                     &heights->diagonal, &heights->shadow, &heights->mp,
                                                     &heights->ms,       &heights->t };
    for (size_t i = 0; i < RILL_HEIGHTS_VECTORS; ++i) *vectors[i] = heights->vectors + i * heights->size;
}

rill_heights *rill_heights_make(const rill_grid *grid, const rill_allocator *allocator) {
    rill_heights *heights = rill_alloc_zeroed(allocator, 1, sizeof *heights);
    if (!heights) return NULL;
    for (int axis = 0; axis < 2; ++axis) heights->cells[axis] = grid->cells[axis];
    heights->stride = grid->cells[0] + 2 * RILL_HEIGHTS_RING;
    heights->size = (size_t)heights->stride * (size_t)(grid->cells[1] + 2 * RILL_HEIGHTS_RING);
    heights->book = -1;
    heights->memory = rill_alloc_zeroed(allocator, RILL_HEIGHTS_PLANES * heights->size, sizeof *heights->memory);
    heights->vectors = rill_alloc_zeroed(allocator, RILL_HEIGHTS_VECTORS * heights->size, sizeof *heights->vectors);
    heights->kind = rill_alloc_zeroed(allocator, heights->size, sizeof *heights->kind);
    heights->place = rill_alloc_zeroed(allocator, heights->size, sizeof *heights->place);
    heights->row = rill_alloc_zeroed(allocator, heights->size, sizeof *heights->row);
    heights->cell = rill_alloc_zeroed(allocator, heights->size, sizeof *heights->cell);
    heights->wet = rill_alloc_zeroed(allocator, heights->size, sizeof *heights->wet);
    heights->held = rill_alloc_zeroed(allocator, heights->size, sizeof *heights->held);
    const bool matrix = rill_csr_make(&heights->matrix, heights->size, ENTRIES * heights->size, allocator) &&
                        rill_milu_make(&heights->factors, &heights->matrix, allocator);
    if (!heights->memory || !heights->vectors || !heights->kind || !heights->wet || !heights->held || !heights->place ||
        !heights->row || !heights->cell || !matrix) {
        rill_heights_free(heights, allocator);
        return NULL;
    }
    name_planes(heights);
    return heights;
}

void rill_heights_free(rill_heights *heights, const rill_allocator *allocator) {
    if (!heights) return;
    rill_free(allocator, heights->memory, RILL_HEIGHTS_PLANES * heights->size, sizeof *heights->memory);
    rill_free(allocator, heights->vectors, RILL_HEIGHTS_VECTORS * heights->size, sizeof *heights->vectors);
    rill_free(allocator, heights->kind, heights->size, sizeof *heights->kind);
    rill_free(allocator, heights->place, heights->size, sizeof *heights->place);
    rill_free(allocator, heights->row, heights->size, sizeof *heights->row);
    rill_free(allocator, heights->cell, heights->size, sizeof *heights->cell);
    rill_free(allocator, heights->held, heights->size, sizeof *heights->held);
    rill_free(allocator, heights->wet, heights->size, sizeof *heights->wet);
    rill_milu_free(&heights->factors, allocator);
    rill_csr_free(&heights->matrix, allocator);
    rill_free(allocator, heights, 1, sizeof *heights);
}

void rill_heights_forget(rill_heights *heights) {
    memset(heights->memory, 0, RILL_HEIGHTS_PLANES * heights->size * sizeof *heights->memory);
    memset(heights->kind, 0, heights->size);
    memset(heights->wet, 0, heights->size);
    memset(heights->held, 0, heights->size);
    heights->last = 0.0;
}

void rill_heights_stop(rill_heights *heights, int32_t x, int32_t y) {
    const size_t at = rill_heights_at(heights, x, y);
    heights->before[at] = heights->d[at];
}

bool rill_heights_possible(const rill_heights *heights, const rill_flow *flow) {
    const double range = 2.0 * RILL_TOP * flow->bed->quantum;
    for (size_t i = 0; i < heights->size; ++i)
        if (!(fabs(heights->d[i]) <= range && fabs(heights->before[i]) <= range) ||
            heights->kind[i] > RILL_HEIGHT_RESERVOIR || heights->wet[i] > 1 || heights->held[i] > 1 ||
            !isfinite(heights->head[i]))
            return false;
    return heights->last >= 0.0 && isfinite(heights->last);
}

/* --------------------------------------------------------------------------------------------------------- sub-step */

double rill_heights_limit(const rill_wang *controls, double film, double depth, double cell_size) {
    if (!(film > 0.0 && depth > 0.0) || controls->tension == RILL_WANG_COMPLETE) return (double)INFINITY;
    const double most = (4.0 - 2.0 * controls->viscosity) / 32.0;
    return SAFETY * cell_size * cell_size * sqrt(most / (film * depth));
}

rill_heights_report rill_heights_move(rill_heights *heights, rill_flow *flow, const rill_heights_step *step,
                                      rill_edge_flow *flows) {
    const rill_heights_work work = { heights, flow, step, flow->bed->grid.cell_size };
    rill_heights_report report = { 0 };
    RILL_ASSERT(step->dt > 0.0 && step->gravity >= 0.0);
    rill_flow_wake_everything(flow);
    heights->has_bodies = step->has_bodies;
    heights->sealed = step->controls.front == RILL_WANG_NEUMANN;
    rill_heights_take(&work);
    rill_heights_press(&work);
    rill_heights_curve(&work);
    rill_heights_advect(&work);
    report.iterations = rill_heights_solve(&work, &report.capped, flows);
    report.columns = heights->matrix.rows;
    rill_heights_classify(&work);
    rill_heights_curve(&work);
    rill_heights_accelerate(&work);
    report.gained = rill_heights_give(&work, &report.out_of_range);
    heights->last = step->dt;
    return report;
}
