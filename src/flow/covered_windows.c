/* Where columns may be covered: windows of cells around those that are flooded or might fill within the sub-step.
 *
 * Tiles with a ceiling in them are looked at one by one; those with such columns close to each other form a group, and each
 * group gets a window, the rectangle around its columns and two more cells on each side for the members to grow into. Where
 * windows overlap, a column belongs to the window of its tile's group. */
#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "flow/covered_parts.h"

enum {
    MARGIN = 2 /* cells around the columns in question */
};

/* The columns of a tile that may be covered, as a range of cells of the sheet, ghosts counted; none if x0 > x1. */
typedef struct rill_tile_box {
    int32_t tile, sheet, tx, ty;
    int32_t x0, x1, y0, y1;
    int32_t parent; /* in the forest of groups */
    bool live;      /* the tile is simulated: it is not asleep, nor dry and out of reach */
} rill_tile_box;

/* ------------------------------------------------------------------------------------------------------------- memory */

static bool has_ceiling(const rill_bed *bed, const rill_sheet *sheet, int32_t tx, int32_t ty) {
    for (int32_t row = ty * RILL_TILE_H; row < (ty + 1) * RILL_TILE_H && row < rill_sheet_rows(sheet); ++row) {
        int32_t place = rill_sheet_place(sheet, tx * RILL_TILE_W, row);
        for (int32_t i = place; i < place + RILL_TILE_W; ++i)
            if (bed->c[i] < RILL_TOP) return true;
    }
    return false;
}

/* Lists the tiles with ceilings if `boxes` is not NULL; returns how many there are. `*nodes` gets the most nodes that
 * windows around them can have. */
