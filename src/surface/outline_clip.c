/* Drawing the surface back from points (outline_points.c): where a vertex of the terrain is below the columns of a
 * triangle and yet above the triangle, its rims are drawn back to their columns until it is outside.
 *
 *     c0 ------- c1          So that nothing jumps as levels change, they are on their way already while the vertex is not yet
 *     |    *     |           out of the liquid, or not yet below the columns: by less than SOFT of a cell, and by less than the
 *     a- - - - - b           triangle sags. A surface that is level does not sag: walls that stand out of a pool are no matter.
 *      \_______/
 *
 * What the floor has lifted the columns by is no fall of the liquid: in a pool, lifted or not, nothing is drawn back.
 * Rims are raised there, as far as the vertex takes it, and by no more than the lowest of the triangle's columns is
 * lifted. Where that is enough they stay where they are; else it is as if they were raised so far, and they are drawn
 * back for the rest.
 *
 * Rims belong to two quartets, and triangles to rims: one quartet after the other, on one thread. */
#include "surface/surface_internal.h"

#include "base/simd.h"

static const double SOFT = 0.1;     /* cells */
static const double BEFORE = 0.98;  /* a rim that is drawn back ends a little before the vertex */
static const double OUTSIDE = 1e-6; /* cells2: vertices on the outline are inside */
static const double CLEAR = 1e-3;   /* cells: the surface is raised above a vertex by so much */
enum { TURNS = 4, HALVINGS = 12 };

/* A quartet and the points in it. */
typedef struct clip_quartet {
    const rill_build *build;
    const rill_outline_spot *spot;
    const rill_outline_point *points;
    int32_t first; /* index of the quartet's first point */
    double soft;   /* quanta: what is not out of the liquid by so little is looked at too */
} clip_quartet;

/* A triangle over it: cells from the centre of its SW cell, and quanta. */
typedef struct clip_facet {
    double position[3][3];
    double home[3][2];     /* of rims, their columns; else as p */
    double lowest, sunken; /* of its columns, and of its rims */
    double lift;           /* by which the floor has lifted that column, and rims may be raised */
    rill_rim *rims[3];
    int32_t at[3]; /* which corners of the triangle the rims are */
    int32_t rim_count;
} clip_facet;

/* Finds heights and rims; false when it is part of a skirt, or has no column. */
static bool find_heights(const clip_quartet *quartet, const uint32_t *corners, clip_facet *out) {
    const rill_surface *surface = quartet->build->surface;
    out->rim_count = 0;
    out->lowest = out->sunken = RILL_WALL;
    for (int k = 0; k < 3; ++k) {
        double *const z = &out->position[k][2];
        if (corners[k] & RILL_NAMED_COLUMN) {
            const int32_t place = (int32_t)(corners[k] & ~RILL_NAMED_COLUMN);
            *z = (double)surface->top[place];
            if (*z < out->lowest) out->lowest = *z, out->lift = (double)(surface->top[place] - surface->h[place]);
            continue;
        }
        if (corners[k] - surface->column_vertices >= surface->rims.count) return false;
        out->rims[out->rim_count] = (rill_rim *)surface->rims.data + (corners[k] - surface->column_vertices);
        *z = (double)rill_rim_height(out->rims[out->rim_count]);
        out->sunken = *z < out->sunken ? *z : out->sunken;
        out->at[out->rim_count++] = k;
    }
    return out->lowest < RILL_WALL;
}

/* Tells how far a rim may be raised. */
static double room_above(const clip_facet *facet, int32_t rim) {
    const double fall = facet->lowest - facet->position[facet->at[rim]][2];
    return fall <= 0.0 ? 0.0 : fall < facet->lift ? fall : facet->lift;
}

/* Raises all its rims as far as they may be, and returns the height of the lowest. */
static double lift_rims(clip_facet *facet) {
    double sunken = RILL_WALL;
    for (int32_t i = 0; i < facet->rim_count; ++i) {
        double *const z = &facet->position[facet->at[i]][2];
        *z += room_above(facet, i);
        sunken = *z < sunken ? *z : sunken;
    }
    return sunken;
}

/* Tells whether a point may be above a triangle, and below its columns. */
static bool may_be_under(const clip_quartet *quartet, const clip_facet *facet, double sunken) {
    const double sag = facet->lowest - sunken, soft = sag < quartet->soft ? sag : quartet->soft;
    if (!(sag > 0.0)) return false;
    if (!((double)quartet->spot->high > sunken - soft && (double)quartet->spot->low < facet->lowest + soft))
        return false;
    for (int32_t i = quartet->first; i >= 0; i = quartet->points[i].next) {
        const double z = (double)quartet->points[i].z;
        if (z > sunken - soft && z < facet->lowest + soft) return true;
    }
    return false;
}

