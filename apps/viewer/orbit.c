/* See the header. The picture's width is what the lens decides: half of it is 18 mm / lens at distance 1, as in the
 * renderer. */
#include "orbit.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const double STEEPEST = 1.52; /* radians: the renderer has no "up" when looking straight down */
static const double NOTCH = 0.88;    /* of the distance, per notch of the wheel */

rill_orbit rill_orbit_from(const rill_camera *camera, double size) {
    rill_orbit orbit = { .lens = camera->lens, .size = size };
    double d[3], flat;
    for (int k = 0; k < 3; ++k) d[k] = camera->from[k] - camera->to[k];
    memcpy(orbit.centre, camera->to, sizeof orbit.centre);
    flat = hypot(d[0], d[1]);
    orbit.distance = hypot(flat, d[2]);
    orbit.turn = atan2(d[1], d[0]);
    orbit.rise = fmin(fmax(atan2(d[2], flat), -STEEPEST), STEEPEST);
    return orbit;
}

/* Unit vectors from the centre to the eye, to the right and up. */
static void axes(const rill_orbit *orbit, double back[3], double right[3], double up[3]) {
    double ct = cos(orbit->turn), st = sin(orbit->turn), cr = cos(orbit->rise), sr = sin(orbit->rise);
    const double b[3] = { cr * ct, cr * st, sr }, r[3] = { -st, ct, 0 }, u[3] = { -sr * ct, -sr * st, cr };
    memcpy(back, b, sizeof b);
    memcpy(right, r, sizeof r);
    memcpy(up, u, sizeof u);
}

rill_camera rill_orbit_camera(const rill_orbit *orbit) {
    rill_camera camera = { .lens = orbit->lens };
    double back[3], right[3], up[3];
    axes(orbit, back, right, up);
    for (int k = 0; k < 3; ++k) {
        camera.to[k] = orbit->centre[k];
        camera.from[k] = orbit->centre[k] + orbit->distance * back[k];
    }
    return camera;
}

void rill_orbit_rotate(rill_orbit *orbit, double dx, double dy) {
    orbit->turn = remainder(orbit->turn - PI * dx, 2 * PI);
    orbit->rise = fmin(fmax(orbit->rise + PI * dy, -STEEPEST), STEEPEST);
}

void rill_orbit_pan(rill_orbit *orbit, double dx, double dy, double aspect) {
    double back[3], right[3], up[3];
    double height = 36 / orbit->lens / aspect * orbit->distance; /* of the picture, at the centre */
    axes(orbit, back, right, up);
    for (int k = 0; k < 3; ++k) orbit->centre[k] += height * (dy * up[k] - dx * right[k]);
}

void rill_orbit_zoom(rill_orbit *orbit, double notches) {
    double distance = orbit->distance * pow(NOTCH, notches);
    orbit->distance = fmin(fmax(distance, 0.02 * orbit->size), 20 * orbit->size);
}

void rill_orbit_fit(rill_orbit *orbit, const double low[3], const double high[3], double aspect) {
    double back[3], right[3], up[3], needed = 0, half = 18 / orbit->lens;
    axes(orbit, back, right, up);
    for (int k = 0; k < 3; ++k) orbit->centre[k] = (low[k] + high[k]) / 2;
    for (int corner = 0; corner < 8; ++corner) {
        double x = 0, y = 0, z = 0; /* to the right, up, towards the eye */
        for (int k = 0; k < 3; ++k) {
            double d = (corner >> k & 1 ? high[k] : low[k]) - orbit->centre[k];
            x += d * right[k];
            y += d * up[k];
            z += d * back[k];
        }
        needed = fmax(needed, z + fmax(fabs(x) / half, fabs(y) * aspect / half));
    }
    orbit->distance = 1.05 * needed;
}

rill_ray rill_orbit_ray(const rill_orbit *orbit, double x, double y, double aspect) {
    double back[3], right[3], up[3], half = 18 / orbit->lens;
    rill_ray ray;
    axes(orbit, back, right, up);
    for (int k = 0; k < 3; ++k) {
        ray.origin[k] = orbit->centre[k] + orbit->distance * back[k];
        ray.direction[k] = -back[k] + half * x * right[k] + half / aspect * y * up[k];
    }
    return ray;
}
