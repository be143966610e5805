/* The pressures of a sub-step: conjugate gradients on (I + C D) Pi = f, in the scalar product <x, y> = x . D y, in which the
 * operator is symmetric and positive. It minimises <Pi, (I + C D) Pi> / 2 - <f, Pi>, the energy that the liquid will have
 * gained: 0 for Pi = 0, free flight, so that a solve that is cut short gains no energy.
 *
 *     Pi = s Pt + t e       e the last change; s, t the best there are       r = f - Pi - C D Pi
 *     p = r,  Dp = D r,  rho = r . Dp
 *     q = p + C Dp,  alpha = rho / (q . Dp),  Pi += alpha p,  r -= alpha q
 *     y = D r,  beta = (r . y) / rho,  p = r + beta p,  Dp = y + beta Dp
 *
 * The loop is that of solve/cg.h, by the measure r . D r. D p and C D p are both kept, so that an iteration applies each of
 * them once, in four passes.
 *
 * Scalar products are exact sums of whole numbers, in any order: a drop that is turned or mirrored keeps its bits. Terms are
 * rounded to parts of a bound for the largest of them, as fine as the number of columns leaves room for. The parts of sparse
 * pipes are added by themselves: for x . C y these are stiff a (x_l - x_r) (y_l - y_r). */
#include <math.h>

#include "solve/cg.h"
#include "waves/tension_internal.h"

typedef struct solve {
    const rill_tension_work *work;
    const rill_tension_kernels *kernels;
    const rill_tension_state *tension;
    const rill_tension_planes *planes;
    int32_t bits;    /* of a rounded term */
    float stiff;     /* of C */
    double stiffest; /* bounds for C x and D x by the largest x */
    double mobile;
} solve;

/* Returns the exponent of the scale for terms up to a bound. */
static int exponent(const solve *problem, double bound) {
    int above = 0;
    frexp(bound, &above);
    return problem->bits - above;
}

static rill_tension_factors factors_of(const solve *problem, double of_a, double of_b) {
    return (rill_tension_factors){ .stiff = problem->stiff, .of_a = (float)of_a, .of_b = (float)of_b };
}

/* ----------------------------------------------------------------------------------------------------------- start */

/* f, and f . D f. */
static double set_force(const solve *problem, float *most) {
    rill_tension_factors factors = factors_of(problem, 0.0, 0.0);
    *most = rill_tension_each(problem->work, problem->kernels->fly, &factors).most[0];
    rill_tension_pipes_stiffen(problem->tension, problem->stiff, problem->planes->moved, problem->planes->force);
    for (int32_t i = 0; i < problem->tension->pipe_count; ++i) {
        const rill_tension_pipe *pipe = &problem->tension->pipes[i];
        *most = rill_max_f(*most,
                           rill_max_f(fabsf(problem->planes->force[pipe->l]), fabsf(problem->planes->force[pipe->r])));
    }
    return (double)*most * (double)*most * problem->mobile;
}

/* The best Pi = s Pt + t e; parallel vectors count as one. */
static void best_start(const double sums[RILL_TENSION_SUMS], double *s, double *t) {
    const double fa = sums[0], fe = sums[1], aa = sums[2], ae = sums[3], ee = sums[4], det = aa * ee - ae * ae;
    *s = aa > 0.0 ? fa / aa : 0.0;
    *t = 0.0;
    if (!(det > 1e-6 * aa * ee)) return;
    *s = (fa * ee - fe * ae) / det;
    *t = (fe * aa - fa * ae) / det;
}

