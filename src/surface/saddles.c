/* Saddles: quartets with two opposite wet columns and banks between them, where two pools are about to meet, or just
 * have met.
 *
 *     3 - - - - b3 - 2      Ends a of c0 and b of c2, towards the dry corners 1 and 3. If each column were cut off straight, from
 *     |    '    |.|  |      a1 to a3 and from b1 to b3, and all between the four were filled at once when the pools meet, up to
 *     a3- - - - Z - -b1     half a cell would appear at once. So there are two vertices in the middle. Until they meet both go
 *     |     '   |    |      from the middles of a1 a3 and of b1 b3 to Z, where the straight lines between opposite ends cross: for
 *     0 - - - - a1 - 1      liquid that is level, to the saddle point of the ground as it is interpolated bilinearly. From then
 *                           on from Z to the middles of a1 b1 and of a3 b3.
 *
 * The cut of a quartet differs from what it was by up to a whole cell from when the second of the two columns becomes
 * wet until a third one does. How far the vertices have come is the share of the way between the two that the level has
 * risen, in a straight line, so that the area grows as evenly as it may: they meet half way. The level at which
 * bilinear ground has its saddle point (the asymptotic decider of Nielson and Hamann 1991) may be as near to either as
 * one likes, and half of it would appear at once.
 *
 * A vertex is a mean of the four ends, with weights that are nowhere negative, and so is its height: it is above the
 * floor as they are (rims.c). */
#include "surface/surface_internal.h"

#include <math.h>

#include "base/simd.h"

/* Vertices do not meet: what is between them has an area. */
#define NEAREST_TO_MIDDLE 0.98f

/* Finds what is left of the way on which a level rises, or that of a ceiling comes down, until the next column has a
 * surface too. */
static int32_t left_of(const rill_build *build, int32_t way, int32_t come) {
    return rill_max_i((way > build->dx ? way : rill_way_up(build, way)) - come, 0);
}

/* Finds the highest ceiling of a cell that is not above a level and that liquid fills up to; -1: there is none. */
static int32_t full_below(const rill_build *build, int32_t level, int32_t x, int32_t y) {
    const rill_surface *surface = build->surface;
    const rill_bed *bed = build->view->bed;
    const int32_t *const first = bed->cell_first + (size_t)y * (size_t)bed->grid.cells[0] + (size_t)x;
    int32_t found = -1;
    for (int32_t k = first[0]; k < first[1]; ++k)
        if (surface->lid[bed->places[k]] <= level && rill_column_is_full(surface, bed->places[k]))
            found = rill_max_i(found, surface->lid[bed->places[k]]);
    return found;
}

/* Tells how far the level of a column has to change until its surface goes on to the cell (x, y) beside it, quanta: a
 * bank, or where a ceiling comes down. RILL_WALL at other walls; -1 if it does not end there, or in the air, or before
 * liquid with a surface of its own. `steep`: it may be a wall. */
static int32_t left_to(const rill_build *build, int32_t place, int32_t direction, int32_t x, int32_t y, bool steep) {
    const rill_surface *surface = build->surface;
    const rill_bed *bed = build->view->bed;
    const int32_t stride = surface->stride[place],
                  beside = place + RILL_STEP_X[direction] + RILL_STEP_Y[direction] * stride;
    int32_t left = RILL_WALL;
    if (!(surface->rim[place] >> direction & 1) || surface->state[beside] & RILL_WET) return -1;
    if ((surface->links[place] | surface->joints[place]) >> direction & 1) {
        const int32_t other = rill_surface_neighbour(surface, place, direction, stride),
                      rise = bed->b[other] - bed->b[place];
        const bool slab = surface->m[other] > bed->b[place];
        if (rise < -build->dx || (!steep && (rise > build->dx || slab))) return -1;
        left = left_of(build, rise, build->view->flow->H[place]);
        if (!slab) return left;
    } else if (!rill_ends_at_wall(build, place, beside, x, y)) {
        return -1;
    }
    const int32_t lid = full_below(build, surface->h[place], x, y), fall = surface->lid[place] - lid;
    if (lid >= 0) return rill_min_i(left, fall > 0 ? left_of(build, fall, surface->lid[place] - surface->h[place]) : 0);
    return steep ? left : -1;
}

