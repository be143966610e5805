/* The convex hull of points.
 *
 * Based on: Barber, Dobkin & Huhdanpaa 1996, "The quickhull algorithm for convex hulls", without its tolerances:
 * points are put on a lattice of 2^20 steps along each axis of their bounds, where every decision is made exactly in
 * 64 bits. (Stretching axes changes nothing about what is on the hull.) So facets with many points, doubles and
 * slivers are no special cases: what is not strictly outside is inside. Vertices of the result are the points as they
 * were given.
 *
 *     |coordinate| <= 2^20,   |normal| <= 2^41,   |normal . (p - a)| <= 3 * 2^61 < 2^63 */
#include "base/array.h"
#include "base/assert.h"
#include "shape/body_form_internal.h"
#include "shape/constants.h"

#include <math.h>
#include <stdlib.h>

#define NONE UINT32_MAX

typedef struct face {
    uint32_t corners[3]; /* counter-clockwise seen from outside */
    uint32_t next[3];    /* face across the edge from corner i to corner i + 1 */
    uint32_t outside;    /* first of its list of points that see it */
    bool dead;
    int64_t normal[3];
} face;

typedef struct edge {
    uint32_t from, to; /* as run along by the face that goes */
    uint32_t behind;   /* the face that stays */
} edge;

typedef struct hull {
    const rill_allocator *allocator;
    size_t count;     /* points */
    int32_t *points;  /* on the lattice, 3 each */
    uint32_t *follow; /* of each point in its list */
    uint32_t *starts; /* the new face whose edge of the horizon starts at a vertex */
    rill_array faces, horizon, stack;
} hull;

static face *face_at(const hull *work, uint32_t i) {
    return (face *)work->faces.data + i;
}

static void find_normal(const hull *work, const uint32_t corners[3], int64_t out[3]) {
    const int32_t *a = work->points + 3 * (size_t)corners[0], *b = work->points + 3 * (size_t)corners[1],
                  *c = work->points + 3 * (size_t)corners[2];
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = (int64_t)(b[j] - a[j]) * (c[k] - a[k]) - (int64_t)(b[k] - a[k]) * (c[j] - a[j]);
        RILL_ASSERT(llabs(out[i]) <= (int64_t)1 << 41); /* or distances would not fit into 64 bits */
    }
}

/* How far a point is outside of a face, in units of its own. */
static int64_t distance(const hull *work, const face *side, uint32_t point) {
    const int32_t *a = work->points + 3 * (size_t)side->corners[0], *p = work->points + 3 * (size_t)point;
    return side->normal[0] * (p[0] - a[0]) + side->normal[1] * (p[1] - a[1]) + side->normal[2] * (p[2] - a[2]);
}

static bool add_face(hull *work, uint32_t a, uint32_t b, uint32_t c) {
    face side = { .corners = { a, b, c }, .next = { NONE, NONE, NONE }, .outside = NONE };
    find_normal(work, side.corners, side.normal);
    return rill_array_push(&work->faces, work->allocator, &side) != NULL;
}

/* Gives a point to the first of the faces from `first` on that it sees; drops it if there is none. */
static void hand_over(hull *work, uint32_t point, uint32_t first) {
    for (uint32_t i = first; i < work->faces.count; ++i) {
        face *side = face_at(work, i);
        if (distance(work, side, point) <= 0) continue;
        work->follow[point] = side->outside;
        side->outside = point;
        return;
    }
}

/* ------------------------------------------------------------------------------------------------------------ start */

static void put_on_lattice(hull *work, const float *vertices) {
    for (size_t k = 0; k < 3; ++k) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < work->count; ++i) {
            low = fmin(low, (double)vertices[3 * i + k]);
            high = fmax(high, (double)vertices[3 * i + k]);
        }
        const double scale = high > low ? 1048576.0 / (high - low) : 0.0;
        for (size_t i = 0; i < work->count; ++i)
            work->points[3 * i + k] = (int32_t)floor(((double)vertices[3 * i + k] - low) * scale + 0.5);
    }
}

