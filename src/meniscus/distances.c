/* Distances from the contact line, as the meniscus has found them (meniscus.h), by vertex: for those who want to see them. */
#include <math.h>

#include "meniscus/meniscus.h"

bool rill_distances_write(rill_surface *surface, double cell_size) {
    const rill_fringe *fringe = surface->fringe;
    const rill_fringe_column *columns = fringe->columns.data;
    const rill_rim *rims = surface->rims.data;
    const size_t count = surface->mesh.vertex_count, first_rim = surface->column_vertices;
    if (!rill_array_resize(&surface->distances, &surface->allocator, count)) return false;
    float *out = surface->mesh.distances = surface->distances.data;
    for (size_t i = 0; i < count; ++i) out[i] = INFINITY;
    for (size_t i = 0; i < fringe->columns.count; ++i)
        out[surface->vertex[columns[i].place]] = (float)(sqrt((double)fringe->squares[columns[i].place]) * cell_size);
    for (size_t r = 0; r < surface->rims.count && surface->def.smooth_shores; ++r) {
        const size_t vertex = first_rim + r;
        out[vertex] = rill_rim_is_contact(&rims[r]) ? 0.0f : out[surface->vertex[rims[r].place]];
        if (rims[r].skirt >= 0) out[rims[r].skirt] = out[vertex];
    }
    for (size_t i = first_rim; i < count && !surface->def.smooth_shores; ++i) out[i] = 0.0f;
    return true;
}
