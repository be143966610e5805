/* How bodies and heads push each other: B and the forces, see bodies.h.
 *
 *   upright    part of a column that is in contact: room opens by part * (v + spin x r)_z, force rho g A D
 *   sideways   a body that moves along x takes D_f with it over each face, the mean of both columns: room opens by
 *              D_f / dx (v + spin x r)_x on one side and closes on the other, and the heads push with rho g dx D_f (e_l - e_r)
 * The same numbers go both ways, so that no energy is made. And what a slope of the heads does to body and liquid together
 * is what it does to a whole depth of liquid, e: it sums up to nothing but pressure on walls. */
#include "bodies/bodies.h"

#include <math.h>
#include <string.h>

void rill_along(int axis, const double r[3], double factor, double out[6]) {
    static const int NEXT[3] = { 1, 2, 0 };
    const int j = NEXT[axis], k = NEXT[j];
    out[axis] += factor; /* (spin x r)_axis = spin_j r_k - spin_k r_j */
    out[3 + j] += factor * r[k];
    out[3 + k] -= factor * r[j];
}

/* Pressure does not turn what is round: on a sphere, and about the axis of a cylinder or capsule, all of it passes through
 * the middle. Columns, which know the body only by quarters of cells, would say otherwise by a little; nothing resists
 * such a spin, and so it would grow. */
static void keep_round(const rill_body *body, double six[6]) {
    const rill_body_shape shape = body->form.shape;
    const double *turn = body->shaded_at.turn, *middle = body->form.middle;
    double m[3], about[3];
    if (shape != RILL_BODY_SPHERE && shape != RILL_BODY_CYLINDER && shape != RILL_BODY_CAPSULE) return;
    for (int i = 0; i < 3; ++i)
        m[i] = turn[3 * i] * middle[0] + turn[3 * i + 1] * middle[1] + turn[3 * i + 2] * middle[2];
    about[0] = m[1] * six[2] - m[2] * six[1] - six[3];
    about[1] = m[2] * six[0] - m[0] * six[2] - six[4];
    about[2] = m[0] * six[1] - m[1] * six[0] - six[5];
    const double axis[3] = { turn[2], turn[5], turn[8] };
    const double along = axis[0] * about[0] + axis[1] * about[1] + axis[2] * about[2];
    for (int i = 0; i < 3; ++i) six[3 + i] += shape == RILL_BODY_SPHERE ? about[i] : along * axis[i];
}

double rill_body_speed_at(const double motion[6], int axis, const double r[3]) {
    double b[6] = { 0 }, sum = 0.0;
    rill_along(axis, r, 1.0, b);
    for (int i = 0; i < 6; ++i) sum += b[i] * motion[i];
    return sum;
}

void rill_body_push(rill_body *body, int axis, const double r[3], double force) {
    rill_along(axis, r, force, body->load);
}

static const double MOST_CHANGE = 0.1; /* of a body's motion in a sub-step, to keep accounts */

/* ------------------------------------------------------------------------------------------------------------- upright */

/* How far the quarters of a touch come up in the sub-step with a motion, quanta. */
static void find_lifts(const rill_body_stage *s, const rill_touch *t, const double motion[6], double lifts[4]) {
    const double scale = s->dt / s->flow->bed->quantum, quarter = 0.25 * s->flow->bed->grid.cell_size;
    const double middle = motion[2] + motion[3] * (double)t->arm[1] - motion[4] * (double)t->arm[0];
    const double east = -motion[4] * quarter, north = motion[3] * quarter;
    lifts[0] = (middle - east - north) * scale;
    lifts[1] = (middle + east - north) * scale;
    lifts[2] = (middle - east + north) * scale;
    lifts[3] = (middle + east + north) * scale;
}

