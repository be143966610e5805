/* Where a mesh is thin: which of its triangles may be the face of a wall that stands between two lines.
 *
 * The two faces of such a wall, or of a gap, look in opposite directions and are nearer to each other than a cell is
 * wide (walls.c looks at squares of cells). Triangles that have no such neighbour need not be looked at again, wherever
 * the mesh is placed: for a thick body this is most of the work of rasterising it. Nothing is said about meshes of
 * large triangles, nor about parts that are not closed.
 *
 * Triangles are put in order along a Morton curve and gathered by thirty-two into the leaves of a binary tree, whose
 * nodes know where their triangles are, and a cone that holds their normals:
 *
 *                1             node i has the halves 2i and 2i + 1
 *          2           3
 *       4     5     6     7    leaf k is node leaf_first + k
 *
 * Two nodes are compared by comparing their halves, unless they are too far from each other, or no two of their
 * triangles can be opposed, or nothing of them is left to be found out: then their triangles need not be looked at.
 * Around a thick body that is so as soon as nodes are as small as its curves. Where a surface is rough nodes look all
 * ways, but what is not known to be thin soon does not: each node has bounds for all of its triangles, and for the rest
 * of which that is so.
 *
 * Slopes of about 45 degrees look apart by about a right angle, and walls may be about as thick as the measure: there
 * bounds decide nothing, and each triangle would be compared with all around it. So leaves are given up on which more
 * work has been done than is their due; what is not known of them may be thin. That is always right, and costs as much
 * as it saves. */
#include "base/alloc.h"
#include "base/simd.h"
#include "shape/constants.h"
#include "shape/morton.h"
#include "shape/solid.h"

#include <math.h>

static const float OPPOSED = -1e-6f; /* cosine: beyond a right angle by more than rounding */
static const float ROUNDING = 1e-5f; /* bounds of nodes are safe by this much */
enum { LEAF = 32 };
enum { AHEAD = 16 }; /* facets that are asked for before they are needed */
/* Work is counted in comparisons of one triangle with a leaf: what a leaf may take, unless there are few. */
enum { PATIENCE = 128, PATIENCE_OF_ALL = 1 << 22 };

/* Some triangles, number by number: they are compared with one at a time. */
typedef struct leaf {
    float centre[3][LEAF]; /* from the corner of the mesh's bounds; at infinity: there is none */
    float normal[3][LEAF]; /* of length one; of a triangle without area zero */
    float radius[LEAF];
    int32_t thin[LEAF]; /* known to be, or missing */
    uint32_t triangle[LEAF];
    size_t work; /* done on it */
} leaf;

/* A triangle as leaves have it. They take triangles from all over the mesh: what there is to know of one is therefore
 * found out while the mesh is read in its own order, and stands in one place. */
typedef struct facet {
    float centre[3], normal[3], radius;
    uint32_t unused; /* so that two of them fill a line of the cache */
} facet;

/* Where triangles are, and which ways they look. */
typedef struct bounds {
    float low[3], high[3]; /* of the centres */
    float radius;          /* the largest; less than nothing: there are no triangles */
    float axis[3];         /* of a cone that holds the normals, */
    float cosine, sine;    /* and its half angle; a cosine of nothing or less: they may look anywhere */
} bounds;

typedef struct node {
    bounds all, rest; /* the rest are those not known to be thin */
} node;

typedef struct tree {
    leaf *leaves;
    node *nodes;
    size_t leaf_first; /* and how many leaves there are, empty ones too */
    size_t patience;   /* work on a leaf after which it is given up */
    float near;
} tree;

static void corners_of(const rill_solid *solid, uint32_t triangle, const double *p[3]) {
    const uint32_t *corner = solid->indices + 3 * (size_t)triangle;
    for (int k = 0; k < 3; ++k) p[k] = solid->vertices + 3 * (size_t)corner[k];
}

/* The centre of a triangle; returns the radius around it. */
static double centre_of(const double *const p[3], double centre[3]) {
    double radius = 0.0;
    for (int i = 0; i < 3; ++i) centre[i] = (p[0][i] + p[1][i] + p[2][i]) / 3.0;
    for (int k = 0; k < 3; ++k) {
        double square = 0.0;
        for (int i = 0; i < 3; ++i) square += (p[k][i] - centre[i]) * (p[k][i] - centre[i]);
        radius = square > radius ? square : radius;
    }
    return sqrt(radius);
}

/* ----------------------------------------------------------------------------------------------------------- order */

