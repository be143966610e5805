/* Papers wang: the printed equations against a small implementation of them that shares nothing with the library, rest, the account
 * of what is gained and lost, edges, snapshots, and what it refuses. */
#include "snapshots.h"

#include <math.h>

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
            *u += p->dt * (-GRAVITY * (p->h[k] - p->h[back]) / DX + p->a[axis]);
            *u *= mean / (mean + p->friction);
        }
}

static void test_printed(void **state) {
    (void)state;
    rill_world_def def = wang_def();
    def.gravity[0] = 0.3;
    def.gravity[1] = -0.2;
    def.gravity[2] = -GRAVITY;
    def.solver.wang.viscosity = 0.2;
    def.solver.wang.friction = 0.0005;
    def.solver.wang.tolerance = 1e-9;
    rill_world *world = make_pool(&def, hills, heap);
    static printed p;
    p = (printed){ .a = { 0.3, -0.2 }, .tau = 0.2, .friction = 0.0005, .dt = 0.004 };
    double depths[CELLS], worst = 0.0, moved = 0.0;
    read(world, RILL_FIELD_BASE, p.b);
    read(world, RILL_FIELD_DEPTH, depths);
    for (int k = 0; k < CELLS; ++k) p.h[k] = p.solved_from[k] = p.b[k] + depths[k];
    for (int step = 0; step < 25; ++step) {
        run(world, 1, p.dt);
        printed_solve(&p);
        printed_velocities(&p);
        read(world, RILL_FIELD_DEPTH, depths);
        for (int k = 0; k < CELLS; ++k) worst = fmax(worst, fabs(depths[k] - (p.h[k] - p.b[k])));
        for (int k = 0; k < CELLS; ++k) moved = fmax(moved, fabs(depths[k] - heap(k % NX, k / NX)));
    }
    if (!(worst < 3e-8)) fail_msg("off by %g m", worst); /* velocities are floats */
    assert_true(moved > 1e-3);
    rill_world_destroy(world);
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
static void test_wild(void **state) {
    (void)state;
    rill_world_def def = wang_def();
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
    assert_true(account_of(world, "north").poured > 0 && account_of(world, "east").drained > 0);
    must(world, rill_world_drain(world));
    run(world, 2, 0.01);
    assert_int_equal(ledger_error(world), 0);
    rill_world_destroy(world);
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

/* --------------------------------------------------------------------------------------------------------- refusals */

static void test_refusals(void **state) {
    (void)state;
    rill_world_def def = wang_def();
    rill_world *world = make_pool(&def, nothing, drop);
    const rill_body_def body = rill_default_body_def();
    must_refuse(world, rill_body_create(world, &body, NULL), RILL_INVALID_STATE, "RILL_PAPERS_WANG");
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
        cmocka_unit_test(test_printed),  cmocka_unit_test(test_still),    cmocka_unit_test(test_drift),
        cmocka_unit_test(test_wild),     cmocka_unit_test(test_poured),   cmocka_unit_test(test_go_on),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_changing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
