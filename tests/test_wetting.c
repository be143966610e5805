/* Contact angles: what they may be, where they come from, and the planes of them. Looks inside for the planes. */
#include <float.h>
#include <math.h>

#include "snapshots.h"
#include "waves/wetting.h"

static rill_world_def wet_house_def(void) {
    rill_world_def def = house_def();
    def.edges[RILL_WEST].kind = RILL_EDGE_OPEN;
    def.edges[RILL_SOUTH].kind = RILL_EDGE_OPEN;
    def.edges[RILL_NORTH] = (rill_edge){ .kind = RILL_EDGE_STILL, .level = 0.001 };
    def.solver.tension = RILL_TENSION_ON;
    return def;
}

static double s_of(double degrees) {
    return 2.0 * sin(degrees * acos(-1.0) / 360.0);
}

static void sines_are_right(void **state) {
    (void)state;
    for (int i = 0; i <= 180 * 16; ++i) {
        const double theta = i / 16.0;
        assert_true(fabs(rill_wetting_s(theta) - s_of(theta)) < 1e-14);
        assert_true(fabs((double)rill_wetting_cosine((float)rill_wetting_s(theta)) - cos(theta * acos(-1.0) / 180.0)) <
                    3e-7);
    }
    assert_true(rill_wetting_s(0.0) == 0.0 && rill_wetting_s(180.0) == 2.0);
}

static void angles_about_one(void **state) {
    (void)state;
    const double thetas[][3] = { { 40, 45, 35 }, { 0, 5, 0 }, { 3, 8, 0 }, { 180, 180, 175 }, { 90, 95, 85 } };
    for (size_t i = 0; i < sizeof thetas / sizeof *thetas; ++i) {
        const rill_contact_angle angle = rill_contact_angle_about(thetas[i][0]);
        assert_true(angle.advancing == thetas[i][1] && angle.receding == thetas[i][2]);
    }
    const rill_contact_angle none = rill_contact_angle_about((double)NAN);
    assert_true(none.advancing != none.advancing && none.receding != none.receding);
}

/* ----------------------------------------------------------------------------------------------------------- planes */

static const rill_solid *solid_of(const void *context, uint16_t floor) {
    const rill_world *world = context;
    return ((const rill_solid_slot *)world->solids.data)[floor].solid;
}

/* The planes of a step are those that are made afresh, padding included. */
static void planes_are_fresh(const rill_world *world) {
    const rill_allocator allocator = rill_alloc_default();
    const rill_area all = { { 0, 0 }, { world->def.grid.cells[0], world->def.grid.cells[1] } };
    rill_wetting fresh = { 0 };
    assert_true(rill_wetting_make(&fresh, &world->bed, &allocator));
    rill_wetting_fill(&fresh, &world->bed, &all, &world->def.liquid.contact_angle, solid_of, NULL, world);
    assert_int_equal(fresh.plane_size, world->wetting.plane_size);
    assert_memory_equal(fresh.advancing, world->wetting.advancing, fresh.plane_size * sizeof(float));
    assert_memory_equal(fresh.receding, world->wetting.receding, fresh.plane_size * sizeof(float));
    rill_wetting_free(&fresh, &allocator);
}

static void must_have(const rill_world *world, int32_t x, int32_t y, int32_t layer, double advancing, double receding) {
    const int32_t i = rill_bed_column(&world->bed, x, y, layer);
    assert_true(i >= 0);
    const float a = world->wetting.advancing[world->bed.places[i]], r = world->wetting.receding[world->bed.places[i]];
    if (a != (float)s_of(advancing) && fabs((double)a - s_of(advancing)) > FLT_EPSILON)
        fail_msg("(%d, %d) advances at s = %g, expected %g", x, y, (double)a, s_of(advancing));
    if (fabs((double)r - s_of(receding)) > FLT_EPSILON)
        fail_msg("(%d, %d) recedes at s = %g, expected %g", x, y, (double)r, s_of(receding));
}

