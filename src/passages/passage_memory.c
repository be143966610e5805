/* Working memory: of tiles and columns as much as the ceilings of the bed ask for, of nodes and edges as much
 * as there are. When the bed changes, or nodes become more, it is used again, or replaced by more. See
 * passages_internal.h. */
#include <string.h>

#include "base/alloc.h"
#include "passages/passages_internal.h"

/* ---------------------------------------------------------------------------------------------------------- growing */

/* Arrays that grow together: kept in one piece of memory, each from a multiple of RILL_ALIGNMENT bytes on. */
typedef struct array {
    void **data;
    size_t size; /* of an element */
} array;

static size_t array_bytes(const array *one, int32_t capacity) {
    return ((size_t)capacity * one->size + RILL_ALIGNMENT - 1) / RILL_ALIGNMENT * RILL_ALIGNMENT;
}

static size_t all_bytes(const array *arrays, size_t count, int32_t capacity) {
    size_t bytes = 0;
    for (size_t i = 0; i < count; ++i) bytes += array_bytes(&arrays[i], capacity);
    return bytes;
}

static void free_arrays(const array *arrays, size_t count, int32_t capacity, const rill_allocator *allocator) {
    if (capacity == 0) return;
    rill_free(allocator, *arrays[0].data, all_bytes(arrays, count, capacity), 1);
    for (size_t i = 0; i < count; ++i) *arrays[i].data = NULL;
}

/* Makes room for `want` elements of each, of which the first `have` are kept and the rest is zero. */
static bool grow_arrays(const array *arrays, size_t count, int32_t have, int32_t *capacity, int32_t want,
                        const rill_allocator *allocator) {
    char *memory = rill_alloc_zeroed(allocator, all_bytes(arrays, count, want), 1), *at = memory;
    RILL_ASSERT(want > *capacity && have >= 0 && have <= rill_max_i(*capacity, 1)); /* number 0 comes first */
    char *const old = *capacity > 0 ? *arrays[0].data : NULL;
    if (!memory) return false;
    for (size_t i = 0; i < count; ++i) {
        if (old) memcpy(at, *arrays[i].data, (size_t)have * arrays[i].size);
        RILL_ASSERT((uintptr_t)at % RILL_ALIGNMENT == 0);
        *arrays[i].data = at;
        at += array_bytes(&arrays[i], want);
    }
    RILL_ASSERT(at == memory + all_bytes(arrays, count, want));
    if (old) rill_free(allocator, old, all_bytes(arrays, count, *capacity), 1);
    *capacity = want;
    return true;
}

#define ARRAY(POINTER)                                                                                                 \
    { (void **)&(POINTER), sizeof *(POINTER) }

