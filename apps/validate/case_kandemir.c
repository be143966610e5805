/* Case 28: Kandemir's method.
 *
 * Problems and exact solutions: a lake on rough ground rests to the bit. A random scene and its mirror images stay the
 * same to the bit, and the ledger is 0. A standing wave along a tank of ny rows has
 *
 *     sin(w dt / 2) = W dt / 2,    W^2 = (A g / (L dx^2)) n 2 (1 - cos(k dx))
 *
 * (leapfrog in time) with n the number of pipes of a column that lead on in its direction: 1 for one row, 2 for two,
 * and in the mean 3 - 2 / ny for more, as the rows beside a wall have no diagonals on its side. With a vanishing
 * quotient D its amplitude falls by sqrt(D) per second. Under an external pressure p a level lies p / (rho g) below
 * that around it. */
#include "cases.h"
#include "rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846, GRAVITY = 9.81, DEPTH = 0.05;
static const char *const MODE = "kandemir";

static bool begin(rill_rig *rig, rill_validation *validation, int32_t nx, int32_t ny, double dx) {
    const bool ok = rill_rig_begin(rig, validation, nx, ny, dx);
    rig->def.headroom = 2.0 * DEPTH;
    rig->def.solver.method = RILL_METHOD_KANDEMIR;
    rig->def.solver.kandemir.vanishing = 1.0;
    return ok;
}

/* ------------------------------------------------------------------------------------------------ rest and symmetry */

static void run_lake(rill_validation *validation) {
    rill_rig rig;
    uint64_t seed = 26;
    bool ok = begin(&rig, validation, 64, 64, 0.01);
    for (size_t i = 0; ok && i < rig.cells; ++i)
        rig.heights[i] = 1.5 * DEPTH * rill_rig_random(&seed); /* a third of it islands */
    double *before = rill_rig_numbers(&rig, rig.cells);
    ok = ok && before && rill_rig_build(&rig);
    for (size_t i = 0; ok && i < rig.cells; ++i) rig.depth[i] = fmax(0.0, DEPTH - rig.base[i]);
    ok = ok && rill_rig_fill(&rig) && rill_rig_look(&rig);
    if (ok) memcpy(before, rig.depth, rig.cells * sizeof *before);
    if (ok && rill_rig_run(&rig, validation->quick ? 2.0 : 20.0, 0.1) && rill_rig_look(&rig)) {
        const rill_check check = { .mode = MODE,
                                   .relation = RILL_ZERO,
                                   .value = (double)rill_rig_differences(&rig, before) + rill_rig_max_speed(&rig) };
        rill_validation_add(validation, &check, "lake with islands: columns that changed, speed; %.3g sub-steps",
                            (double)rig.substeps);
    }
    free(before);
    rill_rig_end(&rig);
}

/* Cell i of a square of n as image k has it: a transposition (bit 2), flips of x (bit 0) and y (bit 1). */
static size_t image(int k, int32_t n, int32_t x, int32_t y) {
    const int32_t tx = k & 4 ? y : x, ty = k & 4 ? x : y;
    return (size_t)(k & 2 ? n - 1 - ty : ty) * (size_t)n + (size_t)(k & 1 ? n - 1 - tx : tx);
}

/* Puddles on random ground, as image k; depths are left in rig->depth. */
static bool run_image(rill_rig *rig, rill_validation *validation, int k, int32_t n, int64_t *worst) {
    bool ok = begin(rig, validation, n, n, 0.01);
    double *depths = rill_rig_numbers(rig, rig->cells);
    uint64_t seed = 5;
    rig->def.solver.kandemir.viscosity = 1e-5;
    for (int32_t i = 0; depths && i < n * n; ++i) {
        const size_t j = image(k, n, i % n, i / n);
        rig->heights[j] = 0.5 * DEPTH * rill_rig_random(&seed);
        depths[j] = rill_rig_random(&seed) < 0.3 ? 2.0 * DEPTH * rill_rig_random(&seed) : 0.0;
    }
    ok = ok && depths && rill_rig_build(rig);
    if (ok) memcpy(rig->depth, depths, rig->cells * sizeof *depths);
    ok = ok && rill_rig_fill(rig) && rill_rig_run(rig, validation->quick ? 1.0 : 5.0, 0.02) &&
         rill_rig_audit(rig, worst) && rill_rig_look(rig);
    free(depths);
    return ok;
}

static void run_images(rill_validation *validation) {
    enum { SIZE = 40, IMAGES = 8 };
    rill_rig plain, turned;
    size_t differ = 0;
    int64_t worst = 0;
    bool ok = run_image(&plain, validation, 0, SIZE, &worst);
    for (int k = 1; ok && k < IMAGES; ++k) {
        ok = run_image(&turned, validation, k, SIZE, &worst);
        for (int32_t i = 0; ok && i < SIZE * SIZE; ++i)
            differ += plain.depth[i] != turned.depth[image(k, SIZE, i % SIZE, i / SIZE)];
        rill_rig_end(&turned);
    }
    if (ok) {
        const rill_check same = { .mode = MODE, .relation = RILL_ZERO, .value = (double)differ };
        const rill_check exact = { .mode = MODE, .relation = RILL_ZERO, .value = (double)worst, .unit = "quanta" };
        rill_validation_add(validation, &same, "puddles, turned and mirrored: differing depths, %.3g sub-steps",
                            (double)plain.substeps);
        rill_validation_add(validation, &exact, "their ledger error");
    }
    rill_rig_end(&plain);
}

/* ------------------------------------------------------------------------------------------------------------ waves */

typedef struct wave_case {
    int32_t nx, ny;
    double length, area, vanishing; /* L, A as multiples of dx and dx^2 */
} wave_case;

