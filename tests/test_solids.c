/* Solids that move while there is liquid: nothing is created or lost, whatever they do; what is enclosed stays
 * enclosed; the same calls give the same bits. Of the bed alone see test_bed_update.c. */
#include "worlds.h"

#include <math.h>

/* ---------------------------------------------------------------------------------------------------------- helpers */

static double chance(uint64_t *seed, double low, double high) {
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * (double)(*seed >> 11) * 0x1p-53;
}

static void run(rill_world *world, int steps, double dt) {
    for (int i = 0; i < steps; ++i) assert_int_equal(rill_world_step(world, dt), RILL_OK);
}

static rill_solid_id add(rill_world *world, const rill_solid_def *def) {
    rill_solid_id id = { 0 };
    must(world, rill_solid_create(world, def, &id));
    return id;
}

static rill_solid_id add_box(rill_world *world, const char *name, double x0, double y0, double z0, double x1, double y1,
                             double z1) {
    const rill_solid_def def = box_def(name, x0, y0, z0, x1, y1, z1);
    return add(world, &def);
}

static void move(rill_world *world, rill_solid_id id, double x, double y, double z) {
    must(world, rill_solid_set_pose(world, id, (double[]){ x, y, z }, (double[]){ 0.0, 0.0, 0.0 }));
}

static rill_sample sample(rill_world *world, double x, double y, double z) {
    rill_sample out;
    must(world, rill_query_points(world, (double[]){ x, y, z }, 1, &out));
    return out;
}

static double volume_in(rill_world *world, double x0, double y0, double z0, double x1, double y1, double z1) {
    double volume;
    must(world, rill_query_box_volume(world, (double[]){ x0, y0, z0 }, (double[]){ x1, y1, z1 }, &volume));
    return volume;
}

static rill_world *open_world(int32_t nx, int32_t ny, const rill_runtime *runtime) {
    rill_world_def def = plain_world_def();
    def.grid.cells[0] = nx;
    def.grid.cells[1] = ny;
    def.headroom = 0.02;
    if (runtime) def.runtime = *runtime;
    rill_world *world = NULL;
    rill_message message = { "" };
    if (rill_world_create(&def, &world, &message)) fail_msg("%s", message.text);
    return world;
}

/* A soft bump: a dome over a flat bottom, `rings` x `steps`, closed. */
enum { RINGS = 6, STEPS = 14, DOME_VERTICES = RINGS * STEPS + 2, DOME_TRIANGLES = 2 * RINGS * STEPS };
typedef struct dome {
    float vertices[3 * DOME_VERTICES];
    uint32_t indices[3 * DOME_TRIANGLES];
} dome;

static void shape_dome(dome *d, double radius, double height, double wobble) {
    for (int r = 0; r < RINGS; ++r)
        for (int s = 0; s < STEPS; ++s) {
            float *v = d->vertices + 3 * (r * STEPS + s);
            const double angle = 6.283185307179586 * s / STEPS, at = radius * (r + 1) / RINGS;
            v[0] = (float)(at * cos(angle)), v[1] = (float)(at * sin(angle));
            v[2] = (float)(height * (1.0 - at * at / (radius * radius)) * (1.0 + wobble * sin(3.0 * angle)));
        }
    float *top = d->vertices + 3 * (RINGS * STEPS), *bottom = top + 3;
    top[0] = top[1] = bottom[0] = bottom[1] = 0.0f;
    top[2] = (float)height, bottom[2] = (float)-0.002;
}

static rill_solid_def dome_def(dome *d, const char *name, double radius, double height) {
    uint32_t *out = d->indices;
    const uint32_t top = RINGS * STEPS, bottom = top + 1;
    for (uint32_t s = 0; s < STEPS; ++s) {
        const uint32_t n = (s + 1) % STEPS, last = (RINGS - 1) * STEPS;
        for (uint32_t r = 0; r + 1 < RINGS; ++r) {
            const uint32_t a = r * STEPS + s, b = r * STEPS + n;
            const uint32_t quad[] = { a, a + STEPS, b + STEPS, a, b + STEPS, b };
            memcpy(out, quad, sizeof quad);
            out += 6;
        }
        const uint32_t caps[] = { top, s, n, bottom, last + n, last + s };
        memcpy(out, caps, sizeof caps);
        out += 6;
    }
    shape_dome(d, radius, height, 0.0);
    rill_solid_def def = rill_default_solid_def();
    def.name = name;
    def.shape.type = RILL_SHAPE_MESH;
    def.shape.vertices = d->vertices;
    def.shape.vertex_count = DOME_VERTICES;
    def.shape.indices = d->indices;
    def.shape.triangle_count = DOME_TRIANGLES;
    return def;
}

/* -------------------------------------------------------------------------------------------------------- any moves */

enum { MOST_SOLIDS = 10 };

typedef struct circus {
    rill_world *world;
    uint64_t seed;
    rill_solid_id ids[MOST_SOLIDS];
    rill_shape shapes[MOST_SOLIDS];
    dome dome;
} circus;