#define NODE_ARRAYS(passages)                                                                                          \
    rill_passage_nodes *const nodes = &(passages)->nodes;                                                              \
    rill_prediction_nodes *const list = &(passages)->prediction.nodes;                                                 \
    const array arrays[] = { ARRAY(nodes->place),                                                                      \
                             ARRAY(nodes->tile),                                                                       \
                             ARRAY(nodes->sheet),                                                                      \
                             ARRAY(nodes->column),                                                                     \
                             ARRAY(nodes->row),                                                                        \
                             ARRAY(nodes->port),                                                                       \
                             ARRAY(nodes->inner),                                                                      \
                             ARRAY(nodes->west),                                                                       \
                             ARRAY(nodes->east),                                                                       \
                             ARRAY(nodes->south),                                                                      \
                             ARRAY(nodes->north),                                                                      \
                             ARRAY(nodes->pipe),                                                                       \
                             ARRAY(nodes->b),                                                                          \
                             ARRAY(nodes->c),                                                                          \
                             ARRAY(nodes->H),                                                                          \
                             ARRAY(nodes->pi),                                                                         \
                             ARRAY(nodes->last),                                                                       \
                             ARRAY(nodes->before),                                                                     \
                             ARRAY(nodes->active),                                                                     \
                             ARRAY(nodes->fill),                                                                       \
                             ARRAY(nodes->was_active),                                                                 \
                             ARRAY(nodes->ever_active),                                                                \
                             ARRAY(nodes->sealed),                                                                     \
                             ARRAY(nodes->searched_active),                                                            \
                             ARRAY(nodes->f),                                                                          \
                             ARRAY(nodes->x),                                                                          \
                             ARRAY(nodes->contiguous),                                                                 \
                             ARRAY(nodes->in_row),                                                                     \
                             ARRAY(list->neighbour[0]),                                                                \
                             ARRAY(list->neighbour[1]),                                                                \
                             ARRAY(list->neighbour[2]),                                                                \
                             ARRAY(list->neighbour[3]),                                                                \
                             ARRAY(list->w[0]),                                                                        \
                             ARRAY(list->w[1]),                                                                        \
                             ARRAY(list->w[2]),                                                                        \
                             ARRAY(list->w[3]),                                                                        \
                             ARRAY(list->inverse),                                                                     \
                             ARRAY(list->push),                                                                        \
                             ARRAY(list->least),                                                                       \
                             ARRAY(list->colour),                                                                      \
                             ARRAY(list->x),                                                                           \
                             ARRAY((passages)->prediction.node),                                                       \
                             ARRAY((passages)->queue),                                                                 \
                             ARRAY((passages)->pool),                                                                  \
                             ARRAY((passages)->marks),                                                                 \
                             ARRAY((passages)->islands),                                                               \
                             ARRAY((passages)->order),                                                                 \
                             ARRAY((passages)->number),                                                                \
                             ARRAY((passages)->slot),                                                                  \
                             ARRAY((passages)->island_of) };                                                           \
    const size_t array_count = sizeof arrays / sizeof *arrays

#define EDGE_ARRAYS(edges)                                                                                             \
    const array arrays[] = { ARRAY((edges)->l),                                                                        \
                             ARRAY((edges)->r),                                                                        \
                             ARRAY((edges)->axis),                                                                     \
                             ARRAY((edges)->at),                                                                       \
                             ARRAY((edges)->u),                                                                        \
                             ARRAY((edges)->base),                                                                     \
                             ARRAY((edges)->gain),                                                                     \
                             ARRAY((edges)->head),                                                                     \
                             ARRAY((edges)->steep),                                                                    \
                             ARRAY((edges)->reach),                                                                    \
                             ARRAY((edges)->q),                                                                        \
                             ARRAY((edges)->t),                                                                        \
                             ARRAY((edges)->contiguous),                                                               \
                             ARRAY((edges)->in_row),                                                                   \
                             ARRAY((edges)->searched_open),                                                            \
                             { (void **)&(edges)->next, 2 * sizeof *(edges)->next } };                                 \
    const size_t array_count = sizeof arrays / sizeof *arrays

/* Returns half as much again, or memory would be taken anew all the time. */
static int32_t with_spare(int32_t count) {
    return count < INT32_MAX / 2 ? count + count / 2 + 64 : count;
}

bool rill_passages_room_for_nodes(rill_passage_solver *passages, int32_t count) {
    NODE_ARRAYS(passages);
    RILL_ASSERT(count >= passages->node_count && passages->node_count <= rill_max_i(passages->node_capacity, 1));
    if (count <= passages->node_capacity) return true;
    return grow_arrays(arrays, array_count, passages->node_count, &passages->node_capacity, with_spare(count),
                       &passages->allocator);
}

bool rill_passages_room_for_edges(rill_passage_solver *passages, rill_passage_edges *edges, int32_t count) {
    EDGE_ARRAYS(edges);
    RILL_ASSERT(count >= edges->count && edges->count <= rill_max_i(edges->capacity, 1));
    if (count <= edges->capacity) return true;
    return grow_arrays(arrays, array_count, edges->count, &edges->capacity, with_spare(count), &passages->allocator);
}