/* Adds what the parts of quarters have at their places to the upright component and the two turns that go with it. */
static void add_upright(const rill_body_stage *s, const rill_touch *t, const double parts[4], double out[6]) {
    const double quarter = 0.25 * s->flow->bed->grid.cell_size;
    const double sum = (parts[0] + parts[1]) + (parts[2] + parts[3]);
    const double east = (parts[1] + parts[3]) - (parts[0] + parts[2]), north = (parts[2] + parts[3]) - (parts[0] + parts[1]);
    out[2] += sum;
    out[3] += sum * (double)t->arm[1] + north * quarter;
    out[4] -= sum * (double)t->arm[0] + east * quarter;
}

/* The upright forces on a body at heads changed by pi (NULL: not), where it is `back` of the way back from where it is
 * expected. */
static void press(const rill_body_stage *s, const rill_body *body, const double *pi, double back, double out[6]) {
    const double dx = s->flow->bed->grid.cell_size, unit = s->density * s->gravity * s->flow->bed->quantum * dx * dx;
    const rill_touch *touches = s->bodies->touches.data;
    const rill_node *nodes = s->bodies->nodes.data;
    double six[6] = { 0 };
    for (int32_t k = body->first; k < body->end; ++k) {
        const rill_touch *t = &touches[k];
        const double e = nodes[t->node].e + (pi ? pi[t->node] : 0.0);
        double lifts[4], parts[4];
        find_lifts(s, t, body->guess, lifts);
        for (int q = 0; q < 4; ++q) {
            const double low = (double)t->low[q] - back * lifts[q], high = (double)t->high[q] - back * lifts[q];
            parts[q] = e > low ? (double)t->part[q] * ((e < high ? e : high) - low) : 0.0;
        }
        add_upright(s, t, parts, six);
    }
    keep_round(body, six);
    for (int k = 0; k < 6; ++k) out[k] += six[k] * unit;
}

void rill_bodies_press(const rill_body_stage *s, const double *pi) {
    for (size_t i = 0; i < s->bodies->list.count; ++i) {
        rill_body *body = rill_body_at(s->bodies, (int32_t)i);
        memset(body->load, 0, sizeof body->load);
        if (body->alive) press(s, body, pi, 1.0, body->load); /* where it is: the stable way to integrate */
    }
}

void rill_bodies_contact(const rill_body_stage *s, const double *pi, double *stiff, double *room) {
    rill_touch *touches = s->bodies->touches.data;
    const rill_node *nodes = s->bodies->nodes.data;
    for (size_t n = 0; n < s->bodies->nodes.count; ++n) stiff[n] = 0.0, room[n] = nodes[n].e + pi[n];
    for (size_t i = 0; i < s->bodies->list.count; ++i) {
        const rill_body *body = rill_body_at(s->bodies, (int32_t)i);
        double beyond[6];
        if (!body->alive) continue;
        for (int k = 0; k < 6; ++k) beyond[k] = body->moved[k] - body->guess[k];
        for (int32_t k = body->first; k < body->end; ++k) {
            rill_touch *t = &touches[k];
            const double e = nodes[t->node].e + pi[t->node];
            double lifts[4], parts[4], upright[6] = { 0 }, taken = 0.0;
            find_lifts(s, t, beyond, lifts);
            for (int q = 0; q < 4; ++q) {
                const double low = (double)t->low[q] + lifts[q], high = (double)t->high[q] + lifts[q];
                taken += e > low ? (double)t->part[q] * ((e < high ? e : high) - low) : 0.0;
                parts[q] = e > low && e < high ? (double)t->part[q] : 0.0;
            }
            add_upright(s, t, parts, upright);
            keep_round(body, upright);
            for (int c = 0; c < 6; ++c) t->b[c] = t->sideways[c] + (float)upright[c];
            room[t->node] -= taken;
            stiff[t->node] += upright[2];
        }
    }
}

/* ------------------------------------------------------------------------------------------------------------ sideways */

static rill_touch *touch_of(const rill_bodies *bodies, const rill_node *node, int32_t body) {
    rill_touch *touches = bodies->touches.data;
    for (int32_t i = node->first; i >= 0; i = touches[i].next)
        if (touches[i].body == body) return &touches[i];
    return NULL;
}

