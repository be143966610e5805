/* Boxes around triangles, see ray_tree.h.
 *
 * Based on: Moeller and Trumbore 1997, "Fast, minimum storage ray/triangle intersection". */
#include "shape/ray_tree.h"

#include <math.h>

#include "base/assert.h"
#include "base/vec.h"
#include "shape/morton.h"

enum { FAN = 8, LEVELS = 12 };

/* Boxes are larger than what is in them by this part of the size of all: rounding loses no triangle that is grazed. */
static const double MARGIN = 1e-9;

static size_t groups_of(size_t count) {
    return (count + FAN - 1) / FAN;
}

/* Counts the boxes of all levels. */
static size_t boxes_of(size_t triangles) {
    size_t level = groups_of(triangles), sum = level;
    while (level > 1) {
        level = groups_of(level);
        sum += level;
    }
    return sum;
}

/* ------------------------------------------------------------------------------------------------------------ making */

static void corners_of(const rill_triangles *triangles, uint32_t triangle, const double *out[3]) {
    const uint32_t *index = triangles->indices + 3 * (size_t)triangle;
    for (int k = 0; k < 3; ++k) out[k] = triangles->vertices + 3 * (size_t)index[k];
}

static rill_ray_box nothing(void) {
    const double inf = (double)INFINITY;
    return (rill_ray_box){ { inf, inf, inf }, { -inf, -inf, -inf } };
}

static void widen(rill_ray_box *box, const double low[3], const double high[3]) {
    for (int i = 0; i < 3; ++i) {
        if (low[i] < box->low[i]) box->low[i] = low[i];
        if (high[i] > box->high[i]) box->high[i] = high[i];
    }
}

static rill_ray_box box_of_all(const rill_triangles *triangles) {
    rill_ray_box all = nothing();
    for (size_t i = 0; i < 3 * triangles->count; ++i) {
        const double *vertex = triangles->vertices + 3 * (size_t)triangles->indices[i];
        widen(&all, vertex, vertex);
    }
    return all;
}

static double size_of(const rill_ray_box *box) {
    return fmax(fmax(box->high[0] - box->low[0], box->high[1] - box->low[1]), box->high[2] - box->low[2]);
}

/* Puts the triangles in order. `keys` has two places for each. */
static void order_triangles(rill_ray_tree *tree, const rill_triangles *triangles, const rill_ray_box *all,
                            uint64_t *keys) {
    const size_t count = triangles->count;
    const double size = size_of(all), inverse = size > 0.0 ? RILL_MORTON_SIZE / size : 0.0;
    for (size_t i = 0; i < count; ++i) {
        const double *corner[3];
        double centre[3];
        corners_of(triangles, (uint32_t)i, corner);
        for (int k = 0; k < 3; ++k) centre[k] = (corner[0][k] + corner[1][k] + corner[2][k]) / 3.0;
        keys[i] = rill_morton_key(centre, all->low, inverse, (uint32_t)i);
    }
    const uint64_t *sorted = rill_morton_sort(keys, keys + count, count);
    for (size_t i = 0; i < count; ++i) tree->order[i] = (uint32_t)sorted[i];
}

static void fill_boxes(rill_ray_tree *tree, const rill_triangles *triangles, double margin) {
    const size_t count = triangles->count;
    size_t level = groups_of(count), first = 0;
    for (size_t i = 0; i < level; ++i) tree->boxes[i] = nothing();
    for (size_t i = 0; i < count; ++i) {
        const double *corner[3];
        corners_of(triangles, tree->order[i], corner);
        for (int k = 0; k < 3; ++k) widen(&tree->boxes[i / FAN], corner[k], corner[k]);
    }
    for (size_t i = 0; i < level; ++i)
        for (int k = 0; k < 3; ++k) tree->boxes[i].low[k] -= margin, tree->boxes[i].high[k] += margin;
    while (level > 1) {
        const size_t next = groups_of(level);
        for (size_t i = 0; i < next; ++i) tree->boxes[first + level + i] = nothing();
        for (size_t i = 0; i < level; ++i)
            widen(&tree->boxes[first + level + i / FAN], tree->boxes[first + i].low, tree->boxes[first + i].high);
        first += level;
        level = next;
    }
    RILL_ASSERT(first + level == tree->box_count);
}

static bool take_memory(rill_ray_tree *tree, size_t triangles, const rill_allocator *allocator) {
    if (tree->order && tree->triangle_count == triangles) return true;
    rill_ray_tree_free(tree, allocator);
    tree->triangle_count = triangles;
    tree->box_count = boxes_of(triangles);
    tree->order = rill_alloc_zeroed(allocator, triangles, sizeof *tree->order);
    tree->boxes = rill_alloc_zeroed(allocator, tree->box_count, sizeof *tree->boxes);
    if (tree->order && tree->boxes) return true;
    rill_ray_tree_free(tree, allocator);
    return false;
}

