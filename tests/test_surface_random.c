/* A thousand small random worlds with layers, overhangs and pockets: whatever stands where, links are those of the
 * definition, every wet column with a free surface has its place in the mesh, and the mesh is whole (mesh_check.h).
 *
 * A world follows from its number alone. `test_surface_random FIRST COUNT` runs others, or one that failed again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "mesh_check.h"
#include "plain_world.h"
#include "surface/surface.h"
#include "world/world.h"

static unsigned long first_world = 1, world_count = 1000;

/* ------------------------------------------------------------------------------------------------ dice (SplitMix64) */

static uint64_t roll(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double between(uint64_t *dice, double low, double high) {
    return low + (high - low) * (double)(roll(dice) >> 11) * 0x1p-53;
}

static bool chance(uint64_t *dice, double p) {
    return between(dice, 0, 1) < p;
}

/* ---------------------------------------------------------------------------------------------------------- worlds */

typedef struct sample {
    unsigned long number;
    uint64_t dice;
    rill_world_def def;
    rill_world *world;
    double width[2], height;
} sample;

static void add(sample *s, const rill_solid_def *def) {
    rill_solid_id id;
    if (rill_solid_create(s->world, def, &id)) fail_msg("world %lu: %s", s->number, rill_world_message(s->world));
}

static void add_terrain(sample *s) {
    double heights[9 * 9];
    rill_solid_def def = rill_default_solid_def();
    def.shape.type = RILL_SHAPE_HEIGHTMAP;
    def.shape.heights = heights;
    def.shape.heights_size[0] = def.shape.heights_size[1] = 9;
    const double rough = between(&s->dice, 0, 0.6), tilt = between(&s->dice, -0.3, 0.3);
    for (int i = 0; i < 81; ++i)
        heights[i] = s->height * (0.2 + tilt * (i % 9) / 9 + rough * between(&s->dice, -0.5, 0.5));
    add(s, &def);
}

/* A plate, a block or a ball somewhere. */
static void add_solid(sample *s) {
    uint64_t *d = &s->dice;
    rill_solid_def def = rill_default_solid_def();
    const double centre[3] = { between(d, 0, s->width[0]), between(d, 0, s->width[1]), s->height * between(d, 0, 1) };
    if (chance(d, 0.2)) {
        def.shape.type = RILL_SHAPE_SPHERE;
        memcpy(def.shape.centre, centre, sizeof centre);
        def.shape.radius = s->height * between(d, 0.1, 0.5);
    } else {
        def.shape.type = RILL_SHAPE_BOX;
        for (int i = 0; i < 3; ++i) {
            const double half = i < 2 ? s->width[i] * between(d, 0.05, 0.4) : s->height * between(d, 0.005, 0.1);
            def.shape.min[i] = centre[i] - half;
            def.shape.max[i] = centre[i] + half;
        }
        if (chance(d, 0.5)) { /* aslant, about its own middle */
            for (int i = 0; i < 3; ++i) {
                def.shape.min[i] -= centre[i], def.shape.max[i] -= centre[i];
                def.translate[i] = centre[i];
                def.rotate[i] = i < 2 ? between(d, -30, 30) : between(d, -90, 90);
            }
        }
    }
    add(s, &def);
}

/* Every layer wet in places, to any depth. */
static void fill(sample *s) {
    rill_bed_info info;
    assert_int_equal(rill_bed_get_info(s->world, &info), RILL_OK);
    const size_t cells = (size_t)s->def.grid.cells[0] * (size_t)s->def.grid.cells[1];
    double *depths = malloc(cells * sizeof *depths);
    assert_non_null(depths);
    for (int32_t layer = 0; layer < info.layers; ++layer) {
        const double wet = between(&s->dice, 0.1, 1.1), depth = s->height * between(&s->dice, 0.001, 0.5);
        for (size_t i = 0; i < cells; ++i) depths[i] = chance(&s->dice, wet) ? depth * between(&s->dice, 0.2, 1) : 0;
        if (rill_world_fill_depths(s->world, layer, depths, cells, NULL))
            fail_msg("world %lu: %s", s->number, rill_world_message(s->world));
    }
    free(depths);
}

static void make_world(sample *s) {
    s->def = plain_world_def();
    for (int i = 0; i < 2; ++i) s->def.grid.cells[i] = 1 + (int32_t)between(&s->dice, 0, 16);
    s->def.grid.cell_size = pow(10, between(&s->dice, -4, 0));
    for (int i = 0; i < 2; ++i) s->width[i] = s->def.grid.cell_size * s->def.grid.cells[i];
    s->height = s->def.grid.cell_size * between(&s->dice, 1, 8);
    s->def.headroom = s->height;
    s->def.solver.passages = (rill_passages)(roll(&s->dice) % 3);
    s->def.runtime.scalar = chance(&s->dice, 0.3);
    s->def.runtime.tasks.threads = chance(&s->dice, 0.05) ? 2 : 1;
    if (rill_world_create(&s->def, &s->world, NULL)) fail_msg("world %lu: no world", s->number);
    add_terrain(s);
    for (int i = (int)between(&s->dice, 0, 6); i > 0; --i) add_solid(s);
    if (rill_bed_build(s->world)) fail_msg("world %lu: %s", s->number, rill_world_message(s->world));
    fill(s);
}

/* ---------------------------------------------------------------------------------------------------------- checks */

static bool is_wet(const rill_world *world, int32_t place) {
    const int32_t depth = world->flow.H[place];
    return depth > RILL_DRY && !rill_flow_flooded(&world->flow, place) &&
           world->bed.b[place] + depth < world->bed.c[place];
}

/* The definition, word for word; k and l are columns of neighbouring cells, by their place in bed.places. */
static bool are_linked(const rill_world *world, int32_t k, int32_t k_first, int32_t l, int32_t l_first) {
    const rill_bed *bed = &world->bed;
    const int32_t i = bed->places[k], j = bed->places[l];
    const bool wet[2] = { is_wet(world, i), is_wet(world, j) };
    if (!wet[0] && !wet[1]) return false;
    const int32_t ends[2] = { i, j };
    for (int e = 0; e < 2; ++e)
        if (!wet[e] && world->flow.H[ends[e]] > RILL_DRY) return false; /* no free surface */
    const int64_t hi = bed->b[i] + (wet[0] ? world->flow.H[i] : 0), hj = bed->b[j] + (wet[1] ? world->flow.H[j] : 0);
    const int64_t mi = k > k_first ? bed->c[bed->places[k - 1]] : INT64_MIN;
    const int64_t mj = l > l_first ? bed->c[bed->places[l - 1]] : INT64_MIN;
    return mj < hi && hi < bed->c[j] && mi < hj && hj < bed->c[i];
}

static void check_links(const sample *s, const rill_surface *surface, int32_t x, int32_t y) {
    const rill_bed *bed = &s->world->bed;
    const int32_t wide = bed->grid.cells[0], *first = bed->cell_first + y * wide + x;
    for (int32_t k = first[0]; k < first[1]; ++k) {
        const int32_t place = bed->places[k], stride = rill_bed_sheet_of(bed, place, NULL, NULL)->stride;
        for (int32_t d = 0; d < RILL_DIRECTIONS; ++d) {
            const int32_t nx = x + RILL_STEP_X[d], ny = y + RILL_STEP_Y[d];
            int32_t expected = -1;
            if (nx >= 0 && ny >= 0 && nx < wide && ny < bed->grid.cells[1]) {
                const int32_t *next = bed->cell_first + ny * wide + nx;
                for (int32_t l = next[0]; l < next[1]; ++l)
                    if (are_linked(s->world, k, first[0], l, next[0])) expected = bed->places[l];
            }
            const int32_t found = rill_surface_neighbour(surface, place, d, stride);
            if (found != expected)
                fail_msg("world %lu: column %d of cell (%d, %d) is linked to %d in direction %d, expected %d",
                         s->number, place, x, y, found, d, expected);
        }
    }
}

static size_t check_columns(const sample *s, const rill_surface *surface) {
    const rill_bed *bed = &s->world->bed;
    size_t wet = 0;
    for (int32_t y = 0; y < bed->grid.cells[1]; ++y)
        for (int32_t x = 0; x < bed->grid.cells[0]; ++x) check_links(s, surface, x, y);
    for (int64_t k = 0; k < bed->info.columns; ++k) wet += is_wet(s->world, bed->places[k]);
    return wet;
}

static void check_surface(const sample *s, rill_surface *surface) {
    if (rill_surface_build(surface)) fail_msg("world %lu: %s", s->number, rill_world_message(s->world));
    const size_t wet = check_columns(s, surface);
    if (surface->column_vertices != wet)
        fail_msg("world %lu: %zu vertices of columns, expected %zu", s->number, surface->column_vertices, wet);
    const mesh_report report = mesh_check(surface, s->def.grid.cell_size);
    if (report.text[0]) fail_msg("world %lu: %s", s->number, report.text);
    if (report.unused > 0) fail_msg("world %lu: %zu vertices of no triangle", s->number, report.unused);
    if (report.broken_edges > surface->tears)
        fail_msg("world %lu: %zu edges end inside the liquid, expected at most %zu", s->number, report.broken_edges,
                 surface->tears);
}

/* As printed shores jump and tear, but triangles are still whole. */
static void check_paper_shores(const sample *s) {
    rill_surface_def def = rill_default_surface_def();
    rill_surface *surface = NULL;
    def.smooth_shores = def.floor = false;
    assert_int_equal(rill_surface_create(s->world, &def, &surface), RILL_OK);
    if (rill_surface_build(surface)) fail_msg("world %lu: %s", s->number, rill_world_message(s->world));
    const mesh_report report = mesh_check(surface, s->def.grid.cell_size);
    if (report.text[0]) fail_msg("world %lu, as printed: %s", s->number, report.text);
    rill_surface_destroy(surface);
}

static size_t run_world(unsigned long number) {
    sample s = { .number = number, .dice = number * 0x2545f4914f6cdd1du };
    make_world(&s);
    rill_surface_def def = rill_default_surface_def();
    def.floor = chance(&s.dice, 0.5);
    def.meniscus = (rill_meniscus)(roll(&s.dice) % 3);
    rill_surface *surface = NULL;
    assert_int_equal(rill_surface_create(s.world, &def, &surface), RILL_OK);
    check_paper_shores(&s);
    for (int i = 0; i < 3; ++i) {
        check_surface(&s, surface);
        rill_world_step(s.world, 0.02 * sqrt(s.def.grid.cell_size));
    }
    const size_t tears = surface->tears;
    rill_surface_destroy(surface);
    rill_world_destroy(s.world);
    return tears;
}

static void random_worlds(void **state) {
    (void)state;
    size_t torn = 0;
    for (unsigned long i = 0; i < world_count; ++i) torn += run_world(first_world + i) > 0;
    assert_true(10 * torn <= 9 * world_count + 9); /* tears are not the rule */
}

int main(int argc, char **argv) {
    if (argc > 1) first_world = strtoul(argv[1], NULL, 10);
    if (argc > 2) world_count = strtoul(argv[2], NULL, 10);
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_worlds) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
