/* The exact profile of a liquid at a wall, and angles, by plain arithmetic: the same bits everywhere (meniscus.h).
 *
 * With t = tan(phi / 4) the profile is x / l_c = -ln t - 2 (1 - t^2) / (1 + t^2), so exp(-x / l_c) is a constant times
 *     t exp(-4 t^2 / (1 + t^2)),
 * which is greatest where the surface is vertical, at t = sqrt(2) - 1; q is its share of that. */
#include "meniscus/meniscus.h"

#include "base/power.h"

#include <math.h>

static const double EULER = 2.71828182845904523536;
static const double STEEPEST = 0.41421356237309504880; /* t where the surface is vertical */
static const double UNIT = 4.3369009431544319;         /* makes q 1 there */

static double decay_of(double t) {
    return UNIT * t * rill_power(EULER, -4.0 * t * t / (1.0 + t * t));
}

void rill_profile_make(float table[RILL_PROFILE + 1]) {
    for (int i = 0; i <= RILL_PROFILE; ++i) {
        const double s = (double)i / RILL_PROFILE, q = 1.0 - s * s;
        double low = 0.0, high = STEEPEST;
        for (int k = 0; k < 48; ++k) {
            const double middle = 0.5 * (low + high);
            if (decay_of(middle) < q)
                low = middle;
            else
                high = middle;
        }
        table[i] = (float)(0.5 * (low + high));
    }
    table[0] = (float)STEEPEST;
    table[RILL_PROFILE] = 0.0f;
}

double rill_profile_tangent(double phi) {
    const double x = 0.25 * phi, s = x * x;
    RILL_ASSERT(phi >= 0.0 && phi <= RILL_QUARTER_TURN);
    return x * (1.0 + s * (1.0 / 3 + s * (2.0 / 15 + s * (17.0 / 315 + s * (62.0 / 2835 + s * (1382.0 / 155925))))));
}

double rill_profile_decay(double t) {
    const double x = -4.0 * t * t / (1.0 + t * t);
    double e = 1.0;
    for (int k = 10; k >= 1; --k) e = 1.0 + e * x / k;
    return fmin(UNIT * t * e, 1.0);
}
