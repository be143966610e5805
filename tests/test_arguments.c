/* Bad arguments: absurd definitions, NULL for every pointer, numbers out of range, calls that come too early. Each is
 * refused with a result and a message that names what was wrong, and the world stays as it was. */
#include "worlds.h"

#include <math.h>

static void refused_definition(const rill_world_def *def, const char *word) {
    rill_world *world = NULL;
    rill_message message = { "" };
    const rill_result result = rill_world_create(def, &world, &message);
    assert_true(result == RILL_INVALID_ARGUMENT || result == RILL_TOO_LARGE);
    assert_null(world);
    if (!strstr(message.text, word)) fail_msg("\"%s\" is not in \"%s\"", word, message.text);
}

/* One member wrong at a time. */
#define REFUSED(member, value, word)                                                                                   \
    do {                                                                                                               \
        rill_world_def wrong = house_def();                                                                            \
        wrong.member = (value);                                                                                        \
        refused_definition(&wrong, word);                                                                              \
    } while (0)

static void test_absurd_solvers(void **state) {
    (void)state;
    const double nan = (double)NAN, inf = (double)INFINITY;
    REFUSED(solver.tension, (rill_tension)3, "solver.tension is 3; expected 0 to 2");
    REFUSED(solver.method, (rill_method)3, "solver.method is 3");
    REFUSED(solver.kandemir.pipe_length, -1.0, "solver.kandemir.pipe_length is -1");
    REFUSED(solver.kandemir.pipe_area, nan, "solver.kandemir.pipe_area is nan");
    REFUSED(solver.kandemir.time_step, 1e4, "solver.kandemir.time_step is 10000; expected 0 to 3600");
    REFUSED(solver.kandemir.vanishing, 0.0, "solver.kandemir.vanishing is 0; expected more than 0");
    REFUSED(solver.kandemir.viscosity, 2.0, "solver.kandemir.viscosity is 2");
    REFUSED(solver.kandemir.atmosphere, inf, "solver.kandemir.atmosphere is inf");
    REFUSED(solver.wang.viscosity, nan, "solver.wang.viscosity is nan; expected 0 to 1");
    REFUSED(solver.wang.friction, -1.0, "solver.wang.friction is -1");
    REFUSED(solver.wang.time_step, nan, "solver.wang.time_step is nan");
    REFUSED(solver.wang.iterations, 0, "solver.wang.iterations is 0; expected 1 to 100000");
    REFUSED(solver.wang.tension, 2, "solver.wang.tension is 2; expected 0 to 1");
    REFUSED(solver.wang.preconditioner, 2, "solver.wang.preconditioner is 2; expected 0 to 1");
    REFUSED(solver.wang.front, 2, "solver.wang.front is 2; expected 0 to 1");
    REFUSED(solver.wang.tolerance, 0.0, "solver.wang.tolerance is 0; expected more than 0");
    REFUSED(solver.waves.theta, 0.4, "solver.waves.theta is 0.4; expected 0.5 to 1");
    REFUSED(solver.waves.time_step, nan, "solver.waves.time_step is nan");
    REFUSED(solver.waves.iterations, -1, "solver.waves.iterations is -1");
    REFUSED(solver.waves.tolerance, 0.0, "solver.waves.tolerance is 0; expected more than 0");
    REFUSED(solver.pipe_area, (rill_pipe_area)2, "solver.pipe_area is 2");
    REFUSED(solver.passages, (rill_passages)3, "solver.passages is 3");
    REFUSED(solver.orifice, -0.1, "solver.orifice is -0.1; expected 0.001 to 1");
    REFUSED(solver.orifice, 1e-200, "solver.orifice is 1e-200");
    REFUSED(solver.orifice, nan, "solver.orifice is nan");
    REFUSED(solver.friction, 1.5, "solver.friction is 1.5");
    REFUSED(solver.max_substeps, 0, "solver.max_substeps is 0");
    REFUSED(solver.max_substeps, 1000001, "solver.max_substeps");
}

