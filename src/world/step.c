/* A step: as many sub-steps as stability asks for, each the same few stages.
 *
 * Stability (recipe measured against dam breaks and sloshing bowls): dt <= 0.7 dx / sqrt(2 g H_max), and liquid and waves
 * together pass no cell (speed_limit), from the state as it is; the paper's pipes have the wave speed sqrt(g dx) whatever the
 * depth, so dt <= 0.7 sqrt(dx / 2g). Beyond max_substeps gravity is weakened until the waves are slow enough, and the status
 * says so. */
#include <math.h>

#include "base/clock.h"
#include "base/power.h"
#include "bodies/kandemir_bodies.h"
#include "passages/passages.h"
#include "motion/drawn.h"
#include "motion/expelled.h"
#include "kandemir/kandemir.h"
#include "flow/move.h"
#include "motion/opening_ceilings.h"
#include "flow/stages.h"
#include "world/energy.h"

static const double COURANT = 0.7, COURANT_FAST = 0.885;
/* s. In less than the shortest, liquid would pass nothing at all of a cell in single precision, and what has moved since would be
 * infinitely fast. */
static const double SHORTEST_STEP = 1e-12, LONGEST_STEP = 3600.0;

/* One step under way. */
typedef struct progress {
    rill_world *world;
    rill_flow_settings settings;
    rill_kernel_constants constants;
    double normal, tangent[2]; /* gravity into and along the bed, m/s2 */
    double start, dt, done;    /* s */
    double clock;
    rill_step_info info;
} progress;

/* ------------------------------------------------------------------------------------------------------------- names */

static const char *const STATUS_NAMES[] = { "substeps capped", "source refused",  "sink dry", "range",
                                            "gravity lifted",  "passages capped", "squeezed", "bodies capped" };

const char *rill_status_name(rill_status bit) {
    if (bit == RILL_STATUS_REFUSED) return "refused";
    for (size_t i = 0; i < sizeof STATUS_NAMES / sizeof *STATUS_NAMES; ++i)
        if (bit == 1u << i) return STATUS_NAMES[i];
    return NULL;
}

const char *rill_stage_name(rill_stage stage) {
    static const char *const names[RILL_STAGE_COUNT] = { "sources", "tiles", "sparse", "dense", "covered", "bodies" };
    return (unsigned)stage < RILL_STAGE_COUNT ? names[stage] : NULL;
}

/* ---------------------------------------------------------------------------------------------------------- settings */

double rill_world_normal_gravity(const rill_world *world) {
    const double *g = world->def.gravity;
    return fmax(-g[2], sqrt(g[0] * g[0] + g[1] * g[1]) / 8.0);
}

/* Splits gravity into its part into the bed and its part along it. Off the bed there is no height field: the normal
 * part is then raised to an eighth of the tangential one, and the status says so. */
static void resolve_gravity(progress *p) {
    const double *g = p->world->def.gravity;
    p->normal = rill_world_normal_gravity(p->world);
    p->tangent[0] = g[0];
    p->tangent[1] = g[1];
    if (p->normal > -g[2]) p->info.status |= RILL_STATUS_GRAVITY_LIFTED;
}

static progress begin(rill_world *world, double dt) {
    const rill_solver *solver = &world->def.solver;
    progress p = { .world = world, .start = world->time, .dt = dt, .clock = rill_clock() };
    p.settings.paper = solver->pipe_area == RILL_PIPE_AREA_PAPER;
    p.settings.passages = world->tank ? RILL_PASSAGES_OFF : solver->passages;
    world->flow.solves_passages = p.settings.passages == RILL_PASSAGES_ANY;
    p.settings.advection = solver->advection && !p.settings.paper;
    p.settings.rest = solver->rest;
    p.settings.skip_idle = solver->skip_idle;
    p.settings.scalar = world->def.runtime.scalar;
    p.settings.runtime = &world->def.runtime;
    p.settings.pool = world->pool;
    p.settings.viscosity = world->def.liquid.viscosity;
    p.settings.friction = solver->friction > 0.0 ? solver->friction : p.settings.paper ? 0.5 : 1.0;
    resolve_gravity(&p);
    if (world->squeezed) p.info.status |= RILL_STATUS_SQUEEZED;
    world->squeezed = false;
    const rill_motion motion = rill_world_motion(world);
    rill_drawn_begin(&world->flow, &motion);
    rill_expelled_begin(&world->flow, dt, &motion);
    rill_opening_begin(&world->flow, dt);
    p.info.smallest_dt = dt;
    return p;
}