/* The scalar products of best_start, from D Pt and D e, whose largest values these are. */
static void weigh(const solve *problem, double force, double potential, double change, double Da, double De,
                  double sums[RILL_TENSION_SUMS]) {
    const double qa = potential + problem->stiffest * Da, qe = change + problem->stiffest * De;
    const double bounds[RILL_TENSION_SUMS] = { force * Da, force * De, qa * Da, qa * De, qe * De };
    int exponents[RILL_TENSION_SUMS];
    rill_tension_factors factors = factors_of(problem, 0.0, 0.0);
    for (int i = 0; i < RILL_TENSION_SUMS; ++i) {
        exponents[i] = exponent(problem, bounds[i]);
        factors.scales[i] = ldexp(1.0, exponents[i]);
    }
    rill_tension_outcome found = rill_tension_each(problem->work, problem->kernels->weigh, &factors);
    found.sums[2] += rill_tension_pipes_sum(problem->tension, problem->stiff, problem->planes->moved,
                                            problem->planes->moved, factors.scales[2]);
    found.sums[3] += rill_tension_pipes_sum(problem->tension, problem->stiff, problem->planes->moved,
                                            problem->planes->sharp, factors.scales[3]);
    found.sums[4] += rill_tension_pipes_sum(problem->tension, problem->stiff, problem->planes->sharp,
                                            problem->planes->sharp, factors.scales[4]);
    for (int i = 0; i < RILL_TENSION_SUMS; ++i) sums[i] = ldexp((double)found.sums[i], -exponents[i]);
    rill_tension_pipes_stiffen(problem->tension, problem->stiff, problem->planes->moved, problem->planes->fx);
    rill_tension_pipes_stiffen(problem->tension, problem->stiff, problem->planes->sharp, problem->planes->fy);
}

/* Sets Pi and r; returns how small r . D r is to become. */
static double begin(const solve *problem, double potential, double change, float *residual) {
    float force;
    const int fine = exponent(problem, set_force(problem, &force));
    rill_tension_factors factors = factors_of(problem, 0.0, 0.0);
    factors.scales[0] = ldexp(1.0, fine);
    rill_tension_outcome found = rill_tension_each(problem->work, problem->kernels->probe, &factors);
    found.sums[0] += rill_tension_pipes_sum(problem->tension, 0.0f, problem->planes->force, problem->planes->force,
                                            factors.scales[0]);
    const float Da =
        rill_tension_pipes_move(problem->tension, problem->planes->potential, problem->planes->moved, found.most[0]);
    const float De =
        rill_tension_pipes_move(problem->tension, problem->planes->change, problem->planes->sharp, found.most[1]);
    double sums[RILL_TENSION_SUMS], of_a, of_e;
    weigh(problem, (double)force, potential, change, (double)Da, (double)De, sums);
    best_start(sums, &of_a, &of_e);
    factors = factors_of(problem, of_a, of_e);
    *residual = rill_tension_each(problem->work, problem->kernels->begin, &factors).most[0];
    return RILL_TENSION_TOLERANCE * RILL_TENSION_TOLERANCE * ldexp((double)found.sums[0], -fine);
}

/* ------------------------------------------------------------------------------------------------------------ iterate */

typedef struct iteration {
    const solve *problem;
    double ahead, moved; /* largest p and D p */
    double rho;          /* r . D r */
    int32_t left;        /* iterations */
} iteration;

/* y = D r; returns r . y. */
static double look(const solve *problem, float residual) {
    const int fine = exponent(problem, (double)residual * (double)residual * problem->mobile);
    rill_tension_factors factors = factors_of(problem, 0.0, 0.0);
    factors.scales[0] = ldexp(1.0, fine);
    rill_tension_outcome found = rill_tension_each(problem->work, problem->kernels->look, &factors);
    found.sums[0] +=
        rill_tension_pipes_sum(problem->tension, 0.0f, problem->planes->fx, problem->planes->fx, factors.scales[0]);
    rill_tension_pipes_move(problem->tension, problem->planes->fx, problem->planes->force, 0.0f);
    return ldexp((double)found.sums[0], -fine);
}

/* In the scalar product of D nothing is left to precondition by, and r . D r is known since r is. */
static double precondition(void *context) {
    return ((const iteration *)context)->rho;
}