/* Four points that span a volume, as large as is easily found. False when there are none. */
static bool find_start(const hull *work, uint32_t out[4]) {
    const uint32_t count = (uint32_t)work->count;
    out[0] = out[1] = 0;
    for (uint32_t i = 0; i < count; ++i) { /* ends along x */
        if (work->points[3 * (size_t)i] < work->points[3 * (size_t)out[0]]) out[0] = i;
        if (work->points[3 * (size_t)i] > work->points[3 * (size_t)out[1]]) out[1] = i;
    }
    double most = 0.0;
    for (uint32_t i = 0; i < count; ++i) {
        int64_t n[3];
        find_normal(work, (uint32_t[3]){ out[0], out[1], i }, n);
        const double area = ((double)n[0] * (double)n[0] + (double)n[1] * (double)n[1]) + (double)n[2] * (double)n[2];
        if (area > most) most = area, out[2] = i;
    }
    if (!(most > 0.0)) return false;
    face base = { .corners = { out[0], out[1], out[2] } };
    find_normal(work, base.corners, base.normal);
    int64_t farthest = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const int64_t at = distance(work, &base, i);
        if (llabs(at) > llabs(farthest)) farthest = at, out[3] = i;
    }
    if (farthest > 0) { /* the base has to look away from it */
        const uint32_t swap = out[0];
        out[0] = out[1], out[1] = swap;
    }
    return (double)llabs(farthest) > RILL_HULL_THINNEST * sqrt(most);
}

/* The faces of a tetrahedron; corner i is opposite to face i. */
static bool start(hull *work, const uint32_t p[4]) {
    static const int faces[4][3] = { { 0, 1, 2 }, { 1, 0, 3 }, { 2, 1, 3 }, { 0, 2, 3 } };
    static const uint32_t across[4][3] = { { 1, 2, 3 }, { 0, 3, 2 }, { 0, 1, 3 }, { 0, 2, 1 } };
    for (int i = 0; i < 4; ++i) {
        if (!add_face(work, p[faces[i][0]], p[faces[i][1]], p[faces[i][2]])) return false;
        for (int k = 0; k < 3; ++k) face_at(work, (uint32_t)i)->next[k] = across[i][k];
    }
    for (uint32_t i = 0; i < work->count; ++i) hand_over(work, i, 0);
    return true;
}

/* ------------------------------------------------------------------------------------------------------------- grow */

static uint32_t find_farthest(const hull *work, const face *side) {
    uint32_t best = side->outside;
    RILL_ASSERT(best != NONE && distance(work, side, best) > 0);
    int64_t most = distance(work, side, best);
    for (uint32_t i = work->follow[best]; i != NONE; i = work->follow[i]) {
        const int64_t at = distance(work, side, i);
        if (at > most) most = at, best = i;
    }
    return best;
}

/* Marks all faces that a point sees, from one of them on, and lists the edges around them. */
static bool find_horizon(hull *work, uint32_t seen, uint32_t point) {
    work->stack.count = work->horizon.count = 0;
    face_at(work, seen)->dead = true;
    if (!rill_array_push(&work->stack, work->allocator, &seen)) return false;
    for (size_t at = 0; at < work->stack.count; ++at) { /* what was seen stays in it, for its points */
        const face *side = face_at(work, ((const uint32_t *)work->stack.data)[at]);
        for (int k = 0; k < 3; ++k) {
            face *other = face_at(work, side->next[k]);
            if (other->dead) continue;
            if (distance(work, other, point) > 0) {
                other->dead = true;
                if (!rill_array_push(&work->stack, work->allocator, &side->next[k])) return false;
            }
        }
    }
    for (size_t at = 0; at < work->stack.count; ++at) {
        const face *side = face_at(work, ((const uint32_t *)work->stack.data)[at]);
        for (int k = 0; k < 3; ++k) {
            const edge rim = { side->corners[k], side->corners[(k + 1) % 3], side->next[k] };
            if (!face_at(work, rim.behind)->dead && !rill_array_push(&work->horizon, work->allocator, &rim))
                return false;
        }
    }
    RILL_ASSERT(work->horizon.count >= 3);
    return true;
}