/* --------------------------------------------------------------------------------------------------------- time step */

/* The longest stable dt for waves on liquid of this depth; infinity without gravity or liquid. */
static double wave_limit(const progress *p, double depth) {
    if (p->world->tank)
        return COURANT * rill_tank_limit(&p->world->def.solver.kandemir, p->world->bed.grid.cell_size, p->normal);
    double dx = p->world->bed.grid.cell_size, speed = sqrt(2.0 * p->normal * (p->settings.paper ? dx : depth));
    return speed > 0.0 ? COURANT * dx / speed : INFINITY;
}

/* The longest stable dt for what is carried along: liquid, and waves on it. Those decay as long as (|u| + sqrt(g H)) dt <= dx. Now
 * |u| + sqrt(g H) is at most sqrt(2 (u^2 + g H)), which is all that can be said where both are as fast, and at most
 * sqrt(1.25 (u^2 + 4 g H)), which is less where liquid outruns the waves: streams half a millimetre deep. 0.7 and 0.885 are a hair below
 * 1 / sqrt(2) and 1 / sqrt(1.25). */
static double speed_limit(const progress *p) {
    const rill_flow_extent *extent = &p->world->flow.extent;
    double dx = p->world->bed.grid.cell_size, speed = (double)extent->speed, reach = COURANT_FAST * dx;
    double along = fabs(p->tangent[0]) + fabs(p->tangent[1]); /* (speed + along dt) dt <= reach */
    double twice = speed + sqrt(speed * speed + 4.0 * along * reach);
    double passing = fmin(sqrt((double)extent->rush) / COURANT, sqrt((double)extent->dash) / COURANT_FAST);
    double fastest = fmax(twice / (2.0 * COURANT_FAST), passing);
    return p->settings.paper || p->world->tank || fastest <= 0.0 ? INFINITY : dx / fastest;
}

/* The fastest that any active source, or what solids have pressed out, raises columns, m/s. */
static double source_rise(const progress *p) {
    const rill_world *world = p->world;
    double dx = world->bed.grid.cell_size, now = p->start + p->done, fastest = rill_expelled_rise(&world->flow);
    for (size_t i = 0; i < world->sources.count; ++i) {
        const rill_source *source = (const rill_source *)world->sources.data + i;
        if (!source->alive || source->def.sink) continue;
        if (now + p->dt < source->def.from || now >= source->def.until) continue;
        fastest = fmax(fastest, rill_source_rise(source, dx));
    }
    return fastest;
}

/* The longest stable dt from the state as it is, with what sources may add to the deepest column within it. */
static double stable_dt(const progress *p) {
    double depth = (double)p->world->flow.extent.depth * p->world->bed.quantum;
    double alone = fmin(p->dt - p->done, wave_limit(p, depth)), chosen = p->world->def.solver.kandemir.time_step;
    double stable = fmin(wave_limit(p, depth + alone * source_rise(p)), speed_limit(p));
    stable = fmin(stable, rill_bodies_limit(&p->world->bodies, &p->world->flow, p->dt - p->done));
    return p->world->tank && chosen > 0.0 ? fmin(stable, chosen) : stable;
}

/* The next sub-step: what is left, cut into equal parts that are short enough. */
static double next_dt(progress *p) {
    int32_t allowed = p->world->def.solver.max_substeps - p->info.substeps;
    double left = p->dt - p->done, parts = ceil(left / stable_dt(p));
    if (!(parts >= 1.0)) parts = 1.0;
    if (parts > allowed) {
        parts = allowed > 1 ? allowed : 1;
        p->info.status |= RILL_STATUS_SUBSTEPS_CAPPED;
    }
    return left / parts;
}

