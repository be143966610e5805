#include "base/blocks.h"
#include "base/assert.h"

typedef struct block {
    void *memory;
    size_t size;
    bool used;
} block;

rill_blocks rill_blocks_make(const rill_allocator *behind) {
    return (rill_blocks){ .all = rill_array_make(sizeof(block)), .behind = *behind };
}

void rill_blocks_free(rill_blocks *blocks) {
    block *all = blocks->all.data;
    for (size_t i = 0; i < blocks->all.count; ++i) {
        RILL_ASSERT(!all[i].used);
        blocks->behind.release(all[i].memory, all[i].size, RILL_ALIGNMENT, blocks->behind.user);
    }
    rill_array_free(&blocks->all, &blocks->behind);
}

/* The smallest free block that is large enough, unless it is far too large: then it waits for what needs it. */
static block *find_free(rill_blocks *blocks, size_t size) {
    block *all = blocks->all.data, *best = NULL;
    for (size_t i = 0; i < blocks->all.count; ++i)
        if (!all[i].used && all[i].size >= size && all[i].size / 4 <= size && (!best || all[i].size < best->size))
            best = &all[i];
    return best;
}

/* A free block to be replaced by a larger one, so that a growing demand does not leave one behind at every size. */
static block *find_smaller(rill_blocks *blocks, size_t size) {
    block *all = blocks->all.data, *best = NULL;
    for (size_t i = 0; i < blocks->all.count; ++i)
        if (!all[i].used && all[i].size < size && all[i].size >= size / 4 && (!best || all[i].size > best->size))
            best = &all[i];
    return best;
}

static void *allocate(size_t size, size_t alignment, void *user) {
    rill_blocks *blocks = user;
    (void)alignment; /* that of all memory */
    block *found = find_free(blocks, size);
    if (!found) {
        const size_t room = size + size / 2;
        if (room < size) return NULL;
        found = find_smaller(blocks, size);
        if (!found) found = rill_array_push(&blocks->all, &blocks->behind, NULL);
        if (!found) return NULL;
        void *memory = blocks->behind.allocate(room, RILL_ALIGNMENT, blocks->behind.user);
        if (!memory) {
            if (!found->memory) blocks->all.count -= 1;
            return NULL;
        }
        if (found->memory) blocks->behind.release(found->memory, found->size, RILL_ALIGNMENT, blocks->behind.user);
        *found = (block){ .memory = memory, .size = room };
    }
    found->used = true;
    RILL_ASSERT(found->size >= size);
    return found->memory;
}

static void release(void *memory, size_t size, size_t alignment, void *user) {
    rill_blocks *blocks = user;
    block *all = blocks->all.data;
    (void)alignment;
    for (size_t i = 0; i < blocks->all.count; ++i) {
        RILL_ASSERT(all[i].memory != memory || (all[i].used && size <= all[i].size));
        if (all[i].memory == memory) all[i].used = false;
    }
}

rill_allocator rill_blocks_allocator(rill_blocks *blocks) {
    return (rill_allocator){ .allocate = allocate, .release = release, .user = blocks };
}
