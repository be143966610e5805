/* Where a mesh is thin: which of its triangles may be the face of a wall that stands between two lines.
 *
 * The two faces of such a wall, or of a gap, look in opposite directions and are nearer to each other than a cell is wide
 * (walls.c looks at squares of cells). Triangles that have no such neighbour need not be looked at again, wherever the mesh
 * is placed: for a thick body this is most of the work of rasterising it. Nothing is said about meshes of large triangles,
 * nor about parts that are not closed.
 *
 * Triangles are put in order along a Morton curve and gathered sixteen by sixteen into the leaves of a binary tree, whose nodes
 * know where their triangles are and which ways they look:
 *
 *                1             node i has the halves 2i and 2i + 1
 *          2           3
 *       4     5     6     7    leaf k is node leaf_first + k
 *
 * Two nodes are compared by comparing their halves, unless they are too far from each other, or no two of their triangles
 * can be opposed, or nothing of them is left to be found out: then their triangles need not be looked at. Around a thick
 * body that is so as soon as nodes are as small as its curves. */
#include "base/memory.h"
#include "bed/solid.h"

#include <math.h>

static const double NEAR = 2.0;      /* cells: more than the diagonal of a square of four centres */
static const double LARGEST = 4.0;   /* cells: radius of a triangle */
static const float OPPOSED = -1e-6f; /* cosine: beyond a right angle by more than rounding */
static const float ROUNDING = 1e-5f; /* bounds of nodes are safe by this much */
enum { LEAF = 16, CURVE_SIZE = 1 << 10 };

typedef struct facet {
    float centre[3], normal[3]; /* from the corner of the mesh's bounds; of length one */
    float radius;
    uint32_t triangle;
} facet;

/* As many, number by number: they are compared with one facet at a time. */
typedef struct leaf {
    float centre[3][LEAF], normal[3][LEAF], radius[LEAF]; /* without a facet: at infinity */
    int32_t thin[LEAF];
    uint32_t triangle[LEAF];
} leaf;

typedef struct node {
    float low[3], high[3];   /* of the centres */
    float least[3], most[3]; /* of the normals */
    float radius;            /* the largest; less than nothing: there are no triangles */
    bool thin;               /* all of them are */
} node;

typedef struct tree {
    leaf *leaves;
    node *nodes;
    size_t leaf_first; /* and how many leaves there are, empty ones too */
    float near;
} tree;

static facet facet_of(const rill_solid *solid, uint32_t triangle) {
    const uint32_t *corner = solid->indices + 3 * (size_t)triangle;
    const double *p[3];
    for (int k = 0; k < 3; ++k) p[k] = solid->vertices + 3 * (size_t)corner[k];
    facet f = { .triangle = triangle };
    double a[3], b[3], centre[3], normal[3], radius = 0.0, length = 0.0;
    for (int i = 0; i < 3; ++i) {
        centre[i] = (p[0][i] + p[1][i] + p[2][i]) / 3.0;
        a[i] = p[1][i] - p[0][i], b[i] = p[2][i] - p[0][i];
    }
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        normal[i] = a[j] * b[k] - a[k] * b[j];
        length += normal[i] * normal[i];
    }
    for (int k = 0; k < 3; ++k) {
        double square = 0.0;
        for (int i = 0; i < 3; ++i) square += (p[k][i] - centre[i]) * (p[k][i] - centre[i]);
        radius = square > radius ? square : radius;
    }
    for (int i = 0; i < 3; ++i) {
        f.centre[i] = (float)(centre[i] - solid->form.low[i]);
        f.normal[i] = length > 0.0 ? (float)(normal[i] / sqrt(length)) : 0.0f;
    }
    f.radius = (float)sqrt(radius);
    return f;
}

/* ----------------------------------------------------------------------------------------------------------- order */

/* The bits of a number below CURVE_SIZE, two zeros between any two of them. */
static uint32_t spread(uint32_t n) {
    n = (n | n << 16) & 0x030000ffu;
    n = (n | n << 8) & 0x0300f00fu;
    n = (n | n << 4) & 0x030c30c3u;
    return (n | n << 2) & 0x09249249u;
}

/* Place along the curve, and which facet it is. */
static uint64_t key_of(const facet *f, float inverse) {
    uint32_t at[3];
    for (int i = 0; i < 3; ++i) {
        const float place = f->centre[i] * inverse;
        at[i] = place > 0.0f ? (uint32_t)place : 0;
        at[i] = at[i] < CURVE_SIZE ? at[i] : CURVE_SIZE - 1;
    }
    return (uint64_t)(spread(at[0]) | spread(at[1]) << 1 | spread(at[2]) << 2) << 32 | f->triangle;
}

