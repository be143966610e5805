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
 * Faces that are there more than once are taken once (doubled_triangles.c). Of a face that was drawn from both sides
 * nobody knows which is the outer one: a part of such faces is what is inside it, whatever the parts around it say. The
 * sides of a face may also have been cut into different triangles: what is no volume as a whole is taken apart where
 * surfaces meet, and of two parts that are the same, one of them inside out, that one goes (coincident.c). */
#include "base/alloc.h"
#include "base/array.h"
#include "base/assert.h"
#include "base/sort.h"
#include "base/union_find.h"
#include "base/vec.h"
#include "shape/coincident.h"
#include "shape/constants.h"
#include "shape/solid.h"

#include <math.h>
#include <string.h>

/* An edge that does not have just two triangles which run along it one each way. */
typedef struct edge {
    uint32_t low, high; /* vertices, by position */
    uint32_t triangle;  /* one that has it */
    bool odd, crowded;  /* the number of its triangles is; is more than two */
    int32_t balance;    /* how many of them run along it from low to high, minus those that run back */
} edge;

/* Triangles that hang together. */
typedef struct component {
    double surface, holes, volume;
    uint32_t first;  /* triangle */
    uint32_t number; /* of its part, once it has one */
    uint8_t flags;
} component;

typedef struct topology {
    const rill_solid *solid;
    const rill_allocator *allocator;
    uint32_t *same;     /* first vertex with the same position */
    uint32_t *parent;   /* union-find over triangles */
    uint8_t *two_sided; /* per triangle: one that runs the other way was dropped; NULL: of none */
    uint8_t *doubtful;  /* per triangle: see DOUBTFUL; NULL: nothing is */
    bool cut;           /* what is doubtful ends at crowded edges */
    uint64_t *sides;    /* of triangles: the edges of each vertex to higher ones, see fill_sides */
    uint32_t *ends;     /* of each vertex's sides */
    rill_array edges;   /* edge: those that are not as they should be */
    bool crowded;       /* some edge has more than two triangles */
    int64_t points;     /* triangles with two equal corners */
    uint32_t *border;   /* union-find over the vertices of borders; NULL without borders */
    double *holes;      /* 3 per vertex: vector area of the border whose root it is */
    rill_array components;
} topology;

enum { PART_OPEN = 1, PART_TWISTED = 2, PART_TWO_SIDED = 4, PART_CROWDED = 8, PART_MIRRORED = 16 };
/* Its component may be several that meet; and what is left of it between crowded edges has a border of its own. */
enum { DOUBTFUL = 1, DOUBTFUL_OPEN = 2 };

static const double *position(const topology *work, uint32_t vertex) {
    return work->solid->vertices + 3 * (size_t)vertex;
}

static void corners(const topology *work, uint32_t triangle, uint32_t out[3]) {
    for (int i = 0; i < 3; ++i) out[i] = work->same[work->solid->indices[3 * (size_t)triangle + (size_t)i]];
}

static double triangle_area(const topology *work, const uint32_t c[3]) {
    const double *p = position(work, c[0]), *q = position(work, c[1]), *r = position(work, c[2]);
    double a[3], b[3], normal[3];
    rill_vec_difference(q, p, a);
    rill_vec_difference(r, p, b);
    rill_vec_cross(a, b, normal);
    return 0.5 * sqrt(rill_vec_dot(normal, normal));
}

/* A triangle with two equal corners adds nothing to any edge and is dropped. One without area but with three corners
 * stays: it may be all that keeps its neighbours together, and it crosses no line by itself. */
static void drop_degenerate(topology *work, rill_solid *solid) {
    for (uint32_t i = 0; i < solid->triangle_count; ++i) {
        uint32_t c[3];
        corners(work, i, c);
        const bool point = c[0] == c[1] || c[1] == c[2] || c[2] == c[0];
        solid->parts[i] = point ? RILL_NO_PART : 0;
        work->points += point;
    }
}

static bool before(const uint64_t *a, const uint64_t *b) {
    return *a < *b;
}
RILL_SORT(sort_sides, uint64_t, before)

