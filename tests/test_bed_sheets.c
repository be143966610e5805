/* From columns to sheets, pipes, tiles and ghosts; and the validator of the bed, broken on purpose. */
#include "bed_scenes.h"

/* ------------------------------------------------------------------------------------------------- random columns */

/* Columns stacked at random, with many voids that touch, overlap by a quantum, or are shared by several neighbours. */
static rill_columns random_columns(uint64_t *seed, int32_t nx, int32_t ny, int most, int coarse) {
    const rill_allocator allocator = rill_alloc_default();
    rill_columns columns = { .grid = { .cells = { nx, ny }, .cell_size = 1.0 }, .quantum = 0x1p-20, .opening = 2 };
    size_t cells = (size_t)nx * (size_t)ny, capacity = cells * (size_t)most;
    int32_t *b = calloc(capacity, sizeof *b), *c = calloc(capacity, sizeof *c);
    columns.cell_first = rill_alloc_zeroed(&allocator, cells + 1, sizeof(int32_t));
    assert_true(b && c && columns.cell_first);
    int32_t count = 0;
    for (size_t i = 0; i < cells; ++i) {
        columns.cell_first[i] = count;
        int layers = (int)chance(seed, 0, most + 0.999);
        int32_t floor = 0;
        for (int k = 0; k < layers; ++k) {
            b[count] = floor + (int32_t)chance(seed, 0, coarse);
            c[count] = b[count] + 1 + (int32_t)chance(seed, 0, coarse);
            if (k + 1 == layers && chance(seed, 0, 1) < 0.8) c[count] = RILL_TOP;
            floor = c[count++] + 1;
        }
    }
    columns.cell_first[cells] = count;
    columns.count = count;
    columns.b = rill_alloc_zeroed(&allocator, (size_t)count, sizeof(int32_t));
    columns.c = rill_alloc_zeroed(&allocator, (size_t)count, sizeof(int32_t));
    columns.floors = rill_alloc_zeroed(&allocator, (size_t)count, sizeof(uint16_t));
    assert_true(columns.b && columns.c && columns.floors);
    memcpy(columns.b, b, (size_t)count * sizeof(int32_t));
    memcpy(columns.c, c, (size_t)count * sizeof(int32_t));
    free(b);
    free(c);
    return columns;
}

static bool is_sparse(const rill_bed *bed, int32_t l, int32_t r) {
    int32_t low = 0, high = bed->pipe_count;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        bool before = bed->pipe_l[middle] != l ? bed->pipe_l[middle] < l : bed->pipe_r[middle] < r;
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    return low < bed->pipe_count && bed->pipe_l[low] == l && bed->pipe_r[low] == r;
}

/* Every pair of neighbours is joined by exactly one pipe if their voids overlap by at least the opening, else by
 * none. */
static void expect_pipes(const rill_bed *bed) {
    int32_t nx = bed->grid.cells[0], ny = bed->grid.cells[1], sparse = 0, closed = 0;
    for (int32_t cell = 0; cell < nx * ny; ++cell)
        for (int side = 0; side < 2; ++side) {
            int32_t other = side ? cell + nx : cell + 1;
            if (side ? other >= nx * ny : other % nx == 0) continue;
            for (int32_t i = bed->cell_first[cell]; i < bed->cell_first[cell + 1]; ++i)
                for (int32_t k = bed->cell_first[other]; k < bed->cell_first[other + 1]; ++k) {
                    int32_t l = bed->places[i], r = bed->places[k];
                    int32_t overlap = (bed->c[l] < bed->c[r] ? bed->c[l] : bed->c[r]) -
                                      (bed->b[l] > bed->b[r] ? bed->b[l] : bed->b[r]);
                    int32_t stride = rill_bed_sheet_of(bed, l, NULL, NULL)->stride;
                    bool dense = r - l == (side ? stride : 1) && overlap > 0;
                    assert_int_equal(dense + is_sparse(bed, l, r), overlap >= bed->opening);
                    sparse += is_sparse(bed, l, r);
                    closed += overlap > 0 && overlap < bed->opening;
                }
        }
    assert_int_equal(sparse, bed->pipe_count);
    assert_int_equal(closed, bed->info.faces_closed);
}