bool rill_passages_room_to_begin(rill_passage_solver *passages) {
    if (!passages->skyline) passages->skyline = rill_alloc_zeroed(&passages->allocator, 1, sizeof *passages->skyline);
    return passages->skyline && rill_passages_room_for_nodes(passages, 1) &&
           rill_passages_room_for_edges(passages, &passages->faces, 1) &&
           rill_passages_room_for_edges(passages, &passages->pipes, 1);
}

static bool is_enough(const rill_poisson_size *have, const rill_poisson_size *want) {
    return want->nodes <= have->nodes && want->patches <= have->patches && want->links <= have->links &&
           want->levels <= have->levels && want->widest <= have->widest && want->fine <= have->fine &&
           want->all <= have->all && want->steps <= have->steps;
}

static int64_t with_half_more(int64_t want) {
    return want + want / 2;
}

bool rill_passages_room_for_problem(rill_passage_solver *passages, const rill_poisson_size *want) {
    RILL_ASSERT(want->nodes > 0 && want->patches > 0 && want->links >= 0);
    if (passages->poisson.levels && is_enough(&passages->poisson.room, want)) return true;
    const rill_poisson_size room = { .nodes = with_spare(want->nodes),
                                     .patches = with_spare(want->patches),
                                     .links = with_spare(want->links),
                                     .levels = want->levels + 1,
                                     .widest = with_spare(want->widest),
                                     .fine = with_half_more(want->fine),
                                     .all = with_half_more(want->all),
                                     .steps = with_half_more(want->steps) };
    if (passages->poisson.levels) rill_poisson_free(&passages->poisson, &passages->allocator);
    return rill_poisson_make(&passages->poisson, &room, &passages->allocator);
}

bool rill_passages_room_for_elimination(rill_passage_solver *passages, int32_t nodes, int32_t edges) {
    rill_elimination *have = &passages->elimination;
    RILL_ASSERT(nodes > 0 && edges >= 0);
    if (nodes <= have->node_room && edges <= have->edge_room) return true;
    if (have->node_room > 0) rill_elimination_free(have, &passages->allocator);
    return rill_elimination_make(have, with_spare(nodes), with_spare(edges), &passages->allocator);
}

static void free_edges(rill_passage_edges *edges, const rill_allocator *allocator) {
    EDGE_ARRAYS(edges);
    free_arrays(arrays, array_count, edges->capacity, allocator);
    edges->count = edges->capacity = 0;
}

static void free_nodes(rill_passage_solver *passages) {
    const rill_allocator *allocator = &passages->allocator;
    NODE_ARRAYS(passages);
    free_arrays(arrays, array_count, passages->node_capacity, allocator);
    passages->node_count = passages->node_capacity = 0;
    free_edges(&passages->faces, allocator);
    free_edges(&passages->pipes, allocator);
    rill_free(allocator, passages->skyline, 1, sizeof *passages->skyline);
    passages->skyline = NULL;
    if (passages->poisson.levels) rill_poisson_free(&passages->poisson, allocator);
    if (passages->elimination.node_room > 0) rill_elimination_free(&passages->elimination, allocator);
}

/* ------------------------------------------------------------------------------------------------------------ tiles */

/* Lists the tiles with ceilings if `tiles` is not NULL; returns how many there are. */
static int32_t list_roofed_tiles(const rill_bed *bed, const uint8_t *roofed, rill_passage_tile *tiles) {
    int32_t count = 0;
    for (int32_t i = 0; i < bed->sheet_count; ++i) {
        const rill_sheet *sheet = &bed->sheets[i];
        for (int32_t ty = 0; ty < sheet->tiles_y; ++ty)
            for (int32_t tx = 0; tx < sheet->tiles_x; ++tx) {
                const int32_t tile = sheet->first_tile + ty * sheet->tiles_x + tx;
                if (!roofed[tile]) continue;
                RILL_ASSERT(tile >= 0 && tile < bed->tile_count);
                if (tiles) tiles[count] = (rill_passage_tile){ .tile = tile, .sheet = i, .tx = tx, .ty = ty };
                count += 1;
            }
    }
    return count;
}

