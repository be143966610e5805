/* Beds that change: an area built by itself is what the whole build has there, a solid changes no column beyond its
 * reach, and a bed that follows its solids in small pieces has the columns of one that is built afresh. */
#include "bed_scenes.h"

#include "base/hash.h"
#include "bed/update.h"

enum { SIDE = 30 };

static test_mesh mesh;

static bed_scene start(void) {
    bed_scene scene = scene_of(SIDE, SIDE - 4, 1.0);
    scene.def.grid.origin[0] = -3.3;
    scene.def.headroom = 40.0;
    add_floor(&scene);
    return scene;
}

/* Anything, anywhere, at any angle: thick and thin, closed, hollow and open. */
static rill_solid_def random_def(uint64_t *seed) {
    rill_solid_def def = rill_default_solid_def();
    double r = chance(seed, 1, 7), t = chance(seed, 0.02, 1.2);
    int kind = (int)chance(seed, 0, 9);
    mesh.vertex_count = mesh.triangle_count = 0;
    switch (kind) {
    case 0: def = box_def(NULL, -r, -3, -1, r, 3, 4); break;
    case 1: def = box_def(NULL, -r, -t / 2, -6, r, t / 2, 6); break; /* a thin wall */
    case 2: def.shape.type = RILL_SHAPE_SPHERE, def.shape.radius = r; break;
    case 3:
        def.shape.type = RILL_SHAPE_TORUS, def.shape.radius = r + t, def.shape.tube = t, def.shape.axis[2] = 1.0;
        break;
    case 4:
        def.shape.type = RILL_SHAPE_CYLINDER, def.shape.radius = t, def.shape.from[2] = -5.0, def.shape.to[2] = 5.0;
        break;
    case 5: mesh_ball(&mesh, 0, 0, 0, r, 0.3, 12); break; /* open: a sheet */
    case 6: mesh_box(&mesh, (double[]){ -r, -4, -t }, (double[]){ r, 4, t }); break;
    default:
        mesh_ball(&mesh, 0, 0, 0, r, 0.0, 11);
        mesh_ball(&mesh, 0, 0, 0, r - t / 3, 0.0, 11);
        for (size_t k = mesh.triangle_count / 2; k < mesh.triangle_count; ++k) {
            uint32_t *corner = mesh.indices + 3 * k, swap = corner[0];
            corner[0] = corner[1], corner[1] = swap;
        }
    }
    if (mesh.triangle_count > 0) {
        def.shape.type = RILL_SHAPE_MESH;
        def.shape.vertices = mesh.vertices, def.shape.vertex_count = mesh.vertex_count;
        def.shape.indices = mesh.indices, def.shape.triangle_count = mesh.triangle_count;
    }
    if (chance(seed, 0, 1) < 0.6)
        for (int k = 0; k < 3; ++k) def.rotate[k] = chance(seed, 0, 360);
    memcpy(def.translate, (double[]){ chance(seed, -6, 29), chance(seed, -3, 28), chance(seed, -2, 12) },
           sizeof def.translate);
    if (chance(seed, 0, 1) < 0.3) /* on the lines and between them */
        for (int k = 0; k < 3; ++k) def.translate[k] = floor(2 * def.translate[k]) / 2;
    return def;
}

static rill_area random_area(uint64_t *seed) {
    rill_area area;
    const int32_t cells[2] = { SIDE, SIDE - 4 };
    for (int i = 0; i < 2; ++i) {
        area.low[i] = (int32_t)chance(seed, 0, cells[i]);
        area.high[i] = area.low[i] + 1 + (int32_t)chance(seed, 0, cells[i] - area.low[i]);
        if (area.high[i] > cells[i]) area.high[i] = cells[i];
    }
    return area;
}

static rill_columns rebuild(const bed_scene *scene, const rill_columns *like, const rill_area *area) {
    const rill_range range = { like->quantum, like->datum };
    uint8_t touched[SCENE_SOLIDS];
    rill_columns columns;
    rill_message message = { "" };
    if (rill_columns_rebuild(&scene->def, &range, area, (const rill_solid *const *)scene->solids, scene->count, touched,
                             &scene->allocator, &columns, &message))
        fail_msg("%s", message.text);
    return columns;
}

