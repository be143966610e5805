/* What bodies carry along: liquid that lies on them (deck_flow.c), and liquid that has to follow them up and down, of which columns
 * do not tell by themselves.
 *
 *   sunk      What is above a body comes down beside it when it rises, all within one column. Half of what is displaced takes
 *             part in that, which is exact for a sphere far from walls (H. Lamb, Hydrodynamics, 6th edition, art. 92): let go,
 *             it starts with g (1 - s) / (s + 1/2), however small its relative density s.
 *   afloat    A layer of g dt^2 / 2 keeps what is light from being thrown farther in a sub-step than those can tell. Turning takes
 *             twice that along: it is driven from where the body would be if it went on as it did, and a thin plate of draft d
 *             rocks more in each sub-step unless g dt^2 / (d + layer) < 4/3.
 *
 *   light     What weighs less than a shallow layer, and less than a tenth of what it could displace, as a bubble of foil, has no
 *             inertia to speak of but that of the liquid around it: half of what a disc as large as what is wet of it has to move
 *             on either side of it (Lamb, art. 102), and along the bed half of what it displaces, but for flooded passages, whose
 *             columns tell of all of it. Without that, it would leave the liquid as fast as sub-steps are short. The less is
 *             missing to be no longer light, the less of it there is; what is heavier has nothing of it.
 *
 *   aboard    All of it goes wherever the body does, and weighs on it where it lies.
 *
 * Such liquid moves as the body does. What newly joins is at rest: a body that dives is slowed down by it (Th. von Karman, NACA
 * TN 321, 1929). What is left behind keeps its motion. So energy is only ever lost.
 *
 * Beside a body that is over a few cells only, heads do not follow it within a sub-step; such a body is `small`, and moves by
 * the buoyancy it will have (coupling.c). So does what is light: it would bob within sub-steps that cannot follow it. */
#include "bodies/bodies.h"

#include <math.h>

static const double SHARE = 0.5;    /* of what is displaced */
static const double LAYER = 0.5;    /* of g dt^2 */
static const double TURNING = 2.0;  /* layers */
static const double SMALL = 4.0;    /* cells */
static const double LIGHT = 4.0;    /* g dt^2: a layer */
static const double SHALLOW = 0.05; /* of the root of the area that it is over: another */
static const double DISC = 0.4244;  /* 4 / (3 pi): of the radius of what is wet */
static const double FOAM = 0.1;     /* of the density of the liquid */
static const double FADE = 16.0;    /* times what is missing to weigh as much as that */

typedef struct cargo {
    double mass;       /* kg */
    double xx, yy, xy; /* its inertia, kg m2 */
    double cells;      /* that the body is over */
    double wet;        /* those in which it is in the liquid */
    double displaced;  /* kg */
    double around;     /* sum of squares of arms over these cells, m2 */
    double along, zz;  /* what goes along the bed with what is light, kg, and its inertia, kg m2 */
} cargo;

/* None of it turns with a `round` one. */
static inline cargo sum_cargo(const rill_body_stage *s, const rill_body *body, bool round) {
    const rill_touch *touches = s->bodies->touches.data;
    const rill_piece *pieces = s->bodies->pieces.data;
    const rill_node *nodes = s->bodies->nodes.data;
    const double dx = s->flow->bed->grid.cell_size, layer = LAYER * s->gravity * s->dt * s->dt;
    cargo sum = { 0 };
    for (int32_t i = body->first; i < body->end; ++i) {
        const double e = nodes[touches[i].node].e;
        for (int32_t k = touches[i].first; k < touches[i].end; ++k) {
            const rill_piece *p = &pieces[k];
            const double low = (double)p->low, high = (double)p->high, x = (double)p->arm[0], y = (double)p->arm[1];
            sum.cells += (double)p->part;
            if (e <= low) continue;
            const double thick = e < high ? 0.0 : SHARE * (high - low) * s->flow->bed->quantum;
            const double mass = s->density * dx * dx * (double)p->part * (thick > layer ? thick : layer);
            sum.mass += mass;
            if (round) continue;
            const double turns = fmax(mass, TURNING * s->density * dx * dx * (double)p->part * layer);
            sum.xx += turns * y * y;
            sum.yy += turns * x * x;
            sum.xy -= turns * x * y;
        }
    }
    return sum;
}

static cargo find_cargo(const rill_body_stage *s, const rill_body *body) {
    return body->form.shape == RILL_BODY_SPHERE ? sum_cargo(s, body, true) : sum_cargo(s, body, false);
}

/* What of a light body is in the liquid. */
static void find_wet(const rill_body_stage *s, const rill_body *body, cargo *sum) {
    const rill_touch *touches = s->bodies->touches.data;
    const rill_piece *pieces = s->bodies->pieces.data;
    const rill_node *nodes = s->bodies->nodes.data;
    const double dx = s->flow->bed->grid.cell_size;
    for (int32_t i = body->first; i < body->end; ++i) {
        const double e = nodes[touches[i].node].e, open = nodes[touches[i].node].flooded ? 0.0 : 1.0;
        for (int32_t k = touches[i].first; k < touches[i].end; ++k) {
            const rill_piece *p = &pieces[k];
            const double low = (double)p->low, high = (double)p->high, x = (double)p->arm[0], y = (double)p->arm[1];
            if (e <= low) continue;
            sum->wet += (double)p->part;
            sum->displaced += open * (double)p->part * ((e < high ? e : high) - low);
            sum->around += (double)p->part * (x * x + y * y);
        }
    }
    sum->displaced *= s->density * dx * dx * s->flow->bed->quantum;
}

