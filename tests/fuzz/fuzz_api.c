/* Random sequences of API calls with good, bad and absurd arguments, and an allocator that may fail at any moment.
 * After every call the ledger balances, and a call that failed has changed nothing; in steps in which liquid is left to
 * itself energy does not rise; and in the end the world is valid. Sequences are short so that there are many of
 * them. */
#include "body_shapes.h"
#include "fuzz.h"

enum { LEAST_CALLS = 3, MOST_CALLS = 8, MOST_CELLS = 6, WIDEST = 100, WIDE_ONE_IN = 64, THREADS_ONE_IN = 128 };

typedef struct trial {
    fuzz_input in;
    uint64_t die;
    fuzz_memory memory;
    rill_world *world;
    rill_runtime runtime;
    int32_t cells[2];
    double extent; /* m, of the grid's longer side */
    bool stirred;  /* something else than liquid and gravity may move the liquid */
    bool joined;   /* a body is new: what it raises is told with the energy from the next step on */
    bool paper;    /* the paper's pipes: with bodies under roofs they overfill columns, which is known */
    rill_solid_id solids[4];
    rill_source_id sources[4];
    rill_body_id bodies[4];
    void *snapshot;
    size_t snapshot_size;
} trial;

/* ------------------------------------------------------------------------------------------------------ definitions */

static rill_solver random_solver(fuzz_input *in) {
    rill_solver solver = rill_default_world_def().solver;
    uint8_t bits = fuzz_u8(in);
    solver.pipe_area = bits & 1 ? RILL_PIPE_AREA_PAPER : RILL_PIPE_AREA_PHYSICAL;
    solver.advection = bits & 2;
    solver.rest = bits & 4;
    solver.skip_idle = bits & 8;
    solver.friction = bits & 16 ? fuzz_double(in, 0.0, 1.0) : 0.0;
    solver.max_substeps = bits & 32 ? fuzz_below(in, 8) : 4;
    if (bits & 128) {
        solver.passages = (rill_passages)fuzz_below(in, 4); /* one too many */
        solver.orifice = fuzz_double(in, 0.0, 1.0);
    }
    if (bits & 64) {
        solver.method = RILL_METHOD_KANDEMIR;
        solver.kandemir.pipe_length = fuzz_double(in, 0.0, 0.01);
        solver.kandemir.pipe_area = fuzz_double(in, 0.0, 1e-4);
        solver.kandemir.vanishing = fuzz_double(in, 0.0, 1.0);
        solver.kandemir.viscosity = fuzz_double(in, 0.0, 1.0);
        if (bits & 2) solver.method = RILL_METHOD_WAVES;
    }
    return solver;
}

static rill_liquid random_liquid(fuzz_input *in) {
    rill_liquid liquid = rill_default_world_def().liquid;
    const char *name = rill_liquid_preset_name(fuzz_below(in, 9));
    if (name) rill_liquid_preset(name, &liquid);
    if (fuzz_below(in, 2)) liquid.viscosity = fuzz_double(in, 0.0, 0.01);
    if (fuzz_below(in, 4) == 0) liquid.density = fuzz_double(in, 500.0, 2000.0);
    return liquid;
}

static rill_solid_def random_solid(trial *s, double heights[9]) {
    fuzz_input *in = &s->in;
    rill_solid_def def = rill_default_solid_def();
    double size = s->extent;
    int type = (int)fuzz_below(in, 8);
    if (type == 7) type += (int)fuzz_below(in, 3); /* up to one too many */
    def.shape.type = (rill_shape)type;
    fuzz_vector(in, 0.0, 0.6 * size, def.shape.min);
    fuzz_vector(in, 0.4 * size, size, def.shape.max);
    def.shape.min[2] -= size;
    memcpy(def.shape.centre, def.shape.max, sizeof def.shape.centre);
    memcpy(def.shape.from, def.shape.min, sizeof def.shape.from);
    memcpy(def.shape.to, def.shape.max, sizeof def.shape.to);
    memcpy(def.shape.point, def.shape.min, sizeof def.shape.point);
    def.shape.axis[fuzz_below(in, 3)] = 1.0;
    def.shape.axis[2] += fuzz_double(in, 0.0, 1.0);
    def.shape.radius = fuzz_double(in, 0.0, 0.5 * size);
    def.shape.tube = fuzz_double(in, 0.0, 0.2 * size);
    for (int i = 0; i < 9; ++i) heights[i] = fuzz_double(in, -0.1 * size, 0.1 * size);
    def.shape.heights = heights;
    def.shape.heights_size[0] = def.shape.heights_size[1] = 3;
    if (fuzz_below(in, 4) == 0) fuzz_vector(in, -180.0, 180.0, def.rotate);
    def.name = fuzz_below(in, 4) == 0 ? "twin" : NULL; /* the second of that name is refused */
    return def;
}

