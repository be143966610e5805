/* Refusals of the bed, with which words, and that it survives every allocation that fails. */
#include "bed_scenes.h"

static test_mesh mesh;

/* --------------------------------------------------------------------------------------------------------- refusals */

static void refuse(const rill_solid_def *def, rill_result expected, const char *word) {
    rill_allocator allocator = rill_alloc_default();
    rill_solid *solid = (rill_solid *)&allocator;
    rill_message message = { "" };
    assert_int_equal(rill_solid_make(def, &allocator, &solid, &message), expected);
    assert_ptr_equal(solid, &allocator);
    if (!strstr(message.text, word) || !strstr(message.text, "bone"))
        fail_msg("\"%s\" does not name %s", message.text, word);
    assert_int_equal(rill_solid_make(def, &allocator, &solid, NULL), expected);
}

static void bad_definitions_are_refused(void **state) {
    (void)state;
    const rill_solid_def good = box_def("bone", 0, 0, 0, 1, 1, 1);
    rill_solid_def def = good;
    def.shape.max[1] = 0;
    refuse(&def, RILL_INVALID_ARGUMENT, "min.y");
    def = good, def.shape.min[2] = NAN;
    refuse(&def, RILL_INVALID_ARGUMENT, "min.z");
    def = good, def.scale = 0;
    refuse(&def, RILL_INVALID_ARGUMENT, "scale");
    def = good, def.rotate[0] = INFINITY;
    refuse(&def, RILL_INVALID_ARGUMENT, "rotate.x");
    def = good, def.translate[1] = 1e12;
    refuse(&def, RILL_INVALID_ARGUMENT, "translate.y");
    def = good, def.shape.type = (rill_shape)99;
    refuse(&def, RILL_INVALID_ARGUMENT, "shape");
    def.shape.type = RILL_SHAPE_SPHERE;
    refuse(&def, RILL_INVALID_ARGUMENT, "radius");
    def.shape.type = RILL_SHAPE_CYLINDER, def.shape.radius = 1;
    refuse(&def, RILL_INVALID_ARGUMENT, "from and to");
    def.shape.type = RILL_SHAPE_TORUS;
    refuse(&def, RILL_INVALID_ARGUMENT, "tube");
    def.shape.tube = 0.1, def.shape.axis[2] = 0;
    refuse(&def, RILL_INVALID_ARGUMENT, "axis");
    def.shape.type = RILL_SHAPE_PLANE, def.shape.axis[2] = -1;
    refuse(&def, RILL_INVALID_ARGUMENT, "axis.z");
    def.shape.axis[2] = 1, def.rotate[0] = 90;
    refuse(&def, RILL_INVALID_ARGUMENT, "1000 to 1");

    def = good, def.shape.type = RILL_SHAPE_MESH;
    refuse(&def, RILL_INVALID_ARGUMENT, "vertices");
    float vertices[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
    uint32_t indices[3] = { 0, 1, 3 };
    def.shape.vertices = vertices, def.shape.indices = indices;
    refuse(&def, RILL_INVALID_DATA, "vertex_count");
    def.shape.vertex_count = 3;
    refuse(&def, RILL_INVALID_DATA, "triangle_count");
    def.shape.triangle_count = 1;
    refuse(&def, RILL_INVALID_DATA, "triangle 0 names vertex 3");
    vertices[5] = NAN;
    refuse(&def, RILL_INVALID_DATA, "vertex 1");
    def.shape.triangle_count = SIZE_MAX / 4;
    refuse(&def, RILL_TOO_LARGE, "triangle_count");

    double heights[4] = { 0, 0, 0, NAN };
    def = good, def.shape.type = RILL_SHAPE_HEIGHTMAP;
    refuse(&def, RILL_INVALID_ARGUMENT, "heights");
    def.shape.heights = heights;
    refuse(&def, RILL_INVALID_ARGUMENT, "heights_size");
    def.shape.heights_size[0] = def.shape.heights_size[1] = INT32_MAX;
    refuse(&def, RILL_INVALID_ARGUMENT, "heights_size");
    def.shape.heights_size[0] = def.shape.heights_size[1] = 2;
    refuse(&def, RILL_INVALID_DATA, "column 1, row 1");
}

static void bad_grids_are_refused(void **state) {
    (void)state;
    bed_scene scene = scene_of(4, 4, 1.0);
    add_floor(&scene);
    const rill_world_def good = scene.def;
    for (int i = 0; i < 7; ++i) {
        static const char *const words[] = {
            "cells", "cells", "cell_size", "origin", "headroom", "min_opening", "high"
        };
        rill_world_def def = good;
        if (i == 0) def.grid.cells[0] = 0;
        if (i == 1) def.grid.cells[0] = def.grid.cells[1] = 32768;
        if (i == 2) def.grid.cell_size = NAN;
        if (i == 3) def.grid.origin[2] = INFINITY;
        if (i == 4) def.headroom = 0;
        if (i == 5) def.min_opening = -2;
        if (i == 6) def.grid.cell_size = 1e-9, def.headroom = 1e9;
        rill_columns columns = { .count = -5 };
        uint8_t touched[1];
        rill_message message = { "" };
        assert_true(rill_columns_build(&def, (const rill_solid *const *)scene.solids, 1, touched, &scene.allocator,
                                       &columns, &message));
        if (!strstr(message.text, words[i])) fail_msg("\"%s\" does not name %s", message.text, words[i]);
        assert_true(columns.count == -5);
    }
    free_scene(&scene);
}

/* ----------------------------------------------------------------------------------------------------------- memory */

/* One of everything, built with an allocator that refuses some request. */
static rill_result build_all(test_memory *memory) {
    static const double heights[4] = { 0.0, 0.01, 0.02, 0.0 };
    rill_allocator allocator = test_allocator(memory);
    rill_world_def world = plain_world_def();
    world.grid = (rill_grid){ .cells = { 24, 20 }, .cell_size = 0.01 };
    world.edges[0].kind = RILL_EDGE_OPEN;
    rill_solid_def defs[6] = { box_def("box", 0.05, 0.05, 0.1, 0.2, 0.15, 0.11) };
    for (int i = 1; i < 6; ++i) {
        defs[i] = rill_default_solid_def();
        defs[i].shape.type = (rill_shape)i;
        memcpy(defs[i].translate, (double[]){ 0.12, 0.1, 0.05 }, sizeof defs[i].translate);
    }
    defs[1].shape.radius = defs[2].shape.radius = defs[3].shape.radius = 0.05;
    defs[2].shape.to[0] = 0.1, defs[3].shape.tube = 0.002, defs[3].shape.axis[2] = 1; /* a thin ring: walls are found */
    defs[3].translate[2] = 0.02, defs[4].shape.axis[2] = 1;
    defs[4] = defs[0], defs[4].shape.type = RILL_SHAPE_HEIGHTMAP, defs[4].shape.heights = heights;
    defs[4].shape.heights_size[0] = defs[4].shape.heights_size[1] = 2;
    defs[5].shape.type = RILL_SHAPE_MESH;
    defs[5].shape.vertices = mesh.vertices, defs[5].shape.vertex_count = mesh.vertex_count;
    defs[5].shape.indices = mesh.indices, defs[5].shape.triangle_count = mesh.triangle_count;
    rill_solid *solids[6] = { NULL };
    rill_result result = RILL_OK;
    for (int i = 0; i < 6 && !result; ++i) result = rill_solid_make(&defs[i], &allocator, &solids[i], NULL);
    rill_columns columns = { 0 };
    rill_bed bed = { 0 };
    uint8_t touched[6];
    if (!result)
        result = rill_columns_build(&world, (const rill_solid *const *)solids, 6, touched, &allocator, &columns, NULL);
    if (!result) {
        rill_bed_info info = { 0 };
        rill_columns_describe(&columns, &info);
        rill_solids_describe((const rill_solid *const *)solids, 6, touched, &info);
        assert_true(info.walls_thickened > 0 && info.open_components == 1 && info.layers > 1);
        result = rill_bed_make(&columns, world.edges, &allocator, &bed, NULL);
    }
    if (!result)
        assert_true(rill_bed_validate(&bed, NULL) == RILL_OK && bed.pipe_count > 0 && bed.ghost_count > 0);
    else
        assert_null(bed.sheets);
    rill_bed_free(&bed, &allocator);
    rill_columns_free(&columns, &allocator);
    for (int i = 0; i < 6; ++i) rill_solid_free(solids[i], &allocator);
    assert_int_equal(memory->live, 0);
    return result;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    mesh.vertex_count = mesh.triangle_count = 0;
    mesh_ball(&mesh, 0.01, 0.01, 0.05, 0.06, 1.0, 12);
    test_memory memory = { 0 };
    assert_int_equal(build_all(&memory), RILL_OK);
    long requests = memory.count;
    assert_true(requests > 40);
    for (long i = 1; i <= requests; ++i)
        for (int forever = 0; forever < 2; ++forever) {
            memory = (test_memory){ .fail_at = i, .forever = forever };
            assert_int_equal(build_all(&memory), RILL_OUT_OF_MEMORY);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_definitions_are_refused),
        cmocka_unit_test(bad_grids_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
