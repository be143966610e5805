/* Islands of bodies: see bodies.h.
 *
 *      +--------+                     Around the cells that a body shades there is a ring of columns that it has to
 *      | a  +---|----+  +-----+       do with as well. Where such rectangles overlap or touch, so may the columns:
 *      +----|---+ b  |  |  c  |       a and b are an island here, c is another.
 *           +--------+  +-----+
 *
 * Rectangles are looked at from west to east, each with those that begin before it ends. */
#include "bodies/bodies_internal.h"

#include "base/order.h"
#include "base/union_find.h"

enum { RING = 1 };

static bool is_beside(const rill_area *a, const rill_area *b, int axis) {
    return a->low[axis] - RING <= b->high[axis] + RING && b->low[axis] - RING <= a->high[axis] + RING;
}

static size_t list_alive(const rill_bodies *bodies) {
    int32_t *order = bodies->order.data;
    size_t count = 0;
    for (size_t i = 0; i < bodies->list.count; ++i)
        if (rill_body_at(bodies, (int32_t)i)->alive) order[count++] = (int32_t)i;
    return count;
}

void rill_bodies_find_islands(rill_bodies *bodies) {
    int32_t *order = bodies->order.data, *west = order + bodies->list.count, *parent = west + bodies->list.count;
    rill_body_island *islands = bodies->islands.data;
    const size_t count = list_alive(bodies);
    RILL_ASSERT(count == (size_t)bodies->alive);
    RILL_ASSERT(bodies->islands.capacity >= count && bodies->order.capacity >= 3 * bodies->list.count);
    uint32_t *sets = (uint32_t *)parent; /* the lowest of an island's bodies stands for it */
    for (size_t i = 0; i < count; ++i) {
        west[order[i]] = rill_body_in_order(bodies, i)->area.low[0];
        parent[order[i]] = order[i];
    }
    rill_order_items(order, count, west);
    for (size_t i = 0; i < count; ++i) {
        const rill_area *area = &rill_body_in_order(bodies, i)->area;
        for (size_t k = i + 1; k < count; ++k) {
            const rill_area *other = &rill_body_in_order(bodies, k)->area;
            if (!is_beside(area, other, 0)) break;
            if (is_beside(area, other, 1)) rill_union_find_unite(sets, (uint32_t)order[i], (uint32_t)order[k]);
        }
    }
    for (size_t i = 0; i < count; ++i) parent[order[i]] = (int32_t)rill_union_find_root(sets, (uint32_t)order[i]);
    rill_order_items(order, count, parent);
    bodies->islands.count = 0;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && parent[order[end]] == parent[order[i]];) end += 1;
        islands[bodies->islands.count++] = (rill_body_island){ .first_body = i, .end_body = end };
    }
}

void rill_bodies_join_islands(rill_bodies *bodies) {
    rill_body_island *islands = bodies->islands.data;
    islands[0] = (rill_body_island){ .end_body = list_alive(bodies),
                                     .end_touch = bodies->touches.count,
                                     .end_node = bodies->nodes.count };
    bodies->islands.count = 1;
    RILL_ASSERT(islands[0].end_body > 0);
}

typedef struct island_job {
    const rill_body_stage *stage;
    rill_body_island_work *work;
} island_job;

static void work_at(void *context, int32_t i) {
    const island_job *job = context;
    rill_body_stage part = *job->stage;
    part.island = (rill_body_island *)part.bodies->islands.data + i;
    RILL_ASSERT(i >= 0 && (size_t)i < part.bodies->islands.count);
    RILL_ASSERT(part.island->first_body < part.island->end_body && part.island->first_node <= part.island->end_node);
    job->work(&part);
}

void rill_bodies_each_island(const rill_body_stage *stage, rill_body_island_work *work) {
    island_job job = { stage, work };
    rill_parallel_for(stage->runtime, stage->pool, (int32_t)stage->bodies->islands.count, work_at, &job);
}
