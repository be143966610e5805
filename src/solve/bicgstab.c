/* Stabilised bi-conjugate gradients: see bicgstab.h. */
#include "solve/bicgstab.h"

#include <math.h>

static double dot(const rill_bicgstab *problem, const double *a, const double *b) {
    double sum = 0.0;
    for (int32_t i = 0; i < problem->count; ++i) sum += a[i] * b[i];
    return sum;
}

static double largest_of(const rill_bicgstab *problem) {
    double largest = 0.0;
    for (int32_t i = 0; i < problem->count; ++i) largest = fmax(largest, fabs(problem->r[i]));
    return largest;
}

/* Scalars of the step before. */
typedef struct bicgstab_state {
    double rho, alpha, omega;
} bicgstab_state;

/* First half of a step: along p. */
static bool along_p(const rill_bicgstab *problem, bicgstab_state *state) {
    const double rho = dot(problem, problem->shadow, problem->r);
    const double beta = state->rho != 0.0 ? rho / state->rho * (state->alpha / state->omega) : 0.0;
    if (rho == 0.0 || !isfinite(rho) || !isfinite(beta)) return false;
    for (int32_t i = 0; i < problem->count; ++i) {
        const double before = beta != 0.0 ? beta * (problem->p[i] - state->omega * problem->v[i]) : 0.0;
        problem->p[i] = problem->r[i] + before;
    }
    problem->precondition(problem->context, problem->p, problem->mp);
    problem->apply(problem->context, problem->mp, problem->v);
    const double alpha = rho / dot(problem, problem->shadow, problem->v);
    if (!isfinite(alpha)) return false;
    for (int32_t i = 0; i < problem->count; ++i) {
        problem->x[i] += alpha * problem->mp[i];
        problem->r[i] -= alpha * problem->v[i];
    }
    state->rho = rho;
    state->alpha = alpha;
    return true;
}

/* Second half: along what is left. */
static bool along_s(const rill_bicgstab *problem, bicgstab_state *state) {
    problem->precondition(problem->context, problem->r, problem->ms);
    problem->apply(problem->context, problem->ms, problem->t);
    const double omega = dot(problem, problem->t, problem->r) / dot(problem, problem->t, problem->t);
    if (!isfinite(omega) || omega == 0.0) return false;
    for (int32_t i = 0; i < problem->count; ++i) {
        problem->x[i] += omega * problem->ms[i];
        problem->r[i] -= omega * problem->t[i];
    }
    state->omega = omega;
    return true;
}

int32_t rill_bicgstab_iterate(const rill_bicgstab *problem, double goal, int32_t most, double *largest) {
    bicgstab_state state = { .omega = 1.0 };
    int32_t steps = 0;
    for (int32_t i = 0; i < problem->count; ++i) problem->shadow[i] = problem->r[i];
    *largest = largest_of(problem);
    while (*largest > goal && steps < most) {
        const bool first = along_p(problem, &state);
        *largest = largest_of(problem);
        if (!first) break;
        ++steps;
        if (!(*largest > goal)) break;
        const bool second = along_s(problem, &state);
        *largest = largest_of(problem);
        if (!second) break;
    }
    return steps;
}