double rill_touch_displaced(const rill_touch *t, double e) {
    double sum = 0.0;
    for (int q = 0; q < 4; ++q) {
        const double low = (double)t->low[q], high = (double)t->high[q];
        if (e > low) sum += (double)t->part[q] * ((e < high ? e : high) - low);
    }
    return sum;
}

double rill_node_displaced(const rill_bodies *bodies, const rill_node *node, double e) {
    const rill_touch *touches = bodies->touches.data;
    double sum = 0.0;
    for (int32_t i = node->first; i >= 0; i = touches[i].next) sum += rill_touch_displaced(&touches[i], e);
    return sum;
}

/* The mean height of a body's underside over both columns of a face, quanta. */
static double underside(const rill_touch *l, int32_t base_l, const rill_touch *r, int32_t base_r) {
    double part = 0.0, sum = 0.0;
    for (int q = 0; q < 4; ++q) {
        part += (double)l->part[q] + (double)r->part[q];
        sum += (double)l->part[q] * ((double)base_l + (double)l->low[q]);
        sum += (double)r->part[q] * ((double)base_r + (double)r->low[q]);
    }
    return part > 0.0 ? sum / part : 0.0;
}

/* A body at a face between two nodes; false if it is above the liquid. */
static bool find_grip(const rill_body_stage *s, int32_t index, int32_t touch, rill_body_grip *grip) {
    const rill_bed *bed = s->flow->bed;
    const rill_body_face *face = (const rill_body_face *)s->bodies->faces.data + index;
    const rill_node *nodes = s->bodies->nodes.data, *l = &nodes[face->node_l], *r = &nodes[face->node_r];
    rill_touch *at_l = (rill_touch *)s->bodies->touches.data + touch, *at_r = touch_of(s->bodies, r, at_l->body);
    if (!at_r) return false;
    *grip = (rill_body_grip){ .face = index, .body = at_l->body, .l = at_l, .r = at_r };
    grip->displaced = 0.5 * (rill_touch_displaced(at_l, l->e) + rill_touch_displaced(at_r, r->e));
    if (!(grip->displaced > 0.0)) return false;
    const rill_body *body = rill_body_at(s->bodies, grip->body);
    for (int i = 0; i < 2; ++i) grip->arm[i] = 0.5 * ((double)at_l->arm[i] + (double)at_r->arm[i]);
    const double under = underside(at_l, l->base, at_r, r->base);
    const double middle = 0.5 * ((double)l->base + l->e + (double)r->base + r->e);
    grip->under = bed->datum + under * bed->quantum - body->expected[2];
    grip->arm[2] = bed->datum + 0.5 * (under + middle) * bed->quantum - body->expected[2];
    return true;
}

static void couple_grip(const rill_body_stage *s, const rill_body_grip *grip) {
    const rill_bed *bed = s->flow->bed;
    const rill_body_face *face = (const rill_body_face *)s->bodies->faces.data + grip->face;
    const double dx = bed->grid.cell_size, q = bed->quantum;
    const rill_node *nodes = s->bodies->nodes.data, *l = &nodes[face->node_l], *r = &nodes[face->node_r];
    const double slope = (double)l->base + l->e - (double)r->base - r->e;
    rill_body *body = rill_body_at(s->bodies, grip->body);
    double six[6] = { 0 };
    rill_along(face->axis, grip->arm, grip->displaced * q / dx, six);
    keep_round(body, six);
    for (int k = 0; k < 6; ++k) grip->l->sideways[k] += (float)six[k], grip->r->sideways[k] -= (float)six[k];
    const double force = s->density * s->gravity * q * q * dx * grip->displaced * slope;
    rill_along(face->axis, grip->arm, force, body->pushed);
}