static rill_source_def random_source(trial *s) {
    fuzz_input *in = &s->in;
    rill_source_def def = rill_default_source_def();
    def.shape = (rill_source_shape)fuzz_below(in, 5);
    def.sink = fuzz_below(in, 2);
    fuzz_vector(in, 0.0, s->extent, def.at);
    def.radius = fuzz_double(in, 0.0, 0.4 * s->extent);
    fuzz_vector(in, 0.0, 0.5 * s->extent, def.min);
    fuzz_vector(in, 0.5 * s->extent, s->extent, def.max);
    if (def.shape == RILL_SOURCE_RAIN)
        def.rain = fuzz_double(in, 0.0, 1e6);
    else
        def.rate = fuzz_double(in, 0.0, 1e-3);
    def.from = fuzz_below(in, 4) ? 0.0 : fuzz_double(in, 0.0, 0.1);
    if (fuzz_below(in, 4) == 0) def.until = fuzz_double(in, 0.0, 0.1);
    def.name = fuzz_below(in, 4) == 0 ? "twin" : NULL;
    return def;
}

/* A pyramid: of solids and of bodies. */
static const uint32_t pyramid[] = { 0, 2, 1, 0, 3, 2, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4 };

static void random_state(trial *s, rill_body_state *state) {
    fuzz_input *in = &s->in;
    fuzz_vector(in, 0.0, s->extent, state->position);
    const uint8_t bits = fuzz_u8(in);
    for (int i = 0; i < 4 && bits & 1; ++i) state->orientation[i] = fuzz_double(in, -1.0, 1.0);
    if (bits & 2) fuzz_vector(in, -1.0, 1.0, state->velocity);
    if (bits & 4) fuzz_vector(in, -100.0, 100.0, state->angular_velocity);
    if (bits & 8) fuzz_vector(in, -12.0, 12.0, state->acceleration);
}

static rill_body_def random_body(trial *s, float vertices[15]) {
    fuzz_input *in = &s->in;
    rill_body_def def = rill_default_body_def();
    const double size = 0.4 * s->extent;
    const int32_t kind = fuzz_below(in, BODY_SHAPES + 1);
    def.shape.type = kind < BODY_SHAPES ? body_shapes[kind] : RILL_SHAPE_TORUS; /* which no body is */
    def.shape.radius = fuzz_double(in, 0.0, size);
    set_length(&def.shape, fuzz_double(in, 0.0, size));
    double edges[3];
    fuzz_vector(in, 0.0, size, edges);
    set_size(&def.shape, edges[0], edges[1], edges[2]);
    if (kind >= BODY_SHAPES - 2) {
        for (int i = 0; i < 15; ++i) vertices[i] = (float)fuzz_double(in, -size, size);
        def.shape.vertices = vertices;
        def.shape.vertex_count = 5;
        def.shape.indices = pyramid;
        def.shape.triangle_count = 6;
    }
    def.density = fuzz_double(in, 0.0, 2000.0);
    def.mass = fuzz_below(in, 4) ? 0.0 : fuzz_below(in, 2) ? INFINITY : fuzz_double(in, 0.0, 1e-3);
    def.name = fuzz_below(in, 4) == 0 ? "twin" : NULL;
    random_state(s, &def.state);
    return def;
}

/* ------------------------------------------------------------------------------------------------------------ calls */