static void every_pair_has_its_pipe(void **state) {
    (void)state;
    const rill_allocator allocator = rill_alloc_default();
    uint64_t seed = 11;
    for (int round = 0; round < 300; ++round) {
        int32_t nx = 1 + round % 23, ny = 1 + round * 7 % 19;
        rill_columns columns = random_columns(&seed, nx, ny, 1 + round % 9, round % 3 ? 4 : 1000);
        columns.opening = round % 3 ? 2 + round % 4 : 2 + round % 300;
        rill_edge edges[4] = { { .kind = (rill_edge_kind)(round % 3) },
                               { .kind = (rill_edge_kind)(round / 3 % 3), .level = 3e-6 } };
        rill_bed bed;
        rill_message message = { "" };
        if (rill_bed_make(&columns, edges, &allocator, &bed, &message) || rill_bed_validate(&bed, &message))
            fail_msg("round %d: %s", round, message.text);
        expect_pipes(&bed);
        assert_null(columns.cell_first);
        rill_bed_free(&bed, &allocator);
        rill_columns_free(&columns, &allocator);
    }
}

/* Equal columns give equal beds, bit by bit. */
static void numbering_is_deterministic(void **state) {
    (void)state;
    const rill_allocator allocator = rill_alloc_default();
    rill_bed beds[2];
    for (int i = 0; i < 2; ++i) {
        uint64_t seed = 5;
        rill_columns columns = random_columns(&seed, 40, 30, 6, 50);
        assert_int_equal(
            rill_bed_make(&columns, (rill_edge[4]){ { .kind = RILL_EDGE_OPEN } }, &allocator, &beds[i], NULL), RILL_OK);
        rill_columns_free(&columns, &allocator);
    }
    assert_int_equal(beds[0].plane_size, beds[1].plane_size);
    assert_int_equal(beds[0].pipe_count, beds[1].pipe_count);
    size_t plane = (size_t)beds[0].plane_size * sizeof(int32_t), pipes = (size_t)beds[0].pipe_count * sizeof(int32_t);
    assert_memory_equal(beds[0].b, beds[1].b, plane);
    assert_memory_equal(beds[0].c, beds[1].c, plane);
    assert_memory_equal(beds[0].pipe_l, beds[1].pipe_l, pipes);
    assert_memory_equal(beds[0].pipe_r, beds[1].pipe_r, pipes);
    for (int i = 0; i < 2; ++i) rill_bed_free(&beds[i], &allocator);
}

/* ------------------------------------------------------------------------------------------------------- platforms */

/* Five floors on top of each other, without and with 5 % holes: five sheets, and the only sparse pipes are at the rims
 * of the holes. */
static void platforms_are_sheets(void **state) {
    (void)state;
    for (int holes = 0; holes < 2; ++holes) {
        enum { N = 60 };
        const rill_allocator allocator = rill_alloc_default();
        uint64_t seed = 3;
        int32_t hole_count = 0;
        rill_columns columns = { .grid = { .cells = { N, N }, .cell_size = 0.001 }, .quantum = 0x1p-33, .opening = 2 };
        columns.cell_first = rill_alloc_zeroed(&allocator, N * N + 1, sizeof(int32_t));
        int32_t *b = calloc(5 * N * N, sizeof *b), *c = calloc(5 * N * N, sizeof *c), count = 0;
        assert_true(columns.cell_first && b && c);
        const int32_t storey = 40000000;
        for (int i = 0; i < N * N; ++i) {
            columns.cell_first[i] = count;
            b[count] = 0;
            for (int k = 1; k < 5; ++k) {
                if (holes && chance(&seed, 0, 1) < 0.05) {
                    ++hole_count;
                    continue;
                }
                c[count++] = k * storey - 1000000;
                b[count] = k * storey;
            }
            c[count++] = RILL_TOP;
        }
        columns.cell_first[N * N] = count;
        columns.count = count;
        columns.b = rill_alloc_zeroed(&allocator, (size_t)count, sizeof(int32_t));
        columns.c = rill_alloc_zeroed(&allocator, (size_t)count, sizeof(int32_t));
        columns.floors = rill_alloc_zeroed(&allocator, (size_t)count, sizeof(uint16_t));
        memcpy(columns.b, b, (size_t)count * sizeof(int32_t));
        memcpy(columns.c, c, (size_t)count * sizeof(int32_t));
        rill_bed bed;
        rill_message message = { "" };
        if (rill_bed_make(&columns, (rill_edge[4]){ 0 }, &allocator, &bed, &message) ||
            rill_bed_validate(&bed, &message))
            fail_msg("%s", message.text);
        expect_pipes(&bed);
        assert_int_equal(bed.sheet_count, 5);
        assert_true(bed.pipe_count <= 4 * hole_count && bed.pipe_count >= 3 * hole_count);
        /* The ground is the first sheet. */
        for (int32_t cell = 0; cell < N * N; ++cell)
            assert_ptr_equal(rill_bed_sheet_of(&bed, bed.places[bed.cell_first[cell]], NULL, NULL), bed.sheets);
        rill_bed_free(&bed, &allocator);
        rill_columns_free(&columns, &allocator);
        free(b);
        free(c);
    }
}

