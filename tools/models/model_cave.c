/* A cave in a block of rock, in millimetres: tunnels that bend, fork and meet again between a sinkhole and two springs.
 *
 *        y                    spring      The sinkhole and the springs are shafts, open at the top; tunnels join
 *        |     .---.         (O)          them at about the height of the floor. The rock's surface is at z = 24 or
 *        |  (O)     `-.____.-'  \         so. A tunnel is a tapering capsule, its wall roughened by noise. The cave
 *        | sink        \         |        fits a grid of 120 x 100 mm; the block is larger, so that its sides are cut
 *        |hole          `-.__   /         off where the grid ends.
 *        |                   `-(O)
 *        +------------------------- x     spring */
#include "model_data.h"

#include <math.h>

typedef struct tunnel {
    double from[3], to[3];
    double from_radius, to_radius;
} tunnel;

static const tunnel tunnels[] = {
    /* the sinkhole, a funnel at its top */
    { { 18, 52, 9 }, { 18, 52, 50 }, 8.0, 12.0 },
    /* to the fork, with a bend and a low place in it */
    { { 18, 52, 6 }, { 33, 60, 5 }, 5.5, 5.0 },
    { { 33, 60, 5 }, { 46, 50, 4 }, 5.0, 4.5 },
    { { 46, 50, 4 }, { 58, 52, 4.5 }, 4.5, 5.0 },
    /* the northern branch climbs */
    { { 58, 52, 4.5 }, { 66, 66, 6 }, 5.0, 4.5 },
    { { 66, 66, 6 }, { 82, 76, 9 }, 4.5, 4.5 },
    { { 82, 76, 9 }, { 98, 76, 7 }, 4.5, 5.5 },
    /* the southern one goes down */
    { { 58, 52, 4.5 }, { 66, 36, 4 }, 5.0, 4.0 },
    { { 66, 36, 4 }, { 80, 24, 3.5 }, 4.0, 4.0 },
    { { 80, 24, 3.5 }, { 98, 26, 5 }, 4.0, 5.5 },
    /* a link between the springs */
    { { 100, 74, 6 }, { 108, 52, 5 }, 4.0, 3.5 },
    { { 108, 52, 5 }, { 100, 28, 5 }, 3.5, 4.5 },
    /* the springs */
    { { 100, 76, 8 }, { 100, 76, 50 }, 9.5, 13.0 },
    { { 100, 26, 8 }, { 100, 26, 50 }, 9.5, 13.0 },
    /* where the roof has fallen in */
    { { 33, 60, 6 }, { 33, 60, 50 }, 4.0, 5.5 },
    { { 66, 66, 7 }, { 66, 66, 50 }, 3.8, 5.0 },
    { { 66, 36, 5 }, { 66, 36, 50 }, 3.8, 5.0 },
};

static double capsule(const tunnel *t, const double p[3]) {
    double along = 0, length2 = 0, away2 = 0;
    for (int k = 0; k < 3; ++k) {
        const double axis = t->to[k] - t->from[k];
        along += (p[k] - t->from[k]) * axis;
        length2 += axis * axis;
    }
    along /= length2;
    along = along < 0 ? 0 : along > 1 ? 1 : along;
    for (int k = 0; k < 3; ++k) {
        const double d = p[k] - t->from[k] - along * (t->to[k] - t->from[k]);
        away2 += d * d;
    }
    return sqrt(away2) - t->from_radius - along * (t->to_radius - t->from_radius);
}

double rill_model_cave(const double point[3]) {
    static const double centre[3] = { 60, 50, 8 }, half[3] = { 66, 56, 16 };
    double hollow = 1e9, block = -1e9;
    for (size_t i = 0; i < sizeof tunnels / sizeof *tunnels; ++i)
        hollow = rill_model_blend_min(hollow, capsule(&tunnels[i], point), 3.0);
    hollow += 0.7 * rill_model_noise(point[0] / 9, point[1] / 9, point[2] / 9);
    for (int k = 0; k < 3; ++k) {
        const double d = fabs(point[k] - centre[k]) - half[k];
        block = d > block ? d : block;
    }
    const double relief = point[2] - 23 - 2.5 * rill_model_noise(point[0] / 24, point[1] / 24, 0.5);
    return rill_model_blend_max(relief > block ? relief : block, -hollow, 1.5);
}
