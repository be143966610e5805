/* The changes of head under bodies: Newton's method on the statement of bodies.h, whose steps are solved by conjugate
 * gradients (solve/cg.h) with a modified incomplete Cholesky preconditioner (I. Gustafsson 1978).
 *
 * The equation is piecewise linear: it bends where liquid meets or leaves a quarter of a cell, which takes one step,
 * two when something slams. All sums run in the order of nodes and touches: the same bits everywhere. */
#include "bodies/bodies_internal.h"
#include "bodies/body_constants.h"

#include "base/simd.h"
#include "solve/cg.h"

#include <math.h>
#include <string.h>

/* The conductances of a node's faces, as in rill_body_neighbours. */
typedef struct conductances {
    double w[4];
} conductances;

typedef struct head_solve {
    const rill_body_stage *stage;
    size_t first, end;                                 /* nodes */
    double *pi, *contact, *target, *r, *z, *p, *q, *d; /* d: of the preconditioner, inverted */
    double *diagonal;                                  /* of A without its low rank */
    double *outside;                                   /* what faces to columns that are no nodes conduct */
    double *last_pi;                                   /* pi a step ago */
    double *compliance;                                /* how much a node gives under a body */
    conductances *weights;
    double force_unit; /* N per quantum of head over a cell */
    bool in_passage;   /* some nodes are of a flooded passage */
    bool any_thin;     /* some nodes give much: they are over thin gaps */
} head_solve;

static const rill_body_node *node_at(const head_solve *solve, size_t i) {
    return (const rill_body_node *)solve->stage->bodies->nodes.data + i;
}

static const int32_t *far_faces_of(const head_solve *solve) {
    return (const int32_t *)solve->stage->bodies->far_faces.data + solve->stage->island->first_face;
}

static double weight_of(const head_solve *solve, const rill_body_face *face) {
    return (double)(solve->stage->constants->lambda * face->opening * face->gain);
}

void rill_body_accelerate(const rill_body *body, const double wrench[6], double seconds, double out[6]) {
    if (isinf(body->mass)) return;
    for (int i = 0; i < 3; ++i) {
        const double *row = body->inverse_inertia + 3 * i;
        out[i] += seconds * wrench[i] / (i == 2 ? body->mass_stiff : body->mass_along);
        out[3 + i] += seconds * (row[0] * wrench[3] + row[1] * wrench[4] + row[2] * wrench[5]);
        RILL_ASSERT(isfinite(out[i]) && isfinite(out[3 + i]));
    }
}

/* Sums B_i x_i over a body's touches, with B or with its part along the bed: of the first `parts` components. */
static inline void gather_parts(const rill_bodies *bodies, const rill_body *body, bool all, int parts, const double *x,
                                double out[6]) {
    const rill_body_touch *touches = bodies->touches.data;
    double sum[6] = { 0 };
    for (int32_t t = body->first_touch; t < body->end_touch; ++t) {
        const float *b = all ? touches[t].b : touches[t].b_sideways;
        const double value = x[touches[t].acts_on];
        for (int k = 0; k < parts; ++k) sum[k] += (double)b[k] * value;
    }
    memcpy(out, sum, sizeof sum);
}

/* Adds B_i.v to y_i over a body's touches. */
static inline void scatter_parts(const rill_bodies *bodies, const rill_body *body, bool all, int parts,
                                 const double v[6], double *y) {
    const rill_body_touch *touches = bodies->touches.data;
    double motion[6]; /* which y cannot be */
    memcpy(motion, v, sizeof motion);
    for (int32_t t = body->first_touch; t < body->end_touch; ++t) {
        const float *b = all ? touches[t].b : touches[t].b_sideways;
        double sum = 0.0;
        for (int k = 0; k < parts; ++k) sum += (double)b[k] * motion[k];
        y[touches[t].acts_on] += sum;
    }
}