/* The cell's first column in columns of some area, and how many there are; 0 for a cell outside. */
static int32_t columns_at(const rill_columns *columns, int32_t x, int32_t y, int32_t *first) {
    const rill_area *area = &columns->area;
    if (x < area->low[0] || x >= area->high[0] || y < area->low[1] || y >= area->high[1]) return -1;
    int32_t cell = (y - area->low[1]) * (area->high[0] - area->low[0]) + (x - area->low[0]);
    *first = columns->cell_first[cell];
    return columns->cell_first[cell + 1] - *first;
}

static bool same_cell(const rill_columns *a, const rill_columns *b, int32_t x, int32_t y) {
    int32_t i = 0, k = 0, count = columns_at(a, x, y, &i);
    if (columns_at(b, x, y, &k) != count) return false;
    for (int32_t n = 0; n < count; ++n)
        if (a->b[i + n] != b->b[k + n] || a->c[i + n] != b->c[k + n] || a->floors[i + n] != b->floors[k + n])
            return false;
    return true;
}

static void areas_are_parts_of_the_whole(void **state) {
    (void)state;
    uint64_t seed = 3;
    int64_t walls = 0;
    for (int round = 0; round < 300; ++round) {
        bed_scene scene = start();
        for (int i = 0; i < 1 + round % 4; ++i) {
            rill_solid_def def = random_def(&seed);
            add_solid(&scene, &def);
        }
        build_columns(&scene);
        walls += scene.info.walls_thickened;
        for (int i = 0; i < 4; ++i) {
            rill_area area = random_area(&seed);
            rill_columns part = rebuild(&scene, &scene.columns, &area);
            for (int32_t y = area.low[1]; y < area.high[1]; ++y)
                for (int32_t x = area.low[0]; x < area.high[0]; ++x)
                    if (!same_cell(&part, &scene.columns, x, y)) fail_msg("round %d, cell %d, %d", round, x, y);
            rill_columns_free(&part, &scene.allocator);
        }
        free_scene(&scene);
    }
    assert_true(walls > 1000); /* there was something to decide */
}

static void nothing_changes_beyond_reach(void **state) {
    (void)state;
    uint64_t seed = 5;
    int64_t changed = 0;
    for (int round = 0; round < 400; ++round) {
        bed_scene scene = start();
        for (int i = 0; i < 1 + round % 3; ++i) {
            rill_solid_def def = random_def(&seed);
            add_solid(&scene, &def);
        }
        build_columns(&scene);
        const rill_area all = { { 0, 0 }, { SIDE, SIDE - 4 } };
        rill_solid_def def = random_def(&seed);
        const rill_area reach = rill_solid_reach(scene.solids[add_solid(&scene, &def)], &scene.def.grid);
        rill_columns with = rebuild(&scene, &scene.columns, &all);
        for (int32_t y = 0; y < SIDE - 4; ++y)
            for (int32_t x = 0; x < SIDE; ++x) {
                bool same = same_cell(&with, &scene.columns, x, y);
                bool inside = x >= reach.low[0] && x < reach.high[0] && y >= reach.low[1] && y < reach.high[1];
                if (!same && !inside) fail_msg("round %d, cell %d, %d", round, x, y);
                changed += !same;
            }
        rill_columns_free(&with, &scene.allocator);
        free_scene(&scene);
    }
    assert_true(changed > 1000);
}

/* -------------------------------------------------------------------------------------------------------- following */

static uint64_t hash_ints(uint64_t hash, const int32_t *values, size_t count) {
    return rill_hash_bytes(hash, values, count * sizeof *values);
}

