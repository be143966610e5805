/* Whole quanta over covered faces; and keeping these faces away from the sweep. See covered.h. */
#include <string.h>

#include "flow/covered_parts.h"
#include "flow/drive.h"
#include "flow/limit.h"
#include "flow/rest.h"

/* The four faces of a node that lies inside its window's outermost ring or on it: which are covered, and what leaves. */
typedef struct outflow {
    int32_t count;
    double sum;
    struct {
        rill_covered_faces *faces;
        int32_t at;
    } face[4];
} outflow;

static void add_face(outflow *out, rill_covered_faces *faces, int32_t at, double leaving) {
    if (!(leaving > 0.0)) return;
    out->face[out->count].faces = faces;
    out->face[out->count++].at = at;
    out->sum += leaving;
}

/* What leaves a node over its covered faces. */
static outflow outflow_of(rill_covered *covered, const rill_window *w, int32_t x, int32_t y) {
    int32_t n = w->node + y * w->stride + x;
    const int32_t *ever = covered->nodes.ever;
    outflow out = { 0 };
    if (x > 0 && (ever[n] | ever[n - 1])) add_face(&out, &covered->west, n, -covered->west.q[n]);
    if (x + 1 < w->nx && (ever[n] | ever[n + 1])) add_face(&out, &covered->west, n + 1, covered->west.q[n + 1]);
    if (y > 0 && (ever[n] | ever[n - w->stride])) add_face(&out, &covered->south, n, -covered->south.q[n]);
    if (y + 1 < w->ny && (ever[n] | ever[n + w->stride]))
        add_face(&out, &covered->south, n + w->stride, covered->south.q[n + w->stride]);
    return out;
}

/* Slower by the factor k. A free donor gives all it has, so that this is what crosses whatever the pressures become; what a
 * member gives they still decide. */
static void slow_face(rill_covered_faces *faces, int32_t at, double k, bool free) {
    const double reach = (double)faces->reach[at], crosses = k * faces->q[at];
    const double base = free ? 0.0 : (double)faces->base[at] - faces->q[at] / reach;
    faces->base[at] = (float)(base + crosses / reach);
    if (free) faces->gain[at] = faces->w[at] = 0.0f;
    faces->q[at] = crosses;
}

/* What a donor may give of `sum`, as a factor. The margin is that of limit.h. */
static double donor_factor(double sum, int32_t have) {
    double most = (double)have - (double)RILL_LIMIT_SLACK;
    if (sum <= most) return 1.0;
    return most > 0.0 ? most * (double)RILL_LIMIT_UNDER / sum : 0.0;
}

static void limit_window(rill_covered *covered, const rill_window *w) {
    for (int32_t y = 0; y < w->ny; ++y)
        for (int32_t x = 0; x < w->nx; ++x) {
            outflow out = outflow_of(covered, w, x, y);
            const int32_t n = w->node + y * w->stride + x;
            const double k = donor_factor(out.sum, covered->nodes.H[n]);
            const bool free = !rill_covered_member(covered, n);
            for (int32_t f = 0; k < 1.0 && f < out.count; ++f) slow_face(out.face[f].faces, out.face[f].at, k, free);
        }
}

/* Columns are limited over their dense covered faces, then over their covered pipes with what is left: rarely both. */
void rill_covered_limit(rill_flow *flow) {
    rill_covered *covered = flow->covered;
    for (int32_t i = 0; i < covered->window_count; ++i) limit_window(covered, &covered->windows[i]);
    for (int32_t i = 0; i < covered->pipe_count; ++i) {
        rill_covered_pipe *pipe = &covered->pipes[i];
        if (!rill_covered_pipe_covered(covered, pipe) || !(pipe->reach > 0.0f)) continue;
        double k = donor_factor(pipe->q < 0.0 ? -pipe->q : pipe->q, pipe->q < 0.0 ? pipe->ends.Hr : pipe->ends.Hl);
        pipe->face.base += (float)((k - 1.0) * pipe->q / (double)pipe->reach);
        pipe->q *= k;
    }
}

/* ---------------------------------------------------------------------------------------------------------- transfers */

