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

double rill_body_speed_at(const double motion[6], int axis, const double r[3]) {
    double b[6] = { 0 }, sum = 0.0;
    rill_along(axis, r, 1.0, b);
    for (int i = 0; i < 6; ++i) sum += b[i] * motion[i];
    return sum;
}

void rill_body_push(rill_body *body, int axis, const double r[3], double force) {
    rill_along(axis, r, force, body->load);
}

/* ------------------------------------------------------------------------------------------------------------- upright */

static void quarter_arm(const rill_body_stage *s, const rill_node *node, const rill_body *body, int q, double r[3]) {
    const double quarter = 0.25 * s->flow->bed->grid.cell_size;
    r[0] = node->at[0] + (q & 1 ? quarter : -quarter) - body->expected[0];
    r[1] = node->at[1] + (q & 2 ? quarter : -quarter) - body->expected[1];
    r[2] = 0.0;
}

/* How far a quarter of a body comes up in the sub-step with a motion, quanta. */
static double lift_of(const rill_body_stage *s, const double motion[6], const double r[3]) {
    return rill_body_speed_at(motion, 2, r) * s->dt / s->flow->bed->quantum;
}

void rill_bodies_press(const rill_body_stage *s, const double *pi) {
    const double unit = s->density * s->gravity * s->flow->bed->quantum * s->flow->bed->grid.cell_size *
                        s->flow->bed->grid.cell_size;
    const rill_touch *touches = s->bodies->touches.data;
    const rill_node *nodes = s->bodies->nodes.data;
    for (size_t i = 0; i < s->bodies->touches.count; ++i) {
        const rill_touch *t = &touches[i];
        const rill_node *node = &nodes[t->node];
        rill_body *body = rill_body_at(s->bodies, t->body);
        const double e = node->e + pi[t->node];
        for (int q = 0; q < 4; ++q) {
            double r[3];
            if (t->part[q] == 0.0f) continue;
            quarter_arm(s, node, body, q, r);
            const double lift = lift_of(s, body->guess, r); /* back to where it is: the stable way to integrate */
            const double low = (double)t->low[q] - lift, high = (double)t->high[q] - lift;
            if (e <= low) continue;
            rill_body_push(body, 2, r, unit * (double)t->part[q] * ((e < high ? e : high) - low));
        }
    }
}

void rill_bodies_contact(const rill_body_stage *s, const double *pi, double *stiff, double *room) {
    rill_touch *touches = s->bodies->touches.data;
    const rill_node *nodes = s->bodies->nodes.data;
    for (size_t n = 0; n < s->bodies->nodes.count; ++n) stiff[n] = 0.0, room[n] = nodes[n].e + pi[n];
    for (size_t i = 0; i < s->bodies->touches.count; ++i) {
        rill_touch *t = &touches[i];
        const rill_node *node = &nodes[t->node];
        const rill_body *body = rill_body_at(s->bodies, t->body);
        const double e = node->e + pi[t->node];
        double beyond[6];
        for (int k = 0; k < 6; ++k) beyond[k] = body->moved[k] - body->guess[k];
        memcpy(t->b, t->sideways, sizeof t->b);
        for (int q = 0; q < 4; ++q) {
            const double part = (double)t->part[q];
            double r[3];
            if (part == 0.0) continue;
            quarter_arm(s, node, body, q, r);
            const double lift = lift_of(s, beyond, r), low = (double)t->low[q] + lift, high = (double)t->high[q] + lift;
            if (e <= low) continue;
            room[t->node] -= part * ((e < high ? e : high) - low);
            if (e >= high) continue;
            rill_along(2, r, part, t->b);
            stiff[t->node] += part;
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
    for (int i = 0; i < 2; ++i) grip->arm[i] = 0.5 * (l->at[i] + r->at[i]) - body->expected[i];
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
    rill_along(face->axis, grip->arm, grip->displaced * q / dx, grip->l->sideways);
    rill_along(face->axis, grip->arm, -grip->displaced * q / dx, grip->r->sideways);
    const double force = s->density * s->gravity * q * q * dx * grip->displaced * slope;
    rill_along(face->axis, grip->arm, force, rill_body_at(s->bodies, grip->body)->pushed);
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
}
