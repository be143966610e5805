/* Shells of worlds, through the API: with a grid and without, what drips from one to the other, snapshots, refusals, memory. */
#include "snapshots.h"

#include <math.h>

#include "surfaces.h"

static rill_world *make_alone(void) {
    rill_world_def def = rill_default_world_def();
    rill_world *world = NULL;
    rill_message message = { "" };
    def.grid.cells[0] = def.grid.cells[1] = 0;
    if (rill_world_create(&def, &world, &message)) fail_msg("%s", message.text);
    return world;
}

static rill_shell_def shell_def(const surface *from, const char *name) {
    rill_shell_def def = rill_default_shell_def();
    def.name = name;
    def.vertices = from->vertices, def.vertex_count = from->vertex_count;
    def.indices = from->indices, def.triangle_count = from->triangle_count;
    return def;
}

static rill_shell_id add_sphere(rill_world *world, const char *name, double radius, int levels, double z) {
    surface sphere = surface_sphere(radius, levels);
    rill_shell_def def = shell_def(&sphere, name);
    rill_shell_id id;
    def.translate[2] = z;
    must(world, rill_shell_create(world, &def, &id));
    surface_free(&sphere);
    return id;
}

static rill_shell_info info_of(const rill_world *world, rill_shell_id id) {
    rill_shell_info info;
    assert_int_equal(rill_shell_get_info(world, id, &info), RILL_OK);
    return info;
}

static void check_ledger(const rill_world *world) {
    rill_ledger ledger;
    assert_int_equal(rill_world_get_ledger(world, &ledger), RILL_OK);
    assert_int_equal(ledger.error, 0);
}

static int64_t drained(const rill_world *world, const char *name) {
    for (int32_t i = 0; i < rill_world_account_count(world); ++i) {
        rill_account account;
        assert_int_equal(rill_world_get_account(world, i, &account), RILL_OK);
        if (strcmp(account.name, name) == 0) return account.drained;
    }
    return 0;
}

/* ---------------------------------------------------------------------------------------------------------------- drops */

static void a_drop_runs_down_a_ball_and_drips_off(void **state) {
    (void)state;
    rill_world *world = make_alone();
    const rill_shell_id id = add_sphere(world, "ball", 0.02, 5, 0.1);
    rill_fill_report report;
    const double side[3] = { 0.012, 0.0, 0.116 }, top[3] = { 0.0, 0.0, 0.12 };
    must(world, rill_shell_fill_drop(world, id, side, 300e-9, &report));
    assert_true(report.columns > 10 && fabs(report.volume - 300e-9) < 1e-15);
    rill_shell_sample sample;
    must(world, rill_shell_query_points(world, id, side, 1, &sample));
    assert_true(sample.wet && sample.depth > 1e-3 && sample.normal[0] > 0.5 && fabs(sample.position[2] - 0.116) < 2e-3);
    for (int i = 0; i < 10; ++i) must(world, rill_world_step(world, 0.01));
    must(world, rill_shell_query_points(world, id, side, 1, &sample));
    const rill_shell_info running = info_of(world, id);
    assert_true(running.awake_columns > 0 && running.substeps > 1);
    for (int i = 0; i < 150; ++i) must(world, rill_world_step(world, 0.02));
    check_ledger(world);
    must_be_valid(world);
    const rill_shell_info last = info_of(world, id);
    rill_ledger ledger;
    must(world, rill_world_get_ledger(world, &ledger));
    print_message("%.1f of 300 ul have dripped\n", (double)drained(world, "dripped") * ledger.quantum_volume * 1e9);
    assert_true(drained(world, "dripped") > 0);
    assert_int_equal(last.quanta + drained(world, "dripped"), ledger.poured);
    must(world, rill_shell_fill_drop(world, id, top, 2e-9, NULL)); /* a small one stays on top */
    for (int i = 0; i < 50; ++i) must(world, rill_world_step(world, 0.02));
    must(world, rill_shell_query_points(world, id, top, 1, &sample));
    assert_true(sample.wet);
    rill_world_destroy(world);
}

