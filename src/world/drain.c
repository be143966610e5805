/* A world that is emptied: all liquid leaves at once, and what is left is as when the bed was built. */
#include "flow/column.h"
#include "kandemir/kandemir.h"
#include "motion/swept_volume.h"
#include "passages/passages.h"
#include "wang/wang.h"
#include "waves/theta.h"
#include "world/method.h"

#include <string.h>

/* Empties all columns; returns how much was in them. */
static int64_t empty_columns(rill_flow *flow) {
    const rill_bed *bed = flow->bed;
    int64_t sum = 0;
    for (int64_t i = 0; i < bed->info.columns; ++i) sum -= rill_column_set(flow, bed->places[i], 0);
    return sum;
}

/* Takes what lies on bodies and what they carry along. They displace nothing more until the next step covers them anew. */
static int64_t empty_decks(rill_world *world) {
    rill_bodies *bodies = &world->bodies;
    rill_body_node *nodes = bodies->nodes.data;
    int64_t sum = 0;
    for (size_t i = 0; i < bodies->nodes.count; ++i) {
        sum += nodes[i].deck;
        nodes[i].deck = 0;
    }
    for (size_t i = 0; i < bodies->list.count; ++i) {
        rill_body *body = rill_body_at(bodies, (int32_t)i);
        body->added_mass = body->deck_mass = 0.0;
    }
    rill_bodies_uncover(bodies, &world->flow);
    return sum;
}

/* Takes what is on its way between solids and columns. Walls go on moving, and take again when there is something. */
static int64_t empty_transit(rill_flow *flow) {
    rill_withdrawn *withdrawn = flow->withdrawn.data;
    const int64_t sum = rill_swept_volume_total(flow);
    for (size_t i = 0; i < flow->withdrawn.count; ++i) withdrawn[i].amount = 0;
    flow->expelled.count = flow->openings.count = 0;
    return sum;
}

/* Surface tension remembers what was wet, and where liquid ran over edges. */
static void forget_tension(const rill_tension_state *tension, const rill_bed *bed) {
    const rill_tension_memory memory = rill_tension_remembered(tension);
    for (int64_t i = 0; i < bed->info.columns; ++i) {
        memory.change[bed->places[i]] = 0.0f;
        memory.wet[bed->places[i]] = 0;
        memory.flowing[bed->places[i]] = 0;
    }
    memset(memory.pipe_flowing, 0, (size_t)bed->pipe_count * sizeof *memory.pipe_flowing);
}

static void stop_everything(rill_world *world) {
    rill_flow *flow = &world->flow;
    const rill_bed *bed = &world->bed;
    memset(flow->u, 0, (size_t)bed->plane_size * sizeof *flow->u);
    memset(flow->v, 0, (size_t)bed->plane_size * sizeof *flow->v);
    memset(flow->pipe_u, 0, (size_t)bed->pipe_count * sizeof *flow->pipe_u);
    if (flow->passages) {
        rill_passages_forget(flow);
        rill_passages_resume(flow);
    }
    if (world->method.tank) rill_tank_stop_all(world->method.tank);
    if (world->method.theta) rill_theta_forget(world->method.theta);
    if (world->method.heights) rill_heights_forget(world->method.heights);
    if (world->tension) forget_tension(world->tension, bed);
}

/* Lets all tiles sleep, but for those beside reservoirs, which come in again. */
static void sleep_everywhere(rill_flow *flow) {
    const rill_bed *bed = flow->bed;
    memset(flow->tiles, 0, (size_t)bed->tile_count * sizeof *flow->tiles);
    memset(flow->busy, 0, (size_t)bed->tile_count * sizeof *flow->busy);
    for (int32_t i = 0; i < bed->ghost_count; ++i)
        if (bed->ghosts[i].still > 0) rill_flow_wake(flow, bed->ghosts[i].place);
    flow->stale = true;
}

rill_result rill_world_drain(rill_world *world) {
    if (!world) return RILL_INVALID_ARGUMENT;
    const rill_result result = rill_world_has_grid(world) ? rill_world_need_bed(world, "rill_world_drain") : RILL_OK;
    if (result) return result;
    const int32_t book = rill_book_open(world, "emptied");
    if (book < 0) return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for an account of what is emptied");
    rill_book_change(world, book, -rill_shells_empty(world));
    if (!world->built) return RILL_OK;
    int64_t sum = empty_decks(world) + empty_columns(&world->flow) + empty_transit(&world->flow);
    if (world->falls) sum += rill_falls_empty(world->falls);
    rill_book_change(world, book, -sum);
    stop_everything(world);
    sleep_everywhere(&world->flow);
    rill_world_measure_flow(world);
    return RILL_OK;
}
