/* Whole quanta over covered faces; and keeping these faces away from the sweep. See covered.h.
 *
 * When the solve was stopped early (or a passage fills faster than its window lets members grow) a column may end above its
 * ceiling. Then what is too much is carried on to the nearest columns that have room, through columns that are full: water
 * pushes water. Nothing is lost, and what the pressures did not say this time they say in the next sub-step. */
#include <string.h>

#include "flow/covered_parts.h"
#include "flow/drive.h"
#include "flow/limit.h"

static const float CALM_SPEED = 1e-4f; /* m/s; the rest rule's (tiles.c) */
static const double CALM_HEAD = 1e-7;  /* m */

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
    const int32_t *ever = covered->ever;
    outflow out = { 0 };
    if (x > 0 && (ever[n] | ever[n - 1])) add_face(&out, &covered->west, n, -covered->west.q[n]);
    if (x + 1 < w->nx && (ever[n] | ever[n + 1])) add_face(&out, &covered->west, n + 1, covered->west.q[n + 1]);
    if (y > 0 && (ever[n] | ever[n - w->stride])) add_face(&out, &covered->south, n, -covered->south.q[n]);
    if (y + 1 < w->ny && (ever[n] | ever[n + w->stride]))
        add_face(&out, &covered->south, n + w->stride, covered->south.q[n + w->stride]);
    return out;
}

/* Slower by the factor k, at the pressures as they are. */
static void slow_face(rill_covered_faces *faces, int32_t at, double k) {
    double reach = (double)faces->reach[at];
    if (reach > 0.0) faces->base[at] += (float)((k - 1.0) * faces->q[at] / reach);
    faces->q[at] *= k;
}

/* What a donor may give of `sum`, as a factor. The margin is that of limit.h. */
static double donor_factor(double sum, int32_t have) {
    double most = (double)have - (double)RILL_LIMIT_SLACK;
    if (sum <= most) return 1.0;
    return most > 0.0 ? most * (double)RILL_LIMIT_UNDER / sum : 0.0;
}

static void limit_row(rill_flow *flow, const rill_window *w, int32_t y) {
    rill_covered *covered = flow->covered;
    for (int32_t x = 0; x < w->nx; ++x) {
        outflow out = outflow_of(covered, w, x, y);
        double k = donor_factor(out.sum, flow->H[w->place + y * w->sheet->stride + x]);
        for (int32_t f = 0; k < 1.0 && f < out.count; ++f) slow_face(out.face[f].faces, out.face[f].at, k);
    }
}

/* Columns are limited over their dense covered faces, then over their covered pipes with what is left: rarely both. */
void rill_covered_limit(rill_flow *flow) {
    rill_covered *covered = flow->covered;
    for (int32_t i = 0; i < covered->window_count; ++i) {
        const rill_window *w = &covered->windows[i];
        for (int32_t y = 0; y < w->ny; ++y) {
            rill_covered_sides sides = rill_covered_sides_at(covered, w->node + y * w->stride, w->stride);
            if (covered->kernels->short_of(w->nx, &sides, flow->H + w->place + y * w->sheet->stride))
                limit_row(flow, w, y);
        }
    }
    for (int32_t i = 0; i < covered->pipe_count; ++i) {
        rill_covered_pipe *pipe = &covered->pipes[i];
        if (!rill_covered_pipe_covered(covered, pipe) || !(pipe->reach > 0.0f)) continue;
        double k = donor_factor(pipe->q < 0.0 ? -pipe->q : pipe->q, pipe->q < 0.0 ? pipe->ends.Hr : pipe->ends.Hl);
        pipe->face.base += (float)((k - 1.0) * pipe->q / (double)pipe->reach);
        pipe->q *= k;
    }
}

/* ---------------------------------------------------------------------------------------------------------- transfers */

/* Nothing in the outermost ring is covered. */
static void finish_row(rill_covered *covered, const rill_window *w, int32_t y, float phase) {
    int32_t node = w->node + y * w->stride + 1;
    const int32_t *ever = covered->ever + node;
    const double *pi = covered->pi + node;
    rill_covered_faces west = rill_covered_faces_at(&covered->west, node);
    rill_covered_faces south = rill_covered_faces_at(&covered->south, node);
    covered->kernels->finish(w->nx - 1, ever - 1, ever, pi - 1, pi, phase, &west);
    covered->kernels->finish(w->nx - 1, ever - w->stride, ever, pi - w->stride, pi, phase, &south);
}