bool rill_saddle_find(const rill_build *build, int32_t place, int32_t turn, int32_t corner, rill_saddle *out) {
    const rill_surface *surface = build->surface;
    const int32_t ahead = 2 * turn;
    if (!(surface->rim[place] >> ahead & surface->rim[place] >> (ahead + 2) & 1)) return false;
    const int32_t other = rill_surface_neighbour(surface, place, ahead + 1, surface->stride[place]);
    if (other < 0 || !(surface->state[other] & RILL_WET)) return false;
    /* At steep banks the floor does not hold the surface: none of the terrain's vertices may be there
     * (outline_points.c), or liquid is level. */
    const bool level = rill_abs_i(surface->h[place] - surface->h[other]) <= build->dx / 10000;
    const bool steep = !surface->terrain || surface->terrain->point_first[corner] < 0 || level;
    RILL_ASSERT(corner >= 0 && (size_t)corner + 8 < surface->corner_count);
    const int32_t wide = build->view->bed->grid.cells[0] + 1, west = corner % wide - 1, south = corner / wide - 1;
    const int32_t columns[4] = { place, place, other, other };
    int32_t left = RILL_WALL;
    for (int32_t k = 0; k < 4; ++k) { /* directions go on with the corners */
        const int32_t direction = (ahead + 2 * k) & 7, cell = turn + (k == 0 || k == 3 ? 1 : 3); /* where it ends */
        const int32_t x = west + ((cell + 1) >> 1 & 1), y = south + (cell >> 1 & 1);
        const int32_t way = left_to(build, columns[k], direction, x, y, steep);
        if (way < 0) return false;
        left = rill_min_i(left, way);
    }
    const int32_t *H = build->view->flow->H,
                  room = rill_min_i(surface->lid[place] - surface->h[place], surface->lid[other] - surface->h[other]);
    const int32_t come = rill_min_i(room, rill_min_i(H[place], H[other]));
    *out = (rill_saddle){
        .first = place, .second = other, .turn = turn, .share = (float)come / ((float)come + (float)left)
    };
    return true;
}

int32_t rill_saddles_beside(const rill_build *build, const rill_surface_row *row, int32_t place, rill_saddle out[2]) {
    const rill_surface *surface = build->surface;
    int32_t count = 0;
    if (!surface->def.smooth_shores) return 0;
    const int32_t wide = build->view->bed->grid.cells[0] + 1;
    const int32_t corner = (row->y + 1) * wide + row->x0 + (place - row->start);
    for (int32_t turn = 1; turn >= 0; --turn) {
        const bool may_be = surface->links[place] >> (2 * turn + 1) & 1 && !surface->mixed[corner - turn];
        count += may_be && rill_saddle_find(build, place, turn, corner - turn, &out[count]);
    }
    return count;
}

/* -------------------------------------------------------------------------------------------------------- vertices */

/* Finds the weights of a1, a3, b1, b3 for both vertices. */
static void find_weights(const float along[4], float share, float weights[2][4]) {
    const float a1 = along[0], a3 = along[1], b1 = along[2], b3 = along[3];
    const bool joined = share > RILL_SADDLE_JOINED;
    const float come = rill_min_f(2.0f * (joined ? 1.0f - share : share), NEAREST_TO_MIDDLE);
    /* How far Z is on the way from a1 to b3. */
    const float z = (a3 + a1 * (1.0f - b1 - a3)) / (1.0f - (1.0f - b3 - a1) * (1.0f - b1 - a3));
    RILL_ASSERT(isfinite(z) && share >= 0.0f && share <= 1.0f);
    const float middle[4] = { 1.0f - z, 0.0f, 0.0f, z };
    for (int k = 0; k < 4; ++k) {
        const bool of_first = joined ? k == 0 || k == 2 : k < 2;
        weights[0][k] = come * middle[k] + (of_first ? 0.5f * (1.0f - come) : 0.0f);
        weights[1][k] = come * middle[k] + (of_first ? 0.0f : 0.5f * (1.0f - come));
    }
}

static void blend(const float *from, size_t width, const uint32_t ends[4], const float weights[4], float *out) {
    for (size_t i = 0; i < width; ++i) {
        out[i] = 0.0f;
        for (int k = 0; k < 4; ++k) out[i] += weights[k] * from[width * ends[k] + i];
    }
}

