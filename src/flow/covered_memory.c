/* Working memory of the covered stage: of tiles and columns as much as the ceilings of the bed ask for, of nodes as much
 * as there are windows. When the bed changes, or windows grow, it is used again, or replaced by more. See
 * covered_parts.h. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "flow/covered_parts.h"

bool rill_covered_has_ceiling(const rill_bed *bed, const rill_sheet *sheet, int32_t tx, int32_t ty) {
    for (int32_t row = ty * RILL_TILE_H; row < (ty + 1) * RILL_TILE_H && row < rill_sheet_rows(sheet); ++row) {
        const int32_t *c = bed->c + rill_sheet_place(sheet, tx * RILL_TILE_W, row);
        int32_t any = 0;
        RILL_NOT_UNROLLED
        for (int32_t i = 0; i < RILL_TILE_W; ++i) any |= c[i] < RILL_TOP;
        if (any) return true;
    }
    return false;
}

/* From and to which tile something of `first` to `last` may move without more memory being asked for: blocks of `block` tiles. */
static int32_t widened(int32_t first, int32_t last, int32_t block, int32_t tiles) {
    return rill_min_i(last / block * block + block, tiles) - first / block * block;
}

/* Lists the tiles with ceilings if `boxes` is not NULL; returns how many there are. `*nodes` gets the most nodes that
 * windows around them can have. */
static int32_t list_tiles(const rill_bed *bed, const uint8_t *roofed, rill_tile_box *boxes, int32_t *nodes) {
    const int32_t margin = 2 * RILL_WINDOW_MARGIN;
    int32_t count = 0;
    int64_t room = 0;
    for (int32_t i = 0; i < bed->sheet_count; ++i) {
        const rill_sheet *sheet = &bed->sheets[i];
        int32_t before = count, x0 = INT32_MAX, x1 = -1, y0 = INT32_MAX, y1 = -1;
        for (int32_t ty = 0; ty < sheet->tiles_y; ++ty)
            for (int32_t tx = 0; tx < sheet->tiles_x; ++tx) {
                int32_t tile = sheet->first_tile + ty * sheet->tiles_x + tx;
                if (!roofed[tile]) continue;
                if (boxes) boxes[count] = (rill_tile_box){ .tile = tile, .sheet = i, .tx = tx, .ty = ty };
                count += 1;
                x0 = rill_min_i(x0, tx);
                x1 = rill_max_i(x1, tx);
                y0 = rill_min_i(y0, ty);
                y1 = rill_max_i(y1, ty);
            }
        if (count == before) continue;
        const int32_t side = bed->roomy ? 64 : 1; /* cells */
        const int32_t across = widened(x0, x1, rill_max_i(side / RILL_TILE_W, 1), sheet->tiles_x);
        const int32_t up = widened(y0, y1, rill_max_i(side / RILL_TILE_H, 1), sheet->tiles_y);
        room += rill_poisson_room(across * RILL_TILE_W + margin, up * RILL_TILE_H + margin);
    }
    *nodes = room < INT32_MAX ? (int32_t)room : -1;
    return count;
}

/* Calls `work` for every plane of nodes and faces that is not the pressure problem's. */
typedef void plane_work(void **plane, size_t nodes, size_t size, const rill_allocator *allocator);
static void each_plane(rill_covered *covered, size_t nodes, const rill_allocator *allocator, plane_work *work) {
    rill_covered_nodes *a = &covered->nodes;
    int32_t **const integers[] = { &a->b,      &a->c,           &a->H,
                                   &a->fill,   &a->was,         &a->ever,
                                   &a->sealed, &covered->queue, &covered->components };
    for (size_t i = 0; i < sizeof integers / sizeof *integers; ++i)
        work((void **)integers[i], nodes, sizeof(int32_t), allocator);
    work((void **)&a->pi, nodes, sizeof(double), allocator);
    work((void **)&a->last, nodes, sizeof(double), allocator);
    work((void **)&a->before, nodes, sizeof(double), allocator);
    work((void **)&covered->tally, nodes, sizeof(double), allocator);
    work((void **)&covered->guess.x[0], nodes, sizeof(float), allocator);
    work((void **)&covered->runs, nodes, sizeof *covered->runs, allocator);
    rill_covered_faces *const axes[2] = { &covered->west, &covered->south };
    for (int i = 0; i < 2; ++i) {
        rill_covered_faces *f = axes[i];
        float **const floats[] = { &f->u, &f->base, &f->gain, &f->reach };
        for (size_t k = 0; k < sizeof floats / sizeof *floats; ++k)
            work((void **)floats[k], nodes, sizeof(float), allocator);
        work((void **)&f->head, nodes, sizeof(int32_t), allocator);
        work((void **)&f->t, nodes, sizeof(int32_t), allocator);
        work((void **)&f->q, nodes, sizeof(double), allocator);
    }
}

