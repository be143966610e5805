/* The solve of the method `waves`: conjugate gradients (solve/cg.h) for
 *
 *     (1 + C D') Pi = f,   f = P + theta C d0,   D' = theta^2 dt^2 D,
 *
 * which is symmetric and positive in the scalar product x D' y: with z = r, what cg.h calls r z is r D' r, and p q is
 * (D' p) (p + C D' p). No column need be masked: where no face is open D' is 0.
 *
 * It begins from the best combination of two vectors, P itself and what the last solve added to it: Pi of the last
 * sub-step alone lags behind what drives, and a solve that is cut short would pump waves. */
#include <math.h>

#include "solve/cg.h"
#include "waves/theta_internal.h"

/* alpha is at most 1 where C is positive; the wetting energy makes it larger where that is concave. */
static const double LONGEST = 1e6;

/* Two vectors count as one when the square of the sine between them is below this. */
static const double PARALLEL = 1e-6;

/* -------------------------------------------------------------------------------------------------- planes by number */

static float *plane_of(const rill_theta_row *row, int plane) {
    switch (plane) {
    case RILL_THETA_P: return row->P;
    case RILL_THETA_E: return row->E;
    case RILL_THETA_R: return row->R;
    case RILL_THETA_Y: return row->Y;
    case RILL_THETA_S: return row->S;
    case RILL_THETA_D: return row->D;
    default: return row->Q;
    }
}

static double as_double(int32_t bits) {
    union {
        int32_t i;
        float f;
    } both = { bits };
    return (double)both.f;
}

/* ----------------------------------------------------------------------------------------------------------- visits */

static void visit_flow(const rill_theta_work *work, const rill_theta_run *run, const rill_theta_row *row,
                       rill_theta_sums *sums) {
    const float *in = plane_of(row, work->plane[0]);
    const int32_t most =
        work->kernels->flow(run->x, run->count, in, plane_of(row - 1, work->plane[0]),
                            plane_of(row + 1, work->plane[0]), plane_of(row, work->plane[1]), row, row + 1);
    if (most > sums->most.first) sums->most.first = most;
}

static void visit_stiffen(const rill_theta_work *work, const rill_theta_run *run, const rill_theta_row *row,
                          rill_theta_sums *sums) {
    const int d = work->plane[1];
    const int32_t most = work->kernels->stiffen(run->x, run->count, plane_of(row, work->plane[0]),
                                                plane_of(row, work->plane[2]), plane_of(row, d), plane_of(row - 1, d),
                                                plane_of(row + 1, d), work->factor, work->tension, row, row + 1);
    if (most > sums->most.first) sums->most.first = most;
}

static void visit_dot(const rill_theta_work *work, const rill_theta_run *run, const rill_theta_row *row,
                      rill_theta_sums *sums) {
    sums->dot += work->kernels->dot(run->x, run->count, plane_of(row, work->plane[0]), plane_of(row, work->plane[1]),
                                    work->scale);
}

static void visit_begin(const rill_theta_work *work, const rill_theta_run *run, const rill_theta_row *row,
                        rill_theta_sums *sums) {
    const int32_t most = work->kernels->begin(run->x, run->count, row, work->factor, work->other);
    if (most > sums->most.first) sums->most.first = most;
}

static void visit_turn(const rill_theta_work *work, const rill_theta_run *run, const rill_theta_row *row,
                       rill_theta_sums *sums) {
    const rill_theta_most most = work->kernels->turn(run->x, run->count, row, work->factor);
    if (most.first > sums->most.first) sums->most.first = most.first;
    if (most.second > sums->most.second) sums->most.second = most.second;
}

static void visit_advance(const rill_theta_work *work, const rill_theta_run *run, const rill_theta_row *row,
                          rill_theta_sums *sums) {
    const int32_t most = work->kernels->advance(run->x, run->count, row, work->factor);
    if (most > sums->most.first) sums->most.first = most;
}

/* ------------------------------------------------------------------------------------------------- operators and dots */

/* The system under way, with the largest magnitudes of what is in its planes. */
typedef struct system {
    rill_theta_work *work;
    double most_r, most_y, most_p, most_d, most_q;
    double rho; /* r D' r */
} system;

/* to = D' from; returns the largest |to|. */
static double flow(system *equations, int from, int to) {
    equations->work->plane[0] = from, equations->work->plane[1] = to;
    return as_double(rill_theta_pass(equations->work, visit_flow).most.first);
}

/* to = of + factor C d; returns the largest |to|. */
static double stiffen(system *equations, int of, int d, int to, double factor) {
    equations->work->plane[0] = of, equations->work->plane[1] = d, equations->work->plane[2] = to;
    equations->work->factor = (float)factor;
    return as_double(rill_theta_pass(equations->work, visit_stiffen).most.first);
}