static void finish_pipes(rill_covered *covered, float phase) {
    for (int32_t i = 0; i < covered->pipe_count; ++i) {
        rill_covered_pipe *pipe = &covered->pipes[i];
        if (!rill_covered_pipe_covered(covered, pipe)) continue;
        double pi_l = pipe->node_l >= 0 ? covered->pi[pipe->node_l] : 0.0;
        double pi_r = pipe->node_r >= 0 ? covered->pi[pipe->node_r] : 0.0;
        double most = (double)RILL_TOP, q = pipe->q > most ? most : pipe->q < -most ? -most : pipe->q;
        pipe->t = (int32_t)(q + (double)(q < 0.0 ? -phase : phase));
        pipe->face.base += pipe->face.gain * (float)((double)pipe->face.head + (pi_l - pi_r));
    }
}

/* The last guard, in integers: no column gives more than it has. Scales the transfers of one that would. */
static void guard_node(rill_covered *covered, const rill_window *w, int32_t x, int32_t y, int32_t have) {
    int32_t n = w->node + y * w->stride + x;
    int32_t *const faces[4] = { &covered->west.t[n], &covered->west.t[n + 1], &covered->south.t[n],
                                &covered->south.t[n + w->stride] };
    int64_t sum = 0;
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

static void guard_row(rill_flow *flow, const rill_window *w, int32_t y) {
    rill_covered *covered = flow->covered;
    rill_covered_sides sides = rill_covered_sides_at(covered, w->node + y * w->stride, w->stride);
    const int32_t *H = flow->H + w->place + y * w->sheet->stride;
    if (!covered->kernels->overdrawn(w->nx, &sides, H)) return;
    for (int32_t x = 0; x < w->nx; ++x) guard_node(covered, w, x, y, H[x]);
}

/* A tile whose columns change must be swept, or what happens there is not seen. */
static void touch_tile(rill_flow *flow, int32_t tile) {
    if (!(flow->tiles[tile] & RILL_TILE_SWEPT)) rill_flow_wake_tile(flow, tile, RILL_TILE_WAKE_ALL);
}

/* Deposits a row, tile by tile. Returns whether a column stands above its ceiling now. */
static bool deposit_row(rill_flow *flow, const rill_window *w, int32_t y) {
    rill_covered *covered = flow->covered;
    const rill_bed *bed = flow->bed;
    const rill_sheet *sheet = w->sheet;
    int32_t tiles = sheet->first_tile + (w->row + y) / RILL_TILE_H * sheet->tiles_x, found = 0;
    for (int32_t x = 0, next; x < w->nx; x = next) {
        int32_t tile = (w->column + x) / RILL_TILE_W, place = w->place + y * sheet->stride + x;
        next = rill_min_i((tile + 1) * RILL_TILE_W - w->column, w->nx);
        rill_covered_sides sides = rill_covered_sides_at(covered, w->node + y * w->stride + x, w->stride);
        int32_t here = covered->kernels->deposit(next - x, &sides, bed->b + place, bed->c + place, flow->H + place);
        if (here & 1) touch_tile(flow, tiles + tile);
        found |= here;
    }
    return found & 2;
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
        touch_tile(flow, p->tile_l);
        touch_tile(flow, p->tile_r);
        above |= flow->H[p->l] > p->cl - p->bl || flow->H[p->r] > p->cr - p->br;
    }
    return above;
}

/* ------------------------------------------------------------------------------------------------------------- repair */

/* How much more a column takes. */
static int32_t room_of(const rill_flow *flow, int32_t place) {
    const rill_bed *bed = flow->bed;
    if (bed->b[place] >= RILL_TOP) return 0;
    return rill_max_i(rill_covered_full(bed, place) - flow->H[place], 0);
}

typedef struct repair {
    rill_flow *flow;
    int32_t surplus;      /* quanta on their way */
    int32_t first, count; /* of the queue */
} repair;

