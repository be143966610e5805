/* Papers wang: the printed equations against a small implementation of them that shares nothing with the library, rest, the account
 * of what is gained and lost, edges, snapshots, and what it refuses. */
#include "snapshots.h"

#include <math.h>

#include "wang/wang.h"
#include "world/world.h"

enum { NX = 13, NY = 10, CELLS = NX * NY };

#define DX 0.002
#define GRAVITY 9.81

/* Of a cell, m. */
typedef double shape_function(int32_t x, int32_t y);

static rill_world_def wang_def(void) {
    rill_world_def def = rill_default_world_def();
    def.grid.cells[0] = NX;
    def.grid.cells[1] = NY;
    def.grid.cell_size = DX;
    def.headroom = 0.05;
    def.solver.papers = RILL_PAPERS_WANG;
    def.solver.max_substeps = 100000;
    return def;
}

static rill_world *make_pool(const rill_world_def *def, shape_function *bed, shape_function *depth) {
    rill_world *world = NULL;
    rill_message message = { "" };
    if (rill_world_create(def, &world, &message) != RILL_OK) fail_msg("%s", message.text);
    double heights[CELLS], depths[CELLS];
    for (int32_t i = 0; i < CELLS; ++i) heights[i] = bed(i % NX, i / NX);
    for (int32_t i = 0; i < CELLS; ++i) depths[i] = depth(i % NX, i / NX);
    rill_solid_def ground = rill_default_solid_def();
    ground.shape.type = RILL_SHAPE_HEIGHTMAP;
    ground.shape.heights = heights;
    ground.shape.heights_size[0] = NX;
    ground.shape.heights_size[1] = NY;
    must(world, rill_solid_create(world, &ground, NULL));
    must(world, rill_bed_build(world));
    must(world, rill_world_fill_depths(world, 0, depths, CELLS, NULL));
    return world;
}

static void read(const rill_world *world, rill_field field, double *out) {
    const size_t count = field == RILL_FIELD_FACES ? 2 * CELLS : CELLS;
    assert_int_equal(rill_world_read_field(world, field, 0, out, count), RILL_OK);
}

static double nothing(int32_t x, int32_t y) {
    (void)x, (void)y;
    return 0.0;
}
static double hills(int32_t x, int32_t y) {
    return 0.001 + 0.0009 * sin(0.9 * x + 0.3) * cos(0.7 * y);
}
static double islands(int32_t x, int32_t y) {
    return x % 5 == 2 && y % 4 == 1 ? 0.02 : hills(x, y);
}
static double heap(int32_t x, int32_t y) {
    return 0.008 + 0.003 * exp(-0.2 * ((x - 4) * (x - 4) + (y - 6) * (y - 6))) - hills(x, y);
}
static double drop(int32_t x, int32_t y) {
    const double r2 = (x - 6) * (x - 6) + (y - 5) * (y - 5);
    return r2 < 9.0 ? 0.002 * (1.0 - r2 / 9.0) : 0.0;
}

/* ------------------------------------------------------------------------------------- the equations, independently */

/* A field without dry cells in a box with walls. h is level over the lowest floor; u[k] is the velocity from cell k - 1 to k, v[k]
 * that from cell k - NX, both 0 at walls. */
typedef struct printed {
    double b[CELLS], h[CELLS], solved_from[CELLS], u[CELLS], v[CELLS];
    double a[2], tau, friction, dt;
    double gamma, rho;
    bool complete;
} printed;

static bool inside(int x, int y) {
    return x >= 0 && x < NX && y >= 0 && y < NY;
}

/* Solves a dense system by elimination; the right side becomes the solution. */
static void eliminate(double *matrix, double *right) {
    for (int k = 0; k < CELLS; ++k)
        for (int i = k + 1; i < CELLS; ++i) {
            const double factor = matrix[i * CELLS + k] / matrix[k * CELLS + k];
            for (int j = k; factor != 0.0 && j < CELLS; ++j) matrix[i * CELLS + j] -= factor * matrix[k * CELLS + j];
            right[i] -= factor * right[k];
        }
    for (int i = CELLS; i-- > 0;) {
        for (int j = i + 1; j < CELLS; ++j) right[i] -= matrix[i * CELLS + j] * right[j];
        right[i] /= matrix[i * CELLS + i];
    }
}

