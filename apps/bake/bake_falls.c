/* Falls in bakes: one mesh of the surface and of what is in the air. */
#include "bake_output.h"

#include <stdlib.h>
#include <string.h>

/* Appends the items of one array to those of another, in new memory; false without. */
static bool append(void **both, const void *first, size_t first_count, const void *second, size_t second_count,
                   size_t size) {
    *both = malloc((first_count + second_count + 1) * size);
    if (!*both) return false;
    if (first_count > 0) memcpy(*both, first, first_count * size);
    if (second_count > 0) memcpy((char *)*both + first_count * size, second, second_count * size);
    return true;
}

bool rill_bake_add_falls(const rill_surface *surface, rill_surface_mesh *mesh) {
    rill_surface_mesh falls, both = { 0 };
    if (rill_surface_get_falls(surface, &falls) != RILL_OK) falls = (rill_surface_mesh){ 0 };
    const size_t n = mesh->vertex_count, m = falls.vertex_count, k = mesh->triangle_count, l = falls.triangle_count;
    const bool good = append((void **)&both.positions, mesh->positions, n, falls.positions, m, 3 * sizeof(float)) &&
                      append((void **)&both.normals, mesh->normals, n, falls.normals, m, 3 * sizeof(float)) &&
                      append((void **)&both.velocities, mesh->velocities, n, falls.velocities, m, 3 * sizeof(float)) &&
                      append((void **)&both.opacities, mesh->opacities, n, falls.opacities, m, sizeof(float)) &&
                      append((void **)&both.depths, mesh->depths, n, falls.depths, m, sizeof(float)) &&
                      append((void **)&both.wetness, mesh->wetness, n, falls.wetness, m, sizeof(float)) &&
                      append((void **)&both.layers, mesh->layers, n, falls.layers, m, sizeof(int32_t)) &&
                      append((void **)&both.indices, mesh->indices, k, falls.indices, l, 3 * sizeof(uint32_t));
    if (!good) {
        rill_bake_free_falls(&both);
        return false;
    }
    for (size_t i = 3 * k; i < 3 * (k + l); ++i) both.indices[i] += (uint32_t)n;
    both.vertex_count = n + m;
    both.triangle_count = k + l;
    *mesh = both;
    return true;
}

void rill_bake_free_falls(rill_surface_mesh *mesh) {
    void *const arrays[] = { mesh->positions, mesh->normals, mesh->velocities, mesh->opacities,
                             mesh->depths,    mesh->wetness, mesh->layers,     mesh->indices };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) free(arrays[i]);
    *mesh = (rill_surface_mesh){ 0 };
}
