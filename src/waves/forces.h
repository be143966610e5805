/* FORCES: all that drives liquid from outside, besides gravity and bodies: fields that the user sets, controls
 * (control.h), brushes. They are kept by cells of the grid, which no change of the bed moves, and summed up for each
 * column; the flow is driven by the sums (flow/push.h), and so is a tank (kandemir.h). */
#ifndef RILL_WAVES_FORCES_H
#define RILL_WAVES_FORCES_H

#include "base/array.h"
#include "flow/flow.h"
#include "waves/control.h"

/* The field of a layer, or of all that have none of their own. */
typedef struct rill_force_layer {
    int32_t layer;         /* RILL_ALL_LAYERS */
    double *pressures;     /* Pa, per cell; NULL for none */
    double *accelerations; /* m/s2, two per cell; NULL for none */
} rill_force_layer;

typedef struct rill_forces {
    size_t cells;
    rill_array layers;   /* rill_force_layer, by layer */
    double mean[2];      /* m2/s2 per m: mean acceleration of the field, if there is but one: it has a potential */
    rill_array controls; /* rill_control, slots by id */
    size_t controls_free;
    rill_array brushes; /* rill_brush: for the next step alone */
} rill_forces;

/* Numbers that turn a field into heads. */
typedef struct rill_force_scale {
    double density; /* kg/m3 */
    double gravity; /* into the bed, m/s2 */
    double most;    /* no brush accelerates by more, m/s2 */
    bool brushes;   /* they act now */
} rill_force_scale;

/* Sum of all that acts on a column. */
typedef struct rill_force {
    double pressure;        /* Pa */
    double acceleration[2]; /* m/s2 */
} rill_force;

rill_forces rill_forces_make(const rill_grid *grid);
void rill_forces_free(rill_forces *forces, const rill_allocator *allocator);

/* Whether there is anything that may act, now or later. */
bool rill_forces_any(const rill_forces *forces);
/* Whether any field accelerates. */
bool rill_forces_accelerate(const rill_forces *forces);

/* Copies a field, checked before, in the place of the one that its layer had, or of all; false without memory. */
bool rill_forces_set(rill_forces *forces, const rill_force_field *field, const rill_allocator *allocator);
/* Finds the mean acceleration, after fields were set. What accelerates evenly has a potential, as tilted gravity has; and the solve
 * of tension, which is cut short, is exact for potentials alone. */
void rill_forces_find_mean(rill_forces *forces);
/* Forgets the fields of all layers. */
void rill_forces_clear(rill_forces *forces, const rill_allocator *allocator);

/* Switches controls on and off as time goes on; true if one has changed. */
bool rill_forces_switch(rill_forces *forces, double now);

/* Returns what acts on a column of a cell. */
rill_force rill_forces_at(const rill_forces *forces, const rill_bed *bed, const rill_force_scale *scale, int32_t x,
                          int32_t y, int32_t layer);
/* Sums up what acts on the columns of `cells` and drives their faces by it. The flow has memory for it. */
void rill_forces_apply(const rill_forces *forces, const rill_force_scale *scale, rill_flow *flow,
                       const rill_area *cells, bool wake);
/* The cells that brushes reach. */
rill_area rill_forces_brushed(const rill_forces *forces, const rill_grid *grid);

/* Returns the contact angle that the last active control with a say gives a cell; NULL: none does. */
const rill_contact_angle *rill_forces_contact_angle(const rill_forces *forces, size_t cell);

#endif
