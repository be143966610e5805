/* A step: as many sub-steps as stability asks for (time_step.c), each the same few stages. A sub-step is an onion: each layer
 * moves whole quanta on the way in, with the velocities that were driven before, and drives velocities on the way out, with
 * the depths just reached.
 *
 *     sources  pour, walls give and take, what fell comes down, what hangs too deep drips
 *     +- bodies        solve for heads under bodies, move                drive, tell bodies -+
 *     |  +- passages   solve for pressures of what is flooded, move      restore velocities  |
 *     |  |  +- sparse  pipes between sheets, move                        drive            |  |
 *     |  |  |  tiles   which sleep, which are swept                                       |  |
 *     |  |  |  sweep   all columns of awake tiles: move, limit, deposit, advect, drive    |  |
 *     |  |  +-----------------------------------------------------------------------------+  |
 *     |  +-----------------------------------------------------------------------------------+
 *     +--------------------------------------------------------------------------------------+
 *     tension  solve for pressures of curved surfaces and wetted beds    drive by them what levels alone have driven
 *
 * Shells follow once the grid has come to the end of the step (shell_step.c), each in sub-steps of its own.
 *
 * What an outer layer moves is kept out of the layers inside it: their faces stand still meanwhile. After each stage, builds
 * with asserts count every quantum (audit.c). */
#include <math.h>

#include "base/assert.h"
#include "base/clock.h"
#include "flow/ceiling.h"
#include "flow/stages.h"
#include "motion/opening_ceilings.h"
#include "motion/swept_volume.h"
#include "passages/passages.h"
#include "world/energy.h"
#include "world/limits.h"
#include "world/method.h"

/* ------------------------------------------------------------------------------------------------------------- names */

static const char *const STATUS_NAMES[] = { "substeps capped", "source refused",  "sink dry", "range",
                                            "gravity lifted",  "passages capped", "squeezed", "bodies capped",
                                            "speed capped",    "waves capped" };

const char *rill_status_name(rill_status bit) {
    for (size_t i = 0; i < sizeof STATUS_NAMES / sizeof *STATUS_NAMES; ++i)
        if (bit == 1u << i) return STATUS_NAMES[i];
    return NULL;
}

const char *rill_stage_name(rill_stage stage) {
    static const char *const names[RILL_STAGE_COUNT] = { "sources",  "sleep",  "layers",  "sweep",
                                                         "passages", "bodies", "tension", "shells" };
    return (unsigned)stage < RILL_STAGE_COUNT ? names[stage] : NULL;
}

/* ---------------------------------------------------------------------------------------------------------- settings */

/* The paper's pipes flow wherever levels differ, against walls too, if those were worth less than nothing. */
bool rill_world_turns(const rill_world *world) {
    const bool paper = world->def.solver.pipe_area == RILL_PIPE_AREA_PAPER;
    return rill_world_uses(world, RILL_METHOD_WAVES) || (rill_world_uses(world, RILL_METHOD_PIPES) && !paper);
}

double rill_world_head_gravity(const rill_world *world) {
    const double *g = world->def.gravity;
    const double worth = fmax(fabs(g[2]), sqrt(g[0] * g[0] + g[1] * g[1]) / 8.0);
    if (!rill_world_turns(world)) return rill_world_lifted_gravity(world);
    return worth > 0.0 ? worth : 1.0;
}

double rill_world_upright(const rill_world *world) {
    return rill_world_turns(world) ? -world->def.gravity[2] / rill_world_head_gravity(world) : 1.0;
}

double rill_world_lifted_gravity(const rill_world *world) {
    const double *g = world->def.gravity;
    return fmax(-g[2], sqrt(g[0] * g[0] + g[1] * g[1]) / 8.0);
}

void rill_world_measure_flow(rill_world *world) {
    rill_flow_measure(&world->flow, fabs(rill_world_upright(world)) * rill_world_head_gravity(world));
}

static void resolve_gravity(rill_step_context *step) {
    const double *g = step->world->def.gravity;
    const bool wang = step->world->def.solver.papers == RILL_PAPERS_WANG; /* reckons with both parts of it by itself */
    const bool lifts = (!rill_world_turns(step->world) && !wang) || step->world->bodies.alive > 0;
    step->head_gravity = rill_world_head_gravity(step->world);
    step->upright = rill_world_upright(step->world);
    step->lifted = rill_world_lifted_gravity(step->world);
    step->tangent[0] = g[0];
    step->tangent[1] = g[1];
    if (lifts && step->lifted > -g[2]) step->info.status |= RILL_STATUS_GRAVITY_LIFTED;
}

