/* A thousand random worlds through the public API: whatever the cells, cell size, step, liquid, terrain, layers,
 * solids, sources, sinks, edges, gravity and solver, the state stays finite, every depth lies between 0 and the room
 * under its ceiling, not a quantum is lost, and the world's own validator agrees. With surface tension on, solids move too.
 *
 * A scene follows from its number alone. `test_random_scenes FIRST COUNT` runs others, or one that failed again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>
#include <rill/rill.h>

#include "plain_world.h"

static unsigned long first_scene = 1, scene_count = 1000 / ALONE_PART;

/* ------------------------------------------------------------------------------------------------ dice (SplitMix64) */

typedef struct dice {
    uint64_t state;
} dice;

static uint64_t roll(dice *d) {
    uint64_t z = d->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Uniform from low to high. */
static double between(dice *d, double low, double high) {
    return low + (high - low) * (double)(roll(d) >> 11) * 0x1p-53;
}

/* As often near low as near high, on a logarithmic scale. */
static double scaled(dice *d, double low, double high) {
    return low * pow(high / low, between(d, 0, 1));
}

/* 0 ... count - 1. */
static int32_t one_of(dice *d, int32_t count) {
    return (int32_t)(roll(d) % (uint64_t)count);
}

static bool chance(dice *d, double p) {
    return between(d, 0, 1) < p;
}

/* ------------------------------------------------------------------------------------------------------------ scene */

typedef struct scene {
    unsigned long number;
    dice dice;
    bool tension;
    rill_world_def def;
    rill_world *world;
    rill_source_id sources[6];
    int32_t source_count;
    int32_t layers;
    size_t cells;
    double size[2]; /* m */
    double height;  /* m: how high things are */
    double quantum;
    double *base, *ceiling, *field; /* [cells], of one layer; field has room for two values per cell */
} scene;

/* Names the scene and the call, so that a failure can be repeated. */
static void expect(const scene *s, rill_result result, const char *call) {
    if (result != RILL_OK) {
        fail_msg("scene %lu: %s: %s: %s", s->number, call, rill_result_name(result),
                 s->world ? rill_world_message(s->world) : "");
    }
}

static rill_solver random_solver(dice *d, bool tension) {
    rill_solver solver = plain_world_def().solver;
    if (tension) solver.tension = chance(d, 0.9) ? RILL_TENSION_ON : RILL_TENSION_OFF;
    solver.pipe_area = chance(d, tension ? 0.05 : 0.25) ? RILL_PIPE_AREA_PAPER : RILL_PIPE_AREA_PHYSICAL;
    solver.advection = chance(d, 0.75);
    solver.rest = chance(d, 0.75);
    solver.skip_idle = chance(d, 0.75);
    solver.friction = chance(d, 0.5) ? 0 : scaled(d, 1e-3, 1);
    solver.max_substeps = chance(d, 0.3) ? 1 + one_of(d, 8) : 64;
    return solver;
}

static void random_gravity(dice *d, double gravity[3]) {
    double g = chance(d, 0.1) ? scaled(d, 0.01, 1000) : 9.81;
    bool tilted = chance(d, 0.5);
    double tilt = chance(d, 0.1) ? 3 : 0.5;
    gravity[0] = tilted ? g * between(d, -tilt, tilt) : 0;
    gravity[1] = tilted ? g * between(d, -tilt, tilt) : 0;
    gravity[2] = chance(d, 0.02) ? g : -g; /* now and then it lifts off */
}

static rill_liquid random_liquid(dice *d, bool tension) {
    rill_liquid liquid = rill_default_world_def().liquid;
    if (chance(d, 0.5))
        rill_liquid_preset(rill_liquid_preset_name(one_of(d, rill_liquid_preset_count())), &liquid);
    else
        liquid.viscosity = chance(d, 0.3) ? 0 : scaled(d, 1e-8, 10);
    if (tension) {
        liquid.contact_angle.advancing = chance(d, 0.1) ? 180 * one_of(d, 2) : between(d, 0, 180);
        liquid.contact_angle.receding = liquid.contact_angle.advancing * (chance(d, 0.2) ? 1 : between(d, 0, 1));
        liquid.surface_tension *= chance(d, 0.7) ? 1 : scaled(d, 1e-2, 1e2);
        liquid.drying = chance(d, 0.5) ? liquid.drying : scaled(d, 1e-3, 1e3);
    }
    return liquid;
}

static void make_definition(scene *s) {
    dice *d = &s->dice;
    rill_world_def *def = &s->def;
    *def = plain_world_def();
    def->grid.cells[0] = 1 + one_of(d, chance(d, 0.1) ? 120 : 40);
    def->grid.cells[1] = 1 + one_of(d, 40);
    def->grid.cell_size = scaled(d, 1e-4, s->tension ? 1.8e-3 : 1);
    for (int k = 0; k < 3; ++k) def->grid.origin[k] = chance(d, 0.5) ? 0 : def->grid.cell_size * between(d, -50, 50);
    s->cells = (size_t)def->grid.cells[0] * (size_t)def->grid.cells[1];
    s->size[0] = def->grid.cell_size * def->grid.cells[0];
    s->size[1] = def->grid.cell_size * def->grid.cells[1];
    s->height = def->grid.cell_size * scaled(d, 0.1, 30);
    def->headroom = s->height * scaled(d, 0.1, 10);
    def->min_opening = chance(d, 0.5) ? 0 : s->height * between(d, 0, 0.05);
    for (int k = 0; k < 4; ++k) {
        def->edges[k].kind = chance(d, 0.5) ? RILL_EDGE_WALL : (rill_edge_kind)one_of(d, 3);
        def->edges[k].level = def->grid.origin[2] + s->height * between(d, -0.2, 1.5);
    }
    random_gravity(d, def->gravity);
    def->liquid = random_liquid(d, s->tension);
    def->solver = random_solver(d, s->tension);
    def->runtime.scalar = chance(d, 0.2);
    def->runtime.tasks.threads = chance(d, 0.05 * ALONE_PART) ? 2 : 1;
}

/* A point anywhere in or a little outside the grid. */
static void random_point(scene *s, double out[3]) {
    for (int k = 0; k < 2; ++k) out[k] = s->def.grid.origin[k] + s->size[k] * between(&s->dice, -0.1, 1.1);
    out[2] = s->def.grid.origin[2] + s->height * between(&s->dice, -0.5, 1.5);
}

static void random_solid(scene *s, rill_solid_def *def) {
    dice *d = &s->dice;
    double span = s->size[0] > s->size[1] ? s->size[0] : s->size[1];
    *def = rill_default_solid_def();
    def->shape.type = (rill_shape)one_of(d, RILL_SHAPE_PLANE + 1);
    random_point(s, def->shape.min);
    random_point(s, def->shape.centre);
    random_point(s, def->shape.from);
    random_point(s, def->shape.to);
    random_point(s, def->shape.point);
    for (int k = 0; k < 3; ++k) {
        double extent = k < 2 ? s->size[k] * between(d, 0.05, 1) : s->height * scaled(d, 1e-3, 1);
        def->shape.max[k] = def->shape.min[k] + extent;
        def->shape.axis[k] = k < 2 ? between(d, -0.5, 0.5) : 1;
        bool turned = def->shape.type != RILL_SHAPE_PLANE && chance(d, 0.5); /* a plane must not stand on its edge */
        def->rotate[k] = turned ? between(d, -180, 180) : 0;
        def->translate[k] = chance(d, 0.5) ? 0 : 0.1 * s->height * between(d, -1, 1);
    }
    def->shape.radius = span * scaled(d, 0.02, 0.5);
    def->shape.tube = def->shape.radius * between(d, 0.05, 0.9);
    def->shape.point[2] = s->def.grid.origin[2] - s->height * between(d, 0, 1);
}

/* Terrain of a random size, stretched over the grid; smooth, rough or stepped. */
static void add_terrain(scene *s) {
    dice *d = &s->dice;
    double heights[32 * 32];
    rill_solid_def def = rill_default_solid_def();
    def.shape.type = RILL_SHAPE_HEIGHTMAP;
    def.shape.heights = heights;
    def.shape.heights_size[0] = 1 + one_of(d, 32);
    def.shape.heights_size[1] = 1 + one_of(d, 32);
    double rough = chance(d, 0.3) ? 0 : scaled(d, 1e-4, 1), tilt = between(d, -1, 1), steps = one_of(d, 3) * 2;
    for (int32_t i = 0; i < def.shape.heights_size[0] * def.shape.heights_size[1]; ++i) {
        double z = 0.5 + 0.02 * tilt * (i % def.shape.heights_size[0]) + rough * between(d, -0.5, 0.5);
        heights[i] = s->height * (steps > 0 ? floor(z * steps) / steps : z);
    }
    rill_solid_id id;
    expect(s, rill_solid_create(s->world, &def, &id), "rill_solid_create (terrain)");
}

static void make_bed(scene *s) {
    rill_message message = { "" };
    rill_result result = rill_world_create(&s->def, &s->world, &message);
    if (result != RILL_OK) fail_msg("scene %lu: rill_world_create: %s", s->number, message.text);
    int32_t solids = one_of(&s->dice, 7);
    if (solids == 0 || chance(&s->dice, 0.8)) add_terrain(s);
    for (int32_t i = 0; i < solids; ++i) {
        rill_solid_def def;
        rill_solid_id id;
        random_solid(s, &def);
        expect(s, rill_solid_create(s->world, &def, &id), "rill_solid_create");
    }
    expect(s, rill_bed_build(s->world), "rill_bed_build");
    rill_bed_info info;
    expect(s, rill_bed_get_info(s->world, &info), "rill_bed_get_info");
    s->layers = info.layers;
    s->quantum = info.quantum;
}

static void fill(scene *s) {
    dice *d = &s->dice;
    for (int32_t layer = 0; layer < s->layers; ++layer) {
        double wet = between(d, 0, 1), depth = s->height * scaled(d, 1e-4, 0.5);
        for (size_t i = 0; i < s->cells; ++i)
            s->field[i] = chance(d, 0.05) ? (double)NAN : chance(d, wet) ? depth * between(d, 0.5, 1) : 0;
        expect(s, rill_world_fill_depths(s->world, layer, s->field, s->cells, NULL), "rill_world_fill_depths");
        if (chance(d, 0.2)) {
            double speed = scaled(d, 1e-3, 10);
            for (size_t i = 0; i < 2 * s->cells; ++i) s->field[i] = speed * between(d, -1, 1);
            expect(s, rill_world_set_velocities(s->world, layer, s->field, 2 * s->cells), "rill_world_set_velocities");
        }
    }
}

/* A rate that would cover the whole grid to a fraction of the height within a second. */
static double random_rate(scene *s, rill_source_shape shape) {
    double rise = s->height * scaled(&s->dice, 1e-4, 10);
    return shape == RILL_SOURCE_RAIN ? rise * 3.6e6 : rise * s->size[0] * s->size[1];
}

static void add_sources(scene *s) {
    dice *d = &s->dice;
    int32_t wanted = one_of(d, 7);
    for (int32_t i = 0; i < wanted; ++i) {
        rill_source_def def = rill_default_source_def();
        def.shape = (rill_source_shape)one_of(d, RILL_SOURCE_RAIN + 1);
        def.sink = def.shape != RILL_SOURCE_RAIN && chance(d, 0.4);
        random_point(s, def.at);
        random_point(s, def.min);
        for (int k = 0; k < 3; ++k) def.max[k] = def.min[k] + (k < 2 ? s->size[k] : s->height) * between(d, 0.01, 1);
        def.radius = s->def.grid.cell_size * scaled(d, 0.1, 10);
        *(def.shape == RILL_SOURCE_RAIN ? &def.rain : &def.rate) = random_rate(s, def.shape);
        def.from = chance(d, 0.7) ? 0 : between(d, 0, 0.2);
        def.until = chance(d, 0.7) ? def.until : def.from + between(d, 0, 0.3);
        /* A point without a column under it is bad data, and refused as such. */
        rill_result result = rill_source_create(s->world, &def, &s->sources[s->source_count]);
        if (result == RILL_OK)
            s->source_count++;
        else if (result != RILL_INVALID_DATA && result != RILL_INVALID_ARGUMENT)
            expect(s, result, "rill_source_create");
    }
}

/* Lets a solid come up or go aside by less than a cell or by many. Terrain stays. */
static void move_solid(scene *s) {
    dice *d = &s->dice;
    const int32_t count = rill_world_solid_count(s->world);
    if (count == 0) return;
    const rill_solid_id id = rill_world_solid_at(s->world, one_of(d, count));
    double translate[3], rotate[3] = { 0, 0, 0 };
    for (int k = 0; k < 3; ++k) translate[k] = s->def.grid.cell_size * scaled(d, 0.1, 10) * (chance(d, 0.5) ? 1 : -1);
    const rill_result result = rill_solid_set_pose(s->world, id, translate, rotate);
    if (result != RILL_INVALID_ARGUMENT) expect(s, result, "rill_solid_set_pose");
}

static void change_something(scene *s) {
    dice *d = &s->dice;
    if (s->tension && chance(d, 0.2)) move_solid(s);
    if (chance(d, 0.15)) {
        double gravity[3];
        random_gravity(d, gravity);
        expect(s, rill_world_set_gravity(s->world, gravity), "rill_world_set_gravity");
    }
    if (chance(d, 0.05)) {
        rill_liquid liquid = random_liquid(d, s->tension);
        expect(s, rill_world_set_liquid(s->world, &liquid), "rill_world_set_liquid");
    }
    if (chance(d, 0.05)) {
        rill_solver solver = random_solver(d, s->tension);
        expect(s, rill_world_set_solver(s->world, &solver), "rill_world_set_solver");
    }
    if (s->source_count > 0 && chance(d, 0.1)) {
        int32_t i = one_of(d, s->source_count);
        const double rate = random_rate(s, RILL_SOURCE_POINT);
        if (rill_source_set_rate(s->world, s->sources[i], rate) != RILL_OK) /* it rains */
            expect(s, rill_source_set_rain(s->world, s->sources[i], rate), "rill_source_set_rain");
    }
}

/* ----------------------------------------------------------------------------------------------------------- checks */

static void check_layer(scene *s, int32_t layer) {
    rill_world *world = s->world;
    expect(s, rill_world_read_field(world, RILL_FIELD_BASE, layer, s->base, s->cells), "read base");
    expect(s, rill_world_read_field(world, RILL_FIELD_CEILING, layer, s->ceiling, s->cells), "read ceiling");
    expect(s, rill_world_read_field(world, RILL_FIELD_DEPTH, layer, s->field, s->cells), "read depth");
    for (size_t i = 0; i < s->cells; ++i) {
        if (isnan(s->base[i])) continue;
        double depth = s->field[i], room = s->ceiling[i] - s->base[i]; /* differences of rounded doubles */
        if (!(depth >= 0 && depth <= room + 0.5 * s->quantum && isfinite(depth))) {
            fail_msg("scene %lu, layer %d, cell %zu: depth %.17g outside 0 .. %.17g", s->number, (int)layer, i, depth,
                     room);
        }
    }
    expect(s, rill_world_read_field(world, RILL_FIELD_FACES, layer, s->field, 2 * s->cells), "read faces");
    for (size_t i = 0; i < 2 * s->cells; ++i)
        if (!isnan(s->base[i / 2]) && !isfinite(s->field[i]))
            fail_msg("scene %lu, layer %d, cell %zu: face velocity %g", s->number, (int)layer, i / 2, s->field[i]);
}

static void check(scene *s) {
    rill_ledger ledger;
    rill_bed_info info;
    expect(s, rill_bed_get_info(s->world, &info), "rill_bed_get_info");
    s->layers = info.layers;
    expect(s, rill_world_get_ledger(s->world, &ledger), "rill_world_get_ledger");
    if (ledger.error != 0) fail_msg("scene %lu: ledger error %lld quanta", s->number, (long long)ledger.error);
    for (int32_t layer = 0; layer < s->layers; ++layer) check_layer(s, layer);
    rill_message message = { "" };
    if (rill_world_validate(s->world, &message) != RILL_OK)
        fail_msg("scene %lu: rill_world_validate: %s", s->number, message.text);
}

static int64_t run_scene(unsigned long number, bool tension) {
    scene s = { .number = number, .dice = { number * 0x2545f4914f6cdd1du }, .tension = tension };
    make_definition(&s);
    make_bed(&s);
    s.base = malloc(s.cells * sizeof *s.base);
    s.ceiling = malloc(s.cells * sizeof *s.ceiling);
    s.field = malloc(2 * s.cells * sizeof *s.field);
    assert_true(s.base && s.ceiling && s.field);
    fill(&s);
    add_sources(&s);
    check(&s);
    double dt = scaled(&s.dice, 1e-4, 0.1);
    int32_t steps = 24 + one_of(&s.dice, 48);
    for (int32_t i = 0; i < steps; ++i) {
        change_something(&s);
        const rill_result result = rill_world_step(s.world, dt * between(&s.dice, 0.5, 2));
        if (tension && result == RILL_INVALID_STATE) break; /* solids have left the liquid no room */
        if (result != RILL_OK) fail_msg("scene %lu: step refused: %s", number, rill_world_message(s.world));
        if (i % 6 == 5) check(&s);
    }
    check(&s);
    rill_ledger ledger;
    expect(&s, rill_world_get_ledger(s.world, &ledger), "rill_world_get_ledger");
    rill_world_destroy(s.world);
    free(s.base);
    free(s.ceiling);
    free(s.field);
    return ledger.columns;
}

static void run_scenes(unsigned long count, bool tension) {
    unsigned long wet = 0;
    for (unsigned long i = 0; i < count; ++i) wet += run_scene(first_scene + i, tension) > 0;
    print_message("%lu scenes, %lu of them with liquid at the end\n", count, wet);
    /* Scenes that end dry prove little. */
    assert_true(count < 100 || wet > count / 2);
}

static void random_scenes_stay_sound(void **state) {
    (void)state;
    run_scenes(scene_count, false);
}

static void tension_keeps_them_sound(void **state) {
    (void)state;
    run_scenes((scene_count + 2) / 3, true);
}

int main(int argc, char **argv) {
    if (argc == 3) {
        first_scene = strtoul(argv[1], NULL, 10);
        scene_count = strtoul(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_scenes_stay_sound),
                                        cmocka_unit_test(tension_keeps_them_sound) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
