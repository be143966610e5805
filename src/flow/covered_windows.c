/* Where columns may be covered: windows of cells around those that are flooded or might fill within the sub-step.
 *
 * Tiles with a ceiling in them are looked at one by one; those with such columns close to each other form a group, and each
 * group gets a window, the rectangle around its columns and a few more cells on each side for the members to grow into. Groups
 * whose windows would overlap become one.
 *
 * Looking costs more than reading the windows, so that it is done every few sub-steps only, and whenever members outgrow a
 * window (covered_rims.c) or tiles fall asleep or wake. A column that fills meanwhile is blocked by the limiters for as long. Each
 * step begins with a look, or it would matter to the bits whether it began from a snapshot. */
#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "flow/covered_parts.h"

enum { LOOK_EVERY = 8 };           /* sub-steps */
static const float HORIZON = 3.0f; /* sub-steps to look ahead */

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

/* Fifteen sixteenths of the least height under a ceiling in a tile; found once, and again when solids have changed. */
static int32_t nearly_height(const rill_flow *flow, const rill_tile_box *box, int32_t place, int32_t rows) {
    int32_t *nearly = &flow->covered->nearly[box->tile];
    if (*nearly > 0) return *nearly;
    const int32_t stride = flow->bed->sheets[box->sheet].stride;
    int32_t least = RILL_TOP;
    for (int32_t y = 0; y < rows; ++y) {
        const int32_t *b = flow->bed->b + place + y * stride, *c = flow->bed->c + place + y * stride;
        RILL_NOT_UNROLLED
        for (int32_t i = 0; i < RILL_TILE_W; ++i)
            least = rill_min_i(least, ((b[i] < c[i]) & (c[i] < RILL_TOP)) ? c[i] - b[i] : RILL_TOP);
    }
    return *nearly = rill_max_i(least - least / 16, 1);
}

