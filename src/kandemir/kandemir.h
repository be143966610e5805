/* KANDEMIR: the method of the same name, a tank of columns with pipes to all eight neighbours.
 *
 * Based on: Kandemir, Capin & Ozguc, "A Framework for Real-Time Animation of Liquid-Rigid Body Interaction", after
 * O'Brien & Hodgins 1995. With P in Pa, Q in m3/s, V the volume of a column, V_q its "viscosity quotient":
 *
 *   5.1, 5.2   P = rho g h + P_atmosphere + P_external
 *   5.3        F = dP = P_this - P_neighbour                     P_atmosphere is the same everywhere: it cancels
 *   6.1, 6.2   F_viscosity = V_q |dP|^2 dP, at most dP           printed 6.2 jumps; its text and Fig. 2 and 3 mean this
 *   5.4        Q = D Q + dt k (F - F_viscosity)                  D as a rate: what a second leaves, to the power dt
 *   5.5        k = A / (rho L)                                   printed A g / L, which is for a head, not a pressure
 *   5.6        V = V + dt sum(Q)                                 printed Q_t - Q_t-1 takes back every flow
 *   5.8        control points are the mean of four columns
 *   5.9        P_external = +f / (n dx dy) over the n columns that a body touches (bodies/kandemir_bodies.h)
 *
 * h is the level here, so that a lake on uneven ground rests; on the flat floor of a tank it is the same. All pipes
 * have one length L and one area A. Linear waves: dh/dt^2 = (A g / (L dx^2)) sum over 8 (h_j - h), so
 * c = sqrt(3 g A / L), and the shortest wave, along an axis, has w^2 = 12 A g / (L dx^2): stable for
 * dt < 2 / w = dx / c.
 *
 * Velocities Q / A are kept instead of Q: those along x and y are the flow's u and v, the diagonal ones are here, by
 * cells of the grid and not by places of the bed, so that they outlive any change of it. Volumes move in whole quanta
 * as everywhere: no column gives more than it has or takes more than it has room for (limit.h), and rounding is
 * dithered (move.h). */
#ifndef RILL_KANDEMIR_KANDEMIR_H
#define RILL_KANDEMIR_KANDEMIR_H

#include "base/assert.h"
#include "flow/flow.h"

struct rill_edge_flow; /* flow/stages.h */

/* No external pressure is larger, Pa: products of it are finite floats. */
#define RILL_PRESSURE_BOUND 1e12f

typedef struct rill_tank {
    int32_t cells[2];
    int32_t stride;   /* elements of a row of the planes below */
    size_t size;      /* of a plane */
    float *memory;    /* of all planes */
    float *ne, *nw;   /* m/s: from the south-west and from the south-east neighbour to this column */
    float *set;       /* Pa: external pressure that the user has set */
    float *bodies;    /* Pa: that bodies exert in this sub-step */
    float *before;    /* Pa: that they did in the sub-step before */
    float *external;  /* Pa: set + bodies; only while there is any */
    float *half[2];   /* Pa: half of what an acceleration drives a pipe along x, and along y, by */
    float *K;         /* limiter factors */
    uint8_t *flagged; /* per row: some K is not 1 */
    bool has_set, has_half, has_bodies;
} rill_tank;

/* Returns the index of a cell in the planes, -2 <= x <= cells[0] + 1 and -2 <= y <= cells[1] + 1: there is a ring of
 * ghosts, as in the bed. */
static inline size_t rill_tank_at(const rill_tank *tank, int32_t x, int32_t y) {
    RILL_ASSERT(x >= -2 && x <= tank->cells[0] + 1 && y >= -2 && y <= tank->cells[1] + 1);
    return (size_t)(y + 2) * (size_t)tank->stride + (size_t)(x + RILL_PAD_X + 1);
}

/* Makes a tank at rest; NULL without memory. */
rill_tank *rill_tank_make(const rill_grid *grid, const rill_allocator *allocator);
void rill_tank_free(rill_tank *tank, const rill_allocator *allocator); /* NULL is allowed */

/* Returns the controls with their defaults put in. */
rill_kandemir rill_tank_controls(const rill_kandemir *controls, double cell_size);
/* Returns the longest stable dt, dx / c; infinity without gravity. */
double rill_tank_limit(const rill_kandemir *controls, double cell_size, double gravity);

/* A sub-step. */
typedef struct rill_tank_step {
    rill_kandemir controls;
    double density;
    double gravity;    /* into the bed, m/s2 */
    double tangent[2]; /* along the bed, m/s2 */
    double slowed;     /* 1, or less: what waves are slowed to, because sub-steps are longer than they should be */
    double dt;
    bool scalar;
} rill_tank_step;
/* Moves the liquid; what crosses edges of the domain is added to flows[4]. */
void rill_tank_move(rill_tank *tank, rill_flow *flow, const rill_tank_step *step, struct rill_edge_flow *flows);

/* Stops all diagonal pipes, and lets no body press any more: the tank has been emptied. */
void rill_tank_stop_all(rill_tank *tank);
/* Stops the diagonal pipes of a cell: liquid that is put into a column is at rest. */
void rill_tank_stop(rill_tank *tank, int32_t x, int32_t y);
/* Prepares for bodies that press anew: their pressures are those of before now, and only part of them stays. */
void rill_tank_lift(rill_tank *tank, double kept);

/* Returns P_external of a cell, Pa. */
static inline double rill_tank_external(const rill_tank *tank, int32_t x, int32_t y) {
    const size_t at = rill_tank_at(tank, x, y);
    return (double)(tank->set[at] + tank->bodies[at]);
}

#endif
