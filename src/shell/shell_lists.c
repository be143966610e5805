/* Columns and triangles of a shell in order, its edges, and who is whose neighbour. */
#include "base/assert.h"
#include "base/sort.h"
#include "shape/morton.h"
#include "shell/shell_internal.h"

#include <math.h>
#include <string.h>

/* -------------------------------------------------------------------------------------------------------------- memory */

typedef struct array {
    void **data;
    size_t count, size;
} array;

enum { COLUMN_ARRAYS = 14, EDGE_ARRAYS = 7, BLOCK_ARRAYS = 2, ARRAYS = COLUMN_ARRAYS + EDGE_ARRAYS + BLOCK_ARRAYS };

/* Lists what is allocated once columns, edges and blocks are counted, in this order. */
static void list_arrays(rill_shell *shell, array arrays[ARRAYS]) {
    const size_t columns = (size_t)shell->block_count * RILL_SHELL_BLOCK, triangles = (size_t)shell->triangle_count,
                 edges = (size_t)shell->edge_count, slots = (size_t)shell->slot_count;
    const array list[ARRAYS] = {
        { (void **)&shell->positions, columns, sizeof *shell->positions },
        { (void **)&shell->normals, columns, sizeof *shell->normals },
        { (void **)&shell->area, columns, sizeof *shell->area },
        { (void **)&shell->relief, columns, sizeof *shell->relief },
        { (void **)&shell->ks, columns, sizeof *shell->ks },
        { (void **)&shell->kq, columns, sizeof *shell->kq },
        { (void **)&shell->depth_limit, columns, sizeof *shell->depth_limit },
        { (void **)&shell->flags, columns, sizeof *shell->flags },
        { (void **)&shell->part, columns, sizeof *shell->part },
        { (void **)&shell->origins, columns, sizeof *shell->origins },
        { (void **)&shell->triangles, triangles, sizeof *shell->triangles },
        { (void **)&shell->cotangents, triangles, sizeof *shell->cotangents },
        { (void **)&shell->triangle_area, triangles, sizeof *shell->triangle_area },
        { (void **)&shell->block_first, (size_t)shell->block_count + 1, sizeof *shell->block_first },
        { (void **)&shell->edges, edges + 1, sizeof *shell->edges },
        { (void **)&shell->weight, edges + 1, sizeof *shell->weight },
        { (void **)&shell->length, edges + 1, sizeof *shell->length },
        { (void **)&shell->opposite, edges + 1, sizeof *shell->opposite },
        { (void **)&shell->first, columns + 1, sizeof *shell->first },
        { (void **)&shell->neighbours, 2 * edges, sizeof *shell->neighbours },
        { (void **)&shell->neighbour_edges, 2 * edges, sizeof *shell->neighbour_edges },
        { (void **)&shell->slots, slots, sizeof *shell->slots },
        { (void **)&shell->slot_edges, slots, sizeof *shell->slot_edges },
    };
    memcpy(arrays, list, sizeof list);
}

/* Allocates some of the arrays, with zeros. */
static bool allocate(rill_shell *shell, int from, int count, const rill_allocator *allocator) {
    array arrays[ARRAYS];
    list_arrays(shell, arrays);
    for (int i = from; i < from + count; ++i) {
        *arrays[i].data = rill_alloc_zeroed(allocator, arrays[i].count, arrays[i].size);
        if (!*arrays[i].data) return false;
    }
    return true;
}

void rill_shell_free_arrays(rill_shell *shell, const rill_allocator *allocator) {
    array arrays[ARRAYS];
    list_arrays(shell, arrays);
    for (int i = 0; i < ARRAYS; ++i) rill_free(allocator, *arrays[i].data, arrays[i].count, arrays[i].size);
}

/* --------------------------------------------------------------------------------------------------------------- order */

/* Numbers the vertices of a mesh along a Morton curve. `keys` has two places for each; returns their order in the lower
 * halves. */
static const uint64_t *order_vertices(const rill_shell_draft *mesh, uint64_t *keys) {
    const rill_shell_vertex *vertices = rill_shell_vertices(mesh);
    const size_t count = mesh->vertices.count;
    double low[3], high[3], size = 0.0;
    for (size_t v = 0; v < count; ++v)
        for (int k = 0; k < 3; ++k) {
            low[k] = v ? fmin(low[k], vertices[v].at[k]) : vertices[v].at[k];
            high[k] = v ? fmax(high[k], vertices[v].at[k]) : vertices[v].at[k];
        }
    for (int k = 0; k < 3; ++k) size = fmax(size, high[k] - low[k]);
    for (size_t v = 0; v < count; ++v)
        keys[v] = rill_morton_key(vertices[v].at, low, size > 0.0 ? RILL_MORTON_SIZE / size : 0.0, (uint32_t)v);
    return rill_morton_sort(keys, keys + count, count);
}