/* Finds where the corners of a triangle are. */
static void find_corners(const clip_quartet *quartet, const uint32_t *corners, clip_facet *out) {
    const rill_bed *bed = quartet->build->view->bed;
    for (int k = 0, r = 0; k < 3; ++k) {
        const bool column = corners[k] & RILL_NAMED_COLUMN;
        const rill_rim *rim = column ? NULL : out->rims[r++];
        const int32_t place = column ? (int32_t)(corners[k] & ~RILL_NAMED_COLUMN) : rim->place;
        const int32_t north = place - quartet->spot->place >= quartet->spot->stride ? quartet->spot->stride : 0;
        int32_t at[2] = { place - quartet->spot->place - north, north > 0 };
        if (quartet->spot->place < 0) {
            rill_bed_sheet_of(bed, place, &at[0], &at[1]);
            at[0] -= quartet->spot->x, at[1] -= quartet->spot->y;
        }
        out->home[k][0] = out->position[k][0] = (double)at[0];
        out->home[k][1] = out->position[k][1] = (double)at[1];
        if (column) continue;
        out->position[k][0] += (double)RILL_STEP_X[rim->direction] * (double)rim->along;
        out->position[k][1] += (double)RILL_STEP_Y[rim->direction] * (double)rim->along;
    }
}

/* Finds the weights of the corners at a point if rims are drawn back to a share of their ways; false if it is
 * outside. */
static bool find_weights(const clip_facet *facet, const float point[2], double share, double weights[3]) {
    double position[3][2], area = 0.0;
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 2; ++i)
            position[k][i] = facet->home[k][i] + share * (facet->position[k][i] - facet->home[k][i]) - (double)point[i];
    for (int k = 0; k < 3; ++k) {
        const double *const one = position[(k + 1) % 3], *const two = position[(k + 2) % 3];
        weights[k] = one[0] * two[1] - two[0] * one[1];
        if (weights[k] < -OUTSIDE) return false;
        area += weights[k];
    }
    if (!(area > 0.0)) return false;
    for (int k = 0; k < 3; ++k) weights[k] /= area;
    return true;
}

/* Finds the share of its way to which a rim of a triangle must go back, so that a point is outside. */
static double find_share(const clip_facet *facet, const rill_outline_point *point, double soft) {
    double weights[3];
    if (!find_weights(facet, point->at, 1.0, weights)) return 1.0;
    const double z = (double)point->z, level = weights[0] * facet->position[0][2] + weights[1] * facet->position[1][2] +
                                               weights[2] * facet->position[2][2];
    const double sag = facet->lowest - level, below = level - z, above = z - facet->lowest;
    const double by = below > above ? below : above, width = soft < sag ? soft : sag;
    if (by > 0.0 ? by >= width : sag <= 0.0) return 1.0;
    double inside = 1.0, outside = 0.0;
    for (int i = 0; i < HALVINGS; ++i) {
        const double middle = 0.5 * (inside + outside);
        if (find_weights(facet, point->at, middle, weights))
            inside = middle;
        else
            outside = middle;
    }
    const double strength = by > 0.0 ? 1.0 - by / width : 1.0;
    return 1.0 - strength * (1.0 - BEFORE * outside);
}

static bool draw_back(const clip_quartet *quartet, const clip_facet *facet) {
    double share = 1.0;
    for (int32_t i = quartet->first; i >= 0; i = quartet->points[i].next) {
        const double of_point = find_share(facet, &quartet->points[i], quartet->soft);
        share = of_point < share ? of_point : share;
    }
    RILL_ASSERT(share >= 0.0);
    bool moved = false;
    for (int32_t i = 0; share < 1.0 && i < facet->rim_count; ++i) {
        const float to = rill_max_f(RILL_RIM_NEAREST, (float)share * facet->rims[i]->along);
        moved |= to < facet->rims[i]->along;
        facet->rims[i]->along = rill_min_f(to, facet->rims[i]->along);
    }
    return moved;
}

/* Cuts a triangle: between three columns there is nothing to draw back behind their centres: what shows there still is
 * left open. */
