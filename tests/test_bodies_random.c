/* A thousand random bodies in random worlds: all shapes, from a tenth of a cell to twenty cells, from a hundredth of
 * the liquid's density to twenty times it and of infinite mass, in tanks with floors, slopes, steps, overhangs, walls,
 * sources, sinks, open edges and solids that move. Bodies are thrown, taken away, brought in and put elsewhere while it
 * runs. Whatever happens: nothing is refused, everything is finite, not a quantum is lost, and the world's own
 * validator agrees.
 *
 * A scene follows from its number alone. `test_bodies_random FIRST COUNT` runs others, or one that failed again. */
#include "tanks.h"

enum { MOST = 8, STEPS = 8 };

enum { WORLDS = 240 / ALONE_PART };
static unsigned long first_scene = 1, scene_count = WORLDS;

typedef struct scene {
    unsigned long number;
    dice dice;
    rill_world_def def;
    rill_world *world;
    rill_solid_id mover;
    rill_body_id bodies[MOST];
    int count, made; /* bodies there are, and ever were */
    double dx, wide, high, level, dt;
} scene;

static double scaled(dice *d, double low, double high) {
    return low * pow(high / low, between(d, 0, 1));
}

static int one_of(dice *d, int count) {
    const int i = (int)between(d, 0, count);
    return i < count ? i : count - 1;
}

static void expect(const scene *s, rill_result result, const char *call) {
    if (result != RILL_OK)
        fail_msg("scene %lu: %s: %s: %s", s->number, call, rill_result_name(result), rill_world_message(s->world));
}

/* ------------------------------------------------------------------------------------------------------------ world */

static void random_definition(scene *s) {
    dice *d = &s->dice;
    rill_world_def *def = &s->def;
    *def = plain_world_def();
    for (int k = 0; k < 2; ++k) def->grid.cells[k] = 8 + one_of(d, 16);
    s->dx = def->grid.cell_size = scaled(d, 5e-4, 0.05);
    s->wide = s->dx * fmin(def->grid.cells[0], def->grid.cells[1]);
    s->high = s->dx * scaled(d, 2, 20);
    s->level = s->high * between(d, 0.2, 1);
    s->dt = chance(d, 0.5) ? 1.0 / 60 : scaled(d, 1e-3, 0.03);
    def->headroom = s->high * between(d, 0.5, 3);
    for (int k = 0; k < 4; ++k)
        if (chance(d, 0.15)) def->edges[k] = (rill_edge){ chance(d, 0.5) ? RILL_EDGE_OPEN : RILL_EDGE_STILL, s->level };
    if (chance(d, 0.25)) def->gravity[0] = between(d, -4, 4);
    if (chance(d, 0.5)) def->liquid.viscosity = chance(d, 0.4) ? 0 : scaled(d, 1e-7, 1);
    def->solver.rest = chance(d, 0.7);
    def->solver.advection = chance(d, 0.8);
    def->solver.passages = chance(d, 0.8) ? RILL_PASSAGES_ANY : (rill_passages)one_of(d, 3);
    def->solver.pipe_area = chance(d, 0.1) ? RILL_PIPE_AREA_PAPER : RILL_PIPE_AREA_PHYSICAL;
    if (chance(d, 0.2)) def->solver.max_substeps = 1 + one_of(d, 8);
    def->runtime.scalar = chance(d, 0.2);
}

/* Slope or steps, boxes that hang over or stand as walls, and a plank that moves. */
static void random_solids(scene *s) {
    dice *d = &s->dice;
    double heights[64];
    rill_solid_def ground = rill_default_solid_def();
    ground.shape.type = RILL_SHAPE_HEIGHTMAP;
    ground.shape.heights = heights;
    ground.shape.heights_size[0] = ground.shape.heights_size[1] = 8;
    const double tilt = chance(d, 0.5) ? 0 : between(d, -0.1, 0.1), rough = chance(d, 0.5) ? 0 : between(d, 0, 0.3);
    for (int i = 0; i < 64; ++i) heights[i] = s->high * (tilt * (i % 8) + rough * between(d, 0, 1));
    rill_solid_id id;
    expect(s, rill_solid_create(s->world, &ground, &id), "rill_solid_create");
    const int boxes = one_of(d, 4);
    for (int i = 0; i <= boxes; ++i) {
        const double x = between(d, -0.1, 1) * s->wide, y = between(d, -0.1, 1) * s->wide;
        const double z = chance(d, 0.3) ? -s->high : between(d, 0, 1.2) * s->high;
        const rill_solid_def box = box_def(NULL, x, y, z, x + s->wide * between(d, 0.05, 0.6),
                                           y + s->wide * between(d, 0.05, 0.6), z + s->high * between(d, 0.05, 1));
        expect(s, rill_solid_create(s->world, &box, &s->mover), "rill_solid_create");
    }
    expect(s, rill_bed_build(s->world), "rill_bed_build");
}

