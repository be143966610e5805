/* Working memory of the covered stage: of tiles and columns as much as the ceilings of the bed ask for, of nodes and edges as much
 * as there are. When the bed changes, or nodes become more, it is used again, or replaced by more. See
 * passages_internal.h. */
#include <string.h>

#include "base/alloc.h"
#include "passages/passages_internal.h"

/* --------------------------------------------------------------------------------------------------------- growing */

/* Arrays that grow together: kept in one piece of memory, each from a multiple of RILL_ALIGNMENT bytes on. */
typedef struct plane {
    void **data;
    size_t size; /* of an element */
} plane;

static size_t plane_bytes(const plane *p, int32_t capacity) {
    return ((size_t)capacity * p->size + RILL_ALIGNMENT - 1) / RILL_ALIGNMENT * RILL_ALIGNMENT;
}

static size_t all_bytes(const plane *planes, size_t count, int32_t capacity) {
    size_t bytes = 0;
    for (size_t i = 0; i < count; ++i) bytes += plane_bytes(&planes[i], capacity);
    return bytes;
}

static void give_planes(const plane *planes, size_t count, int32_t capacity, const rill_allocator *allocator) {
    if (capacity == 0) return;
    rill_free(allocator, *planes[0].data, all_bytes(planes, count, capacity), 1);
    for (size_t i = 0; i < count; ++i) *planes[i].data = NULL;
}

/* Makes room for `want` elements of each, of which the first `have` are kept and the rest is zero. */
static bool grow_planes(const plane *planes, size_t count, int32_t have, int32_t *capacity, int32_t want,
                        const rill_allocator *allocator) {
    char *memory = rill_alloc_zeroed(allocator, all_bytes(planes, count, want), 1), *at = memory;
    char *const old = *capacity > 0 ? *planes[0].data : NULL;
    if (!memory) return false;
    for (size_t i = 0; i < count; ++i) {
        if (old) memcpy(at, *planes[i].data, (size_t)have * planes[i].size);
        *planes[i].data = at;
        at += plane_bytes(&planes[i], want);
    }
    if (old) rill_free(allocator, old, all_bytes(planes, count, *capacity), 1);
    *capacity = want;
    return true;
}

#define PLANE(POINTER)                                                                                                 \
    { (void **)&(POINTER), sizeof *(POINTER) }

#define NODE_PLANES(passages)                                                                                           \
    rill_passage_nodes *const a = &(passages)->nodes;                                                                   \
    rill_prediction_nodes *const g = &(passages)->guess.at;                                                                  \
    const plane planes[] = { PLANE(a->place),                                                                          \
                             PLANE(a->tile),                                                                           \
                             PLANE(a->sheet),                                                                          \
                             PLANE(a->column),                                                                         \
                             PLANE(a->row),                                                                            \
                             PLANE(a->port),                                                                           \
                             PLANE(a->inner),                                                                          \
                             PLANE(a->west),                                                                           \
                             PLANE(a->east),                                                                           \
                             PLANE(a->south),                                                                          \
                             PLANE(a->north),                                                                          \
                             PLANE(a->pipe),                                                                           \
                             PLANE(a->b),                                                                              \
                             PLANE(a->c),                                                                              \
                             PLANE(a->H),                                                                              \
                             PLANE(a->pi),                                                                             \
                             PLANE(a->last),                                                                           \
                             PLANE(a->before),                                                                         \
                             PLANE(a->active),                                                                         \
                             PLANE(a->fill),                                                                           \
                             PLANE(a->was),                                                                            \
                             PLANE(a->ever),                                                                           \
                             PLANE(a->sealed),                                                                         \
                             PLANE(a->f),                                                                              \
                             PLANE(a->x),                                                                              \
                             PLANE(a->even),                                                                           \
                             PLANE(a->in_row),                                                                         \
                             PLANE(g->near[0]),                                                                        \
                             PLANE(g->near[1]),                                                                        \
                             PLANE(g->near[2]),                                                                        \
                             PLANE(g->near[3]),                                                                        \
                             PLANE(g->w[0]),                                                                           \
                             PLANE(g->w[1]),                                                                           \
                             PLANE(g->w[2]),                                                                           \
                             PLANE(g->w[3]),                                                                           \
                             PLANE(g->inverse),                                                                        \
                             PLANE(g->push),                                                                           \
                             PLANE(g->least),                                                                          \
                             PLANE(g->colour),                                                                         \
                             PLANE(g->x),                                                                              \
                             PLANE((passages)->guess.node),                                                             \
                             PLANE((passages)->queue),                                                                  \
                             PLANE((passages)->pool),                                                                   \
                             PLANE((passages)->marks),                                                                  \
                             PLANE((passages)->member),                                                                 \
                             PLANE((passages)->islands),                                                                \
                             PLANE((passages)->order),                                                                  \
                             PLANE((passages)->number),                                                                 \
                             PLANE((passages)->slot),                                                                   \
                             PLANE((passages)->island_of) };                                                            \
    const size_t count_of = sizeof planes / sizeof *planes

