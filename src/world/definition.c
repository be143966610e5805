/* Definitions: their defaults, and what they may say. Every check names the member, the value found and the range, so
 * that a scene file or a program can be corrected without reading this.
 *
 * The limits are far beyond what thin liquid needs; they keep every later product of them finite. */
#include <math.h>
#include <string.h>

#include "shape/contact_angle.h"
#include "world/limits.h"
#include "world/world.h"

rill_world_def rill_default_world_def(void) {
    rill_world_def def = {
        .grid = { .cells = { 100, 100 }, .cell_size = 0.001 },
        .headroom = 0.05,
        .min_opening = RILL_OPENING_AUTO,
        .gravity = { 0.0, 0.0, -9.81 },
        .solver = { .kandemir = { .vanishing = 0.163, .atmosphere = 101325.0 },
                    .waves = { .theta = 0.55, .tolerance = 1e-4 },
                    .wang = { .viscosity = 0.3, .iterations = 1000, .tolerance = 1e-4, .angular = true },
                    .advection = true,
                    .rest = true,
                    .skip_idle = true,
                    .orifice = 0.61,
                    .max_substeps = 64,
                    .falls = RILL_FALLS_OFF },
        .runtime = { .tasks = { .threads = 1 } },
    };
    rill_liquid_preset("water", &def.liquid);
    return def;
}

rill_solid_def rill_default_solid_def(void) {
    return (rill_solid_def){ .shape = { .axis = { 0.0, 0.0, 1.0 } },
                             .scale = 1.0,
                             .contact_angle = { (double)NAN, (double)NAN } };
}

rill_shell_def rill_default_shell_def(void) {
    return (rill_shell_def){ .scale = 1.0, .contact_angle = { (double)NAN, (double)NAN } };
}

rill_source_def rill_default_source_def(void) {
    return (rill_source_def){ .until = (double)INFINITY };
}

/* Written so that NaN fails. */
static bool between(double value, double least, double most) {
    return value >= least && value <= most;
}

static rill_result check_range(const char *member, double value, double least, double most, rill_message *message) {
    if (between(value, least, most)) return RILL_OK;
    return rill_fail(message, RILL_INVALID_ARGUMENT, "%s is %g; expected %g to %g", member, value, least, most);
}

/* > 0 rather than >= 0. */
static rill_result check_positive(const char *member, double value, double most, rill_message *message) {
    if (value > 0.0 && value <= most) return RILL_OK;
    return rill_fail(message, RILL_INVALID_ARGUMENT, "%s is %g; expected more than 0 and at most %g", member, value,
                     most);
}

static rill_result check_vector(const char *member, const double v[3], double most, rill_message *message) {
    for (int axis = 0; axis < 3; ++axis) {
        if (between(v[axis], -most, most)) continue;
        return rill_fail(message, RILL_INVALID_ARGUMENT, "%s[%d] is %g; expected %g to %g", member, axis, v[axis],
                         -most, most);
    }
    return RILL_OK;
}

static rill_result check_choice(const char *member, int64_t value, int64_t least, int64_t most, rill_message *message) {
    if (value >= least && value <= most) return RILL_OK;
    return rill_fail(message, RILL_INVALID_ARGUMENT, "%s is %lld; expected %lld to %lld", member, (long long)value,
                     (long long)least, (long long)most);
}

rill_result rill_check_name(const char *what, const char *name, rill_message *message) {
    if (!name) return RILL_OK;
    size_t length = 0;
    while (length <= RILL_NAME_LENGTH && name[length]) length += 1;
    if (length <= RILL_NAME_LENGTH) return RILL_OK;
    return rill_fail(message, RILL_INVALID_ARGUMENT, "%s.name begins \"%.32s\" and goes on; expected at most %d bytes",
                     what, name, RILL_NAME_LENGTH);
}