static rill_solid_def random_solid(circus *c) {
    uint64_t *seed = &c->seed;
    const double r = chance(seed, 0.001, 0.006);
    rill_solid_def def = rill_default_solid_def();
    switch ((int)chance(seed, 0, 6)) {
    case 0: def = box_def(NULL, -r, -0.004, -0.002, r, 0.004, chance(seed, -0.001, 0.006)); break;
    case 1: def = box_def(NULL, -r, -0.0003, -0.01, r, 0.0002, 0.01); break;
    case 2: def.shape.type = RILL_SHAPE_SPHERE, def.shape.radius = r; break;
    case 3:
        def.shape.type = RILL_SHAPE_TORUS, def.shape.radius = r + 0.001, def.shape.tube = 0.001,
        def.shape.axis[2] = 1.0;
        break;
    case 4:
        def.shape.type = RILL_SHAPE_CYLINDER, def.shape.radius = 0.5 * r, def.shape.from[2] = -0.004,
        def.shape.to[2] = 0.008;
        break;
    default: def = dome_def(&c->dome, NULL, 2.0 * r, r);
    }
    for (int i = 0; i < 3; ++i) def.rotate[i] = chance(seed, 0, 1) < 0.5 ? 0.0 : chance(seed, -180, 180);
    memcpy(def.translate,
           (double[]){ chance(seed, -0.002, 0.042), chance(seed, -0.002, 0.034), chance(seed, 0, 0.012) },
           sizeof def.translate);
    return def;
}

static void move_something(circus *c) {
    rill_world *world = c->world;
    uint64_t *seed = &c->seed;
    const int slot = (int)chance(seed, 0, MOST_SOLIDS);
    const rill_solid_id id = c->ids[slot];
    double translate[3], rotate[3];
    if (id.value == 0) {
        const rill_solid_def def = random_solid(c);
        must(world, rill_solid_create(world, &def, &c->ids[slot]));
        c->shapes[slot] = def.shape.type;
        return;
    }
    switch ((int)chance(seed, 0, 10)) {
    case 0:
        must(world, rill_solid_destroy(world, id));
        c->ids[slot] = (rill_solid_id){ 0 };
        break;
    case 1: must(world, rill_solid_set_visible(world, id, !rill_solid_is_visible(world, id))); break;
    case 2: {
        const rill_solid_def def = random_solid(c);
        must(world, rill_solid_replace(world, id, &def));
        c->shapes[slot] = def.shape.type;
        break;
    }
    case 3:
        if (c->shapes[slot] == RILL_SHAPE_MESH) {
            shape_dome(&c->dome, chance(seed, 0.002, 0.012), chance(seed, 0.0, 0.006), chance(seed, -0.5, 0.5));
            must(world, rill_solid_set_vertices(world, id, c->dome.vertices, DOME_VERTICES));
            break;
        } /* fall through */
    default:
        must(world, rill_solid_get_pose(world, id, translate, rotate));
        for (int i = 0; i < 3; ++i) {
            translate[i] += chance(seed, -1, 1) * (i == 2 ? 0.0015 : 0.003);
            if (chance(seed, 0, 1) < 0.2) rotate[i] += chance(seed, -5, 5);
        }
        must(world, rill_solid_set_pose(world, id, translate, rotate));
    }
}

/* A floor with a rim and a table, sources and sinks, open and still edges. */
static circus open_circus(int kind, const rill_runtime *runtime) {
    circus c = { .seed = (uint64_t)kind + 11 };
    rill_world_def def = plain_world_def();
    def.grid.cells[0] = 40;
    def.grid.cells[1] = 32;
    def.headroom = 0.02;
    def.edges[kind % 4] = (rill_edge){ .kind = RILL_EDGE_OPEN };
    def.edges[(kind + 1) % 4] = (rill_edge){ .kind = RILL_EDGE_STILL, .level = 0.002 };
    def.solver.advection = kind % 2 == 0;
    def.solver.passages = (rill_passages)(kind % 3);
    if (runtime) def.runtime = *runtime;
    rill_message message = { "" };
    if (rill_world_create(&def, &c.world, &message)) fail_msg("%s", message.text);
    add_box(c.world, "floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
    add_box(c.world, "rim", 0.020, 0.0, 0.0, 0.021, 0.020, 0.004);
    add_box(c.world, "table", 0.005, 0.005, 0.006, 0.030, 0.020, 0.007);
    for (int i = 0; i < 4; ++i) {
        const rill_solid_def solid = random_solid(&c);
        c.ids[i] = add(c.world, &solid);
        c.shapes[i] = solid.shape.type;
    }
    must(c.world, rill_bed_build(c.world));
    const rill_sample corner = sample(c.world, 0.035, 0.030, 0.0);
    if (corner.base < 0.003)
        must(c.world, rill_world_fill_level(c.world, (double[]){ 0.035, 0.030, corner.base }, 0.003, NULL));
    rill_source_def rain = point_source("rain", 0.0, 0.0, 0.0, 0.0),
                    drain = point_source("drain", 0.03, 0.01, 0.0, 2e-6);
    rain.shape = RILL_SOURCE_RAIN, rain.rain = 3e4;
    drain.shape = RILL_SOURCE_DISC, drain.radius = 0.003, drain.sink = true;
    rill_source_def jet = point_source("jet", 0.012, 0.012, 0.008, 5e-6);
    rill_source_id id;
    must(c.world, rill_source_create(c.world, &rain, &id));
    must(c.world, rill_source_create(c.world, &drain, &id));
    must(c.world, rill_source_create(c.world, &jet, &id));
    return c;
}

static void perform(circus *c, int moves) {
    for (int i = 0; i < moves; ++i) {
        move_something(c);
        const double dice = chance(&c->seed, 0, 1);
        if (dice < 0.3) must(c->world, rill_bed_build(c->world));
        if (dice > 0.6) run(c->world, 1, 0.002);
        assert_int_equal(ledger_error(c->world), 0);
        if (i % 100 == 99) must_be_valid(c->world);
    }
}

static void ten_thousand_moves(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; ++kind) {
        circus c = open_circus(kind, NULL);
        rill_ledger ledger;
        perform(&c, 2500 / ALONE_PART);
        run(c.world, 20, 0.005);
        must(c.world, rill_world_get_ledger(c.world, &ledger));
        assert_int_equal(ledger.error, 0);
        assert_true(ledger.columns > 0);
        must_be_valid(c.world);
        rill_world_destroy(c.world);
    }
}

