/* Bodies with papers wang: see wang_bodies.h. */
#include "bodies/wang_bodies.h"

#include "bodies/bodies_internal.h"

#include <math.h>

enum { PIECES = RILL_PARTS * 4 };

/* Returns how much of a shade's cell is covered, and finds the mean underside, m over the datum. */
static double covered(const rill_shade *shade, double datum, double *under) {
    double part = 0.0, sum = 0.0;
    for (int i = 0; i < PIECES; ++i) {
        const rill_quarter *piece = &shade->quarter[i / 4][i % 4];
        part += (double)piece->part;
        sum += (double)piece->part * (double)piece->under;
    }
    *under = part > 0.0 ? sum / part - datum : (double)INFINITY;
    return 0.25 * part;
}

static bool on_grid(const rill_heights *heights, const rill_shade *shade) {
    return shade->x >= 0 && shade->x < heights->cells[0] && shade->y >= 0 && shade->y < heights->cells[1];
}

void rill_wang_bodies_begin(const rill_body_stage *stage, rill_heights *heights) {
    const rill_bed *bed = stage->flow->bed;
    rill_bodies_begin(stage);
    for (size_t i = 0; i < heights->size; ++i) heights->under[i] = (double)INFINITY;
    for (size_t i = 0; i < stage->bodies->list.count; ++i) {
        rill_body *body = rill_body_at(stage->bodies, (int32_t)i);
        if (!body->alive) continue;
        rill_body_shade(body, &bed->grid);
        const rill_shade *shades = body->shades.data;
        for (size_t k = 0; k < body->shades.count; ++k) {
            double under;
            if (!on_grid(heights, &shades[k]) || covered(&shades[k], bed->datum, &under) < 0.5) continue;
            const size_t at = rill_heights_at(heights, shades[k].x, shades[k].y);
            heights->under[at] = fmin(heights->under[at], under);
        }
    }
}

/* ------------------------------------------------------------------------------------------------------------ force */

/* Sums over the columns of a body. */
typedef struct wang_sums {
    double wrench[6], volume, moment[3], level, depth, columns;
} wang_sums;

static double submerged(const rill_heights *heights, size_t at) {
    return isfinite(heights->pressed[at]) ? fmax(heights->head[at] - heights->under[at], 0.0) : 0.0;
}

/* Returns the force over rho g dx that a column and one beside it put on a body along the axis from this to that; half of it where
 * both are under bodies, since it is met from both sides. */
static double force_along(const rill_heights *heights, size_t at, size_t beside) {
    if (!rill_height_defined(heights, beside)) return 0.0;
    const bool both = isfinite(heights->pressed[beside]);
    const double other = both ? heights->under[beside] : heights->h[beside];
    const double mean = 0.5 * (submerged(heights, at) + submerged(heights, beside));
    return (both ? 0.5 : 1.0) * mean * (heights->under[at] - other);
}

static void add_column(const rill_body_stage *stage, const rill_heights *heights, const rill_body *body,
                       const rill_shade *shade, wang_sums *sum) {
    const rill_grid *grid = &stage->flow->bed->grid;
    const double dx = grid->cell_size, weight = stage->density * stage->gravity;
    const size_t at = rill_heights_at(heights, shade->x, shade->y), stride = (size_t)heights->stride;
    const double e = submerged(heights, at), z = heights->under[at] + stage->flow->bed->datum;
    const double place[3] = { grid->origin[0] + ((double)shade->x + 0.5) * dx,
                              grid->origin[1] + ((double)shade->y + 0.5) * dx, z };
    double arm[3];
    for (int i = 0; i < 3; ++i) arm[i] = place[i] - body->state.position[i];
    rill_body_add_at_arm(2, arm, weight * dx * dx * e, sum->wrench);
    const double x = force_along(heights, at, at + 1) - force_along(heights, at, at - 1);
    const double y = force_along(heights, at, at + stride) - force_along(heights, at, at - stride);
    rill_body_add_at_arm(0, arm, weight * dx * x, sum->wrench);
    rill_body_add_at_arm(1, arm, weight * dx * y, sum->wrench);
    sum->volume += dx * dx * e;
    for (int i = 0; i < 3; ++i) sum->moment[i] += dx * dx * e * (place[i] + (i == 2 ? 0.5 * e : 0.0));
    sum->level += heights->head[at] + stage->flow->bed->datum;
    sum->depth += rill_height_depth(heights, at);
    sum->columns += 1.0;
}