/* p and D p from r and y. */
static void turn(void *context, double beta) {
    iteration *at = context;
    const rill_tension_factors factors = factors_of(at->problem, beta, 0.0);
    const rill_tension_outcome turned = rill_tension_each(at->problem->work, at->problem->kernels->turn, &factors);
    at->ahead = (double)turned.most[0];
    at->moved = (double)turned.most[1];
}

/* q = p + C D p; returns q . D p. */
static double apply(void *context) {
    const iteration *at = context;
    const solve *problem = at->problem;
    const int fine = exponent(problem, (at->ahead + problem->stiffest * at->moved) * at->moved);
    rill_tension_factors factors = factors_of(problem, 0.0, 0.0);
    factors.scales[0] = ldexp(1.0, fine);
    rill_tension_outcome found = rill_tension_each(problem->work, problem->kernels->apply, &factors);
    found.sums[0] += rill_tension_pipes_sum(problem->tension, problem->stiff, problem->planes->moved,
                                            problem->planes->moved, factors.scales[0]);
    rill_tension_pipes_stiffen(problem->tension, problem->stiff, problem->planes->moved, problem->planes->sharp);
    return ldexp((double)found.sums[0], -fine);
}

/* Pi += alpha p, r -= alpha q; returns r . D r, which nobody asks for after the last iteration. */
static double advance(void *context, double alpha) {
    iteration *at = context;
    const rill_tension_factors factors = factors_of(at->problem, alpha, 0.0);
    const float residual = rill_tension_each(at->problem->work, at->problem->kernels->advance, &factors).most[0];
    if (--at->left > 0) at->rho = look(at->problem, residual);
    return at->rho;
}

static void iterate(const solve *problem, double goal, float residual) {
    iteration at = { .problem = problem, .rho = look(problem, residual), .left = RILL_TENSION_ITERATIONS };
    rill_cg_state state = { .largest = at.rho };
    const rill_cg_problem equations = { .context = &at,
                                        .precondition = precondition,
                                        .turn = turn,
                                        .apply = apply,
                                        .advance = advance,
                                        .longest = (double)INFINITY };
    rill_cg_iterate(&equations, &state, goal, at.left);
}

/* Bits that terms may have where as many columns as there are, and pipes, are summed: not those that are swept, which tiles
 * and threads may choose. */
static int32_t bits_of(const rill_bed *bed) {
    const int64_t terms = bed->info.columns + bed->pipe_count;
    int32_t bits = 1;
    while (terms >> bits) ++bits;
    return rill_min_i(50, 61 - bits);
}

/* The most that pipes add to the sum of m of a column, which has no more than eight. */
static double pipes_mobile(const rill_tension_state *tension) {
    float most = 0.0f;
    for (int32_t i = 0; i < tension->pipe_count; ++i) most = rill_max_f(most, tension->pipes[i].m);
    return 8.0 * (double)most;
}

void rill_tension_solve(const rill_tension_work *work) {
    const rill_tension_state *tension = work->tension;
    rill_tension_factors none = { .stiff = work->constants.stiff };
    rill_tension_outcome started;
    rill_tension_keep_pipes(work->tension);
    started = rill_tension_each(work, work->kernels->start, &none);
    rill_tension_pipes_start(work->tension, &started);
    const solve problem = { .work = work,
                            .kernels = work->kernels,
                            .tension = tension,
                            .planes = &tension->planes,
                            .bits = bits_of(work->flow->bed),
                            .stiff = work->constants.stiff,
                            .stiffest = 24.0 * (double)work->constants.stiff - (double)work->constants.hollow,
                            .mobile = 2.0 * ((double)started.most[0] + pipes_mobile(tension)) };
    float residual;
    const double goal = begin(&problem, (double)started.most[2], (double)started.most[1], &residual);
    iterate(&problem, goal, residual);
}