/* Eq. 4: h(x - u dt), linear between the centres of cells. */
static double carried(const printed *p, int x, int y) {
    double u = 0.0, v = 0.0, faces = 0.0;
    const int k = y * NX + x;
    if (x > 0) u += p->u[k], faces += 1.0;
    if (x < NX - 1) u += p->u[k + 1], faces += 1.0;
    u /= faces, faces = 0.0;
    if (y > 0) v += p->v[k], faces += 1.0;
    if (y < NY - 1) v += p->v[k + NX], faces += 1.0;
    v /= faces;
    const double px = fmin(fmax(x - u * p->dt / DX, 0.0), NX - 1.0);
    const double py = fmin(fmax(y - v * p->dt / DX, 0.0), NY - 1.0);
    const int i = (int)fmin(px, NX - 2.0), j = (int)fmin(py, NY - 2.0);
    const double s = px - i, t = py - j, *h = p->h + j * NX + i;
    return (1.0 - t) * ((1.0 - s) * h[0] + s * h[1]) + t * ((1.0 - s) * h[NX] + s * h[NX + 1]);
}

/* The neighbour of cell k in one of four directions; -1: a wall. */
static int beside(int k, int n) {
    const int x = k % NX + (n == 0) - (n == 1), y = k / NX + (n == 2) - (n == 3);
    return inside(x, y) ? y * NX + x : -1;
}

/* Sum over neighbours of w (h_j - h_i), as in Eqs. 13 and 16. */
static double bent(const printed *p, int k, double w) {
    double sum = 0.0;
    for (int n = 0; n < 4; ++n)
        if (beside(k, n) >= 0) sum += w * (p->h[beside(k, n)] - p->h[k]);
    return sum;
}

/* Eqs. 15 and 16, with dt^2: on a grid w = 2, A = dx^2. */
static void printed_incomplete(const printed *p, double *matrix, double *right) {
    const double w = 2.0, A = DX * DX, dt2 = p->dt * p->dt;
    for (int k = 0; k < CELLS; ++k) {
        double B = 0.0, sum = 0.0;
        for (int n = 0; n < 4; ++n) {
            const int j = beside(k, n);
            if (j < 0) continue;
            const double d = p->h[k] - p->b[k] + p->h[j] - p->b[j];
            const double a = dt2 * p->gamma / (4.0 * p->rho * A * A) * w * w * d;
            matrix[k * CELLS + k] += a;
            matrix[k * CELLS + j] -= a;
            B += w * d * (bent(p, j, w) - bent(p, k, w));
            sum += w * w * d * (p->h[j] - p->h[k]);
        }
        right[k] -= dt2 * p->gamma / (8.0 * p->rho * A * A) * (B + 2.0 * sum);
    }
}

/* Eq. 14, with dt^2: the Laplacian of the Laplacian, which has that kernel away from walls, times d. */
static void printed_complete(const printed *p, double *matrix) {
    static double L[CELLS * CELLS];
    memset(L, 0, sizeof L);
    for (int k = 0; k < CELLS; ++k)
        for (int n = 0; n < 4; ++n)
            if (beside(k, n) >= 0) L[k * CELLS + beside(k, n)] += 1.0, L[k * CELLS + k] -= 1.0;
    assert_true(L[(3 * NX + 5) * CELLS + 3 * NX + 5] == -4.0);
    for (int k = 0; k < CELLS; ++k) {
        const double factor = p->dt * p->dt * p->gamma * (p->h[k] - p->b[k]) / (p->rho * DX * DX * DX * DX);
        for (int m = 0; m < CELLS; ++m)
            for (int j = 0; L[k * CELLS + m] != 0.0 && j < CELLS; ++j)
                matrix[k * CELLS + j] += factor * L[k * CELLS + m] * L[m * CELLS + j];
    }
}