static facet facet_of(const double *const p[3], const double centre[3], double radius, const double low[3]) {
    facet triangle = { .radius = (float)radius };
    double normal[3], length = 0.0;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, m = (i + 2) % 3;
        normal[i] = (p[1][j] - p[0][j]) * (p[2][m] - p[0][m]) - (p[1][m] - p[0][m]) * (p[2][j] - p[0][j]);
        length += normal[i] * normal[i];
    }
    for (int i = 0; i < 3; ++i) {
        triangle.centre[i] = (float)(centre[i] - low[i]);
        triangle.normal[i] = length > 0.0 ? (float)(normal[i] / sqrt(length)) : 0.0f;
    }
    return triangle;
}

/* The keys of all triangles that count, and what leaves need of them; `count` and the largest radius come out. */
static double make_keys(const rill_solid *solid, uint64_t *keys, facet *facets, size_t *count) {
    double largest = 0.0, size = 0.0;
    for (int i = 0; i < 3; ++i) size = fmax(size, solid->primitive.high[i] - solid->primitive.low[i]);
    const double inverse = size > 0.0 ? (double)RILL_MORTON_SIZE / size : 0.0;
    *count = 0;
    for (uint32_t t = 0; t < solid->triangle_count; ++t) {
        if (solid->parts[t] == RILL_NO_PART) continue;
        const double *p[3];
        double centre[3];
        corners_of(solid, t, p);
        const double radius = centre_of(p, centre);
        largest = radius > largest ? radius : largest;
        facets[t] = facet_of(p, centre, radius, solid->primitive.low);
        keys[(*count)++] = rill_morton_key(centre, solid->primitive.low, inverse, t);
    }
    return largest;
}

/* ------------------------------------------------------------------------------------------------------------ tree */

/* With the `count` triangles of these keys, after which there are `more`. */
static void fill_leaf(leaf *here, const facet *facets, const uint64_t *keys, size_t count, size_t more) {
    here->work = 0;
    for (size_t k = 0; k < LEAF; ++k) {
        here->thin[k] = k >= count;
        for (int i = 0; i < 3; ++i) here->centre[i][k] = INFINITY, here->normal[i][k] = 0.0f;
        here->radius[k] = 0.0f;
        if (k >= count) continue;
        if (k + AHEAD < count + more) __builtin_prefetch(&facets[(uint32_t)keys[k + AHEAD]]);
        here->triangle[k] = (uint32_t)keys[k];
        const facet *triangle = &facets[here->triangle[k]];
        here->radius[k] = triangle->radius;
        for (int i = 0; i < 3; ++i) here->centre[i][k] = triangle->centre[i], here->normal[i][k] = triangle->normal[i];
    }
}