/* Everything up to a level, however it hangs together. */
static void fill_all(scene *s) {
    const size_t cells = (size_t)s->def.grid.cells[0] * (size_t)s->def.grid.cells[1];
    double *base = malloc(cells * sizeof *base);
    assert_non_null(base);
    const rill_bed_info info = bed_info(s->world);
    for (int32_t layer = 0; layer < info.layers; ++layer) {
        expect(s, rill_world_read_field(s->world, RILL_FIELD_BASE, layer, base, cells), "rill_world_read_field");
        for (size_t i = 0; i < cells; ++i)
            if (!isnan(base[i])) base[i] = fmax(0, s->level - base[i]);
        expect(s, rill_world_fill_depths(s->world, layer, base, cells, NULL), "rill_world_fill_depths");
    }
    free(base);
}

static void random_source(scene *s) {
    dice *d = &s->dice;
    rill_source_def def = rill_default_source_def();
    def.shape = chance(d, 0.3) ? RILL_SOURCE_RAIN : RILL_SOURCE_DISC;
    def.sink = def.shape == RILL_SOURCE_DISC && chance(d, 0.4);
    def.radius = s->dx * between(d, 0.5, 6);
    for (int k = 0; k < 2; ++k) def.at[k] = s->wide * between(d, 0, 1);
    def.at[2] = 2 * s->high;
    const double rise = s->high * scaled(d, 1e-3, 1);
    if (def.shape == RILL_SOURCE_RAIN)
        def.rain = rise * 3.6e6;
    else
        def.rate = rise * s->wide * s->wide;
    rill_source_id id;
    const rill_result result = rill_source_create(s->world, &def, &id);
    if (result != RILL_INVALID_DATA && result != RILL_INVALID_ARGUMENT) expect(s, result, "rill_source_create");
}

/* ----------------------------------------------------------------------------------------------------------- bodies */

static rill_body_state random_state(scene *s) {
    dice *d = &s->dice;
    rill_body_state state = rill_default_body_def().state;
    const bool lost = chance(d, 0.03), thrown = chance(d, 0.3);
    for (int k = 0; k < 3; ++k) {
        const double place = between(d, -0.15, 1.15);
        state.position[k] = (k < 2 ? s->wide : 2 * s->high) * place + (lost ? between(d, -1000, 1000) : 0);
        state.velocity[k] = thrown ? between(d, -1, 1) * scaled(d, 0.01, 3) : 0;
        state.angular_velocity[k] = thrown ? between(d, -1, 1) * scaled(d, 0.1, 100) : 0;
        state.orientation[k] = chance(d, 0.5) ? between(d, -1, 1) : 0;
    }
    if (chance(d, 0.05)) state.acceleration[1] = between(d, -30, 30);
    return state;
}

static void random_body(scene *s) {
    dice *d = &s->dice;
    const double size = s->dx * scaled(d, 0.1, 20);
    /* A wedge with a keel for hulls and meshes. */
    static const float wedge[18] = { -1, -0.3f, 0.2f,  1,    0, 0.2f,   -1, 0.3f, 0.2f,
                                     -1, 0,     -0.3f, 0.7f, 0, -0.25f, 0,  0,    0.5f };
    static const uint32_t sides[24] = { 0, 1, 5, 1, 2, 5, 2, 0, 5, 3, 4, 1, 3, 1, 0, 3, 2, 4, 4, 2, 1, 3, 0, 2 };
    float vertices[18];
    for (int i = 0; i < 18; ++i) vertices[i] = wedge[i] * (float)size;
    rill_body_def def = rill_default_body_def();
    def.shape.type = body_shapes[one_of(d, BODY_SHAPES)];
    def.shape.radius = 0.5 * size;
    set_length(&def.shape, size * scaled(d, 0.1, 3));
    for (int k = 0; k < 3; ++k) set_edge(&def.shape, k, size * scaled(d, 0.1, 1));
    def.shape.vertices = vertices;
    def.shape.vertex_count = 6;
    def.shape.indices = sides;
    def.shape.triangle_count = 8;
    def.density = scaled(d, 10, 20000);
    def.mass = chance(d, 0.15) ? (double)INFINITY : 0;
    def.drag = chance(d, 0.5) ? 1 : between(d, 0, 2);
    def.state = random_state(s);
    expect(s, rill_body_create(s->world, &def, &s->bodies[s->count]), "rill_body_create");
    s->count += 1;
    s->made += 1;
}