static rill_result call_fill(trial *s) {
    double depths[WIDEST * MOST_CELLS];
    double at[3];
    rill_fill_report report;
    if (fuzz_below(&s->in, 2)) {
        fuzz_vector(&s->in, 0.0, s->extent, at);
        return rill_world_fill_level(s->world, at, fuzz_double(&s->in, -0.1 * s->extent, 0.5 * s->extent), &report);
    }
    size_t count = (size_t)s->cells[0] * (size_t)s->cells[1];
    double pattern[4];
    for (int i = 0; i < 4; ++i) pattern[i] = fuzz_double(&s->in, 0.0, 0.2 * s->extent);
    for (size_t i = 0; i < count; ++i) depths[i] = pattern[(i ^ i >> 3) & 3];
    if (fuzz_below(&s->in, 16) == 0) count -= 1; /* a wrong size must be refused */
    return rill_world_fill_depths(s->world, fuzz_below(&s->in, 4), depths, count, &report);
}

static rill_result call_velocities(trial *s) {
    double velocities[2 * WIDEST * MOST_CELLS];
    size_t count = 2 * (size_t)s->cells[0] * (size_t)s->cells[1];
    double pattern[4];
    for (int i = 0; i < 4; ++i) pattern[i] = fuzz_double(&s->in, -2.0, 2.0);
    for (size_t i = 0; i < count; ++i) velocities[i] = pattern[(i ^ i >> 3) & 3];
    return rill_world_set_velocities(s->world, fuzz_below(&s->in, 4), velocities, count);
}

static rill_result call_step(trial *s) {
    const double dt = fuzz_double(&s->in, 0.0, 0.004);
    const bool judged = !s->stirred && !s->joined;
    s->joined = false;
    return judged ? fuzz_quiet_step(s->world, dt) : rill_world_step(s->world, dt);
}

/* Saves now and then; a world loaded from what was saved is the world that was saved. */
static rill_result call_snapshot(trial *s) {
    size_t size = rill_snapshot_size(s->world), written = 0;
    if (size == 0 || fuzz_below(&s->in, 2)) {
        if (!s->snapshot) return RILL_OK;
        return rill_snapshot_restore(s->world, s->snapshot, s->snapshot_size);
    }
    void *bytes = malloc(size);
    FUZZ_CHECK(bytes != NULL, "no memory");
    rill_result result = rill_snapshot_save(s->world, bytes, size, &written);
    FUZZ_CHECK(result == RILL_OK && written == size, "saved %zu of %zu: %d", written, size, (int)result);
    free(s->snapshot);
    s->snapshot = bytes;
    s->snapshot_size = size;
    rill_world *copy = NULL;
    if (rill_snapshot_load(bytes, size, &s->runtime, &copy, NULL) == RILL_OK) {
        FUZZ_CHECK(rill_world_hash(copy) == rill_world_hash(s->world), "the copy is another world");
        rill_world_destroy(copy);
    }
    return RILL_OK;
}

static rill_result call_queries(trial *s) {
    double points[6], low[3], high[3], volume = 0.0, field[2 * WIDEST * MOST_CELLS];
    rill_sample samples[2];
    fuzz_vector(&s->in, 0.0, s->extent, points);
    fuzz_vector(&s->in, 0.0, s->extent, points + 3);
    fuzz_vector(&s->in, 0.0, 0.5 * s->extent, low);
    fuzz_vector(&s->in, 0.5 * s->extent, s->extent, high);
    rill_query_points(s->world, points, 2, samples);
    if (rill_query_box_volume(s->world, low, high, &volume) == RILL_OK)
        FUZZ_CHECK(volume >= 0.0 && isfinite(volume), "%g m3 in a box", volume);
    if (rill_query_solid_volume(s->world, s->solids[fuzz_below(&s->in, 4)], &volume) == RILL_OK)
        FUZZ_CHECK(volume >= 0.0 && isfinite(volume), "%g m3 on a solid", volume);
    size_t count = (size_t)s->cells[0] * (size_t)s->cells[1];
    if (rill_world_read_field(s->world, RILL_FIELD_FACES, 0, field, 2 * count) == RILL_OK)
        for (size_t i = 0; i < 2 * count; ++i) FUZZ_CHECK(!isinf(field[i]), "an infinite velocity");
    if (rill_world_read_field(s->world, RILL_FIELD_DEPTH, 0, field, count) == RILL_OK)
        for (size_t i = 0; i < count; ++i) FUZZ_CHECK(!(field[i] < 0.0) && !isinf(field[i]), "a depth of %g", field[i]);
    return RILL_OK;
}

