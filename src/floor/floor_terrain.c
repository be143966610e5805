/* The points of the terrain (floor.h): vertices of the solids' triangles that face up, and places where their edges
 * cross the lines of the quartets, which are x, y, x + y or x - y = a whole number in cells. Between those points
 * terrain and surface are straight.
 *
 * Planes need none: a plane is below the surface wherever it is below its corners. A heightmap is bilinear between its
 * samples; those, and the places where its lines cross those of the quartets, are its points.
 *
 * Triangles of a solid are listed by tiles of quartets, so that where something else has changed only those near it are
 * looked at. */
#include "floor/floor.h"

#include <math.h>
#include <string.h>

enum {
    TILE = 16,      /* quartets */
    MOST_TILES = 64 /* a triangle in more of them is large */
};

static void to_cells(const rill_floor *floor, const double *p, double out[3]) {
    for (int i = 0; i < 3; ++i) out[i] = (p[i] - floor->zero[i]) * floor->scale[i];
}

static bool inside(const rill_floor_window *window, const double point[3]) {
    return point[0] >= window->low[0] && point[0] <= window->high[0] && point[1] >= window->low[1] &&
           point[1] <= window->high[1];
}

/* ----------------------------------------------------------------------------------------------------------- edges */

/* Finds the part of an edge over a window: from <= t <= until. */
static bool clip(const rill_floor_window *window, const double p[3], const double q[3], double *from, double *until) {
    *from = 0.0, *until = 1.0;
    for (int i = 0; i < 2; ++i) {
        const double low = window->low[i] - p[i], high = window->high[i] - p[i], step = q[i] - p[i];
        if (step == 0.0) {
            if (low > 0.0 || high < 0.0) return false;
            continue;
        }
        *from = fmax(*from, (step > 0.0 ? low : high) / step);
        *until = fmin(*until, (step > 0.0 ? high : low) / step);
    }
    return *from < *until;
}

static void cover_between(rill_floor *floor, const rill_bed *bed, const double p[3], const double q[3], double t) {
    RILL_ASSERT(t >= 0.0 && t <= 1.0);
    const double point[3] = { p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]), p[2] + t * (q[2] - p[2]) };
    rill_floor_cover(floor, bed, point);
}

/* Covers the points of an edge on the lines along which `place` (of its ends, in cells) is whole. */
static void cover_crossings(rill_floor *floor, const rill_bed *bed, const double p[3], const double q[3], double from,
                            double until, double start, double end) {
    const double step = end - start;
    if (step == 0.0) return;
    double low = start + from * step, high = start + until * step;
    if (low > high) {
        const double swap = low;
        low = high, high = swap;
    }
    for (double line = ceil(low); line <= high; line += 1.0)
        cover_between(floor, bed, p, q, fmin(fmax((line - start) / step, 0.0), 1.0));
}

static void cover_edge(rill_floor *floor, const rill_bed *bed, const rill_floor_window *window, const double p[3],
                       const double q[3]) {
    double from, until;
    if (!clip(window, p, q, &from, &until)) return;
    if (from > 0.0) cover_between(floor, bed, p, q, from);
    if (until < 1.0) cover_between(floor, bed, p, q, until);
    cover_crossings(floor, bed, p, q, from, until, p[0], q[0]);
    cover_crossings(floor, bed, p, q, from, until, p[1], q[1]);
    cover_crossings(floor, bed, p, q, from, until, p[0] + p[1], q[0] + q[1]);
    cover_crossings(floor, bed, p, q, from, until, p[0] - p[1], q[0] - q[1]);
}

/* ------------------------------------------------------------------------------------------------------- triangles */

static const double STEEP = 10.0; /* a triangle stands if it is so many times as high as it is thick */

/* A triangle in cells and quanta. */
typedef struct facet {
    const uint32_t *corners;
    double p[3][3];
    double low[2], high[2];
    bool up, stands; /* liquid may stand on it, or beside it */
    bool oriented;   /* else either side may be the upper one */
} facet;

/* Tells whether a triangle is upright, or nearly so: of its outline seen from above, `up` is twice the area. */
static bool is_standing(const rill_floor *floor, const double p[3][3], double up) {
    const double low = fmin(p[0][2], fmin(p[1][2], p[2][2])), high = fmax(p[0][2], fmax(p[1][2], p[2][2]));
    const double height = (high - low) / (double)floor->most;
    double longest = 0.0; /* of its edges, squared */
    for (int k = 0; k < 3; ++k) {
        const double x = p[k][0] - p[(k + 1) % 3][0], y = p[k][1] - p[(k + 1) % 3][1];
        longest = fmax(longest, x * x + y * y);
    }
    return STEEP * STEEP * (up * up) <= height * height * longest;
}