static void test_absurd_definitions(void **state) {
    (void)state;
    const double nan = (double)NAN, inf = (double)INFINITY;
    REFUSED(grid.cells[0], 0, "grid.cells[0] is 0");
    REFUSED(grid.cells[1], -5, "grid.cells[1] is -5");
    REFUSED(grid.cells[0], 32769, "expected 1 to 32768");
    REFUSED(grid.cells[1], INT32_MIN, "grid.cells[1]");
    REFUSED(grid.cell_size, 0.0, "grid.cell_size is 0");
    REFUSED(grid.cell_size, -1.0, "grid.cell_size");
    REFUSED(grid.cell_size, nan, "grid.cell_size is nan");
    REFUSED(grid.cell_size, 1e300, "grid.cell_size");
    REFUSED(grid.origin[2], inf, "grid.origin[2] is inf");
    REFUSED(headroom, 0.0, "headroom is 0");
    REFUSED(headroom, nan, "headroom is nan");
    REFUSED(min_opening, -1e-3, "min_opening is -0.001");
    REFUSED(edges[RILL_EAST].kind, (rill_edge_kind)7, "edges[RILL_EAST] is 7");
    REFUSED(gravity[1], nan, "gravity[1] is nan");
    REFUSED(gravity[2], -1e9, "gravity[2]");
    REFUSED(liquid.density, 0.0, "liquid.density is 0");
    REFUSED(liquid.density, 1e-310, "liquid.density is 1e-310; expected 0.001 to 1e+06");
    REFUSED(liquid.viscosity, -1.0, "liquid.viscosity is -1");
    REFUSED(liquid.viscosity, inf, "liquid.viscosity is inf");
    REFUSED(liquid.surface_tension, nan, "liquid.surface_tension");
    REFUSED(liquid.contact_angle.advancing, 181.0, "liquid.contact_angle.advancing is 181; expected 0 to 180");
    REFUSED(liquid.contact_angle.advancing, nan, "liquid.contact_angle.advancing is nan");
    REFUSED(liquid.contact_angle.receding, 46.0,
            "liquid.contact_angle.receding is 46; expected 0 to 45, the advancing");
    REFUSED(liquid.contact_angle.receding, -1.0, "liquid.contact_angle.receding is -1");
    REFUSED(liquid.contact_angle.receding, nan, "liquid.contact_angle.receding is nan");
    REFUSED(liquid.drying, -1.0, "liquid.drying is -1; expected 0 to 1e+15");
    REFUSED(liquid.drying, nan, "liquid.drying is nan");
    REFUSED(runtime.tasks.threads, 0, "runtime.tasks.threads is 0");
    REFUSED(runtime.tasks.threads, 257, "runtime.tasks.threads");
    test_memory memory = { 0 };
    REFUSED(runtime.allocator.allocate, test_allocator(&memory).allocate, "runtime.allocator.release is NULL");
    REFUSED(runtime.allocator.release, test_allocator(&memory).release, "runtime.allocator.allocate is NULL");
    char name[300];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    REFUSED(name, name, "world.name begins");

    rill_world_def wrong = house_def();
    wrong.edges[RILL_WEST] = (rill_edge){ .kind = RILL_EDGE_STILL, .level = nan };
    refused_definition(&wrong, "edges[RILL_WEST] is nan");
    wrong = house_def();
    wrong.grid.cells[0] = wrong.grid.cells[1] = 32768;
    refused_definition(&wrong, "expected at most 268435456 in all");
    memset(&wrong, 0, sizeof wrong); /* no grid, which is allowed; no headroom, which is not */
    refused_definition(&wrong, "headroom is 0");
    rill_world *world = NULL;
    assert_int_equal(rill_world_create(NULL, &world, NULL), RILL_INVALID_ARGUMENT);
    assert_int_equal(rill_world_create(&wrong, NULL, NULL), RILL_INVALID_ARGUMENT);
}

/* ------------------------------------------------------------------------------------------- arguments of calls */

