/* The overlay of forces: one arrow per body, the liquid's force on it in the last step, from the middle of what is
 * under the surface. An arrow as long as the body is wide is a force that carries its weight; a body that is moved from
 * outside has no weight, and is measured by that of the liquid it would displace. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render_internal.h"

static const double LONGEST = 5; /* widths of the body: impacts are far stronger than anything else */
static const double SHORTEST = 1e-3;
static const double THICK = 0.045; /* radius, in widths of the body */
enum { SIDES = 12, FLOATS = 7, RINGS = 4, VERTICES = RINGS * SIDES + 1, INDICES = 6 * RINGS * SIDES };

typedef struct arrow {
    double from[3], along[3]; /* m; a unit vector */
    double length, width;     /* m; of the body */
} arrow;

/* False: nothing to show. */
static bool find_arrow(const rill_world *world, rill_body_id id, double dt, arrow *out) {
    rill_body_info info;
    rill_body_forces forces;
    rill_liquid liquid;
    double g[3];
    if (rill_body_get_info(world, id, &info) != RILL_OK || rill_body_get_forces(world, id, &forces) != RILL_OK ||
        rill_world_get_gravity(world, g) != RILL_OK || rill_world_get_liquid(world, &liquid) != RILL_OK)
        return false;
    double mass = isfinite(info.mass) ? info.mass : liquid.density * info.volume;
    double weight = mass * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    const double *j = forces.impulse;
    double size = sqrt(j[0] * j[0] + j[1] * j[1] + j[2] * j[2]), share = size / (dt * weight);
    out->width = 2 * cbrt(info.volume * 0.238732414637843); /* of a sphere of that volume */
    out->length = fmin(share, LONGEST) * out->width;
    for (int k = 0; k < 3; ++k) {
        out->from[k] = forces.submerged_centre[k];
        out->along[k] = j[k] / size;
    }
    return share > SHORTEST && forces.submerged_volume > 0;
}

/* Two unit vectors across the arrow. */
static void frame_around(const double z[3], double x[3], double y[3]) {
    int least = fabs(z[0]) < fabs(z[1]) ? (fabs(z[0]) < fabs(z[2]) ? 0 : 2) : (fabs(z[1]) < fabs(z[2]) ? 1 : 2);
    double length = sqrt(1 - z[least] * z[least]);
    for (int k = 0; k < 3; ++k) x[k] = ((k == least) - z[least] * z[k]) / length;
    for (int k = 0; k < 3; ++k) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        y[k] = z[a] * x[b] - z[b] * x[a];
    }
}

/* Rings around the axis: foot, neck, brim, and the brim once more with the cone's own shade; then the tip. */
static void put_vertices(const arrow *a, float *out) {
    double x[3], y[3], thick = THICK * a->width, head = fmin(5 * thick, 0.6 * a->length);
    thick = fmin(thick, 0.25 * head);
    const double at[RINGS] = { 0, a->length - head, a->length - head, a->length - head };
    const double radius[RINGS] = { thick, thick, 2.4 * thick, 2.4 * thick };
    frame_around(a->along, x, y);
    for (int ring = 0; ring <= RINGS; ++ring) {
        bool tip = ring == RINGS;
        for (int side = 0; side < (tip ? 1 : SIDES); ++side, out += FLOATS) {
            double turn = 6.283185307179586 * side / SIDES, r = tip ? 0 : radius[ring], up = 0;
            for (int k = 0; k < 3; ++k) {
                double across = cos(turn) * x[k] + sin(turn) * y[k];
                out[k] = (float)(a->from[k] + (tip ? a->length : at[ring]) * a->along[k] + r * across);
                up += across * (k == 2 ? 0.8 : k == 0 ? -0.5 : -0.33); /* a lamp of its own, over the left shoulder */
            }
            double shade = tip ? 0.85 : ring == 2 ? 0.45 : 0.75 + 0.25 * up;
            out[3] = (float)(1.0 * shade);
            out[4] = (float)(0.55 * shade);
            out[5] = (float)(0.05 * shade);
            out[6] = 1;
        }
    }
}

static void put_indices(uint32_t first, uint32_t *out) {
    for (uint32_t ring = 0; ring < RINGS; ++ring) {
        for (uint32_t side = 0; side < SIDES; ++side) {
            uint32_t next = (side + 1) % SIDES, low = first + ring * SIDES, high = low + SIDES;
            bool tip = ring == RINGS - 1;
            const uint32_t quad[6] = { low + side,
                                       low + next,
                                       tip ? high : high + next,
                                       low + side,
                                       tip ? high : high + next,
                                       tip ? high : high + side };
            memcpy(out, quad, sizeof quad);
            out += 6;
        }
    }
}

bool rill_render_take_forces(rill_render *render, const rill_world *world, double dt, rill_message *message) {
    static const int attributes[] = { 3, 4, 0 };
    size_t bodies = (size_t)rill_world_body_count(world), count = 0;
    float *vertices = malloc((bodies * VERTICES * FLOATS + 1) * sizeof *vertices);
    uint32_t *indices = malloc((bodies * INDICES + 1) * sizeof *indices);
    bool good = vertices && indices;
    for (size_t i = 0; good && i < bodies; ++i) {
        arrow found;
        if (find_arrow(world, rill_world_body_at(world, (int32_t)i), dt, &found)) {
            put_vertices(&found, vertices + count * VERTICES * FLOATS);
            put_indices((uint32_t)(count * VERTICES), indices + count * INDICES);
            ++count;
        }
    }
    good = good && rill_batch_fill(&render->overlay, vertices, count * VERTICES, attributes, indices, count * INDICES);
    free(vertices);
    free(indices);
    if (!good) snprintf(message->text, sizeof message->text, "out of memory for the forces on %zu bodies", bodies);
    return good;
}