/* Eqs. 6, 7 and 10 with dt^2, and d div(a) of Eq. 5. */
static void printed_solve(printed *p) {
    static double matrix[CELLS * CELLS];
    double right[CELLS], star[CELLS];
    memset(matrix, 0, sizeof matrix);
    for (int k = 0; k < CELLS; ++k) star[k] = carried(p, k % NX, k / NX);
    for (int k = 0; k < CELLS; ++k) {
        const int x = k % NX, y = k / NX;
        const double d = p->h[k] - p->b[k];
        right[k] = star[k] + (1.0 - p->tau) * (p->h[k] - p->solved_from[k]);
        matrix[k * CELLS + k] += 1.0;
        for (int n = 0; n < 4; ++n) {
            const int nx = x + (n == 0) - (n == 1), ny = y + (n == 2) - (n == 3), j = ny * NX + nx;
            if (!inside(nx, ny)) continue;
            const double sum = d + (p->h[j] - p->b[j]);
            const double a = p->dt * p->dt / (4.0 * DX * DX) * sum * (GRAVITY + GRAVITY);
            matrix[k * CELLS + k] += a;
            matrix[k * CELLS + j] -= a;
            right[k] -= p->dt * p->dt * d * p->a[n / 2] * (n % 2 ? -1.0 : 1.0) / DX;
        }
    }
    if (p->complete)
        printed_complete(p, matrix);
    else
        printed_incomplete(p, matrix, right);
    eliminate(matrix, right);
    memcpy(p->solved_from, star, sizeof star);
    memcpy(p->h, right, sizeof right);
}

/* Eq. 1 and friction h / (h + d). */
static void printed_velocities(printed *p) {
    for (int k = 0; k < CELLS; ++k)
        for (int axis = 0; axis < 2; ++axis) {
            const int back = k - (axis ? NX : 1);
            double *u = axis ? &p->v[k] : &p->u[k];
            if (axis ? k / NX == 0 : k % NX == 0) continue;
            const double mean = 0.5 * (p->h[k] - p->b[k] + p->h[back] - p->b[back]);
            const double P = -p->gamma / p->rho * (bent(p, k, 1.0) - bent(p, back, 1.0)) / (DX * DX);
            *u += p->dt * (-(GRAVITY * (p->h[k] - p->h[back]) + P) / DX + p->a[axis]);
            *u *= mean / (mean + p->friction);
        }
}

/* The largest difference after some steps, m. */
static double departure(const rill_world_def *given, double gamma, double dt, int steps) {
    rill_world_def def = *given;
    def.gravity[0] = 0.3;
    def.gravity[1] = -0.2;
    def.gravity[2] = -GRAVITY;
    def.liquid.surface_tension = gamma;
    def.solver.tension = RILL_TENSION_ON;
    def.solver.wang.viscosity = 0.2;
    def.solver.wang.friction = 0.0005;
    def.solver.wang.tolerance = 1e-9;
    rill_world *world = make_pool(&def, hills, heap);
    static printed p;
    p = (printed){ .a = { 0.3, -0.2 },
                   .tau = 0.2,
                   .friction = 0.0005,
                   .dt = dt,
                   .gamma = gamma,
                   .rho = def.liquid.density,
                   .complete = def.solver.wang.tension == RILL_WANG_COMPLETE };
    double depths[CELLS], worst = 0.0, moved = 0.0;
    read(world, RILL_FIELD_BASE, p.b);
    read(world, RILL_FIELD_DEPTH, depths);
    for (int k = 0; k < CELLS; ++k) p.h[k] = p.solved_from[k] = p.b[k] + depths[k];
    for (int step = 0; step < steps; ++step) {
        run(world, 1, p.dt);
        rill_step_info info;
        must(world, rill_world_get_step_info(world, &info));
        assert_int_equal(info.substeps, 1);
        assert_int_equal(info.status, 0);
        printed_solve(&p);
        printed_velocities(&p);
        read(world, RILL_FIELD_DEPTH, depths);
        for (int k = 0; k < CELLS; ++k) worst = fmax(worst, fabs(depths[k] - (p.h[k] - p.b[k])));
        for (int k = 0; k < CELLS; ++k) moved = fmax(moved, fabs(depths[k] - heap(k % NX, k / NX)));
    }
    assert_true(moved > 5e-4);
    rill_world_destroy(world);
    return worst;
}

