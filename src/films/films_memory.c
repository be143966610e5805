/* Memory of films: what a shell is, as kernels want it, and what is on it. */
#include <math.h>
#include <string.h>

#include "base/message.h"
#include "films/films_internal.h"

typedef struct array {
    void **data;
    size_t count, size;
} array;

enum { MOST_ARRAYS = 56 };

/* Lists all arrays; returns how many there are. Those of edges and of triangles have a place more. */
static size_t list_arrays(rill_films *films, array *out) {
    rill_films_planes *p = &films->planes;
    const size_t columns = (size_t)films->columns, edges = (size_t)films->shell->edge_count + 1;
    const size_t triangles = (size_t)films->shell->triangle_count + 1, blocks = (size_t)films->shell->block_count + 1;
    const size_t slots = (size_t)films->shell->slot_count, tasks = (size_t)films->task_count;
    size_t count = 0;
#define LIST(POINTER, COUNT) out[count++] = (array){ (void **)&(POINTER), COUNT, sizeof *(POINTER) }
    LIST(films->relief, columns), LIST(films->inverse_area, columns), LIST(films->area, columns);
    LIST(films->limit, columns), LIST(films->weight, columns), LIST(films->advancing, columns);
    LIST(films->receding, columns), LIST(films->least, columns), LIST(films->per_quantum, columns);
    LIST(films->base, columns), LIST(films->rise, columns), LIST(films->calm, columns);
    LIST(films->bodies, columns), LIST(films->restless, columns), LIST(films->queue, columns);
    LIST(films->marked, blocks), LIST(films->blocks, blocks), LIST(films->first_edge, blocks);
    LIST(films->first_triangle, blocks), LIST(films->outcomes, tasks);
    LIST(films->sides, edges), LIST(films->cotangents, edges), LIST(films->per_length, edges);
    LIST(films->reach, edges), LIST(films->slopes, triangles);
    LIST(p->volume, columns), LIST(p->depth, columns), LIST(p->wet, columns), LIST(p->change, columns);
    LIST(p->potential, columns), LIST(p->pressed, columns), LIST(p->s, columns), LIST(p->hollow, columns);
    LIST(p->free, columns), LIST(p->moved, columns), LIST(p->residual, columns), LIST(p->direction, columns);
    LIST(p->product, columns), LIST(p->thrust, columns), LIST(p->pull, columns), LIST(p->share, columns);
    LIST(p->u, edges), LIST(p->a, edges), LIST(p->gain, edges), LIST(p->open, edges), LIST(p->crossing, edges);
    LIST(p->slant, triangles), LIST(p->slot_a, slots), LIST(p->slot_m, slots), LIST(p->fresh, blocks);
#undef LIST
    return count;
}

static void free_arrays(rill_films *films, const rill_allocator *allocator) {
    array arrays[MOST_ARRAYS];
    const size_t count = list_arrays(films, arrays);
    for (size_t i = 0; i < count; ++i) rill_free(allocator, *arrays[i].data, arrays[i].count, arrays[i].size);
}

static bool take_arrays(rill_films *films, const rill_allocator *allocator) {
    array arrays[MOST_ARRAYS];
    const size_t count = list_arrays(films, arrays);
    for (size_t i = 0; i < count; ++i) {
        *arrays[i].data = rill_alloc_zeroed(allocator, arrays[i].count, arrays[i].size);
        if (!*arrays[i].data) return false;
    }
    return true;
}

static void look_at_columns(rill_films *films) {
    const rill_shell *shell = films->shell;
    for (int32_t i = 0; i < shell->count; ++i) {
        films->relief[i] = (float)shell->relief[i];
        films->area[i] = (float)shell->area[i];
        films->inverse_area[i] = shell->area[i] > 0.0 ? (float)(1.0 / shell->area[i]) : 0.0f;
        films->per_quantum[i] = shell->area[i] > 0.0 ? films->quantum / shell->area[i] : 0.0;
        films->limit[i] = (float)shell->depth_limit[i];
        films->least[i] = films->h_min;
        double weights = 0.0;
        for (int32_t at = shell->first[i]; at < shell->first[i + 1]; ++at)
            weights += shell->weight[shell->neighbour_edges[at]];
        films->widest = fmax(films->widest, weights / shell->area[i]);
    }
}