/* Sums B_i x_i: of a ball, the components that are not zero; along the bed the third is, too. */
static void gather(const rill_bodies *bodies, const rill_body *body, bool all, const double *x, double out[6]) {
    if (!rill_body_is_ball(body))
        gather_parts(bodies, body, all, 6, x, out);
    else if (all)
        gather_parts(bodies, body, true, 3, x, out);
    else
        gather_parts(bodies, body, false, 2, x, out);
}

static void scatter(const rill_bodies *bodies, const rill_body *body, bool all, const double v[6], double *y) {
    if (!rill_body_is_ball(body))
        scatter_parts(bodies, body, all, 6, v, y);
    else if (all)
        scatter_parts(bodies, body, true, 3, v, y);
    else
        scatter_parts(bodies, body, false, 2, v, y);
}

/* --------------------------------------------------------------------------------------------------------- residual */

/* Finds what each node should hold at the end, and how much it gives; returns whether some give much. What bodies take
 * or leave by moving must be made room for at once, or else they would move without pushing; what did not fit before
 * that, because a body was put where liquid was, little by little.
 *
 * What a node over a thin gap has given is `strained`, and stays so: it is a spring, whose push follows from how much
 * more it holds than fits. Were that made good in the next sub-step, its push would be the sum of that over time, which
 * comes late by a quarter of a swing, and what floats on a film would leap out of it as soon as sub-steps are shorter
 * than such swings. What is more than a cell of liquid could have given is none of that: a body was put there. */
static bool find_aims(const head_solve *solve) {
    const rill_body_stage *stage = solve->stage;
    const rill_bed *bed = stage->flow->bed;
    const double cell = bed->grid.cell_size / bed->quantum, thin = RILL_HEAD_THIN * cell;
    const double most = 0.25 * sqrt(stage->gravity * bed->grid.cell_size) * stage->dt / bed->quantum;
    bool any = false;
    for (size_t i = solve->first; i < solve->end; ++i) {
        const rill_body_node *node = node_at(solve, i);
        const double level = rill_body_node_level(node, node->e);
        const double gap = level - node->displaced, share = gap > thin ? thin / gap : 1.0;
        solve->compliance[i] = node->yields ? RILL_HEAD_SOFT + (1.0 - RILL_HEAD_SOFT) * share * share : RILL_HEAD_SOFT;
        if (node->flooded || (node->displaced == 0.0 && !isinf(node->roof)))
            solve->compliance[i] = node->displaced > 0.0 ? RILL_HEAD_FIRM : RILL_HEAD_HARD;
        any |= solve->compliance[i] > RILL_HEAD_MUCH;
        RILL_ASSERT(solve->compliance[i] > 0.0 && solve->compliance[i] <= 1.0);
        const double has = (double)stage->flow->H[node->place], before = has - (level - node->displaced_before);
        const double yielded =
            rill_max_d(solve->compliance[i] - RILL_HEAD_SOFT, 0.0) * rill_min_d(node->displaced, cell);
        const double strained = before > yielded    ? yielded
                                : before < -yielded ? -yielded
                                                    : before,
                     left = before - strained;
        const double hurried = left > most ? left - most : left < -most ? left + most : 0.0;
        solve->target[i] = node->first_touch >= 0 ? has - strained - hurried : has;
    }
    return any;
}

/* Finds conductances, which do not change while pi is sought; nor does what moves over faces without it: that is part
 * of the targets. */
