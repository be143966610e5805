/* Exact solutions.
 *
 * Based on:
 *   Ritter, A. (1892). Die Fortpflanzung der Wasserwellen. Zeitschrift VDI 36, 947-954 (dry dam break).
 *   Stoker, J. J. (1957). Water Waves, section 10.8 (wet dam break).
 *   Thacker, W. C. (1981). Some exact solutions to the nonlinear shallow-water wave equations. J. Fluid Mech. 107,
 *     499-508.
 *   Nusselt, W. (1916). Die Oberflaechenkondensation des Wasserdampfes. Zeitschrift VDI 60, 541-546.
 *   Huppert, H. E. (1982). The propagation of two-dimensional and axisymmetric viscous gravity currents over a rigid
 *     horizontal surface. J. Fluid Mech. 121, 43-58.
 *   Belanger's critical flow over a broad crest, as in Chow, V. T. (1959). Open-Channel Hydraulics, section 3-7. */
#include "exact_solutions.h"

#include <math.h>

/* Returns what is left over when a middle depth is tried: speed behind the rarefaction minus speed behind the shock.
 * Falls monotonically with the depth. */
static double dam_mismatch(const rill_dam *dam, double depth) {
    double g = dam->gravity, hr = dam->right;
    double rarefaction = 2 * (sqrt(g * dam->left) - sqrt(g * depth));
    double shock = (depth - hr) * sqrt(g * (depth + hr) / (2 * depth * hr));
    return rarefaction - shock;
}

rill_dam rill_exact_dam(double gravity, double left, double right) {
    rill_dam dam = { .gravity = gravity, .left = left, .right = right };
    double celerity = sqrt(gravity * left);
    if (right <= 0) {
        dam.right = 0;
        dam.speed = dam.shock = 2 * celerity;
        return dam;
    }
    double low = right, high = left;
    for (int i = 0; i < 200; ++i) {
        double middle = 0.5 * (low + high);
        if (dam_mismatch(&dam, middle) > 0)
            low = middle;
        else
            high = middle;
    }
    dam.middle = 0.5 * (low + high);
    dam.speed = 2 * (celerity - sqrt(gravity * dam.middle));
    dam.shock = dam.speed * dam.middle / (dam.middle - right);
    return dam;
}

double rill_exact_dam_depth(const rill_dam *dam, double x, double t) {
    double celerity = sqrt(dam->gravity * dam->left);
    if (x <= -celerity * t) return dam->left;
    if (x >= dam->shock * t) return dam->right;
    if (x >= (dam->speed - sqrt(dam->gravity * dam->middle)) * t) return dam->middle;
    double root = 2 * celerity - x / t;
    return root * root / (9 * dam->gravity);
}

double rill_exact_bowl_bed(const rill_bowl *bowl, double x, double y) {
    return bowl->depth * ((x * x + y * y) / (bowl->radius * bowl->radius) - 1);
}

static double bowl_frequency(const rill_bowl *bowl) {
    return sqrt(2 * bowl->gravity * bowl->depth) / bowl->radius;
}

double rill_exact_bowl_period(const rill_bowl *bowl) {
    return 2 * RILL_PI / bowl_frequency(bowl);
}

double rill_exact_bowl_depth(const rill_bowl *bowl, double x, double y, double t) {
    double w = bowl_frequency(bowl), a = bowl->radius, eta = bowl->swing;
    double along = x * cos(w * t) + y * sin(w * t);
    double level = eta * bowl->depth / (a * a) * (2 * along - eta);
    double depth = level - rill_exact_bowl_bed(bowl, x, y);
    return depth > 0 ? depth : 0;
}

void rill_exact_bowl_velocity(const rill_bowl *bowl, double t, double out[2]) {
    double w = bowl_frequency(bowl);
    out[0] = -bowl->swing * w * sin(w * t);
    out[1] = bowl->swing * w * cos(w * t);
}

double rill_exact_standing_period(double gravity, double length, double depth) {
    return 2 * length / sqrt(gravity * depth);
}