static void the_same_moves_give_the_same_bits(void **state) {
    (void)state;
    uint64_t expected = 0;
    for (int kind = 0; kind < 4; ++kind) {
        rill_runtime runtime = rill_default_world_def().runtime;
        runtime.tasks.threads = kind == 1 ? 2 : kind == 2 ? 5 : 1;
        runtime.scalar = kind == 3;
        circus c = open_circus(3, &runtime);
        perform(&c, ALONE_PART > 1 ? 75 : 300);
        if (kind == 0) expected = rill_world_hash(c.world);
        assert_true(rill_world_hash(c.world) == expected);
        rill_world_destroy(c.world);
    }
}

/* Gives a circus the ids of its own world in place of those of the world that it was saved from. */
static void find_ids(circus *copy, const rill_world *original) {
    for (int i = 0; i < MOST_SOLIDS; ++i) {
        rill_solid_id found = { 0 };
        for (int32_t k = 0; k < rill_world_solid_count(original); ++k)
            if (rill_world_solid_at(original, k).value == copy->ids[i].value)
                found = rill_world_solid_at(copy->world, k);
        copy->ids[i] = found;
    }
}

/* Saved anywhere, changes that wait included, and resumed: the same future. */
static void a_snapshot_goes_on_the_same_way(void **state) {
    (void)state;
    circus c = open_circus(2, NULL);
    for (int round = 0; round < 12; ++round) {
        perform(&c, 23);
        if (round % 2) move_something(&c);
        const size_t size = rill_snapshot_size(c.world);
        void *bytes = malloc(size);
        size_t written = 0;
        must(c.world, rill_snapshot_save(c.world, bytes, size, &written));
        circus copy = c;
        rill_message message = { "" };
        if (rill_snapshot_load(bytes, size, NULL, &copy.world, &message)) fail_msg("%s", message.text);
        find_ids(&copy, c.world);
        assert_true(rill_world_hash(copy.world) == rill_world_hash(c.world));
        circus original = c;
        perform(&copy, 40);
        perform(&original, 40);
        assert_true(rill_world_hash(copy.world) == rill_world_hash(original.world));
        must_be_valid(copy.world);
        rill_world_destroy(copy.world);
        c = original;
        free(bytes);
    }
    rill_world_destroy(c.world);
}

/* --------------------------------------------------------------------------------------------------- single effects */

enum { TANK = 40 };