static rill_step_context begin(rill_world *world, double dt) {
    const rill_solver *solver = &world->def.solver;
    rill_step_context step = { .world = world, .start = world->time, .dt = dt, .clock = rill_clock() };
    step.settings.paper = solver->pipe_area == RILL_PIPE_AREA_PAPER;
    step.settings.passages = rill_world_method(world)->layered ? solver->passages : RILL_PASSAGES_OFF;
    world->flow.solves_passages = step.settings.passages == RILL_PASSAGES_ANY;
    step.settings.advection = solver->advection && !step.settings.paper;
    step.settings.rest = solver->rest;
    step.settings.tension = world->flow.tension = world->tension != NULL;
    step.settings.skip_idle = solver->skip_idle;
    step.settings.scalar = world->def.runtime.scalar;
    step.settings.runtime = &world->def.runtime;
    step.settings.pool = world->pool;
    step.settings.viscosity = world->def.liquid.viscosity;
    step.settings.friction = solver->friction > 0.0 ? solver->friction : step.settings.paper ? 0.5 : 1.0;
    resolve_gravity(&step);
    if (world->squeezed) step.info.status |= RILL_STATUS_SQUEEZED;
    world->squeezed = false;
    const rill_motion motion = rill_world_motion(world);
    rill_withdrawn_begin(&world->flow, &motion);
    rill_expelled_begin(&world->flow, dt, &motion);
    rill_opening_begin(&world->flow, dt);
    step.info.smallest_dt = dt;
    return step;
}

/* ------------------------------------------------------------------------------------------------------------ stages */

/* Ends a stage: its time, and with asserts on the audit of every quantum. */
void rill_step_end_stage(rill_step_context *step, rill_stage stage) {
    const double now = rill_clock();
    step->info.stage_seconds[stage] += now - step->clock;
    rill_world_audit(step->world, stage, step->refused);
    step->clock = rill_asserts_enabled() ? rill_clock() : now;
}

void rill_step_book_edges(rill_world *world, const rill_edge_flow edges[4]) {
    for (int i = 0; i < 4; ++i) {
        rill_book_change(world, RILL_BOOK_WEST + i, edges[i].entered);
        rill_book_change(world, RILL_BOOK_WEST + i, -edges[i].left);
    }
}

/* Lets moving walls take what they make room for, ceilings open, and walls give what they have pressed out. */
static void exchange_with_walls(rill_step_context *step, double dt) {
    rill_flow *flow = &step->world->flow;
    const double range = (double)RILL_TOP * step->world->bed.quantum;
    const double fastest = sqrt(2.0 * step->head_gravity * range); /* as if it fell so far */
    rill_withdrawn_take(flow, dt);
    rill_opening_open(flow, dt);
    if (rill_expelled_release(flow, dt, fastest, step->settings.passages == RILL_PASSAGES_OFF ? 0 : RILL_FULL))
        step->info.status |= RILL_STATUS_SQUEEZED;
}

/* Runs one source and books what it has poured or drained. */
static void run_source(rill_step_context *step, rill_source *source, const rill_landing *landing, double dt) {
    rill_flow *flow = &step->world->flow;
    const int64_t before = flow->pushed;
    rill_status lacking = 0;
    source->moved = rill_source_run(source, flow, landing, step->start + step->done, dt, &lacking);
    source->lacking = lacking != 0;
    source->pushed = flow->pushed - before;
    step->info.status |= lacking;
    rill_book_change(step->world, source->book, source->def.sink ? -source->moved : source->moved);
}

/* Lets what has fallen come down. */
static void land_falls(rill_step_context *step, const rill_landing *landing, double dt) {
    rill_world *world = step->world;
    if (!world->falls) return;
    const rill_falls_gravity gravity = rill_world_falls_gravity(world);
    rill_edge_flow edges[4] = { { 0 } };
    world->falls->brinks.time = step->start + step->done + dt;
    rill_falls_land(world->falls, &world->flow, landing, &gravity, step->start + step->done, dt, edges);
    rill_step_book_edges(world, edges);
}

