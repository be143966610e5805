/* `rill bench --case wang_table`: Table 1 of Wang, Miller & Turk 2007, its rows on grids, as printed: resolution, gravity, tension, tau.
 * What else is in them is not printed: the worlds are after the paper's figures. Figures of the paper are those of a 2.92 GHz Core2
 * Extreme and a GeForce 7950; what a frame is in seconds it does not say. Here each world is led by the default method for a while
 * and then timed with it, in frames of 1/60 s; so it is with method waves, which has no bodies; and from there on with papers wang, whose sub-steps are one solve each and as long as
 * its scheme is stable: with tension, that is a small part of a frame. */
#define _POSIX_C_SOURCE 200809L

#include "bench_internal.h"
#include "console/console.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WARM_FRAMES = 6, TIMED_FRAMES = 3 };
static const double FRAME = 1.0 / 60.0;

typedef rill_result wang_stir(rill_world *world);

typedef struct wang_row {
    const char *name;
    int32_t cells[2];
    double cell_size; /* m */
    double gravity[3];
    double tension, tau; /* N/m */
    rill_bench_build *build;
    wang_stir *stir; /* before each frame; NULL: nothing */
    double gpu, cpu; /* frames per second that are printed; 0: none */
} wang_row;

/* ---------------------------------------------------------------------------------------------------------- worlds */

static rill_result build_plane(rill_world *world) {
    rill_solid_def floor = rill_default_solid_def();
    floor.shape.type = RILL_SHAPE_PLANE;
    floor.shape.axis[2] = 1.0;
    const rill_result result = rill_solid_create(world, &floor, NULL);
    return result != RILL_OK ? result : rill_bed_build(world);
}

/* Fills each cell to a depth that follows from its place. */
typedef double depth_at(double x, double y); /* cells; m */
static rill_result fill(rill_world *world, depth_at *depth) {
    rill_grid grid;
    rill_result result = rill_world_get_grid(world, &grid);
    if (result != RILL_OK) return result;
    const size_t nx = (size_t)grid.cells[0], count = nx * (size_t)grid.cells[1];
    double *depths = malloc(count * sizeof *depths);
    if (depths == NULL) return RILL_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i) depths[i] = depth((double)(i % nx) + 0.5, (double)(i / nx) + 0.5);
    result = rill_world_fill_depths(world, 0, depths, count, NULL);
    free(depths);
    return result;
}

/* A hundred drops, ten by ten, 8 to 16 cells in radius. */
static double drops(double x, double y) {
    const double i = floor(x / 40.0), j = floor(y / 40.0), radius = 8.0 + fmod(7.0 * i + 3.0 * j, 9.0);
    const double dx = x - 40.0 * i - 20.0 - 3.0 * sin(2.0 * i + j), dy = y - 40.0 * j - 20.0 - 3.0 * cos(i + 3.0 * j);
    return fmax(0.0, 1e-4 * radius * (1.0 - (dx * dx + dy * dy) / (radius * radius)));
}

/* A dish of liquid with dry corners. */
static double dish(double x, double y) {
    return hypot(x - 200.0, y - 200.0) < 180.0 ? 1e-3 : 0.0;
}

static double sheet(double x, double y) {
    return 4e-4 + 1e-4 * sin(0.13 * x) * sin(0.17 * y);
}

static rill_result build_drops(rill_world *world) {
    const rill_result result = build_plane(world);
    return result != RILL_OK ? result : fill(world, drops);
}

static rill_result build_dish(rill_world *world) {
    const rill_result result = build_plane(world);
    return result != RILL_OK ? result : fill(world, dish);
}

static rill_result stir_dish(rill_world *world) {
    const double t = rill_world_time(world);
    const rill_brush brush = { .at = { 0.1 + 0.05 * cos(6.0 * t), 0.1 + 0.05 * sin(6.0 * t), 0.01 },
                               .radius = 0.01,
                               .acceleration = { -20.0 * sin(6.0 * t), 20.0 * cos(6.0 * t) } };
    return rill_world_brush(world, &brush);
}

