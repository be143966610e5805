/* Triangles of a row: first those of full quads, four columns of a sheet that are linked with each other, in runs that
 * kernels write; then those of its odd quartets, as they are kept (quartets.c). */
#include <string.h>

#include "base/hash.h"
#include "surface/surface_internal.h"

static bool is_full(uint8_t quad) {
    return quad == RILL_QUAD_RISING || quad == RILL_QUAD_FALLING;
}

/* Writes only full quads whose diagonals have changed, eight at a time. */
static void rewrite_quads(const rill_surface *surface, const rill_surface_row *row, uint32_t *out) {
    const uint8_t *quads = surface->quads + row->start, *before = surface->quads_other + row->start;
    const int32_t *south = surface->vertex + row->start, *north = south + row->stride;
    for (int32_t x = 0, left = row->full; left > 0; x += 8) {
        const bool same = memcmp(quads + x, before + x, 8) == 0;
        int32_t from = x;
        for (int32_t i = x; !same && i < x + 8; ++i) {
            if (is_full(quads[i])) continue;
            surface->kernels->triangles(i - from, quads + from, (uint32_t)south[from], (uint32_t)north[from], out);
            out += 6 * (size_t)(i - from);
            left -= i - from;
            from = i + 1;
        }
        const int32_t rest = same ? (int32_t)((rill_full_eight(quads + x) * RILL_ONES) >> 56) : x + 8 - from;
        if (!same && rest > 0)
            surface->kernels->triangles(rest, quads + from, (uint32_t)south[from], (uint32_t)north[from], out);
        out += 6 * (size_t)rest;
        left -= rest;
    }
}

/* Writes all full quads of a row. */
static void write_quads(const rill_surface *surface, const rill_surface_row *row, uint32_t *out) {
    const uint8_t *quads = surface->quads + row->start;
    const uint64_t *const full = rill_marks(surface, row, RILL_MARK_FULL);
    const int32_t *south = surface->vertex + row->start, *north = south + row->stride;
    for (int32_t x = row->low; x < row->high;) {
        const int32_t from = rill_next_mark(full, 0, x, row->high);
        x = rill_next_mark(full, UINT64_MAX, from, row->high);
        if (x > from)
            surface->kernels->triangles(x - from, quads + from, (uint32_t)south[from], (uint32_t)north[from], out);
        out += 6 * (size_t)(x - from);
    }
}

/* ------------------------------------------------------------------------------------------------------------ hash */

static uint64_t mix(uint64_t hash, const void *eight) {
    uint64_t word;
    memcpy(&word, eight, sizeof word);
    hash = (hash ^ word) * 0x100000001b3u;
    return hash ^ hash >> 29;
}

uint64_t rill_hash_words(uint64_t hash, const void *data, size_t words) {
    const unsigned char *bytes = data;
    uint64_t strands[4] = { hash, hash + 1, hash + 2, hash + 3 };
    size_t i = 0;
    for (; i + 8 <= words; i += 8)
        for (size_t k = 0; k < 4; ++k) strands[k] = mix(strands[k], bytes + 4 * i + 8 * k);
    for (size_t k = 0; k < 3 && i + 2 <= words; i += 2, ++k) strands[k] = mix(strands[k], bytes + 4 * i);
    uint32_t last = 0;
    if (words & 1) memcpy(&last, bytes + 4 * (words - 1), 4);
    for (size_t k = 0; k < 4; ++k) hash = mix(hash, &strands[k]);
    return rill_hash_u64(hash, (uint64_t)words << 32 | last);
}

/* Hashes a row: full quads follow from their kinds and the numbers their rows begin with; odd triangles are hashed as
 * they are. */
static uint64_t hash_row(const rill_surface *surface, const rill_surface_row *row) {
    const size_t odd = (size_t)(row->triangles - 2 * row->full), before = row->first_triangle + 2 * (size_t)row->full;
    const uint64_t numbers = (uint64_t)row->first_vertex << 32 | (uint64_t)row[1].first_vertex;
    return rill_hash_words(rill_hash_u64(row->quad_hash, numbers), surface->mesh.indices + 3 * before, 3 * odd);
}

void rill_row_triangles(const rill_build *build, rill_surface_row *row) {
    const rill_surface *surface = build->surface;
    if (row->reshaped || row->flipped || build->fresh)
        row->quad_hash = rill_hash_words(RILL_HASH_START, surface->quads + row->start, (size_t)row->count / 4);
    if (row->triangles == 0) return;
    uint32_t *out = surface->mesh.indices + 3 * row->first_triangle;
    RILL_ASSERT(row->triangles >= 2 * row->full &&
                row->first_triangle + (size_t)row->triangles <= surface->mesh.triangle_count);
    const bool all = row->reshaped || row->moved || row->renumbered || row[1].renumbered;
    if (all)
        write_quads(surface, row, out);
    else if (row->flipped)
        rewrite_quads(surface, row, out);
    uint32_t *odd = out + 6 * (size_t)row->full, *at = rill_odd_triangles(surface, row->first_odd);
    const bool again = row->moved || !row->same_odd || build->fresh;
    if (row->same_odd && again && row->odd > 0 && surface->def.smooth_shores) rill_row_put_odd(build, row);
    if (again) memcpy(odd, at, 3 * (size_t)(row->triangles - 2 * row->full) * sizeof *odd);
    if (again || all || row->flipped) row->hash = hash_row(surface, row);
}
