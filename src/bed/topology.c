/* Connected parts of a mesh, and whether they are closed.
 *
 * Vertices count as the same where their positions are, so that unwelded files (STL) work. Two triangles are
 * connected when they share an edge. A part is closed when each of its edges has an even number of triangles; if,
 * too, each edge is run along as often one way as the other, its orientation is consistent and winding numbers tell
 * inside from outside.
 *
 * An open part is a sheet, unless its holes are small: scans are often punctured, and are meant to be solid. The
 * size of a hole is its vector area, 1/2 sum(p x q) over the border: nothing for a crack, however long. A closed part
 * that encloses nothing, like the two sides of a card, is a sheet too.
 *
 * Faces that are there more than once are taken once (doubled.c). Of a face that was drawn from both sides nobody knows
 * which is the outer one: a part of such faces is what is inside it, whatever the parts around it say. */
#include "base/forest.h"
#include "base/memory.h"
#include "bed/solid.h"

#include <math.h>
#include <string.h>

/* Holes together may have this share of the surface in a part that still counts as a volume. */
static const double PUNCTURE = 1.0 / 32.0;
/* A closed part with less volume than this share of its surface to the power 3/2 is flat: a plate of a thousandth of its
 * width has 300 times as much, and rounding places to floats gives less than a tenth. */
static const double FLAT = 1e-6;

typedef struct edge {
    uint32_t low, high; /* vertices, by position; low == high: a free slot */
    uint32_t triangle;  /* one that has it */
    uint32_t count;
    int32_t balance; /* how many triangles run along it from low to high, minus those that run back */
} edge;

/* How large a part is. */
typedef struct measures {
    double surface, holes, volume;
} measures;

typedef struct topology {
    const rill_solid *solid;
    const rill_allocator *allocator;
    uint32_t *same;  /* first vertex with the same position */
    uint32_t *slots; /* hash table of vertices: index + 1 */
    edge *edges;     /* hash table */
    size_t slot_count, edge_count;
    uint32_t *parent; /* union-find over triangles */
    uint8_t *flags;   /* of each part's first triangle */
    uint8_t *two_sided; /* per triangle: one that runs the other way was dropped */
    uint32_t *border; /* union-find over the vertices of borders; NULL without borders */
    double *holes;    /* 3 per vertex: vector area of the border whose root it is */
    measures *sizes;  /* of the part whose first triangle it is */
    bool crowded;     /* some edge has more than two triangles */
} topology;

enum { PART_OPEN = 1, PART_TWISTED = 2, PART_TWO_SIDED = 4 };

static size_t table_size(size_t count) {
    size_t size = 16;
    while (size < 2 * count) size *= 2;
    return size;
}

static uint64_t mix(uint64_t h) {
    h = (h ^ (h >> 32)) * 0x9e3779b97f4a7c15ull;
    return h ^ (h >> 29);
}

static const double *position(const topology *t, uint32_t vertex) {
    return t->solid->vertices + 3 * (size_t)vertex;
}

static void weld(topology *t) {
    for (uint32_t v = 0; v < t->solid->vertex_count; ++v) {
        uint64_t h = 0;
        for (int i = 0; i < 3; ++i) {
            double coordinate = position(t, v)[i] + 0.0; /* -0 becomes 0 */
            uint64_t bits;
            memcpy(&bits, &coordinate, sizeof bits);
            h = mix(h ^ bits);
        }
        size_t slot = h & (t->slot_count - 1);
        while (t->slots[slot]) {
            const double *p = position(t, v), *q = position(t, t->slots[slot] - 1);
            if (p[0] == q[0] && p[1] == q[1] && p[2] == q[2]) break;
            slot = (slot + 1) & (t->slot_count - 1);
        }
        if (!t->slots[slot]) t->slots[slot] = v + 1;
        t->same[v] = t->slots[slot] - 1;
    }
}

static void corners(const topology *t, uint32_t triangle, uint32_t out[3]) {
    for (int i = 0; i < 3; ++i) out[i] = t->same[t->solid->indices[3 * (size_t)triangle + (size_t)i]];
}

static void add_edge(topology *t, uint32_t from, uint32_t to, uint32_t triangle) {
    uint32_t low = from < to ? from : to, high = from < to ? to : from;
    size_t slot = mix((uint64_t)high << 32 | low) & (t->edge_count - 1);
    while (t->edges[slot].count && (t->edges[slot].low != low || t->edges[slot].high != high))
        slot = (slot + 1) & (t->edge_count - 1);
    edge *e = &t->edges[slot];
    if (!e->count)
        *e = (edge){ .low = low, .high = high, .triangle = triangle };
    else
        rill_forest_unite(t->parent, e->triangle, triangle);
    e->count += 1;
    t->crowded = t->crowded || e->count > 2;
    e->balance += from < to ? 1 : -1;
}

