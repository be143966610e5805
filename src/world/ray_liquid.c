/* Where a ray meets liquid. The surface is that of the levels of columns: between the centres of columns that are linked, by
 * the rule of the mesh (mesh/surface_mesh.h), it is bilinear, which the mesh cuts into triangles; where a column is not linked
 * to the next it goes on level to the border of its cell, and below it the side of the liquid is upright.
 *
 *        ~~~~o~~~~~~~~o.        o  centre of a column         A ray passes the quarters of cells one by one, and in
 *            :        : `~~+    +  border of its cell         each of them a bilinear surface for every column there is:
 *            :        :    |    |  side                       that is one quadratic equation.
 *
 * Liquid that is flooded under a ceiling has no surface but the ceiling, which is a solid's. At bodies levels are those that
 * are drawn. */
#include "world/ray_liquid.h"

#include <math.h>

#include "bed/cells.h"

static const double ROUNDING = 1e-9; /* cells: so far beyond its quarter a crossing counts */

typedef struct column_top {
    double base, top, ceiling; /* m */
    double below;              /* underside of the solid below it, m; -infinity: there is none */
    bool surface;              /* its top is a surface of liquid */
    bool liquid;               /* something is below the top */
} column_top;

/* Where the ray is, in a quarter of a cell: `u` and `v` are the ways from the centre to the neighbours, 0 to 1/2. */
typedef struct quarter {
    int32_t x, y, side[2]; /* -1 or 1: on which side of the centre */
} quarter;

typedef struct ray_walk {
    const rill_world *world;
    const rill_ray_line *line;
    double distance, normal[3];
    int32_t layer;
} ray_walk;

/* ----------------------------------------------------------------------------------------------------------- surface */

static column_top top_of(const rill_world *world, int32_t k, int32_t first) {
    const rill_bed *bed = &world->bed;
    const int32_t place = bed->places[k], H = world->flow.H[place], c = bed->c[place];
    const rill_body_node *node = rill_bodies_node(&world->bodies, place);
    double level = (double)(bed->b[place] + H);
    bool wet = H > RILL_DRY;
    if (node) {
        level = node->drawn >= 0 ? (double)node->drawn : (double)node->base + node->e;
        wet = wet || node->deck > RILL_DRY;
    }
    const bool full = level >= (double)c || rill_flow_flooded(&world->flow, place);
    return (column_top){ .base = rill_bed_z(bed, bed->b[place]),
                         .top = bed->datum + (wet && full ? (double)c
                                              : wet       ? level
                                                          : (double)bed->b[place]) *
                                                 bed->quantum,
                         .ceiling = rill_bed_z(bed, c),
                         .below = k > first ? rill_bed_z(bed, bed->c[bed->places[k - 1]]) : -(double)INFINITY,
                         .surface = wet && !full,
                         .liquid = wet };
}

static bool cell_columns(const rill_world *world, int32_t x, int32_t y, int32_t *first, int32_t *end) {
    const rill_grid *grid = &world->bed.grid;
    if (x < 0 || y < 0 || x >= grid->cells[0] || y >= grid->cells[1]) return false;
    const size_t cell = (size_t)y * (size_t)grid->cells[0] + (size_t)x;
    *first = world->bed.cell_first[cell];
    *end = world->bed.cell_first[cell + 1];
    return *first < *end;
}

/* The level of the column of a neighbouring cell that a column is linked to; NaN: of none that has a surface. */
static double linked_level(const rill_world *world, const column_top *own, int32_t x, int32_t y) {
    int32_t first, end;
    if (!cell_columns(world, x, y, &first, &end)) return (double)NAN;
    for (int32_t k = first; k < end; ++k) {
        const column_top other = top_of(world, k, first);
        if (other.surface && other.below < own->top && own->top < other.ceiling && own->below < other.top &&
            other.top < own->ceiling)
            return other.top;
    }
    return (double)NAN;
}

/* The bilinear surface top + slope[0] u + slope[1] v + twist u v of a column in a quarter. */
typedef struct patch {
    double top, slope[2], twist;
} patch;

static patch patch_of(const rill_world *world, const column_top *own, const quarter *at) {
    const double east = linked_level(world, own, at->x + at->side[0], at->y);
    const double north = linked_level(world, own, at->x, at->y + at->side[1]);
    const double corner = linked_level(world, own, at->x + at->side[0], at->y + at->side[1]);
    patch p = { .top = own->top };
    p.slope[0] = isnan(east) ? 0.0 : east - own->top;
    p.slope[1] = isnan(north) ? 0.0 : north - own->top;
    p.twist = isnan(corner) ? 0.0 : corner - own->top - p.slope[0] - p.slope[1];
    return p;
}

/* ------------------------------------------------------------------------------------------------------------- walking */

static void point_at(const rill_ray_line *line, double t, double out[3]) {
    for (int i = 0; i < 3; ++i) out[i] = line->origin[i] + t * line->direction[i];
}