/* Returns a cosine along the tank, on each row. */
static double shape_at(const rill_rig *rig, size_t cell) {
    return cos(PI * ((double)(cell % (size_t)rig->nx) + 0.5) / rig->nx);
}

static double amplitude(const rill_rig *rig) {
    double sum = 0.0;
    for (size_t i = 0; i < rig->cells; ++i) sum += (rig->depth[i] - DEPTH) * shape_at(rig, i);
    return 2.0 * sum / (double)rig->cells;
}

/* Times of zero crossings, and the largest amplitude before the last of them. */
typedef struct swing {
    int crossings;
    double first, last, kept;
} swing;

static swing watch(rill_rig *rig, double dt, int steps) {
    swing s = { 0 };
    double before = amplitude(rig), most = 0.0;
    for (int i = 1; i <= steps && rill_rig_step(rig, dt) && rill_rig_look(rig); ++i) {
        const double now = amplitude(rig);
        if ((now < 0.0) != (before < 0.0)) {
            s.last = dt * (i - now / (now - before));
            s.first = s.crossings++ == 0 ? s.last : s.first;
            s.kept = most;
            most = 0.0;
        }
        most = fmax(most, fabs(now));
        before = now;
    }
    return s;
}

static void run_wave(rill_validation *validation, const wave_case *c) {
    const double dx = 0.01, start = 1e-4, n = c->ny == 1 ? 1.0 : 3.0 - 2.0 / c->ny;
    const double W2 = c->area * GRAVITY / (c->length * dx) * n * 2.0 * (1.0 - cos(PI / c->nx));
    const double T = 2.0 * PI / sqrt(W2),
                 dt = fmin(T / 200.0, 0.5 * dx / sqrt(3.0 * GRAVITY * c->area / c->length * dx));
    const double exact = PI * dt / asin(0.5 * sqrt(W2) * dt);
    rill_rig rig;
    bool ok = begin(&rig, validation, c->nx, c->ny, dx);
    rig.def.solver.kandemir.pipe_length = c->length * dx;
    rig.def.solver.kandemir.pipe_area = c->area * dx * dx;
    rig.def.solver.kandemir.vanishing = c->vanishing;
    ok = ok && rill_rig_build(&rig);
    for (size_t i = 0; ok && i < rig.cells; ++i) rig.depth[i] = DEPTH + start * shape_at(&rig, i);
    const swing s =
        ok && rill_rig_fill(&rig) && rill_rig_look(&rig) ? watch(&rig, dt, (int)(5.1 * T / dt)) : (swing){ 0 };
    if (rig.ok && s.crossings > 1) {
        const double period = 2.0 * (s.last - s.first) / (s.crossings - 1), w = 2.0 * PI / period;
        const double peak = s.last - (0.5 * PI + atan(-log(c->vanishing) / (2.0 * w))) / w /* damped: not half-way */;
        const rill_check pace = {
            .mode = MODE, .relation = RILL_NEAR, .value = period, .target = exact, .tolerance = 0.003, .unit = "s"
        };
        const rill_check left = { .mode = MODE,
                                  .relation = RILL_NEAR,
                                  .value = s.kept / start,
                                  .target = sqrt(pow(c->vanishing, peak)),
                                  .tolerance = 0.01 };
        if (c->vanishing == 1.0) {
            rill_validation_add(validation, &pace, "period, %d x %d, L %g dx, A %g dx^2", (int)c->nx, (int)c->ny,
                                c->length, c->area);
        }
        rill_validation_add(validation, &left, "amplitude left after %.3g s, D %g per second", peak, c->vanishing);
    }
    rill_rig_end(&rig);
}

/* --------------------------------------------------------------------------------------------------------- pressure */

static void run_pressure(rill_validation *validation) {
    enum { SIZE = 40 };
    const double pressure = 120.0;
    rill_rig rig;
    bool ok = begin(&rig, validation, SIZE, SIZE, 0.01);
    rig.def.solver.kandemir.vanishing = 1e-3;
    double *pressures = rill_rig_numbers(&rig, rig.cells);
    ok = ok && pressures && rill_rig_build(&rig);
    for (size_t i = 0; ok && i < rig.cells; ++i) {
        const size_t x = i % SIZE, y = i / SIZE;
        rig.depth[i] = DEPTH;
        pressures[i] = x > 12 && x < 20 && y > 15 && y < 25 ? pressure : 0.0;
    }
    const rill_force_field field = { .layer = RILL_ALL_LAYERS, .pressures = pressures, .count = rig.cells };
    ok = ok && rill_rig_fill(&rig) && rill_rig_expect(&rig, rill_world_set_force_field(rig.world, &field), "press");
    if (ok && rill_rig_run(&rig, 8.0, 0.1) && rill_rig_look(&rig)) {
        const rill_check check = { .mode = MODE,
                                   .relation = RILL_NEAR,
                                   .value = 1e3 * (rig.depth[0] - rig.depth[20 * SIZE + 16]),
                                   .target = 1e3 * pressure / (rig.def.liquid.density * GRAVITY),
                                   .tolerance = 1e-4,
                                   .unit = "mm" };
        rill_validation_add(validation, &check, "level under %g Pa below that around it", pressure);
    }
    free(pressures);
    rill_rig_end(&rig);
}

void rill_case_kandemir(rill_validation *validation) {
    static const wave_case waves[] = {
        { 40, 1, 1, 1, 1 }, { 40, 2, 2, 1, 1 }, { 24, 24, 1, 1, 1 }, { 48, 48, 4, 2, 1 }, { 32, 2, 1, 1, 0.163 }
    };
    run_lake(validation);
    run_images(validation);
    for (size_t i = 0; i < sizeof waves / sizeof waves[0]; ++i) run_wave(validation, &waves[i]);
    run_pressure(validation);
}
