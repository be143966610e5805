/* A Poisson problem as its owner sees it: memory and patches. */
#include "solve/poisson.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "solve/levels.h"

enum { ROW_UNIT = 16 };

/* One column of padding at least: it is the east neighbour of the last node and, one row on, the west neighbour of the
 * first. */
static int32_t stride_of(int32_t nx) {
    return (nx / ROW_UNIT + 1) * ROW_UNIT;
}

int32_t rill_poisson_room(int32_t nx, int32_t ny) {
    return stride_of(nx) * (ny + 2);
}

bool rill_poisson_make(rill_poisson *poisson, const rill_poisson_size *room, const rill_allocator *allocator) {
    size_t n = (size_t)room->nodes + ROW_UNIT; /* kernels look one node past the end */
    *poisson = (rill_poisson){ .room = *room };
    poisson->patches = rill_alloc_zeroed(allocator, (size_t)room->patches, sizeof *poisson->patches);
    poisson->wx = rill_alloc_zeroed(allocator, n, sizeof *poisson->wx);
    poisson->wy = rill_alloc_zeroed(allocator, n, sizeof *poisson->wy);
    poisson->extra = rill_alloc_zeroed(allocator, n, sizeof *poisson->extra);
    poisson->active = rill_alloc_zeroed(allocator, n, sizeof *poisson->active);
    poisson->links = rill_alloc_zeroed(allocator, (size_t)room->links, sizeof *poisson->links);
    poisson->f = rill_alloc_zeroed(allocator, n, sizeof *poisson->f);
    poisson->x = rill_alloc_zeroed(allocator, n, sizeof *poisson->x);
    poisson->levels = rill_levels_make(room, allocator);
    if (poisson->patches && poisson->wx && poisson->wy && poisson->extra && poisson->active && poisson->links &&
        poisson->f && poisson->x && poisson->levels)
        return true;
    rill_poisson_free(poisson, allocator);
    return false;
}

void rill_poisson_free(rill_poisson *poisson, const rill_allocator *allocator) {
    const rill_poisson_size *room = &poisson->room;
    size_t n = (size_t)room->nodes + ROW_UNIT;
    rill_levels_free(poisson->levels, room, allocator);
    rill_free(allocator, poisson->x, n, sizeof *poisson->x);
    rill_free(allocator, poisson->f, n, sizeof *poisson->f);
    rill_free(allocator, poisson->links, (size_t)room->links, sizeof *poisson->links);
    rill_free(allocator, poisson->active, n, sizeof *poisson->active);
    rill_free(allocator, poisson->extra, n, sizeof *poisson->extra);
    rill_free(allocator, poisson->wy, n, sizeof *poisson->wy);
    rill_free(allocator, poisson->wx, n, sizeof *poisson->wx);
    rill_free(allocator, poisson->patches, (size_t)room->patches, sizeof *poisson->patches);
    *poisson = (rill_poisson){ 0 };
}

void rill_poisson_clear(rill_poisson *poisson) {
    poisson->node_count = poisson->patch_count = poisson->link_count = 0;
    if (poisson->levels) poisson->levels->direct.numbered = false;
}

const rill_patch *rill_poisson_add(rill_poisson *poisson, int32_t nx, int32_t ny) {
    rill_patch *patch = &poisson->patches[poisson->patch_count++];
    int32_t stride = stride_of(nx), start = poisson->node_count;
    RILL_ASSERT(nx > 0 && ny > 0 && poisson->patch_count <= poisson->room.patches);
    size_t room = (size_t)(stride * (ny + 2));
    *patch = (rill_patch){ .nx = nx, .ny = ny, .stride = stride, .first = start + stride };
    poisson->node_count += (int32_t)room;
    RILL_ASSERT(poisson->node_count <= poisson->room.nodes);
    memset(poisson->wx + start, 0, room * sizeof *poisson->wx);
    memset(poisson->wy + start, 0, room * sizeof *poisson->wy);
    memset(poisson->extra + start, 0, room * sizeof *poisson->extra);
    memset(poisson->active + start, 0, room * sizeof *poisson->active);
    memset(poisson->f + start, 0, room * sizeof *poisson->f);
    memset(poisson->x + start, 0, room * sizeof *poisson->x);
    return patch;
}