static void test_printed(void **state) {
    (void)state;
    const rill_world_def def = wang_def();
    const double worst = departure(&def, 0.0, 0.004, 25);
    if (!(worst < 3e-8)) fail_msg("off by %g m", worst); /* velocities are floats */
}

/* Both schemes of tension, with both preconditioners. */
static void test_printed_tension(void **state) {
    (void)state;
    for (int i = 0; i < 4; ++i) {
        rill_world_def def = wang_def();
        def.solver.wang.tension = i & 1 ? RILL_WANG_COMPLETE : RILL_WANG_INCOMPLETE;
        def.solver.wang.preconditioner = i & 2 ? RILL_WANG_FACTORED : RILL_WANG_JACOBI;
        const double worst = departure(&def, 0.0728, i & 1 ? 0.004 : 0.001, 25);
        if (!(worst < 3e-8)) fail_msg("%d: off by %g m", i, worst);
    }
}

/* ------------------------------------------------------------------------------------------------------------- rest */

static void test_still(void **state) {
    (void)state;
    const double steps[] = { 1.0 / 240.0, 1.0 / 60.0, 1.0 };
    for (int i = 0; i < 3; ++i) {
        rill_world_def def = wang_def();
        def.edges[RILL_NORTH] = (rill_edge){ .kind = RILL_EDGE_STILL, .level = 0.004 };
        rill_world *world = make_pool(&def, islands, nothing);
        must(world, rill_world_fill_level(world, (double[]){ 0.5 * DX, 0.5 * DX, 0.03 }, 0.004, NULL));
        double before[CELLS], after[CELLS], faces[2 * CELLS];
        read(world, RILL_FIELD_DEPTH, before);
        run(world, 50, steps[i]);
        read(world, RILL_FIELD_DEPTH, after);
        read(world, RILL_FIELD_FACES, faces);
        assert_memory_equal(before, after, sizeof before);
        for (int k = 0; k < 2 * CELLS; ++k) assert_true(fabs(faces[k]) < 1e-12);
        assert_int_equal(rill_world_status(world), 0);
        rill_world_destroy(world);
    }
}

/* ----------------------------------------------------------------------------------------------------------- volume */

static rill_account account_of(const rill_world *world, const char *name) {
    rill_account account = { 0 };
    for (int32_t i = 0; i < rill_world_account_count(world); ++i) {
        assert_int_equal(rill_world_get_account(world, i, &account), RILL_OK);
        if (strcmp(account.name, name) == 0) return account;
    }
    fail_msg("there is no account \"%s\"", name);
    return account;
}

/* Gains and losses of heights are in the account "drift", to the quantum; nothing else is. */
static void test_drift(void **state) {
    (void)state;
    const rill_world_def def = wang_def();
    rill_world *world = make_pool(&def, nothing, drop);
    rill_ledger begun, ledger;
    must(world, rill_world_get_ledger(world, &begun));
    run(world, 60, 1.0 / 240.0);
    must(world, rill_world_get_ledger(world, &ledger));
    const rill_account drift = account_of(world, "drift");
    assert_int_equal(ledger.error, 0);
    assert_true(drift.poured + drift.drained > 0);
    assert_int_equal(ledger.columns - begun.columns, drift.poured - drift.drained);
    rill_world_destroy(world);
}