static void set_angle(rill_world *world, const char *name, rill_contact_angle angle) {
    const rill_solid_id id = rill_solid_find(world, name);
    rill_solid_def def = ((const rill_solid_slot *)world->solids.data)[id.value & 0xffffu].solid->def;
    def.contact_angle = angle;
    must(world, rill_solid_replace(world, id, &def));
}

static void step_once(rill_world *world) {
    must(world, rill_world_step(world, 0.002));
    planes_are_fresh(world);
}

/* The house is asked for its floors: solids with an angle have that, others the liquid's, whenever one of them changes. */
static void planes_follow_solids_and_liquid(void **state) {
    (void)state;
    const rill_world_def def = wet_house_def();
    rill_world *world = make_house(&def);
    assert_null(world->wetting.advancing);
    step_once(world);
    must_have(world, 10, 5, 0, 45, 35);
    must_have(world, 10, 5, 1, 45, 35);
    set_angle(world, "platform", (rill_contact_angle){ 110, 70 });
    step_once(world);
    must_have(world, 10, 5, 0, 45, 35);
    must_have(world, 10, 5, 1, 110, 70);
    must_have(world, 17, 5, 0, 45, 35);
    rill_liquid liquid = def.liquid;
    liquid.contact_angle = (rill_contact_angle){ 20, 0 };
    must(world, rill_world_set_liquid(world, &liquid));
    step_once(world);
    must_have(world, 10, 5, 0, 20, 0);
    must_have(world, 10, 5, 1, 110, 70);
    must(world, rill_solid_destroy(world, rill_solid_find(world, "platform")));
    step_once(world);
    must_have(world, 10, 5, 0, 20, 0);
    set_angle(world, "floor", (rill_contact_angle){ 180, 180 });
    step_once(world);
    must_have(world, 0, 0, 0, 180, 180);
    must_have(world, 17, 5, 0, 20, 0);
    rill_world_destroy(world);
}

/* A platform that travels takes its angle along, over edges and back. */
static void planes_follow_what_moves(void **state) {
    (void)state;
    const rill_world_def def = wet_house_def();
    rill_world *world = make_house(&def);
    set_angle(world, "platform", (rill_contact_angle){ 110, 70 });
    step_once(world);
    const rill_solid_id id = rill_solid_find(world, "platform");
    for (int i = 1; i <= 12; ++i) {
        const double place[3] = { -0.001 * (i <= 6 ? i : 12 - i), 0.0, 0.0002 * i };
        must(world, rill_solid_set_pose(world, id, place, (double[]){ 0.0, 0.0, 3.0 * i }));
        step_once(world);
    }
    must_be_valid(world);
    rill_world_destroy(world);
}

/* More changes between two steps than the bed remembers. */
static void planes_follow_many_builds(void **state) {
    (void)state;
    const rill_world_def def = wet_house_def();
    rill_world *world = make_house(&def);
    const rill_solid_id wall = rill_solid_find(world, "wall");
    step_once(world);
    must(world, rill_solid_set_pose(world, wall, (double[]){ 0.0, 0.0, 0.0001 }, (double[3]){ 0 }));
    step_once(world); /* from now on the bed has room, and its places stay */
    set_angle(world, "platform", (rill_contact_angle){ 110, 70 });
    for (int i = 0; i < RILL_BED_LOG + 8; ++i) {
        must(world, rill_solid_set_pose(world, wall, (double[]){ 0.0, 0.0, 0.0001 * (i % 2) }, (double[3]){ 0 }));
        must(world, rill_bed_build(world));
    }
    step_once(world);
    must_have(world, 10, 5, 1, 110, 70);
    rill_world_destroy(world);
}