/* Small steps and large ones, far away and nowhere. */
static rill_result call_move(trial *s, rill_solid_id id) {
    double translate[3] = { 0.0 }, rotate[3] = { 0.0 }, by[3];
    rill_solid_get_pose(s->world, id, translate, rotate);
    fuzz_vector(&s->in, -0.1 * s->extent, 0.1 * s->extent, by);
    for (int i = 0; i < 3; ++i) translate[i] += by[i];
    if (fuzz_below(&s->in, 4) == 0) fuzz_vector(&s->in, -180.0, 180.0, rotate);
    return rill_solid_set_pose(s->world, id, translate, rotate);
}

/* A pyramid, or what is left of it. */
static rill_result call_vertices(trial *s, rill_solid_id *id) {
    float vertices[15];
    for (int i = 0; i < 15; ++i) vertices[i] = (float)fuzz_double(&s->in, -0.2 * s->extent, 1.2 * s->extent);
    if (fuzz_below(&s->in, 2)) return rill_solid_set_vertices(s->world, *id, vertices, fuzz_below(&s->in, 8) ? 5 : 4);
    rill_solid_def def = rill_default_solid_def();
    def.shape.type = RILL_SHAPE_MESH;
    def.shape.vertices = vertices;
    def.shape.vertex_count = 5;
    def.shape.indices = pyramid;
    def.shape.triangle_count = fuzz_below(&s->in, 4) ? 6 : 5;
    return fuzz_below(&s->in, 2) ? rill_solid_replace(s->world, *id, &def) : rill_solid_create(s->world, &def, id);
}

static rill_result call_body(trial *s, rill_body_id *id) {
    float vertices[15];
    rill_body_state state;
    rill_body_forces forces;
    if (fuzz_below(&s->in, 4) || rill_body_get_state(s->world, *id, &state) != RILL_OK) {
        const rill_body_def def = random_body(s, vertices);
        s->stirred |= isinf(def.mass);
        s->joined = true;
        return s->paper ? RILL_OK : rill_body_create(s->world, &def, id);
    }
    s->stirred = true;
    FUZZ_CHECK(rill_body_get_forces(s->world, *id, &forces) == RILL_OK, "a body without forces");
    FUZZ_CHECK(isfinite(forces.level) && forces.submerged_volume >= 0.0 && forces.aboard >= 0.0, "level %g",
               forces.level);
    if (fuzz_below(&s->in, 4) == 0) return rill_body_destroy(s->world, *id);
    random_state(s, &state);
    return rill_body_set_state(s->world, *id, &state);
}

static rill_result call_pressures(trial *s) {
    double pressures[WIDEST * MOST_CELLS], points[WIDEST * MOST_CELLS];
    const size_t count = (size_t)s->cells[0] * (size_t)s->cells[1];
    double pattern[4];
    for (int i = 0; i < 4; ++i) pattern[i] = fuzz_double(&s->in, -100.0, 100.0);
    for (size_t i = 0; i < count; ++i) pressures[i] = pattern[(i ^ i >> 3) & 3];
    rill_world_read_control_points(s->world, points, count);
    return rill_world_set_external_pressure(s->world, pressures, count);
}

/* Edges and emptying, by a part of the kinds that step: seeds keep their meaning. */
static rill_result call_edge_or_drain(trial *s, int32_t kind, int32_t slot) {
    s->stirred = true;
    if (kind == 24) return rill_world_drain(s->world);
    const rill_edge edge = { (rill_edge_kind)fuzz_below(&s->in, 4), fuzz_double(&s->in, 0.0, 0.02) }; /* one too many */
    return rill_world_set_edge(s->world, slot + fuzz_below(&s->in, 3), &edge);
}