static double triangle_area(const topology *t, const uint32_t c[3]) {
    const double *p = position(t, c[0]), *q = position(t, c[1]), *r = position(t, c[2]);
    double a[3], b[3];
    for (int i = 0; i < 3; ++i) a[i] = q[i] - p[i], b[i] = r[i] - p[i];
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    return 0.5 * sqrt((x * x + y * y) + z * z);
}

/* A triangle with two equal corners adds nothing to any edge and is dropped. One without area but with three corners
 * stays: it may be all that keeps its neighbours together, and it crosses no line by itself. */
static void drop_degenerate(const topology *t, rill_solid *solid) {
    for (uint32_t i = 0; i < solid->triangle_count; ++i) {
        uint32_t c[3];
        corners(t, i, c);
        const bool point = c[0] == c[1] || c[1] == c[2] || c[2] == c[0];
        solid->parts[i] = point ? RILL_NO_PART : 0;
        solid->degenerate_triangles += point || triangle_area(t, c) == 0.0;
    }
}

static void connect(topology *t) {
    for (uint32_t i = 0; i < t->solid->triangle_count; ++i) t->parent[i] = i;
    for (uint32_t i = 0; i < t->solid->triangle_count; ++i) {
        uint32_t c[3];
        corners(t, i, c);
        if (t->solid->parts[i] == RILL_NO_PART) continue;
        for (int k = 0; k < 3; ++k) add_edge(t, c[k], c[(k + 1) % 3], i);
    }
}

/* Flags each part; returns whether any is open. */
static bool flag_parts(topology *t) {
    bool open = false;
    for (size_t i = 0; i < t->edge_count; ++i) {
        const edge *e = &t->edges[i];
        if (!e->count) continue;
        uint8_t *flags = &t->flags[rill_forest_root(t->parent, e->triangle)];
        if (e->count & 1)
            *flags |= PART_OPEN, open = true;
        else if (e->balance)
            *flags |= PART_TWISTED;
    }
    return open;
}

/* The vector area of each border, at its root. */
static bool find_holes(topology *t) {
    const rill_solid *solid = t->solid;
    t->border = rill_memory_take(t->allocator, solid->vertex_count, sizeof(uint32_t));
    t->holes = rill_memory_take(t->allocator, solid->vertex_count, 3 * sizeof(double));
    if (!t->border || !t->holes) return false;
    for (uint32_t v = 0; v < solid->vertex_count; ++v) t->border[v] = v;
    for (size_t i = 0; i < t->edge_count; ++i)
        if (t->edges[i].count & 1) rill_forest_unite(t->border, t->edges[i].low, t->edges[i].high);
    for (size_t i = 0; i < t->edge_count; ++i) {
        const edge *e = &t->edges[i];
        if (!(e->count & 1)) continue;
        uint32_t root = rill_forest_root(t->border, e->low);
        const double *o = position(t, root), *p = position(t, e->low), *q = position(t, e->high);
        double sign = e->balance > 0 ? 0.5 : -0.5, *sum = t->holes + 3 * (size_t)root;
        for (int k = 0; k < 3; ++k) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            sum[k] += sign * ((p[a] - o[a]) * (q[b] - o[b]) - (p[b] - o[b]) * (q[a] - o[a]));
        }
    }
    return true;
}

/* The tetrahedron of a triangle and a point, positive for one seen from within. */
static double tetrahedron(const double *o, const double *p, const double *q, const double *r) {
    double a[3], b[3], c[3];
    for (int i = 0; i < 3; ++i) a[i] = p[i] - o[i], b[i] = q[i] - o[i], c[i] = r[i] - o[i];
    return (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) /
           6.0;
}

static void measure_parts(topology *t) {
    for (uint32_t i = 0; i < t->solid->triangle_count; ++i) {
        if (t->solid->parts[i] == RILL_NO_PART) continue;
        const uint32_t root = rill_forest_root(t->parent, i);
        uint32_t c[3], start[3];
        corners(t, i, c);
        corners(t, root, start);
        t->sizes[root].surface += triangle_area(t, c);
        t->sizes[root].volume +=
            tetrahedron(position(t, start[0]), position(t, c[0]), position(t, c[1]), position(t, c[2]));
        if (t->two_sided && t->two_sided[i]) t->flags[root] |= PART_TWO_SIDED;
    }
    for (size_t i = 0; t->holes && i < t->edge_count; ++i) {
        const edge *e = &t->edges[i];
        if (!(e->count & 1)) continue;
        double *sum = t->holes + 3 * (size_t)rill_forest_root(t->border, e->low);
        t->sizes[rill_forest_root(t->parent, e->triangle)].holes += sqrt((sum[0] * sum[0] + sum[1] * sum[1]) + sum[2] * sum[2]);
        sum[0] = sum[1] = sum[2] = 0.0; /* each border counts once */
    }
}

