/* Case 26, hollow bodies: an open box floats by its hold, with a draft of mass / (density * length * width), as long as
 * the rim of its walls is above the level; with what was poured into it as part of its mass; below that level, the hold
 * fills and the box displaces no more than its planks. */
#include "body_rig.h"
#include "cases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct hull_case {
    double dx;      /* m */
    double wall;    /* cells */
    double mass;    /* kg */
    double heading; /* degrees */
    double poured;  /* m3: into it */
} hull_case;

static const double density = 998, length = 0.04, height = 0.02, plank = 3e-3, frame = 1.0 / 60;

typedef struct hull {
    float vertices[48];
    uint32_t indices[84];
} hull;

/* Rings of four corners: outside below and above, inside above and below; between them sides, and a bottom and a
 * floor. */
static void make_hull(hull *which, double wall) {
    static const uint32_t ends[] = { 0, 2, 1, 0, 3, 2, 12, 13, 14, 12, 14, 15 };
    const double z[4] = { 0, height, height, plank };
    for (uint32_t i = 0; i < 16; ++i) {
        const uint32_t ring = i / 4, corner = i % 4;
        const double half = 0.5 * length - (ring < 2 ? 0 : wall);
        which->vertices[3 * i] = (float)(corner == 1 || corner == 2 ? half : -half);
        which->vertices[3 * i + 1] = (float)(corner >= 2 ? half : -half);
        which->vertices[3 * i + 2] = (float)z[ring];
    }
    for (uint32_t i = 0; i < 12; ++i) {
        const uint32_t next = i / 4 * 4 + (i + 1) % 4, sides[6] = { i, next, next + 4, i, next + 4, i + 4 };
        memcpy(which->indices + 6 * i, sides, sizeof sides);
    }
    memcpy(which->indices + 72, ends, sizeof ends);
}

static rill_body_def hull_of(const hull *which, double mass) {
    rill_body_def def = rill_default_body_def();
    def.shape.type = RILL_SHAPE_MESH;
    def.shape.vertices = which->vertices;
    def.shape.vertex_count = 16;
    def.shape.indices = which->indices;
    def.shape.triangle_count = 28;
    def.mass = mass;
    def.centre[0] = def.centre[1] = 0;
    def.centre[2] = plank;
    return def;
}

static double displaced(rill_rig *rig, rill_body_id id) {
    rill_body_forces forces = { .level = 0 };
    if (rig->ok) rill_rig_expect(rig, rill_body_get_forces(rig->world, id, &forces), "rill_body_get_forces");
    return forces.submerged_volume;
}

/* Pours into the hull in a second, not in the middle. */
static void pour_into(rill_rig *rig, const hull_case *which, double middle, double above) {
    rill_source_def jug = rill_default_source_def();
    rill_source_id source;
    jug.shape = RILL_SOURCE_DISC;
    jug.at[0] = middle + 5e-3;
    jug.at[1] = middle;
    jug.at[2] = above;
    jug.radius = 2 * which->dx;
    jug.rate = which->poured;
    jug.until = 1;
    rill_rig_expect(rig, rill_source_create(rig->world, &jug, &source), "rill_source_create");
}

/* Put 1 mm too high into a tank of 96 x 96 mm, 30 mm deep; 3 s, and one more if liquid is poured into it. */
static void run_draft(rill_validation *validation, const hull_case *which) {
    const double tank = 0.096, depth = 0.03, draft = (which->mass / density + which->poured) / (length * length);
    const int32_t cells = (int32_t)lrint(tank / which->dx);
    double found = 0;
    rill_rig rig;
    rill_body_id id = { 0 };
    if (rill_rig_begin(&rig, validation, cells, cells, which->dx)) {
        rig.def.headroom = 0.1;
        rig.def.liquid.viscosity = 3e-4;
    }
    hull h;
    make_hull(&h, which->wall * which->dx);
    rill_body_def def = hull_of(&h, which->mass);
    def.state.position[0] = def.state.position[1] = 0.5 * tank + 0.37 * which->dx;
    def.state.position[2] = depth - which->mass / (density * length * length) + plank + 1e-3;
    rill_rig_turn(def.state.orientation, 2, which->heading);
    if (rill_rig_tank(&rig, depth) && rill_rig_put(&rig, &def, &id)) {
        if (which->poured > 0) pour_into(&rig, which, 0.5 * tank, depth);
        rill_rig_run(&rig, which->poured > 0 ? 4 : 3, frame);
        found = rill_rig_level(&rig) - (rill_rig_body(&rig, id).position[2] - plank);
    }
    if (rig.ok) {
        rill_check check = { .mode = "physical", .relation = RILL_NEAR, .unit = "mm" };
        char load[32] = "";
        check.tolerance = which->poured > 0 ? 0.01 : 0.02;
        check.value = 1e3 * found;
        check.target = 1e3 * draft;
        if (which->poured > 0) snprintf(load, sizeof load, " and %g ml of water", 1e6 * which->poured);
        rill_validation_add(validation, &check,
                            "open hull 40 mm, %g g%s, walls of %g cells, dx %g mm, heading %g: draft",
                            1e3 * which->mass, load, which->wall, 1e3 * which->dx, which->heading);
    }
    rill_rig_end(&rig);
}

/* Afloat at first, pushed down by 20 mm and held there. */
static void run_swamped(rill_validation *validation) {
    const double dx = 2e-3, depth = 0.04;
    double found = 0;
    rill_rig rig;
    rill_body_id id = { 0 };
    if (rill_rig_begin(&rig, validation, 48, 48, dx)) {
        rig.def.headroom = 0.1;
        rig.def.liquid.viscosity = 3e-4;
    }
    hull which;
    make_hull(&which, 1.5 * dx);
    rill_body_def def = hull_of(&which, (double)INFINITY);
    def.state.position[0] = def.state.position[1] = 0.048 + 0.37 * dx;
    def.state.position[2] = depth - 0.0125 + plank;
    def.state.velocity[2] = -0.04;
    if (rill_rig_tank(&rig, depth) && rill_rig_put(&rig, &def, &id)) {
        rill_rig_run(&rig, 0.5, frame);
        rill_body_state state = rill_rig_body(&rig, id);
        state.velocity[2] = 0;
        rill_rig_set_body(&rig, id, &state);
        rill_rig_run(&rig, 1, frame);
        rill_body_info info = { .volume = 1 };
        rill_rig_expect(&rig, rig.ok ? rill_body_get_info(rig.world, id, &info) : RILL_OK, "rill_body_get_info");
        found = displaced(&rig, id) / info.volume;
    }
    if (rig.ok) {
        rill_check check = { .mode = "physical", .relation = RILL_NEAR, .tolerance = 0.005, .target = 1 };
        check.value = found;
        rill_validation_add(validation, &check, "open hull 40 mm pushed under: displaces, of its planks");
    }
    rill_rig_end(&rig);
}

void rill_case_hollow_bodies(rill_validation *validation) {
    static const hull_case cases[] = {
        { 1e-3, 1.5, 0.012, 45, 0 }, { 2e-3, 1.5, 0.02, 17, 0 },    { 2e-3, 4, 0.02, 0, 0 },
        { 4e-3, 1.5, 0.026, 17, 0 }, { 2e-3, 1.5, 0.012, 0, 7e-6 }, { 2e-3, 1.5, 0.012, 17, 7e-6 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) run_draft(validation, &cases[i]);
    run_swamped(validation);
}