static rill_result call_one(trial *s) {
    double vector[3], heights[9];
    int32_t slot = fuzz_below(&s->in, 4);
    const int32_t kind = fuzz_below(&s->in, 26);
    s->stirred |= (rill_snapshot_size(s->world) > 0 && kind <= 2) || kind == 5 || (kind >= 14 && kind <= 18);
    switch (kind) {
    case 0:
    case 1: {
        rill_solid_def def = random_solid(s, heights);
        return rill_solid_create(s->world, &def, &s->solids[slot]);
    }
    case 2: return rill_solid_destroy(s->world, s->solids[slot]);
    case 3: return rill_bed_build(s->world);
    case 4: return call_fill(s);
    case 5: {
        rill_source_def def = random_source(s);
        return rill_source_create(s->world, &def, &s->sources[slot]);
    }
    case 6: return rill_source_destroy(s->world, s->sources[slot]);
    case 7: return rill_source_set_rate(s->world, s->sources[slot], fuzz_double(&s->in, 0.0, 1e-3));
    case 8: fuzz_vector(&s->in, -12.0, 12.0, vector); return rill_world_set_gravity(s->world, vector);
    case 9: {
        rill_liquid liquid = random_liquid(&s->in);
        return rill_world_set_liquid(s->world, &liquid);
    }
    case 10: {
        rill_solver solver = random_solver(&s->in);
        if (rill_world_body_count(s->world) > 0) solver.pipe_area = RILL_PIPE_AREA_PHYSICAL;
        s->paper |= solver.pipe_area == RILL_PIPE_AREA_PAPER;
        return rill_world_set_solver(s->world, &solver);
    }
    case 11: return call_velocities(s);
    case 12: return call_snapshot(s);
    case 13: return call_queries(s);
    case 14:
    case 15: return call_move(s, s->solids[slot]);
    case 16: return call_vertices(s, &s->solids[slot]);
    case 17: {
        rill_solid_def def = random_solid(s, heights);
        return rill_solid_replace(s->world, s->solids[slot], &def);
    }
    case 18: return rill_solid_set_visible(s->world, s->solids[slot], fuzz_below(&s->in, 2));
    case 19: return call_body(s, &s->bodies[slot]);
    case 20: return call_pressures(s);
    default: return kind >= 24 && slot >= 2 ? call_edge_or_drain(s, kind, slot) : call_step(s);
    }
}

/* ---------------------------------------------------------------------------------------------------------- a trial */

static bool open_world(trial *s) {
    fuzz_input *in = &s->in;
    rill_world_def def = rill_default_world_def();
    s->stirred = fuzz_below(in, 2);
    /* Mostly part of a tile; now and then wider than the longest run of the kernels. */
    int32_t widest = s->die % WIDE_ONE_IN == 0 ? WIDEST : MOST_CELLS;
    def.grid.cells[0] = widest - fuzz_below(in, widest);
    def.grid.cells[1] = MOST_CELLS - fuzz_below(in, MOST_CELLS);
    def.grid.cell_size = fuzz_double(in, 0.0, 0.002);
    fuzz_vector(in, -0.01, 0.01, def.grid.origin);
    def.headroom = fuzz_double(in, 0.0, 0.1);
    const int32_t opening = fuzz_below(in, 4);
    if (opening < 2) def.min_opening = opening == 0 ? 0.0 : fuzz_double(in, 0.0, 0.002); /* else the default */
    for (int i = 0; i < 4 && s->stirred; ++i) {
        def.edges[i].kind = (rill_edge_kind)(fuzz_u8(in) % 3);
        def.edges[i].level = fuzz_double(in, 0.0, 0.02);
    }
    if (fuzz_below(in, 4) == 0) fuzz_vector(in, -12.0, 12.0, def.gravity);
    def.liquid = random_liquid(in);
    def.solver = random_solver(in);
    s->paper = def.solver.pipe_area == RILL_PIPE_AREA_PAPER;
    def.runtime = s->runtime;
    def.runtime.scalar = fuzz_below(in, 4) == 0;
    s->runtime = def.runtime;
    memcpy(s->cells, def.grid.cells, sizeof s->cells);
    s->extent = (s->cells[0] > s->cells[1] ? s->cells[0] : s->cells[1]) * def.grid.cell_size;
    rill_message message = { "" };
    rill_result result = rill_world_create(&def, &s->world, &message);
    FUZZ_CHECK(result == RILL_OK || message.text[0] != '\0', "refused without a word");
    FUZZ_CHECK((result == RILL_OK) == (s->world != NULL), "result %d", (int)result);
    return result == RILL_OK;
}

