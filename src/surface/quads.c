/* Triangles of full quads: four columns of a sheet that are linked with each other. Runs of them are written by kernels. */
#include <string.h>

#include "surface/surface_internal.h"

static bool is_full(uint8_t quad) {
    return quad == RILL_QUAD_RISING || quad == RILL_QUAD_FALLING;
}

/* Eight at a time. */
void rill_quads_rewrite(const rill_surface *s, const rill_surface_row *row, uint32_t *out) {
    const uint8_t *quads = s->quads + row->start, *before = s->quads_other + row->start;
    const int32_t *south = s->vertex + row->start, *north = south + row->stride;
    for (int32_t x = 0, left = row->full; left > 0; x += 8) {
        const bool same = memcmp(quads + x, before + x, 8) == 0;
        int32_t from = x;
        for (int32_t i = x; !same && i < x + 8; ++i) {
            if (is_full(quads[i])) continue;
            s->kernels->triangles(i - from, quads + from, (uint32_t)south[from], (uint32_t)north[from], out);
            out += 6 * (size_t)(i - from);
            left -= i - from;
            from = i + 1;
        }
        const int32_t rest = same ? (int32_t)((rill_full_eight(quads + x) * RILL_ONES) >> 56) : x + 8 - from;
        if (!same && rest > 0)
            s->kernels->triangles(rest, quads + from, (uint32_t)south[from], (uint32_t)north[from], out);
        out += 6 * (size_t)rest;
        left -= rest;
    }
}

void rill_quads_write(const rill_surface *s, const rill_surface_row *row, uint32_t *out) {
    const uint8_t *quads = s->quads + row->start;
    const uint64_t *const full = rill_marks(s, row, RILL_MARK_FULL);
    const int32_t *south = s->vertex + row->start, *north = south + row->stride;
    for (int32_t x = row->low; x < row->high;) {
        const int32_t from = rill_next_mark(full, 0, x, row->high);
        x = rill_next_mark(full, UINT64_MAX, from, row->high);
        if (x > from) s->kernels->triangles(x - from, quads + from, (uint32_t)south[from], (uint32_t)north[from], out);
        out += 6 * (size_t)(x - from);
    }
}