/* The sides of all triangles, gathered by their lower vertex: the higher one, the triangle, and whether it runs up. */
static void fill_sides(topology *work) {
    const rill_solid *solid = work->solid;
    uint32_t *const ends = work->ends;
    for (int pass = 0; pass < 2; ++pass) { /* counts them, then puts them where they belong */
        for (uint32_t i = 0; i < solid->triangle_count; ++i) {
            uint32_t c[3];
            if (solid->parts[i] == RILL_NO_PART) continue;
            corners(work, i, c);
            for (int k = 0; k < 3; ++k) {
                const uint32_t from = c[k], to = c[(k + 1) % 3], low = from < to ? from : to,
                               high = from < to ? to : from;
                if (pass)
                    work->sides[ends[low]++] = (uint64_t)high << 32 | i << 1 | (from < to);
                else
                    ends[low] += 1;
            }
        }
        uint32_t sum = 0;
        for (size_t v = 0; !pass && v < solid->vertex_count; ++v) {
            const uint32_t here = ends[v];
            ends[v] = sum;
            sum += here;
        }
        RILL_ASSERT(sum <= 3 * solid->triangle_count);
    }
}

/* Unites the triangles with the edge of some sides; notes it if it is not as it should be. */
static bool join(topology *work, uint32_t low, const uint64_t *sides, size_t count) {
    edge border = { .low = low,
                    .high = (uint32_t)(sides[0] >> 32),
                    .triangle = (uint32_t)sides[0] >> 1,
                    .odd = count & 1,
                    .crowded = count > 2 };
    for (size_t i = 0; i < count; ++i) {
        border.balance += sides[i] & 1 ? 1 : -1;
        if (i > 0) rill_union_find_unite(work->parent, border.triangle, (uint32_t)sides[i] >> 1);
    }
    work->crowded = work->crowded || border.crowded;
    return (!border.odd && !border.crowded && border.balance == 0) ||
           rill_array_push(&work->edges, work->allocator, &border);
}

/* Unites two by two what goes on beyond an edge, if surfaces may meet in it. */
static bool join_apart(topology *work, uint32_t low, uint64_t *sides, size_t count) {
    if (!work->doubtful || !work->doubtful[(uint32_t)sides[0] >> 1] || count > RILL_SIDES_MOST)
        return join(work, low, sides, count);
    if (work->cut) return count > 2 || join(work, low, sides, count);
    bool open[RILL_SIDES_MOST];
    for (size_t i = 0; i < count; ++i) open[i] = work->doubtful[(uint32_t)sides[i] >> 1] == DOUBTFUL_OPEN;
    const size_t pairs = rill_sides_pair(work->solid, work->same, low, sides, open, count);
    for (size_t i = 0; i < count; i += i < 2 * pairs ? 2 : 1)
        if (!join(work, low, sides + i, i < 2 * pairs ? 2 : 1)) return false;
    return true;
}

/* Finds out which triangles share edges. */
static bool connect(topology *work) {
    memset(work->ends, 0, work->solid->vertex_count * sizeof *work->ends);
    work->edges.count = 0;
    work->crowded = false;
    for (uint32_t i = 0; i < work->solid->triangle_count; ++i) work->parent[i] = i;
    fill_sides(work);
    size_t begin = 0;
    for (uint32_t v = 0; v < work->solid->vertex_count; ++v) {
        RILL_ASSERT(begin <= work->ends[v]);
        sort_sides(work->sides + begin, work->ends[v] - begin);
        while (begin < work->ends[v]) {
            size_t next = begin + 1;
            while (next < work->ends[v] && work->sides[next] >> 32 == work->sides[begin] >> 32) next += 1;
            if (!join_apart(work, v, work->sides + begin, next - begin)) return false;
            begin = next;
        }
    }
    return true;
}

/* Numbers what hangs together by the first triangle; until they are known, the parts of triangles are these. */
static bool find_components(topology *work, rill_solid *solid) {
    for (uint32_t i = 0; i < solid->triangle_count; ++i) {
        if (solid->parts[i] == RILL_NO_PART) continue;
        const uint32_t root = rill_union_find_root(work->parent, i); /* never after i, so already numbered */
        RILL_ASSERT(root <= i && solid->parts[root] != RILL_NO_PART);
        solid->parts[i] = root == i ? (uint32_t)work->components.count : solid->parts[root];
        if (root == i && !rill_array_push(&work->components, work->allocator, &(component){ .first = i })) return false;
    }
    return true;
}

static component *component_of(const topology *work, uint32_t triangle) {
    RILL_ASSERT(work->solid->parts[triangle] < work->components.count);
    return (component *)work->components.data + work->solid->parts[triangle];
}