/* Edges, a source, a sink, dry ground and steps far too long: the ledger is exact, and numbers stay in their range. */
static void run_wild(const rill_wang *controls, double tension) {
    rill_world_def def = wang_def();
    def.solver.wang = *controls;
    def.liquid.surface_tension = tension;
    def.solver.tension = RILL_TENSION_ON;
    def.solver.max_substeps = 8;
    def.headroom = 0.005;
    def.gravity[0] = 2.0;
    def.edges[RILL_EAST].kind = RILL_EDGE_OPEN;
    def.edges[RILL_NORTH] = (rill_edge){ .kind = RILL_EDGE_STILL, .level = 0.005 };
    rill_world *world = make_pool(&def, islands, drop);
    const rill_source_def well = point_source("well", 0.01, 0.01, 0.2, 1e-5);
    rill_source_def drain = point_source("drain", 0.003, 0.003, 0.2, 1e-6);
    drain.sink = true;
    must(world, rill_source_create(world, &well, NULL));
    must(world, rill_source_create(world, &drain, NULL));
    const double steps[] = { 1.0 / 240.0, 1.0 / 60.0, 1.0 / 15.0, 1.0, 1000.0 };
    for (int32_t i = 0; i < 100; ++i) {
        run(world, 1, steps[i % 5]);
        assert_int_equal(ledger_error(world), 0);
        must_be_valid(world);
    }
    if (controls->front == RILL_WANG_DIRICHLET)
        assert_true(account_of(world, "north").poured > 0 && account_of(world, "east").drained > 0);
    must(world, rill_world_drain(world));
    run(world, 2, 0.01);
    assert_int_equal(ledger_error(world), 0);
    rill_world_destroy(world);
}

static void test_wild(void **state) {
    (void)state;
    for (int i = 0; i < 9; ++i) {
        rill_wang controls = wang_def().solver.wang;
        if (i & 1) controls.tension = RILL_WANG_COMPLETE;
        if (i & 2) controls.preconditioner = RILL_WANG_FACTORED;
        if (i & 4) controls.front = RILL_WANG_NEUMANN;
        if (i & 4) controls.angular = false;
        run_wild(&controls, i < 8 ? 0.0728 : 0.0);
    }
}

/* Liquid that is put into a column is there, and rests. */
static void test_poured(void **state) {
    (void)state;
    const rill_world_def def = wang_def();
    rill_world *world = make_pool(&def, nothing, nothing);
    must(world, rill_world_fill_level(world, (double[]){ 0.5 * DX, 0.5 * DX, 0.03 }, 0.004, NULL));
    run(world, 3, 0.01);
    must(world, rill_world_fill_level(world, (double[]){ 0.5 * DX, 0.5 * DX, 0.03 }, 0.006, NULL));
    double before[CELLS], after[CELLS];
    read(world, RILL_FIELD_DEPTH, before);
    run(world, 3, 0.01);
    read(world, RILL_FIELD_DEPTH, after);
    assert_memory_equal(before, after, sizeof before);
    rill_world_destroy(world);
}

/* ------------------------------------------------------------------------------------------------------------ drops */

static double west(int32_t x, int32_t y) {
    (void)y;
    return x < 6 ? 0.001 : 0.0;
}
static double south_west(int32_t x, int32_t y) {
    return x + y < 10 ? 0.001 : 0.0;
}

/* Returns how far the virtual surface beyond a boundary cell falls, over dx tan(theta). */
static double fall_beyond(shape_function *depth, bool angular, int32_t x, int32_t y) {
    rill_world_def def = wang_def();
    def.solver.tension = RILL_TENSION_ON;
    def.solver.wang.angular = angular;
    def.liquid.contact_angle = (rill_contact_angle){ 60.0, 30.0 };
    rill_world *world = make_pool(&def, nothing, depth);
    run(world, 1, 1e-9);
    const rill_heights *heights = world->method.heights;
    const size_t at = rill_heights_at(heights, x, y);
    assert_int_equal(heights->kind[at], RILL_HEIGHT_BOUNDARY);
    const double fall = -heights->beyond[at] / (DX * sqrt(3.0)); /* dry there: the advancing angle */
    rill_world_destroy(world);
    return fall;
}

