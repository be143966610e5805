/* The changes of head under bodies: Newton's method on the statement of bodies.h, whose steps are solved by conjugate
 * gradients (M. R. Hestenes, E. Stiefel 1952) with a modified incomplete Cholesky preconditioner (I. Gustafsson 1978).
 *
 * The equation is piecewise linear: it bends where liquid meets or leaves a quarter of a cell, which takes one step, two
 * when something slams. All sums run in the order of nodes and touches: the same bits everywhere. */
#include "bodies/bodies.h"

#include "base/simd.h"

#include <math.h>
#include <string.h>

enum { PASSES = 40, ITERATIONS = 600 };
enum { WHOLE_STEPS = 12 }; /* if these do not do, they may be going round in circles: later ones are cut short */
enum { HALVINGS = 6 };     /* to find where */
/* Quanta, and as a share of what is off to begin with: what remains is made good in the next sub-step. */
static const double TOLERANCE = 4.0, TOLERANCE_SHARE = 1e-3, TOLERANCE_MOST = 1024.0;
/* How much a column without a free surface gives, of what one with it does, so that a sealed one stays solvable: under a body,
 * under one in a flooded passage, and there under a ceiling alone. */
static const double SOFT = 1.0 / 4096.0, FIRM = 0x1p-14, HARD = 0x1p-26;
static const double THIN =
    1.0 / 32.0; /* cells: gaps as thin as this give as much as a free surface, lest they bear all */
static const double MUCH = 1.0 / 64.0; /* of what a free surface gives */
static const double MODIFIED = 0.97;

/* The conductances of a node's faces, as in rill_near. */
typedef struct weights {
    double w[4];
} weights;

typedef struct balance {
    const rill_body_stage *stage;
    size_t first, end;                            /* nodes */
    double *pi, *stiff, *aim, *r, *z, *p, *q, *d; /* d: of the preconditioner, inverted */
    double *diagonal;                             /* of A without its low rank */
    double *outside;                              /* what faces to columns that are no nodes conduct */
    double *last;                                 /* pi a step ago */
    double *soft;                                 /* how much a node gives under a body */
    weights *weights;
    double unit; /* N per quantum of head over a cell */
    bool joined; /* some nodes are of a flooded passage, */
    bool thin;   /* or give much */
} balance;

static const rill_node *node_of(const balance *b, size_t i) {
    return (const rill_node *)b->stage->bodies->nodes.data + i;
}

static const int32_t *far_of(const balance *b) {
    return (const int32_t *)b->stage->bodies->far.data + b->stage->island->first_face;
}

static double weight_of(const balance *b, const rill_body_face *face) {
    return (double)(b->stage->k->lambda * face->open * face->gain);
}

void rill_body_accelerate(const rill_body *body, const double load[6], double seconds, double out[6]) {
    if (isinf(body->mass)) return;
    for (int i = 0; i < 3; ++i) {
        const double *row = body->lighter + 3 * i;
        out[i] += seconds * load[i] / (i == 2 ? body->stiff : body->along);
        out[3 + i] += seconds * (row[0] * load[3] + row[1] * load[4] + row[2] * load[5]);
    }
}

/* sum of B_i x_i over a body's touches, with B or with its part along the bed: of the first `parts` components. */
static inline void gather_parts(const rill_bodies *bodies, const rill_body *body, bool all, int parts, const double *x,
                                double out[6]) {
    const rill_touch *touches = bodies->touches.data;
    double sum[6] = { 0 };
    for (int32_t t = body->first; t < body->end; ++t) {
        const float *b = all ? touches[t].b : touches[t].sideways;
        const double value = x[touches[t].acts];
        for (int k = 0; k < parts; ++k) sum[k] += (double)b[k] * value;
    }
    memcpy(out, sum, sizeof sum);
}