static wang_sums sums_of(const rill_body_stage *stage, const rill_heights *heights, const rill_body *body) {
    wang_sums sum = { .volume = 0.0 };
    const rill_shade *shades = body->shades.data;
    for (size_t k = 0; k < body->shades.count; ++k) {
        double under;
        if (!on_grid(heights, &shades[k]) || covered(&shades[k], stage->flow->bed->datum, &under) < 0.5) continue;
        const size_t at = rill_heights_at(heights, shades[k].x, shades[k].y);
        if (isfinite(heights->pressed[at]) && under == heights->under[at])
            add_column(stage, heights, body, &shades[k], &sum);
    }
    return sum;
}

static void report(const rill_body_stage *stage, const wang_sums *sum, rill_body *body) {
    const double dx = stage->flow->bed->grid.cell_size;
    rill_body_forces *forces = &body->forces;
    forces->submerged_volume = sum->volume;
    forces->wetted_area = sum->columns * dx * dx;
    for (int i = 0; i < 3; ++i) forces->submerged_centre[i] = sum->volume > 0.0 ? sum->moment[i] / sum->volume : 0.0;
    forces->level = sum->columns > 0.0 ? sum->level / sum->columns : body->state.position[2];
}

/* Returns the wrench with which the body was accelerated in the sub-step before, gravity left out. */
static void last_wrench(const rill_body_stage *stage, const rill_body *body, double out[6]) {
    double faster[3];
    for (int i = 0; i < 3; ++i) {
        const double now = body->state.velocity[i], turning = body->state.angular_velocity[i];
        out[i] = body->mass * ((body->expected_twist[i] - now) / stage->dt - body->state.acceleration[i]);
        faster[i] = (body->expected_twist[3 + i] - turning) / stage->dt;
    }
    for (int i = 0; i < 3; ++i)
        out[3 + i] = body->world_inertia[3 * i] * faster[0] + body->world_inertia[3 * i + 1] * faster[1] +
                     body->world_inertia[3 * i + 2] * faster[2];
}

static void push(const rill_body_stage *stage, const rill_heights *heights, rill_body *body) {
    const wang_sums sum = sums_of(stage, heights, body);
    const double pi = 3.141592653589793, dx = stage->flow->bed->grid.cell_size, area = sum.columns * dx * dx;
    report(stage, &sum, body);
    for (int i = 0; i < 6; ++i) body->wrench[i] = sum.wrench[i];
    if (isinf(body->mass) || !(sum.columns > 0.0)) return;
    const double depth = fmax(sum.depth / sum.columns, 1e-3 * dx);
    const double kappa = stage->density * area * area / (8.0 * pi * depth * body->mass);
    double before[6];
    last_wrench(stage, body, before);
    for (int i = 0; i < 6; ++i) body->wrench[i] = (body->wrench[i] + kappa * before[i]) / (1.0 + kappa);
    rill_body_accelerate(body, body->wrench, stage->dt, body->new_twist);
}

void rill_wang_bodies_end(const rill_body_stage *stage, const rill_heights *heights) {
    for (size_t i = 0; i < stage->bodies->list.count; ++i) {
        rill_body *body = rill_body_at(stage->bodies, (int32_t)i);
        if (body->alive) push(stage, heights, body);
    }
    rill_bodies_end(stage);
}