static void copy_columns(rill_shell *shell, const rill_shell_draft *mesh, const uint64_t *order, uint32_t *number) {
    for (int32_t i = 0; i < shell->count; ++i) {
        const rill_shell_vertex *vertex = &rill_shell_vertices(mesh)[(uint32_t)order[i]];
        number[(uint32_t)order[i]] = (uint32_t)i;
        memcpy(shell->positions[i], vertex->at, sizeof vertex->at);
        shell->relief[i] = vertex->relief;
        shell->flags[i] = vertex->flags;
        shell->part[i] = vertex->part;
        shell->origins[i] = vertex->origin;
    }
}

/* Copies triangles, each from its lowest column on, in the order of those; `ends` has a place for each column. */
static void copy_triangles(rill_shell *shell, const rill_shell_draft *mesh, const uint32_t *number, uint32_t *ends) {
    const rill_shell_triangle *triangles = rill_shell_triangles(mesh);
    const size_t count = mesh->triangles.count;
    memset(ends, 0, (size_t)shell->count * sizeof *ends);
    for (int pass = 0; pass < 2; ++pass) { /* counts them, then puts them where they belong */
        for (size_t t = 0; t < count; ++t) {
            uint32_t v[3];
            for (int k = 0; k < 3; ++k) v[k] = number[triangles[t].v[k]];
            const int least = v[0] < v[1] ? (v[0] < v[2] ? 0 : 2) : (v[1] < v[2] ? 1 : 2);
            const uint32_t place = ends[v[least]]++;
            for (int k = 0; pass && k < 3; ++k) shell->triangles[place][k] = v[(least + k) % 3];
        }
        uint32_t sum = 0;
        for (int32_t i = 0; !pass && i < shell->count; ++i) {
            const uint32_t here = ends[i];
            ends[i] = sum;
            sum += here;
        }
    }
}

/* --------------------------------------------------------------------------------------------------------------- edges */

/* A side of a triangle, from its lower column. */
typedef struct side {
    uint32_t high;
    int32_t corner; /* that faces it */
} side;

static bool lies_before(const side *a, const side *b) {
    return a->high != b->high ? a->high < b->high : a->corner < b->corner;
}
RILL_SORT(sort_sides, side, lies_before)

/* Gathers the sides of all triangles by their lower columns, those of column i up to ends[i], and counts the edges. */
static int32_t gather_sides(const rill_shell *shell, side *sides, uint32_t *ends) {
    int32_t edges = 0;
    memset(ends, 0, (size_t)shell->count * sizeof *ends);
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t c = 0; c < 3 * shell->triangle_count; ++c) {
            const uint32_t *v = shell->triangles[c / 3], from = v[(c + 1) % 3], to = v[(c + 2) % 3];
            const uint32_t place = ends[from < to ? from : to]++;
            if (pass) sides[place] = (side){ .high = from < to ? to : from, .corner = c };
        }
        uint32_t sum = 0;
        for (int32_t i = 0; !pass && i < shell->count; ++i) {
            const uint32_t here = ends[i];
            ends[i] = sum;
            sum += here;
        }
    }
    for (int32_t i = 0; i < shell->count; ++i) {
        const uint32_t begin = i ? ends[i - 1] : 0;
        sort_sides(sides + begin, ends[i] - begin);
        for (uint32_t s = begin; s < ends[i]; ++s) edges += s == begin || sides[s].high != sides[s - 1].high;
    }
    return edges;
}

/* Whether the side that a corner faces runs up from column i. */
static bool runs_from(const rill_shell *shell, int32_t corner, int32_t i) {
    return shell->triangles[corner / 3][(corner % 3 + 1) % 3] == (uint32_t)i;
}

static void fill_edges(rill_shell *shell, const side *sides, const uint32_t *ends) {
    int32_t e = -1;
    for (int32_t i = 0; i < shell->count; ++i) {
        const uint32_t begin = i ? ends[i - 1] : 0;
        for (uint32_t s = begin; s < ends[i]; ++s) {
            if (s == begin || sides[s].high != sides[s - 1].high) {
                shell->edges[++e][0] = i, shell->edges[e][1] = (int32_t)sides[s].high;
                shell->opposite[e][0] = shell->opposite[e][1] = -1;
            }
            int32_t *opposite = &shell->opposite[e][!runs_from(shell, sides[s].corner, i)];
            RILL_ASSERT(*opposite < 0); /* neighbours are wound alike */
            *opposite = sides[s].corner;
        }
    }
    RILL_ASSERT(e + 1 == shell->edge_count);
    shell->opposite[shell->edge_count][0] = shell->opposite[shell->edge_count][1] = -1;
    for (e = 0; e < shell->edge_count; ++e)
        for (int k = 0; k < 2; ++k)
            if (shell->opposite[e][0] < 0 || shell->opposite[e][1] < 0)
                shell->flags[shell->edges[e][k]] |= RILL_SHELL_BORDER;
}