/* A slab over part of the floor, low enough to be flooded. */
static void lay_roof(trial *s) {
    rill_solid_def roof = rill_default_solid_def();
    rill_grid grid;
    rill_world_get_grid(s->world, &grid);
    roof.shape.type = RILL_SHAPE_BOX;
    for (int i = 0; i < 2; ++i) {
        roof.shape.min[i] = grid.origin[i] + fuzz_double(&s->in, 0.0, 0.5 * s->extent);
        roof.shape.max[i] = roof.shape.min[i] + fuzz_double(&s->in, 0.0, s->extent);
    }
    roof.shape.min[2] = fuzz_double(&s->in, 0.0, 2.0 * grid.cell_size);
    roof.shape.max[2] = roof.shape.min[2] + fuzz_double(&s->in, 0.0, 2.0 * grid.cell_size);
    rill_solid_create(s->world, &roof, &s->solids[1]);
}

/* A floor and a bed, so that most trials have something to run on; half of them with liquid under and over a roof. */
static void lay_floor(trial *s) {
    rill_solid_def floor = rill_default_solid_def();
    floor.shape.type = RILL_SHAPE_PLANE;
    floor.shape.axis[2] = 1.0;
    const uint8_t bits = fuzz_u8(&s->in);
    floor.shape.axis[0] = bits & 4 ? fuzz_double(&s->in, -0.5, 0.5) : 0.0;
    if (bits & 2) lay_roof(s);
    if (rill_solid_create(s->world, &floor, &s->solids[0]) != RILL_OK || !(bits & 1)) return;
    if (rill_bed_build(s->world) == RILL_OK && bits & 2) call_fill(s);
}

/* State of the world before a call: if it is refused, nothing of that has changed. */
typedef struct fuzz_found {
    uint64_t hash;
    double time;
    size_t changes;
} fuzz_found;

static fuzz_found found(const rill_world *world) {
    return (fuzz_found){ rill_world_hash(world), rill_world_time(world), (size_t)world->changes };
}

/* Steps that run out of memory on the way stop there; the bed may have followed its solids. */
static void check_refused(const rill_world *world, rill_result result, const fuzz_found *before) {
    const fuzz_found now = found(world);
    const bool on_the_way = now.time > before->time || now.changes < before->changes;
    if (result != RILL_OUT_OF_MEMORY || !on_the_way)
        FUZZ_CHECK(now.hash == before->hash, "%s changed it", rill_result_name(result));
    FUZZ_CHECK(rill_world_message(world)[0] != '\0', "refused without a word");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    trial s = { .in = { data, size }, .die = fuzz_die(data, size), .memory = { .until_failure = -1 } };
    s.runtime.allocator = fuzz_allocator(&s.memory);
    s.runtime.tasks.threads = 1 + (s.die / 64 % THREADS_ONE_IN == 0);
    if (open_world(&s)) {
        lay_floor(&s);
        const int calls = LEAST_CALLS + (int)(s.die / 8192 % (MOST_CALLS - LEAST_CALLS + 1));
        for (int i = 0; i < calls && s.in.size > 0; ++i) {
            uint8_t failure = fuzz_u8(&s.in);
            s.memory.until_failure = failure >= 224 ? failure - 224 : -1;
            const fuzz_found before = found(s.world);
            rill_result result = call_one(&s);
            s.memory.until_failure = -1;
            if (result != RILL_OK) check_refused(s.world, result, &before);
            fuzz_check_ledger(s.world);
        }
        fuzz_check_world(s.world);
        rill_world_destroy(s.world);
    }
    free(s.snapshot);
    FUZZ_CHECK(s.memory.live == 0, "%lld blocks leaked", s.memory.live);
    return 0;
}