static int32_t list_tiles(const rill_bed *bed, rill_tile_box *boxes, int32_t *nodes) {
    int32_t count = 0;
    int64_t room = 0;
    for (int32_t i = 0; i < bed->sheet_count; ++i) {
        const rill_sheet *sheet = &bed->sheets[i];
        int32_t before = count, x0 = INT32_MAX, x1 = -1, y0 = INT32_MAX, y1 = -1;
        for (int32_t ty = 0; ty < sheet->tiles_y; ++ty)
            for (int32_t tx = 0; tx < sheet->tiles_x; ++tx) {
                if (!has_ceiling(bed, sheet, tx, ty)) continue;
                if (boxes)
                    boxes[count] = (rill_tile_box){
                        .tile = sheet->first_tile + ty * sheet->tiles_x + tx, .sheet = i, .tx = tx, .ty = ty
                    };
                count += 1;
                x0 = rill_min_i(x0, tx);
                x1 = rill_max_i(x1, tx);
                y0 = rill_min_i(y0, ty);
                y1 = rill_max_i(y1, ty);
            }
        if (count > before)
            room +=
                rill_poisson_room((x1 - x0 + 1) * RILL_TILE_W + 2 * MARGIN, (y1 - y0 + 1) * RILL_TILE_H + 2 * MARGIN);
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
    work((void **)&covered->tally, nodes, sizeof(double), allocator);
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
    bool good = a->b && a->c && a->H && a->fill && a->was && a->ever && a->sealed && a->pi && covered->queue &&
                covered->components && covered->tally;
    const rill_covered_faces *const axes[2] = { &covered->west, &covered->south };
    for (int i = 0; i < 2; ++i) {
        const rill_covered_faces *f = axes[i];
        good = good && f->u && f->base && f->gain && f->reach && f->head && f->t && f->q;
    }
    return good;
}

static void give_planes(rill_covered *covered, size_t nodes, const rill_allocator *allocator) {
    each_plane(covered, nodes, allocator, give_plane);
}

bool rill_covered_make(rill_flow *flow, const rill_allocator *allocator) {
    const rill_bed *bed = flow->bed;
    int32_t nodes, tiles = list_tiles(bed, NULL, &nodes);
    if (tiles == 0) return true;
    if (nodes < 0) return false;
    rill_covered *covered = rill_memory_take(allocator, 1, sizeof *covered);
    if (!covered) return false;
    flow->covered = covered;
    covered->tile_count = tiles;
    covered->node_capacity = nodes;
    covered->boxes = rill_memory_take(allocator, (size_t)tiles, sizeof *covered->boxes);
    covered->listed = rill_memory_take(allocator, (size_t)tiles, sizeof *covered->listed);
    covered->windows = rill_memory_take(allocator, (size_t)tiles, sizeof *covered->windows);
    covered->group = rill_memory_take(allocator, (size_t)bed->tile_count, sizeof *covered->group);
    covered->beside = rill_memory_take(allocator, (size_t)bed->tile_count, 1);
    covered->seen = rill_memory_take(allocator, (size_t)bed->plane_size, 1);
    covered->roofed = rill_memory_take(allocator, (size_t)bed->tile_count, 1);
    covered->flooded = rill_memory_take(allocator, (size_t)bed->tile_count, 1);
    covered->pipes = rill_memory_take(allocator, (size_t)bed->pipe_count, sizeof *covered->pipes);
    bool good = take_planes(covered, (size_t)nodes, allocator) && covered->boxes && covered->listed &&
                covered->windows && covered->group && covered->beside && covered->seen && covered->roofed &&
                covered->flooded && covered->pipes;
    if (good) good = rill_poisson_make(&covered->poisson, nodes, tiles, bed->pipe_count, allocator);
    covered->nodes.active = covered->poisson.active;
    covered->west.w = covered->poisson.wx;
    covered->south.w = covered->poisson.wy;
    if (good) list_tiles(bed, covered->boxes, &nodes);
    for (int32_t i = 0; good && i < tiles; ++i) covered->roofed[covered->boxes[i].tile] = 1;
    if (!good) rill_covered_free(flow, allocator);
    return good;
}

void rill_covered_free(rill_flow *flow, const rill_allocator *allocator) {
    rill_covered *covered = flow->covered;
    if (!covered) return;
    size_t tiles = (size_t)covered->tile_count;
    give_planes(covered, (size_t)covered->node_capacity, allocator);
    rill_poisson_free(&covered->poisson, allocator);
    rill_memory_give(allocator, covered->boxes, tiles, sizeof *covered->boxes);
    rill_memory_give(allocator, covered->listed, tiles, sizeof *covered->listed);
    rill_memory_give(allocator, covered->windows, tiles, sizeof *covered->windows);
    rill_memory_give(allocator, covered->group, (size_t)flow->bed->tile_count, sizeof *covered->group);
    rill_memory_give(allocator, covered->beside, (size_t)flow->bed->tile_count, 1);
    rill_memory_give(allocator, covered->seen, (size_t)flow->bed->plane_size, 1);
    rill_memory_give(allocator, covered->roofed, (size_t)flow->bed->tile_count, 1);
    rill_memory_give(allocator, covered->flooded, (size_t)flow->bed->tile_count, 1);
    rill_memory_give(allocator, covered->pipes, (size_t)flow->bed->pipe_count, sizeof *covered->pipes);
    rill_memory_give(allocator, covered, 1, sizeof *covered);
    flow->covered = NULL;
}

/* -------------------------------------------------------------------------------------------------------------- boxes */

/* Marks the tiles with flooded columns and the eight around each. */
static void mark_beside(const rill_flow *flow) {
    rill_covered *covered = flow->covered;
    memset(covered->beside, 0, (size_t)flow->bed->tile_count);
    for (int32_t i = 0; i < covered->tile_count; ++i) {
        const rill_tile_box *box = &covered->boxes[i];
        if (!covered->flooded[box->tile]) continue;
        const rill_sheet *sheet = &flow->bed->sheets[box->sheet];
        for (int32_t ty = rill_max_i(box->ty - 1, 0); ty <= rill_min_i(box->ty + 1, sheet->tiles_y - 1); ++ty)
            for (int32_t tx = rill_max_i(box->tx - 1, 0); tx <= rill_min_i(box->tx + 1, sheet->tiles_x - 1); ++tx)
                covered->beside[sheet->first_tile + ty * sheet->tiles_x + tx] = 1;
    }
}

/* The columns of a tile that are flooded, or might be after this sub-step. */
static void look_at_tile(const rill_flow *flow, const rill_kernel_constants *k, rill_tile_box *box) {
    const rill_bed *bed = flow->bed;
    const rill_sheet *sheet = &bed->sheets[box->sheet];
    int32_t place = rill_sheet_place(sheet, box->tx * RILL_TILE_W, box->ty * RILL_TILE_H);
    int32_t rows = rill_min_i(RILL_TILE_H, rill_sheet_rows(sheet) - box->ty * RILL_TILE_H);
    rill_covered_tile tile = { rill_covered_columns_at(flow, place), sheet->stride, rows,
                               flow->covered->beside[box->tile] };
    int32_t any_x[RILL_TILE_W], any_y[RILL_TILE_H];
    flow->covered->kernels->look(&tile, k->lambda, any_x, any_y);
    int32_t x0 = 0, x1 = RILL_TILE_W - 1, y0 = 0, y1 = RILL_TILE_H - 1;
    while (x0 <= x1 && !any_x[x0]) ++x0;
    while (x1 >= x0 && !any_x[x1]) --x1;
    while (y0 <= y1 && !any_y[y0]) ++y0;
    while (y1 >= y0 && !any_y[y1]) --y1;
    box->x0 = box->tx * RILL_TILE_W + x0;
    box->x1 = box->tx * RILL_TILE_W + x1;
    box->y0 = box->ty * RILL_TILE_H + y0;
    box->y1 = box->ty * RILL_TILE_H + y1;
}

/* ------------------------------------------------------------------------------------------------------------- groups */

static int32_t root_of(rill_tile_box *boxes, int32_t i) {
    while (boxes[i].parent != i) i = boxes[i].parent = boxes[boxes[i].parent].parent;
    return i;
}

/* Joins the group of box i with that of a neighbouring tile, if their columns are close. `group` of a tile holds 1 + its
 * box meanwhile. */
static void join_neighbour(rill_covered *covered, int32_t i, int32_t tile) {
    int32_t j = covered->group[tile] - 1;
    if (j < 0) return;
    rill_tile_box *boxes = covered->boxes;
    const rill_tile_box *a = &boxes[i], *b = &boxes[j];
    const int32_t gap = 2 * MARGIN;
    if (a->x0 - b->x1 > gap || b->x0 - a->x1 > gap || a->y0 - b->y1 > gap || b->y0 - a->y1 > gap) return;
    int32_t ri = root_of(boxes, i), rj = root_of(boxes, j), low = rill_min_i(ri, rj), high = rill_max_i(ri, rj);
    boxes[high].parent = low;
    boxes[low].live |= boxes[high].live;
}

static void join_box(rill_flow *flow, int32_t i) {
    rill_covered *covered = flow->covered;
    const rill_tile_box *box = &covered->boxes[i];
    const rill_sheet *sheet = &flow->bed->sheets[box->sheet];
    int32_t tile = box->tile;
    covered->group[tile] = i + 1;
    if (box->tx > 0) join_neighbour(covered, i, tile - 1);
    if (box->ty == 0) return;
    join_neighbour(covered, i, tile - sheet->tiles_x);
    if (box->tx > 0) join_neighbour(covered, i, tile - sheet->tiles_x - 1);
    if (box->tx + 1 < sheet->tiles_x) join_neighbour(covered, i, tile - sheet->tiles_x + 1);
}

/* Sparse pipes carry pressure from group to group: where one end is simulated, so must the other be. */
static void wake_over_pipes(rill_flow *flow) {
    rill_covered *covered = flow->covered;
    const rill_sparse *sparse = &flow->scratch->sparse;
    for (bool again = true; again;) {
        again = false;
        for (int32_t i = 0; i < flow->bed->pipe_count; ++i) {
            int32_t l = covered->group[sparse->pipes[i].tile_l] - 1, r = covered->group[sparse->pipes[i].tile_r] - 1;
            if (l < 0 || r < 0) continue;
            rill_tile_box *low = &covered->boxes[root_of(covered->boxes, l)];
            rill_tile_box *high = &covered->boxes[root_of(covered->boxes, r)];
            if (low->live == high->live) continue;
            low->live = high->live = again = true;
        }
    }
}

/* ------------------------------------------------------------------------------------------------------------ windows */

static rill_window window_around(const rill_sheet *sheet, const rill_tile_box *box) {
    int32_t x0 = rill_max_i(box->x0 - MARGIN, 0), x1 = rill_min_i(box->x1 + MARGIN, sheet->tiles_x * RILL_TILE_W - 1);
    int32_t y0 = rill_max_i(box->y0 - MARGIN, 0), y1 = rill_min_i(box->y1 + MARGIN, rill_sheet_rows(sheet) - 1);
    return (rill_window){ .sheet = sheet,
                          .column = x0,
                          .row = y0,
                          .nx = x1 - x0 + 1,
                          .ny = y1 - y0 + 1,
                          .place = rill_sheet_place(sheet, x0, y0) };
}

static void widen_box(rill_tile_box *box, const rill_tile_box *other) {
    box->x0 = rill_min_i(box->x0, other->x0);
    box->x1 = rill_max_i(box->x1, other->x1);
    box->y0 = rill_min_i(box->y0, other->y0);
    box->y1 = rill_max_i(box->y1, other->y1);
}

/* One window per group that is simulated, with the groups' roots widened to the whole group. False if they do not fit. */
static bool lay_windows(rill_flow *flow) {
    rill_covered *covered = flow->covered;
    rill_tile_box *boxes = covered->boxes;
    covered->window_count = 0;
    rill_poisson_clear(&covered->poisson);
    int64_t room = 0;
    for (int32_t k = 0; k < covered->listed_count; ++k) {
        int32_t i = covered->listed[k];
        if (boxes[i].parent != i || !boxes[i].live) continue;
        rill_window window = window_around(&flow->bed->sheets[boxes[i].sheet], &boxes[i]);
        room += rill_poisson_room(window.nx, window.ny);
        if (room > covered->node_capacity) return false;
        const rill_patch *patch = rill_poisson_add(&covered->poisson, window.nx, window.ny);
        window.node = patch->first;
        window.stride = patch->stride;
        window.group = i + 1;
        covered->windows[covered->window_count++] = window;
    }
    return true;
}

/* Windows of groups may overlap and together need more room than there is: then each sheet is one group. */
static void merge_by_sheet(rill_covered *covered) {
    rill_tile_box *boxes = covered->boxes;
    for (int32_t k = 0, first = -1; k < covered->listed_count; ++k) {
        int32_t i = covered->listed[k];
        if (first < 0 || boxes[first].sheet != boxes[i].sheet) first = i;
        bool live = boxes[root_of(boxes, i)].live || boxes[first].live;
        boxes[i].parent = first;
        widen_box(&boxes[first], &boxes[i]);
        boxes[first].live = live;
    }
}

/* Tiles of no group belong to the first window that reaches into them: its members may grow there. With group 0 they are
 * given up again. */
static void claim_tiles(rill_covered *covered, const rill_window *window, int32_t group) {
    const rill_sheet *sheet = window->sheet;
    for (int32_t ty = window->row / RILL_TILE_H; ty <= (window->row + window->ny - 1) / RILL_TILE_H; ++ty)
        for (int32_t tx = window->column / RILL_TILE_W; tx <= (window->column + window->nx - 1) / RILL_TILE_W; ++tx) {
            int32_t tile = sheet->first_tile + ty * sheet->tiles_x + tx;
            if (covered->roofed[tile] && (group == 0 || covered->group[tile] == 0)) covered->group[tile] = group;
        }
}

/* The nodes of a row from x on. */
static void read_run(rill_flow *flow, const rill_window *window, int32_t x, int32_t y, int32_t n, bool ours) {
    const rill_covered *covered = flow->covered;
    int32_t node = window->node + y * window->stride + x;
    rill_covered_columns at = rill_covered_columns_at(flow, window->place + y * window->sheet->stride + x);
    rill_covered_nodes nodes = rill_covered_nodes_at(covered, node);
    rill_covered_faces west = rill_covered_faces_at(&covered->west, node);
    rill_covered_faces south = rill_covered_faces_at(&covered->south, node);
    if (n > 0) covered->kernels->read(n, &at, ours, &nodes, &west, &south);
}

static void pad_run(const rill_covered *covered, int32_t node, int32_t n) {
    rill_covered_nodes nodes = rill_covered_nodes_at(covered, node);
    rill_covered_faces west = rill_covered_faces_at(&covered->west, node);
    rill_covered_faces south = rill_covered_faces_at(&covered->south, node);
    covered->kernels->pad(n, &nodes, &west, &south);
}

/* What the nodes of a row start from. Not the outermost ring, ghosts, and columns of other groups' tiles: they are no
 * members. */
static void read_row(rill_flow *flow, const rill_window *window, int32_t y) {
    const rill_sheet *sheet = window->sheet;
    int32_t row = window->row + y;
    const int32_t *groups = flow->covered->group + sheet->first_tile + row / RILL_TILE_H * sheet->tiles_x;
    bool inside = y > 0 && y < window->ny - 1 && row > 0 && row <= sheet->ny;
    int32_t from = 1, to = rill_min_i(window->nx - 1, sheet->nx + 1 - window->column);
    if (!inside || from >= to) {
        read_run(flow, window, 0, y, window->nx, false);
        return;
    }
    read_run(flow, window, 0, y, from, false);
    for (int32_t x = from, next; x < to; x = next) {
        int32_t tile = (window->column + x) / RILL_TILE_W;
        bool ours = groups[tile] == window->group;
        for (next = x; next < to && (groups[tile] == window->group) == ours; ++tile)
            next = rill_min_i((tile + 1) * RILL_TILE_W - window->column, to);
        read_run(flow, window, x, y, next - x, ours);
    }
    read_run(flow, window, to, y, window->nx - to, false);
}

static void read_window(rill_flow *flow, const rill_window *window) {
    pad_run(flow->covered, window->node - window->stride, (window->ny + 2) * window->stride);
    for (int32_t y = 0; y < window->ny; ++y) read_row(flow, window, y);
}

/* Forgets the groups of the last sub-step. */
static void forget_groups(rill_covered *covered) {
    for (int32_t k = 0; k < covered->listed_count; ++k) covered->group[covered->boxes[covered->listed[k]].tile] = 0;
    for (int32_t i = 0; i < covered->window_count; ++i) claim_tiles(covered, &covered->windows[i], 0);
    covered->listed_count = 0;
}

/* Lists the tiles with columns that are flooded, or may be after this sub-step. Returns whether some of them sleep. */
static bool list_boxes(rill_flow *flow, const rill_kernel_constants *constants) {
    rill_covered *covered = flow->covered;
    bool asleep = false;
    for (int32_t i = 0; i < covered->tile_count; ++i) {
        rill_tile_box *box = &covered->boxes[i];
        bool flooded = covered->flooded[box->tile];
        /* Every fourth sub-step is often enough to find a column that fills away from what is flooded. */
        if (!covered->beside[box->tile] && flow->substep % 4 != 0) continue;
        box->live = flow->tiles[box->tile] & (RILL_TILE_AWAKE | RILL_TILE_SWEPT);
        if (!flooded && !(box->live && flow->scratch->busy[box->tile])) continue;
        look_at_tile(flow, constants, box);
        if (box->x0 > box->x1) continue;
        box->parent = i;
        covered->listed[covered->listed_count++] = i;
        asleep |= !box->live;
    }
    return asleep;
}

/* A tile of a group, and how far the group reaches. */
static void settle_group(rill_covered *covered, int32_t i) {
    rill_tile_box *boxes = covered->boxes;
    int32_t root = root_of(boxes, i);
    if (root != i) widen_box(&boxes[root], &boxes[i]);
}

bool rill_covered_find(rill_flow *flow, const rill_kernel_constants *constants) {
    rill_covered *covered = flow->covered;
    rill_tile_box *boxes = covered->boxes;
    mark_beside(flow);
    forget_groups(covered);
    bool asleep = list_boxes(flow, constants);
    for (int32_t k = 0; k < covered->listed_count; ++k) join_box(flow, covered->listed[k]);
    if (asleep) wake_over_pipes(flow);
    for (int32_t k = 0; k < covered->listed_count; ++k) settle_group(covered, covered->listed[k]);
    if (!lay_windows(flow)) {
        merge_by_sheet(covered);
        lay_windows(flow);
    }
    for (int32_t k = 0; k < covered->listed_count; ++k) {
        int32_t root = root_of(boxes, covered->listed[k]), tile = boxes[covered->listed[k]].tile;
        covered->group[tile] = root + 1;
        if (boxes[root].live) covered->flooded[tile] = 0; /* until the solve says which columns are */
    }
    for (int32_t i = 0; i < covered->window_count; ++i)
        claim_tiles(covered, &covered->windows[i], covered->windows[i].group);
    for (int32_t i = 0; i < covered->window_count; ++i) read_window(flow, &covered->windows[i]);
    return covered->window_count > 0;
}

/* ------------------------------------------------------------------------------------------------------------- lookup */

int32_t rill_covered_place(const rill_window *window, int32_t node) {
    int32_t offset = node - window->node, y = offset / window->stride;
    return window->place + y * window->sheet->stride + (offset - y * window->stride);
}

const rill_window *rill_covered_window(const rill_covered *covered, int32_t node) {
    int32_t low = 0, high = covered->window_count - 1;
    while (low < high) {
        int32_t middle = (low + high + 1) / 2;
        if (covered->windows[middle].node <= node)
            low = middle;
        else
            high = middle - 1;
    }
    return &covered->windows[low];
}

static bool open_between(const rill_bed *bed, int32_t a, int32_t b) {
    return rill_min_i(bed->c[a], bed->c[b]) - rill_max_i(bed->b[a], bed->b[b]) > 1;
}

rill_covered_neighbours rill_covered_near(const rill_bed *bed, const rill_window *window, int32_t node) {
    rill_covered_neighbours found = { 0 };
    int32_t place = rill_covered_place(window, node), stride = window->sheet->stride;
    if (open_between(bed, place - 1, place)) found.node[found.count++] = node - 1;
    if (open_between(bed, place, place + 1)) found.node[found.count++] = node + 1;
    if (open_between(bed, place - stride, place)) found.node[found.count++] = node - window->stride;
    if (open_between(bed, place, place + stride)) found.node[found.count++] = node + window->stride;
    return found;
}
