/* PUSH: what drives faces besides levels and gravity: force fields, as heads.
 *
 * A column has a potential Phi (its pressure over the density, m2/s2) and an acceleration a along the bed. Its west and
 * south face are driven by the levels at their ends, by tilted gravity, and besides by
 *
 *     F = (Phi_l - Phi_r) / (g_n q)  +  (a_l + a_r) / 2  dx / (g_n q)        quanta of head
 *
 * Potentials are whole quanta of head, and so are the halves of accelerations: round any loop of faces the first part is
 * zero to the quantum, so that a lake in a potential rests exactly; a field that is the same everywhere is as good as
 * tilted gravity. Where no field is set nothing is taken, nothing is read, and the kernels are those without.
 *
 * Not pushed are bodies, and liquid that lies on them. */
#ifndef RILL_FLOW_PUSH_H
#define RILL_FLOW_PUSH_H

#include "bed/bed.h"

struct rill_flow;

/* No face is pushed by more, quanta: with heads and tilt that stays a whole number of 32 bits. */
#define RILL_PUSH_MOST (1 << 28)

typedef struct rill_push {
    int32_t *west, *south; /* planes: heads of faces, quanta; NULL until there is a field */
    double *potential;     /* plane: whole quanta, at most 2^52 of them */
    int32_t *half[2];      /* planes: half of what an acceleration adds to a face along x, and along y, quanta */
    bool on;               /* some face is pushed */
    double unit;           /* g_n q, m2/s2 per quantum; q where there is no gravity into the bed */
    int32_t steepest;      /* largest |F_west| + |F_south| of a column, quanta */
    double lowest;         /* potential of some column, quanta */
    double along[2];       /* of a potential that goes on over the edges: quanta per cell by which it falls */
} rill_push;

/* Takes memory for the flow's bed, unless there is; everything is 0. False without. */
bool rill_push_make(struct rill_flow *flow, const rill_allocator *allocator);
void rill_push_free(struct rill_flow *flow, const rill_allocator *allocator);

/* Finds the heads of all faces and sparse pipes at columns of `cells` from the columns' potentials and accelerations,
 * which are set there. Wakes what is wet at those that change, if asked to. */
void rill_push_find(struct rill_flow *flow, const rill_area *cells, bool wake);

#endif