/* Takes a point into the hull: a fan of new faces from it to the horizon. */
static bool add_point(hull *work, uint32_t seen, uint32_t point) {
    const uint32_t first = (uint32_t)work->faces.count;
    if (!find_horizon(work, seen, point)) return false;
    const edge *edges = work->horizon.data;
    for (size_t i = 0; i < work->horizon.count; ++i) {
        const uint32_t fresh = (uint32_t)work->faces.count;
        if (!add_face(work, edges[i].from, edges[i].to, point)) return false;
        face *behind = face_at(work, edges[i].behind);
        face_at(work, fresh)->next[0] = edges[i].behind;
        for (int k = 0; k < 3; ++k)
            if (behind->corners[k] == edges[i].to && behind->corners[(k + 1) % 3] == edges[i].from)
                behind->next[k] = fresh;
        work->starts[edges[i].from] = fresh;
    }
    for (size_t i = 0; i < work->horizon.count; ++i) {
        const uint32_t fresh = first + (uint32_t)i, other = work->starts[edges[i].to];
        face_at(work, fresh)->next[1] = other;
        face_at(work, other)->next[2] = fresh;
        RILL_ASSERT(face_at(work, other)->corners[0] == edges[i].to);
    }
    for (size_t at = 0; at < work->stack.count; ++at) {
        uint32_t follow = face_at(work, ((const uint32_t *)work->stack.data)[at])->outside;
        for (uint32_t i = follow; i != NONE; i = follow) {
            follow = work->follow[i];
            if (i != point) hand_over(work, i, first);
        }
    }
    return true;
}

/* ----------------------------------------------------------------------------------------------------------- result */

static bool copy_out(hull *work, const float *vertices, rill_body_form *form) {
    size_t used = 0, faces = 0;
    for (size_t i = 0; i < work->count; ++i) work->starts[i] = NONE;
    for (uint32_t i = 0; i < work->faces.count; ++i) {
        if (face_at(work, i)->dead) continue;
        faces += 1;
        for (int k = 0; k < 3; ++k) {
            uint32_t *number = &work->starts[face_at(work, i)->corners[k]];
            if (*number == NONE) *number = (uint32_t)used++;
        }
    }
    RILL_ASSERT(faces == 2 * used - 4); /* Euler's formula for a closed surface of triangles without a hole */
    if (!rill_body_form_alloc(form, work->allocator, used, faces)) return false;
    for (size_t i = 0; i < work->count; ++i)
        for (size_t k = 0; k < 3 && work->starts[i] != NONE; ++k)
            form->vertices[3 * (size_t)work->starts[i] + k] = (double)vertices[3 * i + k];
    uint32_t *indices = form->indices;
    for (uint32_t i = 0; i < work->faces.count; ++i)
        for (int k = 0; k < 3 && !face_at(work, i)->dead; ++k) *indices++ = work->starts[face_at(work, i)->corners[k]];
    return true;
}

static rill_result wrap(hull *work, const rill_shape_def *shape, const rill_shape_rules *rules, rill_body_form *form,
                        rill_message *message) {
    uint32_t corners[4];
    put_on_lattice(work, shape->vertices);
    if (!find_start(work, corners))
        return rill_fail(message, RILL_INVALID_DATA,
                         "%s %s: its %zu vertices lie in a plane, or all but 1/65536 of their extent, expected a "
                         "hull with a volume",
                         rules->whose, rules->name, work->count);
    if (!start(work, corners)) return RILL_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < work->faces.count; ++i) { /* new faces come behind those there are */
        const face *side = face_at(work, i);
        if (!side->dead && side->outside != NONE && !add_point(work, i, find_farthest(work, side)))
            return RILL_OUT_OF_MEMORY;
    }
    return copy_out(work, shape->vertices, form) ? RILL_OK : RILL_OUT_OF_MEMORY;
}

rill_result rill_body_form_hull(rill_body_form *form, const rill_shape_def *shape, const rill_shape_rules *rules,
                                const rill_allocator *allocator, rill_message *message) {
    hull work = { .allocator = allocator,
                  .count = shape->vertex_count,
                  .points = rill_alloc(allocator, shape->vertex_count, 3 * sizeof(int32_t)),
                  .follow = rill_alloc(allocator, shape->vertex_count, sizeof(uint32_t)),
                  .starts = rill_alloc(allocator, shape->vertex_count, sizeof(uint32_t)),
                  .faces = rill_array_make(sizeof(face)),
                  .horizon = rill_array_make(sizeof(edge)),
                  .stack = rill_array_make(sizeof(uint32_t)) };
    const rill_result result =
        work.points && work.follow && work.starts ? wrap(&work, shape, rules, form, message) : RILL_OUT_OF_MEMORY;
    rill_free(allocator, work.points, work.count, 3 * sizeof(int32_t));
    rill_free(allocator, work.follow, work.count, sizeof(uint32_t));
    rill_free(allocator, work.starts, work.count, sizeof(uint32_t));
    rill_array_free(&work.faces, allocator);
    rill_array_free(&work.horizon, allocator);
    rill_array_free(&work.stack, allocator);
    return result;
}