/* y_i += B_i.v over a body's touches. */
static inline void scatter_parts(const rill_bodies *bodies, const rill_body *body, bool all, int parts,
                                 const double v[6], double *y) {
    const rill_touch *touches = bodies->touches.data;
    double motion[6]; /* which y cannot be */
    memcpy(motion, v, sizeof motion);
    for (int32_t t = body->first; t < body->end; ++t) {
        const float *b = all ? touches[t].b : touches[t].sideways;
        double sum = 0.0;
        for (int k = 0; k < parts; ++k) sum += (double)b[k] * motion[k];
        y[touches[t].acts] += sum;
    }
}

/* Of a ball the others are zero; along the bed the third is, too. */
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

/* ----------------------------------------------------------------------------------------------------------- residual */

/* What each node should hold at the end, and how much it gives; returns whether some give much. What bodies take or leave by
 * moving must be made room for at once, or else they would move without pushing; what did not fit before that, because a body
 * was put where liquid was, little by little.
 *
 * What a node over a thin gap has given is `strained`, and stays so: it is a spring, whose push follows from how much more it
 * holds than fits. Were that made good in the next sub-step, its push would be the sum of that over time, which comes late by a
 * quarter of a swing, and what floats on a film would leap out of it as soon as sub-steps are shorter than such swings. What
 * is more than a cell of liquid could have given is none of that: a body was put there. */
static bool find_aims(const balance *b) {
    const rill_body_stage *s = b->stage;
    const rill_bed *bed = s->flow->bed;
    const double cell = bed->grid.cell_size / bed->quantum, thin = THIN * cell;
    const double most = 0.25 * sqrt(s->gravity * bed->grid.cell_size) * s->dt / bed->quantum;
    bool any = false;
    for (size_t i = b->first; i < b->end; ++i) {
        const rill_node *node = node_of(b, i);
        const double level = rill_node_level(node, node->e);
        const double gap = level - node->deep, share = gap > thin ? thin / gap : 1.0;
        b->soft[i] = node->yields ? SOFT + (1.0 - SOFT) * share * share : SOFT;
        if (node->flooded || (node->deep == 0.0 && !isinf(node->roof))) b->soft[i] = node->deep > 0.0 ? FIRM : HARD;
        any |= b->soft[i] > MUCH;
        const double has = (double)s->flow->H[node->place], before = has - (level - node->kept);
        const double given = rill_max_d(b->soft[i] - SOFT, 0.0) * rill_min_d(node->deep, cell);
        const double strained = before > given ? given : before < -given ? -given : before, left = before - strained;
        const double hurried = left > most ? left - most : left < -most ? left + most : 0.0;
        b->aim[i] = node->first >= 0 ? has - strained - hurried : has;
    }
    return any;
}

/* Conductances do not change while pi is sought, nor does what moves over faces without it: that is part of the aims. */
static void weigh_faces(const balance *b) {
    const rill_body_stage *s = b->stage;
    const rill_body_face *faces = s->bodies->faces.data;
    const rill_near *near = s->bodies->near.data;
    const double lambda = (double)s->k->lambda;
    for (size_t i = b->first; i < b->end; ++i) {
        for (int k = 0; k < 4; ++k)
            b->weights[i].w[k] = near[i].face[k] >= 0 ? weight_of(b, &faces[near[i].face[k]]) : 0.0;
        b->outside[i] = 0.0;
    }
    for (size_t f = s->island->first_face; f < s->island->end_face; ++f) {
        const int32_t l = faces[f].node_l, r = faces[f].node_r;
        const double moved = lambda * (double)faces[f].open * (double)faces[f].u;
        if (l >= 0) b->aim[l] -= moved;
        if (r >= 0) b->aim[r] += moved;
        if (l < 0 || r < 0) b->outside[l < 0 ? r : l] += weight_of(b, &faces[f]);
    }
}