/* Drops fall from a ball onto another one below it, and onto the floor if there is one. */
static void drips_land_where_they_should(void **state) {
    (void)state;
    rill_world *world = make_alone();
    const rill_shell_id high = add_sphere(world, "high", 0.01, 4, 0.1), low = add_sphere(world, "low", 0.03, 5, 0.0);
    const double under[3] = { 0.0, 0.0, 0.09 };
    must(world, rill_shell_fill_drop(world, high, under, 400e-9, NULL));
    for (int i = 0; i < 10; ++i) must(world, rill_world_step(world, 0.01));
    assert_true(info_of(world, low).quanta > 0);
    assert_int_equal(drained(world, "dripped"), 0);
    check_ledger(world);
    rill_world_destroy(world);

    rill_world_def house = house_def();
    house.headroom = 0.2;
    world = make_house(&house);
    const rill_shell_id ball = add_sphere(world, "ball", 0.004, 3, 0.03);
    const double shift[3] = { 0.01, 0.005, 0.03 }, none[3] = { 0.0, 0.0, 0.0 }, below[3] = { 0.01, 0.005, 0.026 };
    must(world, rill_shell_set_pose(world, ball, shift, none));
    must(world, rill_shell_fill_drop(world, ball, below, 400e-9, NULL));
    for (int i = 0; i < 20; ++i) must(world, rill_world_step(world, 0.01));
    double volume;
    const double min[3] = { -1.0, -1.0, -1.0 }, max[3] = { 1.0, 1.0, 1.0 };
    must(world, rill_query_box_volume(world, min, max, &volume));
    rill_ledger ledger;
    must(world, rill_world_get_ledger(world, &ledger));
    const double beside = (double)drained(world, "dripped") * ledger.quantum_volume;
    print_message("%.1f ul on the floor, %.1f beside\n", volume * 1e9, beside * 1e9);
    assert_true(volume > 100e-9 && beside < 0.25 * volume); /* the ball is nearly as wide as the grid */
    check_ledger(world);
    must_be_valid(world);
    must(world, rill_world_drain(world));
    assert_int_equal(info_of(world, ball).quanta, 0);
    check_ledger(world);
    rill_world_destroy(world);
}

static void a_shell_that_is_turned_takes_its_liquid_along(void **state) {
    (void)state;
    rill_world *world = make_alone();
    const rill_shell_id id = add_sphere(world, "ball", 0.02, 4, 0.0);
    const double top[3] = { 0.0, 0.0, 0.02 }, none[3] = { 0.0, 0.0, 0.0 }, turn[3] = { 0.0, 90.0, 0.0 };
    const double east[3] = { 0.02, 0.0, 0.0 };
    must(world, rill_shell_fill_drop(world, id, top, 5e-9, NULL));
    for (int i = 0; i < 200 && info_of(world, id).awake_columns > 0; ++i) must(world, rill_world_step(world, 0.02));
    assert_int_equal(info_of(world, id).awake_columns, 0);
    rill_shell_sample before, after;
    must(world, rill_shell_query_points(world, id, top, 1, &before));
    must(world, rill_shell_set_pose(world, id, none, turn));
    must(world, rill_shell_query_points(world, id, east, 1, &after));
    assert_int_equal(after.column, before.column);
    assert_true(after.depth == before.depth && after.normal[0] > 0.99);
    const rill_ray ray = { { 0.1, 0.0, 0.0 }, { -2.0, 0.0, 0.0 } };
    rill_ray_hit hit;
    must(world, rill_query_rays(world, &ray, 1, RILL_RAY_ALL, &hit));
    assert_int_equal(hit.what, RILL_RAY_SHELLS);
    assert_true(hit.shell.value == id.value && fabs(hit.distance - 0.08) < 2e-4 && hit.normal[0] > 0.99);
    assert_int_equal(hit.column, after.column);
    must(world, rill_world_step(world, 0.01));
    assert_true(info_of(world, id).awake_columns > 0); /* gravity pulls the other way */
    double *velocities = calloc(3 * (size_t)info_of(world, id).columns, sizeof *velocities), falls = 0.0;
    must(world, rill_shell_read_velocities(world, id, velocities, 3 * (size_t)info_of(world, id).columns));
    for (int32_t i = 0; i < info_of(world, id).columns; ++i) falls = fmin(falls, velocities[3 * i + 2]);
    assert_true(falls < -1e-3);
    free(velocities);
    rill_world_destroy(world);
}

static void painted_angles_decide_where_drops_stay(void **state) {
    (void)state;
    surface pane = surface_pane(0.012, 0.0005, 0.2);
    double *angles = calloc(pane.vertex_count, sizeof *angles), depths[2] = { 0.0, 0.0 };
    for (int painted = 0; painted < 2; ++painted) {
        rill_world *world = make_alone();
        rill_shell_def def = shell_def(&pane, "ball");
        rill_shell_id id;
        for (size_t i = 0; i < pane.vertex_count; ++i) angles[i] = painted ? 90.0 : 20.0;
        def.contact_angles = angles;
        must(world, rill_shell_create(world, &def, &id));
        const double top[3] = { 0.0, 0.0, 0.0 };
        rill_shell_sample sample;
        must(world, rill_shell_fill_drop(world, id, top, 10e-9, NULL));
        for (int i = 0; i < 100; ++i) must(world, rill_world_step(world, 0.02));
        must(world, rill_shell_query_points(world, id, top, 1, &sample));
        depths[painted] = sample.depth;
        rill_world_destroy(world);
    }
    print_message("%.2f mm deep at 20 degrees, %.2f mm at 90\n", depths[0] * 1e3, depths[1] * 1e3);
    assert_true(depths[1] > 1.5 * depths[0]);
    free(angles);
    surface_free(&pane);
}

