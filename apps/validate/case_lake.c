/* Case 1: a lake at rest.
 *
 * Problem: liquid with a level surface over any bed, no motion. Exact solution: nothing ever moves (the "C-property" of
 * Bermudez & Vazquez 1994, Comput. Fluids 23, 1049-1071). Measured: columns whose depth has changed at any look, and
 * the largest face speed; both must be 0 to the bit. But for one lake the rest rule and the skipping of idle tiles are
 * off, so that every sub-step really computes every face.
 *
 * Beds: a random one, drowned; a random one from -10 m to +10 m, half of it islands; and a layered one with a slab with
 * holes, a bell whose inside is flooded to its ceiling, and a submerged slab. Under tilted gravity the level surface
 * leans: it rises by a whole number of quanta per cell, which is the nearest the bed's grid of heights can hold. */
#include "cases.h"
#include "rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct lake {
    const char *name;
    int32_t size;     /* cells each way */
    double dx;        /* m */
    double low, high; /* m, range of the random bed */
    double level;     /* m */
    double tilt[2];   /* gravity along x and y over gravity across the bed */
    bool layered;
    bool tension; /* beds are submerged deeper than the foot of a drop, where films would draw back */
    bool sleepy;  /* with the rest rule and the skipping of idle tiles, as by default */
    rill_pipe_area area;
    int64_t steps; /* sub-steps */
} lake;

static void set_up_bed(rill_rig *rig, const lake *l) {
    uint64_t seed = 1;
    for (size_t i = 0; i < rig->cells; ++i) rig->heights[i] = l->low + (l->high - l->low) * rill_rig_random(&seed);
    double across = sqrt(1 + l->tilt[0] * l->tilt[0] + l->tilt[1] * l->tilt[1]);
    rig->def.gravity[0] = 9.81 * l->tilt[0] / across;
    rig->def.gravity[1] = 9.81 * l->tilt[1] / across;
    rig->def.gravity[2] = -9.81 / across;
    rig->def.solver.pipe_area = l->area;
    rig->def.solver.rest = rig->def.solver.skip_idle = l->sleepy;
    rig->def.solver.tension = l->tension ? RILL_TENSION_ON : RILL_TENSION_OFF;
    if (l->layered) {
        double s = (double)l->size * l->dx, d = l->level;
        /* A slab over the western half, with a hole in its middle. */
        rill_rig_add_box(rig, 0, 0, 0.4 * d, 0.2 * s, s, 0.5 * d);
        rill_rig_add_box(rig, 0.3 * s, 0, 0.4 * d, 0.5 * s, s, 0.5 * d);
        rill_rig_add_box(rig, 0.2 * s, 0, 0.4 * d, 0.3 * s, 0.4 * s, 0.5 * d);
        rill_rig_add_box(rig, 0.2 * s, 0.6 * s, 0.4 * d, 0.3 * s, s, 0.5 * d);
        /* A bell: a roof with skirts that leave a gap above the floor. */
        rill_rig_add_box(rig, 0.6 * s, 0.1 * s, 0.6 * d, 0.9 * s, 0.4 * s, 0.7 * d);
        rill_rig_add_box(rig, 0.6 * s, 0.1 * s, 0.3 * d, 0.65 * s, 0.4 * s, 0.65 * d);
        rill_rig_add_box(rig, 0.85 * s, 0.1 * s, 0.3 * d, 0.9 * s, 0.4 * s, 0.65 * d);
        /* A submerged slab over part of the first one and of the open floor. */
        rill_rig_add_box(rig, 0.4 * s, 0.5 * s, 0.7 * d, 0.8 * s, 0.9 * s, 0.8 * d);
    }
}

/* A leaning or level surface, in whole quanta above the first column's base. */
static bool fill_open(rill_rig *rig, const lake *which) {
    double q = rig->quantum, g = -rig->def.gravity[2];
    double rise_x = round(rig->def.gravity[0] * rig->dx / (g * q)),
           rise_y = round(rig->def.gravity[1] * rig->dx / (g * q));
    double level = round((which->level - rig->base[0]) / q);
    for (int32_t y = 0; y < rig->ny; ++y) {
        for (int32_t x = 0; x < rig->nx; ++x) {
            size_t i = rill_rig_cell(rig, x, y);
            double lean = rise_x * (x - rig->nx / 2) + rise_y * (y - rig->ny / 2);
            double depth = (level + lean) * q - (rig->base[i] - rig->base[0]);
            rig->depth[i] = depth > 0 ? depth : 0;
        }
    }
    return rill_rig_fill(rig);
}