/* The columns of a tile that are flooded, or might be after this sub-step; false if there are none. */
static bool look_at_tile(const rill_flow *flow, const rill_kernel_constants *k, rill_tile_box *box) {
    const rill_bed *bed = flow->bed;
    const rill_sheet *sheet = &bed->sheets[box->sheet];
    int32_t place = rill_sheet_place(sheet, box->tx * RILL_TILE_W, box->ty * RILL_TILE_H);
    int32_t rows = rill_min_i(RILL_TILE_H, rill_sheet_rows(sheet) - box->ty * RILL_TILE_H);
    const int32_t nearly = nearly_height(flow, box, place, rows);
    const bool flooded = flow->covered->flooded[box->tile];
    if (!flooded && flow->extent.depth < nearly) return false;
    const rill_covered_tile tile = { .at = rill_covered_columns_at(flow, place),
                                     .stride = sheet->stride,
                                     .rows = rows,
                                     .flooded = flooded,
                                     .beside = flow->covered->beside[box->tile],
                                     .nearly = nearly };
    int32_t rows_of[RILL_TILE_W], all = 0;
    if (!flow->covered->kernels->look(&tile, k->lambda * HORIZON, rows_of)) return false;
    for (int32_t x = 0; x < RILL_TILE_W; ++x) all |= rows_of[x];
    int32_t x0 = 0, x1 = RILL_TILE_W - 1, y0 = 0, y1 = RILL_TILE_H - 1;
    while (x0 <= x1 && !rows_of[x0]) ++x0;
    while (x1 >= x0 && !rows_of[x1]) --x1;
    while (y0 <= y1 && !(all >> y0 & 1)) ++y0;
    while (y1 >= y0 && !(all >> y1 & 1)) --y1;
    box->x0 = box->tx * RILL_TILE_W + x0;
    box->x1 = box->tx * RILL_TILE_W + x1;
    box->y0 = box->ty * RILL_TILE_H + y0;
    box->y1 = box->ty * RILL_TILE_H + y1;
    return all != 0;
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
    const int32_t gap = 4; /* cells */
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

static void widen_box(rill_tile_box *box, const rill_tile_box *other) {
    box->x0 = rill_min_i(box->x0, other->x0);
    box->x1 = rill_max_i(box->x1, other->x1);
    box->y0 = rill_min_i(box->y0, other->y0);
    box->y1 = rill_max_i(box->y1, other->y1);
}

/* Groups whose windows would overlap become one: in the part they share neither could have all the members it needs. The windows
 * are kept by their place in the list meanwhile: to surround a group is long work. */
static void merge_overlapping(rill_flow *flow) {
    rill_covered *covered = flow->covered;
    rill_tile_box *boxes = covered->boxes;
    rill_window *windows = covered->windows;
    const int32_t *listed = covered->listed;
    for (int32_t k = 0; k < covered->listed_count; ++k)
        if (boxes[listed[k]].parent == listed[k])
            windows[k] = rill_covered_surround(flow, &flow->bed->sheets[boxes[listed[k]].sheet], &boxes[listed[k]]);
    for (bool again = true; again;) {
        again = false;
        for (int32_t k = 0; k < covered->listed_count; ++k) {
            rill_tile_box *a = &boxes[listed[k]];
            if (a->parent != listed[k]) continue;
            bool wider = false;
            for (int32_t m = k + 1; m < covered->listed_count; ++m) {
                rill_tile_box *b = &boxes[listed[m]];
                if (b->sheet != a->sheet) break; /* boxes are listed by sheets */
                if (b->parent != listed[m] || !rill_covered_overlap(&windows[k], &windows[m])) continue;
                b->parent = listed[k];
                a->live |= b->live;
                widen_box(a, b);
                wider = true;
            }
            if (wider) windows[k] = rill_covered_surround(flow, &flow->bed->sheets[a->sheet], a);
            again |= wider;
        }
    }
}

/* One window per group that is simulated, with the groups' roots widened to the whole group; without nodes yet, of which
 * `*size` gets how many there have to be. False if they do not fit. */
static bool lay_windows(rill_flow *flow, rill_poisson_size *size) {
    rill_covered *covered = flow->covered;
    rill_tile_box *boxes = covered->boxes;
    covered->window_count = 0;
    *size = (rill_poisson_size){ .links = flow->bed->pipe_count };
    int64_t room = 0;
    for (int32_t k = 0; k < covered->listed_count; ++k) {
        int32_t i = covered->listed[k];
        boxes[i].window = -1;
        if (boxes[i].parent != i || !boxes[i].live) continue;
        rill_window window = rill_covered_surround(flow, &flow->bed->sheets[boxes[i].sheet], &boxes[i]);
        room += rill_poisson_room(window.nx, window.ny);
        if (room > covered->node_limit) return false;
        rill_poisson_count(size, window.nx, window.ny);
        window.group = i + 1;
        boxes[i].window = covered->window_count;
        covered->windows[covered->window_count++] = window;
    }
    return true;
}

/* Gives the windows their nodes; without memory there are no windows. */
static void add_patches(rill_covered *covered, const rill_poisson_size *size) {
    rill_poisson *poisson = &covered->poisson;
    if (covered->window_count > 0 && !rill_covered_make_nodes(covered, size)) {
        covered->starved = true;
        covered->window_count = 0;
    }
    rill_poisson_clear(poisson);
    for (int32_t i = 0; i < covered->window_count; ++i) {
        rill_window *window = &covered->windows[i];
        const rill_patch *patch = rill_poisson_add(poisson, window->nx, window->ny);
        window->node = patch->first;
        window->stride = patch->stride;
    }
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

static void pad_run(const rill_covered *covered, int32_t node, int32_t n) {
    rill_covered_nodes nodes = rill_covered_nodes_at(covered, node);
    rill_covered_faces west = rill_covered_faces_at(&covered->west, node);
    rill_covered_faces south = rill_covered_faces_at(&covered->south, node);
    covered->kernels->pad(n, &nodes, &west, &south);
}

/* Whether all tiles of a window are of its own group. */
static bool owns_all(const rill_covered *covered, const rill_window *window) {
    const rill_sheet *sheet = window->sheet;
    bool all = true;
    for (int32_t ty = window->row / RILL_TILE_H; ty <= (window->row + window->ny - 1) / RILL_TILE_H; ++ty)
        for (int32_t tx = window->column / RILL_TILE_W; tx <= (window->column + window->nx - 1) / RILL_TILE_W; ++tx)
            all &= covered->group[sheet->first_tile + ty * sheet->tiles_x + tx] == window->group;
    return all;
}

/* Forgets the groups of the last sub-step. */
static void forget_groups(rill_covered *covered) {
    for (int32_t k = 0; k < covered->listed_count; ++k) covered->group[covered->boxes[covered->listed[k]].tile] = 0;
    for (int32_t i = 0; i < covered->window_count; ++i) claim_tiles(covered, &covered->windows[i], 0);
    covered->listed_count = 0;
}

static bool is_awake(const rill_flow *flow, int32_t tile) {
    return flow->tiles[tile] & (RILL_TILE_AWAKE | RILL_TILE_SWEPT);
}

/* Lists the tiles with columns that are flooded, or may be after this sub-step. Returns whether some of them sleep. */
static bool list_boxes(rill_flow *flow, const rill_kernel_constants *constants) {
    rill_covered *covered = flow->covered;
    bool asleep = false;
    for (int32_t i = 0; i < covered->tile_count; ++i) {
        rill_tile_box *box = &covered->boxes[i];
        bool awake = is_awake(flow, box->tile);
        if (!covered->flooded[box->tile]) {
            if (!covered->beside[box->tile] && flow->substep % LOOK_EVERY != 0) continue;
            if (!awake || !flow->scratch->busy[box->tile]) continue;
        }
        if (!look_at_tile(flow, constants, box)) {
            covered->flooded[box->tile] = 0;
            continue;
        }
        box->live = box->awake = awake;
        box->parent = i;
        covered->listed[covered->listed_count++] = i;
        asleep |= !awake;
    }
    return asleep;
}

/* Where a passage slams full, all that is nearly full may become part of it at once, however far it reaches: tiles with such
 * columns count as flooded, and so on from tile to tile. */
static void spread(rill_flow *flow, const rill_kernel_constants *constants) {
    rill_covered *covered = flow->covered;
    for (bool again = true; again;) {
        again = false;
        for (int32_t i = 0; i < covered->tile_count; ++i) {
            rill_tile_box *box = &covered->boxes[i];
            if (covered->flooded[box->tile] || !covered->beside[box->tile]) continue;
            if (!is_awake(flow, box->tile) || !flow->scratch->busy[box->tile]) continue;
            if (look_at_tile(flow, constants, box)) covered->flooded[box->tile] = again = true;
        }
        mark_beside(flow);
    }
}

/* A tile of a group, and how far the group reaches. */
static void settle_group(rill_covered *covered, int32_t i) {
    rill_tile_box *boxes = covered->boxes;
    int32_t root = root_of(boxes, i);
    if (root != i) widen_box(&boxes[root], &boxes[i]);
}

static void look_around(rill_flow *flow, const rill_kernel_constants *constants) {
    rill_covered *covered = flow->covered;
    rill_tile_box *boxes = covered->boxes;
    mark_beside(flow);
    if (covered->spreads) spread(flow, constants);
    rill_covered_ask_over_pipes(flow);
    forget_groups(covered);
    bool asleep = list_boxes(flow, constants);
    for (int32_t k = 0; k < covered->listed_count; ++k) join_box(flow, covered->listed[k]);
    if (asleep) wake_over_pipes(flow);
    covered->woken = asleep;
    for (int32_t k = 0; k < covered->listed_count; ++k) settle_group(covered, covered->listed[k]);
    merge_overlapping(flow);
    rill_poisson_size size;
    if (!lay_windows(flow, &size)) {
        merge_by_sheet(covered);
        lay_windows(flow, &size);
    }
    add_patches(covered, &size);
    for (int32_t k = 0; k < covered->listed_count; ++k)
        covered->group[boxes[covered->listed[k]].tile] = root_of(boxes, covered->listed[k]) + 1;
    for (int32_t i = 0; i < covered->window_count; ++i) {
        const rill_window *window = &covered->windows[i];
        claim_tiles(covered, window, window->group);
        pad_run(covered, window->node - window->stride, (window->ny + 2) * window->stride);
    }
    for (int32_t i = 0; i < covered->window_count; ++i)
        covered->windows[i].whole = owns_all(covered, &covered->windows[i]);
    rill_covered_lay_strips(flow);
    covered->pipe_count = 0;
}

/* Whether the windows of the last sub-step still do. */
static bool windows_hold(const rill_flow *flow) {
    const rill_covered *covered = flow->covered;
    if (!covered->hold || flow->substep % LOOK_EVERY == 0) return false;
    for (int32_t k = 0; k < covered->listed_count; ++k) {
        const rill_tile_box *box = &covered->boxes[covered->listed[k]];
        if (box->awake != is_awake(flow, box->tile)) return false;
    }
    return true;
}

bool rill_covered_find(rill_flow *flow, const rill_kernel_constants *constants) {
    rill_covered *covered = flow->covered;
    const bool again = windows_hold(flow);
    if (!again) look_around(flow, constants);
    rill_covered_forget_asked(flow);
    covered->marked = false;
    covered->hold = true;
    for (int32_t k = 0; k < covered->listed_count; ++k) {
        const rill_tile_box *box = &covered->boxes[covered->listed[k]];
        bool live = covered->boxes[covered->group[box->tile] - 1].live;
        if (live) covered->flooded[box->tile] = 0; /* until the solve says which columns are */
    }
    for (int32_t k = 0; k < flow->claimed_count; ++k) /* which it does not of these */
        if (rill_flow_flooded(flow, flow->claimed[k]))
            covered->flooded[rill_bed_tile_of(flow->bed, flow->claimed[k])] = 1;
    rill_covered_read(flow, again && !flow->lifted); /* bases at bodies are others each time */
    return covered->window_count > 0;
}

bool rill_covered_ready(rill_flow *flow, float lambda, bool scalar) {
    rill_covered *covered = flow->covered;
    if (!covered || !covered->unready) return true;
    const size_t tiles = (size_t)covered->bed_tiles;
    const rill_kernel_constants constants = { .lambda = lambda };
    rill_covered_look_again(flow);
    covered->kernels = rill_covered_kernels_pick(scalar);
    memcpy(covered->kept, covered->flooded, tiles);
    look_around(flow, &constants);
    rill_covered_forget_asked(flow);
    memcpy(covered->flooded, covered->kept, tiles);
    covered->unready = covered->starved;
    return !covered->starved;
}

void rill_covered_look_again(rill_flow *flow) {
    if (flow->covered) flow->covered->hold = flow->covered->spreads = flow->covered->starved = false;
}

bool rill_covered_starved(const rill_flow *flow) {
    return flow->covered && flow->covered->starved;
}

void rill_covered_look_for(rill_flow *flow, int32_t place) {
    const rill_covered *covered = flow->covered;
    if (!covered || !covered->hold) return;
    const int32_t node = rill_covered_node_of(covered, place, rill_bed_tile_of(flow->bed, place));
    if (node < 0 || !rill_covered_roofed(covered, node)) rill_covered_look_again(flow);
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
