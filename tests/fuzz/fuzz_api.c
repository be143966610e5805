/* Random sequences of API calls with good, bad and absurd arguments, and an allocator that may fail at any moment.
 * After every call the ledger balances, and a call that failed has changed nothing; in steps in which liquid is left to
 * itself energy does not rise; and in the end the world is valid. Sequences are short so that there are many of
 * them. */
#include "trial_reads.h"

enum { LEAST_CALLS = 3, MOST_CALLS = 8, WIDE_ONE_IN = 64, THREADS_ONE_IN = 128, NEWER_CALLS = 208 };

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
        FUZZ_CHECK(!rill_solid_user_data(copy, rill_world_solid_at(copy, 0)), "a pointer in a snapshot");
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
    FUZZ_CHECK(isfinite(forces.level) && forces.submerged_volume >= 0.0 && forces.deck_volume >= 0.0, "level %g",
               forces.level);
    if (fuzz_below(&s->in, 4) == 0) return rill_body_destroy(s->world, *id);
    random_state(s, &state);
    return rill_body_set_state(s->world, *id, &state);
}

/* Moves a source, or makes another one of it: what it now is, is what was asked for. */
static rill_result call_source_def(trial *s, rill_source_id id) {
    rill_source_def def, now;
    if (rill_source_get_def(s->world, id, &def) != RILL_OK || fuzz_below(&s->in, 2)) def = random_source(s);
    fuzz_vector(&s->in, 0.0, s->extent, def.at); /* also with the name that the library holds */
    const rill_result result = rill_source_set_def(s->world, id, &def);
    if (result) return result;
    FUZZ_CHECK(rill_source_get_def(s->world, id, &now) == RILL_OK, "a source without a definition");
    FUZZ_CHECK(now.shape == def.shape && now.sink == def.sink && now.rate == def.rate && now.rain == def.rain, "%g %g",
               now.rate, now.rain);
    FUZZ_CHECK(memcmp(now.at, def.at, sizeof now.at) == 0 && now.until == def.until, "at %g", now.at[0]);
    return RILL_OK;
}

static rill_result call_forces(trial *s) {
    double pressures[WIDEST * MOST_CELLS], accelerations[2 * WIDEST * MOST_CELLS], points[WIDEST * MOST_CELLS];
    const size_t count = (size_t)s->cells[0] * (size_t)s->cells[1];
    double pattern[4];
    for (int i = 0; i < 4; ++i) pattern[i] = fuzz_double(&s->in, -100.0, 100.0);
    for (size_t i = 0; i < count; ++i) pressures[i] = pattern[(i ^ i >> 3) & 3];
    rill_world_read_control_points(s->world, points, count);
    for (size_t i = 0; i < 2 * count; ++i) accelerations[i] = 0.1 * pattern[(i ^ i >> 2) & 3];
    /* How is decided by what was read for the pressures: seeds keep their meaning. */
    const int32_t how = (int32_t)fmin(10.0 * fabs(pattern[1]), 1e6); /* the least of 1e6 and no number is 1e6 */
    const rill_force_field field = { .layer = how % 3 - 1,
                                     .pressures = how / 3 % 3 ? pressures : NULL,
                                     .accelerations = how / 9 % 3 ? accelerations : NULL,
                                     .count = count };
    const rill_brush brush = { { pattern[0] * 1e-4, pattern[2] * 1e-4, 0.0 }, 0.002, { pattern[3], pattern[1] } };
    s->stirred |= rill_snapshot_size(s->world) > 0; /* forces work */
    if (how / 27 % 3 == 0) return rill_world_brush(s->world, &brush);
    return rill_world_set_force_field(s->world, how / 81 % 5 ? &field : NULL);
}

/* Edges and emptying, by a part of the kinds that step: seeds keep their meaning. */
static rill_result call_edge_or_drain(trial *s, int32_t kind, int32_t slot) {
    s->stirred = true;
    if (kind == 24) return rill_world_drain(s->world);
    const rill_edge edge = { (rill_edge_kind)fuzz_below(&s->in, 4), fuzz_double(&s->in, 0.0, 0.02) }; /* one too many */
    const int32_t side = slot + fuzz_below(&s->in, 3);
    const rill_result result = rill_world_set_edge(s->world, side, &edge);
    if (result) return result;
    rill_edge now;
    FUZZ_CHECK(rill_world_get_edge(s->world, side, &now) == RILL_OK && now.kind == edge.kind, "another edge");
    return RILL_OK;
}

/* Lets the liquid wet solids in another way. */
static rill_result call_wetting(trial *s) {
    rill_liquid liquid;
    rill_world_get_liquid(s->world, &liquid);
    liquid.contact_angle = rill_contact_angle_about(fuzz_double(&s->in, 0.0, 180.0));
    liquid.drying = fuzz_below(&s->in, 2) ? 0.0 : fuzz_double(&s->in, 0.0, 0.1);
    if (fuzz_below(&s->in, 4) == 0) liquid.contact_angle.receding = fuzz_double(&s->in, 0.0, 180.0);
    s->stirred = true;
    return rill_world_set_liquid(s->world, &liquid);
}

/* Lets the liquid pull itself together; its energy is not all there is then. */
static rill_result call_tension(trial *s) {
    rill_solver solver;
    rill_message why = { "" };
    rill_world_get_solver(s->world, &solver);
    solver.tension = (rill_tension)fuzz_below(&s->in, 4); /* one too many */
    solver.wall_tension = fuzz_below(&s->in, 2);
    s->stirred = true;
    const rill_result result = rill_world_set_solver(s->world, &solver);
    const bool acts = rill_world_has_tension(s->world, &why);
    FUZZ_CHECK(acts == (why.text[0] == '\0'), "%s", why.text);
    return result;
}

