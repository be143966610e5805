/* Case 21: symmetry.
 *
 * Problem: the same scene turned by quarter turns, flipped and transposed. Exact solution: the same result, turned
 * likewise, to the bit: the equations know no direction, and the order of every sum is chosen so that the arithmetic
 * knows none either. Measured: columns whose depth and faces whose velocity differ, over all eight symmetries of the
 * square, for a drop on terrain that is symmetric itself (one run, against its own images) and for a random scene
 * (eight runs). */
#include "cases.h"
#include "rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SYMMETRIES = 8 };

typedef struct place {
    int32_t x, y;
} place;

/* Symmetry k of a square of n cells: a transposition (bit 2), then flips of x (bit 0) and y (bit 1). */
static place image(int k, int32_t n, place p) {
    place q = k & 4 ? (place){ p.y, p.x } : p;
    q.x = k & 1 ? n - 1 - q.x : q.x;
    q.y = k & 2 ? n - 1 - q.y : q.y;
    return q;
}

/* Returns the velocity from cell a to its neighbour b. */
static double velocity_between(const double *faces, int32_t n, place a, place b) {
    bool forward = b.x > a.x || b.y > a.y;
    place upper = forward ? b : a;
    size_t i = 2 * ((size_t)upper.y * (size_t)n + (size_t)upper.x) + (a.y != b.y);
    return forward ? faces[i] : -faces[i];
}

typedef struct state {
    double *depth, *faces;
} state;

/* Columns and faces of `turned` that are not the image of those of `plain`. */
static size_t differences(int k, int32_t n, const state *plain, const state *turned) {
    size_t count = 0;
    for (int32_t y = 0; y < n; ++y) {
        for (int32_t x = 0; x < n; ++x) {
            place here = { x, y }, west = { x - 1, y }, south = { x, y - 1 };
            place there = image(k, n, here);
            size_t i = (size_t)y * (size_t)n + (size_t)x, j = (size_t)there.y * (size_t)n + (size_t)there.x;
            count += plain->depth[i] != turned->depth[j];
            if (x > 0) {
                count += velocity_between(plain->faces, n, west, here) !=
                         velocity_between(turned->faces, n, image(k, n, west), there);
            }
            if (y > 0) {
                count += velocity_between(plain->faces, n, south, here) !=
                         velocity_between(turned->faces, n, image(k, n, south), there);
            }
        }
    }
    return count;
}

typedef struct symmetry_scene {
    const char *name;
    int32_t size;
    bool radial;
    bool viscous;
    rill_pipe_area area;
    bool tension;
} symmetry_scene;

/* Height of the bed and depth of the liquid of the scene before it is turned. */
static void scene_at(const symmetry_scene *scene, place p, double *height, double *depth) {
    int32_t dx = 2 * p.x + 1 - scene->size, dy = 2 * p.y + 1 - scene->size;
    double r2 = (double)(dx * dx + dy * dy) / (double)(scene->size * scene->size); /* 0 to 2, symmetric to the bit */
    if (scene->radial) {
        *height = 3e-3 * r2 + 1e-3 * cos(40 * r2);
        *depth = r2 < 0.15 ? 6e-3 : 0;
    } else {
        uint64_t seed = (uint64_t)(p.y * scene->size + p.x);
        *height = 3e-3 * rill_rig_random(&seed);
        *depth = rill_rig_random(&seed) < 0.3 ? 8e-3 * rill_rig_random(&seed) : 0;
    }
}

static bool run_scene(rill_rig *rig, const symmetry_scene *scene, int k, int steps) {
    rig->def.solver.pipe_area = scene->area;
    rig->def.solver.tension = scene->tension ? RILL_TENSION_ON : RILL_TENSION_OFF;
    rig->def.liquid.viscosity = scene->viscous ? 1e-6 : 0;
    double *depths = rill_rig_numbers(rig, rig->cells);
    for (int32_t y = 0; depths && y < scene->size; ++y) {
        for (int32_t x = 0; x < scene->size; ++x) {
            place there = image(k, scene->size, (place){ x, y });
            size_t j = rill_rig_cell(rig, there.x, there.y);
            scene_at(scene, (place){ x, y }, &rig->heights[j], &depths[j]);
        }
    }
    if (depths && rill_rig_build(rig)) {
        memcpy(rig->depth, depths, rig->cells * sizeof *depths);
        rill_rig_fill(rig);
        for (int n = 0; n < steps; ++n) rill_rig_step(rig, 0.01);
    }
    free(depths);
    return rill_rig_look(rig);
}

static void run_symmetry(rill_validation *validation, const symmetry_scene *scene, int steps) {
    rill_rig plain, turned;
    size_t count = 0;
    bool ok = rill_rig_begin(&plain, validation, scene->size, scene->size, 1e-3) && run_scene(&plain, scene, 0, steps);
    state of_plain = { plain.depth, plain.faces };
    for (int k = 1; ok && k < SYMMETRIES; ++k) {
        if (scene->radial) {
            count += differences(k, scene->size, &of_plain, &of_plain);
            continue;
        }
        ok = rill_rig_begin(&turned, validation, scene->size, scene->size, 1e-3) && run_scene(&turned, scene, k, steps);
        if (ok) count += differences(k, scene->size, &of_plain, &(state){ turned.depth, turned.faces });
        rill_rig_end(&turned);
    }
    if (ok) {
        rill_check check = { .mode = rill_rig_mode(&plain), .relation = RILL_ZERO, .value = (double)count };
        rill_validation_add(validation, &check, "%s, %d^2: differing depths and speeds, %.3g sub-steps", scene->name,
                            (int)scene->size, (double)plain.substeps);
    }
    rill_rig_end(&plain);
}

void rill_case_symmetry(rill_validation *validation) {
    const symmetry_scene scenes[] = {
        { "radial drop", 48, true, false, RILL_PIPE_AREA_PHYSICAL, false },
        { "radial drop", 45, true, true, RILL_PIPE_AREA_PHYSICAL, false },
        { "radial drop", 48, true, false, RILL_PIPE_AREA_PAPER, false },
        { "random puddles", 48, false, false, RILL_PIPE_AREA_PHYSICAL, false },
        { "random puddles", 33, false, true, RILL_PIPE_AREA_PHYSICAL, false },
        { "random puddles", 33, false, true, RILL_PIPE_AREA_PAPER, false },
        { "radial drop, tension", 72, true, true, RILL_PIPE_AREA_PHYSICAL, true },
        { "random puddles, tension", 33, false, true, RILL_PIPE_AREA_PHYSICAL, true },
    };
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i)
        run_symmetry(validation, &scenes[i], validation->quick ? 50 : 300);
}