static void place_vertex(const rill_surface_mesh *mesh, const uint32_t ends[4], const float weights[4], size_t vertex) {
    float *const normal = mesh->normals + 3 * vertex;
    blend(mesh->positions, 3, ends, weights, mesh->positions + 3 * vertex);
    blend(mesh->velocities, 3, ends, weights, mesh->velocities + 3 * vertex);
    blend(mesh->normals, 3, ends, weights, normal);
    const float length = sqrtf(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    for (int i = 0; i < 3; ++i) normal[i] /= length;
    mesh->depths[vertex] = mesh->opacities[vertex] = mesh->wetness[vertex] = 0.0f;
    if (mesh->distances) mesh->distances[vertex] = 0.0f;
    mesh->layers[vertex] = mesh->layers[ends[0]];
}

static void place_saddle(const rill_surface *surface, const rill_saddle *saddle, size_t vertex) {
    const int32_t first = saddle->first, second = saddle->second, ahead = 2 * saddle->turn;
    const uint32_t ends[4] = { rill_rim_vertex(surface, first, ahead), rill_rim_vertex(surface, first, ahead + 2),
                               rill_rim_vertex(surface, second, (ahead + 6) & 7),
                               rill_rim_vertex(surface, second, ahead + 4) };
    const rill_rim *const rims = surface->rims.data;
    float along[4], weights[2][4];
    RILL_ASSERT(vertex + 2 <= surface->mesh.vertex_count);
    for (int k = 0; k < 4; ++k) along[k] = rims[ends[k] - surface->column_vertices].along;
    find_weights(along, saddle->share, weights);
    for (size_t k = 0; k < 2; ++k) place_vertex(&surface->mesh, ends, weights[k], vertex + k);
}

void rill_row_place_saddles(const rill_build *build, rill_surface_row *row) {
    const rill_surface *surface = build->surface;
    const rill_rim *const rims = (const rill_rim *)surface->rims.data + row->first_rim;
    size_t vertex = row->saddle_vertex;
    for (int32_t i = 0; row->saddles > 0 && i < row->rims; ++i) {
        rill_saddle found[2];
        if (rims[i].direction != 2 || !rill_may_be_saddle(surface, rims[i].place, row->stride)) continue;
        const int32_t count = rill_saddles_beside(build, row, rims[i].place, found);
        for (int32_t k = 0; k < count; ++k, vertex += 2) place_saddle(surface, &found[k], vertex);
    }
    RILL_ASSERT(row->saddles == 0 || vertex == row->saddle_vertex + 2 * (size_t)row->saddles);
}

/* ------------------------------------------------------------------------------------------------ where sheets meet */

/* Counts the saddles of a corner whose first column is in a cell and, if `place`, places their vertices one after the
 * other. */
static int32_t saddles_from(const rill_build *build, int32_t corner, int32_t turn, size_t vertex, bool place) {
    const rill_surface *surface = build->surface;
    const rill_bed *bed = build->view->bed;
    const int32_t wide = bed->grid.cells[0] + 1, x = corner % wide - 1 + turn, y = corner / wide - 1;
    int32_t count = 0;
    if (x < 0 || y < 0 || x + 1 >= wide) return 0;
    const int32_t *const first = bed->cell_first + (size_t)y * (size_t)bed->grid.cells[0] + (size_t)x;
    for (int32_t k = first[0]; k < first[1]; ++k) {
        rill_saddle saddle;
        if (!(surface->state[bed->places[k]] & RILL_WET) ||
            !rill_saddle_find(build, bed->places[k], turn, corner, &saddle))
            continue;
        if (place) place_saddle(surface, &saddle, vertex + 2 * (size_t)count);
        count += 1;
    }
    return count;
}

static int32_t saddles_of_corners(const rill_build *build, int32_t row, size_t vertex, bool place) {
    const int32_t wide = build->view->bed->grid.cells[0] + 1;
    uint8_t *const mixed = build->surface->mixed + (size_t)row * (size_t)wide;
    int32_t count = 0;
    for (int32_t i = rill_next(rill_eight, mixed, 0, 0, wide); i < wide;
         i = rill_next(rill_eight, mixed, 0, i + 1, wide)) {
        const int32_t before = count;
        if (place && mixed[i] != RILL_MIXED_SADDLE) continue;
        for (int32_t turn = 0; turn < 2; ++turn)
            count += saddles_from(build, row * wide + i, turn, vertex + 2 * (size_t)count, place);
        if (count > before) mixed[i] = RILL_MIXED_SADDLE;
    }
    return count;
}

int32_t rill_mixed_saddles(const rill_build *build, int32_t row) {
    return saddles_of_corners(build, row, 0, false);
}

void rill_mixed_place_saddles(const rill_build *build, int32_t row) {
    const rill_corner_row *corners = (const rill_corner_row *)build->surface->corners.data + row;
    if (corners->saddles > 0) saddles_of_corners(build, row, corners->saddle_vertex, true);
}