/* The drive of a face that may rest, quanta. Small heads that all point one way add up: however many columns long a passage
 * is, the levels at its ends may rest no further apart than over a tile. */
static double calm_head(const rill_bed *bed, int32_t length) {
    double head = RILL_REST_HEAD / bed->quantum * (double)RILL_TILE_W / (double)rill_max_i(length, RILL_TILE_W);
    return head > 8.0 ? head : 8.0;
}

static void finish_pipes(rill_flow *flow, const rill_kernel_constants *k) {
    rill_covered *covered = flow->covered;
    double calm = calm_head(flow->bed, RILL_TILE_W);
    for (int32_t i = 0; i < covered->pipe_count; ++i) {
        rill_covered_pipe *pipe = &covered->pipes[i];
        if (!rill_covered_pipe_covered(covered, pipe)) continue;
        double pi_l = pipe->node_l >= 0 ? covered->nodes.pi[pipe->node_l] : 0.0;
        double pi_r = pipe->node_r >= 0 ? covered->nodes.pi[pipe->node_r] : 0.0;
        double most = (double)RILL_TOP, q = pipe->q > most ? most : pipe->q < -most ? -most : pipe->q;
        pipe->t = (int32_t)(q + (double)(q < 0.0 ? -k->phase : k->phase));
        double drive = (double)pipe->face.head + (pi_l - pi_r);
        float u = pipe->face.base + pipe->face.gain * (float)drive;
        pipe->face.base = rill_max_f(rill_min_f(u, k->top_speed), -k->top_speed);
        if (!(pipe->reach > 0.0f) || !rill_restless(u, drive > calm || drive < -calm)) continue;
        const rill_pipe *p = &flow->scratch->sparse.pipes[pipe->pipe];
        flow->tiles[p->tile_l] |= RILL_TILE_RESTLESS;
        flow->tiles[p->tile_r] |= RILL_TILE_RESTLESS;
    }
}

/* The last guard, in integers: no column gives more than it has. Scales the transfers of one that would. */
static void guard_node(rill_covered *covered, int32_t n, int32_t stride) {
    int32_t *const faces[4] = { &covered->west.t[n], &covered->west.t[n + 1], &covered->south.t[n],
                                &covered->south.t[n + stride] };
    int64_t sum = 0;
    int32_t have = covered->nodes.H[n];
    for (int32_t i = 0; i < 4; ++i) {
        int32_t leaving = i % 2 ? *faces[i] : -*faces[i];
        if (leaving > 0) sum += leaving;
    }
    if (sum <= have) return;
    for (int32_t i = 0; i < 4; ++i) {
        int32_t leaving = i % 2 ? *faces[i] : -*faces[i];
        if (leaving > 0) *faces[i] = (int32_t)((int64_t)*faces[i] * have / sum);
    }
}

/* A tile whose columns change must be swept, or what happens there is not seen. */
static void touch_tile(rill_flow *flow, int32_t tile) {
    if (!(flow->tiles[tile] & RILL_TILE_SWEPT)) rill_flow_touch_tile(flow, tile, RILL_TILE_WAKE_ALL);
}

/* The same for a row of a tile: of some only those rows are swept that are near anything wet. */
static void touch_row(rill_flow *flow, int32_t tile, int32_t row) {
    uint8_t *busy = &flow->scratch->busy[tile];
    touch_tile(flow, tile);
    if (*busy >> row & 1) return;
    *busy |= (uint8_t)(1 << row);
    flow->stale = true;
}

/* Finds the rows of a window with a node that has covered faces, and one more for those north of them. */
static void find_rows(const rill_covered *covered, rill_window *w) {
    w->low = w->ny;
    w->high = 0;
    for (int32_t y = 0; y < w->ny; ++y) {
        const int32_t *ever = covered->nodes.ever + w->node + y * w->stride;
        int32_t any = 0;
        for (int32_t x = 0; x < w->nx; ++x) any |= ever[x];
        if (!any) continue;
        w->low = rill_min_i(w->low, y);
        w->high = rill_min_i(y + 1, w->ny - 1);
    }
}

typedef struct finishing {
    const rill_covered_kernels *kernels;
    const rill_kernel_constants *constants;
    double calm;
} finishing;