bool rill_ray_tree_make(rill_ray_tree *tree, const rill_triangles *triangles, const rill_allocator *allocator) {
    const size_t count = triangles->count;
    if (tree->known || count == 0) return true;
    uint64_t *keys = rill_alloc_zeroed(allocator, 2 * count, sizeof *keys);
    if (!keys) return false;
    const bool good = take_memory(tree, count, allocator);
    if (good) {
        const rill_ray_box all = box_of_all(triangles);
        order_triangles(tree, triangles, &all, keys);
        fill_boxes(tree, triangles, MARGIN * size_of(&all));
        tree->known = true;
    }
    rill_free(allocator, keys, 2 * count, sizeof *keys);
    return good;
}

void rill_ray_tree_free(rill_ray_tree *tree, const rill_allocator *allocator) {
    rill_free(allocator, tree->order, tree->triangle_count, sizeof *tree->order);
    rill_free(allocator, tree->boxes, tree->box_count, sizeof *tree->boxes);
    *tree = (rill_ray_tree){ 0 };
}

/* ----------------------------------------------------------------------------------------------------------- casting */

/* Returns how far along the ray a triangle is met; infinity when it is not. */
static double meet(const rill_ray_line *line, const double *const corner[3]) {
    double ab[3], ac[3], p[3], q[3], s[3];
    rill_vec_difference(corner[1], corner[0], ab);
    rill_vec_difference(corner[2], corner[0], ac);
    rill_vec_cross(line->direction, ac, p);
    const double determinant = rill_vec_dot(ab, p);
    if (determinant == 0.0) return (double)INFINITY;
    rill_vec_difference(line->origin, corner[0], s);
    const double u = rill_vec_dot(s, p) / determinant;
    if (!(u >= 0.0 && u <= 1.0)) return (double)INFINITY;
    rill_vec_cross(s, ab, q);
    const double v = rill_vec_dot(line->direction, q) / determinant, t = rill_vec_dot(ac, q) / determinant;
    return v >= 0.0 && u + v <= 1.0 && t >= 0.0 ? t : (double)INFINITY;
}

/* Whether the ray passes through a box before a distance. */
static bool passes(const rill_ray_line *line, const rill_ray_box *box, double before) {
    double from = 0.0, to = before;
    for (int i = 0; i < 3; ++i) {
        const double o = line->origin[i], d = line->direction[i];
        if (d == 0.0) {
            if (o < box->low[i] || o > box->high[i]) return false;
            continue;
        }
        const double a = (box->low[i] - o) / d, b = (box->high[i] - o) / d;
        from = fmax(from, fmin(a, b));
        to = fmin(to, fmax(a, b));
    }
    return from <= to;
}

typedef struct cast {
    const rill_ray_tree *tree;
    const rill_triangles *triangles;
    const rill_ray_line *line;
    size_t first[LEVELS], count[LEVELS]; /* boxes of each level */
    double distance;
    uint32_t triangle;
    bool hit;
} cast;

static void try_group(cast *c, size_t group) {
    const size_t end = (group + 1) * FAN < c->triangles->count ? (group + 1) * FAN : c->triangles->count;
    for (size_t i = group * FAN; i < end; ++i) {
        const double *corner[3];
        corners_of(c->triangles, c->tree->order[i], corner);
        const double at = meet(c->line, corner);
        if (!(at < c->distance)) continue;
        c->distance = at;
        c->triangle = c->tree->order[i];
        c->hit = true;
    }
}

static void visit(cast *c, int level, size_t index) {
    if (!passes(c->line, &c->tree->boxes[c->first[level] + index], c->distance)) return;
    if (level == 0) {
        try_group(c, index);
        return;
    }
    for (size_t i = index * FAN; i < (index + 1) * FAN && i < c->count[level - 1]; ++i) visit(c, level - 1, i);
}

bool rill_ray_tree_cast(const rill_ray_tree *tree, const rill_triangles *triangles, const rill_ray_line *line,
                        double *distance, uint32_t *triangle) {
    if (triangles->count == 0) return false;
    RILL_ASSERT(tree->known && tree->triangle_count == triangles->count);
    cast c = { .tree = tree, .triangles = triangles, .line = line, .distance = *distance };
    int top = 0;
    c.count[0] = groups_of(triangles->count);
    while (c.count[top] > 1) {
        RILL_ASSERT(top + 1 < LEVELS);
        c.first[top + 1] = c.first[top] + c.count[top];
        c.count[top + 1] = groups_of(c.count[top]);
        top += 1;
    }
    visit(&c, top, 0);
    if (!c.hit) return false;
    *distance = c.distance;
    *triangle = c.triangle;
    return true;
}
