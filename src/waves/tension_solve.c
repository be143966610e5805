/* The pressures of a sub-step: conjugate gradients on (I + C D) Pi = f, in the scalar product <x, y> = x . D y, in which the
 * operator is symmetric and positive. It minimises <Pi, (I + C D) Pi> / 2 - <f, Pi>, the energy that the liquid will have
 * gained: 0 for Pi = 0, free flight, so that a solve that is cut short gains no energy.
 *
 *     Pi = s Pt + t e       e the last change; s, t the best there are       r = f - Pi - C D Pi
 *     p = r,  Dp = D r,  rho = r . Dp
 *     q = p + C Dp,  alpha = rho / (q . Dp),  Pi += alpha p,  r -= alpha q
 *     y = D r,  beta = (r . y) / rho,  p = r + beta p,  Dp = y + beta Dp
 *
 * Not solve/cg.h, whose loop multiplies by one operator: here D p and C D p are both carried along, so that an iteration
 * applies each of them once.
 *
 * Scalar products are exact sums of whole numbers, in any order: a drop that is turned or mirrored keeps its bits. Products
 * are rounded to parts of a bound for the largest of them, as fine as the number of columns leaves room for. */
#include <math.h>

#include "waves/tension_internal.h"

/* Planes with bounds for their values. */
typedef struct vector {
    float *at;
    float most;
} vector;

typedef struct solve {
    const rill_tension_work *work;
    rill_tension_planes *p;
    int32_t spare; /* bits of a sum that the number of columns takes */
} solve;

/* ----------------------------------------------------------------------------------------------------------- passes */

static void visit_stiffen(const rill_tension_pass *pass, const rill_tension_run *run, rill_tension_most *most,
                          rill_tension_sum *sum) {
    (void)sum;
    const float here =
        pass->work->kernels->stiffen(run, &pass->work->tension->planes, pass->s, pass->a, pass->b, pass->out);
    most->first = rill_max_f(most->first, here);
}

static void visit_move(const rill_tension_pass *pass, const rill_tension_run *run, rill_tension_most *most,
                       rill_tension_sum *sum) {
    (void)sum;
    const rill_tension_most here = pass->work->kernels->move(run, &pass->work->tension->planes, pass->a, pass->out);
    most->first = rill_max_f(most->first, here.first);
    most->second = rill_max_f(most->second, here.second);
}

static void visit_dot(const rill_tension_pass *pass, const rill_tension_run *run, rill_tension_most *most,
                      rill_tension_sum *sum) {
    (void)most;
    *sum += pass->work->kernels->dot(run, pass->a, pass->b, pass->scale);
}

static void visit_combine(const rill_tension_pass *pass, const rill_tension_run *run, rill_tension_most *most,
                          rill_tension_sum *sum) {
    (void)sum;
    most->first =
        rill_max_f(most->first, pass->work->kernels->combine(run, pass->s, pass->a, pass->t, pass->b, pass->out));
}

/* out = in + C moved. */
static void stiffen(const solve *s, const float *in, const float *moved, vector *out) {
    rill_tension_pass pass = {
        .work = s->work, .visit = visit_stiffen, .a = in, .b = moved, .s = s->work->constants.stiff, .out = out->at
    };
    rill_tension_each(&pass, false);
    const float pipes = rill_tension_pipes_stiffen(s->work->tension, s->work->constants.stiff, moved, out->at);
    out->most = rill_max_f(pass.most.first, pipes);
}

/* out = D in. */
static void move(const solve *s, vector *in, vector *out) {
    rill_tension_pass pass = { .work = s->work, .visit = visit_move, .a = in->at, .out = out->at };
    rill_tension_each(&pass, false);
    in->most = pass.most.second;
    out->most = rill_max_f(pass.most.first, rill_tension_pipes_move(s->work->tension, in->at, out->at));
}

static double dot(const solve *s, const vector *a, const vector *b) {
    const double bound = (double)a->most * (double)b->most;
    int above;
    if (!(bound > 0.0)) return 0.0;
    frexp(bound, &above);
    const int bits = rill_min_i(50, 62 - s->spare) - above;
    rill_tension_pass pass = { .work = s->work, .visit = visit_dot, .a = a->at, .b = b->at, .scale = ldexp(1.0, bits) };
    rill_tension_each(&pass, false);
    return ldexp((double)pass.sum, -bits);
}

