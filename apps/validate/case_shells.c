/* Case 22: liquid on curved surfaces. Worlds are shells alone.
 *
 * A film on a ball. Problem: thin viscous liquid drains from the top. Exact solution of the lubrication equation there: h = h0 / sqrt(1
 * + 4 g h0^2 t / (3 nu a)). Measured: the column at the top after 10 s; tension is off.
 *
 * A bowl. Problem: liquid in the lower part of a hollow sphere. Exact solution: nothing moves, or, from a blob, it comes to lie
 * level. Measured: columns that change, and how far levels are apart after 30 s.
 *
 * A drop on a level pane whose columns stand irregularly. Exact solution: Young and Laplace. Measured as in case 13; and with 10
 * degrees between advancing and receding angle, what moves in a minute.
 *
 * A ball with drops on it that is turned at random in every step. Measured: what the ledger is off by. */
#include "cases.h"
#include "exact_solutions.h"
#include "rig.h"
#include "scene/ball_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FOOT = 1.6; /* spacings, times s: the height of the foot of a drop */

typedef struct stage {
    rill_validation *validation;
    rill_world_def def;
    rill_world *world;
    rill_shell_id id;
    rill_shell_mesh mesh;
    rill_shell_info info;
    double *depths;
    bool ok;
} stage;

static void expect(stage *s, rill_result result) {
    if (!s->ok || result == RILL_OK) return;
    s->ok = false;
    rill_validation_broken(s->validation, s->world ? rill_world_message(s->world) : "no world");
}

static stage begin(rill_validation *validation) {
    stage s = { .validation = validation, .def = rill_default_world_def(), .ok = true };
    s.def.grid.cells[0] = s.def.grid.cells[1] = 0;
    s.def.runtime.scalar = validation->scalar;
    s.def.runtime.tasks.threads = validation->threads;
    s.def.solver.tension = RILL_TENSION_OFF;
    s.def.solver.max_substeps = 100000;
    return s;
}

/* Makes world and shell; `depths` has a place for every column then. */
static void build(stage *s, const rill_shell_def *shell) {
    rill_message message = { "" };
    if (rill_world_create(&s->def, &s->world, &message) != RILL_OK) {
        s->ok = false;
        rill_validation_broken(s->validation, message.text);
        return;
    }
    expect(s, rill_shell_create(s->world, shell, &s->id));
    if (s->ok) expect(s, rill_shell_get_mesh(s->world, s->id, &s->mesh));
    if (s->ok) expect(s, rill_shell_get_info(s->world, s->id, &s->info));
    if (s->ok) s->depths = calloc((size_t)s->info.columns, sizeof *s->depths);
    if (s->ok && !s->depths) {
        s->ok = false;
        rill_validation_broken(s->validation, "no memory for depths");
    }
}

static void build_ball(stage *s, double radius, int cuts, bool inside) {
    rill_ball_mesh ball;
    rill_shell_def shell = rill_default_shell_def();
    if (!rill_ball_mesh_make(radius, cuts, &ball)) {
        s->ok = false;
        rill_validation_broken(s->validation, "no memory for a ball");
        return;
    }
    shell.vertices = ball.vertices, shell.vertex_count = 3 * ball.triangle_count;
    shell.indices = ball.indices, shell.triangle_count = ball.triangle_count;
    shell.inside = inside;
    build(s, &shell);
    rill_ball_mesh_free(&ball);
}

static void end(stage *s) {
    rill_world_destroy(s->world);
    free(s->depths);
}

static void fill(stage *s) {
    if (s->ok) expect(s, rill_shell_fill_depths(s->world, s->id, s->depths, (size_t)s->info.columns, NULL));
}
static void look(stage *s) {
    if (s->ok) expect(s, rill_shell_read_depths(s->world, s->id, s->depths, (size_t)s->info.columns));
    if (s->ok) expect(s, rill_shell_get_info(s->world, s->id, &s->info));
}
static void run(stage *s, double duration) {
    const double frame = 1.0 / 60;
    for (double t = 0; s->ok && t < duration - 0.5 * frame; t += frame) expect(s, rill_world_step(s->world, frame));
}