/* Goes on to a node, unless it has been there; leaves what it takes. `sealed` marks where it has been. */
static void reach_node(repair *r, int32_t node) {
    rill_covered *covered = r->flow->covered;
    if (node < 0 || covered->sealed[node] < 0 || r->surplus == 0) return;
    covered->sealed[node] = -1 - covered->sealed[node];
    covered->queue[r->count++] = node;
    int32_t place = rill_covered_place(rill_covered_window(covered, node), node);
    int32_t taken = rill_min_i(r->surplus, room_of(r->flow, place));
    r->flow->H[place] += taken;
    r->surplus -= taken;
    if (taken > 0) touch_tile(r->flow, rill_bed_tile_of(r->flow->bed, place));
}

static void carry_surplus(rill_flow *flow, int32_t node, int32_t place) {
    rill_covered *covered = flow->covered;
    repair r = { flow, flow->H[place] - rill_covered_full(flow->bed, place), 0, 0 };
    int32_t before = r.surplus;
    flow->H[place] -= r.surplus;
    covered->sealed[node] = -1 - covered->sealed[node];
    covered->queue[r.count++] = node;
    while (r.first < r.count && r.surplus > 0) {
        int32_t at = covered->queue[r.first++];
        const rill_window *w = rill_covered_window(covered, at);
        int32_t offset = at - w->node, y = offset / w->stride, x = offset - y * w->stride;
        bool rim = x == 0 || y == 0 || x + 1 == w->nx || y + 1 == w->ny;
        rill_covered_neighbours near = { 0 };
        if (!rim) near = rill_covered_near(flow->bed, w, at);
        for (int32_t i = 0; i < near.count; ++i) reach_node(&r, near.node[i]);
        for (int32_t i = 0; i < covered->pipe_count; ++i) {
            const rill_covered_pipe *pipe = &covered->pipes[i];
            if (pipe->node_l == at) reach_node(&r, pipe->node_r);
            if (pipe->node_r == at) reach_node(&r, pipe->node_l);
        }
    }
    for (int32_t i = 0; i < r.count; ++i) covered->sealed[covered->queue[i]] = -1 - covered->sealed[covered->queue[i]];
    flow->H[place] += r.surplus; /* nowhere to go: everything is sealed and full */
    if (r.surplus < before) touch_tile(flow, rill_bed_tile_of(flow->bed, place));
}

static bool repair_all(rill_flow *flow) {
    rill_covered *covered = flow->covered;
    const rill_bed *bed = flow->bed;
    bool any = false;
    for (int32_t i = 0; i < covered->window_count; ++i) {
        const rill_window *w = &covered->windows[i];
        for (int32_t y = 0; y < w->ny; ++y)
            for (int32_t x = 0; x < w->nx; ++x) {
                int32_t place = w->place + y * w->sheet->stride + x;
                if (flow->H[place] <= bed->c[place] - bed->b[place]) continue;
                carry_surplus(flow, w->node + y * w->stride + x, place);
                any = true;
            }
    }
    return any;
}

/* ------------------------------------------------------------------------------------------------------ hide and show */

/* Tiles of a window rest together or not at all: pressure knows no distance. */
static void note_unrest(rill_flow *flow, const rill_window *w) {
    const rill_sheet *sheet = w->sheet;
    for (int32_t ty = w->row / RILL_TILE_H; ty <= (w->row + w->ny - 1) / RILL_TILE_H; ++ty)
        for (int32_t tx = w->column / RILL_TILE_W; tx <= (w->column + w->nx - 1) / RILL_TILE_W; ++tx) {
            int32_t tile = sheet->first_tile + ty * sheet->tiles_x + tx;
            if (flow->covered->group[tile] == w->group) flow->tiles[tile] |= RILL_TILE_RESTLESS;
        }
}

