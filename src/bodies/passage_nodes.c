/* Flooded passages that bodies have to do with: see bodies.h.
 *
 * Pressure knows no distance. Where a body is in a flooded passage, or beside one, all columns from which liquid could
 * be pressed to it, or by it, have to be solved for together with it: those that are flooded, or so nearly that they
 * may be within the sub-step, and the ring of columns around them, which are free to rise.
 *
 *        ~~~~|#########################|~~~~~      o  of the passage, flooded: joins
 *            |####ceiling##############|           b  under the body
 *          r | o  o  b  b  b  o  o  o  | r         r  ring: joins, gives way
 *        ###################################
 *
 * A body that fills a passage leaves columns in it without liquid. They have no head of their own; each has that of the
 * nearest column beside the body, its proxy, and what it would do to the body, its proxy does. */
#include "bodies/bodies_internal.h"

#include "base/order.h"
#include "base/simd.h"
#include "passages/passages.h"

#include <math.h>

/* ------------------------------------------------------------------------------------------------------------- join */

/* Tells whether a column is flooded, or fifteen sixteenths full: pressure may go on from it. */
static bool carries_pressure(const rill_flow *flow, int32_t place) {
    const rill_bed *bed = flow->bed;
    if (flow->pressure[place] != 0) return true;
    const int32_t height = bed->c[place] - bed->b[place], level = rill_flow_bases(flow)[place] - bed->b[place];
    return bed->c[place] < RILL_TOP && level + flow->H[place] >= height - height / 16;
}

/* Returns the head at which a flooded column whose pressure is to be found would be at rest with a node, above its own
 * base. */
static double rest_head(const rill_body_node *from, const rill_body_node *to) {
    const double head = (double)from->base + from->e - (double)to->base;
    return head > to->e ? head : to->e;
}

static void join_column(const rill_body_stage *stage, int32_t from, int32_t place) {
    rill_bodies *bodies = stage->bodies;
    const rill_bed *bed = stage->flow->bed;
    int32_t x, y;
    if (bodies->node_of[place] > 0 || bodies->nodes.count == bodies->nodes.capacity) return;
    const rill_sheet *sheet = rill_bed_sheet_of(bed, place, &x, &y);
    if (x < 0 || x >= bed->grid.cells[0] || y < 0 || y >= bed->grid.cells[1]) return; /* beyond an edge */
    const bool known = bodies->node_of[place] < 0;
    const int32_t index = rill_bodies_make_node(stage, place, sheet->stride, x, y);
    rill_body_node *nodes = bodies->nodes.data;
    if (!known && stage->flow->pressure[place] == RILL_PRESSURE_NEW)
        nodes[index].e = rest_head(&nodes[from], &nodes[index]);
}

static void join_beside(const rill_body_stage *stage, int32_t from, int32_t place, bool onward) {
    const rill_bed *bed = stage->flow->bed;
    const int32_t at = ((const rill_body_node *)stage->bodies->nodes.data)[from].place;
    if (!rill_body_is_open(bed, at, place)) return;
    if (onward || stage->flow->pressure[place] != 0) join_column(stage, from, place);
}

static void join_over_pipes(const rill_body_stage *stage, int32_t from, bool onward) {
    const rill_bed *bed = stage->flow->bed;
    const int32_t place = ((const rill_body_node *)stage->bodies->nodes.data)[from].place;
    for (int32_t i = rill_bed_first_pipe(bed, NULL, place); i < bed->pipe_count && bed->pipe_l[i] == place; ++i)
        join_beside(stage, from, bed->pipe_r[i], onward);
    for (int32_t k = rill_bed_first_pipe(bed, stage->pipes_by_r, place); k < bed->pipe_count; ++k) {
        const int32_t i = stage->pipes_by_r[k];
        if (bed->pipe_r[i] != place) break;
        join_beside(stage, from, bed->pipe_l[i], onward);
    }
}

void rill_bodies_join_passages(const rill_body_stage *stage) {
    rill_bodies *bodies = stage->bodies;
    rill_flow *flow = stage->flow;
    bodies->claimed.count = 0;
    if (!stage->settings || stage->settings->passages != RILL_PASSAGES_ANY || !flow->pressure) return;
    for (size_t i = 0; i < bodies->nodes.count; ++i) { /* those that are added too */
        const rill_body_node node = ((const rill_body_node *)bodies->nodes.data)[i];
        const bool onward = carries_pressure(flow, node.place);
        const int32_t from = (int32_t)i;
        join_beside(stage, from, node.place - 1, onward);
        join_beside(stage, from, node.place + 1, onward);
        join_beside(stage, from, node.place - node.stride, onward);
        join_beside(stage, from, node.place + node.stride, onward);
        if (flow->bed->pipe_count > 0) join_over_pipes(stage, from, onward);
    }
}