/* Radix sort by place; `spare` is as large as `keys`, where the result is. */
static void sort_keys(uint64_t *keys, uint64_t *spare, size_t count) {
    for (int pass = 0; pass < 4; ++pass) { /* an even number: back to where it began */
        const int shift = 32 + 8 * pass;
        size_t first[256] = { 0 }, sum = 0;
        for (size_t i = 0; i < count; ++i) first[keys[i] >> shift & 255] += 1;
        for (int k = 0; k < 256; ++k) {
            const size_t here = first[k];
            first[k] = sum;
            sum += here;
        }
        for (size_t i = 0; i < count; ++i) spare[first[keys[i] >> shift & 255]++] = keys[i];
        uint64_t *const swap = keys;
        keys = spare, spare = swap;
    }
}

/* The facets of a mesh in order; the largest radius comes out. Negative: no memory. */
static double make_facets(const rill_solid *solid, facet **out, const rill_allocator *allocator) {
    const size_t count = solid->triangle_count;
    facet *facets = rill_memory_claim(allocator, count, sizeof *facets);
    uint64_t *keys = rill_memory_claim(allocator, 2 * count, sizeof *keys);
    *out = rill_memory_claim(allocator, count, sizeof *facets);
    double largest = facets && keys && *out ? 0.0 : -1.0, size = 0.0;
    for (int i = 0; i < 3; ++i) size = fmax(size, solid->form.high[i] - solid->form.low[i]);
    const float inverse = size > 0.0 ? (float)((double)CURVE_SIZE / size) : 0.0f;
    for (uint32_t t = 0; largest >= 0.0 && t < count; ++t) {
        facets[t] = facet_of(solid, t);
        keys[t] = key_of(&facets[t], inverse);
        largest = fmax(largest, (double)facets[t].radius);
    }
    if (largest >= 0.0) {
        sort_keys(keys, keys + count, count);
        for (size_t i = 0; i < count; ++i) (*out)[i] = facets[keys[i] & UINT32_MAX];
    }
    rill_memory_give(allocator, facets, count, sizeof *facets);
    rill_memory_give(allocator, keys, 2 * count, sizeof *keys);
    return largest;
}

/* ------------------------------------------------------------------------------------------------------------ tree */

static const node NOTHING = { .low = { INFINITY, INFINITY, INFINITY },
                              .high = { -INFINITY, -INFINITY, -INFINITY },
                              .least = { INFINITY, INFINITY, INFINITY },
                              .most = { -INFINITY, -INFINITY, -INFINITY },
                              .radius = -1.0f,
                              .thin = true };

static void include(node *n, const node *other) {
    for (int i = 0; i < 3; ++i) {
        n->low[i] = other->low[i] < n->low[i] ? other->low[i] : n->low[i];
        n->high[i] = other->high[i] > n->high[i] ? other->high[i] : n->high[i];
        n->least[i] = other->least[i] < n->least[i] ? other->least[i] : n->least[i];
        n->most[i] = other->most[i] > n->most[i] ? other->most[i] : n->most[i];
    }
    n->radius = other->radius > n->radius ? other->radius : n->radius;
    n->thin = n->thin && other->thin;
}

static node node_of(const facet *f) {
    node n = { .radius = f->radius };
    for (int i = 0; i < 3; ++i) {
        n.low[i] = n.high[i] = f->centre[i];
        n.least[i] = n.most[i] = f->normal[i];
    }
    return n;
}

static void grow_tree(tree *t, const facet *facets, size_t count) {
    for (size_t i = 0; i < 2 * t->leaf_first; ++i) t->nodes[i] = NOTHING;
    for (size_t i = 0; i < t->leaf_first * LEAF; ++i) {
        leaf *l = &t->leaves[i / LEAF];
        const size_t k = i % LEAF;
        const facet f = i < count ? facets[i] : (facet){ .centre = { INFINITY }, .triangle = RILL_NO_PART };
        for (int d = 0; d < 3; ++d) l->centre[d][k] = f.centre[d], l->normal[d][k] = f.normal[d];
        l->radius[k] = f.radius;
        l->thin[k] = i >= count;
        l->triangle[k] = f.triangle;
        const node one = node_of(&f);
        if (i < count) include(&t->nodes[t->leaf_first + i / LEAF], &one);
    }
    for (size_t i = t->leaf_first - 1; i > 0; --i) {
        include(&t->nodes[i], &t->nodes[2 * i]);
        include(&t->nodes[i], &t->nodes[2 * i + 1]);
    }
}

/* Which of a leaf are opposed to one of another; returns whether any is. */
static int32_t oppose(const leaf *a, size_t one, leaf *b, float near) {
    int32_t any = 0, hit[LEAF];
    for (int k = 0; k < LEAF; ++k) {
        float square = 0.0f, dot = 0.0f;
        const float reach = near + (a->radius[one] + b->radius[k]);
        for (int d = 0; d < 3; ++d) {
            const float apart = a->centre[d][one] - b->centre[d][k];
            square += apart * apart;
            dot += a->normal[d][one] * b->normal[d][k];
        }
        hit[k] = (dot < OPPOSED) & (square < reach * reach);
    }
    for (int k = 0; k < LEAF; ++k) {
        any |= hit[k];
        b->thin[k] |= hit[k];
    }
    return any;
}