/* Notes the pressures of a row, tile by tile. */
static void note_row(rill_flow *flow, const rill_window *w, int32_t y) {
    rill_covered *covered = flow->covered;
    const rill_sheet *sheet = w->sheet;
    uint8_t *flooded = covered->flooded + sheet->first_tile + (w->row + y) / RILL_TILE_H * sheet->tiles_x;
    for (int32_t x = 0, next; x < w->nx; x = next) {
        int32_t tile = (w->column + x) / RILL_TILE_W;
        next = rill_min_i((tile + 1) * RILL_TILE_W - w->column, w->nx);
        rill_covered_nodes nodes = rill_covered_nodes_at(covered, w->node + y * w->stride + x);
        int32_t *code = flow->pressure + w->place + y * sheet->stride + x;
        flooded[tile] |= (uint8_t)covered->kernels->note(next - x, &nodes, code);
    }
}

/* Hides the faces of a window; returns whether some of them moves or is driven too much to rest. */
static bool hide_window(rill_flow *flow, const rill_window *w) {
    rill_covered *covered = flow->covered;
    double head = CALM_HEAD / flow->bed->quantum, calm_head = head > 8.0 ? head : 8.0;
    int32_t unrest = 0;
    for (int32_t y = 1; y < w->ny; ++y) {
        int32_t node = w->node + y * w->stride + 1, place = w->place + y * w->sheet->stride + 1;
        const int32_t *ever = covered->ever + node;
        const double *pi = covered->pi + node;
        rill_covered_faces west = rill_covered_faces_at(&covered->west, node);
        rill_covered_faces south = rill_covered_faces_at(&covered->south, node);
        unrest |= covered->kernels->hide(w->nx - 1, ever - 1, ever, pi - 1, pi, &west, CALM_SPEED, calm_head,
                                         flow->u + place);
        unrest |= covered->kernels->hide(w->nx - 1, ever - w->stride, ever, pi - w->stride, pi, &south, CALM_SPEED,
                                         calm_head, flow->v + place);
    }
    return unrest;
}

bool rill_covered_transfer(rill_flow *flow, const rill_kernel_constants *constants) {
    rill_covered *covered = flow->covered;
    bool above = false;
    for (int32_t i = 0; i < covered->window_count; ++i) {
        const rill_window *w = &covered->windows[i];
        for (int32_t y = 1; y < w->ny; ++y) finish_row(covered, w, y, constants->phase);
        for (int32_t y = 0; y < w->ny; ++y) guard_row(flow, w, y);
        for (int32_t y = 0; y < w->ny; ++y) above |= deposit_row(flow, w, y);
        for (int32_t y = 0; y < w->ny; ++y) note_row(flow, w, y);
        if (hide_window(flow, w)) note_unrest(flow, w);
    }
    finish_pipes(covered, constants->phase);
    above |= deposit_pipes(flow);
    return above && repair_all(flow);
}

/* The velocity of a covered face at the end of the sub-step: as it moved where a column at an end is flooded, else driven
 * like that of any other face. */
static float velocity_after(const rill_covered_ends *ends, bool flooded, float u, int32_t tilt,
                            const rill_kernel_constants *k) {
    if (flooded) return u;
    rill_covered_face face = rill_covered_drive(ends, u, tilt, k);
    int32_t zb = rill_max_i(ends->bl, ends->br);
    if (rill_max_i(ends->bl + ends->Hl, ends->br + ends->Hr) - zb <= RILL_DRY) return 0.0f;
    return face.base + face.gain * (float)face.head;
}

static rill_covered_ends ends_at(const rill_flow *flow, int32_t l, int32_t r) {
    const rill_bed *bed = flow->bed;
    return (rill_covered_ends){ bed->b[l], bed->b[r], bed->c[l], bed->c[r], flow->H[l], flow->H[r] };
}

/* Faces that are covered no more are driven like any other. */
static void drive_left(rill_flow *flow, const rill_window *w, int32_t y, int32_t axis, const rill_kernel_constants *k,
                       float *fastest) {
    const rill_covered *covered = flow->covered;
    int32_t node = w->node + y * w->stride, place = w->place + y * w->sheet->stride;
    int32_t step = axis ? w->stride : 1, back = axis ? w->sheet->stride : 1;
    const float *base = axis ? covered->south.base : covered->west.base;
    for (int32_t x = 1; x < w->nx; ++x) {
        int32_t n = node + x, p = place + x;
        if (!(covered->ever[n] | covered->ever[n - step])) continue;
        if (rill_covered_member(covered, n) || rill_covered_member(covered, n - step)) continue;
        rill_covered_ends ends = ends_at(flow, p - back, p);
        float u = velocity_after(&ends, false, base[n], k->tilt[axis], k);
        (axis ? flow->v : flow->u)[p] = u;
        *fastest = rill_max_f(*fastest, __builtin_fabsf(u));
    }
}