/* Every function once without a world. */
static void test_no_world(void **state) {
    (void)state;
    double numbers[3] = { 0.0 };
    rill_liquid liquid;
    rill_solver solver;
    rill_grid grid;
    rill_bed_info info;
    rill_ledger ledger;
    rill_account account;
    rill_sample sample;
    rill_step_info step;
    rill_message message;
    rill_solid_def solid = rill_default_solid_def();
    rill_source_def source = rill_default_source_def();
    rill_solid_id solid_id = { 1 };
    rill_source_id source_id = { 1 };
    size_t size;
    const rill_result refused[] = {
        rill_world_set_gravity(NULL, numbers),
        rill_world_set_liquid(NULL, &liquid),
        rill_world_set_solver(NULL, &solver),
        rill_world_get_gravity(NULL, numbers),
        rill_world_get_liquid(NULL, &liquid),
        rill_world_get_solver(NULL, &solver),
        rill_world_get_grid(NULL, &grid),
        rill_solid_create(NULL, &solid, &solid_id),
        rill_solid_destroy(NULL, solid_id),
        rill_bed_build(NULL),
        rill_bed_get_info(NULL, &info),
        rill_world_fill_level(NULL, numbers, 0.0, NULL),
        rill_world_fill_depths(NULL, 0, numbers, 1, NULL),
        rill_world_set_velocities(NULL, 0, numbers, 2),
        rill_source_create(NULL, &source, &source_id),
        rill_source_destroy(NULL, source_id),
        rill_source_set_rate(NULL, source_id, 1.0),
        rill_world_get_step_info(NULL, &step),
        rill_world_get_ledger(NULL, &ledger),
        rill_world_get_account(NULL, 0, &account),
        rill_query_points(NULL, numbers, 1, &sample),
        rill_query_box_volume(NULL, numbers, numbers, numbers),
        rill_query_solid_volume(NULL, solid_id, numbers),
        rill_world_read_field(NULL, RILL_FIELD_DEPTH, 0, numbers, 1),
        rill_snapshot_save(NULL, numbers, sizeof numbers, &size),
        rill_snapshot_restore(NULL, numbers, sizeof numbers),
        rill_world_validate(NULL, &message),
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; ++i) assert_int_equal(refused[i], RILL_INVALID_ARGUMENT);
    assert_string_equal(rill_world_message(NULL), "");
    assert_string_equal(rill_world_name(NULL), "");
    assert_null(rill_solid_name(NULL, solid_id));
    assert_int_equal(rill_solid_find(NULL, "floor").value, 0);
    assert_int_equal(rill_source_find(NULL, "well").value, 0);
    assert_int_equal(rill_world_account_count(NULL), 0);
    assert_int_equal(rill_snapshot_size(NULL), 0);
    assert_int_equal(rill_world_hash(NULL), 0);
    assert_int_equal(rill_world_step(NULL, 0.01), RILL_INVALID_ARGUMENT);
}

/* Every pointer that must not be NULL, on a good world, which stays as it was. */
static void test_null_arguments(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    const uint64_t before = rill_world_hash(world);
    const rill_solid_id floor = rill_solid_find(world, "floor");
    double numbers[3] = { 0.001, 0.001, 0.001 };
    rill_solid_id solid_id;
    rill_source_id source_id;
    rill_sample sample;
    size_t size;
    char memory[16];
    const rill_result refused[] = {
        rill_world_set_gravity(world, NULL),
        rill_world_set_liquid(world, NULL),
        rill_world_set_solver(world, NULL),
        rill_world_get_gravity(world, NULL),
        rill_world_get_liquid(world, NULL),
        rill_world_get_solver(world, NULL),
        rill_world_get_grid(world, NULL),
        rill_solid_create(world, NULL, &solid_id),
        rill_bed_get_info(world, NULL),
        rill_world_fill_level(world, NULL, 0.001, NULL),
        rill_world_fill_depths(world, 0, NULL, 200, NULL),
        rill_world_set_velocities(world, 0, NULL, 400),
        rill_source_create(world, NULL, &source_id),
        rill_world_get_step_info(world, NULL),
        rill_world_get_ledger(world, NULL),
        rill_world_get_account(world, 0, NULL),
        rill_query_points(world, NULL, 1, &sample),
        rill_query_points(world, numbers, 1, NULL),
        rill_query_box_volume(world, NULL, numbers, numbers),
        rill_query_box_volume(world, numbers, NULL, numbers),
        rill_query_box_volume(world, numbers, numbers, NULL),
        rill_query_solid_volume(world, floor, NULL),
        rill_world_read_field(world, RILL_FIELD_DEPTH, 0, NULL, 200),
        rill_snapshot_save(world, NULL, 100, &size),
        rill_snapshot_save(world, memory, sizeof memory, NULL),
        rill_snapshot_save(world, memory, sizeof memory, &size),
        rill_snapshot_restore(world, NULL, 100),
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; ++i)
        if (refused[i] != RILL_INVALID_ARGUMENT) fail_msg("call %zu gave %s", i, rill_result_name(refused[i]));
    assert_int_equal(rill_solid_find(world, NULL).value, 0);
    assert_int_equal(rill_source_find(world, NULL).value, 0);
    assert_true(rill_world_hash(world) == before);
    must_be_valid(world);
    rill_world_destroy(world);
}

