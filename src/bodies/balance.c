/* The changes of head under bodies: Newton's method on the statement of bodies.h, whose steps are solved by conjugate
 * gradients (M. R. Hestenes, E. Stiefel 1952) with a modified incomplete Cholesky preconditioner (I. Gustafsson 1978).
 *
 * The equation is piecewise linear: it bends where liquid meets or leaves a quarter of a cell, which takes one step, two
 * when something slams. All sums run in the order of nodes and touches: the same bits everywhere. */
#include "bodies/bodies.h"

#include <math.h>
#include <string.h>

enum { PASSES = 12, ITERATIONS = 400 };
static const double TOLERANCE = 2.0;       /* quanta */
static const double TOLERANCE_SHARE = 1e-8; /* of the deepest column */
static const double SOFT = 1.0 / 4096.0;   /* under a body, of what a free surface gives: keeps a sealed column solvable */
static const double MODIFIED = 0.97;

typedef struct balance {
    const rill_body_stage *stage;
    size_t n;
    double *pi, *stiff, *aim, *r, *z, *p, *q, *d; /* d: of the preconditioner, inverted */
    double tolerance;
    double unit; /* N per quantum of head over a cell */
} balance;

static const rill_node *node_of(const balance *b, size_t i) {
    return (const rill_node *)b->stage->bodies->nodes.data + i;
}

static double weight_of(const balance *b, const rill_body_face *face) {
    return (double)b->stage->k->lambda * (double)face->open * (double)face->gain;
}

void rill_body_accelerate(const rill_body *body, const double load[6], double seconds, double out[6]) {
    if (isinf(body->mass)) return;
    for (int i = 0; i < 3; ++i) {
        const double *row = body->lighter + 3 * i;
        out[i] += seconds * load[i] / body->mass;
        out[3 + i] += seconds * (row[0] * load[3] + row[1] * load[4] + row[2] * load[5]);
    }
}

/* ----------------------------------------------------------------------------------------------------------- residual */

/* What each node should hold at the end: what it has, less so much of what does not fit as cannot be made good at once. */
static void find_aims(const balance *b) {
    const rill_body_stage *s = b->stage;
    const rill_bed *bed = s->flow->bed;
    double fastest = 0.0;
    for (size_t i = 0; i < s->bodies->list.count; ++i) {
        const rill_body *body = rill_body_at(s->bodies, (int32_t)i);
        for (int k = 0; body->alive && k < 3; ++k) fastest = fmax(fastest, fabs(body->state.velocity[k]));
    }
    const double most = (0.25 * sqrt(s->gravity * bed->grid.cell_size) + fastest) * s->dt / bed->quantum;
    for (size_t i = 0; i < b->n; ++i) {
        const rill_node *node = node_of(b, i);
        const double fits = node->e - rill_node_displaced(s->bodies, node, node->e);
        const double has = (double)s->flow->H[node->place], off = has - fits;
        b->aim[i] = off > most ? fits + most : off < -most ? fits - most : has;
    }
}

/* The motion of bodies at heads changed by pi. */
static void find_motion(const balance *b) {
    const rill_body_stage *s = b->stage;
    const rill_touch *touches = s->bodies->touches.data;
    for (size_t i = 0; i < s->bodies->list.count; ++i) {
        rill_body *body = rill_body_at(s->bodies, (int32_t)i);
        memcpy(body->load, body->pushed, sizeof body->load);
    }
    rill_bodies_press(s, b->pi);
    for (size_t t = 0; t < s->bodies->touches.count; ++t) {
        rill_body *body = rill_body_at(s->bodies, touches[t].body);
        const double force = b->unit * b->pi[touches[t].node];
        for (int k = 0; k < 6; ++k) body->load[k] += force * touches[t].sideways[k];
    }
    for (size_t i = 0; i < s->bodies->list.count; ++i) {
        rill_body *body = rill_body_at(s->bodies, (int32_t)i);
        if (!body->alive) continue;
        memcpy(body->moved, body->free, sizeof body->moved);
        rill_body_accelerate(body, body->load, s->dt, body->moved);
    }
}