static rill_result check_grid(const rill_grid *grid, rill_message *message) {
    if (grid->cells[0] == 0 && grid->cells[1] == 0) return RILL_OK; /* none */
    rill_result result = check_choice("grid.cells[0]", grid->cells[0], 1, RILL_MOST_CELLS_PER_SIDE, message);
    if (!result) result = check_choice("grid.cells[1]", grid->cells[1], 1, RILL_MOST_CELLS_PER_SIDE, message);
    if (!result && (int64_t)grid->cells[0] * grid->cells[1] > RILL_MOST_CELLS)
        result = rill_fail(message, RILL_TOO_LARGE, "grid.cells are %d x %d = %lld; expected at most %lld in all",
                           grid->cells[0], grid->cells[1], (long long)grid->cells[0] * grid->cells[1],
                           (long long)RILL_MOST_CELLS);
    if (!result) result = check_range("grid.cell_size", grid->cell_size, RILL_LEAST_CELL, RILL_MOST_CELL, message);
    if (!result) result = check_vector("grid.origin", grid->origin, RILL_MOST_LENGTH, message);
    return result;
}

rill_result rill_check_gravity(const double gravity[3], rill_message *message) {
    return check_vector("gravity", gravity, RILL_MOST_GRAVITY, message);
}

rill_result rill_check_liquid(const rill_liquid *liquid, rill_message *message) {
    rill_result result = check_range("liquid.density", liquid->density, RILL_LEAST_DENSITY, RILL_MOST_DENSITY, message);
    if (!result) result = check_range("liquid.viscosity", liquid->viscosity, 0.0, RILL_MOST_VISCOSITY, message);
    if (!result)
        result = check_range("liquid.surface_tension", liquid->surface_tension, 0.0, RILL_MOST_TENSION, message);
    if (!result) result = rill_contact_angle_check("liquid.", &liquid->contact_angle, message);
    if (!result) result = check_range("liquid.drying", liquid->drying, 0.0, RILL_MOST_TIME, message);
    return result;
}

static rill_result check_kandemir(const rill_kandemir *kandemir, rill_message *message) {
    rill_result result =
        check_range("solver.kandemir.pipe_length", kandemir->pipe_length, 0.0, RILL_MOST_LENGTH, message);
    if (!result)
        result = check_range("solver.kandemir.pipe_area", kandemir->pipe_area, 0.0, RILL_MOST_LENGTH * RILL_MOST_LENGTH,
                             message);
    if (!result)
        result = check_range("solver.kandemir.time_step", kandemir->time_step, 0.0, RILL_LONGEST_STEP, message);
    if (!result) result = check_positive("solver.kandemir.vanishing", kandemir->vanishing, 1.0, message);
    if (!result) result = check_range("solver.kandemir.viscosity", kandemir->viscosity, 0.0, 1.0, message);
    if (!result)
        result = check_range("solver.kandemir.atmosphere", kandemir->atmosphere, 0.0, RILL_MOST_PRESSURE, message);
    return result;
}

static rill_result check_waves(const rill_waves *w, rill_message *message) {
    rill_result result = check_range("solver.waves.theta", w->theta, 0.5, 1.0, message);
    if (!result) result = check_range("solver.waves.time_step", w->time_step, 0.0, RILL_LONGEST_STEP, message);
    if (!result) result = check_choice("solver.waves.iterations", w->iterations, 0, RILL_MOST_ITERATIONS, message);
    if (!result) result = check_positive("solver.waves.tolerance", w->tolerance, 1.0, message);
    return result;
}

static rill_result check_wang(const rill_wang *w, rill_message *message) {
    rill_result result = check_range("solver.wang.viscosity", w->viscosity, 0.0, 1.0, message);
    if (!result) result = check_range("solver.wang.friction", w->friction, 0.0, RILL_MOST_LENGTH, message);
    if (!result) result = check_range("solver.wang.time_step", w->time_step, 0.0, RILL_LONGEST_STEP, message);
    if (!result) result = check_choice("solver.wang.iterations", w->iterations, 1, RILL_MOST_ITERATIONS, message);
    if (!result) result = check_positive("solver.wang.tolerance", w->tolerance, 1.0, message);
    if (!result)
        result =
            check_choice("solver.wang.tension", (int64_t)w->tension, RILL_WANG_INCOMPLETE, RILL_WANG_COMPLETE, message);
    if (!result)
        result = check_choice("solver.wang.preconditioner", (int64_t)w->preconditioner, RILL_WANG_JACOBI,
                              RILL_WANG_FACTORED, message);
    if (!result)
        result = check_choice("solver.wang.front", (int64_t)w->front, RILL_WANG_DIRICHLET, RILL_WANG_NEUMANN, message);
    return result;
}