/* Tiles that were put to rest meanwhile stay so: their faces are zero. */
static void show_window(rill_flow *flow, const rill_window *w, const rill_kernel_constants *k) {
    const rill_covered *covered = flow->covered;
    const rill_sheet *sheet = w->sheet;
    float fastest[2] = { 0.0f, 0.0f };
    for (int32_t y = 1; y < w->ny; ++y) {
        const uint16_t *tiles = flow->tiles + sheet->first_tile + (w->row + y) / RILL_TILE_H * sheet->tiles_x;
        int32_t other[2] = { 0, 0 };
        for (int32_t x = 1, next; x < w->nx; x = next) {
            int32_t tile = (w->column + x) / RILL_TILE_W;
            next = rill_min_i((tile + 1) * RILL_TILE_W - w->column, w->nx);
            if (!(tiles[tile] & RILL_TILE_SWEPT)) continue;
            int32_t node = w->node + y * w->stride + x, place = w->place + y * sheet->stride + x;
            const int32_t *ever = covered->ever + node;
            const float *active = covered->poisson.active + node;
            other[0] |= covered->kernels->show(next - x, ever - 1, ever, active - 1, active, covered->west.base + node,
                                               flow->u + place, &fastest[0]);
            other[1] |= covered->kernels->show(next - x, ever - w->stride, ever, active - w->stride, active,
                                               covered->south.base + node, flow->v + place, &fastest[1]);
        }
        for (int32_t axis = 0; axis < 2; ++axis)
            if (other[axis]) drive_left(flow, w, y, axis, k, &fastest[axis]);
    }
    flow->extent.speed = rill_max_f(flow->extent.speed, fastest[0] + fastest[1]);
}

void rill_covered_restore(rill_flow *flow, const rill_kernel_constants *constants) {
    const rill_covered *covered = flow->covered;
    if (!covered) return;
    for (int32_t i = 0; i < covered->window_count; ++i) show_window(flow, &covered->windows[i], constants);
    for (int32_t i = 0; covered->window_count > 0 && i < covered->pipe_count; ++i) {
        const rill_covered_pipe *moved = &covered->pipes[i];
        const rill_pipe *p = &flow->scratch->sparse.pipes[moved->pipe];
        if (!rill_covered_pipe_covered(covered, moved) ||
            !((flow->tiles[p->tile_l] | flow->tiles[p->tile_r]) & RILL_TILE_SWEPT))
            continue;
        rill_covered_ends ends = ends_at(flow, p->l, p->r);
        bool flooded = rill_covered_member(covered, moved->node_l) || rill_covered_member(covered, moved->node_r);
        flow->pipe_u[moved->pipe] =
            velocity_after(&ends, flooded, moved->face.base, constants->tilt[p->axis], constants);
        flow->extent.speed = rill_max_f(flow->extent.speed, __builtin_fabsf(flow->pipe_u[moved->pipe]));
    }
}

void rill_covered_resume(rill_flow *flow) {
    const rill_bed *bed = flow->bed;
    for (int64_t i = 0; flow->covered && i < bed->info.columns; ++i)
        if (flow->pressure[bed->places[i]] != 0) flow->covered->flooded[rill_bed_tile_of(bed, bed->places[i])] = 1;
}

void rill_covered_fill(rill_flow *flow, int32_t place, bool full) {
    flow->pressure[place] = full ? RILL_PRESSURE_NEW : 0;
    if (full) flow->covered->flooded[rill_bed_tile_of(flow->bed, place)] = 1;
}

void rill_covered_forget(rill_flow *flow) {
    if (!flow->covered) return;
    memset(flow->pressure, 0, (size_t)flow->bed->plane_size * sizeof *flow->pressure);
    memset(flow->covered->flooded, 0, (size_t)flow->bed->tile_count);
}