static void take_plane(void **plane, size_t nodes, size_t size, const rill_allocator *allocator) {
    *plane = rill_memory_take(allocator, nodes, size);
}
static void give_plane(void **plane, size_t nodes, size_t size, const rill_allocator *allocator) {
    rill_memory_give(allocator, *plane, nodes, size);
}

static bool take_planes(rill_covered *covered, size_t nodes, const rill_allocator *allocator) {
    each_plane(covered, nodes, allocator, take_plane);
    const rill_covered_nodes *a = &covered->nodes;
    bool good = a->b && a->c && a->H && a->fill && a->was && a->ever && a->sealed && a->pi && a->last && a->before &&
                covered->queue && covered->components && covered->tally && covered->runs && covered->guess.x[0];
    const rill_covered_faces *const axes[2] = { &covered->west, &covered->south };
    for (int i = 0; i < 2; ++i) {
        const rill_covered_faces *f = axes[i];
        good = good && f->u && f->base && f->gain && f->reach && f->head && f->t && f->q;
    }
    return good;
}

/* Blocks of nodes of which strips consist. */
static size_t block_count(int32_t nodes) {
    return (size_t)nodes / RILL_COVERED_UNIT + 1;
}

static void give_nodes(rill_covered *covered) {
    const rill_allocator *allocator = &covered->allocator;
    const int32_t nodes = covered->poisson.room.nodes;
    if (!covered->poisson.levels) return;
    each_plane(covered, (size_t)nodes, allocator, give_plane);
    rill_memory_give(allocator, covered->strips, block_count(nodes), sizeof *covered->strips);
    rill_memory_give(allocator, covered->blocks, block_count(nodes), 1);
    for (int i = 0; i < 2; ++i)
        rill_memory_give(allocator, covered->guess.blocks[i], block_count(nodes), sizeof(rill_guess_block));
    rill_poisson_free(&covered->poisson, allocator);
}

static bool take_nodes(rill_covered *covered, const rill_poisson_size *room) {
    const rill_allocator *allocator = &covered->allocator;
    const size_t blocks = block_count(room->nodes);
    if (!rill_poisson_make(&covered->poisson, room, allocator)) return false;
    covered->strips = rill_memory_take(allocator, blocks, sizeof *covered->strips);
    covered->blocks = rill_memory_take(allocator, blocks, 1);
    for (int i = 0; i < 2; ++i)
        covered->guess.blocks[i] = rill_memory_take(allocator, blocks, sizeof(rill_guess_block));
    covered->nodes.active = covered->poisson.active;
    covered->west.w = covered->poisson.wx;
    covered->south.w = covered->poisson.wy;
    if (take_planes(covered, (size_t)room->nodes, allocator) && covered->strips && covered->blocks &&
        covered->guess.blocks[0] && covered->guess.blocks[1])
        return true;
    give_nodes(covered);
    return false;
}

static bool is_enough(const rill_poisson_size *have, const rill_poisson_size *want) {
    return want->nodes <= have->nodes && want->patches <= have->patches && want->links <= have->links &&
           want->levels <= have->levels && want->widest <= have->widest && want->fine <= have->fine &&
           want->all <= have->all && want->steps <= have->steps;
}

/* Half as much again, or windows that grow would take it anew all the time; but no more nodes than there can be. */
static rill_poisson_size with_spare(const rill_poisson_size *want, int32_t node_limit) {
    const double spare = fmin(1.5, (double)node_limit / (double)want->nodes);
    rill_poisson_size room = *want;
    room.nodes = (int32_t)(spare * want->nodes);
    room.patches = (int32_t)(spare * want->patches) + 1;
    room.levels = want->levels + 1;
    room.widest = (int32_t)(spare * want->widest);
    room.fine = (int64_t)(spare * (double)want->fine);
    room.all = (int64_t)(spare * (double)want->all);
    room.steps = (int64_t)(spare * (double)want->steps);
    return room;
}