/* Flags each component; returns whether any is open. */
static bool flag_components(topology *work) {
    bool open = false;
    const edge *edges = work->edges.data;
    for (size_t i = 0; i < work->edges.count; ++i) {
        const uint8_t odd = edges[i].odd ? PART_OPEN : 0,
                      twisted = !edges[i].odd && edges[i].balance ? PART_TWISTED : 0;
        component_of(work, edges[i].triangle)->flags |= odd | twisted | (edges[i].crowded ? PART_CROWDED : 0);
        open = open || edges[i].odd;
    }
    return open;
}

/* Adds half the cross product of an edge's ends, seen from the root of its border, to what is there. */
static void add_hole(topology *work, const edge *border) {
    const uint32_t root = rill_union_find_root(work->border, border->low);
    const double *o = position(work, root), *p = position(work, border->low), *q = position(work, border->high);
    const double sign = border->balance > 0 ? 0.5 : -0.5;
    double *sum = work->holes + 3 * (size_t)root;
    for (int k = 0; k < 3; ++k) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        sum[k] += sign * ((p[a] - o[a]) * (q[b] - o[b]) - (p[b] - o[b]) * (q[a] - o[a]));
    }
}

/* Takes the vector area of an edge's border; of the others nothing is left. */
static double take_hole(topology *work, const edge *border) {
    double *sum = work->holes + 3 * (size_t)rill_union_find_root(work->border, border->low);
    const double area = sqrt(rill_vec_dot(sum, sum));
    sum[0] = sum[1] = sum[2] = 0.0;
    return area;
}

/* The numbers of all edges by component, which begin at `first` and end at that of the next. */
static void order_edges(topology *work, uint32_t *order, uint32_t *first) {
    const edge *edges = work->edges.data;
    for (size_t i = 0; i < work->edges.count; ++i) first[work->solid->parts[edges[i].triangle] + 1] += 1;
    for (size_t i = 0; i < work->components.count; ++i) first[i + 1] += first[i];
    for (size_t i = work->edges.count; i-- > 0;) /* from behind: what is first stays first */
        order[--first[work->solid->parts[edges[i].triangle] + 1]] = (uint32_t)i;
    for (size_t i = 0; i < work->components.count; ++i) first[i] = first[i + 1];
    RILL_ASSERT(work->components.count == 0 || first[0] == 0);
    first[work->components.count] = (uint32_t)work->edges.count;
}

/* The holes of each component: borders of several may meet, and each has to do with its own alone. */
static bool find_holes(topology *work) {
    const rill_solid *solid = work->solid;
    const size_t count = work->components.count;
    const edge *edges = work->edges.data;
    component *components = work->components.data;
    uint32_t *order = rill_alloc(work->allocator, work->edges.count, sizeof *order);
    uint32_t *first = rill_alloc_zeroed(work->allocator, count + 1, sizeof *first);
    if (!work->border) work->border = rill_alloc(work->allocator, solid->vertex_count, sizeof(uint32_t));
    if (!work->holes) work->holes = rill_alloc(work->allocator, solid->vertex_count, 3 * sizeof(double));
    const bool good = order && first && work->border && work->holes;
    if (good) {
        memset(work->holes, 0, solid->vertex_count * 3 * sizeof(double));
        for (uint32_t v = 0; v < solid->vertex_count; ++v) work->border[v] = v;
        for (size_t i = 0; i < work->edges.count; ++i)
            if (edges[i].odd) rill_union_find_unite(work->border, edges[i].low, edges[i].high);
        order_edges(work, order, first);
    }
    for (size_t c = 0; good && c < count; ++c) {
        for (uint32_t i = first[c]; i < first[c + 1]; ++i)
            if (edges[order[i]].odd) add_hole(work, &edges[order[i]]);
        for (uint32_t i = first[c]; i < first[c + 1]; ++i)
            if (edges[order[i]].odd) components[c].holes += take_hole(work, &edges[order[i]]);
    }
    rill_free(work->allocator, order, work->edges.count, sizeof *order);
    rill_free(work->allocator, first, count + 1, sizeof *first);
    return good;
}

/* The tetrahedron of a triangle and a point, positive for one seen from within. */
static double tetrahedron(const double *o, const double *p, const double *q, const double *r) {
    double a[3], b[3], c[3];
    rill_vec_difference(p, o, a);
    rill_vec_difference(q, o, b);
    rill_vec_difference(r, o, c);
    return rill_vec_triple(a, b, c) / 6.0;
}