/* Describes a triangle; false for triangles that face down, which no liquid stands on or beside. */
static bool find_facet(const rill_floor *floor, const rill_solid *solid, size_t triangle, facet *out) {
    RILL_ASSERT(triangle < solid->triangle_count);
    out->oriented = true;
    if (solid->parts) {
        const uint32_t part = solid->parts[triangle];
        if (part == RILL_NO_PART) return false;
        out->oriented = solid->part_kinds[part] == RILL_PART_VOLUME || solid->part_kinds[part] == RILL_PART_PUNCTURED;
    }
    out->corners = solid->indices + 3 * triangle;
    for (int k = 0; k < 3; ++k)
        to_cells(floor, solid->vertices + 3 * (size_t)solid->indices[3 * triangle + (size_t)k], out->p[k]);
    double(*const p)[3] = out->p;
    const double up = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
    out->up = out->oriented ? up > 0.0 : up != 0.0;
    out->stands = is_standing(floor, p, up);
    if (!out->up && !out->stands) return false;
    for (int i = 0; i < 2; ++i) {
        out->low[i] = fmin(p[0][i], fmin(p[1][i], p[2][i]));
        out->high[i] = fmax(p[0][i], fmax(p[1][i], p[2][i]));
    }
    return true;
}

static bool overlaps(const facet *of, const rill_floor_window *window) {
    return of->high[0] >= window->low[0] && of->low[0] <= window->high[0] && of->high[1] >= window->low[1] &&
           of->low[1] <= window->high[1];
}

/* Tells whether an edge, or a vertex if both ends are the same, is not known to have been looked at: triangles share
 * them. */
static bool is_new(rill_floor *floor, uint32_t a, uint32_t b) {
    const uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    uint64_t *const slot = &floor->recent[(key * 0x9e3779b97f4a7c15u) >> 52];
    const bool fresh = *slot != key + 1;
    *slot = key + 1;
    return fresh;
}

static void cover_vertex(rill_floor *floor, const rill_bed *bed, const double point[3]) {
    rill_floor_cover(floor, bed, point);
    rill_outline_point_add(floor, bed, point);
}

static void cover_facet(rill_floor *floor, const rill_bed *bed, const rill_floor_window *window, const facet *of) {
    const uint32_t *corners = of->corners;
    if (of->stands) rill_wall_faces_cover(floor, bed, window, of->p, of->oriented);
    for (int k = 0; of->up && k < 3; ++k) {
        const int next = (k + 1) % 3;
        if (inside(window, of->p[k]) && is_new(floor, corners[k], corners[k])) cover_vertex(floor, bed, of->p[k]);
        if (is_new(floor, corners[k], corners[next])) cover_edge(floor, bed, window, of->p[k], of->p[next]);
    }
}

static void cover_triangle(rill_floor *floor, const rill_bed *bed, const rill_solid *solid,
                           const rill_floor_window *window, size_t triangle) {
    facet found;
    if (find_facet(floor, solid, triangle, &found) && overlaps(&found, window)) cover_facet(floor, bed, window, &found);
}

/* ------------------------------------------------------------------------------------------------------------ bins */

rill_floor_bins rill_floor_bins_make(void) {
    return (rill_floor_bins){ .first = rill_array_make(sizeof(size_t)),
                              .items = rill_array_make(sizeof(uint32_t)),
                              .large = rill_array_make(sizeof(uint32_t)) };
}

void rill_floor_bins_free(rill_floor_bins *bins, const rill_allocator *allocator) {
    rill_array_free(&bins->first, allocator);
    rill_array_free(&bins->items, allocator);
    rill_array_free(&bins->large, allocator);
}

/* Finds the tile of a place, clamped to the tiles there are. */
static int32_t tile_of(double place, int32_t tiles) {
    RILL_ASSERT(tiles > 0);
    const double tile = place / TILE;
    return !(tile > 0.0) ? 0 : tile < (double)(tiles - 1) ? (int32_t)tile : tiles - 1;
}