/* What the kernels need to know about this sub-step. */
static void prepare(progress *p, double dt) {
    const rill_bed *bed = &p->world->bed;
    const rill_flow *flow = &p->world->flow;
    double orifice = p->world->def.solver.orifice;
    double dx = bed->grid.cell_size, q = bed->quantum, slowed = wave_limit(p, (double)flow->extent.depth * q) / dt;
    double normal = slowed < 1.0 ? p->normal * slowed * slowed : p->normal;
    rill_kernel_constants *k = &p->constants;
    k->capped = p->info.status & RILL_STATUS_SUBSTEPS_CAPPED;
    k->lambda = (float)(dt / dx);
    k->phase = rill_move_phase(flow->substep);
    k->drive = (float)(normal * dt * q / dx);
    k->drag = (float)(12.0 * dt * p->settings.viscosity / (q * q));
    k->keep = (float)rill_power(p->settings.friction, dt);
    k->toll = orifice > 0.0 ? 0.5f * k->lambda : 0.0f;
    k->edge = orifice > 0.0 ? (float)(1.0 / (orifice * orifice) - 1.0) : 0.0f;
    k->top_speed = (float)((k->capped ? COURANT / 2.0 : 1.0) * dx / dt);
    k->fall = (float)(0.5443310539518174 * sqrt(normal * q));
    k->weight = (float)(p->normal * q);
    k->speed_head = normal > 0.0 ? (float)(0.5 / (normal * q)) : 0.0f;
    k->paper_opening = (float)(dx / q);
    k->five_dx = (int32_t)(5.0 * dx / q);
    k->thin = flow->extent.depth / 256;
    k->slack = p->settings.passages == RILL_PASSAGES_ANY ? 0 : RILL_FULL_LOW;
    for (int i = 0; i < 2; ++i) k->tilt[i] = rill_world_tilt(p->world, i);
}

/* ------------------------------------------------------------------------------------------------------------ stages */

static void tick(progress *p, rill_stage stage) {
    double now = rill_clock();
    p->info.stage_seconds[stage] += now - p->clock;
    p->clock = now;
}

static void run_sources(progress *p, double dt) {
    rill_world *world = p->world;
    world->flow.pushed = 0;
    rill_drawn_take(&world->flow, dt);
    rill_opening_open(&world->flow, dt);
    double range = (double)RILL_TOP * world->bed.quantum,
           fastest = sqrt(2.0 * p->normal * range); /* as if it fell so far */
    if (rill_expelled_release(&world->flow, dt, fastest, p->settings.passages == RILL_PASSAGES_OFF ? 0 : RILL_FULL))
        p->info.status |= RILL_STATUS_SQUEEZED;
    if (world->sources.count > 0) rill_bodies_before_sources(&world->bodies, &world->flow);
    for (size_t i = 0; i < world->sources.count; ++i) {
        rill_source *source = (rill_source *)world->sources.data + i;
        if (!source->alive) continue;
        int64_t before = world->flow.pushed;
        source->moved = rill_source_run(source, &world->flow, p->start + p->done, dt, &p->info.status);
        source->pushed = world->flow.pushed - before;
    }
    if (world->sources.count > 0) rill_bodies_take_poured(&world->bodies, &world->flow);
}

/* Once flooded passages have said how much of what was poured into them found no room. */
static void book_sources(progress *p, int64_t refused) {
    rill_world *world = p->world;
    for (size_t i = 0; i < world->sources.count; ++i) {
        const rill_source *source = (const rill_source *)world->sources.data + i;
        if (!source->alive) continue;
        int64_t back = refused < source->pushed ? refused : source->pushed;
        if (back > 0) p->info.status |= RILL_STATUS_SOURCE_REFUSED;
        refused -= back;
        rill_book_change(world, source->book, source->def.sink ? -source->moved : source->moved - back);
    }
    rill_expelled_return(&world->flow, refused);
}

static void book_edges(rill_world *world, const rill_edge_flow flows[4]) {
    for (int i = 0; i < 4; ++i) {
        rill_book_change(world, RILL_BOOK_WEST + i, flows[i].entered);
        rill_book_change(world, RILL_BOOK_WEST + i, -flows[i].left);
    }
}

/* Whether liquid may reach the top of the range within this sub-step: then all columns are watched like covered ones. What
 * flows into a column in a stable sub-step is less than three times the deepest column's depth, and never more than what
 * its eight pipes' other ends have. */
static bool near_top(const progress *p) {
    const rill_flow_extent *extent = &p->world->flow.extent;
    int64_t rise = (p->constants.capped ? 8 : 3) * (int64_t)extent->depth;
    return extent->level + rise > RILL_TOP;
}