/* r = what would be in each node at the end, less what fits; returns the largest. */
static double find_residual(const balance *b) {
    const rill_body_stage *s = b->stage;
    const rill_body_face *faces = s->bodies->faces.data;
    const rill_touch *touches = s->bodies->touches.data;
    find_motion(b);
    rill_bodies_contact(s, b->pi, b->stiff, b->r);
    for (size_t i = 0; i < b->n; ++i) b->r[i] = b->aim[i] - b->r[i] - SOFT * b->stiff[i] * b->pi[i];
    for (size_t f = 0; f < s->bodies->faces.count; ++f) {
        const rill_body_face *face = &faces[f];
        const double l = face->node_l >= 0 ? b->pi[face->node_l] : 0.0, r = face->node_r >= 0 ? b->pi[face->node_r] : 0.0;
        const double moved =
            (double)s->k->lambda * (double)face->open * ((double)face->u + (double)face->gain * (l - r));
        if (face->node_l >= 0) b->r[face->node_l] -= moved;
        if (face->node_r >= 0) b->r[face->node_r] += moved;
    }
    for (size_t t = 0; t < s->bodies->touches.count; ++t) {
        const rill_body *body = rill_body_at(s->bodies, touches[t].body);
        double opened = 0.0;
        for (int k = 0; k < 6; ++k) opened += touches[t].sideways[k] * (body->moved[k] - body->guess[k]);
        b->r[touches[t].node] -= opened * s->dt / s->flow->bed->quantum;
    }
    double largest = 0.0;
    for (size_t i = 0; i < b->n; ++i) largest = fmax(largest, fabs(b->r[i]));
    return largest;
}

/* ------------------------------------------------------------------------------------------------------------- matrix */

/* q = A p. */
static void apply(const balance *b) {
    const rill_body_stage *s = b->stage;
    const rill_body_face *faces = s->bodies->faces.data;
    const rill_touch *touches = s->bodies->touches.data;
    const double dx = s->flow->bed->grid.cell_size, low_rank = s->dt * s->dt * s->density * s->gravity * dx * dx;
    for (size_t i = 0; i < b->n; ++i) b->q[i] = (1.0 - b->stiff[i] + SOFT * b->stiff[i]) * b->p[i];
    for (size_t f = 0; f < s->bodies->faces.count; ++f) {
        const rill_body_face *face = &faces[f];
        const double l = face->node_l >= 0 ? b->p[face->node_l] : 0.0, r = face->node_r >= 0 ? b->p[face->node_r] : 0.0;
        const double moved = weight_of(b, face) * (l - r);
        if (face->node_l >= 0) b->q[face->node_l] += moved;
        if (face->node_r >= 0) b->q[face->node_r] -= moved;
    }
    for (size_t i = 0; i < s->bodies->list.count; ++i) memset(rill_body_at(s->bodies, (int32_t)i)->load, 0, sizeof(double[6]));
    for (size_t t = 0; t < s->bodies->touches.count; ++t) {
        double *load = rill_body_at(s->bodies, touches[t].body)->load;
        for (int k = 0; k < 6; ++k) load[k] += touches[t].b[k] * b->p[touches[t].node];
    }
    for (size_t i = 0; i < s->bodies->list.count; ++i) {
        rill_body *body = rill_body_at(s->bodies, (int32_t)i);
        memset(body->moved, 0, sizeof body->moved);
        rill_body_accelerate(body, body->load, low_rank, body->moved);
    }
    for (size_t t = 0; t < s->bodies->touches.count; ++t) {
        const double *moved = rill_body_at(s->bodies, touches[t].body)->moved;
        double sum = 0.0;
        for (int k = 0; k < 6; ++k) sum += touches[t].b[k] * moved[k];
        b->q[touches[t].node] += sum;
    }
}

/* The diagonal of A without its low rank, to begin with; then that of the preconditioner, inverted. */
static void precondition(const balance *b) {
    const rill_body_stage *s = b->stage;
    const rill_body_face *faces = s->bodies->faces.data;
    const rill_half *halves = s->bodies->halves.data;
    for (size_t i = 0; i < b->n; ++i) b->d[i] = 1.0 - b->stiff[i] + SOFT * b->stiff[i];
    for (size_t f = 0; f < s->bodies->faces.count; ++f) {
        const double w = weight_of(b, &faces[f]);
        if (faces[f].node_l >= 0) b->d[faces[f].node_l] += w;
        if (faces[f].node_r >= 0) b->d[faces[f].node_r] += w;
    }
    for (size_t i = 0; i < b->n; ++i) {
        const int32_t first = node_of(b, i)->half;
        const int32_t end = i + 1 < b->n ? node_of(b, i + 1)->half : (int32_t)s->bodies->halves.count;
        const double whole = b->d[i];
        double d = whole;
        for (int32_t h = first; h < end; ++h) {
            const size_t j = (size_t)halves[h].node;
            if (j >= i) continue;
            const double w = weight_of(b, &faces[halves[h].face]);
            /* What elimination of j would fill in between i and its other later neighbours is lumped. */
            d -= w * (w + MODIFIED * (b->z[j] - w)) * b->d[j];
        }
        double later = 0.0;
        for (int32_t h = first; h < end; ++h)
            if ((size_t)halves[h].node > i) later += weight_of(b, &faces[halves[h].face]);
        b->z[i] = later;
        if (!(d > 0.25 * whole)) d = whole;
        b->d[i] = d > 0.0 ? 1.0 / d : 0.0;
    }
}

