/* CONTROL: liquid is drawn into shapes.
 *
 * Based on: Wang, Miller & Turk 2007, section 7: an external pressure that grows with the distance d from a target
 * shape is like a terrain of which the shape is the valley. Here as a potential, pressure over density:
 *
 *     Phi = strength (sqrt(d^2 + s^2) - s),     d = 0 inside,
 *
 * with a rim rounded over s = one cell: a step of its slope would ripple. The distance is exact, between centres of
 * cells, and found once (the paper marches; distance_transform.h). Pressure alone lets liquid bead up inside, so that a
 * shape may also say by which angle liquid meets solids inside of it and outside. */
#ifndef RILL_WAVES_CONTROL_H
#define RILL_WAVES_CONTROL_H

#include "base/message.h"
#include "bed/bed.h"

typedef struct rill_control {
    char *name;           /* owned */
    rill_control_def def; /* name as above; its arrays are not kept */
    uint8_t *inside;      /* per cell, 1: in the shape */
    float *slide;         /* per cell: sqrt(d^2 + s^2) - s, m */
    size_t cells;         /* of both */
    uint16_t generation;
    bool alive;
    bool active; /* it acts now: in its time window */
    void *user;
} rill_control;

/* Finds the cells of a definition's shape, and their distances. `inside` has a place for each cell of the grid. */
rill_result rill_control_draw(const rill_control_def *def, const rill_grid *grid, uint8_t *inside,
                              rill_message *message);
/* Finds the distances of a shape that is drawn; false without memory. */
bool rill_control_measure(const uint8_t *inside, const rill_grid *grid, float *slide, const rill_allocator *allocator);
void rill_control_free(rill_control *control, const rill_allocator *allocator);

/* Whether a control acts at a time. */
static inline bool rill_control_is_due(const rill_control *control, double now) {
    return control->alive && now >= control->def.from && now < control->def.until;
}

/* Returns the contact angle that an active control gives a cell; not given: it has no say. */
static inline const rill_contact_angle *rill_control_angle(const rill_control *control, size_t cell) {
    return control->inside[cell] ? &control->def.inside : &control->def.outside;
}

#endif
