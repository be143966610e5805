/* Memory for steps with bodies, and what becomes of it when the bed changes: see bodies.h. */
#include "bodies/bodies_internal.h"

#include "base/simd.h"

#include <string.h>

/* Returns the most cells that a body can have to do with, whatever its pose. */
static size_t most_shades(const rill_body *body, const rill_grid *grid) {
    const double across = 2.0 * body->form.reach / grid->cell_size + 5.0; /* and those around */
    const size_t cells = (size_t)grid->cells[0] * (size_t)grid->cells[1];
    return across * across < (double)cells ? (size_t)(across * across) : cells;
}

/* Returns the most columns of flooded passages that may have to be solved for with bodies: those with a ceiling, and
 * around them. */
static size_t most_joined(const rill_bed *bed) {
    size_t roofed = 0;
    for (int64_t i = 0; i < bed->info.columns; ++i) roofed += bed->c[bed->places[i]] < RILL_TOP;
    return 5 * roofed + 2 * (size_t)bed->pipe_count;
}

/* Returns the column of a cell whose base is nearest to a height; -1: it has none. */
static int32_t nearest_column(const rill_bed *bed, const int16_t at[2], int32_t base) {
    RILL_ASSERT(at[0] >= 0 && at[0] < bed->grid.cells[0] && at[1] >= 0 && at[1] < bed->grid.cells[1]);
    const size_t cell = (size_t)at[1] * (size_t)bed->grid.cells[0] + (size_t)at[0];
    int32_t best = -1;
    for (int32_t k = bed->cell_first[cell]; k < bed->cell_first[cell + 1]; ++k) {
        const int32_t place = bed->places[k];
        RILL_ASSERT(place >= 0 && place < bed->plane_size);
        if (best < 0 || rill_abs_i(bed->b[place] - base) < rill_abs_i(bed->b[best] - base)) best = place;
    }
    return best;
}

/* Finds nodes on a bed whose places are others now. */
static void find_nodes_again(rill_bodies *bodies, rill_flow *flow) {
    rill_body_node *nodes = bodies->nodes.data;
    size_t count = 0;
    for (size_t i = 0; i < bodies->nodes.count; ++i) {
        rill_body_node node = nodes[i];
        node.place = nearest_column(flow->bed, node.cell, node.base);
        if (node.place < 0 || bodies->node_of[node.place] != 0) {
            rill_bodies_return_liquid(bodies, flow, node.cell, node.place, node.deck);
            continue;
        }
        nodes[count++] = node;
        bodies->node_of[node.place] = (int32_t)count;
    }
    bodies->nodes.count = count;
}

static void free_planes(rill_body_planes *planes, const rill_allocator *allocator) {
    rill_free(allocator, planes->node_of, planes->size, sizeof *planes->node_of);
    rill_free(allocator, planes->stamp, planes->size, sizeof *planes->stamp);
    rill_free(allocator, planes->lifted, planes->size, sizeof *planes->lifted);
    *planes = (rill_body_planes){ 0 };
}

static bool prepare_planes(rill_bodies *bodies, const rill_bed *bed, const rill_allocator *allocator) {
    const size_t size = (size_t)bed->plane_size;
    rill_body_planes *next = &bodies->next_planes;
    if (bodies->plane_size == size || next->size == size) return true;
    free_planes(next, allocator);
    *next = (rill_body_planes){ .node_of = rill_alloc_zeroed(allocator, size, sizeof *next->node_of),
                                .stamp = rill_alloc_zeroed(allocator, size, sizeof *next->stamp),
                                .lifted = rill_alloc(allocator, size, sizeof *next->lifted),
                                .size = size };
    if (next->node_of && next->stamp && next->lifted) return true;
    free_planes(next, allocator);
    return false;
}

void rill_bodies_commit(rill_bodies *bodies, rill_flow *flow, const rill_allocator *allocator) {
    const rill_bed *bed = flow->bed;
    if (bodies->plane_size == (size_t)bed->plane_size) return;
    rill_body_planes old = { bodies->node_of, bodies->stamp, bodies->lifted, bodies->plane_size };
    const rill_body_planes next = bodies->next_planes;
    bodies->next_planes = (rill_body_planes){ 0 };
    free_planes(&old, allocator);
    bodies->node_of = next.node_of;
    bodies->stamp = next.stamp;
    bodies->lifted = next.lifted;
    RILL_ASSERT(next.size == (size_t)bed->plane_size && next.node_of && next.stamp && next.lifted);
    bodies->plane_size = next.size;
    memcpy(bodies->lifted, bed->b, next.size * sizeof *bodies->lifted);
    find_nodes_again(bodies, flow);
}

