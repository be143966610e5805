/* A camera that turns around a point, z up. */
#ifndef RILL_VIEWER_ORBIT_H
#define RILL_VIEWER_ORBIT_H

#include "render/render.h"
#include "rill/rill.h"

typedef struct rill_orbit {
    double centre[3];
    double turn, rise; /* radians: about z from the x axis, and above the horizon */
    double distance;
    double lens; /* mm on film 36 mm wide */
    double size; /* m: of what is looked at; limits of the distance follow from it */
} rill_orbit;

rill_orbit rill_orbit_from(const rill_camera *camera, double size);
rill_camera rill_orbit_camera(const rill_orbit *orbit);
/* Rotates by a drag over the picture, in parts of its height. */
void rill_orbit_rotate(rill_orbit *orbit, double dx, double dy);
void rill_orbit_pan(rill_orbit *orbit, double dx, double dy, double aspect);
void rill_orbit_zoom(rill_orbit *orbit, double notches);
/* Fits the view so that a box is seen whole, from the same side. */
void rill_orbit_fit(rill_orbit *orbit, const double low[3], const double high[3], double aspect);
/* Returns the ray through a point of the picture, -1 to 1, x to the right and y up; aspect is width / height. */
rill_ray rill_orbit_ray(const rill_orbit *orbit, double x, double y, double aspect);

#endif