static void weigh_faces(const head_solve *solve) {
    const rill_body_stage *stage = solve->stage;
    const rill_body_face *faces = stage->bodies->faces.data;
    const rill_body_neighbours *neighbours = stage->bodies->neighbours.data;
    const double lambda = (double)stage->constants->lambda;
    for (size_t i = solve->first; i < solve->end; ++i) {
        for (int k = 0; k < 4; ++k)
            solve->weights[i].w[k] = neighbours[i].face[k] >= 0 ? weight_of(solve, &faces[neighbours[i].face[k]]) : 0.0;
        solve->outside[i] = 0.0;
        RILL_ASSERT(solve->weights[i].w[0] >= 0.0 && solve->weights[i].w[1] >= 0.0);
        RILL_ASSERT(solve->weights[i].w[2] >= 0.0 && solve->weights[i].w[3] >= 0.0);
    }
    for (size_t f = stage->island->first_face; f < stage->island->end_face; ++f) {
        const int32_t l = faces[f].node_l, r = faces[f].node_r;
        const double moved = lambda * (double)faces[f].opening * (double)faces[f].u;
        if (l >= 0) solve->target[l] -= moved;
        if (r >= 0) solve->target[r] += moved;
        if (l < 0 || r < 0) solve->outside[l < 0 ? r : l] += weight_of(solve, &faces[f]);
    }
}

/* Finds the motion of bodies at heads changed by pi. */
static void find_motion(const head_solve *solve) {
    const rill_body_stage *stage = solve->stage;
    rill_bodies_press_up(stage, solve->pi);
    for (size_t i = stage->island->first_body; i < stage->island->end_body; ++i) {
        rill_body *body = rill_body_in_order(stage->bodies, i);
        double along[6];
        gather(stage->bodies, body, false, solve->pi, along);
        for (int k = 0; k < 6; ++k) body->wrench[k] += body->sideways_wrench[k] + solve->force_unit * along[k];
        memcpy(body->new_twist, body->predicted_twist, sizeof body->new_twist);
        rill_body_accelerate(body, body->wrench, stage->dt, body->new_twist);
        if (isinf(body->mass)) rill_deck_load_add_weight(&body->deck_load, stage->gravity, body->wrench);
    }
}

/* Lets a node under a body give from where its head meets the body on: where it gives much, counted from the start that
 * would be a jump in r, over which Newton's steps go to and fro. */
static void soften_thin(const head_solve *solve) {
    for (size_t i = solve->first; i < solve->end; ++i) {
        const rill_body_node *node = node_at(solve, i);
        const double e = node->e + solve->pi[i];
        if (solve->compliance[i] <= RILL_HEAD_MUCH || !isinf(node->roof)) continue;
        const double met = rill_body_node_will_displace(solve->stage, node, e) -
                           rill_body_node_will_displace(solve->stage, node, node->e);
        solve->r[i] += solve->compliance[i] * (solve->contact[i] * solve->pi[i] - met);
    }
}

/* Returns what pi moves out of a node, but for faces that are far. */
static double outflow(const head_solve *solve, size_t i) {
    const double *w = solve->weights[i].w;
    const int32_t *j = ((const rill_body_neighbours *)solve->stage->bodies->neighbours.data)[i].node;
    const double *pi = solve->pi, here = pi[i];
    return solve->outside[i] * here + ((w[0] * (here - pi[j[0]]) + w[1] * (here - pi[j[1]])) +
                                       (w[2] * (here - pi[j[2]]) + w[3] * (here - pi[j[3]])));
}