/* Returns what sources had poured into flooded passages and must have back. Covered columns at an edge may be too thin for the
 * sweep to look at, so that what crossed the edge is added to flows[4] here. */
static int64_t move_covered(progress *p, rill_edge_flow *flows) {
    rill_flow *flow = &p->world->flow;
    if (p->settings.passages == RILL_PASSAGES_OFF) return 0;
    rill_passage_report report = p->settings.passages == RILL_PASSAGES_ANY
                                     ? rill_passages_move(flow, &p->settings, &p->constants)
                                     : rill_passages_move_extended(flow, &p->settings, &p->constants);
    if (report.capped) p->info.status |= RILL_STATUS_PASSAGES_CAPPED;
    if (flow->passages) rill_edges_restore_all(flow, flows);
    return report.refused;
}

/* Bodies catch up with their lags evenly until the end of the step. */
static rill_body_stage body_stage(progress *p, double dt) {
    rill_body_stage stage = rill_world_body_stage(p->world, &p->settings, &p->constants, dt, p->normal);
    stage.lag_left = 1.0 - dt / (p->dt - p->done);
    return stage;
}

/* How bodies and the heads under them push each other. Returns what sources must have back, as above. */
static int64_t move_bodies(progress *p, const rill_body_stage *stage) {
    int64_t refused = 0;
    if (p->world->bodies.alive == 0) return 0;
    if (!rill_bodies_move(stage, &refused)) p->info.status |= RILL_STATUS_BODIES_CAPPED;
    if (rill_world_book_lost(p->world)) p->info.status |= RILL_STATUS_RANGE;
    tick(p, RILL_STAGE_BODIES);
    return refused;
}

/* Kandemir's method, all of it: there is nothing covered, and nothing sleeps. */
static void move_tank(progress *p, double dt) {
    rill_world *world = p->world;
    rill_edge_flow flows[4] = { { 0 } };
    const rill_tank_step step = { .controls = world->def.solver.kandemir,
                                  .density = world->def.liquid.density,
                                  .gravity = p->normal,
                                  .tangent = { p->tangent[0], p->tangent[1] },
                                  .slowed = fmin(1.0, wave_limit(p, 0.0) / dt),
                                  .dt = dt,
                                  .scalar = p->settings.scalar };
    const rill_body_stage bodies = body_stage(p, dt);
    if (world->bodies.alive > 0 || world->tank->has_bodies) rill_kandemir_bodies(&bodies, world->tank, &step.controls);
    tick(p, RILL_STAGE_BODIES);
    rill_tank_move(world->tank, &world->flow, &step, flows);
    book_edges(world, flows);
    p->info.awake_columns = world->bed.info.columns;
    tick(p, RILL_STAGE_DENSE);
}

static void substep(progress *p, double dt) {
    rill_world *world = p->world;
    rill_flow *flow = &world->flow;
    rill_edge_flow flows[4] = { { 0 } };
    prepare(p, dt);
    run_sources(p, dt);
    tick(p, RILL_STAGE_SOURCES);
    if (world->tank) {
        book_sources(p, 0);
        move_tank(p, dt);
        return;
    }
    const rill_body_stage bodies = body_stage(p, dt);
    const int64_t refused = move_bodies(p, &bodies);
    book_sources(p, refused + move_covered(p, flows));
    tick(p, RILL_STAGE_COVERED);
    rill_sparse_move(flow, &p->settings, &p->constants);
    tick(p, RILL_STAGE_SPARSE);
    rill_tiles_update(flow, &p->settings, &p->constants, near_top(p));
    tick(p, RILL_STAGE_TILES);
    rill_expelled_push(flow, dt);
    rill_sweep(flow, &p->settings, &p->constants, flows);
    rill_expelled_stop(flow, dt);
    book_edges(world, flows);
    tick(p, RILL_STAGE_DENSE);
    if (p->settings.passages != RILL_PASSAGES_OFF) rill_passages_hide_pipes(flow);
    rill_sparse_drive(flow, &p->settings, &p->constants);
    tick(p, RILL_STAGE_SPARSE);
    if (p->settings.passages != RILL_PASSAGES_OFF) rill_passages_restore(flow, &p->constants);
    tick(p, RILL_STAGE_COVERED);
    if (world->bodies.alive > 0) rill_bodies_drive(&bodies);
    tick(p, RILL_STAGE_BODIES);
}