static uint64_t bed_hash(const rill_bed *bed) {
    const size_t cells = (size_t)bed->grid.cells[0] * (size_t)bed->grid.cells[1], plane = (size_t)bed->plane_size;
    const size_t columns = (size_t)bed->info.columns, pipes = (size_t)bed->pipe_count;
    uint64_t hash = hash_ints(RILL_HASH_START, bed->cell_first, cells + 1);
    hash = hash_ints(hash, bed->places, columns);
    hash = rill_hash_bytes(hash, bed->floors, columns * sizeof *bed->floors);
    hash = rill_hash_bytes(hash, bed->notes, cells * sizeof *bed->notes);
    hash = hash_ints(hash_ints(hash, bed->b, plane), bed->c, plane);
    hash = hash_ints(hash_ints(hash, bed->pipe_l, pipes), bed->pipe_r, pipes);
    hash = hash_ints(hash, (const int32_t *)(const void *)bed->ghosts, 3 * (size_t)bed->ghost_count);
    hash = rill_hash_u64(hash, (uint64_t)(bed->info.slivers_merged * 1009 + bed->info.walls_thickened));
    return rill_hash_u64(hash, (uint64_t)(bed->info.sheet_cells * 1009 + bed->info.wall_cells + bed->info.layers));
}

static rill_area both(rill_area a, rill_area b) {
    if (rill_area_empty(&a)) return b;
    for (int i = 0; i < 2 && !rill_area_empty(&b); ++i) {
        a.low[i] = a.low[i] < b.low[i] ? a.low[i] : b.low[i];
        a.high[i] = a.high[i] > b.high[i] ? a.high[i] : b.high[i];
    }
    return a;
}

/* Another pose, another shape, or nothing at all for a while. Returns the cells it has to do with, before and after. */
static rill_area change_solid(bed_scene *scene, size_t index, uint64_t *seed) {
    rill_solid **solid = &scene->solids[index];
    rill_area reach = { { 0, 0 }, { 0, 0 } };
    if (*solid) reach = rill_solid_reach(*solid, &scene->def.grid);
    const double dice = chance(seed, 0, 1);
    if (*solid && dice < 0.7) {
        double translate[3], rotate[3];
        for (int k = 0; k < 3; ++k) {
            translate[k] = (*solid)->def.translate[k] + chance(seed, -2, 2);
            rotate[k] = (*solid)->def.rotate[k] + chance(seed, -9, 9);
        }
        rill_message message = { "" };
        if (rill_solid_repose(*solid, translate, rotate, &scene->allocator, &message)) fail_msg("%s", message.text);
    } else {
        rill_solid_free(*solid, &scene->allocator);
        *solid = NULL;
        rill_solid_def def = random_def(seed);
        if (dice < 0.9) assert_int_equal(rill_solid_make(&def, &scene->allocator, solid, NULL), RILL_OK);
    }
    return *solid ? both(reach, rill_solid_reach(*solid, &scene->def.grid)) : reach;
}

/* The bed is made roomy, and roomier, as it is needed. */
static void follow(bed_scene *scene, rill_update *update) {
    bool full = false;
    rill_message message = { "" };
    rill_bed roomy;
    do {
        if (full || !scene->bed.roomy) {
            if (rill_bed_make_roomy(&scene->bed, 1, scene->def.edges, &scene->allocator, &roomy, &message) ||
                rill_bed_validate(&roomy, &message))
                fail_msg("%s", message.text);
            rill_bed_free(&scene->bed, &scene->allocator);
            scene->bed = roomy;
        }
        const uint64_t before = bed_hash(&scene->bed);
        rill_update_apply(update, &scene->bed, scene->def.edges, &scene->allocator, &full, &message);
        if (!full) {
            rill_update_undo(update, &scene->bed, scene->def.edges);
            rill_update_apply(update, &scene->bed, scene->def.edges, &scene->allocator, &full, &message);
            rill_update_undo(update, &scene->bed, scene->def.edges);
        }
        assert_true(bed_hash(&scene->bed) == before);
        rill_update_apply(update, &scene->bed, scene->def.edges, &scene->allocator, &full, &message);
    } while (full);
    if (rill_bed_validate(&scene->bed, &message)) fail_msg("%s", message.text);
}