rill_result rill_check_solver(const rill_solver *solver, rill_message *message) {
    rill_result result =
        check_choice("solver.method", (int64_t)solver->method, RILL_METHOD_PIPES, RILL_METHOD_WAVES, message);
    if (!result)
        result = check_choice("solver.papers", (int64_t)solver->papers, RILL_PAPERS_NONE, RILL_PAPERS_WANG, message);
    if (!result) result = check_wang(&solver->wang, message);
    if (!result) result = check_kandemir(&solver->kandemir, message);
    if (!result) result = check_waves(&solver->waves, message);
    if (!result)
        result = check_choice("solver.pipe_area", (int64_t)solver->pipe_area, RILL_PIPE_AREA_PHYSICAL,
                              RILL_PIPE_AREA_PAPER, message);
    if (!result)
        result =
            check_choice("solver.passages", (int64_t)solver->passages, RILL_PASSAGES_ANY, RILL_PASSAGES_OFF, message);
    if (!result && solver->orifice != 0.0)
        result = check_range("solver.orifice", solver->orifice, RILL_LEAST_ORIFICE, 1.0, message);
    if (!result) result = check_range("solver.friction", solver->friction, 0.0, 1.0, message);
    if (!result) result = check_choice("solver.max_substeps", solver->max_substeps, 1, RILL_MOST_SUBSTEPS, message);
    if (!result)
        result = check_choice("solver.tension", (int64_t)solver->tension, RILL_TENSION_AUTO, RILL_TENSION_OFF, message);
    if (!result)
        result = check_choice("solver.falls", (int64_t)solver->falls, RILL_FALLS_FLIGHT, RILL_FALLS_OFF, message);
    return result;
}

rill_result rill_check_runtime(const rill_runtime *runtime, rill_message *message) {
    if (!runtime->allocator.allocate != !runtime->allocator.release)
        return rill_fail(message, RILL_INVALID_ARGUMENT, "runtime.allocator.%s is NULL; expected both hooks or neither",
                         runtime->allocator.allocate ? "release" : "allocate");
    return check_choice("runtime.tasks.threads", runtime->tasks.threads, 1, RILL_MOST_THREADS, message);
}

rill_result rill_check_edge(int32_t side, const rill_edge *edge, rill_message *message) {
    static const char *const sides[4] = { "edges[RILL_WEST]", "edges[RILL_EAST]", "edges[RILL_SOUTH]",
                                          "edges[RILL_NORTH]" };
    rill_result result = check_choice("side", side, RILL_WEST, RILL_NORTH, message);
    if (!result) result = check_choice(sides[side], (int64_t)edge->kind, RILL_EDGE_WALL, RILL_EDGE_STILL, message);
    if (!result && edge->kind == RILL_EDGE_STILL)
        result = check_range(sides[side], edge->level, -RILL_MOST_LENGTH, RILL_MOST_LENGTH, message);
    return result;
}

static rill_result check_edges(const rill_edge edges[4], rill_message *message) {
    rill_result result = RILL_OK;
    for (int32_t side = 0; side < 4 && !result; ++side) result = rill_check_edge(side, &edges[side], message);
    return result;
}

rill_result rill_check_world_def(const rill_world_def *def, rill_message *message) {
    rill_result result = rill_check_name("world", def->name, message);
    if (!result) result = check_grid(&def->grid, message);
    if (!result) result = check_positive("headroom", def->headroom, RILL_MOST_LENGTH, message);
    if (!result && def->min_opening != RILL_OPENING_AUTO)
        result = check_range("min_opening", def->min_opening, 0.0, RILL_MOST_LENGTH, message);
    if (!result) result = check_edges(def->edges, message);
    if (!result) result = rill_check_gravity(def->gravity, message);
    if (!result) result = rill_check_liquid(&def->liquid, message);
    if (!result) result = rill_check_solver(&def->solver, message);
    if (!result) result = rill_check_runtime(&def->runtime, message);
    return result;
}