static float least_product(float a, float b, float c, float d) {
    const float p = a * c, q = a * d, r = b * c, s = b * d;
    const float low = p < q ? p : q, high = r < s ? r : s;
    return low < high ? low : high;
}

/* Whether two of their triangles may be opposed. */
static bool may_oppose(const node *a, const node *b, float near) {
    if (a->radius < 0.0f || b->radius < 0.0f) return false;
    float square = 0.0f, dot = 0.0f;
    const float reach = (near + (a->radius + b->radius)) * (1.0f + ROUNDING);
    for (int i = 0; i < 3; ++i) {
        const float left = a->low[i] - b->high[i], right = b->low[i] - a->high[i];
        const float gap = left > right ? left : right;
        square += gap > 0.0f ? gap * gap : 0.0f;
        dot += least_product(a->least[i], a->most[i], b->least[i], b->most[i]);
    }
    return dot < OPPOSED + ROUNDING && square < reach * reach;
}

/* Whether one of a leaf may be opposed to some of a node, as far as its normal tells. */
static bool may_face(const leaf *a, size_t one, const node *b) {
    float dot = 0.0f;
    for (int d = 0; d < 3; ++d) {
        const float n = a->normal[d][one];
        dot += n * (n > 0.0f ? b->least[d] : b->most[d]);
    }
    return dot < OPPOSED + ROUNDING;
}

/* Those of a leaf that are not known to be thin, with all of another; returns whether there were others. */
static bool compare_leaf(leaf *a, leaf *b, const node *b_node, float near) {
    bool others = false;
    for (size_t i = 0; i < LEAF; ++i) {
        if (a->thin[i])
            others = true;
        else if (may_face(a, i, b_node))
            a->thin[i] = oppose(a, i, b, near);
    }
    return others;
}

static bool all_thin(const leaf *l) {
    int32_t all = 1;
    for (int k = 0; k < LEAF; ++k) all &= l->thin[k];
    return all;
}

static void compare_leaves(tree *t, size_t a, size_t b) {
    leaf *const p = &t->leaves[a - t->leaf_first], *const q = &t->leaves[b - t->leaf_first];
    if (compare_leaf(p, q, &t->nodes[b], t->near)) compare_leaf(q, p, &t->nodes[a], t->near);
    t->nodes[a].thin = all_thin(p);
    t->nodes[b].thin = all_thin(q);
}

/* As deep as the tree. */
static void compare(tree *t, size_t a, size_t b) {
    node *const nodes = t->nodes;
    if ((nodes[a].thin && nodes[b].thin) || !may_oppose(&nodes[a], &nodes[b], t->near)) return;
    if (a >= t->leaf_first && b >= t->leaf_first) {
        compare_leaves(t, a, b);
        return;
    }
    const size_t high = a < b ? a : b, low = a < b ? b : a; /* smaller numbers are nearer to the root */
    if (a == b) compare(t, 2 * a, 2 * a + 1);
    compare(t, 2 * high, a == b ? 2 * a : low);
    compare(t, 2 * high + 1, a == b ? 2 * a + 1 : low);
    nodes[high].thin = nodes[2 * high].thin && nodes[2 * high + 1].thin;
}

static bool find_thin(rill_solid *solid, const facet *facets, double near, const rill_allocator *allocator) {
    const size_t count = solid->triangle_count;
    tree t = { .leaf_first = 1, .near = (float)near };
    while (t.leaf_first * LEAF < count) t.leaf_first *= 2;
    t.leaves = rill_memory_claim(allocator, t.leaf_first, sizeof *t.leaves);
    t.nodes = rill_memory_claim(allocator, 2 * t.leaf_first, sizeof *t.nodes);
    solid->thin = rill_memory_take(allocator, count, sizeof *solid->thin);
    const bool good = t.leaves && t.nodes && solid->thin;
    if (good) {
        grow_tree(&t, facets, count);
        compare(&t, 1, 1);
        for (size_t i = 0; i < count; ++i)
            solid->thin[t.leaves[i / LEAF].triangle[i % LEAF]] = (uint8_t)t.leaves[i / LEAF].thin[i % LEAF];
    }
    rill_memory_give(allocator, t.leaves, t.leaf_first, sizeof *t.leaves);
    rill_memory_give(allocator, t.nodes, 2 * t.leaf_first, sizeof *t.nodes);
    return good;
}

bool rill_solid_measure(rill_solid *solid, double cell_size, const rill_allocator *allocator) {
    if (solid->def.shape != RILL_SHAPE_MESH || solid->part_count != 1 || solid->open_components > 0) return true;
    facet *facets;
    const double largest = make_facets(solid, &facets, allocator);
    bool good = largest >= 0.0;
    if (good && largest <= LARGEST * cell_size) good = find_thin(solid, facets, NEAR * cell_size, allocator);
    rill_memory_give(allocator, facets, solid->triangle_count, sizeof *facets);
    return good;
}
