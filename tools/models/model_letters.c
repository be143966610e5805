/* Letters on a pane: strokes of one width, as thick felt pens draw them. */
#include "model_data.h"

#include <math.h>

/* Millimetres. A stroke goes straight from a point to another; with a radius it is the eastern half of a circle that begins
 * at its first point, in the north. */
typedef struct stroke {
    double from[2], to[2], radius;
} stroke;

static const double HALF_WIDTH = 3.0;

/* R, I, L, L: 26 mm high. */
static const stroke STROKES[] = {
    { { 16, 40 }, { 16, 66 }, 0 }, { { 16, 66 }, { 23, 66 }, 0 }, { { 16, 52 }, { 23, 52 }, 0 },
    { { 23, 66 }, { 23, 52 }, 7 }, { { 21, 52 }, { 31, 40 }, 0 }, { { 43, 40 }, { 43, 66 }, 0 },
    { { 55, 40 }, { 55, 66 }, 0 }, { { 55, 40 }, { 67, 40 }, 0 }, { { 77, 40 }, { 77, 66 }, 0 },
    { { 77, 40 }, { 89, 40 }, 0 },
};

static double distance_to_line(const stroke *s, double x, double y) {
    const double dx = s->to[0] - s->from[0], dy = s->to[1] - s->from[1];
    const double along = ((x - s->from[0]) * dx + (y - s->from[1]) * dy) / (dx * dx + dy * dy);
    const double t = along < 0 ? 0 : along > 1 ? 1 : along;
    const double ox = x - s->from[0] - t * dx, oy = y - s->from[1] - t * dy;
    return sqrt(ox * ox + oy * oy);
}

static double distance_to_bow(const stroke *s, double x, double y) {
    const double ox = x - s->from[0], oy = y - (s->from[1] - s->radius);
    if (ox < 0) return 1e9; /* straight strokes go on there */
    return fabs(sqrt(ox * ox + oy * oy) - s->radius);
}

double rill_model_letters(double x, double y) {
    double nearest = 1e9;
    for (size_t i = 0; i < sizeof STROKES / sizeof *STROKES; ++i) {
        const stroke *s = &STROKES[i];
        const double distance =
            s->radius > 0 ? distance_to_bow(s, 1000 * x, 1000 * y) : distance_to_line(s, 1000 * x, 1000 * y);
        if (distance < nearest) nearest = distance;
    }
    const double inside = 0.5 + (HALF_WIDTH - nearest); /* from 0 to 1 over a millimetre */
    return inside < 0 ? 0 : inside > 1 ? 1 : inside;
}