static bool cut(const clip_quartet *quartet, const uint32_t *corners, const clip_facet *facet) {
    const bool middle = facet->rim_count == 2 && (corners[0] & RILL_NAMED_COLUMN) &&
                        facet->rims[0]->place != (int32_t)(corners[0] & ~RILL_NAMED_COLUMN) &&
                        facet->rims[1]->place != (int32_t)(corners[0] & ~RILL_NAMED_COLUMN);
    if (!middle || facet->rims[0]->skirt >= 0 || facet->rims[1]->skirt >= 0) return false;
    for (int32_t i = quartet->first; i >= 0 && !facet->rims[1]->cut; i = quartet->points[i].next)
        facet->rims[1]->cut = find_share(facet, &quartet->points[i], 0.0) < 1.0;
    return facet->rims[1]->cut;
}

/* Raises the rims of a triangle, each by the same share of what it may be, until no point is above it. One that has
 * just come out of the liquid still counts in part, so that nothing jumps. */
static void raise(const clip_quartet *quartet, const clip_facet *facet) {
    double share = 0.0;
    for (int32_t i = quartet->first; i >= 0; i = quartet->points[i].next) {
        double weights[3], gain = 0.0;
        if (!find_weights(facet, quartet->points[i].at, 1.0, weights)) continue;
        const double z = (double)quartet->points[i].z, level = weights[0] * facet->position[0][2] +
                                                               weights[1] * facet->position[1][2] +
                                                               weights[2] * facet->position[2][2];
        const double need = z + CLEAR * (double)quartet->build->dx - level, out = z - facet->lowest;
        if (need <= 0.0 || out >= quartet->soft) continue;
        for (int32_t k = 0; k < facet->rim_count; ++k) gain += weights[facet->at[k]] * room_above(facet, k);
        const double of_point = (need < gain ? need / gain : 1.0) * (out > 0.0 ? 1.0 - out / quartet->soft : 1.0);
        share = of_point > share ? of_point : share;
    }
    RILL_ASSERT(share <= 1.0);
    for (int32_t k = 0; share > 0.0 && k < facet->rim_count; ++k)
        facet->rims[k]->raised += (float)(share * room_above(facet, k));
}

/* Clips the outline in a quartet; `room` is for its triangles, which may change as rims do. */
static bool clip(clip_quartet quartet, uint32_t *room) {
    const double soft = quartet.soft;
    bool any = false, moved = true, may_rise = false;
    size_t count = 0;
    for (int32_t turn = 0; turn < TURNS && moved; ++turn, quartet.soft = 0.0) {
        count = rill_quartet_write(quartet.build, quartet.spot, room);
        moved = false;
        RILL_ASSERT(3 * count <= 3 * quartet.build->surface->odd_triangles.capacity);
        for (size_t t = 0; t < count; ++t) {
            clip_facet facet;
            if (!find_heights(&quartet, room + 3 * t, &facet) || !may_be_under(&quartet, &facet, facet.sunken))
                continue;
            if (facet.lift > 0.0) {
                may_rise = true;
                if (!may_be_under(&quartet, &facet, lift_rims(&facet))) continue;
            }
            find_corners(&quartet, room + 3 * t, &facet);
            moved |= draw_back(&quartet, &facet) || cut(&quartet, room + 3 * t, &facet);
        }
        any |= moved;
    }
    if (!may_rise) return any;
    if (moved) count = rill_quartet_write(quartet.build, quartet.spot, room);
    quartet.soft = soft;
    for (size_t t = 0; t < count; ++t) {
        clip_facet facet;
        if (!find_heights(&quartet, room + 3 * t, &facet) || !may_be_under(&quartet, &facet, facet.sunken)) continue;
        find_corners(&quartet, room + 3 * t, &facet);
        raise(&quartet, &facet);
    }
    return any;
}

/* Columns around points: whether wet ones are higher, and lower, and may be linked; their lowest base; and the highest
 * base of a dry one whose floor is lower than the points. */
typedef struct sides {
    bool higher, lower;
    int32_t base, dry_base;
} sides;

static inline void find_sides(const rill_build *build, const rill_outline_spot *spot, int32_t soft, int32_t place,
                              sides *out) {
    const rill_surface *surface = build->surface;
    const int32_t *b = build->view->bed->b, top = surface->top[place];
    if (!(surface->state[place] & RILL_HERE)) return;
    if (!(surface->state[place] & RILL_WET)) {
        if (surface->floor[place] < spot->high + soft) out->dry_base = rill_max_i(out->dry_base, b[place]);
        return;
    }
    out->base = rill_min_i(out->base, b[place]);
    out->higher |= (top > spot->low - soft) & (surface->m[place] < spot->high + soft);
    out->lower |= (top < spot->high + soft) & (surface->lid[place] > spot->low - soft);
    out->lower |= surface->joints[place] & surface->rim[place]; /* it ends at a column of another sheet */
}