/* The motion of bodies at heads changed by pi. */
static void find_motion(const balance *b) {
    const rill_body_stage *s = b->stage;
    rill_bodies_press(s, b->pi);
    for (size_t i = s->island->first_body; i < s->island->end_body; ++i) {
        rill_body *body = rill_body_in(s->bodies, i);
        double along[6];
        gather(s->bodies, body, false, b->pi, along);
        for (int k = 0; k < 6; ++k) body->load[k] += body->pushed[k] + b->unit * along[k];
        memcpy(body->moved, body->free, sizeof body->moved);
        rill_body_accelerate(body, body->load, s->dt, body->moved);
        if (isinf(body->mass)) rill_freight_weighs(&body->freight, s->gravity, body->load);
    }
}

/* A node under a body gives from where its head meets the body on: where it gives much, counted from the start that would be a
 * jump in r, over which Newton's steps go to and fro. */
static void soften(const balance *b) {
    for (size_t i = b->first; i < b->end; ++i) {
        const rill_node *node = node_of(b, i);
        const double e = node->e + b->pi[i];
        if (b->soft[i] <= MUCH || !isinf(node->roof)) continue;
        const double met =
            rill_node_will_displace(b->stage, node, e) - rill_node_will_displace(b->stage, node, node->e);
        b->r[i] += b->soft[i] * (b->stiff[i] * b->pi[i] - met);
    }
}

/* What pi moves out of a node, but for faces that are far. */
static double flow_out(const balance *b, size_t i) {
    const double *w = b->weights[i].w;
    const int32_t *j = ((const rill_near *)b->stage->bodies->near.data)[i].node;
    const double *pi = b->pi, here = pi[i];
    return b->outside[i] * here + ((w[0] * (here - pi[j[0]]) + w[1] * (here - pi[j[1]])) +
                                   (w[2] * (here - pi[j[2]]) + w[3] * (here - pi[j[3]])));
}

/* r = what would be in each node at the end, less what fits; returns the largest. */
static double find_residual(const balance *b) {
    const rill_body_stage *s = b->stage;
    const int32_t *far = far_of(b);
    find_motion(b);
    rill_bodies_contact(s, b->pi, b->stiff, b->r);
    for (size_t i = b->first; i < b->end; ++i) {
        if (b->stiff[i] > 1.0) { /* bodies that come into each other: more head must not make less room */
            b->r[i] += (b->stiff[i] - 1.0) * b->pi[i];
            b->stiff[i] = 1.0;
        }
        b->r[i] = b->aim[i] - b->r[i] - b->soft[i] * b->stiff[i] * b->pi[i] - flow_out(b, i);
    }
    if (b->thin) soften(b);
    for (size_t i = 0; i < s->island->far_count; ++i) {
        const rill_body_face *face = (const rill_body_face *)s->bodies->faces.data + far[i];
        const double moved = weight_of(b, face) * (b->pi[face->node_l] - b->pi[face->node_r]);
        b->r[face->node_l] -= moved;
        b->r[face->node_r] += moved;
    }
    for (size_t i = s->island->first_body; i < s->island->end_body; ++i) {
        const rill_body *body = rill_body_in(s->bodies, i);
        double beyond[6];
        for (int k = 0; k < 6; ++k) beyond[k] = (body->guess[k] - body->moved[k]) * s->dt / s->flow->bed->quantum;
        scatter(s->bodies, body, false, beyond, b->r);
    }
    double largest = 0.0;
    for (size_t i = b->first; i < b->end; ++i) {
        const rill_node *node = node_of(b, i);
        if (node->grounded) b->stiff[i] = 0.0, b->r[i] = node->around - node->e - b->pi[i];
        const double size = fabs(b->r[i]);
        if (size > largest) largest = size;
    }
    return largest;
}

/* ------------------------------------------------------------------------------------------------------------- matrix */

static void find_diagonal(const balance *b) {
    const rill_bodies *bodies = b->stage->bodies;
    const rill_body_face *faces = bodies->faces.data;
    const int32_t *far = far_of(b);
    for (size_t i = b->first; i < b->end; ++i) {
        const double *w = b->weights[i].w;
        const double conducts = (w[0] + w[1]) + (w[2] + w[3]);
        b->diagonal[i] = 1.0 - b->stiff[i] + b->soft[i] * b->stiff[i] + (b->outside[i] + conducts);
    }
    for (size_t i = 0; i < b->stage->island->far_count; ++i) {
        const rill_body_face *face = &faces[far[i]];
        b->diagonal[face->node_l] += weight_of(b, face);
        b->diagonal[face->node_r] += weight_of(b, face);
    }
}

