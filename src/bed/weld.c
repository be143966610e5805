/* Which vertices are in the same place: meshes without indices (STL), or with a vertex for each normal, have each several times. */
#include "base/memory.h"
#include "bed/meeting.h"

#include <string.h>

static uint64_t mix(uint64_t h) {
    h = (h ^ (h >> 32)) * 0x9e3779b97f4a7c15ull;
    return h ^ (h >> 29);
}

bool rill_vertices_weld(const double *vertices, size_t count, const rill_allocator *allocator, uint32_t *same) {
    size_t size = 16;
    while (size < 2 * count) size *= 2;
    uint32_t *slots = rill_memory_take(allocator, size, sizeof *slots); /* hash table of index + 1 */
    for (uint32_t v = 0; slots && v < count; ++v) {
        const double *p = vertices + 3 * (size_t)v;
        uint64_t h = 0;
        for (int i = 0; i < 3; ++i) {
            const double coordinate = p[i] + 0.0; /* -0 becomes 0 */
            uint64_t bits;
            memcpy(&bits, &coordinate, sizeof bits);
            h = mix(h ^ bits);
        }
        size_t slot = h & (size - 1);
        while (slots[slot]) {
            const double *q = vertices + 3 * (size_t)(slots[slot] - 1);
            if (p[0] == q[0] && p[1] == q[1] && p[2] == q[2]) break;
            slot = (slot + 1) & (size - 1);
        }
        if (!slots[slot]) slots[slot] = v + 1;
        same[v] = slots[slot] - 1;
    }
    rill_memory_give(allocator, slots, size, sizeof *slots);
    return slots != NULL;
}