static rill_result check_source_place(const rill_source_def *def, rill_message *message) {
    rill_result result = RILL_OK;
    if (def->shape == RILL_SOURCE_POINT || def->shape == RILL_SOURCE_DISC)
        result = check_vector("source.at", def->at, RILL_MOST_LENGTH, message);
    if (!result && def->shape == RILL_SOURCE_DISC)
        result = check_positive("source.radius", def->radius, RILL_MOST_LENGTH, message);
    if (result || def->shape != RILL_SOURCE_BOX) return result;

    result = check_vector("source.min", def->min, RILL_MOST_LENGTH, message);
    if (!result) result = check_vector("source.max", def->max, RILL_MOST_LENGTH, message);
    for (int axis = 0; !result && axis < 3; ++axis) {
        if (def->min[axis] > def->max[axis])
            result =
                rill_fail(message, RILL_INVALID_ARGUMENT, "source.min[%d] is %g; expected at most source.max[%d], %g",
                          axis, def->min[axis], axis, def->max[axis]);
    }
    return result;
}

/* Checks the times between which something acts. */
static rill_result check_window(const char *what, double from, double until, rill_message *message) {
    if (!between(from, -RILL_MOST_TIME, RILL_MOST_TIME))
        return rill_fail(message, RILL_INVALID_ARGUMENT, "%s.from is %g; expected %g to %g", what, from,
                         -RILL_MOST_TIME, RILL_MOST_TIME);
    if (until >= from) return RILL_OK; /* infinity is allowed, NaN is not */
    return rill_fail(message, RILL_INVALID_ARGUMENT, "%s.until is %g; expected at least %s.from, %g", what, until, what,
                     from);
}

rill_result rill_check_source_def(const rill_source_def *def, rill_message *message) {
    rill_result result = rill_check_name("source", def->name, message);
    if (!result)
        result = check_choice("source.shape", (int64_t)def->shape, RILL_SOURCE_POINT, RILL_SOURCE_RAIN, message);
    if (!result) result = check_source_place(def, message);
    const bool rains = def->shape == RILL_SOURCE_RAIN;
    if (!result) result = check_range("source.rate", def->rate, 0.0, rains ? 0.0 : RILL_MOST_RATE, message);
    if (!result) result = check_range("source.rain", def->rain, 0.0, rains ? RILL_MOST_RAIN : 0.0, message);
    return result ? result : check_window("source", def->from, def->until, message);
}

rill_control_def rill_default_control_def(void) {
    return (rill_control_def){ .strength = 10.0,
                               .inside = { (double)NAN, (double)NAN },
                               .outside = { (double)NAN, (double)NAN },
                               .until = (double)INFINITY };
}

static rill_result check_angle(const char *owner, const rill_contact_angle *angle, rill_message *message) {
    return rill_contact_angle_given(angle) ? rill_contact_angle_check(owner, angle, message) : RILL_OK;
}

rill_result rill_check_control_def(const rill_control_def *def, rill_message *message) {
    rill_result result = rill_check_name("control", def->name, message);
    if (!result) result = check_range("control.strength", def->strength, 0.0, RILL_MOST_GRAVITY, message);
    if (!result) result = check_angle("control.inside.", &def->inside, message);
    if (!result) result = check_angle("control.outside.", &def->outside, message);
    return result ? result : check_window("control", def->from, def->until, message);
}

rill_result rill_check_brush(const rill_brush *brush, rill_message *message) {
    static const double most = 1e30; /* m/s2: whatever a hand can do, for it is cut in the step */
    rill_result result = check_vector("brush.at", brush->at, RILL_MOST_LENGTH, message);
    if (!result) result = check_positive("brush.radius", brush->radius, RILL_MOST_LENGTH, message);
    if (!result) result = check_range("brush.acceleration[0]", brush->acceleration[0], -most, most, message);
    return result ? result : check_range("brush.acceleration[1]", brush->acceleration[1], -most, most, message);
}