/* Takes memory, with room for `more` columns than those that bodies can be over. */
static bool prepare(rill_bodies *bodies, const rill_bed *bed, size_t more, const rill_allocator *allocator) {
    const size_t columns = (size_t)bed->info.columns, layers = (size_t)rill_max_i(bed->info.layers, 1);
    size_t touches = 0;
    for (size_t i = 0; i < bodies->list.count; ++i) {
        rill_body *body = rill_body_at(bodies, (int32_t)i);
        if (!body->alive) continue;
        const size_t shades = most_shades(body, &bed->grid);
        if (!rill_array_reserve(&body->shades, allocator, shades)) return false;
        if (!rill_array_reserve(&body->levels, allocator, shades)) return false;
        touches += shades * layers < columns ? shades * layers : columns;
    }
    if (touches == 0) more = 0;
    const size_t nodes = touches + more < columns ? touches + more : columns;
    const size_t faces = 4 * nodes + (size_t)bed->pipe_count;
    return rill_array_reserve(&bodies->pieces, allocator, 4 * RILL_PARTS * touches) &&
           rill_array_reserve(&bodies->touches, allocator, touches) &&
           rill_array_reserve(&bodies->nodes, allocator, nodes) &&
           rill_array_reserve(&bodies->nodes_before, allocator, nodes) &&
           rill_array_reserve(&bodies->claimed, allocator, nodes) &&
           rill_array_reserve(&bodies->faces, allocator, faces) &&
           rill_array_reserve(&bodies->ring_faces, allocator, 2 * faces) &&
           rill_array_reserve(&bodies->islands, allocator, bodies->list.count) &&
           rill_array_reserve(&bodies->order, allocator, 3 * bodies->list.count) &&
           rill_array_reserve(&bodies->neighbours, allocator, nodes) &&
           rill_array_reserve(&bodies->far_faces, allocator, faces) &&
           rill_array_reserve(&bodies->overlaps, allocator, 2 * touches + (size_t)bed->pipe_count) &&
           rill_array_reserve(&bodies->vectors, allocator, RILL_BODY_VECTORS * nodes) &&
           prepare_planes(bodies, bed, allocator);
}

bool rill_bodies_prepare(rill_bodies *bodies, const rill_bed *bed, const rill_allocator *allocator) {
    bodies->most_joined_known = false; /* until it is the world's */
    return prepare(bodies, bed, most_joined(bed), allocator);
}

bool rill_bodies_reserve(rill_bodies *bodies, rill_flow *flow, const rill_allocator *allocator) {
    const rill_bed *bed = flow->bed;
    if (!bodies->most_joined_known || bodies->plane_size != (size_t)bed->plane_size)
        bodies->most_joined = most_joined(bed);
    if (!prepare(bodies, bed, bodies->most_joined, allocator)) return false;
    bodies->most_joined_known = true;
    rill_bodies_commit(bodies, flow, allocator);
    return true;
}

rill_bodies rill_bodies_make(void) {
    return (rill_bodies){ .list = rill_array_make(sizeof(rill_body)),
                          .pieces = rill_array_make(sizeof(rill_body_piece)),
                          .touches = rill_array_make(sizeof(rill_body_touch)),
                          .nodes = rill_array_make(sizeof(rill_body_node)),
                          .faces = rill_array_make(sizeof(rill_body_face)),
                          .neighbours = rill_array_make(sizeof(rill_body_neighbours)),
                          .far_faces = rill_array_make(sizeof(int32_t)),
                          .islands = rill_array_make(sizeof(rill_body_island)),
                          .order = rill_array_make(sizeof(int32_t)),
                          .overlaps = rill_array_make(sizeof(rill_body_overlap)),
                          .nodes_before = rill_array_make(sizeof(rill_body_node)),
                          .claimed = rill_array_make(sizeof(int32_t)),
                          .ring_faces = rill_array_make(sizeof(int32_t)),
                          .vectors = rill_array_make(sizeof(double)) };
}

void rill_bodies_free(rill_bodies *bodies, const rill_allocator *allocator) {
    rill_array *const arrays[] = { &bodies->list,         &bodies->pieces,     &bodies->touches,   &bodies->nodes,
                                   &bodies->faces,        &bodies->neighbours, &bodies->far_faces, &bodies->overlaps,
                                   &bodies->nodes_before, &bodies->vectors,    &bodies->claimed,   &bodies->ring_faces,
                                   &bodies->islands,      &bodies->order };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) rill_array_free(arrays[i], allocator);
    rill_body_planes planes = { bodies->node_of, bodies->stamp, bodies->lifted, bodies->plane_size };
    free_planes(&planes, allocator);
    free_planes(&bodies->next_planes, allocator);
    *bodies = (rill_bodies){ 0 };
}

void rill_bodies_refit(rill_bodies *bodies, rill_flow *flow) {
    const rill_bed *bed = flow->bed;
    rill_body_node *nodes = bodies->nodes.data;
    size_t count = 0;
    bodies->most_joined_known = false;
    if (bodies->plane_size != (size_t)bed->plane_size) return;
    memcpy(bodies->lifted, bed->b, bodies->plane_size * sizeof *bodies->lifted);
    for (size_t i = 0; i < bodies->nodes.count; ++i) {
        const int32_t place = nodes[i].place;
        const bool stands = bed->b[place] != RILL_WALL;
        if (!stands) rill_bodies_return_liquid(bodies, flow, nodes[i].cell, -1, nodes[i].deck);
        nodes[count] = nodes[i];
        count += stands;
        RILL_ASSERT(place >= 0 && (size_t)place < bodies->plane_size && count <= i + 1);
        bodies->node_of[place] = stands ? (int32_t)count : 0;
    }
    bodies->nodes.count = count;
    for (int32_t i = 0; i < bed->pipe_count; ++i) rill_bodies_lift_pipe(flow, i);
}

void rill_bodies_uncover(rill_bodies *bodies, rill_flow *flow) {
    const rill_body_node *nodes = bodies->nodes.data;
    for (size_t i = 0; i < bodies->nodes.count; ++i) {
        RILL_ASSERT((size_t)nodes[i].place < bodies->plane_size);
        bodies->node_of[nodes[i].place] = 0;
        rill_bodies_return_liquid(bodies, flow, nodes[i].cell, nodes[i].place, nodes[i].deck);
        rill_flow_wake(flow, nodes[i].place);
    }
    bodies->nodes.count = bodies->touches.count = bodies->faces.count = bodies->islands.count = 0;
    rill_bodies_refit(bodies, flow);
}