bool rill_covered_make_nodes(rill_covered *covered, const rill_poisson_size *want) {
    if (covered->poisson.levels && is_enough(&covered->poisson.room, want)) return true;
    const rill_poisson_size room = with_spare(want, covered->node_limit);
    give_nodes(covered);
    return take_nodes(covered, &room);
}

static void give_covered(rill_covered *covered, const rill_allocator *allocator) {
    size_t tiles = (size_t)covered->tile_capacity, all = (size_t)covered->bed_tiles;
    give_nodes(covered);
    rill_memory_give(allocator, covered->boxes, tiles, sizeof *covered->boxes);
    rill_memory_give(allocator, covered->listed, tiles, sizeof *covered->listed);
    rill_memory_give(allocator, covered->windows, tiles, sizeof *covered->windows);
    rill_memory_give(allocator, covered->group, all, sizeof *covered->group);
    rill_memory_give(allocator, covered->nearly, all, sizeof *covered->nearly);
    rill_memory_give(allocator, covered->beside, all, 1);
    rill_memory_give(allocator, covered->roofed, all, 1);
    rill_memory_give(allocator, covered->flooded, all, 1);
    rill_memory_give(allocator, covered->kept, all, 1);
    rill_memory_give(allocator, covered->seen, (size_t)covered->bed_places, 1);
    rill_memory_give(allocator, covered->path, (size_t)covered->path_capacity, sizeof *covered->path);
    rill_memory_give(allocator, covered->pipes, (size_t)covered->pipe_capacity, sizeof *covered->pipes);
    rill_memory_give(allocator, covered->joints, (size_t)covered->pipe_capacity, sizeof *covered->joints);
    rill_memory_give(allocator, covered, 1, sizeof *covered);
}

/* How much there has to be, whether or not anything is flooded. */
typedef struct demand {
    int32_t tiles, pipes, path;
} demand;

static rill_covered *take_covered(const rill_bed *bed, const demand *want, const rill_allocator *allocator) {
    rill_covered *covered = rill_memory_take(allocator, 1, sizeof *covered);
    if (!covered) return NULL;
    size_t tiles = (size_t)want->tiles, all = (size_t)bed->tile_count;
    covered->allocator = *allocator;
    covered->bed_tiles = bed->tile_count;
    covered->bed_places = bed->plane_size;
    covered->tile_capacity = want->tiles;
    covered->pipe_capacity = want->pipes;
    covered->path_capacity = want->path;
    covered->boxes = rill_memory_take(allocator, tiles, sizeof *covered->boxes);
    covered->listed = rill_memory_take(allocator, tiles, sizeof *covered->listed);
    covered->windows = rill_memory_take(allocator, tiles, sizeof *covered->windows);
    covered->group = rill_memory_take(allocator, all, sizeof *covered->group);
    covered->nearly = rill_memory_take(allocator, all, sizeof *covered->nearly);
    covered->beside = rill_memory_take(allocator, all, 1);
    covered->roofed = rill_memory_take(allocator, all, 1);
    covered->flooded = rill_memory_take(allocator, all, 1);
    covered->kept = rill_memory_take(allocator, all, 1);
    covered->seen = rill_memory_take(allocator, (size_t)bed->plane_size, 1);
    covered->path = rill_memory_take(allocator, (size_t)want->path, sizeof *covered->path);
    covered->pipes = rill_memory_take(allocator, (size_t)want->pipes, sizeof *covered->pipes);
    covered->joints = rill_memory_take(allocator, (size_t)want->pipes, sizeof *covered->joints);
    if (covered->boxes && covered->listed && covered->windows && covered->group && covered->nearly &&
        covered->beside && covered->roofed && covered->flooded && covered->kept && covered->seen && covered->path &&
        covered->pipes && covered->joints)
        return covered;
    give_covered(covered, allocator);
    return NULL;
}