/* How much less it weighs than what is not light, kg; negative if it is not. */
static double lacks(const rill_body_stage *s, const rill_body *body, const cargo *c) {
    const double dx = s->flow->bed->grid.cell_size, area = c->cells * dx * dx;
    return fmax(LIGHT * s->gravity * s->dt * s->dt, SHALLOW * sqrt(area)) * s->density * area - body->mass;
}

/* Whether it weighs so little beside what it could displace that its own inertia does not count; thin plates do. */
static bool is_foam(const rill_body_stage *s, const rill_body *body) {
    return body->mass < FOAM * s->density * body->form.volume;
}

/* Whether it would bob within sub-steps that cannot follow it. */
static bool bobs(const rill_body_stage *s, const rill_body *body, const cargo *c) {
    const double dx = s->flow->bed->grid.cell_size;
    return body->mass < LIGHT * s->gravity * s->dt * s->dt * s->density * c->cells * dx * dx;
}

/* What goes with a body that is so much too light. */
static void burden(const rill_body_stage *s, const rill_body *body, double lacking, cargo *c) {
    find_wet(s, body, c);
    const double dx = s->flow->bed->grid.cell_size, area = c->wet * dx * dx, most = FADE * lacking;
    const double disc = fmin(DISC * sqrt(area / 3.141592653589793) * area * s->density, most);
    if (c->wet == 0.0) return;
    if (disc > c->mass) {
        const double more = disc / c->mass;
        c->mass = disc;
        c->xx *= more, c->yy *= more, c->xy *= more;
    }
    c->along = fmin(SHARE * c->displaced, most);
    c->zz = c->along * c->around / c->wet;
}

/* Its spin with what it carries along, `kept` of which turns already, and with what lies on it, of which `joined` does; by the
 * weight of that. Turning a sphere moves no liquid. */
static void turn_along(const rill_body_stage *s, rill_body *body, const cargo *c, double kept, double joined) {
    const double more[9] = { c->xx, c->xy, 0.0, c->xy, c->yy, 0.0, 0.0, 0.0, c->zz }, *spin = body->state.spin;
    const double *aboard = body->freight.inertia;
    double momentum[3], weight[6] = { 0 };
    if (body->form.shape == RILL_BODY_SPHERE) return;
    rill_freight_weighs(&body->freight, s->gravity, weight);
    rill_body_keep_round(body, weight);
    for (int i = 0; i < 3; ++i) {
        const double *own = body->own + 3 * i, *row = more + 3 * i;
        momentum[i] = own[0] * spin[0] + own[1] * spin[1] + own[2] * spin[2];
        momentum[i] += kept * (row[0] * spin[0] + row[1] * spin[1] + row[2] * spin[2]);
        momentum[i] += joined * (aboard[3 * i] * spin[0] + aboard[3 * i + 1] * spin[1] + aboard[3 * i + 2] * spin[2]);
        momentum[i] += s->dt * weight[3 + i];
    }
    for (int i = 0; i < 9; ++i) body->heavier[i] += more[i] + aboard[i];
    rill_body_invert(body->heavier, body->lighter);
    for (int i = 0; i < 3; ++i) {
        const double *row = body->lighter + 3 * i;
        body->free[3 + i] = row[0] * momentum[0] + row[1] * momentum[1] + row[2] * momentum[2];
    }
}

void rill_bodies_carry(const rill_body_stage *s) {
    for (size_t i = s->island->first_body; i < s->island->end_body; ++i) {
        rill_body *body = rill_body_in(s->bodies, i);
        const double aboard = body->freight.mass, joined = aboard <= body->laden ? 1.0 : body->laden / aboard;
        body->laden = aboard;
        if (isinf(body->mass)) continue;
        cargo c = find_cargo(s, body);
        const double lacking = is_foam(s, body) ? lacks(s, body, &c) : 0.0;
        if (lacking > 0.0) burden(s, body, lacking, &c);
        const double kept = body->fresh || c.mass <= body->carried ? 1.0 : body->carried / c.mass;
        body->carried = c.mass;
        body->small = c.cells < SMALL || lacking > 0.0 || bobs(s, body, &c);
        if (c.mass == 0.0 && aboard == 0.0) continue;
        body->along = body->mass + c.along + aboard;
        body->upright = body->stiff = body->mass + c.mass + aboard;
        const double *v = body->state.velocity,
                     slope = s->gravity * s->flow->bed->quantum / s->flow->bed->grid.cell_size;
        for (int k = 0; aboard + c.along > 0.0 && k < 2; ++k) {
            const double pull = s->dt * slope * (double)s->k->tilt[k], with = kept * c.along * v[k];
            body->free[k] = (body->mass * body->free[k] + with + aboard * (joined * v[k] + pull)) / body->along;
        }
        const double lifted = kept * c.mass * v[2] + aboard * (joined * v[2] - s->dt * s->gravity);
        body->free[2] = (body->mass * body->free[2] + lifted) / body->upright;
        turn_along(s, body, &c, kept, joined);
    }
}