/* q = A p; returns p q. */
static double apply(const balance *b) {
    const rill_body_stage *s = b->stage;
    const rill_bodies *bodies = s->bodies;
    const rill_body_face *faces = bodies->faces.data;
    const rill_near *near = bodies->near.data;
    const int32_t *far = far_of(b);
    const double dx = s->flow->bed->grid.cell_size, low_rank = s->dt * s->dt * s->density * s->gravity * dx * dx;
    for (size_t i = b->first; i < b->end; ++i) {
        const double *w = b->weights[i].w;
        const int32_t *j = near[i].node;
        b->q[i] = b->diagonal[i] * b->p[i] -
                  ((w[0] * b->p[j[0]] + w[1] * b->p[j[1]]) + (w[2] * b->p[j[2]] + w[3] * b->p[j[3]]));
    }
    for (size_t i = 0; i < b->stage->island->far_count; ++i) {
        const rill_body_face *face = &faces[far[i]];
        b->q[face->node_l] -= weight_of(b, face) * b->p[face->node_r];
        b->q[face->node_r] -= weight_of(b, face) * b->p[face->node_l];
    }
    for (size_t i = s->island->first_body; i < s->island->end_body; ++i) {
        const rill_body *body = rill_body_in(bodies, i);
        double load[6], moved[6] = { 0 };
        if (isinf(body->mass)) continue;
        gather(bodies, body, true, b->p, load);
        rill_body_accelerate(body, load, low_rank, moved);
        scatter(bodies, body, true, moved, b->q);
    }
    double sum = 0.0;
    for (size_t i = b->first; i < b->end; ++i) sum += b->p[i] * b->q[i];
    return sum;
}

static void precondition(const balance *b) {
    const rill_near *near = b->stage->bodies->near.data;
    for (size_t i = b->first; i < b->end; ++i) {
        const double *w = b->weights[i].w;
        double d = b->diagonal[i];
        for (int k = 0; k < 2; ++k) {
            /* What elimination of a lower node would fill in between this and its other higher neighbours is lumped. */
            const int32_t j = near[i].node[k];
            const double *of = b->weights[j].w;
            const double other = of[2] + of[3] - w[k];
            if (w[k] > 0.0) d -= w[k] * (w[k] + MODIFIED * other) * b->d[j];
        }
        if (!(d > 0.25 * b->diagonal[i])) d = b->diagonal[i];
        b->d[i] = d > 0.0 ? 1.0 / d : 0.0;
    }
}

/* z = preconditioned r; returns r z. */
static double smooth(const balance *b) {
    const rill_near *near = b->stage->bodies->near.data;
    for (size_t i = b->first; i < b->end; ++i) {
        const double *w = b->weights[i].w;
        const int32_t *j = near[i].node;
        const double lower = w[0] > 0.0 ? w[0] * b->z[j[0]] : 0.0;
        b->z[i] = (b->r[i] + (lower + (w[1] > 0.0 ? w[1] * b->z[j[1]] : 0.0))) * b->d[i];
    }
    double sum = 0.0;
    for (size_t i = b->end; i-- > b->first;) {
        const double *w = b->weights[i].w;
        const int32_t *j = near[i].node;
        b->z[i] += (w[2] * b->z[j[2]] + w[3] * b->z[j[3]]) * b->d[i];
        sum += b->r[i] * b->z[i];
    }
    return sum;
}

