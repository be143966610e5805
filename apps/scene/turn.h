/* Turns as unit quaternions x, y, z, w, and as angles. */
#ifndef RILL_SCENE_TURN_H
#define RILL_SCENE_TURN_H

/* Degrees about x, then y, then z. */
void rill_turn_of(const double rotate[3], double out[4]);
/* Turns a vector: the vector after the turn. */
void rill_turn_vector(const double turn[4], const double v[3], double out[3]);
/* Finds the angular velocity, rad/s, that takes one orientation to another in a time, the short way. */
void rill_turn_angular_velocity(const double from[4], const double to[4], double dt, double out[3]);

#endif