/* Many little shelves at different heights share one sheet instead of having one each. */
static void little_pieces_are_packed(void **state) {
    (void)state;
    bed_scene scene = scene_of(60, 60, 0.001);
    add_floor(&scene);
    for (int i = 0; i < 25; ++i) {
        double x = 0.002 + 0.012 * (i % 5), y = 0.002 + 0.012 * (i / 5), z = 0.003 + 0.0005 * (i % 7);
        add_box(&scene, x, y, z, x + 0.006, y + 0.005, z + 0.001);
    }
    build_bed(&scene);
    expect_pipes(&scene.bed);
    assert_int_equal(scene.bed.sheet_count, 2);
    assert_int_equal(scene.bed.sheets[0].nx, 60);
    free_scene(&scene);
}

/* ------------------------------------------------------------------------------------------------ finding, ghosts */

static void points_find_columns(void **state) {
    (void)state;
    bed_scene scene = scene_of(8, 6, 0.01);
    add_floor(&scene);
    uint16_t shelf = add_box(&scene, 0.02, 0, 0.03, 0.06, 0.06, 0.04);
    build_bed(&scene);
    const struct {
        double at[3];
        int32_t layer;
    } points[] = {
        { { 0.005, 0.005, 0.0 }, 0 },   { { 0.035, 0.035, 0.0 }, 0 },    { { 0.035, 0.035, 0.029 }, 0 },
        { { 0.035, 0.035, 0.035 }, 0 }, { { 0.035, 0.035, 0.04 }, 1 },   { { 0.035, 0.035, 9.0 }, 1 },
        { { 0.08, 0.06, 0.01 }, 0 },    { { 0.035, 0.035, -0.01 }, -1 }, { { -1e-9, 0.01, 0.1 }, -1 },
        { { 0.01, 0.0601, 0.1 }, -1 },  { { NAN, 0.01, 0.1 }, -1 },      { { 0.01, 0.01, NAN }, -1 },
    };
    for (size_t i = 0; i < sizeof points / sizeof points[0]; ++i) {
        int32_t layer = -1, column = rill_bed_find(&scene.bed, points[i].at, &layer);
        assert_int_equal(layer, points[i].layer);
        if (layer < 0)
            assert_int_equal(column, -1);
        else
            assert_int_equal(column, rill_bed_column(&scene.bed, i == 6 ? 7 : (int32_t)(points[i].at[0] / 0.01),
                                                     i == 6 ? 5 : (int32_t)(points[i].at[1] / 0.01), layer));
        if (layer == 1) assert_int_equal(scene.bed.floors[column], shelf);
    }
    assert_int_equal(rill_bed_column(&scene.bed, 0, 0, 1), -1);
    assert_int_equal(rill_bed_column(&scene.bed, 8, 0, 0), -1);
    assert_int_equal(rill_bed_column(&scene.bed, 0, 0, -1), -1);
    free_scene(&scene);
}