static void note_substep(progress *p, double dt) {
    rill_flow *flow = &p->world->flow;
    p->done += dt;
    p->info.substeps += 1;
    if (dt < p->info.smallest_dt) p->info.smallest_dt = dt;
    if (flow->extent.speed > p->info.max_speed) p->info.max_speed = (double)flow->extent.speed;
    if (rill_flow_swept_columns(flow) > p->info.awake_columns)
        p->info.awake_columns = rill_flow_swept_columns(flow);
    if (flow->extent.level >= RILL_TOP - RILL_DRY) p->info.status |= RILL_STATUS_RANGE;
    flow->substep += 1;
}

/* -------------------------------------------------------------------------------------------------------------- step */

static rill_status refuse(rill_world *world, rill_result result) {
    world->result = result;
    return RILL_STATUS_REFUSED;
}

/* Memory for what is flooded as the step begins: else it is refused before anything has changed. */
static rill_result ready_passages(rill_world *world, double dt) {
    const progress p = { .world = world, .normal = rill_world_normal_gravity(world) };
    const double depth = (double)world->flow.extent.depth * world->bed.quantum;
    const double lambda = fmin(dt, wave_limit(&p, depth)) / world->bed.grid.cell_size;
    if (world->tank || world->def.solver.passages == RILL_PASSAGES_OFF ||
        rill_passages_ready(&world->flow, (float)lambda, world->def.runtime.scalar))
        return RILL_OK;
    return rill_fail(world->note, RILL_OUT_OF_MEMORY, "no memory for the passages that are flooded");
}

/* More was flooded than there was memory for: the world is where the last sub-step left it. */
static rill_status stop_short(const progress *p) {
    p->world->time = p->start + p->done;
    return refuse(p->world,
                  rill_fail(p->world->note, RILL_OUT_OF_MEMORY,
                            "no memory for the passages that are flooded: stopped after %g of %g s", p->done, p->dt));
}

rill_status rill_world_step(rill_world *world, double dt) {
    if (!world) return RILL_STATUS_REFUSED;
    if (!world->built) return refuse(world, rill_world_need_bed(world, "rill_world_step"));
    if (!(dt > 0.0 && dt <= LONGEST_STEP))
        return refuse(world,
                      rill_fail(&world->message, RILL_INVALID_ARGUMENT,
                                "rill_world_step: dt is %g s, expected more than 0 and at most %g", dt, LONGEST_STEP));
    rill_result followed = rill_world_follow(world);
    if (!followed) followed = rill_world_ready_bodies(world);
    if (!followed) followed = ready_passages(world, dt);
    if (followed) return refuse(world, followed);
    rill_world_forget_forces(world);
    progress p = begin(world, fmax(dt, SHORTEST_STEP));
    rill_passages_look_again(&world->flow);
    rill_pool_attend(world->pool, true);
    do {
        double part = next_dt(&p);
        substep(&p, part);
        note_substep(&p, part);
    } while (p.dt - p.done > 1e-9 * p.dt && p.info.substeps < world->def.solver.max_substeps &&
             !rill_passages_starved(&world->flow));
    rill_pool_attend(world->pool, false);
    if (world->bodies.alive > 0 && !world->tank) {
        const rill_body_stage bodies = rill_world_body_stage(world, &p.settings, &p.constants, p.dt, p.normal);
        rill_bodies_report(&bodies);
        rill_bodies_find_drawn_levels(&bodies);
    }
    world->step = p.info;
    world->result = RILL_OK;
    if (rill_passages_starved(&world->flow)) return p.info.status | stop_short(&p);
    world->time = p.start + p.dt;
    return p.info.status;
}

rill_result rill_world_result(const rill_world *world) {
    return world ? world->result : RILL_INVALID_ARGUMENT;
}

double rill_world_time(const rill_world *world) {
    return world ? world->time : 0.0;
}

rill_result rill_world_get_step_info(const rill_world *world, rill_step_info *out) {
    if (!world || !out) return RILL_INVALID_ARGUMENT;
    *out = world->step;
    return RILL_OK;
}
