/* Which vertices are in the same place: meshes without indices (STL), or with a vertex for each normal, have each
 * several times. */
#include "base/alloc.h"
#include "base/assert.h"
#include "shape/coincident.h"

#include <string.h>

static uint64_t mix(uint64_t h) {
    h = (h ^ (h >> 32)) * 0x9e3779b97f4a7c15ull;
    return h ^ (h >> 29);
}

static uint64_t hash_of(const double *p) {
    uint64_t h = 0;
    for (int i = 0; i < 3; ++i) {
        const double coordinate = p[i] + 0.0; /* -0 becomes 0 */
        uint64_t bits;
        memcpy(&bits, &coordinate, sizeof bits);
        h = mix(h ^ bits);
    }
    return h;
}

/* The table is looked up all over: of so many vertices, slots and what is there are asked for before any is
 * compared. */
enum { BLOCK = 32 };

bool rill_vertices_weld(const double *vertices, size_t count, const rill_allocator *allocator, uint32_t *same) {
    size_t size = 16;
    while (size < 2 * count) size *= 2;
    uint32_t *slots = rill_alloc_zeroed(allocator, size, sizeof *slots); /* hash table of index + 1 */
    for (size_t first = 0; slots && first < count; first += BLOCK) {
        const size_t here = count - first < BLOCK ? count - first : BLOCK;
        size_t begin[BLOCK];
        for (size_t i = 0; i < here; ++i) {
            begin[i] = (size_t)hash_of(vertices + 3 * (first + i)) & (size - 1);
            __builtin_prefetch(&slots[begin[i]]);
        }
        for (size_t i = 0; i < here; ++i)
            if (slots[begin[i]]) __builtin_prefetch(vertices + 3 * (size_t)(slots[begin[i]] - 1));
        for (size_t i = 0; i < here; ++i) {
            const double *p = vertices + 3 * (first + i);
            size_t slot = begin[i];
            while (slots[slot]) {
                const double *q = vertices + 3 * (size_t)(slots[slot] - 1);
                if (p[0] == q[0] && p[1] == q[1] && p[2] == q[2]) break;
                slot = (slot + 1) & (size - 1);
            }
            if (!slots[slot]) slots[slot] = (uint32_t)(first + i) + 1;
            same[first + i] = slots[slot] - 1;
            RILL_ASSERT(same[first + i] <= first + i && same[same[first + i]] == same[first + i]);
        }
    }
    rill_free(allocator, slots, size, sizeof *slots);
    return slots != NULL;
}