static void free_solver(rill_passage_solver *passages, const rill_allocator *allocator) {
    const size_t tiles = (size_t)passages->tile_capacity, all = (size_t)passages->bed_tiles;
    const size_t ports = 2 * (size_t)passages->pipe_capacity + 2, places = (size_t)passages->bed_places;
    free_nodes(passages);
    rill_free(allocator, passages->tiles, tiles, sizeof *passages->tiles);
    rill_free(allocator, passages->listed, tiles, sizeof *passages->listed);
    rill_free(allocator, passages->nearly_full, all, sizeof *passages->nearly_full);
    rill_free(allocator, passages->near_flooded, all, 1);
    rill_free(allocator, passages->roofed, all, 1);
    rill_free(allocator, passages->flooded, all, 1);
    rill_free(allocator, passages->seen, places, 1);
    rill_free(allocator, passages->node_of, places, sizeof *passages->node_of);
    rill_free(allocator, passages->visited, (size_t)passages->visited_capacity, sizeof *passages->visited);
    rill_free(allocator, passages->port_first, ports, sizeof *passages->port_first);
    rill_free(allocator, passages->port_place, ports, sizeof *passages->port_place);
    rill_free(allocator, passages->port_pipes, ports, sizeof *passages->port_pipes);
    rill_free(allocator, passages, 1, sizeof *passages);
}

/* The memory there has to be, whether or not anything is flooded. */
typedef struct demand {
    int32_t tiles, pipes, visited;
} demand;

static rill_passage_solver *make_solver(const rill_bed *bed, const demand *want, const rill_allocator *allocator) {
    rill_passage_solver *passages = rill_alloc_zeroed(allocator, 1, sizeof *passages);
    if (!passages) return NULL;
    const size_t tiles = (size_t)want->tiles, all = (size_t)bed->tile_count;
    const size_t ports = 2 * (size_t)want->pipes + 2, places = (size_t)bed->plane_size;
    passages->allocator = *allocator;
    passages->bed_tiles = bed->tile_count;
    passages->bed_places = bed->plane_size;
    passages->tile_capacity = want->tiles;
    passages->pipe_capacity = want->pipes;
    passages->visited_capacity = want->visited;
    passages->tiles = rill_alloc_zeroed(allocator, tiles, sizeof *passages->tiles);
    passages->listed = rill_alloc_zeroed(allocator, tiles, sizeof *passages->listed);
    passages->nearly_full = rill_alloc_zeroed(allocator, all, sizeof *passages->nearly_full);
    passages->near_flooded = rill_alloc_zeroed(allocator, all, 1);
    passages->roofed = rill_alloc_zeroed(allocator, all, 1);
    passages->flooded = rill_alloc_zeroed(allocator, all, 1);
    passages->seen = rill_alloc_zeroed(allocator, places, 1);
    passages->node_of = rill_alloc_zeroed(allocator, places, sizeof *passages->node_of);
    passages->visited = rill_alloc_zeroed(allocator, (size_t)want->visited, sizeof *passages->visited);
    passages->port_first = rill_alloc_zeroed(allocator, ports, sizeof *passages->port_first);
    passages->port_place = rill_alloc_zeroed(allocator, ports, sizeof *passages->port_place);
    passages->port_pipes = rill_alloc_zeroed(allocator, ports, sizeof *passages->port_pipes);
    if (passages->tiles && passages->listed && passages->nearly_full && passages->near_flooded && passages->roofed &&
        passages->flooded && passages->seen && passages->node_of && passages->visited && passages->port_first &&
        passages->port_place && passages->port_pipes)
        return passages;
    free_solver(passages, allocator);
    return NULL;
}