static int32_t finish_run(const void *context, const rill_covered_run *run) {
    const finishing *how = context;
    const rill_covered_kernels *kernels = how->kernels;
    const int32_t unrest = kernels->finish(run->at, &run->nodes, 1, how->constants, how->calm, &run->west);
    return unrest | kernels->finish(run->at, &run->nodes, run->at.stride, how->constants, how->calm, &run->south);
}

static int32_t run_overdrawn(const void *context, const rill_covered_run *run) {
    return ((const finishing *)context)->kernels->overdrawn(run->at, &run->nodes, &run->west, &run->south);
}

/* Whole quanta over the dense faces of a window. Returns whether some covered face moves too much to rest. */
static bool move_window(rill_covered *covered, const rill_window *w, const rill_kernel_constants *k, double calm) {
    const finishing how = { covered->kernels, k, calm };
    const int32_t unrest = rill_covered_share_window(covered, w, finish_run, &how);
    if (rill_covered_share_window(covered, w, run_overdrawn, &how))
        for (int32_t n = w->node; n < w->node + w->ny * w->stride; ++n) guard_node(covered, n, w->stride);
    return unrest;
}

/* Columns of a row, or of several, that a kernel may work on: those of the window, and more if that makes whole vectors. Where
 * the window has padding nothing changes. */
static int32_t padded_width(const rill_window *w) {
    return rill_min_i(w->stride, w->sheet->tiles_x * RILL_TILE_W - w->column);
}

static bool any_member(const rill_covered *covered, int32_t node, int32_t count) {
    int32_t any = 0;
    for (int32_t i = 0; i < count; ++i) any |= covered->nodes.active[node + i] > 0.0f;
    return any != 0;
}

static bool any_moves(const rill_covered *covered, int32_t node, int32_t stride, int32_t count) {
    const int32_t *west = covered->west.t + node, *south = covered->south.t + node;
    int32_t any = 0;
    for (int32_t i = 0; i < count; ++i) any |= (west[i] - west[i + 1]) + (south[i] - south[i + stride]);
    return any != 0;
}

/* What the tiles of a row of the window have to know: which columns are flooded, and that some have changed. */
static void note_row(rill_flow *flow, const rill_window *w, int32_t y) {
    rill_covered *covered = flow->covered;
    const rill_sheet *sheet = w->sheet;
    const int32_t tiles = sheet->first_tile + (w->row + y) / RILL_TILE_H * sheet->tiles_x;
    const int32_t row = (w->row + y) % RILL_TILE_H;
    for (int32_t x = 0, next; x < w->nx; x = next) {
        const int32_t column = (w->column + x) / RILL_TILE_W, tile = tiles + column;
        const int32_t node = w->node + y * w->stride + x;
        next = rill_min_i((column + 1) * RILL_TILE_W - w->column, w->nx);
        if (!covered->flooded[tile]) covered->flooded[tile] = any_member(covered, node, next - x);
        const bool known = flow->tiles[tile] & RILL_TILE_SWEPT && flow->scratch->busy[tile] >> row & 1;
        if (!known && any_moves(covered, node, w->stride, next - x)) touch_row(flow, tile, row);
    }
}

/* A part of a window: n nodes of some rows from (x, y) on. */
typedef struct part {
    int32_t x, y, n, rows;
} part;

/* What lies of a strip in the rows from `low` to `high`. */
static part part_of(const rill_window *w, const rill_strip *strip, int32_t low, int32_t high) {
    const int32_t first = rill_max_i(strip->y, low), last = rill_min_i(strip->y + strip->rows - 1, high);
    const int32_t end = rill_min_i(strip->x + strip->n, padded_width(w));
    return (part){ strip->x, first, rill_max_i(end - strip->x, 0), rill_max_i(last - first + 1, 0) };
}