static void check_bodies(const scene *s) {
    for (int i = 0; i < s->count; ++i) {
        rill_body_state state;
        rill_body_forces forces;
        expect(s, rill_body_get_state(s->world, s->bodies[i], &state), "rill_body_get_state");
        expect(s, rill_body_get_forces(s->world, s->bodies[i], &forces), "rill_body_get_forces");
        double sum = forces.submerged_volume + forces.wetted_area + forces.level;
        for (int k = 0; k < 3; ++k) {
            sum += state.position[k] + state.velocity[k] + state.angular_velocity[k];
            sum += forces.impulse[k] + forces.angular_impulse[k] + forces.submerged_centre[k];
        }
        for (int k = 0; k < 4; ++k) sum += state.orientation[k];
        for (int k = 0; k < 2; ++k) sum += forces.liquid_velocity[k];
        if (!isfinite(sum)) fail_msg("scene %lu: body %d is not finite", s->number, i);
    }
}

static void check_liquid(const scene *s) {
    const picture p = take_picture(s->world);
    for (size_t i = 0; i < 3 * p.cells * (size_t)p.layers; ++i)
        if (isinf(p.values[i]) || fabs(p.values[i]) > 1e4)
            fail_msg("scene %lu: a depth or velocity of %g", s->number, p.values[i]);
    free(p.values);
    if (ledger_error(s->world) != 0)
        fail_msg("scene %lu: ledger error %lld", s->number, (long long)ledger_error(s->world));
    rill_message message = { "" };
    if (rill_world_validate(s->world, &message) != RILL_OK) fail_msg("scene %lu: %s", s->number, message.text);
}

/* Between two steps. */
static void change_something(scene *s) {
    dice *d = &s->dice;
    if (s->count > 0 && chance(d, 0.1)) {
        const int i = one_of(d, s->count);
        expect(s, rill_body_destroy(s->world, s->bodies[i]), "rill_body_destroy");
        s->bodies[i] = s->bodies[--s->count];
    }
    if (s->count < MOST && chance(d, 0.1)) random_body(s);
    if (s->count > 0 && chance(d, 0.1)) {
        const rill_body_state state = random_state(s);
        expect(s, rill_body_set_state(s->world, s->bodies[one_of(d, s->count)], &state), "rill_body_set_state");
    }
    if (chance(d, 0.15)) {
        const double place[3] = { s->dx * between(d, -2, 2), s->dx * between(d, -2, 2), s->dx * between(d, 0, 2) };
        expect(s, rill_solid_set_pose(s->world, s->mover, place, (double[3]){ 0, 0, 0 }), "rill_solid_set_pose");
    }
    if (chance(d, 0.03)) fill_all(s);
}

/* The liquid is checked every so many steps. */
static int run_scene(unsigned long number, int every) {
    scene s = { .number = number, .dice = { number * 0x2545f4914f6cdd1du } };
    random_definition(&s);
    rill_message message = { "" };
    if (rill_world_create(&s.def, &s.world, &message) != RILL_OK) fail_msg("scene %lu: %s", number, message.text);
    random_solids(&s);
    if (chance(&s.dice, 0.5)) fill_all(&s);
    const int wanted = 1 + one_of(&s.dice, MOST - 1);
    for (int i = 0; i < wanted; ++i) random_body(&s);
    if (chance(&s.dice, 0.7)) fill_all(&s);
    if (chance(&s.dice, 0.5)) random_source(&s);
    for (int i = 0; i < STEPS; ++i) {
        change_something(&s);
        if (rill_world_step(s.world, s.dt) != RILL_OK)
            fail_msg("scene %lu, step %d: %s", number, i, rill_world_message(s.world));
        check_bodies(&s);
        if (i % every == every - 1) check_liquid(&s);
    }
    rill_world_destroy(s.world);
    return s.made;
}

