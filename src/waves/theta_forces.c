/* Forces from outside in the method `waves`: potentials are part of the pressures that are solved for, accelerations give
 * liquid velocity before it flies freely. */
#include "waves/theta_internal.h"

/* Adds potentials to P of the columns of a run, and what accelerates them to the velocities of their faces. */
static void visit_forces(const rill_theta_work *work, const rill_theta_run *run, const rill_theta_row *row,
                         rill_theta_sums *sums) {
    const rill_flow *flow = work->flow;
    const rill_push *push = &flow->push;
    const ptrdiff_t first = row->H - flow->H;
    const int32_t stride = flow->bed->sheets->stride;
    const double gained = push->unit * work->step->dt / flow->bed->grid.cell_size;
    (void)sums;
    for (int32_t x = run->x; x < run->x + run->count; ++x) {
        const ptrdiff_t r = first + x;
        row->P[x] += (float)(push->unit * (push->potential[r] - push->lowest));
        row->u[x] += (float)(gained * ((double)push->half[0][r - 1] + (double)push->half[0][r]));
        row->v[x] += (float)(gained * ((double)push->half[1][r - stride] + (double)push->half[1][r]));
    }
}

void rill_theta_add_forces(const rill_theta_work *work) {
    if (work->flow->push.on) rill_theta_pass(work, visit_forces);
}