/* How far a point is from the centre of a quarter's cell, on its side, in cells. */
static double way_from_centre(const rill_grid *grid, const quarter *at, int axis, double place) {
    const int32_t cell = axis == 0 ? at->x : at->y;
    return (place - rill_cell_centre(grid, axis, cell)) / grid->cell_size * (double)at->side[axis];
}

/* The first root of a s^2 + b s + c within -slack to length + slack; NaN: there is none. */
static double first_root(double a, double b, double c, double length, double slack) {
    double roots[2] = { (double)NAN, (double)NAN };
    const double square = b * b - 4.0 * a * c;
    if (square >= 0.0) {
        const double q = -0.5 * (b + (b < 0.0 ? -sqrt(square) : sqrt(square)));
        if (q != 0.0) roots[0] = c / q;
        if (a != 0.0) roots[1] = q / a;
        if (q == 0.0 && a == 0.0 && c == 0.0) roots[0] = 0.0;
    }
    double first = (double)NAN;
    for (int i = 0; i < 2; ++i)
        if (roots[i] >= -slack && roots[i] <= length + slack && !(first <= roots[i])) first = roots[i];
    return first;
}

/* Takes a hit if it is the nearest; normals are turned against the ray. */
static bool take(ray_walk *walk, double t, const double normal[3], int32_t layer) {
    if (!(t < walk->distance)) return false;
    double length = 0.0, along = 0.0;
    for (int i = 0; i < 3; ++i) {
        length += normal[i] * normal[i];
        along += normal[i] * walk->line->direction[i];
    }
    for (int i = 0; i < 3; ++i) walk->normal[i] = normal[i] / (along > 0.0 ? -sqrt(length) : sqrt(length));
    walk->distance = t;
    walk->layer = layer;
    return true;
}

/* Meets the surface of one column with the part of the ray in a quarter, from t0 to t1. */
static bool meet_column(ray_walk *walk, const column_top *own, int32_t layer, const quarter *at, double t0, double t1) {
    const rill_grid *grid = &walk->world->bed.grid;
    const patch p = patch_of(walk->world, own, at);
    double from[3];
    point_at(walk->line, t0, from);
    double way[2], pace[2];
    for (int i = 0; i < 2; ++i) {
        way[i] = way_from_centre(grid, at, i, from[i]);
        pace[i] = walk->line->direction[i] / grid->cell_size * (double)at->side[i];
    }
    const double a = -p.twist * pace[0] * pace[1];
    const double b = walk->line->direction[2] - p.slope[0] * pace[0] - p.slope[1] * pace[1] -
                     p.twist * (way[0] * pace[1] + way[1] * pace[0]);
    const double c = from[2] - p.top - p.slope[0] * way[0] - p.slope[1] * way[1] - p.twist * way[0] * way[1];
    const double s = first_root(a, b, c, t1 - t0, ROUNDING * grid->cell_size);
    if (isnan(s) || t0 + s < 0.0) return false;
    const double u = way[0] + s * pace[0], v = way[1] + s * pace[1];
    const double normal[3] = { -(p.slope[0] + p.twist * v) * (double)at->side[0] / grid->cell_size,
                               -(p.slope[1] + p.twist * u) * (double)at->side[1] / grid->cell_size, 1.0 };
    return take(walk, t0 + s, normal, layer);
}

static bool meet_quarter(ray_walk *walk, const quarter *at, double t0, double t1) {
    int32_t first, end;
    bool hit = false;
    if (!cell_columns(walk->world, at->x, at->y, &first, &end)) return false;
    for (int32_t k = first; k < end; ++k) {
        const column_top own = top_of(walk->world, k, first);
        if (own.surface) hit |= meet_column(walk, &own, k - first, at, t0, t1);
    }
    return hit;
}

typedef enum stuff { STUFF_SOLID = 0, STUFF_AIR, STUFF_LIQUID } stuff;

/* Tells what is at a point that is in a quarter, as columns have it; outside of the grid there is air. */
static stuff stuff_at(const rill_world *world, const quarter *at, const double point[3], int32_t *layer) {
    const rill_grid *grid = &world->bed.grid;
    int32_t first, end;
    if (at->x < 0 || at->y < 0 || at->x >= grid->cells[0] || at->y >= grid->cells[1]) return STUFF_AIR;
    if (!cell_columns(world, at->x, at->y, &first, &end)) return STUFF_SOLID;
    for (int32_t k = first; k < end; ++k) {
        const column_top own = top_of(world, k, first);
        if (point[2] < own.base || point[2] > own.ceiling) continue;
        double top = own.top;
        if (own.surface) {
            const patch p = patch_of(world, &own, at);
            const double u = way_from_centre(grid, at, 0, point[0]), v = way_from_centre(grid, at, 1, point[1]);
            top = p.top + p.slope[0] * u + p.slope[1] * v + p.twist * u * v;
        }
        *layer = k - first;
        return own.liquid && point[2] < top ? STUFF_LIQUID : STUFF_AIR;
    }
    return STUFF_SOLID;
}