static rill_world *make_tank(rill_solid_id *box) {
    rill_world *world = open_world(TANK, TANK, NULL);
    rill_liquid oil; /* comes to rest within a second or two */
    assert_true(rill_liquid_preset("olive oil", &oil));
    must(world, rill_world_set_liquid(world, &oil));
    rill_solver solver;
    must(world, rill_world_get_solver(world, &solver));
    solver.rest = false; /* which would stop it a little earlier */
    must(world, rill_world_set_solver(world, &solver));
    add_box(world, "floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
    *box = add_box(world, "box", 0.012, 0.011, 0.020, 0.027, 0.029, 0.030);
    must(world, rill_bed_build(world));
    must(world, rill_world_fill_level(world, (double[]){ 0.001, 0.001, 0.0 }, 0.010, NULL));
    return world;
}

static void a_box_sinks_and_is_lifted(void **state) {
    (void)state;
    rill_solid_id box;
    rill_world *world = make_tank(&box);
    const double before = volume_in(world, -1, -1, -1, 1, 1, 1);
    for (int i = 0; i <= 80; ++i) { /* down by 16 mm, at 0.1 m/s: 4 mm above the floor, under water */
        move(world, box, 0.0, 0.0, -0.0002 * i);
        run(world, 1, 0.002);
        assert_int_equal(ledger_error(world), 0);
    }
    must_be_valid(world);
    const double under = 0.004;
    run(world, 600, 0.01);
    const rill_sample lower = sample(world, 0.020, 0.020, 0.001), beside = sample(world, 0.005, 0.020, 0.001);
    assert_true(fabs(lower.ceiling - under) < 1e-9 && lower.depth > under - 1e-6);
    /* The box displaces what is below the level: 15 x 18 cells, of 40 x 40. */
    const double level = (0.010 * TANK * TANK - under * 15 * 18) / (TANK * TANK - 15 * 18);
    assert_true(fabs(beside.level - level) < 2e-6);
    for (int i = 80; i >= 0; --i) {
        move(world, box, 0.0, 0.0, -0.0002 * i);
        run(world, 1, 0.002);
    }
    run(world, 2000, 0.01);
    double depths[TANK * TANK], least = 1.0, most = 0.0;
    must(world, rill_world_read_field(world, RILL_FIELD_DEPTH, 0, depths, TANK * TANK));
    for (int i = 0; i < TANK * TANK; ++i) {
        least = depths[i] < least ? depths[i] : least;
        most = depths[i] > most ? depths[i] : most;
    }
    assert_true(least > 0.010 - 1.5e-8 && most < 0.010 + 1.5e-8);
    assert_true(volume_in(world, -1, -1, -1, 1, 1, 1) == before);
    assert_int_equal(ledger_error(world), 0);
    rill_world_destroy(world);
}

/* A lid comes down on a pot: what is in it stays in it, under the lid, until it is lifted again. */
static void a_lid_traps_and_releases(void **state) {
    (void)state;
    rill_world *world = open_world(30, 30, NULL);
    add_box(world, "floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
    const double walls[4][4] = { { 0.010, 0.010, 0.012, 0.020 },
                                 { 0.018, 0.010, 0.020, 0.020 },
                                 { 0.010, 0.010, 0.020, 0.012 },
                                 { 0.010, 0.018, 0.020, 0.020 } };
    rill_solid_id gate = { 0 };
    for (int i = 0; i < 4; ++i) {
        const rill_solid_id id = add_box(world, NULL, walls[i][0], walls[i][1], 0.0, walls[i][2], walls[i][3], 0.006);
        if (i == 0) gate = id;
    }
    const rill_solid_id lid = add_box(world, "lid", 0.010, 0.010, 0.010, 0.020, 0.020, 0.012);
    must(world, rill_bed_build(world));
    must(world, rill_world_fill_level(world, (double[]){ 0.015, 0.015, 0.0 }, 0.005, NULL));
    const double inside = 0.005 * 36e-6;
    move(world, lid, 0.0, 0.0, -0.004); /* closed: it stands on the walls */
    run(world, 50, 0.005);
    rill_sample pot = sample(world, 0.015, 0.015, 0.001);
    assert_true(fabs(pot.ceiling - 0.006) < 1e-9 && fabs(pot.depth - 0.005) < 1e-8);
    must(world, rill_world_set_gravity(world, (double[]){ 6.0, 0.0, -7.0 })); /* even if it is shaken */
    run(world, 50, 0.005);
    assert_true(fabs(volume_in(world, 0.012, 0.012, 0.0, 0.018, 0.018, 0.006) - inside) < 1e-15);
    must(world, rill_world_set_gravity(world, (double[]){ 0.0, 0.0, -9.81 }));
    move(world, gate, 0.0, 0.0, 0.006); /* the western wall goes up */
    run(world, 200, 0.005);
    assert_true(volume_in(world, 0.012, 0.012, 0.0, 0.018, 0.018, 0.006) < 0.2 * inside);
    assert_true(fabs(volume_in(world, -1, -1, -1, 1, 1, 1) - inside) < 1e-15);
    assert_int_equal(ledger_error(world), 0);
    must_be_valid(world);
    rill_world_destroy(world);
}

/* A film on a bump that rises stays on it, also where the bump rises by more than the film is deep. */
static void a_rising_floor_carries_its_film(void **state) {
    (void)state;
    rill_world *world = open_world(30, 30, NULL);
    static dome d;
    rill_liquid honey;
    assert_true(rill_liquid_preset("honey", &honey));
    must(world, rill_world_set_liquid(world, &honey));
    add_box(world, "floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
    rill_solid_def def = dome_def(&d, "bump", 0.012, 0.0005);
    def.translate[0] = def.translate[1] = 0.015;
    const rill_solid_id bump = add(world, &def);
    must(world, rill_bed_build(world));
    double depths[900];
    for (int i = 0; i < 900; ++i) depths[i] = 1e-4;
    must(world, rill_world_fill_depths(world, 0, depths, 900, NULL));
    for (int i = 1; i <= 10; ++i) {
        shape_dome(&d, 0.012, 0.0005 + 0.0003 * i, 0.0);
        must(world, rill_solid_set_vertices(world, bump, d.vertices, DOME_VERTICES));
        must(world, rill_bed_build(world));
        const rill_sample top = sample(world, 0.0155, 0.0155, 0.02);
        assert_true(top.base > 0.0002 * i && fabs(top.depth - 1e-4) < 1e-9);
    }
    assert_int_equal(ledger_error(world), 0);
    must_be_valid(world);
    rill_world_destroy(world);
}

/* A wall that is taller than a cell pushes liquid aside, before it, and not onto its top. */
static void a_wall_pushes(void **state) {
    (void)state;
    rill_world *world = open_world(40, 8, NULL);
    add_box(world, "floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
    const rill_solid_id wall = add_box(world, "wall", -0.01, -1.0, -0.005, 0.001, 1.0, 0.012);
    must(world, rill_bed_build(world));
    must(world, rill_world_fill_level(world, (double[]){ 0.020, 0.004, 0.0 }, 0.002, NULL));
    const double before = volume_in(world, -1, -1, -1, 1, 1, 1);
    for (int i = 1; i <= 60; ++i) {
        move(world, wall, 0.00025 * i, 0.0, 0.0);
        run(world, 1, 0.005);
        assert_true(volume_in(world, -1, -1, 0.0119, 1, 1, 1) == 0.0);
    }
    run(world, 60, 0.005); /* until all that it pressed out is in the flow again */
    assert_true(fabs(volume_in(world, 0.016, -1, 0.0, 1, 1, 0.012) - before) < 1e-15);
    must_be_valid(world);
    rill_world_destroy(world);
}

/* Solid on solid with liquid in between, all of it enclosed: it comes out above, and the step says so. */
static void what_is_enclosed_is_squeezed(void **state) {
    (void)state;
    rill_world *world = open_world(20, 20, NULL);
    add_box(world, "floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
    const rill_solid_id piston = add_box(world, "piston", -1.0, -1.0, 0.004, 1.0, 1.0, 0.006);
    must(world, rill_bed_build(world));
    must(world, rill_world_fill_level(world, (double[]){ 0.010, 0.010, 0.001 }, 0.004, NULL));
    assert_int_equal(rill_world_step(world, 0.01), RILL_OK);
    assert_false(rill_world_status(world) & RILL_STATUS_SQUEEZED);
    move(world, piston, 0.0, 0.0, -0.001);
    assert_int_equal(rill_world_step(world, 0.01), RILL_OK);
    assert_true(rill_world_status(world) & RILL_STATUS_SQUEEZED);
    assert_int_equal(rill_world_step(world, 0.01), RILL_OK);
    assert_false(rill_world_status(world) & RILL_STATUS_SQUEEZED);
    assert_true(fabs(volume_in(world, -1, -1, 0.0049, 1, 1, 1) - 0.001 * 400e-6) < 1e-12);
    assert_int_equal(ledger_error(world), 0);
    must_be_valid(world);
    rill_world_destroy(world);
}

/* ------------------------------------------------------------------------------------------------- held liquid */

static rill_ledger ledger_of(const rill_world *world) {
    rill_ledger ledger;
    assert_int_equal(rill_world_get_ledger(world, &ledger), RILL_OK);
    return ledger;
}

/* Two wells of 16 x 16 mm, a passage 8 mm wide and 4 mm high between them, a gate that could close it; the piston fills
 * the western well and lies on the liquid. */
typedef struct press {
    rill_world *world;
    rill_solid_id piston, gate;
} press;

static press make_press(const rill_runtime *runtime) {
    press p = { .world = open_world(48, 16, runtime) };
    add_box(p.world, "floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
    add_box(p.world, NULL, 0.016, -1.0, 0.004, 0.032, 1.0, 0.04);
    add_box(p.world, NULL, 0.016, -1.0, -0.001, 0.032, 0.004, 0.005);
    add_box(p.world, NULL, 0.016, 0.012, -0.001, 0.032, 1.0, 0.005);
    p.gate = add_box(p.world, "gate", 0.022, -1.0, 0.004, 0.024, 1.0, 0.009);
    p.piston = add_box(p.world, "piston", -1.0, -1.0, 0.010, 0.016, 1.0, 0.04);
    must(p.world, rill_bed_build(p.world));
    must(p.world, rill_world_fill_level(p.world, (double[]){ 0.040, 0.008, 0.0 }, 0.0105, NULL));
    return p;
}

/* From frame to frame, 10 mm/s. */
static void press_down(const press *p, int frame) {
    move(p->world, p->piston, 0.0, 0.0, -0.01 / 60.0 * frame);
}

/* Liquid that is pressed out is in the ledger as soon as the bed is built, and none is left once its time is over; at every
 * boundary between sub-steps all of it is somewhere. */
static void pressed_liquid_is_held_for_a_frame(void **state) {
    (void)state;
    const press p = make_press(NULL);
    const int64_t before = ledger_of(p.world).columns;
    for (int frame = 1; frame <= 20; ++frame) {
        press_down(&p, frame);
        must(p.world, rill_bed_build(p.world));
        rill_ledger ledger = ledger_of(p.world);
        const int64_t pressed = ledger.in_transit;
        assert_true(pressed > 0 && ledger.columns + pressed == before && ledger.error == 0);
        must_be_valid(p.world);
        for (int i = 1; i <= 16; ++i) { /* one sub-step or two each */
            run(p.world, 1, 1.0 / 60.0 / 16.0);
            ledger = ledger_of(p.world);
            assert_true(ledger.columns + ledger.in_transit == before && ledger.error == 0);
            const double left = (double)ledger.in_transit / (double)pressed;
            assert_true(fabs(left - (1.0 - i / 16.0)) < 1e-4); /* evenly */
            must_be_valid(p.world);
        }
        assert_int_equal(ledger.in_transit, 0);
    }
    const rill_sample passage = sample(p.world, 0.024, 0.008, 0.001);
    assert_true(fabs(passage.velocity[0] - 0.01 * 256.0 / 32.0) < 1e-3);
    rill_world_destroy(p.world);
}

static void held_liquid_is_saved(void **state) {
    (void)state;
    press p = make_press(NULL);
    for (int frame = 1; frame <= 5; ++frame) {
        press_down(&p, frame);
        run(p.world, 2, 0.3 / 60.0);
    }
    assert_true(ledger_of(p.world).in_transit > 0);
    const size_t size = rill_snapshot_size(p.world);
    void *bytes = malloc(size);
    size_t written = 0;
    must(p.world, rill_snapshot_save(p.world, bytes, size, &written));
    uint64_t expected = 0;
    for (int kind = 0; kind < 5; ++kind) { /* the world itself, restored, and copies with other runtimes */
        rill_runtime runtime = rill_default_world_def().runtime;
        runtime.tasks.threads = kind == 2 ? 3 : 1;
        runtime.scalar = kind == 3;
        press copy = p;
        rill_message message = { "" };
        if (kind == 1) must(p.world, rill_snapshot_restore(p.world, bytes, size));
        if (kind > 1 && rill_snapshot_load(bytes, size, &runtime, &copy.world, &message)) fail_msg("%s", message.text);
        if (kind > 0) assert_int_equal(rill_snapshot_size(copy.world), size);
        copy.piston = rill_solid_find(copy.world, "piston");
        for (int frame = 6; frame <= 15; ++frame) {
            press_down(&copy, frame);
            run(copy.world, 3, 0.3 / 60.0);
            assert_int_equal(ledger_error(copy.world), 0);
        }
        must_be_valid(copy.world);
        if (kind == 0) expected = rill_world_hash(copy.world);
        assert_true(rill_world_hash(copy.world) == expected);
        if (kind > 1) rill_world_destroy(copy.world);
    }
    free(bytes);
    rill_world_destroy(p.world);
}

/* Whatever happens to the columns where liquid is held, and to how they are solved for: it gets into the flow in the
 * end. */
static void held_liquid_always_gets_out(void **state) {
    (void)state;
    for (int kind = 0; kind < 7; ++kind) {
        const press p = make_press(NULL);
        for (int frame = 1; frame <= 4; ++frame) {
            press_down(&p, frame);
            run(p.world, 2, 0.25 / 60.0);
        }
        const int64_t held = ledger_of(p.world).in_transit;
        assert_true(held > 0);
        rill_solver solver;
        must(p.world, rill_world_get_solver(p.world, &solver));
        if (kind == 1) solver.passages = RILL_PASSAGES_OFF;
        if (kind == 2) solver.passages = RILL_PASSAGES_STRAIGHT;
        must(p.world, rill_world_set_solver(p.world, &solver));
        if (kind == 3) move(p.world, p.gate, 0.0, 0.0, -0.005); /* the passage is shut */
        if (kind == 4) must(p.world, rill_solid_destroy(p.world, p.piston));
        if (kind == 5) move(p.world, p.piston, 0.0, 0.0, -0.012); /* down to the floor: its columns are gone */
        if (kind == 6) must(p.world, rill_world_fill_level(p.world, (double[]){ 0.040, 0.008, 0.0 }, 0.008, NULL));
        rill_status seen = 0;
        for (int i = 0; i < 30; ++i) {
            assert_int_equal(rill_world_step(p.world, 0.01), RILL_OK);
            seen |= rill_world_status(p.world);
            assert_int_equal(ledger_error(p.world), 0);
            must_be_valid(p.world);
        }
        assert_int_equal(ledger_of(p.world).in_transit, 0);
        assert_int_equal((seen & RILL_STATUS_SQUEEZED) != 0, kind == 3);
        rill_world_destroy(p.world);
    }
}

/* A wall passes a cell in three frames, in three, in four: what it pushes does not jump with that. */
static void a_slow_wall_pushes_evenly(void **state) {
    (void)state;
    enum { FRAMES = 90, WARM = 30 };
    rill_world *world = open_world(60, 6, NULL);
    add_box(world, "floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
    const rill_solid_id wall = add_box(world, "wall", -1.0, -1.0, -0.005, 0.0021, 1.0, 0.1);
    must(world, rill_bed_build(world));
    must(world, rill_world_fill_level(world, (double[]){ 0.040, 0.003, 0.0 }, 0.005, NULL));
    double released[FRAMES], sum = 0.0;
    for (int i = 0; i < FRAMES; ++i) {
        move(world, wall, 0.0003 * (i + 1), 0.0, 0.0);
        must(world, rill_bed_build(world));
        const int64_t before = ledger_of(world).in_transit;
        run(world, 1, 1.0 / 60.0);
        released[i] = (double)(before - ledger_of(world).in_transit);
        sum += i < WARM ? 0.0 : released[i];
    }
    /* The liquid before the wall rises with every wave that comes back from the end; within a cell it does not jump. */
    for (int i = WARM; i < FRAMES; ++i) assert_true(fabs(released[i] - released[i - 1]) < 0.12 * sum / (FRAMES - WARM));
    assert_int_equal(ledger_error(world), 0);
    must_be_valid(world);
    rill_world_destroy(world);
}

/* A plug in a passage that is full, a cell in five frames: all of the liquid before it goes at its speed. */
static void a_plug_pushes_a_flooded_passage(void **state) {
    (void)state;
    enum { FRAMES = 100, WARM = 45 };
    rill_world *world = open_world(64, 8, NULL);
    add_box(world, "floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
    add_box(world, "roof", -1.0, -1.0, 0.004, 0.044, 1.0, 0.05);
    const rill_solid_id plug = add_box(world, "plug", -1.0, -1.0, -0.001, 0.0021, 1.0, 0.005);
    must(world, rill_bed_build(world));
    must(world, rill_world_fill_level(world, (double[]){ 0.055, 0.004, 0.0 }, 0.010, NULL));
    const double speed = 0.0002 * 60.0;
    for (int i = 0; i < FRAMES; ++i) {
        move(world, plug, 0.0002 * (i + 1), 0.0, 0.0);
        run(world, 1, 1.0 / 60.0);
        assert_int_equal(ledger_error(world), 0);
        if (i < WARM) continue;
        const rill_sample passage = sample(world, 0.035, 0.004, 0.001);
        assert_true(fabs(passage.velocity[0] - speed) < 0.02 * speed);
    }
    must_be_valid(world);
    rill_world_destroy(world);
}

/* A solid that leaves the liquid nowhere to go is refused when it becomes real, and then may be moved back. */
static void no_room_at_all_is_refused(void **state) {
    (void)state;
    rill_world *world = open_world(10, 10, NULL);
    add_box(world, "floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
    const rill_solid_id block = add_box(world, "block", -1.0, -1.0, 0.005, 1.0, 1.0, 9.0);
    must(world, rill_solid_set_visible(world, block, false));
    must(world, rill_bed_build(world));
    must(world, rill_world_fill_level(world, (double[]){ 0.005, 0.005, 0.0 }, 0.004, NULL));
    const uint64_t before = rill_world_hash(world);
    must(world, rill_solid_set_visible(world, block, true));
    move(world, block, 0.0, 0.0, -0.004);
    const uint64_t waiting = rill_world_hash(world);
    assert_true(waiting != before);
    must_refuse(world, rill_bed_build(world), RILL_INVALID_STATE, "no room");
    assert_int_equal(rill_world_step(world, 0.01), RILL_INVALID_STATE);
    assert_true(rill_world_hash(world) == waiting);
    must_be_valid(world);
    move(world, block, 0.0, 0.0, 0.0); /* a lid that touches nothing */
    must(world, rill_bed_build(world));
    run(world, 10, 0.01);
    assert_true(fabs(sample(world, 0.005, 0.005, 0.0).depth - 0.004) < 1e-8);
    must_be_valid(world);
    rill_world_destroy(world);
}

/* A source whose columns are buried pours nothing until they are there again. */
static void buried_sources_wait(void **state) {
    (void)state;
    rill_world *world = open_world(12, 12, NULL);
    const rill_solid_id floor = add_box(world, "floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
    must(world, rill_bed_build(world));
    const rill_source_def def = point_source("tap", 0.006, 0.006, 0.001, 1e-7);
    rill_source_id tap;
    must(world, rill_source_create(world, &def, &tap));
    run(world, 10, 0.01);
    const double poured = volume_in(world, -1, -1, -1, 1, 1, 1);
    assert_true(poured > 0.9e-8);
    move(world, floor, 0.0, 0.0, 0.004);
    assert_int_equal(rill_world_step(world, 0.02), RILL_OK);
    assert_true(rill_world_status(world) & RILL_STATUS_SOURCE_REFUSED);
    must_be_valid(world);
    assert_true(volume_in(world, -1, -1, -1, 1, 1, 1) == poured);
    const size_t size = rill_snapshot_size(world);
    unsigned char *bytes = malloc(size);
    size_t written;
    must(world, rill_snapshot_save(world, bytes, size, &written));
    must(world, rill_snapshot_restore(world, bytes, size)); /* without columns, too */
    free(bytes);
    move(world, floor, 0.0, 0.0, 0.0);
    assert_int_equal(rill_world_step(world, 0.01), RILL_OK);
    assert_int_equal(rill_world_status(world), 0);
    assert_true(volume_in(world, -1, -1, -1, 1, 1, 1) > poured);
    must_be_valid(world);
    rill_world_destroy(world);
}

/* Hidden and shown again, moved away and back: the columns are what they were. */
static void what_comes_back_is_the_same(void **state) {
    (void)state;
    enum { CELLS = 40 * 32 };
    static double before[3][CELLS], after[3][CELLS];
    circus c = open_circus(0, NULL);
    rill_world *world = c.world;
    const rill_solid_id table = rill_solid_find(world, "table");
    rill_bed_info info, again;
    must(world, rill_bed_get_info(world, &info));
    for (int32_t layer = 0; layer < 2; ++layer)
        must(world, rill_world_read_field(world, RILL_FIELD_CEILING, layer, before[layer], CELLS));
    must(world, rill_solid_set_visible(world, table, false));
    assert_false(rill_solid_is_visible(world, table));
    run(world, 3, 0.004);
    double volume;
    must(world, rill_query_solid_volume(world, table, &volume));
    assert_true(volume == 0.0);
    must(world, rill_solid_set_visible(world, table, true));
    must(world, rill_bed_build(world));
    move(world, table, 0.004, 0.0, 0.0);
    must(world, rill_bed_build(world));
    move(world, table, 0.0, 0.0, 0.0);
    must(world, rill_bed_build(world));
    must(world, rill_bed_get_info(world, &again));
    for (int32_t layer = 0; layer < 2; ++layer)
        must(world, rill_world_read_field(world, RILL_FIELD_CEILING, layer, after[layer], CELLS));
    assert_memory_equal(before, after, sizeof before);
    assert_int_equal(info.columns, again.columns);
    assert_int_equal(info.walls_thickened, again.walls_thickened);
    assert_int_equal(info.slivers_merged, again.slivers_merged);
    assert_int_equal(info.outside_solids, again.outside_solids);
    rill_world_destroy(world);
}

/* --------------------------------------------------------------------------------------------------------- refusals */

/* Nothing can be done with a solid that is gone, nor without a world. */
static void refuse_stale(rill_world *world, rill_solid_id bump, const rill_solid_def *cube, const dome *d) {
    const double zero[3] = { 0 };
    must_refuse(world, rill_solid_set_pose(world, bump, zero, zero), RILL_INVALID_ID, "stale");
    must_refuse(world, rill_solid_get_pose(world, bump, (double[3]){ 0 }, (double[3]){ 0 }), RILL_INVALID_ID, "stale");
    must_refuse(world, rill_solid_set_vertices(world, bump, d->vertices, DOME_VERTICES), RILL_INVALID_ID, "stale");
    must_refuse(world, rill_solid_replace(world, bump, cube), RILL_INVALID_ID, "stale");
    must_refuse(world, rill_solid_set_visible(world, bump, false), RILL_INVALID_ID, "stale");
    assert_false(rill_solid_is_visible(world, bump));
    assert_int_equal(rill_solid_set_pose(NULL, bump, zero, zero), RILL_INVALID_ARGUMENT);
    assert_int_equal(rill_solid_get_pose(NULL, bump, NULL, NULL), RILL_INVALID_ARGUMENT);
    assert_int_equal(rill_solid_set_vertices(NULL, bump, NULL, 0), RILL_INVALID_ARGUMENT);
    assert_int_equal(rill_solid_replace(NULL, bump, NULL), RILL_INVALID_ARGUMENT);
    assert_int_equal(rill_solid_set_visible(NULL, bump, true), RILL_INVALID_ARGUMENT);
    assert_false(rill_solid_is_visible(NULL, bump));
}

static void bad_changes_are_refused(void **state) {
    (void)state;
    static dome d;
    rill_world *world = open_world(30, 30, NULL);
    const rill_solid_id floor = add_box(world, "floor", -1.0, -1.0, -0.01, 1.0, 1.0, 0.0);
    rill_solid_def def = dome_def(&d, "bump", 0.01, 0.004);
    def.translate[0] = def.translate[1] = 0.015;
    const rill_solid_id bump = add(world, &def);
    rill_solid_def map = rill_default_solid_def();
    static const double heights[4] = { 0.0, 1e-4, 0.0, 2e-4 };
    map.shape.type = RILL_SHAPE_HEIGHTMAP, map.shape.heights = heights,
    map.shape.heights_size[0] = map.shape.heights_size[1] = 2;
    const rill_solid_id ground = add(world, &map);
    must(world, rill_bed_build(world));
    run(world, 2, 0.01);
    const uint64_t before = rill_world_hash(world);
    const double zero[3] = { 0 }, nan[3] = { 0.0, NAN, 0.0 }, far[3] = { 1e12, 0.0, 0.0 };

    must_refuse(world, rill_solid_set_pose(world, bump, nan, zero), RILL_INVALID_ARGUMENT, "bump: translate.y is nan");
    must_refuse(world, rill_solid_set_pose(world, bump, zero, nan), RILL_INVALID_ARGUMENT, "rotate.y");
    must_refuse(world, rill_solid_set_pose(world, bump, far, zero), RILL_INVALID_ARGUMENT, "translate.x");
    must_refuse(world, rill_solid_set_pose(world, floor, nan, zero), RILL_INVALID_ARGUMENT, "floor: translate.y");
    must_refuse(world, rill_solid_set_pose(world, bump, NULL, zero), RILL_INVALID_ARGUMENT, "translate is NULL");
    must_refuse(world, rill_solid_set_pose(world, bump, zero, NULL), RILL_INVALID_ARGUMENT, "rotate is NULL");
    must_refuse(world, rill_solid_set_pose(world, ground, zero, zero), RILL_INVALID_ARGUMENT, "no pose");
    must_refuse(world, rill_solid_get_pose(world, bump, NULL, NULL), RILL_INVALID_ARGUMENT, "translate is NULL");
    must_refuse(world, rill_solid_set_vertices(world, bump, d.vertices, DOME_VERTICES - 1), RILL_INVALID_ARGUMENT,
                "expected 86");
    must_refuse(world, rill_solid_set_vertices(world, bump, NULL, DOME_VERTICES), RILL_INVALID_ARGUMENT, "NULL");
    must_refuse(world, rill_solid_set_vertices(world, floor, d.vertices, 8), RILL_INVALID_ARGUMENT, "no mesh");
    d.vertices[3 * 17 + 2] = INFINITY;
    must_refuse(world, rill_solid_set_vertices(world, bump, d.vertices, DOME_VERTICES), RILL_INVALID_DATA, "vertex 17");
    must_refuse(world, rill_solid_replace(world, bump, &def), RILL_INVALID_DATA, "vertex 17");
    shape_dome(&d, 0.01, 0.004, 0.0);
    d.indices[5] = 4711;
    must_refuse(world, rill_solid_replace(world, bump, &def), RILL_INVALID_DATA, "4711");
    def.name = "floor";
    must_refuse(world, rill_solid_replace(world, bump, &def), RILL_INVALID_ARGUMENT, "\"floor\"");
    must_refuse(world, rill_solid_replace(world, bump, NULL), RILL_INVALID_ARGUMENT, "def is NULL");
    must(world, rill_solid_set_visible(world, bump, true)); /* it is */
    must(world, rill_solid_set_pose(world, bump, (double[]){ 0.015, 0.015, 0.0 }, zero));
    assert_true(rill_world_hash(world) == before);
    must(world, rill_bed_build(world));
    assert_true(rill_world_hash(world) == before);

    const rill_solid_def cube = box_def(NULL, 0.010, 0.010, 0.0, 0.020, 0.020, 0.004);
    must(world, rill_solid_replace(world, bump, &cube)); /* the id and the name stay */
    assert_string_equal(rill_solid_name(world, bump), "bump");
    must(world, rill_bed_build(world));
    assert_true(fabs(sample(world, 0.0105, 0.0105, 1.0).base - 0.004) < 1e-9);
    must(world, rill_solid_destroy(world, bump));
    refuse_stale(world, bump, &cube, &d);
    must(world, rill_bed_build(world));
    assert_true(sample(world, 0.0105, 0.0105, 1.0).base < 0.001);
    must_be_valid(world);
    rill_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit_test_alone(ten_thousand_moves),
        cmocka_unit_test(the_same_moves_give_the_same_bits),
        unit_test_alone(a_snapshot_goes_on_the_same_way),
        unit_test_alone(a_box_sinks_and_is_lifted),
        unit_test_alone(a_lid_traps_and_releases),
        unit_test_alone(a_rising_floor_carries_its_film),
        unit_test_alone(a_wall_pushes),
        unit_test_alone(what_is_enclosed_is_squeezed),
        unit_test_alone(pressed_liquid_is_held_for_a_frame),
        cmocka_unit_test(held_liquid_is_saved),
        unit_test_alone(held_liquid_always_gets_out),
        unit_test_alone(a_slow_wall_pushes_evenly),
        unit_test_alone(a_plug_pushes_a_flooded_passage),
        unit_test_alone(no_room_at_all_is_refused),
        unit_test_alone(buried_sources_wait),
        unit_test_alone(what_comes_back_is_the_same),
        unit_test_alone(bad_changes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