const uint8_t *rill_covered_roofs(const rill_flow *flow) {
    return flow->covered->roofed;
}

/* Some more than is needed, or it would be taken anew all the time. */
static int32_t grown(int32_t want, int32_t least, int32_t have) {
    return rill_max_i(want < INT32_MAX / 2 - least ? want + want / 16 + least : want, have);
}

bool rill_covered_reserve(const rill_flow *flow, const uint8_t *roofed, rill_covered **out,
                          const rill_allocator *allocator) {
    const rill_bed *bed = flow->bed;
    const rill_covered *now = flow->covered;
    const int64_t path = bed->info.columns + bed->ghost_count; /* the repair may come by every column and every ghost */
    int32_t nodes;
    demand want = { .pipes = bed->pipe_count, .path = path < INT32_MAX ? (int32_t)path : -1 };
    want.tiles = list_tiles(bed, roofed, NULL, &nodes);
    *out = flow->covered;
    if (nodes < 0 || want.path < 0) return false;
    if (now && want.tiles <= now->tile_capacity && want.pipes <= now->pipe_capacity && want.path <= now->path_capacity)
        return true;
    if (bed->roomy)
        want = (demand){ bed->tile_count, grown(want.pipes, 4096, now ? now->pipe_capacity : 0),
                         grown(want.path, 1024, now ? now->path_capacity : 0) };
    *out = take_covered(bed, &want, allocator);
    return *out != NULL;
}

void rill_covered_refit(rill_flow *flow, const uint8_t *roofed, rill_covered *covered,
                        const rill_allocator *allocator) {
    rill_covered *old = flow->covered;
    if (old != covered) {
        if (old) memcpy(covered->flooded, old->flooded, (size_t)covered->bed_tiles);
        if (old) give_covered(old, allocator);
        flow->covered = covered;
    }
    memcpy(covered->roofed, roofed, (size_t)covered->bed_tiles);
    memset(covered->group, 0, (size_t)covered->bed_tiles * sizeof *covered->group);
    covered->tile_count = list_tiles(flow->bed, roofed, covered->boxes, &covered->node_limit);
    covered->window_count = covered->listed_count = 0;
    covered->unready = true;
}

void rill_covered_describe(rill_flow *flow, int32_t sheet, int32_t tx, int32_t ty) {
    const rill_sheet *at = &flow->bed->sheets[sheet];
    int32_t any = 0;
    for (int32_t row = ty * RILL_TILE_H; row < (ty + 1) * RILL_TILE_H && row < rill_sheet_rows(at); ++row) {
        const int32_t *pressure = flow->pressure + rill_sheet_place(at, tx * RILL_TILE_W, row);
        RILL_NOT_UNROLLED
        for (int32_t i = 0; i < RILL_TILE_W; ++i) any |= pressure[i];
    }
    const int32_t tile = at->first_tile + ty * at->tiles_x + tx;
    flow->covered->flooded[tile] = any != 0;
    flow->covered->nearly[tile] = 0;
}

bool rill_covered_make(rill_flow *flow, const rill_allocator *allocator) {
    const rill_bed *bed = flow->bed;
    if (!flow->pressure) return true;
    uint8_t *roofed = rill_memory_take(allocator, (size_t)bed->tile_count, 1);
    for (int32_t i = 0; roofed && i < bed->sheet_count; ++i) {
        const rill_sheet *sheet = &bed->sheets[i];
        uint8_t *tiles = roofed + sheet->first_tile;
        for (int32_t ty = 0; ty < sheet->tiles_y; ++ty)
            for (int32_t tx = 0; tx < sheet->tiles_x; ++tx)
                tiles[ty * sheet->tiles_x + tx] = rill_covered_has_ceiling(bed, sheet, tx, ty);
    }
    rill_covered *covered = NULL;
    bool good = roofed && rill_covered_reserve(flow, roofed, &covered, allocator);
    if (good) rill_covered_refit(flow, roofed, covered, allocator);
    rill_memory_give(allocator, roofed, (size_t)bed->tile_count, 1);
    return good;
}

void rill_covered_free(rill_flow *flow, const rill_allocator *allocator) {
    if (flow->covered) give_covered(flow->covered, allocator);
    flow->covered = NULL;
}