static void test_ids_nobody_wants(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    const rill_solid_def solid = box_def("late", 0.0, 0.0, 0.0, 0.004, 0.004, 0.001);
    const rill_source_def source = point_source("tap", 0.012, 0.002, 0.0, 1e-6);
    rill_body_def body = rill_default_body_def();
    body.name = "ball";
    body.shape.radius = 0.002;
    body.state.position[0] = 0.012, body.state.position[1] = 0.005, body.state.position[2] = 0.01;
    must(world, rill_solid_create(world, &solid, NULL));
    must(world, rill_source_create(world, &source, NULL));
    must(world, rill_body_create(world, &body, NULL));
    assert_int_not_equal(rill_solid_find(world, "late").value, 0);
    assert_int_not_equal(rill_source_find(world, "tap").value, 0);
    assert_int_not_equal(rill_body_find(world, "ball").value, 0);
    must_be_valid(world);
    rill_world_destroy(world);
}

/* Absurd numbers for calls on a good world; it stays as it was. */
static void refuse_absurd_questions(rill_world *world) {
    const double nan = (double)NAN;
    double depths[200] = { 0.0 }, velocities[400] = { 0.0 }, out;
    rill_account account;
    rill_sample sample;
    must_refuse(world, rill_world_get_account(world, 5, &account), RILL_INVALID_ARGUMENT, "account 5");
    must_refuse(world, rill_world_get_account(world, -1, &account), RILL_INVALID_ARGUMENT, "account -1");
    must_refuse(world, rill_query_points(world, (double[]){ 0.0, nan, 0.0 }, 1, &sample), RILL_INVALID_ARGUMENT,
                "point 0");
    must_refuse(world, rill_query_box_volume(world, (double[]){ 0.0, 0.0, 1.0 }, (double[]){ 1.0, 1.0, 0.0 }, &out),
                RILL_INVALID_ARGUMENT, "min[2] is 1");
    must_refuse(world, rill_query_box_volume(world, (double[]){ 0.0, nan, 0.0 }, (double[]){ 1.0, 1.0, 1.0 }, &out),
                RILL_INVALID_ARGUMENT, "min[1] is nan");
    must_refuse(world, rill_world_read_field(world, (rill_field)7, 0, depths, 200), RILL_INVALID_ARGUMENT,
                "field is 7");
    must_refuse(world, rill_world_read_field(world, RILL_FIELD_DEPTH, 0, depths, 199), RILL_INVALID_ARGUMENT,
                "room for 200");
    must_refuse(world, rill_world_read_field(world, RILL_FIELD_FACES, 0, velocities, 200), RILL_INVALID_ARGUMENT,
                "room for 400");
    must_refuse(world, rill_world_read_field(world, RILL_FIELD_BASE, 9, depths, 200), RILL_INVALID_ARGUMENT,
                "layer is 9");
}