/* z = preconditioned r. */
static void smooth(const balance *b) {
    const rill_body_stage *s = b->stage;
    const rill_body_face *faces = s->bodies->faces.data;
    const rill_half *halves = s->bodies->halves.data;
    for (size_t i = 0; i < b->n; ++i) {
        const int32_t first = node_of(b, i)->half;
        const int32_t end = i + 1 < b->n ? node_of(b, i + 1)->half : (int32_t)s->bodies->halves.count;
        double sum = b->r[i];
        for (int32_t h = first; h < end; ++h)
            if ((size_t)halves[h].node < i) sum += weight_of(b, &faces[halves[h].face]) * b->z[halves[h].node];
        b->z[i] = sum * b->d[i];
    }
    for (size_t i = b->n; i-- > 0;) {
        const int32_t first = node_of(b, i)->half;
        const int32_t end = i + 1 < b->n ? node_of(b, i + 1)->half : (int32_t)s->bodies->halves.count;
        double sum = 0.0;
        for (int32_t h = first; h < end; ++h)
            if ((size_t)halves[h].node > i) sum += weight_of(b, &faces[halves[h].face]) * b->z[halves[h].node];
        b->z[i] += sum * b->d[i];
    }
}

static double product(const balance *b, const double *x, const double *y) {
    double sum = 0.0;
    for (size_t i = 0; i < b->n; ++i) sum += x[i] * y[i];
    return sum;
}

/* One step of Newton: pi += A^-1 r, roughly. */
static void improve(const balance *b, double goal, int32_t *iterations) {
    precondition(b);
    smooth(b);
    memcpy(b->p, b->z, b->n * sizeof *b->p);
    double rz = product(b, b->r, b->z);
    while (rz > 0.0 && *iterations < ITERATIONS) {
        apply(b);
        const double energy = product(b, b->p, b->q);
        if (!(energy > 0.0)) return;
        const double alpha = rz / energy;
        double largest = 0.0;
        for (size_t i = 0; i < b->n; ++i) {
            b->pi[i] += alpha * b->p[i];
            b->r[i] -= alpha * b->q[i];
            largest = fmax(largest, fabs(b->r[i]));
        }
        *iterations += 1;
        if (largest <= goal) return;
        smooth(b);
        const double next = product(b, b->r, b->z), beta = next / rz;
        for (size_t i = 0; i < b->n; ++i) b->p[i] = b->z[i] + beta * b->p[i];
        rz = next;
    }
}

const double *rill_bodies_balance(const rill_body_stage *stage, bool *converged) {
    const rill_bed *bed = stage->flow->bed;
    const size_t n = stage->bodies->nodes.count;
    double *v = stage->bodies->vectors.data;
    balance b = { .stage = stage, .n = n, .pi = v,         .stiff = v + n,     .aim = v + 2 * n, .r = v + 3 * n,
                  .z = v + 4 * n, .p = v + 5 * n, .q = v + 6 * n, .d = v + 7 * n };
    b.unit = stage->density * stage->gravity * bed->quantum * bed->grid.cell_size * bed->grid.cell_size;
    b.tolerance = TOLERANCE + TOLERANCE_SHARE * (double)stage->flow->extent.depth;
    memset(b.pi, 0, n * sizeof *b.pi);
    find_aims(&b);
    int32_t iterations = 0;
    double off = find_residual(&b);
    for (int32_t pass = 0; pass < PASSES && off > b.tolerance && iterations < ITERATIONS; ++pass) {
        improve(&b, 0.5 * b.tolerance, &iterations);
        off = find_residual(&b);
    }
    *converged = off <= 64.0 * b.tolerance;
    return b.pi;
}