/* Finds r, what would be in each node at the end, less what fits; returns the largest. */
static double find_residual(const head_solve *solve) {
    const rill_body_stage *stage = solve->stage;
    const int32_t *far_faces = far_faces_of(solve);
    find_motion(solve);
    rill_bodies_find_room(stage, solve->pi, solve->contact, solve->r);
    for (size_t i = solve->first; i < solve->end; ++i) {
        if (solve->contact[i] > 1.0) { /* bodies that come into each other: more head must not make less room */
            solve->r[i] += (solve->contact[i] - 1.0) * solve->pi[i];
            solve->contact[i] = 1.0;
        }
        solve->r[i] = solve->target[i] - solve->r[i] - solve->compliance[i] * solve->contact[i] * solve->pi[i] -
                      outflow(solve, i);
    }
    if (solve->any_thin) soften_thin(solve);
    for (size_t i = 0; i < stage->island->far_count; ++i) {
        const rill_body_face *face = (const rill_body_face *)stage->bodies->faces.data + far_faces[i];
        const double moved = weight_of(solve, face) * (solve->pi[face->node_l] - solve->pi[face->node_r]);
        solve->r[face->node_l] -= moved;
        solve->r[face->node_r] += moved;
    }
    for (size_t i = stage->island->first_body; i < stage->island->end_body; ++i) {
        const rill_body *body = rill_body_in_order(stage->bodies, i);
        double beyond[6];
        for (int k = 0; k < 6; ++k)
            beyond[k] = (body->expected_twist[k] - body->new_twist[k]) * stage->dt / stage->flow->bed->quantum;
        scatter(stage->bodies, body, false, beyond, solve->r);
    }
    double largest = 0.0;
    for (size_t i = solve->first; i < solve->end; ++i) {
        const rill_body_node *node = node_at(solve, i);
        if (node->grounded) solve->contact[i] = 0.0, solve->r[i] = node->head_around - node->e - solve->pi[i];
        RILL_ASSERT(isfinite(solve->r[i]));
        RILL_ASSERT(solve->contact[i] >= 0.0 && solve->contact[i] <= 1.0);
        const double size = fabs(solve->r[i]);
        if (size > largest) largest = size;
    }
    return largest;
}

/* ----------------------------------------------------------------------------------------------------------- matrix */

static void find_diagonal(const head_solve *solve) {
    const rill_bodies *bodies = solve->stage->bodies;
    const rill_body_face *faces = bodies->faces.data;
    const int32_t *far_faces = far_faces_of(solve);
    for (size_t i = solve->first; i < solve->end; ++i) {
        const double *w = solve->weights[i].w;
        const double conducts = (w[0] + w[1]) + (w[2] + w[3]);
        solve->diagonal[i] =
            1.0 - solve->contact[i] + solve->compliance[i] * solve->contact[i] + (solve->outside[i] + conducts);
    }
    for (size_t i = 0; i < solve->stage->island->far_count; ++i) {
        const rill_body_face *face = &faces[far_faces[i]];
        solve->diagonal[face->node_l] += weight_of(solve, face);
        solve->diagonal[face->node_r] += weight_of(solve, face);
    }
}

/* Finds q = A p; returns p q. */
static double apply_matrix(void *context) {
    const head_solve *solve = context;
    const rill_body_stage *stage = solve->stage;
    const rill_bodies *bodies = stage->bodies;
    const rill_body_face *faces = bodies->faces.data;
    const rill_body_neighbours *neighbours = bodies->neighbours.data;
    const int32_t *far_faces = far_faces_of(solve);
    const double dx = stage->flow->bed->grid.cell_size,
                 low_rank = stage->dt * stage->dt * stage->density * stage->gravity * dx * dx;
    for (size_t i = solve->first; i < solve->end; ++i) {
        const double *w = solve->weights[i].w;
        const int32_t *j = neighbours[i].node;
        solve->q[i] = solve->diagonal[i] * solve->p[i] - ((w[0] * solve->p[j[0]] + w[1] * solve->p[j[1]]) +
                                                          (w[2] * solve->p[j[2]] + w[3] * solve->p[j[3]]));
    }
    for (size_t i = 0; i < solve->stage->island->far_count; ++i) {
        const rill_body_face *face = &faces[far_faces[i]];
        solve->q[face->node_l] -= weight_of(solve, face) * solve->p[face->node_r];
        solve->q[face->node_r] -= weight_of(solve, face) * solve->p[face->node_l];
    }
    for (size_t i = stage->island->first_body; i < stage->island->end_body; ++i) {
        const rill_body *body = rill_body_in_order(bodies, i);
        double wrench[6], moved[6] = { 0 };
        if (isinf(body->mass)) continue;
        gather(bodies, body, true, solve->p, wrench);
        rill_body_accelerate(body, wrench, low_rank, moved);
        scatter(bodies, body, true, moved, solve->q);
    }
    double sum = 0.0;
    for (size_t i = solve->first; i < solve->end; ++i) sum += solve->p[i] * solve->q[i];
    return sum;
}

