/* The pressures of a sub-step: conjugate gradients on (I + C D) E = C d, in the scalar product <x, y> = sum A x D y, in which the
 * operator is symmetric and positive: a solve that is cut short gains no energy. By solve/cg.h, whose z is r itself, whose scalar
 * product with it is r . D r, and whose A p is q = p + C D p, of which D p is carried along.
 *
 * It begins from the best E = s Pt + t e, e the last E: the old one alone lags behind the force and pumps waves, and t e alone
 * gives up on what is stiff. The error is that in the pressure Pt + E, relative to f = Pt + C d without any pressure.
 *
 * Scalar products are exact sums of whole numbers, in any order. Terms are rounded to parts of a bound for the largest of them, as
 * fine as the number of columns leaves room for. */
#include <math.h>

#include "films/films_internal.h"
#include "solve/cg.h"

typedef struct solve {
    const rill_films_work *work;
    int32_t bits;                                 /* of a rounded term */
    double largest_area;                          /* m2 */
    double mobile;                                /* bounds D x by the largest x, times the area */
    double stiffest;                              /* bounds C x by the largest x */
    double residual, product, thrust, pull, goal; /* the largest |r|, |q|, |D p|, |y|; of r . D r */
    float beta;
} solve;

/* Returns the exponent of the scale for terms up to a bound. */
static int exponent(const solve *problem, double bound) {
    int above = 0;
    frexp(bound, &above);
    return problem->bits - above;
}

/* Runs a kernel that has one sum, bounded so; returns it. */
static double sum_by(const solve *problem, rill_films_kernel *kernel, double bound, float beta,
                     rill_films_outcome *found) {
    const int fine = exponent(problem, bound);
    const rill_films_factors factors = { .of_b = beta, .scales = { ldexp(1.0, fine) } };
    *found = rill_films_each(problem->work, kernel, &factors);
    return ldexp((double)found->sums[0], -fine);
}

/* ----------------------------------------------------------------------------------------------------------------- start */

/* The best E = s Pt + t e; parallel vectors count as one. */
static void best_start(const double sums[RILL_FILMS_SUMS], float *s, float *t) {
    const double fa = sums[0], fe = sums[1], aa = sums[2], ae = sums[3], ee = sums[4], det = aa * ee - ae * ae;
    *s = aa > 0.0 ? (float)(fa / aa) : 0.0f;
    *t = 0.0f;
    if (!(det > 1e-6 * aa * ee)) return;
    *s = (float)((fa * ee - fe * ae) / det);
    *t = (float)((fe * aa - fa * ae) / det);
}

/* Sets E and r. */
static void begin(solve *problem, double pressed, double changed) {
    const rill_films_kernels *kernels = problem->work->kernels;
    const rill_films_outcome flown = rill_films_each(problem->work, kernels->fly, NULL);
    const double force = (double)flown.most[0], bent = (double)flown.most[1];
    rill_films_outcome found;
    const double whole = sum_by(problem, kernels->probe, force * force * problem->mobile, 0.0f, &found);
    const double Da = (double)found.most[0], De = (double)found.most[1], area = problem->largest_area;
    const double qa = pressed + problem->stiffest * Da, qe = changed + problem->stiffest * De;
    const double bounds[RILL_FILMS_SUMS] = { bent * Da, bent * De, qa * Da, qa * De, qe * De };
    int exponents[RILL_FILMS_SUMS];
    rill_films_factors factors = { 0 };
    for (int i = 0; i < RILL_FILMS_SUMS; ++i) {
        exponents[i] = exponent(problem, bounds[i] * area);
        factors.scales[i] = ldexp(1.0, exponents[i]);
    }
    found = rill_films_each(problem->work, kernels->weigh, &factors);
    double sums[RILL_FILMS_SUMS];
    for (int i = 0; i < RILL_FILMS_SUMS; ++i) sums[i] = ldexp((double)found.sums[i], -exponents[i]);
    best_start(sums, &factors.of_a, &factors.of_b);
    problem->residual = (double)rill_films_each(problem->work, kernels->begin, &factors).most[0];
    problem->goal = RILL_FILMS_TOLERANCE * RILL_FILMS_TOLERANCE * whole;
}

/* --------------------------------------------------------------------------------------------------------------- iterate */

/* y = D r; returns r . D r, or 0 where that is small enough: there is no need to go anywhere then. */
static double look(void *context) {
    solve *problem = context;
    rill_films_outcome found;
    const double bound = problem->residual * problem->residual * problem->mobile;
    const double rho = sum_by(problem, problem->work->kernels->look, bound, 0.0f, &found);
    problem->pull = (double)found.most[0];
    return rho > problem->goal ? rho : 0.0;
}

static void turn(void *context, double beta) {
    ((solve *)context)->beta = (float)beta;
}

static double apply(void *context) {
    solve *problem = context;
    const double beta = (double)problem->beta;
    const double product = problem->residual + problem->stiffest * problem->pull + fabs(beta) * problem->product;
    const double thrust = problem->pull + fabs(beta) * problem->thrust;
    rill_films_outcome found;
    const double energy =
        sum_by(problem, problem->work->kernels->apply, product * thrust * problem->largest_area, problem->beta, &found);
    problem->product = (double)found.most[0], problem->thrust = (double)found.most[1];
    return energy;
}

static double advance(void *context, double alpha) {
    solve *problem = context;
    const rill_films_factors factors = { .of_a = (float)alpha };
    problem->residual = (double)rill_films_each(problem->work, problem->work->kernels->advance, &factors).most[0];
    return problem->residual;
}

/* Bits that terms may have where as many columns as there are, are summed: not those that are looked at. */
static int32_t bits_of(const rill_films *films) {
    int32_t bits = 1;
    while (films->columns >> bits) ++bits;
    return 61 - bits > 50 ? 50 : 61 - bits;
}

int32_t rill_films_solve(const rill_films_work *work) {
    const rill_films_outcome gathered = rill_films_each(work, work->kernels->gather, NULL);
    solve problem = { .work = work,
                      .bits = bits_of(work->films),
                      .largest_area = work->films->shell->report.largest_area,
                      .mobile = 2.0 * (double)gathered.most[0],
                      .stiffest = (double)gathered.most[3] };
    begin(&problem, (double)gathered.most[2], (double)gathered.most[1]);
    const rill_cg_problem steps = { &problem, look, turn, apply, advance, .longest = 1e9 };
    rill_cg_state state = { .largest = problem.residual };
    return rill_cg_iterate(&steps, &state, 0.0, RILL_FILMS_ITERATIONS);
}