/* ------------------------------------------------------------------------------------------------------------ snapshots */

static rill_world *make_busy(bool alone) {
    const rill_world_def house = house_def();
    rill_world *world = alone ? make_alone() : make_house(&house);
    const rill_shell_id high = add_sphere(world, "high", 0.01, 3, 0.06), low = add_sphere(world, "low", 0.02, 4, 0.02);
    const double under[3] = { 0.001, 0.0, 0.05 }, side[3] = { 0.015, 0.0, 0.03 };
    must(world, rill_shell_destroy(world, add_sphere(world, "gone", 0.01, 1, 0.0)));
    must(world, rill_shell_fill_drop(world, high, under, 60e-9, NULL));
    must(world, rill_shell_fill_drop(world, low, side, 30e-9, NULL));
    run(world, 7, 0.01);
    return world;
}

static void snapshots_go_on_with_the_same_bits(void **state) {
    (void)state;
    for (int alone = 0; alone < 2; ++alone) {
        rill_world *world = make_busy(alone);
        const saved s = save(world);
        rill_world *other = load(s, NULL);
        assert_true(rill_world_hash(world) == rill_world_hash(other));
        run(world, 30, 0.01), run(other, 30, 0.01);
        assert_true(rill_world_hash(world) == rill_world_hash(other));
        const uint64_t later = rill_world_hash(world);
        must(world, rill_snapshot_restore(world, s.bytes, s.size));
        assert_true(rill_world_hash(world) != later);
        run(world, 30, 0.01);
        assert_true(rill_world_hash(world) == later);
        check_ledger(world);
        assert_int_equal(rill_world_shell_count(other), 2);
        assert_string_equal(rill_shell_name(other, rill_world_shell_at(other, 1)), "low");
        rill_world_destroy(other);
        rill_world_destroy(world);
        free(s.bytes);
    }
}

static void damaged_snapshots_are_refused(void **state) {
    (void)state;
    rill_world *world = make_alone();
    const rill_shell_id id = add_sphere(world, "ball", 0.01, 0, 0.0);
    const double top[3] = { 0.0, 0.0, 0.01 };
    must(world, rill_shell_fill_drop(world, id, top, 5e-9, NULL));
    run(world, 2, 0.01);
    check_truncations(world);
    rill_world_destroy(world);
}

