/* Saddles: quartets with two opposite wet columns and banks between them, where two pools are about to meet, or just have met.
 *
 *     3 - - - - b3 - 2      Ends a of c0 and b of c2, towards the dry corners 1 and 3. If each column were cut off straight, from
 *     |    '    |.|  |      a1 to a3 and from b1 to b3, and all between the four were filled at once when the pools meet, up to
 *     a3- - - - Z - -b1     half a cell would appear at once. So there are two vertices in the middle. Until they meet both go
 *     |     '   |    |      from the middles of a1 a3 and of b1 b3 to Z, where the straight lines between opposite ends cross: for
 *     0 - - - - a1 - 1      liquid that is level, to the saddle point of the ground as it is interpolated bilinearly. From then
 *                           on from Z to the middles of a1 b1 and of a3 b3.
 *
 * Pools meet when the product of the four ways (from a column to its end, 1 for a whole side) is greater than that of what is left
 * of the sides: the asymptotic decider of Nielson and Hamann 1991, as far as it can be told from the ends. How far the vertices have
 * come is the root of the quotient of both.
 *
 * A vertex is a mean of the four ends, with weights that are nowhere negative, and so is its height: it is above the floor as they
 * are (rims.c). */
#include "surface/parts.h"

#include <math.h>

#include "base/simd.h"

/* Vertices do not meet: what is between them has an area. */
#define NEAREST_TO_MIDDLE 0.98f

/* Whether the surface of a column ends between it and the next along an axis, and may go on there: on a bank, or where a ceiling
 * comes down. */
static bool ends_between(const rill_build *build, int32_t place, int32_t other, int32_t direction, bool steep) {
    const rill_surface *s = build->s;
    const int32_t *b = build->view->bed->b;
    if (!(s->rim[place] >> direction & 1)) return false;
    if (!(s->links[place] >> direction & 1)) return rill_column_is_full(s, other);
    const int32_t rise = b[other] - b[place];
    return rise >= -build->dx && (steep || rise <= build->dx);
}

bool rill_is_saddle(const rill_build *build, int32_t place, int32_t stride, int32_t turn, int32_t corner) {
    const rill_surface *s = build->s;
    const int32_t side = turn ? -1 : 1, along = place + side, north = place + stride, other = north + side;
    const int32_t ahead = turn ? north : along, behind = turn ? along : north;
    const int32_t first = 2 * turn; /* directions go on with the corners */
    if (!(s->links[place] >> (first + 1) & 1) || !(s->state[other] & RILL_WET)) return false;
    /* At steep banks the floor does not hold the surface: none of the terrain's vertices may be there (stakes.c), or liquid is level. */
    const bool level = rill_abs_i(s->h[place] - s->h[other]) <= build->dx / 10000;
    const bool steep = !s->terrain || s->terrain->stake_first[corner] < 0 || level;
    return ends_between(build, place, ahead, first, steep) && ends_between(build, place, behind, first + 2, steep) &&
           ends_between(build, other, behind, first + 4, steep) &&
           ends_between(build, other, ahead, (first + 6) & 7, steep);
}

int32_t rill_saddles_beside(const rill_build *build, const rill_surface_row *row, int32_t place, int32_t turns[2]) {
    const rill_surface *s = build->s;
    int32_t count = 0;
    if (!s->def.smooth_shores) return 0;
    const int32_t wide = build->view->bed->grid.cells[0] + 1;
    const int32_t corner = (row->y + 1) * wide + row->x0 + (place - row->start);
    for (int32_t turn = 1; turn >= 0; --turn) {
        if (s->mixed[corner - turn] || !rill_is_saddle(build, place, row->stride, turn, corner - turn)) continue;
        if (turns) turns[count] = turn;
        count += 1;
    }
    return count;
}

/* The products of the ways to four ends, and of what is left of them. */
static void multiply(const float along[4], float *ways, float *rests) {
    *ways = (along[0] * along[1]) * (along[2] * along[3]);
    *rests = ((1.0f - along[0]) * (1.0f - along[1])) * ((1.0f - along[2]) * (1.0f - along[3]));
}

bool rill_saddle_is_joined(const float along[4]) {
    float ways, rests;
    multiply(along, &ways, &rests);
    return ways > rests;
}

/* -------------------------------------------------------------------------------------------------------- vertices */

/* The weights of a1, a3, b1, b3 for both vertices. */
static void find_weights(const float along[4], float weights[2][4]) {
    const float a1 = along[0], a3 = along[1], b1 = along[2], b3 = along[3];
    float ways, rests;
    multiply(along, &ways, &rests);
    const bool joined = ways > rests;
    const float come = rill_min_f(sqrtf(joined ? rests / ways : ways / rests), NEAREST_TO_MIDDLE);
    /* How far Z is on the way from a1 to b3. */
    const float z = (a3 + a1 * (1.0f - b1 - a3)) / (1.0f - (1.0f - b3 - a1) * (1.0f - b1 - a3));
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

static void place_saddle(const rill_surface *s, int32_t place, int32_t stride, int32_t turn, size_t vertex) {
    const int32_t other = place + stride + (turn ? -1 : 1), first = 2 * turn; /* directions go on with the corners */
    const uint32_t ends[4] = { rill_rim_vertex(s, place, first), rill_rim_vertex(s, place, first + 2),
                               rill_rim_vertex(s, other, (first + 6) & 7), rill_rim_vertex(s, other, first + 4) };
    const rill_rim *const rims = s->rims.data;
    float along[4], weights[2][4];
    for (int k = 0; k < 4; ++k) along[k] = rims[ends[k] - s->column_vertices].along;
    find_weights(along, weights);
    for (size_t k = 0; k < 2; ++k) place_vertex(&s->mesh, ends, weights[k], vertex + k);
}

void rill_row_place_saddles(const rill_build *build, rill_surface_row *row) {
    const rill_surface *s = build->s;
    const rill_rim *const rims = (const rill_rim *)s->rims.data + row->first_rim;
    size_t vertex = row->saddle_vertex;
    for (int32_t i = 0; row->saddles > 0 && i < row->rims; ++i) {
        int32_t turns[2];
        if (rims[i].direction != 2 || !rill_may_be_saddle(s, rims[i].place, row->stride)) continue;
        const int32_t count = rill_saddles_beside(build, row, rims[i].place, turns);
        for (int32_t k = 0; k < count; ++k, vertex += 2) place_saddle(s, rims[i].place, row->stride, turns[k], vertex);
    }
}
