/* Which columns lie under bodies, which faces they have: see bodies.h. Made anew in each sub-step. */
#include "bodies/bodies_internal.h"

#include "base/simd.h"
#include "passages/passages.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------------------- columns */

static bool same_pose(const rill_pose *a, const rill_pose *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

/* Returns the pose in which a body is expected after a time, with a part of its lag. */
static rill_pose expected_pose(rill_body *body, double dt, double lags) {
    double orientation[4];
    memcpy(body->expected_position, body->state.position, sizeof body->expected_position);
    memcpy(orientation, body->state.orientation, sizeof orientation);
    if (dt > 0.0) rill_body_advance(body->expected_position, orientation, body->expected_twist, dt);
    rill_body_add_lag(body->lag, lags, body->expected_position, orientation);
    return rill_pose_of(body->expected_position, orientation);
}

void rill_body_shade(rill_body *body, const rill_grid *grid) {
    const rill_pose pose = expected_pose(body, 0.0, 0.0);
    if (body->shades_known && same_pose(&pose, &body->shades_pose)) return;
    body->area = rill_body_area(&body->form, &pose, grid);
    body->shades.count = (size_t)rill_body_shades(&body->form, &pose, grid, body->area, NULL, body->shades.data);
    body->shades_pose = pose;
    body->shades_known = true;
}

/* Returns the head of a column that was not covered, above its base. */
static double level_of(const rill_flow *flow, int32_t place) {
    return (double)flow->H[place] + (flow->pressure ? rill_pressure_of(flow->pressure[place]) : 0.0);
}

/* Returns the head of a column as it is known, above its base. */
static double head_of(const rill_body_stage *stage, int32_t place) {
    const int32_t known = stage->bodies->node_of[place];
    RILL_ASSERT(known <= (int32_t)stage->bodies->nodes.count && -known <= (int32_t)stage->bodies->nodes_before.count);
    if (known > 0) return ((const rill_body_node *)stage->bodies->nodes.data)[known - 1].e;
    if (known < 0) return ((const rill_body_node *)stage->bodies->nodes_before.data)[-known - 1].e;
    return level_of(stage->flow, place);
}

/* Returns the level in a cell, as far as a body that reaches up to `top` is concerned: of the highest column that
 * begins below. */
static float level_in(const rill_body_stage *stage, int32_t x, int32_t y, double top) {
    const rill_bed *bed = stage->flow->bed;
    const size_t cell = (size_t)y * (size_t)bed->grid.cells[0] + (size_t)x;
    double level = bed->datum;
    for (int32_t k = bed->cell_first[cell]; k < bed->cell_first[cell + 1]; ++k) {
        const int32_t place = bed->places[k];
        const double base = rill_bed_z(bed, bed->b[place]);
        if (k > bed->cell_first[cell] && base > top) break;
        level = base + head_of(stage, place) * bed->quantum;
    }
    return (float)level;
}

static void find_shades(void *context, int32_t index) {
    const rill_body_stage *stage = context;
    rill_body *body = rill_body_at(stage->bodies, index);
    if (!body->alive) return;
    const rill_pose pose = expected_pose(body, stage->dt, stage->lag_left);
    const double top = body->expected_position[2] + body->form.reach;
    float *levels = body->levels.data;
    body->area = rill_body_area(&body->form, &pose, &stage->flow->bed->grid);
    RILL_ASSERT((size_t)(body->area.high[0] - body->area.low[0]) * (size_t)(body->area.high[1] - body->area.low[1]) <=
                body->levels.capacity);
    size_t i = 0;
    for (int32_t y = body->area.low[1]; y < body->area.high[1]; ++y)
        for (int32_t x = body->area.low[0]; x < body->area.high[0]; ++x) levels[i++] = level_in(stage, x, y, top);
    body->shades.count =
        (size_t)rill_body_shades(&body->form, &pose, &stage->flow->bed->grid, body->area, levels, body->shades.data);
    body->shades_pose = pose;
    body->shades_known = false; /* not whatever the level */
    RILL_ASSERT(body->shades.count <= body->shades.capacity);
}

/* Returns how far above the level a body counts as over a column already: it may come down on it within a sub-step.
 * Without a sub-step, or if liquid lies on it or may come to, any that it is over. */
static double nearness(const rill_body_stage *stage, const rill_body *body) {
    const double *velocity = body->state.velocity, *angular = body->state.angular_velocity;
    double speed = 0.0, turning = 0.0;
    for (int i = 0; i < 3; ++i)
        speed += velocity[i] < 0.0 ? -velocity[i] : velocity[i], turning += angular[i] < 0.0 ? -angular[i] : angular[i];
    const rill_bed *bed = stage->flow->bed;
    if (stage->dt == 0.0 || stage->has_sources || body->deck_mass > 0.0) return (double)RILL_TOP;
    return (0.25 * bed->grid.cell_size + 2.0 * stage->dt * (speed + turning * body->form.reach)) / bed->quantum;
}

/* Cuts the pieces of a shade to the void of a column; returns how many there are. A `stopped` body has below the
 * ceiling what it has above it: it is on its way to be pushed back by an engine's contacts, and must not suck liquid in
 * meanwhile. */
static int32_t cut_to_void(const rill_shade *shade, const rill_bed *bed, int32_t place, bool stopped,
                           rill_body_piece *out) {
    const double base = rill_bed_z(bed, bed->b[place]), top = (double)(bed->c[place] - bed->b[place]);
    const double per_quantum = 1.0 / bed->quantum;
    int32_t count = 0;
    for (uint32_t left = shade->there; left; left &= left - 1) {
        const int32_t bit = __builtin_ctz(left);
        const rill_quarter *quarter = &shade->quarter[0][0] + bit;
        double low = ((double)quarter->under - base) * per_quantum, high = ((double)quarter->over - base) * per_quantum;
        if (stopped && high > top) low -= high - top;
        low = low < 0.0 ? 0.0 : low;
        high = high > top ? top : high;
        RILL_ASSERT(quarter->part >= 0.0f && quarter->part < 1.001f);
        if (!(high > low)) continue;
        out[count++] = (rill_body_piece){
            0.25f * quarter->part, (float)low, (float)high, { quarter->at[0], quarter->at[1] }, bit & 3
        };
    }
    return count;
}

/* Tells whether any of a shade is in a column, and comes within `near` of the head. */
static bool is_near(const rill_shade *shade, const rill_bed *bed, int32_t place, double head, double near) {
    const double base = rill_bed_z(bed, bed->b[place]), reach = base + (head + near) * bed->quantum;
    const double top = rill_bed_z(bed, bed->c[place]);
    for (uint32_t left = shade->there; left; left &= left - 1) {
        const rill_quarter *quarter = &shade->quarter[0][0] + __builtin_ctz(left);
        const double low = (double)quarter->under, high = (double)quarter->over;
        if (low <= reach && low < top && high > base) return true;
    }
    return false;
}

int32_t rill_bodies_make_node(const rill_body_stage *stage, int32_t place, int32_t stride, int32_t x, int32_t y) {
    rill_bodies *bodies = stage->bodies;
    const int32_t known = bodies->node_of[place];
    if (known > 0) return known - 1;
    rill_body_node node = { .place = place,
                            .stride = stride,
                            .base = stage->flow->bed->b[place],
                            .first_touch = -1,
                            .cell = { (int16_t)x, (int16_t)y },
                            .drawn = -1 };
    const bool roofed =
        stage->settings && stage->settings->passages == RILL_PASSAGES_ANY && stage->flow->bed->c[place] < RILL_TOP;
    node.roof = roofed ? (double)rill_ceiling_full(stage->flow->bed, place) : (double)INFINITY;
    node.flooded = roofed && rill_flow_flooded(stage->flow, place);
    node.proxy = -1;
    node.e = level_of(stage->flow, place);
    if (known < 0) {
        const rill_body_node *before = (const rill_body_node *)bodies->nodes_before.data + (-known - 1);
        const double most = RILL_HEAD_MOST; /* whatever a snapshot says */
        node.e = rill_min_d(rill_max_d((double)before->base + before->e - (double)node.base, 0.0),
                            most); /* the base may have moved */
        RILL_ASSERT(node.e >= 0.0 && isfinite(node.e));
        node.pi = rill_min_d(rill_max_d(before->pi, -most), most);
        node.displaced_before = rill_min_d(before->displaced_before, most);
        node.over = before->over;
        node.apart = before->apart;
        node.deck = before->deck;
        for (int i = 0; i < 2; ++i) node.slip[i] = before->slip[i];
        node.drawn = before->drawn;
        node.struck = before->struck;
        for (int i = 0; i < 3; ++i) node.blow[i] = before->blow[i];
    }
    RILL_ASSERT(bodies->nodes.count < bodies->nodes.capacity);
    RILL_ASSERT(node.base != RILL_WALL && node.deck >= 0 && node.over <= 15);
    ((rill_body_node *)bodies->nodes.data)[bodies->nodes.count] = node;
    bodies->node_of[place] = (int32_t)++bodies->nodes.count;
    return (int32_t)bodies->nodes.count - 1;
}

static void add_touch(const rill_body_stage *stage, rill_body_touch *touch, int32_t index) {
    rill_bodies *bodies = stage->bodies;
    rill_body_node *node = (rill_body_node *)bodies->nodes.data + index;
    RILL_ASSERT(bodies->touches.count < bodies->touches.capacity);
    RILL_ASSERT(index >= 0 && (size_t)index < bodies->nodes.count);
    touch->node = index;
    touch->next = node->first_touch;
    node->first_touch = (int32_t)bodies->touches.count;
    ((rill_body_touch *)bodies->touches.data)[bodies->touches.count++] = *touch;
}

/* Stamps the columns that a body is over, or nearly. */
static void stamp_columns(const rill_body_stage *stage, const rill_body *body) {
    const rill_bed *bed = stage->flow->bed;
    const rill_shade *shades = body->shades.data;
    const double near = nearness(stage, body);
    for (size_t i = 0; i < body->shades.count; ++i) {
        const size_t cell = (size_t)shades[i].y * (size_t)bed->grid.cells[0] + (size_t)shades[i].x;
        for (int32_t k = bed->cell_first[cell]; k < bed->cell_first[cell + 1]; ++k) {
            const int32_t place = bed->places[k];
            RILL_ASSERT(i == 0 || shades[i - 1].y < shades[i].y ||
                        (shades[i - 1].y == shades[i].y && shades[i - 1].x < shades[i].x));
            RILL_ASSERT(stage->bodies->stamp[place] == 0);
            if (is_near(&shades[i], bed, place, head_of(stage, place), near))
                stage->bodies->stamp[place] = (int32_t)i + 1;
        }
    }
}

static void clear_stamps(const rill_body_stage *stage, const rill_body *body) {
    const rill_bed *bed = stage->flow->bed;
    const rill_shade *shades = body->shades.data;
    for (size_t i = 0; i < body->shades.count; ++i) {
        const size_t cell = (size_t)shades[i].y * (size_t)bed->grid.cells[0] + (size_t)shades[i].x;
        for (int32_t k = bed->cell_first[cell]; k < bed->cell_first[cell + 1]; ++k)
            stage->bodies->stamp[bed->places[k]] = 0;
    }
}

/* Adds a column that a body is over, or beside one: what it displaces at its border moves there when it does. */
static void touch_column(const rill_body_stage *stage, int32_t index, int32_t place, int32_t x, int32_t y) {
    const rill_bed *bed = stage->flow->bed;
    const int32_t *stamp = stage->bodies->stamp;
    const rill_shade *shades = rill_body_at(stage->bodies, index)->shades.data;
    rill_array *pieces = &stage->bodies->pieces;
    const size_t first = pieces->count;
    int32_t in_x, in_y;
    const int32_t stride =
        bed->sheet_count == 1 ? bed->sheets[0].stride : rill_bed_sheet_of(bed, place, &in_x, &in_y)->stride;
    if (stamp[place] > 0) {
        rill_body_piece *out = (rill_body_piece *)pieces->data + pieces->count;
        const bool stopped = rill_flow_flooded(stage->flow, place) && !isinf(rill_body_at(stage->bodies, index)->mass);
        pieces->count += (size_t)cut_to_void(&shades[stamp[place] - 1], bed, place, stopped, out);
        RILL_ASSERT(pieces->count <= pieces->capacity);
    } else {
        const int32_t beside[4] = { place - 1, place + 1, place - stride, place + stride };
        bool any = false;
        for (int i = 0; i < 4 && !any; ++i) any = stamp[beside[i]] > 0 && rill_body_is_open(bed, place, beside[i]);
        if (!any) return;
    }
    rill_body_touch touch = { .body = index, .first_piece = (int32_t)first, .end_piece = (int32_t)pieces->count };
    add_touch(stage, &touch, rill_bodies_make_node(stage, place, stride, x, y));
}

/* Cells of a row: low <= x < high. */
typedef struct cell_range {
    int32_t low, high;
} cell_range;

/* Finds the cells that a body shades in a row; shades before `*at` are of rows before it. */
static cell_range find_stretch(const rill_body *body, int32_t y, size_t *at) {
    const rill_shade *shades = body->shades.data;
    cell_range all = { INT32_MAX, INT32_MIN };
    for (; *at < body->shades.count && shades[*at].y == y; *at += 1) {
        all.low = rill_min_i(all.low, shades[*at].x);
        all.high = shades[*at].x + 1;
    }
    return all;
}

/* Adds the columns of a body in the order of rows, which is good for the solve. */
static void touch_columns(const rill_body_stage *stage, int32_t index) {
    const rill_bed *bed = stage->flow->bed;
    rill_body *body = rill_body_at(stage->bodies, index);
    const rill_area *area = &body->area;
    const int32_t *cells = bed->grid.cells;
    body->first_touch = (int32_t)stage->bodies->touches.count;
    if (body->shades.count > 0) {
        const int32_t low = rill_max_i(area->low[1] - 1, 0), high = rill_min_i(area->high[1] + 1, cells[1]);
        size_t at = 0;
        cell_range south, here = { INT32_MAX, INT32_MIN }, north = find_stretch(body, low, &at);
        stamp_columns(stage, body);
        for (int32_t y = low; y < high; ++y) {
            south = here, here = north, north = find_stretch(body, y + 1, &at);
            const int32_t from = rill_min_i(rill_min_i(south.low, north.low), here.low - 1);
            const int32_t to = rill_max_i(rill_max_i(south.high, north.high), here.high + 1);
            for (int32_t x = rill_max_i(from, 0); x < rill_min_i(to, cells[0]); ++x) {
                const size_t cell = (size_t)y * (size_t)cells[0] + (size_t)x;
                for (int32_t k = bed->cell_first[cell]; k < bed->cell_first[cell + 1]; ++k)
                    touch_column(stage, index, bed->places[k], x, y);
            }
        }
        clear_stamps(stage, body);
    }
    body->end_touch = (int32_t)stage->bodies->touches.count;
}

/* Gives columns that bodies have left their own base again, and what lay on them. */
static void leave_columns(const rill_body_stage *stage) {
    rill_bodies *bodies = stage->bodies;
    const rill_bed *bed = stage->flow->bed;
    const rill_body_node *before = bodies->nodes_before.data;
    for (size_t i = 0; i < bodies->nodes_before.count; ++i) {
        const int32_t place = before[i].place;
        if (bodies->node_of[place] > 0) continue;
        bodies->node_of[place] = 0;
        bodies->lifted[place] = bed->b[place];
        rill_bodies_return_liquid(bodies, stage->flow, before[i].cell, place, before[i].deck);
        if (rill_flow_flooded(stage->flow, place))
            rill_passages_search_for(stage->flow, place); /* it is the passages' own again */
        if (bed->pipe_count == 0) continue;
        for (int32_t k = rill_bed_first_pipe(bed, NULL, place); k < bed->pipe_count && bed->pipe_l[k] == place; ++k)
            rill_bodies_lift_pipe(stage->flow, k);
        for (int32_t k = rill_bed_first_pipe(bed, stage->pipes_by_r, place);
             k < bed->pipe_count && bed->pipe_r[stage->pipes_by_r[k]] == place; ++k)
            rill_bodies_lift_pipe(stage->flow, stage->pipes_by_r[k]);
    }
}

/* Adds the columns that the bodies of each island are over, island by island. */
static void touch_islands(const rill_body_stage *stage) {
    rill_bodies *bodies = stage->bodies;
    rill_body_island *islands = bodies->islands.data;
    const int32_t *order = bodies->order.data;
    for (size_t n = 0; n < bodies->islands.count; ++n) {
        islands[n].first_touch = bodies->touches.count;
        islands[n].first_node = bodies->nodes.count;
        for (size_t i = islands[n].first_body; i < islands[n].end_body; ++i) touch_columns(stage, order[i]);
        islands[n].end_touch = bodies->touches.count;
        islands[n].end_node = bodies->nodes.count;
    }
}

void rill_bodies_cover(const rill_body_stage *stage) {
    rill_bodies *bodies = stage->bodies;
    const rill_array nodes = bodies->nodes_before;
    bodies->nodes_before = bodies->nodes;
    bodies->nodes = nodes;
    RILL_ASSERT(bodies->nodes_before.count <= bodies->nodes.capacity);
    bodies->nodes.count = bodies->touches.count = bodies->pieces.count = bodies->faces.count = 0;
    const rill_body_node *before = bodies->nodes_before.data;
    for (size_t i = 0; i < bodies->nodes_before.count; ++i) bodies->node_of[before[i].place] = -(int32_t)i - 1;
    rill_body_stage all = *stage;
    rill_parallel_for(stage->runtime, stage->pool, (int32_t)bodies->list.count, find_shades, &all);
    rill_bodies_find_islands(bodies);
    touch_islands(stage);
    const size_t touched = bodies->nodes.count;
    rill_bodies_join_passages(stage);
    leave_columns(stage);
    if (bodies->nodes.count > touched) {
        rill_bodies_sort_nodes(bodies);
        rill_bodies_join_islands(bodies);
    }
    bodies->roofed = false;
    rill_bodies_find_faces(stage);
    rill_bodies_flood_decks(stage);
}