/* Makes a painted solid of another. */
static rill_result call_paint(trial *s, rill_solid_id id) {
    double heights[9], angles[4];
    rill_solid_def def = random_solid(s, heights);
    for (int i = 0; i < 4; ++i) angles[i] = fuzz_double(&s->in, 0.0, 180.0);
    def.wettability = fuzz_below(&s->in, 4) ? angles : NULL;
    def.wettability_size[0] = def.wettability_size[1] = fuzz_below(&s->in, 16) ? 2 : fuzz_below(&s->in, 3);
    if (fuzz_below(&s->in, 4) == 0) def.contact_angle = rill_contact_angle_about(fuzz_double(&s->in, 0.0, 180.0));
    s->stirred = true;
    return rill_solid_replace(s->world, id, &def);
}

/* Draws liquid into a mask or into a triangle with a hole. */
static rill_result make_control(trial *s, rill_control_id *id) {
    static const int32_t corners[] = { 3, 3 };
    double points[12];
    uint8_t mask[WIDEST * MOST_CELLS], pattern;
    rill_control_def def = rill_default_control_def();
    for (int i = 0; i < 12; ++i) points[i] = fuzz_double(&s->in, -0.2 * s->extent, 1.2 * s->extent);
    fuzz_bytes(&s->in, &pattern, 1);
    def.mask_count = (size_t)s->cells[0] * (size_t)s->cells[1];
    for (size_t i = 0; i < def.mask_count; ++i) mask[i] = pattern >> (i & 7) & 1;
    const bool masked = fuzz_below(&s->in, 2);
    def.mask = masked ? mask : NULL;
    def.points = masked ? NULL : points;
    def.corners = masked ? NULL : corners;
    def.polygon_count = masked ? 0 : 1 + fuzz_below(&s->in, 2);
    def.strength = fuzz_double(&s->in, 0.0, 20.0);
    if (fuzz_below(&s->in, 2)) def.inside = rill_contact_angle_about(fuzz_double(&s->in, 0.0, 180.0));
    if (fuzz_below(&s->in, 2)) def.until = fuzz_double(&s->in, 0.0, 0.01);
    def.name = fuzz_below(&s->in, 4) == 0 ? "twin" : NULL;
    return rill_control_create(s->world, &def, id);
}

static rill_result call_control(trial *s, rill_control_id *id) {
    uint8_t mask[WIDEST * MOST_CELLS];
    const size_t count = (size_t)s->cells[0] * (size_t)s->cells[1];
    s->stirred = true;
    if (rill_control_read_mask(s->world, *id, mask, count) == RILL_OK)
        for (size_t i = 0; i < count; ++i) FUZZ_CHECK(mask[i] < 2, "%d in a mask", mask[i]);
    switch (fuzz_below(&s->in, 4)) {
    case 0: return rill_control_destroy(s->world, *id);
    case 1: return rill_control_set_strength(s->world, *id, fuzz_double(&s->in, 0.0, 20.0));
    default: return make_control(s, id);
    }
}

/* Calls that came later, by numbers of their own: inputs keep what they meant. */
static rill_result call_newer(trial *s, int32_t kind) {
    const int32_t slot = fuzz_below(&s->in, SLOTS);
    if (kind >= 36) return kind < 40 ? call_events(s) : call_rays(s);
    switch (kind % 12) {
    case 0:
    case 1: return call_source_def(s, s->sources[slot]);
    case 2: return rill_source_set_rain(s->world, s->sources[slot], fuzz_double(&s->in, 0.0, 1e6));
    case 3: return call_user(s, slot);
    case 4: return call_lists(s);
    case 5: return call_field(s);
    case 6: return call_accounts(s);
    case 7: return call_wetting(s);
    case 8: return call_paint(s, s->solids[slot]);
    case 9: return call_tension(s);
    case 10: return call_control(s, &s->controls[slot]);
    default: return call_surface(s);
    }
}

static rill_result call_one(trial *s) {
    double vector[3], heights[9];
    int32_t slot = fuzz_below(&s->in, 4);
    const uint8_t any = fuzz_u8(&s->in);
    if (any >= NEWER_CALLS) return call_newer(s, any - NEWER_CALLS);
    const int32_t kind = any % 26;
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
    case 20: return call_forces(s);
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
    if ((s->die >> 40 & 3) == 0) def.solver.tension = RILL_TENSION_AUTO;
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
        check_users(&s);
        const int calls = LEAST_CALLS + (int)(s.die / 8192 % (MOST_CALLS - LEAST_CALLS + 1));
        for (int i = 0; i < calls && s.in.size > 0; ++i) {
            uint8_t failure = fuzz_u8(&s.in);
            s.memory.until_failure = failure >= 224 ? failure - 224 : -1;
            const fuzz_found before = found(s.world);
            rill_result result = call_one(&s);
            s.memory.until_failure = -1;
            if (result != RILL_OK) check_refused(s.world, result, &before);
            fuzz_check_ledger(s.world);
            check_users(&s);
        }
        fuzz_check_world(s.world);
        rill_surface_destroy(s.surface);
        rill_world_destroy(s.world);
    }
    free(s.snapshot);
    FUZZ_CHECK(s.memory.live == 0, "%lld blocks leaked", s.memory.live);
    return 0;
}