static void off_by(const stage *s) {
    rill_ledger ledger = { 0 };
    if (!s->ok || rill_world_get_ledger(s->world, &ledger) != RILL_OK) return;
    const rill_check check = {
        .mode = "shell", .relation = RILL_ZERO, .value = (double)ledger.error, .unit = "quanta"
    };
    rill_validation_add(s->validation, &check, "ledger error after that");
}

/* ----------------------------------------------------------------------------------------------------------------- film */

static void drain(rill_validation *validation, const char *liquid, double radius, double h0, int cuts) {
    const double duration = 10;
    stage s = begin(validation);
    rill_liquid_preset(liquid, &s.def.liquid);
    build_ball(&s, radius, cuts, false);
    int32_t pole = 0;
    for (int32_t i = 0; s.ok && i < s.info.columns; ++i) {
        const double *x = s.mesh.positions + 3 * i;
        s.depths[i] = x[2] > 0 ? h0 : 0;
        if (x[2] > s.mesh.positions[3 * pole + 2]) pole = i;
    }
    fill(&s);
    run(&s, duration);
    look(&s);
    if (s.ok) {
        const double nu = s.def.liquid.viscosity;
        const double exact = h0 / sqrt(1 + 4 * 9.81 * h0 * h0 * duration / (3 * nu * radius));
        const rill_check check = { .mode = "shell",
                                   .relation = RILL_NEAR,
                                   .value = 1e3 * s.depths[pole],
                                   .target = 1e3 * exact,
                                   .tolerance = 0.01,
                                   .unit = "mm" };
        rill_validation_add(validation, &check, "%s %g mm deep on a ball of %g mm, %d columns: on top after 10 s",
                            liquid, 1e3 * h0, 1e3 * radius, s.info.columns);
    }
    end(&s);
}

/* ----------------------------------------------------------------------------------------------------------------- bowl */

static void rest_in_bowl(rill_validation *validation, double radius, double level, int cuts) {
    stage s = begin(validation);
    build_ball(&s, radius, cuts, true);
    for (int32_t i = 0; s.ok && i < s.info.columns; ++i) {
        const double z = s.mesh.positions[3 * i + 2], up = s.mesh.normals[3 * i + 2];
        s.depths[i] = z < level && up > 0 ? (level - z) / up : 0;
    }
    fill(&s);
    look(&s);
    const size_t size = s.ok ? (size_t)s.info.columns * sizeof(double) : 0;
    double *before = malloc(size + 1);
    if (before && s.ok) {
        memcpy(before, s.depths, size);
        run(&s, validation->quick ? 10 : 60);
        look(&s);
        size_t changed = 0;
        for (int32_t i = 0; s.ok && i < s.info.columns; ++i) changed += before[i] != s.depths[i];
        const rill_check check = { .mode = "shell", .relation = RILL_ZERO, .value = (double)changed };
        rill_validation_add(validation, &check, "lake in a bowl of %g mm: columns changed in %d s", 1e3 * radius,
                            validation->quick ? 10 : 60);
    }
    free(before);
    end(&s);
}

static void level_in_bowl(rill_validation *validation) {
    stage s = begin(validation);
    s.def.liquid.viscosity = 2e-5;
    build_ball(&s, 0.05, 4, true);
    for (int32_t i = 0; s.ok && i < s.info.columns; ++i) {
        const double *x = s.mesh.positions + 3 * i;
        s.depths[i] = hypot(x[0] - 0.012, x[1]) < 0.014 && x[2] < 0 ? 0.005 : 0;
    }
    fill(&s);
    run(&s, 30);
    look(&s);
    double low = INFINITY, high = -INFINITY;
    for (int32_t i = 0; s.ok && i < s.info.columns; ++i) {
        const double z = s.mesh.positions[3 * i + 2] + s.depths[i] * s.mesh.normals[3 * i + 2];
        if (s.depths[i] > 5e-4) low = fmin(low, z), high = fmax(high, z);
    }
    const rill_check check = {
        .mode = "shell", .relation = RILL_AT_MOST, .value = 1e6 * (high - low), .target = 0.1, .unit = "um"
    };
    if (s.ok) rill_validation_add(validation, &check, "blob in a bowl of 50 mm: levels apart after 30 s");
    off_by(&s);
    end(&s);
}

