/* Shared by the files of the method `waves`: the sub-step under way, and passes over all runs. */
#ifndef RILL_WAVES_THETA_INTERNAL_H
#define RILL_WAVES_THETA_INTERNAL_H

#include "waves/theta.h"
#include "waves/theta_kernels.h"

/* More tasks than these would not be faster. */
enum { RILL_THETA_BANDS = 64 };

/* Results of a part of a pass. */
typedef struct rill_theta_sums {
    int64_t dot;
    rill_theta_most most;
    int32_t flags;
    rill_flow_extent extent;
} rill_theta_sums;

typedef struct rill_theta_work {
    rill_theta *theta;
    rill_flow *flow;
    const rill_theta_step *step;
    const rill_theta_kernels *kernels;
    rill_theta_constants constants;
    bool tension;
    int64_t columns; /* in all runs */
    /* Arguments of the pass under way. */
    int plane[3];
    double scale;
    float factor, other;
    bool taking;
} rill_theta_work;

/* Planes by number, for passes that work on any of them. */
enum { RILL_THETA_P, RILL_THETA_E, RILL_THETA_R, RILL_THETA_Y, RILL_THETA_S, RILL_THETA_D, RILL_THETA_Q };

/* Does one run's part; `row` is the run's, row - 1 and row + 1 those beside it. */
typedef void rill_theta_visit(const rill_theta_work *work, const rill_theta_run *run, const rill_theta_row *row,
                              rill_theta_sums *sums);

/* Visits all runs, in tasks. Sums are added and maxima taken: in any order they come to the same. */
rill_theta_sums rill_theta_pass(const rill_theta_work *work, rill_theta_visit *visit);

/* Finds the rows and the runs of a sub-step (theta_runs.c). */
void rill_theta_find_runs(rill_theta_work *work);

/* Solves for Pi, with P, openings and free flight known (theta_solve.c). Returns iterations; `capped`: it would have taken
 * more. */
int32_t rill_theta_solve(rill_theta_work *work, bool *capped);

#endif