static void measure_components(topology *work, rill_solid *solid) {
    solid->degenerate_triangles = work->points;
    for (uint32_t i = 0; i < solid->triangle_count; ++i) {
        if (solid->parts[i] == RILL_NO_PART) continue;
        component *part = component_of(work, i);
        uint32_t c[3], start[3];
        corners(work, i, c);
        corners(work, part->first, start);
        const double area = triangle_area(work, c);
        part->surface += area;
        solid->degenerate_triangles += area == 0.0;
        part->volume +=
            tetrahedron(position(work, start[0]), position(work, c[0]), position(work, c[1]), position(work, c[2]));
        if (work->two_sided && work->two_sided[i]) part->flags |= PART_TWO_SIDED;
    }
}

static rill_part_kind kind_of(const component *part) {
    if (part->flags & PART_OPEN)
        return part->holes <= RILL_MESH_PUNCTURE * part->surface ? RILL_PART_PUNCTURED : RILL_PART_SHEET;
    if (part->flags & PART_TWISTED) return RILL_PART_PARITY;
    if (fabs(part->volume) <= RILL_MESH_FLAT * part->surface * sqrt(part->surface)) return RILL_PART_SHEET;
    return part->flags & PART_TWO_SIDED && part->volume < 0.0 ? RILL_PART_PARITY : RILL_PART_VOLUME;
}

static bool is_doubtful(const component *part) {
    return part->flags & PART_CROWDED && kind_of(part) != RILL_PART_VOLUME;
}

/* Takes out each volume that is another one inside out: the sides of its faces that look inwards. */
static bool drop_mirrored(topology *work, rill_solid *solid) {
    component *components = work->components.data;
    size_t count = 0, inward = 0;
    for (size_t i = 0; i < work->components.count; ++i) {
        const bool volume = kind_of(&components[i]) == RILL_PART_VOLUME;
        count += volume;
        inward += volume && components[i].volume < 0.0;
    }
    if (inward == 0 || inward == count) return true;
    rill_extent *extents = rill_alloc(work->allocator, work->components.count, sizeof *extents);
    if (!extents) return false;
    for (size_t i = 0; i < work->components.count; ++i)
        extents[i] = rill_extent_of(kind_of(&components[i]) == RILL_PART_VOLUME ? components[i].volume : 0.0,
                                    components[i].surface, (uint32_t)i);
    for (uint32_t i = 0; i < solid->triangle_count; ++i) {
        if (solid->parts[i] == RILL_NO_PART) continue;
        uint32_t c[3];
        corners(work, i, c);
        for (int k = 0; k < 3; ++k) rill_extent_add(&extents[solid->parts[i]], position(work, c[k]));
    }
    rill_extents_match(extents, work->components.count);
    for (size_t i = 0; i < work->components.count; ++i)
        if (extents[i].mirrored) components[extents[i].number].flags |= PART_MIRRORED;
    rill_free(work->allocator, extents, work->components.count, sizeof *extents);
    for (uint32_t i = 0; i < solid->triangle_count; ++i) {
        if (solid->parts[i] == RILL_NO_PART || !(component_of(work, i)->flags & PART_MIRRORED)) continue;
        solid->parts[i] = RILL_NO_PART;
        solid->doubled_triangles += 1;
    }
    return true;
}

/* Part 0 is all volumes; every other component becomes a part of its own. */
static bool number_parts(topology *work, rill_solid *solid) {
    component *components = work->components.data;
    size_t count = 1;
    for (size_t i = 0; i < work->components.count; ++i) {
        if (components[i].flags & PART_MIRRORED) continue;
        if (components[i].flags & PART_OPEN)
            solid->open_components += 1;
        else
            solid->closed_components += 1;
        count += kind_of(&components[i]) != RILL_PART_VOLUME;
    }
    solid->part_kinds = rill_alloc_zeroed(work->allocator, count, sizeof(uint8_t));
    solid->part_count = count;
    if (!solid->part_kinds) return false;
    count = 1;
    for (size_t i = 0; i < work->components.count; ++i) {
        const rill_part_kind kind = kind_of(&components[i]);
        components[i].number = kind == RILL_PART_VOLUME ? 0 : (uint32_t)count;
        if (kind != RILL_PART_VOLUME) solid->part_kinds[count++] = (uint8_t)kind;
    }
    RILL_ASSERT(count <= solid->part_count);
    for (size_t i = 0; i < solid->triangle_count; ++i)
        if (solid->parts[i] != RILL_NO_PART) solid->parts[i] = components[solid->parts[i]].number;
    for (size_t i = 0; i < solid->triangle_count; ++i)
        RILL_ASSERT(solid->parts[i] == RILL_NO_PART || solid->parts[i] < solid->part_count);
    return true;
}

