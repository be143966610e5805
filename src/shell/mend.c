/* Any triangles to a mesh of which each edge has at most two, that run along it one each way. */
#include "base/assert.h"
#include "base/sort.h"
#include "shape/coincident.h"
#include "shell/shell_internal.h"

#include <string.h>

static rill_shell_vertex vertex_of(const rill_shell_input *input, uint32_t v) {
    rill_shell_vertex vertex = { 0 };
    for (size_t k = 0; k < 3; ++k) vertex.at[k] = (double)input->vertices[3 * (size_t)v + k] * input->scale;
    return vertex;
}

static bool copy_mesh(const rill_shell_input *input, const uint32_t *welds, uint32_t *number,
                      const rill_allocator *allocator, rill_shell_draft *mesh, rill_shell_report *report) {
    for (size_t v = 0; v < input->vertex_count; ++v) number[v] = RILL_SHELL_NONE;
    for (size_t t = 0; t < input->triangle_count; ++t) {
        const uint32_t *c = input->indices + 3 * t;
        const uint32_t welded[3] = { welds[c[0]], welds[c[1]], welds[c[2]] };
        rill_shell_triangle triangle = { .across = { RILL_SHELL_NONE, RILL_SHELL_NONE, RILL_SHELL_NONE } };
        if (welded[0] == welded[1] || welded[1] == welded[2] || welded[2] == welded[0]) {
            report->degenerate_triangles += 1;
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            uint32_t *known = &number[welded[k]];
            if (*known == RILL_SHELL_NONE) {
                rill_shell_vertex vertex = vertex_of(input, welded[k]);
                *known = (uint32_t)mesh->vertices.count;
                vertex.origin.triangle = (uint32_t)t;
                vertex.origin.shares[k] = 1.0f;
                if (!rill_array_push(&mesh->vertices, allocator, &vertex)) return false;
            }
            triangle.v[input->inside && k ? 3 - k : k] = *known;
        }
        if (!rill_array_push(&mesh->triangles, allocator, &triangle)) return false;
    }
    return true;
}

static bool lies_before(const uint64_t *a, const uint64_t *b) {
    return *a < *b;
}
RILL_SORT(sort_sides_by_ends, uint64_t, lies_before)

/* Refuses meshes in which some edge has more than two triangles, or two that are wound against each other: along such an edge two
 * sides run the same way. */
static rill_result check_edges(const rill_shell_draft *mesh, const char *name, const rill_allocator *allocator,
                               rill_message *message) {
    const size_t count = 3 * mesh->triangles.count;
    const rill_shell_triangle *triangles = rill_shell_triangles(mesh);
    uint64_t *sides = rill_alloc(allocator, count, sizeof *sides);
    if (!sides) return RILL_OUT_OF_MEMORY;
    for (size_t s = 0; s < count; ++s)
        sides[s] = (uint64_t)triangles[s / 3].v[s % 3] << 32 | triangles[s / 3].v[(s % 3 + 1) % 3];
    sort_sides_by_ends(sides, count);
    rill_result result = RILL_OK;
    for (size_t s = 1; !result && s < count; ++s) {
        if (sides[s] != sides[s - 1]) continue;
        const double *a = rill_shell_vertices(mesh)[sides[s] >> 32].at,
                     *b = rill_shell_vertices(mesh)[(uint32_t)sides[s]].at;
        result = rill_fail(
            message, RILL_INVALID_DATA,
            "shell %.64s: from (%g, %g, %g) to (%g, %g, %g) runs an edge of triangles that are wound against each "
            "other, or of more than two; expected at most two, wound alike",
            name ? name : "", a[0], a[1], a[2], b[0], b[1], b[2]);
    }
    rill_free(allocator, sides, count, sizeof *sides);
    return result;
}

rill_result rill_shell_mend(const rill_shell_input *input, const rill_allocator *allocator, rill_shell_draft *mesh,
                            rill_shell_report *report, rill_message *message) {
    const size_t count = input->vertex_count;
    double *places = rill_alloc(allocator, count, 3 * sizeof *places);
    uint32_t *welds = rill_alloc(allocator, count, sizeof *welds),
             *number = rill_alloc(allocator, count, sizeof *number);
    rill_result result = RILL_OUT_OF_MEMORY;
    report->given_vertices = count, report->given_triangles = input->triangle_count;
    for (size_t i = 0; places && i < 3 * count; ++i) places[i] = (double)input->vertices[i];
    if (places && welds && number && rill_vertices_weld(places, count, allocator, welds) &&
        copy_mesh(input, welds, number, allocator, mesh, report))
        result = RILL_OK;
    for (size_t v = 0; !result && v < count; ++v) report->welded_vertices += welds[v] != v;
    rill_free(allocator, places, count, 3 * sizeof *places);
    rill_free(allocator, welds, count, sizeof *welds);
    rill_free(allocator, number, count, sizeof *number);
    if (!result && mesh->triangles.count == 0)
        return rill_fail(message, RILL_INVALID_DATA, "shell %s: its %zu triangles have no area, expected a surface",
                         input->name ? input->name : "", input->triangle_count);
    return result ? result : check_edges(mesh, input->name, allocator, message);
}