void rill_bodies_couple(const rill_body_stage *s) {
    rill_bodies *bodies = s->bodies;
    rill_touch *touches = bodies->touches.data;
    rill_body_grip *grips = bodies->grips.data;
    const rill_body_face *faces = bodies->faces.data;
    const rill_node *nodes = bodies->nodes.data;
    for (size_t i = 0; i < bodies->touches.count; ++i) memset(touches[i].sideways, 0, sizeof touches[i].sideways);
    for (size_t i = 0; i < bodies->list.count; ++i)
        memset(rill_body_at(bodies, (int32_t)i)->pushed, 0, sizeof(double[6]));
    bodies->grips.count = 0;
    for (size_t f = 0; f < bodies->faces.count; ++f) {
        if (faces[f].node_l < 0 || faces[f].node_r < 0) continue;
        for (int32_t i = nodes[faces[f].node_l].first; i >= 0; i = touches[i].next)
            if (bodies->grips.count < bodies->grips.capacity &&
                find_grip(s, (int32_t)f, i, &grips[bodies->grips.count]))
                couple_grip(s, &grips[bodies->grips.count++]);
    }
    for (size_t i = 0; i < bodies->list.count; ++i) {
        rill_body *body = rill_body_at(bodies, (int32_t)i);
        if (body->alive) keep_round(body, body->pushed);
    }
}

/* ------------------------------------------------------------------------------------------------------------- energy */

/* The energy of what a body displaces, J: rho g A times the integral of D up to the head. */
static double displaced_energy(const rill_body_stage *s, const rill_body *body) {
    const double dx = s->flow->bed->grid.cell_size, q2 = s->flow->bed->quantum * s->flow->bed->quantum;
    const rill_touch *touches = s->bodies->touches.data;
    const rill_node *nodes = s->bodies->nodes.data;
    double sum = 0.0;
    for (int32_t k = body->first; k < body->end; ++k) {
        const rill_touch *t = &touches[k];
        const double e = nodes[t->node].e;
        for (int q = 0; q < 4; ++q) {
            const double high = (double)t->high[q], deep = (e < high ? e : high) - (double)t->low[q];
            if (deep <= 0.0) continue;
            sum += (double)t->part[q] * deep * (0.5 * deep + (e > high ? e - high : 0.0));
        }
    }
    return sum * s->density * s->gravity * dx * dx * q2;
}

void rill_bodies_store(const rill_body_stage *s) {
    for (size_t i = 0; i < s->bodies->list.count; ++i) {
        rill_body *body = rill_body_at(s->bodies, (int32_t)i);
        if (body->alive) body->stored = displaced_energy(s, body);
    }
}

/* Columns know a body by quarters of cells: when it turns or slides, what they say it displaces does not change just as B
 * says, and the difference would be work that nobody does. Bodies that rock would rock more and more. */
void rill_bodies_account(const rill_body_stage *s) {
    for (size_t i = 0; i < s->bodies->list.count; ++i) {
        rill_body *body = rill_body_at(s->bodies, (int32_t)i);
        double force[6] = { 0 }, momentum[6], power = 0.0, twice_energy = 0.0;
        if (!body->alive || isinf(body->mass) || isnan(body->stored)) continue;
        press(s, body, NULL, 1.0, force);
        press(s, body, NULL, 0.0, force);
        for (int k = 0; k < 3; ++k) {
            const double *row = body->heavier + 3 * k, *spin = body->guess + 3;
            momentum[k] = body->mass * body->guess[k];
            momentum[3 + k] = row[0] * spin[0] + row[1] * spin[1] + row[2] * spin[2];
        }
        for (int k = 0; k < 6; ++k) {
            power += (0.5 * force[k] + body->pushed[k]) * body->guess[k];
            twice_energy += momentum[k] * body->guess[k];
        }
        const double missing = (body->stored - displaced_energy(s, body)) / s->dt - power;
        if (!(twice_energy > 0.0)) continue;
        double rate = missing / twice_energy;
        rate = rate * s->dt > MOST_CHANGE ? MOST_CHANGE / s->dt : rate * s->dt < -MOST_CHANGE ? -MOST_CHANGE / s->dt : rate;
        for (int k = 0; k < 6; ++k) body->pushed[k] += rate * momentum[k];
    }
}