static void test_absurd_arguments(void **state) {
    (void)state;
    const double nan = (double)NAN, inf = (double)INFINITY;
    const rill_world_def def = house_def();
    rill_world *world = make_house(&def);
    const uint64_t before = rill_world_hash(world);
    double depths[200] = { 0.0 }, velocities[400] = { 0.0 };
    rill_liquid liquid = def.liquid;
    rill_solver solver = def.solver;
    liquid.viscosity = -1.0;
    solver.max_substeps = 0;
    must_refuse(world, rill_world_set_gravity(world, (double[]){ 0.0, inf, 0.0 }), RILL_INVALID_ARGUMENT, "gravity[1]");
    must_refuse(world, rill_world_set_liquid(world, &liquid), RILL_INVALID_ARGUMENT, "liquid.viscosity");
    must_refuse(world, rill_world_set_solver(world, &solver), RILL_INVALID_ARGUMENT, "solver.max_substeps");
    must_refuse(world, rill_world_fill_level(world, (double[]){ nan, 0.0, 0.0 }, 0.001, NULL), RILL_INVALID_ARGUMENT,
                "at[0] is nan");
    must_refuse(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, inf, NULL), RILL_INVALID_ARGUMENT,
                "level is inf");
    must_refuse(world, rill_world_fill_level(world, (double[]){ 5.0, 0.001, 0.0 }, 0.001, NULL), RILL_INVALID_ARGUMENT,
                "no column at (5,");
    must_refuse(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, -0.001, NULL),
                RILL_INVALID_ARGUMENT, "expected more than the floor");
    must_refuse(world, rill_world_fill_depths(world, 0, depths, 199, NULL), RILL_INVALID_ARGUMENT,
                "count is 199; expected 200");
    must_refuse(world, rill_world_fill_depths(world, 2, depths, 200, NULL), RILL_INVALID_ARGUMENT,
                "layer is 2; expected 0 to 1");
    must_refuse(world, rill_world_fill_depths(world, -1, depths, 200, NULL), RILL_INVALID_ARGUMENT, "layer is -1");
    depths[23] = -1e-3;
    must_refuse(world, rill_world_fill_depths(world, 0, depths, 200, NULL), RILL_INVALID_ARGUMENT,
                "cell (3, 1) is -0.001");
    depths[23] = inf;
    must_refuse(world, rill_world_fill_depths(world, 0, depths, 200, NULL), RILL_INVALID_ARGUMENT,
                "cell (3, 1) is inf");
    must_refuse(world, rill_world_set_velocities(world, 0, velocities, 200), RILL_INVALID_ARGUMENT,
                "count is 200; expected 400");
    velocities[47] = inf;
    must_refuse(world, rill_world_set_velocities(world, 0, velocities, 400), RILL_INVALID_ARGUMENT,
                "velocity v of cell (3, 1)");
    refuse_absurd_questions(world);
    assert_int_not_equal(rill_world_step(world, 0.0), RILL_OK);
    assert_int_not_equal(rill_world_step(world, -1.0), RILL_OK);
    assert_int_not_equal(rill_world_step(world, nan), RILL_OK);
    assert_int_not_equal(rill_world_step(world, inf), RILL_OK);
    assert_true(rill_world_hash(world) == before);
    assert_int_equal(ledger_error(world), 0);
    rill_world_destroy(world);
}

static void test_before_the_bed(void **state) {
    (void)state;
    const rill_world_def def = house_def();
    rill_world *world = NULL;
    assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
    const double at[3] = { 0.001, 0.001, 0.0 };
    double numbers[400] = { 0.0 };
    rill_source_id source_id;
    rill_bed_info info;
    rill_sample sample;
    rill_ledger ledger;
    size_t size;
    const rill_source_def source = point_source("well", 0.001, 0.001, 0.0, 1e-6);
    must_refuse(world, rill_world_fill_level(world, at, 0.001, NULL), RILL_INVALID_STATE, "rill_bed_build");
    must_refuse(world, rill_world_fill_depths(world, 0, numbers, 200, NULL), RILL_INVALID_STATE, "rill_bed_build");
    must_refuse(world, rill_world_set_velocities(world, 0, numbers, 400), RILL_INVALID_STATE, "rill_bed_build");
    must_refuse(world, rill_source_create(world, &source, &source_id), RILL_INVALID_STATE, "rill_bed_build");
    must_refuse(world, rill_bed_get_info(world, &info), RILL_INVALID_STATE, "rill_bed_build");
    must_refuse(world, rill_query_points(world, at, 1, &sample), RILL_INVALID_STATE, "rill_bed_build");
    must_refuse(world, rill_query_box_volume(world, at, at, numbers), RILL_INVALID_STATE, "rill_bed_build");
    must_refuse(world, rill_world_read_field(world, RILL_FIELD_DEPTH, 0, numbers, 200), RILL_INVALID_STATE,
                "rill_bed_build");
    must_refuse(world, rill_snapshot_save(world, numbers, sizeof numbers, &size), RILL_INVALID_STATE, "rill_bed_build");
    assert_int_equal(rill_snapshot_size(world), 0);
    assert_int_not_equal(rill_world_step(world, 0.01), RILL_OK);
    must(world, rill_world_get_ledger(world, &ledger));
    assert_int_equal(ledger.error, 0);
    const uint64_t empty = rill_world_hash(world);
    must(world, add_house_solids(world));
    assert_true(rill_world_hash(world) != empty);
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_absurd_definitions), cmocka_unit_test(test_absurd_solvers),
        cmocka_unit_test(test_no_world),           cmocka_unit_test(test_null_arguments),
        cmocka_unit_test(test_ids_nobody_wants),   cmocka_unit_test(test_absurd_arguments),
        cmocka_unit_test(test_before_the_bed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
