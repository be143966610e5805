/* Trials of fuzz_api: a world, what the program holds of it, and random definitions of all that can be created. */
#ifndef RILL_TESTS_TRIAL_H
#define RILL_TESTS_TRIAL_H

#include "body_shapes.h"
#include "fuzz.h"

enum { MOST_CELLS = 6, WIDEST = 100, SLOTS = 4 };

/* The memory that the program has of an id: the pointer that it has set. */
typedef struct remembered {
    uint64_t id;
    void *user;
} remembered;

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
    rill_solid_id solids[SLOTS];
    rill_source_id sources[SLOTS];
    rill_body_id bodies[SLOTS];
    rill_control_id controls[SLOTS];
    remembered users[4][SLOTS]; /* of those */
    rill_surface *surface;
    void *snapshot;
    size_t snapshot_size;
} trial;

/* ------------------------------------------------------------------------------------------------------ definitions */

static inline rill_solver random_solver(fuzz_input *in) {
    rill_solver solver = rill_default_world_def().solver;
    solver.tension = RILL_TENSION_OFF; /* the judge of energy leaves worlds alone in which it acts */
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
        if ((bits & 5) == 5) solver.papers = RILL_PAPERS_WANG;
        solver.wang.tension = bits & 8 ? RILL_WANG_COMPLETE : RILL_WANG_INCOMPLETE;
        solver.wang.preconditioner = bits & 16 ? RILL_WANG_FACTORED : RILL_WANG_JACOBI;
    }
    return solver;
}

static inline rill_liquid random_liquid(fuzz_input *in) {
    rill_liquid liquid = rill_default_world_def().liquid;
    const char *name = rill_liquid_preset_name(fuzz_below(in, 9));
    if (name) rill_liquid_preset(name, &liquid);
    if (fuzz_below(in, 2)) liquid.viscosity = fuzz_double(in, 0.0, 0.01);
    if (fuzz_below(in, 4) == 0) liquid.density = fuzz_double(in, 500.0, 2000.0);
    return liquid;
}

static inline rill_solid_def random_solid(trial *s, double heights[9]) {
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

static inline rill_source_def random_source(trial *s) {
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

static inline void random_state(trial *s, rill_body_state *state) {
    fuzz_input *in = &s->in;
    fuzz_vector(in, 0.0, s->extent, state->position);
    const uint8_t bits = fuzz_u8(in);
    for (int i = 0; i < 4 && bits & 1; ++i) state->orientation[i] = fuzz_double(in, -1.0, 1.0);
    if (bits & 2) fuzz_vector(in, -1.0, 1.0, state->velocity);
    if (bits & 4) fuzz_vector(in, -100.0, 100.0, state->angular_velocity);
    if (bits & 8) fuzz_vector(in, -12.0, 12.0, state->acceleration);
}

static inline rill_body_def random_body(trial *s, float vertices[15]) {
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

#endif
