/* Bodies with Kandemir's method: explicit, and upright but for drag. See kandemir/kandemir.h for the liquid.
 *
 * Based on: Kandemir, Capin & Ozguc, section 5.3. A body covers columns with areas a, in all n dx dy. It touches those
 * whose head, e = h + P_external / (rho g), is above its underside. With f the sum of its weight and of other forces on
 * it, downwards,
 *
 *   5.9   P_external = +f / (n dx dy)     on all columns that it covers, once it touches one; less where it covers
 *                                         only part of one. Printed with a minus and n = 4, but it presses, and on
 *                                         all of them
 *         F = rho g sum of a (e - under)  upwards; e - under is at most the height of the body there
 *
 * Pressure lowers the columns until h + P_external / (rho g) is the level around, so F is what Archimedes says. That
 * the head is meant and not the level, which lies at the underside then, keeps contact; it is that of the sub-step
 * before, so that nothing is solved for. A body whose motion is prescribed presses with the F of the moment.
 *
 * Two things keep light bodies from dancing for ever. Pressure follows f in the time in which a wave crosses half the
 * body: at once, and every touch would lift the liquid a little more than it had lowered it. And columns at the rim of
 * what is wet are pressed like the others: by what of the body is in each, they come and go and shake it.
 *
 * Explicit forces blow up for light bodies: the net force F - f, and torques, are divided by 1 + dt^2 rho g sum(a) / m,
 * which does not change where a body floats. A body loses speed relative to the liquid by form drag, 1/2 rho C_d sum(a)
 * |w| w, and by the vanishing quotient D, as the liquid does. Liquid is displaced by pressure alone. */
#ifndef RILL_BODIES_KANDEMIR_BODIES_H
#define RILL_BODIES_KANDEMIR_BODIES_H

#include "bodies/bodies.h"
#include "kandemir/kandemir.h"

/* The push of the liquid on a body. */
typedef struct rill_kandemir_push {
    double force;       /* N, upwards */
    double torque[2];   /* N m, about x and y through a point */
    double touched;     /* m2: sum of a where it is in the liquid */
    double covered;     /* m2: sum of a */
    double volume;      /* m3: of it in the liquid */
    double velocity[2]; /* m/s: mean of the liquid that it touches */
} rill_kandemir_push;

/* Forces on a body in these shades, torques about its centre of mass; and its report in `forces`. */
rill_kandemir_push rill_kandemir_body_push(const rill_body_stage *stage, const rill_tank *tank, double pipe_area,
                                           const rill_shade *shades, size_t count, const double centre[2],
                                           rill_body_forces *forces);
/* Lets it press with a force `down` on the columns it covers, `covered` m2 in all. */
void rill_kandemir_press(const rill_body_stage *stage, rill_tank *tank, const rill_shade *shades, size_t count,
                         double covered, double down);

/* The stage: all bodies are pushed and move, and press. Before the liquid moves. */
void rill_kandemir_bodies(const rill_body_stage *stage, rill_tank *tank, const rill_kandemir *controls);

#endif