/* One step of Newton: pi += A^-1 r, roughly. */
static void improve(const balance *b, double goal, int32_t *iterations) {
    find_diagonal(b);
    precondition(b);
    double rz = smooth(b);
    memcpy(b->p + b->first, b->z + b->first, (b->end - b->first) * sizeof *b->p);
    while (rz > 0.0 && *iterations < ITERATIONS) {
        const double energy = apply(b);
        if (!(energy > 0.0)) return;
        const double alpha = rz / energy;
        double largest = 0.0;
        for (size_t i = b->first; i < b->end; ++i) {
            b->pi[i] += alpha * b->p[i];
            b->r[i] -= alpha * b->q[i];
            const double size = fabs(b->r[i]);
            largest = size > largest ? size : largest;
        }
        *iterations += 1;
        if (largest <= goal) return;
        const double next = smooth(b), beta = next / rz;
        for (size_t i = b->first; i < b->end; ++i) b->p[i] = b->z[i] + beta * b->p[i];
        rz = next;
    }
}

/* r is the slope of something convex: where it points back to where a step came from, the step was too long. Goes to where it is
 * neither, and returns what is off there. Without that, columns that are full in one step, and are not in the next, would
 * have steps go to and fro between them for ever. */
static double shorten(const balance *b, double off) {
    double low = 0.0, high = 1.0, at = 1.0;
    for (int32_t i = 0; i < HALVINGS; ++i) {
        double onwards = 0.0;
        for (size_t k = b->first; k < b->end; ++k) onwards += b->r[k] * (b->pi[k] - b->last[k]);
        if (at == 1.0 && onwards >= 0.0) return off;
        *(onwards < 0.0 ? &high : &low) = at;
        const double next = 0.5 * (low + high);
        for (size_t k = b->first; k < b->end; ++k) b->pi[k] = b->last[k] + next / at * (b->pi[k] - b->last[k]);
        at = next;
        off = find_residual(b);
    }
    return off;
}

/* Whether there is nothing to solve: heads stay as they are. */
static bool rest(const balance *b) {
    for (size_t i = b->first; i < b->end; ++i) b->pi[i] = 0.0;
    b->stage->island->converged = true;
    return rill_island_hold(b->stage, find_residual(b));
}

const double *rill_bodies_balance(const rill_body_stage *stage) {
    const rill_bed *bed = stage->flow->bed;
    const size_t n = stage->bodies->nodes.count, first = stage->island->first_node, end = stage->island->end_node;
    double *v = stage->bodies->vectors.data;
    balance b = { .stage = stage, .first = first, .end = end, .pi = v, .stiff = v + n, .aim = v + 2 * n };
    b.r = v + 3 * n;
    b.z = v + 4 * n;
    b.p = v + 5 * n;
    b.q = v + 6 * n;
    b.d = v + 7 * n;
    b.diagonal = v + 8 * n;
    b.soft = v + 9 * n;
    b.last = v + 10 * n;
    b.outside = v + 11 * n;
    b.weights = (weights *)(void *)(v + 12 * n);
    b.unit = stage->density * stage->gravity * bed->quantum * bed->grid.cell_size * bed->grid.cell_size;
    for (size_t i = first; i < end; ++i) b.joined |= node_of(&b, i)->flooded || node_of(&b, i)->first < 0;
    b.thin = find_aims(&b);
    weigh_faces(&b);
    stage->island->asleep = rill_island_may_sleep(stage) && rest(&b);
    if (stage->island->asleep) return b.pi;
    for (size_t i = first; i < end; ++i) b.pi[i] = node_of(&b, i)->pi;
    int32_t iterations = 0;
    double off = find_residual(&b);
    const double tolerance = b.joined ? TOLERANCE : fmin(fmax(TOLERANCE, TOLERANCE_SHARE * off), TOLERANCE_MOST);
    for (int32_t pass = 0; pass < PASSES && off > tolerance && iterations < ITERATIONS; ++pass) {
        memcpy(b.last + first, b.pi + first, (end - first) * sizeof *b.last);
        improve(&b, 0.5 * tolerance, &iterations);
        off = find_residual(&b);
        if (pass >= WHOLE_STEPS) off = shorten(&b, off);
    }
    stage->island->converged = off <= 64.0 * tolerance;
    return b.pi;
}
