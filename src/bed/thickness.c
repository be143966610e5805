/* Where a mesh is thin: which of its triangles may be the face of a wall that stands between two lines.
 *
 * The two faces of such a wall, or of a gap, look in opposite directions and are nearer to each other than a cell is wide
 * (walls.c looks at squares of cells). Triangles that have no such neighbour need not be looked at again, wherever the mesh
 * is placed: for a thick body this is most of the work of rasterising it. Nothing is said about meshes of large triangles,
 * nor about parts that are not closed.
 *
 * Centres of triangles are sorted into cubes as wide as two of them can matter to each other. */
#include "base/memory.h"
#include "bed/solid.h"
#include "bed/sort.h"

#include <math.h>
#include <string.h>

static const double NEAR = 2.0;        /* cells: more than the diagonal of a square of four centres */
static const double LARGEST = 4.0;     /* cells: radius of a triangle */
static const double CUBES = 1048576.0; /* 2^20 along each axis */

typedef struct facet {
    uint64_t cube;
    double centre[3], normal[3]; /* of any length */
    double radius;
    uint32_t triangle;
} facet;

static bool facet_before(const facet *a, const facet *b) {
    return a->cube != b->cube ? a->cube < b->cube : a->triangle < b->triangle;
}
RILL_SORT(sort_facets, facet, facet_before)

static facet facet_of(const rill_solid *solid, uint32_t triangle) {
    const uint32_t *corner = solid->indices + 3 * (size_t)triangle;
    const double *p[3];
    for (int k = 0; k < 3; ++k) p[k] = solid->vertices + 3 * (size_t)corner[k];
    facet f = { .triangle = triangle };
    double a[3], b[3];
    for (int i = 0; i < 3; ++i) {
        f.centre[i] = (p[0][i] + p[1][i] + p[2][i]) / 3.0;
        a[i] = p[1][i] - p[0][i], b[i] = p[2][i] - p[0][i];
    }
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        f.normal[i] = a[j] * b[k] - a[k] * b[j];
    }
    for (int k = 0; k < 3; ++k) {
        double square = 0.0;
        for (int i = 0; i < 3; ++i) square += (p[k][i] - f.centre[i]) * (p[k][i] - f.centre[i]);
        f.radius = sqrt(square) > f.radius ? sqrt(square) : f.radius;
    }
    return f;
}

static uint64_t cube_of(const int64_t place[3]) {
    return (uint64_t)place[2] << 42 | (uint64_t)place[1] << 21 | (uint64_t)place[0];
}

/* The first facet of a cube, by bisection. */
static size_t find_cube(const facet *facets, size_t count, uint64_t cube) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (facets[middle].cube < cube)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool opposed(const facet *a, const facet *b, double near) {
    double square = 0.0, dot = 0.0, reach = near + a->radius + b->radius;
    for (int i = 0; i < 3; ++i) {
        square += (a->centre[i] - b->centre[i]) * (a->centre[i] - b->centre[i]);
        dot += a->normal[i] * b->normal[i];
    }
    return dot < 0.0 && square < reach * reach;
}

static bool is_thin(const facet *facets, size_t count, const facet *f, double near) {
    const uint64_t mask = ((uint64_t)1 << 21) - 1;
    const int64_t at[3] = { (int64_t)(f->cube & mask), (int64_t)(f->cube >> 21 & mask), (int64_t)(f->cube >> 42) };
    for (int64_t z = -1; z <= 1; ++z)
        for (int64_t y = -1; y <= 1; ++y) { /* cubes along x follow each other */
            const int64_t first[3] = { at[0] - 1, at[1] + y, at[2] + z }, last[3] = { at[0] + 1, at[1] + y, at[2] + z };
            const uint64_t end = cube_of(last);
            for (size_t i = find_cube(facets, count, cube_of(first)); i < count && facets[i].cube <= end; ++i)
                if (opposed(f, &facets[i], near)) return true;
        }
    return false;
}

/* Sorts the facets into cubes; false if there would be too many. */
static bool fill_cubes(facet *facets, size_t count, const rill_form *form, double width) {
    for (int i = 0; i < 3; ++i)
        if (!((form->high[i] - form->low[i]) / width < CUBES)) return false;
    for (size_t t = 0; t < count; ++t) {
        int64_t place[3];
        for (int i = 0; i < 3; ++i) place[i] = 1 + (int64_t)((facets[t].centre[i] - form->low[i]) / width);
        facets[t].cube = cube_of(place);
    }
    sort_facets(facets, count);
    return true;
}

bool rill_solid_measure(rill_solid *solid, double cell_size, const rill_allocator *allocator) {
    const size_t count = solid->triangle_count;
    if (solid->def.shape != RILL_SHAPE_MESH || solid->part_count != 1 || solid->open_components > 0) return true;
    facet *facets = rill_memory_claim(allocator, count, sizeof *facets);
    if (!facets) return false;
    double largest = 0.0;
    for (uint32_t t = 0; t < count; ++t) {
        facets[t] = facet_of(solid, t);
        largest = facets[t].radius > largest ? facets[t].radius : largest;
    }
    const double near = NEAR * cell_size;
    bool good = true;
    if (largest <= LARGEST * cell_size && fill_cubes(facets, count, &solid->form, near + 2.0 * largest)) {
        solid->thin = rill_memory_take(allocator, count, sizeof *solid->thin);
        good = solid->thin != NULL;
        for (size_t i = 0; good && i < count; ++i)
            solid->thin[facets[i].triangle] = is_thin(facets, count, &facets[i], near);
    }
    rill_memory_give(allocator, facets, count, sizeof *facets);
    return good;
}