void rill_bodies_sort_nodes(rill_bodies *bodies) {
    rill_body_node *nodes = bodies->nodes.data, *sorted = bodies->nodes_before.data;
    rill_body_touch *touches = bodies->touches.data;
    int32_t *places = bodies->claimed.data;
    const size_t count = bodies->nodes.count;
    for (size_t i = 0; i < count; ++i) places[i] = nodes[i].place;
    RILL_ASSERT(count <= bodies->claimed.capacity && count <= bodies->nodes_before.capacity);
    rill_order_items(places, count, NULL);
    for (size_t i = 0; i < count; ++i) {
        RILL_ASSERT(i == 0 || places[i - 1] < places[i]);
        RILL_ASSERT(bodies->node_of[places[i]] > 0);
        sorted[i] = nodes[bodies->node_of[places[i]] - 1];
        bodies->node_of[places[i]] = (int32_t)i + 1;
    }
    for (size_t i = 0; i < bodies->touches.count; ++i)
        touches[i].node = bodies->node_of[nodes[touches[i].node].place] - 1;
    const rill_array swapped = bodies->nodes_before;
    bodies->nodes_before = bodies->nodes;
    bodies->nodes = swapped;
    bodies->nodes.count = count;
}

/* ----------------------------------------------------------------------------------------------------------- bodies */

bool rill_body_in_passage(const rill_body_stage *stage, const rill_body *body) {
    const rill_bed *bed = stage->flow->bed;
    if (!stage->flow->pressure || stage->settings->passages != RILL_PASSAGES_ANY) return false;
    double at[3], orientation[4];
    rill_body_lagging_pose(body, at, orientation);
    const rill_pose pose = rill_pose_of(at, orientation);
    const rill_area area = rill_body_area(&body->form, &pose, &bed->grid);
    const double low = at[2] - body->form.reach, high = at[2] + body->form.reach;
    for (int32_t y = area.low[1]; y < area.high[1]; ++y)
        for (int32_t x = area.low[0]; x < area.high[0]; ++x) {
            const size_t cell = (size_t)y * (size_t)bed->grid.cells[0] + (size_t)x;
            for (int32_t k = bed->cell_first[cell]; k < bed->cell_first[cell + 1]; ++k) {
                const int32_t place = bed->places[k];
                if (stage->flow->pressure[place] != 0 && rill_bed_z(bed, bed->b[place]) < high &&
                    rill_bed_z(bed, bed->c[place]) > low)
                    return true;
            }
        }
    return false;
}

/* ------------------------------------------------------------------------------------------------------------ plugs */

/* Finds a proxy for one end of a face through the other; false if there is none. Those found in this round do not count
 * yet: the nearest is sought. */
static bool find_proxy(rill_body_node *nodes, int32_t of, int32_t through, uint16_t round) {
    if (of < 0 || through < 0) return false;
    rill_body_node *node = &nodes[of];
    const rill_body_node *other = &nodes[through];
    if (!node->grounded || !node->flooded || node->proxy >= 0) return false;
    if (other->grounded && (other->proxy < 0 || other->proxy_round == round)) return false;
    node->proxy = other->grounded ? other->proxy : through;
    node->proxy_round = round;
    RILL_ASSERT(node->proxy >= 0 && node->proxy != of && nodes[node->proxy].proxy < 0);
    return true;
}

void rill_bodies_find_proxies(const rill_body_stage *stage) {
    const rill_bodies *bodies = stage->bodies;
    const rill_body_island *island = stage->island;
    const rill_body_face *faces = bodies->faces.data;
    rill_body_node *nodes = bodies->nodes.data;
    bool any = false;
    if (!bodies->roofed) return;
    for (size_t i = island->first_node; i < island->end_node; ++i) any |= nodes[i].grounded && nodes[i].flooded;
    for (uint16_t round = 1; any; ++round) {
        any = false;
        for (size_t i = island->first_face; i < island->end_face; ++i) {
            any |= find_proxy(nodes, faces[i].node_l, faces[i].node_r, round);
            any |= find_proxy(nodes, faces[i].node_r, faces[i].node_l, round);
        }
    }
    for (size_t i = island->first_node; i < island->end_node; ++i) {
        if (nodes[i].proxy < 0) continue;
        const rill_body_node *proxy = &nodes[nodes[i].proxy];
        RILL_ASSERT(!proxy->grounded && isfinite(proxy->e));
        const double head = (double)proxy->base + proxy->e - (double)nodes[i].base;
        nodes[i].e = nodes[i].head_around = head > 0.0 ? head : 0.0;
    }
}