/* Letters of strokes. */
static rill_result build_letters(rill_world *world) {
    static const double POINTS[] = {
        0.03, 0.05,  0.07, 0.05,  0.07, 0.105, 0.04, 0.105, 0.04, 0.14, 0.07, 0.14, 0.07, 0.15, 0.03, 0.15,
        0.03, 0.095, 0.06, 0.095, 0.06, 0.06,  0.03, 0.06,                                                  /* S */
        0.08, 0.05,  0.12, 0.05,  0.12, 0.06,  0.09, 0.06,  0.09, 0.14, 0.12, 0.14, 0.12, 0.15, 0.08, 0.15, /* C */
        0.13, 0.05,  0.14, 0.05,  0.14, 0.09,  0.16, 0.09,  0.16, 0.05, 0.17, 0.05, 0.17, 0.15, 0.13, 0.15, /* A, */
        0.14, 0.1,   0.16, 0.1,   0.16, 0.14,  0.14, 0.14, /* its hole */
    };
    static const int32_t CORNERS[] = { 12, 8, 8, 4 };
    rill_control_def def = rill_default_control_def();
    def.points = POINTS;
    def.corners = CORNERS;
    def.polygon_count = sizeof CORNERS / sizeof CORNERS[0];
    def.inside = (rill_contact_angle){ 15.0, 15.0 };
    def.outside = (rill_contact_angle){ 60.0, 60.0 };
    rill_result result = build_plane(world);
    if (result == RILL_OK) result = rill_control_create(world, &def, NULL);
    return result != RILL_OK ? result : fill(world, sheet);
}

/* Sixteen crates on a river, somewhat apart from their places. */
static rill_result build_drift(rill_world *world) {
    rill_result result = build_plane(world);
    for (int i = 0; i < 16 && result == RILL_OK; ++i) {
        rill_body_def def = rill_default_body_def();
        def.shape.type = RILL_SHAPE_BOX;
        for (int axis = 0; axis < 3; ++axis) {
            def.shape.max[axis] = axis == 2 ? 0.03 : 0.15;
            def.shape.min[axis] = -def.shape.max[axis];
        }
        def.density = 500.0;
        def.state.position[0] = 0.75 + 1.4 * (i / 2) + 0.1 * sin(1.7 * i);
        def.state.position[1] = 0.7 + 1.1 * (i % 2) + 0.2 * sin(2.9 * i);
        def.state.position[2] = 0.101;
        def.state.velocity[0] = 0.2;
        result = rill_body_create(world, &def, NULL);
    }
    return result != RILL_OK ? result : rill_bench_fill_waves(world, 0.1);
}

static const wang_row ROWS[] = {
    { "POOL", { 400, 400 }, 3e-4, { 0, 0, -9.8 }, 0.073, 0.3, build_drops, NULL, 0, 4.3 },
    { "WINDOW", { 400, 400 }, 3e-4, { 0, -9.8, 0 }, 0.073, 0.3, build_drops, NULL, 9.2, 11 },
    { "SPHERES", { 400, 400 }, RILL_BENCH_POND_CELL, { 0, 0, -9.8 }, 0, 0, rill_bench_build_spheres, NULL, 1.2, 0.4 },
    { "DRIFT", { 1200, 250 }, 0.01, { 0, 0, -9.8 }, 0, 0, build_drift, NULL, 2, 0.8 },
    { "BOATS", { 400, 400 }, RILL_BENCH_POND_CELL, { 0, 0, -9.8 }, 0, 0, rill_bench_build_boats, NULL, 3.3, 1.3 },
    { "INTERACTIVE", { 400, 400 }, 5e-4, { 0, 0, 0 }, 0.073, 0.3, build_dish, stir_dish, 0, 20 },
    { "SCA", { 400, 400 }, 5e-4, { 0, 0, -9.8 }, 0.073, 0.3, build_letters, NULL, 4.2, 3 },
};

/* ---------------------------------------------------------------------------------------------------------- measure */

static int complain(const wang_row *row, rill_result result, const char *message) {
    fprintf(stderr, "rill bench: wang_table: %s: %s: %s\n", row->name, rill_result_name(result), message);
    return result == RILL_OUT_OF_MEMORY ? RILL_EXIT_MACHINE : RILL_EXIT_INPUT;
}

static rill_world_def def_of(const wang_row *row) {
    rill_world_def def = rill_default_world_def();
    def.name = row->name;
    def.grid = (rill_grid){ .cells = { row->cells[0], row->cells[1] }, .cell_size = row->cell_size };
    def.headroom = row->cell_size > 1e-3 ? 0.2 : 0.01;
    for (int axis = 0; axis < 3; ++axis) def.gravity[axis] = row->gravity[axis];
    def.liquid.density = 1000.0;
    def.liquid.surface_tension = row->tension;
    def.liquid.contact_angle = (rill_contact_angle){ .advancing = 60.0, .receding = 40.0 };
    def.solver.max_substeps = 10000;
    def.solver.tension = row->tension > 0.0 ? RILL_TENSION_ON : RILL_TENSION_OFF;
    def.solver.wang.viscosity = row->tau;
    def.solver.wang.friction = row->tension > 0.0 ? 1e-3 : 0.0;
    return def;
}