static float dot3(const float a[3], const float b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Points a cone along a sum of normals. */
static void aim(bounds *of, const float sum[3]) {
    const float length = sqrtf(dot3(sum, sum));
    for (int i = 0; i < 3; ++i) of->axis[i] = length > 0.0f ? sum[i] / length : 0.0f;
    of->cosine = length > 0.0f ? 1.0f : -1.0f;
}

/* Widens it to a cosine. */
static void widen(bounds *of, float cosine) {
    of->cosine = rill_min_f(of->cosine, cosine);
    of->sine = of->cosine > 0.0f ? sqrtf(1.0f - of->cosine * of->cosine) : 1.0f;
}

/* Without triangles. */
static const bounds NOTHING = { .low = { INFINITY, INFINITY, INFINITY },
                                .high = { -INFINITY, -INFINITY, -INFINITY },
                                .radius = -1.0f,
                                .cosine = 1.0f };

/* Of those of a leaf that are not known to be thin. */
static bounds bounds_of_rest(const leaf *here) {
    bounds of = NOTHING;
    float least[3] = { INFINITY, INFINITY, INFINITY }, most[3] = { -INFINITY, -INFINITY, -INFINITY };
    for (size_t k = 0; k < LEAF; ++k) {
        if (here->thin[k]) continue;
        for (int i = 0; i < 3; ++i) {
            of.low[i] = rill_min_f(of.low[i], here->centre[i][k]),
            of.high[i] = rill_max_f(of.high[i], here->centre[i][k]);
            least[i] = rill_min_f(least[i], here->normal[i][k]), most[i] = rill_max_f(most[i], here->normal[i][k]);
        }
        of.radius = rill_max_f(of.radius, here->radius[k]);
    }
    if (of.radius < 0.0f) return of;
    aim(&of, (float[3]){ least[0] + most[0], least[1] + most[1], least[2] + most[2] });
    for (size_t k = 0; k < LEAF; ++k) {
        const float normal[3] = { here->normal[0][k], here->normal[1][k], here->normal[2][k] };
        if (!here->thin[k] && dot3(normal, normal) > 0.0f)
            widen(&of, dot3(normal, of.axis)); /* without area: nowhere */
    }
    return of;
}

static bounds bounds_of_both(const bounds *a, const bounds *b) {
    if (b->radius < 0.0f) return *a;
    if (a->radius < 0.0f) return *b;
    bounds of = NOTHING;
    float sum[3];
    for (int i = 0; i < 3; ++i) {
        of.low[i] = rill_min_f(a->low[i], b->low[i]), of.high[i] = rill_max_f(a->high[i], b->high[i]);
        sum[i] = a->axis[i] + b->axis[i];
    }
    of.radius = rill_max_f(a->radius, b->radius);
    aim(&of, sum);
    const bounds *const halves[2] = { a, b };
    for (int k = 0; k < 2; ++k) { /* the angle between the axes, and that of the half */
        const bounds *half = halves[k];
        const float turn = dot3(of.axis, half->axis), square = 1.0f - turn * turn;
        widen(&of,
              half->cosine > 0.0f ? turn * half->cosine - (square > 0.0f ? sqrtf(square) : 0.0f) * half->sine : -1.0f);
    }
    return of;
}

static void grow_tree(tree *work, const facet *facets, const uint64_t *keys, size_t count) {
    for (size_t i = 0; i < work->leaf_first; ++i) {
        const size_t first = i * LEAF, here = count <= first ? 0 : count - first < LEAF ? count - first : LEAF;
        node *above = &work->nodes[work->leaf_first + i];
        fill_leaf(&work->leaves[i], facets, keys + first, here, here ? count - first - here : 0);
        above->all = above->rest = bounds_of_rest(&work->leaves[i]);
    }
    for (size_t i = work->leaf_first - 1; i > 0; --i) {
        node *above = &work->nodes[i];
        above->all = above->rest = bounds_of_both(&work->nodes[2 * i].all, &work->nodes[2 * i + 1].all);
    }
}

/* ------------------------------------------------------------------------------------------------------- comparing */

/* Whether two of their triangles may be opposed. */
static bool may_oppose(const bounds *a, const bounds *b, float near) {
    if (a->radius < 0.0f || b->radius < 0.0f) return false;
    float square = 0.0f;
    const float reach = (near + (a->radius + b->radius)) * (1.0f + ROUNDING);
    for (int i = 0; i < 3; ++i) {
        const float gap = rill_max_f(a->low[i] - b->high[i], b->low[i] - a->high[i]);
        square += gap > 0.0f ? gap * gap : 0.0f;
    }
    if (!(square < reach * reach)) return false;
    if (a->cosine <= 0.0f || b->cosine <= 0.0f || a->cosine * b->cosine <= a->sine * b->sine) return true;
    return dot3(a->axis, b->axis) < a->sine * b->cosine + a->cosine * b->sine + ROUNDING;
}

/* Finds the triangles of a leaf that may be opposed to some of another, and are not known to be thin. */
static void find_likely(const leaf *a, const bounds *b, float near, int32_t likely[LEAF]) {
    const float sine = b->cosine > 0.0f ? b->sine + ROUNDING : INFINITY;
    for (int k = 0; k < LEAF; ++k) {
        float square = 0.0f, dot = 0.0f;
        const float reach = (near + (a->radius[k] + b->radius)) * (1.0f + ROUNDING);
        for (int d = 0; d < 3; ++d) {
            const float c = a->centre[d][k], gap = rill_max_f(rill_max_f(b->low[d] - c, c - b->high[d]), 0.0f);
            square += gap * gap;
            dot += a->normal[d][k] * b->axis[d];
        }
        likely[k] = !a->thin[k] & (square < reach * reach) & (dot < sine);
    }
}

static int32_t any_of(const int32_t set[LEAF]) {
    int32_t any = 0;
    RILL_NOT_UNROLLED
    for (int k = 0; k < LEAF; ++k) any |= set[k];
    return any;
}

/* Which of a leaf are opposed to one of another; returns whether any is. */
static int32_t oppose(const leaf *a, size_t one, leaf *b, float near) {
    int32_t hit[LEAF];
    const float x = a->normal[0][one], y = a->normal[1][one], z = a->normal[2][one];
    RILL_NOT_UNROLLED
    for (int k = 0; k < LEAF; ++k) hit[k] = (x * b->normal[0][k] + y * b->normal[1][k]) + z * b->normal[2][k] < OPPOSED;
    if (!any_of(hit)) return 0; /* as often as not */
    for (int k = 0; k < LEAF; ++k) {
        float square = 0.0f;
        const float reach = near + (a->radius[one] + b->radius[k]);
        for (int d = 0; d < 3; ++d) {
            const float apart = a->centre[d][one] - b->centre[d][k];
            square += apart * apart;
        }
        hit[k] &= square < reach * reach;
        b->thin[k] |= hit[k];
    }
    return any_of(hit);
}

/* All of a leaf may be thin. */
static int32_t give_up(leaf *here) {
    for (int k = 0; k < LEAF; ++k) here->thin[k] = 1;
    return 1;
}

/* Compares the rest of a leaf with all of another; returns whether anything was found. */
static bool compare_leaf(tree *work, size_t a, size_t b) {
    if (!may_oppose(&work->nodes[a].rest, &work->nodes[b].all, work->near)) return false;
    leaf *const p = &work->leaves[a - work->leaf_first], *const q = &work->leaves[b - work->leaf_first];
    int32_t likely[LEAF], any = 0;
    find_likely(p, &work->nodes[b].all, work->near, likely);
    p->work += 1;
    for (size_t i = 0; i < LEAF; ++i) {
        if (!likely[i]) continue;
        any |= p->thin[i] |= oppose(p, i, q, work->near);
        p->work += 1;
    }
    if (p->work > work->patience) any = give_up(p);
    if (!any) return false;
    work->nodes[a].rest = bounds_of_rest(p);
    work->nodes[b].rest = bounds_of_rest(q);
    return true;
}

/* Two nodes; returns whether anything was found. As deep as the tree. */
static bool compare(tree *work, size_t a, size_t b) {
    node *const nodes = work->nodes;
    if (!may_oppose(&nodes[a].rest, &nodes[b].all, work->near) &&
        !may_oppose(&nodes[b].rest, &nodes[a].all, work->near))
        return false;
    if (a >= work->leaf_first && b >= work->leaf_first) {
        const bool found = compare_leaf(work, a, b);
        return (a != b && compare_leaf(work, b, a)) || found;
    }
    const size_t high = a < b ? a : b, low = a < b ? b : a; /* smaller numbers are nearer to the root */
    bool found = compare(work, 2 * high, a == b ? 2 * a : low);
    found |= compare(work, 2 * high + 1, a == b ? 2 * a + 1 : low);
    if (a == b) found |= compare(work, 2 * a, 2 * a + 1); /* at last: most is found within a half */
    if (found) nodes[high].rest = bounds_of_both(&nodes[2 * high].rest, &nodes[2 * high + 1].rest);
    return found;
}

static bool find_thin(rill_solid *solid, const facet *facets, const uint64_t *keys, size_t count, double near,
                      const rill_allocator *allocator) {
    tree work = { .leaf_first = 1, .near = (float)near };
    while (work.leaf_first * LEAF < count) work.leaf_first *= 2;
    work.patience = PATIENCE > PATIENCE_OF_ALL / work.leaf_first ? PATIENCE : PATIENCE_OF_ALL / work.leaf_first;
    work.leaves = rill_alloc(allocator, work.leaf_first, sizeof *work.leaves);
    work.nodes = rill_alloc(allocator, 2 * work.leaf_first, sizeof *work.nodes);
    solid->thin = rill_alloc_zeroed(allocator, solid->triangle_count, sizeof *solid->thin);
    const bool good = work.leaves && work.nodes && solid->thin;
    if (good) {
        grow_tree(&work, facets, keys, count);
        compare(&work, 1, 1);
        for (size_t i = 0; i < count; ++i)
            solid->thin[work.leaves[i / LEAF].triangle[i % LEAF]] = (uint8_t)work.leaves[i / LEAF].thin[i % LEAF];
    }
    rill_free(allocator, work.leaves, work.leaf_first, sizeof *work.leaves);
    rill_free(allocator, work.nodes, 2 * work.leaf_first, sizeof *work.nodes);
    return good;
}

bool rill_solid_measure(rill_solid *solid, double cell_size, const rill_allocator *allocator) {
    if (solid->def.shape.type != RILL_SHAPE_MESH || solid->part_count != 1 || solid->open_components > 0) return true;
    const size_t all = solid->triangle_count;
    size_t count = 0;
    uint64_t *keys = rill_alloc(allocator, 2 * all, sizeof *keys);
    facet *facets = rill_alloc(allocator, all, sizeof *facets);
    bool good = keys && facets;
    if (good && make_keys(solid, keys, facets, &count) <= RILL_THIN_LARGEST * cell_size)
        good = find_thin(solid, facets, rill_morton_sort(keys, keys + all, count), count, RILL_THIN_NEAR * cell_size,
                         allocator);
    rill_free(allocator, facets, all, sizeof *facets);
    rill_free(allocator, keys, 2 * all, sizeof *keys);
    return good;
}