/* Finds the tiles of a triangle; false when it is beside the grid. */
static bool find_tiles(const rill_floor *floor, const rill_bed *bed, const rill_solid *solid, size_t triangle,
                       const int32_t tiles[2], rill_area *out) {
    const rill_floor_window all = { { -0.5, -0.5 },
                                    { (double)bed->grid.cells[0] - 0.5, (double)bed->grid.cells[1] - 0.5 } };
    facet found;
    if (!find_facet(floor, solid, triangle, &found) || !overlaps(&found, &all)) return false;
    for (int i = 0; i < 2; ++i) {
        out->low[i] = tile_of(found.low[i], tiles[i]);
        out->high[i] = tile_of(found.high[i], tiles[i]) + 1;
    }
    return true;
}

/* Counts the triangles of each tile in first[tile + 1], or lists them from first[tile] on, which moves along. */
static bool list_triangles(rill_floor_bins *bins, const rill_floor *floor, const rill_bed *bed, const rill_solid *solid,
                           bool count) {
    size_t *const first = bins->first.data;
    uint32_t *const items = bins->items.data;
    for (size_t t = 0; t < solid->triangle_count; ++t) {
        rill_area area;
        if (!find_tiles(floor, bed, solid, t, bins->tiles, &area)) continue;
        if (rill_area_cells(&area) > MOST_TILES) {
            const uint32_t large = (uint32_t)t;
            if (count && !rill_array_push(&bins->large, &floor->allocator, &large)) return false;
            continue;
        }
        for (int32_t y = area.low[1]; y < area.high[1]; ++y)
            for (int32_t x = area.low[0]; x < area.high[0]; ++x) {
                const size_t tile = (size_t)y * (size_t)bins->tiles[0] + (size_t)x;
                if (count)
                    first[tile + 1] += 1;
                else
                    items[first[tile]++] = (uint32_t)t;
            }
    }
    return true;
}

bool rill_floor_bins_fill(rill_floor_bins *bins, const rill_floor *floor, const rill_bed *bed,
                          const rill_solid *solid) {
    bins->solid = NULL;
    bins->first.count = bins->items.count = bins->large.count = 0;
    for (int i = 0; i < 2; ++i) bins->tiles[i] = (bed->grid.cells[i] + TILE - 1) / TILE;
    const size_t tiles = (size_t)bins->tiles[0] * (size_t)bins->tiles[1];
    if (!rill_array_resize(&bins->first, &floor->allocator, tiles + 1)) return false;
    if (!list_triangles(bins, floor, bed, solid, true)) return false;
    size_t *const first = bins->first.data;
    for (size_t i = 0; i < tiles; ++i) first[i + 1] += first[i];
    if (!rill_array_resize(&bins->items, &floor->allocator, first[tiles])) return false;
    list_triangles(bins, floor, bed, solid, false);
    RILL_ASSERT(tiles == 0 || first[tiles - 1] == bins->items.count);
    for (size_t i = tiles; i > 0; --i) first[i] = first[i - 1];
    first[0] = 0;
    bins->solid = solid;
    bins->reach = rill_solid_reach(solid, &bed->grid);
    return true;
}

/* Covers the triangles of the tiles of a window; one that is in several of them, in the first. */
static void cover_bins(rill_floor *floor, const rill_bed *bed, const rill_floor_bins *bins,
                       const rill_floor_window *window) {
    const size_t *const first = bins->first.data;
    const uint32_t *const items = bins->items.data, *const large = bins->large.data;
    const rill_solid *solid = bins->solid;
    RILL_ASSERT(solid && bins->first.count == (size_t)bins->tiles[0] * (size_t)bins->tiles[1] + 1);
    for (size_t i = 0; i < bins->large.count; ++i) cover_triangle(floor, bed, solid, window, large[i]);
    int32_t low[2], high[2];
    for (int i = 0; i < 2; ++i) {
        low[i] = tile_of(window->low[i], bins->tiles[i]);
        high[i] = tile_of(window->high[i], bins->tiles[i]);
    }
    for (int32_t y = low[1]; y <= high[1]; ++y)
        for (int32_t x = low[0]; x <= high[0]; ++x) {
            const size_t tile = (size_t)y * (size_t)bins->tiles[0] + (size_t)x;
            for (size_t i = first[tile]; i < first[tile + 1]; ++i) {
                facet found;
                if (!find_facet(floor, solid, items[i], &found) || !overlaps(&found, window)) continue;
                const int32_t at[2] = { tile_of(found.low[0], bins->tiles[0]), tile_of(found.low[1], bins->tiles[1]) };
                if ((at[0] > low[0] ? at[0] : low[0]) == x && (at[1] > low[1] ? at[1] : low[1]) == y)
                    cover_facet(floor, bed, window, &found);
            }
        }
}