static void threads_make_no_difference(void **state) {
    (void)state;
    uint64_t hashes[2];
    for (int many = 0; many < 2; ++many) {
        rill_world_def def = rill_default_world_def();
        rill_world *world = NULL;
        def.grid.cells[0] = def.grid.cells[1] = 0;
        def.runtime.tasks.threads = many ? 4 : 1;
        assert_int_equal(rill_world_create(&def, &world, NULL), RILL_OK);
        const rill_shell_id id = add_sphere(world, "ball", 0.06, 6, 0.0);
        const size_t count = (size_t)info_of(world, id).columns;
        double *depths = calloc(count, sizeof *depths);
        for (size_t i = 0; i < count; ++i) depths[i] = 1e-4 * (double)(i % 7);
        must(world, rill_shell_fill_depths(world, id, depths, count, NULL));
        run(world, 1, 0.01);
        check_ledger(world);
        hashes[many] = rill_world_hash(world);
        free(depths);
        rill_world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

/* ------------------------------------------------------------------------------------------------------ refusals, memory */

static void refuses(rill_world *world, const rill_shell_def *def, const char *why) {
    rill_shell_id id = { 77 };
    const int32_t before = rill_world_shell_count(world);
    assert_int_not_equal(rill_shell_create(world, def, &id), RILL_OK);
    if (!strstr(rill_world_message(world), why)) fail_msg("\"%s\" does not say \"%s\"", rill_world_message(world), why);
    assert_true(id.value == 77);
    assert_int_equal(rill_world_shell_count(world), before);
}

static void what_makes_no_sense_is_refused(void **state) {
    (void)state;
    rill_world *world = make_alone();
    surface sphere = surface_sphere(0.01, 0);
    const rill_shell_def good = shell_def(&sphere, "ball");
    rill_shell_def bad = good;
    double angles[60];
    for (int i = 0; i < 60; ++i) angles[i] = i == 5 ? 181.0 : 40.0;
    rill_shell_id id;
    must(world, rill_shell_create(world, &good, &id));
    refuses(world, NULL, "def is NULL");
    refuses(world, &good, "another shell has already");
    bad.name = "other";
    bad.contact_angles = angles;
    refuses(world, &bad, "contact_angles[5] is 181");
    bad.contact_angles = NULL;
    bad.scale = 0.0;
    refuses(world, &bad, "scale");
    bad = good, bad.name = "other", bad.vertices = NULL;
    refuses(world, &bad, "vertices");
    bad = good, bad.name = "other", bad.triangle_count = 0;
    refuses(world, &bad, "triangle");
    uint32_t *indices = malloc(3 * sphere.triangle_count * sizeof *indices);
    memcpy(indices, sphere.indices, 3 * sphere.triangle_count * sizeof *indices);
    const uint32_t swap = indices[0];
    indices[0] = indices[1], indices[1] = swap;
    bad = good, bad.name = "other", bad.indices = indices;
    refuses(world, &bad, "wound against each other");
    free(indices);

    const double nowhere[3] = { (double)NAN, 0.0, 0.0 }, top[3] = { 0.0, 0.0, 0.01 };
    double depths[12] = { 0.0 };
    assert_int_equal(rill_shell_fill_drop(world, id, nowhere, 1e-9, NULL), RILL_INVALID_ARGUMENT);
    assert_int_equal(rill_shell_fill_drop(world, id, top, 0.0, NULL), RILL_INVALID_ARGUMENT);
    assert_int_equal(rill_shell_fill_depths(world, id, depths, 11, NULL), RILL_INVALID_ARGUMENT);
    depths[3] = -1e-9;
    assert_int_equal(rill_shell_fill_depths(world, id, depths, 12, NULL), RILL_INVALID_ARGUMENT);
    must(world, rill_shell_destroy(world, id));
    assert_int_equal(rill_shell_fill_drop(world, id, top, 1e-9, NULL), RILL_INVALID_ID);
    rill_shell_id again;
    must(world, rill_shell_create(world, &good, &again)); /* the slot is used again, the id is not */
    assert_true(again.value != id.value);
    assert_null(rill_shell_name(world, id));
    assert_int_equal(rill_bed_build(world), RILL_INVALID_STATE);
    const rill_solid_def solid = rill_default_solid_def();
    assert_int_equal(rill_solid_create(world, &solid, NULL), RILL_INVALID_STATE);
    surface_free(&sphere);
    rill_world_destroy(world);
}

static void memory_that_is_refused_changes_nothing(void **state) {
    (void)state;
    surface sphere = surface_sphere(0.01, 1);
    const rill_shell_def def = shell_def(&sphere, "ball");
    const double top[3] = { 0.0, 0.0, 0.01 };
    test_memory memory = { 0 };
    rill_world_def world_def = rill_default_world_def();
    world_def.grid.cells[0] = world_def.grid.cells[1] = 0;
    world_def.runtime.allocator = test_allocator(&memory);
    rill_world *world = NULL;
    assert_int_equal(rill_world_create(&world_def, &world, NULL), RILL_OK);
    const long live = memory.live;
    rill_result result = RILL_OUT_OF_MEMORY;
    for (long at = 1; result; ++at) {
        rill_shell_id id;
        memory.count = 0, memory.fail_at = at;
        result = rill_shell_create(world, &def, &id);
        assert_true(result == RILL_OK || result == RILL_OUT_OF_MEMORY);
        assert_true(!result || memory.live <= live + 1); /* room for shells */
    }
    const rill_shell_id id = rill_world_shell_at(world, 0);
    for (long at = 1; at <= 3; ++at) {
        memory.count = 0, memory.fail_at = at;
        assert_int_equal(rill_shell_fill_drop(world, id, top, 20e-9, NULL), RILL_OUT_OF_MEMORY);
        assert_int_equal(info_of(world, id).quanta, 0);
    }
    memory.fail_at = 0;
    must(world, rill_shell_fill_drop(world, id, top, 20e-9, NULL));
    run(world, 1, 0.01);
    memory.count = 0, memory.fail_at = 1;
    run(world, 50, 0.01); /* a later step asks for none */
    assert_int_equal(memory.count, 0);
    check_ledger(world);
    memory.fail_at = 0;
    rill_world_destroy(world);
    assert_int_equal(memory.live, 0);
    surface_free(&sphere);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit_test_alone(a_drop_runs_down_a_ball_and_drips_off),
        unit_test_alone(drips_land_where_they_should),
        unit_test_alone(a_shell_that_is_turned_takes_its_liquid_along),
        unit_test_alone(painted_angles_decide_where_drops_stay),
        unit_test_alone(snapshots_go_on_with_the_same_bits),
        unit_test_alone(damaged_snapshots_are_refused),
        cmocka_unit_test(threads_make_no_difference),
        unit_test_alone(what_makes_no_sense_is_refused),
        unit_test_alone(memory_that_is_refused_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
