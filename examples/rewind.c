/* Gives a world a fixed block of memory, takes a snapshot, goes on, rewinds and goes on again: the same bits twice.
 *
 * Shows: allocator hooks (an arena: nothing is given back but all at once), no allocation while stepping, snapshots. */
#include <rill/rill.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct arena {
    unsigned char *memory;
    size_t capacity, used, calls;
} arena;

static void *arena_take(size_t size, size_t alignment, void *user) {
    arena *all = user;
    const size_t start = (all->used + alignment - 1) & ~(alignment - 1);
    if (start > all->capacity || size > all->capacity - start)
        return NULL; /* Rill answers with RILL_OUT_OF_MEMORY and leaves everything as it was */
    all->used = start + size;
    ++all->calls;
    return all->memory + start;
}

static void arena_give(void *memory, size_t size, size_t alignment, void *user) {
    (void)memory, (void)size, (void)alignment, (void)user;
}

static rill_world *make_world(arena *all) {
    rill_world_def def = rill_default_world_def();
    def.grid = (rill_grid){ .cells = { 128, 128 }, .cell_size = 0.0005 };
    def.runtime.allocator = (rill_allocator){ .allocate = arena_take, .release = arena_give, .user = all };
    rill_world *world = NULL;
    rill_message message;
    if (rill_world_create(&def, &world, &message) != RILL_OK) {
        fprintf(stderr, "world: %s\n", message.text);
        return NULL;
    }
    rill_solid_def tray = rill_default_solid_def();
    tray.shape.type = RILL_SHAPE_BOX;
    tray.shape.min[2] = -0.01, tray.shape.max[0] = tray.shape.max[1] = 0.064;
    rill_solid_id id;
    const double at[3] = { 0.03, 0.03, 0.001 };
    const double tilted[3] = { 1.0, 0.5, -9.7 };
    if (rill_solid_create(world, &tray, &id) != RILL_OK || rill_bed_build(world) != RILL_OK ||
        rill_world_fill_level(world, at, 0.004, NULL) != RILL_OK || rill_world_set_gravity(world, tilted) != RILL_OK) {
        fprintf(stderr, "tray: %s\n", rill_world_message(world));
        rill_world_destroy(world);
        return NULL;
    }
    return world;
}

static uint64_t play(rill_world *world, int frames) {
    for (int frame = 0; frame < frames; ++frame) rill_world_step(world, 1.0 / 60.0);
    return rill_world_hash(world);
}

/* 0 when the second run after the rewind gave the same bits as the first. */
static int compare(rill_world *world, arena *all) {
    play(world, 10);
    const size_t calls = all->calls;
    size_t size = rill_snapshot_size(world);
    void *snapshot = malloc(size);
    if (snapshot == NULL || rill_snapshot_save(world, snapshot, size, &size) != RILL_OK) {
        free(snapshot);
        return 1;
    }
    const uint64_t first = play(world, 60);
    const size_t during = all->calls - calls;
    const rill_result result = rill_snapshot_restore(world, snapshot, size);
    free(snapshot);
    if (result != RILL_OK) {
        fprintf(stderr, "rewind: %s\n", rill_world_message(world));
        return 1;
    }
    const uint64_t second = play(world, 60);
    printf("first %016llx, after the rewind %016llx; %zu allocations in 60 frames, %zu bytes in all\n",
           (unsigned long long)first, (unsigned long long)second, during, all->used);
    return first == second && during == 0 ? 0 : 1;
}

int main(void) {
    arena all = { .capacity = (size_t)64 << 20 };
    all.memory = aligned_alloc(4096, all.capacity);
    rill_world *world = all.memory != NULL ? make_world(&all) : NULL;
    const int code = world != NULL ? compare(world, &all) : 1;
    rill_world_destroy(world);
    free(all.memory);
    return code;
}