#define EDGE_PLANES(e)                                                                                                 \
    const plane planes[] = {                                                                                           \
        PLANE((e)->l),     PLANE((e)->r),      PLANE((e)->axis),   PLANE((e)->at),                                     \
        PLANE((e)->u),     PLANE((e)->base),   PLANE((e)->gain),   PLANE((e)->head),                                   \
        PLANE((e)->steep), PLANE((e)->reach),  PLANE((e)->q),      PLANE((e)->t),                                      \
        PLANE((e)->even),  PLANE((e)->in_row), PLANE((e)->joined), { (void **)&(e)->next, 2 * sizeof *(e)->next }      \
    };                                                                                                                 \
    const size_t count_of = sizeof planes / sizeof *planes

/* Half as much again, or it would be taken anew all the time. */
static int32_t with_spare(int32_t count) {
    return count < INT32_MAX / 2 ? count + count / 2 + 64 : count;
}

bool rill_passages_room_for_nodes(rill_passage_solver *passages, int32_t count) {
    NODE_PLANES(passages);
    if (count <= passages->node_capacity) return true;
    return grow_planes(planes, count_of, passages->node_count, &passages->node_capacity, with_spare(count),
                       &passages->allocator);
}

bool rill_passages_room_for_edges(rill_passage_solver *passages, rill_passage_edges *edges, int32_t count) {
    EDGE_PLANES(edges);
    if (count <= edges->capacity) return true;
    return grow_planes(planes, count_of, edges->count, &edges->capacity, with_spare(count), &passages->allocator);
}

bool rill_passages_room_to_begin(rill_passage_solver *passages) {
    if (!passages->sky) passages->sky = rill_alloc_zeroed(&passages->allocator, 1, sizeof *passages->sky);
    return passages->sky && rill_passages_room_for_nodes(passages, 1) &&
           rill_passages_room_for_edges(passages, &passages->faces, 1) &&
           rill_passages_room_for_edges(passages, &passages->pipes, 1);
}

static bool is_enough(const rill_poisson_size *have, const rill_poisson_size *want) {
    return want->nodes <= have->nodes && want->patches <= have->patches && want->links <= have->links &&
           want->levels <= have->levels && want->widest <= have->widest && want->fine <= have->fine &&
           want->all <= have->all && want->steps <= have->steps;
}

static int64_t more(int64_t want) {
    return want + want / 2;
}

bool rill_passages_room_for_problem(rill_passage_solver *passages, const rill_poisson_size *want) {
    if (passages->poisson.levels && is_enough(&passages->poisson.room, want)) return true;
    const rill_poisson_size room = { .nodes = with_spare(want->nodes),
                                     .patches = with_spare(want->patches),
                                     .links = with_spare(want->links),
                                     .levels = want->levels + 1,
                                     .widest = with_spare(want->widest),
                                     .fine = more(want->fine),
                                     .all = more(want->all),
                                     .steps = more(want->steps) };
    if (passages->poisson.levels) rill_poisson_free(&passages->poisson, &passages->allocator);
    return rill_poisson_make(&passages->poisson, &room, &passages->allocator);
}