/* ----------------------------------------------------------------------------------------------------------------- drop */

typedef struct pane {
    float *vertices;
    uint32_t *indices;
    size_t vertex_count, triangle_count;
} pane;

/* A lattice of triangles about the origin whose corners are up to a fifth of its spacing off. */
static pane make_pane(double size, double spacing) {
    const double row = spacing * 0.5 * sqrt(3.0);
    const size_t nx = (size_t)(size / spacing) + 1, ny = (size_t)(size / row) + 1;
    pane made = { calloc(3 * nx * ny, sizeof(float)), calloc(6 * nx * ny, sizeof(uint32_t)), nx * ny, 0 };
    uint64_t state = 22;
    for (size_t i = 0; made.vertices && i < nx * ny; ++i) {
        const double x = (double)(i % nx), y = (double)(i / nx);
        made.vertices[3 * i] = (float)(spacing * (x + 0.5 * (double)(i / nx % 2) - 0.5 * (double)nx +
                                                  0.4 * (rill_rig_random(&state) - 0.5)));
        made.vertices[3 * i + 1] =
            (float)(row * (y - 0.5 * (double)ny) + spacing * 0.4 * (rill_rig_random(&state) - 0.5));
    }
    for (size_t y = 0; made.indices && y + 1 < ny; ++y)
        for (size_t x = 0; x + 1 < nx; ++x) {
            const uint32_t a = (uint32_t)(y * nx + x), b = a + 1, c = a + (uint32_t)nx, d = c + 1;
            const uint32_t even[6] = { a, b, c, b, d, c }, odd[6] = { a, b, d, a, d, c };
            memcpy(made.indices + 3 * made.triangle_count, y % 2 ? odd : even, sizeof even);
            made.triangle_count += 2;
        }
    return made;
}

static void build_pane(stage *s, double size, double spacing) {
    pane made = make_pane(size, spacing);
    rill_shell_def shell = rill_default_shell_def();
    shell.vertices = made.vertices, shell.vertex_count = made.vertex_count;
    shell.indices = made.indices, shell.triangle_count = made.triangle_count;
    if (made.vertices && made.indices) build(s, &shell);
    if (!made.vertices || !made.indices) {
        s->ok = false;
        rill_validation_broken(s->validation, "no memory for a pane");
    }
    free(made.vertices);
    free(made.indices);
}

static void put_drop(stage *s, double radius, double volume) {
    double sum = 0;
    for (int32_t i = 0; s->ok && i < s->info.columns; ++i) {
        const double *x = s->mesh.positions + 3 * i;
        s->depths[i] = fmax(1 - (x[0] * x[0] + x[1] * x[1]) / (radius * radius), 0);
        sum += s->depths[i] * s->mesh.areas[i];
    }
    for (int32_t i = 0; s->ok && i < s->info.columns; ++i) s->depths[i] *= volume / sum;
    fill(s);
}

static void report_drop(stage *s, double degrees, double spacing, const rill_sessile *exact) {
    const double foot = FOOT * s->info.spacing * 2 * sin(degrees * RILL_PI / 360);
    double area = 0, highest = 0;
    for (int32_t i = 0; i < s->info.columns; ++i) {
        const double left = fmax(1 - s->depths[i] / foot, 0);
        area += (1 - left * left) * s->mesh.areas[i];
        highest = fmax(highest, s->depths[i]);
    }
    rill_check check = { .mode = "shell",
                         .relation = RILL_NEAR,
                         .value = 1e3 * sqrt(area / RILL_PI),
                         .target = 1e3 * exact->radius,
                         .tolerance = 0.05,
                         .unit = "mm" };
    rill_validation_add(s->validation, &check, "drop of 20 ul, %g degrees, spacing %g mm, irregular: radius", degrees,
                        1e3 * spacing);
    check.value = 1e3 * highest, check.target = 1e3 * exact->height;
    rill_validation_add(s->validation, &check, "drop of 20 ul, %g degrees, spacing %g mm, irregular: height", degrees,
                        1e3 * spacing);
}