static void find_preconditioner(const head_solve *solve) {
    const rill_body_neighbours *neighbours = solve->stage->bodies->neighbours.data;
    for (size_t i = solve->first; i < solve->end; ++i) {
        const double *w = solve->weights[i].w;
        double d = solve->diagonal[i];
        for (int k = 0; k < 2; ++k) {
            /* The fill-in by elimination of a lower node between this and its other higher neighbours is lumped. */
            const int32_t j = neighbours[i].node[k];
            const double *of = solve->weights[j].w;
            const double other = of[2] + of[3] - w[k];
            if (w[k] > 0.0) d -= w[k] * (w[k] + RILL_HEAD_MODIFIED * other) * solve->d[j];
        }
        if (!(d > 0.25 * solve->diagonal[i])) d = solve->diagonal[i];
        RILL_ASSERT(solve->diagonal[i] >= 0.0 && isfinite(d));
        solve->d[i] = d > 0.0 ? 1.0 / d : 0.0;
    }
}

/* Finds z = M^-1 r; returns r z. */
static double precondition_residual(void *context) {
    const head_solve *solve = context;
    const rill_body_neighbours *neighbours = solve->stage->bodies->neighbours.data;
    for (size_t i = solve->first; i < solve->end; ++i) {
        const double *w = solve->weights[i].w;
        const int32_t *j = neighbours[i].node;
        const double lower = w[0] > 0.0 ? w[0] * solve->z[j[0]] : 0.0;
        solve->z[i] = (solve->r[i] + (lower + (w[1] > 0.0 ? w[1] * solve->z[j[1]] : 0.0))) * solve->d[i];
    }
    double sum = 0.0;
    for (size_t i = solve->end; i-- > solve->first;) {
        const double *w = solve->weights[i].w;
        const int32_t *j = neighbours[i].node;
        solve->z[i] += (w[2] * solve->z[j[2]] + w[3] * solve->z[j[3]]) * solve->d[i];
        sum += solve->r[i] * solve->z[i];
    }
    return sum;
}

static void turn(void *context, double beta) {
    const head_solve *solve = context;
    if (beta == 0.0) {
        memcpy(solve->p + solve->first, solve->z + solve->first, (solve->end - solve->first) * sizeof *solve->p);
        return;
    }
    for (size_t i = solve->first; i < solve->end; ++i) solve->p[i] = solve->z[i] + beta * solve->p[i];
}

static double advance(void *context, double alpha) {
    const head_solve *solve = context;
    double largest = 0.0;
    for (size_t i = solve->first; i < solve->end; ++i) {
        solve->pi[i] += alpha * solve->p[i];
        solve->r[i] -= alpha * solve->q[i];
        const double size = fabs(solve->r[i]);
        largest = size > largest ? size : largest;
    }
    return largest;
}

/* Takes one step of Newton, pi += A^-1 r, roughly, from where `off` is the largest of r; returns the iterations. */
static int32_t newton_step(head_solve *solve, double off, double goal, int32_t most) {
    RILL_ASSERT(off > goal && goal > 0.0 && most > 0);
    const rill_cg_problem problem = { solve, precondition_residual, turn, apply_matrix, advance, (double)INFINITY };
    rill_cg_state state = { .largest = off };
    find_diagonal(solve);
    find_preconditioner(solve);
    return rill_cg_iterate(&problem, &state, goal, most);
}

/* Shortens a step that was too long: r is the slope of something convex, and points back then to where the step came
 * from. Goes to where it is neither, and returns what is off there. Without that, columns that are full in one step,
 * and are not in the next, would have steps go to and fro between them for ever. */
