/* A small boat, 100 mm long and 32 mm wide: hull, gunwale, and a deck below it, one closed surface.
 *
 * It is swept from stern to bow along t = 0 to 1. A section is a ring of points: the outer side from the port gunwale
 * over the keel to starboard, then the deck back. At both ends the deck rises to the gunwale, so that a flat fan closes
 * them:
 *
 *        \\________//       outer: y = w sqrt(1 - (1 - v)^3), z = keel + (top - keel) v
 *         \          /        deck: the same, narrower and shallow
 *           \______/          v = 1 at the gunwale, 0 at the keel */
#include "model_data.h"

#include <math.h>

enum { SECTIONS = 20, OUTER = 8, INNER = 5, RING = 2 * OUTER - 1 + 2 * INNER - 1 };
static const double length = 100, plank = 1.7, well = 4.5; /* mm */

/* 0 below `from`, 1 above `to`, smooth between. */
static double ramp(double x, double from, double to) {
    const double s = (x - from) / (to - from), c = s < 0 ? 0 : s > 1 ? 1 : s;
    return c * c * (3 - 2 * c);
}

/* Half the width, the height of the gunwale and that of the keel. */
static void lines(double t, double *wide, double *top, double *keel) {
    const double ahead = t > 0.38 ? (t - 0.38) / 0.62 : 0, astern = t < 0.38 ? (0.38 - t) / 0.38 : 0;
    const double stem = t > 0.7 ? (t - 0.7) / 0.3 : 0, counter = t < 0.25 ? (0.25 - t) / 0.25 : 0;
    *wide = 16 * (1 - 0.3 * astern * astern) * sqrt(1 - 0.999 * ahead * ahead);
    *top = 13 + 6 * ahead * ahead + 1.5 * astern * astern;
    *keel = 9 * stem * stem + 3 * counter * counter;
}

/* A point of one side at v, port where `side` is -1. */
static void rib(double x, double side, double wide, double low, double high, double v, double out[3]) {
    const double u = 1 - v;
    out[0] = x;
    out[1] = side * wide * sqrt(1 - u * u * u);
    out[2] = low + (high - low) * v;
}

static bool make_section(rill_model *out, double t, uint32_t *first) {
    double wide, top, keel, p[3];
    lines(t, &wide, &top, &keel);
    const double x = length * (t - 0.45);
    const double hollow = ramp(t, 0.03, 0.09) * (1 - ramp(t, 0.84, 0.95));
    const double narrow = wide > 2 * plank ? wide - plank : 0.5 * wide;
    const double sole = top - well * hollow;
    uint32_t index;
    for (int i = 0; i < 2 * OUTER - 1; ++i) {
        const int k = i < OUTER ? OUTER - 1 - i : i - OUTER + 1;
        const double v = (double)k / (OUTER - 1);
        rib(x, i < OUTER ? -1 : 1, wide, keel, top, v * v, p);
        if (!rill_model_vertex(out, p, &index)) return false;
        if (i == 0) *first = index;
    }
    for (int i = 0; i < 2 * INNER - 1; ++i) {
        const int k = i < INNER ? INNER - 1 - i : i - INNER + 1;
        const double v = (double)k / (INNER - 1);
        rib(x, i < INNER ? 1 : -1, narrow, sole, top, v * v, p);
        if (!rill_model_vertex(out, p, &index)) return false;
    }
    return true;
}

/* A fan over an end, seen from outside. */
static bool close_end(rill_model *out, double t, uint32_t first, bool bow) {
    double wide, top, keel;
    uint32_t middle;
    lines(t, &wide, &top, &keel);
    const double p[3] = { length * (t - 0.45), 0, 0.4 * keel + 0.6 * top };
    bool done = rill_model_vertex(out, p, &middle);
    for (uint32_t i = 0; i < RING && done; ++i) {
        const uint32_t a = first + i, b = first + (i + 1) % RING;
        done = bow ? rill_model_triangle(out, middle, a, b) : rill_model_triangle(out, middle, b, a);
    }
    return done;
}

bool rill_model_boat(rill_model *out) {
    uint32_t before = 0, first = 0;
    for (int i = 0; i < SECTIONS; ++i) {
        const double s = (double)i / (SECTIONS - 1), t = s * (1.5 - 0.5 * s); /* closer together towards the bow */
        if (!make_section(out, t, &first)) return false;
        if (i == 0 && !close_end(out, t, first, false)) return false;
        for (uint32_t j = 0; i > 0 && j < RING; ++j) {
            const uint32_t a = before + j, b = before + (j + 1) % RING, c = first + (j + 1) % RING, d = first + j;
            if (!rill_model_triangle(out, a, b, c) || !rill_model_triangle(out, a, c, d)) return false;
        }
        before = first;
    }
    return close_end(out, 1, first, true);
}