/* Returns the sum of a b, both at most as large as said. Each product is rounded to a whole number of some power of two,
 * as small as the sum of all allows: whole numbers add up to the same in any order. */
static double dot(system *equations, int a, int b, double most_a, double most_b) {
    const double bound = most_a * most_b;
    if (!(bound > 0.0) || !isfinite(bound)) return bound > 0.0 ? (double)INFINITY : 0.0;
    int of_bound, of_count;
    (void)frexp(bound, &of_bound);
    (void)frexp((double)equations->work->columns, &of_count);
    const int bits = of_count > 12 ? 62 - of_count : 50;
    equations->work->plane[0] = a, equations->work->plane[1] = b;
    equations->work->scale = ldexp(1.0, bits - of_bound);
    return (double)rill_theta_pass(equations->work, visit_dot).dot * ldexp(1.0, of_bound - bits);
}

/* ---------------------------------------------------------------------------------------------------------- the loop */

static double precondition(void *context) {
    return ((system *)context)->rho; /* z = r, and D' r is known */
}

static void turn(void *context, double beta) {
    system *equations = context;
    equations->work->factor = (float)beta;
    const rill_theta_sums sums = rill_theta_pass(equations->work, visit_turn);
    equations->most_p = as_double(sums.most.first);
    equations->most_d = as_double(sums.most.second);
}

static double apply(void *context) {
    system *equations = context;
    equations->most_q = stiffen(equations, RILL_THETA_S, RILL_THETA_D, RILL_THETA_Q, 1.0);
    return dot(equations, RILL_THETA_Q, RILL_THETA_D, equations->most_q, equations->most_d);
}

/* Finds D' r, and returns the length of r in the scalar product of the solve. */
static double weigh(system *equations) {
    equations->most_y = flow(equations, RILL_THETA_R, RILL_THETA_Y);
    equations->rho = dot(equations, RILL_THETA_R, RILL_THETA_Y, equations->most_r, equations->most_y);
    return equations->rho > 0.0 ? sqrt(equations->rho) : 0.0;
}

static double advance(void *context, double alpha) {
    system *equations = context;
    equations->work->factor = (float)alpha;
    equations->most_r = as_double(rill_theta_pass(equations->work, visit_advance).most.first);
    return weigh(equations);
}

/* Begins from s P + t E. S, D, Y and Q are at hand for that. */
static void begin(system *equations) {
    const double da = flow(equations, RILL_THETA_P, RILL_THETA_Y),
                 qa = stiffen(equations, RILL_THETA_P, RILL_THETA_Y, RILL_THETA_Q, 1.0);
    const double de = flow(equations, RILL_THETA_E, RILL_THETA_D),
                 qe = stiffen(equations, RILL_THETA_E, RILL_THETA_D, RILL_THETA_S, 1.0);
    const double aa = dot(equations, RILL_THETA_Q, RILL_THETA_Y, qa, da),
                 ee = dot(equations, RILL_THETA_S, RILL_THETA_D, qe, de);
    const double ae = dot(equations, RILL_THETA_Q, RILL_THETA_D, qa, de);
    const double fa = dot(equations, RILL_THETA_R, RILL_THETA_Y, equations->most_r, da);
    const double fe = dot(equations, RILL_THETA_R, RILL_THETA_D, equations->most_r, de);
    const double det = aa * ee - ae * ae;
    double of_p = aa > 0.0 ? fa / aa : 0.0, of_e = 0.0;
    if (aa > 0.0 && ee > 0.0 && det > PARALLEL * aa * ee) {
        of_p = (fa * ee - fe * ae) / det;
        of_e = (fe * aa - fa * ae) / det;
    }
    if (!isfinite(of_p) || !isfinite(of_e)) of_p = of_e = 0.0;
    equations->work->factor = (float)of_p;
    equations->work->other = (float)of_e;
    equations->most_r = as_double(rill_theta_pass(equations->work, visit_begin).most.first);
}

int32_t rill_theta_solve(rill_theta_work *work, bool *capped) {
    const rill_waves *controls = &work->step->controls;
    system equations = { .work = work };
    equations.most_r = stiffen(&equations, RILL_THETA_P, RILL_THETA_D, RILL_THETA_R, controls->theta);
    const double goal = controls->tolerance * weigh(&equations);
    begin(&equations);
    rill_cg_state state = { .largest = weigh(&equations) };
    const rill_cg_problem problem = { .context = &equations,
                                      .precondition = precondition,
                                      .turn = turn,
                                      .apply = apply,
                                      .advance = advance,
                                      .longest = LONGEST };
    const int32_t most = controls->iterations;
    const int32_t steps = rill_cg_iterate(&problem, &state, goal, most);
    *capped = state.largest > goal && !state.stuck;
    return steps;
}