static void give_edges(rill_passage_edges *edges, const rill_allocator *allocator) {
    EDGE_PLANES(edges);
    give_planes(planes, count_of, edges->capacity, allocator);
    edges->count = edges->capacity = 0;
}

static void give_nodes(rill_passage_solver *passages) {
    const rill_allocator *allocator = &passages->allocator;
    NODE_PLANES(passages);
    give_planes(planes, count_of, passages->node_capacity, allocator);
    passages->node_count = passages->node_capacity = 0;
    give_edges(&passages->faces, allocator);
    give_edges(&passages->pipes, allocator);
    rill_free(allocator, passages->sky, 1, sizeof *passages->sky);
    passages->sky = NULL;
    if (passages->poisson.levels) rill_poisson_free(&passages->poisson, allocator);
}

/* ------------------------------------------------------------------------------------------------------------- tiles */

/* Lists the tiles with ceilings if `tiles` is not NULL; returns how many there are. */
static int32_t list_tiles(const rill_bed *bed, const uint8_t *roofed, rill_passage_tile *tiles) {
    int32_t count = 0;
    for (int32_t i = 0; i < bed->sheet_count; ++i) {
        const rill_sheet *sheet = &bed->sheets[i];
        for (int32_t ty = 0; ty < sheet->tiles_y; ++ty)
            for (int32_t tx = 0; tx < sheet->tiles_x; ++tx) {
                const int32_t tile = sheet->first_tile + ty * sheet->tiles_x + tx;
                if (!roofed[tile]) continue;
                if (tiles) tiles[count] = (rill_passage_tile){ .tile = tile, .sheet = i, .tx = tx, .ty = ty };
                count += 1;
            }
    }
    return count;
}

static void give_covered(rill_passage_solver *passages, const rill_allocator *allocator) {
    const size_t tiles = (size_t)passages->tile_capacity, all = (size_t)passages->bed_tiles;
    const size_t ports = 2 * (size_t)passages->pipe_capacity + 2, places = (size_t)passages->bed_places;
    give_nodes(passages);
    rill_free(allocator, passages->tiles, tiles, sizeof *passages->tiles);
    rill_free(allocator, passages->listed, tiles, sizeof *passages->listed);
    rill_free(allocator, passages->nearly, all, sizeof *passages->nearly);
    rill_free(allocator, passages->beside, all, 1);
    rill_free(allocator, passages->roofed, all, 1);
    rill_free(allocator, passages->flooded, all, 1);
    rill_free(allocator, passages->seen, places, 1);
    rill_free(allocator, passages->node_of, places, sizeof *passages->node_of);
    rill_free(allocator, passages->path, (size_t)passages->path_capacity, sizeof *passages->path);
    rill_free(allocator, passages->port_first, ports, sizeof *passages->port_first);
    rill_free(allocator, passages->port_place, ports, sizeof *passages->port_place);
    rill_free(allocator, passages->port_pipes, ports, sizeof *passages->port_pipes);
    rill_free(allocator, passages, 1, sizeof *passages);
}

/* How much there has to be, whether or not anything is flooded. */
typedef struct demand {
    int32_t tiles, pipes, path;
} demand;

