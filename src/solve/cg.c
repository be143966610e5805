/* Conjugate gradients: see cg.h. */
#include "solve/cg.h"

#include <math.h>

/* Takes one step along a new direction, if there is one. */
static bool step(const rill_cg_problem *problem, rill_cg_state *state) {
    const double rho = problem->precondition(problem->context);
    const double beta = state->rho > 0.0 ? rho / state->rho : 0.0;
    state->broken = !isfinite(rho) || !isfinite(beta);
    state->stuck = state->broken || !(rho > 0.0);
    if (state->stuck) return false;
    problem->turn(problem->context, beta);
    const double energy = problem->apply(problem->context), alpha = rho / energy;
    state->broken = !isfinite(energy);
    state->stuck = state->broken || !(energy > 0.0 && alpha < problem->longest);
    if (state->stuck) return false;
    state->largest = problem->advance(problem->context, alpha);
    state->rho = rho;
    return true;
}

int32_t rill_cg_iterate(const rill_cg_problem *problem, rill_cg_state *state, double goal, int32_t most) {
    int32_t steps = 0;
    while (state->largest > goal && steps < most && step(problem, state)) ++steps;
    return steps;
}
