/* A lumbar vertebra as a blend of simple shapes, in millimetres.
 *
 *        z up the spine          The body sits at the origin. Behind it the pedicles, articular pillars and laminae
 *        |  y towards the back   close a ring around the vertebral foramen; the spinous process points back and down,
 *        | /                     the transverse processes sideways, the articular processes up and down.
 *        |/___ x to the left
 *
 * Proportions are those of a third lumbar vertebra: body about 43 x 32 x 28 mm, canal 22 x 18 mm, transverse processes
 * spanning 80 mm. A limb is a tapering capsule of elliptic section; limbs marked `pair` exist on both sides. Distances
 * are the first-order estimate k0 (k0 - 1) / k1 for ellipsoids, good enough to blend and to polygonise. */
#include "model_data.h"

#include <math.h>

typedef struct limb {
    double from[3], to[3];
    double from_radii[2], to_radii[2]; /* along `across`, and at right angles to it and to the axis */
    double across[3];
    double blend;
    bool pair;
} limb;

static const limb bones[] = {
    /* pedicle, then the pillar that carries both articular processes */
    { { 14.0, 9.0, 6.5 }, { 15.6, 25.0, 5.5 }, { 5.2, 7.2 }, { 4.8, 6.8 }, { 1, 0, 0 }, 5.0, true },
    { { 16.3, 26.0, 8.5 }, { 13.8, 33.0, -8.0 }, { 4.8, 5.8 }, { 4.2, 4.4 }, { 1, 0, 0 }, 4.0, true },
    /* superior articular process with its mammillary bump, inferior articular process */
    { { 17.2, 27.0, 9.0 }, { 18.8, 32.0, 19.5 }, { 3.8, 6.0 }, { 3.0, 5.6 }, { 1, -0.45, 0 }, 3.0, true },
    { { 19.5, 34.0, 11.5 }, { 21.4, 36.0, 16.5 }, { 3.2, 3.2 }, { 2.6, 2.6 }, { 1, 0, 0 }, 3.5, true },
    { { 12.2, 34.5, -5.0 }, { 14.2, 37.5, -20.0 }, { 5.8, 3.6 }, { 5.2, 3.2 }, { 1, 0.45, 0 }, 3.5, true },
    /* lamina, transverse process with its knob, accessory process */
    { { 13.0, 31.5, -1.5 }, { 0.5, 41.5, -6.0 }, { 3.0, 9.0 }, { 3.0, 9.5 }, { 0.65, 0.76, 0.1 }, 4.0, true },
    { { 16.0, 26.0, 5.0 }, { 35.5, 34.5, 8.0 }, { 3.4, 6.8 }, { 2.2, 5.0 }, { -0.4, 0.91, 0 }, 4.5, true },
    { { 35.0, 34.3, 10.0 }, { 37.6, 35.3, 5.5 }, { 2.6, 3.0 }, { 2.4, 2.8 }, { -0.4, 0.91, 0 }, 3.0, true },
    { { 19.0, 31.0, 1.0 }, { 20.5, 33.5, -2.0 }, { 3.0, 2.8 }, { 2.2, 2.0 }, { 1, 0, 0 }, 3.5, true },
    /* spinous process: root, upper and lower half of the plate, and the thick edge of its hatchet */
    { { 0.0, 38.0, -5.0 }, { 0.0, 46.0, -9.0 }, { 4.4, 9.0 }, { 2.2, 9.2 }, { 1, 0, 0 }, 5.0, false },
    { { 0.0, 44.0, -4.5 }, { 0.0, 61.0, -9.8 }, { 1.7, 5.8 }, { 3.2, 5.8 }, { 1, 0, 0 }, 3.0, false },
    { { 0.0, 44.0, -11.5 }, { 0.0, 60.0, -17.2 }, { 1.6, 5.4 }, { 3.3, 6.0 }, { 1, 0, 0 }, 3.0, false },
    { { 0.0, 63.2, -7.0 }, { 0.0, 61.8, -18.8 }, { 4.2, 3.0 }, { 5.4, 3.8 }, { 1, 0, 0 }, 3.5, false },
};

/* What is taken away: the canal (wide in front, narrowing behind), the hollows of the superior facets, the openings of
 * the body's vessels. */