static void run_sources(rill_step_context *step, double dt) {
    rill_world *world = step->world;
    rill_source *sources = world->sources.data;
    world->flow.pushed = 0;
    exchange_with_walls(step, dt);
    const rill_landing landing = rill_bodies_landing(&world->bodies);
    const bool bodies = world->bodies.nodes.count > 0;
    land_falls(step, bodies ? &landing : NULL, dt);
    for (size_t i = 0; i < world->sources.count; ++i)
        if (sources[i].alive) run_source(step, &sources[i], bodies ? &landing : NULL, dt);
    rill_step_drip(step);
    rill_step_end_stage(step, RILL_STAGE_SOURCES);
}

/* Gives back to sources, and then to walls, what they have put above ceilings and what found no room there. The one place that
 * says how much that was. */
void rill_step_take_back(rill_step_context *step) {
    rill_world *world = step->world;
    rill_source *sources = world->sources.data;
    for (size_t i = 0; i < world->sources.count; ++i) {
        if (!sources[i].alive) continue;
        const int64_t back = step->refused < sources[i].pushed ? step->refused : sources[i].pushed;
        if (back > 0) step->info.status |= RILL_STATUS_SOURCE_REFUSED;
        sources[i].lacking |= back > 0;
        step->refused -= back;
        rill_book_take_back(world, sources[i].book, back);
    }
    rill_expelled_return(&world->flow, step->refused);
    step->refused = 0;
}

/* Bodies catch up with their lags evenly until the end of the step. */
rill_body_stage rill_step_body_stage(const rill_step_context *step, double dt) {
    rill_body_stage stage = rill_world_body_stage(step->world, &step->settings, &step->constants, dt, step->lifted);
    stage.lag_left = 1.0 - dt / (step->dt - step->done);
    return stage;
}

/* Lets bodies and the heads under them push each other, and moves what crosses faces of flooded columns at bodies. */
static void move_bodies(rill_step_context *step, const rill_body_stage *stage) {
    if (step->world->bodies.alive == 0) return;
    int64_t refused = 0;
    if (!rill_bodies_move(stage, &refused)) step->info.status |= RILL_STATUS_BODIES_CAPPED;
    step->refused += refused;
    if (rill_world_book_lost(step->world)) step->info.status |= RILL_STATUS_RANGE;
    rill_step_end_stage(step, RILL_STAGE_BODIES);
}

/* Solves for the pressures of flooded passages and moves what crosses their faces. Columns at an edge may be too thin for the
 * sweep to look at, so what crosses the edge here is booked at once. */
static void move_passages(rill_step_context *step) {
    rill_flow *flow = &step->world->flow;
    if (step->settings.passages != RILL_PASSAGES_OFF) {
        rill_passage_report report = step->settings.passages == RILL_PASSAGES_ANY
                                         ? rill_passages_move(flow, &step->settings, &step->constants)
                                         : rill_passages_move_extended(flow, &step->settings, &step->constants);
        if (report.capped) step->info.status |= RILL_STATUS_PASSAGES_CAPPED;
        step->refused += report.refused;
        rill_edge_flow edges[4] = { { 0 } };
        if (flow->passages) rill_edges_restore_all(flow, edges);
        rill_step_book_edges(step->world, edges);
    }
    rill_step_take_back(step);
    rill_step_end_stage(step, RILL_STAGE_PASSAGES);
}

static void move_sparse(rill_step_context *step) {
    rill_sparse_move(&step->world->flow, &step->settings, &step->constants);
    rill_step_end_stage(step, RILL_STAGE_LAYERS);
}

/* Whether liquid may reach the top of the range within this sub-step: then all columns are watched like those under ceilings.
 * What flows into a column in a stable sub-step is less than three times the deepest column's depth, and never more than what
 * its eight pipes' other ends have. */
static bool near_top(const rill_step_context *step) {
    const rill_flow_extent *extent = &step->world->flow.extent;
    const int64_t rise = (step->constants.capped ? 8 : 3) * (int64_t)extent->depth;
    return extent->level + rise > RILL_TOP;
}