/* On a floor on which no two columns are alike. */
static void ghosts_are_as_their_neighbours(void **state) {
    (void)state;
    const rill_world_def def = wet_house_def();
    rill_world *world = make_house(&def);
    rill_solid_def floor = box_def("floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
    double map[200];
    for (int i = 0; i < 200; ++i) map[i] = 10 + 0.7 * i;
    floor.wettability = map;
    floor.wettability_size[0] = 20, floor.wettability_size[1] = 10;
    must(world, rill_solid_replace(world, rill_solid_find(world, "floor"), &floor));
    step_once(world);
    const rill_bed *bed = &world->bed;
    int edges = 0;
    for (int32_t i = 0; i < bed->ghost_count; ++i) {
        int32_t x, y;
        const rill_sheet *sheet = rill_bed_sheet_of(bed, bed->ghosts[i].place, &x, &y);
        x = x < 0 ? 0 : x > 19 ? 19 : x, y = y < 0 ? 0 : y > 9 ? 9 : y;
        const int32_t column = sheet->first + (y - sheet->y0) * sheet->stride + x - sheet->x0;
        assert_true(world->wetting.advancing[column] > 0.0f);
        assert_true(world->wetting.advancing[bed->ghosts[i].place] == world->wetting.advancing[column]);
        assert_true(world->wetting.receding[bed->ghosts[i].place] == world->wetting.receding[column]);
        edges |= 1 << bed->ghosts[i].edge;
    }
    assert_int_equal(edges, 1 << RILL_WEST | 1 << RILL_SOUTH | 1 << RILL_NORTH);
    rill_world_destroy(world);
}

static void planes_follow_edges(void **state) {
    (void)state;
    const rill_world_def def = wet_house_def();
    rill_world *world = make_house(&def);
    step_once(world);
    const rill_edge open = { .kind = RILL_EDGE_OPEN }, wall = { .kind = RILL_EDGE_WALL };
    must(world, rill_world_set_edge(world, RILL_EAST, &open));
    step_once(world);
    must(world, rill_world_set_edge(world, RILL_EAST, &wall));
    must(world, rill_world_set_edge(world, RILL_WEST, &wall));
    step_once(world);
    rill_world_destroy(world);
}

/* A map of two numbers is stretched over twenty cells, and has the hysteresis of its solid, or else of the liquid. */
static void maps_paint(void **state) {
    (void)state;
    const rill_world_def def = wet_house_def();
    rill_world *world = make_house(&def);
    const double map[2] = { 20, 110 };
    const rill_solid_id id = rill_solid_find(world, "floor");
    rill_solid_def floor = box_def("floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
    floor.wettability = map;
    floor.wettability_size[0] = 2, floor.wettability_size[1] = 1;
    must(world, rill_solid_replace(world, id, &floor));
    step_once(world);
    must_have(world, 2, 0, 0, 25, 15);
    must_have(world, 9, 9, 0, 20 + 90 * 0.45 + 5, 20 + 90 * 0.45 - 5);
    must_have(world, 19, 3, 0, 115, 105);
    must_have(world, 10, 3, 1, 45, 35); /* the platform is not painted */
    floor.contact_angle = (rill_contact_angle){ 90, 30 };
    must(world, rill_solid_replace(world, id, &floor));
    step_once(world);
    must_have(world, 2, 0, 0, 50, 0);
    must_have(world, 19, 3, 0, 140, 80);
    const double place[3] = { 0.1, 0.0, 0.0 };
    must(world, rill_solid_set_pose(world, id, place, place));
    step_once(world);
    must_have(world, 2, 0, 0, 50, 0); /* the paint stays where it is in plan */
    rill_world_destroy(world);
}

/* --------------------------------------------------------------------------------------------------------- settings */

static void must_be_off(const rill_world *world, const char *because) {
    rill_message why = { "" };
    assert_false(rill_world_has_tension(world, &why));
    if (!strstr(why.text, because)) fail_msg("\"%s\" is not in \"%s\"", because, why.text);
}

static void off_has_a_reason_and_no_planes(void **state) {
    (void)state;
    const rill_world_def def = wet_house_def();
    rill_world *world = make_house(&def);
    rill_message why = { "?" };
    assert_true(rill_world_has_tension(world, &why));
    assert_string_equal(why.text, "");
    step_once(world);
    rill_solver solver = def.solver;
    solver.tension = RILL_TENSION_OFF;
    must(world, rill_world_set_solver(world, &solver));
    must_be_off(world, "solver.tension is off");
    must(world, rill_world_step(world, 0.002));
    assert_null(world->wetting.advancing);
    solver.tension = RILL_TENSION_ON;
    solver.pipe_area = RILL_PIPE_AREA_PAPER;
    must(world, rill_world_set_solver(world, &solver));
    must_be_off(world, "solver.pipe_area is paper");
    must(world, rill_world_set_solver(world, &def.solver));
    rill_liquid liquid = def.liquid;
    liquid.surface_tension = 0.0;
    must(world, rill_world_set_liquid(world, &liquid));
    must_be_off(world, "liquid.surface_tension is 0");
    liquid.surface_tension = 0.02; /* 1.43 mm */
    must(world, rill_world_set_liquid(world, &liquid));
    must_be_off(world, "cells of 0.001 m are too coarse; expected less than 0.000893 m");
    must(world, rill_world_set_gravity(world, (double[]){ 0.0, 0.0, 0.0 }));
    assert_true(rill_world_has_tension(world, NULL));
    rill_world_destroy(world);
    assert_false(rill_world_has_tension(NULL, NULL));
}

static rill_result create_painted(rill_world *world, rill_contact_angle angle, const double *map, int32_t width,
                                  int32_t height) {
    rill_solid_def def = box_def("box", 0.0, 0.0, 0.0, 0.005, 0.005, 0.001);
    def.contact_angle = angle;
    def.wettability = map;
    def.wettability_size[0] = width, def.wettability_size[1] = height;
    return rill_solid_create(world, &def, NULL);
}

static void bad_solids_are_refused(void **state) {
    (void)state;
    const rill_world_def def = wet_house_def();
    rill_world *world = make_house(&def);
    const double nan = (double)NAN;
    const rill_contact_angle none = { nan, nan };
    const double bad[6] = { 0, 180, 90, 90, -1, 90 }, odd[2] = { 90, nan };
    must_refuse(world, create_painted(world, (rill_contact_angle){ 200, 20 }, NULL, 0, 0), RILL_INVALID_ARGUMENT,
                "solid box: contact_angle.advancing is 200; expected 0 to 180");
    must_refuse(world, create_painted(world, (rill_contact_angle){ 20, 21 }, NULL, 0, 0), RILL_INVALID_ARGUMENT,
                "solid box: contact_angle.receding is 21; expected 0 to 20");
    must_refuse(world, create_painted(world, (rill_contact_angle){ 20, nan }, NULL, 0, 0), RILL_INVALID_ARGUMENT,
                "contact_angle.receding is nan");
    must_refuse(world, create_painted(world, (rill_contact_angle){ nan, 20 }, NULL, 0, 0), RILL_INVALID_ARGUMENT,
                "contact_angle.advancing is nan");
    must_refuse(world, create_painted(world, none, bad, 0, 6), RILL_INVALID_ARGUMENT,
                "solid box: wettability_size is 0 x 6");
    must_refuse(world, create_painted(world, none, bad, 65536, 65536), RILL_INVALID_ARGUMENT, "65536 x 65536");
    must_refuse(world, create_painted(world, none, bad, 3, 2), RILL_INVALID_DATA,
                "solid box: wettability at column 1, row 1 is -1; expected 0 to 180");
    must_refuse(world, create_painted(world, none, odd, 2, 1), RILL_INVALID_DATA, "column 1, row 0 is nan");
    must(world, create_painted(world, none, bad, 2, 2));
    rill_world_destroy(world);
}

/* -------------------------------------------------------------------------------------------------------- snapshots */

static rill_world *make_painted(rill_tension tension, double receding, const double map[2]) {
    rill_world_def def = wet_house_def();
    def.solver.tension = tension;
    def.solver.wall_tension = true;
    def.liquid.drying = 3.0;
    rill_world *world = make_house(&def);
    must(world, create_painted(world, (rill_contact_angle){ 100, receding }, map, 2, 1));
    must(world, rill_bed_build(world));
    return world;
}

static void snapshots_hold_angles(void **state) {
    (void)state;
    const double map[2] = { 30, 120 };
    rill_world *world = make_painted(RILL_TENSION_ON, 80, map);
    step_once(world);
    const saved s = save(world);
    rill_world *again = load(s, NULL);
    rill_solver solver;
    rill_liquid liquid;
    assert_int_equal(rill_world_get_solver(again, &solver), RILL_OK);
    assert_int_equal(rill_world_get_liquid(again, &liquid), RILL_OK);
    assert_true(solver.tension == RILL_TENSION_ON && solver.wall_tension && liquid.drying == 3.0);
    assert_true(rill_world_hash(again) == rill_world_hash(world));
    must_have(world, 1, 1, 0, 40, 20);
    step_once(world);
    step_once(again);
    assert_memory_equal(again->wetting.advancing, world->wetting.advancing, again->wetting.plane_size * sizeof(float));
    assert_true(rill_world_hash(again) == rill_world_hash(world));
    set_angle(world, "box", (rill_contact_angle){ 60, 50 });
    step_once(world);
    must(world, rill_snapshot_restore(world, s.bytes, s.size));
    step_once(world);
    must_have(world, 1, 1, 0, 40, 20);
    free(s.bytes);
    rill_world_destroy(world);
    rill_world_destroy(again);
}

/* The hash tells angles and maps apart where they decide the future, and there alone. */
static void hashes_know_angles_that_act(void **state) {
    (void)state;
    const double map[2] = { 30, 120 }, other[2] = { 30, 121 };
    for (int on = 0; on < 2; ++on) {
        const rill_tension tension = on ? RILL_TENSION_ON : RILL_TENSION_OFF;
        rill_world *worlds[] = { make_painted(tension, 80, map), make_painted(tension, 70, map),
                                 make_painted(tension, 80, other) };
        for (int i = 1; i < 3; ++i) assert_int_equal(rill_world_hash(worlds[i]) != rill_world_hash(worlds[0]), on);
        for (int i = 0; i < 3; ++i) rill_world_destroy(worlds[i]);
    }
}

/* Without memory for the planes a step is refused, and nothing has changed. */
static void steps_without_memory_are_refused(void **state) {
    (void)state;
    test_memory memory = { 0 };
    rill_world_def def = wet_house_def();
    def.runtime.allocator = test_allocator(&memory);
    rill_world *world = make_house(&def);
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.002, NULL));
    const uint64_t hash = rill_world_hash(world);
    for (int i = 1; i <= 2; ++i) {
        memory.fail_at = memory.count + i;
        must_refuse(world, rill_world_step(world, 0.002), RILL_OUT_OF_MEMORY, "no memory for the contact angles");
        assert_true(rill_world_hash(world) == hash && !world->wetting.advancing && !world->wetting.receding);
    }
    memory.fail_at = 0;
    step_once(world);
    rill_world_destroy(world);
    assert_int_equal(memory.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sines_are_right),
        cmocka_unit_test(angles_about_one),
        cmocka_unit_test(planes_follow_solids_and_liquid),
        cmocka_unit_test(planes_follow_what_moves),
        cmocka_unit_test(planes_follow_many_builds),
        cmocka_unit_test(ghosts_are_as_their_neighbours),
        cmocka_unit_test(planes_follow_edges),
        cmocka_unit_test(maps_paint),
        cmocka_unit_test(off_has_a_reason_and_no_planes),
        cmocka_unit_test(bad_solids_are_refused),
        cmocka_unit_test(snapshots_hold_angles),
        cmocka_unit_test(hashes_know_angles_that_act),
        cmocka_unit_test(steps_without_memory_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