static void places_know_their_tiles(void **state) {
    (void)state;
    bed_scene scene = scene_of(37, 21, 0.01);
    add_floor(&scene);
    add_box(&scene, 0.05, 0.05, 0.03, 0.31, 0.17, 0.04);
    for (int side = 0; side < 4; ++side) scene.def.edges[side].kind = RILL_EDGE_OPEN;
    build_bed(&scene);
    const rill_bed *bed = &scene.bed;
    for (int32_t s = 0; s < bed->sheet_count; ++s) {
        const rill_sheet *sheet = &bed->sheets[s];
        assert_int_equal((sheet->first - 1) % 16, 0);
        assert_int_equal(sheet->stride % 16, 0);
        for (int32_t y = sheet->y0 - 1; y <= sheet->y0 + sheet->ny; ++y)
            for (int32_t x = sheet->x0 - 1; x <= sheet->x0 + sheet->nx; ++x) {
                int32_t place = sheet->first + (y - sheet->y0) * sheet->stride + (x - sheet->x0), px, py;
                assert_ptr_equal(rill_bed_sheet_of(bed, place, &px, &py), sheet);
                assert_true(px == x && py == y);
                int32_t tile = sheet->first_tile + (y - sheet->y0 + 1) / RILL_TILE_H * sheet->tiles_x +
                               (x - sheet->x0 + 1) / RILL_TILE_W;
                assert_int_equal(rill_bed_tile_of(bed, place), tile);
                assert_true(tile < bed->tile_count);
            }
    }
    assert_int_equal(bed->ghost_count, 2 * (37 + 21));
    free_scene(&scene);
}

static void ghosts_continue_the_floor(void **state) {
    (void)state;
    /* Falling eastwards by 1/4 to 5/4 of a cell, level in y; a reservoir in the north. */
    static const double heights[] = { 3.0, 2.75, 2.0, 0.75 };
    bed_scene scene = scene_of(4, 3, 1.0);
    rill_solid_def def = rill_default_solid_def();
    def.shape.type = RILL_SHAPE_HEIGHTMAP;
    def.shape.heights = heights;
    def.shape.heights_size[0] = 4, def.shape.heights_size[1] = 1;
    add_solid(&scene, &def);
    add_box(&scene, -1, 1, 4, 1, 2, 5); /* a ceiling over the west edge */
    scene.def.edges[RILL_WEST].kind = RILL_EDGE_OPEN;
    scene.def.edges[RILL_EAST].kind = RILL_EDGE_OPEN;
    scene.def.edges[RILL_NORTH] = (rill_edge){ .kind = RILL_EDGE_STILL, .level = 2.5 };
    build_bed(&scene);
    const rill_bed *bed = &scene.bed;
    assert_int_equal(bed->ghost_count, 4 + 3 + 4);
    for (int32_t i = 0; i < bed->ghost_count; ++i) {
        const rill_ghost *ghost = &bed->ghosts[i];
        int32_t x, y;
        rill_bed_sheet_of(bed, ghost->place, &x, &y);
        double base = rill_bed_z(bed, bed->b[ghost->place]), still = ghost->still * bed->quantum;
        if (i < 4) { /* uphill and level beyond, above and below the ceiling */
            assert_true(ghost->edge == RILL_WEST && x == -1 && still == 0.0);
            assert_true(fabs(base - (i == 2 ? 5.0 : 3.0)) < 1e-6);
            assert_int_equal(bed->c[ghost->place] == RILL_TOP, i != 1);
        } else if (i < 7) { /* would fall by 1.25, but 1 is the most, and 0.75 is all there is above the datum */
            assert_true(ghost->edge == RILL_EAST && x == 4 && still == 0.0);
            assert_int_equal(bed->b[ghost->place], 0);
        } else {
            assert_true(ghost->edge == RILL_NORTH && y == 3);
            assert_true(fabs(base - heights[x]) < 1e-6 && fabs(still - fmax(0, 2.5 - heights[x])) < 1e-6);
        }
    }
    free_scene(&scene);
}

/* ------------------------------------------------------------------------------------------------------- validator */