static double wedge(int32_t x, int32_t y) {
    (void)y;
    return x < 4 ? 0.0015 - 0.0004 * x : 0.0;
}

/* Boundary cells begin where the surface of the water beside them goes on to (section 3.2). */
static void test_continuation(void **state) {
    (void)state;
    const rill_world_def def = wang_def();
    rill_world *world = make_pool(&def, nothing, wedge);
    run(world, 1, 1e-9);
    const rill_heights *heights = world->method.heights;
    for (int32_t y = 0; y < NY; ++y) {
        const size_t at = rill_heights_at(heights, 4, y);
        assert_int_equal(heights->kind[at], RILL_HEIGHT_BOUNDARY);
        assert_int_equal(heights->kind[at + 1], RILL_HEIGHT_DRY);
        assert_true(fabs(heights->d[at] + 0.0001) < 1e-8);
    }
    rill_world_destroy(world);
}

/* Eqs. 17 and 18 at fronts along an axis and along a diagonal. */
static void test_virtual_surface(void **state) {
    (void)state;
    assert_true(fabs(fall_beyond(west, true, 6, 5) - 1.0) < 1e-6);
    assert_true(fabs(fall_beyond(west, false, 6, 5) - 1.0) < 1e-6);
    assert_true(fabs(fall_beyond(south_west, true, 5, 5) - sqrt(2.0)) < 1e-6);
    assert_true(fabs(fall_beyond(south_west, false, 5, 5) - 2.0) < 1e-6);
}

enum { PLATE = 44 };

/* Returns how far a drop reaches along a direction of the grid, in cells: where it is a tenth as deep as in the middle. */
static double reach(const double *depths, double dx, double dy) {
    const double c = 0.5 * PLATE - 0.5, least = 0.1 * depths[PLATE / 2 * PLATE + PLATE / 2];
    for (double r = 0.0; r < 0.5 * PLATE - 2.0; r += 0.02) {
        const double x = c + r * dx, y = c + r * dy;
        const int i = (int)x, j = (int)y;
        const double s = x - i, t = y - j, *d = depths + j * PLATE + i;
        if ((1.0 - t) * ((1.0 - s) * d[0] + s * d[1]) + t * ((1.0 - s) * d[PLATE] + s * d[PLATE + 1]) < least) return r;
    }
    fail_msg("the drop has no end");
    return 0.0;
}