static rill_part_kind kind_of(const topology *t, uint32_t root) {
    const measures *size = &t->sizes[root];
    const uint8_t flags = t->flags[root];
    if (flags & PART_OPEN) return size->holes <= PUNCTURE * size->surface ? RILL_PART_PUNCTURED : RILL_PART_SHEET;
    if (flags & PART_TWISTED) return RILL_PART_PARITY;
    if (fabs(size->volume) <= FLAT * size->surface * sqrt(size->surface)) return RILL_PART_SHEET;
    return flags & PART_TWO_SIDED && size->volume < 0.0 ? RILL_PART_PARITY : RILL_PART_VOLUME;
}

/* Part 0 is all volumes; every other part gets a number of its own. */
static bool number_parts(topology *t, rill_solid *solid) {
    size_t count = 1;
    for (uint32_t i = 0; i < solid->triangle_count; ++i)
        if (solid->parts[i] != RILL_NO_PART && t->parent[i] == i) {
            if (t->flags[i] & PART_OPEN)
                solid->open_components += 1;
            else
                solid->closed_components += 1;
            if (kind_of(t, i) != RILL_PART_VOLUME) count += 1;
        }
    solid->part_kinds = rill_memory_take(t->allocator, count, sizeof(uint8_t));
    solid->part_count = count;
    if (!solid->part_kinds) return false;
    count = 1;
    for (uint32_t i = 0; i < solid->triangle_count; ++i) {
        if (solid->parts[i] == RILL_NO_PART) continue;
        uint32_t root = rill_forest_root(t->parent, i); /* never after i, so already numbered */
        rill_part_kind kind = kind_of(t, root);
        if (kind == RILL_PART_VOLUME) continue;
        if (root == i) {
            solid->part_kinds[count] = (uint8_t)kind;
            solid->parts[i] = (uint32_t)count++;
        } else
            solid->parts[i] = solid->parts[root];
    }
    return true;
}

/* Connects the triangles, and once more without those that are there already if there may be such. */
static bool find_edges(topology *t, rill_solid *solid) {
    drop_degenerate(t, solid);
    connect(t);
    if (!t->crowded) return true;
    t->two_sided = rill_memory_take(t->allocator, solid->triangle_count, sizeof(uint8_t));
    if (!t->two_sided || !rill_solid_drop_doubled(solid, t->two_sided, t->allocator)) return false;
    if (solid->doubled_triangles > 0) {
        memset(t->edges, 0, t->edge_count * sizeof *t->edges);
        connect(t);
    }
    return true;
}

bool rill_solid_find_parts(rill_solid *solid, const rill_allocator *allocator) {
    const size_t triangles = solid->triangle_count, vertices = solid->vertex_count;
    topology t = { .solid = solid,
                   .allocator = allocator,
                   .slot_count = table_size(vertices),
                   .edge_count = table_size(3 * triangles / 2 + 1) };
    /* An open or unconnected mesh has up to three edges per triangle: the table never fills all the same. */
    if (t.edge_count < 4 * triangles) t.edge_count *= 2;
    solid->welds = t.same = rill_memory_take(allocator, vertices, sizeof(uint32_t));
    t.slots = rill_memory_take(allocator, t.slot_count, sizeof(uint32_t));
    t.edges = rill_memory_take(allocator, t.edge_count, sizeof(edge));
    t.parent = rill_memory_take(allocator, triangles, sizeof(uint32_t));
    t.flags = rill_memory_take(allocator, triangles, sizeof(uint8_t));
    t.sizes = rill_memory_take(allocator, triangles, sizeof(measures));
    solid->parts = rill_memory_take(allocator, triangles, sizeof(uint32_t));
    bool done = t.same && t.slots && t.edges && t.parent && t.flags && t.sizes && solid->parts;
    if (done) weld(&t);
    done = done && find_edges(&t, solid) && (!flag_parts(&t) || find_holes(&t));
    if (done) {
        measure_parts(&t);
        done = number_parts(&t, solid);
    }
    rill_memory_give(allocator, t.slots, t.slot_count, sizeof(uint32_t));
    rill_memory_give(allocator, t.edges, t.edge_count, sizeof(edge));
    rill_memory_give(allocator, t.parent, triangles, sizeof(uint32_t));
    rill_memory_give(allocator, t.flags, triangles, sizeof(uint8_t));
    rill_memory_give(allocator, t.two_sided, triangles, sizeof(uint8_t));
    rill_memory_give(allocator, t.border, vertices, sizeof(uint32_t));
    rill_memory_give(allocator, t.holes, vertices, 3 * sizeof(double));
    rill_memory_give(allocator, t.sizes, triangles, sizeof(measures));
    return done;
}