/* Depths and pressures to the columns of a part. Returns whether one stands above its ceiling now. */
static bool write_part(rill_flow *flow, const rill_window *w, part p) {
    const rill_covered *covered = flow->covered;
    const int32_t node = w->node + p.y * w->stride + p.x;
    const rill_covered_strides step = { w->sheet->stride, w->stride };
    const rill_covered_nodes nodes = rill_covered_nodes_at(covered, node);
    const rill_covered_faces west = rill_covered_faces_at(&covered->west, node);
    const rill_covered_faces south = rill_covered_faces_at(&covered->south, node);
    const rill_covered_columns at = rill_covered_columns_at(flow, w->place + p.y * w->sheet->stride + p.x);
    return covered->kernels->write(p.n, p.rows, &step, &nodes, &west, &south, &at);
}

static bool write_window(rill_flow *flow, const rill_window *w) {
    const int32_t first = rill_max_i(w->low - 1, 0);
    bool above = false;
    if (w->high < first) return false;
    EACH_STRIP(flow->covered, w, strip) above |= write_part(flow, w, part_of(w, strip, first, w->high));
    for (int32_t y = first; y <= w->high; ++y) note_row(flow, w, y);
    return above;
}

/* Pipes come after the dense faces, each with what its donor has left. */
static bool deposit_pipes(rill_flow *flow) {
    rill_covered *covered = flow->covered;
    bool above = false;
    for (int32_t i = 0; i < covered->pipe_count; ++i) {
        rill_covered_pipe *moved = &covered->pipes[i];
        if (rill_covered_pipe_covered(covered, moved)) flow->pipe_u[moved->pipe] = 0.0f;
        if (moved->t == 0) continue;
        const rill_pipe *p = &flow->scratch->sparse.pipes[moved->pipe];
        if (moved->t > flow->H[p->l]) moved->t = flow->H[p->l];
        if (-moved->t > flow->H[p->r]) moved->t = -flow->H[p->r];
        flow->H[p->l] -= moved->t;
        flow->H[p->r] += moved->t;
        /* A column that was dry and still is disturbs nothing. */
        if (rill_max_i(flow->H[p->l], flow->H[p->l] + moved->t) > RILL_DRY)
            rill_flow_touch_tile(flow, p->tile_l, p->wake_l);
        if (rill_max_i(flow->H[p->r], flow->H[p->r] - moved->t) > RILL_DRY)
            rill_flow_touch_tile(flow, p->tile_r, p->wake_r);
        above |= flow->H[p->l] > p->cl - p->bl || flow->H[p->r] > p->cr - p->br;
    }
    return above;
}

/* ------------------------------------------------------------------------------------------------------ rest and show */

/* Tiles of a window rest together or not at all: pressure knows no distance. */
static void note_unrest(rill_flow *flow, const rill_window *w) {
    const rill_sheet *sheet = w->sheet;
    for (int32_t ty = w->row / RILL_TILE_H; ty <= (w->row + w->ny - 1) / RILL_TILE_H; ++ty)
        for (int32_t tx = w->column / RILL_TILE_W; tx <= (w->column + w->nx - 1) / RILL_TILE_W; ++tx) {
            int32_t tile = sheet->first_tile + ty * sheet->tiles_x + tx;
            if (flow->covered->group[tile] != w->group) continue;
            touch_tile(flow, tile);
            flow->tiles[tile] |= RILL_TILE_RESTLESS;
        }
}

void rill_covered_transfer(rill_flow *flow, const rill_kernel_constants *constants, rill_covered_report *report) {
    rill_covered *covered = flow->covered;
    bool above = false;
    for (int32_t i = 0; i < covered->window_count; ++i) {
        rill_window *w = &covered->windows[i];
        find_rows(covered, w);
        if (move_window(covered, w, constants, calm_head(flow->bed, rill_max_i(w->nx, w->ny)))) note_unrest(flow, w);
        above |= write_window(flow, w);
    }
    finish_pipes(flow, constants);
    above |= deposit_pipes(flow);
    if (above && rill_covered_repair(flow, &report->refused)) report->capped = true;
}

/* The velocity of a covered face at the end of the sub-step: as it moved where a column at an end is flooded, else driven
 * like that of any other face. */