/* Lets a drop of 60 degrees settle; returns its reach along diagonals over that along axes. */
static double diagonal_reach(bool angular, rill_wang_front front, double *grown) {
    rill_world_def def = wang_def();
    def.grid.cells[0] = def.grid.cells[1] = PLATE;
    def.grid.cell_size = 0.0005;
    def.liquid.contact_angle = (rill_contact_angle){ 60.0, 60.0 };
    def.solver.wang.friction = 0.1;
    def.solver.wang.angular = angular;
    def.solver.wang.front = front;
    rill_world *world = NULL;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    const rill_solid_def ground = box_def("ground", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
    static double depths[PLATE * PLATE];
    for (int i = 0; i < PLATE * PLATE; ++i) {
        const double x = i % PLATE - 0.5 * PLATE + 0.5, y = (double)(i / PLATE) - 0.5 * PLATE + 0.5;
        depths[i] = 0.0027 * fmax(0.0, 1.0 - (x * x + y * y) / 144.0);
    }
    must(world, rill_solid_create(world, &ground, NULL));
    must(world, rill_bed_build(world));
    must(world, rill_world_fill_depths(world, 0, depths, PLATE * PLATE, NULL));
    run(world, 15, 1.0 / 60.0);
    assert_int_equal(ledger_error(world), 0);
    must(world, rill_world_read_field(world, RILL_FIELD_DEPTH, 0, depths, PLATE * PLATE));
    rill_ledger ledger;
    must(world, rill_world_get_ledger(world, &ledger));
    const rill_account fill = account_of(world, "fill");
    *grown = (double)ledger.columns / (double)fill.poured - 1.0;
    rill_world_destroy(world);
    return reach(depths, sqrt(0.5), sqrt(0.5)) / reach(depths, 1.0, 0.0);
}

/* Fig. 4c. Without the angular factor the front pulls harder across diagonals, and drops become diamonds. */
static void test_angular(void **state) {
    (void)state;
    double grown, sealed;
    const double without = diagonal_reach(false, RILL_WANG_DIRICHLET, &grown);
    const double with = diagonal_reach(true, RILL_WANG_DIRICHLET, &grown);
    if (!(without < 0.965 && fabs(with - 1.0) < 0.05)) fail_msg("diagonals over axes: %g, %g", without, with);
    diagonal_reach(true, RILL_WANG_NEUMANN, &sealed);
    if (!(fabs(sealed) < 0.2 * fabs(grown))) fail_msg("volume grew by %g, sealed by %g", grown, sealed);
}

/* ----------------------------------------------------------------------------------------------------------- forces */

static double slanted(int32_t x, int32_t y) {
    return 0.006 - 0.0002 * x + 0.0001 * y;
}

/* Sets a pressure that is in balance with a slanted surface, or none; returns how far the most a column changes, m. */
static double shift_under(bool pressed, const double acceleration[2]) {
    rill_world_def def = wang_def();
    def.gravity[2] = -GRAVITY;
    def.solver.wang.tolerance = 1e-8;
    rill_world *world = make_pool(&def, nothing, slanted);
    double pressures[CELLS], accelerations[2 * CELLS], before[CELLS], after[CELLS], worst = 0.0;
    for (int i = 0; i < CELLS; ++i) {
        pressures[i] = -def.liquid.density * GRAVITY * slanted(i % NX, i / NX);
        accelerations[2 * i] = acceleration[0] * (i % NX < 6);
        accelerations[2 * i + 1] = acceleration[1] * (i % NX < 6);
    }
    const rill_force_field field = { .layer = RILL_ALL_LAYERS,
                                     .pressures = pressed ? pressures : NULL,
                                     .accelerations = acceleration[0] != 0.0 ? accelerations : NULL,
                                     .count = CELLS };
    must(world, rill_world_set_force_field(world, &field));
    read(world, RILL_FIELD_DEPTH, before);
    run(world, 30, 0.004);
    read(world, RILL_FIELD_DEPTH, after);
    for (int i = 0; i < CELLS; ++i) worst = fmax(worst, fabs(after[i] - before[i]));
    assert_int_equal(ledger_error(world), 0);
    rill_world_destroy(world);
    return worst;
}

/* External pressure (Eqs. 1 and 5): a pool whose surface balances it rests, and without it flows; accelerations move it. */
static void test_forces(void **state) {
    (void)state;
    const double none[2] = { 0.0, 0.0 }, wind[2] = { 0.5, 0.2 };
    const double held = shift_under(true, none), free_to_flow = shift_under(false, none);
    if (!(held < 1e-7 && free_to_flow > 5e-4)) fail_msg("moved by %g m, and by %g without it", held, free_to_flow);
    const double blown = shift_under(true, wind);
    if (!(blown > 1e-4)) fail_msg("accelerated, it moved by %g m", blown);
}

/* -------------------------------------------------------------------------------------------------------- snapshots */

static void test_go_on(void **state) {
    (void)state;
    const rill_world_def def = wang_def();
    rill_world *world = make_pool(&def, islands, drop);
    run(world, 10, 1.0 / 60.0);
    const saved s = save(world);
    run(world, 10, 1.0 / 60.0);
    rill_world *again = load(s, NULL);
    run(again, 10, 1.0 / 60.0);
    assert_true(rill_world_hash(world) == rill_world_hash(again));
    assert_int_equal(ledger_error(again), 0);
    const rill_account one = account_of(world, "drift"), other = account_of(again, "drift");
    assert_true(one.poured == other.poured && one.drained == other.drained);
    must(world, rill_snapshot_restore(world, s.bytes, s.size));
    run(world, 10, 1.0 / 60.0);
    assert_true(rill_world_hash(world) == rill_world_hash(again));
    free(s.bytes);
    rill_world_destroy(world);
    rill_world_destroy(again);
}

/* A snapshot that is forged is refused, or a world that works. */
static void test_forged(void **state) {
    (void)state;
    rill_world_def def = wang_def();
    def.solver.tension = RILL_TENSION_ON;
    rill_world *world = make_pool(&def, islands, drop);
    run(world, 3, 0.001);
    check_forgeries(world, 0, 0, 2000);
    rill_world_destroy(world);
}

/* --------------------------------------------------------------------------------------------------------- refusals */

static void test_refusals(void **state) {
    (void)state;
    rill_world_def def = wang_def();
    rill_world *world = make_pool(&def, nothing, drop);
    rill_energy energy;
    must_refuse(world, rill_world_get_energy(world, &energy), RILL_INVALID_STATE, "RILL_PAPERS_WANG");
    rill_solver solver = def.solver;
    solver.wang.viscosity = 1.5;
    must_refuse(world, rill_world_set_solver(world, &solver), RILL_INVALID_ARGUMENT, "solver.wang.viscosity is 1.5");
    solver.wang = def.solver.wang;
    solver.papers = 2;
    must_refuse(world, rill_world_set_solver(world, &solver), RILL_INVALID_ARGUMENT, "solver.papers is 2");
    rill_solid_id id;
    const rill_solid_def roof = box_def("roof", 0.004, 0.004, 0.02, 0.02, 0.02, 0.03);
    must(world, rill_solid_create(world, &roof, &id));
    must_refuse(world, rill_bed_build(world), RILL_INVALID_STATE, "papers wang is for one layer");
    must(world, rill_solid_destroy(world, id));
    must(world, rill_bed_build(world));
    run(world, 2, 0.01);
    rill_world_destroy(world);
}

/* To the paper and back, with what flows; without memory nothing changes, and a step takes none. */
static void test_changing(void **state) {
    (void)state;
    test_memory memory = { 0 };
    rill_world_def def = wang_def();
    def.runtime.allocator = test_allocator(&memory);
    def.solver.papers = RILL_PAPERS_NONE;
    rill_world *world = make_pool(&def, nothing, drop);
    run(world, 5, 0.01);
    rill_solver solver = def.solver;
    solver.papers = RILL_PAPERS_WANG;
    const uint64_t hash = rill_world_hash(world);
    rill_result result;
    for (long failing = 1;; ++failing) {
        memory.count = 0;
        memory.fail_at = failing;
        result = rill_world_set_solver(world, &solver);
        memory.fail_at = 0;
        if (result == RILL_OK) break;
        assert_int_equal(result, RILL_OUT_OF_MEMORY);
        assert_true(rill_world_hash(world) == hash && failing < 30);
    }
    memory.count = 0;
    memory.fail_at = 1;
    must_refuse(world, rill_world_step(world, 0.01), RILL_OUT_OF_MEMORY, "account");
    memory.fail_at = 0;
    run(world, 1, 0.01);
    memory.count = 0;
    run(world, 5, 0.01);
    assert_int_equal(memory.count, 0);
    must_be_valid(world);
    must(world, rill_world_set_solver(world, &def.solver));
    run(world, 5, 0.01);
    must_be_valid(world);
    assert_int_equal(ledger_error(world), 0);
    rill_world_destroy(world);
    assert_int_equal(memory.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_printed),      cmocka_unit_test(test_printed_tension),
        cmocka_unit_test(test_angular),      cmocka_unit_test(test_virtual_surface),
        cmocka_unit_test(test_continuation), cmocka_unit_test(test_still),
        cmocka_unit_test(test_drift),        cmocka_unit_test(test_wild),
        cmocka_unit_test(test_poured),       cmocka_unit_test(test_go_on),
        cmocka_unit_test(test_forces),       unit_test_alone(test_forged),
        cmocka_unit_test(test_refusals),     cmocka_unit_test(test_changing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