/* Meets the upright side of liquid at the border of two cells, or of the grid. */
static bool meet_side(ray_walk *walk, const quarter *before, const quarter *after, int axis, double t) {
    int32_t layers[2] = { 0, 0 };
    double point[3];
    point_at(walk->line, t, point);
    const stuff a = stuff_at(walk->world, before, point, &layers[0]),
                b = stuff_at(walk->world, after, point, &layers[1]);
    if (a == b || a == STUFF_SOLID || b == STUFF_SOLID) return false;
    double normal[3] = { 0.0 };
    normal[axis] = 1.0;
    return take(walk, t, normal, layers[b == STUFF_LIQUID]);
}

/* The part of the ray over the grid and within the range of heights; false: there is none. `*entry` is the axis it comes in
 * by, or -1. */
static bool clip(const rill_world *world, const rill_ray_line *line, double *from, double *to, int *entry) {
    const rill_grid *grid = &world->bed.grid;
    *from = 0.0, *entry = -1;
    for (int i = 0; i < 3; ++i) {
        const double low = i < 2 ? grid->origin[i] : rill_bed_z(&world->bed, 0);
        const double high = i < 2 ? low + grid->cell_size * grid->cells[i] : rill_bed_z(&world->bed, RILL_TOP);
        const double o = line->origin[i], d = line->direction[i];
        if (d == 0.0 && (o < low || o > high)) return false;
        if (d == 0.0) continue;
        const double a = (low - o) / d, b = (high - o) / d, in = fmin(a, b);
        if (in > *from) *from = in, *entry = i < 2 ? i : -1;
        *to = fmin(*to, fmax(a, b));
    }
    return *from < *to;
}

/* The quarter numbered along both axes, two for each cell. */
static quarter quarter_at(const int32_t number[2]) {
    quarter at = { .side = { number[0] & 1 ? 1 : -1, number[1] & 1 ? 1 : -1 } };
    at.x = number[0] >= 0 ? number[0] / 2 : -1; /* -1 is the last quarter before the grid */
    at.y = number[1] >= 0 ? number[1] / 2 : -1;
    return at;
}

/* The number of the quarter where the ray begins, clamped to the grid. */
static int32_t number_at(const rill_grid *grid, int axis, double place, double direction) {
    const double number = (place - grid->origin[axis]) / (0.5 * grid->cell_size);
    double whole = floor(number);
    if (whole == number && direction < 0.0) whole -= 1.0;
    return (int32_t)fmin(fmax(whole, 0.0), 2.0 * grid->cells[axis] - 1.0);
}

/* When the ray leaves a quarter along an axis; infinity: never. */
static double leaves_at(const rill_grid *grid, const rill_ray_line *line, int axis, int32_t number) {
    const double d = line->direction[axis];
    if (d == 0.0) return (double)INFINITY;
    const double border = grid->origin[axis] + 0.5 * grid->cell_size * (double)(number + (d > 0.0));
    return (border - line->origin[axis]) / d;
}

bool rill_ray_liquid(const rill_world *world, const rill_ray_line *line, double *distance, double normal[3],
                     int32_t *layer) {
    ray_walk walk = { .world = world, .line = line, .distance = *distance };
    const rill_grid *grid = &world->bed.grid;
    double t, to = *distance, point[3];
    int entry;
    if (!clip(world, line, &t, &to, &entry)) return false;
    point_at(line, t, point);
    int32_t number[2];
    for (int i = 0; i < 2; ++i) number[i] = number_at(grid, i, point[i], line->direction[i]);
    quarter at = quarter_at(number);
    bool hit = false;
    if (entry >= 0) {
        quarter outside = at;
        *(entry == 0 ? &outside.x : &outside.y) = -1;
        hit = meet_side(&walk, &outside, &at, entry, t);
    }
    while (!hit && t < to) {
        const double leaves[2] = { leaves_at(grid, line, 0, number[0]), leaves_at(grid, line, 1, number[1]) };
        const int axis = leaves[0] <= leaves[1] ? 0 : 1;
        const double end = fmin(fmax(leaves[axis], t), to);
        hit = meet_quarter(&walk, &at, t, end);
        if (hit || !(leaves[axis] < to + ROUNDING * grid->cell_size)) break;
        const quarter before = at;
        number[axis] += line->direction[axis] > 0.0 ? 1 : -1;
        at = quarter_at(number);
        t = end;
        if (before.x != at.x || before.y != at.y) hit = meet_side(&walk, &before, &at, axis, t);
        if (number[axis] < 0 || number[axis] >= 2 * grid->cells[axis]) break;
    }
    if (!hit) return false;
    *distance = walk.distance;
    *layer = walk.layer;
    for (int i = 0; i < 3; ++i) normal[i] = walk.normal[i];
    return true;
}