/* ------------------------------------------------------------------------------------------------------ heightmaps */

/* Samples sit at the middle of their own cells, which are stretched over the grid. */
typedef struct samples {
    const rill_solid_def *def;
    double stretch[2]; /* cells per sample */
} samples;

static double sample_place(const samples *map, int axis, int32_t i) {
    return ((double)i + 0.5) * map->stretch[axis] - 0.5;
}

/* Finds the samples from <= i < until along an axis that lie in a window. */
static void samples_between(const samples *map, int axis, const rill_floor_window *window, int32_t *from,
                            int32_t *until) {
    const double count = (double)map->def->shape.heights_size[axis];
    const double low = ceil((window->low[axis] + 0.5) / map->stretch[axis] - 0.5);
    const double high = ceil((window->high[axis] + 0.5) / map->stretch[axis] - 0.5) + 1.0;
    *from = (int32_t)fmin(fmax(low, 0.0), count);
    *until = (int32_t)fmin(fmax(high, 0.0), count);
}

/* Finds the height at sample `i` of one axis and any place, in cells, along the other. */
static double height_at(const samples *map, int axis, int32_t i, double place) {
    const int32_t count = map->def->shape.heights_size[1 - axis];
    RILL_ASSERT(i >= 0 && i < map->def->shape.heights_size[axis] && count > 0);
    const double at = fmin(fmax((place + 0.5) / map->stretch[1 - axis] - 0.5, 0.0), (double)(count - 1));
    const int32_t low = (int32_t)at, high = low + 1 < count ? low + 1 : low;
    const size_t row = (size_t)map->def->shape.heights_size[0];
    const double *heights = map->def->shape.heights;
    const double a = axis == 0 ? heights[(size_t)low * row + (size_t)i] : heights[(size_t)i * row + (size_t)low];
    const double b = axis == 0 ? heights[(size_t)high * row + (size_t)i] : heights[(size_t)i * row + (size_t)high];
    return a + (at - (double)low) * (b - a);
}

static void cover_sample(rill_floor *floor, const rill_bed *bed, const samples *map, int axis, int32_t i, double place,
                         bool vertex) {
    double point[3];
    point[axis] = sample_place(map, axis, i);
    point[1 - axis] = place;
    point[2] = (bed->grid.origin[2] + height_at(map, axis, i, place) - floor->zero[2]) * floor->scale[2];
    rill_floor_cover(floor, bed, point);
    if (vertex) rill_outline_point_add(floor, bed, point);
}

static void cover_heightmap(rill_floor *floor, const rill_bed *bed, const rill_solid_def *def,
                            const rill_floor_window *window) {
    samples map = { .def = def };
    bool same = true;
    for (int i = 0; i < 2; ++i) {
        map.stretch[i] = (double)bed->grid.cells[i] / (double)def->shape.heights_size[i];
        same = same && def->shape.heights_size[i] == bed->grid.cells[i];
    }
    if (same) return; /* columns stand on the samples, and there is nothing between them */
    int32_t from[2], until[2];
    for (int i = 0; i < 2; ++i) samples_between(&map, i, window, &from[i], &until[i]);
    for (int axis = 0; axis < 2; ++axis)
        for (int32_t i = from[axis]; i < until[axis]; ++i) {
            for (double line = ceil(window->low[1 - axis]); line <= window->high[1 - axis]; line += 1.0)
                cover_sample(floor, bed, &map, axis, i, line, false);
            for (int32_t k = from[1 - axis]; axis == 0 && k < until[1]; ++k)
                cover_sample(floor, bed, &map, 0, i, sample_place(&map, 1, k), true);
        }
}

void rill_floor_cover_solid(rill_floor *floor, const rill_bed *bed, const rill_solid *solid,
                            const rill_floor_bins *bins, const rill_floor_window *window) {
    memset(floor->recent, 0, sizeof floor->recent);
    if (solid->def.shape.type == RILL_SHAPE_HEIGHTMAP)
        cover_heightmap(floor, bed, &solid->def, window);
    else if (bins)
        cover_bins(floor, bed, bins, window);
    else
        for (size_t t = 0; t < solid->triangle_count; ++t) cover_triangle(floor, bed, solid, window, t);
}
