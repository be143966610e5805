/* Surfaces that meet, and surfaces that are the same.
 *
 * A body whose faces are drawn from both sides is two closed surfaces in the same place, of which one is inside out:
 * together they are nothing. If each face was cut into other triangles than its back, no two triangles are the same,
 * but their borders are, and all hang together there. At such an edge
 *
 *           b2|f2        the four triangles look along it from two directions; those of one surface run along it one each way,
 *             |          and go on straight rather than back: f1 with f2 and b1 with b2 (1), not f1 with b1 (-1). Two triangles
 *     f1 ----- edge      that fold back onto each other are a rim at which nothing goes on.
 *     b1
 *
 * What has a border elsewhere, such as a fin on the edge of a box, goes on as something that is not closed, if it can.
 *
 * Taken apart like that the front is a surface of its own, and so is the back. Where even borders are cut differently
 * they are so from the start. Both have the same bounds, and volumes that differ in their sign alone. */
#include "shape/coincident.h"

#include "base/assert.h"
#include "base/sort.h"
#include "shape/constants.h"

#include <math.h>

/* The way from an edge into a triangle, of length one; nothing for one without area. */
static void way_into(const rill_solid *solid, const uint32_t *welds, uint32_t low, uint64_t side, double out[3]) {
    const uint32_t high = (uint32_t)(side >> 32), *corner = solid->indices + 3 * (size_t)((uint32_t)side >> 1);
    uint32_t third = low;
    for (int k = 0; k < 3; ++k)
        if (welds[corner[k]] != low && welds[corner[k]] != high) third = welds[corner[k]];
    const double *p = solid->vertices + 3 * (size_t)low, *q = solid->vertices + 3 * (size_t)high;
    const double *r = solid->vertices + 3 * (size_t)third;
    double along = 0.0, square = 0.0, length = 0.0;
    for (int i = 0; i < 3; ++i) along += (r[i] - p[i]) * (q[i] - p[i]), square += (q[i] - p[i]) * (q[i] - p[i]);
    for (int i = 0; i < 3; ++i) out[i] = (r[i] - p[i]) - (square > 0.0 ? along / square : 0.0) * (q[i] - p[i]);
    for (int i = 0; i < 3; ++i) length += out[i] * out[i];
    for (int i = 0; i < 3; ++i) out[i] = length > 0.0 ? out[i] / sqrt(length) : 0.0;
}

/* The triangles at an edge. */
typedef struct meeting {
    uint64_t *sides;
    bool *open;
    double ways[RILL_SIDES_MOST][3];
    size_t count, done;
} meeting;

/* The two that go on straightest; false: there are none. */
static bool find_pair(const meeting *edge, bool any_border, bool any_run, size_t best[2]) {
    double least = RILL_MESH_FOLDED;
    for (size_t i = edge->done; i < edge->count; ++i)
        for (size_t k = i + 1; k < edge->count; ++k) {
            const double *p = edge->ways[i], *q = edge->ways[k], cosine = p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
            if (!any_border && edge->open[i] != edge->open[k]) continue;
            if (!any_run && (edge->sides[i] & 1) == (edge->sides[k] & 1)) continue;
            if (cosine < least) least = cosine, best[0] = i, best[1] = k;
        }
    return least < RILL_MESH_FOLDED;
}

/* Puts one where the next of a pair goes. */
static void take(meeting *edge, size_t from) {
    const size_t to = edge->done++;
    RILL_ASSERT(to <= from && from < edge->count);
    const uint64_t side = edge->sides[from];
    const bool open = edge->open[from];
    edge->sides[from] = edge->sides[to], edge->sides[to] = side;
    edge->open[from] = edge->open[to], edge->open[to] = open;
    for (int i = 0; i < 3; ++i) {
        const double way = edge->ways[from][i];
        edge->ways[from][i] = edge->ways[to][i], edge->ways[to][i] = way;
    }
}

size_t rill_sides_pair(const rill_solid *solid, const uint32_t *welds, uint32_t low, uint64_t *sides, bool *open,
                       size_t count) {
    meeting edge = { .sides = sides, .open = open, .count = count };
    RILL_ASSERT(count <= RILL_SIDES_MOST);
    size_t best[2];
    for (size_t i = 0; i < count; ++i) way_into(solid, welds, low, sides[i], edge.ways[i]);
    for (int round = 0; round < 4; ++round) /* triangles may be turned at random */
        while (find_pair(&edge, round & 1, round & 2, best)) {
            take(&edge, best[0]); /* the second lies behind the first, so it stays where it is */
            take(&edge, best[1]);
        }
    RILL_ASSERT(edge.done % 2 == 0 && edge.done <= count);
    return edge.done / 2;
}

/* ---------------------------------------------------------------------------------------------- identical surfaces */

rill_extent rill_extent_of(double volume, double surface, uint32_t number) {
    return (rill_extent){ .low = { INFINITY, INFINITY, INFINITY },
                          .high = { -INFINITY, -INFINITY, -INFINITY },
                          .volume = volume,
                          .surface = surface,
                          .number = number };
}

void rill_extent_add(rill_extent *extent, const double point[3]) {
    for (int i = 0; i < 3; ++i) {
        extent->low[i] = fmin(extent->low[i], point[i]);
        extent->high[i] = fmax(extent->high[i], point[i]);
    }
}

static bool lies_before(const rill_extent *a, const rill_extent *b) {
    return a->low[0] != b->low[0] ? a->low[0] < b->low[0] : a->number < b->number;
}
RILL_SORT(sort_extents, rill_extent, lies_before)

/* Returns how much rounding to floats and the diagonals of quadrangles may move its bounds. */
static double slack_of(const rill_extent *extent) {
    double most = 0.0;
    for (int i = 0; i < 3; ++i)
        most = fmax(most, fmax(extent->high[i] - extent->low[i], fmax(fabs(extent->low[i]), fabs(extent->high[i]))));
    return RILL_MESH_SAME * most;
}

static bool mirrors(const rill_extent *a, const rill_extent *b, double slack) {
    bool same = b->volume > 0.0 && fabs(a->volume + b->volume) <= RILL_MESH_ALIKE * b->volume &&
                fabs(a->surface - b->surface) <= RILL_MESH_ALIKE * b->surface;
    for (int i = 0; i < 3; ++i)
        same = same && fabs(a->low[i] - b->low[i]) <= slack && fabs(a->high[i] - b->high[i]) <= slack;
    return same;
}

void rill_extents_match(rill_extent *extents, size_t count) {
    sort_extents(extents, count);
    for (size_t i = 0; i < count; ++i) {
        rill_extent *const extent = &extents[i];
        if (!(extent->volume < 0.0)) continue;
        const double slack = slack_of(extent);
        for (size_t k = i; k > 0 && extents[k - 1].low[0] >= extent->low[0] - slack && !extent->mirrored; --k)
            extent->mirrored = mirrors(extent, &extents[k - 1], slack);
        for (size_t k = i + 1; k < count && extents[k].low[0] <= extent->low[0] + slack && !extent->mirrored; ++k)
            extent->mirrored = mirrors(extent, &extents[k], slack);
    }
}