/* ---------------------------------------------------------------------------------------------------------- neighbours */

/* Edges are in order, so each column meets its lower neighbours, then its higher ones, each in ascending order. */
static void fill_neighbours(rill_shell *shell) {
    const int32_t columns = shell->block_count * RILL_SHELL_BLOCK;
    for (int32_t e = 0; e < shell->edge_count; ++e)
        for (int k = 0; k < 2; ++k) shell->first[shell->edges[e][k] + 1] += 1;
    for (int32_t i = 0; i < columns; ++i) shell->first[i + 1] += shell->first[i];
    for (int up = 0; up < 2; ++up)
        for (int32_t e = 0; e < shell->edge_count; ++e) {
            const int32_t place = shell->first[shell->edges[e][!up]]++;
            shell->neighbours[place] = shell->edges[e][up];
            shell->neighbour_edges[place] = e;
        }
    for (int32_t i = columns; i > 0; --i) shell->first[i] = shell->first[i - 1];
    shell->first[0] = 0;
    RILL_ASSERT(shell->first[columns] == 2 * shell->edge_count);
}

/* Lays out the blocks: each is as wide as the most neighbours that one of its columns has. */
static void count_slots(rill_shell *shell) {
    int32_t sum = 0;
    for (int32_t b = 0; b < shell->block_count; ++b) {
        int32_t most = 0;
        for (int32_t i = b * RILL_SHELL_BLOCK; i < (b + 1) * RILL_SHELL_BLOCK; ++i)
            most = shell->first[i + 1] - shell->first[i] > most ? shell->first[i + 1] - shell->first[i] : most;
        shell->block_first[b] = sum;
        sum += most * RILL_SHELL_BLOCK;
    }
    shell->block_first[shell->block_count] = shell->slot_count = sum;
}

static void fill_slots(rill_shell *shell) {
    for (int32_t i = 0; i < shell->block_count * RILL_SHELL_BLOCK; ++i) {
        const int32_t block = i / RILL_SHELL_BLOCK;
        int32_t at = shell->first[i];
        for (int32_t slot = shell->block_first[block] + i % RILL_SHELL_BLOCK; slot < shell->block_first[block + 1];
             slot += RILL_SHELL_BLOCK) {
            const bool there = at < shell->first[i + 1];
            shell->slots[slot] = there ? shell->neighbours[at] : i;
            shell->slot_edges[slot] = there ? shell->neighbour_edges[at] : shell->edge_count;
            at += there;
        }
        RILL_ASSERT(at == shell->first[i + 1]);
    }
}

static bool take(rill_shell *shell, const rill_shell_draft *mesh, uint64_t *keys, uint32_t *number, uint32_t *ends,
                 side *sides, const rill_allocator *allocator) {
    shell->count = (int32_t)mesh->vertices.count;
    shell->triangle_count = (int32_t)mesh->triangles.count;
    shell->block_count = (shell->count + RILL_SHELL_BLOCK - 1) / RILL_SHELL_BLOCK;
    if (!allocate(shell, 0, COLUMN_ARRAYS, allocator)) return false;
    copy_columns(shell, mesh, order_vertices(mesh, keys), number);
    copy_triangles(shell, mesh, number, ends);
    shell->edge_count = gather_sides(shell, sides, ends);
    if (!allocate(shell, COLUMN_ARRAYS, 7, allocator)) return false;
    fill_edges(shell, sides, ends);
    fill_neighbours(shell);
    count_slots(shell);
    if (!allocate(shell, COLUMN_ARRAYS + EDGE_ARRAYS, BLOCK_ARRAYS, allocator)) return false;
    fill_slots(shell);
    return true;
}

bool rill_shell_take(rill_shell *shell, const rill_shell_draft *mesh, const rill_allocator *allocator) {
    const size_t count = mesh->vertices.count, triangles = mesh->triangles.count;
    uint64_t *keys = rill_alloc(allocator, 2 * count, sizeof *keys);
    uint32_t *number = rill_alloc(allocator, count, sizeof *number), *ends = rill_alloc(allocator, count, sizeof *ends);
    side *sides = rill_alloc(allocator, 3 * triangles, sizeof *sides);
    const bool good = keys && number && ends && sides && take(shell, mesh, keys, number, ends, sides, allocator);
    rill_free(allocator, keys, 2 * count, sizeof *keys);
    rill_free(allocator, number, count, sizeof *number);
    rill_free(allocator, ends, count, sizeof *ends);
    rill_free(allocator, sides, 3 * triangles, sizeof *sides);
    return good;
}