/* out = s a + t b. */
static void combine(const solve *s, double of_a, const vector *a, double of_b, const vector *b, vector *out) {
    rill_tension_pass pass = { .work = s->work,
                               .visit = visit_combine,
                               .a = a->at,
                               .b = b->at,
                               .s = (float)of_a,
                               .t = (float)of_b,
                               .out = out->at };
    rill_tension_each(&pass, false);
    out->most = pass.most.first;
}

/* ------------------------------------------------------------------------------------------------------------- solve */

/* The best Pi = s a + t e; parallel vectors count as one. */
static void best_start(double fa, double fe, double aa, double ae, double ee, double *s, double *t) {
    const double det = aa * ee - ae * ae;
    *s = aa > 0.0 ? fa / aa : 0.0;
    *t = 0.0;
    if (!(det > 1e-6 * aa * ee)) return;
    *s = (fa * ee - fe * ae) / det;
    *t = (fe * aa - fa * ae) / det;
}

/* Begins with Pi in planes.change, and r in fx. */
static void begin(const solve *s, vector *f, vector *x, vector *r) {
    rill_tension_planes *p = s->p;
    vector a = { p->potential, 0.0f }, e = { p->change, 0.0f }, d = { p->moved, 0.0f }, qe = { p->fy, 0.0f };
    double of_a, of_e;
    move(s, &a, &d);
    stiffen(s, a.at, d.at, r); /* q of a */
    const double fa = dot(s, f, &d), aa = dot(s, r, &d);
    move(s, &e, &d);
    stiffen(s, e.at, d.at, &qe);
    const double fe = dot(s, f, &d), ae = dot(s, r, &d), ee = dot(s, &qe, &d);
    best_start(fa, fe, aa, ae, ee, &of_a, &of_e);
    combine(s, of_a, &a, of_e, &e, x);
    combine(s, of_a, r, of_e, &qe, r);
    combine(s, 1.0, f, -1.0, r, r);
}

static void iterate(const solve *s, double goal, vector *x, vector *r) {
    rill_tension_planes *planes = s->p;
    vector y = { planes->force, 0.0f }, p = { planes->fy, 0.0f }, dp = { planes->moved, 0.0f },
           q = { planes->sharp, 0.0f };
    move(s, r, &y);
    double rho = dot(s, r, &y);
    combine(s, 1.0, r, 0.0, r, &p);
    combine(s, 1.0, &y, 0.0, &y, &dp);
    for (int i = 0; i < RILL_TENSION_ITERATIONS && rho > goal; ++i) {
        stiffen(s, p.at, dp.at, &q);
        const double curvature = dot(s, &q, &dp);
        if (!(curvature > 0.0)) break;
        const double alpha = rho / curvature;
        combine(s, 1.0, x, alpha, &p, x);
        combine(s, 1.0, r, -alpha, &q, r);
        if (i + 1 == RILL_TENSION_ITERATIONS) break;
        move(s, r, &y);
        const double next = dot(s, r, &y), beta = next / rho;
        combine(s, 1.0, r, beta, &p, &p);
        combine(s, 1.0, &y, beta, &dp, &dp);
        rho = next;
    }
}

/* Bits that as many columns as there are add to a term: not those that are swept, which tiles and threads may choose. */
static int32_t bits_of(const rill_bed *bed) {
    int32_t bits = 1;
    while (bed->info.columns >> bits) ++bits;
    return bits;
}

void rill_tension_solve(const rill_tension_work *work) {
    rill_tension_planes *p = &work->tension->planes;
    const solve s = { work, p, bits_of(work->flow->bed) };
    vector f = { p->force, 0.0f }, x = { p->change, 0.0f }, r = { p->fx, 0.0f }, y = { p->sharp, 0.0f };
    stiffen(&s, p->potential, p->moved, &f);
    move(&s, &f, &y);
    const double goal = RILL_TENSION_TOLERANCE * RILL_TENSION_TOLERANCE * dot(&s, &f, &y);
    begin(&s, &f, &x, &r);
    iterate(&s, goal, &x, &r);
}