static void broken_beds_are_noticed(void **state) {
    (void)state;
    bed_scene scene = scene_of(20, 12, 0.01);
    add_floor(&scene);
    add_box(&scene, 0.05, 0.03, 0.03, 0.15, 0.09, 0.04);
    add_box(&scene, 0.08, 0.0, 0.02, 0.12, 0.05, 0.05);
    scene.def.edges[RILL_WEST].kind = RILL_EDGE_OPEN;
    build_bed(&scene);
    rill_bed *bed = &scene.bed;
    assert_true(bed->pipe_count > 2 && bed->sheet_count > 1);
    int32_t place = bed->places[100], padding = bed->sheets[0].first - 3;
    int32_t *targets[] = {
        &bed->b[place],          &bed->c[place],
        &bed->b[padding],        &bed->c[padding],
        &bed->places[7],         &bed->cell_first[30],
        &bed->pipe_l[1],         &bed->pipe_r[2],
        &bed->pipe_count,        &bed->sheets[1].stride,
        &bed->sheets[1].first,   &bed->sheets[1].nx,
        &bed->sheets[0].tiles_x, &bed->sheets[1].first_tile,
        &bed->ghosts[3].place,   &bed->ghosts[3].still,
        &bed->ghosts[2].edge,    &bed->ghost_count,
        &bed->info.layers,       &bed->tile_count,
        &bed->info.sheets,       &bed->b[bed->ghosts[5].place],
        &bed->plane_size,
    };
    enum { GHOST_BASE = 21 }; /* any base is possible down to the datum */
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; ++i)
        for (int change = -1; change <= 1; change += 2) {
            rill_message message = { "" };
            if (targets[i] == &bed->ghosts[3].still && change > 0) continue; /* a little liquid is no mistake */
            if (targets[i] == &bed->c[place] && change < 0) continue;        /* nor is a ceiling that hangs lower */
            if (targets[i] == &bed->b[place] && change > 0) continue;
            if (targets[i] == &bed->sheets[1].nx && change > 0) continue; /* room for a wall */
            if (targets[i] == &bed->plane_size && change > 0) continue;   /* would read beyond */
            int32_t kept = *targets[i];
            *targets[i] = kept == RILL_WALL ? 5 : targets[i] == &bed->b[place] || i == GHOST_BASE ? -1 : kept + change;
            if (rill_bed_validate(bed, &message) != RILL_INVALID_DATA)
                fail_msg("target %zu, change %d not noticed", i, change);
            assert_true(strncmp(message.text, "bed: ", 5) == 0);
            *targets[i] = kept;
            assert_int_equal(rill_bed_validate(bed, NULL), RILL_OK);
        }
    free_scene(&scene);
}

static void bad_columns_are_refused(void **state) {
    (void)state;
    const rill_allocator allocator = rill_alloc_default();
    for (int i = 0; i < 9; ++i) {
        uint64_t seed = 2;
        rill_columns columns = random_columns(&seed, 6, 5, 3, 20);
        int32_t k = 0;
        while (columns.cell_first[k + 1] - columns.cell_first[k] < 2) ++k;
        k = columns.cell_first[k];
        rill_columns broken = columns;
        if (i == 0) broken.c[k] = broken.b[k];
        if (i == 1) broken.b[k + 1] = broken.c[k];
        if (i == 2) broken.b[k] = -1;
        if (i == 3) broken.c[k + 1] = RILL_TOP + 1;
        if (i == 4) broken.cell_first[3] = broken.cell_first[4] + 1;
        if (i == 5) broken.cell_first[30] -= 1;
        if (i == 6) broken.quantum = NAN;
        if (i == 7) broken.count = -1;
        if (i == 8) broken.grid.cells[0] = 0;
        rill_bed bed;
        rill_message message = { "" };
        assert_int_equal(rill_bed_make(&broken, (rill_edge[4]){ 0 }, &allocator, &bed, &message), RILL_INVALID_DATA);
        assert_true(message.text[0] && broken.cell_first && broken.floors);
        rill_columns_free(&columns, &allocator);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_has_its_pipe),   cmocka_unit_test(numbering_is_deterministic),
        cmocka_unit_test(platforms_are_sheets),      cmocka_unit_test(little_pieces_are_packed),
        cmocka_unit_test(points_find_columns),       cmocka_unit_test(places_know_their_tiles),
        cmocka_unit_test(ghosts_continue_the_floor), cmocka_unit_test(broken_beds_are_noticed),
        cmocka_unit_test(bad_columns_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