/* Figures of a row, by the fastest frame. */
typedef struct wang_figures {
    double frames; /* per second of wall time, of 1/60 s each */
    double solves; /* sub-steps per second */
    double length; /* of a sub-step, s */
} wang_figures;

/* Times some steps of a length. */
static rill_result measure(const wang_row *row, rill_world *world, double dt, int steps, wang_figures *out) {
    *out = (wang_figures){ 0 };
    for (int i = 0; i < steps; ++i) {
        rill_step_info info;
        rill_result result = row->stir != NULL ? row->stir(world) : RILL_OK;
        const double start = rill_bench_now();
        if (result == RILL_OK) result = rill_world_step(world, dt);
        const double seconds = fmax(rill_bench_now() - start, 1e-9);
        if (result == RILL_OK) result = rill_world_get_step_info(world, &info);
        if (result != RILL_OK) return result;
        out->frames = fmax(out->frames, dt / FRAME / seconds);
        out->solves = fmax(out->solves, info.substeps / seconds);
        out->length = dt / info.substeps;
    }
    return RILL_OK;
}

/* Figures of one world by each method. */
typedef struct wang_result {
    wang_figures own, waves, paper;
} wang_result;

/* Goes on by the method waves for some frames, and comes back; there are no bodies. */
static rill_result run_waves(const wang_row *row, rill_world *world, const rill_solver *solver, wang_figures *out) {
    rill_solver waves = *solver;
    waves.method = RILL_METHOD_WAVES;
    rill_result result = rill_world_set_solver(world, &waves);
    if (result == RILL_OK) result = measure(row, world, FRAME, 1, out);
    return result != RILL_OK ? result : measure(row, world, FRAME, TIMED_FRAMES, out);
}

static rill_result run_row(const wang_row *row, rill_world *world, wang_result *out) {
    rill_solver solver = { 0 };
    *out = (wang_result){ 0 };
    rill_result result = row->build(world);
    if (result == RILL_OK) result = measure(row, world, FRAME, WARM_FRAMES, &out->own);
    if (result == RILL_OK) result = measure(row, world, FRAME, TIMED_FRAMES, &out->own);
    if (result == RILL_OK) result = rill_world_get_solver(world, &solver);
    if (result == RILL_OK && rill_world_body_count(world) == 0) result = run_waves(row, world, &solver, &out->waves);
    solver.papers = RILL_PAPERS_WANG;
    if (result == RILL_OK) result = rill_world_set_solver(world, &solver);
    const double dt = row->tension > 0.0 ? FRAME / 64.0 : FRAME;
    if (result == RILL_OK) result = measure(row, world, dt, 1, &out->paper);
    return result != RILL_OK ? result : measure(row, world, dt, TIMED_FRAMES, &out->paper);
}

static void print_figure(double figure, int width) {
    if (figure > 0.0)
        printf(" %*.*f", width, figure < 10.0 ? 2 : 1, figure);
    else
        printf(" %*s", width, "-");
}

int rill_bench_wang_table(void) {
    printf("%-12s %10s %7s %7s %10s %10s %10s %10s %10s\n", "Table 1", "grid", "GPU", "CPU", "wang: ms", "solves/s",
           "frames/s", "waves", "default");
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; ++i) {
        const wang_row *row = &ROWS[i];
        const rill_world_def def = def_of(row);
        rill_message message;
        rill_world *world = NULL;
        wang_result found;
        rill_result result = rill_world_create(&def, &world, &message);
        if (result != RILL_OK) return complain(row, result, message.text);
        result = run_row(row, world, &found);
        const int code = result == RILL_OK ? RILL_EXIT_DONE : complain(row, result, rill_world_message(world));
        rill_world_destroy(world);
        if (code != RILL_EXIT_DONE) return code;
        printf("%-12s %5d x%4d", row->name, (int)row->cells[0], (int)row->cells[1]);
        print_figure(row->gpu, 7);
        print_figure(row->cpu, 7);
        printf(" %10.3g", 1e3 * found.paper.length);
        print_figure(found.paper.solves, 10);
        print_figure(found.paper.frames, 10);
        print_figure(found.waves.frames, 10);
        print_figure(found.own.frames, 10);
        putchar('\n');
        fflush(stdout);
    }
    puts("GPU, CPU: frames per second as printed. wang: length of a sub-step, sub-steps and frames of 1/60 s per "
         "second.");
    puts("waves, default: frames of 1/60 s per second by method waves and by the default one. All on one thread.");
    return RILL_EXIT_DONE;
}