static void lay_drop(rill_validation *validation, double degrees, double spacing) {
    stage s = begin(validation);
    const double length = sqrt(s.def.liquid.surface_tension / (s.def.liquid.density * 9.81));
    const rill_sessile exact = rill_exact_sessile(20e-9, degrees, length);
    s.def.solver.tension = RILL_TENSION_ON;
    s.def.liquid.contact_angle = (rill_contact_angle){ degrees, degrees };
    build_pane(&s, 0.012, spacing);
    put_drop(&s, 1.05 * exact.radius, 20e-9);
    run(&s, 0.7);
    look(&s);
    if (s.ok) report_drop(&s, degrees, spacing, &exact);
    end(&s);
}

/* Where the middle of the liquid is. */
static void middle_of(const stage *s, double out[2]) {
    double sum = 0;
    out[0] = out[1] = 0;
    for (int32_t i = 0; i < s->info.columns; ++i) {
        const double volume = s->depths[i] * s->mesh.areas[i];
        for (int k = 0; k < 2; ++k) out[k] += volume * s->mesh.positions[3 * i + k];
        sum += volume;
    }
    for (int k = 0; k < 2; ++k) out[k] /= sum;
}

static void stick(rill_validation *validation) {
    stage s = begin(validation);
    double before[2], after[2];
    s.def.solver.tension = RILL_TENSION_ON;
    s.def.solver.rest = false; /* it is physics alone that holds it */
    s.def.liquid.contact_angle = (rill_contact_angle){ 35, 25 };
    build_pane(&s, 0.012, 5e-4);
    put_drop(&s, 0.0036, 20e-9);
    run(&s, 3);
    look(&s);
    if (s.ok) middle_of(&s, before);
    run(&s, validation->quick ? 10 : 60);
    look(&s);
    if (s.ok) {
        middle_of(&s, after);
        const rill_check check = { .mode = "shell",
                                   .relation = RILL_AT_MOST,
                                   .value = 1e6 * hypot(after[0] - before[0], after[1] - before[1]),
                                   .target = 0.3,
                                   .unit = "um" };
        rill_validation_add(validation, &check, "drop of 20 ul, 35 and 25 degrees, no rest rule: way in %d s",
                            validation->quick ? 10 : 60);
    }
    end(&s);
}

/* ----------------------------------------------------------------------------------------------------------------- turns */

static void turn(rill_validation *validation) {
    stage s = begin(validation);
    const int turns = validation->quick ? 1000 : 10000;
    const double none[3] = { 0, 0, 0 };
    uint64_t state = 5;
    int64_t worst = 0;
    s.def.solver.tension = RILL_TENSION_ON;
    s.def.solver.max_substeps = 2;
    build_ball(&s, 0.01, 3, false);
    for (int32_t i = 0; s.ok && i < s.info.columns; ++i) s.depths[i] = i % 3 ? 0 : 4e-4;
    fill(&s);
    for (int i = 0; s.ok && i < turns; ++i) {
        const double rotate[3] = { 360 * rill_rig_random(&state), 360 * rill_rig_random(&state),
                                   360 * rill_rig_random(&state) };
        rill_ledger ledger = { 0 };
        expect(&s, rill_shell_set_pose(s.world, s.id, none, rotate));
        if (s.ok) expect(&s, rill_world_step(s.world, 0.005));
        if (s.ok) expect(&s, rill_world_get_ledger(s.world, &ledger));
        if (llabs((long long)ledger.error) > worst) worst = llabs((long long)ledger.error);
    }
    const rill_check check = { .mode = "shell", .relation = RILL_ZERO, .value = (double)worst, .unit = "quanta" };
    if (s.ok) rill_validation_add(validation, &check, "wet ball turned at random %d times: worst ledger error", turns);
    end(&s);
}

void rill_case_shells(rill_validation *validation) {
    drain(validation, "glycerol", 0.035, 5e-4, 4);
    drain(validation, "glycerol", 0.035, 1e-3, 5);
    drain(validation, "honey", 0.02, 1e-3, 4);
    rest_in_bowl(validation, 0.05, -0.042, 4);
    rest_in_bowl(validation, 0.5, -0.4, 5);
    level_in_bowl(validation);
    lay_drop(validation, 30, 2.5e-4);
    lay_drop(validation, 60, 2.5e-4);
    stick(validation);
    turn(validation);
}
