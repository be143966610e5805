/* Where columns may be covered: windows of cells around those that are flooded or might fill within the sub-step.
 *
 * Tiles with a ceiling in them are looked at one by one; those with such columns close to each other form a group, and each
 * group gets a window, the rectangle around its columns and two more cells on each side for the members to grow into. Where
 * windows overlap, a column belongs to the window of its tile's group. */
#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "flow/covered_parts.h"

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
    const int32_t gap = 2 * RILL_WINDOW_MARGIN;
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
    int32_t x0 = rill_max_i(box->x0 - RILL_WINDOW_MARGIN, 0),
            x1 = rill_min_i(box->x1 + RILL_WINDOW_MARGIN, sheet->tiles_x * RILL_TILE_W - 1);
    int32_t y0 = rill_max_i(box->y0 - RILL_WINDOW_MARGIN, 0),
            y1 = rill_min_i(box->y1 + RILL_WINDOW_MARGIN, rill_sheet_rows(sheet) - 1);
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
        if (room > covered->node_limit) return false;
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
    covered->kernels->read(n, &at, ours, &nodes, &west, &south);
}

static void pad_run(const rill_covered *covered, int32_t node, int32_t n) {
    rill_covered_nodes nodes = rill_covered_nodes_at(covered, node);
    rill_covered_faces west = rill_covered_faces_at(&covered->west, node);
    rill_covered_faces south = rill_covered_faces_at(&covered->south, node);
    covered->kernels->pad(n, &nodes, &west, &south);
}

/* Makes a node one that is no member. */
static void disown(const rill_covered_nodes *nodes, int32_t node) {
    nodes->fill[node] = RILL_NO_ROOF;
    nodes->was[node] = nodes->ever[node] = 0;
    nodes->pi[node] = 0.0;
    nodes->active[node] = 0.0f;
}

/* What the nodes of a row start from. Not the outermost ring, ghosts, and columns of other groups' tiles: they are no
 * members. */
static void read_row(rill_flow *flow, const rill_window *window, int32_t y) {
    const rill_covered *covered = flow->covered;
    const rill_sheet *sheet = window->sheet;
    int32_t row = window->row + y, node = window->node + y * window->stride;
    const int32_t *groups = covered->group + sheet->first_tile + row / RILL_TILE_H * sheet->tiles_x;
    bool inside = y > 0 && y < window->ny - 1 && row > 0 && row <= sheet->ny;
    for (int32_t x = 0, next; x < window->nx; x = next) {
        int32_t tile = (window->column + x) / RILL_TILE_W;
        bool ours = inside && groups[tile] == window->group;
        for (next = x; next < window->nx && (inside && groups[tile] == window->group) == ours; ++tile)
            next = rill_min_i((tile + 1) * RILL_TILE_W - window->column, window->nx);
        read_run(flow, window, x, y, next - x, ours);
    }
    disown(&covered->nodes, node);
    for (int32_t x = rill_min_i(window->nx - 1, sheet->nx + 1 - window->column); x < window->nx; ++x)
        disown(&covered->nodes, node + x);
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
        /* Every other sub-step is often enough to find a column that fills beside what is flooded, every fourth elsewhere. */
        if (!flooded && flow->substep % (covered->beside[box->tile] ? 2 : 4) != 0) continue;
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
    covered->woken = asleep;
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
