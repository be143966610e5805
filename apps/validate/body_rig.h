/* Shared by the cases of floating bodies: a rig with bodies in it. Failures are sticky, as those of the rig. */
#ifndef RILL_VALIDATE_BODY_RIG_H
#define RILL_VALIDATE_BODY_RIG_H

#include "rig.h"

/* Builds a rig of nx * ny cells, liquid of a depth at rest in all of it. */
bool rill_rig_tank(rill_rig *rig, double depth);
bool rill_rig_put(rill_rig *rig, const rill_body_def *def, rill_body_id *out);
/* Returns the state of a body; zeros once the rig has failed. */
rill_body_state rill_rig_body(rill_rig *rig, rill_body_id id);
bool rill_rig_set_body(rill_rig *rig, rill_body_id id, const rill_body_state *state);
/* Does one step in which a body is free in heave alone: its velocity along the bed is taken away. */
bool rill_rig_heave(rill_rig *rig, rill_body_id id, double dt);
/* Returns the mean depth of the cells along the walls, where no body is. Looks. */
double rill_rig_level(rill_rig *rig);
/* Returns the largest speed of any point within `reach` of a body's centre. */
double rill_rig_body_speed(const rill_body_state *state, double reach);
/* Makes a turn about one axis, degrees. */
void rill_rig_turn(double orientation[4], int axis, double degrees);
/* Return where a body's own x points, seen from above, and how far its own z leans away from the vertical; degrees. */
double rill_rig_heading(const rill_body_state *state);
double rill_rig_lean(const rill_body_state *state);

#endif
