/* Drops that lie on the bed at the start: spherical caps of a volume. */
#include <math.h>
#include <stdlib.h>

#include "scene_internal.h"

static const double PI = 3.14159265358979323846;
static const double LEAST_ANGLE = 10, MOST_ANGLE = 90; /* degrees: flatter it has no end, steeper it hangs over */
enum { PARTS = 8 };                                    /* of a cell, along x and along y */

typedef struct cap {
    double radius, height; /* m: of its rim, of its middle over that */
} cap;

/* A cap that meets the bed at the liquid's angle, or one as high as puddles are, if that is lower. */
static cap cap_of(const rill_scene *scene, double volume) {
    const rill_liquid *liquid = &scene->world.liquid;
    const double angle = 0.5 * (liquid->contact_angle.advancing + liquid->contact_angle.receding);
    const double t = tan(0.5 * fmin(fmax(angle, LEAST_ANGLE), MOST_ANGLE) * PI / 180);
    cap drop = { .radius = cbrt(6 * volume / (PI * t * (3 + t * t))) };
    drop.height = t * drop.radius;
    const double weight = liquid->density * -scene->world.gravity[2];
    const double puddle = 2 * sqrt(fmax(liquid->surface_tension / weight, 0)) * t / sqrt(1 + t * t);
    if (puddle > 0 && puddle < drop.height) { /* also where nothing presses it down: then it is infinite */
        drop.height = puddle;
        drop.radius = sqrt((6 * volume / (PI * puddle) - puddle * puddle) / 3);
    }
    return drop;
}

static double height_at(const cap *drop, double x, double y) {
    const double ball = 0.5 * (drop->radius * drop->radius / drop->height + drop->height), r2 = x * x + y * y;
    return r2 < drop->radius * drop->radius ? sqrt(ball * ball - r2) - (ball - drop->height) : 0;
}

/* Mean of its height over a cell, whose south-west corner is that far from its middle. */
static double mean_height(const cap *drop, double x, double y, double cell) {
    double sum = 0;
    for (int k = 0; k < PARTS * PARTS; ++k)
        sum += height_at(drop, x + (k % PARTS + 0.5) / PARTS * cell, y + ((double)(k / PARTS) + 0.5) / PARTS * cell);
    return sum / (PARTS * PARTS);
}

/* A cell's part of a drop. */
typedef struct share {
    double added, depth; /* m, and what was there */
    int32_t layer;       /* of the cell, from below */
} share;

/* Spreads a drop over the columns around a place: those that the place's height picks in their cells, if they are not far
 * below. Returns the sum of what it adds, in m; 0: there is no column at the place. */
static double spread(const rill_scene *scene, const rill_world *world, const rill_scene_fill *fill, const cap *drop,
                     share *shares) {
    const rill_grid *grid = &scene->world.grid;
    const double dx = grid->cell_size;
    rill_sample middle, sample;
    if (rill_query_points(world, fill->at, 1, &middle) != RILL_OK || !middle.found) return 0;
    double sum = 0;
    for (int32_t j = 0; j < grid->cells[1]; ++j) {
        for (int32_t i = 0; i < grid->cells[0]; ++i) {
            const double x = grid->origin[0] + i * dx - fill->at[0], y = grid->origin[1] + j * dx - fill->at[1];
            share *one = &shares[(size_t)j * (size_t)grid->cells[0] + (size_t)i];
            const bool mine = x <= 0 && x + dx > 0 && y <= 0 && y + dx > 0;
            if (!mine && hypot(fmax(fmax(x, -x - dx), 0), fmax(fmax(y, -y - dx), 0)) >= drop->radius) continue;
            const double at[3] = { fill->at[0] + x + 0.5 * dx, fill->at[1] + y + 0.5 * dx, fill->at[2] };
            if (rill_query_points(world, at, 1, &sample) != RILL_OK || !sample.found ||
                sample.base < middle.base - fmax(drop->radius, dx))
                continue;
            one->added = mean_height(drop, x, y, dx);
            if (mine) one->added = fmax(one->added, drop->height / (PARTS * PARTS)); /* less than a part of a cell */
            one->depth = sample.depth;
            one->layer = sample.layer;
            sum += one->added;
        }
    }
    return sum;
}

/* One call per layer that has a part of the drop. */
static rill_result pour(rill_world *world, const share *shares, double scale, double *depths, size_t count,
                        rill_fill_report *report) {
    rill_bed_info info;
    rill_result result = rill_bed_get_info(world, &info);
    for (int32_t layer = 0; result == RILL_OK && layer < info.layers; ++layer) {
        rill_fill_report done = { 0 };
        bool any = false;
        for (size_t i = 0; i < count; ++i) {
            const bool here = shares[i].added > 0 && shares[i].layer == layer;
            depths[i] = here ? shares[i].depth + scale * shares[i].added : (double)NAN;
            any |= here;
        }
        if (any) result = rill_world_fill_depths(world, layer, depths, count, &done);
        report->columns += done.columns;
        report->columns_cut += done.columns_cut;
    }
    return result;
}

double rill_scene_drop_height(const rill_scene *scene, const rill_scene_fill *fill) {
    return cap_of(scene, fill->volume).height;
}

rill_result rill_scene_put_drop(const rill_scene *scene, rill_world *world, const rill_scene_fill *fill, bool *found,
                                rill_fill_report *report) {
    const rill_grid *grid = &scene->world.grid;
    const size_t count = (size_t)grid->cells[0] * (size_t)grid->cells[1];
    const cap drop = cap_of(scene, fill->volume);
    share *shares = calloc(count, sizeof *shares);
    double *depths = malloc(count * sizeof *depths);
    rill_result result = shares && depths ? RILL_OK : RILL_OUT_OF_MEMORY;
    if (result == RILL_OK) {
        const double sum = spread(scene, world, fill, &drop, shares);
        *found = sum > 0;
        if (*found)
            result =
                pour(world, shares, fill->volume / (sum * grid->cell_size * grid->cell_size), depths, count, report);
    }
    free(shares);
    free(depths);
    return result;
}