static float cotangent(const rill_shell *shell, int32_t corner) {
    return corner < 0 ? 0.0f : 0.5f * (float)shell->cotangents[corner / 3][corner % 3];
}

static void look_at_edges(rill_films *films) {
    const rill_shell *shell = films->shell;
    for (int32_t e = 0; e < shell->edge_count; ++e) {
        for (int k = 0; k < 2; ++k) {
            const int32_t corner = shell->opposite[e][k];
            films->sides[e][k] = corner < 0 ? shell->triangle_count : corner / 3;
            films->cotangents[e][k] = cotangent(shell, corner);
        }
        films->per_length[e] = (float)(1.0 / shell->length[e]);
        films->reach[e] = (float)(shell->weight[e] * shell->length[e]);
        films->first_edge[shell->edges[e][0] / RILL_SHELL_BLOCK + 1] = e + 1;
    }
    for (int32_t t = 0; t < shell->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k)
            films->slopes[t][k] = (float)(0.5 * shell->cotangents[t][k] / shell->triangle_area[t]);
        films->first_triangle[shell->triangles[t][0] / RILL_SHELL_BLOCK + 1] = t + 1;
    }
    for (int32_t b = 0; b < shell->block_count; ++b) { /* blocks in which nothing begins */
        int32_t *edge = films->first_edge + b, *triangle = films->first_triangle + b;
        if (edge[1] < edge[0]) edge[1] = edge[0];
        if (triangle[1] < triangle[0]) triangle[1] = triangle[0];
    }
    films->planes.slant[shell->triangle_count] = 1.0f;
}

static void hand_over(rill_films *films) {
    const rill_shell *shell = films->shell;
    rill_films_planes *p = &films->planes;
    p->relief = films->relief, p->inverse_area = films->inverse_area, p->area = films->area;
    p->limit = films->limit, p->per_quantum = films->per_quantum, p->base = films->base, p->rise = films->rise;
    p->weight = films->weight, p->advancing = films->advancing, p->receding = films->receding;
    p->least = films->least, p->ends = (const int32_t(*)[2])shell->edges, p->sides = (const int32_t(*)[2])films->sides;
    p->cotangents = (const float(*)[2])films->cotangents, p->per_length = films->per_length;
    p->reach = films->reach, p->corners = (const uint32_t(*)[3])shell->triangles;
    p->slopes = (const float(*)[3])films->slopes, p->first_slot = shell->block_first;
    p->first_edge = films->first_edge, p->first_triangle = films->first_triangle;
    p->slots = shell->slots, p->slot_edges = shell->slot_edges;
}

rill_result rill_films_make(const rill_shell *shell, double quantum, const rill_runtime *runtime, rill_films **out,
                            rill_message *message) {
    const rill_allocator *allocator = &runtime->allocator;
    rill_films *films = rill_alloc_zeroed(allocator, 1, sizeof *films);
    *out = NULL;
    if (!films) return rill_fail(message, RILL_OUT_OF_MEMORY, "shell: no memory for liquid");
    films->shell = shell;
    films->quantum = quantum;
    films->columns = shell->block_count * RILL_SHELL_BLOCK;
    films->task_count = rill_tasks_width(runtime) > 1 ? rill_tasks_width(runtime) : 1;
    films->h_min = (float)(RILL_LEAST_FILM * shell->spacing);
    for (int k = 0; k < 3; ++k) films->middle[k] = 0.5 * (shell->low[k] + shell->high[k]);
    if (!take_arrays(films, allocator)) {
        rill_films_free(films, allocator);
        return rill_fail(message, RILL_OUT_OF_MEMORY, "shell: no memory for liquid on %d columns", shell->count);
    }
    look_at_columns(films);
    look_at_edges(films);
    hand_over(films);
    *out = films;
    return RILL_OK;
}

void rill_films_free(rill_films *films, const rill_allocator *allocator) {
    if (!films) return;
    free_arrays(films, allocator);
    rill_free(allocator, films, 1, sizeof *films);
}