static float velocity_after(const rill_covered_ends *ends, bool flooded, float u, int32_t tilt,
                            const rill_kernel_constants *k) {
    if (flooded) return u;
    rill_covered_face face = rill_covered_drive(ends, u, tilt, k);
    int32_t zb = rill_max_i(ends->bl, ends->br), hl = ends->bl + ends->Hl, hr = ends->br + ends->Hr;
    if (rill_max_i(hl, hr) - zb <= RILL_DRY) return 0.0f;
    float driven = face.base + face.gain * (float)face.head;
    return rill_covered_blocks(ends->cl, ends->cr, hl, hr, zb, driven, k->slack) ? 0.0f : driven;
}

static rill_covered_ends ends_at(const rill_flow *flow, int32_t l, int32_t r) {
    const rill_bed *bed = flow->bed;
    const int32_t *b = rill_flow_bases(flow);
    return (rill_covered_ends){ b[l], b[r], bed->c[l], bed->c[r], flow->H[l], flow->H[r] };
}

/* Faces of row y of a part that are covered no more are driven like any other. */
static void drive_left(rill_flow *flow, const rill_window *w, part in, int32_t y, int32_t axis,
                       const rill_kernel_constants *k, float *fastest) {
    const rill_covered *covered = flow->covered;
    int32_t node = w->node + y * w->stride, place = w->place + y * w->sheet->stride;
    int32_t step = axis ? w->stride : 1, back = axis ? w->sheet->stride : 1;
    const float *moved = axis ? covered->south.u : covered->west.u;
    for (int32_t x = rill_max_i(in.x, 1); x < rill_min_i(in.x + in.n, w->nx); ++x) {
        int32_t n = node + x, p = place + x;
        if (!(covered->nodes.ever[n] | covered->nodes.ever[n - step])) continue;
        if (rill_covered_member(covered, n) || rill_covered_member(covered, n - step)) continue;
        rill_covered_ends ends = ends_at(flow, p - back, p);
        float u = velocity_after(&ends, false, moved[n], k->tilt[axis], k);
        (axis ? flow->v : flow->u)[p] = u;
        *fastest = rill_max_f(*fastest, __builtin_fabsf(u));
    }
}

/* Gives the columns of a part their velocities. */
static void show_part(rill_flow *flow, const rill_window *w, part p, const rill_kernel_constants *k, float fastest[2]) {
    const rill_covered *covered = flow->covered;
    const rill_covered_strides step = { w->sheet->stride, w->stride };
    const int32_t node = w->node + p.y * w->stride + p.x, place = w->place + p.y * w->sheet->stride + p.x;
    const rill_covered_nodes nodes = rill_covered_nodes_at(covered, node);
    for (int32_t axis = 0; axis < 2; ++axis) {
        const rill_covered_faces faces = rill_covered_faces_at(axis ? &covered->south : &covered->west, node);
        float *u = (axis ? flow->v : flow->u) + place;
        if (!covered->kernels->show(p.n, p.rows, &step, &nodes, axis ? w->stride : 1, &faces, u, &fastest[axis]))
            continue;
        for (int32_t y = p.y; y < p.y + p.rows; ++y) drive_left(flow, w, p, y, axis, k, &fastest[axis]);
    }
}

static bool all_swept(const rill_flow *flow, const rill_window *w) {
    const rill_sheet *sheet = w->sheet;
    uint16_t all = RILL_TILE_SWEPT;
    for (int32_t ty = (w->row + w->low) / RILL_TILE_H; ty <= (w->row + w->high) / RILL_TILE_H; ++ty)
        for (int32_t tx = w->column / RILL_TILE_W; tx <= (w->column + w->nx - 1) / RILL_TILE_W; ++tx)
            all &= flow->tiles[sheet->first_tile + ty * sheet->tiles_x + tx];
    return all != 0;
}

/* Tiles that were put to rest meanwhile stay so: their faces are zero. */
static void show_window(rill_flow *flow, const rill_window *w, const rill_kernel_constants *k) {
    const rill_sheet *sheet = w->sheet;
    float fastest[2] = { 0.0f, 0.0f };
    if (w->low > w->high) return;
    const bool whole = all_swept(flow, w);
    if (whole)
        EACH_STRIP(flow->covered, w, strip) show_part(flow, w, part_of(w, strip, w->low, w->high), k, fastest);
    for (int32_t y = w->low; !whole && y <= w->high; ++y) {
        const uint16_t *tiles = flow->tiles + sheet->first_tile + (w->row + y) / RILL_TILE_H * sheet->tiles_x;
        for (int32_t x = 0, next; x < w->nx; x = next) {
            int32_t tile = (w->column + x) / RILL_TILE_W;
            next = rill_min_i((tile + 1) * RILL_TILE_W - w->column, w->nx);
            if (tiles[tile] & RILL_TILE_SWEPT) show_part(flow, w, (part){ x, y, next - x, 1 }, k, fastest);
        }
    }
    flow->extent.speed = rill_max_f(flow->extent.speed, fastest[0] + fastest[1]);
}