/* Connects the triangles, and once more without those that are there already if there may be such. */
static bool find_edges(topology *work, rill_solid *solid) {
    drop_degenerate(work, solid);
    if (!connect(work)) return false;
    if (!work->crowded) return true;
    work->two_sided = rill_alloc_zeroed(work->allocator, solid->triangle_count, sizeof(uint8_t));
    if (!work->two_sided || !rill_solid_drop_doubled(solid, work->two_sided, work->allocator)) return false;
    return solid->doubled_triangles == 0 || connect(work);
}

static bool find_components_of(topology *work, rill_solid *solid) {
    work->components.count = 0;
    if (!find_components(work, solid) || (flag_components(work) && !find_holes(work))) return false;
    measure_components(work, solid);
    return true;
}

/* Finds out what of the doubtful is open. */
static bool find_doubtful_open(topology *work, rill_solid *solid) {
    work->cut = true;
    if (!connect(work)) return false;
    work->cut = false;
    const edge *edges = work->edges.data;
    for (size_t i = 0; i < work->edges.count; ++i) {
        uint8_t *of = &work->doubtful[rill_union_find_root(work->parent, edges[i].triangle)];
        if (edges[i].odd && *of) *of = DOUBTFUL_OPEN;
    }
    for (uint32_t i = 0; i < solid->triangle_count; ++i)
        if (solid->parts[i] != RILL_NO_PART) work->doubtful[i] = work->doubtful[rill_union_find_root(work->parent, i)];
    return true;
}

/* Takes components apart that are no volumes as they are, but may be several surfaces that meet: a body with a fin, or
 * one with each face drawn from both sides, of which one was cut into other triangles than the other. */
static bool part_doubtful(topology *work, rill_solid *solid) {
    bool any = false;
    const component *components = work->components.data;
    for (size_t i = 0; i < work->components.count && !any; ++i) any = is_doubtful(&components[i]);
    if (!any) return true;
    work->doubtful = rill_alloc_zeroed(work->allocator, solid->triangle_count, sizeof(uint8_t));
    if (!work->doubtful) return false;
    for (uint32_t i = 0; i < solid->triangle_count; ++i) {
        if (solid->parts[i] == RILL_NO_PART) continue;
        work->doubtful[i] = is_doubtful(component_of(work, i)) ? DOUBTFUL : 0;
        solid->parts[i] = 0;
    }
    return find_doubtful_open(work, solid) && connect(work) && find_components_of(work, solid);
}

bool rill_solid_find_parts(rill_solid *solid, const rill_allocator *allocator) {
    const size_t triangles = solid->triangle_count, vertices = solid->vertex_count;
    solid->welds = rill_alloc(allocator, vertices, sizeof(uint32_t));
    solid->parts = rill_alloc(allocator, triangles, sizeof(uint32_t));
    topology work = { .solid = solid,
                      .allocator = allocator,
                      .same = solid->welds,
                      .parent = rill_alloc(allocator, triangles, sizeof(uint32_t)),
                      .sides = rill_alloc(allocator, 3 * triangles, sizeof(uint64_t)),
                      .ends = rill_alloc(allocator, vertices, sizeof(uint32_t)),
                      .edges = rill_array_make(sizeof(edge)),
                      .components = rill_array_make(sizeof(component)) };
    const bool done = work.same && solid->parts && work.parent && work.sides && work.ends &&
                      rill_vertices_weld(solid->vertices, vertices, allocator, work.same) && find_edges(&work, solid) &&
                      find_components_of(&work, solid) && part_doubtful(&work, solid) && drop_mirrored(&work, solid) &&
                      number_parts(&work, solid);
    rill_free(allocator, work.parent, triangles, sizeof(uint32_t));
    rill_free(allocator, work.two_sided, triangles, sizeof(uint8_t));
    rill_free(allocator, work.doubtful, triangles, sizeof(uint8_t));
    rill_free(allocator, work.sides, 3 * triangles, sizeof(uint64_t));
    rill_free(allocator, work.ends, vertices, sizeof(uint32_t));
    rill_array_free(&work.edges, allocator);
    rill_free(allocator, work.border, vertices, sizeof(uint32_t));
    rill_free(allocator, work.holes, vertices, 3 * sizeof(double));
    rill_array_free(&work.components, allocator);
    return done;
}