static rill_passage_solver *take_covered(const rill_bed *bed, const demand *want, const rill_allocator *allocator) {
    rill_passage_solver *passages = rill_alloc_zeroed(allocator, 1, sizeof *passages);
    if (!passages) return NULL;
    const size_t tiles = (size_t)want->tiles, all = (size_t)bed->tile_count;
    const size_t ports = 2 * (size_t)want->pipes + 2, places = (size_t)bed->plane_size;
    passages->allocator = *allocator;
    passages->bed_tiles = bed->tile_count;
    passages->bed_places = bed->plane_size;
    passages->tile_capacity = want->tiles;
    passages->pipe_capacity = want->pipes;
    passages->path_capacity = want->path;
    passages->tiles = rill_alloc_zeroed(allocator, tiles, sizeof *passages->tiles);
    passages->listed = rill_alloc_zeroed(allocator, tiles, sizeof *passages->listed);
    passages->nearly = rill_alloc_zeroed(allocator, all, sizeof *passages->nearly);
    passages->beside = rill_alloc_zeroed(allocator, all, 1);
    passages->roofed = rill_alloc_zeroed(allocator, all, 1);
    passages->flooded = rill_alloc_zeroed(allocator, all, 1);
    passages->seen = rill_alloc_zeroed(allocator, places, 1);
    passages->node_of = rill_alloc_zeroed(allocator, places, sizeof *passages->node_of);
    passages->path = rill_alloc_zeroed(allocator, (size_t)want->path, sizeof *passages->path);
    passages->port_first = rill_alloc_zeroed(allocator, ports, sizeof *passages->port_first);
    passages->port_place = rill_alloc_zeroed(allocator, ports, sizeof *passages->port_place);
    passages->port_pipes = rill_alloc_zeroed(allocator, ports, sizeof *passages->port_pipes);
    if (passages->tiles && passages->listed && passages->nearly && passages->beside && passages->roofed &&
        passages->flooded && passages->seen && passages->node_of && passages->path && passages->port_first &&
        passages->port_place && passages->port_pipes)
        return passages;
    give_covered(passages, allocator);
    return NULL;
}

const uint8_t *rill_passages_roofs(const rill_flow *flow) {
    return flow->passages->roofed;
}

/* Some more than is needed, or it would be taken anew all the time. */
static int32_t grown(int32_t want, int32_t least, int32_t have) {
    return rill_max_i(want < INT32_MAX / 2 - least ? want + want / 16 + least : want, have);
}

bool rill_passages_reserve(const rill_flow *flow, const uint8_t *roofed, rill_passage_solver **out,
                          const rill_allocator *allocator) {
    const rill_bed *bed = flow->bed;
    const rill_passage_solver *now = flow->passages;
    const int64_t path = bed->info.columns + bed->ghost_count; /* the repair may come by every column and every ghost */
    demand want = { .pipes = bed->pipe_count, .path = path < INT32_MAX ? (int32_t)path : -1 };
    want.tiles = list_tiles(bed, roofed, NULL);
    *out = flow->passages;
    if (want.path < 0) return false;
    if (now && want.tiles <= now->tile_capacity && want.pipes <= now->pipe_capacity && want.path <= now->path_capacity)
        return true;
    if (bed->roomy)
        want = (demand){ bed->tile_count, grown(want.pipes, 4096, now ? now->pipe_capacity : 0),
                         grown(want.path, 1024, now ? now->path_capacity : 0) };
    *out = take_covered(bed, &want, allocator);
    return *out != NULL;
}

void rill_passages_refit(rill_flow *flow, const uint8_t *roofed, rill_passage_solver *passages,
                        const rill_allocator *allocator) {
    rill_passage_solver *old = flow->passages;
    if (old != passages) {
        if (old) memcpy(passages->flooded, old->flooded, (size_t)passages->bed_tiles);
        if (old) give_covered(old, allocator);
        flow->passages = passages;
    }
    memcpy(passages->roofed, roofed, (size_t)passages->bed_tiles);
    passages->tile_count = list_tiles(flow->bed, roofed, passages->tiles);
    rill_passages_clear(passages);
    passages->listed_count = 0;
    passages->ports_due = passages->unready = true;
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
    if (flow->passages) give_covered(flow->passages, allocator);
    flow->passages = NULL;
}
