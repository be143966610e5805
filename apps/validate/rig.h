/* A rig: one world and the arrays to set it up and look at it, so that a case reads as the experiment it is.
 *
 *   rill_rig_begin(&rig, v, nx, ny, dx)   heights[] all 0, walls all round, no viscosity, no friction, rest rule off
 *   ... change rig.def, heights[], add boxes ...
 *   rill_rig_build(&rig)                  the bed; base[] is now what the bed really is
 *   ... set depth[] (and faces[]) ...
 *   rill_rig_fill(&rig)
 *   rill_rig_step(&rig, dt)               as often as needed
 *   rill_rig_look(&rig)                   depth[] and faces[] are the present state
 *   rill_rig_end(&rig)
 *
 * A failure is sticky: it adds one row that says why, every later call does nothing and returns false, and only
 * rill_rig_end remains to be called. Arrays are [layer][y][x], row 0 south; absent columns are NaN. */
#ifndef RILL_VALIDATE_RIG_H
#define RILL_VALIDATE_RIG_H

#include "validation_table.h"

#include <rill/rill.h>

typedef struct rill_rig {
    rill_validation *validation;
    rill_world_def def;
    rill_solid_def *boxes;
    size_t box_count, box_room;
    rill_world *world;
    int32_t nx, ny, layers;
    size_t cells; /* nx * ny */
    double dx, quantum;
    double *heights; /* of the heightmap */
    double *base;    /* m */
    double *depth;   /* m */
    double *faces;   /* m/s through the west and the south face, two per cell */
    int64_t substeps;
    bool ok;
} rill_rig;

bool rill_rig_begin(rill_rig *rig, rill_validation *validation, int32_t nx, int32_t ny, double dx);
/* Begins a rig with surface tension, a contact angle on dry beds and one on wet ones (degrees), and the rest rule. */
bool rill_rig_begin_wetting(rill_rig *rig, rill_validation *validation, int32_t nx, int32_t ny, double dx,
                            double advancing, double receding);
/* Lets another liquid flow: a preset, with contact angles as they were. */
void rill_rig_pour(rill_rig *rig, const char *preset);
/* Returns sqrt(surface tension / (density g)), m. */
double rill_rig_capillary_length(const rill_rig *rig);
/* Adds a solid between two corners; before the build. */
void rill_rig_add_box(rill_rig *rig, double x0, double y0, double z0, double x1, double y1, double z1);
/* Returns the shape of a body: a box of these edges about the zero of its frame. */
rill_shape_def rill_rig_box(double x, double y, double z);
bool rill_rig_build(rill_rig *rig);
/* Puts depth[] and faces[] into the world. */
bool rill_rig_fill(rill_rig *rig);
bool rill_rig_step(rill_rig *rig, double dt);
/* Steps of `dt` until `duration` has passed; the last one ends exactly there. */
bool rill_rig_run(rill_rig *rig, double duration, double dt);
bool rill_rig_look(rill_rig *rig);
void rill_rig_end(rill_rig *rig);

/* Checks a result of a direct call on rig->world. */
bool rill_rig_expect(rill_rig *rig, rill_result result, const char *call);
/* Adds what the ledger is off by, whichever way, to the worst so far (quanta). */
bool rill_rig_audit(rill_rig *rig, int64_t *worst);
/* Returns memory for a case's own arrays; NULL makes the rig fail. Release with free(). */
double *rill_rig_numbers(rill_rig *rig, size_t count);

/* Returns the centre of a cell. */
static inline double rill_rig_centre(const rill_rig *rig, int32_t i) {
    return ((double)i + 0.5) * rig->dx;
}
static inline size_t rill_rig_cell(const rill_rig *rig, int32_t x, int32_t y) {
    return (size_t)y * (size_t)rig->nx + (size_t)x;
}
/* Returns the largest sub-step the scheme allows for still liquid of a depth (paper mode: whatever the depth). */
double rill_rig_stable_step(const rill_rig *rig, double depth);
/* Counts of columns whose depth differs from a copy made earlier, and the largest face speed. After rill_rig_look. */
size_t rill_rig_differences(const rill_rig *rig, const double *depth);
double rill_rig_max_speed(const rill_rig *rig);
double rill_rig_max_depth(const rill_rig *rig);

const char *rill_rig_mode(const rill_rig *rig);

/* Returns the mean period of samples, from the first falling zero to the last one. */
double rill_rig_mean_period(const double *signal, int count, double dt);
/* Returns a number uniform in [0, 1), the same on every machine. */
double rill_rig_random(uint64_t *state);

#endif
