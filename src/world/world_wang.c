/* Worlds with `papers: wang`: the sub-step, and the account of what heights gain and lose. The method itself is in
 * wang/wang.h. */
#include <math.h>

#include "bodies/wang_bodies.h"
#include "wang/wang.h"
#include "world/method.h"

rill_result rill_wang_check(const rill_bed *bed, rill_message *message) {
    return rill_bed_need_plain(bed, "papers wang is for one layer", message);
}

rill_result rill_wang_make(const rill_world *world, rill_method_memory *out, rill_message *message) {
    const rill_result result = rill_wang_check(&world->bed, message);
    if (result) return result;
    out->heights = rill_heights_make(&world->def.grid, &world->allocator);
    return out->heights ? RILL_OK
                        : rill_fail(message, RILL_OUT_OF_MEMORY, "no memory for the heights of %d x %d cells",
                                    world->def.grid.cells[0], world->def.grid.cells[1]);
}

rill_result rill_world_ready_wang(rill_world *world) {
    rill_heights *heights = world->method.heights;
    if (!heights || heights->book >= 0) return RILL_OK;
    heights->book = rill_book_open(world, "drift");
    if (heights->book >= 0) return RILL_OK;
    return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for an account of what heights gain and lose");
}

void rill_wang_stop_cell(rill_world *world, int32_t x, int32_t y) {
    rill_heights_stop(world->method.heights, x, y);
}

/* m3/s2; 0 where tension does not act. */
static double film_of(const rill_world *world) {
    return rill_world_tension(world) ? rill_world_tension_strength(world) : 0.0;
}

double rill_wang_chosen_limit(const rill_step_context *step) {
    const rill_world *world = step->world;
    const rill_wang *controls = &world->def.solver.wang;
    const double depth = (double)world->flow.extent.depth * world->bed.quantum;
    return controls->time_step > 0.0 ? controls->time_step
                                     : rill_heights_limit(controls, film_of(world), depth, world->bed.grid.cell_size);
}

/* Returns what came in over all edges, quanta. */
static int64_t net_of(const rill_edge_flow edges[4]) {
    int64_t sum = 0;
    for (int i = 0; i < 4; ++i) sum += edges[i].entered - edges[i].left;
    return sum;
}

/* Nothing is covered, and nothing sleeps. */
void rill_wang_substep(rill_step_context *step, double dt) {
    rill_world *world = step->world;
    rill_edge_flow edges[4] = { { 0 } };
    const rill_heights_step heights = { .controls = world->def.solver.wang,
                                        .film = film_of(world),
                                        .angles = { world->wetting.advancing, world->wetting.receding },
                                        .gravity = fmax(-world->def.gravity[2], 0.0),
                                        .tangent = { step->tangent[0], step->tangent[1] },
                                        .has_bodies = world->bodies.alive > 0,
                                        .dt = dt };
    const rill_body_stage bodies = rill_step_body_stage(step, dt);
    rill_step_take_back(step);
    if (heights.has_bodies) rill_wang_bodies_begin(&bodies, world->method.heights);
    rill_step_end_stage(step, RILL_STAGE_BODIES);
    const rill_heights_report report = rill_heights_move(world->method.heights, &world->flow, &heights, edges);
    rill_step_book_edges(world, edges);
    rill_book_change(world, world->method.heights->book, report.gained - net_of(edges));
    rill_flow_measure(&world->flow, heights.gravity);
    if (report.capped) step->info.status |= RILL_STATUS_WAVES_CAPPED;
    if (report.out_of_range) step->info.status |= RILL_STATUS_RANGE;
    if (report.columns > step->info.awake_columns) step->info.awake_columns = report.columns;
    rill_step_end_stage(step, RILL_STAGE_SWEEP);
    if (heights.has_bodies) rill_wang_bodies_end(&bodies, world->method.heights);
    rill_step_end_stage(step, RILL_STAGE_BODIES);
}