static void judge_tiles(rill_step_context *step) {
    rill_tiles_update(&step->world->flow, &step->settings, &step->constants, near_top(step));
    rill_step_end_stage(step, RILL_STAGE_SLEEP);
}

/* Moves, limits, deposits and drives all columns of tiles that are awake; in it, walls hand on their velocity. */
static void sweep(rill_step_context *step, double dt) {
    rill_world *world = step->world;
    rill_edge_flow edges[4] = { { 0 } };
    rill_expelled_push(&world->flow, dt);
    rill_sweep(&world->flow, &step->settings, &step->constants, edges);
    rill_expelled_stop(&world->flow, dt);
    rill_step_book_edges(world, edges);
    rill_step_end_stage(step, RILL_STAGE_SWEEP);
}

static void drive_sparse(rill_step_context *step) {
    rill_flow *flow = &step->world->flow;
    if (step->settings.passages != RILL_PASSAGES_OFF) rill_passages_hide_pipes(flow);
    rill_sparse_drive(flow, &step->settings, &step->constants);
    rill_step_end_stage(step, RILL_STAGE_LAYERS);
}

static void restore_passages(rill_step_context *step) {
    if (step->settings.passages != RILL_PASSAGES_OFF) rill_passages_restore(&step->world->flow, &step->constants);
    rill_step_end_stage(step, RILL_STAGE_PASSAGES);
}

static void drive_bodies(rill_step_context *step, const rill_body_stage *stage) {
    if (step->world->bodies.alive > 0) rill_bodies_drive(stage);
    rill_step_end_stage(step, RILL_STAGE_BODIES);
}

/* Drives by the pressures of curved surfaces and wetted beds what levels alone have driven so far. */
static void drive_tension(rill_step_context *step, double dt) {
    if (!step->settings.tension) return;
    rill_world *world = step->world;
    const rill_tension_step tension = { .strength = rill_world_tension_strength(world),
                                        .weight = step->head_gravity,
                                        .upright = step->upright,
                                        .dt = dt,
                                        .time = step->start + step->done + dt,
                                        .drying = world->def.liquid.drying,
                                        .walls = world->def.solver.wall_tension };
    rill_tension_drive(world->tension, &world->wetting, &world->flow, &step->settings, &step->constants, &tension);
    rill_step_end_stage(step, RILL_STAGE_TENSION);
}

/* Layered columns and pipes: the onion on top of this file. */
void rill_pipes_substep(rill_step_context *step, double dt) {
    const rill_body_stage bodies = rill_step_body_stage(step, dt);
    move_bodies(step, &bodies);
    move_passages(step);
    move_sparse(step);
    judge_tiles(step);
    sweep(step, dt);
    drive_sparse(step);
    restore_passages(step);
    drive_bodies(step, &bodies);
    drive_tension(step, dt);
}

static void note_substep(rill_step_context *step, double dt) {
    rill_flow *flow = &step->world->flow;
    step->done += dt;
    if (flow->brinks) {
        const rill_falls_gravity gravity = rill_world_falls_gravity(step->world);
        rill_falls_launch(step->world->falls, flow, &gravity, step->settings.viscosity, step->start + step->done);
        rill_step_end_stage(step, RILL_STAGE_SOURCES);
    }
    step->info.substeps += 1;
    if (dt < step->info.smallest_dt) step->info.smallest_dt = dt;
    if (flow->extent.speed > step->info.max_speed) step->info.max_speed = (double)flow->extent.speed;
    if (rill_flow_swept_columns(flow) > step->info.awake_columns)
        step->info.awake_columns = rill_flow_swept_columns(flow);
    if (flow->extent.level >= RILL_TOP - RILL_DRY) step->info.status |= RILL_STATUS_RANGE;
    flow->substep += 1;
    rill_events_note_sources(step->world, step->done);
}

/* -------------------------------------------------------------------------------------------------------------- step */

/* Memory for what is flooded as the step begins: else it is refused before anything has changed. */
static rill_result ready_passages(rill_world *world, double dt) {
    const rill_step_context step = { .world = world,
                                     .head_gravity = rill_world_head_gravity(world),
                                     .upright = rill_world_upright(world) };
    const rill_method_entry *method = rill_world_method(world);
    const double depth = (double)world->flow.extent.depth * world->bed.quantum;
    const double lambda = fmin(dt, method->wave_limit(&step, depth)) / world->bed.grid.cell_size;
    if (!method->layered || world->def.solver.passages == RILL_PASSAGES_OFF ||
        rill_passages_take_memory(&world->flow, (float)lambda, world->def.runtime.scalar))
        return RILL_OK;
    return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for the passages that are flooded");
}