static double shorten(const head_solve *solve, double off) {
    double low = 0.0, high = 1.0, at = 1.0;
    for (int32_t i = 0; i < RILL_HEAD_HALVINGS; ++i) {
        double onwards = 0.0;
        for (size_t k = solve->first; k < solve->end; ++k) onwards += solve->r[k] * (solve->pi[k] - solve->last_pi[k]);
        if (at == 1.0 && onwards >= 0.0) return off;
        *(onwards < 0.0 ? &high : &low) = at;
        RILL_ASSERT(low >= 0.0 && low <= at && high <= 1.0 && low < high);
        const double next = 0.5 * (low + high);
        for (size_t k = solve->first; k < solve->end; ++k)
            solve->pi[k] = solve->last_pi[k] + next / at * (solve->pi[k] - solve->last_pi[k]);
        at = next;
        off = find_residual(solve);
    }
    return off;
}

/* Tells whether there is nothing to solve: heads stay as they are. */
static bool find_rest(const head_solve *solve) {
    for (size_t i = solve->first; i < solve->end; ++i) solve->pi[i] = 0.0;
    solve->stage->island->converged = true;
    return rill_body_island_hold_still(solve->stage, find_residual(solve));
}

const double *rill_bodies_solve_heads(const rill_body_stage *stage) {
    const rill_bed *bed = stage->flow->bed;
    const size_t n = stage->bodies->nodes.count, first = stage->island->first_node, end = stage->island->end_node;
    double *vectors = stage->bodies->vectors.data;
    head_solve solve = {
        .stage = stage, .first = first, .end = end, .pi = vectors, .contact = vectors + n, .target = vectors + 2 * n
    };
    solve.r = vectors + 3 * n;
    solve.z = vectors + 4 * n;
    solve.p = vectors + 5 * n;
    solve.q = vectors + 6 * n;
    solve.d = vectors + 7 * n;
    solve.diagonal = vectors + 8 * n;
    solve.compliance = vectors + 9 * n;
    solve.last_pi = vectors + 10 * n;
    solve.outside = vectors + 11 * n;
    solve.weights = (conductances *)(void *)(vectors + 12 * n);
    solve.force_unit = stage->density * stage->gravity * bed->quantum * bed->grid.cell_size * bed->grid.cell_size;
    for (size_t i = first; i < end; ++i)
        solve.in_passage |= node_at(&solve, i)->flooded || node_at(&solve, i)->first_touch < 0;
    RILL_ASSERT(stage->bodies->vectors.capacity >= RILL_BODY_VECTORS * n);
    solve.any_thin = find_aims(&solve);
    weigh_faces(&solve);
    stage->island->asleep = rill_body_island_may_sleep(stage) && find_rest(&solve);
    if (stage->island->asleep) return solve.pi;
    for (size_t i = first; i < end; ++i) solve.pi[i] = node_at(&solve, i)->pi;
    int32_t iterations = 0;
    double off = find_residual(&solve);
    RILL_ASSERT(off >= 0.0 && isfinite(off));
    const double tolerance =
        solve.in_passage ? RILL_HEAD_TOLERANCE
                         : fmin(fmax(RILL_HEAD_TOLERANCE, RILL_HEAD_TOLERANCE_SHARE * off), RILL_HEAD_TOLERANCE_MOST);
    for (int32_t pass = 0; pass < RILL_HEAD_PASSES && off > tolerance && iterations < RILL_HEAD_ITERATIONS; ++pass) {
        memcpy(solve.last_pi + first, solve.pi + first, (end - first) * sizeof *solve.last_pi);
        iterations += newton_step(&solve, off, 0.5 * tolerance, RILL_HEAD_ITERATIONS - iterations);
        off = find_residual(&solve);
        if (pass >= RILL_HEAD_WHOLE_STEPS) off = shorten(&solve, off);
    }
    stage->island->converged = off <= 64.0 * tolerance;
    return solve.pi;
}