static void test_random_bodies(void **state) {
    (void)state;
    int made = 0;
    for (unsigned long i = 0; i < scene_count; ++i) made += run_scene(first_scene + i, 4);
    if (scene_count == WORLDS) assert_true(made >= 1000 / ALONE_PART);
}

/* Scenes in which a step once left something wrong behind: liquid that sources had pushed into ceilings where a body
 * had been, and velocities over dry ground. */
static void test_once_wrong(void **state) {
    (void)state;
    static const unsigned long numbers[] = { 1150, 1385, 1413, 1968, 2179 };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) run_scene(numbers[i], 1);
}

/* ----------------------------------------------------------------------------------------------------- light bodies */

/* Spheres, boxes and capsules of a two-hundredth of the liquid's density or more, a tenth of a cell to six cells wide,
 * are dropped into a pool of 20 x 20 cells, put afloat, let go under water, or brought in where liquid is. However
 * light, none gets faster than what falls from where it started: the rest is with the liquid that goes along with
 * it. */
static void run_light(unsigned long number) {
    dice d = { number * 0x2545f4914f6cdd1du };
    const double dx = scaled(&d, 5e-4, 0.01), size = dx * scaled(&d, 0.1, 6),
                 depth = fmax(size, 2 * dx) * between(&d, 0.5, 2);
    const double dt = scaled(&d, 1.0 / 240, 1.0 / 30), drop = size * between(&d, 0, 2), at[3] = { dx, dx, 0.1 * dx };
    const int way = one_of(&d, 4);
    rill_world_def world_def = tank_def(20, 20, RILL_PASSAGES_ANY);
    world_def.grid.cell_size = dx;
    world_def.headroom = 4 * depth + 8 * size;
    world_def.liquid.viscosity = 1e-6;
    scene s = { .number = number, .world = make_tank(&world_def) };
    build(s.world);
    rill_body_def def = rill_default_body_def();
    def.shape.type = body_shapes[one_of(&d, PLAIN_SHAPES - 1)];
    def.shape.radius = 0.5 * size;
    set_length(&def.shape, size);
    for (int k = 0; k < 3; ++k) set_edge(&def.shape, k, size * between(&d, 0.3, 1));
    def.density = world_def.liquid.density * scaled(&d, 5e-3, 1);
    for (int k = 0; k < 2; ++k) def.state.position[k] = dx * between(&d, 9, 11);
    def.state.position[2] = way == 0 ? depth + size + drop : depth * between(&d, 0.3, 1);
    for (int k = 0; k < 4; ++k) def.state.orientation[k] = between(&d, -1, 1);
    if (way == 3) expect(&s, rill_world_fill_level(s.world, at, depth, NULL), "rill_world_fill_level");
    expect(&s, rill_body_create(s.world, &def, &s.bodies[s.count++]), "rill_body_create");
    if (way != 3) expect(&s, rill_world_fill_level(s.world, at, depth, NULL), "rill_world_fill_level");
    const double most = sqrt(2 * 9.81 * (depth + drop + 2 * size));
    for (int i = 0; i < 24; ++i) {
        rill_world_step(s.world, dt);
        check_bodies(&s);
        rill_body_state state;
        expect(&s, rill_body_get_state(s.world, s.bodies[0], &state), "rill_body_get_state");
        const double *v = state.velocity, speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        if (state.position[2] < 0) break; /* there is no contact with the bed */
        if (speed > most) fail_msg("light body %lu: %g m/s, expected at most %g", number, speed, most);
    }
    check_liquid(&s);
    rill_world_destroy(s.world);
}

static void test_light_bodies(void **state) {
    (void)state;
    for (unsigned long i = 0; i < scene_count; ++i) run_light(first_scene + i);
}

int main(int argc, char **argv) {
    if (argc > 2) {
        first_scene = strtoul(argv[1], NULL, 10);
        scene_count = strtoul(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_random_bodies), cmocka_unit_test(test_once_wrong),
                                        cmocka_unit_test(test_light_bodies) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