/* More was flooded than there was memory for: the world is where the last sub-step left it. */
static rill_result stop_short(const rill_step_context *step) {
    step->world->time = step->start + step->done;
    return rill_fail(step->world->note, RILL_OUT_OF_MEMORY,
                     "no memory for the passages that are flooded: stopped after %g of %g s", step->done, step->dt);
}

/* In a world without a grid there is nothing but shells. */
static void step_shells_alone(rill_world *world, double dt) {
    rill_step_info info = { .smallest_dt = dt };
    rill_pool_attend(world->pool, true);
    rill_shells_step(world, dt, &info);
    rill_pool_attend(world->pool, false);
    world->step = info;
    world->time += dt;
}

rill_result rill_world_step(rill_world *world, double dt) {
    if (!world) return RILL_INVALID_ARGUMENT;
    if (!world->built && rill_world_has_grid(world)) return rill_world_need_bed(world, "rill_world_step");
    if (!(dt > 0.0 && dt <= RILL_LONGEST_STEP))
        return rill_fail(world->note, RILL_INVALID_ARGUMENT,
                         "rill_world_step: dt is %g s, expected more than 0 and at most %g", dt, RILL_LONGEST_STEP);
    if (!world->built) {
        const rill_result ready = rill_world_ready_drips(world);
        if (!ready) step_shells_alone(world, fmax(dt, RILL_SHORTEST_STEP));
        return ready;
    }
    rill_result followed = rill_world_follow(world);
    if (!followed) followed = rill_world_ready_bodies(world);
    if (!followed) followed = rill_world_ready_tension(world);
    if (!followed) followed = rill_world_ready_wang(world);
    if (!followed) followed = rill_world_ready_forces(world, &world->flow);
    if (!followed) followed = rill_world_ready_drips(world);
    if (!followed) followed = rill_world_ready_falls(world, dt);
    if (!followed) followed = rill_world_ready_events(world);
    if (!followed) followed = ready_passages(world, dt);
    if (followed) return followed;
    rill_world_forget_forces(world);
    rill_events_begin(world);
    const rill_method_entry *method = rill_world_method(world);
    rill_step_context step = begin(world, fmax(dt, RILL_SHORTEST_STEP));
    rill_step_begin_forces(&step);
    rill_passages_search_anew(&world->flow);
    rill_pool_attend(world->pool, true);
    do {
        rill_step_switch_controls(&step);
        const double part = rill_step_next_dt(&step);
        rill_step_prepare(&step, part);
        run_sources(&step, part);
        method->substep(&step, part);
        note_substep(&step, part);
    } while (step.dt - step.done > 1e-9 * step.dt && step.info.substeps < world->def.solver.max_substeps &&
             !rill_passages_out_of_memory(&world->flow));
    step.clock = rill_clock();
    rill_shells_step(world, step.done, &step.info);
    rill_step_end_stage(&step, RILL_STAGE_SHELLS);
    rill_pool_attend(world->pool, false);
    rill_step_end_forces(&step);
    if (world->bodies.alive > 0 && method->layered) {
        const rill_body_stage bodies =
            rill_world_body_stage(world, &step.settings, &step.constants, step.dt, step.lifted);
        rill_bodies_report(&bodies);
        rill_bodies_find_draw_levels(&bodies);
    }
    world->step = step.info;
    rill_events_end(world, step.done);
    if (rill_passages_out_of_memory(&world->flow)) return stop_short(&step);
    world->time = step.start + step.dt;
    return RILL_OK;
}

rill_status rill_world_status(const rill_world *world) {
    return world ? world->step.status : 0;
}

double rill_world_time(const rill_world *world) {
    return world ? world->time : 0.0;
}

rill_result rill_world_get_step_info(const rill_world *world, rill_step_info *out) {
    if (!world || !out) return RILL_INVALID_ARGUMENT;
    *out = world->step;
    return RILL_OK;
}