double rill_exact_film_speed(double acceleration, double depth, double viscosity) {
    return acceleration * depth * depth / (3 * viscosity);
}

/* Returns k of the similarity solution h = h0 (1 - (r/R)^2)^(1/3) with R = k (g V^3 / (3 nu))^(1/8) t^(1/8). Its volume
 * fixes h0 = 4 V / (3 pi R^2), and the front condition dR/dt = -(g / (3 nu)) h^2 dh/dr fixes k. */
static double puddle_constant(void) {
    return pow(1024.0 / (81 * RILL_PI * RILL_PI * RILL_PI), 0.125);
}

double rill_exact_puddle_radius(double gravity, double volume, double viscosity, double t) {
    return puddle_constant() * pow(gravity * volume * volume * volume / (3 * viscosity) * t, 0.125);
}

double rill_exact_puddle_depth(double gravity, double volume, double viscosity, double t, double r) {
    double radius = rill_exact_puddle_radius(gravity, volume, viscosity, t);
    if (r >= radius) return 0;
    double x = r / radius;
    return 4 * volume / (3 * RILL_PI * radius * radius) * cbrt(1 - x * x);
}

double rill_exact_crest_flow(double gravity, double head) {
    double depth = 2 * head / 3; /* critical depth */
    return depth * sqrt(gravity * depth);
}

/* A meridian of a drop: distance from the axis, depth below the apex, slope angle, and the volume above. */
enum { RADIUS, DEPTH, ANGLE, VOLUME, MERIDIAN };

static void meridian_slope(const double y[MERIDIAN], double apex, double length, double out[MERIDIAN]) {
    const double turn = y[RADIUS] > 0 ? sin(y[ANGLE]) / y[RADIUS] : apex;
    out[RADIUS] = cos(y[ANGLE]);
    out[DEPTH] = sin(y[ANGLE]);
    out[ANGLE] = 2 * apex + y[DEPTH] / (length * length) - turn;
    out[VOLUME] = RILL_PI * y[RADIUS] * y[RADIUS] * out[DEPTH];
}

/* One step of Runge and Kutta along the meridian. */
static void meridian_step(double y[MERIDIAN], double step, double apex, double length) {
    static const double ahead[] = { 0, 0.5, 0.5, 1 }, weight[] = { 1, 2, 2, 1 };
    double slope[MERIDIAN] = { 0 }, sum[MERIDIAN] = { 0 };
    for (int k = 0; k < 4; ++k) {
        double at[MERIDIAN];
        for (int i = 0; i < MERIDIAN; ++i) at[i] = y[i] + ahead[k] * step * slope[i];
        meridian_slope(at, apex, length, slope);
        for (int i = 0; i < MERIDIAN; ++i) sum[i] += weight[k] * slope[i] / 6;
    }
    for (int i = 0; i < MERIDIAN; ++i) y[i] += step * sum[i];
}

/* Follows the meridian from an apex of some curvature down to the contact line. */
static void meridian(double apex, double angle, double length, double out[MERIDIAN]) {
    const double step = 1e-3 * fmin(angle / apex, length);
    double before[MERIDIAN] = { 0 };
    for (int i = 0; i < MERIDIAN; ++i) out[i] = 0;
    while (out[ANGLE] < angle) {
        for (int i = 0; i < MERIDIAN; ++i) before[i] = out[i];
        meridian_step(out, step, apex, length);
    }
    const double share = (angle - before[ANGLE]) / (out[ANGLE] - before[ANGLE]);
    for (int i = 0; i < MERIDIAN; ++i) out[i] = before[i] + share * (out[i] - before[i]);
}

rill_sessile rill_exact_sessile(double volume, double degrees, double length) {
    double end[MERIDIAN], low = 1e-3 / cbrt(volume), high = 1e3 / cbrt(volume);
    for (int i = 0; i < 60; ++i) {
        const double apex = sqrt(low * high);
        meridian(apex, degrees * RILL_PI / 180, length, end);
        *(end[VOLUME] > volume ? &low : &high) = apex;
    }
    return (rill_sessile){ end[RADIUS], end[DEPTH] };
}