/* Tells whether points may show: between columns, or above a bank on which the surface goes down. */
static bool may_show(const rill_build *build, const rill_outline_spot *spot) {
    const rill_bed *bed = build->view->bed;
    const int32_t soft = (int32_t)(SOFT * (double)build->dx);
    sides found = { .base = RILL_WALL, .dry_base = -RILL_WALL };
    for (int32_t k = 0; k < 4; ++k) {
        const int32_t x = spot->x + (k & 1), y = spot->y + (k >> 1);
        if (spot->place >= 0) {
            find_sides(build, spot, soft, spot->place + (k & 1) + (spot->stride & -(k >> 1)), &found);
        } else if (x >= 0 && y >= 0 && x < bed->grid.cells[0] && y < bed->grid.cells[1]) {
            const size_t cell = (size_t)y * (size_t)bed->grid.cells[0] + (size_t)x;
            for (int32_t i = bed->cell_first[cell]; i < bed->cell_first[cell + 1]; ++i)
                find_sides(build, spot, soft, bed->places[i], &found);
        }
    }
    return found.higher && (found.lower || found.dry_base >= found.base - build->dx);
}

static bool clip_at(const rill_build *build, const rill_outline_spot *spot, double soft) {
    const rill_surface *surface = build->surface;
    rill_surface_row *const rows = surface->rows.data;
    const clip_quartet quartet = { .build = build,
                                   .spot = spot,
                                   .points = surface->terrain->points.data,
                                   .first = surface->terrain->point_first[spot->corner],
                                   .soft = soft };
    if (!clip(quartet, surface->odd_triangles.data)) return false;
    if (spot->place >= 0) rows[spot->row].rerimmed = rows[spot->row + 1].rerimmed = true; /* else all of them are */
    return true;
}

/* Marks or unmarks where rims have moved, and the quartets beside it, as rims belong to two quartets. */
static void mark_moved(const rill_build *build, uint8_t mark) {
    const rill_floor *floor = build->surface->terrain;
    const int32_t *const moved = floor->moved.data, wide = build->view->bed->grid.cells[0] + 1;
    const int32_t beside[] = { -wide, -1, 0, 1, wide };
    for (size_t i = 0; i < floor->moved.count; ++i)
        for (int k = 0; k < 5; ++k) {
            const int32_t corner = moved[i] + beside[k];
            if (corner >= 0 && corner < (int32_t)floor->corner_count) floor->revisit[corner] = mark;
        }
}

/* Looks again at quartets around rims that moved, one after the other until nothing moves: now only for points that
 * show. */
static void look_again(const rill_build *build) {
    rill_floor *floor = build->surface->terrain;
    rill_outline_spot *const spots = floor->looked_at.data;
    size_t count = 0;
    mark_moved(build, 1);
    for (size_t i = 0; i < floor->looked_at.count; ++i)
        if (floor->revisit[spots[i].corner]) spots[count++] = spots[i];
    mark_moved(build, 0);
    bool any = true;
    for (int32_t turn = 1; any && turn < TURNS; ++turn) {
        any = false;
        for (size_t i = 0; i < count; ++i) any |= clip_at(build, &spots[i], 0.0);
    }
}

static void look_at(const rill_build *build, const rill_outline_spot *spot) {
    rill_floor *floor = build->surface->terrain;
    rill_outline_spot *const looked_at = floor->looked_at.data;
    int32_t *const moved = floor->moved.data;
    if (!may_show(build, spot)) return;
    RILL_ASSERT(floor->looked_at.count < floor->looked_at.capacity && floor->moved.count < floor->moved.capacity);
    looked_at[floor->looked_at.count++] = *spot; /* there is room for all */
    if (clip_at(build, spot, SOFT * (double)build->dx)) moved[floor->moved.count++] = spot->corner;
}

void rill_outline_clip(const rill_build *build) {
    const rill_surface *surface = build->surface;
    rill_floor *floor = surface->terrain;
    const rill_outline_spot *const spots = floor->sheet_spots.data, *const mixed_spots = floor->mixed_spots.data;
    floor->looked_at.count = floor->moved.count = 0;
    for (size_t i = 0; i < floor->sheet_spots.count; ++i)
        if (surface->quads[spots[i].place] == RILL_QUAD_ODD && !surface->mixed[spots[i].corner])
            look_at(build, &spots[i]);
    for (size_t i = 0; surface->any_mixed && i < floor->mixed_spots.count; ++i)
        if (surface->mixed[mixed_spots[i].corner]) look_at(build, &mixed_spots[i]);
    if (floor->moved.count > 0) look_again(build);
}