static bool fill(rill_rig *rig, const lake *which) {
    if (!which->layered) return fill_open(rig, which);
    const double at[3] = { 0.5 * rig->dx, 0.5 * rig->dx, 0.5 * which->level };
    return rill_rig_expect(rig, rill_world_fill_level(rig->world, at, which->level, NULL), "rill_world_fill_level");
}

static void watch(rill_rig *rig, const lake *which) {
    size_t columns = (size_t)rig->layers * rig->cells;
    double *before = rill_rig_numbers(rig, columns);
    size_t changed = 0;
    double speed = 0;
    if (before && rill_rig_look(rig)) {
        memcpy(before, rig->depth, columns * sizeof *before);
        double dt = 500 * rill_rig_stable_step(rig, rill_rig_max_depth(rig));
        while (rig->substeps < which->steps && rill_rig_step(rig, dt) && rill_rig_look(rig)) {
            size_t differences = rill_rig_differences(rig, before);
            double fastest = rill_rig_max_speed(rig);
            changed = differences > changed ? differences : changed;
            speed = fastest > speed ? fastest : speed;
        }
    }
    if (rig->ok) {
        rill_check check = { .mode = rill_rig_mode(rig), .relation = RILL_ZERO, .value = (double)changed };
        rill_validation_add(rig->validation, &check, "%s: columns changed in %.3g sub-steps", which->name,
                            (double)rig->substeps);
        check.value = speed;
        check.unit = "m/s";
        rill_validation_add(rig->validation, &check, "%s: largest face speed", which->name);
    }
    free(before);
}

static void run_lake(rill_validation *validation, const lake *which) {
    rill_rig rig;
    if (rill_rig_begin(&rig, validation, which->size, which->size, which->dx)) {
        set_up_bed(&rig, which);
        if (rill_rig_build(&rig) && fill(&rig, which)) watch(&rig, which);
    }
    rill_rig_end(&rig);
}

void rill_case_lake(rill_validation *validation) {
    static const double eight_and_minus_three[2] = { 0.140541, -0.052408 }; /* tangents of the degrees */
    lake lakes[] = {
        { .name = "rough bed 4 mm, level 6 mm", .size = 64, .dx = 1e-3, .high = 4e-3, .level = 6e-3 },
        { .name = "bed +-10 m, islands", .size = 64, .dx = 1e-3, .low = -10, .high = 10, .level = 0.1 },
        { .name = "slab with holes, bell, sunken slab", .size = 64, .dx = 1e-3, .high = 1e-3, .level = 6e-3 },
        { .name = "tilted by 8 and -3 degrees", .size = 64, .dx = 1e-3, .high = 1e-3, .level = 8e-3 },
        { .name = "tilted, rest rule on", .size = 64, .dx = 1e-3, .high = 1e-3, .level = 8e-3, .sleepy = true },
        { .name = "dx 0.37 m, bed 5 m, islands", .size = 41, .dx = 0.37, .high = 5, .level = 3 },
    };
    lakes[2].layered = true;
    memcpy(lakes[3].tilt, eight_and_minus_three, sizeof lakes[3].tilt);
    memcpy(lakes[4].tilt, eight_and_minus_three, sizeof lakes[4].tilt);
    for (int paper = 0; paper < 2; ++paper) {
        for (size_t i = 0; i < sizeof lakes / sizeof lakes[0]; ++i) {
            lakes[i].area = paper ? RILL_PIPE_AREA_PAPER : RILL_PIPE_AREA_PHYSICAL;
            lakes[i].steps = validation->quick ? 2000 : 100000;
            run_lake(validation, &lakes[i]);
        }
    }
    lake covered[] = { lakes[0], lakes[2] };
    covered[0].name = "tension, rough bed 4 mm, level 6.5 mm", covered[0].level = 6.5e-3;
    covered[1].name = "tension, slab with holes, bell, sunken slab", covered[1].level = 8e-3;
    for (size_t i = 0; i < 2; ++i) {
        covered[i].area = RILL_PIPE_AREA_PHYSICAL;
        covered[i].tension = true;
        covered[i].steps = validation->quick ? 2000 : 20000;
        run_lake(validation, &covered[i]);
    }
}