static const limb hollows[] = {
    { { 0.0, 21.0, -40.0 }, { 0.0, 21.0, 40.0 }, { 11.2, 4.8 }, { 11.2, 4.8 }, { 1, 0, 0 }, 2.5, false },
    { { 0.0, 28.0, -40.0 }, { 0.0, 26.0, 40.0 }, { 4.6, 6.5 }, { 4.6, 6.5 }, { 1, 0, 0 }, 6.0, false },
    { { 13.0, 34.0, 28.0 }, { 13.0, 34.5, 13.5 }, { 5.0, 5.0 }, { 4.4, 4.4 }, { 1, 0, 0 }, 2.0, true },
    { { 25.0, -1.0, 0.5 }, { 19.8, -1.0, 0.5 }, { 2.0, 2.4 }, { 1.6, 2.0 }, { 0, 1, 0 }, 1.5, true },
    { { 0.0, 20.0, 0.5 }, { 0.0, 13.8, 0.5 }, { 3.4, 2.0 }, { 2.6, 1.7 }, { 1, 0, 0 }, 1.5, false },
};

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double limb_distance(const limb *l, const double p[3]) {
    double axis[3], to_point[3], side[3];
    for (int k = 0; k < 3; ++k) {
        axis[k] = l->to[k] - l->from[k];
        to_point[k] = p[k] - l->from[k];
    }
    const double length2 = dot(axis, axis);
    double t = dot(to_point, axis) / length2;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    for (int k = 0; k < 3; ++k) to_point[k] -= t * axis[k];

    /* Frame: `side` is `across` made square to the axis; the third direction completes it. */
    const double lean = dot(l->across, axis) / length2;
    for (int k = 0; k < 3; ++k) side[k] = l->across[k] - lean * axis[k];
    const double side_length = sqrt(dot(side, side)), length = sqrt(length2);
    const double along = dot(to_point, axis) / length, first = dot(to_point, side) / side_length;
    const double rest2 = dot(to_point, to_point) - along * along - first * first;
    const double second = rest2 > 0 ? sqrt(rest2) : 0;

    const double r1 = l->from_radii[0] + t * (l->to_radii[0] - l->from_radii[0]);
    const double r2 = l->from_radii[1] + t * (l->to_radii[1] - l->from_radii[1]);
    const double r3 = r1 < r2 ? r1 : r2;
    const double x = first / r1, y = second / r2, z = along / r3;
    const double k0 = sqrt(x * x + y * y + z * z);
    const double k1 = sqrt(x / r1 * (x / r1) + y / r2 * (y / r2) + z / r3 * (z / r3));
    return k1 > 1e-12 ? k0 * (k0 - 1) / k1 : -r3;
}

static double limb_of_either_side(const limb *l, const double p[3]) {
    const double mirrored[3] = { l->pair && p[0] < 0 ? -p[0] : p[0], p[1], p[2] };
    return limb_distance(l, mirrored);
}

/* The vertebral body: between an ellipse and a rounded rectangle in section, with a waist, lipped rims, dished end
 * plates and a hollow back. */
static double body_distance(const double p[3]) {
    const double x = p[0] / 23.5, y = (p[1] - 0.5) / 18.8;
    const double round2 = x * x + y * y, square4 = x * x * x * x + y * y * y * y;
    const double q = 0.7 * sqrt(round2) + 0.3 * sqrt(sqrt(square4));
    const double half = 14.2;
    double s2 = p[2] / half * (p[2] / half);
    if (s2 > 1) s2 = 1;
    const double waist = 0.78 + 0.10 * s2 + 0.13 * s2 * s2;
    const double around = (q - waist) * 17.5;
    const double dish = 1 - q * q / 0.62;
    const double flat = fabs(p[2]) - half + (dish > 0 ? 1.1 * dish : 0);
    const double body = rill_model_blend_max(around, flat, 5.0);
    const double back[2] = { p[0], p[1] - 38.0 };
    const double hollow = 22.0 - sqrt(back[0] * back[0] + back[1] * back[1]);
    return rill_model_blend_max(body, hollow, 3.5);
}

double rill_model_vertebra(const double p[3]) {
    double distance = body_distance(p);
    for (size_t i = 0; i < sizeof bones / sizeof *bones; ++i)
        distance = rill_model_blend_min(distance, limb_of_either_side(&bones[i], p), bones[i].blend);
    for (size_t i = 0; i < sizeof hollows / sizeof *hollows; ++i)
        distance = rill_model_blend_max(distance, -limb_of_either_side(&hollows[i], p), hollows[i].blend);
    /* Bone is not turned on a lathe: a slow unevenness, and a finer one that later catches the light. */
    distance += 0.55 * rill_model_noise(p[0] / 11 + 7.3, p[1] / 11, p[2] / 11);
    distance += 0.22 * rill_model_noise(p[0] / 4.3, p[1] / 4.3 + 3.1, p[2] / 4.3);
    return distance;
}