void rill_covered_hide_pipes(rill_flow *flow) {
    const rill_covered *covered = flow->covered;
    for (int32_t i = 0; covered && covered->window_count > 0 && i < covered->pipe_count; ++i)
        if (rill_covered_pipe_covered(covered, &covered->pipes[i]))
            flow->scratch->sparse.arrays.awake[covered->pipes[i].pipe] = 0;
}

void rill_covered_restore(rill_flow *flow, const rill_kernel_constants *constants) {
    const rill_covered *covered = flow->covered;
    if (!covered) return;
    for (int32_t i = 0; i < covered->window_count; ++i) show_window(flow, &covered->windows[i], constants);
    for (int32_t i = 0; covered->window_count > 0 && i < covered->pipe_count; ++i) {
        const rill_covered_pipe *moved = &covered->pipes[i];
        const rill_pipe *p = &flow->scratch->sparse.pipes[moved->pipe];
        if (!rill_covered_pipe_covered(covered, moved)) continue;
        bool swept = (flow->tiles[p->tile_l] | flow->tiles[p->tile_r]) & RILL_TILE_SWEPT;
        flow->scratch->sparse.arrays.awake[moved->pipe] = swept;
        if (!swept) continue;
        rill_covered_ends ends = ends_at(flow, p->l, p->r);
        bool flooded = rill_covered_member(covered, moved->node_l) || rill_covered_member(covered, moved->node_r);
        flow->pipe_u[moved->pipe] =
            velocity_after(&ends, flooded, moved->face.base, constants->tilt[p->axis], constants);
        flow->extent.speed = rill_max_f(flow->extent.speed, __builtin_fabsf(flow->pipe_u[moved->pipe]));
    }
}

void rill_covered_resume(rill_flow *flow) {
    const rill_bed *bed = flow->bed;
    for (int64_t i = 0; flow->covered && i < bed->info.columns; ++i) {
        int32_t code = flow->pressure[bed->places[i]];
        if (code != 0) flow->covered->flooded[rill_bed_tile_of(bed, bed->places[i])] = 1;
        flow->covered->some_sealed |= code < 0 && code != RILL_PRESSURE_NEW;
    }
    if (flow->covered) flow->covered->unready = true;
}

void rill_covered_fill(rill_flow *flow, int32_t place, bool full) {
    const bool before = rill_flow_flooded(flow, place);
    flow->pressure[place] = full ? RILL_PRESSURE_NEW : 0;
    if (before == full) return;
    flow->covered->unready |= full;
    int32_t x, y;
    const rill_sheet *sheet = rill_bed_sheet_of(flow->bed, place, &x, &y);
    rill_covered_describe(flow, (int32_t)(sheet - flow->bed->sheets), (x - sheet->x0 + 1) / RILL_TILE_W,
                          (y - sheet->y0 + 1) / RILL_TILE_H);
}

void rill_covered_press(rill_flow *flow, int32_t place, double pressure) {
    const double quarters = 4.0 * pressure + 0.5, most = 0x1.fffffep30;
    flow->pressure[place] = pressure < 0.0 ? 0 : 1 + (int32_t)(quarters < most ? quarters : most);
    if (pressure >= 0.0) flow->covered->flooded[rill_bed_tile_of(flow->bed, place)] = 1;
}

void rill_covered_forget(rill_flow *flow) {
    if (!flow->covered) return;
    memset(flow->pressure, 0, (size_t)flow->bed->plane_size * sizeof *flow->pressure);
    memset(flow->covered->flooded, 0, (size_t)flow->bed->tile_count);
}
