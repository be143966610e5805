/* How much memory a world asks for: hooks that count. Worlds that are timed do without them, since the library's own ask the
 * system for large pages. */
#include "bench_parts.h"

#include <stdlib.h>

static void *allocate(size_t size, size_t alignment, void *user) {
    rill_bench_memory *memory = user;
    void *block = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    memory->live += block != NULL ? size : 0;
    memory->most = memory->live > memory->most ? memory->live : memory->most;
    return block;
}

static void release(void *block, size_t size, size_t alignment, void *user) {
    rill_bench_memory *memory = user;
    (void)alignment;
    memory->live -= size;
    free(block);
}

rill_allocator rill_bench_count(rill_bench_memory *memory) {
    return (rill_allocator){ .allocate = allocate, .release = release, .user = memory };
}