const uint8_t *rill_passages_roofs(const rill_flow *flow) {
    return flow->passages->roofed;
}

/* Returns some more than is needed, or memory would be taken anew all the time. */
static int32_t with_room_to_grow(int32_t want, int32_t least, int32_t have) {
    return rill_max_i(want < INT32_MAX / 2 - least ? want + want / 16 + least : want, have);
}

bool rill_passages_reserve(const rill_flow *flow, const uint8_t *roofed, rill_passage_solver **out,
                           const rill_allocator *allocator) {
    const rill_bed *bed = flow->bed;
    const rill_passage_solver *now = flow->passages;
    /* A search for room may come by every column and every ghost. */
    const int64_t visited = bed->info.columns + bed->ghost_count;
    demand want = { .pipes = bed->pipe_count, .visited = visited < INT32_MAX ? (int32_t)visited : -1 };
    want.tiles = list_roofed_tiles(bed, roofed, NULL);
    *out = flow->passages;
    if (want.visited < 0) return false;
    if (now && want.tiles <= now->tile_capacity && want.pipes <= now->pipe_capacity &&
        want.visited <= now->visited_capacity)
        return true;
    if (bed->roomy)
        want = (demand){ bed->tile_count, with_room_to_grow(want.pipes, 4096, now ? now->pipe_capacity : 0),
                         with_room_to_grow(want.visited, 1024, now ? now->visited_capacity : 0) };
    *out = make_solver(bed, &want, allocator);
    return *out != NULL;
}

void rill_passages_refit(rill_flow *flow, const uint8_t *roofed, rill_passage_solver *passages,
                         const rill_allocator *allocator) {
    rill_passage_solver *old = flow->passages;
    RILL_ASSERT(passages->bed_tiles == flow->bed->tile_count && passages->bed_places == flow->bed->plane_size);
    RILL_ASSERT(!old || old->bed_tiles == passages->bed_tiles);
    RILL_ASSERT(flow->bed->pipe_count <= passages->pipe_capacity);
    if (old != passages) {
        if (old) memcpy(passages->flooded, old->flooded, (size_t)passages->bed_tiles);
        if (old) free_solver(old, allocator);
        flow->passages = passages;
    }
    memcpy(passages->roofed, roofed, (size_t)passages->bed_tiles);
    RILL_ASSERT(list_roofed_tiles(flow->bed, roofed, NULL) <= passages->tile_capacity);
    passages->tile_count = list_roofed_tiles(flow->bed, roofed, passages->tiles);
    rill_passages_clear(passages);
    passages->listed_count = 0;
    passages->ports_due = passages->memory_due = true;
}

bool rill_passages_make(rill_flow *flow, const rill_allocator *allocator) {
    const rill_bed *bed = flow->bed;
    if (!flow->pressure) return true;
    uint8_t *roofed = rill_alloc_zeroed(allocator, (size_t)bed->tile_count, 1);
    for (int32_t i = 0; roofed && i < bed->sheet_count; ++i) {
        const rill_sheet *sheet = &bed->sheets[i];
        uint8_t *tiles = roofed + sheet->first_tile;
        for (int32_t ty = 0; ty < sheet->tiles_y; ++ty)
            for (int32_t tx = 0; tx < sheet->tiles_x; ++tx)
                tiles[ty * sheet->tiles_x + tx] = rill_passages_has_ceiling(bed, sheet, tx, ty);
    }
    rill_passage_solver *passages = NULL;
    bool good = roofed && rill_passages_reserve(flow, roofed, &passages, allocator);
    if (good) rill_passages_refit(flow, roofed, passages, allocator);
    rill_free(allocator, roofed, (size_t)bed->tile_count, 1);
    return good;
}

void rill_passages_free(rill_flow *flow, const rill_allocator *allocator) {
    if (flow->passages) free_solver(flow->passages, allocator);
    flow->passages = NULL;
}