/* The bed has the columns of all solids built afresh, floors and notes included. */
static void must_be_fresh(const bed_scene *scene, int round) {
    const rill_bed *bed = &scene->bed;
    const rill_area all = { { 0, 0 }, { SIDE, SIDE - 4 } };
    const rill_columns like = { .quantum = bed->quantum, .datum = bed->datum };
    rill_columns fresh = rebuild(scene, &like, &all);
    rill_bed_info info = { 0 };
    assert_int_equal(fresh.count, bed->info.columns);
    for (size_t i = 0; i < SIDE * (SIDE - 4); ++i) {
        assert_int_equal(fresh.cell_first[i], bed->cell_first[i]);
        for (int32_t k = fresh.cell_first[i]; k < fresh.cell_first[i + 1]; ++k)
            if (fresh.b[k] != bed->b[bed->places[k]] || fresh.c[k] != bed->c[bed->places[k]] ||
                fresh.floors[k] != bed->floors[k])
                fail_msg("round %d, cell %d, %d", round, (int)i % SIDE, (int)i / SIDE);
    }
    rill_columns_describe(&fresh, &info);
    assert_true(info.lowest == bed->info.lowest && info.highest == bed->info.highest);
    assert_int_equal(info.layers, bed->info.layers);
    assert_int_equal(info.wall_cells, bed->info.wall_cells);
    assert_int_equal(info.slivers_merged, bed->info.slivers_merged);
    assert_int_equal(info.walls_thickened, bed->info.walls_thickened);
    assert_int_equal(info.sheet_cells, bed->info.sheet_cells);
    assert_int_equal(info.out_of_range, bed->info.out_of_range);
    rill_columns_free(&fresh, &scene->allocator);
}

static void beds_follow_their_solids(void **state) {
    (void)state;
    uint64_t seed = 7;
    int64_t clipped = 0;
    for (int world = 0; world < 8; ++world) {
        bed_scene scene = start();
        for (int side = 0; side < 4; ++side)
            scene.def.edges[side] = (rill_edge){ (rill_edge_kind)((world >> (side & 1)) % 3), 2.0 };
        for (int i = 0; i < 3 + world % 3; ++i) {
            rill_solid_def def = random_def(&seed);
            add_solid(&scene, &def);
        }
        build_bed(&scene);
        const double quantum = scene.bed.quantum, datum = scene.bed.datum;
        rill_update update = rill_update_make();
        for (int round = 0; round < 60; ++round) {
            rill_area areas[2] = { { { 0, 0 }, { 0, 0 } }, { { 0, 0 }, { 0, 0 } } };
            for (int i = 0; i < 2; ++i) {
                const double first = round % 20 == 19 ? 0 : 1; /* now and then the floor itself */
                areas[i] = change_solid(&scene, (size_t)chance(&seed, first, (double)scene.count), &seed);
            }
            const bool apart = !rill_area_overlaps(&areas[0], &areas[1]);
            if (!apart) areas[0] = both(areas[0], areas[1]);
            rill_message message = { "" };
            for (int i = 0; i < (apart ? 2 : 1); ++i) {
                if (rill_area_empty(&areas[i])) continue;
                rill_columns part = rebuild(&scene, &scene.columns, &areas[i]);
                assert_int_equal(
                    rill_update_compare(&update, &scene.bed, &part, &scene.allocator, &scene.allocator, &message),
                    RILL_OK);
            }
            if (update.changes.count > 0)
                follow(&scene, &update);
            else
                rill_update_touch(&update, &scene.bed);
            rill_update_end(&update, &scene.allocator);
            assert_true(scene.bed.quantum == quantum && scene.bed.datum == datum);
            must_be_fresh(&scene, round);
            clipped += scene.bed.info.out_of_range;
        }
        rill_update_free(&update, &scene.allocator);
        free_scene(&scene);
    }
    assert_true(clipped > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(areas_are_parts_of_the_whole),
        cmocka_unit_test(nothing_changes_beyond_reach),
        cmocka_unit_test(beds_follow_their_solids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
